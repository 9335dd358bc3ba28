//! A rule version as it is kept, and back.

use std::sync::Arc;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::document::{Document, Faults, Node, Path};
use crate::problem::Problem;
use crate::rule::bundle::RuleHeader;
use crate::rule::{Escopo, Escrito, VersaoRegra};
use crate::store::StoreError;
use crate::tax::{self, Entry};
use crate::value::{Date, RuleId, Text};

/// The record of a version: a bundle's rule, its scope in canonical form.
#[derive(Serialize)]
pub(super) struct Registro<'a> {
    rule_code: &'a str,
    versao: String,
    tributo: &'static str,
    escopo: &'a Escopo,
    vigente_de: Date,
    vigente_ate: Option<Date>,
    citacao_legal: &'a Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    fonte: Option<&'a Text>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    avisos: &'a [Text],
    #[serde(skip_serializing_if = "Option::is_none")]
    motivo: Option<&'a Text>,
    conteudo: &'a Node<'a>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    exemplos: &'a [Node<'a>],
}

/// Writes the record of a rule that was read from a bundle.
pub(super) fn encode(
    c: &RuleHeader,
    entry: &Entry,
    escopo: &Escopo,
    conteudo: &Node<'_>,
    exemplos: &[Node<'_>],
) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(&Registro {
        rule_code: c.rule_code.as_str(),
        versao: c.versao.to_string(),
        tributo: entry.tributo.as_str(),
        escopo,
        vigente_de: c.vigente_de,
        vigente_ate: c.vigente_ate,
        citacao_legal: &c.citacao_legal,
        fonte: c.fonte.as_ref(),
        avisos: &c.avisos,
        motivo: c.motivo.as_ref(),
        conteudo,
        exemplos,
    })
    .map_err(|e| StoreError::Corrupt(e.to_string()))
}

/// True when two records state the same rule; worked examples are not part of what it states.
pub(super) fn same_rule(a: &[u8], b: &[u8]) -> bool {
    if a == b {
        return true;
    }
    let bare = |bytes: &[u8]| -> Option<serde_json::Value> {
        let mut value: serde_json::Value = serde_json::from_slice(bytes).ok()?;
        value.as_object_mut()?.remove("exemplos");
        Some(value)
    };
    matches!((bare(a), bare(b)), (Some(a), Some(b)) if a == b)
}

/// Reads a record back. What was checked at import is checked again, by the same code; a
/// record that fails it was damaged since, or written by a newer taxd. What an older one published must
/// pass: a check that is added belongs to [`Tax::conferir_regra`](crate::tax::Tax::conferir_regra),
/// which is for rules that come in.
pub(super) fn decode(bytes: &[u8]) -> Result<VersaoRegra, StoreError> {
    let corrupt = |what: String| StoreError::Corrupt(what);
    let document = Node::parse(bytes).map_err(|e| corrupt(e.to_string()))?;
    let Node::Object(object) = &document else { return Err(corrupt("not an object".to_owned())) };
    let root = Path::ROOT;
    let mut faults = Faults::default();
    let cabecalho = RuleHeader::read(object, &root, &mut faults);
    let entry = cabecalho.as_ref().and_then(|c| tax::find(c.tributo.as_str()));
    let escopo = match (object.get("escopo"), entry) {
        (Some(Node::Object(escopo)), Some(entry)) => entry.read_escopo(escopo, &root, &mut faults),
        _ => None,
    };
    let conteudo = match (object.get("conteudo"), entry) {
        (Some(node), Some(entry)) => (entry.read_conteudo)(node, &root, &mut faults),
        _ => None,
    };
    match (cabecalho, entry, escopo, conteudo) {
        (Some(c), Some(entry), Some(escopo), Some(conteudo)) => {
            let rule_id = RuleId { code: c.rule_code, versao: c.versao };
            Ok(VersaoRegra {
                escrito: Escrito::new(&rule_id, &c.citacao_legal, &c.avisos).map_err(|e| corrupt(e.to_string()))?,
                rule_id,
                tributo: entry.tributo,
                escopo,
                citacao_legal: c.citacao_legal,
                motivo: c.motivo,
                conteudo,
            })
        }
        _ => Err(corrupt(Problem::from_faults(faults).detail)),
    }
}

/// The members of a record that other tables are compared with.
#[derive(Deserialize)]
pub(super) struct Kept {
    pub(super) vigente_de: String,
    pub(super) vigente_ate: Option<String>,
    /// There where the rule has worked examples.
    pub(super) exemplos: Option<IgnoredAny>,
}

/// Reads them.
pub(super) fn kept(bytes: &[u8]) -> Result<Kept, StoreError> {
    serde_json::from_slice(bytes).map_err(|e| StoreError::Corrupt(e.to_string()))
}

/// A record read back and shared.
pub(super) fn decode_shared(bytes: &[u8]) -> Result<Arc<VersaoRegra>, StoreError> {
    decode(bytes).map(Arc::new)
}
