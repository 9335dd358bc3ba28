//! The installed rules, by the lines of the table, and what they say.

use std::collections::BTreeMap;

use serde_json::Value;

use super::lines::LineKey;
use super::{GONE, NOT_CONFERRED, Situacao};
use crate::base::value::{Date, Ex, parse_decimal};
use crate::features::sources::installed::InstalledVersion;
use crate::features::sources::periods::Period;

/// What a rule of a line says on a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    Table(Situacao),
    /// A taxed line from 2027-01-01 on.
    NotConferred,
    /// A rule that did not come from the Annex; without a figure if it is not established.
    Special(Option<Situacao>),
}

impl Said {
    /// As the report writes it.
    pub(super) fn written(&self) -> String {
        match self {
            Said::Table(situacao) | Said::Special(Some(situacao)) => situacao.written(),
            Said::NotConferred | Said::Special(None) => "nulo".to_owned(),
        }
    }
}

/// What the rule says of its line; `None` if its figure is not established.
pub(super) fn situacao(rule: &InstalledVersion) -> Option<Situacao> {
    match rule.conteudo.get("situacao")?.as_str()? {
        "nao_tributado" => Some(Situacao::NaoTributado),
        "aliquota_zero" => Some(Situacao::Zero),
        _ => {
            let rate = parse_decimal(rule.conteudo.get("aliquota")?.as_str()?).ok()?;
            Some(Situacao::Tributado(rate.normalize()))
        }
    }
}

/// Members of the content of a rule that says no more than a line of the table.
const OF_A_LINE: [&str; 3] = ["situacao", "aliquota", "tabela_versao"];

/// What the rule says, and whether it came from the Annex: its edition is the decree and nothing else, and it has no base
/// or regime of its own.
fn said(rule: &InstalledVersion) -> Said {
    if rule.motivo.as_deref() == Some(NOT_CONFERRED) {
        return Said::NotConferred;
    }
    let edition = rule.conteudo.get("tabela_versao").and_then(Value::as_str).unwrap_or_default();
    let decree = edition.strip_prefix("TIPI, Decreto ").unwrap_or("?");
    let is_line = rule
        .conteudo
        .as_object()
        .is_some_and(|conteudo| conteudo.keys().all(|name| OF_A_LINE.contains(&name.as_str())));
    match situacao(rule) {
        Some(situacao) if is_line && decree.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'/')) => {
            Said::Table(situacao)
        }
        situacao => Said::Special(situacao),
    }
}

pub(super) fn rule_code((ncm, ex): &LineKey) -> String {
    match ex {
        Some(ex) => format!("ipi-{ncm}-ex{ex}"),
        None => format!("ipi-{ncm}"),
    }
}

/// The installed rules, by the lines of the table.
pub(super) struct Installed<'r> {
    /// The rules of each line that have its code and its scope.
    pub(super) own: BTreeMap<LineKey, Vec<Period<Said>>>,
    /// All rules, by their code.
    by_code: BTreeMap<&'r str, Vec<&'r InstalledVersion>>,
    others: Vec<&'r InstalledVersion>,
}

impl<'r> Installed<'r> {
    pub(super) fn of(rules: &'r [InstalledVersion]) -> Installed<'r> {
        let mut installed = Installed { own: BTreeMap::new(), by_code: BTreeMap::new(), others: Vec::new() };
        for rule in rules {
            installed.by_code.entry(&rule.rule_code).or_default().push(rule);
            if rule.vigencia().is_empty() {
                continue;
            }
            let ex = rule.ex.as_deref().map(Ex::parse).transpose().ok();
            let key = rule.only_ncm().zip(ex).filter(|key| rule_code(key) == rule.rule_code);
            match key {
                Some(_) if rule.motivo.as_deref() == Some(GONE) => {}
                Some(key) => {
                    let period = Period { vigencia: rule.vigencia(), value: said(rule) };
                    installed.own.entry(key).or_default().push(period);
                }
                None => installed.others.push(rule),
            }
        }
        installed
    }

    pub(super) fn own(&self, key: &LineKey) -> &[Period<Said>] {
        self.own.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn own_on(&self, key: &LineKey, day: Date) -> Option<&Said> {
        self.own(key).iter().find(|period| period.vigencia.covers(day)).map(|period| &period.value)
    }

    /// The own rule of the line in force on the day.
    pub(super) fn own_rule(&self, key: &LineKey, day: Date) -> Option<&'r InstalledVersion> {
        self.of_code(&rule_code(key)).iter().copied().find(|rule| rule.vigencia().covers(day))
    }

    pub(super) fn of_code(&self, code: &str) -> &[&'r InstalledVersion] {
        self.by_code.get(code).map_or(&[], Vec::as_slice)
    }

    /// The other rules that tie with one of the line.
    pub(super) fn tied(&self, key: &LineKey) -> Vec<&'r InstalledVersion> {
        let code = rule_code(key);
        let ties = |rule: &&InstalledVersion| rule.rule_code == code || has_ex(rule, key) && rule.names(&key.0);
        self.others.iter().copied().filter(ties).collect()
    }

    /// The other rule that answers for the line on the day, though the line has none of its own.
    pub(super) fn by_prefix(&self, key: &LineKey, day: Date) -> Option<&'r InstalledVersion> {
        let reaches =
            |rule: &&InstalledVersion| has_ex(rule, key) && rule.reaches(&key.0) && rule.vigencia().covers(day);
        self.others.iter().copied().find(reaches)
    }
}

/// True if the rule is for the ex of the line, or for a code without ex like it.
fn has_ex(rule: &InstalledVersion, (_, ex): &LineKey) -> bool {
    rule.ex.as_deref() == ex.as_ref().map(Ex::as_str)
}
