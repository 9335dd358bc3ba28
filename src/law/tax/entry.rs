//! What the file of a tax declares ([`Tax`]), and the same with its types erased ([`Entry`]).

use std::any::Any;
use std::sync::Arc;

use super::calculation::{Calculated, Calculation};
use super::{ncm_do_dia, transicao};
use crate::base::document::{
    AnyComponents, Document, Faults, Field, Node, Object, Path, Placed, Shape, Shown, names, refuse_unknown,
};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Date, Municipio, Ncm, Tributo, Uf, shorten};
use crate::rule::{Chave, Condicao, Escopo, RuleResult, ScopeSpec};

/// Most unknown fields that an answer names one by one.
const MAX_LISTED_UNKNOWN: usize = 20;

/// One tax: what its file declares.
pub trait Tax: 'static {
    /// Fields of the payload beside `tributo`.
    type Payload: Document;
    type Conteudo: Document + Send + Sync;
    type Detalhes: Shown + AnyComponents;
    /// Dimensions of scope of its rules.
    const ESCOPO: ScopeSpec;
    /// True if an unknown field is refused. Otherwise it is ignored and named in `avisos`.
    const REFUSES_UNKNOWN: bool = false;
    /// Conditional requirements: "if `regime` is `fixo`, `numero_profissionais` is required". Zero counts as missing;
    /// [`check`](Self::check) refuses it.
    const CONDITIONS: &'static [Condition] = &[];
    /// Fields with a default that people are asked for beside another field.
    const ASKED: &'static [AskedField] = &[];
    /// The field that a year alone determines: an exercise year, or a day that is always 1 January.
    const YEARLY: Option<&'static str> = None;
    /// Members of a rule's content that answer some requests although a figure beside them is null.
    const ANSWERS_WITHOUT_FIGURE: &'static [&'static str] = &[];
    /// A member of a rule's content, and the word of the tax's own dimension for which a null there refuses only a part of
    /// the answer.
    const ANSWERS_BESIDE_NULL: Option<(&'static str, &'static str)> = None;
    /// Members of a rule's content beside its rate that the transition to the IBS refuses.
    const BEYOND_RATE: &'static [&'static str] = &[];

    /// The field that asks for the law of a later day, if the tax has one.
    const LATER_LAW: Option<LaterLaw> = None;

    /// Checks that concern several fields of the payload, but for its [base](Self::check_base).
    fn check(_payload: &Self::Payload, _faults: &mut Faults) {}

    /// The refusal of a payload whatever rule would answer it: a named refusal of the contract (section 7). It needs a
    /// rule on the day all the same: without one the answer is 404.
    fn refusal(_payload: &Self::Payload) -> Option<Problem> {
        None
    }

    /// The product and the day, of a payload that has both: the TIPI of the day must have the product.
    fn product(_payload: &Self::Payload) -> Option<(&Ncm, Date)> {
        None
    }

    /// Adds a fault for each amount that makes the base negative. Every other refusal comes first.
    fn check_base(_payload: &Self::Payload, _faults: &mut Faults) {}

    /// Checks that concern several fields of a rule's content.
    fn check_conteudo(_conteudo: &Self::Conteudo, _at: &Path<'_>, _faults: &mut Faults) {}

    /// Checks a rule as a whole: that its scope is one that a lookup asks for, and that its
    /// content belongs to that scope.
    fn check_regra(_conteudo: &Self::Conteudo, _escopo: &Escopo, _at: &Path<'_>, _faults: &mut Faults) {}

    /// True when a null in this place of a rule's content is a figure not established, which
    /// the rule must then explain in `motivo`. The open end of a last bracket is not.
    fn null_needs_motivo(campo: &str, _conteudo: &Object<'_>) -> bool {
        campo != "ate"
    }

    /// Scope keys of the other rules that a calculation by a rule between these UFs needs too; a side that the
    /// rule leaves open is `None`.
    fn needs(_uf_origem: Option<Uf>, _uf_destino: Option<Uf>) -> Vec<Chave> {
        Vec::new()
    }

    /// The keys that the lookup of a request for `chave` tries, the most specific first; `chave` is the first of them.
    /// Without it, the end of a rule could not be distinguished from the end of all answers in its scope.
    fn less_specific(chave: &Chave) -> Vec<Chave> {
        chave.less_specific()
    }

    /// True for a rule of the test year of the reform: its tax is shown and, by the rule's own provision, not collected.
    fn is_of_test_year(_conteudo: &Object<'_>) -> bool {
        false
    }

    /// What the law says of the end of the tax itself, if the rule states that it is extinct: the rule then refuses every
    /// request with this sentence.
    fn extinction<'o>(_conteudo: &'o Object<'_>) -> Option<&'o str> {
        None
    }

    fn calculate(
        tributo: Tributo,
        payload: &Self::Payload,
        calculation: &mut Calculation<'_>,
    ) -> RuleResult<Calculated<Self::Detalhes>>;
}

/// A flag of the payload that asks for a law which came after the contract. Without it a payload is answered as before
/// that law: by no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaterLaw {
    /// The flag.
    pub campo: &'static str,
    /// The field that says the day.
    pub data: &'static str,
    /// First day of the later law.
    pub desde: Date,
    /// The fields that only the later law has.
    pub fields: &'static [&'static str],
}

