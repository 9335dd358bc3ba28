//! Sums of groups that few documents have: each was once a false alarm, or passed unseen.

use super::documents::{COFINS, IBSCBS, ICMS, Item, Note, PIS, TOTAL, sale};
use super::{audited, findings};

fn of(note: &Note) -> Vec<String> {
    findings(&audited(&note.xml()))
}

fn with(item: Item) -> Note {
    Note { items: vec![item], ..Note::default() }
}

/// A sale of SP to a consumer of RJ: 8 points of R$ 1.000,00 are R$ 80,00, which the two States shared until 2018.
fn shared(day: &'static str, part: &str, destination: &str, origin: &str) -> Vec<String> {
    let icms = ICMS.replace("18.00", "12.00").replace("180.00", "120.00");
    let group = format!(
        "<ICMSUFDest><vBCUFDest>1000.00</vBCUFDest><pICMSUFDest>20.00</pICMSUFDest><pICMSInter>12.00</pICMSInter>\
         <pICMSInterPart>{part}</pICMSInterPart><vICMSUFDest>{destination}</vICMSUFDest>\
         <vICMSUFRemet>{origin}</vICMSUFRemet></ICMSUFDest>"
    );
    let item = sale().with("CFOP", "6108").taxed(ICMS, &format!("{icms}{group}")).taxed(IBSCBS, "");
    let note = Note {
        data: day,
        id_dest: 2,
        uf_destino: "RJ",
        ind_final: 1,
        ind_ie_dest: 9,
        items: vec![item],
        total: String::new(),
        ..Note::default()
    };
    let found = of(&note).into_iter().filter(|one| one.contains("diverge"));
    found.filter(|one| ["partilha", "base_vezes", "parte_da"].iter().any(|code| one.contains(code))).collect()
}

/// ADCT, art. 99: 40 % to the destination in 2016, 60 % in 2017, 80 % in 2018, all of it since 2019.
#[test]
fn the_difference_to_the_destination_is_shared_by_year() {
    let right = [
        ("2016-05-10T10:00:00-03:00", "40.00", "32.00", "48.00"),
        ("2017-05-10T10:00:00-03:00", "60.00", "48.00", "32.00"),
        ("2018-12-31T23:00:00-03:00", "80.00", "64.00", "16.00"),
        ("2019-01-01T00:00:00-03:00", "100.00", "80.00", "0.00"),
    ];
    for (day, part, destination, origin) in right {
        assert_eq!(shared(day, part, destination, origin), Vec::<String>::new(), "{day}");
    }
    let tax = "icms_consumidor_final diverge";
    assert_eq!(shared(right[1].0, "40.00", "32.00", "48.00"), [format!("{tax} partilha")], "the share of another year");
    assert_eq!(shared(right[1].0, "60.00", "80.00", "32.00"), [format!("{tax} base_vezes_aliquota")]);
    assert_eq!(shared(right[1].0, "60.00", "48.00", "48.00"), [format!("{tax} parte_da_origem")]);
}

#[test]
fn substituted_pis_and_cofins_are_in_the_total_if_the_item_says_so() {
    let group = |sum: &str| {
        format!(
            "<PISST><vBC>1000.00</vBC><pPIS>1.65</pPIS><vPIS>16.50</vPIS><indSomaPISST>{sum}</indSomaPISST></PISST>\
             <COFINSST><vBC>1000.00</vBC><pCOFINS>7.60</pCOFINS><vCOFINS>76.00</vCOFINS><indSomaCOFINSST>{sum}</indSomaCOFINSST></COFINSST>"
        )
    };
    let note = |sum: &str, total: &str| Note {
        items: vec![sale().taxed(COFINS, &format!("{COFINS}{}", group(sum)))],
        total: TOTAL.replace("<vNF>1000.00", &format!("<vNF>{total}")),
        ..Note::default()
    };
    assert_eq!(of(&note("1", "1092.50")), Vec::<String>::new());
    assert_eq!(of(&note("0", "1000.00")), Vec::<String>::new());
    let wrong = ["documento diverge total".to_owned()];
    assert_eq!(of(&note("1", "1000.00")), wrong);
    assert_eq!(of(&note("0", "1092.50")), wrong);
    let amount = with(sale().taxed(COFINS, &format!("{COFINS}{}", group("0").replace("76.00", "77.00"))));
    assert_eq!(of(&amount), ["cofins diverge base_vezes_aliquota"]);
}

/// What is deferred is part of what is due.
#[test]
fn a_deferred_part_of_cbs_is_added_to_its_amount() {
    let part = |points: &str, deferred: &str, rest: &str| {
        let cbs = format!(
            "<gCBS><pCBS>0.9000</pCBS><gDif><pDif>{points}</pDif><vDif>{deferred}</vDif></gDif><vCBS>{rest}</vCBS></gCBS>"
        );
        let total = TOTAL.replace("<vCBS>6.70", &format!("<vCBS>{rest}"));
        let item = sale().taxed("<gCBS><pCBS>0.9000</pCBS><vCBS>6.70</vCBS></gCBS>", &cbs);
        of(&Note { items: vec![item], total, ..Note::default() })
    };
    assert_eq!(part("60.0000", "4.02", "2.68"), Vec::<String>::new());
    assert_eq!(part("60.0000", "5.02", "1.68"), ["cbs diverge diferimento"]);
    assert_eq!(part("60.0000", "4.02", "6.70"), ["cbs diverge base_vezes_aliquota", "cbs diverge valor"]);
}

