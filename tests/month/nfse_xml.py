"""NFS-e of five layouts: the national one, ABRASF 2.04, Ginfes (ABRASF 1.00), São Paulo and IPM."""

from dataclasses import dataclass, field
from decimal import Decimal

from base import ZERO, Markup, cents, comma, document, dot, share, tag, tags, text

GINFES = "http://www.ginfes.com.br/tipos_v03.xsd"
ABRASF = "http://www.abrasf.org.br/nfse.xsd"
# A layout with its city, the city's code of the IPM, the item of the list and the rate of its law.
LAYOUTS = {
    "nacional": ("3304557", "", "14.01", Decimal("5.00")),
    "abrasf": ("4106902", "", "14.01", Decimal("5.00")),
    "ginfes": ("2304400", "", "14.01", Decimal("5.00")),
    "paulistana": ("3550308", "", "02919", Decimal("2.90")),
    "ipm": ("4205407", "8105", "1.07", Decimal("2.00")),
}


@dataclass
class Service:
    layout: str
    provider: object
    taker: object
    number: int
    day: int
    value: object
    deduction: object = ZERO
    cancelled: bool = False
    base: object = ZERO
    rate: object = ZERO
    iss: object = ZERO
    total: object = ZERO
    pis_more: object = ZERO
    city: str = ""
    item: str = ""
    tags: set = field(default_factory=set)
    file: str = ""
    model = "nfse"

    def __post_init__(self):
        self.city, self.tom, self.item, self.rate = LAYOUTS[self.layout]
        self.base = self.value - self.deduction
        self.iss = share(self.base, self.rate)
        self.total = self.value

    @property
    def simple(self):
        return self.provider.crt == 1

    @property
    def key(self):
        return f"{self.layout}-{self.number}"

    @property
    def date(self):
        return f"2026-06-{self.day:02d}"


def service_xml(service):
    return WRITERS[service.layout](service)


def _national(s):
    values = tag(
        "valores",
        tags(
            ("vBC", dot(s.base)),
            ("pAliqAplic", dot(s.rate)),
            ("vISSQN", dot(s.iss)),
            ("vTotalRet", "0.00"),
            ("vLiq", dot(s.value)),
        ),
    )
    contribution = None if s.simple else _federal(s)
    trib = tag(
        "trib",
        [
            tag("tribMun", tags(("tribISSQN", "1"), ("tpRetISSQN", "1"))),
            contribution,
            tag("totTrib", tag("indTotTrib", "0")),
        ],
    )
    asked = tag("valores", [tag("vServPrest", tag("vServ", dot(s.value))), trib])
    regime = tag(
        "regTrib",
        tags(("opSimpNac", "3" if s.simple else "1"), ("regApTribSN", "1" if s.simple else None), ("regEspTrib", "0")),
    )
    service = tag(
        "serv",
        [
            tag("locPrest", tag("cLocPrestacao", s.city)),
            tag("cServ", tags(("cTribNac", "140101"), ("xDescServ", "MANUTENCAO"))),
        ],
    )
    info = tag(
        "infDPS",
        [
            tags(
                ("tpAmb", "1"),
                ("dhEmi", f"{s.date}T10:00:00-03:00"),
                ("verAplic", "X"),
                ("serie", "1"),
                ("nDPS", s.number),
                ("dCompet", s.date),
                ("tpEmit", "1"),
                ("cLocEmi", s.city),
            ),
            tag("prest", [tag("CNPJ", s.provider.id), regime]),
            tag("toma", tags(("CNPJ", s.taker.id), ("xNome", s.taker.name))),
            service,
            asked,
        ],
        Id=f"DPS{s.number}",
    )
    body = [
        tags(
            ("xLocEmi", "RIO DE JANEIRO"),
            ("xLocPrestacao", "RIO DE JANEIRO"),
            ("nNFSe", s.number),
            ("cLocIncid", s.city),
            ("xTribNac", "X"),
            ("verAplic", "X"),
            ("ambGer", "2"),
            ("tpEmis", "1"),
            ("cStat", "100"),
            ("dhProc", f"{s.date}T10:00:05-03:00"),
            ("nDFSe", s.number),
        ),
        tag("emit", tags(("CNPJ", s.provider.id), ("xNome", s.provider.name))),
        values,
        tag("DPS", info, versao="1.01"),
    ]
    info = tag("infNFSe", body, Id=f"NFS{s.city}22{s.provider.id}{s.number:013d}26061234567890")
    return document(tag("NFSe", info, xmlns="http://www.sped.fazenda.gov.br/nfse", versao="1.01"))


