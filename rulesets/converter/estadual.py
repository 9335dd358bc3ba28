"""The states and the Federal District: one bundle each, filled by the module of each tax.

São Paulo has more detail than the tables carry and keeps its own module.
"""

import estadual_ipva
import estadual_itcmd
from bundle import UFS, Bundle

MODULES = (estadual_ipva, estadual_itcmd)
NAMES = {
    "AC": "Acre", "AL": "Alagoas", "AM": "Amazonas", "AP": "Amapá", "BA": "Bahia", "CE": "Ceará",
    "DF": "Distrito Federal", "ES": "Espírito Santo", "GO": "Goiás", "MA": "Maranhão", "MG": "Minas Gerais",
    "MS": "Mato Grosso do Sul", "MT": "Mato Grosso", "PA": "Pará", "PB": "Paraíba", "PE": "Pernambuco",
    "PI": "Piauí", "PR": "Paraná", "RJ": "Rio de Janeiro", "RN": "Rio Grande do Norte", "RO": "Rondônia",
    "RR": "Roraima", "RS": "Rio Grande do Sul", "SC": "Santa Catarina", "SE": "Sergipe", "TO": "Tocantins",
}


def build(source):
    bundles = {}
    for uf in UFS:
        if uf == "SP":
            continue
        bundle = Bundle(f"estadual-{uf.lower()}", f"{NAMES[uf]}: IPVA e ITCMD.")
        for module in MODULES:
            bundle.add(*module.rules(uf, source))
        bundles[f"estadual/{uf}.json"] = bundle
    return bundles
