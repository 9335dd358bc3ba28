"""Turns the source tables into rule bundles: python3 rulesets/converter SOURCE_DIR OUT_DIR."""

import sys
from collections import Counter
from pathlib import Path

import cbs_ibs
import coverage
import estadual
import icms_interestadual
import ipi
import municipal
import pis_cofins
import quotes
from bundle import BundleError, leaves
from checks import check, check_ties, check_versions
from fontes import check_found, complete

AREAS = (icms_interestadual, ipi, pis_cofins, cbs_ibs, estadual, municipal)


def has_null(value):
    """Whether a rule's content lacks a figure; the open end of the last bracket is not one."""
    return any(leaf is None for name, leaf in leaves(value) if name != "ate")


def main(source, target):
    """Builds and checks every bundle, alone and together, before the first one is written."""
    bundles = {}
    for area in AREAS:
        bundles |= area.build(Path(source))
    for bundle in bundles.values():
        for part in (*bundle.regras, *bundle.tabelas):
            complete(part)
        check(bundle)
    every_rule = [entry for bundle in bundles.values() for entry in bundle.rules()]
    check_versions(every_rule)
    check_ties(every_rule)
    check_found(every_rule)
    for name, bundle in bundles.items():
        bundle.write(Path(target) / name)
        counts = Counter((entry["tributo"], has_null(entry["conteudo"])) for entry in bundle.rules())
        print(name)
        for (tributo, null), number in sorted(counts.items()):
            print(f"  {tributo:9} {'without figure' if null else 'answered':15} {number:6}")
    quotes.update(target, bundles.values())
    coverage.update(target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 rulesets/converter SOURCE_DIR OUT_DIR")
    try:
        main(*sys.argv[1:])
    except (BundleError, ValueError) as error:
        sys.exit(f"refused, nothing written: {error}")