def _federal(s):
    pis, cofins = ("0.65", "3.00") if s.provider.cumulative else ("1.65", "7.60")
    return tag(
        "tribFed",
        tag(
            "piscofins",
            tags(
                ("CST", "01"),
                ("vBCPisCofins", dot(s.value)),
                ("pAliqPis", pis),
                ("pAliqCofins", cofins),
                ("vPis", dot(share(s.value, pis) + s.pis_more)),
                ("vCofins", dot(share(s.value, cofins))),
                ("tpRetPisCofins", "0"),
            ),
        ),
    )


def _abrasf(s):
    values = tags(
        ("ValorServicos", dot(s.value)),
        ("ValorDeducoes", dot(s.deduction)),
        ("ValorIss", dot(s.iss)),
        ("Aliquota", dot(s.rate)),
    )
    service = tag(
        "Servico",
        [
            tag("Valores", values),
            tags(
                ("IssRetido", "2"),
                ("ItemListaServico", s.item),
                ("Discriminacao", "MANUTENCAO"),
                ("CodigoMunicipio", s.city),
                ("ExigibilidadeISS", "1"),
                ("MunicipioIncidencia", s.city),
            ),
        ],
    )
    provider = tag("CpfCnpj", tag("Cnpj", s.provider.id))
    declared = tag(
        "InfDeclaracaoPrestacaoServico",
        [
            tag("Competencia", s.date),
            service,
            tag("Prestador", [provider, tag("InscricaoMunicipal", "1")]),
            tag(
                "TomadorServico",
                [
                    tag("IdentificacaoTomador", tag("CpfCnpj", tag("Cnpj", s.taker.id))),
                    tag("RazaoSocial", s.taker.name),
                ],
            ),
            tags(("OptanteSimplesNacional", "1" if s.simple else "2"), ("IncentivoFiscal", "2")),
        ],
    )
    sums = tag(
        "ValoresNfse",
        tags(
            ("BaseCalculo", dot(s.base)),
            ("Aliquota", dot(s.rate)),
            ("ValorIss", dot(s.iss)),
            ("ValorLiquidoNfse", dot(s.value)),
        ),
    )
    info = tag(
        "InfNfse",
        [
            tags(("Numero", s.number), ("CodigoVerificacao", "AB12"), ("DataEmissao", f"{s.date}T10:00:00")),
            sums,
            tag("DeclaracaoPrestacaoServico", declared),
        ],
    )
    return document(tag("CompNfse", tag("Nfse", info, versao="2.04"), xmlns=ABRASF))


def _ginfes(s):
    fraction = dot(s.rate / 100, 4)
    values = tags(
        ("ns4:ValorServicos", dot(s.value)),
        ("ns4:ValorDeducoes", dot(s.deduction)),
        ("ns4:ValorPis", "0.00"),
        ("ns4:ValorCofins", "0.00"),
        ("ns4:IssRetido", "2"),
        ("ns4:ValorIss", dot(s.iss)),
        ("ns4:BaseCalculo", dot(s.base)),
        ("ns4:Aliquota", fraction),
        ("ns4:ValorLiquidoNfse", dot(s.value)),
    )
    service = tag(
        "ns4:Servico",
        [
            tag("ns4:Valores", values),
            tags(
                ("ns4:ItemListaServico", s.item), ("ns4:Discriminacao", "MANUTENCAO"), ("ns4:CodigoMunicipio", s.city)
            ),
        ],
    )
    provider = tag(
        "ns4:PrestadorServico",
        [
            tag("ns4:IdentificacaoPrestador", tags(("ns4:Cnpj", s.provider.id), ("ns4:InscricaoMunicipal", "1"))),
            tag("ns4:RazaoSocial", s.provider.name),
        ],
    )
    info = tag(
        "ns4:InfNfse",
        [
            tags(
                ("ns4:Numero", s.number),
                ("ns4:CodigoVerificacao", "AB12"),
                ("ns4:DataEmissao", f"{s.date}T10:00:00"),
                ("ns4:NaturezaOperacao", "1"),
                ("ns4:OptanteSimplesNacional", "1" if s.simple else "2"),
                ("ns4:IncentivadorCultural", "2"),
                ("ns4:Competencia", s.date),
            ),
            service,
            provider,
        ],
    )
    listed = tag("ns3:ListaNfse", tag("ns3:CompNfse", tag("ns4:Nfse", info)))
    return document(
        Markup(
            '<ns3:ConsultarNfseResposta xmlns:ns3="http://www.ginfes.com.br/servico_consultar_nfse_resposta_v03.xsd" '
            f'xmlns:ns4="{GINFES}">{listed}</ns3:ConsultarNfseResposta>'
        )
    )


