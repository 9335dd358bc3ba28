//! Value types: a text is parsed once, and the type carries what was checked.
//!
//! No code behind these types parses a text again. Each type is read from a document
//! ([`FromNode`](crate::document::FromNode)), with a sentence in Portuguese for every fault.

mod api_key;
mod brazilian;
mod clock;
mod code;
mod conferencia;
mod date;
mod decimal;
mod digest;
mod exact;
mod exact_text;
mod item_servico;
mod money;
mod month;
mod municipio;
mod nomenclatura;
mod regra_citada;
mod rule_id;
mod secret;
mod signing_secret;
mod text;
mod timestamp;
mod tributo;
mod uf;

pub use api_key::{ApiKey, KeyDigest, KeyKind, RandomFailed, random_hex, random_u32};
pub use brazilian::{amount_in_brl, in_cents, percent, text_table, with_comma, with_separators};
pub use clock::Clock;
pub use code::{Cest, ClassificacaoTributaria, Ex, ExDeclarado, Ncm, NcmPrefix, cnpj_root};
pub use conferencia::Conferencia;
pub use date::{Date, Exercicio};
pub use decimal::{DecimalText, format_decimal, format_rate, parse_decimal, rate_as_shown};
pub use decimal::{read_with_comma, read_written};
pub use digest::{sha256_hex, sha256_hex_of, sha256_of_parts};
pub use exact::{Exact, Overflow};
pub use item_servico::{CodigoTributacaoNacional, ItemOuDesdobro, ItemServico};
pub use money::{Amount, Figura, PositiveAmount, Rate, SignedRate};
pub use month::Month;
pub use municipio::{Municipio, fold};
pub use nomenclatura::sucessao;
pub use regra_citada::RegraCitada;
pub use rule_id::{RuleCode, RuleId, Versao};
pub use secret::{REMOVED, looks_secret};
pub use signing_secret::Secret;
pub use text::{Int, Text, counted, read_text, read_word, shorten};
pub use timestamp::Timestamp;
pub use tributo::Tributo;
pub use uf::Uf;
