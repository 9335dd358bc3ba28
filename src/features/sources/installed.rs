//! An installed rule version, as a listing shows it, and the same rule again as another version.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::base::value::{Date, Ncm, NcmPrefix};
use crate::law::rule::Vigencia;

#[derive(Debug, Clone, Deserialize)]
pub struct InstalledVersion {
    pub(super) rule_id: String,
    pub(super) rule_code: String,
    versao: String,
    #[serde(default)]
    ncm: Vec<String>,
    #[serde(default)]
    ncm_exceto: Vec<String>,
    #[serde(default)]
    pub(super) ex: Option<String>,
    #[serde(default)]
    pub(super) classificacao_tributaria: Option<String>,
    vigente_de: Date,
    vigente_ate: Option<Date>,
    citacao_legal: String,
    #[serde(default)]
    fonte: Option<String>,
    #[serde(default)]
    conferencia: Option<String>,
    #[serde(default)]
    avisos: Vec<String>,
    #[serde(default)]
    condicoes_dos_avisos: Vec<Option<String>>,
    #[serde(default)]
    pub(super) motivo: Option<String>,
    pub(super) conteudo: Value,
}

impl InstalledVersion {
    pub(super) fn vigencia(&self) -> Vigencia {
        Vigencia { de: self.vigente_de, ate: self.vigente_ate }
    }

    pub(super) fn major(&self) -> u32 {
        self.versao.split('.').next().and_then(|major| major.parse().ok()).unwrap_or_default()
    }

    /// The only code of goods in its scope.
    pub(super) fn only_ncm(&self) -> Option<Ncm> {
        match (self.ncm.as_slice(), self.ncm_exceto.as_slice()) {
            ([ncm], []) => Ncm::parse(ncm).ok(),
            _ => None,
        }
    }

    /// True if its scope names the goods by their whole code.
    pub(super) fn names(&self, ncm: &Ncm) -> bool {
        self.ncm.iter().any(|prefix| prefix == ncm.as_str())
    }

    /// True if its scope has the goods, by their code or a prefix.
    pub(super) fn reaches(&self, ncm: &Ncm) -> bool {
        let any = |prefixes: &[String]| prefixes.iter().any(|p| NcmPrefix::parse(p).is_ok_and(|p| ncm.is_under(&p)));
        any(&self.ncm) && !any(&self.ncm_exceto)
    }

    /// Its sentences, as a bundle writes them.
    pub(super) fn avisos(&self) -> Vec<Value> {
        let conditions = self.condicoes_dos_avisos.iter().map(Option::as_deref).chain(std::iter::repeat(None));
        self.avisos
            .iter()
            .zip(conditions)
            .map(|(texto, condicao)| match condicao {
                Some(condicao) => json!({"condicao": condicao, "texto": texto}),
                None => json!(texto),
            })
            .collect()
    }

    /// What it declares besides its code, version, scope and days, as a bundle writes it.
    pub(super) fn body(&self) -> RuleBody {
        RuleBody {
            citacao_legal: self.citacao_legal.clone(),
            fonte: self.fonte.clone(),
            conferencia: self.conferencia.clone(),
            avisos: self.avisos(),
            motivo: self.motivo.clone(),
            conteudo: self.conteudo.clone(),
        }
    }
}

/// What a rule declares besides its code, version, scope and days.
pub(super) struct RuleBody {
    pub(super) citacao_legal: String,
    pub(super) fonte: Option<String>,
    pub(super) conferencia: Option<String>,
    pub(super) avisos: Vec<Value>,
    pub(super) motivo: Option<String>,
    pub(super) conteudo: Value,
}

/// What identifies a version of a rule to write.
pub(super) struct RuleHead<'h> {
    pub(super) rule_code: &'h str,
    pub(super) major: u32,
    pub(super) tributo: &'h str,
    pub(super) escopo: Value,
    pub(super) vigencia: Vigencia,
}

impl RuleHead<'_> {
    /// The rule as a line of a bundle.
    pub(super) fn with(&self, body: &RuleBody) -> String {
        let mut rule = json!({
            "rule_code": self.rule_code,
            "versao": format!("{}.0", self.major),
            "tributo": self.tributo,
            "escopo": self.escopo,
            "vigente_de": self.vigencia.de,
            "vigente_ate": self.vigencia.ate,
            "citacao_legal": body.citacao_legal,
            "fonte": body.fonte,
            "conferencia": body.conferencia,
            "avisos": body.avisos,
            "motivo": body.motivo,
            "conteudo": body.conteudo,
        });
        if let Some(members) = rule.as_object_mut() {
            members.retain(|_, value| !value.is_null() && *value != json!([]));
        }
        rule.to_string()
    }
}

/// A bundle of rules, one a line; `None` without rules.
pub(super) fn bundle(pacote: &str, versao: Date, descricao: &str, regras: &[String]) -> Option<String> {
    let head = json!({"pacote": pacote, "versao": versao.to_string(), "descricao": descricao}).to_string();
    let head = head.trim_end_matches('}');
    (!regras.is_empty()).then(|| format!("{head},\n\"regras\":[\n{}\n]}}\n", regras.join(",\n")))
}
