"""Validates requests that tool-runtime writes against the types of the providers' own clients.

    pip install -r requirements.txt
    python validate_requests.py [--verbose]

The types of the clients `openai`, `anthropic` and `google-genai` describe a request. Pydantic validates the requests
that `print_requests.rs` prints against them, and rejects further fields. For Bedrock, `botocore` validates them against its
model, and the lengths, patterns and enumerations of this model apply. The parameters of each tool must be a schema of
JSON Schema 2020-12 whose references refer to definitions, and Anthropic's rule for keys applies. The parts of replies that
go back are read with the types of replies. Each kind of broken request must be rejected: otherwise the test proves nothing.
Exits with 1 if a request is rejected.
"""

import argparse
import base64
import copy
import itertools
import json
import pathlib
import re
import subprocess
import sys
import typing
import warnings

import jsonschema
import pydantic
import pydantic.warnings
import typing_extensions

# Pydantic validates an `Iterable` only when it is read, and a list at once. The clients take both.
typing.Iterable = typing.List

import anthropic.types  # noqa: E402
import anthropic.types.beta  # noqa: E402
import botocore.loaders  # noqa: E402
import botocore.model  # noqa: E402
import botocore.validate  # noqa: E402
import google.genai._gaos.types.interactions as interactions  # noqa: E402
import google.genai.types as genai  # noqa: E402
import openai.types.chat  # noqa: E402
import openai.types.responses  # noqa: E402
from anthropic.types import assistant_message_param, user_message_param  # noqa: E402
from anthropic.types.beta.message_create_params import MessageCreateParamsNonStreaming as BetaMessageCreateParams  # noqa: E402
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming  # noqa: E402
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming  # noqa: E402
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming  # noqa: E402

WORKSPACE = pathlib.Path(__file__).parent.parent.parent
TYPED = "a typed answer, format, 2 messages"
FOUND = "after a call of a found tool"


def forbid_further_fields(package):
    for name, module in list(sys.modules.items()):
        if not name.startswith(package):
            continue
        for value in vars(module).values():
            if typing_extensions.is_typeddict(value):
                value.__pydantic_config__ = pydantic.ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def take_only_params(block):
    """Removes the blocks of replies, which take further fields, from the content of Anthropic's messages."""
    text, blocks = typing.get_args(user_message_param.MessageContentParam)
    params = [param for param in typing.get_args(*typing.get_args(blocks)) if param != block]
    for module in (user_message_param, assistant_message_param):
        module.MessageContentParam = typing.Union[text, typing.List[typing.Union[tuple(params)]]]


take_only_params(anthropic.types.ContentBlock)
# One of the beta types, which no request here has, takes any field.
warnings.simplefilter("ignore", pydantic.warnings.TypedDictExtraConfigWarning)
forbid_further_fields("openai.types")
forbid_further_fields("anthropic.types")
forbid_further_fields("google.genai._gaos.types")


class GeminiRequest(pydantic.BaseModel):
    """The body of a request. The client has types for its fields only."""

    model_config = pydantic.ConfigDict(extra="forbid")
    contents: typing.List[genai.Content]
    systemInstruction: typing.Optional[genai.Content] = None
    tools: typing.Optional[typing.List[genai.Tool]] = None
    toolConfig: typing.Optional[genai.ToolConfig] = None
    generationConfig: typing.Optional[genai.GenerationConfig] = None

    @pydantic.field_validator("contents")
    @classmethod
    def roles(cls, contents):
        """The type of a role is any string; the API takes two."""
        for content in contents:
            if content.role not in ("user", "model"):
                raise ValueError(f"the role {content.role}")
        return contents


