//! Facts to payloads: what a document declares becomes the question that the engine answers.
//!
//! Amounts that feed another tax (the ICMS in the base of PIS, the PIS in the base of CBS) are the declared ones, so that
//! one error is reported once, in its own tax.

mod retencoes;

use rust_decimal::Decimal;

use super::{Contribuinte, ItemDaNota, NotaDeServico, NotaFiscal, ReformaDoServico, Tag};
use crate::base::document::{Node, Object};
use crate::base::value::{Date, Exact, Municipio, Uf};

pub use retencoes::Retencao;

/// The first day of the Imposto Seletivo (ADCT, art. 126, I, b).
const SELETIVO: Date = Date::first_of(2027);

/// A payload of the service, of any tax.
pub type EnginePayload = Object<'static>;

struct Fields(EnginePayload);

impl Fields {
    fn of(tributo: &'static str) -> Fields {
        // Made at once as long as the longest payload.
        Fields(Object(Vec::with_capacity(16))).text("tributo", tributo)
    }

    fn text(mut self, name: &'static str, value: impl Into<Node<'static>>) -> Fields {
        self.0.set(name, value);
        self
    }

    /// A text that the payload leaves out if the document has none.
    fn optional(self, name: &'static str, value: &str) -> Fields {
        if value.is_empty() { self } else { self.text(name, value.to_owned()) }
    }

    fn amount(mut self, name: &'static str, value: Decimal) -> Fields {
        self.0.set(name, value);
        self
    }

    /// An amount that the payload leaves out if the document has none, or zero.
    fn positive(self, name: &'static str, value: Option<Decimal>) -> Fields {
        match value.filter(|value| *value > Decimal::ZERO) {
            Some(value) => self.amount(name, value),
            None => self,
        }
    }

    /// A flag that the payload leaves out if it is not known.
    fn option(self, name: &'static str, value: Option<bool>) -> Fields {
        match value {
            Some(value) => self.flag(name, value),
            None => self,
        }
    }

    fn flag(mut self, name: &'static str, value: bool) -> Fields {
        self.0.set(name, value);
        self
    }
}

/// Goods, or a service on a document of goods, with what every question needs.
pub struct Mercadoria<'d> {
    pub nota: &'d NotaFiscal,
    pub item: &'d ItemDaNota,
    /// The day of issue.
    pub day: Date,
}

