//! A line of the report.

use std::ops::Deref;
use std::sync::Arc;

use rust_decimal::Decimal;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::cause_names::CAUSES;
use crate::base::value::{Date, RegraCitada, Text};
use crate::law::nfe::payloads::EnginePayload;
use crate::law::nfe::{DocumentNumber, FiscalDocument, ItemDaNota, OtherFile, XmlFault};
use crate::law::rule::{Condicao, RuleResult};
use crate::law::tax::TaxAnswer;

taxd_base::vocabulary! {
    /// What a line was checked against.
    pub enum Layer {
        Arquivo = "arquivo" => "Arquivo",
        Aritmetica = "aritmetica" => "Contas do documento",
        Lei = "lei" => "Regra",
        Coerencia = "coerencia" => "Coerência dos dados",
        Cruzamento = "cruzamento" => "XML e EFD",
        Segregacao = "segregacao" => "Receita do Simples (PGDAS-D)",
        Compras = "compras" => "Créditos da compra",
    }

    pub enum Verdict {
        Confere = "confere" => "Confere",
        ConfereAliquota = "confere_aliquota" => "Base diverge",
        Diverge = "diverge" => "Diverge",
        Recusado = "recusado" => "Não conferida",
        NaoSeAplica = "nao_se_aplica" => "Não se aplica",
    }

    /// How sure a difference is.
    pub enum Certainty {
        ErroDoDocumento = "erro_do_documento" => "Erro do documento",
        RegraPlena = "regra_plena" => "Erro pela regra",
        Conferir = "conferir" => "A conferir",
    }
}

/// What a check of codes found: tax, how sure, code, text.
pub(super) type Incoherence = (&'static str, Certainty, &'static str, String);

impl Verdict {
    /// True if the document and the check differ.
    pub fn differs(self) -> bool {
        matches!(self, Verdict::Diverge | Verdict::ConfereAliquota)
    }
}

pub(super) fn brl<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    crate::base::value::format_decimal(crate::base::value::in_cents(*value)).serialize(serializer)
}

#[expect(clippy::ref_option, reason = "the form that serde calls")]
pub(super) fn decimal<S: Serializer>(value: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map(crate::base::value::format_decimal).serialize(serializer)
}

/// A day; empty if there is none.
#[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn day<S: Serializer>(day: &Option<Date>, serializer: S) -> Result<S::Ok, S::Error> {
    day.map(|day| day.to_string()).unwrap_or_default().serialize(serializer)
}

/// An answer without `cached`, so that the same question has the same text.
#[expect(clippy::ref_option, reason = "the form that serde calls")]
fn answer<S: Serializer>(answer: &Option<Arc<RuleResult<TaxAnswer>>>, serializer: S) -> Result<S::Ok, S::Error> {
    match answer.as_deref() {
        None => serializer.serialize_none(),
        Some(Err(problem)) => problem.serialize(serializer),
        Some(Ok(answer)) => {
            let mut body = Vec::new();
            answer.write_body(&mut body).map_err(|problem| S::Error::custom(problem.detail))?;
            let body: &RawValue = serde_json::from_slice(&body).map_err(S::Error::custom)?;
            body.serialize(serializer)
        }
    }
}

/// What a line is about. All lines of an item share it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AuditPlace {
    /// The file, as it was named.
    pub arquivo: String,
    /// The document in the file, from 1.
    pub documento: u32,
    /// The number and series of the document, if it has them.
    #[serde(flatten)]
    pub numero: DocumentNumber,
    /// `nItem`; `None` if the check is about the whole document.
    pub item: Option<u32>,
    /// The register of the EFD, such as `C190`; empty if the line is about none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub registro: String,
    /// Its line in the EFD, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linha: Option<u64>,
    /// The first day of the EFD that the line is about, whose month has it; `None` for the month of the document.
    #[serde(skip)]
    pub periodo: Option<Date>,
    /// True if the line is about an EFD as a whole or a record of it that is of no document.
    #[serde(skip)]
    pub is_of_book: bool,
    /// The issuer, so that two companies of a report are not confused: the whole CNPJ as people write it, or the six digits
    /// in the middle of a CPF. Empty if the document has neither.
    pub empresa: String,
    /// The digits, by which the pages of the report are ordered. Never written: they may be those of a CPF.
    #[serde(skip)]
    pub emitente: String,
    /// The day of issue; empty if it is not readable.
    #[serde(serialize_with = "day")]
    pub data: Option<Date>,
    /// NCM of the item, or the item of the list of services.
    pub ncm: String,
    /// The issuer's code of the product.
    pub produto: String,
}

/// Why the document has other figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// A stable name of the change.
    pub codigo: &'static str,
    /// The change in a sentence, with its law.
    pub detalhe: String,
}

