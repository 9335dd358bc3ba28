"""ICMS by substitution on a price list: the average consumer price (PMPF) of fuels, by the acts of COTEPE.

What is decided here, and why:

* The acts were read until the middle of August 2026; from then on the price is unknown, and so it is between two acts
  that were not read one after the other.
* Hydrous ethanol takes the internal rate of the State's own product rule; where that is refused, or is a burden and not
  a rate, so is the substitution. Of the other fuels the price is published and the rate, which was not read, is null.
* Minas Gerais: a state act ended the price list, and the national acts still publish one: the price is null.
"""

from fractions import Fraction

import estadual_icms_produto
from bundle import BundleError, day_after, decimal_text, money, percent_of, rate, refusal, result, table
from estadual_comum import cite, group, overlap, rows_of

#: First day of which no act was read.
UNREAD = "2026-08-16"
UNREAD_REASON = "Os atos COTEPE/PMPF com efeito desde {} não foram conferidos."
GAP_REASON = "Os atos COTEPE/PMPF deste período não foram transcritos pela fonte."
RATE_REASON = "A alíquota interna deste combustível no Estado não foi lida."
BURDEN_REASON = "O reflexo da carga reduzida no cálculo da substituição tributária não foi conferido."
ENDED = {"MG": "A Portaria SUTRI 1.518/2025 extinguiu o PMPF no Estado desde 2025-11-01, e os Atos COTEPE/PMPF de 2026 "
               "ainda publicam um: não foi conferido qual vale."}
SOURCE = ("Atos COTEPE/PMPF de 2026, até o de 2026-08-01, transcritos do Diário Oficial da União em "
          "Economianoquarto/anp_rdd.")
ADVICE = "Só a mercadoria descrita: o código pode reunir outras."
LAW = "Convênio ICMS 110/2007, cláusula nona"
#: (code, text, unit)
FUELS = {
    "22071090": ("Etanol hidratado combustível", "litro"),
    "27112100": ("Gás natural veicular", "m³"),
    "27101911": ("Querosene de aviação", "litro"),
    "27101922": ("Óleo combustível", "litro"),
}
UNITS = {"litro": "R$/l", "m³": "R$/m3"}


def prices(rows, unread=UNREAD):
    """The price list as contiguous periods: (start, end, row or None, reason); unknown from `unread` on."""
    rows = sorted(rows, key=lambda row: row["vigente_de"])
    for row, following in zip(rows, [*rows[1:], None]):
        end = day_after(row["vigente_ate"]) or unread
        yield row["vigente_de"], end, row, None
        if following and following["vigente_de"] > end:
            yield end, following["vigente_de"], None, GAP_REASON
        elif following and following["vigente_de"] < end:
            raise BundleError(f"icms_st {row['uf']}: price lists overlap on {end}")
    yield end, None, None, UNREAD_REASON.format(end)


def ethanol_rates(uf, source, nomenclature):
    """(start, end, rate or None, addition or None, reason) of the State's own rule for ethanol."""
    found = [product for product in estadual_icms_produto.products(uf, source, nomenclature)
             if product.key == estadual_icms_produto.ETHANOL]
    for entry in found[0].entries():
        figures = entry["figures"]
        if "carga_efetiva" in figures or "reducao_base" in figures:
            yield entry["start"], entry["end"], None, None, BURDEN_REASON
        else:
            yield entry["start"], entry["end"], figures["aliquota"], figures.get("fcp"), entry["reason"]


def versions(rows, rates):
    """Price and rate together: (start, end, citation, price, rate, addition, reason)."""
    for start, end, row, reason in prices(rows):
        for first, last, percent, fund, why in rates:
            common = overlap(start, end, first, last)
            if common:
                price = decimal_text(row["valor"], places=4) if row else None
                yield (*common, cite(row["fonte_legal"]) if row else LAW, price, percent, fund, reason or why)


def example(code, version, entry, payload):
    start, _, _, price, percent, fund, reason = entry
    asked = payload | {"data_operacao": start, "valor_produto": "3000.00", "quantidade": "1000"}
    identifier = {"rule_id": f"{code}-v{version}"}
    if reason:
        return identifier | refusal(asked, "regra_sem_conteudo")
    base, own = Fraction(price) * 1000, percent_of("3000.00", percent)
    due = Fraction(money(max(percent_of(base, percent) - own, 0)))
    shown = {"base_calculo_st": money(base), "icms_proprio": money(own), "base_metodo": "pauta"}
    if fund:
        shown["fcp_st"] = money(percent_of(base - 3000, fund))
        due += Fraction(shown["fcp_st"])
    return identifier | result(asked, money(due), **shown)


def rules(uf, source, nomenclature):
    listed = [row for row in rows_of(source, "icms_st_pauta", uf) if row["tipo"] == "PMPF"]
    for ncm, rows in group(listed, lambda row: row["ncm"]).items():
        text, unit = FUELS[ncm]
        cests = {row["cest"].replace(".", "") for row in rows}
        if len(cests) != 1 or {row["unidade"] for row in rows} != {UNITS[unit]}:
            raise BundleError(f"icms_st {uf}: price list of {ncm} not understood")
        cest = cests.pop()
        if ncm == estadual_icms_produto.ETHANOL:
            rates = list(ethanol_rates(uf, source, nomenclature))
        else:
            rates = [("0001-01-01", None, None, None, RATE_REASON)]
        found = list(versions(rows, rates))
        if uf in ENDED:
            found = [(found[0][0], None, LAW, None, found[-1][4], None, ENDED[uf])]
        yield price_table(uf, ncm, cest, text, unit, found)


def price_table(uf, ncm, cest, text, unit, found):
    """One code with its versions, a line for each."""
    code = f"icms-st-{uf.lower()}-{cest or ncm}-pauta"
    scope = {"uf_destino": uf, "ncm": [ncm]} | ({"cest": cest} if cest else {})
    funds = {entry[5] for entry in found if entry[5]}
    content = {"criterio": "pauta", "descricao": text, "unidade": unit}
    if funds:
        content |= {"deduz_fcp_proprio": True, "fcp": funds.pop()}
    common = {"tributo": "icms_st", "escopo": scope, "fonte": SOURCE, "avisos": [ADVICE], "conteudo": content}
    columns = ["rule_code", "versao", "vigente_de", "vigente_ate", "citacao_legal", "motivo", "conteudo.pauta",
               "conteudo.aliquota_interna"]
    lines = [[code, f"1.{number}", start, end, citation, reason, price, rate(percent) if percent else None]
             for number, (start, end, citation, price, percent, _, reason) in enumerate(found)]
    payload = {"tributo": "icms_st", "ncm": ncm, **({"cest": cest} if cest else {}), "uf_origem": uf, "uf_destino": uf}
    answered = [index for index, entry in enumerate(found) if not entry[6]]
    shown = sorted({*answered[:1], *answered[-1:], len(found) - 1})
    examples = [example(code, f"1.{index}", found[index], payload) for index in shown]
    if answered:
        first = answered[0]
        examples.append({"rule_id": f"{code}-v1.{first}", **refusal(
            payload | {"data_operacao": found[first][0], "valor_produto": "3000.00"}, "quantidade_ausente")})
    return table(common, columns, lines, examples)
