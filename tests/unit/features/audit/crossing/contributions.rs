//! PIS and COFINS in the EFD-Contribuições, against the notes, the rules and the regime.

use rust_decimal::Decimal;
use taxd::features::audit::Layer;

use super::{PURCHASE, SALE, findings_of, run_with};

const SAMPLE: &[u8] = include_bytes!("efd_contribuicoes.txt");
/// A key of the declarant, of its NF-e 500.
const KEY: &str = "35260612345678000195550010000005001123456789";

fn found(files: &[(&str, &[u8])]) -> Vec<String> {
    findings_of(&run_with(files, true))
}

/// The base of a sale has the ICMS in it, which is only to be checked; the credit is right, and nothing is certain.
#[test]
fn the_sample_has_the_icms_in_the_base_of_a_sale() {
    let files: [(&str, &[u8]); 3] = [("efd.txt", SAMPLE), ("101.xml", SALE), ("9001.xml", PURCHASE)];
    let wanted = ["conferir C170 14 101 base_com_icms 16.50 14.52", "conferir C170 14 101 base_com_icms 76.00 66.88"];
    assert_eq!(found(&files), wanted);
    let line = run_with(&files, true).into_iter().find(|line| line.codigo == Some("base_com_icms")).unwrap();
    assert_eq!(
        (line.base_declarada, line.base_calculada),
        (Some(Decimal::new(100_000, 2)), Some(Decimal::new(88_000, 2)))
    );
}

/// The books say how their declarant pays, so that its purchases have their credits without a file of companies.
#[test]
fn the_declarant_of_the_books_has_the_credits_of_its_purchases() {
    let lines = run_with(&[("efd.txt", SAMPLE), ("9001.xml", PURCHASE)], true);
    let credits = lines.iter().filter(|line| line.camada == Layer::Compras);
    let words = credits.map(|line| (line.tributo, line.codigo.unwrap(), line.calculado));
    let amount = |cents| Some(Decimal::new(cents, 2));
    let wanted = [("icms", amount(9_600)), ("pis", amount(1_162)), ("cofins", amount(5_350))];
    assert_eq!(words.collect::<Vec<_>>(), wanted.map(|(tax, amount)| (tax, "credito_possivel", amount)));
}

/// The credit of the purchase on its whole value.
#[test]
fn a_credit_with_the_icms_in_its_base_is_an_error() {
    let text = String::from_utf8_lossy(SAMPLE).replace(
        "|50|704,00|1,6500|||11,62|50|704,00|7,6000|||53,50|",
        "|50|800,00|1,6500|||13,20|50|800,00|7,6000|||60,80|",
    );
    let wanted = [
        "erro_do_documento C170 16 9001 base_do_credito_com_icms 13.20 11.62",
        "erro_do_documento C170 16 9001 base_do_credito_com_icms 60.80 53.50",
    ];
    assert_eq!(found(&[("efd.txt", text.as_bytes()), ("9001.xml", PURCHASE)]), wanted);
}

/// A month of the cumulative regime: a taxed sale of R$ 100.00, one of a single-phase product of R$ 50.00, and a service of R$ 200.00.
#[derive(Clone)]
struct Made {
    regime: &'static str,
    sale: String,
    free: String,
    service: String,
    m210: &'static str,
    m400: &'static str,
}

fn item(number: u32, product: &str, cfop: &str, value: &str, [cst, base, pis, cofins]: [&str; 4]) -> String {
    let amount = |rate: &str| {
        let [base, rate] = [base, rate].map(|text| text.replace(',', ".").parse::<Decimal>().unwrap());
        (base * rate / Decimal::ONE_HUNDRED).round_dp(2).to_string().replace('.', ",")
    };
    let [of_pis, of_cofins] = [amount(pis), amount(cofins)];
    format!(
        "|C170|{number}|{product}||1,00000|UN|{value}|0,00|0|000|{cfop}||0,00|0,00|0,00|0,00|0,00|0,00|0|||0,00|0,00|0,00|\
         {cst}|{base}|{pis}|||{of_pis}|{cst}|{base}|{cofins}|||{of_cofins}||"
    )
}

