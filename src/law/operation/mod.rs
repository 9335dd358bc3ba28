//! All taxes of one operation: a sale of goods, or a service.
//!
//! An operation is declared once ([`OperationFacts`]). The facts decide which taxes apply, each tax is asked with a payload of
//! its own, and an amount that a later tax needs is taken from the answer before it. Nothing here computes a tax: this
//! module writes payloads, reads answers and adds. It has no rules either: the caller gives a function that answers a
//! payload, so that the API, the commands and an audit calculate alike.
//!
//! # Order, and what feeds what
//!
//! | tax | asked with | because |
//! |---|---|---|
//! | `ipi` | the products less the unconditional discount, freight, insurance and expenses | STF, RE 567.935, and Resolução do Senado 1/2017 on the discount; RIPI, art. 190 |
//! | `icms`, or `icms_consumidor_final` if the buyer consumes the goods | the same; the IPI only if the buyer consumes | CF, art. 155, § 2º, XI; LC 87/1996, art. 13, §§ 1º and 2º |
//! | `icms_st` | the same, and the IPI; it deducts the own ICMS by itself | LC 87/1996, art. 8º, II; Convênio ICMS 142/2018, cláusula décima primeira |
//! | `iss` | the price of the service less the discount | LC 116/2003, art. 7º |
//! | `pis`, `cofins` | the revenue without IPI and ICMS-ST, and the own ICMS without the FCP | STF, Tema 69; Lei 14.592/2023; Decreto-Lei 1.598/1977, art. 12, § 4º; SC Cosit 61/2024 on the FCP |
//! | `cbs`, `ibs` | the revenue with the IPI, and ICMS, ISS, PIS, COFINS and IPI to leave the base | LC 214/2025, art. 12, § 2º |
//!
//! The ICMS of `cbs` and `ibs` has the FCP, and the difference that the seller pays to the destination. The ICMS-ST that
//! the seller charges is neither in their `valor_operacao` nor in their `valor_icms`, as in the formula of the base in
//! the NF-e: it would enter and leave, so the base does not depend on it.
//!
//! If a service says who pays for it (`tomador`), the withholdings follow, each asked with the price less the discount and
//! on a list of its own; the net to pay is the document less them.
//!
//! # Which taxes apply
//!
//! Each tax of the order has a line in the answer, also one that is not due ([`SituacaoTributo`]). A tax without a rule
//! is `sem_regra`, which is not zero. A tax that needs the amount of one that was not calculated is refused too, and
//! says which. Every total says whether it is complete, and what it lacks.
//!
//! The ICMS of a fuel that pays once in the chain is that of `icms`, by unit, for any buyer and also if the seller is in
//! the Simples Nacional (CF, art. 155, § 2º, XII, h; LC 123/2006, art. 13, § 1º, XIII, a).
//!
//! An import, an export, a return, a transfer between establishments and transport are other operations: their facts
//! have no field here.

mod answers;
mod apuracao;
mod facts;
mod federal;
mod mercadoria;
mod needs;
mod servico;
mod totais;
mod worksheet;

pub use apuracao::{Apuracao, RETENCOES, SituacaoTributo, TRIBUTOS, TipoApuracao, Totais, Total, TributoApurado};
pub use facts::OperationFacts;
pub use needs::{Need, needs};

use crate::base::document::{
    Document, Faults, JsonFault, MAX_PAYLOAD_VALUES, Node, Object, Path, Placed, has_too_many_values, names,
    parse_payload, refuse_unknown,
};
use crate::base::problem::{ErrorCode, Problem};
use crate::tax::TaxAnswer;
use facts::with_regime;
use worksheet::Worksheet;

/// Answers a payload, or refuses it.
pub type Ask<'a> = &'a dyn Fn(&Object<'_>) -> Result<TaxAnswer, Box<Problem>>;

/// Refuses an operation of which a fact is missing or at fault, before anything of it is calculated.
pub fn check(given: &Object<'_>) -> Result<(), Box<Problem>> {
    read(&with_regime(given)).map(drop)
}

/// Calculates an operation. Fails if a fact is missing or at fault, and if `ask` fails for another reason than a refusal.
/// A tax that is refused is part of the result.
pub fn calculate(given: &Object<'_>, ask: Ask<'_>) -> Result<Apuracao, Box<Problem>> {
    let given = with_regime(given);
    let facts = read(&given)?;
    let mut worksheet = Worksheet::new(&facts, &given, ask);
    taxes(&mut worksheet)?;
    totais::apuracao(&facts, worksheet.into_taxes())
}

/// Notes every tax of the operation.
fn taxes(worksheet: &mut Worksheet<'_>) -> Result<(), Box<Problem>> {
    match worksheet.facts.tipo() {
        TipoApuracao::Mercadoria => mercadoria::taxes(worksheet),
        TipoApuracao::Servico => servico::taxes(worksheet),
    }
}

/// The operation that a JSON text declares.
pub fn parse(operation: &[u8]) -> Result<Object<'_>, Box<Problem>> {
    if has_too_many_values(operation) {
        let detail = format!("A operação tem mais de {MAX_PAYLOAD_VALUES} valores; uma operação tem uns trinta.");
        return Err(Box::new(Problem::new(ErrorCode::PayloadInvalido, detail)));
    }
    let not_json =
        |fault: JsonFault| Problem::new(ErrorCode::JsonInvalido, format!("Corrija o JSON da operação: {fault}."));
    match parse_payload(operation).map_err(not_json)? {
        Node::Object(given) => Ok(given),
        other => {
            let detail = format!("A operação precisa ser um objeto JSON; veio {}.", other.kind());
            Err(Box::new(Problem::new(ErrorCode::TipoInvalido, detail)))
        }
    }
}

/// Every fault of the facts of an operation, without a calculation.
pub fn faults(given: &Object<'_>) -> Faults {
    let mut faults = Faults::default();
    read_facts(&with_regime(given), &mut faults);
    faults
}

/// Reads the facts, with every fault of them.
fn read(given: &Object<'_>) -> Result<OperationFacts, Box<Problem>> {
    let mut faults = Faults::default();
    match read_facts(given, &mut faults) {
        Some(facts) if faults.is_empty() => Ok(facts),
        _ => Err(Box::new(Problem::from_faults(faults))),
    }
}

fn read_facts(given: &Object<'_>, faults: &mut Faults) -> Option<OperationFacts> {
    let at = Path::ROOT;
    let placed = Placed::of(given, OperationFacts::FIELDS, &[]);
    if placed.may_repeat {
        given.refuse_repeated(&at, faults);
    }
    refuse_unknown(&placed, &names(OperationFacts::FIELDS), &at, faults);
    let facts = OperationFacts::read_placed(&placed, &at, faults);
    let stated = |name: &str| !matches!(given.get(name), None | Some(Node::Null));
    if stated("municipio") && !stated("uf") {
        // A municipality is found by its name in its UF.
        let detail = "O campo `uf` é obrigatório com `municipio`.";
        faults.add(&at.key("uf"), ErrorCode::CampoObrigatorio, detail);
    }
    if let Some(facts) = &facts {
        facts.check(given, faults);
    }
    facts
}
