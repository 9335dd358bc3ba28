//! What explains a contradiction of codes: which of them the rest of the document contradicts. No rule is asked for it.

use rust_decimal::Decimal;

use crate::base::value::{Date, Ncm, amount_in_brl, with_comma};
use crate::features::audit::contribution_rates::regime_of_rate;
use crate::features::audit::finding::{AuditLine, Explanation};
use crate::law::codes::{CestDaLista, Tabela, cest_ncm};
use crate::law::nfe::{Grupo, ItemDaNota, NotaFiscal, Tag, TotalTag};

/// The segment of who sells from door to door, which has goods of every kind.
pub(in crate::features::audit) const AT_DOORS: &str = "28";
/// Most codes of a CEST that a sentence has.
const CODES_SHOWN: usize = 4;
/// From this day on a note of who is not in the Simples is not authorised without the group of CBS and IBS.
const GROUP_DEMANDED_SINCE: u32 = 20_260_803;

#[expect(clippy::unnecessary_wraps, reason = "what calls it may have no explanation")]
fn because(codigo: &'static str, detalhe: impl Into<String>) -> Option<Explanation> {
    Some(Explanation { codigo, detalhe: detalhe.into() })
}

fn shown(figure: Decimal) -> String {
    with_comma(figure.normalize())
}

/// Explains a contradiction of an item, if the rest of the document does.
pub(in crate::features::audit) fn of_item(nota: &NotaFiscal, item: &ItemDaNota, line: &mut AuditLine) {
    line.explicacao = match line.codigo.unwrap_or_default() {
        "cest" | "cest_e_ncm" => cest_in_list(item),
        "cfop_e_destino" => by_addresses(nota, item),
        "icmsufdest_interna" => between_addresses(nota),
        "crt_e_cst" => regime(nota, item),
        "cst_e_cfop" => substitution(item),
        "origem_e_aliquota" => origin(nota, item),
        "cst_e_valor" => contribution(nota, item, line.tributo),
        "cst_de_entrada" => direction(item),
        "ncm_malformado" => malformed(&item.ncm),
        "ibscbs_sem_cst" => without_cst(item),
        "cst_e_cclasstrib" => classification(item),
        "sem_ibscbs" => others_have_it(nota),
        "grupo_do_ibscbs" => alone(item),
        _ => None,
    };
}

/// Explains a contradiction of the whole document.
pub(in crate::features::audit) fn of_document(nota: &NotaFiscal, day: Date, line: &mut AuditLine) {
    line.explicacao = match line.codigo.unwrap_or_default() {
        "sem_ibscbs" if day.ordinal() < GROUP_DEMANDED_SINCE => because(
            "grupo_ainda_facultativo",
            "até 02/08/2026 a nota sem o grupo era autorizada (UB12-10 da NT 2025.002)",
        ),
        "sem_ibscbs" => because(
            "grupo_exigido",
            "desde 03/08/2026 a nota sem o grupo é rejeitada, salvo a de combustível monofásico (UB12-10 da NT 2025.002)",
        ),
        "item_repetido" => repeated(nota),
        "grupo_do_ibscbs" if !nota.reforma.total && nota.has_reform() => totals_of_reform(nota),
        _ => None,
    };
}

/// What the national list has of the NCM of an item whose CEST is missing, or is of other goods.
fn cest_in_list(item: &ItemDaNota) -> Option<Explanation> {
    let ncm = Ncm::parse(&item.ncm).ok()?;
    let is_of_it = |listed: &&CestDaLista| !listed.saiu && listed.ncm.iter().any(|prefix| ncm.is_under(prefix));
    let all = cest_ncm().iter().filter(is_of_it).map(|listed| listed.cest.as_str());
    let (at_doors, codes): (Vec<&str>, Vec<&str>) = all.partition(|cest| cest.starts_with(AT_DOORS));
    let (ncm, count) = (&item.ncm, codes.len());
    let (codigo, detalhe) = match count {
        0 if !at_doors.is_empty() => {
            ("ncm_fora_da_lista", format!("a lista nacional só tem o NCM {ncm} na venda porta a porta (segmento 28)"))
        }
        0 => ("ncm_fora_da_lista", format!("a lista nacional não tem o NCM {ncm} em nenhum CEST")),
        1 => ("cest_do_ncm", format!("o CEST do NCM {ncm} é {}", codes.concat())),
        2..=CODES_SHOWN => ("cest_do_ncm", format!("o NCM {ncm} tem os CEST {}: a descrição decide", codes.join(", "))),
        _ => ("cest_do_ncm", format!("o NCM {ncm} tem {count} CEST na lista nacional: a descrição decide")),
    };
    because(codigo, format!("{detalhe} (Convênio ICMS 142/2018)"))
}

