"""ITBI of every municipality but São Paulo.

What is decided here, and why:

* Where the law lowers the rate for who pays early, the ordinary rate answers and the lower one stands beside it.
* A lower rate for a class of property or a programme of some months is told in `avisos`.
* The part financed by the housing system is null where its treatment was not read: an answer at the general rate would
  say that there is none. `NO_SFH` names the municipalities whose official pages give none.
* The base is the declared value where no other was read.
* A rate that only lists of third parties give is null, whatever its trust: of the municipalities that could be looked
  into, the lists were out of date in Guarulhos, and silent on a lower rate in Manaus. `CONFIRMED` are those in which a
  law or the press bears the list out.
"""

from fractions import Fraction

from bundle import BundleError, day_after, decimal_text, money, rate, refusal, result, rule
from municipal_place import HISTORY, comma, trusted
from municipal_sources import citation, only_listed, read_in, seen_in

TEMA_1113 = ("STJ, Tema 1113 (REsp 1.937.821/SP): a base é o valor de mercado, o valor declarado presume-se correto e o "
             "município não pode impor de antemão um valor de referência.")

#: The base as the facts word it -> (base, advice).
BASES = {
    "": ("valor_transacao", "A regra municipal de base não foi conferida: a conta usa o valor declarado."),
    "valor de mercado declarado ou arbitrado":
        ("valor_transacao", "O valor declarado pode ser arbitrado pela prefeitura."),
    "valor declarado presumido de mercado; só afastado em processo administrativo":
        ("valor_transacao", "O valor declarado só é afastado em processo administrativo."),
    "pode-se abater a corretagem comprovada por NFS-e municipal":
        ("valor_transacao", "Da base se pode abater a corretagem comprovada por NFS-e municipal."),
    "até 25/12/2023: valor apurado pela prefeitura":
        ("valor_venal_referencia",
         "Até 25/12/2023 a base era o valor apurado pela prefeitura: informe-o em valor_venal_referencia."),
    "estimativa fiscal municipal":
        ("valor_venal_referencia",
         "A base é a estimativa fiscal do município: informe-a em valor_venal_referencia."),
    "valor venal ou declarado, o maior": ("maior", "A base é o maior entre o valor venal e o declarado."),
}
#: Municipalities whose base was read in a law that the facts do not cite -> (base, advice).
BASE_READ = {
    "MG/Juiz de Fora": ("maior", "A base é o valor venal avaliado pelo município, nunca inferior ao declarado (Lei "
                                 "10.862/2004, art. 10, redação da Lei 13.070/2014); a Lei 15.203/2025 não foi lida."),
}
#: Municipalities whose official pages give the financed part no rate of its own.
NO_SFH = {"RJ/Rio de Janeiro", "DF/Brasília", "BA/Salvador"}
SFH_REASON = "O tratamento da parte financiada pelo SFH não foi lido."
SFH_REASONS = {
    "SC/Florianópolis": "A parte financiada pelo SFH, PAR ou HIS paga 0,5% até R$ 180.000,00 de 2017, corrigidos pelo "
                        "IPCA todo ano (LC 600/2017); o limite do exercício não foi lido.",
    "GO/Goiânia": "No SFH havia faixas de 0,5%, 1% e 2% por valor financiado no código anterior; as da LC 344/2021 não "
                  "foram lidas.",
    "PR/Curitiba": "O imóvel residencial financiado por ao menos 10 anos tem alíquota reduzida, não lida (LC 108/2017, "
                   "art. 11, redação da LC 148/2025).",
    "RS/Porto Alegre": "A redução do financiamento pelo SFH (LC 197/1989, art. 16) não foi lida.",
    "SP/São Bernardo do Campo": "No SFH há faixas por valor do imóvel, com parcela a deduzir, que não foram lidas.",
    "MG/Juiz de Fora": "A parte financiada paga 0,5% até um limite que muda todo ano; o lido, de R$ 107.603,17, não traz "
                       "o exercício.",
    "MA/Açailândia": "0,5% só no primeiro imóvel financiado pelo SFH: o pedido não diz se é o primeiro.",
}
#: Municipalities whose listed rate is borne out -> where.
CONFIRMED = {
    "SC/Florianópolis": "LC 600/2017, segundo artigo jurídico (estilo-rnc.com.br).",
    "GO/Goiânia": "Alíquota de 2% fora do SFH também em notícia de O Popular (07/2021), no código anterior.",
    "SP/Guarulhos": "Alíquota de 2% até 2025 também em notícia sobre a Lei 8.425/2025 (folhadeguarulhos.com.br).",
}
#: Municipalities whose rate changed after what the facts say -> (first day without figure, reason).
CHANGED = {
    "SP/Guarulhos": ("2026-01-01", "A Lei 8.425/2025, publicada em 16/12/2025, elevou a alíquota de 2% para 3% em 2026, "
                                   "segundo notícia; o dia em que passou a valer não foi conferido."),
}
#: What is known of a listed rate beside the list.
LISTED_REASONS = {
    "AM/Manaus": "Listas de terceiros trazem 2%; notícia de 2020 traz 1,8% para o imposto pago antes da escritura.",
    "PB/João Pessoa": "Listas de terceiros trazem 3%, e uma 2%; houve desconto de 30% de 10/02 a 13/03/2026.",
    "MA/São Luís": "Listas de terceiros trazem 2%, como a Lei 5.822/2013, revogada pela Lei 6.289/2017, que não foi lida.",
}
#: Lower rates for who pays early -> (first day on which the condition was read, condition, article, document, reason of
#: the null before that day). The ordinary rate and the lower one are those of the row.
EARLY = {
    "CE/Fortaleza": (HISTORY, "antes da lavratura ou do registro do instrumento", "LC 159/2013 (CTM)", None, None),
    "PE/Recife": ("2024-01-01", "antecipadamente, com o pedido protocolado em até 180 dias da assinatura do "
                                "instrumento (imóvel novo, do habite-se; pelo SFH, do contrato)",
                  "Lei 15.563/1991, art. 55 (redação da Lei 19.174/2023)",
                  "Condição da alíquota de 1,8% em Jornal do Commercio (05/03/2024).",
                  "3%, ou 1,8% para quem paga antes, em condição que só se leu desde a Lei 19.174/2023."),
}
#: A programme over all transfers, with its first day after the end: null while it lasts.
PROGRAMMES = {
    "RN/Natal": ("2026-01-16", "Programa extraordinário de 90 dias, prorrogável por 30, reduziu a base em 60% até R$ "
                               "350.000,00, 50% até R$ 700.000,00 e 40% acima: 3% sobre a base inteira, ou sobre a "
                               "reduzida."),
}


