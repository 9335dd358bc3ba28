//! ITBI: onerous transfer of property (contract, section 2.3; CF, art. 156, II).
//!
//! The declared value is the base unless the municipality's rule says otherwise. The part
//! financed by the housing system (SFH) pays its own rate up to the rule's ceiling.

use super::calculation::{Calculated, Calculation};
use super::entry::{Condition, FieldValue, Tax};
use super::faixas::{Devido, Faixa, Metodo, Parcela, Tributacao};
use super::figures::Money;
use crate::document::{Faults, Path, Sometimes};
use crate::problem::ErrorCode;
use crate::rule::{Axis, Chave, Condicao, Regra, RuleResult, ScopeSpec, exigir};
use crate::value::{Amount, Date, Exact, Figura, Municipio, Rate, Text, Tributo, Uf};

pub(super) const ITBI: Tributo = Tributo::new("itbi");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "itbi",
  "uf": "SP",
  "municipio": "São Paulo",
  "valor_transacao": "600000.00",
  "financiado_sfh": true,
  "valor_financiado": "300000.00",
  "data": "2026-03-20"
}"#;

crate::vocabulary! {
    /// Base of the tax.
    pub enum BaseItbi {
        ValorTransacao = "valor_transacao",
        Maior = "maior",
        ValorVenalReferencia = "valor_venal_referencia",
    }
}

crate::document! {
    /// Payload of `itbi`.
    pub struct Payload {
        uf: Uf, "UF do município";
        municipio: Municipio, "Município do imóvel";
        valor_transacao: Amount, "Valor declarado da transmissão";
        valor_venal_referencia: Option<Amount>, "Valor venal de referência do cadastro municipal";
        financiado_sfh: bool = false, "Há financiamento pelo SFH";
        valor_financiado: Option<Amount>, "Parte financiada pelo SFH";
        data: Date, "Data da transmissão";
    }

    /// How the financed part is treated.
    pub struct Sfh {
        aliquota: Figura<Rate>, "Alíquota da parte financiada";
        limite_financiado: Option<Figura<Amount>>, "Parte financiada que paga essa alíquota, no máximo";
        limite_imovel: Option<Figura<Amount>>, "Valor do imóvel acima do qual o tratamento se perde";
    }

    /// A lower rate for early payment, which the answer shows beside the ordinary tax.
    pub struct PagamentoAntecipado {
        aliquota: Rate, "Alíquota do que não paga a do SFH";
        condicao: Text, "Até quando se paga, como em: até 180 dias da assinatura do contrato";
        base_legal: Text, "Dispositivo";
    }

    /// Content of an `itbi` rule.
    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota única";
        faixas: Vec<Faixa>, "Faixas de valor";
        metodo: Option<Metodo>, "Como as faixas se aplicam";
        base: BaseItbi = "valor_transacao", "Base de cálculo";
        sfh: Option<Sfh>, "Tratamento da parte financiada pelo SFH";
        pagamento_antecipado: Option<PagamentoAntecipado>, "Alíquota menor de quem paga antes; `valor` é o da ordinária";
        observacoes: Vec<Text>, "Observações da regra municipal";
    }
}

impl Conteudo {
    fn tributacao(&self) -> Tributacao<'_> {
        Tributacao { aliquota: self.aliquota, faixas: &self.faixas, metodo: self.metodo }
    }
}

/// The refusal of a financing without its amount.
const SEM_FINANCIADO: &str = "Com `financiado_sfh` true, informe `valor_financiado` maior que zero.";

crate::components! {
    /// The tax on early payment.
    pub struct Antecipado {
        aliquota: Rate, "Alíquota do que não paga a do SFH";
        valor: Money, "Imposto de quem paga antes";
        condicao: Text, "Até quando se paga";
        base_legal: Text, "Dispositivo";
    }

    /// What an answer of `itbi` shows.
    pub struct Detalhes {
        base_calculo: Money, "Base de cálculo";
        base_metodo: BaseItbi, "De onde vem a base";
        aliquota_aplicada: Rate, "Alíquota" + " do que não paga a do SFH, ou a da última faixa";
        financiado_sfh: bool, "Há financiamento pelo SFH";
        sfh_aplicado: bool, "A parte financiada pagou a alíquota do SFH";
        aliquota_sfh: Option<Rate>, "Alíquota da parte financiada";
        base_sfh: Money, "Parte que paga a alíquota do SFH";
        imposto_sfh: Money, "Imposto dessa parte";
        base_restante: Money, "Restante da base";
        imposto_restante: Money, "Imposto do restante";
        observacoes: Vec<String>, "Observações da regra municipal";
        municipio: &'static str, "Município" + ", na grafia oficial";
        faixas: Sometimes<Vec<Parcela>>, "O que coube a cada faixa";
        pagamento_antecipado: Sometimes<Antecipado>, "O imposto de quem paga antes";
    }
}

