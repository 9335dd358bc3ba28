//! The coverage as tables for people, in Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::base::value::Uf;
use crate::core::engine::coverage::{
    BY_CLASS, BY_ITEM, BY_PRODUCT, Coverage, CoverageRow, GENERAL, GradeCounts, INTERSTATE, StateCounts,
};
use crate::law::codes::{SEGMENTOS, segmento};
use crate::law::tax::{self, Entry};

const LEGEND: &str = "Regras vigentes no dia: **sim**, responde; **em parte**, há figura nula para alguma hipótese; \
    **nulo**, recusa com `regra_sem_conteudo` e o motivo; **recusa**, recusa pelo nome do regime, ou porque o tributo \
    está extinto; **-**, sem regra (404); **(nacional)**, sem regra da UF: responde a regra nacional, que vale em todas. \
    Um subitem ou produto sem regra própria segue a regra geral, se houver; senão, 404.";

const GRADES: &str = "As mesmas regras, pelo grau em que as figuras de cada uma estão estabelecidas (`conferencia`).";

/// One table for each tax that has rules, between a summary and the citations without an article.
pub fn to_markdown(coverage: &Coverage) -> String {
    let mut text = format!(
        "# Cobertura em {}\n\nFeita por `taxd rules coverage --vigente-em {0}{}`. {LEGEND}\n\n## Resumo\n\n",
        coverage.vigente_em,
        options(coverage)
    );
    let header = ["tributo", "sim", "em parte", "nulo", "recusa"].map(str::to_owned);
    let states = coverage.totais.iter().map(|total| {
        let StateCounts { sim, em_parte, nulo, recusa, extinto } = total.regras;
        counts(&total.tributo, &[sim, em_parte, nulo, recusa + extinto])
    });
    table(&mut text, &header, states);
    let _ = write!(text, "\n## Conferência\n\n{GRADES}\n\n");
    let mut header = vec!["tributo", "texto ou tabela oficial lida", "fontes concordes", "fonte única", "sem grau"];
    // Only where the office has rules of its own.
    let with_office = coverage.totais.iter().any(|total| total.conferencia.do_escritorio > 0);
    header.extend(with_office.then_some("do escritório"));
    let header: Vec<String> = header.into_iter().map(str::to_owned).collect();
    let grades = coverage.totais.iter().map(|total| {
        let GradeCounts { texto_legal, fontes_concordes, fonte_unica, sem_grau, do_escritorio } = total.conferencia;
        let mut grades = vec![texto_legal, fontes_concordes, fonte_unica, sem_grau];
        grades.extend(with_office.then_some(do_escritorio));
        counts(&total.tributo, &grades)
    });
    table(&mut text, &header, grades);
    for entry in tax::REGISTRY {
        let rows: Vec<&CoverageRow> =
            coverage.linhas.iter().filter(|row| row.tributo == entry.tributo.as_str()).collect();
        if !rows.is_empty() {
            let _ = write!(text, "\n## {}\n\n", entry.sigla);
            by_place(&mut text, entry, &rows, coverage.uf.as_deref());
            if rows.iter().any(|row| row.segmento.is_some()) {
                by_segment(&mut text, &rows);
            }
        }
    }
    if !coverage.sem_artigo.is_empty() {
        let count: u64 = coverage.sem_artigo.iter().map(|one| one.regras).sum();
        let _ = write!(
            text,
            "\n## Citações sem artigo\n\n{count} regras citam só o ato: a `fonte` de cada uma diz que o artigo não foi \
             localizado.\n\n"
        );
        let rows = coverage.sem_artigo.iter().map(|one| {
            let local = one.local.clone().unwrap_or_else(|| NATIONAL.to_owned());
            vec![sigla(&one.tributo).to_owned(), local, one.citacao_legal.clone(), one.regras.to_string()]
        });
        table(&mut text, &["tributo", "onde", "citação", "regras"].map(str::to_owned), rows);
    }
    text
}

/// The options of the command that chose the tax and the UF.
fn options(coverage: &Coverage) -> String {
    let option = |name: &str, value: &Option<String>| value.as_ref().map(|value| format!(" --{name} {value}"));
    [option("tributo", &coverage.tributo), option("uf", &coverage.uf)].into_iter().flatten().collect()
}

/// A row of the summary: a tax, and how many of its rules.
fn counts(tributo: &str, counts: &[u64]) -> Vec<String> {
    std::iter::once(sigla(tributo).to_owned()).chain(counts.iter().map(u64::to_string)).collect()
}

const NATIONAL: &str = "nacional";

fn sigla(tributo: &str) -> &str {
    tax::find(tributo).map_or(tributo, |entry| entry.sigla)
}

