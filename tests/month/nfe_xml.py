"""NF-e and NFC-e 4.00 as XML, with the protocol of the tax office."""

from base import UFS, Markup, document, dot, tag, tags, text
from people import CITIES

SPACE = "http://www.portalfiscal.inf.br/nfe"


def note_xml(note):
    """The bytes of the file of a note."""
    inner = [_ide(note), _issuer(note.issuer), _receiver(note)]
    inner += [_item(place, item, note) for place, item in enumerate(note.items, 1)]
    inner += [_totals(note), _end(note)]
    info = tag("infNFe", Markup(text(inner)), Id=f"NFe{note.key}", versao="4.00")
    stated = tags(
        ("tpAmb", "1"),
        ("verAplic", "X"),
        ("chNFe", note.key),
        ("dhRecbto", f"{note.date}T10:01:00-03:00"),
        ("nProt", f"135{note.key[-12:]}"),
        ("cStat", note.status),
        ("xMotivo", "Autorizado"),
    )
    protocol = tag("protNFe", tag("infProt", stated), versao="4.00")
    return document(tag("nfeProc", [tag("NFe", info), protocol], xmlns=SPACE, versao="4.00"))


def _ide(note):
    to = "1" if note.internal else "2"
    present = "1" if note.model == "65" else "9"
    reference = tag("NFref", tag("refNFe", note.reference)) if note.reference else None
    return tag(
        "ide",
        [
            tags(
                ("cUF", UFS[note.issuer.uf]),
                ("cNF", note.key[35:43]),
                ("natOp", "Operacao"),
                ("mod", note.model),
                ("serie", note.series),
                ("nNF", note.number),
                ("dhEmi", f"{note.date}T10:00:00-03:00"),
                ("tpNF", note.kind),
                ("idDest", to),
                ("cMunFG", note.issuer.city[0]),
                ("tpImp", "4" if note.model == "65" else "1"),
                ("tpEmis", "1"),
                ("cDV", note.key[-1]),
                ("tpAmb", "1"),
                ("finNFe", note.purpose),
                ("indFinal", "1" if note.final else "0"),
                ("indPres", present),
                ("procEmi", "0"),
                ("verProc", "mes"),
            ),
            reference,
        ],
    )


def _address(name, uf):
    city, town = CITIES[uf]
    return tag(
        name,
        tags(
            ("xLgr", "RUA UM"),
            ("nro", "1"),
            ("xBairro", "CENTRO"),
            ("cMun", city),
            ("xMun", town),
            ("UF", uf),
            ("CEP", "01000000"),
            ("cPais", "1058"),
            ("xPais", "BRASIL"),
        ),
    )


def _identity(party):
    return ("CNPJ" if len(party.id) == 14 else "CPF", party.id)


def _issuer(party):
    return tag(
        "emit",
        [
            tags(_identity(party), ("xNome", party.name)),
            _address("enderEmit", party.uf),
            tags(("IE", party.ie), ("CRT", party.crt)),
        ],
    )


def _receiver(note):
    party = note.receiver
    if party is None:
        return None
    return tag(
        "dest",
        [
            tags(_identity(party), ("xNome", party.name)),
            _address("enderDest", party.uf),
            tags(("indIEDest", party.ie_kind), ("IE", party.ie or None)),
        ],
    )


def _item(place, item, note):
    product = item.product
    amount, price = dot(item.amount, 4), dot(item.price, 4)
    prod = tags(
        ("cProd", product.code),
        ("cEAN", "SEM GTIN"),
        ("xProd", product.name),
        ("NCM", product.ncm),
        ("CEST", product.cest or None),
        ("CFOP", item.cfop),
        ("uCom", product.unit),
        ("qCom", amount),
        ("vUnCom", price),
        ("vProd", dot(item.value)),
        ("cEANTrib", "SEM GTIN"),
        ("uTrib", product.unit),
        ("qTrib", amount),
        ("vUnTrib", price),
        ("vFrete", dot(item.freight) if item.freight else None),
        ("vDesc", dot(item.discount) if item.discount else None),
        ("vOutro", dot(item.other) if item.other else None),
        ("indTot", "1"),
    )
    taxes = [
        tag("ICMS", _icms(item)),
        _ipi(item),
        _contribution("PIS", item.pis_cst, item.pis_base, item.pis_rate, item.pis),
        _contribution("COFINS", item.pis_cst, item.cofins_base, item.cofins_rate, item.cofins),
        _difal(item),
        _ibs(item),
    ]
    returned = tag("impostoDevol", [tag("pDevol", "100.00"), tag("IPI", tag("vIPIDevol", dot(item.returned_ipi)))])
    return tag(
        "det",
        [tag("prod", prod), tag("imposto", taxes), returned if item.returned_ipi else None],
        nItem=place,
    )


