//! Writes and reads the record of a rule version.

use std::sync::Arc;

use serde_json::value::to_raw_value;

use crate::base::document::{Document, Faults, Node, Object, Path, Sometimes};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{RegraCitada, RuleId, Text};
use crate::law::rule::bundle::RuleHeader;
use crate::law::rule::record::VersionRecord;
use crate::law::rule::{Aviso, Condicao, Escopo, Escrito, RuleResult, VersaoRegra};
use crate::law::tax::{self, Entry, SUPONDO, Suposicao};
use crate::store::{StoreError, StoreResult};

/// Writes the record of a rule that was read from a bundle.
pub(super) fn encode(
    header: &RuleHeader,
    entry: &Entry,
    escopo: &Escopo,
    conteudo: &Node<'_>,
    exemplos: &[Node<'_>],
) -> StoreResult<Vec<u8>> {
    let write = || {
        let (escopo, conteudo) = (to_raw_value(escopo)?, to_raw_value(conteudo)?);
        let citacao_legal = to_raw_value(&header.citacao_legal)?;
        let fonte = header.fonte.as_ref().map(to_raw_value).transpose()?;
        let texts: Vec<&Text> = header.avisos.iter().map(|aviso| &aviso.texto).collect();
        let avisos = (!texts.is_empty()).then(|| to_raw_value(&texts)).transpose()?;
        let condicoes: Vec<Option<Condicao>> = header.avisos.iter().map(|aviso| aviso.condicao).collect();
        let condicoes = condicoes.iter().any(Option::is_some).then(|| to_raw_value(&condicoes)).transpose()?;
        let conferencia = header.conferencia.as_ref().map(to_raw_value).transpose()?;
        let motivo = header.motivo.as_ref().map(to_raw_value).transpose()?;
        let exemplos = (!exemplos.is_empty()).then(|| to_raw_value(exemplos)).transpose()?;
        serde_json::to_vec(&VersionRecord {
            rule_code: header.rule_code.as_str().into(),
            versao: header.versao.to_string().into(),
            tributo: entry.tributo.as_str().into(),
            escopo: &escopo,
            vigente_de: header.vigente_de.to_string().into(),
            vigente_ate: header.vigente_ate.map(|ate| ate.to_string().into()),
            citacao_legal: &citacao_legal,
            fonte: fonte.as_deref(),
            conferencia: conferencia.as_deref(),
            avisos: avisos.as_deref(),
            condicoes_dos_avisos: condicoes.as_deref(),
            motivo: motivo.as_deref(),
            conteudo: &conteudo,
            exemplos: exemplos.as_deref(),
        })
    };
    write().map_err(|e: serde_json::Error| StoreError::Corrupt(e.to_string()))
}

/// Parses a record without checking the rule in it.
pub fn read(bytes: &[u8]) -> StoreResult<VersionRecord<'_>> {
    VersionRecord::read(bytes).map_err(|e| StoreError::Corrupt(e.to_string()))
}

pub fn rule_id(record: &VersionRecord<'_>) -> StoreResult<RuleId> {
    let text = record.rule_id_text();
    RuleId::parse(&text).ok_or_else(|| StoreError::Corrupt(format!("\"{text}\" is not a version")))
}

/// What the record of a version says again of one that was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Restated {
    /// The same rule, apart from worked examples.
    Same,
    /// The same rule and figures, with other notes on how they were established ([`NOTES`]).
    OtherNotes,
    Other,
}

/// Members of a record that change no amount, refusal or sentence of an answer.
const NOTES: [&str; 3] = ["fonte", "conferencia", "condicoes_dos_avisos"];

/// Compares the record of a published version with the one of a bundle.
pub(super) fn restated(published: &[u8], bundle: &[u8]) -> StoreResult<Restated> {
    if published == bundle {
        return Ok(Restated::Same);
    }
    let members = |bytes: &[u8]| -> StoreResult<serde_json::Map<String, serde_json::Value>> {
        let mut members: serde_json::Map<_, _> =
            serde_json::from_slice(bytes).map_err(|e| StoreError::Corrupt(e.to_string()))?;
        members.remove("exemplos");
        Ok(members)
    };
    let (mut published, mut bundle) = (members(published)?, members(bundle)?);
    if published == bundle {
        return Ok(Restated::Same);
    }
    for name in NOTES {
        published.remove(name);
        bundle.remove(name);
    }
    Ok(if published == bundle { Restated::OtherNotes } else { Restated::Other })
}

/// The sentences of a record, each with its condition. `None` if the lists differ in length, or a condition is unknown.
fn with_conditions(avisos: &[Aviso], condicoes: Option<&Node<'_>>) -> Option<Vec<Aviso>> {
    let Some(condicoes) = condicoes else { return Some(avisos.to_vec()) };
    let Node::List(condicoes) = condicoes else { return None };
    let with_condition = |(aviso, condicao): (&Aviso, &Node<'_>)| {
        let condicao = match condicao {
            Node::Null => None,
            Node::Text(word) => Some(Condicao::from_word(word)?),
            _ => return None,
        };
        Some(Aviso { texto: aviso.texto.clone(), condicao })
    };
    let fit = avisos.len() == condicoes.len();
    fit.then(|| avisos.iter().zip(condicoes).map(with_condition).collect())?
}

