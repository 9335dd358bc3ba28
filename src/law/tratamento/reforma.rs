//! CBS, IBS and the Imposto Seletivo, and the nature of revenue of PIS and COFINS.

use std::sync::Arc;

use super::partes::{Comum, partes, rule_of};
use super::perguntas::{Pergunta, ask};
use super::situacao::{SituacaoTratada, refused};
use crate::base::document::{Node, Object, Sometimes};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Conferencia, Date, Exact, Figura, Rate, RegraCitada};
use crate::codes::{bem_seletivo, naturezas_of};
use crate::operation::Ask;
use crate::tax::{ConteudoCbsIbs, Papel, Percent};

/// The tables of single-phase products, by rate and by unit.
const SINGLE_PHASE: [&str; 2] = ["4.3.10", "4.3.11"];
/// Places to which a rate after a reduction is rounded.
const RATE_PLACES: u32 = 4;

taxd_base::components! {
    /// A tax classification that the lists of the law give the product.
    pub struct HipoteseTratada {
        classificacao_tributaria: String, "cClassTrib";
        descricao: String, "A que se aplica, e por que lei";
        percentual_reducao: Sometimes<Percent>, "Percentual de redução da alíquota" + "; ausente se não há alíquota ou se ela não se calcula";
        aliquota_efetiva: Sometimes<Percent>, "Alíquota depois da redução";
        regra: Sometimes<RegraCitada>, "A regra da classificação";
        recusa: Sometimes<Arc<Problem>>, "Por que o tributo não responde com ela";
    }

    /// A code of the nature of a revenue.
    pub struct Natureza {
        tabela: String, "Tabela da EFD-Contribuições";
        codigo: String, "Código da natureza da receita";
        descricao: String, "Produto ou operação";
        da_situacao: bool, "A tabela é a da situação do produto em PIS" + "; as demais linhas dependem da operação";
        papel_na_cadeia: Sometimes<Papel>, "De quem é o código" + ", na incidência monofásica";
        vigente_de: Date, "Vigente desde";
        vigente_ate: Option<Date>, "Primeiro dia depois da vigência" + "; nulo se a tabela não traz fim";
        conferencia: Conferencia, "Conferência";
    }

    /// The Imposto Seletivo, of which no rate exists.
    pub struct ParteSeletivo {
        situacao: SituacaoTratada, "O que a lei diz do produto";
        categoria: Sometimes<String>, "Categoria do Anexo XVII";
        condicao: Sometimes<String>, "O que o código sozinho não decide";
        citacao_legal: String, "Citação legal";
        vigente_de: Sometimes<Date>, "Cobrado desde";
        conferencia: Sometimes<Conferencia>, "Conferência";
        motivo: String, "Por que não há valor";
    }
}

partes! {
    pub struct ParteReforma {
        aliquota: Sometimes<Option<Rate>>, "Alíquota de referência" + "; do IBS, a estadual; nulo se não está estabelecida";
        aliquota_municipal: Sometimes<Option<Rate>>, "Alíquota municipal do IBS";
        hipoteses: Sometimes<Vec<HipoteseTratada>>, "As classificações que as listas da lei dão ao produto";
    }
}

