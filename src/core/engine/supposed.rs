//! Answers with supposed figures: `cbs.aliquota:8.80`.
//!
//! A figure is put into the content of a rule when the rule is read for one calculation, and nowhere else: no cache has the
//! rule or the answer, and no proof covers it. What the calculation depends on says whether the figure counted.

use std::cell::RefCell;
use std::sync::Arc;

use super::answer::{Answer, Extras, PayloadForm};
use super::{Engine, version};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::Timestamp;
use crate::law::rule::{Regra, RuleResult, VersaoRegra};
use crate::law::tax::{FiguraSuposta, SUPONDO, Suposicao, TaxAnswer};
use crate::store::StoreError;

/// The figures that a calculation supposes, and the rules in which they were put.
pub(super) struct Supposing<'a> {
    suposicoes: &'a [Suposicao],
    /// Id of each rule, and the places of its figures.
    put: RefCell<Vec<(Arc<str>, Vec<usize>)>>,
}

impl<'a> Supposing<'a> {
    pub(super) fn of(suposicoes: &'a [Suposicao]) -> Supposing<'a> {
        Supposing { suposicoes, put: RefCell::default() }
    }

    /// The version with the figures of its tax that it writes; the same version if there is none.
    pub(super) fn version(
        &self,
        versao: Arc<VersaoRegra>,
        record: impl FnOnce() -> Result<Vec<u8>, StoreError>,
    ) -> RuleResult<Arc<VersaoRegra>> {
        if self.suposicoes.iter().all(|one| one.tributo != versao.tributo) {
            return Ok(versao);
        }
        let Some(supposed) = version::supposed(&record()?, self.suposicoes)? else { return Ok(versao) };
        self.put.borrow_mut().push((Arc::clone(&versao.escrito.rule_id), supposed.figures));
        Ok(Arc::new(supposed.versao))
    }

    pub(super) fn has_put(&self) -> bool {
        !self.put.borrow().is_empty()
    }

    /// The figures that were put into these rules.
    pub(super) fn used<'r>(&self, rules: impl Iterator<Item = &'r Regra>) -> Vec<FiguraSuposta> {
        let put = self.put.borrow();
        let mut used: Vec<(&str, &[usize])> = Vec::new();
        for regra in rules {
            let here = put.iter().find(|(rule_id, _)| *rule_id == regra.escrito.rule_id);
            if let Some((rule_id, figures)) =
                here.filter(|(rule_id, _)| used.iter().all(|(known, _)| *known != &**rule_id))
            {
                used.push((rule_id, figures));
            }
        }
        let of_figure = |(place, one): (usize, &Suposicao)| {
            let rules = used.iter().filter(|(_, figures)| figures.contains(&place));
            let rules: Vec<String> = rules.map(|(rule_id, _)| (*rule_id).to_owned()).collect();
            (!rules.is_empty()).then(|| one.used(rules))
        };
        self.suposicoes.iter().enumerate().filter_map(of_figure).collect()
    }
}

impl Engine {
    /// As [`calculate_at`](Self::calculate_at), with supposed figures. Refuses a payload whose answer depends on none of
    /// them: it would pass for an answer to the question. Nothing is cached.
    pub fn calculate_supposing(
        &self,
        payload: &[u8],
        extras: Extras,
        known_at: Option<Timestamp>,
        supondo: &[Suposicao],
    ) -> RuleResult<Answer> {
        if supondo.is_empty() {
            return self.calculate_at(payload, extras, known_at);
        }
        let answer = self.answer_supposing(payload, extras, known_at, supondo)?;
        if answer.suposicoes.is_empty() {
            let named: Vec<String> = supondo.iter().map(Suposicao::to_string).collect();
            let detail = format!(
                "O valor não depende de `{}`: a regra que responde, {}, não o escreve. Retire a suposição, ou suponha um valor dessa regra.",
                named.join("`, `"),
                answer.rule_id()
            );
            return Err(Box::new(Problem::of_field(ErrorCode::ParametroInvalido, SUPONDO, detail)));
        }
        Answer::of(&answer)
    }

    /// As [`answer`](Self::answer), with supposed figures. An answer that depends on none of them is that of the law.
    pub fn answer_supposing<'p>(
        &self,
        payload: impl Into<PayloadForm<'p>>,
        extras: Extras,
        known_at: Option<Timestamp>,
        supondo: &[Suposicao],
    ) -> RuleResult<TaxAnswer> {
        if extras.prova && !supondo.is_empty() {
            return Err(Box::new(no_proof()));
        }
        self.look_up(payload.into(), extras, known_at, supondo)
    }
}

/// The refusal of a proof of what is not law.
pub fn no_proof() -> Problem {
    let detail = "Uma suposição não tem prova, que é só da lei: peça `supondo` ou `prova=true`, um dos dois.";
    Problem::of_field(ErrorCode::ParametroInvalido, SUPONDO, detail)
}