/// Parses a record and the rule in it, with the same checks as the import. A record that fails them was
/// damaged since, or written by a newer taxd. Every record of an older taxd must pass: add a new check to
/// [`Tax::check_regra`](crate::law::tax::Tax::check_regra), which runs only at import.
pub fn decode(bytes: &[u8]) -> Result<VersaoRegra, StoreError> {
    decode_node(&parse(bytes)?).map_err(StoreError::Corrupt)
}

fn parse(bytes: &[u8]) -> StoreResult<Node<'_>> {
    Node::parse(bytes).map_err(|e| StoreError::Corrupt(e.to_string()))
}

/// A rule with supposed figures in the place of those that it states.
pub(super) struct SupposedVersion {
    pub(super) versao: VersaoRegra,
    /// The figures that it writes, by their places among those that are supposed.
    pub(super) figures: Vec<usize>,
}

/// Parses a record as [`decode`] does, with these figures in its content, and with the checks of an import. `None` if the
/// rule writes none of them. Refuses figures that the rule may not have.
pub(super) fn supposed(bytes: &[u8], suposicoes: &[Suposicao]) -> RuleResult<Option<SupposedVersion>> {
    let mut document = parse(bytes)?;
    let Node::Object(Object(members)) = &mut document else { return Ok(None) };
    let tributo = members.iter().find(|(name, _)| name == "tributo").and_then(|(_, node)| tax::find(node.text()?));
    let (Some(entry), Some((_, conteudo))) = (tributo, members.iter_mut().find(|(name, _)| name == "conteudo")) else {
        return Ok(None);
    };
    let own = suposicoes.iter().enumerate().filter(|(_, one)| one.tributo == entry.tributo);
    let figures: Vec<usize> = own.filter(|(_, one)| one.put(conteudo)).map(|(place, _)| place).collect();
    if figures.is_empty() {
        return Ok(None);
    }
    let mut faults = Faults::default();
    let decoded = decode_node(&document).inspect(|versao| {
        entry.check_regra(&*versao.conteudo, &versao.escopo, &Path::ROOT, &mut faults);
    });
    let (versao, detail) = match decoded {
        Ok(versao) if faults.is_empty() => return Ok(Some(SupposedVersion { versao, figures })),
        Ok(versao) => (Some(versao), String::from(Problem::from_faults(faults).detail)),
        Err(detail) => (None, detail),
    };
    let rule = versao.map_or(String::new(), |versao| format!(" {}", versao.rule_id));
    let named: Vec<_> = figures.iter().filter_map(|place| suposicoes.get(*place)).map(Suposicao::to_string).collect();
    let detail = format!("A regra{rule} não pode ter `{}`. {detail}", named.join("`, `"));
    Err(Box::new(Problem::of_field(ErrorCode::ParametroInvalido, SUPONDO, detail)))
}

/// The error is a sentence.
fn decode_node(document: &Node<'_>) -> Result<VersaoRegra, String> {
    let Node::Object(object) = document else { return Err("not an object".to_owned()) };
    let root = Path::ROOT;
    let mut faults = Faults::default();
    let header = RuleHeader::read(object, &root, &mut faults);
    let avisos = header.as_ref().and_then(|header| with_conditions(&header.avisos, object.get("condicoes_dos_avisos")));
    let entry = header.as_ref().and_then(|c| tax::find(c.tributo.as_str()));
    let escopo = match (object.get("escopo"), entry) {
        (Some(Node::Object(escopo)), Some(entry)) => entry.read_escopo(escopo, &root, &mut faults),
        _ => None,
    };
    let conteudo = match (object.get("conteudo"), entry) {
        (Some(node), Some(entry)) => (entry.read_conteudo)(node, &root, &mut faults),
        _ => None,
    };
    match (header, avisos, entry, escopo, conteudo) {
        (Some(c), Some(avisos), Some(entry), Some(escopo), Some(conteudo)) => {
            let regra = RegraCitada {
                rule_id: RuleId { code: c.rule_code, versao: c.versao },
                citacao_legal: c.citacao_legal,
                vigente_de: c.vigente_de,
                vigente_ate: None,
                conferencia: Sometimes(c.conferencia),
            };
            Ok(VersaoRegra {
                escrito: Escrito::new(&regra, avisos).map_err(|e| e.to_string())?,
                rule_id: regra.rule_id,
                tributo: entry.tributo,
                escopo,
                citacao_legal: regra.citacao_legal,
                conferencia: c.conferencia,
                motivo: c.motivo,
                conteudo,
            })
        }
        _ => Err(Problem::from_faults(faults).detail.into()),
    }
}

pub(super) fn decode_shared(bytes: &[u8]) -> Result<Arc<VersaoRegra>, StoreError> {
    decode(bytes).map(Arc::new)
}
