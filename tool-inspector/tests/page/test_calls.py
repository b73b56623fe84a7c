"""Calls, from the confirmation to the message that the model reads."""

import json
import re

from browser import PageTest, Program
from playwright.sync_api import expect


class CallsTest(PageTest):
    def panel(self, page, title):
        panel = page.get_by_role("region", name=title)
        expect(panel.locator("h3")).to_be_focused()
        return panel

    def confirm(self, page):
        self.call(page)
        self.panel(page, "Call the tool?").get_by_role("button", name="Call it", exact=True).click()

    def status(self, page, text):
        expect(page.locator(".status-line")).to_have_text(text)

    def text_of(self, page):
        return self.result(page).locator("pre").first

    def filled_booking(self):
        page = self.tool("book")
        for name, value in [("name", "Ada"), ("age", "36"), ("date", "2026-12-01")]:
            page.get_by_role("textbox", name=name, exact=True).fill(value)
        return page

    def test_a_result_is_the_message_that_the_model_reads(self):
        page = self.tool("get_weather")
        page.get_by_role("textbox", name="city", exact=True).fill("Vienna")
        self.call(page)
        expect(self.text_of(page)).to_have_text("Vienna in 0 days: sunny")
        self.status(page, re.compile(r"^The call is done after [\d.]+ (ms|s)\.$"))
        result = self.result(page)
        expect(result.locator("dl")).to_contain_text(re.compile(r"Tokens\d+"))
        result.get_by_text("The message as JSON").click()
        message = json.loads(result.get_by_role("group").locator("pre").inner_text())
        self.assertEqual((message["role"], message["content"]), ("tool", "Vienna in 0 days: sunny"))
        self.picture(page, "call_result")

    def test_an_error_of_the_tool_is_shown_as_the_model_reads_it(self):
        page = self.tool("get_weather")
        page.get_by_role("textbox", name="city", exact=True).fill("Atlantis")
        self.call(page)
        expect(self.text_of(page)).to_have_text("Error: there is no weather under water")
        self.status(page, re.compile("^The model reads an error"))
        expect(self.result(page).locator("dl")).to_contain_text("returned")
        self.picture(page, "call_error")

    def test_the_model_does_not_read_the_reason_of_a_panic(self):
        page = self.tool("crash")
        self.call(page)
        expect(self.result(page).locator("h3")).to_contain_text("an error")
        expect(page.locator("main")).not_to_contain_text("the reason stays in the program")

    def test_an_image_is_shown(self):
        page = self.tool("draw")
        self.call(page)
        image = self.result(page).get_by_role("img", name="Image that the model reads")
        expect(image).to_be_visible()
        self.assertEqual(image.evaluate("(image) => [image.naturalWidth, image.naturalHeight]"), [1, 1])
        expect(self.text_of(page)).to_have_text("a red pixel")

    def test_a_tool_with_effects_runs_after_a_confirmation(self):
        page = self.tool("tag_page")
        page.get_by_role("textbox", name="page", exact=True).fill("trip")
        self.call(page)
        panel = self.panel(page, "Call the tool?")
        expect(panel).to_contain_text("not declared read_only")
        self.status(page, "The call may have effects. Nothing ran yet.")
        self.picture(page, "confirmation")
        panel.get_by_role("button", name="Do not call it").click()
        self.status(page, "Not called.")
        expect(page.locator(".result")).to_have_count(0)
        self.confirm(page)
        expect(self.text_of(page)).to_have_text("4")

    def test_an_approved_call_runs(self):
        page = self.filled_booking()
        self.confirm(page)
        panel = self.panel(page, "Approve the call?")
        expect(panel.locator("pre")).to_contain_text('"date": "2026-12-01"')
        self.picture(page, "approval")
        panel.get_by_role("button", name="Approve").click()
        booking = json.loads(self.text_of(page).inner_text())
        self.assertEqual(booking["traveller"]["name"], "Ada")

    def test_a_denied_call_does_not_run_and_the_model_reads_the_reason(self):
        page = self.filled_booking()
        self.confirm(page)
        panel = self.panel(page, "Approve the call?")
        panel.get_by_label("Reason for the model").fill("The date is <b>wrong</b>")
        panel.get_by_role("button", name="Deny").click()
        expect(self.text_of(page)).to_contain_text("The date is <b>wrong</b>")
        expect(self.result(page).locator("dl")).to_contain_text("denied")

    def test_progress_is_shown_while_the_tool_runs(self):
        page = self.tool("count")
        page.get_by_role("textbox", name="steps", exact=True).fill("100")
        self.call(page)
        # A later step is right, too: the computer may be busy.
        expect(page.locator(".progress-text")).to_have_text(re.compile(r"^([3-9]|\d\d) of 100: step \d+$"))
        bar = page.get_by_role("progressbar", name="Progress of count")
        self.assertGreater(bar.evaluate("(bar) => bar.value / bar.max"), 0.02)
        self.picture(page, "progress")
        expect(self.text_of(page)).to_have_text("counted to 100")
        expect(bar).to_be_hidden()

    def test_a_call_can_be_stopped(self):
        page = self.tool("count")
        page.get_by_role("textbox", name="steps", exact=True).fill("100")
        stop = page.get_by_role("button", name="Stop")
        expect(stop).to_be_disabled()
        self.call(page)
        expect(page.locator(".progress-text")).to_be_visible()
        with page.expect_event("requestfailed"):
            stop.click()
        self.status(page, "Stopped. The server cancels the call.")
        expect(stop).to_be_disabled()
        expect(page.locator(".result")).to_have_count(0)
        page.get_by_role("textbox", name="steps", exact=True).fill("1")
        self.call(page)
        expect(self.text_of(page)).to_have_text("counted to 1")

    def test_a_question_of_the_tool_has_a_form(self):
        page = self.tool("ask_size")
        self.call(page)
        panel = self.panel(page, "A question of the tool")
        expect(panel).to_contain_text("Which size? <script>")
        panel.get_by_role("combobox", name="size", exact=True).select_option(label='"L"')
        panel.get_by_label("Presence of gift", exact=True).select_option("value")
        self.picture(page, "question")
        panel.get_by_role("button", name="Send the answer").click()
        expect(self.text_of(page)).to_have_text('the size is "L"')
        self.assertEqual(self.attacks(page), [])

    def test_a_question_can_be_declined(self):
        page = self.tool("ask_size")
        for answer in ["Decline", "Cancel"]:
            self.call(page)
            self.panel(page, "A question of the tool").get_by_role("button", name=answer).click()
            expect(self.text_of(page)).to_have_text("the user did not answer")

    def test_an_answer_that_the_schema_does_not_allow_can_be_corrected(self):
        self.expected_error = "status of 4"
        page = self.tool("ask_size")
        self.call(page)
        panel = self.panel(page, "A question of the tool")
        panel.get_by_role("combobox", name="size", exact=True).select_option(label="another value …")
        panel.get_by_role("textbox", name="size", exact=True).fill('"XXL"')
        panel.get_by_role("button", name="Send the answer").click()
        expect(page.locator(".status-line, .result").last).to_contain_text("XXL")

    def test_a_result_from_elsewhere_is_entered_by_the_user(self):
        page = self.tool("export")
        self.confirm(page)
        panel = self.panel(page, "The result of the call")
        panel.get_by_label("Text of the result").fill("exported 7 rows")
        self.picture(page, "result_from_elsewhere")
        panel.get_by_role("button", name="Send the result").click()
        expect(self.text_of(page)).to_have_text("exported 7 rows")
        self.confirm(page)
        panel = self.panel(page, "The result of the call")
        panel.get_by_label("Text of the result").fill("the disk is full")
        panel.get_by_label("The result is an error").check()
        panel.get_by_role("button", name="Send the result").click()
        expect(self.text_of(page)).to_have_text("Error: the disk is full")

    def test_a_program_that_has_ended_is_an_error_on_the_page(self):
        self.expected_error = "net::ERR"
        program = Program()
        self.addCleanup(program.close)
        page = self.page
        self.go(page, "tools/count", program)
        page.get_by_role("textbox", name="steps", exact=True).fill("100")
        self.call(page)
        expect(page.locator(".progress-text")).to_be_visible()
        program.close()
        expect(page.locator(".run .notice.bad")).to_be_visible()
        self.status(page, "The call failed.")
        self.call(page)
        expect(page.locator(".run .notice.bad")).to_contain_text("Is the program still running?")
