//! What a company may credit of its purchases.

use rust_decimal::Decimal;
use taxd::features::audit::{AuditLine, AuditReport, CreditSituation, Layer};

use super::segregation::found;

const SUPPLIER: &str = "55666777000199";
const BUYER: &str = "11222333000181";
const REAL: &str =
    "[[empresa]]\ncnpj = \"11222333\"\nregime_pis_cofins = \"nao_cumulativo\"\ncontribuinte_ipi = false\n";
const INDUSTRY: &str =
    "[[empresa]]\ncnpj = \"11222333\"\nregime_pis_cofins = \"nao_cumulativo\"\ncontribuinte_ipi = true\n";
const PRESUMIDO: &str =
    "[[empresa]]\ncnpj = \"11222333000181\"\nregime_pis_cofins = \"cumulativo\"\ncontribuinte_ipi = false\n";
const SIMPLES: &str = "[[empresa]]\ncnpj = \"11222333\"\n[[empresa.simples_nacional]]\nmes = \"2026-03\"\nreceita_bruta_12_meses = \"300000.00\"\n";
const UNKNOWN: &str = "[[empresa]]\ncnpj = \"11222333\"\n";

/// A made note of one item of R$ 1.000,00, which the supplier sells to the company.
#[derive(Clone, Copy, Debug)]
struct Bought {
    crt: u8,
    /// `mod`, `tpNF`, `finNFe`, `indFinal` and `indIEDest`.
    modelo: &'static str,
    entry: bool,
    purpose: u8,
    consumer: bool,
    taxpayer: u8,
    ncm: &'static str,
    cfop: &'static str,
    /// CST or CSOSN, with the amounts of its group.
    icms: &'static str,
    amounts: &'static str,
    ipi: &'static str,
    pis: &'static str,
    day: &'static str,
}

const BOUGHT: Bought = Bought {
    crt: 3,
    modelo: "55",
    entry: false,
    purpose: 1,
    consumer: false,
    taxpayer: 1,
    ncm: "39269090",
    cfop: "5102",
    icms: "00",
    amounts: "<vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMS>180.00</vICMS>",
    ipi: "",
    pis: "01",
    day: "2026-03-10",
};

impl Bought {
    fn xml(&self) -> String {
        let Bought { crt, modelo, purpose, taxpayer, ncm, cfop, icms, amounts, ipi, pis, day, .. } = self;
        let (issuer, receiver) = if self.entry { (BUYER, SUPPLIER) } else { (SUPPLIER, BUYER) };
        let (entry, consumer) = (u8::from(!self.entry), u8::from(self.consumer));
        let name = if icms.len() == 3 { "CSOSN" } else { "CST" };
        format!(
            "<NFe><infNFe Id=\"NFe3526035566677700019955001000000001000000001{crt}\" versao=\"4.00\"><ide><mod>{modelo}</mod><nNF>7</nNF>\
             <dhEmi>{day}T10:00:00-03:00</dhEmi><tpNF>{entry}</tpNF><idDest>1</idDest><finNFe>{purpose}</finNFe><indFinal>{consumer}</indFinal></ide>\
             <emit><CNPJ>{issuer}</CNPJ><enderEmit><UF>SP</UF></enderEmit><CRT>{crt}</CRT></emit>\
             <dest><CNPJ>{receiver}</CNPJ><enderDest><UF>SP</UF></enderDest><indIEDest>{taxpayer}</indIEDest></dest>\
             <det nItem=\"1\"><prod><cProd>P</cProd><NCM>{ncm}</NCM><CFOP>{cfop}</CFOP><qCom>1</qCom><vUnCom>1000.00</vUnCom><vProd>1000.00</vProd>\
             <indTot>1</indTot></prod><imposto><ICMS><X><orig>0</orig><{name}>{icms}</{name}>{amounts}</X></ICMS>{ipi}\
             <PIS><Y><CST>{pis}</CST></Y></PIS><COFINS><Z><CST>{pis}</CST></Z></COFINS></imposto></det></infNFe></NFe>"
        )
    }

