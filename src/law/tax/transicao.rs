//! The transition from ICMS and ISS to the IBS: of each rate a share is due from 2029 to 2032, and nothing from 2033 on
//! (ADCT, arts. 128 and 129; LC 87/1996, art. 31-A; LC 116/2003, art. 8º-B).
//!
//! A national rule of each tax states the share of a year, or that the tax is extinct. A calculation looks it up first
//! ([`Calculation::enter_transition`]), and passes each rate of another rule through [`Calculation::due_rate`]. The law
//! reduces benefits in the same proportion, and how was not read: whatever is more than a plain rate is refused
//! ([`Calculation::refuse_in_transition`]).

use std::any::Any;

use super::calculation::{Calculation, InTransition};
use super::formula::Points;
use crate::base::document::{Faults, Node, Object, Path};
use crate::base::problem::ErrorCode;
use crate::base::sentence::Sentence;
use crate::base::value::{Date, Figura, Rate, Text, Tributo, percent};
use crate::rule::{Chave, Escopo, Regra, RuleResult, require};

/// First day of the transition (ADCT, art. 128). The rates in force on the day before are those that the law reduces.
const FIRST_DAY: u32 = 20_290_101;

taxd_base::document! {
    /// What the transition to the IBS leaves of a tax.
    pub struct Transicao {
        proporcao: Option<Figura<Rate>>, "Percentual das alíquotas que é devido";
        motivo_extincao: Option<Text>, "Desde quando o tributo está extinto, e o que veio em seu lugar";
    }
}

/// The content of the rules of a tax that the transition concerns.
pub(super) trait WithTransition: Any + Send + Sync {
    /// What the rule states of the transition, if it is the national rule of a year.
    fn transicao(&self) -> Option<&Transicao>;
}

/// What the law says of the end of the tax, if the content is that of its national rule.
pub(super) fn extinction<'o>(conteudo: &'o Object<'_>) -> Option<&'o str> {
    let Some(Node::Object(transicao)) = conteudo.get("transicao") else { return None };
    transicao.text("motivo_extincao")
}

