"""São Paulo: ICMS, ICMS by substitution, IPVA and ITCMD in one bundle."""

import estadual_sp_icms
import estadual_sp_st
from bundle import BundleError, brl, money, percent_of, rate, read_table, refusal, result, rule
from estadual_ipva_exemplos import examples, payload
from estadual_ipva_leitura import DISABLED, LAWS
from estadual_itcmd_leitura import ITCMD_REPO

IPVA = "Lei 13.296/2008"
READ_IPVA = f"Lei 13.296/2008 e alterações em {LAWS}."
READ_ITCMD = f"Lei 10.705/2000, arts. 6º e 16, em {ITCMD_REPO}."
OLD = "20 anos ou mais de fabricação: imune desde 2025-12-09 (CF, art. 155, § 6º, III, e, redação da EC 137/2025)."
OLD_STATE = ("Veículo com mais de 20 anos de fabricação: há isenção na lei estadual (Lei 13.296/2008, art. 13), cujo "
             "texto não foi conferido; a operação informada não traz o ano de fabricação.")
ITCMD_START = "2002-01-01"
READ = "2026-01-01"
HYBRID_START, HYBRID_READ, HYBRID_END = "2025-01-01", "2027-01-01", "2030-01-01"
HYBRID_LIMIT = "261154.45"
START = estadual_sp_icms.START


def ipva_payload(kind, value, day, **extra):
    return payload("SP", kind, value, day, **extra)


def ipva_rule(code, kind, start, end, article, figures, exemplos, *, fonte=READ_IPVA, **more):
    return rule(f"ipva-sp-{code}", "ipva", {"uf": "SP", "categoria_veiculo": [kind]}, start, end, f"{IPVA}, {article}",
                figures, fonte=fonte, exemplos=exemplos, **more)


def ipva_rate(rows, kind):
    """The one trusted rate of a category."""
    figures = {row["aliquota"] for row in rows if row["categoria"] == kind and row["aliquota"]
               and not row["combustivel"] and row["confianca"] != "baixa"}
    if len(figures) != 1:
        raise BundleError(f"ipva SP: {kind} has {len(figures)} rates")
    return rate(figures.pop())


def cars(rows):
    percent = ipva_rate(rows, "automovel")
    article = "art. 9º, III (redação da Lei 17.473/2021)"
    gnv = ("Veículo fabricado até 2008-12-31 adaptado para GNV paga 3% (art. 9º, § 3º): a operação informada não "
           "traz o ano de fabricação.")
    advice = [gnv, OLD_STATE, f"Veículo com {OLD}"]
    due = money(percent_of("80000.00", percent))
    yield ipva_rule("automovel", "automovel", START, HYBRID_START, article, {"aliquota": percent}, [
        result(ipva_payload("automovel", "80000.00", "2024-01-01"), due, aliquota_aplicada=percent),
        result(ipva_payload("automovel", "80000.00", "2022-01-01", combustivel="eletrico"), due),
    ], avisos=[gnv, OLD_STATE])
    told = brl(HYBRID_LIMIT)
    if not any(row["combustivel"] == "hibrido" and told in row["condicao"] for row in rows):
        raise BundleError(f"ipva SP: the limit of hybrids is no longer {told}")
    law = f"{article}, e Disposições Transitórias, art. 5º (Lei 18.065/2024)"
    bounded = {"combustivel": ["hibrido"], "faixas": [{"ate": HYBRID_LIMIT, "aliquota": None},
                                                      {"ate": None, "aliquota": percent}],
               "faixas_por": "valor_venal", "metodo": "integral"}
    # The limit rises every year: that of 2026 bounds that of 2025, and those of 2027 to 2029 are not known.
    for version, start, end, hybrid in (
            ("1.1", HYBRID_START, HYBRID_READ, bounded),
            ("1.2", HYBRID_READ, HYBRID_END, {"combustivel": ["hibrido"], "aliquota": None})):
        figures = {"aliquota": percent, "combustiveis": [hybrid]}
        yield ipva_rule("automovel", "automovel", start, end, law, figures,
                        list(examples("SP", "automovel", start, end, figures, READ)), versao=version, avisos=advice,
                        motivo=f"Híbrido com motor a etanol ou flex, até o limite de valor corrigido ({told} em "
                               "2026), é isento em 2025 e 2026 e paga 1%, 2% e 3% de 2027 a 2029; os demais híbridos "
                               "pagam 4%: combustivel \"hibrido\" não os distingue até esse limite.")
    yield ipva_rule("automovel", "automovel", HYBRID_END, None, article, {"aliquota": percent}, [
        result(ipva_payload("automovel", "80000.00", "2030-01-01", combustivel="hibrido"), due)],
        versao="1.3", avisos=advice)


