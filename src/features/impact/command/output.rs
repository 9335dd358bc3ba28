//! The report of an impact, as text and as CSV. Its words are Portuguese, as those of every report for an accountant.

use std::process::ExitCode;

use crate::base::value::Timestamp;
use crate::cli::table_output::print_csv;
use crate::cli::{CommandResult, output};
use crate::features::impact::{ImpactCalls, ImpactLine, ImpactReport, ImpactTotal};
use crate::law::tax::{Money, Suposicao};
use crate::sheet::ColumnKind::{Decimal, Integer, Text};
use crate::sheet::{Cell, Column};

/// Rows of each table of the text; the CSV has all.
const MAX_ROWS: usize = 40;

/// The columns of a line, and of what is supposed: the last one is left out if nothing is.
fn columns<'l>() -> [Column<(&'l ImpactLine, &'l str)>; 14] {
    [
        Column::new("conta", "", Text, |(line, _)| Cell::of(&*line.conta)),
        Column::new("nome", "", Text, |(line, _)| Cell::of(&*line.nome)),
        Column::new("tributo", "", Text, |(line, _)| Cell::of(&line.mudanca.tributo)),
        Column::new("mes", "", Text, |(line, _)| Cell::of(&line.mudanca.mes)),
        Column::new("situacao", "", Text, |(line, _)| Cell::of(&line.mudanca.situacao)),
        Column::new("regra_antes", "", Text, |(line, _)| line.mudanca.regra_antes.as_ref().map(Cell::of).into()),
        Column::new("regra_depois", "", Text, |(line, _)| line.mudanca.regra_depois.as_ref().map(Cell::of).into()),
        Column::new("codigo_antes", "", Text, |(line, _)| line.mudanca.codigo_antes.as_ref().map(Cell::of).into()),
        Column::new("codigo_depois", "", Text, |(line, _)| line.mudanca.codigo_depois.as_ref().map(Cell::of).into()),
        Column::new("chamadas", "", Integer, |(line, _)| Cell::whole(line.chamadas)),
        Column::new("valor_antes", "", Decimal, |(line, _)| line.valor_antes.map(Money::decimal).into()),
        Column::new("valor_depois", "", Decimal, |(line, _)| line.valor_depois.map(Money::decimal).into()),
        Column::new("diferenca", "", Decimal, |(line, _)| line.diferenca.map(Money::decimal).into()),
        Column::new("suposicao", "", Text, |(_, supposed)| Cell::of(*supposed)),
    ]
}

/// The columns of a table of sums by what `heading` names.
fn columns_of_sums<'t>(
    heading: &'static str,
    name: for<'r> fn(&'r &'t ImpactTotal) -> Cell<'r>,
) -> [Column<&'t ImpactTotal>; 7] {
    [
        Column::new("", heading, Text, name),
        Column::new("", "CHAMADAS", Text, |total| Cell::of(total.somas.chamadas.to_string())),
        Column::new("", "ANTES", Decimal, |total| Cell::Number(total.somas.valor_antes.decimal())),
        Column::new("", "DEPOIS", Decimal, |total| Cell::Number(total.somas.valor_depois.decimal())),
        Column::new("", "DIFERENÇA", Decimal, |total| Cell::Number(total.somas.diferenca.decimal())),
        Column::new("", "RESPONDEM", Text, |total| Cell::of(total.somas.passam_a_responder.to_string())),
        Column::new("", "RECUSAM", Text, |total| Cell::of(total.somas.passam_a_recusar.to_string())),
    ]
}

/// A day and a time for people, in UTC.
fn day_and_time(instant: Timestamp) -> String {
    let text = instant.to_string();
    let time = text.split_once('T').map_or("", |(_, time)| time).get(..8).unwrap_or_default();
    format!("{} {time}", instant.day().dmy())
}

fn table<'t>(
    heading: &'static str,
    totals: &'t [ImpactTotal],
    name: for<'r> fn(&'r &'t ImpactTotal) -> Cell<'r>,
) -> String {
    let table = output::declared_table(&columns_of_sums(heading, name), totals.iter().take(MAX_ROWS));
    match totals.len().saturating_sub(MAX_ROWS) {
        0 => table,
        more => format!("{table}\n... e mais {more}; --json traz todas"),
    }
}

/// `2026-04` as `04/2026`; a year alone as it is.
fn month(mes: &str) -> String {
    mes.split_once('-').map_or_else(|| mes.to_owned(), |(year, month)| format!("{month}/{year}"))
}

pub(super) fn text(report: &ImpactReport) -> String {
    let ImpactReport { desde, suposicoes, publicadas, substituidas, chamadas, totais, linhas } = report;
    let what = match desde {
        None if !suposicoes.is_empty() => {
            format!("Suposição, não é a lei: o que mudaria com {}", supposed(suposicoes))
        }
        Some(desde) => format!("O que foi publicado depois de {} (UTC)", day_and_time(*desde)),
        None => "O que os pacotes publicariam (nada foi publicado)".to_owned(),
    };
    let mut parts = vec![
        format!("{what}: versões que entram: {publicadas}; versões cujo fim muda: {substituidas}."),
        calls(chamadas),
    ];
    if !linhas.is_empty() {
        parts.push(table("MUDANÇA", &totais.situacao, as_it_is));
        parts.push(table("CONTA", &totais.conta, as_it_is));
        parts.push(table("TRIBUTO", &totais.tributo, as_it_is));
        parts.push(table("MÊS DA OPERAÇÃO", &totais.mes, |total| Cell::of(month(&total.nome))));
        parts.push(table("REGRA", &totais.regra, as_it_is));
        parts.push(
            "ANTES, DEPOIS e DIFERENÇA somam as chamadas respondidas dos dois lados; RESPONDEM e RECUSAM contam as que passam a isso."
                .to_owned(),
        );
    }
    parts.join("\n\n")
}

fn as_it_is<'r>(total: &'r &ImpactTotal) -> Cell<'r> {
    Cell::of(&total.nome)
}

fn supposed(suposicoes: &[Suposicao]) -> String {
    suposicoes.iter().map(Suposicao::to_string).collect::<Vec<_>>().join(", ")
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

pub(super) fn csv(report: &ImpactReport) -> CommandResult {
    let supposed = supposed(&report.suposicoes);
    let columns = columns();
    let shown = columns.split_last().filter(|_| supposed.is_empty()).map_or(columns.as_slice(), |(_, shown)| shown);
    print_csv(shown, report.linhas.iter().map(|line| (line, &*supposed))).map(|()| ExitCode::SUCCESS)
}
