//! Ordinary tasks of an accountant in Calcular, typed as one types them: what they give, and how many fields they take.
//!
//! The fields that a task may take are those that it took an accountant in November 2026.

use serde_json::json;

use super::effort::Task;
use super::page::Page;

const DAY: &str = "2026-11-20";

impl Page {
    /// Opens Calcular with this tax on a day that has its rules, whatever day it is.
    #[track_caller]
    fn on_day(&self, tributo: &str, date: &str) {
        self.go(&format!("#calcular?tributo={tributo}&{date}={DAY}"), "#resposta .vazio");
        self.begin();
    }

    /// The answer or refusal, its spaces as people type them.
    #[track_caller]
    fn told(&self) -> String {
        self.shown("#resposta").replace('\u{a0}', " ")
    }

    #[track_caller]
    fn tells(&self, parts: &[&str]) {
        let told = self.told();
        for part in parts {
            assert!(told.contains(part), "{part}: {told}");
        }
    }

    /// The refusal is read on a small phone without scrolling, down to the way to enter the law, and has no amount but
    /// bounds.
    #[track_caller]
    fn is_one_screen(&self, what: &str) {
        let phone = json!({"width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": true});
        self.devtools("Emulation.setDeviceMetricsOverride", &phone);
        self.calculate();
        let place = "document.querySelector('#resposta section[aria-label=\"Tenho a lei\"] button').getBoundingClientRect().bottom";
        self.wait_for(&format!("{place} > 0 && {place} < innerHeight"));
        assert_eq!(self.text("document.querySelector('#resposta .valor')"), "null", "{what}");
        self.assert_clean(what);
        self.devtools("Emulation.clearDeviceMetricsOverride", &json!({}));
    }
}

/// What is under substitution in MG was read for car parts; the list of drinks, tyres and feed was not.
#[test]
fn substitution_is_typed_and_what_nobody_read_is_one_screen() {
    let Some((_server, page)) = Page::served() else { return };
    page.on_day("icms_st", "data_operacao");
    page.type_case(&[("uf_origem", "=SP"), ("uf_destino", "=MG"), ("ncm", "8708.30.90"), ("valor_produto", "1.000")]);
    page.tells(&["R$ 211,83", "Anexo VII"]);
    page.done(&Task("1", "ST de peça de carro, SP a MG", 4));

    page.on_day("icms_st", "data_operacao");
    page.type_case(&[("uf_origem", "=SP"), ("uf_destino", "=MG"), ("ncm", "3917.40.90"), ("valor_produto", "1.000")]);
    page.click(".candidatos button");
    page.wait_for("document.querySelector('#resposta .valor')");
    page.done(&Task("3", "ST com mais de um CEST", 4));

    page.on_day("icms_st", "data_operacao");
    page.type_case(&[("uf_origem", "=SP"), ("uf_destino", "=MG"), ("ncm", "2203.00.00"), ("valor_produto", "1.000")]);
    page.done(&Task("2", "ST de cerveja, refrigerante, pneu e ração, SP a MG", 4));
    for (ncm, segment) in
        [("2203.00.00", "Cervejas"), ("2202.10.00", "bebidas"), ("4011.10.00", "Pneumáticos"), ("2309.10.00", "Rações")]
    {
        page.fill("#campo-ncm", ncm);
        page.is_one_screen(ncm);
        page.tells(&[
            "Nenhuma regra de ICMS-ST",
            segment,
            "não foi lida no taxd",
            "Não quer dizer que não haja imposto",
        ]);
    }
}

