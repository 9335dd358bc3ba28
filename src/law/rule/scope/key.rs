//! The keys under which rules are kept and looked for.

use super::{Dimension, DiscriminatorWord};
use crate::base::value::{Cest, ClassificacaoTributaria, Ex, ItemServico, Municipio, Ncm, NcmPrefix, Tributo, Uf};

/// Room for the bytes of most keys.
const USUAL_BYTES: usize = 72;

/// One combination of scope values. A dimension that is `None` matches only rules that do not name it; a tax
/// looks up several keys, in an order of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Chave {
    pub tributo: Tributo,
    pub uf_origem: Option<Uf>,
    pub uf_destino: Option<Uf>,
    pub municipio: Option<Municipio>,
    /// Word of the tax's own dimension.
    pub palavra: Option<DiscriminatorWord>,
    pub ncm: Option<NcmPrefix>,
    pub ex: Option<Ex>,
    pub item: Option<ItemServico>,
    pub cest: Option<Cest>,
    /// Tax classification, of a tax without a dimension of its own.
    pub classificacao: Option<ClassificacaoTributaria>,
}

impl Chave {
    /// The key of a rule of `tributo` that names no dimension.
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
            classificacao: None,
        }
    }

    /// The key of a single-UF tax.
    pub fn na_uf(tributo: Tributo, uf: Uf) -> Chave {
        Chave { uf_origem: Some(uf), uf_destino: Some(uf), ..Chave::of(tributo) }
    }

    /// The key of a municipal tax.
    pub fn no_municipio(tributo: Tributo, municipio: Municipio) -> Chave {
        Chave { municipio: Some(municipio), ..Chave::na_uf(tributo, municipio.uf()) }
    }

    /// This key and the less specific ones that a lookup goes on to, in its order, if a request for this key may leave
    /// every optional dimension open but the tax classification. What a tax does otherwise is in
    /// [`Tax::less_specific`](crate::tax::Tax::less_specific).
    pub fn less_specific(&self) -> Vec<Chave> {
        fn or_open<T: Copy>(own: Option<T>) -> impl Iterator<Item = Option<T>> {
            std::iter::once(own).chain(own.map(|_| None))
        }
        let ncms: Vec<_> = self.ncm.iter().flat_map(NcmPrefix::shortened).map(Some).chain([None]).collect();
        let items: Vec<_> = match self.item {
            Some(item) if item.is_desdobro() => vec![Some(item), Some(item.subitem()), None],
            item => or_open(item).collect(),
        };
        let ufs: Vec<_> = match (self.uf_origem, self.uf_destino) {
            (Some(origem), Some(destino)) => vec![(Some(origem), Some(destino)), (None, Some(destino))],
            (None, Some(destino)) => vec![(None, Some(destino)), (None, None)],
            ufs => vec![ufs],
        };
        let mut keys = Vec::new();
        for cest in or_open(self.cest) {
            for ex in or_open(self.ex) {
                for ncm in &ncms {
                    for palavra in or_open(self.palavra) {
                        for item in &items {
                            for (uf_origem, uf_destino) in &ufs {
                                let (uf_origem, uf_destino) = (*uf_origem, *uf_destino);
                                let (ncm, item) = (*ncm, *item);
                                keys.push(Chave {
                                    uf_origem,
                                    uf_destino,
                                    palavra,
                                    ncm,
                                    ex,
                                    item,
                                    cest,
                                    ..self.clone()
                                });
                            }
                        }
                    }
                }
            }
        }
        keys
    }

    /// The keys of an NCM in these places, in the order of lookups: the longest prefix first.
    pub fn under<'k>(places: &'k [Chave], ncm: &Ncm) -> impl Iterator<Item = Chave> + Clone + 'k {
        let of_prefix = |prefix| places.iter().map(move |place| Chave { ncm: Some(prefix), ..place.clone() });
        ncm.prefixes().flat_map(of_prefix)
    }

    /// The bytes under which the store keeps a rule: each dimension in its fixed place, ended by a
    /// zero byte. No key is the beginning of another one.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(USUAL_BYTES);
        self.write(&mut bytes);
        bytes
    }

    /// The bytes before a dimension: all keys that differ only from there on begin with them, so one range of keys finds
    /// them.
    pub fn bytes_before(&self, dimension: Dimension) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(USUAL_BYTES);
        self.write_before(dimension, &mut bytes);
        bytes
    }

    /// Writes the same bytes in the place of those that are there.
    pub fn write_before(&self, dimension: Dimension, bytes: &mut Vec<u8>) {
        bytes.clear();
        self.write(bytes);
        bytes.truncate(dimension.before(bytes).len());
    }

    /// Adds its bytes, in the order of [`Dimension::ALL`].
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let add = |bytes: &mut Vec<u8>, part: Option<&[u8]>| {
            if let Some(part) = part {
                bytes.extend_from_slice(part);
            }
            bytes.push(0);
        };
        add(bytes, Some(self.tributo.as_str().as_bytes()));
        add(bytes, self.uf_origem.map(|uf| uf.as_str().as_bytes()));
        add(bytes, self.uf_destino.map(|uf| uf.as_str().as_bytes()));
        add(bytes, self.municipio.map(Municipio::digits).as_ref().map(<[u8; 7]>::as_slice));
        // One place for both, so that the keys of earlier data files stay: no tax has the two.
        let own = self.classificacao.as_ref().map(ClassificacaoTributaria::as_bytes);
        add(bytes, self.palavra.map(|p| p.valor.as_bytes()).or(own));
        add(bytes, self.ncm.as_ref().map(NcmPrefix::as_bytes));
        add(bytes, self.ex.as_ref().map(Ex::as_bytes));
        if let Some(item) = self.item {
            item.write_to(bytes);
        }
        bytes.push(0);
        add(bytes, self.cest.as_ref().map(Cest::as_bytes));
    }

    /// The dimensions in Portuguese: "UF SP, município São Paulo, item 1.05". A word of the contract is in backquotes.
    pub fn descricao(&self) -> String {
        let mut parts = Vec::new();
        match (self.uf_origem, self.uf_destino) {
            (Some(o), Some(d)) if o == d => parts.push(format!("UF {o}")),
            (o, d) => {
                parts.extend(o.map(|o| format!("UF de origem {o}")));
                parts.extend(d.map(|d| format!("UF de destino {d}")));
            }
        }
        parts.extend(self.municipio.map(|m| format!("município {}", m.name())));
        parts.extend(self.palavra.map(|p| format!("`{}`: `{}`", p.campo, p.valor)));
        parts.extend(self.ncm.map(|n| format!("NCM {n}")));
        parts.extend(self.ex.map(|e| format!("Ex {e}")));
        parts.extend(self.item.map(|i| format!("item {i}")));
        parts.extend(self.cest.map(|c| format!("CEST {c}")));
        parts.extend(self.classificacao.map(|c| format!("cClassTrib {c}")));
        if parts.is_empty() { "todo o país".to_owned() } else { parts.join(", ") }
    }
}
