//! `index/pages.bin`: what pages are rendered from at a request. The generator writes it, the edge opens it.
//!
//! ```text
//! file.name.at .name  file.*   templates by name, `en.json`, `es.json` and `site.json`
//! view.*                       [`Program`] of each document, JSON; of each language of the site, en or es, like the
//!                              following sections
//! text.*                       passages of each document, a line each, for highlighted words; empty where they are
//!                              those of the main language
//! label.*                      language tag of each facet value's label, a tab, and the label
//! who.*                        link to each recipient and the number of awards, JSON, in the order of their list
//! who.at  who                  folded words of their names in both languages
//! sums.*                       chart of amounts, JSON
//! org.*                        organizations, see `organization.rs`
//! hint.*                       suggestions while text is typed, see `hints.rs`
//! csv                          CSV row of each document, up to its next deadline
//! csv.head                     the header of such a table
//! ```

use std::collections::BTreeMap;

use minijinja::{Environment, Error, Value};
use serde::de::DeserializeOwned;
use snapshot::page::Site;
use snapshot::record::Locale;
use snapshot::search::{Organizations, Strings, StringsWriter};
use store::sections::{SectionError, SectionWriter, Sections};

use crate::entry::Entry;
pub use crate::hints::HintEntry;
use crate::hints::{self, Hints};
use crate::status::Words;
use crate::templates::{SiteInfo, Templates, environment, with_location};
use crate::view::{Link, Program, bar};

type SectionNames = (&'static str, &'static str);

const FILE_NAMES: SectionNames = ("file.name.at", "file.name");
const FILES: SectionNames = ("file.at", "file");
const VIEWS: [SectionNames; 2] = [("view.en.at", "view.en"), ("view.es.at", "view.es")];
const PASSAGES: [SectionNames; 2] = [("text.en.at", "text.en"), ("text.es.at", "text.es")];
const LABELS: [SectionNames; 2] = [("label.en.at", "label.en"), ("label.es.at", "label.es")];
const ITEMS: [SectionNames; 2] = [("who.en.at", "who.en"), ("who.es.at", "who.es")];
const SUMS: [&str; 2] = ["sums.en", "sums.es"];
const RECIPIENTS: SectionNames = ("who.at", "who");
const CSV: SectionNames = ("csv.at", "csv");
const CSV_HEAD: &str = "csv.head";

/// The files of words and of what pages share, among the templates.
const WORD_FILES: [&str; 2] = ["en.json", "es.json"];
const SITE_FILE: &str = "site.json";

