//! Named entities: what words of a query name besides their text. A key is a place and its people, or a value of a
//! facet such as a level, a type or a topic. The dictionary is built from the labels of a dataset, the names of
//! places and the synonyms.
//!
//! ```text
//! concept.at .text   keys, see [`keys_of`], sorted
//! concept.of         u32 of each key: its entity
//! concepts           JSON: the entities, see [`NamedEntity`]
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::facet::{FACETS, Facet, entity_facets, place_facets};
use crate::place::{self, NameKind, PlaceName, WORLD};
use crate::record::Term;
use crate::search::coordination::PLACE;
use crate::search::lexicon;
use crate::search::set::{DocSet, union};
use crate::search::synonyms::{BUILT_IN, label_keys};
use crate::search::table::{Dictionary, Pair, Strings, check_below, column};
use crate::search::values::{Values, stated::StatedValues};
use crate::text::{QueryWord, words_of};
use store::sections::{Section, SectionError, SectionWriter, Sections};

/// Most words of a key.
pub(super) const RUN_MAX: usize = 6;
/// A word that names values of more facets than this is no entity.
const FACETS_MAX: usize = 4;
/// Most words of a run in which each word is replaced by its synonyms.
const REPLACED_MAX: usize = 3;
/// Most names of places that are read for a word.
const OFFERED_MAX: usize = 8;

/// Whether a folded word is searched as text although it names a place, as it is more often another word or names
/// several.
fn is_only_offered(word: &str) -> bool {
    place::named(word).any(|name| name.kind == NameKind::Offered)
}

/// Codes of the places that may be meant by such a word; none for others.
pub(super) fn places_offered_for(word: &str) -> BTreeSet<&'static str> {
    let names = place::named(word).filter(|_| is_only_offered(word));
    names.flat_map(|name| &name.codes).copied().take(OFFERED_MAX).collect()
}

/// The entity of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct NamedEntity {
    /// Values: number of the facet, and value. For a place, every value that is the place or in it.
    values: BTreeSet<(u8, String)>,
    /// Code of a place.
    place: Option<String>,
    /// Whether the key names it only in capitals.
    capitals: bool,
}

/// The entities of a dataset by key, of its vocabulary and of what its documents state.
fn entity_dictionary(vocabulary: &[Term], stated: &StatedValues) -> BTreeMap<String, NamedEntity> {
    let mut dictionary = BTreeMap::new();
    add_labels(vocabulary, stated, &mut dictionary);
    add_places(stated, &mut dictionary);
    let generic =
        lexicon::words("generic-label").flat_map(|word| runs_of(word, |run| BUILT_IN.of_label(run)));
    let generic: FxHashSet<String> = generic.flat_map(|run| label_keys(&run).map(String::from)).collect();
    dictionary.retain(|key: &String, entity: &mut NamedEntity| {
        let facets: FxHashSet<u8> = entity.values.iter().map(|(facet, _)| *facet).collect();
        let names = !entity.values.is_empty() || entity.place.is_some();
        !generic.contains(key) && names && facets.len() <= FACETS_MAX
    });
    // The longest key is used, so that the place in the phrase is not found.
    for phrase in lexicon::phrases("not-a-place") {
        for key in keys_of(phrase) {
            dictionary.entry(key.into()).or_default();
        }
    }
    dictionary
}

/// Keys of a run of words. Places and their people are found by the words themselves, as `main` has the stem of `Maine`.
fn keys_of<T: AsRef<str>>(words: &[T]) -> [SmolStr; 3] {
    let [english, spanish] = label_keys(words);
    [place_key(words), english, spanish]
}

fn place_key<T: AsRef<str>>(words: &[T]) -> SmolStr {
    match words {
        [only] => only.as_ref().into(),
        words => words.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" ").into(),
    }
}

/// Whether words can name something: not very many of them, some of more than a letter, and not all stop words.
fn is_name(words: &[String]) -> bool {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let has_letters = |word: &&str| word.chars().count() > 1 && word.chars().any(char::is_alphabetic);
    words.len() <= RUN_MAX && lexicon::stop_words(&texts).contains(&false) && texts.iter().any(has_letters)
}

