//! Latencies of an account, as percentiles within 1 %.
//!
//! The steps are those of an `HdrHistogram` with two digits: every microsecond up to 255, then 128 steps for each doubling.
//! Only steps that a call fell into take memory: an account without calls takes none, and one with many some kilobytes.
//! The crate of that name keeps a count for every step, 26 KiB an account.

/// Binary digits of a latency that its step keeps.
const STEP_BITS: u32 = 8;

/// Counts of latencies in microseconds.
#[derive(Debug, Clone, Default)]
pub struct LatencySteps {
    /// The first latency of each step that has calls, in order, and their number.
    counts: Vec<(u32, u64)>,
}

/// Latencies that share the step of this one are this number of microseconds, as a power of two.
fn width_bits(latency_us: u32) -> u32 {
    (u32::BITS - latency_us.leading_zeros()).saturating_sub(STEP_BITS)
}

fn first_us(latency_us: u32) -> u32 {
    let bits = width_bits(latency_us);
    latency_us >> bits << bits
}

impl LatencySteps {
    /// Counts so many calls of that latency.
    pub fn add(&mut self, latency_us: u32, calls: u64) {
        let first_us = first_us(latency_us);
        let at = self.counts.partition_point(|(step, _)| *step < first_us);
        match self.counts.get_mut(at) {
            Some((step, count)) if *step == first_us => *count += calls,
            _ => self.counts.insert(at, (first_us, calls)),
        }
    }

    /// The latency that this share of the calls did not exceed, in microseconds: the middle of its step. 0 without calls.
    pub fn at(&self, quantile: f64) -> u64 {
        let calls: u64 = self.counts.iter().map(|(_, calls)| calls).sum();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of a number of calls far below 2^52"
        )]
        let mut left = ((calls as f64 * quantile.min(1.0)).ceil() as u64).max(1);
        let reached = |(_, calls): &&(u32, u64)| {
            let is_reached = *calls >= left;
            left = left.saturating_sub(*calls);
            is_reached
        };
        let step = self.counts.iter().find(reached).map_or(0, |(first_us, _)| *first_us);
        u64::from(step) + ((1_u64 << width_bits(step)) >> 1)
    }

    /// The last latency of each step that has calls, in microseconds, and their number: what the data file has.
    pub fn kept(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter().map(|(first_us, calls)| (u64::from(*first_us) + (1 << width_bits(*first_us)) - 1, *calls))
    }

    /// Steps that take memory.
    pub fn steps(&self) -> usize {
        self.counts.len()
    }
}
