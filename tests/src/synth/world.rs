//! What all records are drawn from: vocabularies, sizes, ids and dates.

use jiff::ToSpan as _;
use jiff::civil::{Date, date};

use super::Options;
use super::facets::Facets;
use super::places::Places;
use super::rng::{Rng, mix};
use super::words::Words;

/// The day around which dates are spread. Offsets in days count from here.
pub const TODAY: Date = date(2026, 11, 21);

/// Half the width of the span in which deadlines fall: 18 months, in days.
pub const DEADLINE_SPREAD_DAYS: i32 = 548;

/// What an id belongs to; ids of different kinds never meet.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Organization,
    OrganizationSource,
    Leader,
    Channel,
    Post,
    Program,
    ProgramSource,
    Cycle,
    CycleSource,
    Fact,
    Transition,
    Award,
    Recipient,
}

/// The common ground of one dataset. Every record is a function of it, the record's kind and its number,
/// so that nothing written needs to be remembered.
pub(super) struct World {
    /// What was asked for.
    pub(super) options: Options,
    /// The words of names and texts.
    pub(super) words: Words,
    /// The facet values other than places.
    pub(super) facets: Facets,
    /// The places.
    pub(super) places: Places,
}

impl World {
    pub(super) fn new(options: Options) -> Self {
        Self { options, words: Words::new(), facets: Facets::new(), places: Places::new() }
    }

    pub(super) fn organizations(&self) -> usize {
        (self.options.programs / 20).max(1)
    }

    pub(super) fn recipients(&self) -> usize {
        (self.options.programs * 2 / 5).max(1)
    }

    /// The random numbers of one record.
    pub(super) fn rng(&self, kind: Kind, index: usize) -> Rng {
        Rng::new(&[self.options.seed, kind as u64, index as u64])
    }

    /// The id (UUID version 4) of the `n`-th record of this kind under the `parent`-th parent.
    pub(super) fn uuid(&self, kind: Kind, parent: usize, n: usize) -> String {
        let high = mix(&[self.options.seed, kind as u64, parent as u64, n as u64]);
        let low = mix(&[high, n as u64, parent as u64]);
        let variant = 0x8000 | (low >> 48 & 0x3FFF);
        format!(
            "{:08x}-{:04x}-4{:03x}-{variant:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xFFFF,
            high & 0xFFF,
            low & 0xFFFF_FFFF_FFFF
        )
    }
}

/// The calendar date `offset` days after [`TODAY`].
pub(super) fn day(offset: i32) -> String {
    day_of(offset).to_string()
}

/// The year of the date `offset` days after [`TODAY`].
pub(super) fn year(offset: i32) -> i16 {
    day_of(offset).year()
}

fn day_of(offset: i32) -> Date {
    TODAY.saturating_add(offset.days())
}

/// Some time on the day `offset` days after [`TODAY`].
pub(super) fn instant(rng: &mut Rng, offset: i32) -> String {
    let second = rng.below(86_400);
    format!("{}T{:02}:{:02}:{:02}Z", day_of(offset), second / 3_600, second / 60 % 60, second % 60)
}

/// A record's life: created up to ten years ago, changed since; offsets in days from [`TODAY`].
pub(super) struct Age {
    /// `createdAt`.
    pub(super) created: String,
    /// `updatedAt`.
    pub(super) updated: String,
    /// `updatedAt` as an offset.
    pub(super) updated_offset: i32,
}

impl Age {
    pub(super) fn draw(rng: &mut Rng) -> Self {
        let created_offset = -2 - rng.below(3_600) as i32;
        let updated_offset = created_offset + rng.below((-1 - created_offset) as usize) as i32;
        let created = format!("{}T00:00:00Z", day_of(created_offset));
        Self { created, updated: instant(rng, updated_offset), updated_offset }
    }
}

/// A sum of money, from hundreds to millions.
pub(super) fn money(rng: &mut Rng) -> u64 {
    let digits = rng.pick(&[10, 15, 20, 25, 30, 40, 50, 60, 75, 90]);
    digits * [10, 100, 1_000, 10_000, 100_000][rng.weighted(&[10, 30, 35, 20, 5])]
}
