"""The rules that the README quotes as examples of the format, as the bundles have them now."""

import json
import re
from pathlib import Path

from bundle import BundleError, block, expand
from checks import rule_id

FENCE = re.compile(r"(?<=^```json\n)(.*?)(?=^```$)", re.S | re.M)
#: The members of a rule, in the order in which a reviewer reads them.
ORDER = ("rule_code", "versao", "tributo", "escopo", "vigente_de", "vigente_ate", "citacao_legal", "fonte", "avisos",
         "motivo", "conteudo", "exemplos")


def rules_of(bundle):
    """Every rule of a bundle in full, those of the tables with their own examples."""
    yield from bundle.regras
    for table in bundle.tabelas:
        for entry in expand(table):
            shown = [{name: value for name, value in example.items() if name != "rule_id"}
                     for example in table["exemplos"] if example["rule_id"] == rule_id(entry)]
            whole = entry | {"exemplos": shown}
            yield {name: whole[name] for name in ORDER if name in whole}


def update(folder, bundles):
    """Rewrites every quoted rule of the folder's README; a folder without README is left alone."""
    readme = Path(folder) / "README.md"
    if not readme.exists():
        return
    published = {rule_id(entry): entry for bundle in bundles for entry in rules_of(bundle)}

    def current(found):
        quoted = rule_id(json.loads(found.group()))
        if quoted not in published:
            raise BundleError(f"the README quotes {quoted}, which no bundle has")
        return block(published[quoted], 0, top=True) + "\n"

    text = readme.read_text(encoding="utf-8")
    readme.write_text(FENCE.sub(current, text), encoding="utf-8")
