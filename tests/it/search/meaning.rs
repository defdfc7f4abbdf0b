//! What ranked answers make of words: against the plain oracle, over all names of places, and for questions
//! that say too little, too much or nothing that there is.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use snapshot::place::{self, NameKind};
use snapshot::query::Query;
use snapshot::search::{RankOptions, RankedPage};
use snapshot::text::words_of;
use snapshot::time::Day;
use tests::checks::understand;
use tests::in_process::get;
use tests::judge::Judged;
use tests::judge::judged::{PUBLISHED, SAMPLE};
use tests::snapshots::sample;
use tests::synth::rng::Rng;
use tests::world::{World, day_after};

use crate::records::{fact, organization, programs};
use crate::search::engine::text;

/// Random questions.
const QUESTIONS: u64 = 300;

pub(super) fn question(text: &str) -> Query {
    Query { text: Some(text.to_owned()), no_facets: true, ..Query::default() }
}

pub(super) fn ranked(world: &World, query: &Query) -> RankedPage {
    let today = world.site.dated(Day::new(day_after(0))).today;
    world.site.index.ranked(query, &today, RankOptions::by_relevance())
}

fn slugs(world: &World, ranked: &RankedPage) -> Vec<String> {
    ranked.rows.iter().map(|row| world.site.index.slug(row.doc).to_owned()).collect()
}

#[test]
fn one_of_very_many_values_is_no_match_and_another_place_stands_last() {
    let stages = |count: usize| -> Vec<String> {
        let others = (1..count).map(|number| format!("stage-{number}"));
        std::iter::once("artist".to_owned()).chain(others).collect()
    };
    let members = [
        json!({"name": "Soil fund", "careerStages": stages(16)}),
        json!({"name": "Sea fund", "careerStages": stages(17)}),
        json!({"name": "House of an artist"}),
        json!({"name": "Lighthouse of the river", "eligibleCountries": ["FR"]}),
        json!({"name": "River"}),
        json!({"name": "Lighthouse of the river in Kenya", "eligibleCountries": ["KE"]}),
    ];
    let world = World::tables(&[organization(), programs(&members)]);
    let found = ranked(&world, &question("artist"));
    let full = slugs(&world, &found).into_iter().take(found.total).collect::<BTreeSet<String>>();
    assert_eq!((full, found.total), (BTreeSet::from(["p1".to_owned(), "p3".to_owned()]), 2));
    let (selected, _) = world.site.index.parse("career=artist");
    assert_eq!(ranked(&world, &selected).total, 2, "a filter is exact");
    let found = ranked(&world, &question("lighthouse river kenya"));
    let expected = ["p6", "p5", "p4"];
    assert_eq!(slugs(&world, &found), expected, "one that states no place comes before another place");
    let found = ranked(&world, &question("lighthouse river kenya france"));
    assert_eq!(slugs(&world, &found)[2..], ["p5"], "one of two places is no other place");
}

/// Every name of a place and of its people, in both languages.
fn names() -> impl Iterator<Item = &'static str> {
    let kinds = [NameKind::Name, NameKind::City, NameKind::Demonym, NameKind::Subdivision];
    place::names().iter().filter(move |name| kinds.contains(&name.kind)).map(|name| name.text)
}

#[test]
fn no_name_of_a_place_that_no_record_has_is_answered_with_other_words() {
    // Words that are a slip away from names: two letters swapped.
    let known: BTreeSet<String> = names().flat_map(words_of).collect();
    let swapped = |word: &String| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.get_mut(1..3)?.swap(0, 1);
        Some(letters.into_iter().collect::<String>()).filter(|swapped| !known.contains(swapped))
    };
    let mut near: Vec<String> = known.iter().filter_map(swapped).collect();
    near.push("per".to_owned());
    let texts: Vec<Value> = near.chunks(400).map(|words| json!({"summary": words.join(" ")})).collect();
    let world = World::tables(&[organization(), programs(&texts[..texts.len().min(9)])]);
    for name in names() {
        let found = ranked(&world, &question(name));
        assert_eq!((found.guesses, found.total), (Vec::new(), 0), "{name}");
    }
    assert_eq!(ranked(&world, &question("Peru")).total, 0);
    assert_eq!(ranked(&world, &question("peruano")).total, 0);
}

