//! Every table of the file and how its keys and values are written.
//!
//! Days are `u32` ordinals (20260131); an open end is 0. JSON records are written by
//! `serde_json` and read back leniently, so that fields may be added.

use redb::{TableDefinition, WriteTransaction};

use super::StoreResult;
use super::keys::StateValue;
use super::outbox::OrderKey;

/// Facts about the file itself.
pub(super) const META: TableDefinition<'static, &'static str, u64> = TableDefinition::new("meta");
/// Key of the schema version in [`META`].
pub(super) const META_SCHEMA: &str = "schema_version";

/// Number of a rule version (from 1, in the order of publication) → its JSON record, which
/// never changes: the fields of a bundle's rule.
pub(super) const VERSIONS: TableDefinition<'static, u64, &'static [u8]> = TableDefinition::new("versions");

/// `rule_code`, a zero byte, major and minor as big-endian `u32` → number of the version.
/// Versions of one code lie together, in order.
pub(super) const CODES: TableDefinition<'static, &'static [u8], u64> = TableDefinition::new("codes");

/// Number of a version → what has become of it ([`State`](super::State)): first day, end now,
/// end as its bundle declared it, number of its publication, number of the version that last
/// moved its end (0 for none).
pub(super) const STATES: TableDefinition<'static, u64, StateValue> = TableDefinition::new("states");

/// Scope key ([`Chave::bytes`](crate::rule::Chave::bytes)) → the versions that answer under it on
/// some day, in the order of their days ([`Answering`](super::answering::Answering)). A key under
/// which none does is not there.
pub(super) const LOOKUP: TableDefinition<'static, &'static [u8], &'static [u8]> = TableDefinition::new("lookup");

/// Scope key and the number of a version as big-endian `u64` → nothing. Holds every version
/// that ever stood under the key, for asking what was known at a past instant.
pub(super) const HISTORY: TableDefinition<'static, &'static [u8], ()> = TableDefinition::new("history");

/// Number of a changelog event (from 1) → its JSON record (contract, section 2.6).
pub(super) const EVENTS: TableDefinition<'static, u64, &'static [u8]> = TableDefinition::new("events");

/// Number of a publication (from 1) → its JSON record: when (`publicado_em`) and, in the order of
/// the files, its bundles (`pacotes`): name, version, number of rules, file name, SHA-256 of the
/// file and, where a trusted key signed it, the trusted name and the key's fingerprint.
pub(super) const PUBLICATIONS: TableDefinition<'static, u64, &'static [u8]> = TableDefinition::new("publications");

/// Instant of a publication, in milliseconds since 1970 → its number. It is taken when all but
/// the commit is done. Instants grow with the numbers, also when the clock is set back, and each
/// is later than every one that its process had answered for.
pub(super) const INSTANTS: TableDefinition<'static, u64, u64> = TableDefinition::new("instants");

/// Name → JSON record of the plan.
pub(super) const PLANS: TableDefinition<'static, &'static str, &'static [u8]> = TableDefinition::new("plans");

/// `client_id` → JSON record of the account.
pub(super) const ACCOUNTS: TableDefinition<'static, &'static str, &'static [u8]> = TableDefinition::new("accounts");

/// SHA-256 of an API key → JSON record of the key. The key itself is nowhere.
pub(super) const KEYS: TableDefinition<'static, &'static [u8], &'static [u8]> = TableDefinition::new("keys");

/// `client_id`, instant and number of the last call in the block → a block of the account's
/// calls ([`calls`](super::calls)).
pub(super) const CALLS: TableDefinition<'static, (&'static str, u64, u64), &'static [u8]> =
    TableDefinition::new("calls");

/// `client_id` → what was counted of the account: totals, latencies, allowances used.
pub(super) const METERS: TableDefinition<'static, &'static str, &'static [u8]> = TableDefinition::new("meters");

/// Name → value of a setting of the operator.
pub(super) const SETTINGS: TableDefinition<'static, &'static str, &'static str> = TableDefinition::new("settings");

/// Name that the operator gave → public key whose signature on a bundle is trusted.
pub(super) const TRUST: TableDefinition<'static, &'static str, &'static str> = TableDefinition::new("trust");

/// Key of the highest number that a subscription ever had in [`META`]: none is given twice.
pub(super) const META_LAST_SUBSCRIPTION: &str = "last_subscription";

/// Number of a webhook subscription (from 1) → JSON record, with the secret that signs.
pub(super) const SUBSCRIPTIONS: TableDefinition<'static, u32, &'static [u8]> = TableDefinition::new("subscriptions");

/// Number of a subscription → JSON record of how its deliveries stand
/// ([`Endpoint`](super::Endpoint)).
pub(super) const ENDPOINTS: TableDefinition<'static, u32, &'static [u8]> = TableDefinition::new("endpoints");

/// Number of a subscription and of the version it is to hear of → state (one byte), attempts
/// made (one byte), instant as big-endian `u64` (due where pending, else ended; milliseconds
/// since 1970), and what the last attempt came to as text. What is sent is made from the
/// record of the version, so it is the same bytes for ever.
pub(super) const OUTBOX: TableDefinition<'static, (u32, u64), &'static [u8]> = TableDefinition::new("outbox");

/// Subscription, state, instant, version of every row of [`OUTBOX`] → nothing: what is due
/// next, what ended when.
pub(super) const OUTBOX_ORDER: TableDefinition<'static, OrderKey, ()> = TableDefinition::new("outbox_order");

/// Makes the tables that are not there yet.
pub(super) fn open_all(txn: &WriteTransaction) -> StoreResult<()> {
    txn.open_table(VERSIONS)?;
    txn.open_table(CODES)?;
    txn.open_table(STATES)?;
    txn.open_table(LOOKUP)?;
    txn.open_table(HISTORY)?;
    txn.open_table(INSTANTS)?;
    txn.open_table(EVENTS)?;
    txn.open_table(PUBLICATIONS)?;
    txn.open_table(SETTINGS)?;
    txn.open_table(TRUST)?;
    txn.open_table(PLANS)?;
    txn.open_table(ACCOUNTS)?;
    txn.open_table(KEYS)?;
    txn.open_table(CALLS)?;
    txn.open_table(METERS)?;
    txn.open_table(SUBSCRIPTIONS)?;
    txn.open_table(ENDPOINTS)?;
    txn.open_table(OUTBOX)?;
    txn.open_table(OUTBOX_ORDER)?;
    Ok(())
}
