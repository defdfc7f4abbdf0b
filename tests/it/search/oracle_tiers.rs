//! The tiers of ranked answers, from their rules: what of a question every record has, may have, or says
//! nothing of.

use std::collections::{BTreeSet, HashSet};

use snapshot::facet::{FACETS, Facet};
use snapshot::place::{self, NameKind, PlaceName};
use snapshot::search::{NamedEntity, cognate_keys, is_known_word};
use snapshot::text::{QueryWord, words_of};

use super::oracle::{Oracle, Record, says};
use super::oracle_text::{Clause, Positions, stand_together};
use tests::world::day_after;

/// Most words of a question that are guessed, and most words that one is guessed to be.
const GUESSED: usize = 2;
const SHOWN: usize = 3;
/// Most records that have a word whose cognates are searched.
const RARE: usize = 20;

/// Weight of an everyday word, as a share of that of another one.
const EVERYDAY: f64 = 0.3;

/// Facets of who may apply.
const ELIGIBILITY: [&str; 8] = [
    "countries",
    "careers",
    "applicants",
    "audiences",
    "citizenships",
    "residences",
    "education",
    "enrollments",
];
const PLACES: [&str; 4] = ["countries", "destinations", "citizenships", "residences"];

/// A clause, and by record whether it is had, had through a wider place, or not spoken of.
struct Part {
    has: Vec<bool>,
    /// Had in the words that were typed.
    plain: Vec<bool>,
    wider: Option<Vec<bool>>,
    mute: Option<Vec<bool>>,
    worth: f64,
}

