//! Which rule answers, and what a refusal says when none does or several might.

use std::sync::LazyLock;

use super::{Conteudo, Criterio, ICMS_ST, Payload};
use crate::base::problem::{Candidato, ErrorCode, Problem};
use crate::base::sentence::Sentence;
use crate::base::value::{Cest, Ncm, NcmPrefix};
use crate::rule::{Chave, Regra, RuleResult, Search, first_of_ncm, not_found};
use crate::tax::calculation::Calculation;

/// Most candidate CESTs that the sentence of a refusal lists.
const MAX_LISTED: usize = 40;

/// Where a rule of the NCM is looked up, in order.
fn places(p: &Payload, cest: Option<Cest>) -> [Chave; 2] {
    [Some(p.uf_origem), None].map(|uf_origem| Chave {
        uf_origem,
        uf_destino: Some(p.uf_destino),
        cest,
        ..Chave::of(ICMS_ST)
    })
}

pub(super) fn find_rule(p: &Payload, calculation: &Calculation<'_>) -> RuleResult<Regra> {
    let without = places(p, None);
    let keys = || Chave::under(&without, &p.ncm);
    if p.cest.is_some() {
        let with_cest = places(p, p.cest);
        return match first_of_ncm(calculation.regras, [&with_cest, &without], &p.ncm, p.data_operacao)? {
            Some(regra) => Ok(regra),
            None => Err(no_rule(calculation, Chave::under(&with_cest, &p.ncm).chain(keys()), p)?),
        };
    }
    // Of each CEST the most specific rule; a rule without CEST counts as a candidate of its own.
    let mut candidates: Vec<Regra> = Vec::new();
    for key in keys() {
        for regra in calculation.regras.com_qualquer_ultima(&key, p.data_operacao)? {
            let known = candidates.iter().any(|c| c.escopo.cest == regra.escopo.cest);
            if !known && !regra.escopo.excetua(&p.ncm) {
                candidates.push(regra);
            }
        }
    }
    if candidates.len() > 1 {
        return Err(Box::new(cest_needed(&p.ncm, &candidates)?));
    }
    match candidates.pop() {
        Some(regra) => {
            refuse_without_cest(&p.ncm, &regra)?;
            refuse_other_goods(&p.ncm, &regra)?;
            Ok(regra)
        }
        None => Err(no_rule(calculation, keys(), p)?),
    }
}

/// The 404. It says where the law lists the goods that are under substitution.
fn no_rule(calculation: &Calculation<'_>, keys: impl Iterator<Item = Chave>, p: &Payload) -> RuleResult<Box<Problem>> {
    let keys: Vec<Chave> = keys.collect();
    let search = Search { chaves: &keys, any_cest: p.cest.is_none(), ncm: Some(&p.ncm), data: p.data_operacao };
    let mut problem = not_found(calculation.regras, &search)?;
    problem.detail.add(format!(
        "Para o ICMS-ST, consulte a lista de mercadorias de {}, o CEST do produto (Convênio ICMS 142/2018) e, na operação interestadual, o convênio ou protocolo entre as UFs.",
        p.uf_destino
    ));
    Ok(problem)
}

/// Refuses if the only rule says that the goods of a CEST are not under substitution: the code may have other goods,
/// for which zero would be wrong.
fn refuse_without_cest(ncm: &Ncm, regra: &Regra) -> RuleResult<()> {
    let conteudo = regra.conteudo::<Conteudo>()?;
    match regra.escopo.cest {
        Some(cest) if conteudo.criterio == Criterio::NaoSujeito => {
            let said = |which: String| {
                format!(
                    "No NCM {ncm}, a regra do taxd é só a de mercadoria fora da substituição{which}. Informe o `cest`; outra mercadoria do NCM pode estar no regime."
                )
            };
            let which = format!(": {cest} ({})", conteudo.descricao.as_str());
            let detail = Sentence::from(said(which)).listing(said(String::new()));
            Err(Box::new(without_cest(detail, vec![candidate(cest, conteudo)])))
        }
        _ => Ok(()),
    }
}

/// Refuses if the only rule has a CEST and the national list has other goods under the NCM. A rule
/// without CEST answers for every CEST.
fn refuse_other_goods(ncm: &Ncm, regra: &Regra) -> RuleResult<()> {
    let Some(cest) = regra.escopo.cest else { return Ok(()) };
    let others: Vec<&Item> = others(ncm, cest).collect();
    if others.is_empty() {
        return Ok(());
    }
    let conteudo = regra.conteudo::<Conteudo>()?;
    let bare =
        format!("A lista nacional (Convênio ICMS 142/2018) tem mais de uma mercadoria no NCM {ncm}; informe o `cest`.");
    let detail = format!(
        "{bare} Com regra nesta UF: {cest} ({}). Sem regra: {}.",
        conteudo.descricao.as_str(),
        listed(others.iter().map(|item| format!("{} ({})", item.cest, item.descricao)).collect())
    );
    let unruled = |item: &&Item| {
        Candidato::of_field("cest", &item.cest, format!("{}, cuja regra desta UF o taxd não tem", item.descricao))
    };
    let candidatos = [candidate(cest, conteudo)].into_iter().chain(others.iter().map(unruled)).collect();
    Err(Box::new(without_cest(Sentence::from(detail).listing(bare), candidatos)))
}

