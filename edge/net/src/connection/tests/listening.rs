//! The listener, on real sockets: its address and its end.

use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::*;

/// A server on a port of its own.
struct Listening {
    address: SocketAddr,
    gate: Arc<Gate>,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

impl Listening {
    fn start() -> Self {
        let listener = bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let gate = Arc::<Gate>::default();
        let (stop, stopped) = oneshot::channel();
        let shutdown = async { _ = stopped.await };
        let served = serve(listener, Site(gate.clone()), generous(), Arc::default(), shutdown);
        Self { address, gate, stop, served: tokio::spawn(served) }
    }

    /// A connection that has sent `bytes`.
    async fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream
    }
}

#[tokio::test]
async fn an_address_in_use_or_of_another_machine_is_named_with_the_way_out() {
    let first = bind("127.0.0.1:0".parse().unwrap()).unwrap();
    for (address, problem) in [
        (first.local_addr().unwrap(), "in use"),
        ("192.0.2.1:8080".parse().unwrap(), "not an address of this machine"),
    ] {
        let expected = format!("{address} is {problem}; choose another address");
        assert_eq!(bind(address).unwrap_err().to_string(), expected);
    }
}

#[tokio::test]
async fn a_shutdown_closes_the_listener_and_still_waits_for_the_request_in_flight() {
    let server = Listening::start();
    let mut stream = server.send(HELD).await;
    server.gate.entered.notified().await;
    server.stop.send(()).unwrap();
    while TcpStream::connect(server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(!server.served.is_finished());

    server.gate.release.notify_one();
    assert!(read_to_close(&mut stream).await.ends_with("\r\n\r\nheld"));
    drop(stream);
    tokio::time::timeout(PATIENCE, server.served).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_connection_that_waits_to_be_accepted_at_the_shutdown_is_answered() {
    let server = Listening::start();
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    server.stop.send(()).unwrap();
    stream.write_all(b"GET /peer HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let own = stream.local_addr().unwrap();
    assert!(read_to_close(&mut stream).await.ends_with(&format!("\r\n\r\n{own}")));
    drop(stream);
    tokio::time::timeout(PATIENCE, server.served).await.unwrap().unwrap();
}
