//! The resources of this process: memory, descriptors, processor time; the limit of descriptors, and the priority of a
//! thread.

use std::fs;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getpid, getpriority_process, getrlimit, setpriority_process, setrlimit};
use rustix::thread::gettid;
use rustix::time::{ClockId, clock_gettime};

/// Descriptors for everything but the callers' connections: files, the control socket, metrics, webhooks,
/// connections that are refused.
const RESERVED_DESCRIPTORS: u64 = 256;

/// How much nicer long work is than the process, which may have been started under `nice`: enough that calls are answered
/// at their usual speed beside it.
const NICER: i32 = 5;

/// Lowers the priority of this thread permanently, so that calls go before its long work.
pub fn lower_priority() {
    let lowered = getpriority_process(Some(getpid())).and_then(|own| setpriority_process(Some(gettid()), own + NICER));
    if let Err(error) = lowered {
        tracing::debug!(%error, "long work runs at the priority of calls");
    }
}

/// How many connections can be served under the limit of open files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionCapacity {
    pub asked: u64,
    /// Connections that can be served.
    pub served: u64,
    /// The limit of open files, if there is one.
    pub limit: Option<u64>,
}

impl ConnectionCapacity {
    /// Returns the capacity for so many connections under that limit.
    pub fn under(limit: Option<u64>, asked: u64) -> ConnectionCapacity {
        let most = limit.map_or(u64::MAX, |limit| limit - RESERVED_DESCRIPTORS.min(limit / 2));
        ConnectionCapacity { asked, served: asked.min(most), limit }
    }

    /// Raises this process's limit of open files as far as needed and allowed. Returns the capacity under it.
    pub fn raise(asked: u64) -> ConnectionCapacity {
        let now = getrlimit(Resource::Nofile);
        let needed = asked.saturating_add(RESERVED_DESCRIPTORS);
        let wanted = now.maximum.map_or(needed, |hard| needed.min(hard));
        if now.current.is_some_and(|soft| soft < wanted)
            && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: now.maximum })
        {
            tracing::debug!(%error, "the limit of open files cannot be raised");
        }
        ConnectionCapacity::under(getrlimit(Resource::Nofile).current, asked)
    }

    /// Returns a warning for the operator if fewer connections can be served than were requested.
    pub fn shortage(&self) -> Option<String> {
        let ConnectionCapacity { asked, served, limit } = *self;
        let limit = limit.filter(|_| served < asked)?;
        Some(format!(
            "--max-connections is {asked}, but a limit of {limit} open files allows {served}; \
             raise it (`ulimit -Hn`, LimitNOFILE of the unit) to at least {}",
            asked.saturating_add(RESERVED_DESCRIPTORS)
        ))
    }
}

/// The resources of this process; a value that the system does not report is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Process {
    /// Memory that it has in use, in bytes.
    pub resident_bytes: Option<u64>,
    /// Addresses that it has taken, in bytes.
    pub virtual_bytes: Option<u64>,
    pub threads: Option<u64>,
    pub open_fds: Option<u64>,
    /// Most descriptors that it may have open.
    pub max_fds: Option<u64>,
    /// Time of the processor that it has taken since it started.
    pub cpu: Duration,
}

impl Process {
    pub fn read() -> Process {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let figure = |name: &str| {
            let rest = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            rest.split_whitespace().next()?.parse::<u64>().ok()
        };
        let kib = |name: &str| figure(name).map(|kib| kib * 1_024);
        // Reading the list takes a descriptor itself.
        let open_fds = fs::read_dir("/proc/self/fd").ok().map(|fds| (fds.count() as u64).saturating_sub(1));
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        Process {
            resident_bytes: kib("VmRSS"),
            virtual_bytes: kib("VmSize"),
            threads: figure("Threads"),
            open_fds,
            max_fds: getrlimit(Resource::Nofile).current,
            cpu: Duration::try_from(cpu).unwrap_or_default(),
        }
    }
}
