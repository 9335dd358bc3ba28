"""Calls taxd and checks its webhooks. Needs Python 3.9 and nothing else.

    TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' python3 quickstart.py calculate
    TAXD_ADDRESS=http://127.0.0.1:8080 TAXD_KEY='<API_KEY>' python3 quickstart.py follow
    TAXD_SECRET='whsec_...' python3 quickstart.py webhook ID TIMESTAMP SIGNATURE <body
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request

ATTEMPTS = 4
TIMEOUT_S = 10
# A longer Retry-After, as that of a month's quota, is reported instead of waited for.
LONGEST_WAIT_S = 60
# How much the clocks of the two machines may differ. It also limits for how long a stolen delivery can be sent again.
TOLERANCE_S = 300
# 502 and 504 come from a proxy in front of taxd.
TEMPORARY = {408, 429, 500, 502, 503, 504}


def calculate(payload, query=""):
    return call("POST", "/v1/calculate" + query, payload)


def call(method, path, document=None):
    """Returns the status and the document that taxd answers. Each call here may be sent again: a calculation changes nothing,
    and a list that is kept twice is the same.
    """
    headers = {"Content-Type": "application/json", "X-API-Key": os.environ["TAXD_KEY"]}
    body = None if document is None else json.dumps(document).encode()
    request = urllib.request.Request(os.environ["TAXD_ADDRESS"] + path, body, headers, method=method)
    for attempt in range(1, ATTEMPTS + 1):
        wait = 2 ** (attempt - 1)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            body = error.read()
            wait = int(error.headers.get("Retry-After", wait))
            if error.code not in TEMPORARY or wait > LONGEST_WAIT_S or attempt == ATTEMPTS:
                return error.code, document_of(body)
        except (OSError, http.client.HTTPException):
            if attempt == ATTEMPTS:
                raise
        time.sleep(wait)


def document_of(body):
    """Returns the problem that taxd answers. A proxy in front of it answers a page of HTML instead."""
    try:
        return json.loads(body)
    except ValueError:
        return {"codigo": "no_taxd", "detail": "the answer is not from taxd: is there a proxy in front of it?"}


def show(status, document):
    """Prints an answer, or the fields at fault. Amounts are texts: keep them so, or use `decimal.Decimal`, never float."""
    if status == 200:
        print(f"valor {document['valor']}, regra {document['regra']['rule_id']}")
        return True
    # `codigo` is for programs, `detail` for people.
    print(f"{status} {document['codigo']}: {document['detail']}")
    for fault in document.get("erros", []):
        print(f"  {fault['campo']} {fault['codigo']}: {fault['detail']}")
    return False


def follow():
    """Keeps a list that publications ring, shows what they changed, also in given answers, and supposes a figure."""
    # A line with a date is of that day; one without it follows today. A list has such lines, one below the other.
    line = {"id": "agua", "tributo": "ipi", "payload": {"ncm": "22021000", "valor_produto": "500.00", "data_operacao": "2026-03-10"}}
    status, kept = call("PUT", "/v1/listas/quickstart", line)
    if status != 200:
        return show(status, kept)
    print(f"lista {kept['nome']}: {kept['linhas']} linhas, {kept['mudancas']} mudanças")
    for change in call("GET", "/v1/listas/quickstart/mudancas?limit=20")[1]["mudancas"]:
        before, after = (side.get("valor") or side["codigo"] for side in (change["antes"], change["depois"]))
        print(f"  linha {change['linha']} {change['situacao']}: {before} -> {after}")
    # What is right less what was answered.
    for correction in call("GET", "/v1/correcoes")[1]["correcoes"]:
        for month in correction["meses"]:
            print(f"correção {month['mes']} {month['tributo']}: {month['chamadas']} chamadas, {month['diferenca']}")
    payload = {"tributo": "cbs", "valor_operacao": "1000.00", "data_operacao": "2027-03-10"}
    for name in ("icms", "iss", "pis", "cofins", "ipi"):
        payload["valor_" + name] = "0"
    payload |= {"cumpre_obrigacoes_acessorias": True, "optante_simples": False, "transicao": True}
    status, answer = calculate(payload, "?supondo=cbs.aliquota:8.80")
    if show(status, answer):
        # Not law: this sentence is always the first. Show it beside the amount.
        print(f"  {answer['avisos'][0]}")
    return status == 200


def is_from_taxd(secret, message_id, timestamp, signatures, body):
    """Checks the headers webhook-id, webhook-timestamp and webhook-signature over the raw body, before it is parsed."""
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    prefix = "whsec_"
    key = base64.b64decode(secret[len(prefix):]) if secret.startswith(prefix) else secret.encode()
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # There are two signatures while the secret is being replaced.
    return any(hmac.compare_digest(expected, one.encode()) for one in signatures.split(" "))


def main(command=None, *arguments):
    if command not in ("calculate", "follow", "webhook") or len(arguments) != (3 if command == "webhook" else 0):
        print(__doc__.strip(), file=sys.stderr)
        return False
    if command == "webhook":
        body = sys.stdin.buffer.read()
        if not is_from_taxd(os.environ["TAXD_SECRET"], *arguments, body):
            print("refused")  # answer 401
            return False
        event = json.loads(body)
        # `lista_afetada` is of a kept list, and only for who asks for it; every other `acao` is of a rule.
        print(f"accepted {event['acao']} {event.get('lista') or event.get('rule_id')}")  # answer 204, and work afterwards
        return True
    if command == "follow":
        return follow()
    payload = {"tributo": "ipi", "ncm": "22030000", "valor_produto": "1000.00", "data_operacao": "2026-03-10"}
    if not show(*calculate(payload)):
        return False
    # What is wrong with a payload is answered too, field by field.
    show(*calculate({**payload, "ncm": "2203", "valor_produto": "-1"}))
    return True


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
