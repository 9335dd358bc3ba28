//! The base: parsed values, documents of values, refusals of callers, sentences, panics. No I/O and no clock but
//! [`value::Clock`].

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic ends a call; only a test is meant to panic, at the place where it fails"
)]

pub mod defect;
pub mod document;
pub mod problem;
pub mod sentence;
pub mod value;
