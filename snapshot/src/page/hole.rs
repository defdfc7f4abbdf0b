//! Holes: places in a stored body whose bytes depend on the day. The generator marks them while it
//! renders, cuts them out and fills them for its day; the edge fills them for its own. Filling is
//! [`Rule::fill`] on both sides.
//!
//! While a body is rendered a hole is a mark: U+0001, a letter, a number, U+0001. Records cannot
//! hold U+0001, the generator removes control characters when it reads them.

#[cfg(doc)]
use crate::page::html;
use crate::page::html::Fragment;
use crate::page::{Dated, push_date, push_day};
use crate::store::Hole;
use crate::time::Day;

/// What fills a hole. The number is what is stored in [`Hole::rule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Rule {
    /// Status of a cycle as a JSON string.
    CycleStatus = 1,
    /// Next deadline of a program as a JSON string or `null`.
    NextDeadline = 2,
    /// Next deadline of a program as plain text, or nothing.
    NextDeadlineText = 3,
    /// State and deadline of a program in words. Arguments of this and the rules that follow come
    /// from [`html::arg`].
    When = 4,
    /// Status of a cycle in words.
    Status = 5,
    /// Rows of the programs that close next.
    Closing = 6,
    /// Deadlines ahead.
    Deadlines = 7,
    /// How many programs are open.
    OpenCount = 8,
    /// The day in words.
    Day = 9,
    /// State and deadline of a program in words, without markup.
    WhenText = 10,
    /// How the dates of a program differ from the lifecycle that was observed, or nothing.
    Differs = 11,
    /// How many deadlines each of the next months has.
    Months = 12,
    /// Programs of an organization, by state and deadline.
    Organization = 13,
    /// Where the day is in its year.
    YearDay = 14,
}

const MARK: char = '\u{1}';

impl Rule {
    const ALL: [Self; 14] = [
        Self::CycleStatus,
        Self::NextDeadline,
        Self::NextDeadlineText,
        Self::When,
        Self::Status,
        Self::Closing,
        Self::Deadlines,
        Self::OpenCount,
        Self::Day,
        Self::WhenText,
        Self::Differs,
        Self::Months,
        Self::Organization,
        Self::YearDay,
    ];

    /// The rule of a number.
    pub(super) fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| *rule as u32 == number)
    }

    const fn letter(self) -> char {
        match self {
            Self::CycleStatus => 's',
            Self::NextDeadline => 'd',
            Self::NextDeadlineText => 't',
            Self::When => 'w',
            Self::Status => 'c',
            Self::Closing => 'n',
            Self::Deadlines => 'm',
            Self::OpenCount => 'o',
            Self::Day => 'y',
            Self::WhenText => 'p',
            Self::Differs => 'l',
            Self::Months => 'b',
            Self::Organization => 'g',
            Self::YearDay => 'x',
        }
    }

    /// Text that stands for a hole while a body is rendered.
    #[must_use]
    pub fn mark(self, arg: usize) -> String {
        format!("{MARK}{}{arg}{MARK}", self.letter())
    }

    /// Writes what the hole holds on a day. An argument from nowhere writes nothing known.
    pub fn fill(self, arg: u32, dated: &Dated, out: &mut Vec<u8>) {
        let deadline = || dated.today.next_deadline.get(arg as usize).copied().unwrap_or(Day::NONE);
        match self {
            Self::CycleStatus => {
                out.push(b'"');
                out.extend_from_slice(dated.cycles.status(arg).as_str().as_bytes());
                out.push(b'"');
            }
            Self::NextDeadline => push_day(out, deadline()),
            Self::NextDeadlineText => {
                if let Some(date) = deadline().date() {
                    push_date(out, date);
                }
            }
            Self::When => Self::words(Fragment::When, arg, dated, out),
            Self::Status => Self::words(Fragment::Status, arg, dated, out),
            Self::Closing => Self::words(Fragment::Closing, arg, dated, out),
            Self::Deadlines => Self::words(Fragment::Deadlines, arg, dated, out),
            Self::OpenCount => Self::words(Fragment::OpenCount, arg, dated, out),
            Self::Day => Self::words(Fragment::Day, arg, dated, out),
            Self::WhenText => Self::words(Fragment::WhenText, arg, dated, out),
            Self::Differs => Self::words(Fragment::Differs, arg, dated, out),
            Self::Months => Self::words(Fragment::Months, arg, dated, out),
            Self::Organization => Self::words(Fragment::Organization, arg, dated, out),
            Self::YearDay => Self::words(Fragment::YearDay, arg, dated, out),
        }
    }

    /// Pages for people come with their words.
    fn words(fragment: Fragment, arg: u32, dated: &Dated, out: &mut Vec<u8>) {
        if let Some(html) = &dated.html {
            html.push(fragment, arg, dated, out);
        }
    }
}

/// A body with its holes filled for a day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where they depend on the day.
    pub holes: Vec<Hole>,
}

/// How a mark looks in a rendered body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// A JSON string that holds nothing else; the hole takes its quotes too.
    Json,
    /// As it is.
    Text,
}

/// Cuts the marks out of a rendered body and fills them for a day.
#[must_use]
pub fn cut(rendered: &[u8], syntax: Syntax, dated: &Dated) -> Filled {
    let mark: &[u8] = match syntax {
        Syntax::Json => b"\\u0001",
        Syntax::Text => b"\x01",
    };
    let quote = usize::from(syntax == Syntax::Json);
    let mut filled = Filled { bytes: Vec::with_capacity(rendered.len()), holes: Vec::new() };
    let mut rest = rendered;
    while let Some(start) = find(rest, mark) {
        let body = &rest[start + mark.len()..];
        let Some((end, (rule, arg))) = find(body, mark).and_then(|end| Some((end, read_mark(&body[..end])?)))
        else {
            break;
        };
        filled.bytes.extend_from_slice(&rest[..start - quote.min(start)]);
        let from = filled.bytes.len();
        rule.fill(arg, dated, &mut filled.bytes);
        filled.holes.push(Hole {
            start: from as u32,
            len: (filled.bytes.len() - from) as u32,
            rule: rule as u32,
            arg,
        });
        rest = &body[end + mark.len()..];
        rest = &rest[quote.min(rest.len())..];
    }
    filled.bytes.extend_from_slice(rest);
    filled
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = needle[0];
    let mut from = 0;
    while let Some(found) = haystack[from..].iter().position(|byte| *byte == first) {
        if haystack[from + found..].starts_with(needle) {
            return Some(from + found);
        }
        from += found + 1;
    }
    None
}

fn read_mark(body: &[u8]) -> Option<(Rule, u32)> {
    let (letter, number) = std::str::from_utf8(body).ok()?.split_at_checked(1)?;
    let rule = Rule::ALL.into_iter().find(|rule| letter.starts_with(rule.letter()))?;
    Some((rule, number.parse().ok()?))
}

/// Fills the holes of a stored body for another day. `None` when the holes do not fit the body.
#[must_use]
pub fn refill(body: &[u8], holes: &[Hole], dated: &Dated) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(body.len() + 16 * holes.len());
    let mut from = 0;
    for hole in holes {
        let start = hole.start as usize;
        out.extend_from_slice(body.get(from..start)?);
        Rule::of(hole.rule)?.fill(hole.arg, dated, &mut out);
        from = start.checked_add(hole.len as usize)?;
    }
    out.extend_from_slice(body.get(from..)?);
    Some(out)
}
