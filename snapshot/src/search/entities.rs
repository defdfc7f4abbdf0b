//! Words that name something that records say in their facets: a place and its people, a level, a type,
//! a topic. Derived at build from the labels of a dataset, the names of places and the synonyms; a
//! clause of a question finds a word's text or what it names.
//!
//! ```text
//! concept.at .text   keys, see [`keys_of`], sorted
//! concept.of         u32 of each key: its entity
//! concepts           JSON: the entities, see [`NamedEntity`]
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use compact_str::CompactString;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::facet::{FACETS, Facet, entity_facets, named_values, place_facets};
use crate::place;
use crate::record::{Directory, Locale};
use crate::search::lexicon;
use crate::search::set::{Docs, Held, set_bit, union, words};
use crate::search::synonyms::{BUILT_IN, keys, typed_keys};
use crate::search::table::{Dictionary, Strings, check_len};
use crate::search::text::{QueryWord, words_of};
use crate::search::values::{Document, Values};
use crate::store::sections::{Section, SectionError, SectionWriter, Sections};

/// Words of the longest key.
pub const RUN_MAX: usize = 6;
/// A word that names values of more facets than this names nothing.
const FACETS_MAX: usize = 4;
/// Longest run whose words are replaced by their synonyms one by one.
const REPLACED_MAX: usize = 3;

/// Everywhere.
const WORLD: &str = "001";

/// Ends of labels that say nothing by themselves.
const HEADS: &str = "student students researcher researchers program programs programme programmes candidate \
    candidates degree level";
/// Labels that are other words far more often.
const GENERIC: &str = "other all any none general state local federal team open self public private individual \
    national international unknown anyone family group member members organization organizations world mundo \
    reunion citizen citizens resident residents age fee fees support person people \
    develop profession";
/// Names of places that are other words or several places, and the country that is likely to be meant:
/// text only, but the country is offered.
const AMBIGUOUS: [(&str, &str); 7] = [
    ("georgia", "GE"),
    ("jordan", "JO"),
    ("chad", "TD"),
    ("turkey", "TR"),
    ("guinea", "GN"),
    ("dominican", "DO"),
    ("congo", "CD"),
];
/// Words that hold the name of a place and mean none.
const NO_PLACES: [&str; 9] = [
    "american indian",
    "native american",
    "african american",
    "asian american",
    "indian tribe",
    "indian tribal",
    "indian education",
    "indian housing",
    "indian country",
];
/// Other names of places.
const ALSO: [(&str, &str); 36] = [
    ("US-PA", "pensilvania"),
    ("US-NY", "nueva york"),
    ("US-NJ", "nueva jersey"),
    ("US-NM", "nuevo mexico"),
    ("US-NC", "carolina del norte"),
    ("US-SC", "carolina del sur"),
    ("US-LA", "luisiana"),
    ("US-MS", "misisipi"),
    ("US", "united states of america"),
    ("US", "estados unidos de america"),
    ("GB", "great britain"),
    ("GB", "gran bretana"),
    ("GB", "england"),
    ("GB", "inglaterra"),
    ("GB", "scotland"),
    ("GB", "wales"),
    ("CI", "ivory coast"),
    ("CZ", "czech republic"),
    ("MM", "burma"),
    ("NL", "holland"),
    ("NL", "holanda"),
    ("SZ", "swaziland"),
    ("TL", "east timor"),
    ("PS", "palestine"),
    ("PS", "palestina"),
    ("HK", "hong kong"),
    ("MO", "macau"),
    ("BA", "bosnia"),
    ("TT", "trinidad and tobago"),
    ("AG", "antigua and barbuda"),
    ("BA", "bosnia and herzegovina"),
    ("CD", "democratic republic of the congo"),
    ("CD", "republica democratica del congo"),
    ("202", "sub saharan africa"),
    ("202", "subsaharan africa"),
    ("202", "africa subsahariana"),
];
/// The country that a folded word may mean although it is read as a word.
#[must_use]
pub fn country_of(word: &str) -> Option<&'static str> {
    AMBIGUOUS.iter().find(|(name, _)| *name == word).map(|(_, code)| *code)
}

