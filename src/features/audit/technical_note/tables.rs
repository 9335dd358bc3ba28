//! Codes of CBS and IBS that the official tables do not have, or not for the document or group that has them.
//!
//! A later edition of a table may have changed a code, so each finding is to be checked.

use super::{FIRST, SECOND, THIRD, hint};
use crate::base::value::Date;
use crate::features::audit::finding::Incoherence;
use crate::law::codes::Tabela;
use crate::law::nfe::{Grupo, ItemDaNota, NotaFiscal, Tags};

/// Classifications that the table of 23 June 2026 has for neither NF-e nor NFC-e (`indNFe`, `indNFCe`).
const OF_OTHER_DOCUMENTS: &str = "\
    000002 010001 010002 011001 011002 011003 011004 011005 200001 200016 200017 200018 200019 200021 200025 200026 \
    200027 200028 200029 200037 200040 200041 200042 200044 200045 200046 200048 200049 200050 200051 200052 220001 \
    220002 220003 221001 221002 221003 221004 222001 400001 400002 410010 410011 410015 410018 410021 410022 410023 \
    410024 410025 410028 410032 410033 410034 410036 410037 550002 550024 550025 820001 820002 820003 820004 820005 \
    820006 820007 820008 820009";
/// Those that it has for NF-e, and not for NFC-e.
const OF_NFE: &str = "\
    000003 000004 000005 200005 200008 200011 200022 200023 200024 200039 200043 410002 410004 410013 410016 410017 \
    410027 410030 410031 510001 515001 550001 550003 550004 550005 550006 550007 550008 550009 550010 550011 550012 \
    550013 550014 550015 550016 550017 550018 550019 550020 550021 550022 550023 620001 620002 620003 620004 620005 \
    620007 800001 800002 810001 811001 811002 811003 830001";

/// Digits of a classification.
const CODE_DIGITS: usize = 6;

/// The codes of presumed credits (`cCredPres`, table of 23 June 2026), with whether each gives a credit of IBS, and of CBS.
const CREDITS: [(bool, bool); 13] = [
    (true, true),
    (true, true),
    (true, true),
    (true, true),
    (false, true),
    (false, true),
    (true, false),
    (true, false),
    (true, false),
    (false, true),
    (true, false),
    (true, false),
    (false, true),
];

/// The codes of an item that a table contradicts.
pub(super) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, day: Date) -> Vec<Incoherence> {
    let mut found = Vec::new();
    let (code, is_nfce) = (item.classificacao.as_str(), nota.modelo == "65");
    // Of the digits of one code, so that none is found across two.
    let is_code = code.len() == CODE_DIGITS && code.bytes().all(|byte| byte.is_ascii_digit());
    let is_of = |codes: &str| is_code && codes.contains(code);
    if is_of(OF_OTHER_DOCUMENTS) || (is_nfce && is_of(OF_NFE)) {
        let document = if is_nfce { "NFC-e" } else { "NF-e" };
        found.extend(hint("UB14-25", FIRST).found(day, "cbs", &format!("cClassTrib {code} não é de {document}")));
    }
    let table = Tabela::Classificacao.table();
    for (rule, name, code, digits) in [
        (hint("UB69-10", FIRST), "CSTReg", &item.reforma.cst_regular, 3),
        (hint("UB70-10", FIRST), "cClassTribReg", &item.reforma.classificacao_regular, CODE_DIGITS),
    ] {
        if !code.is_empty() && (code.len() != digits || !table.has(code)) {
            found.extend(rule.found(day, "cbs", &format!("{name} {code} não está na tabela")));
        }
    }
    let credit = item.reforma.credito_presumido.as_str();
    if credit.is_empty() {
        return found;
    }
    let Some((ibs, cbs)) = credit.parse::<usize>().ok().and_then(|number| CREDITS.get(number.checked_sub(1)?)) else {
        found.extend(hint("UB122-10", SECOND).found(day, "ibs", &format!("cCredPres {credit} não está na tabela")));
        return found;
    };
    for (rule, tributo, grupo, gives) in [
        (hint("UB123-10 e UB123-20", THIRD), "ibs", Grupo::CreditoDoIbs, *ibs),
        (hint("UB127-10 e UB127-20", THIRD), "cbs", Grupo::CreditoDaCbs, *cbs),
    ] {
        let has = item.reforma.has(grupo);
        // The credit of used goods is beside that of the operation.
        if has != gives && !(has && item.reforma.bem_usado) {
            let with = if has { "com" } else { "sem" };
            found.extend(rule.found(day, tributo, &format!("cCredPres {credit} {with} o grupo {}", grupo.name())));
        }
    }
    found
}
