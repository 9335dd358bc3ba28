//! Which registers of the books are read, as data.

use crate::law::efd::{EfdKind, contribuicoes, icms_ipi};

/// A register that begins a document.
#[derive(Debug)]
pub(super) struct DocumentLayout {
    pub(super) register: &'static str,
    /// Place of the access key; zero if it has none.
    pub(super) key: usize,
    /// Place of the code of the participant; zero if it has none.
    pub(super) participant: usize,
    /// Places of its situation (`COD_SIT`), its series, its number and its day.
    pub(super) situation: usize,
    pub(super) series: usize,
    pub(super) number: usize,
    pub(super) day: usize,
    /// Registers below it that are kept, also those below its children.
    pub(super) children: &'static [&'static str],
}

/// What is read of a kind of books.
pub(super) struct BookLayout {
    pub(super) documents: &'static [DocumentLayout],
    /// Registers that name the establishment of the documents after them: its CNPJ is their second field.
    pub(super) establishments: &'static [&'static str],
    /// Registers of no document, which are kept to the end.
    pub(super) loose: &'static [&'static str],
    /// Registers that are part of sums and are not read, as others that are not named here: the sums are not checked in
    /// books that have them.
    pub(super) unread: &'static [&'static str],
    /// Registers that name a product, and the place of its code.
    pub(super) products: &'static [(&'static str, usize)],
}

/// The registers of participants and products, whose first fields both books share.
pub(super) const PARTICIPANT: &str = "0150";
pub(super) const PRODUCT: &str = "0200";

/// A register with an access key; what it lacks is zero.
const fn document(
    register: &'static str,
    [key, participant]: [usize; 2],
    [situation, series, number, day]: [usize; 4],
    children: &'static [&'static str],
) -> DocumentLayout {
    DocumentLayout { register, key, participant, situation, series, number, day, children }
}

const C100: DocumentLayout = {
    use icms_ipi::c100::{CHV_NFE, COD_PART, COD_SIT, DT_DOC, NUM_DOC, SER};
    document("C100", [CHV_NFE, COD_PART], [COD_SIT, SER, NUM_DOC, DT_DOC], OF_C100)
};
/// C105 says another State of the ICMS-ST; with C176, C177, C180 and C181 a note that the declarant issued has its items.
const OF_C100: &[&str] = &["C101", "C105", "C170", "C176", "C177", "C180", "C181", "C190", "C197"];
const C500: DocumentLayout = {
    use icms_ipi::c500::{CHV_DOCE, COD_PART, COD_SIT, DT_DOC, NUM_DOC, SER};
    document("C500", [CHV_DOCE, COD_PART], [COD_SIT, SER, NUM_DOC, DT_DOC], &["C590", "C597"])
};
const C800: DocumentLayout = {
    use icms_ipi::c800::{CHV_CFE, COD_SIT, DT_DOC, NR_SAT, NUM_CFE};
    document("C800", [CHV_CFE, 0], [COD_SIT, NR_SAT, NUM_CFE, DT_DOC], &["C850", "C857"])
};
const C860: DocumentLayout = {
    use icms_ipi::c860::{DOC_INI, DT_DOC, NR_SAT};
    document("C860", [0, 0], [0, NR_SAT, DOC_INI, DT_DOC], &["C890", "C897"])
};
const D100: DocumentLayout = {
    use icms_ipi::d100::{CHV_CTE, COD_PART, COD_SIT, DT_DOC, NUM_DOC, SER};
    document("D100", [CHV_CTE, COD_PART], [COD_SIT, SER, NUM_DOC, DT_DOC], &["D101", "D190", "D197"])
};
const D500: DocumentLayout = {
    use icms_ipi::d500::{COD_PART, COD_SIT, DT_DOC, NUM_DOC, SER};
    document("D500", [0, COD_PART], [COD_SIT, SER, NUM_DOC, DT_DOC], &["D590"])
};
const D700: DocumentLayout = {
    use icms_ipi::d700::{CHV_DOCE, COD_PART, COD_SIT, DT_DOC, NUM_DOC, SER};
    document("D700", [CHV_DOCE, COD_PART], [COD_SIT, SER, NUM_DOC, DT_DOC], &["D730", "D737"])
};

const A100: DocumentLayout = {
    use contribuicoes::a100::{COD_PART, COD_SIT, DT_DOC, NUM_DOC, SER};
    document("A100", [0, COD_PART], [COD_SIT, SER, NUM_DOC, DT_DOC], &["A170"])
};
const C180: DocumentLayout = document("C180", [0, 0], [0, 0, 0, contribuicoes::c180::DT_DOC_INI], &["C181", "C185"]);
const C190: DocumentLayout = document("C190", [0, 0], [0, 0, 0, contribuicoes::c190::DT_REF_INI], &["C191", "C195"]);
const D200: DocumentLayout = {
    use contribuicoes::d200::{COD_SIT, DT_REF, NUM_DOC_INI, SER};
    document("D200", [0, 0], [COD_SIT, SER, NUM_DOC_INI, DT_REF], &["D201", "D205"])
};
const F100: DocumentLayout = {
    use contribuicoes::f100::{COD_PART, DT_OPER};
    document("F100", [0, COD_PART], [0, 0, 0, DT_OPER], &[])
};

const ICMS_IPI: BookLayout = BookLayout {
    documents: &[C100, C500, C800, C860, D100, D500, D700],
    establishments: &[],
    loose: &[
        "E100", "E110", "E111", "E116", "E200", "E210", "E250", "E300", "E310", "E316", "E500", "E510", "E520", "1900",
    ],
    unread: &["C320", "C390", "C490", "C690", "C790", "D300", "D390", "D410", "D690", "D696", "D760"],
    products: &[("C170", icms_ipi::c170::COD_ITEM)],
};

const CONTRIBUICOES: BookLayout = BookLayout {
    // The fields of C100 are those of the EFD ICMS/IPI.
    documents: &[
        DocumentLayout { children: &["C170", "C175"], ..C100 },
        A100,
        C180,
        C190,
        DocumentLayout { children: &["C870"], ..C860 },
        DocumentLayout { children: &["D101", "D105"], ..D100 },
        D200,
        F100,
    ],
    establishments: &["A010", "C010", "D010", "F010"],
    loose: &[
        "0110", "F500", "F510", "F550", "F560", "F600", "M200", "M210", "M211", "M400", "M410", "M600", "M610", "M611",
        "M800", "M810",
    ],
    unread: &[
        "C381", "C385", "C481", "C485", "C491", "C495", "C601", "C605", "C810", "C820", "C880", "D300", "D350", "D601",
        "D605", "F200", "I100",
    ],
    products: &[("C170", contribuicoes::c170::COD_ITEM), ("C870", contribuicoes::c870::COD_ITEM)],
};

pub(super) fn of(kind: EfdKind) -> &'static BookLayout {
    match kind {
        EfdKind::IcmsIpi => &ICMS_IPI,
        EfdKind::Contribuicoes => &CONTRIBUICOES,
    }
}

impl BookLayout {
    /// The layout of a register that begins a document.
    pub(super) fn document(&self, register: &str) -> Option<&'static DocumentLayout> {
        self.documents.iter().find(|layout| layout.register == register)
    }
}
