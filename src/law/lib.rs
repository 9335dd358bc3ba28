//! The law: rules, taxes, operations, the treatment of products, tables of codes, fiscal
//! documents and the books of the SPED. Pure: no I/O, no clock.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic ends a call; only a test is meant to panic, at the place where it fails"
)]

pub mod codes;
pub mod efd;
pub mod labels;
pub mod nfe;
pub mod operation;
pub mod rule;
pub mod tax;
pub mod tratamento;

use taxd_base as base;
