//! Ranges whose connections break off, and answers that are longer than requested.

use bytes::Bytes;

use super::memory::{Client, Memory};
use crate::error::TargetError;
use crate::objects::fetch_range;

/// A store whose answers become something else, with an object whose byte n is n.
fn unsteady(mut change: impl FnMut(Bytes) -> Bytes + Send + 'static) -> Client {
    let memory = Memory::empty();
    memory.put("p", (0..2_000_000).map(|n| n as u8).collect::<Vec<u8>>());
    *memory.fault.lock().unwrap() = Some(Box::new(move |_, _, bytes| Ok(change(bytes))));
    Client::of(&memory)
}

#[tokio::test]
async fn a_range_goes_on_where_its_connection_broke_off() {
    let breaking = unsteady(|bytes| bytes.slice(..bytes.len().min(300_000)));
    let fetched = fetch_range(&breaking, "p", &(7..1_000_007)).await.map_err(drop).unwrap();
    assert!(fetched.len() == 1_000_000 && fetched.iter().zip(7u64..).all(|(byte, n)| *byte == n as u8));
    assert_eq!(breaking.memory.take_requests().len(), 4, "no byte twice");
    let trickle = unsteady(|bytes| bytes.slice(..1));
    assert_eq!(fetch_range(&trickle, "p", &(0..1000)).await, Err(TargetError::Length));
    assert_eq!(trickle.memory.take_requests().len(), 3, "a byte is no progress");
    let long = unsteady(|bytes| [bytes, Bytes::from_static(b"x")].concat().into());
    assert_eq!(fetch_range(&long, "p", &(0..1000)).await, Err(TargetError::Length));
}

/// A server whose answer to any range is that range by its head, and goes on for ever.
#[cfg(feature = "stores")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_longer_than_requested_is_given_up() {
    use std::io::{Read as _, Write as _};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let sent = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&sent);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4095/9000000000\r\nETag: \"a\"\r\n\
                        Last-Modified: Mon, 23 Nov 2026 00:00:00 GMT\r\nContent-Length: 9000000000\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            let chunk = [7; 65_536];
            while counted.load(Relaxed) < 3 << 30 && stream.write_all(&chunk).is_ok() {
                counted.fetch_add(chunk.len() as u64, Relaxed);
            }
        }
    });
    let target = crate::stores::open(&format!("http://{address}/site")).unwrap();
    assert_eq!(target.range("site.zip", 0, 4096).await, Err(TargetError::Length));
    assert!(sent.load(Relaxed) < 64 << 20, "{} bytes were read", sent.load(Relaxed));
}
