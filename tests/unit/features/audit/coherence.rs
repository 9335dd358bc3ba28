//! Codes that contradict one another, and sums that do not fit.

use taxd_base::problem::ErrorCode;
use taxd_law::codes::{FILES, Tabela};
use taxd_law::nfe::payloads::EnginePayload;
use taxd_law::tax::NoteCode;

use super::documents::{ICMS, Item, Note, TOTAL, sale};
use super::{audited, findings};
use crate::support::built_in;

fn of(note: &Note) -> Vec<String> {
    findings(&audited(&note.xml()))
}

fn with(item: Item) -> Note {
    Note { items: vec![item], ..Note::default() }
}

#[test]
fn each_contradiction_has_its_code() {
    let csosn = "<ICMS><ICMSSN102><orig>0</orig><CSOSN>102</CSOSN></ICMSSN102></ICMS>";
    let withheld = "<ICMS><ICMS60><orig>0</orig><CST>60</CST></ICMS60></ICMS>";
    let cases = [
        (with(sale().taxed(ICMS, csosn)), "icms diverge crt_e_cst"),
        (Note { id_dest: 2, uf_destino: "RJ", ..with(sale()) }, "icms diverge cfop_e_destino"),
        (with(sale().with("CFOP", "5199")), "documento diverge cfop_inexistente"),
        (with(sale().taxed(ICMS, withheld).with("CEST", "1600100")), "icms_st diverge cst_e_cfop"),
        (with(sale().taxed(ICMS, withheld).with("CFOP", "5405")), "icms_st diverge cest"),
        (with(sale().with("CEST", "0000000")), "icms_st diverge cest"),
        (with(sale().with("NCM", "99999999")), "ncm diverge ncm_inexistente"),
        (with(sale().taxed("000001", "200003")), "cbs diverge cst_e_cclasstrib"),
        (with(sale().with("NCM", "10063021")), "cbs diverge cclasstrib_e_ncm"),
        (with(sale().with("NCM", "3926909")), "ncm diverge ncm_malformado"),
        (with(sale().with("NCM", "00")), "ncm diverge ncm_malformado"),
        (with(sale().taxed("000001", "000099")), "cbs diverge cclasstrib_inexistente"),
        (with(sale().taxed("000001", "00001")), "cbs diverge cclasstrib_inexistente"),
        (with(sale().with("NCM", "3926909").taxed("000001", "00001")), "cbs diverge cclasstrib_inexistente"),
        (with(sale().taxed(super::documents::IBSCBS, "")), "cbs diverge sem_ibscbs"),
        (with(sale().taxed("<CST>000</CST><cClassTrib>", "<cClassTrib>")), "cbs diverge ibscbs_sem_cst"),
        (
            with(sale().taxed("</vICMS>", "</vICMS><vICMSDeson>10.00</vICMSDeson>")),
            "icms diverge desoneracao_sem_motivo",
        ),
        (with(sale().taxed("<PISAliq><CST>01", "<PISAliq><CST>06")), "pis diverge cst_e_valor"),
        (with(sale().taxed("<COFINSAliq><CST>01", "<COFINSAliq><CST>08")), "cofins diverge cst_e_valor"),
        (with(sale().taxed("<PISAliq><CST>01", "<PISAliq><CST>50")), "pis diverge cst_de_entrada"),
        (with(sale().taxed("<COFINSAliq><CST>01", "<COFINSAliq><CST>98")), "cofins diverge cst_de_entrada"),
        (
            Note { id_dest: 2, uf_destino: "RJ", ..with(sale().with("CFOP", "6102").taxed("<orig>0", "<orig>1")) },
            "icms diverge origem_e_aliquota",
        ),
        (
            Note { id_dest: 2, uf_destino: "RJ", ind_final: 1, ind_ie_dest: 9, ..with(sale().with("CFOP", "6108")) },
            "icms_consumidor_final diverge sem_icmsufdest",
        ),
    ];
    for (note, wanted) in cases {
        let found = of(&note);
        assert!(found.iter().any(|one| one == wanted), "{wanted:?} is not in {found:?}");
    }
}