/// Fields are kept from one tax to the next, and what several products need is chosen by words.
#[test]
fn contributions_and_the_reform_are_typed_once() {
    let Some((_server, page)) = Page::served() else { return };
    page.on_day("pis", "data_operacao");
    page.type_case(&[
        ("regime_apuracao", "=nao_cumulativo"),
        ("ncm", "3004.90.99"),
        ("papel_na_cadeia", "=fabricante_importador"),
        ("valor_operacao", "1.000"),
        ("valor_icms_destacado", "180"),
    ]);
    page.tells(&["R$ 17,22", "10.147"]);
    page.done(&Task("7", "PIS de produto monofásico", 5));
    page.choose("#tributo", "cofins");
    page.begin();
    page.calculate();
    page.tells(&["R$ 81,18"]);
    page.done(&Task("7", "e a COFINS", 0));

    let facts = [
        ("valor_operacao", "1.000"),
        ("valor_icms", "180"),
        ("valor_pis", "13,53"),
        ("valor_cofins", "62,32"),
        ("cumpre_obrigacoes_acessorias", "=true"),
    ];
    page.on_day("cbs", "data_operacao");
    page.type_case(&[&facts[..], &[("ncm", "8203.20.10")]].concat());
    page.tells(&["A destacar", "R$ 6,70", "A recolher (dispensado)", "R$ 0,00"]);
    assert!(!page.told().contains("informe “NCM”"), "the NCM is there: {}", page.told());
    page.done(&Task("8", "CBS de 2026", 9));
    page.choose("#tributo", "ibs");
    page.begin();
    page.calculate();
    page.tells(&["R$ 0,74"]);
    page.done(&Task("8", "e o IBS", 0));

    // The rate of 2027 was not established in November 2026: who sets it is said, and no amount.
    page.choose("#tributo", "cbs");
    page.begin();
    page.type_case(&[("data_operacao", "15/1/27")]);
    page.tells(&["Senado Federal", "2027", "Tenho a lei"]);
    assert!(!page.told().contains("R$ 0,00"), "{}", page.told());
    page.done(&Task("10", "CBS de janeiro de 2027", 1));
    // What the law of that day does not ask for is not shown.
    let shown = page
        .text("[...document.querySelectorAll('#campos > .campos .campo:not([hidden]) input')].map(({ name }) => name)");
    assert_eq!(shown, "valor_operacao,valor_icms,ncm,data_operacao");
    assert!(page.shown("#campos summary").contains("IPI destacado, 0"), "{}", page.shown("#campos summary"));

    page.on_day("cbs", "data_operacao");
    page.type_case(&[&facts[..], &[("ncm", "3004.90.99")]].concat());
    assert!(page.shown(".razao").len() < 150, "the buttons say it: {}", page.shown(".razao"));
    page.click(".candidatos button");
    page.wait_for("document.querySelector('#resposta .valor')");
    page.done(&Task("9", "CBS de um remédio", 9));
    page.assert_clean("the reform");
}

/// A sale that another tax calculates leads there with what was typed.
#[test]
fn sales_to_another_state_are_typed_and_the_difference_of_the_buyer_is_named() {
    let Some((_server, page)) = Page::served() else { return };
    page.on_day("icms", "data_operacao");
    let sale = [("uf_origem", "=SP"), ("uf_destino", "=MG"), ("ncm", "8203.20.10"), ("valor_produto", "1.000")];
    page.type_case(&[&sale[..], &[("origem_mercadoria", "=importada")]].concat());
    page.tells(&["R$ 40,00", "Resolução do Senado"]);
    page.done(&Task("12", "ICMS de importado, 4 %", 5));

    page.on_day("icms", "data_operacao");
    page.type_case(
        &[&sale[..1], &[("uf_destino", "=RJ")], &sale[2..], &[("destinatario_contribuinte", "=false")]].concat(),
    );
    page.click("#resposta a.botao");
    page.wait_for("document.getElementById('tributo').value === 'icms_consumidor_final'");
    page.calculate();
    page.tells(&["R$ 120,00", "Diferença de alíquota (DIFAL) de RJ"]);
    let amounts = page.shown("#resposta .valores");
    assert!(amounts.contains("80,00") && amounts.contains("220,00"), "{amounts}");
    // What was not given is named: the answer depends on it.
    page.tells(&["Supostos, por não informados: ", "Simples Nacional: não"]);
    page.done(&Task("13", "DIFAL da venda a consumidor", 5));

    page.on_day("ipi", "data_operacao");
    page.type_case(&[("ncm", "2203.00.00"), ("ex", "01"), ("valor_produto", "1.000")]);
    page.tells(&["R$ 39,00"]);
    page.done(&Task("14", "IPI com Ex", 3));
    // Soap of an Ex is at zero: the Ex of another NCM would have made it so. A CEST does not stay either.
    page.fill("#campo-ncm", "3401.11.90");
    page.press("\u{e004}");
    assert_eq!(page.text("document.getElementById('campo-ex').value"), "");

    // What the buyer owes depends on a law that nobody read: the amount is not all of it, and the law can be entered.
    page.on_day("icms_consumidor_final", "data_operacao");
    page.type_case(
        &[&sale[..1], &[("uf_destino", "=BA")], &sale[2..], &[("destinatario_contribuinte", "=true")]].concat(),
    );
    page.tells(&["R$ 70,00", "Falta a diferença de alíquota (DIFAL) e o FCP de BA", "base única ou dupla"]);
    page.click("#resposta section[aria-label='Tenho a lei'] button");
    page.wait_for("document.querySelector('form.lei')");
    page.done(&Task("N5", "DIFAL da compra para uso", 5));
    let law = |name: &str| format!("[id='lei-{name}']");
    assert_eq!(page.text("document.getElementById('lei-escopo.uf_destino').value"), "BA");
    page.choose(&law("conteudo.base_difal"), "dupla");
    for (name, text) in [
        ("vigente_de", "1/1/26"),
        ("citacao_legal", "Lei nº 1, art. 2º"),
        ("fonte", "Diário do Estado, lido em 25/11/2026"),
    ] {
        page.fill(&law(name), text);
    }
    page.press("\u{e007}");
    page.wait_for("document.querySelector('form.lei a[download]')");
    assert!(page.shown("form.lei [role='status']").contains("este caso dá R$"), "{}", page.shown("form.lei"));
    page.assert_clean("sales to another State");
}

