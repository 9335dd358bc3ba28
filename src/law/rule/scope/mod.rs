//! What a rule matches on.

mod dimension;
mod key;
mod local;

pub use dimension::Dimension;
pub use key::Chave;
pub use local::Local;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::base::document::{self, Document, Faults, Node, Object, Path, Placed, names, refuse_unknown};
use crate::base::problem::ErrorCode;
use crate::base::value::{
    Cest, ClassificacaoTributaria, Ex, ItemOuDesdobro, ItemServico, Municipio, Ncm, NcmPrefix, Tributo, Uf, read_word,
};

/// Most keys of one rule. Lists multiply, so a small scope could name millions.
const MAX_KEYS: usize = 2_000;

taxd_base::vocabulary! {
    /// A dimension of scope that is the same for every tax.
    pub enum Axis {
        Uf = "uf",
        UfOrigem = "uf_origem",
        UfDestino = "uf_destino",
        Municipio = "municipio",
        Ncm = "ncm",
        NcmExceto = "ncm_exceto",
        Cest = "cest",
        Ex = "ex",
        ItemListaServico = "item_lista_servico",
        ClassificacaoTributaria = "classificacao_tributaria",
    }
}

/// A dimension of scope that belongs to one tax: a field of its payload with a closed list of words.
#[derive(Debug, Clone, Copy)]
pub struct Discriminator {
    pub campo: &'static str,
    pub palavras: document::Words,
}

impl Discriminator {
    /// A word of this dimension, as part of a key.
    pub const fn palavra(self, valor: &'static str) -> Option<DiscriminatorWord> {
        Some(DiscriminatorWord { campo: self.campo, valor })
    }
}

/// A word of a tax's own dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DiscriminatorWord {
    pub campo: &'static str,
    pub valor: &'static str,
}

/// The dimensions that the rules of a tax may name.
#[derive(Debug, Clone, Copy)]
pub struct ScopeSpec {
    /// Dimensions that may be named.
    pub eixos: &'static [Axis],
    /// Those of them that must be named, except by the national rule of the transition.
    pub obrigatorios: &'static [Axis],
    /// The tax's own dimension.
    pub discriminador: Option<Discriminator>,
}

impl ScopeSpec {
    /// The members that a scope of the tax may have.
    pub fn fields(&self) -> Vec<document::Field> {
        let common = CommonAxes::FIELDS.iter().filter(|f| self.eixos.iter().any(|e| e.as_str() == f.name)).copied();
        let own = self.discriminador.map(|d| {
            document::Field::optional(d.campo, document::Shape::OneOf(d.palavras), "Palavra ou palavras do pedido")
        });
        common.chain(own).collect()
    }

    /// Reports the dimensions that a scope must name and does not.
    pub fn require(&self, object: &Object<'_>, at: &Path<'_>, faults: &mut Faults) {
        for axis in self.obrigatorios {
            let name = axis.as_str();
            if matches!(object.get(name), None | Some(Node::Null)) {
                let detail = format!("O escopo deste tributo precisa de `{name}`.");
                faults.add(&at.key(name), ErrorCode::CampoObrigatorio, detail);
            }
        }
    }
}

taxd_base::document! {
    struct CommonAxes {
        uf: Option<Uf>, "UF, quando o tributo é de uma só";
        uf_origem: Option<Uf>, "UF de origem";
        uf_destino: Option<Uf>, "UF de destino";
        municipio: Option<Municipio>, "Município";
        ncm: Vec<NcmPrefix>, "NCM ou prefixos";
        ncm_exceto: Vec<NcmPrefix>, "Prefixos excetuados";
        cest: Option<Cest>, "CEST";
        ex: Option<Ex>, "Exceção tarifária";
        item_lista_servico: Vec<ItemOuDesdobro>, "Subitens da lista de serviços";
        classificacao_tributaria: Option<ClassificacaoTributaria>, "Classificação tributária (cClassTrib)";
    }
}

/// What a rule matches on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Escopo {
    /// Origin UF; of a single-UF tax, its UF.
    pub uf_origem: Option<Uf>,
    /// Destination UF; of a single-UF tax, its UF.
    pub uf_destino: Option<Uf>,
    pub municipio: Option<Municipio>,
    /// NCM codes or prefixes; empty matches with and without NCM.
    pub ncm: Vec<NcmPrefix>,
    /// Prefixes inside `ncm` that the rule excludes.
    pub ncm_exceto: Vec<NcmPrefix>,
    pub cest: Option<Cest>,
    pub ex: Option<Ex>,
    /// Subitems of the service list, or subdivisions of them; empty is the general rule.
    pub item_lista_servico: Vec<ItemServico>,
    /// Tax classification of CBS and IBS.
    pub classificacao: Option<ClassificacaoTributaria>,
    /// Name of the tax's own dimension.
    pub discriminador: Option<&'static str>,
    /// Its words; empty matches any.
    pub palavras: Vec<&'static str>,
}

