//! The sentences of answers on optional fields that were not given and could have led to another rule.

use super::calculation::{Calculation, NoteCode};
use crate::base::sentence::Sentence;
use crate::base::value::{Date, Ex, Ncm};
use crate::codes::texto_do_ex;
use crate::rule::{Chave, Condicao, Dimension, Nomeada, OpenDimension, RuleResult};

/// Most values that a sentence lists.
const MAX_LISTED: usize = 5;

/// True if a rule answers on that day under the keys that are like `chave` before `dimension`, and name it.
pub(super) fn is_named(
    calculation: &Calculation<'_>,
    chave: &Chave,
    dimension: Dimension,
    data: Date,
) -> RuleResult<bool> {
    is_named_by(calculation, [chave.clone()], &OpenDimension { dimension, begins: b"", data }, &|_| Ok(true))
}

/// True if a rule answers so under one of the keys, which follow from the first of them, and passes `wanted`.
pub(super) fn is_named_by(
    calculation: &Calculation<'_>,
    chaves: impl IntoIterator<Item = Chave>,
    open: &OpenDimension<'_>,
    wanted: &dyn Fn(&Nomeada) -> RuleResult<bool>,
) -> RuleResult<bool> {
    let mut named = false;
    let take = &mut |found: &Nomeada| {
        named = wanted(found)?;
        Ok(named)
    };
    calculation.regras.nomeadas(&mut chaves.into_iter(), open, take)?;
    Ok(named)
}

impl Calculation<'_> {
    /// Says that a field that was not given leads to other rules: `which` they are, as in "por NCM em " and "SP".
    pub(super) fn not_given(&mut self, campos: &str, which: [&str; 2]) {
        self.warn(Condicao::Campo, sentence(campos, which));
    }

    /// Says that the NCM has tariff exceptions with rules of their own. `keys` are those of the lookup without one.
    pub(super) fn ex_not_given(
        &mut self,
        ncm: &Ncm,
        keys: impl IntoIterator<Item = Chave>,
        data: Date,
    ) -> RuleResult<()> {
        let regras = self.regras;
        let mut exs: Vec<Box<str>> = Vec::new();
        let take = &mut |named: &Nomeada| {
            if !regras.versao(named.numero, named.vigencia)?.escopo.excetua(ncm) {
                exs.push(named.valor.clone());
            }
            Ok(false)
        };
        regras.nomeadas(&mut keys.into_iter(), &OpenDimension { dimension: Dimension::Ex, begins: b"", data }, take)?;
        exs.sort_unstable();
        exs.dedup();
        if exs.is_empty() {
            return Ok(());
        }
        let more = if exs.len() > MAX_LISTED { " e outros" } else { "" };
        exs.truncate(MAX_LISTED);
        // A person chooses an exception by its text.
        let listed = |named: &dyn Fn(&str) -> String| {
            let exs: Vec<String> = exs.iter().map(|ex| named(ex)).collect();
            sentence("`ex`", [&["para o NCM ", ncm.as_str(), " com Ex ", &exs.join(", ")].concat(), more])
        };
        let program = listed(&str::to_owned);
        let said =
            if self.has_person() { Sentence::both(program, listed(&|ex| with_text(ncm, ex))) } else { program.into() };
        self.warn_coded(NoteCode::OtherByEx, Condicao::Campo, said);
        Ok(())
    }
}

/// The number of a tariff exception with its text, if that is known: `01 (Chope)`.
fn with_text(ncm: &Ncm, ex: &str) -> String {
    let text = Ex::parse(ex).ok().and_then(|ex| texto_do_ex(ncm, ex));
    text.map_or_else(|| ex.to_owned(), |text| format!("{ex} ({text})"))
}

/// Joined rather than formatted: this is in most answers, and takes a third of the instructions.
fn sentence(campos: &str, [which, place]: [&str; 2]) -> String {
    ["Há regra mais específica ", which, place, ": informe ", campos, ", se couber à operação."].concat()
}
