"""Faults within a document. Its declarant books it as it is written, so only the document is at fault."""

from dataclasses import replace
from decimal import Decimal

from base import share
from month import plain
from people import BOX, FACTORY, POT, SHIRT, SHOE, SHOP, SUPPLIERS, TOWEL, WHOLESALER
from plan import fault

OURS = (FACTORY, WHOLESALER)
PLAIN = (TOWEL, SHIRT, SHOE)


def sale(note, model="55", of=OURS):
    return note.issuer in of and note.model == model and not note.cancelled and plain(note)


def taxed(note, model="55", of=OURS):
    """Sales with ICMS alone: no ST, no DIFAL."""
    return sale(note, model, of) and all(item.cst == "00" and not item.difal for item in note.items)


def downstream(note, item):
    """What follows from another ICMS of an item."""
    item.pis_base = item.cofins_base = item.operation - item.icms
    item.pis, item.cofins = share(item.pis_base, item.pis_rate), share(item.cofins_base, item.cofins_rate)
    without_contributions(note, item)


def without_contributions(note, item):
    """What follows from another PIS or COFINS of an item: the base of IBS and CBS."""
    item.ibs_base = item.operation - item.icms - item.difal - item.pis - item.cofins
    item.ibs, item.cbs = share(item.ibs_base, "0.10"), share(item.ibs_base, "0.90")
    note.sum()


@fault("icms_product")
def icms_product(plan):
    note = plan.take(plan.month.notes, taxed)
    item = note.items[0]
    item.icms += Decimal("7.00")
    downstream(note, item)
    plan.note(note.key, note.file, tax="icms")


@fault("icms_product")
def icms_product_consumer(plan):
    note = plan.take(plan.month.notes, lambda note: taxed(note, "65"))
    note.items[0].icms += Decimal("3.00")
    downstream(note, note.items[0])
    plan.note(note.key, note.file, tax="icms")


@fault("icms_rate")
def icms_rate_between(plan):
    note = plan.take(plan.month.notes, lambda note: taxed(note) and not note.internal and note.items[0].origin == "0")
    item = note.items[0]
    item.rate = Decimal("18.00")
    item.icms = share(item.base, item.rate)
    downstream(note, item)
    plan.note(note.key, note.file, tax="icms")


def total(name, amount, tax, of=OURS):
    """A total that is not the sum of the items."""

    @fault(f"total_{name}")
    def plant(plan):
        note = plan.take(plan.month.notes, lambda note: taxed(note, of=of))
        note.totals[name] += Decimal(amount)
        plan.note(note.key, note.file, tax=tax)

    return plant


@fault("contribution_product")
def pis_product(plan):
    note = plan.take(plan.month.notes, lambda note: taxed(note, "65"))
    note.items[0].pis += Decimal("2.00")
    without_contributions(note, note.items[0])
    plan.note(note.key, note.file, tax="pis")


@fault("contribution_product")
def cofins_product(plan):
    note = plan.take(plan.month.notes, taxed)
    note.items[0].cofins += Decimal("5.00")
    without_contributions(note, note.items[0])
    plan.note(note.key, note.file, tax="cofins")


@fault("st_product")
def st_product(plan):
    note = plan.take(plan.month.notes, lambda note: sale(note) and note.items[0].cst == "10")
    note.items[0].st += Decimal("6.00")
    note.sum()
    plan.note(note.key, note.file, tax="icms_st")


@fault("ipi_rate")
def ipi_rate(plan):
    note = plan.take(plan.month.notes, lambda note: taxed(note) and note.items[0].product in (BOX, POT))
    item = note.items[0]
    item.ipi_rate = Decimal("3.25")
    item.ipi = share(item.ipi_base, item.ipi_rate)
    note.sum()
    plan.note(note.key, note.file, tax="ipi")


@fault("ipi_product")
def ipi_product(plan):
    note = plan.take(plan.month.notes, lambda note: taxed(note) and note.items[0].product in (BOX, POT))
    note.items[0].ipi += Decimal("4.00")
    note.sum()
    plan.note(note.key, note.file, tax="ipi")


@fault("cbs_product")
def cbs_product(plan):
    note = plan.take(plan.month.notes, taxed)
    note.items[0].cbs += Decimal("1.50")
    note.sum()
    plan.note(note.key, note.file, tax="cbs")


@fault("difal_product")
def difal_product(plan):
    note = plan.take(plan.month.notes, lambda note: sale(note) and note.totals["difal"])
    note.items[0].difal += Decimal("3.00")
    without_contributions(note, note.items[0])
    plan.note(note.key, note.file, tax="icms_consumidor_final")


@fault("total_ibs")
def total_of_ibs(plan):
    note = plan.take(plan.month.notes, taxed)
    note.totals["ibs"] += Decimal("1.00")
    plan.note(note.key, note.file, tax="ibs")


@fault("quantity")
def quantity(plan):
    note = plan.take(plan.month.notes, taxed)
    note.items[0].amount += 1
    plan.note(note.key, note.file)


@fault("classification")
def classification(plan):
    """A classification of IBS and CBS that is of another CST."""
    note = plan.take(plan.month.notes, taxed)
    note.items[0].ibs_class = "200001"
    plan.note(note.key, note.file, tax="cbs")


