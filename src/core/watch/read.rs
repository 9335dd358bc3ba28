//! Reads the lines of a list that an account sends. Bounded in bytes, lines and depth; every line is checked before any
//! is calculated.

use crate::base::document::{Node, Object, has_too_many_values, parse_payload};
use crate::base::problem::{ErrorCode, FieldError, Problem};
use crate::base::value::shorten;
use crate::engine::OpenQuestion;
use crate::law::rule::RuleResult;

use super::MAX_LINES;

/// Longest line, in bytes. The contract's payloads have a few hundred.
const MAX_LINE_BYTES: usize = 4 * 1024;
/// Longest name of a list, and longest id of a line, in characters.
const MAX_NAME_CHARS: usize = 64;
/// Most faulty lines that a refusal names.
const MAX_FAULTS: usize = 20;

/// A line that was read.
pub struct NewLine {
    /// Its number in what was sent, from 1.
    pub number: usize,
    pub id: Option<String>,
    pub question: OpenQuestion,
    /// The payload as it is kept.
    pub payload: String,
}

/// Fails if a list may not have that name: it is a part of an address.
pub fn check_name(nome: &str) -> Result<(), Box<Problem>> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let fits = (1..=MAX_NAME_CHARS).contains(&nome.len()) && nome.starts_with(|c: char| c.is_ascii_alphanumeric());
    if fits && nome.chars().all(allowed) {
        return Ok(());
    }
    let detail = format!(
        "O nome de uma lista tem de 1 a {MAX_NAME_CHARS} letras sem acento, algarismos, `-`, `_` e `.`, e começa por letra ou algarismo."
    );
    Err(Box::new(Problem::of_field(ErrorCode::ParametroInvalido, "nome", detail)))
}

/// The refusal of a list because of its lines: the first faults, each with the number of its line.
pub(super) fn refused(faults: &[(usize, Box<Problem>)]) -> Box<Problem> {
    let count = faults.len();
    let Some((first, problem)) = faults.first() else {
        return Box::new(Problem::new(ErrorCode::PayloadInvalido, "A lista não tem linhas."));
    };
    let more = if count > 1 { format!(" E há mais {} linhas com problema.", count - 1) } else { String::new() };
    let detail = format!("Nada foi guardado. Linha {first}: {}{more}", problem.detail);
    let erros = faults.iter().take(MAX_FAULTS).map(|(line, problem)| {
        let campo = problem.campo.as_deref().map(|campo| format!(".{campo}")).unwrap_or_default();
        let campo = format!("linhas[{line}]{}", shorten(&campo));
        FieldError { campo, codigo: problem.codigo, detail: problem.detail.clone() }
    });
    let (codigo, tipo) = match problem.codigo.status() {
        422 => (problem.codigo, problem.tipo_recusa),
        400 => (problem.codigo, None),
        _ => (ErrorCode::PayloadInvalido, ErrorCode::PayloadInvalido.tipo_recusa()),
    };
    let mut refusal = Problem::new(codigo, detail);
    refusal.tipo_recusa = tipo.or(refusal.tipo_recusa);
    refusal.erros = erros.collect();
    refusal.campo = refusal.erros.first().filter(|_| count == 1).map(|erro| erro.campo.clone());
    Box::new(refusal)
}

/// Reads every line. Empty ones are left out, and counted. Fails with the faults of all lines.
pub fn read_lines(bytes: &[u8]) -> RuleResult<Vec<NewLine>> {
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    let numbered = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).zip(1..);
    for (line, number) in numbered.filter(|(line, _)| !line.is_empty()) {
        if lines.len() + faults.len() == MAX_LINES {
            let detail =
                format!("Uma conta guarda até {MAX_LINES} linhas, em todas as suas listas; nada foi guardado.");
            return Err(Box::new(Problem::new(ErrorCode::PayloadInvalido, detail)));
        }
        match read_line(line) {
            Ok((id, question)) => {
                let payload = serde_json::to_string(question.payload()).map_err(Problem::unwritten)?;
                lines.push(NewLine { number, id, question, payload });
            }
            Err(problem) => faults.push((number, problem)),
        }
    }
    if lines.is_empty() || !faults.is_empty() { Err(refused(&faults)) } else { Ok(lines) }
}

/// A payload, or an object with the payload in `payload`, and an `id` and the tax beside it.
fn read_line(line: &[u8]) -> RuleResult<(Option<String>, OpenQuestion)> {
    if line.len() > MAX_LINE_BYTES || has_too_many_values(line) {
        let detail = format!("A linha passa de {MAX_LINE_BYTES} bytes; um pedido de cálculo tem algumas centenas.");
        return Err(Box::new(Problem::new(ErrorCode::PayloadInvalido, detail)));
    }
    let fault = |fault: crate::base::document::JsonFault| {
        Box::new(Problem::new(ErrorCode::JsonInvalido, format!("coluna {}: {}.", fault.column, fault.reason)))
    };
    let Node::Object(mut object) = parse_payload(line).map_err(fault)? else {
        return Err(Box::new(Problem::new(ErrorCode::TipoInvalido, "Informe um objeto JSON em cada linha.")));
    };
    if !matches!(object.get("payload"), Some(Node::Object(_))) {
        return Ok((None, OpenQuestion::of(object.into_owned())?));
    }
    let (Some(Node::Object(mut payload)), id, tributo) =
        (object.take("payload"), object.take("id"), object.take("tributo"))
    else {
        return Err(Box::new(Problem::new(ErrorCode::TipoInvalido, "Informe um objeto em `payload`.")));
    };
    if let Some((name, _)) = object.0.first() {
        let detail = format!("Ao lado de `payload` vão só `id` e `tributo`; veio `{}`.", shorten(name));
        return Err(Box::new(Problem::of_field(ErrorCode::CampoDesconhecido, &shorten(name), detail)));
    }
    add_tributo(&mut payload, tributo)?;
    Ok((read_id(id)?, OpenQuestion::of(payload.into_owned())?))
}

/// Puts the tax beside the payload into it, in the first place, as the log of calls has it.
fn add_tributo<'a>(payload: &mut Object<'a>, tributo: Option<Node<'a>>) -> RuleResult<()> {
    match (payload.get("tributo"), tributo) {
        (_, None) => Ok(()),
        (None, Some(tributo)) => {
            payload.0.insert(0, ("tributo".into(), tributo));
            Ok(())
        }
        (Some(own), Some(other)) if *own == other => Ok(()),
        _ => {
            let detail = "O `tributo` da linha e o do `payload` são diferentes; deixe um só.";
            Err(Box::new(Problem::of_field(ErrorCode::ValorInvalido, "tributo", detail)))
        }
    }
}

fn read_id(id: Option<Node<'_>>) -> RuleResult<Option<String>> {
    let text = match id {
        None | Some(Node::Null) => return Ok(None),
        Some(Node::Text(text)) => text.into_owned(),
        Some(Node::Int(number)) => number.to_string(),
        Some(_) => String::new(),
    };
    if !text.is_empty() && text.chars().count() <= MAX_NAME_CHARS && !text.chars().any(char::is_control) {
        return Ok(Some(text));
    }
    let detail = format!("O `id` de uma linha é um texto de 1 a {MAX_NAME_CHARS} caracteres.");
    Err(Box::new(Problem::of_field(ErrorCode::ValorInvalido, "id", detail)))
}
