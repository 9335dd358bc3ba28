//! The coherence of the codes of a document with one another.

use std::collections::HashSet;

use rust_decimal::Decimal;

use super::explain::codes::AT_DOORS;
use super::finding::{AuditLine, Certainty, Incoherence, Layer};
use super::substitution::interstate_rates;
use super::technical_note::codes;
use super::{contribution_codes, explain, situation};
use crate::base::value::{Cest, Date, Ncm, NcmPrefix, with_comma};
use crate::law::codes::{cest_da_lista, cest_ncm, natureza, segments_of};
use crate::law::nfe::{Grupo, ItemDaNota, NotaDeServico, NotaFiscal, Tag};

/// From this day on the difference of a sale to a non-taxpayer is due (LC 190/2022, art. 3º; STF, ADI 7066).
const DIFAL_SINCE: u32 = 20_220_405;
const DIFAL_OF_ALL_SINCE: u32 = 20_230_101;
/// Natural gas, to which the rate of imported goods does not apply (Resolução SF 13/2012, art. 2º).
const NATURAL_GAS: [&str; 2] = ["27111100", "27112100"];
/// The test year of CBS and IBS.
pub(super) const TEST_YEAR: std::ops::Range<u32> = 20_260_101..20_270_101;
/// The first day of the rate of an interstate operation with imported goods (Resolução SF 13/2012), and the one from which a sale to who is not a taxpayer has an interstate rate at all (CF, art. 155, § 2º,
/// VII, in the wording of EC 87/2015).
const IMPORTED_SINCE: u32 = 20_130_101;
const IMPORTED_TO_CONSUMERS_SINCE: u32 = 20_160_101;
/// The first day on which some sellers, and on which all of them, write the CEST (Convênio ICMS 60/2017).
const CEST_OF_SOME_SINCE: u32 = 20_170_701;
const CEST_SINCE: u32 = 20_180_401;
/// From this day on every item has a whole NCM (NT 2014.004).
const WHOLE_NCM_SINCE: Date = Date::first_of(2015);
/// The table of CFOPs has those of this day: codes that were abolished before are not in it.
const CFOP_SINCE: Date = Date::first_of(2022);
/// Digits of a heading of the NCM.
const HEADING: usize = 4;
/// Most codes of a CEST that a sentence has.
const CODES_SHOWN: usize = 4;

pub(super) fn lines(found: Vec<Incoherence>, line: &AuditLine) -> Vec<AuditLine> {
    let one = |(tributo, certeza, codigo, detail): Incoherence| {
        line.clone().in_layer(Layer::Coerencia, tributo).differing(certeza, codigo, detail)
    };
    found.into_iter().map(one).collect()
}

pub(super) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, day: Date, line: &AuditLine) -> Vec<AuditLine> {
    let mut found = contribution_codes::of_item(nota, item);
    found.extend(reform(nota, item, day));
    found.extend(codes::of_item(nota, item, day));
    if item.servico {
        return explained(found, nota, item, line);
    }
    let checks = [regime(nota, item), destination(nota, item), substitution(item), origin(nota, item, day)];
    found.extend(checks.into_iter().flatten());
    found.extend(exemption(item));
    found.extend(cest(nota, item, day));
    found.extend(cest_of_ncm(item, day));
    found.extend(difal(nota, item, day));
    found.extend(internal_difal(nota, item));
    found.extend(classification(item));
    found.extend(ncm(nota, item, day));
    found.extend(cfop(nota, item, day));
    explained(found, nota, item, line)
}

fn explained(found: Vec<Incoherence>, nota: &NotaFiscal, item: &ItemDaNota, line: &AuditLine) -> Vec<AuditLine> {
    let mut found = lines(found, line);
    for line in &mut found {
        explain::codes::of_item(nota, item, line);
    }
    found
}

pub(super) fn of_service(nota: &NotaDeServico, line: &AuditLine) -> Vec<AuditLine> {
    lines(contribution_codes::of_service(nota), line)
}

/// The group of IBS and CBS has a CST (NT 2025.002, field UB13), and in the test year every item has the group.
fn reform(nota: &NotaFiscal, item: &ItemDaNota, day: Date) -> Option<Incoherence> {
    if item.has_reform && item.cst_reforma.is_empty() {
        let detail = "o grupo IBSCBS do item não traz o CST".to_owned();
        return Some(("cbs", Certainty::ErroDoDocumento, "ibscbs_sem_cst", detail));
    }
    // If no item has the group, the document has one finding for all.
    let missing = nota.has_reform() && !item.has_reform && is_of_test_year(nota, day);
    missing.then(|| {
        let detail = "item sem o grupo IBSCBS, que outros da nota têm".to_owned();
        ("cbs", Certainty::Conferir, "sem_ibscbs", detail)
    })
}

