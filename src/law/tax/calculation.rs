//! Input and result of a calculation.

use std::fmt::Display;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::figures::Money;
use super::formula::{Formula, Operand};
use crate::base::document::{AnyComponents, Node, Object};
use crate::base::problem::Problem;
use crate::base::sentence::{Reader, Sentence};
use crate::base::value::{Amount, Figura, Rate, Text};
use crate::rule::{Aviso, Condicao, Regra, Regras, RuleResult};

/// One step of the calculation memory (`memoria=true`).
#[derive(Serialize)]
struct MemoryStep {
    /// Name of the component or amount.
    nome: &'static str,
    /// The formula with all figures in it, in the grammar of [`super::formula`].
    formula: String,
    /// What the formula does not say, as in: the tax was collected before.
    #[serde(skip_serializing_if = "Option::is_none")]
    observacao: Option<String>,
    /// The result as the answer shows it.
    resultado: String,
    /// What the formula gives, before it is rounded ([`Exact::written`](crate::base::value::Exact::written)).
    resultado_exato: String,
    /// The legal ground: the citation of the rule, or an article.
    fundamento: String,
}

/// The national rule of the transition to the IBS on the day, and the share of the rates that it states.
#[derive(Clone)]
pub(super) struct InTransition {
    pub(super) regra: Regra,
    pub(super) proporcao: Option<Figura<Rate>>,
}

/// What a sentence says, for the parts of this program that decide by it. The public answer has only its condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteCode {
    /// The reduction of a tax classification was applied to goods or services that no list of the law names for it.
    UnconfirmedReduction,
    /// A tax classification taxes in full what a list of regimes of their own names.
    ListedInFull,
    /// The NCM has tariff exceptions with rules of their own, and the payload has none.
    OtherByEx,
}

#[derive(Debug, Clone)]
pub struct Note {
    /// What it depends on, if that is known.
    pub condicao: Option<Condicao>,
    pub texto: Text,
    /// What a person reads in its place, if that was asked for and differs.
    pub pessoa: Option<Text>,
    /// `None` if nothing is decided by it.
    pub codigo: Option<NoteCode>,
}

impl Note {
    /// The sentence of a rule.
    pub(super) fn of(aviso: &Aviso) -> Note {
        Note { condicao: aviso.condicao, texto: aviso.texto.clone(), pessoa: None, codigo: None }
    }
}

/// A calculation under way: the rules to look up, and the notes that it takes.
pub struct Calculation<'a> {
    pub regras: &'a dyn Regras,
    memoria: Option<Vec<MemoryStep>>,
    primeiros: Vec<Note>,
    avisos: Vec<Note>,
    auxiliares: Vec<Regra>,
    /// What the transition to the IBS leaves of the tax; `None` before it.
    pub(super) transicao: Option<InTransition>,
    payload: &'a Object<'a>,
    /// Who reads the sentences.
    leitor: Reader,
    /// A person reads them too.
    com_leitor: bool,
    /// Sentences of the rule that the payload has answered: those of that condition.
    sem: Option<Condicao>,
}

impl<'a> Calculation<'a> {
    /// A calculation of a payload on these rules; `memoria` asks for its steps. The sentences are for `leitor`, and for a
    /// person beside it if `com_leitor`.
    pub fn new(
        regras: &'a dyn Regras,
        payload: &'a Object<'a>,
        memoria: bool,
        (leitor, com_leitor): (Reader, bool),
    ) -> Self {
        Calculation {
            regras,
            memoria: memoria.then(Vec::new),
            primeiros: Vec::new(),
            avisos: Vec::new(),
            auxiliares: Vec::new(),
            transicao: None,
            payload,
            leitor,
            com_leitor,
            sem: None,
        }
    }

    /// True if the payload does not name the field. A field with a default has a value all the same.
    pub(super) fn lacks(&self, campo: &str) -> bool {
        matches!(self.payload.get(campo), None | Some(Node::Null))
    }

    pub(super) fn formula(&self, operand: impl Operand) -> Formula {
        Formula::of(operand, self.memoria.is_some())
    }

    /// The sum of amounts of a payload. Its formula leaves zeros out.
    pub(super) fn sum(&self, amounts: &[Amount]) -> Formula {
        let mut present = amounts.iter().filter(|amount| !amount.decimal().is_zero());
        let first = self.formula(present.next().copied().unwrap_or(Amount::ZERO));
        present.fold(first, |sum, amount| sum + *amount)
    }

    /// Notes a step whose result is an amount. Returns the result as it is shown, and exact.
    pub(super) fn step(
        &mut self,
        nome: &'static str,
        fundamento: impl AsRef<str>,
        formula: Formula,
    ) -> RuleResult<Noted> {
        let shown = Money::rounded(formula.exact())?;
        if self.memoria.is_none() {
            return Ok(Noted { shown, exact: formula });
        }
        let exact = formula.clone().settled();
        self.note(nome, fundamento, shown, formula);
        Ok(Noted { shown, exact })
    }

