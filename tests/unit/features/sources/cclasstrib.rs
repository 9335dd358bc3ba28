//! The table of tax classifications: a code of it becomes a rule that answers, or refuses by name, on the days that it
//! states; the same table adds nothing the second time.

use std::io::{Seek, Write};

use serde_json::{Value, json};
use taxd::features::sources::cclasstrib;
use taxd::features::sources::report::TableReport;
use taxd_base::value::Date;
use taxd_core::engine::{BundleFile, Engine};

use super::{listed, listed_values};
use crate::support::{built_in_engine, built_in_files, calculate as answer, engine, import};

const TITLES: &str = "CST-IBS/CBS;Descrição CST-IBS/CBS;cClassTrib;Nome cClassTrib;LC 214/25;Tipo de Alíquota;pRedIBS;pRedCBS;ind_gMonoPadrao;dIniVig;dFimVig;DataAtualização;indNFe;ANEXO\n";

/// A line of a code: name, provision, kind of rate, reductions of IBS and CBS, first and last day, annex.
fn line(codigo: &str, tipo: &str, reductions: [&str; 2], days: [&str; 2], anexo: &str) -> String {
    let ([ibs, cbs], [de, ate]) = (reductions, days);
    format!(
        "{};;{codigo};Nome de {codigo};Art. 125;{tipo};{ibs};{cbs};0;{de};{ate};23/06/2026;1;{anexo}\n",
        &codigo[..3]
    )
}

fn run(engine: &Engine, lines: &str) -> Result<(Option<String>, TableReport), String> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(lines.as_bytes()).unwrap();
    file.rewind().unwrap();
    let lines = cclasstrib::read("tabela.xlsx", &file).map_err(|refused| refused.to_string())?;
    let installed = cclasstrib::TAXES.map(|tributo| (tributo, listed(engine, tributo)));
    Ok(cclasstrib::bundle(lines, &installed, "tabela.xlsx", Date::parse("2026-11-22").unwrap()))
}

/// Imports what the lines add; they add nothing the second time.
fn publish(engine: &Engine, lines: &str) -> TableReport {
    let lines = format!("{TITLES}{lines}");
    let (bundle, report) = run(engine, &lines).unwrap();
    let bundle = bundle.expect("there is something new");
    if let Err(faults) = import(engine, &[BundleFile::unsigned("tabela.json", bundle.as_bytes())], false) {
        panic!("{faults:#?}\n{bundle}");
    }
    let (again, _) = run(engine, &lines).unwrap();
    assert!(again.is_none(), "{again:?}");
    report
}

/// An engine with the built-in rules of the two taxes.
fn with_built_in() -> Engine {
    let engine = engine(0);
    let files: Vec<BundleFile> = built_in_files().into_iter().filter(|file| file.name.contains("cbs_ibs")).collect();
    import(&engine, &files, false).unwrap();
    engine
}

fn ask(engine: &Engine, tributo: &str, codigo: &str, day: &str) -> Result<Value, String> {
    let payload = json!({
        "tributo": tributo, "valor_operacao": "100000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
        "valor_cofins": "0", "valor_ipi": "0", "cumpre_obrigacoes_acessorias": false, "optante_simples": false,
        "classificacao_tributaria": codigo, "data_operacao": day,
    });
    answer(engine, &payload).map_err(|refused| format!("{}: {}", refused.codigo.as_str(), refused.detail))
}

/// What is due of 100,000: 900 of CBS and 100 of IBS without a reduction.
fn due(engine: &Engine, tributo: &str, codigo: &str, day: &str) -> String {
    ask(engine, tributo, codigo, day)
        .map_or_else(|refused| refused, |found| found["valor"].as_str().unwrap().to_owned())
}

