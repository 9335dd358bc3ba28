"""IPVA of each UF, for its eight categories of vehicle (São Paulo has its own module).

What is decided here, and why:

* A category that was not collected has no rule: the general rate of the law is not presumed to reach it.
* A category whose figures are all of low trust is published with null. So is one whose rate is divided by what an
  operation does not tell, and one on which the sources disagree (`estadual_ipva_leitura`).
* A rate by value, power or displacement is written in brackets (`estadual_ipva_faixas`), those in doubt null. An
  exemption by value that is sure answers although the rate above it is null.
* The sources are of 2026. A figure without a first day answers since 2022 if its citation reaches an article of an
  act without later wording, and else since 2026; the years from 2022 until then are null.
* Age, recognition, and the immunity of old vehicles (EC 137/2025) are told in `avisos`.
"""

import re
from fractions import Fraction
from itertools import pairwise

from bundle import BundleError, day_after, decimal_text, rate, read_table, rule
from citacao import citation, cites_article, listed, percent, years
from estadual_ipva_exemplos import FUELS, examples
from estadual_ipva_faixas import above, brackets, rates, span
from estadual_ipva_leitura import (ADVICE, AS_CAR, BRACKETED, BRACKETED_LAW, DESCRIPTIVE, DIVIDED, DIVIDED_FUELS,
                                   LOW_SOURCES, RECOGNISED, REDUCED_BASE, SINCE, TABLES, UNREAD_FUELS, UNTIL, read_in)

START, READ = "2022-01-01", "2026-01-01"
KINDS = ("automovel", "motocicleta", "caminhao", "caminhonete", "onibus_micro_onibus", "locadora", "taxi", "pcd")
OLD_KINDS = ("automovel", "motocicleta", "caminhonete", "locadora", "pcd")
OLD = ("Veículo terrestre de passageiros, caminhonete ou misto com 20 anos ou mais de fabricação: imune desde {} (CF, "
       "art. 155, § 6º, III, e, redação da EC 137/2025); a operação informada não traz o ano de fabricação.")
UNREAD = "O tratamento deste período não foi conferido: as fontes lidas são de exercícios posteriores."


def trusted(row):
    return row["confianca"] != "baixa"


def figures(rows):
    """The distinct rates of some rows, ascending."""
    return sorted({row["aliquota"] for row in rows if row["aliquota"]}, key=Fraction)


def first_day(uf, kind, row):
    """The first day that the facts support for a row."""
    if row["vigente_de"]:
        return max(row["vigente_de"], START)
    if (uf, kind) in SINCE:
        return SINCE[uf, kind]
    if row["vigente_ate"] and row["vigente_ate"] < READ:
        return START
    known = cites_article(row["fonte_legal"]) and max(years(row["fonte_legal"])) < int(START[:4])
    return START if known else READ


def low_reason(rows):
    """Why a category with figures of low trust only has none."""
    seen = [f"a{'s' if len(rates) > 1 else ''} alíquota{'s' if len(rates) > 1 else ''} de "
            f"{listed([percent(item) for item in rates])}" for rates in [figures(rows)] if rates]
    if any(row["isento"] == "S" for row in rows):
        seen.append("a isenção, no todo ou em parte")
    return f"Só vista em fonte não confirmada: {listed(seen)}; a lei não foi conferida."


