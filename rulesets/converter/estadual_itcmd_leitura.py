"""ITCMD: how the law of each UF is read where the table of facts alone does not decide.

Keys are (UF, cause), or (UF, cause, first day) where only one wording is meant.

* `UNKNOWN`: no figure is established; the reason, in which {faixas} stands for the brackets of the facts.
* `OPEN_FROM`: from this bracket on (counted from 1) the tax is not established, the ones before it are certain under
  every reading; the reason, likewise.
* `OPEN_UP_TO`: up to this amount an operation does not tell whether the exemption applies; the reason.
* `EXEMPT`: the provision of the exemption by value that an operation can decide: the first of the table.
* `ADVICE`: what an operation does not tell, and the doubts that a figure of medium trust keeps.
"""

DEATH, GIFT = "causa_mortis", "doacao"

UNKNOWN = {
    ("AM", GIFT, "2025-03-23"): "Marginal, com {faixas}, sobre o que exceder uma faixa de isenção cujo valor na doação "
    "não foi localizado (LC 19/1997, art. 119-A, I).",
    ("AP", DEATH, "2025-01-01"): "Alíquotas progressivas de 2% a 6%; as faixas e o método não foram confirmados.",
    ("PI", DEATH): "As fontes divergem entre alíquotas de 2% a 8% e de 2% a 6% (Lei 8.558/2024 e LC 327/2025).",
    ("PI", GIFT): "A alíquota de 4% foi vista em fonte não confirmada, e há alterações posteriores não lidas (Lei "
    "8.558/2024 e LC 327/2025).",
}

OPEN_FROM = {
    ("AC", GIFT): (2, "Faixas de {faixas}; os incisos lidos não dizem se a alíquota vale para o valor todo ou por "
                   "faixa."),
    ("AL", DEATH, "2025-03-30"): (2, "Faixas de {faixas}; o texto fala em parcela da base de cálculo, e não há ato "
                                  "que diga se a alíquota vale para o quinhão todo ou por faixa."),
    ("AL", GIFT, "2025-03-30"): (2, "Faixas de {faixas}; o texto fala em parcela da base de cálculo, e não há ato "
                                 "que diga se a alíquota vale para o valor todo ou por faixa."),
    ("DF", DEATH): (2, "As faixas seguintes, de 5% e 6%, começam em limites atualizados todo ano por ato do fisco, que "
                    "não foram conferidos."),
    ("DF", GIFT): (2, "As faixas seguintes, de 5% e 6%, começam em limites atualizados todo ano por ato do fisco, que "
                   "não foram conferidos."),
    ("SE", GIFT, "2023-10-06"): (3, "Acima de 6.900 UFP-SE o imóvel paga alíquota maior (4%, e mais nas faixas "
                                 "seguintes), e bens móveis e direitos, 2% (art. 14, III-A): a operação informada não "
                                 "diz a natureza do bem."),
}
OPEN_FROM["SE", GIFT, "2024-01-01"] = OPEN_FROM["SE", GIFT, "2023-10-06"]

OPEN_UP_TO = {
    ("PE", GIFT, "2016-01-01"): ("50000", "Até R$ 50.000,00 por ano a doação de bens móveis ou direitos é isenta: a "
                                 "operação informada não diz a natureza do bem."),
    ("RJ", DEATH): ("13000", "Até 13.000 UFIR-RJ o monte-mor é isento, e um quinhão desse valor em monte maior paga "
                    "4%: a operação informada não os distingue."),
    ("RJ", GIFT): ("11250", "Até 11.250 UFIR-RJ por ano a doação em dinheiro é isenta, e a de outros bens paga 4%: a "
                   "operação informada não diz a natureza do bem."),
}

