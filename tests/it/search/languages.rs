//! Words of the two languages: what the words of a pair name, and what is offered where that is several things.

use std::collections::BTreeSet;
use std::sync::Arc;

use edge::Server;
use serde_json::{Value, json};
use snapshot::query::Query;
use snapshot::search::RankOptions;
use tests::snapshots::sample;
use tests::world::World;

use crate::contract::consistency::REAL_OPEN;
use crate::records::{organization, programs, values};
use crate::server::Live;

/// Words of this domain that are translations of each other, and of nothing else that a facet has.
const PAIRS: &str = include_str!("../../relevance/pairs.csv");

/// Facts of the first program, each of a kind, a value and a label in English.
const FACTS: [(&str, &str, &str); 36] = [
    ("topic", "engineering", "Engineering"),
    ("topic", "science-technology", "Science and technology"),
    ("topic", "environment", "Environment"),
    ("topic", "defence-security", "Defence and security"),
    ("topic", "food-nutrition", "Food and nutrition"),
    ("topic", "income-security", "Income security"),
    ("topic", "law-justice", "Law and justice"),
    ("topic", "public-policy", "Public policy"),
    ("topic", "natural-resources", "Natural resources"),
    ("topic", "open-science", "Open science"),
    ("career", "engineer-architect", "Engineer/Architect"),
    ("career", "researcher", "Scientist/Researcher"),
    ("career", "graduate-student", "Graduate student"),
    ("career", "doctoral-candidate", "Doctoral candidate"),
    ("career", "postdoc", "Postdoctoral researcher"),
    ("career", "early-career", "Early career"),
    ("career", "health-professional", "Health professional"),
    ("career", "faculty", "Faculty or principal investigator"),
    ("applicant", "small-business", "Small business"),
    ("applicant", "nonprofit", "Nonprofit"),
    ("applicant", "for-profit", "For profit organization"),
    ("applicant", "local-government", "Local government"),
    ("applicant", "higher-education", "Institution of higher education"),
    ("applicant", "school", "School"),
    ("audience", "women", "Women"),
    ("audience", "child", "Child (6-15)"),
    ("audience", "homeowner", "Homeowner"),
    ("audience", "low-income", "Low income"),
    ("audience", "senior-citizen", "Senior citizen (60+)"),
    ("education", "graduate", "Graduate student"),
    ("education", "grades-9-12", "High school"),
    ("enrollment", "full-time", "Full time"),
    ("benefit", "stipend", "Stipend or salary"),
    ("benefit", "health-insurance", "Health insurance"),
    ("fundingShape", "tax-credit", "Tax credit"),
    ("fundingShape", "cooperative-agreement", "Cooperative agreement"),
];

fn world(members: &[Value], facts: &[(&str, &str, &str)]) -> World {
    World::tables(&[organization(), programs(members), values(facts)])
}

/// The values and places that the words of a text name.
fn names(live: &Arc<Server>, text: &str) -> BTreeSet<(&'static str, String)> {
    let state = live.state();
    let index = &state.site().index;
    let query = Query { text: Some(text.to_owned()), no_facets: true, ..Query::default() };
    let found = index.ranked(&query, &state.dated.today, RankOptions::by_relevance());
    let places = found.interpretations.iter().filter_map(|it| Some(("place", it.place.clone()?)));
    let values = found.interpretations.iter().flat_map(|it| &it.values);
    let values = values.map(|(facet, ordinal)| (facet.spec().name, index.values.text(*ordinal).to_owned()));
    values.chain(places).collect()
}

/// How many words of the pairs name something.
fn hold_pairs(live: &Arc<Server>) -> usize {
    let (mut differ, mut named) = (Vec::new(), 0);
    for (english, spanish) in PAIRS.lines().skip(1).filter_map(|line| line.split_once(',')) {
        let (in_english, in_spanish) = (names(live, english), names(live, spanish));
        named += usize::from(!in_english.is_empty());
        if in_english != in_spanish {
            differ.push(format!("{english}: {in_english:?}, {spanish}: {in_spanish:?}"));
        }
    }
    assert!(differ.is_empty(), "{} pairs differ: {}", differ.len(), differ.join("\n"));
    named
}

#[test]
fn both_words_of_a_pair_name_the_same_values() {
    assert!(PAIRS.lines().count() > 150);
    let members: Vec<Value> =
        [json!({"name": "Fund"})].into_iter().chain(vec![json!({"name": "Other"}); 3]).collect();
    let tiny = hold_pairs(&Live::of(&world(&members, &FACTS)).server);
    let own = hold_pairs(sample());
    assert!(tiny > 50 && own > 50, "{tiny} and {own} of the pairs name a value");
    let Some(live) = REAL_OPEN.as_ref() else {
        return eprintln!("left out: OPDIR_TEST_DATA names no dataset");
    };
    let named = hold_pairs(live);
    assert!(named > 80, "{named}");
}

#[test]
fn a_word_with_values_of_several_facets_imposes_none() {
    let members =
        ["Prize", "Prize for graduate study", "Premio de posgrado", "Prize", "Prize", "Prize", "Prize"];
    let members = members.map(|name| json!({"name": name}));
    let facts = [("career", "graduate-student", "Graduate student"), ("education", "graduate", "Graduate")];
    let live = Live::of(&world(&members, &facts));
    for (path, word, named) in [
        ("/programs", "graduate", "Career stage / Education"),
        ("/es/programs", "posgrado", "Etapa de carrera / Estudios"),
    ] {
        let reply = live.call("search_opportunities", &json!({"query": format!("{word} prize")}));
        let reply: Value = serde_json::from_str(&reply).unwrap();
        assert_eq!(reply["result"]["structuredContent"]["total"], 3, "{word}: by value or text");
        let page = live.get(&format!("{path}?q={word}+prize"));
        let sentence = format!("<b>{named}: {word}</b>.");
        assert!(page.contains(&sentence) && !page.contains("class=\"roles\""), "{sentence} in {page}");
    }
    let state = live.server.state();
    for query in ["q=prize&career=graduate-student", "q=prize&education=graduate"] {
        let (query, _) = state.site().index.parse(query);
        assert_eq!(state.site().index.search(&query, &state.dated.today).total, 1, "{query:?}");
    }
}

#[test]
fn roles_that_find_the_same_records_are_no_choice() {
    for (second, is_offered) in [("Prize", false), ("Prize for the history of Kenya", true)] {
        let first = json!({"name": "River prize", "summary": "In Kenya.", "eligibleCountries": ["KE"]});
        let live = Live::of(&world(&[first, json!({"name": second}), json!({"name": "Prize"})], &[]));
        for target in ["/programs?q=kenya+prize", "/es/programs?q=kenya+prize"] {
            let page = live.get(target);
            assert_eq!(page.contains("<p class=\"roles\">"), is_offered, "{target}: {page}");
        }
    }
}
