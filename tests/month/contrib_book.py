"""EFD-Contribuições, layout 006: revenue and credits of PIS and COFINS, document by document."""

from collections import OrderedDict
from decimal import Decimal

import contrib_sums
from base import ZERO, share
from goods import PIS
from icms_book import blanks
from people import CITIES, Product
from sped import FIRST, LAST, Book, Booked, block, day, money, percent, whole

SERVICE = Product("S01", "MANUTENCAO E SUPORTE", "", Decimal("0"))


class ContribBook(Book):
    @property
    def rates(self):
        return PIS[self.company.cumulative]

    def own_note(self, note):
        series = f"{note.series:03d}"
        if note.cancelled:
            row = blanks(["C100", "1", "0", "", note.model, "02", series, str(note.number), note.key], 29)
            return self.add("C", Booked([row], note))
        part = self.party(note.receiver) if note.model == "55" else ""
        rows = [self._head(note, "1", "0", part, note.totals)]
        if note.model == "65":
            rows += self._consumer(note)
        else:
            rows += [
                self._item(
                    place,
                    item,
                    item.cfop,
                    item.full_cst,
                    (item.base, item.rate, item.icms),
                    item.pis_cst,
                    item.pis_base,
                )
                for place, item in enumerate(note.items, 1)
            ]
        return self.add("C", Booked(rows, note))

    def _head(self, note, out, issuer, part, total):
        return [
            "C100",
            out,
            issuer,
            part,
            note.model,
            "00",
            f"{note.series:03d}",
            str(note.number),
            note.key,
            day(note),
            day(note),
            money(note.totals["note"]),
            "1",
            "0,00",
            "0,00",
            money(note.totals["value"]),
            "0" if note.totals["freight"] else "9",
            money(note.totals["freight"]),
            *["0,00"] * 7,
            money(total["pis"]),
            money(total["cofins"]),
            "0,00",
            "0,00",
        ]

    def _item(self, place, item, cfop, cst, icms, pis_cst, base):
        pis, cofins = self.rates if base else (ZERO, ZERO)
        ipi = ["", "", "0,00", "0,00", "0,00"]
        if item.ipi_cst == "50" and cfop[0] in "56":
            ipi = ["50", "", money(item.ipi_base), money(item.ipi_rate), money(item.ipi)]
        return [
            "C170",
            str(place),
            self.product(item.product),
            "",
            f"{item.amount},00000",
            "UN",
            money(item.operation),
            "0,00",
            "0",
            cst,
            cfop,
            "",
            *map(money, icms),
            "0,00",
            "0,00",
            "0,00",
            "0",
            *ipi,
            pis_cst,
            money(base),
            percent(pis),
            "",
            "",
            money(share(base, pis)),
            pis_cst,
            money(base),
            percent(cofins),
            "",
            "",
            money(share(base, cofins)),
            "",
        ]

    def _consumer(self, note):
        sums = OrderedDict()
        for item in note.items:
            amounts = [item.operation, item.pis_base, *(share(item.pis_base, rate) for rate in self.rates)]
            before = sums.setdefault((item.cfop, item.pis_cst), [ZERO] * 4)
            sums[item.cfop, item.pis_cst] = [one + other for one, other in zip(before, amounts)]
        for (cfop, cst), (value, base, pis, cofins) in sums.items():
            rates = [percent(rate) for rate in (self.rates if base else (ZERO, ZERO))]
            yield [
                "C175",
                cfop,
                money(value),
                "0,00",
                cst,
                money(base),
                rates[0],
                "",
                "",
                money(pis),
                cst,
                money(base),
                rates[1],
                "",
                "",
                money(cofins),
                "",
                "",
            ]

    def entry(self, note, cfop_of):
        """A purchase that gives a credit: its base is without the ICMS that the supplier charged."""
        part = self.party(note.issuer)
        rows, total = [], {"pis": ZERO, "cofins": ZERO}
        for place, item in enumerate(note.items, 1):
            base = item.operation - item.icms
            amounts = [share(base, rate) for rate in self.rates]
            total["pis"] += amounts[0]
            total["cofins"] += amounts[1]
            cst = item.full_cst if len(item.cst) == 2 else "000"
            rows.append(
                self._item(place, item, cfop_of(item, note), cst, (item.base, item.rate, item.icms), "50", base)
            )
        self.add("C", Booked([self._head(note, "0", "1", part, total), *rows], note, False))

    def coupons(self, coupons):
        """C860 a device and day, C870 an item of it. Cancelled coupons have no revenue."""
        days = OrderedDict()
        for coupon in sorted((c for c in coupons if not c.cancelled), key=lambda c: (c.day, c.number)):
            days.setdefault(coupon.day, []).append(coupon)
        for group in days.values():
            numbers = [coupon.number for coupon in group]
            rows = [
                ["C860", "59", f"{group[0].device:09d}", day(group[0]), f"{min(numbers):06d}", f"{max(numbers):06d}"]
            ]
            for item in (item for coupon in group for item in coupon.items):
                rates = [rate if item.pis_base else ZERO for rate in self.rates]
                rows.append(
                    [
                        "C870",
                        self.product(item.product),
                        item.cfop,
                        money(item.value),
                        money(item.discount),
                        *(
                            field
                            for rate in rates
                            for field in (
                                item.pis_cst,
                                money(item.pis_base),
                                percent(rate),
                                money(share(item.pis_base, rate)),
                            )
                        ),
                        "",
                    ]
                )
            self.add("C8", Booked(rows))

    def service(self, service):
        part = self.party(service.taker)
        at = service.provider.id
        series = "1" if service.layout in ("nacional", "ipm") else ""
        if service.cancelled:
            row = blanks(["A100", "1", "0", "", "02", series, "", str(service.number)], 21)
            return self.add("A" + at, Booked([row], service))
        pis, cofins = (share(service.value, rate) for rate in self.rates)
        value = money(service.value)
        head = [
            "A100",
            "1",
            "0",
            part,
            "00",
            series,
            "",
            str(service.number),
            "",
            day(service),
            day(service),
            value,
            "0",
            "0,00",
            value,
            money(pis),
            value,
            money(cofins),
            "0,00",
            "0,00",
            money(service.iss),
        ]
        rates = [percent(rate) for rate in self.rates]
        row = [
            "A170",
            "1",
            self.product(SERVICE),
            "",
            value,
            "0,00",
            "",
            "",
            "01",
            value,
            rates[0],
            money(pis),
            "01",
            value,
            rates[1],
            money(cofins),
            "",
            "",
        ]
        return self.add("A" + at, Booked([head, row], service))

    def freight_paid(self, freight):
        """The freight of a sale that the seller pays: a credit (Lei 10.833, art. 3º, IX)."""
        part = self.party(freight.carrier)
        value, base = money(freight.value), freight.value - freight.icms
        head = [
            "D100",
            "0",
            "1",
            part,
            "57",
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
            "0",
            value,
            money(freight.base),
            money(freight.icms),
            "0,00",
            "",
            "",
        ]
        rows = [head]
        for register, rate in zip(("D101", "D105"), self.rates):
            rows.append([register, "0", value, "50", "07", money(base), percent(rate), money(share(base, rate)), ""])
        self.add("D", Booked(rows, freight, False))

    def freight_sold(self, freight):
        """The revenue of transport: D200 with D201 and D205. Its base is without the ICMS."""
        base = freight.value - freight.icms
        rows = [
            [
                "D200",
                "57",
                "00",
                "1",
                "",
                str(freight.number),
                str(freight.number),
                freight.cfop,
                day(freight),
                money(freight.value),
                "0,00",
            ]
        ]
        for register, rate in zip(("D201", "D205"), self.rates):
            rows.append(
                [register, "01", money(freight.value), money(base), percent(rate), money(share(base, rate)), ""]
            )
        self.add("D", Booked(rows, freight))

    def close(self, change=None):
        company = self.company
        branches = [company.id, *(name[1:] for name in self.booked if name[0] == "A" and name[1:] != company.id)]
        zero = [
            [
                "0110",
                "2" if company.cumulative else "1",
                "" if company.cumulative else "1",
                "1",
                "9" if company.cumulative else "",
            ]
        ]
        lists = self.participants() + self.items(12)
        for place, branch in enumerate(branches, 1):
            uf = company.uf if branch == company.id else "SP"
            zero += [["0140", str(place), company.name, branch, uf, "", CITIES[uf][0], "", ""], *lists]
        a = [
            row
            for branch in branches
            if "A" + branch in self.booked
            for row in [["A010", branch], *self.rows_of("A" + branch)]
        ]
        c = [["C010", company.id, "2"], *self.rows_of("C"), *self.rows_of("C8")]
        d = self.rows_of("D")
        d = [["D010", company.id], *d] if d else []
        m = contrib_sums.settlement(self)
        if change:
            change(m)
        rows = [
            [
                "0000",
                "006",
                "0",
                "",
                "",
                FIRST,
                LAST,
                company.name,
                company.id,
                company.uf,
                company.city[0],
                "",
                "00",
                "0" if company.industrial else "2",
            ]
        ]
        rows += [["0001", "0"], *zero, ["0990", str(len(zero) + 3)]]
        for letter, content in (("A", a), ("C", c), ("D", d), ("F", []), ("M", m), ("1", [])):
            rows += block(letter, content)
        return whole(rows)
