"""Threads that call and change until `Load.end`."""

import http.client
import threading

from ledger import CHANGES

# What a caller sees of a server that dies.
GONE = (OSError, http.client.HTTPException)


class Load:
    """Calls of some connections and changes of one administrator, beside one another."""

    def __init__(self, taxd, server, ledger, dice, connections, pause_seconds=0, kinds=CHANGES):
        self.over, self.failures = threading.Event(), []
        callers = [(self.calls, server, ledger, number) for number in range(connections)]
        changes = [(self.changes, taxd, ledger, dice, pause_seconds, kinds)]
        self.threads = [threading.Thread(target=self.guarded, args=work, daemon=True) for work in callers + changes]
        for thread in self.threads:
            thread.start()

    def guarded(self, work, *arguments):
        try:
            work(*arguments)
        except Exception as failure:  # It is raised again by `end`, in the thread that waits.
            self.failures.append(failure)

    def calls(self, server, ledger, connection):
        caller, number = server.connect(ledger.office.key), connection * 1_000_000
        while not self.over.is_set():
            number += 1
            try:
                ledger.calls.made_by(caller, number)
            except GONE:
                if not server.is_ending:
                    raise
                return

    def changes(self, taxd, ledger, dice, pause_seconds, kinds):
        def ask(*arguments):
            status, document, _ = taxd.run(ledger.office.data, *arguments)
            return document if status == 0 else None

        while not self.over.wait(pause_seconds):
            ledger.change(dice.choice(kinds), dice, ask)

    def end(self):
        """Waits for the threads; a failure of one is raised here."""
        self.over.set()
        for thread in self.threads:
            thread.join()
        for failure in self.failures:
            raise failure
