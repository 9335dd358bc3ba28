//! `taxd verify`: stored answers, with and without a proof, by the rules of now and of then.

use serde_json::{Value, json};

use crate::support::{DataDir, Done, OwnRules, rule, taxd, taxd_with_input, with};

fn rate(version: &str, from: &str, rate: &str) -> Value {
    let general = rule("geral-sp", "icms", &json!({"uf": "SP"}), &json!({"aliquota": rate}));
    with(&general, &json!({"versao": version, "vigente_de": from}))
}

fn sale(uf: &str) -> Value {
    json!({"tributo": "icms", "uf_origem": uf, "uf_destino": uf, "valor_produto": "100.00", "data_operacao": "2026-04-10"})
}

/// Lines with the answer to each payload.
fn stored(own: &OwnRules, query: &str, payloads: &[Value]) -> Vec<Value> {
    let server = own.serve();
    let line = |payload: &Value| {
        let reply = server.post(&format!("/v1/calculate{query}"), payload.to_string());
        json!({"payload": payload, "resposta": reply.json()})
    };
    payloads.iter().map(line).collect()
}

fn verify(dir: &DataDir, lines: &[Value], more: &[&str]) -> Done {
    let input: String = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    taxd_with_input(dir, ["verify"].iter().chain(more), input.as_bytes())
}

/// The verdict of each line that is not `confere`, with its number.
fn verdicts(report: &Value) -> Vec<(u64, &str)> {
    let found = report["respostas"].as_array().unwrap();
    found.iter().map(|found| (found["linha"].as_u64().unwrap(), found["veredito"].as_str().unwrap())).collect()
}

#[test]
fn answers_and_refusals_as_they_were_given_agree() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let mut lines = stored(&own, "?prova=true", &[sale("SP"), sale("RJ")]);
    lines.extend(stored(&own, "?prova=true&memoria=true", &[sale("SP")]));
    lines.extend(stored(&own, "", &[sale("SP"), with(&sale("SP"), &json!({"valor_produto": "três"}))]));
    assert_eq!(lines[1]["resposta"]["codigo"], "regra_inexistente");
    assert!(lines[2]["resposta"]["detalhes"]["memoria"].is_array());
    let alone = verify(&own.dir, &lines, &["--json"]).ok().json();
    assert_eq!((&alone["resumo"]["confere"], &alone["respostas"]), (&json!(5), &json!([])));
    // The same in a server, from a file with blank lines.
    let text = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n");
    let file = own.dir.write("respostas.jsonl", text);
    let _server = own.serve();
    let beside = taxd(&own.dir, ["verify", file.to_str().unwrap()]).ok();
    assert_eq!(beside.stdout.trim(), "confere: 5; conferia: 0; outro_motor: 0; diverge: 0; adulterada: 0; ilegivel: 0");
}

/// Sixteen megabytes of blank lines ended the input, and what followed was not checked.
#[test]
fn answers_after_many_blank_lines_are_checked() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let line = stored(&own, "", &[sale("SP")]).remove(0);
    let text = format!("{line}\n{}{line}\n", "\n".repeat(17 << 20));
    let done = taxd_with_input(&own.dir, ["verify"], text.as_bytes()).ok();
    assert!(done.stdout.starts_with("confere: 2;"), "{done:?}");
}

