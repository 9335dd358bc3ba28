"""What the ISS table of facts cannot carry: how each municipality's partial rows are read.

A row whose condition covers part of an item is decided here, and nowhere else:

* `NULLS`: the item really splits, the sources disagree, or the law's own numbering leaves the item in doubt: the figure
  is null, with the reason. A whole group is written by its number alone ("15").
* `NARROW`: the condition is narrow; the item's rate (the general one, if it has no other) stands, and the condition is
  told in `avisos`.
* `WHOLE`: the condition is the whole of the item, or nearly; the row's rate stands, with the advice if there is one.

A row of low trust without a decision is null, and says what was seen and where.
"""

from municipal_place import HISTORY

#: Municipalities whose general rate is not published, though a source of some trust has it.
GENERAL_NULL = {
    "RN/Natal": "A alíquota de 5% dos demais serviços foi lida em texto de 2001, anterior à lista da LC 116/2003; a "
                "tabela atual, com faixas de 2% a 5%, não foi lida.",
    "ES/Vitória": "A alíquota genérica é de 5%, mas os incisos I a IV do art. 25 da Lei 6.075/2003, com alíquotas "
                  "próprias, não foram lidos.",
}

UNREAD_TABLE = ("A tabela de alíquotas por subitem não foi conferida no texto vigente da lei municipal: subitem pode "
                "ter alíquota própria.")

#: Advice on the general rate; elsewhere, UNREAD_TABLE.
GENERAL_ADVICE = {
    "PR/Curitiba": ["Serviços para destinatários no exterior pagam 2% (LC 40/2001, art. 4º, I, c).",
                    "Em 09/2026 havia projeto de lei, de aprovação não conferida, para 2% na informática (item 1)."],
    "PE/Recife": ["Empresas do Porto Digital e do Bairro do Recife têm incentivo, de alíquota não lida."],
    "CE/Fortaleza": [], "CE/Canindé": [], "SC/Florianópolis": [],
}

#: Advice on every answered rate of the municipality: how old the text is.
TEXT_ADVICE = {
    "PE/Recife": "Redação de 2004; alterações posteriores (Leis 17.408/2008 e 19.148/2024, Porto Digital) não "
                 "conferidas.",
    "SC/Florianópolis": "Redação de 2006 (LC 233/2006); alterações posteriores não conferidas.",
    "ES/Vitória": "Redação de 2004 e 2007 (Leis 6.236/2004 e 6.943/2007); alterações posteriores não conferidas.",
    "BA/Salvador": "Tabela municipal não lida por inteiro: alterações posteriores não conferidas.",
}

_FLORIANOPOLIS = ("A LC 233/2006 diz {}%, mas lista de 2026, sem dispositivo, diz {}%, e as alterações posteriores a 2006 "
                  "não foram lidas.")
_SALVADOR_7 = ("Notas fiscais de 2025 e 2026 provam 5% nos subitens 7.01 e 7.10; uma lista de 2026, sem dispositivo, diz "
               "3% para todo o grupo 7, e a tabela municipal não foi lida nos demais subitens.")
_CURITIBA_HEALTH = ("A LC 107/2017 diz 4%; nota pública de 2026 diz que alteração recente restringiu os 4% às "
                    "cooperativas de serviços de saúde, em texto não lido.")
_CURITIBA_EVENTS = ("Feiras, exposições, congressos, shows e eventos pagam 2% (art. 4º, I, f), sem que a lei diga os "
                    "subitens: o alcance neste não foi conferido.")
_CANINDE = ("A lei cita 7.19, 7.20 e 7.21 a 3%, e outros de seus artigos seguem numeração local, sem os itens vetados da "
            "LC 116/2003: o subitem correspondente não foi conferido.")

_RECIFE = ("A alíquota geral é de 5%, mas o Termo de Orientação do ISS da Prefeitura (01/2020) traz incentivo, de alíquota "
           "não lida, para intermediação, representação, cinemas, cartões de crédito, transporte municipal e call center.")