#[test]
fn items_of_one_number_are_one_finding_of_the_document() {
    let note = Note { items: vec![sale(), sale(), sale()], ..Note::default() };
    let repeated = |xml: &str| findings(&audited(xml)).into_iter().filter(|one| one.contains("item_repetido")).count();
    assert_eq!(repeated(&note.xml()), 0);
    assert_eq!(repeated(&note.xml().replace("nItem=\"2\"", "nItem=\"1\"")), 1);
    // An item that does not say its number is named by its place, which is not a number of the document.
    let unnumbered = note.xml().replace("nItem=\"2\"", "nItem=\"x\"").replace("nItem=\"3\"", "nItem=\"2\"");
    assert_eq!(repeated(&unnumbered), 0);
}

/// CST 04 and 06 with nothing charged, 49 and 99 on the way out, and codes of entries on an entry.
#[test]
fn a_cst_that_fits_what_is_charged_is_not_a_contradiction() {
    let pis = |cst: &str| super::documents::PIS.replace("01", cst).replace("1.65", "0.00").replace("13.53", "0.00");
    let codes = |note: &Note| -> Vec<String> {
        of(note).into_iter().filter(|one| one.contains("cst_e_valor") || one.contains("cst_de_entrada")).collect()
    };
    for cst in ["04", "06", "07", "08", "09", "49", "99"] {
        assert_eq!(codes(&with(sale().taxed(super::documents::PIS, &pis(cst)))), Vec::<String>::new(), "CST {cst}");
    }
    let charged = with(sale().taxed("<PISAliq><CST>01", "<PISAliq><CST>50"));
    let entry = charged.xml().replace("<tpNF>1", "<tpNF>0");
    assert!(!findings(&audited(&entry)).iter().any(|one| one.contains("cst_de_entrada")));
    assert_eq!(codes(&charged), ["pis diverge cst_de_entrada"]);
}

/// A group without CST was once called absent, and its taxes were not compared.
#[test]
fn a_group_of_cbs_without_its_cst_is_not_an_absent_one() {
    let note = with(sale().taxed("<CST>000</CST><cClassTrib>", "<cClassTrib>").taxed("<vCBS>6.70", "<vCBS>9.70"));
    let found = of(&note);
    assert!(!found.iter().any(|one| one.contains("sem_ibscbs")), "{found:?}");
    for wanted in ["cbs diverge ibscbs_sem_cst", "cbs diverge valor"] {
        assert!(found.contains(&wanted.to_owned()), "{wanted} is not in {found:?}");
    }
}

#[test]
fn the_total_of_products_leaves_out_what_is_not_in_it() {
    let gift = Item { imposto: String::new(), ..sale().with("indTot", "0") };
    let note = Note { items: vec![sale(), gift], total: TOTAL.to_owned(), ..Note::default() };
    let found = of(&note);
    assert!(!found.iter().any(|one| one.contains(" total")), "{found:?}");
}

#[test]
fn a_reduction_that_does_not_lead_to_its_base_is_found() {
    let icms = |base: &str, amount: &str| {
        format!(
            "<ICMS><ICMS20><orig>0</orig><CST>20</CST><pRedBC>33.33</pRedBC><vBC>{base}</vBC><pICMS>18.00</pICMS>\
             <vICMS>{amount}</vICMS></ICMS20></ICMS>"
        )
    };
    let reduction = "icms diverge reducao_da_base".to_owned();
    assert!(!of(&with(sale().taxed(ICMS, &icms("666.70", "120.01")))).contains(&reduction));
    assert!(of(&with(sale().taxed(ICMS, &icms("700.00", "126.00")))).contains(&reduction));
}

/// An item without a product has the NCM 00: a transfer of credit.
#[test]
fn the_ncm_of_an_item_without_a_product_is_not_an_error() {
    let found = of(&with(sale().with("NCM", "00").with("CFOP", "5601")));
    assert!(!found.iter().any(|one| one.contains("ncm_malformado")), "{found:?}");
}

