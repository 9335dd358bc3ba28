//! ISS: the municipal service tax (contract, section 2.3; LC 116/2003).
//!
//! The rule of the subdivision (`codigo_tributacao_nacional`) wins over that of the subitem, and that one over the
//! general one of the municipality. Societies of a
//! single profession pay a fixed amount for each professional (Decreto-Lei 406/1968,
//! art. 9º, § 3º), stated as such or as a presumed base at a rate.

mod limites;
mod not_given;

use std::collections::HashSet;

use super::calculation::{Calculated, Calculation};
use super::entry::{Condition, FieldValue, Tax};
use super::faixas::Metodo;
use super::figures::Money;
use super::formula::Formula;
use super::transicao::{self, Transicao, WithTransition};
use crate::base::document::{Faults, Object, Path, Sometimes, Words};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{
    Amount, CodigoTributacaoNacional, Date, Figura, Int, ItemOuDesdobro, ItemServico, Municipio, Rate, Text, Tributo,
    Uf,
};
use crate::rule::{Axis, Chave, Discriminator, Escopo, Regra, RuleResult, ScopeSpec, require};

pub const ISS: Tributo = Tributo::new("iss");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "iss",
  "uf": "SP",
  "municipio": "São Paulo",
  "item_lista_servico": "1.01",
  "preco_servico": "10000.00",
  "data": "2026-04-15"
}"#;

/// A rule of the fixed regime names it; one that names none is of the normal regime.
const REGIME: Discriminator =
    Discriminator { campo: "regime", palavras: Words::bare(&[Regime::SociedadeUniprofissional.as_str()]) };

taxd_base::vocabulary! {
    /// How the provider is taxed.
    pub enum Regime {
        Normal = "normal" => "Normal",
        SociedadeUniprofissional = "sociedade_uniprofissional" => "Sociedade uniprofissional",
    }
}

taxd_base::document! {
    pub struct Payload {
        uf: Uf, "UF do município";
        municipio: Municipio, "Município onde o imposto é devido" + " (na construção civil, o da obra)";
        item_lista_servico: ItemServico, "Subitem da lista de serviços" + ", como 1.07";
        codigo_tributacao_nacional: Option<CodigoTributacaoNacional>, "Código de tributação nacional da NFS-e (cTribNac)" + ", se a alíquota depende do desdobro do subitem";
        preco_servico: Amount, "Preço do serviço";
        data: Date, "Data da prestação";
        regime: Regime = "normal", "Regime de tributação do prestador";
        numero_profissionais: Option<Int<0, 1_000_000>>, "Número de profissionais" + ", no regime fixo";
    }

    /// Amount for each professional up to a number of them.
    pub struct FaixaProfissionais {
        ate: Option<Int<1, 1_000_000>>, "Último profissional da faixa" + "; nulo na última";
        base_presumida: Option<Figura<Amount>>, "Receita presumida por profissional";
        valor_por_profissional: Option<Figura<Amount>>, "Imposto por profissional";
    }

    /// The fixed regime.
    pub struct Fixo {
        periodicidade: Text, "A que período o valor se refere";
        metodo: Metodo, "Como as faixas contam" + "; marginal: cada profissional pela sua faixa; integral: todos pela faixa do total";
        aliquota: Option<Figura<Rate>>, "Alíquota sobre a base presumida";
        faixas: Vec<FaixaProfissionais>, "Valores por número de profissionais";
    }

    /// The services of a municipality that have one rate.
    pub struct GrupoServicos {
        aliquota: Figura<Rate>, "Alíquota sobre o preço do serviço";
        itens: Vec<ItemOuDesdobro>, "Subitens da lista de serviços, ou desdobros deles";
    }

    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota sobre o preço do serviço";
        aliquotas: Option<Vec<GrupoServicos>>, "Alíquotas por serviço, numa regra geral do município";
        retido_na_fonte: Option<bool>, "O tomador retém o imposto";
        fixo: Option<Fixo>, "Regime fixo por profissional";
        transicao: Option<Transicao>, "O que a transição para o IBS deixa do imposto num ano, na regra nacional dela";
    }
}

/// The refusal if the number of professionals of a society is missing or zero.
const SEM_PROFISSIONAIS: &str =
    "No regime de sociedade uniprofissional informe `numero_profissionais`, de 1 em diante.";

taxd_base::components! {
    pub struct Detalhes {
        preco_servico: Money as Base, "Preço do serviço";
        aliquota_aplicada: Option<Rate> as Aliquota, "Alíquota" + "; nulo se o valor é por profissional";
        item_lista_servico: String, "Subitem da lista de serviços";
        codigo_tributacao_nacional: Sometimes<String>, "Código de tributação nacional da NFS-e" + ", se informado";
        regime: Regime, "Regime do prestador";
        retido_na_fonte: Option<bool>, "O tomador retém o imposto" + "; nulo se a regra não diz";
        municipio: &'static str, "Município" + ", na grafia oficial";
        numero_profissionais: Sometimes<i64>, "Número de profissionais" + ", no regime fixo";
        periodicidade: Sometimes<Text>, "A que período o valor se refere" + ", no regime fixo";
        regras_auxiliares: Sometimes<Vec<Regra>>, "As outras regras de que a resposta depende" + "; ausente se não há outra";
    }
}

