"""The parts of the page, as functions that open each one."""

from playwright.sync_api import expect


def overview(test, page):
    test.go(page, "")
    expect(page.locator("[aria-labelledby=request-heading] tbody tr").first).to_be_visible()


def called_tool(test, page):
    test.go(page, "tools/get_weather")
    page.get_by_role("textbox", name="city", exact=True).fill("Vienna")
    test.call(page)
    test.result(page)


def waiting_call(test, page):
    test.go(page, "tools/book")
    page.get_by_role("textbox", name="age", exact=True).fill("36")
    page.get_by_label("Presence of traveller.companions", exact=True).select_option("value")
    page.get_by_role("button", name="Add an item").click()
    page.get_by_label("Presence of notes", exact=True).select_option("value")
    page.get_by_role("button", name="Add a key", exact=True).click()
    page.get_by_label("Presence of number", exact=True).select_option("value")
    test.call(page)
    page.get_by_role("button", name="Call it", exact=True).click()
    expect(page.get_by_role("heading", name="Approve the call?")).to_be_visible()


def question(test, page):
    test.go(page, "tools/ask_size")
    test.call(page)
    expect(page.locator(".panel")).to_be_visible()


def raw_text(test, page):
    test.go(page, "tools/get_weather")
    page.locator(".segment", has_text="Raw text").click()
    page.locator(".segment", has_text="Strict").click()
    test.call(page)
    test.result(page)


def hostile_tool(test, page):
    test.go(page, "tools/hostile_tool")
    page.get_by_role("button", name="of: description").first.click()


def sessions(test, page):
    test.go(page, "sessions")
    expect(page.locator(".session-list")).to_have_count(2)
    page.get_by_text("Prices, in dollars per million tokens").click()


def session(name):
    def open_session(test, page):
        test.go(page, f"sessions/{name}")
        expect(page.locator(".message").first).to_be_visible()

    return open_session


def run(test, page):
    test.go(page, "runs/1")
    expect(page.get_by_text("The run has ended.", exact=True)).to_be_visible()


PARTS = {
    "overview": overview,
    "called_tool": called_tool,
    "waiting_call": waiting_call,
    "question": question,
    "raw_text": raw_text,
    "hostile_tool": hostile_tool,
    "sessions": sessions,
    "session_booking": session("booking"),
    "session_invalid": session("invalid"),
    "session_hostile": session("hostile"),
    "run": run,
}
