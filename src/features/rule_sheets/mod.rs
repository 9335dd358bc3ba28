//! Rules as the rows of a table, for analysts who write no JSON.
//!
//! The columns are the declarations of the tax: a column is named by the path of its member in the rule
//! (`conteudo.aliquota`). A list of objects goes down the rows: `conteudo.faixas[].ate` has the first bracket in the row
//! of the rule and each further one in a row below it, whose `rule_code` is empty. A list of codes is in one cell. The
//! word `null` is a figure that is not established, an empty cell a member that is absent. A row that begins with `#` is
//! a comment.
//!
//! This module converts and checks the form. What a rule says is checked as an import does it; [`Made::place`] gives
//! the row and column of a fault.

mod cells;
pub mod command;
mod layout;
mod read;
mod single;
mod value;
mod write;

pub use cells::CellFault;
pub use layout::{Layout, LayoutColumn, kind};
pub use read::{Made, read};
pub use single::{MemberFault, of_members};
pub use write::{Inexpressible, guide, rows, table};
