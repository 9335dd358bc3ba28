"""The codes of the NCM that are in force, and what became of the codes that acts still cite.

The table of codes begins on 2022-04-01, with the edition of the nomenclature of that year; a code that was in force on
its first day is taken to be as old as a rule needs.
"""

from bundle import BundleError, as_list, day_after, read_table

FIRST_EDITION = "2022-04-01"

#: Cited codes that are extinct -> the codes of the same goods today. Another extinct code that ends in 00 is a
#: subheading that was divided: its six digits stand for it.
SUCCESSORS = {
    "04014020": ["0401402"],
    "151000": ["1510"],
    "34022000": ["34025000"],
    "40151100": ["40151200"],
    "57032000": ["57032"],
    "57033000": ["57033"],
    "84213920": ["842132"],
    "851712": ["85171300", "851714"],
    "8517123": ["85171300", "8517143"],
    "85171231": ["85171300", "85171431"],
    "85219090": ["852190"],
    "85272190": ["852721"],
    "852790": ["852799"],
    "85395000": ["85395200"],
    "90251190": ["902511"],
    "94019090": ["940191", "940199"],
    "880110": ["8801"],
    "880190": ["8801"],
    "22083000": ["220830"],
}
#: Extinct codes that need none: telephones for cars, and yoghurt, which its row cites by the new code too.
EXTINCT = {"85171213", "040310"}


class Nomenclature:
    def __init__(self, source):
        self.periods = {}
        for row in read_table(source, "federal/ncm_vigente.csv"):
            start = "0001-01-01" if row["vigente_de"] <= FIRST_EDITION else row["vigente_de"]
            self.periods[row["ncm"]] = (start, day_after(row["vigente_ate"]) or "9999-12-31")
        self.prefixes = {code[:size] for code in self.periods for size in range(2, 9)}

    def current(self, cited):
        """The prefixes in force that a cited code stands for; none if it is extinct."""
        if cited in EXTINCT:
            return []
        if cited in self.prefixes:
            return [cited]
        found = SUCCESSORS.get(cited) or ([cited[:6]] if len(cited) == 8 and cited.endswith("00") else [])
        if not found or not self.prefixes.issuperset(found):
            raise BundleError(f"NCM {cited} is not in force and has no known successor")
        return found

    def current_list(self, cited):
        """`current` of several codes, each once, in order."""
        return list(dict.fromkeys(code for one in cited for code in self.current(one)))

    def exhausts(self, prefix, codes):
        """Whether longer codes leave nothing of a prefix."""
        longer = tuple(code for code in codes if code.startswith(prefix) and code != prefix)
        return all(code.startswith(longer) for code in self.periods if code.startswith(prefix))

    def example(self, prefix, day, excepted=()):
        """A code of 8 digits under a prefix, outside of the excepted ones, in force on a day if there is one."""
        codes = [(not first <= day < last, code) for code, (first, last) in self.periods.items()
                 if code.startswith(prefix) and not code.startswith(tuple(excepted) or ("-",))]
        if not codes:
            raise BundleError(f"NCM {prefix} has no code for an example")
        return min(codes)[1]

    def check(self, entries):
        """Refuses a rule with a prefix under which no code is in force on any of its days.

        An extinct code may stand beside the codes that succeeded it.
        """
        for entry in entries:
            start, end = entry["vigente_de"], entry.get("vigente_ate") or "9999-12-31"
            prefixes = as_list(entry["escopo"].get("ncm"))
            for prefix in prefixes:
                succeeded = prefix in SUCCESSORS and set(SUCCESSORS[prefix]) <= set(prefixes)
                if not succeeded and not self.in_force(prefix, start, end):
                    raise BundleError(f"{entry['rule_code']}-v{entry['versao']}: NCM {prefix} is not in force")

    def in_force(self, prefix, start, end):
        if prefix not in self.prefixes:
            return False
        if len(prefix) < 8:  # a heading is older than the codes that it was last divided into
            return any(code.startswith(prefix) and start < last for code, (_, last) in self.periods.items())
        first, last = self.periods[prefix]
        return first < end and start < last
