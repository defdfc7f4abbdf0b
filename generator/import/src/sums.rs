//! Sums of money as values of fields: in the currency that the cell, its number format, its row, its column or the mapping
//! shows. What they show must agree.

use serde_json::{Value, json};

use crate::made::{self, Made, Read, Wrong, no_number, refused, wrong};
use crate::mapping::{Mapped, Source, Target, is_currency};
use crate::money::{self, Evidence, NoSum, Sum};
use crate::source::sheet::{Cell, Row, Sheet};
use dataset::diagnostics::Code;
use dataset::text::quoted;

/// Whether a field is a sum of money.
pub(super) fn is_money(field: &str) -> bool {
    field.ends_with("Usd") || field == "amount"
}

/// What shows the currency of a column of sums.
pub(super) struct Money {
    /// What the header and the mapping show.
    stated: Vec<Evidence>,
    /// What numbers are multiplied by.
    scale: f64,
    /// Columns of currencies, by index.
    columns: Vec<usize>,
    /// Whether sums in dollars go to one field and others to facts.
    splits: bool,
    /// Whether the column is mapped to the field of the other end too.
    has_both: bool,
    /// Whether those facts have sums of the same column: else, sums in other currencies have no place.
    has_fact: bool,
}

impl Money {
    /// Of a field that is a sum; none of others.
    pub(super) fn new(source: &Source, target: &Target, mapped: &Mapped, sheet: &Sheet) -> Option<Self> {
        let (field, _, rule) = mapped;
        if !is_money(field) || rule.value.is_some() {
            return None;
        }
        let column = rule.columns.first().map_or("", String::as_str);
        let (codes, scale) = money::of_header(column);
        let named = target.fields.iter().find(|(name, ..)| name == "currency").map(|(.., rule)| rule);
        let all = 0..sheet.columns.len();
        let columns = match named.filter(|rule| rule.value.is_none()) {
            Some(rule) => rule.columns.iter().filter_map(|name| sheet.column(name)).collect(),
            None => all.filter(|at| money::is_currency_column(&sheet.columns[*at])).collect(),
        };
        let declared = named.and_then(|rule| Some(("the mapping".to_owned(), vec![rule.value.clone()?])));
        let header = codes.map(|codes| (format!("the header {}", quoted(column)), codes));
        let is_least = field.contains("Min");
        let end = if is_least { "Max" } else { "Min" };
        let is_partner =
            |name: &str| if field == "amount" { name.ends_with("Usd") } else { name == "amount" };
        let has = |is_meant: &dyn Fn(&str) -> bool, is_same: bool| {
            source.fields().any(|(it, _, of)| is_meant(it) && (!is_same || of.columns == rule.columns))
        };
        let has_fact = has(&is_partner, true);
        Some(Self {
            stated: header.into_iter().chain(declared).collect(),
            scale,
            columns,
            splits: has_fact || is_least && has(&is_partner, false),
            has_both: has(&|name| name.contains(end), true),
            has_fact,
        })
    }

    /// What a row, the header and the mapping show about the currency of a sum.
    pub(super) fn evidence(&self, source: &Source, sheet: &Sheet, row: &Row) -> Result<Vec<Evidence>, Wrong> {
        let mut evidence = Vec::new();
        for column in &self.columns {
            let text = row.text(*column);
            if text.is_empty() || source.empty.contains(&text) {
                continue;
            }
            let name = quoted(&sheet.columns[*column]);
            let codes = money::codes(&text).or_else(|| is_currency(&text).then(|| vec![text.clone()]));
            let codes = codes.ok_or_else(|| no_currency(&format!("{} in column {name}", quoted(&text))))?;
            evidence.push((format!("the column {name}"), codes));
        }
        evidence.extend(self.stated.iter().cloned());
        Ok(evidence)
    }
}

fn no_currency(what: &str) -> Wrong {
    let help = "write its code into the source, such as EUR";
    wrong(Code::BadCurrency, format!("the currency {what} is not known"), help)
}

