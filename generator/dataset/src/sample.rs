//! The embedded sample: a small real dataset, so that the program shows what it does without any.
//! Where its facts come from is told in `generator/dataset/sample/ATTRIBUTION.md`.

use snapshot::record::Directory;

use crate::read::Input;

macro_rules! file {
    ($path:literal) => {
        ($path, include_bytes!(concat!("../sample/", $path)).as_slice())
    };
}

/// Its records.
///
/// # Panics
///
/// If the embedded files are not good, which the tests rule out.
#[must_use]
pub fn directory() -> Directory {
    crate::directory(&Input::Embedded(FILES))
}

/// Its files: path below the dataset folder, and content.
pub const FILES: &[(&str, &[u8])] = &[
    file!("aliases.csv"),
    file!("awards.json"),
    file!("channels.csv"),
    file!("cycles.ndjson"),
    file!("dataset.json"),
    file!("facts/detailed.ndjson"),
    file!("facts/plain.csv"),
    file!("leaders.csv"),
    file!("lifecycle.csv"),
    file!("organizations.csv"),
    file!("posts.json"),
    file!("programs/es.ndjson"),
    file!("programs/fellowships-and-scholarships.ndjson"),
    file!("programs/grants-prizes-and-other.ndjson"),
    file!("recipients.csv"),
    file!("sources.csv"),
    file!("synonyms.ndjson"),
    file!("translations.ndjson"),
    file!("vocabulary.csv"),
];
