//! ICMS on sales to the final consumer: the own operation, and between UFs the difference that is due to the
//! destination (CF, art. 155, § 2º, VII and VIII; LC 87/1996, arts. 4º, § 2º, and 13, as of LC 190/2022).
//!
//! The tax is inside the price, and so is the IPI: only goods for industry or resale leave it out of the base (LC
//! 87/1996, art. 13, § 2º). The rates are those of the rules of `icms`, unless a rule of this tax states another for the
//! final consumer. A rule of this tax is of one of two kinds:
//!
//! - with `operacao`, the law of the operation, of all UFs or of one destination: it answers, and says what the base of
//!   the difference is. A taxpayer pays the difference itself, so without an established base a sale to it still has the
//!   own ICMS of the seller, and the difference is null;
//! - without it, the rate or the FCP (the surcharge for the poverty fund) that a UF applies to the final consumer alone,
//!   of a product or of all goods; of a product, also its exemption or its reduced base.

mod destino;
mod diferenca;

use self::destino::{Destino, stated_by};
use super::calculation::{Calculated, Calculation};
use super::entry::Tax;
use super::figures::Money;
use super::icms::{
    Beneficio, ConferenciaProduto, Divergencia, OrigemMercadoria, RegraCasada, TipoOperacao, exempt_written, senate_key,
};
use super::transicao::{self, Transicao, WithTransition};
use crate::base::document::{Faults, Object, Path, Sometimes};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Amount, Date, Figura, Ncm, Rate, Text, Tributo, Uf};
use crate::rule::{Axis, Chave, Discriminator, Escopo, Regra, RuleResult, ScopeSpec, require};

pub const ICMS_CONSUMIDOR_FINAL: Tributo = Tributo::new("icms_consumidor_final");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "icms_consumidor_final",
  "uf_origem": "SP",
  "uf_destino": "RJ",
  "valor_produto": "1000.00",
  "frete": "50.00",
  "data_operacao": "2026-03-10"
}"#;

taxd_base::vocabulary! {
    /// Operations whose law differs.
    pub enum Venda {
        Interna = "interna" => "Interna",
        NaoContribuinte = "interestadual_nao_contribuinte" => "Interestadual, a não contribuinte",
        Contribuinte = "interestadual_contribuinte" => "Interestadual, a contribuinte",
    }

    /// Base of the difference: the value of the operation, or that value with the tax of the destination inside in
    /// place of the tax of the origin.
    pub enum BaseDifal {
        Unica = "unica" => "Única",
        Dupla = "dupla" => "Dupla",
    }

    /// Who pays the difference to the destination (LC 87/1996, art. 4º, § 2º).
    pub enum Responsavel {
        Remetente = "remetente" => "Remetente",
        Destinatario = "destinatario" => "Destinatário",
    }
}

/// The law differs between these operations.
const OPERACAO: Discriminator = Discriminator { campo: "operacao", palavras: Venda::VOCABULARY };

taxd_base::document! {
    /// Payload of `icms_consumidor_final`.
    pub struct Payload {
        uf_origem: Uf, "UF de origem";
        uf_destino: Uf, "UF de destino" + "; igual à de origem na operação interna";
        ncm: Option<Ncm>, "NCM do produto" + ", para as regras de produto";
        valor_produto: Amount, "Preço cobrado" + ", com todo o ICMS por dentro, também a diferença do destino";
        frete: Amount = "0", "Frete que entra na base";
        despesas: Amount = "0", "Seguro, juros e outras despesas";
        ipi: Amount = "0", "IPI destacado" + ", que entra na base na venda a consumidor final";
        data_operacao: Date, "Data da operação";
        origem_mercadoria: OrigemMercadoria = "nacional", "Origem da mercadoria" + "; importada tem a alíquota interestadual de 4%";
        destinatario_contribuinte: bool = false, "O comprador é contribuinte do ICMS" + " e compra para uso, consumo ou ativo";
        regime_simples_nacional: bool = false, "O remetente é optante do Simples Nacional";
    }

    /// Content of an `icms_consumidor_final` rule.
    pub struct Conteudo {
        base_difal: Option<Figura<BaseDifal>>, "Base da diferença devida ao destino" + "; obrigatória nas operações interestaduais";
        fcp_na_base: bool = false, "Na base dupla, o FCP entra por dentro com a alíquota interna";
        aliquota: Option<Figura<Rate>>, "Alíquota interna da venda a consumidor final" + ", no lugar da alíquota geral (sem ncm) ou da do produto (com ncm) das regras de icms";
        carga_efetiva: Option<Figura<Rate>>, "Carga final que a redução da base deve produzir na venda a consumidor final do produto" + ", com a alíquota da mesma regra";
        isento: bool = false, "A venda do produto a consumidor final é isenta";
        isencao_base_legal: Option<Text>, "Dispositivo da isenção";
        fcp: Option<Figura<Rate>>, "Adicional do fundo de combate à pobreza na venda a consumidor final";
        transicao: Option<Transicao>, "O que a transição para o IBS deixa do imposto num ano, na regra nacional dela";
    }
}

