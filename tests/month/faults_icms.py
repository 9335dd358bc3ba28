"""Faults of an EFD ICMS/IPI, by their number in the list of crossings. All the rest of the file follows from them."""

from decimal import Decimal

from faults_documents import sale, taxed
from month import plain
from people import FACTORY, WHOLESALER
from plan import MAY, efd, fault
from sped import Booked, amount, money

OURS = (FACTORY, WHOLESALER)


def own(plan, suits):
    """A document of a company, and where its EFD has it."""
    note = plan.take(plan.month.notes, suits)
    return note, plan.icms[note.issuer.id], efd("icms", note.issuer)


def bought(note):
    return note.receiver in OURS and plain(note) and note.issuer.crt == 3


def entry(plan, suits=lambda note: True):
    note = plan.take(plan.month.notes, lambda note: bought(note) and suits(note))
    return note, plan.icms[note.receiver.id], efd("icms", note.receiver)


def add(row, place, value):
    row[place] = money(amount(row[place]) + Decimal(value))


@fault("1")
def not_booked(plan):
    """1: an authorised note of the company is not in its EFD."""
    note, book, _ = own(plan, lambda note: sale(note) and not note.items[0].ipi_cst)
    book.without(note.key)
    plan.note(note.key, note.file)


@fault("1")
def consumer_not_booked(plan):
    note, book, _ = own(plan, lambda note: sale(note, "65"))
    book.without(note.key)
    plan.note(note.key, note.file)


@fault("4")
def cancelled_booked(plan):
    """4: a cancelled note is booked as if it were valid."""
    note, book, file = own(
        plan,
        lambda note: (
            note.cancelled
            and note.issuer in OURS
            and note.model == "55"
            and note.totals["icms"]
            and not note.totals["difal"]
        ),
    )
    book.without(note.key)
    note.cancelled = False
    book.own_note(note)
    note.cancelled = True
    plan.note(note.key, file, "C100")


@fault("4")
def cancelled_freight_booked(plan):
    """4: a cancelled CT-e is booked as if it were valid."""
    freight = plan.take(plan.month.freights, lambda f: f.carrier is WHOLESALER and f.cancelled)
    book = plan.icms[WHOLESALER.id]
    book.without(freight.key)
    freight.cancelled = False
    book.freight(freight)
    freight.cancelled = True
    plan.note(freight.key, efd("icms", WHOLESALER), "D100")


@fault("4")
def cancelled_coupon_booked(plan):
    """4: a cancelled coupon is booked as if it were valid."""
    coupon = booked_coupon(plan, lambda c: c.cancelled)
    book = plan.icms[FACTORY.id]
    book.without(coupon.key)
    coupon.cancelled = False
    book.coupon(coupon)
    coupon.cancelled = True
    plan.note(coupon.key, efd("icms", FACTORY), "C800")


@fault("6")
def cancelled_with_values(plan):
    """6: a cancelled note with more than its identification."""
    note, book, file = own(plan, lambda note: note.cancelled and note.issuer in OURS)
    row = book.find(note.key).rows[0]
    row[11] = row[15] = money(note.totals["note"])
    plan.note(note.key, file, "C100")


@fault("7")
def number_of_key(plan):
    """7: the number of the row is not that of its key."""
    note, book, file = own(plan, taxed)
    row = book.find(note.key).rows[0]
    row[7] = str(int(row[7]) + 3000)
    plan.note(note.key, file, "C100")


@fault("8")
def digit_of_key(plan):
    """8: the check digit of the key is wrong."""
    note, book, file = entry(plan)
    row = book.find(note.key).rows[0]
    row[8] = row[8][:-1] + str((int(row[8][-1]) + 1) % 10)
    plan.used.add(row[8])
    plan.note(row[8], file, "C100")


@fault("9")
def twice(plan):
    """9: the same document in two rows."""
    note, book, file = own(plan, lambda note: taxed(note) and not note.items[0].ipi_cst)
    booked = book.find(note.key)
    book.add("C", Booked([list(row) for row in booked.rows], note, booked.outgoing))
    plan.note(note.key, file, "C100")


