//! Suggestions while text is typed: records and filters with a name of which a word begins with it, and filters with
//! another name that it is.
//!
//! ```text
//! hint.name.at .name    names of the entries in their order: folded words joined by spaces; other names after `=`
//! hint.of               entry of each name
//! hint.last             number of the first entry that comes after all others
//! hint.key              u32 pairs, sorted by what they point to: a name, and where one of its words begins
//! hint.en.at .en  .es   JSON object of each entry, those that give most first
//! ```

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use snapshot::record::Locale;
use snapshot::search::{Strings, column};
use snapshot::text::words_of;
use store::sections::{Section, SectionError, SectionWriter, Sections, ensure};

const NAMES: (&str, &str) = ("hint.name.at", "hint.name");
const OF: &str = "hint.of";
const LAST: &str = "hint.last";
const KEYS: &str = "hint.key";
const OBJECTS: [(&str, &str); 2] = [("hint.en.at", "hint.en"), ("hint.es.at", "hint.es")];

/// Maximum number of suggestions.
const HINTS_MAX: usize = 8;
/// Number of words of a name that it is found by.
const WORDS_MAX: usize = 8;

/// Begins another name; no folded word has it.
const OTHER: char = '=';

/// A suggestion, as the generator prepares it.
#[derive(Clone, Debug)]
pub struct HintEntry {
    /// Folded names that it is found by, and others that it is found by only as a whole.
    names: [BTreeSet<String>; 2],
    count: usize,
    objects: [String; 2],
}

impl HintEntry {
    /// `names`: those that it is found by, and those that it is found by only as a whole; `count`: how much it gives, or 0
    /// to come after all others; `objects`: its JSON object in each language, empty in one that the site does not have.
    pub fn new(names: [Vec<String>; 2], count: usize, objects: [String; 2]) -> Self {
        let [own, mut others] = names
            .map(|names| names.iter().map(|name| words_of(name).join(" ")).collect::<BTreeSet<String>>());
        others.retain(|name| !own.contains(name));
        Self { names: [own, others], count, objects }
    }
}

/// Writes the sections. Of entries that give the same, the first comes first.
pub(super) fn write(entries: &[HintEntry], writer: &mut SectionWriter) {
    let mut order: Vec<&HintEntry> = entries.iter().collect();
    order.sort_by_key(|entry| Reverse(entry.count));
    let (mut names, mut of, mut keys) = (Vec::new(), Vec::<u32>::new(), Vec::new());
    for (number, entry) in (0..).zip(&order) {
        let [own, others] = &entry.names;
        for name in others {
            keys.push([names.len() as u32, 0]);
            of.push(number);
            names.push(format!("{OTHER}{name}"));
        }
        for name in own {
            let later = name.match_indices(' ').map(|(at, _)| at + 1);
            let begins = [0].into_iter().chain(later).take(WORDS_MAX);
            keys.extend(begins.map(|at| [names.len() as u32, at as u32]));
            of.push(number);
            names.push(name.clone());
        }
    }
    keys.sort_unstable_by_key(|key| (&names[key[0] as usize][key[1] as usize..], *key));
    Strings::write(writer, NAMES, names.iter().map(String::as_bytes));
    writer.put(OF, of);
    writer.put(LAST, [order.partition_point(|entry| entry.count > 0) as u32]);
    writer.put(KEYS, keys);
    for (language, names) in OBJECTS.into_iter().enumerate() {
        Strings::write(writer, names, order.iter().map(|entry| entry.objects[language].as_bytes()));
    }
}

/// The suggestions of a snapshot.
pub(crate) struct Hints {
    names: Strings,
    of: Section<u32>,
    last: Section<u32>,
    keys: Section<[u32; 2]>,
    objects: [Strings; 2],
}

impl Hints {
    pub(super) fn open(sections: &Sections) -> Result<Self, SectionError> {
        let (names, english) = (Strings::open(sections, NAMES)?, Strings::open(sections, OBJECTS[0])?);
        let count = english.count();
        let it = Self {
            of: column(sections, OF, names.count())?,
            names,
            last: column(sections, LAST, 1)?,
            keys: sections.get(KEYS)?,
            objects: [english, Strings::open_len(sections, OBJECTS[1], count)?],
        };
        ensure(it.of.iter().all(|entry| (*entry as usize) < count), OF, "does not fit the entries")?;
        let is_inside = |[name, at]: &[u32; 2]| {
            (*name as usize) < it.names.count() && *at as usize <= it.names.get(*name as usize).len()
        };
        ensure(it.keys.iter().all(is_inside), KEYS, "does not fit the names")?;
        Ok(it)
    }

    /// The entries with a name of which a word, and what follows it, begins with these words: first names that are these
    /// words, then names that begin with them; of each kind those that give most first, and the last entries behind all.
    fn find(&self, words: &str) -> impl Iterator<Item = u32> {
        let (keys, of) = (&*self.keys, &*self.of);
        let others = self.begin_with(&format!("{OTHER}{words}"));
        let (begin, whole) = self.begin_with(words);
        let as_whole = keys[others.0].iter().take(others.1).map(|key| (0, key));
        let kind = |position: usize, at: u32| if at > 0 { 2 } else { u8::from(position >= whole) };
        let as_words = keys[begin].iter().enumerate().map(|(position, key)| (kind(position, key[1]), key));
        // The kind of match and the name of each entry that was found.
        let mut best: Vec<(u8, u32)> = Vec::with_capacity(HINTS_MAX + 1);
        for (kind, [name, _]) in as_whole.chain(as_words).filter(|_| !words.is_empty()) {
            let found = (kind + 3 * u8::from(of[*name as usize] >= self.last[0]), *name);
            if best.len() == HINTS_MAX && found >= best[HINTS_MAX - 1] {
                continue;
            }
            let entry = of[*name as usize];
            match best.iter().position(|(_, name)| of[*name as usize] == entry) {
                Some(known) if best[known] <= found => continue,
                Some(known) => _ = best.remove(known),
                None => {}
            }
            best.insert(best.partition_point(|other| *other < found), found);
            best.truncate(HINTS_MAX);
        }
        best.into_iter().map(|(_, name)| of[name as usize])
    }

