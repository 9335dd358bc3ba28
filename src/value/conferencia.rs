//! How well the figures of a rule are established.

crate::vocabulary! {
    /// How well the figures of a rule are established, the best grade first.
    pub enum Conferencia {
        TextoLegal = "texto_legal",
        FontesConcordes = "fontes_concordes",
        FonteUnica = "fonte_unica",
    }
}

impl Conferencia {
    /// What the grade says, in Portuguese.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Conferencia::TextoLegal => {
                "as figuras foram lidas no texto da norma, na redação do período, ou em tabela do próprio órgão"
            }
            Conferencia::FontesConcordes => {
                "duas ou mais fontes independentes dão as mesmas figuras, ou o texto foi lido com uma parte por conferir"
            }
            Conferencia::FonteUnica => "uma só fonte dá as figuras, ou as fontes divergem, e o texto não foi lido",
        }
    }
}
