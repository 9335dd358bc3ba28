//! Fiscal documents as facts: NF-e and NFC-e 4.00, CF-e SAT, CT-e and CT-e OS 4.00, NFS-e of the national layout, of
//! ABRASF, of IPM and of São Paulo.
//!
//! The input is the bytes of one XML file, which are hostile: no document type, no entity but those of XML itself, and
//! limits on bytes, elements and depth ([`xml`]). The output is what the document declares, figure by figure, as the
//! tables of tags say ([`tags`]), and the payloads that ask the engine the same question ([`payloads`]). Element names
//! match by their local name, whatever the prefix. A figure that is not a number is a fault of its field, with line and
//! item; the rest of the document is read all the same.
//!
//! Pure: no file, no clock, no network. Names of people and descriptions are not read. Access keys are read to find
//! documents that occur twice or were cancelled, and are never written.

mod cfe_sat;
mod contribuinte;
mod cte;
mod encoding;
mod ipm;
mod nota;
mod other;
mod packed;
mod paulistana;
pub mod payloads;
mod reforma;
mod reforma_servico;
mod retencoes;
mod rewrite;
mod servico;
mod status;
mod tags;
mod xml;

use std::collections::HashMap;

use serde::Serialize;

use crate::base::value::Date;

pub use contribuinte::{
    AnexoDeServicos, Contribuinte, MesDoSimples, PrecoNoVarejo, RegimeDasContribuicoes, RegimeDoContribuinte,
};
pub use cte::{Transporte, TransporteTag};
pub use nota::{ISS_ELSEWHERE, ItemDaNota, NotaFiscal, tax_number};
pub use other::OtherFile;
pub use reforma::{Grupo, ReformaDaNota, ReformaDoItem};
pub use reforma_servico::{ReformaDoServico, TributoDoServico};
pub use retencoes::{RetencoesDoServico, TomadorDoServico};
pub use servico::{ContribuicoesDoServico, NotaDeServico};
pub use status::{DocumentStatus, Event};
pub use tags::{Figures, Tag, Tags, TotalTag};
pub use xml::{MAX_DEPTH, MAX_XML_BYTES, XmlFault, XmlLimits};

use self::xml::Element;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FiscalDocument {
    /// NF-e or NFC-e.
    Nota(Box<NotaFiscal>),
    /// NFS-e.
    Servico(Box<NotaDeServico>),
    /// CT-e or CT-e OS.
    Transporte(Box<Transporte>),
    /// An event about a document, such as its cancellation.
    Event(Event),
    /// The only content of a file that has none of these.
    Other(OtherFile),
}

/// A field that has no readable value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableField {
    pub name: String,
    /// Its line in the file, from 1.
    pub line: u32,
}

impl FiscalDocument {
    /// The day of issue, in the time of the place that issued it; `None` if it is not readable.
    pub fn day(&self) -> Option<Date> {
        match self {
            FiscalDocument::Nota(nota) => nota.day,
            FiscalDocument::Servico(nota) => nota.day,
            FiscalDocument::Transporte(cte) => cte.day,
            FiscalDocument::Event(_) | FiscalDocument::Other(_) => None,
        }
    }

    /// The access key, which no report shows; empty if the document has none.
    pub fn key(&self) -> &str {
        match self {
            FiscalDocument::Nota(nota) => &nota.key,
            FiscalDocument::Servico(nota) => &nota.key,
            FiscalDocument::Transporte(cte) => &cte.key,
            FiscalDocument::Event(event) => &event.key,
            FiscalDocument::Other(_) => "",
        }
    }

    /// How much of the limit of documents and items it takes.
    fn items(&self) -> usize {
        match self {
            FiscalDocument::Nota(nota) => 1 + nota.items.len(),
            FiscalDocument::Servico(nota) => 1 + nota.outros.len(),
            FiscalDocument::Transporte(_) | FiscalDocument::Event(_) | FiscalDocument::Other(_) => 1,
        }
    }

