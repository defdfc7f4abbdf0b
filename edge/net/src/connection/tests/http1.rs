//! HTTP/1.1 as hyper answers it behind the driver.

use super::*;

#[tokio::test(start_paused = true)]
async fn what_is_not_http1_is_answered_400_and_closed_although_the_client_stays() {
    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let second = [GET, PREFACE].concat();
    for bytes in [&b"G\0T / HTTP/1.1\r\n\r\n"[..], PREFACE, &PREFACE[..18], &second] {
        let server = Server::start(generous());
        let began = Instant::now();
        let mut stream = server.send(bytes).await;
        let answer = read_to_close(&mut stream).await;
        let (_, refusal) = answer.rsplit_once("HTTP/1.1 ").unwrap();
        assert!(refusal.starts_with("400 ") && refusal.contains("\r\nconnection: close\r\n"), "{answer}");
        server.closed_for(CloseReason::Malformed).await;
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_does_not_wait_for_the_next_request_to_be_whole() {
    let server = Server::start(generous());
    let mut stream = server.send(b"GET /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HT").await;
    read_until(&mut stream, "path /1").await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_comes_byte_by_byte_is_answered() {
    let server = Server::start(generous());
    let mut stream = server.connect();
    for byte in b"PRIDE /slow HTTP/1.1\r\nhost: x\r\n\r\n" {
        stream.write_all(&[*byte]).await.unwrap();
        tokio::time::sleep(ms(1)).await;
    }
    read_until(&mut stream, "path /slow").await;
}

#[tokio::test(start_paused = true)]
async fn a_body_is_read_whole_an_early_answer_reaches_who_still_sends_and_a_client_of_ipv4_appears_as_such() {
    for (line, length, status, end) in [
        ("POST /length", 100_000, "200", "\r\n\r\n100000"),
        ("POST /refused", 500_000, "413", "refused"),
        ("GET /peer", 0, "200", "\r\n\r\n192.0.2.7:1234"),
    ] {
        let head =
            format!("{line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
        let server = Server::start(generous());
        let mut stream = server.send((head + &"x".repeat(length)).as_bytes()).await;
        let answer = read_to_close(&mut stream).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.ends_with(end), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_ends_its_side_gets_what_is_answered_at_once() {
    for (request, end) in [
        (GET, "path /"),
        (BIG_GET, "xxxx"),
        (b"GET /big HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\n\r\n", "path /2"),
        (b"POST /length HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n123", "\r\n\r\n3"),
    ] {
        let server = Server::start(generous());
        let mut stream = server.send(request).await;
        stream.shutdown().await.unwrap();
        let answer = read_to_close(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(end), "{}", answer.len());
        assert!(end != "xxxx" || answer.len() > BIG);
        server.closed_for(CloseReason::Done).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_answer_takes_long_is_dropped_when_its_client_leaves() {
    let server = Server::start(generous());
    let mut stream = server.send(HELD).await;
    server.gate.entered.notified().await;
    let began = Instant::now();
    stream.shutdown().await.unwrap();
    assert_eq!(read_to_close(&mut stream).await, "");
    assert!(began.elapsed() < ms(100));
    server.closed().await;
}
