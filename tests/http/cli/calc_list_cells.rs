//! `taxd calc` on a list: what its cells and rows mean.

use crate::support::{DataDir, Done, taxd};

fn calc(dir: &DataDir, name: &str, text: &str, more: &[&str]) -> Done {
    let file = dir.write(name, text);
    let file = file.to_str().unwrap();
    taxd(dir, [&["calc", file], more].concat())
}

/// The cells of each row of a CSV whose cells have no `;`, by the names of the header.
fn cells(done: &Done, name: &str) -> Vec<String> {
    let mut lines = done.stdout.trim_start_matches('\u{feff}').lines();
    let place = lines.next().unwrap().split(';').position(|own| own == name).unwrap_or_else(|| panic!("{name}"));
    lines.map(|line| line.split(';').nth(place).unwrap().to_owned()).collect()
}

const HEADER: &str = "uf_origem,uf_destino,valor_produto,data_operacao\n";
const ICMS: &[&str] = &["--tributo", "icms"];

/// An American list of `"1,234"` became one of 1.23, and its ICMS a thousandth.
#[test]
fn a_comma_before_three_digits_is_decided_by_the_list_or_by_the_option_and_never_guessed() {
    let dir = DataDir::ready();
    let row = |amount: &str| format!("SP,SP,\"{amount}\",2026-03-10\n");
    let list = |amounts: &[&str]| format!("{HEADER}{}", amounts.iter().map(|amount| row(amount)).collect::<String>());
    let alone = calc(&dir, "alone.csv", &list(&["1,234", "100"]), ICMS);
    assert_eq!((alone.code, cells(&alone, "taxd_valor")), (1, vec![String::new(), "18,00".to_owned()]), "{alone:?}");
    assert!(alone.stdout.contains("coluna C") && alone.stdout.contains("--decimal virgula"), "{alone:?}");
    let american = calc(&dir, "american.csv", &list(&["1,234", "1,000.50"]), ICMS).ok();
    assert_eq!(cells(&american, "taxd_valor"), ["222,12", "180,09"]);
    let brazilian = calc(&dir, "brazilian.csv", &list(&["1,234", "1.000,50"]), ICMS).ok();
    assert_eq!(cells(&brazilian, "taxd_valor"), ["0,22", "180,09"]);
    for (mark, expected) in [("ponto", "222,12"), ("virgula", "0,22")] {
        let said = calc(&dir, "said.csv", &list(&["1,234"]), &[ICMS, &["--decimal", mark]].concat()).ok();
        assert_eq!(cells(&said, "taxd_valor"), [expected]);
    }
}

/// The rows below a blank one moved up, so that a note on row 5 of the list was on row 4 of the result.
#[test]
fn blank_rows_stay_and_each_row_says_which_it_was() {
    let dir = DataDir::ready();
    let text = format!("{HEADER}SP,SP,100.00,2026-03-10\n\n,,,\nSP,SP,200.00,2026-03-10\n");
    let done = calc(&dir, "blank.csv", &text, ICMS).ok();
    assert_eq!(cells(&done, "taxd_linha"), ["2", "", "", "5"], "{done:?}");
    assert_eq!(cells(&done, "taxd_valor"), ["18,00", "", "", "36,00"]);
    let again = calc(&dir, "again.csv", &done.stdout, ICMS).ok();
    assert_eq!(again.stdout, done.stdout);
    let below = calc(&dir, "below.csv", &format!("\n\n{text}"), ICMS).ok();
    assert_eq!(cells(&below, "taxd_linha"), ["4", "", "", "7"]);
}

#[test]
fn a_day_with_midnight_is_that_day_and_another_time_is_refused() {
    let dir = DataDir::ready();
    let days = ["2026-03-10T00:00:00", "10/03/2026 00:00:00", "10/03/26", "10/03/2026 14:30"];
    let rows: String = days.map(|day| ["SP,SP,100.00,", day, "\n"].concat()).concat();
    let done = calc(&dir, "days.csv", &format!("{HEADER}{rows}"), ICMS);
    assert_eq!(cells(&done, "taxd_valor"), ["18,00", "18,00", "18,00", ""]);
    assert!(done.stdout.contains("tem hora ou fuso") && done.stdout.contains("escreva 10/03/2026"), "{done:?}");
}

