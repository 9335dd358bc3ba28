"""Worked examples of IPVA rules: every bracket with its edges, every fuel, every limit of an exemption."""

from fractions import Fraction

from bundle import decimal_text, money, percent_of, refusal, result
from estadual_ipva_faixas import tells_rate

FUELS = ("gasolina", "etanol", "flex", "diesel", "gnv", "eletrico", "hibrido")
VALUES = {"automovel": "80000.00", "motocicleta": "15000.00", "caminhao": "200000.00", "caminhonete": "100000.00",
          "onibus_micro_onibus": "300000.00", "locadora": "60000.00", "taxi": "80000.00", "pcd": "100000.00"}
CENT = Fraction("0.01")


def payload(uf, kind, value, day, **extra):
    return {"tributo": "ipva", "uf": uf, "categoria_veiculo": kind, "valor_venal": value,
            "data_fato_gerador": day, **extra}


def sample_days(start, end, read):
    """The first exercise of a period, and the one that the sources are of if the period holds it."""
    first = start if start.endswith("-01-01") else f"{int(start[:4]) + 1}-01-01"
    days = [first] + ([read] if first < read and (end is None or end > read) else [])
    return [day for day in days if end is None or day < end]


def own_part(content, fuel):
    """What the content says of a fuel; None where it tells fuels apart and there is none."""
    fuels = content.get("combustiveis")
    if not fuels:
        return content
    if fuel is None:
        return None
    return next((entry for entry in fuels if fuel in entry["combustivel"]), content)


def outcome(content, asked):
    """(amount, details) or the code of a refusal."""
    value, own = Fraction(asked["valor_venal"]), own_part(content, asked.get("combustivel"))
    if own and own.get("isento"):
        return "0.00", {"isento": True}
    base = value
    for exemption in (part["isencao"] for part in (own, content) if part and "isencao" in part):
        limit, ceiling = Fraction(exemption["limite"]), Fraction(exemption.get("teto", value))
        if value <= limit:
            return "0.00", {"isento": True}
        if exemption["modo"] == "excedente" and value <= ceiling:
            base = value - limit
            break
    if own is None:
        return "combustivel_ausente"
    if not tells_rate(own):
        return "regra_sem_conteudo"
    base *= 1 - Fraction(own.get("reducao_base", 0)) / 100
    percent = own.get("aliquota")
    if "faixas" in own:
        measure = asked.get(own["faixas_por"])
        if measure is None:
            return "campo_obrigatorio"
        percent = next(one["aliquota"] for one in own["faixas"]
                       if one["ate"] is None or Fraction(measure) <= Fraction(one["ate"]))
    if percent is None:
        return "regra_sem_conteudo"
    return money(percent_of(base, percent)), {"aliquota_aplicada": percent}


def values_of(part, default):
    """The values that a part tells apart: each limit and the cent after it."""
    exemption = part.get("isencao", {})
    limits = {Fraction(exemption[name]) for name in ("limite", "teto") if name in exemption}
    if part.get("faixas_por") == "valor_venal":
        limits |= {Fraction(one["ate"]) for one in part["faixas"] if one["ate"]}
    return [money(value) for limit in sorted(limits) for value in (limit, limit + CENT)] or [default]


def sizes_of(part):
    """What beside the value a part tells apart: none, or each limit of power or displacement and the next one."""
    by = part.get("faixas_por", "valor_venal")
    if by == "valor_venal":
        return [{}]
    limits = [int(Fraction(one["ate"])) for one in part["faixas"] if one["ate"]]
    return [{}, *({by: size} for limit in limits for size in (limit, limit + 1))]


def examples(uf, kind, start, end, content, read):
    """The examples of one version."""
    for day in sample_days(start, end, read):
        seen = []
        for extra, part in choices(content):
            every = dict.fromkeys([*values_of(part, VALUES[kind]), *values_of(content, VALUES[kind])])
            values = [value for value in every if len(every) == 1 or value != VALUES[kind]]
            for number, value in enumerate(values):
                # Each size once, on the last value: an exemption is the same at every size.
                for size in sizes_of(part) if number == len(values) - 1 else sizes_of(part)[-1:]:
                    asked = payload(uf, kind, value, day, **extra, **size)
                    if asked not in seen:
                        seen.append(asked)
                        yield shown(asked, outcome(content, asked))


def shown(asked, told):
    return refusal(asked, told) if isinstance(told, str) else result(asked, told[0], **told[1])


def choices(content):
    """(members of the payload, part of the content) for each treatment: no fuel, one of each entry, one of the rest."""
    fuels = content.get("combustiveis")
    if not fuels:
        return [({}, content)]
    named = [fuel for entry in fuels for fuel in entry["combustivel"]]
    others = [fuel for fuel in FUELS if fuel not in named]
    entries = [(entry["combustivel"], entry) for entry in fuels]
    if tells_rate(content) and others:
        entries.append((others, content))
    found = [({"combustivel": "flex" if "flex" in own else own[0]}, part) for own, part in entries]
    return [({}, {}), *found]
