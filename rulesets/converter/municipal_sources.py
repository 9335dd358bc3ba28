"""The public documents behind the codes of the `fontes` column, as the rules name them in `fonte`."""

from bundle import BundleError

LIST = "repositório público impostbr/impost (lista sem conferência de dispositivo)"

DOCUMENTS = {
    # ISS
    "S01": "LC 107/2017 de Curitiba (tributa.net)",
    "S02": "LC 40/2001 de Curitiba (transcrição em brainscape.com)",
    "S03": "tabela do art. 16 antes e depois da Lei 16.757/2017 (auxadi.com)",
    "S04": "repositório danielbm/resumos (03/2014)",
    "S05": LIST,
    "S06": "programa público que lê o texto oficial do art. 16 e a IN SF/SUREM 19/2021",
    "S07": LIST, "S08": LIST, "S11": LIST, "S13": LIST, "S15": LIST, "S17": LIST, "S18": LIST, "S19": LIST, "S30": LIST,
    "S09": "nota pública sobre o ISS de Curitiba, revista em 01/09/2026",
    "S10": "LC de Curitiba publicada no DOM de 08/12/2017 (legisweb.com.br)",
    "S12": "notícia de GZH de 18/12/2023 sobre o ISS de Porto Alegre",
    "S14": "notas fiscais de serviço de Salvador de 2025 e 2026",
    "S16": "simulador público do ISS fixo de Fortaleza e Canindé, de 2026, que cita os artigos",
    "S20": "cadastros públicos de serviços com a alíquota parametrizada",
    "S21": "cadastro público de serviços por município",
    "S22": "cadastro público de serviços de Osasco",
    "S23": "notícias do Diário do Nordeste (27/11/2025) e do portal IN (28/11/2025)",
    "S24": "Lei 17.064/2004 do Recife (contabeis.com.br)",
    "S25": "lei do Recife publicada em 18/12/2014 (legisweb.com.br)",
    "S32": "Lei 6.307/2017 do Rio de Janeiro (legisweb.com.br)",
    "S31": "LC 59/2003 de Campo Grande, texto de 10/2017 (legisweb.com.br)",
    "S33": "LC 233/2006 de Florianópolis (legisweb.com.br)",
    "S34": "Lei 6.943/2007 de Vitória (legisweb.com.br)",
    "S35": "Lei 6.236/2004 de Vitória (legisweb.com.br)",
    "S36": "LC 34/2001 de Natal (legisweb.com.br)",
    "S37": "tabela do ISS de Salvador, cópia de 2014 (scribd.com)",
    "S38": "nota fiscal do ambiente de testes da Prefeitura de Belo Horizonte, de 10/02/2017",
    "S39": "nota fiscal do ambiente de testes da Prefeitura de Porto Alegre, de 19/03/2019",
    "S40": "NFS-e nacionais do Rio de Janeiro de 30/12/2025 e 02/03/2026",
    "S41": "NFS-e nacional de Belo Horizonte de 22/01/2026",
    # ISS of professionals
    "U01": "porto.adv.br", "U02": "mgarcia.adv.br", "U03": "vieirarezende.com.br", "U04": "pgpsa.com.br",
    "U05": "ibet.com.br", "U12": "tmmadvogados.com.br e cmoreno.com.br",
    "U06": "arabello.com.br (valores de 2024)", "U07": "assejur.com.br (28/01/2010)",
    "U08": "Lei 3.720/2004 do Rio de Janeiro (acamrio.org.br)",
    "U09": "contabeis.com.br (Lei 3.720/2004 do Rio de Janeiro)",
    "U10": "Lei 5.739/2014 do Rio de Janeiro (Câmara Municipal)",
    "U11": "Lei 6.310/2017 do Rio de Janeiro (tributa.net)",
    # IPTU
    "I01": "motor público do IPTU de São Paulo, que leu os arts. 7º-A, 8º-A e 28 e conferiu lançamentos",
    "I02": "programas públicos do IPTU de São Paulo", "I03": "programas públicos do IPTU de São Paulo",
    "I04": "Lei 17.719/2021 consolidada (legislacao.prefeitura.sp.gov.br)",
    "I05": "Lei 18.330/2025 (legislacao.prefeitura.sp.gov.br)", "I06": "g1.globo.com (29/10/2025)",
    "I07": "acgnews.com.br (mudanças da Lei 6.250/2017 no IPTU do Rio de Janeiro)",
    "I09": "Lei 8.291/2001 de Belo Horizonte (informanet.com.br)",
    "I10": "Lei 9.795/2009 de Belo Horizonte (fazenda.pbh.gov.br)",
    "I11": "Lei 9.795/2009 de Belo Horizonte (contabeis.com.br)",
    "I12": "Portaria da Subsecretaria da Receita Municipal de Belo Horizonte de 21/12/2017",
    "I13": "lugardafinancas.com (29/12/2022)",
    "I14": "Decreto 2.458/2023 e LC 136/2022 de Curitiba (normasbrasil.com.br, legisweb.com.br)",
    "I15": "LC 859/2019 de Porto Alegre (tributa.net)",
    "I16": "Lei 8.234/1998 de Fortaleza (normasbrasil.com.br)",
    "I17": "Diário do Nordeste (10/01/2017)",
    "I18": "Decreto 15.601/1994 do Distrito Federal, art. 16 (jurishand.com)",
    "I19": "LC 6/1995 do Distrito Federal (legisweb.com.br)",
    "I20": "entrelinhasgoias.com.br (projeto de 2021)",
    "I21": "Código Tributário do Recife, art. 30 (livrozilla.com)",
    "I22": "Lei 7.633/1998 de Belo Horizonte (normasbrasil.com.br)",
    "I23": "tabela do IPTU da SEFIN de Fortaleza (sefin.fortaleza.ce.gov.br)",
    "I24": "O Povo (07/01/2026)", "I25": "ibandce.com.br (IPTU de Fortaleza, 2026)",
    "I26": "g1.globo.com (30/04/2019, projeto do IPTU de Porto Alegre)",
    "I27": "notícia de 01/2026 com os valores da Secretaria de Fazenda do Rio de Janeiro",
    # ITBI
    "T01": "repositório danielbm/resumos (03/2014)",
    "T02": "página do ITBI da Prefeitura de São Paulo (capital.sp.gov.br)",
    "T03": "lista de terceiros de alíquotas de ITBI", "T13": "lista de capitais em blog.tooseguros.com.br (08/2022)",
    "T04": "Lei 6.250/2017 do Rio de Janeiro (transcrição)",
    "T05": "página do ITBI da Prefeitura de Belo Horizonte (prefeitura.pbh.gov.br)",
    "T06": "lei de Belo Horizonte de 28/06/2023 (legisweb.com.br)",
    "T07": "LC 92/2014 de Curitiba (legisweb.com.br)", "T08": "LC 108/2017 de Curitiba (tributa.net)",
    "T09": "LC 148/2025 de Curitiba (legisweb.com.br)",
    "T10": "elaadvogados.com.br (LC 918/2021 de Porto Alegre)",
    "T11": "jornaldocomercio.com e osul.com.br (11/2021)", "T12": "jornaldocomercio.com (03/2023)",
    "T14": "lista de terceiros de alíquotas de ITBI", "T22": "listas de terceiros de alíquotas de ITBI de Goiás",
    "T15": "Diario de Pernambuco (12/2025)", "T16": "algomais.com", "T17": "JC (11/2025)",
    "T18": "O Povo (04/2024) e LC 387/2023 de Fortaleza (normasbrasil.com.br)",
    "T19": "jornaltaguacei.com.br (25/12/2024)", "T20": "fatoporfato.com.br", "T21": "dfpost.com.br",
    "T23": "oslibertarios.com.br (11/09/2025)",
    "T24": "Decreto 13.490/2025 e LC 265/2025 de Natal (legisweb.com.br, normasbrasil.com.br)",
    "T25": "imovelguide.com.br", "T26": "lista de terceiros de alíquotas de ITBI",
    "T27": "lista de terceiros de alíquotas de ITBI",
    "T28": "cadastro público do ITBI de Juiz de Fora", "T29": "cadastro público do ITBI de Açailândia",
    "T30": "motor público de ITBI conferido em 10/10/2026 nas páginas oficiais das prefeituras",
    "T31": "lista de terceiros de alíquotas de ITBI", "T32": "lista de terceiros de alíquotas de ITBI",
    "T33": "lista de terceiros conferida em 09/2026", "T34": "lista de terceiros de alíquotas de ITBI",
    "T35": "lista de terceiros de alíquotas de ITBI",
}
#: A value that was calculated was read nowhere.
CALCULATED = "cálculo"
#: Sources that list rates without the act; what only they say is said to be so.
LISTS = {"S19", "S30", "T03", "T13", "T14", "T22", "T25", "T26", "T27", "T31", "T32", "T33", "T34", "T35"}


