//! One table: what it is, and its codes in their order.

use std::sync::LazyLock;

use serde::Serialize;

use super::words::{wanted, without_exclusions, words};
use super::{ExDaTipi, FILES, FaultyLine, Tabela, exs_of, file, has_left};
use crate::base::value::{Cest, Date, Ncm};

/// What is known of a CEST that was in the table of 2018.
const LEFT_THE_TABLE: &str = "já não está na tabela de outubro de 2026; o dia em que saiu não foi conferido";

/// An official table of codes.
///
/// Its file begins with lines `# nome: ...`, `# fonte: ...` and `# cobre: ...`, and those of the official table that it
/// follows ([`followed`](super::followed)). Each other line is a code (digits
/// only), `;`, and its official text, sorted by code. A code that is the beginning of another is a heading of it.
#[derive(Debug)]
pub struct CodeTable<'t> {
    pub tabela: Tabela,
    /// What people call it.
    pub nome: &'t str,
    /// The act, and the version that was read.
    pub fonte: &'t str,
    /// Which codes it has.
    pub cobre: &'t str,
    pub(super) rows: Vec<CodeRow<'t>>,
}

/// A code or a heading.
#[derive(Debug, Default)]
pub(super) struct CodeRow<'t> {
    pub(super) digits: &'t str,
    /// Empty if the row has only words to be found by.
    pub(super) text: &'t str,
    /// The words of the texts and of the synonyms, folded, with a space between them; without those of what it excludes.
    pub(super) words: String,
    /// The first words of the texts: what the product is called.
    pub(super) names: String,
    /// What people call it, each without words that say nothing.
    pub(super) synonyms: Vec<String>,
    /// The row of its nearest heading.
    pub(super) heading: Option<usize>,
}

/// A code of a table that a payload may name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Codigo<'t> {
    /// As payloads write it.
    pub codigo: String,
    /// Its own text. Empty if the table has only headings of it.
    pub texto: &'t str,
    /// The texts of its headings, from the widest.
    pub dentro_de: Vec<&'t str>,
    /// What a reader must know before using it, in Portuguese.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nota: Option<&'static str>,
    /// The tariff exceptions of an NCM.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub ex: &'static [ExDaTipi],
}

struct Line<'t> {
    digits: &'t str,
    text: &'t str,
    synonyms: &'t str,
}

