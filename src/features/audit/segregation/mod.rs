//! The revenue of a company of the Simples Nacional by what the PGDAS-D asks for (LC 123/2006, art. 18, §§ 4º and 4º-A;
//! Resolução CGSN 140/2018, art. 25): single-phase products, ICMS that was already paid, ISS that the taker withholds,
//! exports. Revenue that is not segregated pays these taxes twice.
//!
//! Nothing here is a finding. [`revenue`] says what each document is, [`das`] asks `simples_nacional` for what the month
//! costs, and the engine alone calculates. The memory is bounded by companies and months, and not by documents.

mod das;
mod lines;
mod revenue;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rust_decimal::Decimal;
use serde::Serialize;

pub(super) use self::das::asked;
pub(super) use self::lines::table;
pub(super) use self::revenue::of_document;
use crate::base::value::RegraCitada;
use crate::features::audit::finding::{brl, decimal};
use crate::features::audit::situation::is_single_phase_resale;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::rule::{Condicao, RuleResult};
use crate::law::tax::TaxAnswer;

taxd_base::vocabulary! {
    /// What was sold. It decides the Anexo.
    pub enum Activity {
        Revenda = "revenda" => "Revenda",
        Industria = "industria" => "Venda de produção própria",
        Servico = "servico" => "Serviço",
        Indefinida = "indefinida" => "Atividade que o documento não diz",
    }

    pub enum Market {
        Interno = "interno" => "mercado interno",
        Externo = "externo" => "exportação",
    }

    pub enum Contributions {
        Ordinaria = "ordinaria" => "PIS e COFINS no DAS",
        Monofasica = "monofasica" => "PIS e COFINS monofásicos",
    }

    /// What becomes of ICMS or ISS.
    pub enum LocalTax {
        Ordinario = "ordinario" => "ICMS ou ISS no DAS",
        StAnterior = "icms_st_anterior" => "ICMS já recolhido por substituição",
        StPropria = "icms_st_propria" => "ICMS-ST retido pela própria empresa, que paga no DAS o da operação própria",
        NaoDevido = "nao_devido_pelo_documento" => "ICMS ou ISS não devido ou monofásico pelo documento, sem segregar aqui",
        IssRetido = "iss_retido" => "ISS retido pelo tomador",
        IssFixo = "iss_fixo" => "ISS em valor fixo ao município",
        OutroMunicipio = "iss_outro_municipio" => "ISS devido a outro município",
    }
}

/// What the PGDAS-D distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RevenueTreatment {
    pub mercado: Market,
    pub atividade: Activity,
    pub contribuicoes: Contributions,
    pub imposto: LocalTax,
}

/// The revenue of a document, for one company.
#[derive(Debug)]
pub(super) struct DocumentRevenue {
    /// The digits of the company, which are never written.
    company: String,
    /// The company as the report shows it; empty if the document is that of a buyer.
    shown: String,
    /// `2026-03`.
    month: String,
    state: Issued,
    /// ICMS and ISS are not in the DAS (CRT 2).
    is_above_sublimit: bool,
    items: Vec<ItemRevenue>,
    left_out: Vec<(&'static str, Decimal)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Issued {
    Valid,
    /// Cancelled, denied or rejected.
    Void,
    /// A buyer returns goods. Whether the seller is in the Simples, its own documents say.
    ByBuyer,
}

#[derive(Debug)]
struct ItemRevenue {
    treatment: RevenueTreatment,
    amount: Decimal,
    is_return: bool,
    /// The document has CST 04 of PIS: resale of a single-phase product.
    says_single_phase: bool,
    /// Asks whether the product is a single-phase one.
    question: Option<Arc<EnginePayload>>,
}

impl DocumentRevenue {
    pub(super) fn questions(&self) -> impl Iterator<Item = Arc<EnginePayload>> {
        self.items.iter().filter_map(|item| item.question.clone())
    }

    /// Takes the questions that the lines of the document ask too, so that each is asked once. Both are in the order of the
    /// items.
    pub(super) fn share<'a>(&mut self, asked: impl Iterator<Item = &'a Arc<EnginePayload>>) {
        let mut asked = asked.peekable();
        for question in self.items.iter_mut().filter_map(|item| item.question.as_mut()) {
            if let Some(same) = asked.next_if(|same| **same == *question) {
                *question = Arc::clone(same);
            }
        }
    }
}

#[derive(Debug, Default)]
struct Sum {
    items: u64,
    sales: Decimal,
    returns: Decimal,
}