    fn lines(&self, companies: &str) -> Vec<AuditLine> {
        let lines = found(&[self.xml()], companies).lines;
        lines.into_iter().filter(|line| line.camada == Layer::Compras).collect()
    }

    /// Tax, situation and credit in words, a line each.
    fn credits(&self, companies: &str) -> Vec<String> {
        let word = |line: &AuditLine| {
            assert!(!line.is_finding() && !line.is_sure_finding() && line.certeza.is_none(), "{line:?}");
            let amount = line.calculado.map(|amount| format!(" {amount}")).unwrap_or_default();
            format!("{} {}{amount}", line.tributo, line.codigo.unwrap_or_default())
        };
        self.lines(companies).iter().map(word).collect()
    }
}

/// A reseller of the non-cumulative regime: R$ 1.000,00 less R$ 180,00 of ICMS at 1.65 % and 7.6 %.
#[test]
fn an_ordinary_purchase_gives_its_credits() {
    let all = ["icms credito_possivel 180.00", "pis credito_possivel 13.53", "cofins credito_possivel 62.32"];
    assert_eq!(BOUGHT.credits(REAL), all);
    let lines = BOUGHT.lines(REAL);
    assert_eq!(lines[0].empresa, "11.222.333/0001-81", "the line is the buyer's");
    assert_eq!(
        (lines[1].base_calculada, lines[1].aliquota_calculada),
        (Some(Decimal::new(82_000, 2)), Some(Decimal::new(165, 2)))
    );
    assert!(lines[1].regra.is_some() && lines[1].payload.is_some() && lines[1].resposta.is_some());
    // Until April 2023 the ICMS is in the base of the credit.
    let before = Bought { day: "2023-04-30", ..BOUGHT };
    assert_eq!(before.credits(REAL)[1..], ["pis credito_possivel 16.50", "cofins credito_possivel 76.00"]);
    assert_eq!(Bought { day: "2023-05-01", ..BOUGHT }.credits(REAL)[1..], all[1..]);
}

#[test]
fn the_regime_of_the_buyer_decides_first() {
    assert_eq!(BOUGHT.credits(PRESUMIDO), ["icms credito_possivel 180.00", "pis sem_credito", "cofins sem_credito"]);
    assert_eq!(BOUGHT.credits(SIMPLES), ["icms sem_credito", "pis sem_credito", "cofins sem_credito"]);
    let open = ["icms credito_a_conferir 180.00", "pis credito_a_conferir", "cofins credito_a_conferir"];
    assert_eq!(BOUGHT.credits(UNKNOWN), open);
    // Nothing is said of companies that nobody named, nor of those that an entry for all describes.
    assert_eq!(BOUGHT.credits("[[empresa]]\nregime_pis_cofins = \"nao_cumulativo\"\n"), [""; 0]);
    assert_eq!(BOUGHT.credits("[[empresa]]\ncnpj = \"99888777\"\nregime_pis_cofins = \"nao_cumulativo\"\n"), [""; 0]);
}

#[test]
fn a_supplier_of_the_simples_gives_what_its_note_grants() {
    let note = Bought {
        crt: 1,
        icms: "101",
        amounts: "<pCredSN>2.00</pCredSN><vCredICMSSN>20.00</vCredICMSSN>",
        pis: "49",
        ..BOUGHT
    };
    let contributions = ["pis credito_possivel 16.50", "cofins credito_possivel 76.00"];
    assert_eq!(note.credits(REAL), [&["icms credito_possivel 20.00"], &contributions[..]].concat());
    let without = Bought { icms: "102", amounts: "", ..note };
    assert_eq!(without.credits(REAL), [&["icms sem_credito"], &contributions[..]].concat());
    let substituted = Bought { icms: "500", cfop: "5405", ..without };
    assert_eq!(substituted.credits(REAL)[0], "icms sem_credito");
    assert_eq!(substituted.credits(INDUSTRY)[0], "icms credito_a_conferir");
}

