//! Slots of the search page, by the names used in its template.

use snapshot::query::PARAMETERS;

/// Declares the slots, each with its number and its name in templates.
macro_rules! slots {
    ($($(#[$about:meta])+ $slot:ident = $number:literal $name:literal,)+) => {
        /// A slot of the search page. A number below the count of parameters is the slot for the value of that
        /// parameter's field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Slot { $($(#[$about])+ $slot = $number),+ }

        impl Slot {
            /// Slots by the name they have in templates.
            pub const NAMES: &'static [(&'static str, Self)] = &[$(($name, Self::$slot)),+];
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

impl Slot {
    /// The slot with a number.
    pub(crate) fn of(number: u32) -> Option<Self> {
        Self::NAMES.iter().map(|(_, slot)| *slot).find(|slot| *slot as u32 == number)
    }

    /// Number of a slot or of a parameter's value, by name.
    #[must_use]
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
