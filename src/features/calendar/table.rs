//! The calendar as a table: with the names and words of the contract for programs, and with those of the page for people.

use std::io;

use crate::core::engine::upcoming::{Evento, Sucessao, Upcoming, UpcomingRule};
use crate::law::codes::Prazo;
use crate::law::tax;
use crate::sheet::ColumnKind::{Date, Integer, Text};
use crate::sheet::{Cell, Column, CsvWriter, Reader, table_head, table_row};

/// A version that begins or ends, or a date of a duty.
pub(crate) enum CalendarRow<'u> {
    Regra(&'u UpcomingRule),
    Prazo(&'u Prazo),
}

impl<'u> CalendarRow<'u> {
    /// A cell that only a version has.
    fn of_rule(&self, cell: impl Fn(&'u UpcomingRule) -> Cell<'u>) -> Cell<'u> {
        self.either(cell, |_| Cell::Empty)
    }

    fn either(&self, rule: impl Fn(&'u UpcomingRule) -> Cell<'u>, prazo: impl Fn(&'u Prazo) -> Cell<'u>) -> Cell<'u> {
        match self {
            CalendarRow::Regra(regra) => rule(regra),
            CalendarRow::Prazo(duty) => prazo(duty),
        }
    }
}

pub(crate) fn columns<'u>() -> [Column<CalendarRow<'u>>; 15] {
    [
        Column::new("data", "Data", Date, |row| row.either(|regra| regra.data.into(), |prazo| prazo.data.into())),
        Column::said(
            "evento",
            "O que acontece",
            Text,
            |row| row.either(|regra| Cell::of(&regra.evento), |_| Cell::of("prazo")),
            |row| row.either(|regra| Cell::of(what(regra)), |_| Cell::of("prazo: dever, não regra")),
        ),
        Column::new("sucessao", "", Text, |row| row.of_rule(|regra| regra.sucessao.as_ref().map(Cell::of).into())),
        Column::new("figuras", "", Text, |row| row.of_rule(|regra| regra.figuras.as_ref().map(Cell::of).into())),
        Column::new("ano_teste", "", Text, |row| {
            row.of_rule(|regra| Cell::of(if regra.ano_teste { "sim" } else { "não" }))
        }),
        Column::said(
            "tributo",
            "Tributo",
            Text,
            |row| row.either(|regra| Cell::of(&regra.tributo), |prazo| Cell::of(prazo.tributos.join(" "))),
            |row| row.either(|regra| Cell::of(sigla(&regra.tributo)), |prazo| Cell::of(siglas(prazo))),
        ),
        Column::new("local", "Onde", Text, |row| row.either(|regra| Cell::of(&regra.local), |_| Cell::of("país"))),
        Column::said(
            "escopo",
            "A que se aplica",
            Text,
            |row| row.either(|regra| Cell::of(&regra.escopo), |prazo| Cell::of(in_full(prazo))),
            |row| row.either(|regra| Cell::of(&regra.escopo), |prazo| Cell::of(to_whom(prazo))),
        ),
        Column::new("rule_id", "Regra", Text, |row| row.of_rule(|regra| Cell::of(&regra.rule_id))),
        Column::new("vigente_de", "Vale desde", Date, |row| row.of_rule(|regra| regra.vigente_de.into())),
        Column::new("vigente_ate", "Deixa de valer em", Date, |row| row.of_rule(|regra| regra.vigente_ate.into())),
        Column::new("sucessora", "Regra seguinte", Text, |row| {
            row.of_rule(|regra| regra.sucessora.as_ref().map(Cell::of).into())
        }),
        Column::new("escopos_sem_sucessora", "", Integer, |row| {
            row.of_rule(|regra| Cell::whole(regra.escopos_sem_sucessora))
        }),
        Column::new("sem_sucessora_em", "Fica sem resposta", Text, |row| {
            row.of_rule(|regra| regra.sem_sucessora_em.as_ref().map(Cell::of).into())
        }),
        Column::new("citacao_legal", "Citação legal", Text, |row| {
            row.either(|regra| Cell::of(&regra.citacao_legal), |prazo| Cell::of(&prazo.citacao_legal))
        }),
    ]
}

/// A row for each version that begins or ends, and then for each date of a duty.
pub(crate) fn rows(upcoming: &Upcoming) -> impl Iterator<Item = CalendarRow<'_>> {
    upcoming.regras.iter().map(|regra| CalendarRow::Regra(regra)).chain(upcoming.prazos.iter().map(CalendarRow::Prazo))
}

/// Writes the rows as a CSV for people.
pub(crate) fn write_csv(upcoming: &Upcoming, out: &mut impl io::Write) -> io::Result<()> {
    let columns = columns();
    let mut table = CsvWriter::new(out, &table_head("Calendário", &columns, Reader::Person))?.for_people();
    for row in rows(upcoming) {
        table.row(&table_row(&columns, &row, Reader::Person))?;
    }
    table.finish()
}

fn what(regra: &UpcomingRule) -> &'static str {
    match (regra.evento, regra.sucessao) {
        (Evento::Comeca, _) => "começa",
        (Evento::Termina, Some(Sucessao::Extinta)) => "termina: tributo extinto",
        (Evento::Termina, Some(Sucessao::SemFigura)) => "termina: a regra seguinte recusa, sem figura ou pelo nome",
        (Evento::Termina, Some(Sucessao::NovaVersao)) => "termina: nova versão",
        (Evento::Termina, Some(Sucessao::RegraGeral)) => "termina: volta à regra geral",
        (Evento::Termina, Some(Sucessao::SemSucessora) | None) => "termina sem sucessora",
    }
}

fn sigla(tributo: &str) -> &str {
    tax::find(tributo).map_or(tributo, |entry| entry.sigla)
}

fn siglas(prazo: &Prazo) -> String {
    prazo.tributos.iter().map(|tributo| sigla(tributo)).collect::<Vec<_>>().join(", ")
}

fn in_full(Prazo { titulo, texto, .. }: &Prazo) -> String {
    format!("{titulo} {texto}")
}

fn to_whom(Prazo { titulo, texto, quem, .. }: &Prazo) -> String {
    format!("{titulo}. {texto} Quem: {quem}.")
}