EXEMPT = {
    ("AC", DEATH): "LC 373/2020, art. 29",
    ("AM", DEATH): "LC 19/1997, art. 119-A (LC 269/2024)",
    ("BA", DEATH): "Lei 4.826/1989, art. 4º, V",
    ("CE", DEATH): "Lei 15.812/2015, art. 8º, I, a",
    ("CE", GIFT): "Lei 15.812/2015, art. 8º, IV",
    ("MG", GIFT): "Lei 14.941/2003, art. 3º, II, a",
    ("MS", DEATH): "Lei 1.810/1997, art. 126, III (redação da Lei 4.759/2015)",
    ("MS", GIFT): "Lei 1.810/1997, art. 126, I (redação da Lei 4.759/2015)",
    ("MT", DEATH): "Lei 7.850/2002, arts. 6º, I, a, e 19, I",
    ("MT", GIFT): "Lei 7.850/2002, arts. 6º, II, a, e 19, II",
    ("PE", DEATH): "Lei 13.974/2009 (redação da Lei 15.601/2015): quinhão até R$ 50.000,00",
    ("PE", DEATH, "2026-01-01"): "Lei 13.974/2009, Anexo 3 (LC 563/2025)",
    ("PE", GIFT, "2026-01-01"): "Lei 13.974/2009, Anexo 3 (LC 563/2025)",
    ("RO", DEATH): "Lei 959/2000: valor do bem ou direito até 62 UPF-RO",
    ("RO", GIFT): "Lei 959/2000: valor do bem ou direito até 62 UPF-RO",
    ("RR", DEATH): "Lei 59/1993: valor dos bens ou direitos até 50 UFERR",
    ("RR", GIFT): "Lei 59/1993: valor dos bens ou direitos até 50 UFERR",
    ("RS", DEATH): "Lei 8.821/1989, art. 18, I",
    ("SC", DEATH): "Lei 13.136/2004, art. 10, IV (redação da Lei 18.831/2024)",
    ("SC", GIFT): "Lei 13.136/2004, art. 10, IV (redação da Lei 18.831/2024)",
    ("SE", DEATH): "Lei 7.724/2013, art. 14 (faixa de alíquota zero)",
    ("SE", GIFT): "Lei 7.724/2013, art. 14 (faixa de alíquota zero)",
    ("SE", DEATH, "2023-10-06"): "Lei 7.724/2013, art. 8º, IV",
    ("SE", GIFT, "2023-10-06"): "Lei 7.724/2013, art. 8º, IV",
    ("SE", GIFT, "2024-01-01"): "Lei 7.724/2013, art. 8º, IV",
    ("TO", DEATH): "Lei 1.287/2001, art. 55, I",
}
#: A first bracket of zero that is no exemption, and an exemption of the table that only `ADVICE` tells.
NO_EXEMPTION = {("TO", GIFT), ("AP", DEATH), ("MG", DEATH), ("PR", DEATH), ("RJ", DEATH), ("RJ", GIFT),
                ("PE", GIFT, "2016-01-01")}

NOT_READ = "As isenções da lei não foram conferidas."
SUMMED = "As doações {} entre o mesmo doador e o mesmo donatário se somam: informe em valor_base o total."
YEARLY = SUMMED.format("do mesmo ano civil")
TWELVE = SUMMED.format("dos últimos doze meses")
LONE_HOME = "Isenção do imóvel residencial único do espólio, nas condições da lei, não avaliada{}."
TOTAL = ("A lei enquadra na faixa pela totalidade dos bens e direitos transmitidos{}: informe em valor_base essa "
         "totalidade.")

