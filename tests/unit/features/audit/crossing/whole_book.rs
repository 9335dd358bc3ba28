//! What a book says as a whole: adjustments, other States, items, the products, and what of it is not read.

use super::changes::{of_books, right};
use super::{CANCELLATION, CANCELLED, PURCHASE, SALE, findings, run_over};

/// The findings whose code is one of these, of the right books after a change.
fn changed(changes: &[(&str, &str)], codes: &[&str]) -> Vec<String> {
    let mut books = right();
    for (from, to) in changes {
        assert!(books.contains(from), "{from}");
        books = books.replacen(from, to, 1);
    }
    let is_of = |line: &String| codes.iter().any(|code| line.contains(code));
    of_books(&books).into_iter().filter(is_of).collect()
}

/// ICMS-ST of 50.00 for MG, in the group of the sale, and the account of a State before the end of block E.
fn withheld(account: &str) -> Vec<String> {
    let group = ("|1000,00|1000,00|120,00|0,00|0,00|", "|1000,00|1000,00|120,00|300,00|50,00|");
    changed(&[group, ("|E990|", &format!("{account}|E990|"))], &["st_da_apuracao"])
}

#[test]
fn what_is_withheld_for_a_state_is_in_its_account() {
    let account = |uf: &str, amount: &str| {
        format!(
            "|E200|{uf}|01062026|30062026|\n|E210|1|0,00|0,00|0,00|0,00|0,00|{amount}|0,00|0,00|{amount}|0,00|{amount}|0,00|0,00|\n"
        )
    };
    assert_eq!(withheld(&account("MG", "50,00")), Vec::<String>::new());
    assert_eq!(withheld(&account("MG", "40,00")), ["erro_do_documento E210 25  st_da_apuracao 40.00 50.00"]);
    assert_eq!(withheld(""), ["erro_do_documento E210   st_da_apuracao 0 50.00"]);
    let other = withheld(&account("SP", "50,00"));
    assert_eq!(other.len(), 2, "one State has too much, the other has nothing: {other:?}");
    let split = withheld(&[account("MG", "20,00"), account("MG", "30,00")].concat());
    assert!(split.is_empty(), "two periods of a State: {split:?}");
}

/// A sale to MG that charges R$ 10.00 of the difference and R$ 2.00 for the fund.
fn with_difference(c101: &str, account: &str) -> Vec<String> {
    let sale = String::from_utf8(SALE.to_vec())
        .unwrap()
        .replace("<vFCP>", "<vFCPUFDest>2.00</vFCPUFDest><vICMSUFDest>10.00</vICMSUFDest><vFCP>");
    let head = "|1000,00|120,00|0,00|0,00|0,00|||||\n";
    let books = right().replacen(head, &[head, c101].concat(), 1).replacen("|E990|", &[account, "|E990|"].concat(), 1);
    let files: [(&str, &[u8]); 5] = [
        ("efd.txt", books.as_bytes()),
        ("101.xml", sale.as_bytes()),
        ("102.xml", CANCELLED),
        ("102-canc.xml", CANCELLATION),
        ("9001.xml", PURCHASE),
    ];
    findings(&files).into_iter().filter(|line| line.contains("difal")).collect()
}

