//! The kinds of reasons for which a request is refused with 422.

crate::vocabulary! {
    /// Why a request is refused with 422: what the caller can do about it depends on the kind.
    pub enum TipoRecusa {
        FaltaDado = "falta_dado",
        DadoInvalido = "dado_invalido",
        ForaDoEscopo = "fora_do_escopo",
        ValorNaoEstabelecido = "valor_nao_estabelecido",
        TributoExtinto = "tributo_extinto",
    }
}

impl TipoRecusa {
    /// What the word says, in Portuguese.
    pub const fn meaning(self) -> &'static str {
        match self {
            TipoRecusa::FaltaDado => "falta um dado no pedido; com ele, o pedido pode ser respondido",
            TipoRecusa::DadoInvalido => "um dado do pedido está mal escrito, não existe ou contradiz outro",
            TipoRecusa::ForaDoEscopo => "a operação não se calcula aqui, ou não por este tributo",
            TipoRecusa::ValorNaoEstabelecido => {
                "a regra existe, mas um valor dela não está estabelecido; `detail` dá o motivo"
            }
            TipoRecusa::TributoExtinto => {
                "a lei extinguiu o tributo antes da data; `detail` diz desde quando e o que veio em seu lugar"
            }
        }
    }
}
