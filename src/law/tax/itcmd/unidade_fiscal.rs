//! The value of a fiscal unit of a State.
//!
//! A rule of its own states it for the days of its validity: its scope names the UF and [`PALAVRA`], its content the name
//! and the value. The value of the payload goes before it. A unit with another name than the rule of the tax states is not
//! used, because a State may have several.

use super::{Conteudo, ITCMD, NATUREZA, Payload};
use crate::base::document::{Faults, Path};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Figura, Text, Uf, with_comma};
use crate::rule::{Chave, Condicao, Escopo, Regra, RuleResult};
use crate::tax::calculation::Calculation;

/// The word of the scope of a unit's rule.
pub(super) const PALAVRA: &str = "unidade_fiscal";

const CAMPO: &str = "valor_unidade_fiscal";

/// The key of the rule of the State's unit.
fn key(uf: Uf) -> Chave {
    Chave { palavra: NATUREZA.palavra(PALAVRA), ..Chave::na_uf(ITCMD, uf) }
}

/// True for the key of a unit's rule.
pub(super) fn is_key(chave: &Chave) -> bool {
    chave.palavra == NATUREZA.palavra(PALAVRA)
}

/// Checks the content of a unit's rule: a name, and nothing that another rule taxes with.
pub(super) fn check(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
    if c.unidade_nome.is_none() {
        let detail = "A regra de uma unidade fiscal precisa do nome dela.";
        faults.add(&at.key("unidade_nome"), ErrorCode::CampoObrigatorio, detail);
    }
    if c.valor_unidade.and_then(Figura::established).is_some_and(|value| value <= Amount::ZERO) {
        faults.add(&at.key("valor_unidade"), ErrorCode::ValorZero, "O valor de uma unidade fiscal é maior que zero.");
    }
    let others = [
        ("aliquota", c.aliquota.is_some()),
        ("faixas", !c.faixas.is_empty()),
        ("metodo", c.metodo.is_some()),
        ("isencao", c.isencao.is_some()),
        ("descontos", !c.descontos.is_empty()),
    ];
    for (name, _) in others.iter().filter(|(_, stated)| *stated) {
        faults.add(&at.key(name), ErrorCode::ValorInvalido, format!("A regra de uma unidade fiscal não usa `{name}`."));
    }
}

/// Checks that a rule states the value of a unit if, and only if, its scope is that of a unit.
pub(super) fn check_escopo(c: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
    let named = escopo.palavras.contains(&PALAVRA);
    if named == c.valor_unidade.is_some() && (!named || escopo.palavras.len() == 1) {
        return;
    }
    let detail = "O escopo `fato_gerador`: `unidade_fiscal`, sem outra palavra, é o da regra que traz `valor_unidade`, e só dela.";
    faults.add(&at.key("escopo").key(NATUREZA.campo), ErrorCode::ValorInvalido, detail);
}

/// The value of one fiscal unit in BRL: that of the payload, or that of the unit's rule on the day. `None` if the rule of
/// the tax counts in BRL. Refuses a payload without it if neither has it.
pub(super) fn value(
    p: &Payload,
    regra: &Regra,
    conteudo: &Conteudo,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Option<Amount>> {
    let own = p.valor_unidade_fiscal.filter(|value| *value > Amount::ZERO);
    if !conteudo.counts_in_units() {
        return Ok(own);
    }
    let name = conteudo.unidade_nome.as_ref().map_or("unidade fiscal", Text::as_str);
    let unit = calculation.regras.em(&key(p.uf), p.data_fato_gerador)?;
    let stated = unit.as_ref().map(|unit| unit.conteudo::<Conteudo>()).transpose()?;
    let stated = stated.filter(|stated| stated.unidade_nome == conteudo.unidade_nome);
    let known = stated.and_then(|stated| stated.valor_unidade).and_then(Figura::established);
    match (own, known, &unit) {
        (Some(own), Some(known), Some(unit)) if own != known => {
            let act = unit.citacao_legal.as_str();
            let sentence = format!(
                "Usou-se o valor de {name} do pedido, R$ {}; o do dia é R$ {} ({act}).",
                with_comma(own.decimal()),
                with_comma(known.decimal())
            );
            calculation.warn(Condicao::Campo, sentence);
            Ok(Some(own))
        }
        (Some(own), ..) => Ok(Some(own)),
        (None, Some(known), Some(unit)) if p.valor_unidade_fiscal.is_none() => {
            let sentence = format!(
                "Usou-se a {name} do dia, R$ {} ({}): informe `{CAMPO}` se a lei manda contar com a de outro dia.",
                with_comma(known.decimal()),
                unit.citacao_legal.as_str()
            );
            calculation.warn(Condicao::Data, sentence);
            calculation.uses(unit);
            Ok(Some(known))
        }
        _ => {
            let codigo = match p.valor_unidade_fiscal {
                Some(_) => ErrorCode::ValorZero,
                None => ErrorCode::UnidadeFiscalAusente,
            };
            let why = stated.and(unit.as_ref()).and_then(|unit| unit.motivo.as_ref());
            let why = why.map_or(String::new(), |why| format!(" {}", why.as_str()));
            let detail = format!("A regra usa {name}: informe em `{CAMPO}` o valor de uma unidade no ano.{why}");
            Err(regra.refusal_of_field(codigo, CAMPO, detail))
        }
    }
}