@fault("9")
def in_two_months(plan):
    """9: the same document in the EFD of two months."""
    note = plan.take(plan.month.notes, lambda note: taxed(note, of=(FACTORY,)) and not note.items[0].ipi_cst)
    booked = plan.icms[FACTORY.id].find(note.key)
    plan.may.add("C", Booked([list(row) for row in booked.rows], note, booked.outgoing))
    plan.may.party(note.receiver)
    plan.note(note.key, MAY, "C100")


@fault("11")
def other_day(plan):
    """11: another day of issue."""
    note, book, file = own(plan, taxed)
    row = book.find(note.key).rows[0]
    row[9] = row[10] = f"{note.day + 1:02d}062026"
    plan.note(note.key, file, "C100")


@fault("13")
def other_value(plan):
    """13: another total."""
    note, book, file = own(plan, taxed)
    add(book.find(note.key).rows[0], 11, "10.00")
    plan.note(note.key, file, "C100")


@fault("13")
def other_value_bought(plan):
    note, book, file = entry(plan)
    add(book.find(note.key).rows[0], 11, "-10.00")
    plan.note(note.key, file, "C100")


@fault("15")
def other_icms(plan):
    """15: another ICMS in the row of the document."""
    note, book, file = own(plan, taxed)
    add(book.find(note.key).rows[0], 21, "-8.00")
    plan.note(note.key, file, "C100", "icms")


@fault("16")
def other_cfop(plan):
    """16: the sum of a CFOP is not that of the note."""
    note, book, file = own(plan, lambda note: taxed(note) and not note.items[0].ipi_cst)
    book.find(note.key).of("C190")[0][2] = note.items[0].cfop[0] + "101"
    plan.note(note.key, file, "C190")


@fault("16")
def other_sum(plan):
    """16: ICMS moved between base and rate: the sum of a group is less than that of the note."""
    note, book, file = own(plan, lambda note: taxed(note) and not note.items[0].ipi_cst)
    add(book.find(note.key).of("C190")[0], 5, "-30.00")
    plan.note(note.key, file, "C190", "icms")


@fault("17")
def items_and_sum(plan):
    """17: the C190 of a purchase is not the sum of its items."""
    note, book, file = entry(plan, lambda note: note.totals["icms"])
    add(book.find(note.key).of("C190")[0], 5, "-10.00")
    plan.note(note.key, file, "C190")


@fault("19")
def sense_of_cfop(plan):
    """19: a purchase with the CFOP of a sale."""
    note, book, file = entry(plan, lambda note: note.items[0].product.code != "P08" and len(note.items) == 1)
    booked = book.find(note.key)
    for row, place in [(booked.of("C170")[0], 10), (booked.of("C190")[0], 2)]:
        row[place] = {"1": "5", "2": "6"}[row[place][0]] + row[place][1:]
    plan.note(note.key, file, "C190")


@fault("21")
def scope_of_cfop(plan):
    """21: a purchase from another State with the CFOP of one at home."""
    note, book, file = entry(
        plan, lambda note: not note.internal and len(note.items) == 1 and note.items[0].product.code != "P08"
    )
    booked = book.find(note.key)
    for row, place in [(booked.of("C170")[0], 10), (booked.of("C190")[0], 2)]:
        row[place] = "1" + row[place][1:]
    plan.note(note.key, file, "C190")


@fault("23")
def credit_too_high(plan):
    """23: a credit above what the supplier charged, in all rows of the document."""
    note, book, file = entry(plan, lambda note: len(note.items) == 1 and not note.internal and note.totals["icms"] > 5)
    booked = book.find(note.key)
    item, group, head = booked.of("C170")[0], booked.of("C190")[0], booked.rows[0]
    rate = Decimal("18.00")
    icms = (amount(item[12]) * rate / 100).quantize(Decimal("0.01"))
    item[13], item[14], group[3], group[6], head[21] = money(rate), money(icms), money(rate), money(icms), money(icms)
    plan.note(note.key, file, "C100", "icms")


@fault("25")
def other_st(plan):
    """25: another ICMS-ST."""
    note, book, file = own(plan, lambda note: sale(note) and note.totals["st"])
    add(book.find(note.key).rows[0], 23, "-6.00")
    plan.note(note.key, file, "C100", "icms_st")


@fault("28")
def other_ipi(plan):
    """28: another IPI in the row of the document."""
    note, book, file = own(plan, lambda note: taxed(note) and note.totals["ipi"])
    add(book.find(note.key).rows[0], 24, "-5.00")
    plan.note(note.key, file, "C100", "ipi")


