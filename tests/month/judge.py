"""Compares what taxd says with the faults that were planted."""

import shutil

import expected
from others import archive
from places import places
from results import (
    CERTAIN,
    Page,
    certain,
    command,
    in_text,
    rows_of,
    sheets_of,
    table_of,
)


class Judge:
    def __init__(self, binary, work, plan, entries):
        self.binary, self.work, self.plan, self.entries = binary, work, plan, entries
        self.places = places(entries, plan)
        self.rows = None

    def audit(self, *options):
        return command(self.binary, ["audit", "--empresa", "empresas.csv", *options, "mes"], cwd=self.work)

    def lines(self):
        if self.rows is None:
            out = self.audit("--format", "json")
            (self.work / "report.jsonl").write_bytes(out)
            self.rows = rows_of(out.decode().split("\n"))
        return self.rows

    def compare(self, found):
        """One line each fault that is missing, and each finding that no fault explains."""
        said, explained = [], set()
        for fault in self.plan.planted:
            must, may = expected.of(fault.kind)
            near = [finding for finding in found if self.is_of(finding, fault)]
            if not any(finding.name in must for finding in near):
                seen = sorted({finding.name for finding in near})
                said.append(f"missing: {fault}" + (f" (instead: {', '.join(seen)})" if seen else ""))
            explained.update(finding for finding in near if finding.name in must | may)
        said += [f"too much: {finding}" for finding in found if finding not in explained]
        return said

    @staticmethod
    def is_of(finding, fault):
        if fault.key:
            return finding.key == fault.key
        return finding.file == fault.file and not finding.key and finding.register[:2] == fault.register[:2]

    def json(self):
        return self.compare(certain(self.lines(), self.places))

    def text(self):
        report = self.audit().decode()
        (self.work / "report.txt").write_text(report)
        missing, more = in_text(report, self.lines())
        said = [f"not in the text: {row['arquivo']} {row['tributo']} {row['codigo']}" for row in missing]
        return said + ([f"the text has {more} certain lines more than JSON"] if more > 0 else [])

    def xlsx(self):
        shutil.rmtree(self.work / "sheets", ignore_errors=True)
        (self.work / "report.xlsx").write_bytes(self.audit("--format", "xlsx"))
        sheets = sheets_of(self.work / "report.xlsx", self.work)
        if sheets is None:
            return ["LibreOffice is not installed"]

        def of(row):
            return (row["arquivo"], row.get("código") or row.get("codigo"), row["tributo"], row["certeza"])

        table = [of(row) for row in table_of(sheets) if row["certeza"] in CERTAIN]
        wanted = [
            (row["arquivo"], row["codigo"], row["tributo"], row["certeza"])
            for row in self.lines()
            if row.get("certeza") in CERTAIN
        ]
        return differences(wanted, table)

    def page(self):
        page = Page(self.binary, self.work)
        try:
            content = archive([("mes/" + name, content) for name, content in self.entries])
            events = page.documents("mes.zip", content, (self.work / "empresas.csv").read_bytes())
        finally:
            page.stop()
        rows = [event["linha"] for event in events if "linha" in event]
        said = self.compare(certain(rows, self.places))
        if not any("fim" in event for event in events):
            said.append("the report has no end")
        return said


def differences(wanted, found):
    """What is in one list and not in the other."""
    said = [f"missing: {' '.join(map(str, one))}" for one in wanted if one not in found]
    said += [f"too much: {' '.join(map(str, one))}" for one in found if one not in wanted]
    if not said and len(wanted) != len(found):
        said.append(f"{len(found)} lines instead of {len(wanted)}")
    return said
