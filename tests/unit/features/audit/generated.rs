//! For any operation that the rules answer: a document made of those answers audits clean, and each single change of a
//! figure is found in its own line.

use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::sample::{Index, select};
use rust_decimal::Decimal;
use taxd::features::audit::AuditLine;
use taxd_base::value::Uf;

use super::audited_of;
use super::made::{Goods, Sale, Service, company};
use super::single_change::{figures, tax};

/// Figures that are changed in each document, one by one.
const CHANGES: usize = 6;
/// Cases of each property, unless `GENERATED_CASES` says how many.
const CASES: u32 = 100;

/// NCM, CEST and classification.
const PRODUCTS: [(&str, &str, &str); 14] = [
    ("39269090", "", "000001"),
    ("84713012", "", "000001"),
    ("96089989", "", "000001"),
    ("33030010", "", "000001"),
    ("33049910", "", "000001"),
    ("10063021", "", "200003"),
    ("15079011", "", "200034"),
    ("19053100", "", "000001"),
    ("39269090", "", "510001"),
    ("39269090", "", "550001"),
    ("39269090", "", "410001"),
    ("40111000", "1600100", "000001"),
    ("40111000", "1600200", "000001"),
    ("40118090", "1600400", "000001"),
];

fn goods() -> impl Strategy<Value = Goods> {
    let amounts = [0..5_000_i64, 0..2_000_i64, 0..2_000_i64, 0..3_000_i64, 1..40_000_i64, 136..380_i64];
    (select(&PRODUCTS[..]), any::<[bool; 5]>(), 100..300_000_i64, 1..20_i64, amounts).prop_map(
        |(
            (ncm, cest, classificacao),
            [fabrica, substituicao, importada, retido, credito],
            preco,
            quantidade,
            amounts,
        )| {
            let [frete, seguro, despesas, desconto, withheld, rate] = amounts;
            // A sale without the substitution is right of goods that no list has.
            let substituicao = substituicao && !cest.is_empty();
            let retido = substituicao && retido && !fabrica;
            let cest = if substituicao { cest } else { "" };
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
                retido: if retido { withheld.min(preco * quantidade / 4 + 1) } else { 0 },
                credito: if credito { rate } else { 0 },
            }
        },
    )
}

/// Days of which the rules have every tax of a sale, since 1 August 2022 the table of all NCMs; from 2027 on all but the
/// rates of CBS and IBS. No layout is published for the years without ICMS: a document of 2033 has no group of it.
const DAYS: [&str; 10] = [
    "2022-08-15T10:00:00-03:00",
    "2024-02-20T10:00:00-03:00",
    "2025-06-30T10:00:00-03:00",
    "2026-03-10T23:30:00-03:00",
    "2026-11-22T00:10:00-03:00",
    "2027-01-02T10:00:00-03:00",
    "2028-12-30T10:00:00-03:00",
    "2029-01-02T10:00:00-03:00",
    "2032-07-15T10:00:00-03:00",
    "2033-01-03T10:00:00-03:00",
];

