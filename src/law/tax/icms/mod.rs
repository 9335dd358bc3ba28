//! ICMS on the own operation (contract, section 2.3; design, section 4).
//!
//! The tax is inside the price, so the operation value is the base. Internal: the UF's product
//! rule with the longest NCM, else the national rule of the product, else the UF's general
//! rule. Interstate: the national rule of the product (an immunity, say), else the table of the
//! Senate (Resoluções 22/1989 and 13/2012), whatever rate a product rule of the origin states.
//! A national rule can be limited to some operations ([`Operacao`]): the basic basket (Convênio
//! ICMS 128/94) is reduced inside a UF only.

mod beneficio;
mod interestadual;
mod por_unidade;
mod produto;

pub(super) use self::beneficio::{Beneficio, check_reduction};
pub(super) use self::interestadual::{divergence, interstate_rule, senate_key};
pub(super) use self::produto::{exempt_written, internal_rule, national_rule, no_product_rule, passed_over};
use super::calculation::{Calculated, Calculation};
use super::entry::Tax;
use super::figures::Money;
use super::monofasico::Papel;
use super::transicao::{self, Transicao, WithTransition};
use crate::base::document::{Faults, Object, Path, Sometimes};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Amount, Date, Figura, Ncm, Rate, RuleId, Text, Tributo, Uf};
use crate::rule::{Axis, Chave, Discriminator, Escopo, Regra, RuleResult, ScopeSpec};

pub const ICMS: Tributo = Tributo::new("icms");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "icms",
  "uf_origem": "SP",
  "uf_destino": "SP",
  "valor_produto": "1000.00",
  "frete": "50.00",
  "data_operacao": "2026-03-10"
}"#;

taxd_base::vocabulary! {
    /// Origin of the goods.
    pub enum OrigemMercadoria {
        Nacional = "nacional" => "Nacional",
        Importada = "importada" => "Importada",
    }
}

/// Imported goods have an interstate rule of their own.
const ORIGEM: Discriminator = Discriminator { campo: "origem_mercadoria", palavras: OrigemMercadoria::VOCABULARY };

taxd_base::vocabulary! {
    /// The operations that a national rule of a product can reach.
    pub enum Operacao {
        Interna = "interna" => "Interna",
        Interestadual = "interestadual" => "Interestadual",
        InterestadualImportada = "interestadual_importada" => "Interestadual, de mercadoria importada",
    }
}

taxd_base::document! {
    pub struct Payload {
        uf_origem: Uf, "UF de origem";
        uf_destino: Uf, "UF de destino" + "; igual à de origem na operação interna";
        ncm: Option<Ncm>, "NCM do produto" + ", para as regras de produto";
        valor_produto: Amount, "Valor da operação" + ", com o imposto por dentro";
        frete: Amount = "0", "Frete que entra na base";
        despesas: Amount = "0", "Seguro, juros e outras despesas";
        data_operacao: Date, "Data da operação";
        origem_mercadoria: OrigemMercadoria = "nacional", "Origem da mercadoria";
        destinatario_contribuinte: bool = true, "O destinatário é contribuinte do ICMS";
        destinatario_consumidor_final: bool = false, "O destinatário é consumidor final";
        regime_simples_nacional: bool = false, "O remetente é optante do Simples Nacional";
        papel_na_cadeia: Option<Papel>, "Papel na cadeia" + ", quando a regra é monofásica (combustíveis)";
        quantidade: Option<Amount>, "Quantidade" + ", na unidade da regra, se o imposto é por unidade";
    }

    /// A tax of so much a unit, collected once in the chain (LC 192/2022).
    pub struct PorUnidade {
        valor: Figura<Amount>, "ICMS por unidade";
        unidade: Text, "Unidade da quantidade" + ", como em: litro";
        motivo_zero_revenda: Text, "Por que nada é devido depois da operação tributada";
    }

    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota da operação";
        fcp: Option<Figura<Rate>>, "Adicional do fundo de combate à pobreza";
        reducao_base: Option<Figura<Rate>>, "Percentual em que a base é reduzida";
        carga_efetiva: Option<Figura<Rate>>, "Carga final que a redução da base deve produzir";
        isento: bool = false, "A operação é isenta";
        isencao_base_legal: Option<Text>, "Dispositivo da isenção";
        aliquota_interestadual: Option<Figura<Rate>>, "Alíquota interestadual que a regra de produto declara";
        por_unidade: Option<PorUnidade>, "Imposto monofásico por unidade, em vez de alíquota";
        operacoes: Vec<Operacao>, "Operações que a regra nacional de produto alcança" + "; sem a lista, todas";
        transicao: Option<Transicao>, "O que a transição para o IBS deixa do imposto num ano, na regra nacional dela";
    }
}

