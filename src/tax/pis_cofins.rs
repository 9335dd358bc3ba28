//! PIS and COFINS: one body, two discriminators, each with its own rules (contract, section
//! 2.3; Leis 10.637/2002, 10.833/2003 and 9.718/1998; the ICMS leaves the base by RE
//! 574.706, STF tema 69).
//!
//! Order of the lookup: the special regime of the NCM (declared ex before none, then the
//! longest NCM, then a stated regime before any), then the ordinary rule of the regime.

use super::calculo::{Calculo, Resultado};
use super::detalhes::{Dado, Detalhes};
use super::forma::{Componente, Forma};
use super::registry::Tax;
use crate::document::{Faults, Path};
use crate::problem::{ErrorCode, Problem};
use crate::rule::{Axis, Chave, Discriminator, Escopo, Regra, RuleResult, ScopeSpec, exigir, primeira};
use crate::value::{Amount, Date, Ex, Exact, Figura, Ncm, Rate, Text, Tributo};

pub(super) const PIS: Tributo = Tributo::new("pis");
pub(super) const COFINS: Tributo = Tributo::new("cofins");

exemplos! { EXEMPLO_PIS = "pis", EXEMPLO_COFINS = "cofins" => r#"  "regime_apuracao": "nao_cumulativo",
  "valor_operacao": "1000.00",
  "valor_icms_destacado": "180.00",
  "data_operacao": "2026-03-10"
}"# }

crate::vocabulary! {
    /// How the taxpayer assesses the contributions.
    pub enum RegimeApuracao {
        Cumulativo = "cumulativo",
        NaoCumulativo = "nao_cumulativo",
        Simples = "simples",
    }
}

crate::vocabulary! {
    /// Place of the seller in the chain.
    pub enum Papel {
        FabricanteImportador = "fabricante_importador",
        Revenda = "revenda",
    }
}

crate::vocabulary! {
    /// Who buys.
    pub enum VendaA {
        VarejistaConsumidorFinal = "varejista_consumidor_final",
        Demais = "demais",
    }
}

crate::vocabulary! {
    /// Kind of rule.
    pub enum Tipo {
        Ordinario = "ordinario",
        AliquotaZero = "aliquota_zero",
        AliquotaReduzida = "aliquota_reduzida",
        Monofasico = "monofasico",
        MarcadorAutopropulsado = "marcador_autopropulsado",
    }
}

/// Rules are told apart by the regime; `simples` has none.
const REGIME: Discriminator = Discriminator {
    campo: "regime_apuracao",
    palavras: &[RegimeApuracao::Cumulativo.as_str(), RegimeApuracao::NaoCumulativo.as_str()],
};

crate::document! {
    /// Payload of `pis` and `cofins`.
    pub struct Payload {
        regime_apuracao: RegimeApuracao, "Regime de apuração do contribuinte";
        ncm: Option<Ncm>, "NCM, para os regimes especiais";
        ex: Option<Ex>, "Exceção tarifária (Ex)";
        papel_na_cadeia: Option<Papel>, "Papel na cadeia, quando a regra é monofásica";
        venda_a: Option<VendaA>, "Comprador, quando a regra o distingue";
        destinacao_autopropulsado: Option<bool>, "A peça se destina a veículo ou máquina autopropulsada";
        valor_operacao: Amount, "Receita da operação, líquida de desconto incondicional";
        valor_icms_destacado: Amount => IcmsDestacadoAusente, "ICMS destacado no documento; informe 0 se não há";
        data_operacao: Date, "Data da operação";
    }
}

crate::document! {
    /// Single-phase rates by buyer.
    pub struct PorComprador {
        varejista_consumidor_final: Figura<Rate>, "Na venda a varejista ou consumidor final";
        demais: Figura<Rate>, "Nas demais vendas";
    }
}

crate::document! {
    /// Content of a `pis` or `cofins` rule.
    pub struct Conteudo {
        tipo: Tipo, "Tipo de regra";
        aliquota: Option<Figura<Rate>>, "Alíquota";
        por_comprador: Option<PorComprador>, "Alíquotas por comprador, na regra monofásica";
        motivo_zero: Option<Text>, "Por que a alíquota é zero";
        motivo_zero_revenda: Option<Text>, "Por que a revenda tem alíquota zero, na regra monofásica";
        descricao: Option<Text>, "Peças a que o marcador se refere";
    }
}

/// See the module.
pub struct PisCofins;