/// See the module.
pub struct Itbi;

impl Tax for Itbi {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec = ScopeSpec {
        eixos: &[Axis::Uf, Axis::Municipio],
        obrigatorios: &[Axis::Uf, Axis::Municipio],
        discriminador: None,
    };
    const CONDITIONS: &'static [Condition] = &[Condition {
        campo: "financiado_sfh",
        equals: FieldValue::True,
        requires: "valor_financiado",
        codigo: ErrorCode::ValorFinanciadoInvalido,
        detail: SEM_FINANCIADO,
    }];

    fn check(p: &Payload, faults: &mut Faults) {
        if !p.financiado_sfh {
            return;
        }
        let root = Path::ROOT;
        let here = root.key("valor_financiado");
        match p.valor_financiado {
            Some(v) if v > p.valor_transacao => {
                let detail =
                    format!("O valor financiado ({v}) não pode passar do valor da transação ({}).", p.valor_transacao);
                faults.add(&here, ErrorCode::ValorFinanciadoInvalido, detail);
            }
            Some(v) if v > Amount::ZERO => {}
            Some(_) => faults.add(&here, ErrorCode::ValorFinanciadoInvalido, SEM_FINANCIADO),
            // Reported by the condition.
            None => {}
        }
    }

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        c.tributacao().check(at, faults);
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let regra = exigir(calculation.regras, &[Chave::no_municipio(ITBI, p.municipio)], None, p.data)?;
        let conteudo = regra.conteudo::<Conteudo>()?;
        let (base, base_metodo) = choose_base(p, &regra, conteudo, calculation)?;
        let financed = financed_part(p, &regra, conteudo, base, calculation)?;
        let (part, sfh_due) = match financed {
            Some((part, rate)) => (part, part * rate.fraction()),
            None => (Exact::ZERO, Exact::ZERO),
        };
        let sfh_rate = financed.map(|(_, rate)| rate);
        let rest = base - part;
        let Devido { imposto: rest_due, aliquota: rate, parcelas: brackets } =
            conteudo.tributacao().apply(&regra, rest, Exact::ONE)?;
        // The two parts are shown, so each is rounded before they are added.
        let valor = Money::rounded(sfh_due.rounded(2) + rest_due.rounded(2))?;
        let (base_calculo, base_sfh, base_restante) =
            (Money::rounded(base)?, Money::rounded(part)?, Money::rounded(rest)?);
        let (imposto_sfh, imposto_restante) = (Money::rounded(sfh_due)?, Money::rounded(rest_due)?);
        calculation.step("base_calculo", &regra, base_calculo, || format!("base da regra: {base_metodo}"));
        if let Some(rate) = sfh_rate {
            calculation.step("imposto_sfh", &regra, imposto_sfh, || format!("{base_sfh} × {rate}%"));
        }
        calculation.step("imposto_restante", &regra, imposto_restante, || match &brackets {
            None => format!("{base_restante} × {rate}%"),
            Some(_) => format!("{base_restante} pelas faixas, até a de {rate}%"),
        });
        calculation.step("valor", &regra, valor, || "imposto da parte SFH + imposto do restante".to_owned());
        let early = match &conteudo.pagamento_antecipado {
            Some(early) => Some(pay_early(early, sfh_due, rest, calculation)?),
            None => None,
        };
        let detalhes = Detalhes {
            base_calculo,
            base_metodo,
            aliquota_aplicada: rate,
            financiado_sfh: p.financiado_sfh,
            sfh_aplicado: sfh_rate.is_some(),
            aliquota_sfh: sfh_rate,
            base_sfh,
            imposto_sfh,
            base_restante,
            imposto_restante,
            observacoes: remarks(&regra, conteudo),
            municipio: p.municipio.name(),
            faixas: Sometimes(brackets),
            pagamento_antecipado: Sometimes(early),
        };
        Ok(Calculated { valor, regra: regra.clone(), detalhes })
    }
}

