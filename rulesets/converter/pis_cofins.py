"""PIS and COFINS: the ordinary regimes, and the special regimes of goods that must not get the ordinary rate.

What is decided here, and why:

* Everything starts on 2018-01-01: the older wording of the laws was not read, and one common start leaves no
  period in which a good with a regime of its own would fall through to the ordinary rate.
* Everything ends on 2026-12-31, the last day of both contributions (ADCT, art. 126, II).
* From 2026-04-01 LC 224/2025 charges 10% of the standard rate on most zero rates: a rule for each regime. Where
  its reach is partial or was not established, the figure is null.
* A regime that depends on what the payload does not carry has no figure, unless one side is clearly the common
  case: then the figure stands and the condition travels with every answer (`avisos`).
* Regimes that the tables do not carry are refused by code (`uncollected`): suspensions, exemptions and zero rates that
  depend on the buyer, the seller or the use, and substitution. Their codes come from the laws and from IN RFB
  2.121/2022, which the rules name as their source.
* Fuels are not answered from 2026-08-27 on: LC 235/2026 changed them and was not read.
"""

import re
from fractions import Fraction

from bundle import (Bundle, BundleError, day_after, money, percent_of, rate, read_table,
                    refusal, result, rule)

TAXES = ("pis", "cofins")
START = "2018-01-01"
END = "2027-01-01"
LC_224 = "2026-04-01"
LC_235 = "2026-08-27"
ETHANOL_REFORM = "2025-05-01"

STANDARD = {"nao_cumulativo": ("1.65", "7.60"), "cumulativo": ("0.65", "3.00")}
RESALE = "Incidência monofásica concentrada no fabricante ou importador: alíquota zero na revenda"

LC_224_CITATION = "LC nº 224/2025, art. 4º, § 2º, II, e, e § 4º, I; Decreto nº 12.808/2025"
LC_224_ADVICE = (
    "A LC nº 224/2025, art. 4º, § 8º, ressalva imunidades, Zona Franca de Manaus e áreas de livre comércio, condição "
    "onerosa cumprida até 2025-12-31 e entidades sem fins lucrativos; a ADI 7.920 está pendente."
)
LC_224_PARTIAL = (
    "Desde 2026-04-01 a LC nº 224/2025 (art. 4º, §§ 2º e 8º) alcança parte dos produtos deste código, salvo os que "
    "constam dos Anexos I e XV da LC nº 214/2025: o código sozinho não decide a alíquota."
)
LC_224_OPEN = (
    "Não se apurou se a LC nº 224/2025 (art. 4º, § 2º, I: Demonstrativo de Gastos Tributários da LOA 2026) alcança "
    "este produto desde 2026-04-01."
)
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


NOT_INCLUDED = (
    "Regimes especiais não incluídos, que dependem de quem vende, de quem compra ou do destino: Zona Franca de Manaus "
    "e áreas de livre comércio; drawback, preponderantemente exportadora, Reidi, Repes, Recap, Retid e Padis; "
    "suspensões da cadeia agropecuária (Lei nº 10.925/2004, art. 9º; Lei nº 12.058/2009; Lei nº 12.350/2010); partes "
    "e insumos de aeronaves, embarcações e material de defesa e demais bens com adaptação para pessoas com "
    "deficiência (Lei nº 10.865/2004, art. 28); produtos de uso em saúde do código 3926.90.90 e outros do Decreto nº "
    "6.426/2008; gás natural, carvão e energia elétrica em programas próprios; serviços com alíquota própria."
)
IN_2121 = "IN RFB nº 2.121/2022"


# --- contents: one function of the tax's index (0 PIS, 1 COFINS) each ----------------------------------


def zero(reason):
    return lambda tax: {"tipo": "aliquota_zero", "motivo_zero": reason}


def single_phase(percents):
    return lambda tax: {"tipo": "monofasico", "aliquota": percents and rate(percents[tax]),
                        "motivo_zero_revenda": RESALE}


def by_buyer(retail, others):
    return lambda tax: {
        "tipo": "monofasico",
        "por_comprador": {"varejista_consumidor_final": rate(retail[tax]), "demais": others and rate(others[tax])},
        "motivo_zero_revenda": RESALE,
    }


def marker(description):
    return lambda tax: {"tipo": "marcador_autopropulsado", "descricao": description}


def reduced(percents):
    return lambda tax: {"tipo": "aliquota_reduzida", "aliquota": rate(percents[tax])}


def unknown(tax):
    return {"tipo": "aliquota_reduzida", "aliquota": None}


