#!/usr/bin/env python3
"""Tests the server of the shop: what users notice when connections break, requests collide and the server is killed.

Build the shop first (`cargo build`); CARGO_TARGET_DIR is the folder of its program if it is not `target`.
"""

import os
import signal
import sqlite3
import subprocess
import tempfile
import threading
import unittest

from shop import PROGRAM, TIMEOUT, Shop, User, environment, wait_for

ORDER = {"text": "Order two Pebble mice for Ada Meyer"}
REPORT = {"text": "Show me the sales report"}
PLACED = "SELECT count(*) FROM orders WHERE call_key IS NOT NULL"


def until(events, kind, status=None):
    for event in events:
        if event["type"] == kind and event.get("status") == status:
            return event
    raise AssertionError(f"there is no event {kind} {status}")


def until_finished(events, tool):
    while until(events, "call", "finished")["tool"] != tool:
        pass


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.shop = Shop()
        self.addCleanup(self.shop.close)
        self.user = User(self.shop)

    def ask_to_cancel(self):
        status, end = self.user.send("POST", "/chat", {"text": "Cancel order 70"})
        self.assertEqual((status, end["end"]), (200, "needs_approval"))
        return end["waiting"][0]["id"]

    def test_a_wrong_argument_is_corrected_and_users_see_no_internal_data(self):
        events = list(self.user.events("/chat", {"text": "Which orders are open?"}))
        results = [event for event in events if event.get("status") == "finished"]
        self.assertEqual([event["is_error"] for event in results], [True, False])
        self.assertIn("expected `open`, `shipped`, `cancelled`", results[0]["result"])
        self.assertEqual(events[-1]["end"], "answered")
        self.assertTrue(events[-1]["text"].startswith("6 orders are open."))
        text = "".join(event["text"] for event in events if event["type"] == "text")
        self.assertTrue(text.endswith(events[-1]["text"]))
        self.assertNotIn("warning", {event["type"] for event in events})
        self.assertNotIn("outcome", str(events))

    def test_a_disconnect_stops_the_report_and_resume_continues(self):
        self.shop.restart(report_step_ms=1000)
        events = self.user.events("/chat", REPORT)
        self.assertEqual(until(events, "call", "progress")["total"], 12)
        events.close()
        self.shop.wait_for_stopped_report()
        wait_for(lambda: self.user.session()["state"] == "interrupted", "the run is stored")
        self.shop.restart()
        status, end = self.user.send("POST", "/resume")
        self.assertEqual((status, end["end"]), (200, "answered"))
        self.assertIn("The revenue of 12 months", end["text"])

    def test_a_stopped_report_has_no_further_step(self):
        self.shop.restart(report_step_ms=1000)
        events = self.user.events("/chat", REPORT)
        until(events, "call", "progress")
        events.close()
        self.shop.wait_for_stopped_report()
        self.assertEqual(self.user.send("POST", "/chat", {"text": "Which orders are open?"})[1]["end"], "answered")
        self.assertEqual(self.shop.report_log()[-1], "stopped")

    def test_a_run_in_progress_is_a_conflict(self):
        self.shop.restart(report_step_ms=2000)
        events = self.user.events("/chat", REPORT)
        until(events, "call", "started")
        self.assertEqual(self.user.session()["state"], "running")
        for method, path, body in [("POST", "/chat", REPORT), ("DELETE", "/session", None)]:
            status, response = self.user.send(method, path, body)
            self.assertEqual((status, response["error"]), (409, "a run is in progress; wait until it ends"))
        events.close()

    def test_a_conversation_that_is_removed_during_its_run_is_not_stored(self):
        self.shop.restart(report_step_ms=500)
        events = self.user.events("/chat", REPORT)
        until(events, "call", "started")
        self.shop.query("DELETE FROM sessions")
        self.assertIn("the conversation was removed during the run", list(events)[-1]["error"])
        self.assertEqual(self.user.session(), {"state": "idle", "messages": [], "waiting": []})

    def test_two_approvals_at_once_have_one_effect(self):
        quantities = "SELECT product_id, quantity FROM order_lines WHERE order_id = 70"
        stock = dict(self.shop.query("SELECT id, stock FROM products"))
        for product, quantity in self.shop.query(quantities):
            stock[product] += quantity
        approval = {"id": self.ask_to_cancel(), "decision": "approve"}
        barrier, responses = threading.Barrier(8), []

        def approve(user):
            barrier.wait()
            responses.append(user.send("POST", "/approve", approval))

        threads = [threading.Thread(target=approve, args=(self.user,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # 409 during the run, 404 after it.
        others = sorted(status for status, _ in responses)[1:]
        self.assertEqual(sum(status == 200 for status, _ in responses), 1, responses)
        self.assertLessEqual(set(others), {404, 409}, responses)
        self.assertEqual(self.shop.query("SELECT status FROM orders WHERE id = 70"), [("cancelled",)])
        self.assertEqual(dict(self.shop.query("SELECT id, stock FROM products")), stock, "once")
        self.assertEqual(self.user.send("POST", "/approve", approval)[0], 404)

    def kill_after_order(self):
        with self.shop.no_end_is_stored("SELECT count(*) FROM orders WHERE call_key IS NOT NULL"):
            events = self.user.events("/chat", ORDER)
            until_finished(events, "place_order")
            self.shop.kill()
        self.shop.start()

    def test_a_killed_server_places_an_order_once(self):
        self.kill_after_order()
        self.assertEqual(self.shop.query(PLACED), [(1,)])
        self.assertEqual(self.user.session()["state"], "interrupted")
        status, end = self.user.send("POST", "/resume")
        self.assertEqual((status, end["end"]), (200, "answered"))
        self.assertIn("Order 73 is placed", end["text"])
        self.assertEqual(self.shop.query(PLACED), [(1,)], "the same order")
        self.assertIn("Order 74 is placed", self.user.send("POST", "/chat", ORDER)[1]["text"])
        self.assertEqual(self.shop.query(PLACED), [(2,)], "another order")

    def test_a_new_message_after_a_crash_places_another_order(self):
        self.kill_after_order()
        self.assertIn("Order 74 is placed", self.user.send("POST", "/chat", ORDER)[1]["text"])

    def test_a_killed_server_does_not_cancel_an_order_twice(self):
        approval = {"id": self.ask_to_cancel(), "decision": "approve"}
        with self.shop.no_end_is_stored("SELECT status = 'cancelled' FROM orders WHERE id = 70"):
            events = self.user.events("/approve", approval)
            until_finished(events, "cancel_order")
            self.shop.kill()
        self.shop.start()
        end = self.user.send("POST", "/resume")[1]
        self.assertEqual(end["end"], "answered")
        self.assertIn("It may have taken effect", end["text"])

    def test_a_denial_and_other_arguments(self):
        denial = {"id": self.ask_to_cancel(), "decision": "deny", "reason": "the customer waits for it"}
        events = list(self.user.events("/approve", denial))
        self.assertEqual(events[0]["result"], "Error: the user denied it: the customer waits for it")
        self.assertEqual(events[0]["cause"], "denied")
        self.assertIn("the customer waits for it", events[-1]["text"])
        approval = {"id": self.ask_to_cancel(), "decision": "approve", "arguments": {"order": 69}}
        self.assertIn("Order 69 is cancelled", self.user.send("POST", "/approve", approval)[1]["text"])
        self.assertEqual(
            self.shop.query("SELECT id FROM orders WHERE id IN (69, 70) AND status = 'cancelled'"), [(69,)]
        )

    def test_a_new_message_skips_a_call_that_waits(self):
        call = self.ask_to_cancel()
        first = next(self.user.events("/chat", {"text": "Hello"}))
        self.assertEqual((first["id"], first["result"]), (call, "Error: skipped by user"))
        self.assertEqual(first["cause"], "skipped")

    def test_sessions_belong_to_users(self):
        call = self.ask_to_cancel()
        other = User(self.shop)
        self.assertEqual(other.session(), {"state": "idle", "messages": [], "waiting": []})
        self.assertEqual(other.send("POST", "/approve", {"id": call, "decision": "approve"})[0], 404)
        self.assertEqual(self.user.session()["waiting"][0]["id"], call)
        self.assertEqual(self.user.send("DELETE", "/session")[0], 204)
        self.assertEqual(self.user.session()["messages"], [])

    def test_bad_requests(self):
        call = self.ask_to_cancel()
        events = {"accept": "text/event-stream"}
        cases = [
            ("POST", "/chat", "", {}, 400, "JSON"),
            ("POST", "/chat", "{", events, 400, "JSON"),
            ("POST", "/chat", b"\xff\xfe", {}, 400, "JSON"),
            ("POST", "/chat", {"text": "Hello"}, {"content-type": None}, 415, "Content-Type"),
            ("POST", "/chat", {"text": " \n"}, events, 400, "empty"),
            ("POST", "/chat", {"text": "a" * 4001}, {}, 400, "at most 4000 bytes"),
            ("POST", "/chat", {"text": "a" * 3_000_000}, {}, 413, "limit"),
            ("POST", "/chat", {"text": 1}, {}, 422, "string"),
            ("POST", "/chat", {"message": "Hello"}, {}, 422, "`text`"),
            ("POST", "/approve", {"id": "unknown", "decision": "approve"}, events, 404, "`unknown`"),
            ("POST", "/approve", {"id": call, "decision": "maybe"}, {}, 422, "`approve` or `deny`"),
            ("POST", "/approve", {"id": call, "decision": "approve", "arguments": [1]}, {}, 422, "map"),
            ("POST", "/approve", {"id": call, "decision": "deny", "arguments": {}}, {}, 422, "`arguments`"),
            ("POST", "/approve", {"decision": "deny"}, {}, 422, "`id`"),
            ("POST", "/resume", None, events, 409, "nothing was interrupted"),
            ("GET", "/chat", None, {}, 405, "the method is not allowed here"),
            ("GET", "/orders", None, {}, 404, "no such route"),
            ("POST", "/resume", None, {"host": "shop.example"}, 403, "another site"),
            ("GET", "/session", None, {"host": "shop.example:80"}, 403, "another site"),
            ("POST", "/resume", None, {"origin": "http://127.0.0.1:1"}, 403, "another site"),
            ("POST", "/resume", None, {"origin": "null"}, 403, "another site"),
        ]
        for method, path, body, headers, status, text in cases:
            with self.subTest(path=path, body=str(body)[:80]):
                found, response = self.user.send(method, path, body, headers)
                self.assertEqual(found, status, response)
                self.assertIn(text, response["error"])
        self.assertEqual(self.user.session()["waiting"][0]["id"], call, "nothing has changed")
        self.assertEqual(User(self.shop).send("POST", "/resume")[0], 409, "there is no session")

    def test_a_locked_database_is_a_clear_error(self):
        self.user.session()
        other = sqlite3.connect(self.shop.path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        status, response = self.user.send("POST", "/chat", REPORT)
        self.assertEqual(status, 503)
        self.assertIn("locked by another program", response["error"])
        other.execute("ROLLBACK")
        # Locked during a run: a tool fails, and the end of the run cannot be stored.
        self.shop.restart(report_step_ms=500)
        events = self.user.events("/chat", REPORT)
        until(events, "call", "progress")
        other.execute("BEGIN EXCLUSIVE")
        self.assertIn("locked by another program", until(events, "call", "finished")["result"])
        self.assertIn("locked by another program", list(events)[-1]["error"])
        other.execute("ROLLBACK")
        other.close()
        self.assertTrue(any("database is locked" in line for line in self.shop.log), "the cause is in the log")
        self.shop.restart()
        self.assertEqual(self.user.session()["state"], "interrupted")
        self.assertEqual(self.user.send("POST", "/resume")[1]["end"], "answered")

    def test_a_read_only_database_is_a_clear_error(self):
        self.user.session()
        read_only = Shop(f"file:{self.shop.path}?mode=ro")
        self.addCleanup(read_only.close)
        for user in (self.user, User(read_only)):
            user.shop = read_only
            status, response = user.send("POST", "/chat", REPORT)
            self.assertEqual((status, response["error"]), (500, "the database is read-only; nothing can be changed"))

    def test_an_interrupt_of_the_server_ends_runs_and_stores_them(self):
        for sent in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(sent=sent.name):
                self.shop.restart(report_step_ms=500)
                events = self.user.events("/chat", REPORT)
                until(events, "call", "progress")
                self.shop.process.send_signal(sent)
                self.assertEqual(list(events)[-1]["end"], "cancelled")
                self.assertEqual(self.shop.process.wait(TIMEOUT), 0)
                self.shop.start()
                self.assertEqual(self.user.session()["state"], "interrupted")

    def test_a_server_that_cannot_start_names_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "shop.db")
            for variables, text in [
                ({"SHOP_PORT": "http"}, "SHOP_PORT is not a port: http"),
                ({"SHOP_PORT": str(self.shop.port)}, "set SHOP_PORT to another one"),
                ({"SHOP_DATABASE": folder}, f"cannot open {folder}"),
                ({"TOOL_WIRE": "telegraph"}, "telegraph"),
            ]:
                variables = environment(**{"SHOP_DATABASE": path, **variables})
                ended = subprocess.run([PROGRAM], env=variables, capture_output=True, text=True, timeout=TIMEOUT)
                self.assertEqual(ended.returncode, 1)
                self.assertIn(text, ended.stderr)


if __name__ == "__main__":
    unittest.main()
