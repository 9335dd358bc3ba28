//! What is asked: payloads, and how specific a scope is to one.

use std::fmt::Write as _;
use taxd_core::engine::{Answer, Engine};

use taxd_base::problem::Problem;
use taxd_base::value::Timestamp;

use super::calendar::{Day, written};
use super::model::{Scope, Version};

/// An operation of 100.00.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probe {
    pub tributo: &'static str,
    pub origem: &'static str,
    pub destino: &'static str,
    pub ncm: Option<&'static str>,
    pub cest: Option<&'static str>,
    pub ex: Option<&'static str>,
}

const fn icms(origem: &'static str, destino: &'static str, ncm: Option<&'static str>) -> Probe {
    Probe { tributo: "icms", origem, destino, ncm, cest: None, ex: None }
}

const fn ipi(ncm: &'static str, ex: Option<&'static str>) -> Probe {
    Probe { tributo: "ipi", origem: "", destino: "", ncm: Some(ncm), cest: None, ex }
}

const fn st(origem: &'static str, ncm: &'static str, cest: Option<&'static str>) -> Probe {
    Probe { tributo: "icms_st", origem, destino: "SP", ncm: Some(ncm), cest, ex: None }
}

/// Everything that is asked.
pub const PROBES: [Probe; 17] = [
    icms("SP", "SP", None),
    icms("RJ", "RJ", None),
    icms("SP", "SP", Some("22030000")),
    icms("SP", "SP", Some("22042100")),
    icms("RJ", "RJ", Some("22030000")),
    icms("MG", "SP", None),
    icms("MG", "SP", Some("22030000")),
    ipi("22030000", None),
    ipi("22030000", Some("1")),
    ipi("22042100", Some("02")),
    st("SP", "22030000", None),
    st("SP", "22030000", Some("0302100")),
    st("MG", "22030000", None),
    st("MG", "22030000", Some("0302200")),
    st("SP", "22042100", None),
    st("SP", "22042100", Some("0302100")),
    st("MG", "22042100", Some("0302200")),
];

/// What is compared of an answer: rule, first day, end, amount; or the code of the refusal.
pub type Outcome = Result<(String, &'static str, Option<&'static str>, String), &'static str>;

pub const NOBODY: &str = "regra_inexistente";

impl Probe {
    /// The payload of that day.
    pub fn payload(&self, day: Day) -> Vec<u8> {
        let mut text = format!(r#"{{"tributo":"{}","valor_produto":"100.00""#, self.tributo);
        let ufs = [("uf_origem", self.origem), ("uf_destino", self.destino)];
        let fields = [("ncm", self.ncm), ("cest", self.cest), ("ex", self.ex), ("data_operacao", Some(written(day)))];
        let ufs = ufs.into_iter().filter(|(_, uf)| !uf.is_empty());
        for (name, value) in ufs.chain(fields.into_iter().filter_map(|(name, value)| Some((name, value?)))) {
            write!(text, r#","{name}":"{value}""#).unwrap();
        }
        text.push('}');
        text.into_bytes()
    }

    /// Length of the longest prefix of the scope that the NCM is under, exceptions aside.
    fn ncm_match(&self, scope: &Scope) -> Option<usize> {
        let ncm = self.ncm?;
        let longest = scope.ncm.iter().filter(|p| ncm.starts_with(**p)).map(|p| p.len()).max()?;
        (!scope.exceto.iter().any(|p| ncm.starts_with(p))).then_some(longest)
    }

    /// How specific the scope is to this payload; `None` where it does not match.
    pub fn rank(&self, scope: &Scope) -> Option<[usize; 3]> {
        if scope.tributo != self.tributo {
            return None;
        }
        let internal = self.origem == self.destino;
        let (origem, destino) = (scope.origem, scope.destino);
        let same_ufs = origem == Some(self.origem) && destino == Some(self.destino);
        let national = origem.is_none() && destino.is_none();
        match self.tributo {
            "icms" if national => self.ncm_match(scope).map(|length| [1, length, 0]),
            "icms" if !same_ufs => None,
            "icms" if scope.ncm.is_empty() => Some([0, 0, 0]),
            "icms" => self.ncm_match(scope).filter(|_| internal).map(|length| [2, length, 0]),
            // "1" is the exception 01.
            "ipi" => match scope.ex {
                None => self.ncm_match(scope).map(|length| [0, length, 0]),
                Some(ex) if self.ex.is_some_and(|asked| ex.ends_with(asked)) => {
                    self.ncm_match(scope).map(|length| [1, length, 0])
                }
                Some(_) => None,
            },
            _ => {
                let uf = destino == Some(self.destino) && origem.is_none_or(|uf| uf == self.origem);
                let cest = self.cest.is_none() || scope.cest.is_none() || scope.cest == self.cest;
                let named = usize::from(self.cest.is_some() && scope.cest.is_some());
                let length = self.ncm_match(scope).filter(|_| uf && cest)?;
                Some([named, length, usize::from(origem.is_some())])
            }
        }
    }

    /// The only version of the highest rank among those that `counts`.
    fn best<'v>(&self, versions: &'v [Version], day: Day, counts: impl Fn(&Scope) -> bool) -> Option<&'v Version> {
        let mut ranked: Vec<([usize; 3], &Version)> = Vec::new();
        for version in versions.iter().filter(|v| v.covers(day) && counts(&v.scope)) {
            ranked.extend(self.rank(&version.scope).map(|rank| (rank, version)));
        }
        let (rank, version) = *ranked.iter().max_by_key(|(rank, _)| *rank)?;
        let equals = ranked.iter().filter(|(other, _)| *other == rank).count();
        assert_eq!(equals, 1, "the model lets two versions answer {self:?} on {}", written(day));
        Some(version)
    }

