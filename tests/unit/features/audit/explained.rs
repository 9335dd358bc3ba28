//! The one change of a fact that gives the figures of the document.

use super::audited;
use super::documents::{COFINS, IBSCBS, ICMS, Item, Note, PIS, sale, with};

/// The difference of a tax by the law: certainty, code of what explains it, and its sentence.
fn of(tributo: &str, note: &Note) -> [String; 3] {
    let lines = audited(&note.xml());
    let mut differing = lines.iter().filter(|line| line.camada.as_str() == "lei" && line.veredito.differs());
    let line = differing.find(|line| line.tributo == tributo).unwrap_or_else(|| panic!("{tributo}: {lines:#?}"));
    let found = line.explicacao.as_ref().map(|found| (found.codigo.to_owned(), found.detalhe.clone()));
    let (code, text) = found.unwrap_or_default();
    [line.certeza.unwrap().as_str().to_owned(), code, text]
}

fn icms(base: &str, rate: &str, amount: &str) -> String {
    ICMS.replace("1000.00", base).replace("18.00</pICMS>", &format!("{rate}</pICMS>")).replace("180.00", amount)
}

/// A sale of household goods from SP to BA, which owes 7 %.
fn to_bahia(item: Item, rate: &str, amount: &str) -> Note {
    let item = item.with("NCM", "39241000").with("CFOP", "6102").taxed(ICMS, &icms("1000.00", rate, amount));
    Note { id_dest: 2, uf_destino: "BA", ..with(item) }
}

/// A sale within BA, which owes 20,5 % since 7 February 2024.
fn in_bahia(rate: &str, amount: &str) -> Note {
    Note { uf_origem: "BA", uf_destino: "BA", ..with(sale().taxed(ICMS, &icms("1000.00", rate, amount))) }
}

#[track_caller]
fn check(tributo: &str, note: &Note, certainty: &str, code: &str, words: &str) {
    let [seen, found, text] = of(tributo, note);
    assert_eq!((seen.as_str(), found.as_str()), (certainty, code), "{text}");
    assert!(text.contains(words), "{text}");
}

#[test]
fn a_part_of_the_price_that_is_in_the_base_or_not_is_named_with_its_law() {
    let out = |field: &'static str| to_bahia(sale().with(field, "100.00"), "7.00", "70.00");
    check("icms", &out("vFrete"), "regra_plena", "frete_fora_da_base", "deixa fora o frete");
    check("icms", &out("vOutro"), "regra_plena", "despesas_fora_da_base", "outras despesas");
    // Whether a discount depends on a condition is not on the document.
    check("icms", &out("vDesc"), "conferir", "desconto_na_base", "LC 87/1996, art. 13, § 1º, II, a");
    let pis = PIS.replace("820.00", "1000.00").replace("13.53", "16.50");
    check("pis", &with(sale().taxed(PIS, &pis)), "conferir", "icms_na_base", "RE 574.706");
    let cofins = COFINS.replace("820.00", "1000.00").replace("62.32", "76.00");
    check("cofins", &with(sale().taxed(COFINS, &cofins)), "conferir", "icms_na_base", "Lei 14.592/2023");
    let whole = IBSCBS.replace("744.15", "1000.00").replace("0.74", "1.00").replace("6.70", "9.00");
    for tributo in ["cbs", "ibs"] {
        let note = with(sale().taxed(IBSCBS, &whole));
        check(tributo, &note, "regra_plena", "tributos_na_base", "LC 214/2025, art. 12, § 2º");
    }
}

#[test]
fn another_version_of_the_rule_is_named_with_its_days() {
    check("icms", &in_bahia("19.00", "190.00"), "conferir", "versao_anterior", "19% valia até 06/02/2024 (Lei");
    check("icms", &in_bahia("18.00", "180.00"), "conferir", "versao_anterior", "18% valia até 21/03/2023 (Lei");
    let early = Note { data: "2024-01-10T10:00:00-03:00", ..in_bahia("20.50", "205.00") };
    check("icms", &early, "conferir", "versao_posterior", "20,5% só vale desde 07/02/2024 (Lei");
}

