"""Coupons of the SAT (CF-e) and their cancellation."""

from dataclasses import dataclass, field

from base import (
    UFS,
    ZERO,
    Markup,
    cents,
    coupon_key,
    document,
    dot,
    share,
    tag,
    tags,
    text,
)
from goods import PIS

DEVICE = 123456


@dataclass
class CouponItem:
    product: object
    amount: int
    cfop: str = "5102"
    cst: str = "00"
    discount: object = ZERO
    value: object = ZERO
    net: object = ZERO
    rate: object = ZERO
    icms: object = ZERO
    pis_cst: str = "01"
    pis_base: object = ZERO
    pis_rate: object = ZERO
    pis: object = ZERO
    cofins_rate: object = ZERO
    cofins: object = ZERO

    @property
    def full_cst(self):
        return "0" + self.cst if len(self.cst) == 2 else self.cst


@dataclass
class Coupon:
    issuer: object
    number: int
    day: int
    items: list
    device: int = DEVICE
    cancelled: bool = False
    key: str = ""
    totals: dict = field(default_factory=dict)
    tags: set = field(default_factory=set)
    file: str = ""
    model = "59"

    def __post_init__(self):
        self.key = coupon_key(self.issuer.uf, self.issuer.id, self.device, self.number, 100_000 + self.number)
        for item in self.items:
            item.value = cents(item.amount * item.product.price)
            item.net = item.value - item.discount
            if item.cst == "00":
                item.rate = item.product.internal(self.issuer.uf)
                item.icms = share(item.net, item.rate)
            if self.issuer.crt == 1:
                item.pis_cst = "49"
            elif item.product.single:
                item.pis_cst = "04"
            else:
                item.pis_rate, item.cofins_rate = PIS[self.issuer.cumulative]
                item.pis_base = item.net - item.icms
                item.pis, item.cofins = share(item.pis_base, item.pis_rate), share(item.pis_base, item.cofins_rate)
        self.sum()

    def sum(self):
        self.totals = {
            name: sum((getattr(item, name) for item in self.items), ZERO)
            for name in ("value", "discount", "icms", "pis", "cofins")
        }
        self.totals["note"] = sum((item.net for item in self.items), ZERO)

    @property
    def date(self):
        return f"2026-06-{self.day:02d}"


def _ide(coupon, number, digit):
    return tag(
        "ide",
        tags(
            ("cUF", UFS[coupon.issuer.uf]),
            ("cNF", 100_000 + number),
            ("mod", "59"),
            ("nserieSAT", f"{coupon.device:09d}"),
            ("nCFe", f"{number:06d}"),
            ("dEmi", coupon.date.replace("-", "")),
            ("hEmi", "101500"),
            ("cDV", digit),
            ("tpAmb", "1"),
            ("CNPJ", "45678912000155"),
            ("signAC", "X"),
            ("assinaturaQRCODE", "X"),
            ("numeroCaixa", "001"),
        ),
    )


def _issuer(party):
    address = tags(
        ("xLgr", "RUA UM"), ("nro", "1"), ("xBairro", "CENTRO"), ("xMun", party.city[1]), ("CEP", "01000000")
    )
    return tag(
        "emit",
        tags(
            ("CNPJ", party.id),
            ("xNome", party.name),
            ("enderEmit", address),
            ("IE", party.ie),
            ("cRegTrib", "1" if party.crt == 1 else "3"),
            ("indRatISSQN", "N"),
        ),
    )


def _item(place, item):
    prod = tags(
        ("cProd", item.product.code),
        ("xProd", item.product.name),
        ("NCM", item.product.ncm),
        ("CEST", item.product.cest or None),
        ("CFOP", item.cfop),
        ("uCom", "UN"),
        ("qCom", dot(item.amount, 4)),
        ("vUnCom", dot(item.product.price)),
        ("vProd", dot(item.value)),
        ("indRegra", "A"),
        ("vDesc", dot(item.discount) if item.discount else None),
        ("vItem", dot(item.net)),
        ("vRatDesc", "0.00"),
        ("vRatAcr", "0.00"),
    )
    taxes = [
        tag("ICMS", _icms(item)),
        _contribution("PIS", item, item.pis_rate, item.pis),
        _contribution("COFINS", item, item.cofins_rate, item.cofins),
    ]
    return tag("det", [tag("prod", prod), tag("imposto", taxes)], nItem=place)


def _icms(item):
    if len(item.cst) == 3:
        return tag("ICMSSN102", tags(("Orig", "0"), ("CSOSN", item.cst)))
    if item.cst == "00":
        return tag("ICMS00", tags(("Orig", "0"), ("CST", "00"), ("pICMS", dot(item.rate)), ("vICMS", dot(item.icms))))
    return tag("ICMS40", tags(("Orig", "0"), ("CST", item.cst)))


def _contribution(name, item, rate, amount):
    if item.pis_cst == "49":
        return tag(name, tag(f"{name}SN", tags(("CST", "49"))))
    if item.pis_cst == "04":
        return tag(name, tag(f"{name}NT", tags(("CST", "04"))))
    return tag(
        name,
        tag(
            f"{name}Aliq",
            tags(
                ("CST", "01"), ("vBC", dot(item.pis_base)), (f"p{name}", dot(rate / 100, 4)), (f"v{name}", dot(amount))
            ),
        ),
    )


def coupon_xml(coupon):
    total = coupon.totals
    sums = tags(
        ("vICMS", dot(total["icms"])),
        ("vProd", dot(total["value"])),
        ("vDesc", dot(total["discount"])),
        ("vPIS", dot(total["pis"])),
        ("vCOFINS", dot(total["cofins"])),
        ("vPISST", "0.00"),
        ("vCOFINSST", "0.00"),
        ("vOutro", "0.00"),
    )
    paid = tag("pgto", [tag("MP", tags(("cMP", "01"), ("vMP", dot(total["note"])))), tag("vTroco", "0.00")])
    inner = [_ide(coupon, coupon.number, coupon.key[-1]), _issuer(coupon.issuer), tag("dest")]
    inner += [_item(place, item) for place, item in enumerate(coupon.items, 1)]
    inner += [tag("total", [tag("ICMSTot", sums), tag("vCFe", dot(total["note"]))]), paid]
    info = tag(
        "infCFe", Markup(text(inner)), Id=f"CFe{coupon.key}", versao="0.08", versaoDadosEnt="0.08", versaoSB="010300"
    )
    return document(tag("CFe", [info, tag("Signature", "X")]))


def cancellation_xml(coupon, number):
    """The coupon that cancels another."""
    key = coupon_key(coupon.issuer.uf, coupon.issuer.id, coupon.device, number, 100_000 + number)
    inner = [
        tags(("dEmi", coupon.date.replace("-", "")), ("hEmi", "101500")),
        _ide(coupon, number, key[-1]),
        _issuer(coupon.issuer),
        tag("dest"),
        tag("total", tag("vCFe", dot(coupon.totals["note"]))),
    ]
    info = tag("infCFe", Markup(text(inner)), Id=f"CFe{key}", chCanc=f"CFe{coupon.key}", versao="0.08")
    return document(tag("CFeCanc", [info, tag("Signature", "X")]))
