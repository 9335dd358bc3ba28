//! The files of `--relatorio`: for each client of the firm an XLSX, and a text to paste into a message.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rust_decimal::Decimal;
use serde::Serialize;

use crate::base::value::{amount_in_brl, fold};
use crate::cli::files::{cannot_write, write_new};
use crate::cli::output;
use crate::cli::table_output::{TableOutput, TableTarget};
use crate::features::AdminError;
use crate::features::audit::{
    AuditLine, AuditReport, CauseOfReport, Certainty, CompanyNames, Layer, SegregatedMonth, shown_cnpj, table_head,
    table_row,
};
use crate::sheet::Reader;

/// Most files that are open at once, each of which has two descriptors.
const MAX_CLIENTS: usize = 300;
/// Most characters of a client's name in the name of its files.
const MAX_NAME: usize = 60;
/// Why a client has no files.
const WITHOUT_DOCUMENTS: &str = "sem documentos nesta conferência";
const NOTHING_DIFFERS: &str = "nada a corrigir";

pub(super) struct ClientFiles {
    dir: PathBuf,
    names: CompanyNames,
    only_differences: bool,
    report: AuditReport,
    /// By all digits of the company.
    files: BTreeMap<String, ClientFile>,
    /// Names that are taken, without their ends.
    stems: BTreeSet<String>,
}

struct ClientFile {
    stem: String,
    lines: TableOutput,
}

/// A client in the list on stdout.
#[derive(Serialize)]
struct WrittenClient {
    empresa: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    nome: String,
    causas: usize,
    a_maior: String,
    a_menor: String,
    /// Empty if nothing was written for it.
    #[serde(skip_serializing_if = "String::is_empty")]
    arquivo: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    mensagem: String,
    /// Why nothing was written.
    #[serde(skip_serializing_if = "str::is_empty")]
    motivo: &'static str,
}

impl ClientFiles {
    /// Makes the directory. Fails if it has a file: a report is never overwritten.
    pub(super) fn begin(dir: &Path, names: CompanyNames, only_differences: bool) -> Result<ClientFiles, AdminError> {
        let failed = |e| cannot_write(dir, &e);
        fs::create_dir_all(dir).map_err(failed)?;
        if fs::read_dir(dir).map_err(failed)?.next().is_some() {
            let why = "is not empty, and a report is never overwritten: name a new directory";
            return Err(AdminError::new(format!("{} {why}", dir.display())));
        }
        Ok(ClientFiles {
            dir: dir.to_owned(),
            report: AuditReport::of_sums().named(names.clone()),
            names,
            only_differences,
            files: BTreeMap::new(),
            stems: BTreeSet::new(),
        })
    }

    pub(super) fn line(&mut self, line: AuditLine) -> io::Result<()> {
        let line = line.without_answer().for_person();
        let is_shown = line.camada != Layer::Segregacao && (!self.only_differences || line.is_finding());
        if is_shown && let Some(file) = self.file_of(&line)? {
            file.lines.row(&table_row(&line, Reader::Person))?;
        }
        self.report.add(line);
        Ok(())
    }

    pub(super) fn segregated(&mut self, month: SegregatedMonth) {
        self.report.add_segregated(month.for_person());
    }

    /// The file of the company of a line; `None` if it is not a client of the firm, or there are too many.
    fn file_of(&mut self, line: &AuditLine) -> io::Result<Option<&mut ClientFile>> {
        let anyone = Some(line.emitente.as_str()).filter(|emitente| self.names.is_empty() && !emitente.is_empty());
        let Some(company) = self.names.client_of(&line.emitente).or(anyone) else { return Ok(None) };
        if !self.files.contains_key(company) {
            if self.files.len() >= MAX_CLIENTS {
                return Ok(None);
            }
            // A CPF is shown in part only.
            let shown = if company.len() == line.emitente.len() { line.empresa.as_str() } else { company };
            let stem = self.stem(shown, self.names.of(company));
            let target = TableTarget::New(self.dir.join(format!("{stem}.xlsx")));
            let lines =
                target.begin(&table_head(Reader::Person)).map_err(|error| io::Error::other(error.to_string()))?;
            self.stems.insert(stem.clone());
            self.files.insert(company.to_owned(), ClientFile { stem, lines });
        }
        Ok(self.files.get_mut(company))
    }

