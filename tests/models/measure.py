"""Measures how often a real model corrects a call after the error message of the library.

    pip install -r requirements.txt
    TOOL_MODEL=model.gguf python measure.py [--cases 66] [--kinds unknown_tool,..] [--wordings message,..] [--verbose]

The model is a GGUF file whose chat template is in the form of Qwen (ChatML with tools), for example Qwen2.5-Coder-Instruct. A correct call is changed in
one way and placed in the history, as if the model had sent it, followed by an error message. The next reply is `right`,
`unchanged` (the same call again) or `other`. Each wording of the message gets the same cases. The temperature is 0.

With TOOL_CORPORA, a folder of recorded traffic, the questions of its `bfcl_calls.jsonl` follow those of `questions.py`. TOOL_BEFORE is the program of this
package built with another version of the library: its messages are the wording `before`.

To try a wording, add a line to WORDINGS.
"""

import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.request

import questions

FOLDER = pathlib.Path(__file__).parent
MAX_TOKENS = 200


class Library:
    """A program of this package, which dispatches calls."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def call(self, definitions, name, arguments):
        return self.send({"definitions": definitions, "name": name, "arguments": arguments})

    def send(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("the program that dispatches the calls has ended")
        return json.loads(answer)


class Model:
    """A model on a llama.cpp server, with the chat template of its file, and without a grammar unless a reply has a schema."""

    STOP = ["<|im_end|>", "<|im_start|>", "<tool_response>"]

    def __init__(self, path):
        import gguf
        import jinja2
        import xllamacpp

        self.name = pathlib.Path(path).stem
        template = gguf.GGUFReader(path).fields["tokenizer.chat_template"].contents()
        environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
        environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
        self.template = environment.from_string(template)
        parameters = xllamacpp.CommonParams()
        parameters.model.path = path
        parameters.n_ctx = 8192
        parameters.n_parallel = 1
        parameters.port = 0
        parameters.verbosity = -1
        threads = int(os.environ.get("TOOL_THREADS", os.cpu_count() or 1))
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
        self.server = xllamacpp.Server(parameters)

    def reply(self, messages, tools, max_tokens=MAX_TOKENS, schema=None):
        prompt = self.template.render(messages=messages, tools=tools, add_generation_prompt=True)
        body = {"prompt": prompt, "temperature": 0, "n_predict": max_tokens, "cache_prompt": True, "stop": self.STOP}
        if schema:
            body["json_schema"] = schema
        request = urllib.request.Request(
            self.server.listening_address + "/completion", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=600) as response:
            return json.load(response)["content"]


def calls_in(text):
    """The calls in the text of a reply, as servers find them: their names, and the text of their arguments."""
    calls, start = [], 0
    while match := re.compile(r'\{\s*"name"\s*:\s*"([^"]+)"').search(text, start):
        end = end_of_object(text, match.start()) or len(text)
        arguments = re.compile(r'"(?:arguments|parameters)"\s*:\s*').search(text, match.end(), end)
        first = arguments.end() if arguments else end
        last = end_of_object(text, first) if text[first : first + 1] == "{" else None
        calls.append((match.group(1), text[first : last or end].strip() or "{}"))
        start = end
    return calls


def end_of_object(text, start):
    """The end of the object that starts here, by its brackets outside of strings; `None` if it does not end."""
    depth, quoted = 0, False
    position = start
    while position < len(text):
        letter = text[position]
        if letter == "\\" and quoted:
            position += 1
        elif letter == '"':
            quoted = not quoted
        elif not quoted:
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if depth == 0:
                return position + 1
        position += 1
    return None


def own_questions():
    definitions = {definition["function"]["name"]: definition for definition in questions.TOOLS}
    names = list(definitions)
    for text, name, arguments in questions.QUESTIONS:
        # One more tool, as in most programs.
        other = names[(names.index(name) + 1) % len(names)]
        tools = [definitions[name], definitions[other]]
        yield {"messages": [{"role": "user", "content": text}], "tools": tools, "name": name, "arguments": arguments}


def recorded_questions():
    folder = os.environ.get("TOOL_CORPORA")
    if not folder:
        return
    for line in (pathlib.Path(folder) / "bfcl_calls.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        is_short = len(row["question"]) == 1 and len(json.dumps(row["tools"])) < 4000
        has_names = all(re.fullmatch(r"[\w-]{1,64}", tool["function"]["name"], re.ASCII) for tool in row["tools"])
        is_call = row["valid"] == [True] and row["ground_truth"] and isinstance(row["calls"][0]["arguments"], dict)
        if is_short and has_names and is_call:
            yield {"messages": row["question"][0], "tools": row["tools"], **row["calls"][0]}


def mistakes(question):
    """Each kind of mistake that the call can have: its name, and the changed name and arguments."""
    name, right = question["name"], question["arguments"]
    schema = next(t["function"]["parameters"] for t in question["tools"] if t["function"]["name"] == name)
    properties, required = schema.get("properties", {}), schema.get("required", [])

    def changed(kind, key, value):
        return kind, name, json.dumps({**right, key: value})

    for key, value in right.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield changed("number_as_string", key, str(value))
        elif isinstance(value, list) and value:
            yield changed("list_as_string", key, ", ".join(map(str, value)))
        elif isinstance(value, dict) and value:
            yield changed("object_as_string", key, json.dumps(value))
        elif isinstance(value, str) and properties.get(key, {}).get("enum"):
            yield changed("enum_case", key, value.lower() if value.lower() != value else value.upper())
    for key in [key for key in required if key in right][-1:]:
        yield "missing", name, json.dumps({other: value for other, value in right.items() if other != key})
        yield changed("null", key, None)
        camel = re.sub(r"_(\w)", lambda match: match.group(1).upper(), key)
        misspelt = camel if camel != key else key + "_value"
        yield "misspelt", name, json.dumps({misspelt if other == key else other: value for other, value in right.items()})
    yield changed("surplus", "language", "en")
    yield "wrapped", name, json.dumps({"parameters": right})
    yield "python_dict", name, repr(right)
    yield "unknown_tool", name.split("_")[-1] + "_tool", json.dumps(right)


def cases(library, kinds, count):
    """At most this number of cases, one per question first, with all kinds about equally often."""
    def is_case(question, kind, name, arguments):
        return (not kinds or kind in kinds) and library.call(question["tools"], name, arguments)["is_error"]

    left = []
    for question in itertools.chain(own_questions(), recorded_questions()):
        left.append((question, [mistake for mistake in mistakes(question) if is_case(question, *mistake)]))
    used = collections.Counter()
    while count > 0 and any(found for _, found in left):
        for question, found in left:
            if found and count > 0:
                mistake = min(found, key=lambda mistake: used[mistake[0]])
                found.remove(mistake)
                used[mistake[0]] += 1
                count -= 1
                yield question, *mistake


class Case:
    """A wrong call, and what a wording may use."""

    def __init__(self, question, kind, name, arguments, message, before):
        self.question, self.kind, self.name, self.arguments = question, kind, name, arguments
        self.message, self.before = message, before


def problem(case):
    """The message without the correction."""
    return re.split(r"\.? Call (?:it again|`)", case.message)[0]


WORDINGS = {
    "message": lambda case: case.message,
    "before": lambda case: case.before,
    "problem": problem,
    "again": lambda case: problem(case) + f". Call `{case.question['name']}` with corrected arguments.",
    "none": lambda case: "Error: the call failed.",
}


def outcome(library, case, reply):
    calls = calls_in(reply)
    if len(calls) == 1 and calls[0][0] == case.question["name"]:
        result = library.call(case.question["tools"], *calls[0])
        if not result["is_error"] and is_same(json.loads(result["text"]), case.question["arguments"]):
            return "right"
    return "unchanged" if calls and calls[0][0] == case.name and is_same_text(calls[0][1], case.arguments) else "other"


def is_same(one, other):
    """Equal values, where the case and the punctuation of texts do not matter."""
    def normal(value):
        if isinstance(value, str):
            return re.sub(r"[\W_]", "", value).lower()
        if isinstance(value, dict):
            return {key: normal(entry) for key, entry in value.items() if entry is not None}
        return [normal(item) for item in value] if isinstance(value, list) else value

    return normal(one) == normal(other)


def is_same_text(one, other):
    try:
        return json.loads(one) == json.loads(other)
    except ValueError:
        return one == other


def print_table(rows, wordings, model):
    print(f"\n{model}: right / unchanged / other, and +right only with this wording, -right only with `{wordings[0]}`")
    kinds = sorted({kind for kind, _ in rows})
    for kind in [*kinds, None]:
        chosen = [outcomes for case_kind, outcomes in rows if kind in (case_kind, None)]
        cells = []
        for wording in wordings:
            counts = collections.Counter(outcomes[wording] for outcomes in chosen)
            pairs = [(o[wording] == "right", o[wordings[0]] == "right") for o in chosen]
            signs = f" +{pairs.count((True, False))} -{pairs.count((False, True))}" if wording != wordings[0] else ""
            cells.append(f"{wording} {counts['right']}/{counts['unchanged']}/{counts['other']}{signs}")
        print(f"{kind or 'all':18} {len(chosen):3}  " + "   ".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measures how often a model corrects a call after an error message.")
    parser.add_argument("--cases", type=int, default=66)
    parser.add_argument("--kinds", default="", help="the kinds of mistakes, separated by commas; all by default")
    parser.add_argument("--wordings", default="", help="the wordings, separated by commas")
    parser.add_argument("--verbose", action="store_true", help="prints each message and each reply")
    options = parser.parse_args()
    path, before = os.environ.get("TOOL_MODEL"), os.environ.get("TOOL_BEFORE")
    if not path:
        print("skipped: TOOL_MODEL is not set; it is the GGUF file of a model whose chat template has tools")
        return
    if not pathlib.Path(path).is_file():
        sys.exit(f"TOOL_MODEL is not a file: {path}")
    library = Library(["cargo", "run", "--quiet", "--manifest-path", str(FOLDER / "Cargo.toml")])
    before_library = Library([before]) if before else None
    model = Model(path)
    wordings = options.wordings.split(",") if options.wordings else ["before", "message"] if before_library else ["message"]
    if unknown := [wording for wording in wordings if wording not in WORDINGS]:
        sys.exit(f"there is no wording {', '.join(unknown)}; the wordings are {', '.join(WORDINGS)}")
    if "before" in wordings and not before_library:
        sys.exit("the wording `before` needs TOOL_BEFORE, the program of this package with another version of the library")
    rows = []
    for question, kind, name, arguments in cases(library, options.kinds.split(",") if options.kinds else [], options.cases):
        tools = question["tools"]
        before_message = before_library.call(tools, name, arguments)["text"] if before_library else None
        case = Case(question, kind, name, arguments, library.call(tools, name, arguments)["text"], before_message)
        sent = '```json\n{\n  "name": %s,\n  "arguments": %s\n}\n```' % (json.dumps(name), arguments)
        outcomes = {}
        for wording in wordings:
            text = WORDINGS[wording](case)
            history = [*question["messages"], {"role": "assistant", "content": sent}, {"role": "tool", "content": text}]
            reply = model.reply(history, tools)
            outcomes[wording] = outcome(library, case, reply)
            if options.verbose:
                print(json.dumps([kind, wording, outcomes[wording], arguments, text, reply], ensure_ascii=False), flush=True)
        rows.append((kind, outcomes))
        print(f"{len(rows)} {kind}: " + ", ".join(f"{wording} {outcomes[wording]}" for wording in wordings), flush=True)
    print_table(rows, wordings, model.name)


if __name__ == "__main__":
    main()
