//! Finds the rule that answers.
//!
//! A tax has a list of keys, the most specific first; the first one with a rule that covers the day answers.
//! [`Regras`] hides how rules are stored, so that the calculation stays pure.

use std::fmt::Write as _;

use super::history::Vigencia;
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

    /// Every validity under the keys whose bytes begin with `prefix`.
    fn vigencias(&self, prefix: &[u8]) -> RuleResult<Vec<Vigencia>>;
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

/// The same, but fails with a 404 if no rule answers. It names the key and the nearest validity.
pub fn exigir(regras: &dyn Regras, chaves: &[Chave], ncm: Option<&Ncm>, data: Date) -> RuleResult<Regra> {
    match primeira(regras, chaves.iter().cloned(), ncm, data)? {
        Some(regra) => Ok(regra),
        None => Err(inexistente(regras, chaves, data, Chave::bytes)?),
    }
}

/// The 404 for a day on which none of the keys has a rule. It names the nearest validity among the rules whose
/// keys begin with the `prefix` of one of `chaves`, and the successors of an NCM that has ended.
pub(crate) fn inexistente(
    regras: &dyn Regras,
    chaves: &[Chave],
    data: Date,
    prefix: fn(&Chave) -> Vec<u8>,
) -> RuleResult<Box<Problem>> {
    if !data.may_have_rules() {
        let (first, last) = (Date::FIRST_OF_RULES, Date::LAST_OF_RULES);
        let detail = format!(
            "Nenhuma regra responde em {data}: as regras vão de {first} a {last}. Confira a data ou o exercício."
        );
        return Ok(Box::new(Problem::new(ErrorCode::RegraInexistente, detail)));
    }
    let mut detail = match chaves.first() {
        Some(chave) => format!("Nenhuma regra de {} responde em {data} para {}.", chave.tributo, chave.descricao()),
        None => format!("Nenhuma regra responde em {data}."),
    };
    let mut nearest: Option<(Chave, Vigencia)> = None;
    for chave in chaves {
        for vigencia in regras.vigencias(&prefix(chave))? {
            if nearest.as_ref().is_none_or(|(_, best)| vigencia.distance(data) < best.distance(data)) {
                nearest = Some((chave.clone(), vigencia));
            }
        }
    }
    match nearest {
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
        None => detail.push_str(" Confira os campos ou importe um pacote de regras que os cubra."),
    }
    if let Some(sentence) = chaves.first().and_then(|chave| sucessao(&chave.ncm?, data)) {
        let _ = write!(detail, " {sentence}");
    }
    Ok(Box::new(Problem::new(ErrorCode::RegraInexistente, detail)))
}
