"""EFD ICMS/IPI, layout 020: each document as its declarant books it, and what it owes of all."""

from collections import OrderedDict
from decimal import Decimal

import icms_sums
from base import ZERO, share
from sped import Book, Booked, block, day, money, whole

RATES = ("base", "icms", "st_base", "st", "reduction", "ipi")


def blanks(row, length):
    return row + [""] * (length - len(row))


def grouped(lines):
    """C190 rows of (cst, cfop, rate, value, base, icms, st_base, st, ipi)."""
    sums = OrderedDict()
    for cst, cfop, rate, *amounts in lines:
        before = sums.setdefault((cst, cfop, rate), [ZERO] * len(amounts))
        sums[cst, cfop, rate] = [one + other for one, other in zip(before, amounts)]
    return sums


class IcmsBook(Book):
    # 1: the file corrects one that was handed in before.
    purpose = "0"

    def own_note(self, note):
        """A note that the company issued: C100 and C190."""
        series = f"{note.series:03d}"
        part = self.party(note.receiver) if note.receiver and note.model == "55" else ""
        out = "1" if note.kind == "1" else "0"
        if note.cancelled:
            row = blanks(["C100", out, "0", "", note.model, "02", series, str(note.number), note.key], 29)
            return self.add("C", Booked([row], note, out == "1"))
        total = note.totals
        situation = "06" if note.purpose == "2" else "00"
        lines = [
            (
                item.full_cst,
                item.cfop,
                money(item.rate),
                item.whole,
                item.base,
                item.icms,
                item.st_base,
                item.st,
                item.ipi,
            )
            for item in note.items
        ]
        rows = [self._head(note, part, out, "0", total["note"], total, situation)]
        if total["difal"]:
            rows.append(["C101", money(total["fcp"]), money(total["difal"]), "0,00"])
        rows += _c190(lines)
        return self.add("C", Booked(rows, note, out == "1"))

    def _head(self, note, part, out, issuer, value, total, situation="00"):
        freight = "0" if total["freight"] else "9"
        consumer = note.model == "65"
        st = [money(total["st_base"]), money(total["st"])] if not consumer else ["", ""]
        ipi = money(total["ipi"]) if not consumer else ""
        return [
            "C100",
            out,
            issuer,
            part,
            note.model,
            situation,
            f"{note.series:03d}",
            str(note.number),
            note.key,
            day(note),
            f"{note.entered:02d}062026" if note.entered else day(note),
            money(value),
            "0" if consumer else "1",
            money(total["discount"]),
            "0,00",
            money(total["value"]),
            freight,
            money(total["freight"]),
            "0,00",
            money(total["other"]),
            money(total["base"]),
            money(total["icms"]),
            *st,
            ipi,
            "",
            "",
            "",
            "",
        ]

    def entry(self, note, cfop_of):
        """A note that the company received: C100, C170 and C190, with the credit that the law allows."""
        part = self.party(note.issuer)
        rows, lines = [], []
        for place, item in enumerate(note.items, 1):
            cfop = cfop_of(item, note)
            input_ = cfop[1:] in ("101", "201")
            ipi = item.ipi if self.company.industrial and input_ else ZERO
            base, rate, icms = credit(item) if cfop[1:] != "556" else (ZERO, ZERO, ZERO)
            cst = item.full_cst if len(item.cst) == 2 else "000" if item.cst == "101" else "090"
            cst = "090" if cfop[1:] == "556" else cst
            value = item.whole
            lines.append((cst, cfop, money(rate), value, base, icms, ZERO, ZERO, ipi))
            rows.append(
                blanks(
                    [
                        "C170",
                        str(place),
                        self.product(item.product),
                        "",
                        f"{item.amount},00000",
                        "UN",
                        money(item.value),
                        money(item.discount),
                        "0",
                        cst,
                        cfop,
                        "",
                        money(base),
                        money(rate),
                        money(icms),
                        "0,00",
                        "0,00",
                        "0,00",
                        "0",
                        "00" if ipi else "",
                        "",
                        money(item.ipi_base if ipi else ZERO),
                        money(item.ipi_rate if ipi else ZERO),
                        money(ipi),
                    ],
                    38,
                )
            )
        sums = {
            "value": note.totals["value"],
            "freight": note.totals["freight"],
            "discount": note.totals["discount"],
            "other": note.totals["other"],
            "st_base": ZERO,
            "st": ZERO,
            "base": sum((line[4] for line in lines), ZERO),
            "icms": sum((line[5] for line in lines), ZERO),
            "ipi": sum((line[8] for line in lines), ZERO),
        }
        head = self._head(note, part, "0", "1", note.totals["note"], sums)
        self.add("C", Booked([head, *rows, *_c190(lines), *self._adjustment(note)], note, False))

    def _adjustment(self, note):
        """What a purchase for own use owes to the State of the buyer: an invented amount of 5 per cent."""
        if "own use" not in note.tags:
            return []
        base = note.totals["note"]
        row = ["C197", f"{self.company.uf}40090207", "", "", money(base), "5,00", money(share(base, "5")), "0,00"]
        return [["C195", "OBS1", ""], row]

    def coupon(self, coupon):
        key, number = coupon.key, f"{coupon.number:06d}"
        device = f"{coupon.device:09d}"
        if coupon.cancelled:
            row = blanks(["C800", "59", "02", number, "", "", "", "", "", device, key], 17)
            return self.add("C8", Booked([row], coupon))
        total = coupon.totals
        head = [
            "C800",
            "59",
            "00",
            number,
            day(coupon),
            money(total["note"]),
            money(total["pis"]),
            money(total["cofins"]),
            "",
            device,
            key,
            money(total["discount"]),
            money(total["value"]),
            "0,00",
            money(total["icms"]),
            "0,00",
            "0,00",
        ]
        sums = grouped(
            (item.full_cst, item.cfop, money(item.rate), item.net, item.net if item.rate else ZERO, item.icms)
            for item in coupon.items
        )
        rows = [["C850", *kind, *map(money, amounts), ""] for kind, amounts in sums.items()]
        return self.add("C8", Booked([head, *rows], coupon))

    def coupons_by_day(self, coupons):
        """C860 a device and day, and C890 of what of it is not cancelled."""
        days = OrderedDict()
        for coupon in sorted(coupons, key=lambda coupon: coupon.number):
            days.setdefault((coupon.device, coupon.day), []).append(coupon)
        for (device, _), group in days.items():
            span = [f"{coupon.number:06d}" for coupon in (group[0], group[-1])]
            lines = [line for coupon in group if not coupon.cancelled for line in _coupon_lines(coupon)]
            rows = [["C890", *kind, *map(money, amounts), ""] for kind, amounts in grouped(lines).items()]
            self.add("C8", Booked([["C860", "59", f"{device:09d}", day(group[0]), *span], *rows]))

    def freight(self, freight):
        own = freight.carrier is self.company
        part = self.party(freight.payer if own else freight.carrier)
        start = ["D100", "1" if own else "0", "0" if own else "1", part, "57"]
        if freight.cancelled:
            row = blanks([*start[:3], "", "57", "02", "1", "", str(freight.number), freight.key], 25)
            return self.add("D", Booked([row], freight, own))
        cfop = freight.cfop if own else ("2352" if self.company.industrial else "2353")
        value, base, icms = money(freight.value), money(freight.base), money(freight.icms)
        paid = "0" if freight.taker == "sender" else "1"
        head = [
            *start,
            "00",
            "1",
            "",
            str(freight.number),
            freight.key,
            day(freight),
            day(freight),
            "0",
            "",
            value,
            "0,00",
            paid,
            value,
            base,
            icms,
            "0,00",
            "",
            "",
            freight.sender.city[0],
            freight.receiver.city[0],
        ]
        row = ["D190", "000", cfop, money(freight.rate), value, base, icms, "0,00", ""]
        return self.add("D", Booked([head, row], freight, own))

    def settlement(self):
        return icms_sums.settlement(self)

    def close(self, change=None):
        """The bytes of the file. `change` may change the rows of block E."""
        return whole(self.rows(change))

    def rows(self, change=None):
        c, d = self.rows_of("C") + self.rows_of("C8"), self.rows_of("D")
        e = self.settlement()
        if change:
            change(e)
        company = self.company
        zero = [
            ["0005", "LOJA INVENTADA", "01000000", "RUA UM", "1", "", "CENTRO", "1100000000", "", "x@exemplo.com.br"],
            *self.participants(),
            *self.items(13),
        ]
        rows = [
            [
                "0000",
                "020",
                self.purpose,
                self.first,
                self.last,
                company.name,
                company.id,
                "",
                company.uf,
                company.ie,
                company.city[0],
                "",
                "",
                "A",
                "0" if company.industrial else "1",
            ]
        ]
        rows += [["0001", "0"], *zero, ["0990", str(len(zero) + 3)]]
        for letter, content in (("B", []), ("C", c), ("D", d), ("E", e), ("G", []), ("H", []), ("K", [])):
            rows += block(letter, content)
        return rows + block("1", [["1010", *["N"] * 12]])


def _coupon_lines(coupon):
    """The items of a coupon; the first one has what its total has more than they."""
    more = coupon.totals["note"] - sum((item.net for item in coupon.items), ZERO)
    for item in coupon.items:
        base = item.net if item.rate else ZERO
        yield item.full_cst, item.cfop, money(item.rate), item.net + more, base, item.icms
        more = ZERO


def _c190(lines):
    rows = []
    for kind, (value, base, icms, st_base, st, ipi) in grouped(lines).items():
        rows.append(
            ["C190", *kind, money(value), money(base), money(icms), money(st_base), money(st), "0,00", money(ipi), ""]
        )
    return rows


def credit(item):
    """Base, rate and amount of the credit of ICMS that an item gives to who buys it to sell it."""
    if item.cst in ("00", "10", "20"):
        return item.base, item.rate, item.icms
    if item.cst == "101":
        return item.operation, item.credit_rate, item.credit
    return ZERO, Decimal("0.00"), ZERO
