//! Other senses of words that name places: `Mexico` within `New Mexico`, and `Indian` in a text about an Indian tribe.
//! Only ranked searches leave them out.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::place::{self, NameKind};
use crate::search::lexicon;
use crate::search::set::{DocSet, union};
use crate::search::terms::{FIRST_CODE, Terms};
use crate::text::words_of;

/// Names of several words by each of their words: the name, and the code of its place.
type NamesByWord = FxHashMap<String, Vec<(Vec<String>, &'static str)>>;

static LONGER_NAMES: LazyLock<NamesByWord> = LazyLock::new(|| {
    let kinds = [NameKind::Name, NameKind::Subdivision, NameKind::Demonym];
    let names = place::names().iter().filter(|name| kinds.contains(&name.kind) && name.codes.len() == 1);
    let mut by_word = NamesByWord::default();
    for name in names {
        let words = words_of(name.text);
        for word in words.iter().filter(|_| words.len() > 1) {
            by_word.entry(word.clone()).or_default().push((words.clone(), name.codes[0]));
        }
    }
    by_word
});

/// Documents by term and place, each looked up the first time only.
#[derive(Default)]
pub(super) struct OtherSenses(Mutex<HashMap<(u32, String), DocSet<'static>>>);

impl OtherSenses {
    /// Documents in which a term that names a place means something else: those that have a phrase
    /// of another sense, as a text uses a word in one sense, and those that have it only within names of other places.
    pub(super) fn docs(&self, term: u32, place: &str, terms: &Terms) -> DocSet<'static> {
        let key = (term, place.to_owned());
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(docs) = known().get(&key) {
            return docs.clone();
        }
        let list = format!("other-sense-{place}");
        let owned = |phrase: &Vec<&str>| phrase.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let used = lexicon::phrases(&list).map(|phrase| terms.together(&owned(phrase), false));
        let docs = union(used.chain([within_longer_names(term, place, terms)]).collect(), terms.count);
        let docs = docs.into_owned();
        known().insert(key, docs.clone());
        docs
    }
}

/// Documents that have a term only within names of other places than one and those in it.
fn within_longer_names(term: u32, place: &str, terms: &Terms) -> DocSet<'static> {
    let names = LONGER_NAMES.get(terms.text(term)).into_iter().flatten();
    let others = names.filter(|(_, code)| place::with_ancestors(code).all(|around| around != place));
    let look_up =
        |words: &Vec<String>| words.iter().map(|word| terms.exact(word)).collect::<Option<Vec<_>>>();
    let names: Vec<Vec<u32>> = others.filter_map(|(words, _)| look_up(words)).collect();
    let rows = names.iter().map(|name| terms.row(name).docs).collect();
    let mut docs = union(rows, terms.count).into_owned();
    let name_codes: Vec<Vec<u32>> =
        names.iter().map(|name| name.iter().map(|term| terms.code(*term)).collect()).collect();
    let code = terms.code(term);
    docs.retain(|doc| {
        let tokens: Vec<u32> = terms.stream(doc).collect();
        let mut places = (0..tokens.len()).filter(|at| tokens[*at] == code);
        places.all(|at| is_within(&tokens, at, &name_codes))
    });
    docs
}

/// Whether the token at a position is part of one of some names.
fn is_within(tokens: &[u32], at: usize, names: &[Vec<u32>]) -> bool {
    debug_assert!(tokens[at] >= FIRST_CODE, "a token and no mark");
    names.iter().any(|name| {
        let starts = (0..name.len()).filter(|place| name[*place] == tokens[at]);
        starts.filter_map(|place| at.checked_sub(place)).any(|start| tokens[start..].starts_with(name))
    })
}
