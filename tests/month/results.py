"""What taxd says of a folder: in JSON, as text, in a spreadsheet, and on the page."""

import csv
import http.client
import json
import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass

CERTAIN = ("erro_do_documento", "regra_plena")
# As the report for people says it.
WORDS = {"erro_do_documento": "erro do documento", "regra_plena": "divergência com regra plena"}
STARTED = re.compile(r" started .*address=(\S+)")


@dataclass(frozen=True)
class Finding:
    """A line that is certain. `key` is the document's, of a line of an EFD what that line belongs to."""

    file: str
    key: str
    register: str
    layer: str
    tax: str
    code: str
    detail: str

    @property
    def name(self):
        return f"{self.layer}/{self.code}"

    def __str__(self):
        return " ".join(
            part for part in (self.name, self.tax, self.register, self.key, self.file, self.detail[:160]) if part
        )


class Failed(Exception):
    """Something that must be so is not."""


def command(binary, arguments, **options):
    """Runs taxd to its end; its exit status is 0 or 1."""
    environment = {"PATH": os.environ["PATH"], "RUST_BACKTRACE": "1"}
    done = subprocess.run([binary, *arguments], env=environment, capture_output=True, timeout=600, **options)
    if done.returncode not in (0, 1) or not done.stdout:
        raise Failed(f"taxd {' '.join(arguments)}: exit {done.returncode}: {done.stderr.decode()[-2000:]}")
    return done.stdout


def rows_of(lines):
    return [json.loads(line) for line in lines if line.strip()]


def certain(rows, places, root="mes/"):
    """The certain findings of lines of JSON. `places` says of which document and register a line of a file is."""
    found = []
    for row in rows:
        if row.get("certeza") not in CERTAIN:
            continue
        file = row["arquivo"].rsplit(root, 1)[-1]
        key, register = places.get((file, row.get("linha")), places.get((file, None), ("", "")))
        found.append(
            Finding(
                file,
                key,
                row.get("registro") or register,
                row["camada"],
                row["tributo"],
                row["codigo"],
                row.get("detalhe") or "",
            )
        )
    return found


def in_text(report, rows):
    """Lines of JSON that the report for people does not have as certain, and how many more it has."""
    lines = [line for line in report.splitlines() if line.startswith("mes/")]
    listed = [line for line in lines if any(f"({words})" in line for words in WORDS.values())]
    sure = [row for row in rows if row.get("certeza") in CERTAIN]
    missing = [
        row
        for row in sure
        if not any(
            row["arquivo"] in line and (row["detalhe"] or "") in line and f"({WORDS[row['certeza']]})" in line
            for line in listed
        )
    ]
    return missing, len(listed) - len(sure)


def sheets_of(workbook, directory):
    """The worksheets of an XLSX as LibreOffice reads it: names and rows."""
    office = shutil.which("soffice") or shutil.which("libreoffice")
    if office is None:
        return None
    # All worksheets, comma, quotes, UTF-8.
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
    subprocess.run(
        [
            office,
            f"-env:UserInstallation=file://{directory}/office",
            "--headless",
            "--convert-to",
            form,
            "--outdir",
            str(directory / "sheets"),
            str(workbook),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    found = {}
    for path in sorted((directory / "sheets").glob("*.csv")):
        with open(path, newline="", encoding="utf-8-sig") as written:
            found[path.stem.split("-", 1)[-1]] = list(csv.reader(written))
    return found


def table_of(sheets):
    """The lines of the worksheet that has a line each item and tax."""
    for name, rows in sheets.items():
        for place, head in enumerate(rows[:5]):
            names = [cell.strip().lower() for cell in head]
            if "certeza" in names and ("código" in names or "codigo" in names):
                return [dict(zip(names, row)) for row in rows[place + 1 :]]
    raise Failed(f"no worksheet has a line each: {list(sheets)}")


class Page:
    """A server with an account, and what its page says of uploaded files."""

    def __init__(self, binary, work):
        self.binary, self.data = binary, work / "data"
        self.log = open(work / "server.log", "w+")
        account = self._do("account", "create", "Mes", "--plan", "enterprise")["client_id"]
        self.key = self._do("key", "create", "--account", account, "--kind", "live")["key"]
        self.process = subprocess.Popen(
            [binary, "serve", "--data", str(self.data), "--listen", "127.0.0.1:0"],
            stdout=subprocess.DEVNULL,
            stderr=self.log,
            env={"PATH": os.environ["PATH"]},
        )
        self.address = self._started()

    def _do(self, *arguments):
        done = subprocess.run(
            [self.binary, *arguments, "--json", "--data", str(self.data)],
            capture_output=True,
            env={"PATH": os.environ["PATH"]},
            timeout=120,
        )
        if done.returncode:
            raise Failed(f"taxd {' '.join(arguments)}: {done.stderr.decode()[-2000:]}")
        return json.loads(done.stdout)

    def _started(self):
        for _ in range(600):
            with open(self.log.name) as written:
                if said := STARTED.search(written.read()):
                    return said[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise Failed(f"the server does not start: {open(self.log.name).read()[-2000:]}")

    def documents(self, name, content, companies):
        """The events of the report of a file and what is said of the companies."""
        edge = "----edgeOfTheMadeMonth"
        parts = [
            f'--{edge}\r\nContent-Disposition: form-data; name="empresa"\r\n\r\n'.encode(),
            companies,
            b"\r\n",
            f'--{edge}\r\nContent-Disposition: form-data; name="arquivo"; filename="{name}"\r\n'
            "Content-Type: application/zip\r\n\r\n".encode(),
            content,
            f"\r\n--{edge}--\r\n".encode(),
        ]
        asked = http.client.HTTPConnection(self.address, timeout=300)
        asked.request(
            "POST",
            "/sandbox/v1/documentos",
            b"".join(parts),
            {"X-API-Key": self.key, "Content-Type": f"multipart/form-data; boundary={edge}"},
        )
        answer = asked.getresponse()
        body = answer.read().decode()
        if answer.status != 200:
            raise Failed(f"the page answers {answer.status}: {body[:1000]}")
        return rows_of(body.split("\n"))

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.log.close()
