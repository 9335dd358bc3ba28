//! Documents that are cancelled or denied, and what cancels them.

use taxd_law::nfe::{self, DocumentStatus, Event, FiscalDocument, XmlLimits};

const KEY: &str = "35260311222333000181550010000000011000000019";

fn note(protocol: &str) -> String {
    format!("<nfeProc><NFe><infNFe Id=\"NFe{KEY}\"><ide><mod>55</mod></ide></infNFe></NFe>{protocol}</nfeProc>")
}

fn status(xml: &str) -> DocumentStatus {
    nfe::read(xml.as_bytes()).unwrap()[0].status()
}

#[test]
fn the_protocol_gives_the_status_of_a_document() {
    assert_eq!(status(&note("")), DocumentStatus::Valid);
    let cases = [
        (["100", "150"].as_slice(), DocumentStatus::Valid),
        (&["101", "151", "155"], DocumentStatus::Cancelled),
        (&["110", "205", "301", "302", "303"], DocumentStatus::Denied),
        (&["204", "539", "999"], DocumentStatus::Rejected),
    ];
    for (codes, wanted) in cases {
        for code in codes {
            let protocol = format!("<protNFe><infProt><chNFe>{KEY}</chNFe><cStat>{code}</cStat></infProt></protNFe>");
            assert_eq!(status(&note(&protocol)), wanted, "cStat {code}");
            let without_id = note(&protocol).replace(&format!(" Id=\"NFe{KEY}\""), "");
            assert_eq!(status(&without_id), wanted, "cStat {code} of the only document of the file");
            let other = note(&protocol.replace("0019<", "0027<"));
            assert_eq!(status(&other), DocumentStatus::Valid, "the protocol of another document");
        }
    }
}

fn event(kind: &str, answer: &str) -> String {
    format!(
        "<procEventoNFe><evento><infEvento><chNFe>{KEY}</chNFe><tpEvento>{kind}</tpEvento></infEvento></evento>{answer}</procEventoNFe>"
    )
}

fn answer(kind: &str, code: &str) -> String {
    format!(
        "<retEvento><infEvento><cStat>{code}</cStat><chNFe>{KEY}</chNFe><tpEvento>{kind}</tpEvento></infEvento></retEvento>"
    )
}

#[test]
fn a_registered_event_cancels_and_no_other() {
    let cancels = |xml: &str| {
        let found = nfe::read(xml.as_bytes()).unwrap();
        let [FiscalDocument::Event(Event { key, cancels, .. })] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(key, KEY);
        assert_eq!(nfe::cancelled_keys(xml.as_bytes(), XmlLimits::default()).len(), usize::from(*cancels));
        *cancels
    };
    for kind in ["110111", "110112"] {
        for code in ["135", "136", "155"] {
            assert!(cancels(&event(kind, &answer(kind, code))), "{kind} {code}");
        }
        assert!(!cancels(&event(kind, "")), "a request that nobody answered");
        assert!(!cancels(&event(kind, &answer(kind, "573"))), "a rejected one");
    }
    assert!(!cancels(&event("110110", &answer("110110", "135"))), "a letter of correction");
    let lot = format!("<retEnvEvento><cStat>128</cStat>{}</retEnvEvento>", answer("110111", "135"));
    assert!(cancels(&lot));
}

/// Who receives notes may have only the summary of their cancellation, which is written once it is registered.
#[test]
fn the_summary_of_a_cancellation_cancels() {
    let summary = |kind: &str| {
        format!("<?xml version=\"1.0\"?><resEvento><chNFe>{KEY}</chNFe><tpEvento>{kind}</tpEvento></resEvento>")
    };
    assert_eq!(nfe::cancelled_keys(summary("110111").as_bytes(), XmlLimits::default()), [KEY]);
    assert!(nfe::cancelled_keys(summary("110110").as_bytes(), XmlLimits::default()).is_empty());
}

#[test]
fn an_nfse_is_cancelled_by_its_event_or_by_what_is_beside_it() {
    let key = "35503082211222333000181000000000000126031234567890";
    let event = |kind: &str| {
        format!(
            "<evento><infEvento><pedRegEvento><infPedReg><chNFSe>{key}</chNFSe><{kind}/></infPedReg></pedRegEvento></infEvento></evento>"
        )
    };
    assert_eq!(nfe::cancelled_keys(event("e101101").as_bytes(), XmlLimits::default()), [key]);
    assert_eq!(nfe::cancelled_keys(event("e105102").as_bytes(), XmlLimits::default()), [key]);
    assert!(nfe::cancelled_keys(event("e202201").as_bytes(), XmlLimits::default()).is_empty());
    let abrasf = |beside: &str| format!("<CompNfse><Nfse><InfNfse/></Nfse>{beside}</CompNfse>");
    assert_eq!(status(&abrasf("")), DocumentStatus::Valid);
    let confirmed = |success: &str| {
        format!(
            "<NfseCancelamento><Confirmacao><Pedido><InfPedidoCancelamento><Numero>1</Numero></InfPedidoCancelamento></Pedido>\
             <InfConfirmacaoCancelamento>{success}</InfConfirmacaoCancelamento></Confirmacao></NfseCancelamento>"
        )
    };
    for success in ["", "<Sucesso>true</Sucesso>", "<DataHora>2026-03-10T10:00:00</DataHora>"] {
        assert_eq!(status(&abrasf(&confirmed(success))), DocumentStatus::Cancelled, "{success}");
    }
    let replaced = "<NfseSubstituicao><SubstituicaoNfse><NfseSubstituidora>2</NfseSubstituidora></SubstituicaoNfse></NfseSubstituicao>";
    assert_eq!(status(&abrasf(replaced)), DocumentStatus::Cancelled);
    // Systems that write the groups into every document: each was once left out as cancelled.
    let empty = "<NfseCancelamento><Confirmacao><Pedido><InfPedidoCancelamento/></Pedido></Confirmacao></NfseCancelamento>\
                 <NfseSubstituicao><SubstituicaoNfse/></NfseSubstituicao>";
    assert_eq!(status(&abrasf(empty)), DocumentStatus::Valid);
    for success in ["False", "false", "0"] {
        let xml = abrasf(&confirmed(&format!("<Sucesso>{success}</Sucesso>")));
        assert_eq!(status(&xml), DocumentStatus::Valid, "{success}");
    }
}

/// From July 2026 on a CNPJ may have letters.
#[test]
fn a_cnpj_with_letters_is_read_whole() {
    let xml = note("").replace("<ide>", "<emit><CNPJ>12ABC34501DE35</CNPJ></emit><ide>");
    assert_eq!(nfe::read(xml.as_bytes()).unwrap()[0].emitente(), "12ABC34501DE35");
}
