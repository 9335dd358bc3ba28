//! CBS and IBS: one body, two discriminators (contract, section 2.3; LC 214/2025, arts. 12, 14 to 18 and 343 to 348).
//!
//! The national rule answers, unless the NCM (longest prefix first) or the service item is on the list of
//! differentiated regimes: that is a named refusal. From 2027 on, the IBS has two rates, of the State and of the
//! municipality (arts. 15 and 344).

use super::calculation::{Calculated, Calculation};
use super::entry::Tax;
use super::figures::{Money, Percent};
use crate::document::{Faults, Node, Object, Path, Sometimes};
use crate::problem::{ErrorCode, Problem};
use crate::rule::{Axis, Chave, Condicao, Escopo, Regra, RuleResult, ScopeSpec, exigir, primeira};
use crate::value::{Amount, Date, Exact, Figura, ItemServico, Ncm, Rate, Text, Tributo};

/// A rate of a rule has at most these places, so a sum of rates is exact.
const RATE_PLACES: u32 = 6;

pub(super) const CBS: Tributo = Tributo::new("cbs");
pub(super) const IBS: Tributo = Tributo::new("ibs");

examples! { EXAMPLE_CBS = "cbs", EXAMPLE_IBS = "ibs" => r#"  "valor_operacao": "1000.00",
  "valor_icms": "180.00",
  "valor_iss": "0",
  "valor_pis": "13.53",
  "valor_cofins": "62.32",
  "valor_ipi": "0",
  "cumpre_obrigacoes_acessorias": true,
  "optante_simples": false,
  "data_operacao": "2026-03-10"
}"# }

crate::document! {
    /// Payload of `cbs` and `ibs`.
    pub struct Payload {
        valor_operacao: Amount => ValorMaterialAusente, "Valor da operação com ICMS, ISS, PIS, COFINS, IPI e Imposto Seletivo incluídos e sem CBS e IBS";
        valor_icms: Amount => ValorMaterialAusente, "ICMS da operação" + ", com o retido por substituição; informe 0 se não há";
        valor_iss: Amount => ValorMaterialAusente, "ISS" + "; informe 0 se não há";
        valor_pis: Amount => ValorMaterialAusente, "PIS" + "; informe 0 se não há, como depois de 2026";
        valor_cofins: Amount => ValorMaterialAusente, "COFINS" + "; informe 0 se não há, como depois de 2026";
        valor_ipi: Amount => ValorMaterialAusente, "IPI destacado, incluído no valor da operação" + "; informe 0 se não há";
        cumpre_obrigacoes_acessorias: bool, "O contribuinte cumpre as obrigações acessórias" + "; dispensa o recolhimento em 2026, e só nele";
        optante_simples: bool, "O contribuinte é optante do Simples Nacional" + "; desde 2027, sem a opção pelo regime regular";
        ncm: Option<Ncm>, "NCM" + ", para a lista de regimes diferenciados";
        item_lista_servico: Option<ItemServico>, "Subitem da lista de serviços" + ", para a mesma lista";
        data_operacao: Date, "Data da operação";
    }

    /// One reason why a code is on the list of differentiated regimes.
    pub struct Hipotese {
        reducao: Figura<Rate>, "Percentual de redução da alíquota; 100.00 é alíquota zero";
        anexo: Text, "Anexo e item da lei";
        descricao: Text, "A que se aplica";
        regime_especifico: bool = false, "Imunidade ou regime específico, com base e alíquota próprias: não há redução a dizer";
        exige_descricao: bool = false, "O código sozinho não basta para o enquadramento";
    }

    /// Why a code is refused.
    pub struct Recusa {
        hipoteses: Vec<Hipotese>, "Hipóteses da lei";
    }

    /// Content of a `cbs` or `ibs` rule.
    pub struct Conteudo {
        aliquota: Option<Figura<Rate>>, "Alíquota" + "; do IBS, a estadual";
        aliquota_municipal: Option<Figura<Rate>>, "Alíquota municipal do IBS" + ", somada à estadual";
        dispensa_base_legal: Option<Text>, "Dispositivo que dispensa o recolhimento de quem cumpre as obrigações acessórias";
        recusa: Option<Recusa>, "Regime diferenciado, que não se calcula aqui";
    }
}

crate::components! {
    /// The part of the IBS that belongs to the State or to the municipality.
    pub struct ParcelaIbs {
        aliquota: Rate, "Alíquota";
        valor: Money, "Valor a destacar";
    }

    /// What an answer of `cbs` and `ibs` shows.
    pub struct Detalhes {
        valor_destaque: Money, "Valor a destacar no documento";
        valor_devido: Money, "Valor a recolher";
        dispensado: bool, "O recolhimento é dispensado";
        dispensa_presumida: bool, "A dispensa vale pela palavra de quem chama";
        motivo_dispensa: Option<Text>, "Dispositivo da dispensa";
        base_calculo: Money, "Base de cálculo";
        aliquota_aplicada: Percent, "Alíquota" + "; do IBS, a soma da estadual e da municipal";
        parcela_estadual: Sometimes<ParcelaIbs>, "ParcelaIbs do Estado" + ", quando o IBS tem as duas";
        parcela_municipal: Sometimes<ParcelaIbs>, "ParcelaIbs do Município" + ", quando o IBS tem as duas";
    }
}