/// The rates of such a sale are reduced by a factor that no rule has: no alarm, and no word that it is right.
#[test]
fn a_government_purchase_is_refused_and_its_arithmetic_knows_the_factor() {
    let ide = "<gCompraGov><tpEnteGov>1</tpEnteGov><pRedutor>50.0000</pRedutor><tpOperGov>1</tpOperGov></gCompraGov>";
    let halved = |cbs: &str, ibs: &str| {
        let item = sale().taxed("<vCBS>6.70", &format!("<vCBS>{cbs}"));
        let item = item.taxed("<vIBSUF>0.74", &format!("<vIBSUF>{ibs}")).taxed("<vIBS>0.74", &format!("<vIBS>{ibs}"));
        let total = TOTAL.replace("6.70", cbs).replace("0.74", ibs);
        of(&Note { items: vec![item], total, ide, ..Note::default() })
    };
    let refused = ["cbs recusado compra_governamental", "ibs recusado compra_governamental"];
    assert_eq!(halved("3.35", "0.37"), refused);
    assert_eq!(halved("6.70", "0.74"), refused, "the rate may be the reduced one already");
    assert_eq!(halved("5.00", "0.37"), ["cbs diverge base_vezes_aliquota", refused[0], refused[1]]);
}

#[test]
fn the_interstate_rate_of_a_difference_is_one_of_the_senate() {
    let found = |rate: &str, difference: &str| {
        let group = format!(
            "<ICMSUFDest><vBCUFDest>1000.00</vBCUFDest><pICMSUFDest>20.00</pICMSUFDest><pICMSInter>{rate}</pICMSInter>\
             <pICMSInterPart>100.00</pICMSInterPart><vICMSUFDest>{difference}</vICMSUFDest></ICMSUFDest>"
        );
        let item = sale().with("CFOP", "6108").taxed(ICMS, &format!("{ICMS}{group}"));
        let note =
            Note { id_dest: 2, uf_destino: "RJ", ind_final: 1, ind_ie_dest: 9, items: vec![item], ..Note::default() };
        of(&note).into_iter().filter(|one| one.contains("aliquota_interestadual")).count()
    };
    assert_eq!((found("12.00", "80.00"), found("4.00", "160.00"), found("8.00", "120.00")), (0, 0, 1));
}

/// A special regime of ICMS is one of the State of origin. The difference belongs to the destination.
#[test]
fn a_special_regime_of_the_origin_does_not_excuse_the_difference_to_the_destination() {
    let destination = "<ICMSUFDest><vBCUFDest>1000.00</vBCUFDest><pFCPUFDest>2.00</pFCPUFDest><vBCFCPUFDest>1000.00</vBCFCPUFDest>\
        <pICMSUFDest>19.00</pICMSUFDest><pICMSInter>12.00</pICMSInter><vFCPUFDest>20.00</vFCPUFDest><vICMSUFDest>70.00</vICMSUFDest></ICMSUFDest>";
    let icms = ICMS.replace("18.00", "7.00").replace("180.00", "70.00");
    let item = sale().with("CFOP", "6108").taxed(ICMS, &format!("{icms}{destination}"));
    let note =
        Note { id_dest: 2, uf_destino: "RJ", ind_final: 1, ind_ie_dest: 9, items: vec![item], ..Note::default() };
    let company = "[[empresa]]\nregime_pis_cofins = \"nao_cumulativo\"\n[[empresa.regime_especial]]\ntributo = \"icms\"\n\
                   desde = 2020-01-01\ndescricao = \"TTD\"\n";
    let lines = super::audited_of(note.xml().as_bytes(), company);
    let law =
        |tributo: &str| lines.iter().find(|line| line.tributo == tributo && line.camada.as_str() == "lei").unwrap();
    assert!(law("icms").detalhe.contains("TTD"), "{}", law("icms").detalhe);
    let difference = law("icms_consumidor_final");
    assert!(difference.veredito.differs() && !difference.detalhe.contains("TTD"), "{}", difference.detalhe);
}

#[test]
fn an_amount_of_pis_without_its_base_is_still_compared() {
    let pis = PIS.replace("<vBC>820.00</vBC>", "").replace("13.53", "14.53");
    let found = of(&with(sale().taxed(PIS, &pis)));
    assert_eq!(
        found.iter().filter(|one| one.starts_with("pis")).collect::<Vec<_>>(),
        ["pis diverge valor", "pis diverge total"]
    );
}

/// 0,05 % in place of 0,04 % is within a cent of it, and was once no difference. That of 1,98 % and 1,50 % was once
/// R$ 0,48.
#[test]
fn a_wrong_effective_rate_is_found_to_its_last_digit_and_is_not_an_amount() {
    let reduced = |effective: &str| {
        let rate = "<pIBSUF>0.1000</pIBSUF>";
        let group = format!("{rate}<gRed><pRedAliq>60.0000</pRedAliq><pAliqEfet>{effective}</pAliqEfet></gRed>");
        let lines = audited(&with(sale().taxed(rate, &group)).xml());
        lines.into_iter().filter(|line| line.codigo == Some("aliquota_efetiva")).collect::<Vec<_>>()
    };
    assert!(reduced("0.0400").is_empty() && reduced("0.04").is_empty());
    for wrong in ["0.0500", "0.0401"] {
        let [line] = reduced(wrong).try_into().unwrap();
        assert_eq!((line.declarado, line.diferenca), (None, None));
        assert_eq!(line.aliquota_calculada.unwrap().to_string(), "0.0400");
    }
}
