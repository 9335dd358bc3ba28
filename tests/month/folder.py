"""Writes a month as the files that an accounting firm gets."""

from cfe_xml import cancellation_xml, coupon_xml
from cte_xml import freight_xml
from nfe_xml import note_xml
from nfse_xml import service_xml
from others import (
    archive,
    cancellation,
    correction,
    distribution,
    freight_cancellation,
    junk,
    summary,
)
from people import CARRIERS, COMPANIES


def name_files(month):
    """Gives each document the name of its file."""
    for note in month.notes:
        note.file = f"{'nfce' if note.model == '65' else 'nfe'}/{note.key}.xml"
    for coupon in month.coupons:
        coupon.file = f"sat/{coupon.key}.xml"
    for freight in month.freights:
        freight.file = f"cte/{freight.key}.xml"
    for service in month.services:
        service.file = f"nfse/{service.key}.xml"


def files(month):
    """Names and bytes of all files of a month but the EFDs."""
    name_files(month)
    for note in month.notes:
        yield note.file, note_xml(note)
        if note.cancelled:
            yield f"eventos/{note.key}-can.xml", cancellation(note)
    for coupon in month.coupons:
        yield coupon.file, coupon_xml(coupon)
        if coupon.cancelled:
            yield f"sat/{coupon.key}-can.xml", cancellation_xml(coupon, coupon.number + 5000)
    for freight in month.freights:
        yield freight.file, freight_xml(freight)
        if freight.cancelled:
            yield f"eventos/{freight.key}-can.xml", freight_cancellation(freight)
    for service in month.services:
        yield service.file, service_xml(service)
    live = [note for note in month.notes if not note.cancelled and note.model == "55"]
    yield "eventos/carta.xml", correction(live[0])
    yield "resumos/resumo.xml", summary(live[1])
    yield (
        "resumos/distribuicao.xml",
        distribution([("resNFe_v1.01.xsd", summary(live[2])), ("procNFe_v4.00.xsd", note_xml(live[5]))]),
    )
    # A file that was saved twice.
    yield "nfe/zz-copia.xml", note_xml(live[4])
    rest = junk(CARRIERS[0])
    yield from rest
    yield "zip/dentro.zip", archive([("dois.zip", archive(rest[:2])), ("nota.txt", b"texto\n")])
    yield "quebrada.xml", note_xml(live[3])[:700]


def companies_csv():
    """What the firm says of its companies, each with all its branches."""
    lines = ["CNPJ;Nome;Regime;UF;Município;IPI;simples_nacional_mes;simples_nacional_receita_bruta_12_meses"]
    for company in COMPANIES:
        regime = "Simples Nacional" if company.crt == 1 else "Lucro presumido" if company.cumulative else "Lucro real"
        # The credit of June is by the revenue of the twelve months before May.
        months = ["2026-05", "2026-06"] if company.crt == 1 else [""]
        for month in months:
            revenue = f"{company.revenue}" if month else ""
            lines.append(
                ";".join(
                    [
                        company.id[:8],
                        company.name,
                        regime,
                        company.uf,
                        company.city[1],
                        "sim" if company.industrial else "não",
                        month,
                        revenue,
                    ]
                )
            )
    return ("\n".join(lines) + "\n").encode()
