//! `taxd_law::nfe`: documents of every layout, and hostile ones.

mod cfe_sat;
mod cte;
mod ipm;
mod packed;
mod paulistana;
mod services;
mod status;

use taxd_law::nfe::{self, FiscalDocument, MAX_DEPTH, MAX_XML_BYTES, NotaFiscal, Tag, TotalTag, XmlLimits};

const NOTE: &str = "<NFe><infNFe><ide><mod>55</mod><dhEmi>2026-03-31T23:59:59-03:00</dhEmi><tpNF>1</tpNF><idDest>1</idDest></ide>\
<emit><CNPJ>11222333000181</CNPJ><enderEmit><UF>SP</UF></enderEmit><CRT>3</CRT></emit>\n<det nItem=\"7\"><prod><cProd>A&amp;B</cProd>\
<vProd>10.50</vProd></prod><imposto><ICMS><ICMS00><CST>00</CST><vICMS>1.89</vICMS></ICMS00></ICMS></imposto></det>\
<total><ICMSTot><vProd>10.50</vProd></ICMSTot></total></infNFe></NFe>";

#[track_caller]
fn note(bytes: &[u8]) -> NotaFiscal {
    match nfe::read(bytes).unwrap().remove(0) {
        FiscalDocument::Nota(note) => *note,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(text: &str) -> &'static str {
    nfe::read(text.as_bytes()).unwrap_err().codigo
}

/// A report named documents by their files alone, which people do not know them by.
#[test]
fn a_document_has_the_number_and_series_that_people_call_it_by() {
    let of = |xml: &str| nfe::read(xml.as_bytes()).unwrap()[0].numero().cloned().unwrap();
    let numbered = of(&NOTE.replace("<mod>", "<serie>1</serie><nNF> 1234 </nNF><mod>"));
    assert_eq!((numbered.numero.as_str(), numbered.serie.as_str()), ("1234", "1"));
    assert_eq!(of(NOTE), nfe::DocumentNumber::default());
    let long = of(&NOTE.replace("<mod>", &format!("<nNF>{}</nNF><mod>", "é".repeat(99))));
    assert_eq!(long.numero, "é".repeat(15));
    assert_eq!(of("<NFSe><infNFSe><nNFSe>77</nNFSe></infNFSe></NFSe>").numero, "77");
    assert_eq!(of("<CompNfse><Nfse><InfNfse><Numero>88</Numero></InfNfse></Nfse></CompNfse>").numero, "88");
}

#[test]
fn a_note_is_read_in_every_envelope_and_encoding() {
    let plain = note(NOTE.as_bytes());
    assert_eq!(plain.day.unwrap().to_string(), "2026-03-31", "the local day, though it is April in UTC");
    let item = &plain.items[0];
    assert_eq!((item.number, item.line, item.codigo.as_str(), item.cst_icms.as_str()), (7, 2, "A&B", "00"));
    assert_eq!(item.figures.get(Tag::IcmsValor).unwrap().to_string(), "1.89");
    assert_eq!(plain.totals.get(TotalTag::Produtos).unwrap().to_string(), "10.50");
    let declared = |encoding: &str| format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?>");
    let mut latin = (declared("ISO-8859-1") + &NOTE.replace("A&amp;B", "A&amp;B<xNome>S")).into_bytes();
    // A name with a letter that is not ASCII, in ISO-8859-1.
    let name = latin.windows(8).position(|bytes| bytes == b"<xNome>S").unwrap() + 8;
    latin.splice(name..name, *b"\xe3o</xNome>");
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(NOTE.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let prefixed = NOTE.replace("</", "</ns:").replace('<', "<ns:").replace("<ns:/ns:", "</ns:");
    let unmarked = |order: fn(u16) -> [u8; 2]| NOTE.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let forms: [Vec<u8>; 8] = [
        format!("\u{feff}{}{NOTE}", declared("UTF-8")).into_bytes(),
        format!("<nfeProc><NFe>{NOTE}</NFe><protNFe/></nfeProc>").into_bytes(),
        format!("<soap:Envelope xmlns:soap=\"x\"><soap:Body>{NOTE}</soap:Body></soap:Envelope>").into_bytes(),
        prefixed.into_bytes(),
        utf16,
        unmarked(u16::to_le_bytes),
        unmarked(u16::to_be_bytes),
        latin,
    ];
    for form in forms {
        assert_eq!(note(&form).items[0].figures, item.figures, "{}", String::from_utf8_lossy(&form));
    }
    assert_eq!(nfe::read(format!("<enviNFe>{NOTE}{NOTE}{NOTE}</enviNFe>").as_bytes()).unwrap().len(), 3);
}

#[test]
fn a_figure_that_is_not_a_number_is_a_fault_of_its_field_alone() {
    let read = note(NOTE.replace("1.89", "1,89").as_bytes());
    let item = &read.items[0];
    let faults: Vec<(&str, u32)> = item.unreadable.iter().map(|fault| (fault.name.as_str(), fault.line)).collect();
    assert_eq!(faults, [("vICMS", 2)]);
    assert_eq!((item.figures.get(Tag::IcmsValor), item.figures.get(Tag::Produto).is_some()), (None, true));
    let undated = note(NOTE.replace("2026-03-31", "31/03/2026").as_bytes());
    assert_eq!((undated.day, undated.unreadable.len()), (None, 1));
}

#[test]
fn a_figure_is_the_first_of_its_path_whichever_group_has_it() {
    let groups = "<ICMS00><CST>00</CST></ICMS00><ICMS10><vICMS>2.50</vICMS><vBC>1.25</vBC></ICMS10><ICMS20><vBC>9.75</vBC></ICMS20>";
    let read = note(NOTE.replace("<ICMS00><CST>00</CST><vICMS>1.89</vICMS></ICMS00>", groups).as_bytes());
    let figures =
        [Tag::IcmsValor, Tag::IcmsBase, Tag::IcmsAliquota].map(|tag| read.items[0].figures.or_zero(tag).to_string());
    assert_eq!(figures, ["2.50", "1.25", "0"]);
}

#[test]
fn hostile_xml_is_refused_by_name() {
    let bomb = "<!DOCTYPE l [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>";
    assert_eq!(refused(&format!("{bomb}{}", NOTE.replace("A&amp;B", "&b;"))), "xml_com_dtd");
    assert_eq!(refused(&NOTE.replace("&amp;", "&b;")), "xml_invalido");
    assert_eq!(refused(&"<a>".repeat(100_000)), "xml_fundo_demais");
    assert_eq!(refused(&format!("{}{NOTE}{}", "<a>".repeat(MAX_DEPTH), "</a>".repeat(MAX_DEPTH))), "xml_fundo_demais");
    assert_eq!(refused(&format!("<r>{}</r>", "<a/>".repeat(1_000_001))), "xml_grande_demais");
    assert_eq!(refused(&" ".repeat(MAX_XML_BYTES + 1)), "arquivo_grande_demais");
    for broken in [
        "",
        " \n",
        "nota",
        "<a>",
        "<a></b>",
        "<a",
        "%PDF-1.7",
        &NOTE[..NOTE.len() - 9],
        "\0\0\0",
        &NOTE.replace("A&amp;B", "A\0B"),
    ] {
        assert_eq!(refused(broken), "xml_invalido", "{broken:?}");
    }
    assert_eq!(refused("<html/>"), "documento_desconhecido");
}

/// Attributes and namespaces are skipped. A parser that compares each with all others takes minutes.
#[test]
fn a_million_attributes_and_many_namespaces_change_nothing() {
    let attributes = (0..1_000_000).fold(String::new(), |text, number| text + &format!(" a{number}=\"\""));
    let prefixes = (0..50_000).fold(String::new(), |text, number| text + &format!(" xmlns:p{number}=\"{number}\""));
    let children = "<x xmlns:p=\"p\"/>".repeat(50_000);
    for wide in [format!("<imposto{attributes}>"), format!("<imposto{prefixes}>{children}")] {
        let wide = NOTE.replace("<imposto>", &wide);
        assert_eq!(note(wide.as_bytes()).items, note(NOTE.as_bytes()).items);
    }
}

/// Files as people have them: copied from a message whose prefixes they keep, or pasted into another file.
#[test]
fn a_document_that_is_almost_well_formed_is_read() {
    let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    let prefixed = NOTE.replace("<infNFe>", "<ns2:infNFe>").replace("</infNFe>", "</ns2:infNFe>");
    let forms = [
        format!("\r\n {declaration}{NOTE}"),
        format!("<enviNFe>{declaration}{NOTE}</enviNFe>"),
        format!("{declaration}{prefixed}"),
        NOTE.replace("<prod>", "<prod xsi:nil=\"false\"><xProd>\u{1f}]]></xProd><!-- -- -->"),
        NOTE.replace("nItem=\"7\"", "nItem=\"7\" nItem=\"7\""),
    ];
    for form in forms {
        let (read, plain) = (note(form.as_bytes()), note(NOTE.as_bytes()));
        assert_eq!((&read.items[0].figures, read.items[0].number), (&plain.items[0].figures, 7), "{form}");
    }
}

/// A text that the layout does not allow as a figure or a day is a fault of its field.
#[test]
fn strange_figures_and_days_are_faults_of_their_fields() {
    for figure in ["1e308", "1E2", "0x10", "NaN", "-", "+1.89", "1.8.9", "١٨٩", "1 89", &"9".repeat(100)] {
        let read = note(NOTE.replace("1.89", figure).as_bytes());
        let item = &read.items[0];
        assert_eq!((item.figures.get(Tag::IcmsValor), item.unreadable.len()), (None, 1), "{figure}");
    }
    for day in ["2026-02-30", "2026-13-01", "0000-00-00", "99999-01-01", "hoje"] {
        let read = note(NOTE.replace("2026-03-31", day).as_bytes());
        assert_eq!((read.day, read.unreadable.len()), (None, 1), "{day}");
    }
}

/// Every prefix of a document, and every byte of it replaced, is read or refused, and never a panic.
#[test]
fn damaged_documents_are_read_or_refused() {
    let bytes = NOTE.as_bytes();
    for at in 0..bytes.len() {
        let _ = nfe::read(&bytes[..at]);
        for damage in [b'<', b'>', b'&', b'"', 0, 0xff, b'/'] {
            let mut damaged = bytes.to_vec();
            damaged[at] = damage;
            let _ = nfe::read(&damaged);
        }
    }
}

#[test]
fn a_file_of_two_documents_without_a_root_is_refused() {
    let fault = nfe::read(b"<NFe><infNFe/></NFe>\n<NFe><infNFe/></NFe>").unwrap_err();
    assert_eq!(fault.codigo, "xml_invalido");
}

#[test]
fn a_small_file_with_very_many_items_is_refused_before_they_take_memory() {
    let xml = format!("<NFe><infNFe>{}</infNFe></NFe>", "<det/>".repeat(60_000));
    assert_eq!(nfe::read(xml.as_bytes()).unwrap_err().codigo, "xml_grande_demais");
    // The fault names the line where reading stopped: once the whole tree of a million items was built before it was refused.
    let two = XmlLimits { items: 2, ..XmlLimits::default() };
    let items = "<det/>\n".repeat(5);
    let fault = nfe::read_within(format!("<NFe>\n{items}</NFe>").as_bytes(), two).unwrap_err();
    assert_eq!((fault.codigo, fault.line), ("xml_grande_demais", 4));
}

/// What a fault says never has text of the document, which may be a name.
#[test]
fn a_fault_of_the_grammar_repeats_nothing_of_the_document() {
    let fault = nfe::read(b"<NFe><xNome>MARIA DA <SILVA</xNome></NFe>").unwrap_err();
    assert!(!fault.detail.contains("SILVA"), "{}", fault.detail);
}

/// An MDF-e names the notes that it carries in elements like those of a note: each was once a note without a date. All of
/// these once made the exit status that of an error.
#[test]
fn a_document_of_another_kind_is_known_by_its_name() {
    let named = "<infDoc><infNFe><chave>35250311222333000181550010000000011000000017</chave></infNFe></infDoc>";
    let other = |xml: &str| match nfe::read(xml.as_bytes()).unwrap().as_slice() {
        [FiscalDocument::Other(other)] => (other.detail.clone(), other.has_notes),
        found => panic!("{xml}: {found:?}"),
    };
    let inside = |root: &str| format!("<{root}/>");
    let cases = [
        ("<GTVeProc><GTVe><infCte/></GTVe></GTVeProc>".to_owned(), "é uma GTV-e;"),
        (format!("<mdfeProc><MDFe><infMDFe>{named}</infMDFe></MDFe></mdfeProc>"), "é um MDF-e;"),
        ("<bpeProc><BPe><infBPe/></BPe></bpeProc>".to_owned(), "é um BP-e;"),
        ("<nf3eProc><NF3e><infNF3e/></NF3e></nf3eProc>".to_owned(), "é uma NF3-e;"),
        ("<nfcomProc><NFCom><infNFCom/></NFCom></nfcomProc>".to_owned(), "é uma NFCom;"),
        ("<nfgasProc><NFGas><infNFGas/></NFGas></nfgasProc>".to_owned(), "é uma NFGas;"),
        ("<nfagProc><NFAg><infNFAg/></NFAg></nfagProc>".to_owned(), "é uma NFAg;"),
        ("<dceProc><DCe><infDCe/></DCe></dceProc>".to_owned(), "é uma DC-e;"),
        ("<DPS><infDPS/></DPS>".to_owned(), "é uma DPS"),
        ("<Rps><InfRps/></Rps>".to_owned(), "é um RPS"),
        ("<PedidoEnvioLoteRPS><RPS/></PedidoEnvioLoteRPS>".to_owned(), "é um RPS"),
        ("<inutNFe><infInut/></inutNFe>".to_owned(), "inutilização"),
        ("<ProcInutNFe><retInutNFe><infInut/></retInutNFe></ProcInutNFe>".to_owned(), "inutilização"),
        ("<resNFe><chNFe>1</chNFe><vNF>1.00</vNF></resNFe>".to_owned(), "resumo"),
        (inside("retEnviNFe"), "mensagem"),
        (inside("retConsSitNFe"), "consulta"),
        (inside("Reinf"), "EFD-Reinf"),
        (inside("eSocial"), "eSocial"),
        ("<retDistDFeInt><cStat>137</cStat></retDistDFeInt>".to_owned(), "retDistDFeInt"),
    ];
    for (xml, words) in cases {
        let (detail, has_notes) = other(&xml);
        assert!(detail.contains(words) && detail.contains("são conferidos NF-e"), "{xml}: {detail}");
        assert!(!has_notes, "{xml}");
        let wrapped = format!("<soap:Envelope xmlns:soap=\"x\"><soap:Body>{xml}</soap:Body></soap:Envelope>");
        assert_eq!(other(&wrapped).0, detail, "in an envelope");
    }
    let fault = nfe::read(b"<pedido/>").unwrap_err();
    assert_eq!(fault.codigo, "documento_desconhecido");
    assert!(fault.detail.contains("não tem NF-e"), "{}", fault.detail);
}

/// What was not read must not look as if there were no note.
#[test]
fn a_note_in_a_layout_that_is_not_read_is_named_and_stays_unread() {
    let cases = [("<nfse><nf><numero>10</numero></nf><itens><lista/></itens></nfse>", "NFS-e")];
    for (xml, words) in cases {
        let found = nfe::read(xml.as_bytes()).unwrap();
        let [FiscalDocument::Other(other)] = found.as_slice() else { panic!("{xml}: {found:?}") };
        assert!(other.has_notes && other.detail.contains(words), "{other:?}");
        assert!(!other.detail.contains("não tem NF-e"), "{other:?}");
    }
}

/// A note beside other documents is read, whatever they are.
#[test]
fn a_note_among_other_documents_is_read() {
    for other in ["<infMDFe/>", "<retConsSitNFe/>", "<retorno><numero_nfse>1</numero_nfse></retorno>", "<resNFe/>"] {
        let found = nfe::read(format!("<lote>{other}{NOTE}</lote>").as_bytes()).unwrap();
        assert!(matches!(found.as_slice(), [FiscalDocument::Nota(_)]), "{other}: {found:?}");
    }
}

/// Portals and mail programs that write out `&amp;`: 52 of 4,557 notes of one group had such a sign, and none was read.
#[test]
fn a_sign_that_is_not_escaped_is_itself() {
    for written in ["REAL & FILHOS", "A&B", "A && B", "FIM&", "E & F; G"] {
        assert_eq!(note(NOTE.replace("A&amp;B", written).as_bytes()).items[0].codigo, written);
    }
    assert_eq!(note(NOTE.replace("A&amp;B", "A & B &amp; C").as_bytes()).items[0].codigo, "A & B & C");
    // What looks like an entity is one, and entities are refused.
    assert_eq!(refused(&NOTE.replace("A&amp;B", "P&D;")), "xml_invalido");
}
