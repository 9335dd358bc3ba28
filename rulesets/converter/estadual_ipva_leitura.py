"""IPVA: how the law of each UF is read where the table of facts alone does not decide.

The table of facts gives figures and conditions in free words. What is said here, cell by cell (UF and category):

* `DIVIDED`: a condition that an operation does not tell (cabin, use, a new vehicle) divides the rate, or the sources
  contradict each other: the figure is null, with the reason. The rates that the reason names are repeated, so that a
  change of the facts stops the conversion instead of leaving a stale text.
* `BRACKETED`: the rate is told apart by value, power or displacement, each bracket in a row; the reason is that of the
  brackets that are null, if there are some. `BRACKETED_LAW`: the article of a cell that was read in the law itself.
* `DIVIDED_FUELS`: null for one fuel of a cell whose other fuels are answered, in the periods in which it has a row, or
  in all if it never has one. `UNREAD_FUELS`: null for a fuel in the periods without a row.
* `REDUCED_BASE`: the percentage by which the law reduces the base of a fuel.
* `ADVICE`: conditions that leave one side clearly dominant.
* `SINCE`, `UNTIL`: the days that the facts leave open.
* `READ_IN`: the public document in which the figure was read.
"""

POWER = "a potência não consta da operação informada."
LOW = "em fonte não confirmada"

#: (UF, category): (rates that the reason names, reason of the null figure).
DIVIDED = {
    ("AL", "automovel"): ("2.75 3.25", "A alíquota do automóvel a gasolina, etanol, flex ou diesel vai de 2,75% a "
                          f"3,25% conforme a potência, e as fontes divergem sobre as faixas: {POWER}"),
    ("BA", "motocicleta"): ("1", "As fontes divergem entre 1% e 2,5%."),
    ("GO", "caminhonete"): ("3.45 3.75", "O utilitário paga 3,45%; a caminhonete de passeio pode pagar 3,75% "
                            f"({LOW}): o uso não consta da operação informada."),
    ("MG", "caminhonete"): ("3 4", "Caminhonete de carga, picape e furgão pagam 3%; cabine dupla, uso misto e "
                            "utilitário, 4%: a espécie não consta da operação informada."),
    ("MG", "taxi"): ("2", "O táxi fora da isenção paga 2%; a isenção do motorista autônomo (Lei 14.937/2003, art. 3º) "
                     f"foi vista {LOW}: a situação do proprietário não consta da operação informada."),
    ("PR", "caminhonete"): ("1 1.9", "O utilitário de carga paga 1%; a caminhonete não registrada como carga, a "
                            "alíquota geral: a espécie do registro não consta da operação informada."),
    ("RO", "automovel"): ("2 3", "3% acima de R$ 120.000,00; até esse valor, ou com motor 1.0 de qualquer valor, 2%, "
                          f"visto {LOW}."),
    ("RS", "caminhao"): ("1", "As fontes divergem entre 1% e 2%."),
    # --- people with disabilities
    ("AP", "pcd"): ("", "A isenção lida alcança o veículo novo, nacional ou nacionalizado, e a alíquota dos demais não "
                    "está estabelecida: a operação informada não os distingue."),
    ("ES", "pcd"): ("", "Há isenção; o limite de valor não foi conferido."),
    ("MG", "pcd"): ("", "Há isenção; o limite de valor não foi conferido."),
    ("MS", "pcd"): ("", "Há redução de 60% do imposto, e não isenção; limites e condições não foram conferidos."),
    ("MT", "pcd"): ("", "Há isenção; o limite de valor não foi conferido."),
    ("RJ", "pcd"): ("", "Há isenção, com teto de R$ 55.000,00 para veículo novo nacional (Res. Sefaz 845/2025); o do "
                    "veículo usado não foi conferido."),
    ("RR", "pcd"): ("", "Há isenção; o limite de valor não foi conferido."),
    # --- figures of low trust that also disagree
    ("CE", "motocicleta"): ("2", f"As fontes divergem: 2%, ou de 1% a 3,5% conforme a cilindrada, visto {LOW}."),
    ("MT", "caminhao"): ("1.5", "As fontes divergem entre 1% e 1,5%."),
    ("MT", "motocicleta"): ("1", "As fontes divergem entre 1% e 2%."),
    ("MT", "onibus_micro_onibus"): ("1", "As fontes divergem entre 1% e a alíquota do caminhão na mesma tabela."),
    ("PB", "motocicleta"): ("2.5", "As fontes divergem entre 2,5% e 1% (Lei 13.667/2025)."),
    ("RJ", "caminhao"): ("1", "As fontes divergem entre 1% e 2%."),
    ("RN", "motocicleta"): ("2", "As fontes divergem entre 2% e 3%."),
    ("RR", "automovel"): ("3", "As fontes divergem entre 2,5% e 3%."),
    ("RR", "caminhao"): ("1", "As fontes divergem entre 1% e 1,5%."),
    ("RS", "locadora"): ("1", "As fontes divergem entre 1% e 3%."),
    ("RS", "onibus_micro_onibus"): ("1", "As fontes divergem entre 1% e 2%."),
}

