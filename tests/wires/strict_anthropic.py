"""Tests whether Anthropic's own client accepts the strict forms of tool-runtime, and leaves them unchanged.

    pip install -r requirements.txt
    python strict_anthropic.py [--verbose]

The client prepares each schema with `anthropic.transform_schema`: it removes or rewrites what the server does not
accept. A schema that needs no change keeps every keyword. The tools are those of `tests/engines`: the shapes of
`tests/agreement`, the reviewed tools of `tests/schema_forms`, and every type of number. Exits with 1 if the client
changes or rejects a form, if a form is not a valid JSON Schema, or if a form has a keyword that is not documented as
accepted.
"""

import argparse
import copy
import json
import pathlib
import subprocess
import sys

import anthropic
import jsonschema

ENGINES = pathlib.Path(__file__).parent.parent / "engines" / "Cargo.toml"

KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "minItems", "enum", "const", "anyOf"}
KEYWORDS |= {"$defs", "$ref", "format", "description"}
"""https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations"""

EXAMPLES = [
    {"type": "integer", "minimum": 1},
    {"$ref": "#/$defs/A", "description": "A.", "$defs": {"A": {"type": "string"}}},
    {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
    {"type": ["string", "null"]},
    {"type": "string", "enum": ["a"]},
    {"oneOf": [{"type": "string"}]},
]
"""Schemas that the client must change or reject: otherwise the test is void."""


def forms():
    command = ["cargo", "run", "--quiet", "--manifest-path", ENGINES, "--", "schemas"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    all_forms = map(json.loads, done.stdout.splitlines())
    return [form for form in all_forms if form["form"] == "anthropic"]


def schemas(schema):
    """The schema and its subschemas."""
    yield schema
    parts = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", [])]
    parts += [schema["items"]] if "items" in schema else []
    for part in parts:
        yield from schemas(part)


def problem(schema):
    """Returns why the client or the server would not take the schema as it is, or None."""
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
        transformed = anthropic.transform_schema(copy.deepcopy(schema))
    except (AssertionError, ValueError, jsonschema.SchemaError) as error:
        return f"rejected: {error}"
    # Objects are equal in any order of their keys.
    if transformed != schema:
        return f"changed to {json.dumps(transformed)}"
    unknown = {keyword for part in schemas(schema) for keyword in part} - KEYWORDS
    return f"has {sorted(unknown)}" if unknown else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verbose", action="store_true", help="print every schema")
    arguments = parser.parse_args()
    for example in EXAMPLES:
        if problem(example) is None:
            sys.exit(f"the client does not change {json.dumps(example)}: the test is void")
    failed, checked = 0, forms()
    for form in checked:
        why = problem(form["parameters"])
        failed += why is not None
        if why or arguments.verbose:
            print(f"{form['tool']}: {json.dumps(form['parameters'])}\n    {why or 'unchanged'}")
    print(f"anthropic {anthropic.__version__}: {len(checked) - failed} of {len(checked)} schemas unchanged")
    sys.exit(1 if failed or not checked else 0)


if __name__ == "__main__":
    main()