impl WithTransition for Conteudo {
    fn transicao(&self) -> Option<&Transicao> {
        self.transicao.as_ref()
    }
}

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
    const BEYOND_RATE: &'static [&'static str] = &["fixo"];
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
        let item = p.item_lista_servico;
        if let Some(code) = p.codigo_tributacao_nacional.filter(|code| code.desdobro().subitem() != item) {
            let own = code.desdobro().subitem();
            let detail =
                format!("O código {code} é do subitem {own}, e `item_lista_servico` diz {item}; corrija um deles.");
            faults.add(&Path::ROOT.key("codigo_tributacao_nacional"), ErrorCode::ItemServicoInvalido, detail);
        }
    }

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        let forms = [c.aliquota.is_some(), c.aliquotas.is_some(), c.fixo.is_some()];
        if let Some(transicao) = &c.transicao {
            let others = [("aliquota", forms[0]), ("aliquotas", forms[1]), ("fixo", forms[2])];
            return transicao::check(transicao, &others, at, faults);
        }
        if forms.into_iter().filter(|is_there| *is_there).count() != 1 {
            let detail = "Informe `aliquota` (ou null, se não está estabelecida), `aliquotas` ou `fixo`, um dos três.";
            faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
        }
        if let Some(grupos) = &c.aliquotas {
            check_grupos(grupos, &at.key("aliquotas"), faults);
        }
        if let Some(fixo) = &c.fixo {
            check_fixo(fixo, &at.key("fixo"), faults);
        }
    }

    fn check_regra(c: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        if c.transicao.is_some() {
            return transicao::check_escopo(escopo, at, faults);
        }
        if c.fixo.is_some() == escopo.palavras.is_empty() {
            let detail = "O conteúdo `fixo` vai com `regime`: \"sociedade_uniprofissional\" no escopo, e só com ele.";
            faults.add(&at.key("escopo").key("regime"), ErrorCode::ValorInvalido, detail);
        }
        if c.aliquotas.is_some() && !escopo.item_lista_servico.is_empty() {
            let detail = "`aliquotas` diz os serviços no conteúdo: tire `item_lista_servico` do escopo.";
            faults.add(&at.key("escopo").key("item_lista_servico"), ErrorCode::ValorInvalido, detail);
        }
    }

    /// The amount of a fixed regime is never replaced by the rate of the ordinary one.
    fn less_specific(chave: &Chave) -> Vec<Chave> {
        let mut keys = chave.less_specific();
        keys.retain(|key| key.palavra == chave.palavra);
        keys
    }

    fn extinction<'o>(conteudo: &'o Object<'_>) -> Option<&'o str> {
        transicao::extinction(conteudo)
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        calculation.enter_transition::<Conteudo>(ISS, p.data)?;
        match answer(p, calculation) {
            Err(problem) => Err(limites::bounded(problem, p, calculation)?),
            answered => answered,
        }
    }
}

/// The answer, once the transition to the IBS is known.
fn answer(p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
    let palavra = match p.regime {
        Regime::Normal => None,
        fixed @ Regime::SociedadeUniprofissional => REGIME.palavra(fixed.as_str()),
    };
    let any_item = Chave { palavra, ..Chave::no_municipio(ISS, p.municipio) };
    let of_item = |item| Chave { item: Some(item), ..any_item.clone() };
    let desdobro = p.codigo_tributacao_nacional.map(CodigoTributacaoNacional::desdobro);
    let items = desdobro.into_iter().chain([p.item_lista_servico]);
    let chaves: Vec<Chave> = items.map(of_item).chain([any_item.clone()]).collect();
    let unlisted = p.item_lista_servico.suggestion();
    let regra = require(calculation.regras, &chaves, p.data).map_err(|mut problem| {
        if let Some(suggestion) = unlisted.as_ref().filter(|_| problem.codigo == ErrorCode::RegraInexistente) {
            problem.detail.add(suggestion.as_str());
        }
        problem
    })?;
    let conteudo = regra.conteudo::<Conteudo>()?;
    if let Some(suggestion) = unlisted.filter(|_| !names(&regra, conteudo, &chaves)) {
        return Err(Box::new(Problem::new(ErrorCode::RegraInexistente, not_a_service(p, &suggestion))));
    }
    not_given::note(p, &any_item, conteudo, calculation)?;
    let (due, rate, fixed) = match (&conteudo.fixo, p.numero_profissionais) {
        (Some(fixo), Some(count)) => {
            calculation.refuse_in_transition(Some("o valor fixo por profissional"), &regra)?;
            let rate = fixo.aliquota.and_then(Figura::established);
            (fixed_amount(&regra, fixo, count.get(), calculation)?, rate, Some((fixo, count.get())))
        }
        _ => {
            let rate = rate_of(&regra, conteudo, p.item_lista_servico, desdobro)?;
            let rate = calculation.due_rate("aliquota_aplicada", rate, &regra)?;
            (calculation.formula(p.preco_servico) * rate, Some(rate), None)
        }
    };
    let valor = calculation.step("valor", &regra.citacao_legal, due)?.shown;
    let (numero_profissionais, periodicidade) = fixed.map(|(fixo, count)| (count, fixo.periodicidade.clone())).unzip();
    let detalhes = Detalhes {
        preco_servico: Money::rounded(p.preco_servico.exact())?,
        aliquota_aplicada: rate,
        item_lista_servico: p.item_lista_servico.to_string(),
        codigo_tributacao_nacional: Sometimes(p.codigo_tributacao_nacional.map(|code| code.to_string())),
        regime: p.regime,
        retido_na_fonte: conteudo.retido_na_fonte,
        municipio: p.municipio.name(),
        numero_profissionais: Sometimes(numero_profissionais),
        periodicidade: Sometimes(periodicidade),
        regras_auxiliares: Sometimes(calculation.regras_auxiliares()),
    };
    Ok(Calculated { valor, regra: regra.clone(), detalhes })
}

