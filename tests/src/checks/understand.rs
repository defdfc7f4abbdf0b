//! Any text as a question of words: however it is read, what it was taken for can be taken back, no row is
//! a match that the total does not count, and a way out of a dead end leads where it says.

use std::sync::Arc;

use edge::Server;
use snapshot::query::Query;
use snapshot::search::{RankOptions, RankedPage, stop_words};
use snapshot::text::words_of;
use url::form_urlencoded::Serializer;

/// Most words of a question that are guessed.
const GUESSED_MAX: usize = 2;

/// The function words of a language, as the lexicon lists them.
pub fn function_words(language: &str) -> Vec<&'static str> {
    let lines = include_str!("../../../snapshot/data/words.txt").lines();
    let of = |line: &'static str| line.strip_prefix("function ")?.strip_prefix(language)?.strip_prefix(": ");
    lines.filter_map(of).flat_map(|words| words.split(", ")).collect()
}

/// Whether a text has words of a request, which only ranked searches leave out.
pub fn has_carrier_words(text: &str) -> bool {
    let words = words_of(text);
    let small = stop_words(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let function: Vec<&str> = ["en", "es"].into_iter().flat_map(function_words).collect();
    words.iter().zip(small).any(|(word, is_small)| is_small && !function.contains(&word.as_str()))
}

/// Asks a text as people and language models do.
pub fn holds(live: &Arc<Server>, text: &str) {
    let state = live.state();
    let (index, today) = (&state.site().index, &state.dated.today);
    let encoded = Serializer::new(String::new()).append_pair("q", text).finish();
    let (query, _) = index.parse(&encoded);
    let query = Query { no_facets: true, ..query };
    let ask = |query: &Query, plain: &[String]| {
        index.ranked(query, today, RankOptions { literal: plain, ..RankOptions::by_relevance() })
    };
    let found = ask(&query, &[]);
    check(&found, text);
    let is_whole = found.unapplied.is_empty();
    let is_plain = found.interpretations.iter().all(|it| !it.is_alternative && it.left_out.is_none());
    if found.filter_phrases.is_empty() && is_plain && is_whole && !has_carrier_words(text) {
        assert_eq!(found.total, index.search(&query, today).total, "{text}");
    }
    let taken = found.interpretations.iter().map(|chip| chip.words.clone());
    let plain: Vec<String> =
        taken.chain(found.filter_phrases.iter().map(|said| said.words.clone())).collect();
    let plainly = ask(&query, &plain);
    check(&plainly, text);
    assert!(plainly.interpretations.iter().all(|chip| !plain.contains(&chip.words)), "{text}");
    assert!(plainly.filter_phrases.iter().all(|said| !plain.contains(&said.words)), "{text}");
    if found.total == 0 {
        for way in index.relaxations(&query, today, &[]) {
            assert_eq!(ask(&way.query, &[]).total, way.total, "{text} without {:?}", way.removed);
        }
        for (way, best) in index.parts_found(&query, today, &[]) {
            let found = ask(&way.query, &[]);
            assert_eq!(found.total, way.total, "{text} only {:?}", way.removed);
            assert!(best.is_none_or(|best| found.rows[0].doc == best), "{text} only {:?}", way.removed);
        }
    }
}

fn check(found: &RankedPage, text: &str) {
    assert!(found.guesses.len() <= GUESSED_MAX, "{text}");
    let full = found.rows.iter().filter(|row| row.tier.is_full()).count();
    assert!(full <= found.total, "{text}");
    assert!(found.rows.iter().all(|row| row.tier.is_full() == row.missing.is_empty()), "{text}");
}
