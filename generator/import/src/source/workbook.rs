//! Workbooks (.xlsx, .ods): their sheets, and one of them as rows of named cells.

use super::archive::{Archive, LARGEST_UNPACKED, Name, unpacks};
use super::sheet::{Options, Sheet, within};
use super::{layout, ods, xlsx};

/// Most sheets of a workbook.
const MOST_SHEETS: usize = 256;

pub(super) fn read(bytes: &[u8], how: &Options) -> Result<Sheet, String> {
    let (mut archive, _, is_ods, names) = open(bytes)?;
    let sheet = choose(&names, how.sheet.as_deref())?;
    let grid = match is_ods {
        true => ods::read(&mut archive, Some(&sheet.0))?.1,
        false => xlsx::read(&mut archive, bytes, sheet)?,
    };
    let mut read = layout::read(grid, how)?;
    // Stated once, with the first sheet.
    let (visible, hidden): (Vec<_>, Vec<_>) = names.iter().partition(|(_, is_visible, _)| *is_visible);
    if visible.first().is_some_and(|first| *first == sheet) && !hidden.is_empty() {
        let hidden: Vec<&str> = hidden.iter().map(|(name, ..)| name.as_str()).collect();
        read.notes.push(format!("hidden sheets are left out: {}; `sheet` takes one", hidden.join(", ")));
    }
    read.name = Some(sheet.0.clone());
    Ok(read)
}

/// Names of the sheets that can be seen.
pub(super) fn sheets(bytes: &[u8]) -> Result<Vec<String>, String> {
    let (_, size, _, names) = open(bytes)?;
    // Each sheet is read on its own, and the whole workbook unpacked for it.
    if size * names.len() as u64 > LARGEST_UNPACKED * 16 {
        let message = format!("its {} sheets are too large to draft at once", names.len());
        return Err(format!("{message}: save the one that counts as a file of its own"));
    }
    Ok(names.into_iter().filter(|(_, is_visible, _)| *is_visible).map(|(name, ..)| name).collect())
}

/// The archive, its size unpacked, whether it is OpenDocument, and its sheets.
fn open(bytes: &[u8]) -> Result<(Archive<'_>, u64, bool, Vec<Name>), String> {
    let (mut archive, size) = unpacks(bytes, LARGEST_UNPACKED)?;
    let is_ods = archive.by_name("content.xml").is_ok();
    let names = if is_ods { ods::read(&mut archive, None)?.0 } else { xlsx::names(&mut archive)? };
    within(names.len(), MOST_SHEETS, "sheets")?;
    Ok((archive, size, is_ods, names))
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
