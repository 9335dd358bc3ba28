//! Refusals and failures: what the caller reads, and what the log reads.
//!
//! Every request that has no result ends in one [`Problem`]. It has two readers:
//!
//! - **The caller** reads the document (RFC 9457 `application/problem+json`; design, section 2). `codigo` is for
//!   programs: a stable name, from which status and title follow; `tipo_recusa` says of a 422 what kind of reason it
//!   has ([`TipoRecusa`]). `detail` is for people: a sentence in
//!   Portuguese that says what to do. `campo` and `erros` name the fields at fault, all of them at once, and
//!   `regra` the rule that refused, so that a refusal can be audited like a result. Nothing here may reveal
//!   the inside of the service: no path, no error of a library, no text of another caller.
//! - **The log** reads `cause`, which only a failure of the service has ([`Problem::failure`]). The code that
//!   answers the caller logs it, once, together with the request. Code deeper down never logs it: it does
//!   not know the request, and a failure that is logged twice looks like two.
//!
//! So a refusal (the request was wrong) is not an error in the log, and a failure (the service was wrong) has
//! a `detail` that says only what the caller can do. An outage of the disk ([`Problem::unavailable`]) has no
//! cause, because the store logs it once and not with every call.
//!
//! HTTP, `taxd calc` and the worked examples of a bundle share the table of codes ([`ErrorCode`]), so a refusal
//! has the same name everywhere.

mod campos;
mod candidato;
mod leitor;
mod limites;
mod situacao_st;
mod tipo;

use std::fmt::Display;

use serde::{Deserialize, Serialize};

use crate::defect::caught;
use crate::document::{Shape, Shown};
use crate::sentence::Sentence;
use crate::value::{Rate, RegraCitada, Tributo};

pub use candidato::{Candidato, Exclusao, OUTSIDE};
pub use leitor::ForPerson;
pub use limites::LimitesDaAliquota;
pub use situacao_st::{SegmentoSt, SituacaoSt};
pub use tipo::TipoRecusa;

