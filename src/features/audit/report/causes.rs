//! The differences of a company, merged by their cause: 39 notes with one error are one thing to correct.
//!
//! Lines have one cause if they are about the same tax, with the same code and certainty, and the same explanation. Those
//! without one have the same sentence, and against a rule also the same rule and NCM.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::template::{blended, without_amounts};
use crate::base::value::{Date, RegraCitada, with_comma};
use crate::features::audit::balance::{Balance, OverUnder};
use crate::features::audit::finding::{AuditLine, AuditPlace, Certainty, Layer};

/// Most causes of a report that are kept one by one. Further ones are added up by tax and certainty.
const KEPT: usize = 10_000;
/// The code of all causes beyond [`KEPT`].
pub(super) const OTHERS: &str = "outras_causas";
/// Numbers, NCMs and rules of a cause that are kept.
const NUMBERS: usize = 6;
const NCMS: usize = 4;
const RULES: usize = 2;

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct CauseKey {
    tributo: &'static str,
    codigo: &'static str,
    certeza: Option<Certainty>,
    /// The explanation, or else the sentence, without the amounts of one document.
    sentence: String,
    rule: String,
    ncm: String,
}

/// What the lines of a cause are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CauseUnit {
    Note,
    /// A record of an EFD that is of no document.
    Record,
    /// An EFD as a whole.
    Book,
}

/// A cause, and what its lines have together.
#[derive(Debug)]
pub(super) struct Cause {
    pub(super) tributo: &'static str,
    pub(super) codigo: &'static str,
    pub(super) certeza: Option<Certainty>,
    pub(super) camada: Layer,
    /// What differs: a word that is not the same in all lines is an ellipsis; empty if the sentences have nothing in common.
    pub(super) detail: String,
    pub(super) explanation: Option<String>,
    /// The first rules; more than one if the same happens under several.
    pub(super) rules: Vec<RegraCitada>,
    pub(super) has_more_rules: bool,
    /// The law of a check that no rule of a tax makes; empty otherwise.
    pub(super) law: &'static str,
    pub(super) lines: u64,
    pub(super) notes: u64,
    pub(super) unit: CauseUnit,
    /// The numbers of the first notes, or the names of their files.
    pub(super) numbers: Vec<String>,
    pub(super) ncms: Vec<String>,
    pub(super) has_more_ncms: bool,
    /// The first and the last day, if any is readable.
    pub(super) days: Option<(Date, Date)>,
    pub(super) balance: Balance,
    /// Differences that are not among the sums, by amount: those inside a document are of the same tax as those of the law.
    pub(super) beside: Decimal,
    /// Of the last line: the lines of a note follow each other.
    last: Option<Arc<AuditPlace>>,
}

/// The causes of a company.
#[derive(Debug, Default)]
pub(super) struct Causes(BTreeMap<CauseKey, Cause>);

impl CauseKey {
    fn of(line: &AuditLine) -> CauseKey {
        let (tributo, certeza) = (line.tributo, line.certeza);
        let key = CauseKey { tributo, certeza, codigo: line.codigo.unwrap_or_default(), ..CauseKey::default() };
        let own = [line.declarado, line.calculado].map(|figure| figure.map(with_comma).unwrap_or_default());
        if let Some(found) = &line.explicacao {
            return CauseKey { sentence: without_amounts(&found.detalhe, &own), ..key };
        }
        let by_product = line.camada == Layer::Lei;
        let rule = line.regra.as_ref().filter(|_| by_product).map(|rule| rule.rule_id.to_string());
        CauseKey {
            sentence: without_amounts(&line.detalhe, &own),
            rule: rule.unwrap_or_default(),
            ncm: if by_product { line.ncm.clone() } else { String::new() },
            ..key
        }
    }

    /// The key of what is not kept one by one.
    fn others(self) -> CauseKey {
        let CauseKey { tributo, certeza, .. } = self;
        CauseKey { tributo, certeza, codigo: OTHERS, ..CauseKey::default() }
    }
}

impl Causes {
    /// Adds a line that differs. `kept` counts the causes of the whole report.
    pub(super) fn add(&mut self, line: &AuditLine, kept: &mut usize) {
        let mut key = CauseKey::of(line);
        if *kept >= KEPT && !self.0.contains_key(&key) {
            key = key.others();
        }
        let known = self.0.len();
        let codigo = key.codigo;
        self.0.entry(key).or_insert_with(|| Cause::of(line, codigo)).add(line);
        *kept += self.0.len() - known;
    }

