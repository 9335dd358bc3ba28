//! The words for how a tax treats a product.

use crate::base::problem::{ErrorCode, Problem, SituacaoSt};

taxd_base::vocabulary! {
    /// How a tax treats a product.
    pub enum SituacaoTratada {
        Ordinario = "ordinario" => "Ordinário",
        Monofasico = "monofasico" => "Monofásico",
        AliquotaZero = "aliquota_zero" => "Alíquota zero",
        AliquotaReduzida = "aliquota_reduzida" => "Alíquota reduzida",
        DependeDoRegime = "depende_do_regime" => "Depende do regime",
        DependeDaDestinacao = "depende_da_destinacao" => "Depende da destinação",
        AliquotaDoProduto = "aliquota_do_produto" => "Alíquota do produto",
        BaseReduzida = "base_reduzida" => "Base reduzida",
        Isento = "isento" => "Isento",
        Tributado = "tributado" => "Tributado",
        NaoTributado = "nao_tributado" => "Não tributado (NT)",
        Sujeito = "sujeito" => "Sujeito à ST",
        NaoSujeito = "nao_sujeito" => "Não sujeito à ST",
        Diferenciado = "diferenciado" => "Regime diferenciado",
        SemAliquota = "sem_aliquota" => "Listado, sem alíquota em lei",
        NaoCobrado = "nao_cobrado" => "Ainda não cobrado",
        NaoListado = "nao_listado" => "Fora da lista",
        AliquotaGeral = "aliquota_geral" => "Pela alíquota geral",
        PodeCaber = "pode_caber" => "Pode caber",
        DependeDoCest = "depende_do_cest" => "Depende do CEST",
        ForaNosCest = "fora_nos_cest_conhecidos" => "Fora da ST nos CEST conhecidos",
        SemUf = "sem_uf" => "Falta a UF",
        Extinto = "extinto" => "Extinto",
        Recusado = "recusado" => "Recusado",
        SemRegra = "sem_regra" => "Sem regra",
    }
}

/// The situation of a tax that refused.
pub(super) fn refused(problem: &Problem) -> SituacaoTratada {
    match problem.codigo {
        ErrorCode::RegraInexistente => SituacaoTratada::SemRegra,
        ErrorCode::TributoExtinto => SituacaoTratada::Extinto,
        ErrorCode::DestinacaoAutopropulsado => SituacaoTratada::DependeDaDestinacao,
        _ => SituacaoTratada::Recusado,
    }
}

/// A refusal of ICMS substitution, as an answer or a document has it.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecusaSt {
    /// The goods hang on the CEST; true if those of every CEST that is known are outside the substitution.
    pub por_cest: Option<bool>,
    /// What the national list says of them.
    pub situacao: Option<SituacaoSt>,
    /// A rule has the goods, and its margin; another figure of it is not established.
    pub com_margem: bool,
}

impl RecusaSt {
    pub fn of(problem: &Problem) -> RecusaSt {
        let goods = &problem.candidatos;
        let all_outside = !goods.is_empty() && goods.iter().all(|candidate| candidate.fora_da_substituicao);
        RecusaSt {
            por_cest: (problem.codigo == ErrorCode::CestNecessario).then_some(all_outside),
            situacao: problem.situacao_st,
            com_margem: problem.mva_da_regra.is_some(),
        }
    }

    /// What it says of the goods; `None` if nothing.
    pub fn tratamento(self) -> Option<SituacaoTratada> {
        match self {
            RecusaSt { por_cest: Some(all_outside), .. } => {
                Some(if all_outside { SituacaoTratada::ForaNosCest } else { SituacaoTratada::DependeDoCest })
            }
            RecusaSt { situacao: Some(SituacaoSt::ForaDaListaNacional), .. } => Some(SituacaoTratada::NaoListado),
            RecusaSt { situacao: Some(_), .. } => Some(SituacaoTratada::PodeCaber),
            RecusaSt { com_margem, .. } => com_margem.then_some(SituacaoTratada::Sujeito),
        }
    }
}
