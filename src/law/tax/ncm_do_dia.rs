//! Whether the nomenclature of a day has the NCM of a request.
//!
//! A rule names an NCM by a prefix, so a mistyped or extinct code has an answer like any other. The answer and the
//! refusal of every tax say so. The rules of IPI decide it: the TIPI has a line for each code, also for those that it
//! does not tax. Without the whole TIPI of the day, nothing is said.

use super::calculation::{Calculated, Calculation};
use crate::base::value::{Date, Ncm, NcmPrefix, Tributo, sucessao};
use crate::rule::{Chave, Condicao, Regras, RuleResult, first_of_ncm};

/// The tax whose rules are the lines of the TIPI.
pub const IPI: Tributo = Tributo::new("ipi");

/// The first and the last line of every edition of the TIPI: a set of rules with both has the table.
const ENDS: [&str; 2] = ["01012100", "97069000"];

/// Adds to an answer or a refusal that the TIPI of the day lacks the product of the payload.
pub(super) fn with_ncm_checked(
    tributo: Tributo,
    answer: RuleResult<Calculated>,
    product: Option<(&Ncm, Date)>,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Calculated> {
    let said = match &answer {
        // Only a line of the TIPI answers about IPI.
        Ok(_) if tributo == IPI => return answer,
        Ok(_) => "",
        // A failure of the service says nothing of the product.
        Err(problem) if problem.codigo.status() >= 500 => return answer,
        Err(problem) => problem.detail.as_str(),
    };
    let Some((ncm, data)) = product else { return answer };
    let Some(sentence) = sentence(calculation.regras, ncm, data, said)? else { return answer };
    match answer {
        Ok(calculated) => {
            calculation.warn(Condicao::Campo, sentence);
            Ok(calculated)
        }
        Err(mut problem) => {
            // The page shows the sentence of a field that is alone at fault in place of `detail`.
            let alone = if let [alone] = &mut problem.erros[..] { Some(&mut alone.detail) } else { None };
            for detail in alone.into_iter().chain([&mut problem.detail]) {
                detail.add(sentence.as_str());
            }
            Err(problem)
        }
    }
}

/// The sentence on an NCM that the TIPI of the day lacks, with the codes that replaced it, unless `said` has them.
/// `None` if it has the code, or if the rules do not have the TIPI of the day.
fn sentence(regras: &dyn Regras, ncm: &Ncm, data: Date, said: &str) -> RuleResult<Option<String>> {
    if has_line(regras, ncm, data)? {
        return Ok(None);
    }
    for end in ENDS.iter().filter_map(|code| Ncm::parse(code).ok()) {
        if !has_line(regras, &end, data)? {
            return Ok(None);
        }
    }
    let (code, day) = (pointed(ncm), data.dmy());
    let mut sentence = format!("Na TIPI de {day} o taxd não encontra o NCM {code}: confira o código do produto.");
    let successors = NcmPrefix::parse(ncm.as_str()).ok().and_then(|code| sucessao(&code, data));
    if let Some(successors) = successors.filter(|successors| !said.contains(successors.as_str())) {
        sentence.push(' ');
        sentence.push_str(&successors);
    }
    Ok(Some(sentence))
}

/// True if a rule of IPI names the code or a prefix of it on that day.
fn has_line(regras: &dyn Regras, ncm: &Ncm, data: Date) -> RuleResult<bool> {
    Ok(first_of_ncm(regras, [[Chave::of(IPI)]], ncm, data)?.is_some())
}

/// The code as people write it: `0302.89.00`.
fn pointed(ncm: &Ncm) -> String {
    let digits = ncm.as_str();
    let part = |from, to| digits.get(from..to).unwrap_or_default();
    [part(0, 4), part(4, 6), part(6, 8)].join(".")
}