/// A sum in the currency that the cell, its format, its row, its column or the mapping shows.
pub(super) fn sum(cell: &Cell, field: &str, source: &Source, how: Option<&Money>, seen: &[Evidence]) -> Read {
    let text = cell.text();
    let refused = |what: &str, to: &str| Wrong { code: Code::BadCurrency, ..refused(field, &text, what, to) };
    let (sum, shown) = shown(cell, field, source)?;
    // A fact of the same column says in words what a sum is paid for; fields of dollars have no place for them.
    let (splits, has_fact) = how.map_or((false, false), |it| (it.splits, it.has_fact));
    if sum.is_rate && field != "amount" {
        return Ok(Made { note: Some(text).filter(|_| !has_fact), ..Made::default() });
    }
    let is_dollars = field.ends_with("Usd");
    let codes = money::agreed(shown.into_iter().chain(seen.iter().cloned())).map_err(|both| {
        refused(&format!(": {both}"), "correct what is wrong in the source, or what the mapping declares")
    })?;
    let usd = || "USD".to_owned();
    let is_bare = codes.is_none() && source.currency.is_none() && how.is_some();
    // What the source declares is of the sums that show none, or no single one.
    let may_be = |it: &&String| codes.as_ref().is_none_or(|all| all.contains(it));
    let declared = source.currency.as_ref().filter(may_be).cloned();
    let currency = match (codes, declared) {
        (Some(codes), _) if codes.len() == 1 => codes.into_iter().next(),
        (_, Some(declared)) => Some(declared),
        (Some(codes), _) if (is_dollars || splits) && codes.contains(&usd()) => Some(usd()),
        (None, _) if is_dollars && !splits => Some(usd()),
        (None, _) if how.is_none() => None,
        (found, _) => {
            let may_be = found.map(|codes| format!(": it may be {}", codes.join(", ")));
            let may_be = may_be.as_deref().unwrap_or(": nothing shows its currency");
            let help = "show it in the source, or declare that of sums that show none: currency = \"EUR\"";
            return Err(refused(may_be, help));
        }
    };
    if let Some(code) = currency.as_deref().filter(|code| is_dollars && *code != "USD") {
        if splits {
            let lost = ("least sum", "in other currencies left out, as a fact has one sum");
            let is_lost = !has_fact && field.contains("Min");
            return Ok(Made { counted: is_lost.then_some(lost), ..Made::default() });
        }
        let help = "sums are never converted: map the column to `amount` of facts too, with kind = { value = \"funding\" } and label = { value = \"Amount\" }";
        return Err(refused(&format!(", which is {code}, and the field is US dollars"), help));
    }
    let (value, text) = end(&sum, &text, field, how)?;
    // Dollars are in the field that the column is mapped to as well.
    let is_elsewhere = splits && !is_dollars && !sum.is_rate && currency.as_deref() == Some("USD");
    let bare = ("sum", "without a currency taken as US dollars; `currency` declares another");
    Ok(Made { value, currency, text, counted: is_bare.then_some(bare), is_elsewhere, ..Made::default() })
}

/// The sum of a cell, and the currency that the cell or its number format shows.
fn shown(cell: &Cell, field: &str, source: &Source) -> Result<(Sum, Option<Evidence>), Wrong> {
    let text = cell.text();
    let (form, what) = match cell {
        Cell::Number(number) => return Ok((Sum::of(*number), None)),
        Cell::Money(number, sign) => {
            let codes = money::codes(sign).ok_or_else(|| no_currency(&quoted(sign)))?;
            return Ok((Sum::of(*number), Some(("its number format".to_owned(), codes))));
        }
        // What a number format writes around a number belongs to it: 75 may be shown as $75K.
        Cell::Shown(..) => (None, "its number format"),
        _ => (source.numbers, "the cell"),
    };
    let sum = money::read(&text, form).map_err(|fault| unread(field, &text, &fault, source))?;
    let shown = sum.currency.clone().map(|codes| (what.to_owned(), codes));
    Ok((sum, shown))
}

/// The end of a range that a field takes, and the words of the cell if it is a limit or a range.
fn end(sum: &Sum, text: &str, field: &str, money: Option<&Money>) -> Result<(Value, Option<String>), Wrong> {
    // A fact of an amount has no field for its end: its text says "up to".
    let is_plain = !sum.is_rate && (sum.least == sum.most || sum.least.is_none() && field != "amount");
    if field.contains("Max") && !is_plain && money.is_some_and(|it| !it.has_both) {
        let help = format!("map {} to the same column", quoted(&field.replace("Max", "Min")));
        return Err(refused(field, text, ", which has a least sum too", help));
    }
    let has_both = money.is_some_and(|it| it.has_both);
    let end = match field {
        "amount" => sum.most.or(sum.least),
        // A single sum is the most that a program pays, unless a column of its own states the least.
        field if field.contains("Min") => sum.least.filter(|_| sum.least != sum.most || !has_both),
        _ => sum.most,
    };
    let scale = money.map_or(1.0, |it| it.scale);
    let doubt = |what, help| Err(refused(field, text, what, help));
    if scale.is_nan() {
        let help = "rename the column, such as (thousands) or (millions), (miles) or (millones)";
        return doubt(", and the factor in the column's name may be either of two", help);
    }
    if sum.is_scaled && scale > 1.0 {
        let help = "write the number without its factor in the source";
        return doubt(", and the column's name has a factor too", help);
    }
    if sum.currency.is_some() && scale > 1.0 && end.is_some_and(|it| it >= scale) {
        let help = "rename the column, or write the number in its factor in the source";
        return doubt(": with the factor in the column's name or without it?", help);
    }
    // The sum has the factor of the header, which the words beside it must not contradict.
    let words = || if scale == 1.0 { text.to_owned() } else { format!("{text}, × {scale}") };
    let value = end.map_or(Value::Null, |it| json!(snapshot::record::Number(it * scale)));
    Ok((value, (!is_plain).then(words)))
}

/// Why a text is no sum.
fn unread(field: &str, text: &str, fault: &NoSum, source: &Source) -> Wrong {
    let or = "write a number and a currency, list it in `empty`, or add notes = true to the rule";
    let (what, help) = match fault {
        NoSum::Unlike => (", a range whose ends are not written alike", "write both in full, as 10k-20k"),
        NoSum::TwoFactors => (", which may be thousands or millions", "write its zeros, `k` or `million`"),
        NoSum::Bare => return made::unread(field, text, ", which may be years or a telephone's number", or),
        NoSum::Part(it) if it.bytes().any(|b| b.is_ascii_digit()) => return no_number(field, text, source),
        NoSum::Part(it) => {
            return made::unread(field, text, format!(": {} is not understood", quoted(it)), or);
        }
    };
    refused(field, text, what, help)
}
