//! The list of differentiated regimes: which rule names a NCM or service item, what the refusal says, and which tax
//! classifications would resolve it.

use super::{Conteudo, Hipotese, Payload};
use crate::base::problem::{Candidato, ErrorCode, Problem, TipoRecusa};
use crate::base::sentence::Sentence;
use crate::base::value::{ClassificacaoTributaria, Date, Exact, Figura, Rate, percent};
use crate::rule::{Chave, Regra, RuleResult, first_of_ncm};
use crate::tax::calculation::Calculation;

/// The tax situation of full taxation: its classifications come last among the candidates.
const INTEGRAL: &str = "000";
/// The classification of full taxation without further condition.
const INTEGRAL_CODE: &str = "000001";

/// A rule of the list, and the field of the payload that led to it.
pub(super) struct Listed {
    pub(super) regra: Regra,
    pub(super) campo: &'static str,
}

impl Listed {
    /// What people call the code that led to the rule.
    pub(super) fn code(&self) -> &'static str {
        if self.campo == "ncm" { "NCM" } else { "subitem da lista de serviços" }
    }

    /// The same with the code of the payload: `NCM 96190000`.
    pub(super) fn code_of(&self, p: &Payload) -> String {
        match (self.campo, &p.ncm, p.item_lista_servico) {
            ("ncm", Some(ncm), _) => format!("{} {ncm}", self.code()),
            (_, _, Some(item)) => format!("{} {item}", self.code()),
            _ => self.code().to_owned(),
        }
    }

    pub(super) fn hipoteses(&self) -> RuleResult<&[Hipotese]> {
        Ok(self.regra.conteudo::<Conteudo>()?.recusa.as_ref().map_or(&[], |recusa| &recusa.hipoteses))
    }

    /// True if the rule says which classifications the goods or services have, and full taxation is none of them.
    pub(super) fn is_definite(&self) -> RuleResult<bool> {
        let mut codigos = self.hipoteses()?.iter().flat_map(|h| &h.classificacoes).peekable();
        Ok(codigos.peek().is_some() && codigos.all(|codigo| codigo.cst() != INTEGRAL))
    }

    pub(super) fn names(&self, codigo: ClassificacaoTributaria) -> RuleResult<bool> {
        Ok(self.hipoteses()?.iter().any(|h| h.classificacoes.contains(&codigo)))
    }

    /// The hypotheses that give another classification than full taxation, each with its codes; `None` without one.
    pub(super) fn other_regimes(&self) -> RuleResult<Option<Sentence>> {
        let others = self.hipoteses()?.iter().filter_map(|h| {
            let codigos = h.classificacoes.iter().filter(|codigo| codigo.cst() != INTEGRAL);
            let codigos: Vec<String> = codigos.map(ToString::to_string).collect();
            match (codigos.is_empty(), h.classificacoes.is_empty()) {
                (true, false) => None,
                (true, true) => Some(one_written(h)),
                (false, _) => {
                    let (one, codigos) = (one_written(h), codigos.join(" ou "));
                    Some(Sentence::of(|to| format!("{}: {codigos}", one.read_by(to))))
                }
            }
        });
        let others: Vec<Sentence> = others.collect();
        Ok((!others.is_empty()).then(|| Sentence::joined(&others, "; ")))
    }

    /// The hypotheses of the law, in one line.
    pub(super) fn written(&self) -> RuleResult<Sentence> {
        Ok(written(self.hipoteses()?))
    }
}

/// The rule that names the NCM, by its longest prefix.
pub(super) fn by_ncm(national: &Chave, p: &Payload, calculation: &Calculation<'_>) -> RuleResult<Option<Listed>> {
    let Some(ncm) = &p.ncm else { return Ok(None) };
    let found = first_of_ncm(calculation.regras, [std::slice::from_ref(national)], ncm, p.data_operacao)?;
    Ok(found.map(|regra| Listed { regra, campo: "ncm" }))
}

/// The rule that names the service item.
pub(super) fn by_item(national: &Chave, p: &Payload, calculation: &Calculation<'_>) -> RuleResult<Option<Listed>> {
    let Some(item) = p.item_lista_servico else { return Ok(None) };
    let key = Chave { item: Some(item), ..national.clone() };
    let found = calculation.regras.em(&key, p.data_operacao)?;
    Ok(found.map(|regra| Listed { regra, campo: "item_lista_servico" }))
}

/// Refuses a code that is on the list, when the payload has no tax classification.
pub(super) fn refuse_listed(national: &Chave, p: &Payload, calculation: &Calculation<'_>) -> RuleResult<()> {
    let listed = match by_ncm(national, p, calculation)? {
        Some(listed) => Some(listed),
        None => by_item(national, p, calculation)?,
    };
    let Some(listed) = listed else { return Ok(()) };
    let candidatos = candidates(std::slice::from_ref(&listed), national, p.data_operacao, calculation)?;
    let hypotheses = listed.written()?;
    let (code, codes) = (listed.code(), codes(&candidatos));
    let detail = Sentence::of(|to| {
        let hypotheses = hypotheses.read_by(to);
        match &codes {
            None => format!(
                "O {code} está na lista de regimes próprios da reforma, que não se calculam aqui: {hypotheses}."
            ),
            Some(codes) => format!(
                "O {code} está na lista de regimes próprios da reforma: {hypotheses}. Informe a `classificacao_tributaria` da operação: {codes}, ou outra que dependa das partes ou da operação."
            ),
        }
    });
    let detail = match &codes {
        None => detail,
        Some(_) => detail.listing(format!(
            "O {code} está na lista de regimes próprios da reforma: diga qual é a `classificacao_tributaria` da operação."
        )),
    };
    let refusal = listed.regra.refusal_of_field(ErrorCode::RegimeDiferenciado, listed.campo, detail);
    // With a candidate, the classification is the datum that is missing.
    let tipo = if candidatos.is_empty() { TipoRecusa::ForaDoEscopo } else { TipoRecusa::FaltaDado };
    Err(Box::new(Problem { candidatos, ..refusal.because(tipo) }))
}

