//! The TIPI as the RFB publishes it: one spreadsheet with the columns NCM, EX, DESCRIÇÃO and ALÍQUOTA (%), the decree
//! that approved it and its amendments above them.
//!
//! The spreadsheet has no days, so the caller gives the first one, and a later change that is already published stays.
//! The rule of a line has the code of the installed one: a changed rate is another version, and a line that is gone gets
//! an end. A rule that did not come from the Annex of the decree (a rate by attributes of the goods, a figure that is not
//! established, the reductions of 2027) is left alone. From 2027-01-01 on a rate of the table answers nothing: the IPI is
//! zero but for a list of products (ADCT, art. 126, III), and the table does not say which.

mod lines;
mod rules;

pub use lines::{TipiLines, read};

use rust_decimal::Decimal;
use serde_json::json;

use self::lines::LineKey;
use self::rules::{Installed, Said, rule_code, situacao};
use super::installed::{InstalledVersion, RuleBody, RuleHead, bundle as bundle_of};
use super::periods::{NewVersion, Period, Periods};
use super::report::{TableChange, TableReport};
use crate::base::value::{Date, format_rate};
use crate::law::rule::Vigencia;

/// The first day on which a rate of the TIPI does not answer by itself.
const ZERO_FROM: &str = "2027-01-01";
/// Why a taxed line that the table brought has no rate from then on.
const NOT_CONFERRED: &str = "Desde 2027-01-01 o IPI é zero, salvo para o produto que tenha industrialização incentivada na Zona Franca de Manaus (ADCT, art. 126, III, a). A alíquota desta linha veio da planilha da Receita Federal, e não se conferiu se a redução a zero a alcança (LC nº 214/2025, art. 454).";
/// Why a line that is gone has no rate on days for which one was published.
const GONE: &str = "A planilha da TIPI que a Receita Federal consolida não traz mais esta linha.";
/// A table without so many of the installed lines is not the whole table: one line in so many, beyond a few.
const MOST_GONE: (usize, usize) = (5, 100);

/// What the table says of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Situacao {
    NaoTributado,
    Zero,
    /// In percent points.
    Tributado(Decimal),
}

impl Situacao {
    /// As the report writes it.
    fn written(self) -> String {
        match self {
            Situacao::NaoTributado => "NT".to_owned(),
            Situacao::Zero => "0".to_owned(),
            Situacao::Tributado(rate) => format_rate(rate),
        }
    }
}

/// The comparison of a table with the installed rules.
struct Comparison<'c> {
    installed: Installed<'c>,
    lines: &'c TipiLines,
    fonte: String,
    /// The first day of the table.
    from: Date,
    /// The first day on which its rates do not answer.
    zero_from: Date,
    regras: Vec<String>,
    report: TableReport,
}

/// Makes a bundle of what the table says from a day on beyond the installed rules; `None` if it has nothing new. `fonte`
/// names the file. Fails, with a sentence in Portuguese, if so many lines are gone that the table is not whole.
pub fn bundle(
    mut lines: TipiLines,
    rules: &[InstalledVersion],
    fonte: &str,
    from: Date,
) -> Result<(Option<String>, TableReport), String> {
    let report =
        TableReport { linhas: lines.read, falhas: std::mem::take(&mut lines.faults), ..TableReport::default() };
    let mut comparison = Comparison {
        installed: Installed::of(rules),
        lines: &lines,
        fonte: format!(
            "TIPI, planilha consolidada pela Receita Federal: {fonte}{}; o primeiro dia, {from}, é o da leitura.",
            lines.last_amendment.as_ref().map_or_else(String::new, |act| format!(", atualizada até {act}"))
        ),
        from,
        zero_from: Date::parse(ZERO_FROM)?,
        regras: Vec::new(),
        report,
    };
    for (key, situacao) in &lines.lines {
        match situacao {
            Some(situacao) => comparison.line(key, *situacao),
            None => comparison.leave(key, None),
        }
    }
    comparison.end_lines()?;
    let Comparison { regras, mut report, .. } = comparison;
    report.versoes = regras.len();
    Ok((bundle_of("tipi", from, "IPI: a TIPI consolidada pela Receita Federal", &regras), report))
}

