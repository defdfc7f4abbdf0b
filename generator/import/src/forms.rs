//! How a source writes dates and numbers, as its mapping declares it.

use serde::Deserialize;

/// What comes first of day, month and year where all are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DateOrder {
    Dmy,
    Mdy,
    Ymd,
    /// Seconds or milliseconds since 1970.
    Epoch,
}

impl DateOrder {
    /// As a mapping declares it.
    pub(super) fn name(self) -> &'static str {
        ["dmy", "mdy", "ymd", "epoch"][self as usize]
    }
}

/// What separates thousands and cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct NumberForm {
    pub group: Option<char>,
    pub decimal: Option<char>,
}

impl std::fmt::Display for NumberForm {
    /// As a mapping declares it.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = |sign: Option<char>| sign.map(String::from).unwrap_or_default();
        let cents = if self.decimal.is_some() { "56" } else { "" };
        write!(out, "1{}234{}{cents}", sign(self.group), sign(self.decimal))
    }
}

impl TryFrom<String> for NumberForm {
    type Error = String;

    /// From one thousand two hundred thirty-four and 56 hundredths, as the source writes it.
    fn try_from(text: String) -> Result<Self, String> {
        let signs = || [None].into_iter().chain(['.', ',', ' ', '\'', '\u{a0}', '\u{202f}'].map(Some));
        let mut forms = signs().flat_map(|group| signs().map(move |decimal| Self { group, decimal }));
        let is_meant = |it: &Self| (it.group.is_none() || it.group != it.decimal) && it.to_string() == text;
        forms.find(is_meant).ok_or_else(|| {
            format!("`numbers` is `{text}`; write 1234.56 as the source does, such as 1.234,56")
        })
    }
}
