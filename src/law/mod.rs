//! The law: rules, taxes, operations, the treatment of products, tables of codes and fiscal documents. Pure: no I/O, no clock.

pub mod codes;
pub mod labels;
pub mod nfe;
pub mod operation;
pub mod rule;
pub mod tax;
pub mod tratamento;
