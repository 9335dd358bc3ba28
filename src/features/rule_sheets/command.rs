//! `taxd bundle template` and `taxd bundle from-sheet`: rules in a spreadsheet.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use crate::base::document::without_bom;
use crate::base::value::Clock;
use crate::cli::files::{self, cannot_write, has_extension, require_new, write_new};
use crate::cli::{CommandResult, Context};
use crate::core::engine::ReadReport;
use crate::core::rulesets;
use crate::features::import::{ImportCommand, ImportFile};
use crate::features::rule_sheets::{self, CellFault, Layout, Made};
use crate::features::{AdminError, Command, InputFault, typed};
use crate::law::rule::bundle::{RawBundle, written_out};
use crate::law::tax::{self, Entry};
use crate::sheet::{self, Row, column_letters, write_csv, write_xlsx};

/// Most rows that are read: a table of more rules is better written by a program.
const MAX_ROWS: usize = 500_000;
/// Most memory of the rows, in bytes: they are in memory together, with the empty cells between others.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Rules of the built-in bundles that a template shows.
const EXAMPLES: usize = 2;

/// Write a spreadsheet to fill in: one column for each field of a rule of that tax, explained, with two rules as examples
///
/// XLSX or CSV, by the name of the file. Replace the example rows by yours; the worksheet "Como preencher" says how.
/// Then `taxd bundle from-sheet FILE --out BUNDLE.json`.
#[derive(Debug, Args)]
pub(crate) struct TemplateArgs {
    /// The tax, such as `icms_st`
    #[arg(value_name = "TRIBUTO", value_parser = typed::word)]
    tributo: String,
    /// Where to write it, FILE.xlsx or FILE.csv; it must not exist. TRIBUTO.xlsx if left out
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Make a bundle of a spreadsheet that was filled in: XLSX or CSV, one rule a row
///
/// The rules are checked as an import would, worked examples included, against the rules of the data directory. If none
/// is named and there is no ./taxd-data, against the built-in ones. Every fault is reported with its row and column, and
/// then nothing is written.
#[derive(Debug, Args)]
pub(crate) struct SheetArgs {
    /// The spreadsheet, begun with `taxd bundle template`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where to write the bundle; it must not exist. Then: `taxd import FILE`
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Worksheet to read; the first one if left out
    #[arg(long, value_name = "NAME")]
    worksheet: Option<String>,
    /// Name of the bundle; the name of its file if left out
    #[arg(long, value_name = "NAME")]
    pacote: Option<String>,
    /// Version of the bundle; today if left out
    #[arg(long, value_name = "VERSION")]
    versao: Option<String>,
    /// What the bundle brings, in one sentence
    #[arg(long, value_name = "TEXT")]
    descricao: Option<String>,
}

#[derive(Serialize)]
struct TemplateFile {
    arquivo: String,
    tributo: &'static str,
    colunas: usize,
    regras: Vec<String>,
}

#[derive(Serialize)]
struct SheetBundle {
    pacote: String,
    regras: usize,
    /// How many of them the rules checked against do not have.
    novas: usize,
    /// How many worked examples were calculated.
    exemplos: usize,
}

pub(crate) fn template(context: &Context, args: &TemplateArgs) -> CommandResult {
    let entry = tax::parse(&args.tributo).map_err(AdminError::new)?;
    let tributo = entry.tributo.as_str();
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{tributo}.xlsx")));
    require_new(&out)?;
    let layout = Layout::of(entry);
    let rules = examples(entry, &layout)?;
    let table = rule_sheets::table(&layout, "Regras", &rules).map_err(|error| AdminError::new(error.to_string()))?;
    let is_csv = has_extension(&out, &["csv"]);
    if !is_csv && !has_extension(&out, &["xlsx"]) {
        return Err(AdminError::new(format!("{}: the name must end in .xlsx or .csv", out.display())));
    }
    let mut bytes = Cursor::new(Vec::new());
    let written = if is_csv {
        write_csv(&table, &mut bytes)
    } else {
        write_xlsx(&[table.clone(), rule_sheets::guide()], &mut bytes)
    };
    written.map_err(|e| cannot_write(&out, &e))?;
    write_new(&out, bytes.get_ref())?;
    let id = |rule: &Value| format!("{}-v{}", text(rule, "rule_code"), text(rule, "versao"));
    let file = TemplateFile {
        arquivo: out.display().to_string(),
        tributo,
        colunas: table.head.columns.len(),
        regras: rules.iter().map(id).collect(),
    };
    context.print(&file, || {
        format!(
            "{}: {} columns, with {} as examples; fill it in, then `taxd bundle from-sheet {} --out BUNDLE.json`",
            file.arquivo,
            file.colunas,
            file.regras.join(" and "),
            file.arquivo,
        )
    })
}

fn text<'v>(rule: &'v Value, member: &str) -> &'v str {
    rule.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// Built-in rules of the tax for a template: the first one whose figures are established, with worked examples if there
