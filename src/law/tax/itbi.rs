//! ITBI: onerous transfer of property (contract, section 2.3; CF, art. 156, II).
//!
//! The declared value is the base unless the municipality's rule says otherwise. The part
//! financed by the housing system (SFH) pays its own rate up to the rule's ceiling. An exemption by value frees the whole
//! or the part below its limit.

mod base;
mod isencao;

use self::base::{choose_base, financed_part};
use super::calculation::{Calculated, Calculation, Noted};
use super::desconto;
use super::entry::{AskedField, Condition, FieldValue, Tax};
use super::faixas::{Devido, Faixa, Limites, Metodo, Parcela, Tributacao};
use super::figures::Money;
use super::formula::Formula;
use super::isencao::{Efeito, Isencao, Unidade};
use crate::base::document::{Faults, Path, Sometimes};
use crate::base::problem::ErrorCode;
use crate::base::sentence::Reader;
use crate::base::value::{Amount, Date, Figura, Municipio, Rate, Text, Tributo, Uf, percent};
use crate::rule::{Axis, Chave, Condicao, Regra, RuleResult, ScopeSpec, require};

pub const ITBI: Tributo = Tributo::new("itbi");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "itbi",
  "uf": "SP",
  "municipio": "São Paulo",
  "valor_transacao": "600000.00",
  "financiado_sfh": true,
  "valor_financiado": "300000.00",
  "data": "2026-03-20"
}"#;

taxd_base::vocabulary! {
    /// Base of the tax.
    pub enum BaseItbi {
        ValorTransacao = "valor_transacao" => "Valor da transação",
        Maior = "maior" => "O maior dos dois",
        ValorVenalReferencia = "valor_venal_referencia" => "Valor venal de referência",
    }
}

taxd_base::document! {
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
        aliquota: Rate, "Alíquota fora da parte financiada";
        condicao: Text, "Prazo para pagar" + ", como em: até 180 dias da assinatura do contrato";
        base_legal: Text, "Dispositivo";
    }

    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota única";
        faixas: Vec<Faixa>, "Faixas de valor";
        metodo: Option<Metodo>, "Como as faixas se aplicam";
        base: BaseItbi = "valor_transacao", "Base de cálculo";
        sfh: Option<Sfh>, "Tratamento da parte financiada pelo SFH";
        isencao: Option<Isencao>, "Isenção por valor da base";
        pagamento_antecipado: Option<PagamentoAntecipado>, "Alíquota menor de quem paga antes" + "; `valor` é o da ordinária";
        observacoes: Vec<Text>, "Observações da regra municipal";
    }
}

impl Conteudo {
    fn tributacao(&self) -> Tributacao<'_> {
        Tributacao { aliquota: self.aliquota, faixas: &self.faixas, metodo: self.metodo }
    }
}

/// The refusal of a financing without its amount.
const SEM_FINANCIADO: &str = "Com financiamento pelo SFH, informe `valor_financiado`, maior que zero.";

