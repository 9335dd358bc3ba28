//! ITBI: onerous transfer of property (contract, section 2.3; CF, art. 156, II).
//!
//! The declared value is the base unless the municipality's rule says otherwise. The part
//! financed by the housing system (SFH) pays its own rate up to the rule's ceiling.

use super::calculo::{Calculo, Resultado};
use super::detalhes::Dado;
use super::faixas::{Devido, FAIXA, Faixa, Metodo, Tributacao};
use super::forma::{Componente, Forma};
use super::registry::{Condicao, Tax, Vale};
use crate::document::{Faults, Path};
use crate::problem::ErrorCode;
use crate::rule::{Axis, Chave, Regra, RuleResult, ScopeSpec, exigir};
use crate::value::{Amount, Date, Exact, Figura, Municipio, Rate, Text, Tributo, Uf};

pub(super) const ITBI: Tributo = Tributo::new("itbi");

pub(super) const EXEMPLO: &str = r#"{
  "tributo": "itbi",
  "uf": "SP",
  "municipio": "São Paulo",
  "valor_transacao": "600000.00",
  "financiado_sfh": true,
  "valor_financiado": "300000.00",
  "data": "2026-03-20"
}"#;

crate::vocabulary! {
    /// What the tax is computed on.
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
}

crate::document! {
    /// How the financed part is treated.
    pub struct Sfh {
        aliquota: Figura<Rate>, "Alíquota da parte financiada";
        limite_financiado: Option<Figura<Amount>>, "Parte financiada que paga essa alíquota, no máximo";
        limite_imovel: Option<Figura<Amount>>, "Valor do imóvel acima do qual o tratamento se perde";
    }
}

crate::document! {
    /// A lower rate for who pays early: what the answer tells beside the ordinary tax.
    pub struct PagamentoAntecipado {
        aliquota: Rate, "Alíquota do que não paga a do SFH";
        condicao: Text, "Até quando se paga, como em: até 180 dias da assinatura do contrato";
        base_legal: Text, "Dispositivo";
    }
}

