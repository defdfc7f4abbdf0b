//! The open fragments of pages: what a request splices.

use jiff::civil::Date;
use snapshot::facet::COUNT;
use snapshot::page::text::grouped;
use snapshot::page::{Site, push_date};
use snapshot::query::PARAMETERS;
use snapshot::record::Locale;
use snapshot::search::Strings;
use store::sections::{Section, SectionError, Sections};

use crate::messages::Message;
use crate::organization::Organizations;
use crate::prepare::{self, CSV, EVENTS, OPTIONS, PARTS, SectionNames};
use crate::row::Rows;

/// The fragments of one language.
pub struct Language {
    pub(crate) locale: Locale,
    pub(crate) words: Strings,
    pub(crate) facets: Strings,
    pub(crate) parameters: Strings,
    pub(crate) rows: Rows,
    /// Passages of this language, then of the fallback language.
    pub(crate) passages: Vec<Strings>,
    pub(crate) lines: Strings,
    pub(crate) labels: Strings,
    pub(crate) entries: Strings,
    pub(crate) feed: Strings,
    pub(crate) pieces: Strings,
    pub(crate) slots: Section<u32>,
}

/// The fragments of `html.bin`.
pub struct Html {
    pub(crate) languages: [Language; 2],
    pub(crate) options: Strings,
    pub(crate) events: Strings,
    pub(crate) csv: Strings,
    /// Organizations and their programs.
    pub organizations: Organizations,
}

impl Language {
    pub(crate) fn open(
        sections: &Sections,
        locale: Locale,
        count: usize,
        ordinals: usize,
    ) -> Result<Self, SectionError> {
        let at = locale as usize;
        let sized = |names: SectionNames, length: usize| {
            let strings = Strings::open(sections, names)?;
            let fits = strings.len() == length;
            if fits { Ok(strings) } else { Err(SectionError::Content(names.0, "has another length")) }
        };
        let pieces = Strings::open(sections, prepare::PIECES[at])?;
        let slots = sections.get(prepare::SLOTS[at])?;
        snapshot::search::check_len(prepare::SLOTS[at], &slots, pieces.len().saturating_sub(1))?;
        Ok(Self {
            locale,
            words: sized(prepare::WORDS[at], Message::KEYS.len())?,
            facets: sized(prepare::FACETS[at], COUNT)?,
            parameters: sized(prepare::PARAMETERS[at], PARAMETERS.len())?,
            rows: Rows::open(sections, (prepare::ROWS[at], prepare::CUTS[at]), count)?,
            passages: vec![sized(prepare::PASSAGES[at], count)?],
            lines: sized(prepare::LINES[at], count)?,
            labels: sized(prepare::LABELS[at], ordinals)?,
            entries: sized(prepare::ENTRIES[at], count)?,
            feed: sized(prepare::FEED[at], PARTS)?,
            pieces,
            slots,
        })
    }

    /// The text of a message.
    #[must_use]
    pub(crate) fn word(&self, word: Message) -> &str {
        self.words.text(word as usize)
    }

    pub(crate) fn push_message(&self, out: &mut Vec<u8>, word: Message) {
        out.extend_from_slice(self.words.bytes(word as usize));
    }

    /// Writes a message with each `{name}` replaced.
    pub(crate) fn push_phrase(&self, out: &mut Vec<u8>, word: Message, values: &[(&str, &str)]) {
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

    pub(crate) fn month(&self, date: Date) -> &str {
        self.words.text(Message::January as usize + usize::from(date.month().unsigned_abs()) - 1)
    }

    pub(crate) fn push_time(&self, out: &mut Vec<u8>, date: Date) {
        self.push_time_of(out, "", date);
    }

    /// Writes a date with attributes, each with a space before it.
    pub(crate) fn push_time_of(&self, out: &mut Vec<u8>, attributes: &str, date: Date) {
        out.extend_from_slice(format!("<time{attributes} datetime=\"").as_bytes());
        push_date(out, date);
        out.extend_from_slice(b"\">");
        self.push_date_words(out, date);
        out.extend_from_slice(b"</time>");
    }
}

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

/// Writes a count in brackets.
pub(crate) fn push_count(out: &mut Vec<u8>, count: u32, locale: Locale) {
    out.extend_from_slice(b" <i>");
    out.extend_from_slice(grouped(count.into(), locale).as_bytes());
    out.extend_from_slice(b"</i>");
}
