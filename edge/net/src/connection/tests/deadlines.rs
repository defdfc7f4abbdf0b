//! Stalled connections are closed at their deadline and not before.

use super::super::spread;
use super::*;

/// What was sent and answered, and what is sent then.
type Stall<'a> = (&'a [u8], &'a [u8]);

#[tokio::test(start_paused = true)]
async fn a_stalled_connection_is_closed_at_its_deadline() {
    let request = Limits { request: SHORT, ..generous() };
    let idle = Limits { idle: SHORT, ..generous() };
    let body = b"POST /length HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n123";
    let table: [(Limits, Stall<'_>, CloseReason); 5] = [
        (request, (b"", b""), CloseReason::Request),
        (request, (b"", b"GET / HTTP/1.1\r\nhost:"), CloseReason::Request),
        (request, (GET, b"GET / HTTP/1.1\r\n"), CloseReason::Request),
        (request, (b"", body), CloseReason::Request),
        (idle, (GET, b""), CloseReason::Idle),
    ];
    for (limits, (answered, then), reason) in table {
        let server = Server::start(limits);
        let mut stream = server.send(answered).await;
        if !answered.is_empty() {
            read_until(&mut stream, "path /").await;
        }
        let began = Instant::now();
        stream.write_all(then).await.unwrap();
        assert_eq!(read_to_close(&mut stream).await, "", "{}", String::from_utf8_lossy(then));
        assert!(began.elapsed() + ms(50) >= SHORT);
        server.closed_for(reason).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_that_drips_is_closed_although_bytes_keep_coming() {
    let server = Server::start(Limits { request: SHORT, ..generous() });
    let began = Instant::now();
    let mut stream = server.send(b"GET / HTTP/1.1\r\nx: ").await;
    while stream.write_all(b"x").await.is_ok() {
        assert!(began.elapsed() < PATIENCE, "the connection stayed open");
        tokio::time::sleep(ms(20)).await;
    }
    assert!(began.elapsed() >= SHORT);
    server.closed_for(CloseReason::Request).await;
}

#[tokio::test(start_paused = true)]
async fn a_kept_connection_in_use_is_not_idle_and_the_request_deadline_does_not_run_between_requests() {
    let server = Server::start(Limits { request: SHORT, idle: Duration::from_secs(2), ..generous() });
    let mut stream = server.send(GET).await;
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(5) {
        read_until(&mut stream, "path /").await;
        tokio::time::sleep(3 * SHORT).await;
        stream.write_all(GET).await.unwrap();
    }
    assert_eq!(server.counters.open_now(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_is_cut_at_the_stall_deadline_or_at_twice_the_maximum_age() {
    for (limits, deadline, reason) in [
        (Limits { write_stall: SHORT, ..generous() }, SHORT, CloseReason::Stall),
        (Limits { max_age: SHORT, ..generous() }, 2 * SHORT.mul_f64(0.9), CloseReason::Age),
    ] {
        let server = Server::start(limits);
        let began = Instant::now();
        let _stream = server.send(BIG_GET).await;
        server.closed_for(reason).await;
        assert!(began.elapsed() >= deadline);
    }
}

/// A connection of the `nth` client, which has requested a counted body and reads `until` there.
async fn deaf(server: &Server, nth: u8, until: &str) -> DuplexStream {
    let mut stream = server.connect_from(SocketAddr::from(([198, 51, 100, nth], 80)));
    stream.write_all(b"GET /counted HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let answer = read_until(&mut stream, "\r\n\r\n").await;
    assert!(answer.starts_with(until), "{nth}: {answer}");
    stream
}

#[tokio::test(start_paused = true)]
async fn where_answers_fill_the_memory_the_longest_stalled_are_cut_before_newcomers_are_refused() {
    let server = Server::with(generous(), InFlight::new(FLIGHT, TrustedProxies::default()));
    let ok = "HTTP/1.1 200 ";
    let mut held = Vec::new();
    for nth in 0..3 {
        held.push(deaf(&server, nth, ok).await);
        tokio::time::sleep(ms(300)).await;
    }
    deaf(&server, 3, "HTTP/1.1 503 ").await;
    assert_eq!(server.counters.closed(CloseReason::Room), 0, "a second of silence is no stall");
    tokio::time::sleep(ms(200)).await;
    held.push(deaf(&server, 4, ok).await);
    eventually(|| server.counters.closed(CloseReason::Room) == 1).await;
    let first = read_to_close(&mut held.remove(0)).await;
    assert!(first.len() < COUNTED, "the first is cut, {} bytes", first.len());
    for stream in &mut held {
        stream.read_exact(&mut vec![0; COUNTED]).await.unwrap();
    }
    eventually(|| server.counters.in_flight.bytes() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn the_longest_stalled_are_cut_until_half_of_the_memory_is_free_and_the_others_go_on() {
    let server = Server::with(generous(), InFlight::new(FLIGHT, TrustedProxies::default()));
    let _uncounted = server.send(BIG_GET).await;
    let mut held = Vec::new();
    for nth in 0..4 {
        // The fourth finds three that have read nothing for more than a second.
        tokio::time::sleep(ms(if nth == 3 { 1300 } else { 300 })).await;
        held.push(deaf(&server, nth, "HTTP/1.1 200 ").await);
    }
    eventually(|| server.counters.closed(CloseReason::Room) == 2).await;
    held[2].read_exact(&mut vec![0; COUNTED]).await.unwrap();
    assert_eq!(server.counters.closed(CloseReason::Room), 2);
}

#[tokio::test(start_paused = true)]
async fn a_stall_is_shorter_while_more_than_half_of_the_memory_is_used() {
    let server = Server::with(generous(), InFlight::new(FLIGHT, TrustedProxies::default()));
    let _first = deaf(&server, 0, "HTTP/1.1 200 ").await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let _second = deaf(&server, 1, "HTTP/1.1 200 ").await;
    tokio::time::sleep(ms(100)).await;
    assert_eq!(server.counters.closed(CloseReason::Room), 0, "408 of 1024 KB");
    let _third = deaf(&server, 2, "HTTP/1.1 200 ").await;
    eventually(|| server.counters.closed(CloseReason::Room) == 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_is_not_cut() {
    let stall = Duration::from_secs(1);
    let server = Server::start(Limits { write_stall: stall, ..generous() });
    let mut stream = server.send(b"GET /big HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    let (mut chunk, mut total) = (vec![0; 1 << 20], 0);
    loop {
        let got = stream.read(&mut chunk).await.unwrap();
        if got == 0 {
            break;
        }
        total += got;
        tokio::time::sleep(ms(20)).await;
    }
    assert!(total > BIG);
    server.closed_for(CloseReason::Done).await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_in_use_loses_no_request_at_its_maximum_age() {
    let server = Server::start(Limits { max_age: SHORT, parting: PATIENCE, ..generous() });
    let began = Instant::now();
    let mut stream = server.connect();
    let mut answer = String::new();
    while !answer.contains("\r\nconnection: close\r\n") {
        tokio::time::sleep(ms(10)).await;
        stream.write_all(GET).await.unwrap();
        answer = read_until(&mut stream, "path /").await;
    }
    assert_eq!(read_to_close(&mut stream).await, "");
    assert!((SHORT.mul_f64(0.9)..2 * SHORT).contains(&began.elapsed()));
    server.closed_for(CloseReason::Age).await;
}

#[test]
fn maximum_ages_spread_over_a_tenth_either_way() {
    let age = Duration::from_secs(600);
    let ages: Vec<u64> = (0..1000).map(|nth| spread(age, nth).as_secs()).collect();
    assert!(ages.iter().all(|age| (540..=660).contains(age)));
    for minute in [540, 560, 580, 600, 620, 640] {
        let share = ages.iter().filter(|age| (minute..minute + 20).contains(*age)).count();
        assert!((120..=210).contains(&share), "{share} of 1000 between {minute} and 20 s later");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_left_of_a_refused_body_is_never_taken_for_a_request() {
    let server = Server::start(generous());
    let head = format!("POST /refused HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", GET.len());
    let mut stream = server.send(head.as_bytes()).await;
    read_until(&mut stream, "refused").await;
    tokio::time::sleep(ms(100)).await;
    // The body looks like a request.
    let _ = stream.write_all(GET).await;
    let _ = stream.shutdown().await;
    assert_eq!(read_to_close(&mut stream).await, "");
}

#[tokio::test(start_paused = true)]
async fn a_client_is_answered_eight_requests_at_a_time_and_others_need_not_wait_for_it() {
    let server = Server::start(generous());
    let mut held = Vec::new();
    for _ in 0..8 {
        held.push(server.send(HELD).await);
        server.gate.entered.notified().await;
    }
    let mut ninth = server.send(GET).await;
    let _other = server.answered(OTHER).await;
    assert!(tokio::time::timeout(ms(500), ninth.read_u8()).await.is_err(), "it waits for its turn");
    server.gate.release.notify_one();
    read_until(&mut ninth, "path /").await;
}

#[tokio::test(start_paused = true)]
async fn one_connection_over_the_cap_is_closed_and_a_place_left_is_taken() {
    let server = Server::start(Limits { max_connections: 2, ..generous() });
    let mut kept = Vec::new();
    for _ in 0..2 {
        kept.push(server.answered(CLIENT).await);
    }
    let mut third = server.connect();
    assert_eq!(read_to_close(&mut third).await, "");
    assert_eq!(server.counters.refused.get(), 1);
    assert_eq!(server.counters.open_now(), 2);

    kept.pop();
    eventually(|| server.counters.open_now() == 1).await;
    let _fourth = server.answered(CLIENT).await;
    assert_eq!(server.counters.accepted.get(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_client_has_a_quarter_of_the_connections_and_others_find_a_place() {
    let server = Server::start(Limits { max_connections: 80, ..generous() });
    let mut kept: Vec<DuplexStream> = (0..20).map(|_| server.connect()).collect();
    assert_eq!(read_to_close(&mut server.connect()).await, "");
    assert_eq!((server.counters.crowding.get(), server.counters.refused.get()), (1, 0));
    let _other = server.answered(OTHER).await;
    kept.pop();
    eventually(|| server.counters.open_now() == 20).await;
    let _again = server.answered(CLIENT).await;
}
