//! `opdir init`: the files of a new dataset, or the sample as files.

use std::io;
use std::path::Path;

use jiff::Timestamp;
use uuid::Uuid;

use crate::sample;

const ORGANIZATIONS: &str = "\
slug,name,countryCode,websiteUrl,description,aliases,x_notes,publication
acme-foundation,Acme Foundation,,https://acme.example/,,,An example: replace it with your first organization,draft
";

const PROGRAMS: &str = "\
slug,name,organization,programType,lifecycle,officialUrl,eligibleCountries,publication
ocean-fellows,Ocean Fellows,acme-foundation,fellowship,active_accepting,https://acme.example/ocean,ES|MX,draft
";

const README: &str = "\
# A directory of opportunities

Three files make a directory: `dataset.json` describes it, `organizations.csv` lists the funders, `programs.csv` the
opportunities. Replace the two example rows, and remove `draft` from their last cell.

    opdir preview --data .     # shows the directory, and updates it after every change
    opdir check --data .       # lists every problem; --fix corrects the unambiguous ones
    opdir stamp --data .       # before a publication: records when each row changed

A program names its organization by slug or name. List items are separated by `|`. Countries are codes (`ES`) or exact
names (`Spain`). Columns whose name begins with `x_` are private and never published. Ids and dates of change are
generated. Add more tables (`cycles.csv` for deadlines, `facts.csv`, `recipients.csv`, `awards.csv` …) when you have
data for them.

`opdir import . --draft --from FILE` converts a spreadsheet that you already have.
";

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
        ("README.md", README.as_bytes()),
        ("dataset.json", dataset.as_bytes()),
        ("organizations.csv", ORGANIZATIONS.as_bytes()),
        ("programs.csv", PROGRAMS.as_bytes()),
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
#[must_use]
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
