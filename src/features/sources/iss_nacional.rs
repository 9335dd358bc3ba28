//! The municipal rates of ISS that the national system of the NFS-e publishes: one CSV file for each UF in an archive,
//! `codigo_ibge;uf;nome_municipio;codigo_servico;incidencia;aliquota;dt_ini;dt_fim`, with service codes of four parts
//! (`01.09.01.000`: subitem, subdivision, and a number of the municipality's own).
//!
//! Each municipality gets one rule, a general one, whose content has the services by their rates. A change in the table
//! is a new version of it. A subitem whose subdivisions have one rate needs no national code; if their rates differ, each
//! subdivision has its own, and the subitem has none.

mod lines;

pub use lines::{TableLines, read};

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::lines::Line;
use super::LineFaults;
use super::installed::bundle as bundle_of;
use super::periods::{NewVersion, Period, Periods};
use crate::base::value::{Date, ItemServico, Municipio, Uf, format_decimal, parse_decimal};
use crate::law::rule::Vigencia;

/// Beginning of the code of every rule of this source.
const CODE: &str = "iss-nacional-";
/// Beginning of the `fonte` of every rule of this source. A rule with its code and another `fonte` took its place.
const FONTE: &str = "gov.br/nfse, tabela de alíquotas dos municípios: ";
/// Most differences that a report lists.
const MAX_LISTED: usize = 1_000;
/// Why a version has no rate at all: an earlier table had rates for its days, and a later one has none.
const WITHDRAWN: &str = "Uma publicação posterior da tabela nacional não traz mais alíquotas para estes dias.";
/// Why a group of services has no rate.
const SEM_ALIQUOTA: &str = "Os serviços sem alíquota são aqueles em que a tabela nacional a traz vazia, zero ou fora de 2% a 5% (LC nº 116/2003, arts. 8º, II, e 8º-A), aqueles em que o município dá a um código mais de uma alíquota, e os subitens cujos desdobros têm alíquotas diferentes: nestes, informe `codigo_tributacao_nacional`, o cTribNac da NFS-e.";
const AVISO: &str = "A alíquota é a que o município declarou ao Sistema Nacional NFS-e, e a de um subitem vale para todos os seus desdobros; a lei municipal não foi lida.";

/// The services of a municipality by their rate in percent points; `None` if that is not established.
type Services = BTreeMap<Option<Decimal>, Vec<ItemServico>>;

/// The rate of a line, if the law allows it: at most 5 %, and at least 2 % but for three subitems (LC 116/2003,
/// arts. 8º, II, and 8º-A, § 1º).
fn allowed(aliquota: Option<Decimal>, item: ItemServico) -> Option<Decimal> {
    let below = ["7.02", "7.05", "16.01"].contains(&item.subitem().to_string().as_str());
    let least = if below { Decimal::ZERO } else { Decimal::TWO };
    aliquota.filter(|rate| *rate > Decimal::ZERO && *rate >= least && *rate <= Decimal::from(5)).map(|r| r.normalize())
}

/// An installed rule version of ISS, as a listing shows it.
#[derive(Debug, Deserialize)]
pub struct InstalledRule {
    rule_id: String,
    rule_code: String,
    versao: String,
    /// `None` for the national rule of the transition to the IBS.
    uf_origem: Option<String>,
    municipio: Option<String>,
    #[serde(default)]
    item_lista_servico: Items,
    regime: Option<serde_json::Value>,
    #[serde(default)]
    fonte: String,
    vigente_de: Date,
    vigente_ate: Option<Date>,
    conteudo: InstalledContent,
}

#[derive(Debug, Deserialize)]
struct InstalledContent {
    aliquota: Option<String>,
    aliquotas: Option<Vec<InstalledGroup>>,
}

#[derive(Debug, Deserialize)]
struct InstalledGroup {
    aliquota: Option<String>,
    itens: Items,
}

#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
enum Items {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
}

impl Items {
    fn parsed(&self) -> Vec<ItemServico> {
        let texts = match self {
            Items::None => &[],
            Items::One(text) => std::slice::from_ref(text),
            Items::Many(texts) => texts.as_slice(),
        };
        texts.iter().filter_map(|text| ItemServico::parse_desdobrado(text).ok()).collect()
    }
}

/// A rate as the rules write it.
fn rate(text: Option<String>) -> Option<Decimal> {
    text.and_then(|text| parse_decimal(&text).ok()).map(|rate| rate.normalize())
}

/// The installed rules of one municipality.
#[derive(Default)]
struct Installed {
    /// Of this source.
    own: Vec<Period<Services>>,
    /// The highest major version of this source.
    major: u32,
    others: Vec<OtherRule>,
}

/// An installed rule that did not come from this source.
struct OtherRule {
    rule_id: String,
    vigencia: Vigencia,
    /// Empty for the general rule of the municipality.
    items: Vec<ItemServico>,
    aliquota: Option<Decimal>,
}

impl Installed {
    fn others_on(&self, day: Date) -> impl Iterator<Item = &OtherRule> {
        self.others.iter().filter(move |rule| rule.vigencia.covers(day))
    }

