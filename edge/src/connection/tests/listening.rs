//! The listener: its address, the cap, and a process without descriptors.

use std::fs::File;
use std::process::Command;

use super::*;

#[tokio::test]
async fn a_port_in_use_is_named_with_the_way_out() {
    let first = bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = first.local_addr().unwrap();
    let error = bind(address).unwrap_err();
    assert_eq!(error.to_string(), format!("{address} is in use; choose another with --listen"));
}

#[tokio::test]
async fn an_address_of_another_machine_is_named_as_such() {
    let error = bind("192.0.2.1:8080".parse().unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("192.0.2.1:8080 is not an address of this machine"), "{error}");
}

#[tokio::test]
async fn one_connection_over_the_cap_is_closed_and_a_place_left_is_taken() {
    let server = Server::start(Limits { max_connections: 2, ..generous() });
    let mut kept = Vec::new();
    for _ in 0..2 {
        let mut stream = server.send(GET).await;
        read_until(&mut stream, "path /").await;
        kept.push(stream);
    }
    let mut third = server.connect().await;
    assert_eq!(read_to_close(&mut third).await, "");
    assert_eq!(server.counters.read().refused, 1);
    assert_eq!(server.counters.read().open, 2);

    kept.pop();
    eventually(|| server.counters.read().open == 1).await;
    let mut fourth = server.send(GET).await;
    read_until(&mut fourth, "path /").await;
    assert_eq!(server.counters.read().accepted, 4);
}

/// Runs the next test in a process of its own, where it may use up every descriptor.
#[test]
fn a_process_out_of_descriptors_sheds_connections_and_recovers() {
    let (_, module) = module_path!().split_once("::").unwrap();
    let status = Command::new("sh")
        .args(["-c", "ulimit -n 64 && exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "--nocapture", &format!("{module}::out_of_descriptors")])
        .status()
        .unwrap();
    assert!(status.success());
}

#[tokio::test]
#[ignore = "needs a process of its own with few descriptors"]
async fn out_of_descriptors() {
    let server = Server::start(generous());
    let mut before = server.send(GET).await;
    read_until(&mut before, "path /").await;

    let mut files = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        files.push(file);
        assert!(files.len() < 1000, "the limit on descriptors is not small");
    }
    for _ in 0..3 {
        files.pop();
        let mut shed = server.connect().await;
        assert_eq!(read_to_close(&mut shed).await, "");
        drop(shed);
        files.push(File::open("/dev/null").unwrap());
        before.write_all(GET).await.unwrap();
        read_until(&mut before, "path /").await;
    }
    assert!(server.counters.read().accept_errors >= 3);

    files.clear();
    let mut after = server.send(GET).await;
    read_until(&mut after, "path /").await;
}
