//! The edge with what takes nothing: a standard error that is full, closed, broken or not read, and clients.

use std::fs::File;
use std::io::{BufRead as _, BufReader, PipeReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ExitStatus, Stdio};

use tempfile::TempDir;

use super::harness::{command, get, status, until};
use super::{EDGE, folder_with_snapshot, on_socket};

/// More than a pipe holds, in lines of 256 characters of a target and more.
const LINES: usize = 400;

/// A process that does not outlive its test.
struct Process(Child);

impl Process {
    /// Waits until it ends; one that does not is stuck.
    fn ends(&mut self) -> ExitStatus {
        until(60, "it ends", || self.0.try_wait().unwrap().is_some());
        self.0.wait().unwrap()
    }

    fn terminate(&self) {
        let id = self.0.id().to_string();
        assert!(std::process::Command::new("kill").arg(id).status().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Every way, with the end of a pipe that is not read, and what the shell does before it starts the edge.
fn ways() -> [(&'static str, Stdio, Option<PipeReader>, &'static str); 4] {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let (reader, broken) = std::io::pipe().unwrap();
    drop(reader);
    let (unread, writer) = std::io::pipe().unwrap();
    [
        ("full", full.into(), None, ""),
        ("closed", Stdio::null(), None, "2>&-"),
        ("broken", broken.into(), None, ""),
        ("unread", writer.into(), Some(unread), ""),
    ]
}

/// An edge that logs requests, and its address.
fn start(folder: &TempDir, stderr: Stdio, redirection: &str) -> (Process, String) {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap().to_string();
    let mut command = on_socket(folder.path(), &socket, redirection, &["--access-log"]);
    command.stdout(Stdio::null()).stderr(stderr);
    (Process(command.spawn().unwrap()), address)
}

#[test]
fn an_edge_whose_log_takes_nothing_serves_and_ends() {
    for (way, stderr, unread, redirection) in ways() {
        let folder = folder_with_snapshot();
        let (mut process, address) = start(&folder, stderr, redirection);
        let target = format!("/api/v1/search?limit=1&q={}", "x".repeat(300));
        for _ in 0..LINES {
            assert_eq!(status(&get(&address, &address, &target)), "200", "{way}");
        }
        process.terminate();
        assert_eq!(process.ends().code(), Some(0), "{way}");
        if let Some(mut unread) = unread {
            let mut lines = String::new();
            unread.read_to_string(&mut lines).unwrap();
            assert!((2..LINES).contains(&lines.lines().count()), "it was not full: {}", lines.len());
        }
    }
}

#[test]
fn it_ends_while_clients_read_no_answer_or_send_half_a_request() {
    let folder = folder_with_snapshot();
    let (mut process, address) = start(&folder, Stdio::null(), "");
    let exports = format!("GET /api/v1/exports/latest HTTP/1.1\r\nHost: {address}\r\n\r\n").repeat(200);
    let held = [(); 38].map(|()| TcpStream::connect(&address).unwrap());
    for (nth, mut stream) in held.iter().enumerate() {
        stream.write_all(if nth % 2 == 0 { exports.as_bytes() } else { b"GET / HT" }).unwrap();
    }
    assert_eq!(status(&get(&address, &address, "/about")), "200");
    process.terminate();
    assert_eq!(process.ends().code(), Some(0));
}

#[test]
fn an_error_that_cannot_be_printed_is_an_exit_code_all_the_same() {
    for (args, code) in [(&["--snapshot", "nowhere"][..], 3), (&["--nothing"], 2), (&["check", "nowhere"], 3)]
    {
        for (way, stderr, unread, redirection) in ways() {
            let folder = tempfile::tempdir().unwrap();
            let script = format!("exec \"$0\" \"$@\" {redirection}");
            let args = [&["-c", &script, EDGE], args].concat();
            let mut command = command("sh", folder.path(), &args);
            let mut process = Process(command.stderr(stderr).spawn().unwrap());
            assert_eq!(process.ends().code(), Some(code), "{way} {args:?}");
            drop(unread);
        }
    }
}

#[test]
fn lines_that_were_dropped_are_logged_once_lines_are_read_again() {
    // A pipe, what is being written and what is queued, in lines of 700 bytes.
    const REQUESTS: usize = (64 + 2 * 1024) * 1024 / 700;
    let folder = folder_with_snapshot();
    let (unread, writer) = std::io::pipe().unwrap();
    let (mut process, address) = start(&folder, writer.into(), "");
    let mut stream = TcpStream::connect(&address).unwrap();
    let agent = "\\".repeat(256);
    let request = format!("HEAD /about HTTP/1.1\r\nHost: {address}\r\nUser-Agent: {agent}\r\n\r\n");
    let mut answers = BufReader::new(stream.try_clone().unwrap()).lines();
    for _ in 0..=REQUESTS {
        stream.write_all(request.as_bytes()).unwrap();
        while !answers.next().unwrap().unwrap().is_empty() {}
    }
    let mut lines = BufReader::new(unread).lines();
    let dropped = lines.find(|line| line.as_ref().unwrap().contains("lines of this log were dropped lines="));
    assert!(dropped.is_some());
    process.terminate();
    let left: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(process.ends().code(), Some(0));
    assert!(left.last().unwrap().contains("ending"), "the last lines are written: {left:?}");
}