/// Why pages cannot be rendered from an index.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message shows what its fields are")]
pub enum PagesError {
    #[error(transparent)]
    Section(#[from] SectionError),
    #[error("the templates: {}", with_location(.0))]
    Template(#[from] Error),
}

/// What a language has once.
#[derive(Clone, Debug, Default)]
pub struct LanguageEntries {
    /// Label of each facet value, with its language tag if that is not the page's.
    pub labels: Vec<(Option<&'static str>, String)>,
    /// Recipients in the order of their list, and the number of awards of each.
    pub recipients: Vec<(Link, usize)>,
    /// Number of programs by the most that one award pays.
    pub sums: Vec<(String, u64)>,
}

/// What every language shows.
#[derive(Clone, Debug)]
pub struct SharedEntries {
    /// Templates by name.
    pub templates: BTreeMap<String, String>,
    /// Words by key, English and Spanish.
    pub words: [BTreeMap<String, String>; 2],
    /// What pages share.
    pub site: SiteInfo,
    /// Folded words of the names of recipients, in the order of their list.
    pub recipients: Vec<String>,
    /// Suggestions while text is typed.
    pub hints: Vec<HintEntry>,
    /// Header of a table of programs, with its line end.
    pub csv_head: String,
}

/// A document: its view and its passages in each language of the site, and its CSV row. Passages have a line each; they are
/// empty if they equal those of the main language.
pub type Document = (Vec<(Program, String)>, String);

/// Writes the file: documents in their order, and what there is once, of each language of the site and of all.
pub fn write(
    documents: impl Iterator<Item = Document>,
    entries: &[(Locale, LanguageEntries)],
    shared: &SharedEntries,
) -> SectionWriter {
    let mut languages: Vec<[StringsWriter; 2]> = entries.iter().map(|_| Default::default()).collect();
    let mut csv = StringsWriter::default();
    for (views, row) in documents {
        for ([views, passages], (view, lines)) in languages.iter_mut().zip(views) {
            views.push(&json(&view));
            passages.push(lines.as_bytes());
        }
        csv.push(row.as_bytes());
    }
    let mut writer = SectionWriter::default();
    for ([views, passages], (locale, entries)) in languages.into_iter().zip(entries) {
        let at = *locale as usize;
        views.write(VIEWS[at], &mut writer);
        passages.write(PASSAGES[at], &mut writer);
        let labels =
            entries.labels.iter().map(|(lang, text)| format!("{}\t{text}", lang.unwrap_or_default()));
        put(LABELS[at], labels, &mut writer);
        put(ITEMS[at], entries.recipients.iter().map(json), &mut writer);
        writer.put(SUMS[at], json(&entries.sums));
    }
    let files = files(shared);
    put(FILE_NAMES, files.keys(), &mut writer);
    put(FILES, files.values(), &mut writer);
    put(RECIPIENTS, &shared.recipients, &mut writer);
    csv.write(CSV, &mut writer);
    writer.put(CSV_HEAD, shared.csv_head.as_bytes());
    hints::write(&shared.hints, &mut writer);
    writer
}

fn put(names: SectionNames, strings: impl IntoIterator<Item: AsRef<[u8]>>, writer: &mut SectionWriter) {
    let strings: Vec<_> = strings.into_iter().collect();
    Strings::write(writer, names, strings.iter().map(AsRef::as_ref));
}

/// Views are structs of texts and numbers, which JSON has.
fn json(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

/// The files that [`Html::open`] compiles.
fn files(shared: &SharedEntries) -> BTreeMap<String, String> {
    let text = |json: Vec<u8>| String::from_utf8(json).unwrap_or_default();
    let words = WORD_FILES.iter().zip(&shared.words);
    let words = words.map(|(name, words)| ((*name).to_owned(), text(json(words))));
    let site = (SITE_FILE.to_owned(), text(json(&shared.site)));
    shared.templates.clone().into_iter().chain(words).chain([site]).collect()
}

/// What there is in one language.
pub(crate) struct Language {
    pub(crate) locale: Locale,
    views: Strings,
    /// Passages of this language, then of the main one.
    passages: Vec<Strings>,
    labels: Strings,
    pub(crate) recipients: Strings,
    /// Number of programs by the most that one award pays.
    pub(crate) sums: Vec<Value>,
}

/// `pages.bin`, open.
pub struct Html {
    /// Compiled templates, and words.
    pub templates: Templates,
    /// One or two, the main language first.
    languages: Vec<Language>,
    pub(crate) csv: Strings,
    pub(crate) csv_head: String,
    /// Those of the search index.
    pub(crate) organizations: Organizations,
    pub(crate) recipients: Strings,
    /// What the home page offers to choose from.
    pub(crate) entry: Entry,
    hints: Hints,
}

impl Language {
    fn open(
        sections: &Sections,
        locale: Locale,
        site: &Site,
        recipients: usize,
    ) -> Result<Self, SectionError> {
        let (at, count) = (locale as usize, site.index.programs());
        Ok(Self {
            locale,
            views: Strings::open_len(sections, VIEWS[at], count)?,
            passages: vec![Strings::open_len(sections, PASSAGES[at], count)?],
            labels: Strings::open_len(sections, LABELS[at], site.index.values.ordinals())?,
            recipients: Strings::open_len(sections, ITEMS[at], recipients)?,
            sums: bars(sections, locale)?,
        })
    }

    /// Passages of a document, a line each.
    pub(crate) fn passages(&self, doc: u32) -> &str {
        let all = self.passages.iter().map(|passages| passages.text(doc as usize));
        all.into_iter().find(|passages| !passages.is_empty()).unwrap_or_default()
    }

    /// The label of a facet value, and its language if that is not the page's.
    pub(crate) fn label(&self, ordinal: u32) -> (Option<&str>, &str) {
        let (lang, text) = self.labels.text(ordinal as usize).split_once('\t').unwrap_or_default();
        (Some(lang).filter(|lang| !lang.is_empty()), text)
    }
}

impl Html {
    /// Opens the pages of a search index, and compiles the templates.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others, or a template cannot be compiled.
    pub fn open(sections: &Sections, site: &Site) -> Result<Self, PagesError> {
        let only = site.lists.about.only_locale;
        let locales = Locale::ALL.iter().filter(|locale| only.is_none_or(|only| only == **locale));
        let recipients = Strings::open(sections, RECIPIENTS)?;
        let languages = locales.map(|locale| Language::open(sections, *locale, site, recipients.count()));
        let mut languages = languages.collect::<Result<Vec<_>, _>>()?;
        if let [main, other] = &mut languages[..] {
            other.passages.extend(main.passages.iter().cloned());
        }
        let csv_head = sections.get::<u8>(CSV_HEAD)?;
        Ok(Self {
            templates: compiled(sections)?,
            languages,
            csv: Strings::open_len(sections, CSV, site.index.programs())?,
            csv_head: String::from_utf8_lossy(&csv_head).into_owned(),
            organizations: site.index.organizations.clone(),
            recipients,
            entry: Entry::new(&site.index),
            hints: Hints::open(sections)?,
        })
    }

    /// Suggestions for text that is being typed, by its folded words: `{"data":[…],"meta":{"q":…}}`.
    pub fn hints(&self, words: &str, locale: Locale) -> Vec<u8> {
        self.hints.answer(words, self.language(locale).locale)
    }

    /// What there is in a language, if the site has it; else in the language that it has.
    pub(crate) fn language(&self, locale: Locale) -> &Language {
        self.languages.iter().find(|it| it.locale == locale).unwrap_or(&self.languages[0])
    }

    /// The view of a document in a language, as it was prepared; `None` if it is damaged.
    pub fn program(&self, doc: u32, locale: Locale) -> Option<Program> {
        serde_json::from_slice(self.language(locale).views.get(doc as usize)).ok()
    }

    pub(crate) fn words(&self, locale: Locale) -> Words<'_> {
        Words { templates: &self.templates, locale }
    }
}

/// The bars of the chart of amounts.
fn bars(sections: &Sections, locale: Locale) -> Result<Vec<Value>, SectionError> {
    let name = SUMS[locale as usize];
    let sums: Vec<(String, u64)> = serde_json::from_slice(&sections.get::<u8>(name)?)
        .map_err(|_| SectionError(name, "is no JSON of the expected shape"))?;
    let most = sums.iter().map(|(_, count)| *count).max().unwrap_or(0);
    Ok(sums.into_iter().map(|(name, count)| bar(name, None, (count, most), locale)).collect())
}

/// The stored templates, words and what pages share, compiled.
fn compiled(sections: &Sections) -> Result<Templates, PagesError> {
    let names = Strings::open(sections, FILE_NAMES)?;
    let texts = Strings::open_len(sections, FILES, names.count())?;
    let mut files: BTreeMap<&str, &str> =
        (0..names.count()).map(|at| (names.text(at), texts.text(at))).collect();
    let site: SiteInfo = read(files.remove(SITE_FILE))?;
    let [english, spanish] = WORD_FILES.map(|name| read(files.remove(name)));
    let mut environment: Environment<'static> = environment(site.pictures.clone())?;
    for (name, text) in files {
        environment.add_template_owned(name.to_owned(), text.to_owned())?;
    }
    Ok(Templates::new(environment, &[english?, spanish?], site))
}

fn read<T: DeserializeOwned>(json: Option<&str>) -> Result<T, SectionError> {
    let json = json.ok_or(SectionError(FILES.0, "is missing"))?;
    serde_json::from_str(json).map_err(|_| SectionError(FILES.0, "is no JSON of the expected shape"))
}
