//! The Anexo of an activity (LC 123/2006, art. 18, §§ 4º to 5º-M; Resolução CGSN 140/2018, art. 25, § 1º).

use super::Anexo;
use crate::base::value::Date;

taxd_base::vocabulary! {
    /// Activities, by the Anexo that the law gives them.
    pub enum Atividade {
        Revenda = "revenda_mercadorias" => "Revenda de mercadorias",
        ManipulacaoPronta = "farmacia_manipulacao_pronta" => "Farmácia de manipulação, sem encomenda",
        Industria = "venda_industrializados" => "Venda de mercadorias industrializadas pelo contribuinte",
        CorretagemImoveis = "corretagem_imoveis" => "Corretagem de imóveis e serviços vinculados à locação de imóveis",
        LocacaoMoveis = "locacao_bens_moveis" => "Locação de bens móveis",
        ManipulacaoEncomenda = "farmacia_manipulacao_encomenda" => "Farmácia de manipulação sob encomenda",
        Ensino = "ensino" => "Creche, ensino infantil a médio, técnico, línguas, artes e escolas livres",
        Correios = "agencia_correios" => "Agência terceirizada de correios",
        Viagem = "agencia_viagem" => "Agência de viagem e turismo",
        Autoescola = "autoescola" => "Centro de formação de condutores",
        Loterica = "agencia_loterica" => "Agência lotérica",
        Reparos = "instalacao_reparos" => "Instalação, reparos, manutenção, usinagem, solda e tratamento de metais",
        TransporteMunicipal = "transporte_municipal" => "Transporte municipal",
        Contabilidade = "contabilidade" => "Escritório de serviços contábeis",
        ProducaoCultural = "producao_cultural" => "Produção cinematográfica, audiovisual, artística e cultural",
        CorretagemSeguros = "corretagem_seguros" => "Corretagem de seguros",
        OutrosServicos = "outros_servicos" => "Outros serviços, que não são atividade intelectual",
        Construcao = "construcao" => "Construção de imóveis, obras de engenharia, paisagismo e decoração",
        Limpeza = "vigilancia_limpeza" => "Vigilância, limpeza ou conservação",
        Advocacia = "advocacia" => "Serviços advocatícios",
        Fisioterapia = "fisioterapia" => "Fisioterapia",
        Arquitetura = "arquitetura" => "Arquitetura e urbanismo",
        Medicina = "medicina" => "Medicina, inclusive laboratorial, e enfermagem",
        Odontologia = "odontologia" => "Odontologia e prótese dentária",
        Psicologia = "psicologia" => "Psicologia, terapia ocupacional, acupuntura, podologia, fonoaudiologia, nutrição, vacinação e bancos de leite",
        AdministracaoImoveis = "administracao_imoveis" => "Administração e locação de imóveis de terceiros",
        Academia = "academia" => "Academias de dança, artes marciais, atividades físicas e esportes",
        Programas = "programas_computador" => "Elaboração de programas de computador",
        Licenciamento = "licenciamento_programas" => "Licenciamento de programas de computador",
        Paginas = "paginas_eletronicas" => "Páginas eletrônicas",
        Estandes = "montagem_estandes" => "Montagem de estandes para feiras",
        AnalisesClinicas = "analises_clinicas" => "Laboratórios de análises clínicas",
        Imagem = "diagnostico_imagem" => "Tomografia e diagnóstico por imagem",
        Protese = "protese" => "Prótese em geral",
        Veterinaria = "veterinaria" => "Medicina veterinária",
        Despachantes = "despachantes" => "Comissaria, despachantes, tradução e interpretação",
        Engenharia = "engenharia" => "Engenharia, medição, cartografia, topografia, geologia, testes, pesquisa, design, desenho e agronomia",
        Representacao = "representacao_comercial" => "Representação comercial e intermediação de negócios",
        Pericia = "pericia_leilao" => "Perícia, leilão e avaliação",
        Consultoria = "consultoria" => "Auditoria, economia, consultoria, gestão, organização, controle e administração",
        Jornalismo = "jornalismo_publicidade" => "Jornalismo e publicidade",
        Agenciamento = "agenciamento" => "Agenciamento, exceto de mão de obra",
        OutrosIntelectuais = "outros_intelectuais" => "Outros serviços intelectuais, técnicos, científicos, desportivos, artísticos ou culturais",
        TransporteComunicacao = "transporte_intermunicipal_comunicacao" => "Transporte intermunicipal e interestadual, e comunicação",
        IpiIss = "ipi_e_iss" => "Atividade com IPI e ISS ao mesmo tempo",
        Mei = "mei" => "Microempreendedor individual (MEI)",
    }
}

/// How the law taxes an activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnexoDaAtividade {
    /// Whatever the payroll is.
    Por(Anexo),
    /// By Anexo III, without the share of the ISS.
    SemIss,
    /// By Anexo III or V, as the payroll says.
    FatorR,
    /// In a way that was not read, or that is not by one Anexo: why, and what to do.
    Recusado(&'static str),
}

