//! Proposals of `values`: other spellings of words that a column has often, and words that a list of values does not have
//! yet. Each is a question in `import.toml`, with the number of cells.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use snapshot::text::fold;

use crate::files::{ImportError, replace};
use crate::import::{bytes_of, choose, line_of, sheet_of};
use crate::mapping::{self, FILE, Rule, Source, quoted};
use crate::output::ImportOptions;
use crate::source::sheet::{Cell, Sheet};
use crate::values::items;
use crate::vocabulary::value_of;
use dataset::schema::ValueType;
use dataset::text::{counted, nearest};

/// A word is compared with those that are so many times as frequent.
const TIMES: usize = 3;

/// Writes proposals into `import.toml`, and returns a text about them.
///
/// # Errors
///
/// If the mapping or a source cannot be read, or the mapping not be written.
pub fn propose(options: &ImportOptions<'_>) -> Result<String, ImportError> {
    let path = options.data.join(FILE);
    let mut text = std::fs::read_to_string(&path).map_err(|error| ImportError::input(&path, error))?;
    let sources = mapping::read(&text).map_err(|(message, _)| ImportError::input(&path, message))?;
    let mut shown = Vec::new();
    for source in choose(&sources, options)? {
        let sheet = sheet_of(source, &bytes_of(source, options)?.1);
        let sheet = sheet
            .map_err(|reason| ImportError::input(&path, format!("source `{}`: {reason}", source.name)))?;
        let fields =
            source.targets.iter().flat_map(|it| it.fields.iter().map(move |field| (it.table, field)));
        for (table, (field, kind, rule)) in fields {
            let Some((rule, evidence)) = proposal(source, &sheet, field, *kind, rule) else { continue };
            let proposed = format!("{field} = {}  # ? {evidence}", rule.to_toml());
            let at = line_of(&text, &source.name, table, field);
            let mut lines: Vec<&str> = text.lines().collect();
            match at.checked_sub(1).and_then(|at| lines.get_mut(at)) {
                Some(line) if line.parse::<toml::Table>().is_ok() => *line = &proposed,
                _ => {
                    let message = format!("write the rule of `{field}` in one line, then propose again");
                    return Err(ImportError::input(&path, message));
                }
            }
            text = lines.join("\n") + "\n";
            shown.push(format!("{}:{at}: {proposed}", path.display()));
        }
    }
    if shown.is_empty() {
        return Ok("no word is nearly another one, and every list of `values` has all words".to_owned());
    }
    replace(&path, text.as_bytes())?;
    let (lines, data) = (counted(shown.len(), "line"), options.data.display());
    Ok(format!("{}\ndecide {lines} marked `# ?`, then: opdir import {data}", shown.join("\n")))
}

/// The rule of a field with values for more words, and the evidence.
fn proposal(
    source: &Source,
    sheet: &Sheet,
    field: &str,
    kind: ValueType,
    rule: &Rule,
) -> Option<(Rule, String)> {
    let [name] = &rule.columns[..] else { return None };
    let words = words(source, sheet, sheet.column(name)?, kind);
    let mut rules = source.targets.iter().flat_map(|target| &target.fields);
    let is_named = rules.any(|(.., it)| it.distinct && it.columns == rule.columns);
    let is_repeated = words.len() * 2 <= words.values().sum();
    if !(is_named || is_repeated || kind == ValueType::List || !rule.values.is_empty()) {
        return None;
    }
    let is_open = rule.values.is_empty() || rule.values.contains_key("*");
    // What other words stand for is right.
    let is_decided = |word: &String| {
        rule.values.contains_key(word) || is_open && rule.values.values().any(|value| value == word)
    };
    let mut by_use: Vec<(&String, &usize)> = words.iter().filter(|(word, _)| !is_decided(word)).collect();
    by_use.sort_by_key(|(_, count)| Reverse(**count));
    let decided = words.iter().filter(|(word, _)| is_open && is_decided(word)).map(|(word, _)| word);
    let decided = decided.chain(rule.values.keys().filter(|_| !is_open));
    let mut known: Vec<(&str, usize)> =
        decided.map(|word| (&**word, words.get(word).copied().unwrap_or(0))).collect();
    let (mut proposed, mut evidence) = (rule.clone(), Vec::new());
    for (word, count) in by_use {
        let own = letters(word);
        let is_same = |(other, _): &&(&str, usize)| !own.is_empty() && own == letters(other);
        let is_misspelt = |(other, often): &&(&str, usize)| {
            (!is_open || count * TIMES <= *often) && is_misspelt(word, other)
        };
        let same = known.iter().find(is_same).or_else(|| known.iter().find(is_misspelt)).copied();
        let (value, like) = match same {
            Some((other, often)) => {
                let value = rule.values.get(other).map_or(other, String::as_str);
                (if value == "*" { other } else { value }, format!(" like {} ({often})", quoted(other)))
            }
            None if is_open => {
                known.push((word, *count));
                continue;
            }
            None => (value_of(field, word).unwrap_or_default(), String::new()),
        };
        evidence.push(format!("{} ({count}){like}", quoted(word)));
        proposed.values.insert(word.clone(), value.to_owned());
    }
    if is_open {
        proposed.values.entry("*".to_owned()).or_insert_with(|| "*".to_owned());
    }
    (!evidence.is_empty()).then(|| (proposed, evidence.join(", ")))
}

/// The words of a column, and in how many cells each is.
fn words(source: &Source, sheet: &Sheet, column: usize, kind: ValueType) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    let separator = source.lists.as_deref().unwrap_or("|");
    for cell in sheet.rows.iter().filter_map(|row| row.cells.get(column)) {
        let items = match (kind, cell) {
            (_, Cell::Broken(_)) => Vec::new(),
            (ValueType::List, Cell::List(items)) => items.clone(),
            (ValueType::List, cell) => items(&cell.text(), separator),
            (ValueType::Text, cell) => vec![cell.text()],
            _ => Vec::new(),
        };
        for item in items.into_iter().filter(|item| !item.is_empty() && !source.empty.contains(item)) {
            *words.entry(item).or_default() += 1;
        }
    }
    words
}

/// A word without case, accents, spaces and signs.
fn letters(word: &str) -> String {
    fold(word).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether each word of a text is a word of the other, or nearly so; numbers and short words are the same.
fn is_misspelt(text: &str, other: &str) -> bool {
    let [text, other] = [fold(text), fold(other)];
    let [one, two] = [&text, &other].map(|it| it.split_whitespace().collect::<Vec<_>>());
    let is_long = |word: &str| word.chars().count() > 4 && !word.bytes().any(|it| it.is_ascii_digit());
    let is_like = |(one, two): (&&str, &&str)| {
        one == two || is_long(one) && is_long(two) && nearest(one, [*two]).is_some()
    };
    one.len() == two.len() && one.iter().zip(&two).all(is_like)
}
