//! What a month costs: the questions to `simples_nacional`, one for each Anexo and market, and what is missing to ask one.

use std::collections::BTreeMap;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::{
    Activity, AmountAndReason, Contributions, DasOfMonth, LocalTax, Market, Month, RevenueTreatment, SegregatedMonth,
    SegregatedRevenue, Segregation, Sum,
};
use crate::base::value::{Date, cnpj_root};
use crate::features::audit::Companies;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::nfe::{AnexoDeServicos, Contribuinte, MesDoSimples};
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

/// The months of a run, with the answers of `simples_nacional`. `ask` answers payloads in their order.
pub(in crate::features::audit) fn asked<E>(
    segregation: Segregation,
    companies: &Companies,
    desde: Option<Date>,
    mut ask: impl FnMut(Vec<Arc<EnginePayload>>) -> Result<Vec<RuleResult<TaxAnswer>>, E>,
) -> Result<Vec<SegregatedMonth>, E> {
    let months = segregation.of_sellers();
    let totals = totals(&months);
    let mut found = Vec::new();
    for ((company, name), month) in months {
        let Ok(day) = Date::parse(&format!("{name}-01")) else { continue };
        let known = companies.of(&company);
        let asker = Asker {
            day,
            known: known.simples_em(day),
            month: &month,
            total: &|market| totals.get(&(root(&company), name.clone(), market)).copied().unwrap_or_default(),
        };
        let mut das: Vec<DasOfMonth> = asker.groups().iter().map(|group| asker.das(group)).collect();
        let payloads: Vec<_> = das.iter().filter_map(|one| one.payload.clone()).collect();
        let mut answers = if payloads.is_empty() { Vec::new() } else { ask(payloads)? }.into_iter();
        for one in das.iter_mut().filter(|one| one.payload.is_some()) {
            answers.next().into_iter().for_each(|answer| one.take(answer));
        }
        let faltas = faults(&month, &known, day, desde);
        found.push(month.with(name, das, faltas));
    }
    Ok(found)
}

fn root(company: &str) -> String {
    cnpj_root(company).unwrap_or(company).to_owned()
}

/// The revenue of all establishments of a company, by market: the DAS is that of the company.
fn totals(months: &BTreeMap<(String, String), Month>) -> BTreeMap<(String, String, Market), Decimal> {
    let mut totals = BTreeMap::new();
    for ((company, name), month) in months {
        for (treatment, sum) in &month.sums {
            super::add_to(&mut totals, (root(company), name.clone(), treatment.mercado), sum.revenue());
        }
    }
    totals
}

/// What is not known of a month.
fn faults(month: &Month, known: &Contribuinte, day: Date, desde: Option<Date>) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(desde) = desde.filter(|desde| *desde > day) {
        faults.push(format!("a receita do mês antes de {}, em que a conferência começa", desde.dmy()));
    }
    if known.simples_em(day).is_none() {
        faults.push(format!(
            "o valor do DAS: informe nos dados da empresa o mês {:02}/{} do Simples Nacional, com a receita bruta de 12 meses",
            day.month(),
            day.year()
        ));
    }
    if month.sums.keys().any(|treatment| treatment.atividade == Activity::Indefinida) {
        faults.push("o Anexo da receita de atividade que o documento não diz: ela não está no DAS abaixo".to_owned());
    }
    if month.in_das && month.above_sublimit {
        faults.push("se o ICMS e o ISS estão no DAS: as notas do mês têm CRT 1 e CRT 2".to_owned());
    }
    faults
}

struct Asker<'m> {
    day: Date,
    known: Option<&'m MesDoSimples>,
    month: &'m Month,
    total: &'m dyn Fn(Market) -> Decimal,
}

/// Anexo, if it is known, market, and what is asked of it.
struct Group {
    activity: Activity,
    market: Market,
    anexo: Option<&'static str>,
}

