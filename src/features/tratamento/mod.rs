//! The treatment of a product for any seller: what the rules of each tax say of it, without a regime and without amounts.

pub(crate) mod table;

use crate::base::document::{JsonFault, Node, Object, Shown as _, parse_payload};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::sentence::Reader;
use crate::core::engine::{Engine, Extras};
use crate::law::tratamento::{self, TratamentoProduto};

/// The treatment of the product that `given` names, by the rules of the engine.
pub fn treat(engine: &Engine, given: &Object<'_>, leitor: Reader) -> Result<TratamentoProduto, Box<Problem>> {
    let extras = Extras { leitor, ..Extras::default() };
    let said = |problem: Box<Problem>| Box::new(problem.read_by(leitor));
    let ask = |payload: &Object<'_>| engine.answer(payload, extras, None).map_err(said);
    tratamento::treat(given, &ask)
}

/// The question that a JSON text asks.
pub fn parse(question: &[u8]) -> Result<Object<'_>, Box<Problem>> {
    let not_json =
        |fault: JsonFault| Problem::new(ErrorCode::JsonInvalido, format!("Corrija o JSON do produto: {fault}."));
    match parse_payload(question).map_err(not_json)? {
        Node::Object(given) => Ok(given),
        other => {
            let detail = format!("O produto precisa ser um objeto JSON; veio {}.", other.kind());
            Err(Box::new(Problem::new(ErrorCode::TipoInvalido, detail)))
        }
    }
}

/// What `taxd calc` and a list show of it, in the order of its answer.
pub fn document(treatment: &TratamentoProduto) -> Result<Object<'static>, Box<Problem>> {
    match treatment.node().into_owned() {
        Node::Object(object) => Ok(object),
        _ => Err(Problem::unwritten("a treatment is not an object")),
    }
}

/// Adds a member of the question. The error says in Portuguese what it accepts.
pub fn set(given: &mut Object<'static>, name: &'static str, text: &str) -> Result<(), String> {
    let mut alone = Object::default();
    alone.set(name, text.to_owned());
    let fault = tratamento::faults(&alone).into_list().into_iter().find(|fault| fault.path_text() == name);
    if let Some(fault) = fault {
        return Err(fault.detail.as_str().to_owned());
    }
    given.set(name, text.to_owned());
    Ok(())
}
