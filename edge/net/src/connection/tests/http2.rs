//! HTTP/2 with prior knowledge, by raw frames (RFC 9113 §4.1).

use super::*;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

/// END_STREAM on DATA and HEADERS, ACK on SETTINGS and PING.
const END: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;

#[derive(Debug, PartialEq, Eq)]
struct Frame {
    kind: u8,
    flags: u8,
    payload: Vec<u8>,
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// HEADERS of `GET / HTTP/2`, scheme http, authority x, by indices of HPACK's static table (RFC 7541 app. A).
fn get(stream: u32) -> Vec<u8> {
    frame(HEADERS, END | END_HEADERS, stream, &[0x82, 0x86, 0x84, 0x41, 1, b'x'])
}

/// The next frame that requires no reply of the client; settings and pings are acknowledged. `None` at the end.
async fn next(stream: &mut DuplexStream) -> Option<Frame> {
    loop {
        let mut head = [0; 9];
        let read = tokio::time::timeout(PATIENCE, stream.read_exact(&mut head)).await;
        read.expect("the connection stayed open").ok()?;
        let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        stream.read_exact(&mut payload).await.ok()?;
        let (kind, flags) = (head[3], head[4]);
        match (kind, flags & ACK) {
            (SETTINGS, 0) => stream.write_all(&frame(SETTINGS, ACK, 0, &[])).await.ok()?,
            (PING, 0) => stream.write_all(&frame(PING, ACK, 0, &payload)).await.ok()?,
            (SETTINGS | PING, _) => {}
            _ => return Some(Frame { kind, flags, payload }),
        }
    }
}

async fn next_of(stream: &mut DuplexStream, kind: u8) -> Option<Frame> {
    while let Some(frame) = next(stream).await {
        if frame.kind == kind {
            return Some(frame);
        }
    }
    None
}

async fn connect(server: &Server) -> DuplexStream {
    server.send(&[PREFACE, &frame(SETTINGS, 0, 0, &[])].concat()).await
}

#[tokio::test(start_paused = true)]
async fn a_request_with_prior_knowledge_is_answered() {
    let server = Server::start(generous());
    let mut stream = connect(&server).await;
    stream.write_all(&get(1)).await.unwrap();
    assert_eq!(next_of(&mut stream, DATA).await.unwrap().payload, b"path /");
    stream.write_all(&get(3)).await.unwrap();
    assert_eq!(next_of(&mut stream, DATA).await.unwrap().payload, b"path /");
}

#[tokio::test(start_paused = true)]
async fn a_client_silent_after_its_preface_is_closed_for_want_of_a_pong() {
    let server = Server::start(Limits { h2_ping: SHORT, h2_pong: SHORT, ..generous() });
    let began = Instant::now();
    let mut stream = server.send(PREFACE).await;
    read_to_close(&mut stream).await;
    assert!(began.elapsed() >= SHORT);
    server.closed_for(CloseReason::Ping).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_only_answers_pings_is_sent_away_when_idle() {
    let server = Server::start(Limits { idle: 3 * SHORT, h2_ping: ms(50), ..generous() });
    let began = Instant::now();
    let mut stream = connect(&server).await;
    stream.write_all(&get(1)).await.unwrap();
    assert_eq!(next_of(&mut stream, DATA).await.unwrap().payload, b"path /");
    assert!(next_of(&mut stream, GOAWAY).await.is_some());
    assert!(began.elapsed() >= 3 * SHORT);
    while next(&mut stream).await.is_some() {}
    server.closed_for(CloseReason::Idle).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_keeps_resetting_its_requests_is_sent_away() {
    const ENHANCE_YOUR_CALM: u8 = 11;
    const CANCEL: &[u8] = &[0, 0, 0, 8];
    let server = Server::start(generous());
    let mut stream = connect(&server).await;
    let flood: Vec<u8> = (0..2000)
        .flat_map(|nth| [get(2 * nth + 1), frame(RST_STREAM, 0, 2 * nth + 1, CANCEL)].concat())
        .collect();
    stream.write_all(&flood).await.unwrap();
    let goaway = next_of(&mut stream, GOAWAY).await.expect("no GOAWAY came");
    assert_eq!(goaway.payload[4..8], [0, 0, 0, ENHANCE_YOUR_CALM]);
}

#[tokio::test(start_paused = true)]
async fn a_head_that_never_ends_is_cut_long_before_it_fills_memory() {
    let server = Server::start(generous());
    let mut stream = connect(&server).await;
    // "x: yyy…" as a literal that is not indexed (RFC 7541 §6.2.2), in frames of 1 KB without END_HEADERS.
    let field = [&[0, 1, b'x', 0x7f, 0xf9, 6][..], &[b'y'; 1016]].concat();
    stream.write_all(&frame(HEADERS, END, 1, &[0x82, 0x86, 0x84, 0x41, 1, b'x'])).await.unwrap();
    let mut sent = 0;
    while sent < 10_000 && stream.write_all(&frame(CONTINUATION, 0, 1, &field)).await.is_ok() {
        sent += 1;
        tokio::task::yield_now().await;
    }
    assert!(sent < 10_000, "all of it was taken");
    eventually(|| server.counters.open_now() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn settings_and_pings_without_end_are_acknowledged_and_hold_up_nobody_else() {
    let server = Server::start(Limits { write_stall: SHORT, ..generous() });
    let mut stream = connect(&server).await;
    let flood = [frame(SETTINGS, 0, 0, &[]), frame(PING, 0, 0, &[0; 8])].concat().repeat(1000);
    // The client reads nothing: sooner or later its acknowledgements wait, and it is cut for that.
    while stream.write_all(&flood).await.is_ok() {}
    let mut other = server.send(GET).await;
    read_until(&mut other, "path /").await;
    assert_eq!(server.counters.closed(CloseReason::Stall), 1);
}

/// A client whose streams have a window of this many bytes (SETTINGS_INITIAL_WINDOW_SIZE).
async fn connect_with_window(server: &Server, window: u8) -> DuplexStream {
    server.send(&[PREFACE, &frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, window])].concat()).await
}

/// HEADERS of a request for `/big`.
fn get_big(stream: u32) -> Vec<u8> {
    let block = [0x82, 0x86, 0x41, 1, b'x', 0x04, 4, b'/', b'b', b'i', b'g'];
    frame(HEADERS, END | END_HEADERS, stream, &block)
}

fn opened(stream: u32, bytes: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())
}

#[tokio::test(start_paused = true)]
async fn a_stream_whose_client_takes_nothing_is_reset_and_the_others_go_on() {
    let server = Server::start(Limits { stream_stall: SHORT, ..generous() });
    let mut stream = connect_with_window(&server, 0).await;
    stream.write_all(&get_big(1)).await.unwrap();
    assert!(next_of(&mut stream, RST_STREAM).await.is_some());
    stream.write_all(&[get(3), opened(3, 100)].concat()).await.unwrap();
    assert_eq!(next_of(&mut stream, DATA).await.unwrap().payload, b"path /");
    assert_eq!((server.counters.reset_streams.get(), server.counters.open_now()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_taken_slowly_is_not_reset() {
    let server = Server::start(Limits { stream_stall: Duration::from_secs(1), ..generous() });
    let mut stream = connect_with_window(&server, 0).await;
    stream.write_all(&[get_big(1), opened(0, 1 << 30)].concat()).await.unwrap();
    for _ in 0..75 {
        stream.write_all(&opened(1, 16 * 1024)).await.unwrap();
        assert_eq!(next_of(&mut stream, DATA).await.unwrap().payload.len(), 16 * 1024);
        tokio::time::sleep(ms(20)).await;
    }
    assert_eq!(server.counters.reset_streams.get(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_connection_whose_client_leaves_the_end_of_an_answer_is_cut() {
    let server = Server::start(Limits { stream_stall: SHORT, ..generous() });
    let mut stream = connect_with_window(&server, 1).await;
    stream.write_all(&get(1)).await.unwrap();
    assert_eq!(next_of(&mut stream, DATA).await.unwrap().payload, b"p");
    while next(&mut stream).await.is_some() {}
    server.closed_for(CloseReason::Stall).await;
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_lets_the_stream_in_flight_finish() {
    let server = Server::start(generous());
    let mut stream = connect(&server).await;
    let held = [0x82, 0x86, 0x41, 1, b'x', 0x04, 5, b'/', b'h', b'e', b'l', b'd'];
    stream.write_all(&frame(HEADERS, END | END_HEADERS, 1, &held)).await.unwrap();
    server.gate.entered.notified().await;
    server.stop();
    assert!(next_of(&mut stream, GOAWAY).await.is_some());
    server.gate.release.notify_one();
    assert_eq!(next_of(&mut stream, DATA).await.unwrap().payload, b"held");
    while next(&mut stream).await.is_some() {}
    server.closed().await;
    assert_eq!(server.counters.closed(CloseReason::Drain), 1);
}
