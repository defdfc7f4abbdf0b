//! What the edge is told: flags, each also an environment variable, checked once at start.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use jiff::civil::Date;
use snapshot::time::Day;

use crate::epoch::Setting;

/// Serves a snapshot over HTTP.
#[derive(Clone, Debug, Parser)]
#[command(name = "opdir-edge", version, about, args_conflicts_with_subcommands = true)]
pub struct Command {
    /// Something else than serving.
    #[command(subcommand)]
    pub action: Option<Action>,
    /// How to serve.
    #[command(flatten)]
    pub serve: Option<Config>,
}

/// Something else than serving.
#[derive(Clone, Debug, Subcommand)]
pub enum Action {
    /// Open the live snapshot of a root as the edge would, say what it is, and exit
    Check {
        /// The folder that holds CURRENT
        root: PathBuf,
    },
}

/// How to serve.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Folder that holds CURRENT and generations/
    #[arg(long, env = "OPDIR_EDGE_SNAPSHOT", value_name = "ROOT")]
    pub snapshot: PathBuf,
    /// Address to serve on
    #[arg(long, env = "OPDIR_EDGE_LISTEN", value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// A host name that requests may be addressed to, besides the base URL's (repeatable)
    #[arg(
        long = "allowed-host",
        env = "OPDIR_EDGE_ALLOWED_HOST",
        value_name = "HOST",
        value_delimiter = ','
    )]
    pub allowed_hosts: Vec<String>,
    /// Serve this UTC day for ever instead of today; for tests and archives
    #[arg(long, env = "OPDIR_EDGE_TODAY", value_name = "DATE")]
    pub today: Option<Date>,
    /// Memory for bodies of files, in bytes
    #[arg(long, env = "OPDIR_EDGE_BODY_CACHE", value_name = "BYTES", default_value_t = 16 << 20)]
    pub body_cache: u64,
    /// Most connections at a time
    #[arg(long, env = "OPDIR_EDGE_MAX_CONNECTIONS", value_name = "N", default_value_t = 4096)]
    pub max_connections: usize,
    /// Print the settings that would be used, and exit
    #[arg(long)]
    pub print_config: bool,
}

impl Config {
    /// Settings of epochs.
    #[must_use]
    pub fn setting(&self) -> Setting {
        let mut hosts = self.allowed_hosts.clone();
        if self.listen.ip().is_loopback() {
            hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        }
        Setting { frozen: self.today.is_some(), body_cache: self.body_cache, hosts }
    }

    /// The day to answer for.
    #[must_use]
    pub fn day(&self) -> Day {
        self.today.map_or_else(crate::clock::today, Day::new)
    }
}
