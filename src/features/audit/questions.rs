//! The taxes of an item as questions to the engine, or the reason why there is none.

mod icms;

use std::collections::BTreeSet;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::compare::{self, Comparison, Declared, Members, special_treatment};
use super::compared::{ICMS, REFORMA};
use super::explain::Facts;
use super::finding::{AuditLine, Certainty, Explanation, Layer};
use super::question::{BEFORE_EXCEPTIONS, Question, Sign};
use super::substitution::interstate_rates;
use super::{PlannedLine, iss, simples_resale, situation};
use crate::base::value::{Date, amount_in_brl, with_comma};
use crate::law::nfe::payloads::{EnginePayload, Mercadoria};
use crate::law::nfe::{Contribuinte, ItemDaNota, NotaFiscal, Tag};

/// The first day of the rules of ICMS for products; the rate between States is of 1989.
const PRODUCTS_SINCE: Date = Date::first_of(2022);
/// The first day of CBS and IBS (LC 214/2025, arts. 343 and 346).
pub(super) const REFORM_SINCE: Date = Date::first_of(2026);
/// What a document leaves out of the amount of CBS, and of IBS.
const CBS_DEFERRED: [Tag; 2] = [Tag::CbsDiferido, Tag::CbsDevolvido];
const IBS_DEFERRED: [Tag; 4] = [Tag::IbsUfDiferido, Tag::IbsUfDevolvido, Tag::IbsMunDiferido, Tag::IbsMunDevolvido];
/// Why CBS and IBS of a sale to the public administration are not compared.
pub(super) const GOVERNMENT_PURCHASE: &str =
    "compra governamental: a alíquota é reduzida por um fator que nenhuma regra traz (LC 214/2025, arts. 472 e 473)";
/// Why a difference may be right: how an exemption that is deducted from the price enters the bases of the taxes is not on
/// the document.
const EXEMPTED: &str = "o item traz ICMS desonerado, que pode ter sido abatido do preço";
/// Why a difference may be right: only makers, and those treated as such, owe IPI.
const UNKNOWN_IPI_TAXPAYER: &str =
    "o item não cobra IPI, e quem o deve é o industrial: informe `contribuinte_ipi` nos dados da empresa";
/// Why PIS and COFINS are not compared without the file of the company.
pub(super) const MISSING_REGIME: &str = "informe `regime_pis_cofins` nos dados da empresa: nenhum documento o diz";

/// An item and what its taxes are asked with.
struct Asker<'a> {
    goods: Mercadoria<'a>,
    contribuinte: &'a Contribuinte,
    line: &'a AuditLine,
    facts: Arc<Facts>,
    lines: Vec<PlannedLine>,
}

/// The lines of the taxes of an item.
pub(super) fn of_item(
    nota: &NotaFiscal,
    item: &ItemDaNota,
    day: Date,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let goods = Mercadoria { nota, item, day };
    let facts = Arc::new(Facts::of(&goods));
    let mut asker = Asker { goods, contribuinte, line, facts, lines: Vec::new() };
    if !item.unreadable.is_empty() {
        let detail = "um campo do item não é legível: nenhum tributo dele é calculado";
        asker.ready(asker.of("item").refused("campo_ilegivel", detail));
        return asker.lines;
    }
    let unknown = situation::unknown_base(item, day).filter(|_| situation::is_compared(nota));
    if let Some(reason) = unknown {
        asker.ready(asker.of("item").refused("base_propria", reason));
        return asker.lines;
    }
    if let Some(reason) = situation::of_operation(nota, item) {
        asker.ready(asker.of("item").not_applicable(reason));
        return asker.lines;
    }
    if item.servico {
        asker.lines.extend(iss::of_item(item, day, nota.icms_in_simples(), contribuinte, line));
    } else {
        asker.icms();
        asker.icms_st();
        asker.ipi();
    }
    asker.contributions();
    asker.reform();
    asker.lines
}