taxd_base::components! {
    /// What an answer of `icms_consumidor_final` shows.
    pub struct Detalhes {
        tipo_operacao: TipoOperacao, "Tipo de operação";
        base_calculo: Money as Base, "Base de cálculo da operação" + ", com o IPI";
        aliquota_interna: Option<Rate> as Aliquota, "Alíquota interna do destino" + "; nulo se isenta, ou se a diferença não foi calculada";
        aliquota_interestadual: Option<Rate> as Aliquota, "Alíquota interestadual" + "; nulo na operação interna e se isenta";
        valor_icms: Money as Icms, "ICMS devido à UF de origem" + ", sem o FCP";
        base_difal: Option<BaseDifal>, "Base da diferença" + ", única ou dupla; nulo na operação interna, se isenta, ou se a diferença não foi calculada";
        base_calculo_difal: Option<Money>, "Base de cálculo da diferença" + "; nulo na operação interna, se isenta, ou se não foi calculada";
        valor_difal: Option<Money> as PorComprador, "Diferença de alíquota devida à UF de destino" + ", sem o FCP; nulo se é do comprador e não foi calculada, o que não quer dizer zero";
        aliquota_fcp: Option<Rate> as Aliquota, "Alíquota do FCP" + "; nulo se não há adicional, ou se a diferença não foi calculada";
        valor_fcp: Option<Money> as PorComprador, "FCP devido à UF de destino" + "; nulo se é do comprador e não foi calculado";
        responsavel_difal: Option<Responsavel>, "Quem recolhe a diferença e o FCP ao destino" + "; nulo na operação interna e se isenta";
        isento: bool, "A operação é isenta";
        isencao_base_legal: Option<Text>, "Dispositivo da isenção";
        regra_casada: RegraCasada, "Tipo da regra de ICMS aplicada no destino" + "; a da alíquota interestadual, se a diferença não foi calculada";
        conferencia_produto: Sometimes<ConferenciaProduto>, "Regra do produto" + ": `nenhuma` se o pedido tem NCM, nenhuma regra do produto foi encontrada e a geral da UF respondeu; ausente nos demais casos";
        citacao_interestadual: Option<Text>, "Citação da tabela do Senado";
        divergencia_interestadual: Option<Divergencia>, "Alíquota da tabela e a que a regra do produto declara, se diferem";
        regras_auxiliares: Vec<Regra>, "As outras regras de que a resposta depende";
    }
}

impl WithTransition for Conteudo {
    fn transicao(&self) -> Option<&Transicao> {
        self.transicao.as_ref()
    }
}

impl Conteudo {
    /// What it takes off the tax.
    fn beneficio(&self) -> Beneficio {
        let Conteudo { isento, carga_efetiva, .. } = *self;
        Beneficio { isento, isencao_base_legal: self.isencao_base_legal.clone(), reducao_base: None, carga_efetiva }
    }
}

impl Payload {
    /// What the price is made of: its sum is the value of the operation.
    fn parts(&self) -> [Amount; 4] {
        [self.valor_produto, self.frete, self.despesas, self.ipi]
    }

    fn venda(&self) -> Venda {
        match (self.uf_origem == self.uf_destino, self.destinatario_contribuinte) {
            (true, _) => Venda::Interna,
            (false, false) => Venda::NaoContribuinte,
            (false, true) => Venda::Contribuinte,
        }
    }
}

/// See the module.
pub struct IcmsConsumidorFinal;

