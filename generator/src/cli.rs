//! The command line: what was typed, nothing looked up.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use jiff::civil::Date;
use remote::is_address;

use crate::diff::DiffFormat;
use crate::log::LogFormat;
use crate::plan::{Guards, PlanFormat};
use dataset::diagnostics::{MessageFormat, PrintOptions};
use site::Effort;
use site::Storage;

/// Turns a published dataset into a finished, verifiable snapshot.
#[derive(Debug, Parser)]
#[command(name = "opdir", version, about, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 ok · 1 errors in the data · 2 usage · 3 input unreadable · \
                          4 output not writable · 5 verification failed · 6 held back · \
                          7 plan --exit-code: there are changes";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build a snapshot and publish it under a folder
    Build(Build),
    /// Read and judge a dataset, without building
    Check(Check),
    /// Make tables of a spreadsheet, an export or a pipe, as import.toml says
    Import(Import),
    /// Tell what a build would change of what is live, without building
    Plan(Plan),
    /// Build, serve, and build again whenever the data changes
    Preview(Preview),
    /// Compare every file of a snapshot with what was published
    Verify {
        /// Folder that holds CURRENT
        #[arg(value_parser = folder())]
        root: PathBuf,
        /// Look at sizes only, not at contents
        #[arg(long)]
        fast: bool,
    },
    /// Tell what changed between two snapshots
    Diff {
        /// Folder that holds CURRENT, or a folder in generations/
        #[arg(value_parser = folder())]
        old: PathBuf,
        /// The same of the newer one; when absent, OLD is compared with its parent
        #[arg(value_parser = folder())]
        new: Option<PathBuf>,
        /// How it is told
        #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
        format: DiffFormat,
    },
    /// List what was published when, and what it added (+), changed (~) and removed (-)
    Log {
        /// Folder that holds CURRENT
        #[arg(value_parser = folder())]
        root: PathBuf,
        /// How it is told
        #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
        format: LogFormat,
    },
    /// Ask edges what they serve; ends with 5 unless all serve the same and none complains
    Status {
        /// Addresses of their admin listeners, as http://10.0.0.1:9090
        #[arg(required = true, value_name = "URL")]
        edges: Vec<String>,
    },
    /// Make an older snapshot the live one
    Rollback {
        /// Folder that holds CURRENT
        #[arg(value_parser = folder())]
        root: PathBuf,
        /// Generation to go back to: its name, its number, or what its name begins with; the parent of the live one when absent
        generation: Option<String>,
    },
    /// Write a snapshot's pages as files, for a static host
    Export {
        /// Folder that holds CURRENT
        #[arg(value_parser = folder())]
        root: PathBuf,
        /// Folder to write into; made when it is not there, else empty
        #[arg(value_parser = folder())]
        dir: PathBuf,
        /// Write `a/index.html` in place of `a.html`, for hosts that look for pages there
        #[arg(long)]
        pretty: bool,
        /// How hard to compress what lies beside the files
        #[arg(long, value_enum, default_value_t, value_name = "EFFORT")]
        compress: Effort,
    },
    /// Push the live snapshot to a store, from where edges and other folders pull it
    Push(Push),
    /// Pull the live snapshot of a store into a folder
    Pull(Pull),
    /// Remove old snapshots that nobody reads any more
    Gc {
        /// Folder that holds CURRENT, or address of a store
        root: PathBuf,
        /// How many of the newest to keep
        #[arg(long, default_value_t = 5)]
        keep: usize,
        /// Keep what was live (in a store: pushed) within this many days
        #[arg(long, default_value_t = 7)]
        days: u64,
        #[command(flatten)]
        #[expect(missing_docs, reason = "clap would take it for help")]
        signing: SigningOptions,
    },
    /// Make keys, sign files and check signatures, as minisign does
    #[command(subcommand)]
    Keys(Keys),
    /// Tell more about a problem that check or build reported
    Explain {
        /// Code such as E0101
        code: String,
    },
    /// Print what a shell needs to complete commands and flags
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the JSON Schema of a table's rows, for editors
    Schema {
        /// Name of the table, or dataset for dataset.json
        table: String,
    },
    /// Write the three small files that a dataset begins with
    Init {
        /// Folder to write them into; must not exist or be empty
        dir: PathBuf,
        /// Write the embedded sample instead: every table, with real records
        #[arg(long)]
        sample: bool,
    },
    /// Begin a theme, and tell how one differs from the program's pages
    #[command(subcommand)]
    Theme(Theme),
    /// Write down when rows changed, and when the dataset is published
    Stamp {
        /// Folder of the dataset
        #[arg(long, env = "OPDIR_DATA", value_name = "DIR")]
        data: PathBuf,
        /// When; now when absent
        #[arg(long, value_name = "TIME")]
        at: Option<jiff::Timestamp>,
    },
}

