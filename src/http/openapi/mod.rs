//! The description of the API (`OpenAPI` 3.1), generated from what the service itself uses: the table of routes, the
//! declarations of payloads, parameters and answers, the table of refusals, and the engine, which answers the
//! examples. `frame.json` has the parts that are declared nowhere else.

mod listas;
mod operation_text;
mod paths;
mod problems;
mod schema;
mod taxes;

use serde_json::{Value, json};

use self::schema::Side;
use self::taxes::Kind;
use crate::base::document::Shown as _;
use crate::base::problem::{ErrorCode, Problem, SituacaoSt, TipoRecusa};
use crate::base::value::Conferencia;
use crate::core::engine::{Engine, SituacaoRegra};
use crate::core::webhook;
use crate::law::rule::Condicao;
use crate::law::tratamento::TratamentoProduto;

/// The parts that are declared nowhere else.
const FRAME: &str = include_str!("frame.json");

/// The description of each header that signs a delivery, in the order of the headers.
const SIGNED: [&str; 4] = [
    "HMAC-SHA256 do corpo, em hexadecimal minúsculo, com o segredo da assinatura por chave",
    "Nome da mensagem, o mesmo em toda tentativa (Standard Webhooks)",
    "Segundos desde 1970 (Standard Webhooks)",
    "`v1,` e a assinatura em base64; duas, separadas por espaço, enquanto o segredo é trocado (Standard Webhooks)",
];

/// The description. The engine answers the examples, so it needs the built-in rules.
pub fn document(engine: &Engine) -> Result<Value, Box<Problem>> {
    let mut document: Value =
        serde_json::from_str(FRAME).map_err(|e| Problem::new(ErrorCode::ErroInterno, e.to_string()))?;
    fill(&mut document, "/info", [("version", env!("CARGO_PKG_VERSION").into())]);
    fill(&mut document, "/paths", paths::paths(engine)?);
    for name in ["regraPublicada", "listaAfetada"] {
        fill(&mut document, &format!("/webhooks/{name}/post"), [("parameters", signing_headers())]);
    }
    fill(
        &mut document,
        "/components/schemas",
        [
            ("Codigo", codigos()),
            ("TipoRecusa", tipo_recusa()),
            ("SituacaoSt", situacao_st()),
            ("Conferencia", conferencia()),
            ("Condicao", condicao()),
            ("Tratamento", treatment()),
        ],
    );
    let within = refusal_within(&document);
    fill(&mut document, "/components/schemas", [("Recusa", within)]);
    fill(&mut document, "/components/schemas/PaginaDeRegras/properties/regras", [("items", taxes::any(Kind::Regra))]);
    fill(
        &mut document,
        "/components/schemas/RegraPublicada/properties/situacao",
        [("enum", SituacaoRegra::WORDS.into())],
    );
    fill(&mut document, "/components/schemas", taxes::schemas());
    let responses = paths::BESIDE.map(|(name, codigo)| (name, problems::response(&[codigo])));
    fill(&mut document, "/components/responses", responses);
    fill(&mut document, "/components/examples", problems::examples(engine));
    Ok(document)
}

/// Adds members to the object of the frame at `place`.
fn fill<N: Into<String>>(document: &mut Value, place: &str, members: impl IntoIterator<Item = (N, Value)>) {
    if let Some(object) = document.pointer_mut(place).and_then(Value::as_object_mut) {
        object.extend(members.into_iter().map(|(name, value)| (name.into(), value)));
    }
}

fn signing_headers() -> Value {
    let named = webhook::SIGNING_HEADERS.iter().zip(SIGNED);
    let header = |(name, description): (&&str, &str)| {
        let schema = json!({"type": "string"});
        json!({"name": name, "in": "header", "required": true, "description": description, "schema": schema})
    };
    named.map(header).collect()
}

fn codigos() -> Value {
    let description = "O nome estável de uma recusa; podem surgir novos";
    json!({"type": "string", "description": description, "enum": ErrorCode::ALL})
}

fn tipo_recusa() -> Value {
    let meanings = TipoRecusa::WORDS.iter().filter_map(|word| Some((*word, TipoRecusa::from_word(word)?.meaning())));
    explained("Que tipo de motivo tem a recusa; só o 422 o diz, e podem surgir outros", meanings)
}

fn situacao_st() -> Value {
    let meanings = SituacaoSt::WORDS.iter().filter_map(|word| Some((*word, SituacaoSt::from_word(word)?.meaning())));
    let what = "Numa recusa de `icms_st` por falta de regra, o que se sabe da mercadoria; nada disso diz que não há imposto, e podem surgir outras";
    explained(what, meanings)
}

fn conferencia() -> Value {
    let meanings = Conferencia::WORDS.iter().filter_map(|word| Some((*word, Conferencia::from_word(word)?.meaning())));
    explained("Em que texto os valores da regra foram lidos; ausente se a regra não diz", meanings)
}

/// A refusal within an answer: the problem without the number of a request, which is that of the answer.
fn refusal_within(document: &Value) -> Value {
    let mut schema = document.pointer("/components/schemas/Problema").cloned().unwrap_or_default();
    if let Some(required) = schema.pointer_mut("/required").and_then(Value::as_array_mut) {
        required.retain(|name| name != "request_id");
    }
    if let Some(properties) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        properties.remove("request_id");
    }
    schema::with(schema, "description", "Uma recusa dentro de uma resposta")
}

/// The treatment of a product. A refusal in it is that of the tax.
fn treatment() -> Value {
    let mut schema = schema::of(&TratamentoProduto::SHAPE, Side::Shown);
    let mut open = vec![&mut schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                if let Some(refusal) = members.get_mut("recusa") {
                    *refusal = schema::with(link("schemas", "Recusa"), "description", refusal["description"].take());
                }
                open.extend(members.values_mut());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    schema
}

fn condicao() -> Value {
    let meanings = Condicao::WORDS.iter().filter_map(|word| Some((*word, Condicao::from_word(word)?.meaning())));
    explained("De que um aviso depende; podem surgir outras", meanings)
}

/// The schema of a closed list of words, with the meaning of each.
fn explained(what: &str, meanings: impl Iterator<Item = (&'static str, &'static str)>) -> Value {
    let (words, lines): (Vec<&str>, Vec<String>) =
        meanings.map(|(word, meaning)| (word, format!("- `{word}`: {meaning}"))).unzip();
    schema::with(schema::word(&words), "description", format!("{what}:\n\n{}", lines.join("\n")))
}

/// A reference to a component.
fn link(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}
