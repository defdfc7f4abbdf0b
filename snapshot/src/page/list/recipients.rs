//! Recipients: prepared rows, and the columns that filters look through.

use std::io;

use crate::page::json::{SectionNames, push_json, push_number};
use crate::page::shape::Shaper;
use crate::query::ListQuery;
use crate::record::field_table::Object;
use crate::record::{Award, RecipientKind};
use crate::search::{Index, Lists as NumberLists, ListsWriter, Strings, StringsWriter, check_len};
use crate::text::fold;
use store::sections::{Section, SectionError, SectionWriter, Sections, ensure};
use store::spill::{Column, Sorter, Spill};

const ROWS: SectionNames = ("rec.at", "rec");
const NAMES: SectionNames = ("rec.name.at", "rec.name");
const YEARS: SectionNames = ("rec.year.at", "rec.year");
const PROGRAMS: SectionNames = ("rec.doc.at", "rec.doc");

/// Recipients, open.
pub(in crate::page) struct Recipients {
    pub(in crate::page) rows: Strings,
    names: Strings,
    kinds: Section<u8>,
    /// Year and program of each recipient's awards: two lists side by side, every pair once.
    years: NumberLists,
    programs: NumberLists,
}

/// Recipients and what they were awarded, being collected.
pub(super) struct RecipientsWriter {
    /// Of each recipient: id, 0, kind, folded name, 0, row without its awards; of each award: id of the recipient, 1,
    /// year, document.
    records: Sorter,
}

/// What follows the id in a record.
const RECIPIENT: u8 = 0;
const AWARD: u8 = 1;

/// A recipient whose awards are being counted.
#[derive(Default)]
struct Found {
    kind: u8,
    name: Vec<u8>,
    row: Vec<u8>,
    awards: u32,
    /// Years and documents, ascending, each pair once.
    pairs: Vec<(u32, u32)>,
    latest: Option<i32>,
}

impl RecipientsWriter {
    pub(super) fn new(spill: &Spill) -> Self {
        Self { records: Sorter::new(spill) }
    }

    /// Adds the recipients of a directory.
    pub(super) fn add(&mut self, shaper: &Shaper<'_>) {
        let mut json = Vec::new();
        for (recipient, it) in shaper.directory.recipients.iter().enumerate() {
            let name = fold(shaper.recipient_reference(recipient).text("displayName"));
            json.clear();
            push_json(&mut json, &shaper.recipient_row(recipient));
            json.pop();
            let head = [RECIPIENT, it.kind as u8];
            self.records.push(&[it.id.as_bytes(), &head, name.as_bytes(), &[0], &json]);
        }
    }

    /// Adds an award of a document.
    pub(super) fn add_award(&mut self, award: &Award, doc: u32) {
        let year = (award.award_year as u32 ^ 1 << 31).to_be_bytes();
        self.records.push(&[award.recipient_id.as_bytes(), &[AWARD], &year, &doc.to_be_bytes()]);
    }

    /// Writes the sections: recipients with most awards first, then by name.
    pub(super) fn finish(self, writer: &mut SectionWriter) -> io::Result<()> {
        let spill = writer.spill().clone();
        let mut found = Found::default();
        let mut id = [0; 16];
        let mut sorted = Sorter::new(&spill);
        self.records.finish(|record| {
            let (of, rest) = record.split_at(id.len());
            match rest.split_first() {
                Some((&RECIPIENT, rest)) => {
                    found.push(&id, &mut sorted);
                    id.copy_from_slice(of);
                    found = Found::new(rest);
                }
                Some((&AWARD, rest)) if id == of => found.add_award(rest),
                _ => {}
            }
        })?;
        found.push(&id, &mut sorted);
        let (mut rows, mut names) = (StringsWriter::new(&spill), StringsWriter::new(&spill));
        let (mut years, mut programs) = (ListsWriter::new(&spill), ListsWriter::new(&spill));
        let mut kinds = Column::<u8>::new(&spill);
        sorted.finish(|record| {
            let (name, rest) = up_to_zero(&record[size_of::<u32>()..]);
            let (kind, rest) = (rest[id.len()], &rest[id.len() + 1..]);
            let (count, rest) = rest.split_at(size_of::<u32>());
            let count: u32 = bytemuck::pod_read_unaligned(count);
            let (pairs, row) = rest.split_at(2 * size_of::<u32>() * count as usize);
            let pairs: Vec<u32> =
                pairs.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
            let (of_years, of_programs) = pairs.split_at(count as usize);
            names.push(name);
            kinds.push(kind);
            years.push(of_years);
            programs.push(of_programs);
            rows.push(row);
        })?;
        rows.write(ROWS, writer);
        names.write(NAMES, writer);
        writer.put_column("rec.kind", kinds);
        years.write(YEARS, writer);
        programs.write(PROGRAMS, writer);
        Ok(())
    }
}

