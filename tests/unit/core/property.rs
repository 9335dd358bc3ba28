//! How property tests run.

use proptest::test_runner::Config;

/// So many cases. A failed one is not kept in a file: it becomes a test.
pub fn cases(count: u32) -> Config {
    Config { cases: count, failure_persistence: None, ..Config::default() }
}