#[test]
fn services_and_the_sale_of_a_house_are_typed_and_bounds_are_said_where_no_city_answers() {
    let Some((_server, page)) = Page::served() else { return };
    page.on_day("iss", "data");
    page.type_case(&[
        ("uf", "=SP"),
        ("municipio", "São Paulo"),
        ("item_lista_servico", "1.07"),
        ("preco_servico", "1.000,00"),
    ]);
    page.tells(&["R$ 29,00"]);
    page.done(&Task("4", "ISS de suporte técnico", 4));
    for city in ["Barueri", "Sorocaba"] {
        page.fill("#campo-municipio", city);
        page.is_one_screen(city);
        page.tells(&["de R$ 20,00 a R$ 50,00", "LC nº 116/2003"]);
    }

    page.on_day("itbi", "data");
    page.type_case(&[
        ("uf", "=SP"),
        ("municipio", "São Paulo"),
        ("valor_transacao", "500.000"),
        ("valor_financiado", "300.000"),
    ]);
    page.tells(&["Há financiamento pelo SFH?"]);
    page.type_case(&[("financiado_sfh", "=true")]);
    page.tells(&["R$ 11.975,80"]);
    page.done(&Task("5", "ITBI com parte financiada", 5));

    page.on_day("itbi", "data");
    page.type_case(&[("uf", "=MG"), ("municipio", "Araxá"), ("valor_transacao", "500.000")]);
    page.done(&Task("N10", "ITBI em cidade que o taxd não tem", 3));
    page.is_one_screen("a city without a rule");
    page.tells(&["Nenhuma regra de ITBI", "Araxá"]);
    page.assert_clean("services");
}

#[test]
fn vehicles_gifts_and_real_estate_are_typed() {
    let Some((_server, page)) = Page::served() else { return };
    page.go("#calcular?tributo=ipva&data_fato_gerador=2026-01-01", "#resposta .vazio");
    page.begin();
    page.type_case(&[
        ("uf", "=PR"),
        ("categoria_veiculo", "=automovel"),
        ("valor_venal", "85.000,00"),
        ("combustivel", "=flex"),
    ]);
    page.tells(&["R$ 1.615,00", "1,90%", "Lei"]);
    page.done(&Task("6", "IPVA de um carro no PR", 4));
    page.click("#resposta .regra a");
    page.wait_for("document.querySelector('.degraus')");
    page.done(&Task("22", "A alíquota ao longo do tempo", 0));
    page.go("#calcular?tributo=ipva&data_fato_gerador=2026-01-01", "#resposta .vazio");
    page.begin();
    page.type_case(&[("uf", "=MA"), ("categoria_veiculo", "=onibus_micro_onibus"), ("valor_venal", "300.000")]);
    page.done(&Task("6", "e de um ônibus no MA, que recusa", 4));
    page.is_one_screen("buses of MA");
    page.tells(&["fonte não confirmada"]);

    page.on_day("itcmd", "data_fato_gerador");
    page.type_case(&[("uf", "=SP"), ("fato_gerador", "=doacao"), ("valor_base", "150.000")]);
    page.tells(&["R$ 6.000,00"]);
    page.done(&Task("15", "ITCMD de doação em SP, sem procurar a UFESP", 3));
    page.click("#resposta details:has(#divide-quinhoes) summary");
    page.fill("#divide-quinhoes", "4");
    page.press("\u{e007}");
    page.wait_for("document.querySelector('#resposta .comparacao')");
    page.done(&Task("N9", "e dividida por quatro", 1));

    page.choose("#tributo", "iptu");
    page.fill("#campo-exercicio", "2026");
    page.begin();
    page.type_case(&[
        ("uf", "=SP"),
        ("municipio", "São Paulo"),
        ("uso_imovel", "=residencial"),
        ("valor_venal", "500.000"),
    ]);
    page.tells(&["R$ 4.600,00"]);
    page.done(&Task("16", "IPTU de São Paulo", 4));
    page.assert_clean("real estate");
}
