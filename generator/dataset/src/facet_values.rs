//! Values of facets in programs and facts: labels in place of values, and misspelt values.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use snapshot::facet::{Facet, VALUE_WORDS};
use snapshot::place;
use snapshot::record::{Dataset, InternedStr, Locale, Term};
use snapshot::text::normalized;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::places;
use crate::read::{Input, InputError, vocabulary};
use crate::rows::{Row, Tables};
use crate::text::{is_near, lowered, part_of, quoted};

/// A value used at most so often is compared with values used at least so often.
const RARE: usize = 2;
const COMMON: usize = 10;

/// Maximum number of values without a Spanish label that a note lists.
const LISTED: usize = 20;

/// The values of each facet, with the number of uses, the first place and its field. Places have a closed list and are
/// left out.
type ValueUses = BTreeMap<Facet, BTreeMap<&'static str, (usize, Location, &'static str)>>;

/// The values of a facet, and what their labels stand for; an ambiguous label stands for none.
#[derive(Default)]
struct FacetLabels {
    values: BTreeSet<String>,
    labels: BTreeMap<String, Option<String>>,
}

/// The facet that the texts of a field are values of; of a fact, by its kind.
fn facet_of(field: &str, kind: &str) -> Option<Facet> {
    match field {
        "programType" => Some(Facet::Types),
        "fields" => Some(Facet::Fields),
        "careerStages" => Some(Facet::Careers),
        "value" => Facet::of_kind(kind),
        _ => None,
    }
}

/// Fields of places, beside the values of facts.
const PLACES: [&str; 3] = ["countryCode", "eligibleCountries", "destinationCountries"];

/// The values of every facet by their labels; by default, of none but places.
#[derive(Default)]
pub struct Labels(BTreeMap<Facet, FacetLabels>);

impl Labels {
    /// Of the vocabulary of a dataset, whose problems are not reported.
    ///
    /// # Errors
    /// When the folder or one of its files cannot be read.
    pub fn read(input: &Input<'_>) -> Result<Self, InputError> {
        vocabulary(input).map(|rows| Self::new(&rows))
    }

    /// Of a vocabulary.
    pub(crate) fn new(vocabulary: &[Row<Term>]) -> Self {
        let mut facets: BTreeMap<Facet, FacetLabels> = BTreeMap::new();
        for term in vocabulary.iter().map(|row| &row.record) {
            // Places have names of their own.
            let facet = Facet::parse(&term.facet).filter(|facet| !facet.spec().is_place);
            let Some(facet) = facet else { continue };
            let of = facets.entry(facet).or_default();
            of.values.insert(term.value.clone());
            for label in [&term.label_en, &term.label_es].into_iter().flatten() {
                let known = of.labels.entry(normalized(label)).or_insert_with(|| Some(term.value.clone()));
                known.take_if(|value| *value != term.value);
            }
        }
        Self(facets)
    }

    /// Whether the texts of a field are values of an open list; of a fact, by its kind.
    pub fn is_open(field: &str, kind: &str) -> bool {
        facet_of(field, kind).is_some_and(|facet| !facet.spec().is_place)
    }

    /// The code of the place, or the value, that a text of a field is the name of. What has several readings is the name of
    /// none. Facts have a kind.
    pub fn meant(&self, field: &str, kind: &str, text: &str) -> Option<String> {
        let facet = facet_of(field, kind);
        if let Some(facet) = facet.filter(|facet| !facet.spec().is_place) {
            return self.value_of(facet, text).map(str::to_owned);
        }
        if facet.is_none() && !PLACES.contains(&field) || place::is_place(text) {
            return None;
        }
        let [code] = places::named(text) else { return None };
        let is_country = code.bytes().all(|byte| byte.is_ascii_uppercase());
        (field != "countryCode" || is_country).then(|| (*code).to_owned())
    }

    /// The value that a text is the label of, unless the text is a value itself.
    fn value_of(&self, facet: Facet, text: &str) -> Option<&str> {
        let of = self.0.get(&facet).filter(|of| !of.values.contains(text))?;
        of.labels.get(&normalized(text))?.as_deref()
    }
}

