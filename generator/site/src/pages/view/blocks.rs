//! Plain text as its writer meant it: lines that begin like items of a list are a list, a short line that
//! announces what follows is a heading, the rest are paragraphs.

use minijinja::{Value, context};

/// Most characters of a line that is a heading.
const HEADING: usize = 60;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Paragraph,
    Heading,
    Bullet,
    Number,
}

impl Kind {
    const fn tag(self) -> &'static str {
        match self {
            Self::Paragraph => "p",
            Self::Heading => "h3",
            Self::Bullet => "ul",
            Self::Number => "ol",
        }
    }

    const fn is_list(self) -> bool {
        matches!(self, Self::Bullet | Self::Number)
    }
}

/// The lines of a text as blocks: each a tag and its lines; only lists have several.
pub(super) fn blocks(lines: &[String]) -> Vec<Value> {
    let read: Vec<(Kind, &str)> = lines.iter().map(|line| read(line)).collect();
    let together = |a: &(Kind, &str), b: &(Kind, &str)| a.0 == b.0 && a.0.is_list();
    let block = |block: &[(Kind, &str)]| {
        let lines: Vec<Value> = block.iter().map(|(_, line)| Value::from(*line)).collect();
        context! { tag => block[0].0.tag(), list => block[0].0.is_list(), lines }
    };
    read.chunk_by(together).map(block).collect()
}

/// What a line is, and its text without what says so.
fn read(line: &str) -> (Kind, &str) {
    let bullet =
        ["- ", "* ", "\u{2022}", "\u{2013} ", "\u{b7} "].iter().find_map(|mark| line.strip_prefix(mark));
    if let Some(item) = bullet {
        return (Kind::Bullet, item.trim_start());
    }
    if let Some(item) = numbered(line) {
        return (Kind::Number, item);
    }
    let marked = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim());
    match marked.or_else(|| line.strip_suffix(':')) {
        Some(heading) if !heading.is_empty() && heading.chars().count() <= HEADING => {
            (Kind::Heading, heading)
        }
        _ => (Kind::Paragraph, line),
    }
}

/// `1. text` and `2) text`.
fn numbered(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).filter(|_| (1..=2).contains(&digits))?;
    rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).map(str::trim_start)
}

/// The lines without what a text above them has said already.
pub(super) fn unsaid<'a>(lines: Vec<&'a str>, said: Option<&str>) -> Vec<&'a str> {
    let Some(said) = said.map(str::trim).filter(|said| !said.is_empty()) else { return lines };
    let beginning = said.trim_end_matches(['\u{2026}', '.']);
    let mut lines = lines;
    let Some(first) = lines.first_mut() else { return lines };
    if *first == said || beginning.starts_with(first.trim_end_matches('.')) {
        lines.remove(0);
    } else if let Some(rest) = first.strip_prefix(said) {
        *first = rest.trim_start();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_meant() {
        assert_eq!(read("- New skills"), (Kind::Bullet, "New skills"));
        assert_eq!(read("\u{2022}New skills"), (Kind::Bullet, "New skills"));
        assert_eq!(read("2) Apply"), (Kind::Number, "Apply"));
        assert_eq!(read("2026. A year"), (Kind::Paragraph, "2026. A year"));
        assert_eq!(read("Expected outcome:"), (Kind::Heading, "Expected outcome"));
        assert_eq!(read("## Scope"), (Kind::Heading, "Scope"));
        assert_eq!(read("-5 degrees"), (Kind::Paragraph, "-5 degrees"));
    }

    #[test]
    fn items_that_follow_each_other_are_one_list() {
        let lines = ["Scope:", "- a", "- b", "1. c", "End."].map(str::to_owned);
        let told: Vec<String> =
            blocks(&lines).iter().map(|block| block.get_attr("tag").unwrap().to_string()).collect();
        assert_eq!(told, ["h3", "ul", "ol", "p"]);
        assert_eq!(blocks(&lines)[1].get_attr("lines").unwrap().to_string(), "['a', 'b']");
    }

    #[test]
    fn what_the_lead_says_is_not_said_again() {
        assert_eq!(unsaid(vec!["A grant.", "More"], Some("A grant.")), ["More"]);
        assert_eq!(unsaid(vec!["A grant for all", "More"], Some("A grant")), ["for all", "More"]);
        assert_eq!(unsaid(vec!["A grant", "More"], Some("A grant. More follows\u{2026}")), ["More"]);
        assert_eq!(unsaid(vec!["Other", "More"], Some("A grant")), ["Other", "More"]);
        assert_eq!(unsaid(vec!["Other"], None), ["Other"]);
    }
}
