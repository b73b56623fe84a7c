// The page on which the user chooses a session.

import { address, button, element, newId, notice, pageHeading, replaceChildren } from "./element.js";
import { priceForm } from "./prices.js";
import { getJson } from "./server.js";
import { setPasted } from "./session_page.js";
import { prose, visibleNodes } from "./visible_text.js";
import { duration } from "./words.js";

/** `open` shows the pasted text. */
export function sessionsPage(registry, signal, open) {
  const page = element(
    "div",
    { class: "sessions" },
    pageHeading("Sessions"),
    registry.has_runs &&
      listSection(
        "Live runs",
        "api/runs",
        runItem,
        signal,
        "No run yet. A run appears here when the program starts it.",
      ),
    registry.has_sessions &&
      listSection("Stored sessions", "api/sessions", storedItem, signal, "The program has no stored session."),
    pasteSection(signal, open),
    priceForm(registry.has_prices),
  );
  return { element: page, title: "Sessions", close() {} };
}

function listSection(title, path, item, signal, empty) {
  const headingId = newId();
  const box = element("div", {}, element("p", { class: "soft", role: "status", text: "Loading …" }));
  const load = async () => {
    try {
      const items = await getJson(path, signal);
      replaceChildren(
        box,
        items.length
          ? element("ul", { class: "session-list" }, items.map(item))
          : element("p", { class: "soft", text: empty }),
      );
    } catch (error) {
      if (error.name !== "AbortError") replaceChildren(box, notice("bad", prose(error.message)));
    }
  };
  load();
  return element(
    "section",
    { class: "card", "aria-labelledby": headingId },
    element(
      "div",
      { class: "section-head" },
      element("h2", { id: headingId, text: title }),
      button("Reload", load, { "aria-label": `Reload: ${title}` }),
    ),
    box,
  );
}

function storedItem({ id, title, detail }) {
  return element(
    "li",
    {},
    element(
      "a",
      { href: address("sessions", id) },
      element("bdi", {}, visibleNodes(title || id)),
      detail && element("bdi", { class: "soft" }, visibleNodes(detail)),
    ),
  );
}

function runItem({ id, title, started_ms_ago: age, has_ended: hasEnded }) {
  return element(
    "li",
    {},
    element(
      "a",
      { href: address("runs", id) },
      element("bdi", {}, visibleNodes(title || id)),
      element(
        "span",
        { class: "soft" },
        element("span", { class: hasEnded ? "badge" : "badge good", text: hasEnded ? "ended" : "live" }),
        ` started ${duration(age)} ago`,
      ),
    ),
  );
}

function pasteSection(signal, open) {
  const headingId = newId();
  const area = element("textarea", {
    id: newId(),
    rows: "7",
    class: "mono",
    spellcheck: "false",
    dir: "auto",
    placeholder: '[{"role": "user", "content": "…"}, …]',
  });
  const file = element("input", { type: "file", id: newId(), accept: ".json,.jsonl,.txt,application/json,text/plain" });
  const status = element("p", { class: "live", role: "status" });
  const show = (title, text) => {
    if (!text.trim()) {
      status.textContent = "The text is empty.";
      return;
    }
    setPasted(title, text);
    open();
  };
  const read = async (chosen) => {
    if (!chosen) return;
    status.textContent = "Reading the file …";
    try {
      show(chosen.name, await chosen.text());
    } catch (error) {
      status.textContent = `The file cannot be read: ${error.message}`;
    }
  };
  file.addEventListener("change", () => read(file.files[0]));
  const section = element(
    "section",
    { class: "card drop", "aria-labelledby": headingId },
    element("h2", { id: headingId, text: "A history" }),
    element("p", {
      class: "soft",
      text: "A stored session, a list of messages, or the body of a request of any wire. It goes only to the server of this page.",
    }),
    element("label", { for: area.id, text: "Text of the history" }),
    area,
    element(
      "div",
      { class: "actions" },
      button("Show the history", () => show("Pasted history", area.value), { class: "main" }),
    ),
    element("label", { for: file.id, text: "Or a file, which can also be dropped on this page" }),
    file,
    status,
  );
  acceptDrops(section, read, signal);
  return section;
}

/** Reads a file that is dropped anywhere on the page, until the signal aborts. */
function acceptDrops(section, read, signal) {
  const highlight = (isOver) => section.classList.toggle("over", isOver);
  document.addEventListener(
    "dragover",
    (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      highlight(true);
    },
    { signal },
  );
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && highlight(false), { signal });
  document.addEventListener(
    "drop",
    (event) => {
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      highlight(false);
      read(event.dataTransfer.files[0]);
    },
    { signal },
  );
}
