//! The revenue of twelve months that selects the band (LC 123/2006, art. 18, §§ 1º and 2º; Resolução CGSN 140/2018, arts. 21
//! to 23), the payroll against it, and the limits that no answer may pass over in silence.

use super::{Conteudo, Janela, Mercado, Payload};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Amount, Date, Exact, Rate};
use crate::rule::{Condicao, Regra, RuleResult};
use crate::tax::calculation::{Calculation, Noted};
use crate::tax::figures::Percent;
use crate::tax::formula::{Formula, Points};

const RBT12: &str = "LC nº 123/2006, art. 18, §§ 1º e 2º; Resolução CGSN nº 140/2018, arts. 21, parágrafo único, e 22";
const SUBLIMITE: &str = "o sublimite do ICMS e do ISS";
const EXCESSO: &str = "LC nº 123/2006, arts. 3º, § 15, 13-A e 19; Resolução CGSN nº 140/2018, arts. 12 e 24";

/// Months from the beginning of the activity to the month of the tax; `None` if it is not stated.
fn months_active(p: &Payload) -> Option<u32> {
    let months = |day: Date| day.year() * 12 + day.month();
    p.inicio_atividade.map(|begin| months(p.competencia).saturating_sub(months(begin)))
}

/// The revenue of the whole company in the month, in this market.
fn of_month(p: &Payload) -> Amount {
    p.receita_total_mes.unwrap_or(p.receita_mes)
}

/// The revenue of twelve months, as the law counts it: in the first twelve months of activity, the average of those before
/// times twelve, and in the first month its own revenue times twelve. Zero counts as one real.
pub(super) fn rbt12(p: &Payload, regra: &Regra, c: &Conteudo, calculation: &mut Calculation<'_>) -> RuleResult<Noted> {
    let stated = calculation.formula(p.receita_bruta_12_meses);
    let rbt = match months_active(p) {
        Some(months) if months < 12 + u32::from(c.janela == Janela::AteSegundoMesAnterior) => {
            let projected = regra.figura("meses_projetados", c.meses_projetados)?;
            let projected = u32::try_from(projected.get()).unwrap_or_default();
            let average = if months == 0 { calculation.formula(of_month(p)) } else { stated / months };
            average * projected
        }
        _ => stated,
    };
    let rbt = if rbt.exact().is_positive()? {
        rbt
    } else {
        calculation.formula(1).noting(|| "receita de 12 meses igual a zero: considera-se R$ 1,00".to_owned())
    };
    calculation.step("receita_bruta_12_meses", RBT12, rbt)
}

/// The payroll of twelve months by the revenue of both markets, in percent points: exact, and as the PGDAS-D shows it, with
/// the places after the second of the ratio cut off.
pub(super) fn fator_r(
    p: &Payload,
    regra: &Regra,
    minimo: Rate,
    citacao: &'static str,
    calculation: &mut Calculation<'_>,
) -> RuleResult<(Exact, Percent)> {
    let Some(folha) = p.folha_12_meses else {
        let detail =
            "O fator r decide entre o Anexo III e o Anexo V: informe `folha_12_meses` (zero, se não houve folha).";
        return Err(regra.refusal_of_field(ErrorCode::CampoObrigatorio, "folha_12_meses", detail));
    };
    let own = if months_active(p) == Some(0) { of_month(p) } else { p.receita_bruta_12_meses };
    let receita = calculation.sum(&[own, p.receita_outro_mercado]);
    let points = match (folha.exact().is_positive()?, receita.exact().is_positive()?) {
        (true, true) => calculation.formula(folha) / receita * 100,
        (true, false) => calculation.formula(Points(minimo)).noting(|| "folha sem receita".to_owned()),
        (false, _) => calculation.formula(1).noting(|| "sem folha".to_owned()),
    };
    // A half less, rounded away from zero, is the whole number below.
    let cut = (&points - points.beside(1) / 2).rounded(0).or_zero()?;
    let shown = Percent::rounded(cut.exact(), 0)?;
    calculation.note("fator_r", citacao, shown, cut);
    Ok((points.exact(), shown))
}