/// See the module.
pub struct CbsIbs;

impl Payload {
    /// The taxes that leave the base (LC 214/2025, art. 12, § 2º, II and V), by name.
    fn deductions(&self) -> [(&'static str, Amount); 5] {
        [
            ("valor_icms", self.valor_icms),
            ("valor_iss", self.valor_iss),
            ("valor_pis", self.valor_pis),
            ("valor_cofins", self.valor_cofins),
            ("valor_ipi", self.valor_ipi),
        ]
    }

    fn base(&self) -> Exact {
        self.deductions().iter().fold(self.valor_operacao.exact(), |base, (_, amount)| base - amount.exact())
    }
}

impl Tax for CbsIbs {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec = ScopeSpec {
        eixos: &[Axis::Ncm, Axis::NcmExceto, Axis::ItemListaServico],
        obrigatorios: &[],
        discriminador: None,
    };
    const REFUSES_UNKNOWN: bool = true;

    fn check(p: &Payload, faults: &mut Faults) {
        if !matches!(p.base().is_negative(), Ok(false)) {
            let deducted = p.deductions().into_iter().filter(|(_, a)| *a > Amount::ZERO).map(|(name, _)| name);
            let root = Path::ROOT;
            for name in std::iter::once("valor_operacao").chain(deducted) {
                let detail = "Os tributos informados passam do valor da operação: a base ficaria negativa.";
                faults.add(&root.key(name), ErrorCode::BaseNegativa, detail);
            }
        }
    }

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        if c.aliquota.is_some() == c.recusa.is_some() {
            let detail = "Informe `aliquota` (ou null, se não está estabelecida) ou `recusa`, uma das duas.";
            faults.add(&at.key("aliquota"), ErrorCode::CampoObrigatorio, detail);
        }
        if c.aliquota_municipal.is_some() && c.aliquota.is_none() {
            let detail = "`aliquota_municipal` se soma a `aliquota`, a estadual: informe as duas.";
            faults.add(&at.key("aliquota_municipal"), ErrorCode::CampoObrigatorio, detail);
        }
        if c.recusa.as_ref().is_some_and(|r| r.hipoteses.is_empty()) {
            let detail = "Uma recusa precisa de ao menos uma hipótese da lei.";
            faults.add(&at.key("recusa").key("hipoteses"), ErrorCode::CampoObrigatorio, detail);
        }
    }

    fn check_regra(c: &Conteudo, escopo: &Escopo, at: &Path<'_>, faults: &mut Faults) {
        let national = escopo.ncm.is_empty() && escopo.item_lista_servico.is_empty();
        let both = !escopo.ncm.is_empty() && !escopo.item_lista_servico.is_empty();
        if national != c.aliquota.is_some() || both {
            let detail = "A alíquota é da regra nacional, de escopo vazio; a recusa é de `ncm` ou de `item_lista_servico`, um dos dois.";
            faults.add(&at.key("escopo"), ErrorCode::ValorInvalido, detail);
        }
    }

    /// A specific regime has no reduction, so its null needs no reason.
    fn null_needs_motivo(campo: &str, conteudo: &Object<'_>) -> bool {
        let specific = matches!(conteudo.get("regime_especifico"), Some(Node::Bool(true)));
        campo != "reducao" || !specific
    }

    fn calculate(tributo: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        if p.optante_simples {
            return Err(Box::new(Problem::of_field(
                ErrorCode::OptanteSimples,
                "optante_simples",
                "O optante do Simples Nacional não apura CBS e IBS por operação (LC 214/2025, arts. 41, § 2º, e 348, III, c). Se desde 2027 escolheu o regime regular (art. 41, § 3º), informe `optante_simples` false.",
            )));
        }
        let national = Chave::of(tributo);
        let regra = exigir(calculation.regras, std::slice::from_ref(&national), None, p.data_operacao)?;
        refuse_listed(&national, p, calculation)?;
        if let Some(suggestion) = p.item_lista_servico.and_then(ItemServico::suggestion) {
            calculation.warn(Condicao::Campo, suggestion);
        }
        let conteudo = regra.conteudo::<Conteudo>()?;
        let exact_base = p.base();
        let base = Money::rounded(exact_base)?;
        calculation.step("base_calculo", &regra, base, || {
            let less: Vec<String> =
                p.deductions().iter().filter(|(_, a)| *a > Amount::ZERO).map(|(_, a)| format!(" − {a}")).collect();
            format!("{}{}", p.valor_operacao, less.concat())
        });
        let Destaque { valor: destaque, aliquota, estadual, municipal } = Destaque::of(&regra, conteudo, exact_base)?;
        if let (Some(estadual), Some(municipal)) = (&estadual, &municipal) {
            for (nome, parcela) in [("parcela_estadual", estadual), ("parcela_municipal", municipal)] {
                calculation.step(nome, &regra, parcela.valor, || format!("base × {}%", parcela.aliquota));
            }
        }
        let waiver = conteudo.dispensa_base_legal.as_ref().filter(|_| p.cumpre_obrigacoes_acessorias);
        calculation.step("valor_destaque", &regra, destaque, || match (&estadual, &municipal) {
            (Some(estadual), Some(municipal)) => format!("{} + {}", estadual.valor, municipal.valor),
            _ => format!("base × {aliquota}%"),
        });
        let (valor, ground, written) = match waiver {
            Some(legal) => (Money::rounded(Exact::ZERO)?, legal, "recolhimento dispensado"),
            None => (destaque, &regra.citacao_legal, "valor destacado"),
        };
        calculation.step_by("valor_devido", ground, valor, || written.to_owned());
        let detalhes = Detalhes {
            valor_destaque: destaque,
            valor_devido: valor,
            dispensado: waiver.is_some(),
            // Only the caller says that the duties are met.
            dispensa_presumida: waiver.is_some(),
            motivo_dispensa: waiver.cloned(),
            base_calculo: base,
            aliquota_aplicada: aliquota,
            parcela_estadual: Sometimes(estadual),
            parcela_municipal: Sometimes(municipal),
        };
        Ok(Calculated { valor, regra: regra.clone(), detalhes })
    }
}

