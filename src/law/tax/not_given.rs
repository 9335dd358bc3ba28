//! The sentences of answers on optional fields that were not given and could have led to another rule.

use super::calculation::Calculation;
use crate::base::value::{Date, Ncm};
use crate::law::rule::{Chave, Condicao, Dimension, Nomeada, OpenDimension, RuleResult};

/// Most values that a sentence lists.
const MAX_LISTED: usize = 5;

/// True if a rule answers on that day under the keys that are like `chave` before `dimension`, and name it.
pub(super) fn is_named(
    calculation: &Calculation<'_>,
    chave: &Chave,
    dimension: Dimension,
    data: Date,
) -> RuleResult<bool> {
    is_named_by(calculation, chave, &OpenDimension { dimension, begins: b"", data, max: 1 }, &|_| Ok(true))
}

/// True if a rule answers so and passes `wanted`.
pub(super) fn is_named_by(
    calculation: &Calculation<'_>,
    chave: &Chave,
    open: &OpenDimension<'_>,
    wanted: &dyn Fn(&Nomeada) -> RuleResult<bool>,
) -> RuleResult<bool> {
    Ok(!calculation.regras.nomeadas(&mut std::iter::once(chave.clone()), open, wanted)?.is_empty())
}

impl Calculation<'_> {
    /// Says that a field that was not given leads to other rules: `which` they are, as in "por NCM em SP".
    pub(super) fn not_given(&mut self, campos: &str, which: &str) {
        // Joined rather than formatted: this is in most answers, and takes a third of the instructions.
        let sentence = ["Há regra mais específica ", which, ": informe ", campos, ", se couber à operação."].concat();
        self.warn(Condicao::Campo, sentence);
    }

    /// Says that the NCM has tariff exceptions with rules of their own. `keys` are those of the lookup without one.
    pub(super) fn ex_not_given(
        &mut self,
        ncm: &Ncm,
        keys: impl IntoIterator<Item = Chave>,
        data: Date,
    ) -> RuleResult<()> {
        let regras = self.regras;
        let reaches = |named: &Nomeada| Ok(!regras.versao(named.numero, named.vigencia)?.escopo.excetua(ncm));
        let open = OpenDimension { dimension: Dimension::Ex, begins: b"", data, max: usize::MAX };
        let found = regras.nomeadas(&mut keys.into_iter(), &open, &reaches)?;
        let mut exs: Vec<Box<str>> = found.into_iter().map(|named| named.valor).collect();
        exs.sort_unstable();
        exs.dedup();
        if exs.is_empty() {
            return Ok(());
        }
        let more = if exs.len() > MAX_LISTED { " e outros" } else { "" };
        exs.truncate(MAX_LISTED);
        self.not_given("`ex`", &["para o NCM ", ncm.as_str(), " com Ex ", &exs.join(", "), more].concat());
        Ok(())
    }
}
