//! The JSON records of versions and of changelog events, as the store keeps them.
//!
//! All code that writes or reads such a record uses these declarations, so that a member has one name. The
//! records of published versions never change: never rename a member, or the data of earlier releases cannot
//! be read.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::base::document::raw;

/// A version: the rule as its bundle gives it, with its scope in canonical form. Members that a
/// reader passes on as they are stay unparsed.
#[derive(Debug, Serialize, Deserialize)]
pub struct VersionRecord<'a> {
    #[serde(borrow)]
    pub rule_code: Cow<'a, str>,
    #[serde(borrow)]
    pub versao: Cow<'a, str>,
    #[serde(borrow)]
    pub tributo: Cow<'a, str>,
    /// What it matches; [`scope`](Self::scope) reads it.
    #[serde(borrow)]
    pub escopo: &'a RawValue,
    #[serde(borrow)]
    pub vigente_de: Cow<'a, str>,
    /// The end that its bundle gives it. Later versions may move it: the state of the version has the end of now.
    #[serde(borrow)]
    pub vigente_ate: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub citacao_legal: &'a RawValue,
    /// Where the law was read.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub fonte: Option<&'a RawValue>,
    /// How well its figures are established.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub conferencia: Option<&'a RawValue>,
    /// Sentences that every answer of it carries.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub avisos: Option<&'a RawValue>,
    /// What each of these sentences depends on, or null; absent if no sentence says it. A list of its own, because
    /// earlier releases read `avisos` as texts.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub condicoes_dos_avisos: Option<&'a RawValue>,
    /// Why a figure is null.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub motivo: Option<&'a RawValue>,
    /// What its tax computes with.
    #[serde(borrow)]
    pub conteudo: &'a RawValue,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub exemplos: Option<&'a RawValue>,
}

impl<'a> VersionRecord<'a> {
    /// Parses a record; what it borrows stays in `bytes`.
    pub fn read(bytes: &'a [u8]) -> serde_json::Result<VersionRecord<'a>> {
        serde_json::from_slice(bytes)
    }

    /// The members of the scope, in order.
    pub fn scope(&self) -> serde_json::Result<Vec<(String, &'a RawValue)>> {
        raw::members(self.escopo.get())
    }

    pub fn place(&self) -> serde_json::Result<RecordPlace<'a>> {
        let RecordPlace { uf, uf_origem, uf_destino, municipio } = serde_json::from_str(self.escopo.get())?;
        let (uf_origem, uf_destino) = (uf_origem.or_else(|| uf.clone()), uf_destino.or(uf));
        Ok(RecordPlace { uf: None, uf_origem, uf_destino, municipio })
    }

    /// Code and version as one text.
    pub fn rule_id_text(&self) -> String {
        format!("{}-v{}", self.rule_code, self.versao)
    }
}

#[derive(Debug, Deserialize)]
pub struct RecordPlace<'a> {
    /// The UF of both sides, as a record writes it if they are one.
    #[serde(borrow)]
    uf: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub uf_origem: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub uf_destino: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub municipio: Option<Cow<'a, str>>,
}

/// A changelog event (contract, section 2.6).
#[derive(Debug, Serialize, Deserialize)]
pub struct ChangelogRecord<'a> {
    pub rule_id: Cow<'a, str>,
    pub tributo: Cow<'a, str>,
    pub uf_origem: Option<Cow<'a, str>>,
    pub uf_destino: Option<Cow<'a, str>>,
    pub municipio: Option<Cow<'a, str>>,
    pub vigente_de: Cow<'a, str>,
    pub publicado_em: Cow<'a, str>,
    /// [`PUBLICATION`](Self::PUBLICATION), or what a later version did to this one
    /// ([`Closing::tipo`](super::Closing::tipo)).
    pub tipo: Cow<'a, str>,
    /// The end that the version has from then on; only if another version moved it, as are the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vigente_ate: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_code: Option<Cow<'a, str>>,
    /// The version that moved the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substituida_por: Option<Cow<'a, str>>,
}

impl ChangelogRecord<'_> {
    /// The `tipo` of the event that announces a version.
    pub const PUBLICATION: &'static str = "publicacao";
}
