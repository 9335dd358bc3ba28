//! A server that has few file descriptors, or none left.

use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{DataDir, Raw, Server, finish, serve_command, taxd};

/// More than a server takes for itself, and few enough to be used up.
const MOST: usize = 64;

const GET: &str = "GET /sandbox/base.css HTTP/1.1\r\nHost: taxd\r\n\r\n";

/// The server's command under limits of open files.
fn limited(dir: &DataDir, soft: usize, hard: usize, args: &[&str]) -> Command {
    let serve = serve_command(&dir.path(), args);
    let mut limited = Command::new("/bin/sh");
    limited.env_clear().arg("-c").arg(format!("ulimit -Sn {soft}; ulimit -Hn {hard}; exec \"$0\" \"$@\""));
    limited.arg(serve.get_program()).args(serve.get_args());
    limited
}

#[test]
fn without_descriptors_it_waits_without_spinning_and_works_again() {
    let dir = DataDir::ready();
    let server = Server::start_by(limited(&dir, MOST, MOST, &[]), Some("unused"));
    let crowd: Vec<UnixStream> = (0..MOST).map(|_| UnixStream::connect(dir.socket()).unwrap()).collect();
    let start = Instant::now();
    server.wait_for_logs("a control connection could not be served", 6);
    assert!(start.elapsed() > Duration::from_millis(5 * 40), "six tries in {:?}", start.elapsed());
    let mut waiting = server.raw();
    waiting.send(GET);
    // Logged once, however often it is tried: it used to be twenty lines a second.
    server.wait_for_log("a connection could not be accepted");
    server.wait_for_logs("a control connection could not be served", 12);
    assert_eq!(server.log().matches("a connection could not be accepted").count(), 1, "{}", server.log());
    drop(crowd);
    assert_eq!(waiting.reply().status, 200);
    assert!(taxd(&dir, ["account", "list", "--json"]).ok().json().is_array());
}

#[test]
fn the_soft_limit_is_raised_as_far_as_connections_need() {
    let dir = DataDir::ready();
    let args = ["--metrics-listen", "127.0.0.1:0", "--max-connections", "200"];
    let _server = Server::start_by(limited(&dir, MOST, 1_000, &args), Some("unused"));
    let metrics = taxd(&dir, ["metrics"]).ok().stdout;
    assert!(metrics.contains("process_max_fds 456\n"), "{metrics}");
    let checked = finish(limited(&dir, MOST, 1_000, &[&args[2..], &["--check-config"]].concat()), b"").ok();
    assert!(!checked.stdout.contains("note:"), "{}", checked.stdout);
}

/// `--max-connections 4096` under a limit of 1,024 once left new callers without any answer.
#[test]
fn connections_beyond_the_hard_limit_are_refused_as_such_and_the_log_warns_before() {
    let dir = DataDir::ready();
    let told = "--max-connections is 4096, but a limit of 64 open files allows 32";
    let server = Server::start_by(limited(&dir, MOST, MOST, &[]), Some("unused"));
    server.wait_for_log(told);
    let key = dir.account("Um", &[]).live.key;
    let head = server.head("Expect: 100-continue\r\nContent-Length: 2\r\n\r\n").replace("unused", &key);
    let mut crowd: Vec<Raw> = (0..32).map(|_| server.raw()).collect();
    for raw in &mut crowd {
        assert_eq!(raw.send(&head).reply().status, 100);
    }
    for _ in 0..32 {
        server.raw().send(GET).reply().problem(503, "sobrecarga");
    }
    assert_eq!(server.log().matches(told).count(), 1);
    assert!(!server.log().contains("could not be accepted"), "{}", server.log());
    let check = |args: &[&str]| finish(limited(&dir, MOST, MOST, &[&["--check-config"], args].concat()), b"").ok();
    assert!(check(&[]).stdout.contains(&format!("note: {told}")));
    assert_eq!(check(&["--json"]).json()["notes"].as_array().map(Vec::len), Some(1));
    assert_eq!(check(&["--json", "--max-connections", "32"]).json()["notes"].as_array().map(Vec::len), Some(0));
}
