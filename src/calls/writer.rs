//! The thread that writes the call log.
//!
//! Every half second it takes the answered calls, sanitises them, and writes them with the totals of their accounts in
//! one transaction. While a publication is being written, or the disk refuses, they stay in memory up to a bound.
//! Beyond it calls are lost to the log; totals stay exact.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Calls;
use super::block::{self, CallRow, LoggedCall, MAX_CALLS};
use super::meter::Call;
use super::sanitise;
use crate::store::{Block, CallWriter, Store, StoreError, StoreResult};

/// Time between two writes: a killed process loses the calls of this time and of one write.
const INTERVAL: Duration = Duration::from_millis(500);
/// Longest pause after a refused write. Each refused write closes the data file to readers for a moment; a longer pause
/// would delay the log after the disk works again.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// Most memory of calls that cannot be written, in bytes.
const MAX_STAGED_BYTES: usize = 64 * 1024 * 1024;
/// Memory of a call beside its texts.
const CALL_BYTES: usize = 200;
/// Time between two rounds of pruning.
const PRUNE_INTERVAL: Duration = Duration::from_mins(10);
/// Most blocks removed in one transaction.
const PRUNE_BLOCKS: usize = 2_000;

/// An answered call, and its sanitised payload.
struct Waiting {
    call: Arc<Call>,
    request: Arc<str>,
}

/// Calls that are not written yet.
#[derive(Default)]
struct Staged {
    by_client: BTreeMap<Arc<str>, Vec<Waiting>>,
    calls: usize,
    bytes: usize,
    /// Accounts whose totals changed since they were written.
    counted: BTreeSet<Arc<str>>,
    /// True after a failed commit: it may be in the file all the same, so calls may be there already.
    retried: bool,
}

impl Staged {
    fn add(&mut self, calls: &Calls, taken: &[(Arc<str>, Arc<Call>)]) {
        // Payloads that the result cache answers repeat: each is sanitised once a round.
        let mut repeated: HashMap<&[u8], Arc<str>, foldhash::fast::RandomState> = HashMap::default();
        for (client_id, call) in taken {
            let sanitised = || sanitise::sanitised_at(&call.path, &call.payload).into();
            let request = if call.cached {
                Arc::clone(repeated.entry(&call.payload).or_insert_with(sanitised))
            } else {
                sanitised()
            };
            let bytes = CALL_BYTES + call.payload.len() + call.path.len() + request.len();
            if !self.counted.contains(client_id) {
                self.counted.insert(Arc::clone(client_id));
            }
            if self.bytes + bytes > MAX_STAGED_BYTES {
                calls.log.lose(1);
                continue;
            }
            self.bytes += bytes;
            self.calls += 1;
            let waiting = Waiting { call: Arc::clone(call), request };
            match self.by_client.get_mut(client_id) {
                Some(of_client) => of_client.push(waiting),
                None => _ = self.by_client.insert(Arc::clone(client_id), vec![waiting]),
            }
        }
    }

    fn clear(&mut self) {
        *self = Staged::default();
    }

    fn write(&self, calls: &Calls, writer: &mut CallWriter<'_>) -> StoreResult<()> {
        let now_ms = calls.now().millis();
        for (client_id, rows) in &self.by_client {
            append(writer, client_id, rows, now_ms, self.retried)?;
        }
        writer.put_log_time(calls.age_now_ms())?;
        for client_id in &self.counted {
            if let Some(client) = calls.client(client_id) {
                writer.put_meter(client_id, &client.meter.kept()?)?;
            }
        }
        Ok(())
    }
}

/// Appends calls to those of the account, filling its last block first. If they are `retried`, leaves out those that
/// are there already.
fn append(
    writer: &mut CallWriter<'_>,
    client_id: &str,
    rows: &[Waiting],
    now_ms: u64,
    retried: bool,
) -> StoreResult<()> {
    let mut last = writer.last_block(client_id)?;
    if last.as_ref().is_some_and(|block| block.last_ms > now_ms) {
        // The clock was ahead. No block is earlier than the one before it, so all from now on would be kept too long.
        writer.move_back(client_id, now_ms)?;
        last = writer.last_block(client_id)?;
    }
    let written_seq = last.as_ref().filter(|_| retried).map_or(0, |block| block.last_seq);
    let mut last_ms = last.as_ref().map_or(0, |block| block.last_ms);
    let mut open_calls = Vec::new();
    if let Some(open) = last {
        match block::decode(&open.bytes) {
            Ok(calls) if calls.len() < MAX_CALLS => {
                writer.remove_block(client_id, &open)?;
                open_calls = calls;
            }
            Ok(_) => {}
            // The block stays as it is: it must not end the log of every account.
            Err(error) => tracing::error!(client_id, %error, "the last block of an account's calls cannot be read"),
        }
    }
    let new = rows.iter().filter(|waiting| waiting.call.seq > written_seq);
    let new = new.map(|Waiting { call, request }| CallRow::of(call, request));
    let rows: Vec<CallRow<'_>> = open_calls.iter().map(LoggedCall::row).chain(new).collect();
    for rows in rows.chunks(MAX_CALLS) {
        let last_seq = rows.last().map_or(0, |row| row.seq);
        last_ms = rows.iter().map(|row| row.at_ms.min(now_ms)).max().unwrap_or_default().max(last_ms);
        writer.put_block(client_id, &Block { last_ms, last_seq, bytes: block::encode(rows.iter().copied())? })?;
    }
    Ok(())
}