/// Whether all addresses of a note are of one UF, in words too; `None` of more than two UFs.
fn addresses(nota: &NotaFiscal) -> Option<(bool, String)> {
    let from = nota.uf_origem?;
    match nota.ufs.as_slice() {
        [_] => Some((true, format!("os endereços são todos de {from}"))),
        [one, other] => Some((false, format!("os endereços são de {one} e {other}"))),
        _ => None,
    }
}

/// Which of CFOP and `idDest` the addresses contradict. The first digit of a CFOP says both where the goods go and the
/// direction.
fn by_addresses(nota: &NotaFiscal, item: &ItemDaNota) -> Option<Explanation> {
    let (within, places) = addresses(nota)?;
    let cfop_fits = item.cfop.starts_with(if within { ['1', '5'] } else { ['2', '6'] });
    let dest_fits = nota.destino == if within { 1 } else { 2 };
    let (cfop, dest) = (&item.cfop, nota.destino);
    let detalhe = match (cfop_fits, dest_fits) {
        (true, false) => format!("{places}, como o CFOP {cfop} diz: o idDest {dest} é que não combina"),
        (false, true) => format!("{places}, como o idDest {dest} diz: o CFOP {cfop} é que não combina"),
        (true, true) => format!("{places}, como os dois dizem, e o sentido não combina: {}", direction(item)?.detalhe),
        (false, false) => format!("{places}, e nem o CFOP {cfop} nem o idDest {dest} o dizem"),
    };
    because("enderecos", detalhe)
}

/// The group of the destination in a note whose `idDest` says that it stays within the State.
fn between_addresses(nota: &NotaFiscal) -> Option<Explanation> {
    let (within, places) = addresses(nota)?;
    let detalhe = if within {
        format!("{places}, como o idDest 1 diz: o grupo é que sobra")
    } else {
        format!("{places}: ou o idDest é 2, ou a entrega foi na UF do vendedor, e o grupo sobra")
    };
    because("enderecos", detalhe)
}

/// Which of CRT and code the other items contradict, or the contributions of the item.
fn regime(nota: &NotaFiscal, item: &ItemDaNota) -> Option<Explanation> {
    let goods = || nota.items.iter().filter(|other| !other.servico);
    let (all, with_csosn) = (goods().count(), goods().filter(|other| !other.csosn.is_empty()).count());
    let alike = if item.csosn.is_empty() { all.saturating_sub(with_csosn) } else { with_csosn };
    let (kind, crt) = (if item.csosn.is_empty() { "CST" } else { "CSOSN" }, nota.crt);
    if alike < all {
        return because(
            "outros_itens",
            format!("só {alike} dos {all} itens trazem {kind}: os outros combinam com o CRT {crt}"),
        );
    }
    if all > 1 {
        return because(
            "outros_itens",
            format!("os {all} itens trazem {kind}: o CRT {crt} é que não combina com eles"),
        );
    }
    let rate = item.figures.or_zero(Tag::PisAliquota);
    match regime_of_rate(rate) {
        Some(name) if item.csosn.is_empty() => because(
            "contribuicoes_do_item",
            format!("o item destaca PIS a {}%, a alíquota do regime {name}, como quem não é do Simples", shown(rate)),
        ),
        None if item.figures.sum(&[Tag::PisValor, Tag::CofinsValor]).is_zero() && !item.csosn.is_empty() => because(
            "contribuicoes_do_item",
            format!("o item não destaca PIS nem COFINS, como os do Simples: o CRT {crt} é que não combina"),
        ),
        None if item.figures.sum(&[Tag::PisValor, Tag::CofinsValor]).is_zero() => because(
            "contribuicoes_do_item",
            format!("o item não destaca PIS nem COFINS, como os do Simples: o CST é que não combina com o CRT {crt}"),
        ),
        _ => None,
    }
}

/// Whether the item shows that its ICMS was withheld before.
fn substitution(item: &ItemDaNota) -> Option<Explanation> {
    let get = |tag: Tag| item.figures.or_zero(tag);
    let (withheld, own) = (get(Tag::StRetido), get(Tag::IcmsValor));
    if withheld > Decimal::ZERO {
        let amount = amount_in_brl(withheld);
        return because("icms_retido", format!("o item traz o ICMS retido na compra (vICMSSTRet, {amount})"));
    }
    if own > Decimal::ZERO {
        let amount = amount_in_brl(own);
        return because(
            "icms_destacado",
            format!("o item destaca o ICMS próprio ({amount}), que o retido antes não tem"),
        );
    }
    if item.cest.is_empty() {
        cest_in_list(item)
    } else {
        because("cest_do_item", format!("o item traz o CEST {}, de mercadoria sujeita à substituição", item.cest))
    }
}