def plain_vehicles(rows):
    """Categories with one rate and no condition that divides them."""
    for kind, article, advice in (
        ("caminhao", "art. 9º, I (redação da Lei 17.473/2021)", (OLD_STATE,)),
        ("onibus_micro_onibus", "art. 9º, II (redação da Lei 17.473/2021)", (OLD_STATE,)),
        ("locadora", "art. 9º, § 1º", ("Só veículo de frota de locadora registrada no Estado, nas condições da lei.",)),
    ):
        percent = ipva_rate(rows, kind)
        yield ipva_rule(kind.replace("_", "-"), kind, START, None, article, {"aliquota": percent}, [
            result(ipva_payload(kind, "80000.00", "2026-01-01"), money(percent_of("80000.00", percent)),
                   aliquota_aplicada=percent)], avisos=advice)
    percent = ipva_rate(rows, "motocicleta")
    article = "art. 9º, II (redação da Lei 17.473/2021)"
    yield ipva_rule("motocicleta", "motocicleta", START, "2026-01-01", article, {"aliquota": percent}, [
        result(ipva_payload("motocicleta", "15000.00", "2025-01-01"), money(percent_of("15000.00", percent)))],
        avisos=[OLD_STATE])
    figures = {"faixas": [{"ate": "180.00", "aliquota": None}, {"ate": None, "aliquota": percent}],
               "faixas_por": "cilindrada_cm3", "metodo": "integral"}
    yield ipva_rule("motocicleta", "motocicleta", READ, None, article, figures,
                    list(examples("SP", "motocicleta", READ, None, figures, READ)), versao="1.1",
                    avisos=[OLD_STATE],
                    motivo="Há notícia de isenção, desde 2026, para motocicletas de até 180 cilindradas, em lei não "
                           "identificada; acima, a alíquota responde.")


def divided_vehicles():
    yield ipva_rule("caminhonete", "caminhonete", START, None, "art. 9º, II e III (redação da Lei 17.473/2021)",
                    {"aliquota": None},
                    [refusal(ipva_payload("caminhonete", "80000.00", "2026-01-01"), "regra_sem_conteudo")],
                    motivo="Caminhonete de cabine simples paga 2%; de cabine estendida ou dupla, 4%: o tipo de "
                           "cabine não consta da operação informada.")
    reason = f"Isenção do veículo de táxi ({IPVA}, art. 13)"
    yield ipva_rule("taxi", "taxi", START, None, "art. 13", {"isento": True, "motivo_isencao": reason},
                    [result(ipva_payload("taxi", "80000.00", "2026-01-01"), "0.00", isento=True)],
                    fonte=f"{READ_IPVA} Início da isenção não conferido.",
                    avisos=["A isenção depende de reconhecimento, nas condições da lei."])


def disabled(rows):
    percent = ipva_rate(rows, "automovel")
    law = f"{IPVA}, art. 13-A (Decreto 66.470/2022)"
    exempt = {"limite": "70000.00", "modo": "excedente", "teto": "120000.00", "base_legal": law}
    return ipva_rule("pcd", "pcd", START, None, "arts. 9º, III, e 13-A (Decreto 66.470/2022)",
                     {"aliquota": percent, "isencao": exempt}, [
                         result(ipva_payload("pcd", value, "2026-01-01"), due)
                         for value, due in (("70000.00", "0.00"), ("70000.01", "0.00"), ("100000.00", "1200.00"),
                                            ("120000.00", "2000.00"), ("120000.01", "4800.00"))],
                     fonte=f"{DISABLED[0].upper()}{DISABLED[1:]}.",
                     avisos=["A isenção da pessoa com deficiência depende de reconhecimento, nas condições da lei.",
                             OLD_STATE, f"Veículo com {OLD}"])


