"""Prints the definitions of nine public MCP servers, an object per line: `{"server": .., "name": .., "inputSchema": ..}`.

    python list_server_tools.py FOLDER > servers.jsonl

Installs the servers from npm and PyPI into the folder, starts each one, and asks it for its tools.
"""

import json
import pathlib
import subprocess
import sys
import threading

NPM = {
    "@modelcontextprotocol/server-everything": ["dist/index.js"],
    "@modelcontextprotocol/server-filesystem": ["dist/index.js", "."],
    "@modelcontextprotocol/server-memory": ["dist/index.js"],
    "@notionhq/notion-mcp-server": ["bin/cli.mjs"],
    "firecrawl-mcp": ["dist/index.js"],
    "@playwright/mcp": ["cli.js"],
}
PYPI = {"mcp-server-git": "mcp-server-git", "mcp-server-time": "mcp-server-time", "mcp-server-fetch": "mcp-server-fetch"}
KEYS = {"FIRECRAWL_API_KEY": "none", "NOTION_TOKEN": "none", "OPENAPI_MCP_HEADERS": "{}"}


def tools(command):
    import os

    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **KEYS})
    timer = threading.Timer(60, server.kill)
    timer.start()

    def send(**message):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()

    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "list", "version": "1"}}
    send(id=1, method="initialize", params=client)
    found = []
    for line in server.stdout:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message.get("id") == 1:
            send(method="notifications/initialized")
            send(id=2, method="tools/list")
        elif message.get("id") == 2:
            found = message["result"]["tools"]
            break
    timer.cancel()
    server.kill()
    return found


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for package, arguments in NPM.items():
        subprocess.run(["npm", "install", "--silent", "--prefix", folder, package], check=False, stdout=sys.stderr)
        start = folder / "node_modules" / package / arguments[0]
        report(package, ["node", str(start), *arguments[1:]])
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    for package, program in PYPI.items():
        subprocess.run([folder / "venv/bin/pip", "install", "--quiet", package], check=False, stdout=sys.stderr)
        report(package, [str(folder / "venv/bin" / program)])


def report(package, command):
    try:
        found = tools(command)
    except OSError as error:
        found = []
        print(package, error, file=sys.stderr)
    print(f"{package}: {len(found)} tools", file=sys.stderr)
    for tool in found:
        fields = {key: tool.get(key) for key in ("name", "description", "inputSchema")}
        print(json.dumps({"server": package, **fields}), flush=True)


main()
