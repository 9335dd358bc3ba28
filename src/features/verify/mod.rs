//! Verification: whether these rules give a stored answer again, now and as they were known then.

pub mod command;
mod compare;
mod verdict;

use serde::Serialize;

pub use compare::AnswerDifference;
pub use verdict::verify;

taxd_base::vocabulary! {
    /// What verification says of a stored answer.
    pub enum VerifyVerdict {
        Confere = "confere",
        Conferia = "conferia",
        OutroMotor = "outro_motor",
        Diverge = "diverge",
        Adulterada = "adulterada",
        Ilegivel = "ilegivel",
        SemCalculo = "sem_calculo",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyCommand {
    /// For each answer, a JSON object with `payload`, `resposta` and, if the instant of the answer is known,
    /// `calculado_em` or `conhecido_em`; or a line of an audit, which has them if the rules were asked.
    pub lines: Vec<String>,
    /// The instant of answers that do not have one.
    pub conhecido_em: Option<String>,
}

/// What was found of a stored answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerifiedAnswer {
    pub veredito: VerifyVerdict,
    pub rule_id: Option<String>,
    /// Parts of the proof that its own payload and answer do not give: `pedido`, `resultado`, `resumo`, `algoritmo`,
    /// `motor`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub adulterado: Vec<String>,
    /// The engine that its proof names, if it is not this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motor: Option<String>,
    /// How it differs from what these rules give now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agora: Vec<AnswerDifference>,
    /// How it differs from what was known at its instant; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entao: Option<Vec<AnswerDifference>>,
    /// Why it cannot be verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erro: Option<String>,
}