class Cell:
    """One UF and category: its rows, and the content that they give in a period."""

    def __init__(self, uf, kind, rows):
        self.uf, self.kind = uf, kind
        own = [row for row in rows if row["categoria"] == kind
               or row["categoria"] == "automovel" and row["combustivel"] in AS_CAR.get((uf, kind), "").split()]
        if (uf, kind) in BRACKETED_LAW:  # the law itself was read
            own = [row if row["combustivel"] else row | {"confianca": "alta"} for row in own]
        self.ages = [row for row in own if row["motivo"] == "isencao por idade"]
        self.rows = [row for row in own if row["motivo"] not in ("imunidade", "isencao por idade")]
        self.divided = DIVIDED.get((uf, kind))
        self.bracketed = BRACKETED.get((uf, kind))
        fuels, self.fuel_reason = DIVIDED_FUELS.get((uf, kind), ("", None))
        self.open_fuels = fuels.split()
        for told in filter(None, (self.divided, self.bracketed)):
            expected = told[0].split()
            if figures([row for row in self.rows if not row["combustivel"]]) != expected:
                raise BundleError(f"ipva {uf}: the rates of {kind} are no longer {expected}")
        for row in self.rows:
            self.check_condition(row)

    def check_condition(self, row):
        """Every condition of a trusted row has been read by somebody."""
        read = (self.divided or not trusted(row) or span(row["condicao"]) or row["condicao"] in DESCRIPTIVE
                or self.kind == "pcd" or row["combustivel"] in self.open_fuels)
        if not read:
            raise BundleError(f"ipva {self.uf}: condition of {self.kind} not read: {row['condicao']}")

    def periods(self):
        """(first day, day after the last, trusted rows in force), without gap since 2022."""
        good = [row for row in self.rows if trusted(row)]
        until = UNTIL.get((self.uf, self.kind), (None,))[0]
        spans = [(first_day(self.uf, self.kind, row), day_after(row["vigente_ate"]) or until, row) for row in good]
        days = sorted({START, *(start for start, _, _ in spans), *(end for _, end, _ in spans if end)})
        for start, end in pairwise([*days, None]):
            yield start, end, [row for first, last, row in spans if first <= start and (last is None or start < last)]

    def content(self, rows):
        """(content, reason of what is null) of the rows in force."""
        base = [row for row in rows if not row["combustivel"]]
        if not rows or not base and not {"gasolina", "etanol", "flex"} <= {row["combustivel"] for row in rows}:
            return {"aliquota": None}, UNREAD
        by_fuel = self.by_fuel([row for row in rows if row["combustivel"]], base)
        if self.divided:
            answered = [entry for entry in by_fuel if entry["aliquota"]]
            return {"aliquota": None} | ({"combustiveis": answered} if answered else {}), self.divided[1]
        low = {row["combustivel"] for row in self.rows if not trusted(row) and row["combustivel"]}
        unknown = low - {fuel for entry in by_fuel for fuel in entry["combustivel"]}
        if unknown:
            raise BundleError(f"ipva {self.uf}: the low trust of {unknown} in {self.kind} has not been read")
        free = [row for row in base if row["isento"] == "S"]
        if free and not self.bracketed:
            return {"isento": True, "motivo_isencao": f"Isenção: {self.law(free)}"}, None
        if not self.bracketed and len(figures(base)) > 1:
            raise BundleError(f"ipva {self.uf}: {kind_name(self.kind)} has {len(figures(base))} rates")
        content = self.general(base) | ({"combustiveis": by_fuel} if by_fuel else {})
        return content, self.null_reason(content)

    def general(self, base):
        """What is said of every fuel that has nothing of its own."""
        if self.bracketed:
            taxed = [row for row in base if row["isento"] != "S"]
            doubted = [row for row in self.rows if row["isento"] == "S" and not row["combustivel"]]
            return brackets(taxed, doubted, f"{self.uf} {self.kind}")
        return {"aliquota": rate(figures(base)[0])} if base else {}

    def null_reason(self, content):
        """The reasons of what is null: of a bracket, and of a fuel."""
        told = [self.bracketed[1]] if self.bracketed and None in rates(self_part(content)) else []
        if any(None in rates(entry) for entry in content.get("combustiveis", ())):
            told += [self.fuel_reason or UNREAD_FUELS[self.uf, self.kind][1]]
        return " ".join(told) or None

    def by_fuel(self, rows, base):
        """What is said of single fuels, those of one treatment together."""
        groups = {}
        for fuel in FUELS:
            said = self.of_fuel(fuel, [row for row in rows if row["combustivel"] == fuel], base)
            if said:
                groups.setdefault(str(said), (said, []))[1].append(fuel)
        return [{"combustivel": fuels} | said for said, fuels in groups.values()]

    def of_fuel(self, fuel, own, base):
        """What is said of one fuel, if something is."""
        known = any(trusted(row) and row["combustivel"] == fuel for row in self.rows)
        if fuel in self.open_fuels and (own or not known) or not own and fuel in UNREAD_FUELS.get(
                (self.uf, self.kind), ("", None))[0].split():
            return {"aliquota": None}
        if not own:
            return None
        taxed = [row for row in own if row["aliquota"]]
        free = [row for row in own if not row["aliquota"]]
        if not taxed:
            return {"isento": True, "motivo_isencao": f"Isenção: {self.law(own)}"}
        if free:  # up to a value exempt, and above it taxed on the whole
            (_, _, _, limit), (_, _, low, _) = span(free[0]["condicao"]), span(taxed[0]["condicao"])
            if len(own) != 2 or limit != low:
                raise BundleError(f"ipva {self.uf}: the exemption of {fuel} has not been read")
            return {"aliquota": rate(taxed[0]["aliquota"]), "isencao": exempt_to(limit, "total", self.law(free))}
        row, = taxed
        if span(row["condicao"]):  # up to a value its own rate, and above it the general one
            return brackets([row, *base], (), f"{self.uf} {self.kind} {fuel}")
        cut, _ = REDUCED_BASE.get((self.uf, self.kind, fuel), (None, None))
        return {"aliquota": rate(row["aliquota"])} | ({"reducao_base": rate(cut)} if cut else {})

    def law(self, rows):
        if (self.uf, self.kind) in BRACKETED_LAW:
            return BRACKETED_LAW[self.uf, self.kind]
        return "; ".join(dict.fromkeys(citation(row["fonte_legal"]) for row in rows))

    def advice(self, end, content, immunity):
        """The conditions that an operation does not tell."""
        told = list(ADVICE.get((self.uf, self.kind), ()))
        told += [text for (uf, kind, _), (_, text) in REDUCED_BASE.items() if (uf, kind) == (self.uf, self.kind)]
        if content.get("isento") or "isencao" in content:
            told.insert(0, RECOGNISED)
        for row in self.ages:
            words = row["condicao"].replace("fabricacao", "fabricação")
            text = f"isenção para veículo com {words} ({citation(row['fonte_legal'])})"
            told.append(f"Há {text}." if trusted(row) else f"Há notícia, não confirmada, de {text}.")
        if self.kind in OLD_KINDS and not content.get("isento") and (end is None or end > READ):
            told.append(OLD.format(immunity))
        return told


