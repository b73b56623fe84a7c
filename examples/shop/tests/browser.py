#!/usr/bin/env python3
"""Tests the page of the shop in headless Chromium, and takes a picture of each stage.

It needs `playwright` of PyPI and Debian's `chromium`. The pictures are kept if SHOP_PICTURES names a folder.
"""

import os
import pathlib
import re
import shutil
import tempfile
import unittest

from playwright.sync_api import expect, sync_playwright

from shop import TIMEOUT, Shop

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        cls.addClassCleanup(cls.browser.close)
        folder = os.environ.get("SHOP_PICTURES")
        if not folder:
            temporary = tempfile.TemporaryDirectory()
            cls.addClassCleanup(temporary.cleanup)
            folder = temporary.name
        cls.pictures = pathlib.Path(folder)
        expect.set_options(timeout=TIMEOUT * 1000)

    def setUp(self):
        self.shop = Shop()
        self.addCleanup(self.shop.close)
        self.errors = []
        # The errors in the console that a test expects.
        self.expected_error = "none"

    def tearDown(self):
        self.assertEqual([error for error in self.errors if self.expected_error not in error], [])

    def open(self, **settings):
        context = self.browser.new_context(viewport={"width": 1180, "height": 860}, **settings)
        self.addCleanup(context.close)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda entry: entry.type == "error" and self.errors.append(entry.text))
        page.goto(f"http://127.0.0.1:{self.shop.port}/")
        self.state(page, "idle")
        return page

    def state(self, page, state):
        expect(page.locator("#state")).to_have_attribute("data-state", state)

    def picture(self, page, name):
        page.screenshot(path=self.pictures / f"{name}.png")

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

    def start_report(self, page, steps=1):
        self.suggest(page, "Show me the sales report")
        # A later step is right, too: the computer may be busy.
        later = "|".join(str(step) for step in range(steps, 13))
        expect(page.locator(".progress span")).to_contain_text(re.compile(rf"\(({later}) of 12\)"))

    def test_a_report_with_progress(self):
        self.shop.restart(report_step_ms=300)
        page = self.open()
        self.start_report(page, steps=5)
        self.picture(page, "03_progress")
        self.state(page, "idle")
        expect(page.locator("#chat .reply").last).to_contain_text("The revenue of 12 months")
        expect(self.row(page, "sales_report", "done").locator(".time")).to_have_text(
            re.compile(r"^\d+\.\d s$")
        )
        self.picture(page, "04_report")

    def test_an_approval_and_a_denial(self):
        page = self.open(color_scheme="dark")
        self.suggest(page, "Cancel the newest open order")
        self.row(page, "cancel_order", "waiting")
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
        denial = "the user denied it: The customer changed her mind <b>again</b>"
        expect(self.row(page, "cancel_order", "error").locator(".error")).to_have_text(denial)
        expect(page.locator("#chat .reply").last).to_contain_text(denial)
        self.assertEqual(self.shop.query("SELECT status FROM orders WHERE id = 71"), [("open",)])
        self.picture(page, "07_denied_dark")
        page.reload()
        expect(self.row(page, "cancel_order", "error").locator(".error")).to_have_text(denial)

    def test_a_closed_page_stops_the_report(self):
        self.shop.restart(report_step_ms=1000)
        page = self.open()
        self.start_report(page)
        page.close()
        self.shop.wait_for_stopped_report()

    def test_stop_and_continue(self):
        self.shop.restart(report_step_ms=500)
        page = self.open()
        self.start_report(page)
        page.get_by_role("button", name="Stop").click()
        self.state(page, "interrupted")
        self.picture(page, "08_stopped")
        page.get_by_role("button", name="Continue").click()
        self.state(page, "idle")
        expect(page.locator("#chat .reply").last).to_contain_text("The revenue of 12 months")

    def test_the_page_goes_on_after_the_server_was_killed(self):
        self.shop.restart(report_step_ms=1000)
        # Chromium reports each attempt to connect.
        self.expected_error = "net::ERR"
        page = self.open()
        self.start_report(page)
        self.shop.kill()
        self.state(page, "offline")
        self.picture(page, "09_offline")
        self.shop.restart()
        expect(page.locator("#chat .reply").last).to_contain_text("The revenue of 12 months")
        self.state(page, "idle")
        expect(page.locator(".user")).to_have_count(1)
        self.picture(page, "10_continued")

    def test_an_order_and_a_note_on_a_phone(self):
        page = self.open()
        page.set_viewport_size({"width": 390, "height": 780})
        self.suggest(page, "Order two Pebble mice for Ada Meyer")
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

    def test_a_new_message_skips_a_call(self):
        page = self.open()
        self.suggest(page, "Cancel the newest open order")
        self.state(page, "waiting")
        self.suggest(page, "Find headphones under 100 euros")
        expect(self.row(page, "cancel_order", "error").locator(".error")).to_have_text("skipped by user")
        self.state(page, "idle")
        expect(page.locator(".bar.tool")).to_have_count(1)

    def test_errors_are_shown(self):
        self.shop.restart(report_step_ms=2000)
        self.expected_error = "409 (Conflict)"
        page = self.open()
        other = page.context.new_page()
        other.goto(page.url)
        self.state(other, "idle")
        self.start_report(other)
        page.get_by_label("Message").fill("Hello?")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("alert")).to_contain_text("a run is in progress")
        self.state(page, "running")
        other.get_by_role("button", name="Stop").click()
        self.state(page, "interrupted")
        expect(page.get_by_role("alert")).to_contain_text("a run is in progress")
        expect(page.get_by_label("Message")).to_have_value("Hello?")
        self.picture(page, "13_error")
        self.assertEqual(len(self.errors), 1)
        page.get_by_role("button", name="Continue").click()
        self.state(page, "running")


if __name__ == "__main__":
    unittest.main()