    /// The causes: certain ones first, then those of the largest amounts and of the most lines.
    pub(super) fn sorted(&self) -> Vec<&Cause> {
        let mut all: Vec<&Cause> = self.0.values().collect();
        all.sort_by_key(|of| (!of.is_sure(), Reverse(of.amounts().total()), Reverse(of.beside), Reverse(of.lines)));
        all
    }
}

impl CauseUnit {
    fn of(line: &AuditLine) -> CauseUnit {
        match line.linha {
            _ if line.camada != Layer::Cruzamento || !line.is_of_book => CauseUnit::Note,
            Some(_) => CauseUnit::Record,
            None => CauseUnit::Book,
        }
    }

    /// `39 notas`, `1 registro da EFD`.
    pub(super) fn counted(self, count: u64) -> String {
        let (one, many) = match self {
            CauseUnit::Note => ("nota", "notas"),
            CauseUnit::Record => ("registro da EFD", "registros da EFD"),
            CauseUnit::Book => ("EFD", "EFDs"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

impl Cause {
    fn of(line: &AuditLine, codigo: &'static str) -> Cause {
        let is_one = codigo != OTHERS;
        Cause {
            tributo: line.tributo,
            codigo,
            certeza: line.certeza,
            camada: line.camada,
            detail: line.detalhe.clone(),
            explanation: line.explicacao.as_ref().filter(|_| is_one).map(|found| found.detalhe.clone()),
            rules: Vec::new(),
            has_more_rules: false,
            law: line.citacao_legal,
            lines: 0,
            notes: 0,
            unit: CauseUnit::of(line),
            numbers: Vec::new(),
            ncms: Vec::new(),
            has_more_ncms: false,
            days: None,
            balance: Balance::default(),
            beside: Decimal::ZERO,
            last: None,
        }
    }

    pub(super) fn is_sure(&self) -> bool {
        self.certeza != Some(Certainty::Conferir)
    }

    /// What its lines add up to, sure or to be checked, as the cause is.
    pub(super) fn amounts(&self) -> OverUnder {
        if self.is_sure() { self.balance.sure } else { self.balance.to_check }
    }

    /// The first day on which its only rule no longer answers.
    pub(super) fn ends(&self) -> Option<Date> {
        match self.rules.as_slice() {
            [only] if !self.has_more_rules => only.vigente_ate,
            _ => None,
        }
    }

    fn add(&mut self, line: &AuditLine) {
        self.lines += 1;
        if self.unit != CauseUnit::of(line) {
            self.unit = CauseUnit::Note;
        }
        self.balance.add(line);
        if let Some(difference) = line.diferenca.filter(|_| line.camada != Layer::Lei) {
            self.beside = self.beside.saturating_add(difference.abs());
        }
        self.detail = blended(&self.detail, &line.detalhe).unwrap_or_default();
        if let (Some(known), Some(found)) = (&self.explanation, &line.explicacao) {
            self.explanation = blended(known, &found.detalhe);
        }
        if let Some(rule) = &line.regra {
            self.has_more_rules |= !keep(&mut self.rules, rule, RULES);
        }
        if !line.ncm.is_empty() {
            self.has_more_ncms |= !keep(&mut self.ncms, &line.ncm, NCMS);
        }
        if let Some(day) = line.data {
            self.days = Some(self.days.map_or((day, day), |(first, last)| (first.min(day), last.max(day))));
        }
        // An EFD has many notes.
        let note = |of: &AuditPlace| (of.documento, of.numero.clone());
        let same_note = |last: &Arc<AuditPlace>| note(last) == note(&line.place) && last.arquivo == line.arquivo;
        if !self.last.as_ref().is_some_and(same_note) {
            self.notes += 1;
            if self.numbers.len() < NUMBERS {
                self.numbers.push(number_of(&line.place));
            }
            self.last = Some(Arc::clone(&line.place));
        }
    }
}

/// Keeps one more value, if there is room. Returns false if there is none and it is not known.
fn keep<T: Clone + PartialEq>(known: &mut Vec<T>, one: &T, most: usize) -> bool {
    if known.contains(one) {
        return true;
    }
    if known.len() < most {
        known.push(one.clone());
        return true;
    }
    false
}

/// The number of a note, or the name of its file, with the line of an EFD.
fn number_of(place: &AuditPlace) -> String {
    let file = || place.arquivo.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    match (place.numero.numero.as_str(), place.linha) {
        ("", Some(line)) => format!("linha {line} de {}", file()),
        ("", None) => file(),
        (number, _) => number.to_owned(),
    }
}