impl Tax for IcmsConsumidorFinal {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec = ScopeSpec {
        eixos: &[Axis::Uf, Axis::UfDestino, Axis::Ncm, Axis::NcmExceto],
        obrigatorios: &[],
        discriminador: Some(OPERACAO),
    };
    const BEYOND_RATE: &'static [&'static str] = &["isento", "carga_efetiva", "fcp"];
    // A sale to a taxpayer still has the own ICMS of the seller.
    const ANSWERS_BESIDE_NULL: Option<(&'static str, &'static str)> =
        Some(("base_difal", Venda::Contribuinte.as_str()));

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        if let Some(transicao) = &c.transicao {
            let others = [
                ("aliquota", c.aliquota.is_some()),
                ("isento", c.isento),
                ("carga_efetiva", c.carga_efetiva.is_some()),
                ("fcp", c.fcp.is_some()),
                ("base_difal", c.base_difal.is_some()),
                ("fcp_na_base", c.fcp_na_base),
            ];
            transicao::check(transicao, &others, at, faults);
        }
        if c.carga_efetiva.is_some() && c.aliquota.is_none() {
            let detail = "Informe a `aliquota` que a carga efetiva reduz (ou null, se não está estabelecida).";
            faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
        }
        if c.isento && (c.aliquota.is_some() || c.carga_efetiva.is_some()) {
            let detail = "Uma regra isenta não tem `aliquota` nem `carga_efetiva`.";
            faults.add(&at.key("isento"), ErrorCode::ValorInvalido, detail);
        }
        c.beneficio().check(c.aliquota, at, faults);
    }

    fn check_regra(c: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        if c.transicao.is_some() {
            return transicao::check_escopo(escopo, at, faults);
        }
        let law = !escopo.palavras.is_empty();
        let fits = if law {
            escopo.uf_origem.is_none() && escopo.ncm.is_empty()
        } else {
            escopo.uf_origem.is_some() && escopo.uf_origem == escopo.uf_destino
        };
        if !fits {
            let detail = "Nenhuma consulta chega a este escopo: use `operacao` (com ou sem `uf_destino`), para a base da operação, ou `uf` (com ou sem `ncm`), para a alíquota e o FCP do consumidor final.";
            faults.add(&at.key("escopo"), ErrorCode::ValorInvalido, detail);
        }
        let between = escopo.palavras.iter().any(|word| *word != Venda::Interna.as_str());
        let at = at.key("conteudo");
        if between && c.base_difal.is_none() {
            let detail = "Informe `base_difal` (ou null, se não está estabelecida).";
            faults.add(&at.key("base_difal"), ErrorCode::CampoObrigatorio, detail);
        }
        if !between && (c.base_difal.is_some() || c.fcp_na_base) {
            let detail = "Só uma regra de operação interestadual tem base da diferença.";
            faults.add(&at.key("base_difal"), ErrorCode::ValorInvalido, detail);
        }
        let rates = c.aliquota.is_some() || c.isento || c.fcp.is_some();
        if law == rates {
            let detail =
                "`aliquota`, `isento` e `fcp` são da regra de uma UF, sem `operacao`, que precisa de um deles.";
            faults.add(&at.key("aliquota"), ErrorCode::ValorInvalido, detail);
        }
        if escopo.ncm.is_empty() && c.beneficio().name().is_some() {
            let detail = "Só a regra de um produto (`ncm`) isenta a venda a consumidor final ou reduz a base dela.";
            faults.add(&at, ErrorCode::ValorInvalido, detail);
        }
    }

    /// The general rule of the destination, and the Senate's rate of every pair of UFs of a law of one destination.
    fn needs(uf_origem: Option<Uf>, uf_destino: Option<Uf>) -> Vec<Chave> {
        let Some(destino) = uf_destino else { return Vec::new() };
        let others: &[Uf] = if uf_origem.is_some() { &[] } else { Uf::ALL };
        let pairs = others.iter().filter(|origem| **origem != destino).map(|origem| senate_key(*origem, destino));
        std::iter::once(Chave::na_uf(super::icms::ICMS, destino)).chain(pairs).collect()
    }

    /// If no rule of this tax states the rate of the destination, the rule of `icms` does.
    fn less_specific(chave: &Chave) -> Vec<Chave> {
        let own = transicao::without_national(chave.less_specific());
        let of_uf = chave.uf_origem.filter(|uf| chave.uf_destino == Some(*uf));
        let of_icms = of_uf.map(|uf| Chave { ncm: chave.ncm, ..Chave::na_uf(super::icms::ICMS, uf) });
        own.into_iter().chain(of_icms.iter().flat_map(super::icms::Icms::less_specific)).collect()
    }

    fn extinction<'o>(conteudo: &'o Object<'_>) -> Option<&'o str> {
        transicao::extinction(conteudo)
    }

    fn refusal(p: &Payload) -> Option<Problem> {
        p.regime_simples_nacional.then(|| {
            let detail = "O optante do Simples Nacional paga o ICMS próprio pelo regime unificado (LC 123/2006), e a diferença ao destino não lhe foi estendida (STF, ADI 5.464 e 5.469, sobre o Convênio ICMS 93/2015, cláusula nona; a LC 190/2022 não a prevê): o ICMS da operação não é calculado aqui. O DAS do mês se calcula em `simples_nacional`.";
            Problem::of_field(ErrorCode::RegimeSimplesNacional, "regime_simples_nacional", detail)
        })
    }

    fn product(p: &Payload) -> Option<(&Ncm, Date)> {
        Some((p.ncm.as_ref()?, p.data_operacao))
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        calculation.enter_transition::<Conteudo>(ICMS_CONSUMIDOR_FINAL, p.data_operacao)?;
        let venda = p.venda();
        let national = Chave { palavra: OPERACAO.palavra(venda.as_str()), ..Chave::of(ICMS_CONSUMIDOR_FINAL) };
        let keys = [Chave { uf_destino: Some(p.uf_destino), ..national.clone() }, national];
        let regra = require(calculation.regras, &keys, p.data_operacao)?;
        match venda {
            Venda::Interna => internal(p, &regra, calculation),
            Venda::NaoContribuinte | Venda::Contribuinte => diferenca::between_ufs(p, &regra, calculation),
        }
        .map(|mut calculated| {
            calculated.detalhes.regras_auxiliares = calculation.regras_auxiliares().unwrap_or_default();
            calculated
        })
    }
}

