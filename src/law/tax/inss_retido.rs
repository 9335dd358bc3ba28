//! What the taker of labour, or of work by contract, withholds for the social security of the provider (Lei 8.212/1991, art.
//! 31; IN RFB 2.110/2022, arts. 110 to 122, 166 and 167).
//!
//! The services are lists that the norm calls exhaustive (art. 113): those of art. 111 also by contract for work, those of
//! art. 112 by supply of labour alone.

use super::calculation::{Calculated, Calculation};
use super::entry::{Condition, FieldValue, Tax};
use super::retencao::{self, Conteudo, Detalhes, RegimePrestador, Tomador};
use crate::base::document::{Faults, Path, Words};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Date, Exact, Tributo};
use crate::rule::{Chave, Discriminator, Escopo, RuleResult, ScopeSpec, require};

pub const INSS_RETIDO: Tributo = Tributo::new("inss_retido");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "inss_retido",
  "servico_cedido": "limpeza",
  "forma_contratacao": "cessao_mao_de_obra",
  "valor_nota": "10000.00",
  "regime_prestador": "lucro_presumido",
  "tomador": "pessoa_juridica",
  "data": "2026-04-15"
}"#;

taxd_base::vocabulary! {
    /// Services of arts. 111 and 112.
    pub enum ServicoCedido {
        Limpeza = "limpeza" => "Limpeza",
        LimpezaHospitalar = "limpeza_hospitalar" => "Limpeza hospitalar",
        VigilanciaSeguranca = "vigilancia_seguranca" => "Vigilância ou segurança",
        ConstrucaoCivil = "construcao_civil" => "Construção civil",
        NaturezaRural = "natureza_rural" => "Serviço de natureza rural",
        DigitacaoDados = "digitacao_dados" => "Digitação ou preparação de dados",
        TransportePassageiros = "transporte_passageiros" => "Transporte de passageiros",
        OutroDoArt112 = "outro_do_art_112" => "Outro serviço do art. 112 da IN RFB 2.110/2022",
        ForaDasListas = "fora_das_listas" => "Serviço que nenhuma dessas listas tem",
    }

    pub enum FormaContratacao {
        CessaoMaoDeObra = "cessao_mao_de_obra" => "Cessão de mão de obra ou trabalho temporário",
        Empreitada = "empreitada" => "Empreitada, salvo a total",
        EmpreitadaTotal = "empreitada_total" => "Empreitada total",
        EmpreitadaNaContratada = "empreitada_na_contratada" => "Empreitada nas dependências da contratada",
        TrabalhadorAvulso = "trabalhador_avulso" => "Trabalhador avulso, por sindicato ou Ogmo",
        SemCessao = "sem_cessao" => "Sem cessão de mão de obra nem empreitada",
    }

    /// What contract and invoice say of material and equipment.
    pub enum Material {
        SemMaterial = "sem_material" => "Sem material, ou sem valor na nota",
        ValorNoContrato = "valor_no_contrato" => "Com valor no contrato e na nota",
        ValorSoNaNota = "valor_so_na_nota" => "Previsto no contrato, com valor só na nota",
    }
}

const SERVICO: Discriminator = Discriminator { campo: "servico_cedido", palavras: Words::bare(ServicoCedido::WORDS) };

taxd_base::document! {
    pub struct Payload {
        servico_cedido: ServicoCedido, "Serviço, como a norma da retenção o lista";
        forma_contratacao: FormaContratacao, "Como o serviço foi contratado";
        valor_nota: Amount, "Valor bruto da nota fiscal";
        material_fornecido: Material = "sem_material", "Material e equipamento, exceto os manuais";
        valor_material: Option<Amount>, "Valor do material e do equipamento na nota";
        alimentacao_transporte: Amount = "0", "Alimentação e vale-transporte discriminados na nota";
        regime_prestador: RegimePrestador, "Regime do prestador, pessoa jurídica";
        anexo_iv: Option<bool>, "O prestador do Simples Nacional é tributado pelo Anexo IV neste serviço";
        contribui_cprb: bool = false, "O prestador contribui sobre a receita bruta (CPRB)";
        dispensa_declarada: bool = false, "O prestador entregou a declaração do art. 115, II ou III" + ": sem empregados e de faturamento pequeno, ou profissão regulamentada exercida só pelos sócios";
        tomador: Tomador, "Quem paga";
        data: Date, "Data de emissão da nota fiscal";
    }
}

