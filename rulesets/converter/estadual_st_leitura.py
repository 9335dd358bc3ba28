"""How the rows of margins are read: what a rule of ICMS by substitution tells, refuses, or splits by origin.

Keys are (UF, segment) or (UF, CEST).
"""

ADVICE = ("Na operação interestadual, a retenção pelo remetente depende de convênio ou protocolo entre as UFs, cuja "
          "relação de signatárias não foi conferida; sem ele, o imposto que a UF de destino exige na entrada cabe ao "
          "destinatário.")
FIDELITY = ("Margem dos demais casos. Na saída de fabricante para concessionária ou revendedor por contrato de "
            "fidelidade, a margem original é de {margin}% ({law}): a condição não consta da operação informada.")

SOURCES = {
    "TO": "Anexo XXI do RICMS/TO, texto oficial em smart63labs/nova_tea (coleta de 2025-12-23); a lista vem da redação "
          "do Decreto 6.696/2023.",
    "RS": "Apêndice II, Seção III, do RICMS/RS, em tabela pública de 2026-09; o início da margem não foi conferido.",
    "MG": "Anexo VII, Parte 2, do RICMS/MG, em tabela pública de 2026-09.",
    "BA": "Anexo 1 do RICMS/BA, em tabela pública de 2026.",
}
SOURCE = "Margens de pneumáticos e autopeças por UF, com o ato citado, em tabela pública de 2026-09."
CODES_SOURCE = ("Códigos do segmento 01 na forma do RICMS/MG, Anexo VII, Parte 2, que segue o Convênio ICMS 142/2018; "
                "a lista local não foi conferida código a código.")
RATE_START = "Início da margem não conferido: responde desde o início da alíquota interna com que foi lida."

#: The margin holds whatever the origin, without adjustment.
NOT_ADJUSTED = {("MT", "pneumaticos"), ("MT", "autopecas"), ("SC", "pneumaticos")}

#: What an answer tells besides.
TOLD = {
    ("MT", "pneumaticos"): "Margem do Anexo Único, que o remetente aplica (Resposta à Consulta SEFAZ/MT 118/2021). O "
                           "destinatário não optante pelo crédito outorgado recolhe a diferença até 78,79% (Portaria "
                           "195/2019, art. 2º-B).",
    ("MT", "autopecas"): "Margem do Anexo Único, que o remetente aplica (Resposta à Consulta SEFAZ/MT 118/2021). O "
                         "destinatário não optante pelo crédito outorgado recolhe a diferença até 65,29% (Portaria "
                         "195/2019, art. 2º-B).",
    ("SC", "pneumaticos"): "Margem única do Anexo 3, que já supõe 12% na operação própria, interestadual ou interna "
                           "entre contribuintes (Lei 10.297/1996, art. 19, III, n); com mercadoria importada (4%), a "
                           "margem não foi conferida.",
    ("MS", "autopecas"): "Regime especial do Estado pode mudar a margem.",
    ("AL", "pneumaticos"): "A margem ajustada toma a alíquota interna sem o 1% do FECOEP, que se soma à parte, como na "
                           "tabela lida; a lei não foi conferida neste ponto.",
}
TOLD[("AL", "autopecas")] = TOLD[("AL", "pneumaticos")]

#: Signatories of the agreements on car parts, as read; the payload's origin is held against them by the reader.
AGREEMENTS = {
    "41/2008": "AC, AL, AM, AP, BA, DF, MA, MG, MT, PA, PB, PR, PI, RJ, RR e SP",
    "97/2010": "AC, AL, AP, BA, MA, MT, PA, PB, PR, PE, PI, RJ, RR, SE e TO",
}
SIGNATORIES = ("Signatárias do Protocolo ICMS {number}, como lidas em tabela pública de 2026 a partir do Anexo 1 do "
               "RICMS/BA: {states}. De outra UF, o remetente não é obrigado à retenção por esse acordo.")