    /// A name for the files of a company: letters without accents, digits and hyphens.
    fn stem(&self, shown: &str, name: &str) -> String {
        let digits: String = shown.chars().filter(char::is_ascii_alphanumeric).collect();
        let name: String = fold(&name.replace(|c: char| !c.is_alphanumeric(), " ")).chars().take(MAX_NAME).collect();
        let parts: Vec<&str> =
            std::iter::once(digits.as_str()).chain(name.split(' ')).filter(|p| !p.is_empty()).collect();
        let stem = parts.join("-");
        // Two people may have the same six digits of a CPF, which is all that is shown of it.
        let mut numbered = (2..).map(|number| format!("{stem}-{number}"));
        let mut free = stem.clone();
        while self.stems.contains(&free) {
            free = numbered.next().unwrap_or_default();
        }
        free
    }

    /// Writes what is left of each file, and the list of them on stdout.
    pub(super) fn finish(self, is_json: bool) -> io::Result<()> {
        let ClientFiles { dir, only_differences, report, files, names, .. } = self;
        let has_no_file = |one: &&str| !one.is_empty() && !files.contains_key(*one);
        let mut without: BTreeSet<&str> = report.companies().filter(has_no_file).collect();
        let mut unwritten = Vec::new();
        for client in names.clients().filter(has_no_file) {
            let motivo = match without.contains(client) {
                true if files.len() >= MAX_CLIENTS => continue,
                true => NOTHING_DIFFERS,
                false => WITHOUT_DOCUMENTS,
            };
            without.remove(client);
            unwritten.push(WrittenClient { motivo, ..WrittenClient::of(&report, client, ["", ""].map(Path::new)) });
        }
        let left_out = without.len();
        let mut written = Vec::new();
        for (company, file) in files {
            let [xlsx, text] = ["xlsx", "txt"].map(|end| dir.join(format!("{}.{end}", file.stem)));
            let mut lines = file.lines;
            let worksheets = report.worksheets(Some(&company), Reader::Person, only_differences);
            lines.around(worksheets.before, worksheets.after);
            lines.finish()?;
            let message = report.message(&company);
            write_new(&text, message.as_bytes()).map_err(|error| io::Error::other(error.to_string()))?;
            written.push(WrittenClient::of(&report, &company, [&xlsx, &text]));
        }
        written.extend(unwritten);
        let mut out = io::stdout().lock();
        if is_json {
            for client in &written {
                writeln!(out, "{}", serde_json::to_string(client)?)?;
            }
        } else {
            let headings = ["empresa", "nome", "causas", "a maior R$", "a menor R$", "arquivo"];
            writeln!(out, "{}", output::table(&headings, written.iter().map(WrittenClient::row)))?;
            let unread = report.text_of("", only_differences);
            if !unread.is_empty() {
                writeln!(out, "\n{unread}")?;
            }
        }
        if left_out > 0 {
            let why = "o arquivo de --empresa não os tem, ou passam das 300 empresas de uma execução";
            output::note(&format!("emitentes sem relatório: {left_out}; {why}"));
        }
        Ok(())
    }
}

impl WrittenClient {
    fn of(report: &AuditReport, company: &str, [xlsx, text]: [&Path; 2]) -> WrittenClient {
        let (nome, empresa) = report.name_of(company);
        let causes = report.causes(company);
        let sum = |side: fn(&CauseOfReport) -> Decimal| {
            let sure = causes.iter().filter(|cause| cause.certeza != Some(Certainty::Conferir));
            amount_in_brl(sure.fold(Decimal::ZERO, |sum, cause| sum.saturating_add(side(cause))))
        };
        WrittenClient {
            empresa: if empresa.is_empty() { shown_cnpj(company) } else { empresa.to_owned() },
            nome: nome.to_owned(),
            a_maior: sum(|cause| cause.a_maior),
            a_menor: sum(|cause| cause.a_menor),
            causas: causes.len(),
            arquivo: xlsx.display().to_string(),
            mensagem: text.display().to_string(),
            motivo: "",
        }
    }

    fn row(&self) -> Vec<String> {
        let WrittenClient { empresa, nome, causas, a_maior, a_menor, arquivo, motivo, .. } = self;
        let shown = [empresa, nome, &causas.to_string(), a_maior, a_menor, &format!("{arquivo}{motivo}")];
        shown.map(String::to_owned).to_vec()
    }
}
