//! The third pass of an import: runs the worked examples on the state that the import results in.

use super::cache::{Decoded, Sharded};
use super::calculate::calculate_node;
use super::resolve::Resolver;
use super::version;
use crate::base::document::{Document, Fault, Faults, Node, Object, Path, Placed, names, refuse_unknown};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{RuleId, parse_decimal};
use crate::law::rule::RuleLayer;
use crate::law::rule::bundle::{Esperado, RuleLocation};
use crate::law::tax::TaxAnswer;
use crate::store::{RuleTables, RuleWriter, StoreResult};

/// Most decoded versions of a runner.
const DECODED: usize = 4_096;

/// Runs the worked examples of an import, in its transaction.
pub(super) struct Runner<'r, 't> {
    writer: &'r RuleWriter<'t>,
    /// Number of the publication under way.
    publication: u64,
    /// Of this transaction: many examples look the same rules up.
    decoded: Decoded,
}

/// Whether an example must pass.
#[derive(PartialEq)]
enum Weight {
    /// A failure is a fault of the bundle.
    Binding,
    /// A failure is ignored. Its version was published before, and a more specific rule of another code may
    /// answer by now; importing its bundle again must not fail because of that.
    Overtakable,
    /// It is not run: an earlier publication superseded its version.
    Superseded,
}

/// The version that a table's example names.
fn named(example: &Node<'_>) -> Option<RuleId> {
    let Node::Object(object) = example else { return None };
    object.text("rule_id").and_then(RuleId::parse)
}

impl<'r, 't> Runner<'r, 't> {
    pub(super) fn of(writer: &'r RuleWriter<'t>, publication: u64) -> Runner<'r, 't> {
        Runner { writer, publication, decoded: Sharded::new(DECODED) }
    }

    /// Runs the examples that still must hold, and returns how many they were. `own` is the version that must
    /// answer, or refuse; an example of a table may name it.
    pub(super) fn run(
        &self,
        location: RuleLocation,
        list: &[Node<'_>],
        own: Option<&RuleId>,
        report: impl FnMut(Fault),
    ) -> StoreResult<usize> {
        let mut faults = Faults::default();
        let mut ran = 0;
        for (i, example) in list.iter().enumerate() {
            let (weight, layer) = match own.cloned().or_else(|| named(example)) {
                Some(rule_id) => (self.weight(&rule_id)?, self.layer(&rule_id)?),
                None => (Weight::Binding, RuleLayer::Common),
            };
            if weight == Weight::Superseded {
                continue;
            }
            ran += 1;
            let mut ignored = Faults::default();
            let found = if weight == Weight::Binding { &mut faults } else { &mut ignored };
            location.with_path(|at| {
                let list = at.key("exemplos");
                let at = &list.index(i);
                // The rules of the office change only the examples of its own.
                match layer {
                    RuleLayer::Common => {
                        run_one(&self.resolver(&self.writer.without_office()), example, own, at, found);
                    }
                    RuleLayer::Office => run_one(&self.resolver(self.writer), example, own, at, found),
                }
            });
        }
        faults.into_list().into_iter().for_each(report);
        Ok(ran)
    }

    fn resolver<'a, T: RuleTables>(&'a self, tables: &'a T) -> Resolver<'a, T> {
        Resolver::new(tables, Some(&self.decoded))
    }

    fn layer(&self, rule_id: &RuleId) -> StoreResult<RuleLayer> {
        // The others need not be read to know it.
        if !rule_id.code.as_str().starts_with(RuleLayer::OFFICE_CODES) {
            return Ok(RuleLayer::Common);
        }
        let Some(number) = self.writer.number_of(rule_id)? else { return Ok(RuleLayer::Common) };
        Ok(version::decode(&self.writer.record(number)?)?.layer())
    }

    fn weight(&self, rule_id: &RuleId) -> StoreResult<Weight> {
        let Some(number) = self.writer.number_of(rule_id)? else { return Ok(Weight::Binding) };
        let state = self.writer.state(number)?;
        if state.publication == self.publication {
            return Ok(Weight::Binding);
        }
        match state.superseded_by {
            0 => Ok(Weight::Overtakable),
            by if self.writer.state(by)?.publication == self.publication => Ok(Weight::Overtakable),
            _ => Ok(Weight::Superseded),
        }
    }
}

/// Runs an example of a published version by these rules; the error says why it failed.
pub fn holds(rules: &impl RuleTables, example: &Node<'_>, own: &RuleId) -> Result<(), String> {
    let mut faults = Faults::default();
    run_one(&Resolver::new(rules, None), example, Some(own), &Path::ROOT, &mut faults);
    match faults.into_list().as_slice() {
        [] => Ok(()),
        faults => Err(faults.iter().map(|fault| fault.detail.as_str()).collect::<Vec<_>>().join(" ")),
    }
}

/// A worked example, its form checked.
struct Example<'n, 'a> {
    payload: &'n Node<'a>,
    expected: Esperado,
    detalhes: Option<&'n Node<'a>>,
    /// The version that must answer or refuse.
    rule: Option<String>,
}

fn run_one<T: RuleTables>(
    resolver: &Resolver<'_, T>,
    example: &Node<'_>,
    own: Option<&RuleId>,
    at: &Path<'_>,
    faults: &mut Faults,
) {
    let mut fail = |member: &str, detail: String| faults.add(&at.key(member), ErrorCode::ValorInvalido, detail);
    let Node::Object(object) = example else {
        fail("", format!("Um exemplo é um objeto com `payload` e `valor` ou `codigo`; veio {}.", example.kind()));
        return;
    };
    let mut form = Faults::default();
    let Some(example) = Example::read(object, own, at, &mut form).filter(|_| form.is_empty()) else {
        form.into_list().into_iter().for_each(|fault| fail("payload", fault.detail.into()));
        return;
    };
    let result = calculate_node(resolver, example.payload, false);
    if let Err(problem) = &result
        && let Some(cause) = &problem.cause
    {
        tracing::error!(cause, "a worked example could not be calculated");
    }
    match (result, &example.expected.valor, &example.expected.codigo) {
        (Ok(result), Some(valor), None) => example.answered(&result, valor.as_str(), &mut fail),
        (Err(problem), None, Some(codigo)) => example.refused(&problem, codigo.as_str(), &mut fail),
        (Ok(_), _, Some(codigo)) => {
            fail("codigo", format!("O exemplo espera a recusa {} e o cálculo deu um valor.", codigo.as_str()));
        }
        (Err(problem), Some(valor), _) => {
            fail("valor", format!("O exemplo espera {} e o cálculo recusa: {}", valor.as_str(), problem.detail));
        }
        (_, None, None) => fail("valor", "Diga em `valor` o resultado, ou em `codigo` a recusa.".to_owned()),
    }
}

impl<'n, 'a> Example<'n, 'a> {
    /// Reads an example; `own` is the version that it belongs to, unless it belongs to a table.
    fn read(object: &'n Object<'a>, own: Option<&RuleId>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        let beside = ["payload", "detalhes"];
        let placed = Placed::of(object, Esperado::FIELDS, &beside);
        refuse_unknown(&placed, &names(Esperado::FIELDS).chain(beside), at, faults);
        let expected = Esperado::read_placed(&placed, at, faults)?;
        let payload = object.get("payload");
        if payload.is_none() {
            faults.add(at, ErrorCode::CampoObrigatorio, "Falta `payload` no exemplo.");
        }
        let rule = expected.rule_id.as_ref().map(|id| id.as_str().to_owned()).or(own.map(ToString::to_string));
        Some(Example { payload: payload?, expected, detalhes: object.get("detalhes"), rule })
    }

