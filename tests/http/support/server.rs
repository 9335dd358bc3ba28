//! A running `taxd serve`, killed when dropped.

use std::io::{BufRead, BufReader, Read};
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{Client, program};

/// Time after which a waiting test fails.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);
/// Lines of the greeting: address, sandbox, data.
const GREETING_LINES: usize = 3;
/// Lines of the greeting on the first run, with the two keys and an example call.
const FIRST_GREETING_LINES: usize = 12;

/// The stderr of the server, and a signal for each new part of it.
#[derive(Default)]
struct Log {
    text: Mutex<String>,
    grown: Condvar,
}

/// A server process.
pub struct Server {
    child: Child,
    client: Client,
    /// The lines printed on stdout before it serves.
    pub greeting: Vec<String>,
    log: Arc<Log>,
    readers: Vec<JoinHandle<()>>,
}

/// Returns the command of a server, for tests in which it does not start.
pub fn serve_command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.env_clear().arg("serve").arg("--data").arg(dir).args(["--listen", "127.0.0.1:0"]).args(args);
    command
}

impl Server {
    /// Starts the server and waits for its greeting.
    pub fn start(dir: &Path, key: Option<&str>, args: &[&str]) -> Server {
        Server::start_by(serve_command(dir, args), key)
    }

    /// Starts the server by the test's own command, which must become the server's process.
    pub fn start_by(mut command: Command, key: Option<&str>) -> Server {
        let mut child = command
            .env("TAXD_LOG", "trace")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (lines, greeting) = std::sync::mpsc::channel();
        let out = child.stdout.take().unwrap();
        let mut err = child.stderr.take().unwrap();
        let log = Arc::new(Log::default());
        let filled = Arc::clone(&log);
        let readers = vec![
            std::thread::spawn(move || {
                for line in BufReader::new(out).lines().map_while(Result::ok) {
                    if lines.send(line).is_err() {
                        break;
                    }
                }
            }),
            std::thread::spawn(move || {
                let mut chunk = [0; 4096];
                while let Ok(n @ 1..) = err.read(&mut chunk) {
                    filled.text.lock().unwrap().push_str(&String::from_utf8_lossy(&chunk[..n]));
                    filled.grown.notify_all();
                }
            }),
        ];
        let mut server = Server {
            child,
            client: Client::new(0, key.unwrap_or_default().to_owned(), PATIENCE),
            greeting: Vec::new(),
            log,
            readers,
        };
        let lines = if key.is_none() { FIRST_GREETING_LINES } else { GREETING_LINES };
        while server.greeting.len() < lines {
            match greeting.recv_timeout(PATIENCE) {
                Ok(line) => server.greeting.push(line),
                Err(e) => panic!("{e}: {:?}\n{}", server.greeting, server.log()),
            }
        }
        let first = &server.greeting[0];
        server.client.port = first.rsplit(':').next().and_then(|p| p.parse().ok()).unwrap_or_else(|| panic!("{first}"));
        if let (None, Some(printed)) = (key, server.printed_key()) {
            server.client.key = printed;
        }
        server
    }

    /// Returns the sandbox key in the greeting, if there is one.
    pub fn printed_key(&self) -> Option<String> {
        self.greeting.iter().map(|l| l.trim()).find(|l| l.starts_with("svc_")).map(str::to_owned)
    }

    /// Waits until the log has this text.
    #[track_caller]
    pub fn wait_for_log(&self, text: &str) {
        self.wait_for_logs(text, 1);
    }

    /// Waits until the log has this text `times` times.
    #[track_caller]
    pub fn wait_for_logs(&self, text: &str, times: usize) {
        let log = self.log.text.lock().unwrap();
        let lacks = |log: &mut String| log.matches(text).count() < times;
        let (log, timeout) = self.log.grown.wait_timeout_while(log, PATIENCE, lacks).unwrap();
        assert!(!timeout.timed_out(), "not {times} times \"{text}\" in the log:\n{log}");
    }

    /// Returns the log so far.
    pub fn log(&self) -> String {
        self.log.text.lock().unwrap().clone()
    }

    /// Returns a memory figure of `/proc/PID/status`, in KiB.
    pub fn memory_kib(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim_start_matches(':').trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Returns the niceness of each thread of the server.
    pub fn niceness(&self) -> Vec<i32> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        // A thread may end between the two reads.
        let stats = tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")).ok());
        // proc(5): the name, in parentheses, is field 2, and the niceness field 19.
        let nice = |stat: String| stat.rsplit_once(')')?.1.split_whitespace().nth(16)?.parse().ok();
        stats.map(|stat| nice(stat).unwrap()).collect()
    }

    /// Sends a signal to the server's process.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status().unwrap();
        assert!(sent.success());
    }

    /// Signals the server, waits for its end and reads the rest of its output.
    pub fn stop(&mut self, signal: &str) -> ExitStatus {
        self.signal(signal);
        self.wait()
    }

    /// Waits for the end of the server.
    pub fn wait(&mut self) -> ExitStatus {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "the server does not end:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(5));
        };
        self.readers.drain(..).for_each(|r| r.join().unwrap());
        status
    }
}

impl Deref for Server {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails only if the test already waited for the process.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
