//! Rules that try to be markup, invalid keys, a server that stops.

use serde_json::json;

use super::page::Page;
use super::support::{DataDir, OwnRules, rule, taxd};

#[test]
fn what_the_service_says_is_text_whatever_it_holds() {
    let attack = "<img src=x onerror=\"window.hit=1\"></script><script>window.hit=1</script>";
    let long = "Longo".repeat(60);
    let mut hostile = rule("icms-ac-geral", "icms", &json!({"uf": "AC"}), &json!({"aliquota": "17.00"}));
    hostile["citacao_legal"] = json!(format!("{attack} {long}"));
    hostile["avisos"] = json!([attack, long]);
    hostile["fonte"] = json!(attack);
    let server = OwnRules::of(&[hostile]);
    let served = server.serve();
    let Some(page) = Page::with_key(&served) else { return };
    page.sized(360, 740);
    page.example("icms");
    page.choose("#campo-uf_origem", "AC");
    page.choose("#campo-uf_destino", "AC");
    page.calculate();
    assert!(page.shown("#resposta .citacao").starts_with(attack));
    page.assert_clean("answer");
    page.go("#regras", ".ficha");
    assert!(page.shown(".ficha .citacao").starts_with(attack));
    page.run("document.querySelector('.ficha details').open = true", &[]);
    page.assert_clean("rules");
    // An address is another's text, too.
    page.go("#regras?q=%3Cimg%20src%3Dx%20onerror%3D%22window.hit%3D1%22%3E", ".contagem");
    page.visit("#calcular?tributo=icms&%3Cimg%20src%3Dx%20onerror%3D%22window.hit%3D1%22%3E=1&ncm=%3Cb%3E");
    assert!(page.shown("#extras").contains("<img"));
    page.go("#__proto__?x", "#inicio:not([hidden])");
    assert_eq!(page.run("return window.hit ?? null", &[]), json!(null));
    assert_eq!(page.run("return document.querySelectorAll('img, main script').length", &[]), 0);
    page.assert_clean("address");
}

#[test]
fn a_server_without_the_rule_and_a_page_without_a_good_key_say_what_to_do() {
    let own = OwnRules::of(&[rule("icms-ac-geral", "icms", &json!({"uf": "AC"}), &json!({"aliquota": "17.00"}))]);
    let server = own.serve();
    let Some(page) = Page::of(&server) else { return };
    page.example("icms");
    let told = |wanted: &str| {
        page.calculate();
        let text = page.shown("#resposta");
        assert!(text.contains(wanted), "no {wanted}: {text}");
        page.assert_clean(wanted);
    };
    told("Informe a sua chave");
    page.give_key("svc_live_000000");
    told("digitada com erro");
    page.click("#resposta .botoes button");
    assert_eq!(page.text("document.activeElement.id"), "chave");
    page.give_key(&server.key);
    told("Não há regra");
    page.go("#regras?tributo=ipva", ".contagem");
    assert!(page.shown("#regras-lista").contains("Nenhuma regra"));
    page.go("#mudancas", "#mudancas-lista .contagem");
    page.go("#consumo", ".grafico svg");
    page.go("#calcular", "#calcular:not([hidden])");

    let account = own.dir.account("Outra", &[]);
    page.give_key(&account.live.key);
    told("Não há regra");
    taxd(&own.dir, ["key", "revoke", &account.live.key_id]).ok();
    told("revogada");
    let second = own.dir.new_key(&account.client_id, "live");
    taxd(&own.dir, ["account", "suspend", &account.client_id]).ok();
    page.give_key(&second.key);
    told("suspensa");
}

#[test]
fn an_exhausted_key_and_a_server_that_is_gone_lose_nothing_of_the_form() {
    let dir = DataDir::ready();
    let mut server = dir.serve(&[]);
    let Some(page) = Page::of(&server) else { return };
    let account = dir.account("Pequena", &[]);
    let key = dir.new_key(&account.client_id, "test").key;
    for _ in 0..1_000 {
        assert_eq!(server.get_as(&key, "/v1/usage?recentes=1").status, 200);
    }
    page.give_key(&key);
    assert!(page.shown("#chave-cota").contains("Restam 0 cálculos de 1.000"), "{}", page.shown("#chave-cota"));
    page.example("icms");
    page.fill("#campo-valor_produto", "123,45");
    page.calculate();
    let told = page.shown("#resposta");
    assert!(told.contains("Cota do mês esgotada") && told.contains("na virada do mês"), "{told}");
    assert!(!told.contains("segundos"), "in {told}");
    // What uses no quota up goes on.
    page.go("#regras", ".ficha");
    page.go("#calcular", "#calcular:not([hidden])");
    page.assert_clean("exhausted");
    assert_eq!(server.stop("TERM").code(), Some(0));
    page.calculate();
    assert!(page.shown("#resposta").contains("não respondeu"), "{}", page.shown("#resposta"));
    page.go("#consumo", ".recusa");
    page.go("#calcular", "#calcular:not([hidden])");
    assert_eq!(page.payload()["valor_produto"], "123.45");
    page.assert_clean("gone");
}

