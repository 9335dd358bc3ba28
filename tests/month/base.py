"""Amounts, digits and XML of the made month."""

from decimal import ROUND_HALF_UP, Decimal
from xml.sax.saxutils import escape

CENT = Decimal("0.01")
ZERO = Decimal("0.00")
UFS = {"SP": "35", "MG": "31", "PR": "41", "RJ": "33", "BA": "29", "SC": "42", "GO": "52", "CE": "23"}


def cents(value):
    """An amount rounded half up to cents."""
    return Decimal(value).quantize(CENT, ROUND_HALF_UP)


def share(base, rate):
    """The amount of a rate in per cent."""
    return cents(base * Decimal(rate) / 100)


def dot(value, places=2):
    """A number as XML has it."""
    return f"{Decimal(value):.{places}f}"


def comma(value, places=2):
    """A number as the EFD has it."""
    return dot(value, places).replace(".", ",")


def _digit(digits, weights):
    rest = sum(int(digit) * weight for digit, weight in zip(digits, weights)) % 11
    return "0" if rest < 2 else str(11 - rest)


def cnpj(root, branch=1):
    """A CNPJ of a root with its check digits."""
    digits = f"{root:08d}{branch:04d}"
    digits += _digit(digits, [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])
    return digits + _digit(digits, [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])


def cpf(number):
    """A CPF of nine digits with its check digits."""
    digits = f"{number:09d}"
    digits += _digit(digits, range(10, 1, -1))
    return digits + _digit(digits, range(11, 1, -1))


def key_digit(digits):
    """The check digit of an access key of 43 digits."""
    weights = [2 + place % 8 for place in range(43)]
    return _digit(digits[::-1], weights)


def access_key(uf, issuer, model, series, number, code, month="2606", form="1"):
    """An access key of NF-e, NFC-e or CT-e."""
    digits = f"{UFS[uf]}{month}{issuer}{model}{series:03d}{number:09d}{form}{code:08d}"
    return digits + key_digit(digits)


def coupon_key(uf, issuer, device, number, code, month="2606"):
    """An access key of a coupon of the SAT: nine digits of the device, six of the number."""
    digits = f"{UFS[uf]}{month}{issuer}59{device:09d}{number:06d}{code:06d}"
    return digits + key_digit(digits)


def tag(name, content="", **attributes):
    """An element; content is text that is escaped, a Markup, or a list of both."""
    inner = content if isinstance(content, Markup) else text(content)
    listed = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return Markup(f"<{name}{listed}>{inner}</{name}>")


class Markup(str):
    """Text that is XML already."""


def text(content):
    if isinstance(content, (list, tuple)):
        return "".join(text(part) for part in content if part is not None)
    return str(content) if isinstance(content, Markup) else escape(str(content))


def tags(*pairs):
    """Elements of names and contents; those without a content (None) are left out."""
    return Markup("".join(tag(name, content) for name, content in pairs if content is not None))


def document(root, encoding="UTF-8"):
    return f'<?xml version="1.0" encoding="{encoding}"?>\n{root}\n'.encode(encoding)