#[test]
fn the_treatment_of_the_product_decides_for_pis_and_cofins() {
    let of = |ncm, pis, company| {
        let credits = Bought { ncm, pis, ..BOUGHT }.credits(company);
        credits[credits.len() - 2..].to_vec()
    };
    // Beer is single-phase, whatever the code of the supplier.
    for pis in ["01", "02", "04"] {
        assert_eq!(of("22030000", pis, REAL), ["pis sem_credito", "cofins sem_credito"], "{pis}");
    }
    assert_eq!(of("22030000", "02", INDUSTRY), ["pis credito_a_conferir", "cofins credito_a_conferir"], "input");
    // Rice has a rate of zero, and stays at it (LC 214/2025, Anexo I).
    assert_eq!(of("10063021", "01", REAL), ["pis sem_credito", "cofins sem_credito"]);
    assert_eq!(of("39269090", "06", REAL), ["pis sem_credito", "cofins sem_credito"]);
    assert_eq!(of("39269090", "07", REAL), ["pis credito_a_conferir", "cofins credito_a_conferir"]);
    assert_eq!(of("39269090", "49", REAL), ["pis credito_a_conferir 13.53", "cofins credito_a_conferir 62.32"]);
    // PIS and COFINS end with 2026.
    let later = Bought { day: "2027-03-10", ..BOUGHT };
    assert_eq!(later.credits(REAL)[1..], ["pis sem_credito", "cofins sem_credito"]);
}

#[test]
fn what_is_not_bought_for_resale_is_not_credited_without_a_check() {
    let icms = |note: Bought| note.credits(REAL)[0].clone();
    assert_eq!(icms(Bought { consumer: true, ..BOUGHT }), "icms credito_a_conferir 180.00");
    assert_eq!(icms(Bought { taxpayer: 9, ..BOUGHT }), "icms credito_a_conferir 180.00");
    assert_eq!(icms(Bought { modelo: "65", ..BOUGHT }), "icms sem_credito");
    assert_eq!(icms(Bought { icms: "40", amounts: "", ..BOUGHT }), "icms sem_credito");
    assert_eq!(icms(Bought { icms: "60", amounts: "", cfop: "5405", ..BOUGHT }), "icms sem_credito");
    assert_eq!(icms(Bought { icms: "10", cfop: "5401", ..BOUGHT }), "icms sem_credito");
    let lent = Bought { cfop: "5915", ..BOUGHT };
    assert_eq!(lent.credits(REAL), ["icms credito_a_conferir 180.00", "pis sem_credito", "cofins sem_credito"]);
    let returned = Bought { cfop: "5202", purpose: 4, ..BOUGHT };
    assert_eq!(
        returned.credits(REAL),
        ["icms credito_a_conferir 180.00", "pis credito_a_conferir", "cofins credito_a_conferir"]
    );
    assert_eq!(Bought { purpose: 5, ..BOUGHT }.credits(REAL), [""; 0]);
    // A supplier's entry is its own purchase, or a return to it.
    let of_supplier =
        Bought { entry: true, cfop: "1202", ..BOUGHT }.xml().replace(SUPPLIER, "x").replace(BUYER, SUPPLIER);
    let lines = found(&[of_supplier.replace("<CNPJ>x<", &format!("<CNPJ>{BUYER}<"))], REAL).lines;
    assert!(lines.iter().all(|line| line.camada != Layer::Compras));
}