#: Municipality -> [(items, first day, reason)].
NULLS = {
    "BA/Salvador": [
        (["7.02", "7.03", "7.04", "7.05", "7.06", "7.07", "7.08", "7.09", "7.11", "7.12", "7.13", "7.16", "7.17",
          "7.18", "7.19", "7.20", "7.21", "7.22"], HISTORY, _SALVADOR_7),
        (["4"], HISTORY, "A tabela municipal (cópia de 2014) diz 2%; uma lista de 2026, sem dispositivo, diz 3%."),
        (["17.02"], HISTORY, "Resposta audível e contact center pagam 2%; os demais serviços do item, não: o item não "
                             "os distingue."),
    ],
    "CE/Canindé": [(["7.19", "7.20", "7.21", "7.22"], HISTORY, _CANINDE)],
    "PE/Recife": [
        (["10.01", "10.02", "10.03", "10.04", "10.05", "10.09", "12.02", "15.01", "16.01", "16.02", "17.02"], HISTORY,
         _RECIFE),
        (["4.02"], HISTORY, "Quimioterapia e radioterapia pagam 4%; os demais serviços do item, 2%: o item não os "
                            "distingue."),
    ],
    "PR/Curitiba": [
        (["8.01"], HISTORY, "Educação pré-escolar, ensino fundamental e médio pagam 2%; o superior, 5%: o item não os "
                            "distingue."),
        (["10.01"], HISTORY, "A corretagem e o agenciamento de seguros pagam 2,5%; as demais intermediações do item, "
                             "5%."),
        (["17.02"], HISTORY, "Central de atendimento e assistência técnica remota pagam 2%; os demais serviços do "
                             "item, 5%."),
        (["4.03", "4.22", "4.23"], HISTORY, _CURITIBA_HEALTH),
        (["12.07", "12.13"], HISTORY, _CURITIBA_EVENTS),
    ],
    "RJ/Rio de Janeiro": [
        (["1.09"], HISTORY, "Há menção, não confirmada, a 2% para conteúdo audiovisual pela internet; os demais "
                            "conteúdos do item pagam 5%."),
        (["4.03"], HISTORY, "Há menção, não confirmada, a 2% para hospitais, prontos-socorros e clínicas aptos a "
                            "internação; os demais serviços do item pagam 5%."),
    ],
    "RS/Porto Alegre": [
        (["4"], HISTORY, "A LC 7/1973 tem dispositivo próprio para os serviços do item 4, cuja alíquota não foi lida."),
        (["15"], "2024-01-01", "Há menção, não confirmada, a alíquota dos serviços financeiros de 3% em 2024, 2,5% em "
                               "2025 e 2% desde 2026, sem indicação dos subitens."),
    ],
    "SC/Florianópolis": [
        (["1"], HISTORY, _FLORIANOPOLIS.format("2", "5")),
        (["4"], HISTORY, _FLORIANOPOLIS.format("2", "5")),
        (["7.02", "7.05"], HISTORY, _FLORIANOPOLIS.format("3", "2,5")),
        (["16.01"], HISTORY, "As tarifas do sistema municipal de transporte coletivo pagam 0,01%; o resto do item, 2%: "
                             "o item não os distingue."),
    ],
    "ES/Vitória": [
        (["4.01", "4.02", "4.03", "4.04", "4.05", "4.06", "4.07", "4.08", "4.09", "4.10", "4.11", "4.12", "4.13",
          "4.14", "4.15", "4.16", "4.18", "4.19", "4.20", "4.21"], HISTORY,
         "A Lei 6.236/2004 diz 2%, mas lista de 2026, sem dispositivo, diz 3% para a saúde, e as alterações "
         "posteriores a 2004 não foram lidas."),
    ],
}

_SUS_CURITIBA = "Quando prestado para o SUS, 2% (LC 40/2001, art. 4º, VI)."
_SUS_RECIFE = ("Quando prestado por convênio ou contrato com o SUS, 2% (Lei 15.563/1991, art. 116, II); empresa de "
               "atendimento domiciliar tem incentivo, de alíquota não lida.")
_EXCHANGE = ("Há menção, não confirmada, a 2% quando prestado por sociedade administradora de bolsa de valores (Lei "
             "691/1984, art. 33, redação da Lei 8.467/2024).")
_COUNTERPARTY = ("Há menção, não confirmada, a 2% quando prestado por contraparte central autorizada pelo Banco Central "
                 "(Lei 691/1984, art. 33, redação da Lei 8.467/2024).")

#: Municipality -> {item: advice}.
NARROW = {
    "CE/Fortaleza": {
        "12.11": "Em 27/11/2025 a Câmara aprovou 2% para ingressos de jogos de futebol (PLC 53/2025); sanção e "
                 "vigência não conferidas.",
    },
    "ES/Vitória": {
        item: "Com certificado ISO 9000, SEI-CMM nível 2 ou SGQ-TEC, deferido e válido, 2,5% (Lei 6.075/2003, art. 35)."
        for item in ("1.01", "1.02", "1.03", "1.04", "1.05", "1.06", "1.07", "1.08", "1.09")
    },
    "PE/Recife": {
        **{f"1.{number:02}": "Empresa incentivada do Porto Digital tem alíquota reduzida, não lida."
           for number in range(1, 10)},
        **{f"4.{number:02}": _SUS_RECIFE for number in range(1, 24) if number != 2},
        "11.04": "Armazenamento em câmara frigorífica tem incentivo, de alíquota não lida.",
    },
    "PR/Curitiba": {item: _SUS_CURITIBA for item in ("4.01", "4.02", "4.17", "4.19", "4.20")},
    "RJ/Rio de Janeiro": {
        **{item: _EXCHANGE for item in
           ("1.01", "1.03", "1.05", "1.07", "11.04", "15.12", "15.15", "15.16", "17.01")},
        **{item: _COUNTERPARTY for item in ("15.06", "15.07", "15.10", "15.11")},
        "2.01": "Há menção, não confirmada, a 2% para pesquisa, desenvolvimento e gestão de projetos na Ilha do "
                "Fundão.",
        "12.13": "Há menção, não confirmada, a 2% para a indústria cinematográfica vinculada a filmes brasileiros.",
        "17.12": "A administração de benefícios relativos a planos de assistência à saúde paga 2% (Lei 6.307/2017). "
                 + _EXCHANGE,
    },
}

#: Municipality -> {item: advice, or nothing}.
WHOLE = {
    "BA/Salvador": {"16.01": ["Transporte coletivo municipal por permissão ou concessão; tabela em cópia de 2014."]},
    "PR/Curitiba": {
        "7.10": ["A lei diz limpeza e conservação (art. 4º, II, a), sem o número do subitem."],
        "10.09": ["A lei diz representação comercial (art. 4º, II, d); outra representação paga 5%."],
        "11.02": ["A lei diz vigilância (art. 4º, II, b), sem o número do subitem."],
        "12.08": ["A lei diz feiras, exposições, congressos, shows e eventos (art. 4º, I, f), sem o número do subitem."],
        "14.04": [],
        "17.10": ["A lei diz feiras, exposições, congressos, shows e eventos (art. 4º, I, f), sem o número do subitem."],
    },
}
