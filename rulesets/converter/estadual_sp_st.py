"""São Paulo: ICMS by substitution, by CEST.

A line of the table is one CEST with its margin. What is decided here, and why:

* The source gives 18% as the internal rate of every line; where the product rules of the State say 12%, so does the
  line, and where a reduced base gives a burden of 7% the rate is null: the law's computation was not confirmed.
* Goods that left the regime have no margin known for the time before: null until the day on which they left.
* Whole segments that left the regime are not published: the source does not list their codes.
"""

import re
from fractions import Fraction

from bundle import BundleError, day_after, decimal_text, legal, money, percent_of, rate, refusal, result, rule
from estadual_comum import START, shortened
from estadual_st_pauta import SOURCE, prices

ADVICE = ("Na operação interestadual, a retenção pelo remetente depende de convênio ou protocolo entre as UFs; sem "
          "ele, o imposto antecipado cabe ao destinatário paulista (RICMS/SP, art. 426-A).")

#: Where the margins were read, by what their citation names.
READ_FOODS = ("Portaria SRE 12/2026 e Anexo XVI da Portaria CAT 68/2019, no repositório dsvdiego252-web/AgenteTributario "
              "(2026-07-24).")
READ_CLEANING = "Portaria SRE 55/2025, no repositório dsvdiego252-web/AgenteTributario (2026-07-24)."
READ_ANNEXES = ("Anexos da Portaria CAT 68/2019 e Portaria SRE 34/2026, no repositório CyberCaos/Portaria_CAT_28_2020_SP.")
READ_PRICES = "Portaria SRE 57/2025, lida em cópia pública de 2026."

#: Internal rate of 12% (RICMS/SP, art. 54, XVI): breads and toasts.
BREADS = {"1705000", "1705900", "1706000", "1706200", "1706300"}

#: Burden of 7% by a reduced base (RICMS/SP, Annex II, art. 3).
BASIC_BASKET = {"1701200", "1701600", "1702500", "1702600", "1702700", "1702702", "1705600", "1707700", "1707701",
                "1707800", "1707907", "1708100"}
BASKET_REASON = ("Produto com base reduzida para carga interna de 7% (RICMS/SP, Anexo II, art. 3º): o reflexo da "
                 "redução no cálculo da substituição tributária não foi conferido.")
LEFT_REASON = ("A margem aplicada até a exclusão do produto do regime de substituição tributária, em {day}, não foi "
               "apurada.")

#: The current codes of goods that the annexes still cite by codes before 2022.
SUCCESSORS = {"34022000": ["34022000", "34025000"], "04014020": ["04014020", "0401402"], "151000": ["151000", "1510"]}


def codes_of(row):
    return [code for cited in row["ncm"].split() for code in SUCCESSORS.get(cited, [cited])]


def source_of(row):
    """Where the margin of a row, or its end, was read."""
    law = row["fonte_legal"]
    if "Portaria SRE 55/2025" in law:
        return READ_CLEANING
    return READ_FOODS if "Portaria SRE 12/2026" in law else READ_ANNEXES


def line(row):
    """(cells of the table, groups them by what they share)."""
    cest = row["cest"].replace(".", "")
    left = row["condicao"] == "excluido da ST"
    internal = rate("12") if cest in BREADS else rate(row["aliquota_interna"])
    reason = None
    if left:
        reason = LEFT_REASON.format(day=row["vigente_ate"])
    elif cest in BASIC_BASKET:
        internal, reason = None, BASKET_REASON
    return {
        "code": f"icms-st-sp-{cest}", "ncm": codes_of(row), "cest": cest, "start": row["vigente_de"] or START,
        "end": day_after(row["vigente_ate"]), "citation": legal(row["fonte_legal"]), "text": shortened(row["descricao"]),
        "margin": None if left else rate(row["mva_original"]), "internal": internal, "reason": reason,
        "source": source_of(row),
    }


def example(entry):
    """An internal sale of 1000.00 with 100.00 of IPI.

    Internal, so that this bundle needs no other: an interstate example would need the Senate's table.
    """
    payload = {
        "tributo": "icms_st", "ncm": entry["ncm"][0].ljust(8, "0"), "cest": entry["cest"], "uf_origem": "SP",
        "uf_destino": "SP", "data_operacao": entry["start"], "valor_produto": "1000.00", "ipi": "100.00",
    }
    identifier = {"rule_id": f"{entry['code']}-v1.0"}
    if entry["reason"]:
        return identifier | refusal(payload, "regra_sem_conteudo")
    base = 1100 * (1 + Fraction(entry["margin"]) / 100)
    own = percent_of("1000.00", entry["internal"])
    due = percent_of(base, entry["internal"]) - own
    return identifier | result(
        payload, money(due), base_calculo_st=money(base), icms_proprio=money(own),
        aliquota_interna=entry["internal"], mva_aplicada=entry["margin"], base_metodo="mva")


#: Lines shown as worked examples; a table without one of them shows its first and last line.
SHOWN = {"1700100", "1700200", "1705000", "1703400", "1701600", "1701000", "1600100", "1100400"}


