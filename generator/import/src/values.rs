//! Cells to values of fields: dates, numbers and lists as the mapping declares them, never as a cell looks.

use jiff::civil::Date;
use serde_json::{Value, json};

use super::days::day;
use super::made::{Made, Wrong, bad, no_number, refused, unread, wrong};
use super::mapping::{self, Mapped, Rule, Source, Target};
use super::money::{self, Evidence};
use super::source::html;
use super::source::sheet::{Cell, Row, Sheet};
use super::sums::{self, Money, is_money};
use super::vocabulary::find_word;
use dataset::Labels;
use dataset::diagnostics::Code;
use dataset::schema::ValueType;
use dataset::text::quoted;

/// The field that cells become values of.
pub(super) struct CellField<'a> {
    pub name: &'a String,
    pub kind: ValueType,
    pub rule: &'a Rule,
    pub source: &'a Source,
    pub sheet: &'a Sheet,
    /// Of a sum.
    pub money: Option<Money>,
}

impl<'a> CellField<'a> {
    /// The fields of a target.
    pub(super) fn all(source: &'a Source, target: &'a Target, sheet: &'a Sheet) -> Vec<Self> {
        let field = |mapped @ (name, kind, rule): &'a Mapped| {
            let money = Money::new(source, target, mapped, sheet);
            Self { name, kind: *kind, rule, source, sheet, money }
        };
        target.fields.iter().map(field).collect()
    }

    /// The cell that the rule takes from a row.
    pub(super) fn cell(&self, row: &Row) -> Cell {
        let cell = |name: &String| self.sheet.column(name).and_then(|column| row.cells.get(column));
        match (&self.rule.value, &self.rule.columns[..]) {
            (Some(value), _) => Cell::Text(value.clone()),
            (None, [column]) => cell(column).cloned().unwrap_or(Cell::Empty),
            (None, columns) => {
                let texts = columns.iter().filter_map(cell).map(|cell| (cell, cell.text()));
                let texts = texts.filter(|(_, text)| !text.is_empty() && !self.source.empty.contains(text));
                let (cells, texts): (Vec<&Cell>, Vec<String>) = texts.unzip();
                match cells.into_iter().find(|it| matches!(it, Cell::Broken(_))) {
                    Some(broken) => broken.clone(),
                    None if texts.is_empty() => Cell::Empty,
                    None => Cell::Text(texts.join(self.rule.with.as_deref().unwrap_or(" "))),
                }
            }
        }
    }

    /// The value of the field in a row, which may show the currency of a sum; null if the cell is empty.
    pub(super) fn make(&self, cell: &Cell, row: &Row) -> Result<Made, Wrong> {
        let evidence = self.money.as_ref().map(|it| it.evidence(self.source, self.sheet, row)).transpose()?;
        // A draft goes without what the check refuses.
        let (is_draft, notes) = (self.source.broken.as_deref() == Some("draft"), self.rule.notes);
        // A cell is read whole, or not at all.
        match made(cell, self, &evidence.unwrap_or_default()) {
            Err(it) if it.is_unread && notes => Ok(Made { note: Some(cell.text()), ..Made::default() }),
            Ok(Made { note: Some(text), value, .. }) if !notes && !value.is_null() => {
                let help = "add notes = true to its rule: the text becomes a note";
                Err(refused(self.name, &text, ", a day with an hour", help))
            }
            Ok(made) if is_draft && made.note.is_none() && !self.is_taken(&made) => {
                Err(refused(self.name, &cell.text(), ", which is not valid", "correct it in the source"))
            }
            made => made,
        }
    }

    /// Whether the check after an import takes a value.
    pub(super) fn is_taken(&self, made: &Made) -> bool {
        let items = made.value.as_array().map_or(std::slice::from_ref(&made.value), Vec::as_slice);
        let is_of_places = self.name.ends_with("Countries") || self.name == "countryCode";
        items.iter().all(|item| match (self.kind, item.as_str()) {
            // An empty cell, not one whose text becomes a note.
            (ValueType::Date, None) => made.note.is_none(),
            (ValueType::Url, Some(text)) => has_scheme(text) || lacks_scheme(text),
            (_, Some(text)) if is_of_places => is_place(text),
            (_, Some(it)) if self.name == "language" => matches!(it.find('-').unwrap_or(it.len()), 2 | 3),
            _ => true,
        })
    }
}