macro_rules! codigos {
    (@tipo) => { None };
    (@tipo $tipo:ident) => { Some(TipoRecusa::$tipo) };
    ($( $(#[$doc:meta])* $variant:ident = $name:literal, $status:literal $($tipo:ident)?, $title:literal; )*) => {
        /// The stable name of a refusal, its HTTP status, the kind of its reason if the status is 422, and its title.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $( $(#[$doc])* #[doc = $title] $variant, )* }

        impl ErrorCode {
            /// Every code there is, in the order of the table in `examples/README.md`.
            pub const ALL: &'static [ErrorCode] = &[ $( ErrorCode::$variant, )* ];

            /// The name that travels as `codigo`.
            pub const fn as_str(self) -> &'static str { match self { $( ErrorCode::$variant => $name, )* } }

            /// The HTTP status that goes with the code.
            pub const fn status(self) -> u16 { match self { $( ErrorCode::$variant => $status, )* } }

            /// The kind of the reason that refusals of this code have, unless they state another. Every code of
            /// status 422 has one, and no other code.
            pub const fn tipo_recusa(self) -> Option<TipoRecusa> {
                match self { $( ErrorCode::$variant => codigos!(@tipo $($tipo)?), )* }
            }

            /// The short Portuguese title, the same for every occurrence.
            pub const fn title(self) -> &'static str { match self { $( ErrorCode::$variant => $title, )* } }

            /// The code of that name, as a bundle's worked example writes it.
            pub fn from_name(name: &str) -> Option<ErrorCode> { match name { $( $name => Some(ErrorCode::$variant), )* _ => None } }
        }
    };
}

codigos! {
    JsonInvalido = "json_invalido", 400, "O corpo não é um documento JSON";
    PedidoMalformado = "pedido_malformado", 400, "O pedido não é HTTP/1.1 bem formado";
    HttpsNecessario = "https_necessario", 400, "Este endereço só atende por HTTPS";
    ChaveAusente = "chave_ausente", 401, "Falta a chave de acesso";
    ChaveInvalida = "chave_invalida", 401, "Chave de acesso não reconhecida";
    ContaSuspensa = "conta_suspensa", 403, "Conta suspensa";
    RegraInexistente = "regra_inexistente", 404, "Não há regra para o pedido";
    MunicipioDesconhecido = "municipio_desconhecido", 404, "Município desconhecido na UF";
    RotaInexistente = "rota_inexistente", 404, "Endereço inexistente";
    MetodoNaoPermitido = "metodo_nao_permitido", 405, "Método não permitido neste endereço";
    TempoEsgotado = "tempo_esgotado", 408, "O pedido demorou demais para chegar";
    CorpoGrandeDemais = "corpo_grande_demais", 413, "Corpo grande demais";
    TipoDeConteudo = "tipo_de_conteudo", 415, "Tipo de conteúdo não aceito";
    PayloadInvalido = "payload_invalido", 422 DadoInvalido, "Há campos com problema no pedido";
    CampoObrigatorio = "campo_obrigatorio", 422 FaltaDado, "Falta um campo obrigatório";
    CampoDesconhecido = "campo_desconhecido", 422 DadoInvalido, "Campo desconhecido";
    ChaveDuplicada = "chave_duplicada", 422 DadoInvalido, "Campo repetido no mesmo objeto";
    TipoInvalido = "tipo_invalido", 422 DadoInvalido, "Tipo de valor errado";
    DecimalInvalido = "decimal_invalido", 422 DadoInvalido, "Número decimal mal escrito";
    ValorNegativo = "valor_negativo", 422 DadoInvalido, "Valor negativo onde não cabe";
    ValorZero = "valor_zero", 422 DadoInvalido, "O valor precisa ser maior que zero";
    DataInvalida = "data_invalida", 422 DadoInvalido, "Data inválida";
    ValorInvalido = "valor_invalido", 422 DadoInvalido, "Valor fora da lista aceita";
    ForaDoIntervalo = "fora_do_intervalo", 422 DadoInvalido, "Valor fora do intervalo aceito";
    UfInvalida = "uf_invalida", 422 DadoInvalido, "UF inválida";
    NcmInvalido = "ncm_invalido", 422 DadoInvalido, "NCM inválido";
    CestInvalido = "cest_invalido", 422 DadoInvalido, "CEST inválido";
    ExInvalido = "ex_invalido", 422 DadoInvalido, "Exceção tarifária inválida";
    ItemServicoInvalido = "item_servico_invalido", 422 DadoInvalido, "Item da lista de serviços inválido";
    ClassificacaoInvalida = "classificacao_tributaria_invalida", 422 DadoInvalido, "Classificação tributária mal escrita";
    ParametroInvalido = "parametro_invalido", 422 DadoInvalido, "Parâmetro da consulta inválido";
    BaseNegativa = "base_negativa", 422 DadoInvalido, "A base de cálculo fica negativa";
    ResultadoForaDoAlcance = "resultado_fora_do_alcance", 422 DadoInvalido, "O resultado passa do maior valor que o serviço escreve";
    RegraSemConteudo = "regra_sem_conteudo", 422 ValorNaoEstabelecido, "A regra existe, mas não sustenta o cálculo";
    TributoExtinto = "tributo_extinto", 422 TributoExtinto, "O tributo está extinto nesta data";
    DestinatarioNaoContribuinte = "destinatario_nao_contribuinte", 422 ForaDoEscopo, "Destinatário não contribuinte está fora do escopo";
    DestinatarioConsumidorFinal = "destinatario_consumidor_final", 422 ForaDoEscopo, "Consumidor final está fora do escopo";
    RegimeSimplesNacional = "regime_simples_nacional", 422 ForaDoEscopo, "Simples Nacional está fora do escopo";
    RegimeSimples = "regime_simples", 422 ForaDoEscopo, "Regime do Simples está fora do escopo";
    DestinacaoAutopropulsado = "destinacao_autopropulsado", 422 ForaDoEscopo, "Peça de autopropulsado: destinação não permite o cálculo";
    OptanteSimples = "optante_simples", 422 ForaDoEscopo, "Optante do Simples está fora do escopo";
    SimplesForaDoEscopo = "simples_fora_do_escopo", 422 ForaDoEscopo, "Caso do Simples Nacional fora do escopo";
    RegimeDiferenciado = "regime_diferenciado", 422 ForaDoEscopo, "Regime diferenciado da reforma está fora do escopo";
    ClassificacaoDesconhecida = "classificacao_tributaria_desconhecida", 422 DadoInvalido, "Classificação tributária sem regra na data";
    ClassificacaoIncompativel = "classificacao_tributaria_incompativel", 422 DadoInvalido, "A classificação tributária não cabe ao NCM ou ao item";
    QuantidadeAusente = "quantidade_ausente", 422 FaltaDado, "A regra usa pauta ou cobra por unidade, e falta a quantidade";
    IcmsDestacadoAusente = "icms_destacado_ausente", 422 FaltaDado, "Falta o ICMS destacado";
    ValorMaterialAusente = "valor_material_ausente", 422 FaltaDado, "Falta um valor que forma a base";
    CombustivelAusente = "combustivel_ausente", 422 FaltaDado, "A regra distingue o combustível e ele falta";
    UnidadeFiscalAusente = "unidade_fiscal_ausente", 422 FaltaDado, "A regra está em unidades fiscais e falta o valor da unidade";
    NumeroProfissionaisAusente = "numero_profissionais_ausente", 422 FaltaDado, "Falta o número de profissionais";
    PapelNaCadeiaAusente = "papel_na_cadeia_ausente", 422 FaltaDado, "Regra monofásica: falta o papel na cadeia";
    RegimeEspecialAusente = "regime_especial_ausente", 422 FaltaDado, "A regra tem regime especial por unidade e falta a opção por ele";
    VendaAAusente = "venda_a_ausente", 422 FaltaDado, "A regra distingue o comprador e ele falta";
    ValorFinanciadoInvalido = "valor_financiado_invalido", 422 DadoInvalido, "Valor financiado inconsistente";
    CestNecessario = "cest_necessario", 422 FaltaDado, "O NCM não basta: informe o CEST";
    LimiteExcedido = "limite_excedido", 429, "Chamadas demais em um minuto";
    CotaEsgotada = "cota_esgotada", 429, "Cota do mês esgotada";
    CabecalhoGrandeDemais = "cabecalho_grande_demais", 431, "Cabeçalhos grandes demais";
    ErroInterno = "erro_interno", 500, "Falha interna";
    Encerrando = "encerrando", 503, "O serviço está encerrando";
    Sobrecarga = "sobrecarga", 503, "O serviço está sobrecarregado";
    Indisponivel = "indisponivel", 503, "O serviço não alcança os seus dados";
}

impl Serialize for ErrorCode {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<str>::deserialize(d)?;
        ErrorCode::from_name(&name).ok_or_else(|| serde::de::Error::custom(format_args!("unknown code {name}")))
    }
}

/// One faulty field of a payload or query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldError {
    /// Path of the field: `valor_produto`, `faixas[2].ate`.
    pub campo: String,
    pub codigo: ErrorCode,
    /// What is wrong and how to correct it, in Portuguese.
    pub detail: Sentence,
}

