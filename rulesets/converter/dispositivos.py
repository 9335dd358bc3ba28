"""Articles found after the tables of facts were made, which name the act only, and where each was read.

Only what a document of the law, or one that cites it, says in so many words: what could not be found is said to be so
in `fonte`, by `fontes`.
"""

import re

#: What a tax rests on where the municipality's own act is not known: it is no article of that act.
REST_ON = re.compile(r"CF, art\. 156, I{1,3}; |LC 116/2003, arts\. 8º, II, e 8º-A; ")

_PROGRAM = "Dispositivo conferido no programa público FiscalPro (ICMS-ST por UF, 10/2026)."
_AGREEMENT = ("Cláusula primeira do protocolo lida em afiscom.com.br; dispositivo estadual conferido no programa público "
              "FiscalPro (ICMS-ST por UF, 10/2026).")
_CAR_PARTS = "Protocolo ICMS 41/2008, cláusula primeira e Anexo Único"
_CAR_PARTS_2010 = "Protocolo ICMS 97/2010, cláusula primeira e Anexo Único"
_READ_2010 = "Cláusula primeira do protocolo lida em normasbrasil.com.br"

#: Vehicles whose rate, and not an exemption, is what the article fixes.
_RATED = ("automovel", "motocicleta", "caminhao", "caminhonete", "onibus_micro_onibus")


def _ipva(uf, kinds, cited, located, source):
    return {("ipva", f"{uf}/{kind}", cited): (located, source) for kind in kinds}


