//! Problems that are one: the same rule about the same value of the same field of one file, however many
//! rows it stands in. Grouped before anything is cut, so that 600 equal mistakes are one problem.

use std::collections::BTreeMap;

use super::{Code, Diagnostic, Diagnostics, FileId, Severity};

/// How many groups of one code, file and field are told before the rest are counted.
const SHOWN_PER_FIELD: usize = 5;

/// One problem and every line that has it.
pub(super) struct Group<'a> {
    /// As its first row has it.
    pub first: &'a Diagnostic,
    /// Physical lines, in order.
    pub lines: Vec<u32>,
}

/// Groups that are counted rather than told.
pub(super) struct Hidden<'a> {
    /// The first of them.
    pub first: &'a Diagnostic,
    /// How many groups.
    pub groups: usize,
}

/// What is told and what is counted.
pub(super) struct Shown<'a> {
    pub told: Vec<Group<'a>>,
    pub hidden: Vec<Hidden<'a>>,
}

/// Every group, in the order of the places where each is first.
pub(super) fn groups(report: &Diagnostics) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known: BTreeMap<(Code, FileId, &str, &str), usize> = BTreeMap::new();
    for diagnostic in report.sorted() {
        let position = match &diagnostic.field {
            // What names no field has no other like it.
            None => None,
            Some(field) => {
                let value = diagnostic.value.as_deref().unwrap_or_default();
                let key = (diagnostic.code, diagnostic.at.file, &**field, value);
                let next = groups.len();
                Some(*known.entry(key).or_insert(next)).filter(|position| *position < next)
            }
        };
        match position.and_then(|position| groups.get_mut(position)) {
            Some(group) => group.lines.push(diagnostic.at.line),
            None => groups.push(Group { first: diagnostic, lines: vec![diagnostic.at.line] }),
        }
    }
    groups
}

/// Cuts groups to five of each code, file and field, and to `limit` in all, errors first; 0 keeps all.
pub(super) fn shown(groups: Vec<Group<'_>>, limit: usize) -> Shown<'_> {
    let mut shown = Shown { told: Vec::new(), hidden: Vec::new() };
    let errors = groups.iter().filter(|group| group.first.code.severity() == Severity::Error).count();
    let (mut errors_left, mut others_left) = (limit, limit.saturating_sub(errors.min(limit)));
    let mut of_field: BTreeMap<(Code, FileId, Option<&str>), usize> = BTreeMap::new();
    let mut hidden: BTreeMap<(Code, FileId), Hidden<'_>> = BTreeMap::new();
    for group in groups {
        let (code, file) = (group.first.code, group.first.at.file);
        let same = of_field.entry((code, file, group.first.field.as_deref())).or_default();
        let left = match code.severity() {
            Severity::Error => &mut errors_left,
            Severity::Warning => &mut others_left,
        };
        if limit == 0 || (*same < SHOWN_PER_FIELD && *left > 0) {
            *same += 1;
            *left = left.saturating_sub(1);
            shown.told.push(group);
        } else {
            let rest = hidden.entry((code, file)).or_insert(Hidden { first: group.first, groups: 0 });
            rest.groups += 1;
        }
    }
    shown.hidden = hidden.into_values().collect();
    shown
}
