"""IPI: every line of the TIPI, its exceptions (Ex) included.

What is decided here, and why:

* Taxed lines end on 31 December 2026. From 2027 on the rates are cut to zero except for goods with incentivised
  production in the Manaus free zone (ADCT, art. 126, III), and the list of those goods is not known yet: an
  open rule would answer today's rate for 2027.
* Headings 87.03 and 87.04 have two versions where Decree 12.549/2025 adjusts the rate by attributes of the
  vehicle: those attributes are not in the payload, so the second version has no figure.
* Cigarettes and cigarillos have no figure: their own regime does not tax the value of the product.
* A figure that the sources cannot date, or that two readings of the decree dispute, is null with the reason.
"""

import re

from bundle import Bundle, BundleError, day_after, money, percent_of, rate, read_table, result

EDITION = "TIPI, Decreto 11.158/2022"
EDITION_GREEN = "TIPI, Decreto 11.158/2022, com o Decreto 12.549/2025"
END_OF_TAXED_LINES = "2027-01-01"
GREEN_START = "2025-11-01"

#: First day on which the 35% of the four motorcycle lines is certain: a consolidated table of June 2024 has it.
MOTORCYCLES_CERTAIN_FROM = "2024-07-01"

GREEN_CITATION = "Decreto nº 12.549/2025, art. 1º e Anexo I (efeitos: art. 8º, II); Decreto nº 11.158/2022 (TIPI)"
GREEN_REASON = (
    "Desde 2025-11-01 a alíquota é a base do Anexo I do Decreto nº 12.549/2025 ({base}) somada aos ajustes da "
    "NC ({note}) da TIPI por fonte de energia, eficiência energética, potência, desempenho estrutural e "
    "reciclabilidade, ou zero pela NC (87-15): atributos do veículo que não constam da operação informada."
)
LITERAL_EX_REASON = (
    "O Anexo I do Decreto nº 12.549/2025 fixa 6,30% para o código sem citar o Ex 01: a leitura literal mantém 9,78% "
    "e a sistemática leva a 6,30% com ajustes. Não há ato que resolva a dúvida."
)
MOTORCYCLE_REASON = (
    "O Anexo original do Decreto nº 11.158/2022 trazia 22,75% e a tabela consolidada traz 35%; a data da majoração "
    "(provavelmente o Decreto nº 11.182/2022) não foi conferida."
)

CIGARETTES_CITATION = "Lei nº 12.546/2011, arts. 14 a 20; Decreto nº 11.158/2022, Anexo (TIPI)"
CIGARETTES_REASON = (
    "Cigarros têm regime próprio de IPI (Lei nº 12.546/2011, arts. 14 a 20), com base de cálculo ligada ao preço de "
    "venda a varejo ou com alíquota específica no regime especial: os {percent}% da TIPI sobre o valor do produto não "
    "são o imposto devido."
)
HAND_MADE_REASON = (
    "A TIPI traz 30% para os cigarros feitos à mão (Ex 01), mas não se conferiu se o regime próprio da Lei nº "
    "12.546/2011, arts. 14 a 20, os alcança."
)
CIGARILLOS_REASON = (
    "A TIPI traz 300% para as cigarrilhas (Ex 01), e não se conferiu a base de cálculo que lhes cabe no regime próprio "
    "da Lei nº 12.546/2011, arts. 14 a 20."
)
ADVICE_OUT_OF_LIST = (
    "Código mantido na TIPI consolidada, mas ausente da NCM vigente em agosto de 2026: confira a classificação."
)
ADVICE_AMBULANCE = (
    "Ambulância, carro celular e carro funerário da posição 87.03 têm alíquota zero (NC (87-2) da TIPI)."
)
ADVICE_MINIVAN = (
    "Veículo com volume de habitáculo superior a 6 m³ tem alíquota de 6,02%, se houver manifestação da Receita "
    "Federal (NC (87-3) da TIPI)."
)
ADVICE_INNOVATION = (
    "Até 2025-10-31 havia reduções de 1 ou 2 pontos percentuais para veículos habilitados no Rota 2030 (NC (87-7) a "
    "(87-12) da TIPI, revogadas pelo Decreto nº 12.549/2025, art. 7º)."
)
ADVICE_HYBRID = (
    "Híbridos e elétricos tinham alíquotas menores por eficiência energética e massa (NC (87-6) da TIPI, até "
    "2025-10-31)."
)


