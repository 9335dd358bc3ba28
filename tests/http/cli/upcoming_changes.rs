//! `taxd rules upcoming` and `taxd changes`, on the file and beside a server.

use serde_json::{Value, json};

use crate::support::{DataDir, OwnRules, rule, taxd, with};

/// Beer of SP ends with June 2098 without a successor, beer of RJ returns to the general rule, and the IPVA has a new
/// version.
fn own_rules() -> OwnRules {
    let beer = |uf: &str| {
        let beer = rule(
            &format!("cerveja-{}", uf.to_lowercase()),
            "icms",
            &json!({"uf": uf, "ncm": "2203"}),
            &json!({"aliquota": "25.00"}),
        );
        with(&beer, &json!({"vigente_ate": "2098-07-01"}))
    };
    let ipva = rule("ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}));
    let own = OwnRules::of(&[
        beer("SP"),
        beer("RJ"),
        rule("geral-rj", "icms", &json!({"uf": "RJ"}), &json!({"aliquota": "20.00"})),
        ipva.clone(),
    ]);
    own.publish(&[with(
        &ipva,
        &json!({"versao": "1.1", "vigente_de": "2098-07-02", "conteudo": {"aliquota": "2.50"}}),
    )]);
    own
}

fn run(own: &OwnRules, args: &[&str]) -> String {
    taxd(&own.dir, args).ok().stdout
}

fn stopped_and_running(own: &OwnRules, check: impl Fn()) {
    check();
    let _server = own.serve();
    check();
}

const UPCOMING: [&str; 6] = ["rules", "upcoming", "--desde", "01/06/2098", "--days", "60"];

#[test]
fn upcoming_names_what_answers_after_each_end_as_text_json_csv_and_calendar() {
    let own = own_rules();
    stopped_and_running(&own, || {
        let text = run(&own, &UPCOMING);
        for line in [
            "De 01/06/2098 a 31/07/2098",
            "01/07/2098  termina sem sucessora         icms     SP     1       cerveja-sp-v1.0",
            "01/07/2098  termina: volta à regra geral  icms     RJ     1       cerveja-rj-v1.0",
            "02/07/2098  termina: nova versão          ipva     AC     1       ipva-ac-v1.0",
            "Sem sucessora desde 01/07/2098: cerveja-sp-v1.0 (UF SP, NCM 2203); Lei de teste de cerveja-sp",
        ] {
            assert!(text.lines().any(|shown| shown == line), "{line}: {text}");
        }
        let with_flag = |flag: &str| run(&own, &[&UPCOMING[..], &[flag]].concat());
        let json: Value = serde_json::from_str(&with_flag("--json")).unwrap();
        let ends: Vec<(&str, &str, &Value)> = json["regras"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|regra| regra["evento"] == "termina")
            .map(|r| (r["rule_id"].as_str().unwrap(), r["sucessao"].as_str().unwrap(), &r["sucessora"]))
            .collect();
        assert_eq!(
            ends,
            [
                ("cerveja-sp-v1.0", "sem_sucessora", &Value::Null),
                ("cerveja-rj-v1.0", "regra_geral", &json!("geral-rj-v1.0")),
                ("ipva-ac-v1.0", "nova_versao", &json!("ipva-ac-v1.1")),
            ]
        );
        assert_eq!(json["resumo"]["sem_sucessora"], 1);
        let csv = with_flag("--csv");
        let rows: Vec<&str> = csv.trim_start_matches('\u{feff}').lines().collect();
        assert_eq!(rows.len(), 1 + 4, "three ends and a begin: {csv}");
        assert!(rows[0].starts_with("data;evento;sucessao;figuras;"), "{csv}");
        assert!(rows[1].starts_with("2098-07-01;termina;sem_sucessora;"), "{csv}");
        let ics = with_flag("--ics");
        assert!(ics.starts_with("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n") && ics.ends_with("END:VCALENDAR\r\n"), "{ics}");
        assert_eq!(ics.matches("BEGIN:VEVENT\r\n").count(), 3, "{ics}");
        // A published calendar needs an event: programs refuse a file without.
        let nothing = run(&own, &["rules", "upcoming", "--desde", "01/06/2097", "--days", "10", "--ics"]);
        assert_eq!(nothing.matches("BEGIN:VEVENT\r\n").count(), 1, "{nothing}");
        assert!(
            nothing.contains("SUMMARY:Nenhuma regra começa ou termina de 01/06/2097 a 11/06/2097\r\n"),
            "{nothing}"
        );
    });
}

#[test]
fn changes_say_before_and_after_as_text_json_and_csv_and_take_filters() {
    let own = own_rules();
    stopped_and_running(&own, || {
        let text = run(&own, &["changes", "--since", "2026-01-01"]);
        for part in [
            "Alíquota da categoria: 2,00 % -> 2,50 % a partir de 02/07/2098",
            "  ipva-ac-v1.1 (UF AC), depois de ipva-ac-v1.0, efeito desde 02/07/2098; Lei de teste de ipva-ac",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let json: Value =
            serde_json::from_str(&run(&own, &["changes", "--since", "01/01/2026", "--tributo", "IPVA", "--json"]))
                .unwrap();
        let last = &json["publicacoes"][1]["pacotes"][0]["mudancas"][0];
        assert_eq!(last["anterior"], "ipva-ac-v1.0");
        assert_eq!(
            last["campos"],
            json!([{"campo": "conteudo.aliquota", "rotulo": "Alíquota da categoria", "antes": "2,00 %", "depois": "2,50 %"}])
        );
        let csv = run(&own, &["changes", "--since", "2026-01-01", "--uf", "rj", "--ncm", "2203.00.00", "--csv"]);
        assert_eq!(csv.lines().count(), 1 + 2, "the rule of the product and the general one: {csv}");
        assert!(run(&own, &["changes", "--since", "2200-01-01"]).contains("Nada foi publicado"));
    });
    let refused = taxd(&own.dir, ["changes", "--since", "amanhã"]);
    assert!(refused.code == 1 && refused.stderr.contains("--since"), "{refused:?}");
    let refused = taxd(&own.dir, ["rules", "upcoming", "--days", "0"]);
    assert_eq!(refused.code, 2, "{refused:?}");
}

/// An installation had been 18,291 lines.
#[test]
fn the_installation_of_the_built_in_rules_is_one_line() {
    let dir = DataDir::ready();
    let text = taxd(&dir, ["changes", "--since", "2020-01-01"]).ok().stdout;
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("instalação das regras embutidas"), "{text}");
}

/// The counts and the warning of the log, on dates by the clock of this machine: ends in three days. An end that passes to
/// a version without a figure was once a zero everywhere.
#[test]
fn a_server_warns_of_ends_that_leave_no_answer_and_counts_them() {
    let soon = taxd::base::value::Timestamp::now().day().plus_days(3).to_string();
    let beer = |uf: &str| {
        let code = format!("cerveja-{}", uf.to_lowercase());
        let beer = rule(&code, "icms", &json!({"uf": uf, "ncm": "2203"}), &json!({"aliquota": "25.00"}));
        with(&beer, &json!({"vigente_ate": soon}))
    };
    let null = json!({"versao": "2.0", "vigente_de": soon, "vigente_ate": null, "conteudo": {"aliquota": null}, "motivo": "Não conferida."});
    let own = OwnRules::of(&[beer("SP"), beer("RJ"), with(&beer("RJ"), &null)]);
    let status: Value = serde_json::from_str(&run(&own, &["status", "--json"])).unwrap();
    assert_eq!(
        status["ending"][0],
        json!({"within_days": 60, "nova_versao": 0, "regra_geral": 0, "extintas": 0, "sem_figura": 1, "sem_sucessora": 1})
    );
    let text = run(&own, &["status"]);
    let told = "2 rules within 60 days: 0 with a new version, 0 return to the general rule, 0 with the tax, 1 followed by a version without a figure, 1 without a successor";
    assert!(text.contains(told), "without a server: {text}");
    let listed = run(&own, &["rules", "list", "--termina-ate", &soon, "--sem-sucessora", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&listed).unwrap()["regras"].as_array().unwrap().len(), 2, "{listed}");
    let listed = run(&own, &["rules", "list", "--sucessao", "SEM-FIGURA"]);
    assert!(listed.contains("cerveja-rj-v1.0") && !listed.contains("cerveja-sp"), "{listed}");
    {
        let server = own.serve();
        server.wait_for_log("rules end and leave no answer");
        let line = server.log();
        let line = line.lines().find(|line| line.contains("rules end and leave no answer")).unwrap();
        assert!(["rules", "sem_figura", "sem_sucessora"].iter().all(|name| line.contains(name)), "{line}");
        let health = taxd(&own.dir, ["health"]).ok().stdout;
        let told = "2 rules end within 7 days and requests are refused from then on: 1 followed by a version without a figure, 1 without a successor";
        assert!(health.starts_with("ok\n") && health.contains(told), "{health}");
        let metrics = taxd(&own.dir, ["metrics"]).ok().stdout;
        for then in ["sem_figura", "sem_sucessora"] {
            assert!(
                metrics.contains(&format!("taxd_rules_ending{{within_days=\"7\",then=\"{then}\"}} 1")),
                "{metrics}"
            );
        }
    }
}