BETWEEN = "O limite é de 100 HP (101,4 cv): com 101 cv, depende de como a potência foi convertida."
HEARD = "Até {} cilindradas, há notícia não confirmada de isenção{}; acima, a alíquota responde."

#: (UF, category): (rates of the brackets, reason of those that are null).
BRACKETED = {
    ("AC", "motocicleta"): ("1", HEARD.format(170, "")),
    ("AM", "automovel"): ("1.5 2 3 4", None),
    ("CE", "automovel"): ("2.5 3 3.5", None),
    ("CE", "caminhonete"): ("2.5 3 3.5", None),
    ("GO", "automovel"): ("3 3.75", None),
    ("GO", "motocicleta"): ("3", HEARD.format(150, " desde 2026")),
    ("MA", "automovel"): ("2.5 3", None),
    ("MT", "automovel"): ("2 3", None),
    ("PI", "automovel"): ("2.5 3", None),
    ("PI", "motocicleta"): ("2", HEARD.format(170, " desde 2026")),
    ("PR", "motocicleta"): ("1.9", HEARD.format(170, " desde 2025 (Lei 22.262/2024)")),
    ("RO", "motocicleta"): ("2", HEARD.format(170, "")),
    ("SC", "motocicleta"): ("1", "Até 200 cilindradas há isenção para quem não cometeu infração no ano anterior (Lei "
                            "7.543/1988, art. 8º), o que a operação informada não diz; acima, a alíquota responde."),
    ("SE", "automovel"): ("2.5 3", None),
    ("TO", "automovel"): ("2.5 3.5", BETWEEN),
    ("TO", "caminhonete"): ("2.5 3.5", BETWEEN),
    ("TO", "motocicleta"): ("2.5 3.5", None),
}
_CE_LAW = "Lei 12.023/1992, art. 6º, IV (redação da Lei 15.893/2015)"
BRACKETED_LAW = {("CE", "automovel"): _CE_LAW, ("CE", "caminhonete"): _CE_LAW}

#: (UF, category): (fuels, reason of their null figure).
DIVIDED_FUELS = {
    ("BA", "caminhonete"): ("eletrico", "A isenção do veículo 100% elétrico até R$ 300.000,00 (Lei 14.638/2023) pode "
                            "alcançar a caminhonete."),
    ("CE", "automovel"): ("eletrico", f"Visto só {LOW} que o elétrico paga de 2% a 3% conforme a potência."),
    ("DF", "automovel"): ("eletrico hibrido", "O elétrico (motor a partir de 40 kW) e o híbrido são isentos se "
                          "comprados no Distrito Federal (Lei 6.466/2019): a operação informada não o diz."),
    ("MT", "automovel"): ("gnv eletrico", "A isenção do veículo a GNV (Lei 11.490/2021) tem prazo e condições não "
                          "conferidos, e não se leu o que paga o elétrico, que não tem cilindrada."),
    ("RN", "automovel"): ("eletrico gnv", "As fontes divergem sobre o elétrico (isenção, ou 0,5% pela Lei "
                          f"12.026/2024), e a alíquota de 1,5% do GNV foi vista {LOW}."),
    ("TO", "automovel"): ("eletrico", "A base do elétrico adquirido em concessionária do Estado é reduzida em 30% (art. "
                          "77, § 4º): a operação informada não diz onde foi adquirido."),
}
#: (UF, category): fuels of which the law says the same as of cars, in rows of cars only.
AS_CAR = {("CE", "caminhonete"): "eletrico", ("TO", "caminhonete"): "eletrico"}
DIVIDED_FUELS |= {cell: DIVIDED_FUELS[cell[0], "automovel"] for cell in AS_CAR}
UNREAD_FUELS = {("BA", "automovel"): ("eletrico", "O elétrico antes de 2024 não foi conferido.")}

#: (UF, category, fuel): (percentage by which the law reduces its base, advice).
REDUCED_BASE = {("MG", "automovel", "etanol"): ("30", "Motor exclusivamente a álcool: base reduzida em 30% (Lei "
                                                "14.937/2003, art. 10).")}

