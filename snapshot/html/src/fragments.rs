//! The open fragments of pages: what a request splices.

use std::fmt::Display;
use std::io::Write as _;

use jiff::civil::Date;
use snapshot::facet::COUNT;
use snapshot::page::{Site, date_text};
use snapshot::query::{PAGE_RANGE, PARAMETERS};
use snapshot::record::Locale;
use snapshot::search::Strings;
use store::sections::{SectionError, Sections};

use crate::hints::Hints;
use crate::messages::Message;
use crate::organization::Organizations;
use crate::prepare::{self, CSV, OPTIONS, PARTS, RECIPIENTS, SectionNames};
use crate::row::Rows;
use crate::slot::Pieces;

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
    pub(crate) events: Strings,
    pub(crate) feed: Strings,
    pub(crate) search: Pieces,
    pub(crate) list: Pieces,
    pub(crate) recipients: Strings,
}

/// The fragments of `html.bin`.
pub struct Html {
    /// One or two, the main language first.
    pub(crate) languages: Vec<Language>,
    pub(crate) options: Strings,
    pub(crate) csv: Strings,
    /// Organizations and their programs.
    pub organizations: Organizations,
    pub(crate) recipients: Strings,
    hints: Hints,
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
            let fits = strings.count() == length;
            if fits { Ok(strings) } else { Err(SectionError::Content(names.0, "has another length")) }
        };
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
            events: sized(prepare::EVENTS[at], count)?,
            feed: sized(prepare::FEED[at], PARTS)?,
            search: Pieces::open(sections, prepare::SEARCH[at])?,
            list: Pieces::open(sections, prepare::LIST[at])?,
            recipients: Strings::open(sections, prepare::ITEMS[at])?,
        })
    }

    /// The text of a message.
    pub(crate) fn word(&self, word: Message) -> &str {
        self.words.text(word as usize)
    }

    /// Writes the text of a message.
    pub(crate) fn push_word(&self, out: &mut Vec<u8>, word: Message) {
        out.extend_from_slice(self.words.bytes(word as usize));
    }

    /// A message with each `{name}` replaced.
    pub(crate) fn phrase(&self, word: Message, values: &[(&str, &str)]) -> String {
        let mut out = Vec::new();
        self.push_phrase(&mut out, word, values);
        String::from_utf8(out).unwrap_or_default()
    }

    /// Writes a message with each `{name}` replaced.
    pub(crate) fn push_phrase(&self, out: &mut Vec<u8>, word: Message, values: &[(&str, &str)]) {
        let mut rest = self.words.bytes(word as usize);
        let find = |text: &[u8], wanted: u8| text.iter().position(|byte| *byte == wanted);
        while let Some(start) = find(rest, b'{') {
            out.extend_from_slice(&rest[..start]);
            let after = &rest[start + 1..];
            let Some(end) = find(after, b'}') else { return };
            if let Some((_, value)) = values.iter().find(|(known, _)| known.as_bytes() == &after[..end]) {
                out.extend_from_slice(value.as_bytes());
            }
            rest = &after[end + 1..];
        }
        out.extend_from_slice(rest);
    }

    /// Links to the pages around one of some; none where there is only one.
    pub(crate) fn page_links(
        &self,
        (page, pages): (u64, u64),
        address: impl Fn(u64) -> String,
        out: &mut Vec<u8>,
    ) {
        if pages <= 1 {
            return;
        }
        let link = |page, relation, word| self.page_link(&address(page), relation, word);
        push(out, format_args!("<nav class=\"pages\" aria-label=\"{}\">", self.word(Message::Pages)));
        if page > 1 {
            push(out, link((page - 1).min(pages), "prev", Message::Previous));
        }
        let (number, of) = (page.to_string(), pages.to_string());
        let of = self.phrase(Message::PageOf, &[("n", &number), ("m", &of)]);
        push(out, format_args!("<span>{of}</span>"));
        if page < pages.min(PAGE_RANGE.1) {
            push(out, link(page + 1, "next", Message::Next));
        }
        push(out, "</nav>");
    }

    pub(crate) fn page_link(&self, address: &str, relation: &str, word: Message) -> String {
        format!("<a rel=\"{relation}\" href=\"{address}\">{}</a>", self.word(word))
    }

    pub(crate) fn month(&self, date: Date) -> &str {
        self.words.text(Message::January as usize + usize::from(date.month().unsigned_abs()) - 1)
    }

    /// Writes a date in words, with attributes, each with a space before it.
    pub(crate) fn push_time(&self, out: &mut Vec<u8>, attributes: &str, date: Date) {
        let text = date_text(date);
        let text = std::str::from_utf8(&text).unwrap_or_default();
        push_parts(out, ["<time", attributes, " datetime=\"", text, "\">"]);
        let (day, year) = (text[8..].trim_start_matches('0'), text[..4].trim_start_matches('0'));
        self.push_phrase(out, Message::Date, &[("d", day), ("month", self.month(date)), ("y", year)]);
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
        let (count, ordinals) = (site.index.programs(), site.index.values.ordinals());
        let language = |locale| Language::open(sections, locale, count, ordinals);
        let only = site.lists.about.only_locale;
        let locales = Locale::ALL.iter().filter(|locale| only.is_none_or(|only| only == **locale));
        let mut languages = locales.map(|locale| language(*locale)).collect::<Result<Vec<_>, _>>()?;
        if let [main, other] = &mut languages[..] {
            other.passages.extend(main.passages.iter().cloned());
        }
        let html = Self {
            languages,
            options: Strings::open(sections, OPTIONS)?,
            csv: Strings::open(sections, CSV)?,
            organizations: Organizations::open(sections, count)?,
            recipients: Strings::open(sections, RECIPIENTS)?,
            hints: Hints::open(sections)?,
        };
        let is_listed = |it: &Language| it.recipients.count() == html.recipients.count();
        let fits = html.options.count() == ordinals
            && html.csv.count() == count
            && html.languages.iter().all(is_listed);
        if fits { Ok(html) } else { Err(SectionError::Content(OPTIONS.0, "does not fit the search index")) }
    }

    /// Suggestions for text that is being typed, by its folded words: `{"data":[…],"meta":{"q":…}}`.
    pub fn hints(&self, words: &str, locale: Locale) -> Vec<u8> {
        self.hints.answer(words, self.language(locale).locale)
    }

    /// The fragments of a language, if the site has it; else those of the language that it has.
    pub fn language(&self, locale: Locale) -> &Language {
        self.languages.iter().find(|it| it.locale == locale).unwrap_or(&self.languages[0])
    }
}

/// Writes parts of markup, one after the other.
pub(crate) fn push_parts<const PARTS: usize>(out: &mut Vec<u8>, parts: [&str; PARTS]) {
    parts.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
}

/// Writes markup.
pub(crate) fn push(out: &mut Vec<u8>, markup: impl Display) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{markup}");
}
