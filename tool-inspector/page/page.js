// The page: its parts by the hash of the address.

import { address, element, focusOn, notice, pageHeading, replaceChildren } from "./element.js";
import { overview } from "./overview.js";
import { getJson } from "./server.js";
import { fileSession, liveSession, pastedSession, storedSession } from "./session_page.js";
import { sessionsPage } from "./sessions_page.js";
import { ToolList } from "./tool_list.js";
import { toolPage } from "./tool_page.js";
import { prose, visibleNodes, visibleString } from "./visible_text.js";

const content = document.getElementById("content");
const navigation = document.getElementById("navigation");
let registry = null;
let toolList = null;
/** The open part: its requests, and the function that ends it. */
let open = { abort: new AbortController(), close() {} };
let isFirst = true;

async function start() {
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    focusOn(content.querySelector(".page-heading") ?? content);
    (content.querySelector(".page-heading") ?? content).scrollIntoView();
  });
  try {
    registry = await getJson("api/registry");
  } catch (error) {
    replaceChildren(content, pageHeading("The page cannot load"), notice("bad", prose(error.message)));
    return;
  }
  document.getElementById("program").replaceChildren(visibleNodes(registry.title));
  addEventListener("hashchange", navigate);
  await navigate();
}

/** The segments of the hash, such as `["tools", "get_weather"]`. */
function segments() {
  return location.hash
    .replace(/^#\/?/, "")
    .split("/")
    .filter(Boolean)
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    });
}

async function navigate() {
  open.abort.abort();
  open.close();
  const abort = new AbortController();
  open = { abort, close() {} };
  const [first, second] = segments();
  const part = first ?? (registry.has_registry ? "tools" : "file");
  showNavigation(part);
  try {
    const page = await load(part, second, abort.signal);
    if (abort.signal.aborted) {
      page.close();
      return;
    }
    open.close = page.close;
    show(part, page);
  } catch (error) {
    if (abort.signal.aborted) return;
    const body = element(
      "div",
      { class: "tool-content" },
      element(
        "a",
        { class: "back", href: address(part === "tools" ? "tools" : "sessions") },
        part === "tools" ? "← All tools" : "← Sessions",
      ),
      pageHeading("Not available"),
      notice("bad", prose(error.message)),
    );
    show(part, { element: body, title: "Not available" }, second);
  }
}

async function load(part, id, signal) {
  const { has_prices: hasPrices } = registry;
  switch (part) {
    case "tools":
      if (!registry.has_registry) break;
      if (id === undefined) return { element: overview(registry), title: "Tools", close() {}, tool: null };
      loading();
      return { ...(await toolPage(id, signal)), tool: id };
    case "sessions":
      if (id === undefined) break;
      loading();
      return storedSession(
        `api/sessions/${encodeURIComponent(id)}`,
        await titleOf("api/sessions", id, signal),
        hasPrices,
        signal,
      );
    case "runs":
      if (id === undefined) break;
      return liveSession(id, await titleOf("api/runs", id, signal), signal);
    case "file": {
      loading();
      const page = await fileSession(hasPrices, signal);
      if (page) return page;
      break;
    }
    case "pasted": {
      loading();
      const page = await pastedSession(hasPrices, signal);
      if (page) return page;
      break;
    }
  }
  return sessionsPage(registry, signal, () => {
    if (segments()[0] === "pasted") navigate();
    else location.hash = "#/pasted";
  });
}

/** The title of an entry of a list of the server, else its id. */
async function titleOf(path, id, signal) {
  try {
    return (await getJson(path, signal)).find((entry) => entry.id === id)?.title || id;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return id;
  }
}

/** Shows that a part loads, if it takes longer than a moment. */
function loading() {
  const { signal } = open.abort;
  const timer = setTimeout(() => {
    const box = content.querySelector(".tool-pane") ?? content;
    if (!signal.aborted) box.prepend(element("p", { class: "loading", role: "status", text: "Loading …" }));
  }, 400);
  signal.addEventListener("abort", () => clearTimeout(timer));
  open.shown = () => clearTimeout(timer);
}

function show(part, page, tool = page.tool) {
  open.shown?.();
  if (part === "tools" && registry.has_registry) showInTools(page, tool);
  else replaceChildren(content, page.element);
  const program = registry.title ? `${visibleString(registry.title)} – ` : "";
  document.title = `${visibleString(page.title)} – ${program}Tool inspector`;
  // The first page keeps the focus of the browser, and the others announce their heading.
  if (!isFirst) {
    window.scrollTo({ top: 0, behavior: "instant" });
    focusOn(content.querySelector(".page-heading"));
  }
  isFirst = false;
}

/** The list stays the same while the user opens one tool after another. */
function showInTools(page, tool) {
  toolList ??= new ToolList(registry.tools);
  let layout = content.querySelector(".tools-layout");
  if (!layout) {
    layout = element("div", { class: "tools-layout" }, toolList.element, element("div", { class: "tool-pane" }));
    replaceChildren(content, layout);
  }
  layout.classList.toggle("has-tool", tool != null);
  replaceChildren(layout.querySelector(".tool-pane"), page.element);
  toolList.select(tool ?? null);
}

function showNavigation(part) {
  const links = [
    registry.has_registry && ["tools", "Tools", part === "tools"],
    ["sessions", "Sessions", part !== "tools"],
  ].filter(Boolean);
  replaceChildren(
    navigation,
    element(
      "ul",
      {},
      links.map(([path, text, isCurrent]) =>
        element("li", {}, element("a", { href: address(path), "aria-current": isCurrent ? "page" : null }, text)),
      ),
    ),
  );
}

start();
