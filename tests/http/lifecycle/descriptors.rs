//! A server that has no file descriptors left.

use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{DataDir, Raw, Server, serve_command, taxd};

/// More than a server takes for itself, and few enough to be used up.
const MOST: usize = 64;

#[test]
fn the_control_socket_waits_for_descriptors_without_spinning_and_works_again() {
    let dir = DataDir::ready();
    let serve = serve_command(&dir.path(), &[]);
    let mut limited = Command::new("/bin/sh");
    limited.env_clear().arg("-c").arg(format!("ulimit -n {MOST}; exec \"$0\" \"$@\""));
    limited.arg(serve.get_program()).args(serve.get_args());
    let server = Server::start_by(limited, Some("unused"));
    let crowd: Vec<Raw> = (0..MOST).map(|_| server.raw()).collect();
    server.wait_for_log("a connection could not be accepted");
    let one_more = UnixStream::connect(dir.socket()).unwrap();
    let start = Instant::now();
    server.wait_for_logs("a control connection could not be served", 6);
    assert!(start.elapsed() > Duration::from_millis(5 * 40), "six tries in {:?}", start.elapsed());
    drop((crowd, one_more));
    assert!(taxd(&dir, ["account", "list", "--json"]).ok().json().is_array());
}
