//! The file of the option `--empresa`: what no document says of its issuer.
//!
//! ```toml
//! [[empresa]]
//! cnpj = "12345678000195"            # ou só a raiz, "12345678"; sem cnpj, vale para todas
//! regime_pis_cofins = "nao_cumulativo"
//! contribuinte_ipi = false
//! destinacao_autopropulsado = false
//!
//! regime_especial_por_unidade = false
//!
//! [[empresa.preco_venda_varejo]]
//! produto = "P1"                     # cProd
//! preco = "10.25"                    # de uma unidade
//! desde = "2025-01-01"
//!
//! [[empresa.regime_especial]]
//! tributo = "icms"
//! desde = "2025-01-01"
//! ate = "2026-12-31"
//! descricao = "TTD 409"
//!
//! [[empresa.simples_nacional]]
//! mes = "2026-03"
//! receita_bruta_12_meses = "300000.00"       # no país; a de exportação tem o seu campo
//! receita_exportacao_12_meses = "0.00"
//! receita_bruta_ano = "80000.00"
//! inicio_atividade = "2025-06-01"            # se há menos de 13 meses
//! anexo_servicos = "III"
//! ```

use rust_decimal::Decimal;
use toml::de::{DeTable, DeValue};

use crate::base::document::nearest;
use crate::base::sentence::Sentence;
use crate::base::value::{Date, parse_decimal};
use crate::law::labels;
use crate::law::nfe::{
    AnexoDeServicos, Contribuinte, MesDoSimples, PrecoNoVarejo, RegimeDasContribuicoes, RegimeDoContribuinte,
};
use crate::law::tax::NAMES;

/// Most faults that are reported: a file of another kind has one in each of its lines.
const MAX_FAULTS: usize = 100;
/// Most characters of a description, which each line of a report may repeat.
const MAX_DESCRIPTION: usize = 200;
/// What people call the facts of a company.
pub const COMPANY_FACTS: [(&str, &str); 4] = [
    ("regime_pis_cofins", "Regime de PIS e COFINS"),
    ("contribuinte_ipi", "Contribuinte do IPI"),
    ("destinacao_autopropulsado", "Peças para autopropulsados"),
    ("regime_especial_por_unidade", "PIS e COFINS por unidade"),
];

/// What people call a name in a sentence on a company: one of its facts, or anything that a tax has.
pub(super) fn named(tributo: Option<&str>) -> impl Fn(&str) -> String + use<> {
    let named = labels::named(tributo);
    move |name| match COMPANY_FACTS.iter().find(|(own, _)| *own == name) {
        Some((_, label)) => format!("“{label}”"),
        None => named(name),
    }
}

/// Digits of a CNPJ, and of its root, which all establishments of a company share.
const CNPJ_DIGITS: [usize; 2] = [14, 8];

/// The taxpayers of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Companies {
    /// Digits of the CNPJ, of its root, or none for any issuer.
    known: Vec<(String, Contribuinte)>,
}

/// A fault of the file: its line, from 1, and what is wrong.
pub type FaultOfFile = (usize, Sentence);

/// Collects the faults of the file.
struct Reader<'t> {
    text: &'t str,
    faults: Vec<FaultOfFile>,
}

impl Companies {
    /// Parses the file. Fails with its faults, the first hundred of them.
    pub fn parse(text: &str) -> Result<Companies, Vec<FaultOfFile>> {
        let mut reader = Reader { text, faults: Vec::new() };
        let (table, broken) = DeTable::parse_recoverable(text);
        for error in &broken {
            let detail = format!("não é TOML bem formado ({})", error.message());
            reader.fault(error.span().map_or(0, |span| span.start), detail);
        }
        let mut known = Vec::new();
        for (key, value) in table.get_ref() {
            let at = value.span().start;
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("empresa", DeValue::Array(entries)) => {
                    for entry in entries {
                        match entry.get_ref() {
                            DeValue::Table(of) => reader.add(&mut known, entry.span().start, of),
                            _ => reader.fault(entry.span().start, "escreva cada empresa como [[empresa]]"),
                        }
                    }
                }
                ("empresa", DeValue::Table(of)) => reader.add(&mut known, at, of),
                _ => reader.fault(key.span().start, "só [[empresa]] é conhecida aqui"),
            }
        }
        reader.faults.sort();
        if reader.faults.is_empty() { Ok(Companies { known }) } else { Err(reader.faults) }
    }

    /// What is known of the issuer of that CNPJ or CPF: by the whole CNPJ before its root, before an entry for any.
    #[must_use]
    pub fn of(&self, emitente: &str) -> Contribuinte {
        let fits = |of: &&(String, Contribuinte)| emitente.starts_with(&of.0);
        self.known.iter().filter(fits).max_by_key(|(cnpj, _)| cnpj.len()).map(|(_, of)| of.clone()).unwrap_or_default()
    }
}

