//! Which sources are imported, and their rows.

use std::path::{Path, PathBuf};

use crate::files::{ImportError, read_source};
use crate::mapping::{FILE, Source};
use crate::output::ImportOptions;
use crate::source;
use crate::source::sheet::{Row, Sheet, listed_in};

/// The sources that are named, or all.
pub(super) fn choose<'s>(
    sources: &'s [Source],
    options: &ImportOptions<'_>,
) -> Result<Vec<&'s Source>, ImportError> {
    let known: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    if let Some(name) = options.sources.iter().find(|name| !known.contains(&name.as_str())) {
        let message = format!("there is no source `{name}` in {FILE}; there are {}", known.join(", "));
        return Err(ImportError::Usage(message));
    }
    let is_chosen = |source: &&Source| options.sources.is_empty() || options.sources.contains(&source.name);
    let chosen: Vec<&Source> = sources.iter().filter(is_chosen).collect();
    if options.from.is_some() && chosen.len() != 1 {
        return Err(ImportError::Usage("--from is one source: name it".to_owned()));
    }
    Ok(chosen)
}

/// What a source holds.
pub(super) fn bytes_of(source: &Source, options: &ImportOptions<'_>) -> Result<Vec<u8>, ImportError> {
    let path = match (options.from, &source.file) {
        (Some(path), _) => path.to_owned(),
        (None, Some(file)) => regular(options.data, file)?,
        (None, None) => {
            let message =
                format!("source `{}` has no `file`: add it, or pipe the rows in with --from -", source.name);
            return Err(ImportError::Usage(message));
        }
    };
    read_source(&path)
}

/// The rows of a source, without those that its mapping leaves out.
pub(super) fn sheet_of(source: &Source, bytes: &[u8]) -> Result<Sheet, String> {
    let mut sheet = source::read(bytes, &source.reading)?;
    if !source.key.is_empty() {
        sheet.drop_repeated();
    }
    if let Some(key) = source.key.first().and_then(|key| sheet.column(key)) {
        let (skipped, kept): (Vec<Row>, Vec<Row>) =
            sheet.rows.drain(..).partition(|row| listed_in(&source.reading.skip, &row.name(key)));
        sheet.rows = kept;
        let lines: Vec<u32> = skipped.iter().map(|row| row.line).collect();
        sheet.note_rows(lines.len(), &format!("left out, as `skip` lists them: {}", rows_of(&lines)));
    }
    Ok(sheet)
}

/// The first of some rows, for a message.
pub(super) fn rows_of(lines: &[u32]) -> String {
    let shown: Vec<String> = lines.iter().take(10).map(u32::to_string).collect();
    let more = if lines.len() > 10 { " …" } else { "" };
    let noun = if lines.len() == 1 { "row" } else { "rows" };
    format!("{noun} {}{more}", shown.join(", "))
}

/// The path of a file that a mapping names: no device, and no link out of the dataset.
fn regular(data: &Path, file: &str) -> Result<PathBuf, ImportError> {
    let path = data.join(file);
    let metadata = std::fs::metadata(&path).map_err(|error| ImportError::input(&path, error))?;
    if !metadata.is_file() {
        return Err(ImportError::input(&path, "it is no regular file; --from reads a pipe"));
    }
    let whole = |path: &Path| path.canonicalize().map_err(|error| ImportError::input(path, error));
    let is_outside = Path::new(file).is_absolute() || file.split('/').any(|part| part == "..");
    if !is_outside && !whole(&path)?.starts_with(whole(data)?) {
        return Err(ImportError::input(&path, "the link leaves the dataset; copy the file into it"));
    }
    Ok(path)
}
