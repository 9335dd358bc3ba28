"""The binary: its commands, and a server in a process of its own."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import time

# A server that has not started by then never will.
START_SECONDS = 30
STARTED = re.compile(r" started .*address=(\S+)")


class Failed(Exception):
    """Something that must be so is not."""


def expect(holds, what, *seen):
    """Fails with what was expected and what was seen."""
    if not holds:
        raise Failed(f"expected {what}" + "".join(f"\n  seen: {one}" for one in seen))


def can_trace():
    """Why strace cannot trace here; None if it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], capture_output=True, text=True)
    return None if tried.returncode == 0 else f"strace may trace nothing here: {tried.stderr.strip()}"


class Taxd:
    def __init__(self, binary):
        self.binary = str(binary)
        self.servers = []
        self.environment = {"PATH": os.environ["PATH"], "RUST_BACKTRACE": "1"}

    def begin(self, data, *arguments, before=()):
        """Begins a command on a data directory, traced by the command line `before` if there is one."""
        line = [*before, self.binary, *map(str, arguments), "--json", "--data", str(data)]
        return subprocess.Popen(line, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, data, *arguments, before=()):
        """Runs a command to its end: its exit status, its JSON document and what it wrote to stderr."""
        process = self.begin(data, *arguments, before=before)
        out, err = process.communicate(timeout=120)
        return process.returncode, json.loads(out) if out.strip() else None, err

    def do(self, data, *arguments):
        """Runs a command that must succeed; its document."""
        status, document, err = self.run(data, *arguments)
        expect(status == 0, f"`taxd {' '.join(map(str, arguments))}` to succeed", status, document, err)
        return document

    def serve(self, data, *arguments, before=()):
        return Server(self, data, arguments, before)

    def end(self):
        """Ends the servers that a failure has left."""
        for server in self.servers:
            if server.poll() is None:
                server.kill()
                server.wait()


class Server:
    """A running server. Its log is in the file server.log beside the data directory."""

    def __init__(self, taxd, data, arguments=(), before=()):
        self.is_ending = False
        self.log_path = data.parent / "server.log"
        self.log = open(self.log_path, "a+")
        # Before the server is there: it shares the file and its place in it.
        begin = self.log.seek(0, os.SEEK_END)
        line = [*before, taxd.binary, "serve", "--data", str(data), "--listen", "127.0.0.1:0", *arguments]
        began = time.monotonic()
        self.process = subprocess.Popen(line, env=taxd.environment, stdout=subprocess.DEVNULL, stderr=self.log)
        taxd.servers.append(self.process)
        with open(self.log_path) as written:
            written.seek(begin)
            said = ""
            while not (started := STARTED.search(said)):
                expect(time.monotonic() - began < START_SECONDS and self.process.poll() is None, "a start", said)
                said += written.read() or time.sleep(0.005) or ""
        # strace is the parent of what it traces.
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        self.pid = int(open(children).read().split()[0]) if before else self.process.pid
        self.start_seconds = time.monotonic() - began
        host, port = started[1].rsplit(":", 1)
        self.address = (host, int(port))

    def connect(self, key):
        return Caller(self.address, key)

    def status(self, name):
        """A figure of /proc/PID/status in KiB."""
        expect(self.process.poll() is None, "a server that lives", self.log_path.read_text()[-2000:])
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(name + ":"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def kill(self):
        self.is_ending = True
        os.kill(self.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def stop(self):
        """Stops it as an operator does; the seconds that it took."""
        began, self.is_ending = time.monotonic(), True
        os.kill(self.pid, signal.SIGTERM)
        status = self.process.wait(timeout=60)
        self.log.close()
        expect(status == 0, "a clean stop", status)
        return time.monotonic() - began


class Caller:
    """A connection that is kept, and the key of who calls."""

    def __init__(self, address, key):
        self.connection = http.client.HTTPConnection(*address, timeout=30)
        self.headers = {"X-API-Key": key, "Content-Type": "application/json"}

    def ask(self, method, path, body=None):
        """The status and the document of an answer."""
        self.connection.request(method, path, body and json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def calculate(self, number):
        """Calculates for a new amount; the status."""
        return self.ask("POST", "/v1/calculate", sale(number))[0]


def sale(number):
    amount = f"{1000 + number // 100}.{number % 100:02}"
    return {
        "tributo": "icms",
        "uf_origem": "SP",
        "uf_destino": "SP",
        "valor_produto": amount,
        "data_operacao": "2026-03-10",
    }


def rule(code, scope):
    """A rule of ICMS of 18 %."""
    return {
        "rule_code": code,
        "versao": "1.0",
        "tributo": "icms",
        "escopo": scope,
        "vigente_de": "2020-01-01",
        "citacao_legal": f"Lei de {code}",
        "motivo": "Figura não conferida.",
        "conteudo": {"aliquota": "18.00"},
    }


def bundle(name, rules):
    """The text of a bundle."""
    return json.dumps({"pacote": name, "versao": "1", "descricao": "Regras de teste", "regras": rules})


class Office:
    """A data directory with an account and a key. Its rules are the built-in ones, or the one that `sale` needs."""

    def __init__(self, taxd, work, builtin=False):
        self.data, self.work = work / "data", work
        first = work / "first.json"
        first.write_text(bundle("first", [rule("first", {"uf": "SP"})]))
        taxd.do(self.data, "import", "--builtin" if builtin else first)
        self.account = taxd.do(self.data, "account", "create", "Confiança", "--plan", "enterprise")["client_id"]
        made = taxd.do(self.data, "key", "create", "--account", self.account, "--kind", "live")
        self.key = made["key"]
