//! The embedded sample: a small real dataset, for a preview without data of your own. Its sources are listed
//! in `generator/dataset/sample/ATTRIBUTION.md`.

macro_rules! file {
    ($path:literal) => {
        ($path, include_bytes!(concat!("../sample/", $path)).as_slice())
    };
}

/// The files of the sample: path below the dataset folder, and content.
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
