//! ICMS on the own operation (contract, section 2.3; design, section 4).
//!
//! The tax is inside the price, so the operation value is the base. Internal: the UF's product
//! rule with the longest NCM, else the national rule of the product, else the UF's general
//! rule. Interstate: the national rule of the product (an immunity, say), else the table of the
//! Senate (Resoluções 22/1989 and 13/2012), whatever rate a product rule of the origin states.

use super::calculo::{Calculo, REGRAS_AUXILIARES, Resultado, auxiliar, soma, soma_escrita};
use super::detalhes::{Dado, Detalhes};
use super::forma::{Componente, Forma};
use super::registry::Tax;
use crate::document::{Faults, Path};
use crate::problem::{ErrorCode, Problem};
use crate::rule::{Axis, Chave, Discriminator, Escopo, Regra, Regras, RuleResult, ScopeSpec, exigir, primeira};
use crate::value::{Amount, Date, Exact, Figura, Ncm, Rate, Text, Tributo, Uf};

pub(super) const ICMS: Tributo = Tributo::new("icms");

pub(super) const EXEMPLO: &str = r#"{
  "tributo": "icms",
  "uf_origem": "SP",
  "uf_destino": "SP",
  "valor_produto": "1000.00",
  "frete": "50.00",
  "data_operacao": "2026-03-10"
}"#;

crate::vocabulary! {
    /// Where the goods were made.
    pub enum OrigemMercadoria {
        Nacional = "nacional",
        Importada = "importada",
    }
}

/// Imported goods have an interstate rule of their own.
const ORIGEM: Discriminator = Discriminator { campo: "origem_mercadoria", palavras: OrigemMercadoria::WORDS };

crate::document! {
    /// Payload of `icms`.
    pub struct Payload {
        uf_origem: Uf, "UF de origem";
        uf_destino: Uf, "UF de destino; igual à de origem na operação interna";
        ncm: Option<Ncm>, "NCM do produto, para as regras de produto";
        valor_produto: Amount, "Valor da operação, com o imposto por dentro";
        frete: Amount = "0", "Frete que entra na base";
        despesas: Amount = "0", "Seguro, juros e outras despesas";
        data_operacao: Date, "Data da operação";
        origem_mercadoria: OrigemMercadoria = "nacional", "Origem da mercadoria";
        destinatario_contribuinte: bool = true, "O destinatário é contribuinte do ICMS";
        destinatario_consumidor_final: bool = false, "O destinatário é consumidor final";
        regime_simples_nacional: bool = false, "O remetente é optante do Simples Nacional";
    }
}

crate::document! {
    /// Content of an `icms` rule.
    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota da operação";
        fcp: Option<Figura<Rate>>, "Adicional do fundo de combate à pobreza";
        reducao_base: Option<Figura<Rate>>, "Percentual em que a base é reduzida";
        carga_efetiva: Option<Figura<Rate>>, "Carga final que a redução da base deve produzir";
        isento: bool = false, "A operação é isenta";
        isencao_base_legal: Option<Text>, "Dispositivo da isenção";
        aliquota_interestadual: Option<Figura<Rate>>, "Alíquota interestadual que a regra de produto declara";
    }
}

/// Both rates, where a product rule of the origin states another than the table.
const DIVERGENCIA: &[Componente] = &[
    Componente::sempre("aliquota_tabela", Forma::Aliquota, "Alíquota da tabela do Senado"),
    Componente::sempre("aliquota_regra_produto", Forma::Aliquota, "Alíquota que a regra do produto declara"),
    Componente::sempre("rule_id", Forma::Texto, "A regra do produto"),
    Componente::sempre("citacao_legal", Forma::Texto, "Citação da regra do produto"),
];
const CASADAS: &[&str] = &["geral", "produto", "produto_nacional", "interestadual", "interestadual_importada"];

/// See the module.
pub struct Icms;

