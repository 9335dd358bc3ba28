//! The report on documents as a table for people: heads and words as the page shows them.
//!
//! The table of `taxd audit` has the names of the contract, for programs.

use crate::base::value::Date;
use crate::features::audit::{AuditLine, COMPANY_FACTS, Certainty, Layer, Verdict, table_head, table_row};
use crate::law::tax::{self, REGISTRY};
use crate::sheet::{Cell, ColumnKind, TableColumn, TableHead};

/// The heads of the columns of `taxd audit`, by their names.
const HEADS: [(&str, &str); 25] = [
    ("arquivo", "Arquivo"),
    ("documento", "Documento do arquivo"),
    ("item", "Item"),
    ("empresa", "Empresa (CNPJ)"),
    ("data", "Emissão"),
    ("ncm", "NCM ou subitem"),
    ("produto", "Produto"),
    ("camada", "Conferência"),
    ("tributo", "Tributo"),
    ("veredito", "Situação"),
    ("certeza", "Certeza"),
    ("codigo", "Código do motivo"),
    ("detalhe", "Motivo"),
    ("declarado", "No documento (R$)"),
    ("calculado", "Calculado (R$)"),
    ("diferenca", "Diferença (R$)"),
    ("base_declarada", "Base no documento (R$)"),
    ("base_calculada", "Base calculada (R$)"),
    ("aliquota_declarada", "Alíquota ou MVA no documento (%)"),
    ("aliquota_calculada", "Alíquota ou MVA calculada (%)"),
    ("rule_id", "Regra"),
    ("citacao_legal", "Citação legal"),
    ("vigente_de", "O taxd responde desde"),
    ("vigente_ate", "Deixa de responder em"),
    ("avisos", "Avisos"),
];
/// The columns that come first: the number and the series.
const NUMBER: [&str; 2] = ["Número", "Série"];
/// Width of the columns in a spreadsheet, in characters.
const WIDTH: usize = 16;

/// The columns.
pub(crate) fn head() -> TableHead {
    let number = NUMBER.map(|name| TableColumn {
        name: name.to_owned(),
        kind: ColumnKind::Text,
        choices: Vec::new(),
        width: WIDTH,
    });
    let own = table_head();
    let labelled = own.columns.into_iter().map(|column| {
        let head = HEADS.iter().find(|(name, _)| *name == column.name).map(|(_, head)| (*head).to_owned());
        TableColumn { name: head.unwrap_or(column.name), ..column }
    });
    TableHead { name: "Conferência".to_owned(), columns: number.into_iter().chain(labelled).collect(), ..own }
}

/// A line as a row.
pub(crate) fn row(line: &AuditLine) -> Vec<Cell> {
    let text = |text: &str| if text.is_empty() { Cell::Empty } else { Cell::Text(text.to_owned()) };
    let own = HEADS.iter().zip(table_row(line)).map(|((name, _), cell)| match *name {
        "camada" => text(layer(line.camada)),
        "tributo" => text(subject(line.tributo)),
        "veredito" => text(verdict(line.veredito)),
        "certeza" => text(line.certeza.map(certainty).unwrap_or_default()),
        "detalhe" => text(&in_words(&line.detalhe)),
        _ => cell,
    });
    [&line.numero.numero, &line.numero.serie].into_iter().map(|part| text(part)).chain(own).collect()
}

/// What the comparison is made with.
const fn layer(layer: Layer) -> &'static str {
    match layer {
        Layer::Arquivo => "Arquivo",
        Layer::Aritmetica => "Contas do documento",
        Layer::Lei => "Regra",
        Layer::Coerencia => "Coerência dos dados",
    }
}

/// A sentence with what people call the taxes and fields that it names in backquotes, as the page writes it.
fn in_words(sentence: &str) -> String {
    let field = |name: &str| REGISTRY.iter().flat_map(|entry| entry.payload).find(|field| field.name == name);
    let named = |name: &str| match (tax::find(name), COMPANY_FACTS.iter().find(|(own, _)| *own == name), field(name)) {
        (Some(entry), ..) => entry.sigla.to_owned(),
        (_, Some((_, label)), _) => format!("“{label}”"),
        (.., Some(field)) => format!("“{}”", field.label),
        _ => format!("“{name}”"),
    };
    let is_name = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let write = |(at, part): (usize, &str)| match at % 2 {
        1 if is_name(part) => named(part),
        1 => format!("`{part}`"),
        _ => part.to_owned(),
    };
    days_of_people(&sentence.split('`').enumerate().map(write).collect::<String>())
}

/// A sentence with its days as people write them.
fn days_of_people(sentence: &str) -> String {
    let day = |part: &str| Date::parse(part).map_or_else(|_| part.to_owned(), Date::dmy);
    let is_between = |c: char| !c.is_ascii_digit() && c != '-';
    let write = |part: &str| match part.strip_suffix(is_between) {
        Some(bare) => day(bare) + part.strip_prefix(bare).unwrap_or_default(),
        None => day(part),
    };
    sentence.split_inclusive(is_between).map(write).collect()
}

/// What a line is about, as the page names it: a tax, or else the NCM, or a document or item as a whole.
fn subject(tributo: &'static str) -> &'static str {
    match (tax::find(tributo), tributo) {
        (Some(entry), _) => entry.sigla,
        (None, "ncm") => "NCM",
        (None, _) => "Documento e item",
    }
}

/// As the page names it.
const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confere => "Confere",
        Verdict::ConfereAliquota => "Base diverge",
        Verdict::Diverge => "Diverge",
        Verdict::Recusado => "Não conferida",
        Verdict::NaoSeAplica => "Não se aplica",
    }
}

/// As the page names it.
const fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::ErroDoDocumento => "Erro do documento",
        Certainty::RegraPlena => "Erro pela regra",
        Certainty::Conferir => "A conferir",
    }
}
