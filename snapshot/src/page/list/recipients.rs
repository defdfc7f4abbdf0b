//! Recipients: prepared rows, and the columns that filters look through.

use std::cmp::Reverse;

use super::write_rows;
use crate::distinct::distinct;
use crate::page::shape::Shaper;
use crate::query::ListQuery;
use crate::record::RecipientKind;
use crate::record::field_table::Object;
use crate::search::{Index, Lists as NumberLists, ListsWriter, Pair, Strings, column};
use crate::text::{fold, sort_key};
use store::sections::{Section, SectionError, SectionWriter, Sections, ensure};

const ROWS: Pair = ("rec.at", "rec");
const NAMES: Pair = ("rec.name.at", "rec.name");
const YEARS: Pair = ("rec.year.at", "rec.year");
const PROGRAMS: Pair = ("rec.doc.at", "rec.doc");

/// Recipients, open.
pub(in crate::page) struct Recipients {
    pub(in crate::page) rows: Strings,
    names: Strings,
    kinds: Section<u8>,
    /// Year and program of each recipient's awards: two lists side by side, every pair once.
    years: NumberLists,
    programs: NumberLists,
}

/// Writes the sections: recipients with most awards first, then by name; `doc_of` is the document of each program.
pub(super) fn write(shaper: &Shaper<'_>, doc_of: &[u32], writer: &mut SectionWriter) {
    let directory = shaper.directory;
    let name = |recipient: usize| shaper.recipient_reference(recipient).text("displayName").to_owned();
    let of = |recipient: usize| {
        (Reverse(directory.recipient_awards[recipient].len()), sort_key(&name(recipient)), recipient)
    };
    // Positions follow ids, and break ties as these do.
    let mut order: Vec<_> = (0..directory.recipients.len()).map(of).collect();
    order.sort_unstable();
    let order = || order.iter().map(|(.., recipient)| *recipient);
    let awards = |recipient: usize| directory.recipient_awards[recipient].iter();
    let year = |award: &usize| directory.awards[*award].award_year;
    let row = |recipient| {
        let row = shaper.recipient_row(recipient).with("awardCount", awards(recipient).len());
        row.with("latestAwardYear", awards(recipient).map(year).max())
    };
    write_rows(order(), row, ROWS, writer);
    Strings::write(writer, NAMES, order().map(|recipient| fold(&name(recipient))));
    let kinds = order().map(|recipient| directory.recipients[recipient].kind as u8);
    writer.put("rec.kind", kinds.collect::<Vec<u8>>());
    let (mut years, mut programs) = (ListsWriter::default(), ListsWriter::default());
    for recipient in order() {
        let program = |award: &usize| doc_of[directory.award_links[*award].program];
        let pair = |award| (u32::try_from(year(award)).unwrap_or(0), program(award));
        let pairs = distinct(awards(recipient).map(pair));
        years.push(&pairs.iter().map(|(year, _)| *year).collect::<Vec<u32>>());
        programs.push(&pairs.iter().map(|(_, doc)| *doc).collect::<Vec<u32>>());
    }
    years.write(YEARS, writer);
    programs.write(PROGRAMS, writer);
}

impl Recipients {
    pub(in crate::page) fn open(sections: &Sections, programs: usize) -> Result<Self, SectionError> {
        let rows = Strings::open(sections, ROWS)?;
        let count = rows.count();
        let recipients = Self {
            names: Strings::open_len(sections, NAMES, count)?,
            kinds: column(sections, "rec.kind", count)?,
            years: NumberLists::open_len(sections, YEARS, count)?,
            programs: NumberLists::open_many(sections, PROGRAMS, count, programs)?,
            rows,
        };
        let pairs = |of: usize| recipients.years.get(of).len() == recipients.programs.get(of).len();
        ensure((0..count).all(pairs), PROGRAMS.0, "does not fit the years")?;
        Ok(recipients)
    }

    pub(in crate::page) fn is_filtered(query: &ListQuery) -> bool {
        query.text.is_some() || query.year.is_some() || query.program.is_some() || query.kind.is_some()
    }

    pub(in crate::page) fn find(&self, index: &Index, query: &ListQuery) -> Vec<u32> {
        let text = query.text.as_deref().map(fold);
        let year = query.year.map(|year| u32::try_from(year).unwrap_or(0));
        // A slug of no program is one that no award is of.
        let program = query.program.as_deref().map(|slug| index.find(slug).unwrap_or(u32::MAX));
        let granted = |recipient: usize| {
            let awards = self.years.get(recipient).iter().zip(self.programs.get(recipient));
            awards.into_iter().any(|(of_year, of_program)| {
                year.is_none_or(|year| *of_year == year) && program.is_none_or(|doc| *of_program == doc)
            })
        };
        let by_award = year.is_some() || program.is_some();
        let fits = |recipient: &usize| {
            let recipient = *recipient;
            let kind = RecipientKind::ALL.get(usize::from(self.kinds[recipient])).copied();
            query.kind.is_none_or(|wanted| kind == Some(wanted))
                && (!by_award || granted(recipient))
                && text.as_deref().is_none_or(|text| self.names.text(recipient).contains(text))
        };
        (0..self.rows.count()).filter(fits).map(|recipient| recipient as u32).collect()
    }
}

/// The filters of recipients that were used.
pub(in crate::page) fn filters(query: &ListQuery) -> Object<'_> {
    Object::default()
        .with("q", query.text.as_deref())
        .with("year", query.year)
        .with("program", query.program.as_deref())
        .with("kind", query.kind.map(RecipientKind::as_str))
        .stated()
}
