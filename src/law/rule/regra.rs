//! A rule version, as a lookup returns it.

use std::any::Any;
use std::fmt::Display;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::aviso::Aviso;
use super::scope::Escopo;
use super::succession::Vigencia;
use crate::base::document::{Shape, Shown, Sometimes, WriteResult};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::sentence::Sentence;
use crate::base::value::{Conferencia, Figura, RegraCitada, RuleId, Text, Tributo};

/// The part of a rule version that never changes after its publication.
#[derive(Debug)]
pub struct VersaoRegra {
    pub rule_id: RuleId,
    pub tributo: Tributo,
    pub escopo: Escopo,
    /// The legal citation that supports it.
    pub citacao_legal: Text,
    /// How well its figures are established, if it says so.
    pub conferencia: Option<Conferencia>,
    /// The parts of its answers that are the same every time.
    pub escrito: Escrito,
    /// Why a figure of it is null.
    pub motivo: Option<Text>,
    /// What the tax computes with, in a type of that tax.
    pub conteudo: Arc<dyn Any + Send + Sync>,
}

impl VersaoRegra {
    pub fn layer(&self) -> RuleLayer {
        RuleLayer::of(self.conferencia)
    }
}

/// Room for most rules as an answer names them.
const USUAL_BYTES: usize = 256;

/// The parts of an answer that are the same for every answer of a version, serialized once. This saves 1 to 10 % of
/// the instructions of a calculation, by the length of the citation and the number of sentences.
#[derive(Debug)]
pub struct Escrito {
    /// Code and version as text, for the envelope and the call log.
    pub rule_id: Arc<str>,
    /// The rule as an answer names it, as JSON: before its days, which a later rule may move, and after them.
    pub citada: [Box<[u8]>; 2],
    /// The sentences.
    pub avisos: Vec<Aviso>,
    /// The same as the items of two lists of JSON: the texts, and what each depends on.
    pub frases: [Box<[u8]>; 2],
}

impl Escrito {
    /// Serializes them.
    pub fn new(regra: &RegraCitada, avisos: Vec<Aviso>) -> serde_json::Result<Escrito> {
        const NAME: &[u8] = b"\"vigente_de\":";
        const DAYS: &[u8] = b"\"2026-01-01\",\"vigente_ate\":null";
        let mut written = Vec::with_capacity(USUAL_BYTES);
        regra.write(&mut written)?;
        // A quote within the citation is escaped, and no text follows the days.
        let begin = written.windows(NAME.len()).rposition(|part| part == NAME).map_or(0, |place| place + NAME.len());
        let parts = [written.get(..begin), written.get(begin + DAYS.len()..)];
        Ok(Escrito {
            rule_id: regra.rule_id.text().into(),
            citada: parts.map(|part| part.unwrap_or_default().into()),
            frases: Escrito::items(avisos.iter())?.map(Into::into),
            avisos,
        })
    }

    /// The sentences as the items of two lists of JSON: the texts, and what each depends on. Without brackets, because an
    /// answer puts them among its own.
    pub fn items<'a>(avisos: impl Iterator<Item = &'a Aviso>) -> serde_json::Result<[Vec<u8>; 2]> {
        let (mut texts, mut conditions) = (Vec::new(), Vec::new());
        for Aviso { texto, condicao } in avisos {
            texto.write(&mut texts)?;
            condicao.write(&mut conditions)?;
            texts.push(b',');
            conditions.push(b',');
        }
        Ok([texts, conditions].map(|mut list| {
            list.pop();
            list
        }))
    }
}

/// A rule version and its current validity.
#[derive(Debug, Clone)]
pub struct Regra {
    pub versao: Arc<VersaoRegra>,
    /// When it answers; a later version may have moved the end.
    pub vigencia: Vigencia,
}

impl Deref for Regra {
    type Target = VersaoRegra;
    fn deref(&self) -> &VersaoRegra {
        &self.versao
    }
}

impl Serialize for Regra {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.citada().serialize(s)
    }
}

/// As an answer names it.
impl Shown for Regra {
    const SHAPE: Shape = RegraCitada::SHAPE;

