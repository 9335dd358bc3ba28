"""What was asked for and what was acknowledged, and whether a data directory has it."""

import copy
import threading
import time
from collections import Counter
from contextlib import contextmanager

from taxd import bundle, expect, rule

# The calls of this long before a kill may be lost, also if one publication follows another (packaging/OPERACAO.md). The log
# waits for the machine as the slowest request did, which `Calls` adds, and each time that it meets a publication.
LOG_SECONDS = 1.2
BUNDLE_RULES = 5
CHANGES = ["account", "key", "revoke", "import"]


class Ledger:
    """Written by the thread that changes and those that call."""

    def __init__(self, office):
        self.office = office
        self.accounts, self.keys, self.imports, self.tried_imports = set(), {}, set(), set()
        self.calls = Calls()
        self.numbers = iter(range(1, 1 << 40))

    def change(self, kind, dice, ask):
        """Asks for a change. `ask` runs a command to its end, and returns its document; None if it did not succeed."""
        with self.calls.timed():
            self.ask_for(kind, dice, ask)

    def ask_for(self, kind, dice, ask):
        """A change, not timed."""
        active = [key for key, state in self.keys.items() if state == "active"]
        if kind == "account":
            made = ask("account", "create", f"Conta {next(self.numbers)}", "--plan", "growth")
            if made:
                self.accounts.add(made["client_id"])
        elif kind == "import":
            self.publish(ask)
        elif kind == "revoke" and active:
            key = dice.choice(active)
            self.keys[key] = "unsure"
            if ask("key", "revoke", key):
                self.keys[key] = "revoked"
        else:
            made = ask("key", "create", "--account", self.office.account, "--kind", "live")
            if made:
                self.keys[made["key_id"]] = "active"

    def publish(self, ask):
        """Imports a bundle of new rules."""
        number = next(self.numbers)
        name, file = f"p{number}", self.office.work / f"p{number}.json"
        products = (f"{number * BUNDLE_RULES + product:08}" for product in range(BUNDLE_RULES))
        file.write_text(bundle(name, [rule(f"{name}-{ncm}", {"uf": "AC", "ncm": [ncm]}) for ncm in products]))
        self.tried_imports.add(name)
        if ask("import", file):
            self.imports.add(name)
        file.unlink()

    def check(self, taxd, data):
        """Checks a data directory that no server has open: it is sound, and has all that was acknowledged."""
        status, check, err = taxd.run(data, "check")
        expect(status == 0 and check["whole"], "sound data", status, check, err)
        accounts = {one["client_id"] for one in taxd.do(data, "account", "list")}
        expect(self.accounts <= accounts, "every account", self.accounts - accounts)
        keys = {one["key_id"]: one["state"] for one in taxd.do(data, "key", "list")}
        for key, state in self.keys.items():
            allowed = ("active", "revoked") if state == "unsure" else (state,)
            expect(keys.get(key) in allowed, f"{key} {' or '.join(allowed)}", keys.get(key))
        rules = taxd.do(data, "rules", "list", "--limit", 1_000_000)["regras"]
        of_bundles = Counter(one["rule_code"].split("-")[0] for one in rules)
        for name in self.tried_imports:
            there = of_bundles[name]
            allowed = (BUNDLE_RULES,) if name in self.imports else (0, BUNDLE_RULES)
            expect(there in allowed, f"{' or '.join(map(str, allowed))} rules of {name}", there)

    def usage(self, taxd, data):
        """How many calls the account is said to have made."""
        return taxd.do(data, "account", "show", self.office.account)["usage"]["total_chamadas"]

    def copy(self):
        """The ledger as it is now; the calls are the same."""
        other = copy.copy(self)
        other.accounts, other.keys = set(self.accounts), dict(self.keys)
        other.imports, other.tried_imports = set(self.imports), set(self.tried_imports)
        return other

    def said(self):
        return f"{len(self.accounts)} accounts, {len(self.keys)} keys and {len(self.imports)} imports"


class Calls:
    """The calls that were sent, when they were answered, and how long the slowest request took, of calls and changes."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sent, self.answered_at, self.slowest_seconds = 0, [], 0.0

    @contextmanager
    def timed(self):
        """Notes how long a request took."""
        began = time.monotonic()
        try:
            yield
        finally:
            with self.lock:
                self.slowest_seconds = max(self.slowest_seconds, time.monotonic() - began)

    def made_by(self, caller, number):
        """Calculates, and notes it."""
        with self.lock:
            self.sent += 1
        with self.timed():
            status = caller.calculate(number)
        with self.lock:
            self.answered_at.append(time.time())
        expect(status == 200, "an answer", status)

    def check(self, counted, at):
        """Checks the count of a directory as it was at that moment."""
        surely = sum(answered < at - LOG_SECONDS - self.slowest_seconds for answered in self.answered_at)
        expect(surely <= counted <= self.sent, f"{surely} to {self.sent} calls", f"{counted}, {self.slowest_seconds:.2f} s")
