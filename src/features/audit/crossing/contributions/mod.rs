//! PIS and COFINS in the EFD-Contribuições: the rows of the documents ([`rows`](super::rows)) against the notes, the rules and
//! the regime, and what block M owes on them.

mod bases;
mod credits;
mod presence;
mod products;
mod regime;
mod services;
mod settlement;
mod withheld;

pub(super) use self::bases::{of_purchase, of_sale};
pub(super) use self::credits::{not_taken, without_ground};
pub(super) use self::presence::{purchases, revenue, sales};
pub(super) use self::products::{Treatments, taxed, taxed_credit};
pub(super) use self::regime::rate;
pub(super) use self::services::{missing, value};
pub(super) use self::settlement::{free_revenue, not_compared, owed};
pub(super) use self::withheld::withheld;
