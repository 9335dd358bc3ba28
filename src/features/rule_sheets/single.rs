//! One rule as named members: `conteudo.aliquota` is `12`, `conteudo.faixas[1].ate` is `null`. They are the cells of its
//! rows, so that a form, the command line and a spreadsheet read a rule alike.

use std::collections::BTreeMap;

use super::cells::CellFault;
use super::layout::Layout;
use super::read::read;
use crate::base::document::nearest;
use crate::base::value::shorten;
use crate::law::tax::Entry;
use crate::sheet::{Cell, Row};
use serde_json::Value;

/// Most members of a rule that is given this way: a longer one is better written in a spreadsheet.
const MAX_MEMBERS: usize = 500;
/// Most items of a list of such a rule.
const MAX_ITEMS: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberFault {
    /// Its name, as it was given.
    pub member: String,
    /// What is wrong and what to do, in Portuguese.
    pub detail: String,
}

/// The rule of a tax that has these members. A blank text is a member that is absent. Fails with every fault of form.
pub fn of_members(entry: &Entry, members: &[(String, String)]) -> Result<Value, Vec<MemberFault>> {
    let columns = Layout::of(entry).columns;
    let (mut cells, mut faults) = (Vec::new(), Vec::new());
    if members.len() > MAX_MEMBERS {
        let detail = format!("A regra tem mais de {MAX_MEMBERS} campos: escreva-a numa planilha.");
        return Err(vec![MemberFault { member: String::new(), detail }]);
    }
    for (member, text) in members.iter().filter(|(_, text)| !text.trim().is_empty()) {
        let placed = place(member).and_then(|(name, item)| {
            let column = columns.iter().find(|column| column.name == name);
            column.map(|column| (column.name.as_str(), item)).ok_or_else(|| unknown(&name, &columns))
        });
        match placed {
            Ok((name, item)) => cells.push((member, name, item, text)),
            Err(detail) => faults.push(MemberFault { member: member.clone(), detail }),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut header: Vec<&str> = Vec::new();
    let mut rows: BTreeMap<usize, BTreeMap<usize, &str>> = BTreeMap::new();
    for (_, name, item, text) in &cells {
        let column = header.iter().position(|own| own == name).unwrap_or_else(|| {
            header.push(name);
            header.len() - 1
        });
        rows.entry(*item).or_default().insert(column, text);
    }
    let row = |number: usize, cells| Row { number: u32::try_from(number).unwrap_or(u32::MAX), cells };
    let mut table = vec![row(1, header.iter().map(|name| Cell::of(*name)).collect())];
    for (item, texts) in &rows {
        let cell = |column| texts.get(&column).map_or(Cell::Empty, |text| Cell::Text((*text).trim().into()));
        table.push(row(item + 2, (0..header.len()).map(cell).collect()));
    }
    let named = |fault: CellFault| {
        let given = cells.iter().find(|(_, name, item, _)| *name == fault.name && item + 2 == fault.row as usize);
        let member = given.map_or(fault.name, |(member, ..)| (*member).clone());
        MemberFault { member, detail: fault.detail }
    };
    let made = read(&table).map_err(|faults| faults.into_iter().map(named).collect::<Vec<_>>())?;
    Ok(made.rules.into_iter().next().unwrap_or_default())
}

/// The name of the column of a member, and the item of its list: `a.b[2].c` is in `a.b[].c`, the third item.
fn place(member: &str) -> Result<(String, usize), String> {
    let Some((list, rest)) = member.split_once('[') else { return Ok((member.to_owned(), 0)) };
    let wrong = || format!("{} não é o nome de um campo, como `conteudo.faixas[0].aliquota`.", shorten(member));
    let (item, rest) = rest.split_once(']').ok_or_else(wrong)?;
    let item: usize = if item.is_empty() { 0 } else { item.parse().map_err(|_| wrong())? };
    if item >= MAX_ITEMS {
        return Err(format!("A lista tem mais de {MAX_ITEMS} itens: escreva a regra numa planilha."));
    }
    if rest.contains('[') {
        return Err("Uma lista dentro de outra se escreve numa planilha: `taxd bundle template`.".to_owned());
    }
    Ok((format!("{list}[]{rest}"), item))
}

fn unknown(name: &str, columns: &[super::layout::LayoutColumn]) -> String {
    let near = nearest(name, columns.iter().map(|column| column.name.as_str()));
    let hint = near.map(|near| format!(" Você quis dizer {near}?")).unwrap_or_default();
    format!("A regra deste tributo não tem o campo {}.{hint}", shorten(name))
}