#[test]
fn the_difference_of_rates_is_in_the_document_and_in_the_account_of_the_state() {
    let c101 = "|C101|2,00|10,00|0,00|\n";
    let account = |difal: &str, fcp: &str| {
        format!(
            "|E300|MG|01062026|30062026|\n|E310|1|0,00|{difal}|0,00|0,00|0,00|{difal}|0,00|{difal}|0,00|0,00|0,00|{fcp}|0,00|0,00|0,00|{fcp}|0,00|{fcp}|0,00|0,00|\n"
        )
    };
    assert_eq!(with_difference(c101, &account("10,00", "2,00")), Vec::<String>::new());
    assert_eq!(
        with_difference(c101, &account("9,00", "2,00")),
        ["erro_do_documento E310 26  difal_da_apuracao 9.00 10.00"]
    );
    assert_eq!(
        with_difference(c101, &account("10,00", "0,00")),
        ["erro_do_documento E310 26  difal_da_apuracao 0.00 2.00"]
    );
    // What the document lacks is not repeated for the account, whichever of the two it follows.
    for account in [account("10,00", "2,00"), account("0,00", "0,00")] {
        assert_eq!(with_difference("", &account), ["erro_do_documento C100 11 101 difal_na_efd 0 10.00"]);
    }
    let wrong = with_difference("|C101|3,00|10,00|0,00|\n", &account("10,00", "2,00"));
    assert_eq!(wrong, ["erro_do_documento C101 12 101 difal_na_efd 3.00 2.00"]);
    // Without an account of the State the declarant may be inscribed there.
    let none = with_difference(c101, "");
    assert!(none.len() == 2 && none.iter().all(|line| line.starts_with("conferir E310")), "{none:?}");
    // The records of before 2017 have other places.
    let old = "|E300|MG|01062026|30062026|\n|E310|1|0,00|1,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|\n";
    assert!(with_difference(c101, old).is_empty());
}

/// A carriage of the declarant to MG that owes R$ 10.00 of the difference, and the account of that State.
#[test]
fn the_difference_of_a_carriage_is_in_the_account_of_the_state() {
    let of = |city: &str, difal: &str, code: &str| {
        let carriage = format!(
            "|D100|1|0|B|57|00|1||77||10062026|10062026|0||100,00|0,00|1|100,00|0,00|0,00|0,00|||3550308|{city}|\n|D101|0,00|10,00|0,00|\n|D990|"
        );
        let account = format!(
            "|E300|MG|01062026|30062026|\n|E310|1|0,00|{difal}|0,00|0,00|0,00|{difal}|0,00|{difal}|0,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|\n|E990|"
        );
        changed(&[("|D990|", &carriage), ("|E990|", &account)], &[code])
    };
    assert_eq!(of("3106200", "10,00", "difal"), Vec::<String>::new());
    assert_eq!(of("3106200", "9,00", "difal"), ["conferir E310 27  difal_da_apuracao 9.00 10.00"]);
    assert!(of("", "9,00", "difal").is_empty(), "the State is not known");
    assert_eq!(of("", "9,00", "nao_lido"), ["    registro_nao_lido  "]);
}

const GROUP: &str = "|C190|000|2102|12,00|800,00|800,00|96,00|0,00|0,00|0,00|0,00||\n";

#[test]
fn adjustments_of_documents_are_in_the_account() {
    let of = |code: &str, account: &str| {
        let adjusted = format!("{GROUP}|C195|1||\n|C197|{code}|||100,00|5,00|5,00|0,00|\n");
        changed(&[(GROUP, &adjusted), ("|E110|120,00|0,00|", account)], &["apuracao"])
    };
    assert_eq!(of("SP40090207", "|E110|120,00|5,00|"), Vec::<String>::new());
    assert_eq!(of("SP40090207", "|E110|120,00|0,00|"), ["erro_do_documento E110 24  ajustes_da_apuracao 0.00 5.00"]);
    assert_eq!(of("SP10090207", "|E110|120,00|0,00|"), ["erro_do_documento E110 24  ajustes_da_apuracao 0.00 5.00"]);
    assert!(of("SP41090207", "|E110|120,00|0,00|").is_empty(), "an adjustment of the ICMS-ST");
    assert!(of("SP90090207", "|E110|120,00|0,00|").is_empty(), "one that informs only");
    let bill = |account: &str| {
        let bill = "|C500|0|1|B|06|00|||01|77|10062026|10062026|50,00|0,00|50,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|||||||||||||||||||||||\n\
            |C590|000|1253|0,00|50,00|0,00|0,00|0,00|0,00|0,00||\n|C595|1||\n|C597|SP40090207|||0,00|0,00|7,00|0,00|\n|C990|";
        changed(&[("|C990|", bill), ("|E110|120,00|0,00|", account)], &["apuracao", "nao_lido"])
    };
    assert_eq!(bill("|E110|120,00|7,00|"), Vec::<String>::new());
    assert_eq!(bill("|E110|120,00|0,00|"), ["conferir E110 26  ajustes_da_apuracao 0.00 7.00"]);
}