impl Tax for PisCofins {
    type Payload = Payload;
    type Conteudo = Conteudo;
    const ESCOPO: ScopeSpec =
        ScopeSpec { eixos: &[Axis::Ncm, Axis::NcmExceto, Axis::Ex], obrigatorios: &[], discriminador: Some(REGIME) };
    const DETALHES: &'static [Componente] = &[
        Componente::sempre(
            "situacao",
            Forma::Word(&["tributado", "aliquota_zero", "monofasico_revenda"]),
            "Situação da operação",
        ),
        Componente::sempre("regime_apuracao", Forma::Word(RegimeApuracao::WORDS), "Regime de apuração"),
        Componente::sempre(
            "papel_na_cadeia",
            Forma::OuNulo(&Forma::Word(Papel::WORDS)),
            "Papel na cadeia, se informado",
        ),
        Componente::sempre("venda_a", Forma::OuNulo(&Forma::Word(VendaA::WORDS)), "Comprador, se informado"),
        Componente::sempre("motivo_zero", Forma::OuNulo(&Forma::Texto), "Por que nada é devido"),
        Componente::sempre("base_calculo", Forma::Valor, "Base de cálculo"),
        Componente::sempre("aliquota_aplicada", Forma::Aliquota, "Alíquota"),
        Componente::algumas("ex_aplicado", Forma::Logico, "A regra é a do Ex declarado"),
        Componente::algumas("ex_declarado", Forma::Texto, "Ex declarado, canônico"),
        Componente::algumas("destinacao_autopropulsado", Forma::Logico, "Destinação declarada"),
    ];

    fn conferir(p: &Payload, faults: &mut Faults) {
        if p.valor_icms_destacado > p.valor_operacao {
            let root = Path::ROOT;
            for name in ["valor_operacao", "valor_icms_destacado"] {
                let detail = "O ICMS destacado não pode passar do valor da operação: a base ficaria negativa.";
                faults.add(&root.key(name), ErrorCode::BaseNegativa, detail);
            }
        }
    }

    fn conferir_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
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
        }
        if c.tipo != Tipo::Monofasico {
            demand(c.por_comprador.is_none(), "por_comprador", "não usa `por_comprador`");
        }
    }

    fn conferir_regra(c: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        let ordinary = c.tipo == Tipo::Ordinario;
        if ordinary != escopo.ncm.is_empty() || ordinary && escopo.palavras.is_empty() {
            let detail = "A regra ordinária tem `regime_apuracao` e nenhum NCM; a especial tem `ncm`.";
            faults.add(&at.key("escopo"), ErrorCode::ValorInvalido, detail);
        }
    }

    fn calcular(tributo: Tributo, p: &Payload, calculo: &mut Calculo<'_>) -> RuleResult<Resultado> {
        if p.regime_apuracao == RegimeApuracao::Simples {
            return Err(Box::new(Problem::of_field(
                ErrorCode::RegimeSimples,
                "regime_apuracao",
                "O optante do Simples recolhe pelo regime unificado; PIS e COFINS da operação não são calculados aqui.",
            )));
        }
        let special = special_rule(tributo, p, calculo)?;
        let marked = match &special {
            Some(regra) => regra.conteudo::<Conteudo>()?.tipo == Tipo::MarcadorAutopropulsado,
            None => false,
        };
        let regra = match special {
            Some(regra) if marked => {
                pass_marker(p, &regra)?;
                ordinary_rule(tributo, p, calculo)?
            }
            Some(regra) => regra,
            None => ordinary_rule(tributo, p, calculo)?,
        };
        let treatment = Treatment::of(p, &regra)?;
        let base = p.valor_operacao.exact() - p.valor_icms_destacado.exact();
        let due = treatment.rate.map_or(Exact::ZERO, |rate| base * rate.fraction());
        let shown_base = Dado::valor(base)?;
        calculo.passo("base_calculo", &regra, &shown_base, || {
            format!("{} − {}", p.valor_operacao, p.valor_icms_destacado)
        });
        calculo.passo("valor", &regra, &Dado::valor(due)?, || match treatment.rate {
            Some(rate) => format!("base × {rate}%"),
            None => format!("situação {}", treatment.situacao),
        });
        let detalhes = details(p, &regra, &treatment, shown_base);
        Ok(Resultado { valor: due.round(2)?, regra, detalhes })
    }
}

fn special_rule(tributo: Tributo, p: &Payload, calculo: &Calculo<'_>) -> RuleResult<Option<Regra>> {
    let Some(ncm) = &p.ncm else { return Ok(None) };
    let exs = p.ex.into_iter().map(Some).chain([None]);
    let keys = exs.flat_map(|ex| {
        ncm.prefixes().flat_map(move |prefix| {
            [REGIME.palavra(p.regime_apuracao.as_str()), None].map(|palavra| Chave {
                ncm: Some(prefix),
                ex,
                palavra,
                ..Chave::of(tributo)
            })
        })
    });
    primeira(calculo.regras, keys, Some(ncm), p.data_operacao)
}

