//! The ISS that the taker of a service withholds (LC 116/2003, arts. 3º, 6º, 8º and 8º-A; LC 123/2006, art. 21, § 4º).
//!
//! The national law names the taker responsible for a few subitems, and for services from abroad. For the others it leaves
//! the choice to the law of the municipality, which the request declares. The rate is that of the `iss` rule of the
//! municipality, unless the invoice has one.

use super::calculation::{Calculated, Calculation};
use super::entry::{Condition, FieldValue, Tax};
use super::figures::Money;
use super::iss::{self, ISS, Iss, Regime};
use super::retencao::{CasoTratado, RegimePrestador, Tomador, treated};
use crate::base::document::{Faults, Path, Sometimes};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, CodigoTributacaoNacional, Date, ItemServico, Municipio, Rate, Text, Tributo, Uf};
use crate::rule::{Axis, Chave, Condicao, Regra, RuleResult, ScopeSpec, require};

pub const ISS_RETIDO: Tributo = Tributo::new("iss_retido");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "iss_retido",
  "uf": "SP",
  "municipio": "São Paulo",
  "item_lista_servico": "11.02",
  "preco_servico": "10000.00",
  "regime_prestador": "lucro_presumido",
  "tomador": "pessoa_juridica",
  "data": "2026-04-15"
}"#;

taxd_base::vocabulary! {
    /// The place to which the ISS is due.
    pub enum LocalDevido {
        Prestador = "estabelecimento_prestador" => "Estabelecimento do prestador",
        Execucao = "local_execucao" => "Local da execução",
        Tomador = "estabelecimento_tomador" => "Estabelecimento ou domicílio do tomador",
    }
}

taxd_base::document! {
    pub struct Payload {
        uf: Uf, "UF do município";
        municipio: Municipio, "Município onde o imposto é devido" + " (na construção civil, o da obra)";
        item_lista_servico: ItemServico, "Subitem da lista de serviços" + ", como 1.07";
        codigo_tributacao_nacional: Option<CodigoTributacaoNacional>, "Código de tributação nacional da NFS-e (cTribNac)" + ", se a alíquota depende do desdobro do subitem";
        preco_servico: Amount, "Preço do serviço";
        aliquota_nota: Option<Rate>, "Alíquota que a nota informa" + "; sem ela, a da regra de ISS do município; obrigatória do prestador do Simples Nacional";
        regime_prestador: RegimePrestador, "Regime do prestador, pessoa jurídica";
        prestador_no_exterior: bool = false, "O serviço vem do exterior ou lá começou";
        tomador: Tomador, "Quem paga";
        lei_municipal_retem: Option<bool>, "A lei do município manda o tomador reter" + "; decide onde a lei complementar não obriga";
        data: Date, "Data da prestação";
    }

    pub struct Conteudo {
        local: LocalDevido, "Onde o imposto é devido";
        local_base_legal: Text, "Dispositivo do local";
        responsavel_base_legal: Option<Text>, "Dispositivo que faz responsável a pessoa jurídica tomadora" + "; ausente se a lei complementar não a faz";
        exterior_base_legal: Text, "Dispositivo do serviço que vem do exterior";
        lei_municipal_base_legal: Text, "Dispositivo que deixa a escolha ao município";
        aliquota_minima: Option<Rate>, "Menor alíquota";
        aliquota_maxima: Rate, "Maior alíquota";
        tratamentos: Vec<CasoTratado>, "Casos em que nada é retido, ou em que outra norma responde" + ", na ordem em que são vistos";
    }
}

taxd_base::components! {
    pub struct Detalhes {
        retido: bool, "O tomador retém";
        preco_servico: Money as Base, "Preço do serviço";
        aliquota_aplicada: Option<Rate> as Aliquota, "Alíquota" + "; nulo se nada é retido";
        fundamento: Text, "Por que o tomador retém ou não, com o dispositivo";
        local_devido: LocalDevido, "Onde o imposto é devido";
        local_base_legal: Text, "Dispositivo do local";
        item_lista_servico: String, "Subitem da lista de serviços";
        municipio: &'static str, "Município" + ", na grafia oficial";
        regras_auxiliares: Sometimes<Vec<Regra>>, "As outras regras de que a resposta depende" + "; ausente se não há outra";
    }
}

pub struct IssRetido;

