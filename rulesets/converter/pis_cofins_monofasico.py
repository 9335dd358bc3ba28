"""PIS and COFINS of one phase: medicines, hygiene, vehicles and machines, car parts, tyres, drinks and fuels.

Fuels are not answered from 2026-08-27 on: LC 235/2026 changed them and was not read.
"""

import re
from fractions import Fraction

from bundle import BundleError, rate
from pis_cofins_regime import END, START, Regime, always, by_buyer, current, marker, single_phase, unknown

LC_235 = "2026-08-27"
ETHANOL_REFORM = "2025-05-01"

USED = "Não se aplica a produto usado (Lei nº 10.485/2002, art. 6º)."
NOT_READ_FUEL = (
    "A LC nº 235/2026, de 2026-08-27, alterou os tributos federais sobre combustíveis e não foi conferida: não há "
    "figura segura desde essa data."
)
FUEL_REASON = (
    "O produtor ou importador pode optar pelo regime especial por unidade de medida (Lei nº 10.865/2004, art. 23; "
    "Lei nº 11.116/2005, art. 4º), cujas alíquotas variam por decreto; a operação informada não traz a opção, e a "
    "alíquota ad valorem sozinha não decide."
)
BUYER_REASON = (
    "Na venda a fabricante de veículos, máquinas ou autopeças a alíquota é de 1,65% (PIS) e 7,60% (COFINS); na venda "
    "a atacadista, 2,30% e 10,80%: o valor \"demais\" de venda_a não os distingue (Lei nº 10.485/2002, art. 3º, I e "
    "II)."
)


def pharmacy_and_hygiene(rows):
    """Law 10.147/2000; the codes whose successors were not confirmed get no figure."""
    pharmacy = [row for row in rows if row["descricao"] == "produtos farmacêuticos"]
    sure = [code for row in pharmacy if "CONFERIR" not in row["ncm_vigente_equivalente"] for code in current(row)]
    exceptions = [row["excecoes_ncm"] for row in pharmacy if row["excecoes_ncm"]]
    hygiene = [row for row in rows if row["descricao"] == "perfumaria, toucador e higiene"]
    yield Regime("monofasico-farmaceuticos", sure, "Lei nº 10.147/2000, arts. 1º, I, a, e 2º",
                 always(single_phase(("2.10", "9.90"))), exceto=exceptions)
    yield Regime("farmaceuticos-3002-a-confirmar", ["300249", "300251", "300259", "300290"],
                 "Lei nº 10.147/2000, art. 1º, I, a; Lei nº 10.925/2004, art. 1º, VI",
                 always(unknown, "A lei cita códigos extintos (3002.90.20, 3002.90.92, 3002.90.99) e a sucessão na "
                                 "NCM vigente não foi confirmada: o produto pode ser farmacêutico monofásico, "
                                 "inoculante agrícola ou de tributação ordinária."))
    yield Regime("monofasico-perfumaria-higiene", [code for row in hygiene for code in current(row)],
                 "Lei nº 10.147/2000, arts. 1º, I, b, e 2º", always(single_phase(("2.20", "10.30"))))
    if {(row["aliquota_pis"], row["aliquota_cofins"]) for row in pharmacy} != {("2.10", "9.90")} or {
            (row["aliquota_pis"], row["aliquota_cofins"]) for row in hygiene} != {("2.20", "10.30")}:
        raise BundleError("pis_cofins: rates of Law 10.147/2000 changed")


def after_reduction(percents, cut):
    """The rate on the full base that equals `percents` on a base reduced by `cut` percent."""
    left = 1 - Fraction(cut) / 100
    return tuple(rate(Fraction(percent) * left) for percent in percents)