/// The revenue of the calendar year, and its limits.
struct Anual<'a> {
    p: &'a Payload,
    regra: &'a Regra,
    /// The first month of activity, if it is of this year: the limits are then a twelfth for each month from it on.
    began: Option<u32>,
    /// The revenue up to the end of the month, if it is known.
    known: Option<Exact>,
    /// The most that it can be: that of the twelve months and of this one.
    most: Exact,
}

impl Anual<'_> {
    /// True if the revenue, or the most that it can be, passes the limit.
    fn passes(&self, limit: Amount) -> RuleResult<bool> {
        let limit = match self.began {
            Some(month) => limit.exact() * Exact::from(13 - month) / Exact::from(12),
            None => limit.exact(),
        };
        Ok(self.known.unwrap_or(self.most).compare(limit)?.is_gt())
    }

    /// The refusal of a revenue that passes the limit, or of one that is not known.
    fn above(&self, which: &str, next: &str) -> Box<Problem> {
        if self.known.is_none() {
            return self.missing("receita_bruta_ano", which);
        }
        let detail = format!(
            "A receita do ano passa d{which}, e a parcela que o excede tem cálculo próprio, que não se faz aqui ({EXCESSO}): apure no PGDAS-D.{next}"
        );
        self.regra.refusal(ErrorCode::SimplesForaDoEscopo, detail)
    }

    fn missing(&self, campo: &str, which: &str) -> Box<Problem> {
        let detail = format!(
            "A receita de 12 meses, com a do mês, passa d{which}, que se mede pela receita do ano-calendário ({EXCESSO}): informe `{campo}`."
        );
        self.regra.refusal_of_field(ErrorCode::CampoObrigatorio, campo, detail)
    }

    /// Refuses what passes the lowest sublimit if that of the day is not established, and what passes that of the day.
    fn check_sublimite(&self, c: &Conteudo) -> RuleResult<()> {
        let menor = self.regra.figura("sublimite_menor", c.sublimite_menor)?;
        if self.passes(menor)? && self.passes(self.regra.figura("sublimite", c.sublimite)?)? {
            let next = " Se a empresa já está impedida de recolher o ICMS e o ISS no DAS, informe isso em `impedido_icms_iss`.";
            return Err(self.above(SUBLIMITE, next));
        }
        // The year before may have passed it.
        let sublimite = c.sublimite.established().unwrap_or(menor);
        let is_silent = self.p.impedido_icms_iss.is_none() && self.began.is_none();
        if is_silent && self.p.receita_bruta_12_meses > sublimite {
            return Err(self.missing("impedido_icms_iss", SUBLIMITE));
        }
        Ok(())
    }
}

/// Refuses what passes a limit of the year in a way that has a calculation of its own.
pub(super) fn check_limits(
    p: &Payload,
    regra: &Regra,
    c: &Conteudo,
    rbt: &Formula,
    calculation: &mut Calculation<'_>,
) -> RuleResult<()> {
    let began = p.inicio_atividade.filter(|begin| begin.year() == p.competencia.year()).map(Date::month);
    let most = p.receita_bruta_12_meses.exact() + of_month(p).exact();
    let known = p.receita_bruta_ano.map(Amount::exact).or(began.map(|_| most));
    let anual = Anual { p, regra, began, known, most };
    let Some(limite) = c.faixas.last().map(|faixa| faixa.ate) else { return Err(regra.sem_conteudo("faixas")) };
    if anual.passes(limite)? {
        return Err(anual.above("o limite do Simples Nacional", ""));
    }
    if rbt.exact().compare(limite.exact())?.is_gt() {
        calculation.warn(Condicao::Regime, "A receita de 12 meses passa do limite do Simples Nacional, e a do ano não: vale a última faixa (Resolução CGSN nº 140/2018, art. 22, § 5º). Confira se a receita do ano anterior não excluiu a empresa.");
    }
    if p.impedido_icms_iss == Some(true) || p.mercado == Mercado::Externo {
        return Ok(());
    }
    if c.janela == Janela::AteSegundoMesAnterior && known.is_none() {
        calculation.warn(Condicao::Campo, "A receita do mês anterior não está na de 12 meses: sem `receita_bruta_ano`, o sublimite do ICMS, do ISS e do IBS foi conferido sem ela.");
    }
    anual.check_sublimite(c)
}
