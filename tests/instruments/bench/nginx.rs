//! nginx with one file, to compare the static record of the edge with.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::cpu_seconds;

/// Headers that nginx sends by itself.
const OWN: [&str; 6] = ["connection", "content-type", "content-length", "date", "etag", "last-modified"];

/// The path of the file.
pub const PATH: &str = "/record";

/// A running nginx, as many workers as processors, which ends when it is dropped.
pub struct Nginx {
    pub address: SocketAddr,
    master: Child,
}

impl Nginx {
    /// Starts it with what `edge` answers at `path`, body and headers; `None` where it is not installed.
    pub fn start(folder: &Path, edge: SocketAddr, path: &str) -> Option<Self> {
        let answer = answer(edge, path);
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port is free");
        for (name, text) in [("record", body), ("nginx.conf", &settings(folder, free, head))] {
            std::fs::write(folder.join(name), text).expect("the temporary folder is writable");
        }
        let command = |name: &str| {
            let mut command = Command::new(name);
            command.arg("-c").arg(folder.join("nginx.conf")).stderr(Stdio::null()).spawn().ok()
        };
        let master = command("nginx").or_else(|| command("/usr/sbin/nginx"))?;
        let started = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            TcpStream::connect(free).is_ok()
        });
        started.then_some(Self { address: free, master })
    }

    /// Processor time of its workers so far.
    pub fn cpu_seconds(&self) -> f64 {
        let master = self.master.id();
        let workers = std::fs::read_to_string(format!("/proc/{master}/task/{master}/children"));
        workers.expect("this is Linux").split_whitespace().map(cpu_seconds).sum()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its workers end with it at this signal only.
        let master = Pid::from_child(&self.master);
        let _ = kill_process(master, Signal::TERM).map(|()| self.master.wait());
    }
}

/// As it is set up for speed: no log, files kept open, connections kept. `head` has the headers of the answer.
fn settings(folder: &Path, address: SocketAddr, head: &str) -> String {
    let folder = folder.display();
    let headers = head.lines().filter_map(|line| line.split_once(": "));
    let headers = headers.filter(|(name, _)| !OWN.iter().any(|own| name.eq_ignore_ascii_case(own)));
    let headers: String = headers
        .map(|(name, value)| format!("add_header {name} \"{}\";\n", value.replace('"', "\\\"")))
        .collect();
    let scratch: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path {folder}/{name};\n"))
        .concat();
    format!(
        "user root root;\ndaemon off;\nworker_processes auto;\npid {folder}/nginx.pid;\n\
         error_log {folder}/nginx.log;\nevents {{ worker_connections 256; }}\nhttp {{\n{scratch}{headers}\
         access_log off;\nsendfile on;\ntcp_nopush on;\nkeepalive_requests 1000000000;\n\
         open_file_cache max=16 inactive=1h;\ndefault_type application/json;\n\
         server {{ listen {address}; root {folder}; }}\n}}\n"
    )
}

/// An answer, head and body.
fn answer(address: SocketAddr, path: &str) -> String {
    let mut connection = TcpStream::connect(address).expect("the edge listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).expect("the edge reads");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("the edge answers in text");
    answer
}