class BedrockRequest:
    """The body of a request of Converse. `botocore` validates its fields, their types and the minimum of their lengths."""

    def __init__(self):
        model = botocore.loaders.Loader().load_service_model("bedrock-runtime", "service-2")
        service = botocore.model.ServiceModel(model)
        self.shape = service.operation_model("Converse").input_shape

    def validate_python(self, body):
        problems = []
        body = self.with_bytes({"modelId": "a-model", **body}, self.shape, "", problems)
        report = botocore.validate.ParamValidator().validate(body, self.shape)
        if report.has_errors():
            problems.append(report.generate_report())
        if problems:
            raise ValueError("; ".join(problems[:5]))

    def with_bytes(self, value, shape, path, problems):
        """The value with bytes in place of base64. Adds what `botocore` does not validate."""
        if shape.type_name == "structure" and isinstance(value, dict) and not getattr(shape, "is_document_type", False):
            members = shape.members
            return {
                name: self.with_bytes(member, members[name], f"{path}.{name}", problems) if name in members else member
                for name, member in value.items()
            }
        if shape.type_name == "list" and isinstance(value, list):
            return [self.with_bytes(member, shape.member, f"{path}[{index}]", problems) for index, member in enumerate(value)]
        if shape.type_name == "blob" and isinstance(value, str):
            return base64.b64decode(value, validate=True)
        if shape.type_name == "string" and isinstance(value, str):
            metadata = shape.metadata
            if len(value) > metadata.get("max", len(value)):
                problems.append(f"{path}: {len(value)} characters")
            if not re.fullmatch(metadata.get("pattern", "(?s:.*)"), value):
                problems.append(f"{path}: {value!r} does not match {metadata['pattern']}")
            if value not in metadata.get("enum", [value]):
                problems.append(f"{path}: {value!r} is not one of {metadata['enum']}")
        return value


JUDGES = {
    "chat_completions": pydantic.TypeAdapter(CompletionCreateParamsNonStreaming),
    "anthropic": pydantic.TypeAdapter(MessageCreateParamsNonStreaming),
    "responses": pydantic.TypeAdapter(ResponseCreateParamsNonStreaming),
    "gemini": pydantic.TypeAdapter(GeminiRequest),
    "gemini_interactions": pydantic.TypeAdapter(interactions.CreateModelInteractionParam),
    "bedrock": BedrockRequest(),
}
# Only the beta types of the client have the tool `computer`.
ANTHROPIC_BETA = pydantic.TypeAdapter(BetaMessageCreateParams)
# The types of the parts of a reply.
PARTS = {
    "anthropic": pydantic.TypeAdapter(anthropic.types.ContentBlock),
    "responses": pydantic.TypeAdapter(openai.types.responses.ResponseOutputItem),
}
# The types of the blocks and items of a reply that has a search, and of one that calls a found tool.
REPLIES = {
    "anthropic": {"tool_use": pydantic.TypeAdapter(anthropic.types.ToolUseBlock)},
    "responses": {
        "tool_search_call": pydantic.TypeAdapter(openai.types.responses.ResponseToolSearchCall),
        "function_call": pydantic.TypeAdapter(openai.types.responses.ResponseFunctionToolCall),
    },
}


def with_ids(body):
    """The body with the ids that the client's type requires of the items of a reply.

    The API accepts items without them, and rejects them if `store` is false.
    """
    body = copy.deepcopy(body)
    if body.get("store") is False:
        for index, item in enumerate(body["input"]):
            if item.get("type") in ("reasoning", "web_search_call", "message"):
                item.setdefault("id", f"item_{index}")
    return body


def schemas(wire, body):
    """The parameters of the tools of a request."""
    for tool in body.get("toolConfig", {}).get("tools", []) if wire == "bedrock" else []:
        if "toolSpec" in tool:
            yield tool["toolSpec"]["inputSchema"]["json"]
    for tool in body.get("tools", []):
        if wire == "gemini":
            yield from (declaration["parametersJsonSchema"] for declaration in tool.get("functionDeclarations", []))
        schema = tool.get("input_schema") or tool.get("parameters") or tool.get("function", {}).get("parameters")
        if schema is not None:
            yield schema


NAMED = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
KEYWORDS = {"items", "prefixItems", "additionalProperties", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "contains",
            "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema"}
"""The keywords with schemas. `$ref` has no meaning in the value of another keyword, such as `default`."""