/// Each row is an operation: its taxes side by side, and the totals.
#[test]
fn a_list_of_operations_has_every_tax_of_each_row() {
    let dir = DataDir::ready();
    let text = "nota;data_operacao;valor_produto;preco_servico;uf_origem;uf_destino;ncm;papel_na_cadeia;regime_apuracao;\
                substituicao_tributaria;cumpre_obrigacoes_acessorias;uf;municipio;item_lista_servico\n\
                1;10/03/2026;1.000,00;;SP;SP;39241000;fabricante_importador;nao_cumulativo;não;sim;;;\n\
                2;10/03/2026;1.000,00;;SP;SP;39241000;fabricante_importador;;não;sim;;;\n\
                3;10/03/2026;1.000,00;;SP;;39241000;;;;;;;\n\
                4;10/03/2026;;100,00;;;;;cumulativo;;sim;SP;São Paulo;1.07\n";
    let done = calc(&dir, "operacoes.csv", text, &["--operacao"]);
    assert!(done.code == 1 && done.stderr.contains("2 de 4 linhas recusadas"), "{done:?}");
    let column = |name: &str| cells(&done, name);
    assert_eq!(column("nota"), ["1", "2", "3", "4"]);
    // IPI 6.5%; ICMS 18%; (1000 − 180) × 1.65%, as in the operation that is a document.
    assert_eq!(column("taxd_ipi_valor"), ["65,00", "65,00", "", ""]);
    assert_eq!(column("taxd_icms_valor"), ["180,00", "180,00", "", ""]);
    assert_eq!(column("taxd_icms_aliquota"), ["18,00", "18,00", "", ""]);
    assert_eq!(column("taxd_pis_valor"), ["13,53", "", "", "0,65"]);
    assert_eq!(column("taxd_iss_valor")[3], "2,90");
    assert_eq!(column("taxd_valor_documento"), ["1065,00", "1065,00", "", "100,00"]);
    assert_eq!(column("taxd_tributos")[1], "", "a sum that lacks PIS");
    assert!(column("taxd_pis_motivo")[1].starts_with("recusado: "), "{done:?}");
    assert!(column("taxd_icms_st_motivo")[0].starts_with("nao_se_aplica: "), "{done:?}");
    // The last cell; citations before it may have a `;`.
    let errors: Vec<&str> = done.stdout.lines().skip(1).filter_map(|line| line.rsplit(';').next()).collect();
    assert!(errors[0].is_empty() && errors[1].contains("falta o valor de pis, cofins"), "{errors:?}");
    assert!(errors[2].contains("uf_destino"), "{errors:?}");
}

/// Lists of services and vehicles as firms have them: their cells were refused, or their headers.
#[test]
fn lists_of_services_and_of_vehicles_are_read_as_firms_write_them() {
    let dir = DataDir::ready();
    let services = "Nota,uf,municipio,Serviço,preco_servico,data\n\
        1,SP,São Paulo,7.10 Limpeza,1000.00,10/03/2026\n2,SP,São Paulo,1.07 - Suporte técnico,1000.00,10/03/2026\n\
        3,SP,São Paulo,7.10 Limpeza e 1.07 Suporte,1000.00,10/03/2026\n";
    let done = calc(&dir, "services.csv", services, &["--tributo", "iss"]);
    let rules = cells(&done, "taxd_regra");
    for (rule, item) in rules.iter().zip(["iss-sp-sao-paulo-7.10-", "iss-sp-sao-paulo-1.07-", ""]) {
        assert!(rule.starts_with(item) && rule.is_empty() == item.is_empty(), "{done:?}");
    }
    assert_eq!(cells(&done, "taxd_valor")[1], "29,00");
    assert!(cells(&done, "taxd_erro")[2].contains("item_servico_invalido"), "two services: {done:?}");
    assert!(done.stderr.contains("a coluna D (\"Serviço\") é lida como `item_lista_servico`"), "{done:?}");

    let vehicles = "Placa,uf,Categoria,valor_venal,data_fato_gerador\n\
        A,PR,ônibus,100000.00,Ano 2026\nB,PR,Táxi,100000.00,2026\nC,PR,caminh,100000.00,2026\n";
    let done = calc(&dir, "vehicles.csv", vehicles, &["--tributo", "ipva"]);
    assert!(done.stderr.contains("a coluna C (\"Categoria\") é lida como `categoria_veiculo`"), "{done:?}");
    let errors = cells(&done, "taxd_erro");
    assert!(!errors[0].contains("categoria_veiculo") && !errors[0].contains("data_fato_gerador"), "{errors:?}");
    assert!(errors[2].contains("\"\"caminh\"\" não é aceito"), "two fit: {errors:?}");
    // A CSV on stdout has the cells as they were.
    assert_eq!(cells(&done, "data_fato_gerador"), ["Ano 2026", "2026", "2026"]);
    let exact = vehicles.replace("Categoria", "categoria_veiculo").replace("ônibus", "onibus_micro_onibus");
    let exact = calc(&dir, "exact.csv", &exact.replace("Ano 2026", "2026-01-01"), &["--tributo", "ipva"]);
    assert_eq!(cells(&done, "taxd_valor"), cells(&exact, "taxd_valor"));
    assert!(!cells(&done, "taxd_valor")[0].is_empty(), "{done:?}");
}

