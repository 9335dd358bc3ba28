//! What the audit reads: documents of each layout, digital books, archives, distributions. Each is read by a whole run,
//! whose questions are refused, so that what is planned, crossed and added up is tried with damaged values, too.

use std::io::{Cursor, Write};

use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use taxd::base::problem::{ErrorCode, Problem};
use taxd::features::audit::{Companies, Layer, NamedFile, Run, Verdict};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::audit_run::audited_by;

/// Documents of a period of the books.
const NOTES: [&[u8]; 3] = [
    include_bytes!("../unit/features/audit/crossing/efd_nfe_101_venda.xml"),
    include_bytes!("../unit/features/audit/crossing/efd_nfe_9001_compra.xml"),
    include_bytes!("../golden/layouts/cte.xml"),
];

/// Books of both kinds.
pub fn books() -> Vec<Vec<u8>> {
    let icms = include_bytes!("../unit/features/audit/crossing/efd_icms_ipi.txt");
    let contributions = include_bytes!("../unit/features/audit/crossing/efd_contribuicoes.txt");
    vec![icms.to_vec(), contributions.to_vec()]
}

/// A document of each layout.
pub fn documents() -> Vec<Vec<u8>> {
    let service = "<CompNfse><Nfse><InfNfse><Competencia>2026-03-31</Competencia><Servico><Valores><ValorServicos>1000.00</ValorServicos>\
        <Aliquota>5.00</Aliquota></Valores><ItemListaServico>1.07</ItemListaServico></Servico></InfNfse></Nfse></CompNfse>";
    let layouts = [
        include_str!("../golden/layouts/cfe_sat.xml"),
        include_str!("../golden/layouts/cte.xml"),
        include_str!("../golden/layouts/cte_os.xml"),
        include_str!("../golden/layouts/evento_cancelamento_cte.xml"),
        include_str!("../golden/layouts/nfse_ginfes.xml"),
        include_str!("../golden/layouts/nfse_ipm.xml"),
        include_str!("../golden/layouts/nfse_issnet.xml"),
        include_str!("../golden/layouts/nfse_nacional_ibscbs.xml"),
        include_str!("../golden/layouts/nfse_paulistana.xml"),
        include_str!("../golden/layouts/nfse_paulistana_v2.xml"),
    ];
    let texts = layouts.into_iter().chain([service]).map(Vec::from);
    texts.chain(NOTES[..2].iter().map(|note| note.to_vec())).collect()
}

/// A ZIP of documents and books, and one in another.
pub fn archives() -> Vec<Vec<u8>> {
    let of = |files: Vec<(&str, Vec<u8>)>| {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            archive.start_file(name, SimpleFileOptions::default()).unwrap();
            archive.write_all(&bytes).unwrap();
        }
        archive.finish().unwrap().into_inner()
    };
    let within = of(vec![("nota.xml", NOTES[0].to_vec()), ("efd.txt", books().remove(0))]);
    vec![within.clone(), of(vec![("compra.xml", NOTES[1].to_vec()), ("mes.zip", within)])]
}

/// Audits a file beside notes of the books. Fails with what could not be read of it.
pub fn read_audited(bytes: &[u8]) -> Result<(), String> {
    const COMPANY: &str = "[[empresa]]\ncnpj = \"12345678\"\nregime_pis_cofins = \"nao_cumulativo\"\n";
    let notes = NOTES.iter().map(|note| NamedFile::in_memory("nota.xml", note));
    let files: Vec<NamedFile<'_>> = std::iter::once(NamedFile::in_memory("", bytes)).chain(notes).collect();
    let run = Run { companies: Companies::parse(COMPANY).unwrap(), ..Run::default() };
    let lines = audited_by(&run, &files, |_| Err(Box::new(Problem::new(ErrorCode::RegraInexistente, "nenhuma regra"))));
    let defect = lines.iter().find(|line| line.codigo == Some("erro_interno"));
    assert!(defect.is_none(), "{defect:?}");
    let unread = lines.iter().find(|line| line.camada == Layer::Arquivo && line.veredito == Verdict::Recusado);
    unread.map_or(Ok(()), |line| Err(line.detalhe.clone()))
}

/// Audits a document in a distribution.
pub fn read_packed(bytes: &[u8]) -> Result<(), String> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).map_err(|error| error.to_string())?;
    let packed = BASE64.encode(&gzip.finish().map_err(|error| error.to_string())?);
    let lot = format!("<loteDistDFeInt><docZip NSU=\"1\">{packed}</docZip></loteDistDFeInt>");
    read_audited(format!("<retDistDFeInt><cStat>138</cStat>{lot}</retDistDFeInt>").as_bytes())
}
