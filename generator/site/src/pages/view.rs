//! Template variables of records: texts with their language, dates and amounts in words, labels with links.
//! Markup and layout are in the templates.

mod blocks;
mod hints;
mod namesakes;
mod organization;
mod program;
mod row;

use std::collections::BTreeMap;

use dataset::day_of;
use html::view::{Text, variables};
use jiff::civil::Date;
use minijinja::{Value, context};
use snapshot::page::money::AmountPhrases;
use snapshot::record::field_table::{Field, FieldType, Value as FieldValue, Visibility};
use snapshot::record::{EntityRef, InternedStr, Number};
use snapshot::text::without_comment;
use snapshot::truncate::at_word;

pub(super) use self::namesakes::namesakes;
pub(super) use self::organization::{AWARDS, AWARDS_RECEIVED};
pub(super) use self::program::ProgramPage;
use super::Local;

/// Maximum length of a description on a page, in characters; the Markdown page has all of it.
const ABOUT: usize = 3800;

/// Maximum length of a summary in a row, in characters.
const SUMMARY: usize = 220;

/// A link to another site, if its scheme is `http` or `https`.
pub(super) fn outside(address: Option<&str>) -> Option<Value> {
    let address = address?;
    let url = url::Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = url.host_str()?.trim_start_matches("www.").to_owned();
    Some(context! { href => address, host })
}

/// The address of a link to another site.
fn outside_address(address: Option<&str>) -> Option<Value> {
    outside(address)?.get_attr("href").ok()
}

impl Local<'_> {
    /// The fields of a record's detail answer by name, formatted for readers: amounts and dates in words, texts with their
    /// language, web addresses as links, places by name; `none` if a field has no value.
    fn record<R>(
        &self,
        table: &[Field<R>],
        record: &R,
        about: (EntityRef, &str),
    ) -> BTreeMap<&'static str, Value> {
        let value = |field: &Field<R>| match (field.kind, (field.read)(record)) {
            (FieldType::Amount, FieldValue::Number(sum)) => self.money(sum, "USD").into(),
            (FieldType::Text, FieldValue::Text(text)) => variables(&self.text(about, field.name, &text)),
            (FieldType::Url, FieldValue::Text(address)) => outside(Some(&address)).into(),
            (FieldType::Places, FieldValue::Words(codes)) => {
                codes.iter().map(|code| self.country(Some(code)).unwrap_or(code)).collect()
            }
            (_, FieldValue::Words(words)) => words.iter().map(InternedStr::as_str).collect(),
            (_, FieldValue::Text(text)) => Value::from(&*text),
            (_, FieldValue::Day(date)) => self.date(date),
            (_, FieldValue::Time(time)) => self.date(day_of(time)),
            (_, FieldValue::Number(number)) => number.to_string().into(),
            (_, FieldValue::Integer(number)) => number.into(),
            (_, FieldValue::Flag(flag)) => flag.into(),
            (_, FieldValue::Id(id)) => id.to_string().into(),
            (_, FieldValue::Null | FieldValue::Object(_) | FieldValue::Objects(_)) => Value::from(()),
        };
        let shown = table.iter().filter(|field| field.shows.has(Visibility::DETAIL));
        shown.map(|field| (field.name, value(field))).collect()
    }

    fn date(&self, date: Date) -> Value {
        variables(&self.templates.day(date, self.locale))
    }

    /// A text in the language, else the original with its language code.
    fn text(&self, about: (EntityRef, &str), field: &str, original: &str) -> Text {
        let text = self.directory.text(about.0, self.locale, field, original).to_owned();
        Text { text, lang: self.foreign(about, field) }
    }

    /// A text that is a day, as `~Oct 6, 2026`, in the words of the page.
    fn as_day(&self, text: &str) -> Option<String> {
        let (about, date) = text.split_at(text.len() - text.trim_start_matches('~').len());
        let day = ["%b %d, %Y", "%B %d, %Y", "%Y-%m-%d"].iter().find_map(|f| Date::strptime(f, date).ok())?;
        Some(format!("{about}{}", self.day(day).text))
    }

    /// The language of the original, if the text is not available in this one.
    pub(super) fn foreign(&self, (of, original): (EntityRef, &str), field: &str) -> Option<String> {
        let translations = self.directory.translations.get(&(of, self.locale));
        let is_translated = translations.is_some_and(|it| it.contains_key(field));
        (!is_translated && original != self.locale.as_str()).then(|| original.to_owned())
    }

    /// A long text without its `lead`, which the page shows above it: its lines, and at most `most` characters as
    /// blocks.
    fn lines(
        &self,
        about: (EntityRef, &str),
        (field, original): (&str, Option<&str>),
        (lead, most): (Option<&str>, usize),
    ) -> Option<Value> {
        let text = self.directory.translation(about.0, self.locale, field).or(original)?;
        let lines = without_comment(text).lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<&str> = blocks::without_lead(lines.collect(), lead);
        let (brief, cut) = beginning(&lines, most);
        let (blocks, fold) = blocks::blocks(&brief);
        if lines.is_empty() {
            return None;
        }
        let lines: Vec<Value> = lines.into_iter().map(blocks::line).collect();
        Some(context! { lines, blocks, fold, cut, lang => self.foreign(about, field) })
    }

    /// An amount in a currency.
    pub(super) fn money(&self, amount: Number, currency: &str) -> String {
        let word = |key: &str| self.word(key);
        AmountPhrases { locale: self.locale, word: &word }.amount(amount.0, currency)
    }

    /// A range of numbers in words.
    pub(super) fn range(&self, min: Option<String>, max: Option<String>) -> Option<String> {
        match (min, max) {
            (Some(min), Some(max)) if min == max => Some(min),
            (Some(min), Some(max)) => Some(self.phrase("range_both", &[("min", &min), ("max", &max)])),
            (Some(min), None) => Some(self.phrase("range_from", &[("min", &min)])),
            (None, Some(max)) => Some(self.phrase("range_up_to", &[("max", &max)])),
            (None, None) => None,
        }
    }

    fn country(&self, code: Option<&str>) -> Option<&'static str> {
        code.and_then(snapshot::place::find).map(|place| place.name(self.locale))
    }
}

/// The first lines of a text, the last one cut between words; and whether it was cut.
fn beginning(lines: &[&str], most: usize) -> (Vec<String>, bool) {
    let (mut left, mut brief) = (most, Vec::new());
    for line in lines {
        let length = line.chars().count();
        if length > left {
            brief.extend((left > most / 10).then(|| at_word(line, left).into_owned()));
            return (brief, true);
        }
        left -= length;
        brief.push((*line).to_owned());
    }
    (brief, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_become_links() {
        assert!(outside(Some("javascript:alert(1)")).is_none());
        assert!(outside(Some("data:text/html,x")).is_none());
        let link = outside(Some("https://www.example.org/a")).unwrap();
        assert_eq!(link.get_attr("host").unwrap().to_string(), "example.org");
    }

    #[test]
    fn the_beginning_of_a_text_ends_with_a_whole_word_or_line() {
        let first_lines = |most| beginning(&["one two three", "four five"], most);
        assert_eq!(first_lines(22), (vec!["one two three".to_owned(), "four five".to_owned()], false));
        assert_eq!(first_lines(20), (vec!["one two three".to_owned(), "four…".to_owned()], true));
        assert_eq!(first_lines(14), (vec!["one two three".to_owned()], true));
    }
}
