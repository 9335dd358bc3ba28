//! NFS-e of several layouts, as cities give them: none of these has a fault.

use taxd::features::audit::{AuditLine, Verdict};

use super::{audited, findings};

const COUPON: &str = include_str!("../../../golden/layouts/cfe_sat.xml");
const GINFES: &str = include_str!("../../../golden/layouts/nfse_ginfes.xml");
const IPM: &str = include_str!("../../../golden/layouts/nfse_ipm.xml");
const ISSNET: &str = include_str!("../../../golden/layouts/nfse_issnet.xml");
const NATIONAL: &str = include_str!("../../../golden/layouts/nfse_nacional_ibscbs.xml");
const SAO_PAULO: &str = include_str!("../../../golden/layouts/nfse_paulistana.xml");
const SAO_PAULO_2: &str = include_str!("../../../golden/layouts/nfse_paulistana_v2.xml");

fn of<'l>(lines: &'l [AuditLine], tributo: &str) -> &'l AuditLine {
    lines.iter().find(|line| line.tributo == tributo && line.camada.as_str() == "lei").unwrap()
}

#[test]
fn a_right_note_of_any_layout_has_no_sure_finding() {
    for xml in [GINFES, IPM, ISSNET, NATIONAL, SAO_PAULO, SAO_PAULO_2] {
        let lines = audited(xml);
        let sure: Vec<&AuditLine> = lines.iter().filter(|line| line.is_sure_finding()).collect();
        assert!(sure.is_empty() && !lines.is_empty(), "{xml}: {sure:?}");
    }
    assert_eq!(of(&audited(ISSNET), "iss").aliquota_declarada, Some("3.00".parse().unwrap()));
    assert_eq!(of(&audited(GINFES), "iss").aliquota_declarada, Some("3.00".parse().unwrap()), "written as a fraction");
    let cancelled = audited(SAO_PAULO).pop().unwrap();
    assert_eq!(cancelled.codigo, Some("documento_cancelado"));
}

/// The national layout of 2026 and version 2 of São Paulo have CBS and IBS.
#[test]
fn cbs_and_ibs_of_2026_are_compared() {
    for xml in [NATIONAL, SAO_PAULO_2] {
        let lines = audited(xml);
        assert_eq!(
            (of(&lines, "cbs").veredito, of(&lines, "ibs").veredito),
            (Verdict::Confere, Verdict::Confere),
            "{xml}"
        );
    }
    let wrong =
        |xml: &str| findings(&audited(xml)).into_iter().filter(|line| line.starts_with("cbs")).collect::<Vec<_>>();
    assert_eq!(
        wrong(&NATIONAL.replace("<vCBS>8.42", "<vCBS>9.42")),
        ["cbs diverge base_vezes_aliquota", "cbs diverge valor"]
    );
    assert_eq!(
        wrong(&SAO_PAULO_2.replace("ValorCBS>7.70", "ValorCBS>8.70")),
        ["cbs diverge base_vezes_aliquota", "cbs diverge valor"]
    );
    let rate = SAO_PAULO_2.replace("CBS>0.90", "CBS>0.80").replace("ValorCBS>7.70", "ValorCBS>6.84");
    assert_eq!(wrong(&rate), ["cbs diverge valor"]);
    // What a deferral or a presumed credit changes is not guessed.
    let deferred = "<ValorDiferimentoCBS>1.00</ValorDiferimentoCBS></RetornoComplementarIBSCBS>";
    assert!(wrong(&rate.replace("</RetornoComplementarIBSCBS>", deferred)).is_empty());
}

/// The rate of a note of IPM is compared; the ISS that its provider pays is not in it.
#[test]
fn a_note_of_ipm_is_compared_service_by_service() {
    let lines = audited(IPM);
    assert!(lines.iter().all(|line| line.item.is_none()), "{lines:?}");
    assert_eq!(
        findings(&audited(&IPM.replace("<valor_issrf>20,00", "<valor_issrf>30,00")))[0],
        "iss diverge base_vezes_aliquota"
    );
    let list = &IPM[IPM.find("<lista>").unwrap()..IPM.find("</itens>").unwrap()];
    // Curitiba charges 5 % on item 1.07 and 2 % on none of both.
    let two = IPM.replace(list, &[list, &list.replace("0107", "1401")].concat()).replace("8055", "7535");
    let lines = audited(&two.replace("<valor_ir>0,00", "<valor_ir>15,00"));
    let items: Vec<Option<u32>> = lines.iter().filter(|line| line.tributo == "iss").map(|line| line.item).collect();
    assert_eq!(items, [Some(1), Some(2)]);
    assert_eq!(of(&lines, "irrf_servicos").veredito, Verdict::NaoSeAplica, "it is of the whole note");
    assert!(lines.iter().all(|line| !line.is_sure_finding()), "{lines:?}");
}

/// The layout of the CF-e has no IBS and CBS, says the day in `dEmi`, and numbers the natures of a service as ABRASF does.
#[test]
fn a_coupon_is_asked_for_what_its_layout_has() {
    let codes = |xml: &str| audited(xml).into_iter().filter_map(|line| line.codigo).collect::<Vec<_>>();
    let of_2026 = COUPON.replace("<dEmi>20250610", "<dEmi>20260610");
    assert!(!codes(&of_2026).contains(&"sem_ibscbs"), "{:?}", codes(&of_2026));
    for without in [COUPON.replace("<dEmi>20250610</dEmi>", ""), COUPON.replace("20250610", "ontem")] {
        let lines = audited(&without);
        assert!(lines.iter().any(|line| line.detalhe.contains("dEmi")), "{lines:?}");
    }
    let service = |nature: &str| {
        let group = format!(
            "<imposto><ISSQN><vDeducISSQN>0.00</vDeducISSQN><vBC>28.00</vBC><vAliq>005.00</vAliq><vISSQN>1.40</vISSQN>\
             <cMunFG>3550308</cMunFG><cListServ>14.01</cListServ><cNatOp>{nature}</cNatOp><indIncFisc>2</indIncFisc></ISSQN>"
        );
        let icms = "<imposto><vItem12741>8.00</vItem12741><ICMS><ICMS00><Orig>0</Orig><CST>00</CST><pICMS>18.00</pICMS><vICMS>5.04</vICMS></ICMS00></ICMS>";
        assert!(COUPON.contains(icms));
        let lines = audited(&COUPON.replace(icms, &group));
        let line = lines.into_iter().find(|line| line.tributo == "iss" && line.camada.as_str() == "lei").unwrap();
        (line.veredito, line.detalhe)
    };
    let (verdict, _) = service("01");
    assert_ne!(verdict, Verdict::NaoSeAplica);
    assert_eq!(
        service("02"),
        (Verdict::NaoSeAplica, "o cupom diz que o serviço é tributado em outro município (cNatOp 2)".to_owned())
    );
    assert!(service("04").1.starts_with("isenta, imune"));
}
