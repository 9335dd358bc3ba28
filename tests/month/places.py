"""What each line of a written EFD belongs to, so that a finding has the document that it names."""

DOCUMENT = {"C100": 8, "D100": 9, "C800": 10}


def places(entries, plan):
    """(file, line) to (key, register), and (file, None) to the key of a document's file."""
    found = {}
    for document in plan.month.documents():
        found[document.file, None] = (document.key, "")
    services = {str(service.number): service.key for service in plan.month.services}
    for name, content in entries:
        if not name.startswith("efd-"):
            continue
        key = ""
        for line, text in enumerate(content.decode("iso-8859-1").splitlines(), 1):
            row = text.split("|")[1:-1]
            if not row:
                break
            register = row[0]
            if register in DOCUMENT:
                key = row[DOCUMENT[register]]
            elif register == "A100":
                key = services.get(row[7], "")
            elif register in ("D200", "C860") or register[0] not in "ACD" or register.endswith(("990", "001", "010")):
                key = ""
            found[name, line] = (key, register)
    return found
