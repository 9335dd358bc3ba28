"""Books a month into the EFDs of the companies that hand them in."""

from contrib_book import ContribBook
from goods import Item, Note
from icms_book import IcmsBook
from people import BUYERS, COMPANIES, FACTORY, TOWEL


def cfop_of(item, note):
    """The CFOP of who receives: what comes back, what goes into production, what is sold again."""
    scope = {"5": "1", "6": "2"}[item.cfop[0]]
    if "own use" in note.tags:
        return scope + "556"
    if item.cfop[1:] in ("202",):
        return scope + "202"
    if item.product.code == "P08":
        return scope + "101"
    return scope + ("403" if item.cst in ("60", "500") else "102")


def is_booked(note):
    """Whether the EFDs of June have a note: not one that was denied, is of another month, or has not come in yet."""
    return note.status == "100" and "not yet" not in note.tags and (note.month == 6 or note.entered is not None)


def icms_books(month):
    """An EFD ICMS/IPI a company, with all its documents, in the order of their days."""
    for company in COMPANIES:
        if not company.books:
            continue
        book = IcmsBook(company)
        for note in sorted(month.notes, key=lambda note: note.day):
            if not is_booked(note):
                continue
            if note.issuer is company:
                book.own_note(note)
            elif note.receiver is company and not note.cancelled:
                book.entry(note, cfop_of)
        coupons = [coupon for coupon in month.coupons if coupon.issuer is company]
        if month.by_day:
            book.coupons_by_day(coupons)
        else:
            for coupon in coupons:
                book.coupon(coupon)
        for freight in month.freights:
            if freight.carrier is company or freight.payer is company:
                book.freight(freight)
        yield book


def book_of_may():
    """The EFD ICMS/IPI of the factory for May, whose documents are not in the folder."""
    book = IcmsBook(FACTORY)
    book.first, book.last = "01052026", "31052026"
    for number in (901, 902, 903):
        goods = [Item(TOWEL, number - 890, "5102")]
        book.own_note(Note(FACTORY, BUYERS[0], "55", 1, number, number - 890, goods, month=5))
    return book


def contrib_books(month):
    """An EFD-Contribuições a company: revenue, and the purchases that give a credit."""
    for company in COMPANIES:
        if not company.books:
            continue
        book = ContribBook(company)
        for note in sorted(month.notes, key=lambda note: note.day):
            if not is_booked(note) or "no revenue" in note.tags or "own use" in note.tags:
                continue
            if note.issuer is company:
                book.own_note(note)
            elif note.receiver is company and not note.cancelled and not company.cumulative:
                book.entry(note, cfop_of)
        book.coupons([coupon for coupon in month.coupons if coupon.issuer is company])
        for service in month.services:
            if service.provider.id[:8] == company.id[:8]:
                book.service(service)
        for freight in month.freights:
            if freight.carrier is company and not freight.cancelled:
                book.freight_sold(freight)
            elif freight.payer is company and freight.sender is company and not company.cumulative:
                book.freight_paid(freight)
        yield book


def files(month):
    for kind, books in (("icms", icms_books(month)), ("contribuicoes", contrib_books(month))):
        for book in books:
            yield f"efd-{kind}-{book.company.id}.txt", book.close()
