"""What the modules of one State's bundle share: dates, payloads, the history of the general rate, and wording."""

import re
from fractions import Fraction

from bundle import BundleError, day_after, money, percent_of, rate, read_table, refusal, result
from citacao import ordinal

#: Every rule begins here, or later: one common start leaves no period in which a product that has a rate of its own
#: would fall through to the general one.
START = "2022-01-01"
NEVER = "9999-12-31"
#: Length from which a description of the tables is cut.
CUT = 159
NOT_BEFORE = "Início anterior a 2022-01-01 não conferido."

WORDS = {
    "Convenio": "Convênio", "Resolucao": "Resolução", "Apendice": "Apêndice", "Secao": "Seção", "Unico": "Único",
    "unico": "único", "clausula": "cláusula", "setima": "sétima", "ambito": "âmbito", "aliquota": "alíquota",
    "antecipacao": "antecipação", "denuncia": "denúncia", "cosmeticos": "cosméticos", "operacao": "operação",
    "agua": "água", "descartavel": "descartável", "retornavel": "retornável", "lampadas": "lâmpadas",
    "eletricas": "elétricas", "referencia": "referência", "genericos": "genéricos",
    "par. unico": "parágrafo único", "par.": "§", "SEE 04": "SEE nº 04", "autopecas": "autopeças",
}


def cite(text):
    """A citation with the accents and commas that a source left out."""
    for plain, proper in WORDS.items():
        text = re.sub(rf"(?<![A-Za-zÀ-ÿ]){re.escape(plain)}(?![A-Za-zÀ-ÿ])", proper, text)
    text = re.sub(r"\(red\. (?=da)", "(redação ", text)
    text = re.sub(r"\(red\. (?=Lei|LC|Decreto|Portaria|[0-9])", "(redação de ", text)
    text = re.sub(r"\(redação de (Lei|LC|Portaria)\b", r"(redação da \1", text)
    text = re.sub(r"\(redação de Decreto\b", "(redação do Decreto", text)
    text = re.sub(r"(Lei [0-9.]+/[0-9]{4}) \((?:[A-Z]{2}|CTE/GO)\)", r"\1", text)
    text = re.sub(r"(Lei [0-9]+/[0-9]{4}|Lei [0-9.]+/[0-9]{4}|LC [0-9]+/[0-9]{4}|RICMS/[A-Z]{2}(?: [0-9]{4})?"
                  r"|RCTE|Portaria [^;,]*?[0-9]{4}|Resolução [^;,]*?[0-9]{4}|EC [0-9]+/[0-9]{4}"
                  r"|Decreto [0-9.]+/[0-9]{4})(\)?) (?=arts?\.|Anexo|Livro|Apêndice|cláusula)", r"\1\2, ", text)
    text = re.sub(r"(arts?\. [0-9]+(?:-[A-Z])?) (?=[IVXL]+(?:-A)?\b|§)", r"\1, ", text)
    text = re.sub(r"(\d, [IVXL]+(?:-A)?) (?=[a-z](?:$|[ ;,)]))(?!e )", r"\1, ", text)
    text = re.sub(r"(Anexo [IVXL0-9]+|Livro [IVXL]+|Apêndice [IVXL]+|Seção [IVXL]+|Parte [0-9]+|Subanexo [IVXL]+"
                  r"|Caderno [IVXL]+) (?=Parte|Segmento|segmento|Seção|item|arts?\.|Caderno|Subanexo|Tabela|Apêndice"
                  r"|Anexo)", r"\1, ", text)
    text = re.sub(r"\) (?=[IVXL]+\b)|(?<=[IVXL]) (?=[0-9])|(?<=, a) (?=[0-9])|(?<= [IVXL]) (?=d \()", 
                  lambda found: found.group().replace(" ", ", "), text)
    text = re.sub(r"(Segmento [0-9]+|art\. [0-9]+) (?=âmbito|§)", r"\1, ", text)
    return re.sub(r"(arts?\.|§) ([0-9]+)(?![0-9.º]|-[0-9A-Z])", ordinal, text)


def shortened(text):
    """A description that the source cut inside a word, cut at the word before."""
    text = text.strip()
    return text if len(text) < CUT else text.rsplit(" ", 1)[0].rstrip(" ,;(") + "…"


def goods(text):
    """What a rule says of its goods, without the source's notes on validity, cut at a word where it was cut."""
    for plain, proper in WORDS.items():
        text = re.sub(rf"(?<![A-Za-zÀ-ÿ]){re.escape(plain)}(?![A-Za-zÀ-ÿ])", proper, text)
    text = re.sub(r" \(vigência a partir[^)]*\)?\.?", "", text).replace("_", "").strip()
    if len(text) >= CUT:
        return shortened(text)
    text = text.rstrip(".").replace("( ", "(")
    return text[:1].upper() + text[1:]


def rows_of(source, name, uf, column="uf"):
    return [row for row in read_table(source, f"estadual/{name}.csv") if row[column] == uf]


def history(source, uf):
    """The general rate of a State as (first day, first day after or None, row), from `START` on, without a gap."""
    periods = []
    for row in rows_of(source, "icms_interno", uf):
        start, end = max(row["vigente_de"], START), day_after(row["vigente_ate"])
        if end is None or end > START:
            periods.append((start, end, row))
    if not periods or periods[0][0] != START or periods[-1][1] is not None:
        raise BundleError(f"icms {uf}: the general rate does not cover the time from {START}")
    for (_, end, _), (start, _, _) in zip(periods, periods[1:]):
        if end != start:
            raise BundleError(f"icms {uf}: gap in the general rate at {start}")
    return periods


def overlap(start, end, other_start, other_end):
    """The common days of two periods, or None."""
    first, last = max(start, other_start), min(end or NEVER, other_end or NEVER)
    return (first, None if last == NEVER else last) if first < last else None


def payload(uf, day, ncm=None, **extra):
    code = {"ncm": ncm} if ncm else {}
    return {"tributo": "icms", "uf_origem": uf, "uf_destino": uf, **code, "valor_produto": "1000.00",
            "data_operacao": day, **extra}


def icms_example(uf, day, figures, ncm=None, **extra):
    """A sale of 1000.00 inside the State, with what `figures` make of it."""
    asked = payload(uf, day, ncm, **extra)
    if figures.get("isento"):
        return result(asked, "0.00", isento=True)
    if None in figures.values():
        return refusal(asked, "regra_sem_conteudo")
    operation = Fraction("1000") + sum(Fraction(extra.get(name, "0")) for name in ("frete", "despesas"))
    base = operation
    if "reducao_base" in figures:
        base = operation - percent_of(operation, figures["reducao_base"])
    if "carga_efetiva" in figures:
        base = operation * Fraction(figures["carga_efetiva"]) / Fraction(figures["aliquota"])
    own = Fraction(money(percent_of(base, figures["aliquota"])))
    fund = Fraction(money(percent_of(base, figures.get("fcp", "0"))))
    shown = {"base_calculo": money(base), "aliquota_aplicada": rate(figures["aliquota"]), "valor_icms": money(own)}
    if "fcp" in figures:
        shown["valor_fcp"] = money(fund)
    return result(asked, money(own + fund), **shown)


def group(entries, key):
    """Entries in lists of equal key, in the order in which the keys appear."""
    found = {}
    for entry in entries:
        found.setdefault(key(entry), []).append(entry)
    return found