/// A field that the value of another makes required, and above zero.
#[derive(Debug, Clone, Copy)]
pub struct Condition {
    /// The other field.
    pub campo: &'static str,
    /// Its value that requires the field.
    pub equals: FieldValue,
    /// The field that is then required.
    pub requires: &'static str,
    /// Code of its absence.
    pub codigo: ErrorCode,
    /// Sentence on its absence, in Portuguese.
    pub detail: &'static str,
}

/// A field with a default that a form and a list ask for when another amount is given. The API keeps the default of the
/// contract; a person who left the field alone rarely meant it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedField {
    pub campo: &'static str,
    /// The amount beside which it is asked for, if it is above zero.
    pub com: &'static str,
    /// What to say, in Portuguese, and why it matters.
    pub detail: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub enum FieldValue {
    /// A word of its list.
    Word(&'static str),
    True,
}

impl Condition {
    /// Adds a fault if the payload lacks the field.
    fn check(&self, object: &Object<'_>, faults: &mut Faults) {
        let applies = match (object.get(self.campo), self.equals) {
            (Some(Node::Text(text)), FieldValue::Word(palavra)) => text == palavra,
            (Some(Node::Bool(value)), FieldValue::True) => *value,
            _ => false,
        };
        if applies && matches!(object.get(self.requires), None | Some(Node::Null)) {
            faults.add(&Path::ROOT.key(self.requires), self.codigo, self.detail);
        }
    }
}

type Calculate = fn(Tributo, &Object<'_>, &mut Calculation<'_>) -> RuleResult<Calculated>;
type Extinction = for<'o> fn(&'o Object<'_>) -> Option<&'o str>;
type ReadConteudo = fn(&Node<'_>, &Path<'_>, &mut Faults) -> Option<Arc<dyn Any + Send + Sync>>;

/// A tax as the engine sees it, its types erased.
pub struct Entry {
    pub tributo: Tributo,
    /// Common name: `ICMS-ST`.
    pub sigla: &'static str,
    /// Full name, in Portuguese.
    pub nome: &'static str,
    /// Fields of the payload beside `tributo`.
    pub payload: &'static [Field],
    pub conteudo: &'static [Field],
    /// Dimensions of scope of its rules.
    pub escopo: ScopeSpec,
    /// True if an unknown field of the payload is refused.
    pub refuses_unknown: bool,
    /// See [`Tax::CONDITIONS`].
    pub conditions: &'static [Condition],
    /// See [`Tax::ASKED`].
    pub asked: &'static [AskedField],
    /// See [`Tax::YEARLY`].
    pub yearly: Option<&'static str>,
    /// See [`Tax::LATER_LAW`].
    pub later_law: Option<LaterLaw>,
    /// Components of an answer: a [`Shape::Document`].
    pub detalhes: Shape,
    /// See [`Tax::ANSWERS_WITHOUT_FIGURE`].
    pub answers_without_figure: &'static [&'static str],
    /// See [`Tax::ANSWERS_BESIDE_NULL`].
    pub answers_beside_null: Option<(&'static str, &'static str)>,
    /// See [`Tax::BEYOND_RATE`].
    pub beyond_rate: &'static [&'static str],
    /// A payload that a shipped rule answers: for the sandbox and the documentation.
    pub exemplo: &'static str,
    /// Reads a rule's content.
    pub read_conteudo: ReadConteudo,
    check_regra: fn(&(dyn Any + Send + Sync), &Escopo, &Path<'_>, &mut Faults),
    /// See [`Tax::null_needs_motivo`].
    pub null_needs_motivo: fn(&str, &Object<'_>) -> bool,
    /// See [`Tax::needs`].
    pub needs: fn(Option<Uf>, Option<Uf>) -> Vec<Chave>,
    /// See [`Tax::less_specific`].
    pub less_specific: fn(&Chave) -> Vec<Chave>,
    /// See [`Tax::is_of_test_year`].
    pub is_of_test_year: fn(&Object<'_>) -> bool,
    /// See [`Tax::extinction`].
    pub extinction: Extinction,
    calculate: Calculate,
    field_faults: fn(&Object<'_>) -> Faults,
}

impl Entry {
    pub(super) const fn of<T: Tax>(tributo: Tributo, [sigla, nome]: [&'static str; 2], exemplo: &'static str) -> Entry {
        Entry {
            tributo,
            sigla,
            nome,
            payload: T::Payload::FIELDS,
            conteudo: T::Conteudo::FIELDS,
            escopo: T::ESCOPO,
            refuses_unknown: T::REFUSES_UNKNOWN,
            conditions: T::CONDITIONS,
            asked: T::ASKED,
            yearly: T::YEARLY,
            later_law: T::LATER_LAW,
            detalhes: T::Detalhes::SHAPE,
            answers_without_figure: T::ANSWERS_WITHOUT_FIGURE,
            answers_beside_null: T::ANSWERS_BESIDE_NULL,
            beyond_rate: T::BEYOND_RATE,
            exemplo,
            read_conteudo: read_conteudo::<T>,
            check_regra: check_regra::<T>,
            null_needs_motivo: T::null_needs_motivo,
            needs: T::needs,
            less_specific: T::less_specific,
            is_of_test_year: T::is_of_test_year,
            extinction: T::extinction,
            calculate: calculate::<T>,
            field_faults: field_faults::<T>,
        }
    }

    /// Reads the payload, every fault of it at once, and calculates.
    pub fn calculate(&self, payload: &Object<'_>, calculation: &mut Calculation<'_>) -> RuleResult<Calculated> {
        (self.calculate)(self.tributo, payload, calculation)
    }

    /// The faults of a payload that concern single fields, and the fields that others make required. A calculation finds
    /// the others too.
    pub fn field_faults(&self, payload: &Object<'_>) -> Faults {
        (self.field_faults)(payload)
    }

    /// The flag with which a payload asks for the law of its day, if it needs one on that day.
    pub fn flag_of_the_day(&self, payload: &Object<'_>) -> Option<&'static str> {
        let law = self.later_law?;
        let day = Date::parse(payload.text(law.data)?).ok()?;
        (day >= law.desde).then_some(law.campo)
    }

    pub fn check_regra(&self, conteudo: &(dyn Any + Send + Sync), escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        (self.check_regra)(conteudo, escopo, at, faults);
    }

    /// Reports the dimensions that the scope of a rule with this content must name and does not: the national rule of the
    /// transition names none.
    pub fn require_escopo(&self, escopo: &Object<'_>, conteudo: &Node<'_>, at: &Path<'_>, faults: &mut Faults) {
        if !transicao::is_of_transition(conteudo) {
            self.escopo.require(escopo, at, faults);
        }
    }

    pub fn read_escopo(&self, object: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Escopo> {
        Escopo::read(object, &self.escopo, at, faults)
    }
}

fn read_conteudo<T: Tax>(node: &Node<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Arc<dyn Any + Send + Sync>> {
    let conteudo: T::Conteudo = crate::base::document::from_required(node, at, faults)?;
    let before = faults.len();
    T::check_conteudo(&conteudo, at, faults);
    (faults.len() == before).then(|| Arc::new(conteudo) as Arc<dyn Any + Send + Sync>)
}

fn check_regra<T: Tax>(conteudo: &(dyn Any + Send + Sync), escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
    if let Some(conteudo) = conteudo.downcast_ref() {
        T::check_regra(conteudo, escopo, at, faults);
    }
}

fn field_faults<T: Tax>(object: &Object<'_>) -> Faults {
    let mut faults = Faults::default();
    T::Payload::read(object, &Path::ROOT, &mut faults);
    for condition in T::CONDITIONS {
        condition.check(object, &mut faults);
    }
    faults
}

/// The answer to a payload without faults of form, or its first refusal in the order of the contract: no rule on the day
/// or for the discriminators (404), a tax that has ended, a named refusal of the payload, a refusal of the rule, and last a
/// negative base.
pub(super) fn in_order<T: Tax, D>(
    payload: &T::Payload,
    answer: RuleResult<Calculated<D>>,
) -> RuleResult<Calculated<D>> {
    if let Err(problem) = &answer
        && (problem.codigo.status() != 422 || problem.codigo == ErrorCode::TributoExtinto)
    {
        return answer;
    }
    if let Some(refusal) = T::refusal(payload) {
        return Err(Box::new(refusal));
    }
    let calculated = answer?;
    let mut faults = Faults::default();
    T::check_base(payload, &mut faults);
    if faults.is_empty() { Ok(calculated) } else { Err(Box::new(Problem::from_faults(faults))) }
}

fn calculate<T: Tax>(
    tributo: Tributo,
    object: &Object<'_>,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Calculated> {
    let mut faults = Faults::default();
    let at = Path::ROOT;
    let placed = Placed::of(object, T::Payload::FIELDS, &["tributo"]);
    if placed.may_repeat {
        object.refuse_repeated(&at, &mut faults);
    }
    if T::REFUSES_UNKNOWN {
        refuse_unknown(&placed, &names(T::Payload::FIELDS), &at, &mut faults);
    } else {
        let unknown = &placed.unknown;
        for name in unknown.iter().take(MAX_LISTED_UNKNOWN) {
            let sentence = format!("O campo `{}` não pertence a `{tributo}` e foi ignorado.", shorten(name));
            calculation.warn(Condicao::Campo, sentence);
        }
        if let Some(more) = unknown.len().checked_sub(MAX_LISTED_UNKNOWN).filter(|n| *n > 0) {
            let sentence = format!("Outros {more} campos não pertencem a `{tributo}` e foram ignorados.");
            calculation.warn(Condicao::Campo, sentence);
        }
    }
    let payload = T::Payload::read_placed(&placed, &at, &mut faults);
    for condition in T::CONDITIONS {
        condition.check(object, &mut faults);
    }
    match &payload {
        Some(payload) => T::check(payload, &mut faults),
        None => check_in_known_municipality::<T>(object, &mut faults),
    }
    match &payload {
        Some(payload) if faults.is_empty() => {
            let answer = T::calculate(tributo, payload, calculation).map(Calculated::boxed);
            ncm_do_dia::with_ncm_checked(tributo, in_order::<T, _>(payload, answer), T::product(payload), calculation)
        }
        _ => Err(Box::new(Problem::from_faults(faults))),
    }
}

/// Checks the fields of a payload that has a municipality its UF lacks, as if it were one of the UF: every fault of form
/// is reported before the 404 of the municipality.
fn check_in_known_municipality<T: Tax>(object: &Object<'_>, faults: &mut Faults) {
    let Some(known) = object.text("uf").and_then(Uf::from_abbreviation).and_then(|uf| Municipio::of_uf(uf).next())
    else {
        return;
    };
    let mut moved = object.clone();
    if moved.take("municipio").is_some() {
        moved.0.push(("municipio".into(), Node::from(known.name())));
        if let Some(payload) = T::Payload::read(&moved, &Path::ROOT, &mut Faults::default()) {
            T::check(&payload, faults);
        }
    }
}