CARRIER = "Caminhão a partir de 3.500 kg, nas condições da lei; veículo de carga menor não foi conferido."
USED = ("Alíquota do veículo usado, já com a redução de base do exercício; o veículo novo tem outra, no ano da "
        "primeira tributação.")
RECOGNISED = "A isenção depende de reconhecimento, nas condições da lei."
DF_BENEFIT = ("Veículo novo adquirido com isenção: nos três exercícios seguintes a alíquota tem acréscimo de {} ponto "
              "percentual (Decreto 34.024/2012, art. 10, § 3º, redação do Decreto 37.826/2016).")

ADVICE = {
    ("AC", "pcd"): ["A isenção exige também renda de até 10 salários mínimos (LC 114/2002, art. 12, VII)."],
    ("AM", "pcd"): ["A isenção é renovada a cada ano."],
    ("CE", "pcd"): ["O limite de 25.000 UFIRCE é convertido com a unidade de R$ 6,29872 em 2026."],
    ("DF", "automovel"): [DF_BENEFIT.format("0,50")],
    ("DF", "motocicleta"): [DF_BENEFIT.format("0,50")],
    ("DF", "caminhao"): [DF_BENEFIT.format("0,25")],
    ("MG", "locadora"): ["Só veículo de locadora, nas condições da lei."],
    ("MS", "automovel"): [USED],
    ("MS", "caminhao"): [USED],
    ("MS", "caminhonete"): [USED],
    ("MS", "onibus_micro_onibus"): [USED],
    ("PI", "caminhao"): [CARRIER],
    ("PR", "automovel"): ["A alíquota do GNV exige o combustível registrado no Detran."],
    ("PR", "pcd"): ["A isenção alcança veículo de até 155 cv."],
    ("RJ", "locadora"): ["Só veículo de locadora, nas condições da lei."],
    ("RJ", "taxi"): ["Isenção do motorista autônomo; para táxi de empresa foi vista, em fonte não confirmada, a "
                     "alíquota de 1%."],
    ("RS", "pcd"): ["O limite, de 5.094 UPF-RS, foi lido para veículo novo."],
    ("SC", "locadora"): ["Só veículo de locadora, nas condições da lei."],
    ("TO", "caminhao"): [CARRIER],
    ("TO", "locadora"): ["Só veículo de locadora, nas condições da lei."],
    ("TO", "taxi"): ["Isenção do motorista autônomo, para um veículo."],
}

#: First and last day that a cell answers, where the facts leave the column empty: (UF, category): day.
SINCE = {
    ("CE", "automovel"): "2022-01-01",  # the article in the wording of 2015, whose rates are those of 2026
    ("CE", "caminhonete"): "2022-01-01",
    ("MS", "caminhao"): "2025-01-01",  # the text of the decree for 2025 was read
    ("MS", "caminhonete"): "2025-01-01",
    ("MS", "onibus_micro_onibus"): "2025-01-01",
    ("PE", "caminhao"): "2024-01-01",  # the same act as the rate of cars, which has its day
    ("RO", "pcd"): "2026-01-01",  # the limit of the years before was not read
    ("RS", "pcd"): "2026-01-01",
}
UNTIL = {("CE", "pcd"): ("2027-01-01", "O limite é em UFIRCE, e o valor da unidade de 2027 não foi publicado."),
         ("RS", "pcd"): ("2027-01-01", "O limite é em UPF-RS, e o valor da unidade de 2027 não foi publicado.")}

#: Conditions that only restate the category, or that `ADVICE` tells.
DESCRIPTIVE = {
    "", "passeio", "geral", "geral (ate 2025)", "automovel e caminhonete", "automovel e camioneta",
    "automovel e utilitario", "utilitario", "utilitario, outros combustiveis", "todas as cilindradas",
    "geral (automovel, caminhonete, utilitario)", "geral (gasolina, flex, diesel)", "camioneta, caminhonete",
    "passeio, utilitario, motor-casa", "transporte de carga", "transporte coletivo", "onibus, micro-onibus",
    "carga, inclusive utilitario de carga", "caminhao a partir de 3.500 kg",
    "caminhao a partir de 3.500 kg de carga, caminhao-trator e cavalo mecanico",
    "passeio usado (5% nominal com reducao de 40%)",
    "passeio usado ate 8 pessoas (6% nominal com reducao de 25%)",
    "usado; carga de 1,5% por reducao de 50% da base",
    "usado, transporte coletivo; carga de 1,5% por reducao de 50% da base",
    "camioneta, uso misto e utilitario, usado (reducao de 40%)",
    "motor exclusivamente a alcool: base reduzida em 30%",
    "motorista autonomo (PF)", "taxi e mototaxi", "taxi e mototaxi de autonomo, um veiculo",
}

