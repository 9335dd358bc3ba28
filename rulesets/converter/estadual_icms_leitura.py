"""How the rows of the product tables of the States are read: what one code allows to be said.

The tables carry figures; this module carries what they cannot: which codes are the product that the act names, what is
told in `avisos`, and where the code alone does not decide, so that the figure is null. Keys are (UF, code of the row).
"""

#: Codes that the row's heading exceeds: the codes of the product that the act names.
CODES = {
    ("CE", "0804"): ["080440", "08045020"], ("CE", "0805"): ["080510"], ("CE", "0901"): ["09012100"],
    ("CE", "1102"): ["110220"], ("CE", "1103"): ["110313"], ("CE", "0401"): ["04011010", "04012010"],
    ("CE", "1517"): ["151710"], ("CE", "1512"): ["15122"], ("CE", "3401"): ["34011900"], ("CE", "2501"): ["25010020"],
    ("GO", "1102"): ["110220"], ("GO", "0713"): ["07133"], ("GO", "1515"): ["15152"], ("GO", "2501"): ["25010020"],
    ("BA", "880110"): ["8801"], ("RJ", "07133"): ["07133319"],
}

#: Parts of a row's codes that keep the general rate, because the act excepts them.
EXCEPTED = {
    ("CE", "0302"): ["030213", "030214", "030251", "030252"],
    ("CE", "0303"): ["030311", "030312", "030313", "030363", "030364"],
}

ADVICE = {
    ("PE", "2203"): "Cerveja em embalagem retornável com fécula de mandioca tem alíquota de 18% (Lei 15.730/2016, "
                    "Anexo 1): a condição não consta da operação informada.",
    ("PE", "39232"): "Só sacos plásticos descartáveis do Anexo 1 da Lei 15.730/2016.",
    ("PE", "39241000"): "Só copos descartáveis do Anexo 1 da Lei 15.730/2016.",
    ("PE", "39173229"): "Só canudos do Anexo 1 da Lei 15.730/2016.",
    ("BA", "93"): "Operação com as polícias e as Forças Armadas fica fora dos 38% (Lei 7.014/1996, art. 16, IV).",
    ("TO", "7113"): "Bijuterias não estão no art. 27, I.",
    ("PR", "01"): "Códigos atribuídos ao nome que a lei cita: animais vivos.",
    ("PR", "1905"): "Benefícios da cesta básica paranaense (Lei 14.978/2005) não foram conferidos.",
    ("GO", "1701"): "Há redução de base da cesta básica no Anexo IX do RCTE/GO, não conferida.",
    ("RJ", "1006"): "Só arroz beneficiado ou em casca destinado à alimentação; a abrangência do benefício não foi "
                    "conferida no texto da lei.",
    ("RJ", "07133"): "Só feijão preto: o código reúne outros feijões comuns.",
    ("CE", "0302"): "Ovas, moluscos e crustáceos não estão na redução; salmão, bacalhau e hadoque pagam a alíquota "
                    "geral.",
    ("CE", "0303"): "Ovas, moluscos e crustáceos não estão na redução; salmão, bacalhau e hadoque pagam a alíquota "
                    "geral.",
    ("CE", "0901"): "Café em cápsula paga a alíquota geral.",
    ("CE", "96032100"): "Só escova dental não elétrica.",
    ("CE", "2501"): "Só sal marinho; sal rosa do Himalaia e flor de sal pagam a alíquota geral.",
}