/// The remarks of the rule, with its `avisos`: a caller that knows only the contract finds them here.
fn remarks(regra: &Regra, c: &Conteudo) -> Vec<String> {
    let warned = regra.escrito.frases().filter(|f| !c.observacoes.iter().any(|o| o.as_str() == f));
    c.observacoes.iter().map(|o| o.as_str().to_owned()).chain(warned).collect()
}

/// The tax on early payment. Adds a sentence that says so.
fn pay_early(
    early: &PagamentoAntecipado,
    sfh_due: Exact,
    rest: Exact,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Antecipado> {
    let sentence = format!(
        "Pago {}, a alíquota é de {}% ({}): o imposto está em `detalhes.pagamento_antecipado`; `valor` é o da alíquota ordinária.",
        early.condicao.as_str(),
        early.aliquota,
        early.base_legal.as_str()
    );
    calculation.warn(Condicao::Beneficio, sentence);
    Ok(Antecipado {
        aliquota: early.aliquota,
        valor: Money::rounded(sfh_due.rounded(2) + (rest * early.aliquota.fraction()).rounded(2))?,
        condicao: early.condicao.clone(),
        base_legal: early.base_legal.clone(),
    })
}

fn choose_base(
    p: &Payload,
    regra: &Regra,
    c: &Conteudo,
    calculation: &mut Calculation<'_>,
) -> RuleResult<(Exact, BaseItbi)> {
    let declared = (p.valor_transacao.exact(), BaseItbi::ValorTransacao);
    // A caller without a reference value may send zero. It is not a base.
    match (c.base, p.valor_venal_referencia.filter(|reference| *reference > Amount::ZERO)) {
        (BaseItbi::Maior, Some(reference)) if reference > p.valor_transacao => {
            Ok((reference.exact(), BaseItbi::ValorVenalReferencia))
        }
        (BaseItbi::ValorTransacao, _) | (BaseItbi::Maior, Some(_)) => Ok(declared),
        (BaseItbi::Maior, None) => {
            calculation.warn(
                Condicao::Campo,
                "A regra usa o maior entre o valor da transação e o valor venal de referência; este não foi informado, e o cálculo usou o declarado.",
            );
            Ok(declared)
        }
        (BaseItbi::ValorVenalReferencia, Some(reference)) => Ok((reference.exact(), BaseItbi::ValorVenalReferencia)),
        (BaseItbi::ValorVenalReferencia, None) => Err(regra.recusa_de_campo(
            ErrorCode::CampoObrigatorio,
            "valor_venal_referencia",
            "A base desta regra é o valor venal de referência: informe `valor_venal_referencia`, maior que zero.",
        )),
    }
}

/// The part of the base that pays the SFH rate, and that rate; `None` if no part does.
fn financed_part(
    p: &Payload,
    regra: &Regra,
    c: &Conteudo,
    base: Exact,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Option<(Exact, Rate)>> {
    let Some(financed) = p.valor_financiado else { return Ok(None) };
    if !p.financiado_sfh {
        calculation.warn(Condicao::Campo, "`valor_financiado` só conta com `financiado_sfh` true; foi ignorado.");
        return Ok(None);
    }
    let Some(sfh) = &c.sfh else {
        calculation.warn(
            Condicao::Campo,
            "A regra do município não dá tratamento próprio à parte financiada pelo SFH; tudo pagou a alíquota geral.",
        );
        return Ok(None);
    };
    if let Some(limit) = sfh.limite_imovel {
        let limit = regra.figura("sfh.limite_imovel", limit)?;
        if base.compare(limit.exact())? == std::cmp::Ordering::Greater {
            let sentence = format!("O imóvel passa do limite de {limit} e perde a alíquota do SFH.");
            calculation.warn(Condicao::Beneficio, sentence);
            return Ok(None);
        }
    }
    let rate = regra.figura("sfh.aliquota", sfh.aliquota)?;
    let part = match sfh.limite_financiado {
        Some(limit) => financed.exact().min(regra.figura("sfh.limite_financiado", limit)?.exact())?,
        None => financed.exact(),
    };
    Ok(Some((part.min(base)?, rate)))
}
