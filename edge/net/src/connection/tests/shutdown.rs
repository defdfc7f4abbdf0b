//! Shutdown loses no request that has begun, and does not wait for ever.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_shutdown_closes_connections_without_a_request_soon() {
    let server = Server::start(Limits { parting: SHORT, ..generous() });
    let mut stream = server.answered(CLIENT).await;
    server.stop();
    server.closed().await;
    assert_eq!(read_to_close(&mut stream).await, "");
}

#[tokio::test(start_paused = true)]
async fn whatever_a_connection_does_at_the_shutdown_its_next_answer_says_that_it_is_the_last() {
    let server = Server::start(Limits { parting: PATIENCE, ..generous() });
    let mut idle = server.answered(CLIENT).await;
    let mut begun = server.send(b"GET /late HTTP/1.1\r\nhost:").await;
    let mut silent = server.connect();
    let mut held = server.send(HELD).await;
    server.gate.entered.notified().await;
    server.stop();
    tokio::time::sleep(ms(50)).await;
    idle.write_all(GET).await.unwrap();
    begun.write_all(b" x\r\n\r\n").await.unwrap();
    silent.write_all(GET).await.unwrap();
    server.gate.release.notify_one();
    for (stream, body) in
        [(&mut idle, "path /"), (&mut begun, "late"), (&mut silent, "/"), (&mut held, "held")]
    {
        let response = read_to_close(stream).await;
        assert!(response.contains("\r\nconnection: close\r\n") && response.ends_with(body), "{response}");
    }
    server.closed().await;
    assert_eq!((server.counters.closed(CloseReason::Drain), server.counters.open_now()), (4, 0));
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
