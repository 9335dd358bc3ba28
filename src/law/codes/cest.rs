//! The national list of goods that may be under ICMS substitution: which NCM codes each CEST has, and which CEST are no
//! longer in the table (Convênio ICMS nº 142/2018, Anexos II a XXVI).

use std::collections::BTreeSet;

use super::FaultyLine;
use crate::base::value::{Cest, Ncm, NcmPrefix};

/// What the third column says of a CEST that is no longer in the table.
const LEFT: &str = "saiu";

/// A CEST, and the codes that it applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CestDaLista {
    pub cest: Cest,
    /// Its NCM codes or the beginnings of them. None if the table does not limit the NCM.
    pub ncm: Vec<NcmPrefix>,
    /// True if it was in the table of 2018 and is not in that of October 2026.
    pub saiu: bool,
}

/// Reads the lines `cest;ncm,ncm;saiu`; those that begin with `#` are comments. Fails at the first faulty line, or at one
/// that is out of order.
pub fn read(text: &str) -> Result<Vec<CestDaLista>, FaultyLine> {
    let mut list: Vec<CestDaLista> = Vec::new();
    for (at, text) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let in_order = |item: &CestDaLista| list.last().is_none_or(|before| before.cest < item.cest);
        let item = line(text).filter(in_order);
        list.push(item.ok_or_else(|| FaultyLine { line: at + 1, text: text.to_owned() })?);
    }
    Ok(list)
}

fn line(line: &str) -> Option<CestDaLista> {
    let [cest, ncm, left] = line.split(';').collect::<Vec<_>>().try_into().ok()?;
    let ncm: Vec<NcmPrefix> =
        ncm.split(',').filter(|code| !code.is_empty()).map(NcmPrefix::parse).collect::<Result<_, _>>().ok()?;
    let cest = Cest::parse(cest).ok()?;
    (left.is_empty() || left == LEFT).then_some(CestDaLista { cest, ncm, saiu: left == LEFT })
}

/// The segments of the list that have the NCM, by their two digits, in order. Those of a CEST that has left the table do
/// not count.
pub fn segments_of<'l>(list: &'l [CestDaLista], ncm: &Ncm) -> BTreeSet<&'l str> {
    let has = |item: &&CestDaLista| !item.saiu && item.ncm.iter().any(|prefix| ncm.is_under(prefix));
    list.iter().filter(has).filter_map(|item| item.cest.as_str().get(..2)).collect()
}

/// Number and name of each segment of goods, in order (Convênio ICMS nº 142/2018, Anexo I). The first two digits of a CEST
/// are its segment. Segments 15, 18 and 27 are extinct: their goods are in segment 14.
pub const SEGMENTOS: [(&str, &str); 25] = [
    ("01", "Autopeças"),
    ("02", "Bebidas alcoólicas, exceto cerveja e chope"),
    ("03", "Cervejas, chopes, refrigerantes, águas e outras bebidas"),
    ("04", "Cigarros e outros produtos derivados do fumo"),
    ("05", "Cimentos"),
    ("06", "Combustíveis e lubrificantes"),
    ("07", "Energia elétrica"),
    ("08", "Ferramentas"),
    ("09", "Lâmpadas, reatores e \"starter\""),
    ("10", "Materiais de construção e congêneres"),
    ("11", "Materiais de limpeza"),
    ("12", "Materiais elétricos"),
    ("13", "Medicamentos e outros produtos farmacêuticos"),
    ("14", "Papéis, plásticos, produtos cerâmicos e vidros"),
    ("16", "Pneumáticos, câmaras de ar e protetores de borracha"),
    ("17", "Produtos alimentícios"),
    ("19", "Produtos de papelaria"),
    ("20", "Produtos de perfumaria, de higiene pessoal e cosméticos"),
    ("21", "Produtos eletrônicos, eletroeletrônicos e eletrodomésticos"),
    ("22", "Rações para animais domésticos"),
    ("23", "Sorvetes e preparados para sorvetes em máquinas"),
    ("24", "Tintas e vernizes"),
    ("25", "Veículos automotores"),
    ("26", "Veículos de duas e três rodas motorizados"),
    ("28", "Venda de mercadorias pelo sistema porta a porta"),
];

/// The name of a segment; `None` if the convênio has none of that number.
pub fn segmento(number: &str) -> Option<&'static str> {
    SEGMENTOS.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}
