//! Messages to the service manager, on a socket of the test instead of systemd's.

use std::net::TcpStream;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process::Command;
use std::time::Duration;

use crate::support::{DataDir, Server, serve_command, taxd};

/// Longest wait for a message.
const PATIENCE: Duration = Duration::from_mins(1);
/// Patience of the manager in these tests.
const WATCHDOG: Duration = Duration::from_millis(200);

/// The manager's end, listening beside the data directory.
struct Manager {
    socket: UnixDatagram,
    name: String,
}

impl Manager {
    fn listen(dir: &DataDir) -> Manager {
        let path = dir.write("manager", "");
        std::fs::remove_file(&path).unwrap();
        Manager::of(UnixDatagram::bind(&path).unwrap(), path.to_str().unwrap().to_owned())
    }

    fn of(socket: UnixDatagram, name: String) -> Manager {
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Manager { socket, name }
    }

    /// Returns the command of a server with this manager.
    fn command(&self, dir: &DataDir) -> Command {
        let mut command = serve_command(&dir.path(), &[]);
        command.env("NOTIFY_SOCKET", &self.name);
        command
    }

    /// Returns the lines of the next message.
    #[track_caller]
    fn hear(&self) -> Vec<String> {
        let mut message = [0; 4096];
        let length = self.socket.recv(&mut message).unwrap();
        String::from_utf8(message[..length].to_vec()).unwrap().lines().map(str::to_owned).collect()
    }

    /// Returns the lines of all messages up to the first that has this line.
    #[track_caller]
    fn hear_until(&self, line: &str) -> Vec<String> {
        let mut heard = Vec::new();
        while !heard.iter().any(|said| said == line) {
            heard.extend(self.hear());
        }
        heard
    }

    /// Returns the lines that a server, which has ended, sent and that were not read yet.
    fn rest(&self) -> Vec<String> {
        self.socket.set_nonblocking(true).unwrap();
        let mut message = [0; 4096];
        let mut rest = Vec::new();
        while let Ok(length) = self.socket.recv(&mut message) {
            rest.extend(String::from_utf8_lossy(&message[..length]).lines().map(str::to_owned));
        }
        rest
    }
}

#[test]
fn it_hears_that_the_service_starts_listens_and_stops_in_this_order() {
    let dir = DataDir::empty();
    let manager = Manager::listen(&dir);
    let mut server = Server::start_by(manager.command(&dir), Some("none yet"));
    let heard = manager.hear_until("READY=1");
    let address = format!("127.0.0.1:{}", server.port);
    // Not before the listener is there, and the control socket.
    assert!(TcpStream::connect(&address).is_ok() && dir.socket().exists());
    assert_eq!(
        heard,
        [
            "STATUS=opening the data file".to_owned(),
            "STATUS=loading the built-in rules, if there are none".to_owned(),
            "READY=1".to_owned(),
            format!("STATUS=listening on {address}"),
        ]
    );
    assert!(server.stop("TERM").success());
    // Without WATCHDOG_USEC there is no watchdog.
    assert_eq!(manager.rest(), ["STOPPING=1", "STATUS=finishing what is in flight"]);
}

#[test]
fn no_key_is_printed_for_a_journal_to_keep() {
    // Also if its socket cannot be used: the journal is there all the same.
    let dir = DataDir::empty();
    let mut command = serve_command(&dir.path(), &[]);
    command.env("NOTIFY_SOCKET", "/nowhere/at/all");
    let server = Server::start_by(command, Some("none yet"));
    server.wait_for_log("there is no account yet");
    drop((server, dir));

    let dir = DataDir::empty();
    let manager = Manager::listen(&dir);
    let mut server = Server::start_by(manager.command(&dir), Some("none yet"));
    server.wait_for_log("there is no account yet");
    assert_eq!(taxd(&dir, ["account", "list", "--json"]).ok().json(), serde_json::json!([]));
    let account = dir.account("Escritório", &[]);
    assert_eq!(server.post_as(&account.live.key, "/v1/calculate", "{}").status, 422, "a key made now is good");
    assert!(server.stop("TERM").success());
    let said = server.greeting.join("\n") + &server.log();
    assert!(!said.contains("svc_"), "{said}");
}

#[test]
fn it_hears_again_and_again_that_the_service_answers_until_it_does_not() {
    let dir = DataDir::ready();
    let manager = Manager::listen(&dir);
    let mut command = manager.command(&dir);
    command.env("WATCHDOG_USEC", WATCHDOG.as_micros().to_string());
    let mut server = Server::start_by(command, Some("unused"));
    manager.hear_until("READY=1");
    for _ in 0..5 {
        assert_eq!(manager.hear(), ["WATCHDOG=1"]);
    }
    server.signal("STOP");
    manager.socket.set_read_timeout(Some(WATCHDOG * 3)).unwrap();
    // Messages from before the process was frozen still arrive, then no more.
    while manager.socket.recv(&mut [0; 64]).is_ok() {}
    manager.socket.set_read_timeout(Some(PATIENCE)).unwrap();
    server.signal("CONT");
    assert_eq!(manager.hear(), ["WATCHDOG=1"]);
    assert!(server.stop("TERM").success());
    assert!(manager.rest().contains(&"STOPPING=1".to_owned()));
}

#[test]
fn a_watchdog_that_is_meant_for_another_process_is_left_to_it() {
    let dir = DataDir::ready();
    let manager = Manager::listen(&dir);
    let mut command = manager.command(&dir);
    command.env("WATCHDOG_USEC", "2000").env("WATCHDOG_PID", "1");
    let mut server = Server::start_by(command, Some("unused"));
    manager.hear_until("READY=1");
    manager.socket.set_read_timeout(Some(WATCHDOG)).unwrap();
    assert!(manager.socket.recv(&mut [0; 64]).is_err(), "a beat");
    assert!(server.stop("INT").success());
}

#[test]
fn an_abstract_socket_is_one_too() {
    let dir = DataDir::ready();
    let name = format!("taxd-test-{}", std::process::id());
    let socket = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let manager = Manager::of(socket, format!("@{name}"));
    let server = Server::start_by(manager.command(&dir), Some("unused"));
    let heard = manager.hear_until("READY=1");
    assert_eq!(heard.last(), Some(&format!("STATUS=listening on 127.0.0.1:{}", server.port)));
}

#[test]
fn a_manager_that_is_gone_or_a_mistyped_watchdog_is_warned_of_and_no_obstacle() {
    let dir = DataDir::ready();
    let mut command = serve_command(&dir.path(), &[]);
    command.env("NOTIFY_SOCKET", "/nowhere/at/all");
    let server = Server::start_by(command, Some("unused"));
    server.wait_for_log("the socket in NOTIFY_SOCKET cannot be used");
    drop(server);

    let manager = Manager::listen(&dir);
    let mut command = manager.command(&dir);
    command.env("WATCHDOG_USEC", "soon");
    let server = Server::start_by(command, Some("unused"));
    server.wait_for_log("WATCHDOG_USEC is not understood");
    drop((manager, server));

    // It goes away while the service runs.
    let dir = DataDir::ready();
    let manager = Manager::listen(&dir);
    let mut server = Server::start_by(manager.command(&dir), Some("unused"));
    manager.hear_until("READY=1");
    drop(manager);
    assert!(server.stop("TERM").success());
    assert!(server.log().contains("a message to the service manager could not be sent"), "{}", server.log());
}
