//! `taxd::features::audit`, by the built-in rules.

mod arithmetic;
mod causes;
mod coherence;
mod companies;
mod conditions;
mod credit_notes;
mod crossing;
mod cte;
mod documents;
mod explained;
mod explained_codes;
mod explained_sums;
mod file_kind;
mod generated;
mod icms_sums;
mod ipi;
mod law;
mod lawful;
mod layouts;
mod made;
mod missing_st;
mod peers;
mod public;
mod public_certain;
mod public_drawn;
mod public_sums;
mod purchases;
mod segregation;
mod services;
mod single_change;
mod situation;
mod substituted;
mod summary;
mod technical_note;
mod technical_note_tables;
mod totals;
mod withholdings;

use std::convert::Infallible;

use taxd::features::audit::{self, AuditLine, Companies, Judged, Payloads, PlannedLine, Verdict};
use taxd_law::nfe;

use crate::support::built_in;

/// What the made company is.
const COMPANY: &str =
    "[[empresa]]\ncnpj = \"11222333\"\nregime_pis_cofins = \"nao_cumulativo\"\ncontribuinte_ipi = false\n";

/// The lines of a file.
fn audited_of(xml: &[u8], companies: &str) -> Vec<AuditLine> {
    let companies = Companies::parse(companies).unwrap();
    let documents = match nfe::read(xml) {
        Ok(documents) => documents,
        Err(fault) => return vec![AuditLine::unreadable("nota.xml", &fault)],
    };
    let plan = documents
        .iter()
        .zip(1..)
        .flat_map(|(read, number)| audit::plan("nota.xml", number, read, &companies.of(read.emitente())));
    let answer = |payload: &_| built_in().0.answer(payload, false, None);
    let judged = plan.flat_map(|line| match line {
        PlannedLine::Ready(ready) => vec![Judged::ready(*ready)],
        PlannedLine::Question(question) => {
            let answer = answer(&question.payload);
            question.answered(answer)
        }
    });
    let answers = |payloads: Payloads| Ok::<_, Infallible>(payloads.iter().map(|payload| answer(payload)).collect());
    audit::explain(judged.collect(), answers).unwrap()
}

fn audited(xml: &str) -> Vec<AuditLine> {
    audited_of(xml.as_bytes(), COMPANY)
}

/// The lines with that code.
fn of_code(xml: &str, code: &str) -> Vec<AuditLine> {
    audited(xml).into_iter().filter(|line| line.codigo == Some(code)).collect()
}

/// The tax, the verdict and the code of every line that differs or was refused.
fn findings(lines: &[AuditLine]) -> Vec<String> {
    let open = |line: &&AuditLine| line.veredito.differs() || line.veredito == Verdict::Recusado;
    let text = |line: &AuditLine| format!("{} {} {}", line.tributo, line.veredito, line.codigo.unwrap_or_default());
    lines.iter().filter(open).map(text).collect()
}
