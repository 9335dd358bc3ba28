"""ICMS by substitution in the States: margins, by CEST.

What is decided here, and why:

* A row without origin answers any origin, and tells that the signatories of its agreements were not checked; a row that
  names origins becomes one rule for each and one for the internal operation; a row that excepts an origin has a rule
  that refuses that one.
* Two margins by a contract that the payload does not carry: the one of all other cases answers and tells the other.
* A whole segment is expanded by the list of its codes that Minas Gerais publishes, which is the national one.
* A row whose internal rate is the general one follows its history; a row without a first day begins with that rate.
"""

import re
from fractions import Fraction

import estadual_st_pauta
from bundle import BundleError, day_after, money, percent_of, rate, read_table, refusal, result, rule, table
from estadual_comum import NEVER, START, cite, goods, group, history, overlap, rows_of
from estadual_st_leitura import (ADVICE, AGREEMENTS, CODES_SOURCE, DIVERGENT, FIDELITY, FREIGHT, FUND_IN_FORMULA,
                                 FUNDS, IMPLIED, IMPLIED_SOURCE, INTERNAL_ONLY, LEFT_OUT_CONDITIONS,
                                 LEFT_SEGMENT, MG_PERFUMES, NOT_ADJUSTED, OWN_RATE, PERFUMES, RATE_START, REFUSED, SIGNATORIES,
                                 SOURCE, SOURCES, TOLD)
from fontes import reaches_article

#: Origin of the examples of rules that answer operations from other States only.
FROM = "SP"
OLD_TEXT = "vigência até 30.09.2016"


def segment_codes(source, excepted):
    """The CESTs of the car parts' segment as (cest, codes, description), without the excepted ones."""
    for row in rows_of(source, "icms_st_mva", "MG", "uf_destino"):
        if row["segmento"] == "autopecas" and row["cest"] not in excepted:
            yield row["cest"], row["ncm"], row["descricao"]


def expanded(source, rows):
    """Rows of one CEST each: whole segments by the national list, with their margins merged."""
    default = {cest for row in rows_of(source, "icms_st_mva", "AC", "uf_destino") if row["ncm"].startswith("segmento")
               for cest in re.findall(r"[0-9]{2}\.[0-9]{3}\.[0-9]{2}", row["descricao"])}
    for row in rows:
        if row["condicao"] in LEFT_OUT_CONDITIONS or OLD_TEXT in row["descricao"] or not row["ncm"]:
            continue
        if row["ncm"].startswith("segmento"):
            if row["ncm"] != "segmento 01":
                raise BundleError(f"icms_st {row['uf_destino']}: {row['ncm']} has no list of codes")
            for cest, codes, text in segment_codes(source, default):
                yield row | {"cest": cest, "ncm": codes, "descricao": text, "expanded": True}
        else:
            yield row


def merged(rows):
    """One row for each CEST and scope of origin: contracts of fidelity told, equal margins of other codes joined."""
    for (cest, origin), members in group(rows, lambda row: (row["cest"], row["uf_origem"])).items():
        faithful = [row for row in members if row["condicao"] == "contrato de fidelidade"]
        plain = [row for row in members if row["condicao"] != "contrato de fidelidade"]
        first = dict(plain[0])
        key = (first["uf_destino"], cest.replace(".", ""))
        if len({Fraction(row["mva_original"]) for row in plain}) > 1 and key not in REFUSED:
            raise BundleError(f"icms_st {key}: two margins without a decision")
        first["ncm"] = " ".join(dict.fromkeys(" ".join(row["ncm"] for row in plain).split()))
        first["faithful"] = faithful[0] if faithful else None
        yield first


def check_adjusted(row, internal, fund):
    """The published adjusted margins are those of the formula, within two hundredths."""
    if (row["uf_destino"], row["segmento"]) in DIVERGENT or (row["uf_destino"], row["segmento"]) in NOT_ADJUSTED:
        return
    for inter in (4, 7, 12):
        published = row[f"mva_ajustada_{inter}"]
        if published:
            inside = Fraction(internal) + (Fraction(fund) if fund and row["uf_destino"] in FUND_IN_FORMULA else 0)
            right = ((100 + Fraction(row["mva_original"])) * (100 - inter) / (100 - inside)) - 100
            if abs(right - Fraction(published)) > Fraction("0.02"):
                raise BundleError(f"icms_st {row['uf_destino']} {row['cest']}: published {published}, formula {right}")