/// ICMS that is not charged (`vICMSDeson`) has its reason, `motDesICMS` (MOC, groups N04 to N10).
fn exemption(item: &ItemDaNota) -> Option<Incoherence> {
    let unexplained = !item.figures.or_zero(Tag::IcmsDesonerado).is_zero() && item.motivo_desoneracao.is_empty();
    unexplained.then(|| {
        let detail = "ICMS desonerado (vICMSDeson) sem o motivo (motDesICMS)".to_owned();
        ("icms", Certainty::ErroDoDocumento, "desoneracao_sem_motivo", detail)
    })
}

/// CST belongs to the normal regime, CSOSN to the Simples (CRT 1 and 4).
fn regime(nota: &NotaFiscal, item: &ItemDaNota) -> Option<Incoherence> {
    // The groups of the ST passed on and of the partition have a CST under any regime (MOC, groups N10a and N10b).
    if item.reforma.has(Grupo::IcmsRepassado) || item.reforma.has(Grupo::IcmsPartilha) {
        return None;
    }
    let wrong = match nota.crt {
        // Single-phase fuels have CST 02, 15, 53 and 61 under any regime.
        1 | 4 if item.csosn.is_empty() && !matches!(item.cst_icms.as_str(), "" | "02" | "15" | "53" | "61") => {
            format!("CRT {} com CST {} em vez de CSOSN", nota.crt, item.cst_icms)
        }
        2 | 3 if !item.csosn.is_empty() => format!("CRT {} com CSOSN {} em vez de CST", nota.crt, item.csosn),
        _ => return None,
    };
    Some(("icms", Certainty::ErroDoDocumento, "crt_e_cst", wrong))
}

/// The first digit of the CFOP says where the goods go, as `idDest` does (MOC, rejections 731, 732 and 733).
fn destination(nota: &NotaFiscal, item: &ItemDaNota) -> Option<Incoherence> {
    let expected = match (nota.entrada, nota.destino) {
        (false, 1) => '5',
        (false, 2) => '6',
        (false, 3) => '7',
        (true, 1) => '1',
        (true, 2) => '2',
        (true, 3) => '3',
        _ => return None,
    };
    let first = item.cfop.chars().next()?;
    // Fuel consumed abroad has a CFOP of export, wherever it is delivered (exception to rejection 731).
    let consumed_abroad = first == '7' && item.consumed_abroad;
    (first != expected && !consumed_abroad).then(|| {
        let detail = format!("CFOP {} com idDest {}", item.cfop, nota.destino);
        ("icms", Certainty::ErroDoDocumento, "cfop_e_destino", detail)
    })
}

/// Goods whose ICMS was withheld before have a CFOP of substitution.
fn substitution(item: &ItemDaNota) -> Option<Incoherence> {
    let withheld = item.cst_icms == "60" || item.csosn == "500";
    let code = if item.csosn.is_empty() { &item.cst_icms } else { &item.csosn };
    let detail = match item.operacao() {
        "101" | "102" | "103" | "104" if withheld => {
            format!("CST ou CSOSN {code} com CFOP {}, que não é de substituição", item.cfop)
        }
        "405" if !withheld && !code.is_empty() && code != "61" => {
            format!("CFOP {} (ICMS já retido) com CST ou CSOSN {code}", item.cfop)
        }
        _ => return None,
    };
    Some(("icms_st", Certainty::Conferir, "cst_e_cfop", detail))
}

/// 4 % is the rate of imported goods, and only of them.
fn origin(nota: &NotaFiscal, item: &ItemDaNota, day: Date) -> Option<Incoherence> {
    let rate = item.figures.get(Tag::IcmsAliquota).filter(|rate| !rate.is_zero())?;
    let since = if nota.contribuinte { IMPORTED_SINCE } else { IMPORTED_TO_CONSUMERS_SINCE };
    // A return repeats the rate of the purchase (Convênio ICMS 54/2000).
    let other = NATURAL_GAS.contains(&item.ncm.as_str()) || situation::of_operation(nota, item).is_some();
    if other || day.ordinal() < since || nota.destino != 2 || situation::of_icms(nota, item).is_some() {
        return None;
    }
    let [imported, ..] = interstate_rates(Some(day));
    let shown = with_comma(imported.normalize());
    let detail = match (item.origem?, rate == imported) {
        (orig @ (1 | 2 | 3 | 8), false) => format!("orig {orig} (importada) sem a alíquota interestadual de {shown}%"),
        (orig @ (0 | 4 | 5 | 6 | 7), true) => format!("orig {orig} com a alíquota interestadual de {shown}%"),
        _ => return None,
    };
    Some(("icms", Certainty::ErroDoDocumento, "origem_e_aliquota", detail))
}

