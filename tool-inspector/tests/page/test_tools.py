"""The list of the tools, the overview, and the page of a tool."""

import json
import pathlib
import re
import tempfile

from browser import PageTest
from playwright.sync_api import expect

# An earlier state of the tools.
LOCK = {
    "version": 1,
    "tools": [
        {
            "name": "get_weather",
            "description": "Looks up the weather of a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "unit": {"type": "string"}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
        {"name": "send_letter", "description": "Sends a letter.", "parameters": {"type": "object", "properties": {}}},
    ],
}


class ToolsTest(PageTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        lock = pathlib.Path(folder.name) / "tools.lock"
        lock.write_text(json.dumps(LOCK), encoding="utf-8")
        cls.options = ("--lock", str(lock))
        super().setUpClass()

    def names(self, page):
        return page.locator(".tool-list .tool-name").all_text_contents()

    def row(self, page, name):
        """The cells of a parameter."""
        row = page.locator("tbody tr").filter(has=page.locator(f"th code:text-is('{name}')"))
        return row.first.locator("td").all_inner_texts()

    def definition(self, page, form, wire=None):
        if wire:
            page.get_by_label("Wire").select_option(label=wire)
        page.locator(".segment", has_text=form).click()
        return page.locator(".definition")

    def test_the_list_has_each_tool_with_its_tokens(self):
        page = self.open()
        expect(page).to_have_title("Tools – Test <program> – Tool inspector")
        self.assertEqual(
            self.names(page),
            "ask_size book count crash draw export get_weather hostile_result hostile_tool tag_page".split(),
        )
        weather = page.locator(".tool-link", has_text="get_weather")
        expect(weather.locator(".tokens")).to_have_text(re.compile(r"^\d+ tokens$"))
        expect(weather.locator(".tool-title")).to_have_text("Weather")
        expect(weather.locator(".tag")).to_have_text(["breaking change"])
        expect(page.locator(".tool-link", has_text="book").locator(".tag")).to_have_text(["changed", "approval"])

    def test_a_search_finds_names_titles_and_descriptions(self):
        page = self.open()
        search = page.get_by_label("Search the tools")
        for words, names in [
            ("TAG", ["tag_page"]),
            ("weather", ["get_weather"]),
            ("slowly", ["count"]),
            ("user size", ["ask_size"]),
            ("nothing has these words", []),
        ]:
            search.fill(words)
            expect(page.locator(".list-count")).to_have_text(f"{len(names)} of 10 tools")
            self.assertEqual(self.names(page), names)
        search.press("Escape")
        expect(page.locator(".list-count")).to_have_text("10 tools")

    def test_the_list_keeps_its_search_while_tools_are_opened(self):
        page = self.open()
        page.get_by_label("Search the tools").fill("weather")
        page.locator(".tool-link").click()
        expect(page.locator("h1")).to_have_text("get_weather")
        expect(page.locator("h1")).to_be_focused()
        expect(page).to_have_title("get_weather – Test <program> – Tool inspector")
        self.assertEqual(self.names(page), ["get_weather"])
        expect(page.locator(".tool-link[aria-current=page]")).to_contain_text("get_weather")
        page.go_back()
        expect(page.locator("h1")).to_have_text("All tools")
        expect(page.get_by_label("Search the tools")).to_have_value("weather")

    def test_filters_leave_the_tools_that_pass_all_of_them(self):
        page = self.open()
        approval = page.get_by_role("button", name="Needs approval")
        effects = page.get_by_role("button", name="Not read only")
        effects.click()
        self.assertEqual(self.names(page), ["book", "export", "hostile_tool", "tag_page"])
        approval.click()
        self.assertEqual(self.names(page), ["book"])
        expect(approval).to_have_attribute("aria-pressed", "true")
        approval.click()
        effects.click()
        self.assertEqual(len(self.names(page)), 10)

    def test_the_overview_shows_what_all_definitions_cost(self):
        page = self.open()
        rows = page.locator("[aria-labelledby=request-heading] tbody tr:not(.row-notes)")
        expect(rows).to_have_count(12)
        expect(rows.first.locator("th")).to_have_text("Chat Completions")
        expect(rows.first.locator(".amount")).to_have_text(re.compile(r"^\d+,\d{3}$"))
        expect(page.get_by_text("o200k_base")).to_be_visible()

    def test_the_overview_shows_the_changes_since_the_lock_file(self):
        page = self.open()
        section = page.get_by_role("region", name="Lock file")
        expect(section).to_contain_text("tools.lock")
        expect(section.locator("li").filter(has_text="send_letter")).to_contain_text("breaking")
        section.get_by_role("link", name="get_weather").first.click()
        expect(page.locator("h1")).to_have_text("get_weather")

    def test_a_tool_shows_its_changes_since_the_lock_file(self):
        page = self.tool("get_weather")
        section = page.get_by_role("region", name="Changes since the lock file")
        expect(section.locator(".badge").first).to_have_text("breaking")
        expect(section.locator("li").filter(has_text="unit").first).to_be_visible()

    def test_a_tool_shows_its_description_and_its_rules(self):
        page = self.tool("book")
        expect(page.locator(".lead")).to_have_text("Books seats for travellers.")
        expect(page.locator("dl.facts").first).to_contain_text("can destroy data")
        expect(page.locator("dl.facts").first).to_contain_text("needs an approval before each call")

    def test_a_tool_shows_its_parameters_and_those_inside_of_them(self):
        page = self.tool("get_weather")
        self.assertEqual(self.row(page, "city")[:3], ["text", "yes", ""])
        self.assertEqual(self.row(page, "days")[:3], ["integer", "no", "0"])
        self.assertIn("How many days ahead", self.row(page, "days")[3])
        self.go(page, "tools/book")
        expect(page.locator("h1")).to_have_text("book")
        self.assertEqual(self.row(page, "traveller.seat")[0], '"window" or "aisle" or null')
        self.assertIn("at most 120", self.row(page, "traveller.age")[3])
        self.assertEqual(self.row(page, "traveller.companions")[2], "[]")
        self.assertIn("as above", self.row(page, "traveller.companions[]")[3])
        self.assertEqual(self.row(page, "notes")[0], "map to text or null")
        self.assertEqual(self.row(page, "notes.*")[0], "text")
        self.assertEqual(self.row(page, "ticket (2).outward")[:2], ["text", "yes"])

    def test_a_tool_shows_its_definition_for_each_wire(self):
        page = self.tool("get_weather")
        shown = self.definition(page, "Plain", "Chat Completions")
        [definition] = json.loads(shown.locator("pre").inner_text())["tools"]
        self.assertEqual(definition["function"]["name"], "get_weather")
        self.definition(page, "Plain", "Anthropic")
        [definition] = json.loads(shown.locator("pre").inner_text())["tools"]
        self.assertIn("input_schema", definition)
        self.definition(page, "Strict")
        expect(shown.locator(".badge").first).to_have_text("strict")
        [definition] = json.loads(shown.locator("pre").inner_text())["tools"]
        self.assertIs(definition["strict"], True)
        page.reload()
        expect(page.get_by_label("Wire")).to_have_value("anthropic")
        expect(page.get_by_label("Strict", exact=True)).to_be_checked()
        expect(self.definition(page, "Strict", "Ollama")).to_contain_text("Ollama has no strict form.")

    def test_a_tool_shows_why_it_is_not_strict(self):
        page = self.tool("tag_page")
        shown = self.definition(page, "Strict")
        expect(shown.locator(".badge").first).to_have_text("not strict")
        expect(shown).to_contain_text("Why it is not strict")
        expect(shown).to_contain_text("tags is a map, whose keys are not fixed")

    def test_a_tool_shows_its_tokens_for_each_wire(self):
        page = self.tool("tag_page")
        page.get_by_text("Tokens for each wire").click()
        rows = page.locator(".small-table tbody tr")
        expect(rows).to_have_count(7)
        expect(rows.first).to_have_text(re.compile(r"^Chat Completions\d+\d+ \(not strict\)$"))
        expect(rows.last).to_have_text(re.compile(r"^Ollama\d+–$"))

    def test_the_definition_can_be_copied(self):
        page = self.tool("get_weather")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Copy the definition").click()
        expect(page.get_by_text("Copied.")).to_be_visible()
        copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
        self.assertEqual(copied["tools"][0]["function"]["name"], "get_weather")

    def test_an_unknown_tool_is_an_error_on_the_page(self):
        self.expected_error = "404 (Not Found)"
        page = self.open("tools/no_tool")
        expect(page.locator("h1")).to_have_text("Not available")
        expect(page.locator(".notice.bad")).to_contain_text("no_tool")