/// The rate of another item of the same origin, or what the rate is.
fn origin(nota: &NotaFiscal, item: &ItemDaNota) -> Option<Explanation> {
    let rate_of = |item: &ItemDaNota| item.figures.get(Tag::IcmsAliquota).filter(|rate| !rate.is_zero());
    let (rate, origem) = (rate_of(item)?, item.origem?);
    let mut others = nota.items.iter().filter(|other| other.origem == Some(origem) && other.number != item.number);
    if let Some((number, other)) =
        others.find_map(|other| Some((other.number, rate_of(other).filter(|of| *of != rate)?)))
    {
        let detalhe =
            format!("o item {number}, de mesma origem, traz {}%: a alíquota deste é que não combina", shown(other));
        return because("outros_itens", detalhe);
    }
    let detalhe = if matches!(origem, 1 | 2 | 3 | 8) {
        format!(
            "{}% é alíquota da mercadoria nacional: ou a origem não é {origem}, ou a alíquota é a da importada",
            shown(rate)
        )
    } else {
        format!(
            "{}% só cabe à mercadoria importada, ou com mais de 40% de importado (orig 1, 2, 3 e 8; Resolução SF 13/2012): a origem {origem}, ou a alíquota, é outra",
            shown(rate)
        )
    };
    because("aliquota_de_outra_origem", detalhe)
}

/// A CST of PIS or COFINS beside its rate: what the other items have, or what the rate is.
fn contribution(nota: &NotaFiscal, item: &ItemDaNota, tributo: &str) -> Option<Explanation> {
    let (name, base, rate, amount) = match tributo {
        "pis" => ("o PIS", Tag::PisBase, Tag::PisAliquota, Tag::PisValor),
        "cofins" => ("a COFINS", Tag::CofinsBase, Tag::CofinsAliquota, Tag::CofinsValor),
        _ => return None,
    };
    let cst_of = |item: &ItemDaNota| if tributo == "pis" { item.cst_pis.clone() } else { item.cst_cofins.clone() };
    let (rate_is, charged) = (item.figures.or_zero(rate), item.figures.or_zero(amount));
    if !rate_is.is_zero() || !charged.is_zero() {
        let regime = regime_of_rate(rate_is)?;
        let rate_is = shown(rate_is);
        return because(
            "aliquota_basica",
            format!("{rate_is}% é a alíquota básica do regime {regime}, que é do CST 01"),
        );
    }
    let charges = |other: &&ItemDaNota| cst_of(other) == "01" && !other.figures.or_zero(amount).is_zero();
    if let Some(other) = nota.items.iter().find(charges) {
        let (number, rate) = (other.number, shown(other.figures.or_zero(rate)));
        return because(
            "outros_itens",
            format!("o item {number}, com o mesmo CST, destaca {rate}%: falta a alíquota deste"),
        );
    }
    let (count, base_is) = (nota.items.len(), amount_in_brl(item.figures.or_zero(base)));
    let detalhe = if count > 1 {
        format!("nenhum dos {count} itens da nota destaca {name}: falta em todos, e não só neste produto")
    } else {
        format!("o item traz a base ({base_is}), que o grupo do CST 06 não tem: falta a alíquota, ou sobra a base")
    };
    because("sem_destaque", detalhe)
}

/// Direction and CFOP say that the document goes out.
fn direction(item: &ItemDaNota) -> Option<Explanation> {
    let goes_out = item.cfop.starts_with(['5', '6', '7']);
    let detalhe = if goes_out {
        format!("o tpNF e o CFOP {} dizem saída, cujos CST vão de 01 a 49, e 99", item.cfop)
    } else {
        format!("o CFOP {} é de entrada, e o tpNF diz saída", item.cfop)
    };
    because("sentido", detalhe)
}

/// What is wrong with the form of an NCM.
fn malformed(ncm: &str) -> Option<Explanation> {
    let other = ncm.chars().find(|character| !character.is_ascii_digit());
    let padded = format!("0{ncm}");
    let detalhe = match (other, ncm.chars().count()) {
        (Some(other), _) => format!("o código traz «{other}», que não é dígito"),
        (None, 7) if Ncm::parse(&padded).is_ok() => format!("falta um dígito: pode ser o zero do começo ({padded})"),
        (None, 2 | 4 | 6) => "é o começo de um código: capítulo, posição ou subposição".to_owned(),
        (None, count) => format!("o código tem {count} dígitos"),
    };
    because("forma_do_codigo", detalhe)
}

