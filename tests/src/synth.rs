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

use output::Output;
use rng::Rng;
use serde_json::{Value, json};
use world::World;

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
///
/// # Errors
///
/// If a file cannot be written.
pub fn write(dir: &Path, options: &Options) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    fs::write(dir.join("dataset.json"), description().to_string())?;
    let world = World::new(*options);
    let mut output = Output::new(dir);
    write_vocabulary(&world, &mut output)?;
    write_synonyms(&world, &mut output)?;
    (0..world.organizations()).try_for_each(|n| directory::write_organization(&world, &mut output, n))?;
    (0..world.recipients()).try_for_each(|n| directory::write_recipient(&world, &mut output, n))?;
    (0..options.programs).try_for_each(|n| program::write(&world, &mut output, n))?;
    output.finish()
}

fn description() -> Value {
    json!({
        "schemaVersion": "1", "name": "synthetic-directory", "title": "Synthetic directory",
        "license": "CC BY 4.0", "publishedAt": "2026-11-20T06:00:00Z", "locales": ["en", "es"],
        "defaultLocale": "en"
    })
}

fn write_vocabulary(world: &World, output: &mut Output) -> io::Result<()> {
    for facet in world.facets.all() {
        for value in &facet.values {
            let row = json!({
                "facet": facet.name, "value": value.value, "labelEn": value.label_en, "labelEs": value.label_es,
                "broader": value.broader
            });
            output.write("vocabulary", row)?;
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
            output.write("synonyms", json!({"locale": locale, "terms": [first, second]}))?;
        }
    }
    Ok(())
}
