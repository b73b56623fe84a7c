"""Texts of tools, models and files that attack the page."""

import json

from browser import PageTest
from playwright.sync_api import expect

SCRIPT = '<script>window.attacked = 1</script><img src=x onerror="window.attacked = 2">'


class HostileTest(PageTest):
    def test_a_hostile_tool_can_be_called(self):
        page = self.tool("hostile_tool")
        form = page.get_by_role("region", name="Try")
        for presence in form.locator("select.presence").all():
            presence.select_option("value")
        with page.expect_request("**/api/calls") as request:
            self.call(page)
        sent = json.loads(json.loads(request.value.post_data)["arguments"])
        self.assertIn("__proto__", sent)
        page.get_by_role("button", name="Call it", exact=True).click()
        self.result(page)
        self.assertEqual(self.attacks(page), [])

    def test_a_hostile_result_is_a_text(self):
        page = self.tool("hostile_result")
        self.call(page)
        result = self.result(page)
        expect(result.locator("pre").first).to_contain_text(SCRIPT)
        expect(result.locator("pre").first).to_contain_text("before U+202Ereversed")
        result.get_by_role("button", name="Show all").first.click()
        result.get_by_text("The message as JSON").click()
        self.picture(page, "hostile_result")
        self.assertEqual(self.attacks(page), [])
        self.assertEqual(self.extra_width(page), 0)

    def test_invisible_characters_are_shown(self):
        page = self.open("sessions/hostile")
        call = page.locator(".call").nth(1)
        expect(call.locator("h4 .escape").first).to_have_text("U+202E")
        expect(call.locator("h4")).to_contain_text("before U+202Ereversed")

    def test_a_long_line_is_shown_when_the_user_asks_for_it(self):
        page = self.open("sessions/hostile")
        button = page.locator(".message.user").get_by_role("button")
        expect(button).to_contain_text("Show all 1,000,0")
        button.click()
        expect(button).to_have_text("Show less")
        self.assertGreater(len(page.locator(".message.user pre").text_content()), 1_000_000)
        self.assertEqual(self.extra_width(page), 0)

    def test_a_hostile_file_name_and_history_are_texts(self):
        page = self.open("sessions")
        body = json.dumps([{"role": SCRIPT, "content": SCRIPT}, {"role": "user", "content": SCRIPT}]).encode()
        file = {"name": f"{SCRIPT}.json", "mimeType": "application/json", "buffer": body}
        self.expected_error = "400 (Bad Request)"
        page.get_by_label("Or a file").set_input_files(file)
        expect(page.locator("h1")).not_to_have_text("Sessions")
        self.assertEqual(self.attacks(page), [])

    def test_a_hostile_address_is_a_text(self):
        self.expected_error = "404 (Not Found)"
        page = self.open()
        for part in ["tools/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "sessions/..%2f..%2fapi", "tools/%E0%A4%A", "%00"]:
            self.go(page, part)
            self.assertEqual(self.attacks(page), [])
