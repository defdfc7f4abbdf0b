//! Pages of the live generation that are used again, with the holes of now.

use std::cell::OnceCell;

use super::super::body::{Body, Digest};
use super::super::build_info::{EncodeFn, NewFile};
use super::super::changes::RecordVersion;
use super::super::generation::Generation;
use super::super::reuse::{LivePage, RenewFn, RenewedPage, ReusableRecord};
use super::super::table::{FileEntry, StagedFile, Stored};
use super::super::vfs::lock;
use super::{Stage, Writer};

/// The pages of a record in the live generation.
struct LiveRecord<'a> {
    live: &'a Generation,
    entries: Vec<FileEntry<'a>>,
    bodies: OnceCell<Option<Vec<Vec<u8>>>>,
}

impl LiveRecord<'_> {
    /// The body of a page, if all of them can be read.
    fn body(&self, at: usize) -> Option<&[u8]> {
        let bodies = self.bodies.get_or_init(|| self.live.read_record(&self.entries).ok());
        bodies.as_ref()?.get(at).map(Vec::as_slice)
    }

    fn renewed(&self, renew: RenewFn<'_>) -> Option<Vec<RenewedPage>> {
        let renewed = self.entries.iter().enumerate().map(|(at, entry)| {
            let as_of = self.live.manifest().as_of;
            renew(&LivePage { path: entry.path(), holes: entry.holes(), as_of, body: &|| self.body(at) })
        });
        renewed.collect()
    }
}

impl Stage {
    /// The live generation, if the pages of a record have this fingerprint there.
    pub fn live_with(&self, record: &ReusableRecord<'_>) -> Option<&Generation> {
        let live = self.staging.live()?;
        let known = self.known.get_or_init(|| live.changes().known(live.files()));
        known.get(&record.page()).is_some_and(|(_, from)| *from == record.from).then_some(live)
    }

    /// The live generation, if it was made with these tools.
    pub fn live_made_with(&self, tools: Digest) -> Option<&Generation> {
        self.staging.live().filter(|live| live.made_from().is_some_and(|from| from.tools == tools))
    }

    /// Takes a page without holes from the live generation, if it is there and undamaged; gives its size and hash. Else it
    /// has to be put.
    pub fn keep_page(&self, path: &str, encodings: bool) -> Option<Body> {
        let live = self.staging.live()?;
        let entry = live.files().find(path.as_bytes()).filter(|entry| entry.holes().is_empty())?;
        let stored = match &self.writer {
            Writer::Tree(tree) => tree.keep(live, std::iter::once(entry), encodings)?.pop()?,
            Writer::Packs(packs) => packs.keep(entry)?,
        };
        self.add(path, entry.identity(), &[], entry.checksum(), stored);
        Some(entry.identity())
    }

    /// Takes the pages of a record from the live generation if they have the same fingerprint there and are undamaged,
    /// each renewed; otherwise they have to be put. To be called once for each record.
    pub fn keep(
        &self,
        record: &ReusableRecord<'_>,
        renew: RenewFn<'_>,
        encoding: (bool, EncodeFn<'_>),
    ) -> bool {
        let kept = self.keep_pages(record, renew, encoding);
        let page = record.page();
        let mut records = lock(&self.records);
        records.set_fingerprint(&page, record.from);
        let Some((version, pages)) = kept else { return false };
        records.keep(&page, version);
        drop(records);
        lock(&self.files).extend(pages);
        true
    }

    fn keep_pages(
        &self,
        record: &ReusableRecord<'_>,
        renew: RenewFn<'_>,
        encoding: (bool, EncodeFn<'_>),
    ) -> Option<(RecordVersion, Vec<StagedFile>)> {
        let live = self.staging.live()?;
        let known = self.known.get_or_init(|| live.changes().known(live.files()));
        let (version, _) = known.get(&record.page()).filter(|(_, from)| *from == record.from)?;
        let starts = record.starts();
        let entries = starts.iter().flat_map(|start| live.files().starting_with(start)).collect();
        let record = LiveRecord { live, entries, bodies: OnceCell::new() };
        let renewed = record.renewed(renew)?;
        let stored = self.store_renewed(&record, &renewed, encoding)?;
        let pages = record.entries.iter().zip(renewed).zip(stored);
        let pages = pages.map(|((entry, page), (identity, stored))| StagedFile {
            path: entry.path().to_owned(),
            identity,
            holes: page.holes,
            checksum: entry.checksum(),
            stored,
        });
        Some((*version, pages.collect()))
    }

    /// Stores the pages of a record. Those with the body of the live generation are only referred to, unless packs store
    /// them with another that has changed.
    fn store_renewed(
        &self,
        record: &LiveRecord<'_>,
        renewed: &[RenewedPage],
        (encodings, encode): (bool, EncodeFn<'_>),
    ) -> Option<Vec<(Body, Stored)>> {
        let is_same = renewed.iter().all(|page| page.body.is_none());
        let identity = |(entry, page): (&FileEntry<'_>, &RenewedPage)| {
            page.body.as_deref().map_or_else(|| entry.identity(), Body::of)
        };
        let identities: Vec<Body> = record.entries.iter().zip(renewed).map(identity).collect();
        let new = |at: usize| -> Option<(NewFile<'_>, Body)> {
            let (page, path) = (&renewed[at], record.entries[at].path());
            let body = page.body.as_deref().or_else(|| record.body(at))?;
            Some((NewFile { path, body, holes: &page.holes, encodings }, identities[at]))
        };
        let stored: Vec<Stored> = match &self.writer {
            Writer::Packs(packs) if is_same => {
                record.entries.iter().map(|entry| packs.keep(*entry)).collect::<Option<_>>()?
            }
            Writer::Packs(packs) => {
                let pages: Vec<_> = (0..renewed.len()).map(new).collect::<Option<_>>()?;
                packs.put(&self.staging, &pages).ok()?
            }
            Writer::Tree(tree) => {
                let same = record.entries.iter().zip(renewed).filter(|(_, page)| page.body.is_none());
                let same = same.map(|(entry, _)| *entry);
                let mut kept = tree.keep(record.live, same, encodings)?.into_iter();
                let store = |at: usize| match &renewed[at].body {
                    None => kept.next(),
                    Some(_) => {
                        let (page, identity) = new(at)?;
                        tree.put(&self.staging, page, identity, encode).ok()
                    }
                };
                (0..renewed.len()).map(store).collect::<Option<_>>()?
            }
        };
        Some(identities.into_iter().zip(stored).collect())
    }
}
