"""São Paulo: internal ICMS, the general rate and the rules by product.

The figures come from the source tables; this module decides what one code allows to be said:

* where the benefit names the whole code, the rule has the figure;
* where the code holds goods of several burdens and none is the plain case, the figure is null with the reason;
* where the law's plain rate stands and a benefit depends on what the payload does not carry, the rate stands and the
  benefit is told in `avisos`.

The rates of 12% and 25% that the tables do not carry are refused by the codes that the law cites (`NOT_COLLECTED`):
most of them are older codes, or parts of today's, so that the code alone does not decide.

Codes that the tables attribute to an article more broadly than its text are narrowed to the product it names.
"""

import re

from bundle import BundleError, legal, money, percent_of, rate, refusal, result, rule
from estadual_comum import START
from estadual_icms_leitura import ETHANOL_SOURCE

#: First day after the surcharge that Decree 65.253/2020 put on the 7% and 12% rates.
SURCHARGE_END = "2023-01-15"
#: The term of the benefits of Annex II in force: Decree 69.207/2024, until 2026-12-31.
TERM_START, TERM_END = "2025-01-01", "2027-01-01"
RICMS = "RICMS/SP (Decreto 45.490/2000)"
#: Where the regulation was read.
READ_IN = ("RICMS/SP, arts. 52 a 56-C, e Anexo II, arts. 3º, 34 e 39, no repositório dsvdiego252-web/AgenteTributario "
           "(2026-07-24).")
OLD_START = f"{READ_IN} Início anterior a 2022-01-01 não conferido."

FECOEP = ("Na saída a consumidor final soma-se o adicional de 2% do FECOEP (Lei 16.006/2015, art. 2º; RICMS/SP, art. "
          "56-C); nesta operação, entre contribuintes, ele não se aplica.")
ART_39 = ("Saída interna de fabricante ou atacadista de produto alimentício listado tem a base reduzida para carga "
          "de 12% até 2026-12-31, salvo a consumidor final, a optante do Simples Nacional e mercadoria com "
          "substituição tributária (RICMS/SP, Anexo II, art. 39): a condição não consta da operação informada.")
ART_34 = ("Há redução de base para carga de 12% na saída interna de fabricante ou atacadista de itens de perfumaria "
          "e higiene (RICMS/SP, Anexo II, art. 34), cuja lista de códigos não foi conferida.")

GENERAL_ADVICE = ("Os artigos 53-A a 55-A e os Anexos I a III do RICMS/SP não foram conferidos por inteiro: produto "
                  "com tratamento próprio pode divergir da alíquota geral.")
LAW_TEXT = "Lei 6.374/1989, art. 34, lida em cópia pública do texto consolidado pela Secretaria da Fazenda."

BEFORE_TERM = ("A carga deste produto entre 2022 e 2024 não foi conferida: até 2023-01-14 havia complemento sobre a "
               "redução, e o prazo do benefício foi renovado pelo Decreto 69.207/2024.")
AFTER_TERM = ("A redução de base do RICMS/SP, Anexo II, art. 3º, vale até 2026-12-31 (Decreto 69.207/2024); a "
              "prorrogação não é conhecida.")