def self_part(content):
    """A content without what it says of single fuels."""
    return {name: item for name, item in content.items() if name != "combustiveis"}


def exempt_to(limit, mode, law, ceiling=None):
    """An exemption by value."""
    return ({"limite": decimal_text(limit), "modo": mode} | ({"teto": decimal_text(ceiling)} if ceiling else {})
            | {"base_legal": law})


def kind_name(kind):
    return kind.replace("_", "-")


def source_of(cell, start, rows):
    """Where the figure was read, and what was not checked of it."""
    parts = []
    if rows:
        parts.append(f"Lido em: {read_in(cell.uf, cell.kind)}.")
        if any(not row["vigente_de"] for row in rows):
            parts.append(f"Início anterior a {start} não conferido.")
    elif not any(map(trusted, cell.rows)):
        seen = [text for mark, text in LOW_SOURCES.items() if any(mark in row["obs"] for row in cell.rows)]
        parts.append(f"Visto só em: {'; '.join(seen or [TABLES])}.")
    else:
        parts.append(f"De outros exercícios, lido em: {read_in(cell.uf, cell.kind)}.")
    return " ".join(parts)


# --- people with disabilities --------------------------------------------------------------------------


LIMIT = re.compile(r"valor ate (?:R\$ ([0-9.]+)|.*\(R\$ ([0-9.,]+) em 2026|([0-9.]+) (UFIRCE))")


def disabled(cell, rows, car, units):
    """(content, reason) of the exemption: up to a value, without limit, or not established."""
    if cell.divided or not rows:
        return {"aliquota": None}, cell.divided and cell.divided[1]
    row, = rows
    if row["condicao"].startswith("sem teto"):
        return {"isento": True, "motivo_isencao": f"Isenção: {cell.law(rows)}"}, None
    found = LIMIT.match(row["condicao"])
    if not found:
        raise BundleError(f"ipva {cell.uf}: exemption not read: {row['condicao']}")
    plain, stated, count, unit = found.groups()
    limit = Fraction((plain or stated or count).replace(".", "").replace(",", "."))
    if unit:
        limit *= Fraction(units[unit])
    part = re.search(r"isencao limitada a parcela de R\$ ([0-9.]+)", row["condicao"])
    if part:
        own = Fraction(part.group(1).replace(".", ""))
        exempt = exempt_to(own, "excedente", cell.law(rows), limit)
    else:
        exempt, car = exempt_to(limit, "total", cell.law(rows)), above(car, limit)
    reason = NO_CAR_RATE if None in rates(car) else None
    return car | {"isencao": exempt}, reason


