//! What a rule matches on, and the keys under which it is kept and looked for.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::document;
use crate::document::{Document, Faults, Node, Object, Path, refuse_unknown};
use crate::problem::ErrorCode;
use crate::value::{Cest, Ex, ItemServico, Municipio, Ncm, NcmPrefix, Tributo, Uf, read_text, shorten};

/// Most keys that one rule may stand under: lists multiply.
const MAX_KEYS: usize = 2_000;

crate::vocabulary! {
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
    }
}

/// A dimension of scope that belongs to one tax: a field of its payload with a closed list of words.
#[derive(Debug, Clone, Copy)]
pub struct Discriminator {
    /// The field.
    pub campo: &'static str,
    /// The words it may hold.
    pub palavras: &'static [&'static str],
}

impl Discriminator {
    /// A word of this dimension, as part of a key.
    #[must_use]
    pub const fn palavra(self, valor: &'static str) -> Option<DiscriminatorWord> {
        Some(DiscriminatorWord { campo: self.campo, valor })
    }
}

/// A word of a tax's own dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DiscriminatorWord {
    /// The dimension.
    pub campo: &'static str,
    /// The word.
    pub valor: &'static str,
}

/// The dimensions that the rules of a tax may name.
#[derive(Debug, Clone, Copy)]
pub struct ScopeSpec {
    /// Dimensions that may be named.
    pub eixos: &'static [Axis],
    /// Those of them that must be named.
    pub obrigatorios: &'static [Axis],
    /// The tax's own dimension.
    pub discriminador: Option<Discriminator>,
}

document! {
    struct CommonAxes {
        uf: Option<Uf>, "UF, quando o tributo é de uma só";
        uf_origem: Option<Uf>, "UF de origem";
        uf_destino: Option<Uf>, "UF de destino";
        municipio: Option<Municipio>, "Município";
        ncm: Vec<NcmPrefix>, "NCM ou prefixos";
        ncm_exceto: Vec<NcmPrefix>, "Prefixos excetuados";
        cest: Option<Cest>, "CEST";
        ex: Option<Ex>, "Exceção tarifária";
        item_lista_servico: Vec<ItemServico>, "Subitens da lista de serviços";
    }
}

/// What a rule matches on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Escopo {
    /// Origin UF; of a single-UF tax, its UF.
    pub uf_origem: Option<Uf>,
    /// Destination UF; of a single-UF tax, its UF.
    pub uf_destino: Option<Uf>,
    /// Municipality.
    pub municipio: Option<Municipio>,
    /// NCM codes or prefixes; empty matches with and without NCM.
    pub ncm: Vec<NcmPrefix>,
    /// Prefixes inside `ncm` that the rule leaves to others.
    pub ncm_exceto: Vec<NcmPrefix>,
    /// CEST.
    pub cest: Option<Cest>,
    /// Tariff exception.
    pub ex: Option<Ex>,
    /// Subitems of the service list; empty is the general rule.
    pub item_lista_servico: Vec<ItemServico>,
    /// Name of the tax's own dimension.
    pub discriminador: Option<&'static str>,
    /// Its words; empty matches any.
    pub palavras: Vec<&'static str>,
}

impl Escopo {
    /// Reads a scope, refusing dimensions that the tax does not have.
    pub fn read(object: &Object<'_>, spec: &ScopeSpec, at: &Path<'_>, faults: &mut Faults) -> Option<Escopo> {
        let before = faults.len();
        let own = spec.discriminador;
        let known: Vec<_> = CommonAxes::FIELDS
            .iter()
            .filter(|f| spec.eixos.iter().any(|e| e.as_str() == f.name))
            .copied()
            .chain(own.map(|d| document::Field::optional(d.campo, document::Shape::OneOf(d.palavras), "")))
            .collect();
        refuse_unknown(object, &known, at, faults);
        let comuns = CommonAxes::read(object, at, faults);
        let palavras = match own.and_then(|d| object.get(d.campo).map(|node| (d, node))) {
            Some((d, node)) => read_words(node, d, &at.key(d.campo), faults),
            None => Vec::new(),
        };
        for eixo in spec.obrigatorios {
            if matches!(object.get(eixo.as_str()), None | Some(Node::Null)) {
                let name = eixo.as_str();
                faults.add(
                    &at.key(name),
                    ErrorCode::CampoObrigatorio,
                    format!("O escopo deste tributo precisa de `{name}`."),
                );
            }
        }
        let comuns = comuns?;
        if comuns.uf.is_some() && (comuns.uf_origem.is_some() || comuns.uf_destino.is_some()) {
            let detail = "Use `uf`, ou então `uf_origem` e `uf_destino`; não os três.";
            faults.add(&at.key("uf"), ErrorCode::ValorInvalido, detail);
        }
        let escopo = Escopo {
            uf_origem: comuns.uf.or(comuns.uf_origem),
            uf_destino: comuns.uf.or(comuns.uf_destino),
            municipio: comuns.municipio,
            ncm: comuns.ncm,
            ncm_exceto: comuns.ncm_exceto,
            cest: comuns.cest,
            ex: comuns.ex,
            item_lista_servico: comuns.item_lista_servico,
            discriminador: own.map(|d| d.campo),
            palavras,
        };
        for exceto in &escopo.ncm_exceto {
            if !escopo.ncm.iter().any(|n| exceto.as_str().starts_with(n.as_str()) && exceto != n) {
                let detail = format!("A exceção {exceto} não está dentro de nenhum prefixo de `ncm`.");
                faults.add(&at.key("ncm_exceto"), ErrorCode::ValorInvalido, detail);
            }
        }
        if escopo.key_count() > MAX_KEYS {
            let detail =
                format!("As listas do escopo se multiplicam em mais de {MAX_KEYS} combinações; divida a regra.");
            faults.add(at, ErrorCode::ForaDoIntervalo, detail);
        }
        (faults.len() == before).then_some(escopo)
    }