impl<'t> CodeTable<'t> {
    /// Reads the text of a file, and that of a file of words to find its codes by, which may be empty. A line of the latter
    /// is a code or heading, `;`, a description or none, `;`, and synonyms with a comma between them. The description is
    /// shown where the table has no official text. Fails at the first faulty line.
    pub fn read(tabela: Tabela, text: &'t str, further: &'t str) -> Result<CodeTable<'t>, FaultyLine> {
        let mut table = CodeTable::empty(tabela);
        let mut lines = table.read_file(text, |line| line.split_once(';').map(|(digits, text)| (digits, text, "")))?;
        let (nome, fonte, cobre) = (table.nome, table.fonte, table.cobre);
        let further = table.read_file(further, |line| {
            let (digits, rest) = line.split_once(';')?;
            rest.split_once(';').map(|(text, synonyms)| (digits, text, synonyms))
        })?;
        // The table is called what its own file says.
        (table.nome, table.fonte, table.cobre) = (nome, fonte, cobre);
        lines.extend(further);
        // A stable sort: a code of both files keeps its official text.
        lines.sort_by_key(|line| line.digits);
        table.join(&lines);
        Ok(table)
    }

    pub(super) const fn empty(tabela: Tabela) -> CodeTable<'t> {
        CodeTable { tabela, nome: "", fonte: "", cobre: "", rows: Vec::new() }
    }

    fn read_file(
        &mut self,
        text: &'t str,
        cells: fn(&'t str) -> Option<(&'t str, &'t str, &'t str)>,
    ) -> Result<Vec<Line<'t>>, FaultyLine> {
        let mut lines: Vec<Line<'t>> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let fault = || FaultyLine { line: at + 1, text: line.to_owned() };
            if let Some(head) = line.strip_prefix("# ") {
                self.read_head(head).ok_or_else(fault)?;
                continue;
            }
            let (digits, text, synonyms) = cells(line).ok_or_else(fault)?;
            let is_code =
                (1..=self.tabela.digits()).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
            let in_order = lines.last().is_none_or(|before| before.digits < digits);
            if !is_code || !in_order || (text.is_empty() && synonyms.is_empty()) {
                return Err(fault());
            }
            lines.push(Line { digits, text, synonyms });
        }
        Ok(lines)
    }

    fn read_head(&mut self, head: &'t str) -> Option<()> {
        let (name, value) = head.split_once(": ")?;
        if HEADS.contains(&name) {
            return Some(());
        }
        *match name {
            "nome" => &mut self.nome,
            "fonte" => &mut self.fonte,
            "cobre" => &mut self.cobre,
            _ => return None,
        } = value;
        Some(())
    }

    /// Makes the rows of lines that are sorted by code, of which two may name the same.
    fn join(&mut self, lines: &[Line<'t>]) {
        let mut open: Vec<usize> = Vec::new();
        for same in lines.chunk_by(|one, next| one.digits == next.digits) {
            let Some(digits) = same.first().map(|line| line.digits) else { continue };
            let text = same.iter().map(|line| line.text).find(|text| !text.is_empty()).unwrap_or_default();
            let mut row = CodeRow { digits, text, ..CodeRow::default() };
            for text in same.iter().map(|line| words(&without_exclusions(line.text))) {
                push(&mut row.names, text.split(' ').next().unwrap_or_default());
                push(&mut row.words, &text);
            }
            for synonym in same.iter().flat_map(|line| line.synonyms.split(',')).map(words) {
                push(&mut row.words, &synonym);
                if !synonym.is_empty() {
                    row.synonyms.push(wanted(&synonym).join(" "));
                }
            }
            open.retain(|at| self.rows.get(*at).is_some_and(|above| digits.starts_with(above.digits)));
            row.heading = open.last().copied();
            open.push(self.rows.len());
            self.rows.push(row);
        }
    }

    /// How many codes it has that a payload may name.
    pub fn len(&self) -> usize {
        self.rows.iter().filter(|row| self.is_complete(row)).count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn is_complete(&self, row: &CodeRow<'_>) -> bool {
        row.digits.len() == self.tabela.digits()
    }

    pub(super) fn codigo(&self, row: &CodeRow<'t>) -> Codigo<'t> {
        // The code of an undivided heading has the official text of the heading.
        let undivided = self.tabela == Tabela::Ncm && row.digits.ends_with("0000");
        let shown = |above: &&CodeRow<'t>| !(above.text.is_empty() || undivided && above.digits.len() == 4);
        let mut dentro_de: Vec<&str> = self.above(row.heading).filter(shown).map(|above| above.text).collect();
        dentro_de.reverse();
        let has_left = self.tabela == Tabela::Cest && Cest::parse(row.digits).is_ok_and(has_left);
        Codigo {
            codigo: self.tabela.written(row.digits),
            texto: row.text,
            dentro_de,
            nota: has_left.then_some(LEFT_THE_TABLE),
            ex: self.exs(row.digits),
        }
    }

    /// The code with those digits, with the headings that the table has, and without a text of its own.
    pub(super) fn without_text(&self, digits: &str) -> Option<Codigo<'t>> {
        let nearest = self.rows.iter().rposition(|row| !row.text.is_empty() && digits.starts_with(row.digits))?;
        let mut dentro_de: Vec<&str> =
            self.above(Some(nearest)).map(|above| above.text).filter(|text| !text.is_empty()).collect();
        dentro_de.reverse();
        let codigo = self.tabela.written(digits);
        Some(Codigo { codigo, texto: "", dentro_de, nota: None, ex: self.exs(digits) })
    }

    /// The tariff exceptions of a code of this table: only an NCM has any.
    fn exs(&self, digits: &str) -> &'static [ExDaTipi] {
        let ncm = if self.tabela == Tabela::Ncm { Ncm::parse(digits).ok() } else { None };
        ncm.map_or(&[], |ncm| exs_of(&ncm))
    }

    /// The row, and its headings up to the widest.
    fn above(&self, row: Option<usize>) -> impl Iterator<Item = &CodeRow<'t>> {
        let row_at = |at: usize| self.rows.get(at);
        std::iter::successors(row.and_then(row_at), move |row| row.heading.and_then(row_at))
    }
}

