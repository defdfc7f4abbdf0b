//! The files that the edge keeps in memory.

use snapshot::page::Site;
use snapshot::page::list::{self, Numbers};
use snapshot::page::{mcp_row, row};
use snapshot::record::Directory;
use snapshot::search;
use store::StoreError;
use store::sections::{SectionError, SectionWriter, Sections};

use crate::error::GenerateError;

/// Stores a file of the index, in memory or on disk.
pub(crate) type Keep<'a> = &'a (dyn Fn(&'static str, SectionWriter) -> Result<Sections, StoreError> + Sync);

/// The files of search, of programs' rows and of the other lists.
pub(crate) struct IndexFiles(pub(crate) [Sections; 3]);

impl IndexFiles {
    /// The files of a directory whose programs are documents in an order.
    pub(crate) fn of(
        directory: &Directory,
        order: &[usize],
        numbers: &Numbers,
        keep: Keep<'_>,
    ) -> Result<Self, GenerateError> {
        let search = || -> Result<_, GenerateError> {
            let (search, values) = search::write_index(directory, order)?;
            Ok((keep("index/search.bin", search)?, values))
        };
        let lists = || {
            let mut writer = SectionWriter::default();
            list::write(directory, numbers, &mut writer);
            keep("index/lists.bin", writer)
        };
        let (searched, lists) = rayon::join(search, lists);
        let (search, values) = searched?;
        let (mut rows, mut brief) = (SectionWriter::default(), SectionWriter::default());
        rayon::join(
            || {
                row::write_programs(directory, order, &mut rows);
                row::write_values(directory, &values, &mut rows);
            },
            || mcp_row::write(directory, order, &mut brief),
        );
        rows.append(brief);
        Ok(Self([search, keep("index/rows.bin", rows)?, lists?]))
    }

    pub(crate) fn open(&self) -> Result<Site, SectionError> {
        let [search, rows, lists] = &self.0;
        Site::open(search, rows, lists)
    }
}