impl Sum {
    fn add(&mut self, other: &Sum) {
        self.items += other.items;
        self.sales = self.sales.saturating_add(other.sales);
        self.returns = self.returns.saturating_add(other.returns);
    }

    /// The revenue; the balance of returns is deducted in the next months.
    fn revenue(&self) -> Decimal {
        self.sales.saturating_sub(self.returns).max(Decimal::ZERO)
    }

    fn balance(&self) -> Decimal {
        self.returns.saturating_sub(self.sales).max(Decimal::ZERO)
    }
}

#[derive(Debug, Default)]
struct Month {
    shown: String,
    /// It issued a document as a company of the Simples.
    is_seller: bool,
    notes: u64,
    void: u64,
    in_das: bool,
    above_sublimit: bool,
    sums: BTreeMap<RevenueTreatment, Sum>,
    /// Returns by documents of buyers.
    returned: BTreeMap<RevenueTreatment, Sum>,
    left_out: BTreeMap<&'static str, Decimal>,
    to_check: BTreeMap<String, Decimal>,
}

/// What a run found of all companies of the Simples.
#[derive(Debug, Default)]
pub(super) struct Segregation {
    /// By all digits of the company, and the month.
    months: BTreeMap<(String, String), Month>,
}

fn add_to<K: Ord>(sums: &mut BTreeMap<K, Decimal>, key: K, amount: Decimal) {
    let sum = sums.entry(key).or_default();
    *sum = sum.saturating_add(amount);
}

const UNCONFIRMED: &str = "CST 04 de PIS em produto que nenhuma regra diz monofásico: contado sem segregar";
const CONDITIONAL: &str =
    "monofásico pelo NCM, e a regra ainda depende do que o produto é ou do seu uso: leia o aviso dela";
const BALANCE: &str = "devoluções acima da receita do mês: o saldo se deduz dos meses seguintes (Resolução CGSN nº 140/2018, art. 17, II)";

/// Whether the product is a single-phase one, and what is to be checked of the answer.
fn single_phase(item: &ItemRevenue, answer: &RuleResult<TaxAnswer>) -> (bool, Option<String>) {
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) => {
            let why = format!(
                "se o produto é monofásico não foi respondido ({}): contado sem segregar",
                problem.codigo.as_str()
            );
            return (false, Some(why));
        }
    };
    if !is_single_phase_resale(answer) {
        return (false, item.says_single_phase.then(|| UNCONFIRMED.to_owned()));
    }
    let of_product = |condition| matches!(condition, Some(Condicao::Descricao | Condicao::Destino));
    let depends = answer.avisos().any(|note| of_product(note.condicao));
    (true, depends.then(|| CONDITIONAL.to_owned()))
}

impl Segregation {
    /// Adds a document, with the answers to its questions in their order.
    pub(super) fn add(
        &mut self,
        document: DocumentRevenue,
        answers: &mut impl Iterator<Item = Arc<RuleResult<TaxAnswer>>>,
    ) {
        let month = self.months.entry((document.company, document.month)).or_default();
        match document.state {
            Issued::Void => {
                month.is_seller = true;
                month.void += 1;
                month.shown = document.shown;
                return;
            }
            Issued::Valid => {
                month.is_seller = true;
                month.notes += 1;
                month.above_sublimit |= document.is_above_sublimit;
                month.in_das |= !document.is_above_sublimit;
                month.shown = document.shown;
            }
            Issued::ByBuyer => {}
        }
        for (reason, amount) in document.left_out {
            add_to(&mut month.left_out, reason, amount);
        }
        for item in document.items {
            let answer = item.question.as_ref().and_then(|_| answers.next());
            let (is_single_phase, note) = answer.map_or((false, None), |answer| single_phase(&item, &answer));
            if let Some(note) = note {
                add_to(&mut month.to_check, note, item.amount);
            }
            let contribuicoes = if is_single_phase { Contributions::Monofasica } else { Contributions::Ordinaria };
            let treatment = RevenueTreatment { contribuicoes, ..item.treatment };
            let sums = if document.state == Issued::ByBuyer { &mut month.returned } else { &mut month.sums };
            let (sales, returns) =
                if item.is_return { (Decimal::ZERO, item.amount) } else { (item.amount, Decimal::ZERO) };
            sums.entry(treatment).or_default().add(&Sum { items: 1, sales, returns });
        }
    }

