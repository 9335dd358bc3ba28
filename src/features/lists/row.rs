//! A row as the payload of a calculation.

use super::cells::{self, UnreadCell};
use super::fields::{MUNICIPIO, PayloadColumns, UF};
use super::header::{List, TRIBUTO, Taxes, both};
use super::names::fold_name;
use crate::base::document::{Field, Node, Object, PathStep, Shape};
use crate::base::problem::ErrorCode;
use crate::base::sentence::Reader;
use crate::base::value::{Municipio, Uf, fold, shorten};
use crate::law::tax::{self, AskedField, REGISTRY};
use crate::sheet::Row;

/// First words of a row that adds up others.
const TOTALS: [&str; 6] = ["total", "totais", "subtotal", "subtotais", "soma", "somatorio"];

impl List {
    /// The payload of a row, or all that is wrong with its fields. A cell of a field that the row's tax does
    /// not have is left out: other rows need it.
    pub fn payload(&self, row: &Row) -> Result<Object<'static>, Vec<UnreadCell>> {
        let tax = self.tax_of(row)?;
        if let Some(total) = total_of_list(&missing_fields(tax, row), row) {
            return Err(vec![total]);
        }
        let mut faults = Vec::new();
        // A decimal comma in a CSV that commas separate, without quotes.
        if let Some(column) = (self.names.len()..row.cells.len()).find(|column| !row.cell(*column).is_empty()) {
            let detail = "a linha tem mais células que o cabeçalho; ponha entre aspas o valor que tem vírgula.".into();
            faults.push(UnreadCell { column: Some(column), campo: None, detail });
        }
        let mut payload = Object(Vec::with_capacity(row.cells.len() + 2));
        if let Some(entry) = tax.entry {
            payload.set(TRIBUTO, entry.tributo.as_str());
        }
        for (column, field) in tax.fields().filter(|(column, _)| !row.cell(*column).is_empty()) {
            let others = || tax.twins(column, field).filter(|other| !row.cell(*other).is_empty());
            // The label of another tax gives way to the name and the label of the row's own.
            if !tax.is_own(column) && others().any(|other| tax.is_own(other)) {
                continue;
            }
            let fault = |detail| UnreadCell { column: Some(column), campo: Some(field.name), detail };
            if let Some(one) = others().find(|one| *one < column && tax.is_own(*one) == tax.is_own(column)) {
                faults.push(fault(both(one, column, field.name).into()));
                continue;
            }
            match cells::value(row.cell(column), field, tax.is_yearly(field), self.mark) {
                Ok(value) => payload.set(field.name, value),
                Err(detail) => faults.push(fault(detail)),
            }
        }
        faults.extend(find_uf(tax, &mut payload, &faults));
        faults.extend(unsaid(tax, &payload, &faults));
        if faults.is_empty() {
            ask_for_law_of_the_day(tax, &mut payload);
            return Ok(payload);
        }
        let more = faults_beside(tax, row, payload, &faults);
        faults.extend(more);
        Err(faults)
    }

    /// The tax that the row asks for, if it names one; `None` for an operation.
    pub(super) fn tributo_of(&self, row: &Row) -> Option<&'static str> {
        self.tax_of(row).ok()?.entry.map(|entry| entry.tributo.as_str())
    }

    fn tax_of(&self, row: &Row) -> Result<&PayloadColumns, Vec<UnreadCell>> {
        let (column, taxes) = match &self.taxes {
            Taxes::One(tax) => return Ok(tax),
            Taxes::Column(column, taxes) => (*column, taxes),
        };
        let fault = |detail: String| {
            let unread = UnreadCell { column: Some(column), campo: Some(TRIBUTO), detail: detail.into() };
            vec![total_of_list(&[TRIBUTO], row).unwrap_or(unread)]
        };
        let name = row.cell(column).text().map_err(fault)?;
        let entry =
            tax::find(&name).map_or_else(|| tax::parse(&fold_name(&name).replace(' ', "_")), Ok).map_err(fault)?;
        let place = REGISTRY.iter().position(|one| one.tributo == entry.tributo).unwrap_or_default();
        taxes.get(place).ok_or_else(Vec::new)
    }
}

/// Gives a row with a city and without State the State of the city: of an IBGE code, of `Campinas/SP`, of a name that only
/// one State has. Otherwise says what the city lacks.
fn find_uf(tax: &PayloadColumns, payload: &mut Object<'_>, faults: &[UnreadCell]) -> Option<UnreadCell> {
    let name = payload.text(MUNICIPIO)?;
    let is_faulty = |campo: &str| faults.iter().any(|fault| fault.campo == Some(campo));
    if payload.get(UF).is_some() || is_faulty(UF) || !tax.declared.iter().any(|field| field.name == UF) {
        return None;
    }
    let name = name.to_owned();
    let place = name.rsplit_once(['/', '-', '(']).and_then(|(city, uf)| {
        let uf = Uf::from_abbreviation(uf.trim().to_uppercase().trim_end_matches(')'))?;
        Municipio::find(uf, city.trim()).ok()
    });
    let found = place.map_or_else(|| Municipio::of_any_uf(&name), |place| vec![place]);
    let shown = shorten(&name);
    let detail = match found.as_slice() {
        [only] => {
            payload.set(UF, only.uf().as_str());
            if place.is_some() {
                payload.set(MUNICIPIO, only.name());
            }
            return None;
        }
        [] => match Municipio::near(None, &name) {
            Some(near) => format!("nenhum município se chama \"{shown}\". É {}/{}?", near.name(), near.uf()),
            None => format!("nenhum município se chama \"{shown}\"; use o nome oficial ou o código do IBGE."),
        },
        [first, ..] => {
            let ufs: Vec<&str> = found.iter().map(|city| city.uf().as_str()).collect();
            format!("há \"{shown}\" em {}; diga a UF, como em {shown}/{}.", ufs.join(", "), first.uf())
        }
    };
    let column = tax.columns_of(MUNICIPIO).next();
    Some(UnreadCell { column, campo: Some(MUNICIPIO), detail: detail.into() })
}

