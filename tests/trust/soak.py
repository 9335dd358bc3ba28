"""A server under a steady load with publications, new keys and a dead webhook: nothing is lost, and nothing grows."""

import time

from ledger import Ledger
from load import Load
from taxd import Office, expect

CONNECTIONS = 2
# Between two changes.
CHANGE_SECONDS = 0.5
SAMPLE_SECONDS = 0.25
# What the last third may have more than the one before.
MORE_MEMORY, MORE_MEMORY_KIB, MORE_DESCRIPTORS = 1.1, 8 * 1024, 8
# A stop waits for what is under way, and for the file to be closed.
STOP_SECONDS = 10


def run(taxd, work, dice, is_long):
    seconds = 300 if is_long else 15
    office = Office(taxd, work, builtin=True)
    # Nobody listens there.
    taxd.do(office.data, "subscription", "create", "--account", office.account, "--url", "https://127.0.0.1:9/")
    ledger = Ledger(office)
    server = taxd.serve(office.data)
    load = Load(taxd, server, ledger, dice, CONNECTIONS, CHANGE_SECONDS)
    memory, descriptors, end = [], [], time.monotonic() + seconds
    while time.monotonic() < end and not load.failures:
        time.sleep(SAMPLE_SECONDS)
        memory.append(server.status("VmRSS"))
        descriptors.append(server.descriptors())
    load.end()
    stop = server.stop()
    third = len(memory) // 3
    before, last = max(memory[third:-third]), max(memory[-third:])
    expect(last <= before * MORE_MEMORY + MORE_MEMORY_KIB, "level memory", f"{before} KiB, then {last} KiB")
    before_files, last_files = max(descriptors[third:-third]), max(descriptors[-third:])
    expect(last_files <= before_files + MORE_DESCRIPTORS, "level descriptors", before_files, last_files)
    expect(stop < STOP_SECONDS, f"a stop in {STOP_SECONDS} s", stop)
    errors = [line for line in server.log_path.read_text().splitlines() if " ERROR " in line or "panicked" in line]
    expect(not errors, "no error in the log", *errors[:5])
    ledger.check(taxd, office.data)
    counted = ledger.usage(taxd, office.data)
    expect(counted == ledger.calls.sent, f"{ledger.calls.sent} calls", counted)
    return (
        f"{seconds} s, {counted} calls of {CONNECTIONS} connections, all counted; {ledger.said()}; at most {before // 1024} MiB "
        f"in the second third and {last // 1024} MiB in the last; stopped in {stop:.1f} s"
    )