    /// Notes a step with its result as an answer shows it.
    pub(super) fn note(
        &mut self,
        nome: &'static str,
        fundamento: impl AsRef<str>,
        resultado: impl Display,
        formula: Formula,
    ) {
        let Some(memoria) = &mut self.memoria else { return };
        let resultado_exato = formula.exact().written();
        let Some((formula, observacao)) = formula.texts() else { return };
        let (resultado, fundamento) = (resultado.to_string(), fundamento.as_ref().to_owned());
        memoria.push(MemoryStep { nome, formula, observacao, resultado, resultado_exato, fundamento });
    }

    /// Whether a person reads the sentences.
    pub(super) fn has_person(&self) -> bool {
        self.com_leitor || self.leitor == Reader::Person
    }

    /// A sentence in the words of the reader.
    fn noted(&self, codigo: Option<NoteCode>, condicao: Condicao, text: impl Into<Sentence>) -> Note {
        let text = text.into();
        let pessoa = self.com_leitor.then(|| text.read_by(Reader::Person)).filter(|said| *said != text.as_str());
        let pessoa = pessoa.map(|said| said.to_owned().into());
        Note { condicao: Some(condicao), pessoa, texto: text.into_read_by(self.leitor).into(), codigo }
    }

    /// Adds a sentence to the envelope's `avisos`, and what it depends on to `condicoes_dos_avisos`.
    pub fn warn(&mut self, condicao: Condicao, text: impl Into<Sentence>) {
        self.avisos.push(self.noted(None, condicao, text));
    }

    /// The same, with a code by which the program decides: the words may change.
    pub(super) fn warn_coded(&mut self, codigo: NoteCode, condicao: Condicao, text: impl Into<Sentence>) {
        self.avisos.push(self.noted(Some(codigo), condicao, text));
    }

    /// Adds a sentence that comes before all others, also those of the rule: without it the amount is misread.
    pub(super) fn warn_first(&mut self, condicao: Condicao, text: impl Into<Sentence>) {
        self.primeiros.push(self.noted(None, condicao, text));
    }

    /// Leaves out what the rule that answers says of that condition: the payload has what it asks for.
    pub(super) fn leave_out(&mut self, condicao: Condicao) {
        self.sem = Some(condicao);
    }

    /// Adds the sentences of a rule other than the one that answers.
    pub fn relay(&mut self, regra: &Regra) {
        self.avisos.extend(regra.escrito.avisos.iter().map(Note::of));
    }

    /// Records a rule that the answer depends on, beside the one that answers. Without it in the answer, a caller
    /// that keeps the answer until its `regra` changes would miss a change of the other rule.
    pub fn uses(&mut self, regra: &Regra) {
        if self.auxiliares.iter().all(|known| known.rule_id != regra.rule_id) {
            self.auxiliares.push(regra.clone());
        }
    }

    /// The recorded rules; `None` if there is none.
    pub(super) fn regras_auxiliares(&self) -> Option<Vec<Regra>> {
        (!self.auxiliares.is_empty()).then(|| self.auxiliares.clone())
    }

    /// What the calculation noted beside its result. Fails if the steps cannot be written.
    pub fn into_notes(self) -> RuleResult<Notes> {
        let written = |steps| to_raw_value(&steps).map(Arc::from);
        let memoria = self.memoria.map(written).transpose().map_err(Problem::unwritten)?;
        let Calculation { primeiros, avisos, auxiliares, sem, .. } = self;
        Ok(Notes { primeiros, avisos, auxiliares, memoria, sem })
    }
}

/// The result of a step.
#[derive(Clone)]
pub(super) struct Noted {
    /// As an answer shows it.
    pub(super) shown: Money,
    /// Exact; in the formula of a later step it is a figure, if its digits have an end.
    pub(super) exact: Formula,
}

/// What a calculation notes beside its result.
#[derive(Debug)]
pub struct Notes {
    /// The sentences that come before those of the rule.
    pub primeiros: Vec<Note>,
    /// The sentences of this calculation. Those of the rule are not among them.
    pub avisos: Vec<Note>,
    /// The rules that the answer depends on, beside the one that answers, each once, in the order of their use.
    pub auxiliares: Vec<Regra>,
    /// The calculation step by step, as JSON, if it was asked for: the last component.
    pub memoria: Option<Arc<RawValue>>,
    /// The sentences of the rule of that condition are left out.
    pub sem: Option<Condicao>,
}

/// The amount due, the rule, and the components.
#[derive(Debug)]
pub struct Calculated<D = Box<dyn AnyComponents>> {
    pub valor: Money,
    pub regra: Regra,
    /// The components of contract section 2.4.
    pub detalhes: D,
}

impl<D: AnyComponents + 'static> Calculated<D> {
    /// The same with its type erased.
    pub(super) fn boxed(self) -> Calculated {
        Calculated { valor: self.valor, regra: self.regra, detalhes: Box::new(self.detalhes) }
    }
}
