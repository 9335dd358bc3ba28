//! The revenue of a month of a company of the Simples Nacional, for the PGDAS-D.

use std::collections::BTreeMap;
use std::sync::Arc;

use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::json;
use taxd::features::audit::{AuditLine, Companies, NamedFile, Run, SegregatedMonth};

use crate::audit_run::{Found, found_by};
use crate::support::built_in;

const SELLER: &str = "11222333000181";
const BUYER: &str = "55666777000199";
/// Revenue of R$ 300.000,00 is of the second band of Anexo I: (300.000,00 × 7.3 % − 5.940,00) ÷ 300.000,00 = 5.32 %.
const FACTS: &str = "[[empresa]]\ncnpj = \"11222333\"\n[[empresa.simples_nacional]]\nmes = \"2026-03\"\n\
receita_bruta_12_meses = \"300000.00\"\nreceita_exportacao_12_meses = \"60000.00\"\nanexo_servicos = \"III\"\n";

pub fn found(files: &[String], companies: &str) -> Found {
    let named = |(number, xml): (usize, &String)| (format!("{number}.xml"), xml.clone());
    let files: Vec<(String, String)> = files.iter().enumerate().map(named).collect();
    let files: Vec<NamedFile<'_>> =
        files.iter().map(|(name, xml)| NamedFile::in_memory(name, xml.as_bytes())).collect();
    let run = Run { companies: Companies::parse(companies).unwrap(), ..Run::default() };
    found_by(&run, &files, |payload| built_in().0.answer(payload, false, None))
}

fn segregated(files: &[String], companies: &str) -> Vec<SegregatedMonth> {
    found(files, companies).months
}

/// A made NF-e of one item.
#[derive(Clone, Copy)]
struct Note {
    number: u32,
    issuer: &'static str,
    buyer: &'static str,
    crt: u8,
    /// `tpNF`, `idDest` and `finNFe`.
    kind: [u8; 3],
    ncm: &'static str,
    cfop: &'static str,
    /// CSOSN, or CST of two digits.
    code: &'static str,
    cst_pis: &'static str,
    cents: i64,
    day: &'static str,
}

const SALE: Note = Note {
    number: 1,
    issuer: SELLER,
    buyer: BUYER,
    crt: 1,
    kind: [1, 1, 1],
    ncm: "39269090",
    cfop: "5102",
    code: "102",
    cst_pis: "49",
    cents: 10_000,
    day: "2026-03-10",
};

fn cents(amount: i64) -> String {
    Decimal::new(amount, 2).to_string()
}

impl Note {
    fn key(&self) -> String {
        format!("3526{}{:026}", self.issuer, self.number)
    }

    fn xml(&self) -> String {
        let Note { number, issuer, buyer, crt, kind: [entry, place, purpose], ncm, cfop, code, cst_pis, day, .. } =
            self;
        let (key, value) = (self.key(), cents(self.cents));
        let name = if code.len() == 3 { "CSOSN" } else { "CST" };
        format!(
            "<NFe><infNFe Id=\"NFe{key}\" versao=\"4.00\"><ide><mod>55</mod><nNF>{number}</nNF><dhEmi>{day}T10:00:00-03:00</dhEmi>\
             <tpNF>{entry}</tpNF><idDest>{place}</idDest><finNFe>{purpose}</finNFe><indFinal>0</indFinal></ide>\
             <emit><CNPJ>{issuer}</CNPJ><enderEmit><cMun>3550308</cMun><UF>SP</UF></enderEmit><CRT>{crt}</CRT></emit>\
             <dest><CNPJ>{buyer}</CNPJ><enderDest><UF>SP</UF></enderDest><indIEDest>1</indIEDest></dest>\
             <det nItem=\"1\"><prod><cProd>P</cProd><NCM>{ncm}</NCM><CFOP>{cfop}</CFOP><qCom>1</qCom><vUnCom>{value}</vUnCom>\
             <vProd>{value}</vProd><indTot>1</indTot></prod><imposto><ICMS><X><orig>0</orig><{name}>{code}</{name}></X></ICMS>\
             <PIS><Y><CST>{cst_pis}</CST></Y></PIS></imposto></det><total><ICMSTot><vProd>{value}</vProd><vNF>{value}</vNF></ICMSTot></total></infNFe></NFe>"
        )
    }

