//! Output: JSON lines and one buffered file per table.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// The files of a dataset.
pub(super) struct Output {
    dir: PathBuf,
    files: BTreeMap<&'static str, BufWriter<File>>,
}

impl Output {
    pub(super) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), files: BTreeMap::new() }
    }

    /// Appends one record to a table.
    pub(super) fn write(&mut self, table: &'static str, object: Object) -> io::Result<()> {
        if !self.files.contains_key(table) {
            let file = File::create(self.dir.join(format!("{table}.ndjson")))?;
            self.files.insert(table, BufWriter::new(file));
        }
        let line = object.close() + "\n";
        self.files.get_mut(table).map_or(Ok(()), |file| file.write_all(line.as_bytes()))
    }

    /// Flushes every file.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.files.values_mut().try_for_each(BufWriter::flush)
    }
}

/// A JSON object under construction.
#[derive(Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    /// An object without members.
    pub(super) fn new() -> Self {
        Self::default()
    }

    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// Adds a string.
    pub(super) fn text(self, key: &str, value: &str) -> Self {
        self.with(key, value)
    }

    /// Adds a string if there is one.
    pub(super) fn maybe(self, key: &str, value: Option<impl AsRef<str>>) -> Self {
        match value {
            Some(value) => self.text(key, value.as_ref()),
            None => self,
        }
    }

    /// Adds a number.
    pub(super) fn number(self, key: &str, value: impl Into<Value>) -> Self {
        self.with(key, value)
    }

    /// Adds an array of strings.
    pub(super) fn texts<'a>(self, key: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        self.with(key, values.into_iter().collect::<Vec<_>>())
    }

    /// Adds an object.
    pub(super) fn object(self, key: &str, value: Self) -> Self {
        self.with(key, value.0)
    }

    /// The finished JSON.
    pub(super) fn close(self) -> String {
        Value::from(self.0).to_string()
    }
}