class Regime:
    """A special regime under one code, with its successive versions, for both contributions."""

    def __init__(self, code, ncm, citation, *versions, exceto=(), ex=None, regime=None, avisos=(), fonte=None):
        self.code, self.ncm, self.citation, self.fonte = code, list(ncm), citation, fonte
        self.versions = versions
        self.exceto, self.ex, self.regime = list(exceto), ex, regime
        self.avisos = list(avisos)

    def scope(self):
        scope = {"ncm": self.ncm}
        if self.exceto:
            scope["ncm_exceto"] = self.exceto
        if self.ex:
            scope["ex"] = self.ex
        if self.regime:
            scope["regime_apuracao"] = [self.regime]
        return scope

    def rules(self, tax, sample):
        for number, (start, end, content, reason) in enumerate(self.versions):
            figures = content(tax)
            examples = worked(TAXES[tax], self, figures, start, sample)
            yield rule(f"{TAXES[tax]}-{self.code}", TAXES[tax], self.scope(), start, end, self.citation, figures,
                       versao=f"1.{number}", avisos=self.avisos, fonte=self.fonte,
                       motivo=reason if None in flat(figures) else None, exemplos=examples)


def flat(value):
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in flat(item)]
    return [value]


def worked(tributo, regime, figures, start, sample):
    """Examples for one version: base 820.00 = 1000.00 of revenue less 180.00 of ICMS."""
    payload = {"tributo": tributo, "regime_apuracao": regime.regime or "nao_cumulativo", "ncm": sample}
    if regime.ex:
        payload["ex"] = regime.ex
    payload |= {"valor_operacao": "1000.00", "valor_icms_destacado": "180.00", "data_operacao": start}
    kind = figures["tipo"]
    if kind == "aliquota_zero":
        return [result(payload, "0.00", situacao="aliquota_zero")]
    if kind == "marcador_autopropulsado":
        return [refusal(payload, "destinacao_autopropulsado"),
                refusal(payload | {"destinacao_autopropulsado": True}, "destinacao_autopropulsado")]
    if kind == "aliquota_reduzida":
        if figures["aliquota"] is None:
            return [refusal(payload, "regra_sem_conteudo")]
        return [result(payload, money(percent_of("820.00", figures["aliquota"])), situacao="tributado")]
    maker = payload | {"papel_na_cadeia": "fabricante_importador"}
    shown = [result(payload | {"papel_na_cadeia": "revenda"}, "0.00", situacao="monofasico_revenda"),
             refusal(payload, "papel_na_cadeia_ausente")]
    if "por_comprador" in figures:
        buyers = figures["por_comprador"].items()
        return [*(maker_example(maker | {"venda_a": buyer}, percent) for buyer, percent in buyers), *shown,
                refusal(maker, "venda_a_ausente")]
    return [maker_example(maker, figures["aliquota"]), *shown]


def maker_example(payload, percent):
    if percent is None:
        return refusal(payload, "regra_sem_conteudo")
    return result(payload, money(percent_of("820.00", percent)), situacao="tributado")


# --- the ordinary regimes ------------------------------------------------------------------------------


def ordinary(rows):
    bundle = Bundle("federal-pis-cofins", "PIS e COFINS: regimes ordinários, cumulativo e não cumulativo.")
    for row in rows:
        if row["regime"] not in STANDARD:
            continue
        tributo, percent = row["tributo"].lower(), rate(row["aliquota"])
        if percent != STANDARD[row["regime"]][TAXES.index(tributo)]:
            raise BundleError(f"pis_cofins: standard rate of {tributo} {row['regime']} is not {percent}")
        payload = {"tributo": tributo, "regime_apuracao": row["regime"], "valor_operacao": "1000.00"}
        advice = [NOT_INCLUDED]
        if row["regime"] == "nao_cumulativo":
            advice += ["Receitas financeiras têm alíquotas próprias, 0,65% de PIS e 4% de COFINS (Decreto nº "
                       "8.426/2015, art. 1º); pessoas jurídicas e receitas excluídas do regime: Lei nº 10.637/2002, "
                       "art. 8º, e Lei nº 10.833/2003, art. 10."]
        bundle.add(rule(
            f"{tributo}-{row['regime'].replace('_', '-')}", tributo, {"regime_apuracao": [row["regime"]]},
            max(row["vigente_de"], START), day_after(row["vigente_ate"]), row["fonte_legal"],
            {"tipo": "ordinario", "aliquota": percent}, avisos=advice,
            fonte=f"Alíquota vigente desde {row['vigente_de']}; redação anterior a {START} não conferida.",
            exemplos=[
                result(payload | {"valor_icms_destacado": "180.00", "data_operacao": "2026-03-10"},
                       money(percent_of("820.00", percent)), situacao="tributado"),
                result(payload | {"valor_icms_destacado": "0.00", "data_operacao": "2026-12-31"},
                       money(percent_of("1000.00", percent)), situacao="tributado"),
            ]))
    return bundle


