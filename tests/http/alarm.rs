//! The alarm: whatever says which rules end soon and what answers then says the same, to the number.
//!
//! On 1 January 2027 thousands of rules pass to a version without a figure. The report and the calendar had known, while
//! `status`, the health, the metrics, the log and the listing of rules said 0.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use taxd::base::value::Date;
use taxd::core::engine::{BundleFile, ImportOptions};
use taxd::core::service::{WarnedEnds, due};
use taxd::core::store::Store;
use taxd::features::Command;
use taxd::features::calendar::UpcomingQuery;
use taxd::features::rules::{RulesCommand, RulesQuery};

use crate::support::{DataDir, InProcess, bundle, rule, with};

const WORDS: [&str; 5] = ["nova_versao", "regra_geral", "extinta", "sem_figura", "sem_sucessora"];
const AHEAD_DAYS: u32 = 60;

/// How many ends, by word.
type Counts = BTreeMap<&'static str, u64>;

/// The counts of an object that has one member for each word.
fn counts_in(object: &Value) -> Counts {
    WORDS.map(|word| (word, object[if word == "extinta" { "extintas" } else { word }].as_u64().unwrap())).into()
}

/// The counts of these words.
fn counts_of<'w>(words: impl Iterator<Item = &'w str>) -> Counts {
    let mut counts: Counts = WORDS.map(|word| (word, 0)).into();
    for word in words {
        *counts.get_mut(word).unwrap() += 1;
    }
    counts
}

fn without_answer(counts: &Counts) -> u64 {
    counts["sem_figura"] + counts["sem_sucessora"]
}

fn look(server: &InProcess, path: &str) -> Value {
    let reply = server.get_own(path);
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.json()
}

/// How many rules `GET /v1/regras` lists on all pages.
fn listed(server: &InProcess, query: &str) -> u64 {
    let (mut cursor, mut found) = (String::new(), 0);
    loop {
        let page = look(server, &format!("/v1/regras?limit=500&{query}{cursor}"));
        found += page["regras"].as_array().unwrap().len() as u64;
        let Some(next) = page["proximo"].as_str() else { return found };
        cursor = format!("&cursor={next}");
    }
}

/// Asserts that every way agrees with the versions that the report lists. Returns their counts.
fn agreed(server: &InProcess) -> Counts {
    let day = server.day();
    let today = Date::parse(&day).unwrap();
    let report = server
        .admin(Command::Rules(RulesCommand::Upcoming(UpcomingQuery { days: AHEAD_DAYS, ..UpcomingQuery::default() })));
    let rows = report["regras"].as_array().unwrap();
    let counts = counts_of(rows.iter().filter_map(|row| row["sucessao"].as_str()));
    let ends: u64 = counts.values().sum();
    assert_eq!(counts_in(&report["resumo"]), counts, "{day}: the summary of the report");
    assert_eq!(report["resumo"]["terminam"], ends, "{day}: each end is of one kind");

    let status = server.admin(Command::Status);
    let window = |days: u64| status["ending"].as_array().unwrap().iter().find(|e| e["within_days"] == days).unwrap();
    assert_eq!(counts_in(window(60)), counts, "{day}: status");
    let metrics = server.admin(Command::Metrics).to_string();
    for (word, count) in &counts {
        let line = format!("taxd_rules_ending{{within_days=\\\"60\\\",then=\\\"{word}\\\"}} {count}\\n");
        assert!(metrics.contains(&line), "{day}: {line}: {metrics}");
    }
    let health = server.admin(Command::Health);
    let notice = health["notices"][0]["what"].as_str().unwrap_or_default();
    let soonest = [7, 30, 60].map(|days| counts_in(window(days))).into_iter().find(|c| without_answer(c) > 0);
    match soonest {
        None => assert_eq!(notice, "", "{day}"),
        Some(soon) => {
            let told = format!(
                "{} followed by a version without a figure, {} without a successor",
                soon["sem_figura"], soon["sem_sucessora"]
            );
            assert!(notice.contains(&told), "{day}: {told}: {notice}");
        }
    }
    let ahead = server.engine().upcoming_ends(today, today.plus_days(AHEAD_DAYS)).unwrap();
    let warned: u64 = due(&ahead, today, &WarnedEnds::default()).0.iter().map(|w| w.fins.without_answer()).sum();
    assert_eq!(warned, without_answer(&counts_in(window(30))), "{day}: the log");

    let until = today.plus_days(AHEAD_DAYS - 1);
    for (word, count) in &counts {
        assert_eq!(listed(server, &format!("termina_ate={until}&sucessao={word}")), *count, "{day}: {word}");
    }
    assert_eq!(listed(server, &format!("termina_ate={until}&sem_sucessora=true")), without_answer(&counts), "{day}");
    assert_eq!(listed(server, &format!("termina_ate={until}")), ends, "{day}: all that end");
    let query = RulesQuery {
        termina_ate: Some(until.to_string()),
        sem_sucessora: Some("true".to_owned()),
        limit: usize::MAX,
        ..RulesQuery::default()
    };
    let command = server.admin(Command::Rules(RulesCommand::List(query.into())));
    assert_eq!(command["regras"].as_array().unwrap().len() as u64, without_answer(&counts), "{day}: rules list");

    the_calendar_agrees(server, &day, &counts);
    counts
}

