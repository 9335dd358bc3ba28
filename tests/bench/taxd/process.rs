//! Processes that the bench starts, ends by their own handle, and looks at in `/proc`.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Time between two looks at a process.
const LOOK: Duration = Duration::from_millis(20);

/// The release binary.
pub fn taxd(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxd"));
    command.env_clear().env("TAXD_LOG", "warn").stdin(Stdio::null()).args(args);
    command
}

/// Runs a command of the binary with `--json` on a data directory, and reads its document.
pub fn ask(dir: &Path, args: &[&str]) -> Value {
    let done = taxd(args).args(["--json", "--data"]).arg(dir).output().expect("taxd runs");
    assert!(done.status.success(), "taxd {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).expect("a document")
}

/// A process that ends with the value.
pub struct Process {
    pub child: Child,
}

/// What a process holds, in MiB.
#[derive(Clone, Copy)]
pub struct Memory {
    pub resident: f64,
    /// Of that, its own: heap and stacks.
    pub anonymous: f64,
    /// Of that, pages of files: the binary.
    pub file: f64,
    /// The most that was ever resident.
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
    /// What was used since an earlier look.
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

    /// What it holds now; nothing once it has ended.
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

    /// What it used of the processors.
    pub fn cpu(&self) -> Cpu {
        let mut cpu = Cpu::default();
        for task in std::fs::read_dir(format!("/proc/{}/task", self.child.id())).into_iter().flatten().flatten() {
            let Ok(stat) = std::fs::read_to_string(task.path().join("stat")) else { continue };
            let Some((before, after)) = stat.rsplit_once(')') else { continue };
            let ticks: u64 = after.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<u64>().ok()).sum();
            // The kernel counts in hundredths of a second, whatever its own timer.
            let time = Duration::from_millis(ticks * 10);
            cpu.all += time;
            if before.ends_with("(call-log") {
                cpu.call_log += time;
            }
        }
        cpu
    }

    /// Waits until it has ended well: how long that took, and what it held at most, in MiB.
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
    /// Asks it to stop, and waits until it has.
    pub fn stop(self) {
        let sent = Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()), "`kill` is needed to stop a server");
        self.finish("a server that is asked to stop");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Already gone where it was waited for; nothing else can be wrong with an own child.
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
