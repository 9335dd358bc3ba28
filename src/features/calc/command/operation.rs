//! An operation for people: a table of its taxes, what to know of each, and the totals. Its words are Portuguese, as
//! those of every report for an accountant.

use serde::Deserialize;
use serde_json::Value;

use crate::base::value::with_separators;
use crate::cli::output;
use crate::features::AdminError;

/// The members of an answer that the page shows. Those of a refusal are `detail` and `erros`.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    tributos: Vec<Line>,
    totais: Option<Totals>,
    detail: Option<String>,
    #[serde(default)]
    erros: Vec<FieldFault>,
}

#[derive(Deserialize)]
struct FieldFault {
    campo: String,
    detail: String,
}

#[derive(Deserialize)]
struct Line {
    tributo: String,
    situacao: String,
    valor: Option<String>,
    motivo: Option<String>,
    #[serde(default)]
    avisos: Vec<String>,
    #[serde(default)]
    resposta: Value,
    #[serde(default)]
    problema: Value,
}

#[derive(Deserialize)]
struct Totals {
    tributos_por_fora: Sum,
    valor_documento: Sum,
    tributos: Sum,
    recolhido_pelo_vendedor: Sum,
    recolhido_pelo_comprador: Sum,
}

#[derive(Deserialize)]
struct Sum {
    valor: String,
    faltam: Vec<String>,
}

/// The page of one answer, without its last line end.
pub(super) fn page(answer: &[u8]) -> Result<String, AdminError> {
    let answer: Answer = serde_json::from_slice(answer)?;
    let Some(totais) = &answer.totais else { return Ok(refusal(&answer)) };
    let headings = ["TRIBUTO", "VALOR", "BASE", "ALÍQUOTA", "REGRA"];
    let table = output::table(&headings, answer.tributos.iter().map(Line::row));
    let notes = notes(&answer.tributos);
    let sums = [
        ("Tributos por fora", &totais.tributos_por_fora),
        ("Total do documento", &totais.valor_documento),
        ("Total dos tributos", &totais.tributos),
        ("  recolhido pelo vendedor", &totais.recolhido_pelo_vendedor),
        ("  recolhido pelo comprador", &totais.recolhido_pelo_comprador),
    ];
    let sums: Vec<String> = sums.iter().map(|(name, sum)| format!("{name:<27}{}\n", sum.written())).collect();
    Ok(format!("{table}\n\n{notes}\n{}", sums.concat()))
}

fn refusal(answer: &Answer) -> String {
    let faults = answer.erros.iter().map(|erro| format!("{}: {}\n", erro.campo, erro.detail));
    format!("{}\n{}", answer.detail.as_deref().unwrap_or_default(), faults.collect::<String>())
}

/// What to know of the taxes. A sentence of several taxes is written once.
fn notes(taxes: &[Line]) -> String {
    let mut by_sentence: Vec<(String, Vec<&str>)> = Vec::new();
    for (tributo, sentence) in taxes.iter().flat_map(|tax| tax.notes().into_iter().map(|note| (&tax.tributo, note))) {
        match by_sentence.iter_mut().find(|(known, _)| *known == sentence) {
            Some((_, of)) => of.push(tributo),
            None => by_sentence.push((sentence, vec![tributo])),
        }
    }
    let lines: Vec<_> =
        by_sentence.iter().map(|(sentence, of)| [&of.join(", "), ": ", sentence, "\n"].concat()).collect();
    lines.concat()
}

impl Line {
    fn text(&self, place: &str) -> Option<&str> {
        self.resposta.pointer(place)?.as_str()
    }

    fn row(&self) -> Vec<String> {
        let component =
            |places: &[&str]| places.iter().find_map(|place| self.text(place)).map(with_separators).unwrap_or_default();
        // What is due to two States has a rate in each, and none as a whole.
        let has_difference = self.text("/detalhes/base_calculo_difal").is_some();
        let rates: &[&str] =
            &["/detalhes/aliquota_aplicada", "/detalhes/aliquota_interna", "/detalhes/aliquota_interestadual"];
        let rate = component(if has_difference { &[] } else { rates });
        vec![
            self.tributo.clone(),
            self.valor.as_deref().map_or_else(|| self.situacao.clone(), with_separators),
            component(&["/detalhes/base_calculo", "/detalhes/base_calculo_st", "/detalhes/preco_servico"]),
            if rate.is_empty() { rate } else { format!("{rate}%") },
            self.text("/regra/rule_id").unwrap_or_default().to_owned(),
        ]
    }

    /// Why there is no amount, and what to check.
    fn notes(&self) -> Vec<String> {
        let refusal = self.problema.pointer("/detail").and_then(Value::as_str);
        let why = self.motivo.as_deref().into_iter().chain(refusal);
        let of_rule =
            self.resposta.pointer("/avisos").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let sentences = why.chain(self.avisos.iter().map(String::as_str)).chain(of_rule);
        let mut notes: Vec<String> = sentences.map(str::to_owned).collect();
        if let Some(destaque) = self.text("/detalhes/valor_destaque") {
            notes.insert(0, format!("a destacar {}", with_separators(destaque)));
        }
        notes
    }
}

impl Sum {
    fn written(&self) -> String {
        let valor = with_separators(&self.valor);
        if self.faltam.is_empty() { valor } else { format!("{valor} (incompleto: falta {})", self.faltam.join(", ")) }
    }
}
