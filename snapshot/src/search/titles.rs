//! What records are called: a question that is a name, an alias or a slug is about that record.
//!
//! ```text
//! title.at .text       names, aliases and slugs: folded words joined by spaces, sorted
//! title.docs.at .docs  documents of each
//! ```

use std::collections::BTreeMap;

use crate::record::Directory;
use crate::search::passages::searchable_texts;
use crate::search::table::{Lists, Strings};
use crate::search::terms::Mark;
use crate::search::text::words_of;
use crate::store::sections::{SectionError, SectionWriter, Sections};

const KEYS: (&str, &str) = ("title.at", "title.text");
const DOCS: (&str, &str) = ("title.docs.at", "title.docs");

/// Writes the sections; `order` gives the program of each document.
pub fn write(directory: &Directory, order: &[usize], writer: &mut SectionWriter) {
    let mut titles: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (doc, program) in (0..).zip(order) {
        let called = searchable_texts(directory, *program).into_iter();
        let called =
            called.filter(|(mark, _)| matches!(mark, Mark::Name | Mark::Alias)).map(|(_, text)| text);
        for title in called.chain([directory.programs[*program].slug.as_str()]) {
            let docs = titles.entry(words_of(title).join(" ")).or_default();
            if docs.last() != Some(&doc) {
                docs.push(doc);
            }
        }
    }
    titles.remove("");
    Strings::write(writer, KEYS, titles.keys().map(String::as_bytes));
    Lists::write(writer, DOCS, titles.values().map(Vec::as_slice));
}

/// The titles, open.
pub struct Titles {
    keys: Strings,
    docs: Lists,
}

impl Titles {
    /// Opens the sections of an index over `count` documents.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let titles = Self { keys: Strings::open(sections, KEYS)?, docs: Lists::open(sections, DOCS, count)? };
        if titles.keys.len() == titles.docs.len() {
            Ok(titles)
        } else {
            Err(SectionError::Content(DOCS.0, "has another length"))
        }
    }

    /// Documents that are called what a text says.
    #[must_use]
    pub fn find(&self, text: &str) -> &[u32] {
        let key = words_of(text).join(" ");
        self.keys.find(key.as_bytes()).map_or(&[], |position| self.docs.get(position))
    }
}
