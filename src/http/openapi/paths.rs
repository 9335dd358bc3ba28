//! The operations: the router's own table, with requests and answers.

use serde_json::{Map, Value, json};

use super::operation_text::OperationText;
use super::problems::{headers, responses};
use super::schema::{self, Side};
use super::taxes::{self, Kind};
use super::{link, listas};
use crate::base::document::Object;
use crate::base::problem::{ErrorCode, Problem};
use crate::base::sentence::Reader;
use crate::base::value::{RuleId, Timestamp};
use crate::core::engine::{Engine, Filter};
use crate::features::tratamento;
use crate::http::routes::{ApiOperation, ROUTES, Route};

/// Refusals before routing.
const BEFORE: [ErrorCode; 12] = [
    ErrorCode::PedidoMalformado,
    ErrorCode::HttpsNecessario,
    ErrorCode::ChaveAusente,
    ErrorCode::ChaveInvalida,
    ErrorCode::ContaSuspensa,
    ErrorCode::LimiteExcedido,
    ErrorCode::CotaEsgotada,
    ErrorCode::CabecalhoGrandeDemais,
    ErrorCode::ErroInterno,
    ErrorCode::Encerrando,
    ErrorCode::Sobrecarga,
    ErrorCode::Indisponivel,
];

/// Refusals that belong to no operation, because the address has none.
pub(super) const BESIDE: [(&str, ErrorCode); 2] =
    [("RotaInexistente", ErrorCode::RotaInexistente), ("MetodoNaoPermitido", ErrorCode::MetodoNaoPermitido)];

/// The rule that a page of rules shows as its example.
const EXAMPLE_RULE: &str = "icms-sp-geral-v1.0";

/// The product whose treatment is the example.
const EXAMPLE_PRODUCT: [(&str, &str); 5] =
    [("ncm", "40111000"), ("data", "2026-03-10"), ("cest", "1600100"), ("uf_origem", "MG"), ("uf_destino", "SP")];

/// All of them by address.
pub(super) fn paths(engine: &Engine) -> Result<Map<String, Value>, Box<Problem>> {
    ROUTES.iter().map(|route| Ok((route.path.to_owned(), item(route, engine)?))).collect()
}

fn item(route: &Route, engine: &Engine) -> Result<Value, Box<Problem>> {
    let methods = route.allow.split(", ").filter(|method| *method != "HEAD");
    methods.map(|method| Ok((method.to_lowercase(), one_method(route, method, engine)?))).collect()
}

/// A name in the address.
fn name_of(route: &Route) -> Option<Value> {
    let schema = json!({"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", "example": "tabela"});
    let named =
        json!({"name": "nome", "in": "path", "required": true, "description": "Nome da lista", "schema": schema});
    route.path.contains("{nome}").then_some(named)
}

fn one_method(route: &Route, method: &str, engine: &Engine) -> Result<Value, Box<Problem>> {
    let changes = matches!(method, "PUT" | "DELETE");
    let declared = if changes { &[] } else { (route.parameters)() };
    let mut parameters: Vec<Value> = declared
        .iter()
        .map(|field| {
            let mut schema = schema::property(field, Side::Asked);
            let description = schema.as_object_mut().and_then(|s| s.shift_remove("description"));
            let parameter = json!({"name": field.name, "in": "query", "description": description, "schema": schema});
            if field.required { schema::with(parameter, "required", true) } else { parameter }
        })
        .collect();
    let tagged = matches!(route.operation, ApiOperation::Regras | ApiOperation::Changelog);
    if tagged {
        parameters.push(link("parameters", "If-None-Match"));
    }
    parameters.push(link("parameters", "X-Request-Id"));
    parameters.extend(name_of(route));

    let OperationText { id, tag, summary, description } = match method {
        "PUT" => listas::KEEP,
        "DELETE" => listas::REMOVE,
        _ => operation_text(route.operation),
    };
    let mut item = json!({
        "operationId": id,
        "tags": [tag],
        "summary": summary,
        "description": description,
        "parameters": parameters,
    });
    if route.operation == ApiOperation::Calculate {
        let content = json!({"application/json": {"schema": taxes::any(Kind::Pedido), "examples": taxes::requests()}});
        item = schema::with(item, "requestBody", json!({"required": true, "content": content}));
    }
    if method == "PUT" {
        item = schema::with(item, "requestBody", listas::body());
    }
    let ok = match method {
        "PUT" => answer_of("ListaGuardada", "A lista", &listas::kept()),
        "DELETE" => answer_of("ListaRemovida", "A lista foi removida", &listas::removed()),
        _ => success(route.operation, engine)?,
    };
    let mut answers = Map::from_iter([("200".to_owned(), ok)]);
    if tagged {
        let headers = headers(true, &["ETag"]);
        answers.insert("304".to_owned(), json!({"description": "Nada mudou: use o que já tem", "headers": headers}));
    }
    answers.extend(responses(&refusals(route.operation)));
    Ok(schema::with(item, "responses", answers))
}