impl Found {
    /// A recipient, from what follows the tag in its record.
    fn new(record: &[u8]) -> Self {
        let (name, row) = up_to_zero(&record[1..]);
        Self { kind: record[0], name: name.to_vec(), row: row.to_vec(), ..Self::default() }
    }

    fn add_award(&mut self, record: &[u8]) {
        let number =
            |at: usize| u32::from_be_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]);
        let (year, doc) = ((number(0) ^ 1 << 31) as i32, number(4));
        self.awards += 1;
        self.latest = self.latest.max(Some(year));
        let pair = (u32::try_from(year).unwrap_or(0), doc);
        if self.pairs.last() != Some(&pair) {
            self.pairs.push(pair);
        }
    }

    /// Adds its record to the sorted ones; one without a row is no recipient.
    fn push(&mut self, id: &[u8; 16], sorted: &mut Sorter) {
        if self.row.is_empty() {
            return;
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let (years, docs): (Vec<u32>, Vec<u32>) = self.pairs.iter().copied().unzip();
        self.row.extend_from_slice(b",\"awardCount\":");
        push_number(&mut self.row, self.awards);
        self.row.extend_from_slice(b",\"latestAwardYear\":");
        push_json(&mut self.row, &self.latest);
        self.row.push(b'}');
        sorted.push(&[
            &(!self.awards).to_be_bytes(),
            &self.name,
            &[0],
            id,
            &[self.kind],
            bytemuck::bytes_of(&(years.len() as u32)),
            bytemuck::cast_slice(&years),
            bytemuck::cast_slice(&docs),
            &self.row,
        ]);
    }
}

/// The bytes before a zero and those behind it.
fn up_to_zero(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    (&bytes[..end], bytes.get(end + 1..).unwrap_or_default())
}

impl Recipients {
    pub(in crate::page) fn open(sections: &Sections, programs: usize) -> Result<Self, SectionError> {
        let rows = Strings::open(sections, ROWS)?;
        let recipients = Self {
            names: Strings::open(sections, NAMES)?,
            kinds: sections.get("rec.kind")?,
            years: NumberLists::open(sections, YEARS)?,
            programs: NumberLists::open_below(sections, PROGRAMS, programs)?,
            rows,
        };
        let count = recipients.rows.len();
        check_len("rec.kind", &recipients.kinds, count)?;
        let columns = [recipients.names.len(), recipients.years.len(), recipients.programs.len()];
        ensure(columns == [count; 3], "rec.at", "does not fit its columns")?;
        let pairs = |of: usize| recipients.years.get(of).len() == recipients.programs.get(of).len();
        ensure((0..count).all(pairs), PROGRAMS.0, "does not fit the years")?;
        Ok(recipients)
    }

    pub(in crate::page) fn is_filtered(query: &ListQuery) -> bool {
        query.text.is_some() || query.year.is_some() || query.program.is_some() || query.kind.is_some()
    }

    pub(in crate::page) fn find(&self, index: &Index, query: &ListQuery) -> Vec<usize> {
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
        (0..self.rows.len()).filter(fits).collect()
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