/// The amount to show on the document, with its parts if the IBS has two.
struct Destaque {
    valor: Money,
    aliquota: Percent,
    estadual: Option<ParcelaIbs>,
    municipal: Option<ParcelaIbs>,
}

impl Destaque {
    /// Each part is rounded by itself, as the document shows it, so that the parts add up to the total. Refuses a
    /// rate that is not established.
    fn of(regra: &Regra, conteudo: &Conteudo, base: Exact) -> RuleResult<Destaque> {
        let Some(aliquota) = conteudo.aliquota else { return Err(regra.sem_conteudo("aliquota")) };
        let aliquota = regra.figura("aliquota", aliquota)?;
        let part =
            |aliquota: Rate| Money::rounded(base * aliquota.fraction()).map(|valor| ParcelaIbs { aliquota, valor });
        let own = part(aliquota)?;
        let Some(municipal) = conteudo.aliquota_municipal else {
            let aliquota = Percent::rounded(aliquota.points(), RATE_PLACES)?;
            return Ok(Destaque { valor: own.valor, aliquota, estadual: None, municipal: None });
        };
        let municipal = part(regra.figura("aliquota_municipal", municipal)?)?;
        Ok(Destaque {
            valor: Money::rounded(Exact::from(own.valor.decimal()) + Exact::from(municipal.valor.decimal()))?,
            aliquota: Percent::rounded(aliquota.points() + municipal.aliquota.points(), RATE_PLACES)?,
            estadual: Some(own),
            municipal: Some(municipal),
        })
    }
}

/// The named refusal of a code on the list of differentiated regimes.
fn refuse_listed(national: &Chave, p: &Payload, calculation: &Calculation<'_>) -> RuleResult<()> {
    let by_ncm = match &p.ncm {
        Some(ncm) => {
            let keys = ncm.prefixes().map(|prefix| Chave { ncm: Some(prefix), ..national.clone() });
            primeira(calculation.regras, keys, Some(ncm), p.data_operacao)?.map(|r| (r, "ncm"))
        }
        None => None,
    };
    let listed = match (by_ncm, p.item_lista_servico) {
        (None, Some(item)) => {
            let key = Chave { item: Some(item), ..national.clone() };
            primeira(calculation.regras, [key], None, p.data_operacao)?.map(|r| (r, "item_lista_servico"))
        }
        (found, _) => found,
    };
    match listed {
        Some((regra, campo)) => Err(refusal(&regra, campo)?),
        None => Ok(()),
    }
}

fn refusal(regra: &Regra, campo: &'static str) -> RuleResult<Box<Problem>> {
    let hypotheses = match &regra.conteudo::<Conteudo>()?.recusa {
        Some(recusa) => recusa.hipoteses.iter().map(written).collect::<Vec<_>>().join("; "),
        None => String::new(),
    };
    let detail = format!(
        "O código em `{campo}` está na lista de regimes próprios da reforma, que não se calculam aqui: {hypotheses}."
    );
    Ok(regra.recusa_de_campo(ErrorCode::RegimeDiferenciado, campo, detail))
}

fn written(h: &Hipotese) -> String {
    let treatment = match h.reducao.established() {
        _ if h.regime_especifico => "regime específico".to_owned(),
        Some(rate) if matches!((Exact::ONE - rate.fraction()).is_positive(), Ok(false)) => "alíquota zero".to_owned(),
        Some(rate) => format!("redução de {rate}%"),
        None => "redução não estabelecida".to_owned(),
    };
    let narrow = if h.exige_descricao { ", conforme a descrição do item" } else { "" };
    format!("{} ({}, {treatment}{narrow})", h.descricao.as_str(), h.anexo.as_str())
}