#: code -> (codes of the law's product, key of its row in the source, advice)
BASIC_BASKET = {
    "leite-em-po": (["040210", "040221", "040229"], "0402", ()),
    "leite-longa-vida": (["04011010", "04012010"], "04011010", ("Só leite esterilizado (longa vida).",)),
    "cafe-torrado": (["09012"], "09012", ()),
    "oleos-vegetais": (["1507", "1512", "1514", "15152"], "1507", ("Só óleo vegetal comestível.",)),
    "acucar": (["17019900"], "17019900", ("Só açúcar cristal ou refinado.",)),
    "alho": (["07032"], "07032", ()),
    "farinha-de-milho": (["110220", "110313"], "1102", ()),
    "pescados": (["0302", "0303", "0304", "0305"], "0302", ("Não alcança pescado enlatado ou cozido.",)),
    "manteiga": (["040510"], "040510", ()),
    "queijo-mussarela": (["04061010"], "0406", ()),
    "margarina": (["151710"], "1517", ()),
    "maca-e-pera": (["080810", "080830"], "0808", ()),
    "trigo-em-grao": (["100119", "100199"], "100100", ()),
    "farinha-de-mandioca": (["110620"], "1106", ("Só farinha de mandioca.",)),
    "charque": (["02102000"], "0210", ("Só charque.",)),
    "sal-de-cozinha": (["25010020"], "2501", ()),
    "arroz": (["1006"], "1006", ("A saída interna a consumidor final segue o RICMS/SP, Anexo I, art. 168.",)),
    "feijao": (["07133"], "0713", ("A saída interna a consumidor final segue o RICMS/SP, Anexo I, art. 169.",)),
    "sardinha-em-conserva": (["160413"], "1604", ("Só sardinha enlatada.",)),
}

#: code -> (codes, excepted codes, key of the row, percent while the surcharge lasted, advice)
SURCHARGED = {
    "preservativos": (["40141000"], [], "40141000", "9.4", ()),
    "moveis-e-colchoes": (["9401", "9403", "940410", "94042"], ["940120"], "9403", "13.3", ()),
    "paes-e-torradas": (["190510", "190520", "190540", "19059010"], [], "190510", "13.3",
                        ("Alíquota de pães e torradas; bolos e produtos semelhantes seguem a alíquota geral.",)),
    "higiene-bucal": (["33061000", "96032100"], [], "33061000", "13.3", ("Escovas de dente: só as não elétricas.",)),
}

#: code -> (codes, excepted codes, key of the row, advice): rates of long standing.
STANDING = {
    "cerveja-e-chope": (["2203"], [], "2203", (FECOEP,)),
    "bebidas-alcoolicas": (["2204", "2205", "2208"], ["220840"], "2204", ()),
    "fumo": (["24"], [], "24", (FECOEP,)),
    "armas-e-municoes": (["93"], [], "93", ()),
    "perfumes-e-cosmeticos": (["3303", "3304", "3305", "3307"],
                              ["330510", "330720", "330499", "330710", "330790"], "3303", (ART_34,)),
    "energia-eletrica": (["2716"], [], "2716", (
        "Faixas de consumo e usos com alíquota de 12% (RICMS/SP, art. 54) não foram conferidos.",)),
}