#[test]
fn questions_that_say_too_little_or_too_much_are_answered() {
    let places = "peru chile kenya nigeria ghana togo benin mali niger egypt libya sudan angola zambia malawi \
                  rwanda burundi uganda ethiopia somalia eritrea gabon cameroon namibia botswana lesotho cuba \
                  haiti panama mexico belize canada";
    let questions = [
        "of the and",
        "open now rolling deadline fully funded",
        "open closed",
        "over $100 under $50",
        "over $100 up to $50 under 30 due in 2027 due in 2026 open now no deadline",
        places,
        "the soil",
        "-soil",
        "\"\" -\"\"",
        "a",
        "in in in",
        "\u{202e}Kenya in",
        "in Kenya from Peru for Kenyans not in Kenya en Chile de Perú in Kenya living in Ghana",
    ];
    let labels = json!({"facet": "topics", "value": "the", "labelEn": "", "labelEs": ""});
    let topic = fact(1, 1, json!({"kind": "topic", "value": "the", "label": ""}));
    let members = [json!({"name": "Soil"}), json!({"name": "Soil of the field"})];
    let plain = World::tables(&[organization(), programs(&members)]);
    let odd = World::tables(&[
        organization(),
        programs(&members),
        ("facts", vec![topic]),
        ("vocabulary", vec![labels]),
    ]);
    for world in [&plain, &odd] {
        let today = world.site.dated(Day::new(day_after(0))).today;
        for text in questions {
            let found = ranked(world, &question(text));
            assert!(found.total <= 2 && found.interpretations.len() <= 32, "{text}");
            for way in world.site.index.relaxations(&question(text), &today, &[]) {
                assert_eq!(ranked(world, &way.query).total, way.total, "{text}: {:?}", way.removed);
            }
        }
        assert_eq!(ranked(world, &question("the soil")).total, 2, "a small word need not be there");
        assert_eq!(ranked(world, &question("of the and")).total, 0, "unless there are no other words");
        assert_eq!(ranked(world, &question("open closed")).total, 0);
        assert_eq!(ranked(world, &question("over $100 under $50")).total, 0);
    }
    assert_eq!(ranked(&plain, &question(places)).interpretations.len(), 32);
}

#[test]
fn every_judged_question_and_any_other_is_read_without_fault() {
    let judged = [SAMPLE, PUBLISHED].into_iter().flat_map(Judged::read).map(|judged| judged.text);
    let others = (0..QUESTIONS).map(|number| text(&mut Rng::new(&[number])));
    judged.chain(others).for_each(|text| understand::holds(sample(), &text));
}

#[test]
fn several_words_that_mean_the_same_match_near_each_other_below_what_was_typed_and_are_named() {
    let members = [
        json!({"name": "Stage fund", "summary": "For performing and visual arts."}),
        json!({"name": "Playhouse fund", "summary": "For performing arts."}),
        json!({"name": "Engine fund", "summary": "High performing aircraft with a state of the art battery."}),
        json!({"name": "Split fund", "summary": "For those performing.", "description": "For the arts."}),
        json!({"name": "Theater fund"}),
        json!({"name": "Firm fund", "summary": "For companies with profit, though not for shops."}),
        json!({"name": "Club fund", "summary": "For not for profit clubs."}),
        json!({"name": "Fondo", "summary": "Para las artes vivas y escénicas."}),
    ];
    let world = World::tables(&[organization(), programs(&members)]);
    let shown = |text: &str| -> Vec<(String, String)> {
        let found = ranked(&world, &question(text));
        let full = found.rows.iter().take(found.total);
        full.map(|row| (world.site.index.slug(row.doc).to_owned(), row.shown_for.join(", "))).collect()
    };
    let pairs = |rows: &[(&str, &str)]| -> Vec<(String, String)> {
        rows.iter().map(|(slug, words)| ((*slug).to_owned(), (*words).to_owned())).collect()
    };
    let by_slug = |mut rows: Vec<(String, String)>| {
        rows.sort();
        rows
    };
    let theater = shown("theatre fund");
    assert_eq!(theater.first(), pairs(&[("p5", "")]).first(), "what was typed comes first");
    let others =
        [("p1", "performing arts"), ("p2", "performing arts"), ("p5", ""), ("p8", "artes escénicas")];
    assert_eq!(by_slug(theater), pairs(&others), "not p3 and p4: its words stand far from each other");
    // With a small word, in a row.
    assert_eq!(by_slug(shown("nonprofit")), pairs(&[("p7", "not for profit")]));
    let typed = [("p1", ""), ("p2", ""), ("p8", "artes escénicas")];
    // A term of several words is looked up as one.
    assert_eq!(by_slug(shown("performing arts")), pairs(&typed));
}

