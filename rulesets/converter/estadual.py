"""The States, one bundle each: what every module knows of a State, put together.

A module of `MODULES` has `rules(uf, source, nomenclature)`, which yields rules and tables. São Paulo is read in more
detail than the tables carry, by modules of its own.
"""

import estadual_icms
import estadual_ipva
import estadual_itcmd
import estadual_sp
import estadual_st
from bundle import UFS, Bundle
from ncm import Nomenclature

#: In the order in which a bundle shows them.
MODULES = (estadual_icms, estadual_st, estadual_ipva, estadual_itcmd)

NAMES = {
    "AC": "Acre", "AL": "Alagoas", "AM": "Amazonas", "AP": "Amapá", "BA": "Bahia", "CE": "Ceará",
    "DF": "Distrito Federal", "ES": "Espírito Santo", "GO": "Goiás", "MA": "Maranhão", "MG": "Minas Gerais",
    "MS": "Mato Grosso do Sul", "MT": "Mato Grosso", "PA": "Pará", "PB": "Paraíba", "PE": "Pernambuco", "PI": "Piauí",
    "PR": "Paraná", "RJ": "Rio de Janeiro", "RN": "Rio Grande do Norte", "RO": "Rondônia", "RR": "Roraima",
    "RS": "Rio Grande do Sul", "SC": "Santa Catarina", "SE": "Sergipe", "SP": "São Paulo", "TO": "Tocantins",
}
TAXES = "ICMS interno, ICMS por substituição tributária, IPVA e ITCMD."


def build(source):
    nomenclature = Nomenclature(source)
    bundles = {}
    for uf in UFS:
        bundle = Bundle(f"estadual-{uf.lower()}", f"{NAMES[uf]}: {TAXES}")
        if uf == "SP":
            estadual_sp.add(bundle, source)
        else:
            for module in MODULES:
                bundle.add(*module.rules(uf, source, nomenclature))
        nomenclature.check(entry for entry in bundle.rules() if entry["tributo"] in ("icms", "icms_st"))
        bundles[f"estadual/{uf}.json"] = bundle
    return bundles
