//! Everything that taxd reads, as functions of bytes: what `tests/unit/features/damaged.rs` damages, and what `tests/fuzz/run`
//! gives to libFuzzer.

#[path = "audited.rs"]
mod audited;

use std::io::Cursor;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use serde_json::{Value, json};
use taxd::base::value::{ApiKey, KeyKind, RuleId, Timestamp};
use taxd::core::calls::{LoggedCall, decode_block, encode_block};
use taxd::core::engine::{BundleFile, Engine};
use taxd::core::watch::read_lines;
use taxd::features::accounts::AccountCommand;
use taxd::features::audit::Companies;
use taxd::features::import::ImportCommand;
use taxd::features::trust::signature;
use taxd::features::{Command, rule_sheets};
use taxd::law::nfe;
use taxd::sheet::{self, Cell, ColumnKind, Table, TableColumn, TableHead};

use crate::support::{bundle, engine, engine_with, import, rule};

/// A reader.
pub struct Reader {
    pub name: &'static str,
    /// Inputs that it takes.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Reads, or refuses with a sentence.
    pub read: fn(&[u8]) -> Result<(), String>,
}

pub const READERS: &[Reader] = &[
    Reader { name: "bundle", seeds: bundles, read: read_bundle },
    Reader { name: "payload", seeds: payloads, read: read_payload },
    Reader { name: "kept_list", seeds: kept_lists, read: read_kept_list },
    Reader { name: "table", seeds: tables, read: read_table },
    Reader { name: "document", seeds: audited::documents, read: read_document },
    Reader { name: "audited", seeds: audited::documents, read: audited::read_audited },
    Reader { name: "packed", seeds: audited::documents, read: audited::read_packed },
    Reader { name: "books", seeds: audited::books, read: audited::read_audited },
    Reader { name: "archive", seeds: audited::archives, read: audited::read_audited },
    Reader { name: "companies", seeds: companies, read: read_companies },
    Reader { name: "signature", seeds: signatures, read: read_signature },
    Reader { name: "public_key", seeds: || vec![KEYS.1.clone().into_bytes()], read: read_public_key },
    Reader { name: "key", seeds: keys, read: read_key },
    Reader { name: "instant", seeds: || vec!["2026-03-10T10:00:00-03:00".into()], read: read_instant },
    Reader { name: "rule_id", seeds: || vec!["icms-sp-geral-v1.0".into()], read: read_rule_id },
    Reader { name: "number", seeds: || vec!["1.234,56".into(), "-0.5".into()], read: read_number },
    Reader { name: "date", seeds: || vec!["10/03/2026".into(), "2026-03-10".into()], read: read_date },
    Reader { name: "control_message", seeds: control_messages, read: read_control_message },
    Reader { name: "log_block", seeds: log_blocks, read: read_log_block },
];

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|e| e.to_string())
}

fn rules() -> [Value; 2] {
    let icms = rule("icms-sp", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}));
    let faixas = json!([{"ate": "100.00", "aliquota": "2.00"}, {"ate": null, "aliquota": "4.00"}]);
    let itcmd = rule(
        "itcmd-sp",
        "itcmd",
        &json!({"uf": "SP", "fato_gerador": "doacao"}),
        &json!({"metodo": "marginal", "faixas": faixas}),
    );
    [icms, itcmd]
}

fn bundles() -> Vec<Vec<u8>> {
    vec![bundle(&rules()[..1]).to_string().into_bytes(), bundle(&rules()).to_string().into_bytes()]
}

fn kept_lists() -> Vec<Vec<u8>> {
    let line = json!({"id": "p1", "tributo": "icms", "payload": {"uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1.00"}});
    let dated = json!({"tributo": "iptu", "uf": "SP", "municipio": "São Paulo", "uso_imovel": "residencial",
                       "valor_venal": "1.00", "exercicio": 2026});
    vec![format!("{line}\n\n{dated}\r\n").into_bytes()]
}

fn read_kept_list(bytes: &[u8]) -> Result<(), String> {
    read_lines(bytes).map(drop).map_err(|problem| problem.detail.to_string())
}

fn read_bundle(bytes: &[u8]) -> Result<(), String> {
    static ENGINE: LazyLock<Engine> = LazyLock::new(|| engine(0));
    let imported = import(&ENGINE, &[BundleFile::unsigned("teste.json", bytes)], true);
    imported.map(drop).map_err(|faults| faults.iter().map(|fault| fault.detail.as_str()).collect())
}

fn payloads() -> Vec<Vec<u8>> {
    let icms = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1000.00", "frete": "50.00",
        "data_operacao": "2026-03-10"});
    let itcmd = json!({"tributo": "itcmd", "uf": "SP", "fato_gerador": "doacao", "valor_base": "150.55",
        "data_fato_gerador": "2026-03-10"});
    [icms, itcmd].map(|payload| payload.to_string().into_bytes()).to_vec()
}

fn read_payload(bytes: &[u8]) -> Result<(), String> {
    static ENGINE: LazyLock<Engine> = LazyLock::new(|| engine_with(&rules()));
    ENGINE.calculate(bytes, true).map(drop).map_err(|problem| problem.detail.into())
}