#[test]
fn new_codes_become_rules_of_both_taxes_or_refuse_by_their_kind() {
    let engine = with_built_in();
    let open = ["01/07/2026", ""];
    let lines = [
        line("000901", "Padrão", ["0", "0"], open, ""),
        line("200901", "Padrão", ["60", "100"], open, "1"),
        line("410901", "Sem alíquota", ["0", "0"], open, ""),
        line("550901", "Sem alíquota", ["0", "0"], open, ""),
        line("515901", "Padrão", ["60", "60"], open, ""),
        line("221901", "Fixa", ["0", "0"], open, ""),
        line("200902", "Uniforme setorial", ["30", "30"], open, ""),
        line("999901", "Padrão", ["0", "0"], open, ""),
        line("000902", "Padrão", ["0", "0"], open, "").replace(";0;01/07", ";1;01/07"),
    ];
    let report = publish(&engine, &lines.concat());
    assert_eq!((report.linhas, report.novos, report.versoes, report.ausentes), (9, 18, 18, 340), "{report:#?}");
    for (codigo, cbs, ibs) in [
        ("000901", "900.00", "100.00"),
        ("200901", "0.00", "40.00"),
        ("410901", "0.00", "0.00"),
        ("550901", "0.00", "0.00"),
        ("515901", "0.00", "0.00"),
    ] {
        assert_eq!([due(&engine, "cbs", codigo, "2026-07-01"), due(&engine, "ibs", codigo, "2026-07-01")], [cbs, ibs]);
        let before = due(&engine, "cbs", codigo, "2026-06-30");
        assert!(before.starts_with("classificacao_tributaria_desconhecida"), "{before}");
    }
    let found = ask(&engine, "ibs", "515901", "2026-07-01").unwrap();
    assert_eq!(found["detalhes"]["valor_diferido"], "40.00", "{found}");
    assert_eq!(found["regra"]["rule_id"], "ibs-classificacao-515901-v1.0");
    assert_eq!(found["regra"]["citacao_legal"], "LC nº 214/2025, art. 125");
    let suspended = ask(&engine, "cbs", "550901", "2026-07-01").unwrap();
    assert!(suspended["avisos"].to_string().contains("Suspensão condicionada"), "{suspended}");
    for (codigo, why) in [
        ("221901", "alíquota é fixa"),
        ("200902", "não são de um cálculo que se conheça"),
        ("999901", "não são de um cálculo que se conheça"),
        ("000902", "monofásica"),
    ] {
        let refused = due(&engine, "cbs", codigo, "2026-07-01");
        assert!(refused.starts_with("regime_diferenciado") && refused.contains(why), "{refused}");
    }
}

#[test]
fn a_changed_reduction_holds_from_its_day_and_keeps_the_list_and_a_last_day_ends_a_code() {
    let engine = with_built_in();
    // 200003 is the basic basket, by NCM; 200034 is reduced by 60 %, and 410001 has no rate.
    let lines = [
        line("200003", "Padrão", ["100", "100"], ["01/01/2026", "30/06/2026"], "1"),
        line("200003", "Padrão", ["60", "60"], ["01/07/2026", ""], "1"),
        line("410001", "Sem alíquota", ["0", "0"], ["01/01/2026", "2026-09-30"], ""),
    ];
    let report = publish(&engine, &lines.concat());
    assert_eq!((report.novos, report.alterados, report.encerrados), (0, 2, 2), "{report:#?}");
    let found = ["2026-06-30", "2026-07-01"].map(|day| due(&engine, "cbs", "200003", day));
    assert_eq!(found, ["0.00", "360.00"]);
    let rules: Vec<Value> =
        listed_values(&engine, "cbs").into_iter().filter(|r| r["classificacao_tributaria"] == "200003").collect();
    assert_eq!(rules.len(), 2);
    assert!(rules.iter().all(|rule| rule["conteudo"]["classificacao"]["lista"] == "ncm"), "{rules:#?}");
    assert_eq!(due(&engine, "ibs", "410001", "2026-09-30"), "0.00");
    assert!(due(&engine, "ibs", "410001", "2026-10-01").contains("a 2026-09-30"));
    // A later table gives the code days again.
    let again = line("410001", "Sem alíquota", ["0", "0"], ["01/01/2026", ""], "");
    publish(&engine, &again);
    assert_eq!(due(&engine, "ibs", "410001", "2026-10-01"), "0.00");
}

