//! Whether the rules of a file hold together: every version with its state, its keys and its events,
//! and its worked examples still answered as they were when it was published.

mod codes;
mod events;
mod publications;
mod versions;

use serde::{Deserialize, Serialize};

use crate::store::{Audit, Findings, GoOn, StoreResult};

/// What came of the worked examples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examples {
    /// Those that hold by the rules as they are.
    pub hold: u64,
    /// Those that a later publication has overtaken; they hold by the rules as they were known when
    /// their version was published.
    pub overtaken: u64,
}

/// Looks at everything that the file says of rules.
pub fn audit(audit: &Audit, findings: &mut Findings, go_on: GoOn<'_>) -> StoreResult<Examples> {
    let publications = publications::look(audit, findings, go_on)?;
    let closings = codes::look(audit, findings, go_on)?;
    let expected = versions::look(audit, &publications, &closings, findings, go_on)?;
    versions::look_back(audit, &expected, findings, go_on)?;
    Ok(expected.examples)
}