#: Interstate figures that are refused, while the internal operation is answered: (UF, segment) -> reason.
INTERNAL_ONLY = {
    ("RJ", "pneumaticos"): "A tabela lida ajusta a margem por 20%, que tanto podem ser os 18% de 2023 com os 2% do "
                           "FECP quanto os 20% de hoje sem ele: não foi conferido se o FECP entra na fórmula.",
    ("TO", "fumo"): "Não foi conferido se os dois pontos do FECOEP entram na alíquota interna da fórmula da MVA "
                    "ajustada.",
    ("MS", "autopecas"): "Não foi conferido se a margem padrão do Estado se ajusta na operação interestadual.",
}
#: The seller's own rate of the internal operation, where it is not that of the substitution. The published margins of
#: tyres are the original ones of the agreement adjusted from 12% to 17%: they suppose an own operation of 12%.
OWN_RATE = {("SC", "pneumaticos"): "12.00"}

#: The fund's addition where the row of the margin leaves it out: (UF, segment) -> (percent, reaches the own sale too).
FUNDS = {("AL", "pneumaticos"): ("1.00", True), ("AL", "autopecas"): ("1.00", True),
         ("RJ", "pneumaticos"): ("2.00", True), ("TO", "fumo"): ("2.00", True),
         ("SE", "pneumaticos"): ("1.00", False), ("SE", "autopecas"): ("1.00", False)}
#: States whose published adjusted margins show that the fund counts into the internal rate of the formula.
FUND_IN_FORMULA = {"SE", "BA"}

#: Rate and fund that the published adjusted margins imply, where the row states none; checked by the formula.
IMPLIED = {("BA", "0301000"): ("20.50", "2.00"), ("BA", "0301001"): ("20.50", "2.00"),
           ("BA", "0302100"): ("25.00", "2.00"), ("BA", "0302103"): ("25.00", "2.00"),
           ("BA", "0400100"): ("28.00", "2.00")}
IMPLIED_SOURCE = "Alíquota e adicional deduzidos das margens ajustadas que o Anexo 1 publica."

#: Figures that are refused: (UF, CEST) -> reason.
LAMPS = "O Anexo XXI traz o item com duas margens ({}): não foi conferido qual delas vale."
PERFUMES = ("A fonte repete a margem original na coluna da alíquota interestadual de 12%, de modo que não se sabe se a "
            "margem já está ajustada.")
MG_PERFUMES = "A alíquota interna de 25% dos códigos 33.03 a 33.07 é dada pela fonte só como provável."
TYRES_RO = ("O pneumático tem adicional de 2% do FECOEP (LC 842/2015; Decreto 29.048/2024), que a tabela de margens "
            "não considera.")
FREIGHT = "A margem lida supõe o frete incluído na base; sem ele, outra se aplica, e a operação informada não o diz."
REFUSED = {
    ("TO", "0900100"): LAMPS.format("60,03% e 40%"), ("TO", "0900200"): LAMPS.format("102,31% e 40%"),
    ("TO", "0900300"): LAMPS.format("53,13% e 40%"), ("TO", "0900400"): LAMPS.format("102,31% e 40%"),
    ("RO", "1600300"): TYRES_RO, ("RO", "1600500"): TYRES_RO,
    ("BA", "1704400"): "As margens ajustadas que o Anexo 1 publica para a farinha de trigo não seguem a fórmula geral: "
                       "a alíquota interna do cálculo não foi conferida.",
    ("RS", "1000100"): "A carga interna efetiva da cal, de 12%, não foi confirmada.",
}

#: Rows that are no substitution, or whose goods left it before the rules begin, or that have no code.
LEFT_OUT_CONDITIONS = {"excluido da ST", "antecipacao (nao ST): agregacao", "destinatario nao optante (art. 2-B)"}
#: Published adjusted margins that the formula does not give, by State and segment: old text beside the current one, and
#: a column that repeats the original margin.
DIVERGENT = {("TO", "pneumaticos"), ("RS", "perfumaria e cosmeticos")}
#: Segments that left the regime, with a margin for the time before that is not known: UF -> first day out of it.
LEFT_SEGMENT = {"ES": "2022-02-03", "RS": "2024-11-01"}
