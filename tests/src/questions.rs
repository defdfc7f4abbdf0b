//! Seeded search questions for benches, one class per kind of work, drawn from the distributions of
//! [`crate::synth`].

use snapshot::facet::FACETS;
use snapshot::query::{Query, TEXT_MAX};
use snapshot::search::Index;
use url::form_urlencoded::Serializer;

use crate::synth::day_after;
use crate::synth::lists::Lists;
use crate::synth::rng::Rng;

/// People ask for words they know: the most frequent ones. Chosen so that a main question has about as
/// many hits as in the runs the targets were measured in (31 of 10,000).
const COMMON_WORDS: usize = 1_500;

/// Words that are in nearly every record.
const VERY_COMMON: [&str; 12] =
    ["the", "of", "and", "to", "in", "for", "a", "is", "with", "on", "by", "that"];

/// A class of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Nothing: browse.
    Empty,
    /// One value of one facet.
    Filter1,
    /// Values of two facets.
    Filter2,
    /// One word.
    Text1,
    /// Two words.
    Text2,
    /// One or two words, values of two facets, a least deadline.
    Main,
    /// As `Main`, without facet counts.
    NoFacet,
    /// A page 1,000 to 9,900 rows down, in any order.
    Deep,
    /// One word with one wrong letter.
    Typo,
    /// A query made to take long: phrases of the commonest words, repeated and
    /// excluded ones, 32 words that stand nowhere, 32 that stand everywhere.
    Hostile,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 10] = {
        use Class::{Deep, Empty, Filter1, Filter2, Hostile, Main, NoFacet, Text1, Text2, Typo};
        [Empty, Filter1, Filter2, Text1, Text2, Main, NoFacet, Deep, Typo, Hostile]
    };

    /// The class's name in reports.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// `count` questions of a class as URL query strings without the `?`. The same seed gives the same
/// questions; they fit every dataset of [`crate::synth::write`], whatever its seed.
pub fn questions(class: Class, count: usize, seed: u64) -> Vec<String> {
    let source = Source(Lists::new());
    // Questions of `NoFacet` are those of `Main`, so that the two can be compared.
    let stream = if class == Class::NoFacet { Class::Main } else { class };
    let mut rng = Rng::new(&[seed, stream as u64]);
    (0..count).map(|_| source.question(class, &mut rng)).collect()
}

/// The same, read against an index.
pub fn queries(class: Class, count: usize, seed: u64, index: &Index) -> Vec<Query> {
    let read = |query: &String| index.parse(query).0;
    questions(class, count, seed).iter().map(read).collect()
}

struct Source(Lists);

impl Source {
    fn question(&self, class: Class, rng: &mut Rng) -> String {
        let mut query = Serializer::new(String::new());
        match class {
            Class::Empty => {}
            Class::Filter1 => self.filters(&mut query, rng, 1, 0),
            Class::Filter2 => self.filters(&mut query, rng, 2, 40),
            Class::Text1 => self.text(&mut query, rng, 1),
            Class::Text2 => self.text(&mut query, rng, 2),
            Class::Main => self.main(&mut query, rng),
            Class::NoFacet => {
                self.main(&mut query, rng);
                query.append_pair("facets", "false");
            }
            Class::Deep => {
                query.append_pair("sort", rng.pick(&["deadline", "name", "recent"]));
                query.append_pair("offset", &rng.between(1_000, 9_900).to_string());
            }
            Class::Typo => {
                query.append_pair("q", &self.misspelt(rng));
            }
            Class::Hostile => {
                query.append_pair("q", &self.hostile(rng));
            }
        }
        query.finish()
    }

    /// 400 characters at most, of five kinds in turn.
    fn hostile(&self, rng: &mut Rng) -> String {
        let phrase = |rng: &mut Rng, length: usize| -> String {
            let words: Vec<&str> = (0..length).map(|_| rng.pick(&VERY_COMMON)).collect();
            format!("\"{}\"", words.join(" "))
        };
        let parts: Vec<String> = match rng.below(5) {
            0 => (0..16).map(|_| phrase(rng, 2)).collect(),
            1 => vec![phrase(rng, 2); 16],
            2 => (0..16).map(|_| format!("-{}", phrase(rng, 2))).collect(),
            3 => (0..32).map(|_| self.misspelt(rng)).collect(),
            _ => (0..32).map(|_| self.0.of("en").draw(rng).to_owned()).collect(),
        };
        let text = parts.join(" ");
        text.char_indices().nth(TEXT_MAX).map_or(text.clone(), |(end, _)| text[..end].to_owned())
    }

    fn main(&self, query: &mut Serializer<'_, String>, rng: &mut Rng) {
        let words = 1 + rng.below(2);
        self.text(query, rng, words);
        self.filters(query, rng, 2, 40);
        query.append_pair("deadlineFrom", &day_after(rng.between(-30, 90)).to_string());
    }

    fn text(&self, query: &mut Serializer<'_, String>, rng: &mut Rng, count: usize) {
        let words: Vec<&str> = (0..count).map(|_| self.0.content(rng, COMMON_WORDS)).collect();
        query.append_pair("q", &words.join(" "));
    }

    /// Filters by `count` different facets, two values instead of one in `double_percent` of the cases.
    fn filters(
        &self,
        query: &mut Serializer<'_, String>,
        rng: &mut Rng,
        count: usize,
        double_percent: usize,
    ) {
        let mut parameters: Vec<&str> = Vec::new();
        while parameters.len() < count {
            let values = 1 + usize::from(rng.percent(double_percent));
            let spec = &FACETS[rng.below(FACETS.len())];
            // `field` is a deprecated name of `topic`, so the fields facet has no question of its own.
            if spec.parameter == "field" || parameters.contains(&spec.parameter) {
                continue;
            }
            parameters.push(spec.parameter);
            let list = self.0.of(if spec.is_place { "countries" } else { spec.name });
            for value in list.draw_distinct(rng, values) {
                query.append_pair(spec.parameter, value);
            }
        }
    }

    /// A word of at least five letters with one letter replaced, which is no other word.
    fn misspelt(&self, rng: &mut Rng) -> String {
        loop {
            let word = self.0.content(rng, COMMON_WORDS);
            let mut letters: Vec<char> = word.chars().collect();
            let position = rng.below(letters.len());
            letters[position] = rng.pick(&['k', 'm', 'q', 'v', 'x', 'z']);
            let misspelt: String = letters.into_iter().collect();
            if word.chars().count() >= 5 && !self.0.of("en").items.contains(&misspelt) {
                return misspelt;
            }
        }
    }
}