/// Goods under substitution have a CEST (Convênio ICMS 142/2018, cláusula vigésima).
fn cest(nota: &NotaFiscal, item: &ItemDaNota, day: Date) -> Option<Incoherence> {
    let charged = item.figures.or_zero(Tag::StValor) > Decimal::ZERO;
    let under = charged
        || matches!(item.cst_icms.as_str(), "10" | "30" | "60" | "70")
        || matches!(item.csosn.as_str(), "201" | "202" | "203" | "500");
    let placeholder = ["0000000", "9999999"].contains(&item.cest.as_str());
    // Some States put goods under substitution that the national list does not have.
    let is_listed = || {
        let segments = Ncm::parse(&item.ncm).map(|ncm| segments_of(cest_ncm(), &ncm)).unwrap_or_default();
        segments.into_iter().any(|segment| segment != AT_DOORS)
    };
    let missing = || match day.ordinal() {
        // A CF-e has no such field before its layout 0.07.
        _ if nota.modelo == "59" => None,
        CEST_SINCE.. if is_listed() => Some(Certainty::ErroDoDocumento),
        CEST_OF_SOME_SINCE.. => Some(Certainty::Conferir),
        _ => None,
    };
    let placeholder_certainty = if under { Certainty::ErroDoDocumento } else { Certainty::Conferir };
    let (certainty, detail) = match (under, item.cest.is_empty(), placeholder) {
        (true, true, _) => (missing()?, "substituição tributária sem CEST".to_owned()),
        (_, _, true) => (placeholder_certainty, format!("CEST {} não existe", item.cest)),
        _ => return None,
    };
    Some(("icms_st", certainty, "cest", detail))
}

/// A CEST is of NCMs that the national list names (Convênio ICMS 142/2018, cláusula sétima). The list is that of one day, so
/// headings are compared, which live longer than the codes below them, and the difference is one to be checked.
fn cest_of_ncm(item: &ItemDaNota, day: Date) -> Option<Incoherence> {
    let (cest, ncm) = (Cest::parse(&item.cest).ok()?, Ncm::parse(&item.ncm).ok()?);
    let listed = cest_da_lista(cest).filter(|listed| day.ordinal() >= CEST_SINCE && !listed.ncm.is_empty())?;
    let heading = item.ncm.get(..HEADING)?;
    let is_near = |prefix: &NcmPrefix| ncm.is_under(prefix) || prefix.as_str().get(..HEADING) == Some(heading);
    (!listed.ncm.iter().any(is_near)).then(|| {
        let codes: Vec<&str> = listed.ncm.iter().take(CODES_SHOWN).map(NcmPrefix::as_str).collect();
        let more = if listed.ncm.len() > CODES_SHOWN { " e outros" } else { "" };
        let detail = format!(
            "o CEST {} é de outra mercadoria (NCM {}{more}), e não do NCM {}",
            item.cest,
            codes.join(", "),
            item.ncm
        );
        ("icms_st", Certainty::Conferir, "cest_e_ncm", detail)
    })
}

/// A sale to a non-taxpayer of another UF has the group of the destination.
fn difal(nota: &NotaFiscal, item: &ItemDaNota, day: Date) -> Option<Incoherence> {
    let due = nota.destino == 2
        && nota.modelo == "55"
        && nota.consumidor_final
        && !nota.contribuinte
        && matches!(nota.crt, 2 | 3)
        && day.ordinal() >= DIFAL_SINCE
        && situation::of_operation(nota, item).is_none()
        && !situation::is_transfer(item)
        && situation::of_icms(nota, item).is_none();
    (due && !item.has_destination).then(|| {
        let detail =
            "venda interestadual a não contribuinte sem o grupo ICMSUFDest (CF, art. 155, § 2º, VII)".to_owned();
        // Of 2022 the difference is not demanded of who had contested it in court (STF, ADI 7066 and Tema 1.266).
        let is_sure = day.ordinal() >= DIFAL_OF_ALL_SINCE;
        let certainty = if is_sure { Certainty::ErroDoDocumento } else { Certainty::Conferir };
        ("icms_consumidor_final", certainty, "sem_icmsufdest", detail)
    })
}

