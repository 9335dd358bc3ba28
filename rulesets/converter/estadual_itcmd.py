"""ITCMD of each UF: inheritance and gifts (São Paulo has its own module).

What is decided here, and why:

* Trust "media" becomes a rule, with an `aviso` that names the doubt, where the text of the law bears the reading out;
  where two methods are as likely, only the brackets on which they agree are answered (`OPEN_FROM`).
* A first bracket at zero is written with its exemption, so that the answer says "isento" and by which law. Above it
  the brackets go on from zero, so the exemption is always of the whole ("total"), in marginal tables too.
* An exemption that an operation cannot decide (kind of goods, kinship, the whole estate) is told in `avisos`; where
  it may decide the tax of small values, those values are null (`OPEN_UP_TO`).
* A time without a wording, since 2022, is null and says why.
"""

from fractions import Fraction
from itertools import pairwise

from bundle import (BundleError, brl, day_after, decimal_text, money, percent_of, rate, read_table, refusal, result,
                    rule)
from citacao import citation, listed, percent
from estadual_itcmd_leitura import (ADVICE, BELOW, CITATIONS, EXEMPT, GAP_LAWS, GAPS, ITCMD_REPO, NO_EXEMPTION, NOT_BEFORE,
                                    OPEN_FROM, OPEN_UP_TO, READ_IN, SINCE, SPECIFIC, UNKNOWN, UNTIL)

START = "2022-01-01"
CAUSES = ("causa_mortis", "doacao")
#: Worth of a unit in the examples where none was published: easy to check by hand.
SAMPLE_UNIT = "10.00"
SAMPLE_DAY = "-05-10"
UNREAD = "A lei vigente neste período não foi conferida."


def told(table, uf, cause, start):
    """What a table of the reading says of a wording: of this one, or of every one of the UF and cause."""
    return table.get((uf, cause, start), table.get((uf, cause)))


class Wording:
    """One wording of the law for a UF and cause, in force from `start` until `end`."""

    def __init__(self, uf, cause, start, end, rows):
        self.uf, self.cause, self.start, self.end = uf, cause, start, end
        self.rows = sorted(rows, key=lambda row: int(row["ordem"]))
        #: The first day as the facts have it, by which the reading knows the wording.
        self.key = rows[0]["vigente_de"]
        self.method = self.only("metodo")
        self.unit = self.only("unidade")
        self.trusted = all(row["confianca"] != "baixa" for row in rows)
        self.check_brackets()

    def only(self, name):
        values = {row[name] for row in self.rows}
        if len(values) != 1:
            raise BundleError(f"itcmd {self.uf}: {self.cause} from {self.start} has {len(values)} of {name}")
        return values.pop()

    def check_brackets(self):
        if self.rows[0]["faixa_de"] or self.rows[-1]["faixa_ate"]:
            raise BundleError(f"itcmd {self.uf}: brackets of {self.cause} do not cover every value")
        for before, after in pairwise(self.rows):
            if before["faixa_ate"] != after["faixa_de"]:
                raise BundleError(f"itcmd {self.uf}: brackets of {self.cause} are not contiguous")

    def told(self, table):
        return told(table, self.uf, self.cause, self.key)

    def law(self):
        text = self.rows[0]["fonte_legal"]
        return CITATIONS.get(text, citation(text))

    def brackets(self):
        """The brackets as published; neighbours without a figure are one."""
        shown = []
        floor, _ = self.told(OPEN_UP_TO) or (None, None)
        if floor:
            shown.append({"ate": decimal_text(floor), "aliquota": None})
        first_open, _ = self.told(OPEN_FROM) or (len(self.rows) + 1, None)
        for number, row in enumerate(self.rows, 1):
            limit = row["faixa_ate"] and BELOW.get((self.uf, row["faixa_ate"]), decimal_text(row["faixa_ate"]))
            if floor and limit and Fraction(limit) <= Fraction(floor):
                raise BundleError(f"itcmd {self.uf}: the open part swallows a bracket")
            figure = rate(row["aliquota"]) if number < first_open else None
            if figure is None and shown and shown[-1]["aliquota"] is None:
                shown[-1]["ate"] = limit or None
            else:
                shown.append({"ate": limit or None, "aliquota": figure})
        return shown

    def exemption(self):
        """The exemption that an operation can decide, or None."""
        row = self.rows[0]
        zero = row["aliquota"] == "0"
        limit = row["faixa_ate"] if zero else row["isencao_limite"].split("|")[0]
        excluded = {(self.uf, self.cause), (self.uf, self.cause, self.key)} & NO_EXEMPTION
        if not limit or excluded:
            return None
        law = self.told(EXEMPT)
        if law is None:
            raise BundleError(f"itcmd {self.uf}: the exemption of {self.cause} from {self.key} has not been read")
        unit = self.unit if zero else row["isencao_unidade"].split("|")[0]
        return {"limite": decimal_text(limit), "unidade": "BRL" if unit == "BRL" else "unidade_fiscal",
                "modo": "total", "base_legal": law}, unit

    def content(self):
        """(content, reason of what is null)."""
        unknown = self.told(UNKNOWN)
        if not self.trusted and not unknown:
            raise BundleError(f"itcmd {self.uf}: low trust of {self.cause} from {self.key} has not been read")
        if unknown:
            return {"aliquota": None}, self.worded(unknown)
        exemption, exempt_unit = self.exemption() or (None, "BRL")
        floor_reason = (self.told(OPEN_UP_TO) or (None, None))[1]
        reason = self.worded((self.told(OPEN_FROM) or (None, floor_reason))[1])
        units = {unit for unit in (self.unit, exempt_unit) if unit != "BRL"}
        names = {"unidade_nome": units.pop()} if units else {}
        tail = names | ({"isencao": exemption} if exemption else {})
        if len(self.rows) == 1:
            return {"aliquota": rate(self.rows[0]["aliquota"])} | tail, reason
        kind = {} if self.unit == "BRL" else {"unidade": "unidade_fiscal"}
        return {"metodo": self.method, "faixas": self.brackets()} | kind | tail, reason

    def worded(self, reason):
        """A reason with the brackets of the facts where it asks for them."""
        if not reason or "{faixas}" not in reason:
            return reason
        steps = [f"{percent(row['aliquota'])} {'até ' + brl(row['faixa_ate']) if row['faixa_ate'] else 'acima'}"
                 for row in self.rows]
        return reason.format(faixas=listed(steps))

    def source(self, verb="Lido em"):
        text = SPECIFIC.get((self.uf, self.key), READ_IN.get(self.uf, ITCMD_REPO))
        text = f"{verb}: {text}."
        if not self.key:
            text += f" Início anterior a {self.start} não conferido."
        return text