/// Adds the labels of all values in use.
fn add_labels(vocabulary: &[Term], stated: &StatedValues, dictionary: &mut BTreeMap<String, NamedEntity>) {
    let mut labels: BTreeMap<(Facet, &str), BTreeSet<&str>> = BTreeMap::new();
    for facet in entity_facets() {
        for (_, value) in stated.named(facet) {
            labels.insert((facet, value), stated.labels(facet, value).collect());
        }
    }
    for term in vocabulary {
        let facet = Facet::parse(&term.facet);
        if let Some(known) = facet.and_then(|facet| labels.get_mut(&(facet, term.value.as_str()))) {
            known.extend([&term.label_en, &term.label_es].into_iter().flatten().map(String::as_str));
        }
    }
    let mut all: BTreeSet<[SmolStr; 2]> = BTreeSet::new();
    for ((facet, value), labels) in labels {
        let code = value.replace(['-', '_'], " ");
        let value = (facet as u8, value.to_owned());
        for run in
            labels.into_iter().chain([&*code]).flat_map(|label| runs_of(label, |it| BUILT_IN.of_label(it)))
        {
            let keys = label_keys(&run);
            for key in keys.iter().filter(|_| is_name(&run)) {
                dictionary.entry(key.to_string()).or_default().values.insert(value.clone());
            }
            all.insert(keys);
        }
    }
    // A word is looked up by either key: `investigadora` names what `investigador` does.
    for keys in all.iter().filter(|[english, spanish]| english != spanish) {
        let both = keys.iter().filter_map(|key| dictionary.get(key.as_str())).flat_map(|it| &it.values);
        let both: BTreeSet<(u8, String)> = both.cloned().collect();
        let known = keys.iter().filter(|_| !both.is_empty());
        known.for_each(|key| dictionary.entry(key.to_string()).or_default().values.clone_from(&both));
    }
}

/// A label without what stands in brackets.
fn unbracketed(label: &str) -> String {
    label.split('(').map(|part| part.split_once(')').map_or(part, |(_, after)| after)).collect()
}

/// The runs of words that name a label: the whole without brackets and its parts, each also without a general last
/// word, and the same with synonyms.
pub fn label_runs(label: &str) -> BTreeSet<Vec<String>> {
    runs_of(label, |run| BUILT_IN.of(run))
}

/// The same with the synonyms that a function finds.
fn runs_of(label: &str, synonyms: impl Fn(&[String]) -> Vec<&'static Vec<String>>) -> BTreeSet<Vec<String>> {
    let outside = if label.contains('(') { unbracketed(label) } else { label.to_owned() };
    let lower = outside.replace(" or ", "/").replace(" o ", "/");
    let mut runs: BTreeSet<Vec<String>> = BTreeSet::new();
    for part in std::iter::once(outside.as_str()).chain(lower.split(['/', ',', ';'])) {
        let mut words = words_of(part);
        runs.insert(words.clone());
        let is_general = |last: &String| lexicon::words("label-ending").any(|ending| ending == last);
        if words.len() > 1 && words.last().is_some_and(is_general) {
            words.pop();
            runs.insert(words);
        }
    }
    runs.remove(&Vec::new());
    for run in runs.clone() {
        runs.extend(synonyms(&run).into_iter().cloned());
        for at in (0..run.len()).filter(|_| (2..=REPLACED_MAX).contains(&run.len())) {
            for synonym in synonyms(&run[at..=at]) {
                runs.insert([&run[..at], synonym, &run[at + 1..]].concat());
            }
        }
    }
    runs
}