def _icms(item):
    own = (("vBC", dot(item.base)), ("pICMS", dot(item.rate)), ("vICMS", dot(item.icms)))
    st = (
        ("modBCST", "4"),
        ("pMVAST", dot(item.margin)),
        ("vBCST", dot(item.st_base)),
        ("pICMSST", dot(item.st_rate)),
        ("vICMSST", dot(item.st)),
    )
    start = (("orig", item.origin), ("CST", item.cst))
    simple = (("orig", item.origin), ("CSOSN", item.cst))
    cst = item.cst
    if cst == "00":
        return tag("ICMS00", tags(*start, ("modBC", "3"), *own))
    if cst == "10":
        return tag("ICMS10", tags(*start, ("modBC", "3"), *own, *st))
    if cst == "60":
        return tag("ICMS60", tags(*start))
    if cst in ("40", "41", "50"):
        return tag("ICMS40", tags(*start))
    if cst == "101":
        return tag("ICMSSN101", tags(*simple, ("pCredSN", dot(item.credit_rate)), ("vCredICMSSN", dot(item.credit))))
    return tag("ICMSSN500" if cst == "500" else "ICMSSN102", tags(*simple))


def _ipi(item):
    if not item.ipi_cst:
        return None
    if item.ipi_cst == "50":
        group = tag(
            "IPITrib",
            tags(("CST", "50"), ("vBC", dot(item.ipi_base)), ("pIPI", dot(item.ipi_rate)), ("vIPI", dot(item.ipi))),
        )
    else:
        group = tag("IPINT", tags(("CST", item.ipi_cst)))
    return tag("IPI", [tag("cEnq", "999"), group])


def _contribution(name, cst, base, rate, amount):
    taxed = (("vBC", dot(base)), (f"p{name}", dot(rate)), (f"v{name}", dot(amount)))
    if cst in ("01", "02"):
        return tag(name, tag(f"{name}Aliq", tags(("CST", cst), *taxed)))
    if cst in ("04", "06", "07", "08", "09"):
        return tag(name, tag(f"{name}NT", tags(("CST", cst))))
    return tag(name, tag(f"{name}Outr", tags(("CST", cst), *taxed)))


def _difal(item):
    if not item.difal_base:
        return None
    return tag(
        "ICMSUFDest",
        tags(
            ("vBCUFDest", dot(item.difal_base)),
            ("vBCFCPUFDest", dot(item.difal_base) if item.fcp else None),
            ("pFCPUFDest", dot(item.fcp_rate) if item.fcp else None),
            ("pICMSUFDest", dot(item.difal_rate)),
            ("pICMSInter", dot(item.difal_inter)),
            ("pICMSInterPart", "100.00"),
            ("vFCPUFDest", dot(item.fcp) if item.fcp else None),
            ("vICMSUFDest", dot(item.difal)),
            ("vICMSUFRemet", "0.00"),
        ),
    )


def _ibs(item):
    if item.ibs_base is None:
        return None
    state = tag("gIBSUF", tags(("pIBSUF", "0.1000"), ("vIBSUF", dot(item.ibs))))
    city = tag("gIBSMun", tags(("pIBSMun", "0.0000"), ("vIBSMun", "0.00")))
    federal = tag("gCBS", tags(("pCBS", "0.9000"), ("vCBS", dot(item.cbs))))
    group = tag("gIBSCBS", [tags(("vBC", dot(item.ibs_base))), state, city, tags(("vIBS", dot(item.ibs))), federal])
    return tag("IBSCBS", [tags(("CST", "000"), ("cClassTrib", item.ibs_class)), group])


def _totals(note):
    total = note.totals
    sums = tags(
        ("vBC", dot(total["base"])),
        ("vICMS", dot(total["icms"])),
        ("vICMSDeson", "0.00"),
        ("vFCPUFDest", dot(total["fcp"]) if total["fcp"] else None),
        ("vICMSUFDest", dot(total["difal"]) if total["difal"] else None),
        ("vICMSUFRemet", "0.00" if total["difal"] else None),
        ("vFCP", "0.00"),
        ("vBCST", dot(total["st_base"])),
        ("vST", dot(total["st"])),
        ("vFCPST", "0.00"),
        ("vFCPSTRet", "0.00"),
        ("vProd", dot(total["value"])),
        ("vFrete", dot(total["freight"])),
        ("vSeg", "0.00"),
        ("vDesc", dot(total["discount"])),
        ("vII", "0.00"),
        ("vIPI", dot(total["ipi"])),
        ("vIPIDevol", dot(total["returned_ipi"])),
        ("vPIS", dot(total["pis"])),
        ("vCOFINS", dot(total["cofins"])),
        ("vOutro", dot(total["other"])),
        ("vNF", dot(total["note"])),
    )
    return tag("total", [tag("ICMSTot", sums), _ibs_totals(total)])


def _ibs_totals(total):
    if total["ibs_base"] is None:
        return None
    none = (("vDif", "0.00"), ("vDevTrib", "0.00"))
    credit = tags(("vCredPres", "0.00"), ("vCredPresCondSus", "0.00"))
    ibs = tag(
        "gIBS",
        [
            tag("gIBSUF", tags(*none, ("vIBSUF", dot(total["ibs"])))),
            tag("gIBSMun", tags(*none, ("vIBSMun", "0.00"))),
            tags(("vIBS", dot(total["ibs"]))),
            credit,
        ],
    )
    cbs = tag("gCBS", [tags(*none, ("vCBS", dot(total["cbs"]))), credit])
    return tag("IBSCBSTot", [tags(("vBCIBSCBS", dot(total["ibs_base"]))), ibs, cbs])


def _end(note):
    freight = "0" if note.totals["freight"] else "9"
    paid = tag("detPag", tags(("tPag", "01" if note.model == "65" else "15"), ("vPag", dot(note.totals["note"]))))
    return [tag("transp", tags(("modFrete", freight))), tag("pag", paid)]