/// What to do with a theme: the folder that --templates names.
#[derive(Debug, Subcommand)]
pub enum Theme {
    /// Write the few files that are edited for colours, logo, icon, footer and words
    New {
        /// Folder to write them into
        dir: PathBuf,
        /// Copy these files of the program instead, to change them whole
        files: Vec<String>,
    },
    /// Tell what a theme changes, and which of its copies the program has changed since
    Diff {
        /// Folder of the theme
        dir: PathBuf,
    },
}

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Make a key pair: FILE is the secret key, FILE.pub the public one
    New {
        /// File to write; must not exist
        file: PathBuf,
    },
    /// Print the public key of a secret one
    Public {
        /// File of the secret key; OPDIR_KEY holds its text when absent
        file: Option<PathBuf>,
    },
    /// Sign a file; the signature is FILE.minisig
    Sign {
        /// File to sign
        file: PathBuf,
        /// File of the secret key; OPDIR_KEY holds its text when absent
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// Check the signature of a file
    Verify {
        /// File that was signed
        file: PathBuf,
        /// Public key, or a file that holds one; repeat it for several
        #[arg(long, value_name = "KEY", required = true)]
        trust: Vec<String>,
    },
}

/// What to push.
#[derive(Debug, Args)]
pub struct Push {
    /// Folder that holds CURRENT
    #[arg(value_parser = folder())]
    pub root: PathBuf,
    /// Address of the store: s3://bucket/folder, gs://…, az://…, file:///folder
    pub url: String,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for help")]
    pub signing: SigningOptions,
    /// How long it is valid, such as 7d or 36h; edges and `opdir pull` warn when no push followed in that time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub valid_for: Option<Duration>,
    /// If another publisher pushed first, pull its snapshot and push this one after it, unchanged
    #[arg(long)]
    pub rebase: bool,
}

/// What to pull.
#[derive(Debug, Args)]
pub struct Pull {
    /// Address of the store: s3://bucket/folder, gs://…, az://…, https://…, file:///folder
    pub url: String,
    /// Folder to publish under; made when it is not there
    #[arg(value_parser = folder())]
    pub root: PathBuf,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for help")]
    pub trust: TrustOptions,
}

/// How a store's CURRENT is signed.
#[derive(Debug, Args)]
pub struct SigningOptions {
    /// File of the secret key that signs the store's CURRENT; OPDIR_KEY holds its text when absent
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for help")]
    pub trust: TrustOptions,
}

/// Which signatures of a store are trusted.
#[derive(Debug, Args)]
pub struct TrustOptions {
    /// Trusted public key, or a file that holds one; repeat it for several
    #[arg(long, value_name = "KEY")]
    pub trust: Vec<String>,
    /// Accept unsigned snapshots
    #[arg(long)]
    pub allow_unsigned: bool,
}

/// What to judge.
#[derive(Debug, Args)]
pub struct Check {
    /// Folder of the dataset; the embedded sample when absent
    #[arg(long, env = "OPDIR_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for help")]
    pub messages: Messages,
    /// Write down what has one reading: codes of places, names of columns, slugs, trimmed texts
    #[arg(long, requires = "data")]
    pub fix: bool,
    /// With --fix or --diff: the likeliest reading too, where there is more than one
    #[arg(long)]
    pub r#unsafe: bool,
    /// Show what --fix would change, and change nothing; ends with 1 if there is something
    #[arg(long, requires = "data", conflicts_with = "fix")]
    pub diff: bool,
}

/// How problems are told.
#[derive(Debug, Args)]
pub struct Messages {
    /// How problems are printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub message_format: MessageFormat,
    /// Most kinds of problems that are told; 0 tells all
    #[arg(long, value_name = "N", default_value_t = PrintOptions::LIMIT)]
    pub limit: usize,
    /// Tell only codes, files and counts
    #[arg(long)]
    pub summary: bool,
    /// File that CI shows beside the run; with github, it gets every problem as a table
    #[arg(long, env = "GITHUB_STEP_SUMMARY", value_name = "FILE", hide = true)]
    pub step_summary: Option<PathBuf>,
    /// Print problems and results only
    #[arg(long, short)]
    pub quiet: bool,
}

impl Messages {
    /// What is printed, and in which format.
    #[must_use]
    pub const fn print_options(&self) -> PrintOptions {
        PrintOptions { format: self.message_format, limit: self.limit, summary: self.summary }
    }
}

/// What to import.
#[derive(Debug, Args)]
pub struct Import {
    /// Folder of the dataset
    pub data: PathBuf,
    /// Names of sources in import.toml; all when absent
    pub sources: Vec<String>,
    /// A file that takes the place of the one in import.toml; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Write import.toml from the columns of --from, and nothing else
    #[arg(long, requires = "from")]
    pub draft: bool,
    /// Say what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for help")]
    pub messages: Messages,
}

