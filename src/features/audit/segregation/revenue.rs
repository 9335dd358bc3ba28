//! What each document is for the PGDAS-D: revenue, a return, or neither.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::{Activity, Contributions, DocumentRevenue, Issued, ItemRevenue, LocalTax, Market, RevenueTreatment};
use crate::base::value::Date;
use crate::features::audit::finding::shown;
use crate::features::audit::situation;
use crate::law::codes::{NaturezaCfop, Producao};
use crate::law::nfe::payloads::Mercadoria;
use crate::law::nfe::{
    Contribuinte, DocumentStatus, FiscalDocument, ISS_ELSEWHERE, ItemDaNota, NotaDeServico, NotaFiscal, Tag,
};

const NOT_IN_TOTAL: &str = "item que não compõe o total da nota";
const ASSET: &str = "venda de bem do ativo";
const RETURNED_PURCHASE: &str = "devolução de compra";
const ADJUSTMENT: &str = "nota de ajuste, de crédito ou de débito";

impl ItemRevenue {
    /// A sale of which nothing is asked.
    fn of(atividade: Activity, mercado: Market, imposto: LocalTax, amount: Decimal) -> ItemRevenue {
        let treatment = RevenueTreatment { mercado, atividade, contribuicoes: Contributions::Ordinaria, imposto };
        ItemRevenue { treatment, amount, is_return: false, says_single_phase: false, question: None }
    }
}