/// The fields with a default that the row must say all the same, beside the amounts that it has.
fn unsaid(tax: &PayloadColumns, payload: &Object<'_>, faults: &[UnreadCell]) -> Vec<UnreadCell> {
    let is_above_zero = |value: &Node<'_>| value.figure().is_some_and(|number| !number.is_zero());
    let is_known = |campo: &str| payload.get(campo).is_some() || faults.iter().any(|fault| fault.campo == Some(campo));
    let asked = tax.entry.map_or_else(<&[AskedField]>::default, |entry| entry.asked).iter();
    let open = asked.filter(|asked| payload.get(asked.com).is_some_and(is_above_zero) && !is_known(asked.campo));
    open.map(|asked| UnreadCell { column: None, campo: Some(asked.campo), detail: asked.detail.into() }).collect()
}

/// A row asks for the law of its day, unless it says itself whether it does.
fn ask_for_law_of_the_day(tax: &PayloadColumns, payload: &mut Object<'_>) {
    let flag = tax.entry.and_then(|entry| entry.flag_of_the_day(payload));
    if let Some(flag) = flag.filter(|flag| payload.get(flag).is_none()) {
        payload.set(flag, true);
    }
}

/// What is wrong with the fields whose cells could be read, or that have none: a row is corrected once. Stand-ins take
/// the place of cells that could not be read.
fn faults_beside(tax: &PayloadColumns, row: &Row, mut payload: Object<'_>, unread: &[UnreadCell]) -> Vec<UnreadCell> {
    let is_unread = |name: &str| unread.iter().any(|fault| fault.campo == Some(name));
    for field in tax.declared.iter().filter(|field| is_unread(field.name)) {
        if let Some(value) = stand_in(&field.shape).filter(|_| payload.get(field.name).is_none()) {
            payload.set(field.name, value);
        }
    }
    let fault = |fault: crate::base::document::Fault| {
        let Some(PathStep::Key(name)) = fault.path.first() else { return None };
        let field: &Field = tax.declared.iter().find(|field| field.name == name)?;
        // A comparison of amounts means nothing with a stand-in.
        let is_sure = !is_unread(field.name) && fault.codigo != ErrorCode::BaseNegativa;
        let column = tax.columns_of(field.name).find(|column| !row.cell(*column).is_empty());
        // In a table nobody writes quotes and decimal points.
        let detail = fault.detail.read_by(Reader::Person).into();
        is_sure.then_some(UnreadCell { column, campo: Some(field.name), detail })
    };
    tax.faults(&payload).into_list().into_iter().filter_map(fault).collect()
}

/// A value of that shape; `None` for one that decides whether others are needed.
fn stand_in(shape: &Shape) -> Option<Node<'static>> {
    Some(match shape {
        Shape::Amount | Shape::PositiveAmount | Shape::Rate | Shape::SignedRate => Node::from("1.00"),
        Shape::Date => Node::from("2026-01-01"),
        Shape::Int { min, .. } => Node::Int(*min),
        Shape::Code { example, .. } => Node::from(*example),
        _ => return None,
    })
}

/// The fields that the tax needs and the row does not have.
fn missing_fields(tax: &PayloadColumns, row: &Row) -> Vec<&'static str> {
    let is_filled = |field| tax.columns_of_field(field).any(|column| !row.cell(column).is_empty());
    tax.lacking(is_filled).map(|field| field.name).collect()
}

/// The fault of a row that adds up others: it lacks fields that each item has, and a cell begins with "total".
fn total_of_list(missing: &[&str], row: &Row) -> Option<UnreadCell> {
    if missing.is_empty() {
        return None;
    }
    let is_total = |text: &str| fold(text).split(' ').next().is_some_and(|word| TOTALS.contains(&word));
    let written = row.cells.iter().filter_map(|cell| cell.text().ok()).find(|text| is_total(text))?;
    let fields: Vec<_> = missing.iter().map(|name| format!("`{name}`")).collect();
    let detail = format!(
        "A linha parece um total da lista (\"{}\"), e não um item: não foi calculada. Se for um item, preencha {}.",
        shorten(&written),
        fields.join(", ")
    );
    Some(UnreadCell { column: None, campo: None, detail: detail.into() })
}