crate::document! {
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

impl PagamentoAntecipado {
    /// The tax of who pays early, and what that takes.
    fn shown(&self, valor: Exact) -> RuleResult<Dado> {
        Ok(Dado::Objeto(vec![
            ("aliquota", self.aliquota.into()),
            ("valor", Dado::valor(valor)?),
            ("condicao", Dado::texto(self.condicao.as_str())),
            ("base_legal", Dado::texto(self.base_legal.as_str())),
        ]))
    }
}

/// The tax of who pays early.
const ANTECIPADO: &[Componente] = &[
    Componente::sempre("aliquota", Forma::Aliquota, "Alíquota do que não paga a do SFH"),
    Componente::sempre("valor", Forma::Valor, "Imposto de quem paga antes"),
    Componente::sempre("condicao", Forma::Texto, "Até quando se paga"),
    Componente::sempre("base_legal", Forma::Texto, "Dispositivo"),
];

/// What a financing without its amount is told.
const SEM_FINANCIADO: &str = "Com `financiado_sfh` true, informe `valor_financiado` maior que zero.";

/// See the module.
pub struct Itbi;

impl Tax for Itbi {
    type Payload = Payload;
    type Conteudo = Conteudo;
    const ESCOPO: ScopeSpec = ScopeSpec {
        eixos: &[Axis::Uf, Axis::Municipio],
        obrigatorios: &[Axis::Uf, Axis::Municipio],
        discriminador: None,
    };
    const CONDICOES: &'static [Condicao] = &[Condicao {
        campo: "financiado_sfh",
        vale: Vale::Sim,
        exige: "valor_financiado",
        codigo: ErrorCode::ValorFinanciadoInvalido,
        detail: SEM_FINANCIADO,
    }];
    const DETALHES: &'static [Componente] = &[
        Componente::sempre("base_calculo", Forma::Valor, "Base de cálculo"),
        Componente::sempre("base_metodo", Forma::Word(BaseItbi::WORDS), "De onde vem a base"),
        Componente::sempre(
            "aliquota_aplicada",
            Forma::Aliquota,
            "Alíquota do que não paga a do SFH, ou a da última faixa",
        ),
        Componente::sempre("financiado_sfh", Forma::Logico, "Há financiamento pelo SFH"),
        Componente::sempre("sfh_aplicado", Forma::Logico, "A parte financiada pagou a alíquota do SFH"),
        Componente::sempre("aliquota_sfh", Forma::OuNulo(&Forma::Aliquota), "Alíquota da parte financiada"),
        Componente::sempre("base_sfh", Forma::Valor, "Parte que paga a alíquota do SFH"),
        Componente::sempre("imposto_sfh", Forma::Valor, "Imposto dessa parte"),
        Componente::sempre("base_restante", Forma::Valor, "Restante da base"),
        Componente::sempre("imposto_restante", Forma::Valor, "Imposto do restante"),
        Componente::sempre("observacoes", Forma::Lista(&Forma::Texto), "Observações da regra municipal"),
        Componente::sempre("municipio", Forma::Texto, "Município, na grafia oficial"),
        Componente::algumas("faixas", Forma::Lista(&FAIXA), "O que coube a cada faixa"),
        Componente::algumas("pagamento_antecipado", Forma::Objeto(ANTECIPADO), "O imposto de quem paga antes"),
    ];

    fn conferir(p: &Payload, faults: &mut Faults) {
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
            // Noted by the condition.
            None => {}
        }
    }

    fn conferir_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        c.tributacao().conferir(at, faults);
    }

    fn calcular(_: Tributo, p: &Payload, calculo: &mut Calculo<'_>) -> RuleResult<Resultado> {
        let regra = exigir(calculo.regras, &[Chave::no_municipio(ITBI, p.municipio)], None, p.data)?;
        let conteudo = regra.conteudo::<Conteudo>()?;
        let (base, metodo_base) = choose_base(p, &regra, conteudo, calculo)?;
        let financed = financed_part(p, &regra, conteudo, base, calculo)?;
        let (part, sfh_due) = match financed {
            Some((part, rate)) => (part, part * rate.fraction()),
            None => (Exact::ZERO, Exact::ZERO),
        };
        let sfh_rate = financed.map(|(_, rate)| rate);
        let rest = base - part;
        let Devido { imposto: rest_due, aliquota: rate, parcelas: brackets } =
            conteudo.tributacao().aplicar(&regra, rest, Exact::ONE)?;
        // The two parts are shown, so each is rounded before they are added.
        let due = sfh_due.rounded(2) + rest_due.rounded(2);
        let (shown_part, shown_rest) = (part.round(2)?, rest.round(2)?);
        calculo.passo("base_calculo", &regra, &Dado::valor(base)?, || format!("base da regra: {metodo_base}"));
        if let Some(rate) = sfh_rate {
            calculo.passo("imposto_sfh", &regra, &Dado::valor(sfh_due)?, || format!("{shown_part} × {rate}%"));
        }
        calculo.passo("imposto_restante", &regra, &Dado::valor(rest_due)?, || match &brackets {
            None => format!("{shown_rest} × {rate}%"),
            Some(_) => format!("{shown_rest} pelas faixas, até a de {rate}%"),
        });
        calculo.passo("valor", &regra, &Dado::valor(due)?, || "imposto da parte SFH + imposto do restante".to_owned());
        // What a rule warns of is a remark of it, too: a caller that knows only the contract reads it there.
        let warned = regra.escrito.frases().filter(|f| !conteudo.observacoes.iter().any(|o| o.as_str() == f));
        let mut detalhes = vec![
            ("base_calculo", Dado::valor(base)?),
            ("base_metodo", metodo_base.into()),
            ("aliquota_aplicada", rate.into()),
            ("financiado_sfh", p.financiado_sfh.into()),
            ("sfh_aplicado", sfh_rate.is_some().into()),
            ("aliquota_sfh", Dado::ou_nulo(sfh_rate)),
            ("base_sfh", Dado::valor(part)?),
            ("imposto_sfh", Dado::valor(sfh_due)?),
            ("base_restante", Dado::valor(rest)?),
            ("imposto_restante", Dado::valor(rest_due)?),
            (
                "observacoes",
                Dado::textos(conteudo.observacoes.iter().map(Text::as_str).map(str::to_owned).chain(warned)),
            ),
            ("municipio", p.municipio.name().into()),
        ];
        if let Some(brackets) = brackets {
            detalhes.push(("faixas", Dado::Lista(brackets)));
        }
        if let Some(early) = &conteudo.pagamento_antecipado {
            let lower = sfh_due.rounded(2) + (rest * early.aliquota.fraction()).rounded(2);
            detalhes.push(("pagamento_antecipado", early.shown(lower)?));
            calculo.aviso(format!(
                "Pago {}, a alíquota é de {}% ({}): o imposto está em `detalhes.pagamento_antecipado`; `valor` é o da alíquota ordinária.",
                early.condicao.as_str(),
                early.aliquota,
                early.base_legal.as_str()
            ));
        }
        Ok(Resultado { valor: due.round(2)?, regra: regra.clone(), detalhes })
    }
}