/// The ICMS of transfers between establishments of one company: one line for all items of the document.
pub(super) fn of_transfers(nota: &NotaFiscal, day: Date, line: &AuditLine) -> Option<AuditLine> {
    let items = situation::taxed_transfers(nota, day);
    if items.is_empty() {
        return None;
    }
    let add = |sum: Decimal, item: &&ItemDaNota| sum.saturating_add(situation::charged_on_transfer(item));
    let charged = items.iter().fold(Decimal::ZERO, add);
    let numbers: Vec<String> = items.iter().map(|item| item.number.to_string()).collect();
    let text =
        format!("{} (itens: {}; ICMS: R$ {})", situation::TAXED_TRANSFER, numbers.join(", "), amount_in_brl(charged));
    let line = AuditLine { declarado: Some(charged), ..line.clone().in_layer(Layer::Lei, "icms") };
    let explicacao = rate_of_transfer(nota, day, &items);
    Some(AuditLine { explicacao, ..line.differing(Certainty::Conferir, "transferencia_tributada", text) })
}

/// Between States the credit that is transferred has the rates of that way; within one its law decides.
fn rate_of_transfer(nota: &NotaFiscal, day: Date, items: &[&ItemDaNota]) -> Option<Explanation> {
    let rates: BTreeSet<Decimal> = items.iter().filter_map(|item| item.figures.get(Tag::IcmsAliquota)).collect();
    let shown: Vec<String> = rates.iter().map(|rate| with_comma(rate.normalize())).collect();
    let shown = shown.join("%, ");
    let is_of_credit = rates.iter().all(|rate| interstate_rates(Some(day)).contains(rate));
    let detalhe = match nota.destino {
        _ if rates.is_empty() => return None,
        2 if is_of_credit => {
            format!(
                "a alíquota é interestadual ({shown}%), como a do crédito que se transfere (Convênio ICMS 109/2024)"
            )
        }
        2 => format!(
            "a alíquota ({shown}%) não é a interestadual, pela qual o crédito se transfere (Convênio ICMS 109/2024)"
        ),
        _ => format!("a transferência é dentro da UF, a {shown}%: a lei dela diz se o crédito se transfere"),
    };
    Some(Explanation { codigo: "aliquota_da_transferencia", detalhe })
}

