//! What of a book is not compared, and why: the report counts it on its first page.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::books::Book;
use super::contributions;
use super::entry::{CrossedLines, line_of_book};
use super::states;
use super::sums::BookSums;
use crate::features::audit::finding::{AuditLine, AuditPlace, Layer};
use crate::law::efd::EfdKind;

/// What the reading of books found: their faulty lines, and why they are not crossed.
pub(super) fn of_reading(book: &Book) -> Vec<AuditLine> {
    let of_book = || line_of_book(book, None, "documento").in_layer(Layer::Arquivo, "documento");
    let mut lines = Vec::new();
    for fault in &book.faults {
        let line = line_of_book(book, None, "documento");
        let place = AuditPlace { registro: fault.register.clone(), linha: Some(fault.line), ..(*line.place).clone() };
        let line = AuditLine { place: Arc::new(place), camada: Layer::Arquivo, ..line };
        lines.push(line.refused(fault.codigo, fault.detail.as_str()));
    }
    if book.further_faults > 0 {
        let detail = format!("e mais {} linhas com erro, que não são listadas", book.further_faults);
        lines.push(of_book().refused("linha_quebrada", detail));
    }
    if book.is_utf8 {
        let detail = format!(
            "a {} está em UTF-8, e o leiaute pede ISO-8859-1 (Latin-1): foi lida, mas o PVA troca os acentos",
            book.header.kind.name()
        );
        lines.push(of_book().not_compared("escrituracao_em_utf8", &detail));
    }
    if book.is_of_other_alphabet {
        let detail = format!(
            "a {} tem letras que o ISO-8859-1 (Latin-1) não tem, como as do DOS (CP850) ou do Windows: os valores foram lidos, e os acentos dos textos podem estar trocados; exporte em Latin-1",
            book.header.kind.name()
        );
        lines.push(of_book().not_compared("escrituracao_em_outro_alfabeto", &detail));
    }
    if let Some(why) = &book.left_out {
        let detail = format!("a {} não é cruzada: {why}", book.header.kind.name());
        lines.push(of_book().not_compared("escrituracao_fora", &detail));
    }
    lines
}

/// Says which sums of the books are not compared, and which of their registers are not read at all.
pub(super) fn unread(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    let [of_sums, others] = &book.unread;
    let (account, whole) = match book.header.kind {
        EfdKind::IcmsIpi => ("E110", "a apuração (E110, E210 e E310)"),
        EfdKind::Contribuicoes => ("M200", "a apuração (bloco M)"),
    };
    let mut reasons: Vec<String> = Vec::new();
    if book.all(account).next().is_some() {
        if !of_sums.is_empty() {
            let names = counted(of_sums);
            reasons.push(format!("{whole} não foi comparada: a EFD tem registros que não são lidos: {names}"));
        } else if book.is_partial {
            reasons.push(format!("{whole} não foi comparada: há linhas da EFD que não foram lidas"));
        }
    }
    let named = states::not_compared(book, &sums.states).into_iter().chain(contributions::not_compared(book, sums));
    reasons.extend(named.map(str::to_owned));
    if book.has_too_many_products {
        reasons.push(
            "o que depende do cadastro de produtos (0200) não foi comparado: as escriturações têm produtos demais"
                .to_owned(),
        );
    }
    if !others.is_empty() {
        let names = counted(others);
        reasons.push(format!("registros da {} que não são lidos nem comparados: {names}", book.header.kind.name()));
    }
    let line = |reason: String| line_of_book(book, None, "documento").not_compared("registro_nao_lido", &reason);
    findings.extend(reasons.into_iter().map(line));
}

/// `C110 (3), K200 (12)`
fn counted(registers: &BTreeMap<String, u64>) -> String {
    let one = |(name, count): (&String, &u64)| format!("{name} ({count})");
    registers.iter().map(one).collect::<Vec<_>>().join(", ")
}