fn choose_base(
    p: &Payload,
    regra: &Regra,
    c: &Conteudo,
    calculo: &mut Calculo<'_>,
) -> RuleResult<(Exact, &'static str)> {
    let declared = (p.valor_transacao.exact(), BaseItbi::ValorTransacao.as_str());
    // Zero is what a caller sends that has no reference value, and not a base on which nothing is due.
    match (c.base, p.valor_venal_referencia.filter(|reference| *reference > Amount::ZERO)) {
        (BaseItbi::Maior, Some(reference)) if reference > p.valor_transacao => {
            Ok((reference.exact(), BaseItbi::ValorVenalReferencia.as_str()))
        }
        (BaseItbi::ValorTransacao, _) | (BaseItbi::Maior, Some(_)) => Ok(declared),
        (BaseItbi::Maior, None) => {
            calculo.aviso(
                "A regra usa o maior entre o valor da transação e o valor venal de referência; este não foi informado, e o cálculo usou o declarado.",
            );
            Ok(declared)
        }
        (BaseItbi::ValorVenalReferencia, Some(reference)) => {
            Ok((reference.exact(), BaseItbi::ValorVenalReferencia.as_str()))
        }
        (BaseItbi::ValorVenalReferencia, None) => Err(regra.recusa_de_campo(
            ErrorCode::CampoObrigatorio,
            "valor_venal_referencia",
            "A base desta regra é o valor venal de referência: informe `valor_venal_referencia`, maior que zero.",
        )),
    }
}

/// The part of the base that pays the SFH rate, and that rate; `None` where there is none.
fn financed_part(
    p: &Payload,
    regra: &Regra,
    c: &Conteudo,
    base: Exact,
    calculo: &mut Calculo<'_>,
) -> RuleResult<Option<(Exact, Rate)>> {
    let Some(financed) = p.valor_financiado else { return Ok(None) };
    if !p.financiado_sfh {
        calculo.aviso("`valor_financiado` só conta com `financiado_sfh` true; foi ignorado.");
        return Ok(None);
    }
    let Some(sfh) = &c.sfh else {
        calculo.aviso(
            "A regra do município não dá tratamento próprio à parte financiada pelo SFH; tudo pagou a alíquota geral.",
        );
        return Ok(None);
    };
    if let Some(limit) = sfh.limite_imovel {
        let limit = regra.figura("sfh.limite_imovel", limit)?;
        if base.compare(limit.exact())? == std::cmp::Ordering::Greater {
            calculo.aviso(format!("O imóvel passa do limite de {limit} e perde a alíquota do SFH."));
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
