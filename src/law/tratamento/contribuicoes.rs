//! PIS and COFINS. Each is asked as a resale under each regime; a rule of both regimes is one treatment.

use super::partes::{Comum, partes, rule_of};
use super::perguntas::{Pergunta, ask};
use super::situacao::{SituacaoTratada, refused};
use crate::base::document::{Node, Sometimes};
use crate::base::problem::Problem;
use crate::base::value::{Amount, Figura, Rate};
use crate::operation::Ask;
use crate::tax::{ConteudoPisCofins, RegimeApuracao, TaxAnswer, TipoPisCofins};

/// The regimes that have rules.
const REGIMES: [RegimeApuracao; 2] = [RegimeApuracao::Cumulativo, RegimeApuracao::NaoCumulativo];

taxd_base::components! {
    /// Single-phase rates of a manufacturer or importer, by the buyer.
    pub struct PorCompradorTratado {
        varejista_consumidor_final: Option<Rate>, "Na venda a varejista ou consumidor final" + "; nulo se a regra não a estabelece";
        demais: Option<Rate>, "Nas demais vendas" + "; nulo se a regra não a estabelece";
    }

    /// The treatment by one of the contributions.
    pub struct Contribuicao {
        situacao: SituacaoTratada, "Como a contribuição trata o produto" + "; depende_do_regime, se os regimes o tratam de modos diferentes";
        regimes: Vec<NoRegime>, "O tratamento em cada regime" + "; um só, se a mesma regra vale nos dois";
    }
}

partes! {
    pub struct NoRegime {
        regimes_apuracao: Vec<RegimeApuracao>, "Os regimes em que é assim";
        aliquota: Sometimes<Option<Rate>>, "Alíquota" + "; na incidência monofásica, a do fabricante ou importador; nulo se a regra não a estabelece";
        aliquota_revenda: Sometimes<Rate>, "Alíquota da revenda" + ", na incidência monofásica";
        por_comprador: Sometimes<PorCompradorTratado>, "Alíquotas do fabricante ou importador por comprador" + ", na incidência monofásica";
        por_unidade: Sometimes<Option<Amount>>, "Contribuição por unidade de quem optou por ela" + ", na incidência monofásica; nulo se a regra não a estabelece";
        unidade: Sometimes<String>, "Unidade" + ", como em: metro cúbico";
        motivo: Sometimes<String>, "Por que a alíquota é zero" + ", ou por que um valor da regra não está estabelecido";
    }
}

/// The treatment by `tributo`, which is `pis` or `cofins`.
pub(super) fn contribuicao(
    tributo: &'static str,
    asked: &Pergunta,
    with: Ask<'_>,
) -> Result<Contribuicao, Box<Problem>> {
    let mut regimes: Vec<NoRegime> = Vec::new();
    for regime in REGIMES {
        let mut members: Vec<(&str, Node<'static>)> = vec![
            ("regime_apuracao", regime.as_str().into()),
            ("papel_na_cadeia", "revenda".into()),
            ("valor_operacao", "100.00".into()),
            ("valor_icms_destacado", "0.00".into()),
        ];
        members.extend(asked.ex_member());
        let one = in_regime(regime, ask(with, &asked.payload(tributo, &members))?)?;
        match regimes.iter_mut().find(|known| is_same(known, &one)) {
            Some(known) => known.regimes_apuracao.push(regime),
            None => regimes.push(one),
        }
    }
    let mut situacoes = regimes.iter().map(|one| one.situacao);
    let first = situacoes.next().unwrap_or(SituacaoTratada::SemRegra);
    let situacao = if situacoes.all(|other| other == first) { first } else { SituacaoTratada::DependeDoRegime };
    Ok(Contribuicao { situacao, regimes })
}

/// True if the same rule answered in the same way, or the same refusal was given.
fn is_same(one: &NoRegime, other: &NoRegime) -> bool {
    let rule = |of: &NoRegime| of.regra.0.as_ref().map(|regra| regra.rule_id.clone());
    let refusal = |of: &NoRegime| of.recusa.0.as_ref().map(|problem| (problem.codigo, problem.detail.clone()));
    one.situacao == other.situacao && rule(one) == rule(other) && refusal(one) == refusal(other)
}

fn in_regime(regime: RegimeApuracao, answer: Result<TaxAnswer, Problem>) -> Result<NoRegime, Box<Problem>> {
    let found = |situacao, comum| NoRegime { regimes_apuracao: vec![regime], ..NoRegime::found(situacao, comum) };
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) => return Ok(found(refused(&problem), Comum::refused(problem))),
    };
    let regra = rule_of(&answer)?;
    let c = regra.conteudo::<ConteudoPisCofins>()?;
    let aliquota = Sometimes(c.aliquota.map(Figura::established));
    let said = |situacao| found(situacao, Comum::of(&answer));
    Ok(match c.tipo {
        TipoPisCofins::AliquotaZero => NoRegime {
            aliquota: Sometimes(Some(Some(Rate::ZERO))),
            motivo: Sometimes(c.motivo_zero.as_ref().map(|text| text.as_str().to_owned())),
            ..said(SituacaoTratada::AliquotaZero)
        },
        TipoPisCofins::Monofasico => NoRegime {
            aliquota,
            aliquota_revenda: Sometimes(Some(Rate::ZERO)),
            por_comprador: Sometimes(c.por_comprador.as_ref().map(|by| PorCompradorTratado {
                varejista_consumidor_final: by.varejista_consumidor_final.established(),
                demais: by.demais.established(),
            })),
            por_unidade: Sometimes(c.por_unidade.as_ref().map(|by_unit| by_unit.valor.established())),
            unidade: Sometimes(c.por_unidade.as_ref().map(|by_unit| by_unit.unidade.as_str().to_owned())),
            motivo: Sometimes(
                regra.motivo.as_ref().or(c.motivo_zero_revenda.as_ref()).map(|text| text.as_str().to_owned()),
            ),
            ..said(SituacaoTratada::Monofasico)
        },
        TipoPisCofins::AliquotaReduzida => NoRegime { aliquota, ..said(SituacaoTratada::AliquotaReduzida) },
        TipoPisCofins::Ordinario | TipoPisCofins::MarcadorAutopropulsado | TipoPisCofins::Extinto => {
            NoRegime { aliquota, ..said(SituacaoTratada::Ordinario) }
        }
    })
}