/// The policy blocks markup and scripts, and `assert_clean` would see a violation.
#[test]
fn the_policy_stops_what_would_get_past_the_page() {
    let Some((_server, page)) = Page::served_without_key() else { return };
    page.assert_clean("nothing tried");
    for (attack, directive) in [
        (
            "document.body.append(Object.assign(document.createElement('img'), { src: 'http://127.0.0.1:9/?key' }))",
            "img-src",
        ),
        ("fetch('http://127.0.0.1:9/?key').catch(() => {})", "connect-src"),
        ("document.body.setAttribute('style', 'color: red')", "style-src-attr"),
        (
            "document.body.append(Object.assign(document.createElement('a'), { id: 'bad', href: 'javascript:window.hit=1' })); document.getElementById('bad').click()",
            "script-src-elem",
        ),
        ("document.body.innerHTML = '<img src=x onerror=\"window.hit=1\">'", "require-trusted-types-for"),
        (
            "document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://127.0.0.1:9/' }))",
            "frame-src",
        ),
        (
            "document.head.append(Object.assign(document.createElement('base'), { href: 'http://127.0.0.1:9/' }))",
            "base-uri",
        ),
        (
            "const f = document.createElement('form'); f.action = 'http://127.0.0.1:9/'; document.body.append(f); f.submit()",
            "form-action",
        ),
    ] {
        page.run(&format!("try {{ {attack} }} catch {{}}"), &[]);
        page.wait_for(&format!("(window.violations ?? []).some((one) => one.startsWith('{directive}'))"));
        let seen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| page.assert_clean(attack)));
        assert!(seen.is_err(), "unseen: {attack}");
        assert_eq!(page.run("return window.hit ?? null", &[]), json!(null), "{attack}");
        page.visit("");
        page.console();
    }
}

/// A payload's names are another's text: once "constructor" printed a function and "__proto__" an object.
#[test]
fn a_name_that_every_object_has_is_a_name_like_any_other() {
    let Some((server, page)) = Page::served_without_key() else { return };
    page.visit("#calcular?tributo=icms&uf_origem=SP&uf_destino=SP&valor_produto=10.00&data_operacao=2026-03-10&__proto__=1&constructor=2&toString=3");
    page.give_key(&server.key);
    let sent = page.payload();
    assert_eq!((&sent["__proto__"], &sent["constructor"], &sent["toString"]), (&json!("1"), &json!("2"), &json!("3")));
    page.calculate();
    let paper = page.text("document.querySelector('#resposta .so-papel').textContent");
    for wanted in ["__proto__1", "2", "toString3"] {
        assert!(paper.contains(wanted), "{paper}");
    }
    assert!(!paper.contains("[object") && !paper.contains("native code"), "{paper}");
    page.go("#regras?__proto__=1&constructor=2", ".cartao");
    page.go("#consumo?__proto__=x", ".cartao");
    page.assert_clean("names");
}

/// A list of words once dropped, unseen, a value that it lacks: the refused call that was opened
/// again was another one.
#[test]
fn a_value_that_is_in_no_list_is_shown_and_sent() {
    let Some((server, page)) = Page::served_without_key() else { return };
    page.visit("#calcular?tributo=icms&uf_origem=XX&uf_destino=SP&valor_produto=10.00&data_operacao=2026-03-10");
    page.give_key(&server.key);
    assert_eq!(page.payload()["uf_origem"], "XX");
    page.calculate();
    assert_eq!(page.answer()["erros"][0]["campo"], "uf_origem");
    page.assert_clean("out of the list");
}

#[test]
fn a_huge_and_odd_address_is_borne() {
    let Some((server, page)) = Page::served() else { return };
    let many = (0..400).map(|i| format!("&campo{i}=%F0%9F%92%A9%FF")).collect::<Vec<String>>().concat();
    for odd in [
        format!("&ncm={}", "9".repeat(60_000)),
        many,
        "&=&&&=1&a=%&%00=%00&tributo=ipva&valor_produto=%E2%80%8B1e9".to_owned(),
    ] {
        // Nothing is missing that the page would ask for before it asks the service.
        let whole = "uf_origem=SP&uf_destino=SP&valor_produto=1.00&data_operacao=2026-03-10";
        page.visit(&format!("#calcular?tributo=icms&{whole}{odd}"));
        page.give_key(&server.key);
        page.calculate();
        let status = page.answer()["status"].clone();
        assert!(status.as_u64().is_none_or(|status| (400..500).contains(&status)), "{status}");
        page.assert_clean(&odd[..odd.len().min(40)]);
    }
}