#[test]
fn what_was_changed_in_an_answer_is_named() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let good = stored(&own, "?prova=true", &[sale("SP")]).remove(0);
    let plain = stored(&own, "", &[sale("SP")]).remove(0);
    let changed = |line: &Value, pointer: &str, value: Value| {
        let mut line = line.clone();
        *line.pointer_mut(pointer).unwrap() = value;
        line
    };
    let lines = [
        // A forged amount, with the proof of the true one and without a proof.
        changed(&good, "/resposta/valor", json!("17.00")),
        changed(&plain, "/resposta/valor", json!("17.00")),
        changed(&plain, "/resposta/regra/citacao_legal", json!("Lei que não é")),
        // The payload was exchanged.
        changed(&good, "/payload/valor_produto", json!("100.0")),
        // The proof itself was touched.
        changed(&good, "/resposta/prova/regras/0/sha256", json!("0".repeat(64))),
        json!({"resposta": good["resposta"]}),
        good.clone(),
    ];
    let done = verify(&own.dir, &lines, &["--json"]);
    assert_eq!(done.code, 1);
    let report = done.json();
    let wanted =
        [(1, "adulterada"), (2, "diverge"), (3, "diverge"), (4, "adulterada"), (5, "adulterada"), (6, "ilegivel")];
    assert_eq!(verdicts(&report), wanted, "{report:#}");
    assert_eq!(report["resumo"]["confere"], 1);
    let found = &report["respostas"];
    assert_eq!(found[0]["adulterado"], json!(["resultado"]));
    assert_eq!(found[0]["agora"], json!([{"campo": "valor", "na_resposta": "17.00", "calculado": "18.00"}]));
    assert_eq!(
        (found[1].get("adulterado"), &found[1]["agora"]),
        (None, &found[0]["agora"]),
        "no proof, the same amount"
    );
    assert_eq!(found[2]["agora"][0]["campo"], "regra.citacao_legal");
    assert_eq!(found[3]["adulterado"], json!(["pedido"]));
    assert_eq!(found[4]["adulterado"], json!(["resumo"]));
    let text = verify(&own.dir, &lines, &[]);
    assert!(
        text.stdout.contains("linha 2: diverge (geral-sp-v1.0)\n  agora: valor: na resposta 17.00, pelas regras 18.00"),
        "{text:?}"
    );
}

/// An answer of another version of taxd: its own digests agree, and what it lacks is not held against it.
#[test]
fn an_answer_of_another_engine_is_distinguished() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let good = stored(&own, "?prova=true", &[sale("SP")]).remove(0);
    let by_engine = |change: &dyn Fn(&mut Value)| {
        let mut line = good.clone();
        change(&mut line["resposta"]);
        line["resposta"]["prova"]["motor"] = json!("taxd 0.0.1");
        let covered = with(&line["resposta"], &json!({"prova": null, "cached": null}));
        line["resposta"]["prova"]["resultado"] = json!(sha256_of(&covered));
        let parts = with(&line["resposta"]["prova"], &json!({"resumo": null}));
        line["resposta"]["prova"]["resumo"] = json!(sha256_of(&parts));
        line
    };
    let older = by_engine(&|answer| {
        answer["detalhes"].as_object_mut().unwrap().remove("tipo_operacao");
    });
    let other = by_engine(&|answer| answer["valor"] = json!("17.99"));
    let report = verify(&own.dir, &[older, other], &["--json"]).json();
    assert_eq!(verdicts(&report), [(2, "outro_motor")], "{report:#}");
    let found = &report["respostas"][0];
    assert_eq!((&found["motor"], found.get("adulterado")), (&json!("taxd 0.0.1"), None));
    assert_eq!(found["agora"], json!([{"campo": "valor", "na_resposta": "17.99", "calculado": "18.00"}]));
}

/// SHA-256 of the document with its members in order, as `jq -cS` writes it.
fn sha256_of(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    taxd::base::value::sha256_hex(value.to_string().as_bytes())
}

