"""Runs the examples against a llama.cpp server, and checks each request that they send.

    pip install -r requirements.txt
    python real_server.py [--runs 24] [--programs target/debug/examples] [--verbose]

The model has random weights. A proxy before the server records each request and response. It also makes the model call
tools in the first requests of a run, ends some replies early, and finally lets the model answer. Exits with 1 if a request
is not paired, the server rejects a request, an example panics, or its exit code does not follow from the last reply.
"""

import argparse
import collections
import http.server
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import tiny_model
from engines import LlamaCpp

ROOT = pathlib.Path(__file__).parent.parent.parent
EXAMPLES = ["weather", "streaming", "approval", "client_weather", "client_streaming"]
TIME_LIMIT = 120
"""For one run, in seconds."""

MAX_REPLIES = 30
"""The default of `Run::max_replies`."""

PARSER_ERROR = "Failed to parse input at pos"
"""The error of llama.cpp about an output that is not UTF-8, with status 500 or within a stream."""


class Run:
    """The settings of the proxy for one run of an example, and the exchanges that it records."""

    def __init__(self, example, seed):
        self.example, self.seed, self.exchanges = example, seed, []
        self.open, self.is_idle = 0, threading.Condition()
        self.random = random.Random(f"{example} {seed}")
        # Every tenth run never answers, and every fourth has bytes that are not ASCII.
        self.is_endless, self.is_ascii = seed % 10 == 9, seed % 4 != 3
        self.calling = MAX_REPLIES if self.is_endless else self.random.randint(1, 4)

    def begin(self):
        with self.is_idle:
            self.open += 1

    def end(self, exchange):
        with self.is_idle:
            self.exchanges.append(exchange)
            self.open -= 1
            self.is_idle.notify_all()

    def wait(self):
        """Waits for the exchanges whose last bytes the example has read already."""
        with self.is_idle:
            self.is_idle.wait_for(lambda: self.open == 0, TIME_LIMIT)

    def settings(self):
        """The fields that the proxy adds to the next request."""
        number = len(self.exchanges)
        # The bias ends strings, objects and texts sooner.
        bias = [[tiny_model.BYTE_OFFSET + byte, 3.0] for byte in b'"]}'] + [[tiny_model.LAST, 4.0]]
        if self.is_ascii or self.is_endless:
            bias += [[tiny_model.BYTE_OFFSET + byte, -100.0] for byte in range(0x80, 0x100)]
        return {
            "tool_choice": "required" if number < self.calling else "auto",
            "parallel_tool_calls": self.random.random() < 0.7,
            # Some replies are truncated.
            "max_tokens": self.random.choice([30, 120, *[400] * 6]) if not self.is_endless else 1000,
            "seed": self.seed * 100 + number,
            "logit_bias": bias,
            "temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0,
        }


class Exchange:
    """A request of an example, and the response of the server."""

    def __init__(self, request, status, text):
        self.request, self.status, self.text = request, status, text
        self.error = self.finish_reason = None
        self.calls = 0
        for event in self.events():
            self.error = self.error or event.get("error")
            for choice in event.get("choices") or []:
                message = choice.get("message") or choice.get("delta") or {}
                self.calls += sum("name" in call["function"] for call in message.get("tool_calls") or [])
                self.finish_reason = choice.get("finish_reason") or self.finish_reason

    def events(self):
        """The chunks of a stream, or the response."""
        is_stream = self.request.get("stream") and self.status == 200
        lines = [line[5:] for line in self.text.splitlines() if line.startswith("data:")] if is_stream else [self.text]
        return [json.loads(line) for line in lines if line.strip() != "[DONE]"]

    def is_parser_error(self):
        return PARSER_ERROR in (self.error or {}).get("message", "")


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream = run = None

    def log_message(self, *_arguments):
        pass

    def do_POST(self):
        self.run.begin()
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        body = json.dumps({**request, **self.run.settings()}).encode()
        headers = {"content-type": "application/json"}
        upstream = urllib.request.Request(self.upstream + self.path, body, headers)
        try:
            response = urllib.request.urlopen(upstream, timeout=TIME_LIMIT)
        except urllib.error.HTTPError as error:
            response = error
        self.send_response(response.status)
        self.send_header("content-type", response.headers["content-type"])
        self.send_header("connection", "close")
        self.end_headers()
        received = b""
        with response:
            while piece := response.read1():
                received += piece
                self.wfile.write(piece)
                self.wfile.flush()
        self.run.end(Exchange(request, response.status, received.decode()))
        self.close_connection = True


def pairing_error(messages):
    """The first place where tool calls and tool messages are not paired; None if there is none."""
    open_ids = []
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_ids:
                return f"messages[{index}]: the tool message has no open call"
            if not isinstance(message.get("content"), str):
                return f"messages[{index}]: the content is not a string"
            open_ids.remove(message["tool_call_id"])
            continue
        if open_ids:
            return f"messages[{index}]: there are no tool messages for {open_ids}"
        calls = message.get("tool_calls") or []
        open_ids = [call["id"] for call in calls]
        if len(set(open_ids)) < len(open_ids) or "" in open_ids:
            return f"messages[{index}]: the ids of the calls are not unique"
        for call in calls:
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                return f"messages[{index}]: the arguments are not an object"
        if "tool_calls" in message and not calls:
            return f"messages[{index}]: the list of calls is empty"
    return f"there are no tool messages for {open_ids}" if open_ids else None


