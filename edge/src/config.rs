//! Configuration: flags, each also an environment variable, checked once at start.

use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use http::HeaderName;
use ipnet::IpNet;
use jiff::civil::Date;
use remote::secrets::{shown_address, shown_key};
use remote::{RemoteError, is_address};
use snapshot::time::Day;

use crate::clock;
use crate::follower::Follower;
use crate::log::Format;
use crate::server::{COPIED_INDEX, Options};
use net::client_address::TrustedProxies;

/// Serves a snapshot over HTTP.
#[derive(Clone, Debug, Parser)]
#[command(name = "opdir-edge", version, about, after_help = EXIT_CODES, args_conflicts_with_subcommands = true)]
pub struct Command {
    /// A command other than serving.
    #[command(subcommand)]
    pub(crate) action: Option<Action>,
    /// Settings for serving.
    #[command(flatten)]
    pub(crate) serve: Option<Config>,
}

/// Commands other than serving.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Action {
    /// Open the live snapshot of a root as the edge would, print what it is, and exit
    Check {
        /// The folder that holds CURRENT
        root: PathBuf,
    },
}

/// Settings for serving.
#[derive(Clone, Debug, Args)]
pub(crate) struct Config {
    /// Folder that holds CURRENT and generations/
    #[arg(long, env = "OPDIR_EDGE_SNAPSHOT", value_name = "ROOT")]
    pub(crate) snapshot: PathBuf,
    /// A store to follow: its live generation is fetched into the folder and served
    #[arg(long, env = "OPDIR_EDGE_SOURCE", hide_env_values = true, value_name = "URL")]
    pub(crate) source: Option<String>,
    /// Trusted public key (repeatable)
    #[arg(
        long,
        env = "OPDIR_EDGE_TRUST",
        hide_env_values = true,
        value_name = "KEY",
        value_delimiter = ',',
        requires = "source"
    )]
    pub(crate) trust: Vec<String>,
    /// Accept unsigned snapshots
    #[arg(long, env = "OPDIR_EDGE_ALLOW_UNSIGNED", requires = "source")]
    pub(crate) allow_unsigned: bool,
    /// Seconds between polls of the store, a fifth more or less
    #[arg(long, env = "OPDIR_EDGE_POLL", value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) poll: u64,
    /// Address to serve on
    #[arg(long, env = "OPDIR_EDGE_LISTEN", value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// A host name that requests may be addressed to, besides the base URL's (repeatable)
    #[arg(long, env = "OPDIR_EDGE_ALLOWED_HOST", value_name = "HOST", value_parser = host, value_delimiter = ',')]
    pub(crate) allowed_host: Vec<String>,
    /// Serve this UTC day for ever instead of today; for tests and archives
    #[arg(long, env = "OPDIR_EDGE_TODAY", value_name = "DATE")]
    pub(crate) today: Option<Date>,
    /// A browser origin that may call /mcp, besides the base URL's (repeatable)
    #[arg(long, env = "OPDIR_EDGE_MCP_ORIGIN", value_name = "ORIGIN", value_parser = origin, value_delimiter = ',')]
    pub(crate) mcp_origin: Vec<String>,
    /// Most requests to /mcp a minute and client; 0 is no limit
    #[arg(long, env = "OPDIR_EDGE_MCP_RATE", value_name = "N", default_value_t = 60)]
    pub(crate) mcp_rate: u32,
    /// A network that many people share, and its addresses' limit at /mcp (repeatable)
    #[arg(
        long,
        env = "OPDIR_EDGE_SHARED_EGRESS",
        value_name = "CIDR=N",
        value_parser = shared_egress,
        value_delimiter = ','
    )]
    pub(crate) shared_egress: Vec<(IpNet, u32)>,
    /// A network of proxies whose header with the client's address is trusted (repeatable)
    #[arg(long, env = "OPDIR_EDGE_TRUSTED_PROXY", value_name = "CIDR", value_parser = network, value_delimiter = ',')]
    pub(crate) trusted_proxy: Vec<IpNet>,
    /// Header in which trusted proxies name the client
    #[arg(long, env = "OPDIR_EDGE_CLIENT_IP_HEADER", value_name = "NAME", default_value = "x-forwarded-for")]
    pub(crate) client_ip_header: HeaderName,
    /// Memory for bodies of files, in bytes
    #[arg(long, env = "OPDIR_EDGE_BODY_CACHE", value_name = "BYTES", default_value_t = 16 << 20)]
    pub(crate) body_cache: u64,
    /// Memory for computed answers, in bytes; 0 keeps none
    #[arg(long, env = "OPDIR_EDGE_RESPONSE_CACHE", value_name = "BYTES", default_value_t = 16 << 20)]
    pub(crate) response_cache: u64,
    /// Largest index that is copied into memory, in bytes; a larger one is mapped, and its files must not be
    /// written over
    #[arg(long, env = "OPDIR_EDGE_COPY_INDEX", value_name = "BYTES", default_value_t = COPIED_INDEX)]
    pub(crate) copy_index: u64,
    /// Most connections at a time; four fifths of the limit on open files when absent
    #[arg(long, env = "OPDIR_EDGE_MAX_CONNECTIONS", value_name = "N")]
    pub(crate) max_connections: Option<NonZeroUsize>,
    /// Address for /healthz, /readyz, /metrics and /snapshot; keep it private
    #[arg(long, env = "OPDIR_EDGE_ADMIN_LISTEN", value_name = "ADDR")]
    pub(crate) admin_listen: Option<SocketAddr>,
    /// Header for the tags by which a CDN may purge an answer: Surrogate-Key, Cache-Tag, ...
    #[arg(long, env = "OPDIR_EDGE_SURROGATE_KEYS", value_name = "HEADER")]
    pub(crate) surrogate_keys: Option<HeaderName>,
    /// Seconds between announcing the end on /readyz and accepting no more connections
    #[arg(long, env = "OPDIR_EDGE_DRAIN_DELAY", value_name = "SECONDS", default_value_t = 0)]
    pub(crate) drain_delay: u64,
    /// Format of log lines
    #[arg(long, env = "OPDIR_EDGE_LOG", value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) log: Format,
    /// Log every request
    #[arg(long, env = "OPDIR_EDGE_ACCESS_LOG")]
    pub(crate) access_log: bool,
    /// Print the settings that would be used, and exit
    #[arg(long)]
    pub(crate) print_config: bool,
}