enum Kind {
    Revenue(Activity, Market),
    Return(Activity, Market),
    LeftOut(&'static str),
    /// An entry that does not belong to a sale of the issuer.
    Other,
}

/// The revenue of a document: of its issuer, if that is a company of the Simples, and of the seller to which a buyer returns
/// goods.
pub(in crate::features::audit) fn of_document(
    document: &FiscalDocument,
    contribuinte: &Contribuinte,
) -> Vec<DocumentRevenue> {
    let Some(day) = document.day() else { return Vec::new() };
    let is_known = contribuinte.simples_em(day).is_some();
    let is_valid = document.status() == DocumentStatus::Valid;
    let of_issuer = |is_above_sublimit| DocumentRevenue {
        company: document.emitente().to_owned(),
        shown: shown(document.emitente()),
        month: day.year_and_month(),
        state: if is_valid { Issued::Valid } else { Issued::Void },
        is_above_sublimit,
        items: Vec::new(),
        left_out: Vec::new(),
    };
    match document {
        FiscalDocument::Nota(nota) => {
            let seller = (matches!(nota.crt, 1 | 2) || is_known).then(|| {
                let mut revenue = of_issuer(nota.crt == 2);
                if is_valid {
                    goods(nota, day, contribuinte, &mut revenue);
                }
                revenue
            });
            seller.into_iter().chain(returned_by_buyer(nota, day)).collect()
        }
        FiscalDocument::Servico(nota) if !nota.mei && (nota.simples || is_known) => {
            let mut revenue = of_issuer(false);
            if is_valid {
                nota.servicos().for_each(|nota| service(nota, &mut revenue));
            }
            vec![revenue]
        }
        _ => Vec::new(),
    }
}

fn goods(nota: &NotaFiscal, day: Date, contribuinte: &Contribuinte, revenue: &mut DocumentRevenue) {
    for item in &nota.items {
        let goods = Mercadoria { nota, item, day };
        let (activity, market, is_return) = match kind(nota, item) {
            Kind::Revenue(activity, market) => (activity, market, false),
            Kind::Return(activity, market) => (activity, market, true),
            Kind::LeftOut(reason) => {
                revenue.left_out.push((reason, goods.operacao()));
                continue;
            }
            Kind::Other => continue,
        };
        let abroad = market == Market::Externo;
        let imposto = match (abroad, item.servico) {
            (true, _) => LocalTax::Ordinario,
            (false, true) => iss_of_item(nota, item),
            (false, false) => icms(item),
        };
        let asks = !abroad && !item.servico && !item.ncm.is_empty();
        revenue.items.push(ItemRevenue {
            is_return,
            says_single_phase: item.cst_pis == "04",
            question: asks.then(|| Arc::new(goods.monofasia(contribuinte))),
            ..ItemRevenue::of(activity, market, imposto, goods.operacao())
        });
    }
}

/// The goods that a buyer returns, if the document is such a return. Whether their seller is in the Simples, only its own
/// documents say.
fn returned_by_buyer(nota: &NotaFiscal, day: Date) -> Option<DocumentRevenue> {
    let is_return = nota.finalidade == 4 && !nota.entrada && nota.comprador.len() == 14;
    if !is_return || nota.status != DocumentStatus::Valid || nota.comprador == nota.emitente {
        return None;
    }
    let known = Contribuinte::default();
    let is_purchase = |item: &&ItemDaNota| item.natureza().is_some_and(NaturezaCfop::is_return_of_purchase);
    let items = nota.items.iter().filter(|item| item.in_total && is_purchase(item));
    let one = |item: &ItemDaNota| {
        let goods = Mercadoria { nota, item, day };
        let abroad = item.natureza().is_some_and(NaturezaCfop::is_for_export);
        let (market, imposto) =
            if abroad { (Market::Externo, LocalTax::Ordinario) } else { (Market::Interno, icms_of_return(item)) };
        ItemRevenue {
            is_return: true,
            question: (!abroad && !item.ncm.is_empty()).then(|| Arc::new(goods.monofasia(&known))),
            ..ItemRevenue::of(Activity::Indefinida, market, imposto, goods.operacao())
        }
    };
    let items: Vec<ItemRevenue> = items.map(one).collect();
    (!items.is_empty()).then(|| DocumentRevenue {
        company: nota.comprador.clone(),
        shown: String::new(),
        month: day.year_and_month(),
        state: Issued::ByBuyer,
        is_above_sublimit: false,
        items,
        left_out: Vec::new(),
    })
}

fn kind(nota: &NotaFiscal, item: &ItemDaNota) -> Kind {
    let natureza = item.natureza();
    // A sale for export by another company is one to abroad (LC 123/2006, art. 18, § 4º-A, IV).
    let for_export = natureza.is_some_and(NaturezaCfop::is_for_export);
    let market = if for_export || item.cfop.starts_with(['3', '7']) { Market::Externo } else { Market::Interno };
    let of_make = match natureza.and_then(|natureza| natureza.producao) {
        Some(Producao::Propria) => Activity::Industria,
        Some(Producao::Terceiros) => Activity::Revenda,
        None => Activity::Indefinida,
    };
    if nota.entrada {
        let is_return = natureza.is_some_and(NaturezaCfop::is_return_of_sale);
        return if is_return { Kind::Return(of_make, market) } else { Kind::Other };
    }
    if !item.in_total {
        return Kind::LeftOut(NOT_IN_TOTAL);
    }
    match nota.finalidade {
        3 | 5 | 6 => return Kind::LeftOut(ADJUSTMENT),
        4 => return Kind::LeftOut(RETURNED_PURCHASE),
        _ => {}
    }
    if for_export {
        return Kind::Revenue(of_make, market);
    }
    if natureza.is_some_and(|natureza| matches!(natureza.nome, "venda_ativo" | "exportacao_ativo")) {
        return Kind::LeftOut(ASSET);
    }
    if let Some(reason) = natureza.and_then(situation::of_nature).or_else(|| situation::without_revenue(item)) {
        return Kind::LeftOut(reason);
    }
    let activity = match () {
        () if item.servico => Activity::Servico,
        () if item.producao_propria() => Activity::Industria,
        () if item.revenda() => Activity::Revenda,
        () => Activity::Indefinida,
    };
    Kind::Revenue(activity, market)
}

/// What CST or CSOSN says of the ICMS. A company that withholds it pays that of its own operation by the DAS (Resolução CGSN
/// 140/2018, art. 25, § 8º, II).
fn icms(item: &ItemDaNota) -> LocalTax {
    let code = if item.csosn.is_empty() { &item.cst_icms } else { &item.csosn };
    match code.as_str() {
        "500" | "60" => LocalTax::StAnterior,
        "201" | "202" | "203" | "10" | "30" | "70" => LocalTax::StPropria,
        "103" | "300" | "400" | "02" | "15" | "40" | "41" | "50" | "53" | "61" => LocalTax::NaoDevido,
        _ => LocalTax::Ordinario,
    }
}

/// The same of a return, whose code is that of the buyer: its CFOP says whether the goods are under substitution.
fn icms_of_return(item: &ItemDaNota) -> LocalTax {
    let is_substituted = item.natureza().is_some_and(|natureza| natureza.nome.ends_with("_st"));
    match icms(item) {
        LocalTax::StPropria => LocalTax::StPropria,
        LocalTax::StAnterior => LocalTax::StAnterior,
        _ if is_substituted && !item.figures.or_zero(Tag::StValor).is_zero() => LocalTax::StPropria,
        _ if is_substituted => LocalTax::StAnterior,
        _ => LocalTax::Ordinario,
    }
}

fn iss_of_item(nota: &NotaFiscal, item: &ItemDaNota) -> LocalTax {
    let elsewhere = !item.municipio.is_empty() && !nota.municipio.is_empty() && item.municipio != nota.municipio;
    match () {
        () if item.indicador_iss == ISS_ELSEWHERE => LocalTax::OutroMunicipio,
        () if item.indicador_iss != 1 => LocalTax::NaoDevido,
        () if !item.figures.or_zero(Tag::IssRetido).is_zero() => LocalTax::IssRetido,
        () if elsewhere => LocalTax::OutroMunicipio,
        () => LocalTax::Ordinario,
    }
}

fn service(nota: &NotaDeServico, revenue: &mut DocumentRevenue) {
    let elsewhere = !nota.municipio.is_empty()
        && !nota.municipio_prestador.is_empty()
        && nota.municipio != nota.municipio_prestador;
    let imposto = match () {
        () if nota.exportado => LocalTax::Ordinario,
        () if nota.exigivel == Some(false) => LocalTax::NaoDevido,
        () if nota.por_profissional => LocalTax::IssFixo,
        () if nota.retencoes.iss_retido == Some(true) => LocalTax::IssRetido,
        () if elsewhere => LocalTax::OutroMunicipio,
        () => LocalTax::Ordinario,
    };
    let market = if nota.exportado { Market::Externo } else { Market::Interno };
    revenue.items.push(ItemRevenue::of(Activity::Servico, market, imposto, nota.preco.unwrap_or_default()));
}
