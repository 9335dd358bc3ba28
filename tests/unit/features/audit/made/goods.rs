//! A sale of goods as an NF-e.

use std::collections::BTreeMap;
use std::fmt::Write;

use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::groups::{destination, ipi_of, own_fcp, reform, substitution};
use super::{answers, cents, ipi_amount, is_zero, share, text};
use crate::audit::documents::{Item, Note};
use crate::support::with;

/// Products of the generated documents whose resale the CST marks: perfume and tyres (Leis 10.147/2000 and 10.485/2002).
const SINGLE_PHASE: [&str; 4] = ["33030010", "33049910", "40111000", "40118090"];

/// An item and what it adds to the totals.
pub struct MadeItem {
    item: Item,
    sums: BTreeMap<&'static str, Decimal>,
}

/// What all items of a document have in common.
#[derive(Debug, Clone)]
pub struct Sale {
    pub data: &'static str,
    pub uf_origem: &'static str,
    pub uf_destino: &'static str,
    pub contribuinte: bool,
    pub consome: bool,
    pub simples: bool,
    pub regime: &'static str,
    /// `modFrete`.
    pub frete: &'static str,
    pub items: Vec<Goods>,
}

/// What one item is.
#[derive(Debug, Clone)]
pub struct Goods {
    pub ncm: &'static str,
    pub cest: &'static str,
    pub classificacao: &'static str,
    pub fabrica: bool,
    pub substituicao: bool,
    pub importada: bool,
    /// In cents.
    pub preco: i64,
    pub quantidade: i64,
    pub frete: i64,
    pub seguro: i64,
    pub despesas: i64,
    pub desconto: i64,
    /// ICMS that was withheld in the purchase; zero of goods that are not under substitution.
    pub retido: i64,
    /// The rate of the credit that a seller of the Simples passes on, in hundredths of a point: of 1,36 % in the first band of
    /// the Anexo I at the least; zero without one.
    pub credito: i64,
}

