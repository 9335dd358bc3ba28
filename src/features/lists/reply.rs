//! What came of a row of a list.

use super::cells::UnreadCell;
use crate::base::document::Object;
use crate::base::problem::Problem;
use crate::features::calc::{Answered, CalcReply};
use crate::law::operation::Apuracao;
use crate::law::tax::TaxAnswer;

/// An answer, a refusal, or what is wrong with the cells.
#[derive(Debug, Clone, Copy)]
pub enum RowReply<'r> {
    Tax(&'r TaxAnswer),
    Operation(&'r Apuracao),
    Treatment(&'r Object<'static>),
    /// It is refused, or may not be asked.
    Refused(&'r Problem),
    /// It asks nothing.
    Unread(&'r [UnreadCell]),
}

impl<'r> RowReply<'r> {
    pub fn of(reply: &'r CalcReply) -> RowReply<'r> {
        match reply {
            Ok(Answered::Tax(answer)) => RowReply::Tax(answer),
            Ok(Answered::Operation(apuracao)) => RowReply::Operation(apuracao),
            Ok(Answered::Treatment(treatment)) => RowReply::Treatment(treatment),
            Err(problem) => RowReply::Refused(problem),
        }
    }
}
