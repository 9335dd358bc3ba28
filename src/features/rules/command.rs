//! `taxd rules`: rules for the analyst.

use serde::Deserialize;
use serde_json::Value;

use crate::base::value::{Date, RuleId, Timestamp};
use crate::cli::{CommandResult, Context, DEFAULT_DATA, output};
use crate::core::engine::coverage::Coverage;
use crate::features::coverage::markdown::to_markdown;
use crate::features::rules::{HistoricVersion, RuleHistory, RuleList, RulesCommand};
use crate::features::{Command, calendar};

/// The members of a version, as in `GET /v1/regras`, that the tables show.
#[derive(Deserialize)]
struct RuleRow {
    rule_id: RuleId,
    vigente_de: Date,
    vigente_ate: Option<Date>,
    citacao_legal: String,
    situacao: String,
    conferencia: Option<String>,
    publicado_em: Option<Timestamp>,
    substituida_por: Option<RuleId>,
}

pub(crate) fn run(context: &Context, command: RulesCommand) -> CommandResult {
    match command {
        RulesCommand::List(_) => context.show(Command::Rules(command), list_text),
        RulesCommand::Show { .. } => context.show(Command::Rules(command), show_text),
        RulesCommand::History { .. } => context.show(Command::Rules(command), history_text),
        RulesCommand::Upcoming(query) => calendar::command::run(context, query),
        RulesCommand::Coverage(_) => {
            if context.rules_dir()?.is_none() {
                tracing::warn!(data = DEFAULT_DATA, "não há pasta de dados: contam as regras embutidas");
            }
            let answer = context.run_on_rules(Command::Rules(command))?;
            context.show_answer(&answer, |coverage: Coverage| to_markdown(&coverage).trim_end().to_owned())
        }
    }
}

fn list_text(list: RuleList<RuleRow>) -> String {
    let row = |version: RuleRow| {
        let until = output::until(version.vigente_ate);
        let from = version.vigente_de.to_string();
        let grade = output::maybe(version.conferencia);
        vec![version.rule_id.to_string(), from, until, version.situacao, grade, version.citacao_legal]
    };
    let headings = ["RULE", "FROM", "UNTIL", "STATE", "GRADE", "CITATION"];
    let table = output::table(&headings, list.regras.into_iter().map(row));
    if list.mais { format!("{table}\n... and more: narrow the filters, or raise --limit") } else { table }
}

fn show_text(list: RuleList<Value>) -> String {
    list.regras.into_iter().map(|version| format!("{version:#}")).collect::<Vec<_>>().join("\n")
}

fn history_text(history: RuleHistory<RuleRow>) -> String {
    let mut lines = Vec::new();
    for HistoricVersion { version, mudancas, pacote } in history.versoes {
        let (id, from, until) = (&version.rule_id, version.vigente_de, output::until(version.vigente_ate));
        lines.push(format!("{id}  {from} -> {until}  {}", version.situacao));
        lines.push(format!("    published {}", output::instant(version.publicado_em)));
        let by = output::signed_by(&pacote).map(|by| format!(", {by}")).unwrap_or_default();
        lines
            .push(format!("    in {} {}{by}: {}, sha256 {}", pacote.pacote, pacote.versao, pacote.file, pacote.sha256));
        lines.extend(version.substituida_por.map(|next| format!("    superseded by {next}")));
        lines.extend(mudancas.into_iter().map(|change| format!("    {change}")));
    }
    lines.join("\n")
}