/// A sale inside a State owes no difference of rates (CF, art. 155, § 2º, VII).
fn internal_difal(nota: &NotaFiscal, item: &ItemDaNota) -> Option<Incoherence> {
    let charged = !item.figures.sum(&[Tag::DestinoValor, Tag::DestinoFcpValor]).is_zero();
    (nota.destino == 1 && charged).then(|| {
        let detail = "operação interna (idDest 1) com o grupo ICMSUFDest, que é da venda a outra UF".to_owned();
        ("icms_consumidor_final", Certainty::ErroDoDocumento, "icmsufdest_interna", detail)
    })
}

/// The CST of IBS and CBS is the first half of the classification.
fn classification(item: &ItemDaNota) -> Option<Incoherence> {
    let stated = !item.classificacao.is_empty() && !item.cst_reforma.is_empty();
    let differs = stated && !item.classificacao.starts_with(&item.cst_reforma);
    differs.then(|| {
        let detail = format!("CST {} com cClassTrib {} (UB14-20 da NT 2025.002)", item.cst_reforma, item.classificacao);
        ("cbs", Certainty::ErroDoDocumento, "cst_e_cclasstrib", detail)
    })
}

/// An NCM has eight digits; `00` is of an item without a product (MOC, field I05). Until 2014 an item might have its chapter
/// alone (NT 2014.004).
fn ncm(nota: &NotaFiscal, item: &ItemDaNota, day: Date) -> Option<Incoherence> {
    let without_product = item.ncm == "00"
        && (situation::of_operation(nota, item).is_some() || situation::without_revenue(item).is_some());
    let is_chapter = item.ncm.len() == 2 && day < WHOLE_NCM_SINCE;
    let malformed = !item.ncm.is_empty() && !without_product && !is_chapter && Ncm::parse(&item.ncm).is_err();
    malformed.then(|| {
        let detail = format!("NCM {} não existe: um NCM tem 8 dígitos", item.ncm);
        // A complement or an adjustment may have no product.
        let certainty = if nota.finalidade == 1 { Certainty::ErroDoDocumento } else { Certainty::Conferir };
        ("ncm", certainty, "ncm_malformado", detail)
    })
}

/// A CFOP is one of the table (Convênio s/nº de 1970). No note with another is authorised, so that of an authorised one the
/// table may be too old.
fn cfop(nota: &NotaFiscal, item: &ItemDaNota, day: Date) -> Option<Incoherence> {
    let is_unknown = !item.cfop.is_empty() && natureza(&item.cfop).is_none();
    let may_be = nota.is_authorised || day < CFOP_SINCE;
    let certainty = if may_be { Certainty::Conferir } else { Certainty::ErroDoDocumento };
    let detail = || format!("o CFOP {} não existe na tabela (Convênio s/nº de 1970, Anexo II)", item.cfop);
    is_unknown.then(|| ("documento", certainty, "cfop_inexistente", detail()))
}

/// A sale of the test year by a taxpayer of CBS and IBS. A coupon of the SAT has no fields for them.
fn is_of_test_year(nota: &NotaFiscal, day: Date) -> bool {
    nota.crt == 3 && nota.modelo != "59" && !nota.entrada && nota.finalidade == 1 && TEST_YEAR.contains(&day.ordinal())
}

/// The incoherences of the whole document.
pub(super) fn of_document(nota: &NotaFiscal, day: Date, line: &AuditLine) -> Vec<AuditLine> {
    let missing = !nota.has_reform() && is_of_test_year(nota, day);
    let detail = "CRT 3 sem o grupo IBSCBS: o destaque de CBS e IBS em 2026 é condição da dispensa de recolhê-los (LC 214/2025, art. 348, § 1º)";
    let found = missing.then(|| ("cbs", Certainty::Conferir, "sem_ibscbs", detail.to_owned()));
    let found = found.into_iter().chain(numbering(nota)).chain(codes::of_document(nota, day));
    let mut found = lines(found.collect(), line);
    for line in &mut found {
        explain::codes::of_document(nota, day, line);
    }
    found
}

/// The items are numbered from 1, each with a number of its own (MOC, group H, `nItem`).
fn numbering(nota: &NotaFiscal) -> Option<Incoherence> {
    let mut seen = HashSet::new();
    let repeated = nota.items.iter().filter_map(|item| item.declared_number).find(|number| !seen.insert(*number))?;
    let detail = format!("mais de um item com o número {repeated} (nItem)");
    Some(("documento", Certainty::ErroDoDocumento, "item_repetido", detail))
}