    /// Compares a result with what the example expects.
    fn answered(&self, answer: &TaxAnswer, valor: &str, fail: &mut impl FnMut(&str, String)) {
        match parse_decimal(valor) {
            Err(why) => fail("valor", why),
            Ok(wanted) if wanted == answer.valor.decimal() => {}
            Ok(_) => fail("valor", format!("O exemplo espera {valor} e o cálculo dá {}.", answer.valor)),
        }
        let rule = answer.rule_id();
        if let Some(wanted) = self.rule.as_ref().filter(|wanted| wanted.as_str() != &**rule) {
            fail("payload", format!("O exemplo deveria ser respondido por {wanted}, e quem respondeu foi {rule}."));
        }
        match self.detalhes {
            None => {}
            Some(Node::Object(wanted)) => compare_members(wanted, |name| answer.get(name), "detalhes", fail),
            Some(wanted) => fail("detalhes", format!("`detalhes` de um exemplo é um objeto; veio {}.", wanted.kind())),
        }
    }

    /// Compares a refusal with what the example expects.
    fn refused(&self, problem: &Problem, codigo: &str, fail: &mut impl FnMut(&str, String)) {
        let got = problem.codigo.as_str();
        if got != codigo {
            fail("codigo", format!("O exemplo espera a recusa {codigo} e veio {got}: {}", problem.detail));
        }
        let rule = problem.regra.as_ref().map(|regra| regra.rule_id.to_string());
        if let (Some(rule), Some(wanted)) = (rule, &self.rule)
            && rule != *wanted
        {
            fail("payload", format!("O exemplo deveria ser recusado por {wanted}, e quem recusou foi {rule}."));
        }
    }
}

/// Reports every wanted member that is missing or different; other members do not matter.
fn compare_members<'g>(
    wanted: &Object<'_>,
    got: impl Fn(&str) -> Option<Node<'g>>,
    name: &str,
    fail: &mut impl FnMut(&str, String),
) {
    for (member, value) in &wanted.0 {
        let inner = format!("{name}.{member}");
        match got(member) {
            Some(found) => compare(value, &found, &inner, fail),
            None => fail("detalhes", format!("O exemplo espera `{inner}`, que o resultado não traz.")),
        }
    }
}

/// Compares figures as decimals, and everything else as text: in a code, "01" is not "1".
fn compare(wanted: &Node<'_>, got: &Node<'_>, name: &str, fail: &mut impl FnMut(&str, String)) {
    match (wanted, got) {
        (Node::Object(wanted), Node::Object(got)) => {
            compare_members(wanted, |member| got.get(member).cloned(), name, &mut *fail);
        }
        (Node::List(wanted), Node::List(got)) if wanted.len() == got.len() => {
            for (i, (value, found)) in wanted.iter().zip(got).enumerate() {
                compare(value, found, &format!("{name}[{i}]"), fail);
            }
        }
        (Node::Text(_), Node::Figure(got)) if wanted.figure() == Some(*got) => {}
        (wanted, got) if wanted != got => {
            let text = |node| serde_json::to_string(node).unwrap_or_default();
            let detail = format!("O exemplo espera {} em `{name}`, e o cálculo dá {}.", text(wanted), text(got));
            fail("detalhes", detail);
        }
        _ => {}
    }
}