#[test]
fn the_buyers_own_entry_says_what_the_goods_are_for() {
    let entry = Bought { entry: true, ..BOUGHT };
    let of = |cfop, pis| Bought { cfop, pis, ..entry }.credits(REAL);
    assert_eq!(
        of("1102", "50"),
        ["icms credito_possivel 180.00", "pis credito_a_conferir", "cofins credito_a_conferir"]
    );
    assert_eq!(of("1556", "70")[0], "icms sem_credito");
    assert_eq!(of("1551", "70")[0], "icms credito_a_conferir 180.00");
    assert_eq!(
        of("3102", "50"),
        ["icms credito_possivel 180.00", "pis credito_a_conferir", "cofins credito_a_conferir"]
    );
    assert_eq!(of("1202", "50")[0], "icms credito_a_conferir 180.00");
    assert_eq!(of("1916", "70"), [""; 0]);
}

#[test]
fn ipi_is_credited_by_the_industry_alone() {
    let ipi = "<IPI><IPITrib><CST>50</CST><vBC>1000.00</vBC><pIPI>5.00</pIPI><vIPI>50.00</vIPI></IPITrib></IPI>";
    let note = Bought { ipi, cfop: "5101", ..BOUGHT };
    assert_eq!(note.credits(INDUSTRY)[1], "ipi credito_possivel 50.00");
    assert_eq!(note.credits(REAL)[1], "ipi sem_credito");
    assert_eq!(note.credits(UNKNOWN)[1], "ipi credito_a_conferir 50.00");
    assert_eq!(Bought { ipi: "", ..note }.credits(INDUSTRY)[1], "ipi sem_credito");
    assert_eq!(BOUGHT.credits(INDUSTRY)[1], "ipi credito_a_conferir", "a wholesaler's sale");
    assert_eq!(Bought { crt: 1, icms: "102", amounts: "", ..BOUGHT }.credits(INDUSTRY)[1], "ipi sem_credito");
}

/// A cancelled note, or the second copy of one, credits nothing.
#[test]
fn a_note_that_is_void_or_repeated_is_not_credited_again() {
    let void = BOUGHT.xml().replace("<NFe>", "<procNFe><NFe>");
    let key = "3526035566677700019955001000000001000000001";
    let protocol = format!("<protNFe><infProt><chNFe>{key}3</chNFe><cStat>101</cStat></infProt></protNFe></procNFe>");
    let credits =
        |files: &[String]| found(files, REAL).lines.iter().filter(|line| line.camada == Layer::Compras).count();
    assert_eq!(credits(&[void + &protocol]), 0);
    assert_eq!(credits(&[BOUGHT.xml(), BOUGHT.xml()]), 3);
}

/// The sums of the report are those of the lines, and nothing of them is among what was not compared.
#[test]
fn the_report_sums_the_credits_of_a_month() {
    let notes = [BOUGHT, BOUGHT, Bought { icms: "40", amounts: "", ..BOUGHT }, Bought { ncm: "22030000", ..BOUGHT }];
    let keyed =
        |(n, note): (usize, &Bought)| note.xml().replace("0000000010000000013", &format!("00000000100000000{n}3"));
    let files: Vec<String> = notes.iter().enumerate().map(keyed).collect();
    let lines = found(&files, REAL).lines;
    let mut report = AuditReport::default();
    lines.iter().cloned().for_each(|line| report.add(line));
    let summary = report.summary();
    let [month] = &summary.compras[..] else { panic!("{:?}", summary.compras) };
    assert_eq!((month.empresa.as_str(), month.mes.as_str()), ("11.222.333/0001-81", "2026-03"));
    let sum = |tributo, situacao| {
        let of = month.creditos.iter().filter(|of| of.tributo == tributo && of.situacao == situacao);
        of.fold((0, Decimal::ZERO), |(items, sum), of| (items + of.itens, sum + of.credito))
    };
    assert_eq!(sum("icms", CreditSituation::Possivel), (3, Decimal::new(54_000, 2)));
    assert_eq!(sum("icms", CreditSituation::Sem), (1, Decimal::ZERO));
    assert_eq!(sum("pis", CreditSituation::Possivel), (3, Decimal::new(1_353 * 2 + 1_650, 2)));
    assert_eq!(sum("pis", CreditSituation::Sem), (1, Decimal::ZERO));
    assert!(
        summary.empresas.iter().all(|of| of.empresa == "55.666.777/0001-99"),
        "the purchases have no page of their own"
    );
    let text = report.text(false);
    assert!(text.contains("CRÉDITOS DAS COMPRAS: EMPRESA 11.222.333/0001-81, março de 2026"), "{text}");
    assert!(!report.text(true).contains("CRÉDITOS DAS COMPRAS"));
}

