//! The steps of a calculation: each formula, read as text, gives the exact result of its step.

use num_traits::{Signed, Zero};
use serde_json::Value;
use taxd_core::engine::Engine;
use taxd_core::rulesets::BUNDLES;
use taxd_law::tax::REGISTRY;

use super::naive::{Q, q, written};
use crate::support::{built_in_engine, engine, publish};

/// A reader of formulas, a character at a time, written from the grammar in `examples/README.md`.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn value(text: &'a str) -> Result<Q, String> {
        let mut reader = Reader { rest: text };
        let value = reader.sum()?;
        if reader.rest.is_empty() { Ok(value) } else { Err(format!("`{}` of `{text}` is not read", reader.rest)) }
    }

    fn takes(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn needs(&mut self, token: &str) -> Result<(), String> {
        if self.takes(token) { Ok(()) } else { Err(format!("no `{token}` before `{}`", self.rest)) }
    }

    fn sum(&mut self) -> Result<Q, String> {
        let mut value = self.product()?;
        loop {
            if self.takes(" + ") {
                value += self.product()?;
            } else if self.takes(" − ") {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<Q, String> {
        let mut value = self.single()?;
        loop {
            if self.takes(" × ") {
                value *= self.single()?;
            } else if self.takes(" ÷ ") {
                let divisor = self.single()?;
                if divisor.is_zero() {
                    return Err("a division by zero".to_owned());
                }
                value /= divisor;
            } else {
                return Ok(value);
            }
        }
    }

    fn single(&mut self) -> Result<Q, String> {
        if self.takes("(") {
            let value = self.sum()?;
            self.needs(")")?;
            return Ok(value);
        }
        if self.takes("−") {
            return Ok(-self.figure()?);
        }
        for (name, function) in [("máximo(", larger as fn(&Q, &Q) -> Q), ("mínimo(", smaller), ("arredonda(", rounded)]
        {
            if self.takes(name) {
                let first = self.sum()?;
                self.needs("; ")?;
                let second = self.sum()?;
                self.needs(")")?;
                return Ok(function(&first, &second));
            }
        }
        self.figure()
    }

    /// `1.234,5`, with a point before each group of three digits; `12%` is a hundredth of it.
    fn figure(&mut self) -> Result<Q, String> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        let (integer, fraction) = text.split_once(',').unwrap_or((text, "0"));
        let groups: Vec<&str> = integer.split('.').collect();
        let grouped = groups.iter().skip(1).all(|group| group.len() == 3) && (1..=3).contains(&groups[0].len());
        if !grouped || fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
            return Err(format!("`{text}` is not a figure"));
        }
        let value = q(&format!("{}.{fraction}", groups.concat()));
        Ok(if self.takes("%") { value / q("100") } else { value })
    }
}

fn larger(a: &Q, b: &Q) -> Q {
    a.max(b).clone()
}

fn smaller(a: &Q, b: &Q) -> Q {
    a.min(b).clone()
}

fn rounded(value: &Q, places: &Q) -> Q {
    q_of(&written(value, places.to_integer().try_into().unwrap()))
}

/// The number of a text with a point, or of a fraction.
fn q_of(text: &str) -> Q {
    if let Some(positive) = text.strip_prefix('-') {
        return -q_of(positive);
    }
    match text.split_once('/') {
        Some((above, below)) => q(above) / q(below),
        None => q(text),
    }
}

/// What the answer shows of a step, in every member that does: most have the name of the step.
fn shown_of<'a>(answer: &'a Value, nome: &str) -> Vec<&'a str> {
    let detalhes = &answer["detalhes"];
    let members: Vec<&Value> = match nome {
        "valor" => vec![&answer["valor"]],
        // The value of what is exempt: the base of a tax of zero.
        "isencao" => vec![&detalhes["base_calculo"]],
        "valor_com_desconto" => {
            detalhes["descontos"].as_array().into_iter().flatten().map(|one| &one["valor"]).collect()
        }
        _ => match detalhes["tributos"].as_array() {
            // The share of a tax in the DAS.
            Some(shares) if detalhes.get(nome).is_none() => {
                shares.iter().filter(|one| one["tributo"] == nome).map(|one| &one["valor"]).collect()
            }
            _ => vec![&detalhes[nome]],
        },
    };
    members.into_iter().filter_map(|member| member.as_str().or_else(|| member["valor"].as_str())).collect()
}

/// What is wrong with the steps of an answer. `steps` counts them.
pub fn faults(answer: &Value, steps: &mut usize) -> Vec<String> {
    let mut found = Vec::new();
    let text = |step: &Value, name: &str| step[name].as_str().unwrap_or_default().to_owned();
    for step in answer["detalhes"]["memoria"].as_array().unwrap() {
        *steps += 1;
        let (nome, resultado) = (text(step, "nome"), text(step, "resultado"));
        let places = resultado.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let exact = q_of(&text(step, "resultado_exato"));
        match Reader::value(&text(step, "formula")) {
            Ok(value) if value != exact => found.push(format!("the formula gives {value}: {step}")),
            Err(fault) => found.push(format!("{fault}: {step}")),
            Ok(_) => {}
        }
        if written(&exact, places) != resultado {
            found.push(format!("the result is not the exact one, rounded: {step}"));
        }
        if text(step, "fundamento").is_empty() {
            found.push(format!("no legal ground: {step}"));
        }
        let shown = shown_of(answer, &nome);
        if !shown.contains(&resultado.as_str()) {
            found.push(format!("the answer shows {shown:?}: {step}"));
        }
    }
    found
}

