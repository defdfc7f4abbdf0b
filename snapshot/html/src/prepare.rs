//! The fragments that a generator prepares: their types, their marks, and the file they are written to.
//!
//! Sections of `index/html.bin`:
//!
//! ```text
//! word.*                 the texts of [`Message`](crate::Message); of each language of the site, en or es, like the
//!                        following sections
//! facet.*                names of the facets
//! param.*                names of the search parameters
//! row.*  cut.*           search row of each document, and the positions of its parts, see `row.rs`
//! text.*                 passages of each document, for highlighted words
//! line.*                 link to each document, for lists by deadline
//! label.*                label of each facet value
//! entry.*                Atom entry of each document
//! feed.*                 the parts of a feed, see `feed.rs`
//! skel.*  slot.*         search page split at its slots: pieces, and the slot after each but the last
//! list.*                 list of recipients, in the same way
//! who.*                  item of each recipient in it, in its order; folded words of its names in both languages
//! org.*  kind             organizations, see `organization.rs`
//! hint.*                 suggestions while text is typed, see `hints.rs`
//! option                 name and value of each facet value's checkbox
//! event                  iCalendar events of each document
//! csv                    CSV row of each document, up to its next deadline
//! ```

use snapshot::page::text::escaped;
use snapshot::record::Locale;
use snapshot::search::Strings;
use store::sections::{SectionError, SectionWriter, Sections};

pub use crate::highlight::{PASSAGE_LENGTH, passages};
pub use crate::hints::HintEntry;
pub use crate::organization::OrganizationEntry;
use crate::row::Rows;
pub use crate::row::{RowTemplate, STATE_MARK, TEXT_MARKS};
pub use crate::slot::Slot;
use crate::slot::{Pieces, SkeletonNames};

/// Number of a language's feed parts. Atom: before the name of the query, before the query string of its own URL,
/// of its page and of its id, after these, and its end. Calendar: before and after the name of the query. CSV: the
/// header.
pub const PARTS: usize = 10;
pub(crate) type SectionNames = (&'static str, &'static str);

pub(crate) const WORDS: [SectionNames; 2] = [("word.en.at", "word.en"), ("word.es.at", "word.es")];
pub(crate) const FACETS: [SectionNames; 2] = [("facet.en.at", "facet.en"), ("facet.es.at", "facet.es")];
pub(crate) const PARAMETERS: [SectionNames; 2] = [("param.en.at", "param.en"), ("param.es.at", "param.es")];
pub(crate) const ROWS: [SectionNames; 2] = [("row.en.at", "row.en"), ("row.es.at", "row.es")];
pub(crate) const PASSAGES: [SectionNames; 2] = [("text.en.at", "text.en"), ("text.es.at", "text.es")];
pub(crate) const LINES: [SectionNames; 2] = [("line.en.at", "line.en"), ("line.es.at", "line.es")];
pub(crate) const LABELS: [SectionNames; 2] = [("label.en.at", "label.en"), ("label.es.at", "label.es")];
pub(crate) const ENTRIES: [SectionNames; 2] = [("entry.en.at", "entry.en"), ("entry.es.at", "entry.es")];
pub(crate) const FEED: [SectionNames; 2] = [("feed.en.at", "feed.en"), ("feed.es.at", "feed.es")];
pub(crate) const SEARCH: [SkeletonNames; 2] =
    [(("skel.en.at", "skel.en"), "slot.en"), (("skel.es.at", "skel.es"), "slot.es")];
pub(crate) const LIST: [SkeletonNames; 2] =
    [(("list.en.at", "list.en"), "list.slot.en"), (("list.es.at", "list.es"), "list.slot.es")];
pub(crate) const CUTS: [&str; 2] = ["cut.en", "cut.es"];
pub(crate) const OPTIONS: SectionNames = ("option.at", "option");
pub(crate) const EVENTS: SectionNames = ("event.at", "event");
pub(crate) const CSV: SectionNames = ("csv.at", "csv");
pub(crate) const ITEMS: [SectionNames; 2] = [("who.en.at", "who.en"), ("who.es.at", "who.es")];
pub(crate) const RECIPIENTS: SectionNames = ("who.at", "who");

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
    /// Passages by document; empty if they equal those of the main language.
    pub passages: Vec<String>,
    /// Links by document.
    pub lines: Vec<String>,
    /// Labels by ordinal.
    pub labels: Vec<String>,
    /// Atom entries by document.
    pub entries: Vec<String>,
    /// Parts of feeds.
    pub feed: Vec<String>,
    /// The search page: pieces, and the slot after each but the last.
    pub search: (Vec<String>, Vec<u32>),
    /// The list of recipients, in the same way.
    pub list: (Vec<String>, Vec<u32>),
    /// List items of recipients.
    pub recipients: Vec<String>,
}

