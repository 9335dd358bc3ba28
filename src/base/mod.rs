//! The base: parsed values, documents of values, refusals of callers, sentences, panics. No I/O and no clock but
//! [`value::Clock`].

pub mod defect;
pub mod document;
pub mod problem;
pub mod sentence;
pub mod value;
