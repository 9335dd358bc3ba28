"""Citations of state law as the source tables write them, turned into the Portuguese of a published rule.

The tables leave out accents, ordinals and commas ("Lei 8.115/1985 art. 4 VI", "red. Lei 7.068/2015"); a published
citation has them ("Lei 8.115/1985, art. 4º, VI", "redação da Lei 7.068/2015").
"""

import re
from fractions import Fraction

ACCENTS = {
    "Convenio": "Convênio", "clausula": "cláusula", "Instrucao": "Instrução", "Resolucao": "Resolução",
    "Disp. Transitorias": "Disposições Transitórias", "fabricacao": "fabricação", "anexo": "Anexo",
    "redacao": "redação", "nao": "não",
}
MASCULINE = ("Decreto", "RIPVA", "RICMS", "CTE")


def ordinal(match):
    """"art. 4" is read "artigo quarto"; from the tenth on, a plain number."""
    number = match.group(2)
    return f"{match.group(1)} {number}{'º' if int(number) < 10 else ''}"


def wording(match):
    """"red. Lei ..." and "red. anterior a Lei ..." with their article."""
    earlier, act = match.group(1), match.group(2)
    if earlier:
        return f"redação anterior {'ao' if act in MASCULINE else 'à'} {act}"
    return f"redação d{'o' if act in MASCULINE else 'a'} {act}"


def citation(text):
    """A citation with its accents, ordinals and commas."""
    for plain, accented in ACCENTS.items():
        text = re.sub(rf"\b{plain}\b", accented, text)
    text = re.sub(r"\bred\. (anterior a )?(Lei|LC|Decreto|Portaria|EC)\b", wording, text)
    text = re.sub(r"\bpar\. ", "§ ", text)
    text = re.sub(r"(art\. [0-9]+) (\([^)]*\)) ([IVXL]+(?: [a-z])?)$", r"\1 \3 \2", text)
    text = re.sub(r"(arts?\.|§) ([0-9]+)(?![0-9.º]|-[A-Z])", ordinal, text)
    text = re.sub(r"(?<=[0-9A-Za-zº)]) (?=(?:arts?\.|§) )(?!e )", ", ", text)
    text = re.sub(r"((?:art\.|§) [0-9]+(?:-[A-Z])?º?) (?=[IVXL]+\b|[a-z]\b)(?!e )", r"\1, ", text)
    text = re.sub(r"(\b[IVXL]+(?:-[A-Z])?) (?=[a-z]\b)(?!e )", r"\1, ", text)
    return text.replace("e, art", "e art").replace(",,", ",")


def cites_article(text):
    """Whether the citation reaches an article, and not only an act."""
    return re.search(r"\barts?\. ", text) is not None


def years(text):
    """The years of the acts that a citation names."""
    return [int(year) for year in re.findall(r"/([0-9]{4})\b", text)]


def percent(rate):
    """A rate as Brazilian readers write it: "2,5%"."""
    exact = Fraction(rate)
    return f"{float(exact):g}".replace(".", ",") + "%"


def listed(items):
    """"a", "a e b", "a, b e c"."""
    *head, last = items
    return f"{', '.join(head)} e {last}" if head else last
