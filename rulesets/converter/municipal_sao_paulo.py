"""The municipality of São Paulo: ISS, IPTU and ITBI.

What is decided here, and why:

* ISS starts on 2015-01-01: the items were read in a text of 2014, and one common start leaves no period in which an
  item with a rate of its own would fall through to the general one.
* A row that covers part of an item: where the part is narrow the general rate stands and the part is told in
  `avisos`; where the item really splits, the figure is null (`SPLIT`).
* A figure of low trust is never published; where it is all there is, the rule says so.
"""

import re
from functools import partial

import municipal_iptu
import municipal_iss_fixed
import municipal_itbi
from bundle import (Bundle, BundleError, as_list, brl, day_after, decimal_text, money, percent_of, rate, read_table,
                    refusal, result, rule)
from municipal_place import Place
from municipal_sources import documents, read_in, seen_in

HERE = Place("SP", "São Paulo")
PLACE = HERE.scope
ISS_START = "2015-01-01"
LAW_16757 = "2018-02-13"
ISS_LAW = "Lei 13.701/2003, art. 16"
NOT_CHECKED = "Início anterior a 2015-01-01 não conferido."

#: Items in which no side prevails, or whose only figure is of low trust: (items, first day, reason).
SPLIT = [
    ("1.09", LAW_16757, "A alíquota de 2,9% foi vista em fonte não confirmada para áudio, imagem e texto, e a do "
                        "vídeo não foi conferida."),
    ("7.10", ISS_START, "Limpeza, manutenção e conservação de imóveis pagam 2%; vias, parques e jardins, 5%: o item "
                        "não os distingue."),
    ("9.02", ISS_START, "Organização, promoção e execução de programas de turismo e viagens pagam 2%; agenciamento e "
                        "intermediação, 5%: o item não os distingue."),
    ("10.01", ISS_START, "A corretagem de seguros paga 2%; as demais intermediações do item, 5%."),
    ("12.01", ISS_START, "A alíquota de 2% foi vista em fonte não confirmada."),
    ("12.07", ISS_START, "Balé, danças, óperas, concertos e recitais podem pagar 2% (fonte não confirmada); os "
                         "demais espetáculos do item, 5%."),
    ("15.10", ISS_START, "Pagamentos por meio eletrônico podem pagar 2% (fonte não confirmada); as demais cobranças "
                         "do item, 5%."),
    ("16.02", LAW_16757, "Transporte de escolares e por táxi pagam 2%; os demais, 5%: o item não os distingue."),
    ("17.10", ISS_START, "As fontes divergem entre 2% e 2,5%."),
]

#: Items at the general rate with a narrow exception: item -> advice.
NARROW = {
    "3.03": "Há menção, não confirmada, a alíquota de 2,5% para estandes e centros de convenções de feiras e "
            "exposições.",
    "12.11": "A venda de ingressos do Grande Prêmio Brasil de Fórmula 1 paga 2%.",
    "14.01": "Há menção, não confirmada, a alíquota de 2% para sapateiros remendões que trabalhem individualmente.",
    "15.15": "Há menção, não confirmada, a alíquota de 2% para serviços prestados por bolsa de valores.",
    "15.16": "Há menção, não confirmada, a alíquota de 2% para serviços prestados por bolsa de valores.",
    "17.12": "A administração de benefícios relativos a planos de assistência à saúde paga 2% (redação da Lei "
             "16.757/2017); há menção, não confirmada, a 2% também para fornecimento e administração de "
             "vales-refeição, vales-alimentação, vales-transporte e similares.",
}

#: Items whose condition is the whole of the item, or nearly: the figure stands, with the advice if there is one.
WHOLE = {
    "15.01": ["Consórcio e cheques pré-datados, também do item, seguem a alíquota geral de 5%."],
    "15.12": [],
    "16.01": [],
}

RETAINED = ("O tomador é responsável pela retenção nas hipóteses da Lei 13.701/2003, art. 9º; local e hipóteses de "
            "retenção em outros municípios: LC 116/2003, arts. 3º e 6º.")

SUP_LAW = "Lei 13.701/2003, art. 15, II"
#: The closed list of art. 15, II, in LC 116 numbers (the local list skips the vetoed 17.07: 17.13, 17.15, 17.18).
SUP_HEALTH = ["4.01", "4.02", "4.06", "4.08", "4.11", "4.12", "4.13", "4.14", "4.16", "5.01"]
SUP_OTHERS = ["7.01", "17.14", "17.16", "17.19", "17.20"]
SUP_SOURCE = ("Lista de subitens do art. 15, II, lida em transcrição pública da lei, na redação posterior à Lei "
              "14.865/2008.")
