//! What the calculation of an operation shows.

use std::borrow::Cow;
use std::sync::Arc;

use rust_decimal::Decimal;

use crate::base::document::{Object, Sometimes};
use crate::base::problem::{ErrorCode, Problem};
use crate::rule::Condicao;
use crate::tax::{FiguraSuposta, Money, TaxAnswer};

pub(super) const IPI: &str = "ipi";
pub(super) const ICMS: &str = "icms";
pub(super) const ICMS_CONSUMIDOR_FINAL: &str = "icms_consumidor_final";
pub(super) const ICMS_ST: &str = "icms_st";
pub(super) const ISS: &str = "iss";
pub(super) const ISS_RETIDO: &str = "iss_retido";
pub(super) const PIS: &str = "pis";
pub(super) const COFINS: &str = "cofins";
pub(super) const CBS: &str = "cbs";
pub(super) const IBS: &str = "ibs";

/// What the taker of a service withholds.
pub const RETENCOES: [&str; 6] =
    ["irrf_servicos", "csll_retida", "pis_retido", "cofins_retida", "inss_retido", ISS_RETIDO];

/// The taxes that an operation may have, in the order in which one feeds the next.
pub const TRIBUTOS: [&str; 9] = [IPI, ICMS, ICMS_CONSUMIDOR_FINAL, ICMS_ST, ISS, PIS, COFINS, CBS, IBS];

taxd_base::vocabulary! {
    /// What is sold.
    pub enum TipoApuracao {
        Mercadoria = "mercadoria" => "Mercadoria",
        Servico = "servico" => "Serviço",
    }

    pub enum SituacaoTributo {
        Calculado = "calculado" => "Calculado",
        Recusado = "recusado" => "Recusado",
        SemRegra = "sem_regra" => "Sem regra",
        NaoSeAplica = "nao_se_aplica" => "Não se aplica",
        RegimeUnificado = "regime_unificado" => "Regime unificado",
    }
}

taxd_base::components! {
    pub struct TributoApurado {
        tributo: Cow<'static, str>, "Tributo";
        situacao: SituacaoTributo, "O que foi feito do tributo" + ": calculado; recusado; sem_regra (o taxd não tem regra, o que não quer dizer que nada é devido); nao_se_aplica; regime_unificado (pago no Simples Nacional)";
        valor: Option<Money>, "Valor devido" + "; nulo se não foi calculado";
        valor_comprador: Sometimes<Money>, "Parte do valor que o comprador recolhe" + ": a diferença de alíquota de quem é contribuinte, ou o ISS retido";
        comprador_incerto: Sometimes<bool>, "O comprador recolhe mais do que está em valor" + ": a diferença de alíquota, que é dele e não foi calculada; ausente nos demais casos";
        motivo: Sometimes<String>, "Por que não se aplica ou não foi calculado" + "; ausente se o tributo foi pedido";
        depende_de: Sometimes<Vec<Cow<'static, str>>>, "Tributos não calculados de que este depende";
        avisos: Sometimes<Vec<String>>, "O que conferir na passagem dos fatos ao pedido";
        condicoes_dos_avisos: Sometimes<Vec<Condicao>>, "De que cada aviso depende" + ", na ordem de `avisos`";
        pedido: Sometimes<Object<'static>>, "O pedido feito ao tributo" + "; pode ser repetido como está";
        resposta: Sometimes<Arc<TaxAnswer>>, "A resposta do tributo";
        problema: Sometimes<Arc<Problem>>, "A recusa do tributo" + "; se ele depende de outro, só se lhe falta também um dado";
    }

    pub struct Total {
        valor: Money, "Soma do que foi calculado";
        completo: bool, "Nada falta na soma";
        faltam: Vec<Cow<'static, str>>, "Tributos que entrariam na soma e não foram calculados";
    }

    pub struct Totais {
        tributos_por_fora: Total, "Tributos somados ao preço" + ": IPI e ICMS-ST; desde 2027, também CBS e IBS";
        valor_documento: Total, "O que o comprador paga" + ": preço menos desconto, com frete, seguro, despesas e tributos por fora";
        tributos: Total, "Todos os tributos" + ", salvo os pagos no Simples Nacional";
        recolhido_pelo_vendedor: Total, "Parte que o vendedor recolhe";
        recolhido_pelo_comprador: Total, "Parte que o comprador recolhe";
        retencoes: Sometimes<Total>, "O que o tomador retém do prestador" + ", se a operação informa `tomador`";
        liquido_a_pagar: Sometimes<Total>, "O que o tomador paga ao prestador" + ": o valor do documento menos as retenções";
    }

    pub struct Apuracao {
        completo: bool, "Todo tributo que se aplica foi calculado";
        tipo: TipoApuracao, "O que é vendido";
        tributos: Vec<TributoApurado>, "Os tributos" + ", na ordem em que um alimenta o outro";
        totais: Totais, "Os totais";
        retencoes: Sometimes<Vec<TributoApurado>>, "O que o tomador retém, um tributo por linha" + ", se a operação informa `tomador`";
        suposicoes: Sometimes<Vec<FiguraSuposta>>, "Os valores que se supuseram" + ": com um deles a apuração não é a lei; ausente se ela é";
    }
}

impl TributoApurado {
    /// A tax in that situation, with nothing else known.
    pub(super) fn new(tributo: &'static str, situacao: SituacaoTributo) -> TributoApurado {
        TributoApurado {
            tributo: tributo.into(),
            situacao,
            valor: None,
            valor_comprador: Sometimes(None),
            comprador_incerto: Sometimes(None),
            motivo: Sometimes(None),
            depende_de: Sometimes(None),
            avisos: Sometimes(None),
            condicoes_dos_avisos: Sometimes(None),
            pedido: Sometimes(None),
            resposta: Sometimes(None),
            problema: Sometimes(None),
        }
    }

    /// A tax that was refused.
    pub(super) fn refused(tributo: &'static str, problem: impl Into<Arc<Problem>>) -> TributoApurado {
        let problem = problem.into();
        let situacao = match problem.codigo {
            ErrorCode::RegraInexistente => SituacaoTributo::SemRegra,
            _ => SituacaoTributo::Recusado,
        };
        TributoApurado { problema: Sometimes(Some(problem)), ..TributoApurado::new(tributo, situacao) }
    }

    /// True if it may be due, and its amount is not known.
    pub fn is_missing(&self) -> bool {
        matches!(self.situacao, SituacaoTributo::Recusado | SituacaoTributo::SemRegra)
    }

    /// True if it may be due, and the part that the buyer pays is not known.
    pub(super) fn is_missing_of_buyer(&self) -> bool {
        self.is_missing() || self.comprador_incerto.0 == Some(true)
    }

    /// The amount due, zero if there is none.
    pub(super) fn due(&self) -> Decimal {
        self.valor.map_or(Decimal::ZERO, Money::decimal)
    }

    pub(super) fn due_by_buyer(&self) -> Decimal {
        self.valor_comprador.0.map_or(Decimal::ZERO, Money::decimal)
    }
}
