//! PIS and COFINS: one body, two discriminators, each with its own rules (contract, section
//! 2.3; Leis 10.637/2002, 10.833/2003 and 9.718/1998; the ICMS leaves the base by RE
//! 574.706, STF tema 69).
//!
//! Order of the lookup: the special regime of the NCM (declared ex before none, then the
//! longest NCM, then a stated regime before any), then the ordinary rule of the regime.

mod tratamento;

use self::tratamento::{Cobranca, Treatment};
use super::calculation::{Calculated, Calculation};
use super::entry::Tax;
use super::figures::Money;
use super::monofasico::Papel;
use super::not_given::is_named;
use crate::base::document::{Faults, Object, Path, Sometimes, Words};
use crate::base::problem::{ErrorCode, Problem, TipoRecusa};
use crate::base::value::{Amount, Date, Ex, ExDeclarado, Figura, Ncm, Rate, Text, Tributo};
use crate::rule::{
    Axis, Chave, Condicao, Dimension, Discriminator, Escopo, Regra, RuleResult, ScopeSpec, first_of_ncm, require,
};

pub const PIS: Tributo = Tributo::new("pis");
pub const COFINS: Tributo = Tributo::new("cofins");

examples! { EXAMPLE_PIS = "pis", EXAMPLE_COFINS = "cofins" => r#"  "regime_apuracao": "nao_cumulativo",
  "valor_operacao": "1000.00",
  "valor_icms_destacado": "180.00",
  "data_operacao": "2026-03-10"
}"# }

taxd_base::vocabulary! {
    /// How the taxpayer assesses the contributions.
    pub enum RegimeApuracao {
        Cumulativo = "cumulativo" => "Cumulativo",
        NaoCumulativo = "nao_cumulativo" => "Não cumulativo",
        Simples = "simples" => "Simples Nacional",
    }

    /// Kind of buyer.
    pub enum VendaA {
        VarejistaConsumidorFinal = "varejista_consumidor_final" => "Varejista ou consumidor final",
        Demais = "demais" => "Demais compradores",
    }

    /// Kind of rule.
    pub enum Tipo {
        Ordinario = "ordinario" => "Ordinário",
        AliquotaZero = "aliquota_zero" => "Alíquota zero",
        AliquotaReduzida = "aliquota_reduzida" => "Alíquota reduzida",
        Monofasico = "monofasico" => "Monofásico",
        MarcadorAutopropulsado = "marcador_autopropulsado" => "Peça que pode ser de autopropulsado",
        Extinto = "extinto" => "Extinto",
    }
}

/// The regime selects the rule; `simples` has no rule.
const REGIME: Discriminator = Discriminator {
    campo: "regime_apuracao",
    palavras: Words::bare(&[RegimeApuracao::Cumulativo.as_str(), RegimeApuracao::NaoCumulativo.as_str()]),
};

taxd_base::document! {
    pub struct Payload {
        regime_apuracao: RegimeApuracao, "Regime de apuração do contribuinte";
        ncm: Option<Ncm>, "NCM" + ", para os regimes especiais";
        ex: ExDeclarado, "Exceção tarifária (Ex)" + "; 00 é nenhuma";
        papel_na_cadeia: Option<Papel>, "Papel na cadeia" + ", quando a regra é monofásica";
        venda_a: Option<VendaA>, "Comprador" + ", quando a regra o distingue";
        destinacao_autopropulsado: Option<bool>, "A peça se destina a veículo ou máquina autopropulsada";
        regime_especial: Option<bool>, "O fabricante ou importador optou pelo regime especial por unidade" + ", quando a regra o tem (combustíveis)";
        quantidade: Option<Amount>, "Quantidade" + ", na unidade da regra, no regime especial";
        valor_operacao: Amount, "Receita da operação" + ", líquida de desconto incondicional";
        valor_icms_destacado: Amount => IcmsDestacadoAusente, "ICMS destacado no documento" + "; informe 0 se não há";
        data_operacao: Date, "Data da operação";
    }

    /// Single-phase rates by buyer.
    pub struct PorComprador {
        varejista_consumidor_final: Figura<Rate>, "Na venda a varejista ou consumidor final";
        demais: Figura<Rate>, "Nas demais vendas";
    }

    /// The contribution of a manufacturer or importer who opted for an amount a unit (Leis 9.718/1998, art. 5º, § 4º,
    /// 10.865/2004, art. 23, and 11.116/2005, art. 4º).
    pub struct ContribuicaoPorUnidade {
        valor: Figura<Amount>, "Contribuição por unidade";
        unidade: Text, "Unidade da quantidade" + ", como em: metro cúbico";
    }

    /// Content of a `pis` or `cofins` rule.
    pub struct Conteudo {
        tipo: Tipo, "Tipo de regra";
        aliquota: Option<Figura<Rate>>, "Alíquota";
        por_comprador: Option<PorComprador>, "Alíquotas por comprador, na regra monofásica";
        por_unidade: Option<ContribuicaoPorUnidade>, "Regime especial por unidade, na regra monofásica, para quem optou por ele";
        motivo_zero: Option<Text>, "Por que a alíquota é zero";
        motivo_zero_revenda: Option<Text>, "Por que a revenda tem alíquota zero, na regra monofásica";
        descricao: Option<Text>, "Peças a que o marcador se refere";
        motivo_extincao: Option<Text>, "Desde quando a contribuição está extinta, e o que veio em seu lugar";
    }
}

