//! Any text as a question of words: however it is read, what it was taken for can be taken back, no row is
//! a match that the total does not count, and a way out of a dead end leads where it says.

use std::sync::Arc;

use edge::Server;
use snapshot::query::{Query, parse_search};
use snapshot::search::{RankOptions, RankedPage};
use url::form_urlencoded::Serializer;

/// Most words of a question that are guessed.
const GUESSED_MAX: usize = 2;

/// Asks a text as people and language models do.
pub fn holds(live: &Arc<Server>, text: &str) {
    let state = live.state();
    let (index, today) = (&state.site().index, &state.dated.today);
    let asked = Serializer::new(String::new()).append_pair("q", text).finish();
    let (query, _) = parse_search(&asked, |facet, value| index.values.find(facet, value));
    let query = Query { facets: false, ..query };
    let ask = |query: &Query, plain: &[String]| {
        index.ranked(
            query,
            today,
            RankOptions { literal: plain, complete_last_word: true, ..RankOptions::BY_RELEVANCE },
        )
    };
    let found = ask(&query, &[]);
    check(&found, text);
    let has_roles = found.interpretations.iter().any(|place| place.role.is_some());
    let is_whole = found.unapplied.is_empty();
    if found.filter_phrases.is_empty() && is_whole && !has_roles {
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
        for way in index.relaxations(&query, today, &[], None) {
            assert_eq!(ask(&way.query, &[]).total, way.total, "{text} without {:?}", way.removed);
        }
    }
}

fn check(found: &RankedPage, text: &str) {
    assert!(found.guesses.len() <= GUESSED_MAX, "{text}");
    let full = found.rows.iter().filter(|row| row.tier.is_full()).count();
    assert!(full <= found.total, "{text}");
    assert!(found.rows.iter().all(|row| row.tier.is_full() == row.missing.is_empty()), "{text}");
}