/// An answer of success with a schema of the frame and an example.
fn answer_of(schema: &str, description: &str, example: &Value) -> Value {
    let content = json!({"application/json": {"schema": link("schemas", schema), "examples": one(example)}});
    json!({"description": description, "headers": headers(true, &[]), "content": content})
}

fn operation_text(operation: ApiOperation) -> OperationText {
    match operation {
        ApiOperation::Calculate => OperationText {
            id: "calculate",
            tag: "calculo",
            summary: "Calcula um tributo",
            description: "O campo `tributo` diz qual. A data do pedido escolhe a versão da regra. O mesmo pedido tem a mesma resposta enquanto nenhuma regra de que ele depende mudar.",
        },
        ApiOperation::Regras => OperationText {
            id: "list_rules",
            tag: "regras",
            summary: "Lista as versões de regras",
            description: "Na ordem da publicação, com tudo o que cada uma diz. Um filtro ausente aceita tudo.",
        },
        ApiOperation::Changelog => OperationText {
            id: "list_changes",
            tag: "regras",
            summary: "Lista publicações e substituições, a mais nova primeiro",
            description: "Complementa o webhook: perguntar de tempos em tempos, com `desde` na data da última consulta, garante que nenhum evento se perde.",
        },
        ApiOperation::Usage => OperationText {
            id: "show_usage",
            tag: "conta",
            summary: "Mostra o consumo da própria conta",
            description: "Só as chamadas da conta da chave. Esta chamada também conta, a partir da próxima.",
        },
        ApiOperation::Correcoes => OperationText {
            id: "list_corrections",
            tag: "conta",
            summary: "Lista o que publicações corrigiram nas respostas dadas à própria conta",
            description: "Depois de cada publicação, o serviço compara as chamadas do registro com as regras que ela deixou: o que foi respondido, o que é certo e a diferença, por mês da operação. Com `publicacao`, as chamadas vêm uma a uma, com as duas respostas e as provas delas (`taxd verify` lê `request`, como `payload`, `resposta` e `conhecido_em`). As chamadas de chaves `svc_test_` são só contadas.",
        },
        ApiOperation::Tratamento => OperationText {
            id: "show_treatment",
            tag: "regras",
            summary: "Mostra o que as regras dizem de um produto, para qualquer vendedor",
            description: "Sem regime do vendedor e sem valores: o tratamento em cada tributo, a regra que o diz e a vigência dela. O tributo que não responde traz a recusa que daria em `POST /v1/calculate`. O NCM que a TIPI do dia não tem é avisado nas partes.",
        },
        ApiOperation::Listas => listas::NAME_ALL,
        ApiOperation::Lista => listas::SHOW,
        ApiOperation::MudancasDeLista => listas::CHANGES,
    }
}

