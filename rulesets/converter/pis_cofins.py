"""PIS and COFINS: the ordinary regimes, and the special regimes of goods that must not get the ordinary rate.

What is decided here, and why:

* Everything starts on 2018-01-01: the older wording of the laws was not read, and one common start leaves no
  period in which a good with a regime of its own would fall through to the ordinary rate.
* Everything ends on 2026-12-31, the last day of both contributions (ADCT, art. 126, II).
* A regime that depends on what the payload does not carry has no figure, unless one side is clearly the common
  case: then the figure stands and the condition travels with every answer (`avisos`).

The special regimes are in `pis_cofins_monofasico`, `pis_cofins_zero` and `pis_cofins_recusas`, each with its own
decisions.
"""

from bundle import Bundle, BundleError, day_after, money, percent_of, rate, read_table, result, rule
from pis_cofins_monofasico import auto_parts, fuels, machines, motorcycles, pharmacy_and_hygiene, tyres_and_drinks
from pis_cofins_recusas import uncollected
from pis_cofins_regime import STANDARD, START, TAXES, current
from pis_cofins_zero import SPLIT, zero_rates

NOT_INCLUDED = (
    "Regimes especiais não incluídos, que dependem de quem vende, de quem compra ou do destino: Zona Franca de Manaus "
    "e áreas de livre comércio; drawback, preponderantemente exportadora, Reidi, Repes, Recap, Retid e Padis; "
    "suspensões da cadeia agropecuária (Lei nº 10.925/2004, art. 9º; Lei nº 12.058/2009; Lei nº 12.350/2010); partes "
    "e insumos de aeronaves, embarcações e material de defesa e demais bens com adaptação para pessoas com "
    "deficiência (Lei nº 10.865/2004, art. 28); produtos de uso em saúde do código 3926.90.90 e outros do Decreto nº "
    "6.426/2008; gás natural, carvão e energia elétrica em programas próprios; serviços com alíquota própria."
)


# --- the ordinary regimes ------------------------------------------------------------------------------


def ordinary(rows):
    bundle = Bundle("federal-pis-cofins", "PIS e COFINS: regimes ordinários, cumulativo e não cumulativo.")
    for row in rows:
        if row["regime"] not in STANDARD:
            continue
        tributo, percent = row["tributo"].lower(), rate(row["aliquota"])
        if percent != STANDARD[row["regime"]][TAXES.index(tributo)]:
            raise BundleError(f"pis_cofins: standard rate of {tributo} {row['regime']} is not {percent}")
        payload = {"tributo": tributo, "regime_apuracao": row["regime"], "valor_operacao": "1000.00"}
        advice = [NOT_INCLUDED]
        if row["regime"] == "nao_cumulativo":
            advice += ["Receitas financeiras têm alíquotas próprias, 0,65% de PIS e 4% de COFINS (Decreto nº "
                       "8.426/2015, art. 1º); pessoas jurídicas e receitas excluídas do regime: Lei nº 10.637/2002, "
                       "art. 8º, e Lei nº 10.833/2003, art. 10."]
        bundle.add(rule(
            f"{tributo}-{row['regime'].replace('_', '-')}", tributo, {"regime_apuracao": [row["regime"]]},
            max(row["vigente_de"], START), day_after(row["vigente_ate"]), row["fonte_legal"],
            {"tipo": "ordinario", "aliquota": percent}, avisos=advice,
            fonte="Alíquota conferida em OCA/l10n-brazil; as leis citadas não foram relidas. Vigente desde "
                  f"{row['vigente_de']}; redação anterior a {START} não conferida.",
            exemplos=[
                result(payload | {"valor_icms_destacado": "180.00", "data_operacao": "2026-03-10"},
                       money(percent_of("820.00", percent)), situacao="tributado"),
                result(payload | {"valor_icms_destacado": "0.00", "data_operacao": "2026-12-31"},
                       money(percent_of("1000.00", percent)), situacao="tributado"),
            ]))
    return bundle


# --- the bundle ----------------------------------------------------------------------------------------


def samples(regimes, catalogue):
    """For each regime, an 8-digit code that no longer prefix of another regime would take from it."""
    prefixes = sorted((prefix, index) for index, regime in enumerate(regimes) for prefix in regime.ncm)
    taken = {}
    for ncm in catalogue:
        matching = [(len(prefix), index) for prefix, index in prefixes if ncm.startswith(prefix)
                    and not any(ncm.startswith(out) for out in regimes[index].exceto)]
        longest = max((size for size, _ in matching), default=0)
        for size, index in matching:
            if size == longest:
                taken.setdefault(index, ncm)
    return taken


def special(rows, basket, catalogue):
    bundle = Bundle("federal-pis-cofins-especial",
                    "PIS e COFINS: regimes especiais por NCM (monofásico, alíquota zero, LC nº 224/2025 e autopeças).")
    regimes = [*pharmacy_and_hygiene(rows), *machines(rows), *auto_parts(rows), *tyres_and_drinks(rows), *fuels(),
               *motorcycles(), *zero_rates(rows, basket), *uncollected(catalogue)]
    check_complete(rows, regimes)
    found = samples(regimes, sorted(catalogue))
    for tax in range(len(TAXES)):
        for index, regime in enumerate(regimes):
            if index not in found:
                raise BundleError(f"pis_cofins: no code in force for {regime.code}")
            bundle.add(*regime.rules(tax, found[index]))
    return bundle


def check_complete(rows, regimes):
    """No code of the source is forgotten: each is in a regime, or was replaced by a decision."""
    published = {prefix for regime in regimes for prefix in regime.ncm}
    replaced = {"2202", "22029100", "870600", *SPLIT, "30029020", "30029092", "30029099"}
    for row in rows:
        if row["ncm"] not in replaced and not set(current(row)) <= published:
            raise BundleError(f"pis_cofins: {row['ncm']} without a regime")


def build(source):
    rows = read_table(source, "federal/pis_cofins_especial.csv")
    basket = read_table(source, "federal/cbs_ibs_reducoes.csv")
    catalogue = {row["ncm"]: row["descricao"] for row in read_table(source, "federal/ncm_vigente.csv")}
    return {
        "federal/pis_cofins.json": ordinary(read_table(source, "federal/pis_cofins_geral.csv")),
        "federal/pis_cofins_especial.json": special(rows, basket, catalogue),
    }