def schema_problem(wire, schema):
    """Returns why a provider rejects the parameters of a tool, or None."""
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        return error.message
    combined = [key for key in ("anyOf", "oneOf", "allOf", "enum", "const", "not") if key in schema]
    if schema.get("type") != "object" or combined:
        return f"the root has {combined}"
    rest = [schema]
    while rest:
        value = rest.pop()
        reference = value.get("$ref") if isinstance(value, dict) else None
        if isinstance(reference, str) and reference != "#":
            kind, *name = reference.removeprefix("#/").split("/")
            if kind not in ("$defs", "definitions") or len(name) != 1 or name[0] not in schema.get(kind, {}):
                return f"{reference} refers to no definition"
        keys = value.get("properties") if isinstance(value, dict) else None
        if wire in ("anthropic", "bedrock") and isinstance(keys, dict):
            for key in keys:
                if not re.fullmatch("[a-zA-Z0-9_.-]{1,64}", key):
                    return f"the key {key}"
        if isinstance(value, dict):
            for keyword, entry in value.items():
                if keyword in NAMED and isinstance(entry, dict):
                    rest.extend(entry.values())
                elif keyword in KEYWORDS:
                    rest.append(entry)
        elif isinstance(value, list):
            rest.extend(value)
    return None


def judge(wire, body):
    """The type of the request."""
    has_computer = any(str(tool.get("type")).startswith("computer") for tool in body.get("tools", []))
    return ANTHROPIC_BETA if wire == "anthropic" and has_computer else JUDGES[wire]


def problem(wire, body):
    """Returns why the client's type or a rule for parameters rejects the body, or None."""
    for schema in schemas(wire, body):
        reason = schema_problem(wire, schema)
        if reason:
            return reason
    try:
        judge(wire, body).validate_python(with_ids(body) if wire == "responses" else body)
    except pydantic.ValidationError as error:
        return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5])
    except ValueError as error:
        return str(error)
    return None


def broken(wire, body):
    """Broken forms of a request, each with a name."""
    messages = {"gemini": "contents", "responses": "input", "gemini_interactions": "input"}.get(wire, "messages")
    content = {"gemini": "parts"}.get(wire, "content")
    role = {"gemini_interactions": "type"}.get(wire, "role")
    part = {"gemini": [{"texts": "x"}], "bedrock": [{"texts": "x"}]}.get(wire, [{"type": "texts", "text": "x"}])
    choice = {"gemini": "toolConfig", "bedrock": "toolConfig", "gemini_interactions": "generation_config"}
    choice = choice.get(wire, "tool_choice")
    tools = (lambda changed: changed["toolConfig"]["tools"]) if wire == "bedrock" else lambda changed: changed["tools"]

    def change(name, function):
        changed = copy.deepcopy(body)
        function(changed)
        return name, changed

    def set_field(index, field, value):
        return lambda changed: changed[messages][index].__setitem__(field, value)

    yield change("a further field of a message", set_field(-1, "tool", "get_weather"))
    yield change("an unknown role", set_field(-1, role, "tools"))
    yield change("a content of another type", set_field(-1, content, 7))
    yield change("an unknown type of a part", set_field(-1, content, part))
    yield change("a further field of the request", lambda changed: changed.__setitem__("is_truncated", True))
    yield change("a tool of another format", lambda changed: tools(changed).__setitem__(0, {"name": 1}))
    yield change("an unknown tool choice", lambda changed: changed.__setitem__(choice, {"type": "some"}))
    for name, schema in {
        "a schema of draft 4": {"properties": {"a": {"minimum": 0, "exclusiveMinimum": True}}},
        "a union at the root": {"anyOf": [{"required": ["a"]}]},
        "a reference to nothing": {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {}},
    }.items():
        yield change(name, lambda changed, schema=schema: next(schemas(wire, changed)).update(schema))


