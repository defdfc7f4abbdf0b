//! Values of facets that no record names, or that records only exclude.

use serde_json::json;
use snapshot::page::facet;
use snapshot::query::FacetValue;
use snapshot::record::Locale;
use snapshot::time::Day;
use tests::synth::TODAY;

use tests::world::World;

use crate::records::{fact, program, world_with};

#[test]
fn a_place_that_no_record_names_is_offered_when_it_is_looked_for() {
    let world = World::synthetic(400, 5);
    let (index, dated) = (&world.site.index, world.site.dated(Day::new(TODAY)));
    let citizenships = snapshot::facet::Facet::Citizenships;
    let unnamed =
        snapshot::place::all().filter(|place| index.values.find(citizenships, place.code).is_none());
    let mut offered = 0;
    for place in unnamed {
        let options = facet::options(&world.site, &dated, citizenships, place.code, Locale::En);
        let pick = FacetValue::Place(snapshot::place::Code::new(place.code).unwrap());
        let count = options.iter().find(|(value, _)| *value == pick).map_or(0, |(_, count)| *count as usize);
        let (query, _) = index.parse(&format!("citizenship={}", place.code));
        assert_eq!(index.search(&query, &dated.today).total, count, "{}", place.code);
        offered += usize::from(count > 0);
    }
    assert!(offered > 0, "the dataset names every place");
}

#[test]
fn a_place_that_records_only_exclude_is_no_value_of_the_facet_but_is_found() {
    let programs = vec![program(0, "A", json!({})), program(1, "B", json!({}))];
    let of = |number, value, polarity| {
        fact(number, number, json!({"kind": "citizenship", "value": value, "polarity": polarity}))
    };
    let world = world_with(programs, &[("facts", vec![of(0, "001", "include"), of(1, "202", "exclude")])]);
    let (index, dated) = (&world.site.index, world.site.dated(Day::new(TODAY)));
    let citizenships = snapshot::facet::Facet::Citizenships;
    let values = |text: &str| -> Vec<String> {
        let options = facet::options(&world.site, &dated, citizenships, text, Locale::En);
        options.iter().map(|(value, _)| index.value_text(value).to_owned()).collect()
    };
    assert_eq!(values(""), ["001"]);
    assert_eq!(values("202"), ["202"]);
}
