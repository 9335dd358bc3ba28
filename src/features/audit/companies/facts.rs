//! The facts of each company, from the entries of its file.

use std::collections::HashSet;

use rust_decimal::Decimal;

use super::entry::{CompanyEntry, CompanyReader, EntryField, EntryValue, FilePlace};
use crate::base::document::nearest;
use crate::base::sentence::Sentence;
use crate::base::value::{Date, parse_decimal};
use crate::law::nfe::{
    AnexoDeServicos, Contribuinte, MesDoSimples, PrecoNoVarejo, RegimeDasContribuicoes, RegimeDoContribuinte,
    tax_number,
};
use crate::law::tax::NAMES;

/// Most characters of a description or a name, which each line of a report may repeat.
const MAX_DESCRIPTION: usize = 200;
/// Digits of a CNPJ, and of its root, which all establishments of a company share.
const CNPJ_DIGITS: [usize; 2] = [14, 8];

impl CompanyReader {
    /// Reads an entry. Two of one CNPJ, or two without one, would contradict each other.
    /// Returns its CNPJ, its name and its facts.
    pub(super) fn company_of(
        &mut self,
        entry: &CompanyEntry,
        seen: &mut HashSet<String>,
    ) -> (String, String, Contribuinte) {
        let company = self.company(entry);
        if !seen.insert(company.0.clone()) {
            self.fault(&entry.place, "o arquivo já tem uma [[empresa]] com este CNPJ");
        }
        company
    }

