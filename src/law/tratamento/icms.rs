//! ICMS: inside the destination, between the UFs, and by substitution.

use super::partes::{Comum, partes, rule_of};
use super::perguntas::{Pergunta, ask};
use super::situacao::{SituacaoTratada, refused};
use crate::base::document::{Node, Sometimes};
use crate::base::problem::Problem;
use crate::base::value::{Amount, Exact, Figura, Rate, Text, Uf};
use crate::operation::Ask;
use crate::rule::Regra;
use crate::tax::{ConferenciaProduto, ConteudoIcms, ConteudoIcmsSt, CriterioSt, Percent, TaxAnswer};

/// An amount above any price list, so that the margin of a rule that has both is applied and shown.
const ABOVE_PRICE_LISTS: &str = "100000000.00";
/// Places to which a shown margin is rounded.
const MARGIN_PLACES: u32 = 4;

taxd_base::components! {
    /// A tax of so much a unit.
    pub struct UnidadeTratada {
        valor: Option<Amount>, "Imposto por unidade" + "; nulo se a regra não o estabelece";
        unidade: String, "Unidade" + ", como em: litro";
    }
}

partes! {
    pub struct ParteIcms {
        aliquota: Sometimes<Option<Rate>>, "Alíquota";
        fcp: Sometimes<Option<Rate>>, "Adicional do fundo de combate à pobreza";
        reducao_base: Sometimes<Option<Rate>>, "Percentual em que a base é reduzida";
        carga_efetiva: Sometimes<Option<Rate>>, "Carga final que a redução da base produz";
        por_unidade: Sometimes<UnidadeTratada>, "Imposto por unidade" + ", cobrado uma só vez na cadeia";
        base_legal: Sometimes<String>, "Dispositivo da isenção" + ", ou por que nada é devido depois da operação tributada";
        conferencia_produto: Sometimes<ConferenciaProduto>, "Regra do produto" + ": `nenhuma` se a alíquota é a geral da UF, porque nenhuma regra do produto foi encontrada; senão ausente";
    }

    pub struct ParteSt {
        mercadoria: Sometimes<String>, "Mercadoria a que a regra se refere";
        cest: Sometimes<String>, "CEST da regra";
        criterio: Sometimes<String>, "Base que vale";
        mva: Sometimes<Option<Rate>>, "MVA original" + "; nulo se a regra não a estabelece";
        mva_aplicada: Sometimes<Percent>, "MVA da operação entre as duas UFs, de mercadoria nacional" + ": a ajustada, se cabe; a do optante do Simples Nacional é a original (Convênio ICMS 35/2011)";
        pauta: Sometimes<Option<Amount>>, "Preço de pauta por unidade";
        unidade: Sometimes<String>, "Unidade da pauta";
        aliquota_interna: Sometimes<Option<Rate>>, "Alíquota interna do destino";
        fcp: Sometimes<Option<Rate>>, "Adicional do fundo de combate à pobreza";
        reducao_base: Sometimes<Option<Rate>>, "Percentual em que a base da substituição é reduzida";
        base_legal: Sometimes<String>, "Dispositivo que deixa a mercadoria fora do regime";
    }
}

fn text(text: &Text) -> String {
    text.as_str().to_owned()
}

/// The operation inside the destination.
pub(super) fn interno(asked: &Pergunta, with: Ask<'_>) -> Result<ParteIcms, Box<Problem>> {
    match asked.uf_destino {
        Some(uf) => operation(asked, [uf, uf], "nacional", with),
        None => Ok(ParteIcms::found(SituacaoTratada::SemUf, Comum::default())),
    }
}

/// The operation between the UFs; `None` if they are not two.
pub(super) fn interestadual(
    asked: &Pergunta,
    imported: bool,
    with: Ask<'_>,
) -> Result<Option<ParteIcms>, Box<Problem>> {
    let Some((from, to)) = asked.uf_origem.zip(asked.uf_destino).filter(|(from, to)| from != to) else {
        return Ok(None);
    };
    operation(asked, [from, to], if imported { "importada" } else { "nacional" }, with).map(Some)
}