taxd_base::components! {
    /// The tax on early payment.
    pub struct Antecipado {
        aliquota: Rate, "Alíquota fora da parte financiada";
        valor: Money, "Imposto de quem paga antes";
        condicao: Text, "Prazo para pagar";
        base_legal: Text, "Dispositivo";
    }

    /// What an answer of `itbi` shows.
    pub struct Detalhes {
        base_calculo: Money as Base, "Base de cálculo";
        base_metodo: BaseItbi, "Origem da base";
        isento: bool, "A transmissão é isenta";
        isencao_base_legal: Sometimes<Text>, "Dispositivo da isenção" + ", se ela alcança o valor";
        limite_isencao: Sometimes<Money>, "Limite da isenção";
        aliquota_aplicada: Option<Rate> as Aliquota, "Alíquota" + " fora da parte financiada pelo SFH, ou a da última faixa; nulo se isenta";
        financiado_sfh: bool, "Há financiamento pelo SFH";
        sfh_aplicado: bool, "A parte financiada pagou a alíquota do SFH";
        aliquota_sfh: Option<Rate> as Aliquota, "Alíquota da parte financiada";
        base_sfh: Money, "Parte que paga a alíquota do SFH";
        imposto_sfh: Money, "Imposto da parte financiada";
        base_restante: Money, "Restante da base";
        imposto_restante: Money, "Imposto sobre o restante";
        observacoes: Vec<Text>, "Observações da regra municipal";
        municipio: &'static str, "Município" + ", na grafia oficial";
        faixas: Sometimes<Vec<Parcela>>, "Cálculo por faixa";
        pagamento_antecipado: Sometimes<Antecipado>, "Imposto no pagamento antecipado";
    }
}

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

    const ASKED: &'static [AskedField] = &[AskedField {
        campo: "financiado_sfh",
        com: "valor_financiado",
        detail: "Diga se o financiamento é pelo SFH, sim ou não: só a parte financiada pelo SFH tem outra alíquota.",
    }];

    const ANSWERS_WITHOUT_FIGURE: &'static [&'static str] = &["isencao"];

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
        if c.isencao.as_ref().is_some_and(|i| i.unidade != Unidade::Brl) {
            faults.add(&at.key("isencao"), ErrorCode::ValorInvalido, "A isenção do ITBI é em BRL.");
        }
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let regra = require(calculation.regras, &[Chave::no_municipio(ITBI, p.municipio)], p.data)?;
        let conteudo = regra.conteudo::<Conteudo>()?;
        let (whole, base_metodo) = choose_base(p, &regra, conteudo, calculation)?;
        let (limite_isencao, efeito) = isencao::effect(&regra, conteudo, &whole)?;
        let (base, partly) = match efeito {
            Efeito::Isento => {
                return isencao::answer(p, &regra, conteudo, (whole, base_metodo), limite_isencao, calculation);
            }
            Efeito::Parcial(rest) => (rest, true),
            Efeito::Nenhum => (whole.clone(), false),
        };
        let ground = &regra.citacao_legal;
        let base = calculation.step("base_calculo", ground, base)?;
        let financed = financed_part(p, &regra, conteudo, (&base.exact, &whole), calculation)?;
        let (sfh, sfh_rate) = Financed::tax(financed, ground, calculation)?;
        let rest = match sfh_rate {
            Some(_) => calculation.step("base_restante", ground, &base.exact - &sfh.base.exact)?,
            None => base.clone(),
        };
        let Devido { imposto, aliquota: rate, parcelas: brackets } =
            conteudo.tributacao().apply(&regra, &rest.exact, Limites::STATED)?;
        let rest_due = calculation.step("imposto_restante", ground, imposto)?.shown;
        // The two parts are shown, so each is rounded before they are added.
        let valor = calculation.step("valor", ground, calculation.formula(sfh.due) + rest_due)?.shown;
        let early = match &conteudo.pagamento_antecipado {
            Some(early) => Some(pay_early(early, sfh.due, &rest.exact, calculation)?),
            None => None,
        };
        let detalhes = Detalhes {
            base_calculo: base.shown,
            base_metodo,
            isento: false,
            isencao_base_legal: Sometimes(isencao::ground(conteudo).filter(|_| partly)),
            limite_isencao: Sometimes(limite_isencao),
            aliquota_aplicada: Some(rate),
            financiado_sfh: p.financiado_sfh,
            sfh_aplicado: sfh_rate.is_some(),
            aliquota_sfh: sfh_rate,
            base_sfh: sfh.base.shown,
            imposto_sfh: sfh.due,
            base_restante: rest.shown,
            imposto_restante: rest_due,
            observacoes: remarks(&regra, conteudo),
            municipio: p.municipio.name(),
            faixas: Sometimes(brackets),
            pagamento_antecipado: Sometimes(early),
        };
        Ok(Calculated { valor, regra: regra.clone(), detalhes })
    }
}

/// The remarks of the rule, with its `avisos`: a caller that knows only the contract finds them here.
fn remarks(regra: &Regra, c: &Conteudo) -> Vec<Text> {
    let warned = regra.escrito.avisos.iter().map(|aviso| &aviso.texto).filter(|texto| !c.observacoes.contains(texto));
    c.observacoes.iter().chain(warned).cloned().collect()
}

/// The part that pays the rate of the housing system.
struct Financed {
    base: Noted,
    due: Money,
}

impl Financed {
    /// The tax on `part` and its rate; nothing without one.
    fn tax(
        part: Option<(Formula, Rate)>,
        ground: &Text,
        calculation: &mut Calculation<'_>,
    ) -> RuleResult<(Financed, Option<Rate>)> {
        let Some((part, rate)) = part else {
            let (exact, zero) = (calculation.formula(0), Money::ZERO);
            return Ok((Financed { base: Noted { shown: zero, exact }, due: zero }, None));
        };
        let base = calculation.step("base_sfh", ground, part)?;
        let due = calculation.step("imposto_sfh", ground, &base.exact * rate)?.shown;
        Ok((Financed { base, due }, Some(rate)))
    }
}

/// The tax on early payment. Adds a sentence that says so.
fn pay_early(
    early: &PagamentoAntecipado,
    sfh_due: Money,
    rest: &Formula,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Antecipado> {
    let what = |to: Reader| format!("a alíquota é de {}", percent(early.aliquota, to));
    let [shown_in, valor_is] = ["pagamento_antecipado", "da alíquota ordinária"];
    let sentence = desconto::early(&early.condicao, &what, &early.base_legal, shown_in, valor_is);
    calculation.warn(Condicao::Beneficio, sentence);
    let due = calculation.formula(sfh_due) + (rest * early.aliquota).rounded(2);
    let valor = calculation.step("pagamento_antecipado", &early.base_legal, due)?.shown;
    Ok(Antecipado {
        aliquota: early.aliquota,
        valor,
        condicao: early.condicao.clone(),
        base_legal: early.base_legal.clone(),
    })
}
