//! The words for how a tax treats a product.

use crate::base::problem::{ErrorCode, Problem};

crate::vocabulary! {
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
