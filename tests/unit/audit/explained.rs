//! The one change of a fact that gives the figures of the document.

use super::audited;
use super::documents::{COFINS, IBSCBS, ICMS, Item, Note, PIS, sale};

/// The difference of a tax by the law: certainty, code of what explains it, and its sentence.
fn of(tributo: &str, note: &Note) -> [String; 3] {
    let lines = audited(&note.xml());
    let mut differing = lines.iter().filter(|line| line.camada.as_str() == "lei" && line.veredito.differs());
    let line = differing.find(|line| line.tributo == tributo).unwrap_or_else(|| panic!("{tributo}: {lines:#?}"));
    let found = line.explicacao.as_ref().map(|found| (found.codigo.to_owned(), found.detalhe.clone()));
    let (code, text) = found.unwrap_or_default();
    [line.certeza.unwrap().as_str().to_owned(), code, text]
}

fn with(item: Item) -> Note {
    Note { items: vec![item], total: String::new(), ..Note::default() }
}

fn icms(base: &str, rate: &str, amount: &str) -> String {
    ICMS.replace("1000.00", base).replace("18.00</pICMS>", &format!("{rate}</pICMS>")).replace("180.00", amount)
}

/// A sale of household goods from SP to BA, which owes 7 %.
fn to_bahia(item: Item, rate: &str, amount: &str) -> Note {
    let item = item.with("NCM", "39241000").with("CFOP", "6102").taxed(ICMS, &icms("1000.00", rate, amount));
    Note { id_dest: 2, uf_destino: "BA", ..with(item) }
}

/// A sale within BA, which owes 20,5 % since 7 February 2024.
fn in_bahia(rate: &str, amount: &str) -> Note {
    Note { uf_origem: "BA", uf_destino: "BA", ..with(sale().taxed(ICMS, &icms("1000.00", rate, amount))) }
}

#[track_caller]
fn check(tributo: &str, note: &Note, certainty: &str, code: &str, words: &str) {
    let [seen, found, text] = of(tributo, note);
    assert_eq!((seen.as_str(), found.as_str()), (certainty, code), "{text}");
    assert!(text.contains(words), "{text}");
}

#[test]
fn a_part_of_the_price_that_is_in_the_base_or_not_is_named_with_its_law() {
    let out = |field: &'static str| to_bahia(sale().with(field, "100.00"), "7.00", "70.00");
    check("icms", &out("vFrete"), "regra_plena", "frete_fora_da_base", "deixa fora o frete");
    check("icms", &out("vOutro"), "regra_plena", "despesas_fora_da_base", "outras despesas");
    // Whether a discount depends on a condition is not on the document.
    check("icms", &out("vDesc"), "conferir", "desconto_na_base", "LC 87/1996, art. 13, § 1º, II, a");
    let pis = PIS.replace("820.00", "1000.00").replace("13.53", "16.50");
    check("pis", &with(sale().taxed(PIS, &pis)), "conferir", "icms_na_base", "RE 574.706");
    let cofins = COFINS.replace("820.00", "1000.00").replace("62.32", "76.00");
    check("cofins", &with(sale().taxed(COFINS, &cofins)), "conferir", "icms_na_base", "Lei 14.592/2023");
    let whole = IBSCBS.replace("744.15", "1000.00").replace("0.74", "1.00").replace("6.70", "9.00");
    for tributo in ["cbs", "ibs"] {
        let note = with(sale().taxed(IBSCBS, &whole));
        check(tributo, &note, "regra_plena", "tributos_na_base", "LC 214/2025, art. 12, § 2º");
    }
}

#[test]
fn another_version_of_the_rule_is_named_with_its_days() {
    check("icms", &in_bahia("19.00", "190.00"), "conferir", "versao_anterior", "19% valia até 06/02/2024 (Lei");
    check("icms", &in_bahia("18.00", "180.00"), "conferir", "versao_anterior", "18% valia até 21/03/2023 (Lei");
    let early = Note { data: "2024-01-10T10:00:00-03:00", ..in_bahia("20.50", "205.00") };
    check("icms", &early, "conferir", "versao_posterior", "20,5% só vale desde 07/02/2024 (Lei");
}

/// What the document cannot refute is a difference to be checked; what it refutes stays certain.
#[test]
fn another_place_or_origin_is_named() {
    let note = |rate: &str, amount: &str| to_bahia(sale(), rate, amount);
    check("icms", &note("4.00", "40.00"), "conferir", "origem", "Resolução do Senado Federal 13/2012");
    check("icms", &note("18.00", "180.00"), "regra_plena", "uf_de_destino", "operação interna em SP");
    check("icms", &note("20.50", "205.00"), "regra_plena", "uf_de_origem", "operação interna em BA");
    check("icms", &note("12.00", "120.00"), "regra_plena", "regiao_de_destino", "ao Sul ou Sudeste");
}

#[test]
fn one_wrong_figure_beside_two_right_ones_is_named() {
    check("icms", &to_bahia(sale(), "7.00", "71.00"), "regra_plena", "figura_escrita", "só o valor");
    check("icms", &to_bahia(sale(), "8.00", "70.00"), "conferir", "figura_escrita", "só a alíquota");
    let base = ICMS.replace("1000.00", "900.00");
    check("icms", &with(sale().taxed(ICMS, &base)), "conferir", "figura_escrita", "só a base");
}

/// A rate that no change gives has no explanation: none is made up.
#[test]
fn a_difference_that_nothing_explains_is_left_as_it_is() {
    check("icms", &to_bahia(sale(), "9.00", "90.00"), "regra_plena", "", "");
}

/// A reduction that the document has and the rule does not know, written as the law means `pRedBC`, or as what is left.
#[test]
fn a_reduction_of_the_document_alone_is_named() {
    let reduced = |points: &str| {
        let group = icms("600.00", "7.00", "42.00").replace("<CST>00</CST>", "<CST>20</CST>");
        let group = group.replace("<vBC>", &format!("<pRedBC>{points}</pRedBC><vBC>")).replace("ICMS00", "ICMS20");
        let item = sale().with("NCM", "39241000").with("CFOP", "6102").taxed(ICMS, &group);
        Note { id_dest: 2, uf_destino: "BA", ..with(item) }
    };
    let [_, code, text] = of("icms", &reduced("40.00"));
    assert_eq!(code, "reducao_do_documento", "{text}");
    assert!(text.contains("reduz a base em 40% (pRedBC)"), "{text}");
    let [_, code, text] = of("icms", &reduced("60.00"));
    assert_eq!(code, "reducao_do_documento", "{text}");
    assert!(text.contains("reduz a base a 60%"), "{text}");
    let [_, code, _] = of("icms", &reduced("30.00"));
    assert_ne!(code, "reducao_do_documento");
}
