//! The first pass of an import: parses and checks every rule of every file.
//!
//! It never stops at the first fault, so that an analyst can correct a bundle in one go. Between the passes
//! only an [`ImportRow`] of each rule stays in memory.

use super::bundle_faults::{BundleFile, FaultsByFile};
use super::import_index::{CheckedRule, ImportIndex, ImportRow};
use super::interner::{Jurisdiction, Location, scope_hash};
use super::progress::{Progress, Stage, report};
use super::provenance::{BundleRecord, OfficialTable};
use super::version;
use crate::base::document::{Faults, JsonFault, Node, Path};
use crate::base::problem::ErrorCode;
use crate::base::value::{RuleId, sha256_hex};
use crate::law::rule::bundle::{self, Bundle, BundleHeader, BundleRule, RawBundle, RuleLocation};
use crate::law::rule::{Escopo, RuleLayer, Vigencia};
use crate::law::tax::{self, Entry};
use crate::store::{StoreError, StoreResult};

#[derive(Default)]
pub(super) struct Bundles<'a> {
    /// The rules, sorted by code and version.
    pub(super) index: ImportIndex,
    /// One for each file without faults, for the record of the publication.
    pub(super) records: Vec<BundleRecord>,
    /// The bundle of each file; `None` for a file that is not a bundle.
    list: Vec<Option<Bundle<'a>>>,
}

/// A rule, parsed and ready to be stored.
pub(super) struct NewRule {
    /// Its place in its file, for faults.
    pub(super) location: RuleLocation,
    pub(super) entry: &'static Entry,
    pub(super) layer: RuleLayer,
    pub(super) rule_id: RuleId,
    pub(super) escopo: Escopo,
    /// The record that the store keeps.
    pub(super) record: Vec<u8>,
}

/// Reads the files. Reports every fault; fails only if there are too many rules to count.
pub(super) fn read<'a>(
    files: &'a [BundleFile],
    faults: &mut FaultsByFile<'_>,
    progress: Progress<'_>,
) -> StoreResult<Bundles<'a>> {
    let mut bundles = Bundles::default();
    for (i, file) in files.iter().enumerate() {
        let first = bundles.index.len();
        let mut found = Faults::default();
        match bundles.read_file(i, file, &mut found, progress)? {
            Ok(bundle) => {
                bundles.list.push(bundle);
                faults.take(i, found);
            }
            Err(fault) => {
                bundles.index.forget_from(first);
                bundles.list.push(None);
                faults.not_json(file, &fault);
            }
        }
    }
    bundles.index.sort();
    refuse_twice(&bundles.index, faults)?;
    Ok(bundles)
}

impl<'a> Bundles<'a> {
    /// Checks the rules of a file and adds them to the index. The inner error is a file that is not JSON.
    fn read_file(
        &mut self,
        index: usize,
        file: &'a BundleFile,
        found: &mut Faults,
        progress: Progress<'_>,
    ) -> StoreResult<Result<Option<Bundle<'a>>, JsonFault>> {
        let raw = match RawBundle::read(&file.bytes) {
            Ok(raw) => raw,
            Err(fault) => return Ok(Err(fault)),
        };
        let total = raw.count();
        self.index.reserve(total);
        let mut done = 0;
        let mut kept = Ok(());
        let mut take = |rule: BundleRule<'a>, found: &mut Faults| {
            if let Some(read) = check(index, &rule, found)
                && kept.is_ok()
            {
                kept = self.index.push(&read);
            }
            done += 1;
            report(progress, Stage::Reading, done, total);
        };
        let bundle = match bundle::read(raw, found, &mut take) {
            Ok(bundle) => bundle,
            Err(fault) => return Ok(Err(fault)),
        };
        kept?;
        if let Some(header) = bundle.as_ref().and_then(|bundle| bundle.header.as_ref()) {
            self.records.push(record_of(header, file, total));
        }
        Ok(Ok(bundle))
    }

    fn parse_again(&self, row: &ImportRow) -> StoreResult<BundleRule<'a>> {
        let bundle = self.list.get(row.file()).and_then(Option::as_ref);
        bundle.and_then(|bundle| bundle.rule(row.location())).ok_or_else(|| not_the_same(row))
    }

    /// Parses a rule again and makes its record.
    pub(super) fn rule(&self, row: &ImportRow) -> StoreResult<NewRule> {
        let BundleRule { location, header, tributo, escopo, conteudo, exemplos } = self.parse_again(row)?;
        let read = || {
            let header = header?;
            let entry = tax::find(&tributo?)?;
            let escopo = entry.read_escopo(&escopo, &Path::ROOT, &mut Faults::default())?;
            Some((header, entry, escopo))
        };
        let (header, entry, escopo) = read().ok_or_else(|| not_the_same(row))?;
        let record = version::encode(&header, entry, &escopo, &conteudo, &exemplos)?;
        let (layer, rule_id) =
            (RuleLayer::of(header.conferencia), RuleId { code: header.rule_code, versao: header.versao });
        Ok(NewRule { location, entry, layer, rule_id, escopo, record })
    }

    /// Parses the worked examples of a rule again.
    pub(super) fn examples(&self, row: &ImportRow) -> StoreResult<Vec<Node<'a>>> {
        if row.has_examples { Ok(self.parse_again(row)?.exemplos) } else { Ok(Vec::new()) }
    }

    /// The worked examples of tables: index of the file, place of the table, examples.
    pub(super) fn table_examples(&self) -> impl Iterator<Item = (usize, RuleLocation, &[Node<'a>])> {
        let bundles = self.list.iter().enumerate().filter_map(|(i, bundle)| Some((i, bundle.as_ref()?)));
        bundles
            .flat_map(|(i, bundle)| bundle.exemplos.iter().map(move |(location, list)| (i, *location, list.as_slice())))
    }
}