#: code -> (codes, law, reason): goods for which no single figure can be given.
UNDECIDED = {
    "carnes": (["0105", "0201", "0202", "0203", "0204", "0206", "0207", "0208"], "Anexo II, art. 3º",
               "O inciso I do art. 3º do Anexo II consta como revogado em cópia pública do regulamento, e a carga "
               "que hoje cabe a carnes e animais em pé não foi conferida."),
    "queijos": (["0406"], "Anexo II, arts. 3º e 39",
                "Só mussarela, prato e minas têm carga de 7%; os demais queijos do código seguem outra tributação."),
    "leite-fluido": (["0401"], "Anexos I e II",
                     "O tratamento do leite fluido que não seja longa vida não foi conferido."),
    "ovos": (["0407"], "art. 53-A e Anexo I", "Ovos em estado natural e ovos pasteurizados têm tratamentos "
                                              "distintos, não conferidos por completo."),
    "hortifruticolas": (["07", "08"], "Anexo I e Anexo II, arts. 3º e 39",
                        "Hortaliças e frutas em estado natural podem ser isentas, e as preparadas têm carga "
                        "reduzida: o código não decide, e as isenções não foram conferidas."),
    "oleos-da-1515": (["1515"], "Anexo II, art. 3º", "O código reúne óleos comestíveis, com carga de 7%, e "
                                                     "industriais."),
    "cremes-vegetais": (["151790"], "Anexo II, arts. 3º e 39", "Creme vegetal tem carga de 7%; as demais misturas do "
                                                               "código, não."),
    "embutidos": (["1601", "16024900"], "Anexo II, arts. 3º e 39",
                  "Linguiça, mortadela, salsicha e apresuntado têm carga de 7%; os demais produtos do código, não."),
    "misturas-para-pao": (["190120"], "art. 54, III, e Anexo II, art. 3º",
                          "A mistura com 95% ou mais de farinha de trigo tem carga de 7%, e outras, alíquota de 12%: "
                          "o código não as distingue."),
    "biscoitos": (["190531"], "Anexo II, arts. 3º e 39",
                  "Biscoitos populares derivados do trigo têm carga de 7%; os demais, não."),
    "panificacao": (["190590"], "art. 54, XVI, e Anexo II, art. 3º",
                    "O código reúne pão francês (carga de 7%), outros pães (12%), biscoitos e salgadinhos."),
    "vinagres": (["2209"], "Anexo II, arts. 3º e 39", "Vinagre consta do art. 3º, com carga de 7%, e a posição "
                                                      "22.09, do art. 39, com 12%."),
    "aguardente-e-rum": (["220840"], "art. 55, II",
                         "Aguardente de cana e rum estavam fora dos 25% em códigos hoje extintos; a correspondência "
                         "com o código atual não foi conferida."),
    "cosmeticos-excetuados": (["330499", "330710", "330790"], "art. 55, IV",
                              "Antissolares, bronzeadores e itens citados em códigos extintos estão fora dos 25%: o "
                              "código não os distingue dos demais."),
}


#: Machines for agriculture of the list of 1998 that lie outside of chapter 84.
FARM_GOODS = ["392390", "392510", "442199", "730900", "731010", "731029", "732690", "741980", "76129019",
              "8201", "9406"]

