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
//! event.*                iCalendar events of each document
//! feed.*                 the parts of a feed, see `feed.rs`
//! skel.*  slot.*         search page split at its slots: pieces, and the slot after each but the last
//! list.*                 list of recipients, in the same way
//! who.*                  item of each recipient in it, in its order; folded words of its names in both languages
//! org.*  kind             organizations, see `organization.rs`
//! hint.*                 suggestions while text is typed, see `hints.rs`
//! option                 name and value of each facet value's checkbox
//! csv                    CSV row of each document, up to its next deadline
//! ```

use snapshot::page::text::escaped;
use snapshot::record::Locale;
use snapshot::search::{Strings, StringsWriter};
use store::sections::SectionWriter;

pub use crate::highlight::{PASSAGE_LENGTH, passages};
pub use crate::hints::HintEntry;
pub use crate::organization::OrganizationEntry;
use crate::row::RowsWriter;
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
pub(crate) const EVENTS: [SectionNames; 2] = [("event.en.at", "event.en"), ("event.es.at", "event.es")];
pub(crate) const FEED: [SectionNames; 2] = [("feed.en.at", "feed.en"), ("feed.es.at", "feed.es")];
pub(crate) const SEARCH: [SkeletonNames; 2] =
    [(("skel.en.at", "skel.en"), "slot.en"), (("skel.es.at", "skel.es"), "slot.es")];
pub(crate) const LIST: [SkeletonNames; 2] =
    [(("list.en.at", "list.en"), "list.slot.en"), (("list.es.at", "list.es"), "list.slot.es")];
/// Texts that each document has in each language.
const TEXTS: [[SectionNames; 2]; 4] = [PASSAGES, LINES, ENTRIES, EVENTS];
pub(crate) const CUTS: [&str; 2] = ["cut.en", "cut.es"];
pub(crate) const OPTIONS: SectionNames = ("option.at", "option");
pub(crate) const CSV: SectionNames = ("csv.at", "csv");
pub(crate) const ITEMS: [SectionNames; 2] = [("who.en.at", "who.en"), ("who.es.at", "who.es")];
pub(crate) const RECIPIENTS: SectionNames = ("who.at", "who");

/// What a language has once, escaped.
#[derive(Clone, Debug, Default)]
pub struct LanguageParts {
    /// Texts of [`Message::KEYS`](crate::Message::KEYS).
    pub words: Vec<String>,
    /// Facet names.
    pub facets: Vec<String>,
    /// Parameter names.
    pub parameters: Vec<String>,
    /// Labels by ordinal.
    pub labels: Vec<String>,
    /// Parts of feeds.
    pub feed: Vec<String>,
    /// The search page: pieces, and the slot after each but the last.
    pub search: (Vec<String>, Vec<u32>),
    /// The list of recipients, in the same way.
    pub list: (Vec<String>, Vec<u32>),
    /// List items of recipients.
    pub recipients: Vec<String>,
}

/// What every language shows.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Name and value of checkboxes by ordinal.
    pub options: Vec<String>,
    /// Organizations, by slug.
    pub organizations: Vec<OrganizationEntry>,
    /// Folded words of the names of recipients, in the order of their list.
    pub recipients: Vec<String>,
    /// Suggestions while text is typed.
    pub hints: Vec<HintEntry>,
}

/// Fragments of a document in one language, escaped.
#[derive(Clone, Debug, Default)]
pub struct DocumentParts {
    /// Search row.
    pub row: RowTemplate,
    /// Passages; empty if they equal those of the main language.
    pub passages: String,
    /// Link.
    pub line: String,
    /// Atom entry.
    pub entry: String,
    /// Calendar events.
    pub events: String,
}

/// Fragments of a document.
#[derive(Clone, Debug, Default)]
pub struct DocumentFragments {
    /// In each language of the site.
    pub languages: Vec<DocumentParts>,
    /// CSV row.
    pub csv: String,
    /// Facet value of its type.
    pub kind: u32,
}

/// Documents of a language being collected.
#[derive(Default)]
struct LanguageColumns {
    rows: RowsWriter,
    /// In the order of [`TEXTS`].
    texts: [StringsWriter; 4],
}

/// Collects `html.bin`: documents in their order, then what there is once.
pub struct FragmentsWriter {
    languages: Vec<(Locale, LanguageColumns)>,
    csv: StringsWriter,
    kinds: Vec<u32>,
}

impl FragmentsWriter {
    /// No documents yet, of a site in these languages.
    pub fn new(locales: &[Locale]) -> Self {
        let languages = locales.iter().map(|locale| (*locale, LanguageColumns::default()));
        Self { languages: languages.collect(), csv: StringsWriter::default(), kinds: Vec::new() }
    }

    /// Adds the next document.
    pub fn add(&mut self, document: &DocumentFragments) {
        for ((_, columns), parts) in self.languages.iter_mut().zip(&document.languages) {
            columns.rows.push(&parts.row);
            let texts = [&parts.passages, &parts.line, &parts.entry, &parts.events];
            for (column, text) in columns.texts.iter_mut().zip(texts) {
                column.push(text.as_bytes());
            }
        }
        self.csv.push(document.csv.as_bytes());
        self.kinds.push(document.kind);
    }

    /// Writes the file; `parts` are those of each language.
    pub fn finish(self, parts: &[LanguageParts], shared: &Shared, writer: &mut SectionWriter) {
        for ((locale, columns), parts) in self.languages.into_iter().zip(parts) {
            columns.write(locale, parts, writer);
        }
        put(OPTIONS, &shared.options, writer);
        self.csv.write(CSV, writer);
        put(RECIPIENTS, &shared.recipients, writer);
        crate::organization::write(&shared.organizations, self.kinds, writer);
        crate::hints::write(&shared.hints, writer);
    }
}

impl LanguageColumns {
    fn write(self, locale: Locale, parts: &LanguageParts, writer: &mut SectionWriter) {
        let at = locale as usize;
        for (names, strings) in [
            (WORDS, &parts.words),
            (FACETS, &parts.facets),
            (PARAMETERS, &parts.parameters),
            (LABELS, &parts.labels),
            (FEED, &parts.feed),
            (ITEMS, &parts.recipients),
        ] {
            put(names[at], strings, writer);
        }
        for (names, texts) in TEXTS.into_iter().zip(self.texts) {
            texts.write(names[at], writer);
        }
        self.rows.write((ROWS[at], CUTS[at]), writer);
        Pieces::write(&parts.search, SEARCH[at], writer);
        Pieces::write(&parts.list, LIST[at], writer);
    }
}

fn put(names: SectionNames, strings: &[String], writer: &mut SectionWriter) {
    Strings::write(writer, names, strings.iter().map(String::as_bytes));
}

/// Name and value of a checkbox.
pub fn checkbox_attributes(parameter: &str, value: &str) -> String {
    format!("name=\"{parameter}\" value=\"{}\"", escaped(value))
}