# --- single-phase regimes ------------------------------------------------------------------------------


def current(row):
    """The codes in force for a row: the law may cite codes that no longer exist."""
    return row["ncm_vigente_equivalente"].split(";") if row["ncm_vigente_equivalente"] else [row["ncm"]]


def always(content, reason=None):
    return (START, END, content, reason)


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


# --- zero rates ----------------------------------------------------------------------------------------

#: Rows whose condition leaves most of the code outside: no figure. The reason names the condition.
NARROW = {
    "1209": "só sementes que atendem à Lei nº 10.711/2003",
    "0602": "só mudas que atendem à Lei nº 10.711/2003",
    "110419": "só grãos de milho",
    "040410": "só soro de leite fluido",
    "02109900": "só carne de frango",
}

#: Rows whose condition is the common case of the code: the figure stands, the condition is told.
ADVICE = {
    "31": "Não alcança os produtos de uso veterinário (Lei nº 10.925/2004, art. 1º, I).",
    "3808": "Só defensivos agropecuários (Lei nº 10.925/2004, art. 1º, II); saneantes domésticos seguem a tributação "
            "ordinária.",
    "0401": "Só leite destinado ao consumo humano ou à industrialização para consumo humano (Lei nº 10.925/2004, "
            "art. 1º, XI).",
    "0402": "Só leite em pó, bebidas e compostos lácteos destinados ao consumo humano ou à industrialização para "
            "consumo humano (Lei nº 10.925/2004, art. 1º, XI).",
    "0403": "Só leite fermentado, bebidas e compostos lácteos destinados ao consumo humano ou à industrialização "
            "para consumo humano (Lei nº 10.925/2004, art. 1º, XI).",
    "19011010": "Só fórmulas infantis, conforme a legislação específica (Lei nº 10.925/2004, art. 1º, XI).",
    "02068000": "Só miudezas de ovinos e caprinos (Lei nº 10.925/2004, art. 1º, XIX, c).",
    "4901": "Só livros, na definição da Lei nº 10.753/2003, art. 2º.",
}

#: Codes that replace what a row names too broadly, each with the reason why the remainder has no figure.
SPLIT = {
    "25": ([], ["2520", "2521"],
           "Só o corretivo de solo do Capítulo 25 tem alíquota zero (Lei nº 10.925/2004, art. 1º, IV); gesso e "
           "calcário servem também a outros usos."),
    "0406": (["04061010"], ["04061090", "040620", "040630", "040640", "040690"],
             "Só os queijos que a lei nomeia (mozarela, minas, prato, coalho, ricota, requeijão, provolone, "
             "parmesão, fresco não maturado e do reino) têm alíquota zero (Lei nº 10.925/2004, art. 1º, XII)."),
    "0511": (["05111000"], ["051199"],
             "Só sêmens e embriões têm alíquota zero (Lei nº 10.865/2004, art. 28, V)."),
}

EXCEPTED = {"0302": ["03029"]}

#: Prefixes inside a heading kept at zero by LC 224/2025 that the basic basket leaves out (LC 214/2025, Annex I).
OUT_OF_BASKET = {"0207", "0302", "0303", "0304"}


def zero_rates(rows, basket):
    groups = {}
    for row in rows:
        if row["papel"] == "todos" and row["ncm"] != "30029099":
            groups.setdefault(zero_key(row), []).append(row)
    for (code, citation, reach, narrow, ex), members in groups.items():
        ncm = [prefix for row in members for prefix in current(row)]
        text = members[0]["descricao"].split(" (")[0]
        advice = [ADVICE[row["ncm"]] for row in members if row["ncm"] in ADVICE]
        if narrow:
            condition = "; ".join(NARROW[row["ncm"]] for row in members)
            yield Regime(code, ncm, citation, always(
                unknown, f"A alíquota zero alcança {condition}: o código sozinho não decide."))
            continue
        if members[0]["ncm"] in SPLIT:
            ncm, rest, reason = SPLIT[members[0]["ncm"]]
            yield Regime(f"{code}-condicionado", rest, citation, always(unknown, reason))
            if not ncm:
                continue
        exceto = [prefix for row in members for prefix in EXCEPTED.get(row["ncm"], ())]
        yield from zero_regimes(code, ncm, citation, reach, ex, advice, exceto, f"{text}: {citation}")
    yield from out_of_basket(basket)


