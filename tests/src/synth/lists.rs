//! What records are made of, the same for every seed: 30,000 made-up English-like and Spanish-like words, values of
//! facets with labels in both languages, and places. The first of each list are drawn far more often than the last.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};
use snapshot::facet::FACETS;

use super::rng::Rng;

/// How many different words there are.
const TERMS: usize = 30_000;

/// The first words of English text are function words only; from here on every second is a domain word: what nearly every
/// record of a directory talks about, as frequent as function words, yet searched for.
const FIRST_DOMAIN_RANK: usize = 6;

/// Texts of at most so many words are titles.
const TITLE_MAX: i32 = 10;

/// A list, and for each of its items the sum of the shares of those up to it: 1 / (rank + 1) of the first one's.
pub struct Ranked {
    /// The most frequent first.
    pub items: Vec<String>,
    shares: Vec<usize>,
}

impl Ranked {
    fn new(items: Vec<String>) -> Self {
        let shares = (1..=items.len()).scan(0, |sum, rank| {
            *sum += (1 << 28) / rank;
            Some(*sum)
        });
        Self { shares: shares.collect(), items }
    }

    fn rank(&self, rng: &mut Rng) -> usize {
        let share = rng.below(self.shares.last().copied().unwrap_or_default());
        self.shares.partition_point(|sum| *sum <= share)
    }

    /// An item.
    pub fn draw(&self, rng: &mut Rng) -> &str {
        &self.items[self.rank(rng)]
    }

    /// As many different items, in the order drawn; all if there are no more.
    pub fn draw_distinct(&self, rng: &mut Rng, count: usize) -> Vec<&str> {
        let mut drawn = Vec::with_capacity(count);
        while drawn.len() < count.min(self.items.len()) {
            let item = self.draw(rng);
            if !drawn.contains(&item) {
                drawn.push(item);
            }
        }
        drawn
    }
}

/// All lists.
pub struct Lists {
    /// Rows of the vocabulary.
    pub(super) vocabulary: Vec<Value>,
    /// Values of facets by the facet's name; `countries`, `regions`, `subdivisions`; words of `en`, which are all, and of `es`.
    ranked: BTreeMap<&'static str, Ranked>,
    function_words: Vec<&'static str>,
}

impl Lists {
    /// Makes them.
    #[expect(clippy::new_without_default, reason = "making 30,000 words is work, not a default")]
    pub fn new() -> Self {
        let facets = FACETS.iter().filter(|spec| !spec.is_place).map(|spec| spec.name);
        let vocabulary: Vec<Value> = facets.clone().flat_map(values).collect();
        let mut ranked = BTreeMap::from(words());
        for facet in facets {
            let rows = vocabulary.iter().filter(|row| row["facet"] == facet);
            let values = rows.filter_map(|row| Some(row["value"].as_str()?.to_owned()));
            ranked.insert(facet, Ranked::new(values.collect()));
        }
        for places in ["countries", "regions", "subdivisions"] {
            ranked.insert(places, Ranked::new(split(places)[0].iter().map(ToString::to_string).collect()));
        }
        Self { vocabulary, ranked, function_words: split("function").concat() }
    }

    /// A list.
    pub fn of(&self, name: &str) -> &Ranked {
        &self.ranked[name]
    }

    /// A word that means something, one of the `common` most frequent of English text.
    pub fn content(&self, rng: &mut Rng, common: usize) -> &str {
        let words = self.of("en");
        loop {
            let rank = words.rank(rng);
            let word = &words.items[rank];
            if rank < common && !self.function_words.contains(&word.as_str()) {
                return word;
            }
        }
    }

    /// A title without an end, its longer words capitalised; or sentences, of which some begin a paragraph.
    pub(super) fn text(&self, rng: &mut Rng, language: &str, (least, most): (i32, i32)) -> String {
        let words = self.of(language);
        let is_title = most <= TITLE_MAX;
        let mut text = String::new();
        for n in 0..rng.between(least, most) {
            let word = words.draw(rng);
            let begins = n == 0 || !is_title && rng.below(12) == 0;
            text += match begins {
                _ if n == 0 => "",
                true => rng.pick(&[". ", ". ", ". ", ". ", ".\n\n"]),
                false if !is_title && rng.percent(6) => ", ",
                false => " ",
            };
            text += &if begins || is_title && word.len() > 3 { capital(word) } else { word.to_owned() };
        }
        text + if is_title { "" } else { "." }
    }
}

/// The rows of a list: English and Spanish.
fn rows(list: &str) -> Vec<(&'static str, &'static str)> {
    let rows = include_str!("lists.csv").lines().filter_map(|row| row.split_once(','));
    rows.filter(|(name, _)| *name == list).filter_map(|(_, row)| row.split_once(',')).collect()
}