def itcmd(rows):
    percents = {row["aliquota"] for row in rows}
    if percents != {"4"}:
        raise BundleError("itcmd SP: a single rate of 4% expected")
    gift = next(row for row in rows if row["fato_gerador"] == "doacao")
    if (gift["isencao_limite"], gift["isencao_unidade"], gift["isencao_modo"]) != ("2500", "UFESP", "total"):
        raise BundleError("itcmd SP: the exemption of gifts changed")
    first = gift["vigente_de"]
    old = ("O art. 16 da Lei 10.705/2000, na redação original, tinha outras alíquotas até a Lei 10.992/2001, e o texto "
           "original não foi conferido.")
    source = f"{READ_ITCMD} Início da alíquota de 4%: Lei 10.992/2001, de 21-12-2001, com efeitos desde 2002-01-01."
    law_16 = "Lei 10.705/2000, art. 16 (redação da Lei 10.992/2001)"
    death = {"tributo": "itcmd", "uf": "SP", "fato_gerador": "causa_mortis", "valor_base": "500000.00",
             "data_fato_gerador": "2026-05-10"}
    for cause in ("causa_mortis", "doacao"):
        yield rule(f"itcmd-sp-{cause.replace('_', '-')}", "itcmd", {"uf": "SP", "fato_gerador": [cause]}, first,
                   ITCMD_START, "Lei 10.705/2000, art. 16 (redação original)", {"aliquota": None}, motivo=old, fonte=READ_ITCMD,
                   exemplos=[refusal(death | {"fato_gerador": cause, "data_fato_gerador": "2001-06-10"},
                                     "regra_sem_conteudo")])
    yield rule("itcmd-sp-causa-mortis", "itcmd", {"uf": "SP", "fato_gerador": ["causa_mortis"]}, ITCMD_START, None,
               law_16, {"aliquota": "4.00"}, versao="1.1", fonte=source, exemplos=[
                   result(death, "20000.00", aliquota_aplicada="4.00", fato_gerador="causa_mortis"),
                   result(death | {"valor_base": "1234.56"}, "49.38"),
                   result(death | {"data_fato_gerador": "2002-01-01"}, "20000.00")],
               avisos=["Isenções por natureza do bem, não avaliadas (art. 6º, I): imóvel de residência até 5.000 "
                       "UFESP em que familiares residam e não tenham outro; único imóvel até 2.500 UFESP; "
                       "ferramentas, roupas e móveis da casa até 1.500 UFESP; depósitos e aplicações até 1.000 "
                       "UFESP."])
    gift_payload = death | {"fato_gerador": "doacao", "valor_base": "96050.00"}
    unit = {"valor_unidade_fiscal": "38.42"}
    law = "Lei 10.705/2000, art. 6º, II, a"
    yield rule("itcmd-sp-doacao", "itcmd", {"uf": "SP", "fato_gerador": ["doacao"]}, ITCMD_START, None,
               f"Lei 10.705/2000, art. 6º, II, a; {law_16}",
               {"aliquota": "4.00", "unidade_nome": "UFESP", "isencao": {
                   "limite": "2500.00", "unidade": "unidade_fiscal", "modo": "total", "base_legal": law}},
               versao="1.1", fonte=source,
               exemplos=[
                   result(gift_payload | unit, "0.00", isento=True),
                   result(gift_payload | unit | {"valor_base": "96050.01"}, "3842.00", aliquota_aplicada="4.00"),
                   result(gift_payload | unit | {"valor_base": "200000.00"}, "8000.00"),
                   refusal(gift_payload, "unidade_fiscal_ausente"),
               ],
               avisos=["O limite de 2.500 UFESP considera a soma das doações do ano civil entre o mesmo doador e o "
                       "mesmo donatário: informe em valor_base o total acumulado."])


def add(bundle, source):
    def rows(name, column="uf"):
        return [row for row in read_table(source, f"estadual/{name}.csv") if row[column] == "SP"]

    prices = read_table(source, "estadual/icms_st_pauta.csv")
    bundle.add(*estadual_sp_icms.rules(rows("icms_interno"), rows("icms_produto"), prices))
    vehicles = rows("ipva")
    bundle.add(*cars(vehicles), *plain_vehicles(vehicles), *divided_vehicles(), disabled(vehicles))
    bundle.add(*itcmd(rows("itcmd")))
    estadual_sp_st.add(bundle, rows("icms_st_mva", "uf_destino"), [row for row in prices if row["uf"] == "SP"])