    /// Where no CEST is named, each CEST has its best rule, and only one CEST may have one.
    fn only_margin<'v>(&self, versions: &'v [Version], day: Day) -> Result<Option<&'v Version>, &'static str> {
        let mut cests: Vec<_> = versions.iter().map(|v| v.scope.cest).collect();
        cests.sort_unstable();
        cests.dedup();
        let margins: Vec<_> =
            cests.into_iter().filter_map(|cest| self.best(versions, day, |s| s.cest == cest)).collect();
        if margins.len() > 1 { Err("cest_necessario") } else { Ok(margins.first().copied()) }
    }

    /// What these versions answer on that day.
    pub fn expected(&self, versions: &[Version], day: Day) -> Outcome {
        let version = if self.tributo == "icms_st" && self.cest.is_none() {
            self.only_margin(versions, day)?
        } else {
            self.best(versions, day, |_| true)
        };
        let version = version.ok_or(NOBODY)?;
        let mut due = version.rate;
        if self.tributo == "icms_st" && self.origem != self.destino {
            // (100 + 100% of margin) x internal rate - 100 x interstate rate, not below zero.
            let senate = Probe { tributo: "icms", ncm: None, cest: None, ..*self };
            let interstate = senate.best(versions, day, |_| true).ok_or(NOBODY)?;
            due = (2 * version.rate).saturating_sub(interstate.rate);
        }
        Ok((version.id(), written(version.de), version.ate.map(written), format!("{due}.00")))
    }
}

/// Asks an engine day after day. The answer of one day is mostly that of the day before, to
/// the byte, and is then not read again.
pub struct Asker<'e> {
    engine: &'e Engine,
    last: Option<(Vec<u8>, serde_json::Value)>,
}

impl<'e> Asker<'e> {
    pub fn new(engine: &'e Engine) -> Asker<'e> {
        Asker { engine, last: None }
    }

    /// True when the engine answers as wanted, now or as it was known at an instant; else
    /// what it answers.
    pub fn check(&mut self, probe: &Probe, day: Day, known: Option<u64>, wanted: &Outcome) -> Result<(), String> {
        let payload = probe.payload(day);
        let answer = match known {
            None => self.engine.calculate(&payload, false),
            Some(at) => self.engine.calculate_at(&payload, false, Some(Timestamp::from_millis(at).unwrap())),
        };
        let shown = self.shown(answer);
        let got = match &shown {
            Ok(answer) => {
                let (valor, regra) = (&answer["valor"], &answer["regra"]);
                let ate = regra["vigente_ate"].as_str();
                Ok((&regra["rule_id"], &regra["vigente_de"], ate, valor))
            }
            Err(problem) => Err(problem.codigo.as_str()),
        };
        let same = match (&got, wanted) {
            (Ok((id, de, ate, valor)), Ok(w)) => **id == w.0 && **de == w.1 && *ate == w.2 && **valor == w.3,
            (Err(got), Err(wanted)) => got == wanted,
            _ => false,
        };
        if same {
            Ok(())
        } else {
            Err(format!("{}: expected {wanted:?}, got {got:?}", String::from_utf8_lossy(&payload)))
        }
    }

    fn shown(&mut self, answer: Result<Answer, Box<Problem>>) -> Result<&serde_json::Value, Box<Problem>> {
        let bytes = answer?.to_json();
        if self.last.as_ref().is_none_or(|(last, _)| *last != bytes) {
            let read = serde_json::from_slice(&bytes).unwrap();
            self.last = Some((bytes.into(), read));
        }
        Ok(&self.last.as_ref().unwrap().1)
    }
}
