//! Holes: ranges of a stored body whose bytes depend on the day. The generator marks them while it renders a
//! body, then cuts the marks out and fills the holes for its day; the edge fills them for its own day.
//!
//! A mark is U+0001, the number of a rule, a dot, an argument, U+0001. Records cannot hold U+0001: the generator
//! removes control characters when it reads them.

use memchr::memmem;

use crate::page::{Dated, push_date, push_day};
use crate::time::Day;
use store::Hole;

/// Fills holes for one day.
pub trait Fill {
    /// Appends what a hole holds. `None` for a rule that is not known.
    fn fill(&self, rule: u32, arg: u32, out: &mut Vec<u8>) -> Option<()>;

    /// The last day, up to the one that holes are filled for, on which a hole changed.
    fn last_change(&self, rule: u32, arg: u32) -> Option<Day>;
}

/// The rules of JSON and CSV bodies. The number is what [`Hole::rule`] stores; those of pages begin above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Rule {
    /// Status of a cycle as a JSON string.
    CycleStatus = 1,
    /// Next deadline of a program as a JSON string or `null`.
    NextDeadline = 2,
    /// Next deadline of a program as plain text, or nothing.
    NextDeadlineText = 3,
}

impl Rule {
    const ALL: [Self; 3] = [Self::CycleStatus, Self::NextDeadline, Self::NextDeadlineText];

    /// The rule with a number.
    fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| *rule as u32 == number)
    }

    /// Text that stands for a hole while a body is rendered.
    pub fn mark(self, arg: usize) -> String {
        mark(self as u32, arg)
    }
}

/// Text that stands for a hole while a body is rendered.
pub fn mark(rule: u32, arg: usize) -> String {
    format!("\u{1}{rule}.{arg}\u{1}")
}

impl Fill for Dated {
    fn fill(&self, rule: u32, arg: u32, out: &mut Vec<u8>) -> Option<()> {
        let deadline = || self.today.next_deadline.get(arg as usize).copied().unwrap_or(Day::NONE);
        match Rule::of(rule)? {
            Rule::CycleStatus => {
                out.push(b'"');
                out.extend_from_slice(self.cycles.status(arg).as_str().as_bytes());
                out.push(b'"');
            }
            Rule::NextDeadline => push_day(out, deadline()),
            Rule::NextDeadlineText => {
                if let Some(date) = deadline().date() {
                    push_date(out, date);
                }
            }
        }
        Some(())
    }

    fn last_change(&self, rule: u32, arg: u32) -> Option<Day> {
        match Rule::of(rule)? {
            Rule::CycleStatus => last_change(self.cycles.turning_days(arg), self.day(), |day| {
                self.cycles.on(arg, day).map(|(status, _)| status)
            }),
            Rule::NextDeadline | Rule::NextDeadlineText => {
                last_change(self.today.turning_days(arg), self.day(), |day| {
                    self.today.state_on(arg, day).map(|state| state.openness.next_deadline)
                })
            }
        }
    }
}

/// What holes follow from on any day: the seasons behind each. Rules of pages have none here.
pub fn inputs(holes: &[Hole], dated: &Dated) -> Vec<u8> {
    let input = |hole: &Hole| match Rule::of(hole.rule) {
        Some(Rule::CycleStatus) => dated.cycles.inputs(hole.arg),
        Some(Rule::NextDeadline | Rule::NextDeadlineText) => dated.today.inputs(hole.arg),
        None => String::new(),
    };
    holes.iter().flat_map(|hole| input(hole).into_bytes()).collect()
}

/// The last of `days`, up to `today`, on which a value differs from the day before.
pub fn last_change<T: PartialEq>(
    days: impl Iterator<Item = Day>,
    today: Day,
    value: impl Fn(Day) -> T,
) -> Option<Day> {
    days.filter(|day| *day <= today && value(*day) != value(day.before())).max()
}

/// The last day on which one of the holes changed: the body's date follows from it.
pub fn last_modified(holes: &[Hole], day: &dyn Fill) -> Option<Day> {
    holes.iter().filter_map(|hole| day.last_change(hole.rule, hole.arg)).max()
}

/// A body with its holes filled for a day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where they depend on the day.
    pub holes: Vec<Hole>,
}

impl Filled {
    /// Appends a hole, filled for a day.
    pub(super) fn push(&mut self, rule: u32, arg: u32, day: &dyn Fill) -> Option<()> {
        let start = self.bytes.len();
        day.fill(rule, arg, &mut self.bytes)?;
        let len = (self.bytes.len() - start) as u32;
        self.holes.push(Hole { start: start as u32, len, rule, arg });
        Some(())
    }
}

/// What a mark begins and ends with in a rendered body.
pub type Syntax = [&'static [u8]; 2];
/// In JSON: a string that holds nothing else; the hole takes its quotes too.
pub(crate) const JSON: Syntax = [b"\"\\u0001", b"\\u0001\""];
/// In text: as it is.
pub const TEXT: Syntax = [b"\x01", b"\x01"];

/// Cuts the marks out of a rendered body and fills the holes for a day.
pub fn cut(rendered: &[u8], [mark, end]: Syntax, day: &dyn Fill) -> Filled {
    let mut filled = Filled { bytes: Vec::with_capacity(rendered.len()), holes: Vec::new() };
    let mut rest = rendered;
    while let Some(start) = memmem::find(rest, mark) {
        let body = &rest[start + mark.len()..];
        let read = memmem::find(body, end).and_then(|length| Some((length, read_mark(&body[..length])?)));
        let Some((length, (rule, arg))) = read else { break };
        filled.bytes.extend_from_slice(&rest[..start]);
        if filled.push(rule, arg, day).is_none() {
            break;
        }
        rest = &body[length + end.len()..];
    }
    filled.bytes.extend_from_slice(rest);
    filled
}

fn read_mark(body: &[u8]) -> Option<(u32, u32)> {
    let (rule, arg) = std::str::from_utf8(body).ok()?.split_once('.')?;
    Some((rule.parse().ok()?, arg.parse().ok()?))
}

/// Fills the holes of a stored body for another day. `None` when the holes do not fit the body.
pub fn refill(body: &[u8], holes: &[Hole], day: &dyn Fill) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(body.len() + 16 * holes.len());
    let mut from = 0;
    for hole in holes {
        let start = hole.start as usize;
        out.extend_from_slice(body.get(from..start)?);
        day.fill(hole.rule, hole.arg, &mut out)?;
        from = start.checked_add(hole.len as usize)?;
    }
    out.extend_from_slice(body.get(from..)?);
    Some(out)
}