/// Adds words to a list with a space between them.
fn push(list: &mut String, words: &str) {
    if !list.is_empty() && !words.is_empty() {
        list.push(' ');
    }
    list.push_str(words);
}

/// The official table that a file of codes follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// The file, in `rulesets`.
    pub arquivo: &'static str,
    /// What people call the table.
    pub nome: &'static str,
    /// The act or version.
    pub versao: &'static str,
    /// The day of that version.
    pub data: Date,
    /// What is known to have changed since.
    pub mudancas: Vec<&'static str>,
}

/// Lines of a head that say which version it is, beside those that a table shows.
const HEADS: [&str; 4] = ["tabela", "versao", "data", "mudou"];

/// The official tables that the files follow, of every file that states a day; read from the heads alone.
pub fn followed() -> impl Iterator<Item = Followed> {
    FILES.iter().filter_map(|(arquivo, text)| {
        let heads = || text.lines().map_while(|line| line.strip_prefix("# ")?.split_once(": "));
        let one = |name: &str| heads().find(|(own, _)| *own == name).map(|(_, value)| value);
        let mudancas = heads().filter(|(name, _)| *name == "mudou").map(|(_, value)| value).collect();
        Some(Followed {
            arquivo,
            nome: one("tabela")?,
            versao: one("versao")?,
            data: Date::parse(one("data")?).ok()?,
            mudancas,
        })
    })
}

impl Tabela {
    /// The table. A table that has no file is empty.
    pub fn table(self) -> &'static CodeTable<'static> {
        static TABLES: [LazyLock<CodeTable<'static>>; 7] = [
            LazyLock::new(|| Tabela::Ncm.read_or_empty()),
            LazyLock::new(|| Tabela::Cest.read_or_empty()),
            LazyLock::new(|| Tabela::Servico.read_or_empty()),
            LazyLock::new(|| Tabela::Classificacao.read_or_empty()),
            LazyLock::new(|| Tabela::Cfop.read_or_empty()),
            LazyLock::new(|| Tabela::Cst.read_or_empty()),
            LazyLock::new(|| Tabela::Nbs.read_or_empty()),
        ];
        let [ncm, cest, servico, classificacao, cfop, cst, nbs] = &TABLES;
        match self {
            Tabela::Ncm => ncm,
            Tabela::Cest => cest,
            Tabela::Servico => servico,
            Tabela::Classificacao => classificacao,
            Tabela::Cfop => cfop,
            Tabela::Cst => cst,
            Tabela::Nbs => nbs,
        }
    }

    /// Reads its files. Fails at the first faulty line.
    pub fn read(self) -> Result<CodeTable<'static>, FaultyLine> {
        // `cfop.csv` has their natures.
        let name = if self == Tabela::Cfop { "cfop_textos" } else { self.as_str() };
        CodeTable::read(self, file(name), file(&format!("{}_palavras", self.as_str())))
    }

    /// A unit test reads every table, so that none with a faulty line is built in.
    fn read_or_empty(self) -> CodeTable<'static> {
        self.read().unwrap_or_else(|_| CodeTable::empty(self))
    }
}
