//! Monthly quotas, in calendar months of UTC.

use crate::base::value::Month;
use crate::store::Limit;

/// Calls a month of a sandbox key and the keys that it replaced (contract, section 8).
pub const SANDBOX_CALLS_A_MONTH: Limit = Limit(Some(1_000));

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthCount {
    pub month: Month,
    pub used: u64,
}

impl Default for MonthCount {
    fn default() -> Self {
        MonthCount { month: Month::from_ordinal(0), used: 0 }
    }
}

impl MonthCount {
    /// Use in that month. At the turn of a month calls may come in any order, so a call of the month before counts
    /// in the new one. A count of a month further ahead was made by a wrong clock, and ends.
    pub fn in_month(self, month: Month) -> MonthCount {
        if month == self.month || month.next() == self.month { self } else { MonthCount { month, used: 0 } }
    }

    /// True if no more calls are allowed.
    pub fn is_used_up(self, month: Month, limit: Limit) -> bool {
        limit.is_reached(self.in_month(month).used)
    }

    pub fn add(&mut self, month: Month) {
        *self = self.in_month(month);
        self.used += 1;
    }
}