def expected_end(exchanges):
    """The exit code that follows from the last reply, a pattern of the error, and the name of this end."""
    last = exchanges[-1]
    if last.is_parser_error():
        return 1, re.escape(PARSER_ERROR), "llama.cpp cannot parse the output"
    if last.calls == 0 and last.finish_reason == "stop":
        return 0, r"", "the model answers"
    if last.calls == 0 and last.finish_reason == "length":
        return 1, r"there is no answer: the answer is truncated", "the answer is truncated"
    # The client repeats a request after an error.
    if sum(not exchange.is_parser_error() for exchange in exchanges) == MAX_REPLIES:
        return 1, r"there is no answer: the limit of replies is reached", "the limit of replies"
    return None, r"", "the run ends early"


def run_example(program, run, url):
    """Returns the problems of a run, the name of its end, and its output."""
    decisions = "".join(run.random.choice(["y\n", "n\n", "keep it\n"]) for _ in range(run.random.randint(0, 40)))
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    environment |= {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "tiny", "LLM_MODEL": "openai/tiny", "RUST_BACKTRACE": "1"}
    environment.pop("TOOL_WIRE", None)
    try:
        done = subprocess.run([program], input=decisions, env=environment, capture_output=True, text=True,
                              timeout=TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return ["it does not end"], "a time-out", ""
    run.wait()
    problems = []
    for number, exchange in enumerate(run.exchanges, 1):
        messages = exchange.request["messages"]
        error = pairing_error(messages)
        if error:
            problems.append(f"request {number} is not paired: {error}")
        results = [index for index, message in enumerate(messages) if message["role"] == "tool"]
        if results and not pairing_error(messages[:results[-1]] + messages[results[-1] + 1:]):
            problems.append(f"request {number} has a tool message that no call needs")
        if (exchange.status != 200 or exchange.error) and not exchange.is_parser_error():
            problems.append(f"request {number} has status {exchange.status}: {exchange.error}")
    if re.search("panicked|stack backtrace", done.stderr):
        problems.append(f"it panics: {done.stderr}")
    if not run.exchanges:
        return [*problems, f"it sends no request: {done.stderr}"], "no request", done.stdout
    code, pattern, end = expected_end(run.exchanges)
    if done.returncode != code or not re.search(pattern, done.stderr):
        problems.append(f"exit code {done.returncode} does not follow from the last reply ({end}): {done.stderr}")
    return problems, end, done.stdout


def build():
    """Builds the examples, and returns the program of each."""
    options = [option for example in EXAMPLES for option in ["--example", example]]
    packages = ["--package", "examples", "--package", "tool-runtime-client"]
    command = ["cargo", "build", "--quiet", *packages, "--message-format", "json", *options]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    messages = [json.loads(line) for line in built.splitlines()]
    return {message["target"]["name"]: message["executable"] for message in messages if message.get("executable")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=24, help="runs of each example")
    parser.add_argument("--programs", type=pathlib.Path, help="the folder of the built examples; without it, they are built")
    parser.add_argument("--verbose", action="store_true", help="print the end of every run")
    arguments = parser.parse_args()
    folder = arguments.programs
    programs = {example: folder.resolve() / example for example in EXAMPLES} if folder else build()
    llama = LlamaCpp()  # it stops when it is dropped
    Proxy.upstream = llama.server.listening_address
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    url, began, failed = f"http://127.0.0.1:{proxy.server_port}", time.monotonic(), 0
    for example in EXAMPLES:
        ends, counts = collections.Counter(), collections.Counter()
        for seed in range(arguments.runs):
            Proxy.run = run = Run(example, seed)
            problems, end, output = run_example(programs[example], run, url)
            ends[end] += 1
            counts.update(
                requests=len(run.exchanges),
                calls=sum(exchange.calls for exchange in run.exchanges),
                with_results=sum(has_results(exchange.request) for exchange in run.exchanges),
                parser_errors=sum(exchange.is_parser_error() for exchange in run.exchanges),
                approved=output.count("] Approved.\n"),
                denied=output.count("] Denied: "),
            )
            if arguments.verbose:
                print(f"    {example}, seed {seed}: {len(run.exchanges)} requests, {end}")
            for problem in problems:
                failed += 1
                print(f"    {example}, seed {seed}: {problem}")
        print(f"{example}: {arguments.runs} runs, {counts['requests']} requests, {counts['with_results']} with tool "
              f"messages, {counts['calls']} calls, {counts['parser_errors']} outputs that llama.cpp cannot parse")
        print("".join(f"    {number}: {end}\n" for end, number in ends.most_common()), end="")
        if example == "approval":
            print(f"    calls of tools that need approval: {counts['approved']} approved, {counts['denied']} denied")
        expected = ["with_results", "calls", *(["approved", "denied"] if example == "approval" else [])]
        for name in expected:
            if counts[name] == 0:
                failed += 1
                print(f"    {name} is 0: the test proves nothing")
    print(f"{time.monotonic() - began:.0f} s, {failed} failures")
    sys.exit(1 if failed else 0)


def has_results(request):
    return any(message["role"] == "tool" for message in request["messages"])


if __name__ == "__main__":
    main()