    fn text<'f>(&mut self, field: &'f EntryField) -> Option<&'f str> {
        match &field.value {
            EntryValue::Text(text) => Some(text),
            _ => {
                self.fault(&field.place, "escreva o valor como um texto entre aspas");
                None
            }
        }
    }

    fn flag(&mut self, field: &EntryField) -> Option<bool> {
        match field.value {
            EntryValue::Flag(flag) => Some(flag),
            _ => {
                self.fault(&field.place, Sentence::both("escreva true ou false", "escolha sim ou não"));
                None
            }
        }
    }

    fn day(&mut self, field: &EntryField) -> Option<Date> {
        let text = self.text(field)?;
        Date::parse(text).map_err(|detail| self.fault(&field.place, detail)).ok()
    }

    /// A period that ends before it begins would never apply.
    fn period(&mut self, at: &FilePlace, desde: Option<Date>, ate: Option<Date>) {
        if let (Some(desde), Some(ate)) = (desde, ate)
            && ate < desde
        {
            let detail = Sentence::of(|to| {
                let (desde, ate) = (desde.read_by(to), ate.read_by(to));
                format!(
                    "o período nunca vale: `ate`, {ate}, vem antes de `desde`, {desde}; troque as datas, ou retire `ate` se ele dura"
                )
            });
            self.fault(at, detail);
        }
    }

    fn unknown(&mut self, field: &EntryField, known: &[&'static str]) {
        let key = &field.name;
        let near = nearest(key, known.iter().copied()).map(|near| format!(" Você quis dizer `{near}`?"));
        self.fault(&field.place, format!("não há o campo `{key}`.{}", near.unwrap_or_default()));
    }

    /// A text that reports repeat.
    fn short_text(&mut self, field: &EntryField, what: &str) -> Option<String> {
        let text = self.text(field)?.trim().to_owned();
        if text.chars().count() > MAX_DESCRIPTION {
            self.fault(&field.place, format!("{what} passa de {MAX_DESCRIPTION} caracteres"));
        }
        Some(text)
    }

    fn company(&mut self, entry: &CompanyEntry) -> (String, String, Contribuinte) {
        const KNOWN: [&str; 9] = [
            "cnpj",
            "nome",
            "regime_pis_cofins",
            "contribuinte_ipi",
            "destinacao_autopropulsado",
            "regime_especial_por_unidade",
            "preco_venda_varejo",
            "regime_especial",
            "simples_nacional",
        ];
        let (mut cnpj, mut nome, mut of) = (String::new(), String::new(), Contribuinte::default());
        for field in &entry.fields {
            match field.name.as_str() {
                "cnpj" => {
                    cnpj = tax_number(self.text(field).unwrap_or_default());
                    if !CNPJ_DIGITS.contains(&cnpj.len()) {
                        self.fault(&field.place, "o CNPJ tem 14 posições, ou as 8 da raiz; uma planilha corta os zeros do começo: formate a coluna como texto");
                    }
                }
                "nome" => nome = self.short_text(field, "o nome").unwrap_or_default(),
                "regime_pis_cofins" => {
                    let word = self.text(field).unwrap_or_default();
                    of.regime_pis_cofins = RegimeDasContribuicoes::from_word(word);
                    if of.regime_pis_cofins.is_none() {
                        self.fault(
                            &field.place,
                            format!("escreva um de: {}", RegimeDasContribuicoes::WORDS.join(", ")),
                        );
                    }
                }
                "contribuinte_ipi" => of.contribuinte_ipi = self.flag(field),
                "destinacao_autopropulsado" => of.destinacao_autopropulsado = self.flag(field),
                "regime_especial_por_unidade" => of.regime_por_unidade = self.flag(field),
                "preco_venda_varejo" => of.precos_no_varejo = self.entries(field, CompanyReader::retail_price),
                "regime_especial" => of.regimes_especiais = self.entries(field, CompanyReader::special),
                "simples_nacional" => of.simples = self.entries(field, CompanyReader::month_of_simples),
                _ => self.unknown(field, &KNOWN),
            }
        }
        let mut months: Vec<Date> = of.simples.iter().map(|of| of.mes).collect();
        months.sort_unstable();
        if months.windows(2).any(|pair| pair.first() == pair.last()) {
            self.fault(&entry.place, "a empresa tem duas vezes o mesmo mês do Simples Nacional");
        }
        (cnpj, nome, of)
    }

    /// The entries of a list, such as `[[empresa.regime_especial]]`.
    fn entries<T>(&mut self, field: &EntryField, read: fn(&mut CompanyReader, &CompanyEntry) -> Option<T>) -> Vec<T> {
        match &field.value {
            EntryValue::List(entries) => entries.iter().filter_map(|entry| read(self, entry)).collect(),
            _ => {
                self.fault(&field.place, "escreva cada um como [[empresa.nome_do_campo]]");
                Vec::new()
            }
        }
    }

    fn retail_price(&mut self, entry: &CompanyEntry) -> Option<PrecoNoVarejo> {
        const KNOWN: [&str; 4] = ["produto", "preco", "desde", "ate"];
        let (mut produto, mut preco, mut desde, mut ate) = (None, None, None, None);
        for field in &entry.fields {
            match field.name.as_str() {
                "produto" => produto = self.text(field).map(str::to_owned),
                "preco" => {
                    preco = self.text(field).and_then(|text| parse_decimal(text).ok());
                    if preco.is_none() {
                        self.fault(&field.place, "escreva o preço de uma unidade como \"10.25\"");
                    }
                }
                "desde" => desde = self.day(field),
                "ate" => ate = self.day(field),
                _ => self.unknown(field, &KNOWN),
            }
        }
        self.period(&entry.place, desde, ate);
        let (Some(produto), Some(preco)) = (produto, preco) else {
            self.fault(&entry.place, "um preço no varejo tem `produto` e `preco`");
            return None;
        };
        Some(PrecoNoVarejo { produto, preco, desde, ate })
    }

    fn amount(&mut self, field: &EntryField) -> Option<Decimal> {
        let amount = self.text(field)?;
        let read = parse_decimal(amount).ok().filter(|amount| !amount.is_sign_negative());
        if read.is_none() {
            self.fault(&field.place, "escreva o valor como \"300000.00\"");
        }
        read
    }

    fn month_of_simples(&mut self, entry: &CompanyEntry) -> Option<MesDoSimples> {
        const KNOWN: [&str; 6] = [
            "mes",
            "receita_bruta_12_meses",
            "receita_exportacao_12_meses",
            "receita_bruta_ano",
            "inicio_atividade",
            "anexo_servicos",
        ];
        let (mut mes, mut twelve, mut exported, mut year, mut begun, mut anexo) = (None, None, None, None, None, None);
        for field in &entry.fields {
            match field.name.as_str() {
                "mes" => {
                    mes = self.text(field).and_then(|text| Date::parse(&format!("{text}-01")).ok());
                    if mes.is_none() {
                        self.fault(&field.place, "escreva o mês como \"2026-03\"");
                    }
                }
                "receita_bruta_12_meses" => twelve = self.amount(field),
                "receita_exportacao_12_meses" => exported = self.amount(field),
                "receita_bruta_ano" => year = self.amount(field),
                "inicio_atividade" => begun = self.day(field),
                "anexo_servicos" => {
                    anexo = self.text(field).and_then(AnexoDeServicos::from_word);
                    if anexo.is_none() {
                        self.fault(&field.place, format!("escreva um de: {}", AnexoDeServicos::WORDS.join(", ")));
                    }
                }
                _ => self.unknown(field, &KNOWN),
            }
        }
        let (Some(mes), Some(receita_bruta_12_meses)) = (mes, twelve) else {
            self.fault(&entry.place, "um mês do Simples Nacional tem `mes` e `receita_bruta_12_meses`");
            return None;
        };
        Some(MesDoSimples {
            mes,
            receita_bruta_12_meses,
            receita_exportacao_12_meses: exported,
            receita_bruta_ano: year,
            inicio_atividade: begun,
            anexo_servicos: anexo,
        })
    }

    fn special(&mut self, entry: &CompanyEntry) -> Option<RegimeDoContribuinte> {
        const KNOWN: [&str; 4] = ["tributo", "desde", "ate", "descricao"];
        let (mut tributo, mut desde, mut ate, mut descricao) = (None, None, None, None);
        for field in &entry.fields {
            match field.name.as_str() {
                "tributo" => {
                    tributo = self.text(field).map(str::to_owned);
                    if tributo.as_ref().is_some_and(|name| !NAMES.contains(&name.as_str())) {
                        self.fault(&field.place, format!("escreva um de: {}", NAMES.join(", ")));
                    }
                }
                "desde" => desde = self.day(field),
                "ate" => ate = self.day(field),
                "descricao" => descricao = self.short_text(field, "a descrição"),
                _ => self.unknown(field, &KNOWN),
            }
        }
        self.period(&entry.place, desde, ate);
        let (Some(tributo), Some(desde)) = (tributo, desde) else {
            self.fault(&entry.place, "um regime especial tem `tributo` e `desde`");
            return None;
        };
        Some(RegimeDoContribuinte { tributo, desde, ate, descricao: descricao.unwrap_or_default() })
    }
}