/// The refusal if the contract has material and its amount is missing.
const SEM_VALOR: &str = "Informe `valor_material`, o valor do material e do equipamento na nota; sem valor na nota, a base é o valor bruto: use `sem_material`.";

impl Payload {
    /// The material and equipment of the invoice, if the service has some.
    fn material(&self) -> Option<Amount> {
        self.valor_material.filter(|_| self.material_fornecido != Material::SemMaterial)
    }
}

pub struct InssRetido;

impl Tax for InssRetido {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec = ScopeSpec { eixos: &[], obrigatorios: &[], discriminador: Some(SERVICO) };
    const CONDITIONS: &'static [Condition] = &[
        of_material(Material::ValorNoContrato),
        of_material(Material::ValorSoNaNota),
        Condition {
            campo: "regime_prestador",
            equals: FieldValue::Word(RegimePrestador::SimplesNacional.as_str()),
            requires: "anexo_iv",
            codigo: ErrorCode::CampoObrigatorio,
            detail: "Do prestador do Simples Nacional, informe `anexo_iv`: só o do Anexo IV sofre a retenção.",
        },
    ];

    fn check_base(p: &Payload, faults: &mut Faults) {
        let material = p.material().map_or(Exact::ZERO, Amount::exact);
        if (p.valor_nota.exact() - material - p.alimentacao_transporte.exact()).is_negative() != Ok(false) {
            let detail = "O material e as deduções não podem passar do valor da nota: a base ficaria negativa.";
            faults.add(&Path::ROOT.key("valor_nota"), ErrorCode::BaseNegativa, detail);
        }
    }

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        retencao::check::<Payload>(c, at, faults);
        if c.base_minima.is_some() == c.sem_retencao.is_some() {
            let detail = "Uma regra com `aliquota` precisa de `base_minima`, e uma sem retenção não a usa.";
            faults.add(&at.key("base_minima"), ErrorCode::CampoObrigatorio, detail);
        }
    }

    fn check_regra(_: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        retencao::check_escopo(&SERVICO, escopo, at, faults);
    }

    fn calculate(tributo: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let own = Chave { palavra: SERVICO.palavra(p.servico_cedido.as_str()), ..Chave::of(tributo) };
        let regra = require(calculation.regras, &[own], p.data)?;
        let yes_or_no = |flag: bool| if flag { "true" } else { "false" };
        let is_simples = p.regime_prestador == RegimePrestador::SimplesNacional;
        let facts = [
            ("regime_prestador", p.regime_prestador.as_str()),
            ("anexo_iv", p.anexo_iv.filter(|_| is_simples).map_or("", yes_or_no)),
            ("contribui_cprb", yes_or_no(p.contribui_cprb)),
            ("dispensa_declarada", yes_or_no(p.dispensa_declarada)),
            ("tomador", p.tomador.as_str()),
            ("forma_contratacao", p.forma_contratacao.as_str()),
        ];
        let gross = calculation.formula(p.valor_nota);
        let mut base = gross.clone();
        if let Some(material) = p.material() {
            base = base - material;
        }
        if let Some(least) =
            regra.conteudo::<Conteudo>()?.base_minima.filter(|_| p.material_fornecido == Material::ValorSoNaNota)
        {
            base = base.max(&(gross * regra.figura("base_minima", least)?))?;
        }
        if !p.alimentacao_transporte.decimal().is_zero() {
            base = base - p.alimentacao_transporte;
        }
        retencao::withhold(&regra, base, &facts, calculation)
    }
}

const fn of_material(material: Material) -> Condition {
    Condition {
        campo: "material_fornecido",
        equals: FieldValue::Word(material.as_str()),
        requires: "valor_material",
        codigo: ErrorCode::CampoObrigatorio,
        detail: SEM_VALOR,
    }
}
