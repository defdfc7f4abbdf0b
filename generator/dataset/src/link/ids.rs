//! The sorted ids of every table.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::record::Record;
use crate::rows::{Pass, Row, Tables};
use crate::table::Table;

/// The ids of every table, sorted as its rows are: the position of an id is that of its row.
pub(super) struct Ids {
    lists: BTreeMap<Table, Vec<Uuid>>,
}

impl Pass for Ids {
    fn table<T: Record>(&mut self, table: Table, rows: &mut Vec<Row<T>>) {
        self.lists.insert(table, rows.iter().filter_map(|row| row.record.profile().id).collect());
    }
}

impl Ids {
    pub(super) fn new(tables: &mut Tables) -> Self {
        let mut ids = Self { lists: BTreeMap::new() };
        tables.run(&mut ids);
        ids
    }

    /// Position of a row with an id.
    pub(super) fn position(&self, table: Table, id: Uuid) -> Option<usize> {
        self.lists.get(&table)?.binary_search(&id).ok()
    }
}