SUP_ADVICE = {
    "7.01": "No subitem 7.01, o regime não alcança paisagismo (art. 15, II).",
    "17.20": "No subitem 17.20, só os serviços próprios de economistas (art. 15, II, parte final).",
}


# --- ISS -----------------------------------------------------------------------------------------------


def iss_payload(item, day, **extra):
    return HERE.payload("iss", item_lista_servico=item, preco_servico="1000.00", data=day, **extra)


def iss_code(item):
    return HERE.code("iss", item)


def iss_example(item, day, percent, **shown):
    return result(iss_payload(item, day), money(percent_of("1000.00", percent)), aliquota_aplicada=percent, **shown)


def general_iss(row):
    percent = rate(row["aliquota"])
    return rule("iss-sp-sao-paulo-geral", "iss", PLACE, ISS_START, None, row["fonte_legal"], {"aliquota": percent},
                fonte=read_in([row], "Alíquota geral desde 2004-01-01; itens conferidos a partir de 2015-01-01."),
                avisos=["O texto vigente do art. 16 da Lei 13.701/2003 não foi conferido por inteiro: subitens dos "
                        "grupos 10 (intermediação e plataformas), 14 e 17 podem ter alíquota própria."],
                exemplos=[iss_example("17.14", "2026-03-10", percent), iss_example("13.02", "2021-12-31", percent)])


def plain_rows(rows):
    """Rows whose figure covers the whole item and may be trusted."""
    divided = {item for item, _, _ in SPLIT} | NARROW.keys() | {"2.01", "16.01"}
    for row in rows:
        if row["item"] == "*" or row["item"] in divided:
            continue
        if row["confianca"] == "baixa" or (row["condicao"] and row["item"] not in WHOLE):
            raise BundleError(f"iss São Paulo: item {row['item']} without a decision")
        yield row


def iss_tables(bundle, rows):
    """One code an item; the rows before Law 16.757/2017 come first, as version 1.0."""
    earlier = {row["item"] for row in rows if row["vigente_ate"] == "2018-02-12"}
    groups = {}
    for row in sorted(plain_rows(rows), key=lambda row: row["vigente_ate"] == ""):
        start, end = max(row["vigente_de"], ISS_START), day_after(row["vigente_ate"])
        version = "1.1" if row["item"] in earlier and end is None else "1.0"
        retained = row["retido_na_fonte"].startswith("sim")
        advice = tuple(WHOLE.get(row["item"], ())) + ((RETAINED,) if retained else ())
        key = (version, start, end, row["fonte_legal"], rate(row["aliquota"]), retained, advice)
        groups.setdefault(key, []).append(row)
    for (version, start, end, citation, percent, retained, advice), members in groups.items():
        figures = {"aliquota": percent} | ({"retido_na_fonte": True} if retained else {})
        common = {"versao": version, "tributo": "iss", "escopo": PLACE, "vigente_de": start, "vigente_ate": end,
                  "citacao_legal": citation,
                  "fonte": read_in(members, NOT_CHECKED if start == ISS_START else None)}
        if advice:
            common["avisos"] = list(advice)
        common["conteudo"] = figures
        items = sorted((row["item"] for row in members), key=lambda item: [int(part) for part in item.split(".")])
        day = start if end else max(start, "2026-03-10")
        shown = [{"rule_id": f"{iss_code(item)}-v{version}",
                  **iss_example(item, day, percent, **({"retido_na_fonte": True} if retained else {}))}
                 for item in items[:3]]
        lines = [[iss_code(item), item] for item in items]
        bundle.table(common, ["rule_code", "escopo.item_lista_servico"], lines, shown)


def iss_item(item, start, end, figures, exemplos, **more):
    return rule(iss_code(item), "iss", PLACE | {"item_lista_servico": [item]}, start, end, ISS_LAW, figures,
                exemplos=exemplos, **more)