/// Fragments of every language.
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
    /// Folded words of the names of recipients, in the order of their list.
    pub recipients: Vec<String>,
    /// Suggestions while text is typed.
    pub hints: Vec<HintEntry>,
}

/// A text that each document has in `html.bin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// Passages of a language.
    Passages(Locale),
    /// Link of a language.
    Line(Locale),
    /// Atom entry of a language.
    Entry(Locale),
    /// Calendar events.
    Events,
    /// CSV row.
    Csv,
}

/// The fragments that documents have in an earlier file.
pub struct EarlierFragments {
    rows: [Option<Rows>; 2],
    texts: [[Option<Strings>; 3]; 2],
    events: Strings,
    csv: Strings,
}

impl EarlierFragments {
    /// Opens `html.bin`.
    ///
    /// # Errors
    ///
    /// If it is of another format.
    pub fn open(file: &Sections) -> Result<Self, SectionError> {
        let csv = Strings::open(file, CSV)?;
        let texts = |at: usize| [PASSAGES, LINES, ENTRIES].map(|names| Strings::open(file, names[at]).ok());
        let rows = |at: usize| Rows::open(file, (ROWS[at], CUTS[at]), csv.len()).ok();
        let (rows, texts) = ([0, 1].map(rows), [0, 1].map(texts));
        Ok(Self { rows, texts, events: Strings::open(file, EVENTS)?, csv })
    }

    /// The search row of a document, if it has one in this language.
    #[must_use]
    pub fn row(&self, doc: u32, locale: Locale) -> Option<RowTemplate> {
        self.rows[locale as usize].as_ref()?.template(doc as usize)
    }

    /// A text of a document, if it has one in this language.
    #[must_use]
    pub fn text(&self, of: Fragment, doc: u32) -> Option<String> {
        let of_language = |at: usize, locale: Locale| self.texts[locale as usize][at].as_ref();
        let strings = match of {
            Fragment::Passages(locale) => of_language(0, locale)?,
            Fragment::Line(locale) => of_language(1, locale)?,
            Fragment::Entry(locale) => of_language(2, locale)?,
            Fragment::Events => &self.events,
            Fragment::Csv => &self.csv,
        };
        ((doc as usize) < strings.len()).then(|| strings.text(doc as usize).to_owned())
    }
}

/// Writes `html.bin`.
pub fn write(prepared: &[(Locale, LanguageParts)], shared: &Shared, writer: &mut SectionWriter) {
    let put = |writer: &mut SectionWriter, names, strings: &[String]| {
        Strings::write(writer, names, strings.iter().map(String::as_bytes));
    };
    for (locale, it) in prepared {
        let at = *locale as usize;
        for (names, strings) in [
            (WORDS, &it.words),
            (FACETS, &it.facets),
            (PARAMETERS, &it.parameters),
            (PASSAGES, &it.passages),
            (LINES, &it.lines),
            (LABELS, &it.labels),
            (ENTRIES, &it.entries),
            (FEED, &it.feed),
            (ITEMS, &it.recipients),
        ] {
            put(writer, names[at], strings);
        }
        RowTemplate::write(&it.rows, (ROWS[at], CUTS[at]), writer);
        Pieces::write(&it.search, SEARCH[at], writer);
        Pieces::write(&it.list, LIST[at], writer);
    }
    put(writer, OPTIONS, &shared.options);
    put(writer, EVENTS, &shared.events);
    put(writer, CSV, &shared.csv);
    put(writer, RECIPIENTS, &shared.recipients);
    crate::organization::write(&shared.organizations, &shared.kinds, writer);
    crate::hints::write(&shared.hints, writer);
}

/// Name and value of a checkbox.
#[must_use]
pub fn checkbox_attributes(parameter: &str, value: &str) -> String {
    format!("name=\"{parameter}\" value=\"{}\"", escaped(value))
}
