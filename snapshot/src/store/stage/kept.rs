//! Staging the pages of records that are made from the same as before: they are taken as they are, unread.

use super::super::body::{Body, CODINGS, Coding};
use super::super::build_info::ReusableRecord;
use super::super::changes::RecordVersion;
use super::super::siblings::Beside;
use super::super::table::{FileEntry, Staged};
use super::{Stage, lock};

impl Stage {
    /// Takes the pages of a record from the live generation, if they were made from the same there and are sound.
    /// Otherwise they are to be put. To be asked once for each record; what is never asked for is made each time.
    pub fn keep(&self, record: &ReusableRecord<'_>, encodings: bool) -> bool {
        let version = self.version_made_from(record);
        let pages = version.and_then(|version| Some((version, self.pages_of(record, encodings)?)));
        let mut records = lock(&self.records);
        records.made(record.page, record.from);
        let Some((version, pages)) = pages else { return false };
        records.keep(record.page, version);
        drop(records);
        let (pages, links): (Vec<Staged>, Vec<Links>) = pages.into_iter().unzip();
        lock(&self.linked).extend(links.into_iter().flatten());
        lock(&self.pages).extend(pages);
        true
    }

    /// The version that the live generation has of a record, if it was made from the same.
    fn version_made_from(&self, record: &ReusableRecord<'_>) -> Option<RecordVersion> {
        let live = self.parent.as_ref().ok()?;
        let made = self.made.get_or_init(|| live.changes().made(live.files()));
        made.get(record.page).filter(|(_, key)| *key == record.from).map(|(version, _)| *version)
    }

    /// All pages of a record and the files that they are of a tree, unless one of them has to be put.
    fn pages_of(&self, record: &ReusableRecord<'_>, encodings: bool) -> Option<Vec<(Staged, Links)>> {
        let files = self.parent.as_ref().ok()?.files();
        let entries = record.starts.iter().flat_map(|start| files.starting_with(start));
        entries.map(|entry| self.page_as_it_was(entry, encodings)).collect()
    }

    fn page_as_it_was(&self, entry: FileEntry<'_>, encodings: bool) -> Option<(Staged, Links)> {
        let (beside, parts, links) = match &self.packer {
            Some(packer) => (Beside::default(), Some(packer.take_row(entry.number())?), Vec::new()),
            None => {
                let (beside, links) = self.files_of(entry, encodings)?;
                (beside, None, links)
            }
        };
        let staged = Staged {
            path: entry.path().to_owned(),
            identity: entry.identity(),
            holes: entry.holes().to_vec(),
            checksum: entry.checksum(),
            beside,
            parts,
        };
        Some((staged, links))
    }

    /// What a page is as files of a tree, if all of them are what they were and coded as they are to be.
    fn files_of(&self, entry: FileEntry<'_>, encodings: bool) -> Option<(Beside, Links)> {
        if entry.encoded() != encodings || encodings && !self.same_encoder() {
            return None;
        }
        let mut beside = Beside { encoded: encodings, ..Beside::default() };
        for (coding, slot) in CODINGS.into_iter().skip(1).zip(&mut beside.bodies) {
            *slot = entry.body(coding);
        }
        let stored = CODINGS.into_iter().filter(|coding| entry.body(*coding).is_some());
        let link = |coding: Coding| self.stored(entry, coding).filter(|file| self.is_sound(file));
        Some((beside, stored.map(link).collect::<Option<_>>()?))
    }
}

/// Files of the live generation, below it.
type Links = Vec<(String, Body)>;
