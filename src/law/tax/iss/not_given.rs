//! The fields that were not given and could have led to another rule: the subdivision of the service, and the fixed
//! regime.

use super::{Conteudo, Payload, REGIME, Regime};
use crate::base::value::{Figura, ItemOuDesdobro, Rate};
use crate::rule::{Chave, Dimension, OpenDimension, RuleResult};
use crate::tax::calculation::Calculation;
use crate::tax::not_given::is_named_by;

/// Adds a sentence for each of them. `any_item` is the key of the lookup for every service.
pub(super) fn note(
    p: &Payload,
    any_item: &Chave,
    conteudo: &Conteudo,
    calculation: &mut Calculation<'_>,
) -> RuleResult<()> {
    let (item, town) = (p.item_lista_servico, p.municipio.name());
    if p.codigo_tributacao_nacional.is_none() {
        let mut begins = Vec::with_capacity(8);
        item.write_to(&mut begins);
        begins.push(b'.');
        let open = OpenDimension { dimension: Dimension::Item, begins: &begins, data: p.data };
        if has_other_rate(p, conteudo) || is_named_by(calculation, [any_item.clone()], &open, &|_| Ok(true))? {
            let which = format!("para desdobro do subitem {item} em ");
            calculation.not_given("`codigo_tributacao_nacional`", [&which, town]);
        }
    }
    if p.regime == Regime::Normal && calculation.lacks("regime") {
        let every = Chave { palavra: REGIME.palavra(Regime::SociedadeUniprofissional.as_str()), ..any_item.clone() };
        let keys = [Chave { item: Some(item), ..every.clone() }, every];
        // Both are whole keys, so nothing of them is open but the dimension that no rule of ISS names.
        let open = OpenDimension { dimension: Dimension::Cest, begins: b"\0", data: p.data };
        if is_named_by(calculation, keys, &open, &|_| Ok(true))? {
            let fixed = Regime::SociedadeUniprofissional;
            calculation.not_given("`regime`", [&format!("de `{fixed}` em "), town]);
        }
    }
    Ok(())
}

/// True if the rule has another rate for a subdivision of the service.
fn has_other_rate(p: &Payload, conteudo: &Conteudo) -> bool {
    let rate_of = |wanted: &dyn Fn(&ItemOuDesdobro) -> bool| -> Vec<Figura<Rate>> {
        let grupos = conteudo.aliquotas.iter().flatten();
        grupos.filter(|grupo| grupo.itens.iter().any(wanted)).map(|grupo| grupo.aliquota).collect()
    };
    let item = p.item_lista_servico;
    let own = rate_of(&|ItemOuDesdobro(other)| *other == item);
    rate_of(&|ItemOuDesdobro(other)| other.is_desdobro() && other.subitem() == item)
        .iter()
        .any(|rate| !own.contains(rate))
}
