//! The questions, as tables: every kind asks each of its subjects in each of its places.

use serde_json::{Value, json};
use taxd_base::value::Uf;

use super::products::{EVERYDAY, GOODS};
use crate::support::with;

/// The day of the questions. Taxes of a year are asked for 2026.
const DAY: &str = "2026-11-25";

/// The ten UFs with the largest populations (census of 2022).
const LARGEST: &[&str] = &["BA", "CE", "MG", "PA", "PE", "PR", "RJ", "RS", "SC", "SP"];
/// The ten largest that are not São Paulo, from where the goods come.
const OUTSIDE_SP: &[&str] = &["BA", "CE", "GO", "MG", "PA", "PE", "PR", "RJ", "RS", "SC"];

const CAPITALS: &[(&str, &str)] = &[
    ("AC", "Rio Branco"),
    ("AL", "Maceió"),
    ("AM", "Manaus"),
    ("AP", "Macapá"),
    ("BA", "Salvador"),
    ("CE", "Fortaleza"),
    ("DF", "Brasília"),
    ("ES", "Vitória"),
    ("GO", "Goiânia"),
    ("MA", "São Luís"),
    ("MG", "Belo Horizonte"),
    ("MS", "Campo Grande"),
    ("MT", "Cuiabá"),
    ("PA", "Belém"),
    ("PB", "João Pessoa"),
    ("PE", "Recife"),
    ("PI", "Teresina"),
    ("PR", "Curitiba"),
    ("RJ", "Rio de Janeiro"),
    ("RN", "Natal"),
    ("RO", "Porto Velho"),
    ("RR", "Boa Vista"),
    ("RS", "Porto Alegre"),
    ("SC", "Florianópolis"),
    ("SE", "Aracaju"),
    ("SP", "São Paulo"),
    ("TO", "Palmas"),
];

/// Service items that small and medium firms bill, in plain words.
const SERVICES: &[(&str, &str)] = &[
    ("1.01", "desenvolvimento de sistemas"),
    ("1.05", "licença de programa"),
    ("1.07", "suporte técnico em informática"),
    ("4.01", "consulta médica"),
    ("4.03", "clínica"),
    ("4.12", "dentista"),
    ("6.01", "cabeleireiro"),
    ("7.01", "engenharia"),
    ("7.02", "obra"),
    ("7.10", "limpeza"),
    ("8.01", "escola"),
    ("9.01", "hotel"),
    ("10.05", "corretagem de imóveis"),
    ("11.02", "vigilância"),
    ("14.01", "conserto"),
    ("16.01", "transporte municipal"),
    ("17.01", "consultoria"),
    ("17.06", "publicidade"),
    ("17.14", "advocacia"),
    ("17.19", "contabilidade"),
];

/// Category, fuel, value, power (cv) and displacement (cm³) of a usual vehicle.
const VEHICLES: &[(&str, &str, &str, u32, u32)] = &[
    ("automovel", "flex", "60000.00", 82, 999),
    ("motocicleta", "flex", "16000.00", 15, 162),
    ("caminhonete", "diesel", "180000.00", 200, 2755),
    ("caminhao", "diesel", "350000.00", 280, 6690),
    ("onibus_micro_onibus", "diesel", "400000.00", 170, 3760),
    ("pcd", "flex", "65000.00", 116, 999),
];

/// A question of an accountant: one call of the service.
pub struct Question {
    /// What is counted together.
    pub kind: &'static str,
    pub place: String,
    pub subject: String,
    pub payload: Value,
}

/// The kinds of the count, then those that are counted apart, each with its number of questions.
pub const KINDS: &[(&str, usize)] = &[
    ("pis_cofins", 120),
    ("icms", 200),
    ("ipva", 162),
    ("itbi", 27),
    ("iss", 540),
    ("iptu", 81),
    ("icms_st", 200),
    ("apart: icms_st_without_cest", 200),
    ("apart: icms_general", 27),
    ("apart: icms_interstate", 702),
    ("apart: itcmd", 54),
    ("apart: cbs", 60),
];

/// How many kinds are in the count.
pub const COUNTED: usize = 7;

