//! Calls that are not written to the log yet, sanitised and in blocks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::logged::{self, CallRow, LoggedCall, MAX_CALLS};
use super::meter::{Call, CallPayload};
use super::{Calls, sanitise};
use crate::store::{Block, CallWriter, StoreResult};

/// Most memory of calls that cannot be written, in bytes.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Most payloads whose sanitised form is kept until the next write.
const MAX_REPEATED: usize = 4_096;
/// Memory of a call beside its texts.
const CALL_BYTES: usize = 200;

/// An answered call, and its sanitised payload.
struct Waiting {
    call: Arc<Call>,
    request: Arc<str>,
}

impl Waiting {
    fn row(&self) -> CallRow<'_> {
        CallRow::of(&self.call, &self.request)
    }

    fn bytes(&self) -> usize {
        // One that was sanitised already is the request.
        let sent = if let CallPayload::Sent(payload) = &self.call.payload { payload.len() } else { 0 };
        CALL_BYTES + sent + self.call.path.len() + self.request.len()
    }
}

/// The calls of an account, in the order of their numbers: full blocks, and those that fill none yet.
#[derive(Default)]
struct AccountCalls {
    blocks: Vec<Block>,
    rest: Vec<Waiting>,
}

#[derive(Default)]
pub(super) struct Staged {
    by_client: BTreeMap<Arc<str>, AccountCalls>,
    calls: usize,
    bytes: usize,
    /// Payloads that the result cache answered, and what is sanitised of them: they repeat.
    repeated: HashMap<Box<[u8]>, Arc<str>, foldhash::fast::RandomState>,
    /// Accounts whose totals changed since they were written.
    counted: BTreeSet<Arc<str>>,
    /// True after a failed commit: it may be in the file all the same, so calls may be there already.
    retried: bool,
}

impl Staged {
    pub(super) fn calls(&self) -> usize {
        self.calls
    }

    /// True if there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.counted.is_empty()
    }

    /// Notes that writing them failed.
    pub(super) fn note_failure(&mut self) {
        self.retried = true;
    }

    /// Adds calls that were taken from the queue. Those beyond the bound are lost.
    pub(super) fn add(&mut self, calls: &Calls, taken: &[(Arc<str>, Arc<Call>)]) {
        for (client_id, call) in taken {
            let request = self.sanitised(call);
            if !self.counted.contains(client_id) {
                self.counted.insert(Arc::clone(client_id));
            }
            let waiting = Waiting { call: Arc::clone(call), request };
            let bytes = waiting.bytes();
            if self.bytes + bytes > MAX_BYTES {
                calls.log.lose(1);
                continue;
            }
            self.bytes += bytes;
            self.calls += 1;
            let of_client = match self.by_client.get_mut(client_id) {
                Some(of_client) => of_client,
                None => self.by_client.entry(Arc::clone(client_id)).or_default(),
            };
            of_client.rest.push(waiting);
            // Calls that cannot be encoded stay as they are: writing them fails, and says why.
            if of_client.rest.len() == MAX_CALLS
                && let Ok(full) = block_of(&of_client.rest.iter().map(Waiting::row).collect::<Vec<_>>())
            {
                self.bytes += full.bytes.len();
                self.bytes -= of_client.rest.drain(..).map(|waiting| waiting.bytes()).sum::<usize>();
                of_client.blocks.push(full);
            }
        }
    }

    /// The sanitised payload of a call.
    fn sanitised(&mut self, call: &Call) -> Arc<str> {
        let payload = match &call.payload {
            CallPayload::Sent(payload) => payload,
            CallPayload::Sanitised(request) => return Arc::clone(request),
        };
        if let Some(known) = self.repeated.get(payload).filter(|_| call.cached) {
            return Arc::clone(known);
        }
        let request: Arc<str> = sanitise::sanitised_at(&call.path, payload).into();
        if call.cached {
            if self.repeated.len() == MAX_REPEATED {
                self.repeated.clear();
            }
            self.repeated.insert(payload.clone(), Arc::clone(&request));
        }
        request
    }

    /// Writes them, and the totals of their accounts.
    pub(super) fn write(&self, calls: &Calls, writer: &mut CallWriter<'_>) -> StoreResult<()> {
        let now_ms = calls.now().millis();
        for (client_id, of_client) in &self.by_client {
            of_client.append(writer, client_id, now_ms, self.retried)?;
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

/// A block of these calls. Its instant is that of the latest call.
fn block_of(rows: &[CallRow<'_>]) -> StoreResult<Block> {
    let last_ms = rows.iter().map(|row| row.at_ms).max().unwrap_or_default();
    let last_seq = rows.last().map_or(0, |row| row.seq);
    Ok(Block { last_ms, last_seq, bytes: logged::encode(rows.iter().copied())? })
}

impl AccountCalls {
    /// Appends the calls to those of the account. Few calls fill its last block first. If they are `retried`, leaves out
    /// those that are there already.
    fn append(&self, writer: &mut CallWriter<'_>, client_id: &str, now_ms: u64, retried: bool) -> StoreResult<()> {
        let mut last = writer.last_block(client_id)?;
        if last.as_ref().is_some_and(|block| block.last_ms > now_ms) {
            // The clock was ahead. No block is earlier than the one before it, so all from now on would be kept too long.
            writer.move_back(client_id, now_ms)?;
            last = writer.last_block(client_id)?;
        }
        let written_seq = last.as_ref().filter(|_| retried).map_or(0, |block| block.last_seq);
        let mut last_ms = last.as_ref().map_or(0, |block| block.last_ms);
        let mut put = |writer: &mut CallWriter<'_>, block: Block| {
            last_ms = block.last_ms.min(now_ms).max(last_ms);
            writer.put_block(client_id, &Block { last_ms, ..block })
        };
        let mut before = Vec::new();
        if retried {
            for block in &self.blocks {
                before.extend(logged::decode(&block.bytes)?.into_iter().filter(|call| call.seq > written_seq));
            }
        } else {
            for block in &self.blocks {
                put(writer, block.clone())?;
            }
            if self.blocks.is_empty() {
                before = open_calls(writer, client_id, last)?;
            }
        }
        let rest = self.rest.iter().map(Waiting::row).filter(|row| row.seq > written_seq);
        let rows: Vec<CallRow<'_>> = before.iter().map(LoggedCall::row).chain(rest).collect();
        for rows in rows.chunks(MAX_CALLS) {
            put(writer, block_of(rows)?)?;
        }
        Ok(())
    }
}

/// Removes the last block of an account if it has room, and returns its calls.
fn open_calls(writer: &mut CallWriter<'_>, client_id: &str, last: Option<Block>) -> StoreResult<Vec<LoggedCall>> {
    let Some(last) = last else { return Ok(Vec::new()) };
    match logged::decode(&last.bytes) {
        Ok(calls) if calls.len() < MAX_CALLS => {
            writer.remove_block(client_id, &last)?;
            Ok(calls)
        }
        Ok(_) => Ok(Vec::new()),
        // The block stays as it is: it must not end the log of every account.
        Err(error) => {
            tracing::error!(client_id, %error, "the newest logged calls of account {client_id} are unreadable; logging continues in a new block. Run `taxd check`");
            Ok(Vec::new())
        }
    }
}