/// Checks the content of a national rule: one of the two members, and none of `others` beside it.
pub(super) fn check(transicao: &Transicao, others: &[(&'static str, bool)], at: &Path<'_>, faults: &mut Faults) {
    let here = at.key("transicao");
    if transicao.proporcao.is_some() == transicao.motivo_extincao.is_some() {
        let detail = "Informe `proporcao` (ou null, se não está estabelecida) ou `motivo_extincao`, um dos dois.";
        faults.add(&here.key("proporcao"), ErrorCode::CampoObrigatorio, detail);
    }
    if let Some(share) = transicao.proporcao.and_then(Figura::established)
        && share > Rate::WHOLE
    {
        faults.add(&here.key("proporcao"), ErrorCode::ForaDoIntervalo, "A proporção vai de 0 a 100.");
    }
    for (name, _) in others.iter().filter(|(_, stated)| *stated) {
        faults.add(&at.key(name), ErrorCode::ValorInvalido, format!("A regra da transição não usa `{name}`."));
    }
}

/// True if the content is that of a national rule of the transition, as far as it can be read.
pub(super) fn is_of_transition(conteudo: &Node<'_>) -> bool {
    let Node::Object(members) = conteudo else { return false };
    members.get("transicao").is_some_and(|transicao| !matches!(transicao, Node::Null))
}

/// Checks the scope of a national rule of the transition, which names nothing.
pub(super) fn check_escopo(escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
    let named = escopo.uf_origem.is_some() || escopo.uf_destino.is_some() || escopo.municipio.is_some();
    let narrowed = !escopo.ncm.is_empty() || !escopo.item_lista_servico.is_empty() || escopo.cest.is_some();
    if named || narrowed || !escopo.palavras.is_empty() {
        let detail = "A regra da transição vale para todo o país: deixe o escopo vazio.";
        faults.add(&at.key("escopo"), ErrorCode::ValorInvalido, detail);
    }
}

/// The keys of a lookup, which begin with its own, without that of the national rule: it answers in the place of no other
/// rule.
pub(super) fn without_national(keys: Vec<Chave>) -> Vec<Chave> {
    let less_specific = |(at, key): &(usize, Chave)| *at == 0 || *key != Chave::of(key.tributo);
    keys.into_iter().enumerate().filter(less_specific).map(|(_, key)| key).collect()
}

impl InTransition {
    fn share(&self) -> RuleResult<Rate> {
        self.regra.figura("transicao.proporcao", self.proporcao)
    }
}

impl Calculation<'_> {
    /// Looks up what the transition leaves of a tax on the day. Fails if the tax is extinct, or if no rule says what is
    /// due: the rates of 2028 must not pass for those of the day. Reads nothing for a day before the transition.
    pub(super) fn enter_transition<C: WithTransition>(&mut self, tributo: Tributo, data: Date) -> RuleResult<()> {
        if data.ordinal() < FIRST_DAY {
            return Ok(());
        }
        let regra = require(self.regras, &[Chave::of(tributo)], data).map_err(|mut problem| {
            if problem.codigo == ErrorCode::RegraInexistente {
                problem.detail.add("Desde 2029 a lei reduz as alíquotas ano a ano (ADCT, art. 128), e falta a regra da transição, do pacote `federal/transicao.json`.");
            }
            problem
        })?;
        let Some(transicao) = regra.conteudo::<C>()?.transicao() else { return Err(regra.sem_conteudo("transicao")) };
        if let Some(reason) = &transicao.motivo_extincao {
            return Err(regra.refusal(ErrorCode::TributoExtinto, reason.as_str()));
        }
        let proporcao = transicao.proporcao;
        self.uses(&regra);
        self.relay(&regra);
        self.transicao = Some(InTransition { regra, proporcao });
        Ok(())
    }

    /// True from the first day of the transition on.
    pub(super) fn is_in_transition(&self) -> bool {
        self.transicao.is_some()
    }

    /// The rate that is due: in the transition a share of `rate`, which `by` states, noted as the step `nome`. Refuses
    /// a rate that began in the transition, because the law reduces those of the day before it.
    pub(super) fn due_rate(&mut self, nome: &'static str, rate: Rate, by: &Regra) -> RuleResult<Rate> {
        let Some(transicao) = self.transicao.clone() else { return Ok(rate) };
        let share = transicao.share()?;
        let regra = &transicao.regra;
        if by.vigencia.de.ordinal() >= FIRST_DAY {
            let detail = format!(
                "A alíquota da regra aplicável ({}) começou em {}, e a lei reduz a que vigia em 31/12/2028 ({}): apure por outro meio, ou publique a que vigia naquele dia.",
                by.citacao_legal.as_str(),
                by.vigencia.de.dmy(),
                regra.citacao_legal.as_str()
            );
            return Err(regra.refusal(ErrorCode::RegraSemConteudo, detail));
        }
        let due = rate.share(share);
        let formula = self.formula(Points(rate)) * share;
        let formula = formula.noting(|| format!("alíquota de {}", by.citacao_legal.as_str()));
        self.note(nome, &regra.citacao_legal, due, formula);
        Ok(due)
    }

    /// Refuses, in the transition, what a rule has beside a plain rate: `what` it is, in Portuguese, and the rule.
    pub(super) fn refuse_in_transition(&self, beside: Option<&str>, by: &Regra) -> RuleResult<()> {
        let Some(what) = beside.filter(|_| self.is_in_transition()) else { return Ok(()) };
        self.refuse_all_in_transition(&format!("{what} da regra aplicável ({})", by.citacao_legal.as_str()))
    }

    /// Refuses every request of the transition: how the law reaches `what`, in Portuguese, was not read.
    pub(super) fn refuse_all_in_transition(&self, what: &str) -> RuleResult<()> {
        let Some(transicao) = &self.transicao else { return Ok(()) };
        let share = transicao.share()?;
        let regra = &transicao.regra;
        let (law, reached) = (regra.citacao_legal.as_str(), what);
        let detail = Sentence::of(|to| {
            let share = percent(share, to);
            format!(
                "A lei deixa devidos {share} das alíquotas e reduz os benefícios na mesma proporção ({law}), e não se leu como isso alcança {reached}: apure por outro meio."
            )
        });
        Err(regra.refusal(ErrorCode::RegraSemConteudo, detail))
    }
}