/// First day of the Anexos of LC 214/2025, arts. 517 and 519.
pub const REFORMA: Date = Date::first_of(2027);

const MISTO: &str = "A lei soma percentuais de dois Anexos nesta atividade (LC nº 123/2006, art. 18, §§ 4º, VI, e 5º-E), o que não se calcula aqui: apure no PGDAS-D.";
const DO_MEI: &str =
    "O MEI recolhe valores fixos (LC nº 123/2006, art. 18-A), que não se calculam aqui: emita o DAS no PGMEI.";
const INDUSTRIA: &str = "Desde 2027 a indústria segue o Anexo I, e o Anexo II só os produtos em que o IPI foi mantido (LC nº 123/2006, art. 18, §§ 4º e 5º, na redação da LC nº 214/2025, art. 517): informe `anexo` em vez da atividade.";

// Where the law places each activity.
const REVENDA: &str = "LC nº 123/2006, art. 18, § 4º, I; Resolução CGSN nº 140/2018, art. 25, § 1º, I";
const MANIPULACAO_PRONTA: &str = "LC nº 123/2006, art. 18, § 4º, VII, b; Resolução CGSN nº 140/2018, art. 25, § 2º, II";
const INDUSTRIA_LEI: &str = "LC nº 123/2006, art. 18, § 4º, II; Resolução CGSN nº 140/2018, art. 25, § 1º, II";
const LOCACAO: &str = "LC nº 123/2006, art. 18, § 4º, V; Resolução CGSN nº 140/2018, art. 25, § 1º, VI";
const MANIPULACAO: &str = "LC nº 123/2006, art. 18, § 4º, VII, a; Resolução CGSN nº 140/2018, art. 25, § 2º, I";
const ANEXO_III: &str =
    "LC nº 123/2006, art. 18, §§ 4º, III, 5º-B e 5º-F; Resolução CGSN nº 140/2018, art. 25, § 1º, III";
const CONTABILIDADE: &str =
    "LC nº 123/2006, art. 18, §§ 5º-B, XIV, e 22-A; Resolução CGSN nº 140/2018, art. 25, § 1º, VIII";
const ANEXO_IV: &str = "LC nº 123/2006, art. 18, § 5º-C; Resolução CGSN nº 140/2018, art. 25, § 1º, IV";
const FATOR_R: &str = "LC nº 123/2006, art. 18, §§ 5º-B, 5º-D, 5º-I a 5º-K, 5º-M e 24; Resolução CGSN nº 140/2018, arts. 25, § 1º, V, e 26";

impl Atividade {
    /// What the law of the day says, and where.
    pub(super) fn enquadramento(self, data: Date) -> (AnexoDaAtividade, &'static str) {
        use AnexoDaAtividade::{FatorR, Por, Recusado, SemIss};
        use Atividade as A;
        match self {
            A::Revenda => (Por(Anexo::I), REVENDA),
            A::ManipulacaoPronta => (Por(Anexo::I), MANIPULACAO_PRONTA),
            A::Industria if data >= REFORMA => (Recusado(INDUSTRIA), ""),
            A::Industria => (Por(Anexo::II), INDUSTRIA_LEI),
            A::LocacaoMoveis => (SemIss, LOCACAO),
            A::ManipulacaoEncomenda => (Por(Anexo::Iii), MANIPULACAO),
            A::CorretagemImoveis
            | A::Ensino
            | A::Correios
            | A::Viagem
            | A::Autoescola
            | A::Loterica
            | A::Reparos
            | A::TransporteMunicipal
            | A::ProducaoCultural
            | A::CorretagemSeguros
            | A::OutrosServicos => (Por(Anexo::Iii), ANEXO_III),
            A::Contabilidade => (Por(Anexo::Iii), CONTABILIDADE),
            A::Construcao | A::Limpeza | A::Advocacia => (Por(Anexo::IV), ANEXO_IV),
            A::Fisioterapia
            | A::Arquitetura
            | A::Medicina
            | A::Odontologia
            | A::Psicologia
            | A::AdministracaoImoveis
            | A::Academia
            | A::Programas
            | A::Licenciamento
            | A::Paginas
            | A::Estandes
            | A::AnalisesClinicas
            | A::Imagem
            | A::Protese
            | A::Veterinaria
            | A::Despachantes
            | A::Engenharia
            | A::Representacao
            | A::Pericia
            | A::Consultoria
            | A::Jornalismo
            | A::Agenciamento
            | A::OutrosIntelectuais => (FatorR, FATOR_R),
            A::TransporteComunicacao | A::IpiIss => (Recusado(MISTO), ""),
            A::Mei => (Recusado(DO_MEI), ""),
        }
    }
}
