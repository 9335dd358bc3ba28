//! What the rules answer on one day: how many of them, by tax, place and kind, have their figures, have some of
//! them, or refuse. It is read from the published rules and the declarations of the taxes, so that it is true of the
//! data at hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Engine;
use super::figures::RuleState;
use super::transition::{Standing, Transition};
use crate::base::document::{Faults, Node, Path};
use crate::base::value::{Conferencia, Date, Tributo, Uf};
use crate::law::rule::{Escopo, Local, Vigencia};
use crate::law::tax::{self, Entry};
use crate::store::{Journal, StoreError, StoreResult};

/// What the `fonte` of a rule says if its citation names an act and no article of it.
pub const NOT_LOCATED: &str = "Artigo não localizado";

/// Kinds of rules beside the words of a tax's own dimension.
pub const GENERAL: &str = "geral";
pub const INTERSTATE: &str = "interestadual";
pub const BY_PRODUCT: &str = "por produto";
pub const BY_ITEM: &str = "por item";
pub const BY_CLASS: &str = "por classificação";

/// What the rules answer on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    pub vigente_em: String,
    /// The tax whose rules were counted, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tributo: Option<String>,
    /// The UF whose rules were counted, beside those of all UFs, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uf: Option<String>,
    /// All rules of each tax, in the order of the contract; a tax without rules is listed too.
    pub totais: Vec<TaxTotal>,
    /// The same rules by place and kind. A rule for several words of its tax's dimension is of each of these kinds.
    pub linhas: Vec<CoverageRow>,
    pub sem_artigo: Vec<UnlocatedCitation>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxTotal {
    pub tributo: String,
    #[serde(flatten)]
    pub regras: StateCounts,
    /// How many of its rules have each grade.
    pub conferencia: GradeCounts,
}

/// How many rules have figures that are established to each grade.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GradeCounts {
    /// The figures were read in the law.
    pub texto_legal: u64,
    pub fontes_concordes: u64,
    pub fonte_unica: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub do_escritorio: u64,
    /// The rule does not say.
    pub sem_grau: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The rules of a tax, a place and a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageRow {
    pub tributo: String,
    /// Where they apply; `None` for national rules and for those between two UFs.
    pub uf: Option<String>,
    pub municipio: Option<String>,
    /// `geral`, `interestadual`, `por produto`, `por item`, or a word of the tax's own dimension.
    pub tipo: String,
    /// The segment of Convênio ICMS 142/2018, of rules with a CEST: the first two digits of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segmento: Option<String>,
    #[serde(flatten)]
    pub regras: StateCounts,
}

/// How many rules are in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateCounts {
    pub sim: u64,
    /// They refuse some requests, because a figure is null.
    pub em_parte: u64,
    /// They refuse every request, because a figure is null.
    pub nulo: u64,
    /// They refuse every request by the name of its regime.
    pub recusa: u64,
    /// They refuse every request, because the tax is extinct.
    pub extinto: u64,
}

/// Rules whose citation names an act and no article of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnlocatedCitation {
    pub tributo: String,
    /// Municipality or UF; `None` for a national rule.
    pub local: Option<String>,
    pub citacao_legal: String,
    pub regras: u64,
}

type Place = (Option<&'static str>, Option<&'static str>);