/// The 60 % of food on a notebook: Annex VII names some products only by description, and once nothing said that it does
/// not name this one.
#[test]
fn a_reduction_that_no_list_confirms_is_to_be_checked() {
    use taxd::features::audit::Certainty;

    let reduced = |ncm: &str, class: &str, rate: &str, amount: &str| {
        let group = super::documents::IBSCBS
            .replace("<CST>000", "<CST>200")
            .replace("000001", class)
            .replace(
                "<pCBS>0.9000</pCBS>",
                &format!("<pCBS>0.9000</pCBS><gRed><pRedAliq>60.00</pRedAliq><pAliqEfet>{rate}</pAliqEfet></gRed>"),
            )
            .replace("6.70", amount);
        audited(&with(sale().with("NCM", ncm).taxed(super::documents::IBSCBS, &group)).xml())
    };
    let unconfirmed = |lines: &[taxd::features::audit::AuditLine]| {
        let found = lines.iter().filter(|line| line.codigo == Some("cclasstrib_sem_lista"));
        found.map(|line| (line.camada.as_str(), line.tributo, line.certeza)).collect::<Vec<_>>()
    };
    for class in ["200034", "200032"] {
        let lines = reduced("84713012", class, "0.36", "2.68");
        assert_eq!(unconfirmed(&lines), [("coerencia", "cbs", Some(Certainty::Conferir))], "{class}");
        let law = lines.iter().find(|line| line.tributo == "cbs" && line.camada.as_str() == "lei").unwrap();
        assert_eq!(law.veredito, taxd::features::audit::Verdict::Confere, "{law:?}");
        let wrong = reduced("84713012", class, "0.36", "9.68");
        let law = wrong.iter().find(|line| line.tributo == "cbs" && line.camada.as_str() == "lei").unwrap();
        assert_eq!(law.certeza, Some(Certainty::Conferir), "the reduction may not apply at all");
    }
    // Yogurt drinks are on Annex VII by their NCM.
    assert_eq!(unconfirmed(&reduced("04032000", "200034", "0.36", "2.68")), []);
}

/// The TIPI has 0207.12.10 from April 2023 on. The wording of the refusal once decided that such a line is only to be
/// checked; now the candidate that only the day rules out does.
#[test]
fn an_ncm_that_the_table_has_on_other_days_only_is_to_be_checked() {
    use taxd::features::audit::Certainty;

    for (ncm, wanted) in [("02071210", Certainty::Conferir), ("99999999", Certainty::ErroDoDocumento)] {
        let note = with(sale().with("NCM", ncm)).xml().replace("2026-03-10", "2022-09-10");
        let lines = audited(&note);
        let found = lines.iter().filter(|line| line.codigo == Some("ncm_inexistente"));
        assert_eq!(found.map(|line| line.certeza).collect::<Vec<_>>(), [Some(wanted)], "{ncm}");
    }
}

/// Nappies with 000001, the commonest error of 2026: the amount agrees with the full rate, and once nothing said that the
/// law names the NCM.
#[test]
fn full_taxation_of_a_listed_ncm_is_to_be_checked() {
    use taxd::features::audit::{Certainty, Verdict};

    let full = |ncm: &str| {
        let lines = audited(&with(sale().with("NCM", ncm)).xml());
        let law = lines.iter().find(|line| line.tributo == "cbs" && line.camada.as_str() == "lei").unwrap();
        assert_eq!(law.veredito, Verdict::Confere, "{law:?}");
        let found = lines.iter().filter(|line| line.codigo == Some("cclasstrib_integral"));
        found.map(|line| (line.camada.as_str(), line.tributo, line.certeza)).collect::<Vec<_>>()
    };
    assert_eq!(full("96190000"), [("coerencia", "cbs", Some(Certainty::Conferir))]);
    assert_eq!(full("84713012"), []);
}

