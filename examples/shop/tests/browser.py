#!/usr/bin/env python3
"""Tests the page of the shop in headless Chromium, and takes a picture of each stage.

It needs `playwright` of PyPI and Debian's `chromium`. SHOP_PICTURES is the folder of the pictures; default: none are kept.
"""

import os
import pathlib
import re
import shutil
import tempfile
import unittest

from playwright.sync_api import expect, sync_playwright

from shop import TIMEOUT, Shop, wait_for

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
PICTURES = pathlib.Path(os.environ.get("SHOP_PICTURES") or tempfile.mkdtemp())


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        PICTURES.mkdir(parents=True, exist_ok=True)
        expect.set_options(timeout=TIMEOUT * 1000)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()

    def setUp(self):
        self.shop = Shop()
        self.addCleanup(self.shop.close)

    def open(self, **settings):
        context = self.browser.new_context(viewport={"width": 1180, "height": 860}, **settings)
        self.addCleanup(context.close)
        page = context.new_page()
        self.errors = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda entry: entry.type == "error" and self.errors.append(entry.text))
        page.goto(f"http://127.0.0.1:{self.shop.port}/")
        self.state(page, "idle")
        return page

    def state(self, page, state):
        expect(page.locator("#state")).to_have_attribute("data-state", state)

    def picture(self, page, name):
        page.screenshot(path=PICTURES / f"{name}.png")

    def suggest(self, page, text):
        page.locator("button:visible").filter(has_text=text).click()

    def row(self, page, tool, state):
        row = page.locator(f".call[data-state={state}]").filter(has=page.locator(".name", has_text=tool))
        expect(row).to_be_visible()
        return row

    def test_a_question_and_a_wrong_argument(self):
        page = self.open()
        self.picture(page, "01_welcome")
        page.get_by_label("Message").fill("Which orders are open?")
        page.get_by_label("Message").press("Enter")
        expect(page.locator(".user")).to_have_text("Which orders are open?")
        self.state(page, "idle")
        expect(self.row(page, "list_orders", "error").locator(".result")).to_contain_text("expected `open`")
        done = self.row(page, "list_orders", "done")
        expect(page.locator("#chat .reply").last).to_contain_text("6 orders are open.")
        expect(page.locator(".bar.reply")).to_have_count(3)
        done.locator("summary").click()
        expect(done.locator(".result")).to_contain_text('"customer": "Luca Ferri"')
        self.picture(page, "02_corrected")
        page.reload()
        self.state(page, "idle")
        expect(page.locator("#chat .reply").last).to_contain_text("6 orders are open.")
        expect(page.locator(".call[data-state=error]")).to_have_count(1)
        self.assertEqual(self.errors, [])

    def test_a_report_with_progress(self):
        page = self.open()
        self.suggest(page, "Show me the sales report")
        row = self.row(page, "sales_report", "running")
        expect(row.locator(".progress span")).to_contain_text(re.compile(r"\([4-9] of 12"))
        self.picture(page, "03_progress")
        self.state(page, "idle")
        expect(page.locator("#chat .reply").last).to_contain_text("The revenue of 12 months")
        expect(self.row(page, "sales_report", "done").locator(".time")).to_have_text(
            re.compile(r"^[345]\.\d s$")
        )
        self.picture(page, "04_report")
        self.assertEqual(self.errors, [])

    def test_an_approval_and_a_denial(self):
        page = self.open(color_scheme="dark")
        self.suggest(page, "Cancel the newest open order")
        row = self.row(page, "cancel_order", "waiting")
        self.state(page, "waiting")
        self.picture(page, "05_approval_dark")
        # The decision is stored: another visit of the page shows it again.
        page.reload()
        row = self.row(page, "cancel_order", "waiting")
        expect(row.locator("pre").first).to_contain_text('"order": 72')
        self.assertEqual(self.shop.query("SELECT status FROM orders WHERE id = 72"), [("open",)])
        row.get_by_role("button", name="Approve").click()
        self.state(page, "idle")
        expect(page.locator("#chat .reply").last).to_contain_text("Order 72 is cancelled")
        self.assertEqual(self.shop.query("SELECT status FROM orders WHERE id = 72"), [("cancelled",)])
        self.picture(page, "06_approved_dark")
        self.suggest(page, "Cancel the newest open order")
        row = self.row(page, "cancel_order", "waiting")
        row.get_by_label("Reason for a denial").fill("The customer changed her mind <b>again</b>")
        row.get_by_role("button", name="Deny").click()
        self.state(page, "idle")
        self.row(page, "cancel_order", "error")
        expect(page.locator("#chat .reply").last).to_contain_text("her mind <b>again</b>")
        self.assertEqual(self.shop.query("SELECT status FROM orders WHERE id = 71"), [("open",)])
        self.picture(page, "07_denied_dark")
        self.assertEqual(self.errors, [])

    def test_a_closed_page_stops_the_report(self):
        page = self.open()
        self.suggest(page, "Show me the sales report")
        expect(page.locator(".progress span")).to_contain_text(re.compile(r"\([2-5] of 12"))
        page.close()
        wait_for(lambda: any("stopped" in line for line in self.shop.log), "the report stops")
        self.assertLess(self.shop.report_steps(), 6)

    def test_stop_and_continue(self):
        page = self.open()
        self.suggest(page, "Show me the sales report")
        expect(page.locator(".progress span")).to_contain_text(re.compile(r"\([2-5] of 12"))
        page.get_by_role("button", name="Stop").click()
        self.state(page, "interrupted")
        self.picture(page, "08_stopped")
        page.get_by_role("button", name="Continue").click()
        self.state(page, "idle")
        expect(page.locator("#chat .reply").last).to_contain_text("The revenue of 12 months")
        self.assertEqual(self.errors, [])

    def test_the_page_goes_on_after_the_server_was_killed(self):
        page = self.open()
        self.suggest(page, "Show me the sales report")
        expect(page.locator(".progress span")).to_contain_text(re.compile(r"\([3-9] of 12"))
        self.shop.stop()
        self.state(page, "offline")
        self.picture(page, "09_offline")
        self.shop.start()
        expect(page.locator("#chat .reply").last).to_contain_text("The revenue of 12 months")
        self.state(page, "idle")
        expect(page.locator(".user")).to_have_count(1)
        self.picture(page, "10_continued")
        # Chromium reports each attempt to connect.
        self.assertEqual([error for error in self.errors if "net::ERR" not in error], [])

    def test_an_order_and_a_note_on_a_phone(self):
        page = self.open()
        page.set_viewport_size({"width": 390, "height": 780})
        self.suggest(page, "Order two Pebble mice for Ada Meyer")
        self.state(page, "running")
        self.state(page, "idle")
        expect(page.locator("#chat .reply").last).to_contain_text("Order 73 is placed: 2 of Pebble")
        self.picture(page, "11_phone")
        self.suggest(page, "Write a note on the newest open order")
        self.row(page, "add_note", "done")
        self.state(page, "idle")
        self.assertEqual(self.shop.query("SELECT author FROM notes WHERE order_id = 73"), [("clerk 1",)])
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
        page.evaluate("document.querySelector('aside').scrollIntoView()")
        self.picture(page, "12_phone_timeline")
        self.assertEqual(self.errors, [])

    def test_errors_are_shown(self):
        page = self.open()
        page.evaluate("void fetch('/chat', {method: 'POST', headers: {'content-type': 'application/json'}, "
                      "body: JSON.stringify({text: 'Show me the sales report'})})")
        wait_for(self.shop.report_steps, "another page runs the session")
        page.get_by_label("Message").fill("Hello?")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("alert")).to_contain_text("a run is in progress")
        self.state(page, "idle")
        expect(page.get_by_label("Message")).to_have_value("Hello?")
        self.picture(page, "13_error")


if __name__ == "__main__":
    unittest.main()
