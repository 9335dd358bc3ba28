//! CT-e (D100), the notes that they carry, and coupons of the SAT (C800) against the books.

use super::{BOOKS, findings};

const CTE: &str = include_str!("../../../../golden/layouts/cte.xml");
const CANCELLATION: &str = include_str!("../../../../golden/layouts/evento_cancelamento_cte.xml");
const COUPON: &str = include_str!("../../../../golden/layouts/cfe_sat.xml");
const KEY: &str = "35260645678912000155570010000007771123456784";
const COUPON_KEY: &str = "35250612345678000195590001234560001236543217";

/// The books of the taker, or of the carrier, with further records in a block.
fn books(declarant: &str, block: &str, records: &str) -> Vec<u8> {
    let text = String::from_utf8(BOOKS.to_vec()).unwrap().replacen("12345678000195", declarant, 1);
    let begin = text.find(block).unwrap();
    [&text[..begin], records, &text[begin..]].concat().into_bytes()
}

const TAKER: &str = "12345678000195";
const CARRIER: &str = "45678912000155";

/// A carriage: who issues it, its total, base and ICMS.
fn booked(declarant: &str, [total, base, icms]: [&str; 3]) -> Vec<u8> {
    let own = if declarant == CARRIER { "1|0" } else { "0|1" };
    let records = format!(
        "|D100|{own}||57|00|1||777|{KEY}|11062026|11062026|0||{total}|0,00|1|{total}|{base}|{icms}|0,00||||\r\n\
         |D190|000|1353|12,00|{total}|{base}|{icms}|0,00||\r\n"
    );
    books(declarant, "|D990|", &records)
}

/// What concerns the carriage or its note.
fn of_carriage(efd: &[u8], files: &[&str]) -> Vec<String> {
    let mut all: Vec<(&str, &[u8])> = vec![("efd.txt", efd)];
    all.extend(files.iter().map(|xml| ("x.xml", xml.as_bytes())));
    let of_carriage = |line: &String| line.contains("frete") || line.contains(" D100 ");
    findings(&all).into_iter().filter(of_carriage).collect()
}

/// The note that it carries is in the books of the sample.
#[test]
fn a_carriage_of_the_declarant_is_in_its_books() {
    let right = booked(TAKER, ["2000,00", "2000,00", "240,00"]);
    assert!(of_carriage(&right, &[CTE]).is_empty(), "{:?}", of_carriage(&right, &[CTE]));
    let missing = books(TAKER, "|D990|", "");
    assert_eq!(of_carriage(&missing, &[CTE]), ["conferir   777 frete_fora_da_efd  "]);
    assert!(of_carriage(&missing, &[CTE, CANCELLATION]).is_empty(), "a cancelled one is in no books");
    assert_eq!(
        of_carriage(&booked(CARRIER, ["2000,00", "2000,00", "240,00"]), &[CTE, CANCELLATION]),
        ["erro_do_documento D100 20 777 cancelada_escriturada 240.00 0"]
    );
    let test = CTE.replace("<tpAmb>1</tpAmb><tpCTe>", "<tpAmb>2</tpAmb><tpCTe>");
    assert!(of_carriage(&missing, &[&test]).is_empty());
    let another =
        CTE.replace("35260612345678000195550010000001011123456786", "35260612345678000195550010000007771123456786");
    assert_eq!(of_carriage(&right, &[&another]), ["conferir   777 frete_sem_nota  "]);
    let of_may = another.replace("<chave>3526061", "<chave>3526051");
    assert!(of_carriage(&right, &[&of_may]).is_empty(), "the books of May are not among the files");
}

#[test]
fn its_amounts_are_those_of_the_document() {
    let own = |amounts| of_carriage(&booked(CARRIER, amounts), &[CTE]);
    assert!(own(["2000,00", "2000,00", "240,00"]).is_empty());
    assert_eq!(
        own(["2100,00", "2000,00", "240,00"]),
        ["erro_do_documento D100 20 777 valor_do_documento 2100.00 2000.00"]
    );
    assert_eq!(own(["2000,00", "1900,00", "240,00"]), ["erro_do_documento D100 20 777 base_do_frete 1900.00 2000.00"]);
    assert_eq!(own(["2000,00", "2000,00", "204,00"]), ["erro_do_documento D100 20 777 icms_do_frete 204.00 240.00"]);
    let later = String::from_utf8(booked(CARRIER, ["2000,00", "2000,00", "240,00"])).unwrap();
    let later = later.replacen("|11062026|11062026|0||", "|12062026|12062026|0||", 1);
    assert_eq!(of_carriage(later.as_bytes(), &[CTE]), ["erro_do_documento D100 20 777 data_de_emissao  "]);
    let taken = |amounts| of_carriage(&booked(TAKER, amounts), &[CTE]);
    assert!(taken(["2000,00", "0,00", "0,00"]).is_empty(), "without the right to a credit");
    assert_eq!(taken(["2000,00", "2000,00", "360,00"]), ["conferir D100 20 777 icms_do_frete 360.00 240.00"]);
    let text = String::from_utf8_lossy(&booked(CARRIER, ["2000,00", "2000,00", "240,00"])).into_owned();
    let analysis = text.replace("|2000,00|2000,00|240,00|0,00||\r\n", "|2000,00|2000,00|120,00|0,00||\r\n");
    assert_eq!(of_carriage(analysis.as_bytes(), &[CTE]), ["erro_do_documento D100 20 777 icms_do_frete 120.00 240.00"]);
}