impl Calls {
    /// Writes the log on this thread until [`stop_log`](Self::stop_log) and until everything is written. Calls older than
    /// `keep` are removed; their totals stay.
    pub fn run_log(&self, store: &Store, keep: Duration) {
        let mut staged = Staged::default();
        let mut health = Health::default();
        let mut pruned: Option<Instant> = None;
        loop {
            let (taken, stopping) = self.log.take(INTERVAL);
            staged.add(self, &taken);
            drop(taken);
            let wrote = if staged.counted.is_empty() {
                Ok(Some(()))
            } else if stopping {
                write_last(self, store, &mut staged)
            } else if health.is_paused() {
                Ok(None)
            } else {
                write(self, store, &staged, false)
            };
            match &wrote {
                Ok(Some(())) => staged.clear(),
                Ok(None) => {}
                Err(_) => staged.retried = true,
            }
            health.note(wrote);
            self.log.note(staged.calls, health.failing);
            if stopping {
                if staged.calls > 0 {
                    tracing::error!(calls = staged.calls, "calls were answered that could not be logged");
                }
                return;
            }
            if pruned.is_none_or(|at| at.elapsed() >= PRUNE_INTERVAL) && !health.failing {
                pruned = prune_round(self, store, keep);
            }
        }
    }

    /// Removes a bounded number of logged calls that are older than `keep`. True if there may be more.
    pub fn prune_log(&self, store: &Store, keep: Duration) -> StoreResult<bool> {
        let keep_ms = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
        let before_ms = self.age_now_ms().saturating_sub(keep_ms);
        let clients = self.clients();
        let removed = store.write_calls(false, |writer| {
            let mut room = PRUNE_BLOCKS;
            for client in &clients {
                let (blocks, last_seq) = writer.prune(&client.client_id, before_ms, room)?;
                room -= blocks;
                if let Some(last_seq) = last_seq {
                    client.meter.lock().pruned = last_seq;
                    writer.put_meter(&client.client_id, &client.meter.kept()?)?;
                }
            }
            Ok(PRUNE_BLOCKS - room)
        })?;
        if let Some(blocks) = removed.filter(|blocks| *blocks > 0) {
            tracing::info!(blocks, "old calls were removed from the call log");
        }
        Ok(removed.is_none_or(|blocks| blocks == PRUNE_BLOCKS))
    }
}

/// How writing the log goes.
struct Health {
    failing: bool,
    /// True if the failure was logged. An outage is not logged here: it is logged once for all that it stops.
    logged: bool,
    pause: Duration,
    paused_until: Option<Instant>,
}

impl Default for Health {
    fn default() -> Health {
        Health { failing: false, logged: false, pause: INTERVAL, paused_until: None }
    }
}

impl Health {
    fn is_paused(&self) -> bool {
        self.paused_until.is_some_and(|until| Instant::now() < until)
    }

    /// Notes what came of a write: `None` if there was none.
    fn note(&mut self, wrote: StoreResult<Option<()>>) {
        match wrote {
            Ok(Some(())) => {
                if self.logged {
                    tracing::info!("the call log can be written again");
                }
                *self = Health::default();
            }
            Ok(None) => {}
            Err(error) => {
                self.failing = true;
                if !error.is_outage() && !self.logged {
                    self.logged = true;
                    tracing::error!(%error, "the call log cannot be written; calls are still answered and counted");
                }
                // This write began the outage. One that is refused because of it costs nothing, and is tried again.
                if error.is_outage() && !matches!(error, StoreError::Outage(_)) {
                    self.paused_until = Some(Instant::now() + self.pause);
                    self.pause = (2 * self.pause).min(LONGEST_PAUSE);
                }
            }
        }
    }
}

/// Writes what is left before the stop. There is no later try, so after an outage the file is opened again first.
fn write_last(calls: &Calls, store: &Store, staged: &mut Staged) -> StoreResult<Option<()>> {
    let wrote = write(calls, store, staged, true);
    if !wrote.as_ref().is_err_and(StoreError::is_outage) {
        return wrote;
    }
    staged.retried = true;
    store.reopen(|| ()).and_then(|()| write(calls, store, staged, true))
}

/// One round of pruning. Returns when it was done; `None` if another one should follow at once, so that calls wait
/// for a short transaction only.
fn prune_round(calls: &Calls, store: &Store, keep: Duration) -> Option<Instant> {
    match calls.prune_log(store, keep) {
        Ok(true) => None,
        Ok(false) => Some(Instant::now()),
        Err(error) if error.is_outage() => None,
        Err(error) => {
            tracing::warn!(%error, "old calls could not be removed from the call log");
            Some(Instant::now())
        }
    }
}

/// Writes the staged calls. `None`, and nothing is written, while a publication is being written.
fn write(calls: &Calls, store: &Store, staged: &Staged, wait: bool) -> StoreResult<Option<()>> {
    store.write_calls(wait, |writer| staged.write(calls, writer))
}
