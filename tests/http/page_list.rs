//! `POST /sandbox/v1/lista`, `/sandbox/v1/planilha` and `GET /sandbox/v1/modelo`: lists on the page.

use std::io::{Cursor, Write as _};
use std::ops::ControlFlow;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use taxd::sheet::{self, Cell};

use crate::support::{Client, DataDir, Reply};

const LISTA: &str = "/sandbox/v1/lista?tributo=icms";
const HEADER: &str = "Nota;Cliente;UF de origem;UF de destino;valor_produto;Data da operação\n";

/// A list of ICMS within SP, of these amounts.
fn list(amounts: &[&str]) -> String {
    let row = |(i, amount): (usize, &&str)| format!("{i};Açougue;SP;sp;{amount};10/03/2026\n");
    HEADER.to_owned() + &amounts.iter().enumerate().map(row).collect::<String>()
}

fn lines(reply: &Reply) -> Vec<Value> {
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The head, the rows and the totals of a list that was calculated.
#[track_caller]
fn calculated(reply: &Reply) -> (Value, Vec<Value>, Value) {
    let mut lines = lines(reply);
    let total = lines.pop().unwrap()["total"].take();
    assert!(total.is_object(), "{}", reply.text());
    (lines.remove(0), lines, total)
}

/// The cell of a result by the name of its column.
fn result(head: &Value, row: &Value, name: &str) -> Value {
    let place = head["resultado"].as_array().unwrap().iter().position(|column| column["nome"] == name);
    row["resultado"][place.unwrap_or_else(|| panic!("{name}: {head}"))].clone()
}

#[track_caller]
fn refusal(reply: &Reply, status: u16) -> String {
    assert_eq!(reply.status, status, "{}", reply.text());
    reply.json()["detail"].as_str().unwrap().to_owned()
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn used(client: &Client) -> u64 {
    client.get_own("/sandbox/v1/usage?recentes=1").json()["chave"]["cota"]["usada"].as_u64().unwrap()
}

#[test]
fn the_rows_come_back_in_order_with_their_results_and_totals() {
    let server = DataDir::served();
    let before = used(&server);
    let body = list(&["100,00", "mil", "1.234,56"]).replace("2;Açougue;SP;sp", "2;Bar;SP;XX");
    let (head, rows, total) = calculated(&server.post(LISTA, &body));
    assert_eq!((&head["linhas"], &head["decimal"]), (&json!(3), &json!("virgula")));
    let fields: Vec<&Value> = head["colunas"].as_array().unwrap().iter().map(|column| &column["campo"]).collect();
    let wanted = [None, None, Some("uf_origem"), Some("uf_destino"), Some("valor_produto"), Some("data_operacao")];
    assert_eq!(json!(fields), json!(wanted));
    assert_eq!(rows[0]["celulas"], json!(["0", "Açougue", "SP", "sp", "100.00", "2026-03-10"]));
    assert_eq!(result(&head, &rows[0], "taxd_valor"), "18.00");
    assert_eq!(result(&head, &rows[0], "taxd_aliquota"), "18.00");
    assert_eq!(result(&head, &rows[0], "taxd_erro"), Value::Null);
    // What the row asked can be asked again.
    let again = server.post("/v1/calculate", rows[0]["pedido"].to_string()).json();
    assert_eq!(again["valor"], "18.00");
    assert_eq!(again["regra"]["rule_id"], result(&head, &rows[0], "taxd_regra"));
    assert_eq!(again["regra"]["citacao_legal"], result(&head, &rows[0], "taxd_citacao_legal"));

    assert_eq!(rows[1]["celulas"][4], json!({"texto": "mil"}));
    let unread = result(&head, &rows[1], "taxd_erro");
    let unread = unread.as_str().unwrap();
    assert!(
        unread.starts_with("“Valor da operação” (coluna E): \"mil\" não é um número; escreva o valor como 1.234,56.")
    );
    assert_eq!((rows[1].get("pedido"), rows[1].get("codigo")), (None, None));
    assert_eq!(rows[2]["codigo"], "uf_invalida");
    let refused = result(&head, &rows[2], "taxd_erro");
    assert!(refused.as_str().unwrap().starts_with("“UF de destino”: \"XX\" não é uma UF"), "{refused}");
    assert_eq!(total, json!({"linhas": 3, "calculadas": 1, "recusadas": 2, "cobradas": 2, "soma": "18.00"}));
    // Two rows were calculated, and one more call was made above.
    assert_eq!(used(&server), before + 3);
}

#[test]
fn columns_are_shown_without_a_charge_and_corrected_by_hand() {
    let server = DataDir::served();
    let before = used(&server);
    let pasted = "Quanto\tUF origem\tDestino\tdata operacao\tValor do produto\n100,00\tSP\tMG\t10/03/2026\t7\n";
    let shown = lines(&server.post(&format!("{LISTA}&so_colunas=true"), pasted));
    assert_eq!(shown.len(), 2, "{shown:?}");
    let columns = shown[0]["colunas"].as_array().unwrap();
    let field = |column: &Value| column["campo"].as_str().unwrap_or("-").to_owned();
    assert_eq!(columns.iter().map(field).collect::<Vec<_>>(), ["-", "uf_origem", "-", "data_operacao", "-"]);
    assert_eq!(columns[4]["sugestao"], "valor_produto");
    assert_eq!(shown[1]["celulas"][0], "100,00");
    let needed = shown[0]["campos"].as_array().unwrap().iter().filter(|field| field["obrigatorio"] == true);
    assert!(needed.map(|field| field["nome"].as_str().unwrap()).any(|name| name == "uf_destino"));
    let told = refusal(&server.post(LISTA, pasted), 422);
    assert!(told.contains("Faltam colunas") && told.contains("`uf_destino`"), "{told}");
    assert_eq!(used(&server), before, "nothing was calculated");

    let mended = format!("{LISTA}&colunas=valor_produto,uf_origem,uf_destino,data_operacao,");
    let (head, rows, _) = calculated(&server.post(&mended, pasted));
    assert_eq!(result(&head, &rows[0], "taxd_valor"), "12.00");
    assert_eq!(head["colunas"][0]["nome"], "Quanto");
    assert_eq!(rows[0]["celulas"][4], "7");
    let twice = refusal(&server.post(&mended.replace("data_operacao,", "data_operacao,uf_origem"), pasted), 422);
    assert!(twice.contains("ambas"), "{twice}");
}

/// An accountant calculated a whole list of operations to learn that every row lacked the same two data.
#[test]
fn what_all_rows_lack_is_known_without_a_charge_and_may_be_said_once() {
    let server = DataDir::served();
    let before = used(&server);
    let address = "/sandbox/v1/lista?tributo=operacao";
    let body = "Nota;UF do vendedor;UF de destino;NCM do produto;valor_produto\n1;SP;SP;22030000;100,00\n2;SP;SP;22030000;7,00\n";
    let lacking = |valores: &Value| {
        let asked = format!("{address}&so_colunas=true&valores={}", encoded(&valores.to_string()));
        lines(&server.post(&asked, body))[0]["faltam"].clone()
    };
    assert_eq!(lacking(&json!({})), json!(["data_operacao"]));
    let day = json!({"data_operacao": "2026-03-10"});
    let more = lacking(&day);
    assert!(more.as_array().unwrap().contains(&json!("regime_apuracao")), "{more}");
    let mut all = day;
    all["regime_apuracao"] = json!("nao_cumulativo");
    let left = lacking(&all);
    assert!(!left.as_array().unwrap().contains(&json!("regime_apuracao")), "{left}");
    assert_eq!(used(&server), before, "nothing was calculated");

    let asked = format!("{address}&valores={}", encoded(&all.to_string()));
    let (head, rows, _) = calculated(&server.post(&asked, body));
    let columns = head["colunas"].as_array().unwrap();
    assert_eq!(
        (&columns[5]["nome"], &columns[5]["campo"]),
        (&json!("Data da operação ou da prestação"), &json!("data_operacao"))
    );
    assert_eq!(rows[1]["celulas"], json!(["2", "SP", "SP", "22030000", "7.00", "2026-03-10", "nao_cumulativo"]));
    assert_eq!(result(&head, &rows[1], "taxd_icms_valor"), "1.40");
    // A row with a decimal comma between commas keeps its fault: the values are not taken for the second half.
    let split = "UF do vendedor,UF de destino,NCM do produto,valor_produto\nSP,SP,22030000,1,50\n";
    let (head, rows, _) = calculated(&server.post(&asked, split));
    let told = result(&head, &rows[0], "taxd_erro");
    assert!(told.as_str().unwrap().contains("mais células que o cabeçalho"), "{told}");
    let told = refusal(&server.post(&format!("{address}&valores={}", encoded("{\"cor\":\"azul\"}")), body), 422);
    assert!(told.contains("`cor` não é um campo"), "{told}");
}

/// A financed part without a word on the SFH is asked for before the list is calculated, and may be said once.
#[test]
fn a_list_of_transfers_asks_whether_the_financing_is_by_the_sfh() {
    let server = DataDir::served();
    let before = used(&server);
    let address = "/sandbox/v1/lista?tributo=itbi";
    let list = |financed: &str| {
        format!("uf;municipio;valor_transacao;valor_financiado;data\nSP;São Paulo;500.000,00;{financed};20/03/2026\n")
    };
    let lacking = |body: String| lines(&server.post(&format!("{address}&so_colunas=true"), body))[0]["faltam"].clone();
    assert_eq!(lacking(list("300.000,00")), json!(["financiado_sfh"]));
    assert_eq!(lacking(list("")), Value::Null);
    let (head, rows, total) = calculated(&server.post(address, list("300.000,00")));
    assert_eq!((&total["calculadas"], &total["cobradas"]), (&json!(0), &json!(0)));
    let told = result(&head, &rows[0], "taxd_erro");
    assert!(told.as_str().unwrap().contains("Diga se o financiamento é pelo SFH"), "{told}");
    assert_eq!(used(&server), before);
    let all = format!("{address}&valores={}", encoded("{\"financiado_sfh\":\"não\"}"));
    assert_eq!(calculated(&server.post(&all, list("300.000,00"))).2["soma"], "15000.00");
}

#[test]
fn a_column_names_the_tax_of_each_row_and_an_operation_has_every_tax() {
    let server = DataDir::served();
    let body = "Tributo;UF de origem;UF de destino;valor_produto;Data da operação\nicms;SP;SP;100;10/03/2026\nIPI;;;100;10/03/2026\n";
    let (head, rows, _) = calculated(&server.post("/sandbox/v1/lista", body));
    assert_eq!(head["colunas"][0]["campo"], "tributo");
    assert_eq!(result(&head, &rows[0], "taxd_valor"), "18.00");
    assert_eq!(rows[1]["codigo"], "campo_obrigatorio");
    let told = refusal(&server.post(LISTA, body), 422);
    assert!(told.contains("A coluna A diz o tributo de cada linha"), "{told}");
    let told = refusal(&server.post("/sandbox/v1/lista", list(&["1"])), 422);
    assert!(told.contains("Nenhuma coluna se chama Tributo"), "{told}");

    let template = server.get_own("/sandbox/v1/modelo?tributo=operacao&formato=xlsx");
    assert_eq!(template.header("cache-control"), Some("no-store"));
    let (head, rows, total) = calculated(&server.post("/sandbox/v1/lista?tributo=operacao", &template.body));
    assert_eq!(result(&head, &rows[0], "taxd_icms_valor"), "180.00");
    assert_eq!(result(&head, &rows[0], "taxd_tributos"), total["soma"]);
    let label = head["resultado"].as_array().unwrap().iter().find(|column| column["nome"] == "taxd_icms_valor");
    assert_eq!(label.unwrap()["rotulo"], "ICMS: valor");
}

#[test]
fn the_template_of_every_tax_is_a_list_that_is_answered_in_both_forms() {
    let server = DataDir::served();
    for entry in taxd::law::tax::REGISTRY {
        let tributo = entry.tributo.as_str();
        let example = server.post("/v1/calculate", entry.exemplo).json();
        for form in ["csv", "xlsx"] {
            let template = server.get_own(&format!("/sandbox/v1/modelo?tributo={tributo}&formato={form}"));
            assert_eq!(template.status, 200, "{}", template.text());
            let (head, rows, _) =
                calculated(&server.post(&format!("/sandbox/v1/lista?tributo={tributo}"), &template.body));
            assert_eq!(rows.len(), 1);
            assert_eq!(result(&head, &rows[0], "taxd_valor"), example["valor"], "{tributo} {form}");
            // A spreadsheet program in Portuguese would show days of programs as text.
            assert!(form == "xlsx" || !template.text().contains("2026-"), "{tributo}: {}", template.text());
        }
    }
    for (query, told) in [("", "tributo"), ("?tributo=icm", "icms"), ("?tributo=icms&formato=pdf", "xlsx ou csv")] {
        let reply = server.get_own(&format!("/sandbox/v1/modelo{query}"));
        assert!(refusal(&reply, 422).contains(told), "{query}: {}", reply.text());
    }
}

/// The rows of a file that came back.
fn read(reply: &Reply) -> Vec<Vec<Cell<'static>>> {
    assert_eq!(reply.status, 200, "{}", reply.text());
    let mut rows = Vec::new();
    let mut take = |row: sheet::Row<'_>| {
        rows.push(row.into_owned().cells);
        ControlFlow::Continue(())
    };
    sheet::read(Cursor::new(&reply.body), None, &mut take).unwrap();
    rows
}

