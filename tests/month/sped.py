"""What both EFDs share: rows, blocks and their counts, participants and products."""

from collections import OrderedDict
from decimal import Decimal

from base import ZERO, comma

FIRST, LAST = "01062026", "30062026"


def amount(text):
    """The amount of a field."""
    return Decimal(text.replace(",", ".")) if text else ZERO


def money(value):
    return comma(value)


def percent(rate):
    """A rate of PIS or COFINS."""
    return comma(rate, 4)


def day(document):
    return f"{document.day:02d}{getattr(document, 'month', 6):02d}2026"


class Booked:
    """A document as an EFD has it: its rows, of which the first is its register, and what it was made of."""

    def __init__(self, rows, document=None, outgoing=True):
        self.rows, self.document, self.outgoing = rows, document, outgoing

    def of(self, register):
        return [row for row in self.rows if row[0] == register]


class Book:
    """An EFD while it is written. `booked` are documents by block; faults change them before `close`."""

    first, last = FIRST, LAST

    def __init__(self, company):
        self.company = company
        self.booked = OrderedDict()
        self.parties, self.products = OrderedDict(), OrderedDict()
        self.summaries = []

    def add(self, block, booked):
        self.booked.setdefault(block, []).append(booked)

    def party(self, party):
        self.parties[party.code] = party
        return party.code

    def product(self, product):
        self.products[product.code] = product
        return product.code

    def all(self):
        return [booked for block in self.booked.values() for booked in block]

    def find(self, key):
        return next(booked for booked in self.all() if booked.document is not None and booked.document.key == key)

    def without(self, key):
        for block in self.booked.values():
            block[:] = [booked for booked in block if booked.document is None or booked.document.key != key]

    def participants(self):
        rows = []
        for party in self.parties.values():
            is_firm = len(party.id) == 14
            rows.append(
                [
                    "0150",
                    party.code,
                    party.name,
                    "1058",
                    party.id if is_firm else "",
                    "" if is_firm else party.id,
                    party.ie,
                    party.city[0],
                    "",
                    "RUA UM",
                    "1",
                    "",
                    "CENTRO",
                ]
            )
        return rows

    def items(self, fields):
        rows = [["0190", "UN", "UNIDADE"]] if self.products else []
        for product in self.products.values():
            row = [
                "0200",
                product.code,
                product.name,
                "",
                "",
                "UN",
                product.kind_in(self.company),
                product.ncm,
                "",
                product.ncm[:2],
                "",
                "18,00",
                product.cest,
            ]
            rows.append(row[:fields])
        return rows

    def rows_of(self, block):
        return [row for booked in self.booked.get(block, []) for row in booked.rows]


def block(letter, rows, empty_flag=None):
    """The rows of a block with its opening and its end."""
    has = "0" if rows else "1"
    return [[f"{letter}001", has if empty_flag is None else empty_flag], *rows, [f"{letter}990", str(len(rows) + 2)]]


def ending(counts, lines):
    """Block 9 of how often each register is there, after that many lines."""
    counts = OrderedDict(counts)
    for register in ("9001", "9900", "9990", "9999"):
        counts[register] = 1
    counts["9900"] = len(counts)
    nine = [["9001", "0"], *(["9900", register, str(count)] for register, count in counts.items())]
    nine.append(["9990", str(len(nine) + 2)])
    return [*nine, ["9999", str(lines + len(nine) + 1)]]


def counted(rows):
    counts = OrderedDict()
    for row in rows:
        counts[row[0]] = counts.get(row[0], 0) + 1
    return counts


def written(rows):
    """Rows as the bytes of a file."""
    return "".join(f"|{'|'.join(row)}|\r\n" for row in rows).encode("iso-8859-1")


def whole(rows):
    """All rows with block 9, as the bytes of a file."""
    return written([*rows, *ending(counted(rows), len(rows))])