/// is one, and the first one that takes several rows.
fn examples(entry: &Entry, layout: &Layout) -> Result<Vec<Value>, AdminError> {
    let mut rules = Vec::new();
    for (_, text) in rulesets::files() {
        let json_fault = |fault| AdminError::new(format!("a built-in bundle is not JSON: {fault}"));
        let raw = RawBundle::read(without_bom(text.as_bytes())).map_err(json_fault)?;
        let mut failed = None;
        written_out(&raw, &mut |rule| match serde_json::to_value(crate::base::document::Node::Object(rule)) {
            Ok(rule) if rule.get("tributo").is_some_and(|own| own == entry.tributo.as_str()) => rules.push(rule),
            Ok(_) => {}
            Err(error) => failed = Some(error),
        })
        .map_err(json_fault)?;
        if let Some(error) = failed {
            return Err(error.into());
        }
    }
    // The national rules of the transition to the IBS are a model for nothing that a firm writes.
    let is_model = |rule: &&Value| rule.pointer("/conteudo/transicao").is_none();
    let is_established = |rule: &&Value| rule.get("motivo").is_none() && is_model(rule);
    let with_examples = |rule: &&Value| rule.get("exemplos").is_some();
    let height = |rule: &&Value| rule_sheets::rows(layout, rule).map_or(0, |rows| rows.len());
    let first = rules.iter().filter(is_established).find(with_examples).or(rules.iter().find(is_established));
    let tall = rules.iter().filter(is_established).find(|rule| height(rule) > 1 && Some(*rule) != first);
    Ok(first.into_iter().chain(tall).take(EXAMPLES).cloned().collect())
}

/// Makes a bundle of a spreadsheet.
pub(crate) fn from_sheet(context: &Context, args: &SheetArgs) -> CommandResult {
    require_new(&args.out)?;
    let name = args.file.display().to_string();
    let rows = read_rows(args)?;
    let made = rule_sheets::read(&rows)
        .map_err(|faults| refused(faults.into_iter().map(|fault| input_fault(&name, fault)).collect()))?;
    let text = bundle_text(args, &made)?;
    let command = Command::Import(ImportCommand {
        files: vec![ImportFile { name: name.clone(), text: text.clone(), signature: None }],
        dry_run: true,
        accept_future_date: true,
        listed: Some(0),
        ..ImportCommand::default()
    });
    let outcome = context.run_on_rules(command).map_err(|error| match error {
        AdminError::Faults { faults, .. } => {
            refused(faults.into_iter().map(|fault| placed(&name, &made, fault)).collect())
        }
        other => other,
    })?;
    let outcome: ReadReport = serde_json::from_str(outcome.get())?;
    write_new(&args.out, text.as_bytes())?;
    let bundle = SheetBundle {
        pacote: args.out.display().to_string(),
        regras: made.rules.len(),
        novas: made.rules.len().saturating_sub(outcome.inalteradas),
        exemplos: outcome.exemplos,
    };
    context.print(&bundle, || {
        format!(
            "{}: {} rule versions, {} of them new; {} worked examples as stated; next: `taxd import {}`",
            bundle.pacote, bundle.regras, bundle.novas, bundle.exemplos, bundle.pacote
        )
    })
}

fn read_rows(args: &SheetArgs) -> Result<Vec<Row<'static>>, AdminError> {
    let file = files::open(&args.file)?;
    let mut rows = Vec::new();
    let mut bytes = 0;
    let read = sheet::read(file, args.worksheet.as_deref(), &mut |row| {
        bytes += row.size_bytes();
        rows.push(row.into_owned());
        if rows.len() > MAX_ROWS || bytes > MAX_BYTES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    read.map_err(|error| AdminError::new(format!("{}: {error}", args.file.display())))?;
    if rows.len() > MAX_ROWS || bytes > MAX_BYTES {
        let (file, mib) = (args.file.display(), MAX_BYTES / (1024 * 1024));
        return Err(AdminError::new(format!("{file} has more than {MAX_ROWS} rows, or {mib} MiB of cells")));
    }
    Ok(rows)
}

/// The bundle in canonical form.
fn bundle_text(args: &SheetArgs, made: &Made) -> Result<String, AdminError> {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let source = args.file.file_name().unwrap_or_default().to_string_lossy();
    let bundle = json!({
        "pacote": args.pacote.clone().unwrap_or_else(|| stem(&args.out)),
        "versao": args.versao.clone().unwrap_or_else(|| Clock::system().now().day().to_string()),
        "descricao": args.descricao.clone().unwrap_or_else(|| format!("Regras da planilha {source}")),
        "regras": made.rules,
    });
    let written = bundle.to_string();
    let raw = RawBundle::read(written.as_bytes()).and_then(|raw| raw.canonical_text());
    raw.map_err(|fault| AdminError::new(format!("the bundle could not be written: {fault}")))
}

fn refused(faults: Vec<InputFault>) -> AdminError {
    let plural = if faults.len() == 1 { "" } else { "s" };
    AdminError::Faults {
        message: format!("{} fault{plural} in the spreadsheet; nothing was written", faults.len()),
        faults,
    }
}

fn input_fault(file: &str, fault: CellFault) -> InputFault {
    InputFault {
        file: Some(file.to_owned()),
        line: usize::try_from(fault.row).ok(),
        path: place_text(fault.column, &fault.name),
        codigo: None,
        detail: fault.detail.into(),
    }
}

/// `coluna K (conteudo.aliquota)`.
fn place_text(column: Option<usize>, name: &str) -> String {
    match column {
        Some(column) if name.is_empty() => format!("coluna {}", column_letters(column)),
        Some(column) => format!("coluna {} ({name})", column_letters(column)),
        None => format!("{name} (sem coluna)"),
    }
}

/// A fault of the bundle, with the row and column of the spreadsheet in place of its line and path.
fn placed(file: &str, made: &Made, fault: InputFault) -> InputFault {
    let in_rule = fault.path.strip_prefix("regras[").and_then(|rest| {
        let (rule, path) = rest.split_once(']')?;
        made.place(rule.parse().ok()?, path.trim_start_matches('.'))
    });
    let Some((row, column, name)) = in_rule else { return InputFault { line: None, ..fault } };
    let placed = CellFault { row, column, name, detail: fault.detail.into() };
    InputFault { codigo: fault.codigo, ..input_fault(file, placed) }
}