#: code -> (codes, citation, source, reason): rates of the law that the tables do not carry.
NOT_COLLECTED = {
    "maquinas-e-informatica": (
        ["84", "8501", "8502", "370500", "69091220", "690919", "711620"],
        "Lei 6.374/1989, art. 34, § 1º, 23; RICMS/SP, art. 54, V; Resoluções SF-04/98, Anexos I e II, e SF-31/08",
        f"{LAW_TEXT} Das resoluções, só parte das listas foi lida, em cópias públicas.",
        "Máquinas, aparelhos e equipamentos industriais, implementos e tratores agrícolas e produtos de "
        "processamento eletrônico de dados relacionados em resolução pagam 12%, e os demais do código, 18%: as listas "
        "não foram lidas por inteiro."),
    "implementos-agricolas-diversos": (
        FARM_GOODS, "Lei 6.374/1989, art. 34, § 1º, 23; RICMS/SP, art. 54, V; Resolução SF-04/98, Anexo II",
        "Resolução SF-04/98, Anexo II, lida em parte, em boletim público de 2006.",
        "Vasilhames para leite, silos, comedouros, ferramentas e outros implementos agrícolas relacionados na "
        "resolução pagam 12%; os demais produtos do código, 18%."),
    "veiculos": (
        ["8701", "8702", "8703", "8704", "8706", "8711"],
        "Lei 6.374/1989, art. 34, § 1º, 12 e 23, § 5º, 5, e § 6º; RICMS/SP, art. 54, V, X e XI", LAW_TEXT,
        "Veículo novo em regime de substituição tributária, e os de códigos citados na lei, pagam 12% (com complemento "
        "entre 2021 e 2023); o usado e os demais, 18%; motocicleta de mais de 250 cilindradas fora desse regime, 25%: "
        "a condição não consta da operação informada."),
    "ferros-e-acos": (
        ["7213", "7214", "7216", "721710", "721720", "721790", "730840", "7313", "731420", "731431", "731439",
         "731441", "731442", "7317", "732620"],
        "Lei 6.374/1989, art. 34, § 1º, 13 e 15, s, e § 7º; RICMS/SP, art. 54, VII, e § 1º", LAW_TEXT,
        "Ferros e aços não planos comuns e produtos de arame listados na lei pagam 12%; os demais produtos do código, "
        "18%: a correspondência entre os códigos da lei e os atuais não foi conferida por inteiro."),
    "ceramica-fibrocimento-e-concreto": (
        ["321490", "391810", "6810", "6811", "6904", "6905", "6906", "6907", "6910"],
        "Lei 6.374/1989, art. 34, § 1º, 15; RICMS/SP, art. 54, VIII, e § 2º", LAW_TEXT,
        "Argamassa, tijolos, telhas, pisos, louças sanitárias, lajes, blocos, fibrocimento e revestimento vinílico "
        "que a lei descreve pagam 12%; os demais produtos do código, 18%."),
    "paineis-de-madeira": (
        ["4410", "4411"], "Lei 6.374/1989, art. 34, § 1º, 18; RICMS/SP, art. 54", LAW_TEXT,
        "Painéis de madeira industrializada de códigos citados na lei, hoje em parte extintos, pagam 12%; os demais, "
        "18%."),
    "plasticos-e-papeis-laminados": (
        ["392190", "4811"], "Lei 6.374/1989, art. 34, § 1º, 20; RICMS/SP, art. 54", LAW_TEXT,
        "Chapas e folhas de plástico e papel impregnado de códigos citados na lei, em parte extintos, pagam 12%; os "
        "demais, 18%."),
    "seringas-e-agulhas": (
        ["901831", "901832"], "Lei 6.374/1989, art. 34, § 1º, 21, d e e; RICMS/SP, art. 54", LAW_TEXT,
        "Seringas e agulhas descartáveis pagam 12%, por códigos que mudaram; as demais, 18%."),
    "pedra-e-areia": (
        ["2505", "2514", "2515", "2516", "2517"], "Lei 6.374/1989, art. 34, § 1º, 5; RICMS/SP, art. 54", LAW_TEXT,
        "A saída de pedra e areia paga 12%, e há reduções de base não conferidas: a lei não cita códigos."),
    "superfluos": (
        ["4303", "360410", "8509", "851679", "852560", "8801", "8903", "900510", "9504", "950590",
         "950629", "950631", "950632", "950651", "950661", "961400"],
        "Lei 6.374/1989, art. 34, § 5º, 4 a 24; RICMS/SP, art. 55", LAW_TEXT,
        "Peleteria, embarcações de recreio, asas-delta e balões, fogos de artifício, aparelhos de sauna, "
        "walkie-talkies, binóculos, jogos e artigos de golfe, tênis e bilhar, cachimbos e piteiras que a lei lista "
        "pagam 25%; os demais produtos do código, 18%: parte dos códigos da lei está extinta."),
    "solventes": (
        ["2707", "3814"], "Lei 6.374/1989, art. 34, § 5º, 26; RICMS/SP, art. 55", LAW_TEXT,
        "Solvente derivado de petróleo paga 25%; os demais produtos do código, 18%."),
}


def rows_by_key(rows):
    found = {}
    for row in rows:
        if row["ncm"] and row["confianca"] != "baixa" and "art. 39" not in row["fonte_legal"]:
            found.setdefault(row["ncm"], []).append(row)
    return found


def only(found, key, column):
    """The one figure that the trusted rows of a code give."""
    figures = {row[column] for row in found.get(key, ()) if row[column]}
    if len(figures) != 1:
        raise BundleError(f"icms SP: {key} has {len(figures)} figures of {column}")
    return rate(figures.pop())


def payload(ncm, day):
    return {"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "ncm": ncm, "valor_produto": "1000.00",
            "data_operacao": day}


def sample(codes):
    """An 8-digit code inside the first prefix, for the examples."""
    return codes[0].ljust(8, "0")


def answered(codes, day, percent):
    return [result(payload(sample(codes), day), money(percent_of("1000.00", percent)), base_calculo="1000.00")]