/// A refusal or a failure. Only HTTP knows the `request_id`, and adds it to the [`document`](Self::document).
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Stable name; status and title follow from it.
    pub codigo: ErrorCode,
    /// The kind of the reason, if the status is 422.
    pub tipo_recusa: Option<TipoRecusa>,
    /// A Portuguese sentence that says what to do.
    pub detail: Sentence,
    /// The field at fault, if there is exactly one.
    pub campo: Option<String>,
    pub erros: Vec<FieldError>,
    /// The rule that refused, if a rule did.
    pub regra: Option<RegraCitada>,
    /// What would resolve the refusal: values of a further field, or the rules that came nearest.
    pub candidatos: Vec<Candidato>,
    /// Of a refusal of ICMS substitution for want of a rule: what the national list and the rules of the State say of the
    /// product.
    pub situacao_st: Option<SituacaoSt>,
    /// The segments of the national list that have the product.
    pub segmento: Vec<SegmentoSt>,
    /// Of a refusal of ICMS substitution by a rule without another figure: its margin.
    pub mva_da_regra: Option<Rate>,
    /// The bounds that national law sets to a rate which no rule establishes.
    pub limites: Option<LimitesDaAliquota>,
    /// The tax of the payload, if it is known; for the metrics, not for the caller.
    pub tributo: Option<Tributo>,
    /// The cause of a failure of the service; for the log, not for the caller.
    pub cause: Option<String>,
    /// The sentences in the words of a person, if one asked.
    pub leitor: Option<Box<ForPerson>>,
}

