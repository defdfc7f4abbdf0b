//! Shutdown loses no request that has begun, and does not wait for ever.

use super::*;

const HELD: &[u8] = b"GET /held HTTP/1.1\r\nhost: x\r\n\r\n";

#[tokio::test(start_paused = true)]
async fn a_shutdown_finishes_the_request_in_flight_with_connection_close() {
    let server = Server::start(generous());
    let mut stream = server.send(HELD).await;
    server.gate.entered.notified().await;
    server.stop();
    tokio::time::sleep(ms(50)).await;
    assert_eq!(server.counters.open_now(), 1);

    server.gate.release.notify_one();
    let response = read_to_close(&mut stream).await;
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(response.contains("\r\nconnection: close\r\n"), "{response}");
    assert!(response.ends_with("\r\n\r\nheld"), "{response}");
    server.closed().await;
    assert_eq!(server.counters.closed(CloseReason::Drain), 1);
    assert_eq!(server.counters.open_now(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_closes_connections_without_a_request_soon() {
    let server = Server::start(Limits { parting: SHORT, ..generous() });
    let mut stream = server.answered(CLIENT).await;
    server.stop();
    server.closed().await;
    assert_eq!(read_to_close(&mut stream).await, "");
}

#[tokio::test(start_paused = true)]
async fn a_connection_made_before_the_shutdown_is_answered_although_it_was_silent() {
    let server = Server::start(generous());
    let mut stream = server.connect();
    server.stop();
    tokio::time::sleep(ms(50)).await;
    stream.write_all(GET).await.unwrap();
    assert!(read_to_close(&mut stream).await.ends_with("path /"));
    server.closed().await;
}

#[tokio::test(start_paused = true)]
async fn a_kept_connection_gets_connection_close_with_its_next_answer() {
    let server = Server::start(Limits { parting: PATIENCE, ..generous() });
    let mut idle = server.answered(CLIENT).await;
    let mut begun = server.send(b"GET /late HTTP/1.1\r\nhost:").await;
    eventually(|| server.counters.open_now() == 2).await;
    server.stop();
    tokio::time::sleep(ms(50)).await;
    idle.write_all(GET).await.unwrap();
    begun.write_all(b" x\r\n\r\n").await.unwrap();
    for (mut stream, body) in [(idle, "path /"), (begun, "path /late")] {
        let response = read_to_close(&mut stream).await;
        assert!(response.contains("\r\nconnection: close\r\n") && response.ends_with(body), "{response}");
    }
    server.closed().await;
    assert_eq!(server.counters.closed(CloseReason::Drain), 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_left_after_the_drain_is_cut() {
    let server = Server::start(Limits { drain: SHORT, ..generous() });
    let mut stream = server.send(HELD).await;
    server.gate.entered.notified().await;
    let began = Instant::now();
    server.stop();
    assert_eq!(read_to_close(&mut stream).await, "");
    assert!(began.elapsed() >= SHORT);
    server.closed().await;
    assert_eq!(server.counters.closed(CloseReason::Drain), 1);
}