fn made(cell: &Cell, to: &CellField<'_>, evidence: &[Evidence]) -> Result<Made, Wrong> {
    let CellField { name: field, kind, rule, source, .. } = *to;
    let unmarked = html::plain(cell);
    let cell = unmarked.as_ref().unwrap_or(cell);
    if let Cell::Broken(error) = cell
        && !source.empty.contains(error)
    {
        let fill = "declare merged = \"fill\" (every row has the value) or \"first\" (only the first)";
        let what = quoted(error);
        let repair = format!("repair it in the source and save it again, or list {what} in `empty`");
        let help = if error.starts_with("merged") { fill } else { &repair };
        return Err(bad(format!("`{field}`: the cell is {what}"), help));
    }
    // A value that the mapping itself gives is meant.
    let is_empty = |text: &String| text.is_empty() || rule.value.is_none() && source.empty.contains(text);
    let cell = match cell {
        Cell::List(items) if kind != ValueType::List => match &items[..] {
            [] => &Cell::Empty,
            [only] => &Cell::Text(only.clone()),
            several => {
                let help = "export one value, or map it to a list; for days, add split = \";\" to the rule";
                return Err(bad(format!("`{field}`: {} values where one belongs", several.len()), help));
            }
        },
        other => other,
    };
    let text = cell.text();
    if cell.is_empty() || is_empty(&text) {
        let Some(text) = &rule.default else { return Ok(Made::default()) };
        return convert(&Cell::Text(text.clone()), to, evidence);
    }
    if kind == ValueType::List {
        return list(cell, field, rule, source);
    }
    match renamed(&text, field, rule)? {
        nothing if nothing.is_empty() => Ok(Made::default()),
        same if same == text => convert(cell, to, evidence),
        other => convert(&Cell::Text(other), to, evidence),
    }
}

/// The items of a cell.
fn list(cell: &Cell, field: &str, rule: &Rule, source: &Source) -> Result<Made, Wrong> {
    let text = cell.text();
    let items = match cell {
        Cell::List(items) => items.clone(),
        // A value that the rule knows is not parted.
        _ if rule.values.contains_key(&text) => vec![text],
        _ => items(&text, source.lists.as_deref().unwrap_or("|")),
    };
    let mut values = Vec::new();
    for item in items.iter().map(|item| item.trim()) {
        if !item.is_empty() && !source.empty.iter().any(|empty| empty == item) {
            // One word may stand for several, as the name of a union for its members.
            let known = renamed(item, field, rule)?;
            values.extend(known.split('|').filter(|it| !it.is_empty()).map(str::to_owned));
        }
    }
    Ok(Made { value: json!(values), ..Made::default() })
}

/// The items of a text. What stands between quotes is one, as in CSV.
pub(super) fn items(text: &str, separator: &str) -> Vec<String> {
    let (mut items, mut parts) = (Vec::new(), text.split(separator));
    let are_paired = text.matches('"').count().is_multiple_of(2);
    while let Some(part) = parts.next() {
        let mut item = part.trim_start().to_owned();
        if item.starts_with('"') && are_paired {
            while item.matches('"').count() % 2 == 1 {
                let Some(more) = parts.next() else { break };
                item = format!("{item}{separator}{more}");
            }
            if let Some(inner) = item.trim().strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
                item = inner.replace("\"\"", "\"");
            }
        }
        items.push(item);
    }
    items.iter().map(|item| item.trim().to_owned()).collect()
}

/// The value that the rule maps a text to: empty for no value, the text itself for `*`.
fn renamed(text: &str, field: &str, rule: &Rule) -> Result<String, Wrong> {
    if rule.values.is_empty() {
        return Ok(text.to_owned());
    }
    let known = rule.values.get(text).or_else(|| rule.values.get("*"));
    known.map(|known| if known == "*" { text.to_owned() } else { known.clone() }).ok_or_else(|| {
        let message = format!("`{field}`: {} is not among `values`", quoted(text));
        wrong(Code::UnknownWord, message, format!("add to its values: {} = \"…\"", mapping::quoted(text)))
    })
}

fn convert(cell: &Cell, to: &CellField<'_>, evidence: &[Evidence]) -> Result<Made, Wrong> {
    let CellField { name: field, kind, source, .. } = *to;
    let plain = |value: Value| Ok(Made { value, ..Made::default() });
    match kind {
        ValueType::Number if is_money(field) => sums::sum(cell, field, source, to.money.as_ref(), evidence),
        ValueType::Url => plain(address(cell, field)?.into()),
        ValueType::Date => day(cell, field, source),
        ValueType::Number | ValueType::Integer => plain(number(cell, field, source)?),
        ValueType::Time => plain(moment(cell, field, source)?),
        // Not folded: `№` is no `no`.
        ValueType::Boolean => match find_word("boolean", &cell.text().to_lowercase()) {
            Some(value) => plain((value == "true").into()),
            None => Err(unread(field, &cell.text(), ", expected true or false", "map its words by `values`")),
        },
        ValueType::Object => {
            let help = "map each of its texts by its name, as name = \"Nombre\"";
            Err(wrong(Code::BadMapping, format!("`{field}` is an object"), help))
        }
        _ if field == "language" => plain(language_tag(&cell.text()).into()),
        _ => plain(cell.text().into()),
    }
}