impl Made {
    fn right() -> Made {
        Made {
            regime: "2",
            sale: item(1, "P1", "5102", "100,00", ["01", "100,00", "0,6500", "3,0000"]),
            free: item(2, "P2", "5102", "50,00", ["04", "0,00", "0,0000", "0,0000"]),
            service: "|A100|1|0||00|||77||10062026|10062026|200,00|0|0,00|200,00|1,30|200,00|6,00|0,00|0,00|10,00|"
                .to_owned(),
            m210: "300,00",
            m400: "|M400|04|50,00|||\n|M410|202|50,00|||",
        }
    }

    fn text(&self) -> String {
        let Made { regime, sale, free, service, m210, m400 } = self;
        let m800 = m400.replace("M400", "M800").replace("M410", "M810");
        let text = format!(
            "|0000|006|0|||01062026|30062026|FIRMA|12345678000195|SP|3550308||00|2|\n|0001|0|\n|0110|{regime}|||9|\n\
             |0140|1|FIRMA|12345678000195|SP||3550308|||\n|0200|P1|A|||UN|00|39269090||||\n|0200|P2|B|||UN|00|33030010||||\n\
             |0990|6|\n|A001|0|\n|A010|12345678000195|\n{service}\n\
             |A170|1|S1||200,00|0,00|||01|200,00|0,6500|1,30|01|200,00|3,0000|6,00|||\n|A990|4|\n\
             |C001|0|\n|C010|12345678000195|2|\n\
             |C100|1|0||55|00|001|500|{KEY}|10062026|10062026|150,00|1|0,00|0,00|150,00|9|0,00|0,00|0,00|0,00|0,00|0,00|0,00|0,00|0,65|3,00|0,00|0,00|\n\
             {sale}\n{free}\n|C990|5|\n|D001|1|\n|D990|2|\n|F001|1|\n|F990|2|\n|M001|0|\n\
             |M200|0,00|0,00|0,00|0,00|0,00|0,00|0,00|1,95|0,00|0,00|1,95|1,95|\n\
             |M210|51|300,00|{m210}|0,00|0,00|{m210}|0,6500|||1,95|0,00|0,00|0,00|0,00|1,95|\n{m400}\n\
             |M600|0,00|0,00|0,00|0,00|0,00|0,00|0,00|9,00|0,00|0,00|9,00|9,00|\n\
             |M610|51|300,00|300,00|0,00|0,00|300,00|3,0000|||9,00|0,00|0,00|0,00|0,00|9,00|\n{m800}\n\
             |M990|9|\n|1001|1|\n|1990|2|\n|9001|0|\n|9990|2|\n|9999|40|\n"
        );
        // A line needs a register.
        text.replace("\n\n", "\n")
    }

    fn found(&self, further: &[(&str, &[u8])]) -> Vec<String> {
        let text = self.text();
        found(&[&[("efd.txt", text.as_bytes())], further].concat())
    }
}

/// A national NFS-e of the declarant.
fn service(number: &str, price: &str) -> String {
    format!(
        "<NFSe><infNFSe Id=\"NFS35503082212345678000195000000000000{number}26061\"><nNFSe>{number}</nNFSe><emit><CNPJ>12345678000195</CNPJ></emit>\
         <valores><vLiq>{price}</vLiq></valores><DPS><infDPS><dhEmi>2026-06-10T10:00:00-03:00</dhEmi><dCompet>2026-06-10</dCompet>\
         <prest><CNPJ>12345678000195</CNPJ></prest><serv><locPrest><cLocPrestacao>3550308</cLocPrestacao></locPrest>\
         <cServ><cTribNac>010101</cTribNac></cServ></serv><valores><vServPrest><vServ>{price}</vServ></vServPrest></valores></infDPS></DPS></infNFSe></NFSe>"
    )
}