#[test]
fn words_of_seekers_find_what_means_the_same_in_this_field_and_nothing_that_only_looks_alike() {
    let members = [
        json!({"name": "Marie Skłodowska-Curie Actions (MSCA)"}),
        json!({"name": "MSc of arts"}),
        json!({"name": "Garden fund"}),
        json!({"name": "Woman leader prize"}),
        json!({"name": "Award of contracts"}),
        json!({"name": "Master in education"}),
        json!({"name": "Fellowship for indigenous peoples"}),
        json!({"name": "Outstanding female scientist prize"}),
        json!({"name": "Native American archive", "summary": "Presidential. No fee or cost is passed on."}),
        json!({"name": "Rural cooperative development", "summary": "For all members of the group."}),
        json!({"name": "Cooperative agreement", "summary": "Meets in person. An application pays a fee."}),
    ];
    let world = World::tables(&[organization(), programs(&members)]);
    for (text, expected) in [
        ("MSCA", vec!["p1"]),
        ("Marie Curie", vec!["p1"]),
        ("marie sklodowska-curie", vec!["p1"]),
        ("art", vec!["p2"]),
        ("women leader", vec!["p4"]),
        ("premio", vec!["p4", "p8"]),
        ("premio mujeres", vec!["p4", "p8"]),
        ("award", vec!["p5"]),
        ("magíster en educación", vec!["p6"]),
        ("mapuche", vec!["p7"]),
        ("indígena", vec!["p7", "p9"]),
        ("cooperativa", vec!["p10"]),
        ("presencial", vec!["p11"]),
        ("no application fee", vec![]),
        ("ayúdenme, requiero un premio", vec!["p4", "p8"]),
    ] {
        let found = ranked(&world, &question(text));
        let mut full: Vec<String> = slugs(&world, &found).into_iter().take(found.total).collect();
        full.sort();
        assert_eq!(full, expected, "{text}");
    }
}

#[test]
fn an_explanation_has_each_row_in_order_and_its_parts_add_up() {
    let members = ["Solar roofs for schools", "Solar fund", "Schools fund"];
    let world = World::tables(&[organization(), programs(&members.map(|name| json!({"name": name})))]);
    let today = world.site.dated(Day::new(day_after(0))).today;
    let query = question("solar schools");
    let text = world.site.index.explain(&query, &today, RankOptions::by_relevance());
    let rows = text.lines().skip_while(|line| !line.starts_with("  1."));
    let rows: Vec<(&str, f64, f64)> = rows
        .map(|line| {
            let (row, parts) = line.split_once(": ").unwrap();
            let row: Vec<&str> = row.split_whitespace().collect();
            let number = |text: &str| text.rsplit(' ').next().unwrap().parse::<f64>().unwrap();
            (row[4], number(row[3]), parts.split(", ").map(number).sum())
        })
        .collect();
    let slugs_of = |ranked: &RankedPage| slugs(&world, ranked);
    assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), slugs_of(&ranked(&world, &query)));
    assert!(rows.iter().all(|(_, score, parts)| *score > 0.0 && (score - parts).abs() < 0.03), "{text}");
}

