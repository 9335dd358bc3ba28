//! ISS of an NFS-e, and of a service on a document of goods.

use serde_json::Value;

use super::PlannedLine;
use super::compare::{Comparison, Declared, Members, Question};
use super::finding::{AuditLine, Layer};
use crate::nfe::payloads::{self, Pedido};
use crate::nfe::{Contribuinte, ItemDaNota, NotaDeServico, Tag};
use crate::value::Date;

const ISS: Members =
    Members { valores: &["valor"], aliquota: "detalhes.aliquota_aplicada", base: "detalhes.preco_servico" };

const SIMPLES: &str = "optante do Simples Nacional: a alíquota é a do regime unificado";

/// The line of an NFS-e.
pub(super) fn of_service(
    nota: &NotaDeServico,
    data: Date,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let line = AuditLine { ncm: nota.item_lista.clone(), ..line.clone().in_layer(Layer::Lei, "iss") };
    let ready = |line: AuditLine| vec![PlannedLine::Ready(Box::new(line))];
    if !nota.ilegiveis.is_empty() {
        return ready(line.refused("campo_ilegivel", "um campo da nota não é legível: o imposto não é calculado"));
    }
    if nota.simples {
        return ready(line.not_applicable(SIMPLES));
    }
    if nota.exigivel == Some(false) {
        return ready(line.not_applicable("isenta, imune, exportada, suspensa ou sem incidência, pela nota"));
    }
    if nota.por_profissional {
        return ready(
            line.refused("numero_profissionais_ausente", "o imposto é por profissional, e a nota não diz quantos são"),
        );
    }
    let declared = Declared { valor: nota.valor.unwrap_or_default(), aliquota: nota.aliquota, base: nota.base };
    ask(payloads::iss_of(nota, data), declared, data, contribuinte, line)
}

/// The line of an item with the group `ISSQN`.
pub(super) fn of_item(
    item: &ItemDaNota,
    data: Date,
    simples: bool,
    contribuinte: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let line = line.clone().in_layer(Layer::Lei, "iss");
    if simples {
        return vec![PlannedLine::Ready(Box::new(line.not_applicable(SIMPLES)))];
    }
    let get = |tag: Tag| item.figuras.get(tag);
    let declared = Declared {
        valor: item.figuras.or_zero(Tag::IssValor),
        aliquota: get(Tag::IssAliquota),
        base: get(Tag::IssBase),
    };
    let price = item.figuras.or_zero(Tag::Produto).saturating_sub(item.figuras.or_zero(Tag::Desconto));
    let item_lista = item.item_lista.trim_start_matches('0');
    ask(payloads::iss(&item.municipio, item_lista, price, data), declared, data, contribuinte, line)
}

fn ask(
    pedido: Option<Pedido>,
    declarado: Declared,
    data: Date,
    contribuinte: &Contribuinte,
    linha: AuditLine,
) -> Vec<PlannedLine> {
    let Some(pedido) = pedido else {
        let detail = "o documento não traz o município de incidência pelo código do IBGE, ou o preço do serviço";
        return vec![PlannedLine::Ready(Box::new(linha.refused("municipio_ausente", detail)))];
    };
    let special = contribuinte.regime_especial("iss", data);
    let duvida = special.map(|regime| format!("regime especial do contribuinte: {}", regime.descricao));
    let comparison = Comparison { onde: &ISS, declarado, duvida, linha };
    let pedido = serde_json::to_vec(&Value::Object(pedido)).unwrap_or_default();
    vec![PlannedLine::Question(Box::new(Question { pedido, comparacoes: vec![comparison], ncm: None }))]
}
