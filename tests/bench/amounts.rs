//! The amount that each tax grows with.

/// The field with the amount, by tax.
pub const AMOUNTS: &[(&str, &str)] = &[
    ("icms_st", "valor_produto"),
    ("icms", "valor_produto"),
    ("icms_consumidor_final", "valor_produto"),
    ("ipva", "valor_venal"),
    ("itcmd", "valor_base"),
    ("iss", "preco_servico"),
    ("iptu", "valor_venal"),
    ("itbi", "valor_transacao"),
    ("ipi", "valor_produto"),
    ("pis", "valor_operacao"),
    ("cofins", "valor_operacao"),
    ("cbs", "valor_operacao"),
    ("ibs", "valor_operacao"),
    ("simples_nacional", "receita_mes"),
    ("irrf_servicos", "valor_servico"),
    ("csll_retida", "valor_servico"),
    ("pis_retido", "valor_servico"),
    ("cofins_retida", "valor_servico"),
    ("inss_retido", "valor_nota"),
    ("iss_retido", "preco_servico"),
];