taxd_base::vocabulary! {
    /// Whether the goods leave the UF.
    pub enum TipoOperacao {
        Interna = "interna" => "Interna",
        Interestadual = "interestadual" => "Interestadual",
    }

    /// Which rule answered.
    pub enum RegraCasada {
        Geral = "geral" => "Geral da UF",
        Produto = "produto" => "Do produto",
        ProdutoNacional = "produto_nacional" => "Do produto, nacional",
        Interestadual = "interestadual" => "Interestadual",
        InterestadualImportada = "interestadual_importada" => "Interestadual, de mercadoria importada",
    }

    /// What was found of the product of a request.
    pub enum ConferenciaProduto {
        Nenhuma = "nenhuma" => "Nenhuma",
    }
}

taxd_base::components! {
    /// Both rates, if a product rule of the origin states another than the table.
    pub struct Divergencia {
        aliquota_tabela: Rate, "Alíquota da tabela do Senado";
        aliquota_regra_produto: Rate, "Alíquota que a regra do produto declara";
        rule_id: RuleId, "A regra do produto";
        citacao_legal: Text, "Citação da regra do produto";
    }

    /// What an answer of `icms` shows.
    pub struct Detalhes {
        tipo_operacao: TipoOperacao, "Tipo de operação";
        base_calculo: Money as Base, "Base de cálculo" + "; o valor da operação, se isenta ou se o imposto é por unidade";
        aliquota_aplicada: Option<Rate> as Aliquota, "Alíquota" + "; nulo se isenta ou se o imposto é por unidade";
        valor_icms: Money as Icms, "ICMS" + ", sem o FCP";
        valor_fcp: Money, "Adicional do fundo de combate à pobreza";
        isento: bool, "A operação é isenta";
        isencao_base_legal: Option<Text>, "Dispositivo da isenção";
        regra_casada: RegraCasada, "Tipo da regra aplicada";
        conferencia_produto: Sometimes<ConferenciaProduto>, "Regra do produto" + ": `nenhuma` se o pedido tem NCM, nenhuma regra do produto foi encontrada e a geral da UF respondeu; ausente nos demais casos";
        citacao_interestadual: Option<Text>, "Citação da tabela do Senado";
        divergencia_interestadual: Option<Divergencia>, "Alíquota da tabela e a que a regra do produto declara, se diferem";
        regras_auxiliares: Sometimes<Vec<Regra>>, "As outras regras de que a resposta depende" + "; ausente se não há outra";
        papel_na_cadeia: Sometimes<Papel>, "Papel na cadeia" + ", se o imposto é por unidade";
        quantidade: Sometimes<Amount>, "Quantidade tributada" + ", na unidade da regra";
        valor_por_unidade: Sometimes<Amount>, "ICMS por unidade";
        unidade: Sometimes<Text>, "Unidade da quantidade";
        motivo_zero: Sometimes<Text>, "Por que nada é devido" + ", se o imposto por unidade já foi cobrado";
    }
}

impl Operacao {
    /// The interstate operation with goods of that origin.
    pub(in crate::tax) fn between_ufs(mercadoria: OrigemMercadoria) -> Operacao {
        match mercadoria {
            OrigemMercadoria::Nacional => Operacao::Interestadual,
            OrigemMercadoria::Importada => Operacao::InterestadualImportada,
        }
    }
}