def due(percent, special, base, financed):
    """The financed part up to its ceiling at its own rate, unless the property is above the limit."""
    part, ceiling = Fraction(0), special and special.get("limite_financiado")
    above = special and special.get("limite_imovel") and Fraction(base) > Fraction(special["limite_imovel"])
    if financed and special and not above:
        part = min(Fraction(financed), Fraction(ceiling or financed))
    own = Fraction(special["aliquota"]) if part else Fraction(0)
    return money(part * own / 100 + (Fraction(base) - part) * Fraction(percent) / 100)


def holds(row, day):
    return (row["vigente_de"] or HISTORY) <= day and (not row["vigente_ate"] or day <= row["vigente_ate"])


def segments(place, rows):
    """The stretches between the days on which some row begins or ends."""
    days = {HISTORY}
    for row in rows:
        days |= {day for day in (row["vigente_de"], day_after(row["vigente_ate"])) if day and day > HISTORY}
    days |= {table[place.name][0] for table in (PROGRAMMES, CHANGED, EARLY) if place.name in table}
    starts = sorted(days)
    return zip(starts, [*starts[1:], None])


class Stretch:
    """What holds between two days: the general row, and those for a condition."""

    def __init__(self, place, rows, start):
        self.place, self.start = place, start
        self.rows = [row for row in rows if holds(row, start)]
        stated = [row for row in self.rows if row["aliquota_geral"]]
        rates = {rate(row["aliquota_geral"]) for row in stated}
        if len(rates) != 1:
            raise BundleError(f"itbi {place.name}: {len(rates)} rates on {start}")
        self.general = min(stated, key=lambda row: (bool(row["aliquota_especial"] or row["condicao_especial"]),
                                                    stated.index(row)))
        self.percent = rates.pop()

    def programme(self):
        end, reason = PROGRAMMES.get(self.place.name, (None, None))
        running = any(row["condicao_especial"].startswith("redução da base") for row in self.rows)
        return reason if running and self.start < end else None

    def reason(self):
        """Why there is no general rate, if so."""
        if not all(trusted(row) for row in self.rows if row["aliquota_geral"]):
            percent = comma(self.general["aliquota_geral"])
            return f"A alíquota de {percent}% só foi vista em fontes sem dispositivo ou que divergem."
        since, changed = CHANGED.get(self.place.name, (None, None))
        if since and self.start >= since:
            return changed
        if only_listed(self.general) and self.place.name not in CONFIRMED:
            return LISTED_REASONS.get(self.place.name) or (
                f"A alíquota de {comma(self.percent)}% só foi vista em listas de terceiros, sem o ato municipal.")
        since, *_, before = EARLY.get(self.place.name, (HISTORY, None))
        return before if self.start < since else self.programme()

    def early(self):
        """The lower rate of who pays early, or nothing where there is none."""
        if self.place.name not in EARLY or not self.general["aliquota_especial"]:
            return None
        _, condition, law, _, _ = EARLY[self.place.name]
        return {"aliquota": rate(self.general["aliquota_especial"]), "condicao": condition, "base_legal": law}

    def sfh(self):
        """The financed part: its rate and limits, a null, or nothing where there is none."""
        if self.place.name in NO_SFH:
            return None
        stated = self.general["aliquota_sfh"]
        if not stated or self.place.name == "MA/Açailândia":
            return {"aliquota": None}
        special = {"aliquota": rate(stated)}
        if self.general["limite_sfh"]:
            known = self.place.name not in SFH_REASONS
            special["limite_financiado"] = decimal_text(self.general["limite_sfh"]) if known else None
        return special

    def advice(self):
        if not self.reason():
            yield TEMA_1113
            yield self.base()[1]
        for row in self.rows:
            told = self.place.name in EARLY and row is self.general
            if row["aliquota_especial"] and row["condicao_especial"] and trusted(row) and not told:
                yield f"{comma(row['aliquota_especial'])}%, não avaliado: {row['condicao_especial']} ({row['fonte_legal']})."

    def base(self):
        """What the tax is computed on, and the advice on it."""
        text = self.general["regra_base"]
        if self.place.name in BASE_READ:
            return BASE_READ[self.place.name]
        if text not in BASES:
            raise BundleError(f"itbi {self.place.name}: base {text!r} without a decision")
        return BASES[text]

    def content(self):
        special = self.sfh()
        if self.reason():
            special = None if special == {"aliquota": None} else special
            return {"aliquota": None, "base": self.base()[0]} | ({"sfh": special} if special else {})
        figures = {"aliquota": self.percent, "base": self.base()[0]}
        early = self.early()
        return figures | ({"sfh": special} if special else {}) | ({"pagamento_antecipado": early} if early else {})

    def motive(self, content):
        """The reasons of every null, one after the other."""
        told = [self.reason()]
        if "sfh" in content and None in content["sfh"].values():
            told.append(SFH_REASONS.get(self.place.name, SFH_REASON))
        return " ".join(filter(None, told)) or None

    def examples(self, content, day):
        base = self.place.payload("itbi", valor_transacao="500000.00", data=day)
        if content["base"] != "valor_transacao":
            base |= {"valor_venal_referencia": "450000.00"}
        percent, special = content["aliquota"], content.get("sfh")
        financed = base | {"financiado_sfh": True, "valor_financiado": "300000.00"}
        refused = "regra_sem_conteudo"
        if percent is None:
            return [refusal(base, refused)]
        taxed = "450000.00" if content["base"] == "valor_venal_referencia" else "500000.00"
        def told(financed):
            early = content.get("pagamento_antecipado")
            return {"pagamento_antecipado": {"valor": due(early["aliquota"], special, taxed, financed)}} if early else {}

        shown = [result(base, due(percent, special, taxed, None), aliquota_aplicada=percent, **told(None))]
        if content["base"] != "valor_transacao":
            shown.append(result(base | {"valor_venal_referencia": "600000.00"}, due(percent, special, "600000.00", None)))
        if special is None:
            shown.append(result(financed, due(percent, None, taxed, None), sfh_aplicado=False))
        elif None in special.values():
            shown.append(refusal(financed, refused))
        else:
            shown.append(result(financed, due(percent, special, taxed, "300000.00"), sfh_aplicado=True,
                                **told("300000.00")))
        return shown


def rules(place, rows):
    """The history of one municipality; a stretch that repeats the one before lengthens it."""
    rows = [row for row in rows if not row["vigente_ate"] or row["vigente_ate"] >= HISTORY]
    if not rows:
        return
    kept = []
    for start, end in segments(place, rows):
        one = Stretch(place, rows, start)
        content = one.content()
        told = (citation(one.general, "itbi"), content, tuple(one.advice()), one.motive(content),
                (read_in if content["aliquota"] else seen_in)(
                    one.rows, CONFIRMED.get(place.name), EARLY[place.name][3] if one.early() else None,
                    None if one.general["vigente_de"] else "Início anterior a 2022-01-01 não conferido."))
        if kept and kept[-1][2] == told:
            kept[-1][1] = end
        else:
            kept.append([start, end, told, one])
    for number, (start, end, (law, content, advice, motive, source), one) in enumerate(kept):
        day = start if end else max(start, "2026-06-10")
        yield rule(place.code("itbi"), "itbi", place.scope, start, end, law, content, versao=f"1.{number}",
                   avisos=advice, motivo=motive, fonte=source, exemplos=one.examples(content, day))
