//! The codes of a CT-e against one another (MOC of the CT-e, G049 to G052).

use crate::base::value::{Date, amount_in_brl, with_comma};
use crate::features::audit::coherence::{TEST_YEAR, lines};
use crate::features::audit::differences::DIFAL;
use crate::features::audit::finding::{AuditLine, Certainty, Explanation, Incoherence};
use crate::law::nfe::Transporte;

/// From this day on a carriage to who is not a taxpayer owes the difference of rates (EC 87/2015; ADCT, art. 99).
const TO_CONSUMERS_SINCE: Date = Date::first_of(2016);
/// The CFOP of a carriage that begins in another State than the carrier's.
const FROM_ANOTHER_STATE: [&str; 2] = ["5932", "6932"];
/// The other CFOP that a CT-e may have, without their first digit, and the digits that each has.
const OF_TRANSPORT: [(&str, &str); 11] = [
    ("351", "56"),
    ("352", "56"),
    ("353", "56"),
    ("354", "56"),
    ("355", "56"),
    ("356", "56"),
    ("357", "56"),
    ("358", "7"),
    ("359", "56"),
    ("360", "56"),
    // The annulment of an amount.
    ("206", "567"),
];

pub(super) fn of(cte: &Transporte, day: Date, line: &AuditLine) -> Vec<AuditLine> {
    let found = cfop(cte).into_iter().chain(regime(cte)).chain(place(cte)).chain(reform(cte, day));
    let mut found = lines(found.chain(destination(cte, day)).collect(), line);
    for line in &mut found {
        line.explicacao = explained(cte, line.codigo.unwrap_or_default());
    }
    found
}

/// Which of the codes the rest of the document contradicts.
fn explained(cte: &Transporte, codigo: &'static str) -> Option<Explanation> {
    let because = |codigo, detalhe| Some(Explanation { codigo, detalhe });
    let cfop = cte.cfop.as_str();
    match (codigo, cte.uf_inicio, cte.uf_fim) {
        ("cfop_e_destino", ..) if cfop.starts_with(['1', '2', '3']) => because(
            "sentido",
            format!("o CFOP {cfop} é de entrada, de quem toma o serviço, e o CT-e é de quem o presta"),
        ),
        ("cfop_e_destino", Some(from), Some(to)) if is_of_transport(cfop) && cte.uf_emitente == Some(from) => {
            let (first, rest) = (if from == to { '5' } else { '6' }, cfop.get(1..).unwrap_or_default());
            because("enderecos", format!("a prestação é de {from} a {to}: o mesmo serviço tem aí o CFOP {first}{rest}"))
        }
        ("cst_e_cfop", Some(from), _) => {
            let carrier = cte.uf_emitente?;
            let detalhe = if carrier == from {
                format!("o início é na UF do transportador, {from}, a quem o ICMS é devido sem o grupo ICMSOutraUF")
            } else {
                format!("o ICMS é da UF do início, {from}, e o grupo dele é ICMSOutraUF (LC 87/1996, art. 11, II, a)")
            };
            because("enderecos", detalhe)
        }
        ("crt_e_cst", ..) => {
            let [_, rate, amount] = cte.icms();
            let charged = amount.filter(|amount| !amount.is_zero()).zip(rate);
            let detalhe = charged.map_or_else(
                || "o CT-e não destaca ICMS, como o do optante do Simples".to_owned(),
                |(amount, rate)| {
                    let rate = with_comma(rate.normalize());
                    format!(
                        "o CT-e destaca ICMS ({}, a {rate}%), como o de quem não é do Simples",
                        amount_in_brl(amount)
                    )
                },
            );
            because("icms_do_documento", detalhe)
        }
        _ => None,
    }
}

fn sure(tributo: &'static str, codigo: &'static str, detail: String) -> Incoherence {
    (tributo, Certainty::ErroDoDocumento, codigo, detail)
}

fn is_of_transport(cfop: &str) -> bool {
    let known = |(kind, firsts): &(&str, &str)| cfop.get(1..) == Some(kind) && cfop.starts_with(|c| firsts.contains(c));
    cfop.len() == 4 && OF_TRANSPORT.iter().any(known)
}

