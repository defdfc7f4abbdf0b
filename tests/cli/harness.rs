//! Runs a real binary in a folder of its own: what it says, how it ends, what it leaves behind.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

#[path = "../src/client.rs"]
#[expect(unreachable_pub, reason = "a file of the library of tests, which none of these programs is above")]
pub(crate) mod client;

#[path = "../src/entry.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "a file of the library of tests, of which not every program needs all"
)]
pub(crate) mod entry;

#[path = "../src/folder.rs"]
#[expect(unreachable_pub, reason = "a file of the library of tests, which none of these programs is above")]
mod folder;

pub(crate) use folder::folder;

/// Longest wait for a process to say something, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Copies a folder to where nothing is, with times and links.
pub(crate) fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
}

/// Waits until something is so, for some seconds at most.
#[track_caller]
#[allow(dead_code, reason = "one program of tests waits for what nothing prints")]
pub(crate) fn until(seconds: u64, what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(seconds);
    while !is_so() {
        assert!(Instant::now() < end, "not within {seconds} s: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A process that ended.
pub(crate) struct Ran {
    /// Its exit code.
    pub(crate) code: i32,
    /// What it printed on standard output.
    pub(crate) out: String,
    /// What it printed on standard error.
    pub(crate) err: String,
}

impl Ran {
    /// Asserts the exit code and that standard error holds every one of some words.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "no `{word}` in:\n{}", self.err);
        }
        assert!(!self.err.contains('\u{1b}'), "colours where nobody sees them: {:?}", self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
    }

    /// Asserts success and gives what was printed on standard output.
    #[track_caller]
    pub(crate) fn succeeds(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self.out
    }
}

/// A program with its arguments, to be run in a folder without anybody's settings.
pub(crate) fn command(binary: &str, folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // Nobody's settings: the tests say everything on the command line.
    let named = |name: &str| name.starts_with("OPDIR_") || name == "CLICOLOR_FORCE";
    std::env::vars().filter(|(name, _)| named(name)).for_each(|(name, _)| {
        command.env_remove(name);
    });
    command
}

/// Runs a program in a folder until it ends.
pub(crate) fn run(binary: &str, folder: &Path, args: &[&str]) -> Ran {
    let output = command(binary, folder, args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    child: Child,
    /// Lines that it printed and nobody waited for.
    pub(crate) lines: Receiver<String>,
    /// `address:port` that it serves on.
    pub(crate) address: String,
    /// `address:port` of its admin listener; empty if it has none.
    pub(crate) admin: String,
}

impl Server {
    /// Starts a program that prints the address it serves on after `before`.
    pub(crate) fn start(binary: &str, folder: &Path, args: &[&str], before: &str) -> Self {
        Self::of(&mut command(binary, folder, args), before)
    }

    /// Starts a command that prints the address it serves on after `before`.
    pub(crate) fn of(command: &mut Command, before: &str) -> Self {
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let streams: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for stream in streams {
            let sender = sender.clone();
            std::thread::spawn(move || {
                BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
            });
        }
        let mut server = Self { child, lines, address: String::new(), admin: String::new() };
        let line = server.says(before);
        let word_after = |words| Some(line.split_once(words)?.1.split_whitespace().next()?.to_owned());
        server.address = word_after(before).unwrap();
        server.admin = word_after(" admin=").unwrap_or_default();
        server
    }

    /// Waits for a line that holds some words.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) -> String {
        let mut seen = String::new();
        let end = Instant::now() + PATIENCE;
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if line.contains(words) {
                return line;
            }
            seen = seen + &line + "\n";
        }
        panic!("it never printed `{words}`, but:\n{seen}");
    }

    /// Whether the process has not ended.
    #[allow(dead_code, reason = "one program of tests ends processes in the middle")]
    pub(crate) fn is_running(&self) -> bool {
        Path::new(&format!("/proc/{}/exe", self.child.id())).exists()
    }

    /// Sends SIGHUP.
    #[allow(dead_code, reason = "as above")]
    pub(crate) fn hangup(&self) {
        let _ = Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status();
    }

    /// Whether any line that was printed and not waited for holds some words.
    #[allow(dead_code, reason = "as above")]
    pub(crate) fn has_printed(&self, words: &str) -> bool {
        self.lines.try_iter().any(|line| line.contains(words))
    }

    /// Status line, headers and body of the answer to a GET addressed to a host.
    pub(crate) fn get_from(&self, host: &str, target: &str) -> String {
        get(&self.address, host, target)
    }

    /// The same, addressed to where it serves.
    pub(crate) fn get(&self, target: &str) -> String {
        self.get_from(&self.address, target)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Terminated, not killed: a preview removes its folder when it ends.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

/// Status line, headers and body of an address's answer to a GET addressed to a host.
pub(crate) fn get(address: &str, host: &str, target: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let answer = client::exchange(&mut stream, request.as_bytes()).unwrap();
    format!("{}\r\n\r\n{}", answer.head, String::from_utf8_lossy(&answer.body))
}

/// Status of an answer.
pub(crate) fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or(answer)
}

/// Every file below a folder with its content: equal before and after when nothing was touched.
pub(crate) fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            let below = content(&entry.path());
            files.extend(below.into_iter().map(|(path, bytes)| (format!("{name}/{path}"), bytes)));
        } else {
            files.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
    files
}
