//! ICMS by substitution: what the seller withholds for the sales to come (contract, section
//! 2.3; Convênio ICMS 142/2018, cláusula décima primeira, for the adjusted margin).
//!
//! The rule belongs to the destination. The CEST selects one of several margins of an NCM. Order of the lookup: CEST
//! before none, then the longest NCM, then a stated origin before any. Without CEST in the payload, several margins
//! are a refusal, and so is a single one if the national list has other goods under the NCM. A rule may also say that the
//! UF does not put its goods under substitution: the answer is zero, with the legal ground.

mod base;
mod lookup;
mod nao_sujeito;

use self::base::Operation;
use self::lookup::find_rule;
use super::calculation::{Calculated, Calculation};
use super::entry::Tax;
use super::figures::{Money, Percent};
use super::formula::Formula;
use super::icms::{OrigemMercadoria, check_reduction, interstate_rule, senate_key, stated_rate};
use super::transicao::{self, Transicao, WithTransition};
use crate::base::document::{Faults, Object, Path, Sometimes, WhenUsed};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Cest, Date, Exact, Figura, Int, Ncm, PositiveAmount, Rate, Text, Tributo, Uf};
use crate::rule::{Axis, Chave, Condicao, Escopo, Regra, RuleResult, ScopeSpec};

pub const ICMS_ST: Tributo = Tributo::new("icms_st");

pub(super) const EXAMPLE: &str = r#"{
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

taxd_base::document! {
    pub struct Payload {
        ncm: Ncm, "NCM do produto" + ", 8 dígitos";
        cest: Option<Cest>, "CEST" + ", quando o NCM tem mais de uma margem ou mais de uma mercadoria na lista nacional";
        uf_origem: Uf, "UF de origem";
        uf_destino: Uf, "UF de destino";
        data_operacao: Date, "Data da operação";
        valor_produto: PositiveAmount, "Valor do produto";
        ipi: Amount = "0", "IPI destacado";
        frete: Amount = "0", "Frete";
        despesas: Amount = "0", "Despesas acessórias";
        quantidade: WhenUsed<Amount>, "Quantidade" + ", na unidade da pauta, se a regra usa pauta; as demais regras a ignoram";
        origem_mercadoria: OrigemMercadoria = "nacional", "Origem da mercadoria" + "; importada tem a alíquota interestadual de 4%";
        regime_simples_nacional: bool = false, "O remetente é optante do Simples Nacional" + ": na venda a outra UF a MVA é a original (Convênio ICMS 35/2011)";
    }
}

taxd_base::vocabulary! {
    /// How the base is chosen.
    pub enum Criterio {
        Mva = "mva" => "MVA",
        Pauta = "pauta" => "Pauta",
        Maior = "maior" => "O maior dos dois",
        PautaSalvoPercentual = "pauta_salvo_percentual" => "Pauta, salvo percentual",
        NaoSujeito = "nao_sujeito" => "Não sujeito à ST",
        Transicao = "transicao" => "Transição para o IBS",
    }

    /// When a reduction of the ST base applies: to what came out, or to the operation before
    /// the margin (a price list is then not reduced).
    pub enum Momento {
        AposMargem = "apos_margem" => "Depois da margem",
        AntesMargem = "antes_margem" => "Antes da margem",
    }
}

taxd_base::document! {
    pub struct Conteudo {
        criterio: Criterio, "Base que vale" + "; nao_sujeito, se a mercadoria está fora do regime na UF; transicao, na regra nacional da transição para o IBS";
        descricao: Text, "Mercadoria a que o CEST ou item se refere";
        mva: Option<Figura<Rate>>, "MVA original";
        ajustavel: bool = true, "A MVA se ajusta na operação interestadual";
        fcp_no_ajuste: bool = false, "O FCP entra na alíquota interna da fórmula do ajuste";
        mva_casas: Option<Int<0, 6>>, "Casas a que a MVA ajustada é arredondada antes do uso";
        pauta: Option<Figura<Amount>>, "Preço de pauta por unidade";
        unidade: Option<Text>, "Unidade da pauta";
        percentual_pauta: Option<Figura<Rate>>, "Percentual da pauta a partir do qual a operação usa a MVA";
        aliquota_interna: Option<Figura<Rate>>, "Alíquota interna do destino" + "; obrigatória, salvo com nao_sujeito";
        aliquota_propria: Option<Figura<Rate>>, "Alíquota da operação própria interna, se não é a da substituição";
        reducao_base_propria: Option<Figura<Rate>>, "Percentual em que a base da operação própria é reduzida";
        fcp: Option<Figura<Rate>>, "Adicional do fundo de combate à pobreza";
        deduz_fcp_proprio: bool = false, "Na operação interna, o FCP próprio se deduz do FCP-ST";
        reducao_base: Option<Figura<Rate>>, "Percentual em que a base da ST é reduzida";
        reducao_momento: Momento = "apos_margem", "Quando a redução se aplica";
        arredonda_icms_proprio: bool = true, "O ICMS próprio se arredonda ao centavo antes de deduzido" + "; false, se a lei o deduz sem arredondar";
        nao_sujeicao_base_legal: Option<Text>, "Dispositivo que deixa a mercadoria fora do regime" + "; obrigatório com nao_sujeito";
        transicao: Option<Transicao>, "O que a transição para o IBS deixa do imposto num ano, na regra nacional dela";
    }
}

