"""Internal ICMS by product: figures where the code alone decides, refusals where it does not.

What is decided here, and why:

* A row of high or medium trust becomes a figure; of low trust, a refusal, so that the general rate does not answer in
  its place. The days before the first row of a code, and after the last one that ends, are refused too.
* Goods that the States use to tax above the general rate are refused where the list of the State was not read.
* The code of a rule is its State and the code of the row, so that a change of one rate changes one line.
"""

from fractions import Fraction

from bundle import BundleError, day_after, rate, table
from estadual_comum import NOT_BEFORE, START, cite, group, history, icms_example, rows_of
from estadual_icms_leitura import (ADVICE, CODES, ETHANOL_ADVICE, ETHANOL_FUND, ETHANOL_SOURCE, EXCEPTED, FUND_CODES,
                                   FUND_DOUBT, FUND_SOURCE, FUND_UNSURE, INCLUDED, LEFT_OUT, LIST_NOT_READ, LIST_READ, NAMED, NOT_READ,
                                   NOT_READ_REASON, REACHES_ALL, SOURCES, UNDECIDED, UNDECIDED_CODES)

ETHANOL = "22071090"
BEFORE = "A tributação deste produto antes de {} não foi conferida."
AFTER = "A tributação deste produto desde {} não foi conferida."
WEAK = "A alíquota deste produto não foi lida no texto da lei: a fonte disponível é fraca."
FUND_ONLY = "O produto tem adicional de {percent}% do {fund} ({law}), e a sua alíquota não foi coletada."
FINAL_BUYER = ("Na saída a consumidor final soma-se o adicional de {percent}% do {fund} ({law}); nesta operação, entre "
               "contribuintes, ele não se aplica.")
#: Conditions of the tables that every internal sale meets, or that a rule's `avisos` tell.
PLAIN_CONDITIONS = {"", "operacao interna", "operacao interna; base = PMPF (icms_st_pauta.csv)",
                    "2203 retornavel com fecula de mandioca: 18%"}


class Product:
    """The rows of one code in one State."""

    def __init__(self, uf, key, codes, rows, funds):
        self.uf, self.key, self.codes, self.rows = uf, key, codes, rows
        self.advice = [text for text in (ADVICE.get((uf, key)),) if text]
        self.excepted = EXCEPTED.get((uf, key), [])
        self.source = SOURCES.get(uf)
        if key == ETHANOL:
            self.advice, self.source = [ETHANOL_ADVICE], ETHANOL_SOURCE
        self.fund_law = INCLUDED.get(uf)
        self.fund = None if key == ETHANOL else self.find_fund(funds)

    def find_fund(self, funds):
        """(percent or None, reason) of the addition that reaches a sale between taxpayers."""
        if (self.uf, self.key) in FUND_DOUBT:
            return None, FUND_DOUBT[self.uf, self.key]
        found = [row for row in funds if row["ncm"].isdigit() and self.codes[0].startswith(row["ncm"])]
        if not found or self.uf in INCLUDED:
            return None
        row = found[0]
        told = {"percent": row["aliquota"], "fund": row["fundo"], "law": cite(row["fonte_legal"])}
        if row["condicao"] == "consumidor final":
            self.advice.append(FINAL_BUYER.format(**told))
            return None
        self.fund_law = told["law"]
        if row["confianca"] == "baixa" or self.uf not in REACHES_ALL:
            return None, FUND_UNSURE.format(**told)
        return rate(row["aliquota"]), None

    def undecided(self):
        """The reason why no row of this code is a figure, or None."""
        if (self.uf, self.key) in UNDECIDED:
            return UNDECIDED[self.uf, self.key]
        if any(row["confianca"] == "baixa" for row in self.rows):
            return WEAK
        for row in self.rows:
            known = row["condicao"] in PLAIN_CONDITIONS or self.advice
            if not known or not (row["aliquota"] or row["isento"]):
                raise BundleError(f"icms {self.uf}: {self.key} without a decision")
        return None

    def figures(self, row):
        """(conteudo, reason of a null) of one row."""
        if row["isento"] == "S":
            return {"isento": True, "isencao_base_legal": cite(row["fonte_legal"])}, None
        percent, figures = Fraction(row["aliquota"]), {}
        included = (self.uf in INCLUDED and "Anexo 1" in row["fonte_legal"]) or (
            self.key == ETHANOL and self.uf in ETHANOL_FUND)
        figures["aliquota"] = rate(percent - 2 if included else percent)
        reason = None
        if included:
            figures["fcp"] = "2.00"
        elif self.fund:
            figures["fcp"], reason = self.fund
        if row["reducao_base"]:
            figures["reducao_base"] = rate(row["reducao_base"])
        elif row["carga_efetiva"] and row["carga_efetiva"] != row["aliquota"]:
            figures["carga_efetiva"] = rate(row["carga_efetiva"])
        return figures, reason

    def entry(self, start, end, figures, reason, row):
        citation = cite((row or self.rows[0])["fonte_legal"])
        if "fcp" in figures and self.fund_law:
            citation += f"; {self.fund_law}"
        undated = NOT_BEFORE if row and not row["vigente_de"] else ""
        source = " ".join(text for text in (self.source, undated) if text)
        return {"uf": self.uf, "code": f"icms-{self.uf.lower()}-{self.key}", "codes": self.codes,
                "excepted": self.excepted, "start": start, "end": end, "figures": figures, "reason": reason,
                "advice": self.advice if figures.get("aliquota") or figures.get("isento") else [], "source": source,
                "citation": citation}

    def entries(self):
        """The versions of this code's rule, in order; refused wherever no row holds."""
        reason = self.undecided()
        if reason:
            yield self.entry(START, None, {"aliquota": None}, reason, None)
            return
        reached = START
        for row in sorted(self.rows, key=lambda row: row["vigente_de"]):
            start, end = max(row["vigente_de"], START), day_after(row["vigente_ate"])
            if end and end <= START:
                continue
            if start > reached:
                yield self.entry(reached, start, {"aliquota": None}, BEFORE.format(start), row)
            yield self.entry(start, end, *self.figures(row), row)
            reached = end
        if reached:
            yield self.entry(reached, None, {"aliquota": None}, AFTER.format(reached), row)


