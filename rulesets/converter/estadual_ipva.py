"""IPVA of each UF, for its eight categories of vehicle (São Paulo has its own module).

What is decided here, and why:

* A category that was not collected has no rule: the general rate of the law is not presumed to reach it.
* A category whose figures are all of low trust is published with null. So is one whose rate is divided by what an
  operation does not tell, and one on which the sources disagree (`estadual_ipva_leitura`).
* The sources are of 2026. A figure without a first day answers since 2022 if its citation reaches an article of an
  act without later wording, and else since 2026; the years from 2022 until then are null.
* Age, recognition, and the immunity of old vehicles (EC 137/2025) are told in `avisos`.
"""

import re
from fractions import Fraction
from itertools import pairwise

from bundle import BundleError, brl, day_after, decimal_text, money, percent_of, rate, read_table, refusal, result, rule
from citacao import citation, cites_article, listed, percent, years
from estadual_ipva_leitura import (ADVICE, DESCRIPTIVE, DIVIDED, DIVIDED_FUELS, LOW_SOURCES, RECOGNISED, SINCE, TABLES,
                                   TAXED_PART, UNTIL, read_in)

START, READ = "2022-01-01", "2026-01-01"
KINDS = ("automovel", "motocicleta", "caminhao", "caminhonete", "onibus_micro_onibus", "locadora", "taxi", "pcd")
FUELS = ("gasolina", "etanol", "flex", "diesel", "gnv", "eletrico", "hibrido")
VALUES = {"automovel": "80000.00", "motocicleta": "15000.00", "caminhao": "200000.00", "caminhonete": "100000.00",
          "onibus_micro_onibus": "300000.00", "locadora": "60000.00", "taxi": "80000.00", "pcd": "100000.00"}
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
        own = [row for row in rows if row["categoria"] == kind]
        self.ages = [row for row in own if row["motivo"] == "isencao por idade"]
        self.rows = [row for row in own if row["motivo"] not in ("imunidade", "isencao por idade")]
        self.divided = DIVIDED.get((uf, kind))
        fuels, self.fuel_reason = DIVIDED_FUELS.get((uf, kind), ("", None))
        self.open_fuels = fuels.split()
        if self.divided:
            expected = self.divided[0].split()
            if figures([row for row in self.rows if not row["combustivel"]]) != expected:
                raise BundleError(f"ipva {uf}: the rates of {kind} are no longer {expected}")
        for row in self.rows:
            self.check_condition(row)

    def check_condition(self, row):
        """Every condition of a trusted row has been read by somebody."""
        read = (self.divided or not trusted(row) or row["condicao"] in DESCRIPTIVE or self.kind == "pcd"
                or row["combustivel"] in self.open_fuels)
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
        low = [row for row in self.rows if not trusted(row) and row["combustivel"]]
        if not rows or not base and not {"gasolina", "etanol", "flex"} <= {row["combustivel"] for row in rows}:
            return {"aliquota": None}, UNREAD
        free = [row for row in base if row["isento"] == "S"]
        by_fuel = self.by_fuel([row for row in rows if row["combustivel"]])
        unknown = {row["combustivel"] for row in low} - {fuel for entry in by_fuel for fuel in entry["combustivel"]}
        if self.divided:
            answered = [entry for entry in by_fuel if entry["aliquota"]]
            return {"aliquota": None} | ({"combustiveis": answered} if answered else {}), self.divided[1]
        if unknown:
            raise BundleError(f"ipva {self.uf}: the low trust of {unknown} in {self.kind} has not been read")
        if free:
            return {"isento": True, "motivo_isencao": f"Isenção: {self.law(free)}"}, None
        if len(figures(base)) > 1:
            raise BundleError(f"ipva {self.uf}: {kind_name(self.kind)} has {len(figures(base))} rates")
        content = {"aliquota": rate(figures(base)[0])} if base else {}
        return content | ({"combustiveis": by_fuel} if by_fuel else {}), self.fuel_reason

    def by_fuel(self, rows):
        """What is said of single fuels, those of one treatment together."""
        groups = {}
        for fuel in FUELS:
            own = [row for row in rows if row["combustivel"] == fuel]
            if fuel in self.open_fuels:
                groups.setdefault((None, None), []).append(fuel)
            elif own:
                row, = own
                part, _ = TAXED_PART.get((self.uf, self.kind, fuel), ("1", None))
                percent_points = rate(Fraction(row["aliquota"]) * Fraction(part)) if row["aliquota"] else None
                law = None if percent_points else f"Isenção: {self.law(own)}"
                groups.setdefault((percent_points, law), []).append(fuel)
        return [{"combustivel": fuels, "aliquota": figure} if law is None else
                {"combustivel": fuels, "isento": True, "motivo_isencao": law}
                for (figure, law), fuels in groups.items()]

    def law(self, rows):
        return "; ".join(dict.fromkeys(citation(row["fonte_legal"]) for row in rows))

    def advice(self, end, content, immunity):
        """The conditions that an operation does not tell."""
        told = list(ADVICE.get((self.uf, self.kind), ()))
        told += [text for (uf, kind, _), (_, text) in TAXED_PART.items() if (uf, kind) == (self.uf, self.kind)]
        if content.get("isento") or "isencao" in content:
            told.insert(0, RECOGNISED)
        for row in self.ages:
            words = row["condicao"].replace("fabricacao", "fabricação")
            text = f"isenção para veículo com {words} ({citation(row['fonte_legal'])})"
            told.append(f"Há {text}." if trusted(row) else f"Há notícia, não confirmada, de {text}.")
        if self.kind in OLD_KINDS and not content.get("isento") and (end is None or end > READ):
            told.append(OLD.format(immunity))
        return told


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


