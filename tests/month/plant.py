"""Draws the faults, plants them, and writes the folder."""

import expected
import faults_account
import faults_contrib
import faults_documents
import faults_icms
import folder
import month
from books import book_of_may, contrib_books, icms_books
from people import WHOLESALER
from plan import MAY, Plan, efd

COUNT = 60
# What a signed EFD has after its last row.
SIGNATURE = b"SBRCAAEPDR0\x00\x01\x02\xff\xfe\x80" * 20


def kinds(binary):
    """All faults that taxd has a name for, each with its stage, and the kinds that it has no name for."""
    stages = [faults_documents.FAULTS, faults_icms.FAULTS + faults_account.FAULTS, faults_contrib.FAULTS]
    every = [(stage, fault) for stage, of_stage in enumerate(stages) for fault in of_stage]
    known = [(stage, fault) for stage, fault in every if expected.is_known(fault.kind, binary)]
    return known, sorted({fault.kind for stage, fault in every if not expected.is_known(fault.kind, binary)})


def plan_of(draw, known, count=COUNT):
    """A month with that many faults: each kind once if there are enough, the rest drawn again."""
    plan = Plan(month.make(draw), draw)
    folder.name_files(plan.month)
    drawn = draw.sample(known, min(count, len(known)))
    again = [draw.choice(known) for _ in range(400)] if count else []
    first = drawn + again[: max(0, count - len(known))]
    for fault in [fault for stage, fault in first if stage == 0]:
        plan.plant(fault)
    plan.icms = {book.company.id: book for book in icms_books(plan.month)}
    plan.icms[WHOLESALER.id].purpose = "1"
    plan.may = book_of_may()
    plan.contrib = {book.company.id: book for book in contrib_books(plan.month)}
    for fault in [fault for stage, fault in first + again if stage]:
        if len(plan.planted) < count:
            plan.plant(fault)
    return plan


def original(plan):
    """What the wholesaler handed in before its correction: three notes were not in it. It counts no longer."""
    book = next(book for book in icms_books(plan.month) if book.company is WHOLESALER)
    for booked in list(book.booked["C"])[:3]:
        book.without(booked.document.key)
    return "efd-original.txt", book.close()


def write(plan, directory):
    """Writes the documents and the EFDs into `month`, and what the firm says of its companies beside it."""
    entries = list(folder.files(plan.month))
    for kind, books in (("icms", plan.icms), ("contribuicoes", plan.contrib)):
        for book in books.values():
            content = book.close(plan.changed(kind, book.company))
            entries.append((efd(kind, book.company), content + SIGNATURE))
    entries.append(original(plan))
    entries.append((MAY, plan.may.close()))
    for name, content in entries:
        path = directory / "mes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (directory / "empresas.csv").write_bytes(folder.companies_csv())
    return entries