impl Comparison<'_> {
    /// Adds the versions that make the rule of a line say what the table says.
    fn line(&mut self, key: &LineKey, situacao: Situacao) {
        let tied: Vec<Vigencia> = self.installed.tied(key).into_iter().map(InstalledVersion::vigencia).collect();
        let own = self.installed.own(key);
        let special = matches!(self.installed.own_on(key, self.from), Some(Said::Special(_)));
        let elsewhere =
            self.installed.own_on(key, self.from).is_none() && self.installed.by_prefix(key, self.from).is_some();
        if special || elsewhere || tied.iter().any(|vigencia| vigencia.covers(self.from)) {
            self.leave(key, Some(situacao));
            return;
        }
        let later = own.iter().filter(|period| period.value != Said::NotConferred).map(|period| period.vigencia);
        let limit = later.chain(tied).map(|vigencia| vigencia.de).filter(|de| *de > self.from).min();
        let table = own.iter().filter(|period| !matches!(period.value, Said::Special(_))).cloned();
        let installed: Vec<_> = table.filter_map(|period| clipped(period, limit)).collect();
        let mut wanted: Vec<_> = installed.iter().cloned().filter_map(|p| clipped(p, Some(self.from))).collect();
        wanted.extend(self.periods(situacao).into_iter().filter_map(|period| clipped(period, limit)));
        self.publish(key, installed, wanted);
    }

    /// What the table says from its first day on.
    fn periods(&self, situacao: Situacao) -> Vec<Period<Said>> {
        let period = |de: Date, ate: Option<Date>, value: Said| Period { vigencia: Vigencia { de, ate }, value };
        match situacao {
            Situacao::Tributado(_) if self.from < self.zero_from => vec![
                period(self.from, Some(self.zero_from), Said::Table(situacao)),
                period(self.zero_from, None, Said::NotConferred),
            ],
            Situacao::Tributado(_) => vec![period(self.from, None, Said::NotConferred)],
            Situacao::NaoTributado | Situacao::Zero => vec![period(self.from, None, Said::Table(situacao))],
        }
    }

    /// Adds the versions that lead from the installed periods to the wanted ones.
    fn publish(&mut self, key: &LineKey, installed: Vec<Period<Said>>, wanted: Vec<Period<Said>>) {
        let (installed, wanted) = (Periods::of(installed), Periods::of(wanted));
        let Some(day) = installed.first_difference(&wanted) else {
            self.report.inalterados += 1;
            return;
        };
        self.report.change(TableChange {
            codigo: codigo(key),
            desde: day,
            instalada: installed.value_at(day).map(Said::written),
            da_tabela: wanted.value_at(day).map(Said::written),
            rule_id: self.installed.own_rule(key, day).map(|rule| rule.rule_id.clone()),
        });
        let code = rule_code(key);
        let published = self.installed.of_code(&code).iter().map(|rule| rule.major());
        let next = published.max().unwrap_or_default() + 1;
        let (ncm, ex) = key;
        let escopo = match ex {
            Some(ex) => json!({"ncm": [ncm], "ex": ex}),
            None => json!({"ncm": [ncm]}),
        };
        for (major, version) in (next..).zip(installed.versions_to(&wanted)) {
            let NewVersion { period, withdrawn } = version;
            let (escopo, vigencia) = (escopo.clone(), period.vigencia);
            let head = RuleHead { rule_code: &code, major, tributo: "ipi", escopo, vigencia };
            self.regras.push(head.with(&self.body(key, &period, withdrawn)));
        }
    }

    /// What a version declares: what was installed on days before the table, with the sentences of the line after them.
    fn body(&self, key: &LineKey, period: &Period<Said>, withdrawn: bool) -> RuleBody {
        let before = self.installed.own_rule(key, period.vigencia.de.min(self.from));
        if let (true, Some(rule)) = (period.vigencia.de < self.from, before) {
            return rule.body();
        }
        let decree = &self.lines.decree;
        let annex = format!("Decreto nº {decree}, Anexo (TIPI)");
        let (situacao, motivo) = match &period.value {
            _ if withdrawn => (None, Some(GONE)),
            Said::Table(situacao) => (Some(*situacao), None),
            Said::NotConferred | Said::Special(_) => (None, Some(NOT_CONFERRED)),
        };
        let tabela_versao = format!("TIPI, Decreto {decree}");
        let conteudo = match situacao {
            Some(Situacao::NaoTributado) => json!({"situacao": "nao_tributado", "tabela_versao": tabela_versao}),
            Some(Situacao::Zero) => json!({"situacao": "aliquota_zero", "tabela_versao": tabela_versao}),
            Some(Situacao::Tributado(rate)) => {
                json!({"situacao": "tributado", "aliquota": format_rate(rate), "tabela_versao": tabela_versao})
            }
            None => json!({"situacao": "tributado", "aliquota": null, "tabela_versao": tabela_versao}),
        };
        let citacao_legal = match motivo {
            Some(NOT_CONFERRED) => {
                format!("ADCT, art. 126, III, a (EC 132/2023); LC nº 214/2025, art. 454; {annex}")
            }
            _ => annex,
        };
        RuleBody {
            citacao_legal,
            fonte: Some(self.fonte.clone()),
            conferencia: Some("fonte_unica".to_owned()),
            avisos: before.filter(|_| motivo.is_none()).map(InstalledVersion::avisos).unwrap_or_default(),
            motivo: motivo.map(str::to_owned),
            conteudo,
        }
    }

    /// Reports a line whose rule is left alone; `None` if the line could not be read.
    fn leave(&mut self, key: &LineKey, situacao: Option<Situacao>) {
        let change = self.compared(key, situacao);
        if change.rule_id.is_some() {
            self.report.leave(change);
        }
    }

    /// What the table says of a line, and what the rule says that answers on its first day.
    fn compared(&self, key: &LineKey, said: Option<Situacao>) -> TableChange {
        let tied = || self.installed.tied(key).into_iter().find(|rule| rule.vigencia().covers(self.from));
        let other = || tied().or_else(|| self.installed.by_prefix(key, self.from));
        let rule = self.installed.own_rule(key, self.from).or_else(other);
        TableChange {
            codigo: codigo(key),
            desde: self.from,
            instalada: rule.map(|rule| situacao(rule).map_or_else(|| "nulo".to_owned(), Situacao::written)),
            da_tabela: said.map(Situacao::written),
            rule_id: rule.map(|rule| rule.rule_id.clone()),
        }
    }

    /// Ends the rules of the lines that the table does not have.
    fn end_lines(&mut self) -> Result<(), String> {
        let in_force = |key: &&LineKey| self.installed.own_on(key, self.from).is_some();
        let all: Vec<LineKey> = self.installed.own.keys().filter(in_force).copied().collect();
        let gone: Vec<&LineKey> = all.iter().filter(|key| !self.lines.lines.contains_key(key)).collect();
        let (one_in, few) = MOST_GONE;
        if gone.len() > few && gone.len() * one_in > all.len() {
            return Err(format!(
                "A planilha não traz {} das {} linhas da TIPI instalada em {}: não é a tabela inteira, e a leitura as encerraria.",
                gone.len(),
                all.len(),
                self.from
            ));
        }
        for key in gone {
            // A line that could not be read may be this one.
            let may_be_there = self.lines.unkeyed > 0;
            if may_be_there || matches!(self.installed.own_on(key, self.from), Some(Said::Special(_))) {
                self.leave(key, None);
                continue;
            }
            let installed = self.installed.own(key).to_vec();
            let wanted = installed.iter().cloned().filter_map(|period| clipped(period, Some(self.from))).collect();
            self.publish(key, installed, wanted);
        }
        Ok(())
    }
}

/// A line as the report names it.
fn codigo((ncm, ex): &LineKey) -> String {
    ex.map_or_else(|| ncm.to_string(), |ex| format!("{ncm} Ex {ex}"))
}

/// The part of a period before a day.
fn clipped(mut period: Period<Said>, limit: Option<Date>) -> Option<Period<Said>> {
    period.vigencia.ate = [period.vigencia.ate, limit].into_iter().flatten().min();
    (!period.vigencia.is_empty()).then_some(period)
}
