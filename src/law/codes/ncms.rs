//! The NCM codes that a line of an official table names.

use crate::base::value::{Ex, Ncm, NcmPrefix};

/// A code or the beginning of one, of one tariff exception if it names one: `22011000-01`.
type Named = (NcmPrefix, Option<Ex>);

/// Codes, and those among them that are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ncms {
    named: Vec<Named>,
    except: Vec<Named>,
}

impl Ncms {
    /// Reads two lists with commas between the codes. `None` if a code is faulty.
    pub(super) fn read(named: &str, except: &str) -> Option<Ncms> {
        Some(Ncms { named: list(named)?, except: list(except)? })
    }

    /// True if a code of the list has the product, and none that is left out does.
    pub(super) fn has(&self, ncm: &Ncm, ex: Option<Ex>) -> bool {
        let has = |list: &[Named]| list.iter().any(|(prefix, of)| ncm.is_under(prefix) && (of.is_none() || *of == ex));
        has(&self.named) && !has(&self.except)
    }
}

fn list(text: &str) -> Option<Vec<Named>> {
    text.split(',').filter(|code| !code.is_empty()).map(code).collect()
}

fn code(text: &str) -> Option<Named> {
    let (prefix, ex) = match text.split_once('-') {
        Some((prefix, ex)) => (prefix, Some(Ex::parse(ex).ok()?)),
        None => (text, None),
    };
    Some((NcmPrefix::parse(prefix).ok()?, ex))
}