/// What is decided without an engine, written a second time: by the note alone, in the order in which an accountant asks.
fn naive(note: &Bought, company: &str) -> [&'static str; 3] {
    let (yes, no, check) = ("credito_possivel", "sem_credito", "credito_a_conferir");
    if company == SIMPLES {
        return [no; 3];
    }
    let may_use = company == INDUSTRY || note.consumer;
    let unless_used = if may_use { check } else { no };
    let granted = note.amounts.contains("vCredICMSSN") || note.amounts.contains("<vICMS>");
    let known = if company == UNKNOWN || note.consumer { check } else { yes };
    let of_code = match (note.icms, granted) {
        ("10" | "60" | "201" | "500", _) => unless_used,
        (_, true) => known,
        (_, false) => no,
    };
    let is_sale = matches!(&note.cfop[1..], "101" | "102" | "405");
    let icms = if is_sale || of_code == no { of_code } else { check };
    let contribution = match company {
        PRESUMIDO => no,
        UNKNOWN => check,
        _ if note.cfop == "5915" => no,
        _ if !is_sale => check,
        _ if note.pis == "04" => unless_used,
        _ if note.crt == 3 && note.pis == "06" => no,
        _ if note.ncm == "22030000" => unless_used,
        _ if note.consumer => check,
        _ if note.crt == 1 || note.pis == "01" => yes,
        _ => check,
    };
    [icms, contribution, contribution]
}

/// Every company, code, CFOP, product and CST of these is judged as the second implementation judges it.
#[test]
fn each_purchase_is_judged_as_a_second_implementation_does() {
    const TAXED: &str = "<vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMS>180.00</vICMS>";
    const GRANTED: &str = "<pCredSN>2.00</pCredSN><vCredICMSSN>20.00</vCredICMSSN>";
    let normal = [("00", TAXED), ("10", TAXED), ("40", ""), ("60", ""), ("20", TAXED), ("90", "")];
    let simples = [("101", GRANTED), ("102", ""), ("201", GRANTED), ("500", ""), ("900", GRANTED), ("900", "")];
    let mut judged = 0;
    for company in [REAL, INDUSTRY, PRESUMIDO, SIMPLES, UNKNOWN] {
        for (crt, codes) in [(3, normal), (1, simples)] {
            for (icms, amounts) in codes {
                for (cfop, purpose) in [("5102", 1), ("5405", 1), ("5915", 1), ("5202", 4)] {
                    for (ncm, pis, consumer) in cases() {
                        let note = Bought { crt, purpose, consumer, ncm, cfop, icms, amounts, pis, ..BOUGHT };
                        let lines = note.lines(company);
                        let found = |tributo| lines.iter().find(|line| line.tributo == tributo).unwrap();
                        let words = ["icms", "pis", "cofins"].map(|tributo| found(tributo).codigo.unwrap());
                        assert_eq!(words, naive(&note, company), "{note:?}, {company}");
                        judged += 1;
                    }
                }
            }
        }
    }
    assert_eq!(judged, 5 * 2 * 6 * 4 * 16);
}

/// Product, CST of PIS and whether the note is to a final consumer.
fn cases() -> Vec<(&'static str, &'static str, bool)> {
    let codes = ["01", "04", "06", "49"];
    let products = ["39269090", "22030000"];
    let all = products.into_iter().flat_map(move |ncm| codes.map(move |pis| (ncm, pis)));
    all.flat_map(|(ncm, pis)| [false, true].map(|consumer| (ncm, pis, consumer))).collect()
}
