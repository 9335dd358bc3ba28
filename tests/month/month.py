"""The documents of June 2026 of three companies, as the law has them, drawn by a seed."""

from dataclasses import dataclass, field, replace
from decimal import Decimal

import tricky
from base import cnpj
from cfe_xml import Coupon, CouponItem
from cte_xml import Freight
from goods import Item, Note
from nfse_xml import LAYOUTS, Service
from people import (
    BOX,
    BUYERS,
    CARRIERS,
    CARTON,
    CHOCOLATE,
    CITIES,
    CONSUMERS,
    CREAM,
    FACTORY,
    POT,
    SHIRT,
    SHOE,
    SHOP,
    SUPPLIERS,
    TOWEL,
    WHOLESALER,
)


@dataclass
class Month:
    notes: list = field(default_factory=list)
    coupons: list = field(default_factory=list)
    freights: list = field(default_factory=list)
    services: list = field(default_factory=list)
    # The EFD has the coupons by device and day.
    by_day: bool = False

    def documents(self):
        return [*self.notes, *self.coupons, *self.freights, *self.services]


class Maker:
    """Draws documents. The numbers of an issuer follow each other."""

    def __init__(self, draw):
        self.draw, self.month, self.last = draw, Month(), {}

    def number(self, issuer, model, series):
        start = self.last.get((issuer.id, model, series), 1000)
        self.last[issuer.id, model, series] = start + 1
        return start + 1

    def day(self):
        return self.draw.randint(1, 28)

    def amount(self):
        return self.draw.randint(2, 60)

    def note(self, issuer, receiver, items, model="55", series=1, **more):
        number = self.number(issuer, model, series)
        made = Note(issuer, receiver, model, series, number, self.day(), items, **more)
        self.month.notes.append(made)
        return made

    def pick(self, products):
        return self.draw.sample(products, self.draw.randint(1, min(3, len(products))))

    def inside(self, uf):
        return self.draw.choice([buyer for buyer in BUYERS if buyer.uf == uf])

    def outside(self, uf):
        return self.draw.choice([buyer for buyer in BUYERS if buyer.uf != uf])


def make(draw):
    """The whole month: 500 NF-e, 300 NFC-e, 100 CF-e, 60 CT-e, 40 NFS-e."""
    maker = Maker(draw)
    maker.month.by_day = draw.random() < 0.5
    tricky.lawful(maker)
    factory(maker)
    wholesaler(maker)
    shop(maker)
    purchases(maker)
    consumers(maker)
    coupons(maker)
    freights(maker)
    services(maker)
    return maker.month


def freight_of(maker):
    return Decimal(maker.draw.choice(["0.00", "0.00", "35.00", "48.50"]))


def factory(maker):
    """170 notes of the factory: made and bought goods, at home and outside, with ST, DIFAL, imports and returns."""
    for place in range(190 - tricky.COUNT):
        kind = place % 10
        freight = freight_of(maker)
        if kind in (0, 1, 2):
            goods = [Item(p, maker.amount(), "5101", own_made=True, freight=freight) for p in maker.pick([BOX, POT])]
            maker.note(FACTORY, maker.inside("SP"), goods)
        elif kind in (3, 4):
            goods = [Item(p, maker.amount(), "6101", own_made=True, freight=freight) for p in maker.pick([BOX, POT])]
            maker.note(FACTORY, maker.outside("SP"), goods)
        elif kind == 5:
            maker.note(FACTORY, maker.inside("SP"), [Item(CHOCOLATE, maker.amount(), "5401", cst="10", own_made=True)])
        elif kind == 6:
            goods = [Item(p, maker.amount(), "5102", freight=freight) for p in maker.pick([TOWEL, SHIRT, SHOE])]
            maker.note(FACTORY, maker.inside("SP"), goods)
        elif kind == 7:
            goods = [Item(p, maker.amount(), "6102") for p in maker.pick([TOWEL, SHIRT, SHOE])]
            maker.note(FACTORY, maker.outside("SP"), goods)
        elif kind == 8:
            consumer = maker.draw.choice([c for c in CONSUMERS if c.uf in ("SC", "PR")])
            maker.note(FACTORY, consumer, [Item(maker.draw.choice([TOWEL, SHIRT]), maker.draw.randint(1, 5), "6108")])
        else:
            goods = [Item(TOWEL, maker.amount(), "6102", origin="2")]
            maker.note(FACTORY, maker.outside("SP"), goods)
    cancel(maker, FACTORY, "55", 10)