/// The tax, the place, the kind and the segment of rules that are counted together.
type RowKey = (usize, Place, &'static str, Option<String>);

/// Rules counted so far. A tax is its place in the registry, so that the order is that of the contract.
#[derive(Default)]
struct Counting {
    /// Only rules of this tax.
    tributo: Option<Tributo>,
    /// Only rules of this UF, and of none.
    uf: Option<Uf>,
    totals: BTreeMap<usize, (StateCounts, GradeCounts)>,
    rows: BTreeMap<RowKey, StateCounts>,
    unlocated: BTreeMap<(usize, Option<&'static str>, String), u64>,
}

impl Engine {
    /// What the rules answer on `day`.
    pub fn coverage(&self, day: Date) -> StoreResult<Arc<Coverage>> {
        let journal = self.store.read_journal()?;
        let count = || self.count(&journal, Counting::default(), day);
        self.overviews.coverages.get(journal.last_publication()?, day, count)
    }

    /// The same of one tax, or of one UF with its municipalities and the rules of all UFs.
    pub fn coverage_of(&self, day: Date, tributo: Option<Tributo>, uf: Option<Uf>) -> StoreResult<Coverage> {
        self.count(&self.store.read_journal()?, Counting { tributo, uf, ..Counting::default() }, day)
    }

    fn count(&self, journal: &Journal, mut counting: Counting, day: Date) -> StoreResult<Coverage> {
        let transition = Transition::read(&*self.store.read_rules()?)?;
        let mut failed = None;
        journal.each_version(1, |_, record, state| {
            if failed.is_none() && state.vigencia.covers(day) {
                failed = counting.add(record, state.vigencia, &transition, day).err();
            }
        })?;
        failed.map_or_else(|| Ok(counting.finish(day)), Err)
    }
}

impl Counting {
    /// Counts a version that is in force on `day`.
    fn add(&mut self, record: &[u8], vigencia: Vigencia, transition: &Transition, day: Date) -> StoreResult<()> {
        let corrupt = |what: String| StoreError::Corrupt(what);
        let node = Node::parse(record).map_err(|e| corrupt(e.to_string()))?;
        let Node::Object(rule) = &node else { return Err(corrupt("a rule is not an object".to_owned())) };
        let text = |name: &str| rule.text(name).unwrap_or_default();
        let tax = tax::REGISTRY.iter().enumerate().find(|(_, entry)| entry.tributo.as_str() == text("tributo"));
        let (Some((tax, entry)), Some(Node::Object(escopo)), Some(Node::Object(conteudo))) =
            (tax, rule.get("escopo"), rule.get("conteudo"))
        else {
            return Err(corrupt(format!("the rule {} lacks a tax, a scope or a content", text("rule_code"))));
        };
        let mut faults = Faults::default();
        let Some(escopo) = entry.read_escopo(escopo, &Path::ROOT, &mut faults) else {
            return Err(corrupt(format!("the scope of the rule {} is not one of its tax", text("rule_code"))));
        };
        let kinds = kinds(&escopo);
        let place = place(&escopo, kinds.contains(&INTERSTATE));
        let is_elsewhere = |uf: Uf| place.0.is_some_and(|place| place != uf.as_str());
        if self.tributo.is_some_and(|tributo| tributo != entry.tributo) || self.uf.is_some_and(is_elsewhere) {
            return Ok(());
        }
        let state = transition.state_on(Standing::of(conteudo, entry, &escopo.palavras, vigencia.de), day);
        let (states, grades) = self.totals.entry(tax).or_default();
        states.count(state);
        grades.count(Conferencia::from_word(text("conferencia")));
        if text("fonte").contains(NOT_LOCATED) {
            *self.unlocated.entry((tax, place.1.or(place.0), text("citacao_legal").to_owned())).or_default() += 1;
        }
        let segment = escopo.cest.map(|cest| cest.to_string().chars().take(2).collect::<String>());
        for kind in kinds {
            self.rows.entry((tax, place, kind, segment.clone())).or_default().count(state);
        }
        Ok(())
    }

    fn finish(self, day: Date) -> Coverage {
        let name = |tax: usize| tax::REGISTRY.get(tax).map(|e| e.tributo.to_string()).unwrap_or_default();
        let is_asked = |(_, entry): &(usize, &Entry)| self.tributo.is_none_or(|tributo| tributo == entry.tributo);
        let total = |(tax, entry): (usize, &Entry)| {
            let (regras, conferencia) = self.totals.get(&tax).copied().unwrap_or_default();
            TaxTotal { tributo: entry.tributo.to_string(), regras, conferencia }
        };
        let row = |((tax, (uf, municipio), kind, segmento), regras): (RowKey, StateCounts)| CoverageRow {
            tributo: name(tax),
            uf: uf.map(str::to_owned),
            municipio: municipio.map(str::to_owned),
            tipo: kind.to_owned(),
            segmento,
            regras,
        };
        let unlocated = |((tax, local, citacao_legal), regras): ((usize, Option<&str>, String), u64)| {
            UnlocatedCitation { tributo: name(tax), local: local.map(str::to_owned), citacao_legal, regras }
        };
        Coverage {
            vigente_em: day.to_string(),
            tributo: self.tributo.map(|tributo| tributo.to_string()),
            uf: self.uf.map(|uf| uf.to_string()),
            totais: tax::REGISTRY.iter().enumerate().filter(is_asked).map(total).collect(),
            linhas: self.rows.into_iter().map(row).collect(),
            sem_artigo: self.unlocated.into_iter().map(unlocated).collect(),
        }
    }
}

impl CoverageRow {
    /// True for national rules that apply in every UF; those between two UFs are of no UF.
    pub fn applies_in_every_uf(&self) -> bool {
        self.uf.is_none() && self.tipo != INTERSTATE
    }
}

impl StateCounts {
    pub fn plus(&self, other: &StateCounts) -> StateCounts {
        StateCounts {
            sim: self.sim + other.sim,
            em_parte: self.em_parte + other.em_parte,
            nulo: self.nulo + other.nulo,
            recusa: self.recusa + other.recusa,
            extinto: self.extinto + other.extinto,
        }
    }

    fn count(&mut self, state: RuleState) {
        match state {
            RuleState::Answers => self.sim += 1,
            RuleState::Partly => self.em_parte += 1,
            RuleState::Refuses => self.nulo += 1,
            RuleState::RefusesByName => self.recusa += 1,
            RuleState::Extinct => self.extinto += 1,
        }
    }
}

impl GradeCounts {
    fn count(&mut self, grade: Option<Conferencia>) {
        match grade {
            Some(Conferencia::TextoLegal) => self.texto_legal += 1,
            Some(Conferencia::FontesConcordes) => self.fontes_concordes += 1,
            Some(Conferencia::FonteUnica) => self.fonte_unica += 1,
            Some(Conferencia::DoEscritorio) => self.do_escritorio += 1,
            None => self.sem_grau += 1,
        }
    }
}

/// What a rule is about, as far as its scope says so.
fn kinds(escopo: &Escopo) -> Vec<&'static str> {
    if !escopo.ncm.is_empty() {
        return vec![BY_PRODUCT];
    }
    if !escopo.palavras.is_empty() {
        return escopo.palavras.clone();
    }
    if !escopo.item_lista_servico.is_empty() {
        return vec![BY_ITEM];
    }
    if escopo.classificacao.is_some() {
        return vec![BY_CLASS];
    }
    vec![if escopo.uf_origem == escopo.uf_destino { GENERAL } else { INTERSTATE }]
}

fn place(escopo: &Escopo, interstate: bool) -> Place {
    let (uf, municipio) = match escopo.local() {
        Local::Municipio(municipio) => (Some(municipio.uf()), Some(municipio.name())),
        Local::Uf(uf) | Local::Interestadual(_, uf) => (Some(uf), None),
        Local::Pais => (None, None),
    };
    (uf.filter(|_| !interstate).map(Uf::as_str), municipio)
}