    /// The general rule of another source on a day.
    fn general_other(&self, day: Date) -> Option<&OtherRule> {
        self.others_on(day).find(|rule| rule.items.is_empty())
    }

    /// The rule of another source that answers for a subitem on a day.
    fn other(&self, item: ItemServico, day: Date) -> Option<&OtherRule> {
        self.others_on(day).find(|rule| rule.items.contains(&item)).or_else(|| self.general_other(day))
    }
}

/// What the table would change, for people and scripts.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    pub linhas: u64,
    /// Municipalities with at least one line.
    pub municipios: usize,
    /// Rule versions in the bundle.
    pub versoes: usize,
    /// Service codes of a municipality for which an installed rule of another source answers with the same rate.
    pub conferem: usize,
    /// With another rate.
    pub divergem: usize,
    /// With a rule whose figure is not established, or the table's is not.
    pub sem_figura: usize,
    /// The first of those with another rate.
    pub divergencias: Vec<Difference>,
    pub falhas: LineFaults,
}

/// A subitem for which the table and an installed rule of another source say different rates today.
#[derive(Debug, Serialize)]
pub struct Difference {
    pub uf: Uf,
    pub municipio: Municipio,
    /// Subitem or subdivision.
    pub item_lista_servico: String,
    /// Rate of the table, in percent points.
    pub aliquota_da_tabela: String,
    /// Rate of the installed rule, in percent points.
    pub aliquota_instalada: String,
    /// The installed rule.
    pub rule_id: String,
}

/// Makes a bundle of what the table has beyond the installed rules; `None` if it has nothing new. `fonte` names the
/// file, and `today` is the day whose differences are reported.
pub fn bundle(mut lines: TableLines, rules: Vec<InstalledRule>, fonte: &str, today: Date) -> (Option<String>, Report) {
    let mut installed = by_municipio(rules);
    let mut report = Report { linhas: lines.read, falhas: lines.faults, ..Report::default() };
    lines.lines.sort_unstable_by_key(|line| (line.ibge_code, line.service, line.complemento, line.vigencia.de));
    let mut regras = Vec::new();
    for of_municipio in lines.lines.chunk_by(|a, b| a.ibge_code == b.ibge_code) {
        let Some(municipio) = of_municipio.first().and_then(|line| Municipio::of_ibge_code(line.ibge_code)) else {
            continue;
        };
        report.municipios += 1;
        let mut there = installed.remove(&municipio.ibge_code()).unwrap_or_default();
        report.compare(municipio, of_municipio, &there, today);
        for NewVersion { period, withdrawn } in Periods::of(there.own).versions_to(&wanted(of_municipio, &there.others))
        {
            there.major += 1;
            regras.push(rule(municipio, &period, there.major, withdrawn, fonte));
        }
    }
    report.versoes = regras.len();
    let descricao = "ISS: alíquotas que os municípios declararam ao Sistema Nacional NFS-e";
    (bundle_of("iss-nacional", today, descricao, &regras), report)
}

fn by_municipio(rules: Vec<InstalledRule>) -> BTreeMap<u32, Installed> {
    let mut installed: BTreeMap<u32, Installed> = BTreeMap::new();
    for rule in rules {
        let vigencia = Vigencia { de: rule.vigente_de, ate: rule.vigente_ate };
        let uf = rule.uf_origem.as_deref().and_then(Uf::from_abbreviation);
        let place = uf.zip(rule.municipio.as_deref()).map(|(uf, name)| Municipio::find(uf, name));
        let (Some(Ok(municipio)), None) = (place, &rule.regime) else { continue };
        let there = installed.entry(municipio.ibge_code()).or_default();
        if rule.rule_code.starts_with(CODE) {
            let major = rule.versao.split('.').next().and_then(|major| major.parse().ok());
            there.major = there.major.max(major.unwrap_or_default());
        }
        if !rule.rule_code.starts_with(CODE) || !rule.fonte.starts_with(FONTE) {
            let (items, aliquota) = (rule.item_lista_servico.parsed(), rate(rule.conteudo.aliquota));
            there.others.push(OtherRule { rule_id: rule.rule_id, vigencia, items, aliquota });
            continue;
        }
        // Without services the version only withdraws what an earlier one had.
        if let Some(groups) = rule.conteudo.aliquotas.filter(|_| !vigencia.is_empty()) {
            let services = groups.into_iter().map(|group| (rate(group.aliquota), group.itens.parsed()));
            there.own.push(Period { vigencia, value: services.collect() });
        }
    }
    installed
}