impl Mercadoria<'_> {
    fn valor(&self, tag: Tag) -> Decimal {
        self.item.figures.or_zero(tag)
    }

    /// Price less the discount.
    fn preco(&self) -> Decimal {
        self.valor(Tag::Produto).saturating_sub(self.valor(Tag::Desconto))
    }

    /// Insurance and other charges.
    fn despesas(&self) -> Decimal {
        self.item.figures.sum(&[Tag::Seguro, Tag::Outras])
    }

    /// The freight in the base of the ICMS: of a carriage by the seller, or for its account (LC 87/1996, art. 13, § 1º, II, b).
    fn frete_proprio(&self) -> Decimal {
        if self.nota.frete_de_outro { Decimal::ZERO } else { self.valor(Tag::Frete) }
    }

    /// Price with freight and charges, less the exempted ICMS that the item deducts: the revenue of the item.
    pub fn operacao(&self) -> Decimal {
        let deducted = self.item.deduz_desonerado == Some(true);
        let exempted = if deducted { self.valor(Tag::IcmsDesonerado) } else { Decimal::ZERO };
        let charged = self.preco().saturating_add(self.valor(Tag::Frete)).saturating_add(self.despesas());
        charged.saturating_sub(exempted)
    }

    fn ufs(&self) -> Option<(&'static str, &'static str)> {
        Some((self.nota.uf_origem?.as_str(), self.nota.uf_destino?.as_str()))
    }

    /// The fields that the three taxes of the State share; `None` if a UF is missing.
    fn state(&self, tributo: &'static str, frete: Decimal) -> Option<Fields> {
        let (origem, destino) = self.ufs()?;
        // Codes 6 and 7 are imported goods without a national equivalent, to which 4 % does not apply (Resolução SF
        // 13/2012, art. 1º, § 4º, I); 4 and 5 are national.
        let imported = matches!(self.item.origem, Some(1 | 2 | 3 | 8));
        Some(
            Fields::of(tributo)
                .text("uf_origem", origem)
                .text("uf_destino", destino)
                .text("ncm", self.item.ncm.clone())
                .amount("valor_produto", self.preco())
                .amount("frete", frete)
                .amount("despesas", self.despesas())
                .text("data_operacao", self.day.to_string())
                .text("origem_mercadoria", if imported { "importada" } else { "nacional" }),
        )
    }

    /// The own ICMS of a sale for resale or industry.
    pub fn icms(&self) -> Option<EnginePayload> {
        let quantity = self.item.figures.get(Tag::MonoQuantidade);
        let fields = self.state("icms", self.frete_proprio())?.positive("quantidade", quantity);
        Some(if quantity.is_some() { fields.text("papel_na_cadeia", "fabricante_importador").0 } else { fields.0 })
    }

    /// The own ICMS of an interstate sale to a final consumer. The IPI is in its base (CF, art. 155, § 2º, XI).
    pub fn icms_interestadual_de_consumo(&self) -> Option<EnginePayload> {
        let charges = self.despesas().saturating_add(self.valor(Tag::IpiValor));
        Some(self.state("icms", self.frete_proprio())?.amount("despesas", charges).0)
    }

    /// The ICMS of a sale to a final consumer. The IPI is in its base.
    pub fn icms_consumidor_final(&self) -> Option<EnginePayload> {
        let fields =
            self.state("icms_consumidor_final", self.frete_proprio())?.amount("ipi", self.valor(Tag::IpiValor));
        Some(fields.flag("destinatario_contribuinte", self.nota.contribuinte).0)
    }

    /// The ICMS that the seller withholds. Any freight that the buyer pays is in its base (Convênio ICMS 142/2018, cláusula
    /// décima).
    pub fn icms_st(&self) -> Option<EnginePayload> {
        let fields = self.state("icms_st", self.valor(Tag::Frete))?.amount("ipi", self.valor(Tag::IpiValor));
        let simples = self.nota.icms_in_simples().then_some(true);
        Some(
            fields
                .option("regime_simples_nacional", simples)
                .optional("cest", &self.item.cest)
                .positive("quantidade", self.item.figures.get(Tag::QuantidadeTributavel))
                .0,
        )
    }

    /// IPI. An unconditional discount is not in its base (STF, RE 567.935; Resolução do Senado 1/2017).
    pub fn ipi(&self, of: &Contribuinte) -> EnginePayload {
        let unit = of.preco_no_varejo(&self.item.codigo, self.day);
        let retail = unit
            .and_then(|unit| (Exact::from(unit) * Exact::from(self.item.figures.get(Tag::Quantidade)?)).round(2).ok());
        Fields::of("ipi")
            .positive("preco_venda_varejo", retail)
            .option("regime_especial", of.regime_por_unidade)
            .text("ncm", self.item.ncm.clone())
            .optional("ex", &self.item.ex)
            .amount("valor_produto", self.preco())
            .amount("frete", self.valor(Tag::Frete))
            .amount("despesas", self.despesas())
            .positive("quantidade", self.item.figures.get(Tag::IpiQuantidade))
            .text("data_operacao", self.day.to_string())
            .0
    }

    /// PIS or COFINS on a declared base; `None` if the regime of the taxpayer is not known. ICMS that was withheld in the
    /// purchase leaves the base too (STJ, Tema 1.125): who did not take it out is asked as it did.
    pub fn contribuicao(
        &self,
        tributo: &'static str,
        cst: &str,
        (base, quantity): (Tag, Tag),
        of: &Contribuinte,
    ) -> Option<EnginePayload> {
        let charged = self.valor(Tag::IcmsValor);
        let withheld = charged.saturating_add(self.valor(Tag::StRetido));
        let without = self.item.figures.get(base) == Some(self.operacao().saturating_sub(withheld));
        let icms = if without { withheld } else { charged };
        let papel = match cst {
            "02" | "03" => "fabricante_importador",
            "04" => "revenda",
            _ if self.item.producao_propria() => "fabricante_importador",
            _ if self.item.revenda() => "revenda",
            _ => "",
        };
        let fields = Fields::of(tributo)
            .text("regime_apuracao", of.regime_pis_cofins?.as_str())
            .optional("ncm", if self.item.servico { "" } else { &self.item.ncm })
            .optional("ex", &self.item.ex)
            .optional("papel_na_cadeia", papel)
            .optional("venda_a", if self.nota.consumidor_final { "varejista_consumidor_final" } else { "" })
            .amount("valor_operacao", self.operacao())
            .amount("valor_icms_destacado", icms)
            .positive("quantidade", self.item.figures.get(quantity))
            .text("data_operacao", self.day.to_string());
        let fields = fields.option("destinacao_autopropulsado", of.destinacao_autopropulsado);
        Some(fields.option("regime_especial", of.regime_por_unidade).0)
    }

    /// Whether the product is a single-phase one, of which a reseller pays no PIS: what a company of the Simples Nacional has to
    /// segregate (LC 123/2006, art. 18, § 4º-A, I). Its own regime has no rule for a product, so that of another is asked.
    pub fn monofasia(&self, of: &Contribuinte) -> EnginePayload {
        let fields = Fields::of("pis")
            .text("regime_apuracao", "cumulativo")
            .optional("ncm", &self.item.ncm)
            .optional("ex", &self.item.ex)
            .text("papel_na_cadeia", "revenda")
            .amount("valor_operacao", self.operacao())
            .amount("valor_icms_destacado", Decimal::ZERO)
            .text("data_operacao", self.day.to_string());
        fields.option("destinacao_autopropulsado", of.destinacao_autopropulsado).0
    }

    /// PIS or COFINS of the resale by who buys the goods, in the non-cumulative regime: of a product without a treatment of
    /// its own its amount is the credit of the purchase. `icms` is what is left out of the base.
    pub fn credito(&self, tributo: &'static str, icms: Decimal, of: &Contribuinte) -> EnginePayload {
        let fields = Fields::of(tributo)
            .text("regime_apuracao", "nao_cumulativo")
            .optional("ncm", &self.item.ncm)
            .optional("ex", &self.item.ex)
            .text("papel_na_cadeia", "revenda")
            .amount("valor_operacao", self.operacao())
            .amount("valor_icms_destacado", icms)
            .text("data_operacao", self.day.to_string());
        fields.option("destinacao_autopropulsado", of.destinacao_autopropulsado).0
    }

    /// CBS or IBS. The Imposto Seletivo is not in the price, and enters the base since it is due. ICMS that was withheld in
    /// the purchase leaves the base as it leaves that of PIS and COFINS: who did not take it out is asked as it did.
    pub fn reforma(&self, tributo: &'static str) -> EnginePayload {
        let icms = [Tag::IcmsValor, Tag::FcpValor, Tag::MonoValor, Tag::DestinoValor, Tag::DestinoFcpValor];
        let total = self.operacao().saturating_add(self.item.figures.sum(&[Tag::ImpostoImportacao, Tag::IpiValor]));
        let service = self.item.servico;
        let icms = self.item.figures.sum(&icms);
        let others = [Tag::IssValor, Tag::PisValor, Tag::CofinsValor, Tag::IpiValor];
        let withheld = icms.saturating_add(self.valor(Tag::StRetido));
        let without = total.saturating_sub(withheld).saturating_sub(self.item.figures.sum(&others));
        let icms = if self.item.figures.get(Tag::ReformaBase) == Some(without) { withheld } else { icms };
        Fields::of(tributo)
            .amount("valor_operacao", total)
            .amount("valor_icms", icms)
            .amount("valor_iss", self.valor(Tag::IssValor))
            .amount("valor_pis", self.valor(Tag::PisValor))
            .amount("valor_cofins", self.valor(Tag::CofinsValor))
            .amount("valor_ipi", self.valor(Tag::IpiValor))
            .flag("cumpre_obrigacoes_acessorias", true)
            .flag("optante_simples", false)
            .optional("ncm", if service { "" } else { &self.item.ncm })
            .optional("item_lista_servico", if service { &self.item.item_lista } else { "" })
            .optional("classificacao_tributaria", &self.item.classificacao)
            .positive("valor_is", self.item.figures.get(Tag::SeletivoValor).filter(|_| self.day >= SELETIVO))
            .text("data_operacao", self.day.to_string())
            .0
    }
}

