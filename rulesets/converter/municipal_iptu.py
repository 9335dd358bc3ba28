"""IPTU of every municipality but São Paulo: for each use, by exercise.

What is decided here, and why:

* A figure answers only in the exercise in which it was read; the exercises since 2022 without one are null. A rate that
  the law fixes without a yearly value (`STANDING`) answers in every year of that law.
* A discount on the tax that depends on the value, with limits of the year that were not read: the values that it may
  reach are null, and those surely above it answer. The bound is the limit of the law's first exercise, raised like the
  exemption, with a tenth to spare.
* The table of a year after the last one read is not promised: its rules end with the exercise.
"""

from fractions import Fraction
from math import ceil

from bundle import BundleError, brl, decimal_text, money, percent_of, rate, refusal, result, rule
from municipal_place import HISTORY, comma, trusted
from municipal_sources import citations, read_in, seen_in

FIRST_YEAR, LAST_YEAR = int(HISTORY[:4]), 2026
#: Municipalities whose rates the law fixes without values of a year, with discounts: the first exercise of the law.
STANDING = {"RJ/Rio de Janeiro": 2018}
#: Municipalities whose rates of an earlier exercise are those of a later one, as a document says: (those exercises, the
#: exercise that is in the rows, the document).
SAME_AS = {
    "DF/Brasília": (range(2022, 2024), 2024,
                    "Em 2022, as alíquotas eram as dos anos anteriores (Correio Braziliense, 06/2022); as de 2024 são as "
                    "mesmas."),
}
_EXTRA = "Limite da isenção em notícia de Extra (01/2024), com os valores do Diário Oficial do Município."
_SALVADOR_2025 = "Limite da isenção em notícia de A Tarde (01/2025)."
_SALVADOR_2026 = "Limite da isenção em notícia sobre o Decreto 41.304/2025 (soudabahia.com.br)."
_RIO_61 = "Lei 691/1984, art. 61, redação da Lei 6.250/2017"
#: Exemptions by value that the facts lack, or have as a calculation: (limit, article, document).
EXEMPTIONS = {
    ("RJ/Rio de Janeiro", "residencial", 2023): ("74471.00", _RIO_61, _EXTRA),
    ("RJ/Rio de Janeiro", "residencial", 2024): ("77986.00", _RIO_61, _EXTRA),
    ("RJ/Rio de Janeiro", "nao_residencial", 2024): ("34032.00", _RIO_61, _EXTRA),
    ("RJ/Rio de Janeiro", "territorial", 2024): ("52464.00", _RIO_61, _EXTRA),
    ("BA/Salvador", "residencial", 2025): ("138341.53", "Lei 7.186/2006 (CTRMS); decreto de 27/12/2024", _SALVADOR_2025),
    ("BA/Salvador", "residencial", 2026): ("144511.56", "Lei 7.186/2006 (CTRMS); Decreto 41.304/2025", _SALVADOR_2026),
}
#: What the rows cannot say of a use, as (description, citation).
EXCEPTIONS = {
    ("DF/Brasília", "territorial"): [
        ("Imóvel residencial em construção, com alvará, por até 36 meses: 1%", "Decreto-Lei 82/1966, art. 19")],
    ("RJ/Rio de Janeiro", "residencial"): [
        ("Desconto da cota única, de cada exercício, e demais isenções do art. 61", "Lei 691/1984, art. 61")],
}
REASONS = {
    "MG/Belo Horizonte": "A Tabela III da Lei 5.641/1989 tem faixas corrigidas todo ano; só se viram faixas de 2024 em "
                         "lista sem dispositivo, talvez incompleta, e não se leu como se aplicam.",
    "PR/Curitiba": "As faixas de valor venal são publicadas todo ano em decreto, que não foi obtido.",
    "RS/Porto Alegre": "As faixas das Tabelas IX e X (LC 859/2019), em UFM, não foram lidas por inteiro.",
    "BA/Salvador": "As faixas são corrigidas todo ano; só se viu uma tabela sem ano, com erros de cálculo.",
    "GO/Goiânia": "O texto final das tabelas da LC 344/2021 não foi lido, e as fontes divergem.",
    "RO/Porto Velho": "A alíquota só foi vista em lista sem dispositivo.",
    "PE/Recife": "As faixas são corrigidas todo ano; as últimas lidas são de 2015, sem que se lesse como se aplicam.",
    "CE/Fortaleza": "As faixas são corrigidas todo ano; as deste exercício só existem por cálculo.",
    "RJ/Rio de Janeiro": "Até o limite da primeira faixa há isenção e descontos de 60% a 10%, ou valor fixo, cujos "
                         "limites deste exercício não foram publicados em fonte lida; acima dele, a alíquota é certa.",
}
USE_REASONS = {
    ("CE/Fortaleza", "territorial"): "Terreno em área sem a infraestrutura definida na lei paga 1%; nas demais, 2%: o "
                                     "pedido não os distingue.",
    ("PE/Recife", "territorial"): "Terreno sem muro e calçada pagava 5%, os demais, 3%, em texto de 2015: o pedido não "
                                  "os distingue.",
    ("MG/Belo Horizonte", "territorial"): "A alíquota do terreno depende dos melhoramentos do logradouro, e a tabela em "
                                          "vigor não foi lida.",
}
REASON_OPEN = {"RS/Porto Alegre": "Isento até 14.946 UFM; as faixas acima, de 0,40% a 0,85%, não foram lidas."}
#: Rows that add to the table of a use.
EXTRA = ("isencao", "desconto_sobre_imposto")
SPARE = Fraction(11, 10)


