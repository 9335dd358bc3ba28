//! The worked examples of the versions, run again.

use serde::{Deserialize, Serialize};

use crate::base::document::Node;
use crate::base::value::RuleId;
use crate::core::engine::examples::holds;
use crate::core::store::{AsOfReader, RuleReader, StoreResult};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examples {
    /// Those that hold by the rules as they are.
    pub hold: u64,
    /// Those that a later publication has overtaken: they hold by the rules as they were known when
    /// their version was published.
    pub overtaken: u64,
}

impl Examples {
    /// Runs those of a version by the rules as they are (`now`; without them if another version has taken its days), and if
    /// one does not hold, by the rules as they were known when the version was published. Returns why others do not hold.
    pub(super) fn run(
        &mut self,
        id: &RuleId,
        record: &[u8],
        now: Option<&RuleReader>,
        then: impl Fn() -> StoreResult<Option<AsOfReader>>,
    ) -> StoreResult<Vec<String>> {
        let mut faults = Vec::new();
        let Ok(Node::Object(object)) = Node::parse(record) else { return Ok(faults) };
        let Some(Node::List(list)) = object.get("exemplos") else { return Ok(faults) };
        for example in list {
            if now.is_some_and(|now| holds(now, example, id).is_ok()) {
                self.hold += 1;
                continue;
            }
            let Some(then) = then()? else { continue };
            match holds(&then, example, id) {
                Ok(()) => self.overtaken += 1,
                Err(why) => faults.push(why),
            }
        }
        Ok(faults)
    }
}
