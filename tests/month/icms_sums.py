"""Block E of the EFD ICMS/IPI: what the booked rows owe of ICMS, ICMS-ST, DIFAL and IPI."""

from collections import OrderedDict

from base import ZERO
from sped import amount, money

NONE = "0,00"
# Where the ICMS of a register is.
ICMS = {"C190": 6, "C850": 6, "C890": 6, "D190": 6}


def settlement(book):
    """The rows of block E."""
    return own(book, icms(book, True), icms(book, False)) + substitution(book) + difal(book) + ipi(book)


def icms(book, outgoing):
    rows = [row for booked in book.all() if booked.outgoing == outgoing for row in booked.rows]
    return sum((amount(row[ICMS[row[0]]]) for row in rows if row[0] in ICMS), ZERO)


def adjustments(book, sides):
    """What documents adjust, by the third character of the code."""
    rows = [row for booked in book.all() for row in booked.rows if row[0] in ("C197", "D197")]
    return sum((amount(row[6]) for row in rows if row[1][2] in sides and row[1][3] == "0"), ZERO)


def own(book, out, into):
    """What is owed of debits and credits."""
    more, less = adjustments(book, "345"), adjustments(book, "012")
    owed = out + more - into - less
    due, left = money(max(owed, ZERO)), money(max(-owed, ZERO))
    rows = [
        ["E100", book.first, book.last],
        [
            "E110",
            money(out),
            money(more),
            NONE,
            NONE,
            money(into),
            money(less),
            NONE,
            NONE,
            NONE,
            due,
            NONE,
            due,
            left,
            NONE,
        ],
    ]
    if owed > 0:
        rows.append(["E116", "000", due, "20072026", "046-2", "", "", "", "", book.last[2:]])
    return rows


def by_state(book, of):
    """Sums of what a booked note has, by the State of its receiver."""
    sums = OrderedDict()
    for booked in book.all():
        note = booked.document
        if note and booked.outgoing and note.model == "55":
            value = of(booked)
            if value:
                sums[note.receiver.uf] = sums.get(note.receiver.uf, ZERO) + value
    return sums


def substitution(book):
    kept = by_state(book, lambda booked: sum((amount(row[8]) for row in booked.of("C190")), ZERO))
    rows = []
    for uf, value in kept.items():
        due = money(value)
        rows += [
            ["E200", uf, book.first, book.last],
            ["E210", "1", *[NONE] * 5, due, NONE, NONE, due, NONE, due, NONE, NONE],
            ["E250", "002", due, "09072026", "146-6", "", "", "", "", "062026"],
        ]
    return rows


def difal(book):
    owed = by_state(book, lambda booked: sum((amount(row[2]) for row in booked.of("C101")), ZERO))
    funds = by_state(book, lambda booked: sum((amount(row[1]) for row in booked.of("C101")), ZERO))
    rows = []
    for uf, value in owed.items():
        due, fund = money(value), money(funds.get(uf, ZERO))
        first = [NONE, due, NONE, NONE, NONE, due, NONE, due, NONE, NONE]
        second = [NONE, fund, NONE, NONE, NONE, fund, NONE, fund, NONE, NONE]
        rows += [["E300", uf, book.first, book.last], ["E310", "1", *first, *second]]
        rows.append(["E316", "000", due, "15072026", "100102", "", "", "", "", "062026"])
        if fund != NONE:
            rows.append(["E316", "006", fund, "15072026", "100129", "", "", "", "", "062026"])
    return rows


def ipi(book):
    if not book.company.industrial:
        return []
    sums = OrderedDict()
    for booked in book.all():
        for kind, amounts in ipi_lines(booked):
            before = sums.setdefault(kind, [ZERO] * 3)
            sums[kind] = [one + other for one, other in zip(before, amounts)]
    debit = sum((v[2] for (cfop, _), v in sums.items() if cfop[0] in "567"), ZERO)
    credit = sum((v[2] for (cfop, _), v in sums.items() if cfop[0] in "123"), ZERO)
    rows = [["E510", *kind, *map(money, amounts)] for kind, amounts in sorted(sums.items())]
    owed = debit - credit
    due, left = money(max(owed, ZERO)), money(max(-owed, ZERO))
    return [
        ["E500", "0", book.first, book.last],
        *rows,
        ["E520", NONE, money(debit), money(credit), NONE, NONE, left, due],
    ]


def ipi_lines(booked):
    """(CFOP, CST) and value, base, IPI of the items of a document."""
    note = booked.document
    if not note or note.model != "55" or note.cancelled:
        return
    if not booked.outgoing:
        for row in booked.of("C170"):
            if row[19]:
                yield (row[10], row[19]), (amount(row[6]) + amount(row[23]), amount(row[21]), amount(row[23]))
        return
    for item in note.items:
        if item.ipi_cst:
            yield (item.cfop, item.ipi_cst), (item.whole, item.ipi_base, item.ipi)
