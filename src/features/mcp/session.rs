//! What each method and each tool answers.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::rpc::{RpcFault, failure, success};
use super::tools::{self, Tool};
use crate::base::value::Timestamp;
use crate::core::engine::Engine;
use crate::features::calc::{CalcCommand, calc_answers};
use crate::features::codes::{CodesQuery, find};
use crate::features::instants::known_at;
use crate::features::rules::RulesCommand;
use crate::features::{AdminError, about_rules};
use crate::law::tax::Suposicao;

/// Versions of the protocol whose part that is used here is the same, the newest first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// What an assistant reads before it uses a tool.
const INSTRUCTIONS: &str = "taxd answers Brazilian taxes from rules with their legal citation. Never guess or complete what a tool refuses: say the reason, and ask the user for what is missing. Show with each amount its rule, its citation, its grade (`conferencia`) and its notices (`avisos`). An answer with `suposicoes` is not law. Texts of answers are Portuguese.";

/// The answer of a tool, and whether it is a refusal.
type ToolAnswer = Result<Value, Value>;

/// What is asked of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Now,
    /// What was known at an instant, which is final.
    AsKnown,
}

pub(super) struct Session<'c> {
    /// Opens the rules as they are at a question.
    pub(super) engine: &'c dyn Fn(Wanted) -> Result<Rc<Engine>, AdminError>,
}

impl Session<'_> {
    pub(super) fn reply(&self, id: &Value, method: &str, params: &Map<String, Value>) -> Value {
        match method {
            "initialize" => success(id, &greeting(params)),
            "ping" => success(id, &json!({})),
            "tools/list" => {
                let tools = Tool::WORDS.iter().filter_map(|name| Tool::from_word(name)).map(Tool::declared);
                success(id, &json!({"tools": tools.collect::<Vec<_>>()}))
            }
            "tools/call" => match called(params) {
                Ok((tool, arguments)) => success(id, &self.call(tool, arguments)),
                Err(detail) => failure(id, RpcFault::BadParameters, &detail),
            },
            _ => {
                let detail = "unknown method; this server has initialize, ping, tools/list and tools/call";
                failure(id, RpcFault::UnknownMethod, detail)
            }
        }
    }

    /// The result of a call. What is wrong with its arguments is said in it: the assistant can correct them.
    fn call(&self, tool: Tool, arguments: &Map<String, Value>) -> Value {
        let (text, refused) = match self.answer(tool, arguments) {
            Ok(Ok(answer)) => (answer.to_string(), false),
            Ok(Err(refusal)) => (refusal.to_string(), true),
            Err(error) => (error.to_string(), true),
        };
        json!({"content": [{"type": "text", "text": text}], "isError": refused})
    }

    fn answer(&self, tool: Tool, given: &Map<String, Value>) -> Result<ToolAnswer, AdminError> {
        match tool {
            Tool::Calculate => self.calculate(given, false),
            Tool::Explain => self.explain(given),
            Tool::Treatment => {
                tools::check(given, &tools::of_product()).map_err(AdminError::new)?;
                let payloads = vec![serde_json::to_vec(given)?];
                self.one(&CalcCommand { payloads, tratamento: true, ..CalcCommand::default() })
            }
            Tool::Rules => self.rules(RulesCommand::List(Box::new(tools::read(given).map_err(AdminError::new)?))),
            Tool::Upcoming => self.rules(RulesCommand::Upcoming(tools::read(given).map_err(AdminError::new)?)),
            Tool::Codes => {
                let query: CodesQuery = tools::read(given).map_err(AdminError::new)?;
                Ok(Ok(serde_json::to_value(find(&query))?))
            }
        }
    }

    fn calculate(&self, given: &Map<String, Value>, memoria: bool) -> Result<ToolAnswer, AdminError> {
        tools::check(given, &["pedido", "supondo", "conhecido_em"]).map_err(AdminError::new)?;
        let pedido = given.get("pedido").filter(|pedido| pedido.is_object());
        let pedido =
            pedido.ok_or_else(|| AdminError::new("`pedido` is an object: `tributo` and the fields of the tax"))?;
        let text = |name: &str| match given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(AdminError::new(format!("`{name}` is a text"))),
        };
        let supondo = text("supondo")?.map_or(Ok(Vec::new()), |text| Suposicao::list(text)).map_err(AdminError::new)?;
        let conhecido_em = text("conhecido_em")?.map(|text| known_at(text, Timestamp::now())).transpose()?;
        let payloads = vec![serde_json::to_vec(pedido)?];
        self.one(&CalcCommand { payloads, memoria, conhecido_em, supondo, ..CalcCommand::default() })
    }

    /// The answer with its steps, or the refusal, and the records of the rules that it names.
    fn explain(&self, given: &Map<String, Value>) -> Result<ToolAnswer, AdminError> {
        let answer = self.calculate(given, true)?;
        let (Ok(said) | Err(said)) = &answer;
        let others = said.pointer("/detalhes/regras_auxiliares").and_then(Value::as_array);
        let named = said.get("regra").into_iter().chain(others.into_iter().flatten());
        let (mut regras, engine) = (Vec::new(), (self.engine)(Wanted::Now)?);
        for rule in named.filter_map(|regra| regra.get("rule_id")?.as_str()) {
            let found = said_of_rules(&engine, RulesCommand::Show { rule: rule.to_owned() })?;
            regras.extend(found.get("regras").and_then(Value::as_array).cloned().unwrap_or_default());
        }
        let with_rules = |said: Value| json!({"resposta": said, "regras": regras});
        Ok(answer.map(&with_rules).map_err(&with_rules))
    }

    /// The answer to the one payload of a command.
    fn one(&self, command: &CalcCommand) -> Result<ToolAnswer, AdminError> {
        let wanted = if command.conhecido_em.is_some() { Wanted::AsKnown } else { Wanted::Now };
        let lines = calc_answers(&*(self.engine)(wanted)?, command);
        let line = lines.into_iter().next().unwrap_or_default();
        let said: Value = serde_json::from_slice(&line.json)?;
        let refused = said.get("type").and_then(Value::as_str).is_some_and(|name| name.starts_with("urn:taxd:erro:"));
        Ok(if refused { Err(said) } else { Ok(said) })
    }

    fn rules(&self, command: RulesCommand) -> Result<ToolAnswer, AdminError> {
        Ok(Ok(said_of_rules(&*(self.engine)(Wanted::Now)?, command)?))
    }
}

fn said_of_rules(engine: &Engine, command: RulesCommand) -> Result<Value, AdminError> {
    Ok(serde_json::from_str(about_rules(engine, command)?.get())?)
}

/// The answer to `initialize`: the version that was asked for if it is a known one, else the newest.
fn greeting(params: &Map<String, Value>) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let [newest, ..] = VERSIONS;
    let version = VERSIONS.into_iter().find(|version| *version == asked).unwrap_or(newest);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "taxd", "version": env!("CARGO_PKG_VERSION")},
        "instructions": INSTRUCTIONS,
    })
}

/// The tool and the arguments of a call.
fn called(params: &Map<String, Value>) -> Result<(Tool, &Map<String, Value>), String> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    let names = || Tool::WORDS.join(", ");
    let name = params.get("name").and_then(Value::as_str).ok_or_else(|| format!("`name` is one of {}", names()))?;
    let tool = Tool::from_word(name).ok_or_else(|| format!("unknown tool; this server has {}", names()))?;
    match params.get("arguments") {
        None | Some(Value::Null) => Ok((tool, &NONE)),
        Some(Value::Object(arguments)) => Ok((tool, arguments)),
        Some(_) => Err("`arguments` is an object".to_owned()),
    }
}
