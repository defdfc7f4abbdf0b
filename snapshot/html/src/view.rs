//! A program as people read it: what rows, lists, record pages, feeds and calendars are written from. The generator
//! makes a view of each program in each language; the edge reads it back from `index/pages.bin`.

use jiff::Timestamp;
use jiff::civil::Date;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::{Deserialize, Serialize};
use snapshot::page::text::grouped;
use snapshot::query::PAGE_RANGE;
use snapshot::record::Locale;

/// A text, and its language if that is not the page's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// Plain text.
    pub text: String,
    /// Language tag.
    pub lang: Option<String>,
}

/// A link with a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Address, not escaped.
    pub href: String,
    /// Plain text.
    pub text: String,
    /// Language tag, if the text has another language than the page.
    pub lang: Option<String>,
}

/// A day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayText {
    /// As `2026-11-27`.
    pub iso: String,
    /// In words.
    pub text: String,
}

/// What a row and the page of a program state under a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Key of the word.
    pub word: String,
    /// What is stated; empty where nothing is.
    pub parts: Vec<Part>,
    /// Labels that the last part counts, each after its value.
    pub hidden: Vec<(String, Text)>,
}

/// A label in a line of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The separator before it.
    pub joint: String,
    /// Plain text.
    pub text: String,
    /// Language tag, if that is not the page's.
    pub lang: Option<String>,
}

/// A season that ends on a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Season {
    /// Id of the cycle.
    pub id: String,
    /// Its name.
    pub label: String,
    /// Its deadline.
    pub deadline: Date,
    /// When its record last changed.
    pub updated: Timestamp,
}

/// A program in one language, without what depends on the day.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    /// Id of the record.
    pub id: String,
    /// Slug of the record.
    pub slug: String,
    /// Address of its page.
    pub href: String,
    /// Its name.
    pub name: Text,
    /// What tells it from others of its name.
    pub mark: Option<String>,
    /// Who offers it.
    pub provider: Link,
    /// Label of its type.
    pub kind: String,
    /// Whether persons can apply.
    pub for_persons: bool,
    /// Its summary, without headings of the source at the beginning.
    pub summary: Option<Text>,
    /// What it pays, who can apply and whatever else rows state, in their order.
    pub lines: Vec<Line>,
    /// Address of its official page.
    pub official: String,
    /// Host of that page.
    pub host: String,
    /// Who published the source that the record was read from.
    pub publisher: Option<String>,
    /// When the source was last read.
    pub checked: Option<DayText>,
    /// When applications are taken, in the words of the source.
    pub deadline_text: Option<Text>,
    /// When the record was listed first.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
    /// Its deadlines that were still to come when the dataset was published.
    pub seasons: Vec<Season>,
}

impl Line {
    /// A line that shows all that is stated.
    pub fn new(word: &str, parts: Vec<Part>) -> Self {
        Self { word: word.to_owned(), parts, hidden: Vec::new() }
    }

    /// Shows a label of these values that is hidden in place of the last one that is shown.
    pub(crate) fn show(&mut self, values: &[&str]) {
        let found = self.hidden.iter().find(|(value, _)| values.contains(&&**value));
        if let (Some((_, label)), [.., part, _]) = (found, &mut self.parts[..]) {
            (part.text, part.lang) = (label.text.clone(), label.lang.clone());
        }
    }

    /// What is stated, without markup.
    pub(crate) fn text(&self) -> String {
        self.parts.iter().flat_map(|part| [&*part.joint, &*part.text]).collect()
    }
}

/// The variables of a template.
pub fn variables(view: &impl Serialize) -> Value {
    Value::from(Serde(view))
}

/// A link whose text has the language of the page.
pub(crate) fn link(href: String, text: &str) -> Value {
    context! { href, text, lang => () }
}

/// A bar of a chart: a name, the address of a page about that, and a count. Its width is in per cent of the longest bar,
/// of `most`; at least 1 unless `count` is 0.
pub(crate) fn bar(name: String, href: Option<String>, (count, most): (u64, u64), locale: Locale) -> Value {
    context! { name, href, count => grouped(count, locale), width => (count * 100).div_ceil(most.max(1)) }
}

/// Where to go from a page of several; template `pages.html`.
pub(crate) fn page_links((page, pages): (u64, u64), address: impl Fn(u64) -> String) -> Option<Value> {
    (pages > 1).then(|| {
        context! {
            previous => (page > 1).then(|| address(page.saturating_sub(1).min(pages))),
            next => (page < pages.min(PAGE_RANGE.1)).then(|| address(page + 1)),
            number => page,
            of => pages,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_searched_for_is_shown_in_place_of_the_last_label() {
        let part = |text: &str| Part { text: text.to_owned(), ..Part::default() };
        let label = |text: &str| (text.to_lowercase(), Text { text: text.to_owned(), lang: None });
        let line = || Line {
            word: String::new(),
            parts: ["Artist", "Farm", ", 2 more"].map(part).into(),
            hidden: vec![label("School"), label("Town")],
        };
        for (searched, expected) in [("town", "Town"), ("school", "School"), ("artist", "Farm")] {
            let mut line = line();
            line.show(&[searched, "other"]);
            assert_eq!(line.text(), format!("Artist{expected}, 2 more"));
        }
        let mut short = Line { hidden: Vec::new(), ..line() };
        short.show(&["town"]);
        assert_eq!(short.text(), "ArtistFarm, 2 more");
    }
}