def disabled(cell, rows, car):
    """(content, reason) of the exemption: up to a value, without limit, or not established."""
    if cell.divided or not rows:
        return {"aliquota": None}, cell.divided and cell.divided[1]
    row, = rows
    if row["condicao"].startswith("sem teto"):
        return {"isento": True, "motivo_isencao": f"Isenção: {cell.law(rows)}"}, None
    found = re.match(r"valor ate (?:R\$ ([0-9.]+)|.*\(R\$ ([0-9.,]+) em 2026|25\.000 UFIRCE)", row["condicao"])
    if not found:
        raise BundleError(f"ipva {cell.uf}: exemption not read: {row['condicao']}")
    limit = next((text for text in found.groups() if text), None)
    limit = limit and decimal_text(limit.replace(".", "").replace(",", "."))
    if "limitada a parcela" in row["condicao"]:
        raise BundleError(f"ipva {cell.uf}: a partial exemption")
    by_fuel = car.get("combustiveis", ())
    if limit and car.get("aliquota") and all(entry.get("isento") or entry["aliquota"] for entry in by_fuel):
        return car | {"isencao": {"limite": limit, "modo": "total", "base_legal": cell.law(rows)}}, None
    words = f"até {brl(limit)}" if limit else "até 25.000 UFIRCE"
    return {"aliquota": None}, (f"Há isenção {words}; acima do limite, a alíquota do automóvel não está estabelecida "
                                "para toda operação, e a regra não responde só uma parte dos valores.")


# --- examples ------------------------------------------------------------------------------------------


def payload(uf, kind, value, day, **extra):
    return {"tributo": "ipva", "uf": uf, "categoria_veiculo": kind, "valor_venal": value,
            "data_fato_gerador": day, **extra}


def sample_days(start, end):
    """The first exercise of a period, and 2026 if it holds it."""
    first = start if start.endswith("-01-01") else f"{int(start[:4]) + 1}-01-01"
    days = [first] + ([READ] if first < READ and (end is None or end > READ) else [])
    return [day for day in days if end is None or day < end]


def examples(uf, kind, start, end, content):
    value = VALUES[kind]
    for day in sample_days(start, end):
        base = payload(uf, kind, value, day)
        if "isencao" in content:
            limit = Fraction(content["isencao"]["limite"])
            above = money(limit + Fraction("0.01"))
            fuel = {"combustivel": "flex"} if "combustiveis" in content else {}
            due = money(percent_of(above, content["aliquota"]))
            yield result(payload(uf, kind, money(limit), day, **fuel), "0.00", isento=True)
            yield result(payload(uf, kind, above, day, **fuel), due, isento=False)
        elif content.get("isento"):
            yield result(base, "0.00", isento=True)
        elif "combustiveis" in content:
            yield refusal(base, "combustivel_ausente")
            yield from fuel_examples(base, value, content)
        elif content["aliquota"] is None:
            yield refusal(base, "regra_sem_conteudo")
        else:
            yield result(base, money(percent_of(value, content["aliquota"])), aliquota_aplicada=content["aliquota"])


def fuel_examples(base, value, content):
    named = [fuel for entry in content["combustiveis"] for fuel in entry["combustivel"]]
    others = [fuel for fuel in FUELS if fuel not in named]
    entries = [*content["combustiveis"], *([{"combustivel": others, **content}] if "aliquota" in content else [])]
    for entry in entries:
        one = base | {"combustivel": "flex" if "flex" in entry["combustivel"] else entry["combustivel"][0]}
        if entry.get("isento"):
            yield result(one, "0.00", isento=True)
        elif entry["aliquota"] is None:
            yield refusal(one, "regra_sem_conteudo")
        else:
            yield result(one, money(percent_of(value, entry["aliquota"])), aliquota_aplicada=entry["aliquota"])


# --- the rules of one UF -------------------------------------------------------------------------------


def versions(cell, car_at):
    """(first day, day after the last, rows, law, content, reason), periods of one content joined."""
    joined = []
    for start, end, rows in cell.periods():
        content, reason = disabled(cell, rows, car_at(start)) if cell.kind == "pcd" else cell.content(rows)
        if not rows:
            reason = unknown_reason(cell, start)
        rows = [] if reason == UNREAD else rows
        law = cell.law(rows or cell.rows)
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
    cars = Cell(uf, "automovel", rows)

    def car_at(day):
        return next(cars.content(active)[0] for start, end, active in cars.periods()
                    if start <= day and (end is None or day < end))

    for kind in KINDS:
        cell = Cell(uf, kind, rows)
        if (cover[kind] == "nao_coletado") == bool(cell.rows):
            raise BundleError(f"ipva {uf}: the coverage of {kind} disagrees with its rows")
        if not cell.rows:
            continue
        for number, (start, end, active, law, content, reason) in enumerate(versions(cell, car_at)):
            null = reason is not None
            yield rule(f"ipva-{uf.lower()}-{kind_name(kind)}", "ipva", {"uf": uf, "categoria_veiculo": [kind]},
                       start, end, law, content, versao=f"1.{number}", fonte=source_of(cell, start, active),
                       avisos=cell.advice(end, content, immunity) if content != {"aliquota": None} else (),
                       motivo=reason if null else None, exemplos=list(examples(uf, kind, start, end, content)))