class Margin:
    """One merged row, as the rules it stands for."""

    def __init__(self, row, source, nomenclature):
        self.row, self.uf = row, row["uf_destino"]
        self.key = (self.uf, row["segmento"])
        self.cest = row["cest"].replace(".", "")
        if not re.fullmatch(r"[0-9]{7}", self.cest):
            raise BundleError(f"icms_st {self.uf}: malformed CEST {row['cest']}")
        self.codes = nomenclature.current_list(row["ncm"].split())
        self.periods = history(source, self.uf)
        self.internal, self.fund = row["aliquota_interna"], None
        implied = IMPLIED.get((self.uf, self.cest))
        if implied:
            self.internal, self.fund = implied[0], (implied[1], True)
        elif self.key in FUNDS:
            self.fund = FUNDS[self.key]
            if row["fcp"] not in ("0", self.fund[0][0]):
                raise BundleError(f"icms_st {self.key}: the addition of the fund changed")
        elif row["fcp"] not in ("", "0") and not self.reason():
            raise BundleError(f"icms_st {self.key}: an addition without a decision")
        if self.internal:
            check_adjusted(row, self.internal, self.fund and self.fund[0])

    def reason(self):
        row = self.row
        if (self.uf, self.cest) in REFUSED:
            return REFUSED[self.uf, self.cest]
        if self.key == ("RS", "perfumaria e cosmeticos"):
            return PERFUMES
        if "marcados como provaveis" in row["obs"]:
            return MG_PERFUMES
        return FREIGHT if "frete" in row["obs"] else None

    def spans(self):
        """(start, end, internal rate): by the general rate's history, if that is the row's rate."""
        row = self.row
        end = day_after(row["vigente_ate"])
        current = self.periods[-1]
        if Fraction(self.internal or 0) != Fraction(current[2]["aliquota"]):
            yield max(row["vigente_de"] or START, START), end, self.internal or None
            return
        start = max(row["vigente_de"], START) if row["vigente_de"] else current[0]
        for first, last, line in self.periods:
            common = overlap(start, end, first, last)
            if common:
                yield *common, line["aliquota"]

    def origins(self):
        """(suffix of the code, scope, reason) of each rule: the operations of one row told apart by origin."""
        destination, text = {"uf_destino": self.uf}, self.row["uf_origem"]
        internal = {"uf_origem": self.uf, "uf_destino": self.uf}
        excepted = re.findall(r"\b[A-Z]{2}\b", text.partition("exceto")[2])
        reason = self.reason()
        if text.startswith("*") or text == "signatarias" or text.startswith("ambito"):
            if reason:
                yield "", destination, reason
            elif self.key in INTERNAL_ONLY:
                yield "-interna", internal, None
                yield "", destination, INTERNAL_ONLY[self.key]
            else:
                yield "", destination, None
            for uf in excepted:
                yield f"-de-{uf.lower()}", {"uf_origem": uf} | destination, (
                    f"O âmbito deste item não alcança a operação vinda de {uf}: não há substituição pelo remetente, e "
                    "o imposto na entrada não foi conferido.")
            return
        listed = re.findall(r"\b[A-Z]{2}\b", text.partition("(")[0])
        if not listed:
            raise BundleError(f"icms_st {self.uf}: origins not understood: {text}")
        yield "-interna", internal, reason
        for uf in listed:
            if uf not in excepted:
                yield f"-de-{uf.lower()}", {"uf_origem": uf} | destination, reason

    def entries(self):
        row = self.row
        faithful = row["faithful"]
        advice = [ADVICE]
        if row["uf_origem"].startswith("ambito") or row["uf_origem"] == "signatarias":
            advice.append("A margem alcança a operação interna e a vinda de UF signatária dos acordos citados.")
        for number, states in AGREEMENTS.items():
            if row["segmento"] == "autopecas" and number in row["fonte_legal"]:
                advice.append(SIGNATORIES.format(number=number, states=states))
        if self.key in TOLD:
            advice.append(TOLD[self.key])
        if faithful:
            margin = rate(faithful["mva_original"]).replace(".", ",")
            same = faithful["fonte_legal"] == row["fonte_legal"]
            law = "mesmo dispositivo" if same else cite(faithful["fonte_legal"])
            advice.append(FIDELITY.format(margin=margin, law=law))
        sources = [SOURCES.get(self.uf, SOURCE) if row["segmento"] not in ("pneumaticos", "autopecas") or
                   self.uf in SOURCES else SOURCE]
        if row.get("expanded"):
            sources.append(CODES_SOURCE)
        if not row["vigente_de"] and self.periods[-1][0] > START:
            sources.append(RATE_START)
        if (self.uf, self.cest) in IMPLIED:
            sources.append(IMPLIED_SOURCE)
        citation = cite(row["fonte_legal"])
        for suffix, scope, reason in self.origins():
            for number, (start, end, internal) in enumerate(self.spans()):
                fund = {"fcp": self.fund[0]} if self.fund else {}
                yield {
                    "code": f"icms-st-{self.uf.lower()}-{self.cest}{suffix}", "version": f"1.{number}", "start": start,
                    "end": end, "scope": scope, "ncm": self.codes, "cest": self.cest,
                    "citation": citation, "text": goods(row["descricao"]),
                    "margin": rate(row["mva_original"]), "internal": None if reason else rate(internal),
                    "reason": reason, "advice": tuple(advice), "source": " ".join(sources), "fund": fund,
                    "flags": self.flags()}

    def flags(self):
        """The switches of the content, as pairs."""
        found = {}
        if self.key in NOT_ADJUSTED:
            found["ajustavel"] = False
        if self.key in OWN_RATE:
            found["aliquota_propria"] = OWN_RATE[self.key]
        if self.fund and self.uf in FUND_IN_FORMULA:
            found["fcp_no_ajuste"] = True
        if self.fund and self.fund[1]:
            found["deduz_fcp_proprio"] = True
        return tuple(found.items())


