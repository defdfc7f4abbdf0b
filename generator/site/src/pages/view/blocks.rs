//! Splits plain text into blocks: lines that begin with a list marker are a list, a short line that ends with a
//! colon or begins with `#` is a heading, the others are paragraphs.

use minijinja::{Value, context};

/// Maximum length of a heading, in characters.
const HEADING: usize = 60;

/// Characters of a text before the rest is folded: about twelve lines.
const FOLD: usize = 960;

fn is_list(tag: &str) -> bool {
    matches!(tag, "ul" | "ol")
}

/// The blocks of a text: each has a tag and its lines; only lists have several lines. Second, how many are shown
/// before the rest is folded; the rest has at least two blocks.
pub(super) fn blocks(lines: &[String]) -> (Vec<Value>, usize) {
    let read: Vec<(&str, &str)> = lines.iter().map(|line| read(line)).collect();
    let together = |a: &(&str, &str), b: &(&str, &str)| a.0 == b.0 && is_list(a.0);
    let block = |block: &[(&str, &str)]| {
        let lines: Vec<Value> = block.iter().map(|(_, line)| Value::from(*line)).collect();
        context! { tag => block[0].0, list => is_list(block[0].0), lines }
    };
    let mut length = 0;
    let is_shown = |block: &&[(&str, &str)]| {
        let before = length;
        length += block.iter().map(|(_, line)| line.chars().count()).sum::<usize>();
        before < FOLD
    };
    let shown = read.chunk_by(together).take_while(is_shown).count();
    let blocks: Vec<Value> = read.chunk_by(together).map(block).collect();
    let fold = if blocks.len() > shown + 1 { shown } else { blocks.len() };
    (blocks, fold)
}

/// A line: its element, and its text without the marker.
pub(super) fn line(line: &str) -> Value {
    let (tag, text) = read(line);
    context! { tag, text }
}

/// The element of a line, and its text without the marker.
fn read(line: &str) -> (&'static str, &str) {
    let bullet =
        ["- ", "* ", "\u{2022}", "\u{2013} ", "\u{b7} "].iter().find_map(|mark| line.strip_prefix(mark));
    let item = bullet.map(|item| ("ul", item.trim_start()));
    if let Some(item) = item.or_else(|| Some(("ol", numbered(line)?))) {
        return item;
    }
    let marked = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim());
    match marked.or_else(|| line.strip_suffix(':')) {
        Some(heading) if !heading.is_empty() && heading.chars().count() <= HEADING => ("h3", heading),
        _ => ("p", line),
    }
}

/// `1. text` and `2) text`.
fn numbered(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).filter(|_| (1..=2).contains(&digits))?;
    rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).map(str::trim_start)
}

/// Whether a text begins with the words of a lead, but not in one line; or goes on within the lead's last sentence: after an
/// initial, as in `U.S.`, or with a mark or a small letter.
pub(super) fn is_spread(lead: &str, text: &str) -> bool {
    let last = lead.rsplit([' ', '.', '(']).nth(1).unwrap_or_default();
    let is_initial = lead.ends_with('.') && matches!(last.as_bytes(), [b'A'..=b'Z']);
    let rest = text.trim_start().strip_prefix(lead).filter(|rest| !rest.starts_with('\n'));
    let next = rest.and_then(|rest| rest.trim_start().chars().next());
    if next.is_some_and(|next| is_initial || next.is_lowercase() || [';', ',', ':'].contains(&next)) {
        return true;
    }
    let (mut words, first) = (text.split_whitespace(), text.trim_start().lines().next().unwrap_or_default());
    let mut led = lead.trim_end_matches('\u{2026}').split_whitespace();
    first.len() < lead.len() && led.all(|word| words.next() == Some(word))
}

/// The lines without a lead text that the first of them repeats.
pub(super) fn without_lead<'a>(lines: Vec<&'a str>, lead: Option<&str>) -> Vec<&'a str> {
    let Some(lead) = lead.map(str::trim).filter(|lead| !lead.is_empty()) else { return lines };
    let beginning = lead.trim_end_matches(['\u{2026}', '.']);
    let mut lines = lines;
    let Some(first) = lines.first_mut() else { return lines };
    if *first == lead || beginning.starts_with(first.trim_end_matches('.')) {
        lines.remove(0);
    } else if let Some(rest) = first.strip_prefix(lead) {
        *first = rest.trim_start();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_recognized_by_their_markers() {
        assert_eq!(read("- New skills"), ("ul", "New skills"));
        assert_eq!(read("\u{2022}New skills"), ("ul", "New skills"));
        assert_eq!(read("2) Apply"), ("ol", "Apply"));
        assert_eq!(read("2026. A year"), ("p", "2026. A year"));
        assert_eq!(read("Expected outcome:"), ("h3", "Expected outcome"));
        assert_eq!(read("## Scope"), ("h3", "Scope"));
        assert_eq!(read("-5 degrees"), ("p", "-5 degrees"));
    }

    #[test]
    fn consecutive_items_are_one_list() {
        let lines = ["Scope:", "- a", "- b", "1. c", "End."].map(str::to_owned);
        let tags: Vec<String> =
            blocks(&lines).0.iter().map(|block| block.get_attr("tag").unwrap().to_string()).collect();
        assert_eq!(tags, ["h3", "ul", "ol", "p"]);
        assert_eq!(blocks(&lines).0[1].get_attr("lines").unwrap().to_string(), "['a', 'b']");
    }

    #[test]
    fn the_end_of_a_long_text_is_folded() {
        let text = |lines: usize| vec!["x".repeat(400); lines];
        assert_eq!([1, 3, 4, 5, 9].map(|lines| blocks(&text(lines)).1), [1, 3, 4, 3, 3]);
    }

    #[test]
    fn a_lead_is_left_out_where_it_ends_within_a_sentence_or_the_text_has_it_in_several_lines() {
        assert!(is_spread("For the U.S.", "For the U.S. Department of State."));
        assert!(is_spread("To: (1) train", "To: (1) train; (2) help."));
        assert!(is_spread("Grants to farms (i.e.", "Grants to farms (i.e. small ones)"));
        assert!(!is_spread("For the U.S.", "For the U.S.\nMore"));
        assert!(!is_spread("Grants of the DAAD.", "Grants of the DAAD. More"));
        assert!(is_spread("Outcome: Farms - gain", "Outcome:\n\nFarms\n- gain\n- more"));
        assert!(is_spread("Outcome: Farms\u{2026}", "Outcome:\nFarms gain"));
        assert!(!is_spread("Outcome: Farms.", "Outcome: Farms. Gain\nMore"));
        assert!(!is_spread("Outcome: Farms", "Outcome:\nFields"));
        assert!(!is_spread("A grant", ""));
    }

    #[test]
    fn a_text_does_not_repeat_its_lead() {
        assert_eq!(without_lead(vec!["A grant.", "More"], Some("A grant.")), ["More"]);
        assert_eq!(without_lead(vec!["A grant for all", "More"], Some("A grant")), ["for all", "More"]);
        assert_eq!(without_lead(vec!["A grant", "More"], Some("A grant. More follows\u{2026}")), ["More"]);
        assert_eq!(without_lead(vec!["Other", "More"], Some("A grant")), ["Other", "More"]);
        assert_eq!(without_lead(vec!["Other"], None), ["Other"]);
    }
}