/// The answer of success, with an example.
fn success(operation: ApiOperation, engine: &Engine) -> Result<Value, Box<Problem>> {
    let (description, more, schema, examples): (&str, &[&str], Value, Value) = match operation {
        ApiOperation::Calculate => ("O resultado", &[], taxes::any(Kind::RuleResult), taxes::answers(engine)?),
        ApiOperation::Regras => {
            ("Uma página de regras", &["ETag"], link("schemas", "PaginaDeRegras"), one(&rules(engine)?))
        }
        ApiOperation::Changelog => {
            let schema = json!({"type": "array", "items": link("schemas", "EventoDeRegra")});
            ("Uma página de eventos", &["ETag", "Link"], schema, one(&changes(engine)?))
        }
        ApiOperation::Usage => {
            let examples = json!({"consumo": link("examples", "consumo")});
            ("O consumo", &[], link("schemas", "Consumo"), examples)
        }
        ApiOperation::Correcoes => {
            let examples = json!({"correcoes": link("examples", "correcoes")});
            ("As correções, a última primeiro", &[], link("schemas", "Correcoes"), examples)
        }
        ApiOperation::Tratamento => {
            let examples = json!({"tratamento": {"value": treatment(engine)?}});
            ("O tratamento", &[], link("schemas", "Tratamento"), examples)
        }
        ApiOperation::Listas => {
            ("As listas", &[], link("schemas", "Listas"), one(&json!({"listas": [listas::shown()]})))
        }
        ApiOperation::Lista => ("Uma página de linhas", &[], link("schemas", "PaginaDeLista"), one(&listas::pages().0)),
        ApiOperation::MudancasDeLista => {
            ("Uma página de mudanças", &[], link("schemas", "PaginaDeMudancas"), one(&listas::pages().1))
        }
    };
    let answer = json!({
        "description": description,
        "headers": headers(true, more),
        "content": {"application/json": {"schema": schema, "examples": examples}},
    });
    Ok(match next(operation) {
        Some((name, parameter, from, description)) => {
            let parameters = json!({(parameter): format!("$response.body#/{from}")});
            let link = json!({"operationId": "list_rules", "parameters": parameters, "description": description});
            schema::with(answer, "links", json!({(name): link}))
        }
        None => answer,
    })
}

/// What an answer leads to, always a listing of rules: the link's name, the parameter, where in the
/// answer its value is, and what is found there.
fn next(operation: ApiOperation) -> Option<(&'static str, &'static str, &'static str, &'static str)> {
    match operation {
        ApiOperation::Calculate => Some(("regra", "rule_id", "regra/rule_id", "Tudo o que a regra que respondeu diz")),
        ApiOperation::Regras => Some(("proxima", "cursor", "proximo", "A página seguinte, se há uma")),
        _ => None,
    }
}

fn one(value: &Value) -> Value {
    json!({"pagina": {"value": value}})
}

/// A page with one rule, as of the day of its publication.
fn rules(engine: &Engine) -> Result<Value, Box<Problem>> {
    let filter = Filter { rule_id: RuleId::parse(EXAMPLE_RULE), ..Filter::default() };
    let today = engine.now().day();
    let page = engine.regras(&filter, today, 0, 1).map_err(|e| crate::http::respond::store_failed(&e))?;
    Ok(json!({"regras": parsed(&page.items)?, "proximo": null}))
}

/// A page with the last event.
fn changes(engine: &Engine) -> Result<Value, Box<Problem>> {
    let page = engine.changelog(None::<Timestamp>, None, 1).map_err(|e| crate::http::respond::store_failed(&e))?;
    parsed(&page.items)
}

/// The treatment of a tyre sold from Minas Gerais to São Paulo.
fn treatment(engine: &Engine) -> Result<Value, Box<Problem>> {
    let mut given = Object::default();
    for (name, value) in EXAMPLE_PRODUCT {
        given.set(name, value);
    }
    let shown = tratamento::treat(engine, &given, Reader::Program)?;
    serde_json::to_value(&shown).map_err(|e| Box::new(Problem::new(ErrorCode::ErroInterno, e.to_string())))
}

fn parsed(items: &[String]) -> Result<Value, Box<Problem>> {
    serde_json::from_str(&format!("[{}]", items.join(",")))
        .map_err(|e| Box::new(Problem::new(ErrorCode::ErroInterno, e.to_string())))
}

/// Every code that an operation may refuse with.
fn refusals(operation: ApiOperation) -> Vec<ErrorCode> {
    let of_list = matches!(operation, ApiOperation::Lista | ApiOperation::MudancasDeLista);
    if operation != ApiOperation::Calculate {
        let unknown = of_list.then_some(ErrorCode::RotaInexistente);
        return BEFORE.into_iter().chain([ErrorCode::ParametroInvalido]).chain(unknown).collect();
    }
    let beside = |codigo: &ErrorCode| BESIDE.iter().any(|(_, refused)| refused == codigo);
    ErrorCode::ALL.iter().copied().filter(|codigo| !beside(codigo)).collect()
}
