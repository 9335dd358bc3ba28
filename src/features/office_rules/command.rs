//! `taxd bundle new`: one rule of the office as a checked bundle, from arguments.

use std::path::PathBuf;

use clap::Args;
use serde_json::Value;

use crate::cli::files::{read_text, require_new, write_new};
use crate::cli::{CommandResult, Context, output};
use crate::features::office_rules::{OfficeRule, OfficeRuleCommand};
use crate::features::{AdminError, Command, typed};
use crate::law::tax;

/// Make a bundle with one rule of the office, where taxd has no rule or no figure: the scope, the figures, the law
///
/// A member is named as the column of `taxd bundle template`: `conteudo.aliquota`, `conteudo.faixas[0].ate`. The rule has
/// the grade `do_escritorio`, a code that begins with `escritorio-`, and the payload as its worked example, with the
/// amount that it gives. It is checked as an import would, against the rules of the data directory. If none is named and
/// there is no ./taxd-data, against the built-in ones. Nothing is published: `taxd import` does that.
#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The tax, such as `iss`
    #[arg(value_name = "TRIBUTO", value_parser = typed::word)]
    tributo: String,
    /// What the rule applies to: `uf=MG,municipio=Uberaba,item_lista_servico=17.19`; several codes with `;`
    #[arg(long, required = true, value_name = "NAME=VALUE,...")]
    scope: Vec<String>,
    /// A member of the rule: `vigente_de=2026-01-01`, `citacao_legal=...`, `conteudo.aliquota=2`; may be repeated
    #[arg(long = "set", value_name = "MEMBER=VALUE")]
    members: Vec<String>,
    /// JSON file with the payload that the rule is to answer; made from the scope if left out
    #[arg(long, value_name = "FILE")]
    payload: Option<PathBuf>,
    /// Where to write the bundle; it must not exist. `RULE_ID.json` if left out
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(context: &Context, args: &NewArgs) -> CommandResult {
    args.out.as_deref().map_or(Ok(()), require_new)?;
    // The answer of the command is read below, whatever the tax.
    tax::parse(&args.tributo).map_err(AdminError::new)?;
    let mut membros = scope(&args.scope)?;
    for member in &args.members {
        membros.push(pair("--set", member)?);
    }
    let pergunta = args.payload.as_deref().map(|file| -> Result<Value, AdminError> {
        serde_json::from_str(&read_text(file)?)
            .map_err(|e| AdminError::new(format!("{} is not JSON: {e}", file.display())))
    });
    let command = OfficeRuleCommand { tributo: args.tributo.clone(), membros, pergunta: pergunta.transpose()? };
    let made = context.run_on_rules(Command::OfficeRule(command))?;
    let rule: OfficeRule = serde_json::from_str(made.get())?;
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(&rule.arquivo));
    require_new(&out)?;
    write_new(&out, rule.pacote.as_bytes())?;
    let written = OfficeRule { arquivo: out.display().to_string(), ..rule };
    output::warn(&written.avisos);
    context.print(&written, || {
        format!(
            "{}: {} gives R$ {} for its example; next: `taxd import {0}`",
            written.arquivo, written.rule_id, written.valor
        )
    })
}

/// The members of the scope. A part without a name is another code of the name before it.
fn scope(given: &[String]) -> Result<Vec<(String, String)>, AdminError> {
    let mut members: Vec<(String, String)> = Vec::new();
    for part in given.iter().flat_map(|list| list.split(',')) {
        match (part.contains('='), members.last_mut()) {
            (false, Some((_, codes))) => *codes = format!("{codes};{}", part.trim()),
            _ => {
                let (name, value) = pair("--scope", part)?;
                let value = match name.as_str() {
                    "uf" | "uf_origem" | "uf_destino" => value.to_uppercase(),
                    "ncm" | "ncm_exceto" | "cest" => value.replace('.', ""),
                    _ => value,
                };
                members.push((format!("escopo.{name}"), value));
            }
        }
    }
    Ok(members)
}

fn pair(option: &str, text: &str) -> Result<(String, String), AdminError> {
    let wrong = || AdminError::new(format!("{option} takes NAME=VALUE, and got {text:?}"));
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
