//! The lines of the table of classifications.

use std::collections::BTreeMap;
use std::fs::File;

use rust_decimal::Decimal;

use super::{Enquadramento, TAXES};
use crate::base::value::{ClassificacaoTributaria, Date, fold, shorten};
use crate::features::sources::LineFaults;
use crate::features::sources::table::SheetTable;
use crate::law::rule::Vigencia;
use crate::sheet::{Cell, SheetError};

/// The columns, by the titles of the spreadsheet.
const COLUMNS: [&str; 14] = [
    "CST-IBS/CBS",
    "cClassTrib",
    "Nome cClassTrib",
    "LC 214/25",
    "Tipo de Alíquota",
    "pRedIBS",
    "pRedCBS",
    "dIniVig",
    "dFimVig",
    "ANEXO",
    "ind_gMonoPadrao",
    "ind_gMonoReten",
    "ind_gMonoRet",
    "ind_gMonoDif",
];
/// How many of them, from the first on, a table must have.
const REQUIRED: usize = 9;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClassificacaoLine {
    cst: String,
    pub(super) nome: String,
    /// The provision of LC 214/2025, as the table writes it; may be empty.
    artigo: String,
    /// Without case and accents.
    tipo_aliquota: String,
    /// Percentages of reduction, in the order of [`TAXES`].
    reducoes: [Decimal; 2],
    is_monofasica: bool,
    /// The annex of the law, or a number of the table's own.
    pub(super) anexo: Option<u32>,
    pub(super) vigencia: Vigencia,
}

/// The lines of the table, and those that could not be read.
#[derive(Debug, Default)]
pub struct ClassificacaoLines {
    /// The lines of each code, in the order of their days; none if one could not be read, or two disagree.
    pub(super) lines: BTreeMap<ClassificacaoTributaria, Vec<ClassificacaoLine>>,
    /// How many there are, with the faulty ones.
    pub(super) read: u64,
    pub(super) faults: LineFaults,
}

/// Reads the table from an XLSX, or from a CSV of it. Fails if the file is not
/// such a table; a code with a faulty line is left out and reported.
pub fn read(name: &str, file: &File) -> Result<ClassificacaoLines, SheetError> {
    let table = SheetTable::read(file, &COLUMNS, REQUIRED)?;
    let mut found = ClassificacaoLines::default();
    let mut faulty = Vec::new();
    for row in &table.rows {
        let [cst, code, ..] = &row.cells;
        if cst.is_empty() && code.is_empty() {
            continue;
        }
        found.read += 1;
        let codigo = match parse_code(code) {
            Ok(codigo) => codigo,
            Err(why) => {
                found.faults.add(name, row.number.into(), why);
                continue;
            }
        };
        let of_code = found.lines.entry(codigo).or_default();
        let line = parse(codigo, &row.cells).and_then(|line| {
            match of_code.iter().find(|other| **other != line && other.overlaps(&line)) {
                Some(_) => {
                    Err("outra linha diz outra coisa do mesmo código nos mesmos dias; nenhuma das duas foi usada."
                        .to_owned())
                }
                None => Ok(line),
            }
        });
        match line {
            Ok(line) => of_code.push(line),
            Err(why) => {
                found.faults.add(name, row.number.into(), format!("{codigo}: {why}"));
                faulty.push(codigo);
            }
        }
    }
    for codigo in faulty {
        found.lines.insert(codigo, Vec::new());
    }
    for of_code in found.lines.values_mut() {
        of_code.sort_by_key(|line| line.vigencia.de);
    }
    Ok(found)
}

/// Six digits; a number that lost its zeros is completed.
fn parse_code(cell: &Cell) -> Result<ClassificacaoTributaria, String> {
    let text = cell.text()?;
    let is_number = matches!(cell, Cell::Number(_));
    ClassificacaoTributaria::parse(&if is_number { format!("{text:0>6}") } else { text.into_owned() })
}

