//! What the national list of goods under ICMS substitution (Convênio ICMS nº 142/2018) says beside an answer or a refusal.
//!
//! A tax calculates by its rules alone, and without a rule it knows nothing of the product. The list has the segment of
//! the product, and the rules show whether the list of the State was read for that segment. None of this decides an
//! amount: a product that no list has is refused like any other without a rule.

use std::collections::BTreeSet;

use crate::base::document::Object;
use crate::base::problem::{ErrorCode, Problem, SegmentoSt, SituacaoSt};
use crate::base::value::{Cest, Date, Ncm, Tributo, Uf};
use crate::law::codes::{self, CestDaLista, segmento};
use crate::law::rule::{Chave, Condicao, Dimension, Place, Regras, RuleResult};
use crate::law::tax::{Calculated, Calculation};

const ICMS_ST: Tributo = Tributo::new("icms_st");

/// The segment of sales from door to door. The way of selling decides there, not the product.
const DOOR_TO_DOOR: &str = "28";
/// Keys of the first reading; each further one reads eight times as many.
const FIRST_READING: usize = 64;
/// Most keys that are read of one State. A State with more rules than that is taken to have some of the segment.
const MAX_KEYS: usize = 16_384;

/// The fields of a payload that the list is about.
struct Product {
    ncm: Ncm,
    cest: Option<Cest>,
    origem: Uf,
    destino: Uf,
    data: Date,
}

fn cest_of(payload: &Object<'_>) -> Option<Cest> {
    Cest::parse(payload.text("cest")?).ok()
}

impl Product {
    /// `None` if the payload has a fault in one of the fields.
    fn of(payload: &Object<'_>) -> Option<Product> {
        Some(Product {
            ncm: Ncm::parse(payload.text("ncm")?).ok()?,
            cest: cest_of(payload),
            origem: Uf::from_abbreviation(payload.text("uf_origem")?)?,
            destino: Uf::from_abbreviation(payload.text("uf_destino")?)?,
            data: Date::parse(payload.text("data_operacao")?).ok()?,
        })
    }
}

/// Warns beside an answer by a CEST that is no longer in the table, be it that of the payload or that of the rule.
pub(super) fn warn<D>(payload: &Object<'_>, answer: &Calculated<D>, calculation: &mut Calculation<'_>) {
    let regra = &answer.regra;
    if regra.tributo != ICMS_ST {
        return;
    }
    let stated = cest_of(payload);
    let of_rule = regra.escopo.cest.filter(|cest| stated != Some(*cest));
    for cest in stated.into_iter().chain(of_rule).filter(|cest| codes::has_left(*cest)) {
        calculation.warn(Condicao::Campo, left(cest));
    }
}

fn left(cest: Cest) -> String {
    format!(
        "O CEST {cest} já não está na tabela do Convênio ICMS 142/2018 lida em outubro de 2026, e o dia em que saiu não foi conferido: confira o CEST do produto antes de emitir a nota."
    )
}

/// Adds to a refusal for want of a rule what the list and the rules of the State say of the product.
pub(super) fn explain(
    tributo: Tributo,
    payload: &Object<'_>,
    regras: &dyn Regras,
    problem: &mut Problem,
) -> RuleResult<()> {
    if tributo != ICMS_ST || problem.codigo != ErrorCode::RegraInexistente {
        return Ok(());
    }
    let Some(product) = Product::of(payload).filter(|product| product.data.may_have_rules()) else { return Ok(()) };
    let stated = product.cest.map(|cest| (cest, codes::cest_da_lista(cest)));
    let numbers = match stated {
        Some((_, Some(item))) if !item.saiu => item.cest.as_str().get(..2).into_iter().collect(),
        _ => codes::segments_of(codes::cest_ncm(), &product.ncm),
    };
    let known = numbers.iter().filter_map(|number| Some((*number, segmento(number)?)));
    let asked_door_to_door =
        product.cest.is_some_and(|cest| numbers.len() == 1 && cest.as_str().starts_with(DOOR_TO_DOOR));
    let others: Vec<(&str, &str)> =
        known.clone().filter(|(number, _)| asked_door_to_door || *number != DOOR_TO_DOOR).collect();
    let shown = if others.is_empty() { known.collect() } else { others.clone() };
    let read = product.segments_with_rules(&shown, regras)?;
    problem.segmento =
        shown.iter().map(|(codigo, nome)| SegmentoSt { codigo, nome, regras_na_uf: read.contains(codigo) }).collect();
    let situacao = match (shown.is_empty(), others.is_empty()) {
        (true, _) => SituacaoSt::ForaDaListaNacional,
        (false, true) => SituacaoSt::SoPortaAPorta,
        _ if read.is_empty() => SituacaoSt::AnexoNaoLido,
        _ => SituacaoSt::MercadoriaSemRegra,
    };
    problem.situacao_st = Some(situacao);
    let mut sentences = vec![product.sentence(situacao, &problem.segmento)];
    sentences.extend(stated.and_then(|(cest, item)| product.doubt(cest, item)));
    for sentence in sentences {
        problem.detail.add(sentence);
    }
    Ok(())
}