def wholesaler(maker):
    """130 notes of the wholesaler, with goods of which ST and single-phase contributions are paid."""
    for place in range(130):
        kind = place % 4
        if kind < 2:
            goods = [Item(p, maker.amount(), "5102") for p in maker.pick([TOWEL, SHIRT, SHOE])]
            maker.note(WHOLESALER, maker.inside("MG"), goods)
        elif kind == 2:
            goods = [Item(CREAM, maker.amount(), "5405", cst="60")]
            maker.note(WHOLESALER, maker.inside("MG"), goods)
        else:
            goods = [Item(p, maker.amount(), "6102") for p in maker.pick([TOWEL, SHIRT, SHOE])]
            maker.note(WHOLESALER, maker.outside("MG"), goods)
    cancel(maker, WHOLESALER, "55", 6)


def shop(maker):
    """40 notes of the shop of the Simples."""
    for place in range(40):
        if place % 3 == 0:
            goods = [Item(p, maker.amount(), "5102", cst="101") for p in maker.pick([TOWEL, SHIRT])]
            maker.note(SHOP, maker.inside("SP"), goods)
        elif place % 3 == 1:
            goods = [Item(CHOCOLATE, maker.amount(), "5405", cst="500")]
            maker.note(SHOP, maker.inside("SP"), goods)
        else:
            goods = [Item(p, maker.amount(), "6102", cst="102") for p in maker.pick([TOWEL, SHIRT])]
            maker.note(SHOP, maker.outside("SP"), goods)
    cancel(maker, SHOP, "55", 2)


def purchases(maker):
    """125 notes of suppliers, and 15 with which buyers give goods back."""
    by_uf = {"SP": 5, "MG": 5}
    for receiver, count in ((FACTORY, 60), (WHOLESALER, 50), (SHOP, 15)):
        for place in range(count):
            supplier = SUPPLIERS[place % len(SUPPLIERS)]
            scope = "5" if supplier.uf == receiver.uf else "6"
            if supplier.crt == 1:
                goods = [Item(SHIRT, maker.amount(), scope + "101", cst="101")]
            elif place % 5 == 0 and receiver is FACTORY:
                goods = [Item(CARTON, 10 * maker.amount(), scope + "101", own_made=True)]
            elif place % 7 == 0 and receiver is SHOP:
                goods = (
                    [Item(CHOCOLATE, maker.amount(), scope + "405", cst="60")]
                    if scope == "5"
                    else [Item(TOWEL, maker.amount(), "6101")]
                )
            else:
                made = maker.draw.random() < 0.5
                goods = [
                    Item(p, maker.amount(), scope + ("101" if made else "102"), own_made=made)
                    for p in maker.pick([TOWEL, SHIRT, SHOE])
                ]
            maker.note(supplier, receiver, goods)
    sold = [
        note
        for note in maker.month.notes
        if not note.cancelled
        and plain(note)
        and note.issuer in (FACTORY, WHOLESALER)
        and note.receiver.ie_kind == 1
        and note.items[0].product in (TOWEL, SHIRT, SHOE)
        and note.items[0].cst == "00"
        and note.items[0].origin == "0"
        and not note.totals["freight"]
    ]
    for company, count in ((FACTORY, 10), (WHOLESALER, 5)):
        for note in [n for n in sold if n.issuer is company][:count]:
            item = note.items[0]
            back = Item(item.product, 1, note.items[0].cfop[0] + "202", pis_cst="49")
            maker.note(note.receiver, company, [back], purpose="4", reference=note.key)
    return by_uf


