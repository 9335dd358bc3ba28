//! The addresses on which a server listens.

use std::net::{TcpListener, TcpStream};
use std::process::Command;

use crate::support::{DataDir, Server, finish, program};

fn serve(dir: &DataDir) -> Command {
    let mut command = Command::new(program());
    command.env_clear().arg("serve").arg("--data").arg(dir.path());
    command
}

/// `:8080` was refused with "invalid socket address syntax".
#[test]
fn a_port_alone_is_that_port_of_every_address() {
    let dir = DataDir::ready();
    let file = dir.write("taxd.toml", "listen = \":0\"\nmetrics_listen = \":0\"\n");
    let (mut by_flag, mut by_variable, mut by_file) = (serve(&dir), serve(&dir), serve(&dir));
    by_flag.args(["--listen", ":0", "--metrics-listen", ":0"]);
    by_variable.env("TAXD_LISTEN", ":0").env("TAXD_METRICS_LISTEN", ":0");
    by_file.arg("--config").arg(file);
    for command in [by_flag, by_variable, by_file] {
        let mut server = Server::start_by(command, Some("unused"));
        server.wait_for_log(" metrics=");
        let log = server.log();
        let metrics = log.split(" metrics=").nth(1).unwrap().split_whitespace().next().unwrap();
        let metrics: u16 = metrics.rsplit(':').next().unwrap().parse().unwrap();
        for port in [server.port, metrics] {
            TcpStream::connect(("127.0.0.1", port)).unwrap();
            if TcpListener::bind("[::1]:0").is_ok() {
                TcpStream::connect(("::1", port)).unwrap();
            }
        }
        assert_eq!(server.stop("TERM").code(), Some(0));
    }
}

#[test]
fn the_name_of_this_machine_for_itself_is_taken_too() {
    let dir = DataDir::ready();
    let mut command = serve(&dir);
    command.args(["--listen", "localhost:0"]);
    let server = Server::start_by(command, Some("unused"));
    assert!(server.greeting[0].contains("http://127.0.0.1:"), "{:?}", server.greeting);
}

#[test]
fn what_cannot_be_listened_on_is_refused_with_the_form_or_the_reason() {
    let dir = DataDir::empty();
    for wrong in ["8080", "nowhere", "nowhere:8080", ":", ":+1", ":65536", "localhost:", "127.0.0.1"] {
        let done = finish(with(serve(&dir), &["--listen", wrong]), b"");
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{wrong}: {done:?}");
        assert!(done.stderr.contains("write it like 127.0.0.1:8080, or :8080 for every address"), "{wrong}: {done:?}");
    }
    for both in [[":18083", ":18083"], [":18083", "127.0.0.1:18083"], ["0.0.0.0:18083", ":18083"]] {
        let done = finish(with(serve(&dir), &["--listen", both[0], "--metrics-listen", both[1]]), b"");
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{both:?}: {done:?}");
        assert!(done.stderr.contains("give the metrics an address of their own"), "{both:?}: {done:?}");
    }
    let taken = TcpListener::bind("0.0.0.0:0").unwrap();
    let every = format!(":{}", taken.local_addr().unwrap().port());
    for more in [[].as_slice(), &["--check-config"]] {
        let done = finish(with(serve(&dir), &[&["--listen", every.as_str()], more].concat()), b"");
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{more:?}: {done:?}");
        assert!(done.stderr.contains(&format!("cannot listen on {every}: ")), "{more:?}: {done:?}");
    }
}

fn with(mut command: Command, args: &[&str]) -> Command {
    command.args(args);
    command
}
