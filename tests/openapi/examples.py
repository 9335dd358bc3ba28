"""Holds every example of a description against its schema: `examples.py FILE`."""

import json
import sys

from openapi_schema_validator import OAS31Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

document = json.load(open(sys.argv[1], encoding="utf-8"))
registry = Registry().with_resource("urn:taxd", Resource.from_contents(document, default_specification=DRAFT202012))


def resolved(value):
    while "$ref" in value:
        link = value["$ref"]
        value = document
        for part in link.removeprefix("#/").split("/"):
            value = value[part]
    return value


def absolute(value):
    """The same schema with references that hold outside of the document."""
    if isinstance(value, dict):
        return {k: "urn:taxd" + v if k == "$ref" else absolute(v) for k, v in value.items()}
    return [absolute(item) for item in value] if isinstance(value, list) else value


checked, faults = 0, []


def visit(value, place):
    global checked
    if isinstance(value, list):
        for index, item in enumerate(value):
            visit(item, f"{place}/{index}")
        return
    if not isinstance(value, dict):
        return
    if "schema" in value and "examples" in value:
        validator = OAS31Validator(absolute(value["schema"]), registry=registry)
        for name, example in value["examples"].items():
            checked += 1
            for error in validator.iter_errors(resolved(example)["value"]):
                faults.append(f"{place}: {name}: {error.json_path}: {error.message}")
    for name, inner in value.items():
        visit(inner, f"{place}/{name}")


visit(document, "#")
print(f"{checked} examples held against their schemas")
for fault in faults:
    print(fault)
sys.exit(1 if faults or checked < 100 else 0)
