//! Narrowing: the documents that match all selected facet values, and for the counts of each group of facets, those
//! that match without it.

use crate::facet::Facet;
use crate::search::set::DocSet;

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
    base: Option<&'a DocSet<'a>>,
    pub(super) groups: Vec<Group<'a>>,
    /// Documents that match all groups.
    pub(super) found: Option<DocSet<'a>>,
}

impl<'a> Narrowed<'a> {
    pub(super) fn new(base: Option<&'a DocSet<'a>>, groups: Vec<Group<'a>>) -> Self {
        let mut narrowed = Self { base, groups, found: None };
        narrowed.found = narrowed.without(None);
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
