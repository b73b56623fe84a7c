// Changes compared with the lock file.

import { address, element } from "./element.js";
import { name, prose, visibleNodes } from "./visible_text.js";

/** The changes as a list. Breaking ones are first, and marked with a word. */
export function changeList(changes, { hasTools = false, known = new Set() } = {}) {
  const sorted = [...changes].sort((first, second) => Number(second.is_breaking) - Number(first.is_breaking));
  return element(
    "ul",
    { class: "changes" },
    sorted.map((change) => changeItem(change, hasTools, known)),
  );
}

function changeItem(change, hasTools, known) {
  const tool = known.has(change.tool)
    ? element("a", { href: address("tools", change.tool) }, name(change.tool))
    : name(change.tool);
  return element(
    "li",
    {},
    element("span", {
      class: change.is_breaking ? "badge bad" : "badge",
      text: change.is_breaking ? "breaking" : "compatible",
    }),
    " ",
    hasTools && tool,
    hasTools && ": ",
    prose(change.text),
    change.diff?.length > 0 && element("pre", { class: "text diff", dir: "auto" }, change.diff.map(diffLine)),
  );
}

function diffLine(line) {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
  return element("span", { class: `diff-line ${kind}` }, visibleNodes(line), "\n");
}
