//! Places in questions: what names them, regions that admit them, words that leave them out, and what each facet finds.

use serde_json::{Value, json};
use snapshot::facet::Facet;
use snapshot::search::{Constraint, RankedPage};
use snapshot::time::Day;
use tests::synth::rng::Rng;
use tests::world::{World, day_after};

use crate::records::{fact, organization, programs};
use crate::search::meaning;

/// Programs by name with their places (kind of the fact, and code) among others.
fn world(members: &[(&str, &[(&str, &str)])]) -> World {
    let names = members.iter().map(|(name, _)| *name).chain(["Other"; 12]);
    let names: Vec<Value> = names.map(|name| json!({"name": name})).collect();
    let facts =
        (1..).zip(members).flat_map(|(program, (_, places))| places.iter().map(move |it| (program, it)));
    let facts = facts
        .enumerate()
        .map(|(at, (program, (kind, place)))| fact(at, program, json!({"kind": kind, "value": place})));
    World::tables(&[organization(), programs(&names), ("facts", facts.collect())])
}

fn ranked(world: &World, text: &str) -> RankedPage {
    meaning::ranked(world, &meaning::question(text))
}

/// Slugs of the full matches, and of those by a wider region.
fn found(world: &World, text: &str) -> (Vec<String>, Vec<String>) {
    let rows = ranked(world, text).rows;
    let of = |tier: &str| {
        let rows = rows
            .iter()
            .filter(|row| if tier == "all" { row.tier.is_full() } else { row.tier.as_str() == tier });
        let mut slugs: Vec<String> = rows.map(|row| world.site.index.slug(row.doc).to_owned()).collect();
        slugs.sort();
        slugs
    };
    (of("all"), of("wider"))
}

fn goes_and_comes() -> World {
    world(&[
        ("Prize A", &[("destination", "KE")]),
        ("Prize B", &[("citizenship", "KE")]),
        ("Prize C", &[("residence", "KE"), ("destination", "FR")]),
        ("Prize D on Kenya", &[("citizenship", "PE")]),
        ("Prize E on Kenya", &[]),
    ])
}

#[test]
fn a_place_finds_what_names_it_and_words_for_who_applies_from_where_are_not_required() {
    let world = goes_and_comes();
    for text in [
        "prize Kenya",
        "prize in Kenya",
        "premio en Kenia",
        "prize for Kenyans",
        "premio para kenianos",
        "prize based in Kenya",
        "prize resident in Kenya",
        "premio residente en Kenia",
        "premio, vivo en Kenia",
        "prize Kenyan passport",
        "premio nacionalidad keniana",
        "premio ciudadana keniana",
    ] {
        let (full, _) = found(&world, text);
        assert_eq!(full, ["p1", "p2", "p3", "p4", "p5"], "{text}");
    }
    assert_eq!(found(&world, "prize at a Kenyan university").0, [""; 0]);
}

#[test]
fn a_city_finds_what_names_it_first_and_then_what_its_state_or_country_admits() {
    let world = world(&[
        ("Prize A", &[("citizenship", "US-CA")]),
        ("Prize B of Los Angeles", &[]),
        ("Prize C", &[("citizenship", "US")]),
        ("Prize D on Fresno", &[("citizenship", "US-CA"), ("destination", "JP")]),
    ]);
    for (text, expected, by_region) in [
        ("prize in Fresno", "p1 p4", "p3"),
        ("prize Los Angeles", "p1 p2 p4", "p3"),
        // The state is no name of a city.
        ("prize California", "p1 p4", "p3"),
        ("premio en Tokio", "p4", ""),
    ] {
        let (full, wider) = found(&world, text);
        assert_eq!((full.join(" "), wider.join(" ")), (expected.to_owned(), by_region.to_owned()), "{text}");
    }
    assert_eq!(world.site.index.slug(ranked(&world, "prize Fresno").rows[0].doc), "p4");
}

#[test]
fn of_two_places_a_record_has_both() {
    let members: [(&str, &[(&str, &str)]); 4] = [
        ("Prize A", &[("citizenship", "PE"), ("destination", "FR")]),
        ("Prize B", &[("citizenship", "FR"), ("destination", "PE")]),
        ("Prize C", &[("citizenship", "001"), ("destination", "FR")]),
        ("Prize D", &[("citizenship", "PE")]),
    ];
    let world = world(&members);
    for text in ["soy peruana y busco un premio en Francia", "prize for Peruvians in France"] {
        let (full, wider) = found(&world, text);
        assert_eq!((full.join(" "), wider.join(" ")), ("p1 p2".to_owned(), "p3".to_owned()), "{text}");
    }
}