    /// The number and series of the document; `None` of an event and of another document.
    pub fn numero(&self) -> Option<&DocumentNumber> {
        match self {
            FiscalDocument::Nota(nota) => Some(&nota.numero),
            FiscalDocument::Servico(nota) => Some(&nota.numero),
            FiscalDocument::Transporte(cte) => Some(&cte.numero),
            FiscalDocument::Event(_) | FiscalDocument::Other(_) => None,
        }
    }

    /// Whether the document is valid, as far as its file shows.
    pub fn status(&self) -> DocumentStatus {
        match self {
            FiscalDocument::Nota(nota) => nota.status,
            FiscalDocument::Servico(nota) => nota.status,
            FiscalDocument::Transporte(cte) => cte.status,
            FiscalDocument::Event(_) | FiscalDocument::Other(_) => DocumentStatus::Valid,
        }
    }

    /// Records what another file says of the document.
    pub fn set_status(&mut self, status: DocumentStatus) {
        match self {
            FiscalDocument::Nota(nota) => nota.status = status,
            FiscalDocument::Servico(nota) => nota.status = status,
            FiscalDocument::Transporte(cte) => cte.status = status,
            FiscalDocument::Event(_) | FiscalDocument::Other(_) => {}
        }
    }

    /// The CNPJ or CPF of the issuer, without its punctuation; empty if the document has none.
    pub fn emitente(&self) -> &str {
        match self {
            FiscalDocument::Nota(nota) => &nota.emitente,
            FiscalDocument::Servico(nota) => &nota.emitente,
            FiscalDocument::Transporte(cte) => &cte.emitente,
            FiscalDocument::Event(_) | FiscalDocument::Other(_) => "",
        }
    }
}

/// Reads the documents of a file, in order. Fails if the file is not XML within the usual limits, or its content is
/// not known.
pub fn read(bytes: &[u8]) -> Result<Vec<FiscalDocument>, XmlFault> {
    read_within(bytes, XmlLimits::default())
}

/// The same within other limits.
pub fn read_within(bytes: &[u8], limits: XmlLimits) -> Result<Vec<FiscalDocument>, XmlFault> {
    let text = encoding::decode(bytes, limits.bytes)?;
    let root = xml::parse(&text, limits)?;
    let packed = packed::read(&root, limits);
    if packed.is_empty() { documents_of(&root) } else { Ok(packed) }
}

/// Reads the documents of a file, without those that it has packed.
fn documents(bytes: &[u8], limits: XmlLimits) -> Result<Vec<FiscalDocument>, XmlFault> {
    let text = encoding::decode(bytes, limits.bytes)?;
    documents_of(&xml::parse(&text, limits)?)
}

fn documents_of(root: &Element<'_>) -> Result<Vec<FiscalDocument>, XmlFault> {
    let mut found = Vec::new();
    collect(root, DocumentStatus::Valid, &mut found);
    let mut events = Vec::new();
    status::events(root, &mut events);
    judge(root, &events, &mut found);
    if found.is_empty() {
        found.extend(events.into_iter().map(FiscalDocument::Event));
    }
    if found.is_empty() {
        found.extend(other::other(root).map(FiscalDocument::Other));
    }
    if found.is_empty() {
        let detail = "não tem NF-e, NFC-e, CF-e SAT, CT-e nem NFS-e de um leiaute conhecido".to_owned();
        return Err(XmlFault { line: 1, codigo: "documento_desconhecido", detail });
    }
    Ok(found)
}

/// Bytes in which the root of a file occurs, whatever declaration precedes it.
const HEAD_BYTES: usize = 512;

/// The access keys that the events of a file cancel. Other files are not parsed: a search of their bytes is enough.
pub fn cancelled_keys(bytes: &[u8], limits: XmlLimits) -> Vec<String> {
    const WORDS: [&str; 4] = ["infEvento", "docZip", "CFeCanc", "infCteSub"];
    const SUMMARY: &str = "resEvento";
    // A byte order mark, which UTF-16 has, hides the word from the search.
    let marked = matches!(bytes.first(), Some(0xfe | 0xff));
    let head = bytes.get(..HEAD_BYTES.min(bytes.len())).unwrap_or_default();
    let among = |bytes: &[u8], word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    // A text is searched many bytes at a time.
    let text = std::str::from_utf8(bytes).ok();
    let has = |word: &&str| text.map_or_else(|| among(bytes, word), |text| text.contains(*word));
    if !marked && !among(head, SUMMARY) && !WORDS.iter().any(has) {
        return Vec::new();
    }
    let mut events = Vec::new();
    add_events(bytes, limits, true, &mut events);
    events.into_iter().filter(|event| event.cancels).map(|event| event.key).collect()
}

