//! Made fiscal documents, and what is wrong in each.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// What no document says of its issuer.
pub const COMPANY: &str = "[[empresa]]\ncnpj = \"11222333000181\"\nregime_pis_cofins = \"nao_cumulativo\"\n";

/// A seeded error: the change in a right document, and all the lines that differ or cannot be read because of it, as
/// tax, verdict and code.
pub struct Seed {
    from: &'static str,
    to: &'static str,
    pub wanted: &'static [&'static str],
}

impl Seed {
    /// The document with its error.
    pub fn document(&self) -> String {
        assert!(RIGHT.contains(self.from), "{}", self.from);
        RIGHT.replace(self.from, self.to)
    }
}

pub const SEEDS: [Seed; 6] = [
    // The base of PIS and COFINS is without the declared ICMS, so it differs as well.
    Seed {
        from: "<pICMS>18.00</pICMS><vICMS>180.00",
        to: "<pICMS>12.00</pICMS><vICMS>120.00",
        wanted: &["icms diverge valor", "pis confere_aliquota base", "cofins confere_aliquota base"],
    },
    Seed {
        from: "<vBC>820.00</vBC><pPIS>1.65</pPIS><vPIS>13.53",
        to: "<vBC>1000.00</vBC><pPIS>1.65</pPIS><vPIS>16.50",
        wanted: &["pis confere_aliquota base"],
    },
    Seed {
        from: "<vCOFINS>62.32</vCOFINS></COFINSAliq>",
        to: "<vCOFINS>72.32</vCOFINS></COFINSAliq>",
        wanted: &["cofins diverge base_vezes_aliquota", "cofins diverge valor"],
    },
    Seed { from: "<NCM>39269090", to: "<NCM>99999999", wanted: &["ncm diverge ncm_inexistente"] },
    Seed { from: "<CRT>3", to: "<CRT>1", wanted: &["icms diverge crt_e_cst"] },
    Seed {
        from: "<vProd>1000.00</vProd><indTot>",
        to: "<vProd>mil</vProd><indTot>",
        wanted: &["documento recusado campo_ilegivel"],
    },
];

/// A document of which every figure is right.
pub const RIGHT: &str = "<nfeProc><NFe><infNFe><ide><mod>55</mod><dhEmi>2025-03-10T10:00:00-03:00</dhEmi><tpNF>1</tpNF>\
<idDest>1</idDest><finNFe>1</finNFe><indFinal>0</indFinal></ide><emit><CNPJ>11222333000181</CNPJ><xNome>SIGILO LTDA</xNome>\
<enderEmit><UF>SP</UF></enderEmit><CRT>3</CRT></emit><dest><CNPJ>99888777000166</CNPJ><enderDest><UF>SP</UF></enderDest><indIEDest>1</indIEDest></dest>\
<det nItem=\"1\"><prod><cProd>P1</cProd><NCM>39269090</NCM><CFOP>5102</CFOP><vProd>1000.00</vProd><indTot>1</indTot></prod><imposto>\
<ICMS><ICMS00><orig>0</orig><CST>00</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMS>180.00</vICMS></ICMS00></ICMS>\
<PIS><PISAliq><CST>01</CST><vBC>820.00</vBC><pPIS>1.65</pPIS><vPIS>13.53</vPIS></PISAliq></PIS>\
<COFINS><COFINSAliq><CST>01</CST><vBC>820.00</vBC><pCOFINS>7.60</pCOFINS><vCOFINS>62.32</vCOFINS></COFINSAliq></COFINS>\
</imposto></det></infNFe></NFe></nfeProc>";

/// A ZIP of files.
pub fn zip_of<'f>(files: impl IntoIterator<Item = (String, &'f [u8])>) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Files and texts of a form as a browser sends them, and their content type.
pub fn form_of(files: &[(&str, &[u8])], texts: &[(&str, &str)]) -> (String, Vec<u8>) {
    const BOUNDARY: &str = "----taxdFormBoundary7MA4YWxk";
    let mut body = Vec::new();
    for (name, text) in texts {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n");
        body.extend(head.into_bytes());
    }
    for (name, bytes) in files {
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"arquivo\"; filename=\"{name}\"\r\nContent-Type: text/xml\r\n\r\n"
        );
        body.extend([head.as_bytes(), bytes, b"\r\n"].concat());
    }
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    (format!("multipart/form-data; boundary={BOUNDARY}"), body)
}