/// The result of one check of one line of a document.
#[derive(Debug, Clone, Serialize)]
pub struct AuditLine {
    #[serde(flatten)]
    pub place: Arc<AuditPlace>,
    /// What it was checked against.
    pub camada: Layer,
    /// The tax; `documento` or `ncm` if the check is about no tax.
    pub tributo: &'static str,
    pub veredito: Verdict,
    /// How sure a difference is.
    pub certeza: Option<Certainty>,
    /// A stable name of the reason: that of a refusal, or of a check.
    pub codigo: Option<&'static str>,
    /// The reason, in Portuguese.
    pub detalhe: String,
    /// The one change of a fact that gives the figures of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explicacao: Option<Explanation>,
    /// Amount that the document declares.
    #[serde(serialize_with = "decimal")]
    pub declarado: Option<Decimal>,
    #[serde(serialize_with = "decimal")]
    pub calculado: Option<Decimal>,
    /// Declared less calculated: above zero if too much was charged.
    #[serde(serialize_with = "decimal")]
    pub diferenca: Option<Decimal>,
    /// Base that the document declares.
    #[serde(serialize_with = "decimal")]
    pub base_declarada: Option<Decimal>,
    #[serde(serialize_with = "decimal")]
    pub base_calculada: Option<Decimal>,
    /// Rate that the document declares, or the margin of ST.
    #[serde(serialize_with = "decimal")]
    pub aliquota_declarada: Option<Decimal>,
    /// Rate that was calculated, or the margin of ST.
    #[serde(serialize_with = "decimal")]
    pub aliquota_calculada: Option<Decimal>,
    /// The rule that answered or refused.
    pub regra: Option<RegraCitada>,
    /// What law says so, if no rule of a tax does; empty otherwise.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub citacao_legal: &'static str,
    /// The sentences of the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub avisos: Vec<Text>,
    /// What each sentence depends on; `null` if its rule does not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub condicoes_dos_avisos: Vec<Option<Condicao>>,
    /// The calculation step by step as JSON text, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memoria: Option<Arc<RawValue>>,
    /// The payload that was asked: with `resposta`, what `taxd verify` needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Arc<EnginePayload>>,
    /// The whole answer, or the refusal.
    #[serde(serialize_with = "answer", skip_serializing_if = "Option::is_none")]
    pub resposta: Option<Arc<RuleResult<TaxAnswer>>>,
}

impl AuditPlace {
    /// The month whose page has the line, `2026-03`; empty if its day is not readable.
    pub fn month(&self) -> String {
        self.periodo.or(self.data).map(Date::year_and_month).unwrap_or_default()
    }
}

impl Deref for AuditLine {
    type Target = AuditPlace;

    fn deref(&self) -> &AuditPlace {
        &self.place
    }
}

/// Where a line comes from.
#[derive(Debug, Clone)]
pub struct Source {
    line: AuditLine,
}

/// An issuer, or the root of a CNPJ, as a report shows it. The report is its reader's own document, so a CNPJ is whole; a
/// CPF is that of a person, and is shown as public registers show it.
pub fn shown(emitente: &str) -> String {
    let part = |from: usize, to: usize| emitente.get(from..to).unwrap_or_default();
    match emitente.len() {
        14 if emitente.is_ascii() => {
            format!("{}.{}.{}/{}-{}", part(0, 2), part(2, 5), part(5, 8), part(8, 12), part(12, 14))
        }
        8 if emitente.is_ascii() => format!("{}.{}.{}", part(0, 2), part(2, 5), part(5, 8)),
        11 if emitente.is_ascii() => format!("***.{}.{}-**", part(3, 6), part(6, 9)),
        _ => String::new(),
    }
}

impl Source {
    pub fn of(file: &str, number: u32, document: &FiscalDocument) -> Source {
        let emitente = document.emitente().to_owned();
        let data = document.day();
        let numero = document.numero().cloned().unwrap_or_default();
        let (arquivo, empresa) = (file.to_owned(), shown(&emitente));
        let place = AuditPlace { arquivo, documento: number, numero, empresa, emitente, data, ..AuditPlace::default() };
        Source { line: AuditLine::at(place) }
    }

    /// A line about the whole document.
    pub fn line(&self) -> AuditLine {
        self.line.clone()
    }

    pub fn of_item(&self, item: &ItemDaNota) -> AuditLine {
        let ncm = if item.servico { &item.item_lista } else { &item.ncm };
        let (ncm, produto) = (ncm.clone(), item.codigo.clone());
        AuditLine::at(AuditPlace { item: Some(item.number), ncm, produto, ..(*self.line.place).clone() })
    }
}