NO_CAR_RATE = ("A isenção responde até o limite; acima dele, falta a alíquota do automóvel, no todo ou em parte, pelo "
               "motivo da regra do automóvel.")


# --- the rules of one UF -------------------------------------------------------------------------------


def split(periods, days):
    """The periods, each cut where one of the days falls in it."""
    for start, end, rows in periods:
        inside = [day for day in days if start < day and (end is None or day < end)]
        for first, last in pairwise([start, *inside, end]):
            yield first, last, rows


def versions(cell, cars, units):
    """(first day, day after the last, rows, law, content, reason), periods of one content joined."""
    def car_at(day):
        """(content, law) of cars on a day."""
        return next((cars.content(active)[0], cars.law(active)) for start, end, active in cars.periods()
                    if start <= day and (end is None or day < end))

    joined = []
    car_days = [start for start, _, _ in cars.periods()] if cell.kind == "pcd" else []
    for start, end, rows in split(cell.periods(), car_days):
        car, car_law = car_at(start)
        content, reason = disabled(cell, rows, car, units) if cell.kind == "pcd" else cell.content(rows)
        if not rows:
            reason = unknown_reason(cell, start)
        rows = [] if reason == UNREAD else rows
        law = cell.law(rows or cell.rows)
        if cell.kind == "pcd" and "isencao" in content and content.get("aliquota", "") is not None:
            law = "; ".join(dict.fromkeys((law, car_law)))
        if joined and joined[-1][3:] == (law, content, reason):
            joined[-1] = (joined[-1][0], end, *joined[-1][2:])
        else:
            joined.append((start, end, rows, law, content, reason))
    if all(content == {"aliquota": None} for _, _, _, _, content, _ in joined):
        *_, (_, _, rows, law, content, reason) = joined
        return [(START, None, rows, law, content, reason)]
    return joined


def unknown_reason(cell, start):
    """Why a period without a trusted row has no figure."""
    if (cell.uf, cell.kind) in UNTIL and start == UNTIL[cell.uf, cell.kind][0]:
        return UNTIL[cell.uf, cell.kind][1]
    if any(map(trusted, cell.rows)):
        return UNREAD
    return cell.divided[1] if cell.divided else low_reason(cell.rows)


def immunity_day(uf, rows):
    """The first day of the immunity of old vehicles, which the facts repeat for each UF."""
    days = {row["vigente_de"] for row in rows if row["motivo"] == "imunidade"}
    if len(days) != 1:
        raise BundleError(f"ipva {uf}: the immunity of old vehicles has {len(days)} first days")
    return days.pop()


def rules(uf, source, _nomenclature=None):
    """The rules of one UF, category by category."""
    rows = [row for row in read_table(source, "estadual/ipva.csv") if row["uf"] == uf]
    cover = {row["categoria"]: row["situacao"] for row in read_table(source, "estadual/ipva_cobertura.csv")
             if row["uf"] == uf}
    if set(cover) != set(KINDS):
        raise BundleError(f"ipva {uf}: the coverage lacks a category")
    immunity = immunity_day(uf, rows)
    units = {row["unidade"]: row["valor_brl"] for row in read_table(source, "estadual/unidades_fiscais.csv")
             if row["uf"] == uf and row["vigente_de"] == READ and trusted(row)}
    cars = Cell(uf, "automovel", rows)

    for kind in KINDS:
        cell = Cell(uf, kind, rows)
        if (cover[kind] == "nao_coletado") == bool(cell.rows):
            raise BundleError(f"ipva {uf}: the coverage of {kind} disagrees with its rows")
        if not cell.rows:
            continue
        for number, (start, end, active, law, content, reason) in enumerate(versions(cell, cars, units)):
            null = reason is not None
            yield rule(f"ipva-{uf.lower()}-{kind_name(kind)}", "ipva", {"uf": uf, "categoria_veiculo": [kind]},
                       start, end, law, content, versao=f"1.{number}", fonte=source_of(cell, start, active),
                       avisos=cell.advice(end, content, immunity) if content != {"aliquota": None} else (),
                       motivo=reason if null else None, exemplos=list(examples(uf, kind, start, end, content, READ)))
