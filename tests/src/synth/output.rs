//! Output: JSON lines and one buffered file per entity.

use std::fmt::{Display, Write as _};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The entities of a dataset; each has its own file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Entity {
    Organizations,
    Leaders,
    Channels,
    Posts,
    Programs,
    Cycles,
    Facts,
    Lifecycle,
    Sources,
    Awards,
    Recipients,
    Aliases,
    Translations,
    Vocabulary,
    Synonyms,
}

impl Entity {
    /// All entities in the order of the enumeration.
    pub const ALL: [Self; 15] = [
        Self::Organizations,
        Self::Leaders,
        Self::Channels,
        Self::Posts,
        Self::Programs,
        Self::Cycles,
        Self::Facts,
        Self::Lifecycle,
        Self::Sources,
        Self::Awards,
        Self::Recipients,
        Self::Aliases,
        Self::Translations,
        Self::Vocabulary,
        Self::Synonyms,
    ];

    /// The entity's name in the dataset format: its file without `.ndjson`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Organizations => "organizations",
            Self::Leaders => "leaders",
            Self::Channels => "channels",
            Self::Posts => "posts",
            Self::Programs => "programs",
            Self::Cycles => "cycles",
            Self::Facts => "facts",
            Self::Lifecycle => "lifecycle",
            Self::Sources => "sources",
            Self::Awards => "awards",
            Self::Recipients => "recipients",
            Self::Aliases => "aliases",
            Self::Translations => "translations",
            Self::Vocabulary => "vocabulary",
            Self::Synonyms => "synonyms",
        }
    }
}

/// What was written for one entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Records.
    pub rows: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// What was written altogether.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([Count; Entity::ALL.len()]);

impl Counts {
    /// What was written for this entity.
    pub fn of(&self, entity: Entity) -> Count {
        self.0[entity as usize]
    }

    /// Bytes of all entity files.
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|count| count.bytes).sum()
    }
}

/// The open files of a dataset.
pub(super) struct Output {
    files: Vec<BufWriter<File>>,
    counts: Counts,
}

impl Output {
    /// Creates one file per entity in `dir`, replacing older ones.
    pub(super) fn create(dir: &Path) -> io::Result<Self> {
        let files = Entity::ALL
            .iter()
            .map(|entity| File::create(dir.join(format!("{}.ndjson", entity.name()))))
            .map(|file| file.map(|file| BufWriter::with_capacity(1 << 18, file)))
            .collect::<io::Result<_>>()?;
        Ok(Self { files, counts: Counts::default() })
    }

    /// Appends one record.
    pub(super) fn write(&mut self, entity: Entity, object: Object) -> io::Result<()> {
        let mut line = object.close();
        line.push('\n');
        let count = &mut self.counts.0[entity as usize];
        count.rows += 1;
        count.bytes += line.len() as u64;
        self.files[entity as usize].write_all(line.as_bytes())
    }

    /// Flushes every file.
    pub(super) fn finish(mut self) -> io::Result<Counts> {
        self.files.iter_mut().try_for_each(BufWriter::flush)?;
        Ok(self.counts)
    }
}

/// A JSON object under construction. Keys are written as given: plain ASCII names.
pub(super) struct Object(String);

impl Object {
    /// An object without members.
    pub(super) fn new() -> Self {
        let mut json = String::with_capacity(512);
        json.push('{');
        Self(json)
    }

    /// Adds a string.
    pub(super) fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        push_string(&mut self.0, value);
        self
    }

    /// Adds a string if there is one.
    pub(super) fn maybe(self, key: &str, value: Option<impl AsRef<str>>) -> Self {
        match value {
            Some(value) => self.text(key, value.as_ref()),
            None => self,
        }
    }

    /// Adds a number.
    pub(super) fn number(mut self, key: &str, value: impl Display) -> Self {
        self.key(key);
        let _infallible = write!(self.0, "{value}");
        self
    }

    /// Adds an array of strings.
    pub(super) fn texts<'a>(mut self, key: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        self.key(key);
        self.0.push('[');
        for (position, value) in values.into_iter().enumerate() {
            if position > 0 {
                self.0.push(',');
            }
            push_string(&mut self.0, value);
        }
        self.0.push(']');
        self
    }

    /// Adds an object.
    pub(super) fn object(mut self, key: &str, value: Self) -> Self {
        self.key(key);
        self.0.push_str(&value.close());
        self
    }

    /// The finished JSON.
    pub(super) fn close(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push('"');
        self.0.push_str(key);
        self.0.push_str("\":");
    }
}

fn push_string(json: &mut String, value: &str) {
    json.push('"');
    for piece in value.split_inclusive(['"', '\\', '\n']) {
        match piece.as_bytes().last() {
            Some(b'"') => push_escaped(json, piece, "\\\""),
            Some(b'\\') => push_escaped(json, piece, "\\\\"),
            Some(b'\n') => push_escaped(json, piece, "\\n"),
            _ => json.push_str(piece),
        }
    }
    json.push('"');
}

/// Appends a piece whose last byte has to be written as `escape`.
fn push_escaped(json: &mut String, piece: &str, escape: &str) {
    json.push_str(&piece[..piece.len() - 1]);
    json.push_str(escape);
}
