"""Faults of an EFD-Contribuições, by their number in the list of crossings."""

from decimal import Decimal

from base import share
from faults_documents import sale, taxed
from faults_account import row_of
from faults_icms import add, bought
from people import FACTORY, WHOLESALER
from plan import efd, fault
from sped import amount, money, percent

OURS = (FACTORY, WHOLESALER)


def company_of(service):
    return next((company for company in OURS if company.id[:8] == service.provider.id[:8]), None)


def taxed_row(row, cst, base, rates):
    """Gives a C170 a CST, a base and rates of both contributions."""
    for place, rate in ((24, rates[0]), (30, rates[1])):
        row[place], row[place + 1], row[place + 2] = cst, money(base), percent(rate)
        row[place + 5] = money(share(base, rate))


@fault("38")
def service_not_booked(plan):
    """38: a service that was rendered is not in the EFD."""
    service = plan.take(plan.month.services, lambda s: company_of(s) and not s.cancelled)
    plan.contrib[company_of(service).id].without(service.key)
    plan.note(service.key, service.file)


@fault("38")
def service_value(plan):
    """38: a service with another value."""
    service = plan.take(plan.month.services, lambda s: company_of(s) and not s.cancelled)
    company = company_of(service)
    add(plan.contrib[company.id].find(service.key).rows[0], 11, "-30.00")
    plan.note(service.key, efd("contribuicoes", company), "A100")


@fault("40")
def credit_with_icms(plan):
    """40: the base of a credit has the ICMS in it."""
    note = plan.take(plan.month.notes, lambda note: bought(note) and note.receiver is FACTORY and len(note.items) == 1)
    book = plan.contrib[FACTORY.id]
    taxed_row(book.find(note.key).of("C170")[0], "50", note.items[0].operation, book.rates)
    plan.note(note.key, efd("contribuicoes", FACTORY), "C170", "pis")


@fault("41")
def single_phase_taxed(plan):
    """41: goods that were taxed at their maker are booked as taxed."""
    note = plan.take(plan.month.notes, lambda note: sale(note, of=(WHOLESALER,)) and note.items[0].pis_cst == "04")
    book = plan.contrib[WHOLESALER.id]
    taxed_row(book.find(note.key).of("C170")[0], "01", note.items[0].operation, book.rates)
    plan.note(note.key, efd("contribuicoes", WHOLESALER), "C170", "pis")


@fault("46")
def rate_of_other_regime(plan):
    """46: a rate of the regime that the company is not in."""
    note = plan.take(plan.month.notes, lambda note: taxed(note) and len(note.items) == 1)
    company = note.issuer
    row = plan.contrib[company.id].find(note.key).of("C170")[0]
    rates = [Decimal("1.65"), Decimal("7.60")] if company.cumulative else [Decimal("0.65"), Decimal("3.00")]
    taxed_row(row, "01", amount(row[25]), rates)
    plan.note(note.key, efd("contribuicoes", company), "C170", "pis")


def no_free_revenue(register, tax):
    """42: revenue without contribution is not in M400 or M800."""

    def edit(rows):
        rows[:] = [row for row in rows if row[0] not in (register, register[:2] + "10")]

    @fault("42")
    def plant(plan):
        company = plan.take_file(register, [WHOLESALER])
        plan.change("contribuicoes", company, edit)
        plan.note("", efd("contribuicoes", company), register, tax)

    return plant


def base_of_sum(register, tax):
    """47: the base that is owed on is not the sum of the rows."""

    def edit(rows):
        row = row_of(rows, register)
        add(row, 3, "-300.00")
        add(row, 6, "-300.00")

    @fault("47")
    def plant(plan):
        company = plan.take_file(register, OURS)
        plan.change("contribuicoes", company, edit)
        plan.note("", efd("contribuicoes", company), register, tax)

    return plant


FAULTS = [
    service_not_booked,
    service_value,
    credit_with_icms,
    single_phase_taxed,
    rate_of_other_regime,
    no_free_revenue("M400", "pis"),
    no_free_revenue("M800", "cofins"),
    base_of_sum("M210", "pis"),
    base_of_sum("M610", "cofins"),
]
