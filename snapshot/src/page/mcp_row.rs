//! Prepared rows of MCP search answers: what a language model needs to choose among programs, in
//! about 450 bytes each. In the same file as the rows of [`super::row`].
//!
//! ```text
//! short.en.at short.en     row of each document, JSON, up to the value of nextDeadline
//! short.es.of              u32 of each document: its Spanish row, or u32::MAX when it is the English
//! short.es.at short.es     Spanish rows
//! ```

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Serialize;

use crate::page::push_json;
use crate::page::shape::Shaper;
use crate::record::{Directory, Lifecycle, Locale, Number};
use crate::search::table::{Strings, check_len};
use crate::store::sections::{Section, SectionError, SectionWriter, Sections};

/// Longest summary of a row, in characters.
pub const SUMMARY_MAX: usize = 280;
/// Most places of a row.
pub const PLACES_MAX: usize = 12;

const NONE: u32 = u32::MAX;

type SectionNames = (&'static str, &'static str);
const ENGLISH: SectionNames = ("short.en.at", "short.en");
const SPANISH: SectionNames = ("short.es.at", "short.es");

/// Prepared rows, open.
pub struct McpRows {
    english: Strings,
    spanish: Strings,
    spanish_of: Section<u32>,
}

impl McpRows {
    /// Opens the rows of `count` documents.
    pub fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let rows = Self {
            english: Strings::open(sections, ENGLISH)?,
            spanish: Strings::open(sections, SPANISH)?,
            spanish_of: sections.get("short.es.of")?,
        };
        check_len("short.es.of", &rows.spanish_of, count)?;
        let in_bounds = |row: &u32| *row == NONE || (*row as usize) < rows.spanish.len();
        if rows.english.len() == count && rows.spanish_of.iter().all(in_bounds) {
            Ok(rows)
        } else {
            Err(SectionError::Content(ENGLISH.0, "does not fit the search index"))
        }
    }

    /// A program's row up to the value of `nextDeadline`; the object is still open.
    #[must_use]
    pub fn row(&self, doc: u32, locale: Locale) -> &[u8] {
        match (locale, self.spanish_of.get(doc as usize)) {
            (Locale::Es, Some(&row)) if row != NONE => self.spanish.bytes(row as usize),
            _ => self.english.bytes(doc as usize),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    slug: &'a str,
    name: &'a str,
    r#type: &'a str,
    lifecycle: Lifecycle,
    organization: &'a str,
    summary: Option<Cow<'a, str>>,
    official_url: &'a str,
    source_checked_at: Option<Timestamp>,
    funding_min_usd: Option<Number>,
    funding_max_usd: Option<Number>,
    eligible_countries: &'a [String],
    eligible_country_count: usize,
    destination_countries: &'a [String],
}

/// Writes the rows; `order` gives the program of each document.
pub fn write(directory: &Directory, order: &[usize], writer: &mut SectionWriter) {
    let english: Vec<Vec<u8>> =
        order.iter().map(|program| row(&Shaper { directory, locale: Locale::En }, *program)).collect();
    let mut spanish = Vec::new();
    let mut spanish_of = Vec::with_capacity(order.len());
    for (program, english) in order.iter().zip(&english) {
        let row = row(&Shaper { directory, locale: Locale::Es }, *program);
        if row == *english {
            spanish_of.push(NONE);
        } else {
            spanish_of.push(spanish.len() as u32);
            spanish.push(row);
        }
    }
    Strings::write(writer, ENGLISH, english.iter().map(Vec::as_slice));
    Strings::write(writer, SPANISH, spanish.iter().map(Vec::as_slice));
    writer.put("short.es.of", &spanish_of);
}

fn row(shaper: &Shaper<'_>, program: usize) -> Vec<u8> {
    let it = shaper.program_summary(program);
    let first = |places: &'_ [String]| places.len().min(PLACES_MAX);
    let row = Row {
        slug: it.slug,
        name: it.name,
        r#type: it.r#type,
        lifecycle: it.lifecycle,
        organization: it.organization.name,
        summary: it.summary.map(|summary| cut(summary, SUMMARY_MAX)),
        official_url: it.official_url,
        source_checked_at: it.source_checked_at,
        funding_min_usd: it.funding_min_usd,
        funding_max_usd: it.funding_max_usd,
        eligible_countries: &it.eligible_countries[..first(it.eligible_countries)],
        eligible_country_count: it.eligible_countries.len(),
        destination_countries: &it.destination_countries[..first(it.destination_countries)],
    };
    let mut out = Vec::with_capacity(600);
    push_json(&mut out, &row);
    out.pop();
    out.extend_from_slice(b",\"nextDeadline\":");
    out
}

/// At most `most` characters of a text, whole words where it has any, with a mark when more were
/// there.
#[must_use]
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.char_indices().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let end = text.char_indices().nth(most.saturating_sub(1)).map_or(0, |(end, _)| end);
    let words = text[..end].rfind(char::is_whitespace).filter(|space| *space > end / 2);
    let kept = text[..words.unwrap_or(end)].trim_end();
    Cow::Owned(format!("{kept}…"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_words_and_marked() {
        assert_eq!(cut("one two three", 13), "one two three");
        assert_eq!(cut("one two three", 12), "one two…");
        assert_eq!(cut("ñññññ", 4), "ñññ…");
        assert_eq!(cut("a bbbbbbbbbb", 8), "a bbbbb…");
        assert_eq!(cut("", 0), "");
    }
}