    fn cancellation(&self) -> String {
        format!(
            "<procEventoNFe><evento><infEvento><chNFe>{0}</chNFe><tpEvento>110111</tpEvento></infEvento></evento>\
             <retEvento><infEvento><cStat>135</cStat><chNFe>{0}</chNFe><tpEvento>110111</tpEvento></infEvento></retEvento></procEventoNFe>",
            self.key()
        )
    }
}

/// The kinds of note of a reseller's month, each with the treatment of its revenue: the words of market, contributions and
/// ICMS; empty of a note without revenue.
fn kinds() -> Vec<(Note, [&'static str; 3])> {
    let sale = |ncm, cfop, code, cst_pis| Note { ncm, cfop, code, cst_pis, ..SALE };
    vec![
        (SALE, ["interno", "ordinaria", "ordinario"]),
        // Beer and tyres: single-phase, and their ICMS was withheld before.
        (sale("22030000", "5405", "500", "04"), ["interno", "monofasica", "icms_st_anterior"]),
        (sale("40111000", "5405", "500", "49"), ["interno", "monofasica", "icms_st_anterior"]),
        // A medicine outside of substitution.
        (sale("30049099", "5102", "102", "04"), ["interno", "monofasica", "ordinario"]),
        // Goods under substitution that are not single-phase.
        (sale("39269090", "5405", "500", "49"), ["interno", "ordinaria", "icms_st_anterior"]),
        // The company withholds ICMS-ST itself, and pays its own by the DAS.
        (sale("39269090", "5403", "202", "49"), ["interno", "ordinaria", "icms_st_propria"]),
        (Note { kind: [1, 2, 1], ..sale("39269090", "6102", "102", "49") }, ["interno", "ordinaria", "ordinario"]),
        // An export pays no PIS, COFINS and ICMS, also of a single-phase product.
        (Note { kind: [1, 3, 1], ..sale("22030000", "7102", "300", "49") }, ["externo", "ordinaria", "ordinario"]),
        (sale("39269090", "5910", "102", "49"), ["", "", ""]),
    ]
}

/// Revenue by market, contributions and ICMS, in cents.
fn revenue_of(month: &SegregatedMonth) -> BTreeMap<[&'static str; 3], (i64, i64)> {
    let in_cents = |value: Decimal| i64::try_from((value * Decimal::ONE_HUNDRED).trunc().mantissa()).unwrap();
    let one = |of: &taxd::features::audit::SegregatedRevenue| {
        assert_eq!(of.tratamento.atividade.as_str(), "revenda");
        assert_eq!(of.receita, of.vendas - of.devolucoes);
        let words =
            [of.tratamento.mercado.as_str(), of.tratamento.contribuicoes.as_str(), of.tratamento.imposto.as_str()];
        (words, (in_cents(of.vendas), in_cents(of.devolucoes)))
    };
    month.receitas.iter().map(one).collect()
}

/// 60 notes of a reseller, with returns, a cancellation, the same note twice and notes of others, give exactly the revenue
/// by which they were made, and the DAS that the law gives for it.
#[test]
fn a_month_of_a_reseller_gives_its_segregation() {
    let kinds = kinds();
    let mut wanted: BTreeMap<[&str; 3], (i64, i64)> = BTreeMap::new();
    let mut files = Vec::new();
    for number in 1..=54_u32 {
        let (kind, words) = kinds[number as usize % kinds.len()];
        let note = Note { number, cents: 1_000 + 137 * i64::from(number), ..kind };
        files.push(note.xml());
        if !words[0].is_empty() {
            wanted.entry(words).or_default().0 += note.cents;
        }
    }
    // Returns by an entry of the seller, and by a note of the buyer, which is not of the Simples.
    let entry = Note { number: 55, kind: [0, 1, 4], cfop: "1202", cents: 1_500, ..SALE };
    let beer = Note { number: 56, ncm: "22030000", cfop: "1411", code: "500", cents: 777, ..entry };
    let by_buyer = Note { issuer: BUYER, buyer: SELLER, crt: 3, kind: [1, 1, 4], cfop: "5202", code: "00", ..SALE };
    let by_buyer = Note { number: 57, cents: 333, cst_pis: "01", ..by_buyer };
    files.extend([entry, beer, by_buyer].map(|note| note.xml()));
    wanted.get_mut(&["interno", "ordinaria", "ordinario"]).unwrap().1 += 1_500 + 333;
    wanted.get_mut(&["interno", "monofasica", "icms_st_anterior"]).unwrap().1 += 777;
    // The event comes after its note; the copy of a note counts once; a company of the normal regime has no such month.
    let cancelled = Note { number: 58, cents: 99_999, ..SALE };
    let normal = Note { number: 59, issuer: BUYER, crt: 3, code: "00", ..SALE };
    let returned = Note { number: 60, kind: [1, 1, 4], cfop: "5202", ..SALE };
    files.extend([cancelled.xml(), cancelled.cancellation(), files[0].clone(), normal.xml(), returned.xml()]);

    let months = segregated(&files, FACTS);
    let [month] = &months[..] else { panic!("{months:?}") };
    assert_eq!((month.empresa.as_str(), month.mes.as_str()), ("11.222.333/0001-81", "2026-03"));
    assert_eq!((month.notas, month.canceladas), (57, 1));
    assert_eq!(revenue_of(month), wanted);
    let left_out: Vec<&str> = month.fora.iter().map(|one| one.motivo.as_str()).collect();
    assert_eq!(left_out, ["devolução de compra", "o CFOP não é de receita"]);
    assert_eq!(month.faltas, Vec::<String>::new());
    // The rule of tyres does not apply to used ones.
    assert!(month.conferir.iter().all(|one| one.motivo.contains("monofásico pelo NCM")), "{:?}", month.conferir);
    the_das_is_that_of_the_law(month, &wanted);
}

/// Shares of the second band of Anexo I, in percent.
const SHARES: [(&str, &str); 6] =
    [("irpj", "5.50"), ("csll", "3.50"), ("cofins", "12.74"), ("pis", "2.76"), ("cpp", "41.50"), ("icms", "34.00")];

fn the_das_is_that_of_the_law(month: &SegregatedMonth, wanted: &BTreeMap<[&str; 3], (i64, i64)>) {
    let net = |of: &dyn Fn(&[&str; 3]) -> bool| {
        let all = wanted.iter().filter(|(words, _)| of(words)).map(|(_, (sold, returned))| sold - returned);
        Decimal::new(all.sum(), 2)
    };
    let inside = |words: &[&str; 3]| words[0] == "interno";
    let (revenue, single) = (net(&inside), net(&|words| inside(words) && words[1] == "monofasica"));
    let substituted = net(&|words| inside(words) && words[2] == "icms_st_anterior");
    let (mut due, mut twice) = (Decimal::ZERO, Decimal::ZERO);
    for (tax, share) in SHARES {
        let rate = Decimal::new(532, 4) * share.parse::<Decimal>().unwrap() / Decimal::ONE_HUNDRED;
        let outside = match tax {
            "pis" | "cofins" => single,
            "icms" => substituted,
            _ => Decimal::ZERO,
        };
        let round = |value: Decimal| value.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
        due += round((revenue - outside) * rate);
        twice += round(outside * rate);
    }
    let [inland, exports] = &month.das[..] else { panic!("{:?}", month.das) };
    assert_eq!((inland.anexo.as_str(), inland.mercado.as_str(), inland.receita), ("I", "interno", revenue));
    assert_eq!((inland.valor, inland.cobrado_em_dobro), (Some(due), Some(twice)));
    assert!(twice > Decimal::ONE, "{twice}");
    assert_eq!(exports.mercado.as_str(), "externo");
    assert_eq!(exports.receita, net(&|words| words[0] == "externo"));
    assert!(
        exports.valor.is_some_and(|due| due < exports.receita * Decimal::new(4, 2)),
        "without PIS, COFINS and ICMS"
    );
    assert!(inland.regra.as_ref().is_some_and(|rule| rule.citacao_legal.as_str().contains("123")));
}

/// Without the facts of the company the revenue is segregated all the same, and the report says what is missing.
#[test]
fn what_is_missing_for_the_das_is_said() {
    let export = Note { number: 2, kind: [1, 3, 1], cfop: "7102", code: "300", ..SALE };
    let files = [SALE.xml(), export.xml()];
    let month = segregated(&files, "").remove(0);
    assert_eq!(revenue_of(&month).len(), 2);
    assert!(month.das.iter().all(|das| das.valor.is_none() && das.falta.is_some()), "{:?}", month.das);
    assert!(month.faltas[0].contains("03/2026"), "{:?}", month.faltas);
    let without_exports = FACTS.replace("receita_exportacao_12_meses = \"60000.00\"\n", "");
    let month = segregated(&files, &without_exports).remove(0);
    assert!(month.das[0].valor.is_some());
    assert!(month.das[1].falta.as_deref().is_some_and(|missing| missing.contains("exportação")), "{:?}", month.das[1]);
    // A company above the sublimit pays ICMS outside of the DAS.
    let above = segregated(&[Note { crt: 2, code: "00", ..SALE }.xml()], FACTS).remove(0);
    let payload = serde_json::to_value(&above.das[0].payload).unwrap();
    assert_eq!(payload["impedido_icms_iss"], json!(true));
    // Notes of both kinds in a month leave it open.
    let both = segregated(&[SALE.xml(), Note { number: 2, crt: 2, code: "00", ..SALE }.xml()], FACTS).remove(0);
    assert!(both.das[0].valor.is_none() && both.faltas.iter().any(|fault| fault.contains("CRT 2")), "{both:?}");
    // A company of the normal regime, and a MEI, have no DAS of this kind.
    for crt in [3, 4] {
        assert!(segregated(&[Note { crt, ..SALE }.xml()], "").is_empty(), "{crt}");
    }
    // One that its file says to be of the Simples has it, whatever its notes say.
    assert_eq!(segregated(&[Note { crt: 3, code: "00", ..SALE }.xml()], FACTS).len(), 1);
}

/// Whether goods are single-phase is asked once of an item, by its line and by the segregation.
#[test]
fn the_question_of_a_line_is_not_asked_again() {
    let tyres = Note { ncm: "40111000", cfop: "5405", code: "500", ..SALE };
    let files = [tyres, Note { number: 2, ..SALE }, Note { number: 3, cst_pis: "04", ncm: "22030000", ..tyres }];
    let found = found(&files.map(|note| note.xml()), FACTS);
    let asked = found.asked.iter().filter(|payload| payload.text("tributo") == Some("pis"));
    assert_eq!(
        asked.filter_map(|payload| payload.text("ncm")).collect::<Vec<_>>(),
        ["40111000", "39269090", "22030000"]
    );
    let words = found.months[0].receitas.iter().map(|of| of.tratamento.contribuicoes.as_str());
    assert_eq!(words.collect::<Vec<_>>(), ["ordinaria", "monofasica"]);
    let marked = |line: &&AuditLine| line.codigo == Some("monofasico_sem_cst");
    assert_eq!(found.lines.iter().filter(marked).count(), 1);
}

/// The table of CFOPs says which entries are returns of sales, of what was made or bought, and of goods for export.
#[test]
fn returns_are_of_make_or_resale_as_their_cfop_says() {
    let of = |cfop: &'static str| {
        let back = Note { number: 2, kind: [0, 1, 4], cfop, ..SALE };
        let sales = [SALE, Note { number: 3, cfop: "5101", ..SALE }];
        let month = segregated(&[sales[0].xml(), sales[1].xml(), back.xml()], FACTS).remove(0);
        let returned = month.receitas.iter().filter(|of| !of.devolucoes.is_zero());
        returned.map(|of| (of.tratamento.atividade.as_str(), of.tratamento.mercado.as_str())).collect::<Vec<_>>()
    };
    for (made, bought) in [("1201", "1202"), ("2203", "2204"), ("1410", "1411"), ("1215", "1216")] {
        assert_eq!((of(made), of(bought)), (vec![("industria", "interno")], vec![("revenda", "interno")]), "{made}");
    }
    for cfop in ["2504", "3503"] {
        assert_eq!(of(cfop), [("revenda", "externo")], "{cfop}");
    }
    assert_eq!((of("1503"), of("1661")), (vec![("industria", "externo")], vec![("indefinida", "interno")]));
    assert!(["1208", "1209", "1505", "1506", "1213", "1102"].iter().all(|cfop| of(cfop).is_empty()));
}

