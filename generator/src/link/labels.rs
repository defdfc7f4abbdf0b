//! Filter values that are written as people read them: the label of one value of the vocabulary, in
//! English or Spanish, stands for that value.

use std::collections::{BTreeMap, BTreeSet};

use snapshot::facet::Facet;
use snapshot::record::{Program, Shared, Term};

use super::folded;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Fix, Location, Safety, quoted};
use crate::read::{Row, Tables};

/// The values of a facet, and what their labels stand for; a label of two values stands for none.
#[derive(Default)]
struct Words {
    values: BTreeSet<String>,
    labels: BTreeMap<String, Option<String>>,
}

/// Takes labels for the values that they are of.
pub(super) fn understand(tables: &mut Tables, report: &mut Diagnostics) {
    let words = words(&tables.vocabulary);
    if words.is_empty() {
        return;
    }
    let mut reader = Reader { words, report };
    for row in &mut tables.programs {
        let Program { program_type, fields, career_stages, .. } = &mut row.record;
        reader.value(Facet::Types, "programType", row.at, program_type);
        fields.iter_mut().for_each(|value| reader.value(Facet::Fields, "fields", row.at, value));
        career_stages
            .iter_mut()
            .for_each(|value| reader.value(Facet::Careers, "careerStages", row.at, value));
    }
    for row in &mut tables.facts {
        if let (Some(facet), Some(value)) = (Facet::of_kind(&row.record.kind), &mut row.record.value) {
            reader.value(facet, "value", row.at, value);
        }
    }
}

fn words(vocabulary: &[Row<Term>]) -> BTreeMap<Facet, Words> {
    let mut words: BTreeMap<Facet, Words> = BTreeMap::new();
    for row in vocabulary {
        let term = &row.record;
        // Places are known by names of their own.
        let Some(facet) = Facet::parse(&term.facet).filter(|facet| !facet.spec().places) else { continue };
        let of = words.entry(facet).or_default();
        of.values.insert(term.value.clone());
        for label in [&term.label_en, &term.label_es].into_iter().flatten() {
            let known = of.labels.entry(folded(label)).or_insert_with(|| Some(term.value.clone()));
            known.take_if(|value| *value != term.value);
        }
    }
    words
}

struct Reader<'r> {
    words: BTreeMap<Facet, Words>,
    report: &'r mut Diagnostics,
}

impl Reader<'_> {
    fn value(&mut self, facet: Facet, field: &'static str, at: Location, value: &mut Shared) {
        let Some(words) = self.words.get(&facet).filter(|words| !words.values.contains(value.as_str()))
        else {
            return;
        };
        let Some(Some(meant)) = words.labels.get(&folded(value)) else { return };
        let message = format!("`{field}`: {} understood as `{}`", quoted(value), meant.escape_debug());
        let told = Diagnostic::new(Code::LabelUnderstood, at, message).about(field, value.as_str());
        self.report.push(told.fix(Fix::value(Safety::Safe, field, value, meant)));
        *value = meant.as_str().into();
    }
}
