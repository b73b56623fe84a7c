"""The browser, the program whose page the tests open, and the checks that each test makes."""

import os
import pathlib
import shutil
import subprocess
import unittest

from playwright.sync_api import expect, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
TIMEOUT = 30
WIDE = {"viewport": {"width": 1280, "height": 900}}
NARROW_DARK = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}


class Run:
    """What the tests of one run share. `start` sets it."""

    program = None
    browser = None
    # The source of axe-core.
    axe = None
    # The folder for pictures, which are taken only if there is one.
    pictures = None
    # The lines that are printed at the end.
    figures = []
    # The programs that are in use, by their options.
    programs = {}


def start(examples, node_modules):
    """Starts the browser, and returns the function that ends it."""
    Run.program = pathlib.Path(examples) / "inspected"
    if node_modules:
        Run.axe = (pathlib.Path(node_modules) / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    if folder := os.environ.get("INSPECTOR_PICTURES"):
        Run.pictures = pathlib.Path(folder)
    expect.set_options(timeout=TIMEOUT * 1000)
    playwright = sync_playwright().start()
    Run.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)

    def end():
        for program in Run.programs.values():
            program.close()
        Run.browser.close()
        playwright.stop()

    return end


class Program:
    """The example `inspected` on a free port."""

    def __init__(self, *options):
        # A tool of the program panics, and a test does not show the report of a panic.
        self.process = subprocess.Popen(
            [Run.program, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise AssertionError(f"{Run.program} {' '.join(options)} ended with {self.process.wait()}")

    @staticmethod
    def shared(*options):
        """The program with these options, which stays until the end of the tests."""
        if options not in Run.programs:
            Run.programs[options] = Program(*options)
        return Run.programs[options]

    def close(self):
        """Ends the program, if it has not ended."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class PageTest(unittest.TestCase):
    """Tests of one program. A test fails if the page reports an error or opens a dialog."""

    options = ()

    @classmethod
    def setUpClass(cls):
        cls.program = Program.shared(*cls.options)
        cls.errors = []
        cls.page = cls.new_page(WIDE)

    @classmethod
    def new_page(cls, settings):
        context = Run.browser.new_context(**settings)
        cls.addClassCleanup(context.close)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT * 1000)
        page.on("pageerror", lambda error: cls.errors.append(str(error)))
        page.on("console", lambda entry: entry.type in ("error", "warning") and cls.errors.append(entry.text))
        page.on("dialog", lambda dialog: (cls.errors.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
        return page

    def setUp(self):
        # The part of an entry in the console that a test expects.
        self.expected_error = None

    def tearDown(self):
        self.page.evaluate("location.protocol.startsWith('http') && localStorage.clear()")
        self.page.goto("about:blank")
        expected = self.expected_error
        found = [error for error in self.errors if expected is None or expected not in error]
        self.errors.clear()
        self.assertEqual(found, [])

    def open(self, part=""):
        """The page at a part, such as `tools/get_weather`."""
        self.go(self.page, part)
        return self.page

    @classmethod
    def go(cls, page, part, program=None):
        # From another document, so that the page starts again.
        page.goto("about:blank")
        address = (program or cls.program).address
        page.goto(f"{address}#/{part}" if part else address)
        expect(page.locator(".page-heading")).to_be_visible()

    def tool(self, name):
        page = self.open(f"tools/{name}")
        expect(page.locator("h1")).to_have_text(name)
        return page

    @classmethod
    def call(cls, page):
        page.get_by_role("button", name="Call the tool").click()

    @classmethod
    def result(cls, page):
        """The result of the call on the page, once it is there."""
        result = page.locator(".result")
        expect(result).to_be_visible()
        return result

    @classmethod
    def picture(cls, page, name):
        if Run.pictures:
            # The bar at the top stays there in a picture of the whole page.
            page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
            page.screenshot(path=Run.pictures / f"{name}.png", full_page=True)

    @staticmethod
    def extra_width(page):
        """The number of pixels by which the page scrolls to the side."""
        return page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)")

    @staticmethod
    def attacks(page):
        """The scripts of hostile texts that ran, and the elements and links that such texts made."""
        return page.evaluate(
            """() => [
                window.attacked === undefined ? [] : [`attacked ${window.attacked}`],
                [...document.querySelectorAll("main :is(script, iframe, svg, img:not([alt]))")].map((node) => node.outerHTML),
                [...document.querySelectorAll("[href]")].map((link) => link.href).filter((link) => /^javascript:/i.test(link)),
            ].flat()"""
        )

    @staticmethod
    def axe(page):
        """The violations that axe-core finds."""
        page.evaluate(Run.axe)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [
            f"{violation['id']}: {violation['help']}: {node['html'][:200]}: {node['failureSummary']}"
            for violation in found
            for node in violation["nodes"][:3]
        ]
