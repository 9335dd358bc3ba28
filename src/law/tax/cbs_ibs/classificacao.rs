//! The tax classification (cClassTrib) that the caller states: its rule, and whether the NCM or the service item
//! contradicts it.

use super::lista::{Listed, by_item, by_ncm, candidates, codes, other_calculation};
use super::{Conteudo, Lista, Payload};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::sentence::Sentence;
use crate::base::value::{ClassificacaoTributaria, Date, Rate, percent};
use crate::rule::{Chave, Condicao, Place, Regra, RuleResult, Vigencia};
use crate::tax::calculation::{Calculation, NoteCode};

/// The rule of a classification, read.
pub(super) struct Chosen {
    pub(super) regra: Regra,
    /// `None` if the classification has no rate.
    pub(super) reducao: Option<Rate>,
    pub(super) diferido: bool,
}

/// The rule of the classification. Refuses a code without a rule on the day, one whose calculation is another, and one
/// that the NCM or the item contradicts.
pub(super) fn chosen(
    codigo: ClassificacaoTributaria,
    national: &Chave,
    p: &Payload,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Chosen> {
    let key = Chave { classificacao: Some(codigo), ..national.clone() };
    let Some(regra) = calculation.regras.em(&key, p.data_operacao)? else {
        return Err(unknown(codigo, &key, p.data_operacao, calculation)?);
    };
    if let Some(refusal) = other_calculation(codigo, &regra)? {
        return Err(refusal);
    }
    let conteudo = regra.conteudo::<Conteudo>()?;
    let Some(classificacao) = &conteudo.classificacao else { return Err(regra.sem_conteudo("classificacao")) };
    let reducao = match classificacao.reducao {
        Some(reducao) => Some(regra.figura("reducao", reducao)?),
        None => None,
    };
    compare(codigo, &regra, classificacao.lista, reducao, national, p, calculation)?;
    let diferido = classificacao.diferido;
    Ok(Chosen { regra, reducao, diferido })
}

/// The refusal of a code that has no rule on the day.
fn unknown(
    codigo: ClassificacaoTributaria,
    key: &Chave,
    data: Date,
    calculation: &Calculation<'_>,
) -> RuleResult<Box<Problem>> {
    let key_bytes = key.bytes();
    let known = calculation.regras.linhas(&key_bytes, Place::From(&key_bytes), 1)?;
    let known = known.iter().flat_map(|linha| &linha.versoes).map(|(_, vigencia)| vigencia);
    let nearest = known.min_by_key(|vigencia| vigencia.distance(data)).copied();
    let detail = Sentence::of(|to| {
        let when = match nearest {
            Some(Vigencia { de, ate: Some(ate) }) => {
                format!("ela vale de {} a {}", de.read_by(to), ate.previous_day().read_by(to))
            }
            Some(Vigencia { de, ate: None }) => format!("ela vale desde {}", de.read_by(to)),
            None => "a tabela cClassTrib não a tem, ou nenhuma regra a trouxe".to_owned(),
        };
        format!(
            "Nenhuma regra de `{}` vale em {} para a classificação tributária {codigo}: {when}. Com `ncm` ou `item_lista_servico` e sem a classificação, a recusa lista as candidatas.",
            key.tributo,
            data.read_by(to)
        )
    });
    Ok(Box::new(Problem::of_field(ErrorCode::ClassificacaoDesconhecida, "classificacao_tributaria", detail)))
}

/// Says that a reduction is applied to goods or services that no list of the law names for its classification.
fn note_unconfirmed(
    codigo: ClassificacaoTributaria,
    lista: Option<Lista>,
    reducao: Option<Rate>,
    p: &Payload,
    calculation: &mut Calculation<'_>,
) {
    let Some(reducao) = reducao.filter(|reducao| *reducao > Rate::ZERO) else { return };
    let named = match (p.ncm, p.item_lista_servico) {
        (Some(ncm), _) => format!("ao NCM {ncm}"),
        (None, Some(item)) => format!("ao subitem {item}"),
        (None, None) => return,
    };
    let (condicao, why) = match lista {
        Some(_) => {
            (Condicao::Descricao, "a lista da classificação não o traz, e nomeia alguns produtos só por descrição")
        }
        None => {
            (Condicao::Beneficio, "a classificação depende das partes, da operação ou do que o produto ou serviço é")
        }
    };
    let text = Sentence::of(|to| {
        let reducao = percent(reducao, to);
        format!(
            "A redução de {reducao} da classificação tributária {codigo} foi aplicada {named} sem que uma lista da lei a confirme: {why}."
        )
    });
    calculation.warn_coded(NoteCode::UnconfirmedReduction, condicao, text);
}

/// Says which regimes name what the classification taxes in full: the code fits only if the description is another.
fn note_listed(
    codigo: ClassificacaoTributaria,
    listed: &[Listed],
    p: &Payload,
    calculation: &mut Calculation<'_>,
) -> RuleResult<()> {
    for list in listed {
        let Some(regimes) = list.other_regimes()? else { continue };
        let text = Sentence::of(|to| {
            let (code, law, regimes) = (list.code_of(p), list.regra.citacao_legal.as_str(), regimes.read_by(to));
            format!(
                "A classificação tributária {codigo} tributa por inteiro o {code}, que consta da lista de regimes próprios da reforma ({law}). Se o produto ou serviço é o que a lei descreve, a classificação é outra: {regimes}."
            )
        });
        calculation.warn_coded(NoteCode::ListedInFull, Condicao::Descricao, text);
    }
    Ok(())
}

/// Refuses a classification that the NCM or the item contradicts: full taxation, or the classification of another list,
/// of what a list of the law always reduces; and the classification of a list that does not name them. Most
/// classifications depend on the parties or on the operation, so no list contradicts them.
fn compare(
    codigo: ClassificacaoTributaria,
    regra: &Regra,
    lista: Option<Lista>,
    reducao: Option<Rate>,
    national: &Chave,
    p: &Payload,
    calculation: &mut Calculation<'_>,
) -> RuleResult<()> {
    if p.ncm.is_none() && p.item_lista_servico.is_none() {
        if lista.is_some() {
            calculation.warn(Condicao::Campo, "Sem `ncm` nem `item_lista_servico`, a classificação tributária não foi comparada com as listas da lei.");
        }
        return Ok(());
    }
    let listed: Vec<Listed> =
        [by_ncm(national, p, calculation)?, by_item(national, p, calculation)?].into_iter().flatten().collect();
    let in_full = reducao == Some(Rate::ZERO);
    for list in &listed {
        if list.names(codigo)? {
            calculation.uses(&list.regra);
            return if in_full { note_listed(codigo, &listed, p, calculation) } else { Ok(()) };
        }
    }
    if in_full || lista.is_some() {
        for list in &listed {
            if list.is_definite()? {
                let written = list.written()?;
                let why = Sentence::of(|to| format!("o {} tem regime próprio: {}", list.code(), written.read_by(to)));
                return Err(contradiction(codigo, &list.regra, &why, &listed, national, p, calculation)?);
            }
        }
    }
    let outside = match lista {
        Some(Lista::Ncm) => p.ncm.map(|ncm| format!("ela é dos produtos listados na lei, que não traz o NCM {ncm}")),
        Some(Lista::ItemListaServico) => Some(match p.item_lista_servico {
            Some(item) => format!("ela é dos serviços listados na lei, que não traz os do subitem {item}"),
            None => "ela é de serviços, e o pedido traz só o NCM".to_owned(),
        }),
        Some(Lista::Aberta) | None => None,
    };
    match outside {
        Some(why) => Err(contradiction(codigo, regra, &why.into(), &listed, national, p, calculation)?),
        None if in_full => note_listed(codigo, &listed, p, calculation),
        None => {
            note_unconfirmed(codigo, lista, reducao, p, calculation);
            Ok(())
        }
    }
}

fn contradiction(
    codigo: ClassificacaoTributaria,
    regra: &Regra,
    why: &Sentence,
    listed: &[Listed],
    national: &Chave,
    p: &Payload,
    calculation: &Calculation<'_>,
) -> RuleResult<Box<Problem>> {
    let candidatos = candidates(listed, national, p.data_operacao, calculation)?;
    let bare = Sentence::of(|to| {
        format!(
            "A classificação tributária {codigo} não cabe à operação: {} ({}).",
            why.read_by(to),
            regra.citacao_legal.as_str()
        )
    });
    let detail = match codes(&candidatos) {
        Some(codes) => Sentence::of(|to| format!("{} Candidatas: {codes}.", bare.read_by(to))).listing(bare),
        None => bare,
    };
    let mut refusal = regra.refusal_of_field(ErrorCode::ClassificacaoIncompativel, "classificacao_tributaria", detail);
    refusal.candidatos = candidatos;
    Ok(refusal)
}
