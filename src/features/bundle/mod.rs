//! `taxd bundle`: writes, checks and signs rule bundles.

pub(crate) mod command;
