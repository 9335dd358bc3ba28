"""Commands whose n-th read, write or sync of the data file fails: the error is said, and nothing is lost or half done."""

import re
import shutil

from ledger import CHANGES, Ledger
from taxd import Office, can_trace, expect

# The calls that fail, and how.
FAILURES = [
    ("pwrite64", "EIO"),
    ("pwrite64", "ENOSPC"),
    ("fdatasync", "EIO"),
    ("pread64", "EIO"),
    ("ftruncate", "ENOSPC"),
]


def run(taxd, work, dice, is_long):
    refused = can_trace()
    if refused:
        return f"NOT RUN: {refused}"
    office = Office(taxd, work)
    before = Ledger(office)
    for kind in ["account", "key", "key", "import"]:
        before.change(kind, dice, lambda *arguments: taxd.do(office.data, *arguments))
    kept = work / "kept"
    office.data.rename(kept)
    points = [
        (kind, call, error, number)
        for kind in [*CHANGES, "backup"]
        for call, error in FAILURES
        for number in range(1, calls_of(taxd, office, before, kept, kind, call, dice) + 1)
    ]
    tried = points if is_long else dice.sample(points, 60)
    survived = sum(fails(taxd, office, before, kept, point, dice) for point in tried)
    return f"{len(tried)} of {len(points)} points, of which {survived} did not keep the command from its end; nothing lost or half"


def restored(office, kept):
    shutil.rmtree(office.data, ignore_errors=True)
    shutil.copytree(kept, office.data)


def changed(taxd, office, before, kept, kind, dice, strace):
    """Runs a change under strace on a copy of the data: the ledger, the exit status and what was said."""
    restored(office, kept)
    ledger, ended = before.copy(), []

    def ask(*arguments):
        ended[:] = taxd.run(office.data, *arguments, before=strace)
        return ended[1] if ended[0] == 0 else None

    if kind == "backup":
        backup = office.work / "backup.redb"
        backup.unlink(missing_ok=True)
        ask("backup", backup)
    else:
        ledger.change(kind, dice, ask)
    return ledger, *ended


def calls_of(taxd, office, before, kept, kind, call, dice):
    """How often a change makes that system call."""
    trace = office.work / "trace"
    strace = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={call}", "-e", "signal=none"]
    _, status, _, err = changed(taxd, office, before, kept, kind, dice, strace)
    expect(status == 0, f"{kind} to succeed", status, err)
    return len(re.findall(rf"\b{call}\(", trace.read_text()))


def fails(taxd, office, before, kept, point, dice):
    """Makes one call fail; whether the command came to its end all the same."""
    kind, call, error, number = point
    (office.work / "point").write_text(f"{point}")
    strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}"]
    strace += ["-e", f"inject={call}:error={error}:when={number}"]
    ledger, status, document, err = changed(taxd, office, before, kept, kind, dice, strace)
    what = f"{kind} with {error} at {call} {number}"
    expect("panicked" not in err, f"{what}: no panic", err)
    expect(status == 0 or (status == 1 and document and document["erro"]), f"{what}: an error that is said", status, document, err)
    ledger.check(taxd, office.data)
    backup = office.work / "backup.redb"
    if kind == "backup":
        left = sorted(path.name for path in office.work.glob("backup.redb*"))
        expect(left == (["backup.redb"] if status == 0 else []), f"{what}: a whole backup or none", left)
        if status == 0:
            checked, document, err = taxd.run(office.data, "check", backup)
            expect(checked == 0, f"{what}: a sound backup", document, err)
    return status == 0