const EXIT_CODES: &str =
    "Exit codes: 0 ok · 2 usage · 3 no snapshot there · 4 cannot listen · 5 the snapshot is damaged";

/// Settings that are gone, and what to do instead.
const GONE: [(&str, &str); 2] = [
    ("fetch", "the edge fetches a whole snapshot before it serves it; remove the setting"),
    (
        "body-disk",
        "no body is kept beside a snapshot; remove the setting, and the folder `bodies` in the root",
    ),
];

/// Arguments that are not settings.
const ASIDE: [&str; 3] = ["help", "version", "print_config"];

/// Most connections for a limit on open files.
fn connections_of(files: u64) -> usize {
    /// Bounds the memory where the limit on files is very high or missing.
    const MOST: u64 = 65_536;
    usize::try_from((files / 5 * 4).clamp(1, MOST)).unwrap_or(1)
}

/// A value without secrets.
fn shown(id: &str, value: &str) -> String {
    match id {
        "trust" => shown_key(value),
        _ if is_address(value) => shown_address(value),
        _ => value.to_owned(),
    }
}

/// A name or an address, maybe with a port.
fn host(text: &str) -> Result<String, String> {
    let is_host =
        !text.is_empty() && text.bytes().all(|it| it.is_ascii_alphanumeric() || b".-_:[]".contains(&it));
    let expected =
        "expected a name without scheme and path, such as directory.example; one with accents as xn--…";
    is_host.then(|| text.to_owned()).ok_or_else(|| expected.to_owned())
}

/// A scheme and a host (RFC 6454).
fn origin(text: &str) -> Result<String, String> {
    match text.split_once("://") {
        Some((scheme, name)) if !scheme.is_empty() && host(name).is_ok() => Ok(text.to_owned()),
        _ => Err("expected scheme and host, such as https://chat.example".to_owned()),
    }
}

/// A network, or one address.
fn network(text: &str) -> Result<IpNet, String> {
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse().or_else(|_| address()).map_err(|_| "expected a network, such as 192.0.2.0/24".to_owned())
}

/// `CIDR=N`
fn shared_egress(text: &str) -> Result<(IpNet, u32), String> {
    let parsed = text.split_once('=').and_then(|(net, rate)| Some((net.parse().ok()?, rate.parse().ok()?)));
    parsed.ok_or_else(|| "expected a network and a number, such as 192.0.2.0/24=600".to_owned())
}

/// The first setting of a command line or an environment that is gone, and what to do instead.
fn gone(args: &[OsString], is_set: impl Fn(&str) -> bool) -> Option<String> {
    GONE.into_iter().find_map(|(name, instead)| {
        let flag = format!("--{name}");
        let variable = format!("OPDIR_EDGE_{}", name.replace('-', "_").to_uppercase());
        let is_flag = |arg: &OsString| arg.to_string_lossy().split('=').next() == Some(&flag);
        let found = if args.iter().any(is_flag) { flag } else { Some(variable).filter(|it| is_set(it))? };
        Some(format!("{found} is gone: {instead}"))
    })
}

