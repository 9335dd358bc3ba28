//! The refusal of a lookup that found no rule.

use std::fmt::Write as _;

use super::lookup::{Regras, RuleResult, first_of_ncm};
use super::nearest::{Search, written};
use super::regra::Regra;
use super::scope::Chave;
use super::succession::Vigencia;
use crate::base::problem::{ErrorCode, Problem};
use crate::base::sentence::Sentence;
use crate::base::value::{Date, Ncm, sucessao};

/// The first rule that answers, in the order of `chaves`. Fails with a 404 if none does, which names the key and the rules that came nearest.
pub fn require(regras: &dyn Regras, chaves: &[Chave], data: Date) -> RuleResult<Regra> {
    for chave in chaves {
        if let Some(regra) = regras.em(chave, data)? {
            return Ok(regra);
        }
    }
    Err(not_found(regras, &Search { chaves, any_cest: false, ncm: None, data })?)
}

/// The same of an NCM in these places: every prefix of it in the first place, then in the next.
pub fn require_of_ncm(regras: &dyn Regras, places: &[Chave], ncm: &Ncm, data: Date) -> RuleResult<Regra> {
    if let Some(regra) = first_of_ncm(regras, places.chunks(1), ncm, data)? {
        return Ok(regra);
    }
    let chaves: Vec<Chave> = places.chunks(1).flat_map(|place| Chave::under(place, ncm)).collect();
    Err(not_found(regras, &Search { chaves: &chaves, any_cest: false, ncm: Some(ncm), data })?)
}

/// The 404 of a lookup that found no rule. It names the nearest validity among the rules of its keys, the rules that
/// came nearest, and the successors of an NCM that has ended.
pub(crate) fn not_found(regras: &dyn Regras, search: &Search<'_>) -> RuleResult<Box<Problem>> {
    let data = search.data;
    if !data.may_have_rules() {
        let (first, last) = (Date::FIRST_OF_RULES, Date::LAST_OF_RULES);
        let detail = Sentence::of(|to| {
            let [data, first, last] = [data, first, last].map(|day| day.read_by(to));
            format!("Nenhuma regra vale em {data}: as regras vão de {first} a {last}. Confira a data ou o exercício.")
        });
        return Ok(Box::new(Problem::new(ErrorCode::RegraInexistente, detail)));
    }
    let first = search.chaves.first();
    let nearest = search.nearest(regras)?;
    let searched = Sentence::of(|to| {
        let mut said = match first {
            Some(chave) => {
                format!("Nenhuma regra de `{}` vale em {} para {}.", chave.tributo, data.read_by(to), chave.descricao())
            }
            None => format!("Nenhuma regra vale em {}.", data.read_by(to)),
        };
        if let Some((chave, Vigencia { de, ate })) = &nearest.validity {
            let of = match first {
                Some(first) if first == chave => String::new(),
                _ => format!(", para {}", chave.descricao()),
            };
            let de = de.read_by(to);
            let _ = match ate {
                Some(ate) => {
                    write!(said, " A vigência mais próxima vai de {de} a {}{of}.", ate.previous_day().read_by(to))
                }
                None => write!(said, " A vigência mais próxima começa em {de}{of}."),
            };
        }
        said
    });
    let mut detail = match written(&nearest) {
        Some(list) => {
            let all = |to| format!("{} Regras mais próximas: {}.", searched.read_by(to), list.read_by(to));
            Sentence::of(all).listing(searched)
        }
        None => searched,
    };
    if let Some(sentence) = first.and_then(|chave| sucessao(&chave.ncm?, data)) {
        detail.add(sentence);
    }
    detail.add("A falta de regra no taxd não quer dizer que não haja imposto: confira os dados e, se estão certos, apure por outro meio ou peça a regra a quem administra o taxd.");
    Ok(Box::new(Problem { candidatos: nearest.candidatos, ..Problem::new(ErrorCode::RegraInexistente, detail) }))
}
