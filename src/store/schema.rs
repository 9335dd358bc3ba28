//! Every table of the file and how its keys and values are written.
//!
//! Days are `u32` ordinals (20260131); an open end is 0. JSON records are written by
//! `serde_json` and read back leniently, so that fields may be added.

use redb::{Key, TableDefinition, TableHandle, Value, WriteTransaction};

use super::encoding::{OrderKey, StateValue};
use super::{StoreError, StoreResult};

/// Key of the schema version in [`META`].
pub(super) const META_SCHEMA: &str = "schema_version";
/// Key of the highest number that a subscription ever had in [`META`]: none is given twice.
pub(super) const META_LAST_SUBSCRIPTION: &str = "last_subscription";

/// What is to be done with every table, whatever its types.
pub(super) trait EachTable {
    /// Why it may fail.
    type Error: From<StoreError>;

    fn table<K: Key + 'static, V: Value + 'static>(
        &mut self,
        table: TableDefinition<'static, K, V>,
    ) -> Result<(), Self::Error>;
}

/// Declares the tables, and by the same words the walk over all of them: what is copied, counted or
/// made for every table cannot leave one out.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident = $text:literal: $key:ty => $value:ty;)*) => {
        $($(#[$doc])* pub(super) const $name: TableDefinition<'static, $key, $value> = TableDefinition::new($text);)*

        /// Has `each` called with every table, in the order in which they stand here.
        pub(super) fn walk<E: EachTable>(each: &mut E) -> Result<(), E::Error> {
            $(each.table($name)?;)*
            Ok(())
        }
    };
}

tables! {
    /// Facts about the file itself.
    META = "meta": &'static str => u64;

    /// Number of a rule version (from 1, in the order of publication) → its JSON record, which
    /// never changes: the fields of a bundle's rule.
    VERSIONS = "versions": u64 => &'static [u8];

    /// `rule_code`, a zero byte, major and minor as big-endian `u32` → number of the version.
    /// Versions of one code lie together, in order.
    CODES = "codes": &'static [u8] => u64;

    /// Number of a version → what has become of it ([`State`](super::State)): first day, end now,
    /// end as its bundle declared it, number of its publication, number of the version that last
    /// moved its end (0 for none).
    STATES = "states": u64 => StateValue;

    /// Scope key ([`Chave::bytes`](crate::rule::Chave::bytes)) → the versions that answer under it on
    /// some day, in the order of their days ([`LookupRow`](super::lookup_row::LookupRow)). A key under
    /// which none does is not there.
    LOOKUP = "lookup": &'static [u8] => &'static [u8];

    /// Scope key and the number of a version as big-endian `u64` → nothing. Holds every version
    /// that ever stood under the key, for asking what was known at a past instant.
    HISTORY = "history": &'static [u8] => ();

    /// Number of a changelog event (from 1) → its JSON record (contract, section 2.6).
    EVENTS = "events": u64 => &'static [u8];

    /// Number of a publication (from 1) → its JSON record: when (`publicado_em`) and, in the order of
    /// the files, its bundles (`pacotes`): name, version, number of rules, file name, SHA-256 of the
    /// file and, where a trusted key signed it, the trusted name and the key's fingerprint.
    PUBLICATIONS = "publications": u64 => &'static [u8];

    /// Instant of a publication, in milliseconds since 1970 → its number. It is taken when all but
    /// the commit is done. Instants grow with the numbers, also when the clock is set back, and each
    /// is later than every one that its process had answered for.
    INSTANTS = "instants": u64 => u64;

    /// Name → JSON record of the plan.
    PLANS = "plans": &'static str => &'static [u8];

    /// `client_id` → JSON record of the account.
    ACCOUNTS = "accounts": &'static str => &'static [u8];

    /// SHA-256 of an API key → JSON record of the key. The key itself is nowhere.
    KEYS = "keys": &'static [u8] => &'static [u8];

    /// `client_id`, instant and number of the last call in the block → a block of the account's
    /// calls ([`calls`](super::calls)).
    CALLS = "calls": (&'static str, u64, u64) => &'static [u8];

    /// `client_id` → what was counted of the account: totals, latencies, allowances used.
    METERS = "meters": &'static str => &'static [u8];

    /// Name → value of a setting of the operator.
    SETTINGS = "settings": &'static str => &'static str;

    /// Name that the operator gave → public key whose signature on a bundle is trusted.
    TRUST = "trust": &'static str => &'static str;

    /// Number of a webhook subscription (from 1) → JSON record, with the secret that signs.
    SUBSCRIPTIONS = "subscriptions": u32 => &'static [u8];

    /// Number of a subscription → JSON record of how its deliveries stand
    /// ([`Endpoint`](super::Endpoint)).
    ENDPOINTS = "endpoints": u32 => &'static [u8];

    /// Number of a subscription and of the version it is to hear of → state (one byte), attempts
    /// made (one byte), instant as big-endian `u64` (due where pending, else ended; milliseconds
    /// since 1970), and what the last attempt came to as text. What is sent is made from the
    /// record of the version, so it is the same bytes for ever.
    OUTBOX = "outbox": (u32, u64) => &'static [u8];

    /// Subscription, state, instant, version of every row of [`OUTBOX`] → nothing: what is due
    /// next, what ended when.
    OUTBOX_ORDER = "outbox_order": OrderKey => ();
}

/// Makes the tables that are not there yet.
pub(super) fn open_all(txn: &WriteTransaction) -> StoreResult<()> {
    struct Open<'t>(&'t WriteTransaction);
    impl EachTable for Open<'_> {
        type Error = StoreError;

        fn table<K: Key + 'static, V: Value + 'static>(
            &mut self,
            table: TableDefinition<'static, K, V>,
        ) -> StoreResult<()> {
            self.0.open_table(table)?;
            Ok(())
        }
    }
    walk(&mut Open(txn))
}

/// Every table with the types of its keys and values, one a line: what a schema version stands for.
#[must_use]
pub fn fingerprint() -> String {
    #[derive(Default)]
    struct Names(Vec<String>);
    impl EachTable for Names {
        type Error = StoreError;

        fn table<K: Key + 'static, V: Value + 'static>(
            &mut self,
            table: TableDefinition<'static, K, V>,
        ) -> StoreResult<()> {
            self.0.push(format!("{}: {} => {}\n", table.name(), K::type_name().name(), V::type_name().name()));
            Ok(())
        }
    }
    let mut names = Names::default();
    // Writing down names refuses nothing.
    let _ = walk(&mut names);
    names.0.concat()
}
