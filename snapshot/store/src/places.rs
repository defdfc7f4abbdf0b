//! Where bodies are: packs, places of bodies in their objects, and the writer of `objects.bin`, see `objects`.

use bytemuck::{Pod, Zeroable};

use super::body::{Body, Digest, slice};
use super::codec::{Object, ObjectId};
use super::layout::PACKS;
use super::sections::{SectionWriter, Sections};

/// A pack of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Pack {
    pub(super) sha256: Digest,
    pub(super) length: u64,
}

impl Pack {
    /// Its file below the generation.
    pub(super) fn path(&self) -> String {
        format!("{PACKS}/{}.pack", self.sha256)
    }

    pub(super) fn body(&self) -> Body {
        Body { len: self.length, sha256: self.sha256 }
    }
}

/// Where a body is: in one object from a byte on, or, with [`Self::LONG`], in several objects: how many of `parts` from a
/// position on. None of them: it is a file in no pack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Place {
    pub(super) object: u32,
    pub(super) start: u32,
}

impl Place {
    const LONG: u32 = 1 << 31;
    const LOOSE: Self = Self { object: Self::LONG, start: 0 };

    pub(super) fn is_long(self) -> bool {
        self.object >= Self::LONG
    }

    pub(super) fn parts(self, parts: &[u32]) -> Option<&[u32]> {
        slice(parts, (self.object & !Self::LONG).into(), self.start as usize)
    }
}

/// Where a body is, by the ids of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// In an object, from a byte on.
    Within(ObjectId, u32),
    /// It is these objects, one after the other.
    Parts(Vec<ObjectId>),
}

impl Placement {
    pub(super) fn objects(&self) -> &[ObjectId] {
        match self {
            Self::Within(object, _) => std::slice::from_ref(object),
            Self::Parts(objects) => objects,
        }
    }
}

/// The sections to be written.
pub(super) struct NewObjects {
    pub(super) table: Digest,
    pub(super) packs: Vec<Pack>,
    pub(super) objects: Vec<Object>,
    bodies: Vec<Place>,
    parts: Vec<u32>,
    own: Place,
}

impl NewObjects {
    /// The file of a table with this hash, of these packs and objects, which are sorted. `bodies` are those of each row,
    /// `None` for a file in no pack, and `own` is the table.
    pub(super) fn new(
        table: Digest,
        packs: Vec<Pack>,
        objects: Vec<Object>,
        bodies: impl Iterator<Item = Option<Placement>>,
        own: Option<Placement>,
    ) -> Self {
        let mut new =
            Self { table, packs, objects, bodies: Vec::new(), parts: Vec::new(), own: Place::default() };
        new.bodies = bodies.map(|body| new.place(body)).collect();
        new.own = new.place(own);
        new
    }

    fn number(&self, id: &ObjectId) -> u32 {
        self.objects.partition_point(|object| object.id < *id) as u32
    }

    fn place(&mut self, body: Option<Placement>) -> Place {
        match body {
            None => Place::LOOSE,
            Some(Placement::Within(object, start)) => Place { object: self.number(&object), start },
            Some(Placement::Parts(objects)) => {
                let object = Place::LONG | self.parts.len() as u32;
                let parts: Vec<u32> = objects.iter().map(|object| self.number(object)).collect();
                self.parts.extend(parts);
                Place { object, start: objects.len() as u32 }
            }
        }
    }

    /// The file.
    pub(super) fn finish(self) -> Sections {
        let mut writer = SectionWriter::default();
        writer.put("table", [self.table]);
        writer.put("packs", self.packs);
        writer.put("objects", self.objects);
        writer.put("bodies", self.bodies);
        writer.put("parts", self.parts);
        writer.put("own", [self.own]);
        writer.finish()
    }
}
