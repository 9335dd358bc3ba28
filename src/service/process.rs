//! What the system says of this process: memory, descriptors, time of the processor.

use std::fs;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

/// The figures of this process; what the system does not say is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Process {
    /// Memory that it has in use, in bytes.
    pub resident_bytes: Option<u64>,
    /// Addresses that it has taken, in bytes.
    pub virtual_bytes: Option<u64>,
    /// Threads.
    pub threads: Option<u64>,
    /// Open descriptors.
    pub open_fds: Option<u64>,
    /// Most descriptors that it may have open.
    pub max_fds: Option<u64>,
    /// Time of the processor that it has taken since it started.
    pub cpu: Duration,
}

impl Process {
    /// The figures of this moment.
    #[must_use]
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