/// The rules of one tax: a row for each place, every UF among them if the tax has rules of a UF; a column for each kind.
fn by_place(text: &mut String, entry: &Entry, rows: &[&CoverageRow], only: Option<&str>) {
    let words = entry.escopo.discriminador.iter().flat_map(|own| own.palavras.iter());
    let kinds: Vec<&str> = [GENERAL, INTERSTATE, BY_PRODUCT, BY_ITEM, BY_CLASS]
        .iter()
        .chain(words)
        .copied()
        .filter(|kind| rows.iter().any(|row| row.tipo == *kind))
        .collect();
    let mut places: BTreeSet<(Option<&str>, Option<&str>)> =
        rows.iter().map(|row| (row.uf.as_deref(), row.municipio.as_deref())).collect();
    if places.iter().any(|(uf, municipio)| uf.is_some() && municipio.is_none()) {
        let ufs = Uf::WORDS.iter().filter(|uf| only.is_none_or(|only| only == **uf));
        places.extend(ufs.map(|uf| (Some(*uf), None)));
    }
    let header: Vec<String> = ["onde"].iter().chain(&kinds).map(|kind| (*kind).to_owned()).collect();
    let lines = places.into_iter().map(|(uf, municipio)| {
        let place = match (uf, municipio) {
            (Some(uf), Some(municipio)) => format!("{uf} {municipio}"),
            (Some(uf), None) => uf.to_owned(),
            _ => NATIONAL.to_owned(),
        };
        let of = |kind: &&str| {
            let here = |row: &&&CoverageRow| {
                row.tipo == **kind && row.uf.as_deref() == uf && row.municipio.as_deref() == municipio
            };
            let national = |row: &&&CoverageRow| municipio.is_none() && row.tipo == **kind && row.applies_in_every_uf();
            match (sum(rows.iter().filter(here)), sum(rows.iter().filter(national))) {
                (Some(own), _) => cell(&own, kind),
                (None, Some(national)) => format!("{} (nacional)", cell(&national, kind)),
                (None, None) => "-".to_owned(),
            }
        };
        std::iter::once(place).chain(kinds.iter().map(of)).collect()
    });
    table(text, &header, lines);
}

/// The counts of these rows; `None` if there is no row.
fn sum<'r>(rows: impl Iterator<Item = &'r &'r CoverageRow>) -> Option<StateCounts> {
    rows.fold(None, |sum: Option<StateCounts>, row| Some(sum.unwrap_or_default().plus(&row.regras)))
}

/// The rules with a CEST, by segment: a row for each UF that has rules of it.
fn by_segment(text: &mut String, rows: &[&CoverageRow]) {
    let _ = write!(
        text,
        "\nPor segmento do Convênio ICMS nº 142/2018 ({} segmentos), pelos dois primeiros dígitos do CEST:\n\n",
        SEGMENTOS.len()
    );
    let places: BTreeSet<Option<&str>> = rows.iter().map(|row| row.uf.as_deref()).collect();
    let lines = places.into_iter().map(|uf| {
        let here: Vec<&CoverageRow> = rows.iter().copied().filter(|row| row.uf.as_deref() == uf).collect();
        vec![uf.unwrap_or(NATIONAL).to_owned(), segments(&here)]
    });
    table(text, &["onde", "segmentos"].map(str::to_owned), lines);
}

/// What rules by product of no segment are called.
pub(super) const WITHOUT_CEST: &str = "sem CEST";

/// The rules of one place by segment, in words: "Autopeças: 131 sim; outros 24 segmentos: sem regra".
pub fn segments(rows: &[&CoverageRow]) -> String {
    let mut by_segment: BTreeMap<Option<&str>, StateCounts> = BTreeMap::new();
    for row in rows {
        let counts = by_segment.entry(row.segmento.as_deref()).or_default();
        *counts = counts.plus(&row.regras);
    }
    let known = by_segment.keys().flatten().filter(|number| segmento(number).is_some()).count();
    let without_cest = by_segment.remove(&None);
    let named = by_segment.iter().filter_map(|(number, counts)| {
        let number = (*number)?;
        Some(format!("{}: {}", segmento(number).unwrap_or(number), cell(counts, BY_PRODUCT)))
    });
    let mut parts: Vec<String> = named.collect();
    parts.extend(without_cest.map(|counts| format!("{WITHOUT_CEST}: {}", cell(&counts, BY_PRODUCT))));
    match SEGMENTOS.len() - known {
        0 => {}
        1 => parts.push("outro segmento: sem regra".to_owned()),
        others => parts.push(format!("outros {others} segmentos: sem regra")),
    }
    parts.join("; ")
}

/// "81 sim, 3 nulos"; the state alone for a kind of which there is one rule.
fn cell(counts: &StateCounts, kind: &str) -> String {
    let StateCounts { sim, em_parte, nulo, recusa, extinto } = *counts;
    let states = [
        (sim, "sim", "sim"),
        (em_parte, "em parte", "em parte"),
        (nulo, "nulo", "nulos"),
        (recusa, "recusa", "recusas"),
        (extinto, "extinto", "extintos"),
    ];
    let several = states.iter().map(|(count, ..)| count).sum::<u64>() > 1;
    let counted = several || [BY_PRODUCT, BY_ITEM, BY_CLASS, INTERSTATE].contains(&kind);
    let shown = states.iter().filter(|(count, ..)| *count > 0).map(|(count, one, many)| match (counted, count) {
        (false, _) => (*one).to_owned(),
        (true, 1) => format!("1 {one}"),
        (true, _) => format!("{count} {many}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn table(text: &mut String, header: &[String], rows: impl Iterator<Item = Vec<String>>) {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | ").replace('\n', " "));
    text.push_str(&line(header));
    text.push_str(&line(&vec!["---".to_owned(); header.len()]));
    rows.for_each(|row| text.push_str(&line(&row)));
}