/// ISS of a municipality that its IBGE code names; `None` if the code names none.
pub fn iss(municipio: &str, item_lista: &str, preco: Decimal, day: Date) -> Option<EnginePayload> {
    let municipio = municipio.parse().ok().and_then(Municipio::of_ibge_code)?;
    let fields = Fields::of("iss").text("uf", municipio.uf().as_str()).text("municipio", municipio.name());
    let fields = fields.text("item_lista_servico", item_lista.to_owned()).amount("preco_servico", preco);
    Some(fields.text("data", day.to_string()).0)
}

/// ISS of an NFS-e.
pub fn iss_of(nota: &NotaDeServico, day: Date) -> Option<EnginePayload> {
    let price = nota.preco?.saturating_sub(nota.deducoes);
    let mut payload = iss(&nota.municipio, &nota.item_lista, price, day)?;
    if nota.codigo_nacional.len() == 6 {
        payload.set("codigo_tributacao_nacional", nota.codigo_nacional.clone());
    }
    Some(payload)
}

/// PIS or COFINS of an NFS-e; `None` if the price or the regime of the provider is not known.
pub fn contribuicao_de(
    tributo: &'static str,
    nota: &NotaDeServico,
    day: Date,
    of: &Contribuinte,
) -> Option<EnginePayload> {
    let fields = Fields::of(tributo)
        .text("regime_apuracao", of.regime_pis_cofins?.as_str())
        .amount("valor_operacao", nota.preco?)
        .amount("valor_icms_destacado", Decimal::ZERO);
    Some(fields.text("data_operacao", day.to_string()).0)
}

