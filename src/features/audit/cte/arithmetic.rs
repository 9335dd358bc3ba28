//! The figures of a CT-e against one another (MOC of the CT-e, G047, G048 and H053; NT CT-e 2025.001).

use rust_decimal::Decimal;

use crate::base::value::{Date, amount_in_brl};
use crate::features::audit::differences::{DIFAL, Differences, agree, product, share};
use crate::features::audit::finding::{AuditLine, Certainty, Explanation, Layer};
use crate::features::audit::questions::REFORM_SINCE;
use crate::features::audit::reform;
use crate::law::nfe::{Tags, Transporte, TransporteTag as Tag};

/// Base, rate and amount of the groups of ICMS.
const PRODUCTS: [[Tag; 3]; 3] = [
    [Tag::IcmsBase, Tag::IcmsAliquota, Tag::IcmsValor],
    [Tag::RetidoBase, Tag::RetidoAliquota, Tag::RetidoValor],
    [Tag::OutraUfBase, Tag::OutraUfAliquota, Tag::OutraUfValor],
];

/// The bases of ICMS, each with its reduction.
const BASES: [[Tag; 2]; 2] = [[Tag::IcmsBase, Tag::IcmsReducao], [Tag::OutraUfBase, Tag::OutraUfReducao]];

/// What the GTV-e of a transport of values may differ from the price by.
const GUIDES_WITHIN: Decimal = Decimal::from_parts(1, 0, 0, false, 1);

/// The highest rates of PIS and COFINS together (Leis 10.637/2002 and 10.833/2003, art. 2º), in percent.
const MOST_CONTRIBUTIONS: Decimal = Decimal::from_parts(925, 0, 0, false, 2);
/// The base of CBS and IBS is compared with an estimate: within one real.
const BASE_WITHIN: Decimal = Decimal::ONE;
/// In this year the price does not have CBS and IBS in it.
const TEST_YEAR: u32 = 2026;

pub(super) fn of(cte: &Transporte, day: Date, line: &AuditLine) -> Vec<AuditLine> {
    let get = |tag: Tag| cte.figures.get(tag);
    let mut differences = Differences::of(line);
    // A complement may bring an amount alone.
    let brings_a_difference = |factors: [Decimal; 2]| cte.tipo == 1 && factors.iter().any(Decimal::is_zero);
    for [base, rate, amount] in PRODUCTS {
        if let (Some(base_is), Some(rate_is), Some(amount_is)) = (get(base), get(rate), get(amount))
            && !brings_a_difference([base_is, rate_is])
        {
            let text = format_args!("{} × {} ≠ {}", base.name(), rate.name(), amount.name());
            differences.check("icms", "base_vezes_aliquota", amount_is, &[share(base_is, rate_is)], text);
        }
    }
    destination(cte, &mut differences);
    if let Some(price) = cte.prestacao() {
        price_and_parts(cte, price, &mut differences);
        if let Some(group) = &cte.reforma
            && let Some(base) = group.base.filter(|_| day.year() == TEST_YEAR && !group.government_purchase)
        {
            base_of_reform(cte, price, base, &mut differences);
        }
    }
    if let Some(group) = &cte.reforma {
        reform::arithmetic(group, &mut differences);
    }
    let mut found = differences.found;
    found.extend(total(cte, day, line));
    found
}

/// Since this day no layout before 4.00 is accepted. Of what was received and of the components the layouts before say
/// something else, so the sums of their documents are not compared.
const ONE_LAYOUT_SINCE: u32 = 20_240_201;

/// The price, what is received of it, and the base of ICMS. A toll that the shipper pays is not in the base (Lei
/// 10.209/2001), so a base is to be checked.
fn price_and_parts(cte: &Transporte, price: Decimal, differences: &mut Differences<'_>) {
    let is_compared = cte.day.is_some_and(|day| day.ordinal() >= ONE_LAYOUT_SINCE);
    if let Some(received) = cte.receber().filter(|received| is_compared && *received > price) {
        let text = "o valor a receber passa do da prestação (531)";
        differences.check("documento", "total", received, &[Some(price)], text);
    }
    if let Some(parts) = cte.componentes.filter(|_| is_compared) {
        let text = "a soma dos componentes ≠ vTPrest";
        if let Some(line) = differences.check_if_unsure("documento", "soma", price, &[Some(parts)], text) {
            line.explicacao = of_components(cte, price, parts);
        }
    }
    if let Some(guides) = cte.guias.filter(|guides| guides.saturating_sub(price).abs() > GUIDES_WITHIN) {
        differences.check("documento", "soma", price, &[Some(guides)], "a soma das GTV-e ≠ vTPrest (899)");
    }
    for [base, reduction] in BASES {
        let in_das = |base: &Decimal| base.is_zero() && cte.icms_in_simples();
        let declared = cte.figures.get(base).filter(|base| cte.tipo != 1 && !in_das(base));
        let Some(declared) = declared else { continue };
        let kept = Decimal::ONE_HUNDRED.saturating_sub(cte.figures.or_zero(reduction));
        let text = format_args!("vTPrest, menos a redução, ≠ {}", base.name());
        if let Some(line) = differences.check_if_unsure("icms", "base", declared, &[share(price, kept)], text) {
            line.explicacao = of_base(cte, declared, price, kept);
        }
    }
}

