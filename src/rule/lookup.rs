//! Finds the rule that answers.
//!
//! A tax has a list of keys, the most specific first; the first one with a rule that covers the day answers.
//! [`Regras`] hides how rules are stored, so that the calculation stays pure.

use std::fmt::Write as _;

use super::history::Vigencia;
use super::nearest::{Search, written};
use super::regra::Regra;
use super::scope::Chave;
use crate::problem::{ErrorCode, Problem};
use crate::value::{Date, Ncm, sucessao};

/// A result or a refusal.
pub type RuleResult<T> = Result<T, Box<Problem>>;

/// The rules that answer, wherever they are stored.
pub trait Regras {
    /// The version that answers on that day under exactly this key.
    fn em(&self, chave: &Chave, data: Date) -> RuleResult<Option<Regra>>;

    /// Every version that answers on that day under this key with any value of its last dimension
    /// ([`Chave::bytes_before_last`]), or with none; in the order of that dimension.
    fn com_qualquer_ultima(&self, chave: &Chave, data: Date) -> RuleResult<Vec<Regra>>;

    /// Up to `max` keys whose bytes begin with `prefix`, from `place` on, with their versions.
    fn linhas(&self, prefix: &[u8], place: Place<'_>, max: usize) -> RuleResult<Vec<Linha>>;

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

/// Where a reading of keys begins, and its direction.
#[derive(Debug, Clone, Copy)]
pub enum Place<'a> {
    /// At these bytes, upwards.
    From(&'a [u8]),
    /// At the last key before these bytes, downwards.
    Before(&'a [u8]),
}

/// The first rule that answers, in the order of `chaves`. Skips a rule that excludes the `ncm`: a less specific
/// one answers.
pub fn primeira(
    regras: &dyn Regras,
    chaves: impl IntoIterator<Item = Chave>,
    ncm: Option<&Ncm>,
    data: Date,
) -> RuleResult<Option<Regra>> {
    for chave in chaves {
        if let Some(regra) = regras.em(&chave, data)?
            && !ncm.is_some_and(|ncm| regra.escopo.excetua(ncm))
        {
            return Ok(Some(regra));
        }
    }
    Ok(None)
}

/// The same, but fails with a 404 if no rule answers. It names the key and the rules that came nearest.
pub fn exigir(regras: &dyn Regras, chaves: &[Chave], ncm: Option<&Ncm>, data: Date) -> RuleResult<Regra> {
    match primeira(regras, chaves.iter().cloned(), ncm, data)? {
        Some(regra) => Ok(regra),
        None => Err(inexistente(regras, &Search { chaves, any_cest: false, ncm, data })?),
    }
}

/// The 404 of a lookup that found no rule. It names the nearest validity among the rules of its keys, the rules that
/// came nearest, and the successors of an NCM that has ended.
pub(crate) fn inexistente(regras: &dyn Regras, search: &Search<'_>) -> RuleResult<Box<Problem>> {
    let data = search.data;
    if !data.may_have_rules() {
        let (first, last) = (Date::FIRST_OF_RULES, Date::LAST_OF_RULES);
        let detail = format!(
            "Nenhuma regra responde em {data}: as regras vão de {first} a {last}. Confira a data ou o exercício."
        );
        return Ok(Box::new(Problem::new(ErrorCode::RegraInexistente, detail)));
    }
    let first = search.chaves.first();
    let mut detail = match first {
        Some(chave) => format!("Nenhuma regra de {} responde em {data} para {}.", chave.tributo, chave.descricao()),
        None => format!("Nenhuma regra responde em {data}."),
    };
    let nearest = search.nearest(regras)?;
    match &nearest.validity {
        Some((chave, Vigencia { de, ate: Some(ate) })) => {
            let _ = write!(
                detail,
                " A vigência mais próxima vai de {de} até a véspera de {ate}, para {}.",
                chave.descricao()
            );
        }
        Some((chave, Vigencia { de, ate: None })) => {
            let _ = write!(detail, " A vigência mais próxima começa em {de}, para {}.", chave.descricao());
        }
        None if nearest.candidatos.is_empty() => {
            detail.push_str(" Confira os campos ou importe um pacote de regras que os cubra.");
        }
        None => {}
    }
    if let Some(list) = written(&nearest) {
        let _ = write!(detail, " Regras mais próximas: {list}.");
    }
    if let Some(sentence) = first.and_then(|chave| sucessao(&chave.ncm?, data)) {
        let _ = write!(detail, " {sentence}");
    }
    Ok(Box::new(Problem { candidatos: nearest.candidatos, ..Problem::new(ErrorCode::RegraInexistente, detail) }))
}
