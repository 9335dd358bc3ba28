//! Substitution that a document does not charge, and single-phase resales of the Simples that no CST marks.

use taxd::features::audit::Certainty;
use taxd_base::value::Uf;

use super::audited;
use super::documents::{ICMS, Item, Note, PIS, sale};

/// The lines about a tax: layer, verdict, certainty, code, amount.
fn of(tributo: &str, note: &Note) -> Vec<String> {
    of_xml(tributo, &note.xml())
}

fn of_xml(tributo: &str, xml: &str) -> Vec<String> {
    let lines = audited(xml);
    let text = |line: &taxd::features::audit::AuditLine| {
        let certainty = line.certeza.map(Certainty::as_str).unwrap_or_default();
        let amount = line.calculado.map(|amount| amount.to_string()).unwrap_or_default();
        format!("{} {certainty} {} {amount}", line.veredito, line.codigo.unwrap_or_default())
    };
    lines.iter().filter(|line| line.tributo == tributo).map(text).collect()
}

/// Tyres of the issuer's own make, under substitution in SP.
fn tyres() -> Item {
    sale().with("NCM", "40111000").with("CEST", "1600100").with("CFOP", "5101")
}

fn with(item: Item) -> Note {
    Note { data: "2026-03-10T10:00:00-03:00", items: vec![item], total: String::new(), ..Note::default() }
}

#[test]
fn a_maker_that_withholds_nothing_of_goods_under_substitution_is_to_be_checked() {
    let found = of("icms_st", &with(tyres()));
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("diverge conferir sem_st "), "{found:?}");
}

/// Who consumes, a later seller, a transfer, a return, exempt goods, goods without a CEST, and a CEST of no rule.
#[test]
fn a_sale_that_owes_no_substitution_has_no_finding() {
    let withheld = "<ICMS><ICMS60><orig>0</orig><CST>60</CST></ICMS60></ICMS>";
    let notes = [
        Note { ind_final: 1, ..with(tyres()) },
        Note { ind_ie_dest: 9, ind_final: 1, ..with(tyres()) },
        with(tyres().with("CFOP", "5102")),
        with(tyres().with("CFOP", "5151")),
        with(tyres().with("CFOP", "5201")),
        with(tyres().with("CFOP", "5405").taxed(ICMS, withheld)),
        with(sale().with("NCM", "40111000").with("CFOP", "5101")),
        with(tyres().with("NCM", "39269090")),
    ];
    for note in notes {
        assert!(of("icms_st", &note).iter().all(|line| !line.contains("sem_st")), "{:?}", of("icms_st", &note));
    }
}

/// NCM and CEST of tyres, paint, beer, lamps and dog food.
const LISTED: [(&str, &str); 5] = [
    ("40111000", "1600100"),
    ("32091010", "2400100"),
    ("22030000", "0302100"),
    ("85393100", "0900200"),
    ("23091000", "2200100"),
];

/// A sale without substitution: why it owes none, and its document.
type RightSale = (&'static str, fn(Note) -> String);

/// Sales of a maker within its State that owe no substitution, each by what its document says.
const RIGHT: [RightSale; 13] = [
    ("the buyer consumes", |note| Note { ind_final: 1, ..note }.xml()),
    ("the buyer does not pay ICMS", |note| Note { ind_ie_dest: 9, ..note }.xml()),
    ("the buyer is a farmer", |note| note.xml().replace("<dest>", "<dest><CPF>12345678909</CPF>")),
    ("the buyer is of the same company", |note| note.xml().replace("<dest>", "<dest><CNPJ>11222333000262</CNPJ>")),
    ("made on a small scale", |note| note.xml().replace("<CFOP>", "<indEscala>N</indEscala><CFOP>")),
    ("between substitutes", |note| note.xml().replace("<CFOP>5101", "<CFOP>5402")),
    ("sold after a consignment", |note| note.xml().replace("<CFOP>5101", "<CFOP>5113")),
    ("sold from the lorry", |note| note.xml().replace("<CFOP>5101", "<CFOP>5103")),
    ("to the area of free trade", |note| note.xml().replace("ICMS00", "ICMS40").replace("<CST>00", "<CST>40")),
    ("a transfer", |note| note.xml().replace("<CFOP>5101", "<CFOP>5151")),
    ("a return", |note| Note { fin: 4, ..note }.xml().replace("<CFOP>5101", "<CFOP>5201")),
    ("a resale", |note| note.xml().replace("<CFOP>5101", "<CFOP>5102")),
    ("of a code that is none", |note| note.xml().replace("<CEST>", "<CEST>9")),
];

/// 1.755 right lines of all States have no such finding, of which the same sale to a reseller has many. That an industry
/// buys, no document says: such a sale is one to be checked.
#[test]
fn right_sales_of_every_state_have_no_finding() {
    let mut seen = 0;
    for uf in Uf::WORDS.iter().copied() {
        for (ncm, cest) in LISTED {
            let item = sale().with("NCM", ncm).with("CEST", cest).with("CFOP", "5101");
            let note = Note { uf_origem: uf, uf_destino: uf, ..with(item) };
            seen += of("icms_st", &note).iter().filter(|line| line.contains(" conferir sem_st ")).count();
            for (why, right) in RIGHT {
                let found = of_xml("icms_st", &right(note.clone()));
                assert!(found.iter().all(|line| !line.contains("sem_st")), "{uf} {ncm} {why}: {found:?}");
            }
        }
    }
    assert!(seen >= 27, "{seen}");
}

/// Whether both States signed an agreement is in no rule, so nothing is alleged.
#[test]
fn a_sale_to_another_state_says_what_it_depends_on() {
    let item = tyres().with("CFOP", "6101").taxed("18.00</pICMS>", "12.00</pICMS>").taxed(">180.00", ">120.00");
    let note = Note { uf_origem: "MG", id_dest: 2, ..with(item) };
    assert_eq!(of("icms_st", &note), ["recusado  acordo_entre_ufs "]);
}

/// Beer by a retailer of the Simples: CST 49 would have the DAS charge PIS and COFINS again.
#[test]
fn a_single_phase_resale_of_the_simples_that_no_cst_marks_is_to_be_checked() {
    let pis = |ncm: &'static str, cst: &str, cfop: &'static str| {
        let group =
            format!("<PIS><PISOutr><CST>{cst}</CST><vBC>0.00</vBC><pPIS>0.00</pPIS><vPIS>0.00</vPIS></PISOutr></PIS>");
        let csosn = "<ICMS><ICMSSN500><orig>0</orig><CSOSN>500</CSOSN></ICMSSN500></ICMS>";
        let item = sale().with("NCM", ncm).with("CFOP", cfop).with("CEST", "0302100");
        let item = item.taxed(ICMS, csosn).taxed(PIS, &group);
        of("pis", &Note { crt: 1, data: "2025-10-24T10:00:00-03:00", ..with(item) })
    };
    assert_eq!(pis("22030000", "49", "5405"), ["diverge conferir monofasico_sem_cst "]);
    assert_eq!(pis("22030000", "04", "5405"), ["nao_se_aplica   "]);
    assert_eq!(pis("22030000", "49", "5101"), ["nao_se_aplica   "]);
    assert_eq!(pis("39269090", "49", "5102"), ["nao_se_aplica   "]);
}
