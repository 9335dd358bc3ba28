"""PIS and COFINS regimes that the tables of facts do not carry, refused by code.

Suspensions, exemptions and zero rates that depend on the buyer, the seller or the use, and substitution. Their codes come
from the laws and from IN RFB 2.121/2022, which the rules name as their source.
"""

from pis_cofins_regime import END, IN_2121, LC_224, START, Regime, always, unknown, zero
from pis_cofins_zero import LC_224_OPEN


#: Products for hospitals, clinics, laboratories and public campaigns (Decree 6.426/2008, Annex III), where no other
#: regime has the code; 3926.90.90 is left to the ordinary rate, which tells of it.
HEALTH_GOODS = ["300610", "300640", "300670", "300691", "382211", "382212", "382213", "38221930", "38221990",
                "39269030", "39269040", "39269050", "4015", "901831", "901832", "901839", "901849", "90189095", "90189099"]

#: Wholly devoted codes of Law 10.865/2004, art. 28: code of the rule -> (codes, item of the law).
DISABILITY_GOODS = {
    "xiv": (["8713"], "XIV", "Cadeiras de rodas e outros veículos para pessoas com deficiência"),
    "xv": (["902110"], "XV", "Artigos e aparelhos ortopédicos ou para fraturas"),
    "xvi": (["90213"], "XVI", "Artigos e aparelhos de prótese"),
    "xxii": (["84433222", "871420", "902140", "90219092"], "XXII",
             "Impressoras Braille, partes de cadeiras de rodas e aparelhos para audição"),
}

#: The TIPI's own exceptions (Ex) of art. 28: (NCM, Ex, item of the law, what it is).
DISABILITY_EX = [
    ("84701000", "01", "XXIII", "Calculadoras com sintetizador de voz"),
    ("84716090", "01", "XXVI", "Linhas Braille"),
    ("84719014", "01", "XXVII", "Digitalizadores de imagens com sintetizador de voz"),
    ("84721000", "01", "XXVIII", "Duplicadores Braille"),
    ("84716053", "02", "XXIX", "Acionadores de pressão"),
    ("85258919", "01", "XXX", "Lupas eletrônicas para pessoas com deficiência visual"),
    ("85030090", "01", "XXXVII", "Partes de aerogeradores"),
]

SCRAP = ["3915", "4707", "7001", "7204", "7404", "7503", "7602", "7802", "7902", "8002"]
#: First day of Law 15.394/2026, published on 23 April 2026.
SCRAP_LAW = "2026-04-23"


