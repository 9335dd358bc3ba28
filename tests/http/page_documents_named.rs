//! The page's documents: files beside the notes, by name.

use serde_json::{Value, json};

use super::page_documents::{end, events, send};
use crate::support::{DataDir, Reply, zip_of};

/// They once were damaged XML, and in an archive nothing was said of them.
#[test]
fn a_file_that_is_not_a_note_is_called_by_its_name() {
    let server = DataDir::served();
    let efd =
        b"|0000|017|0|01012026|31012026|EMPRESA|11222333000181||SP|1|3550308|||A|0|\n|C001|1|\n|D001|1|\n|E001|1|\n\
        |H001|1|\n|1001|1|\n|9001|1|\n|9999|8|\n";
    let files: [(&str, &[u8]); 6] = [
        ("EFD.txt", efd),
        ("mdfe.xml", b"<mdfeProc><MDFe><infMDFe/></MDFe></mdfeProc>"),
        ("danfe.pdf", b"%PDF-1.7"),
        ("notas.rar", b"Rar!"),
        ("resumo.xml", b"<resNFe><chNFe>1</chNFe></resNFe>"),
        ("ipm.xml", b"<nfse><nf><numero>1</numero></nf></nfse>"),
    ];
    let said = |reply: &Reply| -> Vec<String> {
        let text = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
        let line = |line: &Value| [text(line, "veredito"), text(line, "codigo"), text(line, "detalhe")].join(" ");
        events(reply, "linha").iter().map(line).collect()
    };
    let sent = send(&server, &files);
    let lines = said(&sent);
    let wanted = [
        "nao_se_aplica escrituracao é uma EFD ICMS/IPI",
        "nao_se_aplica outro_documento é um MDF-e",
        "nao_se_aplica arquivo_nao_lido é um PDF",
        "recusado arquivo_compactado é um arquivo RAR, que não é aberto: extraia",
        "nao_se_aplica outro_documento é um resumo de nota",
        "recusado leiaute_nao_lido é uma NFS-e do leiaute da IPM",
    ];
    for (line, wanted) in lines.iter().zip(wanted) {
        assert!(line.starts_with(wanted), "{line} is not {wanted}");
    }
    assert_eq!(lines.len(), wanted.len());
    let archive = zip_of(files.iter().map(|(name, bytes)| ((*name).to_owned(), *bytes)));
    let packed = send(&server, &[("mes.zip", &archive)]);
    assert_eq!(said(&packed), lines, "an archive says the same");
    let end_of = end(&packed);
    let sums = &end_of["empresas"][0]["tributos"][0];
    assert_eq!((&sums["nao_se_aplica"], &sums["recusado"]), (&json!(4), &json!(2)), "each is counted: {end_of}");
    assert_eq!(end_of["documentos"], 0, "none uses up a call");
}

/// Archives within an archive expand to a temporary file: their bytes count as those of any entry, though none opens.
#[test]
fn archives_within_an_archive_expand_within_the_limit() {
    let server = DataDir::served();
    let mut blank = b"PK\x03\x04".to_vec();
    blank.resize(60 << 20, 0);
    let archive = zip_of((0..12).map(|number| (format!("{number}.zip"), blank.as_slice())));
    let lines = events(&send(&server, &[("mes.zip", &archive)]), "linha");
    let codes: Vec<&str> = lines.iter().map(|line| line["codigo"].as_str().unwrap()).collect();
    assert_eq!(codes.last(), Some(&"zip_grande_demais"), "{codes:?}");
    assert!(codes.len() < 11, "{codes:?}");
    let large = zip_of([("largo.zip".to_owned(), [blank.as_slice(), &blank].concat().as_slice())]);
    let lines = events(&send(&server, &[("mes.zip", &large)]), "linha");
    assert_eq!(lines[0]["codigo"], "zip_grande_demais");
    assert!(lines[0]["detalhe"].as_str().unwrap().contains("64 MiB"), "{lines:?}");
}
