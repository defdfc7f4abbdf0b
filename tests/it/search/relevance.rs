//! How well judged questions are answered may only rise: floors for every face.
//!
//! A floor is what `judge -- [--data DIR]` printed for all questions,
//! less two hundredths. When an answer gets better, run it and write the new numbers here; a floor is
//! lowered only together with the grade that was wrong.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use edge::Server;
use serde_json::{Value, json};
use snapshot::query::{Page, Query};
use snapshot::search::{BUILT_IN, RankOptions, RankedRow, stop_words};
use snapshot::text::{query_words, words_of};
use snapshot::time::Day;
use tests::judge::judged::{PUBLISHED, SAMPLE, SEEKERS};
use tests::judge::{Desk, FACES, Judged, Run};
use tests::snapshots::sample;
use tests::world::{World, day_after};

use crate::contract::consistency::{REAL, REAL_OPEN};
use crate::records::{organization, programs};
use crate::search::oracle::Oracle;
use crate::search::oracle_text::{Positions, has_any};

/// What the answers of a face are worth at least.
struct Floor {
    face: &'static str,
    recall: f64,
    reciprocal: f64,
    gain: f64,
    /// Questions that something answers and that find nothing, at most.
    empty: usize,
    /// Questions that nothing answers and that are said to have matches, at most.
    false_match: usize,
}

const OVER_THE_SAMPLE: [Floor; 3] = [
    Floor { face: "mcp", recall: 0.958, reciprocal: 0.917, gain: 0.907, empty: 0, false_match: 0 },
    Floor { face: "page", recall: 0.958, reciprocal: 0.917, gain: 0.909, empty: 0, false_match: 0 },
    Floor { face: "rest", recall: 0.626, reciprocal: 0.621, gain: 0.601, empty: 15, false_match: 0 },
];

const OVER_THE_PUBLISHED: [Floor; 3] = [
    Floor { face: "mcp", recall: 0.76, reciprocal: 0.80, gain: 0.70, empty: 0, false_match: 0 },
    Floor { face: "page", recall: 0.778, reciprocal: 0.80, gain: 0.716, empty: 0, false_match: 0 },
    Floor { face: "rest", recall: 0.383, reciprocal: 0.338, gain: 0.326, empty: 106, false_match: 0 },
];

fn hold(desk: &Desk<'_>, questions: &[Judged], floors: &[Floor]) {
    for floor in floors {
        let variant = FACES.iter().find(|variant| variant.name == floor.face).unwrap();
        let means = Run::of(variant, desk, questions).means(desk, questions);
        assert!(means.recall >= floor.recall, "{}: {means:?}", floor.face);
        assert!(means.reciprocal >= floor.reciprocal, "{}: {means:?}", floor.face);
        assert!(means.gain >= floor.gain, "{}: {means:?}", floor.face);
        assert!(means.empty.count <= floor.empty, "{}: {means:?}", floor.face);
        assert!(means.false_match.count <= floor.false_match, "{}: {means:?}", floor.face);
    }
}

#[test]
fn questions_over_the_sample_are_answered_as_well_as_they_have_been() {
    hold(&Desk::new(sample()), &Judged::read(SAMPLE), &OVER_THE_SAMPLE);
}

#[test]
fn questions_over_the_published_dataset_are_answered_as_well_as_they_have_been() {
    let Some(live) = REAL_OPEN.as_ref() else {
        return eprintln!("left out: OPDIR_TEST_DATA names no dataset");
    };
    hold(&Desk::new(live), &Judged::read(PUBLISHED), &OVER_THE_PUBLISHED);
}

/// The plain search over the given dataset.
static ORACLE: LazyLock<Option<Oracle<'static>>> =
    LazyLock::new(|| REAL.as_ref().map(|real| Oracle::new(&real.directory)));

/// Tasks of [`SEEKERS`] that are solved at least.
const SOLVED: usize = 22;

