//! The CF-e SAT, which has figures in other places and other forms than an NFC-e.

use taxd_base::value::Uf;
use taxd_law::nfe::{self, FiscalDocument, NotaFiscal, Tag, TotalTag, XmlLimits};

const KEY: &str = "35250611222333000181590001234560001236543217";

/// A price of 30.00 with a discount of the item and a share of one on the whole, and a service.
const CFE: &str = "<CFe><infCFe Id=\"CFe35250611222333000181590001234560001236543217\" versao=\"0.08\"><ide><cUF>35</cUF><mod>59</mod>\
<nserieSAT>000123456</nserieSAT><nCFe>000123</nCFe><dEmi>20250610</dEmi><hEmi>101500</hEmi><CNPJ>99888777000166</CNPJ></ide>\
<emit><CNPJ>11222333000181</CNPJ><cRegTrib>3</cRegTrib></emit><dest/>\
<det nItem=\"1\"><prod><cProd>1</cProd><NCM>09012100</NCM><CFOP>5102</CFOP><vProd>30.00</vProd><vDesc>1.00</vDesc>\
<vItem>28.50</vItem><vRatDesc>1.00</vRatDesc><vRatAcr>0.50</vRatAcr></prod><imposto><ICMS><ICMS00><Orig>0</Orig><CST>00</CST>\
<pICMS>18.00</pICMS><vICMS>5.13</vICMS></ICMS00></ICMS><PIS><PISAliq><CST>01</CST><vBC>23.37</vBC><pPIS>0.0165</pPIS><vPIS>0.39</vPIS>\
</PISAliq></PIS><COFINS><COFINSAliq><CST>01</CST><vBC>23.37</vBC><pCOFINS>0.0760</pCOFINS><vCOFINS>1.78</vCOFINS></COFINSAliq>\
</COFINS></imposto></det>\
<det nItem=\"2\"><prod><CFOP>5933</CFOP><vProd>10.00</vProd><vItem>10.00</vItem></prod><imposto><ISSQN><vDeducISSQN>2.00</vDeducISSQN>\
<vBC>8.00</vBC><vAliq>5.00</vAliq><vISSQN>0.40</vISSQN><cMunFG>3550308</cMunFG><cListServ>14.01</cListServ><cNatOp>01</cNatOp></ISSQN>\
</imposto></det>\
<total><ICMSTot><vICMS>5.13</vICMS><vProd>40.00</vProd><vDesc>1.00</vDesc></ICMSTot><vCFe>38.50</vCFe>\
<DescAcrEntr><vDescSubtot>1.00</vDescSubtot></DescAcrEntr></total></infCFe></CFe>";

#[track_caller]
fn cfe(xml: &str) -> NotaFiscal {
    match nfe::read(xml.as_bytes()).unwrap().remove(0) {
        FiscalDocument::Nota(note) => *note,
        other => panic!("{other:?}"),
    }
}

#[test]
fn its_figures_are_read_where_an_nfce_has_them() {
    let note = cfe(CFE);
    assert_eq!((note.modelo.as_str(), note.key.as_str(), note.crt), ("59", KEY, 3));
    assert_eq!((note.numero.numero.as_str(), note.numero.serie.as_str()), ("000123", "000123456"));
    assert_eq!(note.emitente, "11222333000181", "and not the company of the software, which `ide` names");
    assert_eq!(note.day.unwrap().to_string(), "2025-06-10");
    assert_eq!((note.uf_origem, note.uf_destino, note.consumidor_final), (Some(Uf::SP), Some(Uf::SP), true));
    assert!(!note.contribuinte && note.unreadable.is_empty(), "{:?}", note.unreadable);
    let goods = &note.items[0];
    let figures = [
        (Tag::Produto, "30.00"),
        (Tag::Desconto, "2.00"),
        (Tag::Outras, "0.50"),
        (Tag::IcmsBase, "28.50"),
        (Tag::IcmsAliquota, "18.00"),
        (Tag::PisAliquota, "1.6500"),
        (Tag::CofinsAliquota, "7.6000"),
    ];
    for (tag, wanted) in figures {
        assert_eq!(goods.figures.get(tag), Some(wanted.parse().unwrap()), "{tag:?}");
    }
    assert_eq!(goods.origem, Some(0));
    let service = &note.items[1];
    assert!(service.servico && service.unreadable.is_empty(), "{:?}", service.unreadable);
    assert_eq!(
        (service.item_lista.as_str(), service.indicador_iss, service.municipio.as_str()),
        ("14.01", 1, "3550308")
    );
    assert_eq!(service.figures.get(Tag::IssDeducao), Some("2".parse().unwrap()));
    assert_eq!(service.figures.get(Tag::IcmsBase), None, "only what is charged by the net price has a base");
    for (tag, wanted) in [(TotalTag::Nota, "38.50"), (TotalTag::Desconto, "2.00"), (TotalTag::Outras, "0")] {
        assert_eq!(note.totals.or_zero(tag), wanted.parse().unwrap(), "{tag:?}");
    }
}

/// The base of CST 20 is reduced by a part that the CF-e does not state, and a service abroad owes no ISS.
#[test]
fn what_it_does_not_say_is_not_made_up() {
    let reduced = cfe(&CFE.replace("<CST>00</CST>", "<CST>20</CST>"));
    assert_eq!(reduced.items[0].figures.get(Tag::IcmsBase), None);
    assert_ne!(cfe(&CFE.replace("<cNatOp>01", "<cNatOp>03")).items[1].indicador_iss, 1);
    assert_eq!(cfe(&CFE.replace("<cUF>35", "<cUF>99")).uf_origem, None);
    for bad in [CFE.replace("20250610", "2025061"), CFE.replace("<dEmi>20250610</dEmi>", "")] {
        let note = cfe(&bad);
        assert!(note.day.is_none() && note.unreadable.iter().any(|field| field.name == "dEmi"), "{note:?}");
    }
    let bad = cfe(&CFE.replace("0.0165", "1,65%").replace("<vRatDesc>1.00", "<vRatDesc>um"));
    let names: Vec<&str> = bad.items[0].unreadable.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["pPIS"]);
}

/// A coupon is cancelled by another, which names its key in an attribute; a note, by an event.
#[test]
fn its_cancellation_is_another_coupon() {
    for attributes in [
        format!("Id=\"CFe35250611222333000181590001234560001246543228\" chCanc=\"CFe{KEY}\""),
        format!("chCanc=\"CFe{KEY}\" Id=\"CFe35250611222333000181590001234560001246543228\""),
    ] {
        let xml = format!("<CFeCanc><infCFe {attributes}><total><vCFe>38.50</vCFe></total></infCFe></CFeCanc>");
        let found = nfe::read(xml.as_bytes()).unwrap();
        let [FiscalDocument::Event(event)] = found.as_slice() else { panic!("{found:?}") };
        assert!(event.cancels && event.key == KEY, "{event:?}");
        assert_eq!(nfe::cancelled_keys(xml.as_bytes(), XmlLimits::default()), [KEY]);
    }
    let lot = nfe::read(format!("<envCFe><LoteCFe>{CFE}{CFE}</LoteCFe></envCFe>").as_bytes()).unwrap();
    assert_eq!(lot.len(), 2);
}
