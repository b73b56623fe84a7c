"""Tests whether grammar engines accept the schemas of tool-runtime, and whether the tools accept generated calls.

    pip install -r requirements.txt
    pip install --no-deps -r requirements-no-deps.txt
    python engines.py [--calls 4] [--verbose]

Counts the schemas that each engine accepts, and prints a line for each rejected schema. Then llama.cpp generates calls
under the grammars of the schemas: counts the calls that the tools accept, and the causes of the rejected ones. Exits
with 1 if an engine rejects a schema that is not in `KNOWN`, or a tool rejects a call without a cause in `CAUSES`.
"""

import argparse
import collections
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import urllib.error
import urllib.request

import tiny_model

FOLDER = pathlib.Path(__file__).parent

PATTERN_KEYS = "outlines does not support `additionalProperties: false` next to `patternProperties`"
ONLY_A_DESCRIPTION = "outlines does not support a schema that has only a description"
KNOWN = {
    ("outlines_core", "addresses"): "outlines does not support `format: ipv4`",
    ("outlines_core", "map_of_integers"): PATTERN_KEYS,
    ("outlines_core", "map_of_signed"): PATTERN_KEYS,
    ("outlines_core", "g_maps"): PATTERN_KEYS,
    ("outlines_core", "reference_to_nothing_13"): ONLY_A_DESCRIPTION,
    ("outlines_core", "keywords_without_grammar_21"): ONLY_A_DESCRIPTION,
}
"""The reason why an engine rejects the schema of a tool, in any form."""

FORMATTED = ["address", "addresses", "date", "date_time", "event", "link", "local_date_time", "time_of_day", "unique_id"]
LIMITED = ["constrained", "h_constraints", "narrowed"]
CAUSES = [
    ("the text of a format, which only the decoder validates", r"", FORMATTED),
    ("the order of a mixed tuple", r"\[\d\]`: expected ", ["tuple", "tuple_struct", "i_lists", "nested"]),
    ("the order of a mixed tuple", r"Tuple\[\d\]`: expected ", ["externally_tagged", "several"]),
    ("a limit that llama.cpp ignores", r"expected a number .*(less|from|least)|a multiple of|that matches", LIMITED),
    ("a length, which is only in the description of a strict schema", r"expected a (character|string of )", ["letter", *LIMITED]),
    ("unique items, which are only in the description of a set", r"an equal item is in the list", ["set", "set_of_text", "set_of_lists"]),
    ("the range of an integer type, which only the decoder knows", r"expected an integer (from -?\d+ to|of at least)", None),
    ("the range of an integer type, which only the decoder knows", r"expected an object with .*, got an object\.", ["untagged_structs"]),
    ("a number beyond the range of floats", r"number out of range|got number `-?inf`", None),
]
"""Causes for which a tool may reject a call that the grammar accepts: the cause, a pattern of the error, the tools."""

MAX_TOKENS = 1000
"""A longer call counts as unfinished."""


def cargo(command, lines=None):
    """Runs the program of this folder, and returns the JSON values that it prints, one per line."""
    text = "\n".join(json.dumps(line) for line in lines) if lines is not None else None
    run = ["cargo", "run", "--quiet", "--manifest-path", FOLDER / "Cargo.toml", "--", command]
    done = subprocess.run(run, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def xgrammar():
    # xgrammar imports large packages for tensors and tokenizers. Stubs replace them, since they are not needed here;
    # `tvm_ffi` is imported before the stubs, and then works without tensors.
    import tvm_ffi  # noqa: F401

    for package in ["torch", "transformers"]:
        stub = types.ModuleType(package)
        stub.__getattr__ = lambda _name: type("Absent", (), {"__init__": lambda *_, **__: None})
        sys.modules[package] = stub
    import xgrammar

    def ask(_tool, schema):
        xgrammar.Grammar.from_json_schema(json.dumps(schema))

    return ask


def outlines():
    from outlines_core.json_schema import build_regex_from_schema

    return lambda _tool, schema: build_regex_from_schema(json.dumps(schema))


class LlamaCpp:
    """A llama.cpp server with a model of random weights."""

    def __init__(self):
        import xllamacpp

        parameters = xllamacpp.CommonParams()
        self.model = tempfile.NamedTemporaryFile(suffix=".gguf")
        tiny_model.write(self.model.name)
        parameters.model.path = self.model.name
        parameters.n_ctx = 32768
        parameters.n_parallel = 1
        parameters.use_jinja = True
        parameters.warmup = False
        parameters.verbosity = -1
        # A model of this size is slower on several threads.
        parameters.cpuparams.n_threads = 1
        parameters.cpuparams_batch.n_threads = 1
        parameters.chat_template = (FOLDER / "template.jinja").read_text(encoding="utf-8")
        self.server = xllamacpp.Server(parameters)

    def complete(self, tool, schema, **options):
        body = {
            "messages": [{"role": "user", "content": "Go."}],
            "tools": [{"type": "function", "function": {"name": tool, "parameters": schema}}],
            "tool_choice": "required",
            **options,
        }
        headers = {"content-type": "application/json"}
        url = f"{self.server.listening_address}/v1/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise ValueError(json.loads(error.read())["error"]["message"]) from None
        except TimeoutError:
            raise ValueError("no answer within a minute") from None

    def ask(self, tool, schema):
        # After an error in a grammar, llama.cpp generates without a grammar, and then rejects the output.
        self.complete(tool, schema, max_tokens=1, seed=1)

    def call(self, tool, schema, seed):
        """Returns the arguments of one random call, or None if it is unfinished."""
        token = lambda letters: [[tiny_model.BYTE_OFFSET + byte, 3.0] for byte in letters.encode()]
        # The bias ends strings, arrays and objects sooner, and excludes bytes that are not ASCII.
        bias = token('"]}') + [[tiny_model.BYTE_OFFSET + byte, -100.0] for byte in range(0x80, 0x100)]
        sampling = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "seed": seed}
        try:
            reply = self.complete(tool, schema, max_tokens=MAX_TOKENS, logit_bias=bias, **sampling)
        except ValueError:
            return None
        choice = reply["choices"][0]
        calls = choice["message"].get("tool_calls") or []
        return calls[0]["function"]["arguments"] if calls and choice["finish_reason"] != "length" else None


