//! Ordinary tasks of an accountant with many rows or documents, and with all taxes of a sale: how many fields they take.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use super::effort::Task;
use super::page::Page;
use super::sheet::{calculate, paste, saved};
use super::support::{RIGHT, zip_of};

/// Products as a shop has them, some with a rule of substitution in MG, most without.
const PRODUCTS: [&str; 10] = [
    "87083090", "22030000", "30049099", "39174090", "82032010", "19053100", "22021000", "84713012", "40111000",
    "17049010",
];

/// Invoices of takers as their issuers write the service.
const SERVICES: [(&str, &str, &str); 8] = [
    ("RJ", "Rio de Janeiro", "7.10 Limpeza"),
    ("SP", "São Paulo", "1.07 Suporte"),
    ("MG", "Belo Horizonte", "1.07 Suporte"),
    ("PR", "Curitiba", "7.10 Limpeza"),
    ("RS", "Porto Alegre", "17.19 Contabilidade"),
    ("SP", "São Paulo", "11.02 Vigilância"),
    ("SP", "Sorocaba", "17.19 Contabilidade"),
    ("SP", "Barueri", "7.10 Limpeza"),
];

/// Vehicles of a fleet: what they are, their value and what they burn.
const VEHICLES: [&str; 6] = [
    "automóvel\t85.000,00\tflex",
    "ônibus\t300.000,00\tdiesel",
    "motocicleta\t12.000,00\tgasolina",
    "caminhão\t200.000,00\tdiesel",
    "automóvel\t85.000,00\tflex",
    "automóvel\t85.000,00\tflex",
];

impl Page {
    /// Gives all rows this value: a choice with `=` before it.
    #[track_caller]
    fn same_in_all(&self, name: &str, text: &str) {
        let css = format!("#lista-todas-{name}");
        self.wait_for(&format!("document.querySelector('{css}')"));
        match text.strip_prefix('=') {
            Some(value) => self.choose(&css, value),
            None => {
                self.fill(&css, text);
                self.press("\u{e004}");
            }
        }
    }

    #[track_caller]
    fn rows(&self) -> String {
        self.shown("#lista-resultado").replace('\u{a0}', " ")
    }
}

