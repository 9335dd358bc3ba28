//! Monthly allowances: counted in calendar months of UTC, each month from nothing.

use crate::store::Limit;
use crate::value::Month;

/// Calls of a sandbox key, with those that it was rotated from, in a month (contract, section 8).
pub const SANDBOX_CALLS_A_MONTH: Limit = Limit(Some(1_000));

/// What was used of an allowance in a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthCount {
    /// The month.
    pub month: Month,
    /// Calls in it.
    pub used: u64,
}

impl Default for MonthCount {
    fn default() -> Self {
        MonthCount { month: Month::from_ordinal(0), used: 0 }
    }
}

impl MonthCount {
    /// What was used in that month. Between the month just reached and the one before, calls
    /// may come in any order, so the count stays; a month further back says that the clock
    /// had been wrong.
    #[must_use]
    pub fn in_month(self, month: Month) -> MonthCount {
        if month == self.month || month.next() == self.month { self } else { MonthCount { month, used: 0 } }
    }

    /// True where one more would be too many.
    #[must_use]
    pub fn is_used_up(self, month: Month, ceiling: Limit) -> bool {
        ceiling.is_reached(self.in_month(month).used)
    }

    /// Counts one.
    pub fn add(&mut self, month: Month) {
        *self = self.in_month(month);
        self.used += 1;
    }
}