    fn write(&self, out: &mut Vec<u8>) -> WriteResult {
        let [head, tail] = &self.escrito.citada;
        out.extend_from_slice(head);
        self.vigencia.de.write(out)?;
        out.extend_from_slice(b",\"vigente_ate\":");
        self.vigencia.ate.write(out)?;
        out.extend_from_slice(tail);
        Ok(())
    }
}

impl Regra {
    /// The rule as an answer or a refusal names it.
    pub fn citada(&self) -> RegraCitada {
        RegraCitada {
            rule_id: self.rule_id.clone(),
            citacao_legal: self.citacao_legal.clone(),
            vigente_de: self.vigencia.de,
            vigente_ate: self.vigencia.ate,
            conferencia: Sometimes(self.conferencia),
        }
    }

    /// The content in the type of its tax. Fails for another type, which only a defect can cause.
    pub fn conteudo<T: Any + Send + Sync>(&self) -> Result<&T, Box<Problem>> {
        self.conteudo.downcast_ref().ok_or_else(|| {
            let detail = format!("O conteúdo da regra {} não é do seu tributo.", self.rule_id);
            Box::new(Problem::failure(detail, format_args!("the content of {} is of another tax", self.rule_id)))
        })
    }

    pub fn refusal(&self, codigo: ErrorCode, detail: impl Into<Sentence>) -> Box<Problem> {
        Box::new(Problem::new(codigo, detail).by_rule(self.citada()))
    }

    /// A refusal by this rule because of one field of the payload.
    pub fn refusal_of_field(&self, codigo: ErrorCode, campo: &str, detail: impl Into<Sentence>) -> Box<Problem> {
        Box::new(Problem::of_field(codigo, campo, detail).by_rule(self.citada()))
    }

    /// The figure `nome`; refuses if the rule has none, or does not establish it.
    pub fn figura<T: Copy>(&self, nome: impl Display, figura: impl Into<Option<Figura<T>>>) -> Resultado<T> {
        figura.into().and_then(Figura::established).ok_or_else(|| self.sem_conteudo(nome))
    }

    /// The refusal of a rule whose figure `nome` is not established.
    pub fn sem_conteudo(&self, nome: impl Display) -> Box<Problem> {
        let Some(motivo) = &self.motivo else {
            let detail =
                format!("A regra aplicável não estabelece `{nome}`: apure por outro meio e peça a revisão da regra.");
            return self.refusal(ErrorCode::RegraSemConteudo, detail);
        };
        let mut detail = Sentence::from(format!("A regra aplicável não estabelece `{nome}`."));
        detail.add(format!("Motivo: {}", without_repository(motivo.as_str())));
        self.refusal(ErrorCode::RegraSemConteudo, detail)
    }
}

type Resultado<T> = Result<T, Box<Problem>>;

/// How versions of November 2026 name a list that cites no law. Published versions are never rewritten, so the name of the
/// repository, which is of no use to an accountant, is left out when the text is shown.
const REPOSITORY: &str = "repositório público ";

/// Returns the text with `fonte não oficial` in place of a repository and its name.
fn without_repository(text: &str) -> String {
    let Some((before, after)) = text.split_once(REPOSITORY) else { return text.to_owned() };
    let rest = after.split_once(' ').map_or("", |(_, rest)| rest);
    format!("{before}fonte não oficial {rest}")
}

/// Whether a version belongs to the rules of the office itself. Under one scope key, a rule of the office answers on all
/// its days, and the others on the days that are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleLayer {
    /// Every version without the grade `do_escritorio`, built in or not.
    Common,
    /// Versions of the grade `do_escritorio`.
    Office,
}

impl RuleLayer {
    /// What the code of every rule of the office begins with, so that no later built-in rule has its code.
    pub const OFFICE_CODES: &'static str = "escritorio-";

    /// The layer of a version of that grade.
    pub fn of(conferencia: Option<Conferencia>) -> RuleLayer {
        if conferencia == Some(Conferencia::DoEscritorio) { RuleLayer::Office } else { RuleLayer::Common }
    }
}
