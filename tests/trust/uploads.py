"""Files and long tables that accounts send and read to the harm of others: another account's list still comes soon, the
server stays small, and a slow reader gets its whole answer. The same files on the command line."""

import gzip
import io
import os
import socket
import subprocess
import sys
import threading
import time
import zipfile

from taxd import Office, expect

# How long a list of 100 rows may take beside an attack, and the memory that the guide asks for.
SOON_SECONDS = 2
MOST_KIB = 200 * 1024
# A reader that reads this much a second gets all of its answer.
LEAST_RATE = 16 * 1024
MANY_ROWS = 90_000
SLOW_ROWS = 30_000
LONGEST_FILE = 16 << 20
HEADER = b"uf_origem;uf_destino;valor_produto;data_operacao\n"
ROW = b"SP;SP;1000,00;10/03/2026\n"
# Runs a command and writes its largest resident memory. The kernel counts a parent's memory for its child until the child
# begins another program, so the parent must be small.
MEASURED = (
    "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL); "
    "print('most KiB', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)"
)
LISTA = "/sandbox/v1/lista?tributo=icms"


def run(taxd, work, dice, is_long):
    office = Office(taxd, work, builtin=True)
    accounts = [Account(taxd, office.data, f"Conta {number}") for number in range(8)]
    said = []
    # Beside everything else: two readers that are slow for longer than a reader is watched.
    server = taxd.serve(office.data)
    slow = [SlowReader(server, account.key, rate) for account, rate in zip(accounts[6:], (LEAST_RATE, 80 * 1024))]
    for attack in (tables, senders, readers):
        slowest = 0
        with attack(server, accounts[:6]):
            for _ in range(3):
                slowest = max(slowest, short_list(server, office.key))
        expect(slowest < SOON_SECONDS, f"{attack.__name__}: a list of 100 rows in {SOON_SECONDS} s", slowest)
        said.append(f"{attack.__name__}: {slowest * 1000:.0f} ms")
    for reader in slow:
        said.append(reader.end())
    most = server.status("VmHWM")
    server.stop()
    expect(most < MOST_KIB, f"places: at most {MOST_KIB} KiB", most)
    said.append(f"{most // 1024} MiB")
    for name, path, body, count in expanding():
        server = taxd.serve(office.data)
        answers = at_once(server, accounts[:count], path, body)
        most = server.status("VmHWM")
        server.stop()
        expect(most < MOST_KIB, f"{name}: at most {MOST_KIB} KiB", most)
        expect(all(answer.status in (200, 422, 503) for answer in answers), f"{name}: answers", answers)
        said.append(f"{name}: {most // 1024} MiB")
    server = taxd.serve(office.data)
    one_byte_too_many(server, office.key)
    server.stop()
    said += command_line(taxd, work)
    return "; ".join(said)


class Account:
    def __init__(self, taxd, data, name):
        made = taxd.do(data, "account", "create", name, "--plan", "enterprise")
        self.key = taxd.do(data, "key", "create", "--account", made["client_id"], "--kind", "live")["key"]


class Upload:
    """A connection that has sent a file, or its beginning."""

    def __init__(self, server, key, path, body, length=None, buffer=None):
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(120)
        self.socket.connect(server.address)
        length = len(body) if length is None else length
        head = f"POST {path} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {key}\r\nContent-Length: {length}\r\n\r\n"
        self.socket.sendall(head.encode() + body)
        self.status = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def __repr__(self):
        return f"answer {self.status}"

    def read(self):
        """Reads the answer to its end. Its bytes, with those of its framing."""
        received = bytearray()
        while not whole(received):
            part = self.socket.recv(1 << 20)
            if not part:
                break
            received += part
        self.status = int(received.split(b" ", 2)[1])
        return bytes(received)


def whole(received):
    head, end, body = received.partition(b"\r\n\r\n")
    if not end:
        return False
    head = head.lower()
    if b"content-length: " in head:
        return len(body) >= int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
    return received.endswith(b"\r\n0\r\n\r\n")


