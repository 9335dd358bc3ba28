//! What no document says of its issuer.

use rust_decimal::Decimal;

use crate::base::value::Date;

taxd_base::vocabulary! {
    /// How a company that is not in the Simples Nacional pays PIS and COFINS; the words of `regime_apuracao`.
    pub enum RegimeDasContribuicoes {
        Cumulativo = "cumulativo",
        NaoCumulativo = "nao_cumulativo",
    }
}

taxd_base::vocabulary! {
    /// The Anexo of the services of a company of the Simples Nacional (LC 123/2006, art. 18, §§ 5º-B to 5º-M).
    pub enum AnexoDeServicos {
        Iii = "III",
        Iv = "IV",
        V = "V",
    }
}

/// The facts of a taxpayer that no document has. `None` is unknown, and is never guessed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contribuinte {
    /// How PIS and COFINS are charged.
    pub regime_pis_cofins: Option<RegimeDasContribuicoes>,
    /// Whether the goods that it sells are subject to IPI on their way out (RIPI, arts. 8º to 11).
    pub contribuinte_ipi: Option<bool>,
    /// Whether its parts go into self-propelled machines (Lei nº 10.485/2002).
    pub destinacao_autopropulsado: Option<bool>,
    /// Whether the maker or importer chose to pay by unit, as the laws of fuels and cigarettes allow.
    pub regime_por_unidade: Option<bool>,
    /// Prices at retail, for the products whose IPI is on them (cigarettes).
    pub precos_no_varejo: Vec<PrecoNoVarejo>,
    /// Treatments that the State granted to it.
    pub regimes_especiais: Vec<RegimeDoContribuinte>,
    /// Months in which it is in the Simples Nacional.
    pub simples: Vec<MesDoSimples>,
}

/// What the DAS of a month depends on, beside the revenue of the month itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MesDoSimples {
    /// The first day of the month.
    pub mes: Date,
    /// The revenue of twelve months within the country, and that of exports.
    pub receita_bruta_12_meses: Decimal,
    pub receita_exportacao_12_meses: Option<Decimal>,
    /// The revenue of the calendar year up to the end of the month.
    pub receita_bruta_ano: Option<Decimal>,
    /// The first day of activity, if it began less than thirteen months before.
    pub inicio_atividade: Option<Date>,
    pub anexo_servicos: Option<AnexoDeServicos>,
}

/// The price at retail of a product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrecoNoVarejo {
    /// The issuer's code of the product (`cProd`).
    pub produto: String,
    /// The price of one unit of `qCom`.
    pub preco: Decimal,
    /// First day; `None` if it has always been so.
    pub desde: Option<Date>,
    /// Last day; `None` while it lasts.
    pub ate: Option<Date>,
}

/// A treatment that applies to one taxpayer: a difference may follow from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegimeDoContribuinte {
    /// The tax that it changes.
    pub tributo: String,
    /// First day.
    pub desde: Date,
    /// Last day; `None` while it lasts.
    pub ate: Option<Date>,
    /// What it is, in the taxpayer's words.
    pub descricao: String,
}

impl Contribuinte {
    /// The price at retail of one unit of a product on a day.
    pub fn preco_no_varejo(&self, produto: &str, day: Date) -> Option<Decimal> {
        let applies = |price: &&PrecoNoVarejo| {
            price.produto == produto
                && price.desde.is_none_or(|desde| desde <= day)
                && price.ate.is_none_or(|ate| day <= ate)
        };
        self.precos_no_varejo.iter().find(applies).map(|price| price.preco)
    }

    /// What is known of it in the Simples Nacional in the month of a day.
    pub fn simples_em(&self, day: Date) -> Option<&MesDoSimples> {
        self.simples.iter().find(|of| of.mes.ordinal() / 100 == day.ordinal() / 100)
    }

    /// The treatment of a tax on a day.
    pub fn regime_especial(&self, tributo: &str, day: Date) -> Option<&RegimeDoContribuinte> {
        let applies = |regime: &&RegimeDoContribuinte| {
            regime.tributo == tributo && regime.desde <= day && regime.ate.is_none_or(|ate| day <= ate)
        };
        self.regimes_especiais.iter().find(applies)
    }
}
