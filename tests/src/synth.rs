//! A seeded synthetic dataset in the input format: any size, flat memory, the same bytes for the same seed.

pub mod lists;
pub mod rng;

mod facts;
mod record;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use serde_json::{Value, json};

use lists::Lists;
use record::{Kind, Record, Rows, count};
use rng::Rng;

/// The day around which dates are spread.
pub const TODAY: Date = date(2026, 11, 21);

/// What to write.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of programs; the other tables grow with it.
    pub programs: usize,
    /// Chooses one of 2^64 datasets.
    pub seed: u64,
}

/// How many pairs of synonyms a dataset may have, and among how many of the most frequent words they are.
const SYNONYMS: usize = 100;
const SYNONYM_RANKS: usize = 5_000;

/// A day so many days after [`TODAY`].
pub fn day_after(days: i32) -> Date {
    TODAY.saturating_add(days.days())
}

/// Writes a dataset into `dir`, which is created if need be. Files of an older run are replaced.
///
/// # Errors
///
/// If a file cannot be written.
pub fn write(dir: &Path, options: &Options) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    fs::write(dir.join("dataset.json"), description("synthetic-directory").to_string())?;
    let lists = &Lists::new();
    let records = [Kind::Organization, Kind::Recipient, Kind::Program].into_iter().flat_map(|kind| {
        (0..count(options, kind)).flat_map(move |index| Record::rows(lists, *options, kind, index))
    });
    let vocabulary = lists.vocabulary.iter().map(|row| ("vocabulary", row.clone()));
    let mut files: BTreeMap<&str, BufWriter<File>> = BTreeMap::new();
    for (table, mut row) in vocabulary.chain(synonyms(lists, options.seed)).chain(records) {
        if !files.contains_key(table) {
            let file = File::create(dir.join(format!("{table}.ndjson")))?;
            files.insert(table, BufWriter::new(file));
        }
        row.as_object_mut().into_iter().for_each(|row| row.retain(|_, member| !member.is_null()));
        files.get_mut(table).map_or(Ok(()), |file| writeln!(file, "{row}"))?;
    }
    files.values_mut().try_for_each(BufWriter::flush)
}

/// What `dataset.json` says of a dataset.
pub(crate) fn description(name: &str) -> Value {
    json!({
        "schemaVersion": "1", "name": name, "title": name, "license": "CC BY 4.0",
        "publishedAt": "2026-11-20T06:00:00Z", "locales": ["en", "es"], "defaultLocale": "en"
    })
}

fn synonyms(lists: &Lists, seed: u64) -> Rows {
    let mut rng = Rng::new(&[seed, SYNONYMS as u64]);
    let row = |n: usize| {
        let [first, second] = [(); 2].map(|()| lists.content(&mut rng, SYNONYM_RANKS));
        let locale = if n.is_multiple_of(3) { "es" } else { "en" };
        let row = json!({"locale": locale, "terms": [first, second]});
        (first != second).then_some(("synonyms", row))
    };
    (0..SYNONYMS).filter_map(row).collect()
}
