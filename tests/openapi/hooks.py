"""What schemathesis is told beside the description: days on which there are rules, and which
refusals a request of the described form may meet."""

from datetime import date

import schemathesis
from hypothesis import strategies as st

schemathesis.openapi.format("date", st.dates(date(2015, 1, 1), date(2030, 12, 31)).map(str))

# What no schema can say: whether a name or code is on an official list, how amounts lie to one
# another, what lies out of scope, what the future brings. A rule may refuse anything in its name.
BEYOND_FORM = {
    "municipio_desconhecido",
    "base_negativa",
    "valor_financiado_invalido",
    "cest_necessario",
    "resultado_fora_do_alcance",
    "destinatario_nao_contribuinte",
    "destinatario_consumidor_final",
    "regime_simples_nacional",
    "regime_simples",
    "optante_simples",
}
# A code of one field that belongs to another value of the next; an amount that no law collects on that day.
BEYOND_FORM_OF_FIELDS = {("codigo_tributacao_nacional", "item_servico_invalido"), ("valor_is", "valor_invalido")}
# An Anexo and the activity that decides it exclude each other: a schema that said so would split the classes of clients.
BEYOND_FORM_OF_FIELDS |= {("anexo", "campo_obrigatorio"), ("anexo", "valor_invalido")}
# Parts of the revenue of a month, which are not more than the whole, and of which an export has none.
PARTS = {"receita_monofasica", "receita_icms_st", "receita_iss_retido", "receita_outro_municipio"}
BEYOND_FORM_OF_FIELDS |= {(part, code) for part in PARTS for code in ("fora_do_intervalo", "valor_invalido")}
BEYOND_FORM_OF_FIELDS |= {("receita_total_mes", "fora_do_intervalo"), ("inicio_atividade", "fora_do_intervalo")}
BEYOND_FORM_OF_PARAMETERS = {"conhecido_em", "cursor", "municipio", "q", "supondo"}


@schemathesis.check
def what_is_described_is_read(ctx, response, case):
    """A request of the described form is refused for nothing that a schema could have said."""
    if response.status_code != 422 or case.meta is None or not case.meta.generation.mode.is_positive:
        return
    # The lines of a list are a file to the schema.
    if case.operation.label == "PUT /v1/listas/{nome}":
        return
    problem = response.json()
    if "regra" in problem:
        return
    faults = problem.get("erros") or [problem]
    wrong = [
        fault
        for fault in faults
        if fault["codigo"] not in BEYOND_FORM
        and (fault.get("campo"), fault["codigo"]) not in BEYOND_FORM_OF_FIELDS
        and not (fault["codigo"] == "parametro_invalido" and fault["campo"] in BEYOND_FORM_OF_PARAMETERS)
    ]
    assert not wrong, f"the description lets this pass, and the service does not: {wrong}"