pub fn with_steps(engine: &Engine, payload: &Value) -> Option<Value> {
    let answer = engine.calculate(payload.to_string().as_bytes(), true).ok()?;
    Some(serde_json::from_slice(&answer.to_json()).unwrap())
}

/// The payloads of every worked example of every built-in rule, and of the description of each tax.
fn payloads() -> Vec<Value> {
    let mut found: Vec<Value> = REGISTRY.iter().map(|entry| serde_json::from_str(entry.exemplo).unwrap()).collect();
    for (_, text) in BUNDLES {
        let bundle: Value = serde_json::from_str(text).unwrap();
        for part in ["regras", "tabelas"].iter().flat_map(|member| bundle[*member].as_array().into_iter().flatten()) {
            found.extend(part["exemplos"].as_array().into_iter().flatten().map(|example| example["payload"].clone()));
        }
    }
    found
}

/// Formulas had words for figures: "base × 12 %", "valor por profissional × 1".
#[test]
fn each_formula_of_every_worked_example_gives_the_shown_result() {
    let engine = built_in_engine();
    let (mut steps, mut answers) = (0, 0);
    let mut wrong = Vec::new();
    for payload in payloads() {
        if let Some(answer) = with_steps(engine, &payload) {
            answers += 1;
            wrong.extend(faults(&answer, &mut steps).into_iter().map(|fault| format!("{fault}\n  {payload}")));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {steps} steps:\n{}",
        wrong.len(),
        wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(answers > 2_000 && steps > 4_500, "{answers} answers, {steps} steps");
}

#[test]
fn each_formula_of_the_golden_cases_gives_the_shown_result() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../../golden/cases.json")).unwrap();
    let mut steps = 0;
    for case in &cases {
        let engine = engine(0);
        publish(&engine, case["regras"].as_array().unwrap()).unwrap();
        let answer = with_steps(&engine, &case["payload"]).unwrap();
        assert_eq!(faults(&answer, &mut steps), Vec::<String>::new(), "{}", case["nome"]);
    }
    assert!(steps > 2 * cases.len(), "{steps} steps");
}

/// The steps of ITBI were written `0,00 + 18.000,00`.
#[test]
fn no_sum_of_a_worked_example_has_a_term_of_zero() {
    let engine = built_in_engine();
    let zero = |term: &str| !term.is_empty() && term.chars().all(|c| matches!(c, '0' | ','));
    let mut sums = 0;
    for payload in payloads() {
        let Some(answer) = with_steps(engine, &payload) else { continue };
        for step in answer["detalhes"]["memoria"].as_array().unwrap() {
            let formula = step["formula"].as_str().unwrap();
            let terms: Vec<&str> = formula.split(" + ").collect();
            sums += usize::from(terms.len() > 1);
            assert!(terms.len() == 1 || !terms.iter().any(|term| zero(term)), "{step}");
        }
    }
    assert!(sums > 500, "{sums} sums");
}

/// Remarks had the words of the contract: `situação monofasico_revenda`, `modelo faixa_valor_total`.
#[test]
fn no_remark_of_a_worked_example_has_a_word_of_the_contract() {
    let engine = built_in_engine();
    let mut remarks = 0;
    for payload in payloads() {
        let Some(answer) = with_steps(engine, &payload) else { continue };
        for step in answer["detalhes"]["memoria"].as_array().unwrap() {
            let Some(remark) = step["observacao"].as_str() else { continue };
            remarks += 1;
            assert!(!remark.contains('_'), "{step}");
        }
    }
    assert!(remarks > 500, "{remarks} remarks");
}

#[test]
fn the_reader_takes_the_grammar_and_nothing_else() {
    for (text, wanted) in [
        ("1.234,5", "1234.5"),
        ("18,00%", "0.18"),
        ("2,00 + 3,00 × 4,00", "14"),
        ("(2,00 + 3,00) × 4,00", "20"),
        ("8,00 − 3,00 − 1,00", "4"),
        ("8,00 ÷ 4,00 × 2,00", "4"),
        ("1 + (−0,50%)", "0.995"),
        ("máximo(1,00 − 2,00; 0)", "0"),
        ("mínimo(3,00; 2,00)", "2"),
        ("arredonda(0,005; 2)", "0.01"),
        ("arredonda(−0,005; 2)", "-0.01"),
    ] {
        assert_eq!(Reader::value(text), Ok(q_of(wanted)), "{text}");
    }
    for text in ["", "base × 12%", "1000,00 + 1", "1,00 +2,00", "1,", "1 ÷ 0", "(1", "2)", "12.34", "−"] {
        assert!(Reader::value(text).is_err(), "{text}");
    }
    assert!(q_of("-1/3").is_negative());
}