def broken_formats(wire, body):
    """Broken response formats of typed answers."""
    field = {
        "chat_completions": "response_format",
        "anthropic": "output_config",
        "responses": "text",
        "gemini": "generationConfig",
        "gemini_interactions": "response_format",
    }.get(wire)
    if field is None:
        # A typed answer is a call of a tool.
        return
    if field not in body:
        sys.exit(f"{wire}: the typed answer has no {field}, so the test proves nothing")
    values = [("a format of another type", 7)]
    if wire != "gemini_interactions":
        # The client of Interactions takes any object.
        values.append(("a further field", {**body[field], "other": 1}))
    for name, value in values:
        yield f"{name} in {field}", {**body, field: value}


def broken_searches(wire, body):
    """Broken forms of a request with a search, its result and a call of the tool that it found."""

    def change(name, function):
        changed = copy.deepcopy(body)
        function(changed)
        return name, changed

    if wire == "anthropic":
        references = lambda changed: changed["messages"][2]["content"][0]["content"]  # noqa: E731
        yield change("a reference without a name", lambda changed: references(changed)[0].pop("tool_name"))
        yield change("a flag of another type", lambda changed: changed["tools"][1].update(defer_loading="later"))
        return
    _, call, output, function_call, _ = range(5)
    yield change("a party that runs no searches", lambda changed: changed["input"][call].update(execution="both"))
    yield change("a result without tools", lambda changed: changed["input"][output].pop("tools"))
    yield change("a definition without a name", lambda changed: changed["input"][output]["tools"][0].pop("name"))
    yield change("a namespace of another type", lambda changed: changed["input"][function_call].update(namespace=7))
    yield change("a search of another party", lambda changed: changed["tools"][0].update(execution="both"))


def objects(value):
    """The objects of a request."""
    if isinstance(value, dict):
        yield value
    for entry in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from objects(entry)


def of(field, value, has=()):
    """Finds the first object whose field has a value, and that has other fields."""
    wanted = lambda found: found.get(field) == value and all(key in found for key in has)  # noqa: E731
    return lambda body: next(found for found in objects(body) if wanted(found))


def of_type(kind, *has):
    return of("type", kind, has)


def tool(name, schema):
    """Finds the definition of a tool."""
    return of("name", name, [schema])


def under(field):
    """Finds the first object that a field has."""
    return lambda body: next(found[field] for found in objects(body) if isinstance(found.get(field), dict))


def at(*path):
    """Finds the object at a path."""

    def find(body):
        for step in path:
            body = body[step]
        return body

    return find


REMOVED = object()
TOOLS = ", tools of the provider"
ANTHROPIC_CACHE = "a conversation in Anthropic's format, cache: "
BEDROCK_CACHE = "a conversation in the format of Converse, cache: "
ANTHROPIC_PLACES = {
    "the tools": at("tools", -1, "cache_control"),
    "the system messages": at("system", -1, "cache_control"),
    "the messages": at("messages", -1, "content", -1, "cache_control"),
}
BEDROCK_PLACES = {
    "the tools": at("toolConfig", "tools", -1, "cachePoint"),
    "the system messages": at("system", -1, "cachePoint"),
    "the messages": at("messages", -1, "content", -1, "cachePoint"),
}
PROGRAM = {"type": "code_execution_20260120"}


def broken_caches(chat, places):
    """Broken breakpoints in each place."""
    for place, find in places.items():
        yield chat, f"another time to live in {place}", find, "ttl", "2h"
        yield chat, f"another kind of a breakpoint in {place}", find, "type", "persistent"
        yield chat, f"a further field of a breakpoint in {place}", find, "scope", "global"


