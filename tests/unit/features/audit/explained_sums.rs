//! The one other figure that gives a sum of the document.

use super::audited;
use super::documents::{ICMS, Item, Note, PIS, sale};

fn with(item: Item) -> Note {
    Note { items: vec![item], total: String::new(), ..Note::default() }
}

/// The sum of that code: certainty, code of what explains it, its sentence.
#[track_caller]
fn of(code: &str, note: &Note) -> [String; 3] {
    let lines = audited(&note.xml());
    let mut sums = lines.iter().filter(|line| line.camada.as_str() == "aritmetica" && line.veredito.differs());
    let line = sums.find(|line| line.codigo == Some(code)).unwrap_or_else(|| panic!("{code}: {lines:#?}"));
    let found = line.explicacao.as_ref().map(|found| (found.codigo.to_owned(), found.detalhe.clone()));
    let (explained, text) = found.unwrap_or_default();
    [line.certeza.unwrap().as_str().to_owned(), explained, text]
}

#[track_caller]
fn check(code: &str, note: &Note, explained: &str, words: &str) {
    let [certainty, found, text] = of(code, note);
    assert_eq!((certainty.as_str(), found.as_str()), ("erro_do_documento", explained), "{text}");
    assert!(text.contains(words), "{text}");
}

/// 18 % of R$ 1.000,00 are written; freight, discount and IPI are in the base or not.
#[test]
fn another_base_that_gives_the_amount_is_named() {
    let product = "base_vezes_aliquota";
    let note = |field: &'static str, part: &str, amount: &str| {
        with(sale().with(field, part).taxed(ICMS, &ICMS.replace("180.00", amount)))
    };
    check(product, &note("vFrete", "100.00", "198.00"), "outra_base", "a base com o frete (100,00)");
    check(product, &note("vDesc", "100.00", "162.00"), "outra_base", "a base sem o desconto (100,00)");
    let ipi = "<IPI><IPITrib><CST>50</CST><vBC>1000.00</vBC><pIPI>5.00</pIPI><vIPI>50.00</vIPI></IPITrib></IPI>";
    let item = sale().taxed(ICMS, &(ICMS.replace("180.00", "189.00") + ipi));
    check(product, &with(item), "outra_base", "a base com o IPI (50,00)");
    let pis = PIS.replace("13.53", "16.50");
    check(product, &with(sale().taxed(PIS, &pis)), "outra_base", "a base com o ICMS (180,00), e não sobre vBC");
}

#[test]
fn another_rate_that_gives_the_amount_is_named() {
    let product = "base_vezes_aliquota";
    let item = |amount: &str| sale().taxed(ICMS, &ICMS.replace("180.00", amount));
    check(product, &with(item("120.00")), "outra_aliquota", "uma alíquota de 12%");
    let other = sale().taxed(ICMS, &ICMS.replace("18.00</pICMS>", "12.00</pICMS>").replace("180.00", "120.00"));
    let both = Note { items: vec![item("120.00"), other], ..with(sale()) };
    check(product, &both, "aliquota_de_outro_campo", "a alíquota é a do item 2 (12%)");
    let fraction = ICMS.replace("18.00</pICMS>", "0.18</pICMS>");
    check(product, &with(sale().taxed(ICMS, &fraction)), "aliquota_de_outro_campo", "como fração");
    check(product, &with(item("0.00")), "valor_zerado", "vICMS está em zero");
}

/// An amount that no one figure gives is not explained; of two parts with one amount both are named.
#[test]
fn nothing_is_made_up() {
    let item = |amount: &str| sale().taxed(ICMS, &ICMS.replace("180.00", amount));
    check("base_vezes_aliquota", &with(item("183.17")), "", "");
    // Freight and insurance of one amount.
    let two = item("181.80").with("vFrete", "10.00").with("vSeg", "10.00");
    check("base_vezes_aliquota", &with(two), "outra_base", "a base com o frete (10,00), ou com o seguro");
}

#[test]
fn a_product_of_quantity_and_price_names_what_it_has_more_or_less() {
    let units = "quantidade_vezes_unidade";
    let sold = |quantity: &str, price: &str, whole: &str| {
        with(sale().with("qCom", quantity).with("vUnCom", price).with("vProd", whole))
    };
    check(units, &with(sale().with("vDesc", "50.00").with("vProd", "950.00")), "parte_no_valor", "já é sem o desconto");
    check(units, &sold("30.0000", "33.33", "1000.00"), "preco_arredondado", "o preço da unidade é 33,3333333333");
    check(units, &sold("4.0000", "1000.00", "1000.00"), "uma_unidade", "o preço de uma unidade");
}

/// Items with ICMS of R$ 180,00 and R$ 162,00, and freight of R$ 25,00.
#[test]
fn a_total_names_the_item_or_the_part_that_it_leaves_out() {
    let with_total = |total: &str| {
        let less = ICMS.replace("1000.00", "900.00").replace("180.00", "162.00");
        let items = vec![sale().with("vFrete", "25.00"), sale().taxed(ICMS, &less)];
        Note { items, total: format!("<ICMSTot>{total}</ICMSTot>"), ..Note::default() }
    };
    let total = |total: &str, code: &str, words: &str| check("total", &with_total(total), code, words);
    total("<vICMS>180.00</vICMS>", "item_fora_do_total", "deixa fora o item 2 (162,00)");
    total("<vICMS>504.00</vICMS>", "item_a_mais_no_total", "conta duas vezes o item 2 (162,00)");
    total("<vICMS>0.00</vICMS>", "valor_zerado", "vICMS está em zero");
    total("<vICMS>367.00</vICMS>", "parte_no_total", "contém o frete (25,00)");
    total("<vICMS>350.00</vICMS>", "", "");
    let note = "<vProd>2000.00</vProd><vFrete>25.00</vFrete>";
    total(&format!("{note}<vNF>2000.00</vNF>"), "parte_no_total", "não soma o frete (25,00)");
    total(&format!("{note}<vNF>0.00</vNF>"), "valor_zerado", "vNF está em zero");
}

/// R$ 1,03 at 18 % are R$ 0,19 in each of six items, and R$ 1,11 together.
#[test]
fn a_total_that_differs_by_the_rounding_of_its_items_is_to_be_checked() {
    let item = || sale().taxed(ICMS, &ICMS.replace("1000.00", "1.03").replace("180.00", "0.19"));
    let items: Vec<Item> = (0..6).map(|_| item()).collect();
    let total = "<ICMSTot><vBC>6.18</vBC><vICMS>1.11</vICMS></ICMSTot>".to_owned();
    let [certainty, code, _] = of("total", &Note { items, total, ..Note::default() });
    assert_eq!((certainty.as_str(), code.as_str()), ("conferir", "arredondado_no_total"));
}