@fault("27")
def no_difal(plan):
    """27: the DIFAL of a note has no C101; the sum of the State has it."""
    note, book, file = own(plan, lambda note: sale(note) and note.totals["difal"])
    lost = note.totals["difal"]
    booked = book.find(note.key)
    booked.rows[:] = [row for row in booked.rows if row[0] != "C101"]

    def keep(rows):
        start = next(place for place, row in enumerate(rows) if row[:2] == ["E300", note.receiver.uf])
        for row, places in ((rows[start + 1], (3, 7, 9)), (rows[start + 2], (2,))):
            for place in places:
                add(row, place, lost)

    plan.change("icms", note.issuer, keep)
    plan.note(note.key, file, "C101", "icms")


@fault("32")
def freight_value(plan):
    """32: a CT-e of the company with another value."""
    freight = plan.take(plan.month.freights, lambda f: f.carrier is WHOLESALER and not f.cancelled)
    add(plan.icms[WHOLESALER.id].find(freight.key).rows[0], 14, "-20.00")
    plan.note(freight.key, efd("icms", WHOLESALER), "D100")


@fault("32")
def freight_icms(plan):
    freight = plan.take(plan.month.freights, lambda f: f.carrier is WHOLESALER and not f.cancelled)
    booked = plan.icms[WHOLESALER.id].find(freight.key)
    add(booked.rows[0], 19, "-9.00")
    add(booked.rows[1], 6, "-9.00")
    plan.note(freight.key, efd("icms", WHOLESALER), "D100", "icms")


@fault("34")
def coupon_value(plan):
    """34: a coupon of the SAT with another value."""
    coupon = booked_coupon(plan, lambda c: not c.cancelled)
    add(plan.icms[FACTORY.id].find(coupon.key).rows[0], 5, "-5.00")
    plan.note(coupon.key, efd("icms", FACTORY), "C800")


def booked_coupon(plan, suits):
    """A coupon that the EFD has one by one."""
    return plan.take(plan.month.coupons, lambda c: c.issuer is FACTORY and not plan.month.by_day and suits(c))


def taxed_coupon(plan):
    return booked_coupon(plan, lambda c: not c.cancelled and c.items[0].icms > 3 and len(c.items) < 3)


def of_day(place, less):
    """34: the coupons of a device and a day have another value, or another ICMS."""

    @fault("34")
    def plant(plan):
        company = plan.take_file(f"C890 {place}", [FACTORY] if plan.month.by_day else [])
        days = [booked for booked in plan.icms[company.id].all() if booked.rows[0][0] == "C860"]
        taxed = [booked for booked in days if booked.of("C890") and amount(booked.of("C890")[0][6]) > 3]
        # The first day has the one fault, and the last the other.
        add(taxed[-1 if place == 6 else 0].of("C890")[0], place, less)
        plan.note("", efd("icms", company), "C860")

    return plant


@fault("34")
def coupon_icms(plan):
    coupon = taxed_coupon(plan)
    booked = plan.icms[FACTORY.id].find(coupon.key)
    add(booked.rows[0], 14, "-2.00")
    add(booked.of("C850")[0], 6, "-2.00")
    plan.note(coupon.key, efd("icms", FACTORY), "C800", "icms")


@fault("34_icms")
def coupon_icms_of_head(plan):
    """34: the ICMS of the coupon's row is not that of the coupon, though its groups are right."""
    coupon = taxed_coupon(plan)
    add(plan.icms[FACTORY.id].find(coupon.key).rows[0], 14, "-2.00")
    plan.note(coupon.key, efd("icms", FACTORY), "C800", "icms")


FAULTS = [
    not_booked,
    consumer_not_booked,
    cancelled_booked,
    cancelled_freight_booked,
    cancelled_coupon_booked,
    cancelled_with_values,
    number_of_key,
    digit_of_key,
    twice,
    in_two_months,
    other_day,
    other_value,
    other_value_bought,
    other_icms,
    other_cfop,
    other_sum,
    items_and_sum,
    sense_of_cfop,
    scope_of_cfop,
    credit_too_high,
    other_st,
    other_ipi,
    no_difal,
    freight_value,
    freight_icms,
    coupon_value,
    coupon_icms,
    coupon_icms_of_head,
    of_day(4, "-5.00"),
    of_day(6, "-2.00"),
]
