//! Columns that are written item by item, in memory or, where there is a folder for that, in temporary files: what is
//! built of very many records does not have to fit into memory. The files have no names, so that a process that is
//! killed leaves none behind.

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::{Deref, Range};
use std::path::PathBuf;
use std::sync::Arc;

use bytemuck::Pod;

use super::super::mapping::Mapping;

/// Bytes of a column that stay in memory before they are written, and the share of the budget that they may have.
const BUFFER: usize = 1 << 20;
const BUFFERS: usize = 64;

/// Where columns are kept while they are written, and how much memory other work may take. Cheap to clone. The default
/// is memory, without a limit.
#[derive(Clone, Debug)]
pub struct Spill {
    folder: Option<Arc<PathBuf>>,
    budget: usize,
}

impl Default for Spill {
    fn default() -> Self {
        Self { folder: None, budget: usize::MAX }
    }
}

impl Spill {
    /// Long columns go to temporary files in a folder; what is sorted at once takes at most `budget` bytes.
    pub fn to(folder: PathBuf, budget: usize) -> Self {
        Self { folder: Some(Arc::new(folder)), budget }
    }

    /// Most bytes that are sorted or collected at once.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// The same folder, with a part of the budget.
    pub fn share(&self, of: usize) -> Self {
        Self { folder: self.folder.clone(), budget: self.budget / of }
    }

    /// Splits positions into ranges, each of items that take at most the budget together, or of one item.
    pub fn ranges(&self, bytes: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
        let (mut ranges, mut start, mut sum, mut end) = (Vec::new(), 0, 0usize, 0);
        for bytes in bytes {
            sum = sum.saturating_add(bytes);
            if sum > self.budget && end > start {
                ranges.push(start..end);
                (start, sum) = (end, bytes);
            }
            end += 1;
        }
        ranges.push(start..end);
        ranges
    }
}

/// A column that is being written. A failed write is an error when the column is [finished](Column::finish).
#[derive(Debug)]
pub struct Column<T> {
    spill: Spill,
    buffer: Vec<T>,
    file: Option<File>,
    /// Items in the file.
    written: usize,
    failed: Option<io::Error>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self::new(&Spill::default())
    }
}

impl<T> Column<T> {
    /// An empty column.
    pub fn new(spill: &Spill) -> Self {
        Self { spill: spill.clone(), buffer: Vec::new(), file: None, written: 0, failed: None }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.written + self.buffer.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Pod> Column<T> {
    /// Adds an item.
    #[inline]
    pub fn push(&mut self, item: T) {
        self.buffer.push(item);
        self.spill_if_full();
    }

    /// Adds items.
    #[inline]
    pub fn extend(&mut self, items: &[T]) {
        self.buffer.extend_from_slice(items);
        self.spill_if_full();
    }

    #[inline]
    fn spill_if_full(&mut self) {
        let most = BUFFER.min(self.spill.budget / BUFFERS);
        if size_of_val(self.buffer.as_slice()) >= most && self.spill.folder.is_some() {
            self.write();
        }
    }

    /// Moves the buffer to the file.
    fn write(&mut self) {
        if self.failed.is_none() {
            self.failed = self.try_write().err();
        }
        self.written += self.buffer.len();
        self.buffer.clear();
    }

    fn try_write(&mut self) -> io::Result<()> {
        let file = match (&mut self.file, &self.spill.folder) {
            (Some(file), _) => file,
            (empty, Some(folder)) => empty.insert(tempfile::tempfile_in(&**folder)?),
            (None, None) => return Ok(()),
        };
        file.write_all(bytemuck::cast_slice(&self.buffer))
    }

    /// All items.
    ///
    /// # Errors
    ///
    /// If one could not be written, or the file cannot be read.
    pub fn finish(mut self) -> io::Result<Items<T>> {
        if self.file.is_some() {
            self.write();
        }
        if let Some(error) = self.failed {
            return Err(error);
        }
        Ok(Items(match &self.file {
            Some(file) => Kept::File(Mapping::of(file)?),
            None => Kept::Memory(self.buffer),
        }))
    }
}

/// The items of a finished column.
pub struct Items<T>(Kept<T>);

enum Kept<T> {
    Memory(Vec<T>),
    File(Mapping),
}

impl<T> From<Vec<T>> for Items<T> {
    fn from(items: Vec<T>) -> Self {
        Self(Kept::Memory(items))
    }
}

impl<T> Items<T> {
    /// Lets go of the pages of a file that were read, which count as memory of this process.
    pub fn let_go(&self) {
        if let Kept::File(map) = &self.0 {
            map.let_go();
        }
    }
}

impl<T: Pod> Deref for Items<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Kept::Memory(items) => items,
            Kept::File(map) => bytemuck::cast_slice(map),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_column_is_read_from_its_file_as_from_memory() {
        let folder = tempfile::tempdir().unwrap();
        for spill in [Spill::default(), Spill::to(folder.path().to_owned(), 1 << 20)] {
            for count in [0, 1, 1000, 400_000] {
                let mut column = Column::<u32>::new(&spill);
                (0..count / 2).for_each(|item| column.push(item));
                column.extend(&(count / 2..count).collect::<Vec<_>>());
                assert_eq!((column.len(), column.is_empty()), (count as usize, count == 0));
                let items = column.finish().unwrap();
                assert!(items.iter().copied().eq(0..count));
                assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "a file has a name");
            }
        }
    }

    #[test]
    fn ranges_cover_all_items_and_keep_to_the_budget() {
        let spill = Spill { budget: 10, ..Spill::default() };
        assert_eq!(spill.ranges([4, 6, 1, 20, 3, 3]), [0..2, 2..3, 3..4, 4..6]);
        assert_eq!(spill.ranges([]), std::iter::once(0..0).collect::<Vec<_>>());
        assert_eq!(Spill::default().ranges([usize::MAX, 5, 6]), std::iter::once(0..3).collect::<Vec<_>>());
    }

    #[test]
    fn a_column_that_cannot_be_written_is_an_error_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut column = Column::<u64>::new(&Spill::to(folder.path().join("absent"), 1));
        (0..300_000).for_each(|item| column.push(item));
        assert_eq!(column.len(), 300_000);
        assert!(column.finish().is_err());
    }
}
