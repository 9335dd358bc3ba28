//! All taxes of one operation.
//!
//! | file | what must hold |
//! |---|---|
//! | `rules` | the rules of these tests, and how they ask |
//! | `worked` | operations worked by hand |
//! | `withheld` | withholdings on a service, the net to pay, and the regime of the seller in one word |
//! | `refused` | taxes without an amount, those that depend on them, and facts at fault |
//! | `fuels` | fuels, whose ICMS is paid once |
//! | `alone` | every answer is that of its tax asked alone, and every total is a sum, for any facts |
//! | `fields` | the facts have the fields of the taxes |

mod alone;
mod fields;
mod fuels;
mod refused;
pub mod rules;
mod withheld;
mod worked;
