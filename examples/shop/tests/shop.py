"""Starts the shop, and sends requests to it. Python's standard library only."""

import contextlib
import http.client
import json
import os
import pathlib
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time

TARGET = os.environ.get("CARGO_TARGET_DIR", pathlib.Path(__file__).parent.parent / "target")
PROGRAM = pathlib.Path(TARGET) / "debug" / "shop"
TIMEOUT = 30


def wait_for(condition, text):
    """Waits until the condition has a value that is true, and returns it."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"not within {TIMEOUT} s: {text}")


def environment(**variables):
    """The environment without a server of a model."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_BASE_URL")}
    return {**kept, **variables}


class Shop:
    """The program with a database of its own. It can be killed and started again on the same port.

    `report_step_ms` is the time of one of the 12 steps of the sales report: long for a report that a test interrupts, since
    the computer may be busy.
    """

    def __init__(self, database=None, report_step_ms=50):
        self.report_step_ms = report_step_ms
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "shop.db")
        self.database = database or self.path
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = []
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment(
                SHOP_PORT=str(self.port), SHOP_DATABASE=self.database, SHOP_REPORT_STEP_MS=str(self.report_step_ms),
            ),
        )
        started = len(self.log)
        threading.Thread(target=self.read_log, args=(self.process.stdout,), daemon=True).start()
        wait_for(lambda: any("Open http" in line for line in self.log[started:]), f"start, {self.log}")

    def read_log(self, output):
        with output:
            self.log.extend(output)

    def kill(self):
        self.process.kill()
        self.process.wait(TIMEOUT)

    def restart(self, report_step_ms=50):
        self.kill()
        self.report_step_ms = report_step_ms
        self.start()

    def close(self):
        self.kill()
        self.folder.cleanup()

    def query(self, sql, *values):
        connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    @contextlib.contextmanager
    def no_end_is_stored(self, condition):
        """Rejects the end of a run while the condition is true, so that a kill comes before it on a busy computer, too."""
        change = "BEFORE UPDATE ON sessions WHEN ({}) BEGIN SELECT RAISE(ABORT, 'not stored'); END"
        self.query(f"CREATE TRIGGER unstored {change.format(condition)}")
        yield
        self.query("DROP TRIGGER unstored")

    def report_log(self):
        """The lines that the sales report has written: the month of each step, or that it stopped."""
        return [line.split(": ")[1].strip() for line in self.log if line.startswith("report for")]

    def wait_for_stopped_report(self):
        wait_for(lambda: self.report_log()[-1:] == ["stopped"], "the report stops")


class User:
    """A browser without a page: keeps its cookie."""

    def __init__(self, shop):
        self.shop = shop
        self.cookie = None

    def open(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.shop.port, timeout=TIMEOUT)
        sent = {"content-type": "application/json", **(headers or {})}
        if self.cookie:
            sent["cookie"] = self.cookie
        text = body if isinstance(body, (str, bytes, type(None))) else json.dumps(body)
        connection.request(method, path, text, {name: value for name, value in sent.items() if value})
        response = connection.getresponse()
        cookie = response.getheader("set-cookie")
        if cookie:
            self.cookie = cookie.split(";")[0]
        return connection, response

    def send(self, method, path, body=None, headers=None):
        """The status, and the body as JSON."""
        connection, response = self.open(method, path, body, headers)
        text = response.read()
        connection.close()
        return response.status, json.loads(text) if text else None

    def session(self):
        return self.send("GET", "/session")[1]

    def events(self, path, body=None):
        """The events of a run. Closing the generator disconnects."""
        connection, response = self.open("POST", path, body, {"accept": "text/event-stream"})
        try:
            assert response.status == 200, response.read()
            for line in response:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])
        finally:
            response.close()
            connection.close()
