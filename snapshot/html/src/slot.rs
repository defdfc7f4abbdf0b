//! The holes of the search page, by the names that its template gives them.

use snapshot::query::PARAMETERS;

/// What stands in a hole of the search page. Numbers below the count of parameters are the value of
/// that parameter's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Slot {
    /// The question as `?…` with `&amp;`, or nothing.
    Question = 100,
    /// `34 opportunities`
    Count = 101,
    /// What was not understood.
    Invalid = 102,
    /// What is applied, each with a link that takes it away.
    Chips = 103,
    /// The rows.
    Rows = 104,
    /// Links to other pages of results.
    Pages = 105,
    /// Checkboxes of all facets.
    Facets = 106,
    /// Options of the order.
    Sort = 107,
    /// `checked` for the switches, in this order.
    Open = 108,
    /// Funding is published.
    Funded = 109,
    /// Rolling only.
    Rolling = 110,
    /// How many filters are applied, in brackets, or nothing.
    Applied = 111,
    /// The question in words, for the window.
    Title = 112,
    /// ` open` when numbers or dates are asked for.
    Bounds = 113,
    /// What the organization that is asked for is called, or nothing.
    Organization = 114,
}

impl Slot {
    /// Slots by the name they have in templates.
    pub const NAMES: [(&'static str, Self); 15] = [
        ("question", Self::Question),
        ("count", Self::Count),
        ("invalid", Self::Invalid),
        ("chips", Self::Chips),
        ("rows", Self::Rows),
        ("pages", Self::Pages),
        ("facets", Self::Facets),
        ("sort", Self::Sort),
        ("open", Self::Open),
        ("funded", Self::Funded),
        ("rolling", Self::Rolling),
        ("applied", Self::Applied),
        ("title", Self::Title),
        ("bounds", Self::Bounds),
        ("organization", Self::Organization),
    ];

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
