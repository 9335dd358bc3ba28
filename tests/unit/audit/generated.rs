//! For any operation that the rules answer: a document made of those answers audits clean, and each single change of a
//! figure is found in its own line.

use proptest::prelude::{ProptestConfig, Strategy, any, proptest};
use proptest::sample::{Index, select};
use rust_decimal::Decimal;
use taxd::features::audit::AuditLine;

use super::audited_of;
use super::made::{Goods, Sale, Service, company};
use super::single_change::{figures, tax};

/// Figures that are changed in each document, one by one.
const CHANGES: usize = 6;

fn goods() -> impl Strategy<Value = Goods> {
    let products = select(vec![
        ("39269090", "", "000001"),
        ("84713012", "", "000001"),
        ("96089989", "", "000001"),
        ("33030010", "", "000001"),
        ("10063021", "", "200003"),
        ("19053100", "", "000001"),
        ("40111000", "1600100", "000001"),
        ("40111000", "1600200", "000001"),
    ]);
    let amounts = [0..5_000_i64, 0..2_000_i64, 0..2_000_i64, 0..3_000_i64];
    (products, any::<[bool; 3]>(), 100..300_000_i64, 1..20_i64, amounts).prop_map(
        |((ncm, cest, classificacao), [fabrica, substituicao, importada], preco, quantidade, amounts)| {
            let [frete, seguro, despesas, desconto] = amounts;
            let substituicao = substituicao && !cest.is_empty();
            Goods {
                ncm,
                cest,
                classificacao,
                fabrica,
                substituicao,
                importada,
                preco,
                quantidade,
                frete,
                seguro,
                despesas,
                desconto,
            }
        },
    )
}

fn sale() -> impl Strategy<Value = Sale> {
    let places = (select(vec!["SP", "RJ", "BA", "MG"]), select(vec!["SP", "RJ", "BA"]));
    let days = select(vec!["2025-06-30T10:00:00-03:00", "2026-03-10T23:30:00-03:00", "2026-11-22T00:10:00-03:00"]);
    let buyer = select(vec![(true, false), (false, true)]);
    let seller = select(vec![(false, "cumulativo"), (false, "nao_cumulativo"), (true, "nao_cumulativo")]);
    let items = proptest::collection::vec(goods(), 1..4);
    (places, days, buyer, seller, items).prop_map(
        |((uf_origem, uf_destino), data, (contribuinte, consome), (simples, regime), items)| Sale {
            data,
            uf_origem,
            uf_destino,
            contribuinte,
            consome,
            simples,
            regime,
            items,
        },
    )
}

fn service() -> impl Strategy<Value = Service> {
    let places = select(vec![
        ("SP", "São Paulo", 3_550_308),
        ("RJ", "Rio de Janeiro", 3_304_557),
        ("MG", "Belo Horizonte", 3_106_200),
    ]);
    let items = select(vec!["1.01", "1.07", "7.10", "14.01", "17.01"]);
    let (days, regimes) =
        (select(vec!["2025-06-30", "2026-03-10", "2026-11-22"]), select(vec!["cumulativo", "nao_cumulativo"]));
    (days, places, items, regimes, 5_000..3_000_000_i64).prop_map(|(data, municipio, item, regime, preco)| Service {
        data,
        municipio,
        item,
        regime,
        preco,
    })
}

/// Lines that differ.
fn differing(xml: &str, company: &str) -> Vec<AuditLine> {
    audited_of(xml.as_bytes(), company).into_iter().filter(|line| line.veredito.differs()).collect()
}

fn shown(lines: &[AuditLine]) -> Vec<String> {
    let one = |line: &AuditLine| {
        let code = line.codigo.as_deref().unwrap_or_default();
        format!("{:?} {} {code} {:?}: {}", line.item, line.tributo, line.certeza, line.detalhe)
    };
    lines.iter().map(one).collect()
}

/// A figure with another amount: at least two cents more or less, or a whole point of a rate.
fn changed(name: &str, figure: &str, by: i64) -> String {
    let by = if name.starts_with('p') { Decimal::new(by.signum() * (100 + by.abs()), 2) } else { Decimal::new(by, 2) };
    let figure: Decimal = figure.parse().unwrap();
    (if figure + by < Decimal::ZERO { figure - by } else { figure + by }).to_string()
}

fn check(xml: &str, company: &str, changes: &[(Index, i64)]) {
    assert_eq!(shown(&differing(xml, company)), Vec::<String>::new(), "{xml}");
    let name_before = |from: usize| xml[..from - 1].rsplit('<').next().unwrap();
    let figures = figures(xml);
    for (place, by) in changes {
        let (from, to) = figures[place.index(figures.len())];
        let name = name_before(from);
        let changed = changed(name, &xml[from..to], *by);
        let found = differing(&[&xml[..from], &changed, &xml[to..]].concat(), company);
        let own = own_lines(xml, from, name);
        let what = || format!("{name} {} -> {changed}, {own:?}: {:?}\n{xml}", &xml[from..to], shown(&found));
        let matches = |line: &AuditLine| {
            own.iter().any(|(item, tax)| line.item == *item && tax.is_none_or(|tax| line.tributo == tax))
        };
        assert!(found.iter().any(matches), "not found: {}", what());
        let item = own[0].0;
        assert!(found.iter().all(|line| line.item.is_none() || line.item == item), "found elsewhere: {}", what());
    }
}

/// Where a changed figure may be found: item and tax.
fn own_lines(xml: &str, from: usize, name: &str) -> Vec<(Option<u32>, Option<&'static str>)> {
    let before = &xml[..from];
    let in_total = before.contains("<total>");
    let item = before.matches("<det ").count();
    let item = if in_total || item == 0 { None } else { u32::try_from(item).ok() };
    if ["vFrete", "vSeg", "vDesc", "vOutro", "vServ"].contains(&name) {
        // Every tax of the item has them in its base, and the document in its total.
        return vec![(item, None), (None, Some("documento"))];
    }
    vec![(item, Some(if xml.starts_with("<NFSe>") { tax_of_service(before, name) } else { tax(before, name) }))]
}

fn tax_of_service(before: &str, name: &str) -> &'static str {
    match name {
        "pAliqAplic" | "vISSQN" => "iss",
        "vBC" if !before.contains("<IBSCBS>") => "iss",
        "vBCPisCofins" | "pAliqPis" | "vPis" => "pis",
        "pAliqCofins" | "vCofins" => "cofins",
        "pCBS" | "pAliqEfetCBS" | "vCBS" => "cbs",
        _ => "ibs",
    }
}

fn changes() -> impl Strategy<Value = Vec<(Index, i64)>> {
    let by = (2..500_i64, any::<bool>()).prop_map(|(by, less)| if less { -by } else { by });
    proptest::collection::vec((any::<Index>(), by), CHANGES)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, max_global_rejects: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn a_sale_made_of_the_answers_audits_clean_and_each_change_is_found(
        (sale, note) in sale().prop_filter_map("a tax without a rule", |sale| Some((sale.clone(), sale.note()?))),
        changes in changes(),
    ) {
        check(&note.xml(), &company(sale.regime), &changes);
    }

    #[test]
    fn a_service_made_of_the_answers_audits_clean_and_each_change_is_found(
        (service, xml) in service().prop_filter_map("a tax without a rule", |service| Some((service.clone(), service.xml()?))),
        changes in changes(),
    ) {
        check(&xml, &company(service.regime), &changes);
    }
}
