//! `opdir init`: the files of a new dataset, or the sample as files.

use std::io;
use std::path::Path;

use jiff::Timestamp;
use uuid::Uuid;

use crate::sample;

/// Writes the files into a folder that is empty or does not exist; returns their number.
///
/// # Errors
///
/// If the folder is not empty, or cannot be written. The error names it.
pub fn init(dir: &Path, with_sample: bool) -> io::Result<usize> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", dir.display()));
    std::fs::create_dir_all(dir).map_err(named)?;
    if std::fs::read_dir(dir).map_err(named)?.next().is_some() {
        return Err(io::Error::other(format!("{} is not empty", dir.display())));
    }
    let dataset = dataset_json(dir, Timestamp::now());
    let start: [(&str, &[u8]); 4] = [
        ("README.md", include_bytes!("../starter/README.md")),
        ("dataset.json", dataset.as_bytes()),
        ("organizations.csv", include_bytes!("../starter/organizations.csv")),
        ("programs.csv", include_bytes!("../starter/programs.csv")),
    ];
    let files = if with_sample { sample::FILES } else { &start };
    for (path, content) in files {
        let path = dir.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(named)?;
        }
        std::fs::write(path, content).map_err(named)?;
    }
    Ok(files.len())
}

/// The `dataset.json` of a new dataset, with an id namespace of its own.
pub fn dataset_json(dir: &Path, now: Timestamp) -> String {
    let folder = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let seed = format!("{} {}", folder.display(), now.as_nanosecond());
    let namespace = Uuid::new_v5(&Uuid::NAMESPACE_OID, seed.as_bytes());
    let second = Timestamp::from_second(now.as_second()).unwrap_or(now);
    format!(
        "{{\n  \"schemaVersion\": \"1\",\n  \"name\": \"my-directory\",\n  \"title\": \"My directory\",\n  \
         \"license\": \"CC BY 4.0\",\n  \"publishedAt\": \"{second}\",\n  \"idNamespace\": \"{namespace}\"\n}}\n"
    )
}
