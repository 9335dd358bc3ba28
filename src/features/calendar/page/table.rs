//! The calendar as a table for a spreadsheet program, with headings for people.

use std::io;

pub(crate) use crate::core::engine::upcoming::Sucessao;
use crate::core::engine::upcoming::{Evento, Upcoming, UpcomingRule};
use crate::law::codes::Prazo;
use crate::law::tax;
use crate::sheet::{Cell, ColumnKind, CsvWriter, TableColumn, TableHead};

const COLUMNS: [(&str, ColumnKind); 11] = [
    ("Data", ColumnKind::Date),
    ("O que acontece", ColumnKind::Text),
    ("Tributo", ColumnKind::Text),
    ("Onde", ColumnKind::Text),
    ("A que se aplica", ColumnKind::Text),
    ("Regra", ColumnKind::Text),
    ("Vale desde", ColumnKind::Date),
    ("Deixa de valer em", ColumnKind::Date),
    ("Regra seguinte", ColumnKind::Text),
    ("Fica sem resposta", ColumnKind::Text),
    ("Citação legal", ColumnKind::Text),
];

/// Writes a row for each version that begins or ends, and then for each date of a duty.
pub(crate) fn write_csv(upcoming: &Upcoming, out: &mut impl io::Write) -> io::Result<()> {
    let column =
        |(name, kind): (&str, ColumnKind)| TableColumn { name: name.to_owned(), kind, choices: Vec::new(), width: 20 };
    let head = TableHead { name: "Calendário".to_owned(), columns: COLUMNS.map(column).into(), frozen: (1, 1) };
    let mut table = CsvWriter::new(out, &head)?.for_people();
    for regra in &upcoming.regras {
        table.row(&row(regra))?;
    }
    for prazo in &upcoming.prazos {
        table.row(&row_of_prazo(prazo))?;
    }
    table.finish()
}

fn row(regra: &UpcomingRule) -> [Cell; 11] {
    let text = |text: &str| if text.is_empty() { Cell::Empty } else { Cell::Text(text.to_owned()) };
    let what = match (regra.evento, regra.sucessao) {
        (Evento::Comeca, _) => "começa",
        (Evento::Termina, Some(Sucessao::Extinta)) => "termina: tributo extinto",
        (Evento::Termina, Some(Sucessao::SemFigura)) => "termina: a regra seguinte recusa, sem figura ou pelo nome",
        (Evento::Termina, Some(Sucessao::NovaVersao)) => "termina: nova versão",
        (Evento::Termina, Some(Sucessao::RegraGeral)) => "termina: volta à regra geral",
        (Evento::Termina, Some(Sucessao::SemSucessora) | None) => "termina sem sucessora",
    };
    let sigla = tax::find(&regra.tributo).map_or(regra.tributo.as_str(), |entry| entry.sigla);
    [
        Cell::Date(regra.data),
        text(what),
        text(sigla),
        text(&regra.local),
        text(&regra.escopo),
        text(&regra.rule_id.to_string()),
        Cell::Date(regra.vigente_de),
        regra.vigente_ate.map_or(Cell::Empty, Cell::Date),
        text(&regra.sucessora.as_ref().map(ToString::to_string).unwrap_or_default()),
        text(regra.sem_sucessora_em.as_deref().unwrap_or_default()),
        text(&regra.citacao_legal),
    ]
}

fn row_of_prazo(prazo: &Prazo) -> [Cell; 11] {
    let siglas = prazo.tributos.iter().map(|name| tax::find(name).map_or(name.as_str(), |entry| entry.sigla));
    let mut row = [const { Cell::Empty }; 11];
    let [data, what, tributo, local, escopo, .., citacao] = &mut row;
    *data = Cell::Date(prazo.data);
    *what = Cell::Text("prazo: dever, não regra".to_owned());
    *tributo = Cell::Text(siglas.collect::<Vec<_>>().join(", "));
    *local = Cell::Text("país".to_owned());
    *escopo = Cell::Text(format!("{}. {} Quem: {}.", prazo.titulo, prazo.texto, prazo.quem));
    *citacao = Cell::Text(prazo.citacao_legal.clone());
    row
}