impl Tax for Icms {
    type Payload = Payload;
    type Conteudo = Conteudo;
    const ESCOPO: ScopeSpec = ScopeSpec {
        eixos: &[Axis::Uf, Axis::UfOrigem, Axis::UfDestino, Axis::Ncm, Axis::NcmExceto],
        obrigatorios: &[],
        discriminador: Some(ORIGEM),
    };
    const DETALHES: &'static [Componente] = &[
        Componente::sempre("tipo_operacao", Forma::Word(&["interna", "interestadual"]), "Tipo de operação"),
        Componente::sempre("base_calculo", Forma::Valor, "Base de cálculo"),
        Componente::sempre("aliquota_aplicada", Forma::OuNulo(&Forma::Aliquota), "Alíquota; nulo se isenta"),
        Componente::sempre("valor_icms", Forma::Valor, "ICMS, sem o FCP"),
        Componente::sempre("valor_fcp", Forma::Valor, "Adicional do fundo de combate à pobreza"),
        Componente::sempre("isento", Forma::Logico, "A operação é isenta"),
        Componente::sempre("isencao_base_legal", Forma::OuNulo(&Forma::Texto), "Dispositivo da isenção"),
        Componente::sempre("regra_casada", Forma::Word(CASADAS), "Que regra respondeu"),
        Componente::sempre("citacao_interestadual", Forma::OuNulo(&Forma::Texto), "Citação da tabela do Senado"),
        Componente::sempre(
            "divergencia_interestadual",
            Forma::OuNulo(&Forma::Objeto(DIVERGENCIA)),
            "Alíquota da tabela e a que a regra do produto declara, se diferem",
        ),
        REGRAS_AUXILIARES,
    ];

    fn conferir_conteudo(conteudo: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        if conteudo.isento && conteudo.isencao_base_legal.is_none() {
            let detail = "Uma regra isenta precisa dizer o dispositivo da isenção.";
            faults.add(&at.key("isencao_base_legal"), ErrorCode::CampoObrigatorio, detail);
        }
        if !conteudo.isento && conteudo.aliquota.is_none() {
            let detail = "Informe `aliquota` (ou null, se não está estabelecida), ou `isento`: true.";
            faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
        }
        if conteudo.reducao_base.is_some() && conteudo.carga_efetiva.is_some() {
            let detail = "Use `reducao_base` ou `carga_efetiva`, não as duas.";
            faults.add(&at.key("carga_efetiva"), ErrorCode::ValorInvalido, detail);
        }
        let above = |limit: Option<Figura<Rate>>, value: Option<Figura<Rate>>| match (
            limit.and_then(Figura::established),
            value.and_then(Figura::established),
        ) {
            (Some(limit), Some(value)) => value > limit,
            _ => false,
        };
        let zero = |rate: Rate| matches!(rate.points().is_positive(), Ok(false));
        if conteudo.carga_efetiva.is_some() && conteudo.aliquota.and_then(Figura::established).is_some_and(zero) {
            let detail = "Uma carga efetiva precisa de alíquota maior que zero; se nada é devido, use `isento`.";
            faults.add(&at.key("aliquota"), ErrorCode::ValorZero, detail);
        }
        if above(conteudo.aliquota, conteudo.carga_efetiva) {
            let detail = "A carga efetiva não pode passar da alíquota.";
            faults.add(&at.key("carga_efetiva"), ErrorCode::ForaDoIntervalo, detail);
        }
        conferir_reducao(conteudo.reducao_base, &at.key("reducao_base"), faults);
    }

    fn conferir_regra(_: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
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
    }

    fn calcular(_: Tributo, p: &Payload, calculo: &mut Calculo<'_>) -> RuleResult<Resultado> {
        refuse_out_of_scope(p)?;
        if p.uf_origem == p.uf_destino { internal(p, calculo) } else { interstate(p, calculo) }
    }
}