PACKAGE = "Só a água em embalagem {}: a embalagem não consta da operação informada."
#: Rows whose figure covers a part of the code that the payload does not tell apart.
UNDECIDED = {
    ("AC", "22011000"): "Água mineral paga 25%, salvo em embalagem retornável de 10 litros ou mais: a embalagem não "
                        "consta da operação informada.",
    ("PE", "2207"): "Só o álcool para bebida tem alíquota de 27%; o código reúne outros.",
    ("PE", "8711"): "Só motocicleta de mais de 250 cm³ tem alíquota de 27%: a cilindrada não consta da operação.",
    ("PE", "8802"): "Só ultraleves e asas-delta têm alíquota de 27%; a posição reúne aviões e helicópteros.",
    ("PE", "22011000"): PACKAGE.format("descartável tem alíquota de 22,5%"),
    ("PE", "22029900"): "Só isotônicos e energéticos têm alíquota de 22,5%; o código reúne outras bebidas.",
    ("BA", "22084000"): "Rum paga 25%; aguardente de cana ou simples, do mesmo código, fica fora dos 25% (Lei "
                        "7.014/1996, art. 16, II).",
    ("PR", "8703"): "Só veículo novo sujeito à substituição tributária tem alíquota de 12%: a condição não consta da "
                    "operação informada.",
    ("PR", "8711"): "Só veículo novo sujeito à substituição tributária tem alíquota de 12%: a condição não consta da "
                    "operação informada.",
    ("PR", "1101"): "A lei fixa 12% (art. 14, II), e há notícia de isenção da cesta básica (Lei 14.978/2005), em parte "
                    "só a consumidor final: o alcance não foi conferido.",
    ("PR", "1902"): "A lei fixa 12% (art. 14, II), e há notícia de isenção da cesta básica (Lei 14.978/2005), em parte "
                    "só a consumidor final: o alcance não foi conferido.",
    ("GO", "2203"): "Cerveja com 16% ou mais de fécula de mandioca paga 12%; a das demais, do Anexo I do CTE, não foi "
                    "lida.",
    ("MT", "22071090"): "A lei fixa 17%, com base reduzida a 50% só para o etanol de produção mato-grossense "
                        "credenciada: a condição não consta da operação informada.",
    ("PI", "22071090"): "A carga conhecida (14,9%, e 15,96% desde 2025-04-01) resulta de crédito outorgado, não da "
                        "alíquota da operação.",
    ("CE", "0201"): "Carne bovina tem carga de 7%, salvo cortes nobres listados, maturada e importada, que o código "
                    "não distingue.",
    ("CE", "0202"): "Carne bovina tem carga de 7%, salvo cortes nobres listados, maturada e importada, que o código "
                    "não distingue.",
    ("CE", "0203"): "Carne suína tem carga de 7%, salvo cortes nobres listados, que o código não distingue.",
    ("CE", "0304"): "Pescado tem carga de 7%, salvo salmão, bacalhau e hadoque: parte dos códigos de filés os reúne.",
    ("CE", "3402"): "Sabão em pó e detergente têm carga de 7%; o código reúne outras preparações para lavagem.",
    ("CE", "9619"): "Fraldas têm carga de 7%; o código único reúne absorventes e outros artigos.",
    ("CE", "48025610"): "Só o papel A4 tem carga de 7%: o formato não consta da operação informada.",
    ("CE", "300431"): "Só a insulina NPH tem carga de 7%; o código reúne outras insulinas.",
    ("CE", "3808"): "Só o desinfetante puro tem carga de 7%; a posição reúne inseticidas e outros.",
    ("CE", "22011000"): PACKAGE.format("retornável de 10 a 20 litros tem carga de 7%"),
    ("CE", "8471"): "Só produtos de informática definidos na legislação têm carga de 7%.",
    ("CE", "8712"): "Só bicicleta até 500 UFIRCE tem carga de 7%.",
    ("CE", "650610"): "Só capacete para motocicleta tem carga de 7%; o código reúne outros.",
}
#: What of an undecided heading is refused: the codes of the product that the act names.
UNDECIDED_CODES = {("CE", "3402"): ["34025000"], ("CE", "3808"): ["380894"]}

#: Rows whose goods the general rate answers, with the exception told in its `avisos`, or that another row answers: no
#: rule of their own.
LEFT_OUT = {("PE", "22030000"), ("BA", "880190"), ("CE", "3004"), ("CE", "30049099"),
            *(("DF", code) for code in ("3301", "3302", "3303", "3304", "3305", "3307"))}

#: Rows without code, by the start of the description: codes of the goods named, or None where the general rule tells.
NAMED = {
    ("AC", "joias"): (["3303", "3304", "7113", "7117"], None),
    ("AC", "cervejas sem alcool"): (["22011000", "22021000", "22029100"], None),
    ("AC", "cervejas e chopes"): (["2203"], None),
    ("AC", "fumos"): (["24"], None),
    ("AC", "bebidas alcoolicas"): (["2204", "2205", "2206", "2208"], None),
    ("AC", "produtos da cesta"): None, ("AC", "importacao"): None,
    ("AL", "bebidas alcoolicas"): (["2203", "2204", "2205", "2206", "2208"], None),
    ("SC", "mercadorias destinadas"): None, ("RJ", "cesta basica"): None, ("PR", "alimentos"): None,
    ("PR", "produtos avicolas"): None,
}

