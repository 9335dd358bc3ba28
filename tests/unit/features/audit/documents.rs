//! Made documents. Their CNPJ is not assigned, and no name is that of a company.

use std::fmt::Write;

/// An item of a made document: the inside of `prod` and of `imposto`.
#[derive(Debug, Clone, Default)]
pub struct Item {
    pub produto: Vec<(&'static str, String)>,
    pub imposto: String,
}

/// A made NF-e.
#[derive(Debug, Clone)]
pub struct Note {
    pub data: &'static str,
    pub crt: u8,
    pub id_dest: u8,
    pub uf_origem: &'static str,
    pub uf_destino: &'static str,
    pub ind_final: u8,
    pub ind_ie_dest: u8,
    pub fin: u8,
    pub modelo: &'static str,
    pub items: Vec<Item>,
    pub total: String,
    /// Elements of `ide` beside those that every document has.
    pub ide: &'static str,
}

impl Default for Note {
    fn default() -> Note {
        Note {
            data: "2026-03-10T23:30:00-03:00",
            crt: 3,
            id_dest: 1,
            uf_origem: "SP",
            uf_destino: "SP",
            ind_final: 0,
            ind_ie_dest: 1,
            fin: 1,
            modelo: "55",
            items: vec![sale()],
            total: TOTAL.to_owned(),
            ide: "",
        }
    }
}

/// Totals that fit [`sale`].
pub const TOTAL: &str = "<ICMSTot><vBC>1000.00</vBC><vICMS>180.00</vICMS><vProd>1000.00</vProd><vFrete>0.00</vFrete>\
<vIPI>0.00</vIPI><vPIS>13.53</vPIS><vCOFINS>62.32</vCOFINS><vNF>1000.00</vNF></ICMSTot>\
<IBSCBSTot><vBCIBSCBS>744.15</vBCIBSCBS><gIBS><gIBSUF><vIBSUF>0.74</vIBSUF></gIBSUF><gIBSMun><vIBSMun>0.00</vIBSMun></gIBSMun>\
<vIBS>0.74</vIBS></gIBS><gCBS><vCBS>6.70</vCBS></gCBS></IBSCBSTot>";

pub const ICMS: &str = "<ICMS><ICMS00><orig>0</orig><CST>00</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMS>180.00</vICMS></ICMS00></ICMS>";
pub const PIS: &str = "<PIS><PISAliq><CST>01</CST><vBC>820.00</vBC><pPIS>1.65</pPIS><vPIS>13.53</vPIS></PISAliq></PIS>";
pub const COFINS: &str = "<COFINS><COFINSAliq><CST>01</CST><vBC>820.00</vBC><pCOFINS>7.60</pCOFINS><vCOFINS>62.32</vCOFINS></COFINSAliq></COFINS>";
pub const IBSCBS: &str = "<IBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib><gIBSCBS><vBC>744.15</vBC>\
<gIBSUF><pIBSUF>0.1000</pIBSUF><vIBSUF>0.74</vIBSUF></gIBSUF><gIBSMun><pIBSMun>0.0000</pIBSMun><vIBSMun>0.00</vIBSMun></gIBSMun>\
<vIBS>0.74</vIBS><gCBS><pCBS>0.9000</pCBS><vCBS>6.70</vCBS></gCBS></gIBSCBS></IBSCBS>";

/// A sale in SP for resale of goods under the general rate: every figure is right.
pub fn sale() -> Item {
    Item {
        produto: vec![
            ("cProd", "P1".to_owned()),
            ("NCM", "39269090".to_owned()),
            ("CFOP", "5102".to_owned()),
            ("qCom", "10.0000".to_owned()),
            ("vUnCom", "100.0000000000".to_owned()),
            ("vProd", "1000.00".to_owned()),
            ("indTot", "1".to_owned()),
        ],
        imposto: [ICMS, PIS, COFINS, IBSCBS].concat(),
    }
}

impl Item {
    /// The item with another value of a field of `prod`.
    #[must_use]
    pub fn with(mut self, field: &'static str, value: &str) -> Item {
        self.produto.retain(|(name, _)| *name != field);
        self.produto.push((field, value.to_owned()));
        self
    }

    /// The item with a part of its taxes replaced.
    #[must_use]
    #[track_caller]
    pub fn taxed(mut self, from: &str, to: &str) -> Item {
        assert!(self.imposto.contains(from), "{from} is not in {}", self.imposto);
        self.imposto = self.imposto.replacen(from, to, 1);
        self
    }
}

impl Note {
    /// `NFe`, without a declaration before it.
    pub fn xml(&self) -> String {
        let mut out = format!(
            "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><infNFe versao=\"4.00\"><ide><mod>{}</mod><dhEmi>{}</dhEmi>\
             <tpNF>1</tpNF><idDest>{}</idDest><finNFe>{}</finNFe><indFinal>{}</indFinal>{}</ide>\
             <emit><CNPJ>11222333000181</CNPJ><enderEmit><UF>{}</UF></enderEmit><CRT>{}</CRT></emit>\
             <dest><enderDest><UF>{}</UF></enderDest><indIEDest>{}</indIEDest></dest>",
            self.modelo,
            self.data,
            self.id_dest,
            self.fin,
            self.ind_final,
            self.ide,
            self.uf_origem,
            self.crt,
            self.uf_destino,
            self.ind_ie_dest
        );
        for (item, number) in self.items.iter().zip(1..) {
            write!(out, "\n<det nItem=\"{number}\"><prod>").unwrap();
            for (name, value) in &item.produto {
                write!(out, "<{name}>{value}</{name}>").unwrap();
            }
            write!(out, "</prod><imposto>{}</imposto></det>", item.imposto).unwrap();
        }
        write!(out, "\n<total>{}</total></infNFe></NFe>", self.total).unwrap();
        out
    }
}

/// A note of one item, without totals.
pub fn with(item: Item) -> Note {
    Note { items: vec![item], total: String::new(), ..Note::default() }
}