impl Tables {
    /// Visits every facet value with the name of its field.
    fn visit_facet_values(&mut self, mut visit: impl FnMut(Facet, &'static str, Location, &mut InternedStr)) {
        for Row { record, at } in &mut self.programs {
            let fields = [
                (Facet::Types, "programType", std::slice::from_mut(&mut record.program_type)),
                (Facet::Fields, "fields", &mut record.fields),
                (Facet::Careers, "careerStages", &mut record.career_stages),
            ];
            for (facet, field, values) in fields {
                values.iter_mut().for_each(|value| visit(facet, field, *at, value));
            }
        }
        for Row { record, at } in &mut self.facts {
            if let (Some(facet), Some(value)) = (facet_of("value", &record.kind), &mut record.value) {
                visit(facet, "value", *at, value);
            }
        }
    }
}

/// Reports labels in place of values.
pub(crate) fn check_labels(tables: &mut Tables, labels: &Labels, report: &mut Diagnostics) {
    tables.visit_facet_values(|facet, field, at, value| {
        let Some(meant) = labels.value_of(facet, value) else { return };
        let message = format!("`{field}` is {}, the label of a value", quoted(value));
        let error = Diagnostic::new(Code::LabelForValue, at, message).value(field, value.as_str());
        report.push(error.help(format!("write `{meant}`")));
    });
}

/// Reports values without a Spanish label, in a dataset with Spanish pages, and rare values that are nearly common ones,
/// unless they have a label.
pub(crate) fn check(tables: &mut Tables, report: &mut Diagnostics) {
    let mut uses = ValueUses::new();
    tables.visit_facet_values(|facet, field, at, value| {
        if !facet.spec().is_place {
            let known = uses.entry(facet).or_default().entry(value.as_str()).or_insert((0, at, field));
            known.0 += 1;
            if at < known.1 {
                (known.1, known.2) = (at, field);
            }
        }
    });
    let needs_spanish = |of: &Dataset| of.language() == Locale::En && of.locales.contains(&Locale::Es);
    if tables.dataset.as_ref().is_some_and(|row| needs_spanish(&row.record)) {
        note_untranslated(tables, &uses, report);
    }
    let labelled = values_of(tables, |_| true);
    for (facet, values) in &uses {
        let common: Vec<&str> =
            values.iter().filter(|(_, (count, ..))| *count >= COMMON).map(|(value, _)| *value).collect();
        let mut spelt: BTreeMap<String, (usize, &str)> = BTreeMap::new();
        for (value, (count, ..)) in values {
            let most = spelt.entry(lowered(value)).or_default();
            *most = (*count, *value).max(*most);
        }
        for (value, (count, at, field)) in values {
            if labelled.contains(&(Some(*facet), value)) {
                continue;
            }
            let other = spelt.get(&lowered(value)).map(|(_, it)| it).filter(|it| *it != value);
            let near = || common.iter().filter(|_| *count <= RARE).find(|common| is_near(value, common));
            if let Some(near) = other.or_else(near) {
                let message = format!("{} is nearly {}, another value", quoted(value), quoted(near));
                let help = format!("did you mean `{near}`? Else add {} to `vocabulary`", quoted(value));
                let warning = Diagnostic::new(Code::LooksLikeValue, *at, message).value(*field, *value);
                report.push(warning.help(help));
            }
        }
    }
}

/// The values of some terms of the vocabulary.
fn values_of(tables: &Tables, is_wanted: impl Fn(&Term) -> bool) -> BTreeSet<(Option<Facet>, &str)> {
    let terms = tables.vocabulary.iter().map(|row| &row.record).filter(|term| is_wanted(term));
    terms.map(|term| (Facet::parse(&term.facet), &*term.value)).collect()
}

/// Notes values without a label or a word in Spanish, once for each facet: the most used come first.
fn note_untranslated(tables: &Tables, uses: &ValueUses, report: &mut Diagnostics) {
    let labelled = values_of(tables, |term| term.label_es.is_some());
    for (facet, values) in uses {
        let is_labelled =
            |value: &str| VALUE_WORDS.contains_key(value) || labelled.contains(&(Some(*facet), value));
        let missing = values.iter().filter(|(value, _)| !is_labelled(value));
        let mut missing: Vec<(usize, &str)> = missing.map(|(value, (count, ..))| (*count, *value)).collect();
        if missing.is_empty() {
            continue;
        }
        missing.sort_by_key(|(count, value)| (Reverse(*count), *value));
        let listed = missing.iter().take(LISTED).map(|(count, value)| format!("{} ({count})", quoted(value)));
        let (name, listed) = (facet.spec().name, listed.collect::<Vec<_>>().join(", "));
        let part = part_of(missing.len(), values.len(), "value", ["has", "have"]);
        report.note(format!("`{name}`: {part} no Spanish label, by use: {listed}"));
    }
}