def machines(rows):
    """Law 10.485/2002, art. 1: where the reduced base is certain, its effective rate; where not, no figure."""
    percents = ("2.00", "9.60")
    citation = "Lei nº 10.485/2002, arts. 1º e 3º, § 2º, II"
    effective = after_reduction(percents, "48.1")
    members = {row["ncm"]: row for row in rows if row["descricao"] == "máquinas, implementos e veículos"}
    certain = ["8429", "8701", "8705", "870410", "84324", "843280", "84332", "84333", "84334", "84335"]
    plain = ["8702", "8703"]
    doubtful = sorted({code for ncm, row in members.items() for code in current(row)
                       if ncm not in (*certain, *plain)})
    expected = {"7309", "731029", "76129012", "842482", "84306990", "8432", "8433", "8434", "8435", "8436", "8437",
                "8704", "8706", "87162000"}
    if set(doubtful) != expected:
        raise BundleError(f"pis_cofins: machines without a decision {set(doubtful) ^ expected}")
    yield Regime("monofasico-maquinas-base-reduzida", certain, citation, always(single_phase(effective)),
                 avisos=["Alíquota efetiva: 2,00% (PIS) e 9,60% (COFINS) sobre a base reduzida em 48,1% (Lei nº "
                         "10.485/2002, art. 1º, § 2º, II).", USED])
    yield Regime("monofasico-veiculos", plain, citation, always(single_phase(percents)), avisos=[USED])
    yield Regime("monofasico-8702-ex02", ["8702"], citation, always(
        single_phase(None), "A base reduzida em 48,1% alcança o Ex 02 dos códigos citados na lei; a extensão aos "
                            "códigos atuais da posição 87.02 não foi confirmada."), ex="02", avisos=[USED])
    yield Regime("monofasico-maquinas-a-confirmar", [code for code in doubtful if code not in ("8704", "8706")],
                 citation, always(single_phase(None),
                                  "A redução da base em 48,1% (Lei nº 10.485/2002, art. 1º, § 2º, II) depende da "
                                  "lista dada pela Lei nº 12.973/2014, art. 103, não conferida para este código."),
                 avisos=[USED])
    yield Regime("monofasico-8704", ["8704"], citation, always(
        single_phase(None), "Caminhões chassi com carga útil de 1.800 kg ou mais e monobloco de 1.500 kg ou mais têm "
                            "a base reduzida em 30,2% (Lei nº 10.485/2002, art. 1º, § 2º, I): a carga útil não "
                            "consta da operação informada."), avisos=[USED])
    yield Regime("monofasico-8706", ["8706"], "Lei nº 10.485/2002, arts. 1º e 3º e Anexo I", always(
        single_phase(None), "A posição 87.06 consta do art. 1º (2,00% e 9,60%, com base reduzida no Ex 01 do código "
                            "8706.00.10) e do Anexo I (autopeças, conforme o comprador): o código não decide qual se "
                            "aplica."), avisos=[USED])


def auto_parts(rows):
    """Law 10.485/2002, art. 3: Annex I by buyer; Annex II, and the items that are part of a code, by destination."""
    parts = [row for row in rows if row["descricao"].startswith("autopeças") and row["venda_a"] == "fabricante"]
    annex_1 = [row for row in parts if "Anexo II" not in row["fonte_legal"]]
    whole = [code for row in annex_1 if not row["ex"] and row["ncm"] != "870600" for code in current(row)]
    partial = sorted({code for row in annex_1 if row["ex"] for code in current(row)})
    yield Regime("monofasico-autopecas-anexo-i", whole, "Lei nº 10.485/2002, art. 3º, I, II e § 2º, I, e Anexo I",
                 always(by_buyer(("2.30", "10.80"), None), BUYER_REASON), avisos=[USED])
    for code in partial:
        yield Regime(f"autopropulsado-{code}", [code], "Lei nº 10.485/2002, art. 3º e Anexo I", always(marker(
            "Só parte do código é autopeça: o Ex descrito no Anexo I da própria lei, que não é o Ex da TIPI.")))
    for row in parts:
        if "Anexo II" in row["fonte_legal"]:
            item = re.search(r"item [0-9]+", row["fonte_legal"]).group()
            text = row["condicao"][0].upper() + row["condicao"][1:].replace("AUTOPROPULSADOS", "autopropulsados")
            listed = re.sub(r"(?<=[0-9]);(?=[0-9])", ", ", text)
            yield Regime(f"autopropulsado-{row['ncm']}", current(row),
                         f"Lei nº 10.485/2002, art. 3º e Anexo II, {item}", always(marker(listed + ".")))


