//! Every table of the file, and the encoding of its keys and values.
//!
//! Days are `u32` ordinals (20260131); an open end is 0. JSON records may have members that this taxd does not know, so
//! that fields may be added.

use redb::{Key, TableDefinition, TableHandle, Value, WriteTransaction};

use super::StoreResult;
use super::encoding::{OrderKey, StateValue};

/// Key of the schema version in [`META`].
pub(super) const META_SCHEMA: &str = "schema_version";
/// Key of the highest number of a subscription so far in [`META`]: no number is used twice.
pub const META_LAST_SUBSCRIPTION: &str = "last_subscription";

/// Key of the time that the ages of logged calls refer to, at the last write of the log, in [`META`]: milliseconds
/// since 1970.
pub(super) const META_LOG_TIME: &str = "log_time_ms";

/// Keys of the kept lists in [`META`]: the number of the last list and of the last notice.
pub(super) const META_LAST_LIST: &str = "watched_last_list";
pub(super) const META_LAST_NOTICE: &str = "watched_last_notice";
/// The last publication whose changes of kept lists are all written, the last day that they look ahead to, which program
/// made the hashes of their keys, and how often a list was kept.
pub(super) const META_WATCHED_PUBLICATION: &str = "watched_publication";
pub(super) const META_WATCHED_UNTIL: &str = "watched_until";
pub(super) const META_WATCHED_PROGRAM: &str = "watched_program";
pub(super) const META_WATCHED_PUTS: &str = "watched_puts";

