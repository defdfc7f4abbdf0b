#![doc = include_str!("../README.md")]
// Requests reach this crate: nothing outside its tests may end a thread on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

//! Sections of `index/html.bin`:
//!
//! ```text
//! word.*                 the texts of [`Message`]; en and es, like the following sections
//! facet.*                names of the facets
//! param.*                names of the search parameters
//! row.*  cut.*           search row of each document, and the positions of its parts, see [`row`]
//! text.*                 passages of each document, for highlighted words
//! line.*                 link to each document, for lists by deadline
//! label.*                label of each facet value
//! entry.*                Atom entry of each document
//! feed.*                 the parts of a feed, see [`feed`]
//! skel.*  slot.*         search page split at its slots: pieces, and the slot after each but the last
//! org.*  kind             organizations, see [`organization`]
//! option                 name and value of each facet value's checkbox
//! event                  iCalendar events of each document
//! csv                    CSV row of each document, up to its next deadline
//! ```

mod deadlines;
mod feed;
mod highlight;
mod hole;
mod messages;
mod organization;
mod row;
mod search;
mod slot;
mod status;
mod suggestions;

use jiff::civil::Date;

pub use deadlines::{bar_width, month_number, month_path};
pub use feed::{Feed, PARTS, feed, feed_path, feed_query};
pub use highlight::{PASSAGE_LENGTH, passages};
pub use hole::{Filler, Rule};
pub use messages::Message;
pub use organization::{OrganizationEntry, Organizations};
use row::Rows;
pub use row::{RowTemplate, STATE_MARK, TEXT_MARKS};
pub use search::{PageOptions, checkbox_attributes, search_page, search_path};
pub use slot::Slot;
use snapshot::facet::COUNT;
use snapshot::page::text::{escaped, grouped, push_escaped};
use snapshot::page::{Dated, Site, push_date};
use snapshot::query::PARAMETERS;
use snapshot::record::Locale;
use snapshot::search::Strings;
use status::push_unmarked;
use store::sections::{Section, SectionError, SectionWriter, Sections};

type SectionNames = (&'static str, &'static str);

/// Section names of one language.
struct Names {
    words: SectionNames,
    facets: SectionNames,
    parameters: SectionNames,
    rows: SectionNames,
    cuts: &'static str,
    passages: SectionNames,
    lines: SectionNames,
    labels: SectionNames,
    entries: SectionNames,
    feed: SectionNames,
    pieces: SectionNames,
    slots: &'static str,
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

const OPTIONS: SectionNames = ("option.at", "option");
const EVENTS: SectionNames = ("event.at", "event");
const CSV: SectionNames = ("csv.at", "csv");

const fn names(locale: Locale) -> &'static Names {
    match locale {
        Locale::En => &ENGLISH,
        Locale::Es => &SPANISH,
    }
}

/// Fragments of one language, escaped.
#[derive(Clone, Debug, Default)]
pub struct LanguageParts {
    /// Texts of [`Message::KEYS`].
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
    organization::write(&shared.organizations, &shared.kinds, writer);
    for (locale, it) in Locale::ALL.iter().zip(prepared) {
        writer.put(names(*locale).slots, it.slots.as_slice());
    }
}

/// The fragments of one language.
pub struct Language {
    locale: Locale,
    words: Strings,
    facets: Strings,
    parameters: Strings,
    rows: Rows,
    /// Passages of this language, then of the fallback language.
    passages: Vec<Strings>,
    lines: Strings,
    labels: Strings,
    entries: Strings,
    feed: Strings,
    pieces: Strings,
    slots: Section<u32>,
}

/// The fragments of `html.bin`.
pub struct Html {
    languages: [Language; 2],
    options: Strings,
    events: Strings,
    csv: Strings,
    /// Organizations and their programs.
    pub organizations: Organizations,
}

impl Language {
    fn open(
        sections: &Sections,
        locale: Locale,
        count: usize,
        ordinals: usize,
    ) -> Result<Self, SectionError> {
        let names = names(locale);
        let sized = |names: SectionNames, length: usize| {
            let strings = Strings::open(sections, names)?;
            let fits = strings.len() == length;
            if fits { Ok(strings) } else { Err(SectionError::Content(names.0, "has another length")) }
        };
        let pieces = Strings::open(sections, names.pieces)?;
        let slots = sections.get(names.slots)?;
        snapshot::search::check_len(names.slots, &slots, pieces.len().saturating_sub(1))?;
        Ok(Self {
            locale,
            words: sized(names.words, Message::KEYS.len())?,
            facets: sized(names.facets, COUNT)?,
            parameters: sized(names.parameters, PARAMETERS.len())?,
            rows: Rows::open(sections, (names.rows, names.cuts), count)?,
            passages: vec![sized(names.passages, count)?],
            lines: sized(names.lines, count)?,
            labels: sized(names.labels, ordinals)?,
            entries: sized(names.entries, count)?,
            feed: sized(names.feed, PARTS)?,
            pieces,
            slots,
        })
    }