impl Product {
    /// Those of the segments of which the destination has a rule on the day, for this origin or for any.
    fn segments_with_rules<'s>(
        &self,
        wanted: &[(&'s str, &str)],
        regras: &dyn Regras,
    ) -> RuleResult<BTreeSet<&'s str>> {
        let mut found = BTreeSet::new();
        for uf_origem in [None, Some(self.origem)] {
            let place = Chave { uf_origem, uf_destino: Some(self.destino), ..Chave::of(ICMS_ST) };
            let prefix = place.bytes_before(Dimension::Municipio);
            let (mut from, mut reading, mut count) = (prefix.clone(), FIRST_READING, 0);
            while found.len() < wanted.len() {
                let rows = regras.linhas(&prefix, Place::From(&from), reading)?;
                for row in rows.iter().filter(|row| row.versoes.iter().any(|(_, days)| days.covers(self.data))) {
                    let cest = Dimension::Cest.of(&row.chave);
                    found.extend(wanted.iter().map(|(number, _)| *number).filter(|number| cest.starts_with(number)));
                }
                count += rows.len();
                match rows.last() {
                    Some(last) if rows.len() == reading && count < MAX_KEYS => from = [&last.chave[..], &[0]].concat(),
                    Some(_) if rows.len() == reading => return Ok(wanted.iter().map(|(number, _)| *number).collect()),
                    _ => break,
                }
                reading *= 8;
            }
        }
        Ok(found)
    }

    fn sentence(&self, situacao: SituacaoSt, segments: &[SegmentoSt]) -> String {
        let Product { ncm, destino, .. } = self;
        let named = |wanted: bool| {
            let of_kind = segments.iter().filter(|segment| segment.regras_na_uf == wanted);
            let names: Vec<String> = of_kind.map(|segment| format!("{} ({})", segment.codigo, segment.nome)).collect();
            let (segment, this) = if names.len() == 1 {
                ("no segmento", "desse segmento")
            } else {
                ("nos segmentos", "desses segmentos")
            };
            (format!("{segment} {}", names.join(", ")), this)
        };
        match situacao {
            SituacaoSt::AnexoNaoLido => {
                let (segment, this) = named(false);
                format!(
                    "A lista nacional (Convênio ICMS 142/2018) traz o NCM {segment}. A lista de {destino} {this} não foi lida no taxd: a substituição pode caber."
                )
            }
            SituacaoSt::MercadoriaSemRegra => {
                let (segment, this) = named(true);
                format!(
                    "A lista nacional (Convênio ICMS 142/2018) traz o NCM {segment}. O taxd tem regras de {destino} {this}, mas nenhuma que responda pela mercadoria nesse dia: a lista de {destino} pode não a trazer, ou não ter sido lida por inteiro."
                )
            }
            SituacaoSt::SoPortaAPorta => format!(
                "Na lista nacional (Convênio ICMS 142/2018), só o segmento 28, da venda porta a porta, traz o NCM {ncm}: confirme na lista de {destino} que a substituição não cabe nas outras vendas."
            ),
            SituacaoSt::ForaDaListaNacional => format!(
                "Nenhum segmento da lista nacional (Convênio ICMS 142/2018, tabela de outubro de 2026) traz o NCM {ncm}: confira o código e confirme na lista de {destino} que a substituição não cabe."
            ),
        }
    }

    /// What is doubtful about the CEST of the payload.
    fn doubt(&self, cest: Cest, item: Option<&CestDaLista>) -> Option<String> {
        match item {
            None => Some(format!("O CEST {cest} não está na tabela de outubro de 2026: confira-o.")),
            Some(item) if item.saiu => Some(left(cest)),
            Some(item) if !item.ncm.is_empty() && !item.ncm.iter().any(|prefix| self.ncm.is_under(prefix)) => {
                Some(format!("A tabela não traz o NCM {} no CEST {cest}: confira os dois.", self.ncm))
            }
            Some(_) => None,
        }
    }
}
