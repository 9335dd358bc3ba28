//! The facts that are changed one by one, each with the sentence of a document that took it so.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::facts::Facts;
use crate::base::value::Municipio;
use crate::features::audit::compare::{Comparison, Declared, Members, asked};
use crate::features::audit::compared::{DESTINO_WITHOUT_FCP, ICMS, ICMS_WITHOUT_FCP, INTERNA, INTERNA_WITHOUT_FCP};
use crate::features::audit::differences::share;
use crate::features::audit::substitution::INTERSTATE;
use crate::law::nfe::payloads::EnginePayload;

/// A question with one fact changed.
#[derive(Debug)]
pub(in crate::features::audit) struct ChangedFact {
    pub(super) codigo: &'static str,
    pub(super) detalhe: String,
    pub(super) payload: Arc<EnginePayload>,
    /// Where the answer has its figures.
    pub(in crate::features::audit) members: &'static Members,
    pub(in crate::features::audit) declared: Declared,
    /// True if the document cannot refute it.
    pub(super) legitimate: bool,
}

/// The changes of a question. One that changes nothing is left out.
pub(super) fn of(payload: &EnginePayload, comparison: &Comparison, facts: &Facts) -> Vec<ChangedFact> {
    let Comparison { members, declared, ref doubt, .. } = *comparison;
    let in_doubt = doubt.is_some();
    let mut changes = ChangedFacts { payload, members, declared, facts, in_doubt, found: Vec::new() };
    // Many a change leaves nothing to pay, and explains no document that charges nothing.
    if declared.valor.is_zero() {
        return Vec::new();
    }
    match payload.text("tributo").unwrap_or_default() {
        "icms" | "icms_consumidor_final" | "icms_st" => changes.of_state(),
        "ipi" => changes.of_ipi(),
        "pis" | "cofins" => changes.of_contribution(),
        "cbs" | "ibs" => changes.of_reform(),
        _ => changes.of_service(),
    }
    changes.found
}

const ICMS_ON_REVENUE: &str = "a base contém o ICMS, que sai dela (STF, RE 574.706; Lei 14.592/2023)";
const ST_IN_REVENUE: &str =
    "a base contém o ICMS-ST, que não é receita do vendedor (Decreto-Lei 1.598/1977, art. 12, § 4º)";
const IPI_IN_REVENUE: &str =
    "a base contém o IPI, que não é receita do vendedor (Decreto-Lei 1.598/1977, art. 12, § 4º)";
const IPI_IN_BASE: &str = "a base contém o IPI, que só entra nela se o comprador consome (CF, art. 155, § 2º, XI)";
const IPI_OUT_OF_BASE: &str = "a base deixa fora o IPI, que entra nela se o comprador consome (CF, art. 155, § 2º, XI)";
const IPI_OUT_OF_ST: &str = "a base da substituição deixa fora o IPI (LC 87/1996, art. 8º, II, b)";

/// The two groups of destinations that the rate between States depends on, each with a UF of it (Resolução do Senado
/// 22/1989).
const REGIONS: [(&str, &str); 2] =
    [("ao Norte, Nordeste, Centro-Oeste ou Espírito Santo", "PA"), ("ao Sul ou Sudeste", "PR")];

struct ChangedFacts<'c> {
    payload: &'c EnginePayload,
    members: &'static Members,
    declared: Declared,
    facts: &'c Facts,
    /// The rules of the day may not have all that the product owes.
    in_doubt: bool,
    found: Vec<ChangedFact>,
}