# --- what is due ---------------------------------------------------------------------------------------


def due(figures, value):
    """The tax on a value, exact until it is rounded once; None where a figure is missing."""
    value, model = Fraction(value), figures["modelo"]
    exempt = figures.get("isencao")
    if model == "unica":
        total = percent_of(value, figures["aliquota"])
    else:
        total = by_brackets(figures, value)
    if total is None:
        return None
    return "0.00" if exempt and value <= Fraction(exempt["limite"]) else money(max(total, 0))


def by_brackets(figures, value):
    model, total, lower = figures["modelo"], Fraction(0), Fraction(0)
    for bracket in figures["faixas"]:
        last = bracket["ate"] is None or value <= Fraction(bracket["ate"])
        upper = value if last else Fraction(bracket["ate"])
        if model in ("marginal", "acrescimo_desconto"):
            points = bracket.get("aliquota", bracket.get("ajuste"))
            if points is None:
                return None
            total += percent_of(upper - lower, Fraction(points) + Fraction(figures.get("aliquota", 0)))
        elif last:
            if bracket["aliquota"] is None:
                return None
            total = percent_of(value, bracket["aliquota"]) - Fraction(bracket.get("parcela_deduzir", 0))
        if last:
            return total
        lower = upper
    raise BundleError("iptu: the last bracket is not open")


def values_of(figures):
    """The values of the examples: each limit and the cent after it, and a round one above them all."""
    limits = {Fraction(bracket["ate"]) for bracket in figures.get("faixas", ()) if bracket["ate"]}
    if "isencao" in figures:
        limits.add(Fraction(figures["isencao"]["limite"]))
    chosen = {edge for limit in limits for edge in (limit, limit + Fraction(1, 100))}
    above = Fraction(ceil(max(limits, default=Fraction(0)) / 100000) + 1) * 100000
    return [decimal_text(value) for value in sorted(chosen | {above})]


# --- reading the rows ----------------------------------------------------------------------------------


def limit_text(value):
    return decimal_text(value) if value else None


