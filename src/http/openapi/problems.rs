//! Every refusal by its code, with an example that the service itself produces.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{link, schema};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{KeyKind, Month, Overflow};
use crate::core::calls::{Allowance, Refusal};
use crate::core::engine::Engine;
use crate::http::query::{self, Query};
use crate::http::{framing, refusal};
use crate::law::tax;

/// The id of the requests of the examples.
const REQUEST_ID: &str = "5f0c1d2e-1";

/// Payloads that are refused with the built-in rules: the example of a tax with these members changed. A test sends
/// them to a server.
const REFUSED: &[(ErrorCode, &str, &str)] = &[
    (ErrorCode::RegraInexistente, "cbs", r#"{"data_operacao": "2025-12-31"}"#),
    (ErrorCode::PayloadInvalido, "icms", r#"{"uf_origem": null, "valor_produto": "1.000,00"}"#),
    (ErrorCode::CampoObrigatorio, "icms", r#"{"data_operacao": null}"#),
    (ErrorCode::CampoDesconhecido, "cbs", r#"{"valor_frete": "10.00"}"#),
    (ErrorCode::TipoInvalido, "icms", r#"{"valor_produto": 1000}"#),
    (ErrorCode::DecimalInvalido, "icms", r#"{"valor_produto": "1.000,00"}"#),
    (ErrorCode::ValorNegativo, "icms", r#"{"frete": "-50.00"}"#),
    (ErrorCode::ValorZero, "icms_st", r#"{"valor_produto": "0.00"}"#),
    (ErrorCode::DataInvalida, "icms", r#"{"data_operacao": "2026-02-30"}"#),
    (ErrorCode::ValorInvalido, "ipva", r#"{"categoria_veiculo": "carro"}"#),
    (ErrorCode::ForaDoIntervalo, "iptu", r#"{"exercicio": 20260}"#),
    (ErrorCode::UfInvalida, "icms", r#"{"uf_destino": "sp"}"#),
    (ErrorCode::NcmInvalido, "ipi", r#"{"ncm": "2203.00.00"}"#),
    (ErrorCode::CestInvalido, "icms_st", r#"{"cest": "17.053.00"}"#),
    (ErrorCode::ExInvalido, "ipi", r#"{"ex": "Ex 01"}"#),
    (ErrorCode::ItemServicoInvalido, "iss", r#"{"item_lista_servico": "101"}"#),
    (ErrorCode::ClassificacaoInvalida, "cbs", r#"{"classificacao_tributaria": "200.003"}"#),
    (ErrorCode::MunicipioDesconhecido, "iss", r#"{"municipio": "São Palo"}"#),
    (ErrorCode::BaseNegativa, "pis", r#"{"valor_icms_destacado": "1000.01"}"#),
    (ErrorCode::RegraSemConteudo, "icms", r#"{"ncm": "22090000"}"#),
    (ErrorCode::TributoExtinto, "pis", r#"{"data_operacao": "2027-01-01"}"#),
    (ErrorCode::DestinatarioNaoContribuinte, "icms", r#"{"destinatario_contribuinte": false}"#),
    (ErrorCode::DestinatarioConsumidorFinal, "icms", r#"{"destinatario_consumidor_final": true}"#),
    (ErrorCode::RegimeSimplesNacional, "icms", r#"{"regime_simples_nacional": true}"#),
    (ErrorCode::RegimeSimples, "pis", r#"{"regime_apuracao": "simples"}"#),
    (ErrorCode::DestinacaoAutopropulsado, "pis", r#"{"ncm": "84811000"}"#),
    (ErrorCode::OptanteSimples, "cbs", r#"{"optante_simples": true}"#),
    (ErrorCode::SimplesForaDoEscopo, "simples_nacional", r#"{"anexo": null, "atividade": "mei"}"#),
    (ErrorCode::RegimeDiferenciado, "cbs", r#"{"item_lista_servico": "8.01"}"#),
    (ErrorCode::ClassificacaoDesconhecida, "cbs", r#"{"classificacao_tributaria": "999999"}"#),
    (ErrorCode::ClassificacaoIncompativel, "cbs", r#"{"ncm": "22030000", "classificacao_tributaria": "200003"}"#),
    (
        ErrorCode::QuantidadeAusente,
        "icms_st",
        r#"{"ncm": "22071090", "cest": "0600101", "uf_origem": "SP", "data_operacao": "2026-01-10"}"#,
    ),
    (ErrorCode::IcmsDestacadoAusente, "cofins", r#"{"valor_icms_destacado": null}"#),
    (ErrorCode::ValorMaterialAusente, "ibs", r#"{"valor_iss": null}"#),
    (ErrorCode::CombustivelAusente, "ipva", r#"{"uf": "AL", "combustivel": null}"#),
    (ErrorCode::UnidadeFiscalAusente, "itcmd", r#"{"valor_unidade_fiscal": null, "data_fato_gerador": "2020-05-20"}"#),
    (ErrorCode::NumeroProfissionaisAusente, "iss", r#"{"regime": "sociedade_uniprofissional"}"#),
    (ErrorCode::PapelNaCadeiaAusente, "pis", r#"{"ncm": "22030000"}"#),
    (
        ErrorCode::RegimeEspecialAusente,
        "pis",
        r#"{"ncm": "27101259", "papel_na_cadeia": "fabricante_importador", "data_operacao": "2026-03-10"}"#,
    ),
    (ErrorCode::VendaAAusente, "pis", r#"{"ncm": "22030000", "papel_na_cadeia": "fabricante_importador"}"#),
    (ErrorCode::ValorFinanciadoInvalido, "itbi", r#"{"valor_financiado": "600000.01"}"#),
    (ErrorCode::CestNecessario, "icms_st", r#"{"cest": null}"#),
];

/// The payload that leads to the refusal, if one does.
fn payload(codigo: ErrorCode) -> Option<String> {
    match codigo {
        ErrorCode::JsonInvalido => Some("{\"tributo\": \"icms\",}".to_owned()),
        ErrorCode::ChaveDuplicada => {
            let example = tax::find("icms")?.exemplo;
            Some(example.replacen('{', "{\n  \"frete\": \"10.00\",", 1))
        }
        _ => {
            let (_, tributo, changes) = REFUSED.iter().find(|(refused, ..)| *refused == codigo)?;
            let mut payload: Map<String, Value> = serde_json::from_str(tax::find(tributo)?.exemplo).ok()?;
            for (name, value) in serde_json::from_str::<Map<String, Value>>(changes).ok()? {
                if value.is_null() {
                    payload.shift_remove(&name);
                } else {
                    payload.insert(name, value);
                }
            }
            Some(Value::Object(payload).to_string())
        }
    }
}

/// The refusals that no payload leads to.
fn by_http(codigo: ErrorCode) -> Problem {
    let allowance = Allowance { limit: 6_000, remaining: 0, reset_s: 12 };
    let quota =
        Refusal::Quota { calls: 1_000, kind: KeyKind::Test, renews_on: Month::from_ordinal(202_604).start().day() };
    match codigo {
        ErrorCode::PedidoMalformado => refusal::malformed(framing::NO_HOST),
        ErrorCode::HttpsNecessario => refusal::https_needed(),
        ErrorCode::ChaveAusente => refusal::key_missing(),
        ErrorCode::ChaveInvalida => refusal::key_not_accepted(),
        ErrorCode::ContaSuspensa => refusal::not_admitted(Refusal::Suspended, allowance),
        ErrorCode::RotaInexistente => refusal::no_such_route("/v1/calcular"),
        ErrorCode::MetodoNaoPermitido => refusal::method_not_allowed("POST"),
        ErrorCode::TempoEsgotado => refusal::body_too_slow(Duration::from_secs(15)),
        ErrorCode::CorpoGrandeDemais => refusal::body_too_large(),
        ErrorCode::TipoDeConteudo => refusal::not_json_by_type(),
        ErrorCode::ParametroInvalido => {
            let mut query = Query::parse("limit=501");
            query.take_whole(&query::LIMIT);
            query.finish().map_or_else(|problem| *problem, |()| refusal::store_failed())
        }
        ErrorCode::ResultadoForaDoAlcance => *Box::<Problem>::from(Overflow),
        ErrorCode::LimiteExcedido => refusal::not_admitted(Refusal::RateLimit, allowance),
        ErrorCode::CotaEsgotada => refusal::not_admitted(quota, Allowance { reset_s: 864_000, ..allowance }),
        ErrorCode::CabecalhoGrandeDemais => refusal::head_too_large(),
        ErrorCode::Encerrando => refusal::stopping(),
        ErrorCode::Sobrecarga => refusal::too_many_connections(),
        ErrorCode::Indisponivel => Problem::unavailable(),
        _ => refusal::store_failed(),
    }
}

/// An example of every code, by its name.
pub(super) fn examples(engine: &Engine) -> Map<String, Value> {
    ErrorCode::ALL.iter().map(|codigo| (codigo.as_str().to_owned(), example(engine, *codigo))).collect()
}

fn example(engine: &Engine, codigo: ErrorCode) -> Value {
    let payload = payload(codigo);
    let answered = payload.as_ref().map(|payload| engine.calculate(payload.as_bytes(), false));
    let problem = match answered {
        Some(Err(problem)) => *problem,
        Some(Ok(_)) | None => by_http(codigo),
    };
    let example = json!({"summary": codigo.title(), "value": problem.document(Some(REQUEST_ID))});
    match payload {
        Some(payload) => {
            let request = format!("O pedido: `{}`", payload.replace("\n ", ""));
            schema::with(example, "description", request)
        }
        None => example,
    }
}

/// The answers of an operation that may refuse with these codes, by status.
pub(super) fn responses(codigos: &[ErrorCode]) -> Map<String, Value> {
    let mut statuses: Vec<u16> = codigos.iter().map(|codigo| codigo.status()).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let of_status = |status: u16| codigos.iter().copied().filter(move |codigo| codigo.status() == status);
    statuses.into_iter().map(|status| (status.to_string(), response(&of_status(status).collect::<Vec<_>>()))).collect()
}

/// The answer of refusals with one status.
pub(super) fn response(codigos: &[ErrorCode]) -> Value {
    let tipo = |c: &ErrorCode| c.tipo_recusa().map_or_else(String::new, |tipo| format!(" (`{tipo}`)"));
    let titles: Vec<String> = codigos.iter().map(|c| format!("- `{}`{}: {}", c.as_str(), tipo(c), c.title())).collect();
    let examples: Map<String, Value> =
        codigos.iter().map(|c| (c.as_str().to_owned(), link("examples", c.as_str()))).collect();
    let status = codigos.first().map_or(0, |codigo| codigo.status());
    let more: &[&str] = match status {
        401 => &["WWW-Authenticate"],
        405 => &["Allow"],
        429 | 503 => &["Retry-After"],
        _ => &[],
    };
    // A connection over the limit, or a request refused before its address is read, has not been asked for a key.
    let counted = status != 503 && !codigos.contains(&ErrorCode::HttpsNecessario);
    json!({
        "description": titles.join("\n"),
        "headers": headers(counted, more),
        "content": {"application/problem+json": {"schema": link("schemas", "Problema"), "examples": examples}},
    })
}

/// The headers that an answer has: what every answer has, the limits of a call that was counted, and more.
pub(super) fn headers(counted: bool, more: &[&str]) -> Value {
    let limits = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];
    let names = ["X-Request-Id", "X-Content-Type-Options"].into_iter().chain(limits.into_iter().filter(|_| counted));
    let all: Map<String, Value> =
        names.chain(more.iter().copied()).map(|name| (name.to_owned(), link("headers", name))).collect();
    all.into()
}