fn parse(codigo: ClassificacaoTributaria, cells: &[Cell; COLUMNS.len()]) -> Result<ClassificacaoLine, String> {
    let [cst, _, nome, artigo, tipo, ibs, cbs, de, ate, anexo, mono @ ..] = cells;
    let cst = format!("{:0>3}", cst.text()?);
    if cst != codigo.cst() {
        return Err(format!("o CST {} não é o dos três primeiros dígitos do código.", shorten(&cst)));
    }
    let nome = spaced(&nome.text()?);
    let nome = nome.trim_end_matches('.').to_owned();
    if nome.is_empty() {
        return Err("a linha não traz o nome da classificação.".to_owned());
    }
    if matches!(cst.as_str(), "200" | "515") && (ibs.is_empty() || cbs.is_empty()) {
        return Err("a linha não traz o percentual de redução.".to_owned());
    }
    let last = if ate.is_empty() { None } else { Some(ate.date().map_err(|why| format!("dFimVig: {why}"))?) };
    let vigencia = Vigencia {
        de: de.date().map_err(|why| format!("dIniVig: {why}"))?,
        ate: last.filter(|last| *last < Date::LAST_OF_RULES).and_then(Date::next_day),
    };
    if vigencia.is_empty() || !vigencia.de.may_have_rules() {
        return Err("a vigência termina antes de começar, ou começa fora do calendário das regras.".to_owned());
    }
    Ok(ClassificacaoLine {
        cst,
        nome,
        artigo: spaced(&artigo.text()?),
        tipo_aliquota: fold(&tipo.text()?),
        reducoes: [reduction("pRedCBS", cbs)?, reduction("pRedIBS", ibs)?],
        is_monofasica: mono.iter().any(|indicator| indicator.text().is_ok_and(|text| text == "1")),
        anexo: anexo.text()?.parse().ok(),
        vigencia,
    })
}

/// The text without line breaks and repeated blanks.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A percentage from 0 to 100; an empty cell is zero.
fn reduction(column: &str, cell: &Cell) -> Result<Decimal, String> {
    if cell.is_empty() {
        return Ok(Decimal::ZERO);
    }
    let reduction = cell.percent().map_err(|why| format!("{column}: {why}"))?.normalize();
    // No law reduces by less than 1 %: such a number is a fraction.
    let is_fraction = reduction > Decimal::ZERO && reduction < Decimal::ONE;
    if is_fraction || reduction < Decimal::ZERO || reduction > Decimal::ONE_HUNDRED {
        return Err(format!("{column}: {reduction} não é um percentual de redução, que vai de 0 a 100."));
    }
    Ok(reduction)
}

impl ClassificacaoLine {
    fn overlaps(&self, other: &ClassificacaoLine) -> bool {
        self.vigencia.covers(other.vigencia.de) || other.vigencia.covers(self.vigencia.de)
    }

    /// What the line makes of an operation; `None` for a tax that the table does not have.
    pub(super) fn enquadramento(&self, tributo: &str) -> Option<Enquadramento> {
        let place = TAXES.iter().position(|tax| *tax == tributo)?;
        let reducao = *self.reducoes.get(place)?;
        let no_rate = self.tipo_aliquota == "sem aliquota" && self.reducoes == [Decimal::ZERO; 2];
        Some(match (self.cst.as_str(), self.tipo_aliquota.as_str()) {
            _ if self.is_monofasica => Enquadramento::Outro,
            ("000", "padrao") if self.reducoes == [Decimal::ZERO; 2] => Enquadramento::Reducao(Decimal::ZERO),
            ("200", "padrao") => Enquadramento::Reducao(reducao),
            ("400" | "410" | "550", _) if no_rate => Enquadramento::SemAliquota,
            ("510", _) if no_rate => Enquadramento::Diferido(None),
            ("515", "padrao") => Enquadramento::Diferido(Some(reducao)),
            _ => Enquadramento::Outro,
        })
    }

    pub(super) fn why_refused(&self) -> &'static str {
        match self.cst.as_str() {
            _ if self.is_monofasica => "A tributação é monofásica, por unidade de medida.",
            "010" => "A alíquota é uniforme do setor e a base de cálculo é própria.",
            "011" => "A base de cálculo é própria do regime específico, e não o valor da operação.",
            "210" | "222" => "A base de cálculo é parte do valor da operação.",
            "220" | "221" => "A alíquota é fixa, sobre a receita.",
            "620" => "A tributação é monofásica, por unidade de medida.",
            "800" => "Transfere crédito: não há operação a tributar.",
            "810" | "811" => "Ajusta a apuração: não há operação a tributar.",
            "820" => "O tributo é declarado em outro documento.",
            "830" => "Exclui da base parte de outro fornecimento.",
            _ => "O CST e o tipo de alíquota da tabela não são de um cálculo que se conheça.",
        }
    }

    /// True for a suspension of the tax.
    pub(super) fn is_suspension(&self) -> bool {
        self.cst == "550"
    }

    /// The provision of LC 214/2025, within a sentence: `art. 125`.
    pub(super) fn artigo(&self) -> String {
        match self.artigo.strip_prefix("Art. ") {
            Some(rest) => format!("art. {rest}"),
            None if self.artigo.is_empty() => "tabela cClassTrib".to_owned(),
            None => self.artigo.clone(),
        }
    }

    /// The ground of the classification.
    pub(super) fn citacao(&self) -> String {
        if self.artigo.is_empty() {
            return "LC nº 214/2025".to_owned();
        }
        format!("LC nº 214/2025, {}", self.artigo())
    }
}