impl MadeItem {
    /// Writes elements of these amounts, each added to the total of its name.
    pub fn group(&mut self, elements: &[(&str, Option<&'static str>, &str)]) -> String {
        let mut out = String::new();
        for (name, total, figure) in elements {
            write!(out, "<{name}>{figure}</{name}>").unwrap();
            if let Some(total) = total {
                *self.sums.entry(total).or_default() += figure.parse::<Decimal>().unwrap();
            }
        }
        out
    }
}

impl Goods {
    /// The value of the operation, in cents.
    fn net(&self) -> i64 {
        let price = self.preco * self.quantidade;
        price - self.desconto.min(price / 2) + self.frete + self.seguro + self.despesas
    }
}

impl Sale {
    /// The document; `None` if the engine has no rule for a tax of an item.
    pub fn note(&self) -> Option<Note> {
        let items: Vec<MadeItem> = self.items.iter().map(|goods| self.item(goods)).collect::<Option<_>>()?;
        let interstate = self.is_interstate();
        Some(Note {
            data: self.data,
            crt: if self.simples { 1 } else { 3 },
            id_dest: if interstate { 2 } else { 1 },
            uf_origem: self.uf_origem,
            uf_destino: self.uf_destino,
            ind_final: u8::from(self.consome),
            ind_ie_dest: if self.contribuinte { 1 } else { 9 },
            total: totals(&items),
            items: items.into_iter().map(|made| made.item).collect(),
            ..Note::default()
        })
    }

    /// The document as XML, with who has the goods carried.
    pub fn xml(&self) -> Option<String> {
        let carriage = format!("<transp><modFrete>{}</modFrete></transp><total>", self.frete);
        Some(self.note()?.xml().replacen("<total>", &carriage, 1))
    }

    fn is_interstate(&self) -> bool {
        self.uf_origem != self.uf_destino
    }

    fn facts(&self, goods: &Goods) -> Value {
        let price = goods.preco * goods.quantidade;
        json!({
            "data_operacao": &self.data[..10], "valor_produto": cents(price), "desconto": cents(goods.desconto.min(price / 2)),
            "frete": cents(goods.frete), "seguro": cents(goods.seguro), "despesas": cents(goods.despesas),
            "uf_origem": self.uf_origem, "uf_destino": self.uf_destino, "ncm": goods.ncm,
            "valor_icms_st_retido": if goods.retido == 0 { Value::Null } else { json!(cents(goods.retido)) },
            "cest": if goods.cest.is_empty() { Value::Null } else { json!(goods.cest) },
            "papel_na_cadeia": if goods.fabrica { "fabricante_importador" } else { "revenda" },
            "destinatario_contribuinte": self.contribuinte, "destinatario_consumidor_final": self.consome,
            "origem_mercadoria": if goods.importada { "importada" } else { "nacional" },
            "substituicao_tributaria": if goods.substituicao { Value::Null } else { json!(false) },
            "regime_simples_nacional": self.simples,
            "regime_apuracao": if self.simples { "simples" } else { self.regime },
            "cumpre_obrigacoes_acessorias": true, "classificacao_tributaria": goods.classificacao,
        })
    }

    fn item(&self, goods: &Goods) -> Option<MadeItem> {
        let facts = self.facts(goods);
        let facts = if self.data < "2026" { with(&facts, &json!({"classificacao_tributaria": null})) } else { facts };
        let details = answers(&facts)?;
        let mut made = MadeItem { item: Item::default(), sums: BTreeMap::new() };
        let st = details.get("icms_st").filter(|st| !is_zero(st, "icms_st"));
        // Other ways to the base have no margin that the document could show.
        if st.is_some_and(|st| st["base_metodo"] != "mva" || !st["base_calculo_propria"].is_null()) {
            return None;
        }
        let withheld = details.get("icms").or(details.get("icms_consumidor_final")).is_none();
        made.item.produto = product(&mut made, goods, &facts, self.cfop(goods, st.is_some(), withheld));
        let imposto = [
            self.icms(&mut made, goods, &details, st),
            details.get("ipi").map(|ipi| ipi_of(&mut made, ipi)).unwrap_or_default(),
            self.contribution(&mut made, "PIS", details.get("pis"), goods)?,
            self.contribution(&mut made, "COFINS", details.get("cofins"), goods)?,
            destination(&mut made, details.get("icms_consumidor_final")),
            reform(&mut made, &details),
        ];
        made.item.imposto = imposto.concat();
        Some(made)
    }

    fn cfop(&self, goods: &Goods, st: bool, withheld: bool) -> String {
        let interstate = self.is_interstate();
        let operation = match (goods.fabrica, st) {
            _ if withheld && goods.retido != 0 => "405",
            (true, true) => "401",
            (false, true) => "403",
            (true, false) if interstate && !self.contribuinte => "107",
            (false, false) if interstate && !self.contribuinte => "108",
            (true, false) => "101",
            (false, false) => "102",
        };
        format!("{}{operation}", if interstate { 6 } else { 5 })
    }

    fn icms(
        &self,
        made: &mut MadeItem,
        goods: &Goods,
        details: &BTreeMap<String, Value>,
        st: Option<&Value>,
    ) -> String {
        // Who imports goods itself owes the IPI of their sale; others bought them here.
        let orig = match (goods.importada, details.contains_key("ipi")) {
            (true, true) => 1,
            (true, false) => 2,
            (false, _) => 0,
        };
        let withheld = st.map(|st| substitution(made, st)).unwrap_or_default();
        let before =
            if goods.retido == 0 { String::new() } else { format!("<vICMSSTRet>{}</vICMSSTRet>", cents(goods.retido)) };
        let has_own = details.contains_key("icms") || details.contains_key("icms_consumidor_final");
        if self.simples {
            return of_simples(goods, orig, &withheld, before.as_str(), has_own);
        }
        if !before.is_empty() && !has_own {
            return format!("<ICMS><ICMS60><orig>{orig}</orig><CST>60</CST>{before}</ICMS60></ICMS>");
        }
        let (icms, rate) = match (details.get("icms"), details.get("icms_consumidor_final")) {
            (Some(icms), _) => (icms, "aliquota_aplicada"),
            (_, Some(icms)) if icms["tipo_operacao"] == "interna" => (icms, "aliquota_interna"),
            (_, Some(icms)) => (icms, "aliquota_interestadual"),
            _ if self.data >= "2033" => return String::new(),
            other => panic!("no ICMS: {other:?}"),
        };
        if is_zero(icms, "valor_icms") {
            let cst = if withheld.is_empty() { "40" } else { "30" };
            return format!("<ICMS><ICMS{cst}><orig>{orig}</orig><CST>{cst}</CST>{withheld}</ICMS{cst}></ICMS>");
        }
        let (base, rate) = (text(icms, "base_calculo"), text(icms, rate));
        let whole = self.value(goods, details).parse::<Decimal>().unwrap();
        let reduced = base.parse::<Decimal>().unwrap() < whole;
        let own = made.group(&[
            ("vBC", Some("vBC"), base),
            ("pICMS", None, rate),
            ("vICMS", Some("vICMS"), text(icms, "valor_icms")),
        ]);
        let has_fcp = !self.is_interstate() && !is_zero(icms, "valor_fcp");
        let fcp = if has_fcp { own_fcp(made, icms, base, withheld.is_empty() && !reduced) } else { String::new() };
        let points = ((Decimal::ONE - base.parse::<Decimal>().unwrap() / whole) * Decimal::ONE_HUNDRED).round_dp(4);
        let (cst, reduction) = match (reduced, withheld.is_empty()) {
            (false, true) => ("00", String::new()),
            (false, false) => ("10", String::new()),
            (true, true) => ("20", format!("<pRedBC>{points}</pRedBC>")),
            (true, false) => ("70", format!("<pRedBC>{points}</pRedBC>")),
        };
        format!(
            "<ICMS><ICMS{cst}><orig>{orig}</orig><CST>{cst}</CST>{reduction}{own}{fcp}{withheld}</ICMS{cst}></ICMS>"
        )
    }

    /// What the base of the ICMS would be without a reduction.
    fn value(&self, goods: &Goods, details: &BTreeMap<String, Value>) -> String {
        let net = goods.net();
        let ipi = details.get("ipi").filter(|ipi| self.consome && !is_zero(ipi, "base_calculo"));
        let charged = ipi.map_or(Decimal::ZERO, ipi_amount);
        (Decimal::new(net, 2) + charged).to_string()
    }

    /// The group of PIS or COFINS; `None` if it is charged by unit.
    fn contribution(
        &self,
        made: &mut MadeItem,
        tax: &'static str,
        details: Option<&Value>,
        goods: &Goods,
    ) -> Option<String> {
        let Some(details) = details else {
            if self.data >= "2027" {
                return Some(String::new());
            }
            let marked = !goods.fabrica && SINGLE_PHASE.contains(&goods.ncm);
            let code = if self.simples && marked {
                "04"
            } else if self.simples {
                "49"
            } else {
                "08"
            };
            return Some(format!("<{tax}><{tax}Outr><CST>{code}</CST></{tax}Outr></{tax}>"));
        };
        if details["aliquota_aplicada"].is_null() {
            return None;
        }
        if is_zero(details, "aliquota_aplicada") {
            let code = if goods.fabrica { "06" } else { "04" };
            return Some(format!("<{tax}><{tax}NT><CST>{code}</CST></{tax}NT></{tax}>"));
        }
        let (base, rate) = (text(details, "base_calculo"), text(details, "aliquota_aplicada"));
        let amount = share(base, rate);
        let total = if tax == "PIS" { "vPIS" } else { "vCOFINS" };
        let figures = made.group(&[
            ("vBC", None, base),
            (format!("p{tax}").as_str(), None, rate),
            (total, Some(total), amount.as_str()),
        ]);
        let code = if goods.fabrica && !matches!(rate, "0.65" | "1.65" | "3.00" | "7.60") { "02" } else { "01" };
        Some(format!("<{tax}><{tax}Aliq><CST>{code}</CST>{figures}</{tax}Aliq></{tax}>"))
    }
}

/// The group of a seller of the Simples: substitution before or by it, credit, or none of them.
fn of_simples(goods: &Goods, orig: u8, withheld: &str, before: &str, has_own: bool) -> String {
    let (rate, amount) = (cents(goods.credito), share(&cents(goods.net()), &cents(goods.credito)));
    let (code, inside) = match (before.is_empty() || has_own, withheld.is_empty(), goods.credito) {
        (false, ..) => ("500", before.to_owned()),
        (_, false, _) => ("202", withheld.to_owned()),
        (_, _, 0) => ("102", String::new()),
        _ => ("101", format!("<pCredSN>{rate}</pCredSN><vCredICMSSN>{amount}</vCredICMSSN>")),
    };
    format!("<ICMS><ICMSSN{code}><orig>{orig}</orig><CSOSN>{code}</CSOSN>{inside}</ICMSSN{code}></ICMS>")
}

fn product(made: &mut MadeItem, goods: &Goods, facts: &Value, cfop: String) -> Vec<(&'static str, String)> {
    let mut produto = vec![("cProd", "P1".to_owned()), ("NCM", goods.ncm.to_owned()), ("CFOP", cfop)];
    if !goods.cest.is_empty() {
        produto.push(("CEST", goods.cest.to_owned()));
    }
    produto.extend([
        ("qCom", format!("{}.0000", goods.quantidade)),
        ("vUnCom", format!("{}00000000", cents(goods.preco))),
        ("indTot", "1".to_owned()),
    ]);
    for (name, fact) in [
        ("vProd", "valor_produto"),
        ("vFrete", "frete"),
        ("vSeg", "seguro"),
        ("vDesc", "desconto"),
        ("vOutro", "despesas"),
    ] {
        let figure = text(facts, fact).to_owned();
        *made.sums.entry(name).or_default() += figure.parse::<Decimal>().unwrap();
        produto.push((name, figure));
    }
    produto
}

fn totals(items: &[MadeItem]) -> String {
    let sum = |name: &str| -> Decimal { items.iter().filter_map(|made| made.sums.get(name)).sum() };
    let amount = |name: &str| {
        let mut sum = sum(name);
        sum.rescale(2);
        sum.to_string()
    };
    let one = |name: &str| format!("<{name}>{}</{name}>", amount(name));
    let mut out = "<ICMSTot>".to_owned();
    for name in [
        "vBC",
        "vICMS",
        "vFCPUFDest",
        "vICMSUFDest",
        "vICMSUFRemet",
        "vFCP",
        "vBCST",
        "vST",
        "vFCPST",
        "vProd",
        "vFrete",
        "vSeg",
        "vDesc",
        "vIPI",
        "vPIS",
        "vCOFINS",
        "vOutro",
    ] {
        out.push_str(&one(name));
    }
    let mut total: Decimal =
        ["vProd", "vFrete", "vSeg", "vOutro", "vIPI", "vST", "vFCPST"].into_iter().map(sum).sum::<Decimal>()
            - sum("vDesc");
    total.rescale(2);
    write!(out, "<vNF>{total}</vNF></ICMSTot>").unwrap();
    if items.iter().any(|made| made.item.imposto.contains("<IBSCBS>")) {
        write!(
            out,
            "<IBSCBSTot>{}<gIBS><gIBSUF><vDif>{}</vDif>{}</gIBSUF><gIBSMun>{}</gIBSMun>{}</gIBS><gCBS><vDif>{}</vDif>{}</gCBS></IBSCBSTot>",
            one("vBCIBSCBS"),
            amount("vDifUF"),
            one("vIBSUF"),
            one("vIBSMun"),
            one("vIBS"),
            amount("vDifCBS"),
            one("vCBS")
        )
        .unwrap();
    }
    out
}