/// True if the rule names one of the services of these keys. A rule for every service names none, so it does not answer
/// for a service that is not on the national list; a law may add one to the list, and then its rule names it.
fn names(regra: &Regra, conteudo: &Conteudo, chaves: &[Chave]) -> bool {
    let named = |item: ItemServico| {
        let in_groups = |grupo: &GrupoServicos| grupo.itens.contains(&ItemOuDesdobro(item));
        regra.escopo.item_lista_servico.contains(&item) || conteudo.aliquotas.iter().flatten().any(in_groups)
    };
    chaves.iter().filter_map(|chave| chave.item).any(named)
}

/// The sentence of a service that no municipality may tax.
fn not_a_service(p: &Payload, suggestion: &str) -> String {
    format!(
        "Nenhuma regra de `iss` vale para o subitem {} em {}: o município só tributa os serviços da lista (LC 116/2003, art. 1º). {suggestion} Corrija `item_lista_servico`.",
        p.item_lista_servico,
        p.municipio.name()
    )
}

/// The rate of a service: that of its subdivision, or else of its subitem.
fn rate_of(regra: &Regra, conteudo: &Conteudo, item: ItemServico, desdobro: Option<ItemServico>) -> RuleResult<Rate> {
    let Some(grupos) = &conteudo.aliquotas else { return regra.figura("aliquota", conteudo.aliquota) };
    let group_of = |wanted| grupos.iter().position(|g| g.itens.contains(&ItemOuDesdobro(wanted)));
    let place = desdobro.and_then(group_of).or_else(|| group_of(item));
    let found = place.and_then(|place| Some((place, grupos.get(place)?)));
    let (place, grupo) = found.ok_or_else(|| regra.sem_conteudo(format_args!("aliquotas[item {item}]")))?;
    regra.figura(format_args!("aliquotas[{place}].aliquota"), grupo.aliquota)
}

fn check_grupos(grupos: &[GrupoServicos], at: &Path<'_>, faults: &mut Faults) {
    if grupos.is_empty() {
        faults.add(at, ErrorCode::CampoObrigatorio, "`aliquotas` precisa de ao menos um grupo de serviços.");
    }
    let mut seen = HashSet::new();
    for (i, grupo) in grupos.iter().enumerate() {
        let grupo_at = at.index(i);
        let here = grupo_at.key("itens");
        if grupo.itens.is_empty() {
            faults.add(&here, ErrorCode::CampoObrigatorio, "O grupo precisa de ao menos um subitem.");
        }
        for (n, ItemOuDesdobro(item)) in grupo.itens.iter().enumerate() {
            if !seen.insert(*item) {
                let detail = format!("O serviço {item} já está em `aliquotas`; deixe-o uma vez só.");
                faults.add(&here.index(n), ErrorCode::ValorInvalido, detail);
            }
        }
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
fn fixed_amount(regra: &Regra, fixo: &Fixo, count: i64, calculation: &Calculation<'_>) -> RuleResult<Formula> {
    let mut total: Option<Formula> = None;
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
                    calculation.formula(regra.figura(format_args!("fixo.faixas[{i}].valor_por_profissional"), valor)?)
                }
                (None, Some(base), Some(aliquota)) => {
                    let base = regra.figura(format_args!("fixo.faixas[{i}].base_presumida"), base)?;
                    calculation.formula(base) * regra.figura("fixo.aliquota", aliquota)?
                }
                _ => return Err(regra.sem_conteudo("fixo.faixas")),
            };
            let part = each * u32::try_from(people).unwrap_or(u32::MAX);
            total = Some(match total {
                Some(so_far) => so_far + part,
                None => part,
            });
        }
        if is_last {
            break;
        }
        floor = ceiling;
    }
    Ok(total.unwrap_or_else(|| calculation.formula(0)))
}
