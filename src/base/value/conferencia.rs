//! How well the figures of a rule are established.

crate::vocabulary! {
    /// How well the figures of a rule are established, the best grade first. The last one is outside of that order: the
    /// office answers for it.
    pub enum Conferencia {
        TextoLegal = "texto_legal" => "Texto ou tabela oficial lida",
        FontesConcordes = "fontes_concordes" => "Fontes concordes",
        FonteUnica = "fonte_unica" => "Fonte única",
        DoEscritorio = "do_escritorio" => "Do escritório",
    }
}

impl Conferencia {
    /// What the grade says, in Portuguese.
    pub const fn meaning(self) -> &'static str {
        match self {
            Conferencia::TextoLegal => {
                "os valores foram lidos no texto da norma, na redação do período, ou em tabela do próprio órgão"
            }
            Conferencia::FontesConcordes => {
                "duas ou mais fontes independentes dão os mesmos valores, ou o texto foi lido com uma parte por conferir"
            }
            Conferencia::FonteUnica => "uma só fonte dá os valores, ou as fontes divergem, e o texto não foi lido",
            Conferencia::DoEscritorio => {
                "os valores são de uma regra que o próprio escritório escreveu e por que responde; o taxd não os conferiu"
            }
        }
    }
}
