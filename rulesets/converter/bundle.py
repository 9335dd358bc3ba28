"""The rule bundle: how one is built, checked and written.

Everything that every area shares lives here, so that an area module only says what the law says: reading
the source tables, decimals as strings, validity, the compact table form, and the checks that stop a faulty
bundle before it is written. A check raises `BundleError`; nothing is repaired silently.
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

RULE_CODE = re.compile(r"[a-z0-9][a-z0-9._-]{1,94}[a-z0-9]")
RULE_VERSION = re.compile(r"[0-9]+\.[0-9]+")
DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,10})?")
RATE = re.compile(r"-?[0-9]{1,4}\.[0-9]{2,10}")
AMOUNT = re.compile(r"[0-9]{1,15}\.[0-9]{2,6}")
NCM_PREFIX = re.compile(r"[0-9]{2}|[0-9]{4,8}")

#: Items of the LC 116 list that were vetoed: no operation may name them.
VETOED_ITEMS = {"3.01", "7.14", "7.15", "13.01", "17.07"}

#: Names of `conteudo` fields by the kind of figure they hold.
RATE_FIELDS = {
    "aliquota", "fcp", "reducao_base", "carga_efetiva", "aliquota_interestadual", "mva",
    "percentual_pauta", "aliquota_interna", "ajuste", "reducao", "varejista_consumidor_final", "demais",
}
AMOUNT_FIELDS = {
    "pauta", "limite", "teto", "ate", "base_presumida", "valor_por_profissional", "parcela_deduzir",
    "limite_financiado", "limite_imovel",
}

#: Traces of a private working place that must never reach a published text.
FOREIGN_TEXT = re.compile(r"\bid [0-9]{5,}|\b[ISTUW][0-9]{2}\b|/(work|tmp|home|root)/")


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


# --- checks -------------------------------------------------------------------------------------------


def check(bundle):
    """Refuses a bundle that the importer, or an accountant, would refuse."""
    rules = list(bundle.rules())
    if not rules:
        raise BundleError(f"{bundle.pacote}: no rule")
    for entry in rules:
        check_rule(entry)
    check_versions(rules)
    check_ties(rules)
    identifiers = {rule_id(entry) for entry in rules}
    for table in bundle.tabelas:
        for example in table.get("exemplos", ()):
            if example.get("rule_id") not in identifiers:
                raise BundleError(f"{bundle.pacote}: example of unknown rule {example.get('rule_id')}")


def rule_id(entry):
    return f"{entry['rule_code']}-v{entry['versao']}"


def fail(entry, message):
    raise BundleError(f"{rule_id(entry)}: {message}")


def check_rule(entry):
    if not RULE_CODE.fullmatch(entry["rule_code"]):
        fail(entry, "malformed rule_code")
    if not RULE_VERSION.fullmatch(entry["versao"]):
        fail(entry, "malformed versao")
    start = date.fromisoformat(entry["vigente_de"])
    end = entry.get("vigente_ate")
    if end is not None and date.fromisoformat(end) <= start:
        fail(entry, "empty validity")
    if not entry["citacao_legal"].strip():
        fail(entry, "no citation")
    if FOREIGN_TEXT.search(dump(entry)):
        fail(entry, "text that must not be published")
    check_scope(entry)
    nulls = check_figures(entry, entry["conteudo"])
    if nulls and not entry.get("motivo"):
        fail(entry, "a null figure without motivo")
    if entry.get("motivo") and not nulls:
        fail(entry, "motivo without a null figure")
    check_ranges(entry)


def check_scope(entry):
    scope = entry["escopo"]
    for name in ("ncm", "ncm_exceto"):
        for prefix in as_list(scope.get(name)):
            if not NCM_PREFIX.fullmatch(prefix):
                fail(entry, f"malformed NCM {prefix}")
    for exception in as_list(scope.get("ncm_exceto")):
        if not any(exception.startswith(prefix) and exception != prefix for prefix in as_list(scope["ncm"])):
            fail(entry, f"exception {exception} outside of the scope")
    for name in ("uf", "uf_origem", "uf_destino"):
        if name in scope and scope[name] not in UFS:
            fail(entry, f"unknown UF {scope[name]}")
    if VETOED_ITEMS & set(as_list(scope.get("item_lista_servico"))):
        fail(entry, "a vetoed service item")
    if ("fixo" in entry["conteudo"]) != (scope.get("regime") == "sociedade_uniprofissional"):
        fail(entry, "the fixed regime and its scope go together")
    if entry["tributo"] in ("cbs", "ibs") and ("recusa" in entry["conteudo"]) != bool(scope):
        fail(entry, "a refusal needs a code, and the national rate has none")
    if "cest" in scope and not re.fullmatch(r"[0-9]{7}", scope["cest"]):
        fail(entry, "malformed CEST")
    if "ex" in scope and not re.fullmatch(r"[0-9]{2}", scope["ex"]):
        fail(entry, "malformed ex")
    if entry["tributo"] == "ipi" and any(len(ncm) != 8 for ncm in as_list(scope["ncm"])):
        fail(entry, "a TIPI line without 8 digits")


def check_figures(entry, value, name=None, last=True):
    """Checks every figure below `value` and tells how many of them are null."""
    if isinstance(value, dict):
        return sum(check_figures(entry, item, key, last) for key, item in value.items())
    if isinstance(value, list):
        if name == "faixas":
            check_brackets(entry, value)
        size = len(value)
        return sum(check_figures(entry, item, name, index == size - 1) for index, item in enumerate(value))
    if name in RATE_FIELDS | AMOUNT_FIELDS:
        if value is None:
            return 0 if name == "ate" and last else 1
        if isinstance(value, int):
            return 0
        pattern = RATE if name in RATE_FIELDS else AMOUNT
        if not pattern.fullmatch(value) or not DECIMAL.fullmatch(value):
            fail(entry, f"malformed {name}: {value}")
    return 0


def check_brackets(entry, brackets):
    """Brackets ascend without gap: each begins where the one before ends, and only the last has no end."""
    limits = [bracket["ate"] for bracket in brackets]
    if limits[-1] is not None or None in limits[:-1]:
        fail(entry, "only the last bracket is open")
    numbers = [Decimal(limit) for limit in limits[:-1]]
    if numbers != sorted(set(numbers)):
        fail(entry, "brackets do not ascend")


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


def check_ranges(entry):
    tributo, scope = entry["tributo"], entry["escopo"]
    for name, number in rates_of(entry["conteudo"]):
        if name == "aliquota":
            if tributo == "iss" and not 2 <= number <= 5:
                fail(entry, "ISS outside of 2 to 5 (LC 116/2003, arts. 8 and 8-A)")
            if tributo == "itcmd" and number > 8:
                fail(entry, "ITCMD above 8 (Senate resolution 9/1992)")
            if tributo == "ipva" and number > 6:
                fail(entry, "IPVA above 6")
            interstate = "uf_origem" in scope or scope.get("origem_mercadoria") == "importada"
            if tributo == "icms" and interstate and number not in (4, 7, 12):
                fail(entry, "interstate rate other than 4, 7, 12")
            if tributo == "icms" and number > 40:
                fail(entry, "internal ICMS above 40")
            if tributo in ("iptu", "itbi", "pis", "cofins") and number > 50:
                fail(entry, f"implausible rate {number}")
        if name == "fcp" and number > 4:
            fail(entry, "FCP above 4")
        if name == "aliquota_interna" and number > 40:
            fail(entry, "internal ICMS above 40")
        if name not in ("mva", "aliquota", "ajuste") and not 0 <= number <= 100:
            fail(entry, f"{name} outside of 0 to 100")
        if name == "aliquota" and number < 0:
            fail(entry, "negative rate")


def check_versions(rules):
    """Versions of one code are chronological, rising in number, and follow each other without overlap or gap."""
    by_code = {}
    for entry in rules:
        by_code.setdefault(entry["rule_code"], []).append(entry)
    for versions in by_code.values():
        for before, after in zip(versions, versions[1:]):
            if version_number(before) >= version_number(after):
                fail(after, "version number does not rise")
            if before["vigente_ate"] is None or before["vigente_ate"] > after["vigente_de"]:
                fail(after, "overlaps the version before")
            if before["vigente_ate"] < after["vigente_de"]:
                fail(after, "leaves days without a rule after the version before")


def version_number(entry):
    return tuple(int(part) for part in entry["versao"].split("."))


def as_list(value):
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def scope_keys(entry):
    """The keys that a lookup may find the rule under; two codes sharing one on one day would tie."""
    scope = entry["escopo"]
    fixed = tuple((name, scope[name]) for name in sorted(scope)
                  if name != "ncm_exceto" and not isinstance(scope[name], list))
    keys = [(entry["tributo"], fixed)]
    for name in sorted(scope):
        if name != "ncm_exceto" and isinstance(scope[name], list):
            keys = [(*key, (name, item)) for key in keys for item in scope[name]]
    return keys


def check_ties(rules):
    taken = {}
    for entry in rules:
        for key in scope_keys(entry):
            for other in taken.setdefault(key, []):
                if other["rule_code"] != entry["rule_code"] and overlaps(entry, other):
                    fail(entry, f"ties with {rule_id(other)} on {key}")
            taken[key].append(entry)


def overlaps(one, other):
    never = "9999-12-31"
    return (one["vigente_de"] < (other.get("vigente_ate") or never)
            and other["vigente_de"] < (one.get("vigente_ate") or never))