OTHER_AM = "Isenções que não são por valor (programas habitacionais, agricultura familiar) não avaliadas."
ADVICE = {
    ("AC", DEATH): [
        "Método marginal: os incisos do art. 29 dizem \"sobre o valor que exceder\"; o parágrafo único manda, na "
        "sobrepartilha, aplicar a alíquota do total do monte-mor, e há fonte que considera o ponto em aberto.",
        "As faixas são do espólio: informe em valor_base o total, e não um quinhão.",
        "Colaterais pagam 8% (art. 29, V): o parentesco não consta da operação informada.",
        LONE_HOME.format(", até R$ 250.000,00 (LC 373/2020)")],
    ("AL", DEATH): [NOT_READ],
    ("AL", GIFT): [NOT_READ],
    ("AM", DEATH): [OTHER_AM],
    ("AM", DEATH, "2025-03-23"): [
        OTHER_AM,
        "A LC 281/2025, publicada em 2025-11-12, isenta o espólio de até R$ 1.000.000,00 no total (LC 19/1997, art. 118, "
        "III, a): não avaliado, porque a operação não traz o valor do espólio; o quinhão de até esse valor só paga se o "
        "espólio o passar."],
    ("AP", DEATH): [LONE_HOME.format(", até 20.000 UPF-AP (Decreto 3.601/2000, art. 5º, II)")],
    ("BA", GIFT): ["As doações sucessivas do exercício se somam, com recálculo (Lei 4.826/1989, art. 9º, parágrafo "
                   "único): informe em valor_base o total."],
    ("DF", DEATH): [NOT_READ],
    ("DF", GIFT): [NOT_READ, TWELVE],
    ("ES", DEATH): [NOT_READ],
    ("ES", GIFT): [NOT_READ],
    ("GO", DEATH): [NOT_READ],
    ("GO", GIFT): [NOT_READ, "Doações anteriores ao mesmo donatário se somam, em períodos não conferidos."],
    ("MA", DEATH): [
        "Método integral: o texto enquadra pela soma dos valores venais e não manda decompor; não foi achado ato da "
        "Sefaz que o diga.", NOT_READ],
    ("MA", GIFT): [
        "Método integral: o texto enquadra pela soma dos valores venais e não manda decompor; não foi achado ato da "
        "Sefaz que o diga. Uma fonte de 2026 cita alíquotas de 2% a 4%, sem texto de lei.",
        "As doações do mesmo exercício entre o mesmo doador e o mesmo donatário se somam (art. 110, parágrafo único, "
        "I): informe em valor_base o total.", NOT_READ],
    ("MG", DEATH): [
        "Desconto de 15% do imposto pago em até 90 dias da abertura da sucessão, não avaliado (Lei 14.941/2003, art. "
        "10).",
        LONE_HOME.format(", até 40.000 UFEMG em monte de até 48.000 UFEMG (Lei 14.941/2003, art. 3º, I, a e b)")],
    ("MG", GIFT): [
        "Doação até 90.000 UFEMG: desconto de 50% se recolhido antes da ação fiscal, não avaliado (Lei 14.941/2003, "
        "art. 23-A).",
        "O limite considera o total doado: informe em valor_base o valor acumulado."],
    ("MS", DEATH): [
        "Uma fonte sem texto de lei cita isenção até R$ 100.000,00; o texto lido diz R$ 50.000,00.",
        "Isenção de imóvel rural até o módulo da região e de residência popular dos herdeiros, não avaliada (Lei "
        "1.810/1997, art. 126, II)."],
    ("MS", GIFT): [
        "Doações sucessivas em doze meses: o limite se esgota com a soma, e só o que o excede paga na doação que o "
        "ultrapassa (Lei 1.810/1997, art. 126, §§ 1º a 3º)."],
    ("MT", GIFT): ["As doações anteriores se somam: informe em valor_base o total."],
    ("PA", DEATH): [NOT_READ],
    ("PA", GIFT): [NOT_READ, YEARLY],
    ("PB", DEATH): [NOT_READ],
    ("PB", GIFT): [NOT_READ],
    ("PE", DEATH, "2016-01-01"): ["Isenções por natureza do bem ou condição do beneficiário, não avaliadas."],
    ("PE", DEATH, "2026-01-01"): ["Isenções condicionadas e desconto de pagamento, não avaliados."],
    ("PE", GIFT, "2026-01-01"): ["Isenções condicionadas e desconto de pagamento, não avaliados."],
    ("PR", DEATH): [
        "Isenção do único imóvel de moradia do cônjuge ou herdeiro sem outro, e do imóvel rural de até 25 ha de que "
        "dependa o sustento da família, não avaliada (Lei 18.573/2015)."],
    ("RJ", DEATH): [
        TOTAL.format(" (Lei 7.174/2015, art. 26)"),
        "Isenção de imóveis residenciais a pessoas físicas, até a soma de 60.000 UFIR-RJ, não avaliada."],
    ("RJ", GIFT): [TOTAL.format(" (Lei 7.174/2015, art. 26)")],
    ("RN", DEATH): [NOT_READ, "A Lei 10.365/2018 reduz a alíquota em hipóteses não coletadas."],
    ("RN", GIFT): [NOT_READ, "A Lei 10.365/2018 reduz a alíquota em hipóteses não coletadas."],
    ("RO", DEATH): ["Isenção do único imóvel, urbano de moradia até 1.250 UPF-RO ou rural até 60 ha, não avaliada."],
    ("RO", GIFT): ["Isenção do único imóvel, urbano de moradia até 1.250 UPF-RO ou rural até 60 ha, não avaliada."],
    ("RR", DEATH): ["Isenções por natureza do bem (imóvel residencial, imóvel rural até 25 ha), não avaliadas."],
    ("RS", DEATH): [
        "A UPF-RS é a da data da avaliação (Lei 8.821/1989, art. 18, § 2º, III).",
        "Isenção de imóvel urbano até 4.379 UPF-RS a ascendente, descendente ou cônjuge sem outro, e de imóvel rural "
        "até 25 ha e 20.000 UPF-RS, nas mesmas condições, não avaliada."],
    ("SC", DEATH): ["Isenção do único imóvel de moradia até R$ 200.000,00, não avaliada (Lei 13.136/2004, art. 10, "
                    "III)."],
    ("SC", GIFT): [
        "O limite de isenção observa a soma das doações (Lei 13.136/2004, art. 9º, parágrafo único): informe em "
        "valor_base o total."],
    ("SE", DEATH, "2023-10-06"): [
        "A parte do quinhão em quotas de sociedade paga 2% (Lei 7.724/2013, art. 14, I-A): a natureza do bem não "
        "consta da operação informada.",
        LONE_HOME.format(", até 2.600 UFP-SE, do sucessor sem outro imóvel e com renda até 3 salários mínimos (Lei "
                         "7.724/2013, art. 8º, VI)")],
    ("TO", DEATH): [TOTAL.format(" tributáveis pelo Estado (Lei 1.287/2001, art. 61, § 1º); a isenção é do quinhão")],
    ("TO", GIFT): ["Até R$ 25.000,00 a lei não fixa alíquota (Lei 1.287/2001, art. 61, I).",
                   TOTAL.format(" tributáveis pelo Estado (Lei 1.287/2001, art. 61, § 1º)")],
}