/// The payload of CBS or IBS, by the law of the day.
fn payload(tributo: &'static str, asked: &Pergunta, classificacao: Option<&str>) -> Object<'static> {
    let amounts = ["valor_icms", "valor_iss", "valor_pis", "valor_cofins", "valor_ipi"];
    let mut members: Vec<(&str, Node<'static>)> = vec![
        ("valor_operacao", "100.00".into()),
        ("cumpre_obrigacoes_acessorias", Node::Bool(true)),
        ("optante_simples", Node::Bool(false)),
        ("transicao", Node::Bool(true)),
    ];
    members.extend(amounts.map(|name| (name, "0".into())));
    members.extend(classificacao.map(|codigo| ("classificacao_tributaria", codigo.to_owned().into())));
    asked.payload(tributo, &members)
}

/// The treatment by `tributo`, which is `cbs` or `ibs`. A product on the lists of the law is asked with each classification
/// that the refusal names.
pub(super) fn parte(tributo: &'static str, asked: &Pergunta, with: Ask<'_>) -> Result<ParteReforma, Box<Problem>> {
    let problem = match ask(with, &payload(tributo, asked, None))? {
        Ok(answer) => {
            let c = rule_of(&answer)?.conteudo::<ConteudoCbsIbs>()?;
            return Ok(ParteReforma {
                aliquota: Sometimes(c.aliquota.map(Figura::established)),
                aliquota_municipal: Sometimes(c.aliquota_municipal.map(Figura::established)),
                ..ParteReforma::found(SituacaoTratada::Ordinario, Comum::of(&answer))
            });
        }
        Err(problem) if problem.codigo == ErrorCode::RegimeDiferenciado => problem,
        Err(problem) => return Ok(ParteReforma::found(refused(&problem), Comum::refused(problem))),
    };
    let mut hipoteses = Vec::new();
    for candidate in &problem.candidatos {
        let codigo = candidate.valor();
        let descricao = candidate.descricao.as_str().to_owned();
        let answer = ask(with, &payload(tributo, asked, Some(codigo)))?;
        let percent = |name: &str| {
            let figure = answer.as_ref().ok().and_then(|answer| answer.figure(name));
            figure.map(|points| Percent::rounded(Exact::from(points), RATE_PLACES)).transpose()
        };
        hipoteses.push(HipoteseTratada {
            classificacao_tributaria: codigo.to_owned(),
            descricao,
            percentual_reducao: Sometimes(percent("percentual_reducao")?),
            aliquota_efetiva: Sometimes(percent("aliquota_efetiva")?),
            regra: match &answer {
                Ok(answer) => Sometimes(Some(answer.regra())),
                Err(refusal) => Sometimes(refusal.regra.clone()),
            },
            recusa: Sometimes(answer.err().map(Arc::new)),
        });
    }
    let hipoteses = Sometimes(Some(hipoteses).filter(|list| !list.is_empty()));
    Ok(ParteReforma { hipoteses, ..ParteReforma::found(SituacaoTratada::Diferenciado, Comum::refused(problem)) })
}

/// The codes of the nature of revenue of the product, of which those of `situacao` are the ones that a seller declares
/// whatever the operation. None once the contribution is extinct.
pub(super) fn naturezas(asked: &Pergunta, situacao: SituacaoTratada) -> Vec<Natureza> {
    if situacao == SituacaoTratada::Extinto {
        return Vec::new();
    }
    let tables: &[&str] = match situacao {
        SituacaoTratada::Monofasico => &SINGLE_PHASE,
        SituacaoTratada::AliquotaZero => &["4.3.13"],
        _ => &[],
    };
    let shown = naturezas_of(&asked.ncm, asked.ex.0, asked.data).map(|one| Natureza {
        tabela: one.tabela.to_owned(),
        codigo: one.codigo.to_owned(),
        descricao: one.descricao.to_owned(),
        da_situacao: tables.contains(&one.tabela),
        papel_na_cadeia: Sometimes(SINGLE_PHASE.contains(&one.tabela).then_some(if one.is_of_resale() {
            Papel::Revenda
        } else {
            Papel::FabricanteImportador
        })),
        vigente_de: one.vigente_de,
        vigente_ate: one.vigente_ate,
        conferencia: Conferencia::FonteUnica,
    });
    shown.collect()
}

/// The Imposto Seletivo.
pub(super) fn seletivo(asked: &Pergunta) -> ParteSeletivo {
    let Some(bem) = bem_seletivo(&asked.ncm, asked.ex.0) else {
        return ParteSeletivo {
            situacao: SituacaoTratada::NaoListado,
            categoria: Sometimes(None),
            condicao: Sometimes(None),
            citacao_legal: "LC 214/2025, Anexo XVII".to_owned(),
            vigente_de: Sometimes(None),
            conferencia: Sometimes(Some(Conferencia::TextoLegal)),
            motivo: "O Anexo XVII da LC 214/2025 não traz o NCM.".to_owned(),
        };
    };
    let (situacao, motivo) = if asked.data < bem.vigente_de {
        (SituacaoTratada::NaoCobrado, "O Imposto Seletivo é cobrado desde 2027 (ADCT, art. 126, I, b).")
    } else {
        (SituacaoTratada::SemAliquota, "O produto está no Anexo XVII, e nenhum ato lhe fixou a alíquota.")
    };
    ParteSeletivo {
        situacao,
        categoria: Sometimes(Some(bem.categoria.to_owned())),
        condicao: Sometimes(Some(bem.condicao.to_owned()).filter(|text| !text.is_empty())),
        citacao_legal: bem.citacao_legal.to_owned(),
        vigente_de: Sometimes(Some(bem.vigente_de)),
        conferencia: Sometimes(Some(bem.conferencia)),
        motivo: motivo.to_owned(),
    }
}
