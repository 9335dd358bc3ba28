"""ISS of societies of one profession: a fixed amount for each professional.

What is decided here, and why:

* The items are the municipality's closed list where it was read; elsewhere those of DL 406/1968, art. 9º, § 3º, in the
  numbers of LC 116: a rule without items would answer for services that no law admits.
* Amounts that are raised every year answer only in the year in which they were read; the others are null.
* Rows of self-employed professionals are of another regime, and no rule comes of them.
"""

import re
from fractions import Fraction

from bundle import BundleError, decimal_text, money, refusal, result, rule
from municipal_iss import SHOWN_DAY, payload
from municipal_place import HISTORY, trusted
from municipal_sources import citations, read_in, seen_in

#: DL 406/1968, art. 9º, § 3º (LC 56/1987), items 1, 4, 8, 25, 52 and 88 to 92, in the numbers of LC 116/2003.
DL_406 = ["4.01", "4.06", "4.08", "4.11", "4.12", "4.13", "4.14", "4.16", "5.01", "7.01", "10.03", "17.14", "17.19",
          "17.20"]
BOUNDED = ("Alcança só as sociedades da lista fechada da lei municipal, não conferida; aqui, as do Decreto-Lei 406/1968, "
           "art. 9º, § 3º.")
SOLE = "Só as sociedades de uma só profissão, de sócios habilitados que prestam o serviço pessoalmente."

#: Municipality -> (periodicity, years with amounts, last year of them or none, advice, reason of the other years).
SOCIETIES = {
    "MG/Belo Horizonte": ("mensal", ("2024",), True, [BOUNDED],
                          "Os valores deste exercício não foram obtidos; os de 2024 são R$ 255,01, R$ 382,53, "
                          "R$ 510,05 e R$ 637,56 por profissional, corrigidos todo ano."),
    "CE/Fortaleza": ("mensal", ("2026",), False, [SOLE], "Os valores foram lidos no exercício de 2026."),
    "CE/Canindé": ("mensal", ("2026",), False, [SOLE], "Os valores foram lidos no exercício de 2026."),
    "RJ/Rio de Janeiro": ("mensal", (), False, [BOUNDED],
                          "As bases por profissional são corrigidas todo ano, e as das faixas de 6 a 10 e acima de 15 "
                          "profissionais não foram lidas."),
    "PR/Curitiba": ("anual", (), False, [BOUNDED],
                    "O valor anual por sócio só foi visto em cadastro público, sem confirmação em lei."),
    "PE/Recife": ("não conferida", (), False, [BOUNDED],
                  "Os valores das sociedades (art. 117-A) não foram lidos; o lido, de 2015, é do profissional autônomo."),
}
CITATIONS = {"PE/Recife": "Lei 15.563/1991 (CTM), art. 117-A"}
#: What the closed list of Fortaleza and Canindé leaves out of three of its items.
LIST_ADVICE = [
    "No subitem 7.01, o regime não alcança agronomia, agrimensura, geologia e congêneres; no 7.11, só decoração; no "
    "17.20, só economistas.",
]
#: Municipalities whose rows are all of self-employed professionals.
NOT_SOCIETIES = {"AP/Macapá"}


def due(bands, percent, professionals, method="marginal"):
    """What so many professionals owe: each at the band in which they are, or all at the band of their number."""
    total, counted = Fraction(0), 0
    for band in bands:
        upper = professionals if band["ate"] is None else min(professionals, band["ate"])
        each = (Fraction(band["valor_por_profissional"]) if percent is None
                else Fraction(band["base_presumida"]) * Fraction(percent) / 100)
        if method == "marginal":
            total += max(upper - counted, 0) * each
        elif counted < professionals <= upper:
            total = professionals * each
        counted = max(counted, upper)
    return money(total)


def local_items(rows):
    """The municipality's closed list, from its own numbers (which skip 17.07) to those of LC 116."""
    lists = {match.group(1) for row in rows
             if (match := re.search(r"numeração local: ([0-9.,-]+)", row["obs"]))}
    if len(lists) != 1:
        return None
    items = []
    for part in lists.pop().split(","):
        first, _, last = part.partition("-")
        group, number = first.split(".")
        end = int(last.split(".")[1]) if last else int(number)
        for one in range(int(number), end + 1):
            items.append(f"{group}.{one + (group == '17' and one >= 7):02}")
    return items


def bands_of(place, rows, year):
    members = [row for row in rows if row["exercicio"] == year and trusted(row)]
    method = {"valor_fixo": "marginal", "valor_fixo_por_porte": "integral"}
    methods = {row["metodo"] for row in members}
    if len(methods) != 1 or not methods <= method.keys():
        raise BundleError(f"iss {place.name}: methods {methods} in {year}")
    last = 0
    for row in members:
        if int(row["profissionais_de"]) != last + 1:
            raise BundleError(f"iss {place.name}: bands of professionals with a gap in {year}")
        last = int(row["profissionais_ate"] or 0)
    bands = [{"ate": int(row["profissionais_ate"]) if row["profissionais_ate"] else None,
              "valor_por_profissional": decimal_text(row["valor_fixo"])} for row in members]
    return method[methods.pop()], bands, members


def edges(bands):
    """One professional, then each limit and the one after it."""
    return [1, *(count for band in bands if band["ate"] for count in (band["ate"], band["ate"] + 1))]


def periods(years, yearly):
    """(start, end, year with amounts or none) from the beginning of the histories on."""
    start = HISTORY
    for year in years:
        first, after = f"{year}-01-01", f"{int(year) + 1}-01-01"
        if start < first:
            yield start, first, None
        yield first, after if yearly else None, year
        start = after
    if yearly or not years:
        yield start, None, None


def rules(place, rows):
    if not rows or place.name in NOT_SOCIETIES:
        return
    if place.name not in SOCIETIES:
        raise BundleError(f"iss {place.name}: fixed regime without a decision")
    frequency, years, yearly, advice, reason = SOCIETIES[place.name]
    own = local_items(rows)
    items = own or DL_406
    advice = [*advice, *(LIST_ADVICE if own else ())]
    scope = place.scope | {"item_lista_servico": items, "regime": "sociedade_uniprofissional"}
    law = CITATIONS.get(place.name) or citations(rows, "iss")

    def ask(day, count):
        return payload(place, "17.19", day, regime="sociedade_uniprofissional", numero_profissionais=count)

    for number, (start, end, year) in enumerate(periods(years, yearly)):
        common = {"versao": f"1.{number}", "avisos": advice}
        if year is None:
            fixed = {"periodicidade": frequency, "metodo": "marginal",
                     "faixas": [{"ate": None, "valor_por_profissional": None}]}
            day = start if end else max(start, SHOWN_DAY)
            yield rule(place.code("iss", "uniprofissional"), "iss", scope, start, end, law, {"fixo": fixed},
                       motivo=reason, fonte=seen_in(rows), exemplos=[refusal(ask(day, 3), "regra_sem_conteudo")],
                       **common)
            continue
        method, bands, members = bands_of(place, rows, year)
        fixed = {"periodicidade": frequency, "metodo": method, "faixas": bands}
        yield rule(place.code("iss", "uniprofissional"), "iss", scope, start, end, law, {"fixo": fixed},
                   fonte=read_in(members, f"Valores do exercício de {year}."), **common,
                   exemplos=[result(ask(start, count), due(bands, None, count, method), numero_profissionais=count,
                                    periodicidade=frequency) for count in edges(bands)])