#[test]
fn a_table_comes_back_as_a_file_with_typed_cells() {
    let server = DataDir::served();
    let before = used(&server);
    let table = [
        json!({"colunas": [{"nome": "Valor", "tipo": "decimal"}, {"nome": "Texto"}, {"nome": "Dia", "tipo": "data"}]}),
        json!(["1234.50", "=1+1", "2026-03-10"]),
        json!([{"texto": "1.234"}, {"decimal": "7.125"}, null]),
    ];
    let plain = table.map(|line| format!("{line}\n")).concat();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(plain.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let csv = server.post("/sandbox/v1/planilha?formato=csv", &plain);
    assert_eq!(csv.text(), "\u{feff}Valor;Texto;Dia\n1234,50;'=1+1;10/03/2026\n1.234;7,125;\n");
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    for body in [plain.into_bytes(), packed] {
        let rows = read(&server.post("/sandbox/v1/planilha?formato=xlsx&nome=Vendas%20de%20mar%5B%C3%A7o", body));
        let text = |text: &str| Cell::Text(text.to_owned().into());
        assert_eq!(rows[1][0], Cell::Number("1234.50".parse().unwrap()));
        assert_eq!(
            (&rows[1][1], &rows[1][2]),
            (&text("=1+1"), &Cell::Date(taxd::base::value::Date::parse("2026-03-10").unwrap()))
        );
        assert_eq!(rows[2], [text("1.234"), Cell::Number("7.125".parse().unwrap())]);
    }
    assert_eq!(used(&server), before);
    for (body, told) in [
        (String::new(), "declarar as colunas"),
        ("{\"colunas\":[]}\n".to_owned(), "de 1 a 16384 colunas"),
        ("{\"colunas\":[{\"nome\":\"A\"}]}\n[\"a\"]\n[\"a\",\"b\"]\n".to_owned(), "A linha 3"),
        ("{\"colunas\":[{\"nome\":\"A\"}]}\n[1]\n".to_owned(), "A linha 2"),
        (format!("{{\"colunas\":[{{\"nome\":\"A\"}}]}}\n[\"{}\"]\n", "a".repeat(2 << 20)), "1 MiB"),
    ] {
        for form in ["csv", "xlsx"] {
            let reply = server.post(&format!("/sandbox/v1/planilha?formato={form}"), &body);
            assert!(refusal(&reply, 422).contains(told), "{told}: {}", reply.text());
        }
    }
    // A long line of an XLSX cell, which a CSV takes.
    let long = format!("{{\"colunas\":[{{\"nome\":\"A\"}}]}}\n[\"{}\"]\n", "a".repeat(40_000));
    assert!(refusal(&server.post("/sandbox/v1/planilha", &long), 422).contains("não cabe"));
    assert_eq!(read(&server.post("/sandbox/v1/planilha?formato=csv", &long)).len(), 2);
}

#[test]
fn an_ambiguous_number_is_refused_in_the_words_of_the_page() {
    let server = DataDir::served();
    let body = "uf_origem,uf_destino,valor_produto,data_operacao\nSP,SP,\"1,234\",10/03/2026\n";
    let (head, rows, _) = calculated(&server.post(LISTA, body));
    assert_eq!(head["decimal"], Value::Null);
    let told = result(&head, &rows[0], "taxd_erro");
    let told = told.as_str().unwrap();
    assert!(told.contains("é ambíguo") && told.contains("Separador decimal") && !told.contains("--decimal"), "{told}");
    for (mark, valor) in [("virgula", "0.22"), ("ponto", "222.12")] {
        let (head, rows, _) = calculated(&server.post(&format!("{LISTA}&decimal={mark}"), body));
        assert_eq!((&head["decimal"], result(&head, &rows[0], "taxd_valor")), (&json!(mark), json!(valor)));
    }
}

#[test]
fn a_list_is_answered_as_it_was_known_and_an_instant_to_come_is_refused() {
    let server = DataDir::served();
    let body = list(&["100,00"]);
    let (head, rows, _) = calculated(&server.post(&format!("{LISTA}&conhecido_em=2020-01-01T00:00:00Z"), &body));
    assert_eq!(rows[0]["codigo"], "regra_inexistente", "nothing was published then: {}", rows[0]);
    assert!(result(&head, &rows[0], "taxd_valor").is_null());
    let told = refusal(&server.post(&format!("{LISTA}&conhecido_em=2999-01-01T00:00:00Z"), &body), 422);
    assert!(told.contains("futuro"), "{told}");
}

#[test]
fn rows_beyond_the_quota_say_so_and_the_others_are_answered() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let account = dir.account("Pequena", &[]);
    let key = dir.new_key(&account.client_id, "test");
    let amounts = vec!["100"; 1_003];
    let (head, rows, total) = calculated(&server.post_as(&key.key, LISTA, list(&amounts)));
    assert_eq!((&total["calculadas"], &total["recusadas"]), (&json!(1_000), &json!(3)));
    assert_eq!(rows[999]["codigo"], json!(null));
    for row in &rows[1_000..] {
        assert_eq!(row["codigo"], "cota_esgotada");
        let told = result(&head, row, "taxd_erro");
        assert!(told.as_str().unwrap().contains("1000 chamadas do mês"), "{told}");
        // As an own call says it.
        let own = server.post_as(&key.key, "/v1/calculate", "{}").json()["detail"].clone();
        assert_eq!(told.as_str(), own.as_str());
        assert_eq!(row["celulas"][4], "100");
    }
}

