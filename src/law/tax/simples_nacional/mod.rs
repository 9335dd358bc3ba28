//! Simples Nacional: the month's DAS of one Anexo (LC 123/2006, arts. 13 and 18; Resolução CGSN 140/2018, arts. 21 to 26).
//!
//! A payload is one line of the PGDAS-D: the revenue of one Anexo in one market. A company with revenue of two Anexos, or of
//! exports, asks twice, each time with the twelve months of the whole company in that market. A rule has the tables of one
//! Anexo, with the limits and the months that its law counts.
//!
//! No rate is rounded. Each tax is rounded to the cent, and the DAS is their sum, as the examples of the PGDAS-D manual show
//! (section 12, example 6: R$ 9.935,02, and not R$ 9.935,00).

mod atividade;
mod partilha;
mod receita;

use self::atividade::{AnexoDaAtividade, Atividade};
use self::partilha::{Partilha, Quinhao, TributoDas};
use super::calculation::{Calculated, Calculation};
use super::entry::Tax;
use super::faixas::check_limits;
use super::figures::{Money, Percent};
use super::formula::Formula;
use crate::base::document::{Faults, Path, Sometimes};
use crate::base::problem::ErrorCode;
use crate::base::value::{Amount, Date, Figura, Int, Rate, Tributo};
use crate::rule::{Chave, Discriminator, Regra, RuleResult, ScopeSpec, require};

pub const SIMPLES_NACIONAL: Tributo = Tributo::new("simples_nacional");

pub(super) const EXAMPLE: &str = r#"{
  "tributo": "simples_nacional",
  "anexo": "I",
  "competencia": "2026-03-01",
  "receita_mes": "100000.00",
  "receita_bruta_12_meses": "300000.00"
}"#;

taxd_base::vocabulary! {
    /// The tables of LC 123/2006.
    pub enum Anexo {
        I = "I" => "Anexo I (comércio)",
        II = "II" => "Anexo II (indústria)",
        Iii = "III" => "Anexo III (serviços e locação)",
        IV = "IV" => "Anexo IV (serviços com CPP à parte)",
        V = "V" => "Anexo V (serviços do fator r)",
    }

    /// The revenue of exports is counted apart.
    pub enum Mercado {
        Interno = "interno" => "Mercado interno",
        Externo = "externo" => "Mercado externo (exportação)",
    }

    /// The twelve months of the revenue that selects the band.
    pub enum Janela {
        AteMesAnterior = "ate_mes_anterior" => "Doze meses até o anterior ao da apuração",
        AteSegundoMesAnterior = "ate_segundo_mes_anterior" => "Doze meses até o segundo anterior ao da apuração",
    }
}

/// The Anexo selects the rule.
const ANEXO: Discriminator = Discriminator { campo: "anexo", palavras: Anexo::VOCABULARY };