/// Each single change of a month without a fault gives exactly its finding.
#[test]
fn each_single_change_gives_its_finding() {
    let right = Made::right();
    let note = service("77", "200.00");
    let files: [(&str, &[u8]); 1] = [("77.xml", note.as_bytes())];
    assert_eq!(right.found(&files), [""; 0]);
    assert_eq!(right.found(&[]), [""; 0]);

    // 46: the rate of the other regime, whose base is then of another rate in block M too.
    let other = Made {
        sale: item(1, "P1", "5102", "100,00", ["01", "100,00", "1,6500", "3,0000"]),
        m210: "200,00",
        ..right.clone()
    };
    let lines = other.found(&files);
    assert_eq!(lines.first().unwrap(), "erro_do_documento C170 16 500 aliquota_do_regime 1.65 0.65", "{lines:?}");
    let both = Made { regime: "3", ..other };
    assert!(both.found(&files).iter().all(|line| !line.contains("aliquota_do_regime")));

    // 47: the base that is owed on.
    let base = Made { m210: "250,00", ..right.clone() };
    assert_eq!(base.found(&files), ["erro_do_documento M210 25  base_da_apuracao 250.00 300.00"]);

    // 42: the revenue without a contribution, or its nature.
    let none = Made { m400: "", ..right.clone() };
    let missing =
        ["M400", "M800"].map(|register| format!("erro_do_documento {register}   receita_sem_apuracao 0 50.00"));
    assert_eq!(none.found(&files), missing);
    let nature = Made { m400: "|M400|04|50,00|||", ..right.clone() };
    assert_eq!(nature.found(&files).len(), 2);
    assert!(nature.found(&files).iter().all(|line| line.ends_with("receita_sem_apuracao 0 50.00")));

    // 41: the perfume that was taxed at its maker.
    let taxed = Made {
        free: item(2, "P2", "5102", "50,00", ["01", "50,00", "0,6500", "3,0000"]),
        m210: "350,00",
        ..right.clone()
    };
    let lines: Vec<String> = taxed.found(&files).into_iter().filter(|line| line.contains("C170")).collect();
    assert_eq!(
        lines,
        ["erro_do_documento C170 17 500 cst_do_produto 0.32 0", "erro_do_documento C170 17 500 cst_do_produto 1.50 0",]
    );

    // 38: the service has another value, or another number, or is not there.
    let value = Made { service: right.service.replacen("|200,00|", "|170,00|", 1), ..right.clone() };
    assert_eq!(value.found(&files), ["erro_do_documento A100 10 77 valor_do_servico 170.00 200.00"]);
    let further = service("78", "90.00");
    let with = [files[0], ("78.xml", further.as_bytes())];
    assert_eq!(right.found(&with), ["erro_do_documento   78 servico_fora_da_efd 0 90.00"]);
    let number = Made { service: right.service.replace("|77|", "|1077|"), ..right.clone() };
    assert_eq!(number.found(&files), ["conferir   77 servico_fora_da_efd 0 200.00"]);
    let consolidated =
        Made { m400: "|F550|300,00|01|300,00|0,00|0,6500|1,95|01|300,00|0,00|3,0000|9,00|55|5102|||", ..right };
    let said = ["    registro_nao_lido  "];
    assert_eq!(consolidated.found(&with), said, "by totals of the month no document is booked");
}

