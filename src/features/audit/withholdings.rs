//! What the taker of a service withholds, as the document declares it, against the six kinds of withholding.
//!
//! The law of a withholding lists services by their nature, and dispenses some takers and providers: a document has the
//! subitem of the service and a CNPJ. So a difference is to be checked, never sure, and a withholding that the document
//! does not declare does not differ: the taker withholds when it pays. What the document says against itself is sure.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::PlannedLine;
use super::compare::{Comparison, Declared, Members, asked};
use super::differences::{CENT, agree, share};
use super::explain::Facts;
use super::finding::{AuditLine, Certainty, Layer};
use super::question::{Question, Sign};
use crate::base::document::Role;
use crate::base::value::Date;
use crate::law::nfe::payloads::{EnginePayload, Retencao};
use crate::law::nfe::{Contribuinte, NotaDeServico, NotaFiscal, RetencoesDoServico, Tag, TomadorDoServico, TotalTag};
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

const WITHHELD: Members = Members {
    valores: &[|a| Some(a.valor.decimal())],
    aliquota: |_| None,
    base: |a| a.figures(Role::Base).next(),
    with_difference: false,
    with_fcp: false,
};
/// The three contributions as one: what they add up to, if anything is withheld.
const TOGETHER: Members = Members { valores: &[together], ..WITHHELD };

#[expect(clippy::unnecessary_wraps, reason = "the form of a figure of an answer")]
fn together(answer: &TaxAnswer) -> Option<Decimal> {
    let sum = answer.figure("soma_retencoes").filter(|_| !answer.valor.decimal().is_zero());
    Some(sum.unwrap_or_else(|| answer.valor.decimal()))
}

/// The withholdings that one field may have as a sum.
const CONTRIBUTIONS: [&str; 3] = ["csll_retida", "pis_retido", "cofins_retida"];
const DOUBT: &str =
    "a nota não diz a natureza do serviço e do tomador nem o dia do pagamento, de que a retenção depende";
const TWO_IN_SUM: &str = "a nota soma duas das três contribuições, e cada uma tem a sua regra";
const NO_NATURE: &str = "o subitem não diz que serviço das leis da retenção foi prestado";
const SEVERAL: &str = "a nota tem mercadorias ou mais de um subitem, e a retenção é do documento inteiro";
const INSS_ABOVE: &str = "o INSS retido passa do que a regra dá sobre o valor inteiro da nota, sem nenhuma dedução";
const INSS_BELOW: &str = "o INSS retido é menor que o da nota inteira: a base pode ter deduções que ela não mostra";
const NOT_WITHHELD: &str = "a nota diz que o ISS não é retido, e traz ISS retido";
const NONE_WITHHELD: &str =
    "a nota diz que PIS, COFINS e CSLL não são retidos (tpRetPisCofins 0), e traz contribuições retidas (vRetCSLL)";
const LAW_WITHHOLDS: &str = "a nota diz que o ISS não é retido; a lei complementar faz responsável a pessoa jurídica que toma este serviço, e o prestador é de outro município";

/// What a document withholds, and of what.
struct Withheld<'a> {
    of: Retencao<'a>,
    item: &'a str,
    /// The amounts, each with the base that the document has for it.
    amounts: Vec<(&'static str, Decimal, Option<Decimal>)>,
    line: AuditLine,
    facts: Arc<Facts>,
}

/// The lines of an NFS-e.
pub(super) fn of_service(
    nota: &NotaDeServico,
    day: Date,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let line = line.clone().of_service(&nota.item_lista);
    let declared = &nota.retencoes;
    let mut lines: Vec<PlannedLine> = contradictions(declared, &line).into_iter().map(super::ready).collect();
    let Some(price) = nota.preco.filter(|_| nota.unreadable.is_empty()) else { return lines };
    let to_person = declared.tomador == TomadorDoServico::PessoaFisica;
    let of = Retencao { price, simples: nota.simples, to_person, contribuinte, day };
    let amounts = [
        ("irrf_servicos", declared.irrf),
        ("csll_retida", declared.csll),
        ("pis_retido", declared.pis),
        ("cofins_retida", declared.cofins),
        ("inss_retido", declared.inss),
    ];
    let mut amounts: Vec<_> = amounts.into_iter().filter_map(|(tax, amount)| Some((tax, amount?, None))).collect();
    // Before the sum had its rule (NT SE/CGNFS-e 007/2026), some wrote it in the field of the CSLL already.
    let sum = declared.csll.filter(|csll| declared.soma.is_none() && is_of_all_three(price, *csll));
    if sum.is_some() {
        amounts.retain(|(tax, ..)| !CONTRIBUTIONS.contains(tax));
    }
    let (several, amounts): (Vec<_>, Vec<_>) = amounts.into_iter().partition(|_| !nota.outros.is_empty());
    lines.extend(of_whole(&several, &line));
    let facts = Arc::new(Facts::of_service(nota));
    let withheld = Withheld { of, item: &nota.item_lista, amounts, line, facts };
    lines.extend(withheld.lines());
    let sum = declared.soma.or_else(|| Some((sum?, [true; 3]))).filter(|_| nota.outros.is_empty());
    lines.extend(sum.and_then(|sum| withheld.sum(sum)));
    lines.extend(withheld.iss(nota));
    lines
}