def divided_items(general, rows):
    """The items of `SPLIT` and `NARROW`, and the two that Law 16.757/2017 changed."""
    def of(item):
        return [row for row in rows if row["item"] == item]

    def read(item, *more, verb=read_in):
        return verb(of(item), *more)

    for item, start, reason in SPLIT:
        day = max(start, "2026-03-10")
        yield iss_item(item, start, None, {"aliquota": None}, [refusal(iss_payload(item, day), "regra_sem_conteudo")],
                       motivo=reason, fonte=read(item, verb=seen_in))
    for item, advice in NARROW.items():
        yield iss_item(item, ISS_START, None, {"aliquota": general}, [iss_example(item, "2026-03-10", general)],
                       avisos=[advice], fonte=read("*", NOT_CHECKED, f"Exceção vista em: {documents(of(item))}."))
    yield iss_item("2.01", ISS_START, LAW_16757, {"aliquota": "2.00"}, [iss_example("2.01", "2017-05-10", "2.00")],
                   fonte=read("2.01", NOT_CHECKED))
    yield iss_item("2.01", LAW_16757, None, {"aliquota": None},
                   [refusal(iss_payload("2.01", "2026-03-10"), "regra_sem_conteudo")], versao="1.1",
                   motivo="A alíquota de 2% foi lida em texto anterior à Lei 16.757/2017 e a vigência atual não foi "
                          "confirmada.", fonte=read("2.01", verb=seen_in))
    yield iss_item("16.01", ISS_START, LAW_16757, {"aliquota": None},
                   [refusal(iss_payload("16.01", "2017-05-10"), "regra_sem_conteudo")],
                   motivo="Até 2018-02-12 a alíquota de 2% alcançava só o Metrô, o transporte de escolares e o táxi.",
                   fonte=read("16.01", verb=seen_in))
    yield iss_item("16.01", LAW_16757, None, {"aliquota": "2.00"}, [iss_example("16.01", "2026-03-10", "2.00")],
                   versao="1.1", fonte=read("16.01"))


# --- ISS of professional partnerships ------------------------------------------------------------------


def partnership_bands(rows, year):
    members = [row for row in rows if row["exercicio"] == year and row["confianca"] != "baixa"]
    return [{"ate": int(row["profissionais_ate"]) if row["profissionais_ate"] else None,
             "base_presumida": decimal_text(row["base_presumida_mensal"])} for row in members]


def partnership(rows, code, percent, items):
    """The versions of the fixed regime at one rate."""
    scope = PLACE | {"item_lista_servico": items, "regime": "sociedade_uniprofissional"}
    item = "17.14" if "17.14" in items else items[0]
    standing = [SUP_ADVICE[item] for item in items if item in SUP_ADVICE]
    tjsp = ("O art. 13 da Lei 17.719/2021, que criou as sete faixas, foi declarado inconstitucional pelo Órgão "
            "Especial do TJSP em 22/04/2024 (0003242-64.2023.8.26.0000); o alcance para quem não foi parte não foi "
            "conferido.")
    versions = [
        ("2020", "2020-01-01", "2021-01-01", SUP_LAW, (), (1, 7)),
        ("2021", "2021-01-01", "2022-02-25", SUP_LAW, (), (1, 35)),
        ("2022", "2022-02-25", "2023-01-01", f"{SUP_LAW}, redação da Lei 17.719/2021, art. 13", (tjsp,),
         (1, 5, 6, 10, 11, 20, 21, 30, 31, 35, 50, 51, 100, 101, 120)),
    ]

    def payload(day, professionals):
        return iss_payload(item, day, regime="sociedade_uniprofissional", numero_profissionais=professionals)

    frequency = "mensal, com recolhimento trimestral"
    for number, (year, start, end, citation, advice, sizes) in enumerate(versions):
        bands = partnership_bands(rows, year)
        fixed = {"periodicidade": frequency, "metodo": "marginal", "aliquota": percent, "faixas": bands}
        examples = [result(payload(start, size), municipal_iss_fixed.due(bands, percent, size), numero_profissionais=size)
                    for size in sizes]
        yield rule(code, "iss", scope, start, end, citation, {"fixo": fixed}, versao=f"1.{number}",
                   avisos=[*standing, *advice], exemplos=examples,
                   fonte=read_in([row for row in rows if row["exercicio"] == year], SUP_SOURCE))
    unknown = {"periodicidade": frequency, "metodo": "marginal", "aliquota": percent,
               "faixas": [{"ate": None, "base_presumida": None}]}
    yield rule(code, "iss", scope, "2023-01-01", None, SUP_LAW, {"fixo": unknown}, versao="1.3",
        avisos=standing, exemplos=[
            refusal(payload("2026-03-10", 3), "regra_sem_conteudo")],
        motivo="Os valores publicados de 2023 em diante não foram obtidos, e a decisão do TJSP de 22/04/2024 devolve "
               "o valor único por profissional, sem que o ato da Prefeitura tenha sido conferido.",
        fonte=seen_in([row for row in rows if row["exercicio"] > "2022"], SUP_SOURCE))


