//! A generation of which some packs lie in a store: which those are, and how their objects come from there.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::super::codec::Object;
use super::super::digest::Digest;
use super::super::lazy::{Failed, LazyBodies, PackRange, ReadMode};
use super::super::sections::{SectionError, SectionWriter, Sections};
use super::super::vfs::damaged;
use super::super::{BodyUnavailable, FileProblem, PACKS, StoreError};
use super::{Extent, Objects, Pack, Written};

const HERE: &str = "here";

/// How many packs are here, where not all are.
pub(super) fn here(file: &Sections) -> Result<Option<usize>, SectionError> {
    match file.get::<u32>(HERE) {
        Err(SectionError::Missing(_)) => Ok(None),
        found => match found?[..] {
            [count] => Ok(Some(count as usize)),
            _ => Err(SectionError::Content(HERE, "not one number")),
        },
    }
}

impl Written {
    /// The bytes of the file of a generation of which what is not here lies `there`.
    pub(in super::super) fn finish_with(self, there: &Objects) -> Sections {
        let here = self.packs.len() as u32;
        let known: FxHashMap<Digest, Object> =
            self.objects.iter().map(|object| (object.sha256, *object)).collect();
        let left = there.objects.iter().filter(|object| !known.contains_key(&object.sha256));
        let left = left.map(|object| Object { pack: object.pack + here, ..*object });
        let mut objects: Vec<Object> = self.objects.iter().copied().chain(left).collect();
        objects.sort_unstable_by_key(|object| object.sha256);
        let numbers: FxHashMap<Digest, u32> =
            (0..).zip(&objects).map(|(number, object)| (object.sha256, number)).collect();
        // Objects of there are all in the list; a body has the same ones, wherever they lie.
        let number = |extent: &u32| {
            let object = there.objects.get(*extent as usize);
            object.and_then(|object| numbers.get(&object.sha256)).copied().unwrap_or_default()
        };
        let written = Self {
            table: self.table,
            packs: self.packs.iter().chain(&*there.packs).copied().collect(),
            objects,
            bodies: there.bodies.to_vec(),
            extents: there.extents.iter().map(number).collect(),
            own: there.own.first().copied().unwrap_or_default(),
        };
        let mut writer: SectionWriter = written.writer();
        writer.put(HERE, [here]);
        writer.finish()
    }
}

impl Objects {
    /// Whether some of its packs are elsewhere.
    pub(in super::super) fn is_lazy(&self) -> bool {
        self.here.is_some()
    }

    /// Packs that are here.
    pub(in super::super) fn packs_here(&self) -> &[Pack] {
        self.packs.get(..self.here.unwrap_or(self.packs.len())).unwrap_or_default()
    }

    pub(super) fn is_away(&self, object: &Object) -> bool {
        self.here.is_some_and(|here| object.pack as usize >= here)
    }

    /// Tells whom to ask for what is elsewhere; who was told first is asked.
    pub(in super::super) fn attach(&self, away: &Arc<LazyBodies>) {
        let _ = self.away.set(Arc::clone(away));
    }

    /// The same with nothing but what is here, and no bodies: what a build or a pull can take.
    pub(in super::super) fn only_here(self: &Arc<Self>) -> Option<Arc<Self>> {
        if !self.is_lazy() {
            return Some(Arc::clone(self));
        }
        let here = self.objects.iter().filter(|object| !self.is_away(object));
        let written = Written {
            table: *self.table.first()?,
            packs: self.packs_here().to_vec(),
            objects: here.copied().collect(),
            bodies: Vec::new(),
            extents: Vec::new(),
            own: Extent::default(),
        };
        let mut objects = Self::elsewhere(&self.vfs, &self.dir, &written.finish()).ok()?;
        objects.dictionaries = objects.read_dictionaries().ok()?;
        Some(Arc::new(objects))
    }

    /// Whether a row can be read without asking anybody.
    pub(in super::super) fn is_local(&self, row: u32) -> bool {
        let Some(extent) = self.bodies.get(row as usize).filter(|_| self.is_lazy()) else { return true };
        let kept = |object: &Object| self.away.get().is_some_and(|away| away.cache().has(&object.sha256));
        self.of(*extent).all(|object| !self.is_away(object) || kept(object))
    }

    /// A body of which something is elsewhere.
    pub(super) fn gathered(&self, extent: Extent, reach: ReadMode) -> Result<Vec<u8>, StoreError> {
        let away = self.away.get().ok_or_else(|| self.absent(BodyUnavailable::IndexOnly))?;
        let objects: Vec<Object> = self.of(extent).copied().collect();
        let near = |object: &Object| match self.is_away(object) {
            true => Ok(self.kept(away, object)),
            false => self.object(object).map(Some),
        };
        let mut parts = objects.iter().map(near).collect::<Result<Vec<_>, _>>()?;
        let missing = || objects.iter().zip(&parts).filter(|(_, part)| part.is_none());
        let wanted: Vec<(Object, PackRange)> =
            missing().filter_map(|(object, _)| Some((*object, self.piece(object)?))).collect();
        if !wanted.is_empty() {
            if reach == ReadMode::LocalOnly {
                return Err(self.absent(BodyUnavailable::NotLocal));
            }
            let mut came = self.fetched(away, &wanted)?.into_iter();
            parts.iter_mut().filter(|part| part.is_none()).for_each(|part| *part = came.next());
        }
        Ok(parts.into_iter().flatten().flatten().collect())
    }

    /// An object that is kept, decoded. One that is not what it should be is forgotten.
    fn kept(&self, away: &LazyBodies, object: &Object) -> Option<Vec<u8>> {
        let (row, stored) = away.cache().get(&object.sha256)?;
        let read = self.sound(&row, stored);
        if read.is_none() {
            away.cache().forget(&object.sha256);
        }
        read
    }

    /// The bytes of an object, if they are those of its hash.
    fn sound(&self, object: &Object, stored: Vec<u8>) -> Option<Vec<u8>> {
        let bytes = self.decoded(object, stored).ok()?;
        (Digest::of(&bytes) == object.sha256).then_some(bytes)
    }

    fn piece(&self, object: &Object) -> Option<PackRange> {
        let pack = self.packs.get(object.pack as usize)?.sha256;
        Some(PackRange::new(pack, object.offset, object.stored))
    }

    /// Objects from elsewhere, decoded and compared, and kept from now on.
    fn fetched(&self, away: &LazyBodies, wanted: &[(Object, PackRange)]) -> Result<Vec<Vec<u8>>, StoreError> {
        let came = away.ask(wanted, |came| {
            let pairs = wanted.iter().zip(&came);
            let read = pairs.map(|((object, _), stored)| self.sound(object, stored.clone()));
            let read = read.collect::<Option<Vec<_>>>().filter(|read| read.len() == wanted.len())?;
            let pairs = wanted.iter().zip(&came);
            pairs.for_each(|((object, _), stored)| away.cache().put(object, stored));
            Some(read)
        });
        match &*came {
            Ok(read) => Ok(read.clone()),
            Err(Failed::Store(why)) => Err(self.absent(BodyUnavailable::FetchFailed(why.clone()))),
            Err(Failed::Other) => {
                let problem = "what the store has is not what was published".to_owned();
                Err(damaged(&*self.vfs, &format!("{}/{PACKS}", self.dir), FileProblem::Format(problem)))
            }
        }
    }

    pub(super) fn absent(&self, why: BodyUnavailable) -> StoreError {
        StoreError::BodyUnavailable { path: self.vfs.locate(&self.dir), why }
    }
}
