//! The dates of an accountant's duties in the transition to the CBS and the IBS. They are not rules: no calculation reads
//! them, and no count of rules has them.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::lines::read_lines;
use super::{FaultyLine, file};
use crate::base::value::{Conferencia, Date};

taxd_base::vocabulary! {
    pub enum TipoPrazo {
        Opcao = "opcao",
        Figura = "figura",
        Estoque = "estoque",
        Retencao = "retencao",
        Mudanca = "mudanca",
        Apuracao = "apuracao",
        Pagamento = "pagamento",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prazo {
    pub data: Date,
    /// Names the duty. With the day it names the date, whatever its texts become.
    pub codigo: String,
    pub tipo: TipoPrazo,
    /// The taxes that it is about; empty if it is about none of taxd's.
    pub tributos: Vec<String>,
    /// What is due, in a line.
    pub titulo: String,
    /// What to know, in a sentence or two.
    pub texto: String,
    /// Who has the duty.
    pub quem: String,
    pub citacao_legal: String,
    /// How well the date is established.
    pub conferencia: Conferencia,
}

/// A line of the table: a duty, and its days.
#[derive(Debug, Clone)]
pub struct Dever {
    dia: Dia,
    /// The duty, on the first day that it may have.
    prazo: Prazo,
    ate: Date,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dia {
    Unico,
    Mensal(u32),
    UltimoDiaUtil,
}

/// Reads the lines of the table; those that begin with `#` are comments. Fails at the first faulty line.
pub fn read(text: &str) -> Result<Vec<Dever>, FaultyLine> {
    read_lines(text, line)
}

fn line(line: &str) -> Option<Dever> {
    let cells: [&str; 11] = line.split(';').collect::<Vec<_>>().try_into().ok()?;
    let [codigo, dia, de, ate, tipo, tributos, titulo, texto, quem, citacao, grau] = cells;
    let (dia, de, ate) = match (dia.strip_prefix("mensal_"), Date::parse(dia)) {
        (None, Ok(day)) if de.is_empty() && ate.is_empty() => (Dia::Unico, day, day),
        (Some("ultimo_dia_util"), _) => (Dia::UltimoDiaUtil, Date::parse(de).ok()?, Date::parse(ate).ok()?),
        (Some(day), _) => {
            let day = day.parse().ok().filter(|day| (1..=28).contains(day))?;
            (Dia::Mensal(day), Date::parse(de).ok()?, Date::parse(ate).ok()?)
        }
        _ => return None,
    };
    // One source alone establishes no date that a client may rely on.
    let conferencia = Conferencia::from_word(grau).filter(|grau| *grau != Conferencia::FonteUnica)?;
    let is_whole = [codigo, titulo, texto, quem, citacao].iter().all(|cell| !cell.trim().is_empty()) && de <= ate;
    let prazo = Prazo {
        data: de,
        codigo: codigo.to_owned(),
        tipo: TipoPrazo::from_word(tipo)?,
        tributos: tributos.split_whitespace().map(str::to_owned).collect(),
        titulo: titulo.to_owned(),
        texto: texto.to_owned(),
        quem: quem.to_owned(),
        citacao_legal: citacao.to_owned(),
        conferencia,
    };
    is_whole.then_some(Dever { dia, prazo, ate })
}

impl Dever {
    fn is_on(&self, day: Date) -> bool {
        let in_time = self.prazo.data <= day && day <= self.ate;
        in_time
            && match self.dia {
                Dia::Unico => true,
                Dia::Mensal(of_month) => day.ordinal() % 100 == of_month,
                Dia::UltimoDiaUtil => day.is_last_weekday_of_month(),
            }
    }
}

/// The dates of these duties from a day to another, both included, by day.
pub fn between(deveres: &[Dever], from: Date, until: Date) -> Vec<Prazo> {
    let (Some(first), Some(last)) =
        (deveres.iter().map(|dever| dever.prazo.data).min(), deveres.iter().map(|dever| dever.ate).max())
    else {
        return Vec::new();
    };
    let (first, last) = (from.max(first), until.min(last));
    let days = std::iter::successors(Some(first), |day| day.next_day()).take_while(|day| *day <= last);
    let on = |day: Date| {
        let of_day = deveres.iter().filter(move |dever| dever.is_on(day));
        of_day.map(move |dever| Prazo { data: day, ..dever.prazo.clone() })
    };
    days.flat_map(on).collect()
}

/// The dates of the built-in table from a day to another, both included, by day.
pub fn prazos(from: Date, until: Date) -> Vec<Prazo> {
    // A unit test reads the file, so that none with a faulty line is built in.
    static DEVERES: LazyLock<Vec<Dever>> = LazyLock::new(|| read(file("prazos")).unwrap_or_default());
    between(&DEVERES, from, until)
}