def product(code, codes, start, end, law, figures, exemplos, *, versao="1.0", exceto=(), fonte=READ_IN, **more):
    scope = {"uf": "SP", "ncm": codes}
    if exceto:
        scope["ncm_exceto"] = list(exceto)
    return rule(f"icms-sp-{code}", "icms", scope, start, end, f"{RICMS}, {legal(law)}", figures, versao=versao,
                fonte=fonte, exemplos=exemplos, **more)


def unknown(codes, day):
    return {"aliquota": None}, [refusal(payload(sample(codes), day), "regra_sem_conteudo")]


def reduced(code, codes, percent, burden, law, advice):
    """A product of the basic basket: unknown before the term in force, and after it."""
    versions = [(START, TERM_START, BEFORE_TERM), (TERM_START, TERM_END, None), (TERM_END, None, AFTER_TERM)]
    for number, (start, end, reason) in enumerate(versions):
        if reason:
            figures, examples = unknown(codes, start)
        else:
            figures = {"aliquota": percent, "carga_efetiva": burden}
            examples = [result(payload(sample(codes), "2026-03-10"), money(percent_of("1000.00", burden)))]
        yield product(code, codes, start, end, law, figures, examples, versao=f"1.{number}", motivo=reason,
                      avisos=() if reason else advice)


def general(rows):
    (row,) = rows
    percent = rate(row["aliquota"])
    plain = {"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1000.00",
             "data_operacao": "2026-03-10"}
    return rule("icms-sp-geral", "icms", {"uf": "SP"}, START, None, "Lei 6.374/1989, art. 34; RICMS/SP, art. 52, I",
                {"aliquota": percent}, fonte=OLD_START, avisos=[GENERAL_ADVICE],
                exemplos=[
                    result(plain, "180.00", base_calculo="1000.00", aliquota_aplicada=percent, valor_icms="180.00"),
                    result(plain | {"ncm": "61091000", "frete": "100.00", "despesas": "11.11"}, "200.00",
                           base_calculo="1111.11"),
                ])


def foods(percent):
    codes = ["03", "04", "0902", "0903", "0904", "0905", "0906", "0907", "0908", "0909", "0910", "11", "12", "15", "16",
             "17", "18", "19", "20", "21"]
    return product("alimentos", codes, START, None, "art. 52, I, e Anexo II, art. 39", {"aliquota": percent},
                   [result(payload("21069090", "2026-03-10"), money(percent_of("1000.00", percent)))],
                   avisos=[ART_39], fonte=OLD_START)


def medicines(percent):
    return product("medicamentos", ["3003", "3004"], START, None, "art. 52, I, e art. 54, XVII e XIX",
                   {"aliquota": percent}, answered(["3004"], "2026-03-10", percent), fonte=OLD_START, avisos=[
                       "Medicamento genérico, nos termos da lei federal, tem alíquota interna de 12% (RICMS/SP, art. "
                       "54, XIX), assim como soluções parenterais especificadas (art. 54, XVII): a operação "
                       "informada não traz essa condição."])


def ethanol(found, found_start):
    codes = ["22071090"]
    figures, examples = unknown(codes, START)
    yield product("etanol-hidratado", codes, START, found_start, "art. 54, VI", figures, examples,
                  fonte=ETHANOL_SOURCE,
                  motivo="Alíquota do etanol hidratado antes de 2024 não conferida.")
    percent = only(found, "22071090", "aliquota")
    yield product("etanol-hidratado", codes, found_start, None, "art. 54, VI; Lei 6.374/1989, art. 34",
                  {"aliquota": percent}, answered(codes, "2026-03-10", percent), versao="1.1",
                  fonte=ETHANOL_SOURCE,
                  avisos=["Só etanol hidratado combustível; o código inclui outros álcoois."])


