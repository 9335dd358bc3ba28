//! Contradictions of codes: which of them the rest of the document contradicts, and a key that is not that of the note.

use taxd::features::audit::AuditLine;

use super::documents::{COFINS, IBSCBS, ICMS, Item, Note, PIS, sale, with};
use super::{audited, of_code};

/// What explains the first line with that code: the stable name, and the sentence.
#[track_caller]
fn explained(xml: &str, code: &str) -> (&'static str, String) {
    let mut found = of_code(xml, code);
    assert!(!found.is_empty(), "no {code}");
    let found = found.remove(0).explicacao.unwrap();
    (found.codigo, found.detalhe)
}

#[test]
fn the_addresses_say_which_of_cfop_and_destination_is_wrong() {
    let note = |cfop: &str, id_dest, uf_destino| Note { id_dest, uf_destino, ..with(sale().with("CFOP", cfop)) }.xml();
    let of = |cfop, id_dest, uf| explained(&note(cfop, id_dest, uf), "cfop_e_destino").1;
    assert_eq!(of("6102", 1, "RJ"), "os endereços são de SP e RJ, como o CFOP 6102 diz: o idDest 1 é que não combina");
    assert_eq!(of("5102", 2, "RJ"), "os endereços são de SP e RJ, como o idDest 2 diz: o CFOP 5102 é que não combina");
    assert_eq!(of("6102", 1, "SP"), "os endereços são todos de SP, como o idDest 1 diz: o CFOP 6102 é que não combina");
    assert!(of("1102", 1, "SP").contains("é de entrada"));
}

#[test]
fn other_items_say_whether_the_regime_or_the_code_is_wrong() {
    let csosn = "<ICMS><ICMSSN102><orig>0</orig><CSOSN>102</CSOSN></ICMSSN102></ICMS>";
    let simples = || sale().taxed(ICMS, csosn);
    let of = |items: Vec<Item>, crt| explained(&Note { crt, items, ..Note::default() }.xml(), "crt_e_cst").1;
    assert_eq!(of(vec![sale(), sale()], 1), "os 2 itens trazem CST: o CRT 1 é que não combina com eles");
    assert!(of(vec![sale(), simples()], 1).starts_with("só 1 dos 2 itens trazem CST"));
    assert!(of(vec![sale()], 1).contains("destaca PIS a 1,65%, a alíquota do regime não cumulativo"));
    let bare = simples().taxed(PIS, "").taxed(COFINS, "");
    assert!(of(vec![bare], 3).contains("o CRT 3 é que não combina"));
}

#[test]
fn a_rate_of_zero_under_the_basic_code_is_seen_beside_the_other_items() {
    let zero = PIS.replace("1.65", "0.00").replace("13.53", "0.00");
    let none = || sale().taxed(PIS, &zero);
    let of = |items: Vec<Item>| explained(&Note { items, ..Note::default() }.xml(), "cst_e_valor").1;
    assert_eq!(of(vec![none(), sale()]), "o item 2, com o mesmo CST, destaca 1,65%: falta a alíquota deste");
    assert!(of(vec![none(), none()]).starts_with("nenhum dos 2 itens da nota destaca o PIS"));
    assert!(of(vec![none()]).contains("820,00"));
    let exempt = PIS.replace("<CST>01", "<CST>07");
    assert!(of(vec![sale().taxed(PIS, &exempt)]).contains("a alíquota básica do regime não cumulativo"));
}

#[test]
fn a_code_that_does_not_exist_says_how_far_the_table_follows_it() {
    let of = |ncm: &str, code: &str| explained(&with(sale().with("NCM", ncm)).xml(), code).1;
    assert!(of("39269099", "ncm_inexistente").contains("a subposição 392690"));
    assert!(of("99999999", "ncm_inexistente").contains("número de preenchimento"));
    assert!(of("9269090", "ncm_malformado").contains("falta um dígito"));
    assert!(of("3926909a", "ncm_malformado").contains("«a»"));
}