    /// The months of the companies that are in the Simples. A buyer does not know what the seller sold as, so a return
    /// takes the only activity that the seller has in the month.
    fn of_sellers(self) -> BTreeMap<(String, String), Month> {
        let sellers: BTreeMap<String, String> = self
            .months
            .iter()
            .filter(|(_, month)| month.is_seller)
            .map(|((company, _), month)| (company.clone(), month.shown.clone()))
            .collect();
        let mut months = BTreeMap::new();
        for ((company, name), mut month) in self.months {
            let Some(shown) = sellers.get(&company) else { continue };
            month.shown.clone_from(shown);
            let activities: BTreeSet<Activity> = month
                .sums
                .keys()
                .map(|of| of.atividade)
                .filter(|activity| matches!(activity, Activity::Revenda | Activity::Industria))
                .collect();
            let only = activities.first().copied().filter(|_| activities.len() == 1);
            for (treatment, sum) in std::mem::take(&mut month.returned) {
                let atividade = only.unwrap_or(treatment.atividade);
                month.sums.entry(RevenueTreatment { atividade, ..treatment }).or_default().add(&sum);
            }
            for sum in month.sums.values().filter(|sum| !sum.balance().is_zero()) {
                add_to(&mut month.to_check, BALANCE.to_owned(), sum.balance());
            }
            months.insert((company, name), month);
        }
        months
    }
}

/// A company of the Simples in a month.
#[derive(Debug, Clone, Serialize)]
pub struct SegregatedMonth {
    /// The company, as [`AuditLine::empresa`](super::AuditLine::empresa) has it.
    pub empresa: String,
    /// `2026-03`.
    pub mes: String,
    /// Documents that were counted.
    pub notas: u64,
    /// Its cancelled, denied and rejected documents, which were left out.
    pub canceladas: u64,
    pub receitas: Vec<SegregatedRevenue>,
    /// What the month costs, by Anexo and market.
    pub das: Vec<DasOfMonth>,
    /// Amounts of its documents that are not revenue, by reason.
    pub fora: Vec<AmountAndReason>,
    /// Revenue of which something is to be checked.
    pub conferir: Vec<AmountAndReason>,
    /// What is not known of the month.
    pub faltas: Vec<String>,
}

/// Revenue of one treatment.
#[derive(Debug, Clone, Serialize)]
pub struct SegregatedRevenue {
    #[serde(flatten)]
    pub tratamento: RevenueTreatment,
    /// The treatment in words.
    pub descricao: String,
    pub itens: u64,
    #[serde(serialize_with = "brl")]
    pub vendas: Decimal,
    #[serde(serialize_with = "brl")]
    pub devolucoes: Decimal,
    /// Sales less returns, and at least zero.
    #[serde(serialize_with = "brl")]
    pub receita: Decimal,
}

#[derive(Debug, Clone, Serialize)]
pub struct AmountAndReason {
    pub motivo: String,
    #[serde(serialize_with = "brl")]
    pub valor: Decimal,
}

/// The DAS of one Anexo and market, or what is missing to know it.
#[derive(Debug, Clone, Serialize)]
pub struct DasOfMonth {
    pub anexo: String,
    pub mercado: Market,
    #[serde(serialize_with = "brl")]
    pub receita: Decimal,
    /// The DAS with the revenue segregated.
    #[serde(serialize_with = "decimal")]
    pub valor: Option<Decimal>,
    /// What it would charge twice if nothing was segregated.
    #[serde(serialize_with = "decimal")]
    pub cobrado_em_dobro: Option<Decimal>,
    /// In percent.
    #[serde(serialize_with = "decimal")]
    pub aliquota_efetiva: Option<Decimal>,
    /// Why the DAS is not known.
    pub falta: Option<String>,
    pub regra: Option<RegraCitada>,
    #[serde(skip)]
    pub payload: Option<Arc<EnginePayload>>,
    #[serde(skip)]
    pub resposta: Option<Arc<RuleResult<TaxAnswer>>>,
}

impl RevenueTreatment {
    /// The treatment in words: activity, market, and what is segregated.
    pub fn in_words(self) -> String {
        let RevenueTreatment { mercado, atividade, contribuicoes, imposto } = self;
        let words = [
            Some(Activity::VOCABULARY.label(atividade.as_str())),
            (mercado == Market::Externo).then(|| Market::VOCABULARY.label(mercado.as_str())),
            (contribuicoes != Contributions::Ordinaria)
                .then(|| Contributions::VOCABULARY.label(contribuicoes.as_str())),
            (imposto != LocalTax::Ordinario).then(|| LocalTax::VOCABULARY.label(imposto.as_str())),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}
