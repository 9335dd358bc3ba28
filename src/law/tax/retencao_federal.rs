//! What a legal entity withholds of income tax and of CSLL, PIS and COFINS when it pays another one for a service (RIR/2018,
//! arts. 714 to 716; Lei 10.833/2003, arts. 30 to 32; until 2026 three contributions together, and CSLL alone from 2027 by
//! LC 214/2025, art. 509).
//!
//! The law lists services by profession and kind, not by the list of LC 116/2003, so the payload names the service of the
//! law. The rule of that word answers.

use super::calculation::{Calculated, Calculation};
use super::entry::Tax;
use super::retencao::{self, Conteudo, Detalhes, RegimePrestador, Tomador};
use crate::base::document::{Faults, Path, Words};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Date, ItemServico, Tributo};
use crate::rule::{Chave, Condicao, Discriminator, Escopo, RuleResult, ScopeSpec, require};

pub const IRRF_SERVICOS: Tributo = Tributo::new("irrf_servicos");
pub const CSLL_RETIDA: Tributo = Tributo::new("csll_retida");
pub const PIS_RETIDO: Tributo = Tributo::new("pis_retido");
pub const COFINS_RETIDA: Tributo = Tributo::new("cofins_retida");

examples! {
    EXAMPLE_IRRF = "irrf_servicos", EXAMPLE_CSLL = "csll_retida", EXAMPLE_PIS = "pis_retido", EXAMPLE_COFINS = "cofins_retida"
    => r#"  "natureza_servico": "servicos_contabeis",
  "item_lista_servico": "17.19",
  "valor_servico": "10000.00",
  "regime_prestador": "lucro_presumido",
  "tomador": "pessoa_juridica",
  "data_pagamento": "2026-04-15"
}"#
}

taxd_base::vocabulary! {
    /// Services as the laws of the withholdings list them.
    pub enum NaturezaServico {
        AdministracaoBens = "administracao_bens" => "Administração de bens ou negócios",
        Advocacia = "advocacia" => "Serviços advocatícios",
        AnaliseClinica = "analise_clinica" => "Análise clínica laboratorial",
        AnalisesTecnicas = "analises_tecnicas" => "Análises técnicas",
        Arquitetura = "servicos_arquitetura" => "Arquitetura",
        AssessoriaTecnica = "assessoria_tecnica" => "Assessoria e consultoria técnica",
        AssistenciaSocial = "assistencia_social" => "Assistência social",
        Auditoria = "auditoria" => "Auditoria",
        AvaliacaoPericia = "avaliacao_pericia" => "Avaliação e perícia",
        Biologia = "biologia_biomedicina" => "Biologia e biomedicina",
        Calculo = "calculo" => "Cálculo em geral",
        Consultoria = "consultoria_em_geral" => "Consultoria",
        Contabilidade = "servicos_contabeis" => "Contabilidade",
        DesenhoTecnico = "desenho_tecnico" => "Desenho técnico",
        Economia = "economia" => "Economia",
        ElaboracaoProjetos = "elaboracao_projetos" => "Elaboração de projetos",
        Engenharia = "engenharia_sem_obra" => "Engenharia, sem obra de estrada, ponte ou prédio",
        Ensino = "ensino_treinamento" => "Ensino e treinamento",
        Estatistica = "estatistica" => "Estatística",
        Fisioterapia = "fisioterapia" => "Fisioterapia",
        Fonoaudiologia = "fonoaudiologia" => "Fonoaudiologia",
        Geologia = "geologia" => "Geologia",
        Leilao = "leilao" => "Leilão",
        Medicina = "medicina_fora_de_hospital" => "Medicina, fora de hospital, pronto-socorro, ambulatório, casa de saúde ou banco de sangue",
        Nutricao = "nutricao" => "Nutricionismo e dietética",
        Odontologia = "servicos_odontologia" => "Odontologia",
        OrganizacaoFeiras = "organizacao_feiras" => "Organização de feiras, congressos e seminários",
        Pesquisa = "pesquisa" => "Pesquisa em geral",
        Planejamento = "planejamento" => "Planejamento",
        Programacao = "programacao" => "Programação",
        Protese = "protese" => "Prótese em geral",
        Psicologia = "psicologia_psicanalise" => "Psicologia e psicanálise",
        Quimica = "quimica" => "Química",
        Radiologia = "radiologia" => "Radiologia e radioterapia",
        RelacoesPublicas = "relacoes_publicas" => "Relações públicas",
        Despachante = "despachante" => "Serviços de despachante",
        TerapiaOcupacional = "terapia_ocupacional" => "Terapêutica ocupacional",
        Traducao = "traducao" => "Tradução ou interpretação comercial",
        Urbanismo = "urbanismo" => "Urbanismo",
        Veterinaria = "veterinaria" => "Medicina veterinária",
        Limpeza = "limpeza" => "Limpeza",
        Conservacao = "conservacao" => "Conservação de bens imóveis",
        Manutencao = "manutencao" => "Manutenção",
        Seguranca = "seguranca" => "Segurança",
        Vigilancia = "vigilancia" => "Vigilância",
        TransporteValores = "transporte_valores" => "Transporte de valores",
        LocacaoMaoDeObra = "locacao_mao_de_obra" => "Locação de mão de obra",
        AssessoriaCrediticia = "assessoria_crediticia" => "Assessoria creditícia, gestão de crédito ou de contas",
        ComissaoCorretagem = "comissao_corretagem" => "Comissão, corretagem ou representação comercial",
        Publicidade = "publicidade" => "Propaganda e publicidade",
        ForaDasListas = "fora_das_listas" => "Serviço que nenhuma dessas listas tem",
    }
}