/// The classifications that the lists give, or full taxation without a list. Leaves out those without a rule on the day.
pub(super) fn candidates(
    listed: &[Listed],
    national: &Chave,
    data: Date,
    calculation: &Calculation<'_>,
) -> RuleResult<Vec<Candidato>> {
    let mut codigos: Vec<ClassificacaoTributaria> = Vec::new();
    for list in listed {
        for codigo in list.hipoteses()?.iter().flat_map(|h| &h.classificacoes) {
            if !codigos.contains(codigo) {
                codigos.push(*codigo);
            }
        }
    }
    if listed.is_empty() {
        codigos.extend(ClassificacaoTributaria::parse(INTEGRAL_CODE));
    }
    codigos.sort_by_key(|codigo| codigo.cst() == INTEGRAL);
    let mut candidatos = Vec::new();
    for codigo in codigos {
        let key = Chave { classificacao: Some(codigo), ..national.clone() };
        if let Some(regra) = calculation.regras.em(&key, data)? {
            let (treatment, description) = (treatment(&regra)?, description(&regra)?);
            let descricao =
                Sentence::of(|to| format!("{}{description} ({})", treatment.read_by(to), regra.citacao_legal.as_str()));
            candidatos.push(Candidato::of_field("classificacao_tributaria", &codigo, descricao));
        }
    }
    Ok(candidatos)
}

/// What the classification does to the rate: candidates that differ in it are not to be mistaken for one another.
fn treatment(regra: &Regra) -> RuleResult<Sentence> {
    let Some(classificacao) = &regra.conteudo::<Conteudo>()?.classificacao else { return Ok(Sentence::default()) };
    let reducao = classificacao.reducao.and_then(Figura::established);
    Ok(match reducao {
        None => Sentence::default(),
        _ if leaves_nothing(reducao) => "Alíquota zero. ".into(),
        Some(reducao) if reducao > Rate::ZERO => Sentence::of(|to| format!("Redução de {}. ", percent(reducao, to))),
        Some(_) => "Sem redução. ".into(),
    })
}

/// What the rule of a classification says that it applies to.
pub(super) fn description(regra: &Regra) -> RuleResult<String> {
    let conteudo = regra.conteudo::<Conteudo>()?;
    let refused = || conteudo.recusa.as_ref().and_then(|recusa| recusa.hipoteses.first()).map(|h| &h.descricao);
    let descricao = conteudo.classificacao.as_ref().map(|c| &c.descricao).or_else(refused);
    Ok(descricao.map(|descricao| descricao.as_str().to_owned()).unwrap_or_default())
}

/// `200003 ou 000001`; `None` without candidates.
pub(super) fn codes(candidatos: &[Candidato]) -> Option<String> {
    let codes: Vec<&str> = candidatos.iter().map(Candidato::valor).collect();
    (!codes.is_empty()).then(|| codes.join(" ou "))
}

/// The refusal of a classification whose amount is calculated in another way.
pub(super) fn other_calculation(codigo: ClassificacaoTributaria, regra: &Regra) -> RuleResult<Option<Box<Problem>>> {
    let Some(recusa) = &regra.conteudo::<Conteudo>()?.recusa else { return Ok(None) };
    let motivo = regra.motivo.as_ref().map_or_else(String::new, |motivo| format!(" {}", motivo.as_str()));
    let hypotheses = written(&recusa.hipoteses);
    let detail = Sentence::of(|to| {
        let hypotheses = hypotheses.read_by(to);
        format!("A classificação tributária {codigo} tem cálculo próprio, que não se faz aqui: {hypotheses}.{motivo}")
    });
    Ok(Some(regra.refusal_of_field(ErrorCode::RegimeDiferenciado, "classificacao_tributaria", detail)))
}

fn written(hipoteses: &[Hipotese]) -> Sentence {
    Sentence::joined(&hipoteses.iter().map(one_written).collect::<Vec<_>>(), "; ")
}

fn one_written(h: &Hipotese) -> Sentence {
    let narrow = if h.exige_descricao { ", conforme a descrição do item" } else { "" };
    Sentence::of(|to| {
        let treatment = match h.reducao.established() {
            _ if h.regime_especifico => "regime específico".to_owned(),
            Some(rate) if leaves_nothing(Some(rate)) => "alíquota zero".to_owned(),
            Some(rate) => format!("redução de {}", percent(rate, to)),
            None => "redução não estabelecida".to_owned(),
        };
        format!("{} ({}, {treatment}{narrow})", h.descricao.as_str(), h.anexo.as_str())
    })
}

/// True for a reduction of 100 %.
pub(super) fn leaves_nothing(reducao: Option<Rate>) -> bool {
    reducao.is_some_and(|reducao| matches!((Exact::ONE - reducao.fraction()).is_positive(), Ok(false)))
}
