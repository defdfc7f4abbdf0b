//! What must hold of facets, totals and pages whatever the data: invariants of whole datasets.

use serde_json::json;
use snapshot::facet::FACETS;
use snapshot::page::{Dated, facet};
use snapshot::query::{FacetValue, Query, Sort};
use snapshot::record::Locale;
use snapshot::search::SearchResult;
use snapshot::time::Day;
use tests::questions::{Class, questions};
use tests::synth::TODAY;

use tests::world::World;

use crate::records::{fact, program, world_with};

fn worlds() -> Vec<World> {
    std::iter::once(World::synthetic(400, 5)).chain((0..8).map(World::tiny)).collect()
}

/// A world on a day, ready to be asked.
struct Asking<'a> {
    world: &'a World,
    dated: Dated,
}

impl<'a> Asking<'a> {
    fn new(world: &'a World) -> Self {
        Self { world, dated: world.site.dated(Day::new(TODAY)) }
    }

    fn read(&self, query: &str) -> Query {
        self.world.site.index.parse(query).0
    }

    fn answer(&self, query: &Query) -> SearchResult {
        self.world.site.index.search(query, &self.dated.today)
    }

    fn total(&self, query: &Query) -> usize {
        self.answer(&Query { facets: false, ..query.clone() }).total
    }

    /// Questions of every kind, and each facet's most frequent values.
    fn queries(&self) -> Vec<Query> {
        let classes = [Class::Empty, Class::Filter1, Class::Filter2, Class::Text1, Class::Text2, Class::Main];
        let asked = classes.into_iter().flat_map(|class| questions(class, 6, 9));
        let mut queries: Vec<Query> = asked.map(|query| self.read(&query)).collect();
        let best = self.answer(&Query::default()).facets.unwrap();
        let selected = best
            .iter()
            .flat_map(|counts| counts.items.iter().take(2).map(move |(pick, _)| vec![(counts.facet, *pick)]));
        queries.extend(selected.map(|selected| Query { selected, ..Query::default() }));
        queries
    }
}

#[test]
fn a_facets_value_counts_what_a_search_for_it_finds() {
    for world in worlds() {
        let asking = Asking::new(&world);
        for spec in &FACETS {
            for (value, count) in facet::options(&world.site, &asking.dated, spec.facet, "", Locale::En) {
                let value = world.site.index.value_text(&value);
                let pair: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
                let query = asking.read(&format!("{}={pair}", spec.parameter));
                assert_eq!(asking.total(&query), count as usize, "{}={value}", spec.parameter);
            }
        }
    }
}

#[test]
fn every_count_in_an_answer_is_the_total_of_the_search_with_that_value_in_place_of_its_group() {
    for world in worlds() {
        let asking = Asking::new(&world);
        for query in asking.queries() {
            for counts in asking.answer(&query).facets.unwrap() {
                for (pick, count) in counts.items {
                    let mut selected = query.selected.clone();
                    selected.retain(|(facet, _)| facet.group() != counts.facet.group());
                    selected.push((counts.facet, pick));
                    let total = asking.total(&Query { selected, ..query.clone() });
                    assert_eq!(total, count as usize, "{:?} {pick:?} in {query:?}", counts.facet);
                }
            }
        }
    }
}

#[test]
fn pages_add_up_to_the_total_and_repeat_nothing_in_every_order() {
    for world in worlds() {
        let asking = Asking::new(&world);
        for query in asking.queries() {
            let total = asking.total(&query);
            for (sort, locale) in Sort::ALL.iter().flat_map(|s| Locale::ALL.iter().map(move |l| (*s, *l))) {
                let mut query = Query { sort, locale, facets: false, ..query.clone() };
                query.page.limit = if total > 100 { 100 } else { 7 };
                let mut docs = Vec::new();
                for offset in (0..=total as u64).step_by(query.page.limit as usize) {
                    query.page.offset = offset;
                    let answer = asking.answer(&query);
                    assert_eq!(answer.total, total, "{query:?}");
                    docs.extend(answer.docs);
                }
                docs.sort_unstable();
                docs.dedup();
                assert_eq!(docs.len(), total, "{query:?}");
            }
        }
    }
}

#[test]
fn rows_are_the_same_with_and_without_facets() {
    for world in worlds() {
        let asking = Asking::new(&world);
        for query in asking.queries() {
            let with = asking.answer(&query);
            let without = asking.answer(&Query { facets: false, ..query });
            assert_eq!((with.total, with.docs), (without.total, without.docs));
            assert_eq!(without.facets, None);
        }
    }
}

#[test]
fn another_filter_never_raises_the_total() {
    for world in worlds() {
        let asking = Asking::new(&world);
        let queries = asking.queries();
        for query in &queries {
            let total = asking.total(query);
            let open = Query { open: true, ..query.clone() };
            assert!(asking.total(&open) <= total, "{open:?}");
            for (facet, pick) in queries.iter().flat_map(|other| &other.selected) {
                if query.selected.iter().all(|(own, _)| own.group() != facet.group()) {
                    let mut more = query.clone();
                    more.selected.push((*facet, *pick));
                    assert!(asking.total(&more) <= total, "{more:?}");
                }
            }
        }
    }
}

#[test]
fn a_place_that_no_record_names_is_offered_when_it_is_looked_for() {
    let world = World::synthetic(400, 5);
    let asking = Asking::new(&world);
    let citizenships = snapshot::facet::Facet::Citizenships;
    let values = &world.site.index.values;
    let unnamed = snapshot::place::all().filter(|place| values.find(citizenships, place.code).is_none());
    let mut offered = 0;
    for place in unnamed {
        let options = facet::options(&world.site, &asking.dated, citizenships, place.code, Locale::En);
        let pick = FacetValue::Place(snapshot::place::Code::new(place.code).unwrap());
        let count = options.iter().find(|(value, _)| *value == pick).map_or(0, |(_, count)| *count as usize);
        let query = asking.read(&format!("citizenship={}", place.code));
        assert_eq!(asking.total(&query), count, "{}", place.code);
        offered += usize::from(count > 0);
    }
    assert!(offered > 0, "the dataset names every place");
}

#[test]
fn a_place_that_records_only_exclude_is_no_value_of_the_facet_but_is_found_and_may_be_selected() {
    let programs = vec![program(0, "A", json!({})), program(1, "B", json!({}))];
    let of = |number, value, polarity| {
        fact(number, number, json!({"kind": "citizenship", "value": value, "polarity": polarity}))
    };
    let world = world_with(programs, &[("facts", vec![of(0, "001", "include"), of(1, "202", "exclude")])]);
    let asking = Asking::new(&world);
    let citizenships = snapshot::facet::Facet::Citizenships;
    let values = |text: &str| -> Vec<String> {
        let options = facet::options(&world.site, &asking.dated, citizenships, text, Locale::En);
        options.iter().map(|(value, _)| world.site.index.value_text(value).to_owned()).collect()
    };
    assert_eq!(values(""), ["001"]);
    assert_eq!(values("202"), ["202"]);
    for (query, expected) in [("", vec!["001"]), ("citizenship=202", vec!["001", "202"])] {
        let facets = asking.answer(&asking.read(query)).facets.unwrap();
        let counts = facets.into_iter().find(|counts| counts.facet == citizenships).unwrap();
        let values: Vec<&str> = counts.items.iter().map(|(it, _)| world.site.index.value_text(it)).collect();
        assert_eq!(values, expected, "{query}");
        assert!(counts.items.iter().all(|(_, count)| *count == 1), "{query}");
    }
}
