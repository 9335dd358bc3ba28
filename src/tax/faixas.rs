//! Brackets: marginal (each slice at its own rate) or integral (the whole at the rate of
//! the bracket it falls in), as the law of each tax says.

use super::detalhes::Dado;
use crate::problem::Codigo;
use crate::record::{Faults, Path};
use crate::rule::{Regra, Resposta};
use crate::value::{Amount, Exact, Figura, Rate};

crate::vocabulary! {
    /// How the rates of brackets apply.
    pub enum Metodo {
        Marginal = "marginal",
        Integral = "integral",
    }
}

crate::record! {
    /// One bracket: from the end of the one before to `ate`, that value included.
    pub struct Faixa {
        ate: Option<Amount>, "Último valor da faixa; nulo na última";
        aliquota: Figura<Rate>, "Alíquota da faixa";
    }
}

/// A rule's brackets, applied.
pub struct Aplicada {
    /// The tax, exact.
    pub imposto: Exact,
    /// The rate of the bracket that the value reaches.
    pub aliquota: Rate,
    /// What each bracket contributed.
    pub parcelas: Vec<Dado>,
}

/// Notes a fault unless the limits ascend and only the last is open.
pub fn conferir_limites(limites: &[Option<Amount>], at: &Path<'_>, faults: &mut Faults) {
    let mut previous: Option<Amount> = None;
    for (i, limite) in limites.iter().enumerate() {
        let here = at.index(i);
        let last = i + 1 == limites.len();
        match limite {
            None if !last => {
                faults.add(&here, Codigo::ValorInvalido, "Só a última faixa pode ter `ate` nulo.");
            }
            Some(_) if last => {
                faults.add(
                    &here,
                    Codigo::ValorInvalido,
                    "A última faixa precisa ter `ate` nulo: acima dela não há outra.",
                );
            }
            Some(limite) if previous.is_some_and(|p| p >= *limite) => {
                faults.add(
                    &here,
                    Codigo::ValorInvalido,
                    format!("As faixas precisam crescer; {limite} não passa da anterior."),
                );
            }
            _ => {}
        }
        previous = *limite;
    }
}

/// Notes the faults of a list of brackets that stands in the field `faixas`.
pub fn conferir(faixas: &[Faixa], at: &Path<'_>, faults: &mut Faults) {
    let limites: Vec<_> = faixas.iter().map(|f| f.ate).collect();
    conferir_limites(&limites, &at.key("faixas"), faults);
}

/// Applies brackets to `base`. `unidade` is the worth in BRL of the unit that the limits are
/// in: one for limits in BRL.
pub fn aplicar(regra: &Regra, faixas: &[Faixa], metodo: Metodo, base: Exact, unidade: Exact) -> Resposta<Aplicada> {
    let mut imposto = Exact::ZERO;
    let mut parcelas = Vec::new();
    let mut floor = Exact::ZERO;
    let mut reached = None;
    for (i, faixa) in faixas.iter().enumerate() {
        let ceiling = faixa.ate.map(|ate| ate.exact() * unidade);
        let top = match ceiling {
            Some(ceiling) => base.min(ceiling)?,
            None => base,
        };
        let is_last = ceiling.is_none_or(|c| !matches!(base.compare(c), Ok(std::cmp::Ordering::Greater)));
        if metodo == Metodo::Marginal || is_last {
            let rate = regra.figura(&format!("faixas[{i}].aliquota"), faixa.aliquota)?;
            let slice = if metodo == Metodo::Marginal { top - floor } else { base };
            let part = slice * rate.fraction();
            imposto = imposto + part;
            reached = Some(rate);
            parcelas.push(Dado::Objeto(vec![
                ("faixa", Dado::Inteiro(i64::try_from(i + 1).unwrap_or(i64::MAX))),
                ("de", Dado::valor(floor)?),
                ("ate", ceiling.map_or(Ok(Dado::Nulo), Dado::valor)?),
                ("base", Dado::valor(slice)?),
                ("aliquota", rate.into()),
                ("imposto", Dado::valor(part)?),
            ]));
        }
        if is_last {
            break;
        }
        floor = top;
    }
    let aliquota = reached.ok_or_else(|| regra.sem_conteudo("faixas"))?;
    Ok(Aplicada { imposto, aliquota, parcelas })
}
