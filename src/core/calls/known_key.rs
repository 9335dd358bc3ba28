//! The last valid key of a connection. A caller sends the same one with each call, which then needs neither its digest nor
//! the directory.

use std::sync::Arc;

use super::directory::Caller;

/// The last valid key of a connection, with its owner; none at first.
#[derive(Default)]
pub struct KnownKey(Option<Known>);

struct Known {
    sent: Box<[u8]>,
    caller: Arc<Caller>,
    /// Changes of accounts and keys before it was looked up.
    changes: u64,
}

impl KnownKey {
    /// The owner, if this key was sent and no account or key has changed since.
    pub(super) fn owner(&self, sent: &[u8], changes: u64) -> Option<&Arc<Caller>> {
        let known = self.0.as_ref().filter(|known| known.changes == changes && is_same(&known.sent, sent))?;
        Some(&known.caller)
    }

    /// Remembers a valid key.
    pub(super) fn remember(&mut self, sent: &[u8], caller: &Arc<Caller>, changes: u64) {
        self.0 = Some(Known { sent: sent.into(), caller: Arc::clone(caller), changes });
    }
}

/// Compares in the same time whatever byte differs first: a proxy may send the keys of several callers on a connection.
fn is_same(known: &[u8], sent: &[u8]) -> bool {
    let differing = known.iter().zip(sent).fold(0, |differing, (a, b)| differing | (a ^ b));
    known.len() == sent.len() && std::hint::black_box(differing) == 0
}
