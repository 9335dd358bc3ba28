//! Fiscal documents as facts: NF-e and NFC-e 4.00, NFS-e of the national layout and of ABRASF.
//!
//! The input is the bytes of one XML file, which are hostile: no document type, no entity but those of XML itself, and
//! limits on bytes, elements and depth ([`xml`]). The output is what the document declares, figure by figure, as the
//! tables of tags say ([`tags`]), and the payloads that ask the engine the same question ([`payloads`]). Element names
//! match by their local name, whatever the prefix. A figure that is not a number is a fault of its field, with line and
//! item; the rest of the document is read all the same.
//!
//! Pure: no file, no clock, no network. Names of people, descriptions and access keys are not read.

mod contribuinte;
mod encoding;
mod nota;
pub mod payloads;
mod servico;
mod tags;
mod xml;

use crate::value::Date;

pub use contribuinte::{Contribuinte, RegimeDasContribuicoes, RegimeDoContribuinte};
pub use nota::{ItemDaNota, NotaFiscal};
pub use servico::NotaDeServico;
pub use tags::{Figures, Tag, Tags, TotalTag};
pub use xml::{MAX_DEPTH, MAX_XML_BYTES, XmlFault};

use self::xml::Element;

/// A document of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FiscalDocument {
    /// NF-e or NFC-e.
    Nota(NotaFiscal),
    /// NFS-e.
    Servico(NotaDeServico),
}

/// A field that has no readable value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableField {
    /// The element.
    pub name: String,
    /// Its line in the file, from 1.
    pub line: u32,
}

impl FiscalDocument {
    /// The day of issue, in the time of the place that issued it; `None` if it is not readable.
    #[must_use]
    pub fn day(&self) -> Option<Date> {
        match self {
            FiscalDocument::Nota(nota) => nota.day,
            FiscalDocument::Servico(nota) => nota.day,
        }
    }

    /// The digits of the CNPJ or CPF of the issuer; empty if the document has none.
    #[must_use]
    pub fn emitente(&self) -> &str {
        match self {
            FiscalDocument::Nota(nota) => &nota.emitente,
            FiscalDocument::Servico(nota) => &nota.emitente,
        }
    }
}

/// Most documents and items of a file: each costs some 10 KB. A document has at most 990 items, and a batch 50 documents.
const MAX_ITEMS: usize = 50_000;

/// Reads the documents of a file, in order. Fails if the file is not XML within the limits, or has no document.
pub fn read(bytes: &[u8]) -> Result<Vec<FiscalDocument>, XmlFault> {
    let root = xml::parse(&encoding::decode(bytes)?)?;
    if count(&root) > MAX_ITEMS {
        let detail = format!("tem mais de {MAX_ITEMS} notas e itens");
        return Err(XmlFault { line: 1, codigo: "xml_grande_demais", detail });
    }
    let mut found = Vec::new();
    collect(&root, &mut found);
    if found.is_empty() {
        let detail = if root.name.contains("vento") || root.first("infEvento").is_some() {
            "é um evento (cancelamento, carta de correção), e não uma nota"
        } else {
            "não tem NF-e, NFC-e nem NFS-e de um leiaute conhecido"
        };
        return Err(XmlFault { line: 1, codigo: "documento_desconhecido", detail: detail.to_owned() });
    }
    Ok(found)
}

/// How many documents and items there are at and below an element.
fn count(element: &Element) -> usize {
    let own = usize::from(matches!(element.name.as_str(), "infNFe" | "infNFSe" | "InfNfse" | "det"));
    element.children.iter().fold(own, |sum, child| sum + count(child))
}

/// Adds the documents at and below an element.
fn collect(element: &Element, found: &mut Vec<FiscalDocument>) {
    match element.name.as_str() {
        "infNFe" => found.push(FiscalDocument::Nota(NotaFiscal::of(element))),
        "infNFSe" => found.push(FiscalDocument::Servico(NotaDeServico::of_national(element))),
        "InfNfse" => found.push(FiscalDocument::Servico(NotaDeServico::of_abrasf(element))),
        _ => element.children.iter().for_each(|child| collect(child, found)),
    }
}
