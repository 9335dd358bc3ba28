//! The members of a rule that are the same for every tax: what each must have, and the days on which it may answer.

use super::{BundleRule, RuleLocation, list_of};
use crate::base::document::{Document, Faults, Node, Object, Path, Placed, Shape, names, refuse_unknown, wrong_type};
use crate::base::problem::ErrorCode;
use crate::base::value::{Conferencia, Date, RuleCode, Text, Versao};
use crate::rule::Aviso;

taxd_base::document! {
    /// The members that every rule has, whatever its tax.
    pub struct RuleHeader {
        rule_code: RuleCode, "Código da regra, comum às suas versões";
        versao: Versao, "Versão, maior.menor";
        tributo: Text, "Tributo";
        vigente_de: Date, "Vigente desde";
        vigente_ate: Option<Date>, "Primeiro dia depois da vigência";
        citacao_legal: Text, "Citação legal";
        fonte: Option<Text>, "Onde a norma foi lida";
        conferencia: Option<Conferencia>, "Conferência" + ": em que texto os valores da regra foram lidos";
        avisos: Vec<Aviso>, "Avisos" + " que acompanham toda resposta da regra";
        motivo: Option<Text>, "Motivo" + " por que um valor da regra não está estabelecido";
    }
}

taxd_base::document! {
    /// What a worked example expects, beside the components of the answer.
    pub struct Esperado {
        valor: Option<Text>, "Valor esperado";
        codigo: Option<Text>, "Código da recusa esperada";
        rule_id: Option<Text>, "Versão que deve responder";
    }
}

/// Members of a rule that the tax reads.
const TYPED: [(&str, bool); 3] = [("escopo", true), ("conteudo", true), ("exemplos", false)];

/// Reads a rule, written out or made from a line of a table. Leaves scope and content to its tax.
pub(super) fn read_rule<'a>(
    location: RuleLocation,
    mut rule: Object<'a>,
    at: &Path<'_>,
    faults: &mut Faults,
) -> Option<BundleRule<'a>> {
    let typed = TYPED.map(|(name, _)| name);
    let placed = Placed::of(&rule, RuleHeader::FIELDS, &typed);
    refuse_unknown(&placed, &names(RuleHeader::FIELDS).chain(typed), at, faults);
    for (name, required) in TYPED {
        if required && rule.get(name).is_none() {
            faults.add(&at.key(name), ErrorCode::CampoObrigatorio, format!("Falta `{name}`."));
        }
    }
    let header = RuleHeader::read_placed(&placed, at, faults);
    if let Some(header) = &header {
        header.check_days(at, faults);
    }
    let escopo = match rule.take("escopo") {
        Some(Node::Object(escopo)) => escopo,
        Some(other) => {
            wrong_type(&Shape::Document(&[]), &other, &at.key("escopo"), faults);
            return None;
        }
        None => return None,
    };
    list_of(&rule, "exemplos", at, faults);
    let exemplos = match rule.take("exemplos") {
        Some(Node::List(exemplos)) => exemplos,
        _ => Vec::new(),
    };
    let tributo = match rule.take("tributo") {
        Some(Node::Text(name)) => Some(name),
        _ => None,
    };
    Some(BundleRule { location, header, tributo, escopo, conteudo: rule.take("conteudo")?, exemplos })
}

impl RuleHeader {
    /// Reports days on which no rule may answer, and an end that is not after the beginning.
    fn check_days(&self, at: &Path<'_>, faults: &mut Faults) {
        let (first, last) = (Date::FIRST_OF_RULES, Date::LAST_OF_RULES);
        for (name, day) in [("vigente_de", Some(self.vigente_de)), ("vigente_ate", self.vigente_ate)] {
            if let Some(day) = day.filter(|day| !day.may_have_rules()) {
                let detail = format!("As regras vão de {first} a {last}; veio {day}.");
                faults.add(&at.key(name), ErrorCode::DataInvalida, detail);
            }
        }
        if self.vigente_ate.is_some_and(|ate| ate <= self.vigente_de) {
            let detail =
                "`vigente_ate` é o primeiro dia em que a regra já não responde e precisa vir depois de `vigente_de`.";
            faults.add(&at.key("vigente_ate"), ErrorCode::ForaDoIntervalo, detail);
        }
    }
}
