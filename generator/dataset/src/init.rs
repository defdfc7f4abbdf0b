//! `opdir init`: the three small files that a dataset begins with, or the sample as files.

use std::path::Path;

use jiff::Timestamp;
use uuid::Uuid;

use crate::failure::{Failure, fail};
use crate::sample;

const ORGANIZATIONS: &str = "\
slug,name,countryCode,websiteUrl,description,aliases,x_notes,publication
acme-foundation,Acme Foundation,,https://acme.example/,,,An example: write your first organization over it,draft
";

const PROGRAMS: &str = "\
slug,name,organization,programType,lifecycle,officialUrl,eligibleCountries,publication
ocean-fellows,Ocean Fellows,acme-foundation,fellowship,active_accepting,https://acme.example/ocean,ES|MX,draft
";

const README: &str = "\
# A directory of opportunities

Three files are a directory: `dataset.json` says what it is called, `organizations.csv` who gives, `programs.csv`
what can be applied for. Write over the two example rows, and take `draft` out of their last cell.

    opdir preview --data .     # shows it, and again after every change
    opdir check --data .       # every problem at once; --fix mends what has one reading
    opdir stamp --data .       # before a publication: remembers when each row changed

A program names its organization by slug or name. Lists are joined by `|`. Countries are codes (`ES`) or exact names
(`Spain`). Columns whose name begins with `x_` are yours and are never published. Ids and dates of change are made
for you. More tables (`cycles.csv` for deadlines, `facts.csv`, `recipients.csv`, `awards.csv` …) can be added when
there is something to put into them.

A spreadsheet you already have becomes these files by `opdir import . --draft --from FILE`.
";

/// Writes the files into a folder that is empty or not there, and says how many.
///
/// # Errors
///
/// If the folder holds something, or cannot be written.
pub fn init(dir: &Path, with_sample: bool) -> Result<usize, Failure> {
    let unwritable =
        |error: std::io::Error| fail(Failure::Output, format_args!("{}: {error}", dir.display()));
    std::fs::create_dir_all(dir).map_err(unwritable)?;
    if std::fs::read_dir(dir).map_err(unwritable)?.next().is_some() {
        return Err(fail(Failure::Output, format_args!("{} is not empty", dir.display())));
    }
    let now = Timestamp::now();
    let dataset = dataset(dir, now);
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
            std::fs::create_dir_all(folder).map_err(unwritable)?;
        }
        std::fs::write(path, content).map_err(unwritable)?;
    }
    Ok(files.len())
}

/// The description of a new dataset, with a namespace of its own for ids.
pub fn dataset(dir: &Path, now: Timestamp) -> String {
    let folder = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let seed = format!("{} {}", folder.display(), now.as_nanosecond());
    let namespace = Uuid::new_v5(&Uuid::NAMESPACE_OID, seed.as_bytes());
    let second = Timestamp::from_second(now.as_second()).unwrap_or(now);
    format!(
        "{{\n  \"schemaVersion\": \"1\",\n  \"name\": \"my-directory\",\n  \"title\": \"My directory\",\n  \
         \"license\": \"CC BY 4.0\",\n  \"publishedAt\": \"{second}\",\n  \"idNamespace\": \"{namespace}\"\n}}\n"
    )
}
