//! Workbooks (.xlsx, .ods): one sheet of them.

use super::archive::{Archive, Name, unpacks};
use super::sheet::{LARGEST_UNPACKED, Reading, Sheet, within};
use super::{layout, ods, xlsx};

/// Most sheets of a workbook.
const MOST_SHEETS: usize = 256;

pub(super) fn read(bytes: &[u8], how: &Reading) -> Result<Sheet, String> {
    let (mut archive, is_ods, names) = open(bytes)?;
    let name = choose(&names, how.sheet.as_deref())?;
    let grid = match is_ods {
        true => ods::read(&mut archive, Some(&name))?.1,
        false => xlsx::read(&mut archive, bytes, &name)?,
    };
    let mut sheet = layout::read(grid, how)?;
    // Stated once, with the first sheet.
    let mut visible = names.iter().filter(|(_, is_visible)| *is_visible);
    if visible.next().is_some_and(|(first, _)| *first == name) {
        let hidden = names.iter().filter(|(_, is_visible)| !is_visible).map(|(name, _)| name.as_str());
        let hidden: Vec<&str> = hidden.collect();
        let note = format!("hidden sheets are left out: {}; `sheet` takes one", hidden.join(", "));
        sheet.notes.extend((!hidden.is_empty()).then_some(note));
    }
    sheet.name = Some(name);
    Ok(sheet)
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
    Ok(names.into_iter().filter(|(_, is_visible)| *is_visible).map(|(name, _)| name).collect())
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
fn choose(sheets: &[Name], name: Option<&str>) -> Result<String, String> {
    let visible: Vec<&str> =
        sheets.iter().filter(|(_, is_visible)| *is_visible).map(|(name, _)| name.as_str()).collect();
    let listed = || visible.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    match (name, &visible[..]) {
        (Some(name), _) if sheets.iter().any(|(known, _)| known == name) => Ok(name.to_owned()),
        (Some(name), _) => Err(format!("it has no sheet \"{name}\"; there are {}", listed())),
        (None, [only]) => Ok((*only).to_owned()),
        (None, []) => Err("it has no sheet that can be seen".to_owned()),
        (None, _) => Err(format!("it has several sheets; name one, as sheet = {}", listed())),
    }
}
