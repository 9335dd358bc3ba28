"""IPVA by brackets: of the vehicle's value, power or displacement, as the table of facts words them.

A row's condition states where its rate begins and ends ("acima de 100 e ate 180 cv"). What no trusted row reaches, and
what a row of low trust or of another condition puts in doubt, is null; a row without limits fills the rest.
"""

import re
from fractions import Fraction

from bundle import BundleError, decimal_text, rate

UNITS = {"R$": "valor_venal", "cv": "potencia_cv", "HP": "potencia_cv", "cc": "cilindrada_cm3", "cm3": "cilindrada_cm3",
         "cilindradas": "cilindrada_cm3"}
UNIT = r"(cv|HP|cc|cm3|cilindradas)\b"
#: 100 HP are 101.4 cv: a vehicle of 101 cv is below them, and one of 102 above.
HORSEPOWER = Fraction("1.01387")


def span(condition):
    """(what is measured, first limit, last limit) of a condition, or None where it states no limits."""
    low = re.search(rf"acima de (R\$ )?([0-9.]+)(?: e ate [0-9.]+)?(?: {UNIT})?", condition)
    high = re.search(rf"\bate (?:(R\$) ([0-9.]+)|([0-9.]+) {UNIT})", condition)
    if not low and not high:
        return None
    unit = (low and (low.group(1) or low.group(3))) or (high and (high.group(1) or high.group(4)))
    if not unit:
        return None
    number = [text and Fraction(text.replace(".", ""))
              for text in (low and low.group(2), high and (high.group(2) or high.group(3)))]
    return UNITS[unit.strip()], unit, number[0] or Fraction(0), number[1]


def brackets(rows, doubted, where):
    """The members of a content that tell the brackets; `doubted` are rows whose own limits are no answer."""
    spans = [(span(row["condicao"]), row) for row in rows]
    stated = [(found, row) for found, row in spans if found]
    rest = {row["aliquota"] for found, row in spans if not found}
    unsure = [found for found in (span(row["condicao"]) for row in doubted) if found]
    kinds = {found[0] for found, _ in stated} | {found[0] for found in unsure}
    if len(kinds) != 1 or len(rest) > 1:
        raise BundleError(f"ipva {where}: brackets by {sorted(kinds)}, beside {sorted(rest)}")
    every = [*(found for found, _ in stated), *unsure]
    edges = sorted({limit for _, _, low, high in every for limit in (low, high) if limit})
    made = []
    for low, high in zip([Fraction(0), *edges], [*edges, None]):
        def holds(found):
            return found[2] <= low and (found[3] is None or high is not None and high <= found[3])
        own = {row["aliquota"] if row["isento"] != "S" else None for found, row in stated if holds(found)} or rest
        if any(map(holds, unsure)) or not own:
            own = {None}
        if len(own) != 1:
            raise BundleError(f"ipva {where}: {len(own)} rates above {low}")
        made.append((high, own.pop()))
    return {"faixas": [bracket(*one) for one in horsepower(made, every)], "faixas_por": kinds.pop(),
            "metodo": "integral"}


def horsepower(made, every):
    """Limits in HP as limits in cv: the whole number of cv that lies between is in neither."""
    if not any(unit == "HP" for _, unit, _, _ in every):
        return made
    (limit, below), (_, above) = made
    between = limit * HORSEPOWER // 1
    return [(limit, below), (between, None), (None, above)]


def bracket(limit, percent):
    return {"ate": limit and decimal_text(limit), "aliquota": percent and rate(percent)}


def above(content, limit):
    """The content for values above a limit below which all are exempt, without what cannot be reached."""
    if content.get("faixas_por") != "valor_venal":
        return content
    kept = [one for one in content["faixas"] if one["ate"] is None or Fraction(one["ate"]) > limit]
    rest = {name: item for name, item in content.items() if name not in ("faixas", "faixas_por", "metodo")}
    return {"aliquota": kept[0]["aliquota"]} | rest if len(kept) == 1 else content | {"faixas": kept}


def tells_rate(content):
    """Whether a content taxes, by one rate or brackets, each established or not."""
    return "aliquota" in content or "faixas" in content


def rates(content):
    """Every rate of a content, those of its fuels included; None is one that is not established."""
    for part in (content, *content.get("combustiveis", ())):
        yield from (one["aliquota"] for one in part.get("faixas", ()))
        if "aliquota" in part:
            yield part["aliquota"]
