//! Lists of payloads: a table of which each row is one calculation, or every tax of one operation, and the same table
//! with its results.
//!
//! The header names the fields of the payload, by name or by label, in any order. A column of anything else is carried
//! as it is: an invoice number, a client. One tax answers all rows, or a column `tributo` names that of each row.

mod causes;
mod cells;
mod columns;
mod evidence;
mod fields;
mod header;
mod names;
mod operations;
pub mod page;
mod proposals;
mod reply;
mod result_columns;
mod row;
mod run;
mod same;
mod template;
mod written;

pub use causes::{ListCause, ListCauses, causes_text};
pub use cells::UnreadCell;
pub use columns::{Asked, ResultColumn, column_width};
pub use evidence::ListEvidence;
pub use header::List;
pub use operations::INCOMPLETE;
pub use reply::RowReply;
pub use result_columns::result_cells;
pub use run::{AskedRows, Ended, RepliedRow, RowBatch, RowSink, each_batch, evidence, is_own_total};
pub use same::{SameColumns, SameValues, renamed};
pub use template::template;