def named(uf, row):
    """The decision on a row that names goods without a code."""
    for (state, words), decision in NAMED.items():
        if state == uf and row["descricao"].startswith(words):
            return decision
    raise BundleError(f"icms {uf}: {row['descricao']} without a decision")


def products(uf, source, nomenclature):
    """Every product of the State's table: rows of the same code together."""
    rows, funds = {}, rows_of(source, "icms_fcp", uf)
    for row in rows_of(source, "icms_produto", uf):
        if row["ncm"]:
            if (uf, row["ncm"]) not in LEFT_OUT:
                rows.setdefault(row["ncm"], []).append(row)
            continue
        decision = named(uf, row)
        if decision:
            for code in decision[0]:
                rows.setdefault(code, []).append(row | {"told": decision[1]})
    for key, members in rows.items():
        codes = UNDECIDED_CODES.get((uf, key)) or CODES.get((uf, key)) or nomenclature.current(key)
        if codes:
            product = Product(uf, key, codes, members, funds)
            product.advice += [row["told"] for row in members if row.get("told")]
            yield product


def refused(uf, source, covered, nomenclature):
    """Goods of the fund's list, and goods usually taxed above the general rate, of which the rate was not read."""
    citation = cite(history(source, uf)[-1][2]["fonte_legal"])

    def entry(code, codes, reason, law, read):
        return {"uf": uf, "code": f"icms-{uf.lower()}-{code}", "codes": codes, "excepted": [], "start": START,
                "end": None, "figures": {"aliquota": None}, "reason": reason, "advice": [], "source": read,
                "citation": law}

    for row in rows_of(source, "icms_fcp", uf):
        key = row["ncm"]
        if not key.isdigit() or key in covered or row["condicao"] == "consumidor final":
            continue
        if not nomenclature.exhausts(key, covered):
            law = cite(row["fonte_legal"])
            reason = FUND_ONLY.format(percent=row["aliquota"], fund=row["fundo"], law=law)
            yield entry(key, FUND_CODES.get((uf, key), [key]), reason, law, FUND_SOURCE)
        covered.add(key)
    if uf in LIST_READ:
        return
    general = {row["ncm"] for row in rows_of(source, "icms_produto", uf) if (uf, row["ncm"]) in LEFT_OUT}
    for slug, (codes, goods) in NOT_READ.items():
        left = [code for code in codes if code not in covered | general]
        if left:
            yield entry(slug, left, NOT_READ_REASON.format(goods=goods), citation, LIST_NOT_READ)


def parts(uf, source, nomenclature):
    """The State's product rules as tables: one for each period, citation and shape of the content."""
    found = list(products(uf, source, nomenclature))
    entries = [entry for product in found for entry in product.entries()]
    entries += refused(uf, source, {code for product in found for code in (product.key, *product.codes)},
                       nomenclature)
    numbers = {}
    for entry in entries:
        entry["version"] = f"1.{numbers.get(entry['code'], 0)}"
        numbers[entry["code"]] = numbers.get(entry["code"], 0) + 1
    yield from tables(entries, nomenclature)


def tables(entries, nomenclature):
    def shape(entry):
        return (entry["version"], entry["start"], entry["end"] or "", entry["citation"], entry["source"],
                tuple(entry["advice"]), entry["reason"] or "", tuple(entry["figures"]), bool(entry["excepted"]))

    for members in group(entries, shape).values():
        first = members[0]
        common = {"versao": first["version"], "tributo": "icms", "escopo": {"uf": first["uf"]},
                  "vigente_de": first["start"], "vigente_ate": first["end"], "citacao_legal": first["citation"]}
        for name, value in (("fonte", first["source"]), ("avisos", first["advice"]), ("motivo", first["reason"])):
            if value:
                common[name] = value
        columns, fixed = ["rule_code", "escopo.ncm"], {}
        if first["excepted"]:
            columns.append("escopo.ncm_exceto")
        if "isento" in first["figures"]:
            fixed = first["figures"]
        else:
            columns += [f"conteudo.{name}" for name in first["figures"]]
        if fixed:
            common["conteudo"] = fixed
        lines = [[entry["code"], entry["codes"], *([entry["excepted"]] if first["excepted"] else []),
                  *(() if fixed else entry["figures"].values())] for entry in members]
        shown = members if len(members) <= 6 else members[:3]
        yield table(common, columns, lines, [example(entry, entries, nomenclature) for entry in shown])


def example(entry, entries, nomenclature):
    """A sale of a code that no rule of a longer prefix answers for."""
    prefix = entry["codes"][0]
    longer = [code for other in entries for code in other["codes"] if code.startswith(prefix) and code != prefix]
    code = nomenclature.example(prefix, entry["start"], entry["excepted"] + longer)
    return {"rule_id": f"{entry['code']}-v{entry['version']}",
            **icms_example(entry["uf"], entry["start"], entry["figures"], code)}