/// Adds the names of places.
fn add_places(stated: &StatedValues, dictionary: &mut BTreeMap<String, NamedEntity>) {
    let mut naming: FxHashMap<String, BTreeSet<(u8, String)>> = FxHashMap::default();
    for facet in place_facets() {
        for (_, value) in stated.named(facet) {
            for around in place::with_ancestors(value) {
                naming.entry(around.to_owned()).or_default().insert((facet as u8, value.to_owned()));
            }
        }
    }
    let mut owners: FxHashMap<Vec<String>, &str> = FxHashMap::default();
    for (code, PlaceName { kind, .. }, run) in names() {
        // A name with several places names the first of them. The world is no place in particular.
        if code == WORLD
            || is_only_offered(&run.join(" "))
            || *owners.entry(run.clone()).or_insert(code) != code
        {
            continue;
        }
        let values = naming.get(code).cloned().unwrap_or_default();
        let capitals = *kind == NameKind::Capitals;
        add_place(&run, &NamedEntity { values, place: Some(code.to_owned()), capitals }, dictionary);
    }
    // A union of countries, such as the European Union, has no code of its own.
    for name in place::names().iter().filter(|name| name.kind == NameKind::Name && name.codes.len() > 1) {
        let values = name.codes.iter().filter_map(|code| naming.get(*code)).flatten().cloned().collect();
        add_place(&words_of(name.text), &NamedEntity { values, ..NamedEntity::default() }, dictionary);
    }
}

/// Names of single places with the words of each, those of CLDR first, without names that a text does not mean alone.
fn names() -> impl Iterator<Item = (&'static str, &'static PlaceName, Vec<String>)> {
    let names = place::names().iter().filter_map(|name| match (name.kind, name.codes.as_slice()) {
        (NameKind::Code | NameKind::Ambiguous | NameKind::Offered, _) => None,
        (_, [code]) => Some((*code, name)),
        _ => None,
    });
    names.flat_map(|(code, name)| forms(name).into_iter().map(move |form| (code, name, form)))
}

/// The words of a name of a place; those of a people also in the plural and the feminine.
fn forms(name: &PlaceName) -> Vec<Vec<String>> {
    let words = words_of(name.text.split(" (").next().unwrap_or(name.text));
    let (NameKind::Demonym, Some((last, before))) = (name.kind, words.split_last()) else {
        return vec![words];
    };
    let endings: &[&str] = match last.chars().last() {
        Some('o') => &["o", "a", "os", "as"],
        Some('s' | 'l') => &["", "es", "a", "as"],
        Some('i') => &["", "s", "es"],
        _ => &["", "s"],
    };
    let stem = last.strip_suffix('o').unwrap_or(last);
    endings.iter().map(|ending| [before, &[format!("{stem}{ending}")]].concat()).collect()
}

/// Words of a name, and whether it is that of a city in the place.
type Name = (Vec<String>, bool);

static NAMES: LazyLock<FxHashMap<&'static str, Vec<Name>>> = LazyLock::new(|| {
    let mut all: FxHashMap<&str, BTreeSet<Name>> = FxHashMap::default();
    for (code, name, words) in names().filter(|(_, name, _)| name.kind != NameKind::Capitals) {
        all.entry(code).or_default().insert((words, name.kind == NameKind::City));
    }
    all.into_iter().map(|(code, names)| (code, names.into_iter().collect())).collect()
});

/// The names of a place and its people that words which name it may stand for in a text: all of them, and of a city
/// itself alone, as what has it in the text comes before what states the place around it.
pub(super) fn names_of_place(code: &str, run: &[QueryWord]) -> impl Iterator<Item = &'static Vec<String>> {
    let is_run = |words: &[String]| words.iter().eq(run.iter().map(|word| &*word.text));
    let names = NAMES.get(code).map_or(&[][..], Vec::as_slice);
    let is_city_meant = names.iter().any(|(words, is_city)| *is_city && is_run(words));
    let is_meant = move |(words, is_city): &&Name| if is_city_meant { is_run(words) } else { !is_city };
    names.iter().filter(is_meant).map(|(words, _)| words)
}

/// Adds a name of a place, also if no record names the place.
fn add_place(run: &[String], entity: &NamedEntity, dictionary: &mut BTreeMap<String, NamedEntity>) {
    if run.len() > RUN_MAX {
        return;
    }
    let known = dictionary.entry(place_key(run).into()).or_insert_with(|| entity.clone());
    if known.place.is_none() {
        known.place.clone_from(&entity.place);
        known.values.extend(entity.values.iter().cloned());
    }
}

