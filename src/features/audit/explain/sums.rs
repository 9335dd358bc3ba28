//! The one change that explains a sum of an item that does not fit: each other figure of the document is put in the place
//! of a factor, and the one that gives the declared amount to the cent is named. No rule is asked for it.

use rust_decimal::Decimal;

use super::point::misplaced;
use crate::base::value::{amount_in_brl, with_comma};
use crate::features::audit::differences::{agree, operation, part_of_tax, product, share};
use crate::features::audit::finding::{AuditLine, Explanation, Layer};
use crate::law::nfe::{ItemDaNota, NotaDeServico, NotaFiscal, Tag, Tags};

/// Amounts of an item that a base may have, or leave out.
pub(super) const PARTS: [(Tag, &str); 15] = [
    (Tag::Desconto, "o desconto"),
    (Tag::Frete, "o frete"),
    (Tag::Seguro, "o seguro"),
    (Tag::Outras, "as outras despesas"),
    (Tag::IpiValor, "o IPI"),
    (Tag::IcmsValor, "o ICMS"),
    (Tag::IcmsDesonerado, "o ICMS desonerado"),
    (Tag::FcpValor, "o FCP"),
    (Tag::StValor, "o ICMS-ST"),
    (Tag::StFcpValor, "o FCP da substituição"),
    (Tag::ImpostoImportacao, "o imposto de importação"),
    (Tag::PisValor, "o PIS"),
    (Tag::CofinsValor, "a COFINS"),
    (Tag::SeletivoValor, "o Imposto Seletivo"),
    (Tag::IpiDevolvido, "o IPI devolvido"),
];
/// Bases of an item.
const BASES: [(Tag, &str); 8] = [
    (Tag::Produto, "o preço do produto (vProd)"),
    (Tag::IcmsBase, "a base do ICMS"),
    (Tag::StBase, "a base da substituição"),
    (Tag::IpiBase, "a base do IPI"),
    (Tag::PisBase, "a base do PIS"),
    (Tag::CofinsBase, "a base da COFINS"),
    (Tag::DestinoBase, "a base da UF de destino"),
    (Tag::ReformaBase, "a base de IBS e CBS"),
];
/// Percentages of an item.
const RATES: [Tag; 10] = [
    Tag::IcmsAliquota,
    Tag::FcpAliquota,
    Tag::IcmsReducao,
    Tag::StMargem,
    Tag::StAliquota,
    Tag::DestinoAliquota,
    Tag::DestinoInterestadual,
    Tag::IpiAliquota,
    Tag::PisAliquota,
    Tag::CofinsAliquota,
];
/// Amounts of an item, one of which may be in the field of another.
const AMOUNTS: [Tag; 16] = [
    Tag::IcmsValor,
    Tag::IcmsOperacao,
    Tag::IcmsDiferido,
    Tag::IcmsDesonerado,
    Tag::FcpValor,
    Tag::StValor,
    Tag::StFcpValor,
    Tag::DestinoValor,
    Tag::DestinoFcpValor,
    Tag::RemetenteValor,
    Tag::IpiValor,
    Tag::PisValor,
    Tag::CofinsValor,
    Tag::IbsUfValor,
    Tag::IbsMunValor,
    Tag::CbsValor,
];