taxd_base::vocabulary! {
    /// What the rule makes of the operation.
    pub enum SituacaoOperacao {
        Tributado = "tributado" => "Tributado",
        AliquotaZero = "aliquota_zero" => "Alíquota zero",
        MonofasicoRevenda = "monofasico_revenda" => "Monofásico na revenda",
    }
}

impl SituacaoOperacao {
    /// The situation as people say it.
    fn in_words(self) -> &'static str {
        match self {
            SituacaoOperacao::Tributado => "tributado",
            SituacaoOperacao::AliquotaZero => "alíquota zero",
            SituacaoOperacao::MonofasicoRevenda => "revenda de produto monofásico",
        }
    }
}

taxd_base::components! {
    /// What an answer of `pis` and `cofins` shows.
    pub struct Detalhes {
        situacao: SituacaoOperacao, "Situação da operação";
        regime_apuracao: RegimeApuracao, "Regime de apuração";
        papel_na_cadeia: Option<Papel>, "Papel na cadeia" + ", se informado";
        venda_a: Option<VendaA>, "Comprador" + ", se informado";
        motivo_zero: Option<Text>, "Por que nada é devido";
        base_calculo: Money as Base, "Base de cálculo";
        aliquota_aplicada: Option<Rate> as Aliquota, "Alíquota" + "; nulo no regime especial por unidade";
        ex_aplicado: Sometimes<bool>, "A regra é a do Ex declarado";
        ex_declarado: Sometimes<String>, "Ex declarado" + ", canônico";
        destinacao_autopropulsado: Sometimes<bool>, "Destinação declarada";
        regime_especial: Sometimes<bool>, "Opção declarada pelo regime especial por unidade";
        quantidade: Sometimes<Amount>, "Quantidade tributada" + ", na unidade da regra, no regime especial";
        valor_por_unidade: Sometimes<Amount>, "Contribuição por unidade";
        unidade: Sometimes<Text>, "Unidade da quantidade";
        regras_auxiliares: Sometimes<Vec<Regra>>, "As outras regras de que a resposta depende" + "; ausente se não há outra";
    }
}

pub struct PisCofins;