const NATUREZA: Discriminator =
    Discriminator { campo: "natureza_servico", palavras: Words::bare(NaturezaServico::WORDS) };

taxd_base::document! {
    pub struct Payload {
        natureza_servico: NaturezaServico, "Serviço, como a lei da retenção o lista";
        item_lista_servico: Option<ItemServico>, "Subitem da lista de serviços" + ", como 17.19; com ele, a resposta avisa se não costuma ser o serviço informado";
        valor_servico: Amount, "Valor bruto pago pelo serviço";
        regime_prestador: RegimePrestador, "Regime do prestador, pessoa jurídica";
        tomador: Tomador, "Quem paga";
        data_pagamento: Date, "Data do pagamento" + "; no IRRF, a do crédito, se veio antes";
    }
}

pub struct RetencaoFederal;

impl Tax for RetencaoFederal {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec = ScopeSpec { eixos: &[], obrigatorios: &[], discriminador: Some(NATUREZA) };

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        retencao::check::<Payload>(c, at, faults);
        if c.base_minima.is_some() {
            faults.add(&at.key("base_minima"), ErrorCode::ValorInvalido, "Só a retenção do INSS tem `base_minima`.");
        }
    }

    fn check_regra(_: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        retencao::check_escopo(&NATUREZA, escopo, at, faults);
    }

    fn calculate(tributo: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let word = p.natureza_servico.as_str();
        let own = Chave { palavra: NATUREZA.palavra(word), ..Chave::of(tributo) };
        let regra = require(calculation.regras, &[own], p.data_pagamento)?;
        let correlatos = &regra.conteudo::<Conteudo>()?.correlatos;
        let usual = correlatos.iter().find(|c| c.servico.as_str() == word).map(|c| &c.itens);
        if let Some((item, usual)) = p.item_lista_servico.zip(usual).filter(|(item, usual)| !usual.contains(item)) {
            let listed = usual.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let sentence = format!(
                "O subitem {item} não costuma ser o serviço informado, que costuma ser {listed}: confira um dos dois."
            );
            calculation.warn(Condicao::Campo, sentence);
        }
        let facts = [("regime_prestador", p.regime_prestador.as_str()), ("tomador", p.tomador.as_str())];
        let base = calculation.formula(p.valor_servico);
        retencao::withhold(&regra, base, &facts, calculation)
    }
}
