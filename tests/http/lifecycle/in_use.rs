//! A data file that another taxd has open for a moment: commands wait for it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use taxd::core::engine::Engine;
use taxd::core::service::Service;
use taxd::core::store::Store;
use taxd::features::control::{Bounds, ControlSocket};

use crate::support::{DataDir, program, serve_command};

/// Starts it, and comes back when it says that it waits for the data file.
#[track_caller]
fn waiting(mut command: Command) -> (Child, BufReader<std::process::ChildStderr>) {
    let command = command.env("TAXD_LOG", "info").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("another taxd has the data file") {
        assert!(log.read_line(&mut said).unwrap() > 0, "it ended instead of waiting: {said}");
    }
    (child, log)
}

/// `taxd status` from a monitor, at the moment at which the service manager starts the server again.
#[test]
fn a_server_starts_though_a_command_has_the_file_at_that_moment() {
    let dir = DataDir::ready();
    let command = Store::open(&dir.path()).unwrap();
    let (mut server, _log) = waiting(serve_command(&dir.path(), &[]));
    drop(command);
    let mut greeting = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut greeting).unwrap();
    assert!(greeting.contains(" on http://127.0.0.1:"), "{greeting}");
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_command_is_answered_by_the_server_that_was_only_starting() {
    let dir = DataDir::ready();
    let service = Arc::new(Service::open(Engine::new(Store::open(&dir.path()).unwrap(), 0)).unwrap());
    let mut command = Command::new(program());
    command.env_clear().args(["account", "list", "--data"]).arg(dir.path());
    let (command, _log) = waiting(command);
    let _socket = ControlSocket::listen(&dir.path(), service, Bounds::default()).unwrap();
    let done = command.wait_with_output().unwrap();
    assert!(done.status.success(), "{done:?}");
    assert!(String::from_utf8_lossy(&done.stdout).contains("acc_"), "{done:?}");
}