#: First day of a wording where the facts leave it empty.
SINCE = {
    "AL": "2022-01-01", "AM": "2022-01-01", "AP": "2022-01-01", "MS": "2022-01-01", "PI": "2022-01-01",
    "RR": "2022-01-01",
    "PB": "2024-01-01",  # law of 2023-03-11: the first exercise after it is beyond doubt
}
#: History is told from here on, whatever the facts have before.
NOT_BEFORE = {
    "MT": "2017-04-01",  # the law of 2016 reaches facts from this day on
    "SE": "2020-01-01",  # before it there are windows of a reduced rate
}
#: The day after the last on which the figures are known.
PE_LIMITS = ("2027-01-01", "Os limites são atualizados a cada ano desde 2027, e os de 2027 não foram publicados.")
UNTIL = {("PE", DEATH): PE_LIMITS, ("PE", GIFT): PE_LIMITS}
#: Reasons of a time without a wording: (UF, first day).
GAPS = {
    ("AP", "2025-01-01"): "A Lei 3.149/2024 instituiu alíquotas progressivas (de 2% a 4% na doação), cujas faixas e "
    "método não foram confirmados.",
    ("AM", "2024-12-23"): "O art. 119 da LC 19/1997 foi revogado em 2024-12-23, e as novas alíquotas são exigíveis "
    "desde 2025-03-23: o imposto do intervalo é discutido.",
    ("BA", "2022-01-01"): "As alíquotas anteriores à Lei 14.802/2024 não foram conferidas.",
    ("PB", "2022-01-01"): "As alíquotas anteriores à Lei 12.585/2023, e o início destas, não foram conferidos.",
    ("SC", "2022-01-01"): "Até a Lei 19.053/2024 havia uma faixa de 8% (Lei 13.136/2004, art. 9º, V), cujo alcance não "
    "foi conferido.",
}

