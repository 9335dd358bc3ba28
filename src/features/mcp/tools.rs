//! The tools: their descriptions, the schemas of their arguments, and the reading of these.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Args};
use serde_json::{Map, Value, json};

use crate::base::document::{Document as _, Field, names};
use crate::features::calendar::UpcomingQuery;
use crate::features::codes::CodesQuery;
use crate::features::rules::RulesQuery;
use crate::law::tax::REGISTRY;
use crate::law::tratamento::Pergunta;

/// The form of a report.
const NOT_ARGUMENTS: [&str; 3] = ["ics", "csv", "json"];

taxd_base::vocabulary! {
    pub(super) enum Tool {
        Calculate = "calculate",
        Explain = "explain",
        Treatment = "treatment",
        Rules = "rules",
        Codes = "codes",
        Upcoming = "upcoming",
    }
}

impl Tool {
    fn description(self) -> String {
        match self {
            Tool::Calculate => format!(
                "Calculate one Brazilian tax by the rule in force on the date. The answer has the amount (`valor`), the rule with its legal citation, validity and grade (`regra`), the components (`detalhes`) and what the rule cannot see (`avisos`): show all of them. A refusal says why, and which field or candidate would help. {}",
                payloads()
            ),
            Tool::Explain => "As calculate, with every step and its legal ground (`detalhes.memoria`), and the whole record of each rule that was used or that refused: scope, figures, source.".to_owned(),
            Tool::Treatment => "How each tax treats a product (NCM) on a day, for any seller: PIS and COFINS, IPI, ICMS, ICMS-ST, CBS, IBS, Imposto Seletivo, each with its rule.".to_owned(),
            Tool::Rules => "List versions of rules, with citation, validity, figures and grade.".to_owned(),
            Tool::Codes => "Find official codes by words in Portuguese, or by how they begin: NCM, CEST, items of the list of services, cClassTrib, CFOP, CST, NBS. Several may fit: the user, not you, says which one the product is.".to_owned(),
            Tool::Upcoming => "What begins and what ends in the next days, and what answers after each end; the dates of duties.".to_owned(),
        }
    }

    fn schema(self) -> Value {
        match self {
            Tool::Calculate | Tool::Explain => object(
                vec![
                    (
                        "pedido",
                        json!({"type": "object", "description": "`tributo` and the fields of that tax. Amounts and rates are decimal strings with a dot (\"1234.50\"), dates are YYYY-MM-DD."}),
                    ),
                    (
                        "supondo",
                        json!({"type": "string", "description": "Only to ask what if a figure of the rule were another: cbs.aliquota:8.80, with commas between several. The answer says that it is not law; say so, too."}),
                    ),
                    (
                        "conhecido_em",
                        json!({"type": "string", "description": "Answer as was known at this past day or instant."}),
                    ),
                ],
                &["pedido"],
            ),
            Tool::Treatment => {
                let required: Vec<_> =
                    Pergunta::FIELDS.iter().filter(|field| field.required).map(|field| field.name).collect();
                object(Pergunta::FIELDS.iter().map(property).collect(), &required)
            }
            Tool::Rules => schema_of::<RulesQuery>(),
            Tool::Codes => schema_of::<CodesQuery>(),
            Tool::Upcoming => schema_of::<UpcomingQuery>(),
        }
    }

    /// As `tools/list` shows it.
    pub(super) fn declared(self) -> Value {
        json!({
            "name": self.as_str(),
            "description": self.description(),
            "inputSchema": self.schema(),
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        })
    }
}

fn object(properties: Vec<(&'static str, Value)>, required: &[&str]) -> Value {
    let properties: Map<String, Value> = properties.into_iter().map(|(name, one)| (name.to_owned(), one)).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn property(field: &Field) -> (&'static str, Value) {
    (field.name, json!({"type": "string", "description": field.description()}))
}

/// The fields of every tax; those with `*` are required.
fn payloads() -> String {
    let mut text = "Fields of each `tributo`, those with * always required:".to_owned();
    for entry in REGISTRY {
        let mark = |field: &Field| [field.name, if field.required { "*" } else { "" }].concat();
        let fields: Vec<_> = entry.payload.iter().map(mark).collect();
        let _ = write!(text, "\n{} ({}): {}", entry.tributo, entry.nome, fields.join(", "));
    }
    text
}

/// The arguments of a command, without those that every command has.
fn arguments_of<T: Args>() -> clap::Command {
    // Options of a command name this one, which every command has.
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue);
    T::augment_args(clap::Command::new("").no_binary_name(true).disable_help_flag(true).arg(json))
}

fn is_argument(arg: &Arg) -> bool {
    !NOT_ARGUMENTS.contains(&arg.get_id().as_str())
}

fn schema_of<T: Args>() -> Value {
    let command = arguments_of::<T>();
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for arg in command.get_arguments().filter(|arg| is_argument(arg)) {
        let name = arg.get_id().to_string();
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let mut property = json!({"type": ["string", "number", "boolean"], "description": help});
        let words: Vec<String> = arg.get_possible_values().iter().map(|one| one.get_name().to_owned()).collect();
        if !words.is_empty() {
            property = json!({"type": "string", "description": help, "enum": words});
        }
        if arg.is_required_set() {
            required.push(name.clone());
        }
        properties.insert(name, property);
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// Reads the arguments of a tool as those of its command. The error is a sentence.
pub(super) fn read<T: Args>(given: &Map<String, Value>) -> Result<T, String> {
    let command = arguments_of::<T>();
    let accepted: Vec<&Arg> = command.get_arguments().filter(|arg| is_argument(arg)).collect();
    let (mut options, mut words) = (Vec::new(), Vec::new());
    for (name, value) in given {
        let Some(arg) = accepted.iter().find(|arg| arg.get_id() == name.as_str()) else {
            return Err(unknown(name, accepted.iter().map(|arg| arg.get_id().as_str())));
        };
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Array(_) | Value::Object(_) => return Err(format!("`{name}` is a text, a number, true or false")),
        };
        match arg.get_long() {
            Some(long) => options.push(format!("--{long}={text}")),
            None => words.push(text),
        }
    }
    options.push("--".to_owned());
    let matches = command.clone().try_get_matches_from(options.into_iter().chain(words));
    let parsed = matches.and_then(|matches| T::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage")).collect();
        lines.join(" ").trim().trim_start_matches("error: ").to_owned()
    })
}

/// Refuses an argument that is not among these.
pub(super) fn check(given: &Map<String, Value>, accepted: &[&str]) -> Result<(), String> {
    match given.keys().find(|name| !accepted.contains(&name.as_str())) {
        Some(name) => Err(unknown(name, accepted.iter().copied())),
        None => Ok(()),
    }
}

fn unknown<'a>(name: &str, accepted: impl Iterator<Item = &'a str>) -> String {
    let accepted: Vec<_> = accepted.collect();
    format!("the tool has no argument `{}`; it takes {}", crate::base::value::shorten(name), accepted.join(", "))
}

/// The names of the question about a product.
pub(super) fn of_product() -> Vec<&'static str> {
    names(Pergunta::FIELDS).collect()
}
