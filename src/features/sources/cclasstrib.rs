//! The table of tax classifications (cClassTrib) of CBS and IBS, as the NF-e portal publishes it: a spreadsheet with one
//! line a code and the days on which it is valid.
//!
//! Each code has a rule for each of the two taxes. A changed reduction is another version from the day that the table
//! states, and a code whose last day it states gets an end. A code of a kind that the service does not calculate gets a
//! rule that refuses it by name. A rule that refuses what the table reduces was written by someone who read the law: it
//! is left alone, and so is the rule of a code that the table does not have.

mod lines;

pub use lines::{ClassificacaoLines, read};

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use serde_json::{Value, json};

use self::lines::ClassificacaoLine;
use super::installed::{InstalledVersion, RuleBody, RuleHead, bundle as bundle_of};
use super::periods::{NewVersion, Period, Periods};
use super::report::{TableChange, TableReport};
use crate::base::value::{ClassificacaoTributaria, Date, format_rate, parse_decimal};
use crate::law::rule::Vigencia;

/// The taxes, each with its column of reductions.
pub const TAXES: [&str; 2] = ["cbs", "ibs"];
/// Why a code has no treatment on days for which one was published.
const GONE: &str = "A tabela cClassTrib não traz mais a classificação nestes dias.";
/// The sentence of every suspension.
const SUSPENDED: &str =
    "Suspensão condicionada: se o regime não se cumpre, o tributo suspenso é exigido, o que não se calcula aqui.";
/// The last of the annexes of LC 214/2025; the table has longer numbers for lists of its own.
const LAST_ANNEX: u32 = 17;

/// What a classification makes of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Enquadramento {
    /// The rate is reduced by so many per cent.
    Reducao(Decimal),
    /// There is no rate: exemption, immunity, suspension.
    SemAliquota,
    /// Payment is deferred, of a reduced rate if it says so.
    Diferido(Option<Decimal>),
    /// It is calculated in another way.
    Outro,
}

impl Enquadramento {
    /// What the rule says; `None` if its figure is not established.
    fn of(rule: &InstalledVersion) -> Option<Enquadramento> {
        let Some(classificacao) = rule.conteudo.get("classificacao") else { return Some(Enquadramento::Outro) };
        let reducao = match classificacao.get("reducao") {
            None => None,
            Some(reducao) => Some(parse_decimal(reducao.as_str()?).ok()?.normalize()),
        };
        Some(match (classificacao.get("diferido") == Some(&json!(true)), reducao) {
            (true, reducao) => Enquadramento::Diferido(reducao),
            (false, Some(reducao)) => Enquadramento::Reducao(reducao),
            (false, None) => Enquadramento::SemAliquota,
        })
    }

    fn written(self) -> String {
        match self {
            Enquadramento::Reducao(reducao) => format!("redução de {}%", format_rate(reducao)),
            Enquadramento::SemAliquota => "sem alíquota".to_owned(),
            Enquadramento::Diferido(None) => "diferimento".to_owned(),
            Enquadramento::Diferido(Some(reducao)) => format!("diferimento, redução de {}%", format_rate(reducao)),
            Enquadramento::Outro => "recusa".to_owned(),
        }
    }
}

/// What a rule says on a period; `None` if its figure is not established.
type Said = Option<Enquadramento>;

/// As the report writes it.
fn written(said: &Said) -> String {
    said.map_or_else(|| "nula".to_owned(), Enquadramento::written)
}

/// The comparison of a table with the installed rules of one tax.
struct Comparison<'c> {
    tributo: &'static str,
    fonte: &'c str,
    /// The rules of each code, under every rule code.
    rules: BTreeMap<&'c str, Vec<&'c InstalledVersion>>,
    today: Date,
    regras: Vec<String>,
    report: &'c mut TableReport,
}

