//! Cells with HTML: their text with a line for each block, and addresses of links behind their words.

use super::sheet::Cell;

/// Elements that a cell may have; another word between `<` and `>` is text.
const INLINE: [&str; 17] = [
    "a", "abbr", "b", "big", "cite", "code", "em", "font", "i", "mark", "s", "small", "span", "strong",
    "sub", "sup", "u",
];
/// Those that begin and end a line.
const BLOCKS: [&str; 22] = [
    "blockquote",
    "br",
    "center",
    "div",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tbody",
    "td",
    "th",
    "tr",
    "ul",
];
/// Characters by the names that editors write.
const NAMED: [(&str, &str); 14] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("mdash", "—"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("hellip", "…"),
    ("euro", "€"),
];

/// A cell without markup, or none if it has none; a cell that is one link keeps its address beside its words.
pub(crate) fn plain(cell: &Cell) -> Option<Cell> {
    let Cell::Text(html) = cell else { return None };
    tags(html).next()?;
    let (mut out, mut rest, mut links) = (String::new(), 0, Vec::new());
    // Line ends of HTML are spaces, unless it has no other lines.
    let has_blocks = tags(html).any(|(_, _, name, _)| BLOCKS.contains(&name.as_str()));
    let words =
        |text: &str| if has_blocks { characters(text).replace(['\r', '\n'], " ") } else { characters(text) };
    let mut open: Option<(usize, String)> = None;
    for (start, end, name, inner) in tags(html) {
        out.push_str(&words(&html[rest..start]));
        rest = end;
        if BLOCKS.contains(&name.as_str()) {
            out.push('\n');
        } else if name == "a" && !inner.starts_with('/') {
            open = href(inner).map(|address| (out.len(), address));
        } else if name == "a"
            && let Some((at, address)) = open.take()
        {
            let shown = out[at..].trim().to_owned();
            if shown != address {
                out.push_str(&format!(" ({address})"));
            }
            links.push((shown, address));
        }
    }
    out.push_str(&words(&html[rest..]));
    let lines = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    match &links[..] {
        [(shown, address)] if text == *shown || text == format!("{shown} ({address})") => {
            Some(Cell::Link(shown.clone(), address.clone()))
        }
        _ if text.is_empty() => Some(Cell::Empty),
        _ => Some(Cell::Text(text)),
    }
}

/// The tags of a text: where each begins and ends, the name of its element, and what stands between its signs.
fn tags(html: &str) -> impl Iterator<Item = (usize, usize, String, &str)> {
    html.match_indices('<').filter_map(|(start, _)| {
        let inner = &html[start + 1..start + html[start..].find('>')?];
        let name = inner.trim_start_matches('/').split([' ', '\t', '\r', '\n', '/']).next()?.to_lowercase();
        let is_known = INLINE.contains(&name.as_str()) || BLOCKS.contains(&name.as_str());
        (is_known && !inner.contains('<')).then(|| (start, start + inner.len() + 2, name, inner))
    })
}

/// The address of a link.
fn href(inner: &str) -> Option<String> {
    let value = inner.split_once("href=")?.1;
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let value = match quote {
        Some(quote) => value[1..].split(quote).next()?,
        None => value.split_whitespace().next()?,
    };
    Some(characters(value).trim().to_owned()).filter(|address| !address.is_empty())
}

/// A text with the characters that its entities name; what is no entity stays.
fn characters(text: &str) -> String {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let known = part.split_once(';').and_then(|(name, rest)| Some((character(name)?, rest)));
        match known {
            Some((found, rest)) => out.extend([found.as_str(), rest]),
            None => out.extend(["&", part]),
        }
    }
    out
}

fn character(name: &str) -> Option<String> {
    let number = name.strip_prefix('#').map(|number| match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    });
    let known = NAMED.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    known.or_else(|| char::from_u32(number?.ok()?).filter(|c| !c.is_control()).map(String::from))
}
