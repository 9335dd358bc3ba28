//! Everything that taxd reads, with a few bytes changed: each is read, or refused with a sentence, and never a panic.
//!
//! `TAXD_FUZZ_ROUNDS` sets how many inputs each reader gets: 20,000 take seconds.

use std::io::Cursor;
use std::ops::ControlFlow;

use serde_json::json;
use taxd::admin::signature;
use taxd::audit::Companies;
use taxd::engine::BundleFile;
use taxd::sheet::{self, Cell, ColumnKind, Table, TableColumn, TableHead};
use taxd::value::{ApiKey, KeyKind, RuleId, Timestamp};
use taxd::{nfe, rule_sheet};

use crate::fuzz::damage_of;
use crate::support::{bundle, engine, import, rule};

/// Gives `read` every damaged seed. It returns the sentence of a refusal; neither all nor none may be refused.
fn each(what: &str, seeds: &[Vec<u8>], read: impl Fn(&[u8]) -> Result<(), String>) {
    let rounds = std::env::var("TAXD_FUZZ_ROUNDS").map_or(20_000, |rounds| rounds.parse().unwrap());
    for seed in seeds {
        read(seed).unwrap_or_else(|refusal| panic!("{what}: a seed is refused: {refusal}"));
    }
    let mut refused = 0;
    for input in damage_of(seeds, rounds) {
        if let Err(sentence) = read(&input) {
            assert!(!sentence.trim().is_empty(), "{what}: {}", String::from_utf8_lossy(&input));
            refused += 1;
        }
    }
    assert!((1..rounds).contains(&refused), "{what}: {refused} of {rounds} refused");
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|e| e.to_string())
}

#[test]
fn bundles() {
    let engine = engine(0);
    let icms = rule("icms-sp", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}));
    let itcmd = rule(
        "itcmd-sp",
        "itcmd",
        &json!({"uf": "SP", "fato_gerador": "doacao"}),
        &json!({"metodo": "marginal", "faixas": [{"ate": "100.00", "aliquota": "2.00"}, {"ate": null, "aliquota": "4.00"}]}),
    );
    let seeds =
        [bundle(std::slice::from_ref(&icms)), bundle(&[icms, itcmd])].map(|bundle| bundle.to_string().into_bytes());
    each("bundle", &seeds, |bytes| {
        let imported = import(&engine, &[BundleFile::unsigned("teste.json", bytes)], true);
        imported.map(drop).map_err(|faults| faults.iter().map(|fault| fault.detail.as_str()).collect())
    });
}

#[test]
fn tables_and_the_rules_in_them() {
    let csv = "tributo;uf_origem;valor_produto;data_operacao\nicms;SP;1.234,56;10/03/2026\n\"ipi\";;\"7\";2026-03-10\n";
    let column =
        |name: &str| TableColumn { name: name.to_owned(), kind: ColumnKind::Text, choices: Vec::new(), width: 12 };
    let head = TableHead { name: "Lista".to_owned(), columns: ["uf", "data"].map(column).to_vec(), frozen: (1, 0) };
    let rows = vec![["SP", "10/03/2026"].map(|text| Cell::Text(text.to_owned())).to_vec()];
    let mut xlsx = Cursor::new(Vec::new());
    sheet::write_xlsx(&[Table { head, rows }], &mut xlsx).unwrap();
    each("table", &[csv.into(), xlsx.into_inner()], |bytes| {
        let mut rows = Vec::new();
        let mut take = |row| {
            rows.push(row);
            ControlFlow::Continue(())
        };
        sheet::read(Cursor::new(bytes), None, &mut take).map_err(|e| e.to_string())?;
        // A table of payloads is not one of rules: each fault has a sentence.
        let faults = rule_sheet::read(&rows).err().unwrap_or_default();
        assert!(faults.iter().all(|fault| !fault.detail.is_empty()));
        Ok(())
    });
}

#[test]
fn documents() {
    let note = "<NFe><infNFe><ide><dhEmi>2026-03-31T23:59:59-03:00</dhEmi></ide><emit><CNPJ>11222333000181</CNPJ></emit>\
        <det nItem=\"1\"><prod><NCM>39241000</NCM><vProd>10.50</vProd></prod><imposto><ICMS><ICMS00><CST>00</CST><vICMS>1.89</vICMS>\
        </ICMS00></ICMS></imposto></det></infNFe></NFe>";
    let service = "<CompNfse><Nfse><InfNfse><Competencia>2026-03-31</Competencia><Servico><Valores><ValorServicos>1000.00</ValorServicos>\
        <Aliquota>5.00</Aliquota></Valores><ItemListaServico>1.07</ItemListaServico></Servico></InfNfse></Nfse></CompNfse>";
    each("document", &[note.into(), service.into()], |bytes| {
        let _ = nfe::cancelled_keys(bytes, nfe::XmlLimits::default());
        nfe::read(bytes).map(drop).map_err(|fault| fault.detail)
    });
}

#[test]
fn companies() {
    let file = "[[empresa]]\ncnpj = \"11.222.333\"\nregime_pis_cofins = \"cumulativo\"\ncontribuinte_ipi = true\n";
    each("companies", &[file.into()], |bytes| {
        let parsed = Companies::parse(text(bytes)?);
        parsed.map(drop).map_err(|faults| faults.into_iter().map(|(_, sentence)| sentence).collect())
    });
}

#[test]
fn signatures_and_keys() {
    let (private, public) = signature::generate().unwrap();
    let signed = signature::sign(&private, b"bundle").unwrap();
    let trusted = [signature::TrustedKey { name: "firma".to_owned(), public_key: public.clone() }];
    each("signature", &[signed.into_bytes()], |bytes| {
        let signer = signature::verify(Some(text(bytes)?), b"bundle", &trusted).map_err(|e| e.to_string())?;
        match signer {
            signature::Signer::Nobody => Err("no signature".to_owned()),
            _ => Ok(()),
        }
    });
    each("public key", &[public.into_bytes()], |bytes| {
        signature::read_public(text(bytes)?).map(drop).map_err(|e| e.to_string())
    });
}

#[test]
fn words() {
    let key = ApiKey::generate(KeyKind::Live).unwrap();
    each("key", &[key.reveal().into()], |bytes| {
        ApiKey::parse(text(bytes)?).map(drop).ok_or_else(|| "no key".to_owned())
    });
    each("instant", &["2026-03-10T10:00:00-03:00".into()], |bytes| Timestamp::parse(text(bytes)?).map(drop));
    each("rule id", &["icms-sp-geral-v1.0".into()], |bytes| {
        RuleId::parse(text(bytes)?).map(drop).ok_or_else(|| "no rule id".to_owned())
    });
    each("number", &["1.234,56".into(), "-0.5".into()], |bytes| sheet::parse_number(text(bytes)?).map(drop));
    each("date", &["10/03/2026".into(), "2026-03-10".into()], |bytes| sheet::parse_date(text(bytes)?).map(drop));
}