fn the_calendar_agrees(server: &InProcess, day: &str, counts: &Counts) {
    let path = format!("/sandbox/v1/calendario?dias={AHEAD_DAYS}");
    let calendar = look(server, &path);
    let mut by_day: Counts = WORDS.map(|word| (word, 0)).into();
    for shown in calendar["dias"].as_array().unwrap() {
        for (word, count) in counts_in(shown) {
            *by_day.get_mut(word).unwrap() += count;
        }
        assert_eq!(shown["sem_resposta"], without_answer(&counts_in(shown)), "{day}: the banner");
    }
    assert_eq!(&by_day, counts, "{day}: the days of the calendar");
    let in_groups = |calendar: &Value, word: &str| -> u64 {
        assert_eq!(calendar["proximo"], Value::Null, "one page has all groups");
        let groups = calendar["grupos"].as_array().unwrap().iter().filter(|group| group["sucessao"] == word);
        groups.map(|group| group["regras"].as_u64().unwrap()).sum()
    };
    for (word, count) in counts {
        assert_eq!(in_groups(&calendar, word), *count, "{day}: the groups of {word}");
    }
    let unanswered = look(server, &format!("{path}&tipo=sem_resposta"));
    let found: u64 = WORDS.map(|word| in_groups(&unanswered, word)).iter().sum();
    assert_eq!(found, without_answer(counts), "{day}: what loses its answer");
    let csv = server.get_own(&format!("{path}&formato=csv")).text();
    for (word, text) in [
        ("extinta", "termina: tributo extinto"),
        ("sem_figura", "termina: a regra seguinte recusa, sem figura ou pelo nome"),
        ("sem_sucessora", "termina sem sucessora"),
    ] {
        let rows = csv.lines().filter(|row| row.split(';').nth(1) == Some(text)).count() as u64;
        assert_eq!(rows, counts[word], "{day}: the table");
    }
}

/// The rates of the IPI, counted without the engine: of the rules that end, those with a rate of which the next version
/// has none.
fn ipi_without_a_rate(server: &InProcess) -> u64 {
    let rules = |query: &str| {
        let (mut cursor, mut found) = (String::new(), BTreeMap::new());
        loop {
            let page = look(server, &format!("/v1/regras?limit=500&tributo=ipi&{query}{cursor}"));
            for rule in page["regras"].as_array().unwrap() {
                let content = &rule["conteudo"];
                let answers = content["situacao"] != "tributado" || !content["aliquota"].is_null();
                let day = rule["vigente_ate"].clone();
                found.insert(rule["rule_code"].as_str().unwrap().to_owned(), (answers, day));
            }
            let Some(next) = page["proximo"].as_str() else { return found };
            cursor = format!("&cursor={next}");
        }
    };
    let before = rules("vigente_em=2026-12-31");
    let after = rules("vigente_em=2027-01-01");
    let lost = before.iter().filter(|(code, (answers, end))| {
        *end == "2027-01-01" && *answers && after.get(*code).is_some_and(|(answers, _)| !answers)
    });
    lost.count() as u64
}

