//! CBS and IBS: one body, two discriminators (contract, section 2.3; LC 214/2025, arts. 12, 14 to 18 and 343 to 348).
//!
//! The national rule has the rate. Without a tax classification (cClassTrib), a NCM (longest prefix first) or service
//! item on the list of differentiated regimes is a named refusal, with the candidate classifications. With one, the
//! rule of the classification answers: it reduces the rate, or says that nothing is due. From 2027 on, the IBS has two
//! rates, of the State and of the municipality (arts. 15 and 344).
//!
//! The contract answers the test year of 2026 alone. `transicao` asks for the law of a later day ([`transicao`]).

mod base;
mod classificacao;
mod destaque;
mod lista;
mod transicao;

use self::classificacao::{Chosen, chosen};
use self::destaque::{Destaque, ParcelaIbs};
use self::lista::refuse_listed;

use super::calculation::{Calculated, Calculation};
use super::entry::{LaterLaw, Tax, in_order};
use super::figures::{Money, Percent};
use super::not_given::is_named;
use super::reforma;
use crate::base::document::{Faults, Node, Object, Path, Sometimes};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Amount, ClassificacaoTributaria, Date, Figura, ItemServico, Ncm, Rate, Text, Tributo};
use crate::rule::{Axis, Chave, Condicao, Dimension, Escopo, Regra, RuleResult, ScopeSpec, require};

pub const CBS: Tributo = Tributo::new("cbs");
pub const IBS: Tributo = Tributo::new("ibs");

examples! { EXAMPLE_CBS = "cbs", EXAMPLE_IBS = "ibs" => r#"  "valor_operacao": "1000.00",
  "valor_icms": "180.00",
  "valor_iss": "0",
  "valor_pis": "13.53",
  "valor_cofins": "62.32",
  "valor_ipi": "0",
  "cumpre_obrigacoes_acessorias": true,
  "optante_simples": false,
  "data_operacao": "2026-03-10"
}"# }

taxd_base::document! {
    pub struct Payload {
        valor_operacao: Amount => ValorMaterialAusente, "Valor da operação" + ", com ICMS, ISS, PIS, COFINS e IPI incluídos e sem CBS e IBS; o Imposto Seletivo vai aqui ou no campo dele, e nunca nos dois";
        valor_icms: Amount => ValorMaterialAusente, "ICMS da operação" + ", com o retido por substituição; informe 0 se não há";
        valor_iss: Amount => ValorMaterialAusente, "ISS" + "; informe 0 se não há";
        valor_pis: Amount => ValorMaterialAusente, "PIS" + "; informe 0 se não há; extinto, não sai da base desde 2027";
        valor_cofins: Amount => ValorMaterialAusente, "COFINS" + "; informe 0 se não há; extinta, não sai da base desde 2027";
        valor_ipi: Amount => ValorMaterialAusente, "IPI destacado" + ", incluído no valor da operação; informe 0 se não há";
        cumpre_obrigacoes_acessorias: bool, "O contribuinte cumpre as obrigações acessórias" + "; dispensa o recolhimento em 2026, e só nele";
        optante_simples: bool, "O contribuinte é optante do Simples Nacional" + "; desde 2027, sem a opção pelo regime regular";
        ncm: Option<Ncm>, "NCM" + ", para a lista de regimes diferenciados";
        item_lista_servico: Option<ItemServico>, "Subitem da lista de serviços" + ", para a mesma lista";
        classificacao_tributaria: Option<ClassificacaoTributaria>, "Classificação tributária (cClassTrib)" + ", 6 dígitos, do documento fiscal";
        valor_contribuicao_iluminacao_publica: Amount = "0", "Contribuição de iluminação pública" + ", incluída no valor da operação (CF, art. 149-A)";
        valor_reembolsos: Amount = "0", "Reembolsos e ressarcimentos" + ", incluídos no valor da operação, por conta e ordem ou em nome de terceiros, com documento em nome do terceiro";
        data_operacao: Date, "Data da operação";
        transicao: bool = false, "Lei da transição" + ": com true, a data depois de 2026 é respondida pela lei dela; sem o campo, só o ano-teste tem regra";
        valor_is: Option<Amount>, "Imposto Seletivo" + ", desde 2027, se o valor da operação não o inclui; é somado à base, e só se aceita na lei da transição";
    }

    /// One reason why a code is on the list of differentiated regimes.
    pub struct Hipotese {
        reducao: Figura<Rate>, "Percentual de redução da alíquota" + "; 100.00 é alíquota zero";
        anexo: Text, "Anexo e item da lei";
        descricao: Text, "A que se aplica";
        regime_especifico: bool = false, "Imunidade ou regime específico, com base e alíquota próprias: não há redução a dizer";
        exige_descricao: bool = false, "O código sozinho não basta para o enquadramento";
        classificacoes: Vec<ClassificacaoTributaria>, "Classificações tributárias (cClassTrib) da hipótese";
    }

    pub struct Recusa {
        hipoteses: Vec<Hipotese>, "Hipóteses da lei";
    }

    /// What a tax classification makes of the operation.
    pub struct Classificacao {
        descricao: Text, "A que se aplica";
        reducao: Option<Figura<Rate>>, "Percentual de redução da alíquota" + "; ausente se não há alíquota (isenção, imunidade, não incidência, suspensão)";
        diferido: bool = false, "O recolhimento é diferido";
        lista: Option<Lista>, "Lista da lei que nomeia os produtos ou serviços" + ": todos por NCM, todos por subitem, ou alguns só por descrição";
    }

    /// Content of a `cbs` or `ibs` rule.
    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota" + "; do IBS, a estadual";
        aliquota_municipal: Option<Figura<Rate>>, "Alíquota municipal do IBS" + ", somada à estadual";
        dispensa_base_legal: Option<Text>, "Dispositivo que dispensa o recolhimento de quem cumpre as obrigações acessórias";
        recusa: Option<Recusa>, "Regime diferenciado, que não se calcula aqui";
        classificacao: Option<Classificacao>, "Tratamento da classificação tributária do escopo";
    }
}