impl Asker<'_> {
    fn of(&self, tributo: &'static str) -> AuditLine {
        self.line.clone().in_layer(Layer::Lei, tributo)
    }

    fn get(&self, tag: Tag) -> Option<Decimal> {
        self.goods.item.figures.get(tag)
    }

    fn sum(&self, tags: &[Tag]) -> Decimal {
        self.goods.item.figures.sum(tags)
    }

    fn ready(&mut self, line: AuditLine) {
        self.lines.push(super::ready(line));
    }

    fn ask(&mut self, payload: EnginePayload, comparisons: Vec<Comparison>, ncm: Option<AuditLine>) {
        let (payload, facts) = (compare::asked(payload), Arc::clone(&self.facts));
        self.lines.push(Question { ncm, ..Question::compared(payload, comparisons, facts) }.planned());
    }

    /// Asks for what an answer shows of a line with nothing to compare.
    fn look_for(&mut self, payload: EnginePayload, sign: Sign, line: AuditLine) {
        self.lines.push(Question::of_sign(compare::asked(payload), sign, line).planned());
    }

    /// A comparison; a special treatment of the taxpayer makes its difference one to be checked.
    fn compare(
        &self,
        tributo: &'static str,
        members: &'static Members,
        declared: Declared,
        cst: Option<&str>,
    ) -> Comparison {
        let before_exceptions = self.before_exceptions(tributo);
        let doubt = before_exceptions
            .then(|| BEFORE_EXCEPTIONS.to_owned())
            .or_else(|| special_treatment(self.contribuinte, tributo, self.goods.day))
            .or_else(|| situation::doubt(self.goods.item).map(str::to_owned))
            .or_else(|| situation::benefit(self.goods.item).filter(|_| tributo.starts_with("icms")))
            .or_else(|| situation::importer(self.goods.item, tributo).map(str::to_owned))
            .or_else(|| (!self.sum(&[Tag::IcmsDesonerado]).is_zero()).then(|| EXEMPTED.to_owned()))
            .or_else(|| cst.map(|cst| format!("o CST {cst} não diz o tratamento")));
        Comparison { members, declared, reductions: [None; 2], doubt, before_exceptions, line: self.of(tributo) }
    }

    /// Whether the rules have the general rates of the State on that day, and not yet those of its products.
    fn before_exceptions(&self, tributo: &str) -> bool {
        tributo.starts_with("icms") && self.goods.day < PRODUCTS_SINCE
    }

    /// The question is asked of every product, since the answer also says whether its NCM is alive.
    fn ipi(&mut self) {
        let item = self.goods.item;
        let reason = self.without_ipi();
        let mut comparisons = Vec::new();
        match reason {
            Some(Ok(reason)) => self.ready(self.of("ipi").not_applicable(reason)),
            Some(Err(missing)) => self.ready(self.of("ipi").refused("contribuinte_ipi_ausente", missing)),
            None => {
                let declared = Declared {
                    valor: self.sum(&[Tag::IpiValor]),
                    aliquota: self.get(Tag::IpiAliquota),
                    base: self.get(Tag::IpiBase),
                    ..Declared::default()
                };
                let other = (item.cst_ipi == "99").then_some("99");
                let mut comparison = self.compare("ipi", &ICMS, declared, other);
                if self.leaves_out_ipi() && self.contribuinte.contribuinte_ipi.is_none() {
                    comparison.doubt = comparison.doubt.or_else(|| Some(UNKNOWN_IPI_TAXPAYER.to_owned()));
                }
                comparisons.push(comparison);
            }
        }
        if !item.ncm.is_empty() {
            let payload = self.goods.ipi(self.contribuinte);
            self.ask(payload, comparisons, Some(self.line.clone()));
        }
    }

    /// Why IPI is not compared: a reason, or what is missing to know it.
    fn without_ipi(&self) -> Option<Result<&'static str, &'static str>> {
        let (nota, item) = (self.goods.nota, self.goods.item);
        if nota.simples() {
            return Some(Ok(situation::SIMPLES));
        }
        if let Some(reason) = situation::of_ipi(&item.cst_ipi) {
            return Some(Ok(reason));
        }
        let has_group = !item.cst_ipi.is_empty();
        if item.cst_ipi == "99" && self.sum(&[Tag::IpiValor]).is_zero() {
            return Some(Ok("outras saídas, sem IPI, pelo CST"));
        }
        if has_group && !self.leaves_out_ipi() {
            return None;
        }
        match self.contribuinte.contribuinte_ipi {
            Some(false) => Some(Ok("o emitente não é contribuinte do IPI")),
            None if item.revenda() => Some(Ok("revenda sem IPI: só o industrial e quem lhe é equiparado o devem")),
            None if situation::is_transfer(item) && !item.producao_propria() => {
                Some(Ok("transferência, sem IPI, do que o emitente não produziu"))
            }
            // An importer is treated as a maker (RIPI, art. 9º, I).
            Some(true) if item.producao_propria() || matches!(item.origem, Some(1 | 6)) => None,
            Some(true) => Some(Ok("o CFOP não é de produção do emitente")),
            None if has_group => None,
            None => Some(Err("o item não tem o grupo do IPI: informe `contribuinte_ipi` nos dados da empresa")),
        }
    }

    /// Whether the group of the IPI says that none is due: CST 51 (rate of zero) or 53 (not taxed), or 50 (taxed) at zero.
    /// Resellers, which owe no IPI, fill the group with them too, so company and CFOP decide as they do of an item without
    /// the group.
    fn leaves_out_ipi(&self) -> bool {
        matches!(self.goods.item.cst_ipi.as_str(), "50" | "51" | "53") && self.sum(&[Tag::IpiValor]).is_zero()
    }

    fn contributions(&mut self) {
        let item = self.goods.item;
        let pis = ("pis", item.cst_pis.clone(), [Tag::PisValor, Tag::PisAliquota, Tag::PisBase, Tag::PisQuantidade]);
        let cofins = (
            "cofins",
            item.cst_cofins.clone(),
            [Tag::CofinsValor, Tag::CofinsAliquota, Tag::CofinsBase, Tag::CofinsQuantidade],
        );
        for (tributo, cst, [amount, rate, base, quantity]) in [pis, cofins] {
            let charged = self.sum(&[amount]) > Decimal::ZERO;
            let reason = if self.goods.nota.simples() {
                Some(situation::SIMPLES)
            } else {
                situation::without_revenue(item)
                    .or_else(|| situation::of_contribution(&cst, charged))
                    .or_else(|| situation::to_free_trade_zone(item, charged))
            };
            if let Some(reason) = reason {
                let line = self.of(tributo);
                if tributo == "pis" && simples_resale::may_be_charged_twice(self.goods.nota, item) {
                    let payload = self.goods.monofasia(self.contribuinte);
                    self.look_for(payload, simples_resale::of_answer, line);
                } else {
                    self.ready(line.not_applicable(reason));
                }
                continue;
            }
            let Some(payload) = self.goods.contribuicao(tributo, &cst, (base, quantity), self.contribuinte) else {
                self.ready(self.of(tributo).refused("regime_apuracao_ausente", MISSING_REGIME));
                continue;
            };
            let (valor, aliquota, base) = (self.sum(&[amount]), self.get(rate), self.get(base));
            let declared = Declared { valor, aliquota, base, ..Declared::default() };
            let other = cst.parse::<u8>().is_ok_and(|cst| cst >= 49).then_some(cst.as_str());
            let comparison = self.compare(tributo, &ICMS, declared, other);
            self.ask(payload, vec![comparison], None);
        }
    }

    fn reform(&mut self) {
        let item = self.goods.item;
        if !item.has_reform {
            // A document without the group has a finding of its own.
            return;
        }
        let ibs = Declared {
            valor: self.sum(&[&[Tag::IbsUfValor, Tag::IbsMunValor], &IBS_DEFERRED[..]].concat()),
            aliquota: self.get(Tag::IbsUfAliquota).map(|uf| uf.saturating_add(self.sum(&[Tag::IbsMunAliquota]))),
            base: self.get(Tag::ReformaBase),
            adiado: self.sum(&IBS_DEFERRED),
        };
        let cbs = Declared {
            valor: self.sum(&[&[Tag::CbsValor], &CBS_DEFERRED[..]].concat()),
            aliquota: self.get(Tag::CbsAliquota),
            base: self.get(Tag::ReformaBase),
            adiado: self.sum(&CBS_DEFERRED),
        };
        let cbs_reductions = [self.get(Tag::CbsReducao), None];
        let ibs_reductions = [self.get(Tag::IbsUfReducao), self.get(Tag::IbsMunReducao)];
        for (tributo, declared, reductions) in [("cbs", cbs, cbs_reductions), ("ibs", ibs, ibs_reductions)] {
            if self.goods.day < REFORM_SINCE {
                self.ready(self.of(tributo).not_applicable(situation::BEFORE_REFORM));
                continue;
            }
            if situation::is_transfer(item) {
                self.ready(self.of(tributo).not_applicable(situation::TRANSFER_OUTSIDE_REFORM));
                continue;
            }
            if self.goods.nota.simples() {
                self.ready(self.of(tributo).not_applicable(situation::SIMPLES));
                continue;
            }
            if self.goods.nota.government_purchase {
                self.ready(self.of(tributo).refused("compra_governamental", GOVERNMENT_PURCHASE));
                continue;
            }
            let payload = self.goods.reforma(tributo);
            let mut comparison = self.compare(tributo, &REFORMA, declared, None);
            comparison.reductions = reductions;
            if declared.adiado > Decimal::ZERO {
                // The rules say what is due in all; whether a part may be paid later, or is given back, they do not.
                let part = "o documento difere ou devolve uma parte, que é somada ao valor";
                comparison.doubt = comparison.doubt.or_else(|| Some(part.to_owned()));
            }
            self.ask(payload, vec![comparison], None);
        }
    }
}
