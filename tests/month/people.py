"""The companies of the month, those who buy from them and sell to them, and what is sold."""

from dataclasses import dataclass, field
from decimal import Decimal

from base import cnpj, cpf

CITIES = {
    "SP": ("3550308", "SAO PAULO"),
    "MG": ("3106200", "BELO HORIZONTE"),
    "PR": ("4106902", "CURITIBA"),
    "RJ": ("3304557", "RIO DE JANEIRO"),
    "BA": ("2927408", "SALVADOR"),
    "SC": ("4205407", "FLORIANOPOLIS"),
    "GO": ("5208707", "GOIANIA"),
    "CE": ("2304400", "FORTALEZA"),
}
INTERNAL = {"SP": Decimal("18.00"), "MG": Decimal("18.00")}
# What the States of the south and the south-east ask on sales to the others of Brazil.
POORER = {"BA", "GO", "CE"}


@dataclass
class Party:
    """Someone who issues or receives documents. `crt` is the regime: 1 the Simples, 3 the normal one."""

    name: str
    id: str
    uf: str
    ie: str
    crt: int = 3
    ie_kind: int = 1
    code: str = ""

    @property
    def city(self):
        return CITIES[self.uf]


@dataclass
class Company(Party):
    cumulative: bool = False
    industrial: bool = False
    books: bool = True
    revenue: Decimal = Decimal("0")


@dataclass
class Product:
    """What is sold. `st` is the margin of ICMS-ST at home, `single` that PIS and COFINS were paid by the maker."""

    code: str
    name: str
    ncm: str
    price: Decimal
    ipi: Decimal = Decimal("0")
    cest: str = ""
    st: Decimal = None
    single: bool = False
    icms: dict = field(default_factory=dict)
    unit: str = "UN"

    def internal(self, uf):
        return self.icms.get(uf, INTERNAL[uf])

    def kind_in(self, company):
        """TIPO_ITEM of the EFD: what the company makes, packs with, or sells again."""
        if not company.industrial:
            return "00"
        return "02" if self.code == "P08" else "04" if self.ipi else "00"


def inscription(number):
    return f"{110000000000 + number}"


FACTORY = Company("ALFA UTENSILIOS INVENTADOS SA", cnpj(11222333), "SP", inscription(1), industrial=True)
WHOLESALER = Company("BETA ATACADO INVENTADO LTDA", cnpj(44555666), "MG", "0010020030040", cumulative=True)
SHOP = Company(
    "GAMA LOJA INVENTADA LTDA", cnpj(77888999), "SP", inscription(3), crt=1, books=False, revenue=Decimal("150000.00")
)
COMPANIES = [FACTORY, WHOLESALER, SHOP]

D = Decimal
TOWEL = Product("P01", "TOALHA DE BANHO DE ALGODÃO", "63026000", D("39.90"))
BOX = Product("P02", 'CAIXA DE PLÁSTICO 10" COM TAMPA & ALÇA', "39231090", D("24.50"), ipi=D("9.75"))
POT = Product("P03", "PANELA DE ALUMINIO", "76151000", D("119.00"), ipi=D("6.5"))
CHOCOLATE = Product(
    "P04", "CHOCOLATE EM BARRA 1 KG", "18063210", D("31.00"), ipi=D("3.25"), cest="1700300", st=D("74.80")
)
CREAM = Product("P05", "CREME DE BELEZA", "33049910", D("45.00"), cest="2001400", single=True)
SHIRT = Product("P06", "CAMISETA DE ALGODAO", "61091000", D("29.90"))
SHOE = Product("P07", "SAPATO DE COURO", "64039190", D("159.00"))
CARTON = Product("P08", "CAIXA DE PAPELAO", "48191000", D("7.80"), ipi=D("15"))
PRODUCTS = [TOWEL, BOX, POT, CHOCOLATE, CREAM, SHIRT, SHOE, CARTON]


def party(name, root, uf, number, **more):
    return Party(name, cnpj(root), uf, inscription(number), **more)


SUPPLIERS = [
    party("FIAÇÃO INVENTADA LTDA", 22333441, "SP", 21),
    party("PLASTICOS INVENTADOS SA", 22333442, "PR", 22),
    party("PAPEIS INVENTADOS SA", 22333443, "MG", 23),
    party("MICRO INVENTADA ME", 22333444, "SP", 24, crt=1),
    party("TECIDOS INVENTADOS LTDA", 22333445, "MG", 25),
    party("CONFECCAO INVENTADA LTDA", 22333446, "SC", 26),
]
BUYERS = [
    party("MERCADO INVENTADO LTDA", 33444551, "SP", 31),
    party("REDE INVENTADA SA", 33444552, "MG", 32),
    party("LOJAS INVENTADAS LTDA", 33444553, "PR", 33),
    party("BAZAR INVENTADO LTDA", 33444554, "BA", 34),
    party("ARMAZEM INVENTADO LTDA", 33444555, "RJ", 35),
    party("DISTRIBUIDORA INVENTADA SA", 33444556, "GO", 36),
    party("EMPORIO INVENTADO LTDA", 33444557, "SP", 37),
    party("MAGAZINE INVENTADO LTDA", 33444558, "MG", 38),
]
CONSUMERS = [
    Party(f"PESSOA INVENTADA {place}", cpf(123456780 + place), uf, "", ie_kind=9)
    for place, uf in enumerate(["SC", "PR", "SP", "MG"])
]
CARRIERS = [
    party("TRANSPORTES INVENTADOS LTDA", 55666771, "SP", 41),
    party("CARGAS INVENTADAS LTDA", 55666772, "PR", 42),
]
for place, other in enumerate([*SUPPLIERS, *BUYERS, *CONSUMERS, *CARRIERS, *COMPANIES], 1):
    other.code = f"F{place:03d}"


def rate_between(origin, destination, imported=False):
    """ICMS between two States: 12 %, 7 % to the poorer ones, 4 % of what is imported (Senate, 22/1989 and 13/2012)."""
    if imported:
        return Decimal("4.00")
    return Decimal("7.00") if destination in POORER and origin not in POORER else Decimal("12.00")