/// The CFOP says what is carried, and from where to where.
fn cfop(cte: &Transporte) -> Option<Incoherence> {
    let cfop = cte.cfop.as_str();
    let of_another = FROM_ANOTHER_STATE.contains(&cfop);
    if cfop.is_empty() {
        return None;
    }
    if !of_another && !is_of_transport(cfop) {
        return Some(sure("icms", "cfop_e_destino", format!("o CFOP {cfop} não é de transporte (G049)")));
    }
    let (from, carrier) = (cte.uf_inicio?, cte.uf_emitente);
    if let Some(carrier) = carrier
        && (carrier != from) != of_another
        && !cte.para_o_exterior
    {
        let whether =
            if of_another { "é de serviço iniciado em outra UF" } else { "não é de serviço iniciado em outra UF" };
        let detail =
            format!("o CFOP {cfop} {whether}; o transportador é de {carrier}, e o início, em {from} (G051, G052)");
        return Some(sure("icms", "cfop_e_destino", detail));
    }
    let (expected, to) = match cte.uf_fim {
        _ if cte.para_o_exterior => ('7', "EX"),
        Some(to) if to == from => ('5', to.as_str()),
        Some(to) => ('6', to.as_str()),
        None => return None,
    };
    let fits = cfop.starts_with(expected) || (of_another && cte.para_o_exterior);
    (!fits).then(|| sure("icms", "cfop_e_destino", format!("CFOP {cfop} com início em {from} e fim em {to} (G050)")))
}

/// A carrier of the Simples writes the group ICMSSN, and no other does.
fn regime(cte: &Transporte) -> Option<Incoherence> {
    let is_simples = cte.grupo_icms == "ICMSSN";
    let detail = format!("CRT {} com o grupo {}", cte.crt, cte.grupo_icms);
    match cte.crt {
        2 | 3 if is_simples => Some(sure("icms", "crt_e_cst", detail)),
        // The tax of another may be stated: that of the taker, or of the State in which the carriage begins.
        1 | 4 if matches!(cte.grupo_icms.as_str(), "ICMS60" | "ICMS90" | "ICMSOutraUF") => {
            Some(("icms", Certainty::Conferir, "crt_e_cst", detail))
        }
        1 | 4 if !is_simples && !cte.grupo_icms.is_empty() => Some(sure("icms", "crt_e_cst", detail)),
        _ => None,
    }
}

/// A carriage that begins in another State has its ICMS in a group of its own.
fn place(cte: &Transporte) -> Option<Incoherence> {
    let (from, carrier) = (cte.uf_inicio?, cte.uf_emitente?);
    let of_another = cte.grupo_icms == "ICMSOutraUF";
    let taxed = matches!(cte.grupo_icms.as_str(), "ICMS00" | "ICMS20" | "ICMS90");
    let detail = format!("grupo {} com o transportador de {carrier} e o início em {from}", cte.grupo_icms);
    ((from != carrier && taxed) || (from == carrier && of_another)).then_some((
        "icms",
        Certainty::Conferir,
        "cst_e_cfop",
        detail,
    ))
}

/// A taker who is not a taxpayer, in another State (CF, art. 155, § 2º, VII). Courts and States differ on transport.
fn destination(cte: &Transporte, day: Date) -> Option<Incoherence> {
    let (from, to) = (cte.uf_inicio?, cte.uf_fim?);
    let charged = matches!(cte.grupo_icms.as_str(), "ICMS00" | "ICMS20" | "ICMS90" | "ICMSOutraUF");
    let (codigo, detail) = match (from == to, cte.has_destination) {
        (true, true) => ("icmsufdest_interna", "transporte dentro da UF com o grupo ICMSUFFim"),
        (false, false)
            if cte.tomador_contribuinte == Some(false)
                && charged
                && day >= TO_CONSUMERS_SINCE
                && !cte.icms_in_simples() =>
        {
            ("sem_icmsufdest", "transporte entre UFs a não contribuinte sem o grupo ICMSUFFim")
        }
        _ => return None,
    };
    Some((DIFAL, Certainty::Conferir, codigo, detail.to_owned()))
}

/// The group of CBS and IBS, which the law demands of the normal regime since 2026, and the SEFAZ not yet (310).
fn reform(cte: &Transporte, day: Date) -> Option<Incoherence> {
    let Some(group) = &cte.reforma else {
        let missing = cte.crt == 3 && TEST_YEAR.contains(&day.ordinal()) && cte.tipo != 2;
        let detail = "CRT 3 sem o grupo IBSCBS: o destaque de CBS e IBS em 2026 é condição da dispensa de recolhê-los (LC 214/2025, art. 348, § 1º)";
        return missing.then(|| ("cbs", Certainty::Conferir, "sem_ibscbs", detail.to_owned()));
    };
    let stated = !group.classificacao.is_empty() && !group.cst.is_empty();
    (stated && !group.classificacao.starts_with(&group.cst)).then(|| {
        let detail = format!("CST {} com cClassTrib {}", group.cst, group.classificacao);
        sure("cbs", "cst_e_cclasstrib", detail)
    })
}