/// Keeps this client in the browser, and chooses it.
fn with_client(page: &Page) {
    page.run(
        "localStorage.setItem('taxd-empresas', arguments[0]); localStorage.setItem('taxd-cliente', 'Padaria Sol')",
        &[json!(r#"[{"nome":"Padaria Sol","uf":"SP","municipio":"Campinas","regime":"simples_nacional"}]"#)],
    );
}

#[test]
fn lists_of_products_services_and_vehicles_are_answered_with_the_reason_of_what_is_not() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#lista", "#lista-colar");
    page.begin();
    let rows: Vec<String> = (0..200).map(|at| format!("{}\t{},50", PRODUCTS[at % PRODUCTS.len()], 100 + at)).collect();
    paste(&page, "icms_st", &format!("NCM\tValor do produto\n{}", rows.join("\n")));
    for (name, text) in [("uf_origem", "=SP"), ("uf_destino", "=MG"), ("data_operacao", "20/11/26")] {
        page.same_in_all(name, text);
    }
    calculate(&page);
    let told = page.rows();
    for part in [
        "de 200 calculadas",
        "Situação",
        "CEST da regra",
        "MVA (%)",
        "84,35",
        "sem regra",
        "falta CEST",
        "Soma só de 40 das 200 linhas",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    page.done(&Task("N2", "Tabela de preços de 200 produtos, SP a MG: qual tem ST, com que margem", 4));
    assert!(saved(&page, "Baixar XLSX").starts_with(b"PK"));
    page.done(&Task("25", "e para o Excel", 1));

    let rows = SERVICES.map(|(uf, city, service)| format!("{uf}\t{city}\t{service}\t900,00\t10/3/26\n")).concat();
    page.begin();
    paste(&page, "iss", &format!("UF\tMunicípio\tServiço\tvalor\tdata\n{rows}"));
    calculate(&page);
    let told = page.rows();
    for part in ["6 de 8 calculadas", "R$ 201,60", "Sorocaba, item 17.19", "Alíquota sobre o preço do serviço"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    page.done(&Task("N3", "ISS das notas dos tomadores, como vieram", 1));

    let ufs = ["SP", "PR", "MA", "MG", "RJ", "RS", "SC", "BA"];
    let vehicle = |at: usize| {
        let kind = VEHICLES[at % VEHICLES.len()];
        format!("ABC1D{at:02}\t{}\t{}\t{kind}\n", 2019 + at % 6, ufs[at % ufs.len()])
    };
    let fleet: String = (0..30).map(vehicle).collect();
    page.begin();
    paste(&page, "ipva", &format!("Placa\tAno\tUF\tCategoria\tValor venal\tCombustível\n{fleet}"));
    page.same_in_all("data_fato_gerador", "1/1/26");
    calculate(&page);
    let told = page.rows();
    for part in ["24 de 30 calculadas", "1.615,00", "R$ 60.530,00", "divergem"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    page.done(&Task("N8", "IPVA da frota", 2));
    // What one vehicle lacks is given in its row.
    page.run("document.getElementById('lista-linha-8-cilindrada_cm3').closest('details').open = true", &[]);
    page.fill("#lista-linha-8-cilindrada_cm3", "300");
    page.press("\u{e007}");
    page.wait_for("document.querySelector('#lista-resultado h3')?.innerText.startsWith('25 de 30 calculadas')");
    page.assert_clean("lists");
}

/// The client says its State once, and a product is treated whatever the regime of its seller.
#[test]
fn a_client_fills_the_rows_of_its_list_and_the_treatment_of_a_product() {
    let Some((server, page)) = Page::served_without_key() else { return };
    with_client(&page);
    page.visit("#lista?tributo=tratamento");
    page.give_key(&server.key);
    page.begin();
    paste(&page, "tratamento", "NCM\tProduto\n22021000\tRefrigerante\n82032010\tAlicate\n");
    page.wait_for("document.querySelector('#lista-todas .do-cliente')");
    assert_eq!(page.shown("#lista-todas .do-cliente"), "De Padaria Sol: UF de origem.");
    page.same_in_all("data", "20/11/26");
    page.click("#lista-calcular");
    page.wait_for("document.querySelector('#lista-resultado h3')?.innerText === '2 produtos de 2 linhas'");
    let told = page.rows();
    assert!(told.contains("Monofásico"), "{told}");
    page.done(&Task("N4", "Simples: o que é monofásico nas compras", 2));
    // What the reader took away stays away, and another client changes what the last one said.
    page.choose("#lista-todas-uf_origem", "");
    page.wait_for("!document.querySelector('#lista-todas .do-cliente')");

    page.go("#tratamento", "#tratamento .vazio");
    assert_eq!(page.text("document.getElementById('tratamento-uf_origem').value"), "SP");
    assert_eq!(page.text("document.getElementById('tratamento-uf_destino').value"), "SP");
    // An example is nobody's, and a form that is cleared is the client's again.
    page.go("#operacao", "#operacao .do-cliente");
    page.click("#operacao-exemplo");
    assert_eq!(page.text("document.querySelector('#operacao .do-cliente')"), "null");
    page.click("#operacao-limpar");
    page.wait_for("document.querySelector('#operacao .do-cliente')");
    assert_eq!(page.text("document.getElementById('operacao-uf_origem').value"), "SP");
    page.assert_clean("a client");
}

#[test]
fn all_taxes_of_a_sale_are_typed_once_and_the_notes_of_two_clients_are_kept_apart() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#operacao?data_operacao=2026-11-20", "#operacao-resposta .vazio");
    page.begin();
    for (name, text) in [("valor_produto", "1.000"), ("ncm", "8203.20.10")] {
        page.fill(&format!("#operacao-{name}"), text);
    }
    for (name, value) in [
        ("uf_origem", "SP"),
        ("uf_destino", "MG"),
        ("papel_na_cadeia", "fabricante_importador"),
        ("regime_vendedor", "lucro_real"),
        ("cumpre_obrigacoes_acessorias", "true"),
    ] {
        page.choose(&format!("#operacao-{name}"), value);
    }
    page.calculate_operation();
    assert_eq!(page.text("document.querySelectorAll('#operacao-resposta .apurado').length"), "7");
    page.done(&Task("11", "Todos os tributos de uma venda", 8));

    let wrong = RIGHT.replace("<pICMS>18.00</pICMS><vICMS>180.00", "<pICMS>12.00</pICMS><vICMS>120.00");
    let other = wrong.replace("11222333000181", "33000167000101");
    let notes: Vec<(String, String)> = (1..=20)
        .flat_map(|number| {
            [("a", &wrong), ("b", &other)].map(|(name, text)| {
                (format!("{name}{number}.xml"), text.replace("<mod>", &format!("<nNF>{number}</nNF><mod>")))
            })
        })
        .collect();
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("notas.zip"), zip_of(notes.iter().map(|(name, text)| (name.clone(), text.as_bytes())))).unwrap();
    fs::write(
        path("clientes.csv"),
        "CNPJ;Nome;Regime\n11222333;Padaria Sol;Lucro real\n33000167;Oficina Lua;Lucro real\n",
    )
    .unwrap();
    page.go("#documentos", "#documentos-conferir");
    page.wait_for("document.getElementById('empresas-arquivo')");
    page.begin();
    page.run("document.getElementById('documentos-empresas').open = true", &[]);
    page.pick("#empresas-arquivo", &[path("clientes.csv")]);
    page.pick("#documentos-arquivos", &[path("notas.zip")]);
    page.click("#documentos-conferir");
    page.wait_for("document.querySelectorAll('.corrigir').length === 2");
    let told = page.shown("#documentos-lista").replace('\u{a0}', " ");
    for part in ["O que corrigir: Padaria Sol", "O que corrigir: Oficina Lua", "20 notas", "R$ 1.200,00"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    page.done(&Task("N1", "40 NF-e de dois clientes, os erros de cada um", 7));
    page.assert_clean("two clients");
}

#[test]
fn iss_of_one_service_in_eleven_cities_is_answered_or_refused_with_its_reason() {
    let Some((server, page)) = Page::served() else { return };
    let cities = [
        ("SP", "São Paulo"),
        ("RJ", "Rio de Janeiro"),
        ("MG", "Belo Horizonte"),
        ("PR", "Curitiba"),
        ("RS", "Porto Alegre"),
        ("AM", "Manaus"),
        ("SP", "Campinas"),
        ("DF", "Brasília"),
        ("SC", "Florianópolis"),
        ("SP", "Barueri"),
        ("SP", "Sorocaba"),
    ];
    let rows = cities.map(|(uf, city)| format!("{uf}\t{city}\t1.07\t1.000,00\t10/03/2026\n")).concat();
    paste(&page, "iss", &format!("UF\tMunicípio\titem_lista_servico\tpreco_servico\tdata\n{rows}"));
    assert_eq!(page.shown("#lista-calcular"), "Calcular as 11 linhas");
    calculate(&page);
    let mut answered = 0;
    for (i, (uf, municipio)) in cities.iter().enumerate() {
        let asked = json!({"tributo": "iss", "uf": uf, "municipio": municipio, "item_lista_servico": "1.07",
            "preco_servico": "1000.00", "data": "2026-03-10"});
        let reply = server.post("/v1/calculate", asked.to_string());
        let link = format!("#lista-resultado [aria-label='Abrir o caso da linha {}']", i + 2);
        let row = page.text(&format!("document.querySelector({}).closest('tr').innerText", json!(link)));
        let next =
            format!("document.querySelector({}).closest('tr').querySelector('.porque').textContent", json!(link));
        if reply.status == 200 {
            answered += 1;
            assert!(row.contains(&reply.json()["valor"].as_str().unwrap().replace('.', ",")), "{municipio}: {row}");
            assert!(row.contains(reply.json()["regra"]["citacao_legal"].as_str().unwrap()), "{municipio}: {row}");
        } else {
            let told = page.text(&next);
            assert!(!told.starts_with("calculado") && told.len() > 60, "{municipio}: {told}");
        }
    }
    assert!(answered >= 3, "{answered} cities are answered");
    assert!(page.shown("#lista-resultado h3").starts_with(&format!("{answered} de 11 calculadas")));
    page.assert_clean("eleven cities");
}
