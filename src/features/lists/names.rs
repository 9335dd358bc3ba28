//! What people call the columns of a list, and the fields that these names may mean.

use crate::base::document::Field;
use crate::base::value::fold;

/// Names of columns, without case and accents, and the fields that they may be: the likeliest name of a field first, and
/// the field that more taxes have.
pub(super) const NAMES: &[(&[&str], &[&str])] = &[
    (
        &["ncm"],
        &["codigo ncm", "cod ncm", "ncm sh", "codigo ncm sh", "classificacao fiscal", "class fiscal", "cod fiscal"],
    ),
    (&["cest"], &["codigo cest", "cod cest"]),
    (&["ex"], &["ex tipi", "ex ncm", "excecao tipi"]),
    (
        &["data_operacao", "data"],
        &[
            "data emissao",
            "data de emissao",
            "dt emissao",
            "emissao",
            "dh emissao",
            "dhemi",
            "data da nota",
            "data nota",
            "data nf",
            "data da venda",
            "data venda",
            "data da operacao",
            "data da prestacao",
            "data saida",
            "dt saida",
            "data",
            "dt",
        ],
    ),
    (&["data_fato_gerador"], &["data do fato gerador", "fato gerador", "data", "dt"]),
    (
        &["valor_produto", "valor_operacao"],
        &[
            "valor total do produto",
            "valor total produto",
            "valor total do item",
            "valor total item",
            "vlr total item",
            "vl total item",
            "valor do item",
            "valor item",
            "vprod",
            "valor do produto",
            "valor produto",
            "vlr produto",
            "vl produto",
            "valor dos produtos",
            "valor produtos",
            "valor das mercadorias",
            "valor mercadorias",
            "valor da mercadoria",
            "valor mercadoria",
            "valor da operacao",
            "valor operacao",
            "valor da venda",
            "valor venda",
            "valor total",
            "vlr total",
            "vl total",
            "valor",
            "vlr",
            "vl",
            "preco total",
            "preco de venda",
            "preco venda",
            "preco",
        ],
    ),
    (
        &["preco_servico"],
        &[
            "valor do servico",
            "valor servico",
            "valor dos servicos",
            "valor servicos",
            "vlr servico",
            "vl servico",
            "valor da nota",
            "valor nota",
            "valor nf",
            "valor nfse",
            "valor bruto",
            "valor total",
            "valor",
            "vlr",
            "vl",
            "preco",
        ],
    ),
    (&["valor_transacao"], &["valor da transacao", "valor do negocio", "valor da venda", "preco", "valor"]),
    (&["valor_venal"], &["valor fipe", "fipe", "valor do veiculo", "valor do imovel", "valor"]),
    (&["valor_base"], &["valor do bem", "valor dos bens", "valor doado", "valor"]),
    (
        &["uf_origem"],
        &[
            "uf do emitente",
            "uf emitente",
            "uf emit",
            "uf do remetente",
            "uf remetente",
            "uf da empresa",
            "uf empresa",
            "uf filial",
            "uf do vendedor",
            "uf vendedor",
            "uf orig",
            "estado de origem",
            "estado origem",
        ],
    ),
    (
        &["uf_destino"],
        &[
            "uf do destinatario",
            "uf destinatario",
            "uf dest",
            "uf do cliente",
            "uf cliente",
            "uf do comprador",
            "uf comprador",
            "uf de entrega",
            "uf entrega",
            "estado de destino",
            "estado destino",
            "estado do cliente",
            "estado cliente",
            "destino",
            "uf",
            "estado",
        ],
    ),
    (&["uf"], &["uf da prestacao", "uf prestacao", "sigla uf", "estado"]),
    (
        &["municipio"],
        &["municipio da prestacao", "municipio prestacao", "municipio de incidencia", "local da prestacao", "cidade"],
    ),
    (
        &["item_lista_servico"],
        &[
            "codigo do servico",
            "codigo servico",
            "cod servico",
            "item lc 116",
            "item lc116",
            "lc 116",
            "lc116",
            "item da lista",
            "item lista",
            "subitem",
            "servico",
        ],
    ),
    (&["codigo_tributacao_nacional"], &["ctribnac", "codigo tributacao", "cod tributacao nacional"]),
    (&["classificacao_tributaria"], &["cclasstrib", "cod class trib", "codigo classificacao tributaria"]),
    (
        &["categoria_veiculo"],
        &["categoria do veiculo", "categoria", "tipo de veiculo", "tipo do veiculo", "especie", "tipo"],
    ),
    (&["exercicio"], &["ano", "ano do exercicio"]),
    // The "ano" of a list of vehicles is that of their make.
    (&["data_fato_gerador"], &["ano do fato gerador", "exercicio", "ano do exercicio"]),
    (&["frete"], &["valor do frete", "valor frete", "vlr frete", "vl frete"]),
    (&["seguro"], &["valor do seguro", "valor seguro", "vlr seguro", "vl seguro"]),
    (&["despesas"], &["outras despesas", "despesas acessorias", "valor despesas", "vlr despesas", "vl despesas"]),
    (&["desconto"], &["valor do desconto", "valor desconto", "vlr desconto", "vl desconto", "descontos"]),
    (&["ipi", "valor_ipi"], &["valor do ipi", "valor ipi", "vlr ipi", "vl ipi", "ipi"]),
    (&["valor_icms_destacado", "valor_icms"], &["valor do icms", "valor icms", "vlr icms", "vl icms", "icms"]),
    (&["valor_iss"], &["valor do iss", "valor iss", "vlr iss", "vl iss", "iss"]),
    (&["valor_pis"], &["valor do pis", "valor pis", "vlr pis", "vl pis", "pis"]),
    (&["valor_cofins"], &["valor da cofins", "valor cofins", "vlr cofins", "vl cofins", "cofins"]),
    (&["quantidade"], &["qtde", "qtd", "quant"]),
];

/// The names that mean one field of a payload alone, and the field.
const USUAL: &[(&str, &str)] = &[("servico", "item_lista_servico"), ("categoria", "categoria_veiculo")];

/// The column that is the field by a usual name; `None` if there is none, or if another column may be the field.
pub(super) fn usual_column(field: &Field, names: &[String]) -> Option<usize> {
    let may_be = |folded: &str| {
        USUAL.contains(&(folded, field.name))
            || NAMES.iter().any(|(fields, words)| fields.contains(&field.name) && words.contains(&folded))
    };
    if !USUAL.iter().any(|(_, campo)| *campo == field.name) {
        return None;
    }
    let folded: Vec<String> = names.iter().map(|name| plain_name(name)).collect();
    let mut columns = folded.iter().enumerate().filter(|(_, name)| may_be(name));
    let (place, name) = columns.next().filter(|_| columns.next().is_none())?;
    USUAL.contains(&(name.as_str(), field.name)).then_some(place)
}

/// A name without case, accents and punctuation: `Valor do produto` and `valor_do_produto` are the same.
pub(super) fn fold_name(name: &str) -> String {
    fold(&name.replace(['_', '.', '/'], " "))
}

/// The name of a column without case, accents and the sign of the currency.
pub(super) fn plain_name(name: &str) -> String {
    fold_name(&name.replace("R$", " ")).trim().to_owned()
}
