//! The command line: commands, flags and their help texts. Parsing reads no file.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, Subcommand};
use jiff::civil::Date;
use remote::is_address;
use remote::secrets::shown_address;

use crate::cli_values::{DiffFormat, DueFormat, base_url, duration, folder, site_path};
use crate::exit_codes::{Failure, fail};
use crate::guards::Guards;
use crate::plan_report::PlanFormat;
use dataset::diagnostics::{MessageFormat, PrintOptions};

/// Build, check and publish snapshots of an opportunity directory.
#[derive(Debug, Parser)]
#[command(name = "opdir", version, about, after_help = EXIT_CODES)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Reads the command line and the environment. Ends the process after it has printed the help or the version.
    ///
    /// # Errors
    ///
    /// The exit code, if they are invalid, which is printed.
    pub fn read() -> Result<Self, ExitCode> {
        Self::try_parse().map_err(|error| {
            if !error.use_stderr() {
                error.exit();
            }
            let unknown =
                [ContextKind::InvalidArg, ContextKind::InvalidSubcommand].map(|kind| error.get(kind));
            if let Some((name, instead)) = unknown.into_iter().flatten().find_map(gone) {
                let failure = fail(Failure::Usage, format_args!("{name} is gone: {instead}"));
                return ExitCode::from(failure as u8);
            }
            anstream::eprint!("{}", without_passwords(&error));
            ExitCode::from(Failure::Usage as u8)
        })
    }
}

/// Flags and commands that were removed, and what to do instead.
const GONE: [(&str, &str); 6] = [
    ("--fix", "each problem prints the right value where it is known"),
    ("--memory", "leave it out, and build where memory is about five times the size of the dataset's files"),
    ("--layout", ARCHIVE),
    ("--compress", ARCHIVE),
    ("status", "`opdir log` lists publications, and /snapshot of an edge is what it serves"),
    ("diff", "`opdir theme new` writes the program's own files, to compare a theme with"),
];
const ARCHIVE: &str =
    "leave it out: a snapshot is one archive; `opdir export` writes a tree of files from it";

/// The removed flag or command that is an unknown argument.
fn gone(argument: &ContextValue) -> Option<(&'static str, &'static str)> {
    let ContextValue::String(name) = argument else { return None };
    GONE.into_iter().find(|(flag, _)| flag == name)
}

/// The message of an error, in which no address has a password.
fn without_passwords(error: &clap::Error) -> String {
    let mut text = error.render().ansi().to_string();
    for (_, value) in error.context() {
        if let ContextValue::String(value) = value
            && is_address(value)
        {
            text = text.replace(value, &shown_address(value));
        }
    }
    text
}

