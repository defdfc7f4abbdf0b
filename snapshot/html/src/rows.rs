//! Rows and lines of programs on a day: in results, on the home page, and on the page of an organization.

use std::cmp::Reverse;

use minijinja::{Error, context};
use snapshot::page::Dated;
use snapshot::record::Locale;
use snapshot::time::{Day, DisplayStatus};

use crate::highlight::{Highlighter, Piece, beginning};
use crate::index::Html;
use crate::status::{Status, shown};
use crate::view::{Row, variables};

/// Maximum number of programs on the page of an organization, which links to a search for all of them.
const PROGRAMS: usize = 20;
/// Maximum number of programs in each of the home page's lists.
const HOME: usize = 5;
/// Maximum number of open programs that are read to fill two of them.
const SEEN: usize = 500;

impl Html {
    /// The row of a document, divided at words of a query.
    pub(crate) fn row(
        &self,
        doc: u32,
        locale: Locale,
        dated: &Dated,
        highlighter: Option<&Highlighter>,
    ) -> Option<Row> {
        let language = self.language(locale);
        let program = language.program(doc)?;
        let summary = program.summary.as_ref().map(|summary| beginning(&summary.text)).unwrap_or_default();
        let (title, extract) = match highlighter {
            None => (vec![Piece::plain(&program.name.text)], vec![Piece::plain(&summary)]),
            Some(highlighter) => {
                let (title, bits) = highlighter.pieces(&program.name.text);
                (title, highlighter.extract(&summary, language.passages(doc), bits))
            }
        };
        let status = self.status_of(doc, locale, dated, || program.deadline_text.is_some());
        Some(Row { program, status, title, extract, opened: None, differs: None })
    }

    /// Rows without a query.
    pub(crate) fn rows(
        &self,
        docs: impl IntoIterator<Item = u32>,
        locale: Locale,
        dated: &Dated,
    ) -> Vec<Row> {
        docs.into_iter().filter_map(|doc| self.row(doc, locale, dated, None)).collect()
    }

    fn list(
        &self,
        docs: impl IntoIterator<Item = u32>,
        locale: Locale,
        dated: &Dated,
    ) -> Result<String, Error> {
        let rows = self.rows(docs, locale, dated);
        self.templates.part("rows.html", locale, context! { rows => variables(&rows) })
    }

    fn status_of(&self, doc: u32, locale: Locale, dated: &Dated, in_words: impl Fn() -> bool) -> Status {
        let state = dated.today.state(doc);
        state.map(|state| self.words(locale).program(&state, dated.day(), in_words)).unwrap_or_default()
    }

    /// The status of a document on the day.
    pub(crate) fn status(&self, doc: u32, locale: Locale, dated: &Dated) -> Status {
        let in_words = || self.language(locale).program(doc).is_some_and(|it| it.deadline_text.is_some());
        self.status_of(doc, locale, dated, in_words)
    }

    /// The open programs that close next: those that persons can apply to, and the others.
    pub(crate) fn closing(&self, locale: Locale, dated: &Dated) -> Result<String, Error> {
        let due = dated.today.order.docs.iter().filter(|doc| dated.today.is_due(**doc, None, None));
        let open = due.copied().filter(|doc| is_open(*doc, dated)).take(SEEN);
        let (mut persons, mut others): (Vec<Row>, Vec<Row>) = Default::default();
        for row in open.filter_map(|doc| self.row(doc, locale, dated, None)) {
            let list = if row.program.for_persons { &mut persons } else { &mut others };
            if list.len() < HOME {
                list.push(row);
            }
            if persons.len() + others.len() == 2 * HOME {
                break;
            }
        }
        let lists = context! { persons => variables(&persons), others => variables(&others) };
        self.templates.part("closing.html", locale, lists)
    }

    /// The open programs whose opening day is the latest.
    pub(crate) fn opened(&self, locale: Locale, dated: &Dated) -> Result<String, Error> {
        let opening = |doc: &u32| Some((dated.today.state(*doc)?.openness.last_opening.known()?, *doc));
        let open = dated.today.order.docs.iter().filter(|doc| is_open(**doc, dated));
        let mut opened: Vec<(Day, u32)> = open.filter_map(opening).collect();
        // Of those that opened on a day, the next to close comes first: the order is by deadline.
        opened.sort_by_key(|(day, _)| Reverse(*day));
        let row = |(day, doc): (Day, u32)| {
            let row = self.row(doc, locale, dated, None)?;
            Some(Row { opened: self.words(locale).day(day), ..row })
        };
        let rows: Vec<Row> = opened.into_iter().take(HOME).filter_map(row).collect();
        self.templates.part("opened.html", locale, context! { rows => variables(&rows) })
    }

    /// The programs of an organization, by state and then by deadline.
    pub(crate) fn offered(&self, organization: u32, locale: Locale, dated: &Dated) -> Result<String, Error> {
        let key = |doc: u32| {
            let state = dated.today.state(doc)?;
            let next = state.openness.next_deadline;
            let rank = dated.today.order.rank.get(doc as usize).copied()?;
            let (.., place) = shown(state.standing);
            Some((place, if next == Day::NONE { i32::MAX } else { next.0 }, rank, doc))
        };
        let docs = self.organizations.docs(organization);
        let mut docs: Vec<(u8, i32, u32, u32)> = docs.iter().filter_map(|doc| key(*doc)).collect();
        docs.sort_unstable();
        self.list(docs.into_iter().take(PROGRAMS).map(|(.., doc)| doc), locale, dated)
    }
}

/// Whether people read that a document is open.
fn is_open(doc: u32, dated: &Dated) -> bool {
    let standing = dated.today.state(doc).map(|state| state.standing);
    matches!(standing, Some(DisplayStatus::ClosingSoon | DisplayStatus::Open | DisplayStatus::Rolling))
}
