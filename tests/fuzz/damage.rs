//! Payloads with a few bytes changed.

use super::Input;
use super::bytes::damage_of;

/// How many are made.
const COUNT: usize = 4_000;

/// Thousands of damaged payloads.
pub fn damaged(payloads: &[Vec<u8>]) -> impl Iterator<Item = Input> {
    let posted = |(round, body)| Input::posted(format!("damaged {round}"), body);
    damage_of(payloads, COUNT).enumerate().map(posted)
}
