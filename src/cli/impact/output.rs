//! The report of an impact, as text and as CSV. Its words are Portuguese, as those of every report for an accountant.

use std::collections::BTreeMap;
use std::process::ExitCode;

use rust_decimal::Decimal;

use crate::admin::{ImpactCalls, ImpactLine, ImpactReport};
use crate::cli::CommandResult;
use crate::cli::output;
use crate::cli::table_output::{self, head, print_csv};
use crate::engine::SituacaoChamada;
use crate::sheet::{Cell, ColumnKind};
use crate::value::{amount_with_comma, parse_decimal};

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

/// Sums of some lines. The amounts are those of calls that are answered before and after.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    calls: u64,
    before: Decimal,
    after: Decimal,
    begin_to_answer: u64,
    begin_to_refuse: u64,
}

fn amount(text: Option<&String>) -> Option<Decimal> {
    parse_decimal(text?).ok()
}

impl Sums {
    fn add(&mut self, line: &ImpactLine) {
        self.calls += line.chamadas;
        match line.situacao {
            SituacaoChamada::PassaAResponder => self.begin_to_answer += line.chamadas,
            SituacaoChamada::PassaARecusar => self.begin_to_refuse += line.chamadas,
            SituacaoChamada::ValorMuda | SituacaoChamada::RegraMuda | SituacaoChamada::RecusaMuda => {}
        }
        if let (Some(before), Some(after)) = (amount(line.valor_antes.as_ref()), amount(line.valor_depois.as_ref())) {
            self.before = self.before.saturating_add(before);
            self.after = self.after.saturating_add(after);
        }
    }

    fn cells(&self) -> [String; 6] {
        [
            self.calls.to_string(),
            amount_with_comma(self.before),
            amount_with_comma(self.after),
            amount_with_comma(self.after.saturating_sub(self.before)),
            self.begin_to_answer.to_string(),
            self.begin_to_refuse.to_string(),
        ]
    }
}

/// A table of sums, by what `name` makes of each line.
fn table(heading: &str, lines: &[ImpactLine], name: impl Fn(&ImpactLine) -> String) -> String {
    let mut groups: BTreeMap<String, Sums> = BTreeMap::new();
    for line in lines {
        groups.entry(name(line)).or_default().add(line);
    }
    let more = groups.len().saturating_sub(MAX_ROWS);
    let row = |(name, sums): (&String, &Sums)| std::iter::once(name.clone()).chain(sums.cells()).collect();
    let rows: Vec<Vec<String>> = groups.iter().take(MAX_ROWS).map(row).collect();
    let headings: Vec<&str> = std::iter::once(heading).chain(HEADINGS).collect();
    let table = output::table(&headings, &rows);
    if more == 0 { table } else { format!("{table}\n... e mais {more}; --csv traz todas") }
}

/// The rules of a line, with the codes of refusals: `icms-sp-v1.0 -> icms-sp-v1.1`.
fn rules(line: &ImpactLine) -> String {
    let side = |rule: &Option<String>, codigo: &Option<String>| match (rule, codigo) {
        (Some(rule), Some(codigo)) => format!("{codigo} ({rule})"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => String::new(),
    };
    let (before, after) = (side(&line.regra_antes, &line.codigo_antes), side(&line.regra_depois, &line.codigo_depois));
    if before == after { before } else { format!("{before} -> {after}") }
}

/// The report for people.
pub(super) fn text(report: &ImpactReport) -> String {
    let ImpactReport { desde, publicadas, substituidas, chamadas, linhas } = report;
    let what = match desde {
        Some(desde) => format!("O que foi publicado depois de {desde}"),
        None => "O que os pacotes publicariam (nada foi publicado)".to_owned(),
    };
    let mut parts = vec![
        format!("{what}: versões que entram: {publicadas}; versões cujo fim muda: {substituidas}."),
        calls(chamadas),
    ];
    if !linhas.is_empty() {
        parts.push(table("MUDANÇA", linhas, |line| line.situacao.to_string()));
        parts.push(table("CONTA", linhas, |line| format!("{} ({})", line.nome, line.conta)));
        parts.push(table("TRIBUTO", linhas, |line| line.tributo.clone()));
        parts.push(table("MÊS DA OPERAÇÃO", linhas, |line| line.mes.clone()));
        parts.push(table("REGRA", linhas, rules));
        parts.push(
            "ANTES, DEPOIS e DIFERENÇA somam as chamadas respondidas dos dois lados; RESPONDEM e RECUSAM contam as que passam a isso."
                .to_owned(),
        );
    }
    parts.join("\n\n")
}

fn calls(chamadas: &ImpactCalls) -> String {
    let ImpactCalls { registradas, de_teste, alcancadas, alteradas, sem_comparacao, primeira, ultima } = chamadas;
    let between = match (primeira, ultima) {
        (Some(first), Some(last)) => format!(", de {first} a {last}"),
        _ => String::new(),
    };
    let mut sentences = vec![
        format!("Cálculos no registro das chamadas: {registradas}{between}."),
        format!("No escopo do que muda: {alcancadas}; com outro resultado: {alteradas}."),
    ];
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
    print_csv(&head("taxd impact", &COLUMNS), report.linhas.iter().map(|line| cells(line).to_vec()))?;
    Ok(ExitCode::SUCCESS)
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
