//! The lines of a report as a table: with the names and words of the contract for programs, and with those of the page
//! for people.

use super::finding::{AuditLine, Certainty, Layer, Verdict};
use super::named;
use crate::base::sentence::in_words;
use crate::base::value::Text;
use crate::law::tax;
use crate::sheet::ColumnKind::{self, Decimal, Integer};
use crate::sheet::{self, Cell, Column, Reader, TableHead};

const COLUMNS: [Column<AuditLine>; 30] = [
    Column::new("", "Número", ColumnKind::Text, |line| Cell::of(&line.numero.numero)),
    Column::new("", "Série", ColumnKind::Text, |line| Cell::of(&line.numero.serie)),
    Column::new("arquivo", "Arquivo", ColumnKind::Text, |line| Cell::of(&line.arquivo)),
    Column::new("documento", "Documento do arquivo", Integer, |line| Cell::whole(line.documento)),
    Column::new("item", "Item", Integer, |line| line.item.map(Cell::whole).into()),
    Column::new("registro", "Registro da EFD", ColumnKind::Text, |line| Cell::of(&line.registro)),
    Column::new("linha", "Linha da EFD", Integer, |line| line.linha.map(Cell::whole).into()),
    Column::new("empresa", "Empresa (CNPJ)", ColumnKind::Text, |line| Cell::of(&line.empresa)),
    Column::new("data", "Emissão", ColumnKind::Date, |line| line.data.into()),
    Column::new("ncm", "NCM ou subitem", ColumnKind::Text, |line| Cell::of(&line.ncm)),
    Column::new("produto", "Produto", ColumnKind::Text, |line| Cell::of(&line.produto)),
    Column::said(
        "camada",
        "Conferência",
        ColumnKind::Text,
        |line| Cell::of(&line.camada),
        |line| Cell::of(Layer::VOCABULARY.label(line.camada.as_str())),
    ),
    Column::said(
        "tributo",
        "Tributo",
        ColumnKind::Text,
        |line| Cell::of(line.tributo),
        |line| Cell::of(subject(line.tributo)),
    ),
    Column::said(
        "veredito",
        "Situação",
        ColumnKind::Text,
        |line| Cell::of(&line.veredito),
        |line| Cell::of(Verdict::VOCABULARY.label(line.veredito.as_str())),
    ),
    Column::said(
        "certeza",
        "Certeza",
        ColumnKind::Text,
        |line| line.certeza.as_ref().map(Cell::of).into(),
        |line| line.certeza.map(|certainty| Cell::of(Certainty::VOCABULARY.label(certainty.as_str()))).into(),
    ),
    Column::new("codigo", "Código do motivo", ColumnKind::Text, |line| line.codigo.map(Cell::of).into()),
    Column::new("detalhe", "Motivo", ColumnKind::Text, |line| Cell::of(&line.detalhe)),
    Column::new("explicacao", "O que explica", ColumnKind::Text, |line| {
        line.explicacao.as_ref().map(|found| Cell::of(&found.detalhe)).into()
    }),
    Column::new("declarado", "No documento (R$)", Decimal, |line| line.declarado.into()),
    Column::new("calculado", "Calculado (R$)", Decimal, |line| line.calculado.into()),
    Column::new("diferenca", "Diferença (R$)", Decimal, |line| line.diferenca.into()),
    Column::new("base_declarada", "Base no documento (R$)", Decimal, |line| line.base_declarada.into()),
    Column::new("base_calculada", "Base calculada (R$)", Decimal, |line| line.base_calculada.into()),
    Column::new("aliquota_declarada", "Alíquota ou MVA no documento (%)", Decimal, |line| {
        line.aliquota_declarada.into()
    }),
    Column::new("aliquota_calculada", "Alíquota ou MVA calculada (%)", Decimal, |line| line.aliquota_calculada.into()),
    Column::new("rule_id", "Regra", ColumnKind::Text, |line| {
        line.regra.as_ref().map(|rule| Cell::of(&rule.rule_id)).into()
    }),
    Column::new("citacao_legal", "Citação legal", ColumnKind::Text, |line| {
        Cell::of(line.regra.as_ref().map_or(line.citacao_legal, |rule| rule.citacao_legal.as_str()))
    }),
    Column::new("vigente_de", "O taxd responde desde", ColumnKind::Date, |line| {
        line.regra.as_ref().map(|rule| Cell::Date(rule.vigente_de)).into()
    }),
    Column::new("vigente_ate", "Deixa de responder em", ColumnKind::Date, |line| {
        line.regra.as_ref().and_then(|rule| rule.vigente_ate).map(Cell::Date).into()
    }),
    Column::new("avisos", "Avisos", ColumnKind::Text, avisos),
];

pub fn table_head(reader: Reader) -> TableHead {
    sheet::table_head("Linhas", &COLUMNS, reader)
}

impl AuditLine {
    /// The line for a person: its sentences have what people call the names in them.
    pub fn for_person(mut self) -> AuditLine {
        let named = named(Some(self.tributo));
        for sentence in &mut self.avisos {
            *sentence = in_words(sentence.as_str(), &named).into();
        }
        self.detalhe = in_words(&self.detalhe, &named);
        self
    }
}

pub fn table_row(line: &AuditLine, reader: Reader) -> Vec<Cell<'_>> {
    sheet::table_row(&COLUMNS, line, reader)
}

fn avisos(line: &AuditLine) -> Cell<'_> {
    let sentences: Vec<&str> = line.avisos.iter().map(Text::as_str).collect();
    if sentences.is_empty() { Cell::Empty } else { Cell::of(sentences.join(" | ")) }
}

/// What a line is about, as the page names it: a tax, or else the NCM, or a document or item as a whole.
pub(super) fn subject(tributo: &'static str) -> &'static str {
    match (tax::find(tributo), tributo) {
        (Some(entry), _) => entry.sigla,
        (None, "ncm") => "NCM",
        (None, _) => "Documento e item",
    }
}
