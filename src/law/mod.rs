//! The law: rules, taxes, operations, the treatment of products, tables of codes, fiscal
//! documents and the books of the SPED. Pure: no I/O, no clock.

pub mod codes;
pub mod efd;
pub mod labels;
pub mod nfe;
pub mod operation;
pub mod rule;
pub mod tax;
pub mod tratamento;