impl Tax for PisCofins {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec =
        ScopeSpec { eixos: &[Axis::Ncm, Axis::NcmExceto, Axis::Ex], obrigatorios: &[], discriminador: Some(REGIME) };
    const ANSWERS_WITHOUT_FIGURE: &'static [&'static str] = &["motivo_zero_revenda"];

    fn refusal(p: &Payload) -> Option<Problem> {
        (p.regime_apuracao == RegimeApuracao::Simples).then(|| {
            let detail = "O optante do Simples recolhe pelo regime unificado; PIS e COFINS da operação não são calculados aqui. O DAS do mês se calcula em `simples_nacional`.";
            Problem::of_field(ErrorCode::RegimeSimples, "regime_apuracao", detail)
        })
    }

    fn check_base(p: &Payload, faults: &mut Faults) {
        if p.valor_icms_destacado > p.valor_operacao {
            let root = Path::ROOT;
            for name in ["valor_operacao", "valor_icms_destacado"] {
                let detail = "O ICMS destacado não pode passar do valor da operação: a base ficaria negativa.";
                faults.add(&root.key(name), ErrorCode::BaseNegativa, detail);
            }
        }
    }

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        let mut demand = |ok: bool, name: &'static str, detail: &str| {
            if !ok {
                faults.add(&at.key(name), ErrorCode::CampoObrigatorio, format!("O tipo `{}` {detail}.", c.tipo));
            }
        };
        match c.tipo {
            Tipo::Ordinario | Tipo::AliquotaReduzida => {
                demand(c.aliquota.is_some(), "aliquota", "precisa de `aliquota`");
            }
            Tipo::AliquotaZero => demand(c.motivo_zero.is_some(), "motivo_zero", "precisa de `motivo_zero`"),
            Tipo::Monofasico => {
                let one = c.aliquota.is_some() != c.por_comprador.is_some();
                demand(one, "aliquota", "precisa de `aliquota` ou de `por_comprador`, um dos dois");
                let zero = c.motivo_zero_revenda.is_some();
                demand(zero, "motivo_zero_revenda", "precisa de `motivo_zero_revenda`");
            }
            Tipo::MarcadorAutopropulsado => demand(c.descricao.is_some(), "descricao", "precisa de `descricao`"),
            Tipo::Extinto => {
                demand(c.motivo_extincao.is_some(), "motivo_extincao", "precisa de `motivo_extincao`");
                demand(c.aliquota.is_none(), "aliquota", "não usa `aliquota`");
            }
        }
        if c.tipo != Tipo::Extinto {
            demand(c.motivo_extincao.is_none(), "motivo_extincao", "não usa `motivo_extincao`");
        }
        if c.tipo != Tipo::Monofasico {
            demand(c.por_comprador.is_none(), "por_comprador", "não usa `por_comprador`");
            demand(c.por_unidade.is_none(), "por_unidade", "não usa `por_unidade`");
        }
        if let Some(by_unit) = &c.por_unidade {
            demand(c.por_comprador.is_none(), "por_comprador", "não usa `por_comprador` com `por_unidade`");
            if by_unit.valor.established() == Some(Amount::ZERO) {
                let detail = "A contribuição por unidade é maior que zero; se não está estabelecida, use null.";
                faults.add(&at.key("por_unidade").key("valor"), ErrorCode::ValorZero, detail);
            }
        }
    }

    fn check_regra(c: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        let ordinary = matches!(c.tipo, Tipo::Ordinario | Tipo::Extinto);
        if ordinary != escopo.ncm.is_empty() || ordinary && escopo.palavras.is_empty() {
            let detail = "A regra ordinária e a da extinção têm `regime_apuracao` e nenhum NCM; a especial tem `ncm`.";
            faults.add(&at.key("escopo"), ErrorCode::ValorInvalido, detail);
        }
    }

    fn extinction<'o>(conteudo: &'o Object<'_>) -> Option<&'o str> {
        conteudo.text("motivo_extincao")
    }

    /// After a product's rule for every regime, each regime answers by its own ordinary rule.
    fn less_specific(chave: &Chave) -> Vec<Chave> {
        let regimes = REGIME.palavras.iter().filter(|_| chave.palavra.is_none());
        let ordinary = regimes.map(|word| Chave { palavra: REGIME.palavra(word), ..Chave::of(chave.tributo) });
        chave.less_specific().into_iter().chain(ordinary).collect()
    }

    fn product(p: &Payload) -> Option<(&Ncm, Date)> {
        Some((p.ncm.as_ref()?, p.data_operacao))
    }

    fn calculate(tributo: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let special = special_rule(tributo, p, calculation)?;
        let marked = match &special {
            Some(regra) => regra.conteudo::<Conteudo>()?.tipo == Tipo::MarcadorAutopropulsado,
            None => false,
        };
        let regra = match special {
            Some(regra) if marked => {
                pass_marker(p, &regra)?;
                calculation.uses(&regra);
                ordinary_rule(tributo, p, calculation)?
            }
            Some(regra) => regra,
            None => ordinary_rule(tributo, p, calculation)?,
        };
        note_not_given(tributo, p, calculation)?;
        let Treatment { situacao, cobranca, motivo_zero } = Treatment::of(p, &regra)?;
        let ground = &regra.citacao_legal;
        let base = calculation.formula(p.valor_operacao) - p.valor_icms_destacado;
        let base = calculation.step("base_calculo", ground, base)?;
        let valor = calculation.step("valor", ground, cobranca.due(&base.exact, situacao, calculation))?.shown;
        let by_unit = match &cobranca {
            Cobranca::PorUnidade(by_unit) => Some(by_unit),
            Cobranca::Aliquota(_) | Cobranca::Nenhuma => None,
        };
        if p.regime_especial == Some(true) && matches!(cobranca, Cobranca::Aliquota(_)) {
            let sentence = "A regra não tem regime especial por unidade; `regime_especial` foi ignorado.";
            calculation.warn(Condicao::Campo, sentence);
        }
        let detalhes = Detalhes {
            situacao,
            regime_apuracao: p.regime_apuracao,
            papel_na_cadeia: p.papel_na_cadeia,
            venda_a: p.venda_a,
            motivo_zero,
            base_calculo: base.shown,
            aliquota_aplicada: cobranca.rate(),
            ex_aplicado: Sometimes(p.ex.0.map(|_| regra.escopo.ex.is_some())),
            ex_declarado: Sometimes(p.ex.0.map(|ex| ex.to_string())),
            destinacao_autopropulsado: Sometimes(p.destinacao_autopropulsado),
            regime_especial: Sometimes(p.regime_especial),
            quantidade: Sometimes(by_unit.map(|by_unit| by_unit.quantidade)),
            valor_por_unidade: Sometimes(by_unit.map(|by_unit| by_unit.valor)),
            unidade: Sometimes(by_unit.map(|by_unit| by_unit.unidade.clone())),
            regras_auxiliares: Sometimes(calculation.regras_auxiliares()),
        };
        Ok(Calculated { valor, regra, detalhes })
    }
}