fn ordinary_rule(tributo: Tributo, p: &Payload, calculo: &Calculo<'_>) -> RuleResult<Regra> {
    let key = Chave { palavra: REGIME.palavra(p.regime_apuracao.as_str()), ..Chave::of(tributo) };
    exigir(calculo.regras, &[key], None, p.data_operacao)
}

/// A marked part passes only when the caller says that it is not for a self-propelled vehicle.
fn pass_marker(p: &Payload, regra: &Regra) -> RuleResult<()> {
    let detail = match p.destinacao_autopropulsado {
        Some(false) => return Ok(()),
        Some(true) => {
            "Peça destinada a veículo ou máquina autopropulsada: o regime concentrado da Lei 10.485/2002 não é calculado aqui."
        }
        None => {
            "O NCM é de peça que pode servir a autopropulsados: informe `destinacao_autopropulsado`; com false, vale o regime ordinário."
        }
    };
    Err(regra.recusa_de_campo(ErrorCode::DestinacaoAutopropulsado, "destinacao_autopropulsado", detail))
}

/// What the rule makes of the operation.
struct Treatment {
    situacao: &'static str,
    rate: Option<Rate>,
    motivo_zero: Option<String>,
}

impl Treatment {
    fn of(p: &Payload, regra: &Regra) -> RuleResult<Treatment> {
        let c = regra.conteudo::<Conteudo>()?;
        let words = |t: &Option<Text>| t.as_ref().map(|t| t.as_str().to_owned());
        let taxed = |rate: Figura<Rate>| {
            Ok(Treatment { situacao: "tributado", rate: Some(regra.figura("aliquota", rate)?), motivo_zero: None })
        };
        match (c.tipo, c.aliquota) {
            (Tipo::AliquotaZero, _) => {
                Ok(Treatment { situacao: "aliquota_zero", rate: None, motivo_zero: words(&c.motivo_zero) })
            }
            (Tipo::Monofasico, _) => match p.papel_na_cadeia {
                None => Err(regra.recusa_de_campo(
                    ErrorCode::PapelNaCadeiaAusente,
                    "papel_na_cadeia",
                    "A regra é monofásica: informe `papel_na_cadeia` (fabricante_importador ou revenda).",
                )),
                Some(Papel::Revenda) => Ok(Treatment {
                    situacao: "monofasico_revenda",
                    rate: None,
                    motivo_zero: words(&c.motivo_zero_revenda),
                }),
                Some(Papel::FabricanteImportador) => match (&c.por_comprador, c.aliquota) {
                    (Some(rates), _) => taxed(rate_of_buyer(p, regra, rates)?),
                    (None, Some(rate)) => taxed(rate),
                    (None, None) => Err(regra.sem_conteudo("aliquota")),
                },
            },
            (_, Some(rate)) => taxed(rate),
            (_, None) => Err(regra.sem_conteudo("aliquota")),
        }
    }
}

fn rate_of_buyer(p: &Payload, regra: &Regra, rates: &PorComprador) -> RuleResult<Figura<Rate>> {
    match p.venda_a {
        Some(VendaA::VarejistaConsumidorFinal) => Ok(rates.varejista_consumidor_final),
        Some(VendaA::Demais) => Ok(rates.demais),
        None => Err(regra.recusa_de_campo(
            ErrorCode::VendaAAusente,
            "venda_a",
            "A regra distingue o comprador: informe `venda_a` (varejista_consumidor_final ou demais).",
        )),
    }
}

fn details(p: &Payload, regra: &Regra, t: &Treatment, base: Dado) -> Detalhes {
    let mut detalhes = vec![
        ("situacao", t.situacao.into()),
        ("regime_apuracao", p.regime_apuracao.as_str().into()),
        ("papel_na_cadeia", Dado::ou_nulo(p.papel_na_cadeia.map(Papel::as_str))),
        ("venda_a", Dado::ou_nulo(p.venda_a.map(VendaA::as_str))),
        ("motivo_zero", Dado::ou_nulo(t.motivo_zero.clone())),
        ("base_calculo", base),
        ("aliquota_aplicada", t.rate.map_or("0.00".into(), Into::into)),
    ];
    if let Some(ex) = p.ex {
        detalhes.push(("ex_aplicado", regra.escopo.ex.is_some().into()));
        detalhes.push(("ex_declarado", Dado::texto(ex.to_string())));
    }
    if let Some(declared) = p.destinacao_autopropulsado {
        detalhes.push(("destinacao_autopropulsado", declared.into()));
    }
    detalhes
}
