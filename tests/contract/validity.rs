//! Temporal validity (sections 1, 2.3 and 3): the date field of each tax selects the version that answers.

use serde_json::{Value, json};

use crate::service::figures;
use crate::support::with;

/// A tax whose rule has three versions: 2% from 2018, 3% from 2026, and 4% in 2027 alone.
struct Turning {
    scope: Value,
    payload: Value,
    /// Payload field that selects the version.
    date: &'static str,
    /// Amounts of the three versions.
    amounts: [&'static str; 3],
}

const RATES: [&str; 3] = ["2.00", "3.00", "4.00"];
const VERSIONS: [(&str, &str, Option<&str>); 3] =
    [("1.0", "2018-01-01", None), ("1.1", "2026-01-01", None), ("2.0", "2027-01-01", Some("2028-01-01"))];

/// Dates, and the version in force. 0 is the first one; none answers outside 2018 to 2027.
const DATES: [(&str, Option<usize>); 9] = [
    ("2017-12-31", None),
    ("2018-01-01", Some(0)),
    ("2025-12-31", Some(0)),
    ("2026-01-01", Some(1)),
    ("2026-12-31", Some(1)),
    ("2027-01-01", Some(2)),
    ("2027-12-31", Some(2)),
    ("2028-01-01", None),
    ("2033-01-01", None),
];

impl Turning {
    fn of(scope: Value, payload: Value, date: &'static str) -> Turning {
        Turning { scope, payload, date, amounts: ["20.00", "30.00", "40.00"] }
    }

    fn tributo(&self) -> &str {
        self.payload["tributo"].as_str().unwrap()
    }

    /// Returns the content of a rule with this rate.
    fn content(&self, rate: &str) -> Value {
        match self.tributo() {
            "icms_st" => {
                json!({"criterio": "mva", "descricao": "Exemplo", "mva": format!("{rate}"), "aliquota_interna": "10.00"})
            }
            "iptu" => json!({"modelo": "unica", "aliquota": rate}),
            "ipi" => json!({"situacao": "tributado", "aliquota": rate, "tabela_versao": "TIPI de exemplo"}),
            "pis" | "cofins" => json!({"tipo": "aliquota_reduzida", "aliquota": rate}),
            _ => json!({"aliquota": rate}),
        }
    }

    fn code(&self) -> String {
        format!("virada-{}", self.tributo().replace('_', "-"))
    }

    /// Returns the payload on that day.
    fn on(&self, day: &str) -> Value {
        let date = if self.date == "exercicio" { json!(day[..4].parse::<u32>().unwrap()) } else { json!(day) };
        with(&self.payload, &json!({ self.date: date }))
    }
}

fn turnings() -> Vec<Turning> {
    let city = json!({"uf": "MT", "municipio": "Cuiabá"});
    let of = |tributo: &str, scope: &Value, more: Value, date: &'static str| {
        let payload = with(&json!({"tributo": tributo}), &more);
        Turning::of(scope.clone(), payload, date)
    };
    let product = json!({"ncm": "01012900"});
    let contribution = json!({
        "ncm": "01012900", "regime_apuracao": "cumulativo", "valor_operacao": "1000.00", "valor_icms_destacado": "0"
    });
    vec![
        of(
            "icms",
            &json!({"uf": "MT"}),
            json!({"uf_origem": "MT", "uf_destino": "MT", "valor_produto": "1000.00"}),
            "data_operacao",
        ),
        Turning {
            // 1000 × 1.02 × 10% − 100 = 2.00.
            amounts: ["2.00", "3.00", "4.00"],
            ..of(
                "icms_st",
                &json!({"uf_destino": "MT", "ncm": "01012900"}),
                json!({"uf_origem": "MT", "uf_destino": "MT", "ncm": "01012900", "valor_produto": "1000.00"}),
                "data_operacao",
            )
        },
        of(
            "ipva",
            &json!({"uf": "MT", "categoria_veiculo": "caminhao"}),
            json!({"uf": "MT", "categoria_veiculo": "caminhao", "valor_venal": "1000.00"}),
            "data_fato_gerador",
        ),
        of(
            "itcmd",
            &json!({"uf": "MT", "fato_gerador": "doacao"}),
            json!({"uf": "MT", "fato_gerador": "doacao", "valor_base": "1000.00"}),
            "data_fato_gerador",
        ),
        of(
            "iss",
            &with(&city, &json!({"item_lista_servico": "17.19"})),
            with(&city, &json!({"item_lista_servico": "17.19", "preco_servico": "1000.00"})),
            "data",
        ),
        of(
            "iptu",
            &with(&city, &json!({"uso_imovel": "territorial"})),
            with(&city, &json!({"uso_imovel": "territorial", "valor_venal": "1000.00"})),
            "exercicio",
        ),
        of("itbi", &city, with(&city, &json!({"valor_transacao": "1000.00"})), "data"),
        of("ipi", &product, json!({"ncm": "01012900", "valor_produto": "1000.00"}), "data_operacao"),
        of("pis", &product, contribution.clone(), "data_operacao"),
        of("cofins", &product, contribution, "data_operacao"),
    ]
}