/// The refusal that lists the margins. A rule without CEST answers for the goods of the NCM whose CEST has no rule
/// of its own.
fn cest_needed(ncm: &Ncm, candidates: &[Regra]) -> RuleResult<Problem> {
    let mut candidatos = Vec::new();
    let mut others = String::new();
    let mut what = "margens";
    for regra in candidates {
        let conteudo = regra.conteudo::<Conteudo>()?;
        if conteudo.criterio == Criterio::NaoSujeito {
            what = "regras";
        }
        match regra.escopo.cest {
            Some(cest) => candidatos.push(candidate(cest, conteudo)),
            None => {
                let descricao = written(conteudo);
                others = format!(
                    " A regra sem CEST ({descricao}) responde pelas demais mercadorias do NCM: informe o CEST delas, qualquer outro."
                );
            }
        }
    }
    if !others.is_empty() {
        for candidate in &mut candidatos {
            candidate.fora_da_substituicao = false;
        }
    }
    let margins = candidates.len();
    let list = listed(candidatos.iter().map(|c| format!("{} ({})", c.valor(), c.descricao)).collect());
    let bare = format!("O NCM {ncm} tem {margins} {what}; informe o `cest` da mercadoria");
    let detail = Sentence::from(format!("{bare}: {list}.{others}")).listing(format!("{bare}.{others}"));
    Ok(without_cest(detail, candidatos))
}

fn without_cest(detail: impl Into<Sentence>, candidatos: Vec<Candidato>) -> Problem {
    Problem { candidatos, ..Problem::of_field(ErrorCode::CestNecessario, "cest", detail) }
}

fn candidate(cest: Cest, conteudo: &Conteudo) -> Candidato {
    let fora_da_substituicao = conteudo.criterio == Criterio::NaoSujeito;
    Candidato { fora_da_substituicao, ..Candidato::of_field("cest", &cest, written(conteudo)) }
}

/// The goods of a rule.
fn written(conteudo: &Conteudo) -> String {
    let outside = if conteudo.criterio == Criterio::NaoSujeito { ", fora da substituição" } else { "" };
    format!("{}{outside}", conteudo.descricao.as_str())
}

/// The candidates as one sentence, shortened to [`MAX_LISTED`].
fn listed(mut candidates: Vec<String>) -> String {
    if let Some(unlisted) = candidates.len().checked_sub(MAX_LISTED).filter(|n| *n > 0) {
        candidates.truncate(MAX_LISTED);
        candidates.push(format!("e mais {unlisted}"));
    }
    candidates.join("; ")
}

/// The national list of goods that may be under substitution (Convênio ICMS 142/2018, Anexos II a XXVI), for the NCM
/// codes under which it has several goods: a rule for one of those goods must not answer for another.
///
/// It has every code that is in several segments, and of the codes with several goods in one segment those that the
/// built-in margins meet. If a wide item leaves a code to a narrow one by its own words ("except for cars"), only the
/// narrow one has that code here: a margin for the wide item refuses it, and a margin for the narrow one answers. The
/// list only distinguishes goods: a CEST that is not here is still looked up. The segment of door-to-door sales (28)
/// is left out, because there the way of selling decides, not the goods.
///
/// One item a line, in the order of the CEST: the CEST, its NCM codes or prefixes, its goods.
/// Read in `l10n_br_fiscal.cest.csv` of the repository OCA/l10n-brazil; descriptions are shortened.
const LINES: &str = include_str!("lista_nacional.txt");

/// One item of the list.
struct Item {
    cest: Cest,
    ncm: Vec<NcmPrefix>,
    descricao: &'static str,
}

impl Item {
    fn read(line: &'static str) -> Option<Item> {
        let (cest, rest) = line.split_once(' ')?;
        let (ncm, descricao) = rest.split_once(' ')?;
        let ncm = ncm.split(',').map(NcmPrefix::parse).collect::<Result<_, _>>().ok()?;
        Some(Item { cest: Cest::parse(cest).ok()?, ncm, descricao })
    }
}

static ITEMS: LazyLock<Vec<Item>> = LazyLock::new(|| LINES.lines().filter_map(Item::read).collect());

/// The goods that the list has under this NCM, without those of the CEST.
fn others(ncm: &Ncm, cest: Cest) -> impl Iterator<Item = &'static Item> {
    ITEMS.iter().filter(move |item| item.cest != cest && item.ncm.iter().any(|prefix| ncm.is_under(prefix)))
}