#[test]
fn the_missing_group_of_the_test_year_was_not_demanded_before_august() {
    let bare = || sale().taxed(IBSCBS, "");
    let of = |data| explained(&Note { data, ..with(bare()) }.xml(), "sem_ibscbs").0;
    assert_eq!(of("2026-08-02T10:00:00-03:00"), "grupo_ainda_facultativo");
    assert_eq!(of("2026-08-03T10:00:00-03:00"), "grupo_exigido");
    let one = Note { items: vec![sale(), bare()], ..Note::default() }.xml();
    assert_eq!(explained(&one, "sem_ibscbs").1, "1 dos 2 itens da nota trazem o grupo");
}

#[test]
fn a_base_and_a_rate_that_are_both_other_are_two_differences() {
    let pis = "<PIS><PISAliq><CST>01</CST><vBC>1000.00</vBC><pPIS>0.70</pPIS><vPIS>7.00</vPIS></PISAliq></PIS>";
    let lines = audited(&with(sale().taxed(PIS, pis)).xml());
    let line = lines.iter().find(|line| line.tributo == "pis" && line.camada.as_str() == "lei").unwrap();
    let found = line.explicacao.as_ref().unwrap();
    assert_eq!(found.codigo, "base_e_aliquota");
    assert!(found.detalhe.contains("contém o ICMS (180,00)") && found.detalhe.contains("0,7%, e não 1,65%"));
}

#[test]
fn totals_that_exceed_the_items_together_want_an_item() {
    let total = "<ICMSTot><vBC>1700.00</vBC><vICMS>306.00</vICMS><vProd>1700.00</vProd><vPIS>23.00</vPIS>\
                 <vCOFINS>105.93</vCOFINS><vNF>1700.00</vNF></ICMSTot>";
    let xml = Note { total: total.to_owned(), ..Note::default() }.xml();
    let names: Vec<_> = of_code(&xml, "total").into_iter().map(|line| line.explicacao.unwrap().codigo).collect();
    assert!(names.iter().filter(|name| **name == "faltam_itens").count() >= 3, "{names:?}");
    let point = sale().with("qCom", "1000.0000");
    assert_eq!(explained(&with(point).xml(), "quantidade_vezes_unidade").0, "virgula_fora_do_lugar");
}

/// A key of series 1, number 7, of March 2026.
const KEY: &str = "35260311222333000181550010000000071000000012";

fn keyed(key: &str, number: &str) -> String {
    let ide = "<serie>1</serie><nNF>7</nNF>".replace('7', number);
    let xml = Note { ide: Box::leak(ide.into_boxed_str()), ..Note::default() }.xml();
    xml.replace("<infNFe ", &format!("<infNFe Id=\"NFe{key}\" "))
}

#[test]
fn a_key_is_that_of_its_note() {
    let found = |xml: &str| {
        let of_key = |line: &AuditLine| matches!(line.codigo, Some("digito_da_chave" | "chave_e_documento"));
        let lines = audited(xml).into_iter().filter(of_key);
        let one = |line: AuditLine| {
            let why = line.explicacao.map_or("", |found| found.codigo);
            format!("{} {} {why}", line.codigo.unwrap(), line.certeza.unwrap().as_str())
        };
        lines.map(one).collect::<Vec<_>>()
    };
    assert_eq!(found(&keyed(KEY, "7")), Vec::<String>::new());
    assert_eq!(found(&keyed(KEY, "8")), ["chave_e_documento conferir documento_alterado"]);
    let other = format!("{}{}", &KEY[..43], (KEY[43..].parse::<u8>().unwrap() + 1) % 10);
    assert_eq!(found(&keyed(&other, "7")), ["digito_da_chave conferir digito_certo"]);
    assert_eq!(found(&keyed(&other, "8")), ["chave_e_documento conferir chave_inventada"]);
    assert_eq!(found(&keyed(&KEY[..40], "7")), ["digito_da_chave conferir "]);
}