def consumers(maker):
    """300 NFC-e: 150 of the factory's shop, 50 of the wholesaler, 100 of the Simples."""
    for company, count in ((FACTORY, 150), (WHOLESALER, 50), (SHOP, 100)):
        for place in range(count):
            simple = company.crt == 1
            if place % 4 == 3:
                product = CREAM if company is WHOLESALER else CHOCOLATE
                goods = [Item(product, maker.draw.randint(1, 4), "5405", cst="500" if simple else "60")]
            else:
                goods = [
                    Item(p, maker.draw.randint(1, 4), "5102", cst="102" if simple else "00")
                    for p in maker.pick([TOWEL, SHIRT, SHOE])
                ]
            maker.note(company, None, goods, model="65", series=2)
    cancel(maker, FACTORY, "65", 5)
    cancel(maker, SHOP, "65", 3)


def coupons(maker):
    """100 coupons of the SAT: 60 of the factory, 40 of the shop."""
    for company, count in ((FACTORY, 60), (SHOP, 40)):
        for place, day in enumerate(sorted(maker.day() for _ in range(count))):
            simple = company.crt == 1
            goods = [
                CouponItem(p, maker.draw.randint(1, 3), cst="102" if simple else "00")
                for p in maker.pick([TOWEL, SHIRT, SHOE])
            ]
            if place % 5 == 0:
                goods.append(CouponItem(CHOCOLATE, 1, "5405", "500" if simple else "60"))
            if place % 6 == 0:
                goods[0].discount = Decimal("1.00")
            number = maker.number(company, "59", 1)
            maker.month.coupons.append(Coupon(company, number, day, goods, cancelled=place % 20 == 7))


def freights(maker):
    """60 CT-e: 25 that the wholesaler carries, 20 that the factory pays, 15 that the wholesaler pays."""

    def one(carrier, sender, receiver, taker, notes=(), **more):
        value = Decimal(maker.draw.randint(20_000, 250_000)) / 100
        number = maker.number(carrier, "57", 1)
        maker.month.freights.append(
            Freight(carrier, sender, receiver, number, maker.day(), value, taker, list(notes), **more)
        )

    home = [buyer for buyer in BUYERS if buyer.uf == "MG"]
    away = [buyer for buyer in BUYERS if buyer.uf != "MG"]
    for place in range(25):
        one(WHOLESALER, maker.draw.choice(home), maker.draw.choice(away), "sender", cancelled=place in (4, 11))
    sold = [
        n
        for n in maker.month.notes
        if n.issuer is FACTORY
        and plain(n)
        and n.model == "55"
        and not n.internal
        and not n.cancelled
        and n.receiver.ie_kind == 1
    ]
    for note in sold[:20]:
        one(CARRIERS[0], FACTORY, note.receiver, "sender", [note.key])
    bought = [n for n in maker.month.notes if n.receiver is WHOLESALER and n.issuer.uf == "SP" and plain(n)]
    for note in bought[:15]:
        one(CARRIERS[0], note.issuer, WHOLESALER, "receiver", [note.key])


def services(maker):
    """40 NFS-e, eight of each layout, by branches in the cities of the layouts."""
    for place, layout in enumerate(LAYOUTS):
        city = LAYOUTS[layout][0]
        uf = next(uf for uf, (code, _) in CITIES.items() if code == city)
        for number in range(8):
            company = [FACTORY, FACTORY, FACTORY, FACTORY, WHOLESALER, WHOLESALER, WHOLESALER, SHOP][number]
            branch = 1 if company.uf == uf else place + 2
            provider = replace(company, id=cnpj(int(company.id[:8]), branch), uf=uf)
            value = Decimal(maker.draw.randint(300, 4000))
            taker = maker.draw.choice(BUYERS)
            cancelled = layout in ("paulistana", "ipm") and number == 1
            maker.month.services.append(
                Service(layout, provider, taker, 100 * (place + 1) + number, maker.day(), value, cancelled=cancelled)
            )


def plain(note):
    """Whether a note is one of many: of June, valid, with revenue."""
    return note.month == 6 and note.status == "100" and not note.tags and note.purpose == "1"


def cancel(maker, issuer, model, count):
    """Cancels some of the notes of an issuer."""
    own = [note for note in maker.month.notes if note.issuer is issuer and note.model == model and plain(note)]
    for note in maker.draw.sample(own, count):
        note.cancelled = True