/// A tag of a language in its canonical letters (RFC 5646 §2.1.1): `EN-latn-gb` is `en-Latn-GB`.
fn language_tag(text: &str) -> String {
    let cased = |(at, part): (usize, &str)| match part.len() {
        2 if at > 0 => part.to_uppercase(),
        4 if at > 0 && part.is_ascii() => part[..1].to_uppercase() + &part[1..].to_lowercase(),
        _ => part.to_lowercase(),
    };
    text.split('-').enumerate().map(cased).collect::<Vec<_>>().join("-")
}

fn moment(cell: &Cell, field: &str, source: &Source) -> Result<Value, Wrong> {
    let text = cell.text();
    match cell {
        Cell::Moment(found) => Ok(format!("{found}Z").into()),
        _ if text.parse::<jiff::Timestamp>().is_ok() => Ok(text.into()),
        _ => match day(cell, field, source)? {
            Made { value: Value::String(day), note: None, .. } => Ok(format!("{day}T00:00:00Z").into()),
            _ => Err(refused(field, &text, ", a time without a zone", "export it as 2026-01-31T09:00:00Z")),
        },
    }
}

fn number(cell: &Cell, field: &str, source: &Source) -> Result<Value, Wrong> {
    // The year of a day has one reading.
    let day = match cell {
        Cell::Moment(moment) => Some(moment.date()),
        Cell::Text(text) => text.get(..10).and_then(|day| day.parse::<Date>().ok()),
        _ => None,
    };
    if let Some(day) = day.filter(|_| field.ends_with("Year")) {
        return Ok(day.year().into());
    }
    let number = match cell {
        Cell::Number(number) => Some(*number),
        other => money::number(other.text().trim(), source.numbers),
    };
    Ok(json!(snapshot::record::Number(number.ok_or_else(|| no_number(field, &cell.text(), source))?)))
}

/// An address: what a link leads to, where its text is none.
fn address(cell: &Cell, field: &str) -> Result<String, Wrong> {
    let Cell::Link(text, target) = cell else {
        let text = cell.text();
        let is_address = |it: &&str| has_scheme(it) || it.starts_with("www.");
        let signs = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|' | '(' | ')' | '<' | '>');
        let rest = text.split_once("://").map_or("", |(_, rest)| rest);
        if text.split(signs).filter(is_address).count() > 1 || is_address(&rest) && rest.contains("://") {
            let help = "leave one of them in the source";
            return Err(refused(field, &text, ", which is more than one address", help));
        }
        return Ok(text);
    };
    let is_shown = text.contains("://") || text.starts_with("www.");
    let bare = text.rsplit("://").next().unwrap_or(text).trim_start_matches("www.").trim_end_matches('/');
    if is_shown && !target.to_lowercase().contains(&bare.to_lowercase()) {
        let message = format!("`{field}` shows {} and leads to {}", quoted(text), quoted(target));
        return Err(bad(message, "correct the link in the source"));
    }
    Ok(target.to_string())
}

/// A value written by hand, in the forms of a dataset.
pub(super) fn written(value: &Value, field: &String, kind: ValueType) -> Result<Value, Wrong> {
    let Value::String(text) = value else { return Ok(value.clone()) };
    let (rule, source, sheet) = Default::default();
    let to = CellField { name: field, kind, rule: &rule, source: &source, sheet: &sheet, money: None };
    to.make(&Cell::Text(text.clone()), &Row::default()).map(|made| made.value)
}

pub(super) fn has_scheme(text: &str) -> bool {
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    ["http", "https"].iter().any(|it| it.eq_ignore_ascii_case(scheme))
}

/// Whether a text is the code or the name of one place.
pub(super) fn is_place(text: &str) -> bool {
    snapshot::place::is_place(text) || Labels::default().meant("eligibleCountries", "", text).is_some()
}

/// Whether a text is the code of a state of the US.
pub(super) fn is_state(text: &str) -> bool {
    snapshot::place::is_place(&format!("US-{text}"))
}

/// Whether it is a web address without a scheme: a host name that begins with `www.` or has a path behind it. Another name
/// with a point may be that of a file.
pub(super) fn lacks_scheme(text: &str) -> bool {
    let (host, path) = text.split_at(text.find(['/', '?', '#']).unwrap_or(text.len()));
    let is_label = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    let labels: Vec<&str> = host.split('.').collect();
    let is_name = labels.iter().all(|it| is_label(it)) && !host.ends_with(|c: char| c.is_ascii_digit());
    let least = if labels[0] == "www" { 3 } else { 2 };
    let is_path = (least == 3 || path.starts_with('/')) && !path.contains(char::is_whitespace);
    is_name && labels.len() >= least && is_path
}
