//! The treatment of a product as the columns of a list: how each tax treats it and the figures of its rule, then the rules,
//! what is not known, and what to check.

use crate::base::document::{Node, Object};
use crate::base::problem::{ErrorCode, OUTSIDE, SituacaoSt};
use crate::law::tax;
use crate::law::tratamento::{RecusaSt, SituacaoTratada};
use crate::sheet::ColumnKind::{Decimal, Text};
use crate::sheet::{Cell, Column, Reader, table_row};

type Treatment = Object<'static>;

/// The parts of the document, each with the tax that it is of.
const PARTS: [(&str, &str); 9] = [
    ("pis", "pis"),
    ("cofins", "cofins"),
    ("ipi", "ipi"),
    ("icms_interno", "icms"),
    ("icms_interestadual", "icms"),
    ("icms_interestadual_importada", "icms"),
    ("icms_st", "icms_st"),
    ("cbs", "cbs"),
    ("ibs", "ibs"),
];

/// A column of the situation by one part: the word, or what people call it.
macro_rules! situation {
    ($name:literal, $label:literal, $part:literal) => {
        Column::said(
            $name,
            $label,
            Text,
            |treatment: &Treatment| text(treatment, &[$part, "situacao"]),
            |treatment: &Treatment| said(treatment, $part),
        )
    };
}

/// A column of a figure of the document.
macro_rules! figure {
    ($name:literal, $label:literal, $($path:literal),+) => {
        Column::new($name, $label, Decimal, |treatment: &Treatment| {
            at(treatment, &[$($path),+]).and_then(|node| node.figure()).into()
        })
    };
}

/// The columns that a treatment adds to its row, before the notices and the error.
pub(crate) fn columns() -> [Column<Treatment>; 24] {
    [
        situation!("taxd_pis_situacao", "PIS: situação", "pis"),
        figure!("taxd_pis_aliquota", "PIS: alíquota (%)", "pis", "regimes", "aliquota"),
        situation!("taxd_cofins_situacao", "COFINS: situação", "cofins"),
        figure!("taxd_cofins_aliquota", "COFINS: alíquota (%)", "cofins", "regimes", "aliquota"),
        Column::new("taxd_natureza_receita", "Natureza da receita", Text, |treatment| Cell::of(natures(treatment))),
        situation!("taxd_ipi_situacao", "IPI: situação", "ipi"),
        figure!("taxd_ipi_aliquota", "IPI: alíquota (%)", "ipi", "aliquota"),
        Column::said("taxd_icms_situacao", "ICMS: situação", Text, icms_word, icms_said),
        figure!("taxd_icms_aliquota", "ICMS: alíquota (%)", "icms_interno", "aliquota"),
        figure!("taxd_icms_fcp", "ICMS: FCP (%)", "icms_interno", "fcp"),
        figure!("taxd_icms_reducao_base", "ICMS: redução da base (%)", "icms_interno", "reducao_base"),
        figure!("taxd_icms_carga_efetiva", "ICMS: carga efetiva (%)", "icms_interno", "carga_efetiva"),
        figure!("taxd_icms_interestadual", "ICMS interestadual (%)", "icms_interestadual", "aliquota"),
        Column::said("taxd_icms_st_situacao", "ICMS-ST: situação", Text, st_word, st_said),
        figure!("taxd_icms_st_mva", "ICMS-ST: MVA original (%)", "icms_st", "mva"),
        figure!("taxd_icms_st_mva_aplicada", "ICMS-ST: MVA aplicada (%)", "icms_st", "mva_aplicada"),
        figure!("taxd_icms_st_pauta", "ICMS-ST: pauta", "icms_st", "pauta"),
        situation!("taxd_cbs_situacao", "CBS: situação", "cbs"),
        figure!("taxd_cbs_aliquota", "CBS: alíquota (%)", "cbs", "aliquota"),
        situation!("taxd_ibs_situacao", "IBS: situação", "ibs"),
        Column::new("taxd_classificacoes", "cClassTrib possíveis", Text, |treatment| {
            Cell::of(classifications(treatment))
        }),
        situation!("taxd_imposto_seletivo", "Imposto Seletivo", "imposto_seletivo"),
        Column::new("taxd_regras", "Regras", Text, |treatment| Cell::of(rules(treatment))),
        Column::new("taxd_motivos", "Por que um tributo não responde", Text, |treatment| {
            Cell::of(refusals(treatment))
        }),
    ]
}

/// The cells of a treatment: its columns, the notices, and no error.
pub(crate) fn cells(treatment: &Treatment, reader: Reader) -> Vec<Cell<'_>> {
    let mut cells = table_row(&columns(), treatment, reader);
    cells.extend([Cell::of(notices(treatment)), Cell::Empty]);
    cells
}

/// The value at a path; of a list, the value that all items have. An ordinary product has one rate of PIS in each regime.
fn at<'t>(treatment: &'t Treatment, path: &[&str]) -> Option<&'t Node<'static>> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(treatment.get(first)?, |node, name| match node {
        Node::Object(object) => object.get(name),
        Node::List(items) => {
            let mut values =
                items.iter().map(|item| if let Node::Object(object) = item { object.get(name) } else { None });
            let first = values.next()??;
            values.all(|other| other == Some(first)).then_some(first)
        }
        _ => None,
    })
}

fn items<'t>(node: Option<&'t Node<'static>>) -> impl Iterator<Item = &'t Treatment> {
    let items = if let Some(Node::List(items)) = node { items.as_slice() } else { &[] };
    items.iter().filter_map(|item| if let Node::Object(object) = item { Some(object) } else { None })
}

