//! The CT-e, the CT-e OS and the simplified CT-e as facts.

use rust_decimal::Decimal;
use taxd_base::value::Uf;
use taxd_law::nfe::{self, DocumentStatus, FiscalDocument, Transporte, TransporteTag, XmlLimits};

const CTE: &str = include_str!("../../../golden/layouts/cte.xml");
const CTE_OS: &str = include_str!("../../../golden/layouts/cte_os.xml");
const CANCELLATION: &str = include_str!("../../../golden/layouts/evento_cancelamento_cte.xml");
const KEY: &str = "35260645678912000155570010000007771123456784";

/// Several carriages in one document: what the whole is, is in `total`.
const SIMPLIFIED: &str = "<cteSimpProc><CTeSimp><infCte Id=\"CTe35260645678912000155570010000008881123456781\"><ide><CFOP>5353</CFOP>\
<mod>57</mod><serie>1</serie><nCT>888</nCT><dhEmi>2026-06-11T08:00:00-03:00</dhEmi><tpCTe>5</tpCTe><modal>01</modal><UFIni>SP</UFIni>\
<UFFim>SP</UFFim></ide><emit><CNPJ>45678912000155</CNPJ><enderEmit><UF>SP</UF></enderEmit><CRT>1</CRT></emit>\
<toma><toma>4</toma><indIEToma>1</indIEToma><CNPJ>12345678000195</CNPJ></toma>\
<det nItem=\"1\"><vPrest>600.00</vPrest><vRec>600.00</vRec><infNFe><chNFe>35260612345678000195550010000001011123456786</chNFe></infNFe></det>\
<det nItem=\"2\"><vPrest>400.00</vPrest><vRec>400.00</vRec></det><imp><ICMS><ICMSSN><CST>90</CST><indSN>1</indSN></ICMSSN></ICMS></imp>\
<total><vTPrest>1000.00</vTPrest><vTRec>1000.00</vTRec></total></infCte></CTeSimp></cteSimpProc>";

#[track_caller]
fn cte(xml: &str) -> Transporte {
    match nfe::read(xml.as_bytes()).unwrap().remove(0) {
        FiscalDocument::Transporte(cte) => *cte,
        other => panic!("{other:?}"),
    }
}

fn amount(text: &str) -> Decimal {
    text.parse().unwrap()
}

#[test]
fn a_ct_e_is_read() {
    let read = cte(CTE);
    assert_eq!((read.key.as_str(), read.modelo.as_str(), read.status), (KEY, "57", DocumentStatus::Valid));
    assert_eq!((read.numero.numero.as_str(), read.numero.serie.as_str()), ("777", "1"));
    assert_eq!((read.emitente.as_str(), read.tomador.as_str()), ("45678912000155", "12345678000195"));
    assert_eq!((read.uf_emitente, read.uf_inicio, read.uf_fim), (Some(Uf::SP), Some(Uf::SP), Some(Uf::MG)));
    assert_eq!((read.cfop.as_str(), read.crt, read.grupo_icms.as_str()), ("6353", 3, "ICMS00"));
    assert_eq!(
        (read.prestacao(), read.receber(), read.total()),
        (read.componentes, read.componentes, read.componentes)
    );
    assert_eq!(read.icms(), ["2000.00", "12.00", "240.00"].map(|text| Some(amount(text))));
    assert_eq!((read.tomador_contribuinte, read.para_o_exterior, read.has_destination), (Some(true), false, false));
    assert_eq!(read.notas, ["35260612345678000195550010000001011123456786"]);
    let reform = read.reforma.unwrap();
    assert_eq!((reform.cst.as_str(), reform.classificacao.as_str(), reform.base_parcial), ("000", "000001", true));
    assert_eq!((reform.base, reform.cbs.valor), (Some(amount("1597.20")), Some(amount("14.37"))));
    assert_eq!((reform.ibs, reform.ibs_uf.aliquota), (Some(amount("1.60")), Some(amount("0.1000"))));
    assert!(read.unreadable.is_empty(), "{:?}", read.unreadable);
}