/// Writes the sections.
pub(super) fn write(vocabulary: &[Term], stated: &StatedValues, writer: &mut SectionWriter) {
    let dictionary = entity_dictionary(vocabulary, stated);
    let entities: BTreeSet<&NamedEntity> = dictionary.values().collect();
    let numbers: FxHashMap<&NamedEntity, u32> = entities.iter().copied().zip(0..).collect();
    Strings::write(writer, KEYS, dictionary.keys().map(String::as_bytes));
    writer.put("concept.of", dictionary.values().map(|entity| numbers[entity]).collect::<Vec<_>>());
    writer.put("concepts", serde_json::to_vec(&entities).unwrap_or_default());
}

const KEYS: Pair = ("concept.at", "concept.text");

/// An entity, looked up in the values.
#[derive(Debug)]
pub(super) struct Entity {
    /// Ordinals of values that are not places.
    pub(super) values: Vec<u32>,
    /// Ordinals of values that are the place or in it.
    naming: Vec<u32>,
    /// Code of a place.
    pub(super) place: Option<String>,
    capitals: bool,
}

impl Entity {
    fn new(entity: NamedEntity, values: &Values) -> Self {
        let NamedEntity { values: stated, place, capitals } = entity;
        let mut found = Self { values: Vec::new(), naming: Vec::new(), place, capitals };
        for (facet, value) in stated {
            let Some(spec) = FACETS.get(usize::from(facet)) else { continue };
            let list = if spec.is_place { &mut found.naming } else { &mut found.values };
            list.extend(values.find(spec.facet, &value));
        }
        found
    }

    /// Whether no record has any of its values.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.naming.is_empty()
    }

    /// The list of words before it that leave out what it names. `No tuition` is a benefit.
    pub(super) fn negated_by(&self, values: &Values) -> &'static str {
        let is_benefit = |ordinal: &u32| values.facet_of(*ordinal) == Facet::Benefits;
        match &self.place {
            Some(_) => PLACE,
            None if self.values.iter().all(is_benefit) => "without-benefit",
            None => "without-value",
        }
    }

    /// Documents of each of its values; `of_few`, of values other than places only those with few of their facet.
    pub(super) fn parts<'a>(&self, of_few: bool, values: &'a Values) -> Vec<DocSet<'a>> {
        let docs = |ordinal| if of_few { values.docs_of_few(ordinal) } else { values.docs(ordinal) };
        let others = self.values.iter().map(|ordinal| docs(*ordinal));
        others.chain(self.naming.iter().map(|ordinal| values.naming(*ordinal))).collect()
    }

    /// Other values that end with one of its own: of `student`, `graduate-student`.
    pub(super) fn narrower(&self, values: &Values) -> impl Iterator<Item = u32> {
        let all = |own: &u32| values.of(values.facet_of(*own)).map(|other| other as u32);
        let pairs = self.values.iter().flat_map(move |own| all(own).map(move |other| (*own, other)));
        pairs.filter_map(|(own, other)| {
            let before = values.text(other).strip_suffix(values.text(own))?;
            (before.ends_with(['-', ' ']) && before != "non-").then_some(other)
        })
    }

    /// Documents that admit its place, many of them by a wider one, and state no citizenship or residence that shuts it
    /// out; `None` without a place.
    pub(super) fn with_wider_places<'a>(&self, values: &'a Values) -> Option<DocSet<'a>> {
        let place = self.place.as_deref()?;
        let admitting = place_facets().filter(|facet| facet.spec().is_eligibility);
        let admitting =
            union(admitting.map(|facet| values.docs_of_place(facet, place)).collect(), values.count);
        // What names the place or one in it does not shut it out.
        let inside = |facet: Facet| {
            let of_facet = self.naming.iter().filter(|ordinal| values.facet_of(**ordinal) == facet);
            union(of_facet.map(|ordinal| values.naming(*ordinal)).collect(), values.count)
        };
        let shut = |facet| values.shutting_out(facet, place).without(&inside(facet));
        let admitting = [Facet::Citizenships, Facet::Residences]
            .into_iter()
            .fold(admitting, |docs, facet| docs.without(&shut(facet)));
        Some(union(vec![admitting, values.docs_of_place(Facet::Destinations, place)], values.count))
    }

    /// Documents that name each region around its place, except for the world.
    pub(super) fn around<'a>(&self, values: &'a Values) -> Vec<DocSet<'a>> {
        let places = self.place.iter().flat_map(|place| place::with_ancestors(place).skip(1));
        let regions = places.filter(|region| *region != WORLD);
        let named = regions.flat_map(|region| place_facets().map(move |facet| values.find(facet, region)));
        named.flatten().map(|ordinal| values.naming(ordinal)).collect()
    }

    /// Facets of its values; for a place, the place facets of eligibility.
    pub(super) fn facets(&self, values: &Values) -> Vec<Facet> {
        let of_place = place_facets().filter(|facet| self.place.is_some() && facet.spec().is_eligibility);
        let mut facets: Vec<Facet> = of_place.collect();
        for facet in self.values.iter().map(|ordinal| values.facet_of(*ordinal)) {
            if !facets.contains(&facet) {
                facets.push(facet);
            }
        }
        facets
    }
}

