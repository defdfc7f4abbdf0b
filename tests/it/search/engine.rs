//! The engine against the plain oracle: random datasets, random questions, equal answers.

use std::sync::{LazyLock, OnceLock};

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};
use snapshot::facet::FACETS;
use snapshot::page::search;
use snapshot::query::FacetValue;
use snapshot::time::Day;
use tests::checks::understand::function_words;
use tests::synth::rng::Rng;
use url::form_urlencoded::Serializer;

use crate::records::{organization, programs};
use crate::search::oracle::{Expected, Oracle};
use tests::world::{WORDS, World, day_after};

/// How many questions there are; a long run sets `ORACLE_CASES`.
fn cases() -> u32 {
    std::env::var("ORACLE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1_000)
}

/// One dataset for every so many questions.
const CASES_PER_WORLD: u32 = 25;

/// A dataset and the plain search over it, each made when it is first needed.
type Searched = (OnceLock<World>, OnceLock<Oracle<'static>>);

static WORLDS: LazyLock<Vec<Searched>> =
    LazyLock::new(|| (0..=cases() / CASES_PER_WORLD).map(|_| Searched::default()).collect());

fn world(number: usize) -> (&'static World, &'static Oracle<'static>) {
    let make = || match number % 12 {
        11 => World::synthetic(1 + number % 90, number as u64),
        _ => World::tiny(number as u64),
    };
    let (world, oracle) = &WORLDS[number];
    let world = world.get_or_init(make);
    (world, oracle.get_or_init(|| Oracle::new(&world.directory)))
}

/// A question to be: which dataset, how many days later, and numbers that choose the parameters.
#[derive(Clone, Debug)]
struct Case {
    world: usize,
    days: i32,
    parameters: Vec<u64>,
}

fn case() -> impl Strategy<Value = Case> {
    let days = prop_oneof![Just(0), -20..40i32, 0..400i32];
    (0..WORLDS.len(), days, vec(any::<u64>(), 0..8)).prop_map(|(world, days, parameters)| Case {
        world,
        days,
        parameters,
    })
}

/// Pairs of parameter and value; each number gives one.
fn pairs(oracle: &Oracle<'_>, parameters: &[u64]) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for number in parameters {
        let (name, value) = pair(oracle, &mut Rng::new(&[*number]));
        let is_single = name != "organization" && FACETS.iter().all(|spec| spec.parameter != name);
        if !(is_single && pairs.iter().any(|(known, _)| known == name)) {
            pairs.push((name.to_owned(), value));
        }
    }
    pairs
}

fn pair(oracle: &Oracle<'_>, rng: &mut Rng) -> (&'static str, String) {
    match rng.weighted(&[50, 20, 3, 3, 2, 2, 2, 6, 6, 4, 6, 6, 6, 2, 4, 6]) {
        0 => pick(oracle, rng),
        1 => ("q", plain_text(rng)),
        2 => ("open", "true".to_owned()),
        3 => ("rolling", "1".to_owned()),
        4 => ("funded", "true".to_owned()),
        5 => ("facets", "false".to_owned()),
        6 => ("locale", rng.pick(&["en", "es"]).to_owned()),
        7 => ("sort", rng.pick(&["deadline", "name", "recent"]).to_owned()),
        8 => ("limit", rng.pick(&["1", "2", "3", "100"]).to_owned()),
        9 => (rng.pick(&["offset", "page"]), (1 + rng.below(9)).to_string()),
        10 => (rng.pick(&["ageMin", "ageMax"]), rng.below(40).to_string()),
        11 => (rng.pick(&["fundingMin", "fundingMax"]), (rng.below(9) * 500).to_string()),
        12 => (rng.pick(&["durationMin", "durationMax"]), (rng.below(30) * 15).to_string()),
        13 => (rng.pick(&["deadlineFrom", "deadlineTo"]), day_after(rng.between(-10, 60)).to_string()),
        14 => (rng.pick(&["updatedFrom", "updatedTo"]), day_after(-rng.between(0, 400)).to_string()),
        _ => {
            let known: Vec<&str> = oracle.organizations.keys().copied().chain(["no-such-body"]).collect();
            ("organization", rng.pick(&known).to_owned())
        }
    }
}

/// A value of some facet, a place, or something that is neither.
fn pick(oracle: &Oracle<'_>, rng: &mut Rng) -> (&'static str, String) {
    let spec = &FACETS[rng.below(FACETS.len())];
    let values: Vec<&str> = oracle.vocabulary[spec.name].iter().copied().collect();
    let value = match rng.weighted(&[80, 15, 5]) {
        0 if !values.is_empty() => rng.pick(&values),
        2 => rng.pick(&["Narnia", "health", "ng", "999"]),
        _ => rng.pick(&["KE", "NG", "011", "US-CA", "FR", "DE", "202", "001", "AQ"]),
    };
    (spec.parameter, value.to_owned())
}

/// Words that mean themselves alone: they name nothing, and no word of any dataset is a synonym. Of the last, one language
/// has forms that the other has not.
const PLAIN: &str =
    "solar solars Ñandú nandu nandus field-work Straße strasse COVID-19 сорус zorb zorbing zorbar zorbando";

/// Such words, with phrases and exclusions of any. What leaves a quote open stands last, and exclusions stand behind a
/// space: otherwise any word would be a plain one.
fn plain_text(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.weighted(&[1, 40, 30, 20, 9]) {
        match rng.weighted(&[60, 15, 10, 5, 5, 5]) {
            0 => text.push_str(rng.pick(&PLAIN.split(' ').collect::<Vec<_>>())),
            1 => text.push_str(&format!("\"{} {}\"", rng.pick(&WORDS), rng.pick(&WORDS))),
            2 => text.push_str(&format!("\"{}\"", rng.pick(&WORDS))),
            3 => text.push_str(&format!(" -{}", rng.pick(&WORDS))),
            4 => text.push_str(&format!(" -\"{} {}\"", rng.pick(&WORDS), rng.pick(&WORDS))),
            _ => text.push_str(rng.pick(&["zzzz", "–"])),
        }
        text.push_str(rng.pick(&[" ", " ", "  ", "/"]));
    }
    if rng.percent(5) {
        text.push_str(rng.pick(&["\"", "\"soil"]));
    }
    text
}

/// What is no word of a tiny dataset.
const ODD: [&str; 8] = ["\"", "zzzz", "–", "\"soil", "I+D", "unheard of", "grnat", "program"];

/// Words with phrases, exclusions, beginnings and slips.
pub(crate) fn text(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.weighted(&[1, 40, 30, 20, 9]) {
        text.push_str(rng.pick(&["", "", "", "", "", "-"]));
        let word = rng.pick(&WORDS);
        let letters: Vec<char> = word.chars().collect();
        match rng.weighted(&[60, 15, 8, 8, 4, 5]) {
            0 => text.push_str(word),
            1 => text.push_str(&format!("\"{word} {}\"", rng.pick(&WORDS))),
            2 => text.extend(&letters[..letters.len().div_ceil(2)]),
            3 => text
                .extend(letters.iter().enumerate().filter(|(n, _)| *n != letters.len() / 2).map(|(_, c)| c)),
            4 => text.push_str(rng.pick(&ODD)),
            _ => text.push_str(&format!("\"{word}\"")),
        }
        text.push_str(rng.pick(&[" ", " ", "  ", "/"]));
    }
    text
}

pub(crate) fn query_string(pairs: &[(String, String)]) -> String {
    let mut query = Serializer::new(String::new());
    pairs.iter().for_each(|(name, value)| {
        query.append_pair(name, value);
    });
    query.finish()
}

/// What the engine answers, in the oracle's words.
pub(crate) fn answer(world: &World, query: &str, days: i32) -> Expected {
    let index = &world.site.index;
    let (query, _) = index.parse(query);
    let dated = world.site.dated(Day::new(day_after(days)));
    let answer = index.search(&query, &dated.today);
    let items = |items: &[(FacetValue, u32)]| {
        items.iter().map(|(pick, count)| (index.value_text(pick).to_owned(), *count as usize)).collect()
    };
    Expected {
        total: answer.total,
        slugs: answer.docs.iter().map(|doc| index.slug(*doc).to_owned()).collect(),
        facets: answer
            .facets
            .map(|facets| facets.iter().map(|f| (f.facet.spec().name, items(&f.items))).collect()),
    }
}

#[test]
fn the_engine_answers_as_the_oracle_does() {
    let mut runner =
        TestRunner::new(Config { cases: cases(), failure_persistence: None, ..Config::default() });
    let test = |case: Case| {
        let (world, oracle) = world(case.world);
        let pairs = pairs(oracle, &case.parameters);
        let expected = oracle.answer(&oracle.read(&pairs), day_after(case.days));
        let found = answer(world, &query_string(&pairs), case.days);
        prop_assert_eq!(found, expected, "{:?}", pairs);
        Ok::<(), TestCaseError>(())
    };
    runner.run(&case(), test).unwrap_or_else(|fault| panic!("{fault}"));
}

/// Slugs that a question finds among programs that differ in a few members only.
fn found(tables: &[(&str, Vec<Value>)], query: &str) -> Vec<String> {
    answer(&World::tables(tables), query, 0).slugs
}

#[test]
fn synonyms_are_words_whatever_stands_between_them() {
    // Words that the program's own table has not.
    let names = ["V&W vouchers", "Vexing and wombling", "Wombling", "Vexer"];
    let programs = programs(&names.map(|name| json!({"name": name})));
    let synonyms = json!({"locale": "en", "terms": ["V&W", "vexing and wombling"]});
    let tables = [organization(), programs, ("synonyms", vec![synonyms])];
    assert_eq!(found(&tables, "q=v%26w&sort=name"), ["p1", "p2"]);
    assert_eq!(found(&tables, "q=vexing+and+wombling&sort=name"), ["p1", "p2"]);
}

#[test]
fn the_rest_interface_guesses_nothing() {
    let tables = [organization(), programs(&[json!({"name": "Nursery xylophone"})])];
    assert_eq!(found(&tables, "q=nurserie"), ["p1"], "another form of the word");
    for slip in ["q=nurs", "q=xylophne", "q=nusrery"] {
        assert_eq!(found(&tables, slip), [""; 0], "{slip}");
    }
}

#[test]
fn small_words_need_not_be_there_and_what_marks_join_is_one_word() {
    let names = ["Help for a non-profit", "Nonprofit aid", "Aid for a non profit group", "Profit"];
    let tables = [organization(), programs(&names.map(|name| json!({"name": name})))];
    for text in ["nonprofit", "non-profit", "for+the+non+profit", "the+nonprofits"] {
        assert_eq!(found(&tables, &format!("q={text}&sort=name")), ["p3", "p1", "p2"], "{text}");
    }
    assert_eq!(found(&tables, "q=%22for+the%22"), [""; 0], "in quotes every word counts");
}

#[test]
fn every_word_but_function_words_is_required_and_the_reference_lists_those() {
    let names = ["Hope Fellowship", "Fellowship", "Fellowship of the need"];
    let tables = [organization(), programs(&names.map(|name| json!({"name": name})))];
    for (text, expected) in
        [("hope+fellowship", "p1"), ("need+a+fellowship", "p3"), ("a+fellowship+of+the", "p2")]
    {
        let found = found(&tables, &format!("q={text}&sort=name"));
        assert_eq!(found.first().map(String::as_str), Some(expected), "{text}");
        assert_eq!(found.len(), if expected == "p2" { 3 } else { 1 }, "{text}");
    }
    let contract: Value = serde_json::from_str(include_str!("../../../schemas/openapi.json")).unwrap();
    let reference = contract["components"]["parameters"]["q"]["description"].to_string();
    for language in ["en", "es"] {
        assert!(reference.contains(&function_words(language).join(", ")), "{language}");
    }
}

#[test]
fn a_word_finds_its_text_or_the_value_that_it_names_and_a_place_no_wider_one() {
    let members = [
        json!({"name": "Soil award", "eligibleCountries": ["NG"]}),
        json!({"name": "Soil prize", "eligibleCountries": ["002"]}),
        json!({"name": "Soil grants of Nigeria"}),
        json!({"name": "Soil maps", "careerStages": ["doctoral-candidate"]}),
    ];
    let tables = [organization(), programs(&members)];
    for text in ["soil+nigeria", "soil+nigerian", "suelo+nigeriano"] {
        assert_eq!(found(&tables, &format!("q={text}&sort=name")), ["p1", "p3"], "{text}");
    }
    assert_eq!(found(&tables, "q=soil+africa&sort=name"), ["p1", "p2"], "and every place in it");
    for text in ["soil+phd", "soil+doctorado", "doctoral+candidates"] {
        assert_eq!(found(&tables, &format!("q={text}")), ["p4"], "{text}");
    }
    assert_eq!(found(&tables, "q=soil+peru"), [""; 0]);
}

/// 400 characters of phrases of words that every record has: a query made to take long.
fn hostile() -> Vec<String> {
    let repeated = "\"of the\" ".repeat(44);
    let different: String =
        ["of the", "the of", "and of", "of and", "the and", "and the", "in the", "the in"]
            .iter()
            .cycle()
            .take(40)
            .map(|words| format!("\"{words}\" "))
            .collect();
    let excluded = different.replace(" \"", " -\"");
    let words = |word: &dyn Fn(usize) -> String| (0..32).map(word).collect::<Vec<_>>().join(" ");
    vec![
        repeated,
        different,
        excluded,
        words(&|n| format!("xqzv{n:04}")),
        words(&|n| ["of", "the", "and", "in", "for"][n % 5].to_owned()),
    ]
}

/// Programs that all have the same text of 200 words, the commonest ones.
pub(crate) fn wordy(count: u32) -> World {
    let text = "of the program and of the people in the field for all ".repeat(16);
    let members: Vec<Value> = (0..count).map(|_| json!({"summary": text})).collect();
    World::tables(&[organization(), programs(&members)])
}

#[test]
fn no_question_reads_every_record_or_costs_more_than_was_counted() {
    let world = wordy(300);
    let (index, today) = (&world.site.index, world.site.dated(Day::new(day_after(0))).today);
    for text in hostile() {
        let question = query_string(&[("q".to_owned(), text.clone())]);
        let (query, _) = index.parse(&question);
        let work = index.search(&query, &today).work;
        assert!(work < 5 * index.programs() as u64, "{work} for {text}");
        assert!(work <= index.cost(&query), "{work} > {} for {text}", index.cost(&query));
    }
}

#[test]
fn an_answer_is_written_without_growing() {
    let world = World::synthetic(90, 3);
    let dated = world.site.dated(Day::new(day_after(0)));
    for question in ["", "limit=100&locale=es", "facets=false", "q=research&offset=1", "country=AQ&nothing=x"]
    {
        let index = &world.site.index;
        let (query, invalid) = index.parse(question);
        let bytes = search::search(&world.site, &dated, &query, &invalid).bytes;
        // Growing doubles a buffer.
        assert!(2 * bytes.capacity() < 3 * bytes.len() + 2_000, "{question}");
    }
}