/// A financed part was answered with the whole rate when the list did not say that it was by the SFH.
#[test]
fn a_financed_part_needs_a_word_on_the_sfh() {
    let dir = DataDir::ready();
    let head = "uf,municipio,valor_transacao,valor_financiado,data,financiado_sfh\n";
    let row = |financed: &str, sfh: &str| format!("SP,São Paulo,500000.00,{financed},20/03/2026,{sfh}\n");
    let rows = [row("300000.00", ""), row("300000.00", "sim"), row("300000.00", "não"), row("", ""), row("0.00", "")];
    let done = calc(&dir, "itbi.csv", &format!("{head}{}", rows.concat()), &["--tributo", "itbi"]);
    let amounts = cells(&done, "taxd_valor");
    assert_eq!(
        (amounts[0].as_str(), &amounts[2..]),
        ("", &["15000,00", "15000,00", "15000,00"].map(str::to_owned)[..])
    );
    assert!(!amounts[1].is_empty() && amounts[1] != amounts[2], "{amounts:?}");
    assert!(
        cells(&done, "taxd_erro")[0].starts_with("`financiado_sfh`: Diga se o financiamento é pelo SFH"),
        "{done:?}"
    );
}

/// A column of descriptions is decided by all rows, in a CSV and with a stated decimal mark alike.
#[test]
fn a_column_of_descriptions_is_passed_over_and_the_command_asks_about_it() {
    let dir = DataDir::ready();
    let head = "Serviço;valor_operacao;valor_icms;valor_iss;valor_pis;valor_cofins;valor_ipi;\
                cumpre_obrigacoes_acessorias;optante_simples;data_operacao\n";
    let row = |servico: &str| format!("{servico};1.000,00;0;0;0;0;0;não;não;10/03/2026\n");
    let list = |cells: &[&str]| head.to_owned() + &cells.iter().map(|cell| row(cell)).collect::<String>();
    for more in [&[][..], &["--decimal", "virgula"]] {
        let args = [&["--tributo", "cbs"], more].concat();
        let described = calc(&dir, "descricoes.csv", &list(&["Consultoria em TI", "Auditoria"]), &args).ok();
        assert_eq!(cells(&described, "taxd_valor"), ["9,00", "9,00"]);
        assert!(described.stderr.contains("A coluna A (\"Serviço\") é o campo `item_lista_servico`?"), "{described:?}");
        let verified = dir.write("calculadas.csv", &described.stdout);
        let verified = taxd(&dir, ["verify", verified.to_str().unwrap(), "--tributo", "cbs"]);
        assert_eq!(verified.code, 0, "{verified:?}");
        let coded = calc(&dir, "codigos.csv", &list(&["1.07", "Auditoria"]), &args);
        assert!(coded.code == 1 && coded.stderr.contains("é lida como `item_lista_servico`"), "{coded:?}");
        assert_eq!(cells(&coded, "taxd_valor"), ["9,00", ""]);
    }
}