#[test]
fn seekers_find_a_record_that_answers_or_that_there_is_none() {
    let Some(live) = REAL_OPEN.as_ref() else {
        return eprintln!("left out: OPDIR_TEST_DATA names no dataset");
    };
    let desk = Desk::new(live);
    let tasks = Judged::read(SEEKERS);
    let is_solved = |task: &&Judged| {
        let answer = desk.page(task);
        let finds = task.wanted().any(|slug| answer.found.iter().take(10).any(|found| found == slug));
        if task.is_matchless() { answer.matches == 0 } else { finds }
    };
    let solved = tasks.iter().filter(is_solved).count();
    assert!(solved >= SOLVED, "{solved} of {}", tasks.len());
}

/// Share of the first fifty records of a one-way synonym of several words that hold it or what it finds in a row: of
/// each entry that a record has in a row (the words of others are searched for one by one), and of all together.
const HELD: (f64, f64) = (0.1, 0.88);

/// Whether tokens stand in a row: one of each set.
fn stand_in_a_row(text: &Positions, row: &[BTreeSet<String>]) -> bool {
    let is_one =
        |(at, tokens): (&Vec<String>, &BTreeSet<String>)| at.iter().any(|token| tokens.contains(token));
    text.windows(row.len()).any(|window| window.iter().zip(row).all(is_one))
}

#[test]
fn one_way_synonyms_of_several_words_find_records_that_hold_one_of_them() {
    let (Some(live), Some(oracle)) = (REAL_OPEN.as_ref(), ORACLE.as_ref()) else {
        return eprintln!("left out: OPDIR_TEST_DATA names no dataset");
    };
    let state = live.state();
    let texts: HashMap<&str, _> =
        oracle.records.iter().map(|record| (record.program.slug.as_str(), &record.texts)).collect();
    let lines = include_str!("../../../snapshot/data/synonyms.txt").lines();
    let groups = lines.filter_map(|line| line.strip_prefix("narrower: ")?.split_once('>'));
    let (mut held, mut all, mut below) = (0, 0, Vec::new());
    for term in groups.flat_map(|(narrow, _)| narrow.split(',').map(str::trim)) {
        let words = words_of(term);
        let others: Vec<Vec<String>> = BUILT_IN.of(&words).into_iter().cloned().collect();
        if words.len() == 1 && others.iter().all(|other| other.len() == 1) {
            continue;
        }
        let page = Page { offset: 0, limit: 50 };
        let query = Query { text: Some(term.to_owned()), page, no_facets: true, ..Query::default() };
        let literal = [words.join(" ")];
        let options = RankOptions { literal: &literal, ..RankOptions::by_relevance() };
        let found = state.site().index.ranked(&query, &state.dated.today, options);
        let forms = |words: &Vec<String>| words.iter().map(|word| oracle.reader.related(word)).collect();
        let rows: Vec<Vec<_>> = others.iter().chain([&words]).map(forms).collect();
        let holds = |doc: u32| {
            let slug = state.site().index.slug(doc);
            rows.iter().any(|row| texts[slug].iter().any(|text| stand_in_a_row(text, row)))
        };
        let full: Vec<u32> = found.rows.iter().filter(|row| row.tier.is_full()).map(|row| row.doc).collect();
        let good = full.iter().filter(|doc| holds(**doc)).count();
        (held, all) = (held + good, all + full.len());
        let is_anywhere = || (0..state.site().index.programs() as u32).any(holds);
        if (good as f64) < HELD.0 * full.len() as f64 && is_anywhere() {
            below.push(format!("{term}: {good} of {}", full.len()));
        }
    }
    assert!(below.is_empty(), "{below:?}");
    assert!(held as f64 >= HELD.1 * f64::from(all as u32), "{held} of {all}");
}

/// What a word of a question may stand for in a text: forms of it, of it and its neighbour in one word, or of each word
/// of a synonym of some words that it is among.
fn alternatives(oracle: &Oracle<'_>, words: &[String], at: usize) -> Vec<Vec<BTreeSet<String>>> {
    let forms = |words: &[String]| words.iter().map(|word| oracle.reader.related(word)).collect();
    let mut all = vec![forms(&words[at..=at])];
    for length in 1..=4 {
        for (_, run) in
            words.windows(length).enumerate().filter(|(start, _)| (*start..start + length).contains(&at))
        {
            all.push(forms(&[run.concat()]));
            all.extend(BUILT_IN.of(run).into_iter().map(|other| forms(other)));
        }
    }
    all
}

