//! The sentences of the report for people: a difference in words, days and months as Brazilians write them.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::base::value::{RegraCitada, amount_in_brl};
use crate::features::audit::finding::{AuditLine, Certainty, Layer};

const MONTHS: [&str; 12] = [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
];

/// `2026-10` as `outubro de 2026`; another text as it is.
pub(super) fn month_in_words(month: &str) -> String {
    let name = |(_, number): (&str, &str)| MONTHS.get(number.parse::<usize>().ok()?.checked_sub(1)?).copied();
    let parts = month.split_once('-');
    match (parts, parts.and_then(name)) {
        (Some((year, _)), Some(name)) => format!("{name} de {year}"),
        _ => month.to_owned(),
    }
}

/// Text of a document or of a file's name, without characters that a terminal obeys.
pub(super) fn harmless(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// A difference in a line or two.
pub(super) fn sentence(line: &AuditLine) -> String {
    let mut out = harmless(&line.arquivo);
    if line.documento > 1 {
        let _ = write!(out, " (documento {})", line.documento);
    }
    if let Some(number) = line.linha {
        let _ = write!(out, " linha {number}");
    }
    if !line.registro.is_empty() {
        let _ = write!(out, " {}", line.registro);
        if !line.numero.numero.is_empty() {
            let _ = write!(out, " nº {}", harmless(&line.numero.numero));
        }
    }
    if let Some(item) = line.item {
        let _ = write!(out, " item {item}");
    }
    let _ = write!(out, " {}: {}", line.tributo, line.detalhe);
    if let Some(found) = &line.explicacao {
        let _ = write!(out, "; explicação: {}", found.detalhe);
    }
    if let (Some(declared), Some(calculated), Some(difference)) = (line.declarado, line.calculado, line.diferenca) {
        let side = if difference.is_sign_negative() { "a menor" } else { "a maior" };
        let (declared, calculated, amount) =
            (amount_in_brl(declared), amount_in_brl(calculated), amount_in_brl(difference.abs()));
        let (here, there) = match line.camada {
            Layer::Cruzamento if line.registro.starts_with(['E', 'M']) => ("no registro", "pela própria EFD"),
            Layer::Cruzamento => ("na EFD", "pelo XML"),
            _ => ("no documento", "calculado"),
        };
        let _ = write!(out, " [{declared} {here}, {calculated} {there}: R$ {amount} {side}]");
    }
    if let Some(certainty) = line.certeza {
        let _ = write!(out, " ({})", phrase(certainty));
    }
    if !line.citacao_legal.is_empty() {
        let _ = write!(out, "\n    {}", line.citacao_legal);
    }
    if let Some(rule) = &line.regra {
        let RegraCitada { rule_id, citacao_legal, vigente_de, vigente_ate, .. } = rule;
        let until = vigente_ate.map_or_else(String::new, |ate| format!(", {}", ate.until()));
        let _ = write!(out, "\n    {rule_id}: {} (desde {}{until})", citacao_legal.as_str(), vigente_de.dmy());
    }
    out
}

pub(super) fn phrase(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::ErroDoDocumento => "erro do documento",
        Certainty::RegraPlena => "divergência com regra plena",
        Certainty::Conferir => "conferir",
    }
}

/// The code of lines of which an EFD may have hundreds that say the same.
const WITHOUT_XML: &str = "documento_sem_xml";
/// As many of them are written one by one.
const ONE_BY_ONE: usize = 10;
/// How many documents a line of the report names.
const A_LINE: usize = 8;

/// Lines of an EFD that are many and alike as one sentence, with each of their documents; and all others.
pub(super) fn without_many_alike<'l>(lines: Vec<&'l AuditLine>) -> (Vec<&'l AuditLine>, Vec<String>) {
    let is_of = |line: &&AuditLine| line.linha.is_some() && line.codigo == Some(WITHOUT_XML);
    let mut by_file: BTreeMap<&str, Vec<&'l AuditLine>> = BTreeMap::new();
    for line in lines.iter().copied().filter(is_of) {
        by_file.entry(&line.arquivo).or_default().push(line);
    }
    by_file.retain(|_, alike| alike.len() > ONE_BY_ONE);
    let sentences = by_file.iter().map(|(file, alike)| {
        let mut out =
            format!("{}: {} documentos da EFD sem XML entre os arquivos (conferir)", harmless(file), alike.len());
        let name = |line: &&AuditLine| {
            let number = harmless(&line.numero.numero);
            format!("{} nº {number} (linha {})", line.registro, line.linha.unwrap_or_default())
        };
        for some in alike.chunks(A_LINE) {
            let _ = write!(out, "\n    {}", some.iter().map(name).collect::<Vec<_>>().join(", "));
        }
        out
    });
    let sentences = sentences.collect();
    let rest = lines.into_iter().filter(|line| !(is_of(line) && by_file.contains_key(line.arquivo.as_str())));
    (rest.collect(), sentences)
}