    /// The keys whose text begins with these words, and how many of them, the first, are these words.
    fn begin_with(&self, words: &str) -> (Range<usize>, usize) {
        let (keys, words) = (&*self.keys, words.as_bytes());
        let text = |[name, at]: [u32; 2]| &self.names.get(name as usize)[at as usize..];
        let start = keys.partition_point(|key| text(*key) < words);
        let keys = &keys[start..];
        let whole = keys.partition_point(|key| text(*key) == words);
        let count = keys.partition_point(|key| text(*key).starts_with(words));
        (start..start + count, whole)
    }

    /// `{"data":[…],"meta":{"q":…}}` for folded words.
    pub(crate) fn answer(&self, words: &str, locale: Locale) -> Vec<u8> {
        let mut out = b"{\"data\":[".to_vec();
        for (position, entry) in self.find(words).enumerate() {
            out.extend_from_slice(if position > 0 { b"," } else { b"" });
            out.extend_from_slice(self.objects[locale as usize].get(entry as usize));
        }
        // Folded words are letters, digits and spaces.
        out.extend_from_slice(format!("],\"meta\":{{\"q\":\"{words}\"}}}}").as_bytes());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 9] = ["a", "ab", "abc", "b", "Ba", "á", "b-a", "a.b.", "c"];

    fn entry(number: usize, names: [Vec<String>; 2], count: usize) -> HintEntry {
        HintEntry::new(names, count, [format!("\"{number}\""), format!("\"es {number}\"")])
    }

    fn open(entries: &[HintEntry]) -> Hints {
        let mut writer = SectionWriter::default();
        write(entries, &mut writer);
        Hints::open(&writer.finish()).unwrap()
    }

    fn found(hints: &Hints, typed: &str) -> String {
        String::from_utf8(hints.answer(&words_of(typed).join(" "), Locale::En)).unwrap()
    }

    /// Looks at every name of every entry.
    fn model(entries: &[HintEntry], typed: &str) -> String {
        let words = words_of(typed).join(" ");
        let kind = |name: &String| {
            let name = words_of(name);
            let kinds = (0..name.len()).filter(|at| name[*at..].join(" ").starts_with(&words));
            kinds.map(|at| if at > 0 { 2 } else { u8::from(name.join(" ") != words) }).min()
        };
        let is_whole = |name: &String| (words_of(name).join(" ") == words).then_some(0);
        let kinds = entries.iter().map(|entry| {
            entry.names[0].iter().filter_map(kind).chain(entry.names[1].iter().filter_map(is_whole)).min()
        });
        let mut all: Vec<_> =
            kinds.zip(entries).filter(|(kind, _)| !words.is_empty() && kind.is_some()).collect();
        all.sort_by_key(|(kind, entry)| (entry.count == 0, *kind, Reverse(entry.count)));
        let objects: Vec<&str> = all.iter().take(HINTS_MAX).map(|(_, entry)| &*entry.objects[0]).collect();
        format!("{{\"data\":[{}],\"meta\":{{\"q\":\"{words}\"}}}}", objects.join(","))
    }

    #[test]
    fn a_lookup_finds_what_a_look_at_every_name_finds() {
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..300 {
            let text = |random: &mut dyn FnMut(usize) -> usize, most: usize| {
                let words: Vec<&str> = (0..random(most + 1)).map(|_| WORDS[random(WORDS.len())]).collect();
                words.join(" ")
            };
            let entries: Vec<HintEntry> = (0..random(60))
                .map(|number| {
                    let mut names = |count: usize| (0..count).map(|_| text(&mut random, 4)).collect();
                    let names = [names(1), names(2)];
                    entry(number, names, random(5))
                })
                .collect();
            let hints = open(&entries);
            for _ in 0..20 {
                let typed = text(&mut random, 3);
                assert_eq!(found(&hints, &typed), model(&entries, &typed), "{typed}: {entries:?}");
            }
        }
    }

    #[test]
    fn a_damaged_section_is_refused() {
        let entries = [entry(0, [vec!["One name".to_owned()], Vec::new()], 1)];
        let damaged = |damage: fn(&mut SectionWriter)| {
            let mut writer = SectionWriter::default();
            damage(&mut writer);
            write(&entries, &mut writer);
            Hints::open(&writer.finish()).err().map(|error| error.to_string())
        };
        assert_eq!(damaged(|_| {}), None);
        // The first section of a name is the one that is read.
        assert!(damaged(|writer| writer.put(KEYS, [[1u32, 0]])).is_some());
        assert!(damaged(|writer| writer.put(KEYS, [[0u32, 9]])).is_some());
        assert!(damaged(|writer| writer.put(OF, [1u32])).is_some());
        assert!(damaged(|writer| writer.put(OF, [0u32, 0])).is_some());
        assert!(damaged(|writer| writer.put(LAST, [0u32, 0])).is_some());
    }
}
