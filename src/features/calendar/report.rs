//! What lies ahead, in groups for people and as rows of a table. All texts are Portuguese, because accountants read them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use crate::base::value::{Date, RuleId, Uf, sha256_hex, text_table};
use crate::core::engine::upcoming::{Evento, Figuras, Sucessao, Upcoming, UpcomingRule};
use crate::law::codes::Prazo;
use crate::law::rule::Local;

/// Versions of a group that are named.
const NAMED: usize = 20;

/// Versions of one tax and place to which the same happens on the same day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UpcomingGroup {
    /// Names the group in a request for its rules.
    pub id: String,
    pub data: Date,
    pub evento: Evento,
    /// What answers after an end.
    pub sucessao: Option<Sucessao>,
    /// Whether the figures are established from that day on.
    pub figuras: Option<Figuras>,
    /// What happens, in words.
    pub que: String,
    /// Rules of the test year.
    #[serde(skip)]
    pub ano_teste: bool,
    pub tributo: String,
    pub local: String,
    /// The UFs of the place; none if it is the country.
    pub ufs: Vec<Uf>,
    /// The municipality, if the place is one.
    pub municipio: Option<&'static str>,
    pub regras: usize,
    /// The first of them.
    #[serde(skip)]
    pub nomes: Vec<RuleId>,
    /// The citation of the first of them, or that of the extinction.
    pub citacao_legal: String,
    /// Since when the tax is extinct, and what took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extincao: Option<String>,
}

/// The groups, by day, those of an extinct tax first, then the ends without a successor. A version that begins when the one before it ends is in
/// the group of that end.
pub fn groups(upcoming: &Upcoming) -> Vec<UpcomingGroup> {
    let mut groups: BTreeMap<_, UpcomingGroup> = BTreeMap::new();
    for regra in news(upcoming) {
        let key = (
            regra.data,
            regra.extincao.is_none(),
            std::cmp::Reverse(regra.sucessao),
            std::cmp::Reverse(regra.figuras),
            regra.ano_teste,
            regra.tributo.clone(),
            regra.local.clone(),
        );
        let group = groups.entry(key).or_insert_with(|| UpcomingGroup::of(regra));
        group.regras += 1;
        if group.nomes.len() < NAMED {
            group.nomes.push(regra.rule_id.clone());
        }
    }
    groups.into_values().collect()
}

pub fn rules_of<'u>(upcoming: &'u Upcoming, group: &UpcomingGroup) -> impl Iterator<Item = &'u Arc<UpcomingRule>> {
    news(upcoming).filter(|regra| {
        (regra.data, regra.evento, regra.sucessao, regra.figuras, regra.ano_teste)
            == (group.data, group.evento, group.sucessao, group.figuras, group.ano_teste)
            && regra.tributo == group.tributo
            && regra.local == group.local
    })
}

/// What is in a group: each end, and each begin of a version that does not follow one of the ends.
fn news(upcoming: &Upcoming) -> impl Iterator<Item = &Arc<UpcomingRule>> {
    let succeeds = |regra: &&Arc<UpcomingRule>| regra.sucessao != Some(Sucessao::RegraGeral);
    let successors: BTreeSet<String> = upcoming
        .regras
        .iter()
        .filter(succeeds)
        .filter_map(|regra| Some(regra.sucessora.as_ref()?.to_string()))
        .collect();
    upcoming
        .regras
        .iter()
        .filter(move |regra| regra.evento == Evento::Termina || !successors.contains(&regra.rule_id.to_string()))
}

/// The report: a table of the groups, and what else there is to know.
pub fn to_text(upcoming: &Upcoming) -> String {
    let mut lines = vec![format!("De {} a {}", upcoming.desde.dmy(), upcoming.ate.dmy()), String::new()];
    let groups = groups(upcoming);
    if groups.is_empty() {
        lines.push("Nenhuma regra começa ou termina nestes dias.".to_owned());
    } else {
        let rows = groups.iter().map(UpcomingGroup::row).collect::<Vec<_>>();
        lines.extend(text_table(&["DATA", "O QUÊ", "TRIBUTO", "LOCAL", "REGRAS", "PRIMEIRA"], &rows));
        lines.push(String::new());
        lines.push(
            "DATA é o primeiro dia em que a regra que começa responde, ou a que termina já não responde.".to_owned(),
        );
    }
    if groups.iter().any(|group| matches!(group.figuras, Some(Figuras::EmParte | Figuras::Nulas))) {
        lines.push("Sem figura: desse dia em diante o pedido é recusado, com o motivo; sem alguma figura: só o que depende dela.".to_owned());
    }
    if !upcoming.prazos.is_empty() {
        lines.extend(["", "Prazos (são deveres, não regras; não entram nas contagens):"].map(str::to_owned));
        let row =
            |prazo: &Prazo| [prazo.data.dmy(), prazo.titulo.clone(), prazo.quem.clone(), prazo.citacao_legal.clone()];
        let rows = upcoming.prazos.iter().map(row).collect::<Vec<_>>();
        lines.extend(text_table(&["DATA", "PRAZO", "QUEM", "CITAÇÃO"], &rows));
    }
    let r = upcoming.resumo;
    lines.push(String::new());
    lines.push(format!(
        "Começam: {}. Terminam: {} (com nova versão: {}; de volta à regra geral: {}; por extinção do tributo: {}; respondem, e a regra seguinte recusa: {}; sem sucessora: {}).",
        r.comecam, r.terminam, r.fins.nova_versao, r.fins.regra_geral, r.fins.extintas, r.fins.sem_figura, r.fins.sem_sucessora
    ));
    let extinctions: BTreeSet<&str> = groups.iter().filter_map(|group| group.extincao.as_deref()).collect();
    lines.extend(extinctions.into_iter().map(str::to_owned));
    let orphans = upcoming.regras.iter().filter(|regra| regra.sucessao == Some(Sucessao::SemSucessora));
    for regra in orphans.clone().take(NAMED) {
        lines.push(format!(
            "Sem sucessora desde {}: {} ({}); {}",
            regra.data.dmy(),
            regra.rule_id,
            regra.sem_sucessora_em.as_deref().unwrap_or(&regra.escopo),
            regra.citacao_legal
        ));
    }
    if let Some(more) = orphans.count().checked_sub(NAMED).filter(|more| *more > 0) {
        lines.push(format!("e mais {more} sem sucessora: veja --csv."));
    }
    for regra in &upcoming.ano_teste {
        let until = regra.vigente_ate.map_or("sem fim".to_owned(), Date::until);
        lines.push(format!("Ano de teste: {}, {until}; {}", regra.rule_id, regra.citacao_legal));
    }
    lines.extend(without_figure(upcoming));
    lines.join("\n")
}