def fuels(price_rows):
    """Everything that burns and is not hydrous ethanol: no single percentage of the value is the tax due."""
    codes = {row["ncm"] for row in price_rows if row["tipo"] == "ad_rem_monofasico"}
    codes = sorted({code for code in codes if code[:4] not in ("2710", "2711")}
                   | {"2709", "2710", "2711", "2713", "22071010", "220720", "38260000"})
    figures, _ = unknown(codes, "2026-03-10")
    return rule("icms-sp-combustiveis-monofasicos", "icms", {"uf": "SP", "ncm": codes}, START, None,
                "LC 192/2022; Convênios ICMS 199/2022 e 15/2023; Lei 6.374/1989, art. 34, § 1º, 10 e 27, e § 5º, 25 e "
                "26",
                figures, fonte=LAW_TEXT,
                exemplos=[refusal(payload(ncm, "2026-03-10"), "regra_sem_conteudo")
                          for ncm in ("27101259", "27101921", "27111910", "38260000", "22071010", "27101911",
                                      "27112100")],
                motivo="Gasolina, diesel, GLP, biodiesel e etanol anidro são monofásicos por unidade de medida desde "
                       "maio ou junho de 2023: o imposto não é um percentual do valor, e o período anterior não foi "
                       "conferido. Querosene de aviação paga 25% ou 12%, conforme o comprador; solvente, 25%; gás "
                       "natural, óleo combustível, lubrificante e etanol hidratado desnaturado podem ter tratamento "
                       "próprio, não conferido.")


def not_collected():
    for code, (codes, citation, source, reason) in NOT_COLLECTED.items():
        figures, examples = unknown(codes, "2026-03-10")
        yield rule(f"icms-sp-{code}", "icms", {"uf": "SP", "ncm": codes}, START, None, citation, figures, fonte=source,
                   motivo=reason, exemplos=examples)


def rules(general_rows, product_rows, price_rows):
    """Every internal ICMS rule of São Paulo."""
    found = rows_by_key(product_rows)
    base = general(general_rows)
    percent = base["conteudo"]["aliquota"]
    yield base
    for code, (codes, key, advice) in BASIC_BASKET.items():
        burden = only(found, key, "carga_efetiva")
        yield from reduced(code, codes, percent, burden, "Anexo II, art. 3º (prazo: Decreto 69.207/2024)", advice)
    wheat = ["1101", "190211", "190219"]
    yield from reduced("farinha-e-massas-de-trigo", wheat, only(found, "1101", "aliquota"),
                       only(found, "110100", "carga_efetiva"), "art. 54, III, e Anexo II, art. 3º", ())
    for code, (codes, exceto, key, surcharged, advice) in SURCHARGED.items():
        law = re.search(r"art\. [0-9].*", found[key][0]["fonte_legal"]).group()
        figure = only(found, key, "aliquota")
        yield product(code, codes, START, SURCHARGE_END, law, {"aliquota": rate(surcharged)},
                      answered(codes, START, surcharged), exceto=exceto, fonte=OLD_START,
                      avisos=[*advice, "Alíquota com o complemento vigente de 2021-01-15 a 2023-01-14."])
        yield product(code, codes, SURCHARGE_END, None, law, {"aliquota": figure},
                      answered(codes, "2026-03-10", figure), versao="1.1", exceto=exceto, avisos=advice)
    for code, (codes, exceto, key, advice) in STANDING.items():
        law = re.search(r"art\. [0-9].*", found[key][0]["fonte_legal"]).group()
        figure = only(found, key, "aliquota")
        yield product(code, codes, START, None, law, {"aliquota": figure}, answered(codes, "2026-03-10", figure),
                      exceto=exceto, avisos=advice, fonte=OLD_START)
    for code, (codes, law, reason) in UNDECIDED.items():
        figures, examples = unknown(codes, "2026-03-10")
        yield product(code, codes, START, None, law, figures, examples, motivo=reason)
    yield foods(percent)
    yield medicines(percent)
    yield from ethanol(found, "2024-01-01")
    yield from not_collected()
    yield fuels(price_rows)
