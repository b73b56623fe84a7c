"""The form of a call, and the text that it sends."""

import json

from browser import PageTest
from playwright.sync_api import expect


class FormsTest(PageTest):
    def presence(self, page, path, value):
        page.get_by_label(f"Presence of {path}", exact=True).select_option(value)

    def field(self, page, name):
        return page.get_by_role("textbox", name=name, exact=True)

    def sent(self, page):
        """The arguments that a click on the button sends, which are those of the preview."""
        shown = page.locator(".preview").inner_text()
        with page.expect_request("**/api/calls") as request:
            self.call(page)
        sent = json.loads(request.value.post_data)["arguments"]
        self.assertEqual(sent, shown)
        return sent

    def fill_booking(self, page):
        self.field(page, "name").fill("Ada")
        self.field(page, "age").fill("36")
        self.field(page, "date").fill("2026-12-01")

    def test_a_default_is_shown_and_an_absent_argument_is_not_sent(self):
        page = self.tool("get_weather")
        self.field(page, "city").fill('Graz "Süd"\nline 2')
        days = page.get_by_role("group", name="days", exact=True)
        expect(days.locator(".hint")).to_contain_text("default: 0")
        self.assertEqual(self.sent(page), '{"city":"Graz \\"Süd\\"\\nline 2"}')
        self.presence(page, "days", "value")
        expect(self.field(page, "days")).to_have_attribute("placeholder", "0")
        self.field(page, "days").fill("3")
        self.assertEqual(self.sent(page), '{"city":"Graz \\"Süd\\"\\nline 2","days":3}')

    def test_wrong_arguments_can_be_sent(self):
        page = self.tool("get_weather")
        self.presence(page, "city", "null")
        self.presence(page, "days", "value")
        self.field(page, "days").fill("three")
        expect(page.get_by_text("No number: sent as a JSON string.")).to_be_visible()
        self.assertEqual(self.sent(page), '{"city":null,"days":"three"}')
        result = self.result(page)
        expect(result.locator("h3")).to_contain_text("an error")
        expect(result).to_contain_text("invalid_arguments")

    def test_null_an_absent_argument_and_an_empty_one_differ(self):
        page = self.tool("book")
        self.fill_booking(page)
        start = '{"traveller":{"name":"Ada","age":36},"ticket":{"kind":"single","date":"2026-12-01"}'
        self.assertEqual(self.sent(page), start + "}")
        self.presence(page, "number", "null")
        self.assertEqual(self.sent(page), start + ',"number":null}')
        self.presence(page, "notes", "value")
        self.assertEqual(self.sent(page), start + ',"notes":{},"number":null}')

    def test_numbers_keep_their_text(self):
        page = self.tool("book")
        self.fill_booking(page)
        self.presence(page, "number", "value")
        for number in ["9007199254740993", "1.0", "1e3", "-0"]:
            self.field(page, "number").fill(number)
            self.assertTrue(self.sent(page).endswith(f',"number":{number}}}'))

    def test_an_enum_offers_its_values_and_another_one(self):
        page = self.tool("book")
        self.fill_booking(page)
        self.presence(page, "traveller.seat", "value")
        seat = page.get_by_role("combobox", name="seat", exact=True)
        expect(seat.locator("option")).to_have_text(['"window"', '"aisle"', "null", "another value …"])
        seat.select_option(label='"aisle"')
        self.assertIn('"age":36,"seat":"aisle"}', self.sent(page))
        seat.select_option(label="another value …")
        self.field(page, "seat").fill('["roof"]')
        self.assertIn('"seat":["roof"]}', self.sent(page))

    def test_a_union_offers_each_kind(self):
        page = self.tool("book")
        self.fill_booking(page)
        kind = page.get_by_label("Kind of ticket", exact=True)
        expect(kind.locator("option")).to_have_text(['object with kind "single"', 'object with kind "return"'])
        kind.select_option(index=1)
        self.field(page, "outward").fill("1 May")
        self.field(page, "back").fill("9 May")
        self.assertIn('"ticket":{"kind":"return","outward":"1 May","back":"9 May"}', self.sent(page))

    def test_a_list_grows_and_shrinks_and_a_recursive_object_opens(self):
        page = self.tool("book")
        self.fill_booking(page)
        self.presence(page, "traveller.companions", "value")
        companions = page.get_by_role("group", name="companions", exact=True).first
        add = companions.get_by_role("button", name="Add an item").first
        for name in ["Bob", "Cleo"]:
            add.click()
            item = companions.locator("li.item").last
            item.get_by_role("button", name="Open Traveller").click()
            expect(item.locator("select").first).to_be_focused()
            item.get_by_role("textbox", name="name", exact=True).fill(name)
            item.get_by_role("textbox", name="age", exact=True).fill("7")
        self.assertIn('"companions":[{"name":"Bob","age":7},{"name":"Cleo","age":7}]}', self.sent(page))
        companions.get_by_role("button", name="Remove item 0 of traveller.companions").click()
        self.assertIn('"companions":[{"name":"Cleo","age":7}]}', self.sent(page))
        self.picture(page, "form")

    def test_a_map_has_keys_of_the_user(self):
        page = self.tool("tag_page")
        self.field(page, "page").fill("trip")
        tags = page.get_by_role("group", name="tags", exact=True).first
        for key, value in [("to", "Graz"), ("__proto__", "1"), ("to", "Linz")]:
            tags.get_by_role("button", name="Add a key").click()
            item = tags.locator("li.item").last
            item.get_by_label("Key in tags").fill(key)
            item.get_by_role("textbox", name="Value", exact=True).fill(value)
        # A key that is there twice is a mistake of models, too.
        self.assertEqual(self.sent(page), '{"page":"trip","tags":{"to":"Graz","__proto__":"1","to":"Linz"}}')
        tags.get_by_role("button", name="Remove this key").first.click()
        self.assertEqual(self.sent(page), '{"page":"trip","tags":{"__proto__":"1","to":"Linz"}}')

    def test_a_raw_text_is_sent_as_it_is(self):
        page = self.tool("get_weather")
        self.field(page, "city").fill("Graz")
        page.locator(".segment", has_text="Raw text").click()
        text = page.get_by_label("Text of the arguments")
        expect(text).to_have_value('{"city":"Graz"}')
        text.fill('{"city": "Graz"')
        with page.expect_request("**/api/calls") as request:
            self.call(page)
        body = json.loads(request.value.post_data)
        self.assertEqual((body["tool"], body["arguments"]), ("get_weather", '{"city": "Graz"'))
        self.result(page)
        page.get_by_label("Name of the tool").fill("get_wether")
        text.fill("{}")
        text.press("Control+Enter")
        expect(self.result(page)).to_contain_text("unknown_tool")
