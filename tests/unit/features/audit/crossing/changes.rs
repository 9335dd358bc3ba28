//! A month whose books and notes agree has no finding, and each change of the books gives its own.

use super::{BOOKS, CANCELLATION, CANCELLED, MISSING, PURCHASE, SALE, findings};

/// The books of the samples without the three planted faults.
pub(super) fn right() -> String {
    let books = String::from_utf8(BOOKS.to_vec()).unwrap().replace("\r\n", "\n");
    let cancelled = "|C100|1|0|B|55|00|001|102|35260612345678000195550010000001021123456783|10062026|10062026|500,00|1|0,00|0,00|500,00|9|0,00|0,00|0,00|500,00|90,00|0,00|0,00|0,00|||||\n\
        |C190|000|5102|18,00|500,00|500,00|90,00|0,00|0,00|0,00|0,00||\n";
    let booked_right = "|C100|1|0||55|02|001|102|35260612345678000195550010000001021123456783||||||||||||||||||||||\n";
    assert!(books.contains(cancelled));
    books
        .replace(cancelled, booked_right)
        .replace("|144,00|", "|96,00|")
        .replace("|18,00|96,00|", "|12,00|96,00|")
        .replace("|2102|18,00|", "|2102|12,00|")
        .replace("|E110|210,00|", "|E110|120,00|")
        .replace("|66,00|", "|24,00|")
}

/// The findings of a month with these books; the missing sale is left out of the notes.
pub(super) fn of_books(books: &str) -> Vec<String> {
    let notes: [(&str, &[u8]); 4] =
        [("101.xml", SALE), ("102.xml", CANCELLED), ("102-canc.xml", CANCELLATION), ("9001.xml", PURCHASE)];
    let books = [("efd.txt", books.as_bytes())];
    findings(&[&books[..], &notes[..]].concat())
}

#[test]
fn a_month_whose_books_and_notes_agree_has_no_finding() {
    assert_eq!(of_books(&right()), Vec::<String>::new());
}

/// What is changed, to what, and the only finding.
const CHANGES: &[(&str, &str, &str)] = &[
    ("|10062026|10062026|1000,00|", "|11062026|10062026|1000,00|", "erro_do_documento C100 11 101 data_de_emissao  "),
    (
        "|10062026|10062026|1000,00|",
        "|10062026|10062026|1000,50|",
        "erro_do_documento C100 11 101 valor_do_documento 1000.50 1000.00",
    ),
    ("|55|00|001|101|", "|55|00|002|101|", "erro_do_documento C100 11 101 chave_e_registro  "),
    (
        "|1000,00|120,00|0,00|0,00|0,00|||||",
        "|1000,00|130,00|0,00|0,00|0,00|||||",
        "erro_do_documento C100 11 101 imposto_na_efd 130.00 120.00",
    ),
    (
        "|1000,00|120,00|0,00|0,00|0,00|||||",
        "|900,00|120,00|0,00|0,00|0,00|||||",
        "erro_do_documento C100 11 101 base_na_efd  ",
    ),
    (
        "|1000,00|120,00|0,00|0,00|0,00|||||",
        "|1000,00|120,00|0,00|0,00|50,00|||||",
        "erro_do_documento C100 11 101 imposto_na_efd 50.00 0.00",
    ),
    ("|C190|000|6102|12,00|1000,00|", "|C190|020|6102|12,00|1000,00|", "erro_do_documento C190 12 101 cst_na_efd  "),
    ("|C190|000|6102|12,00|1000,00|", "|C190|000|6101|12,00|1000,00|", "erro_do_documento C190 12 101 cfop_na_efd  "),
    (
        "|C190|000|6102|12,00|1000,00|",
        "|C190|000|6102|7,00|1000,00|",
        "erro_do_documento C190 12 101 aliquota_na_efd  ",
    ),
    (
        "|C190|000|6102|12,00|1000,00|1000,00|",
        "|C190|000|6102|12,00|1000,00|900,00|",
        "erro_do_documento C190 12 101 valor_do_grupo 900.00 1000.00",
    ),
    (
        "|C190|000|6102|12,00|1000,00|1000,00|",
        "|C190|000|6102|12,00|900,00|1000,00|",
        "erro_do_documento C190 12 101 valor_do_grupo 900.00 1000.00",
    ),
    // The purchase: a base that the supplier did not charge.
    (
        "|800,00|96,00|0,00|0,00|0,00|||||",
        "|900,00|96,00|0,00|0,00|0,00|||||",
        "conferir C100 14 9001 base_do_credito_maior  ",
    ),
    ("|E110|120,00|", "|E110|119,00|", "erro_do_documento E110 22  debitos_da_apuracao 119.00 120.00"),
    (
        "|E110|120,00|0,00|0,00|0,00|96,00|",
        "|E110|120,00|0,00|0,00|0,00|95,00|",
        "erro_do_documento E110 22  creditos_da_apuracao 95.00 96.00",
    ),
    ("|E116|000|24,00|", "|E116|000|20,00|", "erro_do_documento E110 22  obrigacoes_a_recolher 20.00 24.00"),
];

