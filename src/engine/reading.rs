//! From bundle files to rules that are whole: their form, their scope, their content.
//!
//! Reading never stops at the first fault: what can still be read of a faulty rule is read,
//! so that an analyst mends a bundle in one go.

use super::bundle_faults::{BundleFile, FaultsByFile};
use super::progress::{Progress, Stage, report};
use super::provenance::BundleRecord;
use super::version;
use crate::problem::Codigo;
use crate::record::{Faults, Node, Path, nearest};
use crate::rule::bundle::{self, Folha, Lugar, Pacote, RegraDoc};
use crate::rule::{Escopo, Vigencia};
use crate::tax::{self, Entry};
use crate::value::{RuleId, sha256_hex, shorten};

/// Everything that the files hold.
pub(super) struct Bundles<'a> {
    /// The rules, the versions of a code in their order, whatever the order of the files.
    pub(super) rules: Vec<NewRule<'a>>,
    /// Worked examples of tables: index of the file, place, examples.
    pub(super) table_examples: Vec<(usize, Lugar, Vec<Node<'a>>)>,
    /// What the publication remembers of the bundles; where none is at fault, one for each file.
    pub(super) records: Vec<BundleRecord>,
}

/// A rule read entirely: its form, its scope, its content.
pub(super) struct NewRule<'a> {
    /// Index of its file.
    pub(super) file: usize,
    /// Where it stands in it.
    pub(super) lugar: Lugar,
    /// The validity that its bundle gives it.
    pub(super) vigencia: Vigencia,
    pub(super) entry: &'static Entry,
    pub(super) rule_id: RuleId,
    pub(super) escopo: Escopo,
    /// What is kept of it.
    pub(super) record: Box<[u8]>,
    pub(super) exemplos: Vec<Node<'a>>,
}

/// Reads the documents of the files; a file that is not JSON has none.
pub(super) fn read<'a>(
    documents: &[Option<Node<'a>>],
    faults: &mut FaultsByFile<'_>,
    progress: Progress<'_>,
) -> Bundles<'a> {
    let mut bundles = Bundles { rules: Vec::new(), table_examples: Vec::new(), records: Vec::new() };
    for (i, document) in documents.iter().enumerate() {
        let Some(document) = document else { continue };
        let mut found = Faults::default();
        let total = bundle::count(document);
        let mut done = 0;
        let mut take = |doc: RegraDoc<'a>, found: &mut Faults| {
            bundles.rules.extend(read_typed(i, doc, found));
            done += 1;
            report(progress, Stage::Reading, done, total);
        };
        if let Some(Pacote { folha, exemplos }) = bundle::read(document, &mut found, &mut take) {
            if let (Some(folha), Some(file)) = (folha, faults.file(i)) {
                bundles.records.push(record_of(&folha, file, total));
            }
            bundles.table_examples.extend(exemplos.into_iter().map(|(lugar, list)| (i, lugar, list)));
        }
        faults.take(i, found);
    }
    bundles.rules.sort_by(|a, b| a.rule_id.cmp(&b.rule_id));
    refuse_twice(&bundles.rules, faults);
    bundles
}

fn record_of(folha: &Folha, file: &BundleFile, regras: usize) -> BundleRecord {
    let signed = file.signed.clone();
    BundleRecord {
        pacote: folha.pacote.as_str().to_owned(),
        versao: folha.versao.as_str().to_owned(),
        regras,
        file: file.name.clone(),
        sha256: sha256_hex(&file.bytes),
        assinado_por: signed.as_ref().map(|s| s.by.clone()),
        key_id: signed.and_then(|s| s.key_id),
    }
}

/// Reads scope and content by the tax that the rule names, whatever else is wrong with it.
fn read_typed<'a>(file: usize, doc: RegraDoc<'a>, faults: &mut Faults) -> Option<NewRule<'a>> {
    let lugar = doc.lugar;
    lugar.with_path(|at| {
        let entry = tax_named(doc.tributo.as_deref()?, &at.key("tributo"), faults)?;
        let escopo = entry.read_escopo(&doc.escopo, &at.key("escopo"), faults);
        let conteudo = (entry.read_conteudo)(&doc.conteudo, &at.key("conteudo"), faults);
        if let (Some(escopo), Some(conteudo)) = (&escopo, &conteudo) {
            entry.conferir_regra(conteudo.as_ref(), escopo, at, faults);
        }
        if doc.cabecalho.as_ref().is_some_and(|c| c.motivo.is_none()) && has_unexplained_null(&doc.conteudo, entry) {
            let detail = "Uma figura do conteúdo é nula: diga em `motivo` por que ela não está estabelecida.";
            faults.add(&at.key("motivo"), Codigo::CampoObrigatorio, detail);
        }
        let (cabecalho, escopo, _) = (doc.cabecalho?, escopo?, conteudo?);
        let record = version::encode(&cabecalho, entry, &escopo, &doc.conteudo, &doc.exemplos).ok()?;
        let rule_id = RuleId { code: cabecalho.rule_code.clone(), versao: cabecalho.versao };
        let vigencia = Vigencia { de: cabecalho.vigente_de, ate: cabecalho.vigente_ate };
        let record = record.into_boxed_slice();
        Some(NewRule { file, lugar, vigencia, entry, rule_id, escopo, record, exemplos: doc.exemplos })
    })
}

fn tax_named(name: &str, at: &Path<'_>, faults: &mut Faults) -> Option<&'static Entry> {
    let found = tax::find(name);
    if found.is_none() {
        let names = || tax::REGISTRY.iter().map(|e| e.tributo.as_str());
        let hint = nearest(name, names()).map(|n| format!(" Você quis dizer `{n}`?")).unwrap_or_default();
        let list = names().collect::<Vec<_>>().join(", ");
        let detail = format!("\"{}\" não é um tributo daqui.{hint} Os aceitos são: {list}.", shorten(name));
        faults.add(at, Codigo::ValorInvalido, detail);
    }
    found
}

fn has_unexplained_null(node: &Node<'_>, entry: &Entry) -> bool {
    match node {
        Node::Object(object) => object.0.iter().any(|(name, value)| match value {
            Node::Null => (entry.nulo_pede_motivo)(name, object),
            inner => has_unexplained_null(inner, entry),
        }),
        Node::List(items) => items.iter().any(|item| has_unexplained_null(item, entry)),
        _ => false,
    }
}

/// Refuses a version that the files hold twice.
fn refuse_twice(rules: &[NewRule<'_>], faults: &mut FaultsByFile<'_>) {
    for pair in rules.windows(2) {
        if let [first, second] = pair
            && first.rule_id == second.rule_id
        {
            let detail = format!("{} aparece duas vezes na importação; deixe uma só.", second.rule_id);
            faults.at(second.file, second.lugar, "rule_code", Codigo::ValorInvalido, detail);
        }
    }
}
