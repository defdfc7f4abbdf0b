//! Workbooks (.xlsx, .ods): the archive that each is, and one sheet of it with the cells as they are shown: where the number
//! format of a cell writes more than its value, such as words, units, or a month without its day, what it shows (ECMA-376
//! part 1, §18.8.31).

use std::collections::BTreeSet;
use std::io::{BufReader, Cursor, Read as _};

use jiff::civil::DateTime;

use super::sheet::{LARGEST_UNPACKED, Reading, Row, Sheet, within};
use super::xml::{Part, each_part};
use super::{layout, ods, xlsx};
use crate::money;

/// Most sheets of a workbook.
const MOST_SHEETS: usize = 256;

pub(super) fn read(bytes: &[u8], how: &Reading) -> Result<Sheet, String> {
    let (mut archive, is_ods, names) = open(bytes)?;
    let sheet = choose(&names, how.sheet.as_deref())?;
    let grid = match is_ods {
        true => ods::read(&mut archive, Some(&sheet.0))?.1,
        false => xlsx::read(&mut archive, bytes, sheet)?,
    };
    let mut read = layout::read(grid, how)?;
    // Stated once, with the first sheet.
    let (visible, hidden): (Vec<&Name>, Vec<&Name>) =
        names.iter().partition(|(_, is_visible, _)| *is_visible);
    if visible.first().is_some_and(|first| *first == sheet) && !hidden.is_empty() {
        let hidden: Vec<&str> = hidden.iter().map(|(name, ..)| name.as_str()).collect();
        read.notes.push(format!("hidden sheets are left out: {}; `sheet` takes one", hidden.join(", ")));
    }
    read.name = Some(sheet.0.clone());
    Ok(read)
}

/// Names of the sheets that can be seen.
pub(super) fn sheets(bytes: &[u8]) -> Result<Vec<String>, String> {
    let (archive, _, names) = open(bytes)?;
    // Each sheet is read on its own, and the whole workbook unpacked for it.
    let size = archive.decompressed_size().unwrap_or(u128::MAX).saturating_mul(names.len() as u128);
    if size > u128::from(LARGEST_UNPACKED) * 16 {
        let message = format!("its {} sheets are too large to draft at once", names.len());
        return Err(format!("{message}: save the one that counts as a file of its own"));
    }
    Ok(names.into_iter().filter(|(_, is_visible, _)| *is_visible).map(|(name, ..)| name).collect())
}

/// The archive, whether it is OpenDocument, and its sheets.
fn open(bytes: &[u8]) -> Result<(Archive<'_>, bool, Vec<Name>), String> {
    let mut archive = unpacks(bytes, LARGEST_UNPACKED)?;
    let is_ods = archive.by_name("content.xml").is_ok();
    let names = if is_ods { ods::read(&mut archive, None)?.0 } else { xlsx::names(&mut archive)? };
    within(names.len(), MOST_SHEETS, "sheets")?;
    Ok((archive, is_ods, names))
}

/// The sheet that is named, or the only one that can be seen.
fn choose<'n>(sheets: &'n [Name], name: Option<&str>) -> Result<&'n Name, String> {
    let visible: Vec<&Name> = sheets.iter().filter(|(_, is_visible, _)| *is_visible).collect();
    let listed = visible.iter().map(|(name, ..)| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    match (name, &visible[..]) {
        (Some(name), _) => sheets
            .iter()
            .find(|(known, ..)| known == name)
            .ok_or_else(|| format!("it has no sheet \"{name}\"; there are {listed}")),
        (None, [only]) => Ok(only),
        (None, []) => Err("it has no sheet that can be seen".to_owned()),
        (None, _) => Err(format!("it has several sheets; name one, as sheet = {listed}")),
    }
}

/// A sheet's name, whether it can be seen, and in .xlsx the path of its part.
pub(super) type Name = (String, bool, String);

pub(super) type Archive<'a> = zip::ZipArchive<Cursor<&'a [u8]>>;

/// First and last row and column of merged cells: lines and indexes.
pub(super) type Merged = ([u32; 2], [usize; 2]);

/// The cells of a sheet, and how they are shown.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub rows: Vec<Row>,
    /// Rows that are hidden, by line.
    pub hidden_rows: BTreeSet<u32>,
    /// Cells that are struck through, by line and column.
    pub struck: BTreeSet<(u32, usize)>,
    pub hidden_columns: BTreeSet<usize>,
    pub merged: Vec<Merged>,
    /// Whether every row has as many cells as the header, unless it was cut off.
    pub is_exact: bool,
}

/// Unpacks everything once and discards it, because the stated sizes may be false.
pub(crate) fn unpacks(bytes: &[u8], most: u64) -> Result<Archive<'_>, String> {
    let mut archive =
        zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("it is no workbook: {error}"))?;
    let mut left = most;
    for number in 0..archive.len() {
        let mut file = archive.by_index(number).map_err(|error| format!("it is damaged: {error}"))?;
        let read = std::io::copy(&mut (&mut file).take(left + 1), &mut std::io::sink());
        let read = read.map_err(|error| format!("it is damaged: {error}"))?;
        left = left.checked_sub(read).ok_or_else(|| {
            format!("it unpacks to more than {} MB, which no list of grants does", most >> 20)
        })?;
    }
    Ok(archive)
}

