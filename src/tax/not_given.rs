//! The sentences of answers on optional fields that were not given and could have led to another rule.

use super::calculation::Calculation;
use crate::rule::{Chave, Condicao, Dimension, Nomeada, RuleResult};
use crate::value::{Date, Ncm};

/// Most values that a sentence lists.
const MAX_LISTED: usize = 5;

/// True if a rule answers on that day under the keys that are like `chave` before `dimension`, and name it.
pub(super) fn is_named(
    calculation: &Calculation<'_>,
    chave: &Chave,
    dimension: Dimension,
    data: Date,
) -> RuleResult<bool> {
    is_named_by(calculation, chave, dimension, data, &|_| Ok(true))
}

/// The same for a rule that passes `wanted`.
pub(super) fn is_named_by(
    calculation: &Calculation<'_>,
    chave: &Chave,
    dimension: Dimension,
    data: Date,
    wanted: &dyn Fn(&Nomeada) -> RuleResult<bool>,
) -> RuleResult<bool> {
    Ok(!calculation.regras.nomeadas(chave, dimension, data, 1, wanted)?.is_empty())
}

impl Calculation<'_> {
    /// Says that a field that was not given leads to other rules: `which` they are, as in "por NCM em SP".
    pub(super) fn not_given(&mut self, campos: &str, which: &str) {
        let sentence = format!("Há regra mais específica {which}: informe {campos}, se couber à operação.");
        self.warn(Condicao::Campo, sentence);
    }

    /// Says that the NCM has tariff exceptions with rules of their own. `keys` are those of the lookup without one.
    pub(super) fn ex_not_given(
        &mut self,
        ncm: &Ncm,
        keys: impl IntoIterator<Item = Chave>,
        data: Date,
    ) -> RuleResult<()> {
        let mut exs: Vec<Box<str>> = Vec::new();
        for key in keys {
            let regras = self.regras;
            let reaches = |named: &Nomeada| {
                // Only a prefix can have exceptions inside it.
                let whole = key.ncm.is_some_and(|prefix| prefix.as_str().len() == ncm.as_str().len());
                Ok(whole || !regras.versao(named.numero, named.vigencia)?.escopo.excetua(ncm))
            };
            let found = regras.nomeadas(&key, Dimension::Ex, data, MAX_LISTED + 1, &reaches)?;
            exs.extend(found.into_iter().map(|named| named.valor));
        }
        exs.sort_unstable();
        exs.dedup();
        if exs.is_empty() {
            return Ok(());
        }
        let more = if exs.len() > MAX_LISTED { " e outros" } else { "" };
        exs.truncate(MAX_LISTED);
        self.not_given("`ex`", &format!("para o NCM {ncm} com Ex {}{more}", exs.join(", ")));
        Ok(())
    }
}