fn text<'t>(treatment: &'t Treatment, path: &[&str]) -> Cell<'t> {
    at(treatment, path).and_then(Node::text).map(Cell::of).into()
}

/// What people call the situation by a part.
fn said(treatment: &Treatment, part: &str) -> Cell<'static> {
    let word = at(treatment, &[part, "situacao"]).and_then(Node::text).and_then(SituacaoTratada::from_word);
    word.map(label).into()
}

/// What people call a situation.
fn label(word: SituacaoTratada) -> Cell<'static> {
    Cell::of(SituacaoTratada::VOCABULARY.label(word.as_str()))
}

fn icms_word(treatment: &Treatment) -> Cell<'_> {
    let general = is_general(treatment).then(|| Cell::of(&SituacaoTratada::AliquotaGeral));
    general.unwrap_or_else(|| text(treatment, &["icms_interno", "situacao"]))
}

fn icms_said(treatment: &Treatment) -> Cell<'_> {
    if is_general(treatment) { label(SituacaoTratada::AliquotaGeral) } else { said(treatment, "icms_interno") }
}

fn st_word(treatment: &Treatment) -> Cell<'_> {
    let refused = refused_st(treatment).tratamento().map(|word| Cell::of(&word));
    refused.unwrap_or_else(|| text(treatment, &["icms_st", "situacao"]))
}

fn st_said(treatment: &Treatment) -> Cell<'_> {
    refused_st(treatment).tratamento().map_or_else(|| said(treatment, "icms_st"), label)
}

/// Whether the rate inside the destination is the general one because no rule of the product was found.
fn is_general(treatment: &Treatment) -> bool {
    at(treatment, &["icms_interno", "conferencia_produto"]).is_some()
}

/// True if some tax says nothing of the product.
pub(crate) fn is_partly(treatment: &Treatment) -> bool {
    let is_unanswered = |part: &str| {
        let word = at(treatment, &[part, "situacao"]).and_then(Node::text).and_then(SituacaoTratada::from_word);
        matches!(word, Some(SituacaoTratada::Recusado | SituacaoTratada::SemRegra | SituacaoTratada::SemUf))
            && !(part == "icms_st" && refused_st(treatment).por_cest == Some(true))
    };
    PARTS.iter().any(|(part, _)| is_unanswered(part))
}

/// The refusal of the substitution; that of nothing if there is none.
fn refused_st(treatment: &Treatment) -> RecusaSt {
    let Some(Node::Object(refusal)) = at(treatment, &["icms_st", "recusa"]) else { return RecusaSt::default() };
    let mut candidates = items(refusal.get("candidatos")).map(|candidate| candidate.get(OUTSIDE).is_some()).peekable();
    let all_outside = candidates.peek().is_some() && candidates.all(|is_outside| is_outside);
    RecusaSt {
        por_cest: (refusal.text("codigo") == Some(ErrorCode::CestNecessario.as_str())).then_some(all_outside),
        situacao: refusal.text("situacao_st").and_then(SituacaoSt::from_word),
        com_margem: refusal.get("mva_da_regra").is_some(),
    }
}

/// What each part is of, and the objects that may have its rule and its refusal: the part, or its regimes.
fn parts(treatment: &Treatment) -> impl Iterator<Item = (&'static str, &Treatment)> {
    PARTS.iter().flat_map(|(name, tributo)| {
        let sigla = tax::find(tributo).map_or(*tributo, |entry| entry.sigla);
        let whole = if let Some(Node::Object(part)) = treatment.get(name) { Some(part) } else { None };
        let regimes = items(at(treatment, &[name, "regimes"]));
        whole.into_iter().chain(regimes).map(move |part| (sigla, part))
    })
}

/// Joins the texts, of which a repeated one counts once.
fn once(texts: impl Iterator<Item = String>, between: &str) -> String {
    let mut known: Vec<String> = Vec::new();
    for text in texts {
        if !known.contains(&text) {
            known.push(text);
        }
    }
    known.join(between)
}

fn natures(treatment: &Treatment) -> String {
    let own =
        items(treatment.get("naturezas_da_receita")).filter(|one| one.get("da_situacao") == Some(&Node::Bool(true)));
    once(own.filter_map(|one| Some(format!("{} {}", one.text("tabela")?, one.text("codigo")?))), ", ")
}

fn classifications(treatment: &Treatment) -> String {
    let all = items(at(treatment, &["cbs", "hipoteses"]));
    once(all.filter_map(|one| one.text("classificacao_tributaria").map(str::to_owned)), ", ")
}

fn rules(treatment: &Treatment) -> String {
    let rule_id = |part: &Treatment| match part.get("regra")? {
        Node::Object(regra) => regra.text("rule_id").map(str::to_owned),
        _ => None,
    };
    once(parts(treatment).filter_map(|(_, part)| rule_id(part)), " ")
}

fn refusals(treatment: &Treatment) -> String {
    let refusal = |(sigla, part): (&str, &Treatment)| match part.get("recusa")? {
        Node::Object(problem) => Some(format!("{sigla}: {}", problem.text("detail")?)),
        _ => None,
    };
    once(parts(treatment).filter_map(refusal), " ")
}

fn notices(treatment: &Treatment) -> String {
    let all = parts(treatment).flat_map(|(_, part)| items(part.get("avisos")));
    once(all.filter_map(|aviso| aviso.text("texto").map(str::to_owned)), " ")
}
