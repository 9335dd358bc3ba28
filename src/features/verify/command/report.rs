//! The report of a verification. Its words are Portuguese.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::Value;

use crate::cli::{CommandResult, Context};
use crate::features::AdminError;
use crate::features::verify::{AnswerDifference, VerifiedAnswer, VerifyVerdict};

/// Answers that the report lists; it counts the others.
const MAX_LISTED: usize = 1_000;

/// An answer that is not as it was, with its line.
#[derive(Debug, Serialize)]
struct NumberedAnswer {
    linha: u64,
    #[serde(flatten)]
    found: VerifiedAnswer,
}

#[derive(Debug, Serialize)]
pub(super) struct VerifyReport {
    /// How many answers have each verdict.
    resumo: BTreeMap<VerifyVerdict, u64>,
    /// Those that are not `confere`, up to [`MAX_LISTED`].
    respostas: Vec<NumberedAnswer>,
    /// Those beyond, which are counted only.
    nao_listadas: u64,
    #[serde(skip)]
    differs: bool,
}

impl Default for VerifyReport {
    fn default() -> VerifyReport {
        let verdicts = VerifyVerdict::WORDS.iter().filter_map(|word| VerifyVerdict::from_word(word));
        let resumo = verdicts.map(|veredito| (veredito, 0)).collect();
        VerifyReport { resumo, respostas: Vec::new(), nao_listadas: 0, differs: false }
    }
}

impl VerifyReport {
    /// Prints it. The exit status is 0 if every answer is as it was. Fails if there is none.
    pub(super) fn print(&self, context: &Context, none: &str) -> CommandResult {
        if self.resumo.values().all(|answers| *answers == 0) {
            return Err(AdminError::new(none));
        }
        context.print(self, || self.text())?;
        Ok(if self.differs { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    pub(super) fn add(&mut self, linha: u64, found: VerifiedAnswer) {
        *self.resumo.entry(found.veredito).or_default() += 1;
        let is_as_it_was = matches!(found.veredito, VerifyVerdict::Confere | VerifyVerdict::SemCalculo);
        self.differs |= !is_as_it_was;
        if is_as_it_was {
            return;
        }
        if self.respostas.len() < MAX_LISTED {
            self.respostas.push(NumberedAnswer { linha, found });
        } else {
            self.nao_listadas += 1;
        }
    }

    pub(super) fn text(&self) -> String {
        let mut lines: Vec<String> = self.respostas.iter().flat_map(NumberedAnswer::lines).collect();
        if self.nao_listadas > 0 {
            lines.push(format!("... e mais {}, que só se contam", self.nao_listadas));
        }
        let verified = self.resumo.iter().filter(|(veredito, _)| **veredito != VerifyVerdict::SemCalculo);
        let verified = verified.map(|(veredito, answers)| format!("{veredito}: {answers}"));
        lines.push(verified.collect::<Vec<_>>().join("; "));
        let not_asked = self.resumo.get(&VerifyVerdict::SemCalculo).filter(|lines| **lines > 0);
        lines.extend(not_asked.map(|count| format!("sem cálculo, por não perguntarem a nenhuma regra: {count}")));
        lines.join("\n")
    }
}

impl NumberedAnswer {
    fn lines(&self) -> Vec<String> {
        let NumberedAnswer { linha, found } = self;
        let rule = found.rule_id.as_ref().map(|rule| format!(" ({rule})")).unwrap_or_default();
        let mut lines = vec![format!("linha {linha}: {}{rule}", found.veredito)];
        lines.extend(found.erro.iter().map(|why| format!("  {why}")));
        lines.extend(found.motor.iter().map(|motor| format!("  a prova é de {motor}")));
        if !found.adulterado.is_empty() {
            lines.push(format!("  a prova da resposta não cobre: {}", found.adulterado.join(", ")));
        }
        lines.extend(found.agora.iter().map(|difference| format!("  agora: {}", sentence(difference))));
        let then = found.entao.iter().flatten().filter(|difference| !found.agora.contains(difference));
        lines.extend(then.map(|difference| format!("  então: {}", sentence(difference))));
        // The texts come from the file: they move no cursor and begin no line.
        lines.iter().map(|line| line.replace(char::is_control, "\u{fffd}")).collect()
    }
}

fn sentence(difference: &AnswerDifference) -> String {
    let shown = |value: &Value| match value {
        Value::Null => "nada".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let AnswerDifference { campo, na_resposta, calculado } = difference;
    format!("{campo}: na resposta {}, pelas regras {}", shown(na_resposta), shown(calculado))
}
