//! Recipients: prepared rows, and the columns that filters look through.

use super::cycles::Numbers;
use crate::page::json::{SectionNames, write_rows};
use crate::page::shape::Shaper;
use crate::query::ListQuery;
use crate::record::RecipientKind;
use crate::record::field_table::Object;
use crate::search::{Index, Lists as NumberLists, Strings, check_len};
use crate::text::fold;
use store::sections::{Section, SectionError, SectionWriter, Sections};

const RECIPIENTS: SectionNames = ("rec.at", "rec");
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

pub(in crate::page) fn write(shaper: &Shaper<'_>, numbers: &Numbers, writer: &mut SectionWriter) {
    let directory = shaper.directory;
    let name = |recipient: usize| fold(shaper.recipient_reference(recipient).text("displayName"));
    let mut order: Vec<usize> = (0..directory.recipients.len()).collect();
    order.sort_by_cached_key(|it| {
        (std::cmp::Reverse(directory.recipient_awards[*it].len()), name(*it), directory.recipients[*it].id)
    });
    write_rows(RECIPIENTS, order.iter().map(|recipient| shaper.recipient_summary(*recipient)), writer);
    Strings::write(writer, NAMES, order.iter().map(|recipient| name(*recipient)));
    let kinds: Vec<u8> = order.iter().map(|recipient| directory.recipients[*recipient].kind as u8).collect();
    writer.put("rec.kind", kinds);
    let granted = |award: &usize| {
        let year = u32::try_from(directory.awards[*award].award_year).unwrap_or(0);
        (year, numbers.doc_of[directory.award_links[*award].program])
    };
    let (mut years, mut programs) = (Vec::new(), Vec::new());
    for recipient in &order {
        let mut awards: Vec<(u32, u32)> =
            directory.recipient_awards[*recipient].iter().map(granted).collect();
        awards.sort_unstable();
        awards.dedup();
        let (of_years, of_programs): (Vec<u32>, Vec<u32>) = awards.into_iter().unzip();
        years.push(of_years);
        programs.push(of_programs);
    }
    NumberLists::write(writer, YEARS, years.iter().map(Vec::as_slice));
    NumberLists::write(writer, PROGRAMS, programs.iter().map(Vec::as_slice));
}

impl Recipients {
    pub(in crate::page) fn open(sections: &Sections, programs: usize) -> Result<Self, SectionError> {
        let rows = Strings::open(sections, RECIPIENTS)?;
        let recipients = Self {
            names: Strings::open(sections, NAMES)?,
            kinds: sections.get("rec.kind")?,
            years: NumberLists::open(sections, YEARS)?,
            programs: NumberLists::open_below(sections, PROGRAMS, programs)?,
            rows,
        };
        let count = recipients.rows.len();
        check_len("rec.kind", &recipients.kinds, count)?;
        if [recipients.names.len(), recipients.years.len(), recipients.programs.len()] != [count; 3] {
            return Err(SectionError::Content("rec.at", "does not fit its columns"));
        }
        let pairs = |of: usize| recipients.years.get(of).len() == recipients.programs.get(of).len();
        if !(0..count).all(pairs) {
            return Err(SectionError::Content(PROGRAMS.0, "does not fit the years"));
        }
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