#: Citation of a time without a wording that no neighbour has.
GAP_LAWS = {("AP", "2025-01-01"): "Lei 3.149/2024"}

#: A limit that belongs to the next bracket ("inferior a 6.170 UPF"): the last value below it, finer than a cent.
BELOW = {("RO", "6170"): "6169.999999"}

#: Citations that the facts leave short of the article.
CITATIONS = {
    "Lei 400/1997; Decreto 3.601/2000": "Lei 400/1997; Decreto 3.601/2000, art. 8º",
    "Lei 5.529/1989 (red. Lei 8.868/2019)": "Lei 5.529/1989, art. 8º (redação da Lei 8.868/2019)",
    "Lei 1.810/1997 art. 129": "Lei 1.810/1997, art. 129 (redação da Lei 4.759/2015)",
    "Lei 1.287/2001 arts. 55 I e 61 (red. Lei 3.019/2015)":
        "Lei 1.287/2001, arts. 55, I, e 61 (redação da Lei 3.019/2015)",
    "Lei 8.821/1989 art. 18 par. 1": "Lei 8.821/1989, art. 18, § 1º (redação da Lei 14.741/2015)",
    "Lei 8.821/1989 art. 19 par. 1": "Lei 8.821/1989, art. 19, § 1º (redação da Lei 14.741/2015)",
}

ITCMD_REPO = "transcrição da lei no repositório Apmaranca/ITCMD"
PARTILHA = "repositório Equipe-Partilhamais/partilhamais-shared"
READ_IN = {
    "AC": f"LC 373/2020 na página da Sefaz/AC (sefaz.ac.gov.br, p=5118), citada no {PARTILHA}",
    "AL": f"Lei 9.440/2024 no sistema da Assembleia Legislativa de Alagoas, citada no {PARTILHA}",
    "BA": f"{ITCMD_REPO}; {PARTILHA}",
    "GO": f"{PARTILHA}, que leu o texto oficial em 09/2026",
    "MG": "Lei 14.941/2003, arts. 3º e 10, em legjur.com, e RITCD/MG, art. 6º, em jurishand.com",
    "MS": "Lei 4.759/2015 na base de legislação do Estado de Mato Grosso do Sul",
    "MT": f"{ITCMD_REPO}; sistema da GIA-ITCD (repositório Andreavw71/Gia-ITCD)",
    "PA": f"{ITCMD_REPO}; {PARTILHA}",
    "RJ": f"{PARTILHA}; {ITCMD_REPO}",
    "RO": f"{ITCMD_REPO} (o limite 6169.999999 escreve \"inferior a 6.170 UPF\": com esse valor a alíquota já é 4%)",
    "RS": f"página da Receita Estadual do Rio Grande do Sul sobre o cálculo do ITCD, citada no {PARTILHA}",
    "SC": f"{ITCMD_REPO}; Lei 18.831/2024 em legisweb.com.br; Lei 19.053/2024 em leis.alesc.sc.gov.br",
    "SE": "calculadora pública que cita o dispositivo de cada período",
    "TO": "Lei 1.287/2001 consolidada pela Sefaz/TO (repositório smart63labs/nova_tea)",
}
SPECIFIC = {("PE", "2026-01-01"): "LC 563/2025, arts. 20 e 27 e Anexo 3, em levantamento público de 06/10/2026"}