    /// True when the rule leaves this NCM to a less specific one.
    #[must_use]
    pub fn excetua(&self, ncm: &Ncm) -> bool {
        self.ncm_exceto.iter().any(|p| ncm.is_under(p))
    }

    fn key_count(&self) -> usize {
        self.ncm.len().max(1) * self.item_lista_servico.len().max(1) * self.palavras.len().max(1)
    }

    /// Every key under which the rule stands.
    #[must_use]
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
                    });
                }
            }
        }
        chaves
    }
}

fn read_words(node: &Node<'_>, d: Discriminator, at: &Path<'_>, faults: &mut Faults) -> Vec<&'static str> {
    let shape = document::Shape::OneOf(d.palavras);
    let mut one =
        |node: &Node<'_>, at: &Path<'_>| {
            read_text(node, &shape, at, faults, ErrorCode::ValorInvalido, |text| {
                d.palavras.iter().find(|p| **p == text).copied().ok_or_else(|| {
                    format!("\"{}\" não é aceito; use um destes: {}.", shorten(text), d.palavras.join(", "))
                })
            })
        };
    match node {
        Node::Null => Vec::new(),
        Node::List(items) => items.iter().enumerate().filter_map(|(i, item)| one(item, &at.index(i))).collect(),
        node => one(node, at).into_iter().collect(),
    }
}

impl Serialize for Escopo {
    /// As a bundle writes it: dimensions that are not named left out, one UF on both sides as `uf`.
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
        if let Some(campo) = self.discriminador {
            entry!(list campo, self.palavras);
        }
        map.end()
    }
}

/// One combination of scope values. A dimension that is `None` matches only rules that do not
/// name it; a tax looks under several keys in the order of its choice.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Chave {
    /// The tax.
    pub tributo: Tributo,
    /// Origin UF.
    pub uf_origem: Option<Uf>,
    /// Destination UF.
    pub uf_destino: Option<Uf>,
    /// Municipality.
    pub municipio: Option<Municipio>,
    /// Word of the tax's own dimension.
    pub palavra: Option<DiscriminatorWord>,
    /// NCM or prefix.
    pub ncm: Option<NcmPrefix>,
    /// Tariff exception.
    pub ex: Option<Ex>,
    /// Subitem of the service list.
    pub item: Option<ItemServico>,
    /// CEST.
    pub cest: Option<Cest>,
}

impl Chave {
    /// The key of a rule of `tributo` that names no dimension.
    #[must_use]
    pub fn of(tributo: Tributo) -> Chave {
        Chave {
            tributo,
            uf_origem: None,
            uf_destino: None,
            municipio: None,
            palavra: None,
            ncm: None,
            ex: None,
            item: None,
            cest: None,
        }
    }

    /// The key of a single-UF tax.
    #[must_use]
    pub fn na_uf(tributo: Tributo, uf: Uf) -> Chave {
        Chave { uf_origem: Some(uf), uf_destino: Some(uf), ..Chave::of(tributo) }
    }

    /// The key of a municipal tax.
    #[must_use]
    pub fn no_municipio(tributo: Tributo, municipio: Municipio) -> Chave {
        Chave { municipio: Some(municipio), ..Chave::na_uf(tributo, municipio.uf()) }
    }

    /// The bytes under which the store keeps a rule: each dimension in its fixed place, ended by a
    /// zero byte. No key is the beginning of another one.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.bytes_before_last();
        push(&mut bytes, self.cest.as_ref().map_or("", Cest::as_str));
        bytes
    }

    /// The [`bytes`](Self::bytes) without the last dimension: all keys that differ only in it begin
    /// with them, so one range of keys finds them.
    #[must_use]
    pub fn bytes_before_last(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(48);
        push(&mut bytes, self.tributo.as_str());
        push(&mut bytes, self.uf_origem.map_or("", Uf::as_str));
        push(&mut bytes, self.uf_destino.map_or("", Uf::as_str));
        push(&mut bytes, &self.municipio.map(|m| m.ibge_code().to_string()).unwrap_or_default());
        push(&mut bytes, self.palavra.map_or("", |p| p.valor));
        push(&mut bytes, self.ncm.as_ref().map_or("", NcmPrefix::as_str));
        push(&mut bytes, self.ex.as_ref().map_or("", Ex::as_str));
        push(&mut bytes, &self.item.map(|i| i.to_string()).unwrap_or_default());
        bytes
    }

    /// The dimensions in Portuguese: "uf SP, município São Paulo, item 1.05".
    #[must_use]
    pub fn descricao(&self) -> String {
        let mut parts = Vec::new();
        match (self.uf_origem, self.uf_destino) {
            (Some(o), Some(d)) if o == d => parts.push(format!("uf {o}")),
            (o, d) => {
                parts.extend(o.map(|o| format!("uf_origem {o}")));
                parts.extend(d.map(|d| format!("uf_destino {d}")));
            }
        }
        parts.extend(self.municipio.map(|m| format!("município {}", m.name())));
        parts.extend(self.palavra.map(|p| format!("{} {}", p.campo, p.valor)));
        parts.extend(self.ncm.map(|n| format!("NCM {n}")));
        parts.extend(self.ex.map(|e| format!("Ex {e}")));
        parts.extend(self.item.map(|i| format!("item {i}")));
        parts.extend(self.cest.map(|c| format!("CEST {c}")));
        if parts.is_empty() { "todo o país".to_owned() } else { parts.join(", ") }
    }
}

fn push(bytes: &mut Vec<u8>, part: &str) {
    bytes.extend_from_slice(part.as_bytes());
    bytes.push(0);
}