impl Problem {
    /// A refusal that is not about one field.
    pub fn new(codigo: ErrorCode, detail: impl Into<Sentence>) -> Self {
        Problem {
            codigo,
            tipo_recusa: codigo.tipo_recusa(),
            detail: detail.into(),
            campo: None,
            erros: Vec::new(),
            regra: None,
            candidatos: Vec::new(),
            situacao_st: None,
            segmento: Vec::new(),
            mva_da_regra: None,
            limites: None,
            tributo: None,
            cause: None,
            leitor: None,
        }
    }

    /// A failure of the service: `detail` is for the caller, `cause` for the log.
    pub fn failure(detail: impl Into<Sentence>, cause: impl Display) -> Self {
        Problem { cause: Some(cause.to_string()), ..Problem::new(ErrorCode::ErroInterno, detail) }
    }

    /// The failure to write an answer as JSON.
    pub fn unwritten(cause: impl Display) -> Box<Problem> {
        Box::new(Problem::failure("A resposta não pôde ser escrita; avise o operador.", cause))
    }

    /// The disk does not let the data be read. The store logs that, so there is no cause.
    pub fn unavailable() -> Self {
        let detail = "O serviço não alcança os seus dados, e tenta de novo por si; repita o pedido em instantes e, se persistir, avise o operador.";
        Problem::new(ErrorCode::Indisponivel, detail)
    }

    /// A refusal because of one field of the payload.
    pub fn of_field(codigo: ErrorCode, campo: &str, detail: impl Into<Sentence>) -> Self {
        let detail = detail.into();
        let erro = FieldError { campo: campo.to_owned(), codigo, detail: detail.clone() };
        Problem { campo: Some(campo.to_owned()), erros: vec![erro], ..Problem::new(codigo, detail) }
    }

    /// The same refusal, with the rule that refused.
    pub fn by_rule(mut self, regra: RegraCitada) -> Self {
        self.regra = Some(regra);
        self
    }

    /// The same refusal, with a reason of another kind than most refusals of its code.
    pub fn because(mut self, tipo: TipoRecusa) -> Self {
        self.tipo_recusa = Some(tipo);
        self
    }

    /// The JSON members of the document, in order.
    pub fn document<'a>(&'a self, request_id: Option<&'a str>) -> ProblemDocument<'a> {
        ProblemDocument {
            r#type: format!("urn:taxd:erro:{}", self.codigo.as_str()),
            title: self.codigo.title(),
            status: self.codigo.status(),
            detail: &self.detail,
            codigo: self.codigo,
            tipo_recusa: self.tipo_recusa,
            campo: self.campo.as_deref(),
            erros: &self.erros,
            regra: self.regra.as_ref(),
            candidatos: &self.candidatos,
            situacao_st: self.situacao_st,
            segmento: &self.segmento,
            mva_da_regra: self.mva_da_regra,
            limites: self.limites.as_ref(),
            request_id,
            leitor: self.leitor.as_deref(),
        }
    }
}

impl Serialize for Problem {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.document(None).serialize(s)
    }
}

impl Shown for Problem {
    const SHAPE: Shape = Shape::Document(&[]);
}

/// Does `work`, and returns a panic in it as a failure of the service. Other requests are not affected.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Box<Problem>>) -> Result<T, Box<Problem>> {
    caught(work).unwrap_or_else(|defect| {
        let detail = "O pedido falhou por um defeito do serviço; avise o operador.";
        Err(Box::new(Problem::failure(detail, defect)))
    })
}

/// The wire form of a [`Problem`] (design, section 2).
#[derive(Debug, Serialize)]
pub struct ProblemDocument<'a> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'a Sentence,
    codigo: ErrorCode,
    #[serde(skip_serializing_if = "Option::is_none")]
    tipo_recusa: Option<TipoRecusa>,
    #[serde(skip_serializing_if = "Option::is_none")]
    campo: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    erros: &'a [FieldError],
    #[serde(skip_serializing_if = "Option::is_none")]
    regra: Option<&'a RegraCitada>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    candidatos: &'a [Candidato],
    #[serde(skip_serializing_if = "Option::is_none")]
    situacao_st: Option<SituacaoSt>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    segmento: &'a [SegmentoSt],
    #[serde(skip_serializing_if = "Option::is_none")]
    mva_da_regra: Option<Rate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limites: Option<&'a LimitesDaAliquota>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leitor: Option<&'a ForPerson>,
}
