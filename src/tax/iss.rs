//! ISS: the municipal service tax (contract, section 2.3; LC 116/2003).
//!
//! The rule of the subitem wins over the general one of the municipality. Societies of a
//! single profession pay a fixed amount for each professional (Decreto-Lei 406/1968,
//! art. 9º, § 3º), stated as such or as a presumed base at a rate.

use super::calculation::{Calculated, Calculation};
use super::entry::{Condition, FieldValue, Tax};
use super::faixas::Metodo;
use super::figures::Money;
use crate::document::{Faults, Path, Sometimes};
use crate::problem::ErrorCode;
use crate::rule::{Axis, Chave, Condicao, Discriminator, Escopo, Regra, RuleResult, ScopeSpec, exigir};
use crate::value::{Amount, Date, Exact, Figura, Int, ItemServico, Municipio, Rate, Text, Tributo, Uf};

pub(super) const ISS: Tributo = Tributo::new("iss");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "iss",
  "uf": "SP",
  "municipio": "São Paulo",
  "item_lista_servico": "1.01",
  "preco_servico": "10000.00",
  "data": "2026-04-15"
}"#;

/// A rule of the fixed regime names it; one that names none is of the normal regime.
const REGIME: Discriminator = Discriminator { campo: "regime", palavras: &[Regime::SociedadeUniprofissional.as_str()] };

crate::vocabulary! {
    /// How the provider is taxed.
    pub enum Regime {
        Normal = "normal",
        SociedadeUniprofissional = "sociedade_uniprofissional",
    }
}

crate::document! {
    /// Payload of `iss`.
    pub struct Payload {
        uf: Uf, "UF do município";
        municipio: Municipio, "Município onde o imposto é devido" + " (na construção civil, o da obra)";
        item_lista_servico: ItemServico, "Subitem da lista de serviços, N.NN";
        preco_servico: Amount, "Preço do serviço";
        data: Date, "Data da prestação";
        regime: Regime = "normal", "Regime de tributação do prestador";
        numero_profissionais: Option<Int<0, 1_000_000>>, "Número de profissionais" + ", no regime fixo";
    }

    /// Amount for each professional up to a number of them.
    pub struct FaixaProfissionais {
        ate: Option<Int<1, 1_000_000>>, "Último profissional da faixa; nulo na última";
        base_presumida: Option<Figura<Amount>>, "Receita presumida por profissional";
        valor_por_profissional: Option<Figura<Amount>>, "Imposto por profissional";
    }

    /// The fixed regime.
    pub struct Fixo {
        periodicidade: Text, "A que período o valor se refere";
        metodo: Metodo, "marginal: cada profissional pela sua faixa; integral: todos pela faixa do total";
        aliquota: Option<Figura<Rate>>, "Alíquota sobre a base presumida";
        faixas: Vec<FaixaProfissionais>, "Valores por número de profissionais";
    }

    /// Content of an `iss` rule.
    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota sobre o preço do serviço";
        retido_na_fonte: Option<bool>, "O tomador retém o imposto";
        fixo: Option<Fixo>, "Regime fixo por profissional";
    }
}

/// The refusal if the number of professionals of a society is missing or zero.
const SEM_PROFISSIONAIS: &str =
    "No regime de sociedade uniprofissional informe `numero_profissionais`, de 1 em diante.";

crate::components! {
    /// What an answer of `iss` shows.
    pub struct Detalhes {
        preco_servico: Money, "Preço do serviço";
        aliquota_aplicada: Option<Rate>, "Alíquota" + "; nulo onde o valor é por profissional";
        item_lista_servico: String, "Subitem da lista de serviços";
        regime: Regime, "Regime do prestador";
        retido_na_fonte: Option<bool>, "O tomador retém o imposto" + "; nulo se a regra não diz";
        municipio: &'static str, "Município" + ", na grafia oficial";
        numero_profissionais: Sometimes<i64>, "Número de profissionais" + ", no regime fixo";
        periodicidade: Sometimes<Text>, "A que período o valor se refere" + ", no regime fixo";
    }
}

/// See the module.
pub struct Iss;

