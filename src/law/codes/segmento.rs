//! The segments of goods under ICMS substitution: Convênio ICMS nº 142/2018, Anexo I. The first two digits of a CEST are
//! its segment. Segments 15, 18 and 27 are extinct: their goods are in segment 14.

/// Number and name of each segment, in order.
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
#[must_use]
pub fn segmento(number: &str) -> Option<&'static str> {
    SEGMENTOS.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}