impl Oracle<'_> {
    /// How many records match a text fully; `taken_back` are runs that are words, whatever they name.
    pub(super) fn total(&self, text: &str, taken_back: &[String]) -> usize {
        let understood = self.reader.understand(text, taken_back);
        let fits = |record: &&Record<'_>| {
            let has = |clause: &Clause| self.holds(record, clause);
            understood.wanted.iter().all(has) && understood.admits(&record.texts)
        };
        self.records.iter().filter(fits).count()
    }

    /// Slugs of the records that are shown for a text, and the tier of each; what is called so is all.
    pub(super) fn tiers(&self, text: &str) -> BTreeSet<(String, &'static str)> {
        let understood = self.reader.understand(text, &[]);
        let negated = || understood.wanted.iter().filter(|clause| clause.is_negated());
        let is_kept = |record: &Record<'_>| {
            understood.admits(&record.texts) && negated().all(|clause| self.holds(record, clause))
        };
        let among: Vec<bool> = self.records.iter().map(is_kept).collect();
        let phrased = !understood.phrases.is_empty();
        let (mut parts, mut unknown, mut guesses) = (Vec::new(), 0, 0);
        for mut clause in understood.wanted {
            let plain = self.holders(&clause);
            let guess =
                if self.reader.is_unknown(&clause) && guesses < GUESSED { self.guess(&clause) } else { None };
            guesses += usize::from(guess.is_some());
            let cognates = if count(&plain) <= RARE { self.cognates(&clause) } else { None };
            let similar = (!clause.similar.is_empty()).then(|| clause.similar.clone());
            guess.into_iter().chain(cognates).chain(similar).for_each(|tokens| clause.guess(tokens));
            let part = self.part(&clause, plain);
            let is_wider = part.wider.as_ref().is_some_and(|wider| wider.contains(&true));
            if self.reader.is_unknown(&clause) && !is_wider { unknown += 1 } else { parts.push(part) }
        }
        let rules = Rules { parts, unknown, phrased, count: self.records.len() };
        let told = self.records.iter().enumerate().filter(|(record, _)| among[*record]);
        told.filter_map(|(at, record)| Some((record.program.slug.clone(), rules.tier(at)?))).collect()
    }

    /// Which records have a clause.
    fn holders(&self, clause: &Clause) -> Vec<bool> {
        self.records.iter().map(|record| self.holds(record, clause)).collect()
    }

    fn holds(&self, record: &Record<'_>, clause: &Clause) -> bool {
        let place = clause.place();
        if let (true, Some(role), Some(place)) = (clause.is_outside, clause.role, place) {
            let is_outside = |value: &&str| place::with_ancestors(value).all(|around| around != place);
            return record.named[role.spec().name].iter().any(is_outside);
        }
        if clause.is_negated() {
            return !clause.concept.as_ref().is_some_and(|concept| says(record, concept));
        }
        let sense = place.map(|place| self.in_sense(record, place));
        let sense = sense.as_ref().unwrap_or(&record.texts);
        clause.fits_in_sense(&record.texts, sense, |concept| says(record, concept))
            && !self.contradicts(record, clause)
    }

    /// The texts of a record without the words that mean something else than a place: all, if a text has a phrase of
    /// another sense, else those within longer names of other places.
    fn in_sense(&self, record: &Record<'_>, place: &str) -> Vec<Positions> {
        let related =
            |phrase: &&str| phrase.split(' ').map(|word| self.reader.related(word)).collect::<Vec<_>>();
        let is_used =
            |row: Vec<BTreeSet<String>>| record.texts.iter().any(|text| stand_together(text, &row, false));
        if other_senses(place).iter().map(related).any(is_used) {
            return Vec::new();
        }
        let kinds = [NameKind::Name, NameKind::Subdivision, NameKind::Demonym];
        let names = place::names().iter().filter(|name| kinds.contains(&name.kind) && name.codes.len() == 1);
        let is_other = |name: &&PlaceName| place::with_ancestors(name.codes[0]).all(|around| around != place);
        let names = names.filter(is_other).map(|name| words_of(name.text)).filter(|words| words.len() > 1);
        // There are thousands of names, and a record has few of them.
        let tokens: HashSet<&String> = record.texts.iter().flatten().flatten().collect();
        let names = names.filter(|words| words.iter().all(|word| tokens.contains(word)));
        let mut texts = record.texts.clone();
        for name in names {
            let is_there =
                |window: &[Vec<String>]| window.iter().zip(&name).all(|(at, word)| at.contains(word));
            for (text, kept) in record.texts.iter().zip(&mut texts) {
                for start in
                    (0..text.len()).filter(|at| text[*at..].len() >= name.len() && is_there(&text[*at..]))
                {
                    let parts = kept[start..].iter_mut().zip(&name);
                    parts.for_each(|(at, word)| at.retain(|token| token != word));
                }
            }
        }
        texts
    }

    fn part(&self, clause: &Clause, plain: Vec<bool>) -> Part {
        let of = |fits: &dyn Fn(&Record<'_>) -> bool| self.records.iter().map(fits).collect::<Vec<bool>>();
        let has = self.holders(clause);
        let concept = clause.concept.as_ref().filter(|it| it.place.is_some() || !it.values.is_empty());
        let wider = concept.and_then(|concept| concept.place.as_deref()).filter(|_| !clause.is_outside).map(
            |place| of(&|record| self.is_wider(record, clause, place) && !record.is_seated_elsewhere(place)),
        );
        let silent = |facets: &[&str]| {
            of(&|record| facets.iter().all(|it| record.named[it].is_empty() && record.shut[it].is_empty()))
        };
        let of_role = |role: Facet| vec![role.spec().name];
        let outside = clause.role.filter(|_| clause.is_outside).map(of_role);
        let spoken = outside.or_else(|| concept.map(spoken));
        let mute = spoken
            .map(|facets| facets.into_iter().filter(|it| ELIGIBILITY.contains(it)).collect::<Vec<_>>())
            .filter(|facets| !facets.is_empty())
            .map(|facets| silent(&facets));
        let share = if clause.is_everyday() { EVERYDAY } else { 1.0 };
        let worth = share * worth(count(&has), self.records.len());
        Part { has, plain, wider, mute, worth }
    }

    /// Whether a record admits a place, maybe by a wider one, and states no citizenship or residence elsewhere.
    fn is_wider(&self, record: &Record<'_>, clause: &Clause, place: &str) -> bool {
        let admits = |facet: &&str| self.has(record, facet, place, day_after(0));
        let [countries, destinations, citizenships, residences] = PLACES;
        let as_goal = admits(&destinations);
        let as_home = [countries, citizenships, residences].iter().any(admits)
            && ![citizenships, residences].iter().any(|facet| self.is_elsewhere(record, clause, facet));
        match clause.role.map(|facet| facet.spec().name) {
            None => as_goal || as_home,
            Some("destinations") => as_goal,
            Some(_) => as_home,
        }
    }

    /// Whether a record names the place of a clause, or one in it, for a facet.
    fn is_inside(record: &Record<'_>, clause: &Clause, facet: &str) -> bool {
        let of_facet = |number: u8| FACETS[usize::from(number)].name == facet;
        let mut values = clause.concept.iter().flat_map(|concept| &concept.values);
        values.any(|(number, value)| of_facet(*number) && record.named[facet].contains(value.as_str()))
    }

    /// Whether what a record states for a facet leaves the place of a clause out.
    fn is_elsewhere(&self, record: &Record<'_>, clause: &Clause, facet: &str) -> bool {
        let Some(place) = clause.concept.as_ref().and_then(|concept| concept.place.as_deref()) else {
            return false;
        };
        let around: Vec<&str> = place::with_ancestors(place).collect();
        let is_shut = around.iter().any(|place| record.shut[facet].contains(place));
        let is_named = around.iter().any(|place| record.named[facet].contains(place));
        (is_shut || !record.named[facet].is_empty() && !is_named) && !Self::is_inside(record, clause, facet)
    }

    /// Whether a record states something else for the role of a place.
    fn contradicts(&self, record: &Record<'_>, clause: &Clause) -> bool {
        let Some(role) = clause.role.map(|facet| facet.spec().name) else { return false };
        let [countries, destinations, citizenships, residences] = PLACES;
        let is_home =
            [countries, citizenships, residences].iter().any(|it| Self::is_inside(record, clause, it));
        let is_only_goal = Self::is_inside(record, clause, destinations) && !is_home;
        self.is_elsewhere(record, clause, role) || role != destinations && is_only_goal
    }

    /// Words of the other language with the origin of a word that names nothing.
    fn cognates(&self, clause: &Clause) -> Option<BTreeSet<String>> {
        let ([word], None) = (clause.typed.as_slice(), &clause.concept) else { return None };
        let key = |word: &str| cognate_keys(word).map(|key| key.map(|key| key[1..].to_owned()));
        let [english, spanish] = key(&word.text);
        let is_cognate = |token: &&String| {
            let [of_english, of_spanish] = key(token);
            english.is_some() && english == of_spanish || spanish.is_some() && spanish == of_english
        };
        Some(self.reader.tokens().filter(is_cognate).cloned().collect())
    }

    /// What a word that stands nowhere may be a slip of.
    fn guess(&self, clause: &Clause) -> Option<BTreeSet<String>> {
        let [word] = clause.typed.as_slice() else { return None };
        if self.reader.is_in_a_name(&word.text) {
            return None;
        }
        let mut near: Vec<(usize, &String)> =
            self.reader.tokens().filter_map(|token| Some((slips(word, token)?, token))).collect();
        let least = near.iter().map(|(distance, _)| *distance).min()?;
        near.retain(|(distance, _)| *distance == least);
        let holders = |token: &String| {
            let has = |record: &&Record<'_>| record.texts.iter().flatten().flatten().any(|it| it == token);
            self.records.iter().filter(has).count()
        };
        near.sort_by_key(|(_, token)| (std::cmp::Reverse(holders(token)), token.as_bytes()));
        Some(near.into_iter().take(SHOWN).map(|(_, token)| token.clone()).collect())
    }
}