impl Tax for Iss {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec = ScopeSpec {
        eixos: &[Axis::Uf, Axis::Municipio, Axis::ItemListaServico],
        obrigatorios: &[Axis::Uf, Axis::Municipio],
        discriminador: Some(REGIME),
    };
    const CONDITIONS: &'static [Condition] = &[Condition {
        campo: "regime",
        equals: FieldValue::Word(Regime::SociedadeUniprofissional.as_str()),
        requires: "numero_profissionais",
        codigo: ErrorCode::NumeroProfissionaisAusente,
        detail: SEM_PROFISSIONAIS,
    }];

    fn check(p: &Payload, faults: &mut Faults) {
        let nobody = p.numero_profissionais.is_some_and(|count| count.get() == 0);
        if p.regime == Regime::SociedadeUniprofissional && nobody {
            let here = Path::ROOT;
            faults.add(&here.key("numero_profissionais"), ErrorCode::ForaDoIntervalo, SEM_PROFISSIONAIS);
        }
    }

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        if c.aliquota.is_some() == c.fixo.is_some() {
            let detail = "Informe `aliquota` (ou null, se não está estabelecida) ou `fixo`, um dos dois.";
            faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
        }
        if let Some(fixo) = &c.fixo {
            check_fixo(fixo, &at.key("fixo"), faults);
        }
    }

    fn check_regra(c: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        if c.fixo.is_some() == escopo.palavras.is_empty() {
            let detail = "O conteúdo `fixo` vai com `regime`: \"sociedade_uniprofissional\" no escopo, e só com ele.";
            faults.add(&at.key("escopo").key("regime"), ErrorCode::ValorInvalido, detail);
        }
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let palavra = match p.regime {
            Regime::Normal => None,
            fixed @ Regime::SociedadeUniprofissional => REGIME.palavra(fixed.as_str()),
        };
        let any_item = Chave { palavra, ..Chave::no_municipio(ISS, p.municipio) };
        let own_item = Chave { item: Some(p.item_lista_servico), ..any_item.clone() };
        let unlisted = p.item_lista_servico.suggestion();
        let regra = exigir(calculation.regras, &[own_item, any_item], None, p.data).map_err(|mut problem| {
            if let Some(suggestion) = unlisted.as_ref().filter(|_| problem.codigo == ErrorCode::RegraInexistente) {
                problem.detail = format!("{} {suggestion}", problem.detail);
            }
            problem
        })?;
        if let Some(suggestion) = unlisted.filter(|_| regra.escopo.item_lista_servico.is_empty()) {
            calculation.warn(Condicao::Campo, suggestion);
        }
        let conteudo = regra.conteudo::<Conteudo>()?;
        let (due, rate, fixed) = match (&conteudo.fixo, p.numero_profissionais, conteudo.aliquota) {
            (Some(fixo), Some(count), _) => {
                let rate = fixo.aliquota.and_then(Figura::established);
                (fixed_amount(&regra, fixo, count.get())?, rate, Some((fixo, count.get())))
            }
            (None, _, Some(aliquota)) => {
                let rate = regra.figura("aliquota", aliquota)?;
                (p.preco_servico.exact() * rate.fraction(), Some(rate), None)
            }
            _ => return Err(regra.sem_conteudo("aliquota")),
        };
        calculation.step("valor", &regra, Money::rounded(due)?, || match (fixed, rate) {
            (Some((_, count)), _) => format!("valor por profissional × {count} profissionais"),
            (None, Some(rate)) => format!("{} × {rate}%", p.preco_servico),
            (None, None) => String::new(),
        });
        let (numero_profissionais, periodicidade) =
            fixed.map(|(fixo, count)| (count, fixo.periodicidade.clone())).unzip();
        let detalhes = Detalhes {
            preco_servico: Money::rounded(p.preco_servico.exact())?,
            aliquota_aplicada: rate,
            item_lista_servico: p.item_lista_servico.to_string(),
            regime: p.regime,
            retido_na_fonte: conteudo.retido_na_fonte,
            municipio: p.municipio.name(),
            numero_profissionais: Sometimes(numero_profissionais),
            periodicidade: Sometimes(periodicidade),
        };
        Ok(Calculated { valor: Money::rounded(due)?, regra: regra.clone(), detalhes })
    }
}

fn check_fixo(fixo: &Fixo, at: &Path<'_>, faults: &mut Faults) {
    let list = at.key("faixas");
    if fixo.faixas.is_empty() {
        faults.add(&list, ErrorCode::CampoObrigatorio, "O regime fixo precisa de ao menos uma faixa.");
    }
    let mut previous = 0;
    for (i, faixa) in fixo.faixas.iter().enumerate() {
        let here = list.index(i);
        if faixa.base_presumida.is_some() == faixa.valor_por_profissional.is_some() {
            let detail = "Informe `base_presumida` ou `valor_por_profissional`, um dos dois.";
            faults.add(&here, ErrorCode::CampoObrigatorio, detail);
        }
        if faixa.base_presumida.is_some() && fixo.aliquota.is_none() {
            let detail = "Uma base presumida precisa de `aliquota` no regime fixo.";
            faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
        }
        let last = i + 1 == fixo.faixas.len();
        match faixa.ate.map(Int::get) {
            Some(_) if last => {
                faults.add(&here, ErrorCode::ValorInvalido, "A última faixa precisa ter `ate` nulo.");
            }
            None if !last => {
                faults.add(&here, ErrorCode::ValorInvalido, "Só a última faixa pode ter `ate` nulo.");
            }
            Some(ate) if ate <= previous => {
                faults.add(&here, ErrorCode::ValorInvalido, "As faixas precisam crescer.");
            }
            ate => previous = ate.unwrap_or(previous),
        }
    }
}

/// The tax for `count` professionals.
fn fixed_amount(regra: &Regra, fixo: &Fixo, count: i64) -> RuleResult<Exact> {
    let mut total = Exact::ZERO;
    let mut floor = 0;
    for (i, faixa) in fixo.faixas.iter().enumerate() {
        let ceiling = faixa.ate.map_or(count, Int::get).min(count);
        let is_last = ceiling == count;
        let people = match fixo.metodo {
            Metodo::Marginal => ceiling - floor,
            Metodo::Integral if is_last => count,
            Metodo::Integral => 0,
        };
        if people > 0 {
            let each = match (faixa.valor_por_profissional, faixa.base_presumida, fixo.aliquota) {
                (Some(valor), _, _) => {
                    regra.figura(&format!("fixo.faixas[{i}].valor_por_profissional"), valor)?.exact()
                }
                (None, Some(base), Some(aliquota)) => {
                    let base = regra.figura(&format!("fixo.faixas[{i}].base_presumida"), base)?;
                    base.exact() * regra.figura("fixo.aliquota", aliquota)?.fraction()
                }
                _ => return Err(regra.sem_conteudo("fixo.faixas")),
            };
            total = total + each * Exact::from(u32::try_from(people).unwrap_or(u32::MAX));
        }
        if is_last {
            break;
        }
        floor = ceiling;
    }
    Ok(total)
}
