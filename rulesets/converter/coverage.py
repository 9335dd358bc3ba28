"""The coverage table of the README, made from the bundles: python3 rulesets/converter/coverage.py rulesets

What is answered, refused for want of a figure, or absent, by tax and by UF or municipality, on one day. It reads the
bundles as they are published, never the source tables, so that it is true of what a reader installs.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from bundle import AMOUNT_FIELDS, RATE_FIELDS, UFS, BundleError, as_list, expand, leaves
from fontes import NOT_LOCATED

AS_OF = "2026-11-01"
BEGIN, END = "<!-- cobertura: início -->", "<!-- cobertura: fim -->"
FIGURES = (RATE_FIELDS | AMOUNT_FIELDS) - {"ate"}
#: Parts of a rule that answer although its own rate is null.
OTHER_WAYS = ("motivo_zero_revenda", "combustiveis", "isencao")
CATEGORIES = 8
ANSWERED, PARTLY, REFUSED, NAMED = "sim", "em parte", "nulo", "recusa"
ABSENT = "-"
PLURAL = {ANSWERED: "sim", PARTLY: "em parte", REFUSED: "nulos", NAMED: "recusas"}


def all_rules(folder):
    """Every rule of every bundle below the folder."""
    for path in sorted(Path(folder).glob("*/*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        tables = (entry for table in document.get("tabelas", ()) for entry in expand(table))
        yield from (*document.get("regras", ()), *tables)


# --- what a rule says ----------------------------------------------------------------------------------


def figures(value):
    """Every figure below a value, null or not."""
    return (leaf for name, leaf in leaves(value) if name in FIGURES)


def state(entry):
    """Whether a rule answers, answers in part, has no figure, or refuses by name."""
    content = entry["conteudo"]
    if "recusa" in content:
        return NAMED
    if any(name in FIGURES and value is None for name, value in content.items()):
        return PARTLY if any(name in content for name in OTHER_WAYS) else REFUSED
    nested = [value for name, value in content.items() if isinstance(value, (dict, list))]
    found = [figure is None for part in nested for figure in figures(part)]
    if not any(found):
        return ANSWERED
    brackets = content.get("faixas") or content.get("fixo", {}).get("faixas") or ()
    own = [figure is None for figure in figures(brackets)]
    return REFUSED if own and all(own) else PARTLY


def one(entries):
    """The state of the only rule there may be."""
    states = {state(entry) for entry in entries}
    if len(entries) > 1 and len(states) > 1:
        return PARTLY
    return states.pop() if states else ABSENT


def many(entries):
    """How many rules are in each state: "81 sim, 3 nulos"."""
    counts = Counter(state(entry) for entry in entries)
    shown = [f"{counts[name]} {name if counts[name] == 1 else PLURAL[name]}" for name in PLURAL if counts[name]]
    return ", ".join(shown) or ABSENT


# --- the tables ----------------------------------------------------------------------------------------


def national(entries):
    """The rules without UF."""
    def of(tax, chosen=lambda scope: True):
        return [entry for entry in entries if entry["tributo"] == tax and chosen(entry["escopo"])]

    yield "ICMS interestadual", of("icms", lambda s: "uf_origem" in s or "origem_mercadoria" in s)
    yield "ICMS, regras nacionais por produto", of("icms", lambda s: "ncm" in s and "uf" not in s)
    yield "IPI (linhas da TIPI)", of("ipi")
    for tax in ("pis", "cofins"):
        yield f"{tax.upper()} ordinário", of(tax, lambda s: "ncm" not in s)
        yield f"{tax.upper()} por produto", of(tax, lambda s: "ncm" in s)
    for tax in ("cbs", "ibs"):
        yield f"{tax.upper()} de 2026", of(tax, lambda s: not s)
        yield f"{tax.upper()}, recusas por código", of(tax, bool)


def state_row(uf, entries):
    def of(tax, chosen=lambda scope: True):
        return [entry for entry in entries if entry["tributo"] == tax and chosen(entry["escopo"])
                and uf in (entry["escopo"].get("uf"), entry["escopo"].get("uf_destino"))]

    kinds = of("ipva")
    missing = CATEGORIES - len({kind for entry in kinds for kind in as_list(entry["escopo"].get("categoria_veiculo"))})
    whole = any("categoria_veiculo" not in entry["escopo"] for entry in kinds)
    vehicles = many(kinds)
    if kinds and missing and not whole:
        vehicles += f", {missing} sem regra"
    return [uf, one(of("icms", lambda s: "uf" in s and "ncm" not in s)), many(of("icms", lambda s: "uf" in s and "ncm" in s)),
            many(of("icms_st")), vehicles,
            *(one(of("itcmd", lambda s, cause=cause: cause in as_list(s.get("fato_gerador", cause))))
              for cause in ("causa_mortis", "doacao"))]


def city_row(place, entries):
    def of(tax, chosen=lambda scope: True):
        return [entry for entry in entries if entry["tributo"] == tax and chosen(entry["escopo"])]

    return [f"{place[0]} {place[1]}", one(of("iss", lambda s: "item_lista_servico" not in s and "regime" not in s)),
            many(of("iss", lambda s: "item_lista_servico" in s and "regime" not in s)),
            one(of("iss", lambda s: "regime" in s)),
            *(one(of("iptu", lambda s, use=use: use in as_list(s.get("uso_imovel", use))))
              for use in ("residencial", "nao_residencial", "territorial")),
            one(of("itbi"))]


def without_article(entries):
    """The acts cited without an article, by tax: how many rules, and which acts of which place."""
    order = list(dict.fromkeys(entry["tributo"] for entry in entries))
    for tax in order:
        found = Counter()
        for entry in entries:
            if entry["tributo"] == tax and NOT_LOCATED in entry["fonte"]:
                scope = entry["escopo"]
                place = scope.get("municipio") or scope.get("uf") or scope.get("uf_destino")
                found[f"{place}: {entry['citacao_legal']}"] += 1
        if found:
            acts = "<br>".join(f"{act} ({number})" for act, number in sorted(found.items()))
            yield [tax.upper().replace("_", "-"), str(found.total()), acts]


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def text(folder):
    """The section between the markers, without them."""
    every = list(all_rules(folder))
    entries = [entry for entry in every
               if entry["vigente_de"] <= AS_OF < (entry.get("vigente_ate") or "9999-12-31")]
    cities = {}
    for entry in entries:
        if "municipio" in entry["escopo"]:
            cities.setdefault((entry["escopo"]["uf"], entry["escopo"]["municipio"]), []).append(entry)
    states = {uf: [entry for entry in entries if "municipio" not in entry["escopo"]] for uf in UFS}
    day = "/".join(reversed(AS_OF.split("-")))
    return "\n\n".join((
        f"Regras que respondem em {day}, lidas dos pacotes desta pasta: **sim**, respondida; **em parte**, há figura "
        "nula para alguma hipótese; **nulo**, recusada com `regra_sem_conteudo` e o motivo; **recusa**, recusada pelo "
        "nome do regime; **-**, sem regra (404). Um subitem ou produto sem regra própria segue a geral.",
        table(["nacional", "regras"], [[name, many(found)] for name, found in national(entries)]),
        table(["UF", "ICMS geral", "ICMS por produto", "ICMS-ST", "IPVA", "ITCMD causa mortis", "ITCMD doação"],
              [state_row(uf, states[uf]) for uf in UFS]),
        table(["município", "ISS geral", "ISS por subitem", "ISS fixo", "IPTU residencial", "IPTU não residencial",
               "IPTU territorial", "ITBI"], [city_row(place, cities[place]) for place in sorted(cities)]),
        f"De {len(every)} regras, de todas as datas, {sum(NOT_LOCATED in entry['fonte'] for entry in every)} citam só o "
        "ato: o artigo não foi localizado em fonte lida, e a `fonte` de cada uma o diz.",
        table(["tributo", "regras sem artigo", "atos (regras)"], list(without_article(every))),
    ))


def update(folder):
    """Rewrites the section of the folder's README; a folder without README is left alone."""
    readme = Path(folder) / "README.md"
    if not readme.exists():
        return
    before, found, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not (found and closed):
        raise BundleError("the README has no coverage markers")
    readme.write_text(f"{before}{BEGIN}\n\n{text(folder)}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 rulesets/converter/coverage.py BUNDLE_DIR")
    update(sys.argv[1])
