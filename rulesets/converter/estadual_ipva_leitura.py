"""IPVA: how the law of each UF is read where the table of facts alone does not decide.

The table of facts gives figures and conditions in free words. What is said here, cell by cell (UF and category):

* `DIVIDED`: a condition that an operation does not tell (power, displacement, cabin, use, value brackets) divides the
  rate, or the sources contradict each other: the figure is null, with the reason. The rates that the reason names are
  repeated, so that a change of the facts stops the conversion instead of leaving a stale text.
* `DIVIDED_FUELS`: the same for one fuel of a cell whose other fuels are answered.
* `ADVICE`: conditions that leave one side clearly dominant.
* `SINCE`, `UNTIL`: the days that the facts leave open.
* `READ_IN`: the public document in which the figure was read.
"""

VALUE = "A alíquota depende do valor do veículo, e a regra de IPVA ainda não tem faixas de valor: "
POWER = "a potência não consta da operação informada."
CUBIC = "a cilindrada não consta da operação informada."
LOW = "em fonte não confirmada"

#: (UF, category): (rates that the reason names, reason of the null figure).
DIVIDED = {
    ("AC", "motocicleta"): ("1", f"Alíquota de 1%; há notícia, {LOW}, de isenção até 170 cilindradas: {CUBIC}"),
    ("AL", "automovel"): ("2.75 3.25", "A alíquota do automóvel a gasolina, etanol, flex ou diesel vai de 2,75% a "
                          f"3,25% conforme a potência, e as fontes divergem sobre as faixas: {POWER}"),
    ("AM", "automovel"): ("1.5 2 3 4", "Até 1.000 cm³, 1,5% (3% até 2025); acima, 2% (4% até 2025): " + CUBIC),
    ("BA", "motocicleta"): ("1", "As fontes divergem entre 1% e 2,5%."),
    ("CE", "automovel"): ("2.5 3 3.5", f"2,5% até 100 cv, 3% até 180 cv e 3,5% acima: {POWER}"),
    ("CE", "caminhonete"): ("2.5 3 3.5", f"2,5% até 100 cv, 3% até 180 cv e 3,5% acima: {POWER}"),
    ("GO", "automovel"): ("3 3.75", f"3% até 100 cv e 3,75% acima: {POWER}"),
    ("GO", "caminhonete"): ("3.45 3.75", "O utilitário paga 3,45%; a caminhonete de passeio pode pagar 3,75% "
                            f"({LOW}): o uso não consta da operação informada."),
    ("GO", "motocicleta"): ("3", "Acima de 150 cilindradas, 3%; até 150, há notícia não confirmada de isenção desde "
                            f"2026: {CUBIC}"),
    ("MA", "automovel"): ("2.5 3", VALUE + "2,5% até R$ 150.000,00 e 3% acima."),
    ("MG", "caminhonete"): ("3 4", "Caminhonete de carga, picape e furgão pagam 3%; cabine dupla, uso misto e "
                            "utilitário, 4%: a espécie não consta da operação informada."),
    ("MG", "taxi"): ("2", "O táxi fora da isenção paga 2%; a isenção do motorista autônomo (Lei 14.937/2003, art. 3º) "
                     f"foi vista {LOW}: a situação do proprietário não consta da operação informada."),
    ("MT", "automovel"): ("2 3", f"2% até 1.000 cm³ e 3% acima: {CUBIC} Há isenção de veículo a GNV (Lei "
                          "11.490/2021), com prazo e condições não conferidos."),
    ("PI", "automovel"): ("2.5 3", VALUE + "2,5% até R$ 150.000,00 e 3% acima."),
    ("PI", "motocicleta"): ("2", "Acima de 170 cilindradas, 2%; até 170, há notícia não confirmada de isenção desde "
                            f"2026: {CUBIC}"),
    ("PR", "caminhonete"): ("1 1.9", "O utilitário de carga paga 1%; a caminhonete não registrada como carga, a "
                            "alíquota geral: a espécie do registro não consta da operação informada."),
    ("PR", "motocicleta"): ("1.9", "Acima de 170 cilindradas, 1,9%; até 170, há notícia não confirmada de isenção "
                            f"desde 2025 (Lei 22.262/2024): {CUBIC}"),
    ("RO", "automovel"): ("2 3", VALUE + "3% acima de R$ 120.000,00; até esse valor, ou com motor 1.0, 2%, visto "
                          f"{LOW}."),
    ("RO", "motocicleta"): ("2", f"Alíquota de 2%; há notícia, {LOW}, de isenção até 170 cilindradas: {CUBIC}"),
    ("RS", "caminhao"): ("1", "As fontes divergem entre 1% e 2%."),
    ("SC", "motocicleta"): ("1", "Alíquota de 1%, com isenção até 200 cilindradas a quem não cometeu infração no ano "
                            "anterior (Lei 7.543/1988, art. 8º): a operação informada não traz uma nem outra."),
    ("SE", "automovel"): ("2.5 3", VALUE + "2,5% até R$ 120.000,00 e 3% acima."),
    ("TO", "automovel"): ("2.5 3.5", f"2,5% até 100 HP e 3,5% acima: {POWER}"),
    ("TO", "caminhonete"): ("2.5 3.5", f"2,5% até 100 HP e 3,5% acima: {POWER}"),
    ("TO", "motocicleta"): ("2.5 3.5", f"2,5% até 180 cm³ e 3,5% acima: {CUBIC}"),
    # --- people with disabilities
    ("AP", "pcd"): ("", "A isenção lida alcança o veículo novo, nacional ou nacionalizado, e a alíquota dos demais não "
                    "está estabelecida: a operação informada não os distingue."),
    ("ES", "pcd"): ("", "Há isenção; o limite de valor não foi conferido."),
    ("MG", "pcd"): ("", "Há isenção; o limite de valor não foi conferido."),
    ("MS", "pcd"): ("", "Há redução de 60% do imposto, e não isenção; limites e condições não foram conferidos."),
    ("MT", "pcd"): ("", "Há isenção; o limite de valor não foi conferido."),
    ("PI", "pcd"): ("", "Desde 2027, isenção até R$ 200.000,00, e acima a alíquota depende do valor; antes, um rol "
                    "mais restrito, não conferido."),
    ("RJ", "pcd"): ("", "Há isenção, com teto de R$ 55.000,00 para veículo novo nacional (Res. Sefaz 845/2025); o do "
                    "veículo usado não foi conferido."),
    ("RR", "pcd"): ("", "Há isenção; o limite de valor não foi conferido."),
    ("TO", "pcd"): ("", "Até R$ 120.000,00, a parcela de R$ 70.000,00 é isenta; a alíquota do que passa depende da "
                    "potência, que não consta da operação informada."),
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

#: (UF, category): (fuels, reason of their null figure).
DIVIDED_FUELS = {
    ("BA", "automovel"): ("eletrico", "O 100% elétrico até R$ 300.000,00 é isento desde 2024 e acima paga 2,5%, e a "
                          "regra de IPVA ainda não tem isenção por valor em um só combustível; antes de 2024, não "
                          "conferido."),
    ("BA", "caminhonete"): ("eletrico", "A isenção do veículo 100% elétrico até R$ 300.000,00 (Lei 14.638/2023) pode "
                            "alcançar a caminhonete."),
    ("DF", "automovel"): ("eletrico hibrido", "O elétrico (motor a partir de 40 kW) e o híbrido são isentos se "
                          "comprados no Distrito Federal (Lei 6.466/2019): a operação informada não o diz."),
    ("MT", "automovel"): ("gnv", "A isenção do veículo a GNV tem prazo e condições não conferidos."),
    ("PE", "automovel"): ("gnv", "O veículo a GNV até R$ 100.000,00 paga 1,5%, e acima, a geral: a regra de IPVA ainda "
                          "não tem faixas de valor."),
    ("RN", "automovel"): ("eletrico gnv", "As fontes divergem sobre o elétrico (isenção, ou 0,5% pela Lei "
                          f"12.026/2024), e a alíquota de 1,5% do GNV foi vista {LOW}."),
    ("TO", "automovel"): ("eletrico", "A alíquota depende da potência."),
}

#: Part of the value that is taxed, where the law reduces the base for a fuel.
TAXED_PART = {("MG", "automovel", "etanol"): ("70/100", "Motor exclusivamente a álcool: base reduzida em 30%, de modo "
                                              "que os 4% valem 2,8% do valor venal (Lei 14.937/2003, art. 10).")}

CARRIER = "Caminhão a partir de 3.500 kg, nas condições da lei; veículo de carga menor não foi conferido."
USED = ("Alíquota do veículo usado, já com a redução de base do exercício; o veículo novo tem outra, no ano da "
        "primeira tributação.")
RECOGNISED = "A isenção depende de reconhecimento, nas condições da lei."
DF_BENEFIT = ("Veículo novo adquirido com isenção: nos três exercícios seguintes a alíquota tem acréscimo de {} ponto "
              "percentual (Decreto 34.024/2012, art. 10, § 3º, redação do Decreto 37.826/2016).")

ADVICE = {
    ("AC", "pcd"): ["A isenção exige também renda de até 10 salários mínimos (LC 114/2002, art. 12, VII)."],
    ("AM", "pcd"): ["A isenção é renovada a cada ano."],
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
    ("MS", "caminhao"): "2025-01-01",  # the text of the decree for 2025 was read
    ("MS", "caminhonete"): "2025-01-01",
    ("MS", "onibus_micro_onibus"): "2025-01-01",
    ("PE", "caminhao"): "2024-01-01",  # the same act as the rate of cars, which has its day
    ("RS", "pcd"): "2026-01-01",
}
UNTIL = {("RS", "pcd"): ("2027-01-01", "O limite é em UPF-RS, e o valor da unidade de 2027 não foi publicado.")}

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
    "CE": f"Resumo do IPVA 2026 da Sefaz/CE ({BETO})",
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
