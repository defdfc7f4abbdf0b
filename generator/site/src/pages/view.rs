//! Template variables of records: texts with their language, dates and amounts in words, labels with links.
//! Markup and layout are in the templates.

mod award;
mod blocks;
mod hints;
mod namesakes;
mod organization;
mod program;
mod row;

use std::collections::BTreeMap;

use dataset::text::slug_of;
use html::search_address;
use html::view::{Text, variables};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use minijinja::{Value, context};
use snapshot::facet::FacetSpec;
use snapshot::page::money::AmountPhrases;
use snapshot::record::field_table::{Field, FieldType, Value as FieldValue, Visibility};
use snapshot::record::{EntityRef, Fact, InternedStr, Locale, Number, Program};
use snapshot::text::without_comment;
use snapshot::truncate::at_word;

pub(super) use self::award::{AWARDS, AWARDS_RECEIVED};
pub(super) use self::namesakes::namesakes;
use super::Pages;

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

/// UTC day of an instant.
pub(super) fn day(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

impl Pages<'_> {
    /// A link to the search for a facet value, in the words of a program.
    fn facet_link(&self, program: usize, spec: &FacetSpec, value: &str, locale: Locale) -> Value {
        let link = |(text, lang): (String, Option<&str>)| {
            context! { href => search_address(locale, "", &[(spec.parameter, value)]), text, lang }
        };
        if let Some(own) = self.own_label(program, spec, value, locale) {
            return link((own, None));
        }
        let make = || link(self.spoken_label(spec.facet, value, locale));
        let values = &self.site.index.values;
        let shared = values.find(spec.facet, value).and_then(|number| self.shared_link(number, locale, make));
        shared.unwrap_or_else(make)
    }

    /// What a program calls a facet value where other programs call it otherwise: in the language of the page, or the word
    /// for it.
    fn own_label(&self, program: usize, spec: &FacetSpec, value: &str, locale: Locale) -> Option<String> {
        let fact = self.fact_of(program, spec, value)?;
        let stated =
            fact.label.as_deref().filter(|it| *it != self.stated_label(spec.facet, value, Locale::En))?;
        let label = self.directory.text(fact.entity(), locale, "label", stated);
        if label != stated || self.language(&self.directory.programs[program]) == locale.as_str() {
            return Some(label.to_owned());
        }
        let word = self.word(locale, &format!("value_{}", slug_of(stated)));
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// The first fact that states a facet value, unless it is a place.
    fn fact_of(&self, program: usize, spec: &FacetSpec, value: &str) -> Option<&Fact> {
        let is_of = |fact: &&Fact| spec.is_fed_by(&fact.kind) && fact.value.as_deref() == Some(value);
        self.each_fact(program).filter(|_| !spec.is_place).find(is_of)
    }

    /// What a program's page calls a facet value, and the language of that if it is another one.
    fn label_of(
        &self,
        program: usize,
        spec: &FacetSpec,
        value: &str,
        locale: Locale,
    ) -> (String, Option<&'static str>) {
        let own = self.own_label(program, spec, value, locale);
        own.map_or_else(|| self.spoken_label(spec.facet, value, locale), |own| (own, None))
    }

    /// The fields of a record's detail answer by name, formatted for readers.
    fn record<R>(
        &self,
        table: &[Field<R>],
        record: &R,
        about: (EntityRef, &str),
        locale: Locale,
    ) -> BTreeMap<&'static str, Value> {
        let of = table.iter().filter(|field| field.shows.has(Visibility::DETAIL));
        of.map(|field| (field.name, self.field(field, record, about, locale))).collect()
    }

    /// A field formatted for readers: amounts and dates in words, texts with their language, web addresses as
    /// links, places by name; `none` if it has no value.
    fn field<R>(&self, field: &Field<R>, record: &R, about: (EntityRef, &str), locale: Locale) -> Value {
        match (field.kind, (field.read)(record)) {
            (FieldType::Amount, FieldValue::Number(sum)) => self.money(sum, locale).into(),
            (FieldType::Text, FieldValue::Text(text)) => self.text(about, locale, field.name, &text),
            (FieldType::Url, FieldValue::Text(address)) => {
                outside(Some(&address)).unwrap_or_else(|| Value::from(()))
            }
            (FieldType::Places, FieldValue::Words(codes)) => {
                codes.iter().map(|code| self.country(Some(code), locale).unwrap_or(code)).collect()
            }
            (_, FieldValue::Words(words)) => words.iter().map(InternedStr::as_str).collect(),
            (_, FieldValue::Text(text)) => Value::from(&*text),
            (_, FieldValue::Day(date)) => self.date(date, locale),
            (_, FieldValue::Time(time)) => self.date(day(time), locale),
            (_, FieldValue::Number(number)) => number.to_string().into(),
            (_, FieldValue::Integer(number)) => number.into(),
            (_, FieldValue::Flag(flag)) => flag.into(),
            (_, FieldValue::Id(id)) => id.to_string().into(),
            (_, FieldValue::Null | FieldValue::Object(_) | FieldValue::Objects(_)) => Value::from(()),
        }
    }

    fn date(&self, date: Date, locale: Locale) -> Value {
        variables(&self.templates.day(date, locale))
    }

    /// A text in a language, else the original with its language code.
    fn text(&self, about: (EntityRef, &str), locale: Locale, field: &str, original: &str) -> Value {
        variables(&self.text_of(about, locale, field, original))
    }

    fn text_of(&self, about: (EntityRef, &str), locale: Locale, field: &str, original: &str) -> Text {
        let text = self.directory.text(about.0, locale, field, original).to_owned();
        Text { text, lang: self.foreign(about, locale, field) }
    }

    /// The language of the original, if the text is not available in `locale`.
    pub(super) fn foreign(
        &self,
        (of, original): (EntityRef, &str),
        locale: Locale,
        field: &str,
    ) -> Option<String> {
        let translated =
            self.directory.translations.get(&(of, locale)).is_some_and(|it| it.contains_key(field));
        (!translated && original != locale.as_str()).then(|| original.to_owned())
    }

    pub(super) fn language<'p>(&'p self, program: &'p Program) -> &'p str {
        program.language.as_deref().unwrap_or(self.default_language())
    }

    fn default_language(&self) -> &'static str {
        self.directory.dataset.language().as_str()
    }

    /// A long text without its `lead`, which the page shows above it: its lines, and at most `most` characters as
    /// blocks.
    fn lines(
        &self,
        about: (EntityRef, &str),
        locale: Locale,
        (field, original): (&str, Option<&str>),
        (lead, most): (Option<&str>, usize),
    ) -> Option<Value> {
        let text = self.directory.optional_text(about.0, locale, field, original)?;
        let lines = without_comment(text).lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<&str> = blocks::without_lead(lines.collect(), lead);
        let (brief, cut) = beginning(&lines, most);
        let (blocks, fold) = blocks::blocks(&brief);
        if lines.is_empty() {
            return None;
        }
        let lines: Vec<Value> = lines.into_iter().map(blocks::line).collect();
        Some(context! { lines, blocks, fold, cut, lang => self.foreign(about, locale, field) })
    }

    /// An amount of US dollars.
    pub(super) fn money(&self, amount: Number, locale: Locale) -> String {
        let word = |key: &str| self.word(locale, key);
        AmountPhrases { locale, word: &word }.amount(amount.0, "USD")
    }

    /// A range of numbers in words.
    pub(super) fn range(&self, min: Option<String>, max: Option<String>, locale: Locale) -> Option<String> {
        match (min, max) {
            (Some(min), Some(max)) if min == max => Some(min),
            (Some(min), Some(max)) => {
                Some(self.phrase(locale, "range_both", &[("min", &min), ("max", &max)]))
            }
            (Some(min), None) => Some(self.phrase(locale, "range_from", &[("min", &min)])),
            (None, Some(max)) => Some(self.phrase(locale, "range_up_to", &[("max", &max)])),
            (None, None) => None,
        }
    }

    fn country(&self, code: Option<&str>, locale: Locale) -> Option<&'static str> {
        code.and_then(snapshot::place::find).map(|place| place.name(locale))
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
