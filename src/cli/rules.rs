//! `taxd rules`: what the analyst reads.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::{CommandResult, DataDir, DataDirOrBuiltIn, Json, output, typed};
use crate::admin::{AdminError, Command, RulesQuery, data_dir, execute};
use crate::engine::coverage::Coverage;
use crate::rulesets;
use crate::service::Service;
use crate::value::{Clock, RuleCode, RuleId};

/// Rules: list, show, history, coverage
#[derive(Debug, Subcommand)]
pub(super) enum Rules {
    /// List rule versions
    List(List),
    /// Show all that a rule version says
    Show {
        /// Version (CODE-vMAJOR.MINOR), or code for all its versions
        #[arg(value_name = "RULE_ID|CODE", value_parser = typed::rule)]
        rule: String,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// The versions of a code as a timeline, with what changed from one to the next
    History {
        /// Rule code, or a version of it
        #[arg(value_name = "CODE|RULE_ID", value_parser = typed::rule_code)]
        code: String,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    Coverage(CoverageArgs),
}

/// What the rules answer, by tax, place and kind, as Markdown tables in Portuguese
///
/// Of the data directory. If none is named and there is no ./taxd-data, of the built-in rules.
#[derive(Debug, Args)]
pub(super) struct CoverageArgs {
    /// On this day: 2026-03-10 or 10/03/2026 [default: today]
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    vigente_em: Option<String>,
    #[command(flatten)]
    data: DataDirOrBuiltIn,
    #[command(flatten)]
    json: Json,
}

/// Filters, as in GET /v1/regras.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Tax, in either case
    #[arg(long, value_parser = typed::word)]
    tributo: Option<String>,
    /// UF on either side, in either case
    #[arg(long, value_parser = typed::uf)]
    uf: Option<String>,
    /// Municipality
    #[arg(long)]
    municipio: Option<String>,
    /// Every rule that would be considered for this NCM, with or without points
    #[arg(long, value_parser = typed::ncm)]
    ncm: Option<String>,
    /// Every rule that would be considered for this service item
    #[arg(long, value_name = "N.NN")]
    item_lista_servico: Option<String>,
    /// Versions that answer on this day: 2026-03-10 or 10/03/2026
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    vigente_em: Option<String>,
    /// vigente, futura, encerrada or substituida
    #[arg(long, value_parser = typed::word)]
    situacao: Option<String>,
    /// Words of the citation
    #[arg(long, value_name = "WORDS")]
    q: Option<String>,
    /// Most versions to list
    #[arg(long, default_value_t = 100, value_name = "N")]
    limit: usize,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    json: Json,
}

/// Runs the command.
pub(super) fn run(args: &Rules) -> CommandResult {
    let (command, data, json) = match args {
        Rules::List(list) => (Command::RulesList(list.query()), &list.data, &list.json),
        Rules::Show { rule, data, json } => {
            let name = match RuleId::parse(rule) {
                Some(_) => "rule_id",
                None if RuleCode::parse(rule).is_ok() => "rule_code",
                None => return Err(unknown(rule)),
            };
            let filters = vec![(name.to_owned(), rule.clone())];
            (Command::RulesList(RulesQuery { filters, limit: usize::MAX }), data, json)
        }
        Rules::Coverage(args) => return coverage(args),
        Rules::History { code, data, json } => (Command::RulesHistory { rule_code: code.clone() }, data, json),
    };
    let result = data_dir::run(&data.data, command)?;
    let found = result.get("regras").or_else(|| result.get("versoes")).and_then(Value::as_array);
    let versions = found.cloned().unwrap_or_default();
    if let (Rules::Show { rule, .. }, true) = (args, versions.is_empty()) {
        return Err(unknown(rule));
    }
    if json.json {
        output::json(&result)?;
        return Ok(ExitCode::SUCCESS);
    }
    match args {
        Rules::List(_) => {
            output::line(&list_text(&versions))?;
            if result.get("mais").and_then(Value::as_bool) == Some(true) {
                output::line("... and more: narrow the filters, or raise --limit")?;
            }
        }
        Rules::Show { .. } => {
            for version in &versions {
                output::line(&serde_json::to_string_pretty(version).unwrap_or_default())?;
            }
        }
        Rules::History { .. } => output::line(&history_text(&versions))?,
        Rules::Coverage(_) => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn coverage(args: &CoverageArgs) -> CommandResult {
    let command = Command::RulesCoverage { vigente_em: args.vigente_em.clone() };
    let result = match args.data.find()? {
        Some(dir) => data_dir::run(dir, command)?,
        None => execute(&Service::open(rulesets::in_memory(Clock::system())?)?, command, &mut |_| {})?,
    };
    if args.json.json {
        output::json(&result)?;
    } else {
        let coverage: Coverage = serde_json::from_value(result).map_err(|e| AdminError::new(e.to_string()))?;
        output::page(coverage.to_markdown().as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn unknown(rule: &str) -> AdminError {
    AdminError::new(format!("there is no rule \"{rule}\"; `taxd rules list` shows what there is"))
}

impl List {
    fn query(&self) -> RulesQuery {
        let given = [
            ("tributo", &self.tributo),
            ("uf", &self.uf),
            ("municipio", &self.municipio),
            ("ncm", &self.ncm),
            ("item_lista_servico", &self.item_lista_servico),
            ("vigente_em", &self.vigente_em),
            ("situacao", &self.situacao),
            ("q", &self.q),
        ];
        let filters = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))).collect();
        RulesQuery { filters, limit: self.limit }
    }
}

fn until(version: &Value) -> String {
    version.get("vigente_ate").and_then(Value::as_str).unwrap_or("open").to_owned()
}

fn list_text(versions: &[Value]) -> String {
    let row = |version: &Value| {
        let cell = |name| output::text(version, name).to_owned();
        vec![cell("rule_id"), cell("vigente_de"), until(version), cell("situacao"), cell("citacao_legal")]
    };
    let rows: Vec<_> = versions.iter().map(row).collect();
    output::table(&["RULE", "FROM", "UNTIL", "STATE", "CITATION"], &rows)
}

fn history_text(versions: &[Value]) -> String {
    let mut lines = Vec::new();
    for version in versions {
        let cell = |name| output::text(version, name);
        lines.push(format!("{}  {} -> {}  {}", cell("rule_id"), cell("vigente_de"), until(version), cell("situacao")));
        lines.push(format!("    published {}", cell("publicado_em")));
        let bundle = version.get("pacote").unwrap_or(&Value::Null);
        let of = |name| output::text(bundle, name);
        let by = output::signed_by(bundle).map(|by| format!(", {by}")).unwrap_or_default();
        lines.push(format!("    in {} {}{by}: {}, sha256 {}", of("pacote"), of("versao"), of("file"), of("sha256")));
        if let Some(next) = version.get("substituida_por").and_then(Value::as_str) {
            lines.push(format!("    superseded by {next}"));
        }
        let changes = version.get("mudancas").and_then(Value::as_array).cloned().unwrap_or_default();
        lines.extend(changes.iter().filter_map(Value::as_str).map(|change| format!("    {change}")));
    }
    lines.join("\n")
}