/// Every question, kind after kind.
pub fn all() -> Vec<Question> {
    let kinds = [
        pis_cofins(),
        icms(),
        ipva(),
        itbi(),
        iss(),
        iptu(),
        icms_st(true),
        icms_st(false),
        icms_general(),
        icms_interstate(),
        itcmd(),
        cbs(),
    ];
    let of_kind = |((kind, _), asked): (&(&'static str, usize), Asked)| {
        let kind = *kind;
        asked.into_iter().map(move |(place, subject, payload)| Question { kind, place, subject, payload })
    };
    KINDS.iter().zip(kinds).flat_map(of_kind).collect()
}

/// Place, subject and payload of each question of a kind.
type Asked = Vec<(String, String, Value)>;

fn ask(place: &str, subject: &str, payload: Value) -> (String, String, Value) {
    (place.to_owned(), subject.to_owned(), payload)
}

/// Asks `payload` for every pair of a subject and a place.
fn each<S, P>(subjects: &[S], places: &[P], asked: impl Fn(&S, &P) -> (String, String, Value)) -> Asked {
    subjects.iter().flat_map(|subject| places.iter().map(|place| asked(subject, place))).collect()
}

/// A shop resells to a consumer, outside the regime of the Simples.
fn pis_cofins() -> Asked {
    each(EVERYDAY, &["pis", "cofins"], |(ncm, name), tributo| {
        ask(
            tributo,
            &format!("{ncm} {name}"),
            json!({
                "tributo": tributo, "regime_apuracao": "nao_cumulativo", "ncm": ncm, "papel_na_cadeia": "revenda",
                "venda_a": "varejista_consumidor_final", "destinacao_autopropulsado": false,
                "valor_operacao": "1000.00", "valor_icms_destacado": "180.00", "data_operacao": DAY
            }),
        )
    })
}

fn between(origem: &str, destino: &str) -> Value {
    json!({
        "tributo": "icms", "uf_origem": origem, "uf_destino": destino, "valor_produto": "1000.00",
        "data_operacao": DAY
    })
}

fn icms() -> Asked {
    each(GOODS, LARGEST, |(ncm, _, name), uf| {
        ask(uf, &format!("{ncm} {name}"), with(&between(uf, uf), &json!({"ncm": ncm})))
    })
}

fn icms_general() -> Asked {
    Uf::WORDS.iter().map(|uf| ask(uf, "geral", between(uf, uf))).collect()
}

fn icms_interstate() -> Asked {
    let pairs = each(Uf::WORDS, Uf::WORDS, |origem, destino| ask(origem, destino, between(origem, destino)));
    pairs.into_iter().filter(|(origem, destino, _)| origem != destino).collect()
}

fn icms_st(with_cest: bool) -> Asked {
    each(GOODS, OUTSIDE_SP, |(ncm, cest, name), uf| {
        let cest = cest.filter(|_| with_cest);
        let code = cest.map(|code| format!("{code} ")).unwrap_or_default();
        ask(
            uf,
            &format!("{ncm} {code}{name}"),
            json!({
                "tributo": "icms_st", "ncm": ncm, "cest": cest, "uf_origem": "SP", "uf_destino": uf,
                "valor_produto": "1000.00", "quantidade": "100", "data_operacao": DAY
            }),
        )
    })
}

fn ipva() -> Asked {
    each(VEHICLES, Uf::WORDS, |(categoria, combustivel, valor, cv, cm3), uf| {
        ask(
            uf,
            categoria,
            json!({
                "tributo": "ipva", "uf": uf, "categoria_veiculo": categoria, "combustivel": combustivel,
                "valor_venal": valor, "potencia_cv": cv, "cilindrada_cm3": cm3, "data_fato_gerador": "2026-01-01"
            }),
        )
    })
}

fn itcmd() -> Asked {
    each(&["causa_mortis", "doacao"], Uf::WORDS, |fato, uf| {
        let payload = json!({
            "tributo": "itcmd", "uf": uf, "fato_gerador": fato, "valor_base": "500000.00", "data_fato_gerador": DAY
        });
        ask(uf, fato, payload)
    })
}

fn iss() -> Asked {
    each(SERVICES, CAPITALS, |(item, name), (uf, municipio)| {
        let payload = json!({
            "tributo": "iss", "uf": uf, "municipio": municipio, "item_lista_servico": item,
            "preco_servico": "1000.00", "data": DAY
        });
        ask(uf, &format!("{item} {name}"), payload)
    })
}

fn iptu() -> Asked {
    each(&["residencial", "nao_residencial", "territorial"], CAPITALS, |uso, (uf, municipio)| {
        let payload = json!({
            "tributo": "iptu", "uf": uf, "municipio": municipio, "uso_imovel": uso, "valor_venal": "300000.00",
            "exercicio": 2026
        });
        ask(uf, uso, payload)
    })
}

fn itbi() -> Asked {
    each(&["compra e venda"], CAPITALS, |name, (uf, municipio)| {
        let payload = json!({
            "tributo": "itbi", "uf": uf, "municipio": municipio, "valor_transacao": "400000.00",
            "valor_venal_referencia": "400000.00", "data": DAY
        });
        ask(uf, name, payload)
    })
}

fn cbs() -> Asked {
    each(EVERYDAY, &["cbs"], |(ncm, name), tributo| {
        ask(
            tributo,
            &format!("{ncm} {name}"),
            json!({
                "tributo": tributo, "ncm": ncm, "valor_operacao": "1000.00", "valor_icms": "180.00",
                "valor_iss": "0.00", "valor_pis": "13.53", "valor_cofins": "62.32", "valor_ipi": "0.00",
                "cumpre_obrigacoes_acessorias": true, "optante_simples": false, "data_operacao": DAY
            }),
        )
    })
}
