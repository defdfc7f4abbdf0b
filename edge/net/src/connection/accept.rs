//! The listening socket and its accept loop.

use std::fs::File;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};

use super::counters::Counters;

/// Connections the kernel queues before they are accepted.
const BACKLOG: i32 = 1024;
/// Pause after an accept that failed for want of a resource.
const BACK_OFF: Duration = Duration::from_millis(5);

/// Too many open files in the system, in the process (the same on every Unix).
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;

/// Listens on `address`; `[::]` takes IPv4 too. Must be called inside a tokio runtime.
///
/// # Errors
///
/// If the address is in use, is not of this machine, or may not be listened on; the message names the cause.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    listen(address).map_err(|error| io::Error::new(error.kind(), explain(address, &error)))
}

/// Listens on a socket that was opened elsewhere. Must be called inside a tokio runtime.
///
/// # Errors
///
/// If the system refuses to make it a socket that does not block.
pub(crate) fn adopt(listener: std::net::TcpListener) -> io::Result<TcpListener> {
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    if address.is_ipv6() {
        socket.set_only_v6(false)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

fn explain(address: SocketAddr, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => format!("{address} is in use; choose another address"),
        io::ErrorKind::AddrNotAvailable => {
            format!("{address} is not an address of this machine; choose another address")
        }
        _ => format!("cannot listen on {address}: {error}"),
    }
}

/// Accepts connections and recovers from errors of the listener.
pub(super) struct Acceptor {
    listener: TcpListener,
    counters: Arc<Counters>,
    /// A reserved descriptor. When none are left it is closed to accept one connection and close that: the client
    /// gets an error at once instead of waiting in the queue.
    reserve: Option<File>,
}

impl Acceptor {
    pub(super) fn new(listener: TcpListener, counters: Arc<Counters>) -> Self {
        Self { listener, counters, reserve: reserve() }
    }

    /// The next connection, ready for requests. May be cancelled.
    pub(super) async fn next(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok(accepted) => return prepared(accepted),
                Err(error) => self.recover(&error).await,
            }
        }
    }

    /// A connection that already waits in the queue, if there is one.
    pub(super) async fn queued(&self) -> Option<(TcpStream, SocketAddr)> {
        let poll = poll_fn(|cx| Poll::Ready(self.listener.poll_accept(cx))).await;
        match poll {
            Poll::Ready(Ok(accepted)) => Some(prepared(accepted)),
            Poll::Ready(Err(_)) | Poll::Pending => None,
        }
    }

    async fn recover(&mut self, error: &io::Error) {
        if is_the_clients(error) {
            return;
        }
        self.counters.accept_errors.add();
        if matches!(error.raw_os_error(), Some(EMFILE | ENFILE)) {
            self.reserve = None;
            drop(self.queued().await);
            self.reserve = reserve();
        }
        tokio::time::sleep(BACK_OFF).await;
    }
}

/// Sets TCP_NODELAY: hyper writes each small response in one piece, so there is nothing to gather.
fn prepared(accepted: (TcpStream, SocketAddr)) -> (TcpStream, SocketAddr) {
    // Fails only on a connection that is already gone; the first read reports that.
    let _ = accepted.0.set_nodelay(true);
    accepted
}

/// Whether only the connection being accepted failed, so that the next can be tried at once.
fn is_the_clients(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

fn reserve() -> Option<File> {
    File::open("/dev/null").ok()
}