#: Where the figures were read: the consolidated table, and what other documents say of some of its lines.
READ_IN = ("TIPI consolidada até o ADE RFB nº 1/2026, no repositório wildsonbrandao-droid/comexapp, conferida linha a linha "
           "com a planilha da TIPI da Receita Federal até o ADE RFB nº 3/2025; o Diário Oficial não foi relido.")
ONLY_COPY = ("TIPI consolidada até o ADE RFB nº 1/2026, no repositório wildsonbrandao-droid/comexapp, a única das cópias "
             "lidas que traz a linha; o Diário Oficial não foi relido.")
PREDECESSOR = ("A cópia da TIPI consolidada no repositório wildsonbrandao-droid/comexapp traz 3,26; adotada a alíquota do "
               "código antecessor, 5903.90.00, que o ADE da Receita Federal não pode mudar (Decreto nº 11.158/2022, art. "
               "4º).")
READ_WEAPONS = ("Decreto nº 11.764/2023 no portal da Presidência da República e em legjur.com; alíquotas iguais às da TIPI "
                "consolidada no repositório wildsonbrandao-droid/comexapp.")
GREEN_DECREE = ("Decreto nº 12.549/2025, no texto da Presidência da República copiado no repositório "
                "FranciscoArejano/Mercado-Automotivo.")
READ_VEHICLES = ("TIPI consolidada no repositório wildsonbrandao-droid/comexapp, conferida com o Anexo IV do Decreto nº "
                 "11.158/2022 no texto da Presidência da República copiado no repositório "
                 "FranciscoArejano/Mercado-Automotivo.")
READ_MOTORCYCLES = ("Alíquota original no Anexo IV do Decreto nº 11.158/2022, texto da Presidência da República copiado no "
                    "repositório FranciscoArejano/Mercado-Automotivo; a atual, na TIPI consolidada no repositório "
                    "wildsonbrandao-droid/comexapp e em OCA/l10n-brazil (06/2024).")
READ_TOBACCO = f"{READ_IN} O regime próprio da Lei nº 12.546/2011 não foi lido."

#: Lines of tobacco with a regime of their own: the figure of the table is not the tax due.
CIGARETTES = {("24022000", ""): CIGARETTES_REASON, ("24022000", "01"): HAND_MADE_REASON,
              ("24021000", "01"): CIGARILLOS_REASON}


def situation(percent):
    """The three situations that the contract tells apart."""
    if percent == "NT":
        return "nao_tributado"
    return "aliquota_zero" if float(percent) == 0 else "tributado"


def code_of(row):
    return f"ipi-{row['ncm']}" + (f"-ex{row['ex']}" if row["ex"] else "")


def source_of(row):
    """Where the figure of a line of the consolidated table was read."""
    if row["fonte_legal"].startswith("Decreto nº 11.764/2023"):
        return READ_WEAPONS
    if row["fontes_concordantes"] == "0":
        if row["ncm"] != "59039090":
            raise BundleError(f"tipi: {row['ncm']} is in no copy")
        return PREDECESSOR
    return ONLY_COPY if row["fontes_concordantes"] == "1" else READ_IN


def line(row, start, end, percent, *, source, versao="1.0", citation=None, edition=EDITION, motivo=None, avisos=()):
    """One rule version in flat form; `percent` None is a figure that is not established."""
    kind = "tributado" if percent is None else situation(percent)
    if kind == "tributado" and (end is None or end > END_OF_TAXED_LINES):
        end = END_OF_TAXED_LINES
    return {
        "code": code_of(row), "ncm": row["ncm"], "ex": row["ex"] or None, "versao": versao, "start": start,
        "end": end, "citation": citation or row["fonte_legal"], "edition": edition, "kind": kind,
        "percent": percent and rate(percent) if kind == "tributado" else None,
        "motivo": motivo, "avisos": tuple(avisos), "source": source,
    }


def ordinary_line(row, ends):
    advice = []
    if (row["ncm"], row["ex"]) in CIGARETTES:
        reason = CIGARETTES[row["ncm"], row["ex"]].format(percent=row["aliquota"])
        return [line(row, row["vigente_de"], None, None, source=READ_TOBACCO, citation=CIGARETTES_CITATION,
                     motivo=reason)]
    if row["observacao"].startswith("ncm_fora_da_lista_vigente"):
        advice.append(ADVICE_OUT_OF_LIST)
    return [line(row, row["vigente_de"], ends.get(row["ncm"]), row["aliquota"], source=source_of(row), avisos=advice)]