/// How far the table of today follows an NCM that the TIPI of the day does not have.
pub(in crate::features::audit) fn unknown_ncm(ncm: &str) -> Option<Explanation> {
    let table = Tabela::Ncm.table();
    let first = ncm.chars().next()?;
    if ncm.chars().all(|digit| digit == first) || ncm == "12345678" {
        return because("preenchimento", format!("{ncm} é um número de preenchimento, e não um código"));
    }
    let names = [(6, "a subposição"), (4, "a posição"), (2, "o capítulo")];
    let known = names.into_iter().filter_map(|(digits, name)| Some((ncm.get(..digits)?, name)));
    let found = known.into_iter().find(|(digits, _)| table.has(digits));
    let detalhe = match found {
        _ if table.has(ncm) => "a tabela de hoje tem o código: é a data que não combina".to_owned(),
        Some((digits, name)) => format!("a tabela de hoje tem {name} {digits}, com outros códigos"),
        None => format!("a tabela de hoje não tem nem o capítulo {}", ncm.get(..2)?),
    };
    because("comeco_do_codigo", detalhe)
}

fn without_cst(item: &ItemDaNota) -> Option<Explanation> {
    match item.classificacao.get(..3) {
        Some(cst) => {
            because("cst_da_classificacao", format!("o da classificação {} é o CST {cst}", item.classificacao))
        }
        None => because("grupo_vazio", "o grupo também não traz o cClassTrib"),
    }
}

/// Whether the item has the reduction of its classification.
fn classification(item: &ItemDaNota) -> Option<Explanation> {
    let reduces = !item.figures.sum(&[Tag::CbsReducao, Tag::IbsUfReducao, Tag::IbsMunReducao]).is_zero();
    let (cst, class) = (&item.cst_reforma, &item.classificacao);
    let of_class = class.get(..3)?;
    match (reduces, cst.as_str(), of_class) {
        (false, "000", _) => because(
            "cst_da_classificacao",
            format!(
                "o item não tem redução, como o CST 000: a classificação {class}, do CST {of_class}, é que não combina"
            ),
        ),
        (true, "000", _) => because(
            "cst_da_classificacao",
            format!("o item reduz as alíquotas, como a classificação {class}: o CST dela é {of_class}"),
        ),
        _ => because("cst_da_classificacao", format!("o CST da classificação {class} é {of_class}")),
    }
}

/// How many of the items have the group that one lacks.
fn others_have_it(nota: &NotaFiscal) -> Option<Explanation> {
    let (all, with) = (nota.items.len(), nota.items.iter().filter(|item| item.has_reform).count());
    because("outros_itens", format!("{with} dos {all} itens da nota trazem o grupo"))
}

/// An item with no other tax than CBS and IBS.
fn alone(item: &ItemDaNota) -> Option<Explanation> {
    let others = [Grupo::Icms, Grupo::Issqn, Grupo::Ipi, Grupo::Pis, Grupo::Cofins, Grupo::Importacao];
    let is_alone = !others.iter().any(|grupo| item.reforma.has(*grupo));
    is_alone.then(|| Explanation {
        codigo: "so_ibscbs",
        detalhe: "o item não traz nenhum outro tributo: é de quem só é contribuinte de CBS e IBS (NT 2026.007), ou faltam os outros grupos".to_owned(),
    })
}

/// Whether the items with one number are the same item.
fn repeated(nota: &NotaFiscal) -> Option<Explanation> {
    let mut before: Vec<&ItemDaNota> = Vec::new();
    for item in &nota.items {
        if let Some(first) = before.iter().find(|first| first.declared_number == item.declared_number) {
            let same = first.codigo == item.codigo && first.figures == item.figures;
            let detalhe = if same {
                "os dois itens são iguais em tudo: a linha está duas vezes no arquivo"
            } else {
                "os itens são diferentes: só o número se repete"
            };
            return because("item_de_mesmo_numero", detalhe);
        }
        before.push(item);
    }
    None
}

/// What the totals of CBS and IBS would be, or that the file has no totals at all.
fn totals_of_reform(nota: &NotaFiscal) -> Option<Explanation> {
    if [TotalTag::Produtos, TotalTag::Nota].iter().all(|total| nota.totals.get(*total).is_none()) {
        return because("sem_totais", "o arquivo não traz total nenhum: parece um trecho de uma nota");
    }
    let sum = |tag: Tag| amount_in_brl(nota.sum(|item| item.figures.or_zero(tag)));
    let (base, ibs, cbs) = (sum(Tag::ReformaBase), sum(Tag::IbsValor), sum(Tag::CbsValor));
    because("soma_dos_itens", format!("pelos itens o total teria base de {base}, IBS de {ibs} e CBS de {cbs}"))
}
