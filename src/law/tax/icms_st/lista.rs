//! The national list of goods that may be under substitution (Convênio ICMS 142/2018, Anexos II a
//! XXVI), for the NCM codes under which it has several goods: a rule for one of those goods must not
//! answer for another.
//!
//! It has every code that is in several segments, and of the codes with several goods in one segment
//! those that the built-in margins meet. If a wide item leaves a code to a narrow one by its own words
//! ("except for cars"), only the narrow one has that code here: a margin for the wide item refuses it,
//! and a margin for the narrow one answers. The list only distinguishes goods: a CEST that is not here is still
//! looked up. The segment of door-to-door sales (28) is left out, because
//! there the way of selling decides, not the goods.

use std::sync::LazyLock;

use crate::base::value::{Cest, Ncm, NcmPrefix};

/// One item a line, in the order of the CEST: the CEST, its NCM codes or prefixes, its goods.
/// Read in `l10n_br_fiscal.cest.csv` of the repository OCA/l10n-brazil; descriptions are shortened.
const LINES: &str = include_str!("lista_nacional.txt");

/// One item of the list.
pub(super) struct Item {
    pub(super) cest: Cest,
    ncm: Vec<NcmPrefix>,
    pub(super) descricao: &'static str,
}

impl Item {
    fn read(line: &'static str) -> Option<Item> {
        let (cest, rest) = line.split_once(' ')?;
        let (ncm, descricao) = rest.split_once(' ')?;
        let ncm = ncm.split(',').map(NcmPrefix::parse).collect::<Result<_, _>>().ok()?;
        Some(Item { cest: Cest::parse(cest).ok()?, ncm, descricao })
    }
}

static ITEMS: LazyLock<Vec<Item>> = LazyLock::new(|| LINES.lines().filter_map(Item::read).collect());

/// The goods that the list has under this NCM, without those of the CEST.
pub(super) fn others(ncm: &Ncm, cest: Cest) -> impl Iterator<Item = &'static Item> {
    ITEMS.iter().filter(move |item| item.cest != cest && item.ncm.iter().any(|prefix| ncm.is_under(prefix)))
}