def motorcycle_line(row):
    return [
        line(row, "2022-08-01", MOTORCYCLES_CERTAIN_FROM, None, source=READ_MOTORCYCLES, motivo=MOTORCYCLE_REASON),
        line(row, MOTORCYCLES_CERTAIN_FROM, None, row["aliquota"], source=READ_MOTORCYCLES, versao="1.1"),
    ]


def vehicle_advice(row, notes):
    """What the complementary notes in force until October 2025 say of a line, for its first version."""
    advice = []
    key = row["ncm"] + row["ex"]
    for note in notes:
        ethanol = note["nota_complementar"] == "NC (87-4)"
        if (ethanol or note["nota_complementar"] == "NC (87-5)") and (
                key == note["ncm"] + note["ex"] or (len(note["ncm"]) < 8 and row["ncm"].startswith(note["ncm"]))):
            kind = "motor a álcool ou flexível" if ethanol else "características de fora de estrada"
            figure = rate(note["valor"]).replace(".", ",")
            advice.append(f"Veículo com {kind} tinha alíquota de {figure}% ({note['nota_complementar']} da TIPI, até "
                          "2025-10-31).")
    if any(note["nota_complementar"] == "NC (87-6)" and note["ncm"] == row["ncm"] for note in notes):
        advice.append(ADVICE_HYBRID)
    advice.append(ADVICE_INNOVATION)
    return advice


def standing_advice(row):
    advice = [ADVICE_AMBULANCE] if row["ncm"].startswith("8703") else []
    return advice + ([ADVICE_MINIVAN] if row["ncm"] == "87032290" else [])


def vehicle_line(row, green):
    """A line of 87.03 or 87.04, decided by what Decree 12.549/2025 does to it."""
    bases = [entry for entry in green if entry["tipo"] == "aliquota_base"
             and (entry["ncm"], entry["ex"]) == (row["ncm"], row["ex"])]
    notes = [entry for entry in green if entry["tipo"] == "nota_anterior"]
    newest, standing = bases[-1], standing_advice(row)
    remark = newest["observacao"]
    taxed = situation(row["aliquota"]) == "tributado"
    old = standing + (vehicle_advice(row, notes) if taxed else [])

    def before():
        return line(row, row["vigente_de"], GREEN_START, row["aliquota"], source=READ_VEHICLES, avisos=old)

    def since(percent, reason=None):
        return line(row, GREEN_START, None, percent, source=GREEN_DECREE, versao="1.1", citation=GREEN_CITATION,
                    edition=EDITION_GREEN, motivo=reason, avisos=standing)

    if "alíquota final = base" in remark:
        note = re.search(r"87-1[34]", remark).group()
        reason = GREEN_REASON.format(base=rate(newest["valor"]).replace(".", ",") + "%", note=note)
        if len(bases) == 1:
            return [line(row, GREEN_START, None, None, source=GREEN_DECREE, edition=EDITION_GREEN, motivo=reason)]
        return [before(), since(None, reason)]
    if remark.startswith("DÚVIDA"):
        return [before(), since(None, LITERAL_EX_REASON)]
    if newest["valor"] != bases[0]["valor"]:
        return [before(), since(newest["valor"])]
    return [line(row, row["vigente_de"], None, row["aliquota"], source=READ_VEHICLES, avisos=standing)]


def lines(source):
    green = read_table(source, "federal/tipi_ipi_verde.csv")
    ends = {row["ncm"]: day_after(row["vigente_ate"]) for row in read_table(source, "federal/ncm_vigente.csv")}
    for row in read_table(source, "federal/tipi.csv"):
        if not re.fullmatch(r"[0-9]{8}", row["ncm"]):
            raise BundleError(f"tipi: malformed NCM {row['ncm']}")
        if row["ncm"][:4] in ("8703", "8704"):
            yield from vehicle_line(row, green)
        elif row["vigente_de"]:
            yield from ordinary_line(row, ends)
        elif row["ncm"].startswith("8711"):
            yield from motorcycle_line(row)
        else:
            raise BundleError(f"tipi: {row['ncm']} without a start and without a decision")


