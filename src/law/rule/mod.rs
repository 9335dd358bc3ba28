//! Rules: what they match, when they answer, how versions follow one another, and the documents that they
//! come in and are stored as. Pure: no I/O, no clock, and nothing about any single tax.

mod aviso;
pub mod bundle;
mod lookup;
mod missing;
mod nearest;
pub mod record;
mod regra;
mod scope;
mod succession;

pub use aviso::{Aviso, Condicao};
pub use lookup::{Linha, Nomeada, OpenDimension, Place, Regras, RuleResult, first_of_ncm};
pub(crate) use missing::not_found;
pub use missing::{require, require_of_ncm};
pub(crate) use nearest::Search;
pub use regra::{Escrito, Regra, RuleLayer, VersaoRegra};
pub use scope::{Axis, Chave, Dimension, Discriminator, DiscriminatorWord, Escopo, Local, ScopeSpec};
pub use succession::{Closing, Timeline, Vigencia};