/// What to compare.
#[derive(Debug, Args)]
pub struct Plan {
    /// Folder of the dataset
    #[arg(long, env = "OPDIR_DATA", value_name = "DIR")]
    pub data: PathBuf,
    /// Folder that a build would publish under
    #[arg(long, env = "OPDIR_OUT", value_name = "ROOT", value_parser = folder())]
    pub out: PathBuf,
    /// How it is told
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: PlanFormat,
    /// End with 7 if anything would change
    #[arg(long)]
    pub exit_code: bool,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for help")]
    pub guards: Guards,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for help")]
    pub messages: Messages,
}

/// How to build.
#[derive(Debug, Args)]
pub struct Build {
    /// Folder of the dataset
    #[arg(long, env = "OPDIR_DATA", value_name = "DIR")]
    pub data: PathBuf,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for help")]
    pub messages: Messages,
    /// Folder to publish under; made when it is not there
    #[arg(long, env = "OPDIR_OUT", value_name = "ROOT", value_parser = folder())]
    pub out: PathBuf,
    /// Public address of the site: scheme and host, no path
    #[arg(
        long,
        env = "OPDIR_BASE_URL",
        value_name = "URL",
        value_parser = base_url
    )]
    pub base_url: String,
    /// Publish although the live snapshot is of a dataset with another name
    #[arg(long)]
    pub replace: bool,
    /// Publish although no program would be in it
    #[arg(long)]
    pub allow_empty: bool,
    #[command(flatten)]
    #[expect(missing_docs, reason = "clap would take it for help")]
    pub guards: Guards,
    /// UTC day that the pages are right for; today when absent
    #[arg(long, env = "OPDIR_AS_OF", value_name = "DATE")]
    pub as_of: Option<Date>,
    /// Threads; one for each core when absent
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub jobs: usize,
    /// How files are stored: by URL, or in a few packs
    #[arg(long, value_enum, default_value_t, value_name = "LAYOUT")]
    pub layout: Storage,
    /// How hard to compress
    #[arg(long, value_enum, default_value_t, value_name = "EFFORT")]
    pub compress: Effort,
    /// Leave the pages out and write only what the edge keeps in memory
    #[arg(long)]
    pub index_only: bool,
    /// Folder of a theme, whose colours, words, templates and pictures stand in for the program's own
    #[arg(long, env = "OPDIR_TEMPLATES", value_name = "DIR")]
    pub templates: Option<PathBuf>,
}

/// How to preview.
#[derive(Debug, Args)]
pub struct Preview {
    /// Folder of the dataset; the embedded sample when absent
    #[arg(long, env = "OPDIR_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Address to serve on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Folder of a theme, whose colours, words, templates and pictures stand in for the program's own
    #[arg(long, env = "OPDIR_TEMPLATES", value_name = "DIR")]
    pub templates: Option<PathBuf>,
    /// Show it in the browser once there is something to see
    #[arg(long)]
    pub open: bool,
}

/// Reads a public address; gives scheme and authority as an origin is written.
fn base_url(text: &str) -> Result<String, String> {
    let url = url::Url::parse(text).map_err(|error| format!("{error}; write https://example.org"))?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let anonymous = url.username().is_empty() && url.password().is_none();
    match url.scheme() {
        "http" | "https" if bare && anonymous => Ok(url.origin().ascii_serialization()),
        "http" | "https" => Err("only scheme and host belong here, as in https://example.org".to_owned()),
        _ => Err("the scheme must be http or https, as in https://example.org".to_owned()),
    }
}

/// Reads a folder, for which nobody may mistake a store.
fn folder() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|text| match text.to_str() {
        Some(text) if is_address(text) => Err(
            "that is the address of a store and no folder; `opdir pull` brings what is live there into one",
        ),
        _ => Ok(PathBuf::from(text)),
    })
}

/// Reads `7d` or `36h`.
fn duration(text: &str) -> Result<Duration, String> {
    let split = text.char_indices().last().map_or(0, |(last, _)| last);
    let (number, unit) = text.split_at(split);
    let seconds = match (number.parse::<u64>(), unit) {
        (Ok(days), "d") => days.checked_mul(86_400),
        (Ok(hours), "h") => hours.checked_mul(3600),
        _ => None,
    };
    seconds.map(Duration::from_secs).ok_or_else(|| "write days or hours, as in 7d or 36h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_not_taken_for_a_folder() {
        for command in [
            "log s3://bucket/site",
            "export file:///site public",
            "push s3://bucket/site site",
            "pull s3://bucket/site s3://bucket/site",
            "build --data data --base-url https://directory.example --out gs://bucket",
        ] {
            let told = Cli::try_parse_from([&["opdir"], &*command.split(' ').collect::<Vec<_>>()].concat());
            assert!(told.unwrap_err().to_string().contains("`opdir pull` brings"), "{command}");
        }
        assert!(Cli::try_parse_from(["opdir", "gc", "s3://bucket/site"]).is_ok());
    }
}