def codes(row):
    return [code for code in row["fontes"].split(";") if code and code != CALCULATED]


def only_listed(row):
    """Whether no source of the row is an act, an official page or a document of its own."""
    return set(codes(row)) <= LISTS


def documents(rows):
    """The documents of these rows, each once, in the order of the rows."""
    named = {}
    for row in rows:
        for code in codes(row):
            if code not in DOCUMENTS:
                raise BundleError(f"{row['municipio']}: source {code} without a document")
            named[DOCUMENTS[code]] = None
    return "; ".join(named)


def read_in(rows, *more, verb="Lido em"):
    """The text of `fonte`: where the rows were read, and what else is to be known of them."""
    names = documents(rows)
    first = f"{verb}: {names}." if names else "Nenhum documento municipal encontrado: só a Constituição Federal e a LC 116/2003."
    return " ".join((first, *filter(None, more)))


def seen_in(rows, *more):
    """The text of `fonte` of a rule without figure."""
    return read_in(rows, *more, verb="Visto em")


#: What stands for the act where a source names none, and what the tax rests on then.
_CONSTITUTION = {"iss": "LC 116/2003, arts. 8º, II, e 8º-A", "iptu": "CF, art. 156, I", "itbi": "CF, art. 156, II"}
_UNNAMED = {
    "Código Tributário municipal": "Código Tributário do Município (número do ato não identificado)",
    "Código Tributário municipal (ITIV)": "Código Tributário do Município (número do ato não identificado)",
    "legislação municipal": "legislação municipal (ato não identificado)",
}
#: Acts that the sources leave unnamed, as found in public collections of law: (tax, municipality) -> act.
_ACTS = {
    ("itbi", "RN", "Natal"): "Lei 3.882/1989 (Código Tributário do Município, ITIV)",
    ("itbi", "AM", "Manaus"): "Lei 459/1998",
    ("itbi", "ES", "Vitória"): "Lei 3.571/1989; Decreto 12.882/2006",
    ("itbi", "SP", "Campinas"): "Lei 12.391/2005",
    ("itbi", "SP", "Guarulhos"): "Lei 3.415/1988",
    ("itbi", "SC", "Florianópolis"): "LC 7/1997, arts. 278 e seguintes (LC 328/2008 e LC 600/2017)",
    ("itbi", "MG", "Juiz de Fora"): "Lei 10.862/2004",
}


def citation(row, tributo):
    """The act of a row; where no act is named, the constitution or the federal law that it rests on comes first."""
    law = row["fonte_legal"]
    if law not in _UNNAMED:
        return law
    act = _ACTS.get((tributo, row["uf"], row["municipio"])) or _UNNAMED[law]
    return f"{_CONSTITUTION[tributo]}; {act}"


def citations(rows, tributo):
    """The acts of several rows, each once."""
    return "; ".join(dict.fromkeys(part for row in rows for part in citation(row, tributo).split("; ")))
