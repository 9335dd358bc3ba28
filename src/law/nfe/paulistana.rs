//! The NFS-e of the layout of São Paulo (versions 1 and 2), as the NFS-e of ABRASF that says the same.
//!
//! Its code of the service is the city's own, and no table leads from it to the list of LC 116/2003: only the arithmetic of
//! such a document is checked, and in version 2 CBS and IBS on the base that it declares.

use rust_decimal::Decimal;

use super::reforma_servico::ReformaDoServico;
use super::rewrite::{moved, put};
use super::servico::NotaDeServico;
use super::status::DocumentStatus;
use super::tags::decimal;
use super::xml::Element;
use crate::base::value::{format_decimal, parse_decimal};

const SAO_PAULO: &str = "3550308";

/// Elements with another place in an NFS-e of ABRASF 2: from, to.
const MOVED: [(&str, &str); 19] = [
    ("ChaveNFe/NumeroNFe", "Numero"),
    ("DataEmissaoNFe", "DataEmissao"),
    ("DataFatoGeradorNFe", "Competencia"),
    // Version 2 has one of the three.
    ("ValorInicialCobrado", "Servico/Valores/ValorServicos"),
    ("ValorFinalCobrado", "Servico/Valores/ValorServicos"),
    ("ValorServicos", "Servico/Valores/ValorServicos"),
    ("ValorDeducoes", "Servico/Valores/ValorDeducoes"),
    ("AliquotaServicos", "Servico/Valores/Aliquota"),
    ("ValorISS", "Servico/Valores/ValorIss"),
    ("ValorPIS", "Servico/Valores/ValorPis"),
    ("ValorCOFINS", "Servico/Valores/ValorCofins"),
    ("ValorINSS", "Servico/Valores/ValorInss"),
    ("ValorIR", "Servico/Valores/ValorIr"),
    ("ValorCSLL", "Servico/Valores/ValorCsll"),
    ("MunicipioPrestacao", "Servico/CodigoMunicipio"),
    ("CPFCNPJPrestador/CNPJ", "PrestadorServico/IdentificacaoPrestador/CpfCnpj/Cnpj"),
    ("CPFCNPJPrestador/CPF", "PrestadorServico/IdentificacaoPrestador/CpfCnpj/Cpf"),
    ("CPFCNPJTomador/CNPJ", "TomadorServico/IdentificacaoTomador/CpfCnpj/Cnpj"),
    ("CPFCNPJTomador/CPF", "TomadorServico/IdentificacaoTomador/CpfCnpj/Cpf"),
];

/// Codes that ABRASF writes otherwise: from, its code, to, the code of ABRASF. A code that is not listed is left out, and
/// what it says is then unknown.
const CODES: [(&str, &str, &str, &str); 15] = [
    ("ISSRetido", "true", "Servico/IssRetido", "1"),
    ("ISSRetido", "false", "Servico/IssRetido", "2"),
    ("ISSRetidoIntermediario", "true", "Servico/IssRetido", "1"),
    ("OpcaoSimples", "0", "OptanteSimplesNacional", "2"),
    ("OpcaoSimples", "4", "OptanteSimplesNacional", "1"),
    ("OpcaoSimples", "6", "OptanteSimplesNacional", "1"),
    ("TributacaoNFe", "T", "Servico/ExigibilidadeISS", "1"),
    ("TributacaoNFe", "F", "Servico/ExigibilidadeISS", "1"),
    ("TributacaoNFe", "A", "Servico/ExigibilidadeISS", "3"),
    ("TributacaoNFe", "B", "Servico/ExigibilidadeISS", "3"),
    ("TributacaoNFe", "P", "Servico/ExigibilidadeISS", "4"),
    ("TributacaoNFe", "M", "Servico/ExigibilidadeISS", "5"),
    ("TributacaoNFe", "N", "Servico/ExigibilidadeISS", "5"),
    ("TributacaoNFe", "X", "Servico/ExigibilidadeISS", "6"),
    ("TributacaoNFe", "V", "Servico/ExigibilidadeISS", "6"),
];

/// `TributacaoNFe` of what is taxed, exempt, immune or suspended in another municipality.
const ELSEWHERE: [&str; 4] = ["F", "B", "N", "V"];

/// Reads an element `NFe` of that layout, which has a `ChaveNFe`.
pub(super) fn read(nfe: &Element<'_>) -> NotaDeServico {
    let mut note = nfe.clone();
    moved(&mut note, &MOVED);
    for (from, code, to, abrasf) in CODES {
        if nfe.at(from) == Some(code) {
            put(&mut note, to, abrasf.into());
        }
    }
    if !nfe.at("TributacaoNFe").is_some_and(|code| ELSEWHERE.contains(&code)) {
        put(&mut note, "Servico/CodigoMunicipio", SAO_PAULO.into());
    }
    put(&mut note, "PrestadorServico/Endereco/CodigoMunicipio", SAO_PAULO.into());
    let amount = |path: &str| nfe.at(path).and_then(|text| parse_decimal(text).ok());
    if let Some(services) = amount("ValorServicos") {
        let base = services.saturating_sub(amount("ValorDeducoes").unwrap_or(Decimal::ZERO));
        put(&mut note, "Servico/Valores/BaseCalculo", format_decimal(base).into());
    }
    let key = ["InscricaoPrestador", "NumeroNFe", "CodigoVerificacao"].map(|name| nfe.at(&format!("ChaveNFe/{name}")));
    let key = key.into_iter().collect::<Option<Vec<&str>>>().map(|parts| parts.join("-"));
    let status = match nfe.at("StatusNFe") {
        // Cancelled, or lost.
        Some("C" | "E") => DocumentStatus::Cancelled,
        _ => DocumentStatus::Valid,
    };
    let mut unreadable = Vec::new();
    let reforma = ReformaDoServico::of_sao_paulo(nfe, &mut |path| decimal(nfe, path, &mut unreadable));
    let read = NotaDeServico::of_abrasf(&note);
    unreadable.extend(read.unreadable);
    // Codes beside `T` may be of a part of the tax, or of another town's.
    let por_outra_conta = read.por_outra_conta || nfe.at("TributacaoNFe") != Some("T");
    NotaDeServico { key: key.unwrap_or_default(), status, por_outra_conta, reforma, unreadable, ..read }
}