taxd_base::vocabulary! {
    /// Source of the base.
    pub enum BaseMetodo {
        Mva = "mva" => "MVA",
        Pauta = "pauta" => "Pauta",
    }
}

taxd_base::components! {
    /// What an answer of `icms_st` shows.
    pub struct Detalhes {
        base_calculo_st: Money as Base, "Base da substituição";
        icms_proprio: Option<Money>, "ICMS da operação própria" + "; nulo se não há substituição";
        icms_st: Money, "ICMS por substituição" + ", sem o FCP";
        aliquota_interna: Option<Rate> as Aliquota, "Alíquota interna do destino" + "; nulo se não há substituição";
        aliquota_interestadual: Option<Rate> as Aliquota, "Alíquota interestadual" + "; nulo na operação interna e se não há substituição";
        aliquota_propria: Option<Rate> as Aliquota, "Alíquota da operação própria" + "; nulo se não há substituição";
        mva_aplicada: Option<Percent>, "MVA usada" + ", ajustada se cabe; nulo se a base é a pauta ou se não há substituição";
        mva_original: Sometimes<Rate>, "MVA original" + ", se a usada é a ajustada";
        base_metodo: Option<BaseMetodo>, "Base que valeu" + "; nulo se não há substituição";
        base_calculo_propria: Sometimes<Money>, "Base da operação própria" + ", se reduzida";
        reducao_base_propria: Sometimes<Rate>, "Percentual em que a base própria é reduzida";
        fcp_st: Sometimes<Money>, "FCP da substituição" + ", já somado em valor";
        aliquota_fcp: Sometimes<Rate> as Aliquota, "Alíquota do FCP";
        nao_sujeito: Sometimes<bool>, "Fora do regime de ST na UF de destino" + "; com true, valor é zero";
        nao_sujeicao_base_legal: Sometimes<Text>, "Dispositivo que deixa a mercadoria fora do regime";
        cest: Option<String>, "CEST da regra";
        mercadoria: Text, "Mercadoria a que a regra se refere";
        citacao_interestadual: Sometimes<Text>, "Citação da tabela do Senado";
        regras_auxiliares: Sometimes<Vec<Regra>>, "As outras regras de que a resposta depende" + "; ausente se não há outra";
    }
}

impl WithTransition for Conteudo {
    fn transicao(&self) -> Option<&Transicao> {
        self.transicao.as_ref()
    }
}

pub struct IcmsSt;

