//! Sorts records of bytes. What does not fit into memory is sorted in runs, which are merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use super::column::{Column, Items, Spill};

/// Sorters that are filled at the same time and share the budget.
const SORTERS: usize = 8;
/// Records that are read before pages are let go.
const LET_GO: usize = 1 << 14;

/// Collects records.
pub struct Sorter {
    spill: Spill,
    bytes: Vec<u8>,
    /// Where each record in `bytes` begins.
    starts: Vec<usize>,
    /// Sorted runs of records, each behind its length.
    runs: Column<u8>,
    /// Where each run ends.
    ends: Vec<usize>,
}

impl Sorter {
    /// A sorter without records.
    pub fn new(spill: &Spill) -> Self {
        let (bytes, starts, ends) = Default::default();
        Self { spill: spill.clone(), bytes, starts, runs: Column::new(spill), ends }
    }

    /// Adds a record of some parts, one after the other.
    pub fn push(&mut self, parts: &[&[u8]]) {
        self.starts.push(self.bytes.len());
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        if self.bytes.len() + size_of_val(self.starts.as_slice()) >= self.spill.budget() / SORTERS {
            self.write_run();
        }
    }

    /// The records in memory, sorted.
    fn sorted(&self) -> Vec<&[u8]> {
        let ends = self.starts.iter().skip(1).copied().chain([self.bytes.len()]);
        let mut records: Vec<&[u8]> =
            self.starts.iter().zip(ends).map(|(start, end)| &self.bytes[*start..end]).collect();
        records.sort_unstable();
        records
    }

    fn write_run(&mut self) {
        let mut run = Vec::with_capacity(self.bytes.len() + 4 * self.starts.len());
        for record in self.sorted() {
            run.extend_from_slice(&(record.len() as u32).to_le_bytes());
            run.extend_from_slice(record);
        }
        self.runs.extend(&run);
        self.ends.push(self.runs.len());
        self.bytes.clear();
        self.starts.clear();
    }

    /// Calls a function with each record, in the order of their bytes.
    ///
    /// # Errors
    ///
    /// If a run could not be written or cannot be read.
    pub fn finish(mut self, mut each: impl FnMut(&[u8])) -> io::Result<()> {
        if self.ends.is_empty() {
            self.sorted().into_iter().for_each(each);
            return Ok(());
        }
        self.write_run();
        let runs: Items<u8> = self.runs.finish()?;
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let mut rests: Vec<&[u8]> = starts.zip(&self.ends).map(|(start, end)| &runs[start..*end]).collect();
        let mut heads: BinaryHeap<Reverse<(&[u8], usize)>> = BinaryHeap::new();
        heads.extend((0..rests.len()).filter_map(|run| Some(Reverse((next(&mut rests[run])?, run)))));
        let mut read = 0;
        while let Some(Reverse((record, run))) = heads.pop() {
            each(record);
            read += 1;
            if read % LET_GO == 0 {
                runs.let_go();
            }
            heads.extend(next(&mut rests[run]).map(|record| Reverse((record, run))));
        }
        Ok(())
    }
}

/// The next record of a run.
fn next<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (record, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = after;
    Some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_in_order_from_memory_and_from_any_number_of_runs() {
        let folder = tempfile::tempdir().unwrap();
        let records: Vec<String> =
            (0..5000u32).map(|n| format!("{}", n.wrapping_mul(2_654_435_761))).collect();
        let mut expected: Vec<&[u8]> = records.iter().map(String::as_bytes).chain([&b""[..]; 3]).collect();
        expected.sort_unstable();
        for budget in [usize::MAX, 1 << 20, 1 << 15, 512] {
            let mut sorter = Sorter::new(&Spill::to(folder.path().to_owned(), budget));
            records
                .iter()
                .for_each(|record| sorter.push(&[&record.as_bytes()[..1], &record.as_bytes()[1..]]));
            (0..3).for_each(|_| sorter.push(&[]));
            let mut found: Vec<Vec<u8>> = Vec::new();
            sorter.finish(|record| found.push(record.to_vec())).unwrap();
            assert!(found == expected, "{budget}");
        }
    }
}
