//! Built-in synonyms: words of the field in English and Spanish, from `data/synonyms.txt`. Those of a dataset are
//! in [`terms`](super::terms).

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::{FxHashMap as HashMap, FxHashSet};
use smol_str::{SmolStr, SmolStrBuilder};

use crate::distinct::distinct;
use crate::stem::{noun_stems, stems};
use crate::text::{QueryWord, words_of};

/// Synonyms by the keys of the words that they replace.
#[derive(Debug, Default)]
pub struct Synonyms {
    /// By stems joined by spaces, and by keys of labels; some may stand several times.
    others: HashMap<String, Vec<Vec<String>>>,
    /// Terms of several words by their keys of labels.
    terms: HashMap<String, Vec<String>>,
    /// Terms of several words as they are written, by their folded words.
    written: HashMap<String, &'static str>,
    /// Words in the longest key that begins with a stem.
    longest_from: HashMap<String, usize>,
    /// Words in the longest key.
    pub(super) longest: usize,
}

/// The built-in synonyms.
pub static BUILT_IN: LazyLock<Synonyms> = LazyLock::new(|| {
    let mut synonyms = Synonyms::default();
    let lines = include_str!("../../data/synonyms.txt").lines().filter_map(|line| line.split_once(": "));
    let terms = |side: &str| -> Vec<Vec<String>> { side.split(',').map(words_of).collect() };
    let same: Vec<Vec<Vec<String>>> =
        lines.clone().filter(|(kind, _)| *kind == "same").map(|(_, group)| terms(group)).collect();
    let mut groups_of: HashMap<&Vec<String>, Vec<usize>> = HashMap::default();
    for (position, group) in same.iter().enumerate() {
        group.iter().for_each(|term| groups_of.entry(term).or_default().push(position));
    }
    for (kind, groups) in lines.filter(|(kind, _)| matches!(*kind, "same" | "narrower" | "only" | "label")) {
        for term in groups.split([',', '>']).map(str::trim).filter(|term| term.contains(' ')) {
            synonyms.written.insert(words_of(term).join(" "), term);
        }
        match groups.split_once('>') {
            Some((narrow, wide)) => {
                // What a wider term means the same as is wider, too: a Spanish word finds texts in both languages.
                let mut wide = terms(wide);
                let groups =
                    wide.iter().filter(|_| kind == "narrower").filter_map(|term| groups_of.get(term));
                let others = groups.flatten().flat_map(|position| same[*position].iter().cloned());
                wide.extend(others.collect::<Vec<_>>());
                synonyms.add(&terms(narrow), &wide, "narrower");
            }
            None => synonyms.add(&terms(groups), &[], kind),
        }
    }
    synonyms
});

/// Keys of a run of words in English and Spanish: their stems.
fn keys<T: AsRef<str>>(words: &[T]) -> [SmolStr; 2] {
    joined(words, ["", ""], stems)
}

/// Keys of labels, in English and Spanish; no stem looks like them.
pub(super) fn label_keys<T: AsRef<str>>(words: &[T]) -> [SmolStr; 2] {
    joined(words, ["=", "~"], noun_stems)
}

fn joined<T: AsRef<str>>(words: &[T], marks: [&str; 2], stems: fn(&str) -> [SmolStr; 2]) -> [SmolStr; 2] {
    let mut keys = [SmolStrBuilder::new(), SmolStrBuilder::new()];
    for (at, word) in words.iter().enumerate() {
        for ((key, stem), mark) in keys.iter_mut().zip(stems(word.as_ref())).zip(marks) {
            key.push_str(if at > 0 { " " } else { "" });
            key.push_str(mark);
            key.push_str(&stem);
        }
    }
    keys.map(SmolStr::from)
}

/// Keys of a run of query words.
fn keys_of_query_words(run: &[QueryWord]) -> [Cow<'_, str>; 2] {
    [0, 1].map(|language| match run {
        [only] => Cow::Borrowed(only.stems[language].as_str()),
        _ => run.iter().map(|word| word.stems[language].as_str()).collect::<Vec<_>>().join(" ").into(),
    })
}

impl Synonyms {
    /// Adds terms that replace each other, or if there are wider terms, are replaced by those.
    fn add(&mut self, same: &[Vec<String>], wide: &[Vec<String>], kind: &str) {
        for term in same {
            let others = same.iter().filter(|_| wide.is_empty()).chain(wide).filter(|other| *other != term);
            let others: Vec<Vec<String>> = others.cloned().collect();
            self.longest = self.longest.max(term.len());
            for key in label_keys(term).into_iter().filter(|_| kind != "label" && term.len() > 1) {
                self.terms.entry(key.into()).or_insert_with(|| term.clone());
            }
            let of_text = keys(term).into_iter().filter(|_| kind != "label").map(String::from);
            let of_label = label_keys(term).into_iter().filter(|_| kind != "narrower").map(String::from);
            let keys: FxHashSet<String> = of_text.chain(of_label).collect();
            for key in keys {
                let first = key.split(' ').next().unwrap_or_default().to_owned();
                let longest = self.longest_from.entry(first).or_default();
                *longest = term.len().max(*longest);
                self.others.entry(key).or_default().extend(others.iter().cloned());
            }
        }
    }