/// Adds the events of a file, and of the documents that it has packed.
fn add_events(bytes: &[u8], limits: XmlLimits, with_packed: bool, events: &mut Vec<Event>) {
    let Ok(text) = encoding::decode(bytes, limits.bytes) else { return };
    let Ok(root) = xml::parse(&text, limits) else { return };
    status::events(&root, events);
    if with_packed {
        packed::each(&root, limits, |bytes, left| {
            if let Ok(bytes) = bytes {
                add_events(bytes, left, false, events);
            }
            0
        });
    }
}

/// Records what the protocols of the file, and the events in it, say of its documents. Some systems write the event that
/// cancels a note into the file of the note.
fn judge(root: &Element<'_>, events: &[Event], found: &mut [FiscalDocument]) {
    let mut protocols = HashMap::new();
    status::protocols(root, &mut protocols);
    if let ([FiscalDocument::Nota(nota)], 1) = (&mut *found, protocols.len())
        && nota.key.is_empty()
    {
        nota.key = protocols.keys().next().cloned().unwrap_or_default();
    }
    for document in found {
        if let Some(status) = protocols.get(document.key()) {
            document.set_status(*status);
            if let FiscalDocument::Nota(nota) = document {
                nota.is_authorised = *status == DocumentStatus::Valid;
            }
        }
        if events.iter().any(|event| event.cancels && event.key == document.key()) {
            document.set_status(DocumentStatus::Cancelled);
        }
    }
}

/// Adds the documents at and below an element.
fn collect(element: &Element<'_>, status: DocumentStatus, found: &mut Vec<FiscalDocument>) {
    let before = found.len();
    match &*element.name {
        "infNFe" => found.push(FiscalDocument::Nota(Box::new(NotaFiscal::of(element)))),
        "infCFe" => found.push(FiscalDocument::Nota(Box::new(NotaFiscal::of(&cfe_sat::as_note(element))))),
        "infCte" => found.push(FiscalDocument::Transporte(Box::new(Transporte::of(element)))),
        "infNFSe" => found.push(FiscalDocument::Servico(Box::new(NotaDeServico::of_national(element)))),
        "InfNfse" => found.push(FiscalDocument::Servico(Box::new(NotaDeServico::of_abrasf(element)))),
        "NFe" if element.first("ChaveNFe").is_some() => {
            let note = paulistana::read(element);
            return found.push(FiscalDocument::Servico(Box::new(note)));
        }
        "nfse" if ipm::is_note(element) => {
            return found.push(FiscalDocument::Servico(Box::new(ipm::read(element))));
        }
        _ if other::is_other(element) => {}
        name => {
            let void = matches!(name, "CompNfse" | "ComplNfse") && status::is_void(element);
            let status = if void { DocumentStatus::Cancelled } else { status };
            return element.children.iter().for_each(|child| collect(child, status, found));
        }
    }
    found.iter_mut().skip(before).for_each(|document| document.set_status(status));
}

/// Most characters of a number or series that are kept: the longest official one, of an NFS-e of ABRASF, has 15.
const MAX_NUMBER_CHARS: usize = 15;

/// The number and series, as the document writes them. Empty without one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DocumentNumber {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub numero: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub serie: String,
}

impl DocumentNumber {
    pub(super) fn of(numero: Option<&str>, serie: Option<&str>) -> DocumentNumber {
        let short = |text: Option<&str>| text.unwrap_or_default().trim().chars().take(MAX_NUMBER_CHARS).collect();
        DocumentNumber { numero: short(numero), serie: short(serie) }
    }
}
