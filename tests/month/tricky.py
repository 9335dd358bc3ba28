"""Lawful notes that a check may take for a fault: late, early, denied, without revenue, without a credit."""

from dataclasses import replace
from decimal import Decimal

from base import cpf
from goods import Item
from people import BOX, BUYERS, CARTON, CONSUMERS, FACTORY, SHIRT, SUPPLIERS, TOWEL, WHOLESALER, Party, Product

EGGS = Product("P09", "OVOS DE GALINHA", "04072100", Decimal("12.00"))
FARMER = Party("PRODUTOR INVENTADO", cpf(223456789), "MG", "0010020030099", code="F090")
CONSUMER = replace(CONSUMERS[0], name="PESSOA INVENTADA DO RIO", id=cpf(323456789), uf="RJ", code="F091")
COUNT = 20


def lawful(maker):
    """Twenty notes, some of them of the months around."""
    spinner, papers, weaver = SUPPLIERS[0], SUPPLIERS[2], SUPPLIERS[4]

    def bought():
        return [Item(TOWEL, maker.amount(), "5102")]

    for _ in range(2):
        # Issued in May, come in June.
        maker.note(spinner, FACTORY, bought(), month=5, entered=3)
        maker.note(weaver, WHOLESALER, bought(), month=5, entered=2)
        # Issued in June, booked in July.
        maker.note(spinner, FACTORY, bought(), tags={"not yet"})
        # For own use: no credit.
        maker.note(spinner, FACTORY, bought(), tags={"own use"})
        # Of July, in the folder already.
        maker.note(FACTORY, BUYERS[0], bought(), month=7)
        # Denied: never booked.
        maker.note(FACTORY, BUYERS[0], bought(), status="302")
    # Discount and other charges.
    for company, buyer in ((FACTORY, BUYERS[0]), (WHOLESALER, BUYERS[1])):
        goods = [Item(SHIRT, 12, "5102", discount=Decimal("8.80"), other=Decimal("15.00")), Item(TOWEL, 3, "5102")]
        maker.note(company, buyer, goods)
    # DIFAL with a fund against poverty.
    for amount in (2, 3):
        maker.note(FACTORY, CONSUMER, [Item(SHIRT, amount, "6108")])
    # What is bought of a farmer, on a note of the buyer.
    eggs = Item(EGGS, 100, "1102", cst="40", pis_cst="98")
    maker.note(WHOLESALER, FARMER, [eggs], kind="0", tags={"no revenue"})
    # Sent to be repaired.
    sent = Item(BOX, 1, "5915", cst="50", pis_cst="08")
    maker.note(FACTORY, BUYERS[0], [sent], tags={"no revenue"})
    # What is given back by a buyer that does not pay IPI.
    back = Item(CARTON, 10, "5202", pis_cst="49", returned_ipi=Decimal("11.70"))
    maker.note(WHOLESALER, papers, [back], purpose="4", reference="3" + "0" * 43, tags={"no revenue"})
    complement(maker)


def complement(maker):
    """ICMS that a note of before had too little of."""
    sold = next(note for note in maker.month.notes if note.issuer is FACTORY and note.status == "100")
    item = Item(TOWEL, 0, "5102", pis_cst="49")
    note = maker.note(FACTORY, BUYERS[0], [item], purpose="2", reference=sold.key, tags={"no revenue"})
    item.base, item.rate, item.icms, item.ibs_base = Decimal("100.00"), Decimal("18.00"), Decimal("18.00"), None
    note.sum()
