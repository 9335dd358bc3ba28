"""ISS of every municipality but São Paulo: the general rate, the items, and where there is no figure.

What is decided here, and why:

* Every history begins on 2022-01-01: the dates on which most items took their rate are not known, and one common start
  leaves no period in which an item with a rate of its own would fall through to the general one.
* A figure of low trust, or one on which sources disagree, is null and says why (`municipal_readings`).
* Nothing says that tax is withheld: no source outside of São Paulo states the cases.
"""

from bundle import BundleError, day_after, money, percent_of, rate, refusal, result, rule
from municipal_place import HISTORY, comma, trusted
from municipal_readings import (GENERAL_ADVICE, GENERAL_NULL, NARROW, NULLS, TEXT_ADVICE, UNREAD_TABLE, WHOLE)
from municipal_sources import citation, citations, documents, read_in, seen_in

SHOWN_DAY = "2026-03-10"
START_SAID = "Respondido desde 2022-01-01; início anterior não conferido."
LEGAL_RANGE = (2, 5)


def order(item):
    return [int(part) for part in item.split(".")]


def payload(place, item, day, **extra):
    return place.payload("iss", item_lista_servico=item, preco_servico="1000.00", data=day, **extra)


def example(place, item, day, percent, **shown):
    """What an item pays on 1,000.00, or the refusal of one without figure."""
    if percent is None:
        return refusal(payload(place, item, day), "regra_sem_conteudo")
    return result(payload(place, item, day), money(percent_of("1000.00", percent)), aliquota_aplicada=percent, **shown)


def checked_rate(row):
    percent = rate(row["aliquota"])
    low, high = LEGAL_RANGE
    if trusted(row) and not low <= float(percent) <= high and row["item"] not in ("7.02", "7.05", "16.01"):
        raise BundleError(f"iss {row['municipio']}: {percent}% on {row['item']}")
    return percent


def general_rule(place, row):
    """The general rate, published unless it is of low trust or known to hide others."""
    percent, reason = checked_rate(row), GENERAL_NULL.get(place.name)
    if not trusted(row):
        reason = ("Nenhuma fonte dá a alíquota geral; 5% é só o máximo da LC 116/2003, art. 8º, II."
                  if not row["fontes"] else
                  f"A alíquota geral de {comma(percent)}% só foi vista em {documents([row])}; a lei municipal não foi lida.")
    advice = GENERAL_ADVICE.get(place.name, [UNREAD_TABLE])
    if place.name in TEXT_ADVICE and UNREAD_TABLE not in advice:
        advice = [*advice, TEXT_ADVICE[place.name]]
    figure = None if reason else percent
    return rule(place.code("iss", "geral"), "iss", place.scope, HISTORY, None, citation(row, "iss"),
                {"aliquota": figure}, fonte=(seen_in if reason else read_in)([row], START_SAID), motivo=reason,
                avisos=() if reason else advice,
                exemplos=[example(place, item, day, figure) for item, day in
                          (("17.11", SHOWN_DAY), ("25.01", HISTORY))])


def subitems(items, known):
    """Items by number; a group alone stands for all of its items."""
    for item in items:
        if "." in item:
            yield item
        else:
            yield from (one for one in known if one.split(".")[0] == item)


class Item:
    """The history of one item, and the rows that it was read in."""

    def __init__(self, place, item, rows, general):
        self.place, self.item, self.rows, self.general = place, item, rows, general

    def read(self, nulls):
        """The periods as (start, end, rate, citation, advice, reason); `nulls` are what the readings decide."""
        advice = NARROW.get(self.place.name, {}).get(self.item)
        if nulls:
            (start, reason), = nulls
            return [(start, None, None, citations(self.rows or [self.general], "iss"), (), reason)]
        if advice:
            own = [row for row in self.rows if not row["condicao"] and trusted(row)] or [self.general]
            self.rows = own + [row for row in self.rows if row not in own]
            return [(HISTORY, None, checked_rate(own[0]), citation(own[0], "iss"), (advice,), None)]
        periods = []
        for row in sorted(self.rows, key=lambda row: row["vigente_de"]):
            start, end = max(row["vigente_de"], HISTORY), day_after(row["vigente_ate"])
            if not trusted(row):
                seen = f"A alíquota de {comma(row['aliquota'])}% só foi vista em {documents([row])}, sem confirmação em lei."
                partly = f" Alcance: {row['condicao']}." if row["condicao"] else ""
                periods.append((HISTORY, end, None, citation(row, "iss"), (), seen + partly))
                continue
            whole = WHOLE.get(self.place.name, {})
            if row["condicao"] and self.item not in whole:
                raise BundleError(f"iss {self.place.name}: item {self.item} without a decision")
            periods.append((start, end, checked_rate(row), citation(row, "iss"), tuple(whole.get(self.item, ())), None))
        if periods[0][0] != HISTORY:
            raise BundleError(f"iss {self.place.name}: item {self.item} begins after the general rule")
        return periods


def item_histories(place, rows, known):
    """Every item with a rule of its own, in the order of the list, with its periods."""
    general = next((row for row in rows if row["item"] == "*"), None)
    nulls = {}
    for items, start, reason in NULLS.get(place.name, ()):
        for item in subitems(items, known):
            nulls.setdefault(item, []).append((start, reason))
    own = {}
    for row in rows:
        if row["item"] != "*":
            own.setdefault(row["item"], []).append(row)
    for item in sorted(own.keys() | nulls.keys() | NARROW.get(place.name, {}).keys(), key=order):
        if item not in known:
            raise BundleError(f"iss {place.name}: unknown item {item}")
        one = Item(place, item, own.get(item, []), general)
        periods = one.read(nulls.get(item))
        yield item, one.rows or [general], periods


def tables(bundle, place, rows, known):
    """One line an item; items that share all but their rate share a table."""
    groups = {}
    for item, members, periods in item_histories(place, rows, known):
        for number, (start, end, percent, law, advice, reason) in enumerate(periods):
            if percent is not None and place.name in TEXT_ADVICE:
                advice = (*advice, TEXT_ADVICE[place.name])
            source = (seen_in if reason else read_in)(members, START_SAID)
            key = (f"1.{number}", start, end, law, source, advice, reason)
            groups.setdefault(key, []).append((item, percent))
    for (version, start, end, law, source, advice, reason), lines in groups.items():
        common = {"versao": version, "tributo": "iss", "escopo": place.scope, "vigente_de": start, "vigente_ate": end,
                  "citacao_legal": law, "fonte": source}
        common |= ({"avisos": list(advice)} if advice else {}) | ({"motivo": reason} if reason else {})
        day = start if end else max(start, SHOWN_DAY)
        shown = [{"rule_id": f"{place.code('iss', item)}-v{version}", **example(place, item, day, percent)}
                 for item, percent in lines[:3]]
        bundle.table(common, ["rule_code", "escopo.item_lista_servico", "conteudo.aliquota"],
                     [[place.code("iss", item), item, percent] for item, percent in lines], shown)


def add(bundle, place, rows, known):
    """The general rule and the items of one municipality."""
    for row in rows:
        if row["retido_na_fonte"]:
            raise BundleError(f"iss {place.name}: a statement on withholding without a decision")
        if row["item"] == "*":
            bundle.add(general_rule(place, row))
    tables(bundle, place, rows, known)
