//! What real notes of shops and wholesalers showed: a rule that depends on what no note says, and a trial before the law.

use taxd::features::audit::{AuditLine, Verdict};

use super::documents::{Note, sale};
use super::{audited, findings};

fn of(lines: &[AuditLine], tributo: &str) -> Vec<AuditLine> {
    lines.iter().filter(|line| line.tributo == tributo && line.regra.is_some()).cloned().collect()
}

/// Lei nº 10.925/2004, art. 1º, II: zero for the pesticides of farms, whose codes have those of gardens too. Each sale of a shop was said to charge what is not due.
#[test]
fn a_note_that_charges_the_ordinary_rate_has_answered_a_condition_of_use() {
    let pesticide = sale().with("NCM", "38089191");
    let lines = audited(&Note { items: vec![pesticide.clone()], ..Note::default() }.xml());
    for tributo in ["pis", "cofins"] {
        let [line] = of(&lines, tributo).try_into().unwrap();
        assert_eq!((line.veredito, line.calculado, line.diferenca), (Verdict::Confere, None, None), "{line:?}");
        assert!(!line.avisos.is_empty() && line.detalhe.contains("alíquota comum"), "{line:?}");
    }
    let other = pesticide.taxed("<pPIS>1.65</pPIS><vPIS>13.53", "<pPIS>2.10</pPIS><vPIS>17.22");
    let found = findings(&audited(&Note { items: vec![other], ..Note::default() }.xml()));
    assert!(
        found.iter().any(|line| line == "pis diverge nada_devido"),
        "a rate of nobody is still to be checked: {found:?}"
    );
}

/// Programs wrote the groups before the taxes began: each was refused for want of a rule.
#[test]
fn cbs_and_ibs_of_before_2026_are_a_trial() {
    let note = Note { data: "2025-12-24T10:00:00-03:00", ..Note::default() };
    let lines = audited(&note.xml());
    for tributo in ["cbs", "ibs"] {
        let trial = |line: &&AuditLine| line.tributo == tributo && line.detalhe.contains("começam em 2026");
        let found = lines.iter().find(trial).unwrap_or_else(|| panic!("{tributo}: {lines:?}"));
        assert_eq!(found.veredito, Verdict::NaoSeAplica);
    }
    assert!(!findings(&lines).iter().any(|line| line.contains("regra_inexistente")), "{:?}", findings(&lines));
}
