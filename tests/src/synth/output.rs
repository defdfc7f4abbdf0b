//! Output: JSON lines and one buffered file per table.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The files of a dataset.
pub(super) struct Output {
    dir: PathBuf,
    files: BTreeMap<&'static str, BufWriter<File>>,
}

impl Output {
    pub(super) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), files: BTreeMap::new() }
    }

    /// Appends one record to a table, without members that are null.
    pub(super) fn write(&mut self, table: &'static str, mut record: Value) -> io::Result<()> {
        if !self.files.contains_key(table) {
            let file = File::create(self.dir.join(format!("{table}.ndjson")))?;
            self.files.insert(table, BufWriter::new(file));
        }
        drop_nulls(&mut record);
        self.files.get_mut(table).map_or(Ok(()), |file| writeln!(file, "{record}"))
    }

    /// Flushes every file.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.files.values_mut().try_for_each(BufWriter::flush)
    }
}

fn drop_nulls(value: &mut Value) {
    if let Value::Object(members) = value {
        members.retain(|_, member| !member.is_null());
        members.values_mut().for_each(drop_nulls);
    }
}