#[test]
fn what_names_a_place_is_left_out_after_outside_and_not_from() {
    let members: [(&str, &[(&str, &str)]); 5] = [
        ("Prize A", &[("destination", "KE")]),
        ("Prize B", &[("destination", "FR"), ("destination", "KE")]),
        ("Prize C", &[("citizenship", "PE"), ("destination", "001")]),
        ("Prize D on Kenya", &[("citizenship", "KE")]),
        ("Prize E", &[]),
    ];
    let world = world(&members);
    for (text, expected) in [
        ("prize outside Kenya", vec!["p3", "p5"]),
        ("premio fuera de Kenia", vec!["p3", "p5"]),
        ("prize not from Kenya", vec!["p3", "p5"]),
        ("prize for non-Kenyans", vec!["p3", "p5"]),
        ("premio para no kenianos", vec!["p3", "p5"]),
        ("premio, no soy ciudadano de Kenia", vec!["p3", "p5"]),
    ] {
        assert_eq!(found(&world, text).0, expected, "{text}");
        assert!(ranked(&world, text).interpretations[0].left_out.is_some(), "{text}");
    }
}

#[test]
fn a_word_of_a_place_counts_in_its_sense_as_the_rules_say() {
    let pieces = "Mexico|New Mexico|the Gulf of Mexico|Guinea|Papua New Guinea|guinea pig farms|an Indian tribe|\
                  Indian schools|India|Western Australia|Australia|South Sudan|Sudan|Samoa|American Samoa|\
                  the South China Sea and China|Spain|radio in Spanish and English|Indian students|Indian children|\
                  indigent Indians|Indian Services|the West Indies and the West Indian people";
    let pieces: Vec<&str> = pieces.split('|').collect();
    let mut rng = Rng::new(&[9]);
    let mut piece = || pieces[rng.below(pieces.len())];
    let chosen: Vec<[&str; 3]> = (0..60).map(|_| [(); 3].map(|()| piece())).collect();
    let name = |(number, [one, two, three]): (usize, &[&str; 3])| {
        format!("Prize {number} for {one}, {two} and {three}")
    };
    let names: Vec<String> = chosen.iter().enumerate().map(name).collect();
    let members: Vec<(&str, &[(&str, &str)])> = names.iter().map(|name| (name.as_str(), &[][..])).collect();
    let (world, mut left_out, mut wrong) = (world(&members), 0, Vec::new());
    // Each place, the pieces that name it, and those that mean something else: a text with one of these is about that.
    let others =
        ["an Indian tribe", "Indian schools", "Indian children", "indigent Indians", "Indian Services"];
    let places: [(&str, &[&str], &[&str]); 11] = [
        ("Mexico", &["Mexico"], &["the Gulf of Mexico", "New Mexico"]),
        ("New Mexico", &["New Mexico"], &[]),
        ("Indian", &["India", "Indian students"], &others),
        ("India", &["India", "Indian students"], &others),
        ("Indians", &["India", "Indian students"], &others),
        ("indio", &["India", "Indian students"], &others),
        ("Australia", &["Australia", "Western Australia"], &[]),
        ("Sudan", &["Sudan"], &["South Sudan"]),
        ("Samoa", &["Samoa"], &["American Samoa"]),
        ("China", &[], &["the South China Sea and China"]),
        ("Spain", &["Spain"], &["radio in Spanish and English"]),
    ];
    for (place, pieces, others) in places {
        let has = |chosen: &[&str], of: &[&str]| chosen.iter().any(|piece| of.contains(piece));
        let expected = chosen.iter().filter(|it| has(*it, pieces) && !has(*it, others)).count();
        for cue in ["", "in", "for citizens of"] {
            let text = format!("prize {cue} {place}");
            let total = ranked(&world, &text).total;
            wrong.extend((total != expected).then(|| format!("{text}: {total}, expected {expected}")));
            let holders = names.iter().filter(|name| name.contains(place)).count();
            left_out += usize::from(expected < holders);
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(left_out > 12, "{left_out}");
}

#[test]
fn a_region_admits_no_place_that_a_stated_citizenship_or_residence_shuts_out() {
    let members: [(&str, &[(&str, &str)]); 4] = [
        ("Prize A", &[("country", "US")]),
        ("Prize B", &[("country", "US"), ("residence", "US-NV")]),
        ("Prize C", &[("country", "US"), ("citizenship", "FR")]),
        ("Prize D", &[("country", "US"), ("citizenship", "US"), ("residence", "021")]),
    ];
    let world = world(&members);
    assert_eq!(found(&world, "prize Pennsylvania").1, ["p1", "p4"]);
    let (full, wider) = found(&world, "prize Nevada");
    assert_eq!((full.join(" "), wider.join(" ")), ("p2".to_owned(), "p1 p4".to_owned()));
}

#[test]
fn the_roles_of_a_place_are_offered_with_what_selecting_each_finds() {
    let world = goes_and_comes();
    let ranked = ranked(&world, "prize Kenya");
    let [understood] = ranked.interpretations.as_slice() else { panic!("{:?}", ranked.interpretations) };
    let today = world.site.dated(Day::new(day_after(0))).today;
    for (role, total) in &understood.roles {
        let Some(facet) = role else {
            assert_eq!(*total, 2, "two have the word");
            continue;
        };
        let query = format!("q=prize&{}=KE", facet.spec().parameter);
        let (query, _) = world.site.index.parse(&query);
        assert_eq!(world.site.index.search(&query, &today).total, *total, "{facet:?}");
    }
    let roles: Vec<_> = understood.roles.iter().map(|(role, _)| *role).collect();
    assert_eq!(roles, [Some(Facet::Destinations), Some(Facet::Citizenships), Some(Facet::Residences), None]);
}

#[test]
fn a_selected_place_without_records_is_offered_in_its_other_roles() {
    let world = goes_and_comes();
    let (query, _) = world.site.index.parse("q=prize&country=KE");
    let today = world.site.dated(Day::new(day_after(0))).today;
    let ways = world.site.index.relaxations(&query, &today, &[]);
    let other = |facet| Constraint::Role { facet, place: "KE".to_owned() };
    for facet in [Facet::Destinations, Facet::Citizenships, Facet::Residences] {
        let way = ways.iter().find(|way| way.removed == other(facet)).unwrap();
        assert_eq!(way.total, 1);
        assert_eq!(world.site.index.search(&way.query, &today).total, 1, "{facet:?}");
    }
}

#[test]
fn a_word_for_a_value_of_most_records_finds_them_by_the_value() {
    // Every record of this world is a grant, and none says so in its text.
    let world = world(&[("Soil fund", &[("citizenship", "KE")]), ("River fund", &[("citizenship", "KE")])]);
    assert_eq!(found(&world, "grants for Kenyans").0, ["p1", "p2"]);
    for text in ["grants", "subvenciones"] {
        assert_eq!(found(&world, text).0.len(), world.site.index.programs(), "{text}");
    }
}

#[test]
fn abbreviations_that_are_no_other_word_name_places_in_small_letters_too() {
    let world = world(&[
        ("Prize A", &[("citizenship", "US")]),
        ("Prize B", &[("destination", "GB")]),
        ("Prize C", &[("destination", "US")]),
    ]);
    for (text, expected) in [
        ("prize usa", vec!["p1", "p3"]),
        ("prize in the us", vec!["p1", "p3"]),
        ("premio en eeuu", vec!["p1", "p3"]),
        ("prize for us citizens", vec!["p1", "p3"]),
        ("prize in the uk", vec!["p2"]),
        ("prize uae", vec![]),
    ] {
        assert_eq!(found(&world, text).0, expected, "{text}");
    }
    for text in ["prize for us", "premio que usa papel"] {
        assert!(ranked(&world, text).interpretations.iter().all(|it| it.place.is_none()), "{text}");
    }
}

#[test]
fn a_record_for_the_named_place_stands_before_those_with_another_word() {
    let ocean: (&str, &[(&str, &str)]) = ("Ocean", &[]);
    let world = world(&[ocean, ocean, ocean, ("Grant", &[("country", "KE")])]);
    let first = ranked(&world, "ocean Kenya").rows[0].doc;
    assert_eq!(world.site.index.slug(first), "p4");
}