/// CBS or IBS of an NFS-e; `None` if the price is not known.
pub fn reforma_of(
    tributo: &'static str,
    nota: &NotaDeServico,
    reforma: &ReformaDoServico,
    day: Date,
) -> Option<EnginePayload> {
    let price = nota.preco?.saturating_sub(reforma.reembolsos);
    let [pis, cofins] = nota.pis_cofins;
    let fields = Fields::of(tributo)
        .amount("valor_operacao", price)
        .amount("valor_icms", Decimal::ZERO)
        .amount("valor_ipi", Decimal::ZERO)
        .amount("valor_iss", nota.valor.unwrap_or_default())
        .amount("valor_pis", pis)
        .amount("valor_cofins", cofins)
        .flag("cumpre_obrigacoes_acessorias", true)
        .flag("optante_simples", false)
        .optional("item_lista_servico", &nota.item_lista)
        .optional("classificacao_tributaria", &reforma.classificacao);
    Some(fields.text("data_operacao", day.to_string()).0)
}

/// CBS or IBS on a base that already is without what leaves it.
pub fn reforma_sobre(
    tributo: &'static str,
    base: Decimal,
    item_lista: &str,
    classificacao: &str,
    day: Date,
) -> EnginePayload {
    let none = ["valor_icms", "valor_iss", "valor_pis", "valor_cofins", "valor_ipi"];
    let fields = none.into_iter().fold(Fields::of(tributo), |fields, name| fields.amount(name, Decimal::ZERO));
    fields
        .amount("valor_operacao", base)
        .flag("cumpre_obrigacoes_acessorias", true)
        .flag("optante_simples", false)
        .optional("item_lista_servico", item_lista)
        .optional("classificacao_tributaria", classificacao)
        .text("data_operacao", day.to_string())
        .0
}

/// The ICMS of a carriage, on the base that its document declares.
pub fn icms_do_transporte(from: Uf, to: Uf, base: Decimal, day: Date) -> EnginePayload {
    let fields = Fields::of("icms").text("uf_origem", from.as_str()).text("uf_destino", to.as_str());
    fields.amount("valor_produto", base).text("data_operacao", day.to_string()).0
}
