//! Documents against the digital books (EFD).

mod bounds;
mod changes;
mod contributions;
mod records;
mod transport;
mod whole_book;

use taxd::features::audit::{AuditLine, Layer, NamedFile, Run};
use taxd_base::problem::{ErrorCode, Problem};

use crate::audit_run::audited_by;
use crate::support::built_in;

pub(super) const BOOKS: &[u8] = include_bytes!("efd_icms_ipi.txt");
const SALE: &[u8] = include_bytes!("efd_nfe_101_venda.xml");
const CANCELLED: &[u8] = include_bytes!("efd_nfe_102_cancelada.xml");
const CANCELLATION: &[u8] = include_bytes!("evento_cancelamento_nfe_102.xml");
const MISSING: &[u8] = include_bytes!("efd_nfe_103_fora_da_efd.xml");
const PURCHASE: &[u8] = include_bytes!("efd_nfe_9001_compra.xml");

/// All lines of a run over these files.
pub(super) fn run_over(files: &[(&str, &[u8])]) -> Vec<AuditLine> {
    run_with(files, false)
}

/// The same, by the built-in rules if `answers`.
pub(super) fn run_with(files: &[(&str, &[u8])], answers: bool) -> Vec<AuditLine> {
    let files: Vec<NamedFile<'_>> = files.iter().map(|(name, bytes)| NamedFile::in_memory(name, bytes)).collect();
    let refused = || Err(Box::new(Problem::new(ErrorCode::RegraInexistente, "sem regra")));
    let answer = |payload: &_| if answers { built_in().0.answer(payload, false, None) } else { refused() };
    audited_by(&Run::default(), &files, answer)
}

/// What the crossing found, in words: how sure, the register and its line, the document, the cause and the amounts.
pub(super) fn findings(files: &[(&str, &[u8])]) -> Vec<String> {
    findings_of(&run_over(files))
}

/// The same of lines.
pub(super) fn findings_of(lines: &[AuditLine]) -> Vec<String> {
    let of_crossing = |line: &AuditLine| line.camada == Layer::Cruzamento || line.linha.is_some();
    let text = |line: &AuditLine| {
        let amount =
            |amount: Option<rust_decimal::Decimal>| amount.map(|amount| amount.to_string()).unwrap_or_default();
        let certainty = line.certeza.map(|certainty| certainty.to_string()).unwrap_or_default();
        let at = line.linha.map(|line| line.to_string()).unwrap_or_default();
        [
            certainty,
            line.registro.clone(),
            at,
            line.numero.numero.clone(),
            line.codigo.unwrap_or_default().to_owned(),
            amount(line.declarado),
            amount(line.calculado),
        ]
        .join(" ")
    };
    lines.iter().filter(|line| of_crossing(line)).map(text).collect()
}

const SAMPLES: [(&str, &[u8]); 6] = [
    ("efd.txt", BOOKS),
    ("101.xml", SALE),
    ("102.xml", CANCELLED),
    ("102-canc.xml", CANCELLATION),
    ("103.xml", MISSING),
    ("9001.xml", PURCHASE),
];

/// The three faults that were planted, and nothing else.
#[test]
fn the_planted_faults_of_a_month_are_found() {
    let wanted = [
        "erro_do_documento C100 15 9001 credito_maior 144.00 96.00",
        "erro_do_documento C100 13 102 cancelada_escriturada 90.00 0",
        "erro_do_documento   103 nota_fora_da_efd 0 54.00",
    ];
    assert_eq!(findings(&SAMPLES), wanted);
}

/// The order of the files does not matter, and neither does an archive around them.
#[test]
fn books_may_come_after_the_notes() {
    let mut reversed = SAMPLES;
    reversed.reverse();
    assert_eq!(findings(&reversed), findings(&SAMPLES));
}

/// Such a file was one line, too long to be read, for each block of it.
#[test]
fn books_whose_lines_end_in_cr_alone_are_refused_once_with_the_reason() {
    let books = String::from_utf8(BOOKS.to_vec()).unwrap().replace("\r\n", "\r");
    let lines = run_over(&[("efd.txt", books.as_bytes())]);
    let found: Vec<_> = lines.iter().map(|line| (line.codigo, line.detalhe.contains("só em CR"))).collect();
    // Beside what is said of the file.
    assert_eq!(found, [(Some("escrituracao"), false), (Some("escrituracao_ilegivel"), true)], "{lines:#?}");
}