/// What the document cannot refute is a difference to be checked; what it refutes stays certain.
#[test]
fn another_place_or_origin_is_named() {
    let note = |rate: &str, amount: &str| to_bahia(sale(), rate, amount);
    check("icms", &note("4.00", "40.00"), "conferir", "origem", "Resolução do Senado Federal 13/2012");
    check("icms", &note("18.00", "180.00"), "regra_plena", "uf_de_destino", "operação interna em SP");
    check("icms", &note("20.50", "205.00"), "regra_plena", "uf_de_origem", "operação interna em BA");
    check("icms", &note("12.00", "120.00"), "regra_plena", "regiao_de_destino", "ao Sul ou Sudeste");
}

#[test]
fn one_wrong_figure_beside_two_right_ones_is_named() {
    check("icms", &to_bahia(sale(), "7.00", "71.00"), "regra_plena", "figura_escrita", "só o valor");
    check("icms", &to_bahia(sale(), "8.00", "70.00"), "conferir", "figura_escrita", "só a alíquota");
    let base = ICMS.replace("1000.00", "900.00");
    check("icms", &with(sale().taxed(ICMS, &base)), "conferir", "figura_escrita", "só a base");
}

/// Two wrong figures have no one change that explains them: none is made up.
#[test]
fn a_difference_that_nothing_explains_is_left_as_it_is() {
    let group = icms("900.00", "9.00", "81.00");
    let item = sale().with("NCM", "39241000").with("CFOP", "6102").taxed(ICMS, &group);
    check("icms", &Note { id_dest: 2, uf_destino: "BA", ..with(item) }, "regra_plena", "", "");
}

/// No change of a fact gives 9 %, and the rest is as the rule has it. An amount of the item may be what the base has more.
#[test]
fn the_one_figure_that_is_not_that_of_the_rule_is_named() {
    let words = "só a alíquota não é: 9% e não 7% (";
    check("icms", &to_bahia(sale(), "9.00", "90.00"), "regra_plena", "so_a_aliquota", words);
    let other = icms("1111.00", "7.00", "77.77");
    let item = sale().with("NCM", "39241000").with("CFOP", "6102").taxed(ICMS, &other);
    let other = Note { id_dest: 2, uf_destino: "BA", ..with(item) };
    check("icms", &other, "regra_plena", "so_a_base", "a base é 1.111,00, e a da regra 1.000,00");
    let none = "<ICMS><ICMS00><orig>0</orig><CST>00</CST><vBC>0.00</vBC><pICMS>0.00</pICMS><vICMS>0.00</vICMS></ICMS00></ICMS>";
    check("icms", &with(sale().taxed(ICMS, none)), "conferir", "sem_destaque", "a regra pede 180,00 (");
    let reduced = "<pCBS>0.9000</pCBS><gRed><pRedAliq>60.0000</pRedAliq><pAliqEfet>0.3600</pAliqEfet></gRed><vCBS>2.68";
    let note = with(sale().taxed("<pCBS>0.9000</pCBS><vCBS>6.70", reduced));
    check("cbs", &note, "regra_plena", "so_a_reducao", "só a redução não é");
}

/// What leaves the base of PIS and COFINS beside the own ICMS, or in its place.
#[test]
fn another_amount_that_leaves_the_base_of_pis_is_named() {
    let pis = |base: &str, amount: &str| PIS.replace("820.00", base).replace("13.53", amount);
    // ICMS of 12 % in place of 18 %.
    let note = with(sale().taxed(PIS, &pis("880.00", "14.52")));
    check("pis", &note, "conferir", "icms_de_outra_aliquota", "o ICMS de 12%");
    // R$ 1.000,00 from SP to a consumer of RJ: 120.00 to SP, and 80.00 to RJ.
    let group = "<ICMSUFDest><vBCUFDest>1000.00</vBCUFDest><pICMSUFDest>20.00</pICMSUFDest><pICMSInter>12.00</pICMSInter>\
        <pICMSInterPart>100.00</pICMSInterPart><vICMSUFDest>80.00</vICMSUFDest></ICMSUFDest>";
    let item = sale().with("CFOP", "6108").taxed(ICMS, &(icms("1000.00", "12.00", "120.00") + group));
    let item = item.taxed(PIS, &pis("800.00", "13.20"));
    let note = Note { id_dest: 2, uf_destino: "RJ", ind_final: 1, ind_ie_dest: 9, ..with(item) };
    check("pis", &note, "conferir", "difal_fora_da_base", "STJ, REsp 2.128.785");
}

