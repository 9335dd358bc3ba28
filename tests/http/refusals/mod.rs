//! Section 7 of the contract over HTTP: what is refused, under which name, by which rule.

mod missing;
mod nearest;
mod no_rule;
mod order;