#: Whether the fund's addition of the product lists reaches a sale between taxpayers. Where the row itself says
#: `consumidor final` it does not; where the act was not read on this, the addition is null.
REACHES_ALL = {"AL", "BA", "DF", "MS", "PE", "TO"}
#: The rate of the table already holds the two points of the fund, by this law.
INCLUDED = {"PE": "Lei 12.523/2003, art. 2º, I"}
FUND_UNSURE = "Não foi conferido se o adicional de {percent}% do {fund} ({law}) alcança a venda entre contribuintes."
#: Rows without an addition in the tables, though the law once read gave one.
FUND_DOUBT = {
    ("BA", code): "A Lei 8.350/2002 somava dois pontos do fundo de combate à pobreza aos produtos do art. 16, II e IV, "
                  "e a lista atual, de outra fonte, não traz este."
    for code in ("93", "880110", "8903")
} | {("RJ", "2716"): "O adicional do FECP é de 2% e, acima de 300 kWh mensais, de mais dois pontos (LC 210/2023, art. "
                     "2º, IV, redação da LC 217/2023): o consumo não consta da operação informada."}

#: Codes of the fund's list that are narrower than the heading of the row.
FUND_CODES = {("DF", "2202"): ["22029100", "22029900"]}

#: States whose product list was read in the act itself, so that the general rate stands for what it does not name.
LIST_READ = {"PE", "SC", "TO"}
#: Goods that the States use to tax above the general rate, or with an addition; refused where their list was not read.
NOT_READ = {
    "bebidas-alcoolicas": (["2203", "2204", "2205", "2206", "2208"], "bebidas alcoólicas"),
    "fumo": (["24"], "fumo"),
    "armas-e-municoes": (["93"], "armas e munições"),
    "perfumes-e-cosmeticos": (["3303", "3304", "3305", "3307"], "perfumes e cosméticos"),
    "joias": (["7113"], "joias"),
    "embarcacoes-de-recreio": (["8903"], "embarcações de recreio"),
}
NOT_READ_REASON = ("A tributação de {goods} no Estado não foi lida: costuma ter alíquota acima da geral ou adicional "
                   "de fundo de combate à pobreza, e a alíquota geral não é aplicada por presunção.")

#: UF -> what an answer of the general rule tells besides.
GENERAL_ADVICE = {
    "AC": ["Produtos da cesta básica definidos no regulamento pagam 17% (LC 55/1997, art. 18, X), e a importação por "
           "remessa postal ou expressa, 20% desde 2025-04-01 (LC 481/2024): os itens não foram coletados."],
    "AL": ["As exceções legais ao adicional de 1% do FECOEP (Lei 6.558/2004, art. 2º-A) não foram coletadas."],
    "CE": ["Dipirona e ácido acetilsalicílico têm carga de 7% (genéricos) ou 12% (de referência), e soro fisiológico, "
           "de 7% (Lei 18.665/2023, art. 61): a operação informada não os distingue dos demais medicamentos.",
           "Há carga líquida para atacadistas e outros regimes do Estado, não conferidos; a redução da cesta básica "
           "(Lei 18.665/2023, art. 61) só responde nos códigos coletados."],
    "PR": ["Produtos avícolas e agropecuários em estado natural, refeições industriais, máquinas industriais e "
           "agrícolas, tijolo, telha, tubo e manilha, calcário e gesso pagam 12% (Lei 11.580/1996, art. 14, II), e "
           "alimentos para merenda escolar vendidos a órgãos públicos, 7% (art. 14, I): os códigos não foram lidos."],
    "RJ": ["O FECP não incide em gêneros da cesta básica, medicamentos excepcionais, material escolar e outras "
           "exceções (LC 210/2023, arts. 1º e 2º): a lista não foi coletada.",
           "A cesta básica do Estado tem carga de 7% (Decreto 32.161/2002; Lei 4.892/2006): a lista de itens não foi "
           "coletada."],
    "SC": ["Alíquota da mercadoria destinada a contribuinte para comercialização, industrialização ou prestação de "
           "serviço tributado (Lei 10.297/1996, art. 19, III, n). Destinada a uso, consumo ou ativo do adquirente, "
           "ainda que contribuinte, paga 17% (art. 19, I, e § 3º).",
           "Há exceções aos 12% (Lei 10.297/1996, art. 19, § 3º), não lidas por inteiro: indústria com crédito "
           "presumido, entre outras."],
    "SE": ["Na saída a consumidor final soma-se o adicional de 1% do FECOEP, ou 2% nos supérfluos (Lei 4.731/2002, "
           "art. 2º-A; RICMS/SE, art. 40-C); nesta operação, entre contribuintes, ele não é calculado."],
    "MG": ["O FEM de 2% incide na saída a consumidor final de supérfluos (Lei 6.763/1975, art. 12-A), entre eles "
           "celulares, câmeras e rações; nesta operação, entre contribuintes, ele não se aplica."],
}
#: What is doubtful of one period of the general rate: (UF, first day of the row) -> text for `fonte`.
DOUBTS = {
    ("AL", "2023-04-01"): "Vigência contada da lei de 2022-12-20: primeiro dia do quarto mês após a publicação.",
    ("AM", "2023-04-01"): "Uma fonte usa 2023-03-29; a OS 001/2023 fixa 2023-04-01.",
    ("DF", "2024-01-21"): "Noventa dias do DODF de 2023-10-23; há fontes com 2024-01-01 e 2024-01-22.",
    ("MA", "2023-04-01"): "O número da lei de 2022 não foi confirmado.",
    ("TO", "2024-01-01"): "A lei diz 2023-04-01; após a ADI 7375 (STF), a IN GABSEC 9/2023 fixou 2024-01-01.",
    ("RO", "2024-01-12"): "A Lei 5.629/2023 previa 21% e foi superada antes de valer.",
    ("SE", "2023-03-20"): "Vigorou doze dias.",
}

