//! `taxd bundle`: checks and signs rule bundles. Those from official tables are written by [`super::sources`], those from
//! spreadsheets by [`super::rule_sheets`], and a rule of the office by [`super::office_rules`].

pub(crate) mod command;