def short_list(server, key):
    """The seconds that a list of 100 rows takes."""
    began = time.monotonic()
    with Upload(server, key, LISTA, HEADER + ROW * 100) as asked:
        answer = asked.read()
    expect(asked.status == 200 and b'"calculadas":100' in answer, "a list of 100 rows", answer[-500:])
    return time.monotonic() - began


class Attack:
    """Connections of several accounts, made in a thread each and closed at the end."""

    def __init__(self, server, accounts, open_one):
        self.opened = []
        threads = [threading.Thread(target=lambda key=one.key: self.opened.append(open_one(server, key))) for one in accounts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # The work has begun.
        time.sleep(0.5)

    def __enter__(self):
        return self.opened

    def __exit__(self, *_):
        for one in self.opened:
            one.socket.close()


def tables(server, accounts):
    """7.9 million cells in 0.12 MB, from two accounts."""
    columns = 100
    head = '{"colunas":[' + ",".join(['{"nome":"A"}'] * columns) + "]}\n"
    row = "[" + ",".join(['"1"'] * columns) + "]\n"
    body = gzip.compress((head + row * 79_000).encode())
    return Attack(server, accounts[:2], lambda server, key: Upload(server, key, "/sandbox/v1/planilha", body))


def senders(server, accounts):
    """A kilobyte of sixteen megabytes, from four accounts."""
    begun = HEADER + ROW * 40
    return Attack(server, accounts[:4], lambda server, key: Upload(server, key, LISTA, begun, LONGEST_FILE))


def readers(server, accounts):
    """Lists of 90,000 rows that six accounts do not read."""
    body = HEADER + ROW * MANY_ROWS
    return Attack(server, accounts, lambda server, key: Upload(server, key, LISTA, body))


class SlowReader:
    """Reads a list of some megabytes slowly for longer than three times as long as the rate is measured over, then to its
    end."""

    SECONDS = 100

    def __init__(self, server, key, rate):
        self.rate, self.failure, self.size = rate, None, 0
        self.asked = Upload(server, key, LISTA, HEADER + ROW * SLOW_ROWS)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        try:
            began, received = time.monotonic(), bytearray()
            while time.monotonic() - began < self.SECONDS:
                part = self.asked.socket.recv(self.rate // 2)
                if not part:
                    break
                received += part
                time.sleep(max(0, began + len(received) / self.rate - time.monotonic()))
            while part := self.asked.socket.recv(1 << 20):
                received += part
                if received.endswith(b"\r\n0\r\n\r\n"):
                    break
            self.size, self.tail = len(received), bytes(received[-400:])
        except OSError as failure:
            self.failure = failure

    def end(self):
        self.thread.join()
        name = f"a reader of {self.rate // 1024} KiB a second"
        expect(self.failure is None and b'"total"' in self.tail, f"{name}: the whole answer", self.failure, self.size)
        self.asked.socket.close()
        return f"{name}: all of {self.size / 1e6:.1f} MB"


def workbook(strings):
    links = '<Relationships><Relationship Id="a" Type="x/worksheet" Target="s.xml"/><Relationship Id="b" Type="x/sharedStrings" Target="t.xml"/></Relationships>'
    root = '<Relationships><Relationship Id="r" Type="x/officeDocument" Target="w.xml"/></Relationships>'
    book = '<workbook><sheets><sheet name="A" id="a"/></sheets></workbook>'
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        parts = {"_rels/.rels": root, "_rels/w.xml.rels": links, "w.xml": book, "s.xml": "<worksheet/>", "t.xml": strings}
        for name, text in parts.items():
            archive.writestr(name, text)
    return written.getvalue()


def note(items):
    """An NF-e of so many items."""
    item = (
        '<det nItem="{}"><prod><cProd>P1</cProd><NCM>39269090</NCM><CFOP>5102</CFOP><qCom>10.0000</qCom>'
        "<vUnCom>100.00</vUnCom><vProd>1000.00</vProd></prod><imposto><ICMS><ICMS00><orig>0</orig><CST>00</CST>"
        "<modBC>3</modBC><vBC>1000.00</vBC><pICMS>18.00</pICMS><vICMS>180.00</vICMS></ICMS00></ICMS>"
        "<PIS><PISAliq><CST>01</CST><vBC>820.00</vBC><pPIS>1.65</pPIS><vPIS>13.53</vPIS></PISAliq></PIS>"
        "<COFINS><COFINSAliq><CST>01</CST><vBC>820.00</vBC><pCOFINS>7.60</pCOFINS><vCOFINS>62.32</vCOFINS></COFINSAliq></COFINS>"
        "</imposto></det>"
    )
    head = (
        '<nfeProc><NFe><infNFe Id="NFe35250311222333000181550010000000011000000017"><ide><cUF>35</cUF><mod>55</mod>'
        "<nNF>1</nNF><serie>1</serie><dhEmi>2025-03-10T10:00:00-03:00</dhEmi><idDest>1</idDest></ide>"
        "<emit><CNPJ>11222333000181</CNPJ><enderEmit><UF>SP</UF></enderEmit><CRT>3</CRT></emit>"
        "<dest><enderDest><UF>SP</UF></enderDest><indIEDest>1</indIEDest></dest>"
    )
    return (head + "".join(item.format(number) for number in range(1, items + 1)) + "</infNFe></NFe></nfeProc>").encode()


def expanding():
    """Files that cost many times their bytes: a name, where they are sent, the file, and from how many accounts."""
    yield "texts by the million", LISTA, workbook("<sst>" + "<si/>" * 3_999_000 + "</sst>"), 2
    for size in (1, 4, 8, 16):
        yield f"a row of {size} MiB", LISTA, b"a;" * (size << 19), 4
    for items in (2_900, 4_900):
        yield f"a note of {items} items", "/sandbox/v1/documentos", note(items), 4


def at_once(server, accounts, path, body):
    """The file from each account at the same time, with the answers read."""
    answers = []

    def ask(key):
        with Upload(server, key, path, body) as asked:
            asked.read()
            answers.append(asked)

    threads = [threading.Thread(target=ask, args=(account.key,)) for account in accounts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(len(answers) == len(accounts), "as many answers as files", answers)
    return answers


def one_byte_too_many(server, key):
    """A client that writes all of its file before it reads is told that the file is too large."""
    with Upload(server, key, LISTA, b"x" * (LONGEST_FILE + 1)) as asked:
        asked.read()
    expect(asked.status == 413, "413 for a file of a byte too many", asked)


def command_line(taxd, work):
    """Files that cost the command line too much memory."""
    long_line = work / "line.csv"
    long_line.write_bytes(b"codigo_ibge;codigo_servico;aliquota;dt_ini;dt_fim\n" + b"a;" * (20 << 20))
    strings = work / "strings.xlsx"
    strings.write_bytes(workbook("<sst>" + f"<si><t>{'x' * 900}</t></si>" * 400_000 + "</sst>"))
    wide = work / "wide.csv"
    wide.write_bytes(b"a;" * (8 << 20))
    pipe = work / "pipe"
    os.mkfifo(pipe)
    out = work / "out.json"
    said = []
    for arguments, told in [
        (["bundle", "from", "iss-nacional", long_line, "--out", out], "a line of more than 64 KiB"),
        (["audit", "/dev/zero"], "arquivo_grande_demais"),
        (["audit", pipe], "it is a named pipe"),
        (["calc", "/dev/zero"], "more than 1 MiB"),
        (["calc", pipe], "it is a named pipe"),
        (["calc", "--tributo", "icms", strings], "passam de 64 MiB"),
        (["calc", "--tributo", "icms", wide], "mais de 16384 colunas"),
    ]:
        line = [sys.executable, "-c", MEASURED, taxd.binary, *map(str, arguments)]
        done = subprocess.run(line, cwd=work, env=taxd.environment, capture_output=True, text=True, errors="replace")
        output, _, most = done.stdout.rpartition("most KiB ")
        name, most, output = " ".join(map(str, arguments[:2])), int(most), output + done.stderr
        expect(done.returncode == 1, f"{name}: exit status 1", done.returncode, output[-500:])
        expect(told in output, f"{name}: {told}", output[-500:])
        expect(most < MOST_KIB, f"{name}: at most {MOST_KIB} KiB", most)
        said.append(f"{name}: {most // 1024} MiB")
    return said