fn sale() -> impl Strategy<Value = Sale> {
    let places = prop_oneof![
        (select(Uf::WORDS), select(Uf::WORDS)),
        select(Uf::WORDS).prop_map(|uf| (uf, uf)),
        select(Uf::WORDS).prop_map(|uf| ("SP", uf)),
    ];
    let buyer = select(vec![(true, false), (false, true), (true, true)]);
    let seller = select(vec![(false, "cumulativo"), (false, "nao_cumulativo"), (true, "nao_cumulativo")]);
    let items = proptest::collection::vec(goods(), 1..4);
    (places, select(&DAYS[..]), buyer, seller, select(&["0", "1", "2", "3", "4", "9"][..]), items).prop_map(
        |((uf_origem, uf_destino), data, (contribuinte, consome), (simples, regime), frete, mut items)| {
            // Freight of a carriage for the account of another does not belong to the operation.
            let of_other = matches!(frete, "1" | "2" | "4");
            items.iter_mut().filter(|_| of_other).for_each(|goods| goods.frete = 0);
            // A sale to another State is taxed in full, and what was withheld is given back.
            items.iter_mut().filter(|_| uf_origem != uf_destino).for_each(|goods| goods.retido = 0);
            Sale { data, uf_origem, uf_destino, contribuinte, consome, simples, regime, frete, items }
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
        let code = line.codigo.unwrap_or_default();
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
        // Of a figure whose change may be right the next one is changed.
        let at = place.index(figures.len());
        let change = |&(from, to): &(usize, usize)| (from, to, changed(name_before(from), &xml[from..to], *by));
        let mut tries = figures[at..].iter().chain(&figures[..at]).map(change);
        let (from, to, changed) = tries
            .find(|(from, to, changed)| !may_be_right(xml, name_before(*from), (*from, *to), changed))
            .expect("a figure whose change is wrong");
        let name = name_before(from);
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

/// Whether the document is right, or may be, with that figure.
fn may_be_right(xml: &str, name: &str, (from, to): (usize, usize), changed: &str) -> bool {
    match name {
        // A share of some cents may change without them.
        "pDif" => deferred(&xml[to..]) < Decimal::ONE,
        // What was withheld in the purchase is on the document of the purchase.
        "vICMSSTRet" => true,
        // The base of the credit is not on the document: it is the price with or without its charges, or that of the group.
        "pCredSN" | "vCredICMSSN" => is_credit_of_another_base(xml, name, from, changed),
        _ => false,
    }
}

fn is_credit_of_another_base(xml: &str, name: &str, from: usize, changed: &str) -> bool {
    let start = xml[..from].rfind("<det ").unwrap();
    let item = &xml[start..start + xml[start..].find("</det>").unwrap()];
    let figure = |of: &str| {
        let text = item.split_once(&format!("<{of}>")).and_then(|(_, rest)| rest.split('<').next());
        let text = if of == name { Some(changed) } else { text };
        text.map_or(Decimal::ZERO, |figure| figure.parse::<Decimal>().unwrap())
    };
    let (price, discount) = (figure("vProd"), figure("vDesc"));
    let net = price - discount;
    let whole = net + figure("vFrete") + figure("vSeg") + figure("vOutro");
    let (rate, amount) = (figure("pCredSN") / Decimal::ONE_HUNDRED, figure("vCredICMSSN"));
    let bases = [price, net, whole, whole + figure("vIPI"), figure("vBC")];
    bases.into_iter().any(|base| (base * rate - amount).abs() < Decimal::new(2, 2))
}

/// The amount of which the share is written before.
fn deferred(rest: &str) -> Decimal {
    rest["</pDif><vDif>".len()..].split('<').next().unwrap().parse().unwrap()
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
    let is_base_of_reform =
        name == "vBC" && before.rfind("<gIBSCBS>").is_some_and(|group| !before[group..].contains('/'));
    if is_base_of_reform {
        // Of a base of which nothing is due the total alone differs.
        return vec![(item, Some("cbs")), (item, Some("ibs")), (None, Some("cbs"))];
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

fn config() -> ProptestConfig {
    let cases = std::env::var("GENERATED_CASES").map_or(CASES, |cases| cases.parse().unwrap());
    ProptestConfig { cases, failure_persistence: None, max_global_rejects: 40 * cases, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_sale_made_of_the_answers_audits_clean_and_each_change_is_found(
        (sale, xml) in sale().prop_filter_map("a tax without a rule", |sale| Some((sale.clone(), sale.xml()?))),
        changes in changes(),
    ) {
        check(&xml, &company(sale.regime), &changes);
    }

    #[test]
    fn a_service_made_of_the_answers_audits_clean_and_each_change_is_found(
        (service, xml) in service().prop_filter_map("a tax without a rule", |service| Some((service.clone(), service.xml()?))),
        changes in changes(),
    ) {
        check(&xml, &company(service.regime), &changes);
    }
}