/// The error of a rule that parsed in the first pass and not in a later one, which only a defect can cause.
fn not_the_same(row: &ImportRow) -> StoreError {
    StoreError::Corrupt(format!("a rule of a bundle parsed in the first pass and not again: {:?}", row.location()))
}

fn record_of(header: &BundleHeader, file: &BundleFile, regras: usize) -> BundleRecord {
    let signed = file.signed.clone();
    BundleRecord {
        pacote: header.pacote.as_str().to_owned(),
        versao: header.versao.as_str().to_owned(),
        regras,
        file: file.name.clone(),
        tabelas_oficiais: header.tabelas_oficiais.iter().map(OfficialTable::from).collect(),
        sha256: sha256_hex(&file.bytes),
        assinado_por: signed.as_ref().map(|s| s.by.clone()),
        key_id: signed.and_then(|s| s.key_id),
    }
}

/// Has the tax that the rule names check scope and content, even if the rule has other faults.
fn check<'r>(file: usize, rule: &'r BundleRule<'_>, faults: &mut Faults) -> Option<CheckedRule<'r>> {
    rule.location.with_path(|at| {
        let unknown = |detail| faults.add(&at.key("tributo"), ErrorCode::ValorInvalido, detail);
        let entry = tax::parse(rule.tributo.as_deref()?).map_err(unknown).ok()?;
        entry.require_escopo(&rule.escopo, &rule.conteudo, &at.key("escopo"), faults);
        let escopo = entry.read_escopo(&rule.escopo, &at.key("escopo"), faults);
        let conteudo = (entry.read_conteudo)(&rule.conteudo, &at.key("conteudo"), faults);
        if let (Some(escopo), Some(conteudo)) = (&escopo, &conteudo) {
            entry.check_regra(conteudo.as_ref(), escopo, at, faults);
        }
        if rule.header.as_ref().is_some_and(|c| c.motivo.is_none()) && has_unexplained_null(&rule.conteudo, entry) {
            let detail = "Uma figura do conteúdo é nula: diga em `motivo` por que ela não está estabelecida.";
            faults.add(&at.key("motivo"), ErrorCode::CampoObrigatorio, detail);
        }
        let header = rule.header.as_ref()?;
        if RuleLayer::of(header.conferencia) == RuleLayer::Office
            && !header.rule_code.as_str().starts_with(RuleLayer::OFFICE_CODES)
        {
            let detail = format!(
                "O código de uma regra `do_escritorio` começa com `{}`, para que nenhuma regra do taxd venha a ter o mesmo.",
                RuleLayer::OFFICE_CODES
            );
            faults.add(&at.key("rule_code"), ErrorCode::ValorInvalido, detail);
        }
        let (escopo, _) = (escopo?, conteudo?);
        Some(CheckedRule {
            file,
            location: rule.location,
            code: &header.rule_code,
            versao: header.versao,
            jurisdiction: Jurisdiction { tributo: entry.tributo, location: Location::of(&escopo) },
            scope: scope_hash(entry.tributo, &escopo),
            vigencia: Vigencia { de: header.vigente_de, ate: header.vigente_ate },
            has_examples: !rule.exemplos.is_empty(),
        })
    })
}

fn has_unexplained_null(node: &Node<'_>, entry: &Entry) -> bool {
    match node {
        Node::Object(object) => object.0.iter().any(|(name, value)| match value {
            Node::Null => (entry.null_needs_motivo)(name, object),
            inner => has_unexplained_null(inner, entry),
        }),
        Node::List(items) => items.iter().any(|item| has_unexplained_null(item, entry)),
        _ => false,
    }
}

/// Refuses a version that the files contain twice.
fn refuse_twice(index: &ImportIndex, faults: &mut FaultsByFile<'_>) -> StoreResult<()> {
    for (first, second) in index.iter().zip(index.iter().skip(1)) {
        if first.versao == second.versao && index.code(first) == index.code(second) {
            let rule_id = index.rule_id(second)?;
            let detail = format!("{rule_id} aparece duas vezes na importação; deixe uma só.");
            faults.at(second.file(), second.location(), "rule_code", ErrorCode::ValorInvalido, detail);
        }
    }
    Ok(())
}