impl Tax for IssRetido {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec = ScopeSpec { eixos: &[Axis::ItemListaServico], obrigatorios: &[], discriminador: None };
    const CONDITIONS: &'static [Condition] = &[Condition {
        campo: "regime_prestador",
        equals: FieldValue::Word(RegimePrestador::SimplesNacional.as_str()),
        requires: "aliquota_nota",
        codigo: ErrorCode::CampoObrigatorio,
        detail: "Do prestador do Simples Nacional retém-se a alíquota efetiva de ISS que a nota informa (LC 123/2006, art. 21, § 4º, I): informe `aliquota_nota`; se a nota não traz nenhuma, é a do inciso V.",
    }];

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        super::retencao::check_tratamentos::<Payload>(&c.tratamentos, at, faults);
    }

    fn calculate(tributo: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let national = Chave::of(tributo);
        let of_item = Chave { item: Some(p.item_lista_servico), ..national.clone() };
        let regra = require(calculation.regras, &[of_item, national], p.data)?;
        let conteudo = regra.conteudo::<Conteudo>()?;
        let facts = [("tomador", p.tomador.as_str()), ("regime_prestador", p.regime_prestador.as_str())];
        let (retido, fundamento) = match treated(&regra, &conteudo.tratamentos, &facts)? {
            Some(base_legal) => (false, base_legal),
            None => responsible(p, &regra, conteudo)?,
        };
        let rate = if retido { Some(rate(p, &regra, conteudo, calculation)?) } else { None };
        let due = match rate {
            Some(rate) => calculation.formula(p.preco_servico) * rate,
            None => calculation.formula(0).noting(|| fundamento.as_str().to_owned()),
        };
        let valor = calculation.step("valor", &regra.citacao_legal, due)?.shown;
        let detalhes = Detalhes {
            retido,
            preco_servico: Money::rounded(p.preco_servico.exact())?,
            aliquota_aplicada: rate,
            fundamento,
            local_devido: conteudo.local,
            local_base_legal: conteudo.local_base_legal.clone(),
            item_lista_servico: p.item_lista_servico.to_string(),
            municipio: p.municipio.name(),
            regras_auxiliares: Sometimes(calculation.regras_auxiliares()),
        };
        Ok(Calculated { valor, regra: regra.clone(), detalhes })
    }
}

/// True if the taker withholds, and the legal ground of either. Refuses if the law of the municipality decides, and the
/// request does not say what it is.
fn responsible(p: &Payload, regra: &Regra, conteudo: &Conteudo) -> RuleResult<(bool, Text)> {
    let is_entity = !matches!(p.tomador, Tomador::PessoaFisica | Tomador::Condominio);
    if p.prestador_no_exterior {
        return Ok((true, conteudo.exterior_base_legal.clone()));
    }
    if let Some(base_legal) = conteudo.responsavel_base_legal.as_ref().filter(|_| is_entity) {
        return Ok((true, base_legal.clone()));
    }
    let left_open = &conteudo.lei_municipal_base_legal;
    let Some(withholds) = p.lei_municipal_retem else {
        let detail = format!(
            "A lei complementar não obriga o tomador a reter neste caso; a lei do município pode obrigar ({}): informe `lei_municipal_retem`.",
            left_open.as_str()
        );
        return Err(regra.refusal_of_field(ErrorCode::CampoObrigatorio, "lei_municipal_retem", detail));
    };
    Ok((withholds, left_open.clone()))
}

/// The rate on the invoice, if it is within the bounds of the law, or that of the `iss` rule of the municipality.
fn rate(p: &Payload, regra: &Regra, c: &Conteudo, calculation: &mut Calculation<'_>) -> RuleResult<Rate> {
    let Some(declared) = p.aliquota_nota else {
        let asked = iss::Payload {
            uf: p.uf,
            municipio: p.municipio,
            item_lista_servico: p.item_lista_servico,
            codigo_tributacao_nacional: p.codigo_tributacao_nacional,
            preco_servico: p.preco_servico,
            data: p.data,
            regime: Regime::Normal,
            numero_profissionais: None,
        };
        let municipal = Iss::calculate(ISS, &asked, calculation).map_err(|mut problem| {
            problem.detail.add("Com a alíquota da nota, informe `aliquota_nota`.");
            problem
        })?;
        calculation.uses(&municipal.regra);
        calculation.relay(&municipal.regra);
        return municipal.detalhes.aliquota_aplicada.ok_or_else(|| municipal.regra.sem_conteudo("aliquota"));
    };
    calculation.enter_transition::<iss::Conteudo>(ISS, p.data)?;
    if calculation.is_in_transition() {
        let sentence =
            "A lei reduz as alíquotas de ISS de 2029 a 2032: foi usada a da nota, que deve ser a já reduzida.";
        calculation.warn(Condicao::Campo, sentence);
    }
    let lowest = c.aliquota_minima.filter(|_| !calculation.is_in_transition());
    if declared > c.aliquota_maxima || lowest.is_some_and(|lowest| declared < lowest) {
        let from = lowest.map_or_else(|| "0".to_owned(), |lowest| lowest.to_string());
        let detail =
            format!("A alíquota vai de {from} a {} (LC 116/2003, arts. 8º, II, e 8º-A): corrija-a.", c.aliquota_maxima);
        return Err(regra.refusal_of_field(ErrorCode::ForaDoIntervalo, "aliquota_nota", detail));
    }
    Ok(declared)
}
