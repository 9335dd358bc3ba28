//! A rule that the office writes to fill a hole: from named members and the question that was refused to a checked bundle
//! with that question as its worked example. Nothing is published: `taxd import` does that, on the server.

pub mod command;
pub mod page;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::error::{AdminError, InputFault};
use crate::base::document::{Field, Role, Shape};
use crate::base::problem::Problem;
use crate::base::sentence::Sentence;
use crate::base::value::{Conferencia, RuleCode, counted, fold};
use crate::core::engine::{BundleFault, BundleFile, Engine, ImportError, ImportOptions, RuleComparison};
use crate::features::rule_sheets::{self, MemberFault};
use crate::law::rule::RuleLayer;
use crate::law::rule::bundle::RawBundle;
use crate::law::tax::{self, Entry, TaxAnswer};

/// Most characters of a code that is made of a scope.
const MAX_CODE: usize = 80;
/// The path of the question among the faults.
pub const QUESTION: &str = "pergunta";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfficeRuleCommand {
    pub tributo: String,
    /// Name and text of each member, named as the columns of a spreadsheet of rules: `escopo.uf`, `conteudo.aliquota`.
    pub membros: Vec<(String, String)>,
    /// The payload that the rule is to answer; `None` to make one from the example of the tax and the scope.
    pub pergunta: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfficeRule {
    pub rule_id: String,
    /// A name for the file.
    pub arquivo: String,
    /// The bundle in canonical form.
    pub pacote: String,
    /// The worked example: the question.
    pub pergunta: Value,
    pub valor: String,
    /// The parts of the amount that are due to different States or by different people, by their names.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub partes: Map<String, Value>,
    /// What an import would warn of, in English.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub avisos: Vec<String>,
}

/// Makes the bundle and checks it over the rules of the engine. Fails with every fault, by the name of its member.
pub fn office_rule(engine: &Engine, command: &OfficeRuleCommand) -> Result<OfficeRule, AdminError> {
    let entry = tax::parse(&command.tributo).map_err(|why| fault("tributo", why))?;
    let mut rule = rule_sheets::of_members(entry, &completed(engine, entry, &command.membros)?)
        .map_err(|faults| refused(faults.iter().map(of_member).collect()))?;
    let unsourced = rule
        .get("fonte")
        .is_none()
        .then(|| input_fault("fonte", "Diga onde a norma foi lida: o endereço ou o documento, e o dia."));
    let code = text(&rule, "rule_code").to_owned();
    let rule_id = format!("{code}-v{}", text(&rule, "versao"));
    let asked = question(entry, &rule, command.pergunta.clone())?;
    // The first reading finds the amount, the second checks the whole bundle with it as the example.
    let comparison = match (compared(engine, &bundle_text(&code, &rule)?), unsourced) {
        (Ok(comparison), None) => comparison,
        (Ok(_), Some(fault)) => return Err(refused(vec![fault])),
        (Err(AdminError::Faults { mut faults, .. }), fault) => {
            faults.extend(fault);
            return Err(refused(faults));
        }
        (Err(error), _) => return Err(error),
    };
    let answer = answered(&comparison, &asked, &rule_id)?;
    let (valor, partes) = (answer.valor.to_string(), parts(&answer));
    if let Some(rule) = rule.as_object_mut() {
        rule.insert("exemplos".to_owned(), json!([{"payload": asked, "valor": valor}]));
    }
    let pacote = bundle_text(&code, &rule)?;
    let options = ImportOptions { dry_run: true, accept_future_date: true, is_proven: false };
    let file = BundleFile::unsigned(code.as_str(), pacote.as_str());
    let report = engine.import(&[file], engine.now(), options).map_err(of_import)?;
    Ok(OfficeRule {
        arquivo: format!("{rule_id}.json"),
        rule_id,
        pacote,
        pergunta: asked,
        valor,
        partes,
        avisos: report.avisos,
    })
}

/// The members with those that the office need not write: the code, made of the scope, the next version of it, and the
/// grade.
fn completed(engine: &Engine, entry: &Entry, given: &[(String, String)]) -> Result<Vec<(String, String)>, AdminError> {
    let find = |name: &str| given.iter().find(|(own, text)| own == name && !text.trim().is_empty());
    let code = match find("rule_code") {
        Some((_, code)) => code.trim().to_owned(),
        None => code_of(entry, given),
    };
    let parsed = RuleCode::parse(&code).map_err(|why| fault("rule_code", why))?;
    let versao = match find("versao") {
        Some((_, versao)) => versao.trim().to_owned(),
        None => engine.next_version(&parsed)?.to_string(),
    };
    let grade = Conferencia::DoEscritorio.as_str();
    if let Some((name, _)) = find("conferencia").filter(|(_, text)| text.trim() != grade) {
        return Err(fault(name, format!("A regra que o escritório escreve tem a conferência `{grade}`.")));
    }
    let fixed = [
        ("rule_code", code),
        ("versao", versao),
        ("tributo", entry.tributo.as_str().to_owned()),
        ("conferencia", grade.to_owned()),
    ];
    let own = given.iter().filter(|(name, _)| !fixed.iter().any(|(fixed, _)| fixed == name)).cloned();
    Ok(fixed.iter().map(|(name, text)| ((*name).to_owned(), text.clone())).chain(own).collect())
}

/// A code of the words of the scope: `escritorio-iss-mg-uberaba-1719`.
fn code_of(entry: &Entry, given: &[(String, String)]) -> String {
    let scope = given.iter().filter(|(name, _)| name.starts_with("escopo.")).map(|(_, text)| text.as_str());
    let words = std::iter::once(entry.tributo.as_str()).chain(scope).map(slug).filter(|word| !word.is_empty());
    let mut code = format!("{}{}", RuleLayer::OFFICE_CODES, words.collect::<Vec<_>>().join("-"));
    code.truncate(MAX_CODE);
    code.trim_end_matches('-').to_owned()
}

/// The text in the letters of a code.
fn slug(text: &str) -> String {
    fold(&text.replace(['_', ';', ','], " ")).replace(' ', "-")
}

/// The question that was asked; without one, the example of the tax where the rule says nothing else.
fn question(entry: &Entry, rule: &Value, asked: Option<Value>) -> Result<Value, AdminError> {
    if let Some(mut asked) = asked {
        let members =
            asked.as_object_mut().ok_or_else(|| fault(QUESTION, "A pergunta é um objeto: o pedido de um cálculo."))?;
        let named = members.get("tributo").and_then(Value::as_str).unwrap_or(entry.tributo.as_str());
        if named != entry.tributo.as_str() {
            return Err(fault(QUESTION, format!("A pergunta é de {named}, e a regra de {}.", entry.tributo)));
        }
        members.shift_insert(0, "tributo".to_owned(), entry.tributo.as_str().into());
        return Ok(asked);
    }
    let mut payload: Map<String, Value> = serde_json::from_str(entry.exemplo)?;
    let first = |value: &Value| value.as_array().and_then(|list| list.first()).unwrap_or(value).clone();
    let scope = rule.get("escopo").and_then(Value::as_object).into_iter().flatten();
    for (name, value) in scope {
        // A rule of one UF answers operations within it.
        let fields: &[&str] = if name == "uf" { &["uf", "uf_origem", "uf_destino"] } else { &[name] };
        for field in entry.payload.iter().filter(|field| fields.contains(&field.name)) {
            payload.insert(field.name.to_owned(), first(value));
        }
    }
    let is_day = |field: &&Field| field.shape == Shape::Date && field.required;
    for field in entry.payload.iter().filter(is_day) {
        payload.insert(field.name.to_owned(), rule.get("vigente_de").cloned().unwrap_or_default());
    }
    Ok(Value::Object(payload))
}

fn compared<'e>(engine: &'e Engine, bundle: &str) -> Result<RuleComparison<'e>, AdminError> {
    let file = BundleFile::unsigned("pacote", bundle);
    engine.compare_import(&[file], &mut |_| {}).map_err(of_import)
}

