//! The report of a verification. Its words are Portuguese.

use std::process::ExitCode;

use serde::Serialize;
use serde_json::Value;

use crate::admin::{AdminError, AnswerDifference, VerifiedAnswer, VerifyVerdict};
use crate::cli::{CommandResult, Context};

/// Answers that the report lists; it counts the others.
const MAX_LISTED: usize = 1_000;

/// How many answers have each verdict.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    confere: u64,
    conferia: u64,
    outro_motor: u64,
    diverge: u64,
    adulterada: u64,
    ilegivel: u64,
    /// Lines of an audit for which no rule was asked.
    sem_calculo: u64,
}

/// An answer that is not as it was, with its line.
#[derive(Debug, Serialize)]
struct NumberedAnswer {
    linha: u64,
    #[serde(flatten)]
    found: VerifiedAnswer,
}

/// The report.
#[derive(Debug, Default, Serialize)]
pub(super) struct VerifyReport {
    pub(super) resumo: Counts,
    /// Those that are not `confere`, up to [`MAX_LISTED`].
    respostas: Vec<NumberedAnswer>,
    /// Those beyond, which are counted only.
    nao_listadas: u64,
    #[serde(skip)]
    differs: bool,
}

impl VerifyReport {
    /// Prints it. The exit status is 0 if every answer is as it was. Fails if there is none.
    pub(super) fn print(&self, context: &Context, none: &str) -> CommandResult {
        if self.resumo == Counts::default() {
            return Err(AdminError::new(none));
        }
        context.print(self, || self.text())?;
        Ok(if self.differs { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    pub(super) fn add(&mut self, linha: u64, found: VerifiedAnswer) {
        let counts = &mut self.resumo;
        *match found.veredito {
            VerifyVerdict::Confere => &mut counts.confere,
            VerifyVerdict::Conferia => &mut counts.conferia,
            VerifyVerdict::OutroMotor => &mut counts.outro_motor,
            VerifyVerdict::Diverge => &mut counts.diverge,
            VerifyVerdict::Adulterada => &mut counts.adulterada,
            VerifyVerdict::Ilegivel => &mut counts.ilegivel,
            VerifyVerdict::SemCalculo => &mut counts.sem_calculo,
        } += 1;
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
        let Counts { confere, conferia, outro_motor, diverge, adulterada, ilegivel, sem_calculo } = self.resumo;
        let mut lines: Vec<String> = self.respostas.iter().flat_map(NumberedAnswer::lines).collect();
        if self.nao_listadas > 0 {
            lines.push(format!("... e mais {}, que só se contam", self.nao_listadas));
        }
        lines.push(format!(
            "confere: {confere}; conferia: {conferia}; outro_motor: {outro_motor}; diverge: {diverge}; adulterada: {adulterada}; ilegivel: {ilegivel}"
        ));
        if sem_calculo > 0 {
            lines.push(format!("sem cálculo, por não perguntarem a nenhuma regra: {sem_calculo}"));
        }
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
