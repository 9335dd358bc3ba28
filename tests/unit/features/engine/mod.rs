//! What a feature makes of the engine.
//!
//! | file | what must hold |
//! |---|---|
//! | `changes` | what a publication changed, against a naive comparison of the two contents |
//! | `corrections` | what publications corrected in given answers, against a naive count, with kills |
//! | `extinct` | the end of a tax by law, ahead and in the count |
//! | `upcoming_shown` | what lies ahead, as people and programs get it |

mod changes;
mod corrections;
mod extinct;
#[allow(dead_code, reason = "the tests of `core` use the rest")]
#[path = "../../core/engine/scoped_rules.rs"]
mod scoped_rules;
mod upcoming_shown;