impl Reader<'_> {
    fn fault(&mut self, at: usize, detail: impl Into<Sentence>) {
        if self.faults.len() >= MAX_FAULTS {
            return;
        }
        let line = self.text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
        self.faults.push((line, detail.into()));
    }

    /// Reads an entry. Two of one CNPJ, or two without one, would contradict each other.
    fn add(&mut self, known: &mut Vec<(String, Contribuinte)>, at: usize, table: &DeTable<'_>) {
        let company = self.company(table);
        if known.iter().any(|(cnpj, _)| *cnpj == company.0) {
            self.fault(at, "o arquivo já tem uma [[empresa]] com este CNPJ");
        }
        known.push(company);
    }

    fn text<'v>(&mut self, at: usize, value: &'v DeValue<'_>) -> Option<&'v str> {
        match value {
            DeValue::String(text) => Some(text.as_ref()),
            _ => {
                self.fault(at, "escreva o valor como um texto entre aspas");
                None
            }
        }
    }

    fn flag(&mut self, at: usize, value: &DeValue<'_>) -> Option<bool> {
        match value {
            DeValue::Boolean(flag) => Some(*flag),
            _ => {
                self.fault(at, Sentence::both("escreva true ou false", "escolha sim ou não"));
                None
            }
        }
    }

    fn day(&mut self, at: usize, value: &DeValue<'_>) -> Option<Date> {
        let text = match value {
            DeValue::Datetime(day) => day.to_string(),
            _ => self.text(at, value)?.to_owned(),
        };
        Date::parse(&text).map_err(|detail| self.fault(at, detail)).ok()
    }

    /// A period that ends before it begins would never apply.
    fn period(&mut self, at: usize, desde: Option<Date>, ate: Option<Date>) {
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

    fn unknown(&mut self, at: usize, key: &str, known: &[&'static str]) {
        let near = nearest(key, known.iter().copied()).map(|near| format!(" Você quis dizer `{near}`?"));
        self.fault(at, format!("não há o campo `{key}`.{}", near.unwrap_or_default()));
    }

    fn company(&mut self, table: &DeTable<'_>) -> (String, Contribuinte) {
        const KNOWN: [&str; 8] = [
            "cnpj",
            "regime_pis_cofins",
            "contribuinte_ipi",
            "destinacao_autopropulsado",
            "regime_especial_por_unidade",
            "preco_venda_varejo",
            "regime_especial",
            "simples_nacional",
        ];
        let (mut cnpj, mut of) = (String::new(), Contribuinte::default());
        for (key, value) in table {
            let (at, value) = (value.span().start, value.get_ref());
            match key.get_ref().as_ref() {
                "cnpj" => {
                    let written = self.text(at, value).unwrap_or_default().to_ascii_uppercase();
                    cnpj = written.chars().filter(char::is_ascii_alphanumeric).collect();
                    if !CNPJ_DIGITS.contains(&cnpj.len()) {
                        self.fault(at, "o CNPJ tem 14 posições, ou as 8 da raiz");
                    }
                }
                "regime_pis_cofins" => {
                    let word = self.text(at, value).unwrap_or_default();
                    of.regime_pis_cofins = RegimeDasContribuicoes::from_word(word);
                    if of.regime_pis_cofins.is_none() {
                        self.fault(at, format!("escreva um de: {}", RegimeDasContribuicoes::WORDS.join(", ")));
                    }
                }
                "contribuinte_ipi" => of.contribuinte_ipi = self.flag(at, value),
                "destinacao_autopropulsado" => of.destinacao_autopropulsado = self.flag(at, value),
                "regime_especial_por_unidade" => of.regime_por_unidade = self.flag(at, value),
                "preco_venda_varejo" => of.precos_no_varejo = self.entries(at, value, Reader::retail_price),
                "regime_especial" => of.regimes_especiais = self.entries(at, value, Reader::special),
                "simples_nacional" => of.simples = self.entries(at, value, Reader::month_of_simples),
                other => self.unknown(key.span().start, other, &KNOWN),
            }
        }
        (cnpj, of)
    }

    /// The entries of a list of tables, such as `[[empresa.regime_especial]]`.
    fn entries<T>(
        &mut self,
        at: usize,
        value: &DeValue<'_>,
        read: fn(&mut Self, usize, &DeTable<'_>) -> Option<T>,
    ) -> Vec<T> {
        let mut found = Vec::new();
        let DeValue::Array(entries) = value else {
            self.fault(at, "escreva cada um como [[empresa.nome_do_campo]]");
            return found;
        };
        for entry in entries {
            match entry.get_ref() {
                DeValue::Table(table) => found.extend(read(self, entry.span().start, table)),
                _ => self.fault(at, "escreva cada um como [[empresa.nome_do_campo]]"),
            }
        }
        found
    }

    fn retail_price(&mut self, at: usize, table: &DeTable<'_>) -> Option<PrecoNoVarejo> {
        const KNOWN: [&str; 4] = ["produto", "preco", "desde", "ate"];
        let (mut produto, mut preco, mut desde, mut ate) = (None, None, None, None);
        for (key, value) in table {
            let (at, value) = (value.span().start, value.get_ref());
            match key.get_ref().as_ref() {
                "produto" => produto = self.text(at, value).map(str::to_owned),
                "preco" => {
                    preco = self.text(at, value).and_then(|text| parse_decimal(text).ok());
                    if preco.is_none() {
                        self.fault(at, "escreva o preço de uma unidade como \"10.25\"");
                    }
                }
                "desde" => desde = self.day(at, value),
                "ate" => ate = self.day(at, value),
                other => self.unknown(key.span().start, other, &KNOWN),
            }
        }
        self.period(at, desde, ate);
        let (Some(produto), Some(preco)) = (produto, preco) else {
            self.fault(at, "um preço no varejo tem `produto` e `preco`");
            return None;
        };
        Some(PrecoNoVarejo { produto, preco, desde, ate })
    }

    fn amount(&mut self, at: usize, value: &DeValue<'_>) -> Option<Decimal> {
        let amount = self.text(at, value)?;
        let read = parse_decimal(amount).ok().filter(|amount| !amount.is_sign_negative());
        if read.is_none() {
            self.fault(at, "escreva o valor como \"300000.00\"");
        }
        read
    }

    fn month_of_simples(&mut self, at: usize, table: &DeTable<'_>) -> Option<MesDoSimples> {
        const KNOWN: [&str; 6] = [
            "mes",
            "receita_bruta_12_meses",
            "receita_exportacao_12_meses",
            "receita_bruta_ano",
            "inicio_atividade",
            "anexo_servicos",
        ];
        let (mut mes, mut twelve, mut exported, mut year, mut begun, mut anexo) = (None, None, None, None, None, None);
        for (key, value) in table {
            let (at, value) = (value.span().start, value.get_ref());
            match key.get_ref().as_ref() {
                "mes" => {
                    mes = self.text(at, value).and_then(|text| Date::parse(&format!("{text}-01")).ok());
                    if mes.is_none() {
                        self.fault(at, "escreva o mês como \"2026-03\"");
                    }
                }
                "receita_bruta_12_meses" => twelve = self.amount(at, value),
                "receita_exportacao_12_meses" => exported = self.amount(at, value),
                "receita_bruta_ano" => year = self.amount(at, value),
                "inicio_atividade" => begun = self.day(at, value),
                "anexo_servicos" => {
                    anexo = self.text(at, value).and_then(AnexoDeServicos::from_word);
                    if anexo.is_none() {
                        self.fault(at, format!("escreva um de: {}", AnexoDeServicos::WORDS.join(", ")));
                    }
                }
                other => self.unknown(key.span().start, other, &KNOWN),
            }
        }
        let (Some(mes), Some(receita_bruta_12_meses)) = (mes, twelve) else {
            self.fault(at, "um mês do Simples Nacional tem `mes` e `receita_bruta_12_meses`");
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

    fn special(&mut self, at: usize, table: &DeTable<'_>) -> Option<RegimeDoContribuinte> {
        const KNOWN: [&str; 4] = ["tributo", "desde", "ate", "descricao"];
        let (mut tributo, mut desde, mut ate, mut descricao) = (None, None, None, None);
        for (key, value) in table {
            let (at, value) = (value.span().start, value.get_ref());
            match key.get_ref().as_ref() {
                "tributo" => {
                    tributo = self.text(at, value).map(str::to_owned);
                    if tributo.as_ref().is_some_and(|name| !NAMES.contains(&name.as_str())) {
                        self.fault(at, format!("escreva um de: {}", NAMES.join(", ")));
                    }
                }
                "desde" => desde = self.day(at, value),
                "ate" => ate = self.day(at, value),
                "descricao" => {
                    descricao = self.text(at, value).map(str::to_owned);
                    if descricao.as_ref().is_some_and(|text| text.chars().count() > MAX_DESCRIPTION) {
                        self.fault(at, format!("a descrição passa de {MAX_DESCRIPTION} caracteres"));
                    }
                }
                other => self.unknown(key.span().start, other, &KNOWN),
            }
        }
        self.period(at, desde, ate);
        let (Some(tributo), Some(desde)) = (tributo, desde) else {
            self.fault(at, "um regime especial tem `tributo` e `desde`");
            return None;
        };
        Some(RegimeDoContribuinte { tributo, desde, ate, descricao: descricao.unwrap_or_default() })
    }
}