/// Codes that people write in capitals.
const CODES: [(&str, &str); 5] = [("US", "us"), ("US", "usa"), ("GB", "uk"), ("AE", "uae"), ("US", "eeuu")];

/// What a key names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NamedEntity {
    /// Values: number of the facet and value. Of a place, every value that names it or a place in it.
    pub values: BTreeSet<(u8, String)>,
    /// Code of a place.
    pub place: Option<String>,
    /// Only when it is typed in capitals.
    pub capitals: bool,
}

/// The entities of a dataset by key.
#[must_use]
pub fn entity_dictionary(directory: &Directory, documents: &[Document<'_>]) -> BTreeMap<String, NamedEntity> {
    let mut dictionary = BTreeMap::new();
    add_labels(directory, documents, &mut dictionary);
    add_places(documents, &mut dictionary);
    let holders = Holders::new(documents);
    let names_much = |entity: &NamedEntity| {
        let facets: FxHashSet<u8> = entity.values.iter().map(|(facet, _)| *facet).collect();
        facets.len() > FACETS_MAX || holders.count(entity) > documents.len() / 2
    };
    let generic: FxHashSet<String> =
        GENERIC.split_whitespace().flat_map(|word| label_keys(&[word]).map(String::from)).collect();
    dictionary.retain(|key: &String, entity: &mut NamedEntity| {
        let names = !entity.values.is_empty() || entity.place.is_some();
        !generic.contains(key) && names && !names_much(entity)
    });
    // What is no place is a longer key than the place in it, and names nothing.
    for none in NO_PLACES {
        for key in keys(&words_of(none)) {
            dictionary.entry(key).or_default();
        }
    }
    dictionary
}

/// How a run of words is looked up: places and their people by their stems, which know every ending; the
/// other labels by their words without plural and gender alone, or whoever asks for research would be
/// taken for a researcher.
#[must_use]
pub fn keys_of<T: AsRef<str>>(words: &[T]) -> [CompactString; 4] {
    let ([english, spanish], [singular, ungendered]) = (keys(words), label_keys(words));
    [english.into(), spanish.into(), singular, ungendered]
}

/// Keys of labels, in English and Spanish; no stem looks like them.
fn label_keys<T: AsRef<str>>(words: &[T]) -> [CompactString; 2] {
    let join = |short: fn(&str) -> &str| {
        let mut key = CompactString::default();
        for word in words {
            key.push_str(if key.is_empty() { "=" } else { " =" });
            key.push_str(short(word.as_ref()));
        }
        key
    };
    [join(singular), join(ungendered)]
}

/// An English word without its plural; what a final y becomes in it goes too.
fn singular(word: &str) -> &str {
    let cut = |end: &str| word.strip_suffix(end).filter(|rest| rest.len() > 2);
    if let Some(rest) = cut("ies").or_else(|| cut("y")) {
        return rest;
    }
    let hisses = |rest: &&str| ["s", "x", "z", "ch", "sh"].iter().any(|end| rest.ends_with(end));
    match cut("es").filter(hisses) {
        Some(rest) => rest,
        None => cut("s").filter(|rest| !rest.ends_with(['s', 'u', 'i'])).unwrap_or(word),
    }
}

/// A Spanish word without plural and gender.
fn ungendered(word: &str) -> &str {
    let cut = |word: &'_ str, end: &str| word.strip_suffix(end).map(str::len).filter(|length| *length > 2);
    let vowel = |at: usize| word[..at].ends_with(['a', 'e', 'i', 'o', 'u']);
    let one = match cut(word, "es").filter(|at| !vowel(*at)) {
        Some(at) => at,
        None => cut(word, "s").filter(|at| vowel(*at)).unwrap_or(word.len()),
    };
    let one = &word[..one];
    let cut = cut(one, "a").or_else(|| cut(one, "o")).unwrap_or(one.len());
    &one[..cut]
}

fn add(words: &[String], capitals: bool, of: &NamedEntity, dictionary: &mut BTreeMap<String, NamedEntity>) {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let tells = |word: &&str| word.chars().count() > 1 && word.chars().any(char::is_alphabetic);
    let said = lexicon::stop_words(&texts).iter().all(|stop| *stop) && !capitals;
    if words.len() > RUN_MAX || said || !texts.iter().any(tells) {
        return;
    }
    for key in label_keys(words) {
        let known = dictionary
            .entry(key.into())
            .or_insert_with(|| NamedEntity { capitals, ..NamedEntity::default() });
        if known.capitals == capitals && (known.place.is_none() || known.place == of.place) {
            known.values.extend(of.values.iter().cloned());
            known.place = known.place.take().or_else(|| of.place.clone());
        }
    }
}

/// Adds the labels of all values in use.
fn add_labels(
    directory: &Directory,
    documents: &[Document<'_>],
    dictionary: &mut BTreeMap<String, NamedEntity>,
) {
    let mut labels: BTreeMap<(Facet, &str), BTreeSet<&str>> = BTreeMap::new();
    for facet in entity_facets() {
        for said in documents {
            for value in named_values(facet, said.program, &said.facts) {
                labels.entry((facet, value)).or_default();
            }
        }
    }
    for term in &directory.vocabulary {
        let facet = FACETS.iter().find(|spec| spec.name == term.facet.as_str()).map(|spec| spec.facet);
        let known = facet.and_then(|facet| labels.get_mut(&(facet, term.value.as_str())));
        if let Some(known) = known {
            known.extend([&term.label_en, &term.label_es].into_iter().flatten().map(String::as_str));
        }
    }
    for fact in documents.iter().flat_map(|said| &said.facts) {
        let facet = FACETS.iter().find(|spec| spec.is_fed_by(fact.kind.as_str()));
        let value = fact.value.as_deref().unwrap_or_default();
        if let (Some(spec), Some(label)) = (facet, &fact.label)
            && let Some(known) = labels.get_mut(&(spec.facet, value))
        {
            known.insert(label);
        }
    }
    for ((facet, value), labels) in labels {
        let of = NamedEntity { values: [(facet as u8, value.to_owned())].into(), ..NamedEntity::default() };
        let mut runs: BTreeSet<Vec<String>> = label_runs(&value.replace(['-', '_'], " "));
        runs.extend(labels.into_iter().flat_map(label_runs));
        runs.iter().for_each(|run| add(run, false, &of, dictionary));
    }
}

/// The runs of words that stand for a label: without what is in brackets, the whole and its parts, each
/// without a general last word, and the same in synonyms.
#[must_use]
pub fn label_runs(label: &str) -> BTreeSet<Vec<String>> {
    let outside: String =
        label.split('(').map(|part| part.split_once(')').map_or(part, |(_, after)| after)).collect();
    let outside = if label.contains('(') { outside } else { label.to_owned() };
    let lower = outside.replace(" or ", "/").replace(" o ", "/");
    let mut runs: BTreeSet<Vec<String>> = BTreeSet::new();
    for part in std::iter::once(outside.as_str()).chain(lower.split(['/', ',', ';'])) {
        let mut words = words_of(part);
        runs.insert(words.clone());
        if words.len() > 1
            && words.last().is_some_and(|last| HEADS.split_whitespace().any(|head| head == last))
        {
            words.pop();
            runs.insert(words);
        }
    }
    runs.remove(&Vec::new());
    for run in runs.clone() {
        runs.extend(BUILT_IN.of(&run).into_iter().cloned());
        for at in (0..run.len()).filter(|_| (2..=REPLACED_MAX).contains(&run.len())) {
            for synonym in BUILT_IN.of(&run[at..=at]) {
                runs.insert([&run[..at], synonym, &run[at + 1..]].concat());
            }
        }
    }
    runs
}

/// Adds the names of places.
fn add_places(documents: &[Document<'_>], dictionary: &mut BTreeMap<String, NamedEntity>) {
    let mut naming: FxHashMap<String, BTreeSet<(u8, String)>> = FxHashMap::default();
    for facet in place_facets() {
        let values: BTreeSet<&str> =
            documents.iter().flat_map(|said| named_values(facet, said.program, &said.facts)).collect();
        for value in values {
            for around in place::with_ancestors(value) {
                naming.entry(around.to_owned()).or_default().insert((facet as u8, value.to_owned()));
            }
        }
    }
    let names = place::all().flat_map(|place| Locale::ALL.iter().map(|l| (place.code, place.name(*l))));
    let plain = names.chain(place::demonyms()).chain(place::subdivisions()).chain(ALSO);
    let named = plain.map(|name| (name, false)).chain(CODES.map(|code| (code, true)));
    let mut owners: FxHashMap<Vec<String>, &str> = FxHashMap::default();
    for ((code, name), capitals) in named {
        let name = name.split(" (").next().unwrap_or(name);
        let run = words_of(name);
        let values = naming.get(code).cloned().unwrap_or_default();
        // The whole world is no place in particular, and the first place of a name has it.
        if code == WORLD
            || country_of(&name.to_lowercase()).is_some()
            || *owners.entry(run.clone()).or_insert(code) != code
        {
            continue;
        }
        let of = NamedEntity { values, place: Some(code.to_owned()), capitals };
        add_place(&run, &of, dictionary);
    }
}

static NAMES: LazyLock<FxHashMap<&'static str, Vec<Vec<String>>>> = LazyLock::new(|| {
    let names =
        place::all().flat_map(|place| Locale::ALL.iter().map(|locale| (place.code, place.name(*locale))));
    let mut all: FxHashMap<&str, BTreeSet<Vec<String>>> = FxHashMap::default();
    for (code, name) in names.chain(place::demonyms()).chain(place::subdivisions()).chain(ALSO) {
        all.entry(code).or_default().insert(words_of(name));
    }
    all.into_iter().map(|(code, names)| (code, names.into_iter().collect())).collect()
});

/// What a place and its people are called, in words.
#[must_use]
pub fn names_of_place(code: &str) -> &'static [Vec<String>] {
    NAMES.get(code).map_or(&[], Vec::as_slice)
}

