"""A program with 1,000 tools, and a session of 10,000 messages. The figures are printed; only counts and memory have bounds."""

from browser import PageTest, Run
from playwright.sync_api import expect

MEGABYTE = 1_048_576
SCROLL = """async (frames) => {
    const times = [];
    let last = performance.now();
    for (let frame = 0; frame < frames; frame += 1) {
        scrollBy({ top: 700, behavior: "instant" });
        await new Promise((resolve) => (requestAnimationFrame(resolve), setTimeout(resolve, 1000)));
        const now = performance.now();
        times.push(now - last);
        last = now;
    }
    times.sort((first, second) => first - second);
    return [times[Math.floor(frames / 2)], times[Math.floor(frames * 0.95)], times.at(-1)];
}"""
# Stores the time at which the first message is in the document.
FIRST_MESSAGE = """new MutationObserver((changes, observer) => {
    if (!document.querySelector(".message")) return;
    window.firstMessage = performance.now();
    observer.disconnect();
}).observe(document, { childList: true, subtree: true })"""
LISTED = "performance.getEntriesByType('resource').find((entry) => entry.name.endsWith('registry')).responseEnd"
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


class SizesTest(PageTest):
    options = ("--tools", "990", "--messages", "10000")

    def heap(self, page):
        """The bytes of the objects of the page."""
        session = page.context.new_cdp_session(page)
        session.send("HeapProfiler.collectGarbage")
        session.send("Performance.enable")
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        session.detach()
        return metrics["JSHeapUsedSize"]

    def nodes(self, page):
        return page.evaluate("document.getElementsByTagName('*').length")

    def note(self, text):
        Run.figures.append(text)

    def test_a_thousand_tools_are_painted_and_searched(self):
        page = self.open()
        expect(page.locator(".list-count")).to_have_text("1,000 tools")
        paint = page.wait_for_function(PAINT).json_value()
        listed = page.evaluate(LISTED)
        heap, nodes = self.heap(page), self.nodes(page)
        search = page.evaluate(
            """() => {
                const search = document.querySelector(".tool-list input");
                const from = performance.now();
                search.value = "collection_05";
                search.dispatchEvent(new Event("input"));
                document.body.getBoundingClientRect();
                return performance.now() - from;
            }"""
        )
        expect(page.locator(".list-count")).to_have_text("100 of 1,000 tools")
        self.note(
            f"1,000 tools: first contentful paint after {paint:.0f} ms, registry after {listed:.0f} ms, "
            f"search {search:.0f} ms, {heap / MEGABYTE:.1f} MB, {nodes} elements"
        )
        self.assertLess(heap, 60 * MEGABYTE)
        self.assertLess(nodes, 15_000)

    def test_ten_thousand_messages_are_shown_and_scrolled(self):
        self.page.add_init_script(FIRST_MESSAGE)
        page = self.open("sessions/long")
        first = page.wait_for_function("window.firstMessage").json_value()
        heap, nodes = self.heap(page), self.nodes(page)
        median, most, longest = page.evaluate(SCROLL, 60)
        self.note(
            f"10,000 messages: first message after {first:.0f} ms, {heap / MEGABYTE:.1f} MB, {nodes} elements; "
            f"60 steps of 700 pixels: median {median:.0f} ms, 95 % {most:.0f} ms, longest {longest:.0f} ms"
        )
        self.assertLess(heap, 120 * MEGABYTE)
        self.assertLess(nodes, 10_000)
        page.get_by_role("button", name="Last message").click()
        expect(page.locator(".message", has_text="Done.")).to_be_in_viewport()
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
        page.wait_for_function(
            """() => [...document.querySelectorAll(".message")].some((message) => {
                const { top, bottom } = message.getBoundingClientRect();
                return bottom > 100 && top < innerHeight;
            })"""
        )
        after, nodes = self.heap(page), self.nodes(page)
        self.note(f"after the scroll to the end and to the middle: {after / MEGABYTE:.1f} MB, {nodes} elements")
        self.assertLess(after, 120 * MEGABYTE)
        self.assertLess(nodes, 10_000)

    def test_a_jump_to_an_error_shows_it(self):
        page = self.open("sessions/long")
        expect(page.locator(".message").first).to_be_visible()
        error = page.get_by_role("button", name="Next error (49)")
        for number in (1, 2, 3):
            error.click()
            expect(page.locator(".jump-status")).to_have_text(f"error {number} of 49")
            marked = page.locator(".marked")
            expect(marked).to_contain_text(f"This is result {number * 100 - 1}.")
            expect(marked).to_be_in_viewport()
            expect(error).to_be_focused()