def contiguous(place, rows):
    for before, after in zip(rows, rows[1:]):
        if Fraction(after["faixa_de"]) - Fraction(before["faixa_ate"] or -1) != Fraction("0.01"):
            raise BundleError(f"iptu {place.name}: brackets of {after['uso']} {after['exercicio']} are not contiguous")
    if rows and Fraction(rows[0]["faixa_de"]) != 0:
        raise BundleError(f"iptu {place.name}: the first bracket of {rows[0]['uso']} does not begin at 0")


def bracket_figures(place, model, rows):
    """Brackets as the rows state them; above the last limit that was read, an open null."""
    contiguous(place, rows)
    brackets = []
    for row in rows:
        bracket = {"ate": limit_text(row["faixa_ate"]), "aliquota": rate(row["aliquota"])}
        if model == "faixas_parcela_deduzir":
            bracket["parcela_deduzir"] = decimal_text(row["parcela_deduzir"])
        brackets.append(bracket)
    if brackets[-1]["ate"]:
        brackets.append({name: None for name in brackets[-1]})
    return {"modelo": model, "faixas": brackets}


def table_of(place, rows):
    """Rate or brackets of one use in one exercise, or none; rows that state one rate may name its condition."""
    members = [row for row in rows if trusted(row)]
    single = [row for row in members if row["modelo"] == "unica"]
    if len(single) == 1:
        return {"modelo": "unica", "aliquota": rate(single[0]["aliquota"])}, single
    for model in ("faixas_parcela_deduzir", "faixa_valor_total", "marginal"):
        stated = [row for row in members if row["modelo"] == model]
        if stated:
            return bracket_figures(place, model, stated), stated
    return None, []


def highest_discount(rows):
    """The highest tax that still has a discount, in the exercise of these rows."""
    return max(Fraction(row["faixa_ate"]) for row in rows if row["modelo"] == "desconto_sobre_imposto" and trusted(row))


def bounded(figures, highest, growth, exempt):
    """A single rate where the year's discounts were not read: null up to a bound surely above them."""
    percent = Fraction(figures["aliquota"])
    bound = highest * 100 / percent * growth * SPARE
    brackets = [{"ate": decimal_text(ceil(bound / 10000) * 10000), "aliquota": None},
                {"ate": None, "aliquota": rate(percent)}]
    if exempt:
        brackets.insert(0, {"ate": exempt["limite"], "aliquota": rate(percent)})
    return {"modelo": "faixa_valor_total", "faixas": brackets}


def exempt_only(exempt):
    """An exercise of which only the exemption was read: nothing up to its limit, and no figure above it."""
    return {"modelo": "marginal", "faixas": [{"ate": exempt["limite"], "aliquota": "0.00"}, {"ate": None, "aliquota": None}],
            "isencao": exempt}