impl Command {
    /// Reads the command line and the environment; the second value is for `Config::text`. Ends the process if they
    /// are invalid, or after it has printed the help or the version.
    #[expect(clippy::disallowed_methods, reason = "settings that clap does not know")]
    pub(crate) fn read() -> (Self, ArgMatches) {
        let args: Vec<OsString> = std::env::args_os().collect();
        if let Some(sentence) = gone(&args, |variable| std::env::var_os(variable).is_some()) {
            Self::command().error(ErrorKind::UnknownArgument, sentence).exit();
        }
        let matches = Self::command().get_matches();
        let command = Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        (command, matches)
    }
}

impl Config {
    /// Most connections at a time. What is left of the limit on open files is for files of the snapshot.
    pub(crate) fn max_connections(&self) -> usize {
        let files = || rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        self.max_connections.map_or_else(|| connections_of(files().unwrap_or(u64::MAX)), NonZeroUsize::get)
    }

    /// The server's options.
    pub(crate) fn options(&self, source: Option<Arc<Follower>>) -> Options {
        Options {
            frozen: self.today.is_some(),
            hosts: self.hosts(),
            copy_index: self.copy_index,
            body_cache: self.body_cache,
            response_cache: self.response_cache,
            tag_header: self.surrogate_keys.clone(),
            access_log: self.access_log,
            mcp: mcp::Config {
                origins: self.mcp_origin.clone(),
                rate_per_minute: self.mcp_rate,
                shared_egress: self.shared_egress.clone(),
                ..mcp::Config::default()
            },
            proxies: TrustedProxies::new(self.trusted_proxy.clone(), self.client_ip_header.clone()),
            source,
            ..Options::new(
                self.snapshot.clone(),
                self.today.map_or_else(|| clock::day_of(clock::now()), Day::new),
            )
        }
    }

    /// Host names besides that of the base URL.
    fn hosts(&self) -> Vec<String> {
        let mut hosts = self.allowed_host.clone();
        if self.listen.ip().is_loopback() {
            hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        }
        hosts
    }

    /// The store that is followed, if one is.
    pub(crate) fn source(&self) -> Result<Option<Follower>, RemoteError> {
        let source = |url: &String| {
            let poll = Duration::from_secs(self.poll);
            Follower::new(url, (&self.trust, self.allow_unsigned), self.snapshot.clone(), poll)
        };
        self.source.as_ref().map(source).transpose()
    }

    /// All settings as flags, one a line, in the order of the help. `matches` is what they were read from.
    pub(crate) fn text(&self, matches: &ArgMatches) -> String {
        let command = Command::command();
        let settings = command.get_arguments().filter(|setting| !ASIDE.contains(&setting.get_id().as_str()));
        let lines = settings.flat_map(|setting| {
            let (id, name) = (setting.get_id().as_str(), setting.get_long().unwrap_or_default());
            if !setting.get_action().takes_values() {
                let on = matches.get_flag(id);
                return vec![if on { format!("--{name}") } else { format!("# --{name} is off") }];
            }
            let values = match id {
                // These depend on other settings or on the machine.
                "max_connections" => vec![self.max_connections().to_string()],
                "allowed_host" => self.hosts(),
                _ => {
                    let raw = matches.get_raw(id).into_iter().flatten();
                    raw.map(|value| shown(id, &value.to_string_lossy())).collect()
                }
            };
            match values.is_empty() {
                true => vec![format!("# --{name} is off")],
                false => values.iter().map(|value| format!("--{name}={value}")).collect(),
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_a_fifth_of_the_open_files_to_others() {
        for (files, connections) in [(1024, 816), (20, 16), (0, 1), (u64::MAX, 65_536)] {
            assert_eq!(connections_of(files), connections);
        }
    }

    #[test]
    fn names_origins_and_networks_that_nothing_matches_are_refused() {
        for name in ["directory.example", "localhost:8080", "[::1]", "a_b.example"] {
            assert!(host(name).is_ok(), "{name}");
        }
        for name in ["", "*", "https://a.example", "a.example/x", "dirección.example"] {
            assert!(host(name).is_err() && origin(&format!("https://{name}")).is_err(), "{name}");
        }
        assert!(origin("vscode-webview://x1").is_ok() && origin("a.example").is_err());
        assert_eq!(network("192.0.2.7"), network("192.0.2.7/32"));
        assert!(network("192.0.2.0/24").is_ok() && network("proxy").is_err());
    }
}
