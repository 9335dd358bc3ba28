//! The rules that came nearest, when a lookup found none: what its 404 names.
//!
//! [`reading`] reads the keys around those of the lookup, a bounded number of them; nothing here reads more. What ruled
//! each of them out follows from its key and its days alone.

mod reading;

use std::collections::HashSet;

use super::lookup::{Linha, Regras, RuleResult};
use super::scope::{Axis, Chave, Dimension};
use super::succession::Vigencia;
use crate::base::problem::{Candidato, Exclusao};
use crate::base::sentence::Sentence;
use crate::base::value::{Date, Ncm};

/// Most candidates of a refusal.
const MAX_CANDIDATES: usize = 5;
/// Most candidates that the same kind of difference rules out.
const MAX_OF_A_KIND: usize = 3;

/// Digits of an NCM that a rule must have in common with the one asked for: those of the heading. Rules of other goods help
/// no caller.
const COMMON_NCM: usize = 4;

/// Characters of the longest code of a key: an NCM or a subdivision of a service item.
const LONGEST_CODE: usize = 8;

/// A lookup that found no rule.
pub(crate) struct Search<'a> {
    /// Its keys, the most specific first.
    pub(crate) chaves: &'a [Chave],
    /// True if a key was looked up with every value of its last dimension.
    pub(crate) any_cest: bool,
    /// The NCM that a rule may exclude.
    pub(crate) ncm: Option<&'a Ncm>,
    pub(crate) data: Date,
}

#[derive(Default)]
pub(super) struct Nearest {
    /// The validity nearest to the day among the rules of the keys, and the key.
    pub(super) validity: Option<(Chave, Vigencia)>,
    pub(super) candidatos: Vec<Candidato>,
}

use Dimension::{Cest, Ex, Item, Municipio, Palavra, Tributo, UfDestino, UfOrigem};

/// What ruled a version out; in this order they are near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// It excludes the NCM.
    Excepted,
    /// It answers on other days.
    Day,
    Cest,
    Ex,
    Item,
    Word,
    Origin,
    Ncm,
    /// Two dimensions, one of them the NCM.
    NcmAndMore,
}

/// A version that did not answer.
struct Ruled<'r> {
    kind: Kind,
    /// Days between the validity and the day, or the characters that its code has not in common; less is nearer.
    distance: u64,
    /// Place of the nearest key of the lookup.
    asked: usize,
    chave: &'r [u8],
    numero: u64,
    vigencia: Vigencia,
    differing: Vec<Dimension>,
}

fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// The group of an item of the service list, with its point.
fn group(item: &str) -> &str {
    item.split_inclusive('.').next().unwrap_or_default()
}