def zero_key(row):
    law = re.match(r"Lei nº ([0-9.]+)/[0-9]{4}, art\. ([0-9]+)º?, ([IVXL]+)(?:, ([a-z]))?", row["fonte_legal"])
    number, _, item, letter = law.groups()
    name = "-".join(filter(None, ("zero-lei" + number.replace(".", ""), item.lower(), letter)))
    reach = row["lc224_2025"].split("_")[0]
    narrow = row["ncm"] in NARROW
    suffix = {"alcancada": "-lc224", "parcial": "-parcial", "indeterminada": "", "nao": ""}[reach]
    if narrow:
        suffix += "-condicionado"
    if row["ncm"] in ("4901", "0511", "8802", "07", "08", "0407", "1209", "0602", "02109900"):
        suffix += f"-{row['ncm']}"
    if row["ex"]:
        suffix += f"-ex{row['ex']}"
    return name + suffix, row["fonte_legal"], reach, narrow, row["ex"]


def zero_regimes(code, ncm, citation, reach, ex, advice, exceto, reason):
    """A zero rate and what LC 224/2025 makes of it from April 2026 on."""
    shared = {"ex": ex, "exceto": exceto}
    if reach == "nao":
        yield Regime(code, ncm, citation, always(zero(reason)), avisos=advice, **shared)
    elif reach == "alcancada":
        yield Regime(code, ncm, citation, (START, LC_224, zero(reason), None), avisos=advice, **shared)
        for regime, percents in STANDARD.items():
            tenth = tuple(rate(Fraction(percent) / 10) for percent in percents)
            yield Regime(f"{code}-{regime.replace('_', '-')}", ncm, f"{citation}; {LC_224_CITATION}",
                         (LC_224, END, reduced(tenth), None), regime=regime, avisos=[*advice, LC_224_ADVICE], **shared)
    else:
        doubt = LC_224_PARTIAL if reach == "parcial" else LC_224_OPEN
        yield Regime(code, ncm, citation, (START, LC_224, zero(reason), None), (LC_224, END, unknown, doubt),
                     avisos=advice, **shared)


def out_of_basket(basket):
    prefixes = sorted({prefix for row in basket if row["anexo"] == "Anexo I" and row["codigo"] in OUT_OF_BASKET
                       for prefix in row["excecoes"].split(";")} - {"03029"})
    yield Regime("zero-lei10925-fora-da-cesta", prefixes,
                 "Lei nº 10.925/2004, art. 1º, XIX e XX; LC nº 224/2025, art. 4º, § 8º; LC nº 214/2025, Anexo I",
                 (LC_224, END, unknown, LC_224_PARTIAL))


# --- regimes that the tables do not carry --------------------------------------------------------------

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


# --- the bundle ----------------------------------------------------------------------------------------


def samples(regimes, catalogue):
    """For each regime, an 8-digit code that no longer prefix of another regime would take from it."""
    prefixes = sorted((prefix, index) for index, regime in enumerate(regimes) for prefix in regime.ncm)
    taken = {}
    for ncm in catalogue:
        matching = [(len(prefix), index) for prefix, index in prefixes if ncm.startswith(prefix)
                    and not any(ncm.startswith(out) for out in regimes[index].exceto)]
        longest = max((size for size, _ in matching), default=0)
        for size, index in matching:
            if size == longest:
                taken.setdefault(index, ncm)
    return taken


def special(rows, basket, catalogue):
    bundle = Bundle("federal-pis-cofins-especial",
                    "PIS e COFINS: regimes especiais por NCM (monofásico, alíquota zero, LC nº 224/2025 e autopeças).")
    regimes = [*pharmacy_and_hygiene(rows), *machines(rows), *auto_parts(rows), *tyres_and_drinks(rows), *fuels(),
               *motorcycles(), *zero_rates(rows, basket), *uncollected(catalogue)]
    check_complete(rows, regimes)
    found = samples(regimes, sorted(catalogue))
    for tax in range(len(TAXES)):
        for index, regime in enumerate(regimes):
            if index not in found:
                raise BundleError(f"pis_cofins: no code in force for {regime.code}")
            bundle.add(*regime.rules(tax, found[index]))
    return bundle


def check_complete(rows, regimes):
    """No code of the source is forgotten: each is in a regime, or was replaced by a decision."""
    published = {prefix for regime in regimes for prefix in regime.ncm}
    replaced = {"2202", "22029100", "870600", *SPLIT, "30029020", "30029092", "30029099"}
    for row in rows:
        if row["ncm"] not in replaced and not set(current(row)) <= published:
            raise BundleError(f"pis_cofins: {row['ncm']} without a regime")


def build(source):
    rows = read_table(source, "federal/pis_cofins_especial.csv")
    basket = read_table(source, "federal/cbs_ibs_reducoes.csv")
    catalogue = {row["ncm"]: row["descricao"] for row in read_table(source, "federal/ncm_vigente.csv")}
    return {
        "federal/pis_cofins.json": ordinary(read_table(source, "federal/pis_cofins_geral.csv")),
        "federal/pis_cofins_especial.json": special(rows, basket, catalogue),
    }