# The name of a request, the name of its broken form, the object that changes, a field, and its broken value.
BROKEN_FEATURES = {
    "anthropic": [
        ("calls of Anthropic's tools" + TOOLS, *change)
        for change in [
            ("a number of searches of another type", of_type("web_search_20250305"), "max_uses", "many"),
            ("a hosted tool of another name", of_type("code_execution_20260120"), "name", "python"),
            ("a hosted tool of another version", of_type("web_search_20250305"), "type", "web_search_20240101"),
            ("examples of another type", tool("get_weather", "input_schema"), "input_examples", "Rome"),
            ("an example of another type", tool("get_weather", "input_schema"), "input_examples", ["Rome"]),
            ("an unknown caller of a tool", tool("get_weather", "input_schema"), "allowed_callers", ["program"]),
            ("streaming of another type", tool("get_weather", "input_schema"), "eager_input_streaming", "soon"),
            ("another time to live of a tool", of_type("ephemeral", "ttl"), "ttl", "2h"),
            ("a deferred tool of another type", tool("apply_patch", "input_schema"), "defer_loading", "later"),
            ("an example of a command of another type", of_type("bash_20250124"), "input_examples", ["ls"]),
            ("a shell of another name", of_type("bash_20250124"), "name", "sh"),
            ("an editor of another name", of_type("text_editor_20250728"), "name", "editor"),
            ("a number of characters of another type", of_type("text_editor_20250728"), "max_characters", "many"),
            ("a further field of the memory", of_type("memory_20250818"), "max_characters", 7),
            ("an unknown caller of a call", of_type("tool_use", "caller"), "caller", {"type": "program"}),
            ("a further field of a caller", of_type("direct"), "tool_id", "srvtoolu_1"),
            ("an error of another type", of_type("tool_result", "is_error"), "is_error", "perhaps"),
        ]
    ]
    + [
        ("a program in Anthropic's container" + TOOLS, *change)
        for change in [
            ("a container of another type", at(), "container", 7),
            ("a caller without an id", of_type("tool_use", "caller"), "caller", PROGRAM),
            ("an unknown tool of the provider", of_type("server_tool_use"), "name", "python"),
            ("an unknown caller of a program", of_type("server_tool_use"), "caller", {"type": "program"}),
        ]
    ]
    + [
        ("after a program in Anthropic's container" + TOOLS, *change)
        for change in [
            ("an output without its text", of_type("code_execution_result"), "stdout", REMOVED),
            ("a result without its program", of_type("code_execution_tool_result"), "tool_use_id", REMOVED),
        ]
    ]
    + [
        ("a call of the computer", *change)
        for change in [
            ("a computer without a width", of_type("computer_20251124"), "display_width_px", REMOVED),
            ("an unknown computer", of_type("computer_20251124"), "type", "computer_20240101"),
        ]
    ]
    + list(broken_caches(ANTHROPIC_CACHE + "one hour", ANTHROPIC_PLACES))
    + list(broken_caches(ANTHROPIC_CACHE + "automatic", {"the request": at("cache_control")})),
    "responses": [
        ("calls of OpenAI's tools" + TOOLS, *change)
        for change in [
            ("a search of another size", of_type("web_search"), "search_context_size", "huge"),
            ("a server without a label", of_type("mcp"), "server_label", REMOVED),
            ("an unknown rule for approvals", of_type("mcp"), "require_approval", "sometimes"),
            ("a further field of the programs", of_type("programmatic_tool_calling"), "allowed_callers", ["direct"]),
            ("an unknown caller of a tool", tool("get_weather", "parameters"), "allowed_callers", ["program"]),
            ("a schema of outputs of another type", tool("get_weather", "parameters"), "output_schema", "string"),
            ("a deferred tool of another type", tool("draw_chart", "parameters"), "defer_loading", "later"),
            ("an unknown environment", of_type("shell"), "environment", {"type": "remote"}),
            ("an unknown caller of the shell", of_type("shell"), "allowed_callers", ["program"]),
            ("a further field of the patches", of_type("apply_patch"), "name", "apply_patch"),
            ("a further field of the computer", of_type("computer"), "display_width", 800),
            ("a call without commands", of("timeout_ms", 0), "commands", REMOVED),
            ("a shell output without an outcome", of("stderr", ""), "outcome", REMOVED),
            ("an outcome without a code", of_type("exit"), "exit_code", REMOVED),
            ("an unknown outcome", of_type("timeout"), "type", "killed"),
            ("a limit of another type", of_type("shell_call_output", "max_output_length"), "max_output_length", "many"),
            ("an unknown caller of a shell output", of_type("shell_call_output", "caller"), "caller", {"type": "tool"}),
            ("an unknown operation", of_type("create_file"), "type", "move_file"),
            ("a patch without its text", of_type("update_file"), "diff", REMOVED),
            ("an unknown status of a patch", of_type("apply_patch_call_output"), "status", "done"),
            ("a caller of a patch without an id", of_type("apply_patch_call_output", "caller"), "caller", {"type": "program"}),
            ("an unknown action", of_type("click"), "type", "jump"),
            ("a screenshot of another type", of_type("computer_screenshot"), "type", "image"),
            ("a safety check without an id", of("message", "Look."), "id", REMOVED),
            ("an acknowledged check of another type", of_type("computer_call_output"), "acknowledged_safety_checks", [{}]),
            ("a caller of a screenshot", of_type("computer_call_output"), "caller", {"type": "direct"}),
        ]
    ]
    + [
        ("a program of OpenAI's model" + TOOLS, *change)
        for change in [
            ("a program without a fingerprint", of_type("program", "code"), "fingerprint", REMOVED),
            ("an unknown caller of a call", of_type("function_call"), "caller", {"type": "tool"}),
            ("a caller of an output without an id", of_type("function_call_output"), "caller", {"type": "program"}),
        ]
    ]
    + [
        ("after a program of OpenAI's model" + TOOLS, *change)
        for change in [
            ("an unknown status of a program", of_type("program_output"), "status", "failed"),
            ("a program without a result", of_type("program_output"), "result", REMOVED),
        ]
    ]
    + [
        ("a denied call of a server" + TOOLS, *change)
        for change in [
            ("an approval response without a decision", of_type("mcp_approval_response"), "approve", REMOVED),
            ("a decision of another type", of_type("mcp_approval_response"), "approve", "perhaps"),
            ("a reason of another type", of_type("mcp_approval_response"), "reason", 7),
            ("an approval without its request", of_type("mcp_approval_response"), "approval_request_id", REMOVED),
            ("an approval request without arguments", of_type("mcp_approval_request"), "arguments", REMOVED),
            ("a tool of a server without a name", of_type("mcp_list_tools"), "tools", [{"input_schema": {}}]),
        ]
    ]
    + [
        ("after a call of a server" + TOOLS, "a call of no server", of_type("mcp_call"), "server_label", REMOVED),
        ("tools of the provider, Tool(\"run_commands\")", "an unknown tool choice", at("tool_choice"), "type", "bash"),
    ],
    "gemini": [
        ("a combined search, with functions, required", *change)
        for change in [
            ("a search of another type", at("tools", 0), "googleSearch", 7),
            ("a further field of a search", at("tools", 0, "googleSearch"), "type", "web"),
            ("a flag of another type", at("toolConfig"), "includeServerSideToolInvocations", "perhaps"),
            ("a mode of another type", at("toolConfig", "functionCallingConfig"), "mode", 7),
            ("arguments of a search of another type", under("toolCall"), "args", 7),
            ("a further field of the result of a search", under("toolResponse"), "output", {}),
        ]
    ],
    "gemini_interactions": [
        ("a conversation in the format of Interactions" + TOOLS, *change)
        for change in [
            ("kinds of searches of another type", of_type("google_search"), "search_types", 7),
            ("a further field of a search", of_type("google_search"), "max_uses", 3),
            ("an unknown hosted tool", of_type("code_execution"), "type", "python"),
            ("arguments of a search of another type", of_type("google_search_call"), "arguments", 7),
            ("a result without its call", of_type("google_search_result"), "call_id", REMOVED),
        ]
    ],
    "bedrock": [
        ("a conversation in the format of Converse" + TOOLS, *change)
        for change in [
            ("a hosted tool without a name", under("systemTool"), "name", REMOVED),
            ("a further field of a hosted tool", under("systemTool"), "type", "search"),
            ("a strict tool of another type", tool("get_weather", "inputSchema"), "strict", "yes"),
            ("an unknown kind of a call", of("name", "nova_grounding", ["input"]), "type", "tool_use"),
            ("a kind of a result of another type", of("type", "nova_grounding_result"), "type", 7),
        ]
    ]
    + list(broken_caches(BEDROCK_CACHE + "one hour", BEDROCK_PLACES)),
}
# The requests whose parts of replies are read.
REPLIES_WITH_TOOLS = {
    "anthropic": [
        "calls of Anthropic's tools",
        "a program in Anthropic's container",
        "after a program in Anthropic's container",
    ],
    "responses": [
        "calls of OpenAI's tools",
        "after a program of OpenAI's model",
        "a denied call of a server",
        "after a call of a server",
    ],
}