    /// Synonyms of a run of words, sorted.
    pub fn of<T: AsRef<str>>(&self, words: &[T]) -> Vec<&Vec<String>> {
        if words.len() > self.longest {
            return Vec::new();
        }
        self.find(&keys(words))
    }

    /// What means the same as a label or words of it, sorted.
    pub(super) fn of_label<T: AsRef<str>>(&self, words: &[T]) -> Vec<&Vec<String>> {
        self.find(&label_keys(words))
    }

    /// Synonyms of a run of query words, sorted.
    pub(super) fn of_query_words(&self, run: &[QueryWord]) -> Vec<&Vec<String>> {
        let first = run.iter().take(1).flat_map(|first| &first.stems);
        let longest = first.filter_map(|stem| self.longest_from.get(stem.as_str())).max();
        match longest {
            Some(longest) if run.len() <= *longest => self.find(&keys_of_query_words(run)),
            _ => Vec::new(),
        }
    }

    /// The term of several words that a run is, in the singular or plural.
    pub(crate) fn term<T: AsRef<str>>(&self, words: &[T]) -> Option<&[String]> {
        label_keys(words).iter().find_map(|key| self.terms.get(key.as_str())).map(Vec::as_slice)
    }

    /// A term of several words as it is written, with its accents.
    pub(super) fn written(&self, words: &[String]) -> String {
        let folded = words.join(" ");
        self.written.get(&folded).map_or(folded, |written| (*written).to_owned())
    }

    fn find<K: AsRef<str>>(&self, keys: &[K; 2]) -> Vec<&Vec<String>> {
        distinct(keys.iter().filter_map(|key| self.others.get(key.as_ref())).flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        BUILT_IN.of(&words_of(text)).iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn synonyms_are_found_in_both_languages_with_any_ending_and_wider_ones_from_narrower() {
        for (text, other, is_found) in [
            ("becas", "scholarship", true),
            ("scholarships", "beca", true),
            ("small businesses", "pyme", true),
            ("cambio climático", "climate change", true),
            // A narrower word finds the wider one and what means the same, but for some.
            ("bursary", "scholarship", true),
            ("bursary", "beca", true),
            ("award", "prize", false),
            ("scholarship", "bursary", false),
            ("grant", "award", false),
            // A prize in Spanish is no award, but an award may be one.
            ("award", "premio", true),
            ("premio", "prize", true),
            ("premio", "award", false),
            ("galardón", "prize", true),
            ("galardón", "award", false),
        ] {
            assert_eq!(of(text).contains(&other.to_owned()), is_found, "{text} {other}");
        }
    }

    #[test]
    fn an_ending_is_cut_where_a_word_is_left_and_irregular_plurals_are_known() {
        for (one, other, is_same) in [
            ("msca", "msc", false),
            ("phds", "phd", true),
            ("estudiantas", "estudiante", false),
            ("investigadora", "investigador", true),
            ("training", "train", false),
            ("women", "woman", true),
            ("children", "child", true),
            ("criteria", "criterion", true),
            ("menu", "man", false),
        ] {
            let (one, other) = (label_keys(&[one]), label_keys(&[other]));
            assert_eq!(one.iter().any(|key| other.contains(key)), is_same, "{one:?} {other:?}");
        }
    }

    #[test]
    fn the_forms_of_the_name_of_a_programme_are_one() {
        for name in ["MSCA", "Marie Curie", "Marie Skłodowska Curie", "Marie Sklodowska Curie"] {
            let others = of(name);
            let is_known =
                |other: &str| words_of(name).join(" ") == other || others.iter().any(|it| it == other);
            assert!(is_known("msca") && is_known("marie sklodowska curie actions"), "{name}: {others:?}");
        }
    }

    #[test]
    fn every_line_is_a_group_of_two_or_more() {
        for line in include_str!("../../data/synonyms.txt").lines().filter(|line| !line.starts_with('#')) {
            let Some((kind, groups)) = line.split_once(": ") else {
                assert!(line.is_empty(), "{line}");
                continue;
            };
            let kinds: &[&str] =
                if groups.contains('>') { &["narrower", "only"] } else { &["same", "label"] };
            assert!(kinds.contains(&kind), "{line}");
            let terms: Vec<Vec<String>> = groups.split([',', '>']).map(words_of).collect();
            assert!(terms.len() > 1 && terms.iter().all(|term| !term.is_empty()), "{line}");
        }
    }
}
