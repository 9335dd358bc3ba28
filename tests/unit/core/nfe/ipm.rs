//! The NFS-e of IPM: several services a note, numbers with a comma, codes of the Receita Federal.

use rust_decimal::Decimal;
use taxd_law::nfe::{self, DocumentStatus, FiscalDocument, NotaDeServico, TomadorDoServico, XmlLimits};

const NOTE: &str = include_str!("../../../golden/layouts/nfse_ipm.xml");

#[track_caller]
fn ipm(xml: &str) -> NotaDeServico {
    match nfe::read(xml.as_bytes()).unwrap().remove(0) {
        FiscalDocument::Servico(note) => *note,
        other => panic!("{other:?}"),
    }
}

fn amount(text: &str) -> Option<Decimal> {
    text.parse().ok()
}

/// The note with its service replaced.
fn with(services: &str) -> String {
    let (begin, end) = (NOTE.find("<lista>").unwrap(), NOTE.find("</itens>").unwrap());
    [&NOTE[..begin], services, &NOTE[end..]].concat()
}

/// It was once only named, as a layout that is not read.
#[test]
fn its_figures_are_those_of_abrasf_in_other_places() {
    let note = ipm(NOTE);
    assert_eq!((note.numero.numero.as_str(), note.emitente.as_str()), ("701", "12345678000195"));
    assert_eq!(note.day.unwrap().to_string(), "2026-06-15");
    assert_eq!((note.preco, note.deducoes, note.base), (amount("1000.00"), Decimal::ZERO, amount("1000.00")));
    assert_eq!((note.aliquota, note.valor), (amount("2.0000"), amount("20.00")));
    assert_eq!((note.item_lista.as_str(), note.municipio.as_str()), ("1.07", "4202909"), "8055 is Brusque");
    assert_eq!((note.municipio_prestador.as_str(), note.municipio_tomador.as_str()), ("4202909", "4202909"));
    assert_eq!((note.exigivel, note.retencoes.iss_retido), (Some(true), Some(true)));
    assert!(note.por_outra_conta && !note.simples, "it does not say whether the provider is of the Simples");
    assert_eq!(note.retencoes.tomador, TomadorDoServico::PessoaJuridica);
    assert_eq!((note.outros.len(), note.status), (0, DocumentStatus::Valid));
    assert!(note.unreadable.is_empty(), "{:?}", note.unreadable);
}

#[test]
fn each_service_has_its_own_figures_and_the_note_what_is_withheld() {
    let list = |code: &str, amount: &str, rate: &str, situation: &str| {
        format!(
            "<lista><tributa_municipio_prestador>N</tributa_municipio_prestador><codigo_local_prestacao_servico>7535\
             </codigo_local_prestacao_servico><codigo_item_lista_servico>{code}</codigo_item_lista_servico>\
             <aliquota_item_lista_servico>{rate}</aliquota_item_lista_servico><situacao_tributaria>{situation}</situacao_tributaria>\
             <valor_tributavel>{amount}</valor_tributavel></lista>"
        )
    };
    let two = with(&[list("0107", "100,50", "2,00", "00"), list("1401", "200", "5", "6")].concat());
    let note = ipm(&two.replace("<valor_ir>0,00", "<valor_ir>1,50"));
    let [first, second] = note.servicos().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((first.preco, first.valor, first.exigivel), (amount("100.50"), amount("2.01"), Some(true)));
    assert_eq!((second.preco, second.item_lista.as_str(), second.exigivel), (amount("200"), "14.01", Some(false)));
    assert_eq!((first.retencoes.irrf, second.retencoes.irrf), (amount("1.50"), None));
    assert_eq!(first.municipio, "4106902", "7535 is Curitiba");
    assert!(!note.key.is_empty() && second.key.is_empty());
    let unknown = ipm(&with(&list("0107", "100,00", "2,00", "11")));
    assert_eq!((unknown.exigivel, unknown.retencoes.iss_retido), (None, None));
}

