//! The bytes of a key.

use taxd_base::value::{Cest, Ex, ItemServico, Municipio, NcmPrefix, Uf};
use taxd_law::rule::{Chave, Dimension, DiscriminatorWord};
use taxd_law::tax;

#[test]
fn each_part_is_in_its_place_and_a_key_is_cut_before_it() {
    let iss = tax::find("iss").unwrap().tributo;
    let whole = Chave {
        tributo: iss,
        uf_origem: Some(Uf::SP),
        uf_destino: Some(Uf::RJ),
        municipio: Municipio::find(Uf::SP, "Campinas").ok(),
        palavra: Some(DiscriminatorWord { campo: "regime", valor: "fixo" }),
        ncm: NcmPrefix::parse("2203").ok(),
        ex: Ex::parse("01").ok(),
        item: ItemServico::parse("1.05").ok(),
        cest: Cest::parse("0302100").ok(),
        classificacao: None,
    };
    let parts = [
        (Dimension::Tributo, "iss"),
        (Dimension::UfOrigem, "SP"),
        (Dimension::UfDestino, "RJ"),
        (Dimension::Municipio, "3509502"),
        (Dimension::Palavra, "fixo"),
        (Dimension::Ncm, "2203"),
        (Dimension::Ex, "01"),
        (Dimension::Item, "1.05"),
        (Dimension::Cest, "0302100"),
    ];
    let mut written = Vec::new();
    for (dimension, part) in parts {
        assert_eq!(whole.bytes_before(dimension), written, "{dimension:?}");
        written.extend([part.as_bytes(), &[0]].concat());
    }
    assert_eq!(whole.bytes(), written);
    assert_eq!(Chave::of(iss).bytes(), b"iss\0\0\0\0\0\0\0\0\0");
    assert_eq!(Chave::of(iss).bytes_before(Dimension::Cest), b"iss\0\0\0\0\0\0\0\0");
}
