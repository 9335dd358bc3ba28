"""Interstate ICMS: the Senate's table of 702 pairs, and the 4% of imported goods.

Air transport (Resolution 95/1996) is left out: it is a service, and the payload speaks of goods.
"""

from bundle import Bundle, BundleError, day_after, money, percent_of, rate, read_table, result, rule

SENATE_22 = "Resolução do Senado Federal nº 22/1989"


def payload(origin, destination, **extra):
    return {"tributo": "icms", "uf_origem": origin, "uf_destino": destination, "valor_produto": "1000.00",
            "data_operacao": "2026-03-10", **extra}


def pair_example(row):
    code = code_of(row)
    example = result(payload(row["uf_origem"], row["uf_destino"], frete="50.00"),
                     money(percent_of("1050.00", row["aliquota"])),
                     base_calculo="1050.00", aliquota_aplicada=rate(row["aliquota"]))
    return {"rule_id": f"{code}-v1.0", **example}


def code_of(row):
    return f"icms-interestadual-{row['uf_origem']}-{row['uf_destino']}".lower()


def pairs(bundle, rows):
    """One table for each rate, since each has its own start and citation."""
    groups = {}
    for row in rows:
        key = (row["aliquota"], row["vigente_de"], row["vigente_ate"], row["fonte_legal"])
        groups.setdefault(key, []).append(row)
    shown = {("SP", "BA"), ("RJ", "ES"), ("MG", "DF"), ("SP", "RJ"), ("BA", "SP"), ("AM", "PA")}
    for (percent, start, last_day, citation), members in sorted(groups.items(), key=lambda item: -int(item[0][0])):
        common = {
            "versao": "1.0", "tributo": "icms", "vigente_de": start, "vigente_ate": day_after(last_day),
            "citacao_legal": citation, "conteudo": {"aliquota": rate(percent)},
        }
        lines = [[code_of(row), row["uf_origem"], row["uf_destino"]] for row in members]
        examples = [pair_example(row) for row in members if (row["uf_origem"], row["uf_destino"]) in shown]
        bundle.table(common, ["rule_code", "escopo.uf_origem", "escopo.uf_destino"], lines, examples)


def imported(row):
    return rule(
        "icms-interestadual-importada", "icms", {"origem_mercadoria": "importada"},
        row["vigente_de"], day_after(row["vigente_ate"]),
        "Resolução do Senado Federal nº 13, de 25-04-2012, art. 1º, caput e § 1º; Convênio ICMS 38/2013",
        {"aliquota": rate(row["aliquota"])},
        avisos=[
            "A alíquota de 4% supõe mercadoria importada não industrializada no País ou com Conteúdo de Importação "
            "superior a 40% (Resolução SF nº 13/2012, art. 1º, § 1º).",
            "Não se aplica a mercadoria sem similar nacional definida pela Camex, à produzida conforme processo "
            "produtivo básico (art. 1º, § 4º), nem ao gás natural importado (art. 2º): nesses casos, declare "
            "origem_mercadoria \"nacional\" para obter a alíquota de 7% ou 12%.",
        ],
        exemplos=[
            result(payload("SP", "BA", origem_mercadoria="importada"), "40.00", aliquota_aplicada="4.00"),
            result(payload("SC", "PR", origem_mercadoria="importada"), "40.00", aliquota_aplicada="4.00"),
        ])


def build(source):
    bundle = Bundle("federal-icms-interestadual",
                    "Alíquotas interestaduais do ICMS fixadas pelo Senado Federal, para os 702 pares de UF, e os 4% "
                    "da mercadoria importada.")
    rows = read_table(source, "federal/icms_interestadual.csv")
    general = [row for row in rows if row["hipotese"] == "geral"]
    if len(general) != 702 or len({(row["uf_origem"], row["uf_destino"]) for row in general}) != 702:
        raise BundleError("icms_interestadual: 702 distinct pairs expected")
    if not all(SENATE_22 in row["fonte_legal"].replace(", de 19-05-1989", "/1989") for row in general):
        raise BundleError("icms_interestadual: a pair without the Senate's resolution")
    foreign = [row for row in rows if row["hipotese"].startswith("importado")]
    pairs(bundle, general)
    bundle.add(imported(*foreign))
    return {"federal/icms_interestadual.json": bundle}
