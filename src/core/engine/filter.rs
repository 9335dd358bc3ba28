//! The filters of a listing of rules, by the names of `GET /v1/regras`.

use std::sync::LazyLock;

use super::sucessao::Sucessao;
use crate::base::document::{Field, FromNode, Shape, Words};
use crate::base::value::{
    Cest, ClassificacaoTributaria, Conferencia, Date, ExDeclarado, ItemServico, Municipio, Ncm, RuleCode, RuleId,
    Tributo, Uf,
};
use crate::law::tax;

taxd_base::vocabulary! {
    /// The state of a version on a day.
    pub enum SituacaoRegra {
        Vigente = "vigente",
        Futura = "futura",
        Encerrada = "encerrada",
        Substituida = "substituida",
    }
}

/// The filters of one listing; an absent one matches everything.
#[derive(Debug, Default, Clone)]
pub struct Filter {
    pub tributo: Option<Tributo>,
    /// UF on either side.
    pub uf: Option<Uf>,
    /// With `uf`, also the rules of the whole country. Listings have no such filter.
    pub pais: bool,
    pub uf_origem: Option<Uf>,
    pub uf_destino: Option<Uf>,
    /// Any of these municipalities (several have one name).
    pub municipio: Option<Vec<Municipio>>,
    /// Every rule that would be considered for this NCM.
    pub ncm: Option<Ncm>,
    pub cest: Option<Cest>,
    /// The rules of this tariff exception; or those of no exception, of the taxes that have any.
    pub ex: Option<ExDeclarado>,
    /// Every rule that would be considered for this service item.
    pub item_lista_servico: Option<ItemServico>,
    /// The rules of this tax classification.
    pub classificacao_tributaria: Option<ClassificacaoTributaria>,
    pub rule_code: Option<RuleCode>,
    pub rule_id: Option<RuleId>,
    /// Versions that answer on that day.
    pub vigente_em: Option<Date>,
    /// Versions that begin after today and up to that day.
    pub inicia_ate: Option<Date>,
    /// Versions whose last day is not before today and not after that day.
    pub termina_ate: Option<Date>,
    /// Versions after whose last day requests are refused in some of their scope ([`Sucessao::leaves_no_answer`]); false
    /// for all others.
    pub sem_sucessora: Option<bool>,
    /// Versions with an end, by what answers then.
    pub sucessao: Option<Sucessao>,
    /// Versions in that state today.
    pub situacao: Option<SituacaoRegra>,
    /// Versions whose figures are established to that grade.
    pub conferencia: Option<Conferencia>,
    /// Words of the citation; case and accents do not matter.
    pub q: Option<String>,
}

/// Longest text of words: each word is searched in every citation.
const MAX_WORDS_BYTES: usize = 100;

/// The declared filters. Unlike in a payload, a municipality needs no UF.
pub static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let filter = Field::optional;
    vec![
        filter("tributo", Shape::OneOf(Words::bare(&tax::NAMES)), "Tributo"),
        filter("uf", Uf::SHAPE, "UF, de qualquer dos lados"),
        filter("uf_origem", Uf::SHAPE, "UF de origem"),
        filter("uf_destino", Uf::SHAPE, "UF de destino"),
        filter("municipio", Municipio::SHAPE, "Município, pelo nome oficial ou pelo código do IBGE"),
        filter("ncm", Ncm::SHAPE, "Toda regra que se consideraria para este NCM"),
        filter("cest", Cest::SHAPE, "As regras deste CEST"),
        filter("ex", ExDeclarado::SHAPE, "Exceção tarifária (Ex); 00: as regras sem exceção"),
        filter("item_lista_servico", ItemServico::SHAPE, "Toda regra que se consideraria para este subitem"),
        filter(
            "classificacao_tributaria",
            ClassificacaoTributaria::SHAPE,
            "As regras desta classificação (cClassTrib)",
        ),
        filter("rule_code", RuleCode::SHAPE, "As versões deste código"),
        filter("rule_id", RuleId::SHAPE, "Esta versão"),
        filter("vigente_em", Date::SHAPE, "As versões que respondem neste dia"),
        filter("inicia_ate", Date::SHAPE, "As versões que começam depois de hoje e até este dia"),
        filter("termina_ate", Date::SHAPE, "As versões cujo último dia vai de hoje até este"),
        filter(
            "sem_sucessora",
            Shape::Bool,
            "true: as versões depois de cujo último dia o pedido é recusado em parte do seu escopo, porque nada responde ou porque a regra seguinte não tem figura; false: as outras",
        ),
        filter("sucessao", Sucessao::SHAPE, "As versões que terminam, pelo que responde depois"),
        filter("situacao", SituacaoRegra::SHAPE, "As versões que hoje estão assim"),
        filter("conferencia", Conferencia::SHAPE, "As versões com este grau de conferência"),
        filter("q", Shape::Text, "Palavras da citação, até 100 bytes; caixa e acentos não contam"),
    ]
});