taxd_base::document! {
    pub struct Payload {
        anexo: Option<Anexo>, "Anexo da LC 123/2006" + ", se não se informa a atividade";
        atividade: Option<Atividade>, "Atividade" + ", de que a lei tira o Anexo";
        competencia: Date, "Mês de apuração" + ": um dia dele";
        receita_mes: Amount, "Receita bruta do mês" + ", deste Anexo ou atividade e deste mercado";
        receita_bruta_12_meses: Amount, "Receita bruta de 12 meses (RBT12)" + ", de toda a empresa neste mercado: os 12 meses antes do mês ou, desde 2027, os 12 antes do mês anterior; no primeiro ano de atividade, a soma dos meses que houve";
        receita_total_mes: Option<Amount>, "Receita bruta de toda a empresa no mês" + ", neste mercado; sem o campo, como `receita_mes`";
        receita_bruta_ano: Option<Amount>, "Receita bruta do ano" + ", até o fim do mês, neste mercado; obrigatória se os 12 meses passam do sublimite";
        inicio_atividade: Option<Date>, "Início de atividade" + ", se há menos de 13 meses";
        mercado: Mercado = "interno", "Mercado" + "; a receita de exportação tem o seu pedido";
        receita_monofasica: Amount = "0", "Parte monofásica" + " da receita do mês: PIS e COFINS até 2026, CBS e IBS desde 2027";
        receita_icms_st: Amount = "0", "Parte com ICMS já recolhido" + " por substituição ou antecipação com encerramento";
        receita_iss_retido: Amount = "0", "Parte com ISS retido" + ", ou devido em valor fixo ao Município";
        receita_outro_municipio: Amount = "0", "Parte com ISS devido a outro Município" + ", que continua no DAS";
        impedido_icms_iss: Option<bool>, "A empresa não recolhe ICMS e ISS no DAS" + ", por excesso do sublimite; sem o campo, recolhe";
        folha_12_meses: Option<Amount>, "Folha de 12 meses" + " com pró-labore, CPP e FGTS, dos mesmos meses da receita, onde o fator r decide";
        receita_outro_mercado: Amount = "0", "Receita bruta de 12 meses do outro mercado" + ", para o fator r";
    }

    pub struct FaixaDoAnexo {
        ate: Amount, "Último valor da faixa";
        aliquota: Figura<Rate>, "Alíquota nominal";
        parcela_deduzir: Figura<Amount>, "Parcela a deduzir";
        partilha: Partilha, "Percentuais de repartição";
    }

    pub struct Conteudo {
        faixas: Vec<FaixaDoAnexo>, "Faixas da receita bruta de 12 meses";
        iss_maximo: Option<Figura<Rate>>, "Percentual efetivo máximo do ISS";
        partilha_do_excedente: Option<Partilha>, "Repartição da alíquota efetiva menos o ISS máximo, quando ele é alcançado";
        fator_r_minimo: Option<Figura<Rate>>, "Fator r desde o qual vale este Anexo" + ", em por cento; só no Anexo III";
        sublimite_menor: Figura<Amount>, "Menor sublimite anual de ICMS e ISS que uma UF pode ter";
        sublimite: Figura<Amount>, "Sublimite anual de ICMS e ISS de todas as UFs";
        janela: Janela, "Meses da receita bruta de 12 meses";
        meses_projetados: Option<Figura<Int<1, 12>>>, "Meses a que se projeta a média da receita no início de atividade";
    }
}

impl Conteudo {
    /// The band of that revenue; the last one, if it is above them all.
    fn place(&self, rbt: &Formula) -> RuleResult<usize> {
        let mut place = 0;
        for faixa in self.faixas.iter().take(self.faixas.len().saturating_sub(1)) {
            place += usize::from(rbt.exact().compare(faixa.ate.exact())?.is_gt());
        }
        Ok(place)
    }
}

taxd_base::components! {
    /// What an answer of `simples_nacional` shows.
    pub struct Detalhes {
        anexo: Anexo, "Anexo aplicado";
        atividade: Sometimes<Atividade>, "Atividade informada";
        fator_r: Sometimes<Percent>, "Fator r" + ", em por cento, sem as casas seguintes, como no PGDAS-D";
        mercado: Mercado, "Mercado da receita";
        base_calculo: Money as Base, "Receita bruta do mês";
        receita_bruta_12_meses: Money, "Receita bruta de 12 meses considerada";
        faixa: i64, "Número da faixa";
        aliquota_nominal: Rate as Aliquota, "Alíquota nominal";
        parcela_deduzir: Amount, "Parcela a deduzir";
        aliquota_efetiva: Percent as AliquotaEfetiva, "Alíquota efetiva" + ", com até 5 casas; o cálculo usa todas";
        tributos: Vec<Quinhao>, "Partilha do DAS por tributo";
        valor_segregado: Money, "Valor que a segregação deixou fora do DAS, na soma dos tributos";
        iss_outro_municipio: Sometimes<Money>, "Parte do ISS do DAS devida a outro Município";
        aliquota_credito_icms: Sometimes<Percent>, "Alíquota do crédito de ICMS (CSOSN 101)" + ", a informar nas notas do mês seguinte ou, desde 2027, nas do mês";
        regras_auxiliares: Sometimes<Vec<Regra>>, "As outras regras de que a resposta depende" + "; ausente se não há outra";
    }
}

pub struct SimplesNacional;