/// A return that passes the sales of its treatment leaves no negative revenue: the balance goes to the next months.
#[test]
fn a_balance_of_returns_is_said_and_not_deducted_from_other_revenue() {
    let beer = Note { number: 2, kind: [0, 1, 4], ncm: "22030000", cfop: "1411", code: "500", cents: 5_000, ..SALE };
    let month = segregated(&[SALE.xml(), beer.xml()], FACTS).remove(0);
    assert_eq!(month.das[0].receita, Decimal::new(10_000, 2));
    let balance = month.conferir.iter().find(|one| one.motivo.contains("art. 17, II")).unwrap();
    assert_eq!(balance.valor, Decimal::new(5_000, 2));
}

/// A code of single-phase on a product that no rule calls so is not segregated, and the report says it.
#[test]
fn a_code_that_no_rule_confirms_is_to_be_checked() {
    let month = segregated(&[Note { cst_pis: "04", ..SALE }.xml()], FACTS).remove(0);
    assert_eq!(revenue_of(&month).into_keys().next(), Some(["interno", "ordinaria", "ordinario"]));
    assert!(month.conferir[0].motivo.starts_with("CST 04 de PIS"), "{:?}", month.conferir);
}

/// A service of the Simples: its ISS is withheld, or due elsewhere, or exported.
#[test]
fn services_are_segregated_by_their_iss() {
    let service = |number: u32, municipality: &str, simples: u8, kind: u8, withheld: u8| {
        format!(
            "<NFSe><infNFSe Id=\"NFS{number:050}\"><nNFSe>{number}</nNFSe><cLocIncid>{municipality}</cLocIncid>\
             <emit><CNPJ>{SELLER}</CNPJ><enderNac><cMun>3550308</cMun></enderNac></emit>\
             <DPS><infDPS><dCompet>2026-03-10</dCompet><prest><regTrib><opSimpNac>{simples}</opSimpNac><regApTribSN>1</regApTribSN></regTrib></prest>\
             <serv><cServ><cTribNac>010701</cTribNac></cServ></serv><valores><vServPrest><vServ>100.00</vServ></vServPrest>\
             <trib><tribMun><tribISSQN>{kind}</tribISSQN><tpRetISSQN>{withheld}</tpRetISSQN></tribMun></trib></valores></infDPS></DPS></infNFSe></NFSe>"
        )
    };
    let files = [
        service(1, "3550308", 3, 1, 1),
        service(2, "3550308", 3, 1, 2),
        service(3, "3304557", 3, 1, 1),
        service(4, "3304557", 3, 1, 2),
        service(5, "3550308", 3, 3, 1),
        service(6, "3550308", 3, 2, 1),
        service(7, "3550308", 2, 1, 1),
    ];
    let month = segregated(&files, FACTS).remove(0);
    let found: Vec<(&str, &str, String)> = month
        .receitas
        .iter()
        .map(|of| (of.tratamento.mercado.as_str(), of.tratamento.imposto.as_str(), of.receita.to_string()))
        .collect();
    let wanted = [
        ("interno", "ordinario", "100.00"),
        ("interno", "nao_devido_pelo_documento", "100.00"),
        ("interno", "iss_retido", "200.00"),
        ("interno", "iss_outro_municipio", "100.00"),
        ("externo", "ordinario", "100.00"),
    ];
    assert_eq!(found, wanted.map(|(market, tax, amount)| (market, tax, amount.to_owned())));
    let [inland, _] = &month.das[..] else { panic!("{:?}", month.das) };
    assert_eq!(inland.anexo, "III");
    assert!(inland.valor.is_some() && inland.cobrado_em_dobro > Some(Decimal::ZERO), "{inland:?}");
}

/// The lines of a table have all that the section has, and none of them is a finding.
#[test]
fn the_lines_of_a_month_are_not_findings() {
    let found = found(&[SALE.xml()], FACTS);
    let lines = found.months[0].lines();
    assert!(lines.iter().all(|line| !line.is_finding() && !line.is_sure_finding()));
    let codes: Vec<_> = lines.iter().map(|line| line.codigo.unwrap_or_default()).collect();
    assert_eq!(codes, ["receita", "das"]);
    assert_eq!(lines[1].calculado, found.months[0].das[0].valor);
    assert!(lines[1].payload.as_ref().is_some_and(|payload| Arc::strong_count(payload) > 0));
    let text = found.months[0].text("março de 2026");
    assert!(
        text.contains("EMPRESA 11.222.333/0001-81, março de 2026") && text.contains("cobraria mais 0,00"),
        "{text}"
    );
}
