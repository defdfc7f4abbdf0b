//! Ranges whose connections break off, and answers that are longer than requested.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use async_trait::async_trait;
use bytes::Bytes;

use crate::error::TargetError;
use crate::objects::fetch_range;
use crate::stores::{FetchedObject, ObjectVersion, Precondition, ReadFn, Target};

/// An archive whose byte n is n, and how it answers.
#[derive(Default)]
struct Unsteady {
    /// A connection gives so many bytes, if not all.
    breaks_after: Option<u64>,
    is_long: bool,
    sent: AtomicU64,
    requests: AtomicU64,
}

#[async_trait]
impl Target for Unsteady {
    fn place(&self) -> String {
        "unsteady://".to_owned()
    }

    async fn range(&self, _: &str, start: u64, length: u64) -> Result<Bytes, TargetError> {
        self.requests.fetch_add(1, Relaxed);
        let length = self.breaks_after.unwrap_or(length).min(length) + u64::from(self.is_long);
        self.sent.fetch_add(length, Relaxed);
        Ok((start..start + length).map(|n| n as u8).collect())
    }

    async fn get(
        &self,
        _: &str,
        _: Option<&ObjectVersion>,
        _: u64,
    ) -> Result<Option<FetchedObject>, TargetError> {
        unreachable!("only ranges are fetched")
    }

    async fn length(&self, _: &str) -> Result<u64, TargetError> {
        unreachable!("only ranges are fetched")
    }

    async fn upload(&self, _: &str, _: u64, _: ReadFn<'_>) -> Result<(), TargetError> {
        unreachable!("nothing is written")
    }

    async fn write(&self, _: &str, _: Bytes, _: Precondition<'_>) -> Result<ObjectVersion, TargetError> {
        unreachable!("nothing is written")
    }

    async fn delete(&self, _: &str) -> Result<(), TargetError> {
        unreachable!("nothing is removed")
    }
}

#[tokio::test]
async fn a_range_goes_on_where_its_connection_broke_off() {
    let target = Unsteady { breaks_after: Some(300_000), ..Unsteady::default() };
    let fetched = fetch_range(&target, ("p", 7, 1_000_000)).await.map_err(drop).unwrap();
    assert!(fetched.len() == 1_000_000 && fetched.iter().zip(7u64..).all(|(byte, n)| *byte == n as u8));
    assert_eq!((target.requests.load(Relaxed), target.sent.load(Relaxed)), (4, 1_000_000), "no byte twice");
    let trickle = Unsteady { breaks_after: Some(1), ..Unsteady::default() };
    let given_up = fetch_range(&trickle, ("p", 0, 1000)).await.map(drop);
    assert_eq!(
        (given_up, trickle.requests.load(Relaxed)),
        (Err(TargetError::Length), 3),
        "a byte is no progress"
    );
    let long = Unsteady { is_long: true, ..Unsteady::default() };
    assert_eq!(fetch_range(&long, ("p", 0, 1000)).await.map(drop), Err(TargetError::Length));
}

/// A server whose answer to any range is that range by its head, and goes on for ever.
#[cfg(feature = "stores")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_longer_than_requested_is_given_up() {
    use std::io::{Read as _, Write as _};
    use std::sync::Arc;
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
