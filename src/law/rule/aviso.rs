//! The sentences that answers carry, and what each depends on.

use crate::base::document::{Document, Faults, FromNode, Node, Object, Path, Shape, Words, from_required};
use crate::base::problem::ErrorCode;
use crate::base::value::{Text, read_word};

taxd_base::vocabulary! {
    /// What the sentence of an `aviso` depends on, for programs.
    pub enum Condicao {
        Beneficio = "beneficio" => "Benefício",
        Regime = "regime" => "Regime",
        Destino = "destino" => "Destino",
        Descricao = "descricao" => "Descrição",
        Data = "data" => "Data",
        Conferencia = "conferencia" => "Conferência",
        Campo = "campo" => "Dados do caso",
    }
}

impl Condicao {
    /// The words that a rule may write: [`Campo`](Condicao::Campo), the last one, is of calculations alone.
    pub const OF_RULES: &'static [&'static str] = match Condicao::WORDS.split_last() {
        Some((_, of_rules)) => of_rules,
        None => &[],
    };

    /// What the word says, in Portuguese.
    pub const fn meaning(self) -> &'static str {
        match self {
            Condicao::Beneficio => {
                "um benefício, uma isenção, uma redução ou uma alíquota própria pode caber, ou depende de condição"
            }
            Condicao::Regime => "o valor depende do regime do contribuinte ou da operação",
            Condicao::Destino => "o valor depende de quem recebe, ou do uso que se dá ao bem ou ao serviço",
            Condicao::Descricao => "o valor depende do que o bem ou o serviço é, além do código que o pedido traz",
            Condicao::Data => "o valor depende de uma data que o pedido não traz, ou do dia em que a norma vale",
            Condicao::Conferencia => "o valor, ou uma parte da regra, não foi conferido",
            Condicao::Campo => {
                "um campo do pedido foi ignorado, pede revisão, ou não veio e levaria a outra regra; só as respostas o dizem"
            }
        }
    }
}

/// A sentence, and what it depends on, if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aviso {
    /// The sentence, in Portuguese.
    pub texto: Text,
    /// `None` if the rule gives only the sentence.
    pub condicao: Option<Condicao>,
}

taxd_base::document! {
    /// A sentence with its condition, as a bundle writes it.
    struct WithCondition {
        condicao: OfRules, "De que a frase depende";
        texto: Text, "A frase";
    }
}

/// A word of [`Condicao::OF_RULES`].
#[derive(Debug, Clone, Copy, PartialEq)]
struct OfRules(Condicao);

impl FromNode for OfRules {
    const SHAPE: Shape = Shape::OneOf(Words::bare(Condicao::OF_RULES));

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        let of_rules = |word: &str| Condicao::from_word(word).filter(|condicao| *condicao != Condicao::Campo);
        read_word(node, Words::bare(Condicao::OF_RULES), of_rules, at, faults).map(OfRules)
    }
}

/// Either the sentence alone, or an object with its condition.
impl FromNode for Aviso {
    const SHAPE: Shape = Shape::Document(WithCondition::FIELDS);

    fn from_node(node: &Node<'_>, within: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        match node {
            Node::Text(_) => Text::from_node(node, within, at, faults).map(|texto| Aviso { texto, condicao: None }),
            Node::Object(_) => {
                let WithCondition { condicao, texto } = from_required(node, at, faults)?;
                Some(Aviso { texto, condicao: Some(condicao.0) })
            }
            other => {
                let detail = format!("Esperava um texto, ou {}; veio {}.", Self::SHAPE.describe(), other.kind());
                faults.add(at, ErrorCode::TipoInvalido, detail);
                None
            }
        }
    }
}
