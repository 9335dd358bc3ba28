//! The NFS-e of IPM (Atende.Net), each of its services as the NFS-e of ABRASF that says the same.
//!
//! A note has several services, numbers with a comma, days as `15/06/2026`, and municipalities by their code of the
//! Receita Federal (TOM). It does not have the ISS that the provider pays, which is base by rate.

use std::borrow::Cow;

use rust_decimal::Decimal;

use super::reforma_servico::ReformaDoServico;
use super::rewrite::put;
use super::servico::NotaDeServico;
use super::status::DocumentStatus;
use super::tags::decimal;
use super::xml::Element;
use super::{RetencoesDoServico, TomadorDoServico};
use crate::base::value::{Exact, Municipio, format_decimal};

/// Elements of the whole note: from, to.
const OF_NOTE: [(&str, &str); 9] = [
    ("nf/numero_nfse", "Numero"),
    ("nf/valor_ir", "Servico/Valores/ValorIr"),
    ("nf/valor_inss", "Servico/Valores/ValorInss"),
    ("nf/valor_contribuicao_social", "Servico/Valores/ValorCsll"),
    ("nf/valor_pis", "Servico/Valores/ValorPis"),
    ("nf/valor_cofins", "Servico/Valores/ValorCofins"),
    ("prestador/cpfcnpj", "PrestadorServico/IdentificacaoPrestador/CpfCnpj/Cnpj"),
    ("prestador/cidade", "PrestadorServico/Endereco/CodigoMunicipio"),
    ("tomador/cidade", "TomadorServico/Endereco/CodigoMunicipio"),
];

/// Elements of one service: from, to.
const OF_SERVICE: [(&str, &str); 4] = [
    ("codigo_item_lista_servico", "Servico/ItemListaServico"),
    ("aliquota_item_lista_servico", "Servico/Valores/Aliquota"),
    ("valor_tributavel", "Servico/Valores/BaseCalculo"),
    ("valor_deducao", "Servico/Valores/ValorDeducoes"),
];

/// `situacao_tributaria` without its zeros: the code, `ExigibilidadeISS` and `IssRetido` of ABRASF. What is not listed is
/// not known, 1 (a service to the municipality itself) included.
const SITUATIONS: [(&str, &str, &str); 7] = [
    ("", "1", "2"),
    ("2", "1", "1"),
    ("3", "1", "2"),
    ("4", "1", "2"),
    ("5", "1", "1"),
    ("6", "3", "2"),
    ("7", "5", "2"),
];

/// The status of a note that was cancelled.
const CANCELLED: &str = "2";

/// Whether an element `nfse` is a note, and not a request for one.
pub(super) fn is_note(element: &Element<'_>) -> bool {
    element.name == "nfse" && element.find("nf/numero_nfse").is_some()
}

/// Reads an element `nfse` of that layout. The further services of a note are in its first one.
pub(super) fn read(nfse: &Element<'_>) -> NotaDeServico {
    let lists = nfse.find("itens").into_iter().flat_map(|items| items.all("lista"));
    let mut services = lists.map(|list| service(nfse, list));
    let first = services.next().unwrap_or_else(|| service(nfse, &Element { line: nfse.line, ..Element::default() }));
    let outros: Vec<NotaDeServico> =
        services.map(|other| NotaDeServico { retencoes: other.retencoes.of_service_alone(), ..other }).collect();
    let status = match nfse.at("nf/situacao_codigo_nfse") {
        Some(CANCELLED) => DocumentStatus::Cancelled,
        _ => DocumentStatus::Valid,
    };
    let mut unreadable = Vec::new();
    let reforma = nfse.first("nf").and_then(|nf| {
        let mut number = |path: &str| decimal(nf, path, &mut unreadable);
        ReformaDoServico::of(nf, nfse.first("IBSCBS"), &mut number)
    });
    let reforma = reforma.map(|group| ReformaDoServico { base_parcial: true, ..group });
    unreadable.extend(first.unreadable);
    NotaDeServico { key: key(nfse), status, reforma, outros, unreadable, ..first }
}

/// The note has no access key; its copies have the same numbers.
fn key(nfse: &Element<'_>) -> String {
    let parts = ["prestador/cpfcnpj", "nf/numero_nfse", "nf/serie_nfse", "nf/cod_verificador_autenticidade"];
    let parts = parts.map(|path| nfse.at(path));
    let key = parts.into_iter().collect::<Option<Vec<&str>>>().map(|parts| format!("IPM-{}", parts.join("-")));
    key.unwrap_or_default()
}

