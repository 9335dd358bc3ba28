//! Finds the rule that answers.
//!
//! A tax has a list of keys, the most specific first; the first one with a rule that covers the day answers.
//! [`Regras`] hides how rules are stored, so that the calculation stays pure.

use super::regra::Regra;
use super::scope::{Chave, Dimension};
use super::succession::Vigencia;
use crate::base::problem::Problem;
use crate::base::value::{Date, Ncm};

pub type RuleResult<T> = Result<T, Box<Problem>>;

/// The rules that answer, wherever they are stored.
pub trait Regras {
    /// The version that answers on that day under exactly this key.
    fn em(&self, chave: &Chave, data: Date) -> RuleResult<Option<Regra>>;

    /// The first rule of an NCM that answers on that day, does not exclude the NCM and passes `wanted`: by its longest
    /// prefix, and of one prefix by the first of `places`, which are keys without NCM ([`Chave::under`]).
    fn longest_prefix(
        &self,
        places: &[Chave],
        ncm: &Ncm,
        data: Date,
        wanted: &dyn Fn(&Regra) -> RuleResult<bool>,
    ) -> RuleResult<Option<Regra>>;

    /// Every version that answers on that day under this key with any value of its last dimension
    /// (the [`Cest`](Dimension::Cest)), or with none; in the order of that dimension.
    fn com_qualquer_ultima(&self, chave: &Chave, data: Date) -> RuleResult<Vec<Regra>>;

    /// Up to `max` keys whose bytes begin with `prefix`, from `place` on, with their versions.
    fn linhas(&self, prefix: &[u8], place: Place<'_>, max: usize) -> RuleResult<Vec<Linha>>;

    /// Passes to `take` the versions that answer under the keys that are like one of `chaves` before the dimension of
    /// `open` and name that dimension, until it returns true; in the order of `chaves`, which follow from the first of them.
    fn nomeadas(
        &self,
        chaves: &mut dyn Iterator<Item = Chave>,
        open: &OpenDimension<'_>,
        take: &mut dyn FnMut(&Nomeada) -> RuleResult<bool>,
    ) -> RuleResult<()>;

    /// The version of that number, which answers on these days.
    fn versao(&self, number: u64, vigencia: Vigencia) -> RuleResult<Regra>;
}

/// A key, and the versions that answer under it on some day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linha {
    /// The [bytes](Chave::bytes) of the key.
    pub chave: Vec<u8>,
    /// Number and validity of each version, in the order of their days.
    pub versoes: Vec<(u64, Vigencia)>,
}

/// A dimension that a lookup left open, and what is asked about the rules that name it.
#[derive(Debug, Clone, Copy)]
pub struct OpenDimension<'a> {
    pub dimension: Dimension,
    /// What its values begin with; empty for every value. A zero byte asks for the keys that do not name it.
    pub begins: &'a [u8],
    pub data: Date,
}

/// A version under a key that names a dimension which a lookup left open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nomeada {
    pub valor: Box<str>,
    pub numero: u64,
    pub vigencia: Vigencia,
}

/// Where a reading of keys begins, and its direction.
#[derive(Debug, Clone, Copy)]
pub enum Place<'a> {
    /// At these bytes, upwards.
    From(&'a [u8]),
    /// At the last key before these bytes, downwards.
    Before(&'a [u8]),
}

/// The first rule of an NCM in the order of `groups`, each of which is a list of places
/// ([`longest_prefix`](Regras::longest_prefix)).
pub fn first_of_ncm(
    regras: &dyn Regras,
    groups: impl IntoIterator<Item = impl AsRef<[Chave]>>,
    ncm: &Ncm,
    data: Date,
) -> RuleResult<Option<Regra>> {
    for places in groups {
        if let Some(regra) = regras.longest_prefix(places.as_ref(), ncm, data, &|_| Ok(true))? {
            return Ok(Some(regra));
        }
    }
    Ok(None)
}