# --- IPTU ----------------------------------------------------------------------------------------------

IPTU_CAPS = {
    "residencial": ("Limite de 10% ao aumento nominal anual do imposto", "Lei 15.889/2013, art. 9º"),
    "nao_residencial": ("Limite de 15% ao aumento nominal anual do imposto", "Lei 15.889/2013, art. 9º"),
    "territorial": ("Limite ao aumento nominal anual do imposto; percentual dos terrenos não conferido",
                    "Lei 15.889/2013, art. 9º"),
}
IPTU_CAPS_2026 = {
    "residencial": ("Limite de 10% ao aumento nominal anual do imposto", "Lei 18.330/2025"),
    "nao_residencial": ("Limite de 10% ao aumento nominal anual do imposto", "Lei 18.330/2025"),
    "territorial": ("Limite ao aumento nominal anual do imposto; percentual dos terrenos não conferido",
                    "Lei 18.330/2025"),
}


def iptu_brackets(rows, use, year):
    members = [row for row in rows if row["uso"] == use and row["exercicio"] == year
               and row["modelo"] == "acrescimo_desconto"]
    base = {row["aliquota_base"] for row in members}
    if len(base) != 1:
        raise BundleError(f"iptu São Paulo: base rate of {use} {year}")
    municipal_iptu.contiguous(HERE, members)
    brackets = [{"ate": decimal_text(row["faixa_ate"]) if row["faixa_ate"] else None,
                 "ajuste": rate(row["acrescimo_desconto_pp"])} for row in members]
    return rate(base.pop()), brackets


def iptu_exceptions(rows, use, year):
    """What the value alone does not decide: exemptions, discounts on the base, and the cap on the increase."""
    for row in rows:
        if row["uso"] != use or row["exercicio"] != year:
            continue
        if row["modelo"] == "isencao":
            yield {"descricao": f"Isenção até {brl(row['isencao_limite'])} de valor venal: {row['condicao']}",
                   "citacao": row["fonte_legal"]}
        elif row["modelo"] == "desconto_base":
            amount = re.search(r"([0-9]+) - 2 x valor venal", row["obs"]).group(1)
            yield {"descricao": f"Desconto de {brl(amount)} menos duas vezes o valor venal, na base, entre "
                                f"{brl(row['faixa_de'])} e {brl(row['faixa_ate'])}: {row['condicao']}",
                   "citacao": row["fonte_legal"]}
    text, law = (IPTU_CAPS_2026 if year == "2026" else IPTU_CAPS)[use]
    yield {"descricao": text, "citacao": law}


def iptu(rows):
    citations = {row["uso"]: row["fonte_legal"] for row in rows if row["modelo"] == "acrescimo_desconto"}
    for use, citation in citations.items():
        tables = {year: iptu_brackets(rows, use, year) for year in ("2022", "2023", "2024", "2025", "2026")}
        if any(table != tables["2022"] for table in tables.values()):
            raise BundleError(f"iptu São Paulo: brackets of {use} changed between years")
        base, brackets = tables["2022"]
        periods = (("1.0", "2025", "2022-01-01", "2026-01-01"), ("1.1", "2026", "2026-01-01", None))
        for version, year, start, end in periods:
            figures = {"modelo": "acrescimo_desconto", "aliquota": base, "faixas": brackets,
                       "excecoes_nao_avaliadas": list(iptu_exceptions(rows, use, year))}
            values = ("100000.00", "150000.00", "150000.01", "300000.00", "400000.00", "600000.00", "1200000.00",
                      "1800000.00")
            scope = PLACE | {"uso_imovel": [use]}
            payload = HERE.payload("iptu", uso_imovel=use, exercicio=int(year))
            yield rule(f"iptu-sp-sao-paulo-{use.replace('_', '-')}", "iptu", scope, start, end, citation, figures,
                       versao=version, fonte=read_in([row for row in rows if row["uso"] == use
                                                     and row["exercicio"] == year]), exemplos=[
                           result(payload | {"valor_venal": value}, municipal_iptu.due(figures, value)) for value in values])