/// The entities, open.
pub(super) struct NamedEntities {
    keys: Dictionary,
    of: Section<u32>,
    entities: Vec<Entity>,
    /// All words of keys.
    words: FxHashSet<String>,
    /// Words in the longest key that begins with a word.
    longest_from: FxHashMap<String, usize>,
}

impl NamedEntities {
    /// Opens the sections beside the values.
    pub(super) fn open(sections: &Sections, values: &Values) -> Result<Self, SectionError> {
        let keys = Dictionary::open(sections, KEYS)?;
        let of = column::<u32>(sections, "concept.of", keys.strings.count())?;
        let entities: Vec<NamedEntity> = serde_json::from_slice(&sections.get::<u8>("concepts")?)
            .map_err(|_| SectionError("concepts", "is not JSON"))?;
        check_below("concept.of", &of, entities.len())?;
        let entities = entities.into_iter().map(|entity| Entity::new(entity, values)).collect();
        let mut words = FxHashSet::default();
        let mut longest_from: FxHashMap<String, usize> = FxHashMap::default();
        for key in (0..keys.strings.count()).map(|key| keys.strings.text(key)) {
            let first = key.split(' ').next().unwrap_or_default();
            let longest = longest_from.entry(first.to_owned()).or_default();
            *longest = key.split(' ').count().min(RUN_MAX).max(*longest);
            words.extend(key.split(' ').map(str::to_owned));
        }
        Ok(Self { keys, of, entities, words, longest_from })
    }

    /// The longest run at the start of some words that names an entity: its length, and the entity.
    pub(super) fn longest(&self, typed: &[QueryWord]) -> Option<(usize, &Entity)> {
        let keys = keys_of(&[&typed.first()?.text]);
        let longest = keys.iter().filter_map(|key| self.longest_from.get(key.as_str()).copied()).max()?;
        (1..=typed.len().min(longest)).rev().find_map(|length| {
            let run = &typed[..length];
            let words: Vec<&str> = run.iter().map(|word| word.text.as_str()).collect();
            let entity = self.named(&words)?;
            let is_named = !entity.capitals || run.iter().all(|word| word.capitals);
            is_named.then_some((length, entity))
        })
    }

    /// The entity that words name.
    fn named<T: AsRef<str>>(&self, words: &[T]) -> Option<&Entity> {
        let position = keys_of(words).iter().find_map(|key| self.keys.find(key.as_bytes()))?;
        Some(&self.entities[*self.of.get(position)? as usize])
    }

    /// Values of benefits that each of some words joined by "and" names: of `tuition and stipend`, those of both. Empty
    /// unless each names some.
    pub(super) fn joined_benefits(&self, words: &[String], values: &Values) -> Vec<Vec<u32>> {
        let is_benefit = |ordinal: &u32| values.facet_of(*ordinal) == Facet::Benefits;
        let benefits = |words: &[String]| {
            let named = self.named(words).map(|entity| entity.values.iter().copied().filter(is_benefit));
            named.map(Iterator::collect::<Vec<u32>>).filter(|named| !named.is_empty())
        };
        let parts = words.split(|word| lexicon::has("and", word)).map(benefits);
        parts.collect::<Option<Vec<_>>>().filter(|parts| parts.len() > 1).unwrap_or_default()
    }

    /// Whether a word is part of any key.
    pub(super) fn has_word(&self, word: &str) -> bool {
        keys_of(&[word]).iter().any(|key| self.words.contains(key.as_str()))
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
