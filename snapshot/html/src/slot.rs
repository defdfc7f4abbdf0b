//! Pages with slots, and the slots by the names used in their templates.

use snapshot::query::PARAMETERS;
use snapshot::search::{Strings, check_len};
use store::sections::{Section, SectionError, SectionWriter, Sections};

/// Declares the slots, each with its number and its name in templates.
macro_rules! slots {
    ($($(#[$about:meta])+ $slot:ident = $number:literal $name:literal,)+) => {
        /// A slot of a page. A number below the count of parameters is the slot for the value of that
        /// parameter's field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Slot { $($(#[$about])+ $slot = $number),+ }

        impl Slot {
            /// Slots by the name they have in templates.
            pub(crate) const NAMES: &'static [(&'static str, Self)] = &[$(($name, Self::$slot)),+];
        }
    };
}

slots! {
    /// The query string, escaped: `?…` with `&amp;`, or empty.
    Question = 100 "question",
    /// `34 opportunities`
    Count = 101 "count",
    /// Invalid parameters and notes about words.
    Invalid = 102 "invalid",
    /// Applied filters, each with a link that removes it.
    Chips = 103 "chips",
    /// The rows.
    Rows = 104 "rows",
    /// Links to other pages of results.
    Pages = 105 "pages",
    /// Checkboxes of all facets.
    Facets = 106 "facets",
    /// Options of the sort order.
    Sort = 107 "sort",
    /// `checked` if the filter "open now" is on.
    Open = 108 "open",
    /// `checked` if the filter "published funding" is on.
    Funded = 109 "funded",
    /// `checked` if the filter "rolling only" is on.
    Rolling = 110 "rolling",
    /// The number of applied filters in brackets, or empty.
    Applied = 111 "applied",
    /// The query in words, for the page title.
    Title = 112 "title",
    /// ` open` if the query limits numbers or dates.
    Bounds = 113 "bounds",
    /// The name of the organization in the query, or empty.
    Organization = 114 "organization",
    /// `checked` if the filter "closing soon" is on.
    Soon = 115 "soon",
    /// The query string, percent-encoded for the value of a parameter.
    Encoded = 116 "encoded",
}

/// Section names of a page's pieces and of its slots.
pub(crate) type SkeletonNames = ((&'static str, &'static str), &'static str);

/// A page split at its slots: pieces, and the slot after each but the last.
pub(crate) struct Pieces {
    pieces: Strings,
    slots: Section<u32>,
}

impl Pieces {
    pub(crate) fn write(
        (pieces, slots): &(Vec<String>, Vec<u32>),
        names: SkeletonNames,
        writer: &mut SectionWriter,
    ) {
        Strings::write(writer, names.0, pieces.iter().map(String::as_bytes));
        writer.put(names.1, slots.as_slice());
    }

    pub(crate) fn open(sections: &Sections, names: SkeletonNames) -> Result<Self, SectionError> {
        let (pieces, slots) = (Strings::open(sections, names.0)?, sections.get(names.1)?);
        check_len(names.1, &slots, pieces.count().saturating_sub(1))?;
        Ok(Self { pieces, slots })
    }

    /// The page; `fill` writes what stands in a slot.
    pub(crate) fn page(&self, fill: impl Fn(u32, &mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 * 1024);
        for piece in 0..self.pieces.count() {
            out.extend_from_slice(self.pieces.bytes(piece));
            if let Some(slot) = self.slots.get(piece) {
                fill(*slot, &mut out);
            }
        }
        out
    }
}

impl Slot {
    /// The slot with a number.
    pub(crate) fn of(number: u32) -> Option<Self> {
        Self::NAMES.iter().map(|(_, slot)| *slot).find(|slot| *slot as u32 == number)
    }

    /// Number of a slot or of a parameter's value, by name.
    pub fn number(name: &str) -> Option<u32> {
        let slot = Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, slot)| *slot as u32);
        let value = || name.strip_prefix("value_");
        slot.or_else(|| PARAMETERS.iter().position(|it| Some(it.name) == value()).map(|n| n as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_found_by_name() {
        assert_eq!(Slot::number("rows"), Some(Slot::Rows as u32));
        assert_eq!(Slot::number("value_type"), Some(0));
        assert_eq!(Slot::number("value_nothing"), None);
    }
}
