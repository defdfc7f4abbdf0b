//! How a source writes dates and numbers, as its mapping declares it.

use serde::Deserialize;

/// What comes first of day, month and year where all are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum DateOrder {
    #[serde(rename = "dmy")]
    Day,
    #[serde(rename = "mdy")]
    Month,
    #[serde(rename = "ymd")]
    Year,
    /// Seconds or milliseconds since 1970.
    #[serde(rename = "epoch")]
    Epoch,
}

impl DateOrder {
    /// As a mapping declares it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Day => "dmy",
            Self::Month => "mdy",
            Self::Year => "ymd",
            Self::Epoch => "epoch",
        }
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
        let wrong = || format!("`numbers` is `{text}`; write 1234.56 as the source does, such as 1.234,56");
        let rest = text.strip_prefix('1').ok_or_else(wrong)?;
        let (group, rest) = match rest.strip_prefix("234") {
            Some(rest) => (None, rest),
            None => {
                let group = rest.chars().next().ok_or_else(wrong)?;
                (Some(group), rest[group.len_utf8()..].strip_prefix("234").ok_or_else(wrong)?)
            }
        };
        let decimal = match rest.strip_suffix("56") {
            Some(decimal) if decimal.chars().count() == 1 => decimal.chars().next(),
            _ if rest.is_empty() => None,
            _ => return Err(wrong()),
        };
        let is_sign =
            |c: Option<char>| c.is_none_or(|c| matches!(c, '.' | ',' | ' ' | '\'' | '\u{a0}' | '\u{202f}'));
        if !is_sign(group) || !is_sign(decimal) || (group.is_some() && group == decimal) {
            return Err(wrong());
        }
        Ok(Self { group, decimal })
    }
}