/// The rules of this module, as a bundle.
pub fn bundle() -> String {
    let rules = turnings().into_iter().flat_map(|tax| {
        VERSIONS.into_iter().zip(RATES).map(move |((version, from, until), rate)| {
            json!({
                "rule_code": tax.code(), "versao": version, "tributo": tax.tributo(), "escopo": tax.scope,
                "vigente_de": from, "vigente_ate": until,
                "citacao_legal": format!("Lei de exemplo, redação {version}"), "conteudo": tax.content(rate),
            })
        })
    });
    crate::support::bundle(&rules.collect::<Vec<_>>())
}

// Section 1, principle 2; section 3: "the version whose validity covers data_operacao answers. No such version gives
// 404."
#[test]
fn the_date_selects_the_version_of_every_tax() {
    let service = figures();
    for tax in turnings() {
        for (day, version) in DATES {
            // The taxable event of the vehicle tax is the first of January.
            if tax.tributo() == "ipva" && !day.ends_with("-01-01") {
                continue;
            }
            // A year has one version: the one in force on its first day.
            if tax.tributo() == "iptu" && !day.ends_with("-01-01") {
                continue;
            }
            let answer = service.calculate(&tax.on(day));
            let Some(version) = version else {
                answer.refused(404);
                continue;
            };
            let envelope = answer.ok();
            let (name, from, _) = VERSIONS[version];
            let ends = VERSIONS.get(version + 1).map_or(VERSIONS[version].2, |next| Some(next.1));
            assert_eq!(envelope["valor"], tax.amounts[version], "{day}: {envelope}");
            let wanted = json!({
                "rule_id": format!("{}-v{name}", tax.code()),
                "citacao_legal": format!("Lei de exemplo, redação {name}"),
                "vigente_de": from, "vigente_ate": ends,
            });
            for (member, wanted) in wanted.as_object().unwrap() {
                assert_eq!(&envelope["regra"][member], wanted, "{day}: {envelope}");
            }
        }
    }
}

// Section 2.3, ipva: `data_fato_gerador` is "1 January of the exercise; selects validity".
#[test]
fn a_vehicle_pays_by_the_rule_of_the_first_of_january() {
    let vehicle = turnings().into_iter().find(|tax| tax.tributo() == "ipva").unwrap();
    for (year, version) in [(2025, 0), (2026, 1), (2027, 2)] {
        let envelope = figures().envelope(&vehicle.on(&format!("{year}-01-01")));
        assert_eq!(envelope["valor"], vehicle.amounts[version]);
    }
    figures().calculate(&vehicle.on("2029-01-01")).refused(404);
}

// Section 2.3, iptu: `exercicio` is an integer year.
#[test]
fn a_property_pays_by_the_rule_of_its_year() {
    let property = turnings().into_iter().find(|tax| tax.tributo() == "iptu").unwrap();
    for (year, version) in [(2025, 0), (2026, 1), (2027, 2)] {
        let envelope = figures().envelope(&with(&property.payload, &json!({"exercicio": year})));
        assert_eq!(envelope["valor"], property.amounts[version]);
    }
}

// Section 1, principle 4: "a response to an identical payload is stable within the same validity".
#[test]
fn an_identical_payload_has_an_identical_answer() {
    let service = figures();
    for tax in turnings() {
        let first = service.envelope(&tax.on("2026-01-01"));
        let again = service.envelope(&tax.on("2026-01-01"));
        for member in ["tributo", "valor", "regra", "detalhes"] {
            assert_eq!(first[member], again[member]);
        }
    }
}
