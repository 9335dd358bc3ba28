"""Internal ICMS of the States: the general rate with its history, and the fund that adds to it in general.

What is decided here, and why:

* A fund that reaches every internal operation (Rio de Janeiro, Alagoas) is the `fcp` of the general rule; one that is
  due by the final consumer is told in `avisos`, because the operation answered is between taxpayers.
* Santa Catarina: goods meant for a taxpayer who trades them pay 12%, and the payload says that the buyer is one, so
  that the general rule answers 12% and tells the 17% of the other cases.
"""

import estadual_icms_produto
from bundle import BundleError, day_after, rate, rule
from estadual_comum import NOT_BEFORE, START, cite, history, icms_example, overlap, rows_of
from estadual_icms_leitura import DOUBTS, GENERAL_ADVICE

SOURCE = ("Alíquota conferida entre tabelas públicas por UF, entre elas OCA/l10n-brazil (2024-10-24), "
          "cynaramaira/acervo (2024-01-05), arielassayag/aferir (2026-07-11) e serviços que citam o artigo do "
          "regulamento (2026); o diário oficial não foi relido.")
PRODUCTS = ("Produto com alíquota, redução de base ou isenção própria só é distinguido onde este pacote traz a regra: "
            "cesta básica, medicamentos, veículos novos, máquinas e equipamentos, insumos agropecuários e supérfluos "
            "podem divergir da alíquota geral.")
#: States whose fund reaches every internal operation, not only that of the final consumer.
GENERAL_FUND = {"AL", "RJ"}
#: The rate between taxpayers, where the law tells it apart from the general one.
BETWEEN_TAXPAYERS = {"SC": ("12", "mercadorias destinadas")}


def fund_periods(source, uf):
    """The general fund as (start, end, percent, citation)."""
    if uf not in GENERAL_FUND:
        return []
    return [(row["vigente_de"] or START, day_after(row["vigente_ate"]), rate(row["aliquota"]), row["fonte_legal"])
            for row in rows_of(source, "icms_fcp", uf) if row["ncm"] == "*" and row["confianca"] != "baixa"]


def lists_not_read(source, uf):
    """What the general rule tells of lists of superfluous goods that were not collected."""
    for row in rows_of(source, "icms_fcp", uf):
        if not row["ncm"] and uf not in ("SE", "RJ"):
            yield (f"Supérfluos do rol legal têm adicional de {row['aliquota']}% do {row['fundo']} "
                   f"({cite(row['fonte_legal'])}): a lista não foi coletada.")


def pieces(periods, funds):
    """The periods of the rate cut where the fund changes: (start, end, row, fund)."""
    for start, end, row in periods:
        if not funds:
            yield start, end, row, None
        for fund in funds:
            common = overlap(start, end, fund[0], fund[1])
            if common:
                yield *common, row, fund


def general(source, uf):
    periods, funds = history(source, uf), sorted(fund_periods(source, uf))
    other, named = BETWEEN_TAXPAYERS.get(uf, (None, None))
    for number, (start, end, row, fund) in enumerate(pieces(periods, funds)):
        citation, percent = cite(row["fonte_legal"]), rate(row["aliquota"])
        if other:
            found = [line for line in rows_of(source, "icms_produto", uf) if line["descricao"].startswith(named)]
            if [line["aliquota"] for line in found] != [other] or found[0]["vigente_de"] > START:
                raise BundleError(f"icms {uf}: the rate between taxpayers changed")
            citation, percent = f"{cite(found[0]['fonte_legal'])}; {citation}", rate(other)
        figures = {"aliquota": percent}
        if fund:
            figures["fcp"] = fund[2]
            citation += f"; {cite(fund[3])}"
        source_text = [SOURCE]
        if start == START and row["vigente_de"] != START:
            source_text.append(NOT_BEFORE)
        if (uf, row["vigente_de"]) in DOUBTS:
            source_text.append(DOUBTS[uf, row["vigente_de"]])
        more = {"frete": "100.00", "despesas": "11.11"}
        examples = [icms_example(uf, start, figures),
                    icms_example(uf, start, figures, **more) if end else
                    icms_example(uf, "2026-11-01", figures, "61091000", **more)]
        yield rule(f"icms-{uf.lower()}-geral", "icms", {"uf": uf}, start, end, citation, figures, versao=f"1.{number}",
                   fonte=" ".join(text for text in source_text if text), avisos=[PRODUCTS, *GENERAL_ADVICE.get(uf, ()),
                                                        *lists_not_read(source, uf)], exemplos=examples)


def rules(uf, source, nomenclature):
    """Every internal ICMS rule of a State, and its tables."""
    yield from general(source, uf)
    yield from estadual_icms_produto.parts(uf, source, nomenclature)
