//! The NFS-e of the layout of São Paulo, whose element `NFe` is not that of the States.

use rust_decimal::Decimal;
use taxd_law::nfe::{self, DocumentStatus, FiscalDocument, NotaDeServico, TomadorDoServico, XmlLimits};

fn notes(fields: &str, more: &str) -> Vec<NotaDeServico> {
    let note = format!(
        "<NFe xmlns=\"\"><ChaveNFe><InscricaoPrestador>12345678</InscricaoPrestador><NumeroNFe>501</NumeroNFe>\
         <CodigoVerificacao>ABCD1234</CodigoVerificacao></ChaveNFe><DataEmissaoNFe>2026-06-15T14:00:00</DataEmissaoNFe>\
         <CPFCNPJPrestador><CNPJ>11222333000181</CNPJ></CPFCNPJPrestador><ValorServicos>1000.00</ValorServicos>\
         <ValorDeducoes>100.00</ValorDeducoes><CodigoServico>02919</CodigoServico><AliquotaServicos>0.05</AliquotaServicos>\
         <ValorISS>45.00</ValorISS><ValorIR>15.00</ValorIR><CPFCNPJTomador><CNPJ>55666777000181</CNPJ></CPFCNPJTomador>{fields}</NFe>"
    );
    let file = format!("<RetornoConsulta xmlns=\"http://www.prefeitura.sp.gov.br/nfe\">{note}{more}</RetornoConsulta>");
    let found = nfe::read(file.as_bytes()).unwrap();
    let service = |document| match document {
        FiscalDocument::Servico(note) => *note,
        other => panic!("{other:?}"),
    };
    found.into_iter().map(service).collect()
}

fn amount(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// It was once only named, as a layout that is not read.
#[test]
fn its_figures_are_those_of_abrasf_in_other_places() {
    let plain = "<StatusNFe>N</StatusNFe><TributacaoNFe>T</TributacaoNFe><OpcaoSimples>0</OpcaoSimples><ISSRetido>false</ISSRetido>";
    let [note] = notes(plain, "").try_into().unwrap();
    assert_eq!((note.numero.numero.as_str(), note.emitente.as_str()), ("501", "11222333000181"));
    assert_eq!(note.day.unwrap().to_string(), "2026-06-15");
    assert_eq!((note.preco, note.deducoes), (Some(amount("1000.00")), Decimal::ONE_HUNDRED));
    assert_eq!(
        (note.base, note.aliquota, note.valor),
        (Some(amount("900.00")), Some(amount("5.00")), Some(amount("45.00")))
    );
    assert_eq!((note.municipio.as_str(), note.municipio_prestador.as_str()), ("3550308", "3550308"));
    assert_eq!((note.exigivel, note.simples, note.por_outra_conta), (Some(true), false, false));
    assert_eq!(note.item_lista, "", "the code of the city is not that of LC 116/2003");
    assert_eq!((note.retencoes.irrf, note.retencoes.iss_retido), (Some(amount("15.00")), Some(false)));
    assert_eq!(note.retencoes.tomador, TomadorDoServico::PessoaJuridica);
    assert!(note.unreadable.is_empty() && note.status == DocumentStatus::Valid, "{note:?}");
}

#[test]
fn its_codes_say_where_and_whether_the_tax_is_due() {
    let one = |fields: &str| notes(fields, "").remove(0);
    for (code, due, place) in [
        ("F", Some(true), "3518800"),
        ("A", Some(false), "3550308"),
        ("B", Some(false), "3518800"),
        ("M", Some(false), "3550308"),
        ("X", Some(false), "3550308"),
        ("P", Some(false), "3550308"),
        ("J", None, "3550308"),
    ] {
        let elsewhere = "<MunicipioPrestacao>3518800</MunicipioPrestacao>";
        let note = one(&format!("<TributacaoNFe>{code}</TributacaoNFe>{elsewhere}"));
        assert_eq!((note.exigivel, note.municipio.as_str()), (due, place), "{code}");
    }
    assert_eq!(one("<TributacaoNFe>F</TributacaoNFe>").municipio, "", "nobody says where");
    for (code, simples, other) in [("4", true, false), ("6", true, false), ("2", false, true)] {
        let note = one(&format!("<TributacaoNFe>T</TributacaoNFe><OpcaoSimples>{code}</OpcaoSimples>"));
        assert_eq!((note.simples, note.por_outra_conta), (simples, other), "{code}");
    }
}

/// Files that the city exports have the same note twice.
#[test]
fn cancelled_notes_and_copies_are_known() {
    let copy = notes("<StatusNFe>C</StatusNFe>", "<NFe><ChaveNFe><NumeroNFe>502</NumeroNFe></ChaveNFe></NFe>");
    assert_eq!(copy[0].status, DocumentStatus::Cancelled);
    assert_eq!(copy[0].key, "12345678-501-ABCD1234");
    assert_eq!(copy[1].key, "", "a note that does not say all of it may be another one");
}

/// Each costs as much as any other document.
#[test]
fn its_notes_count_against_the_limit_of_documents() {
    let file = format!("<RetornoConsulta>{}</RetornoConsulta>", "<NFe><ChaveNFe/></NFe>".repeat(6));
    let limits = XmlLimits { items: 5, ..XmlLimits::default() };
    assert_eq!(nfe::read_within(file.as_bytes(), limits).unwrap_err().codigo, "xml_grande_demais");
}
