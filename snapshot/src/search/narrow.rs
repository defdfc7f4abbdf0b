//! Narrowing: the documents that match all selected facet values, and for the counts of each group of facets, those
//! that match without it.

use crate::facet::Facet;
use crate::search::set::{DocSet, has_bit};

/// A base of fewer than one in this many documents is handled as a list.
const FEW: usize = 32;

/// The selected values of one group of facets.
pub(super) struct Group<'a> {
    /// The first facet of the group.
    pub(super) facet: Facet,
    /// The value, if only one is selected.
    pub(super) only: Option<u32>,
    /// Documents with any of the values.
    pub(super) docs: DocSet<'a>,
}

/// A base narrowed by groups. `None` is every document.
pub(super) struct Narrowed<'a> {
    /// The documents before any group.
    pub(super) base: Option<&'a DocSet<'a>>,
    pub(super) groups: Vec<Group<'a>>,
    /// Documents that match all groups.
    pub(super) found: Option<DocSet<'a>>,
    /// For each group of a small base, the documents that match all other groups only.
    pub(super) all_but_one: Option<Vec<DocSet<'a>>>,
}

impl<'a> Narrowed<'a> {
    /// Narrows a base of `count` documents; `counted` if facets will be counted without their own group.
    pub(super) fn new(
        base: Option<&'a DocSet<'a>>,
        groups: Vec<Group<'a>>,
        count: usize,
        counted: bool,
    ) -> Self {
        let mut narrowed = Self { base, groups, found: None, all_but_one: None };
        match base.filter(|_| counted).and_then(|base| few(base, count)) {
            Some(list) => {
                let (found, near) = split(&list, &narrowed.groups);
                (narrowed.found, narrowed.all_but_one) = (Some(found), Some(near));
            }
            None => narrowed.found = narrowed.without(None),
        }
        narrowed
    }

    /// Documents of the base and of every group but one, lists before bit sets; `None` is everything.
    pub(super) fn without(&self, group: Option<Facet>) -> Option<DocSet<'a>> {
        let groups = self.groups.iter().filter(|other| Some(other.facet) != group);
        let parts = self.base.into_iter().chain(groups.map(|group| &group.docs));
        let mut parts: Vec<DocSet<'a>> = parts.cloned().collect();
        parts.sort_by_key(|part| if let DocSet::List(list) = part { list.len() } else { usize::MAX });
        parts.into_iter().reduce(|docs, part| docs.and(&part))
    }

    /// The only selected value, apart from those of a group, if nothing else narrows the documents.
    pub(super) fn only_value(&self, without: Option<Facet>) -> Option<u32> {
        let mut groups = self.groups.iter().filter(|group| Some(group.facet) != without);
        match (self.base, groups.next(), groups.next()) {
            (None, Some(group), None) => group.only,
            _ => None,
        }
    }
}

/// A small base as a list.
fn few(base: &DocSet<'_>, count: usize) -> Option<Vec<u32>> {
    match base {
        DocSet::List(list) => Some(list.to_vec()),
        DocSet::Bits(_) => {
            let size = base.len();
            (size < count / FEW).then(|| {
                let mut list = Vec::with_capacity(size);
                base.for_each(|doc| list.push(doc));
                list
            })
        }
    }
}

/// Documents of a list that match all groups, and for each group those that match all others only.
fn split(list: &[u32], groups: &[Group<'_>]) -> (DocSet<'static>, Vec<DocSet<'static>>) {
    let mut failures = vec![0u32; list.len()];
    for (position, group) in groups.iter().enumerate() {
        mark_outside(list, &group.docs, 1 << position, &mut failures);
    }
    let mut found = Vec::new();
    let mut near = vec![Vec::new(); groups.len()];
    for (doc, failures) in list.iter().zip(failures) {
        match failures {
            0 => found.push(*doc),
            one if one.is_power_of_two() => near[one.trailing_zeros() as usize].push(*doc),
            _ => {}
        }
    }
    (DocSet::new(found), near.into_iter().map(DocSet::new).collect())
}

/// Sets a mark at every document of a list that is not in a set.
fn mark_outside(list: &[u32], docs: &DocSet<'_>, mark: u32, marks: &mut [u32]) {
    match docs {
        DocSet::Bits(bits) => {
            let outside = list.iter().map(|doc| u32::from(!has_bit(bits, *doc)));
            marks.iter_mut().zip(outside).for_each(|(marks, outside)| *marks |= mark * outside);
        }
        DocSet::List(others) => {
            let mut rest = &**others;
            for (doc, marks) in list.iter().zip(marks) {
                while rest.first().is_some_and(|other| other < doc) {
                    rest = &rest[1..];
                }
                *marks |= mark * u32::from(rest.first() != Some(doc));
            }
        }
    }
}