/// Phrases in which the words of a place mean something else.
fn other_senses(place: &str) -> Vec<&'static str> {
    let lines = include_str!("../../../snapshot/data/words.txt").lines();
    let of_place =
        lines.filter_map(|line| line.strip_prefix("other-sense-")?.strip_prefix(place)?.split_once(": "));
    of_place.flat_map(|(_, phrases)| phrases.split(", ")).collect()
}

/// Facets of who may apply that a concept speaks of.
fn spoken(concept: &NamedEntity) -> Vec<&'static str> {
    let of_place =
        ["countries", "citizenships", "residences"].into_iter().filter(|_| concept.place.is_some());
    let named = concept.values.iter().map(|(facet, _)| &FACETS[usize::from(*facet)]);
    let named = named.filter(|spec| !spec.is_place).map(|spec| spec.name);
    let mut facets: Vec<&str> = of_place.chain(named).filter(|name| ELIGIBILITY.contains(name)).collect();
    facets.sort_unstable();
    facets.dedup();
    facets
}

fn count(holders: &[bool]) -> usize {
    holders.iter().filter(|has| **has).count()
}

/// How much it tells that a record is one of some holders.
fn worth(holders: usize, count: usize) -> f64 {
    let (holders, count) = (holders as f64, count as f64);
    (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln().powf(0.7)
}

/// How many slips away a token is, if so many are allowed for a word of that length.
fn slips(word: &QueryWord, token: &str) -> Option<usize> {
    let (typed, other): (Vec<char>, Vec<char>) = (word.text.chars().collect(), token.chars().collect());
    if word.capitals || is_known_word(&word.text) || !typed.iter().all(|letter| letter.is_alphabetic()) {
        return None;
    }
    let swapped = typed.len() > 1 && other.starts_with(&[typed[1], typed[0]]);
    if other.first() != typed.first() && !swapped {
        return None;
    }
    let distance = distance(&typed, &other);
    match typed.len() {
        ..4 => None,
        4 => (distance == 1 && other.len() == 4 && sorted(&typed) == sorted(&other)).then_some(1),
        5..9 => (distance <= 1).then_some(distance),
        _ => (distance <= 2).then_some(distance),
    }
}

fn sorted(letters: &[char]) -> Vec<char> {
    let mut letters = letters.to_vec();
    letters.sort_unstable();
    letters
}

/// Insertions, deletions, replacements and swaps of neighbours, by the whole table.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = match (i, j) {
                (0, _) | (_, 0) => i + j,
                _ => {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    let swapped = if swap { table[i - 2][j - 2] + 1 } else { usize::MAX };
                    replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1).min(swapped)
                }
            };
        }
    }
    table[a.len()][b.len()]
}