#[test]
fn a_register_that_is_not_read_is_named() {
    let coupons =
        [("|E110|120,00|", "|E110|150,00|"), ("|C990|", "|C490|000|5102|18,00|100,00|100,00|30,00||\n|C990|")];
    assert!(changed(&coupons, &["debitos"]).is_empty());
    let books = right().replacen("|C990|", "|C490|000|5102|18,00|100,00|100,00|30,00||\n|C990|", 1);
    let lines = run_over(&[("efd.txt", books.as_bytes())]);
    let said = lines.iter().find(|line| line.codigo == Some("registro_nao_lido")).unwrap();
    assert!(said.detalhe.contains(": C490 (1)"), "{}", said.detalhe);
    // So are those that no sum has, together and with their number.
    let stock = right().replacen("|K990|", "|K200|30062026|P1|1,000|0||\n|K200|30062026|P2|1,000|0||\n|K990|", 1);
    let lines = run_over(&[("efd.txt", stock.as_bytes())]);
    let said: Vec<_> = lines.iter().filter(|line| line.codigo == Some("registro_nao_lido")).collect();
    assert!(said.len() == 1 && said[0].detalhe.ends_with(": K200 (2)"), "{said:#?}");
}

#[test]
fn items_are_where_the_books_want_them() {
    let sale = "|C190|000|6102|";
    let item = "|C170|1|P1|PRODUTO|1,00000|UN|1000,00|0,00|0|000|6102||1000,00|12,00|120,00|0,00|0,00|0,00|||||||||||||||||||||\n";
    let own = changed(&[(sale, &[item, sale].concat())], &["itens_na_efd"]);
    assert_eq!(own, ["conferir    itens_na_efd  "]);
    let repaid = [item, "|C176|55|1|001|010120260|0,00|\n", sale].concat();
    assert!(changed(&[(sale, &repaid)], &["itens_na_efd"]).is_empty());
    let from = right().find("|C170|").map(|at| right()[at..].lines().next().unwrap().to_owned() + "\n").unwrap();
    assert_eq!(changed(&[(&from, "")], &["itens_na_efd"]).len(), 1, "a purchase without its items");
}

/// A note that the declarant issues has its own codes of products, and books have none of its items.
#[test]
fn the_products_of_the_books_are_those_of_the_notes() {
    let of = |product: &str, codes: &str| {
        let books = right().replacen("|0200|P1|PRODUTO|||UN|00|84713012||84||18,00||", product, 1);
        let sale = String::from_utf8(SALE.to_vec()).unwrap().replacen("<cEAN>SEM GTIN</cEAN>", "", 1);
        let sale = sale.replacen("<NCM>84713012</NCM>", codes, 1);
        let lines = run_over(&[("efd.txt", books.as_bytes()), ("101.xml", sale.as_bytes())]);
        let of = lines.iter().filter(|line| line.codigo == Some("cadastro_e_nota"));
        of.map(|line| format!("{} {} {}", line.registro, line.linha.unwrap(), line.detalhe)).collect::<Vec<_>>()
    };
    let right = "|0200|P1|PRODUTO|789||UN|00|84713012||84||18,00|2100100|";
    let codes = "<cEAN>789</cEAN><NCM>84713012</NCM><CEST>2100100</CEST>";
    assert_eq!(of(right, codes), Vec::<String>::new());
    let wrong = |name: &str, one: &str, other: &str| {
        [format!("0200 6 {name} do produto P1 no cadastro (0200) é {one}, e na nota 101 é {other}")]
    };
    assert_eq!(of(&right.replace("84713012", "84713019"), codes), wrong("o NCM", "84713019", "84713012"));
    assert_eq!(of(&right.replace("2100100", "2100200"), codes), wrong("o CEST", "2100200", "2100100"));
    assert_eq!(of(&right.replace("789", "788"), codes), wrong("o GTIN", "788", "789"));
    assert!(of(&right.replace("P1", "P2"), codes).is_empty(), "the code of another product");
    assert!(of(&right.replace("2100100", ""), codes).is_empty(), "one of the two has none");
}

