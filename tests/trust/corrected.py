"""Retroactive publications over a log, killed while it is looked through: the corrections are exactly the calls that a
replay finds. The replay knows nothing of taxd: it has the rates by State and day, and multiplies.
"""

import json
import threading
import time
from datetime import date, timedelta
from decimal import Decimal

from taxd import Office, bundle, expect, rule

STATES = ["AC", "AL", "AM", "BA", "MG", "PR", "RJ", "CE"]
# Rates in percent of the first rules; None is a figure that is not established, and a State that is missing has no rule.
FIRST = {"AC": 17, "AL": 18, "AM": 20, "BA": None, "MG": 18, "PR": None, "CE": 18}
# Days before today from which each publication holds, and what it changes.
LATER = [
    (100, {"AC": 18, "BA": 19, "MG": None, "RJ": 20, "CE": 18}),
    (150, {"AC": 17, "PR": 19, "CE": 19}),
]
WAIT_SECONDS = 600


class Rules:
    """What is published, as the replay knows it."""

    def __init__(self, today):
        self.today, self.versions = today, {state: [] for state in STATES}
        self.publications = 0

    def publish(self, taxd, office, days_ago, rates):
        """Adds a version of each rule, for the replay and by an import."""
        first = (self.today - timedelta(days_ago)).isoformat()
        rules = []
        for state, rate in rates.items():
            number = len(self.versions[state])
            code = f"geral-{state.lower()}"
            self.versions[state].append((first, rate, f"{code}-v1.{number}"))
            content = {"aliquota": None if rate is None else f"{rate}.00"}
            change = {"versao": f"1.{number}", "vigente_de": first, "conteudo": content}
            rules.append(rule(code, {"uf": state}) | change)
        file = office.work / "rules.json"
        file.write_text(bundle(f"regras-{self.publications}", rules))
        taxd.do(office.data, "import", file)
        self.publications += 1
        return {state: list(versions) for state, versions in self.versions.items()}


def answer(versions, call):
    """Amount, refusal and rule: those of the last version that holds on the day."""
    state, amount, day = call
    begun = [version for version in versions[state] if version[0] <= day]
    if not begun:
        return None, "regra_inexistente", None
    # A version takes the place of all that began on its first day or later.
    _, rate, rule_id = begun[-1]
    if rate is None:
        return None, "regra_sem_conteudo", rule_id
    return f"{Decimal(amount) * rate / 100:.2f}", None, rule_id


def differ(before, after):
    return before[:2] != after[:2] or (before[1] is None and before != after)


def sale(call):
    state, amount, day = call
    place = {"uf_origem": state, "uf_destino": state}
    return {"tributo": "icms", **place, "valor_produto": f"{amount}.00", "data_operacao": day}


class Account:
    """An account, and its calls in their order."""

    def __init__(self, taxd, office, number):
        made = taxd.do(office.data, "account", "create", f"Conta {number}", "--plan", "enterprise")
        self.key = taxd.do(office.data, "key", "create", "--account", made["client_id"], "--kind", "live")["key"]
        self.calls, self.fault = [], None

    def call(self, server, versions, count, dice, today):
        # A day that has not come is a forecast, which no publication corrects.
        days = [(today - timedelta(days)).isoformat() for days in (*range(2, 220), -40)]
        caller = server.connect(self.key)
        for _ in range(count):
            call = dice.choice(STATES), dice.randrange(1, 5000), dice.choice(days)
            status, document = caller.ask("POST", "/v1/calculate", sale(call))
            seen = answer(versions, call)
            said = document.get("valor"), document.get("codigo")
            if said != seen[:2]:
                self.fault = f"{call} is answered {status} {said}, and the replay says {seen}"
                return
            self.calls.append((call, seen))

    def listed(self, server, publication):
        """The corrections of a publication: its record, and each call of it with both amounts."""
        caller, calls, cursor = server.connect(self.key), [], ""
        while cursor is not None:
            query = f"publicacao={publication}&limit=200" + (cursor and f"&cursor={cursor}")
            status, page = caller.ask("GET", f"/v1/correcoes?{query}")
            expect(status == 200, "the corrections", page)
            calls += [(one["numero"], one["valor_antes"], one["valor_depois"]) for one in page["chamadas"]]
            cursor = page.get("proximo")
        return (page["correcoes"] or [None])[0], calls


def run(taxd, work, dice, is_long):
    count, kills = (25_000, 12) if is_long else (500, 2)
    today, office = date.today(), Office(taxd, work)
    rules = Rules(today)
    states = [rules.publish(taxd, office, 3000, FIRST)]
    accounts = [Account(taxd, office, number) for number in range(4)]
    server, began = taxd.serve(office.data), time.monotonic()
    make = [(one, (server, states[0], count, type(dice)(dice.random()), today)) for one in accounts]
    threads = [threading.Thread(target=one.call, args=arguments) for one, arguments in make]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not any(one.fault for one in accounts), "the answers of the replay", *(one.fault for one in accounts))
    called_seconds = time.monotonic() - began
    while taxd.do(office.data, "status")["log"]["pending"]:
        time.sleep(0.1)
    began = time.monotonic()
    for number, (days_ago, rates) in enumerate(LATER):
        states.append(rules.publish(taxd, office, days_ago, rates))
        for _ in range(kills):
            time.sleep(dice.uniform(0.5, 4))
            server.kill()
            server = taxd.serve(office.data)
    caller = server.connect(accounts[0].key)
    while caller.ask("GET", "/v1/correcoes")[1]["pendentes"]:
        expect(time.monotonic() - began < WAIT_SECONDS, "an end of the comparison", WAIT_SECONDS)
        time.sleep(0.1)
    looked_seconds, listed_count = time.monotonic() - began, 0
    # The first import of the office is publication 1, and that of the first rules 2.
    for number, (before, after) in enumerate(zip(states, states[1:]), start=3):
        for account in accounts:
            wanted, coming = [], 0
            for place, (call, seen) in enumerate(account.calls, start=1):
                right = answer(after, call)
                if differ(answer(before, call), right) and differ(seen, right):
                    is_coming = call[2] > today.isoformat()
                    coming += is_coming
                    wanted += [] if is_coming else [(place, seen[0], right[0])]
            record, listed = account.listed(server, number)
            listed_count += len(listed)
            expect(listed == wanted, "the calls of the replay", *first_difference(listed, wanted))
            counted = record["chamadas"]["alteradas"], record["chamadas"]["de_dias_por_vir"]
            expect(counted == (len(wanted), coming), "their counts", record)
            both = [(Decimal(old), Decimal(new)) for _, old, new in wanted if old and new]
            expect(Decimal(record["total"]["diferenca"]) == sum(new - old for old, new in both), "their sum", record)
    memory_mib = server.status("VmHWM") // 1024
    server.kill()
    status, check, err = taxd.run(office.data, "check")
    expect(status == 0 and check["whole"], "sound data", status, check, err)
    calls = sum(len(one.calls) for one in accounts)
    return (
        f"{calls} calls in {called_seconds:.0f} s, {len(LATER)} publications and {2 * kills} kills: {listed_count} calls are "
        f"corrected, as the replay finds, after {looked_seconds:.0f} s; {memory_mib} MiB at most after the last start"
    )


def first_difference(listed, wanted):
    found = next((pair for pair in zip(listed, wanted) if pair[0] != pair[1]), None)
    return f"{len(listed)} listed, {len(wanted)} wanted", json.dumps(found)