/// What the amount adds up of the own ICMS of the seller and of what the buyer may owe; nothing of an amount in one part.
fn parts(answer: &TaxAnswer) -> Map<String, Value> {
    let of_buyer = answer.in_role(Role::PorComprador);
    let names: Vec<&str> = answer.in_role(Role::Icms).chain(of_buyer).collect();
    let stated = names.iter().filter_map(|name| Some(((*name).to_owned(), answer.get(name)?.text()?.into())));
    let all: Map<String, Value> = stated.collect();
    if answer.in_role(Role::PorComprador).next().is_some() { all } else { Map::new() }
}

/// The answer to the question. Fails if another rule answers it, or none.
fn answered(comparison: &RuleComparison<'_>, asked: &Value, rule_id: &str) -> Result<TaxAnswer, AdminError> {
    let payload = serde_json::to_vec(asked)?;
    match comparison.answer_after(&payload) {
        Ok(answer) if **answer.rule_id() == *rule_id => Ok(answer),
        Ok(answer) => Err(fault(
            QUESTION,
            format!(
                "Com a regra, quem responde à pergunta é {by}: o escopo ou a vigência da regra não alcançam o caso, ou {by} é mais específica.",
                by = answer.rule_id()
            ),
        )),
        Err(problem) => Err(refused(of_problem(&problem))),
    }
}

