"""Calls a server with the client that openapi-python-client generated: `client.py DESCRIPTION`.

Every answer must come back as the class of its tax, with nothing in it that the class does not declare."""

import json
import os
import sys

from taxd_client import AuthenticatedClient, models
from taxd_client.api.calculo import calculate
from taxd_client.api.conta import show_usage
from taxd_client.api.regras import list_changes, list_rules

document = json.load(open(sys.argv[1], encoding="utf-8"))
operation = document["paths"]["/v1/calculate"]["post"]
requests = operation["requestBody"]["content"]["application/json"]["examples"]
answers = operation["responses"]["200"]["content"]["application/json"]["examples"]


def client(key):
    return AuthenticatedClient(os.environ["TAXD_ADDRESS"], key, prefix="", auth_header_name="X-API-Key")


def same(given, wanted):
    assert given == wanted, f"{given!r} instead of {wanted!r}"


def typed(value, name):
    """The value, which must be of that class and have declared members only."""
    same(type(value).__name__, name)
    same(value.additional_properties, {})
    return value


def of(kind, tributo):
    return kind + "".join(word.capitalize() for word in tributo.split("_"))


taxd = client(os.environ["TAXD_KEY"])
taxes = operation["requestBody"]["content"]["application/json"]["schema"]["discriminator"]["mapping"]
same(requests.keys(), taxes.keys())
for tributo, request in requests.items():
    body = getattr(models, of("Pedido", tributo)).from_dict(request["value"])
    reply = calculate.sync_detailed(client=taxd, body=body, memoria=True)
    same(reply.status_code, 200)
    answer = typed(reply.parsed, of("Resposta", tributo))
    typed(answer.regra, "Regra")
    detalhes = typed(answer.detalhes, of("Resposta", tributo) + "Detalhes")
    assert [typed(passo, "Passo") for passo in detalhes.memoria], tributo
    same(answer.to_dict(), json.loads(reply.content))
    wanted = answers[tributo]["value"]
    same((answer.tributo.value, answer.valor, answer.regra.rule_id), (tributo, wanted["valor"], wanted["regra"]["rule_id"]))

    page = list_rules.sync(client=taxd, tributo=models.ListRulesTributo(tributo), limit=20)
    assert typed(page, "PaginaDeRegras").regras, tributo
    for regra in page.regras:
        typed(typed(regra, of("Regra", tributo)).conteudo, of("Regra", tributo) + "Conteudo")

icms = models.PedidoIcms.from_dict(requests["icms"]["value"] | {"valor_produto": "1.000,00"})
reply = calculate.sync_detailed(client=taxd, body=icms)
same(reply.status_code, 422)
problema = typed(reply.parsed, "Problema")
same((problema.codigo, problema.campo), (models.Codigo.DECIMAL_INVALIDO, "valor_produto"))
same([typed(erro, "ErroDeCampo").campo for erro in problema.erros], ["valor_produto"])
same(typed(calculate.sync(client=client("svc_test_0"), body=icms), "Problema").codigo, models.Codigo.CHAVE_INVALIDA)

events = list_changes.sync(client=taxd, limit=50)
same(len([typed(event, "EventoDeRegra") for event in events]), 50)

consumo = typed(show_usage.sync(client=taxd), "Consumo")
# A calculation and a list for each tax, the refusal, and the changes.
same(consumo.total_chamadas, 2 * len(taxes) + 2)
same((consumo.status.sucesso_2xx, consumo.status.erro_cliente_4xx), (2 * len(taxes) + 1, 1))
typed(consumo.recentes[0], "ChamadaRecente")
print(f"the Python client calculated {len(taxes)} taxes, and listed rules, changes and calls")