impl Tax for SimplesNacional {
    type Payload = Payload;
    type Conteudo = Conteudo;
    type Detalhes = Detalhes;
    const ESCOPO: ScopeSpec = ScopeSpec { eixos: &[], obrigatorios: &[], discriminador: Some(ANEXO) };
    const ANSWERS_WITHOUT_FIGURE: &'static [&'static str] = &["faixas"];

    fn check(p: &Payload, faults: &mut Faults) {
        let mut add = |campo: &str, codigo, detail: &str| faults.add(&Path::ROOT.key(campo), codigo, detail);
        match (p.anexo, p.atividade) {
            (None, None) => add("anexo", ErrorCode::CampoObrigatorio, "Informe `anexo` ou `atividade`."),
            (Some(_), Some(_)) => {
                add("anexo", ErrorCode::ValorInvalido, "A lei tira o Anexo da atividade: informe só um dos dois.");
            }
            _ => {}
        }
        let parts = [
            ("receita_monofasica", p.receita_monofasica),
            ("receita_icms_st", p.receita_icms_st),
            ("receita_iss_retido", p.receita_iss_retido),
            ("receita_outro_municipio", p.receita_outro_municipio),
        ];
        for (campo, part) in parts.into_iter().filter(|(_, part)| *part > Amount::ZERO) {
            if p.mercado == Mercado::Externo {
                add(campo, ErrorCode::ValorInvalido, "A exportação já está fora desse tributo: deixe o campo em zero.");
            } else if part > p.receita_mes {
                add(campo, ErrorCode::ForaDoIntervalo, "A parte não pode passar da receita do mês.");
            }
        }
        if p.receita_total_mes.is_some_and(|total| total < p.receita_mes) {
            let detail = "A receita de toda a empresa não pode ser menor que a do Anexo.";
            add("receita_total_mes", ErrorCode::ForaDoIntervalo, detail);
        }
        if p.inicio_atividade.is_some_and(|begin| begin.ordinal() / 100 > p.competencia.ordinal() / 100) {
            let detail = "O início de atividade não pode vir depois do mês de apuração.";
            add("inicio_atividade", ErrorCode::ForaDoIntervalo, detail);
        }
    }

    fn check_conteudo(c: &Conteudo, at: &Path<'_>, faults: &mut Faults) {
        let here = at.key("faixas");
        // Above the last limit no other band follows: the limit is that of the regime itself.
        let limites: Vec<_> = c.faixas.iter().map(|faixa| Some(faixa.ate)).chain([None]).collect();
        check_limits(&limites, &here, faults);
        if c.faixas.is_empty() {
            faults.add(&here, ErrorCode::CampoObrigatorio, "Informe as faixas do Anexo.");
        }
        for (i, faixa) in c.faixas.iter().enumerate() {
            faixa.partilha.check(&here.index(i).key("partilha"), faults);
        }
        if let Some(partilha) = &c.partilha_do_excedente {
            partilha.check(&at.key("partilha_do_excedente"), faults);
        }
    }

    fn calculate(_: Tributo, p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Calculated<Detalhes>> {
        let Quadro { anexo, regra, fator_r, without_iss } = Quadro::of(p, calculation)?;
        let c = regra.conteudo::<Conteudo>()?;
        partilha::check_parts(p, c, &regra)?;
        let rbt = receita::rbt12(p, &regra, c, calculation)?;
        receita::check_limits(p, &regra, c, &rbt.exact, calculation)?;
        let place = c.place(&rbt.exact)?;
        let Some(faixa) = c.faixas.get(place) else { return Err(regra.sem_conteudo("faixas")) };
        let efetiva = partilha::efetiva(&rbt.exact, faixa, &regra)?;
        let shown = Percent::rounded(efetiva.exact().as_points(), partilha::PLACES)?;
        calculation.note("aliquota_efetiva", partilha::EFETIVA, shown, &efetiva * 100);
        let percentuais = partilha::percentuais(p, &regra, c, (&rbt.exact, place), (faixa, &efetiva), calculation)?;
        let tributos = partilha::quinhoes(p, without_iss, &percentuais, calculation)?;
        let mut total = calculation.formula(0);
        let mut outside = Money::default();
        for one in &tributos {
            total = total + one.valor;
            outside = outside.plus(one.valor_segregado)?;
        }
        let valor = calculation.step("valor", &regra.citacao_legal, total)?.shown;
        let percentual = |tax| percentuais.iter().find(|(of, _)| *of == tax).map(|(_, percentual)| percentual);
        let in_das = p.mercado == Mercado::Interno && p.impedido_icms_iss != Some(true);
        let credito = percentual(TributoDas::Icms).filter(|_| in_das);
        let elsewhere = percentual(TributoDas::Iss).filter(|_| in_das && p.receita_outro_municipio > Amount::ZERO);
        let detalhes = Detalhes {
            anexo,
            atividade: Sometimes(p.atividade),
            fator_r: Sometimes(fator_r),
            mercado: p.mercado,
            base_calculo: Money::rounded(p.receita_mes.exact())?,
            receita_bruta_12_meses: rbt.shown,
            faixa: i64::try_from(place + 1).unwrap_or(i64::MAX),
            aliquota_nominal: regra.figura("faixas.aliquota", faixa.aliquota)?,
            parcela_deduzir: regra.figura("faixas.parcela_deduzir", faixa.parcela_deduzir)?,
            aliquota_efetiva: shown,
            tributos,
            valor_segregado: outside,
            iss_outro_municipio: Sometimes(
                elsewhere.map(|iss| Money::rounded((iss * p.receita_outro_municipio).exact())).transpose()?,
            ),
            aliquota_credito_icms: Sometimes(
                credito.map(|icms| Percent::rounded(icms.exact().as_points(), partilha::PLACES)).transpose()?,
            ),
            regras_auxiliares: Sometimes(calculation.regras_auxiliares()),
        };
        Ok(Calculated { valor, regra, detalhes })
    }
}

