"""Servers and commands killed at any moment: what was acknowledged is there, and nothing is half done."""

import time

from ledger import CHANGES, Ledger
from load import Load
from taxd import Office, expect

# A restart takes milliseconds; the machine may be busy.
RESTART_SECONDS = 5
CONNECTIONS = 2


def run(taxd, work, dice, is_long):
    office = Office(taxd, work)
    ledger, slowest, kills = Ledger(office), 0.0, 200 if is_long else 10
    stopped_commands = 0
    for kill in range(kills):
        server = taxd.serve(office.data)
        slowest = max(slowest, server.start_seconds)
        # The log gives way to publications: every other time, one follows another.
        kinds = ["import"] if kill % 2 else CHANGES
        load = Load(taxd, server, ledger, dice, CONNECTIONS, kinds=kinds)
        time.sleep(dice.uniform(0.05, 2.5))
        server.kill()
        at = time.time()
        load.end()
        ledger.check(taxd, office.data)
        counted = ledger.usage(taxd, office.data)
        ledger.calls.check(counted, at)
        # What is counted now stays counted, and what was lost is lost.
        ledger.calls.sent, ledger.calls.answered_at = counted, [0.0] * counted
        stopped_commands += killed_command(taxd, office, ledger, dice)
        ledger.check(taxd, office.data)
    expect(slowest < RESTART_SECONDS, f"a restart in {RESTART_SECONDS} s", slowest)
    return (
        f"{kills} servers and {stopped_commands} commands killed; {ledger.said()} and {counted} counted calls, none lost "
        f"and none half; a restart took {slowest:.2f} s at most"
    )


def killed_command(taxd, office, ledger, dice):
    """Kills an import that no server does; whether it was killed before its end."""
    killed = False

    def ask(*arguments):
        nonlocal killed
        command = taxd.begin(office.data, *arguments)
        time.sleep(dice.uniform(0, 0.02))
        command.kill()
        command.communicate()
        killed = command.returncode != 0
        return not killed

    ledger.publish(ask)
    return killed
