//! Cells with HTML: their text with a line for each block, and addresses of links behind their words.

use std::borrow::Cow;

use quick_xml::escape::unescape;

use super::sheet::{Cell, bare_mail};
use crate::vocabulary::find_word;

/// A cell without markup, or none if it has none; a cell that is one link keeps its address beside its words.
pub(crate) fn plain(cell: &Cell) -> Option<Cell> {
    let Cell::Text(html) = cell else { return None };
    tags(html).next()?;
    let (mut out, mut rest, mut links) = (String::new(), 0, Vec::new());
    // Line ends of HTML are spaces, unless it has no other lines.
    let has_blocks = tags(html).any(|(_, _, name, _)| is_block(&name));
    let line = |it: &str| if has_blocks { characters(it).replace(['\r', '\n'], " ") } else { characters(it) };
    let mut open: Option<(usize, String)> = None;
    for (start, end, name, inner) in tags(html) {
        out.push_str(&line(&html[rest..start]));
        rest = end;
        if is_block(&name) {
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
    out.push_str(&line(&html[rest..]));
    let lines = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    match &links[..] {
        [(shown, address)] if text == *shown || text == format!("{shown} ({address})") => {
            Some(Cell::Link(shown.clone(), address.as_str().into()))
        }
        _ if text.is_empty() => Some(Cell::Empty),
        _ => Some(Cell::Text(text)),
    }
}

/// A text with the characters that its entities name, if it has no markup: that is read later, and its entities with it.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    let decoded = if text.contains('&') { Cow::Owned(characters(text)) } else { Cow::Borrowed(text) };
    if tags(&decoded).next().is_some() { Cow::Borrowed(text) } else { decoded }
}

/// Whether an element begins and ends a line.
pub(super) fn is_block(name: &str) -> bool {
    find_word("block", name).is_some()
}

/// Whether an element is one of HTML that texts have.
pub(super) fn is_known(name: &str) -> bool {
    is_block(name) || find_word("inline", name).is_some()
}

/// The tags of a text: where each begins and ends, the name of its element, and what stands between its signs.
fn tags(html: &str) -> impl Iterator<Item = (usize, usize, String, &str)> {
    html.match_indices('<').filter_map(|(start, _)| {
        let inner = &html[start + 1..start + html[start..].find('>')?];
        let name = inner.trim_start_matches('/').split([' ', '\t', '\r', '\n', '/']).next()?.to_lowercase();
        (is_known(&name) && !inner.contains('<')).then(|| (start, start + inner.len() + 2, name, inner))
    })
}

/// The address of a link.
fn href(inner: &str) -> Option<String> {
    let value = inner.split_once("href=")?.1;
    let value = match value.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(&value[..1]).next()?,
        None => value.split_whitespace().next()?,
    };
    Some(bare_mail(characters(value).trim()).to_owned()).filter(|address| !address.is_empty())
}

/// A text with the characters that its entities name; what is no entity stays.
fn characters(text: &str) -> String {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let entity = part.find(';').map(|end| format!("&{}", &part[..=end])).unwrap_or_default();
        match unescape(&entity) {
            Ok(found) if !entity.is_empty() => out.extend([&found, &part[entity.len() - 1..]]),
            _ => out.extend(["&", part]),
        }
    }
    out
}
