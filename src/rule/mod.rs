//! Rules: what they match, when they answer, how versions follow one another, and the
//! document they come in. Pure: no I/O, no clock, and no word about any single tax.

pub mod bundle;
mod history;
mod lookup;
mod regra;
mod scope;

pub use history::{Closing, Timeline, Vigencia};
pub(crate) use lookup::inexistente;
pub use lookup::{Regras, RuleResult, exigir, primeira};
pub use regra::{Escrito, Regra, VersaoRegra};
pub use scope::{Axis, Chave, Discriminator, DiscriminatorWord, Escopo, ScopeSpec};