fn tables() -> Vec<Vec<u8>> {
    let csv = "tributo;uf_origem;valor_produto;data_operacao\nicms;SP;1.234,56;10/03/2026\n\"ipi\";;\"7\";2026-03-10\n";
    let column =
        |name: &str| TableColumn { name: name.to_owned(), kind: ColumnKind::Text, choices: Vec::new(), width: 12 };
    let head = TableHead { name: "Lista".to_owned(), columns: ["uf", "data"].map(column).to_vec(), frozen: (1, 0) };
    let rows = vec![["SP", "10/03/2026"].map(|text| Cell::Text(text.to_owned().into())).to_vec()];
    let mut xlsx = Cursor::new(Vec::new());
    sheet::write_xlsx(&[Table { head, rows }], &mut xlsx).unwrap();
    vec![csv.into(), xlsx.into_inner()]
}

fn read_table(bytes: &[u8]) -> Result<(), String> {
    let mut rows = Vec::new();
    let mut take = |row: sheet::Row<'_>| {
        rows.push(row.into_owned());
        ControlFlow::Continue(())
    };
    sheet::read(Cursor::new(bytes), None, &mut take).map_err(|e| e.to_string())?;
    // A table of payloads is not one of rules: each fault has a sentence.
    let faults = rule_sheets::read(&rows).err().unwrap_or_default();
    assert!(faults.iter().all(|fault| !fault.detail.is_empty()));
    Ok(())
}

fn read_document(bytes: &[u8]) -> Result<(), String> {
    let _ = nfe::cancelled_keys(bytes, nfe::XmlLimits::default());
    nfe::read(bytes).map(drop).map_err(|fault| fault.detail)
}

fn companies() -> Vec<Vec<u8>> {
    let file = "[[empresa]]\ncnpj = \"11.222.333\"\nregime_pis_cofins = \"cumulativo\"\ncontribuinte_ipi = true\n";
    let table = "CNPJ;Regime;IPI;Regime especial: tributo;Regime especial: desde;Regime especial: até\n\
                 11.222.333/0001-81;lucro real;sim;icms;01/01/2025;31/12/2026\n";
    vec![file.into(), table.into()]
}

fn read_companies(bytes: &[u8]) -> Result<(), String> {
    let parsed = Companies::parse(bytes);
    parsed.map(drop).map_err(|faults| faults.into_iter().map(|(_, sentence)| String::from(sentence)).collect())
}

/// A private key and its public one.
static KEYS: LazyLock<(String, String)> = LazyLock::new(|| signature::generate().unwrap());

fn signatures() -> Vec<Vec<u8>> {
    vec![signature::sign(&KEYS.0, b"bundle").unwrap().into_bytes()]
}

fn read_signature(bytes: &[u8]) -> Result<(), String> {
    let trusted = [signature::TrustedKey { name: "firma".to_owned(), public_key: KEYS.1.clone() }];
    match signature::verify(Some(text(bytes)?), b"bundle", &trusted).map_err(|e| e.to_string())? {
        signature::Signer::Nobody => Err("no signature".to_owned()),
        _ => Ok(()),
    }
}

fn read_public_key(bytes: &[u8]) -> Result<(), String> {
    signature::read_public(text(bytes)?).map(drop).map_err(|e| e.to_string())
}

fn keys() -> Vec<Vec<u8>> {
    vec![ApiKey::generate(KeyKind::Live).unwrap().reveal().into()]
}

fn read_key(bytes: &[u8]) -> Result<(), String> {
    ApiKey::parse(text(bytes)?).map(drop).ok_or_else(|| "no key".to_owned())
}

fn read_instant(bytes: &[u8]) -> Result<(), String> {
    Timestamp::parse(text(bytes)?).map(drop)
}

fn read_rule_id(bytes: &[u8]) -> Result<(), String> {
    RuleId::parse(text(bytes)?).map(drop).ok_or_else(|| "no rule id".to_owned())
}

fn read_number(bytes: &[u8]) -> Result<(), String> {
    sheet::parse_number(text(bytes)?).map(drop)
}

fn read_date(bytes: &[u8]) -> Result<(), String> {
    sheet::parse_date(text(bytes)?).map(drop)
}

fn control_messages() -> Vec<Vec<u8>> {
    let show = AccountCommand::Show { account: "Filial Norte".to_owned(), recent: 10 };
    let publish = ImportCommand { dry_run: true, ..ImportCommand::default() };
    let messages = [Command::Status, Command::Account(show), Command::Import(publish)];
    messages.map(|message| serde_json::to_vec(&message).unwrap()).to_vec()
}

fn read_control_message(bytes: &[u8]) -> Result<(), String> {
    serde_json::from_slice::<Command>(bytes).map(drop).map_err(|e| e.to_string())
}

fn log_blocks() -> Vec<Vec<u8>> {
    let call = LoggedCall {
        seq: 7,
        at_ms: 1_795_000_000_000,
        key_id: "key_0123456789ab",
        method: "POST",
        path: "/v1/calculate",
        status: 200,
        latency_us: 350,
        cached: false,
        rule_id: "icms-sp-geral-v1.0",
        request: "{\"tributo\":\"icms\"}",
    };
    let block = |calls: u64| encode_block((0..calls).map(|more| LoggedCall { seq: 7 + more, ..call })).unwrap();
    vec![block(1), block(200)]
}

fn read_log_block(bytes: &[u8]) -> Result<(), String> {
    decode_block(bytes).map(drop).map_err(|e| e.to_string())
}