taxd_base::vocabulary! {
    /// The list by which the law names the goods or services of a classification: all of them by NCM, all by service
    /// item, or some only by description.
    pub enum Lista {
        Ncm = "ncm" => "NCM",
        ItemListaServico = "item_lista_servico" => "Item da lista de serviços",
        Aberta = "aberta" => "Aberta",
    }
}

taxd_base::components! {
    /// What an answer of `cbs` and `ibs` shows.
    pub struct Detalhes {
        valor_destaque: Money, "A destacar" + " no documento";
        valor_devido: Money, "A recolher";
        dispensado: bool, "O recolhimento é dispensado";
        dispensa_presumida: bool, "A dispensa se apoia no que foi informado";
        motivo_dispensa: Option<Text>, "Dispositivo da dispensa";
        base_calculo: Money as Base, "Base de cálculo";
        aliquota_aplicada: Percent as Aliquota, "Alíquota" + ", antes da redução; do IBS, a soma da estadual e da municipal; zero se não há alíquota a aplicar";
        parcela_estadual: Sometimes<ParcelaIbs>, "Parcela do Estado" + ", quando o IBS tem as duas";
        parcela_municipal: Sometimes<ParcelaIbs>, "Parcela do Município" + ", quando o IBS tem as duas";
        cst: Sometimes<String>, "CST da operação" + ", os três primeiros dígitos da classificação informada";
        classificacao_tributaria: Sometimes<ClassificacaoTributaria>, "Classificação tributária" + " informada";
        percentual_reducao: Sometimes<Rate>, "Percentual de redução" + " da classificação; ausente se não há alíquota";
        aliquota_efetiva: Sometimes<Percent> as AliquotaEfetiva, "Alíquota depois da redução" + ", com duas casas; do IBS, a soma das duas";
        valor_diferido: Sometimes<Money>, "Valor diferido" + ", na classificação que difere o recolhimento";
        base_legal_classificacao: Sometimes<Text>, "Dispositivo da classificação";
        regras_auxiliares: Sometimes<Vec<Regra>>, "As outras regras de que a resposta depende" + "; ausente se não há outra";
    }
}

pub struct CbsIbs;