#[test]
fn every_way_counts_the_same_ends_of_the_built_in_rules() {
    for (at, turn_is_ahead) in
        [("2026-11-25T12:00:00Z", true), ("2026-12-31T12:00:00Z", true), ("2027-06-01T12:00:00Z", false)]
    {
        let dir = DataDir::ready();
        let server = InProcess::on(Store::open(&dir.path()).unwrap(), at);
        let counts = agreed(&server);
        if turn_is_ahead {
            let of_ipi = listed(&server, "tributo=ipi&termina_ate=2026-12-31&sucessao=sem_figura");
            assert_eq!(of_ipi, ipi_without_a_rate(&server), "{at}");
            assert!(of_ipi > 1_000 && counts["sem_figura"] > of_ipi && counts["extinta"] > 100, "{at}: {counts:?}");
        }
    }
}

/// An end of each kind on one day, and of some kinds in other ways.
#[test]
fn every_way_counts_an_end_of_each_kind() {
    const END: &str = "2027-01-01";
    let until = |rule: Value| with(&rule, &json!({"vigente_ate": END}));
    let from = |rule: Value| with(&rule, &json!({"versao": "2.0", "vigente_de": END, "motivo": "Não conferida."}));
    let icms = |code: &str, escopo: &Value, rate: Value| rule(code, "icms", escopo, &json!({"aliquota": rate}));
    let (ac, rj, sp) = (json!({"uf": "AC"}), json!({"uf": "RJ", "ncm": "2203"}), json!({"uf": "SP", "ncm": "2203"}));
    let (mg, ba, two) = (
        json!({"uf": "MG", "ncm": "2203"}),
        json!({"uf": "BA", "ncm": "2203"}),
        json!({"uf": "PR", "ncm": ["2203", "2204"]}),
    );
    let regime = json!({"regime_apuracao": ["cumulativo"]});
    let pis = rule("pis", "pis", &regime, &json!({"tipo": "ordinario", "aliquota": "0.65"}));
    let extinct = json!({"tipo": "extinto", "motivo_extincao": "O PIS está extinto: a CBS está em seu lugar."});
    let rules = [
        until(icms("nova", &ac, json!("19.00"))),
        from(icms("nova", &ac, json!("20.00"))),
        until(icms("geral", &rj, json!("25.00"))),
        icms("geral-rj", &json!({"uf": "RJ"}), json!("20.00")),
        until(icms("sem-figura", &sp, json!("25.00"))),
        from(icms("sem-figura", &sp, Value::Null)),
        // The general rule that answers then has no figure.
        until(icms("geral-sem-figura", &mg, json!("25.00"))),
        with(&icms("geral-mg", &json!({"uf": "MG"}), Value::Null), &json!({"motivo": "Não conferida."})),
        // Of its two products, only one has a figure then.
        until(icms("dois", &two, json!("25.00"))),
        from(icms("so-cerveja", &json!({"uf": "PR", "ncm": "2203"}), json!("25.00"))),
        from(icms("outro", &json!({"uf": "PR", "ncm": "2204"}), Value::Null)),
        // It refused before too.
        with(&until(icms("nula", &json!({"uf": "AL"}), Value::Null)), &json!({"motivo": "Não conferida."})),
        from(icms("nula", &json!({"uf": "AL"}), Value::Null)),
        until(pis.clone()),
        with(&with(&pis, &json!({"versao": "2.0", "vigente_de": END})), &json!({"conteudo": extinct})),
        until(icms("nada", &ba, json!("25.00"))),
    ];
    let server = InProcess::start("2026-12-10T12:00:00Z");
    let files = [BundleFile::unsigned("proprias.json", bundle(&rules))];
    server.engine().import(&files, server.engine().now(), ImportOptions::default()).unwrap();
    let wanted = [("nova_versao", 2), ("regra_geral", 1), ("extinta", 1), ("sem_figura", 3), ("sem_sucessora", 1)];
    assert_eq!(agreed(&server), wanted.into());
}
