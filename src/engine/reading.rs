//! From bundle files to rules that are whole: their form, their scope, their content.
//!
//! Reading never stops at the first fault: what can still be read of a faulty rule is read,
//! so that an analyst mends a bundle in one go. A rule is read once to be checked, and again when it
//! is written: what is kept of it between is a [`Row`].

use super::bundle_faults::{BundleFile, FaultsByFile};
use super::progress::{Progress, Stage, report};
use super::provenance::BundleRecord;
use super::rows::{Read, Row, Rows};
use super::shared::{Place, Reach, scope_hash};
use super::version;
use crate::document::{Faults, JsonFault, Node, Path};
use crate::problem::ErrorCode;
use crate::rule::bundle::{self, Bundle, BundleHeader, BundleRule, RawBundle, RuleLocation};
use crate::rule::{Escopo, Vigencia};
use crate::store::{StoreError, StoreResult};
use crate::tax::{self, Entry};
use crate::value::{RuleId, sha256_hex};

/// Everything that the files hold.
#[derive(Default)]
pub(super) struct Bundles<'a> {
    /// The rules, the versions of a code in their order, whatever the order of the files.
    pub(super) rows: Rows,
    /// What the publication remembers of the bundles; where none is at fault, one for each file.
    pub(super) records: Vec<BundleRecord>,
    /// The bundle of each file; a file that is none has none.
    pacotes: Vec<Option<Bundle<'a>>>,
}

/// A rule read entirely.
pub(super) struct NewRule {
    /// Where it stands in its file.
    pub(super) lugar: RuleLocation,
    pub(super) entry: &'static Entry,
    pub(super) rule_id: RuleId,
    pub(super) escopo: Escopo,
    /// What is kept of it.
    pub(super) record: Vec<u8>,
}

/// Reads the files.
pub(super) fn read<'a>(
    files: &'a [BundleFile],
    faults: &mut FaultsByFile<'_>,
    progress: Progress<'_>,
) -> StoreResult<Bundles<'a>> {
    let mut bundles = Bundles::default();
    for (i, file) in files.iter().enumerate() {
        let first = bundles.rows.len();
        let mut found = Faults::default();
        match bundles.read_file(i, file, &mut found, progress)? {
            Ok(pacote) => {
                bundles.pacotes.push(pacote);
                faults.take(i, found);
            }
            Err(fault) => {
                bundles.rows.forget_from(first);
                bundles.pacotes.push(None);
                faults.is_no_json(file, &fault);
            }
        }
    }
    bundles.rows.sort();
    refuse_twice(&bundles.rows, faults)?;
    Ok(bundles)
}

impl<'a> Bundles<'a> {
    /// Checks the rules of a file and keeps what must be known of each.
    fn read_file(
        &mut self,
        index: usize,
        file: &'a BundleFile,
        found: &mut Faults,
        progress: Progress<'_>,
    ) -> StoreResult<Result<Option<Bundle<'a>>, JsonFault>> {
        let esboco = match RawBundle::read(&file.bytes) {
            Ok(esboco) => esboco,
            Err(fault) => return Ok(Err(fault)),
        };
        let total = esboco.count();
        self.rows.reserve(total);
        let mut done = 0;
        let mut kept = Ok(());
        let mut take = |doc: BundleRule<'a>, found: &mut Faults| {
            if let Some(read) = check(index, &doc, found)
                && kept.is_ok()
            {
                kept = self.rows.push(&read);
            }
            done += 1;
            report(progress, Stage::Reading, done, total);
        };
        let pacote = match bundle::read(esboco, found, &mut take) {
            Ok(pacote) => pacote,
            Err(fault) => return Ok(Err(fault)),
        };
        kept?;
        if let Some(folha) = pacote.as_ref().and_then(|p| p.folha.as_ref()) {
            self.records.push(record_of(folha, file, total));
        }
        Ok(Ok(pacote))
    }

    fn doc(&self, row: &Row) -> StoreResult<BundleRule<'a>> {
        let pacote = self.pacotes.get(row.file()).and_then(Option::as_ref);
        pacote.and_then(|p| p.regra(row.lugar())).ok_or_else(|| not_the_same(row))
    }

    /// Reads a rule again, entirely.
    pub(super) fn rule(&self, row: &Row) -> StoreResult<NewRule> {
        let BundleRule { lugar, cabecalho, tributo, escopo, conteudo, exemplos } = self.doc(row)?;
        let read = || {
            let cabecalho = cabecalho?;
            let entry = tax::find(&tributo?)?;
            let escopo = entry.read_escopo(&escopo, &Path::ROOT, &mut Faults::default())?;
            Some((cabecalho, entry, escopo))
        };
        let (cabecalho, entry, escopo) = read().ok_or_else(|| not_the_same(row))?;
        let record = version::encode(&cabecalho, entry, &escopo, &conteudo, &exemplos)?;
        let rule_id = RuleId { code: cabecalho.rule_code, versao: cabecalho.versao };
        Ok(NewRule { lugar, entry, rule_id, escopo, record })
    }

    /// Reads the worked examples of a rule again.
    pub(super) fn examples(&self, row: &Row) -> StoreResult<Vec<Node<'a>>> {
        if row.has_examples { Ok(self.doc(row)?.exemplos) } else { Ok(Vec::new()) }
    }

    /// Worked examples of tables: index of the file, place, examples.
    pub(super) fn table_examples(&self) -> impl Iterator<Item = (usize, RuleLocation, &[Node<'a>])> {
        let pacotes = self.pacotes.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?)));
        pacotes.flat_map(|(i, p)| p.exemplos.iter().map(move |(lugar, list)| (i, *lugar, list.as_slice())))
    }
}

