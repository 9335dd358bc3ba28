"""The rule bundle: how one is built and written.

Everything that every area shares lives here, so that an area module only says what the law says: reading
the source tables, decimals as strings, validity, and the compact table form. The checks that stop a faulty
bundle before it is written are in `checks`; a fault raises `BundleError`, and nothing is repaired silently.
"""

import csv
import json
import re
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path

VERSION = "2026.11.1"

UFS = (
    "AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO"
).split()

#: Names of `conteudo` fields by the kind of figure they hold.
RATE_FIELDS = {
    "aliquota", "fcp", "reducao_base", "carga_efetiva", "aliquota_interestadual", "mva",
    "percentual_pauta", "aliquota_interna", "ajuste", "reducao", "varejista_consumidor_final", "demais",
    "aliquota_propria",
}
AMOUNT_FIELDS = {
    "pauta", "limite", "teto", "ate", "base_presumida", "valor_por_profissional", "parcela_deduzir",
    "limite_financiado", "limite_imovel",
}


class BundleError(Exception):
    """A bundle that must not be written, with the rule at fault in its message."""


def read_table(folder, name):
    """Rows of one source table, in file order, as dictionaries."""
    with open(Path(folder) / name, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def day_after(last_day):
    """The first day on which something no longer holds, from the last on which it did; "" means never."""
    if not last_day:
        return None
    return (date.fromisoformat(last_day) + timedelta(days=1)).isoformat()


def decimal_text(value, places=2):
    """A decimal with at least `places` fraction digits and no more than it needs."""
    exact = Fraction(value)
    number = Decimal(exact.numerator) / Decimal(exact.denominator)
    digits = max(places, -number.normalize().as_tuple().exponent)
    return f"{number:.{digits}f}"


def rate(value):
    """A rate in percent points, as bundles write it: "18.00", "0.165"."""
    return decimal_text(value)


def money(value):
    """An amount rounded once to the cent, half away from zero, as the engine does."""
    exact = Fraction(value)
    cents = Decimal(exact.numerator) * 100 / Decimal(exact.denominator)
    return f"{cents.quantize(Decimal(1), ROUND_HALF_UP) / 100:.2f}"


def brl(value):
    """An amount as Brazilian readers write it: "R$ 1.234,56"."""
    return "R$ " + f"{Decimal(value):,.2f}".translate(str.maketrans(",.", ".,"))


def legal(text):
    """A citation with the commas and accents that a source left out."""
    text = re.sub(r"(art\. [0-9]+(?:-[A-Z])?º?) (?=[IVXL]+\b)", r"\1, ", text)
    text = re.sub(r"(RICMS/SP|Portaria CAT [0-9]+/[0-9]+|Anexo [IVXL]+) (?=art\.|Anexo|item)", r"\1, ", text)
    return text.replace("Convenio", "Convênio").replace("clausula", "cláusula")


def percent_of(value, percent):
    """`percent` percent of `value`, exact."""
    return Fraction(str(value)) * Fraction(str(percent)) / 100


def as_list(value):
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def leaves(value, name=None):
    """Every plain value below `value`, with the name of the member that holds it or its list."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, name)
    else:
        yield name, value


def rates_of(value):
    """Every rate below `value`, as (name, Decimal); nulls left out."""
    return ((name, Decimal(leaf)) for name, leaf in leaves(value) if name in RATE_FIELDS and leaf is not None)


def rule(rule_code, tributo, escopo, vigente_de, vigente_ate, citacao, conteudo, *, versao="1.0",
         fonte=None, avisos=(), motivo=None, exemplos=()):
    """One rule version as a dictionary, its fields in the order in which a reviewer reads them."""
    fields = {
        "rule_code": rule_code, "versao": versao, "tributo": tributo, "escopo": escopo,
        "vigente_de": vigente_de, "vigente_ate": vigente_ate, "citacao_legal": citacao,
        "fonte": fonte, "avisos": list(avisos) or None, "motivo": motivo, "conteudo": conteudo,
        "exemplos": list(exemplos) or None,
    }
    optional = ("fonte", "avisos", "motivo", "exemplos")
    return {name: value for name, value in fields.items() if not (name in optional and value is None)}


def result(payload, valor, **detalhes):
    """An example that is answered."""
    example = {"payload": payload, "valor": valor}
    if detalhes:
        example["detalhes"] = detalhes
    return example


def refusal(payload, codigo):
    """An example that is refused, with the code of the problem."""
    return {"payload": payload, "codigo": codigo}


def assign(target, path, value):
    """Sets a dotted path such as `escopo.ncm` in nested dictionaries."""
    *parents, last = path.split(".")
    for parent in parents:
        target = target.setdefault(parent, {})
    target[last] = value


def merge(base, extra):
    """`base` with `extra` over it, nested dictionaries merged."""
    merged = dict(base)
    for name, value in extra.items():
        both = isinstance(value, dict) and isinstance(merged.get(name), dict)
        merged[name] = merge(merged[name], value) if both else value
    return merged


def expand(table):
    """The rules that a table stands for: `comum` plus one line each.

    A null cell under `conteudo.` is a figure that is not established; any other null cell is an absent field.
    """
    for line in table["linhas"]:
        own = {}
        for path, cell in zip(table["colunas"], line, strict=True):
            if cell is not None or path.startswith("conteudo."):
                assign(own, path, cell)
        yield merge(table["comum"], own)


def table(comum, colunas, linhas, exemplos=()):
    """One table: what its lines share, the paths that vary, one line for each rule."""
    made = {"comum": comum, "colunas": colunas, "linhas": linhas}
    return made | ({"exemplos": list(exemplos)} if exemplos else {})


class Bundle:
    """A bundle under construction: rules and tables in the order in which they are added."""

    def __init__(self, pacote, descricao):
        self.pacote = pacote
        self.descricao = descricao
        self.regras = []
        self.tabelas = []

    def add(self, *parts):
        """Rules, and tables made by `table`, each where it belongs."""
        for part in parts:
            (self.tabelas if "linhas" in part else self.regras).append(part)

    def table(self, comum, colunas, linhas, exemplos=()):
        self.add(table(comum, colunas, linhas, exemplos))

    def rules(self):
        """Every rule version, those of the tables included."""
        yield from self.regras
        for table in self.tabelas:
            yield from expand(table)

    def text(self):
        """The document: indented, with what fits on one line on one line, and each table line on its own."""
        parts = [f'{{\n  "pacote": {dump(self.pacote)},\n  "versao": {dump(VERSION)},\n'
                 f'  "descricao": {dump(self.descricao)}']
        if self.regras:
            listed = ",\n".join("    " + block(entry, 4, top=True) for entry in self.regras)
            parts.append(f'  "regras": [\n{listed}\n  ]')
        if self.tabelas:
            listed = ",\n".join(table_text(table) for table in self.tabelas)
            parts.append(f'  "tabelas": [\n{listed}\n  ]')
        return ",\n".join(parts) + "\n}\n"

    def write(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text(), encoding="utf-8")


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def block(value, indent, top=False):
    """JSON with two spaces of indentation; a nested value that fits into 100 columns stays on its line."""
    line = dump(value)
    if not isinstance(value, (dict, list)) or not value or (not top and indent + len(line) <= 100):
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        items = (f"{inner}{dump(name)}: {block(item, indent + 2)}" for name, item in value.items())
        return "{\n" + ",\n".join(items) + "\n" + " " * indent + "}"
    items = (inner + block(item, indent + 2) for item in value)
    return "[\n" + ",\n".join(items) + "\n" + " " * indent + "]"


def table_text(table):
    compact = ",\n".join(
        "        " + json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in table["linhas"])
    text = (f'    {{\n      "comum": {block(table["comum"], 6, top=True)},\n'
            f'      "colunas": {dump(table["colunas"])},\n'
            f'      "linhas": [\n{compact}\n      ]')
    if "exemplos" in table:
        text += f',\n      "exemplos": {block(table["exemplos"], 6, top=True)}'
    return text + "\n    }"
