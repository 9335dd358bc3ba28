//! The words for what answers after the last day of a version.

taxd_base::vocabulary! {
    /// What answers in the scope of a version after its last day: a version under the same key, a less specific rule,
    /// none because the tax is extinct, one that refuses every request (for want of a figure, or by name) although the
    /// version that ends answered, or none. Of a version with several scope keys, it is the last of these words that is
    /// true of one of them.
    pub enum Sucessao {
        NovaVersao = "nova_versao",
        RegraGeral = "regra_geral",
        Extinta = "extinta",
        SemFigura = "sem_figura",
        SemSucessora = "sem_sucessora",
    }
}

impl Sucessao {
    /// True if requests that need an answer are refused from that day on. An extinct tax needs none.
    pub fn leaves_no_answer(self) -> bool {
        matches!(self, Sucessao::SemFigura | Sucessao::SemSucessora)
    }
}
