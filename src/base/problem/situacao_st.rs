//! What is known of a product for which no rule of ICMS substitution answers.

use serde::Serialize;

crate::vocabulary! {
    /// What the national list and the rules of the State say of the product. None of it says that no tax is due.
    pub enum SituacaoSt {
        AnexoNaoLido = "anexo_nao_lido",
        MercadoriaSemRegra = "mercadoria_sem_regra",
        SoPortaAPorta = "so_porta_a_porta",
        ForaDaListaNacional = "fora_da_lista_nacional",
    }
}

impl SituacaoSt {
    /// What the word says, in Portuguese.
    pub const fn meaning(self) -> &'static str {
        match self {
            SituacaoSt::AnexoNaoLido => {
                "a lista nacional traz a mercadoria, e o taxd não tem regra da UF de destino em nenhum dos segmentos dela: a lista da UF não foi lida"
            }
            SituacaoSt::MercadoriaSemRegra => {
                "a lista nacional traz a mercadoria, e o taxd tem regras da UF de destino no segmento, mas nenhuma que responda por ela nesse dia"
            }
            SituacaoSt::SoPortaAPorta => "só o segmento 28, da venda porta a porta, traz o NCM",
            SituacaoSt::ForaDaListaNacional => "nenhum segmento da lista nacional traz o NCM",
        }
    }
}

/// A segment of the national list that has the product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SegmentoSt {
    /// The first two digits of its CEST.
    pub codigo: &'static str,
    pub nome: &'static str,
    /// True if the destination has rules of the segment on the day.
    pub regras_na_uf: bool,
}