/// A reduction that the document has and the rule does not know, written as the law means `pRedBC`, or as what is left.
#[test]
fn a_reduction_of_the_document_alone_is_named() {
    let reduced = |points: &str| {
        let group = icms("600.00", "7.00", "42.00").replace("<CST>00</CST>", "<CST>20</CST>");
        let group = group.replace("<vBC>", &format!("<pRedBC>{points}</pRedBC><vBC>")).replace("ICMS00", "ICMS20");
        let item = sale().with("NCM", "39241000").with("CFOP", "6102").taxed(ICMS, &group);
        Note { id_dest: 2, uf_destino: "BA", ..with(item) }
    };
    let [_, code, text] = of("icms", &reduced("40.00"));
    assert_eq!(code, "reducao_do_documento", "{text}");
    assert!(text.contains("reduz a base em 40% (pRedBC)") && text.contains("a carga é de 4,2%"), "{text}");
    let [_, code, text] = of("icms", &reduced("60.00"));
    assert_eq!(code, "reducao_do_documento", "{text}");
    assert!(text.contains("reduz a base a 60%"), "{text}");
    let [_, code, _] = of("icms", &reduced("30.00"));
    assert_ne!(code, "reducao_do_documento");
    let [_, code, _] = of("icms", &reduced("40.01"));
    assert_eq!(code, "reducao_do_documento", "the law may have more digits than the document");
    // Within the State, to who consumes.
    let group = icms("600.00", "18.00", "108.00").replace("<CST>00</CST>", "<CST>20</CST><pRedBC>40.00</pRedBC>");
    let [_, code, _] = of("icms", &Note { ind_final: 1, ind_ie_dest: 9, ..with(sale().taxed(ICMS, &group)) });
    assert_eq!(code, "reducao_do_documento");
}

/// An NFS-e of SP, whose rate is 2,9 %, by a company of Rio de Janeiro, whose rate is 5 %.
#[test]
fn the_rate_of_another_municipality_of_the_document_is_named() {
    let service = |provider: &str, rate: &str, amount: &str| {
        let xml = format!(
            "<CompNfse><Nfse><InfNfse><DataEmissao>2025-03-10T10:00:00</DataEmissao>\
             <OptanteSimplesNacional>2</OptanteSimplesNacional><Servico><Valores><ValorServicos>1000.00</ValorServicos>\
             <BaseCalculo>1000.00</BaseCalculo><Aliquota>{rate}</Aliquota><ValorIss>{amount}</ValorIss></Valores>\
             <ItemListaServico>1.07</ItemListaServico><CodigoMunicipio>3550308</CodigoMunicipio></Servico><PrestadorServico>\
             <IdentificacaoPrestador><Cnpj>11222333000181</Cnpj></IdentificacaoPrestador><Endereco>\
             <CodigoMunicipio>{provider}</CodigoMunicipio></Endereco></PrestadorServico></InfNfse></Nfse></CompNfse>"
        );
        let lines = audited(&xml);
        let line = lines.into_iter().find(|line| line.tributo == "iss" && line.camada.as_str() == "lei").unwrap();
        let found = line.explicacao.map(|found| (found.codigo, found.detalhe));
        found.unwrap_or_default()
    };
    let (code, text) = service("3304557", "5.00", "50.00");
    assert_eq!((code, text.as_str()), ("municipio", "é o ISS de Rio de Janeiro, o município do prestador"));
    assert_eq!(service("3550308", "5.00", "50.00").0, "so_a_aliquota");
    assert_eq!(service("3304557", "2.90", "29.00").0, "");
}