impl Asker<'_> {
    /// The Anexos and markets of the month. Of revenue without a known activity nothing can be asked.
    fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for treatment in self.month.sums.keys() {
            let (activity, market) = (treatment.atividade, treatment.mercado);
            let is_new = !groups.iter().any(|group| group.activity == activity && group.market == market);
            if activity != Activity::Indefinida && is_new {
                groups.push(Group { activity, market, anexo: self.anexo(activity) });
            }
        }
        groups
    }

    fn anexo(&self, activity: Activity) -> Option<&'static str> {
        match activity {
            Activity::Revenda => Some("I"),
            Activity::Industria => Some("II"),
            Activity::Servico => self.known.and_then(|known| known.anexo_servicos).map(AnexoDeServicos::as_str),
            Activity::Indefinida => None,
        }
    }

    fn sum(&self, group: &Group, of: impl Fn(&RevenueTreatment) -> bool) -> Decimal {
        let in_group =
            |treatment: &RevenueTreatment| treatment.atividade == group.activity && treatment.mercado == group.market;
        let sums = self.month.sums.iter().filter(|(treatment, _)| in_group(treatment) && of(treatment));
        sums.fold(Decimal::ZERO, |total, (_, sum)| total.saturating_add(sum.revenue()))
    }

    fn das(&self, group: &Group) -> DasOfMonth {
        let receita = self.sum(group, |_| true);
        let (payload, falta) = match self.payload(group, receita) {
            Ok(payload) => (Some(Arc::new(payload)), None),
            Err(missing) => (None, Some(missing.to_owned())),
        };
        DasOfMonth {
            anexo: group.anexo.unwrap_or_default().to_owned(),
            mercado: group.market,
            receita,
            valor: None,
            cobrado_em_dobro: None,
            aliquota_efetiva: None,
            falta,
            regra: None,
            payload,
            resposta: None,
        }
    }

    /// The question, or the fact that it lacks.
    fn payload(&self, group: &Group, receita: Decimal) -> Result<EnginePayload, &'static str> {
        let known = self.known.ok_or("a receita bruta de 12 meses do mês, nos dados da empresa")?;
        let anexo = group.anexo.ok_or("o Anexo dos serviços do mês, nos dados da empresa")?;
        if self.month.in_das && self.month.above_sublimit {
            return Err("saber se o ICMS e o ISS estão no DAS: as notas do mês têm CRT 1 e CRT 2");
        }
        let abroad = group.market == Market::Externo;
        let twelve = if abroad { known.receita_exportacao_12_meses } else { Some(known.receita_bruta_12_meses) };
        let mut payload = EnginePayload::default();
        payload.set("tributo", "simples_nacional");
        payload.set("anexo", anexo);
        payload.set("competencia", self.day.to_string());
        payload.set("mercado", group.market.as_str());
        payload.set("receita_mes", receita);
        payload.set("receita_total_mes", (self.total)(group.market).max(receita));
        payload.set(
            "receita_bruta_12_meses",
            twelve.ok_or("a receita de exportação de 12 meses do mês, nos dados da empresa")?,
        );
        if let Some(year) = known.receita_bruta_ano.filter(|_| !abroad) {
            payload.set("receita_bruta_ano", year);
        }
        if let Some(begun) = known.inicio_atividade {
            payload.set("inicio_atividade", begun.to_string());
        }
        payload.set("impedido_icms_iss", self.month.above_sublimit);
        let parts: [(&'static str, Decimal); 4] = [
            ("receita_monofasica", self.sum(group, |of| of.contribuicoes == Contributions::Monofasica)),
            ("receita_icms_st", self.sum(group, |of| of.imposto == LocalTax::StAnterior)),
            ("receita_iss_retido", self.sum(group, |of| matches!(of.imposto, LocalTax::IssRetido | LocalTax::IssFixo))),
            ("receita_outro_municipio", self.sum(group, |of| of.imposto == LocalTax::OutroMunicipio)),
        ];
        for (name, part) in parts.into_iter().filter(|(_, part)| !part.is_zero()) {
            payload.set(name, part);
        }
        Ok(payload)
    }
}

impl DasOfMonth {
    fn take(&mut self, answer: RuleResult<TaxAnswer>) {
        match &answer {
            Ok(answer) => {
                self.valor = Some(answer.valor.decimal());
                self.cobrado_em_dobro = answer.figure("valor_segregado");
                self.aliquota_efetiva = answer.figure("aliquota_efetiva");
                self.regra = Some(answer.regra());
            }
            Err(problem) => self.falta = Some(problem.detail.to_string()),
        }
        self.resposta = Some(Arc::new(answer));
    }
}

impl Month {
    fn with(self, name: String, das: Vec<DasOfMonth>, faltas: Vec<String>) -> SegregatedMonth {
        let one = |(tratamento, sum): (RevenueTreatment, Sum)| SegregatedRevenue {
            tratamento,
            descricao: tratamento.in_words(),
            itens: sum.items,
            receita: sum.revenue(),
            vendas: sum.sales,
            devolucoes: sum.returns,
        };
        let reasons = |(motivo, valor): (String, Decimal)| AmountAndReason { motivo, valor };
        SegregatedMonth {
            empresa: self.shown,
            mes: name,
            notas: self.notes,
            canceladas: self.void,
            receitas: self.sums.into_iter().map(one).collect(),
            das,
            fora: self.left_out.into_iter().map(|(reason, amount)| reasons((reason.to_owned(), amount))).collect(),
            conferir: self.to_check.into_iter().map(reasons).collect(),
            faltas,
        }
    }
}
