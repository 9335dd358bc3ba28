//! Operação, Calcular and Lista by the keyboard alone.

use serde_json::json;

use super::page::Page;

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const DOWN: &str = "\u{e015}";
const ESCAPE: &str = "\u{e00c}";

impl Page {
    /// Presses Tab until the focus is there.
    #[track_caller]
    fn tab_to(&self, css: &str) {
        let is_there = format!("document.activeElement.matches({})", json!(css));
        for _ in 0..250 {
            self.press(TAB);
            if self.text(&is_there) == "true" {
                return;
            }
        }
        panic!("{css} is not reached; the focus is on {}", self.text("document.activeElement.outerHTML"));
    }

    /// Goes there, and types.
    #[track_caller]
    fn type_at(&self, css: &str, text: &str) {
        self.tab_to(css);
        self.press(text);
    }

    #[track_caller]
    fn assert_focus(&self, css: &str) {
        let focus = format!("document.activeElement.matches({})", json!(css));
        assert_eq!(self.text(&focus), "true", "{css}: {}", self.text("document.activeElement.outerHTML"));
    }
}

#[test]
fn an_operation_is_filled_corrected_read_and_compared() {
    let Some((_server, page)) = Page::served() else { return };
    page.sized(1280, 900);
    page.type_at("nav a[href='#operacao']", ENTER);
    page.wait_for("document.activeElement.id === 'operacao-titulo'");
    page.type_at("#operacao-valor_produto", "1.000,00");
    page.type_at("#operacao-uf_origem", "SP");
    page.type_at("#operacao-uf_destino", "RJ");
    page.type_at("#operacao-ncm", "82032010");
    page.tab_to("#operacao-enviar");
    page.press(ENTER);
    page.wait_for("document.activeElement.id === 'operacao-contribuinte_ipi'");
    page.press("S");
    // The links of the answer lead back into the form.
    page.type_at("#operacao-resposta > .aviso a[href='#operacao-regime_apuracao']", ENTER);
    page.assert_focus("#operacao-regime_apuracao");
    page.press("N");
    page.type_at("#operacao-cumpre_obrigacoes_acessorias", "S");
    page.type_at("#operacao-enviar", ENTER);
    page.wait_for("document.activeElement.matches('#operacao-resposta h3')");
    page.type_at("[data-tributo=ipi] summary", ENTER);
    assert!(page.shown("[data-tributo=ipi]").contains("Memória de cálculo"));
    page.type_at("#operacao-comparar", ENTER);
    page.assert_focus("#operacao-data_operacao");
    page.type_at("#operacao-uf_destino", "MG");
    page.type_at("#operacao-enviar", ENTER);
    page.wait_for("document.querySelector('.comparacao caption')?.innerText.includes('caso B')");
    page.assert_focus("#operacao-resposta h3");
    page.assert_clean("an operation by keyboard");
}

#[test]
fn a_calculation_is_corrected_compared_with_another_day_and_kept() {
    let Some((_server, page)) = Page::served() else { return };
    page.tab_to("#tributo");
    page.press("IPI");
    page.wait_for("document.getElementById('campo-ncm')");
    page.type_at("#campo-ncm", "cerveja");
    page.wait_for("!document.getElementById('campo-ncm-codigos').hidden");
    page.press(DOWN);
    page.press(ENTER);
    page.wait_for("document.getElementById('campo-ncm').value.startsWith('220')");
    page.type_at("#enviar", ENTER);
    page.wait_for("document.activeElement.id === 'campo-valor_produto'");
    // Enter in a field calculates.
    page.press("1.000,00");
    page.press(ENTER);
    page.wait_for("document.activeElement.matches('#resposta h3') && document.getElementById('valor')");
    page.type_at("#resposta details:has(#outra-data_operacao) summary", ENTER);
    page.type_at("#outra-data_operacao", "10/03/2024");
    page.press(ENTER);
    page.wait_for("document.querySelector('#resposta .comparacao')");

    page.type_at("#calcular-guardados summary", ENTER);
    page.type_at("#calcular-guardados-nome", "Cerveja");
    page.press(ENTER);
    page.wait_for("document.querySelector('.guardado')");
    page.type_at("[aria-label='Renomear Cerveja']", ENTER);
    page.assert_focus(".guardado input");
    page.press(ESCAPE);
    page.assert_focus("[aria-label='Renomear Cerveja']");
    page.press(ENTER);
    page.press("Outra");
    page.press(ENTER);
    page.wait_for("document.activeElement.matches('.guardado a') && document.activeElement.innerText === 'Outra'");
    page.type_at("[aria-label='Excluir Outra']", ENTER);
    page.assert_focus("#calcular-guardados [role=status] button");
    page.press(ENTER);
    page.wait_for("document.activeElement.matches('.guardado a') && document.activeElement.innerText === 'Outra'");
    page.assert_clean("a calculation by keyboard");
}

#[test]
fn a_list_is_pasted_matched_stopped_and_saved() {
    let Some((_server, page)) = Page::served() else { return };
    let rows = "SP\tSP\t1.000,00\t10/03/2026\n".repeat(60_000);
    let script = "const [text] = arguments; addEventListener('copy', (event) => { event.clipboardData.setData('text/plain', text); event.preventDefault(); }, { once: true })";
    page.run(script, &[json!(format!("UF de origem\tUF de destino\tQuanto\tData da operação\n{rows}"))]);
    page.press_with_control("c");

    page.type_at("nav a[href='#lista']", ENTER);
    page.wait_for("document.activeElement.id === 'lista-titulo'");
    page.tab_to("#lista-colar");
    page.press_with_control("v");
    page.wait_for("document.activeElement.matches('#lista-colunas h3')");
    page.type_at("#lista-calcular", ENTER);
    page.assert_focus("#lista-coluna-2");
    page.press("Valor da o");
    page.wait_for("document.getElementById('lista-faltam').hidden");
    page.type_at("#lista-calcular", ENTER);
    page.assert_focus("#lista-parar");
    page.wait_for("document.querySelector('#lista-resultado progress')?.value > 0");
    page.press(ENTER);
    page.wait_for("document.activeElement.matches('#lista-resultado h3')");
    assert!(page.shown("#lista-resultado .aviso").starts_with("Parado: vieram"));

    page.run("const make = URL.createObjectURL; URL.createObjectURL = (file) => { window.taken = file; return make.call(URL, file); }", &[]);
    page.type_at("#lista-resultado .botoes button", ENTER);
    page.wait_for("window.taken?.size > 1000 && !document.querySelector('#lista-resultado [aria-disabled]')");
    page.assert_focus("#lista-resultado .botoes button");
    page.assert_clean("a list by keyboard");
}