#: Where the product rows of each State were read.
SOURCES = {
    "AC": "Texto da LC 55/1997, art. 18, na redação da LC 422/2022, lido em cópia pública; códigos atribuídos aos "
          "nomes que a lei cita.",
    "AL": "Lei de 2022-12-20 (DOE 2022-12-21), lida em LegisWeb; códigos atribuídos ao nome que a lei cita.",
    "BA": "Tabelas públicas de alíquotas da Bahia (LEFISC e outra), sem data, e Lei 8.350/2002; o art. 16 pode ter "
          "sido alterado pela Lei 14.629/2023.",
    "CE": "Lei 18.665/2023, art. 61, no Diário Oficial de 2023-12-28, e página pública sobre a cesta básica do Ceará; "
          "códigos em parte atribuídos aos nomes que a lei cita.",
    "DF": "Leis 5.548/2015, 5.569/2015 e 6.253/2019 e Lei 1.254/1996, art. 18, em páginas públicas da Secretaria da "
          "Fazenda e de legislação.",
    "ES": "OCA/l10n-brazil (2024-10-24) e tabela pública por UF com citação do artigo.",
    "GO": "Leis 20.944/2020 e 19.930/2017 em páginas públicas de legislação; códigos atribuídos aos nomes que a lei "
          "cita.",
    "MG": "Tabela pública por UF com citação do regulamento.",
    "PE": "Transcrição pública do Anexo 1 da Lei 15.730/2016, na redação da Lei 18.305/2023; o Anexo já soma os dois "
          "pontos do FECEP (Lei 12.523/2003, art. 2º, I).",
    "PR": "Resumo público da Lei 21.308/2022 (2022-12); a Lei 21.850/2023, posterior, mudou a alíquota geral.",
    "RJ": "Leis citadas, em tabela pública por UF; lista de itens não conferida.",
    "RS": "Tabela pública por UF com citação do RICMS/RS, Livro I, art. 27.",
    "SC": "OCA/l10n-brazil (2024-10-24) e tabela pública por UF com citação do artigo.",
    "TO": "Texto oficial da Lei 1.287/2001 em smart63labs/nova_tea (coleta de 2025-12-23); parte dos códigos atribuída "
          "aos nomes que a lei cita.",
}
#: Of the goods that the State's fund adds to, the list was read in a table, and of others there is no list at all.
FUND_SOURCE = "Adicional em tabela pública de 2026, por UF e NCM, com a lei citada; a alíquota do produto não foi lida."
LIST_NOT_READ = ("Ato da alíquota geral, por tabelas públicas do ICMS por UF, entre elas arielassayag/aferir (2026-07-11); a "
                 "lista do Estado para estes produtos não foi lida.")
ETHANOL_SOURCE = ("Vigências em arielassayag/aferir (2026-07-11), conferidas pela própria fonte de 2024-01-01 a "
                  "2025-12-31.")
ETHANOL_ADVICE = "Só etanol hidratado combustível; o código inclui outros álcoois."
#: States whose ethanol rate, as the table gives it, holds the two points of the fund.
ETHANOL_FUND = {"AL", "PE"}