/// The words of a list that is one row: English and Spanish.
fn split(list: &str) -> [Vec<&'static str>; 2] {
    let (en, es) = rows(list)[0];
    [en, es].map(|words| words.split(' ').collect())
}

fn capital(text: &str) -> String {
    let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}

/// The rows of the vocabulary of a facet: each noun of its list, then each with a qualifier: `Schools`, `Rural schools`,
/// `Escuelas rurales`. Values of the contract have underscores, fields are free text, and narrow topics belong to wider ones.
fn values(facet: &str) -> Vec<Value> {
    let (gap, qualifiers) = match facet {
        "fields" => (" ", "aspects"),
        "topics" => ("-", "aspects"),
        "applicants" | "audiences" => ("-", "groups"),
        "benefits" => ("-", "extents"),
        "fundingShapes" => ("-", "payments"),
        "lifecycles" | "durationUnits" | "openStates" => ("_", ""),
        _ => ("-", ""),
    };
    let slug = |label: &str| label.to_lowercase().replace(' ', gap);
    let nouns = [rows(facet), if facet == "fields" { rows("topics") } else { Vec::new() }].concat();
    let mut found = Vec::new();
    for (qualifier, qualifier_es) in [vec![("", "")], rows(qualifiers)].concat() {
        for (noun, noun_es) in &nouns {
            let label = capital(format!("{qualifier} {noun}").trim());
            let is_narrow = facet == "topics" && !qualifier.is_empty();
            found.push(json!({
                "facet": facet, "value": if gap == " " { label.clone() } else { slug(&label) }, "labelEn": label,
                "labelEs": format!("{noun_es} {qualifier_es}").trim(), "broader": is_narrow.then(|| slug(noun))
            }));
        }
    }
    found
}

/// The words of both languages. Spanish function words are rare words of an English text, but the head of a Spanish one.
fn words() -> [(&'static str, Ranked); 2] {
    let ([functions, spanish], [domain, spanish_domain]) = (split("function"), split("domain"));
    let (first, others) = functions.split_at(FIRST_DOMAIN_RANK);
    let mixed = domain.iter().zip(others).flat_map(|(domain, function)| [domain, function]);
    let english = first.iter().chain(mixed).chain(&others[domain.len()..]);
    let owned = |is_spanish| move |word: &&str| ((*word).to_owned(), is_spanish);
    let head = english.map(owned(false)).chain(spanish_domain.iter().map(owned(true)));
    let tail: Vec<(String, bool)> = spanish.iter().map(owned(true)).collect();
    let mut terms: Vec<(String, bool)> = head.collect();
    let mut taken: HashSet<String> = terms.iter().chain(&tail).map(|(word, _)| word.clone()).collect();
    terms.extend(made_up(TERMS - taken.len(), &mut taken));
    let spanish = tail.iter().chain(terms.iter().filter(|(_, is_spanish)| *is_spanish));
    let spanish = spanish.map(|(word, _)| word.clone()).collect();
    let all = terms.into_iter().chain(tail).map(|(word, _)| word).collect();
    [("en", Ranked::new(all)), ("es", Ranked::new(spanish))]
}

/// Word families (a stem and some of its endings) in order of frequency, and whether they are Spanish, as every third is.
/// Derived forms are rarer than their family's first form.
fn made_up(count: usize, taken: &mut HashSet<String>) -> impl Iterator<Item = (String, bool)> {
    let mut rng = Rng::new(&[TERMS as u64]);
    let [onsets, vowels, middles, finals, endings] =
        ["onsets", "vowels", "middles", "finals", "endings"].map(split);
    let mut weighed: Vec<(usize, String, bool)> = Vec::new();
    let mut family = 0;
    while weighed.len() < count {
        family += 1;
        let of = usize::from(family % 3 == 0);
        let syllables = 2 - of + rng.below(1 + usize::from(family > 500) + usize::from(family > 6_000));
        let mut syllable = |_| [&onsets, &vowels, &middles].map(|list| rng.pick(&list[of]));
        let stem: String = (0..syllables).flat_map(&mut syllable).collect();
        let stem = stem + rng.pick(&finals[of]);
        for ending in &endings[of][..=rng.below(endings[of].len())] {
            let rarity = if *ending == endings[of][0] { 8 } else { 12 + rng.below(80) };
            let word = format!("{stem}{ending}").replace('-', "");
            if taken.insert(word.clone()) {
                weighed.push((family * rarity, word, of == 1));
            }
        }
    }
    weighed.truncate(count);
    weighed.sort_by_key(|(weight, _, _)| *weight);
    weighed.into_iter().map(|(_, word, is_spanish)| (word, is_spanish))
}