/// A rule is read twice from bytes that do not change, by the same code.
fn not_the_same(row: &Row) -> StoreError {
    StoreError::Corrupt(format!("a rule of a bundle reads otherwise the second time: {:?}", row.lugar()))
}

fn record_of(folha: &BundleHeader, file: &BundleFile, regras: usize) -> BundleRecord {
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

/// Checks scope and content by the tax that the rule names, whatever else is wrong with it.
fn check<'r>(file: usize, doc: &'r BundleRule<'_>, faults: &mut Faults) -> Option<Read<'r>> {
    doc.lugar.with_path(|at| {
        let unknown = |detail| faults.add(&at.key("tributo"), ErrorCode::ValorInvalido, detail);
        let entry = tax::parse(doc.tributo.as_deref()?).map_err(unknown).ok()?;
        let escopo = entry.read_escopo(&doc.escopo, &at.key("escopo"), faults);
        let conteudo = (entry.read_conteudo)(&doc.conteudo, &at.key("conteudo"), faults);
        if let (Some(escopo), Some(conteudo)) = (&escopo, &conteudo) {
            entry.conferir_regra(conteudo.as_ref(), escopo, at, faults);
        }
        if doc.cabecalho.as_ref().is_some_and(|c| c.motivo.is_none()) && has_unexplained_null(&doc.conteudo, entry) {
            let detail = "Uma figura do conteúdo é nula: diga em `motivo` por que ela não está estabelecida.";
            faults.add(&at.key("motivo"), ErrorCode::CampoObrigatorio, detail);
        }
        let (cabecalho, escopo, _) = (doc.cabecalho.as_ref()?, escopo?, conteudo?);
        Some(Read {
            file,
            lugar: doc.lugar,
            code: &cabecalho.rule_code,
            versao: cabecalho.versao,
            reach: Reach { tributo: entry.tributo, place: Place::of(&escopo) },
            scope: scope_hash(entry.tributo, &escopo),
            vigencia: Vigencia { de: cabecalho.vigente_de, ate: cabecalho.vigente_ate },
            has_examples: !doc.exemplos.is_empty(),
        })
    })
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
fn refuse_twice(rows: &Rows, faults: &mut FaultsByFile<'_>) -> StoreResult<()> {
    for (first, second) in rows.iter().zip(rows.iter().skip(1)) {
        if first.versao == second.versao && rows.code(first) == rows.code(second) {
            let rule_id = rows.rule_id(second)?;
            let detail = format!("{rule_id} aparece duas vezes na importação; deixe uma só.");
            faults.at(second.file(), second.lugar(), "rule_code", ErrorCode::ValorInvalido, detail);
        }
    }
    Ok(())
}
