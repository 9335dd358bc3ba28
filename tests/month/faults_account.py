"""Faults of what an EFD ICMS/IPI sums up (block E), by their number in the list of crossings."""

from faults_icms import OURS, add
from people import FACTORY
from plan import efd, fault


def of_file(number, register, companies, tax, edit):
    """A fault of what an EFD sums up."""

    @fault(number)
    def plant(plan):
        company = plan.take_file(f"{register} {number}", companies)
        plan.change("icms", company, edit)
        plan.note("", efd("icms", company), register, tax)

    return plant


def row_of(rows, register):
    return next(row for row in rows if row[0] == register)


def retention(rows):
    """26: less ST than the notes kept back."""
    for register, places in (("E210", (7, 10, 12)), ("E250", (2,))):
        for place in places:
            add(row_of(rows, register), place, "-25.00")


def debits(rows):
    """29: debits are not those of the documents."""
    for place in (1, 10, 12):
        add(row_of(rows, "E110"), place, "-100.00")
    add(row_of(rows, "E116"), 2, "-100.00")


def credits(rows):
    """29: credits are not those of the documents."""
    row = row_of(rows, "E110")
    add(row, 5, "70.00")
    for place in (10, 12):
        add(row, place, "-70.00")
    add(row_of(rows, "E116"), 2, "-70.00")


def adjustment(rows):
    """29: the adjustments to debits are not those of the documents."""
    for place in (2, 10, 12):
        add(row_of(rows, "E110"), place, "35.00")
    add(row_of(rows, "E116"), 2, "35.00")


def difal_debit(rows):
    """27: less DIFAL than the documents owe to a State."""
    for place in (3, 7, 9):
        add(row_of(rows, "E310"), place, "-1.00")
    add(row_of(rows, "E316"), 2, "-1.00")


def fund_debit(rows):
    """27: less for the fund of a State than the documents owe."""
    start = next(place for place, row in enumerate(rows) if row[0] == "E310" and row[13] != "0,00")
    for place in (13, 17, 19):
        add(rows[start], place, "-0.50")


def to_pay(rows):
    """30: what is to be paid is not what was calculated."""
    add(row_of(rows, "E116"), 2, "-50.00")


def ipi_debit(rows):
    """28: the debit of IPI is not that of the notes."""
    row = row_of(rows, "E520")
    add(row, 2, "-40.00")
    add(row, 7, "-40.00")


FAULTS = [
    of_file("26", "E210", [FACTORY], "icms_st", retention),
    of_file("29", "E110", OURS, "icms", debits),
    of_file("29", "E110", OURS, "icms", credits),
    of_file("29", "E110", [FACTORY], "icms", adjustment),
    of_file("27", "E310", [FACTORY], "icms", difal_debit),
    of_file("27", "E310", [FACTORY], "icms", fund_debit),
    of_file("30", "E116", OURS, "icms", to_pay),
    of_file("28", "E520", [FACTORY], "ipi", ipi_debit),
]