def broken_features(wire, bodies):
    """Broken forms of requests with tools of the provider and with breakpoints of a cache."""
    for chat, name, find, field, value in BROKEN_FEATURES.get(wire, []):
        changed = copy.deepcopy(bodies[chat])
        found = find(changed)
        if value is REMOVED:
            del found[field]
        else:
            found[field] = value
        yield name, changed


def read_parts(wire, bodies):
    """Reads the parts of replies, which go back unchanged, with the client's types. Returns their number."""
    count = 0
    for chat in REPLIES_WITH_TOOLS.get(wire, []):
        body = bodies[chat + TOOLS]
        if wire == "anthropic":
            parts = [part for message in body["messages"] if message["role"] == "assistant" for part in message["content"]]
        else:
            # Only items of the provider have ids.
            parts = [item for item in body["input"] if "id" in item]
        for part in parts:
            PARTS[wire].validate_python(part)
            try:
                PARTS[wire].validate_python({**part, "type": "other"})
            except pydantic.ValidationError:
                count += 1
            else:
                sys.exit(f"{wire}: the client's type accepts a part of an unknown type, so the test proves nothing")
        if not parts:
            sys.exit(f"{wire}: {chat} has no parts of replies")
    return count


def read_replies(wire, body):
    """Reads the blocks and items of the replies in a request, which go back unchanged, with the client's types."""
    if wire == "anthropic":
        parts = [block for message in body["messages"] for block in message["content"]]
    else:
        parts = body["input"]
    read = [REPLIES[wire][part["type"]].validate_python(part) for part in parts if part.get("type") in REPLIES[wire]]
    if len(read) != 2:
        sys.exit(f"{wire}: {len(read)} parts of replies instead of a search and a call")
    if wire == "responses" and (read[0].execution, read[1].namespace) != ("client", read[1].name):
        sys.exit(f"{wire}: the client reads {read}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    command = ["cargo", "run", "--quiet", "--example", "print_requests"]
    done = subprocess.run(command, cwd=WORKSPACE, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    requests = [json.loads(line) for line in done.stdout.splitlines()]
    failures = rejected = parts = 0
    for wire in JUDGES:
        bodies = [request for request in requests if request["wire"] == wire]
        for request in bodies:
            reason = problem(wire, request["body"])
            if reason:
                failures += 1
                print(f"{wire}: {request['name']}: {reason}")
                if arguments.verbose:
                    print(json.dumps(request["body"], indent=1))
        print(f"{wire}: {len(bodies)} requests")
        if not bodies:
            sys.exit(f"there are no requests on {wire}")
        typed = [request for request in bodies if request["name"] == TYPED]
        requests_to_break = [broken(wire, bodies[0]["body"]), broken_formats(wire, typed[0]["body"] if typed else None)]
        if wire in REPLIES:
            found = [request["body"] for request in bodies if request["name"] == FOUND]
            read_replies(wire, found[0])
            requests_to_break.append(broken_searches(wire, found[0]))
        by_name = {request["name"]: request["body"] for request in bodies}
        parts += read_parts(wire, by_name)
        requests_to_break.append(broken_features(wire, by_name))
        for name, body in itertools.chain(*requests_to_break):
            reason = problem(wire, body)
            if reason is None:
                sys.exit(f"{wire}: the client's type accepts {name}, so the test proves nothing")
            rejected += 1
            if arguments.verbose:
                print(f"{wire}: {name} is rejected: {reason}")
    print(f"{parts} parts of replies are read")
    print(f"{rejected} broken requests are rejected, {failures} requests are")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
