//! XML: every element of one name is a row, what stands in it are its columns, its attributes too. A document type is
//! refused, so there are no entities but those of HTML.
//!
//! A column is named by the way to it, `budget/value`, and an attribute by its element, `budget/value@currency`. Elements
//! that differ by a type or a language are named with it: `activity-date[type=1]@iso-date`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::BufRead;

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::html;
use super::sheet::{Cell, Done, MOST_ROWS, MOST_VALUES, Sheet, within};

/// Most levels of elements in elements.
const DEEPEST: usize = 64;
/// How the error of a document begins that is no XML.
const BROKEN: &str = "it is broken XML";

/// A part of a document. An element without content is its start and its end.
pub(super) enum Node<'a> {
    /// The start of an element with its local name.
    Start(&'a str, &'a BytesStart<'a>),
    Text(&'a str),
    /// The end of the element with this local name.
    End(&'a str),
}

/// Calls a function with each part of a document; `broken` begins the error of one that is no XML.
pub(super) fn each_part(text: impl BufRead, broken: &str, mut take: impl FnMut(Node<'_>) -> Done) -> Done {
    let (mut reader, mut buffer) = (Reader::from_reader(text), Vec::new());
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(|error| format!("{broken}: {error}"))? {
            Event::Eof => return Ok(()),
            Event::DocType(_) => return Err("it has a document type, which is not allowed".to_owned()),
            Event::Start(start) => take(Node::Start(start.local_name().as_ref(), &start))?,
            Event::Empty(start) => {
                take(Node::Start(start.local_name().as_ref(), &start))?;
                take(Node::End(start.local_name().as_ref()))?;
            }
            Event::End(end) => take(Node::End(end.local_name().as_ref()))?,
            Event::Text(text) => take(Node::Text(&text.xml10_content()))?,
            Event::CData(text) => take(Node::Text(&text.xml10_content()))?,
            Event::GeneralRef(reference) => take(Node::Text(&entity(&reference)?))?,
            _ => {}
        }
    }
}

/// The text of a character or of an entity of HTML.
fn entity(entity: &BytesRef<'_>) -> Result<String, String> {
    let reference = format!("&{};", entity.xml10_content());
    let text = quick_xml::escape::unescape(&reference).map(Cow::into_owned);
    text.map_err(|_| format!("the entity {reference} is not known"))
}

pub(super) fn read(text: &str, rows: Option<&str>) -> Result<Sheet, String> {
    let element = match rows.map(|rows| rows.rsplit('/').next().unwrap_or(rows)) {
        Some(element) => element.to_owned(),
        None => repeated(text)?,
    };
    let mut walk = XmlWalk { element, ..XmlWalk::default() };
    each_part(text.as_bytes(), BROKEN, |part| {
        match part {
            Node::Start(name, start) => walk.start(name, start)?,
            Node::Text(text) => walk.text(text),
            Node::End(_) => walk.end(),
        }
        // An element has a start, a text and an end.
        walk.parts += 1;
        within(walk.parts.div_ceil(3), MOST_VALUES, "elements")?;
        within(walk.rows.len(), MOST_ROWS, "rows")
    })?;
    if walk.depth > 0 {
        return Err("an element is never closed: was it cut off?".to_owned());
    }
    Sheet::of_named(walk.rows)
}

/// An element of a row that is being read, or the row.
#[derive(Default)]
struct Element {
    name: String,
    /// Its text with that of what stands in it as HTML, and whether some is its own.
    text: String,
    is_mixed: bool,
    /// Whether it has blocks of HTML, such as paragraphs; and elements of other names.
    has_blocks: bool,
    has_fields: bool,
    /// The columns of what stands in it: none if it is a text with markup.
    columns: Vec<(String, Cell)>,
    link: String,
}

/// A document that is being read.
#[derive(Default)]
struct XmlWalk {
    /// The element that is a row.
    element: String,
    depth: usize,
    parts: usize,
    rows: Vec<(u32, Vec<(String, Cell)>)>,
    /// The row that is open, and the elements that are open in it.
    open: Vec<Element>,
}

impl XmlWalk {
    fn start(&mut self, name: &str, start: &BytesStart<'_>) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} deep"));
        }
        if !self.open.is_empty() || name == self.element {
            self.begin(name, attributes(start)?);
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(element) = self.open.last_mut() {
            element.is_mixed |= !text.trim().is_empty();
            element.text.push_str(text);
        }
    }

    /// The way from the row to the element that is open.
    fn path(&self) -> String {
        self.open.iter().skip(1).map(|it| it.name.as_str()).collect::<Vec<_>>().join("/")
    }

    /// The end of an element: its text is a column, and a list where the element repeats. In a text with elements between
    /// its words, and in an element of paragraphs alone, they are markup.
    fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        let path = self.path();
        let Some(mut element) = self.open.pop() else { return };
        // The row's own text, between its columns, is none.
        let is_text = element.is_mixed || element.has_blocks && !element.has_fields;
        if is_text && !self.open.is_empty() {
            let is_own = |name: &str| name.strip_prefix(&path).is_some_and(|it| it.starts_with('@'));
            element.columns.retain(|(name, _)| is_own(name));
            let cell = Cell::of_text(&element.text);
            element.columns.push((path, html::plain(&cell).unwrap_or(cell)));
        }
        if let Some(parent) = self.open.last_mut() {
            let Element { name, link, text, .. } = element;
            parent.has_blocks |= html::is_block(&name);
            parent.has_fields |= !html::is_known(&name) || element.has_fields;
            let name = if html::is_known(&name) { &name } else { "span" };
            parent.text.push_str(&format!("<{name} href=\"{link}\">{text}</{name}>"));
            parent.columns.append(&mut element.columns);
        } else {
            element.columns.retain(|(_, cell)| !cell.is_empty());
            self.rows.push((self.rows.len() as u32 + 1, element.columns));
        }
    }

    /// The beginning of an element, whose attributes are columns unless they distinguish it.
    fn begin(&mut self, name: &str, mut attributes: Vec<(String, String)>) {
        /// Attributes that distinguish elements of one name.
        const MARKS: [&str; 2] = ["type", "lang"];
        /// Longest value of such an attribute.
        const LONGEST: usize = 32;
        let is_code =
            |it: &str| it.len() <= LONGEST && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
        let link = attributes.iter().find(|(attribute, _)| attribute == "href");
        // Its signs would end the tag.
        let link = link.map(|(_, link)| link.replace('"', "%22").replace('>', "%3E")).unwrap_or_default();
        let of = |wanted: &str| attributes.iter().position(|(name, value)| name == wanted && is_code(value));
        let mark = MARKS.into_iter().find_map(of).filter(|_| !self.open.is_empty());
        let mark = mark.map(|at| attributes.remove(at));
        let name = mark.map_or_else(|| name.to_owned(), |(by, value)| format!("{name}[{by}={value}]"));
        self.open.push(Element { name, link, ..Element::default() });
        let path = self.path();
        let column = |(name, value): (String, String)| (format!("{path}@{name}"), Cell::of_text(&value));
        if let Some(element) = self.open.last_mut() {
            element.columns = attributes.into_iter().map(column).collect();
        }
    }
}

/// Names and values; what only declares names is none.
pub(super) fn attributes(start: &BytesStart<'_>) -> Result<Vec<(String, String)>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{BROKEN}: {error}");
    let mut read = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| wrong(&error))?;
        if attribute.key.as_namespace_binding().is_some() {
            continue;
        }
        let value = attribute.normalized_value(XmlVersion::Explicit1_0).map_err(|error| wrong(&error))?;
        read.push((attribute.key.local_name().as_ref().to_owned(), value.into_owned()));
    }
    Ok(read)
}

/// The element that repeats below the outermost one.
fn repeated(text: &str) -> Result<String, String> {
    let (mut depth, mut counts): (usize, BTreeMap<String, usize>) = (0, BTreeMap::new());
    each_part(text.as_bytes(), BROKEN, |part| {
        match part {
            Node::Start(name, _) => {
                depth += 1;
                if depth == 2 {
                    *counts.entry(name.to_owned()).or_default() += 1;
                }
            }
            Node::Text(_) => {}
            Node::End(_) => depth = depth.saturating_sub(1),
        }
        Ok(())
    })?;
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(name, _)| name).ok_or_else(|| "it has no rows; name their element, as rows = \"Grant\"".into())
}