impl Tax for CbsIbs {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec = ScopeSpec {
        eixos: &[Axis::Ncm, Axis::NcmExceto, Axis::ItemListaServico, Axis::ClassificacaoTributaria],
        obrigatorios: &[],
        discriminador: None,
    };
    const REFUSES_UNKNOWN: bool = true;
    const LATER_LAW: Option<LaterLaw> =
        Some(LaterLaw { campo: "transicao", data: "data_operacao", desde: reforma::TRANSITION, fields: &["valor_is"] });

    fn check(p: &Payload, faults: &mut Faults) {
        transicao::check(p, faults);
    }

    fn refusal(p: &Payload) -> Option<Problem> {
        p.optante_simples.then(|| {
            let detail = "O optante do Simples Nacional não apura CBS e IBS por operação (LC 214/2025, arts. 41, § 2º, e 348, III, c). O DAS do mês se calcula em `simples_nacional`. Se desde 2027 escolheu o regime regular (art. 41, § 3º), informe não em `optante_simples`.";
            Problem::of_field(ErrorCode::OptanteSimples, "optante_simples", detail)
        })
    }

    fn check_base(p: &Payload, faults: &mut Faults) {
        base::check(p, faults);
    }

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        let parts = [c.aliquota.is_some(), c.recusa.is_some(), c.classificacao.is_some()];
        if parts.into_iter().filter(|given| *given).count() != 1 {
            let detail =
                "Informe `aliquota` (ou null, se não está estabelecida), `recusa` ou `classificacao`, uma das três.";
            faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
        }
        if c.aliquota_municipal.is_some() && c.aliquota.is_none() {
            let detail = "`aliquota_municipal` se soma a `aliquota`, a estadual: informe as duas.";
            faults.add(&at.key("aliquota_municipal"), ErrorCode::CampoObrigatorio, detail);
        }
        if c.recusa.as_ref().is_some_and(|r| r.hipoteses.is_empty()) {
            let detail = "Uma recusa precisa de ao menos uma hipótese da lei.";
            faults.add(&at.key("recusa").key("hipoteses"), ErrorCode::CampoObrigatorio, detail);
        }
    }

    fn check_regra(c: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        let by = [!escopo.ncm.is_empty(), !escopo.item_lista_servico.is_empty(), escopo.classificacao.is_some()];
        let named = by.into_iter().filter(|named| *named).count();
        let fits = match c {
            Conteudo { aliquota: Some(_), .. } => named == 0,
            Conteudo { classificacao: Some(_), .. } => named == 1 && escopo.classificacao.is_some(),
            _ => named == 1,
        };
        if !fits {
            let detail = "A alíquota é da regra nacional, de escopo vazio; a recusa é de `ncm`, de `item_lista_servico` ou de `classificacao_tributaria`, um dos três; `classificacao` é de `classificacao_tributaria`.";
            faults.add(&at.key("escopo"), ErrorCode::ValorInvalido, detail);
        }
        if escopo.item_lista_servico.iter().any(|item| item.is_desdobro()) {
            let detail = "As listas da lei vão até o subitem, N.NN: uma consulta nunca chegaria a um desdobro.";
            faults.add(&at.key("escopo").key("item_lista_servico"), ErrorCode::ItemServicoInvalido, detail);
        }
    }

    /// A specific regime has no reduction, so its null needs no reason.
    fn null_needs_motivo(campo: &str, conteudo: &Object<'_>) -> bool {
        let specific = matches!(conteudo.get("regime_especifico"), Some(Node::Bool(true)));
        campo != "reducao" || !specific
    }

    fn is_of_test_year(conteudo: &Object<'_>) -> bool {
        conteudo.get("dispensa_base_legal").is_some_and(|provision| *provision != Node::Null)
    }

    fn product(p: &Payload) -> Option<(&Ncm, Date)> {
        Some((p.ncm.as_ref()?, p.data_operacao))
    }

    fn calculate(tributo: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let answer = by_law_of_the_day(tributo, p, calculation);
        if p.transicao || !reforma::is_after_test_year(p.data_operacao) {
            return answer;
        }
        Err(transicao::not_asked(tributo, p, in_order::<CbsIbs, _>(p, answer)))
    }
}