#[test]
fn the_ipi_of_a_cfop_is_that_of_its_documents() {
    let of = |account: &str| {
        let group = ("|1000,00|1000,00|120,00|0,00|0,00|0,00|0,00|", "|1000,00|1000,00|120,00|0,00|0,00|0,00|50,00|");
        changed(&[group, ("|E990|", &format!("|E500|0|01062026|30062026|\n{account}|E990|"))], &["apuracao_do_ipi"])
    };
    assert_eq!(of("|E510|6102|50|1000,00|1000,00|50,00|\n"), Vec::<String>::new());
    assert_eq!(of("|E510|6102|50|1000,00|1000,00|40,00|\n"), ["conferir E510 25  apuracao_do_ipi 40.00 50.00"]);
    let other = of("|E510|6101|50|1000,00|1000,00|50,00|\n");
    assert_eq!(other.len(), 2, "one CFOP has too much, the other has nothing: {other:?}");
    assert!(of("").is_empty(), "who does not account for IPI");
}

#[test]
fn a_book_in_another_alphabet_is_read_and_noticed_once() {
    let named = |of: &str| right().replace("FIRMA INVENTADA", of);
    let windows = |name: &str| encoding_rs::WINDOWS_1252.encode(&named(name)).0.into_owned();
    // The letter Ç of the code page 850.
    let dos: Vec<u8> = named("CONFEC@AO").bytes().map(|byte| if byte == b'@' { 0x80 } else { byte }).collect();
    let noticed = |bytes: &[u8]| {
        let lines = run_over(&[("efd.txt", bytes)]);
        let of = |codigo: &str| lines.iter().filter(|line| line.codigo == Some(codigo)).count();
        [of("escrituracao_em_utf8"), of("escrituracao_em_outro_alfabeto")]
    };
    assert_eq!(noticed(right().as_bytes()), [0, 0]);
    assert_eq!(noticed(&windows("CONFECÇÃO INVENTADA")), [0, 0]);
    assert_eq!(noticed(named("CONFECÇÃO – INVENTADA").as_bytes()), [1, 0]);
    assert_eq!([noticed(&windows("CONFECÇÃO – INVENTADA")), noticed(&dos)], [[0, 1]; 2]);
}

/// Changed bytes anywhere in the registers of these checks never end a run.
#[test]
fn damaged_accounts_never_end_a_run() {
    let whole = right()
        .replacen("|C990|", "|C860|59|000123456|10062026|000123|999999|\n|C890|000|5102|18,00|28,00|28,00|5,04||\n|C990|", 1)
        .replacen(GROUP, &[GROUP, "|C195|1||\n|C197|SP40090207|||100,00|5,00|5,00|0,00|\n"].concat(), 1)
        .replacen("|E990|", "|E200|MG|01062026|30062026|\n|E210|1|0,00|0,00|0,00|0,00|0,00|50,00|0,00|0,00|50,00|0,00|50,00|0,00|0,00|\n|E300|MG|01062026|30062026|\n|E310|1|0,00|9,00|0,00|0,00|0,00|9,00|0,00|9,00|0,00|0,00|0,00|1,00|0,00|0,00|0,00|1,00|0,00|1,00|0,00|0,00|\n|E990|", 1);
    let coupon = include_str!("../../../../golden/layouts/cfe_sat.xml").replace("<dEmi>20250610", "<dEmi>20260610");
    let mut random = 7_u64;
    for _ in 0..200 {
        let mut bytes = whole.clone().into_bytes();
        for _ in 0..6 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(random >> 33).unwrap() % bytes.len();
            bytes[at] = b"|0,9\n"[usize::from(random.to_le_bytes()[3] % 5)];
        }
        run_over(&[("efd.txt", &bytes), ("101.xml", SALE), ("cfe.xml", coupon.as_bytes())]);
    }
}
