"""Measures how a real model works with programs that call tools, which `run_code` of tool-runtime-code runs.

    pip install -r requirements.txt
    TOOL_MODEL=model.gguf python code_mode.py [--tasks 10] [--replies 4] [--forced] [--verbose]

The model is that of `measure.py`. It sees only `run_code`, and gets the ten tasks of `TASKS`, each of which needs three to ten or
more calls of the tools of `src/bin/code_mode.rs`. It has four replies for each task, and a reply that repeats an earlier one is the last
one. With `--forced`, each reply is a valid call of `run_code`, by a grammar, until a program ends without an error. A task is solved
if the final answer or the last message of a program has the expected texts and if the effects are the expected ones: no effect is
missing, twice or surplus. The temperature is 0.

TOOL_CODE_MODE is the program of this package built with another version of the library.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import sys

from measure import FOLDER, Library, Model, calls_in

SYSTEM = "You are an assistant in the office of a shop. Use the tool run_code. When you have its result, answer in one or two sentences."
MAX_TOKENS = 400


class Task:
    """A question of a user, and the result that solves it."""

    def __init__(self, name, question, answer=(), effects=(), absent=()):
        self.name, self.question = name, question
        # Regular expressions for the answer, and the fields of each effect: the text of a mail is a list of its parts.
        self.answer, self.absent, self.effects = answer, absent, effects

    def is_answer(self, text):
        text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
        return all(re.search(part, text) for part in self.answer) and not any(re.search(part, text) for part in self.absent)

    def are_effects(self, effects):
        left = list(effects)
        for expected in self.effects:
            found = next((effect for effect in left if is_effect(expected, effect)), None)
            if found is None:
                return False
            left.remove(found)
        return not left


def is_effect(expected, effect):
    def is_field(value, found):
        return all(re.search(part, str(found)) for part in value) if isinstance(value, list) else value == found

    return all(is_field(value, effect.get(key)) for key, value in expected.items())


def mail(to, *parts):
    return {"tool": "send_mail", "to": to, "text": list(parts)}


TASKS = [
    Task(
        "sum over currencies",
        "How many US dollars (USD) are 120 EUR, 80 GBP and 16000 JPY together?",
        answer=[r"\b400\b"],
    ),
    Task(
        "average",
        "What is the average temperature in Oslo, Rome, Cairo and Lima now?",
        answer=[r"\b19\.5\b"],
    ),
    Task(
        "maximum",
        "Which customer has the highest sum of the totals of all orders, and how much is it?",
        answer=["Dolce", r"\b1320\b"],
        absent=["Acme", "Borealis", "Cobalt", "Elbe", "Fjord"],
    ),
    Task(
        "search in documents",
        "Which of our documents mentions the project Falcon?",
        answer=[r"minutes\.txt"],
        absent=[r"contract\.txt", r"prices\.txt", r"travel\.txt", r"welcome\.txt"],
    ),
    Task(
        "sum with a condition",
        "How many euros does the customer Acme have to pay for the invoices of its orders that are not paid?",
        answer=[r"\b340\b"],
    ),
    Task(
        "effects with a condition",
        "Restock each product that has fewer than 5 pieces in stock: order 20 pieces of each of them.",
        effects=[{"tool": "restock_product", "sku": sku, "quantity": 20} for sku in ["P2", "P4", "P5"]],
    ),
    Task(
        "tasks with a condition",
        "Create the task 'Plan vacation' for each employee with more than 20 days of vacation left.",
        effects=[{"tool": "create_task", "title": "Plan vacation", "assignee": name} for name in ["Ines", "Kira", "Mara"]],
    ),
    Task(
        "filter, then one mail",
        "In which of the cities of our customers does it rain now? Send one mail with these cities to ops@shop.example.",
        effects=[mail("ops@shop.example", "^(?!.*(Berlin|Oslo|Rome))", "Bergen", "Hamburg")],
    ),
    Task(
        "count, then one mail",
        "Count the open orders of all customers in Germany, and send the number in one mail to boss@shop.example.",
        effects=[mail("boss@shop.example", r"(?<!\d)4(?!\d)")],
    ),
    Task(
        "calls that fail, then mails",
        "Send a mail to each customer who has an invoice that is not paid: one mail for each of these customers, to the address of the "
        "customer. Cancelled orders have no invoice.",
        effects=[
            {"tool": "send_mail", "to": to}
            for to in ["office@acme.example", "hello@cobalt.example", "info@dolce.example", "post@fjord.example"]
        ],
    ),
]


class Run:
    """One task with the replies of the model."""

    def __init__(self, task):
        self.task = task
        self.replies = self.inner_calls = 0
        # The error of each program, or `None`.
        self.programs = []
        self.is_solved = False

    @property
    def errors(self):
        return [error for error in self.programs if error]

    @property
    def repaired(self):
        """The number of errors that a program without an error follows."""
        last = max((position for position, error in enumerate(self.programs) if not error), default=-1)
        return sum(1 for error in self.programs[: last + 1] if error)

    @property
    def first(self):
        return "no call" if not self.programs else "error" if self.programs[0] else "ok"


def call_schema(tools):
    """The schema of a call of the only tool."""
    function = tools[0]["function"]
    properties = {"name": {"const": function["name"]}, "arguments": function["parameters"]}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def run(task, library, model, tools, options):
    run = Run(task)
    library.send({"reset": True})
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": task.question}]
    text, effects = "", []
    while run.replies < options.replies:
        needs_call = options.forced and None not in run.programs
        reply = model.reply(messages, tools, MAX_TOKENS, call_schema(tools) if needs_call else None)
        run.replies += 1
        is_repeated = {"role": "assistant", "content": reply} in messages
        messages.append({"role": "assistant", "content": reply})
        calls = calls_in(reply) if re.search('"(arguments|parameters)"', reply) else []
        if options.verbose:
            print(f"--- {task.name}, reply {run.replies}:\n{reply}", flush=True)
        for name, arguments in calls:
            result = library.send({"call": {"name": name, "arguments": arguments}})
            text, effects = result["text"], result["effects"]
            run.inner_calls += result["calls"]
            run.programs.append(text.split("\n")[0] if result["is_error"] else None)
            messages.append({"role": "tool", "content": text})
            if options.verbose:
                print(f"--- {'error' if result['is_error'] else 'result'} after {result['calls']} calls:\n{text}", flush=True)
        if not calls or is_repeated:
            break
    answer = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
    run.is_solved = (task.is_answer(answer) or task.is_answer(text)) and task.are_effects(effects)
    return run


def print_table(runs, model):
    print(f"\n{model}\n\n| task | first program | programs | calls | errors | repaired | replies | solved |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |")
    for one in runs:
        counts = f"{len(one.programs)} | {one.inner_calls} | {len(one.errors)} | {one.repaired} | {one.replies}"
        print(f"| {one.task.name} | {one.first} | {counts} | {'yes' if one.is_solved else 'no'} |")
    sums = [sum(values) for values in zip(*((len(o.programs), o.inner_calls, len(o.errors), o.repaired, o.replies) for o in runs))]
    first, solved = (f"{sum(values)} of {len(runs)}" for values in ([o.first == "ok" for o in runs], [o.is_solved for o in runs]))
    print(f"| all | {first} | {' | '.join(map(str, sums))} | {solved} |")
    errors = collections.Counter(kind_of(error) for one in runs for error in one.errors)
    print("\n| error | count |\n| --- | ---: |")
    for error, count in errors.most_common():
        print(f"| {error} | {count} |", flush=True)


def kind_of(error):
    """An error without the names and values in it."""
    text = re.sub(r" \(expected .*?`\)| \(line \d+\)", "", error.removeprefix("Error: "))
    text = re.sub(r"`[^`]*`|\"[^\"]*\"|'[^']*'|tools\.\w+", "_", text)
    return re.sub(r"\)\.\w+", ")._", text).replace("|", "/")


def main():
    parser = argparse.ArgumentParser(description="Measures how a model works with programs that call tools.")
    parser.add_argument("--tasks", type=int, default=len(TASKS))
    parser.add_argument("--replies", type=int, default=4, help="the number of replies for each task")
    parser.add_argument("--forced", action="store_true", help="uses a grammar, so that each call is valid")
    parser.add_argument("--verbose", action="store_true", help="prints each reply and each message")
    options = parser.parse_args()
    path = os.environ.get("TOOL_MODEL")
    if not path:
        print("skipped: TOOL_MODEL is not set; it is the GGUF file of a model whose chat template has tools")
        return
    if not pathlib.Path(path).is_file():
        sys.exit(f"TOOL_MODEL is not a file: {path}")
    program = os.environ.get("TOOL_CODE_MODE")
    built = ["cargo", "run", "--quiet", "--manifest-path", str(FOLDER / "Cargo.toml"), "--bin", "code_mode"]
    library = Library([program] if program else built)
    tools = library.send({"definitions": True})
    model = Model(path)
    runs = []
    for task in TASKS[: options.tasks]:
        runs.append(run(task, library, model, tools, options))
        print(f"{len(runs)} {task.name}: first program {runs[-1].first}, {'solved' if runs[-1].is_solved else 'not solved'}", flush=True)
    print_table(runs, model.name)


if __name__ == "__main__":
    main()
