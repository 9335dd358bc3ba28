//! Child processes of the benchmark, and their figures in `/proc`.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Interval of polling a process.
const LOOK: Duration = Duration::from_millis(20);

/// The release binary.
pub fn taxd(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxd"));
    command.env_clear().env("TAXD_LOG", "warn").stdin(Stdio::null()).args(args);
    command
}

/// Runs a command with `--json` on a data directory and returns its document.
pub fn ask(dir: &Path, args: &[&str]) -> Value {
    let done = taxd(args).args(["--json", "--data"]).arg(dir).output().expect("taxd runs");
    assert!(done.status.success(), "taxd {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).expect("a document")
}

/// A process that is killed when the value is dropped.
pub struct Process {
    pub child: Child,
}

/// Memory of a process, in MiB.
#[derive(Clone, Copy)]
pub struct Memory {
    pub resident: f64,
    /// Of that, anonymous memory: heap and stacks.
    pub anonymous: f64,
    /// Of that, pages of files: the binary.
    pub file: f64,
    /// The peak of resident memory.
    pub peak: f64,
}

/// Processor time used so far.
#[derive(Clone, Copy, Default)]
pub struct Cpu {
    pub all: Duration,
    /// By the thread that writes the call log.
    pub call_log: Duration,
}

impl Cpu {
    /// Returns the time used since `before`.
    pub fn since(self, before: Cpu) -> Cpu {
        Cpu { all: self.all.saturating_sub(before.all), call_log: self.call_log.saturating_sub(before.call_log) }
    }
}

impl Process {
    pub fn spawn(command: &mut Command) -> Process {
        Process { child: command.spawn().expect("a process starts") }
    }

    fn proc(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).ok()
    }

    /// Returns the memory now, or `None` if the process has ended.
    pub fn memory(&self) -> Option<Memory> {
        let status = self.proc("status")?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim_start_matches(':').trim().trim_end_matches(" kB").parse::<f64>().ok().map(|kib| kib / 1024.0)
        };
        Some(Memory {
            resident: field("VmRSS")?,
            anonymous: field("RssAnon")?,
            file: field("RssFile")?,
            peak: field("VmHWM")?,
        })
    }

    /// Returns the processor time used so far.
    pub fn cpu(&self) -> Cpu {
        let mut cpu = Cpu::default();
        for task in std::fs::read_dir(format!("/proc/{}/task", self.child.id())).into_iter().flatten().flatten() {
            let Ok(stat) = std::fs::read_to_string(task.path().join("stat")) else { continue };
            let Some((before, after)) = stat.rsplit_once(')') else { continue };
            let ticks: u64 = after.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<u64>().ok()).sum();
            // `/proc` counts in hundredths of a second on every kernel.
            let time = Duration::from_millis(ticks * 10);
            cpu.all += time;
            if before.ends_with("(call-log") {
                cpu.call_log += time;
            }
        }
        cpu
    }

    /// Waits for a successful end. Returns the duration and the peak memory in MiB.
    pub fn finish(mut self, what: &str) -> (Duration, f64) {
        let started = Instant::now();
        let mut peak = 0.0_f64;
        loop {
            peak = peak.max(self.memory().map_or(0.0, |memory| memory.peak));
            if let Some(status) = self.child.try_wait().expect("an own child") {
                assert!(status.success(), "{what}: {status}");
                return (started.elapsed(), peak);
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Process {
    /// Stops the process with SIGTERM and waits for its end.
    pub fn stop(self) {
        let sent = Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()), "`kill` is needed to stop a server");
        self.finish("a server that is asked to stop");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Fails only if the process was already waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts `taxd serve` and waits until it listens.
pub fn serve(dir: &Path) -> (Process, SocketAddr) {
    let mut command = taxd(&["serve", "--listen", "127.0.0.1:0", "--data"]);
    let mut process = Process::spawn(command.arg(dir).stdout(Stdio::piped()));
    let mut line = String::new();
    BufReader::new(process.child.stdout.take().expect("a pipe")).read_line(&mut line).expect("the greeting");
    let address = line.trim().rsplit('/').next().and_then(|a| a.parse().ok());
    (process, address.unwrap_or_else(|| panic!("taxd serve does not say where it listens: {line}")))
}