#[test]
fn a_key_is_needed_and_parameters_are_checked() {
    let server = DataDir::served();
    for path in [LISTA, "/sandbox/v1/planilha"] {
        assert_eq!(server.post_as("svc_live_0000", path, list(&["1"])).status, 401);
        assert_eq!(server.get_own(path).status, 405);
    }
    assert_eq!(server.get("/sandbox/v1/modelo?tributo=icms", &[]).status, 401);
    for (query, told) in [
        ("tributo=icm", "Você quis dizer `icms`?"),
        ("tributo=icms&decimal=x", "virgula ou ponto"),
        ("tributo=icms&so_colunas=sim", "true ou false"),
        ("tributo=icms&coluna=a", "não tem este parâmetro"),
        ("tributo=icms&aba=Vendas", "não tem a planilha \"Vendas\""),
    ] {
        let reply = server.post(&format!("/sandbox/v1/lista?{query}"), list(&["1"]));
        assert!(refusal(&reply, 422).contains(told), "{query}: {}", reply.text());
    }
}

/// Columns that an earlier run added were once kept without a name.
#[test]
fn a_list_that_comes_back_with_its_results_is_calculated_again() {
    let server = DataDir::served();
    let body = "uf_origem;taxd_valor;UF;valor_produto;data_operacao\nSP;1,00;MG;100;10/03/2026\n";
    for columns in ["uf_origem,*,uf_destino,valor_produto,data_operacao", "*,*,uf_destino"] {
        let (head, rows, _) = calculated(&server.post(&format!("{LISTA}&colunas={columns}"), body));
        assert_eq!(rows[0]["celulas"], json!(["SP", "MG", "100", "2026-03-10"]));
        assert_eq!(result(&head, &rows[0], "taxd_valor"), "12.00");
    }
}