impl AuditLine {
    fn of_file(file: &str) -> AuditLine {
        AuditLine::at(AuditPlace { arquivo: file.to_owned(), documento: 1, ..AuditPlace::default() })
    }

    /// The same line about an item of the list of services.
    pub fn of_service(self, item_lista: &str) -> AuditLine {
        AuditLine { place: Arc::new(AuditPlace { ncm: item_lista.to_owned(), ..(*self.place).clone() }), ..self }
    }

    /// A line about a place, without a result yet.
    pub(super) fn at(place: AuditPlace) -> AuditLine {
        AuditLine {
            place: Arc::new(place),
            camada: Layer::Arquivo,
            tributo: "documento",
            veredito: Verdict::Confere,
            certeza: None,
            codigo: None,
            detalhe: String::new(),
            explicacao: None,
            declarado: None,
            calculado: None,
            diferenca: None,
            base_declarada: None,
            base_calculada: None,
            aliquota_declarada: None,
            aliquota_calculada: None,
            regra: None,
            citacao_legal: "",
            avisos: Vec::new(),
            condicoes_dos_avisos: Vec::new(),
            memoria: None,
            payload: None,
            resposta: None,
        }
    }

    /// The line of a file that cannot be read.
    pub fn unreadable(file: &str, fault: &XmlFault) -> AuditLine {
        AuditLine::of_file(file).refused(fault.codigo, fault.to_string())
    }

    /// The same line in a layer, about a tax.
    pub fn in_layer(self, camada: Layer, tributo: &'static str) -> AuditLine {
        AuditLine { camada, tributo, ..self }
    }

    /// The line without payload and answer, which only JSON shows.
    pub fn without_answer(self) -> AuditLine {
        AuditLine { payload: None, resposta: None, ..self }
    }

    /// The line if the check could not be made.
    pub fn refused(self, codigo: &'static str, detalhe: impl Into<String>) -> AuditLine {
        AuditLine { veredito: Verdict::Recusado, codigo: Some(codigo), detalhe: detalhe.into(), ..self }
    }

    /// The line if there is nothing to check.
    pub fn not_applicable(self, reason: impl Into<String>) -> AuditLine {
        AuditLine { veredito: Verdict::NaoSeAplica, detalhe: reason.into(), ..self }
    }

    /// The line of a document that is not compared.
    pub fn not_compared(self, codigo: &'static str, reason: &str) -> AuditLine {
        AuditLine { codigo: Some(codigo), ..self.not_applicable(reason) }
    }

    /// The line of a file that is known by name, and is not compared: a refusal if notes are lost by it.
    pub fn of_other(self, other: &OtherFile) -> AuditLine {
        if other.has_notes {
            self.refused(other.codigo, other.detail.as_str())
        } else {
            self.not_compared(other.codigo, &other.detail)
        }
    }

    /// The line of a file that is not a document, as far as its name and first bytes show.
    pub fn other_file(file: &str, other: &OtherFile) -> AuditLine {
        AuditLine::of_file(file).of_other(other)
    }

    /// Whether a file or field cannot be read.
    fn is_unreadable(&self) -> bool {
        self.camada == Layer::Arquivo && self.veredito == Verdict::Recusado
    }

    /// Whether the line is a difference, or a file or field that cannot be read.
    pub fn is_finding(&self) -> bool {
        self.veredito.differs() || self.is_unreadable()
    }

    /// Whether the line is an error for sure: a difference that no `aviso`, no treatment of the taxpayer and no CST may
    /// explain, or a file or field that cannot be read.
    pub fn is_sure_finding(&self) -> bool {
        self.is_unreadable() || matches!(self.certeza, Some(Certainty::ErroDoDocumento | Certainty::RegraPlena))
    }

    /// The same line with the law that says so.
    pub fn by_law(self, citacao_legal: &'static str) -> AuditLine {
        AuditLine { citacao_legal, ..self }
    }

    pub fn differing(self, certeza: Certainty, codigo: &'static str, detalhe: impl Into<String>) -> AuditLine {
        debug_assert!(CAUSES.iter().any(|(known, _)| *known == codigo), "the cause {codigo} has no name for people");
        let (veredito, certeza, codigo) = (Verdict::Diverge, Some(certeza), Some(codigo));
        AuditLine { veredito, certeza, codigo, detalhe: detalhe.into(), ..self }
    }

    /// The same line with a declared and a calculated amount.
    pub fn with_amounts(self, declarado: Decimal, calculado: Decimal) -> AuditLine {
        let diferenca = Some(declarado.saturating_sub(calculado));
        AuditLine { declarado: Some(declarado), calculado: Some(calculado), diferenca, ..self }
    }
}
