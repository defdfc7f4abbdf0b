//! Synonyms that come with the project: words of the field in English and Spanish. The table is
//! `data/synonyms.txt`; groups of a dataset come on top of it.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::{FxHashMap as HashMap, FxHashSet};

use crate::search::text::{QueryWord, STEMS, words_of};

/// Words that are found besides a word or a run of words.
#[derive(Debug, Default)]
pub struct Synonyms {
    /// By what is typed: stems joined by spaces.
    others: HashMap<String, Vec<Vec<String>>>,
    /// Words in the longest key that begins with a stem.
    longest_from: HashMap<String, usize>,
    /// Words in the longest key.
    longest: usize,
}

/// The table of the project.
pub static BUILT_IN: LazyLock<Synonyms> = LazyLock::new(|| {
    let mut synonyms = Synonyms::default();
    for line in include_str!("../../data/synonyms.txt").lines().filter(|line| !line.starts_with('#')) {
        let (narrow, wide) = line.split_once('>').unwrap_or((line, ""));
        let terms = |side: &str| -> Vec<Vec<String>> {
            side.split(',').map(words_of).filter(|words| !words.is_empty()).collect()
        };
        synonyms.add(&terms(narrow), &terms(wide));
    }
    synonyms
});

/// How a run of words is looked up: by its stems, in either language.
#[must_use]
pub fn keys<T: AsRef<str>>(words: &[T]) -> [String; 2] {
    let join = |stem: &dyn Fn(&str) -> String| {
        words.iter().map(|word| stem(word.as_ref())).collect::<Vec<_>>().join(" ")
    };
    [join(&|word| STEMS.english(word).into_owned()), join(&|word| STEMS.spanish(word))]
}

/// The same for a run of a question's words.
#[must_use]
pub fn typed_keys(run: &[QueryWord]) -> [Cow<'_, str>; 2] {
    let join = |language: usize| match run {
        [only] => Cow::Borrowed(only.stems[language].as_str()),
        _ => {
            let mut key = String::with_capacity(16 * run.len());
            for word in run {
                key.push_str(if key.is_empty() { "" } else { " " });
                key.push_str(&word.stems[language]);
            }
            Cow::Owned(key)
        }
    };
    [join(0), join(1)]
}

impl Synonyms {
    /// Adds a group: the same terms find each other, and what is wider than they are.
    fn add(&mut self, same: &[Vec<String>], wide: &[Vec<String>]) {
        for term in same {
            let others = same.iter().filter(|_| wide.is_empty()).chain(wide).filter(|other| *other != term);
            let others: Vec<Vec<String>> = others.cloned().collect();
            self.longest = self.longest.max(term.len());
            let keys: FxHashSet<String> = keys(term).into_iter().collect();
            for key in keys {
                let first = key.split(' ').next().unwrap_or_default().to_owned();
                let longest = self.longest_from.entry(first).or_default();
                *longest = term.len().max(*longest);
                let known = self.others.entry(key).or_default();
                others
                    .iter()
                    .filter(|other| !known.contains(other))
                    .cloned()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|other| known.push(other));
            }
        }
    }

    /// What is found besides a run of words.
    #[must_use]
    pub fn of<T: AsRef<str>>(&self, words: &[T]) -> Vec<&Vec<String>> {
        if words.len() > self.longest {
            return Vec::new();
        }
        self.at(&keys(words))
    }

    /// What is found besides a run of a question's words.
    #[must_use]
    pub fn of_typed(&self, run: &[QueryWord]) -> Vec<&Vec<String>> {
        let Some(first) = run.first() else { return Vec::new() };
        let longest = first.stems.iter().filter_map(|stem| self.longest_from.get(stem.as_str())).max();
        match longest {
            Some(longest) if run.len() <= *longest => self.at(&typed_keys(run)),
            _ => Vec::new(),
        }
    }

    fn at<K: AsRef<str>>(&self, [english, spanish]: &[K; 2]) -> Vec<&Vec<String>> {
        let (english, spanish) = (english.as_ref(), spanish.as_ref());
        let mut found: Vec<&Vec<String>> = self.others.get(english).into_iter().flatten().collect();
        if spanish != english {
            found.extend(self.others.get(spanish).into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Words in the longest run that has synonyms.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        BUILT_IN.of(&words_of(text)).iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn either_language_finds_the_other_whatever_the_ending() {
        assert!(of("becas").contains(&"scholarship".to_owned()));
        assert!(of("scholarships").contains(&"beca".to_owned()));
        assert!(of("small businesses").contains(&"pyme".to_owned()));
        assert!(of("cambio climático").contains(&"climate change".to_owned()));
    }

    #[test]
    fn a_narrow_word_finds_the_wide_one_and_not_the_other_way_round() {
        assert!(of("bursary").contains(&"scholarship".to_owned()));
        assert!(!of("scholarship").contains(&"bursary".to_owned()));
        assert!(!of("grant").contains(&"award".to_owned()));
    }

    #[test]
    fn the_table_has_no_empty_group_and_no_group_of_one() {
        for line in include_str!("../../data/synonyms.txt").lines().filter(|line| !line.starts_with('#')) {
            let terms: Vec<&str> = line.split([',', '>']).map(str::trim).collect();
            assert!(terms.len() > 1 && terms.iter().all(|term| !term.is_empty()), "{line}");
        }
    }
}
