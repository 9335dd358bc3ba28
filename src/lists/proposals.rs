//! Fields that columns may be, by the names that programs of accounting and sales give their columns. They are proposed,
//! and never taken without a word.

use super::cells::fold_name;
use super::fields::field_of_others;
use super::header::List;
use crate::document::{Field, nearest};
use crate::sheet::column_letters;
use crate::value::shorten;

/// Names of columns, without case and accents, and the fields that they may be: the likeliest name of a field first, and
/// the field that more taxes have.
const NAMES: &[(&[&str], &[&str])] = &[
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
        ],
    ),
    (&["codigo_tributacao_nacional"], &["ctribnac", "codigo tributacao", "cod tributacao nacional"]),
    (&["classificacao_tributaria"], &["cclasstrib", "cod class trib", "codigo classificacao tributaria"]),
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

impl List {
    /// A question for each column that is not a field but may be one.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        let hint = |(column, name, near): (usize, &str, &str)| {
            format!("A coluna {} (\"{}\") é o campo `{near}`?", column_letters(column), shorten(name))
        };
        self.proposals().into_iter().map(hint).collect()
    }

    /// The columns that are not a field but may be one, by their order: place, own name, and that of the field. No field is
    /// proposed twice.
    #[must_use]
    pub fn proposals(&self) -> Vec<(usize, &str, &'static str)> {
        let columns: Vec<_> = self.without_field().map(|(column, name)| (column, name, plain_name(name))).collect();
        let mut open: Vec<&'static Field> = Vec::new();
        for tax in self.taxes() {
            let without_column = tax.declared.iter().filter(|field| tax.columns_of(field.name).next().is_none());
            for field in without_column {
                if !open.iter().any(|one| one.name == field.name) {
                    open.push(field);
                }
            }
        }
        let mut found: Vec<(usize, &str, &'static str)> = Vec::new();
        let mut propose = |column: usize, name, field: &'static str, open: &mut Vec<&'static Field>| {
            if open.iter().any(|one| one.name == field) && !found.iter().any(|(one, ..)| *one == column) {
                open.retain(|one| one.name != field);
                found.push((column, name, field));
            }
        };
        for (column, name, folded) in &columns {
            let labelled = self.taxes().iter().find_map(|tax| field_of_others(tax.declared, folded));
            if let Some(field) = labelled {
                propose(*column, *name, field.name, &mut open);
            }
        }
        for (fields, words) in NAMES {
            for word in *words {
                let Some((column, name, _)) = columns.iter().find(|(.., folded)| folded == word) else { continue };
                for field in *fields {
                    propose(*column, *name, field, &mut open);
                }
            }
        }
        for (column, name, folded) in &columns {
            if let Some(field) = nearest(&folded.replace(' ', "_"), open.iter().map(|field| field.name)) {
                propose(*column, *name, field, &mut open);
            }
        }
        found.sort_by_key(|(column, ..)| *column);
        found
    }
}

/// The name of a column without case, accents and the sign of the currency.
fn plain_name(name: &str) -> String {
    fold_name(&name.replace("R$", " ")).trim().to_owned()
}