def tables(bundle, versions):
    """Groups the lines by everything they share, so that a line is little more than code and rate."""
    groups = {}
    for entry in sorted(versions, key=lambda entry: entry["versao"]):
        shared = ("kind", "start", "end", "versao", "citation", "edition", "motivo", "avisos", "source")
        groups.setdefault(tuple(entry[name] for name in shared), []).append(entry)
    for (kind, start, end, versao, citation, edition, motivo, advice, source), members in groups.items():
        common = {"versao": versao, "tributo": "ipi", "vigente_de": start, "vigente_ate": end,
                  "citacao_legal": citation, "fonte": source}
        if advice:
            common["avisos"] = list(advice)
        if motivo:
            common["motivo"] = motivo
        common["conteudo"] = {"situacao": kind, "tabela_versao": edition}
        columns = ["rule_code", "escopo.ncm", "escopo.ex"]
        rows = [[entry["code"], entry["ncm"], entry["ex"]] for entry in members]
        if kind == "tributado":
            columns.append("conteudo.aliquota")
            rows = [[*cells, entry["percent"]] for cells, entry in zip(rows, members)]
        shown = [entry for entry in members if identifier_of(entry) in SHOWN] or [members[0], *members[1:][-1:]]
        bundle.table(common, columns, rows, [example(entry) for entry in shown])


#: Lines shown as worked examples, by rule_id, with the date of the operation; a table without one of them shows its
#: first and last line, on their first day.
SHOWN = {
    "ipi-22030000-v1.0": "2026-03-10", "ipi-22030000-ex01-v1.0": "2026-03-10", "ipi-10063021-v1.0": "2026-03-10",
    "ipi-30049099-v1.0": "2026-03-10", "ipi-33030010-v1.0": "2026-03-10", "ipi-84501100-v1.0": "2026-03-10",
    "ipi-84501100-ex01-v1.0": "2026-03-10", "ipi-93020000-v1.0": "2024-02-01", "ipi-87032390-v1.0": "2025-10-31",
    "ipi-87032390-v1.1": "2025-11-01", "ipi-87039000-v1.1": "2025-11-01", "ipi-87032310-ex01-v1.1": "2026-03-10",
    "ipi-87031000-v1.0": "2026-03-10", "ipi-87042190-ex02-v1.0": "2026-03-10", "ipi-87042190-ex01-v1.1": "2026-03-10",
    "ipi-87046000-ex01-v1.0": "2025-11-01", "ipi-87112090-v1.0": "2022-08-10", "ipi-87112090-v1.1": "2024-07-01",
    "ipi-24022000-v1.0": "2026-03-10", "ipi-24022000-ex01-v1.0": "2026-03-10", "ipi-24021000-v1.0": "2026-03-10",
    "ipi-24021000-ex01-v1.0": "2026-03-10", "ipi-39139050-v1.0": "2026-09-30", "ipi-59039090-v1.0": "2026-02-01",
}


def identifier_of(entry):
    return f"{entry['code']}-v{entry['versao']}"


def example(entry):
    identifier = identifier_of(entry)
    payload = {"tributo": "ipi", "ncm": entry["ncm"]}
    if entry["ex"]:
        payload["ex"] = entry["ex"]
    payload |= {"valor_produto": "1000.00", "frete": "80.00", "despesas": "20.00",
                "data_operacao": SHOWN.get(identifier, entry["start"])}
    if entry["kind"] == "tributado" and entry["percent"] is None:
        return {"rule_id": identifier, "payload": payload, "codigo": "regra_sem_conteudo"}
    percent = entry["percent"] or "0.00"
    shown = {"situacao": entry["kind"], "ex_aplicado": bool(entry["ex"])}
    if entry["kind"] == "tributado":
        shown |= {"aliquota_aplicada": percent, "base_calculo": "1100.00"}
    return {"rule_id": identifier, **result(payload, money(percent_of("1100.00", percent)), **shown)}


def build(source):
    bundle = Bundle("federal-ipi", "IPI: a TIPI inteira (Decreto nº 11.158/2022 e alterações), com os Ex, em forma "
                                   "de tabela.")
    versions = list(lines(source))
    tables(bundle, versions)
    unknown = SHOWN.keys() - set(map(identifier_of, versions))
    if unknown:
        raise BundleError(f"ipi: examples of unknown lines {sorted(unknown)}")
    return {"federal/ipi.json": bundle}
