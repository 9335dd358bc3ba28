"""A municipality: its scope, the codes of its rules, its file, and the payloads of its examples."""

import unicodedata
from dataclasses import dataclass

from bundle import BundleError, rates_of

#: First day of the histories outside of São Paulo, unless a source dates a change.
HISTORY = "2022-01-01"


@dataclass(frozen=True)
class Place:
    uf: str
    city: str

    @property
    def name(self):
        return f"{self.uf}/{self.city}"

    @property
    def scope(self):
        return {"uf": self.uf, "municipio": self.city}

    @property
    def slug(self):
        plain = unicodedata.normalize("NFKD", self.city).encode("ascii", "ignore").decode().lower()
        return plain.replace("'", "").replace(" ", "-")

    @property
    def file(self):
        return f"municipal/{self.uf}-{self.slug}.json"

    def code(self, tributo, *parts):
        return "-".join((tributo, self.uf.lower(), self.slug, *parts))

    def payload(self, tributo, **fields):
        return {"tributo": tributo, **self.scope, **fields}

    def of(self, rows):
        return [row for row in rows if (row["uf"], row["municipio"]) == (self.uf, self.city)]


def trusted(row):
    if row["confianca"] not in ("alta", "media", "baixa"):
        raise BundleError(f"{row['municipio']}: trust {row['confianca']!r}")
    return row["confianca"] != "baixa"


def comma(percent):
    """A rate as Brazilian readers write it, without idle zeros: "2,5"."""
    return f"{float(percent):g}".replace(".", ",")


#: Highest plausible rate of the taxes that no national law caps; that of ISS is checked with every bundle.
HIGHEST = {"iptu": 6, "itbi": 5}


def check(rules):
    """Refuses a day without rule between two versions of a code, and a rate beyond every municipality's."""
    last = {}
    for entry in rules:
        before = last.get(entry["rule_code"])
        if before and before["vigente_ate"] != entry["vigente_de"]:
            raise BundleError(f"{entry['rule_code']}: gap before {entry['vigente_de']}")
        last[entry["rule_code"]] = entry
        highest = HIGHEST.get(entry["tributo"])
        if highest and any(number > highest for _, number in rates_of(entry["conteudo"])):
            raise BundleError(f"{entry['rule_code']}: a rate above {highest}%")