impl ChangedFacts<'_> {
    /// Adds a question of which `set` changes the payload.
    fn ask(&mut self, codigo: &'static str, detalhe: &str, legitimate: bool, set: impl FnOnce(&mut EnginePayload)) {
        self.ask_by(codigo, detalhe, legitimate, self.members, set);
    }

    /// The same with figures in other members of the answer.
    fn ask_by(
        &mut self,
        codigo: &'static str,
        detalhe: &str,
        legitimate: bool,
        members: &'static Members,
        set: impl FnOnce(&mut EnginePayload),
    ) {
        let mut payload = self.payload.clone();
        set(&mut payload);
        if payload != *self.payload {
            let (payload, declared) = (asked(payload), self.declared);
            self.add(ChangedFact { codigo, detalhe: detalhe.to_owned(), payload, members, declared, legitimate });
        }
    }

    /// Adds a change that no earlier one asks in other words.
    fn add(&mut self, change: ChangedFact) {
        let same = |other: &ChangedFact| {
            other.payload == change.payload
                && other.declared == change.declared
                && std::ptr::eq(other.members, change.members)
        };
        if !self.found.iter().any(same) {
            self.found.push(change);
        }
    }

    /// Adds the same question about a part of what the document declares, or about a part of the answer.
    fn compare(&mut self, codigo: &'static str, detalhe: &str, members: Option<&'static Members>, part: Decimal) {
        if members.is_some() || !part.is_zero() {
            let declared = Declared { valor: self.declared.valor.saturating_sub(part), ..self.declared };
            let (payload, members) = (Arc::new(self.payload.clone()), members.unwrap_or(self.members));
            let detalhe = detalhe.to_owned();
            self.add(ChangedFact { codigo, detalhe, payload, members, declared, legitimate: false });
        }
    }

    /// Adds a question whose base has an amount more, or less.
    fn shift(&mut self, codigo: &'static str, by: Decimal, detalhe: &str, legitimate: bool) {
        let names = ["valor_operacao", "valor_produto", "preco_servico", "valor_servico"];
        let base = names.into_iter().find_map(|name| Some((name, figure(self.payload, name)?)));
        if let Some((name, value)) = base
            && value.saturating_add(by) >= Decimal::ZERO
            && !by.is_zero()
        {
            self.ask(codigo, detalhe, legitimate, |payload| payload.set(name, value.saturating_add(by)));
        }
    }

    /// Freight, discount and charges, which every tax of goods has in its base or not.
    fn of_price(&mut self, discount: &str) {
        let Facts { frete, desconto, despesas, frete_de_outro, .. } = *self.facts;
        let asked_without = figure(self.payload, "frete").is_some_and(|asked| asked.is_zero());
        if asked_without {
            self.shift("frete_na_base", frete, "a base contém o frete, que é por conta de outro", true);
        } else {
            self.shift("frete_fora_da_base", -frete, "a base deixa fora o frete", frete_de_outro);
        }
        let sentence = format!("a base contém o desconto, o que só cabe se ele depende de condição ({discount})");
        self.shift("desconto_na_base", desconto, &sentence, true);
        self.shift("despesas_fora_da_base", -despesas, "a base deixa fora o seguro e as outras despesas", false);
    }

    fn of_state(&mut self) {
        self.of_price("LC 87/1996, art. 13, § 1º, II, a");
        let tributo = self.payload.text("tributo").unwrap_or_default().to_owned();
        let Facts { ipi, icms, fcp, fcp_destino, st_fcp, consome, contribuinte, .. } = *self.facts;
        let ufs = ["uf_origem", "uf_destino"].map(|name| self.payload.text(name).unwrap_or_default().to_owned());
        let internal = ufs.first() == ufs.last();
        match tributo.as_str() {
            "icms_st" => {
                self.shift("ipi_fora_da_base", -ipi, IPI_OUT_OF_ST, false);
                self.compare("fcp_a_mais", "o documento cobra o FCP, que a regra não traz", None, st_fcp);
                let whole = "o documento não abate o ICMS da operação própria (LC 87/1996, art. 8º, § 5º)";
                self.compare("sem_abater_o_proprio", whole, None, icms);
                self.margin();
            }
            "icms_consumidor_final" => {
                self.shift("ipi_fora_da_base", -ipi, IPI_OUT_OF_BASE, false);
                let without = if internal { &INTERNA_WITHOUT_FCP } else { &DESTINO_WITHOUT_FCP };
                self.compare("sem_fcp", "o documento não cobra o FCP", Some(without), Decimal::ZERO);
                let declared = if internal { fcp } else { fcp_destino };
                self.compare("fcp_a_mais", "o documento cobra o FCP, que a regra não traz", None, declared);
            }
            _ if consome && !internal => self.shift("ipi_fora_da_base", -ipi, IPI_OUT_OF_BASE, contribuinte),
            _ => {
                self.shift("ipi_na_base", ipi, IPI_IN_BASE, false);
                self.compare("fcp_a_mais", "o documento cobra o FCP, que a regra não traz", None, fcp);
                let without = Some(&ICMS_WITHOUT_FCP);
                self.compare("sem_fcp", "o documento não cobra o FCP", without, Decimal::ZERO);
            }
        }
        self.buyer(&tributo, internal);
        if !internal {
            self.origin();
        }
        self.places(&ufs);
    }

    /// The margin of a seller of the Simples, or of another.
    fn margin(&mut self) {
        let simples = self.payload.get("regime_simples_nacional").is_some();
        let sentence = if simples {
            "é a margem ajustada, que o optante do Simples não usa (Convênio ICMS 35/2011)"
        } else {
            "é a margem sem ajuste, a do optante do Simples (Convênio ICMS 35/2011)"
        };
        self.ask("margem_ajustada", sentence, false, |payload| payload.set("regime_simples_nacional", !simples));
    }

    /// Within a State a sale to who resells has a rule, and one to who consumes another.
    fn buyer(&mut self, tributo: &str, internal: bool) {
        if !internal {
            return;
        }
        let from = |payload: &mut EnginePayload, tributo: &str, without: &[&str]| {
            payload.set("tributo", tributo.to_owned());
            for name in without {
                drop(payload.take(name));
            }
        };
        if tributo == "icms_consumidor_final" {
            let sentence = "é o imposto da venda a quem revende ou industrializa";
            self.ask_by("comprador_revende", sentence, true, &ICMS, |payload| {
                from(payload, "icms", &["ipi", "destinatario_contribuinte"]);
            });
        } else if tributo == "icms" {
            let (sentence, ipi) = ("é o imposto da venda a consumidor final", self.facts.ipi);
            self.ask_by("comprador_consome", sentence, true, &INTERNA, |payload| {
                from(payload, "icms_consumidor_final", &["quantidade", "papel_na_cadeia"]);
                payload.set("ipi", ipi);
                payload.set("destinatario_contribuinte", false);
            });
        }
    }

    fn origin(&mut self) {
        let imported = self.payload.text("origem_mercadoria") == Some("importada");
        let (other, sentence) = if imported {
            ("nacional", "é o imposto da mercadoria nacional, e o item é importado pelo código de origem")
        } else {
            (
                "importada",
                "é o imposto da mercadoria importada (Resolução do Senado Federal 13/2012), e o item é nacional pelo código de origem",
            )
        };
        self.ask("origem", sentence, true, |payload| payload.set("origem_mercadoria", other));
    }

    /// Each other UF of the document as the one from which the goods go, and to which.
    fn places(&mut self, [from, to]: &[String; 2]) {
        for uf in self.facts.ufs.iter().map(|uf| uf.as_str()) {
            let sentence = if uf == from {
                format!("é o imposto da operação interna em {uf}")
            } else {
                format!("é o imposto da operação com destino a {uf}")
            };
            // The buyer's address may be where the goods go.
            let legitimate = uf != from && uf != to;
            self.ask("uf_de_destino", &sentence, legitimate, |payload| payload.set("uf_destino", uf));
            let sentence = if uf == to {
                format!("é o imposto da operação interna em {uf}")
            } else {
                format!("é o imposto da operação que sai de {uf}")
            };
            self.ask("uf_de_origem", &sentence, legitimate, |payload| payload.set("uf_origem", uf));
        }
        // A product with a rate of its own may owe it to any region.
        if from != to && !self.in_doubt {
            for (region, uf) in REGIONS {
                let sentence = format!("é o imposto da operação com destino {region}");
                self.ask("regiao_de_destino", &sentence, false, |payload| payload.set("uf_destino", uf));
            }
        }
    }

    fn of_ipi(&mut self) {
        self.of_price("Lei 4.502/1964, art. 14, § 2º; STF, RE 567.935");
        if self.payload.get("ex").is_some() {
            self.ask("sem_ex", "é a alíquota do código sem o Ex do documento", false, |payload| {
                payload.take("ex");
            });
            return;
        }
        for ex in ["01", "02", "03"] {
            let sentence = format!("é a alíquota do Ex {ex} da TIPI, que a descrição do produto decide");
            self.ask("ex_da_tipi", &sentence, true, |payload| payload.set("ex", ex));
        }
    }

    fn of_contribution(&mut self) {
        self.of_price("Decreto-Lei 1.598/1977, art. 12, § 1º");
        let Facts { ipi, icms, fcp, difal, st, st_retido, .. } = *self.facts;
        let icms_asked = figure(self.payload, "valor_icms_destacado").unwrap_or_default();
        let mut without = |codigo, detalhe, legitimate, amount: Decimal| {
            self.ask(codigo, detalhe, legitimate, |payload| payload.set("valor_icms_destacado", amount));
        };
        without("icms_na_base", ICMS_ON_REVENUE, false, Decimal::ZERO);
        let fcp_out = "a base deixa fora o FCP, que fica nela (SC Cosit 61/2024)";
        without("fcp_fora_da_base", fcp_out, false, icms_asked.saturating_add(fcp));
        let withheld = "a base exclui o ICMS retido na compra (STJ, Tema 1.125)";
        without("st_retido_fora_da_base", withheld, true, icms.saturating_add(st_retido));
        without("st_fora_da_base", "a base exclui também o ICMS-ST", false, icms_asked.saturating_add(st));
        let difal_out = "a base exclui também o DIFAL (STJ, REsp 2.128.785)";
        without("difal_fora_da_base", difal_out, true, icms_asked.saturating_add(difal));
        let whole = figure(self.payload, "valor_operacao").unwrap_or_default();
        for rate in INTERSTATE {
            let sentence = format!("a base exclui o ICMS de {rate}%, e não o que o documento destaca");
            let icms = share(whole, rate.into()).unwrap_or_default();
            self.ask("icms_de_outra_aliquota", &sentence, false, |payload| payload.set("valor_icms_destacado", icms));
        }
        self.shift("st_na_base", st, ST_IN_REVENUE, false);
        self.shift("ipi_na_base", ipi, IPI_IN_REVENUE, false);
        self.regime();
        self.chain();
    }

    /// The rates of the other regime. The file of the company says which one it is in.
    fn regime(&mut self) {
        let cumulative = self.payload.text("regime_apuracao") == Some("cumulativo");
        let (other, name) =
            if cumulative { ("nao_cumulativo", "não cumulativo") } else { ("cumulativo", "cumulativo") };
        let sentence = format!("é a contribuição do regime {name}, e os dados da empresa dizem o outro");
        self.ask("regime_de_apuracao", &sentence, false, |payload| payload.set("regime_apuracao", other));
    }

    /// The nature of the CFOP: own make or resale, to who resells or consumes.
    fn chain(&mut self) {
        let unknown = self.payload.get("papel_na_cadeia").is_none();
        for (role, name) in [("fabricante_importador", "do fabricante ou importador"), ("revenda", "de quem revende")] {
            let sentence = format!("é a contribuição {name}, e não a que o CFOP e o CST dizem");
            self.ask("papel_na_cadeia", &sentence, unknown, |payload| payload.set("papel_na_cadeia", role));
        }
        let to_consumer = self.payload.get("venda_a").is_some();
        let sentence = if to_consumer {
            "é a contribuição da venda a quem revende"
        } else {
            "é a contribuição da venda a varejista ou consumidor final"
        };
        self.ask("comprador", sentence, true, |payload| {
            if to_consumer {
                payload.take("venda_a");
            } else {
                payload.set("venda_a", "varejista_consumidor_final");
            }
        });
    }

    /// What leaves the price of a service, and the other municipalities of the document.
    fn of_service(&mut self) {
        let Facts { deducoes, desconto, ref municipios, .. } = *self.facts;
        self.shift("deducoes_na_base", deducoes, "a base contém as deduções da nota", false);
        self.shift(
            "desconto_na_base",
            desconto,
            "a base contém o desconto, que não é preço (LC 116/2003, art. 7º)",
            false,
        );
        let places = municipios.iter().filter(|_| self.payload.get("municipio").is_some());
        for (code, whose) in places {
            let Some(place) = code.parse().ok().and_then(Municipio::of_ibge_code) else { continue };
            let sentence = format!("é o ISS de {}, o município do {whose}", place.name());
            self.ask("municipio", &sentence, false, |payload| {
                payload.set("uf", place.uf().as_str());
                payload.set("municipio", place.name());
            });
        }
    }

    fn of_reform(&mut self) {
        self.of_price("LC 214/2025, art. 12, § 2º");
        let Facts { icms, fcp, difal, st, st_retido, .. } = *self.facts;
        let charged = figure(self.payload, "valor_icms").unwrap_or_default();
        let law = "(LC 214/2025, art. 12, § 2º)";
        let parts: [(&'static str, String, &[&'static str]); 4] = [
            ("icms_na_base", format!("a base contém o ICMS, que sai dela {law}"), &["valor_icms"]),
            ("iss_na_base", format!("a base contém o ISS, que sai dela {law}"), &["valor_iss"]),
            (
                "pis_cofins_na_base",
                format!("a base contém PIS e COFINS, que saem dela {law}"),
                &["valor_pis", "valor_cofins"],
            ),
            (
                "tributos_na_base",
                format!("a base é o preço inteiro, e os tributos que estão nele saem dela {law}"),
                &["valor_icms", "valor_iss", "valor_pis", "valor_cofins"],
            ),
        ];
        for (codigo, sentence, names) in parts {
            self.ask(codigo, &sentence, false, |payload| {
                for name in names {
                    if figure(payload, name).is_some_and(|amount| !amount.is_zero()) {
                        payload.set(*name, Decimal::ZERO);
                    }
                }
            });
        }
        let mut icms_of = |codigo, sentence: &str, legitimate, amount: Decimal| {
            self.ask(codigo, sentence, legitimate, |payload| payload.set("valor_icms", amount));
        };
        icms_of("fcp_na_base", "a base não exclui o FCP", false, charged.saturating_sub(fcp));
        icms_of("difal_na_base", "a base não exclui o DIFAL", false, charged.saturating_sub(difal));
        let only_own = "a base exclui só o ICMS próprio";
        icms_of("so_icms_proprio", only_own, false, icms);
        let withheld = "a base exclui o ICMS retido na compra, que está no preço";
        icms_of("st_retido_fora_da_base", withheld, true, charged.saturating_add(st_retido));
        self.shift("st_na_base", st, &format!("a base contém o ICMS-ST, que sai dela {law}"), false);
        let (sentence, ipi) = (format!("a base contém o IPI, que sai dela {law}"), figure(self.payload, "valor_ipi"));
        if ipi.is_some_and(|ipi| !ipi.is_zero()) {
            self.ask("ipi_na_base", &sentence, false, |payload| payload.set("valor_ipi", Decimal::ZERO));
        }
        let whole = "é a tributação integral (cClassTrib 000001), e não a da classificação do documento";
        if self.payload.get("classificacao_tributaria").is_some() {
            self.ask("tributacao_integral", whole, false, |payload| payload.set("classificacao_tributaria", "000001"));
        }
    }
}

fn figure(payload: &EnginePayload, name: &str) -> Option<Decimal> {
    payload.get(name)?.figure()
}
