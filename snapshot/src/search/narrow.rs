//! Narrowing: what the picked values leave of the programs, and what they would leave without one
//! group of facets, which is what that group's counts are about.

use crate::facet::Facet;
use crate::search::set::{DocSet, Docs, Held, for_each_bit, has_bit};

/// A base of fewer than one in this many documents is worked on as a list.
const FEW: usize = 32;

/// The picked values of one group of facets.
pub(super) struct Group<'a> {
    /// The facet that names the group.
    pub(super) facet: Facet,
    /// The value, when exactly one was picked.
    pub(super) only: Option<u32>,
    /// Documents with any of the values.
    pub(super) docs: Held<'a>,
}

/// What the groups leave of a base.
pub(super) struct Narrowed<'a> {
    /// Before any group; `None` is every document.
    pub(super) base: Option<&'a DocSet>,
    /// The groups.
    pub(super) groups: Vec<Group<'a>>,
    /// Documents that pass all groups.
    pub(super) found: Option<DocSet>,
    /// For each group the documents that fail at it alone; only of a small base.
    pub(super) near: Option<Vec<DocSet>>,
}

impl<'a> Narrowed<'a> {
    /// Narrows a base of `count` documents; `sideways` says whether groups will be left out.
    pub(super) fn new(
        base: Option<&'a DocSet>,
        groups: Vec<Group<'a>>,
        count: usize,
        sideways: bool,
    ) -> Self {
        match base.filter(|_| sideways).and_then(|base| few(base, count)) {
            Some(list) => {
                let (found, near) = split(&list, &groups);
                Self { base, groups, found: Some(found), near: Some(near) }
            }
            None => {
                let found = intersection(base, groups.iter());
                Self { base, groups, found, near: None }
            }
        }
    }

    /// Documents that pass all groups but one.
    pub(super) fn without(&self, group: Facet) -> Option<DocSet> {
        intersection(self.base, self.groups.iter().filter(|other| other.facet != group))
    }

    /// The only value that is asked for, when a group is left out or none is, and nothing else is asked.
    pub(super) fn only_value(&self, without: Option<Facet>) -> Option<u32> {
        let mut groups = self.groups.iter().filter(|group| Some(group.facet) != without);
        match (self.base, groups.next(), groups.next()) {
            (None, Some(group), None) => group.only,
            _ => None,
        }
    }
}

/// A small base as a list.
fn few(base: &DocSet, count: usize) -> Option<Vec<u32>> {
    match base {
        DocSet::List(list) => Some(list.clone()),
        DocSet::Bits(bits) => {
            let size = base.len();
            (size < count / FEW).then(|| {
                let mut list = Vec::with_capacity(size);
                for_each_bit(bits, |doc| list.push(doc));
                list
            })
        }
    }
}

/// What is in the base and in every group, the smallest first; `None` is everything.
fn intersection<'a>(base: Option<&DocSet>, groups: impl Iterator<Item = &'a Group<'a>>) -> Option<DocSet> {
    let mut parts: Vec<Docs<'_>> = base.iter().map(|base| base.docs()).collect();
    parts.extend(groups.map(|group| group.docs.docs()));
    // A list is always smaller than a bit set.
    parts.sort_by_key(|part| match part {
        Docs::List(list) => list.len(),
        Docs::Bits(_) => usize::MAX,
    });
    match parts.as_slice() {
        [] => None,
        [only] => Some(only.to_set()),
        [first, second, rest @ ..] => {
            let mut docs = first.and(second);
            rest.iter().for_each(|part| docs.intersect(part));
            Some(docs)
        }
    }
}

/// Documents of a list that pass all groups, and for each group those that fail at it alone.
fn split(list: &[u32], groups: &[Group<'_>]) -> (DocSet, Vec<DocSet>) {
    let mut failures = vec![0u32; list.len()];
    for (position, group) in groups.iter().enumerate() {
        mark_outside(list, &group.docs.docs(), 1 << position, &mut failures);
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
    (DocSet::List(found), near.into_iter().map(DocSet::List).collect())
}

/// Sets a mark at every document of a list that is not in a set.
fn mark_outside(list: &[u32], docs: &Docs<'_>, mark: u32, marks: &mut [u32]) {
    match docs {
        Docs::Bits(bits) => {
            let outside = list.iter().map(|doc| u32::from(!has_bit(bits, *doc)));
            marks.iter_mut().zip(outside).for_each(|(marks, outside)| *marks |= mark * outside);
        }
        Docs::List(others) => {
            let mut rest = *others;
            for (doc, marks) in list.iter().zip(marks) {
                while rest.first().is_some_and(|other| other < doc) {
                    rest = &rest[1..];
                }
                *marks |= mark * u32::from(rest.first() != Some(doc));
            }
        }
    }
}