/// The rules over the parts of a question.
struct Rules {
    parts: Vec<Part>,
    unknown: usize,
    phrased: bool,
    count: usize,
}

impl Rules {
    /// The best tier of a record; none where it is not shown.
    fn tier(&self, at: usize) -> Option<&'static str> {
        let parts = &self.parts;
        let has = |part: &Part| part.has[at];
        let by_region = |part: &Part| part.wider.as_ref().is_some_and(|wider| wider[at]);
        let wider = |part: &Part| has(part) || by_region(part);
        let mute = |part: &Part| wider(part) || part.mute.as_ref().is_some_and(|mute| mute[at]);
        let all = self.unknown == 0;
        let guessed = parts.iter().any(|part| part.has != part.plain);
        if all && parts.iter().all(|part| part.plain[at]) {
            return Some("all");
        }
        let least = self.least();
        let most = parts.iter().enumerate().all(|(n, part)| Some(n) == least || wider(part));
        let few = |part: &Part| part.has.iter().filter(|has| **has).count() <= self.count / 2;
        if all && parts.iter().all(|part| part.plain[at] || by_region(part)) {
            Some("wider")
        } else if all && guessed && parts.iter().all(wider) {
            Some("guess")
        } else if all && parts.iter().any(|part| part.mute.is_some()) && parts.iter().all(mute) {
            Some("unstated")
        } else if (!parts.is_empty() || self.phrased) && (!all || least.is_some()) && most {
            Some("most")
        } else if self.phrased || parts.len() > 1 && parts.iter().any(|part| few(part) && has(part)) {
            Some("some")
        } else {
            None
        }
    }

    /// The part that tells least, if it tells at most a quarter of the question.
    fn least(&self) -> Option<usize> {
        let whole: f64 = self.parts.iter().map(|part| part.worth).sum();
        let least = self.parts.iter().enumerate().min_by(|(_, a), (_, b)| a.worth.total_cmp(&b.worth));
        let (position, part) = least?;
        (self.unknown == 0 && self.parts.len() > 1 && part.worth <= 0.25 * whole).then_some(position)
    }
}