/// Some systems write the taxable amount with the deduction in it, and some without: the ISS that is withheld shows which.
#[test]
fn a_deduction_is_within_the_taxable_amount_or_beside_it() {
    let deducted = |withheld: &str| {
        let xml = NOTE.replace("<valor_deducao>0,00", "<valor_deducao>100,00");
        ipm(&xml.replace("<valor_issrf>20,00", &format!("<valor_issrf>{withheld}")))
    };
    let beside = deducted("20,00");
    assert_eq!(
        (beside.preco, beside.deducoes, beside.base),
        (amount("1100.00"), Decimal::ONE_HUNDRED, amount("1000.00"))
    );
    let within = deducted("18,00");
    assert_eq!((within.preco, within.base, within.valor), (amount("1000.00"), amount("900.00"), amount("18.00")));
}

#[test]
fn its_status_its_copies_and_its_requests_are_known() {
    let cancelled = NOTE.replace("<situacao_codigo_nfse>1", "<situacao_codigo_nfse>2");
    assert_eq!(ipm(&cancelled).status, DocumentStatus::Cancelled);
    assert_eq!(ipm(&cancelled).key, ipm(NOTE).key);
    assert_eq!(ipm(&NOTE.replace("<serie_nfse>1</serie_nfse>", "")).key, "", "it may be another note");
    let request = NOTE.replace("numero_nfse", "nada");
    let [FiscalDocument::Other(other)] = &nfe::read(request.as_bytes()).unwrap()[..] else { panic!("{request}") };
    assert!(!other.has_notes && other.detail.contains("RPS"), "{other:?}");
    let abroad = ipm(&NOTE.replace("<tipo>J", "<tipo>E"));
    assert_eq!(abroad.retencoes.tomador, TomadorDoServico::Exterior);
    let none = ipm(&with(""));
    assert_eq!((none.preco, none.item_lista.as_str()), (None, ""));
}

/// A figure that is not one is named, and the codes of municipalities may be those of the IBGE.
#[test]
fn what_is_not_readable_is_named() {
    let bad = ipm(&NOTE.replace("<valor_tributavel>1000,00", "<valor_tributavel>mil"));
    let names: Vec<&str> = bad.unreadable.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["BaseCalculo"]);
    assert_eq!(ipm(&NOTE.replace(">8055<", ">4202909<")).municipio, "4202909");
    assert_eq!(ipm(&NOTE.replace(">8055<", ">9999<")).municipio, "9999", "which names no municipality");
    assert_eq!(ipm(&NOTE.replace("15/06/2026", "15/06")).day, None);
}

#[test]
fn its_group_of_cbs_and_ibs_is_the_national_one() {
    let declared = "<IBSCBS><valores><trib><gIBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib></gIBSCBS></trib></valores></IBSCBS></nfse>";
    let calculated = "<IBSCBS><pRedutor>0,00</pRedutor><valores><vBC>980,00</vBC><fed><pCBS>0,90</pCBS></fed></valores>\
        <totCIBS><gCBS><vCBS>8,82</vCBS></gCBS></totCIBS></IBSCBS></nf>";
    let reform = ipm(&NOTE.replace("</nf>", calculated).replace("</nfse>", declared)).reforma.unwrap();
    assert_eq!(
        (reform.base, reform.cbs.aliquota, reform.cbs.valor),
        (amount("980.00"), amount("0.90"), amount("8.82"))
    );
    assert!(reform.base_parcial && !reform.government_purchase && reform.classificacao == "000001");
}

/// Each costs as much as any other document.
#[test]
fn its_services_count_against_the_limit_of_documents() {
    let limits = XmlLimits { items: 5, ..XmlLimits::default() };
    let many = with(&"<lista/>".repeat(6));
    assert_eq!(nfe::read_within(many.as_bytes(), limits).unwrap_err().codigo, "xml_grande_demais");
    assert_eq!(ipm(&many).outros.len(), 5);
}