/// `15/06/2026` as `2026-06-15`.
fn iso(day: &str) -> Option<String> {
    Some(format!("{}-{}-{}", day.get(6..10)?, day.get(3..5)?, day.get(..2)?))
}

/// The IBGE code of a municipality by its code of the Receita Federal; a code that is none stays, and names none.
fn ibge(code: &str) -> String {
    let known = Municipio::of_tom_code(code).map(|found| found.ibge_code().to_string());
    known.unwrap_or_else(|| code.to_owned())
}

/// The code of the municipality to which the ISS is due.
fn place<'e>(nfse: &'e Element<'_>, list: &'e Element<'_>) -> Option<&'e str> {
    let is_yes = |path: &str| matches!(list.at(path), Some("S" | "s" | "1"));
    let own = is_yes("tributa_municipio_prestador").then(|| nfse.at("prestador/cidade")).flatten();
    let takers = || is_yes("tributa_municipio_tomador").then(|| nfse.at("tomador/cidade")).flatten();
    own.or_else(takers).or_else(|| list.at("codigo_local_prestacao_servico"))
}

fn amount(element: &Element<'_>, name: &str) -> Option<Decimal> {
    decimal(element, name, &mut Vec::new())
}

fn service(nfse: &Element<'_>, list: &Element<'_>) -> NotaDeServico {
    let mut note = Element { name: "InfNfse".into(), line: list.line, ..Element::default() };
    let tables = [(nfse, &OF_NOTE[..]), (list, &OF_SERVICE[..])];
    for (source, (from, to)) in
        tables.into_iter().flat_map(|(source, table)| table.iter().map(move |row| (source, row)))
    {
        if let Some(found) = source.find(from) {
            let text = found.text.trim();
            let text = if to.ends_with("CodigoMunicipio") { ibge(text) } else { text.to_owned() };
            put(&mut note, to, text.into());
        }
    }
    let day =
        ["nf/data_fato_gerador", "data_fato_gerador", "nf/data_nfse"].into_iter().find_map(|path| iso(nfse.at(path)?));
    if let Some(day) = day {
        put(&mut note, "Competencia", day.into());
    }
    if let Some(place) = place(nfse, list) {
        put(&mut note, "Servico/CodigoMunicipio", ibge(place).into());
    }
    let situation = list.at("situacao_tributaria").map(|code| code.trim_start_matches('0'));
    let known = SITUATIONS.iter().find(|(code, ..)| Some(*code) == situation);
    if let Some((_, due, withheld)) = known {
        put(&mut note, "Servico/ExigibilidadeISS", Cow::Borrowed(*due));
        put(&mut note, "Servico/IssRetido", Cow::Borrowed(*withheld));
    }
    let is_withheld = known.is_some_and(|(.., withheld)| *withheld == "1");
    figures(&mut note, list, is_withheld);
    let read = NotaDeServico::of_abrasf(&note);
    let tomador = match nfse.at("tomador/tipo") {
        Some("J" | "j") => TomadorDoServico::PessoaJuridica,
        Some("F" | "f") => TomadorDoServico::PessoaFisica,
        Some("E" | "e") => TomadorDoServico::Exterior,
        _ => TomadorDoServico::NaoInformado,
    };
    NotaDeServico { retencoes: RetencoesDoServico { tomador, ..read.retencoes }, ..read }
}

/// Price, base and ISS. The taxable amount is without the deduction in some systems, and with it in others: of an ISS that
/// is withheld, the one that gives it is the base.
fn figures(note: &mut Element<'_>, list: &Element<'_>, is_withheld: bool) {
    let mut set = |path: &str, amount: Decimal| put(note, path, format_decimal(amount).into());
    let Some(taxable) = amount(list, "valor_tributavel") else { return };
    let deduction = amount(list, "valor_deducao").unwrap_or_default();
    set("Servico/Valores/ValorServicos", taxable.saturating_add(deduction));
    let Some(rate) = amount(list, "aliquota_item_lista_servico") else { return };
    let share = |base: Decimal| (Exact::from(base) * Exact::from(rate).percent()).round(2).ok();
    let withheld = amount(list, "valor_issrf").filter(|amount| is_withheld && !amount.is_zero());
    let net = taxable.saturating_sub(deduction);
    match (withheld, share(taxable)) {
        (Some(withheld), _) => {
            set("Servico/Valores/ValorIss", withheld);
            if share(net) == Some(withheld) {
                set("Servico/Valores/ValorServicos", taxable);
                set("Servico/Valores/BaseCalculo", net);
            }
        }
        (None, Some(due)) => set("Servico/Valores/ValorIss", due),
        (None, None) => {}
    }
}
