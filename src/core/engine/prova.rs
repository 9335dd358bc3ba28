//! The proof of an answer (`prova=true`): digests of the payload, of every rule that was used, and of the result.
//!
//! Each digest is the SHA-256 of a JSON value in canonical form: members sorted by their names at every level, no
//! blanks, UTF-8, nothing escaped but what JSON requires (RFC 8785; the numbers of these documents are whole). So
//! anyone can compute it again from the payload, the answer and `GET /v1/regras`; `examples/README.md` shows how.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::answer::PayloadForm;
use super::listing;
use super::resolve::{self, Resolver};
use crate::base::document::without_bom;
use crate::base::problem::Problem;
use crate::base::value::sha256_hex;
use crate::law::rule::{Regra, RuleResult};
use crate::law::tax::{self, TaxAnswer};
use crate::store::{RuleTables, StoreError};

pub const ALGORITMO: &str = "SHA-256";
/// The engine and its version.
pub const MOTOR: &str = concat!("taxd ", env!("CARGO_PKG_VERSION"));
/// Members of an answer that its proof does not cover: the proof itself, and whether the cache answered.
pub const UNCOVERED: [&str; 2] = ["prova", "cached"];

/// The proof of an answer, as JSON.
pub(super) fn prove<T: RuleTables>(
    resolver: &Resolver<'_, T>,
    asked: PayloadForm<'_>,
    answer: &TaxAnswer,
) -> RuleResult<Box<RawValue>> {
    let failed = |cause: &dyn std::fmt::Display| {
        Box::new(Problem::failure("A prova não pôde ser escrita; avise o operador.", cause))
    };
    let mut written = Vec::new();
    answer.write_body(&mut written)?;
    let envelope: Value = serde_json::from_slice(&written).map_err(|e| failed(&e))?;
    let payload = match asked {
        PayloadForm::Text(text) | PayloadForm::Parsed(text, _) => Cow::Borrowed(text),
        PayloadForm::Object(object) => Cow::Owned(serde_json::to_vec(object).map_err(|e| failed(&e))?),
    };
    let pedido = payload_digest(&payload).ok_or_else(|| failed(&"the payload has no canonical form"))?;
    let mut prova = Map::from_iter([
        ("algoritmo".to_owned(), json!(ALGORITMO)),
        ("motor".to_owned(), json!(MOTOR)),
        ("pedido".to_owned(), json!(pedido)),
        ("regras".to_owned(), rule_digests(resolver, answer)?),
        ("resultado".to_owned(), json!(result_digest(&envelope))),
    ]);
    let resumo = summary_digest(&prova);
    prova.insert("resumo".to_owned(), json!(resumo));
    to_raw_value(&prova).map_err(|e| failed(&e))
}

/// Id and digest of each rule: the one that answered, then the others in the order of their use.
fn rule_digests<T: RuleTables>(resolver: &Resolver<'_, T>, answer: &TaxAnswer) -> RuleResult<Value> {
    let digest = |regra: &Regra| -> Result<Value, StoreError> {
        let rule_id = &*regra.escrito.rule_id;
        let record = resolver.record(rule_id)?;
        let record = record.ok_or_else(|| StoreError::Corrupt(format!("{rule_id} was used and not looked up")))?;
        let content = listing::content_of(&record, &regra.versao, regra.vigencia.de)?;
        Ok(json!({"rule_id": rule_id, "sha256": digest_of(content)}))
    };
    let mut seen = BTreeSet::new();
    let distinct = answer.used().filter(|regra| seen.insert(regra.escrito.rule_id.clone()));
    distinct.map(digest).collect::<Result<_, _>>().map_err(|e| resolve::failed(&e))
}

/// The digest of a JSON value in canonical form.
fn digest_of(mut value: Value) -> String {
    value.sort_all_objects();
    sha256_hex(value.to_string().as_bytes())
}

/// The digest of a payload: `tributo` and the fields of the tax, as they were sent; ignored fields do not count.
/// `None` if it names no tax.
pub fn payload_digest(payload: &[u8]) -> Option<String> {
    let Value::Object(mut members) = serde_json::from_slice(without_bom(payload)).ok()? else { return None };
    let entry = tax::find(members.get("tributo")?.as_str()?)?;
    members.retain(|name, _| name == "tributo" || entry.payload.iter().any(|field| field.name == name));
    Some(digest_of(Value::Object(members)))
}

/// The digest of an answer: all of it but what is [`UNCOVERED`].
pub fn result_digest(answer: &Value) -> String {
    let mut covered = answer.clone();
    if let Value::Object(members) = &mut covered {
        members.retain(|name, _| !UNCOVERED.contains(&name.as_str()));
    }
    digest_of(covered)
}

/// The digest of a proof: of all its members but `resumo`, which has it.
pub fn summary_digest(prova: &Map<String, Value>) -> String {
    let mut covered = prova.clone();
    covered.remove("resumo");
    digest_of(Value::Object(covered))
}