    /// The text of a message.
    #[must_use]
    pub(crate) fn word(&self, word: Message) -> &str {
        self.words.text(word as usize)
    }

    fn push_message(&self, out: &mut Vec<u8>, word: Message) {
        out.extend_from_slice(self.words.bytes(word as usize));
    }

    /// Writes a message with each `{name}` replaced.
    fn push_phrase(&self, out: &mut Vec<u8>, word: Message, values: &[(&str, &str)]) {
        let mut rest = self.word(word);
        while let Some((before, after)) = rest.split_once('{') {
            out.extend_from_slice(before.as_bytes());
            let Some((name, after)) = after.split_once('}') else { break };
            if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
                out.extend_from_slice(value.as_bytes());
            }
            rest = after;
        }
        out.extend_from_slice(rest.as_bytes());
    }

    /// Writes a date in words.
    pub(crate) fn push_date_words(&self, out: &mut Vec<u8>, date: Date) {
        let month = self.month(date);
        let (day, year) = (date.day().to_string(), date.year().to_string());
        self.push_phrase(out, Message::Date, &[("d", &day), ("month", month), ("y", &year)]);
    }

    fn month(&self, date: Date) -> &str {
        self.words.text(Message::January as usize + usize::from(date.month().unsigned_abs()) - 1)
    }

    fn push_time(&self, out: &mut Vec<u8>, date: Date) {
        out.extend_from_slice(b"<time datetime=\"");
        push_date(out, date);
        out.extend_from_slice(b"\">");
        self.push_date_words(out, date);
        out.extend_from_slice(b"</time>");
    }
}

/// Maximum number of programs in the home page's list of next deadlines.
const CLOSING: usize = 8;

impl Html {
    /// Opens the fragments of a search index.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(sections: &Sections, site: &Site) -> Result<Self, SectionError> {
        let (count, ordinals) = (site.index.len(), site.index.values.ordinals());
        let language = |locale| Language::open(sections, locale, count, ordinals);
        let (english, mut spanish) = (language(Locale::En)?, language(Locale::Es)?);
        spanish.passages.extend(english.passages.iter().cloned());
        let html = Self {
            languages: [english, spanish],
            options: Strings::open(sections, OPTIONS)?,
            events: Strings::open(sections, EVENTS)?,
            csv: Strings::open(sections, CSV)?,
            organizations: Organizations::open(sections, count)?,
        };
        let fits = html.options.len() == ordinals && html.events.len() == count && html.csv.len() == count;
        if fits { Ok(html) } else { Err(SectionError::Content(OPTIONS.0, "does not fit the search index")) }
    }

    /// The fragments of a language.
    #[must_use]
    pub fn language(&self, locale: Locale) -> &Language {
        &self.languages[locale as usize]
    }
}

impl Language {
    fn push_closing(&self, out: &mut Vec<u8>, dated: &Dated) {
        let due = dated.today.order.docs.iter().filter(|doc| dated.today.is_due(**doc, None, None));
        let open: Vec<u32> = due.copied().filter(|doc| dated.today.is_open(*doc)).take(CLOSING).collect();
        if open.is_empty() {
            out.extend_from_slice(b"<p>");
            self.push_message(out, Message::NoDeadlines);
            out.extend_from_slice(b"</p>");
            return;
        }
        out.extend_from_slice(b"<ol class=\"rows\">");
        open.into_iter().for_each(|doc| self.push_row(out, doc, dated, None));
        out.extend_from_slice(b"</ol>");
    }
}

/// Writes a count of results.
fn push_results(language: &Language, out: &mut Vec<u8>, total: usize) {
    let word = if total == 1 { Message::ResultsOne } else { Message::ResultsOther };
    language.push_phrase(out, word, &[("n", &grouped(total as u64, language.locale))]);
}

/// Writes a count in brackets.
fn push_count(out: &mut Vec<u8>, count: u32, locale: Locale) {
    out.extend_from_slice(b" <i>");
    out.extend_from_slice(grouped(count.into(), locale).as_bytes());
    out.extend_from_slice(b"</i>");
}