/// The sentences on the rules that refuse on the first day for want of a figure.
fn without_figure(upcoming: &Upcoming) -> Vec<String> {
    let mut lines = Vec::new();
    if !upcoming.figuras_nulas.is_empty() {
        let of_tax = upcoming.figuras_nulas.iter().map(|total| match total.regras.em_parte {
            0 => format!("{} {}", total.tributo, total.regras.nulo),
            partly => format!("{} {} (e {partly} em parte)", total.tributo, total.regras.nulo),
        });
        let by_tax = of_tax.collect::<Vec<_>>().join(", ");
        lines.push(format!("Em vigor em {} sem figura: {by_tax}; veja `taxd rules coverage`.", upcoming.desde.dmy()));
    }
    for lapse in upcoming.sem_figura_desde.iter().take(NAMED) {
        lines.push(format!(
            "Sem figura desde {}, e até a véspera com ela: {} {}; a primeira é {}, depois de {}.",
            lapse.desde.dmy(),
            lapse.tributo,
            lapse.regras,
            lapse.primeira,
            lapse.ultima_citacao
        ));
    }
    lines
}

impl UpcomingGroup {
    fn of(regra: &UpcomingRule) -> UpcomingGroup {
        let mut group = UpcomingGroup {
            id: String::new(),
            data: regra.data,
            evento: regra.evento,
            sucessao: regra.sucessao,
            figuras: regra.figuras,
            que: what(regra),
            ano_teste: regra.ano_teste,
            tributo: regra.tributo.clone(),
            local: regra.local.clone(),
            ufs: regra.lugar.map(|lugar| lugar.ufs().collect()).unwrap_or_default(),
            municipio: regra.lugar.and_then(Local::municipio),
            regras: 0,
            nomes: Vec::new(),
            citacao_legal: regra.extincao.as_ref().map_or(&regra.citacao_legal, |end| &end.citacao_legal).clone(),
            extincao: regra.extincao.as_ref().map(|end| end.motivo.clone()),
        };
        group.digest().get(..16).unwrap_or_default().clone_into(&mut group.id);
        group
    }

    /// Of what distinguishes the group for a reader: it stays the same while rules enter and leave the group.
    pub(super) fn digest(&self) -> String {
        sha256_hex(format!("{}\n{}\n{}\n{}", self.data, self.que, self.tributo, self.local).as_bytes())
    }

    fn row(&self) -> [String; 6] {
        let first = self.nomes.first().map(ToString::to_string).unwrap_or_default();
        [self.data.dmy(), self.que.clone(), self.tributo.clone(), self.local.clone(), self.regras.to_string(), first]
    }
}

/// What happens, in words.
fn what(regra: &UpcomingRule) -> String {
    // The test year is that of the version that begins or ends, not of what answers then.
    let test = if regra.ano_teste { " (ano de teste)" } else { "" };
    let mut what = match (regra.evento, regra.sucessao) {
        (Evento::Termina, Some(Sucessao::Extinta)) => return format!("termina{test}: tributo extinto"),
        (Evento::Termina, Some(Sucessao::SemFigura)) if regra.figuras == Some(Figuras::Recusa) => {
            return format!("termina{test}: a regra seguinte recusa pelo nome");
        }
        (Evento::Termina, Some(Sucessao::SemFigura)) => {
            return format!("termina{test}: a regra seguinte não tem figura");
        }
        (Evento::Comeca, _) => format!("começa{test}"),
        (Evento::Termina, Some(Sucessao::NovaVersao)) => format!("termina{test}: nova versão"),
        (Evento::Termina, Some(Sucessao::RegraGeral)) => format!("termina{test}: volta à regra geral"),
        (Evento::Termina, _) => format!("termina{test} sem sucessora"),
    };
    what.push_str(match regra.figuras {
        Some(Figuras::EmParte) => ", sem alguma figura",
        Some(Figuras::Nulas) => ", sem figura",
        Some(Figuras::Recusa) => ", que recusa pelo nome",
        Some(Figuras::Extinto) => ", tributo extinto",
        Some(Figuras::Estabelecidas) | None => "",
    });
    what
}