/// Calls a function with each part of a file of a workbook.
pub(super) fn each_part_of(
    archive: &mut Archive<'_>,
    path: &str,
    take: impl FnMut(Part<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let file = archive.by_name(path).map_err(|_| format!("it is no workbook: it has no {path}"))?;
    each_part(BufReader::new(file), "it is damaged", take)
}

/// A letter of a number format, and whether it is text: else it stands for digits or a part of a date.
type Letter = (char, bool);

/// The text of a format.
fn texts(letters: &[Letter]) -> String {
    letters.iter().filter(|(_, is_text)| *is_text).map(|(letter, _)| letter).collect()
}

/// The section of a format for positive numbers.
fn letters_of(format: &str) -> Vec<Letter> {
    let mut found = Vec::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        let text = |letter| (letter, true);
        match letter {
            ';' => break,
            '"' => found.extend(letters.by_ref().take_while(|it| *it != '"').map(text)),
            '\\' => found.extend(letters.next().map(text)),
            // The width of a letter, and a letter that fills the cell.
            '_' | '*' => drop(letters.next()),
            '[' => {
                let inner: String = letters.by_ref().take_while(|it| *it != ']').collect();
                let sign = inner.strip_prefix('$').and_then(|it| it.split('-').next());
                found.extend(sign.unwrap_or_default().chars().map(text));
            }
            other => found.push((other, "$€£% /():+-".contains(other))),
        }
    }
    found
}

/// A number as it is shown, if its format adds a word, a unit or a percent sign that is no currency.
pub(super) fn shown_number(number: f64, format: &str) -> Option<String> {
    if format.eq_ignore_ascii_case("general") || format == "@" {
        return None;
    }
    let letters = letters_of(format);
    let is_digit = |(letter, is_text): &Letter| !is_text && "0#?.,Ee".contains(*letter);
    if !has_unit(&texts(&letters)) {
        return None;
    }
    let ends = letters.iter().position(is_digit).zip(letters.iter().rposition(is_digit));
    let Some((first, last)) = ends else { return Some(texts(&letters).trim().to_owned()) };
    // Each comma behind the digits divides by a thousand.
    let commas = letters[..=last].iter().rev().take_while(|it| **it == (',', false)).count();
    let percent = if texts(&letters[last..]).contains('%') { 100.0 } else { 1.0 };
    let shown = number * percent / 1000f64.powi(i32::try_from(commas).unwrap_or(0));
    let shown = snapshot::record::Number((shown * 1e6).round() / 1e6);
    let (before, after) = (texts(&letters[..first]), texts(&letters[last..]));
    Some(format!("{}{shown}{}", before.trim_start(), after.trim_end()))
}

/// Whether words, a unit or a percent sign that are no currency are beside a number.
pub(super) fn has_unit(shown: &str) -> bool {
    let mut words = shown.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty() && *word != "E");
    shown.contains('%') || words.any(|word| money::codes(word).is_none())
}

/// A date as it is shown, if its format leaves the day out or adds words.
pub(super) fn shown_date(moment: DateTime, format: &str) -> Option<String> {
    let letters = letters_of(format);
    let has = |code: char| letters.iter().any(|(it, is_text)| !is_text && it.eq_ignore_ascii_case(&code));
    let texts = texts(&letters);
    // `de` and `of` are letters of a date too.
    let has_words = texts.split(|c: char| !c.is_alphabetic()).any(|word| word.chars().count() > 2);
    if !has('y') || has('d') && !has_words {
        return None;
    }
    let parts = [('d', "%-d "), ('m', "%B "), ('y', "%Y")].into_iter().filter(|(code, _)| has(*code));
    let date = moment.date().strftime(&parts.map(|(_, part)| part).collect::<String>()).to_string();
    let words = texts.trim_matches(|c: char| !c.is_alphanumeric());
    Some(format!("{words} {date}").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_units_of_a_format_belong_to_its_number() {
        for (value, format, shown) in [
            (0.5, "0%", Some("50%")),
            (75.0, "$#,##0\"K\"", Some("$75K")),
            (75_000.0, "$#,##0,\"K\"", Some("$75K")),
            (2.5, "\"$\"0.0\" million\"", Some("$2.5 million")),
            (650.0, "$#,##0\"/month\"", Some("$650/month")),
            (0.0, "\"TBD\"", Some("TBD")),
            (5000.0, "\"up to \"$#,##0", Some("up to $5000")),
            (500.0, "[$£-809]#,##0.00", None),
            (500.0, "#,##0\\ [$€-407]", None),
            (500.0, "#,##0 \"CHF\"", None),
            (500.0, "_-* #,##0.00\\ \"€\"_-;-* #,##0", None),
            (500.0, "[Red]#,##0", None),
            (500.0, "General", None),
            (500.0, "0.00E+00", None),
        ] {
            assert_eq!(shown_number(value, format).as_deref(), shown, "{format}");
        }
    }

    #[test]
    fn a_date_without_its_day_or_with_words_is_what_the_sheet_shows() {
        let moment = "2027-05-01T00:00:00".parse().unwrap();
        for (format, shown) in [
            ("mmm yyyy", Some("May 2027")),
            ("yyyy", Some("2027")),
            ("\"Q2\" yyyy", Some("Q2 2027")),
            ("\"Tentative: \"d mmm yyyy", Some("Tentative 1 May 2027")),
            ("d mmm yyyy", None),
            ("d\" de \"mmmm\" de \"yyyy", None),
            ("[$-409]dddd, mmmm d, yyyy", None),
            ("hh:mm", None),
        ] {
            assert_eq!(shown_date(moment, format).as_deref(), shown, "{format}");
        }
    }
}