#[test]
fn an_answer_that_a_later_publication_changed_agrees_with_what_was_known_then() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let line = stored(&own, "?prova=true", &[sale("SP")]).remove(0);
    let known = taxd(&own.dir, ["rules", "show", "geral-sp-v1.0", "--json"]).ok().json();
    let known = known["regras"][0]["publicado_em"].as_str().unwrap().to_owned();
    own.publish(&[rate("1.1", "2026-04-01", "19.00")]);
    let dated = with(&line, &json!({"calculado_em": known}));
    let forged = {
        let mut forged = with(&dated, &json!({}));
        forged["resposta"]["valor"] = json!("17.00");
        forged["resposta"].as_object_mut().unwrap().remove("prova");
        forged
    };
    let future = with(&line, &json!({"calculado_em": "2999-01-01T00:00:00Z"}));
    let lines = [line, dated, forged, future];
    let report = verify(&own.dir, &lines, &["--json"]).json();
    assert_eq!(verdicts(&report), [(1, "diverge"), (2, "conferia"), (3, "diverge"), (4, "ilegivel")], "{report:#}");
    assert_eq!((report["respostas"][0].get("entao"), &report["respostas"][1]["entao"]), (None, &json!([])));
    let calculated = report["respostas"][2]["entao"].as_array().unwrap();
    assert_eq!(calculated, &[json!({"campo": "valor", "na_resposta": "17.00", "calculado": "18.00"})]);
    let by_option = verify(&own.dir, &lines[..1], &["--json", "--conhecido-em", &known]).json();
    assert_eq!(verdicts(&by_option), [(1, "conferia")]);
}

/// Answers of an earlier version, stored without a proof, were `diverge` because of members that did not exist then.
#[test]
fn members_missing_without_a_proof_are_not_differences_but_another_amount_is() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let line = stored(&own, "", &[sale("SP")]).remove(0);
    let without = |pointer: &str, name: &str| {
        let mut line = line.clone();
        line.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(name).expect("it had the member");
        line
    };
    let lines = [
        without("/resposta/regra", "vigente_ate"),
        without("/resposta/detalhes", "tipo_operacao"),
        without("/resposta", "valor"),
    ];
    let report = verify(&own.dir, &lines, &["--json"]).json();
    assert_eq!(verdicts(&report), [(3, "diverge")], "{report:#}");
    // A proof of this version covers all members: one that is missing was taken away.
    let mut proven = stored(&own, "?prova=true", &[sale("SP")]).remove(0);
    proven["resposta"]["detalhes"].as_object_mut().unwrap().remove("tipo_operacao");
    let report = verify(&own.dir, &[proven], &["--json"]).json();
    assert_eq!(verdicts(&report), [(1, "adulterada")], "{report:#}");
    assert_eq!(report["respostas"][0]["agora"][0]["campo"], "detalhes.tipo_operacao");
}

#[test]
fn the_instant_of_an_answer_may_have_an_offset_or_be_a_day() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let line = stored(&own, "", &[sale("SP")]).remove(0);
    let known = taxd(&own.dir, ["rules", "show", "geral-sp-v1.0", "--json"]).ok().json();
    let known = known["regras"][0]["publicado_em"].as_str().unwrap().to_owned();
    own.publish(&[rate("1.1", "2026-04-01", "19.00")]);
    let instant: jiff::Timestamp = known.parse().unwrap();
    let here = instant.to_zoned(jiff::tz::TimeZone::fixed(jiff::tz::offset(-3)));
    let day = instant.to_zoned(jiff::tz::TimeZone::UTC).date();
    let later = taxd(&own.dir, ["rules", "show", "geral-sp-v1.1", "--json"]).ok().json();
    // Past midnight the end of the day is the state of the answer.
    let same_day = later["regras"][0]["publicado_em"].as_str().unwrap().starts_with(&day.to_string());
    let of_day = if same_day { "diverge" } else { "conferia" };
    let at = |when: &str| with(&line, &json!({"calculado_em": when}));
    let lines = [
        at(&here.strftime("%Y-%m-%dT%H:%M:%S%.3f-03:00").to_string()),
        // The end of the day and its beginning are looked at: neither is the state in between, which the answer has.
        at(&day.to_string()),
        at("2999-01-01"),
        at("2026-13-01"),
    ];
    let report = verify(&own.dir, &lines, &["--json"]).json();
    assert_eq!(verdicts(&report), [(1, "conferia"), (2, of_day), (3, "ilegivel"), (4, "ilegivel")], "{report:#}");
}

