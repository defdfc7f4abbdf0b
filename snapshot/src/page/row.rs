//! Prepared parts of search answers: each program's row and each facet value's item, as bytes that
//! only have to be copied.
//!
//! ```text
//! row.en.at row.en         ProgramSummary of each document, JSON, up to the value of nextDeadline
//! row.es.of                u32 of each document: its Spanish row, or u32::MAX when it is the English
//! row.es.at row.es         Spanish rows
//! item.*.at item.*         FacetItem of each ordinal, JSON, up to the value of count; en and es
//! label.*.at label.*       label of each ordinal; en and es
//! tongue.at tongue         languages that texts are in, as `Content-Language` lists them
//! tongue.of                u16 of each document and request language, en and es: which of these
//! ```

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use crate::facet::{FACETS, Facet, place_label, state_label};
use crate::page::bilingual::{self, Bilingual, Names};
use crate::page::shape::Shaper;
use crate::page::{push_day, push_json, push_number};
use crate::query::FacetValue;
use crate::record::{Directory, InternedStr, Locale, Term};
use crate::search::{Pair, Strings, StringsWriter, Today, column};
use crate::time::Day;
use store::sections::{Section, SectionError, SectionWriter, Sections, ensure};

const ROWS: Names = (("row.en.at", "row.en"), ("row.es.at", "row.es"), "row.es.of");
const ITEMS: [Pair; 2] = [("item.en.at", "item.en"), ("item.es.at", "item.es")];
const LABELS: [Pair; 2] = [("label.en.at", "label.en"), ("label.es.at", "label.es")];

const TONGUES: Pair = ("tongue.at", "tongue");
const TONGUE_OF: &str = "tongue.of";

/// Bytes of a row that the processor fetches once one of them is read, about.
const FETCHED_BYTES: usize = 256;

/// Prepared rows and items, open.
pub struct Rows {
    programs: Bilingual,
    tongues: Strings,
    tongue_of: Section<u16>,
    items: [Strings; 2],
    labels: [Strings; 2],
}

impl Rows {
    /// Opens the rows of `count` documents and the items of `ordinals` values.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub(crate) fn open(sections: &Sections, count: usize, ordinals: usize) -> Result<Self, SectionError> {
        let values = |names| Strings::open_len(sections, names, ordinals);
        let rows = Self {
            programs: Bilingual::open(sections, ROWS, count)?,
            tongues: Strings::open(sections, TONGUES)?,
            tongue_of: column(sections, TONGUE_OF, count * Locale::ALL.len())?,
            items: [values(ITEMS[0])?, values(ITEMS[1])?],
            labels: [values(LABELS[0])?, values(LABELS[1])?],
        };
        let tongues = rows.tongues.count();
        let known = rows.tongue_of.iter().all(|tongue| usize::from(*tongue) < tongues);
        ensure(known, TONGUE_OF, "a number is out of bounds")?;
        Ok(rows)
    }

    /// Appends a program's row.
    pub fn push(&self, doc: u32, locale: Locale, today: &Today, out: &mut Vec<u8>) {
        push_row(self.row(doc, locale), today.next_deadline[doc as usize], out);
    }

    /// The rows of programs. A byte in some is read of each, so that they are fetched into the cache in parallel.
    pub(crate) fn rows(&self, docs: &[u32], locale: Locale) -> Vec<&[u8]> {
        let rows: Vec<&[u8]> = docs.iter().map(|doc| self.row(*doc, locale)).collect();
        std::hint::black_box(
            rows.iter().flat_map(|row| row.iter().step_by(FETCHED_BYTES)).fold(0, |all, byte| all ^ byte),
        );
        rows
    }

    /// A program's row up to the value of `nextDeadline`.
    pub(crate) fn row(&self, doc: u32, locale: Locale) -> &[u8] {
        self.programs.row(doc, locale)
    }

    /// Languages of a program's own texts in an answer in `locale`, as `Content-Language` lists them: texts
    /// without a translation are in their original language.
    pub fn languages(&self, doc: u32, locale: Locale) -> &str {
        let tongue = self.tongue_of.get(doc as usize * Locale::ALL.len() + locale as usize);
        tongue.map_or(locale.as_str(), |tongue| self.tongues.text(usize::from(*tongue)))
    }

    /// Appends a facet value's item.
    pub fn push_item(&self, facet: Facet, value: &FacetValue, count: u32, locale: Locale, out: &mut Vec<u8>) {
        match value {
            FacetValue::Value(ordinal) => {
                out.extend_from_slice(self.items[locale as usize].get(*ordinal as usize));
            }
            FacetValue::Place(code) => {
                push_item_start(out, code, place_label(facet, code, locale).unwrap_or(code));
            }
        }
        push_number(out, count);
        out.push(b'}');
    }

    /// Label of a facet value.
    pub fn label<'a>(&'a self, facet: Facet, value: &'a FacetValue, locale: Locale) -> &'a str {
        match value {
            FacetValue::Value(ordinal) => self.labels[locale as usize].text(*ordinal as usize),
            FacetValue::Place(code) => place_label(facet, code, locale).unwrap_or(code),
        }
    }
}

