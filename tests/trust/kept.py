"""A made year of publications over five kept lists, killed at any moment: the changes that are written are exactly those
that calculating every line on every day again after each publication gives.
"""

import json
import subprocess
import time
from datetime import datetime, timedelta, timezone

from taxd import Office, bundle, expect, rule

LISTS = 5
AHEAD_DAYS = 60
STATES = ["AC", "AL", "AM", "BA", "CE", "PA"]
PRODUCTS = ["22030000", "40111000", "84713012"]
# Rules by how much they say, of which some decide over others.
SCOPES = [{"uf": state} for state in STATES] + [
    {"uf": state, "ncm": [ncm]} for state in STATES[:3] for ncm in PRODUCTS[:2]
]
WAIT_SECONDS = 300


class Line:
    """A line of a list, and what it was answered on each day."""

    def __init__(self, dice, today):
        state, amount = dice.choice(STATES), f"{dice.randrange(1, 5000)}.00"
        self.payload = {"tributo": "icms", "uf_origem": state, "uf_destino": state, "valor_produto": amount}
        if dice.random() < 0.6:
            self.payload["ncm"] = dice.choice(PRODUCTS)
        if dice.random() < 0.3:
            day = today + timedelta(dice.randrange(-300, 300))
            self.days = {day.isoformat(): None}
            self.payload["data_operacao"] = day.isoformat()
        else:
            self.days = {(today + timedelta(ahead)).isoformat(): None for ahead in range(AHEAD_DAYS + 1)}
        self.changes = []

    def asked(self):
        return [self.payload | {"data_operacao": day} for day in self.days]

    def answered(self, answers):
        """Notes the answers of the days. A run of days with one change is one."""
        run = None
        for day, after in zip(list(self.days), answers):
            before, self.days[day] = self.days[day], after
            here = (before, after) if before and differ(before, after) else None
            if here and here != run:
                self.changes.append((day, before, after))
            run = here


def differ(before, after):
    return before[:2] != after[:2] or (before[0] is not None and before != after)


def seen(answer):
    """Amount, code of a refusal, and rule."""
    return answer.get("valor"), answer.get("codigo"), (answer.get("regra") or {}).get("rule_id")


def calculate(taxd, office, lines):
    """Calculates every line on every day."""
    file, asked = office.work / "days.jsonl", [one for line in lines for one in line.asked()]
    file.write_text("".join(json.dumps(one) + "\n" for one in asked))
    command = [taxd.binary, "calc", str(file), "--data", str(office.data)]
    answered = subprocess.run(command, env=taxd.environment, capture_output=True, text=True)
    answers = [seen(json.loads(text)) for text in answered.stdout.splitlines()]
    expect(len(answers) == len(asked), "an answer for each line and day", len(answers), answered.stderr[-500:])
    place = 0
    for line in lines:
        line.answered(answers[place : place + len(line.days)])
        place += len(line.days)
    return len(asked)


def publish(taxd, office, server, dice, number, today, is_first=False):
    """Publishes versions of some rules, and may kill the server meanwhile. Returns the server that runs then."""
    chosen = SCOPES if is_first else dice.sample(SCOPES, dice.randrange(1, 4))
    rules = []
    for scope in chosen:
        begins = today + timedelta(-3000 if is_first else dice.randrange(-60, 150))
        rate = None if dice.random() < 0.1 else f"{dice.randrange(1, 30)}.00"
        change = {"versao": f"1.{number}", "vigente_de": begins.isoformat(), "conteudo": {"aliquota": rate}}
        rules.append(rule(f"regra-{SCOPES.index(scope)}", scope) | change)
    file = office.work / "rules.json"
    file.write_text(bundle(f"regras-{number}", rules))
    command = taxd.begin(office.data, "import", file)
    if dice.random() < 0.4:
        time.sleep(dice.uniform(0, 0.2))
        server.kill()
        command.communicate()
        # The import did not come to its end, or it did and this one changes nothing.
        server = taxd.serve(office.data)
        taxd.do(office.data, "import", file)
        return server
    _, err = command.communicate()
    expect(command.returncode == 0, "an import", err)
    return server


def written(caller, number):
    """The changes of a list that are written, in the order of the lines and days."""
    changes, cursor = [], ""
    while cursor is not None:
        query = "limit=500" + (cursor and f"&cursor={cursor}")
        status, page = caller.ask("GET", f"/v1/listas/lista-{number}/mudancas?{query}")
        expect(status == 200, "the changes of a list", page)
        for one in page["mudancas"]:
            sides = [(side.get("valor"), side.get("codigo"), side.get("rule_id")) for side in (one["antes"], one["depois"])]
            changes.append((one["linha"], one["primeiro_dia"], *sides))
        cursor = page["proximo"]
    return sorted(changes, key=str)


def wait_for_midnight_to_pass():
    """Days that begin meanwhile would be answered too; the unit test has a clock for them."""
    now = datetime.now(timezone.utc)
    left = (now.replace(hour=0, minute=0, second=0) + timedelta(1) - now).total_seconds()
    if left < 15 * 60:
        time.sleep(left + 1)


def run(taxd, work, dice, is_long):
    size, publications = (100, 52) if is_long else (8, 6)
    wait_for_midnight_to_pass()
    today, office = datetime.now(timezone.utc).date(), Office(taxd, work)
    server = publish(taxd, office, taxd.serve(office.data), dice, 0, today, is_first=True)
    lists = [[Line(dice, today) for _ in range(size)] for _ in range(LISTS)]
    lines = [line for one in lists for line in one]
    for number, one in enumerate(lists):
        file = office.work / "list.jsonl"
        file.write_text("".join(json.dumps(line.payload) + "\n" for line in one))
        taxd.do(office.data, "list", "put", "--account", office.account, f"lista-{number}", file)
    calculated, kills, memory = calculate(taxd, office, lines), 0, 0
    for number in range(1, publications + 1):
        memory, before = max(memory, server.status("VmHWM")), server
        server = publish(taxd, office, server, dice, number, today)
        kills += server is not before
        calculated += calculate(taxd, office, lines)
        if dice.random() < 0.4:
            time.sleep(dice.uniform(0, 2))
            server.kill()
            server, kills = taxd.serve(office.data), kills + 1
    caller, began, count = server.connect(office.key), time.monotonic(), 0
    for number, one in enumerate(lists):
        wanted = sorted(((place, *change) for place, line in enumerate(one, start=1) for change in line.changes), key=str)
        while (found := written(caller, number)) != wanted:
            missing = [change for change in wanted if change not in found]
            beyond = [change for change in found if change not in wanted]
            expect(time.monotonic() - began < WAIT_SECONDS and not beyond, "the changes of each day", missing[:1], beyond[:1])
            time.sleep(0.1)
        count += len(wanted)
    caught_up = time.monotonic() - began
    memory = max(memory, server.status("VmHWM"))
    server.stop()
    status, check, err = taxd.run(office.data, "check")
    expect(status == 0 and check["whole"], "sound data", status, check, err)
    return (
        f"{publications} publications over {len(lines)} lines of {LISTS} lists and {kills} kills: {count} changes, as {calculated} "
        f"calculations find, {caught_up:.0f} s after the last; {memory // 1024} MiB at most"
    )
