//! Functions of templates: marks of slots, and the elements that pages have most. A call of a macro takes ten times as
//! long, as it keeps the state of every block.

use std::fmt::{self, Write};
use std::sync::Arc;

use html::prepare::Slot;
use minijinja::value::Object;
use minijinja::{Environment, Error, ErrorKind, Value};

/// Mark before and after a slot's name in a rendered search page; records cannot contain it.
pub(in crate::pages) const SLOT: char = '\u{2}';

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

/// `time(day)`: a date, of its `iso` and `text`.
fn time(day: &Value) -> Result<Value, Error> {
    element(|out| {
        out.write_str("<time datetime=\"")?;
        escaped(out, &day.get_attr("iso")?)?;
        out.write_str("\">")?;
        escaped(out, &day.get_attr("text")?)?;
        Ok(out.write_str("</time>")?)
    })
}

/// `tongue(item)`: attributes of the element of a text that may have another language than the page, its `lang`.
fn tongue(item: &Value) -> Result<Value, Error> {
    element(|out| push_tongue(out, item))
}

fn push_tongue(out: &mut String, item: &Value) -> Result<(), Error> {
    push_language(out, item)?;
    Ok(out.write_str(" dir=\"auto\"")?)
}

fn push_language(out: &mut String, item: &Value) -> Result<(), Error> {
    let language = item.get_attr("lang")?;
    if language.is_true() {
        out.write_str(" lang=\"")?;
        escaped(out, &language)?;
        out.write_str("\"")?;
    }
    Ok(())
}

/// `values(items)`: links, of `href`, `text` and `lang` each.
fn values(items: &Value) -> Result<Value, Error> {
    list(items, |link| &link.link, push_link)
}

/// `names(items)`: the same without links, for the rest of a long list: pages have a byte budget.
fn names(items: &Value) -> Result<Value, Error> {
    list(items, |link| &link.name, push_name)
}

type Push = fn(&mut String, &Value) -> Result<(), Error>;

fn list(items: &Value, ready: fn(&FacetLink) -> &str, push: Push) -> Result<Value, Error> {
    element(|out| {
        for (at, item) in items.try_iter()?.enumerate() {
            if at > 0 {
                out.push_str(", ");
            }
            match item.downcast_object_ref() {
                Some(link) => out.push_str(ready(link)),
                None => push(out, &item)?,
            }
        }
        Ok(())
    })
}

fn push_link(out: &mut String, item: &Value) -> Result<(), Error> {
    out.write_str("<a href=\"")?;
    escaped(out, &item.get_attr("href")?)?;
    out.write_str("\"")?;
    push_tongue(out, item)?;
    out.write_str(">")?;
    escaped(out, &item.get_attr("text")?)?;
    Ok(out.write_str("</a>")?)
}

fn push_name(out: &mut String, item: &Value) -> Result<(), Error> {
    out.write_str("<bdi")?;
    push_language(out, item)?;
    out.write_str(">")?;
    escaped(out, &item.get_attr("text")?)?;
    Ok(out.write_str("</bdi>")?)
}

/// A link to the search for a facet value: its variables, and what `values` and `names` make of it. A page of a record
/// has dozens, which it shares with other pages.
#[derive(Debug)]
pub(in crate::pages) struct FacetLink {
    item: Value,
    link: String,
    name: String,
}

impl FacetLink {
    /// One of a value's `href`, `text` and `lang`.
    pub(in crate::pages) fn value(item: Value) -> Value {
        let (mut link, mut name) = (String::new(), String::new());
        // These variables are there, and writing to memory cannot fail.
        let _ = push_link(&mut link, &item).and_then(|()| push_name(&mut name, &item));
        Value::from_object(Self { item, link, name })
    }
}

impl Object for FacetLink {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.item.get_item(key).ok().filter(|value| !value.is_undefined())
    }
}

fn element(push: impl FnOnce(&mut String) -> Result<(), Error>) -> Result<Value, Error> {
    let mut out = String::new();
    push(&mut out)?;
    Ok(Value::from_safe_string(out))
}

fn escaped(out: &mut String, value: &Value) -> Result<(), Error> {
    if value.is_undefined() {
        return Err(ErrorKind::UndefinedError.into());
    }
    match value.as_str().filter(|_| !value.is_safe()) {
        Some(text) => Ok(escape(out, text)?),
        None => Ok(write!(out, "{value}")?),
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