#[test]
fn a_coupon_has_the_total_and_the_groups_of_its_items() {
    let coupon = |total: &str, cst: &str, icms: &str| {
        let records = format!(
            "|C800|59|00|000123|10062025|{total}|0,38|1,74||000123456|{COUPON_KEY}|2,00|40,00|0,00|{icms}|0,00|0,00|\r\n\
             |C850|{cst}|5102|18,00|28,00|28,00|{icms}||\r\n|C850|060|5405|0,00|10,00|0,00|0,00||\r\n"
        );
        let efd = books(TAKER, "|C990|", &records);
        let found = findings(&[("efd.txt", &efd), ("cfe.xml", COUPON.as_bytes())]);
        found.into_iter().filter(|line| line.contains(" C800 ")).collect::<Vec<_>>()
    };
    assert!(coupon("38,00", "000", "5,04").is_empty(), "{:?}", coupon("38,00", "000", "5,04"));
    assert_eq!(coupon("39,00", "000", "5,04"), ["erro_do_documento C800 18 000123 valor_do_documento 39.00 38.00"]);
    assert_eq!(coupon("38,00", "000", "4,50"), ["erro_do_documento C800 18 000123 icms_do_cupom 4.50 5.04"]);
    assert_eq!(
        coupon("38,00", "020", "5,04"),
        [
            "erro_do_documento C800 18 000123 icms_do_cupom 0 5.04",
            "erro_do_documento C800 18 000123 icms_do_cupom 5.04 0"
        ]
    );
}

/// Of two carriages of the books one is among the files; without it nothing is said of the other.
#[test]
fn a_carriage_without_its_xml_is_to_be_checked() {
    let right = String::from_utf8(booked(TAKER, ["2000,00", "2000,00", "240,00"])).unwrap();
    let row = right.lines().find(|line| line.starts_with("|D100|")).unwrap().to_owned();
    let another = row.replace("|777|", "|778|").replace("0000007771", "0000007781");
    let both = right.replacen(&row, &[&another, "\r\n", &row].concat(), 1);
    let found = |files: &[&str]| {
        let lines = of_carriage(both.as_bytes(), files);
        lines.into_iter().filter(|line| line.contains("documento_sem_xml")).collect::<Vec<_>>()
    };
    assert_eq!(found(&[CTE]), ["conferir D100 20 778 documento_sem_xml  "]);
    assert!(found(&[]).is_empty());
}

/// The row of a coupon has the ICMS of its groups.
#[test]
fn the_row_of_a_coupon_has_the_icms_of_its_groups() {
    let records = format!(
        "|C800|59|00|000123|10062025|38,00|0,38|1,74||000123456|{COUPON_KEY}|2,00|40,00|0,00|3,04|0,00|0,00|\r\n\
         |C850|000|5102|18,00|28,00|28,00|5,04||\r\n|C850|060|5405|0,00|10,00|0,00|0,00||\r\n"
    );
    let efd = books(TAKER, "|C990|", &records);
    let found = findings(&[("efd.txt", &efd), ("cfe.xml", COUPON.as_bytes())]);
    let of_row: Vec<String> = found.into_iter().filter(|line| line.contains(" C800 ")).collect();
    assert_eq!(of_row, ["erro_do_documento C800 18 000123 icms_do_cupom 3.04 5.04"]);
}

/// Coupons that the books have by device and day.
#[test]
fn the_coupons_of_a_day_have_the_total_and_the_groups_of_the_books() {
    let of_june = COUPON.replace("<dEmi>20250610", "<dEmi>20260610");
    let of_day = |last: &str, value: &str, icms: &str| {
        let records = format!(
            "|C860|59|000123456|10062026|000123|{last}|\r\n|C890|000|5102|18,00|{value}|28,00|{icms}||\r\n\
             |C890|060|5405|0,00|10,00|0,00|0,00||\r\n"
        );
        let efd = books(TAKER, "|C990|", &records);
        let found = findings(&[("efd.txt", &efd), ("cfe.xml", of_june.as_bytes())]);
        found.into_iter().filter(|line| line.contains(" C860 ") || line.contains("cupom")).collect::<Vec<_>>()
    };
    assert_eq!(of_day("000123", "28,00", "5,04"), Vec::<String>::new());
    assert_eq!(of_day("000123", "28,00", "4,50"), ["erro_do_documento C860 18 000123 icms_do_cupom 4.50 5.04"]);
    assert_eq!(of_day("000123", "27,00", "5,04"), ["erro_do_documento C860 18 000123 valor_do_documento 37.00 38.00"]);
    assert!(of_day("000125", "58,00", "9,04").is_empty(), "two coupons are not among the files");
    let none = findings(&[("efd.txt", &books(TAKER, "|C990|", "")), ("cfe.xml", of_june.as_bytes())]);
    assert!(none.contains(&"conferir    cupom_fora_da_efd 0 38.00".to_owned()), "{none:?}");
}
