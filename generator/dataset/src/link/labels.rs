//! Filter values that are written as people read them: the label of one value of the vocabulary, in
//! English or Spanish, stands for that value.

use snapshot::facet::Facet;
use snapshot::record::{InternedStr, Program};

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Fix, Location, Safety};
use crate::labels::Labels;
use crate::rows::Tables;
use crate::text::quoted;

/// Takes labels for the values that they are of.
pub(super) fn understand(tables: &mut Tables, report: &mut Diagnostics) {
    let labels = Labels::new(&tables.vocabulary);
    if labels.is_empty() {
        return;
    }
    let mut reader = Reader { labels, report };
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

struct Reader<'r> {
    labels: Labels,
    report: &'r mut Diagnostics,
}

impl Reader<'_> {
    fn value(&mut self, facet: Facet, field: &'static str, at: Location, value: &mut InternedStr) {
        let Some(meant) = self.labels.meant(facet, value) else { return };
        let message = format!("`{field}`: {} understood as `{}`", quoted(value), meant.escape_debug());
        let told = Diagnostic::new(Code::LabelUnderstood, at, message).value(field, value.as_str());
        self.report.push(told.fix(Fix::value(Safety::Safe, field, value, meant)));
        *value = meant.into();
    }
}
