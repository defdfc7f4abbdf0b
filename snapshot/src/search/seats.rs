//! Seats: subdivisions that the names of organizations state, as "Council on the Arts (Pennsylvania)" does. What such an
//! organization offers in its whole country is not shown to the other subdivisions as offered there.
//!
//! ```text
//! seat.at .text        codes of the subdivisions
//! seat.doc.at .docs    documents of each
//! ```

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::place::{self, NameKind};
use crate::record::{Directory, Organization};
use crate::search::set::{DocSet, union};
use crate::search::table::{Lists, Pair, Strings};
use crate::text::words_of;
use store::sections::{SectionError, SectionWriter, Sections};

const CODES: Pair = ("seat.at", "seat.text");
const DOCS: Pair = ("seat.doc.at", "seat.docs");

/// The words of each name of the subdivisions of a country, with the code.
type Names = FxHashMap<&'static str, Vec<(Vec<String>, &'static str)>>;

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = Names::default();
    for name in place::names().iter().filter(|name| name.kind == NameKind::Subdivision) {
        if let Some((country, _)) = name.codes[0].split_once('-') {
            names.entry(country).or_default().push((words_of(name.text), name.codes[0]));
        }
    }
    names
});

/// The subdivision whose name is the longest in the name of an organization; `None` if there is none, or two.
fn seat(organization: &Organization) -> Option<&'static str> {
    let words = words_of(&organization.name);
    let names = NAMES.get(organization.country_code.as_deref()?)?.iter();
    let stated = names.filter(|(name, _)| words.windows(name.len()).any(|run| run == name.as_slice()));
    let stated: Vec<(usize, &str)> = stated.map(|(name, code)| (name.len(), *code)).collect();
    let (longest, code) = *stated.iter().max()?;
    stated.iter().all(|(length, other)| *length < longest || *other == code).then_some(code)
}

/// Writes the sections; `order` gives the program of each document.
pub(super) fn write(directory: &Directory, order: &[usize], writer: &mut SectionWriter) {
    let mut docs: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (doc, program) in (0..).zip(order) {
        let organization = directory.program_links[*program].organization;
        if let Some(code) = seat(&directory.organizations[organization]) {
            docs.entry(code).or_default().push(doc);
        }
    }
    Strings::write(writer, CODES, docs.keys().map(|code| code.as_bytes()));
    Lists::write(writer, DOCS, docs.values());
}

/// The seats, open.
pub(super) struct Seats {
    codes: Strings,
    docs: Lists,
    /// Number of all documents.
    count: usize,
}

impl Seats {
    pub(super) fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let codes = Strings::open(sections, CODES)?;
        Ok(Self { docs: Lists::open_many(sections, DOCS, codes.count(), count)?, codes, count })
    }

    /// Documents of organizations of other subdivisions in the country of a subdivision.
    pub(super) fn elsewhere(&self, code: &str) -> DocSet<'_> {
        let Some((country, _)) = code.split_once('-') else { return DocSet::default() };
        let is_other = |seat: &str| seat != code && seat.split_once('-').is_some_and(|(of, _)| of == country);
        let others = (0..self.codes.count()).filter(|seat| is_other(self.codes.text(*seat)));
        union(others.map(|seat| DocSet::list(self.docs.get(seat))).collect(), self.count)
    }
}