def openai_strict(_tool, schema):
    """Fails if OpenAI's own client changes a strict schema; the order of `required` has no meaning."""
    from openai.lib._pydantic import _ensure_strict_json_schema

    def is_equal(a, b):
        if isinstance(a, dict) and isinstance(b, dict):
            return a.keys() == b.keys() and all(
                sorted(a[key]) == sorted(b[key]) if key == "required" and isinstance(a[key], list)
                else is_equal(a[key], b[key])
                for key in a
            )
        if isinstance(a, list) and isinstance(b, list):
            return len(a) == len(b) and all(map(is_equal, a, b))
        return a == b

    transformed = copy.deepcopy(schema)
    transformed = _ensure_strict_json_schema(transformed, path=(), root=transformed)
    if not is_equal(transformed, schema):
        raise ValueError(f"the client changes it to {json.dumps(transformed)}")


def first_line(error):
    return str(error).strip().splitlines()[0][:150]


def table(forms, engines):
    """Passes every schema to every engine; returns the number of results that differ from `KNOWN`."""
    unknown = 0
    for name, ask in engines.items():
        rejected = []
        for form in forms:
            try:
                ask(form["tool"], form["parameters"])
            except Exception as error:  # noqa: BLE001, each engine has its own exceptions
                reason = KNOWN.get((name, form["tool"]))
                unknown += reason is None
                rejected.append(f"    {form['tool']} ({form['form']}): {first_line(error)}: {reason or 'UNKNOWN'}")
        print(f"{name}: {len(forms) - len(rejected)} of {len(forms)} schemas accepted")
        print("\n".join(rejected), end="\n" if rejected else "")
        for tool in {tool for engine, tool in KNOWN if engine == name}:
            if not any(line.startswith(f"    {tool} ") for line in rejected):
                print(f"    {tool}: accepted, although it is listed as rejected")
                unknown += 1
    return unknown


def calls(forms, llama, count, verbose):
    """Lets llama.cpp generate calls; returns how many are rejected without a known cause, or unfinished if most are."""
    generated, unfinished = [], 0
    for form in forms:
        # The shapes contain each number type already. The rules of foreign definitions are in their descriptions.
        for seed in range(0 if form["is_number"] or form["form"] == "foreign" else count):
            arguments = llama.call(form["tool"], form["parameters"], seed)
            unfinished += arguments is None
            if arguments is not None:
                generated.append({"tool": form["tool"], "arguments": arguments, "form": form["form"]})
    causes, rejected, unknown = collections.Counter(), 0, 0
    for call, message in zip(generated, cargo("judge", generated)):
        if message is None:
            continue
        rejected += 1
        # `invalid arguments for `x`: problem; problem`
        problems = message.split(": ", 1)[1].split("; ")
        found = {cause_of(call["tool"], problem) for problem in problems}
        causes.update(found)
        unknown += None in found
        if None in found or verbose:
            text = re.sub(r"\s+", " ", call["arguments"])
            print(f"    {call['tool']} ({call['form']}): {text[:150]}\n        {message[:250]}")
    print(f"calls: {len(generated)} generated, {len(generated) - rejected} accepted ({unfinished} unfinished)")
    for cause, number in causes.most_common():
        print(f"    {number}: {cause or 'UNKNOWN'}")
    return unknown + (unfinished if unfinished > len(generated) else 0)


def cause_of(tool, problem):
    for cause, pattern, tools in CAUSES:
        if (tools is None or tool in tools) and re.search(pattern, problem):
            return cause
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=4, help="calls to generate for each schema")
    parser.add_argument("--verbose", action="store_true", help="print every call that is rejected")
    arguments = parser.parse_args()
    # Only Anthropic's servers get their form; `tests/wires/strict_anthropic.py` checks it.
    forms = [form for form in cargo("schemas") if form["form"] != "anthropic"]
    llama = LlamaCpp()
    try:
        llama.ask("nothing", {"type": "object", "properties": {"value": {"anyOf": []}}, "required": ["value"]})
        sys.exit("llama.cpp accepts a grammar that it cannot parse: the test is void")
    except ValueError:
        pass
    unknown = table(forms, {"xgrammar": xgrammar(), "outlines_core": outlines(), "llama.cpp": llama.ask})
    strict = [form for form in forms if form["form"] == "openai"]
    unknown += table(strict, {"the openai client, strict": openai_strict})
    unknown += calls(forms, llama, arguments.calls, arguments.verbose)
    sys.exit(1 if unknown else 0)


if __name__ == "__main__":
    main()
