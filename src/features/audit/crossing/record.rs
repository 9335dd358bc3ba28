//! What is kept of a document of the run, until it is crossed.

use std::borrow::Cow;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::base::value::Date;
use crate::features::audit::differences::operation;
use crate::law::efd::EfdRecord;
use crate::law::efd::contribuicoes::a100;
use crate::law::nfe::{DocumentStatus, ItemDaNota, NotaDeServico, NotaFiscal, Tag, TotalTag};

/// A record of the runs. Its texts are those of the document that it is made of, and then those of its own bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Crossed<'r> {
    /// An NF-e, NFC-e, CF-e SAT, CT-e or CT-e OS.
    #[serde(borrow)]
    Note(Box<CrossedNote<'r>>),
    Document(Box<BookDocument<'r>>),
    Carried(Box<CarriedNote<'r>>),
    Service(Box<CrossedService<'r>>),
}

/// A note that a CT-e carries, by its access key.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CarriedNote<'r> {
    pub(super) key: &'r str,
    /// The CT-e.
    pub(super) note: CrossedNote<'r>,
}

/// A document of the run, as far as books have it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the document, independent of the others")]
pub(super) struct CrossedNote<'r> {
    pub(super) arquivo: &'r str,
    pub(super) documento: u32,
    pub(super) numero: &'r str,
    pub(super) serie: &'r str,
    pub(super) modelo: &'r str,
    pub(super) emitente: &'r str,
    pub(super) comprador: &'r str,
    pub(super) day: Option<Date>,
    pub(super) saida: Option<Date>,
    pub(super) entrada: bool,
    pub(super) finalidade: u8,
    pub(super) crt: u8,
    /// It was cancelled, by its protocol or an event.
    pub(super) is_cancelled: bool,
    /// It was denied or rejected.
    pub(super) is_void: bool,
    /// The file has the protocol of its authorisation.
    pub(super) is_authorised: bool,
    /// Goods leave from or arrive at another place than those of seller and buyer.
    pub(super) elsewhere: bool,
    pub(super) totals: NoteTotals,
    pub(super) items: Vec<CrossedItem<'r>>,
}

/// Totals as the books have them: ICMS with FCP, ST with FCP-ST.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct NoteTotals {
    #[serde(with = "figure")]
    pub(super) nota: Decimal,
    /// `vNFTot`, from 2027 on.
    #[serde(with = "figure")]
    pub(super) nota_com_reforma: Decimal,
    #[serde(with = "figure")]
    pub(super) base: Decimal,
    #[serde(with = "figure")]
    pub(super) icms: Decimal,
    /// The part of `icms` that is FCP.
    #[serde(with = "figure")]
    pub(super) fcp: Decimal,
    #[serde(with = "figure")]
    pub(super) base_st: Decimal,
    #[serde(with = "figure")]
    pub(super) st: Decimal,
    /// The part of `st` that is FCP-ST.
    #[serde(with = "figure")]
    pub(super) fcp_st: Decimal,
    #[serde(with = "figure")]
    pub(super) ipi: Decimal,
    /// DIFAL and FCP of the State of destination.
    #[serde(with = "figure")]
    pub(super) difal: Decimal,
    #[serde(with = "figure")]
    pub(super) fcp_destino: Decimal,
}

/// An item, as the books group items.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CrossedItem<'r> {
    pub(super) number: u32,
    pub(super) codigo: &'r str,
    pub(super) ncm: &'r str,
    pub(super) ex: &'r str,
    pub(super) gtin: &'r str,
    pub(super) cest: &'r str,
    pub(super) cfop: &'r str,
    /// Origin and CST; empty if the item has a CSOSN.
    #[serde(borrow)]
    pub(super) cst: Cow<'r, str>,
    pub(super) csosn: &'r str,
    #[serde(with = "figure")]
    pub(super) aliquota: Decimal,
    #[serde(with = "figure")]
    pub(super) aliquota_fcp: Decimal,
    /// Its part of the total of the document.
    #[serde(with = "figure")]
    pub(super) valor: Decimal,
    #[serde(with = "figure")]
    pub(super) produto: Decimal,
    /// The value of the operation: price with freight and charges, less the discount.
    #[serde(with = "figure")]
    pub(super) operacao: Decimal,
    #[serde(with = "figure")]
    pub(super) base: Decimal,
    #[serde(with = "figure")]
    pub(super) icms: Decimal,
    #[serde(with = "figure")]
    pub(super) base_st: Decimal,
    #[serde(with = "figure")]
    pub(super) st: Decimal,
    #[serde(with = "figure")]
    pub(super) ipi: Decimal,
    /// `vCredICMSSN`.
    #[serde(with = "figure")]
    pub(super) credito_simples: Decimal,
}

