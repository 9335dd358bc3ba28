"""The municipalities: one bundle each, with what the tables of facts hold of ISS, IPTU and ITBI."""

import municipal_iptu
import municipal_iss
import municipal_iss_fixed
import municipal_itbi
import municipal_sao_paulo
from bundle import Bundle, BundleError, as_list, read_table
from municipal_place import Place, check

TABLES = ("iss", "iss_uniprofissional", "iptu", "itbi")
#: The municipality with decisions of its own.
APART = municipal_sao_paulo.HERE
NAMES = {"iss": "ISS", "iptu": "IPTU", "itbi": "ITBI"}


def places(tables, register):
    """Every municipality of the tables, by UF and name; the name and the code are those of the register."""
    found = set()
    for name, rows in tables.items():
        for row in rows:
            if register.get((row["uf"], row["municipio"])) != row["ibge_code"]:
                raise BundleError(f"{name}: unknown municipality {row['municipio']}/{row['uf']}")
            found.add((row["uf"], row["municipio"]))
    return [Place(*one) for one in sorted(found)]


def bundle_of(place, tables, known):
    bundle = Bundle(f"municipal-{place.uf.lower()}-{place.slug}", "")
    municipal_iss.add(bundle, place, place.of(tables["iss"]), known)
    bundle.add(*municipal_iss_fixed.rules(place, place.of(tables["iss_uniprofissional"])))
    bundle.add(*municipal_iptu.rules(place, place.of(tables["iptu"])))
    bundle.add(*municipal_itbi.rules(place, place.of(tables["itbi"])))
    rules = list(bundle.rules())
    for entry in rules:
        if not set(as_list(entry["escopo"].get("item_lista_servico"))) <= set(known):
            raise BundleError(f"{place.name}: unknown item in {entry['rule_code']}")
    check(rules)
    taxes = [name for tax, name in NAMES.items() if any(entry["tributo"] == tax for entry in rules)]
    listed = " e ".join(filter(None, (", ".join(taxes[:-1]), taxes[-1])))
    bundle.descricao = f"{place.city}/{place.uf}: {listed}."
    return bundle


def build(source):
    tables = {name: read_table(source, f"municipal/{name}.csv") for name in TABLES}
    register = {(row["uf"], row["municipio"]): row["ibge_code"]
                for row in read_table(source, "municipal/municipios_ibge.csv")}
    services = read_table(source, "federal/lc116_itens.csv")
    known = [row["item"] for row in services if row["vetado"] == "nao"]
    bundles = municipal_sao_paulo.build(source)
    for place in places(tables, register):
        if place == APART:
            continue
        bundle = bundle_of(place, tables, known)
        if place.file in bundles:
            raise BundleError(f"two municipalities with the file {place.file}")
        bundles[place.file] = bundle
    return dict(sorted(bundles.items()))
