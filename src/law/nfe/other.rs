//! XML files other than NF-e, NFC-e, CF-e SAT, CT-e and NFS-e of a known layout, by name.
//!
//! Most folders have them beside the notes. They are named and not compared. A note in a layout
//! that is not read must never pass for one of them.

use super::xml::Element;

/// A file that is known by name, and is not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherFile {
    /// A stable name of the kind.
    pub codigo: &'static str,
    /// What it is, in Portuguese, and what to do if it has notes.
    pub detail: String,
    /// It is a note, or may contain notes, and was not read.
    pub has_notes: bool,
}

struct Kind {
    name: &'static str,
    /// The path of an element that it must have; empty if the name is enough.
    child: &'static str,
    /// What people call the document.
    words: &'static str,
    /// It is a note, in a layout that is not read.
    is_note: bool,
}

const fn named(name: &'static str, words: &'static str) -> Kind {
    Kind { name, child: "", words, is_note: false }
}

const fn with_child(name: &'static str, child: &'static str, words: &'static str, is_note: bool) -> Kind {
    Kind { name, child, words, is_note }
}

const RPS: &str = "um RPS, e não a NFS-e que resulta dele";
const QUERY: &str = "uma consulta da situação de uma nota";
const MESSAGE: &str = "uma mensagem dos serviços da SEFAZ, sem nota";

/// The other documents. An MDF-e and its kin name documents in elements like those of an NF-e, so nothing is looked for
/// inside these elements. One that contains another of the list comes first.
const KINDS: [Kind; 37] = [
    named("GTVe", "uma GTV-e"),
    named("infMDFe", "um MDF-e"),
    named("infBPe", "um BP-e"),
    named("infNF3e", "uma NF3-e"),
    named("infNFCom", "uma NFCom"),
    named("infNFGas", "uma NFGas"),
    named("infNFAg", "uma NFAg"),
    named("infDCe", "uma DC-e"),
    named("infDPS", "uma DPS, e não a NFS-e que resulta dela"),
    named("infRps", RPS),
    named("InfRps", RPS),
    named("InfDeclaracaoPrestacaoServico", RPS),
    named("PedidoEnvioRPS", RPS),
    named("PedidoEnvioLoteRPS", RPS),
    named("infInut", "uma inutilização de numeração"),
    named("resNFe", "um resumo de nota (resNFe), sem itens: baixe o XML inteiro dela"),
    named("CFeCanc", "o cancelamento de um CF-e SAT"),
    named("Reinf", "um evento da EFD-Reinf"),
    named("eSocial", "um evento do eSocial"),
    named("consSitNFe", QUERY),
    named("retConsSitNFe", QUERY),
    named("retConsSitCTe", QUERY),
    named("protNFe", "só o protocolo de uma nota: baixe o XML inteiro dela"),
    named("protCTe", "só o protocolo de um CT-e: baixe o XML inteiro dele"),
    named("retEnviNFe", MESSAGE),
    named("consReciNFe", MESSAGE),
    named("retConsReciNFe", MESSAGE),
    named("consStatServ", MESSAGE),
    named("retConsStatServ", MESSAGE),
    named("ConsCad", MESSAGE),
    named("retConsCad", MESSAGE),
    named("distDFeInt", MESSAGE),
    named("retEnvEvento", MESSAGE),
    named("retDistDFeInt", "uma distribuição de documentos (retDistDFeInt) sem nenhum documento"),
    with_child("nfse", "nf/numero", "uma NFS-e do leiaute da IPM, em outra versão", true),
    with_child("nfse", "itens", RPS, false),
    with_child("retorno", "numero_nfse", "um retorno da prefeitura, e não a NFS-e", false),
];

/// Returns whether an element is another document, in which no note is looked for.
pub(super) fn is_other(element: &Element<'_>) -> bool {
    kind(element).is_some()
}

fn kind(element: &Element<'_>) -> Option<&'static Kind> {
    let is = |kind: &&Kind| element.name == kind.name && (kind.child.is_empty() || element.find(kind.child).is_some());
    KINDS.iter().find(is)
}

/// Returns what other document is at or below an element.
pub(super) fn other(element: &Element<'_>) -> Option<OtherFile> {
    let Some(kind) = kind(element) else { return element.children.iter().find_map(other) };
    let words = kind.words;
    Some(if kind.is_note {
        let detail = format!("é {words}: este leiaute não é lido, e o documento não foi conferido");
        OtherFile { codigo: "leiaute_nao_lido", detail, has_notes: true }
    } else {
        let detail = format!("é {words}; são conferidos NF-e, NFC-e, CF-e SAT, CT-e e NFS-e");
        OtherFile { codigo: "outro_documento", detail, has_notes: false }
    })
}
