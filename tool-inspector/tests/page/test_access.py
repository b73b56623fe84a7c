"""The page on narrow and dark screens, with a keyboard only, and as assistive technology reads it."""

from browser import NARROW_DARK, WIDE, PageTest, Run
from parts import PARTS
from playwright.sync_api import expect

ACTIVE = """() => {
    const active = document.activeElement;
    const labels = (active.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id));
    const words = [
        active.getAttribute("aria-label"), ...labels.map((label) => label?.textContent), active.labels?.[0]?.textContent,
        active.textContent,
    ];
    return words.find(Boolean) ?? "";
}"""


class LookTest(PageTest):
    """Checks of each part on each screen, which are opened once for all of them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.found = {}
        for screen, settings in {"wide": WIDE, "narrow_dark": NARROW_DARK}.items():
            page = cls.new_page(settings)
            for part, open_part in PARTS.items():
                open_part(cls, page)
                cls.picture(page, f"{screen}_{part}")
                cls.found[screen, part] = {
                    "width": cls.extra_width(page),
                    "axe": cls.axe(page) if Run.axe else [],
                    # After the other checks, since an image that cannot be loaded reports it later.
                    "attacks": cls.attacks(page),
                    "reversals": page.locator("body").inner_text().count("\u202e"),
                }

    def check(self, kind, expected):
        for where, found in self.found.items():
            with self.subTest(where):
                self.assertEqual(found[kind], expected)

    def test_no_part_scrolls_to_the_side(self):
        self.check("width", 0)

    def test_no_part_runs_a_script_of_a_text(self):
        self.check("attacks", [])

    def test_no_text_changes_the_direction_of_the_page(self):
        self.check("reversals", 0)

    def test_axe_finds_no_violation(self):
        if not Run.axe:
            self.skipTest("no folder node_modules with axe-core is given")
        self.check("axe", [])

    def test_the_page_fits_large_text(self):
        for part in ["called_tool", "session_booking"]:
            PARTS[part](self, self.page)
            # A zoom of 400 % makes a screen of 1,280 pixels as wide as one of 320.
            self.page.set_viewport_size({"width": 320, "height": 256})
            self.assertEqual(self.extra_width(self.page), 0)


class KeyboardTest(PageTest):
    def tab_to(self, page, name, most=60):
        """Presses Tab until the element with this name has the focus, which must be visible."""
        seen = []
        for _ in range(most):
            page.keyboard.press("Tab")
            seen.append(page.evaluate(ACTIVE))
            if seen[-1].startswith(name):
                outline = page.evaluate(
                    "(() => { const style = getComputedStyle(document.activeElement);"
                    " return style.outlineStyle !== 'none' || style.boxShadow !== 'none'; })()"
                )
                self.assertTrue(outline, f"the focus on {name} is not visible")
                return
        self.fail(f"Tab does not reach {name}: {seen}")

    def test_the_keyboard_is_enough_to_call_a_tool(self):
        page = self.open()
        self.tab_to(page, "Skip to the content", most=1)
        self.tab_to(page, "Search the tools", most=5)
        page.keyboard.type("weather")
        self.tab_to(page, "get_weather", most=8)
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_be_focused()
        self.tab_to(page, "city", most=5)
        page.keyboard.type("Vienna")
        self.tab_to(page, "Presence of days", most=2)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        self.tab_to(page, "days", most=2)
        page.keyboard.type("2")
        self.tab_to(page, "Call the tool", most=5)
        page.keyboard.press("Space")
        expect(self.result(page).locator("pre").first).to_have_text("Vienna in 2 days: sunny")
        self.tab_to(page, "The message as JSON", most=5)
        page.keyboard.press("Enter")
        expect(page.get_by_text('"role": "tool"')).to_be_visible()

    def test_the_keyboard_is_enough_to_approve_a_call(self):
        page = self.tool("book")
        self.tab_to(page, "name")
        page.keyboard.type("Ada")
        self.tab_to(page, "age")
        page.keyboard.type("36")
        self.tab_to(page, "date")
        page.keyboard.type("1 May")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("heading", name="Call the tool?")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator(".status-line")).to_have_text("Not called.")
        expect(page.locator(".status-line")).to_be_focused()
        page.keyboard.press("Shift+Tab")
        self.assertEqual(page.evaluate(ACTIVE), "Call the tool")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Call the tool?")).to_be_focused()
        self.tab_to(page, "Call it", most=1)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Approve the call?")).to_be_focused()
        self.tab_to(page, "Approve", most=3)
        page.keyboard.press("Space")
        expect(self.result(page)).to_contain_text("36")

    def test_the_skip_link_leads_to_the_heading(self):
        page = self.open()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_be_focused()

    def test_the_keyboard_is_enough_to_read_a_session(self):
        page = self.open("sessions")
        expect(page.locator(".session-list")).to_have_count(2)
        self.tab_to(page, "The booking session")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_contain_text("The booking session")
        self.tab_to(page, "Next error")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page.locator(".jump-status")).to_have_text("error 2 of 2")
        expect(page.locator(".marked")).to_contain_text("Atlantis")
