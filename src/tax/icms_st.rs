//! ICMS by substitution: what the seller withholds for the sales to come (contract, section
//! 2.3; Convênio ICMS 142/2018, cláusula décima primeira, for the adjusted margin).
//!
//! The rule belongs to the destination. Where one NCM has several margins they are told
//! apart by CEST. Order of the lookup: CEST before none, then the longest NCM, then a stated
//! origin before any. Without CEST in the payload, several margins are a refusal, and so is the only
//! one if the national list has other goods under the NCM.

mod base;
mod lista;
mod lookup;

use self::base::Operation;
use self::lookup::find_rule;
use super::calculo::{Calculo, REGRAS_AUXILIARES, Resultado, auxiliar, soma, soma_escrita};
use super::detalhes::Dado;
use super::forma::{Componente, Forma};
use super::icms::{OrigemMercadoria, conferir_reducao, interstate_rule, senate_key, stated_rate};
use super::registry::Tax;
use crate::document::{Faults, Path};
use crate::problem::ErrorCode;
use crate::rule::{Axis, Chave, Escopo, RuleResult, ScopeSpec};
use crate::value::{Amount, Cest, Date, Exact, Figura, Int, Ncm, PositiveAmount, Rate, Text, Tributo, Uf};

pub(super) const ICMS_ST: Tributo = Tributo::new("icms_st");

pub(super) const EXEMPLO: &str = r#"{
  "tributo": "icms_st",
  "ncm": "19053100",
  "cest": "1705300",
  "uf_origem": "MG",
  "uf_destino": "SP",
  "data_operacao": "2026-06-10",
  "valor_produto": "1000.00",
  "ipi": "0.00",
  "frete": "50.00"
}"#;

crate::document! {
    /// Payload of `icms_st`.
    pub struct Payload {
        ncm: Ncm, "NCM do produto, 8 dígitos";
        cest: Option<Cest>, "CEST, quando o NCM tem mais de uma margem ou mais de uma mercadoria na lista nacional";
        uf_origem: Uf, "UF de origem";
        uf_destino: Uf, "UF de destino";
        data_operacao: Date, "Data da operação";
        valor_produto: PositiveAmount, "Valor do produto";
        ipi: Amount = "0", "IPI destacado";
        frete: Amount = "0", "Frete";
        despesas: Amount = "0", "Despesas acessórias";
        quantidade: Option<Amount>, "Quantidade na unidade da pauta, se a regra usa pauta";
        origem_mercadoria: OrigemMercadoria = "nacional", "Origem da mercadoria; importada tem a alíquota interestadual de 4%";
    }
}

crate::vocabulary! {
    /// Which base counts.
    pub enum Criterio {
        Mva = "mva",
        Pauta = "pauta",
        Maior = "maior",
        PautaSalvoPercentual = "pauta_salvo_percentual",
    }
}

crate::vocabulary! {
    /// When a reduction of the ST base applies: to what came out, or to the operation before
    /// the margin (a price list is then not reduced).
    pub enum Momento {
        AposMargem = "apos_margem",
        AntesMargem = "antes_margem",
    }
}

crate::document! {
    /// Content of an `icms_st` rule.
    pub struct Conteudo {
        criterio: Criterio, "Base que vale";
        descricao: Text, "Mercadoria a que o CEST ou item se refere";
        mva: Option<Figura<Rate>>, "MVA original";
        ajustavel: bool = true, "A MVA se ajusta na operação interestadual";
        fcp_no_ajuste: bool = false, "O FCP entra na alíquota interna da fórmula do ajuste";
        mva_casas: Option<Int<0, 6>>, "Casas a que a MVA ajustada é arredondada antes do uso";
        pauta: Option<Figura<Amount>>, "Preço de pauta por unidade";
        unidade: Option<Text>, "Unidade da pauta";
        percentual_pauta: Option<Figura<Rate>>, "Percentual da pauta a partir do qual a operação usa a MVA";
        aliquota_interna: Figura<Rate>, "Alíquota interna do destino";
        aliquota_propria: Option<Figura<Rate>>, "Alíquota da operação própria interna, onde não é a da substituição";
        reducao_base_propria: Option<Figura<Rate>>, "Percentual em que a base da operação própria é reduzida";
        fcp: Option<Figura<Rate>>, "Adicional do fundo de combate à pobreza";
        deduz_fcp_proprio: bool = false, "Na operação interna, o FCP próprio se deduz do FCP-ST";
        reducao_base: Option<Figura<Rate>>, "Percentual em que a base da ST é reduzida";
        reducao_momento: Momento = "apos_margem", "Quando a redução se aplica";
        arredonda_icms_proprio: bool = true, "O ICMS próprio se arredonda ao centavo antes de deduzido; false, se a lei o deduz sem arredondar";
    }
}