def wordings(uf, cause, rows):
    """The wordings of a UF and cause, in order of time."""
    groups = {}
    for row in rows:
        groups.setdefault((row["vigente_de"], row["vigente_ate"]), []).append(row)
    for (first, last), members in groups.items():
        if not first and uf not in SINCE:
            raise BundleError(f"itcmd {uf}: no first day for {cause}")
        start = max(first or SINCE[uf], NOT_BEFORE.get(uf, ""))
        end = day_after(last) or UNTIL.get((uf, cause), (None,))[0]
        if end is None or end > start:
            yield Wording(uf, cause, start, end, members)


# --- examples ------------------------------------------------------------------------------------------


def published_unit(units, uf, name, day):
    """The published worth of a unit on a day; figures of low trust are not used."""
    for row in units:
        if ((row["uf"], row["unidade"]) == (uf, name) and row["vigente_de"] <= day <= row["vigente_ate"]
                and row["confianca"] != "baixa"):
            return row["valor_brl"]
    return None


def due(content, value, unit):
    """The tax of a value: None where it is not established, "0.00" where it is exempt. Parts are amounts in cents."""
    exempt = content.get("isencao")
    worth = Fraction(unit)
    if exempt and value <= Fraction(exempt["limite"]) * (worth if exempt["unidade"] != "BRL" else 1):
        return "0.00"
    if "faixas" not in content:
        return content["aliquota"] and money(percent_of(value, content["aliquota"]))
    scale = worth if content.get("unidade") else 1
    total, floor = Fraction(0), Fraction(0)
    for bracket in content["faixas"]:
        top = None if bracket["ate"] is None else Fraction(bracket["ate"]) * scale
        reached = top is None or value <= top
        if content["metodo"] == "integral" and reached:
            return bracket["aliquota"] and money(percent_of(value, bracket["aliquota"]))
        if content["metodo"] == "marginal":
            if bracket["aliquota"] is None:
                return None
            total += Fraction(money(percent_of((value if reached else top) - floor, bracket["aliquota"])))
            if reached:
                return money(total)
        floor = top
    raise BundleError("brackets without an open end")


