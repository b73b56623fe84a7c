"""Stored sessions, pasted histories and live runs."""

import json
import re

from browser import PageTest
from playwright.sync_api import expect

HISTORY = [
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Good day."},
]


class SessionsTest(PageTest):
    def session(self, name):
        page = self.open(f"sessions/{name}")
        expect(page.locator(".message").first).to_be_visible()
        return page

    def facts(self, page):
        return page.locator(".summary dl.facts")

    def jump(self, page, kind, text):
        page.get_by_role("button", name=f"Next {kind}").click()
        expect(page.locator(".jump-status")).to_have_text(text)
        return page.locator(".marked")

    def paste(self, page, text):
        page.get_by_label("Text of the history").fill(text)
        page.get_by_role("button", name="Show the history").click()

    def test_the_program_offers_sessions_and_runs(self):
        page = self.open()
        page.get_by_role("link", name="Sessions").click()
        expect(page.locator("h1")).to_have_text("Sessions")
        stored = page.get_by_role("region", name="Stored sessions")
        expect(stored.get_by_role("link")).to_have_count(3)
        expect(page.get_by_role("region", name="Live runs").get_by_role("link")).to_have_count(1)
        stored.get_by_role("link", name="The booking session").click()
        expect(page.locator("h1")).to_contain_text("The booking session")
        page.get_by_role("link", name="← Sessions").click()
        expect(page.locator("h1")).to_have_text("Sessions")

    def test_a_session_shows_its_messages_calls_and_results(self):
        page = self.session("booking")
        expect(self.facts(page)).to_contain_text("a stored session")
        expect(self.facts(page)).to_contain_text("5: 3 replies, 6 calls")
        expect(page.locator(".message.user pre")).to_have_text("Book a train to Graz for Ada (36).")
        calls = page.locator(".call")
        expect(calls).to_have_count(6)
        expect(calls.nth(0).locator(".badge")).to_have_text("error")
        expect(calls.nth(0)).to_contain_text("rename `day` to `days`")
        expect(calls.nth(2).locator(".badge")).to_have_text("done")

    def test_a_session_shows_its_waiting_calls(self):
        page = self.session("booking")
        waiting = page.locator(".summary .notice.wait li")
        expect(waiting).to_have_count(2)
        expect(waiting.nth(0)).to_contain_text("book needs approval.")
        expect(waiting.nth(1)).to_contain_text("export needs a result from elsewhere.")
        page.get_by_role("button", name="Show the call of export").click()
        expect(page.locator(".marked h4")).to_have_text("export")
        expect(page.locator(".marked")).to_be_focused()
        expect(self.jump(page, "waiting call", "waiting call 1 of 2").locator("h4")).to_have_text("book")

    def test_errors_and_retries_are_found_by_jumps(self):
        page = self.session("booking")
        for number, arguments in [(1, '"day": 3'), (2, '"Atlantis"'), (1, '"day": 3')]:
            expect(self.jump(page, "error", f"error {number} of 2")).to_contain_text(arguments)
        retry = self.jump(page, "retry", "retry 1 of 1")
        expect(retry).to_contain_text("Retry of call 1 of message 2")
        retry.get_by_role("button", name="call 1 of message 2").click()
        expect(page.locator(".marked")).to_contain_text('"day": 3')

    def test_words_are_found_in_messages(self):
        page = self.session("booking")
        find = page.get_by_role("searchbox", name="Find in the messages")
        find.fill("in 3 DAYS")
        find.press("Enter")
        expect(page.locator(".marked")).to_contain_text("Vienna in 3 days: sunny")
        find.fill("no message has this")
        find.press("Enter")
        expect(page.locator(".jump-status")).to_have_text("No message has this text.")

    def test_a_session_shows_tokens_costs_and_the_cache(self):
        page = self.session("booking")
        expect(self.facts(page)).to_contain_text("3,900 in (990 cached), 120 out tokens")
        expect(self.facts(page)).to_contain_text("$0.011")
        reply = page.locator(".message.assistant").nth(1)
        expect(reply.locator("footer")).to_contain_text("cache kept 990 of 1,000 tokens (99 %)")
        expect(page.locator(".message.assistant").nth(2).locator("footer")).to_contain_text("kept 0 of 1,400")

    def test_prices_of_the_user_change_the_costs_and_stay(self):
        page = self.session("booking")
        page.get_by_text("Prices, in dollars per million tokens").click()
        page.get_by_label("Input", exact=True).fill("1000")
        page.get_by_label("Output", exact=True).fill("0")
        page.get_by_label("Cached input", exact=True).fill("0")
        page.get_by_role("button", name="Use the prices").click()
        expect(self.facts(page)).to_contain_text("$2.91")
        page.reload()
        expect(self.facts(page)).to_contain_text("$2.91")
        page.get_by_text("Prices, in dollars per million tokens").click()
        expect(page.get_by_label("Input", exact=True)).to_have_value("1000")
        page.get_by_role("button", name="Reset").click()
        expect(self.facts(page)).to_contain_text("$0.011")

    def test_violations_are_marked_and_quote_the_provider(self):
        page = self.session("invalid")
        expect(self.facts(page)).to_contain_text("a request of Chat Completions")
        marked = self.jump(page, "violation", "violation 1 of 2")
        expect(marked).to_contain_text("Violation: a tool call without a tool message")
        expect(marked).to_contain_text("Rejected by OpenAI, Azure")
        expect(marked.locator("blockquote")).to_contain_text(
            "An assistant message with 'tool_calls' must be followed by tool messages"
        )
        expect(marked.locator(".call .badge")).to_have_text("no result")
        marked = self.jump(page, "violation", "violation 2 of 2")
        expect(marked.locator("h3")).to_have_text("Tool message without a call #3")
        expect(marked).to_contain_text("for call_9")

    def test_a_pasted_history_is_shown(self):
        page = self.open("sessions")
        self.paste(page, json.dumps(HISTORY))
        expect(page.locator("h1")).to_have_text("Pasted history")
        expect(page.locator(".message pre")).to_have_text(["Hello", "Good day."])

    def test_a_text_without_a_history_is_an_error_on_the_page(self):
        self.expected_error = "400 (Bad Request)"
        page = self.open("sessions")
        self.paste(page, "Hello")
        expect(page.locator(".notice.bad")).to_contain_text("JSON")

    def test_a_file_is_shown(self):
        page = self.open("sessions")
        body = json.dumps({"model": "m", "max_tokens": 1, "messages": HISTORY}).encode()
        file = {"name": "chat <1>.json", "mimeType": "application/json", "buffer": body}
        page.get_by_label("Or a file").set_input_files(file)
        expect(page.locator("h1")).to_have_text("chat <1>.json")
        expect(page.locator(".message pre")).to_have_text(["Hello", "Good day."])

    def test_a_dropped_file_is_shown(self):
        page = self.open("sessions")
        page.evaluate(
            """(text) => {
                const files = new DataTransfer();
                files.items.add(new File([text], "dropped.json"));
                for (const type of ["dragover", "drop"])
                    document.body.dispatchEvent(new DragEvent(type, { dataTransfer: files, bubbles: true }));
            }""",
            json.dumps(HISTORY),
        )
        expect(page.locator("h1")).to_have_text("dropped.json")
        expect(page.locator(".message")).to_have_count(2)

    def test_an_unknown_session_is_an_error_on_the_page(self):
        self.expected_error = "404 (Not Found)"
        page = self.open("sessions/none")
        expect(page.locator("h1")).to_have_text("Not available")


class LiveRunTest(PageTest):
    # A program of its own, whose run starts with it.
    options = ("--tools", "1")

    def test_a_live_run_is_shown_while_it_runs_and_after_its_end(self):
        page = self.open("runs/1")
        count = page.locator(".call").filter(has=page.locator("h4", has_text="count"))
        expect(count.locator(".badge")).to_have_text("running")
        expect(count).to_contain_text(re.compile(r"\d+ of 100 step \d+"))
        self.picture(page, "live_run")
        weather = page.locator(".call").filter(has=page.locator("h4", has_text="get_weather"))
        expect(weather.locator(".badge")).to_have_text("error")
        expect(page.get_by_text("The run has ended.", exact=True)).to_be_visible()
        expect(count.locator(".badge")).to_have_text("done")
        expect(count).to_contain_text("counted to 100")
        expect(page.locator(".message pre").get_by_text("It was counted to 100.")).to_be_visible()
        # A later visit shows the same.
        self.go(page, "runs/1")
        expect(page.locator(".message pre").get_by_text("It was counted to 100.")).to_be_visible()
        self.assertEqual(self.attacks(page), [])