def uncollected(catalogue):
    yield Regime("cigarros-e-cigarrilhas", ["2402"],
                 "LC nº 70/1991, art. 3º; Lei nº 9.532/1997, art. 53; Lei nº 9.715/1998, art. 5º; Lei nº 10.865/2004, "
                 "art. 29; Lei nº 12.402/2011, art. 6º",
                 always(unknown, "Fabricante e importador de cigarros e cigarrilhas recolhem também, por "
                                 "substituição, as contribuições do comércio, sobre base própria ligada ao preço de "
                                 "varejo: cálculo fora do alcance "
                                 "desta operação."), fonte=f"{IN_2121}, arts. 16, 45 e 501 a 507.")
    yield Regime("suspensao-soja-e-milho", ["1201", "120810", "2304", "230210", "230330"],
                 "Lei nº 12.865/2013, art. 29 (redação da Lei nº 14.943/2024)",
                 always(unknown, "A venda de soja, farinha e farelo de soja e, desde 2024-08-01, farelo de milho e "
                                 "borras de destilaria tem a incidência suspensa; o alcance na venda a consumidor "
                                 "final e o tratamento anterior do milho não foram conferidos."),
                 fonte=f"{IN_2121}, art. 573; texto da Lei nº 14.943/2024 em publicação oficial.")
    yield Regime("suspensao-animais-vivos", ["0102", "0103", "0104", "0105"],
                 "Lei nº 12.058/2009, art. 32; Lei nº 12.350/2010, art. 54, III",
                 always(unknown, "A venda de animais vivos a quem produz carne tem o pagamento suspenso; as demais, "
                                 "não: o comprador não consta da "
                                 "operação informada."), fonte=f"{IN_2121}, arts. 567 e 569.")
    yield Regime("suspensao-cereais-e-cacau", ["1002", "1003", "1004", "1005", "1007", "1008", "1801", "2306"],
                 "Lei nº 10.925/2004, art. 9º; Lei nº 12.350/2010, art. 54, I",
                 always(unknown, "A venda por cerealista, produtor ou cooperativa à agroindústria ou para alimentação "
                                 "animal tem o pagamento suspenso; as demais, não: vendedor e comprador não constam "
                                 "da operação informada."), fonte=f"{IN_2121}, arts. 558 a 560 e 569.")
    yield Regime("suspensao-cana-de-acucar", ["121293"], "Lei nº 11.727/2008, art. 11",
                 always(unknown, "A venda de cana-de-açúcar a produtor de açúcar ou álcool tem o pagamento suspenso: o "
                                 "comprador não consta da operação informada."), fonte=f"{IN_2121}, art. 566.")
    decree = ("Decreto nº 6.426/2008, art. 1º; Lei nº 10.637/2002, art. 2º, § 3º; Lei nº 10.833/2003, art. 2º, § 3º")
    yield Regime("zero-decreto6426-quimicos", ["29"], decree,
                 always(unknown, "No regime não cumulativo, os produtos químicos do Capítulo 29 listados no Decreto nº "
                                 "6.426/2008, por nome, têm alíquota zero, e os intermediários de síntese, conforme o "
                                 "comprador: o código não decide."), regime="nao_cumulativo",
                 fonte=f"{IN_2121}, arts. 157, I e II, e 448, e Anexos III e IV.")
    yield Regime("zero-decreto6426-saude", HEALTH_GOODS, decree,
                 always(unknown, "No regime não cumulativo, o produto tem alíquota zero se destinado a hospitais, "
                                 "clínicas, consultórios, laboratórios de análises ou campanhas públicas de saúde: o "
                                 "destino não consta da operação informada."), regime="nao_cumulativo",
                 fonte=f"{IN_2121}, arts. 157, III, e 458, e Anexo V.")
    for code, (ncm, item, text) in DISABILITY_GOODS.items():
        yield from article_28(code, ncm, item, text)
    for ncm, ex, item, text in DISABILITY_EX:
        yield from article_28(item.lower(), [ncm], item, text, ex)
    yield Regime("zero-lei10865-xxxv-condicionado", ["90219013", "90219019", "90219091", "90219099"],
                 "Lei nº 10.865/2004, art. 28, XXII e XXXV",
                 always(unknown, "Só oclusores e neuroestimuladores com seus acessórios têm alíquota zero, por "
                                 "códigos que mudaram: o código sozinho "
                                 "não decide."), fonte=f"{IN_2121}, art. 76, IX e XXIII.")
    yield Regime("zero-lei10865-projetores-de-cinema", ["90072", "900792"], "Lei nº 10.865/2004, art. 28, XXI",
                 always(unknown, "A alíquota zero dos projetores para exibição cinematográfica e de suas partes tinha "
                                 "prazo, não conferido."), fonte=f"{IN_2121}, art. 80.")
    yield Regime("zero-lei10865-defesa", ["8710", "89061000"], "Lei nº 10.865/2004, art. 28, XI e XII",
                 always(unknown, "O material de defesa tem alíquota zero em condições, de origem e de comprador, que a "
                                 "operação informada não traz."), fonte=f"{IN_2121}, art. 75.")
    yield Regime("zero-lei10865-88061000", ["88061000"], "Lei nº 10.865/2004, art. 28, IV",
                 always(unknown, "O código é posterior à lei; a Receita o inclui entre as aeronaves com alíquota "
                                 "zero, e o alcance da LC nº 224/2025 não "
                                 "foi apurado."), fonte=f"{IN_2121}, art. 71, I.")
    yield Regime("zero-lei10865-vii-21069010-ex01", ["21069010"], "Lei nº 10.865/2004, art. 28, VII",
                 always(unknown, "A preparação composta não alcoólica do Ex 01 tem alíquota zero se vendida a "
                                 "fabricante das bebidas: o comprador não consta da operação informada."), ex="01",
                 fonte=f"{IN_2121}, art. 87.")
    yield Regime("nafta-e-petroquimicos",
                 ["27101241", "271112", "271113", "271114", "27112910", "290121", "290122", "290123", "290124",
                  "290220", "290230", "290241", "290243"],
                 "Lei nº 11.196/2005, arts. 56 e 57; Lei nº 10.336/2001, art. 14",
                 always(unknown, "Nafta, etano, propano, butano e petroquímicos básicos têm alíquotas próprias "
                                 "conforme o comprador e o destino, que mudaram ano a ano e não foram conferidas."),
                 fonte=f"{IN_2121}, arts. 61, 62, 369 e 378.")
    yield Regime("correntes-de-gasolina", ["271012"], "Lei nº 9.718/1998, art. 4º, I",
                 always(unknown, "O código reúne gasolinas e suas correntes, de tributação concentrada, e solventes: o "
                                 "código sozinho não decide."), fonte=f"{IN_2121}, arts. 60, XI, e 332-A.")
    metals = [ncm for ncm, text in catalogue.items() if ncm[:2] == "81" and text.startswith("Desperdícios")]
    scrap_law = "Lei nº 11.196/2005, arts. 47 e 48"
    yield Regime("sucata-e-residuos", [*SCRAP, *metals], f"{scrap_law} (redação da Lei nº 15.394/2026 desde "
                                                         f"{SCRAP_LAW})",
                 (START, SCRAP_LAW, unknown,
                  "A venda de resíduos e aparas a empresa do lucro real tinha a incidência suspensa, em artigos que o "
                  "STF declarou inconstitucionais (RE 607.109, Tema 304), com efeitos no tempo não conferidos."),
                 (SCRAP_LAW, END, unknown,
                  "A venda de resíduos e aparas a empresa do lucro real é isenta (Lei nº 11.196/2005, art. 48, "
                  "redação da Lei nº 15.394/2026); as demais, não: o comprador não consta da operação informada."),
                 fonte="Texto da Lei nº 15.394/2026 no portal da Presidência da República.")


def article_28(code, ncm, item, text, ex=None):
    """A zero rate for the whole code until LC 224/2025, whose reach on art. 28 was not established."""
    citation = f"Lei nº 10.865/2004, art. 28, {item}"
    yield Regime(f"zero-lei10865-{code}" + (f"-{ncm[0]}-ex{ex}" if ex else ""), ncm, citation,
                 (START, LC_224, zero(f"{text}: {citation}"), None), (LC_224, END, unknown, LC_224_OPEN), ex=ex,
                 fonte=f"{IN_2121}, arts. 76 e 101.")
