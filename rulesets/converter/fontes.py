"""What every rule says of where its figure was read (`fonte`), and of a citation that reaches no article.

`complete` is the one place that carries over an article found after the tables of facts were made (`dispositivos`), and
that adds to `fonte` that the article was not located where a citation names acts only. `check` refuses the rest.
"""

import re

from bundle import BundleError, as_list
from dispositivos import FOUND, REST_ON

NOT_LOCATED = "Artigo não localizado: as fontes lidas citam só o ato."

#: What a citation names below the act.
_ARTICLE = re.compile(
    r"\barts?\. [0-9]|\b[Cc]láusulas? [a-z]|\b(Anexos?|Apêndice|Livro|Caderno|Tabelas?( de)?) [A-ZÚ0-9(]|\bAnexo \(TIPI\)"
    r"|\bitens? [0-9]|\bsubite(m|ns) [0-9]|\binciso [IVXL]|§ ?[0-9]|\bparágrafo único|\blista anexa\b")

#: What names a public document: an act, an official table or page, a repository, a site, a publication.
_DOCUMENT = re.compile(
    r"\b(Lei|Leis|LC|EC|Decretos?|Decreto-Lei|Convênio|Protocolo|Portarias?|Resoluç(ão|ões)|IN RFB|Constituição|RICMS"
    r"|TIPI|NFS-e)\b"
    r"|\b[A-Za-z0-9][\w.-]+/[A-Za-z][\w.-]+\b|\b[a-z0-9-]+\.(com|net|org|adv|cnt|gov|leg|jus)\b"
    r"|\b([Tt]abelas?|[Ll]istas?|[Cc]adastros?|[Cc]alculadora|[Ss]imulador|[Mm]otor|[Ll]evantamentos?|[Dd]ossiê"
    r"|[Rr]epositório|[Pp]ágina|[Nn]otas? fisca(l|is)|[Nn]otícias?|[Aa]rtigos jurídicos) (públic[ao]s? |oficia(l|is) )?"
    r"(d[aeo]s?|públic[ao]s?|oficia(l|is)|IsentaPCD|sobre|em)\b|\bDiário d[eo]\b|\bjornal")

#: A number of an index, which no reader can look up.
_INDEX = re.compile(r"\bids? ?[0-9]+|\b[0-9]{8,}\b")


def reaches_article(citation):
    """Whether a citation names more than acts: an article, an annex, an item. What a tax rests on is not it."""
    return _ARTICLE.search(REST_ON.sub("", citation)) is not None


def complete(part):
    """A rule or a table with the articles found, and with the note on those that were not."""
    if "linhas" in part and "citacao_legal" in part["colunas"]:
        return _table_of_citations(part)
    header = part.get("comum", part)
    citation, source = _found(header, header["citacao_legal"])
    header["citacao_legal"] = citation
    _add(header, source, None if reaches_article(citation) else NOT_LOCATED)
    return part


def _table_of_citations(part):
    header, column = part["comum"], part["colunas"].index("citacao_legal")
    sources, levels = {}, set()
    for line in part["linhas"]:
        line[column], source = _found(header, line[column])
        sources[source] = None
        levels.add(reaches_article(line[column]))
    if len(levels) > 1 or len(sources) > 1:
        raise BundleError(f"{part['linhas'][0][0]}: a table of citations with and without articles")
    _add(header, *sources, None if levels.pop() else NOT_LOCATED)
    return part


def _found(header, citation):
    """The citation with the article that was found later, and where it was found."""
    scope = header.get("escopo", {})
    place = scope.get("municipio") or scope.get("uf") or scope.get("uf_destino")
    for where in (*(f"{place}/{kind}" for kind in as_list(scope.get("categoria_veiculo"))), place):
        if (header["tributo"], where, citation) in FOUND:
            return FOUND[header["tributo"], where, citation]
    return citation, None


def _add(header, *notes):
    """Notes after the source that the rule states; without one there is nothing to add to, and `fault` says so."""
    if header.get("fonte"):
        header["fonte"] = " ".join([header["fonte"], *filter(None, notes)])


def fault(entry):
    """What is wrong with the source of a rule, or None."""
    source = entry.get("fonte")
    if not source:
        return "no fonte"
    if _INDEX.search(source):
        return "an index number in fonte"
    if not _DOCUMENT.search(source):
        return f"fonte names no document: {source}"
    if reaches_article(entry["citacao_legal"]) == (NOT_LOCATED in source):
        return f"citation without article, or a note without need: {entry['citacao_legal']}"
    return None


def check_found(entries):
    """Refuses an article that was found for a citation which the facts no longer have."""
    unused = {located for located, _ in FOUND.values()} - {entry["citacao_legal"] for entry in entries}
    if unused:
        raise BundleError(f"articles found for no citation: {sorted(unused)}")