/// A document of digital books: its line, and those of its children.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BookDocument<'r> {
    /// Which of the books of the run.
    pub(super) book: u32,
    /// All of its lines were read, and so was each of their amounts.
    pub(super) is_whole: bool,
    pub(super) participant: Option<Participant<'r>>,
    /// Its lines, the first is its own; and which lines of the book these are.
    pub(super) text: &'r str,
    pub(super) lines: Vec<u64>,
}

/// A line of the books that is of no document.
#[derive(Debug, Clone)]
pub(super) struct BookLine {
    pub(super) line: u64,
    pub(super) text: String,
}

/// Who is on the other side of a document (`0150`).
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Participant<'r> {
    /// CNPJ or CPF; empty if it has neither.
    pub(super) number: &'r str,
    pub(super) municipio: &'r str,
}

/// A product of the books (`0200`).
#[derive(Debug, Clone)]
pub(super) struct Product {
    pub(super) codigo: String,
    pub(super) tipo: String,
    pub(super) ncm: String,
    pub(super) ex: String,
    pub(super) gtin: String,
    pub(super) cest: String,
}

/// A number in the bytes of a record.
mod figure {
    use rust_decimal::Decimal;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
        (value.mantissa(), value.scale()).serialize(serializer)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Decimal, D::Error> {
        let (mantissa, scale) = <(i128, u32)>::deserialize(deserializer)?;
        Decimal::try_from_i128_with_scale(mantissa, scale).map_err(serde::de::Error::custom)
    }
}

impl<'r> CrossedNote<'r> {
    pub(super) fn of(arquivo: &'r str, documento: u32, nota: &'r NotaFiscal) -> CrossedNote<'r> {
        CrossedNote {
            arquivo,
            documento,
            numero: &nota.numero.numero,
            serie: &nota.numero.serie,
            modelo: &nota.modelo,
            emitente: &nota.emitente,
            comprador: &nota.comprador,
            day: nota.day,
            saida: nota.saida,
            entrada: nota.entrada,
            finalidade: nota.finalidade,
            crt: nota.crt,
            is_cancelled: nota.status == DocumentStatus::Cancelled,
            is_void: matches!(nota.status, DocumentStatus::Denied | DocumentStatus::Rejected),
            is_authorised: nota.is_authorised,
            elsewhere: nota.ufs.len() > 2 || (nota.destino == 1 && nota.ufs.len() > 1),
            totals: NoteTotals::of(nota),
            items: nota.items.iter().map(CrossedItem::of).collect(),
        }
    }

    /// What an amount of its items adds up to.
    pub(super) fn sum(&self, amount: impl Fn(&CrossedItem<'_>) -> Decimal) -> Decimal {
        self.items.iter().fold(Decimal::ZERO, |sum, item| sum.saturating_add(amount(item)))
    }
}

impl NoteTotals {
    fn of(nota: &NotaFiscal) -> NoteTotals {
        let total = |tag| nota.totals.or_zero(tag);
        NoteTotals {
            nota: total(TotalTag::Nota),
            nota_com_reforma: total(TotalTag::NotaComReforma),
            base: total(TotalTag::BaseIcms),
            icms: nota.totals.sum(&[TotalTag::Icms, TotalTag::Fcp]),
            fcp: total(TotalTag::Fcp),
            base_st: total(TotalTag::BaseSt),
            st: nota.totals.sum(&[TotalTag::St, TotalTag::FcpSt]),
            fcp_st: total(TotalTag::FcpSt),
            ipi: total(TotalTag::Ipi),
            difal: total(TotalTag::IcmsDestino),
            fcp_destino: total(TotalTag::FcpDestino),
        }
    }
}