#: An act that the facts name wrongly is set right in the same way, with or without its article.
#: (tax, place: UF or municipality, or UF/category of vehicle; citation of the facts) -> (citation with the article, where it was found).
FOUND = {
    ("icms", None, "LC 192/2022; Convênios ICMS 199/2022 e 15/2023"): (
        "LC 192/2022, art. 2º; Convênios ICMS 199/2022 e 15/2023",
        "Artigo conferido em índice público da legislação federal (combustíveis monofásicos: LC 192/2022, art. 2º)."),
    ("icms_st", "AP", "Protocolo ICMS 41/2008"): (f"{_CAR_PARTS}; RICMS/AP, art. 272-B", _AGREEMENT),
    ("icms_st", "MA", "Protocolo ICMS 41/2008"): (f"{_CAR_PARTS}; RICMS/MA, Anexo 4.41", _AGREEMENT),
    ("icms_st", "PE", "Decreto PE 57.000/2024; Protocolo ICMS 97/2010"): (
        f"Decreto PE 57.000/2024; {_CAR_PARTS_2010}", f"{_READ_2010}; o decreto não foi lido."),
    ("icms_st", "ES", "RICMS/ES; Portaria 16-R/2019; Convênio ICMS 102/2017"): (
        "RICMS/ES, art. 265; Portaria 16-R/2019, Anexo Único; Convênio ICMS 102/2017",
        "Art. 265 e remissão ao anexo da portaria lidos em sefaz.es.gov.br."),
    ("icms_st", "ES", "denúncia do Protocolo ICMS 41/2008; Portaria 13-R/2022 (antecipação parcial)"): (
        f"{_CAR_PARTS} (denunciado pelo ES desde 2022-02-03, Despacho 6/22); Portaria 13-R/2022 (antecipação parcial)",
        "Cláusula primeira do protocolo lida em afiscom.com.br, e a denúncia, em confaz.fazenda.gov.br."),
    ("icms_st", "RS", "Decreto RS 57.848/2024 (Protocolo ICMS 33/2024)"): (
        f"{_CAR_PARTS_2010} (exclusão do RS desde 2024-11-01: Protocolo ICMS 33/2024; Decreto RS 57.848/2024)",
        f"{_READ_2010}, e a exclusão, em confaz.fazenda.gov.br."),
    ("icms_st", "RO", "RICMS/RO; Decreto 29.048/2024"): ("Decreto 29.048/2024, Tabela II (RICMS/RO)", _PROGRAM),
    ("itbi", "Brasília", "Lei 3.830/2006"): (
        "Lei 3.830/2006, art. 9º", "Artigo da alíquota lido em fazenda.df.gov.br (notas à Lei 3.830/2006)."),
    ("itbi", "Brasília", "Lei 3.830/2006, redação da Lei 7.635/2024; Decreto 46.695/2024"): (
        "Lei 3.830/2006, art. 9º, redação da Lei 7.635/2024; Decreto 46.695/2024",
        "Artigo da alíquota lido em fazenda.df.gov.br (notas à Lei 3.830/2006)."),
    **_ipva("AC", _RATED, "LC 114/2002", "LC 483/2024 (até 2024, LC 114/2002)",
            "A lei do IPVA do Acre desde 2025 é a LC 483/2024, segundo noticiasdahora.com.br (notícia da LC 497/2025)."),
    ("ipva", "AM/automovel", "LC 19/1997"): (
        "LC 19/1997 (CTE), art. 150, IV e V",
        "Artigo e alíquotas desde 2023 lidos no Diário Oficial do Estado de 2025-11-12 (LC 281/2025, art. 1º, II)."),
    **_ipva("AM", _RATED, "LC 280/2025 (altera o CTE, LC 19/1997)",
            "LC 19/1997 (CTE), art. 150 (redação da LC 281/2025)",
            "Artigo lido no Diário Oficial do Estado de 2025-11-12 (LC 281/2025, art. 1º, II); outra fonte dá à lei o número "
            "280."),
    **_ipva("CE", ("automovel", "caminhonete"), "Lei 12.023/1992",
            "Lei 12.023/1992, art. 6º, IV (redação da Lei 15.893/2015)",
            "Artigo lido na Lei 15.893/2015, em belt.al.ce.gov.br."),
    **_ipva("CE", ("motocicleta",), "Lei 12.023/1992", "Lei 12.023/1992, art. 6º, III (redação da Lei 15.893/2015)",
            "Artigo lido na Lei 15.893/2015, em belt.al.ce.gov.br."),
    **_ipva("CE", ("caminhao", "onibus_micro_onibus"), "Lei 12.023/1992", "Lei 12.023/1992, art. 6º",
            "Artigo das alíquotas lido na Lei 15.893/2015, em belt.al.ce.gov.br; o inciso, não."),
    **_ipva("DF", _RATED, "Lei 7.431/1985 (pauta 2026: Lei 7.827/2025)",
            "Lei 7.431/1985, art. 3º; Decreto 34.024/2012, art. 10 (pauta 2026: Lei 7.827/2025)",
            "Artigos das alíquotas lidos no Decreto 37.826/2016, em tc.df.gov.br."),
    **_ipva("DF", _RATED, "Lei 7.431/1985 (pauta 2026: Lei 7.827/2025); Lei 6.466/2019",
            "Lei 7.431/1985, art. 3º; Decreto 34.024/2012, art. 10 (pauta 2026: Lei 7.827/2025); Lei 6.466/2019",
            "Artigos das alíquotas lidos no Decreto 37.826/2016, em tc.df.gov.br."),
    **_ipva("RN", ("automovel", "caminhonete"), "Lei 6.967/1996",
            "Lei 6.967/1996, art. 4º, III (redação da Lei 9.992/2015)",
            "Artigo lido na Lei 9.992/2015, em normasbrasil.com.br."),
    **_ipva("RN", ("caminhao",), "Lei 6.967/1996", "Lei 6.967/1996, art. 4º, I",
            "Artigo lido em lei de 2004 que o altera, em legisweb.com.br."),
    **_ipva("RN", ("motocicleta",), "Lei 6.967/1996", "Lei 6.967/1996, art. 4º",
            "Artigo das alíquotas lido na Lei 9.992/2015, em normasbrasil.com.br; o inciso, não."),
    **_ipva("RN", ("onibus_micro_onibus",), "Lei 6.967/1996", "Lei 6.967/1996, art. 4º, I e III",
            "Artigo lido em lei de 2004 que o altera, em legisweb.com.br (ônibus), e na Lei 9.992/2015, em "
            "normasbrasil.com.br (micro-ônibus)."),
}