#: Where a figure of low trust was seen, by what the table of facts says of it.
LOW_SOURCES = {
    "impostbr/impost": "repositório impostbr/impost (03/2026), que tem erros conhecidos",
    "dataset de fev/2026": "tabela pública de 02/2026, que tem erros conhecidos",
}
TABLES = ("calculadora pública do IPVA de 2026, com tabela de automóvel, motocicleta e caminhão por UF; o texto da lei "
          "não foi conferido")
BETO = "endereço oficial registrado no repositório williamqf/beto-data"
LAWS = "levantamento público das leis de SP, MG, PR e SC de 14/08/2026"
DISABLED = "dossiê público IsentaPCD, de 15/08/2026"

#: Where the figures of cars were read, by UF.
OFFICIAL = {
    "AC": f"página da Sefaz/AC (sefaz.ac.gov.br, p=21413; {BETO})",
    "AL": f"perguntas e respostas da Sefaz/AL, cálculo e alíquotas ({BETO})",
    "AM": f"Diário Oficial eletrônico da Sefaz/AM ({BETO})",
    "AP": TABLES,
    "BA": f"página de informações do IPVA da Sefaz/BA ({BETO})",
    "CE": f"Resumo do IPVA 2026 da Sefaz/CE ({BETO}); Lei 15.893/2015 no sítio da Assembleia Legislativa do Ceará",
    "DF": f"IPVA 2026 da Receita do Distrito Federal ({BETO})",
    "ES": f"página de informações do IPVA da Sefaz/ES ({BETO})",
    "GO": f"perguntas e respostas da Secretaria da Economia de Goiás ({BETO})",
    "MA": f"Diário da Assembleia Legislativa do Maranhão de 18/12/2025 ({BETO})",
    "MG": f"dúvidas frequentes do IPVA da SEF/MG ({BETO})",
    "MS": f"página do IPVA da Sefaz/MS ({BETO})",
    "MT": f"tabela de alíquotas do IPVA da Sefaz/MT ({BETO})",
    "PA": f"Lei 6.017/1996 no sítio da Sefa/PA ({BETO})",
    "PB": f"Lei 11.007/2017 no sítio da Sefaz/PB ({BETO})",
    "PE": f"Lei 18.305/2023 no sítio da Sefaz/PE ({BETO})",
    "PI": "Lei 6.749/2015, no sistema da Assembleia Legislativa do Piauí",
    "PR": f"página do IPVA 2026 da Sefa/PR ({BETO})",
    "RJ": "levantamentos públicos das alíquotas de 2026 (elétrico, híbrido e GNV: Lei 7.068/2015)",
    "RN": TABLES,
    "RO": TABLES,
    "RR": TABLES,
    "RS": f"página do IPVA da Sefaz/RS ({BETO})",
    "SC": f"Ato Diat 99/2025 da SEF/SC ({BETO})",
    "SE": f"notícia da Sefaz/SE sobre o IPVA 2026 ({BETO})",
    "TO": "Lei 1.287/2001 consolidada pela Sefaz/TO (repositório smart63labs/nova_tea)",
}

#: Where other categories were read: by cell, then by category, then the tables.
READ_IN = {
    ("BA", "caminhonete"): OFFICIAL["BA"],
    ("CE", "caminhonete"): OFFICIAL["CE"],
    ("ES", "caminhonete"): OFFICIAL["ES"],
    ("PA", "caminhonete"): OFFICIAL["PA"],
    ("PE", "caminhonete"): OFFICIAL["PE"],
    ("RS", "caminhonete"): OFFICIAL["RS"],
    ("MS", "caminhao"): "Decreto 16.523/2024, na base de legislação do Estado",
    ("MS", "caminhonete"): "Decreto 16.523/2024, na base de legislação do Estado",
    ("MS", "onibus_micro_onibus"): "Decreto 16.523/2024, na base de legislação do Estado",
    "MG": f"{LAWS}; exercícios públicos que reproduzem a tabela oficial",
    "PR": LAWS,
    "SC": f"{LAWS}; notícia da SEF/SC de 16/12/2025",
    "TO": OFFICIAL["TO"],
    "pcd": DISABLED,
}


def read_in(uf, kind):
    """The public document in which the figure of a cell was read."""
    if kind == "automovel":
        return OFFICIAL[uf]
    for key in ((uf, kind), "pcd" if kind == "pcd" and uf != "TO" else None, uf):
        if key in READ_IN:
            return READ_IN[key]
    return TABLES