/// Appends a row with the value of `nextDeadline`.
pub(crate) fn push_row(row: &[u8], next_deadline: Day, out: &mut Vec<u8>) {
    out.extend_from_slice(row);
    push_day(out, next_deadline);
    out.push(b'}');
}

fn push_item_start(out: &mut Vec<u8>, value: &str, label: &str) {
    out.extend_from_slice(b"{\"value\":");
    push_json(out, &value);
    out.extend_from_slice(b",\"label\":");
    push_json(out, &label);
    out.extend_from_slice(b",\"count\":");
}

/// Writes the rows of programs; `order` gives the program of each document.
pub fn write_programs(directory: &Directory, order: &[usize], writer: &mut SectionWriter) {
    let row = |program, locale, out: &mut Vec<u8>| {
        push_json(out, &Shaper { directory, locale }.program_summary(program));
        out.pop();
        out.extend_from_slice(b",\"nextDeadline\":");
    };
    bilingual::write(order, row, ROWS, writer);
    let tongues = |program| Locale::ALL.iter().map(move |locale| tongues_of(directory, program, *locale));
    let tongue_of: Vec<Cow<'_, str>> = order.iter().flat_map(|program| tongues(*program)).collect();
    let all: BTreeSet<&str> = tongue_of.iter().map(Cow::as_ref).collect();
    let number_of: HashMap<&str, u16> = all.iter().copied().zip(0..).collect();
    Strings::write(writer, TONGUES, all.iter().map(|text| text.as_bytes()));
    writer.put(TONGUE_OF, tongue_of.iter().map(|text| number_of[&**text]).collect::<Vec<u16>>());
}

/// Writes the items of facet values.
pub fn write_values(directory: &Directory, values: &[(Facet, String)], writer: &mut SectionWriter) {
    let labels = Labels::new(directory);
    for locale in Locale::ALL {
        let (mut items, mut texts) = (StringsWriter::default(), StringsWriter::default());
        let mut item = Vec::new();
        for (facet, value) in values {
            let label = if value.is_empty() { String::new() } else { labels.label(*facet, value, *locale) };
            item.clear();
            if !value.is_empty() {
                push_item_start(&mut item, value, &label);
            }
            items.push(&item);
            texts.push(label.as_bytes());
        }
        items.write(ITEMS[*locale as usize], writer);
        texts.write(LABELS[*locale as usize], writer);
    }
}

/// The requested language, if any text is in it, then that of the texts that are not translated.
fn tongues_of(directory: &Directory, program: usize, locale: Locale) -> Cow<'_, str> {
    let it = &directory.programs[program];
    let original = it.language.as_deref().unwrap_or(directory.dataset.language().as_str());
    let there =
        [("name", true), ("summary", it.summary.is_some()), ("description", it.description.is_some())];
    let is_translated = |field| directory.translation(it.entity(), locale, field).is_some();
    let translated = there.iter().any(|(field, _)| is_translated(field));
    let whole = there.iter().all(|(field, there)| !there || is_translated(field));
    match (translated, whole || original == locale.as_str()) {
        (true, true) => locale.as_str().into(),
        (true, false) => format!("{}, {original}", locale.as_str()).into(),
        (false, _) => original.into(),
    }
}

/// What people read for facet values, by the name of the facet and the value.
struct Labels<'a> {
    vocabulary: HashMap<(&'a str, &'a str), &'a Term>,
    /// Of the fact with the least id.
    facts: HashMap<(&'a str, &'a str), InternedStr>,
}

impl<'a> Labels<'a> {
    fn new(directory: &'a Directory) -> Self {
        let vocabulary = directory.vocabulary.iter();
        let vocabulary = vocabulary.map(|term| ((term.facet.as_str(), term.value.as_str()), term)).collect();
        // Facts are in the order of their ids.
        let key = |fact| FACETS.iter().find_map(|spec| Some((spec.name, spec.fed(fact)?)));
        let facts = directory.facts.iter().rev().filter_map(|fact| Some((key(fact)?, fact.label?)));
        Self { vocabulary, facts: facts.collect() }
    }

    /// The vocabulary's word, else the fact's, else the name of the place or state, else the value.
    /// A fact's label is in the language of its source, so that Spanish prefers the place's name; so does
    /// English for places, which sources call by what they are filed under (`World (M49)`).
    fn label(&self, facet: Facet, value: &str, locale: Locale) -> String {
        let spec = &FACETS[facet as usize];
        let term = self.vocabulary.get(&(spec.name, value));
        let term = term.and_then(|term| match locale {
            Locale::En => term.label_en.as_deref(),
            Locale::Es => term.label_es.as_deref().or(term.label_en.as_deref()),
        });
        let fact = || self.facts.get(&(spec.name, value)).map(InternedStr::as_str);
        let name = || place_label(facet, value, locale).or_else(|| state_label(facet, value, locale));
        let label = match locale {
            Locale::En if !spec.is_place => term.or_else(fact).or_else(name),
            _ => term.or_else(name).or_else(fact),
        };
        label.unwrap_or(value).to_owned()
    }
}