def _paulistana(s):
    note = tag(
        "NFe",
        tags(
            ("Assinatura", "X"),
            (
                "ChaveNFe",
                tags(("InscricaoPrestador", "12345678"), ("NumeroNFe", s.number), ("CodigoVerificacao", "ABCD1234")),
            ),
            ("DataEmissaoNFe", f"{s.date}T14:00:00"),
            ("CPFCNPJPrestador", tag("CNPJ", s.provider.id)),
            ("RazaoSocialPrestador", s.provider.name),
            ("StatusNFe", "C" if s.cancelled else "N"),
            ("DataCancelamento", f"{s.date}T15:00:00" if s.cancelled else None),
            ("TributacaoNFe", "T"),
            ("OpcaoSimples", "4" if s.simple else "0"),
            ("ValorServicos", dot(s.value)),
            ("ValorDeducoes", dot(s.deduction)),
            ("CodigoServico", s.item),
            ("AliquotaServicos", dot(s.rate / 100, 4)),
            ("ValorISS", dot(s.iss)),
            ("ValorCredito", "0.00"),
            ("ISSRetido", "false"),
            ("CPFCNPJTomador", tag("CNPJ", s.taker.id)),
            ("RazaoSocialTomador", s.taker.name),
            ("Discriminacao", "SERVICO"),
        ),
        xmlns="",
    )
    head = tag("Cabecalho", tag("Sucesso", "true"), Versao="1", xmlns="")
    return document(tag("RetornoConsulta", [head, note], xmlns="http://www.prefeitura.sp.gov.br/nfe"))


def _ipm(s):
    """Two services a note, both at the rate of the city."""
    day = f"{s.day:02d}/06/2026"
    half = cents(s.value / 2)
    parts = [
        tag(
            "lista",
            tags(
                ("tributa_municipio_prestador", "S"),
                ("codigo_local_prestacao_servico", s.tom),
                ("codigo_item_lista_servico", "0107"),
                ("descritivo", "SUPORTE"),
                ("aliquota_item_lista_servico", comma(s.rate, 4)),
                ("situacao_tributaria", "0"),
                ("valor_tributavel", comma(part)),
                ("valor_deducao", "0,00"),
                ("valor_issrf", "0,00"),
            ),
        )
        for part in (half, s.value - half)
    ]
    note = tag(
        "nf",
        tags(
            ("numero_nfse", s.number),
            ("serie_nfse", "1"),
            ("data_nfse", day),
            ("hora_nfse", "10:00:05"),
            ("situacao_codigo_nfse", "2" if s.cancelled else "1"),
            ("cod_verificador_autenticidade", "1234567890"),
            ("valor_total", comma(s.total)),
            ("valor_desconto", "0,00"),
            ("valor_ir", "0,00"),
            ("valor_inss", "0,00"),
            ("valor_contribuicao_social", "0,00"),
            ("valor_pis", "0,00"),
            ("valor_cofins", "0,00"),
        ),
    )
    provider = tag("prestador", tags(("cpfcnpj", s.provider.id), ("cidade", s.tom)))
    taker = tag(
        "tomador", tags(("tipo", "J"), ("cpfcnpj", s.taker.id), ("nome_razao_social", s.taker.name), ("cidade", "8105"))
    )
    return document(tag("nfse", [note, provider, taker, tag("itens", Markup(text(parts)))]), "ISO-8859-1")


WRITERS = {"nacional": _national, "abrasf": _abrasf, "ginfes": _ginfes, "paulistana": _paulistana, "ipm": _ipm}
