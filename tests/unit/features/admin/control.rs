//! The control socket, and clients that mean it ill or do not know better.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with};
use serde_json::json;
use taxd::features::Command;
use taxd::features::accounts::AccountCommand;
use taxd::features::check::check;
use taxd::features::control::{Bounds, ControlSocket, call, is_running};
use taxd::features::import::{ImportCommand, ImportFile};
use taxd::features::rules::{RulesCommand, RulesQuery};
use taxd::features::trust::TrustCommand;
use taxd_core::rulesets;
use taxd_core::service::Service;
use taxd_core::store::StoreError;
use tempfile::TempDir;

use crate::support::engine;

const PATIENCE: Duration = Duration::from_secs(30);

/// A socket in the directory, and the service behind it.
fn listening(dir: &Path, bounds: Bounds) -> (ControlSocket, Arc<Service>) {
    let service = Arc::new(Service::open(engine(0)).unwrap());
    (ControlSocket::listen(dir, Arc::clone(&service), bounds).unwrap(), service)
}

const LIST: Command = Command::Account(AccountCommand::List);

/// The answer of the server in the directory, if there is one.
fn accounts(dir: &Path) -> Option<serde_json::Value> {
    let answer = call(dir, &LIST, &mut |_| {}).map(Result::unwrap);
    assert_eq!(is_running(dir), answer.is_some());
    answer.map(|text| serde_json::from_str(text.get()).unwrap())
}

/// What the client sends for a command.
fn request(command: &Command) -> String {
    format!("{{\"run\":{}}}\n", serde_json::to_string(command).unwrap())
}

#[test]
fn a_client_that_does_not_read_keeps_no_thread() {
    let dir = TempDir::new().unwrap();
    let bounds = Bounds { patience: Duration::from_millis(200), ..Bounds::default() };
    let (_socket, service) = listening(dir.path(), bounds);
    rulesets::load(service.engine()).unwrap();
    let idle = Arc::strong_count(&service);
    // The answer is many times what a socket holds.
    let list = RulesQuery { tributo: Some("ipi".to_owned()), limit: 5_000, ..RulesQuery::default() };
    let mut client = UnixStream::connect(dir.path().join("control").join("sock")).unwrap();
    client.write_all(request(&Command::Rules(RulesCommand::List(Box::new(list)))).as_bytes()).unwrap();
    let start = Instant::now();
    let working = || Arc::strong_count(&service) > idle;
    while !working() {
        assert!(start.elapsed() < PATIENCE, "the command is not served");
        std::thread::yield_now();
    }
    while working() {
        assert!(start.elapsed() < PATIENCE, "the thread waits for its client for ever");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut taken = Vec::new();
    client.read_to_end(&mut taken).unwrap();
    assert!(!taken.is_empty() && !taken.ends_with(b"\n"), "{} bytes of an answer", taken.len());
    assert_eq!(accounts(dir.path()), Some(json!([])), "others are served");
}

#[test]
fn a_command_over_the_bound_is_refused() {
    let dir = TempDir::new().unwrap();
    let (_socket, _service) = listening(dir.path(), Bounds { command_bytes: 1024 * 1024, ..Bounds::default() });
    for bytes in [1_100_000, 5_000_000] {
        let file = ImportFile { name: "a.json".to_owned(), text: " ".repeat(bytes), signature: None };
        let import = Command::Import(ImportCommand { files: vec![file], ..ImportCommand::default() });
        let refused = call(dir.path(), &import, &mut |_| {}).unwrap().unwrap_err();
        let told = ["more than 1 MiB", "fewer files"].iter().all(|word| refused.to_string().contains(word));
        assert!(told, "{refused}");
    }
    assert_eq!(accounts(dir.path()), Some(json!([])));
}

#[test]
fn a_data_path_longer_than_a_socket_may_have_is_reached_all_the_same() {
    let root = TempDir::new().unwrap();
    let dir = root.path().join("d".repeat(200)).join("taxd-data");
    std::fs::create_dir_all(&dir).unwrap();
    assert_eq!(accounts(&dir), None);
    let (socket, _service) = listening(&dir, Bounds::default());
    assert_eq!(accounts(&dir), Some(json!([])));
    drop(socket);
    assert!(!dir.join("control").join("sock").exists(), "it goes with its server");
    assert_eq!(accounts(&dir), None);
}

#[test]
fn a_file_that_does_not_come_as_it_was_announced_is_refused() {
    let dir = TempDir::new().unwrap();
    let (_socket, _service) = listening(dir.path(), Bounds { command_bytes: 1024 * 1024, ..Bounds::default() });
    let file = ImportFile { name: "a.json".to_owned(), text: String::new(), signature: None };
    let import = Command::Import(ImportCommand { files: vec![file.clone(), file], ..ImportCommand::default() });
    let line = request(&import);
    for (files, told) in [
        ("2\n{}3\n{}", "did not arrive"),
        ("2\n{}", "not a command of this version"),
        ("2\n{}-1\n{}", "not a command of this version"),
        ("2\n{}2000000\n{}", "more than 1 MiB"),
        ("2\n{}99999999999999999999999999\n{}", "not a command of this version"),
    ] {
        let mut client = UnixStream::connect(dir.path().join("control").join("sock")).unwrap();
        client.write_all(format!("{line}{files}").as_bytes()).unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.contains(r#"{"refused":"#) && answer.contains(told), "{files}: {answer}");
    }
    assert_eq!(accounts(dir.path()), Some(json!([])));
}

#[test]
fn data_are_checked_once_at_a_time() {
    let engine = engine(0);
    rulesets::load(&engine).unwrap();
    let service = Service::open(engine).unwrap();
    let mut refused = Vec::new();
    let report = check(&service, &|| false, &mut |_| {
        refused.push(check(&service, &|| false, &mut |_| {}).unwrap_err().to_string());
    });
    assert!(report.unwrap().whole);
    assert!(
        !refused.is_empty() && refused.iter().all(|why| why.contains("the server is running another check")),
        "{refused:?}"
    );
    assert!(check(&service, &|| false, &mut |_| {}).unwrap().whole);
}

/// The answer of a server on a socket of this test's own.
fn refused_by(listen: impl FnOnce(&Path)) -> String {
    let dir = TempDir::new().unwrap();
    std::fs::create_dir(dir.path().join("control")).unwrap();
    listen(&dir.path().join("control").join("sock"));
    let begin = Instant::now();
    let refused = call(dir.path(), &LIST, &mut |_| {}).unwrap().unwrap_err().to_string();
    assert!((Duration::from_secs(5)..PATIENCE).contains(&begin.elapsed()), "{:?}: {refused}", begin.elapsed());
    refused
}

/// Callers waited for ever, and once they had filled the queue of the socket, they waited for the connection itself.
#[test]
fn a_server_that_says_nothing_is_given_up_at_every_stage() {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut silent = None;
            let refused = refused_by(|socket| silent = Some(UnixListener::bind(socket).unwrap()));
            assert!(refused.contains("has not answered for 5 seconds, so nothing was done"), "{refused}");
        });
        scope.spawn(|| {
            let mut waiting = Vec::new();
            let mut full = None;
            let refused = refused_by(|path| {
                let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::NONBLOCK, None).unwrap();
                bind(&socket, &SocketAddrUnix::new(path).unwrap()).unwrap();
                listen(&socket, 0).unwrap();
                full = Some(socket);
                loop {
                    let flags = SocketFlags::NONBLOCK;
                    let one = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
                    if connect(&one, &SocketAddrUnix::new(path).unwrap()).is_err() {
                        break;
                    }
                    waiting.push(one);
                }
            });
            assert!(refused.contains("has not answered for 5 seconds, so nothing was done"), "{refused}");
            assert!(!waiting.is_empty());
        });
        scope.spawn(|| {
            let mut held = None;
            let refused = refused_by(|socket| {
                let listener = UnixListener::bind(socket).unwrap();
                held = Some(std::thread::spawn(move || {
                    let (mut stream, _) = listener.accept().unwrap();
                    stream.write_all(b"{\"hello\":\"0.0.1\"}\n").unwrap();
                    let mut command = Vec::new();
                    stream.read_to_end(&mut command).unwrap();
                    command
                }));
            });
            assert!(refused.contains("then sent nothing for 5 seconds"), "{refused}");
            assert_eq!(held.unwrap().join().unwrap(), request(&LIST).as_bytes());
        });
    });
}

