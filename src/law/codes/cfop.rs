//! The nature of an operation, by its CFOP.
//!
//! The table decides what is asked of a document, and never accuses it: its groups follow the official ones, and whether
//! IPI, ST and revenue can arise is a judgement.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::file;

taxd_base::vocabulary! {
    pub enum GrupoCfop {
        Venda = "venda",
        Transferencia = "transferencia",
        Devolucao = "devolucao",
        Remessa = "remessa",
        Retorno = "retorno",
        Servico = "servico",
        Ativo = "ativo",
        Consumo = "consumo",
        Compra = "compra",
        Outra = "outra",
    }

    /// Who made the goods.
    pub enum Producao {
        Propria = "propria",
        Terceiros = "terceiros",
    }
}

/// What the CFOP of an operation says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NaturezaCfop {
    pub grupo: GrupoCfop,
    /// A stable name within the group.
    pub nome: &'static str,
    /// `None` if the CFOP does not say.
    pub producao: Option<Producao>,
    /// Whether the sender may owe IPI, in the words of the table.
    pub ipi: &'static str,
    /// Whether the sender may owe ICMS-ST, in the words of the table.
    pub st: &'static str,
    /// Whether the operation is revenue, or takes back a purchase, in the words of the table.
    pub receita: &'static str,
}

/// The nature of a CFOP of four digits; `None` if the table does not have it.
pub fn natureza(cfop: &str) -> Option<&'static NaturezaCfop> {
    // A unit test reads the file, so that none with a faulty line is built in.
    static TABLE: LazyLock<HashMap<&'static str, NaturezaCfop, FixedState>> = LazyLock::new(|| {
        let lines = file("cfop").lines().filter(|line| !line.starts_with('#'));
        lines.filter_map(read_natureza).collect()
    });
    TABLE.get(cfop)
}

/// A line of the table; `None` if it is faulty.
pub fn read_natureza(line: &'static str) -> Option<(&'static str, NaturezaCfop)> {
    let cells: [&str; 7] = line.split(';').collect::<Vec<_>>().try_into().ok()?;
    let [cfop, grupo, nome, producao, ipi, st, receita] = cells;
    let producao = if producao.is_empty() { None } else { Some(Producao::from_word(producao)?) };
    let is_code = cfop.len() == 4 && cfop.bytes().all(|byte| byte.is_ascii_digit());
    let natureza = NaturezaCfop { grupo: GrupoCfop::from_word(grupo)?, nome, producao, ipi, st, receita };
    (is_code && !nome.is_empty()).then_some((cfop, natureza))
}

impl NaturezaCfop {
    /// A sale or a transfer of the issuer's own make. Work for another (`industrializacao_para_terceiro`) is none.
    pub fn is_own_make(&self) -> bool {
        let is_sale = self.nome.starts_with("venda") || self.nome == "exportacao_producao_propria";
        self.producao == Some(Producao::Propria) && (is_sale || self.is_transfer())
    }

    /// A sale of goods that the issuer bought.
    pub fn is_resale(&self) -> bool {
        self.nome.starts_with("revenda") || self.nome == "exportacao_de_terceiros"
    }

    /// Between establishments of one company: goods, assets and consumption.
    pub fn is_transfer(&self) -> bool {
        self.nome.starts_with("transferencia")
    }

    /// A return of what the issuer sold, which is deducted from its revenue.
    pub fn is_return_of_sale(&self) -> bool {
        self.grupo == GrupoCfop::Devolucao && self.receita == "reduz_receita"
    }

    /// A return of what the issuer bought, goods that it received for export included.
    pub fn is_return_of_purchase(&self) -> bool {
        self.grupo == GrupoCfop::Devolucao && self.receita == "devolve_compra"
    }

    /// Of goods that leave, or left, for an export by another company.
    pub fn is_for_export(&self) -> bool {
        matches!(self.nome, "remessa_fim_exportacao" | "devolucao_fim_exportacao" | "devolucao_de_remessa_exportacao")
    }

    /// A return, or the annulment of an amount.
    pub fn is_return(&self) -> bool {
        self.nome.starts_with("devolucao") || self.nome.starts_with("anulacao")
    }
}