/// A line had no bound: one without an end filled the memory.
#[test]
fn a_line_beyond_the_bound_is_named() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let line = stored(&own, "", &[sale("SP")]).remove(0);
    let largest = with(&line, &json!({"nota": "x".repeat(1024 * 1024 - line.to_string().len() - 10)}));
    assert_eq!(largest.to_string().len(), 1024 * 1024);
    verify(&own.dir, &[largest.clone(), line.clone()], &[]).ok();
    let longer = with(&line, &json!({"nota": "x".repeat(1024 * 1024)}));
    let refused = verify(&own.dir, &[line, longer], &[]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{}", refused.stderr);
    assert!(refused.stderr.contains("line 2 of the input has more than 1 MiB"), "{}", refused.stderr);
}

#[test]
fn the_lines_of_an_audit_are_verified() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let note = own.dir.write("nota.xml", super::audit::RIGHT);
    let audited = taxd(&own.dir, ["audit", note.to_str().unwrap(), "--format", "json"]);
    let known = taxd(&own.dir, ["rules", "show", "geral-sp-v1.0", "--json"]).ok().json();
    let known = known["regras"][0]["publicado_em"].as_str().unwrap().to_owned();
    let lines: Vec<Value> = audited.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let report = verify(&own.dir, &lines, &["--json"]).ok().json();
    let (answers, others) = (&report["resumo"]["confere"], &report["resumo"]["sem_calculo"]);
    assert_eq!(answers.as_u64().unwrap() + others.as_u64().unwrap(), lines.len() as u64, "{report:#}");
    let icms = lines.iter().position(|line| line["tributo"] == "icms" && line["camada"] == "lei").unwrap();
    assert_eq!(
        (&lines[icms]["payload"]["valor_produto"], &lines[icms]["resposta"]["valor"]),
        (&json!("1000.00"), &json!("180.00"))
    );
    own.publish(&[rate("1.1", "2025-01-01", "19.00")]);
    let changed = verify(&own.dir, &lines, &["--json"]).json();
    assert_eq!(verdicts(&changed), [(icms as u64 + 1, "diverge")], "{changed:#}");
    let then = verify(&own.dir, &lines, &["--json", "--conhecido-em", &known]).json();
    assert_eq!(verdicts(&then), [(icms as u64 + 1, "conferia")], "{then:#}");
    let none: Vec<Value> = lines.iter().filter(|line| line.get("payload").is_none()).cloned().collect();
    let nothing = verify(&own.dir, &none, &["--json"]).ok().json();
    assert_eq!(nothing["resumo"]["sem_calculo"], none.len(), "lines that asked no rule are no fault: {nothing:#}");
}

#[test]
fn the_rows_of_a_calculated_list_are_verified() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let list = "nota;uf_origem;uf_destino;valor_produto;data_operacao\n1;SP;SP;\"1.234,50\";10/03/2026\n\n\
        2;SP;SP;1.500;10/04/2026\n3;RJ;RJ;10,00;10/03/2026\n4;SP;SP;mil;10/03/2026\n";
    let file = own.dir.write("vendas.csv", list);
    let known = taxd(&own.dir, ["rules", "show", "geral-sp-v1.0", "--json"]).ok().json();
    let known = known["regras"][0]["publicado_em"].as_str().unwrap().to_owned();
    let outputs = ["csv", "xlsx"].map(|form| own.dir.path().join(format!("calculadas.{form}")));
    for out in &outputs {
        let args = ["calc", file.to_str().unwrap(), "--tributo", "icms", "--out", out.to_str().unwrap()];
        assert_eq!(taxd(&own.dir, args).code, 1, "two rows are refused");
    }
    let run = |path: &std::path::Path, more: &[&str]| {
        let args = ["verify", path.to_str().unwrap(), "--tributo", "icms", "--json"];
        taxd(&own.dir, args.iter().chain(more))
    };
    for out in &outputs {
        assert_eq!(run(out, &[]).ok().json()["resumo"]["confere"], 4);
    }
    let text = std::fs::read_to_string(&outputs[0]).unwrap();
    assert!(text.contains(";270,00;"), "{text}");
    let renamed = own.dir.write("sem-valor.csv", text.replace("taxd_valor", "valor_do_taxd"));
    let refused = run(&renamed, &[]);
    assert!(refused.code == 1 && (refused.stderr + &refused.stdout).contains("coluna do valor"));
    let forged = own.dir.write("forjada.csv", text.replace(";270,00;", ";27,00;"));
    let report = run(&forged, &[]).json();
    assert_eq!(verdicts(&report), [(4, "diverge")], "{report:#}");
    let found = &report["respostas"][0];
    assert_eq!(found["agora"], json!([{"campo": "taxd_valor", "na_resposta": "27", "calculado": "270"}]));
    assert_eq!(found["rule_id"], "geral-sp-v1.0");
    own.publish(&[rate("1.1", "2026-04-01", "19.00")]);
    for out in &outputs {
        assert_eq!(verdicts(&run(out, &[]).json())[1], (4, "diverge"), "and the first one ends now");
        let then = run(out, &["--conhecido-em", &known]).json();
        assert_eq!(verdicts(&then), [(2, "conferia"), (4, "conferia")], "{then:#}");
    }
    let refused = run(&file, &[]);
    assert!(refused.code == 1 && refused.stdout.contains("não tem a coluna do valor"), "{refused:?}");
}

