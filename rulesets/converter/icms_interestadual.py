"""Interstate ICMS: the Senate's table of 702 pairs, the 4% of imported goods, and national rules by product.

A national rule by product (scope without UFs) answers before the Senate's table: books and newspapers are immune, and
oil, fuels and electricity are refused, since the Constitution keeps their tax out of the interstate rates.

Air transport (Resolution 95/1996) is left out: it is a service, and the payload speaks of goods.
"""

from bundle import (Bundle, BundleError, day_after, money, percent_of, rate, read_table, refusal, result,
                    rule)

READ_IN = ("RICMS/SP, art. 52, no repositório DaccioZilla/Tributa-es-por-NCM, e alvesavelar.com.br e "
           "professorfellipeguerra.com.br; o texto da resolução e o início em 1989 não foram lidos.")
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
            "citacao_legal": citation, "fonte": READ_IN, "conteudo": {"aliquota": rate(percent)},
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
        fonte="Texto da Resolução SF nº 13/2012 em livrozilla.com; início de efeitos em cleversonteixeira.adv.br.",
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


# --- national rules by product -------------------------------------------------------------------------

BOOKS = ["4901", "4902"]
#: Newsprint, and the papers that Law 10.865/2004, art. 28, II, cites as meant for printing periodicals.
PAPERS = ["4801", "48026191", "48026199", "48101989", "48102290"]
#: Crude oil, its products, natural gas and electricity.
OIL_AND_ENERGY = ["2709", "2710", "2711", "2716"]
#: Biodiesel, and ethanol of up to 1% of water, in the single-phase regime.
BIOFUELS = ["38260000", "22071010", "22072011"]


def internal(ncm, uf="MG"):
    """An internal operation in a UF without rules of its own for the product."""
    return payload(uf, uf, ncm=ncm)


def national(code, ncm, start, citation, figures, exemplos, **more):
    return rule(f"icms-nacional-{code}", "icms", {"ncm": ncm}, start, None, citation, figures, exemplos=exemplos,
                **more)


def refused(codes):
    return [example for ncm in codes for example in (refusal(payload("SP", "BA", ncm=ncm), "regra_sem_conteudo"),
                                                     refusal(internal(ncm, "PA"), "regra_sem_conteudo"))]


def products(start):
    law = "CF, art. 150, VI, d"
    source = f"Imunidade desde a Constituição de 1988; início igual ao da tabela do Senado, {start}."
    yield national("livros-e-jornais", BOOKS, start, law,
                   {"isento": True, "isencao_base_legal": law},
                   [result(payload("SP", "BA", ncm="49019900"), "0.00", isento=True, isencao_base_legal=law),
                    result(payload("SC", "PR", ncm="49021000", origem_mercadoria="importada"), "0.00", isento=True),
                    result(internal("49011000"), "0.00", isento=True),
                    result(payload("SP", "SP", ncm="49019900"), "0.00", isento=True)],
                   fonte=source, avisos=["A imunidade é de livros, jornais e periódicos: impresso publicitário ou "
                                         "comercial do mesmo código não a tem."])
    yield national("papel-de-impressao", PAPERS, start, law, {"aliquota": None},
                   refused(["48010030", "48026191"]),
                   motivo="O papel destinado à impressão de livros, jornais e periódicos é imune (CF, art. 150, VI, "
                          "d); com outro destino, é tributado: a destinação não consta da operação informada.",
                   fonte="Códigos: posição 48.01 (papel de jornal) e papéis citados na Lei nº 10.865/2004, art. 28, "
                         "II; papéis de outros códigos também podem ter essa destinação.")
    yield national("petroleo-e-energia", OIL_AND_ENERGY, start,
                   "CF, art. 155, § 2º, X, b, e XII, h; LC 87/1996, art. 3º, III; LC 192/2022", {"aliquota": None},
                   refused(["27101932", "27101259", "27111910", "27160000"]),
                   motivo="Petróleo, lubrificantes e combustíveis dele derivados e energia elétrica não pagam ICMS na "
                          "saída interestadual (CF, art. 155, § 2º, X, b), cabendo o imposto à UF de consumo; "
                          "gasolina, diesel e GLP são monofásicos por unidade de medida (LC 192/2022), e o gás "
                          "natural segue o art. 155, § 4º: a tabela do Senado não se aplica. Operação interna: só por "
                          "regra da própria UF.",
                   fonte="Recusa pelo texto da Constituição Federal citado; as alíquotas por unidade da LC 192/2022, "
                         "vistas em arielassayag/aferir (2026-07-11), não são um percentual.")
    yield national("biodiesel-e-etanol-anidro", BIOFUELS, start, "LC 192/2022; Convênios ICMS 199/2022 e 15/2023",
                   {"aliquota": None}, refused(["38260000", "22071010"]),
                   motivo="Biodiesel e etanol anidro combustível são monofásicos por unidade de medida (LC 192/2022, "
                          "desde 2023): o imposto não é um percentual do valor; o período anterior, de diferimento ou "
                          "substituição, e os álcoois anidros de outros usos não foram conferidos.",
                   fonte="Valores por unidade, de 2023 a 2026, vistos em arielassayag/aferir (2026-07-11); o texto dos "
                         "convênios não foi relido.")


def build(source):
    bundle = Bundle("federal-icms-interestadual",
                    "Alíquotas interestaduais do ICMS fixadas pelo Senado Federal, para os 702 pares de UF, os 4% da "
                    "mercadoria importada e regras nacionais por produto (imunidades e recusas).")
    rows = read_table(source, "federal/icms_interestadual.csv")
    general = [row for row in rows if row["hipotese"] == "geral"]
    if len(general) != 702 or len({(row["uf_origem"], row["uf_destino"]) for row in general}) != 702:
        raise BundleError("icms_interestadual: 702 distinct pairs expected")
    if not all(SENATE_22 in row["fonte_legal"].replace(", de 19-05-1989", "/1989") for row in general):
        raise BundleError("icms_interestadual: a pair without the Senate's resolution")
    foreign = [row for row in rows if row["hipotese"].startswith("importado")]
    pairs(bundle, general)
    bundle.add(imported(*foreign))
    bundle.add(*products(min(row["vigente_de"] for row in general)))
    return {"federal/icms_interestadual.json": bundle}