/// A place's name names it alone, and names it even when no record does.
fn add_place(run: &[String], of: &NamedEntity, dictionary: &mut BTreeMap<String, NamedEntity>) {
    if run.len() > RUN_MAX {
        return;
    }
    for key in keys(run) {
        let known = dictionary.entry(key).or_insert_with(|| of.clone());
        if known.place.is_none() {
            known.place.clone_from(&of.place);
            known.values.extend(of.values.iter().cloned());
        }
    }
}

/// Documents by value, to count what a entity finds.
struct Holders<'a> {
    docs: FxHashMap<(u8, &'a str), Vec<u32>>,
    count: usize,
}

impl<'a> Holders<'a> {
    fn new(documents: &'a [Document<'_>]) -> Self {
        let mut docs: FxHashMap<(u8, &'a str), Vec<u32>> = FxHashMap::default();
        for (doc, said) in documents.iter().enumerate() {
            for facet in entity_facets().chain(place_facets()) {
                for value in named_values(facet, said.program, &said.facts) {
                    docs.entry((facet as u8, value)).or_default().push(doc as u32);
                }
            }
        }
        Self { docs, count: documents.len() }
    }

    fn count(&self, entity: &NamedEntity) -> usize {
        let mut bits = vec![0; words(self.count)];
        for (facet, value) in &entity.values {
            let docs = self.docs.get(&(*facet, value.as_str()));
            docs.into_iter().flatten().for_each(|doc| set_bit(&mut bits, *doc));
        }
        crate::search::set::count_ones(&bits)
    }
}