/// An operation inside a UF: the tax of that UF, with its FCP.
fn internal(p: &Payload, regra: &Regra, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
    let destino = Destino::find(p, calculation)?;
    let Some(interna) = &destino.aliquota else { return exempt(p, regra, &destino, calculation) };
    let ground = &interna.by.citacao_legal;
    let base = destino.base(calculation.sum(&p.parts()), interna.rate)?;
    let base = calculation.step("base_calculo", ground, base)?;
    let due = (&base.exact * interna.rate).noting(|| stated_by(&interna.by));
    let valor_icms = calculation.step("valor_icms", ground, due)?.shown;
    let fcp = destino.fcp_on(&base.exact, calculation)?;
    let mut valor = valor_icms;
    if let Some(fcp) = fcp {
        valor = calculation.step("valor", &regra.citacao_legal, calculation.formula(valor_icms) + fcp)?.shown;
    }
    let nothing_due = nothing_due(p, destino.casada, destino.product_unknown, base.shown);
    let detalhes = Detalhes {
        aliquota_interna: Some(interna.rate),
        valor_icms,
        aliquota_fcp: destino.fcp.as_ref().map(|fcp| fcp.rate),
        valor_fcp: fcp.or(nothing_due.valor_fcp),
        ..nothing_due
    };
    Ok(Calculated { valor, regra: regra.clone(), detalhes })
}

/// An operation on which nothing is due.
fn exempt(
    p: &Payload,
    regra: &Regra,
    destino: &Destino,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Calculated<Detalhes>> {
    let base = calculation.sum(&p.parts()).noting(exempt_written);
    let base = calculation.step("isencao", &destino.treated_by.citacao_legal, base)?.shown;
    let detalhes = Detalhes {
        isento: true,
        isencao_base_legal: destino.beneficio.isencao_base_legal.clone(),
        ..nothing_due(p, destino.casada, destino.product_unknown, base)
    };
    Ok(Calculated { valor: Money::ZERO, regra: regra.clone(), detalhes })
}

/// The components before any amount is known.
fn nothing_due(p: &Payload, regra_casada: RegraCasada, product_unknown: bool, base_calculo: Money) -> Detalhes {
    let zero = Money::ZERO;
    let tipo_operacao = match p.venda() {
        Venda::Interna => TipoOperacao::Interna,
        Venda::NaoContribuinte | Venda::Contribuinte => TipoOperacao::Interestadual,
    };
    Detalhes {
        tipo_operacao,
        base_calculo,
        aliquota_interna: None,
        aliquota_interestadual: None,
        valor_icms: zero,
        base_difal: None,
        base_calculo_difal: None,
        valor_difal: Some(zero),
        aliquota_fcp: None,
        valor_fcp: Some(zero),
        responsavel_difal: None,
        isento: false,
        isencao_base_legal: None,
        regra_casada,
        conferencia_produto: Sometimes(product_unknown.then_some(ConferenciaProduto::Nenhuma)),
        citacao_interestadual: None,
        divergencia_interestadual: None,
        regras_auxiliares: Vec::new(),
    }
}
