"""Faults that are planted: what each changes, and which finding it must give."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Planted:
    """A fault. `key` is the document's access key (of an NFS-e its layout and number), empty for a whole EFD; `file` is
    where its finding must be; `register` that of the EFD, empty for a document."""

    kind: str
    key: str
    file: str
    register: str
    tax: str

    def __str__(self):
        return " ".join(part for part in (self.kind, self.tax, self.register, self.key, self.file) if part)


def fault(kind):
    """Says of which kind a function plants a fault."""

    def named(plant):
        plant.kind = kind
        return plant

    return named


class NoRoom(Exception):
    """Nothing is left that the fault can be planted in."""


@dataclass
class Plan:
    month: object
    draw: object
    icms: dict = field(default_factory=dict)
    may: object = None
    contrib: dict = field(default_factory=dict)
    used: set = field(default_factory=set)
    kind: str = ""
    planted: list = field(default_factory=list)
    # Changes of what an EFD sums up, by (EFD, company): functions of the rows.
    changes: dict = field(default_factory=dict)

    def take(self, documents, suits):
        """A document that no fault has yet."""
        free = [one for one in documents if one.key not in self.used and suits(one)]
        if not free:
            raise NoRoom
        chosen = self.draw.choice(sorted(free, key=lambda one: one.key))
        self.used.add(chosen.key)
        return chosen

    def take_file(self, name, companies):
        """An EFD of which no fault changes that part yet."""
        free = [company for company in companies if (name, company.id) not in self.used]
        if not free:
            raise NoRoom
        chosen = self.draw.choice(free)
        self.used.add((name, chosen.id))
        return chosen

    def change(self, kind, company, of):
        self.changes.setdefault((kind, company.id), []).append(of)

    def changed(self, kind, company):
        def all_of(rows):
            for change in self.changes.get((kind, company.id), []):
                change(rows)

        return all_of

    def plant(self, plant):
        """Plants a fault, if there is room for it; else another is drawn in its place."""
        self.kind = plant.kind
        try:
            plant(self)
        except NoRoom:
            return

    def note(self, key, file, register="", tax=""):
        self.planted.append(Planted(self.kind, key, file, register, tax))


# The EFD of the factory for the month before.
MAY = "efd-maio.txt"


def efd(kind, company):
    """The name of an EFD."""
    return f"efd-{kind}-{company.id}.txt"
