//! Filter values that are written almost like a common one: a slip of the pen, told with what was meant.

use std::collections::{BTreeMap, BTreeSet};

use snapshot::facet::Facet;

use crate::diagnostics::{Code, Diagnostic, Fix, Location, Safety};
use crate::rows::Tables;
use crate::text::{is_near, quoted};

/// A value used at most so often is held against those that are used at least so often.
const RARE: usize = 2;
const COMMON: usize = 10;

/// How often each value of each facet is used, and where first.
type Uses<'a> = BTreeMap<Facet, BTreeMap<&'a str, (usize, Location, &'static str)>>;

/// Values that are doubtful. Places have a closed list of their own; a value with a label is meant.
pub(super) fn doubts(tables: &Tables) -> Vec<Diagnostic> {
    let labelled: BTreeSet<(Option<Facet>, &str)> = tables
        .vocabulary
        .iter()
        .map(|row| (Facet::parse(&row.record.facet), row.record.value.as_str()))
        .collect();
    let mut doubts = Vec::new();
    for (facet, values) in uses(tables) {
        let common: Vec<&str> =
            values.iter().filter(|(_, (count, ..))| *count >= COMMON).map(|(value, _)| *value).collect();
        for (value, (count, at, field)) in &values {
            if *count > RARE || labelled.contains(&(Some(facet), value)) {
                continue;
            }
            if let Some(near) = common.iter().find(|common| is_near(value, common)) {
                let message = format!("{} is nearly {}, which is common", quoted(value), quoted(near));
                let help = format!("did you mean `{near}`? Else add {} to `vocabulary`", quoted(value));
                let told =
                    Diagnostic::new(Code::LooksLikeValue, *at, message).value(*field, *value).help(help);
                doubts.push(told.fix(Fix::value(Safety::Unsafe, *field, value, near)));
            }
        }
    }
    doubts
}

fn uses(tables: &Tables) -> Uses<'_> {
    let mut uses = Uses::new();
    let mut add = |facet: Facet, value, at: Location, field| {
        if !facet.spec().is_place {
            let known = uses.entry(facet).or_default().entry(value).or_insert((0, at, field));
            *known = (
                known.0 + 1,
                if at < known.1 { at } else { known.1 },
                if at < known.1 { field } else { known.2 },
            );
        }
    };
    for row in &tables.programs {
        let record = &row.record;
        add(Facet::Types, record.program_type.as_str(), row.at, "programType");
        record.fields.iter().for_each(|value| add(Facet::Fields, value.as_str(), row.at, "fields"));
        record
            .career_stages
            .iter()
            .for_each(|value| add(Facet::Careers, value.as_str(), row.at, "careerStages"));
    }
    for row in &tables.facts {
        if let (Some(facet), Some(value)) = (Facet::of_kind(&row.record.kind), row.record.value) {
            add(facet, value.as_str(), row.at, "value");
        }
    }
    uses
}