/// What the price has and the components have not, or the other way about.
fn of_components(cte: &Transporte, price: Decimal, parts: Decimal) -> Option<Explanation> {
    let amount = price.saturating_sub(parts).abs();
    let [_, _, icms] = cte.icms();
    let how = if price > parts { "deixam fora" } else { "somam também" };
    let named = icms.filter(|icms| !icms.is_zero() && agree(*icms, amount)).map(|_| "o ICMS")?;
    let detalhe = format!("os componentes {how} {named} ({})", amount_in_brl(amount));
    Some(Explanation { codigo: "parte_no_total", detalhe })
}

/// A base that is the whole price, what its reduction takes away, or the price with its ICMS.
fn of_base(cte: &Transporte, declared: Decimal, price: Decimal, kept: Decimal) -> Option<Explanation> {
    let [_, _, icms] = cte.icms();
    let icms = icms.unwrap_or_default();
    let reduces = kept != Decimal::ONE_HUNDRED;
    let (codigo, detalhe) = if declared.is_zero() {
        ("valor_zerado", "a base está em zero, e o preço da prestação não".to_owned())
    } else if reduces && agree(declared, price) {
        ("reducao_sem_efeito", "a base é o preço inteiro, sem a redução de pRedBC".to_owned())
    } else if reduces
        && share(price, Decimal::ONE_HUNDRED.saturating_sub(kept)).is_some_and(|part| agree(part, declared))
    {
        ("reducao_pelo_que_resta", "a base é a parte que pRedBC diz, e não a que resta".to_owned())
    } else if !icms.is_zero() && agree(declared, price.saturating_add(icms)) {
        ("outra_base", format!("a base é o preço com o ICMS por cima ({})", amount_in_brl(icms)))
    } else if !icms.is_zero() && agree(declared, price.saturating_sub(icms)) {
        ("outra_base", format!("a base é o preço sem o ICMS ({}), que está nela", amount_in_brl(icms)))
    } else {
        return None;
    };
    Some(Explanation { codigo, detalhe })
}

/// The difference of rates of a taker who is not a taxpayer.
fn destination(cte: &Transporte, differences: &mut Differences<'_>) {
    let get = |tag: Tag| cte.figures.get(tag);
    let Some(base) = get(Tag::DestinoBase) else { return };
    if let (Some(internal), Some(interstate), Some(amount)) =
        (get(Tag::DestinoAliquota), get(Tag::DestinoInterestadual), get(Tag::DestinoValor))
    {
        let points = internal.saturating_sub(interstate).max(Decimal::ZERO);
        let text = "vBCUFFim × (pICMSUFFim − pICMSInter) ≠ vICMSUFFim";
        differences.check_if_unsure(DIFAL, "base_vezes_aliquota", amount, &[share(base, points)], text);
    }
    if let (Some(rate), Some(amount)) = (get(Tag::DestinoFcpAliquota), get(Tag::DestinoFcpValor)) {
        let text = "vBCUFFim × pFCPUFFim ≠ vFCPUFFim";
        differences.check_if_unsure(DIFAL, "base_vezes_aliquota", amount, &[share(base, rate)], text);
    }
}

/// The base of CBS and IBS is the price without ICMS, PIS and COFINS (LC 214/2025, art. 12, § 2º). The document does not
/// show the last two, so that only what no rate of theirs gives is a question.
fn base_of_reform(cte: &Transporte, price: Decimal, base: Decimal, differences: &mut Differences<'_>) {
    let [.., own] = cte.icms();
    let others = cte.figures.sum(&[Tag::RetidoValor, Tag::DestinoValor, Tag::DestinoFcpValor]);
    let most = price.saturating_sub(own.unwrap_or_default());
    let contributions = product(price, MOST_CONTRIBUTIONS / Decimal::ONE_HUNDRED).unwrap_or_default();
    let least = most.saturating_sub(others).saturating_sub(contributions);
    let is_near = least.saturating_sub(BASE_WITHIN) <= base && base <= most.saturating_add(BASE_WITHIN);
    if !is_near {
        let text = "vBC ≠ vTPrest − ICMS − PIS − COFINS (LC 214/2025, art. 12, § 2º)";
        differences.check_if_unsure("cbs", "base", base, &[Some(most)], text);
    }
}

/// `vTotDFe` repeats the price (365), and is there if the group of CBS and IBS is (360).
fn total(cte: &Transporte, day: Date, line: &AuditLine) -> Option<AuditLine> {
    if day < REFORM_SINCE {
        return None;
    }
    let line = line.clone().in_layer(Layer::Aritmetica, "documento");
    match (cte.total(), cte.prestacao()) {
        (None, _) if cte.reforma.is_some() => {
            let detail = "o CT-e tem o grupo IBSCBS, e não tem vTotDFe (360)";
            Some(line.differing(Certainty::ErroDoDocumento, "grupo_do_ibscbs", detail))
        }
        (Some(total), Some(price)) if total != price => {
            let line = line.with_amounts(total, price);
            Some(line.differing(Certainty::ErroDoDocumento, "total", "vTotDFe ≠ vTPrest (365)"))
        }
        _ => None,
    }
}