/// Where the special regimes of an NCM are looked up, in order.
fn special_places(tributo: Tributo, p: &Payload, ex: Option<Ex>) -> [Chave; 2] {
    [REGIME.palavra(p.regime_apuracao.as_str()), None].map(|palavra| Chave { palavra, ex, ..Chave::of(tributo) })
}

/// Says that the NCM or the ex, which was not given, leads to special regimes.
fn note_not_given(tributo: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<()> {
    match &p.ncm {
        None => {
            for palavra in [None, REGIME.palavra(p.regime_apuracao.as_str())] {
                let key = Chave { palavra, ..Chave::of(tributo) };
                if is_named(calculation, &key, Dimension::Ncm, p.data_operacao)? {
                    calculation.not_given("`ncm`", ["por ", "NCM (regimes especiais)"]);
                    break;
                }
            }
            Ok(())
        }
        Some(ncm) if p.ex.0.is_none() => {
            let places = special_places(tributo, p, None);
            calculation.ex_not_given(ncm, Chave::under(&places, ncm), p.data_operacao)
        }
        Some(_) => Ok(()),
    }
}

fn special_rule(tributo: Tributo, p: &Payload, calculation: &Calculation<'_>) -> RuleResult<Option<Regra>> {
    let Some(ncm) = &p.ncm else { return Ok(None) };
    let exs = p.ex.0.into_iter().map(Some).chain([None]);
    let groups = exs.map(|ex| special_places(tributo, p, ex));
    first_of_ncm(calculation.regras, groups, ncm, p.data_operacao)
}

/// The ordinary rule of the regime. `simples` has none of its own: the contribution is in force on a day on which one of
/// another regime answers, and a payload of `simples` is then refused by name ([`Tax::refusal`]).
fn ordinary_rule(tributo: Tributo, p: &Payload, calculation: &Calculation<'_>) -> RuleResult<Regra> {
    let of_regime = |word| Chave { palavra: REGIME.palavra(word), ..Chave::of(tributo) };
    let is_simples = p.regime_apuracao == RegimeApuracao::Simples;
    let others = REGIME.palavras.iter().filter(|_| is_simples).map(|word| of_regime(word));
    let keys: Vec<Chave> = std::iter::once(of_regime(p.regime_apuracao.as_str())).chain(others).collect();
    require(calculation.regras, &keys, p.data_operacao)
}

/// Refuses a marked part unless the caller says that it is not for a self-propelled vehicle.
fn pass_marker(p: &Payload, regra: &Regra) -> RuleResult<()> {
    let (tipo, detail) = match p.destinacao_autopropulsado {
        Some(false) => return Ok(()),
        Some(true) => (
            TipoRecusa::ForaDoEscopo,
            "Peça destinada a veículo ou máquina autopropulsada: o regime concentrado da Lei 10.485/2002 não é calculado aqui.",
        ),
        None => (
            TipoRecusa::FaltaDado,
            "O NCM é de peça que pode servir a autopropulsados: informe `destinacao_autopropulsado`; se não, vale o regime ordinário.",
        ),
    };
    let refusal = regra.refusal_of_field(ErrorCode::DestinacaoAutopropulsado, "destinacao_autopropulsado", detail);
    Err(Box::new(refusal.because(tipo)))
}