impl Conteudo {
    /// What the rule has beside a plain rate, in Portuguese.
    pub(in crate::tax) fn beside_rate(&self) -> Option<&'static str> {
        let fund = self.fcp.is_some().then_some("o adicional do fundo de combate à pobreza");
        self.beneficio().name().or(fund)
    }

    /// What it takes off the tax.
    pub(in crate::tax) fn beneficio(&self) -> Beneficio {
        let Conteudo { isento, reducao_base, carga_efetiva, .. } = *self;
        Beneficio { isento, isencao_base_legal: self.isencao_base_legal.clone(), reducao_base, carga_efetiva }
    }

    /// Whether the rule answers for `operacao`.
    fn reaches(&self, operacao: Operacao) -> bool {
        self.operacoes.is_empty() || self.operacoes.contains(&operacao)
    }
}

impl WithTransition for Conteudo {
    fn transicao(&self) -> Option<&Transicao> {
        self.transicao.as_ref()
    }
}

impl Payload {
    /// What the price is made of: its sum is the value of the operation.
    fn parts(&self) -> [Amount; 3] {
        [self.valor_produto, self.frete, self.despesas]
    }
}

pub struct Icms;

impl Tax for Icms {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec = ScopeSpec {
        eixos: &[Axis::Uf, Axis::UfOrigem, Axis::UfDestino, Axis::Ncm, Axis::NcmExceto],
        obrigatorios: &[],
        discriminador: Some(ORIGEM),
    };
    const ANSWERS_WITHOUT_FIGURE: &'static [&'static str] = &["por_unidade"];
    const BEYOND_RATE: &'static [&'static str] = &["isento", "reducao_base", "carga_efetiva", "fcp", "por_unidade"];

    fn check_conteudo(conteudo: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        if let Some(transicao) = &conteudo.transicao {
            let others = [
                ("aliquota", conteudo.aliquota.is_some()),
                ("isento", conteudo.isento),
                ("por_unidade", conteudo.por_unidade.is_some()),
                ("fcp", conteudo.fcp.is_some()),
                ("reducao_base", conteudo.reducao_base.is_some()),
                ("carga_efetiva", conteudo.carga_efetiva.is_some()),
                ("aliquota_interestadual", conteudo.aliquota_interestadual.is_some()),
            ];
            return transicao::check(transicao, &others, at, faults);
        }
        if conteudo.por_unidade.is_some() {
            por_unidade::check(conteudo, at, faults);
        } else if !conteudo.isento && conteudo.aliquota.is_none() {
            let detail = "Informe `aliquota` (ou null, se não está estabelecida), `isento`: true, ou `por_unidade`.";
            faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
        }
        conteudo.beneficio().check(conteudo.aliquota, at, faults);
    }

    fn check_regra(conteudo: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        if conteudo.transicao.is_some() {
            return transicao::check_escopo(escopo, at, faults);
        }
        let (origem, destino) = (escopo.uf_origem, escopo.uf_destino);
        let bare = escopo.ncm.is_empty() && escopo.palavras.is_empty();
        let internal = origem.is_some() && origem == destino && escopo.palavras.is_empty();
        let interstate = origem.is_some() && destino.is_some() && origem != destino && bare;
        let imported = origem.is_none()
            && destino.is_none()
            && escopo.ncm.is_empty()
            && escopo.palavras == [OrigemMercadoria::Importada.as_str()];
        let national = origem.is_none() && destino.is_none() && !escopo.ncm.is_empty() && escopo.palavras.is_empty();
        if !(internal || interstate || imported || national) {
            let detail = "Nenhuma consulta chega a este escopo: use `uf` (com ou sem `ncm`), `uf_origem` e `uf_destino` diferentes, `origem_mercadoria` importada, ou só `ncm` (regra nacional).";
            faults.add(&at.key("escopo"), ErrorCode::ValorInvalido, detail);
        }
        if !national && !conteudo.operacoes.is_empty() {
            let detail = "Só a regra nacional de produto (escopo só com `ncm`) diz que operações alcança.";
            faults.add(&at.key("conteudo").key("operacoes"), ErrorCode::ValorInvalido, detail);
        }
    }

    /// A product of a UF is looked up among the national ones before the general rule of the UF; after a national rule,
    /// each UF answers by its own.
    fn less_specific(chave: &Chave) -> Vec<Chave> {
        let Some(ncm) = chave.ncm else { return transicao::without_national(chave.less_specific()) };
        let by_product = |key: Chave| ncm.shortened().map(move |ncm| Chave { ncm: Some(ncm), ..key.clone() });
        let of_uf = chave.uf_destino.map(|uf| Chave::na_uf(ICMS, uf));
        let general = match &of_uf {
            Some(key) => vec![key.clone()],
            None => Uf::ALL.iter().map(|uf| Chave::na_uf(ICMS, *uf)).collect(),
        };
        of_uf.into_iter().flat_map(by_product).chain(by_product(Chave::of(ICMS))).chain(general).collect()
    }

    fn refusal(p: &Payload) -> Option<Problem> {
        out_of_scope(p)
    }

    fn extinction<'o>(conteudo: &'o Object<'_>) -> Option<&'o str> {
        transicao::extinction(conteudo)
    }

    fn product(p: &Payload) -> Option<(&Ncm, Date)> {
        Some((p.ncm.as_ref()?, p.data_operacao))
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        calculation.enter_transition::<Conteudo>(ICMS, p.data_operacao)?;
        let mut calculated = if p.uf_origem == p.uf_destino {
            produto::internal(p, calculation)
        } else {
            interestadual::interstate(p, calculation)
        }?;
        calculated.detalhes.regras_auxiliares = Sometimes(calculation.regras_auxiliares());
        Ok(calculated)
    }
}

