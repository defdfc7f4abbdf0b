//! The files that the edge keeps in memory, collected from one directory or from the parts of a large one.

use snapshot::page::Site;
use snapshot::page::list::{RecordListsWriter, documents};
use snapshot::page::mcp_row::McpRowsWriter;
use snapshot::page::row::RowsWriter;
use snapshot::record::Directory;
use snapshot::search::{IndexError, IndexWriter};
use store::StoreError;
use store::sections::{SectionError, SectionWriter, Sections};
use store::spill::Spill;

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
        spill: &Spill,
        keep: Keep<'_>,
    ) -> Result<Self, GenerateError> {
        let mut writer = IndexFilesWriter::new(spill);
        writer.add_programs(directory, order);
        writer.add_others(directory);
        writer.finish(directory, keep)
    }

    pub(crate) fn open(&self) -> Result<Site, SectionError> {
        let [search, rows, lists] = &self.0;
        Site::open(search, rows, lists)
    }
}

/// Collects the files.
pub(crate) struct IndexFilesWriter {
    spill: Spill,
    search: IndexWriter,
    rows: RowsWriter,
    mcp_rows: McpRowsWriter,
    lists: RecordListsWriter,
    /// Number of documents.
    count: u32,
}

impl IndexFilesWriter {
    pub(crate) fn new(spill: &Spill) -> Self {
        Self {
            spill: spill.clone(),
            search: IndexWriter::new(spill),
            rows: RowsWriter::new(spill),
            mcp_rows: McpRowsWriter::new(spill),
            lists: RecordListsWriter::new(spill),
            count: 0,
        }
    }

    /// Adds the programs of a directory, their cycles and awards, behind those that were added before; `order` gives
    /// the program of each document.
    pub(crate) fn add_programs(&mut self, directory: &Directory, order: &[usize]) {
        let doc_of = documents(order, self.count);
        self.count += order.len() as u32;
        let Self { search, rows, mcp_rows, lists, .. } = self;
        rayon::scope(|tasks| {
            tasks.spawn(|_| search.add(directory, order));
            tasks.spawn(|_| rows.add(directory, order));
            tasks.spawn(|_| mcp_rows.add(directory, order));
            tasks.spawn(|_| lists.add_programs(directory, &doc_of));
        });
    }

    /// Adds the organizations and recipients of a directory.
    pub(crate) fn add_others(&mut self, directory: &Directory) {
        self.lists.add_organizations(directory);
        self.lists.add_recipients(directory);
        self.search.add_recipients(directory);
    }

    /// Writes the files; dataset, vocabulary and synonyms are those of a directory.
    pub(crate) fn finish(self, directory: &Directory, keep: Keep<'_>) -> Result<IndexFiles, GenerateError> {
        let Self { spill, search, rows, mcp_rows, lists, .. } = self;
        let (programs, lists) = rayon::join(
            || {
                let (search, values) = search.finish(&directory.vocabulary, &directory.synonyms)?;
                let keep_rows = || -> Result<Sections, GenerateError> {
                    let mut writer = SectionWriter::spilling(&spill);
                    rows.finish(&values, &directory.vocabulary, &mut writer).map_err(IndexError::from)?;
                    mcp_rows.write(&mut writer);
                    Ok(keep("index/rows.bin", writer)?)
                };
                let (search, rows) = rayon::join(|| keep("index/search.bin", search), keep_rows);
                Ok::<_, GenerateError>((search?, rows?))
            },
            || {
                let mut writer = SectionWriter::spilling(&spill);
                lists.finish(&directory.dataset, &mut writer).map_err(IndexError::from)?;
                Ok::<_, GenerateError>(keep("index/lists.bin", writer)?)
            },
        );
        let ((search, rows), lists) = (programs?, lists?);
        Ok(IndexFiles([search, rows, lists]))
    }
}