#[test]
fn a_refusal_of_someone_who_read_the_law_is_left_alone() {
    let engine = with_built_in();
    // Travel agencies: the base is their own, which the table does not say.
    let (bundle, report) =
        run(&engine, &format!("{TITLES}{}", line("200051", "Padrão", ["40", "40"], ["01/01/2026", ""], ""))).unwrap();
    assert!(bundle.is_none(), "{bundle:?}");
    assert_eq!((report.divergem, report.ausentes), (2, 338));
    let left = &report.divergencias[0];
    assert_eq!(
        (left.codigo.as_str(), left.instalada.as_deref(), left.da_tabela.as_deref()),
        ("cbs 200051", Some("recusa"), Some("redução de 40.00%"))
    );
}

#[test]
fn a_faulty_line_leaves_its_code_as_it_is() {
    let engine = with_built_in();
    let open = ["01/01/2026", ""];
    let lines = [
        line("200003", "Padrão", ["cem", "60"], open, "1"),
        line("200034", "Padrão", ["30", "30"], open, ""),
        line("200034", "Padrão", ["40", "40"], ["01/05/2026", ""], ""),
        line("200035", "Padrão", ["120", "60"], open, ""),
        line("200036", "Padrão", ["30", "30"], ["", ""], ""),
        line("200037", "Padrão", ["30", "30"], ["02/01/2026", "01/01/2026"], ""),
        line("410001", "Sem alíquota", ["0", "0"], open, "").replace("410;", "400;"),
        line("4100022", "Sem alíquota", ["0", "0"], open, ""),
    ];
    let (bundle, report) = run(&engine, &format!("{TITLES}{}", lines.concat())).unwrap();
    assert!(bundle.is_none(), "{bundle:?}");
    let faults: Vec<_> = report.falhas.primeiras.iter().map(|fault| (fault.linha, fault.detail.as_str())).collect();
    let wanted = [
        (2, "200003: pRedIBS: \"cem\""),
        (4, "200034: outra linha"),
        (5, "200035: pRedIBS: 120"),
        (6, "200036: dIniVig"),
        (7, "200037: a vigência termina"),
        (8, "410001: o CST 400"),
        (9, "\"4100022\" não serve"),
    ];
    assert_eq!(faults.len(), wanted.len(), "{faults:#?}");
    for ((line, detail), (wanted_line, wanted)) in faults.iter().zip(wanted) {
        assert!(line == &wanted_line && detail.starts_with(wanted), "{line}: {detail}");
    }
    assert_eq!(report.ausentes, 340);
    let refused = run(&engine, "NCM;EX\n1;2\n").unwrap_err();
    assert!(refused.contains("cClassTrib") && refused.contains("pRedCBS"), "{refused}");
}

/// The installed table in the form of the spreadsheet.
#[test]
fn the_installed_table_adds_nothing() {
    let mut text = String::from(TITLES);
    let mut codes = 0;
    for tributo in ["cbs", "ibs"] {
        for rule in listed_values(built_in_engine(), tributo) {
            let Some(codigo) = rule["classificacao_tributaria"].as_str().filter(|_| tributo == "cbs") else { continue };
            if rule["vigente_ate"] == rule["vigente_de"] {
                // Replaced entirely.
                continue;
            }
            codes += 1;
            let reducao = rule["conteudo"]["classificacao"]["reducao"].as_str().unwrap_or("0");
            // The Prouni, of which the table reduces the CBS to zero and the IBS by 60 %.
            let ibs = if codigo == "200025" { "60" } else { reducao };
            let tipo = match &codigo[..3] {
                "000" | "200" | "515" | "222" => "Padrão",
                "010" | "620" => "Uniforme setorial",
                "011" => "Uniforme nacional (referência)",
                "220" | "221" => "Fixa",
                _ => "Sem alíquota",
            };
            let ate = if rule["vigente_ate"].is_null() { "" } else { "01/01/2026" };
            text += &line(codigo, tipo, [ibs, reducao], ["01/01/2026", ate], "");
        }
    }
    let (bundle, report) = run(built_in_engine(), &text).unwrap();
    assert!(bundle.is_none(), "{bundle:?}");
    // 200051 is refused for what the law says of it.
    assert_eq!((codes, report.ausentes, report.divergem, report.inalterados), (173, 0, 2, 344), "{report:#?}");
}
