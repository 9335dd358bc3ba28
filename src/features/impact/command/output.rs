//! The report of an impact, as text and as CSV. Its words are Portuguese, as those of every report for an accountant.

use std::process::ExitCode;

use rust_decimal::Decimal;

use crate::base::value::{Timestamp, parse_decimal};
use crate::cli::CommandResult;
use crate::cli::output;
use crate::cli::table_output::{self, head, print_csv};
use crate::features::impact::{ImpactCalls, ImpactLine, ImpactReport, ImpactTotal};
use crate::sheet::{Cell, ColumnKind};

/// Rows of each table of the text; the CSV has all.
const MAX_ROWS: usize = 40;

const HEADINGS: [&str; 6] = ["CHAMADAS", "ANTES", "DEPOIS", "DIFERENÇA", "RESPONDEM", "RECUSAM"];

const COLUMNS: [(&str, ColumnKind); 13] = [
    ("conta", ColumnKind::Text),
    ("nome", ColumnKind::Text),
    ("tributo", ColumnKind::Text),
    ("mes", ColumnKind::Text),
    ("situacao", ColumnKind::Text),
    ("regra_antes", ColumnKind::Text),
    ("regra_depois", ColumnKind::Text),
    ("codigo_antes", ColumnKind::Text),
    ("codigo_depois", ColumnKind::Text),
    ("chamadas", ColumnKind::Integer),
    ("valor_antes", ColumnKind::Decimal),
    ("valor_depois", ColumnKind::Decimal),
    ("diferenca", ColumnKind::Decimal),
];

fn amount(text: Option<&String>) -> Option<Decimal> {
    parse_decimal(text?).ok()
}

fn brl(decimal: &str) -> String {
    decimal.replace('.', ",")
}

/// A day and a time for people, in UTC.
fn day_and_time(instant: Timestamp) -> String {
    let text = instant.to_string();
    let time = text.split_once('T').map_or("", |(_, time)| time).get(..8).unwrap_or_default();
    format!("{} {time}", instant.day().dmy())
}

/// A table of sums.
fn table(heading: &str, totals: &[ImpactTotal], name: impl Fn(&str) -> String) -> String {
    let row = |total: &ImpactTotal| {
        vec![
            name(&total.nome),
            total.chamadas.to_string(),
            brl(&total.valor_antes),
            brl(&total.valor_depois),
            brl(&total.diferenca),
            total.passam_a_responder.to_string(),
            total.passam_a_recusar.to_string(),
        ]
    };
    let headings: Vec<&str> = std::iter::once(heading).chain(HEADINGS).collect();
    let table = output::table(&headings, totals.iter().take(MAX_ROWS).map(row));
    match totals.len().saturating_sub(MAX_ROWS) {
        0 => table,
        more => format!("{table}\n... e mais {more}; --json traz todas"),
    }
}

/// `2026-04` as `04/2026`; a year alone as it is.
fn month(mes: &str) -> String {
    mes.split_once('-').map_or_else(|| mes.to_owned(), |(year, month)| format!("{month}/{year}"))
}

/// The report for people.
pub(super) fn text(report: &ImpactReport) -> String {
    let ImpactReport { desde, publicadas, substituidas, chamadas, totais, linhas } = report;
    let what = match desde {
        Some(desde) => format!("O que foi publicado depois de {} (UTC)", day_and_time(*desde)),
        None => "O que os pacotes publicariam (nada foi publicado)".to_owned(),
    };
    let mut parts = vec![
        format!("{what}: versões que entram: {publicadas}; versões cujo fim muda: {substituidas}."),
        calls(chamadas),
    ];
    if !linhas.is_empty() {
        let as_it_is = str::to_owned;
        parts.push(table("MUDANÇA", &totais.situacao, as_it_is));
        parts.push(table("CONTA", &totais.conta, as_it_is));
        parts.push(table("TRIBUTO", &totais.tributo, as_it_is));
        parts.push(table("MÊS DA OPERAÇÃO", &totais.mes, month));
        parts.push(table("REGRA", &totais.regra, as_it_is));
        parts.push(
            "ANTES, DEPOIS e DIFERENÇA somam as chamadas respondidas dos dois lados; RESPONDEM e RECUSAM contam as que passam a isso."
                .to_owned(),
        );
    }
    parts.join("\n\n")
}

fn calls(chamadas: &ImpactCalls) -> String {
    let ImpactCalls {
        registradas,
        de_teste,
        alcancadas,
        alteradas,
        ja_respondidas,
        de_outro_instante,
        sem_comparacao,
        primeira,
        ultima,
    } = chamadas;
    let between = match (primeira, ultima) {
        (Some(first), Some(last)) => format!(", de {} a {} (UTC)", day_and_time(*first), day_and_time(*last)),
        _ => String::new(),
    };
    let mut sentences = vec![
        format!("Cálculos no registro das chamadas: {registradas}{between}."),
        format!("No escopo do que muda: {alcancadas}; com outro resultado: {alteradas}."),
    ];
    if *ja_respondidas > 0 {
        sentences.push(format!("Já respondidos pelas regras de agora: {ja_respondidas}."));
    }
    if *de_outro_instante > 0 {
        sentences.push(format!(
            "Respondidos por regras de outro instante, fora da comparação: {de_outro_instante} (pediram com `conhecido_em`, ou outra publicação os mudou antes)."
        ));
    }
    if *de_teste > 0 {
        sentences.push(format!("De chaves de teste, fora da comparação: {de_teste}."));
    }
    if *sem_comparacao > 0 {
        sentences.push(format!(
            "Sem comparação: {sem_comparacao}, porque o registro não guarda o que fez a recusa, ou o cálculo falhou."
        ));
    }
    sentences.join(" ")
}

/// Prints the lines as CSV.
pub(super) fn csv(report: &ImpactReport) -> CommandResult {
    let rows = report.linhas.iter().map(|line| cells(line).to_vec());
    print_csv(&head("taxd impact", &COLUMNS), rows).map(|()| ExitCode::SUCCESS)
}

fn cells(line: &ImpactLine) -> [Cell; 13] {
    let text = |text: &str| table_output::text(text);
    let maybe = |value: &Option<String>| text(value.as_deref().unwrap_or_default());
    let number = |value: &Option<String>| amount(value.as_ref()).map_or(Cell::Empty, Cell::Number);
    [
        text(&line.conta),
        text(&line.nome),
        text(&line.tributo),
        text(&line.mes),
        text(line.situacao.as_str()),
        maybe(&line.regra_antes),
        maybe(&line.regra_depois),
        maybe(&line.codigo_antes),
        maybe(&line.codigo_depois),
        Cell::Number(line.chamadas.into()),
        number(&line.valor_antes),
        number(&line.valor_depois),
        number(&line.diferenca),
    ]
}