fn out_of_scope(p: &Payload) -> Option<Problem> {
    let refusals = [
        (
            !p.destinatario_contribuinte,
            ErrorCode::DestinatarioNaoContribuinte,
            "destinatario_contribuinte",
            "A venda a não contribuinte reparte o imposto entre as UFs (diferencial de alíquota): calcule-a com o tributo `icms_consumidor_final`.",
        ),
        (
            p.destinatario_consumidor_final,
            ErrorCode::DestinatarioConsumidorFinal,
            "destinatario_consumidor_final",
            "A venda a consumidor final tem adicional e diferencial próprios: calcule-a com o tributo `icms_consumidor_final`.",
        ),
        (
            p.regime_simples_nacional,
            ErrorCode::RegimeSimplesNacional,
            "regime_simples_nacional",
            "O optante do Simples Nacional recolhe pelo regime unificado; o ICMS da operação não é calculado aqui. O DAS do mês se calcula em `simples_nacional`.",
        ),
    ];
    let (_, codigo, campo, detail) = refusals.into_iter().find(|(applies, ..)| *applies)?;
    Some(Problem::of_field(codigo, campo, detail))
}

impl Detalhes {
    /// The answer if nothing is due, which the others extend.
    fn zero(tipo_operacao: TipoOperacao, regra_casada: RegraCasada, base_calculo: Money) -> Detalhes {
        let zero = Money::ZERO;
        Detalhes {
            tipo_operacao,
            base_calculo,
            aliquota_aplicada: None,
            valor_icms: zero,
            valor_fcp: zero,
            isento: false,
            isencao_base_legal: None,
            regra_casada,
            conferencia_produto: Sometimes(None),
            citacao_interestadual: None,
            divergencia_interestadual: None,
            regras_auxiliares: Sometimes(None),
            papel_na_cadeia: Sometimes(None),
            quantidade: Sometimes(None),
            valor_por_unidade: Sometimes(None),
            unidade: Sometimes(None),
            motivo_zero: Sometimes(None),
        }
    }
}

/// The rate that an interstate rule states.
pub(super) fn stated_rate(regra: &Regra) -> RuleResult<Rate> {
    regra.figura("aliquota", regra.conteudo::<Conteudo>()?.aliquota)
}