impl Tax for IcmsSt {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec = ScopeSpec {
        eixos: &[Axis::Uf, Axis::UfOrigem, Axis::UfDestino, Axis::Ncm, Axis::NcmExceto, Axis::Cest],
        obrigatorios: &[Axis::Ncm],
        discriminador: None,
    };

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        let mut require = |missing: bool, name: &'static str| {
            if missing {
                let detail = format!("O critério `{}` precisa de `{name}`.", c.criterio);
                faults.add(&at.key(name), ErrorCode::CampoObrigatorio, detail);
            }
        };
        require((c.criterio == Criterio::Transicao) && c.transicao.is_none(), "transicao");
        if c.criterio == Criterio::NaoSujeito {
            return nao_sujeito::check(c, at, faults);
        }
        if let Some(transicao) = &c.transicao {
            let others = [("criterio", c.criterio != Criterio::Transicao)];
            return transicao::check(transicao, &others, at, faults);
        }
        let lists = c.criterio != Criterio::Mva;
        require(c.aliquota_interna.is_none(), "aliquota_interna");
        require(c.criterio != Criterio::Pauta && c.mva.is_none(), "mva");
        require(lists && c.pauta.is_none(), "pauta");
        require(lists && c.unidade.is_none(), "unidade");
        require(c.criterio == Criterio::PautaSalvoPercentual && c.percentual_pauta.is_none(), "percentual_pauta");
        let points = |rate: Option<Figura<Rate>>| rate.and_then(Figura::established).map_or(Exact::ZERO, Rate::points);
        let inside = points(c.aliquota_interna) + points(c.fcp.filter(|_| c.fcp_no_ajuste));
        if !matches!((Exact::ONE - inside.percent()).is_positive(), Ok(true)) {
            let detail = "A alíquota interna (com o FCP, se entra no ajuste) precisa ficar abaixo de 100.";
            faults.add(&at.key("aliquota_interna"), ErrorCode::ForaDoIntervalo, detail);
        }
        check_reduction(c.reducao_base, &at.key("reducao_base"), faults);
        check_reduction(c.reducao_base_propria, &at.key("reducao_base_propria"), faults);
    }

    fn check_regra(c: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        if c.transicao.is_some() {
            return transicao::check_escopo(escopo, at, faults);
        }
        if escopo.uf_destino.is_none() {
            let detail = "A regra de ST é da UF de destino: informe `uf_destino`.";
            faults.add(&at.key("escopo").key("uf_destino"), ErrorCode::CampoObrigatorio, detail);
        }
    }

    /// The Senate's rate of every pair of UFs that the rule serves.
    fn needs(uf_origem: Option<Uf>, uf_destino: Option<Uf>) -> Vec<Chave> {
        let Some(destino) = uf_destino else { return Vec::new() };
        let origens = uf_origem.as_ref().map_or(Uf::ALL, std::slice::from_ref);
        origens.iter().filter(|origem| **origem != destino).map(|origem| senate_key(*origem, destino)).collect()
    }

    fn less_specific(chave: &Chave) -> Vec<Chave> {
        transicao::without_national(chave.less_specific())
    }

    fn extinction<'o>(conteudo: &'o Object<'_>) -> Option<&'o str> {
        transicao::extinction(conteudo)
    }

    fn product(p: &Payload) -> Option<(&Ncm, Date)> {
        Some((&p.ncm, p.data_operacao))
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let regra = rule_on_the_day(p, calculation)?;
        let conteudo = regra.conteudo::<Conteudo>()?;
        note_ignored_quantity(p, conteudo, calculation);
        if conteudo.criterio == Criterio::NaoSujeito {
            return nao_sujeito::answer(&regra, conteudo, calculation);
        }
        let interna = internal_rate(&regra, conteudo)?;
        let senate = senate_rule(p, calculation)?;
        let inter = senate.as_ref().map(stated_rate).transpose()?;
        let fcp = conteudo.fcp.map(|fcp| regra.figura("fcp", fcp)).transpose()?;

        let own = own_operation(p, &regra, conteudo, inter.zip(senate.as_ref()), interna, calculation)?;
        let base = Operation { p, regra: &regra, conteudo, interna, inter, fcp }.base(calculation)?;
        let due = (&base.value * interna - &own.icms).or_zero()?;
        let icms_st = calculation.step("icms_st", &regra.citacao_legal, due)?.shown;
        let mut fcp_st = None;
        if let Some(rate) = fcp {
            let mut due = &base.value * rate;
            if conteudo.deduz_fcp_proprio && inter.is_none() {
                due = due - &own.base * rate;
            }
            let shown = calculation.step("fcp_st", &regra.citacao_legal, due.or_zero()?)?.shown;
            fcp_st = Some(shown);
        }
        let valor = match fcp_st {
            Some(fcp_st) => {
                calculation.step("valor", &regra.citacao_legal, calculation.formula(icms_st) + fcp_st)?.shown
            }
            None => icms_st,
        };
        let detalhes = Detalhes {
            base_calculo_st: base.shown,
            icms_proprio: Some(own.shown),
            icms_st,
            aliquota_interna: Some(interna),
            aliquota_interestadual: inter,
            aliquota_propria: Some(own.rate),
            mva_aplicada: base.mva,
            mva_original: Sometimes(base.mva_original),
            base_metodo: Some(base.metodo),
            base_calculo_propria: Sometimes(own.reduced),
            reducao_base_propria: Sometimes(own.cut),
            fcp_st: Sometimes(fcp_st),
            aliquota_fcp: Sometimes(fcp),
            nao_sujeito: Sometimes(None),
            nao_sujeicao_base_legal: Sometimes(None),
            cest: regra.escopo.cest.map(|c| c.to_string()),
            mercadoria: conteudo.descricao.clone(),
            citacao_interestadual: Sometimes(senate.as_ref().map(|senate| senate.citacao_legal.clone())),
            regras_auxiliares: Sometimes(calculation.regras_auxiliares()),
        };
        Ok(Calculated { valor, regra: regra.clone(), detalhes })
    }
}

