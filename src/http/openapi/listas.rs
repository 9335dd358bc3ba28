//! The operations of kept lists: their texts and examples.

use serde_json::{Value, json};

use super::operation_text::OperationText;
use super::schema;

/// Two lines: the first follows today, and the second is of its own day.
const EXAMPLE_LINES: &str = r#"{"id": "pneu", "tributo": "icms", "payload": {"uf_origem": "SP", "uf_destino": "SP", "valor_produto": "100.00"}}
{"tributo": "ipi", "ncm": "22030000", "valor_produto": "100.00", "data_operacao": "2026-03-10"}
"#;

/// A list, as it is shown.
pub(super) fn shown() -> Value {
    json!({"nome": "tabela", "linhas": 2, "guardada_em": "2026-11-27T03:00:00.000Z", "mudancas": 0, "ultima_mudanca": null})
}

/// A list that was kept.
pub(super) fn kept() -> Value {
    schema::with(shown(), "calculadas", 2)
}

pub(super) fn removed() -> Value {
    json!({"nome": "tabela", "removida": true})
}

/// The body that keeps a list.
pub(super) fn body() -> Value {
    let lines = json!({"type": "string", "format": "binary", "description": "Linhas JSON em UTF-8, uma por pedido"});
    let example = json!({"linhas": {"value": EXAMPLE_LINES}});
    // Generators of clients know no media type of JSON lines.
    let content = json!({"application/octet-stream": {"schema": lines, "examples": example}});
    json!({"required": true, "content": content})
}

pub(super) const KEEP: OperationText = OperationText {
    id: "keep_list",
    tag: "listas",
    summary: "Guarda uma lista, no lugar da que tem esse nome",
    description: "Uma linha JSON por pedido: um pedido de `POST /v1/calculate`, ou um objeto com `payload`, e ao lado dele `id` e `tributo`. A linha sem data acompanha o dia de hoje e os 60 seguintes; a que tem data é desse dia. Se uma linha tem problema, nada é guardado. Uma conta guarda até 10.000 linhas em até 50 listas. Cada linha nova gasta uma chamada da cota; o recálculo depois de uma publicação não gasta nenhuma.",
};

pub(super) const REMOVE: OperationText = OperationText {
    id: "remove_list",
    tag: "listas",
    summary: "Remove uma lista, com as suas linhas e mudanças",
    description: "As assinaturas não são avisadas do que mudar depois.",
};

pub(super) const NAME_ALL: OperationText = OperationText {
    id: "list_lists",
    tag: "listas",
    summary: "Lista as listas guardadas da conta",
    description: "Na ordem dos nomes, cada uma com quantas mudanças tem.",
};

pub(super) const SHOW: OperationText = OperationText {
    id: "show_list",
    tag: "listas",
    summary: "Mostra as linhas de uma lista",
    description: "Cada linha com o que se responde hoje e, se acompanha o dia, com o que muda nos 60 dias seguintes.",
};

pub(super) const CHANGES: OperationText = OperationText {
    id: "list_changes_of_list",
    tag: "listas",
    summary: "Lista o que mudou nas linhas de uma lista, a mais nova primeiro",
    description: "Cada mudança é registrada uma vez: por uma publicação, ou pelo dia que entra nos 60 seguintes. A lista guarda as últimas 10.000; as mais antigas são removidas.",
};

/// A page of the lines of a list, and of its changes.
pub(super) fn pages() -> (Value, Value) {
    let answer = |valor: &str, rule_id: &str| json!({"valor": valor, "rule_id": rule_id, "citacao_legal": "RICMS/SP, art. 52, I"});
    let (before, after) = (answer("18.00", "icms-sp-geral-v1.0"), answer("19.00", "icms-sp-geral-v1.1"));
    let itens = json!([{"linha": 1, "id": "pneu", "acompanha_hoje": true,
        "payload": {"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "100.00"},
        "respostas": [{"de": "2026-11-27", "resposta": before}, {"de": "2027-01-01", "resposta": after}]}]);
    let lines = schema::with(schema::with(shown(), "itens", itens), "proximo", Value::Null);
    let change = json!({"linha": 1, "id": "pneu", "tributo": "icms", "situacao": "valor_muda", "primeiro_dia": "2027-01-01",
        "antes": before, "depois": after, "publicado_em": "2026-11-27T03:00:00.000Z",
        "registrada_em": "2026-11-27T03:00:01.000Z"});
    (lines, json!({"lista": "tabela", "mudancas": [change], "proximo": null}))
}
