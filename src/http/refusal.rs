//! The refusals of the HTTP layer, with the sentence that the caller reads. Those of the engine are made there.

use std::time::Duration;

use super::limits::{MAX_BODY_BYTES, MAX_HEAD_BYTES};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{KeyKind, counted, shorten};
use crate::core::calls::{Allowance, Refusal};

pub(super) fn key_missing() -> Problem {
    Problem::new(ErrorCode::ChaveAusente, "Envie a chave da sua conta no cabeçalho X-API-Key.")
}

/// The same for a key that is unknown, revoked or expired.
pub(super) fn key_not_accepted() -> Problem {
    let detail = "A chave enviada não é aceita; confira-a ou peça outra ao operador.";
    Problem::new(ErrorCode::ChaveInvalida, detail)
}

/// The call is over a limit of the account.
pub(crate) fn not_admitted(refusal: Refusal, allowance: Allowance) -> Problem {
    let seconds = counted(allowance.reset_s, "segundo", "segundos");
    match refusal {
        Refusal::Suspended => {
            Problem::new(ErrorCode::ContaSuspensa, "A conta desta chave está suspensa; fale com o operador do serviço.")
        }
        Refusal::RateLimit => Problem::new(
            ErrorCode::LimiteExcedido,
            format!(
                "A conta passou de {} em 60 segundos; repita o pedido em {seconds}.",
                counted(allowance.limit, "chamada", "chamadas")
            ),
        ),
        Refusal::Quota { calls, kind, renews_on } => {
            let what = match kind {
                KeyKind::Live => "A conta",
                KeyKind::Test => "A chave de sandbox",
            };
            let used =
                if calls == 1 { "usou a única chamada".to_owned() } else { format!("usou as {calls} chamadas") };
            Problem::new(
                ErrorCode::CotaEsgotada,
                format!("{what} {used} do mês; a cota recomeça em {} (UTC), ou fale com o operador.", renews_on.dmy()),
            )
        }
    }
}

pub(super) fn no_such_route(path: &str) -> Problem {
    let shown = shorten(path);
    let detail = format!("Não há nada em {shown}; o cálculo é POST /v1/calculate e a página de teste, /sandbox.");
    Problem::new(ErrorCode::RotaInexistente, detail)
}

pub(super) fn method_not_allowed(allow: &str) -> Problem {
    Problem::new(ErrorCode::MetodoNaoPermitido, format!("Este endereço aceita {allow}."))
}

pub(super) fn body_too_slow(limit: Duration) -> Problem {
    Problem::new(ErrorCode::TempoEsgotado, format!("O corpo não chegou inteiro em {} segundos.", limit.as_secs()))
}

pub(super) fn body_too_large() -> Problem {
    let detail =
        format!("O corpo passa de {} KiB; um pedido de cálculo tem poucas centenas de bytes.", MAX_BODY_BYTES / 1024);
    Problem::new(ErrorCode::CorpoGrandeDemais, detail)
}

/// A file of the page, which its tools on the command line take without a limit.
pub(super) fn file_too_large(most: usize) -> Problem {
    let detail = format!(
        "O arquivo passa de {} MiB, o máximo desta página; divida-o, ou use `taxd calc` e `taxd audit` no servidor.",
        most / (1024 * 1024)
    );
    Problem::new(ErrorCode::CorpoGrandeDemais, detail)
}

/// All places for files are taken.
pub(super) fn too_many_files() -> Problem {
    let detail = "O servidor já lê o máximo de arquivos de uma vez; repita o pedido em instantes.";
    Problem::new(ErrorCode::Sobrecarga, detail)
}

pub(super) fn head_too_large() -> Problem {
    let detail = format!("O endereço e os cabeçalhos passam de {} KiB.", MAX_HEAD_BYTES / 1024);
    Problem::new(ErrorCode::CabecalhoGrandeDemais, detail)
}

pub(super) fn not_json_by_type() -> Problem {
    Problem::new(ErrorCode::TipoDeConteudo, "Envie o corpo com o cabeçalho `Content-Type: application/json`.")
}

/// The store failed; the log has the reason.
pub(super) fn store_failed() -> Problem {
    let detail = "O serviço não conseguiu ler os seus dados; repita o pedido e, se persistir, avise o operador.";
    Problem::new(ErrorCode::ErroInterno, detail)
}

pub(crate) fn stopping() -> Problem {
    Problem::new(ErrorCode::Encerrando, "O serviço está encerrando; repita o pedido em instantes.")
}

pub(super) fn too_many_connections() -> Problem {
    Problem::new(ErrorCode::Sobrecarga, "O serviço atende o máximo de conexões; repita o pedido em instantes.")
}

/// The account already waits for the most long answers that it may.
pub(super) fn too_many_waiting(most: usize) -> Problem {
    let detail = format!("A conta já espera por {most} consultas; repita o pedido quando elas tiverem respondido.");
    Problem::new(ErrorCode::Sobrecarga, detail)
}

pub(super) fn too_much_in_flight() -> Problem {
    let detail =
        "Há respostas demais desta conta, ou de todas, à espera de leitura; leia-as e repita o pedido em instantes.";
    Problem::new(ErrorCode::Sobrecarga, detail)
}

/// The request breaks RFC 9112.
pub(super) fn malformed(detail: &str) -> Problem {
    Problem::new(ErrorCode::PedidoMalformado, detail)
}

pub(super) fn https_needed() -> Problem {
    let detail = "Este endereço atende por HTTPS; escreva https:// no começo da URL.";
    Problem::new(ErrorCode::HttpsNecessario, detail)
}