/// The rule of an Anexo on the day.
fn of_anexo(anexo: Anexo, data: Date, calculation: &Calculation<'_>) -> RuleResult<Regra> {
    let any = Chave::of(SIMPLES_NACIONAL);
    require(calculation.regras, &[Chave { palavra: ANEXO.palavra(anexo.as_str()), ..any.clone() }, any], data)
}

/// The Anexo of a payload, its rule, and what the activity says beside it.
struct Quadro {
    anexo: Anexo,
    regra: Regra,
    fator_r: Option<Percent>,
    without_iss: bool,
}

impl Quadro {
    fn of(p: &Payload, calculation: &mut Calculation<'_>) -> RuleResult<Quadro> {
        let data = p.competencia;
        let (enquadramento, citacao) = match (p.atividade, p.anexo) {
            (Some(atividade), _) => atividade.enquadramento(data),
            (None, anexo) => (AnexoDaAtividade::Por(anexo.unwrap_or(Anexo::I)), ""),
        };
        let own = if let AnexoDaAtividade::Por(anexo) = enquadramento { anexo } else { Anexo::Iii };
        let regra = of_anexo(own, data, calculation)?;
        let quadro =
            Quadro { anexo: own, regra, fator_r: None, without_iss: enquadramento == AnexoDaAtividade::SemIss };
        match enquadramento {
            AnexoDaAtividade::Por(_) | AnexoDaAtividade::SemIss => Ok(quadro),
            AnexoDaAtividade::Recusado(detail) => {
                Err(quadro.regra.refusal_of_field(ErrorCode::SimplesForaDoEscopo, "atividade", detail))
            }
            AnexoDaAtividade::FatorR => {
                let minimo = quadro.regra.conteudo::<Conteudo>()?.fator_r_minimo;
                let minimo = quadro.regra.figura("fator_r_minimo", minimo)?;
                let (exact, shown) = receita::fator_r(p, &quadro.regra, minimo, citacao, calculation)?;
                if exact.compare(minimo.points())?.is_ge() {
                    return Ok(Quadro { fator_r: Some(shown), ..quadro });
                }
                calculation.uses(&quadro.regra);
                let regra = of_anexo(Anexo::V, data, calculation)?;
                Ok(Quadro { anexo: Anexo::V, regra, fator_r: Some(shown), ..quadro })
            }
        }
    }
}