/// An export of the ERP was refused for its dates, and its total as a product without a date.
#[test]
fn an_export_with_short_dates_midnights_and_a_total_is_read() {
    let server = DataDir::served();
    let body = "Descrição;UF Emit.;UF Dest.;Vlr. Total;Dt. Emissão\n\
        Parafuso;SP;SP;1.000,00;10/03/26\n\
        Porca;SP;SP;1.000,00;2026-03-10T00:00:00-03:00\n\
        Arruela;SP;SP;1.000,00;10/03/2026 00:00\n\
        ;;;;\n\
        Prego;;SP;mil;10/03/2026 14:35\n\
        TOTAL GERAL;;;3.000,00;\n";
    let columns = lines(&server.post(&format!("{LISTA}&so_colunas=true"), body)).remove(0);
    let proposed: Vec<&str> =
        columns["colunas"].as_array().unwrap().iter().map(|one| one["sugestao"].as_str().unwrap_or("-")).collect();
    assert_eq!(proposed, ["-", "uf_origem", "uf_destino", "valor_produto", "data_operacao"]);
    let before = used(&server);
    let (head, rows, total) =
        calculated(&server.post(&format!("{LISTA}&colunas={}", proposed.join(",").replace('-', "")), body));
    for row in &rows[..3] {
        assert_eq!(result(&head, row, "taxd_valor"), "180.00", "{row}");
    }
    let error = |row: &Value| result(&head, row, "taxd_erro").as_str().unwrap().to_owned();
    let all = error(&rows[3]);
    for wanted in ["“UF de origem”: ", "escreva o valor como 1.234,56", "tem hora ou fuso", "escreva 10/03/2026"] {
        assert!(all.contains(wanted), "{wanted} in {all}");
    }
    assert!(error(&rows[4]).starts_with("A linha parece um total da lista (\"TOTAL GERAL\")"), "{}", rows[4]);
    assert_eq!(total, json!({"linhas": 5, "calculadas": 3, "recusadas": 2, "cobradas": 3, "soma": "540.00"}));
    assert_eq!(used(&server), before + 3, "a row that is not calculated uses no quota");
    let label = head["resultado"].as_array().unwrap().iter().find(|column| column["nome"] == "taxd_valor");
    assert_eq!(label.unwrap()["rotulo"], "Valor calculado");
}