def tyres_and_drinks(rows):
    tyres = [row["ncm"] for row in rows if row["descricao"] == "pneus novos e câmaras de ar"]
    yield Regime("monofasico-pneus", tyres, "Lei nº 10.485/2002, art. 5º", always(single_phase(("2.00", "9.50"))),
                 avisos=[USED, "Pneus e câmaras de ar de bicicleta (4011.50.00 e 4013.20.00) de fabricante da Zona "
                               "Franca de Manaus com PPB e borracha natural da região Norte: alíquota zero (Lei nº "
                               "13.097/2015, art. 147)."])
    citation = "Lei nº 13.097/2015, arts. 14, 17, 25 e 28"
    general = always(by_buyer(("1.86", "8.54"), ("2.32", "10.68")))
    resale = ("A alíquota zero da revenda não alcança quem industrializa, importa ou é equiparado (Lei nº "
              "13.097/2015, art. 18).")
    small = ("Cervejas e chopes especiais de quem produziu até 10 milhões de litros no ano anterior têm alíquotas "
             "menores (Lei nº 13.097/2015, art. 26 e Anexo II; Decreto nº 8.442/2015).")
    scope = ("Das posições 22.01 e 22.02, só água, refrigerante, chá, refresco, cerveja sem álcool, repositor "
             "hidroeletrolítico, energético e composto líquido pronto (Lei nº 13.097/2015, art. 14, parágrafo "
             "único).")
    yield Regime("monofasico-bebidas-2203", ["2203"], citation, general, avisos=[resale, small])
    yield Regime("monofasico-bebidas-22-01-02", ["2201", "220210"], citation, general, avisos=[resale, scope])
    yield Regime("monofasico-bebidas-220291", ["220291"], citation, general, avisos=[resale, small])
    yield Regime("monofasico-bebidas-21069010-ex02", ["21069010"], citation, general, ex="02", avisos=[resale])
    yield Regime("bebidas-220299-a-confirmar", ["220299"], citation, always(
        unknown, "O código reúne bebidas do regime da Lei nº 13.097/2015 (chás, refrescos, repositores, energéticos) "
                 "e outras que não estão nele: o NCM sozinho não decide."))
    for ex in ("01", "02"):
        yield Regime(f"aguas-22011000-ex{ex}", ["22011000"], citation, always(
            unknown, f"O Ex {ex} do código 2201.10.00 está fora do regime de bebidas frias (Lei nº 13.097/2015, art. "
                     "14, II), e o tratamento que lhe cabe não foi conferido."), ex=ex)
    check_rates(rows, "bebidas frias", {("2.32", "10.68"), ("1.86", "8.54"), ("0", "0")})
    check_rates(rows, "pneus novos", {("2.00", "9.50"), ("0", "0")})
    check_rates(rows, "autopeças", {("1.65", "7.60"), ("2.30", "10.80"), ("0", "0")})


def check_rates(rows, description, expected):
    found = {(row["aliquota_pis"], row["aliquota_cofins"]) for row in rows if row["descricao"].startswith(description)}
    if not found <= expected:
        raise BundleError(f"pis_cofins: unexpected rates of {description}: {found - expected}")


def fuels():
    """No figure for the maker (two regimes at choice), nothing at all since LC 235/2026."""
    closed = (LC_235, END, unknown, NOT_READ_FUEL)
    open_until = (START, LC_235, single_phase(None), FUEL_REASON)
    resale = ("A alíquota zero de distribuidores e comerciantes varejistas não alcança a venda de produto importado "
              "(MP nº 2.158-35/2001, art. 42, parágrafo único).")
    yield Regime("monofasico-combustiveis", ["27101259", "27101921", "27111910"],
                 "Lei nº 9.718/1998, art. 4º, I a III; MP nº 2.158-35/2001, art. 42, I", open_until, closed,
                 avisos=[resale])
    yield Regime("monofasico-querosene-aviacao", ["27101911"], "Lei nº 10.560/2002, art. 2º", open_until, closed)
    yield Regime("monofasico-biodiesel", ["38260000"], "Lei nº 11.116/2005, arts. 3º e 4º", open_until, closed)
    distributor = (START, ETHANOL_REFORM, single_phase(None),
                   "Até 2025-04-30 o produtor, o distribuidor e o varejista de etanol tinham alíquotas diferentes "
                   "(Lei nº 9.718/1998, art. 5º, redação anterior), que papel_na_cadeia não distingue.")
    reform = (ETHANOL_REFORM, LC_235, single_phase(None), FUEL_REASON)
    citation = "Lei nº 9.718/1998, art. 5º (redação da LC nº 214/2025 desde 2025-05-01)"
    yield Regime("monofasico-etanol", ["220710", "2207201"], citation, distributor, reform, closed)
    yield Regime("monofasico-etanol-22089000-ex01", ["22089000"], citation, distributor, reform, closed, ex="01")


def motorcycles():
    yield Regime("substituicao-8711", ["8711"], "MP nº 2.158-35/2001, art. 43", always(
        unknown, "O fabricante ou importador de motocicletas recolhe também, por substituição, as contribuições "
                 "devidas pelo comerciante varejista (MP nº 2.158-35/2001, art. 43): cálculo fora do alcance desta "
                 "operação."))