class Use:
    """The rows of one use of property in one municipality."""

    def __init__(self, place, use, rows):
        self.place, self.use, self.rows = place, use, rows

    def year(self, year):
        return [row for row in self.rows if row["exercicio"] == str(year)]

    def exemption(self, year):
        """The exemption that the value alone decides; an amount that was calculated was not read."""
        read = EXEMPTIONS.get((self.place.name, self.use, year))
        if read:
            return {"limite": read[0], "modo": "total", "base_legal": read[1]}
        for row in self.year(year):
            if row["modelo"] == "isencao" and trusted(row) and not row["condicao"] and "calculado" not in row["obs"]:
                return {"limite": decimal_text(row["isencao_limite"]), "modo": "total", "base_legal": row["fonte_legal"]}
        return None

    def exceptions(self, year, stated):
        """What the value does not decide."""
        for row in stated:
            if row["condicao"] and row["aliquota"] and row["modelo"] not in EXTRA:
                yield f"Alíquota de {comma(row['aliquota'])}%: {row['condicao']}", row["fonte_legal"]
        for row in self.year(year):
            if row["modelo"] == "isencao" and row["condicao"]:
                seen = "" if trusted(row) else ", segundo notícia, não confirmada em lei"
                yield f"Isenção até {brl(row['isencao_limite'])} de valor venal{seen}: {row['condicao']}", row["fonte_legal"]
        yield from EXCEPTIONS.get((self.place.name, self.use), ())

    def table(self, year):
        """Figures, rows, reason and note of one exercise."""
        first = STANDING.get(self.place.name)
        years, same, note = SAME_AS.get(self.place.name, ((), None, None))
        stand_in = first or (same if year in years else None)
        own = self.year(year) if self.year(year) or not stand_in else self.year(stand_in)
        figures, stated = table_of(self.place, own)
        exempt = self.exemption(year)
        note = (note if year in years else None) or EXEMPTIONS.get((self.place.name, self.use, year), (None,) * 3)[2]
        if figures is None:
            stated = [row for row in self.rows if int(row["exercicio"]) >= 2018] or self.rows
            return (exempt_only(exempt) if exempt else None), stated, self.reason(), note
        reason = None
        if first:
            figures = bounded(figures, highest_discount(self.year(first)), self.growth(first, year), exempt)
            reason = self.reason()
        elif any(bracket["aliquota"] is None for bracket in figures.get("faixas", ())):
            reason = REASON_OPEN[self.place.name]
        if exempt:
            figures["isencao"] = exempt
        stated = [*stated, *(row for row in own if row not in stated and row["modelo"] in EXTRA and trusted(row))]
        listed = [{"descricao": text, "citacao": law} for text, law in self.exceptions(year, stated)]
        if listed:
            figures["excecoes_nao_avaliadas"] = listed
        return figures, stated, reason, note

    def growth(self, first, year):
        """How much the limits have grown since `first`: as the first exemption that was read in `year` or later."""
        for later in range(year, LAST_YEAR + 1):
            now, then = self.exemption(later), self.exemption(first)
            if now:
                return Fraction(now["limite"]) / Fraction(then["limite"])
        raise BundleError(f"iptu {self.place.name}: no exemption of {self.use} since {year}")

    def reason(self):
        return USE_REASONS.get((self.place.name, self.use)) or REASONS[self.place.name]


def periods(use):
    """Consecutive exercises with the same table, as (first year, last year, figures, rows, reason, note)."""
    runs = []
    for year in range(FIRST_YEAR, LAST_YEAR + 1):
        figures, rows, reason, note = use.table(year)
        if runs and (runs[-1][2], *runs[-1][4:]) == (figures, reason, note):
            runs[-1][1] = year
        else:
            runs.append([year, year, figures, rows, reason, note])
    return runs


def rules(place, rows):
    """The exercises of each use that the facts name."""
    for use in ("residencial", "nao_residencial", "territorial"):
        members = [row for row in rows if row["uso"] == use]
        if not members:
            continue
        one = Use(place, use, members)
        for number, (first, last, figures, stated, reason, note) in enumerate(periods(one)):
            end = None if figures is None and last == LAST_YEAR else f"{last + 1}-01-01"
            content = figures or {"modelo": "unica", "aliquota": None}
            yield rule(place.code("iptu", use.replace("_", "-")), "iptu", place.scope | {"uso_imovel": [use]},
                       f"{first}-01-01", end, citations(stated, "iptu"), content, versao=f"1.{number}",
                       motivo=reason, fonte=(read_in if figures else seen_in)(stated, note), exemplos=examples(place, use, last, figures))


def examples(place, use, year, figures):
    base = place.payload("iptu", uso_imovel=use, exercicio=year)
    if figures is None:
        return [refusal(base | {"valor_venal": "400000.00"}, "regra_sem_conteudo")]
    values = values_of(figures)
    owed = [(value, due(figures, value)) for value in values]
    return [refusal(base | {"valor_venal": value}, "regra_sem_conteudo") if tax is None
            else result(base | {"valor_venal": value}, tax) for value, tax in owed]