/// An amount that the document would have, a stable name of the change, and its sentence.
pub(super) type Trial = (Option<Decimal>, &'static str, String);

/// The only change that gives the declared amount: to the cent, or else but for rounding. `None` if several do.
pub(super) fn the_one(declared: Decimal, trials: Vec<Trial>) -> Option<Explanation> {
    let exact = trials.iter().filter(|(amount, ..)| *amount == Some(declared)).count();
    let fits = |amount: &Option<Decimal>| match exact {
        0 => amount.is_some_and(|amount| agree(amount, declared)),
        _ => *amount == Some(declared),
    };
    let mut found = trials.into_iter().filter(|(amount, ..)| fits(amount));
    let (_, codigo, detalhe) = found.next()?;
    found.next().is_none().then_some(Explanation { codigo, detalhe })
}

/// The only other field that has the declared amount. Small round amounts are alike by chance.
pub(super) fn the_same(declared: Decimal, fields: Vec<Trial>) -> Option<Explanation> {
    let by_chance = declared.fract().is_zero() && declared < Decimal::ONE_THOUSAND;
    if by_chance { None } else { the_one(declared, fields) }
}

/// An amount of zero beside factors that are not.
pub(super) fn empty(declared: Decimal, field: &str) -> Option<Explanation> {
    let detalhe = format!("{field} está em zero, e os campos de que ele é feito não");
    declared.is_zero().then_some(Explanation { codigo: "valor_zerado", detalhe })
}

/// Adds a base unless it is the first one, or another name of one before.
fn add_base(bases: &mut Vec<(Decimal, String)>, first: Decimal, base: Decimal, name: impl FnOnce() -> String) {
    if base != first && base > Decimal::ZERO && !bases.iter().any(|(known, _)| *known == base) {
        bases.push((base, name()));
    }
}

/// What a base may be in the place of the written one, each with its name. Two parts of one amount are named both.
fn bases(item: &ItemDaNota, written: Decimal) -> Vec<(Decimal, String)> {
    let mut found: Vec<(Decimal, String)> = Vec::new();
    for (tag, name) in PARTS {
        let part = item.figures.or_zero(tag);
        for (base, how) in [(written.saturating_add(part), "com"), (written.saturating_sub(part), "sem")] {
            match found.iter_mut().find(|(known, _)| *known == base) {
                Some((_, known)) if !part.is_zero() => known.extend([", ou ", how, " ", name]),
                _ => add_base(&mut found, written, base, || format!("a base {how} {name} ({})", amount_in_brl(part))),
            }
        }
    }
    for (tag, name) in BASES {
        add_base(&mut found, written, item.figures.or_zero(tag), || name.to_owned());
    }
    add_base(&mut found, written, operation(item), || "o valor da operação".to_owned());
    let net = item.figures.or_zero(Tag::Produto).saturating_sub(item.figures.or_zero(Tag::Desconto));
    add_base(&mut found, written, net, || "o preço menos o desconto".to_owned());
    let kept = Decimal::ONE_HUNDRED.saturating_sub(item.figures.or_zero(Tag::IcmsReducao));
    let reduced = share(operation(item), kept).unwrap_or_default();
    add_base(&mut found, written, reduced, || "a base que pRedBC dá".to_owned());
    found
}

/// What a rate may be in the place of the written one, each with its sentence.
fn rates(nota: &NotaFiscal, item: &ItemDaNota, written: (Tag, Decimal)) -> Vec<(Decimal, String)> {
    let (tag, rate) = written;
    let mut found: Vec<(Decimal, String)> = Vec::new();
    let mut add = |other: Decimal, sentence: String| {
        if other != rate && !other.is_zero() && !found.iter().any(|(known, _)| *known == other) {
            found.push((other, sentence));
        }
    };
    for other in RATES {
        let other_is = item.figures.or_zero(other);
        add(other_is, format!("a alíquota é a de {} ({}%)", other.name(), points(other_is)));
    }
    let with_fcp = rate.saturating_add(item.figures.or_zero(Tag::FcpAliquota));
    add(with_fcp, format!("a alíquota é {} com pFCP ({}%)", tag.name(), points(with_fcp)));
    for other in nota.items.iter().filter(|other| other.number != item.number) {
        let other_is = other.figures.or_zero(tag);
        add(other_is, format!("a alíquota é a do item {} ({}%)", other.number, points(other_is)));
    }
    let hundredfold = rate.saturating_mul(Decimal::ONE_HUNDRED);
    add(hundredfold, format!("{} traz a alíquota como fração, e não em percentual", tag.name()));
    add(rate / Decimal::ONE_HUNDRED, format!("{} tem duas casas a mais", tag.name()));
    found
}

fn points(rate: Decimal) -> String {
    with_comma(rate.normalize())
}

/// A base by a rate: which other base, rate, reduction, rounding or field gives the amount.
pub(in crate::features::audit) fn of_product(
    nota: &NotaFiscal,
    item: &ItemDaNota,
    [base, rate, amount]: [Tag; 3],
) -> Option<Explanation> {
    let get = |tag: Tag| item.figures.or_zero(tag);
    let (base_is, rate_is, declared) = (get(base), get(rate), get(amount));
    if let Some(empty) = empty(declared, amount.name()) {
        return Some(empty);
    }
    let other_base = |(other, name): (Decimal, String)| {
        (
            share(other, rate_is),
            "outra_base",
            format!("o valor é o da alíquota sobre {name}, e não sobre {}", base.name()),
        )
    };
    let other_rate =
        |(other, sentence): (Decimal, String)| (share(base_is, other), "aliquota_de_outro_campo", sentence);
    let mut trials: Vec<Trial> = bases(item, base_is).into_iter().map(other_base).collect();
    trials.extend(rates(nota, item, (rate, rate_is)).into_iter().map(other_rate));
    let kept = Decimal::ONE_HUNDRED.saturating_sub(get(Tag::IcmsReducao));
    if kept != Decimal::ONE_HUNDRED {
        let again = share(base_is, kept).and_then(|reduced| share(reduced, rate_is));
        trials.push((again, "reducao_outra_vez", "a base reduzida foi reduzida outra vez (pRedBC)".to_owned()));
    }
    let quantity = get(Tag::Quantidade);
    let of_one = base_is.checked_div(quantity).and_then(|one| product(quantity, share(one, rate_is)?));
    let sentence = "é o imposto de uma unidade, arredondado, vezes a quantidade".to_owned();
    trials.push((of_one.filter(|_| quantity > Decimal::ONE), "arredondado_por_unidade", sentence));
    the_one(declared, trials).or_else(|| of_field(item, amount, declared)).or_else(|| of_rate(base_is, declared))
}

/// The amount of another field of the item.
fn of_field(item: &ItemDaNota, amount: Tag, declared: Decimal) -> Option<Explanation> {
    let others = AMOUNTS.into_iter().filter(|other| *other != amount);
    let trials = others.map(|other| {
        (item.figures.get(other), "valor_de_outro_campo", format!("{} traz o valor de {}", amount.name(), other.name()))
    });
    the_same(declared, trials.collect())
}

/// The rate that gives the amount, if it is a whole one, a half, or one of PIS and COFINS.
fn of_rate(base: Decimal, declared: Decimal) -> Option<Explanation> {
    const OF_CONTRIBUTIONS: [Decimal; 3] = [
        Decimal::from_parts(65, 0, 0, false, 2),
        Decimal::from_parts(165, 0, 0, false, 2),
        Decimal::from_parts(76, 0, 0, false, 1),
    ];
    const SMALLEST: Decimal = Decimal::TEN;
    let whole = declared.checked_mul(Decimal::ONE_HUNDRED)?.checked_div(base.abs())?;
    let half = (whole * Decimal::TWO).round() / Decimal::TWO;
    let rate = OF_CONTRIBUTIONS
        .into_iter()
        .chain([half])
        .find(|rate| share(base, *rate).is_some_and(|of| agree(of, declared)))?;
    let detalhe = format!("o valor é o de uma alíquota de {}%, que não está escrita", points(rate));
    (base.abs() >= SMALLEST && !rate.is_zero()).then_some(Explanation { codigo: "outra_aliquota", detalhe })
}

/// A quantity by a price: net of a discount, with a charge, of one unit, or of a price with more digits than it is written with.
pub(in crate::features::audit) fn of_units(
    item: &ItemDaNota,
    [quantity, price, amount]: [Tag; 3],
) -> Option<Explanation> {
    let get = |tag: Tag| item.figures.or_zero(tag);
    let (quantity_is, price_is, declared) = (get(quantity), get(price), get(amount));
    if let Some(empty) = empty(declared, amount.name()) {
        return Some(empty);
    }
    let whole = product(quantity_is, price_is);
    let mut trials: Vec<Trial> = Vec::new();
    for (tag, name) in PARTS.into_iter().filter(|(tag, _)| *tag != amount && !get(*tag).is_zero()) {
        let part = get(tag);
        let more = whole.map(|whole| whole.saturating_add(part));
        let less = whole.map(|whole| whole.saturating_sub(part));
        trials.push((more, "parte_no_valor", format!("{} contém {name} ({})", amount.name(), amount_in_brl(part))));
        trials.push((less, "parte_no_valor", format!("{} já é sem {name} ({})", amount.name(), amount_in_brl(part))));
    }
    trials.push((Some(price_is), "uma_unidade", format!("{} é o preço de uma unidade", amount.name())));
    if quantity == Tag::Quantidade {
        let taxed = product(get(Tag::QuantidadeTributavel), price_is);
        trials.push((taxed, "quantidade_tributavel", "o valor é o da quantidade tributável (qTrib)".to_owned()));
    }
    the_one(declared, trials).or_else(|| misplaced(declared, whole?)).or_else(|| {
        let exact = declared.checked_div(quantity_is)?;
        let detalhe =
            format!("o preço da unidade é {}, e {} o traz arredondado", points(exact.round_dp(10)), price.name());
        let is_cut = exact.saturating_sub(price_is).abs() <= Decimal::new(1, price_is.normalize().scale());
        is_cut.then_some(Explanation { codigo: "preco_arredondado", detalhe })
    })
}

/// The difference due to the destination: `factor` is in percent, of the base.
pub(in crate::features::audit) fn of_difference(item: &ItemDaNota, part: Decimal) -> Option<Explanation> {
    let get = |tag: Tag| item.figures.or_zero(tag);
    let (base, declared) = (get(Tag::DestinoBase), get(Tag::DestinoValor));
    if let Some(empty) = empty(declared, Tag::DestinoValor.name()) {
        return Some(empty);
    }
    let (internal, interstate) = (get(Tag::DestinoAliquota), get(Tag::DestinoInterestadual));
    let of = |base: Decimal, rate: Decimal| share(base, rate).and_then(|whole| share(whole, part));
    let difference = internal.saturating_sub(interstate);
    let mut trials: Vec<Trial> = bases(item, base)
        .into_iter()
        .map(|(other, name)| {
            (
                of(other, difference),
                "outra_base",
                format!("o valor é o da diferença sobre {name}, e não sobre vBCUFDest"),
            )
        })
        .collect();
    let own = get(Tag::IcmsAliquota);
    let with_fcp = difference.saturating_add(get(Tag::DestinoFcpAliquota));
    for (rate, sentence) in [
        (internal, "o valor é o da alíquota interna inteira, sem abater a interestadual".to_owned()),
        (interstate, "o valor é o da alíquota interestadual, e não o da diferença".to_owned()),
        (
            internal.saturating_sub(own),
            format!("o valor abate a alíquota de pICMS ({}%), e não pICMSInter", points(own)),
        ),
        (with_fcp, "o valor contém o FCP".to_owned()),
    ] {
        if rate != difference {
            trials.push((of(base, rate), "outra_diferenca", sentence));
        }
    }
    if part != Decimal::ONE_HUNDRED {
        trials.push((
            share(base, difference),
            "sem_partilha",
            "o valor é o da diferença inteira, sem a partilha".to_owned(),
        ));
    }
    let of_rate = || of_internal_rate(item, part, declared);
    the_one(declared, trials).or_else(|| of_field(item, Tag::DestinoValor, declared)).or_else(of_rate)
}

/// The rate of the destination that gives the difference, if it is a whole one, or a half. Some write in `pICMSUFDest` the rate
/// with that of the FCP, and charge no FCP.
fn of_internal_rate(item: &ItemDaNota, part: Decimal, declared: Decimal) -> Option<Explanation> {
    const FCP: [Decimal; 3] = [Decimal::ONE, Decimal::TWO, Decimal::from_parts(4, 0, 0, false, 0)];
    let get = |tag: Tag| item.figures.or_zero(tag);
    let (base, internal) = (get(Tag::DestinoBase), get(Tag::DestinoAliquota));
    let of_base = declared.checked_mul(Decimal::ONE_HUNDRED)?.checked_div(base)?;
    let whole = of_base.checked_mul(Decimal::ONE_HUNDRED)?.checked_div(part)?;
    let difference = whole.checked_mul(Decimal::TWO)?.round() / Decimal::TWO;
    let is_it = !difference.is_zero() && part_of_tax(base, difference, part) == Some(declared);
    let rate = get(Tag::DestinoInterestadual).saturating_add(difference);
    if !is_it || rate == internal || base < Decimal::TEN {
        return None;
    }
    let may_be_fcp = get(Tag::DestinoFcpAliquota).is_zero() && FCP.contains(&internal.saturating_sub(rate));
    let fcp = if may_be_fcp { ": ela parece conter a do FCP, que tem campo próprio (pFCPUFDest)" } else { "" };
    let (rate, internal) = (points(rate), points(internal));
    let detalhe = format!("o valor é o da alíquota interna de {rate}%, e pICMSUFDest traz {internal}%{fcp}");
    Some(Explanation { codigo: "outra_aliquota", detalhe })
}

/// The ISS of an NFS-e: another base, or a rate written in another way.
pub(in crate::features::audit) fn of_iss(nota: &NotaDeServico) -> Option<Explanation> {
    let (base, rate, declared) = (nota.base?, nota.aliquota?, nota.valor?);
    if let Some(empty) = empty(declared, "o ISS") {
        return Some(empty);
    }
    let price = nota.preco.unwrap_or(base);
    let mut others = Vec::new();
    add_base(&mut others, base, price, || "o preço do serviço, sem as deduções".to_owned());
    let with_discount = price.saturating_add(nota.desconto);
    add_base(&mut others, base, with_discount, || "o preço sem abater o desconto".to_owned());
    let net = base.saturating_sub(nota.deducoes);
    add_base(&mut others, base, net, || "a base, de que as deduções saem outra vez".to_owned());
    let of_base = |(other, name): (Decimal, String)| {
        (share(other, rate), "outra_base", format!("o ISS é o da alíquota sobre {name} ({})", amount_in_brl(other)))
    };
    let mut trials: Vec<Trial> = others.into_iter().map(of_base).collect();
    let hundredfold = rate.saturating_mul(Decimal::ONE_HUNDRED);
    let fraction = "a alíquota está escrita como fração, e não em percentual".to_owned();
    trials.push((share(base, hundredfold), "aliquota_em_fracao", fraction));
    the_one(declared, trials).or_else(|| of_rate(base, declared))
}

/// What a part of the price counts for in a base, in percent.
fn weight(item: &ItemDaNota, codigo: Option<&str>) -> Option<Decimal> {
    let kept = |tag: Tag| Decimal::ONE_HUNDRED.saturating_sub(item.figures.or_zero(tag));
    match codigo {
        Some("reducao_da_base") => Some(kept(Tag::IcmsReducao)),
        Some("base_pela_margem") => {
            let added = Decimal::ONE_HUNDRED.saturating_add(item.figures.or_zero(Tag::StMargem));
            share(added, kept(Tag::StReducao))
        }
        _ => None,
    }
}

/// Explains the other sums of an item by an amount of the same item: the declared one is that of another field, or it has a
/// part of the price more, or less.
pub(in crate::features::audit) fn of_rest(item: &ItemDaNota, found: &mut [AuditLine]) {
    for line in found.iter_mut().filter(|line| line.camada == Layer::Aritmetica && line.explicacao.is_none()) {
        let (Some(declared), Some(calculated)) = (line.declarado, line.calculado) else { continue };
        let weight = weight(item, line.codigo);
        let what = if weight.is_some() { "a base" } else { "o valor" };
        // The declared field, and the factors that it was compared with, explain nothing.
        let is_other =
            |(tag, _): &(Tag, &str)| !item.figures.or_zero(*tag).is_zero() && !line.detalhe.contains(tag.name());
        let others = AMOUNTS.into_iter().map(|tag| (tag, tag.name())).chain(BASES).filter(is_other);
        let mut trials: Vec<Trial> = Vec::new();
        for (tag, name) in PARTS.into_iter().filter(is_other) {
            let part = item.figures.or_zero(tag);
            let counted = weight.map_or(Some(part), |weight| share(part, weight)).unwrap_or_default();
            let sentence = |how: &str| format!("{what} {how} {name} ({})", amount_in_brl(part));
            let [more, less] = [calculated.saturating_add(counted), calculated.saturating_sub(counted)];
            // A base that is calculated from the price has its charges, and not the other parts.
            let has = weight.map(|_| matches!(tag, Tag::Frete | Tag::Seguro | Tag::Outras));
            trials.push((Some(more).filter(|_| has != Some(true)), "parte_no_valor", sentence("contém")));
            trials.push((Some(less).filter(|_| has != Some(false)), "parte_no_valor", sentence("deixa fora")));
        }
        let field = |(tag, name): (Tag, &str)| {
            (item.figures.get(tag), "valor_de_outro_campo", format!("{what} é o mesmo que {name}"))
        };
        let fields: Vec<Trial> = others.map(field).collect();
        let zero = empty(declared, "o campo");
        let reform = item.figures.sum(&[Tag::IbsValor, Tag::CbsValor]);
        if !reform.is_zero() {
            let sentence = format!("{what} contém o IBS e a CBS ({})", amount_in_brl(reform));
            trials.push((Some(calculated.saturating_add(reform)), "parte_no_valor", sentence));
        }
        line.explicacao = zero
            .or_else(|| the_one(declared, trials))
            .or_else(|| the_same(declared, fields))
            .or_else(|| misplaced(declared, calculated));
    }
}
