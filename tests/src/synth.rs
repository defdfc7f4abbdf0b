//! A seeded synthetic dataset in the input format: any size, flat memory, the same bytes for the same seed.

pub mod facets;
pub mod places;
pub mod rng;
pub mod words;

mod directory;
mod facts;
mod output;
mod program;
mod world;

use std::fs;
use std::io;
use std::path::Path;

use output::{Object, Output};
use rng::Rng;
use world::World;

pub use output::{Count, Counts, Entity};
pub use world::{DEADLINE_SPREAD_DAYS, TODAY};

/// What to write.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of programs; the other tables grow with it.
    pub programs: usize,
    /// Chooses one of 2^64 datasets.
    pub seed: u64,
}

/// How many pairs of synonyms a dataset has.
const SYNONYMS: usize = 100;

/// Synonyms are among the most frequent words: this many.
const SYNONYM_RANKS: usize = 5_000;

/// Writes a dataset into `dir`, which is created if need be. Files of an older run are replaced.
/// Fails only if a file cannot be written.
///
/// # Errors
///
/// If a file cannot be written.
pub fn write(dir: &Path, options: &Options) -> io::Result<Counts> {
    fs::create_dir_all(dir)?;
    fs::write(dir.join("dataset.json"), description())?;
    let world = World::new(*options);
    let mut output = Output::create(dir)?;
    write_vocabulary(&world, &mut output)?;
    write_synonyms(&world, &mut output)?;
    (0..world.organizations()).try_for_each(|n| directory::write_organization(&world, &mut output, n))?;
    (0..world.recipients()).try_for_each(|n| directory::write_recipient(&world, &mut output, n))?;
    (0..options.programs).try_for_each(|n| program::write(&world, &mut output, n))?;
    output.finish()
}

fn description() -> String {
    Object::new()
        .text("schemaVersion", "1")
        .text("name", "synthetic-directory")
        .text("title", "Synthetic directory")
        .text("license", "CC BY 4.0")
        .text("publishedAt", "2026-11-20T06:00:00Z")
        .texts("locales", ["en", "es"])
        .text("defaultLocale", "en")
        .close()
}

fn write_vocabulary(world: &World, output: &mut Output) -> io::Result<()> {
    for facet in world.facets.all() {
        for value in &facet.values {
            let object = Object::new()
                .text("facet", facet.name)
                .text("value", &value.value)
                .text("labelEn", &value.label_en)
                .text("labelEs", &value.label_es)
                .maybe("broader", value.broader.as_ref());
            output.write(Entity::Vocabulary, object)?;
        }
    }
    Ok(())
}

fn write_synonyms(world: &World, output: &mut Output) -> io::Result<()> {
    let mut rng = Rng::new(&[world.options.seed, SYNONYMS as u64]);
    for n in 0..SYNONYMS {
        let first = world.words.draw_content(&mut rng, SYNONYM_RANKS);
        let second = world.words.draw_content(&mut rng, SYNONYM_RANKS);
        if first != second {
            let locale = if n % 3 == 0 { "es" } else { "en" };
            let object = Object::new().text("locale", locale).texts("terms", [first, second]);
            output.write(Entity::Synonyms, object)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    fn dataset(seed: u64) -> (tempfile::TempDir, Counts) {
        let dir = tempfile::tempdir().unwrap();
        let counts = write(dir.path(), &Options { programs: 300, seed }).unwrap();
        (dir, counts)
    }

    fn bytes(dir: &Path, entity: Entity) -> Vec<u8> {
        fs::read(dir.join(format!("{}.ndjson", entity.name()))).unwrap()
    }

    fn rows(dir: &Path, entity: Entity) -> Vec<Value> {
        let text = String::from_utf8(bytes(dir, entity)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
        let (first, second, other) = (dataset(7), dataset(7), dataset(8));
        assert_eq!(first.1, second.1);
        for entity in Entity::ALL {
            assert!(bytes(first.0.path(), entity) == bytes(second.0.path(), entity), "{entity:?}");
        }
        for entity in [Entity::Programs, Entity::Facts, Entity::Organizations, Entity::Recipients] {
            assert!(bytes(first.0.path(), entity) != bytes(other.0.path(), entity), "{entity:?}");
        }
    }

    #[test]
    fn counts_are_those_of_the_files() {
        let (dir, counts) = dataset(1);
        assert_eq!(counts.of(Entity::Programs).rows, 300);
        for entity in Entity::ALL {
            assert_eq!(counts.of(entity).rows, rows(dir.path(), entity).len() as u64, "{entity:?}");
            assert_eq!(counts.of(entity).bytes, bytes(dir.path(), entity).len() as u64, "{entity:?}");
        }
    }

    #[test]
    fn every_reference_names_a_record_of_its_entity() {
        let (dir, _) = dataset(1);
        let ids = |entity| -> BTreeSet<String> {
            rows(dir.path(), entity).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
        };
        let known = [
            ("organizationId", ids(Entity::Organizations)),
            ("programId", ids(Entity::Programs)),
            ("cycleId", ids(Entity::Cycles)),
            ("recipientId", ids(Entity::Recipients)),
            ("sourceId", ids(Entity::Sources)),
            ("entityId", {
                let owners = [
                    Entity::Organizations,
                    Entity::Programs,
                    Entity::Cycles,
                    Entity::Awards,
                    Entity::Recipients,
                ];
                owners.into_iter().flat_map(ids).collect()
            }),
        ];
        for entity in Entity::ALL {
            for row in rows(dir.path(), entity) {
                for (member, ids) in &known {
                    assert!(row[*member].as_str().is_none_or(|id| ids.contains(id)), "{entity:?} {row}");
                }
            }
        }
    }
}
