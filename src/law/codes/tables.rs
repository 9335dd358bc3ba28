//! Which tables there are: the file of each, the digits of its codes, and how a document writes one.

taxd_base::vocabulary! {
    pub enum Tabela {
        Ncm = "ncm",
        Cest = "cest",
        Servico = "servico",
        Classificacao = "classificacao",
        Cfop = "cfop",
        Cst = "cst",
        Nbs = "nbs",
    }
}

impl Tabela {
    /// How many digits a code has that a payload may name; shorter ones are headings.
    pub const fn digits(self) -> usize {
        match self {
            Tabela::Ncm => 8,
            Tabela::Cest => 7,
            // A CST has the digit of its table before it.
            Tabela::Servico | Tabela::Cfop | Tabela::Cst => 4,
            Tabela::Classificacao => 6,
            Tabela::Nbs => 9,
        }
    }

    /// The code as payloads and documents write it: a subitem of the list of services, stored as `0107`, is `1.07`; a CST,
    /// stored as `1060`, is `60`.
    pub fn written(self, digits: &str) -> String {
        let written = || match self {
            Tabela::Servico => Some(match digits.split_at_checked(2)? {
                (item, "") => item.trim_start_matches('0').to_owned(),
                (item, subitem) => format!("{}.{subitem}", item.trim_start_matches('0')),
            }),
            Tabela::Cst => {
                let (table, code) = digits.split_at_checked(1)?;
                let is_of_three = matches!(table, "2" | "5");
                Some(if is_of_three { code } else { code.strip_prefix('0')? }.to_owned())
            }
            Tabela::Nbs if digits.len() == self.digits() => {
                let parts = [digits.get(..1)?, digits.get(1..5)?, digits.get(5..7)?, digits.get(7..)?];
                Some(parts.join("."))
            }
            _ => None,
        };
        written().unwrap_or_else(|| digits.to_owned())
    }
}