# --- ITBI ----------------------------------------------------------------------------------------------

TEMA_1113 = ("STJ, Tema 1113 (REsp 1.937.821/SP): a base é o valor de mercado, o valor declarado presume-se correto "
             "e o município não pode impor de antemão um valor de referência; a regra municipal do maior valor segue "
             "publicada.")
ITBI_SFH = "A alíquota de 0,5% vale para SFH, PAR, HIS e consórcio, até o limite; o que excede paga a alíquota geral."


def itbi(rows):
    exempt = next(row for row in rows if row["condicao_especial"].startswith("isenção"))
    versions = [row for row in rows if row["aliquota_sfh"] and row["vigente_de"] >= "2024-01-01"]
    for number, row in enumerate(versions):
        year, percent = row["vigente_de"][:4], rate(row["aliquota_geral"])
        trusted = row["confianca"] != "baixa"
        special = {"aliquota": rate(row["aliquota_sfh"]),
                   "limite_financiado": decimal_text(row["limite_sfh"]) if trusted else None,
                   "limite_imovel": decimal_text(row["limite_imovel_sfh"]) if trusted else None}
        base = HERE.payload("itbi", valor_transacao="500000.00", valor_venal_referencia="450000.00", data=f"{year}-06-10")
        financed = base | {"financiado_sfh": True, "valor_financiado": "300000.00"}
        due = partial(municipal_itbi.due, percent, special)
        if trusted:
            examples = [
                result(base, due("500000.00", None)),
                result(base | {"valor_venal_referencia": "600000.00"}, due("600000.00", None)),
                result(financed, due("500000.00", "300000.00")),
                result(financed | {"valor_financiado": "50000.00"}, due("500000.00", "50000.00")),
                result(financed | {"valor_transacao": "900000.00"}, due("900000.00", "300000.00")),
            ]
        else:
            examples = [result(base, due("500000.00", None)),
                        refusal(financed, "regra_sem_conteudo")]
        advice = [TEMA_1113, ITBI_SFH]
        if year == exempt["vigente_de"][:4]:
            limit = brl(exempt["condicao_especial"].rsplit(" ", 1)[1])
            advice.append("Isenção, não avaliada: primeira aquisição de imóvel residencial por pessoa física, ou "
                          f"imóvel do PMCMV, até {limit}, conforme a página oficial da Prefeitura de 13/01/2026.")
        else:
            advice.append("Isenção de primeira aquisição de imóvel residencial, não avaliada: limite do exercício "
                          "não conferido.")
        read = [row] if trusted else [other for other in versions if other["confianca"] != "baixa"]
        yield rule("itbi-sp-sao-paulo", "itbi", PLACE, row["vigente_de"], f"{int(year) + 1}-01-01", row["fonte_legal"],
                   {"aliquota": percent, "base": "maior", "sfh": special}, versao=f"1.{number}",
                   fonte=read_in(read, None if trusted else "De outros exercícios; os limites deste não foram lidos."), avisos=advice,
                   motivo=None if trusted else "Os limites do financiamento habitacional de 2025 não foram lidos em "
                                               "publicação oficial.", exemplos=examples)


def build(source):
    def rows(name):
        return HERE.of(read_table(source, f"municipal/{name}.csv"))

    bundle = Bundle("municipal-sp-sao-paulo", "Município de São Paulo: ISS, regime das sociedades uniprofissionais, "
                                              "IPTU e ITBI.")
    services, firms = rows("iss"), rows("iss_uniprofissional")
    general = general_iss(next(row for row in services if row["item"] == "*"))
    known = {row["item"] for row in read_table(source, "federal/lc116_itens.csv") if row["vetado"] == "nao"}
    bundle.add(general, *divided_items(general["conteudo"]["aliquota"], services))
    bundle.add(*partnership(firms, "iss-sp-sao-paulo-uniprofissional", "5.00", SUP_OTHERS))
    bundle.add(*partnership(firms, "iss-sp-sao-paulo-uniprofissional-saude", "2.00", SUP_HEALTH))
    bundle.add(*iptu(rows("iptu")), *itbi(rows("itbi")))
    iss_tables(bundle, services)
    for entry in bundle.rules():
        if not set(as_list(entry["escopo"].get("item_lista_servico"))) <= known:
            raise BundleError(f"iss São Paulo: unknown item in {entry['rule_code']}")
    return {HERE.file: bundle}
