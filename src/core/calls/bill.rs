//! The calls that a file uses up of the quota.

use super::Calls;
use super::admission::Refusal;
use super::directory::Caller;
use super::paid_files::{FREE_MINUTES, FileDigest, PaidFile};
use crate::base::value::KeyKind;

/// The calls of one file under way. What it used up is remembered when it is dropped, also if the file ended early.
pub struct Bill<'c> {
    calls: &'c Calls,
    caller: &'c Caller,
    digest: FileDigest,
    paid: u64,
    used: u64,
}

/// The sandbox keys whose quota a key uses up; `None` for the quota of the account.
fn lineage_of(caller: &Caller) -> Option<String> {
    (caller.key.kind == KeyKind::Test).then(|| caller.key.lineage.clone())
}

impl Calls {
    /// The bill of a file: its calls are free as far as the same file was charged shortly before.
    pub fn bill<'c>(&'c self, caller: &'c Caller, digest: FileDigest) -> Bill<'c> {
        let now_ms = self.clock.uptime_ms();
        let paid = caller.client.meter.lock().paid_files.paid(&digest, lineage_of(caller).as_deref(), now_ms);
        Bill { calls: self, caller, digest, paid, used: 0 }
    }
}

impl Bill<'_> {
    /// Uses up one call of the quota, unless it was paid before.
    pub fn charge(&mut self) -> Result<(), Refusal> {
        if self.used >= self.paid {
            self.calls.charge(self.caller)?;
        }
        self.used += 1;
        Ok(())
    }

    /// The calls that this run used up of the quota.
    pub fn charged(&self) -> u64 {
        self.used.saturating_sub(self.paid)
    }
}

impl Drop for Bill<'_> {
    fn drop(&mut self) {
        // A repetition that cost nothing does not prolong the half hour.
        if self.charged() == 0 {
            return;
        }
        let now_ms = self.calls.clock.uptime_ms();
        let paid = PaidFile {
            digest: self.digest,
            lineage: lineage_of(self.caller),
            calls: self.used,
            free_until_ms: now_ms + FREE_MINUTES * 60_000,
        };
        self.caller.client.meter.lock().paid_files.remember(paid, now_ms);
    }
}