#[test]
fn names_with_signs_and_words_of_scripts_without_spaces_are_found() {
    let members = [
        "C++ Foundation",
        "C# Foundation",
        "C Foundation",
        "The .NET Fund",
        "A net for fishers",
        "Deno.js grants",
        "JSPS 外国人特別研究員奨学金",
        "研究の奨学",
        "Οδυσσέας και Οδυσσεύς",
    ];
    let world = World::tables(&[organization(), programs(&members.map(|name| json!({"name": name})))]);
    for (text, expected) in [
        ("C++", vec!["p1"]),
        ("c# foundation", vec!["p2"]),
        ("\"C\"", vec!["p3"]),
        (".net", vec!["p4"]),
        ("net", vec!["p4", "p5"]),
        ("denojs", vec!["p6"]),
        ("Deno.js", vec!["p6"]),
        ("deno js", vec!["p6"]),
        ("奨学金", vec!["p7"]),
        ("奨学", vec!["p7", "p8"]),
        ("研究 奨学", vec!["p7", "p8"]),
        ("研究 -奨学金", vec!["p8"]),
        ("金奨", vec![]),
        ("ΟΔΥΣΣΕΥΣ", vec!["p9"]),
    ] {
        let found = world.site.index.search(&question(text), &world.site.dated(Day::new(day_after(0))).today);
        let mut slugs: Vec<&str> = found.docs.iter().map(|doc| world.site.index.slug(*doc)).collect();
        slugs.sort_unstable();
        assert_eq!(slugs, expected, "{text}");
    }
}

#[test]
fn words_that_marks_join_are_reported_as_they_stand() {
    let members = ["Soil", "Water", "Air"].map(|name| json!({"name": name}));
    let world = World::tables(&[organization(), programs(&members)]);
    let found = ranked(&world, &question("first-generation soil"));
    let missing: Vec<&Vec<String>> = found.rows.iter().map(|row| &row.missing).collect();
    assert_eq!(missing, [&["first-generation"]]);
}

#[test]
fn a_scholarship_in_spanish_is_a_fellowship_too() {
    let members = [
        json!({"name": "Fondo A", "programType": "fellowship"}),
        json!({"name": "Fondo B", "programType": "scholarship"}),
        json!({"name": "Fondo C", "programType": "grant"}),
    ];
    let world = World::tables(&[organization(), programs(&members)]);
    for (text, total) in [("becas", 2), ("beca", 2), ("beca de investigación", 1), ("scholarship", 1)] {
        assert_eq!(ranked(&world, &question(text)).total, total, "{text}");
    }
}

#[test]
fn what_no_filter_compares_is_left_out_and_named_in_both_languages() {
    let page = |target: &str| {
        let reply = get(sample(), target);
        String::from_utf8(reply.body.to_vec()).unwrap()
    };
    let title = |body: &str| body.split("</title>").next().unwrap().split(": ").nth(1).unwrap().to_owned();
    for (path, words, reason) in [
        ("/programs", "over 10,000 euros", "amounts can be compared in US dollars only."),
        ("/programs", "opens in March", "results cannot be filtered by the day"),
        ("/es/programs", "mínimo 50 mil euros", "los importes solo"),
        ("/es/programs", "abre en marzo", "los resultados no se pueden filtrar"),
    ] {
        let note = match path {
            "/programs" => format!("“{words}” was left out: {reason}"),
            _ => format!("«{words}» no se aplicó: {reason}"),
        };
        let words = words.replace(' ', "+").replace('í', "%C3%AD");
        let body = page(&format!("{path}?q=research+{words}"));
        assert!(body.contains(&note), "{note}");
        assert!(body.contains("plain="), "as text");
        assert_eq!(title(&body), title(&page(&format!("{path}?q=research"))), "{note}");
    }
    let body = page("/programs?q=research+under+30");
    assert!(body.contains("<a href=\"/programs?q=research&amp;ageMax=30\">"), "an age is offered");
}