/// The services of a municipality by period, but for the days on which another rule is the general one.
fn wanted(lines: &[Line], others: &[OtherRule]) -> Periods<Services> {
    let generals = || others.iter().filter(|rule| rule.items.is_empty());
    let vigencias = lines.iter().map(|line| line.vigencia).chain(generals().map(|rule| rule.vigencia));
    let turns: BTreeSet<Date> = vigencias.flat_map(|vigencia| [Some(vigencia.de), vigencia.ate]).flatten().collect();
    let mut wanted = Periods::default();
    let mut turns = turns.into_iter().peekable();
    while let Some(de) = turns.next() {
        let services = services_on(lines, de);
        if !services.is_empty() && !generals().any(|rule| rule.vigencia.covers(de)) {
            wanted.push(Vigencia { de, ate: turns.peek().copied() }, services);
        }
    }
    wanted
}

/// The services on a day: each subitem whose subdivisions have one rate, or else its subdivisions and, without a rate,
/// itself.
fn services_on(lines: &[Line], day: Date) -> Services {
    let mut services = Services::new();
    for of_subitem in rates_on(lines, day).chunk_by(|(a, _), (b, _)| a.subitem() == b.subitem()) {
        let Some((first, rate)) = of_subitem.first().copied() else { continue };
        if of_subitem.iter().all(|(_, other)| *other == rate) {
            services.entry(rate).or_default().push(first.subitem());
            continue;
        }
        services.entry(None).or_default().push(first.subitem());
        for (desdobro, rate) in of_subitem {
            services.entry(*rate).or_default().push(*desdobro);
        }
    }
    services
}

/// The rate of each subdivision on a day, in their order; `None` if it is not established.
fn rates_on(lines: &[Line], day: Date) -> Vec<(ItemServico, Option<Decimal>)> {
    let mut rates = Vec::new();
    for of_service in lines.chunk_by(|a, b| a.service == b.service) {
        let own = of_service.chunk_by(|a, b| a.complemento == b.complemento);
        let mut found = own.flat_map(|own| {
            // Of the lines of one number in force, those that began last.
            let in_force = || own.iter().filter(|line| line.vigencia.covers(day));
            let begun = in_force().map(|line| line.vigencia.de).max();
            in_force().filter(move |line| Some(line.vigencia.de) == begun).map(|l| allowed(l.aliquota, l.service))
        });
        if let (Some(rate), Some(line)) = (found.next(), of_service.first()) {
            rates.push((line.service, rate.filter(|rate| found.all(|other| other == Some(*rate)))));
        }
    }
    rates
}

impl Report {
    /// Compares the table with the rules of other sources that answer today.
    fn compare(&mut self, municipio: Municipio, lines: &[Line], there: &Installed, today: Date) {
        for (rate, items) in services_on(lines, today) {
            for item in items {
                if let Some(rule) = there.other(item.subitem(), today) {
                    self.compare_one(municipio, item, rate, rule);
                }
            }
        }
    }

    fn compare_one(&mut self, municipio: Municipio, item: ItemServico, rate: Option<Decimal>, rule: &OtherRule) {
        match (rate, rule.aliquota) {
            (Some(table), Some(own)) if table == own => self.conferem += 1,
            (Some(table), Some(own)) => {
                self.divergem += 1;
                if self.divergencias.len() < MAX_LISTED {
                    self.divergencias.push(Difference {
                        uf: municipio.uf(),
                        municipio,
                        item_lista_servico: item.to_string(),
                        aliquota_da_tabela: format_decimal(table),
                        aliquota_instalada: format_decimal(own),
                        rule_id: rule.rule_id.clone(),
                    });
                }
            }
            _ => self.sem_figura += 1,
        }
    }
}

/// A rule version as a line of a bundle.
fn rule(municipio: Municipio, period: &Period<Services>, major: u32, withdrawn: bool, fonte: &str) -> String {
    let Period { vigencia, value: services } = period;
    let group = |(rate, items): (&Option<Decimal>, &Vec<ItemServico>)| json!({"aliquota": rate.map(format_decimal), "itens": items});
    let conteudo = if withdrawn {
        json!({"aliquota": null})
    } else {
        json!({"aliquotas": services.iter().map(group).collect::<Vec<_>>()})
    };
    let motivo = match (withdrawn, services.contains_key(&None)) {
        (true, _) => Some(WITHDRAWN),
        (false, true) => Some(SEM_ALIQUOTA),
        (false, false) => None,
    };
    let mut rule = json!({
        "rule_code": format!("{CODE}{}", municipio.ibge_code()),
        "versao": format!("{major}.0"),
        "tributo": "iss",
        "escopo": {"uf": municipio.uf(), "municipio": municipio},
        "vigente_de": vigencia.de,
        "vigente_ate": vigencia.ate,
        "citacao_legal": format!(
            "Alíquotas do ISSQN de {} ({}) no Sistema Nacional NFS-e (LC nº 116/2003, arts. 8º e 8º-A; lei municipal não lida)",
            municipio.name(),
            municipio.uf(),
        ),
        "fonte": format!("{FONTE}{fonte}"),
        "conferencia": "fonte_unica",
        "avisos": [{"condicao": "conferencia", "texto": AVISO}],
        "motivo": motivo,
        "conteudo": conteudo,
    });
    if let (None, Some(members)) = (motivo, rule.as_object_mut()) {
        members.shift_remove("motivo");
    }
    rule.to_string()
}
