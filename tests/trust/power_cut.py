"""The data file as a power cut could leave it at any moment of a server's work: it opens, and has all that was acknowledged.

strace records what the server writes to the file and when it syncs. An image has everything before the last sync that had
returned; of the writes after it some are there, some are not, some are torn, in any order.
"""

import re
import shutil
import time
from dataclasses import dataclass

from ledger import CHANGES, Ledger
from taxd import Office, can_trace, expect

# A disk writes whole sectors.
SECTOR = 512
RECORDED_SECONDS = 6
LINE = re.compile(r"^(?P<thread>\d+) +(?P<at>\d+\.\d+) (?P<call>.*)$")
WRITE = re.compile(r'^pwrite64\(\d+, "(?P<bytes>(?:\\x[0-9a-f]{2})*)", \d+, (?P<offset>\d+)')
TRUNCATE = re.compile(r"^ftruncate\(\d+, (?P<length>\d+)")
SYNC = re.compile(r"^(?:fdatasync|fsync)\(")
SYNC_RETURNED = re.compile(r"^<\.\.\. (?:fdatasync|fsync) resumed>")


@dataclass
class Event:
    """A write, a change of the length, or a sync that returned, with how many events there were when it was called."""

    at: float
    offset: int | None = None
    content: bytes = b""
    length: int | None = None
    synced: int | None = None


def run(taxd, work, dice, is_long):
    refused = can_trace()
    if refused:
        return f"NOT RUN: {refused}"
    office = Office(taxd, work)
    before = (office.data / "taxd.redb").read_bytes()
    moments = recorded(taxd, office, dice, work)
    events = parsed(work / "trace")
    syncs = sum(event.synced is not None for event in events)
    expect(syncs > 20, "many syncs", syncs)
    images, loose = 1_500 if is_long else 40, 0
    for number in range(images):
        cut = dice.randrange(1, len(events))
        image = work / "image"
        shutil.rmtree(image, ignore_errors=True)
        image.mkdir()
        content, unsynced = image_of(before, events[:cut], dice)
        loose += unsynced > 0
        (image / "taxd.redb").write_bytes(content)
        (work / "cut").write_text(f"{number}: {cut} of {len(events)} events, {unsynced} after the last sync")
        at = events[cut].at
        ledger = acknowledged(moments, at, office)
        ledger.check(taxd, image)
        moments[-1].ledger.calls.check(ledger.usage(taxd, image), at)
    last = moments[-1].ledger
    return (
        f"{images} images, {loose} of them with loose writes, of {len(events)} writes and syncs, all sound; of {last.said()} "
        f"and {last.calls.sent} calls nothing lost that was acknowledged"
    )


@dataclass
class Moment:
    """A change: when it was asked for, when it was acknowledged, and the ledger then."""

    asked_at: float
    done_at: float
    ledger: Ledger


def recorded(taxd, office, dice, work):
    """The changes of a server that strace records, in order."""
    strace = ["strace", "-f", "-qq", "-ttt", "-xx", "-s", "1000000000", "-e", "signal=none", "-o", str(work / "trace")]
    strace += ["-P", str(office.data / "taxd.redb"), "-e", "trace=pwrite64,ftruncate,fdatasync,fsync"]
    server = taxd.serve(office.data, before=strace)
    ledger, caller = Ledger(office), server.connect(office.key)
    moments, end, number = [], time.monotonic() + RECORDED_SECONDS, 0
    while time.monotonic() < end:
        asked_at = time.time()
        ledger.change(dice.choice(CHANGES), dice, lambda *arguments: taxd.do(office.data, *arguments))
        moments.append(Moment(asked_at, time.time(), ledger.copy()))
        for _ in range(20):
            number += 1
            ledger.calls.made_by(caller, number)
    server.stop()
    return moments


def parsed(trace):
    """The events of a trace, in order."""
    events, called = [], {}
    for line in trace.read_text().splitlines():
        thread, at, call = LINE.match(line).groups()
        at = float(at)
        if found := WRITE.match(call):
            content = bytes.fromhex(found["bytes"].replace("\\x", ""))
            events.append(Event(at, offset=int(found["offset"]), content=content))
        elif found := TRUNCATE.match(call):
            events.append(Event(at, length=int(found["length"])))
        elif SYNC.match(call):
            called[thread] = len(events)
            if "<unfinished" not in call:
                events.append(Event(at, synced=called[thread]))
        elif SYNC_RETURNED.match(call):
            events.append(Event(at, synced=called[thread]))
    return events


def image_of(before, events, dice):
    """A file that these events may have left, and how many writes after the last sync were called."""
    synced = max((event.synced for event in events if event.synced is not None), default=0)
    image = bytearray(before)
    for event in events[:synced]:
        apply(image, event, range(0, len(event.content), SECTOR))
    loose = [event for event in events[synced:] if event.synced is None]
    for event in dice.sample(loose, len(loose)):
        sectors = range(0, len(event.content), SECTOR)
        fate = dice.choice(["there", "absent", "torn"])
        if fate == "torn":
            apply(image, event, [start for start in sectors if dice.random() < 0.5])
        elif fate == "there":
            apply(image, event, sectors)
    return bytes(image), len(loose)


def apply(image, event, sectors):
    """Applies these sectors of a write, or a change of the length."""
    if event.length is not None:
        del image[event.length :]
        image.extend(bytes(event.length - len(image)))
    for start in sectors:
        part = event.content[start : start + SECTOR]
        at = event.offset + start
        image.extend(bytes(max(0, at + len(part) - len(image))))
        image[at : at + len(part)] = part


def acknowledged(moments, at, office):
    """The ledger at that moment; what was asked for and not yet acknowledged may be there or not."""
    done = [moment.ledger for moment in moments if moment.done_at < at]
    ledger = done[-1].copy() if done else Ledger(office)
    for moment in moments:
        if moment.asked_at < at <= moment.done_at:
            ledger.tried_imports |= moment.ledger.tried_imports
            for key in ledger.keys:
                if moment.ledger.keys[key] != ledger.keys[key]:
                    ledger.keys[key] = "unsure"
    return ledger