/// Work on every table, whatever its types.
pub(super) trait EachTable {
    fn table<K: Key + 'static, V: Value + 'static>(&mut self, table: TableDefinition<'static, K, V>)
    -> StoreResult<()>;
}

/// Declares the tables and the walk over all of them, so that work on every table cannot leave one out.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident = $text:literal: $key:ty => $value:ty;)*) => {
        $($(#[$doc])* pub const $name: TableDefinition<'static, $key, $value> = TableDefinition::new($text);)*

        pub(super) const NAMES: &[&str] = &[$($text),*];

        /// Calls `each` with every table, in the order of the declarations.
        pub(super) fn walk(each: &mut impl EachTable) -> StoreResult<()> {
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

    /// Number of a version → its [`State`](super::State): first day, end now, end by its bundle, number of its
    /// publication, index of its bundle, number of the version that last moved its end (0 for none).
    STATES = "states": u64 => StateValue;

    /// Scope key ([`Chave::bytes`](crate::law::rule::Chave::bytes)) → the versions that answer under it on
    /// some day, in the order of their days ([`LookupRow`](super::lookup_row::LookupRow)). There is no row without
    /// a version.
    LOOKUP = "lookup": &'static [u8] => &'static [u8];

    /// Scope key and the number of a version as big-endian `u64` → nothing. Every version that was ever published
    /// for the key, for lookups as of a past instant.
    HISTORY = "history": &'static [u8] => ();

    /// Number of a changelog event (from 1) → its JSON record (contract, section 2.6).
    EVENTS = "events": u64 => &'static [u8];

    /// Number of a publication (from 1) → its JSON record: when (`publicado_em`) and, in the order of
    /// the files, its bundles (`pacotes`): name, version, number of rules, file name, SHA-256 of the
    /// file and, if a trusted key signed it, the trusted name and the key's fingerprint.
    PUBLICATIONS = "publications": u64 => &'static [u8];

    /// Instant of a publication, in milliseconds since 1970 → its number. The instant is taken just before the commit.
    /// Instants grow with the numbers, also if the clock is set back, and each is later than every instant for which
    /// its process had answered.
    INSTANTS = "instants": u64 => u64;

    /// Name → JSON record of the plan.
    PLANS = "plans": &'static str => &'static [u8];

    /// `client_id` → JSON record of the account.
    ACCOUNTS = "accounts": &'static str => &'static [u8];

    /// SHA-256 of an API key → JSON record of the key. The key itself is not stored.
    KEYS = "keys": &'static [u8] => &'static [u8];

    /// `client_id`, instant and number of the last call in the block → a block of the account's
    /// calls ([`calls`](super::calls)).
    CALLS = "calls": (&'static str, u64, u64) => &'static [u8];

    /// `client_id` → the meter of the account: totals, latencies, quotas used.
    METERS = "meters": &'static str => &'static [u8];

    /// Name → value of a setting of the operator.
    SETTINGS = "settings": &'static str => &'static str;

    /// Name that the operator gave → public key whose signatures of bundles are trusted.
    TRUST = "trust": &'static str => &'static str;

    /// Number of a webhook subscription (from 1) → JSON record, with the secret that signs.
    SUBSCRIPTIONS = "subscriptions": u32 => &'static [u8];

    /// Number of a subscription → JSON record of the counts and failures of its deliveries
    /// ([`Endpoint`](super::Endpoint)).
    ENDPOINTS = "endpoints": u32 => &'static [u8];

    /// Number of a subscription and of a version → state (one byte), attempts (one byte), instant as big-endian
    /// `u64` (due if pending, else ended; milliseconds since 1970), and the result of the last attempt as text. The
    /// request is made from the record of the version, so a repeated delivery sends the same bytes.
    OUTBOX = "outbox": (u32, u64) => &'static [u8];

    /// Subscription, state, instant and version of every row of [`OUTBOX`] → nothing. It orders the deliveries by
    /// their instants.
    OUTBOX_ORDER = "outbox_order": OrderKey => ();

    /// `client_id` and number of a publication → JSON record of what the publication changed in the answers that the
    /// account had been given.
    CORRECTIONS = "corrections": (&'static str, u64) => &'static [u8];

    /// `client_id`, number of a publication and number of the last call → those calls, compressed.
    CORRECTED_CALLS = "corrected_calls": (&'static str, u64, u64) => &'static [u8];

    /// `client_id` and name of a kept list → its JSON record ([`WatchedList`](super::WatchedList)).
    WATCHED = "watched": (&'static str, &'static str) => &'static [u8];

    /// Number of a kept list, place of a line (from 1) → its JSON record ([`WatchedLine`](super::WatchedLine)).
    WATCHED_LINES = "watched_lines": (u64, u32) => &'static [u8];

    /// Hash of a scope key that a line looked up, number of the list, place of the line → nothing.
    WATCHED_KEYS = "watched_keys": (u64, u64, u32) => ();

    /// Day beyond those that a line was answered for, on which its answer may change by rules that are published;
    /// number of the list, place of the line → nothing.
    WATCHED_DAYS = "watched_days": (u32, u64, u32) => ();

    /// Number of a kept list, number of a change in it (from 1) → its JSON record ([`ListChange`](super::ListChange)).
    WATCHED_CHANGES = "watched_changes": (u64, u64) => &'static [u8];

    /// Number of a notice (from 1) → its JSON record ([`Notice`](super::Notice)): what is posted to the subscriptions
    /// that ask for it. A row of [`OUTBOX`] names it by its number with the highest bit set.
    WATCHED_NOTICES = "watched_notices": u64 => &'static [u8];
}

/// Creates the tables that are missing.
pub(super) fn open_all(txn: &WriteTransaction) -> StoreResult<()> {
    struct Open<'t>(&'t WriteTransaction);
    impl EachTable for Open<'_> {
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

/// Every table with the types of its keys and values, one a line. It may only change with the schema version.
pub fn fingerprint() -> String {
    #[derive(Default)]
    struct Names(Vec<String>);
    impl EachTable for Names {
        fn table<K: Key + 'static, V: Value + 'static>(
            &mut self,
            table: TableDefinition<'static, K, V>,
        ) -> StoreResult<()> {
            self.0.push(format!("{}: {} => {}\n", table.name(), K::type_name().name(), V::type_name().name()));
            Ok(())
        }
    }
    let mut names = Names::default();
    // Collecting names cannot fail.
    let _ = walk(&mut names);
    names.0.concat()
}