/// Notes a fault for a reduction that would leave less than nothing.
pub(super) fn conferir_reducao(reducao: Option<Figura<Rate>>, at: &Path<'_>, faults: &mut Faults) {
    if let Some(reducao) = reducao.and_then(Figura::established)
        && matches!((Exact::ONE - reducao.fraction()).is_negative(), Ok(true))
    {
        faults.add(at, ErrorCode::ForaDoIntervalo, "A redução da base vai de 0 a 100.");
    }
}

fn refuse_out_of_scope(p: &Payload) -> RuleResult<()> {
    let refusals = [
        (
            !p.destinatario_contribuinte,
            ErrorCode::DestinatarioNaoContribuinte,
            "destinatario_contribuinte",
            "A venda a não contribuinte reparte o imposto entre as UFs (diferencial de alíquota) e não é calculada aqui.",
        ),
        (
            p.destinatario_consumidor_final,
            ErrorCode::DestinatarioConsumidorFinal,
            "destinatario_consumidor_final",
            "A venda a consumidor final tem adicional e diferencial próprios e não é calculada aqui.",
        ),
        (
            p.regime_simples_nacional,
            ErrorCode::RegimeSimplesNacional,
            "regime_simples_nacional",
            "O optante do Simples Nacional recolhe pelo regime unificado; o ICMS da operação não é calculado aqui.",
        ),
    ];
    match refusals.into_iter().find(|(applies, ..)| *applies) {
        Some((_, codigo, campo, detail)) => Err(Box::new(Problem::of_field(codigo, campo, detail))),
        None => Ok(()),
    }
}

/// The product rule of a UF for an NCM: the longest prefix that has one.
fn product_rule(regras: &dyn Regras, uf: Uf, ncm: &Ncm, data: Date) -> RuleResult<Option<Regra>> {
    let keys = ncm.prefixes().map(|prefix| Chave { ncm: Some(prefix), ..Chave::na_uf(ICMS, uf) });
    primeira(regras, keys, Some(ncm), data)
}

/// The national rule of a product, the same in every UF: an immunity, a single-phase fuel.
fn national_rule(regras: &dyn Regras, ncm: &Ncm, data: Date) -> RuleResult<Option<Regra>> {
    let keys = ncm.prefixes().map(|prefix| Chave { ncm: Some(prefix), ..Chave::of(ICMS) });
    primeira(regras, keys, Some(ncm), data)
}

/// The interstate rule of imported goods, or of the Senate's table for a pair of UFs.
pub(super) fn interstate_rule(
    regras: &dyn Regras,
    origem: Uf,
    destino: Uf,
    mercadoria: OrigemMercadoria,
    data: Date,
) -> RuleResult<Regra> {
    match mercadoria {
        OrigemMercadoria::Importada => {
            let key = Chave { palavra: ORIGEM.palavra(mercadoria.as_str()), ..Chave::of(ICMS) };
            exigir(regras, &[key], None, data)
        }
        OrigemMercadoria::Nacional => exigir(regras, &[senate_key(origem, destino)], None, data),
    }
}

/// The scope key of a pair of UFs in the Senate's table.
pub(super) fn senate_key(origem: Uf, destino: Uf) -> Chave {
    Chave { uf_origem: Some(origem), uf_destino: Some(destino), ..Chave::of(ICMS) }
}

/// The rate that an interstate rule states.
pub(super) fn stated_rate(regra: &Regra) -> RuleResult<Rate> {
    match regra.conteudo::<Conteudo>()?.aliquota {
        Some(aliquota) => regra.figura("aliquota", aliquota),
        None => Err(regra.sem_conteudo("aliquota")),
    }
}

