"""Events, and what else lies in a month's folder: summaries, manifests, texts, broken files, archives."""

import base64
import gzip
import io
import zipfile

from base import UFS, document, dot, tag, tags
from nfe_xml import SPACE as NFE


def cancellation(note):
    """The registered event that cancels an NF-e or NFC-e."""
    return _event(note, "110111", "Cancelamento", "135")


def correction(note):
    """A letter of correction, which cancels nothing."""
    return _event(note, "110110", "Carta de Correcao", "135")


def _event(note, kind, name, status):
    ident = f"ID{kind}{note.key}01"
    when = f"{note.date}T11:00:00-03:00"
    asked = tag(
        "infEvento",
        tags(
            ("cOrgao", UFS[note.issuer.uf]),
            ("tpAmb", "1"),
            ("CNPJ", note.issuer.id),
            ("chNFe", note.key),
            ("dhEvento", when),
            ("tpEvento", kind),
            ("nSeqEvento", "1"),
            ("verEvento", "1.00"),
            ("detEvento", tags(("descEvento", name), ("nProt", "135260000000001"), ("xJust", "pedido desfeito"))),
        ),
        Id=ident,
    )
    done = tag(
        "infEvento",
        tags(
            ("tpAmb", "1"),
            ("cOrgao", UFS[note.issuer.uf]),
            ("cStat", status),
            ("xMotivo", "Evento registrado"),
            ("chNFe", note.key),
            ("tpEvento", kind),
            ("nSeqEvento", "1"),
            ("dhRegEvento", when),
            ("nProt", "135260000000002"),
        ),
    )
    return document(
        tag(
            "procEventoNFe",
            [tag("evento", asked, versao="1.00"), tag("retEvento", done, versao="1.00")],
            xmlns=NFE,
            versao="1.00",
        )
    )


def freight_cancellation(freight):
    """The registered event that cancels a CT-e."""
    uf = UFS[freight.carrier.uf]
    asked = tag(
        "infEvento",
        tags(
            ("cOrgao", uf),
            ("tpAmb", "1"),
            ("CNPJ", freight.carrier.id),
            ("chCTe", freight.key),
            ("dhEvento", f"{freight.date}T09:00:00-03:00"),
            ("tpEvento", "110111"),
            ("nSeqEvento", "1"),
            ("detEvento", tag("evCancCTe", tags(("descEvento", "Cancelamento"), ("xJust", "viagem desfeita")))),
        ),
        Id=f"ID110111{freight.key}001",
    )
    done = tag(
        "infEvento",
        tags(
            ("tpAmb", "1"),
            ("cOrgao", uf),
            ("cStat", "135"),
            ("xMotivo", "Evento registrado"),
            ("chCTe", freight.key),
            ("tpEvento", "110111"),
        ),
    )
    return document(
        tag(
            "procEventoCTe",
            [tag("eventoCTe", asked, versao="4.00"), tag("retEventoCTe", done, versao="4.00")],
            xmlns="http://www.portalfiscal.inf.br/cte",
            versao="4.00",
        )
    )


def summary(note):
    """A summary of a note (resNFe)."""
    return document(_summary(note))


def _summary(note):
    return tag(
        "resNFe",
        tags(
            ("chNFe", note.key),
            ("CNPJ", note.issuer.id),
            ("xNome", note.issuer.name),
            ("IE", note.issuer.ie),
            ("dhEmi", f"{note.date}T10:00:00-03:00"),
            ("tpNF", note.kind),
            ("vNF", dot(note.totals["note"])),
            ("dhRecbto", f"{note.date}T10:01:00-03:00"),
            ("nProt", "135260000000001"),
            ("cSitNFe", "1"),
        ),
        xmlns=NFE,
        versao="1.01",
    )


def distribution(parts):
    """What the tax office hands out (retDistDFeInt): compressed documents, each with its schema."""

    def packed(place, schema, xml):
        content = base64.b64encode(gzip.compress(xml, mtime=0)).decode()
        return tag("docZip", content, NSU=f"{place:015d}", schema=schema)

    lot = [packed(place, schema, xml) for place, (schema, xml) in enumerate(parts, 1)]
    return document(
        tag(
            "retDistDFeInt",
            [tags(("tpAmb", "1"), ("verAplic", "X"), ("cStat", "138")), tag("loteDistDFeInt", lot)],
            xmlns=NFE,
            versao="1.01",
        )
    )


def archive(files):
    """A ZIP of names and bytes."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in files:
            written.writestr(zipfile.ZipInfo(name, (2026, 6, 30, 12, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def junk(carrier):
    """Names and bytes of files that are not documents to compare."""
    manifest = tag(
        "mdfeProc",
        tag(
            "MDFe",
            tag(
                "infMDFe",
                [
                    tag(
                        "ide",
                        tags(
                            ("cUF", "35"),
                            ("tpAmb", "1"),
                            ("mod", "58"),
                            ("serie", "1"),
                            ("dhEmi", "2026-06-22T00:00:00-03:00"),
                        ),
                    ),
                    tag("emit", tags(("CNPJ", carrier.id), ("xNome", carrier.name))),
                ],
                Id=f"MDFe3526064567891200015558001000000005112345678{0}",
                versao="1.00",
            ),
            versao="1.00",
        ),
        xmlns="http://www.portalfiscal.inf.br/mdfe",
        versao="1.00",
    )
    return [
        ("boleto.pdf", b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n"),
        ("carta.rtf", b"{\\rtf1\\ansi Prezado contador, segue o mes.}"),
        ("leia.txt", "Notas de junho de 2026, como combinado.\n".encode()),
        ("manifesto.xml", document(manifest)),
        ("planilha.csv", "nota;valor\n1;10,00\n".encode()),
    ]
