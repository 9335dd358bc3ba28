"""Block M of the EFD-Contribuições: what the booked rows owe, and what they give as a credit."""

from collections import OrderedDict
from dataclasses import dataclass, field

from base import ZERO, share
from sped import amount, money, percent

# The revenue of perfumery that was taxed at its maker, in the table of the EFD.
SINGLE_PHASE = "202"
CREDIT_KINDS = {"102": "01", "101": "02", "202": "12"}
NONE = "0,00"


@dataclass
class Tax:
    """Where a tax is in the rows: the CST; base, rate and value of the item follow from it."""

    registers: tuple
    # Register: places of CST, base, rate and value.
    places: dict
    code: str
    freight: str
    taxed: dict = field(default_factory=OrderedDict)
    free: dict = field(default_factory=OrderedDict)
    credits: dict = field(default_factory=OrderedDict)


def taxes(cumulative):
    return [
        Tax(
            ("M1", "M2", "M4"),
            {
                "C170": (24, 25, 26, 6),
                "C175": (4, 5, 6, 2),
                "C870": (5, 6, 7, 3),
                "A170": (8, 9, 10, 4),
                "D201": (1, 3, 4, 2),
            },
            "8109" if cumulative else "6912",
            "D101",
        ),
        Tax(
            ("M5", "M6", "M8"),
            {
                "C170": (30, 31, 32, 6),
                "C175": (10, 11, 12, 2),
                "C870": (9, 10, 11, 3),
                "A170": (12, 13, 14, 4),
                "D205": (1, 3, 4, 2),
            },
            "2172" if cumulative else "5856",
            "D105",
        ),
    ]


def settlement(book):
    rows = []
    cumulative = book.company.cumulative
    for tax, rate in zip(taxes(cumulative), book.rates):
        for booked in book.all():
            for row in booked.rows:
                take(tax, row)
        credit = share(sum(tax.credits.values(), ZERO), rate)
        owed = sum((share(base, of) for of, (base, _) in tax.taxed.items()), ZERO)
        used = ZERO if cumulative else min(credit, owed)
        if tax.credits:
            rows += credits(tax, rate, credit, used)
        rows += owing(tax, cumulative, owed, used)
        for cst, value in tax.free.items():
            rows += [
                [tax.registers[2] + "00", cst, money(value), "", ""],
                [tax.registers[2] + "10", SINGLE_PHASE, money(value), "", ""],
            ]
    return rows


def take(tax, row):
    register = row[0]
    if register == tax.freight:
        tax.credits["07"] = tax.credits.get("07", ZERO) + amount(row[5])
    if register not in tax.places:
        return
    cst_at, base_at, rate_at, value_at = tax.places[register]
    cst, base, value = row[cst_at], amount(row[base_at]), amount(row[value_at])
    if cst == "50":
        kind = CREDIT_KINDS[row[10][1:]]
        tax.credits[kind] = tax.credits.get(kind, ZERO) + base
    elif cst == "01":
        rate = amount(row[rate_at])
        before = tax.taxed.get(rate, (ZERO, ZERO))
        tax.taxed[rate] = (before[0] + base, before[1] + value)
    elif cst in ("04", "06", "07", "08", "09"):
        tax.free[cst] = tax.free.get(cst, ZERO) + value


def credits(tax, rate, credit, used):
    start = tax.registers[0]
    total = money(sum(tax.credits.values(), ZERO))
    rest = "0" if used == credit else "1"
    rows = [
        [
            start + "00",
            "101",
            "0",
            total,
            percent(rate),
            "",
            "",
            money(credit),
            NONE,
            NONE,
            NONE,
            money(credit),
            rest,
            money(used),
            money(credit - used),
        ]
    ]
    rows += [
        [start + "05", kind, "50", money(base), NONE, money(base), money(base), "", "", ""]
        for kind, base in tax.credits.items()
    ]
    return rows


def owing(tax, cumulative, owed, used):
    start = tax.registers[1]
    left = money(owed - used)
    if cumulative:
        head = [start + "00", *[NONE] * 7, money(owed), NONE, NONE, left, left]
    else:
        head = [start + "00", money(owed), money(used), NONE, left, NONE, NONE, left, *[NONE] * 4, left]
    rows = [head, [start + "05", "12" if cumulative else "08", tax.code + "01", left]]
    for rate, (base, gross) in tax.taxed.items():
        kind = "51" if cumulative else "01"
        rows.append(
            [
                start + "10",
                kind,
                money(gross),
                money(base),
                NONE,
                NONE,
                money(base),
                percent(rate),
                "",
                "",
                money(share(base, rate)),
                NONE,
                NONE,
                NONE,
                NONE,
                money(share(base, rate)),
            ]
        )
    return rows