/// See the module.
pub struct IcmsSt;

impl Tax for IcmsSt {
    type Payload = Payload;
    type Conteudo = Conteudo;
    const ESCOPO: ScopeSpec = ScopeSpec {
        eixos: &[Axis::Uf, Axis::UfOrigem, Axis::UfDestino, Axis::Ncm, Axis::NcmExceto, Axis::Cest],
        obrigatorios: &[Axis::Ncm],
        discriminador: None,
    };
    const DETALHES: &'static [Componente] = &[
        Componente::sempre("base_calculo_st", Forma::Valor, "Base da substituição"),
        Componente::sempre("icms_proprio", Forma::Valor, "ICMS da operação própria"),
        Componente::sempre("icms_st", Forma::Valor, "ICMS por substituição, sem o FCP"),
        Componente::sempre("aliquota_interna", Forma::Aliquota, "Alíquota interna do destino"),
        Componente::sempre(
            "aliquota_interestadual",
            Forma::OuNulo(&Forma::Aliquota),
            "Alíquota interestadual; nulo na operação interna",
        ),
        Componente::sempre("aliquota_propria", Forma::Aliquota, "Alíquota da operação própria"),
        Componente::algumas("base_calculo_propria", Forma::Valor, "Base da operação própria, se reduzida"),
        Componente::algumas("reducao_base_propria", Forma::Aliquota, "Percentual em que a base própria é reduzida"),
        Componente::sempre(
            "mva_aplicada",
            Forma::OuNulo(&Forma::Aliquota),
            "MVA usada, ajustada onde cabe; nulo se a base é a pauta",
        ),
        Componente::sempre("base_metodo", Forma::Word(&["mva", "pauta"]), "Base que valeu"),
        Componente::algumas("fcp_st", Forma::Valor, "FCP da substituição, dentro de valor"),
        Componente::algumas("aliquota_fcp", Forma::Aliquota, "Alíquota do FCP"),
        Componente::sempre("cest", Forma::OuNulo(&Forma::Texto), "CEST da regra"),
        Componente::sempre("mercadoria", Forma::Texto, "Mercadoria a que a regra se refere"),
        Componente::algumas("citacao_interestadual", Forma::Texto, "Citação da tabela do Senado"),
        REGRAS_AUXILIARES,
    ];

    fn conferir_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        let mut require = |missing: bool, name: &'static str| {
            if missing {
                let detail = format!("O critério `{}` precisa de `{name}`.", c.criterio);
                faults.add(&at.key(name), ErrorCode::CampoObrigatorio, detail);
            }
        };
        let lists = c.criterio != Criterio::Mva;
        require(c.criterio != Criterio::Pauta && c.mva.is_none(), "mva");
        require(lists && c.pauta.is_none(), "pauta");
        require(lists && c.unidade.is_none(), "unidade");
        require(c.criterio == Criterio::PautaSalvoPercentual && c.percentual_pauta.is_none(), "percentual_pauta");
        let mut inside = c.aliquota_interna.established().map_or(Exact::ZERO, Rate::points);
        if c.fcp_no_ajuste {
            inside = inside + c.fcp.and_then(Figura::established).map_or(Exact::ZERO, Rate::points);
        }
        if !matches!((Exact::ONE - inside.percent()).is_positive(), Ok(true)) {
            let detail = "A alíquota interna (com o FCP, se entra no ajuste) precisa ficar abaixo de 100.";
            faults.add(&at.key("aliquota_interna"), ErrorCode::ForaDoIntervalo, detail);
        }
        conferir_reducao(c.reducao_base, &at.key("reducao_base"), faults);
        conferir_reducao(c.reducao_base_propria, &at.key("reducao_base_propria"), faults);
    }

    fn conferir_regra(_: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        if escopo.uf_destino.is_none() {
            let detail = "A regra de ST é da UF de destino: informe `uf_destino`.";
            faults.add(&at.key("escopo").key("uf_destino"), ErrorCode::CampoObrigatorio, detail);
        }
    }

    /// The Senate's rate of every pair of UFs that the rule serves.
    fn precisa_de(uf_origem: Option<Uf>, uf_destino: Option<Uf>) -> Vec<Chave> {
        let Some(destino) = uf_destino else { return Vec::new() };
        let origens = uf_origem.as_ref().map_or(Uf::ALL, std::slice::from_ref);
        origens.iter().filter(|origem| **origem != destino).map(|origem| senate_key(*origem, destino)).collect()
    }

    fn calcular(_: Tributo, p: &Payload, calculo: &mut Calculo<'_>) -> RuleResult<Resultado> {
        let regra = find_rule(p, calculo)?;
        let conteudo = regra.conteudo::<Conteudo>()?;
        let interna = regra.figura("aliquota_interna", conteudo.aliquota_interna)?;
        let interstate = if p.uf_origem == p.uf_destino {
            None
        } else {
            let senate =
                interstate_rule(calculo.regras, p.uf_origem, p.uf_destino, p.origem_mercadoria, p.data_operacao)?;
            Some((stated_rate(&senate)?, senate))
        };
        let inter = interstate.as_ref().map(|(rate, _)| *rate);
        let fcp = conteudo.fcp.map(|fcp| regra.figura("fcp", fcp)).transpose()?;

        let operation = p.valor_produto.exact() + soma(&[p.frete, p.despesas]);
        let operation_written = || soma_escrita(&[p.valor_produto.amount(), p.frete, p.despesas]);
        let cut = conteudo.reducao_base_propria.map(|cut| regra.figura("reducao_base_propria", cut)).transpose()?;
        let own_base = operation * cut.map_or(Exact::ONE, |cut| Exact::ONE - cut.fraction());
        let own_rate = match (inter, conteudo.aliquota_propria) {
            (Some(inter), _) => inter,
            (None, Some(propria)) => regra.figura("aliquota_propria", propria)?,
            (None, None) => interna,
        };
        let mut own = own_base * own_rate.fraction();
        if conteudo.arredonda_icms_proprio {
            own = own.rounded(2);
        }
        if let Some(cut) = cut {
            calculo.passo("base_calculo_propria", &regra, &Dado::valor(own_base)?, || {
                format!("({}) × (1 − {cut}%)", operation_written())
            });
        }
        calculo.passo("icms_proprio", &regra, &Dado::valor(own)?, || match cut {
            Some(cut) => format!("({}) × (1 − {cut}%) × {own_rate}%", operation_written()),
            None => format!("({}) × {own_rate}%", operation_written()),
        });

        let base = Operation { p, regra: &regra, conteudo, interna, inter, fcp }.base(calculo)?;
        let st = (base.value * interna.fraction() - own).max(Exact::ZERO)?;
        let shown_st = Dado::valor(st)?;
        calculo.passo("icms_st", &regra, &shown_st, || {
            format!("base da ST × {interna}% − ICMS próprio, não abaixo de zero")
        });
        let mut valor = st.rounded(2);
        let mut detalhes = vec![
            ("base_calculo_st", Dado::valor(base.value)?),
            ("icms_proprio", Dado::valor(own)?),
            ("icms_st", shown_st),
            ("aliquota_interna", interna.into()),
            ("aliquota_interestadual", Dado::ou_nulo(inter)),
            ("aliquota_propria", own_rate.into()),
            ("mva_aplicada", base.mva_shown),
            ("base_metodo", base.metodo.into()),
        ];
        if let Some(cut) = cut {
            detalhes.push(("base_calculo_propria", Dado::valor(own_base)?));
            detalhes.push(("reducao_base_propria", cut.into()));
        }
        if let Some(rate) = fcp {
            let deduct = conteudo.deduz_fcp_proprio && inter.is_none();
            let own_fcp = if deduct { own_base * rate.fraction() } else { Exact::ZERO };
            let fcp_st = (base.value * rate.fraction() - own_fcp).max(Exact::ZERO)?;
            let shown = Dado::valor(fcp_st)?;
            calculo.passo("fcp_st", &regra, &shown, || {
                let less = if deduct { " − FCP próprio" } else { "" };
                format!("base da ST × {rate}%{less}")
            });
            detalhes.push(("fcp_st", shown));
            detalhes.push(("aliquota_fcp", rate.into()));
            valor = valor + fcp_st.rounded(2);
        }
        detalhes.push(("cest", Dado::ou_nulo(regra.escopo.cest.map(|c| c.to_string()))));
        detalhes.push(("mercadoria", Dado::texto(conteudo.descricao.as_str())));
        if let Some((_, senate)) = &interstate {
            detalhes.push(("citacao_interestadual", Dado::texto(senate.citacao_legal.as_str())));
            detalhes.push(auxiliar(senate));
        }
        Ok(Resultado { valor: valor.round(2)?, regra: regra.clone(), detalhes })
    }
}
