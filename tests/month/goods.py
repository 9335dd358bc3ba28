"""NF-e and NFC-e: their figures by the law of June 2026, from what is sold, by whom and to whom."""

from dataclasses import dataclass, field
from decimal import Decimal

from base import ZERO, access_key, cents, share
from people import Party, Product, rate_between

PIS = {False: (Decimal("1.65"), Decimal("7.60")), True: (Decimal("0.65"), Decimal("3.00"))}
# The credit of ICMS that the shop of the Simples hands on: Anexo I, first range, 34 % of 4 %.
SIMPLES_CREDIT = Decimal("1.36")


@dataclass
class Item:
    product: Product
    amount: int
    cfop: str
    price: Decimal = None
    # CST of ICMS, or CSOSN of three digits.
    cst: str = "00"
    origin: str = "0"
    freight: Decimal = ZERO
    discount: Decimal = ZERO
    other: Decimal = ZERO
    own_made: bool = False
    pis_cst: str = "01"
    # All below is calculated.
    value: Decimal = ZERO
    base: Decimal = ZERO
    rate: Decimal = ZERO
    icms: Decimal = ZERO
    margin: Decimal = ZERO
    st_base: Decimal = ZERO
    st_rate: Decimal = ZERO
    st: Decimal = ZERO
    credit_rate: Decimal = ZERO
    credit: Decimal = ZERO
    ipi_cst: str = ""
    ipi_base: Decimal = ZERO
    ipi_rate: Decimal = ZERO
    ipi: Decimal = ZERO
    pis_base: Decimal = ZERO
    pis_rate: Decimal = ZERO
    pis: Decimal = ZERO
    cofins_base: Decimal = ZERO
    cofins_rate: Decimal = ZERO
    cofins: Decimal = ZERO
    difal_base: Decimal = ZERO
    difal_rate: Decimal = ZERO
    difal_inter: Decimal = ZERO
    difal: Decimal = ZERO
    fcp_rate: Decimal = ZERO
    fcp: Decimal = ZERO
    returned_ipi: Decimal = ZERO
    ibs_base: Decimal = None
    ibs_class: str = "000001"
    ibs: Decimal = ZERO
    cbs: Decimal = ZERO

    @property
    def operation(self):
        return self.value + self.freight + self.other - self.discount

    @property
    def whole(self):
        """The part of the item in the total of the note."""
        return self.operation + self.st + self.ipi + self.returned_ipi

    @property
    def full_cst(self):
        """The CST as the EFD has it."""
        return self.origin + self.cst if len(self.cst) == 2 else self.cst


@dataclass
class Note:
    issuer: Party
    receiver: Party
    model: str
    series: int
    number: int
    day: int
    items: list
    kind: str = "1"
    purpose: str = "1"
    reference: str = None
    cancelled: bool = False
    # The month of issue, the status of the protocol, and the day of June on which a purchase came in.
    month: int = 6
    status: str = "100"
    entered: int = None
    key: str = ""
    totals: dict = field(default_factory=dict)
    # What faults and the books know of the note.
    tags: set = field(default_factory=set)
    file: str = ""

    def __post_init__(self):
        self.key = access_key(
            self.issuer.uf,
            self.issuer.id,
            self.model,
            self.series,
            self.number,
            10_000_000 + self.number * 7919 % 89_999_999,
            f"26{self.month:02d}",
        )
        for item in self.items:
            settle(item, self)
        self.sum()

    @property
    def internal(self):
        return self.receiver is None or self.issuer.uf == self.receiver.uf

    @property
    def final(self):
        return self.receiver is None or self.receiver.ie_kind == 9

    @property
    def date(self):
        return f"2026-{self.month:02d}-{self.day:02d}"

    def sum(self):
        """The totals of the note, as its items have them."""
        total = {
            name: sum((getattr(item, name) for item in self.items), ZERO)
            for name in (
                "value",
                "freight",
                "discount",
                "other",
                "returned_ipi",
                "base",
                "icms",
                "st_base",
                "st",
                "ipi",
                "pis",
                "cofins",
                "difal",
                "fcp",
                "ibs",
                "cbs",
            )
        }
        bases = [item.ibs_base for item in self.items if item.ibs_base is not None]
        total["ibs_base"] = sum(bases, ZERO) if bases else None
        total["note"] = sum((item.whole for item in self.items), ZERO)
        self.totals = total


def settle(item, note):
    """Calculates the taxes of an item."""
    issuer = note.issuer
    item.price = item.price or item.product.price
    item.value = cents(item.amount * item.price)
    ipi(item, issuer)
    if len(item.cst) == 2:
        icms(item, note)
    elif item.cst in ("101", "201"):
        item.credit_rate = SIMPLES_CREDIT
        item.credit = share(item.operation, SIMPLES_CREDIT)
    if issuer.crt == 1:
        item.pis_cst = "49"
        return
    contributions(item, issuer)
    if issuer.crt == 3:
        item.ibs_base = item.operation - item.icms - item.difal - item.fcp - item.pis - item.cofins
        item.ibs, item.cbs = share(item.ibs_base, "0.10"), share(item.ibs_base, "0.90")


def ipi(item, issuer):
    if not item.own_made:
        return
    if item.product.ipi:
        item.ipi_cst, item.ipi_rate, item.ipi_base = "50", item.product.ipi, item.operation
        item.ipi = share(item.ipi_base, item.ipi_rate)
    else:
        item.ipi_cst = "51"


def icms(item, note):
    if item.cst not in ("00", "10"):
        return
    uf, to = note.issuer.uf, note.receiver.uf if note.receiver else note.issuer.uf
    item.base = item.operation + (item.ipi if note.final else ZERO)
    item.rate = item.product.internal(uf) if uf == to else rate_between(uf, to, item.origin in "128")
    item.icms = share(item.base, item.rate)
    if item.cst == "10":
        item.margin, item.st_rate = item.product.st, item.product.internal(to)
        item.st_base = cents((item.operation + item.ipi) * (100 + item.margin) / 100)
        item.st = share(item.st_base, item.st_rate) - item.icms
    if note.final and uf != to:
        item.difal_base, item.difal_inter = item.base, item.rate
        item.difal_rate = DESTINATION[to]
        item.difal = share(item.base, item.difal_rate - item.rate)
        item.fcp_rate = FUND.get(to, ZERO)
        item.fcp = share(item.base, item.fcp_rate)


FUND = {"RJ": Decimal("2.00")}
DESTINATION = {
    "RJ": Decimal("20.00"),
    "SC": Decimal("17.00"),
    "PR": Decimal("19.50"),
    "SP": Decimal("18.00"),
    "MG": Decimal("18.00"),
}


def contributions(item, issuer):
    if item.pis_cst != "01":
        return
    if item.product.single:
        item.pis_cst = "04"
        return
    item.pis_rate, item.cofins_rate = PIS[getattr(issuer, "cumulative", False)]
    item.pis_base = item.cofins_base = item.operation - item.icms
    item.pis, item.cofins = share(item.pis_base, item.pis_rate), share(item.cofins_base, item.cofins_rate)
