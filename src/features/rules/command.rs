//! `taxd rules`: rules for the analyst.

use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::Value;

use crate::base::value::{Date, RuleId, Timestamp};
use crate::cli::{CommandResult, Context, DEFAULT_DATA, output, typed};
use crate::core::engine::coverage::Coverage;
use crate::features::Command;
use crate::features::calendar;
use crate::features::calendar::command::UpcomingArgs;
use crate::features::rules::{HistoricVersion, RuleHistory, RuleList, RulesCommand, RulesQuery};

/// Rules: list, show, history, coverage, upcoming
#[derive(Debug, Subcommand)]
pub(crate) enum RulesArgs {
    /// List rule versions
    List(Box<RuleFilterArgs>),
    /// Show all that a rule version says
    Show {
        /// Version (CODE-vMAJOR.MINOR), or code for all its versions
        #[arg(value_name = "RULE_ID|CODE", value_parser = typed::rule)]
        rule: String,
    },
    /// Show the versions of a code as a timeline, with the changes from each to the next
    History {
        /// Rule code, or a version of it
        #[arg(value_name = "CODE|RULE_ID", value_parser = typed::rule_code)]
        code: String,
    },
    Coverage(CoverageArgs),
    Upcoming(UpcomingArgs),
}

/// What the rules answer, by tax, place and kind, as Markdown tables in Portuguese
///
/// Of the data directory. If none is named and there is no ./taxd-data, of the built-in rules.
#[derive(Debug, Args)]
pub(crate) struct CoverageArgs {
    /// On this day: 2026-03-10 or 10/03/2026 [default: today]
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    vigente_em: Option<String>,
}

/// Filters, as in GET /v1/regras.
#[derive(Debug, Args)]
pub(crate) struct RuleFilterArgs {
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
    /// The rules of this tax classification (cClassTrib)
    #[arg(long, value_name = "CODE")]
    classificacao_tributaria: Option<String>,
    /// Versions that apply on this day: 2026-03-10 or 10/03/2026
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    vigente_em: Option<String>,
    /// Versions that begin after today and up to this day
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    inicia_ate: Option<String>,
    /// Versions whose last day is from today to this day
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    termina_ate: Option<String>,
    /// Versions after whose last day requests are refused, because no rule follows or the next one has no figure
    /// (true), or all others (false)
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    sem_sucessora: Option<String>,
    #[arg(
        long,
        value_name = "WORD",
        value_parser = typed::word,
        help = "Versions that end, by what answers then: nova_versao, regra_geral, extinta, sem_figura or sem_sucessora"
    )]
    sucessao: Option<String>,
    /// vigente, futura, encerrada or substituida
    #[arg(long, value_parser = typed::word)]
    situacao: Option<String>,
    #[arg(
        long,
        value_name = "GRADE",
        value_parser = typed::word,
        help = "How well the figures are established: texto_legal, fontes_concordes, fonte_unica or do_escritorio"
    )]
    conferencia: Option<String>,
    /// Words of the citation
    #[arg(long, value_name = "WORDS")]
    q: Option<String>,
    /// Most versions to list
    #[arg(long, default_value_t = 100, value_name = "N")]
    limit: usize,
}

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

/// Runs the command.
pub(crate) fn run(context: &Context, args: RulesArgs) -> CommandResult {
    match args {
        RulesArgs::List(filters) => context.show(Command::Rules(RulesCommand::List((*filters).into())), list_text),
        RulesArgs::Show { rule } => context.show(Command::Rules(RulesCommand::Show { rule }), show_text),
        RulesArgs::History { code } => {
            context.show(Command::Rules(RulesCommand::History { rule_code: code }), history_text)
        }
        RulesArgs::Upcoming(args) => calendar::command::run(context, &args),
        RulesArgs::Coverage(CoverageArgs { vigente_em }) => {
            if context.rules_dir()?.is_none() {
                tracing::warn!(data = DEFAULT_DATA, "there is no data directory: counting the built-in rules");
            }
            let answer = context.run_on_rules(Command::Rules(RulesCommand::Coverage { vigente_em }))?;
            context.show_answer(&answer, |coverage: Coverage| coverage.to_markdown().trim_end().to_owned())
        }
    }
}

impl From<RuleFilterArgs> for RulesQuery {
    fn from(args: RuleFilterArgs) -> Self {
        let given = [
            ("tributo", args.tributo),
            ("uf", args.uf),
            ("municipio", args.municipio),
            ("ncm", args.ncm),
            ("item_lista_servico", args.item_lista_servico),
            ("classificacao_tributaria", args.classificacao_tributaria),
            ("vigente_em", args.vigente_em),
            ("inicia_ate", args.inicia_ate),
            ("termina_ate", args.termina_ate),
            ("sem_sucessora", args.sem_sucessora),
            ("sucessao", args.sucessao),
            ("situacao", args.situacao),
            ("conferencia", args.conferencia),
            ("q", args.q),
        ];
        let filters = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        RulesQuery { filters, limit: args.limit }
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
