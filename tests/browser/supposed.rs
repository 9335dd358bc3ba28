//! A figure supposed: what is not law says so first, on screen and on paper, in the row and in its file.

use super::page::Page;
use super::paper::printed;
use super::sheet::{calculate, paste, saved};

const SAYS: &str = "suposi";

#[test]
fn what_is_supposed_says_so_first_in_each_part_and_is_kept_by_the_link_of_a_row() {
    let Some((_server, page)) = Page::served() else { return };
    page.go(
        "#calcular?tributo=ipva&uf=AC&categoria_veiculo=automovel&valor_venal=1000.00&data_fato_gerador=2026-01-01&supondo=ipva.aliquota:3.50",
        "#resposta .vazio",
    );
    page.calculate();
    assert!(page.shown("#resposta").contains("35,00"), "{}", page.shown("#resposta"));
    let first = page.shown("#resposta .suposicao").to_lowercase();
    assert!(first.contains(SAYS), "{first}");
    if let Some(pages) = printed(&page) {
        let words = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        let paper = words(&pages.concat());
        assert!(paper.contains(&words(&first)), "{first}: {paper}");
    }

    paste(&page, "ipva", "UF\tCategoria\tValor venal\tData do fato gerador\nAC\tautomóvel\t1.000,00\t1/1/26\n");
    // A figure is chosen by its name.
    page.click("#lista-suposto summary");
    page.choose("#lista-supondo", "ipva.aliquota");
    page.fill("#lista-supondo-valor", "3,5");
    page.press("\u{e004}");
    page.wait_for("location.hash.includes('supondo=ipva.aliquota')");
    calculate(&page);
    let rows = page.shown("#lista-resultado");
    assert!(rows.contains("35,00") && rows.contains("IPVA, Alíquota da categoria: 3,5"), "{rows}");
    let csv = String::from_utf8(saved(&page, "Baixar CSV")).unwrap();
    assert!(csv.lines().nth(1).is_some_and(|row| row.contains("Alíquota da categoria: 3,5")), "{csv}");
    let link = "document.querySelector('#lista-resultado tbody th a').getAttribute('href')";
    assert!(page.text(link).contains("supondo=ipva.aliquota"), "{}", page.text(link));
    page.click("#lista-resultado tbody th a");
    page.wait_for("document.getElementById('campo-supondo-valor')?.value === '3,5'");
    assert_eq!(page.text("document.getElementById('campo-supondo').selectedOptions[0].text"), "Alíquota da categoria");

    page.go(
        "#operacao?supondo=pis.aliquota:1.00&data_operacao=2026-11-20&uf_origem=SP&uf_destino=MG&ncm=82032010&valor_produto=1000.00&papel_na_cadeia=fabricante_importador&regime_apuracao=nao_cumulativo&cumpre_obrigacoes_acessorias=true",
        "#operacao-resposta .vazio",
    );
    page.calculate_operation();
    assert!(page.shown("#operacao-resposta .suposicao").to_lowercase().contains(SAYS));
    page.assert_clean("a figure supposed");
}
