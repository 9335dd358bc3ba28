//! The digital books of the SPED: EFD ICMS/IPI and EFD-Contribuições, record by record.
//!
//! A book is text: each line is a register (`|C100|1|0|...|`), and a child follows its parent. Layouts add fields at the
//! end of a register, so fields are read by their place and further ones are not looked at. The places are data
//! ([`icms_ipi`], [`contribuicoes`]): the names of the fields in their order.
//!
//! Pure: the lines are given to [`EfdReader`], one after the other, so that a book is never in memory as a whole. What the
//! lines of a book mean together is for its reader to say.

pub mod contribuicoes;
pub mod icms_ipi;
mod reader;
mod record;

pub use reader::{EfdFault, EfdLine, EfdReader, MAX_LINE_BYTES, decoded};
pub use record::EfdRecord;

use crate::base::value::{Date, Uf};

/// The name of a register, and those of its fields, in their order from 1.
pub type Register = (&'static str, &'static [&'static str]);

/// Declares registers: a module for each, with the place of each field, from 1, by its official name. Registers may share
/// their fields.
macro_rules! registers {
    (@one $module:ident $name:literal { $($field:ident)* }) => {
        #[doc = concat!("`", $name, "`")]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the official names of the fields")]
        pub mod $module {
            enum At { REG = 1, $($field,)* }
            pub const REG: usize = At::REG as usize;
            $( pub const $field: usize = At::$field as usize; )*
            pub(super) const FIELDS: &[&str] = &["REG", $( stringify!($field), )*];
        }
    };
    ($( $($module:ident $name:literal)+ => $fields:tt )*) => {
        $($( registers! { @one $module $name $fields } )+)*

        /// All registers of the book that are read.
        pub const REGISTERS: &[super::Register] = &[ $($( ($name, $module::FIELDS), )+)* ];
    };
}

use registers;

/// Which book a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EfdKind {
    IcmsIpi,
    Contribuicoes,
}

impl EfdKind {
    /// By the record `0000`, which begins each book. The two have the period in other fields (Ato COTEPE/ICMS 44/2018; ADE
    /// Cofis 34/2010).
    pub fn of(first: &EfdRecord<'_>) -> Option<EfdKind> {
        let is_day = |at: usize| first.text(at).len() == 8 && first.text(at).bytes().all(|byte| byte.is_ascii_digit());
        match first.name() {
            "0000" if is_day(icms_ipi::r0000::DT_INI) => Some(EfdKind::IcmsIpi),
            "0000" if is_day(contribuicoes::r0000::DT_INI) => Some(EfdKind::Contribuicoes),
            _ => None,
        }
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            EfdKind::IcmsIpi => "EFD ICMS/IPI",
            EfdKind::Contribuicoes => "EFD-Contribuições",
        }
    }

    /// The blocks that every book of the kind has had since its first layout.
    fn blocks(self) -> &'static [u8] {
        match self {
            EfdKind::IcmsIpi => b"0CDEH19",
            EfdKind::Contribuicoes => b"0ACDFM19",
        }
    }

    fn registers(self) -> &'static [Register] {
        match self {
            EfdKind::IcmsIpi => icms_ipi::REGISTERS,
            EfdKind::Contribuicoes => contribuicoes::REGISTERS,
        }
    }
}

/// Whose book it is, and of which period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EfdHeader {
    pub kind: EfdKind,
    /// The version of the layout: 20 is that of the EFD ICMS/IPI of 2026.
    pub version: u16,
    /// It replaces a book that was delivered before.
    pub replaces: bool,
    pub first_day: Date,
    pub last_day: Date,
    /// CNPJ, or else CPF, of the declarant, without punctuation.
    pub declarant: String,
    pub uf: Option<Uf>,
}

impl EfdHeader {
    /// Reads the record `0000`. Fails with the name of the field that has no readable value.
    pub fn of(first: &EfdRecord<'_>) -> Result<EfdHeader, &'static str> {
        use contribuicoes::r0000 as c;
        use icms_ipi::r0000 as i;
        let kind = EfdKind::of(first).ok_or("REG")?;
        let [replaces, first_day, last_day, cnpj, uf] = match kind {
            EfdKind::IcmsIpi => [i::COD_FIN, i::DT_INI, i::DT_FIN, i::CNPJ, i::UF],
            EfdKind::Contribuicoes => [c::TIPO_ESCRIT, c::DT_INI, c::DT_FIN, c::CNPJ, c::UF],
        };
        let cpf = if kind == EfdKind::IcmsIpi { first.text(i::CPF) } else { "" };
        let declarant = Some(first.text(cnpj)).filter(|cnpj| !cnpj.is_empty()).unwrap_or(cpf);
        let is_number =
            matches!(declarant.len(), 11 | 14) && declarant.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_number {
            return Err("CNPJ");
        }
        Ok(EfdHeader {
            kind,
            version: first.text(i::COD_VER).parse().map_err(|_| "COD_VER")?,
            replaces: first.text(replaces) == "1",
            first_day: first.day(first_day).ok_or("DT_INI")?,
            last_day: first.day(last_day).ok_or("DT_FIN")?,
            declarant: declarant.to_ascii_uppercase(),
            uf: Uf::from_abbreviation(first.text(uf)),
        })
    }
}