fn internal(p: &Payload, calculo: &mut Calculo<'_>) -> RuleResult<Resultado> {
    let (regra, matched) = match &p.ncm {
        Some(ncm) => match product_rule(calculo.regras, p.uf_origem, ncm, p.data_operacao)? {
            Some(regra) => (Some(regra), "produto"),
            None => (national_rule(calculo.regras, ncm, p.data_operacao)?, "produto_nacional"),
        },
        None => (None, ""),
    };
    let general = Chave::na_uf(ICMS, p.uf_origem);
    match regra {
        Some(regra) => by_rule(p, &regra, "interna", matched, calculo),
        None => by_rule(p, &exigir(calculo.regras, &[general], None, p.data_operacao)?, "interna", "geral", calculo),
    }
}

/// What the rule of a product or of a UF makes of the operation.
fn by_rule(
    p: &Payload,
    regra: &Regra,
    tipo: &'static str,
    matched: &'static str,
    calculo: &mut Calculo<'_>,
) -> RuleResult<Resultado> {
    let parts = [p.valor_produto, p.frete, p.despesas];
    let operation = soma(&parts);
    let conteudo = regra.conteudo::<Conteudo>()?;
    if conteudo.isento {
        let base = Dado::valor(operation)?;
        calculo.passo("isencao", regra, &base, || format!("operação isenta: {}", soma_escrita(&parts)));
        let shown = Shown { base, isencao: conteudo.isencao_base_legal.as_ref(), ..Shown::of(tipo, matched) };
        let detalhes = shown.detalhes()?;
        return Ok(Resultado { valor: Exact::ZERO.round(2)?, regra: regra.clone(), detalhes });
    }
    let aliquota = stated_rate(regra)?;
    let base = reduced_base(regra, conteudo, operation, aliquota)?;
    let shown_base = Dado::valor(base)?;
    calculo.passo("base_calculo", regra, &shown_base, || {
        let sum = soma_escrita(&parts);
        let figure = |f: Option<Figura<Rate>>| f.and_then(Figura::established);
        match (figure(conteudo.carga_efetiva), figure(conteudo.reducao_base)) {
            (Some(carga), _) => format!("({sum}) × {carga}% ÷ {aliquota}%"),
            (_, Some(reducao)) => format!("({sum}) × (1 − {reducao}%)"),
            _ => sum,
        }
    });
    let icms = base * aliquota.fraction();
    calculo.passo("valor_icms", regra, &Dado::valor(icms)?, || format!("base × {aliquota}%"));
    let mut fcp = Exact::ZERO;
    if let Some(rate) = conteudo.fcp.map(|fcp| regra.figura("fcp", fcp)).transpose()? {
        fcp = base * rate.fraction();
        calculo.passo("valor_fcp", regra, &Dado::valor(fcp)?, || format!("base × {rate}%"));
    }
    let valor = icms.rounded(2) + fcp.rounded(2);
    let shown = Shown { base: shown_base, aliquota: Some(aliquota), icms, fcp, ..Shown::of(tipo, matched) };
    let detalhes = shown.detalhes()?;
    Ok(Resultado { valor: valor.round(2)?, regra: regra.clone(), detalhes })
}

fn reduced_base(regra: &Regra, conteudo: &Conteudo, operation: Exact, aliquota: Rate) -> RuleResult<Exact> {
    if let Some(carga) = conteudo.carga_efetiva {
        let carga = regra.figura("carga_efetiva", carga)?;
        return Ok(operation * carga.points() / aliquota.points());
    }
    match conteudo.reducao_base {
        Some(reducao) => Ok(operation * (Exact::ONE - regra.figura("reducao_base", reducao)?.fraction())),
        None => Ok(operation),
    }
}