@fault("margin")
def margin(plan):
    """A margin that does not give the base of ICMS-ST."""
    note = plan.take(plan.month.notes, lambda note: sale(note) and note.items[0].cst == "10")
    note.items[0].margin = Decimal("30.00")
    plan.note(note.key, note.file, tax="icms_st")


@fault("code_of_regime")
def code_of_regime(plan):
    """A CST on a note of the Simples: the note says two regimes."""
    note = plan.take(plan.month.notes, lambda note: sale(note, of=(SHOP,)) and note.items[0].cst == "500")
    note.items[0].cst = "60"
    plan.note(note.key, note.file, tax="icms")


@fault("scope_of_cfop")
def scope_of_cfop(plan):
    """A CFOP of a sale inside the State on a note to another State."""
    note = plan.take(plan.month.notes, lambda note: taxed(note) and not note.internal and len(note.items) == 1)
    note.items[0].cfop = "5" + note.items[0].cfop[1:]
    plan.note(note.key, note.file)


@fault("no_such_ncm")
def no_such_ncm(plan):
    note = plan.take(plan.month.notes, lambda note: sale(note, of=(SHOP,)) and note.items[0].cst == "102")
    note.items[0].product = wrong_ncm(note.items[0].product)
    plan.note(note.key, note.file, tax="ncm")


def wrong_ncm(product):
    return replace(product, ncm="99999999")


@fault("icms_product")
def coupon_product(plan):
    coupon = plan.take(plan.month.coupons, lambda c: c.issuer is FACTORY and not c.cancelled)
    coupon.items[0].icms += Decimal("2.00")
    coupon.sum()
    plan.note(coupon.key, coupon.file, tax="icms")


@fault("contribution_product")
def coupon_pis(plan):
    coupon = plan.take(plan.month.coupons, lambda c: c.issuer is FACTORY and not c.cancelled)
    coupon.items[0].pis += Decimal("2.00")
    coupon.sum()
    plan.note(coupon.key, coupon.file, tax="pis")


@fault("total_note")
def coupon_total(plan):
    coupon = plan.take(plan.month.coupons, lambda c: not c.cancelled)
    coupon.totals["note"] += Decimal("4.00")
    plan.note(coupon.key, coupon.file)


@fault("freight_product")
def freight_product(plan):
    freight = plan.take(plan.month.freights, lambda f: f.carrier is WHOLESALER and not f.cancelled)
    freight.icms += Decimal("9.00")
    freight.settle()
    plan.note(freight.key, freight.file, tax="icms")


@fault("freight_received")
def freight_received(plan):
    freight = plan.take(plan.month.freights, lambda f: not f.cancelled)
    freight.received += Decimal("10.00")
    plan.note(freight.key, freight.file)


@fault("freight_scope")
def freight_scope(plan):
    """A CFOP of freight inside the State on one to another."""
    freight = plan.take(plan.month.freights, lambda f: not f.cancelled)
    freight.cfop = "5353"
    plan.note(freight.key, freight.file)


@fault("freight_cbs")
def freight_cbs(plan):
    freight = plan.take(plan.month.freights, lambda f: not f.cancelled)
    freight.cbs += Decimal("2.00")
    plan.note(freight.key, freight.file, tax="cbs")


def service_product(layout):
    @fault("service_product")
    def plant(plan):
        service = plan.take(plan.month.services, lambda s: s.layout == layout and not s.simple and not s.cancelled)
        service.iss += Decimal("11.00")
        plan.note(service.key, service.file, tax="iss")

    return plant


@fault("service_product")
def service_base(plan):
    service = plan.take(plan.month.services, lambda s: s.layout == "abrasf" and not s.simple and not s.cancelled)
    service.base -= Decimal("100.00")
    plan.note(service.key, service.file, tax="iss")


@fault("service_pis")
def service_pis(plan):
    service = plan.take(plan.month.services, lambda s: s.layout == "nacional" and not s.simple and not s.cancelled)
    service.pis_more = Decimal("7.00")
    plan.note(service.key, service.file, tax="pis")


@fault("service_rate")
def service_rate(plan):
    """A rate that is not the city's, where the law of the city says it without a condition."""
    service = plan.take(plan.month.services, lambda s: s.layout == "ginfes" and not s.simple)
    service.rate = Decimal("3.00")
    service.iss = share(service.base, service.rate)
    plan.note(service.key, service.file, tax="iss")


FAULTS = [
    icms_product,
    icms_product_consumer,
    icms_rate_between,
    total("icms", "12.00", "icms", SUPPLIERS),
    total("note", "15.00", ""),
    total("value", "20.00", ""),
    pis_product,
    cofins_product,
    st_product,
    ipi_rate,
    ipi_product,
    cbs_product,
    difal_product,
    total_of_ibs,
    total("pis", "3.00", "pis"),
    quantity,
    classification,
    margin,
    code_of_regime,
    scope_of_cfop,
    no_such_ncm,
    coupon_product,
    coupon_pis,
    coupon_total,
    freight_product,
    freight_received,
    freight_scope,
    freight_cbs,
    service_product("abrasf"),
    service_product("ginfes"),
    service_product("paulistana"),
    service_product("nacional"),
    service_base,
    service_pis,
    service_rate,
]