#[test]
fn a_full_match_of_words_that_name_nothing_has_each_or_a_synonym() {
    let (Some(live), Some(oracle)) = (REAL_OPEN.as_ref(), ORACLE.as_ref()) else {
        return eprintln!("left out: OPDIR_TEST_DATA names no dataset");
    };
    let state = live.state();
    let records: HashMap<&str, _> =
        oracle.records.iter().map(|record| (record.program.slug.as_str(), &record.texts)).collect();
    let judged = [PUBLISHED, SEEKERS, SAMPLE].into_iter().flat_map(Judged::read).map(|judged| judged.text);
    let words = include_str!("../../relevance/pairs.csv").lines().skip(1).flat_map(|line| line.split(','));
    let questions: HashSet<String> = judged.chain(words.map(str::to_owned)).collect();
    let (mut checked, mut without) = (0, Vec::new());
    for text in questions.into_iter().filter(|text| !text.contains(['"', '-'])) {
        let page = Page { offset: 0, limit: 40 };
        let query = Query { text: Some(text.clone()), page, no_facets: true, ..Query::default() };
        let found = state.site().index.ranked(&query, &state.dated.today, RankOptions::by_relevance());
        if !found.interpretations.is_empty() || !found.filter_phrases.is_empty() {
            continue;
        }
        checked += 1;
        let typed = query_words(&text);
        let words: Vec<String> = typed.iter().map(|word| word.text.to_string()).collect();
        let small = stop_words(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let wanted = (0..words.len()).filter(|at| !small[*at]);
        let wanted: Vec<_> = wanted.map(|at| (at, alternatives(oracle, &words, at))).collect();
        for row in found.rows.iter().filter(|row| row.tier.is_full()) {
            let slug = state.site().index.slug(row.doc);
            let stands = |row: &Vec<BTreeSet<String>>| row.iter().all(|forms| has_any(records[slug], forms));
            let lacking = wanted.iter().find(|(_, of_word)| !of_word.iter().any(stands));
            without.extend(lacking.map(|(at, _)| format!("{text}: {slug} without {}", words[*at])));
        }
    }
    assert!(checked > 100, "{checked}");
    assert!(without.is_empty(), "{}: {:?}", without.len(), &without[..without.len().min(20)]);
}

#[test]
fn the_best_of_very_many_matches_come_first_wherever_they_are_in_the_default_order() {
    let filler = "It pays for work on water and many other matters of the land, as solar heat does.";
    let member = |number: usize| match number % 60 {
        7 => json!({"name": format!("Solar prize {number}")}),
        _ => json!({"name": format!("Award {number}"), "summary": filler}),
    };
    let members: Vec<Value> = (0..3_000).map(member).collect();
    let world = World::tables(&[organization(), programs(&members)]);
    let (index, today) = (&world.site.index, world.site.dated(Day::new(day_after(0))).today);
    for text in ["solar", "solars", "solar -nothing"] {
        let query = Query { text: Some(text.to_owned()), ..Query::default() };
        let ranked = index.ranked(&query, &today, RankOptions::by_relevance());
        assert_eq!(ranked.total, 3_000, "{text}");
        let is_best = |row: &RankedRow| {
            // The slug of the first program is `p1`.
            index.slug(row.doc)[1..].parse::<usize>().is_ok_and(|number| number % 60 == 8)
        };
        assert!(ranked.rows.len() == 20 && ranked.rows.iter().all(is_best), "{text}");
    }
}

#[test]
fn every_judged_record_exists() {
    let exist = |live: &Arc<Server>, questions: &str| {
        let state = live.state();
        let index = &state.site().index;
        let published: HashSet<&str> = (0..index.programs() as u32).map(|doc| index.slug(doc)).collect();
        for judged in Judged::read(questions) {
            let unknown = judged.grades.keys().find(|slug| !published.contains(slug.as_str()));
            assert!(unknown.is_none(), "{}: {unknown:?}", judged.text);
        }
    };
    exist(sample(), SAMPLE);
    REAL_OPEN.iter().for_each(|live| [PUBLISHED, SEEKERS].iter().for_each(|file| exist(live, file)));
}
