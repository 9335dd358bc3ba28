"""CT-e 4.00: freight between States, by one of the companies or paid by one."""

from dataclasses import dataclass, field

from base import UFS, ZERO, Markup, access_key, document, dot, share, tag, tags, text
from people import CITIES, rate_between

SPACE = "http://www.portalfiscal.inf.br/cte"


@dataclass
class Freight:
    """A CT-e. `taker` is `sender` or `receiver`."""

    carrier: object
    sender: object
    receiver: object
    number: int
    day: int
    value: object
    taker: str = "sender"
    notes: list = field(default_factory=list)
    cancelled: bool = False
    key: str = ""
    base: object = ZERO
    rate: object = ZERO
    icms: object = ZERO
    received: object = ZERO
    ibs_base: object = ZERO
    ibs: object = ZERO
    cbs: object = ZERO
    cfop: str = ""
    tags: set = field(default_factory=set)
    file: str = ""
    model = "57"
    series = 1

    def __post_init__(self):
        uf = self.carrier.uf
        self.key = access_key(uf, self.carrier.id, "57", 1, self.number, 20_000_000 + self.number * 7907 % 79_999_999)
        self.base, self.received = self.value, self.value
        self.rate = rate_between(self.sender.uf, self.receiver.uf)
        self.icms = share(self.base, self.rate)
        self.cfop = "6353" if self.sender.uf != self.receiver.uf else "5353"
        self.settle()

    def settle(self):
        """IBS and CBS of the base of the law: the price without ICMS, PIS and COFINS."""
        cumulative = getattr(self.carrier, "cumulative", False)
        net = self.value - self.icms
        federal = [("0.65", "3.00"), ("1.65", "7.60")][not cumulative]
        self.ibs_base = net - sum((share(net, rate) for rate in federal), ZERO)
        self.ibs, self.cbs = share(self.ibs_base, "0.10"), share(self.ibs_base, "0.90")

    @property
    def date(self):
        return f"2026-06-{self.day:02d}"

    @property
    def payer(self):
        return self.sender if self.taker == "sender" else self.receiver


def freight_xml(freight):
    inner = [
        _ide(freight),
        _issuer(freight.carrier),
        _side("rem", "enderReme", freight.sender),
        _side("dest", "enderDest", freight.receiver),
        _price(freight),
        _taxes(freight),
        _load(freight),
    ]
    info = tag("infCte", Markup(text(inner)), versao="4.00", Id=f"CTe{freight.key}")
    stated = tags(
        ("tpAmb", "1"),
        ("verAplic", "X"),
        ("chCTe", freight.key),
        ("dhRecbto", f"{freight.date}T08:00:05-03:00"),
        ("nProt", f"135{freight.key[-12:]}"),
        ("cStat", "100"),
        ("xMotivo", "Autorizado"),
    )
    protocol = tag("protCTe", tag("infProt", stated), versao="4.00")
    return document(tag("cteProc", [tag("CTe", info), protocol], xmlns=SPACE, versao="4.00"))


def _ide(freight):
    begin, end = freight.sender.city, freight.receiver.city
    uf = freight.carrier.uf
    return tag(
        "ide",
        tags(
            ("cUF", UFS[uf]),
            ("cCT", freight.key[35:43]),
            ("CFOP", freight.cfop),
            ("natOp", "Prestacao de transporte"),
            ("mod", "57"),
            ("serie", "1"),
            ("nCT", freight.number),
            ("dhEmi", f"{freight.date}T08:00:00-03:00"),
            ("tpImp", "1"),
            ("tpEmis", "1"),
            ("cDV", freight.key[-1]),
            ("tpAmb", "1"),
            ("tpCTe", "0"),
            ("procEmi", "0"),
            ("verProc", "mes"),
            ("cMunEnv", CITIES[uf][0]),
            ("xMunEnv", CITIES[uf][1]),
            ("UFEnv", uf),
            ("modal", "01"),
            ("tpServ", "0"),
            ("cMunIni", begin[0]),
            ("xMunIni", begin[1]),
            ("UFIni", freight.sender.uf),
            ("cMunFim", end[0]),
            ("xMunFim", end[1]),
            ("UFFim", freight.receiver.uf),
            ("retira", "1"),
            ("indIEToma", "1"),
            ("toma3", tag("toma", "0" if freight.taker == "sender" else "3")),
        ),
    )


def _place(name, party):
    city, town = party.city
    return tag(
        name,
        tags(
            ("xLgr", "RUA UM"),
            ("nro", "1"),
            ("xBairro", "CENTRO"),
            ("cMun", city),
            ("xMun", town),
            ("CEP", "01000000"),
            ("UF", party.uf),
        ),
    )


def _issuer(party):
    return tag(
        "emit",
        [
            tags(("CNPJ", party.id), ("IE", party.ie), ("xNome", party.name)),
            _place("enderEmit", party),
            tags(("CRT", party.crt)),
        ],
    )


def _side(name, address, party):
    return tag(name, [tags(("CNPJ", party.id), ("IE", party.ie), ("xNome", party.name)), _place(address, party)])


def _price(freight):
    return tag(
        "vPrest",
        [
            tags(("vTPrest", dot(freight.value)), ("vRec", dot(freight.received))),
            tag("Comp", tags(("xNome", "FRETE PESO"), ("vComp", dot(freight.value)))),
        ],
    )


def _taxes(freight):
    icms = tag(
        "ICMS",
        tag(
            "ICMS00",
            tags(("CST", "00"), ("vBC", dot(freight.base)), ("pICMS", dot(freight.rate)), ("vICMS", dot(freight.icms))),
        ),
    )
    state = tag("gIBSUF", tags(("pIBSUF", "0.1000"), ("vIBSUF", dot(freight.ibs))))
    city = tag("gIBSMun", tags(("pIBSMun", "0.0000"), ("vIBSMun", "0.00")))
    federal = tag("gCBS", tags(("pCBS", "0.9000"), ("vCBS", dot(freight.cbs))))
    group = tag(
        "gIBSCBS", [tags(("vBC", dot(freight.ibs_base))), state, city, tags(("vIBS", dot(freight.ibs))), federal]
    )
    ibs = tag("IBSCBS", [tags(("CST", "000"), ("cClassTrib", "000001")), group])
    return tag("imp", [icms, ibs, tags(("vTotDFe", dot(freight.value)))])


def _load(freight):
    load = tag(
        "infCarga",
        [
            tags(("vCarga", "1000.00"), ("proPred", "PRODUTO")),
            tag("infQ", tags(("cUnid", "01"), ("tpMed", "PESO BRUTO"), ("qCarga", "100.0000"))),
        ],
    )
    carried = [tag("infNFe", tag("chave", key)) for key in freight.notes]
    mode = tag("infModal", tag("rodo", tag("RNTRC", "12345678")), versaoModal="4.00")
    return tag("infCTeNorm", [load, tag("infDoc", carried) if carried else None, mode])