def values(content, unit):
    """Values at each edge of a content, a cent above it, and well inside the last bracket."""
    edges = []
    if "isencao" in content:
        exempt = content["isencao"]
        edges.append(Fraction(exempt["limite"]) * (Fraction(unit) if exempt["unidade"] != "BRL" else 1))
    scale = Fraction(unit) if content.get("unidade") else 1
    edges += [Fraction(bracket["ate"]) * scale for bracket in content.get("faixas", ()) if bracket["ate"]]
    if not edges:
        return [Fraction("500000.00"), Fraction("1234.56")]
    cents = sorted({edge * 100 // 1 for edge in edges})
    inside = [cents[0] // 2, *(edge + step for edge in cents for step in (0, 1)), cents[-1] * 2]
    return [Fraction(cent, 100) for cent in inside]


def day_of(start, end, units, uf, unit_name):
    """A day of the period, one on which the unit has a published worth if there is one."""
    days = [row["vigente_de"][:8] + "10" for row in units if (row["uf"], row["unidade"]) == (uf, unit_name)]
    days = [day for day in days if start <= day and (end is None or day < end)
            and published_unit(units, uf, unit_name, day)]
    if days:
        return days[-1]
    usual = f"{max(start[:4], '2026' if end is None or end > '2026-06-01' else start[:4])}{SAMPLE_DAY}"
    return usual if usual >= start and (end is None or usual < end) else start


def examples(uf, cause, start, end, content, units):
    name = content.get("unidade_nome")
    day = day_of(start, end, units, uf, name)
    base = {"tributo": "itcmd", "uf": uf, "fato_gerador": cause}
    if content == {"aliquota": None}:
        yield refusal(base | {"valor_base": "500000.00", "data_fato_gerador": day}, "regra_sem_conteudo")
        return
    unit = published_unit(units, uf, name, day) or SAMPLE_UNIT
    extra = {"valor_unidade_fiscal": decimal_text(unit)} if name else {}
    for value in values(content, unit):
        payload = base | {"valor_base": money(value), "data_fato_gerador": day} | extra
        tax = due(content, value, unit)
        exempt = "isencao" in content and value <= Fraction(content["isencao"]["limite"]) * (
            Fraction(unit) if content["isencao"]["unidade"] != "BRL" else 1)
        yield refusal(payload, "regra_sem_conteudo") if tax is None else result(payload, tax, isento=exempt)
    if name:
        yield refusal(base | {"valor_base": "500000.00", "data_fato_gerador": day}, "unidade_fiscal_ausente")
    if start < day:
        value = values(content, unit)[-1]
        tax = due(content, value, unit)
        payload = base | {"valor_base": money(value), "data_fato_gerador": start} | extra
        yield refusal(payload, "regra_sem_conteudo") if tax is None else result(payload, tax)


# --- the rules of one UF -------------------------------------------------------------------------------


def versions(uf, cause, rows):
    """(first day, day after the last, wording or None, content, reason), without gap since 2022."""
    periods = []
    day = START
    for wording in wordings(uf, cause, rows):
        if wording.start > day:
            periods.append((day, wording.start, None, {"aliquota": None}, GAPS.get((uf, day), UNREAD)))
        content, reason = wording.content()
        last = periods[-1] if periods else None
        if last and last[2] and (last[2].law(), *last[3:]) == (wording.law(), content, reason):
            periods[-1] = (last[0], wording.end, *last[2:])
        else:
            periods.append((wording.start, wording.end, wording, content, reason))
        day = wording.end
    if day is not None:
        reason = UNTIL.get((uf, cause), (None, GAPS.get((uf, day), UNREAD)))[1]
        periods.append((day, None, None, {"aliquota": None}, reason))
    return periods


def rules(uf, source, _nomenclature=None):
    """The rules of one UF: the versions of inheritance, then those of gifts."""
    table = [row for row in read_table(source, "estadual/itcmd.csv") if row["uf"] == uf]
    units = read_table(source, "estadual/unidades_fiscais.csv")
    for cause in CAUSES:
        rows = [row for row in table if row["fato_gerador"] == cause]
        if not rows:
            raise BundleError(f"itcmd {uf}: no row for {cause}")
        periods = versions(uf, cause, rows)
        known = [wording for _, _, wording, _, _ in periods if wording]
        for number, (start, end, wording, content, reason) in enumerate(periods):
            near = wording or next((one for one in known if one.start == end), known[-1])
            law = near.law() if wording else GAP_LAWS.get((uf, start), near.law())
            advice = wording.told(ADVICE) if wording and content != {"aliquota": None} else None
            fonte = near.source() if wording else near.source("De outro período, lido em")
            name = content.get("unidade_nome")
            if name and not published_unit(units, uf, name, day_of(start, end, units, uf, name)):
                fonte += f" Nos exemplos, a {name} de {brl(SAMPLE_UNIT)} é só ilustrativa."
            yield rule(f"itcmd-{uf.lower()}-{cause.replace('_', '-')}", "itcmd", {"uf": uf, "fato_gerador": [cause]},
                       start, end, law, content, versao=f"1.{number}", fonte=fonte, avisos=advice or (),
                       motivo=reason, exemplos=list(examples(uf, cause, start, end, content, units)))