/// Credits that are only to be checked.
#[test]
fn credits_without_ground_are_to_be_checked() {
    let credit = |product: &str, cfop: &str| item(1, product, cfop, "800,00", ["50", "704,00", "1,6500", "7,6000"]);
    let with = |row: String| {
        let text = String::from_utf8_lossy(SAMPLE).replace("84713012", "33030010");
        let before = text.lines().find(|line| line.contains("|2102|")).unwrap().to_owned();
        found(&[("efd.txt", text.replace(&before, &row).as_bytes()), ("9001.xml", PURCHASE)])
    };
    let of = |lines: Vec<String>| {
        lines
            .into_iter()
            .filter(|line| line.contains("credito"))
            .map(|line| line.split(' ').nth(4).unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(of(with(credit("P1", "2102"))), ["credito_do_produto"; 2]);
    assert_eq!(of(with(credit("P1", "2101"))), [""; 0], "an input");
    assert_eq!(of(with(credit("P0", "2556"))), ["credito_sem_direito"; 2]);
    let simples = String::from_utf8_lossy(PURCHASE).replace("<CRT>3", "<CRT>1");
    let text = String::from_utf8_lossy(SAMPLE).replace(
        "|50|704,00|1,6500|||11,62|50|704,00|7,6000|||53,50|",
        "|70|0,00|0,0000|||0,00|70|0,00|0,0000|||0,00|",
    );
    let lines = found(&[("efd.txt", text.as_bytes()), ("9001.xml", simples.as_bytes())]);
    assert_eq!(of(lines), ["credito_nao_tomado"; 2]);
}

/// What the NFS-e of the month have as withheld is deducted in block M, or is to be checked.
#[test]
fn what_takers_withheld_is_deducted() {
    let note = include_str!("../../../../golden/layouts/nfse_ginfes.xml")
        .replace("ValorPis>0.00", "ValorPis>6.50")
        .replace("ValorCofins>0.00", "ValorCofins>30.00");
    let of = |m200: &str| {
        let text = String::from_utf8_lossy(SAMPLE).replacen("|4,88|0,00|0,00|4,88|", m200, 1);
        let lines = found(&[("efd.txt", text.as_bytes()), ("901.xml", note.as_bytes())]);
        lines.into_iter().filter(|line| line.contains("retencao")).collect::<Vec<_>>()
    };
    let cofins = "conferir M600 24  retencao_nao_deduzida 0.00 30.00";
    assert_eq!(of("|4,88|0,00|0,00|4,88|"), ["conferir M200 23  retencao_nao_deduzida 0.00 6.50", cofins]);
    assert_eq!(of("|4,88|6,50|0,00|0,00|"), [cofins], "deducted");
    let received = "|F600|03|15062026|1000,00|36,50|5952|0|98765432000198|6,50|30,00|0|\r\n|F990|";
    let text = String::from_utf8_lossy(SAMPLE).replacen("|F990|", received, 1);
    let lines = found(&[("efd.txt", text.as_bytes()), ("901.xml", note.as_bytes())]);
    assert!(!lines.iter().any(|line| line.contains("retencao")), "it is in F600: {lines:?}");
}

/// An NFC-e has its rows by CFOP, and sales without their documents by product.
#[test]
fn sales_are_judged_without_their_items() {
    let sample = String::from_utf8_lossy(SAMPLE).into_owned();
    let item = sample.lines().find(|line| line.starts_with("|C170|1|P1|") && line.contains("|6102|")).unwrap();
    let group = |base: &str| format!("|C175|6102|1000,00|0,00|01|{base}|1,6500|||14,52|01|{base}|7,6000|||66,88|||");
    let of = |row: &str| {
        let text = sample.replace(item, row);
        let lines = found(&[("efd.txt", text.as_bytes()), ("101.xml", SALE)]);
        lines.into_iter().filter(|line| line.contains("C175")).collect::<Vec<_>>()
    };
    assert_eq!(of(&group("880,00")), [""; 0]);
    let wanted = ["conferir C175 14 101 base_com_icms 14.52 14.52", "conferir C175 14 101 base_com_icms 66.88 66.88"];
    assert_eq!(of(&group("1000,00")), wanted);
    let sale = |cst: &str| {
        format!(
            "|C180|55|01062026|30062026|P9|33030010||100,00|\r\n\
             |C181|{cst}|5102|100,00|0,00|100,00|1,6500|||1,65||\r\n|C185|{cst}|5102|100,00|0,00|100,00|7,6000|||7,60||\r\n|C990|"
        )
    };
    let of = |cst: &str| {
        let text = sample.replacen("|C990|", &sale(cst), 1);
        let lines = found(&[("efd.txt", text.as_bytes())]);
        lines.into_iter().filter(|line| line.contains("cst_do_produto")).collect::<Vec<_>>()
    };
    let wanted = ["conferir C181 18  cst_do_produto 1.65 0", "conferir C185 19  cst_do_produto 7.60 0"];
    assert_eq!((of("01"), of("04")), (wanted.map(str::to_owned).to_vec(), Vec::new()));
}