/// The lines of the group `retTrib` of an NF-e, which is of the whole document.
pub(super) fn of_goods(
    nota: &NotaFiscal,
    day: Date,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let get = |tag: TotalTag| nota.totals.get(tag);
    let amounts = [
        ("irrf_servicos", get(TotalTag::RetidoIrrf), get(TotalTag::BaseIrrf)),
        ("csll_retida", get(TotalTag::RetidoCsll), None),
        ("pis_retido", get(TotalTag::RetidoPis), None),
        ("cofins_retida", get(TotalTag::RetidoCofins), None),
        ("inss_retido", get(TotalTag::RetidoInss), get(TotalTag::BaseInss)),
    ];
    let amounts: Vec<_> = amounts.into_iter().filter_map(|(tax, amount, base)| Some((tax, amount?, base))).collect();
    let first = nota.items.first();
    let is_one =
        nota.items.iter().all(|item| item.servico && Some(&item.item_lista) == first.map(|one| &one.item_lista));
    let Some(item) = first.filter(|_| is_one) else {
        return of_whole(&amounts, line).collect();
    };
    let price = nota.sum(|item| item.figures.or_zero(Tag::Produto).saturating_sub(item.figures.or_zero(Tag::Desconto)));
    let of = Retencao { price, simples: nota.simples(), to_person: false, contribuinte, day };
    let line = line.clone().of_service(&item.item_lista);
    Withheld { of, item: &item.item_lista, amounts, line, facts: Arc::default() }.lines()
}

