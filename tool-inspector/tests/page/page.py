#!/usr/bin/env python3
"""Tests the page in headless Chromium, with the server of the example `inspected`.

    python tool-inspector/tests/page/page.py target/debug/examples [NODE_MODULES]

It needs `playwright` of PyPI and Debian's `chromium`. The checks of axe-core need a folder `node_modules` with the packages of
`package.json`. If INSPECTOR_PICTURES names a folder, the tests take pictures. Further arguments choose tests by parts of their names.
"""

import sys
import unittest

import browser

# The modules with the tests.
MODULES = ["test_tools", "test_forms", "test_calls", "test_sessions", "test_hostile", "test_access", "test_sizes"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    examples, node_modules, *names = [*sys.argv[1:], None][:2] + sys.argv[3:]
    end = browser.start(examples, node_modules)
    try:
        loader = unittest.defaultTestLoader
        loader.testNamePatterns = [f"*{name}*" for name in names] or None
        result = unittest.TextTestRunner(verbosity=2).run(loader.loadTestsFromNames(MODULES))
    finally:
        end()
    for figure in browser.Run.figures:
        print(figure)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
