//! The six withholdings of a service as payloads, with what a document and its company say of it.

use rust_decimal::Decimal;

use super::{EnginePayload, Fields, iss};
use crate::base::value::Date;
use crate::nfe::{AnexoDeServicos, Contribuinte, NotaDeServico};

/// A service of which something is withheld.
#[derive(Debug, Clone, Copy)]
pub struct Retencao<'d> {
    /// Price, net of the unconditional discount.
    pub price: Decimal,
    /// The provider is in the Simples Nacional.
    pub simples: bool,
    /// The taker is a natural person.
    pub to_person: bool,
    pub contribuinte: &'d Contribuinte,
    /// The day of the document: that of the payment, on which the law depends, is not on it.
    pub day: Date,
}

/// The services of the laws of the withholdings by subitem, where most services of the subitem are one (table 1 of the
/// EFD-Reinf, natures of income 15001 to 15046, which is not official for subitems). A judgement, so it decides what is
/// asked and accuses nobody.
const NATURES: &[(&str, &[&str])] = &[
    ("programacao", &["1.01", "1.02", "1.04", "1.07", "1.08"]),
    ("consultoria_em_geral", &["1.06", "17.01", "17.20"]),
    ("pesquisa", &["2.01"]),
    ("medicina_fora_de_hospital", &["4.01"]),
    ("analise_clinica", &["4.02", "5.03"]),
    ("fisioterapia", &["4.08"]),
    ("nutricao", &["4.10"]),
    ("servicos_odontologia", &["4.12"]),
    ("protese", &["4.14"]),
    ("psicologia_psicanalise", &["4.15", "4.16"]),
    ("veterinaria", &["5.01"]),
    ("engenharia_sem_obra", &["7.01", "7.19"]),
    ("elaboracao_projetos", &["7.03"]),
    ("limpeza", &["7.10"]),
    ("conservacao", &["7.11"]),
    ("ensino_treinamento", &["8.02", "17.24"]),
    ("vigilancia", &["11.02"]),
    ("manutencao", &["14.01"]),
    ("traducao", &["17.02"]),
    ("planejamento", &["17.03"]),
    ("locacao_mao_de_obra", &["17.05"]),
    ("avaliacao_pericia", &["17.09", "28.01"]),
    ("organizacao_feiras", &["17.10"]),
    ("administracao_bens", &["17.12"]),
    ("leilao", &["17.13"]),
    ("advocacia", &["17.14"]),
    ("auditoria", &["17.16"]),
    ("calculo", &["17.18"]),
    ("servicos_contabeis", &["17.19"]),
    ("estatistica", &["17.21"]),
    ("desenho_tecnico", &["23.01", "31.01", "32.01"]),
    ("assistencia_social", &["27.01"]),
    ("biologia_biomedicina", &["30.01"]),
    ("despachante", &["33.01"]),
    ("relacoes_publicas", &["35.01"]),
];

/// Services by supply of labour or by contract (IN RFB 2.110/2022, arts. 111 and 112), in the same way. A document that
/// withholds says that its service is one of them, so any other subitem is another service of art. 112.
const SUPPLIED: &[(&str, &[&str])] = &[
    ("construcao_civil", &["7.02", "7.04", "7.05"]),
    ("limpeza", &["7.10"]),
    ("vigilancia_seguranca", &["11.02"]),
    ("transporte_passageiros", &["16.01"]),
];

fn named(table: &[(&'static str, &[&str])], item: &str) -> Option<&'static str> {
    table.iter().find(|(_, items)| items.contains(&item)).map(|(name, _)| *name)
}

impl Retencao<'_> {
    fn fields(&self, tributo: &'static str) -> Fields {
        // Presumed and real profit have the same withholdings.
        let regime = if self.simples { "simples_nacional" } else { "lucro_presumido" };
        let taker = if self.to_person { "pessoa_fisica" } else { "pessoa_juridica" };
        Fields::of(tributo).text("regime_prestador", regime).text("tomador", taker)
    }

    /// Income tax, CSLL, PIS or COFINS; `None` if the subitem does not say which service of the law it is. `base` is that of
    /// the document.
    pub fn federal(&self, tributo: &'static str, item: &str, base: Option<Decimal>) -> Option<EnginePayload> {
        let fields = self.fields(tributo).text("natureza_servico", named(NATURES, item)?);
        let fields = fields.amount("valor_servico", base.unwrap_or(self.price));
        Some(fields.text("data_pagamento", self.day.to_string()).0)
    }

    /// Social security.
    pub fn inss(&self, item: &str, base: Option<Decimal>) -> EnginePayload {
        let service = named(SUPPLIED, item);
        // Cleaning, surveillance and building are of Anexo IV (LC 123/2006, art. 18, § 5º-C).
        let known = self.contribuinte.simples_em(self.day).and_then(|of| of.anexo_servicos);
        let by_law = matches!(service, Some("construcao_civil" | "limpeza" | "vigilancia_seguranca")).then_some(true);
        let anexo_iv = by_law.or(known.map(|anexo| anexo == AnexoDeServicos::Iv)).filter(|_| self.simples);
        self.fields("inss_retido")
            .text("servico_cedido", service.unwrap_or("outro_do_art_112"))
            .text("forma_contratacao", "cessao_mao_de_obra")
            .amount("valor_nota", base.unwrap_or(self.price))
            .option("anexo_iv", anexo_iv)
            .text("data", self.day.to_string())
            .0
    }

    /// The ISS of an NFS-e, at the rate that it has; `None` without a municipality. `municipal` is whether the law of the
    /// municipality makes the taker withhold it.
    pub fn iss(&self, nota: &NotaDeServico, base: Decimal, municipal: Option<bool>) -> Option<EnginePayload> {
        let own = iss(&nota.municipio, &nota.item_lista, base, self.day)?;
        let mut payload = self.fields("iss_retido").option("lei_municipal_retem", municipal);
        if let Some(rate) = nota.aliquota.filter(|rate| !rate.is_zero()) {
            payload = payload.amount("aliquota_nota", rate);
        }
        let mut payload = payload.0;
        for name in ["uf", "municipio", "item_lista_servico", "preco_servico", "data"] {
            if let Some((_, value)) = own.0.iter().find(|(own, _)| own == name) {
                payload.set(name, value.clone());
            }
        }
        Some(payload)
    }
}
