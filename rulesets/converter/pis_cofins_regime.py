"""A special regime of PIS and COFINS: what it says of one good, its versions, and its worked examples."""

from bundle import money, percent_of, rate, refusal, result, rule
from pis_cofins_fontes import source

TAXES = ("pis", "cofins")
START = "2018-01-01"
END = "2027-01-01"
LC_224 = "2026-04-01"

STANDARD = {"nao_cumulativo": ("1.65", "7.60"), "cumulativo": ("0.65", "3.00")}
RESALE = "Incidência monofásica concentrada no fabricante ou importador: alíquota zero na revenda"
IN_2121 = "IN RFB nº 2.121/2022"


# --- contents: one function of the tax's index (0 PIS, 1 COFINS) each ----------------------------------


def zero(reason):
    return lambda tax: {"tipo": "aliquota_zero", "motivo_zero": reason}


def single_phase(percents):
    return lambda tax: {"tipo": "monofasico", "aliquota": percents and rate(percents[tax]),
                        "motivo_zero_revenda": RESALE}


def by_buyer(retail, others):
    return lambda tax: {
        "tipo": "monofasico",
        "por_comprador": {"varejista_consumidor_final": rate(retail[tax]), "demais": others and rate(others[tax])},
        "motivo_zero_revenda": RESALE,
    }


def marker(description):
    return lambda tax: {"tipo": "marcador_autopropulsado", "descricao": description}


def reduced(percents):
    return lambda tax: {"tipo": "aliquota_reduzida", "aliquota": rate(percents[tax])}


def unknown(tax):
    return {"tipo": "aliquota_reduzida", "aliquota": None}


class Regime:
    """A special regime under one code, with its successive versions, for both contributions."""

    def __init__(self, code, ncm, citation, *versions, exceto=(), ex=None, regime=None, avisos=(), fonte=None):
        self.code, self.ncm, self.citation, self.fonte = code, list(ncm), citation, fonte
        self.versions = versions
        self.exceto, self.ex, self.regime = list(exceto), ex, regime
        self.avisos = list(avisos)

    def scope(self):
        scope = {"ncm": self.ncm}
        if self.exceto:
            scope["ncm_exceto"] = self.exceto
        if self.ex:
            scope["ex"] = self.ex
        if self.regime:
            scope["regime_apuracao"] = [self.regime]
        return scope

    def rules(self, tax, sample):
        for number, (start, end, content, reason) in enumerate(self.versions):
            figures = content(tax)
            examples = worked(TAXES[tax], self, figures, start, sample)
            yield rule(f"{TAXES[tax]}-{self.code}", TAXES[tax], self.scope(), start, end, self.citation, figures,
                       versao=f"1.{number}", avisos=self.avisos, fonte=self.fonte or source(self.citation),
                       motivo=reason if None in flat(figures) else None, exemplos=examples)


def flat(value):
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in flat(item)]
    return [value]


def worked(tributo, regime, figures, start, sample):
    """Examples for one version: base 820.00 = 1000.00 of revenue less 180.00 of ICMS."""
    payload = {"tributo": tributo, "regime_apuracao": regime.regime or "nao_cumulativo", "ncm": sample}
    if regime.ex:
        payload["ex"] = regime.ex
    payload |= {"valor_operacao": "1000.00", "valor_icms_destacado": "180.00", "data_operacao": start}
    kind = figures["tipo"]
    if kind == "aliquota_zero":
        return [result(payload, "0.00", situacao="aliquota_zero")]
    if kind == "marcador_autopropulsado":
        return [refusal(payload, "destinacao_autopropulsado"),
                refusal(payload | {"destinacao_autopropulsado": True}, "destinacao_autopropulsado")]
    if kind == "aliquota_reduzida":
        if figures["aliquota"] is None:
            return [refusal(payload, "regra_sem_conteudo")]
        return [result(payload, money(percent_of("820.00", figures["aliquota"])), situacao="tributado")]
    maker = payload | {"papel_na_cadeia": "fabricante_importador"}
    shown = [result(payload | {"papel_na_cadeia": "revenda"}, "0.00", situacao="monofasico_revenda"),
             refusal(payload, "papel_na_cadeia_ausente")]
    if "por_comprador" in figures:
        buyers = figures["por_comprador"].items()
        return [*(maker_example(maker | {"venda_a": buyer}, percent) for buyer, percent in buyers), *shown,
                refusal(maker, "venda_a_ausente")]
    return [maker_example(maker, figures["aliquota"]), *shown]


def maker_example(payload, percent):
    if percent is None:
        return refusal(payload, "regra_sem_conteudo")
    return result(payload, money(percent_of("820.00", percent)), situacao="tributado")


def current(row):
    """The codes in force for a row: the law may cite codes that no longer exist."""
    return row["ncm_vigente_equivalente"].split(";") if row["ncm_vigente_equivalente"] else [row["ncm"]]


def always(content, reason=None):
    return (START, END, content, reason)