fn names() -> Vec<&'static str> {
    FIELDS.iter().map(|field| field.name).collect()
}

impl Filter {
    /// Sets the filter of that name. The error says in Portuguese what it accepts.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        match name {
            "tributo" => self.tributo = Some(tax::parse(text)?.tributo),
            "uf" => self.uf = Some(uf(text)?),
            "uf_origem" => self.uf_origem = Some(uf(text)?),
            "uf_destino" => self.uf_destino = Some(uf(text)?),
            "municipio" => self.municipio = Some(municipios(text)?),
            "ncm" => self.ncm = Some(Ncm::parse(text)?),
            "cest" => self.cest = Some(Cest::parse(text)?),
            "ex" => self.ex = Some(ExDeclarado::parse(text)?),
            "item_lista_servico" => self.item_lista_servico = Some(ItemServico::parse(text)?),
            "classificacao_tributaria" => {
                self.classificacao_tributaria = Some(ClassificacaoTributaria::parse(text)?);
            }
            "rule_code" => self.rule_code = Some(RuleCode::parse(text)?),
            "rule_id" => self.rule_id = Some(rule_id(text)?),
            "vigente_em" => self.vigente_em = Some(Date::parse(text)?),
            "inicia_ate" => self.inicia_ate = Some(Date::parse(text)?),
            "termina_ate" => self.termina_ate = Some(Date::parse(text)?),
            "sem_sucessora" => self.sem_sucessora = Some(boolean(text)?),
            "sucessao" => self.sucessao = Some(word(text, Sucessao::from_word, Sucessao::WORDS)?),
            "situacao" => self.situacao = Some(word(text, SituacaoRegra::from_word, SituacaoRegra::WORDS)?),
            "conferencia" => self.conferencia = Some(word(text, Conferencia::from_word, Conferencia::WORDS)?),
            "q" if text.len() > MAX_WORDS_BYTES => {
                return Err(format!("As palavras passam de {MAX_WORDS_BYTES} bytes."));
            }
            "q" => self.q = Some(text.to_owned()),
            other => return Err(format!("não há filtro {other}; os filtros são: {}", names().join(", "))),
        }
        Ok(())
    }
}

fn uf(text: &str) -> Result<Uf, String> {
    Uf::from_abbreviation(text).ok_or_else(|| "Não é uma UF; use a sigla de duas letras maiúsculas.".to_owned())
}

fn municipios(text: &str) -> Result<Vec<Municipio>, String> {
    let found = Municipio::of_any_uf(text);
    if found.is_empty() { Err("Nenhuma UF tem município com este nome.".to_owned()) } else { Ok(found) }
}

fn boolean(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| "Use true ou false.".to_owned())
}

fn rule_id(text: &str) -> Result<RuleId, String> {
    RuleId::parse(text).ok_or_else(|| "Um rule_id termina em -v<maior>.<menor>.".to_owned())
}

fn word<T>(text: &str, from_word: impl FnOnce(&str) -> Option<T>, words: &[&str]) -> Result<T, String> {
    from_word(text).ok_or_else(|| format!("Use um destes: {}.", words.join(", ")))
}
