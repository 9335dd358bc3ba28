//! Codes that contradict one another, and sums that do not fit.

use super::documents::{ICMS, Item, Note, TOTAL, sale};
use super::{audited, findings};

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
        (with(sale().taxed(ICMS, withheld).with("CEST", "1600100")), "icms_st diverge cst_e_cfop"),
        (with(sale().taxed(ICMS, withheld).with("CFOP", "5405")), "icms_st diverge cest"),
        (with(sale().with("CEST", "0000000")), "icms_st diverge cest"),
        (with(sale().with("NCM", "99999999")), "ncm diverge ncm_inexistente"),
        (with(sale().taxed("000001", "200003")), "cbs diverge cst_e_cclasstrib"),
        (with(sale().with("NCM", "10063021")), "cbs diverge cclasstrib_e_ncm"),
        (with(sale().taxed(super::documents::IBSCBS, "")), "cbs diverge sem_ibscbs"),
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