/// The answer by the rules of the day, whether the payload asks for their law or not.
fn by_law_of_the_day(
    tributo: Tributo,
    p: &Payload,
    calculation: &mut Calculation<'_>,
) -> RuleResult<Calculated<Detalhes>> {
    let national = Chave::of(tributo);
    let regra = require(calculation.regras, std::slice::from_ref(&national), p.data_operacao)?;
    let chosen = match p.classificacao_tributaria {
        Some(codigo) => {
            calculation.uses(&regra);
            Some(chosen(codigo, &national, p, calculation)?)
        }
        None => {
            refuse_listed(&national, p, calculation)?;
            note_not_given(&national, p, calculation)?;
            None
        }
    };
    // The general rule says of benefits that they are looked up if the payload names goods or a service: it does.
    if p.ncm.is_some() || p.item_lista_servico.is_some() {
        calculation.leave_out(Condicao::Beneficio);
    }
    if let Some(suggestion) = p.item_lista_servico.and_then(ItemServico::suggestion) {
        calculation.warn(Condicao::Campo, suggestion);
    }
    let conteudo = regra.conteudo::<Conteudo>()?;
    base::note_not_deducted(p, calculation);
    let base = calculation.step("base_calculo", &regra.citacao_legal, base::written(p, calculation))?;
    let destaque = Destaque::of(&regra, conteudo, chosen.as_ref(), &base.exact, calculation)?;
    let waiver = conteudo.dispensa_base_legal.as_ref().filter(|_| p.cumpre_obrigacoes_acessorias);
    let (ground, due) = match waiver {
        Some(legal) => (legal, calculation.formula(0).noting(|| "recolhimento dispensado".to_owned())),
        None => (&regra.citacao_legal, calculation.formula(destaque.valor)),
    };
    let valor = calculation.step("valor_devido", ground, due)?.shown;
    let detalhes = Detalhes {
        valor_destaque: destaque.valor,
        valor_devido: valor,
        dispensado: waiver.is_some(),
        // Only the caller says that the duties are met.
        dispensa_presumida: waiver.is_some(),
        motivo_dispensa: waiver.cloned(),
        base_calculo: base.shown,
        aliquota_aplicada: destaque.aliquota,
        parcela_estadual: Sometimes(destaque.estadual),
        parcela_municipal: Sometimes(destaque.municipal),
        cst: Sometimes(p.classificacao_tributaria.map(|codigo| codigo.cst().to_owned())),
        classificacao_tributaria: Sometimes(p.classificacao_tributaria),
        percentual_reducao: Sometimes(chosen.as_ref().and_then(|chosen| chosen.reducao)),
        aliquota_efetiva: Sometimes(chosen.as_ref().map(|_| destaque.efetiva)),
        valor_diferido: Sometimes(destaque.diferido),
        base_legal_classificacao: Sometimes(chosen.as_ref().map(|chosen| chosen.regra.citacao_legal.clone())),
        regras_auxiliares: Sometimes(calculation.regras_auxiliares()),
    };
    let regra = chosen.map_or(regra, |chosen: Chosen| chosen.regra);
    Ok(Calculated { valor, regra, detalhes })
}

/// Says that the fields that were not given lead to the list of differentiated regimes, or to a classification.
fn note_not_given(national: &Chave, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<()> {
    let data = p.data_operacao;
    if p.ncm.is_none() && p.item_lista_servico.is_none() {
        let by_ncm = is_named(calculation, national, Dimension::Ncm, data)?;
        let by_item = is_named(calculation, national, Dimension::Item, data)?;
        match (by_ncm, by_item) {
            (true, true) => {
                calculation.not_given("`ncm` ou `item_lista_servico`", ["por ", "NCM e por item da lista de serviços"]);
            }
            (true, false) => calculation.not_given("`ncm`", ["por ", "NCM"]),
            (false, true) => calculation.not_given("`item_lista_servico`", ["por ", "item da lista de serviços"]),
            (false, false) => {}
        }
    }
    if is_named(calculation, national, Dimension::Palavra, data)? {
        calculation.not_given("`classificacao_tributaria`", ["por ", "classificação tributária (cClassTrib)"]);
    }
    Ok(())
}