/// Makes a bundle of what the table has beyond the installed rules; `None` if it has nothing new. `installed` has the
/// rules of each tax, `fonte` names the file, and `today` is the day on which a report compares a code.
pub fn bundle(
    mut lines: ClassificacaoLines,
    installed: &[(&'static str, Vec<InstalledVersion>)],
    fonte: &str,
    today: Date,
) -> (Option<String>, TableReport) {
    let mut report =
        TableReport { linhas: lines.read, falhas: std::mem::take(&mut lines.faults), ..TableReport::default() };
    let mut regras = Vec::new();
    for (tributo, rules) in installed {
        let mut by_code: BTreeMap<&str, Vec<&InstalledVersion>> = BTreeMap::new();
        for rule in rules {
            if let Some(codigo) = &rule.classificacao_tributaria {
                by_code.entry(codigo).or_default().push(rule);
            }
        }
        let mut comparison =
            Comparison { tributo, fonte, rules: by_code, today, regras: Vec::new(), report: &mut report };
        for (codigo, lines) in &lines.lines {
            comparison.code(*codigo, lines);
        }
        comparison.absent(&lines);
        regras.append(&mut comparison.regras);
    }
    report.versoes = regras.len();
    let descricao = "CBS e IBS: a tabela de classificações tributárias (cClassTrib) do Portal da NF-e";
    (bundle_of("cclasstrib", today, descricao, &regras), report)
}

impl<'c> Comparison<'c> {
    fn rule_code(&self, codigo: ClassificacaoTributaria) -> String {
        format!("{}-classificacao-{codigo}", self.tributo)
    }

    fn rules(&self, codigo: ClassificacaoTributaria) -> &[&'c InstalledVersion] {
        self.rules.get(codigo.as_str()).map_or(&[], Vec::as_slice)
    }

    /// Adds the versions that make the rule of a code say what the lines say; none if a line could not be read.
    fn code(&mut self, codigo: ClassificacaoTributaria, lines: &[ClassificacaoLine]) {
        let rule_code = self.rule_code(codigo);
        let (own, others): (Vec<_>, Vec<_>) =
            self.rules(codigo).iter().copied().partition(|rule| rule.rule_code == rule_code);
        let installed: Vec<Period<Said>> = own
            .iter()
            .filter(|rule| !rule.vigencia().is_empty() && rule.motivo.as_deref() != Some(GONE))
            .map(|rule| Period { vigencia: rule.vigencia(), value: Enquadramento::of(rule) })
            .collect();
        let wanted = self.wanted(lines, &installed);
        let installed = Periods::of(installed);
        let left_alone = others.iter().any(|rule| !rule.vigencia().is_empty());
        let difference = wanted.as_ref().filter(|_| !left_alone).and_then(|wanted| installed.first_difference(wanted));
        let (Some(wanted), Some(day)) = (wanted, difference) else {
            let change = self.compared(codigo, lines);
            self.report.leave(change);
            return;
        };
        let rule = own.iter().find(|rule| rule.vigencia().covers(day));
        self.report.change(TableChange {
            codigo: format!("{} {codigo}", self.tributo),
            desde: day,
            instalada: installed.value_at(day).map(written),
            da_tabela: wanted.value_at(day).map(written),
            rule_id: rule.map(|rule| rule.rule_id.clone()),
        });
        let next = own.iter().map(|rule| rule.major()).max().unwrap_or_default() + 1;
        for (major, version) in (next..).zip(installed.versions_to(&wanted)) {
            let NewVersion { period, withdrawn } = version;
            let line = lines.iter().find(|line| line.vigencia.covers(period.vigencia.de)).or(lines.last());
            let Some(line) = line else { continue };
            let escopo = json!({"classificacao_tributaria": codigo});
            let (tributo, vigencia) = (self.tributo, period.vigencia);
            let head = RuleHead { rule_code: &rule_code, major, tributo, escopo, vigencia };
            self.regras.push(head.with(&self.body(line, &own, &period, withdrawn)));
        }
    }

    /// What the table says on each day, but for the days on which a rule refuses what the table has a figure for; `None`
    /// without a line that could be read.
    fn wanted(&self, lines: &[ClassificacaoLine], installed: &[Period<Said>]) -> Option<Periods<Said>> {
        let vigencias = lines.iter().map(|line| line.vigencia).chain(installed.iter().map(|period| period.vigencia));
        let turns: BTreeSet<Date> =
            vigencias.flat_map(|vigencia| [Some(vigencia.de), vigencia.ate]).flatten().collect();
        let mut wanted = Periods::default();
        let mut turns = turns.into_iter().peekable();
        while let Some(de) = turns.next() {
            let Some(line) = lines.iter().find(|line| line.vigencia.covers(de)) else { continue };
            let there = installed.iter().find(|period| period.vigencia.covers(de)).map(|period| period.value);
            let value = match there {
                Some(refused @ (None | Some(Enquadramento::Outro))) => refused,
                Some(Some(_)) | None => Some(line.enquadramento(self.tributo)?),
            };
            wanted.push(Vigencia { de, ate: turns.peek().copied() }, value);
        }
        (!lines.is_empty()).then_some(wanted)
    }

    /// What a version declares. What was published for the day is declared again if it says the same, and its sentences
    /// and its list of goods stay if only the reduction is another.
    fn body(
        &self,
        line: &ClassificacaoLine,
        own: &[&InstalledVersion],
        period: &Period<Said>,
        withdrawn: bool,
    ) -> RuleBody {
        let there = own.iter().rev().find(|rule| rule.vigencia().covers(period.vigencia.de));
        let said = there.map(|rule| Enquadramento::of(rule));
        if let (Some(rule), false) = (there, withdrawn)
            && said == Some(period.value)
        {
            return rule.body();
        }
        let enquadramento = period.value.filter(|_| !withdrawn).unwrap_or(Enquadramento::Outro);
        let mut body = RuleBody {
            citacao_legal: line.citacao(),
            fonte: Some(format!("Tabela cClassTrib do Portal da NF-e: {}", self.fonte)),
            conferencia: Some("fonte_unica".to_owned()),
            avisos: Vec::new(),
            motivo: None,
            conteudo: Value::Null,
        };
        let reducao = match enquadramento {
            Enquadramento::Outro => {
                let recusa =
                    json!({"reducao": null, "regime_especifico": true, "anexo": line.artigo(), "descricao": line.nome});
                body.conteudo = json!({"recusa": {"hipoteses": [recusa]}});
                body.motivo = Some(if withdrawn { GONE } else { line.why_refused() }.to_owned());
                return body;
            }
            Enquadramento::Reducao(reducao) | Enquadramento::Diferido(Some(reducao)) => Some(format_rate(reducao)),
            Enquadramento::SemAliquota | Enquadramento::Diferido(None) => None,
        };
        if line.is_suspension() {
            body.avisos.push(json!({"condicao": "regime", "texto": SUSPENDED}));
        }
        let in_annex = line.anexo.is_some_and(|annex| (1..=LAST_ANNEX).contains(&annex));
        let mut lista = in_annex.then(|| json!("aberta"));
        if let (Some(rule), Some(Enquadramento::Reducao(_)), Enquadramento::Reducao(_)) =
            (there, said.flatten(), enquadramento)
        {
            body.avisos = rule.avisos();
            lista = rule.conteudo.pointer("/classificacao/lista").cloned();
        }
        let diferido = matches!(enquadramento, Enquadramento::Diferido(_)).then_some(true);
        let mut classificacao =
            json!({"descricao": line.nome, "reducao": reducao, "diferido": diferido, "lista": lista});
        if let Some(members) = classificacao.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
        body.conteudo = json!({"classificacao": classificacao});
        body
    }

    /// What the table says of a code today, or else on its first day, and what the rule says on that day.
    fn compared(&self, codigo: ClassificacaoTributaria, lines: &[ClassificacaoLine]) -> TableChange {
        let starts = || lines.iter().map(|line| line.vigencia.de).min();
        let desde = if lines.iter().any(|line| line.vigencia.covers(self.today)) {
            self.today
        } else {
            starts().unwrap_or(self.today)
        };
        let line = lines.iter().find(|line| line.vigencia.covers(desde));
        let rule = self.rules(codigo).iter().find(|rule| rule.vigencia().covers(desde));
        TableChange {
            codigo: format!("{} {codigo}", self.tributo),
            desde,
            instalada: rule.map(|rule| written(&Enquadramento::of(rule))),
            da_tabela: line.and_then(|line| line.enquadramento(self.tributo)).map(Enquadramento::written),
            rule_id: rule.map(|rule| rule.rule_id.clone()),
        }
    }

    /// Reports the codes that have a rule today and no line.
    fn absent(&mut self, lines: &ClassificacaoLines) {
        let codes: Vec<ClassificacaoTributaria> =
            self.rules.keys().filter_map(|codigo| ClassificacaoTributaria::parse(codigo).ok()).collect();
        for codigo in codes.into_iter().filter(|codigo| !lines.lines.contains_key(codigo)) {
            let change = self.compared(codigo, &[]);
            if change.rule_id.is_some() {
                self.report.leave(change);
            }
        }
    }
}
