//! The value types.
//!
//! | file | what must hold |
//! |---|---|
//! | `decimal`, `exact` | money, rates, and arithmetic without rounding |
//! | `calendar` | days, years, timestamps |
//! | `codes`, `municipality`, `api_key` | codes of the contract, municipalities, keys |

mod api_key;
mod calendar;
mod codes;
mod decimal;
mod exact;
mod municipality;