/// The faults of a question that is refused, each by its field.
fn of_problem(problem: &Problem) -> Vec<InputFault> {
    let sentence = |detail: &Sentence| {
        Sentence::of(|to| format!("Com a regra, a pergunta ainda é recusada: {}", detail.read_by(to)))
    };
    let at = |campo: &str| format!("{QUESTION}.{campo}");
    if problem.erros.is_empty() {
        return vec![input_fault(QUESTION, sentence(&problem.detail))];
    }
    problem.erros.iter().map(|erro| input_fault(&at(&erro.campo), sentence(&erro.detail))).collect()
}

/// The bundle of the rule in canonical form.
fn bundle_text(code: &str, rule: &Value) -> Result<String, AdminError> {
    let bundle = json!({
        "pacote": code.replace(['.', '_'], "-"),
        "versao": text(rule, "versao"),
        "descricao": format!("Regra do escritório: {}", text(rule, "citacao_legal")),
        "regras": [rule],
    });
    let written = bundle.to_string();
    let raw = RawBundle::read(written.as_bytes()).and_then(|raw| raw.canonical_text());
    raw.map_err(|fault| AdminError::new(format!("the bundle could not be written: {fault}")))
}

fn text<'v>(rule: &'v Value, member: &str) -> &'v str {
    rule.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// The faults of the bundle, with the name of the member for the path in the file.
fn of_import(error: ImportError) -> AdminError {
    let ImportError::Faults(faults) = error else { return error.into() };
    let named = |fault: BundleFault| {
        let path = fault.path.strip_prefix("regras[0].").unwrap_or(&fault.path);
        let path = if path.starts_with("exemplos") { QUESTION } else { path };
        InputFault { codigo: Some(fault.codigo.as_str().to_owned()), ..input_fault(path, fault.detail) }
    };
    refused(faults.into_iter().map(named).collect())
}

fn of_member(fault: &MemberFault) -> InputFault {
    input_fault(&fault.member, fault.detail.as_str())
}

fn input_fault(path: &str, detail: impl Into<Sentence>) -> InputFault {
    InputFault { path: path.to_owned(), detail: detail.into(), ..InputFault::default() }
}

fn fault(path: &str, detail: impl Into<String>) -> AdminError {
    refused(vec![input_fault(path, detail.into())])
}

fn refused(faults: Vec<InputFault>) -> AdminError {
    let count = counted(faults.len() as u64, "fault", "faults");
    AdminError::Faults { message: format!("{count} in the rule; nothing was written"), faults }
}