/// The rule of the interstate rate; `None` inside a UF.
fn senate_rule(p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Option<Regra>> {
    if p.uf_origem == p.uf_destino {
        return Ok(None);
    }
    let senate = interstate_rule(calculation.regras, p.uf_origem, p.uf_destino, p.origem_mercadoria, p.data_operacao)?;
    calculation.uses(&senate);
    Ok(Some(senate))
}

/// The internal rate. The refusal of a rule that has the margin of the goods and not the rate has the margin.
fn internal_rate(regra: &Regra, conteudo: &Conteudo) -> RuleResult<Rate> {
    regra.figura("aliquota_interna", conteudo.aliquota_interna).map_err(|mut refusal| {
        refusal.mva_da_regra = conteudo.mva.and_then(Figura::established);
        refusal
    })
}

/// Says that the rule has no price list, so that a quantity which is not a decimal was not read.
fn note_ignored_quantity(p: &Payload, conteudo: &Conteudo, calculation: &mut Calculation<'_>) {
    if p.quantidade.is_faulty() && matches!(conteudo.criterio, Criterio::Mva | Criterio::NaoSujeito) {
        let sentence = "A regra não usa pauta: o campo `quantidade`, que não traz um decimal, foi ignorado.";
        calculation.warn(Condicao::Campo, sentence);
    }
}

/// The rule that answers. Refuses in the transition to the IBS, unless no rule names the goods.
fn rule_on_the_day(p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Regra> {
    calculation.enter_transition::<Conteudo>(ICMS_ST, p.data_operacao)?;
    let found = find_rule(p, calculation);
    // No further field of the payload, such as a CEST, would help.
    if !found.as_ref().is_err_and(|problem| problem.codigo == ErrorCode::RegraInexistente) {
        calculation.refuse_all_in_transition("a substituição tributária")?;
    }
    found
}

/// The ICMS on the seller's own operation, which the substitution deducts.
struct OwnOperation {
    base: Formula,
    /// The base as it is shown, if it is reduced.
    reduced: Option<Money>,
    /// Percentage by which the base is reduced.
    cut: Option<Rate>,
    rate: Rate,
    icms: Formula,
    /// The tax as it is shown.
    shown: Money,
}

/// `inter` is the interstate rate, with the rule that states it.
fn own_operation(
    p: &Payload,
    regra: &Regra,
    conteudo: &Conteudo,
    inter: Option<(Rate, &Regra)>,
    interna: Rate,
    calculation: &mut Calculation<'_>,
) -> RuleResult<OwnOperation> {
    let mut base = calculation.sum(&[p.valor_produto.amount(), p.frete, p.despesas]);
    let cut = conteudo.reducao_base_propria.map(|cut| regra.figura("reducao_base_propria", cut)).transpose()?;
    let mut reduced = None;
    if let Some(cut) = cut {
        let step = calculation.step("base_calculo_propria", &regra.citacao_legal, base.reduced_by(cut))?;
        (base, reduced) = (step.exact, Some(step.shown));
    }
    let (rate, ground) = match (inter, conteudo.aliquota_propria) {
        (Some(stated), _) => stated,
        (None, Some(propria)) => (regra.figura("aliquota_propria", propria)?, regra),
        (None, None) => (interna, regra),
    };
    let step = calculation.step("icms_proprio", &ground.citacao_legal, &base * rate)?;
    let icms = if conteudo.arredonda_icms_proprio { calculation.formula(step.shown) } else { step.exact };
    Ok(OwnOperation { base, reduced, cut, rate, icms, shown: step.shown })
}