fn operation(
    asked: &Pergunta,
    [from, to]: [Uf; 2],
    origem: &'static str,
    with: Ask<'_>,
) -> Result<ParteIcms, Box<Problem>> {
    let members: [(&str, Node<'static>); 5] = [
        ("uf_origem", from.to_string().into()),
        ("uf_destino", to.to_string().into()),
        ("origem_mercadoria", origem.into()),
        ("papel_na_cadeia", "revenda".into()),
        ("valor_produto", "100.00".into()),
    ];
    match ask(with, &asked.payload("icms", &members))? {
        Ok(answer) => answered(&answer),
        Err(problem) => Ok(ParteIcms::found(refused(&problem), Comum::refused(problem))),
    }
}

fn answered(answer: &TaxAnswer) -> Result<ParteIcms, Box<Problem>> {
    let regra = rule_of(answer)?;
    let c = regra.conteudo::<ConteudoIcms>()?;
    let figure = |figure: Option<Figura<Rate>>| Sometimes(figure.map(Figura::established));
    // Between two UFs the rate is that of the Senate, whatever the product.
    let general = answer.get("conferencia_produto").is_some().then_some(ConferenciaProduto::Nenhuma);
    let conferencia_produto = Sometimes(general);
    let part = ParteIcms { conferencia_produto, ..ParteIcms::found(situation(regra, c), Comum::of(answer)) };
    if let Some(by_unit) = &c.por_unidade {
        let by = UnidadeTratada { valor: by_unit.valor.established(), unidade: text(&by_unit.unidade) };
        let base_legal = Sometimes(Some(text(&by_unit.motivo_zero_revenda)));
        return Ok(ParteIcms { por_unidade: Sometimes(Some(by)), base_legal, ..part });
    }
    Ok(ParteIcms {
        aliquota: figure(c.aliquota.filter(|_| !c.isento)),
        fcp: figure(c.fcp),
        reducao_base: figure(c.reducao_base),
        carga_efetiva: figure(c.carga_efetiva),
        base_legal: Sometimes(c.isencao_base_legal.as_ref().map(text)),
        ..part
    })
}

fn situation(regra: &Regra, c: &ConteudoIcms) -> SituacaoTratada {
    if c.por_unidade.is_some() {
        SituacaoTratada::Monofasico
    } else if c.isento {
        SituacaoTratada::Isento
    } else if c.reducao_base.is_some() || c.carga_efetiva.is_some() {
        SituacaoTratada::BaseReduzida
    } else if regra.escopo.ncm.is_empty() {
        SituacaoTratada::Ordinario
    } else {
        SituacaoTratada::AliquotaDoProduto
    }
}

/// The substitution in the destination.
pub(super) fn substituicao(asked: &Pergunta, with: Ask<'_>) -> Result<ParteSt, Box<Problem>> {
    let Some((from, to)) = asked.uf_origem.zip(asked.uf_destino) else {
        return Ok(ParteSt::found(SituacaoTratada::SemUf, Comum::default()));
    };
    let mut members: Vec<(&str, Node<'static>)> = vec![
        ("uf_origem", from.to_string().into()),
        ("uf_destino", to.to_string().into()),
        ("valor_produto", ABOVE_PRICE_LISTS.into()),
        ("quantidade", "1".into()),
    ];
    members.extend(asked.cest.map(|cest| ("cest", cest.to_string().into())));
    let answer = match ask(with, &asked.payload("icms_st", &members))? {
        Ok(answer) => answer,
        Err(problem) => {
            return Ok(ParteSt {
                mva: Sometimes(problem.mva_da_regra.map(Some)),
                ..ParteSt::found(refused(&problem), Comum::refused(problem))
            });
        }
    };
    let regra = rule_of(&answer)?;
    let c = regra.conteudo::<ConteudoIcmsSt>()?;
    let is_subject = c.criterio != CriterioSt::NaoSujeito;
    let figure = |figure: Option<Figura<Rate>>| Sometimes(figure.map(Figura::established));
    let margin = answer.figure("mva_aplicada");
    Ok(ParteSt {
        mercadoria: Sometimes(Some(text(&c.descricao))),
        cest: Sometimes(regra.escopo.cest.map(|cest| cest.to_string())),
        criterio: Sometimes(Some(c.criterio.to_string())),
        mva: figure(c.mva),
        mva_aplicada: Sometimes(margin.map(|points| Percent::rounded(Exact::from(points), MARGIN_PLACES)).transpose()?),
        pauta: Sometimes(c.pauta.map(Figura::established)),
        unidade: Sometimes(c.unidade.as_ref().map(text)),
        aliquota_interna: figure(c.aliquota_interna),
        fcp: figure(c.fcp),
        reducao_base: figure(c.reducao_base),
        base_legal: Sometimes(c.nao_sujeicao_base_legal.as_ref().map(text)),
        ..ParteSt::found(
            if is_subject { SituacaoTratada::Sujeito } else { SituacaoTratada::NaoSujeito },
            Comum::of(&answer),
        )
    })
}