const EXIT_CODES: &str = "Exit codes: 0 ok · 1 errors in the data · 2 usage · 3 input unreadable · \
                          4 output not writable · 5 verification failed · 6 held back · \
                          7 plan --exit-code: there are changes";

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build a snapshot of a dataset and publish it
    Build(Build),
    /// Check a dataset without building a snapshot
    Check(Check),
    /// Import tables from spreadsheets, exports or standard input, as import.toml describes
    Import(Import),
    /// List what maintainers should look at next: outdated, incomplete and contradicted records, dead links
    Due(DueOptions),
    /// Show what a build would change in the live snapshot, without building
    Plan(Plan),
    /// Build and serve a local preview, as the next import would make it, and rebuild when files change
    Preview(Preview),
    /// Verify that every file of the live snapshot is as published
    Verify {
        /// Output folder of `opdir build`
        #[arg(value_parser = folder())]
        root: PathBuf,
    },
    /// Show what changed between two snapshots
    Diff {
        /// Output folder of `opdir build`, or a folder in its generations/
        #[arg(value_parser = folder())]
        old: PathBuf,
        /// The newer snapshot; default: OLD is the newer one and is compared with its parent
        #[arg(value_parser = folder())]
        new: Option<PathBuf>,
        /// Output format
        #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
        format: DiffFormat,
    },
    /// List publications with the number of records added (+), changed (~) and removed (-)
    Log {
        /// Output folder of `opdir build`
        #[arg(value_parser = folder())]
        root: PathBuf,
    },
    /// Publish an older snapshot again
    Rollback {
        /// Output folder of `opdir build`
        #[arg(value_parser = folder())]
        root: PathBuf,
        /// Generation: name or number; default: the parent of the live generation
        generation: Option<String>,
    },
    /// Export the live snapshot as plain files for a static host
    Export {
        /// Output folder of `opdir build`
        #[arg(value_parser = folder())]
        root: PathBuf,
        /// New or empty folder
        #[arg(value_parser = folder())]
        dir: PathBuf,
        /// For hosts without rules: write `a/index.html` instead of `a.html`, and link to `a.json` instead of `a`
        #[arg(long)]
        pretty: bool,
        /// Path below which the host serves the site, such as /repo
        #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true, value_parser = site_path)]
        prefix: String,
    },
    /// Upload the live snapshot to a store
    Push(Push),
    /// Download the live snapshot of a store
    Pull(Pull),
    /// Remove old snapshots
    Gc {
        /// Output folder of `opdir build`, or URL of a store
        root: PathBuf,
        /// Number of newest snapshots to keep
        #[arg(long, default_value_t = 5)]
        keep: usize,
        /// Keep snapshots that were live (in a store: pushed) within this many days
        #[arg(long, default_value_t = 7)]
        days: u64,
        #[command(flatten)]
        signing: SigningOptions,
    },
    /// Create keys to sign what is pushed (minisign format)
    #[command(subcommand)]
    Keys(Keys),
    /// Explain a diagnostic code
    Explain {
        /// Code, such as E0101
        code: String,
    },
    /// Write the manual pages and completion scripts of opdir and opdir-edge
    Man {
        /// Folder to write to; created if missing
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Print the JSON Schema of a table, of dataset.json or of import.toml
    Schema {
        /// Table name, `dataset` for dataset.json, or `import` for import.toml
        table: String,
    },
    /// Create a minimal dataset
    Init {
        /// New or empty folder
        dir: PathBuf,
        /// Write the embedded sample dataset instead
        #[arg(long)]
        sample: bool,
    },
    /// Create a theme from the built-in pages
    #[command(subcommand)]
    Theme(Theme),
    /// Record the time of changed rows and of publication in the dataset
    Stamp {
        /// Dataset folder
        #[arg(long, env = "OPDIR_DATA", value_name = "DIR")]
        data: PathBuf,
        /// Time to record; default: now
        #[arg(long, value_name = "TIME")]
        at: Option<jiff::Timestamp>,
    },
}

/// A command about themes: folders for `--templates`.
#[derive(Debug, Subcommand)]
pub(crate) enum Theme {
    /// Create the files for colours, logo, icon, footer and words
    New {
        /// Folder to write to
        dir: PathBuf,
        /// Built-in files to copy instead, such as program.html
        files: Vec<String>,
    },
}

/// A command about keys.
#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Create a key pair: FILE (secret) and FILE.pub (public)
    New {
        /// File of the new secret key; must not exist
        file: PathBuf,
    },
    /// Print the public key of a secret key
    Public {
        /// Secret key file; default: the key in OPDIR_KEY
        file: Option<PathBuf>,
    },
}

/// Options of `push`.
#[derive(Debug, Args)]
pub(crate) struct Push {
    /// Output folder of `opdir build`
    #[arg(value_parser = folder())]
    pub(crate) root: PathBuf,
    /// URL of the store: s3://bucket/folder, gs://…, az://…, file:///folder
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) signing: SigningOptions,
    /// Time until the pushed snapshot expires, 1h to 3650d; edges then report that the store is stale. A push of what is
    /// live already renews it
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) valid_for: Option<Duration>,
    /// After the store was emptied or set back to an older state: push all of this snapshot under a version above every
    /// one that edges have accepted
    #[arg(long)]
    pub(crate) recover: bool,
}

/// Options of `pull`.
#[derive(Debug, Args)]
pub(crate) struct Pull {
    /// URL of the store: s3://bucket/folder, gs://…, az://…, https://…, file:///folder
    pub(crate) url: String,
    /// Folder to publish in; created if missing
    #[arg(value_parser = folder())]
    pub(crate) root: PathBuf,
    #[command(flatten)]
    pub(crate) trust: TrustOptions,
}

/// How a push is signed.
#[derive(Debug, Args)]
pub(crate) struct SigningOptions {
    /// Secret key file for signing; default: the key in OPDIR_KEY
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) trust: TrustOptions,
}

/// Which signatures are trusted.
#[derive(Debug, Args)]
pub(crate) struct TrustOptions {
    /// Trusted public key, or a file that contains it; can be repeated
    #[arg(long, value_name = "KEY")]
    pub(crate) trust: Vec<String>,
    /// Accept unsigned snapshots
    #[arg(long)]
    pub(crate) allow_unsigned: bool,
}