def adjusted(entry, interstate):
    """The margin on an operation from another State; exact, and never below the published one."""
    flags, internal = dict(entry["flags"]), Fraction(entry["internal"])
    if flags.get("fcp_no_ajuste"):
        internal += Fraction(entry["fund"]["fcp"])
    if not flags.get("ajustavel", True) or internal <= interstate:
        return Fraction(entry["margin"])
    return (100 + Fraction(entry["margin"])) * (100 - interstate) / (100 - internal) - 100


def example(entry, origin, uf, nomenclature, interstate):
    """A sale of 1000.00 with 100.00 of IPI, inside the State or from another one."""
    code = nomenclature.example(entry["ncm"][0], entry["start"])
    payload = {"tributo": "icms_st", "ncm": code, "cest": entry["cest"], "uf_origem": origin, "uf_destino": uf,
               "data_operacao": entry["start"], "valor_produto": "1000.00", "ipi": "100.00"}
    identifier = {"rule_id": f"{entry['code']}-v{entry['version']}"}
    if entry["reason"]:
        return identifier | refusal(payload, "regra_sem_conteudo")
    local = origin == uf
    margin = Fraction(entry["margin"]) if local else adjusted(entry, Fraction(interstate[origin, uf]))
    base = 1100 * (1 + margin / 100)
    stated = dict(entry["flags"]).get("aliquota_propria", entry["internal"])
    own = percent_of("1000.00", stated if local else interstate[origin, uf])
    due = Fraction(money(percent_of(base, entry["internal"]) - own))
    shown = {"base_calculo_st": money(base), "icms_proprio": money(own), "aliquota_interna": entry["internal"],
             "base_metodo": "mva"}
    if local:
        shown["mva_aplicada"] = entry["margin"]
        if stated != entry["internal"]:
            shown["aliquota_propria"] = stated
    else:
        shown["aliquota_interestadual"] = rate(interstate[origin, uf])
    if entry["fund"]:
        percent = entry["fund"]["fcp"]
        deducted = percent_of("1000.00", percent) if local and ("deduz_fcp_proprio", True) in entry["flags"] else 0
        shown["fcp_st"] = money(percent_of(base, percent) - deducted)
        due += Fraction(shown["fcp_st"])
    return identifier | result(payload, money(due), **shown)


