//! Placeholders of HTML pages: the parts that depend on the day.

use std::sync::OnceLock;

use minijinja::{Error, context};
use snapshot::page::Dated;
use snapshot::page::hole::{Fill, last_change, mark};
use snapshot::record::Locale;
use snapshot::search::ProgramState;
use snapshot::time::{Day, staleness_days};

use crate::index::Html;
use crate::status::{Status, time_left};
use crate::view::variables;

/// Declares the rules, each with its number.
macro_rules! rules {
    ($($(#[$about:meta])+ $rule:ident = $number:literal,)+) => {
        /// Rules for placeholders of HTML pages; [`snapshot::page::hole::Rule`] has those of JSON.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Rule { $($(#[$about])+ $rule = $number),+ }

        impl Rule {
            const ALL: &'static [Self] = &[$(Self::$rule),+];
        }
    };
}

rules! {
    /// State and deadline of a program.
    When = 4,
    /// Status of a cycle.
    Status = 5,
    /// Rows of the open programs that close next, of persons and of others.
    Closing = 6,
    /// The next deadlines, or those of a month, see [`crate::month_number`].
    Deadlines = 7,
    /// How many programs are open without a doubt.
    OpenCount = 8,
    /// The day.
    Day = 9,
    /// State and deadline of a program, without markup.
    WhenText = 10,
    /// How the dates of a program differ from its observed lifecycle; empty if they agree.
    Differs = 11,
    /// How many deadlines each of the next months has.
    Months = 12,
    /// Programs of an organization, by state and deadline.
    Organization = 13,
    /// What the home page offers to choose from.
    Entry = 14,
    /// The programs that opened last.
    Opened = 15,
}

impl Rule {
    fn of(number: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| *rule as u32 == number)
    }

    /// Mark of a placeholder in a rendered page. `number` is that of a program, cycle, month or organization,
    /// `locale` the language of the page.
    pub fn mark(self, number: usize, locale: Locale) -> String {
        mark(self as u32, 2 * number + locale as usize)
    }
}

/// Fills the placeholders of pages and of JSON bodies for a day.
pub struct Filler<'a> {
    html: &'a Html,
    dated: &'a Dated,
    failed: OnceLock<Error>,
}

impl<'a> Filler<'a> {
    /// Fills placeholders of these pages for this day.
    pub fn new(html: &'a Html, dated: &'a Dated) -> Self {
        Self { html, dated, failed: OnceLock::new() }
    }

    /// Why a placeholder was not filled, if its template failed.
    pub fn failed(self) -> Option<Error> {
        self.failed.into_inner()
    }

    /// What stands in a placeholder.
    fn render(&self, rule: Rule, number: u32, locale: Locale) -> Result<String, Error> {
        let (html, dated, words) = (self.html, self.dated, self.html.words(locale));
        let with_status = |template, status: &Status| {
            html.templates.part(template, locale, context! { status => variables(status) })
        };
        match rule {
            Rule::When => with_status("status.html", &html.status(number, locale, dated)),
            Rule::WhenText => with_status("status.md", &html.status(number, locale, dated)),
            Rule::Status => with_status("status.html", &words.standing(dated.cycles.standing(number))),
            Rule::Entry => html.entry.render(words, |ordinal| html.language(locale).label(ordinal), dated),
            Rule::Closing => html.closing(locale, dated),
            Rule::Opened => html.opened(locale, dated),
            Rule::Deadlines if number == 0 => html.next_deadlines(locale, dated),
            Rule::Deadlines => html.month(number, locale, dated),
            Rule::Months => html.months(locale, dated),
            Rule::Organization => html.offered(number, locale, dated),
            Rule::Day => {
                let day = words.day(dated.day()).map(|day| variables(&day));
                html.templates.part("day.html", locale, context! { day })
            }
            Rule::OpenCount => Ok(words.grouped(dated.today.open_count())),
            Rule::Differs => {
                let differs = dated.today.state(number).and_then(|state| state.differs());
                Ok(differs.map(|key| format!("; {}", words.word(key))).unwrap_or_default())
            }
        }
    }
}

impl Fill for Filler<'_> {
    fn fill(&self, rule: u32, arg: u32, out: &mut Vec<u8>) -> Option<()> {
        let Some(rule) = Rule::of(rule) else { return self.dated.fill(rule, arg, out) };
        let locale = self.html.language(Locale::ALL[(arg % 2) as usize]).locale;
        match self.render(rule, arg / 2, locale) {
            Ok(text) => out.extend_from_slice(text.as_bytes()),
            Err(error) => {
                let _ = self.failed.set(error);
                return None;
            }
        }
        Some(())
    }

    fn last_change(&self, rule: u32, arg: u32) -> Option<Day> {
        let Some(rule) = Rule::of(rule) else { return self.dated.last_change(rule, arg) };
        let (number, dated) = (arg / 2, self.dated);
        match rule {
            Rule::Status => last_change(dated.cycles.turning_days(number), dated.day(), |day| {
                dated.cycles.on(number, day).map(|(_, standing)| standing)
            }),
            Rule::When | Rule::WhenText => self.state_change(number, |state, day| self.words(state, day)),
            Rule::Differs => self.state_change(number, |state, _| state.differs()),
            // The order of its programs follows from their states.
            Rule::Organization => {
                let docs = self.html.organizations.docs(number).iter();
                docs.filter_map(|doc| self.state_change(*doc, |state, day| self.words(state, day))).max()
            }
            // These contain the day itself, or depend on every program.
            _ => Some(dated.day()),
        }
    }
}

impl Filler<'_> {
    /// The last day, up to today, on which a value derived from a program's state differs from the day before.
    fn state_change<T: PartialEq>(&self, doc: u32, value: impl Fn(&ProgramState, Day) -> T) -> Option<Day> {
        let (dated, today) = (self.dated, self.dated.day());
        let state = dated.today.state(doc)?;
        let ages = staleness_days(state.observed.checked, today);
        // The number of days left changes every day; in months or years, on the day on which their number does.
        let left = state.openness.next_deadline.known().map_or(0, |next| next.0.saturating_sub(today.0));
        let began = Day(today.0 - time_left(left.unsigned_abs()).2 as i32);
        let days = dated.today.turning_days(doc).chain(ages).chain([today, began]);
        last_change(days, today, |day| dated.today.state_on(doc, day).map(|state| value(&state, day)))
    }

    /// Status and deadline in English; both languages change on the same days.
    fn words(&self, state: &ProgramState, day: Day) -> Status {
        self.html.words(Locale::En).program(state, day, || false)
    }
}