impl Escopo {
    /// Reads a scope. Reports dimensions that the tax does not have.
    pub fn read(object: &Object<'_>, spec: &ScopeSpec, at: &Path<'_>, faults: &mut Faults) -> Option<Escopo> {
        let before = faults.len();
        let own = spec.discriminador;
        let is_axis = |name: &str| Axis::from_word(name).is_some_and(|axis| spec.eixos.contains(&axis));
        if !object.0.iter().all(|(name, _)| is_axis(name) || own.is_some_and(|own| own.campo == name)) {
            let fields = spec.fields();
            refuse_unknown(&Placed::of(object, &fields, &[]), &names(&fields), at, faults);
        }
        let axes = CommonAxes::read(object, at, faults);
        let palavras = match own.and_then(|d| Some((d, object.get(d.campo)?))) {
            Some((d, node)) => read_words(node, d, &at.key(d.campo), faults),
            None => Vec::new(),
        };
        let axes = axes?;
        if axes.uf.is_some() && (axes.uf_origem.is_some() || axes.uf_destino.is_some()) {
            let detail = "Use `uf`, ou então `uf_origem` e `uf_destino`; não os três.";
            faults.add(&at.key("uf"), ErrorCode::ValorInvalido, detail);
        }
        let escopo = Escopo {
            uf_origem: axes.uf.or(axes.uf_origem),
            uf_destino: axes.uf.or(axes.uf_destino),
            municipio: axes.municipio,
            ncm: axes.ncm,
            ncm_exceto: axes.ncm_exceto,
            cest: axes.cest,
            ex: axes.ex,
            item_lista_servico: axes.item_lista_servico.into_iter().map(|ItemOuDesdobro(item)| item).collect(),
            classificacao: axes.classificacao_tributaria,
            discriminador: own.map(|d| d.campo),
            palavras,
        };
        escopo.check_lists(at, faults);
        (faults.len() == before).then_some(escopo)
    }

    /// Reports exceptions outside of every prefix, and lists that multiply into too many keys.
    fn check_lists(&self, at: &Path<'_>, faults: &mut Faults) {
        for exceto in &self.ncm_exceto {
            if !self.ncm.iter().any(|n| exceto.as_str().starts_with(n.as_str()) && exceto != n) {
                let detail = format!("A exceção {exceto} não está dentro de nenhum prefixo de `ncm`.");
                faults.add(&at.key("ncm_exceto"), ErrorCode::ValorInvalido, detail);
            }
        }
        if self.key_count() > MAX_KEYS {
            let detail =
                format!("As listas do escopo se multiplicam em mais de {MAX_KEYS} combinações; divida a regra.");
            faults.add(at, ErrorCode::ForaDoIntervalo, detail);
        }
    }

    /// True if the rule excludes this NCM, so that a less specific one answers for it.
    pub fn excetua(&self, ncm: &Ncm) -> bool {
        self.ncm_exceto.iter().any(|p| ncm.is_under(p))
    }

    fn key_count(&self) -> usize {
        self.ncm.len().max(1) * self.item_lista_servico.len().max(1) * self.palavras.len().max(1)
    }

    /// Every key under which the rule is kept: one for each combination of its lists.
    pub fn chaves(&self, tributo: Tributo) -> Vec<Chave> {
        fn or_none<T: Copy>(list: &[T]) -> Vec<Option<T>> {
            if list.is_empty() { vec![None] } else { list.iter().copied().map(Some).collect() }
        }
        let mut chaves = Vec::with_capacity(self.key_count());
        for palavra in or_none(&self.palavras) {
            for ncm in or_none(&self.ncm) {
                for item in or_none(&self.item_lista_servico) {
                    chaves.push(Chave {
                        tributo,
                        uf_origem: self.uf_origem,
                        uf_destino: self.uf_destino,
                        municipio: self.municipio,
                        palavra: palavra
                            .zip(self.discriminador)
                            .map(|(valor, campo)| DiscriminatorWord { campo, valor }),
                        ncm,
                        ex: self.ex,
                        item,
                        cest: self.cest,
                        classificacao: self.classificacao,
                    });
                }
            }
        }
        chaves
    }
}

fn read_words(node: &Node<'_>, d: Discriminator, at: &Path<'_>, faults: &mut Faults) -> Vec<&'static str> {
    let word = |text: &str| d.palavras.iter().find(|p| **p == text).copied();
    let mut one = |node: &Node<'_>, at: &Path<'_>| read_word(node, d.palavras, word, at, faults);
    match node {
        Node::Null => Vec::new(),
        Node::List(items) => items.iter().enumerate().filter_map(|(i, item)| one(item, &at.index(i))).collect(),
        node => one(node, at).into_iter().collect(),
    }
}

impl Serialize for Escopo {
    /// The canonical form: without the dimensions that are not named, and `uf` for the same UF on both sides.
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(None)?;
        macro_rules! entry {
            ($name:literal, $value:expr) => {
                if let Some(value) = $value {
                    map.serialize_entry($name, &value)?;
                }
            };
            (list $name:expr, $value:expr) => {
                if !$value.is_empty() {
                    map.serialize_entry($name, &$value)?;
                }
            };
        }
        if self.uf_origem.is_some() && self.uf_origem == self.uf_destino {
            entry!("uf", self.uf_origem);
        } else {
            entry!("uf_origem", self.uf_origem);
            entry!("uf_destino", self.uf_destino);
        }
        entry!("municipio", self.municipio);
        entry!(list "ncm", self.ncm);
        entry!(list "ncm_exceto", self.ncm_exceto);
        entry!("cest", self.cest);
        entry!("ex", self.ex);
        entry!(list "item_lista_servico", self.item_lista_servico);
        entry!("classificacao_tributaria", self.classificacao);
        if let Some(campo) = self.discriminador {
            entry!(list campo, self.palavras);
        }
        map.end()
    }
}
