//! What the figures of a document show by themselves: which one of base, rate and reduction is not that of the rule.
//!
//! Nothing is asked for it, so it says what differs and never why, except if the figure is an amount of the document.

use rust_decimal::Decimal;

use super::Facts;
use crate::base::value::{amount_in_brl, with_comma};
use crate::features::audit::compare::Comparison;
use crate::features::audit::differences::{DIFAL, HUNDREDTH, agree, is_share, part_of_tax, share};
use crate::features::audit::finding::Explanation;
use crate::law::tax::TaxAnswer;

/// A comparison, the document beyond it, and the answer.
#[derive(Clone, Copy)]
pub(super) struct FiguresOfBoth<'a> {
    pub(super) comparison: &'a Comparison,
    pub(super) facts: &'a Facts,
    pub(super) answer: &'a TaxAnswer,
}

impl FiguresOfBoth<'_> {
    /// What no change of a fact can give: a reduction of the document alone, or a figure that the other two contradict.
    pub(super) fn contradiction(&self) -> Option<Explanation> {
        self.reduced_base().or_else(|| self.wrong_figure())
    }

    /// The one figure that is not that of the rule, if the amount follows from it, and whether the document cannot refute it.
    pub(super) fn only_one(&self) -> Option<(Explanation, bool)> {
        let listed = self.facts.preco_do_estado && self.comparison.line.tributo == "icms";
        self.one_figure().map(|found| match found.codigo {
            "so_a_base" if listed => {
                let detalhe = "a base é de pauta ou de preço tabelado (modBC), e não o valor da operação".to_owned();
                (Explanation { codigo: "preco_do_estado", detalhe }, true)
            }
            _ => (found, false),
        })
    }

    fn one_figure(&self) -> Option<Explanation> {
        let declared = self.comparison.declared;
        let calculated = self.comparison.calculated(self.answer)?;
        let uncharged = [declared.base, declared.aliquota].iter().any(|figure| figure.unwrap_or_default().is_zero());
        if declared.valor.is_zero() && uncharged {
            let (due, law) = (amount_in_brl(calculated), self.law());
            let detalhe = match declared.base.filter(|base| !base.is_zero()) {
                Some(base) => {
                    let base = amount_in_brl(base);
                    format!("o documento traz a base ({base}) e não cobra nada, e a regra pede {due} ({law})")
                }
                None => format!("o documento não destaca o tributo, e a regra pede {due} ({law})"),
            };
            return Some(Explanation { codigo: "sem_destaque", detalhe });
        }
        if self.comparison.line.tributo == "icms_st" {
            return self.margin();
        }
        let (base, rate) = (declared.base?, declared.aliquota?);
        if !self.closes() {
            return self.base_beside_amount(base).or_else(|| self.base_and_rate(base, rate));
        }
        let (codigo, detalhe) = match self.comparison.agreement(self.answer) {
            _ if calculated.is_zero() => (
                "so_a_aliquota",
                format!("o documento cobra {}%, e a regra não cobra nada ({})", shown(rate), self.law()),
            ),
            [_, Some(true), Some(true)] => {
                ("so_a_reducao", "a base e a alíquota são as da regra; só a redução não é".to_owned())
            }
            [_, Some(false), Some(true)] => {
                let lawful = (self.comparison.members.aliquota)(self.answer)?;
                let (rate, lawful) = (shown(rate), shown(lawful));
                (
                    "so_a_aliquota",
                    format!("a base é a da regra; só a alíquota não é: {rate}% e não {lawful}% ({})", self.law()),
                )
            }
            [_, Some(true), Some(false)] => {
                let lawful = (self.comparison.members.base)(self.answer)?;
                let named = self
                    .named_base(base, lawful)
                    .unwrap_or_else(|| format!("é {}, e a da regra {}", amount_in_brl(base), amount_in_brl(lawful)));
                ("so_a_base", format!("a alíquota é a da regra; a base {named}"))
            }
            _ => return self.base_and_rate(base, rate),
        };
        Some(Explanation { codigo, detalhe })
    }

    /// Two figures: a base that is an amount of the document, and a rate that is not that of the rule.
    fn base_and_rate(&self, base: Decimal, rate: Decimal) -> Option<Explanation> {
        let [_, same_rate, same_base] = self.comparison.agreement(self.answer);
        let lawful_base = (self.comparison.members.base)(self.answer)?;
        let lawful = (self.comparison.members.aliquota)(self.answer)?;
        let named =
            self.named_base(base, lawful_base).filter(|_| same_rate == Some(false) && same_base == Some(false))?;
        let (rate, lawful, law) = (shown(rate), shown(lawful), self.law());
        let detalhe = format!("são duas diferenças: a base {named}; e a alíquota é {rate}%, e não {lawful}% ({law})");
        Some(Explanation { codigo: "base_e_aliquota", detalhe })
    }

    /// A base that is an amount of the document, beside an amount that is not the rate of it: two figures are wrong.
    fn base_beside_amount(&self, base: Decimal) -> Option<Explanation> {
        let [_, rate, same_base] = self.comparison.agreement(self.answer);
        let lawful = (self.comparison.members.base)(self.answer)?;
        let named = self.named_base(base, lawful).filter(|_| rate == Some(true) && same_base == Some(false))?;
        let detalhe = format!("a base {named}, e o valor também não é o da alíquota sobre ela");
        Some(Explanation { codigo: "base_e_valor", detalhe })
    }

    /// The law of the rate. Of a sale to a final consumer it is that of the State, which a second rule has.
    fn law(&self) -> String {
        let to_consumer = self.answer.tributo.as_str() == DIFAL;
        let of_state = self.answer.used().nth(1).filter(|_| to_consumer).map(|regra| regra.citada().citacao_legal);
        of_state.unwrap_or_else(|| self.answer.regra().citacao_legal.clone()).as_str().to_owned()
    }

    /// Whether base, rate and reductions give the amount. The difference due to the destination is less the own ICMS, and
    /// an amount may have an FCP whose rate is written apart.
    fn closes(&self) -> bool {
        let Comparison { declared, reductions: [reduction, _], ref line, .. } = *self.comparison;
        let (Some(base), Some(rate)) = (declared.base, declared.aliquota) else { return false };
        let kept = Decimal::ONE_HUNDRED.saturating_sub(reduction.unwrap_or_default());
        let Some(product) = part_of_tax(base, rate, kept) else { return false };
        let (own, fcp) = match line.tributo {
            DIFAL => (self.facts.icms, self.facts.fcp_destino),
            _ => (Decimal::ZERO, self.facts.fcp),
        };
        let whole = declared.valor.saturating_add(own);
        agree(product, whole) || agree(product, whole.saturating_sub(fcp))
    }

    /// A base of the document in words: an amount of the item, or what it has more or less than that of the rule.
    fn named_base(&self, base: Decimal, lawful: Decimal) -> Option<String> {
        let Facts { produto, desconto, frete, despesas, ipi, icms, fcp, st, base_icms, .. } = *self.facts;
        let net = produto.saturating_sub(desconto);
        let base_icms = if self.comparison.line.tributo == "icms" { Decimal::ZERO } else { base_icms };
        let wholes =
            [(produto, "o preço do produto (vProd)"), (net, "o preço menos o desconto"), (base_icms, "a base do ICMS")];
        let difference = base.saturating_sub(lawful);
        let parts = [
            (desconto, "o desconto"),
            (frete, "o frete"),
            (despesas, "o seguro e as outras despesas"),
            (ipi, "o IPI"),
            (icms, "o ICMS"),
            (fcp, "o FCP"),
            (self.facts.difal, "o DIFAL"),
            (st, "o ICMS-ST"),
            (self.facts.deducoes, "as deduções da nota"),
        ];
        let is = |amount: Decimal, name: &(Decimal, &'static str)| !name.0.is_zero() && agree(name.0, amount);
        let mut equal = parts.iter().filter(|part| is(difference.abs(), part));
        if let (Some((_, name)), None) = (equal.next(), equal.next()) {
            let more = if difference > Decimal::ZERO { "contém" } else { "deixa fora" };
            return Some(format!("{more} {name} ({})", amount_in_brl(difference.abs())));
        }
        let (_, name) = wholes.iter().find(|whole| is(base, whole))?;
        Some(format!("é {name}, {}", amount_in_brl(base)))
    }

    /// The margin of the substitution, or the rate of the destination: the other figures are those of the rule, and the
    /// amount follows.
    fn margin(&self) -> Option<Explanation> {
        let declared = self.comparison.declared;
        let (base, margin) = (declared.base?, declared.aliquota?);
        let (lawful_base, lawful) =
            ((self.comparison.members.base)(self.answer)?, (self.comparison.members.aliquota)(self.answer)?);
        let (rate, lawful_rate) = (self.facts.aliquota_st?, self.answer.figure("aliquota_interna")?);
        let amount = declared.valor.saturating_sub(self.facts.st_fcp);
        let closes = share(base, rate).is_some_and(|whole| agree(whole.saturating_sub(self.facts.icms), amount));
        let with = |base: Decimal, margin: Decimal| share(base, Decimal::ONE_HUNDRED.saturating_add(margin));
        let same_price =
            with(base, lawful).zip(with(lawful_base, margin)).is_some_and(|(one, other)| agree(one, other));
        let detalhe = match (rate == lawful_rate, margin == lawful) {
            _ if !closes || !same_price => return None,
            (true, false) => format!("só a margem não é a da regra: {}% e não {}%", shown(margin), shown(lawful)),
            (false, true) => format!(
                "só a alíquota da UF de destino não é a da regra: {}% e não {}%",
                shown(rate),
                shown(lawful_rate)
            ),
            _ => return None,
        };
        Some(Explanation { codigo: "so_a_aliquota", detalhe: format!("{detalhe} ({})", self.law()) })
    }

    /// The sentence of a base that the document reduces by its `pRedBC`, where the rule has no reduction. Some issuers write
    /// there what is left of the base.
    fn reduced_base(&self) -> Option<Explanation> {
        let reducao = self.facts.reducao;
        if self.comparison.line.tributo != "icms" || reducao.is_zero() {
            return None;
        }
        let (whole, base) = ((self.comparison.members.base)(self.answer)?, self.comparison.declared.base?);
        // The reduction of the law may have more digits than the document writes.
        let reaches = |kept: Decimal| is_share(base, whole, kept, HUNDREDTH);
        let written = shown(reducao);
        let kept = Decimal::ONE_HUNDRED.saturating_sub(reducao);
        let (kept, how) = if reaches(kept) {
            (kept, format!("reduz a base em {written}% (pRedBC)"))
        } else if reaches(reducao) {
            (reducao, format!("reduz a base a {written}%, que escreve em pRedBC"))
        } else {
            return None;
        };
        let burden = self.comparison.declared.aliquota.and_then(|rate| share(kept, rate));
        let burden = burden.map(|burden| format!(": a carga é de {}%", shown(burden))).unwrap_or_default();
        let detalhe = format!("o documento {how}, e a regra não traz essa redução{burden}");
        Some(Explanation { codigo: "reducao_do_documento", detalhe })
    }

    /// The sentence of a figure that the document writes wrong: the other two are right, and it is not what they give.
    fn wrong_figure(&self) -> Option<Explanation> {
        let declared = self.comparison.declared;
        let detalhe = match self.comparison.agreement(self.answer) {
            _ if declared.base.is_none() || declared.aliquota.is_none() || self.closes() => return None,
            [Some(false), Some(true), Some(true)] => {
                "a base e a alíquota são as da regra, e só o valor não é o produto delas"
            }
            [Some(true), Some(false), Some(true)] => "o valor e a base são os da regra, e só a alíquota escrita não é",
            [Some(true), Some(true), Some(false)] => "o valor e a alíquota são os da regra, e só a base escrita não é",
            _ => return None,
        };
        Some(Explanation { codigo: "figura_escrita", detalhe: detalhe.to_owned() })
    }
}

/// A figure in Portuguese, without the zeros at its end.
fn shown(figure: Decimal) -> String {
    with_comma(figure.normalize())
}