/// Of 446 codes of the lists, 413 were once `confere` under 000001 without a word. Each NCM and each service that the law
/// may reduce, exempt or tax otherwise has a finding with regime and article, or is refused.
#[test]
fn full_taxation_of_what_a_list_names_is_never_agreed_to_in_silence() {
    let answer = |field: &'static str, code: &str, classification: Option<&'static str>| {
        let mut payload = EnginePayload::default();
        for tax in ["valor_icms", "valor_iss", "valor_pis", "valor_cofins", "valor_ipi"] {
            payload.set(tax, "0");
        }
        for (name, value) in [("tributo", "cbs"), ("valor_operacao", "1000.00"), ("data_operacao", "2026-06-10")] {
            payload.set(name, value);
        }
        payload.set("cumpre_obrigacoes_acessorias", true);
        payload.set("optante_simples", false);
        payload.set(field, code.to_owned());
        if let Some(classification) = classification {
            payload.set("classificacao_tributaria", classification);
        }
        built_in().0.answer(&payload, false, None)
    };
    let (mut listed, mut silent) = (0, Vec::new());
    for (field, table) in [("ncm", Tabela::Ncm), ("item_lista_servico", Tabela::Servico)] {
        let (_, text) = FILES.iter().find(|(path, _)| *path == format!("tabelas/{}.csv", table.as_str())).unwrap();
        let codes = text.lines().filter_map(|line| table.table().get(line.split(';').next()?));
        for code in codes.map(|found| found.codigo) {
            let Err(problem) = answer(field, &code, None) else { continue };
            let mut named = problem.candidatos.iter().flat_map(|one| &one.valores);
            let has_other = named.any(|(name, code)| *name == "classificacao_tributaria" && !code.starts_with("000"));
            if problem.codigo != ErrorCode::RegimeDiferenciado || !has_other {
                continue;
            }
            listed += 1;
            let said = match answer(field, &code, Some("000001")) {
                Ok(answer) => answer.avisos().any(|note| note.codigo == Some(NoteCode::ListedInFull)),
                Err(problem) => problem.codigo == ErrorCode::ClassificacaoIncompativel,
            };
            if !said {
                silent.push(code);
            }
        }
    }
    assert!(listed > 446, "{listed}");
    assert_eq!(silent, Vec::<String>::new());
}

/// Tyres by their NCM, and glasses by their CEST; a code below the heading that the list names is of a later table.
#[test]
fn a_cest_of_other_goods_is_to_be_checked() {
    let of = |ncm: &str, cest: &str, data: &'static str| {
        let lines = audited(&Note { data, ..with(sale().with("NCM", ncm).with("CEST", cest)) }.xml());
        let found = lines.iter().filter(|line| line.codigo == Some("cest_e_ncm"));
        found.map(|line| line.certeza.unwrap().as_str()).collect::<Vec<_>>()
    };
    let day = "2026-03-10T10:00:00-03:00";
    assert_eq!(of("40111000", "1400200", day), ["conferir"]);
    assert_eq!(of("39241000", "1400200", day), ["conferir"]);
    assert!(of("70133700", "1400200", day).is_empty());
    assert!(of("70139900", "1400200", day).is_empty());
    assert!(of("40111000", "1600100", day).is_empty());
    assert!(of("40111000", "1400200", "2018-03-31T10:00:00-03:00").is_empty());
}

/// Cheese that Anexo I does not name may be under its code; mozzarella has a code of its own.
#[test]
fn a_code_with_more_than_the_goods_that_the_law_names_is_to_be_checked() {
    let of = |ncm: &str, class: &str| {
        let item = sale().with("NCM", ncm).taxed("<cClassTrib>000001", &format!("<cClassTrib>{class}"));
        let item = item.taxed("<IBSCBS><CST>000", &format!("<IBSCBS><CST>{}", &class[..3]));
        let lines = audited(&with(item).xml());
        let found = lines.iter().filter(|line| line.codigo.is_some_and(|code| code.starts_with("cclasstrib")));
        found.map(|line| (line.codigo.unwrap(), line.certeza.unwrap().as_str())).collect::<Vec<_>>()
    };
    let sure = [("cclasstrib_e_ncm", "erro_do_documento")];
    assert_eq!(of("04061010", "000001"), sure);
    assert_eq!(of("04069020", "000001"), [("cclasstrib_integral", "conferir")]);
    assert_eq!(of("19019090", "000001"), [("cclasstrib_integral", "conferir")]);
    // Flour of oats, or of another cereal: both are reduced.
    assert_eq!(of("11029000", "000001"), sure);
    assert!(of("11029000", "200003").is_empty() && of("11029000", "200034").is_empty());
}
