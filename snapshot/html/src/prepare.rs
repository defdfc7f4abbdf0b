//! The fragments that a generator prepares: their types, their marks, and the file they are written to.
//!
//! Sections of `index/html.bin`:
//!
//! ```text
//! word.*                 the texts of [`Message`](crate::Message); en and es, like the following sections
//! facet.*                names of the facets
//! param.*                names of the search parameters
//! row.*  cut.*           search row of each document, and the positions of its parts, see `row.rs`
//! text.*                 passages of each document, for highlighted words
//! line.*                 link to each document, for lists by deadline
//! label.*                label of each facet value
//! entry.*                Atom entry of each document
//! feed.*                 the parts of a feed, see `feed.rs`
//! skel.*  slot.*         search page split at its slots: pieces, and the slot after each but the last
//! org.*  kind             organizations, see `organization.rs`
//! option                 name and value of each facet value's checkbox
//! event                  iCalendar events of each document
//! csv                    CSV row of each document, up to its next deadline
//! ```

use snapshot::page::text::escaped;
use snapshot::record::Locale;
use snapshot::search::Strings;
use store::sections::SectionWriter;

pub use crate::highlight::{PASSAGE_LENGTH, passages};
pub use crate::organization::OrganizationEntry;
pub use crate::row::{RowTemplate, STATE_MARK, TEXT_MARKS};
pub use crate::slot::Slot;

/// Number of a language's feed parts. Atom: before the name of the query, before the query string of its own URL,
/// of its page and of its id, after these, and its end. Calendar: before and after the name of the query. CSV: the
/// header.
pub const PARTS: usize = 9;
pub(crate) type SectionNames = (&'static str, &'static str);

/// Section names of one language.
pub(crate) struct Names {
    pub(crate) words: SectionNames,
    pub(crate) facets: SectionNames,
    pub(crate) parameters: SectionNames,
    pub(crate) rows: SectionNames,
    pub(crate) cuts: &'static str,
    pub(crate) passages: SectionNames,
    pub(crate) lines: SectionNames,
    pub(crate) labels: SectionNames,
    pub(crate) entries: SectionNames,
    pub(crate) feed: SectionNames,
    pub(crate) pieces: SectionNames,
    pub(crate) slots: &'static str,
}

const ENGLISH: Names = Names {
    words: ("word.en.at", "word.en"),
    facets: ("facet.en.at", "facet.en"),
    parameters: ("param.en.at", "param.en"),
    rows: ("row.en.at", "row.en"),
    cuts: "cut.en",
    passages: ("text.en.at", "text.en"),
    lines: ("line.en.at", "line.en"),
    labels: ("label.en.at", "label.en"),
    entries: ("entry.en.at", "entry.en"),
    feed: ("feed.en.at", "feed.en"),
    pieces: ("skel.en.at", "skel.en"),
    slots: "slot.en",
};

const SPANISH: Names = Names {
    words: ("word.es.at", "word.es"),
    facets: ("facet.es.at", "facet.es"),
    parameters: ("param.es.at", "param.es"),
    rows: ("row.es.at", "row.es"),
    cuts: "cut.es",
    passages: ("text.es.at", "text.es"),
    lines: ("line.es.at", "line.es"),
    labels: ("label.es.at", "label.es"),
    entries: ("entry.es.at", "entry.es"),
    feed: ("feed.es.at", "feed.es"),
    pieces: ("skel.es.at", "skel.es"),
    slots: "slot.es",
};

pub(crate) const OPTIONS: SectionNames = ("option.at", "option");
pub(crate) const EVENTS: SectionNames = ("event.at", "event");
pub(crate) const CSV: SectionNames = ("csv.at", "csv");

pub(crate) const fn names(locale: Locale) -> &'static Names {
    match locale {
        Locale::En => &ENGLISH,
        Locale::Es => &SPANISH,
    }
}

/// Fragments of one language, escaped.
#[derive(Clone, Debug, Default)]
pub struct LanguageParts {
    /// Texts of [`Message::KEYS`](crate::Message::KEYS).
    pub words: Vec<String>,
    /// Facet names.
    pub facets: Vec<String>,
    /// Parameter names.
    pub parameters: Vec<String>,
    /// Search rows by document.
    pub rows: Vec<RowTemplate>,
    /// Passages by document; empty if they equal those of the other language.
    pub passages: Vec<String>,
    /// Links by document.
    pub lines: Vec<String>,
    /// Labels by ordinal.
    pub labels: Vec<String>,
    /// Atom entries by document.
    pub entries: Vec<String>,
    /// Parts of feeds.
    pub feed: Vec<String>,
    /// Pieces of the search page between its slots.
    pub pieces: Vec<String>,
    /// The slots.
    pub slots: Vec<u32>,
}

/// Fragments for both languages.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Name and value of checkboxes by ordinal.
    pub options: Vec<String>,
    /// Calendar events by document.
    pub events: Vec<String>,
    /// CSV rows by document.
    pub csv: Vec<String>,
    /// Organizations, by slug.
    pub organizations: Vec<OrganizationEntry>,
    /// Facet value of each document's type.
    pub kinds: Vec<u32>,
}

/// Writes `html.bin`.
pub fn write(prepared: &[LanguageParts; 2], shared: &Shared, writer: &mut SectionWriter) {
    let put = |writer: &mut SectionWriter, names, strings: &[String]| {
        Strings::write(writer, names, strings.iter().map(String::as_bytes));
    };
    for (locale, it) in Locale::ALL.iter().zip(prepared) {
        let names = names(*locale);
        for (names, strings) in [
            (names.words, &it.words),
            (names.facets, &it.facets),
            (names.parameters, &it.parameters),
            (names.passages, &it.passages),
            (names.lines, &it.lines),
            (names.labels, &it.labels),
            (names.entries, &it.entries),
            (names.feed, &it.feed),
            (names.pieces, &it.pieces),
        ] {
            put(writer, names, strings);
        }
        RowTemplate::write(&it.rows, (names.rows, names.cuts), writer);
    }
    put(writer, OPTIONS, &shared.options);
    put(writer, EVENTS, &shared.events);
    put(writer, CSV, &shared.csv);
    crate::organization::write(&shared.organizations, &shared.kinds, writer);
    for (locale, it) in Locale::ALL.iter().zip(prepared) {
        writer.put(names(*locale).slots, it.slots.as_slice());
    }
}

/// Name and value of a checkbox.
#[must_use]
pub fn checkbox_attributes(parameter: &str, value: &str) -> String {
    format!("name=\"{parameter}\" value=\"{}\"", escaped(value))
}