def tables(uf, entries, nomenclature, interstate):
    def shape(entry):
        return (entry["version"], entry["start"], entry["end"] or NEVER, tuple(entry["scope"].items()),
                entry["reason"] or "", entry["advice"], entry["source"], tuple(entry["fund"].items()), entry["flags"],
                reaches_article(entry["citation"]))

    internal_rules = {entry["code"].removesuffix("-interna") for entry in entries if entry["code"].endswith("-interna")}
    for members in group(entries, shape).values():
        first = members[0]
        common = {"versao": first["version"], "tributo": "icms_st", "vigente_de": first["start"],
                  "vigente_ate": first["end"], "fonte": first["source"], "avisos": list(first["advice"])}
        if first["reason"]:
            common["motivo"] = first["reason"]
        common |= {"escopo": first["scope"], "conteudo": {"criterio": "mva"} | dict(first["flags"]) | first["fund"]}
        columns = ["rule_code", "escopo.ncm", "escopo.cest", "citacao_legal", "conteudo.descricao", "conteudo.mva",
                   "conteudo.aliquota_interna"]
        lines = [[entry["code"], entry["ncm"], entry["cest"], entry["citation"], entry["text"], entry["margin"],
                  entry["internal"]] for entry in members]
        origin = first["scope"].get("uf_origem", uf)
        shown = [entry for entry in members if entry["code"] not in internal_rules]
        if not shown:  # the internal operation has rules of its own: these are seen from another State
            origin, shown = FROM, members
        if len(shown) > 4:
            shown = shown[:2] + shown[-1:]
        yield table(common, columns, lines, [example(entry, origin, uf, nomenclature, interstate) for entry in shown])


def left_segment(uf, source, nomenclature):
    """Car parts before they left the regime: their margin was not collected."""
    end = LEFT_SEGMENT.get(uf)
    if not end:
        return
    row = next(row for row in rows_of(source, "icms_st_mva", uf, "uf_destino") if row["condicao"] == "excluido da ST")
    if day_after(row["vigente_ate"]) != end:
        raise BundleError(f"icms_st {uf}: the day on which car parts left the regime changed")
    codes = nomenclature.current_list(code for _, cited, _ in segment_codes(source, ()) for code in cited.split())
    payload = {"tributo": "icms_st", "ncm": nomenclature.example("8708", START), "uf_origem": uf, "uf_destino": uf,
               "data_operacao": START, "valor_produto": "1000.00"}
    yield rule(f"icms-st-{uf.lower()}-autopecas", "icms_st", {"uf_destino": uf, "ncm": sorted(set(codes))}, START, end,
               cite(row["fonte_legal"]), {"criterio": "mva", "descricao": "Autopeças", "mva": None,
                                          "aliquota_interna": None},
               fonte=CODES_SOURCE, motivo="A margem aplicada até a saída das autopeças do regime de substituição "
                                          f"tributária, em {end}, não foi apurada.",
               exemplos=[refusal(payload, "regra_sem_conteudo")])


def rules(uf, source, nomenclature):
    rows = rows_of(source, "icms_st_mva", uf, "uf_destino")
    margins = [Margin(row, source, nomenclature) for row in merged(expanded(source, rows))]
    entries = [entry for margin in margins if margin.codes for entry in margin.entries()]
    yield from left_segment(uf, source, nomenclature)
    interstate = {(row["uf_origem"], row["uf_destino"]): row["aliquota"]
                  for row in read_table(source, "federal/icms_interestadual.csv") if row["hipotese"] == "geral"}
    yield from tables(uf, entries, nomenclature, interstate)
    yield from estadual_st_pauta.rules(uf, source, nomenclature)