fn interstate(p: &Payload, calculo: &mut Calculo<'_>) -> RuleResult<Resultado> {
    if let Some(ncm) = &p.ncm
        && let Some(regra) = national_rule(calculo.regras, ncm, p.data_operacao)?
    {
        return by_rule(p, &regra, "interestadual", "produto_nacional", calculo);
    }
    let imported = p.origem_mercadoria == OrigemMercadoria::Importada;
    let regra = interstate_rule(calculo.regras, p.uf_origem, p.uf_destino, p.origem_mercadoria, p.data_operacao)?;
    let aliquota = stated_rate(&regra)?;
    let parts = [p.valor_produto, p.frete, p.despesas];
    let base = soma(&parts);
    let icms = base * aliquota.fraction();
    let (shown_base, shown_icms) = (Dado::valor(base)?, Dado::valor(icms)?);
    calculo.passo("base_calculo", &regra, &shown_base, || soma_escrita(&parts));
    calculo.passo("valor_icms", &regra, &shown_icms, || format!("base × {aliquota}% (tabela do Senado)"));
    let matched = if imported { "interestadual_importada" } else { "interestadual" };
    let (divergencia, product) = divergence(p, calculo.regras, aliquota)?.unzip();
    let shown = Shown {
        base: shown_base,
        aliquota: Some(aliquota),
        icms,
        citacao: Some(&regra.citacao_legal),
        divergencia: divergencia.unwrap_or(Dado::Nulo),
        ..Shown::of("interestadual", matched)
    };
    let mut detalhes = shown.detalhes()?;
    detalhes.extend(product.as_ref().map(auxiliar));
    Ok(Resultado { valor: icms.round(2)?, regra, detalhes })
}

/// If a product rule of the origin states another interstate rate: both rates as shown, and that rule.
/// Refuses if that rule says that its rate is not established.
fn divergence(p: &Payload, regras: &dyn Regras, tabela: Rate) -> RuleResult<Option<(Dado, Regra)>> {
    let Some(ncm) = &p.ncm else { return Ok(None) };
    let Some(regra) = product_rule(regras, p.uf_origem, ncm, p.data_operacao)? else { return Ok(None) };
    let stated = regra.conteudo::<Conteudo>()?.aliquota_interestadual;
    let stated = stated.map(|rate| regra.figura("aliquota_interestadual", rate)).transpose()?;
    let Some(stated) = stated.filter(|stated| *stated != tabela) else { return Ok(None) };
    let shown = Dado::Objeto(vec![
        ("aliquota_tabela", tabela.into()),
        ("aliquota_regra_produto", stated.into()),
        ("rule_id", Dado::texto(regra.rule_id.to_string())),
        ("citacao_legal", Dado::texto(regra.citacao_legal.as_str())),
    ]);
    Ok(Some((shown, regra)))
}

/// What the entries of contract section 2.4 show.
struct Shown<'a> {
    tipo: &'static str,
    base: Dado,
    aliquota: Option<Rate>,
    icms: Exact,
    fcp: Exact,
    /// The legal ground of an exempt operation.
    isencao: Option<&'a Text>,
    matched: &'static str,
    citacao: Option<&'a Text>,
    divergencia: Dado,
}

impl Shown<'_> {
    fn of(tipo: &'static str, matched: &'static str) -> Self {
        Shown {
            tipo,
            base: Dado::Nulo,
            aliquota: None,
            icms: Exact::ZERO,
            fcp: Exact::ZERO,
            isencao: None,
            matched,
            citacao: None,
            divergencia: Dado::Nulo,
        }
    }

    fn detalhes(self) -> RuleResult<Detalhes> {
        let words = |t: Option<&Text>| Dado::ou_nulo(t.map(|t| t.as_str().to_owned()));
        Ok(vec![
            ("tipo_operacao", self.tipo.into()),
            ("base_calculo", self.base),
            ("aliquota_aplicada", Dado::ou_nulo(self.aliquota)),
            ("valor_icms", Dado::valor(self.icms)?),
            ("valor_fcp", Dado::valor(self.fcp)?),
            ("isento", self.isencao.is_some().into()),
            ("isencao_base_legal", words(self.isencao)),
            ("regra_casada", self.matched.into()),
            ("citacao_interestadual", words(self.citacao)),
            ("divergencia_interestadual", self.divergencia),
        ])
    }
}