impl<'r> CrossedItem<'r> {
    fn of(item: &'r ItemDaNota) -> CrossedItem<'r> {
        let figures = &item.figures;
        let get = |tag| figures.or_zero(tag);
        let product = if item.in_total { get(Tag::Produto) } else { Decimal::ZERO };
        let added = figures.sum(&[
            Tag::Frete,
            Tag::Seguro,
            Tag::Outras,
            Tag::StValor,
            Tag::StFcpValor,
            Tag::MonoRetencaoValor,
            Tag::ImpostoImportacao,
            Tag::IpiValor,
            Tag::IpiDevolvido,
        ]);
        let exempted = if item.deduz_desonerado == Some(true) { get(Tag::IcmsDesonerado) } else { Decimal::ZERO };
        let valor = product.saturating_add(added).saturating_add(item.contributions_in_total());
        let origem = item.origem.filter(|_| !item.cst_icms.is_empty());
        CrossedItem {
            number: item.number,
            codigo: &item.codigo,
            ncm: &item.ncm,
            ex: &item.ex,
            gtin: &item.gtin,
            cest: &item.cest,
            cfop: &item.cfop,
            cst: origem.map(|origem| format!("{origem}{}", item.cst_icms).into()).unwrap_or_default(),
            csosn: &item.csosn,
            aliquota: get(Tag::IcmsAliquota),
            aliquota_fcp: get(Tag::FcpAliquota),
            produto: get(Tag::Produto),
            operacao: operation(item),
            valor: valor.saturating_sub(get(Tag::Desconto)).saturating_sub(exempted),
            base: get(Tag::IcmsBase),
            icms: figures.sum(&[Tag::IcmsValor, Tag::FcpValor]),
            base_st: get(Tag::StBase),
            st: figures.sum(&[Tag::StValor, Tag::StFcpValor]),
            ipi: get(Tag::IpiValor),
            credito_simples: get(Tag::CreditoValor),
        }
    }
}

/// An NFS-e.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CrossedService<'r> {
    pub(super) arquivo: &'r str,
    pub(super) documento: u32,
    pub(super) numero: &'r str,
    pub(super) emitente: &'r str,
    pub(super) day: Option<Date>,
    pub(super) is_valid: bool,
    /// The price in cents, and the same with the discount that it is net of.
    cents: [i128; 2],
    /// PIS and COFINS that its taker withheld, in cents.
    withheld: [i128; 2],
}

impl<'r> CrossedService<'r> {
    /// With the prices of all its services; `None` if one is not known.
    pub(super) fn of(arquivo: &'r str, documento: u32, nota: &'r NotaDeServico) -> Option<CrossedService<'r>> {
        let prices = nota.servicos().map(|service| service.preco).collect::<Option<Vec<Decimal>>>()?;
        let [price, discounts] = [prices, nota.servicos().map(|service| service.desconto).collect()]
            .map(|amounts| amounts.into_iter().fold(Decimal::ZERO, Decimal::saturating_add));
        let cents = [price, price.saturating_add(discounts)].map(in_cents);
        let (numero, emitente) = (nota.numero.numero.as_str(), nota.emitente.as_str());
        let is_valid = nota.status == DocumentStatus::Valid;
        let withheld = [nota.retencoes.pis, nota.retencoes.cofins].map(|amount| in_cents(amount.unwrap_or_default()));
        Some(CrossedService { arquivo, documento, numero, emitente, day: nota.day, is_valid, cents, withheld })
    }

    /// What joins it with its record; `None` without a number.
    pub(super) fn key(&self) -> Option<String> {
        key(self.emitente, self.numero)
    }

    /// The price, and the same with the discount.
    pub(super) fn values(&self) -> [Decimal; 2] {
        self.cents.map(of_cents)
    }

    pub(super) fn withheld(&self) -> [Decimal; 2] {
        self.withheld.map(of_cents)
    }
}

fn of_cents(cents: i128) -> Decimal {
    Decimal::try_from_i128_with_scale(cents, 2).unwrap_or_default()
}

fn in_cents(value: Decimal) -> i128 {
    value.saturating_mul(Decimal::ONE_HUNDRED).round().mantissa()
}

/// Provider and number. It comes after access keys, which begin with a digit.
fn key(provider: &str, number: &str) -> Option<String> {
    let number = number.trim_start_matches('0');
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && provider.len() == 14).then(|| format!("~S{provider}~{number}"))
}

/// The same of a record of a service that the declarant rendered; `None` of another record.
pub(super) fn key_of_service(record: &EfdRecord<'_>, establishment: &str, declarant: &str) -> Option<String> {
    let is_own = record.name() == "A100" && record.text(a100::IND_OPER) == "1" && record.text(a100::IND_EMIT) == "0";
    let provider = if establishment.is_empty() { declarant } else { establishment };
    is_own.then(|| key(provider, record.text(a100::NUM_DOC))).flatten()
}