/// Options of `check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Dataset folder; default: the embedded sample
    #[arg(long, env = "OPDIR_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) messages: Messages,
}

/// Options of `due`.
#[derive(Debug, Args)]
pub(crate) struct DueOptions {
    /// Dataset folder
    #[arg(long, env = "OPDIR_DATA", value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// UTC day on which it is due; default: today
    #[arg(long, env = "OPDIR_AS_OF", value_name = "DATE")]
    pub(crate) as_of: Option<Date>,
    /// Report of `lychee --format json`: dead and moved links are due too
    #[arg(long, value_name = "FILE")]
    pub(crate) links: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: DueFormat,
    #[command(flatten)]
    pub(crate) messages: Messages,
}

/// How diagnostics are printed.
#[derive(Debug, Args)]
pub(crate) struct Messages {
    /// Format of diagnostics
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) message_format: MessageFormat,
    /// Maximum number of diagnostic codes to print; 0: no limit
    #[arg(long, value_name = "N", default_value_t = PrintOptions::LIMIT)]
    pub(crate) limit: usize,
    /// Job summary file of GitHub Actions; with the github format, it gets a table of all diagnostics
    #[arg(long, env = "GITHUB_STEP_SUMMARY", value_name = "FILE", hide = true)]
    pub(crate) step_summary: Option<PathBuf>,
    /// Print diagnostics and results only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Options of `import`.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Dataset folder
    pub(crate) data: PathBuf,
    /// Sources in import.toml; default: all
    pub(crate) sources: Vec<String>,
    /// File to read instead of the one in import.toml; `-`: standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Write a draft of import.toml from the columns of --from, and import nothing
    #[arg(long, requires = "from")]
    pub(crate) draft: bool,
    /// Report what would be written without writing it
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) messages: Messages,
}

/// Options of `plan`.
#[derive(Debug, Args)]
pub(crate) struct Plan {
    /// Dataset folder
    #[arg(long, env = "OPDIR_DATA", value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Folder to compare with
    #[arg(long, env = "OPDIR_OUT", value_name = "ROOT", value_parser = folder())]
    pub(crate) out: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: PlanFormat,
    /// Exit with 7 if there are changes
    #[arg(long)]
    pub(crate) exit_code: bool,
    #[command(flatten)]
    pub(crate) guards: Guards,
    #[command(flatten)]
    pub(crate) messages: Messages,
}

/// Options of `build`.
#[derive(Debug, Args)]
pub(crate) struct Build {
    /// Dataset folder
    #[arg(long, env = "OPDIR_DATA", value_name = "DIR")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) messages: Messages,
    /// Folder to publish in; created if missing
    #[arg(long, env = "OPDIR_OUT", value_name = "ROOT", value_parser = folder())]
    pub(crate) out: PathBuf,
    /// Public URL of the site: scheme and host, without a path
    #[arg(
        long,
        env = "OPDIR_BASE_URL",
        hide_env_values = true,
        value_name = "URL",
        value_parser = base_url
    )]
    pub(crate) base_url: String,
    /// Allow replacing the snapshot of another dataset, a damaged one, and pages by an index alone
    #[arg(long)]
    pub(crate) replace: bool,
    /// Allow publishing a snapshot without programs
    #[arg(long)]
    pub(crate) allow_empty: bool,
    #[command(flatten)]
    pub(crate) guards: Guards,
    /// UTC day for which pages are rendered; default: today
    #[arg(long, env = "OPDIR_AS_OF", value_name = "DATE")]
    pub(crate) as_of: Option<Date>,
    /// Number of threads; default: one per core
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) jobs: usize,
    /// Build only the search index, without pages
    #[arg(long)]
    pub(crate) index_only: bool,
    /// Theme folder: colours, words, templates and pictures that replace the built-in ones
    #[arg(long, env = "OPDIR_TEMPLATES", value_name = "DIR")]
    pub(crate) templates: Option<PathBuf>,
}

/// Options of `preview`.
#[derive(Debug, Args)]
pub(crate) struct Preview {
    /// Dataset folder; default: the embedded sample
    #[arg(long, env = "OPDIR_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// Theme folder: colours, words, templates and pictures that replace the built-in ones
    #[arg(long, env = "OPDIR_TEMPLATES", value_name = "DIR")]
    pub(crate) templates: Option<PathBuf>,
    /// Open the browser when the first page is ready
    #[arg(long)]
    pub(crate) open: bool,
}