/// A list with one ambiguous amount is calculated with `--decimal`, and was called divergent without it.
#[test]
fn a_list_is_verified_with_the_decimal_mark_that_it_was_calculated_with() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let list = "uf_origem;uf_destino;valor_produto;data_operacao\nSP;SP;1.234;10/03/2026\n";
    let file = own.dir.write("uma.csv", list);
    for mark in ["virgula", "ponto"] {
        let out = own.dir.path().join(format!("{mark}.csv"));
        let [file, out] = [&file, &out].map(|path| path.to_str().unwrap().to_owned());
        taxd(&own.dir, ["calc", &file, "--tributo", "icms", "--decimal", mark, "--out", &out]).ok();
        let report = taxd(&own.dir, ["verify", &out, "--tributo", "icms", "--decimal", mark, "--json"]).ok().json();
        assert_eq!(report["resumo"]["confere"], 1, "{report:#}");
    }
}

/// A script that read the listed answers missed those beyond them.
#[test]
fn answers_beyond_those_that_are_listed_are_counted() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let line = r#"{"payload": {"tributo": "icms"}, "resposta": {"valor": "1.00"}}"#;
    let input = format!("{line}\n").repeat(1_003);
    let report = taxd_with_input(&own.dir, ["verify", "--json"], input.as_bytes()).json();
    assert_eq!((report["respostas"].as_array().unwrap().len(), &report["nao_listadas"]), (1_000, &json!(3)));
    let text = taxd_with_input(&own.dir, ["verify"], input.as_bytes()).stdout;
    assert!(text.contains("e mais 3"), "{}", text.lines().last().unwrap_or_default());
}

/// An answer of 2027, stored when the field `transicao` did not exist, showed that it is refused now, and not what would
/// give it again.
#[test]
fn the_refusal_of_a_stored_answer_says_why() {
    let own = OwnRules::of(&[rate("1.0", "2020-01-01", "18.00")]);
    let mut line = stored(&own, "", &[sale("SP")]).remove(0);
    line["payload"]["data_operacao"] = "2019-01-01".into();
    let report = verify(&own.dir, std::slice::from_ref(&line), &["--json"]).json();
    assert_eq!(verdicts(&report), [(1, "diverge")], "{report:#}");
    let now = report["respostas"][0]["agora"].as_array().unwrap();
    let of =
        |campo: &str| now.iter().find(|one| one["campo"] == campo).unwrap_or_else(|| panic!("{campo}: {report:#}"));
    assert_eq!(of("codigo")["calculado"], "regra_inexistente");
    assert!(of("detail")["calculado"].as_str().unwrap().contains("2019-01-01"), "{report:#}");
    let text = verify(&own.dir, &[line], &[]).stdout;
    assert!(text.contains("codigo: na resposta nada, pelas regras regra_inexistente"), "{text}");
}