#[test]
fn a_ct_e_os_and_a_simplified_one_have_other_places() {
    let os = cte(CTE_OS);
    assert_eq!((os.modelo.as_str(), os.tomador.as_str(), os.grupo_icms.as_str()), ("67", "12345678000195", "ICMS20"));
    assert_eq!((os.figures.get(TransporteTag::IcmsReducao), os.componentes), (Some(amount("33.33")), None));
    assert!(os.reforma.is_none() && os.tomador_contribuinte == Some(false));
    let simplified = cte(SIMPLIFIED);
    assert_eq!((simplified.tipo, simplified.tomador.as_str(), simplified.crt), (5, "12345678000195", 1));
    let thousand = Some(amount("1000.00"));
    assert_eq!((simplified.prestacao(), simplified.receber(), simplified.componentes), (thousand, thousand, thousand));
    assert_eq!(simplified.notas.len(), 1);
    let abroad = cte(&CTE.replace("<UFFim>MG", "<UFFim>EX"));
    assert!(abroad.para_o_exterior && abroad.uf_fim.is_none());
    let another =
        cte(&CTE
            .replace("<toma3><toma>0</toma></toma3>", "<toma4><toma>4</toma><CNPJ>11.222.333/0001-81</CNPJ></toma4>"));
    assert_eq!(another.tomador, "11222333000181");
    assert_eq!(cte(&CTE.replace("<toma>0<", "<toma>3<")).tomador, "98765432000198");
    assert_eq!(cte(&CTE.replace("<toma>0<", "<toma>9<")).tomador, "", "no party has that code");
}

/// A figure that is not one is named, and the rest is read.
#[test]
fn a_figure_that_is_not_readable_is_named() {
    let read = cte(&CTE.replace("<vICMS>240.00", "<vICMS>duzentos").replace("<vCBS>14.37", "<vCBS>x"));
    let names: Vec<&str> = read.unreadable.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["vICMS", "vCBS"]);
    assert_eq!(read.prestacao(), Some(amount("2000.00")));
    let undated = cte(&CTE.replace("2026-06-11T08:00:00-03:00</dhEmi>", "ontem</dhEmi>"));
    assert!(undated.day.is_none() && undated.unreadable[0].name == "dhEmi");
    let bare = cte("<CTe><infCte/></CTe>");
    assert!(bare.prestacao().is_none() && bare.notas.is_empty() && bare.reforma.is_none());
}

#[test]
fn an_event_its_protocol_or_another_ct_e_ends_it() {
    let limits = XmlLimits::default();
    assert_eq!(nfe::cancelled_keys(CANCELLATION.as_bytes(), limits), [KEY]);
    let unanswered = CANCELLATION.replace("<cStat>135", "<cStat>631");
    assert!(nfe::cancelled_keys(unanswered.as_bytes(), limits).is_empty());
    for (code, wanted) in
        [("101", DocumentStatus::Cancelled), ("110", DocumentStatus::Denied), ("539", DocumentStatus::Rejected)]
    {
        assert_eq!(cte(&CTE.replace("<cStat>100", &format!("<cStat>{code}"))).status, wanted, "{code}");
    }
    let old = "35260645678912000155570010000000661123456780";
    let in_its_place = format!("<infCteSub><chCte>{old}</chCte></infCteSub></infCTeNorm>");
    let substitute = CTE.replace("</infCTeNorm>", &in_its_place).replace("<tpCTe>0", "<tpCTe>3");
    assert_eq!(cte(&substitute).status, DocumentStatus::Valid);
    assert_eq!(nfe::cancelled_keys(substitute.as_bytes(), limits), [old]);
}

/// Each costs as much as any other document.
#[test]
fn they_count_against_the_limit_of_documents() {
    let limits = XmlLimits { items: 5, ..XmlLimits::default() };
    let lot = format!("<lote>{}</lote>", "<CTe><infCte/></CTe>".repeat(6));
    assert_eq!(nfe::read_within(lot.as_bytes(), limits).unwrap_err().codigo, "xml_grande_demais");
    assert_eq!(nfe::read(lot.as_bytes()).unwrap().len(), 6);
}