/// Writes the sections.
pub fn write(directory: &Directory, documents: &[Document<'_>], writer: &mut SectionWriter) {
    let dictionary = entity_dictionary(directory, documents);
    let entities: BTreeSet<&NamedEntity> = dictionary.values().collect();
    let numbers: FxHashMap<&NamedEntity, u32> = entities.iter().copied().zip(0..).collect();
    Strings::write(writer, KEYS, dictionary.keys().map(String::as_bytes));
    writer.put("concept.of", dictionary.values().map(|entity| numbers[entity]).collect::<Vec<_>>());
    writer.put("concepts", serde_json::to_vec(&entities).unwrap_or_default());
}

const KEYS: (&str, &str) = ("concept.at", "concept.text");

/// A entity, looked up in the values.
#[derive(Debug)]
struct Known {
    /// Ordinals of values that are not places.
    values: Vec<u32>,
    /// Ordinals of values that name the place or one in it.
    naming: Vec<u32>,
    place: Option<String>,
    capitals: bool,
}

/// The entities, open.
pub struct NamedEntities {
    keys: Dictionary,
    of: Section<u32>,
    known: Vec<Known>,
    /// What all keys are made of.
    stems: FxHashSet<String>,
    /// Words in the longest key that begins with a stem.
    longest_from: FxHashMap<String, usize>,
}

impl NamedEntities {
    /// Opens the sections beside the values.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(sections: &Sections, values: &Values) -> Result<Self, SectionError> {
        let (keys, of) = (Dictionary::open(sections, KEYS)?, sections.get::<u32>("concept.of")?);
        let texts = keys.strings();
        check_len("concept.of", &of, texts.len())?;
        let entities: Vec<NamedEntity> = serde_json::from_slice(&sections.get::<u8>("concepts")?)
            .map_err(|_| SectionError::Content("concepts", "is not JSON"))?;
        if of.iter().any(|entity| *entity as usize >= entities.len()) {
            return Err(SectionError::Content("concept.of", "a number is out of bounds"));
        }
        let known = entities.into_iter().map(|entity| {
            let ordinals = entity.values.iter().filter_map(|(facet, value)| {
                let spec = FACETS.get(usize::from(*facet))?;
                Some((spec.is_place, values.find(spec.facet, value)?))
            });
            let (naming, plain): (Vec<_>, Vec<_>) = ordinals.partition(|(places, _)| *places);
            let ordinals = |pairs: Vec<(bool, u32)>| pairs.into_iter().map(|(_, ordinal)| ordinal).collect();
            Known {
                values: ordinals(plain),
                naming: ordinals(naming),
                place: entity.place,
                capitals: entity.capitals,
            }
        });
        let stems = (0..texts.len()).flat_map(|key| texts.text(key).split(' ').map(str::to_owned)).collect();
        let mut longest_from: FxHashMap<String, usize> = FxHashMap::default();
        for key in 0..texts.len() {
            let stems = texts.text(key).split(' ');
            let longest = stems.clone().next().map(|first| longest_from.entry(first.to_owned()).or_default());
            if let Some(longest) = longest {
                *longest = stems.count().min(RUN_MAX).max(*longest);
            }
        }
        Ok(Self { known: known.collect(), stems, longest_from, keys, of })
    }

    /// The longest run at the start of some words that names something, and what.
    #[must_use]
    pub fn longest(&self, typed: &[QueryWord]) -> Option<(usize, u32)> {
        let first = typed.first()?;
        let begins = |key: &CompactString| self.longest_from.get(key.as_str()).copied();
        let labels = label_keys(&[&first.text]);
        let longest = first.stems.iter().chain(&labels).filter_map(begins).max()?;
        (1..=typed.len().min(longest)).rev().find_map(|length| {
            let run = &typed[..length];
            let words: Vec<&str> = run.iter().map(|word| word.text.as_str()).collect();
            let find = |key: &str| self.keys.find(key.as_bytes());
            let place = typed_keys(run).iter().find_map(|key| find(key));
            let position = place.or_else(|| label_keys(&words).iter().find_map(|key| find(key)))?;
            let entity = *self.of.get(position)?;
            let fits = !self.known[entity as usize].capitals || run.iter().all(|word| word.capitals);
            fits.then_some((length, entity))
        })
    }

    /// Whether a word stands in the name of anything.
    #[must_use]
    pub fn has_word(&self, word: &str) -> bool {
        keys_of(&[word]).iter().any(|key| self.stems.contains(key.as_str()))
    }

    /// Whether it names anything that a record says.
    #[must_use]
    pub fn is_empty(&self, entity: u32) -> bool {
        let known = &self.known[entity as usize];
        known.values.is_empty() && known.naming.is_empty()
    }

    /// The place that it names.
    #[must_use]
    pub fn place(&self, entity: u32) -> Option<&str> {
        self.known[entity as usize].place.as_deref()
    }

    /// Ordinals of the values that it names, and of those that name its place.
    #[must_use]
    pub fn values(&self, entity: u32) -> (&[u32], &[u32]) {
        let known = &self.known[entity as usize];
        (&known.values, &known.naming)
    }

    /// Sets of documents that together say it.
    #[must_use]
    pub fn parts<'a>(&self, entity: u32, values: &'a Values) -> Vec<Docs<'a>> {
        let known = &self.known[entity as usize];
        let plain = known.values.iter().map(|ordinal| values.docs(*ordinal));
        plain.chain(known.naming.iter().map(|ordinal| Docs::List(values.naming(*ordinal)))).collect()
    }

    /// Documents that admit its place, many of them only by naming a wider one.
    #[must_use]
    pub fn eligibility_facets(&self, entity: u32, values: &Values) -> Option<Held<'static>> {
        let place = self.place(entity)?;
        let sets: Vec<_> = place_facets().map(|facet| values.docs_of_place(facet, place)).collect();
        let parts: Vec<Docs<'_>> = sets.iter().map(|set| set.docs()).collect();
        Some(Held::Made(union(&parts, values.count()).into_set()))
    }

    /// Sets of documents that name a region around its place, but for the whole world.
    #[must_use]
    pub fn around<'a>(&self, entity: u32, values: &'a Values) -> Vec<Docs<'a>> {
        let Some(place) = self.place(entity) else { return Vec::new() };
        let regions = place::with_ancestors(place).skip(1).filter(|region| *region != WORLD);
        let named = regions.flat_map(|region| place_facets().map(move |facet| values.find(facet, region)));
        named.flatten().map(|ordinal| Docs::List(values.naming(ordinal))).collect()
    }

    /// Facets that it speaks of.
    #[must_use]
    pub fn facets(&self, entity: u32, values: &Values) -> Vec<Facet> {
        let known = &self.known[entity as usize];
        let mut facets: Vec<Facet> = match known.place {
            Some(_) => place_facets().filter(|facet| facet.spec().is_eligibility).collect(),
            None => Vec::new(),
        };
        for facet in known.values.iter().map(|ordinal| values.facet_of(*ordinal)) {
            if !facets.contains(&facet) {
                facets.push(facet);
            }
        }
        facets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(label: &str) -> Vec<String> {
        label_runs(label).iter().map(|run| run.join(" ")).collect()
    }

    #[test]
    fn a_label_is_named_by_its_parts_and_their_synonyms() {
        assert!(runs("Artist/Humanist").contains(&"artist".to_owned()));
        assert!(runs("Child (6-15)").contains(&"child".to_owned()));
        let doctoral = runs("Doctoral candidate");
        for name in ["doctoral candidate", "doctoral", "phd", "doctorado"] {
            assert!(doctoral.contains(&name.to_owned()), "{name} of {doctoral:?}");
        }
        assert!(runs("Small business").contains(&"pyme".to_owned()));
        assert!(runs("()/,").is_empty());
    }
}