#[test]
fn each_change_of_the_books_gives_its_finding_alone() {
    let right = right();
    for (from, to, wanted) in CHANGES {
        assert!(right.contains(from), "{from}");
        assert_eq!(of_books(&right.replacen(from, to, 1)), [*wanted], "{from} -> {to}");
    }
}

#[test]
fn a_note_of_the_month_that_the_books_lack_is_found_whatever_its_place() {
    let right = right();
    let files: [(&str, &[u8]); 2] = [("103.xml", MISSING), ("efd.txt", right.as_bytes())];
    let found = findings(&files);
    assert!(found.iter().any(|line| line.contains("103 nota_fora_da_efd 0 54.00")), "{found:?}");
}

/// The last books that replace others are crossed in their place.
#[test]
fn books_that_were_replaced_are_not_crossed() {
    let replacing = right().replacen("|020|0|", "|020|1|", 1);
    let notes: [(&str, &[u8]); 4] =
        [("101.xml", SALE), ("102.xml", CANCELLED), ("102-canc.xml", CANCELLATION), ("9001.xml", PURCHASE)];
    let books = [("a.txt", replacing.as_bytes()), ("b.txt", BOOKS)];
    assert_eq!(findings(&[&books[..], &notes[..]].concat()), Vec::<String>::new());
}

/// Damaged books have lines that say so, and never end a run.
#[test]
fn damaged_books_are_reported_and_never_end_a_run() {
    let right = right();
    let cut = &right[..right.len() / 2];
    assert!(of_books(cut).iter().any(|line| line.contains("escrituracao_incompleta")));
    // What is lost may be the note, its rows, or the obligation: nothing is certain of it.
    let accused = |line: &String| line.starts_with("erro_do_documento");
    for end in (0..right.len()).step_by(7).filter(|end| right.is_char_boundary(*end)) {
        let found = of_books(&right[..end]);
        assert!(!found.iter().any(accused), "{end}: {found:?}");
    }
    let lines: Vec<&str> = right.lines().collect();
    for broken in 1..lines.len() {
        let mut changed = lines.clone();
        changed[broken] = &lines[broken][1..];
        let found = of_books(&(changed.join("\n") + "\n"));
        assert!(!found.iter().any(accused), "line {}: {found:?}", broken + 1);
    }
    assert!(
        of_books(&right.replacen("|C190|000|6102", "C190|000|6102", 1)).iter().any(|l| l.contains("linha_quebrada"))
    );
    assert!(of_books(&right.replacen("|1000,00|1|", "|mil|1|", 1)).iter().any(|l| l.contains("campo_ilegivel")));
    // A signature follows the last record, and a fifteenth field the header.
    let signed = [right.as_bytes(), b"SBRCAAEPDR0\x00\xff\xfe|C100|\n"].concat();
    let notes: [(&str, &[u8]); 4] =
        [("101.xml", SALE), ("102.xml", CANCELLED), ("102-canc.xml", CANCELLATION), ("9001.xml", PURCHASE)];
    let books = [("efd.txt", signed.as_slice())];
    assert_eq!(findings(&[&books[..], &notes[..]].concat()), Vec::<String>::new());
    let mut random = 1_u64;
    for _ in 0..300 {
        let mut bytes = right.clone().into_bytes();
        for _ in 0..8 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(random >> 33).unwrap() % bytes.len();
            bytes[at] = random.to_le_bytes()[3];
        }
        super::run_over(&[("efd.txt", &bytes), ("101.xml", SALE)]);
    }
}
