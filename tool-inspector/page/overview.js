// The overview of the tools: what a request with all of them costs, the lock file, and the tools that are left out.

import { element, notice, pageHeading, replaceChildren, tableHead } from "./element.js";
import { changeList } from "./changes.js";
import { getJson } from "./server.js";
import { name, prose } from "./visible_text.js";
import { bytes, count, counted, wireName } from "./words.js";

/** The requests, which the server counts once. */
let requests = null;

export function overview(registry) {
  const costs = element(
    "div",
    {},
    element("p", { class: "soft", role: "status", text: "The server counts the tokens …" }),
  );
  const known = new Set(registry.tools.map((tool) => tool.name));
  showRequests(costs);
  return element(
    "div",
    { class: "tool-content" },
    pageHeading("All tools"),
    element(
      "section",
      { class: "card", "aria-labelledby": "request-heading" },
      element("h2", { id: "request-heading", text: "The definitions in one request" }),
      element("p", { class: "soft" }, `Tokens: `, prose(registry.token_method), "."),
      costs,
    ),
    registry.skipped_tools.length > 0 &&
      element(
        "section",
        { class: "card", "aria-labelledby": "skipped-heading" },
        element("h2", { id: "skipped-heading", text: "Tools that are left out" }),
        element(
          "ul",
          {},
          registry.skipped_tools.map((text) => element("li", {}, prose(text))),
        ),
      ),
    registry.lock && lockSection(registry.lock, known),
  );
}

function lockSection(lock, known) {
  const breaking = lock.changes.filter((change) => change.is_breaking).length;
  return element(
    "section",
    { class: "card", "aria-labelledby": "lock-heading" },
    element("h2", { id: "lock-heading", text: "Lock file" }),
    element(
      "p",
      {},
      "Compared with ",
      name(lock.file),
      ": ",
      lock.changes.length ? `${counted(lock.changes.length, "change")}, ${count(breaking)} breaking.` : "no change.",
    ),
    lock.error && notice("bad", element("strong", { text: "Error: " }), prose(lock.error)),
    lock.changes.length > 0 && changeList(lock.changes, { hasTools: true, known }),
  );
}

async function showRequests(box) {
  // The page is painted before the server starts to count.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  try {
    requests ??= getJson("api/requests");
    replaceChildren(box, requestTable(await requests));
  } catch (error) {
    requests = null;
    replaceChildren(box, notice("bad", prose(error.message)));
  }
}

function requestTable(rows) {
  const largest = rows.reduce((most, row) => Math.max(most, row.tokens ?? 0), 1);
  const head = ["Wire", "Form", "Tokens", "Size"];
  return element(
    "table",
    { class: "stacking", role: "table" },
    element("caption", { class: "unseen", text: "Size of the definitions of all tools, for each wire" }),
    tableHead(head),
    element(
      "tbody",
      { role: "rowgroup" },
      rows.flatMap((row) => requestRows(row, largest)),
    ),
  );
}

function requestRows(row, largest) {
  const cell = (label, ...children) => element("td", { role: "cell", "data-label": label }, children);
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", `${((row.tokens ?? 0) / largest) * 100}%`);
  const notes = row.report ?? [];
  return [
    element(
      "tr",
      { role: "row" },
      element("th", { scope: "row", role: "rowheader", text: wireName(row.wire) }),
      cell("Form", row.strict ? "strict" : "plain"),
      row.error
        ? cell("Tokens", element("strong", { text: "Error: " }), prose(row.error))
        : cell("Tokens", element("span", { class: "amount", text: count(row.tokens) }), bar),
      cell("Size", row.error ? "–" : bytes(row.bytes)),
    ),
    notes.length > 0 &&
      element(
        "tr",
        { role: "row", class: "row-notes" },
        element(
          "td",
          { role: "cell", colspan: "4" },
          element(
            "details",
            {},
            element("summary", {
              text: `${wireName(row.wire)}, ${row.strict ? "strict" : "plain"}: ${counted(notes.length, "note")}`,
            }),
            element(
              "ul",
              {},
              notes.map((text) => element("li", {}, prose(text))),
            ),
          ),
        ),
      ),
  ].filter(Boolean);
}