impl Search<'_> {
    /// Reads the rules around the keys, and chooses.
    pub(super) fn nearest(&self, regras: &dyn Regras) -> RuleResult<Nearest> {
        let asked: Vec<Vec<u8>> = self.chaves.iter().map(Chave::bytes).collect();
        let rows = reading::around(self, &asked, regras)?;
        let parts: Vec<[&[u8]; 9]> = asked.iter().map(|key| Dimension::parts(key)).collect();
        let mut ruled: Vec<Ruled<'_>> = Vec::new();
        for row in &rows {
            self.judge(row, &parts, &mut ruled);
        }
        ruled.sort_by(|a, b| (a.kind, a.distance, a.asked, a.chave).cmp(&(b.kind, b.distance, b.asked, b.chave)));
        let nearest_day = ruled.iter().find(|r| r.kind == Kind::Day);
        let validity = nearest_day.and_then(|r| Some((self.chaves.get(r.asked)?.clone(), r.vigencia)));
        Ok(Nearest { validity, candidatos: self.candidates(&ruled, regras)? })
    }

    /// Adds what ruled the versions of a key out.
    fn judge<'r>(&self, row: &'r Linha, asked: &[[&[u8]; 9]], ruled: &mut Vec<Ruled<'r>>) {
        let Some((place, differing)) = self.compare(&row.chave, asked) else { return };
        let on_the_day = row.versoes.iter().find(|(_, vigencia)| vigencia.covers(self.data));
        let mut add = |kind, distance, (numero, vigencia): (u64, Vigencia)| {
            let differing = differing.clone();
            ruled.push(Ruled { kind, distance, asked: place, chave: &row.chave, numero, vigencia, differing });
        };
        match (on_the_day, differing.as_slice()) {
            (Some(version), []) => add(Kind::Excepted, 0, *version),
            (Some(version), _) => {
                if let Some((kind, distance)) = Self::kind(&row.chave, asked, &differing) {
                    add(kind, distance, *version);
                }
            }
            (None, []) => {
                let others = || row.versoes.iter().copied().map(|v| (v.1.distance(self.data), v));
                let before = others().filter(|(_, v)| v.1.de <= self.data).min_by_key(|(distance, _)| *distance);
                let after = others().filter(|(_, v)| v.1.de > self.data).min_by_key(|(distance, _)| *distance);
                before.into_iter().chain(after).for_each(|(distance, version)| add(Kind::Day, distance, version));
            }
            (None, _) => {}
        }
    }

    /// The key of the lookup that differs least, and the dimensions in which it differs.
    fn compare(&self, chave: &[u8], asked: &[[&[u8]; 9]]) -> Option<(usize, Vec<Dimension>)> {
        let own = Dimension::parts(chave);
        let compared = if self.any_cest { own.len() - 1 } else { own.len() };
        let mut nearest: Option<(usize, usize)> = None;
        for (place, key) in asked.iter().enumerate() {
            let most = nearest.map_or(compared, |(count, _)| count);
            let differing = key.iter().zip(&own).take(compared).filter(|(a, b)| a != b);
            // No more than decides that another key is nearer.
            let count = differing.take(most).count();
            if nearest.is_none() || count < most {
                nearest = Some((count, place));
            }
        }
        let (place, key) = nearest.and_then(|(_, place)| Some((place, asked.get(place)?)))?;
        let pairs = Dimension::ALL.into_iter().zip(key.iter().zip(&own)).take(compared);
        Some((place, pairs.filter(|(_, (a, b))| a != b).map(|(dimension, _)| dimension).collect()))
    }

    /// The kind of a difference, and how far it is. `None` if it is too far to help a caller.
    fn kind(chave: &[u8], asked: &[[&[u8]; 9]], differing: &[Dimension]) -> Option<(Kind, u64)> {
        let near = |dimension: Dimension, least: usize| {
            let own = dimension.of(chave).as_bytes();
            let common = asked.iter().map(|key| common(dimension.among(key), own)).max().unwrap_or_default();
            // At most the length of the longest code.
            (common >= least).then(|| (LONGEST_CODE - common.min(LONGEST_CODE)) as u64)
        };
        match differing {
            [Cest] => Some((Kind::Cest, near(Cest, 0)?)),
            [Ex] => Some((Kind::Ex, near(Ex, 0)?)),
            [Item] => Some((Kind::Item, near(Item, group(Item.of(chave)).len())?)),
            [Palavra] => Some((Kind::Word, 0)),
            [UfOrigem] => Some((Kind::Origin, 0)),
            [Dimension::Ncm] => Some((Kind::Ncm, near(Dimension::Ncm, COMMON_NCM)?)),
            [Dimension::Ncm, Cest | Ex] => Some((Kind::NcmAndMore, near(Dimension::Ncm, COMMON_NCM)?)),
            _ => None,
        }
    }

    /// The nearest of them, each rule once.
    fn candidates(&self, ruled: &[Ruled<'_>], regras: &dyn Regras) -> RuleResult<Vec<Candidato>> {
        let mut candidatos = Vec::new();
        let mut known = HashSet::new();
        let mut of_kind: Vec<(Kind, bool)> = Vec::new();
        for r in ruled {
            // Of the days, the nearest before and the nearest after.
            let side = (r.kind, r.kind == Kind::Day && r.vigencia.de > self.data);
            let most = if r.kind == Kind::Day { 1 } else { MAX_OF_A_KIND };
            let full = of_kind.iter().filter(|other| **other == side).count() >= most;
            if candidatos.len() == MAX_CANDIDATES || full || known.contains(&r.numero) {
                continue;
            }
            if let Some(candidato) = self.candidate(r, regras)? {
                candidatos.push(candidato);
                known.insert(r.numero);
                of_kind.push(side);
            }
        }
        Ok(candidatos)
    }

    /// The candidate as a refusal shows it. `None` for a rule that did not take part in the lookup.
    fn candidate(&self, r: &Ruled<'_>, regras: &dyn Regras) -> RuleResult<Option<Candidato>> {
        let regra = regras.versao(r.numero, r.vigencia)?;
        let Vigencia { de, ate } = r.vigencia;
        let (por, valores, descricao): (Vec<&'static str>, Vec<_>, Sentence) = match (r.kind, self.ncm) {
            (Kind::Excepted, Some(ncm)) if regra.escopo.excetua(ncm) => {
                (vec![Axis::NcmExceto.as_str()], Vec::new(), format!("exclui o NCM {ncm}").into())
            }
            (Kind::Excepted, _) => return Ok(None),
            (Kind::Day, _) => (
                vec!["data"],
                Vec::new(),
                Sentence::of(|to| match ate {
                    Some(ate) => {
                        format!("fora da vigência: de {} a {}", de.read_by(to), ate.previous_day().read_by(to))
                    }
                    None => format!("fora da vigência: desde {}", de.read_by(to)),
                }),
            ),
            // A classification is a word of the same dimension, and belongs to another lookup.
            (Kind::Word, _) if regra.escopo.classificacao.is_some() => return Ok(None),
            _ => {
                let named: Vec<(&'static str, &str)> =
                    r.differing.iter().map(|d| (field(*d, regra.escopo.discriminador), d.of(r.chave))).collect();
                let pairs = r.differing.iter().zip(&named);
                let words: Vec<String> = pairs.map(|(d, (campo, valor))| difference(*d, campo, valor)).collect();
                let valores = named.iter().filter(|(_, valor)| !valor.is_empty());
                (
                    named.iter().map(|(campo, _)| *campo).collect(),
                    valores.map(|(campo, valor)| (*campo, (*valor).to_owned())).collect(),
                    format!("vale {}", words.join(", ")).into(),
                )
            }
        };
        let exclusao = Some(Exclusao { por, regra: regra.citada() });
        Ok(Some(Candidato { valores, descricao, fora_da_substituicao: false, exclusao }))
    }
}

/// The field of a payload that a dimension is compared with.
fn field(dimension: Dimension, own: Option<&'static str>) -> &'static str {
    match dimension {
        Tributo => "tributo",
        UfOrigem => Axis::UfOrigem.as_str(),
        UfDestino => Axis::UfDestino.as_str(),
        Municipio => Axis::Municipio.as_str(),
        Palavra => own.unwrap_or("tributo"),
        Dimension::Ncm => Axis::Ncm.as_str(),
        Ex => Axis::Ex.as_str(),
        Item => Axis::ItemListaServico.as_str(),
        Cest => Axis::Cest.as_str(),
    }
}

/// In what a rule differs, in Portuguese: the `valor` that it has in a dimension, or none.
fn difference(dimension: Dimension, campo: &str, valor: &str) -> String {
    let name = match dimension {
        Dimension::Ncm => "NCM",
        Cest => "CEST",
        Ex => "Ex",
        Item => "item",
        UfOrigem => "UF de origem",
        _ if valor.is_empty() => return format!("sem distinguir `{campo}`"),
        _ => return format!("para `{campo}`: `{valor}`"),
    };
    if valor.is_empty() { format!("sem {name}") } else { format!("para {name} {valor}") }
}

/// The candidates as one sentence; `None` without any. Leaves out the one of the day of `validity`, which another
/// sentence names.
pub(super) fn written(Nearest { validity, candidatos }: &Nearest) -> Option<Sentence> {
    let named = |e: &Exclusao| {
        let days = Vigencia { de: e.regra.vigente_de, ate: e.regra.vigente_ate };
        e.por == ["data"] && validity.as_ref().is_some_and(|(_, nearest)| *nearest == days)
    };
    let others = candidatos.iter().filter_map(|c| Some((c, c.exclusao.as_ref()?))).filter(|(_, e)| !named(e));
    let one = |(c, e): (&Candidato, &Exclusao)| {
        Sentence::of(|to| format!("{} ({})", e.regra.rule_id, c.descricao.read_by(to)))
    };
    let list: Vec<Sentence> = others.map(one).collect();
    (!list.is_empty()).then(|| Sentence::joined(&list, "; "))
}