def tables(bundle, rows):
    groups = {}
    for row in rows:
        if not row["ncm"] or "segmento" in row["ncm"] or row["condicao"] == "quando nao aplicavel o PMPF":
            continue
        entry = line(row)
        if not re.fullmatch(r"[0-9]{7}", entry["cest"]):
            raise BundleError(f"icms_st SP: malformed CEST {row['cest']}")
        if entry["end"] and entry["end"] <= START:
            continue
        groups.setdefault((entry["start"], entry["end"], entry["reason"], entry["source"]), []).append(entry)
    for (start, end, reason, source), members in groups.items():
        common = {"versao": "1.0", "tributo": "icms_st", "vigente_de": start, "vigente_ate": end, "fonte": source,
                  "avisos": [ADVICE]}
        if reason:
            common["motivo"] = reason
        common |= {"escopo": {"uf_destino": "SP"}, "conteudo": {"criterio": "mva"}}
        columns = ["rule_code", "escopo.ncm", "escopo.cest", "citacao_legal", "conteudo.descricao", "conteudo.mva",
                   "conteudo.aliquota_interna"]
        lines = [[entry["code"], entry["ncm"], entry["cest"], entry["citation"], entry["text"], entry["margin"],
                  entry["internal"]] for entry in members]
        bundle.table(common, columns, lines, [example(entry) for entry in members if entry["cest"] in SHOWN]
                     or [example(entry) for entry in (members[0], *members[1:][-1:])])


def ethanol(rows):
    """The average consumer price of hydrous ethanol, month by month; unknown after the last act that was read."""
    *members, (unread, *_) = prices((row for row in rows if row["ncm"] == "22071090"), "2026-09-01")
    scope = {"uf_destino": "SP", "ncm": ["22071090"], "cest": "0600101"}
    text = "Etanol hidratado combustível"
    for number, (start, end, row, _) in enumerate(members):
        price = decimal_text(row["valor"], places=4)
        payload = {"tributo": "icms_st", "ncm": "22071090", "cest": "0600101", "uf_origem": "SP", "uf_destino": "SP",
                   "data_operacao": start, "valor_produto": "3000.00"}
        base = Fraction(price) * 1000
        yield rule(
            "icms-st-sp-0600101", "icms_st", scope, start, end, legal(row["fonte_legal"]),
            {"criterio": "pauta", "descricao": text, "pauta": price, "unidade": "litro", "aliquota_interna": "12.00"},
            fonte=SOURCE, versao=f"1.{number}", exemplos=[
                result(payload | {"quantidade": "1000"}, money(percent_of(base, "12") - 360),
                       base_calculo_st=money(base), icms_proprio="360.00", base_metodo="pauta"),
                refusal(payload, "quantidade_ausente"),
            ])
    payload = {"tributo": "icms_st", "ncm": "22071090", "cest": "0600101", "uf_origem": "SP", "uf_destino": "SP",
               "data_operacao": unread, "valor_produto": "3000.00", "quantidade": "1000"}
    yield rule(
        "icms-st-sp-0600101", "icms_st", scope, unread, None, "Convênio ICMS 110/2007, cláusula nona",
        {"criterio": "pauta", "descricao": text, "pauta": None, "unidade": "litro", "aliquota_interna": "12.00"},
        versao=f"1.{len(members)}", fonte=SOURCE, motivo="Os atos COTEPE/PMPF posteriores ao Ato 21/2026 não foram conferidos.",
        exemplos=[refusal(payload, "regra_sem_conteudo")])


def bleach(rows, margins):
    """Three prices by size of the package, which the payload does not carry."""
    prices = [row for row in rows if row["cest"] == "11.001.00"]
    margin = next(row for row in margins if row["cest"] == "11.001.00")
    codes = sorted({code for row in (margin, *prices) for code in codes_of(row)})
    payload = {"tributo": "icms_st", "ncm": "28289011", "cest": "1100100", "uf_origem": "SP", "uf_destino": "SP",
               "data_operacao": prices[0]["vigente_de"], "valor_produto": "1000.00", "quantidade": "200"}
    return rule(
        "icms-st-sp-1100100", "icms_st", {"uf_destino": "SP", "ncm": codes, "cest": "1100100"},
        prices[0]["vigente_de"], day_after(prices[0]["vigente_ate"]), "RICMS/SP, art. 313-K; Portaria SRE 57/2025",
        {"criterio": "pauta", "descricao": margin["descricao"], "pauta": None, "unidade": "100 ml",
         "aliquota_interna": rate(margin["aliquota_interna"])},
        fonte=READ_PRICES, motivo="O preço final varia com o volume da embalagem (R$ 0,35, 0,28 ou 0,26 por 100 ml), que não consta da "
               "operação informada; sem preço aplicável, a margem é de 52,68%.",
        exemplos=[refusal(payload, "regra_sem_conteudo")])


def add(bundle, margins, prices):
    if [row["valor"] for row in prices if row["cest"] == "11.001.00"] != ["0.35", "0.28", "0.26"]:
        raise BundleError("icms_st SP: the prices of bleach changed")
    bundle.add(*ethanol(prices))
    bundle.add(bleach(prices, margins))
    tables(bundle, margins)
