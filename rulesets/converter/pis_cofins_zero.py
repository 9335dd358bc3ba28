"""PIS and COFINS at zero by law, and what LC 224/2025 makes of it from 2026-04-01 on.

The law charges 10% of the standard rate on most zero rates: a rule for each ordinary regime. Where its reach is partial
or was not established, the figure is null.
"""

import re
from fractions import Fraction

from bundle import rate
from pis_cofins_regime import END, LC_224, STANDARD, START, Regime, always, current, reduced, unknown, zero

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
