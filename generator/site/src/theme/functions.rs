//! Functions of templates: marks of slots, and the elements that pages have most. A call of a macro takes ten times as
//! long, as it keeps the state of every block.

use std::fmt::{self, Write};
use std::sync::Arc;

use html::prepare::Slot;
use minijinja::value::Object;
use minijinja::{Environment, Error, ErrorKind, Value};

/// Mark before and after a slot's name in a rendered search page; records cannot contain it.
pub(crate) const SLOT: char = '\u{2}';

/// Adds all of them.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_function("slot", slot);
    environment.add_function("time", time);
    environment.add_function("tongue", tongue);
    environment.add_function("values", values);
    environment.add_function("names", names);
}

/// `slot("rows")` in the search page: marks a slot that the edge fills.
fn slot(name: &str) -> Result<Value, Error> {
    match Slot::number(name) {
        Some(number) => Ok(Value::from_safe_string(format!("{SLOT}{number}{SLOT}"))),
        None => Err(Error::new(ErrorKind::InvalidOperation, format!("there is no slot `{name}`"))),
    }
}

/// A variable of an item, displayed as templates show it: a text escaped.
struct Shown(Value);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_str().filter(|_| !self.0.is_safe()) {
            Some(text) => escape(f, text),
            None => write!(f, "{}", self.0),
        }
    }
}

fn shown(item: &Value, name: &str) -> Result<Shown, Error> {
    let value = item.get_attr(name)?;
    if value.is_undefined() { Err(ErrorKind::UndefinedError.into()) } else { Ok(Shown(value)) }
}

/// `time(day)`: a date, of its `iso` and `text`.
fn time(day: &Value) -> Result<Value, Error> {
    let (iso, text) = (shown(day, "iso")?, shown(day, "text")?);
    Ok(Value::from_safe_string(format!("<time datetime=\"{iso}\">{text}</time>")))
}

/// `tongue(item)`: attributes of the element of a text that may have another language than the page, its `lang`.
fn tongue(item: &Value) -> Result<Value, Error> {
    Ok(Value::from_safe_string(format!("{} dir=\"auto\"", language(item)?)))
}

/// The attribute for the language of an item, if that is another one than the page's.
fn language(item: &Value) -> Result<String, Error> {
    let language = item.get_attr("lang")?;
    Ok(if language.is_true() { format!(" lang=\"{}\"", Shown(language)) } else { String::new() })
}

/// `values(items)`: links, of `href`, `text` and `lang` each.
fn values(items: &Value) -> Result<Value, Error> {
    list(items, |link| &link.link, link)
}

/// `names(items)`: the same without links, for the rest of a long list: pages have a byte budget.
fn names(items: &Value) -> Result<Value, Error> {
    list(items, |link| &link.name, name)
}

fn list(
    items: &Value,
    ready: fn(&FacetLink) -> &str,
    make: fn(&Value) -> Result<String, Error>,
) -> Result<Value, Error> {
    let mut out = String::new();
    for (at, item) in items.try_iter()?.enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        match item.downcast_object_ref() {
            Some(link) => out.push_str(ready(link)),
            None => out.push_str(&make(&item)?),
        }
    }
    Ok(Value::from_safe_string(out))
}

fn link(item: &Value) -> Result<String, Error> {
    let (href, text) = (shown(item, "href")?, shown(item, "text")?);
    Ok(format!("<a href=\"{href}\"{} dir=\"auto\">{text}</a>", language(item)?))
}

fn name(item: &Value) -> Result<String, Error> {
    Ok(format!("<bdi{}>{}</bdi>", language(item)?, shown(item, "text")?))
}

/// A link to the search for a facet value: its variables, and what `values` and `names` make of it. A page of a record
/// has dozens, which it shares with other pages.
#[derive(Debug)]
pub(crate) struct FacetLink {
    item: Value,
    link: String,
    name: String,
}

impl FacetLink {
    /// One of a value's `href`, `text` and `lang`.
    pub(crate) fn value(item: Value) -> Value {
        // These variables are there.
        let (link, name) = (link(&item).unwrap_or_default(), name(&item).unwrap_or_default());
        Value::from_object(Self { item, link, name })
    }
}

impl Object for FacetLink {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.item.get_item(key).ok().filter(|value| !value.is_undefined())
    }
}

/// Writes a text escaped for HTML. Unlike the engine's own formatter, it does not escape slashes.
pub(super) fn escape(out: &mut impl Write, mut text: &str) -> fmt::Result {
    while let Some(at) = text.find(['&', '<', '>', '"', '\'']) {
        let reference = match text.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#39;",
        };
        out.write_str(&text[..at])?;
        out.write_str(reference)?;
        text = &text[at + 1..];
    }
    out.write_str(text)
}
