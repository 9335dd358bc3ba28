"""The checks that stop a faulty bundle before it is written: each raises `BundleError` with the rule at fault."""

import re
from datetime import date
from decimal import Decimal

from bundle import AMOUNT_FIELDS, RATE_FIELDS, UFS, BundleError, as_list, dump, rates_of
from fontes import fault

RULE_CODE = re.compile(r"[a-z0-9][a-z0-9._-]{1,94}[a-z0-9]")
RULE_VERSION = re.compile(r"[0-9]+\.[0-9]+")
DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,10})?")
RATE = re.compile(r"-?[0-9]{1,4}\.[0-9]{2,10}")
AMOUNT = re.compile(r"[0-9]{1,15}\.[0-9]{2,6}")
NCM_PREFIX = re.compile(r"[0-9]{2}|[0-9]{4,8}")

#: Items of the LC 116 list that were vetoed: no operation may name them.
VETOED_ITEMS = {"3.01", "7.14", "7.15", "13.01", "17.07"}

#: Traces of a private working place that must never reach a published text.
FOREIGN_TEXT = re.compile(r"\bid [0-9]{5,}|\b[ISTUW][0-9]{2}\b|/(work|tmp|home|root)/")


def check(bundle):
    """Refuses a bundle that the importer, or an accountant, would refuse."""
    rules = list(bundle.rules())
    if not rules:
        raise BundleError(f"{bundle.pacote}: no rule")
    for entry in rules:
        check_rule(entry)
    for entry in bundle.regras:
        if not entry.get("exemplos"):
            fail(entry, "no example")
    check_versions(rules)
    check_ties(rules)
    identifiers = {rule_id(entry) for entry in rules}
    for table in bundle.tabelas:
        if not table.get("exemplos"):
            raise BundleError(f"{bundle.pacote}: no example in the table of {table['linhas'][0][0]}")
        for example in table["exemplos"]:
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
    unsourced = fault(entry)
    if unsourced:
        fail(entry, unsourced)
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