/// The lines of what a document with several services or goods withholds as a whole.
fn of_whole(
    amounts: &[(&'static str, Decimal, Option<Decimal>)],
    line: &AuditLine,
) -> impl Iterator<Item = PlannedLine> {
    let withheld = amounts.iter().filter(|(_, amount, _)| !amount.is_zero());
    withheld.map(|(tax, ..)| super::ready(line.clone().in_layer(Layer::Lei, tax).not_applicable(SEVERAL)))
}

/// What the document says against itself.
fn contradictions(declared: &RetencoesDoServico, line: &AuditLine) -> Vec<AuditLine> {
    let mut found = Vec::new();
    let mut add = |tax, detail: &str| {
        let line = line.clone().in_layer(Layer::Coerencia, tax);
        found.push(line.differing(Certainty::ErroDoDocumento, "retencao_contraditoria", detail));
    };
    if declared.iss_retido == Some(false) && declared.iss.is_some_and(|iss| !iss.is_zero()) {
        add("iss_retido", NOT_WITHHELD);
    }
    if declared.soma.is_some_and(|(sum, which)| which == [false; 3] && !sum.is_zero()) {
        add("csll_retida", NONE_WITHHELD);
    }
    found
}

/// Whether an amount is 4,65 % of the price (Lei nº 10.833/2003, art. 31).
fn is_of_all_three(price: Decimal, amount: Decimal) -> bool {
    !amount.is_zero() && share(price, Decimal::new(465, 2)).is_some_and(|whole| agree(whole, amount))
}

impl Withheld<'_> {
    fn of(&self, tax: &'static str) -> AuditLine {
        self.line.clone().in_layer(Layer::Lei, tax)
    }

    /// A comparison for each amount that is withheld; also of a contribution of zero beside another that is not.
    fn lines(&self) -> Vec<PlannedLine> {
        let is_contribution = |tax: &&'static str| CONTRIBUTIONS.contains(tax);
        let any = self.amounts.iter().any(|(tax, amount, _)| is_contribution(tax) && !amount.is_zero());
        let compared = self.amounts.iter().filter(|(tax, amount, _)| !amount.is_zero() || is_contribution(tax) && any);
        compared.map(|(tax, amount, base)| self.compared(tax, *amount, *base)).collect()
    }

    fn compared(&self, tax: &'static str, amount: Decimal, base: Option<Decimal>) -> PlannedLine {
        let line = self.of(tax);
        if tax == "inss_retido" {
            let payload = self.of.inss(self.item, base);
            // Without the base in the document, deductions make it smaller than the price.
            return match base {
                Some(_) => self.question(payload, amount, base, &WITHHELD, line),
                None => sign(payload, inss_above, AuditLine { declarado: Some(amount), ..line }),
            };
        }
        match self.of.federal(tax, self.item, base) {
            Some(payload) => self.question(payload, amount, base, &WITHHELD, line),
            None => super::ready(line.refused("natureza_servico_ausente", NO_NATURE)),
        }
    }

    /// The contributions that are declared as one sum.
    fn sum(&self, (amount, which): (Decimal, [bool; 3])) -> Option<PlannedLine> {
        if amount.is_zero() {
            return None;
        }
        let (tax, members) = match which {
            [true, true, true] => ("csll_retida", &TOGETHER),
            [true, false, false] => ("pis_retido", &WITHHELD),
            [false, true, false] => ("cofins_retida", &WITHHELD),
            // The field has all three, whatever an older code says of PIS and COFINS (NT SE/CGNFS-e 007/2026).
            [false, false, true] if is_of_all_three(self.of.price, amount) => ("csll_retida", &TOGETHER),
            [false, false, true] => ("csll_retida", &WITHHELD),
            [false, false, false] => return None,
            _ => return Some(super::ready(self.of("csll_retida").refused("retencoes_somadas", TWO_IN_SUM))),
        };
        let line = self.of(tax);
        Some(match self.of.federal(tax, self.item, None) {
            Some(payload) => self.question(payload, amount, None, members, line),
            None => super::ready(line.refused("natureza_servico_ausente", NO_NATURE)),
        })
    }

    /// The ISS that the document says to be withheld, and that which it says not to be though the law says so.
    fn iss(&self, nota: &NotaDeServico) -> Option<PlannedLine> {
        let retencoes = &nota.retencoes;
        let withheld = retencoes.iss_retido?;
        let line = self.of("iss_retido");
        let entity = retencoes.tomador == TomadorDoServico::PessoaJuridica;
        let base = self.of.price.saturating_sub(nota.deducoes);
        if withheld {
            let amount = retencoes.iss.filter(|iss| !iss.is_zero()).or(nota.valor).filter(|iss| !iss.is_zero())?;
            let payload = self.of.iss(nota, base, Some(true))?;
            return Some(self.question(payload, amount, nota.base, &WITHHELD, line));
        }
        let elsewhere = !nota.municipio_prestador.is_empty() && nota.municipio_prestador != nota.municipio;
        let may_be_due = entity && elsewhere && nota.exigivel != Some(false) && !nota.por_profissional && !nota.mei;
        if !may_be_due || retencoes.iss.is_some_and(|iss| !iss.is_zero()) {
            return None;
        }
        // `false`: the law of the municipality, which is not known, is not what withholds it.
        let payload = self.of.iss(nota, base, Some(false))?;
        Some(sign(payload, iss_of_law, line))
    }

    fn question(
        &self,
        payload: EnginePayload,
        valor: Decimal,
        base: Option<Decimal>,
        members: &'static Members,
        line: AuditLine,
    ) -> PlannedLine {
        let declared = Declared { valor, base, ..Declared::default() };
        let doubt = Some(DOUBT.to_owned());
        let comparison = Comparison { members, declared, reductions: [None; 2], doubt, before_exceptions: false, line };
        Question::compared(asked(payload), vec![comparison], Arc::clone(&self.facts)).planned()
    }
}

/// Asks what the answer shows of a line that has nothing to compare with it.
fn sign(payload: EnginePayload, sign: Sign, line: AuditLine) -> PlannedLine {
    Question::of_sign(asked(payload), sign, line).planned()
}

/// INSS on the whole invoice is the most that can be withheld: a smaller amount has deductions.
fn inss_above(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> Option<AuditLine> {
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) => return Some(line.refused(problem.codigo.as_str(), problem.detail.to_string())),
    };
    let declared = line.declarado?;
    let line = AuditLine { regra: Some(answer.regra()), memoria: answer.memoria().cloned(), ..line };
    let line = line.with_amounts(declared, answer.valor.decimal());
    let above = line.diferenca.is_some_and(|difference| difference > CENT);
    let below = line.diferenca.is_some_and(|difference| difference < -CENT);
    Some(match (above, below) {
        (true, _) => line.differing(Certainty::Conferir, "valor", format!("{INSS_ABOVE}; {DOUBT}")),
        (_, true) => AuditLine { calculado: None, diferenca: None, ..line }.not_applicable(INSS_BELOW),
        _ => line,
    })
}

/// The national law makes the taker withhold the ISS.
fn iss_of_law(answer: &RuleResult<TaxAnswer>, line: AuditLine) -> Option<AuditLine> {
    let answer = answer.as_ref().ok()?;
    let due = answer.valor.decimal();
    let line = AuditLine { regra: Some(answer.regra()), ..line.with_amounts(Decimal::ZERO, due) };
    (!due.is_zero()).then(|| line.differing(Certainty::Conferir, "iss_nao_retido", LAW_WITHHOLDS))
}