#[test]
fn a_server_of_another_version_is_named_when_it_is_not_understood() {
    let dir = TempDir::new().unwrap();
    std::fs::create_dir(dir.path().join("control")).unwrap();
    let listener = UnixListener::bind(dir.path().join("control").join("sock")).unwrap();
    let other = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"{\"hello\":\"0.0.1\"}\n{\"later_word\":1}\n").unwrap();
    });
    let refused = call(dir.path(), &LIST, &mut |_| {}).unwrap().unwrap_err().to_string();
    other.join().unwrap();
    assert!(refused.contains("taxd 0.0.1") && refused.contains("restart the server"), "{refused}");
}

/// The server works, and its caller knows that: only silence is given up on.
#[test]
fn a_command_that_takes_longer_than_silence_is_borne_is_waited_for() {
    let dir = TempDir::new().unwrap();
    let (_socket, service) = listening(dir.path(), Bounds::default());
    let (locked, is_locked) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The command writes, so it waits for this transaction.
            let written = service.store().write_outbox(|_| {
                locked.send(()).unwrap();
                std::thread::sleep(Duration::from_secs(7));
                Ok::<_, StoreError>(())
            });
            written.unwrap();
        });
        is_locked.recv().unwrap();
        let begin = Instant::now();
        let command = Command::Trust(TrustCommand::Remove { name: "x".to_owned() });
        let done = call(dir.path(), &command, &mut |_| {}).unwrap();
        assert!(done.unwrap_err().to_string().contains("no trusted key is called"));
        assert!(begin.elapsed() > Duration::from_secs(5), "it did not wait: {:?}", begin.elapsed());
    });
}
