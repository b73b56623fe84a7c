// The list of the tools, with a search and filters.

import { address, element, newId, replaceChildren } from "./element.js";
import { getJson } from "./server.js";
import { name, visibleNodes, visibleString } from "./visible_text.js";
import { count, counted } from "./words.js";

const FILTERS = [
  ["approval", "Needs approval", (tool) => tool.requires_approval],
  ["effects", "Not read only", (tool) => tool.annotations.read_only !== true],
  ["changed", "Changed since the lock file", (tool) => tool.change !== null],
  ["deferred", "Deferred", (tool) => tool.is_deferred],
  ["hidden", "Not allowed", (tool) => !tool.is_allowed],
];

export class ToolList {
  constructor(tools) {
    this.items = tools.map((tool) => {
      const tokens = element("span", { class: "tokens" });
      const link = toolLink(tool, tokens);
      return {
        tool,
        link,
        tokens,
        item: element("li", {}, link),
        words: `${tool.name}\n${tool.title ?? ""}\n${tool.description ?? ""}`.toLowerCase(),
      };
    });
    this.filters = new Set();
    this.list = element("ul", { class: "tools" });
    this.search = element("input", {
      type: "search",
      id: newId(),
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "Name, title or description",
      oninput: () => this.show(),
    });
    this.search.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.search.value) return;
      this.search.value = "";
      this.show();
    });
    this.result = element("p", { class: "soft list-count", role: "status" });
    this.element = element(
      "nav",
      { class: "tool-list", "aria-label": "Tools" },
      element(
        "div",
        { class: "list-head" },
        element("label", { for: this.search.id, text: "Search the tools" }),
        this.search,
        this.filterButtons(),
        this.result,
      ),
      this.list,
    );
    this.show();
    this.loadTokens();
  }

  /** Shows the tokens of each tool. The server may count for seconds, so the list is painted before. */
  async loadTokens() {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    try {
      const all = await getJson("api/tokens");
      for (const { tool, tokens } of this.items) {
        if (Object.hasOwn(all, tool.name)) tokens.textContent = counted(all[tool.name], "token");
      }
    } catch {
      // The list is complete without the tokens, and the page of a tool has them too.
    }
  }

  /** The filters that at least one tool, and not each one, passes. */
  filterButtons() {
    const useful = FILTERS.filter(([, , passes]) => {
      const passing = this.items.filter(({ tool }) => passes(tool)).length;
      return passing > 0 && passing < this.items.length;
    });
    if (!useful.length) return null;
    const buttons = useful.map(([key, text]) => {
      const toggle = element("button", { type: "button", class: "filter", "aria-pressed": "false" }, text);
      toggle.addEventListener("click", () => {
        if (!this.filters.delete(key)) this.filters.add(key);
        toggle.setAttribute("aria-pressed", String(this.filters.has(key)));
        this.show();
      });
      return toggle;
    });
    return element("div", { class: "filters", role: "group", "aria-label": "Filters" }, buttons);
  }

  show() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const active = FILTERS.filter(([key]) => this.filters.has(key));
    const passing = this.items.filter(({ tool, words: text }) => {
      return words.every((word) => text.includes(word)) && active.every(([, , passes]) => passes(tool));
    });
    replaceChildren(
      this.list,
      passing.map(({ item }) => item),
    );
    const shown = passing.length;
    const all = this.items.length;
    this.result.textContent = shown === all ? counted(all, "tool") : `${count(shown)} of ${counted(all, "tool")}`;
  }

  /** Marks the tool whose page is open. */
  select(current) {
    for (const { tool, link } of this.items) {
      if (tool.name === current) {
        link.setAttribute("aria-current", "page");
        scrollInside(link);
      } else {
        link.removeAttribute("aria-current");
      }
    }
  }
}

/** Scrolls the list, but not the page, to a link that is not in view. */
function scrollInside(link) {
  requestAnimationFrame(() => {
    const list = link.closest("ul");
    if (!list || list.scrollHeight <= list.clientHeight) return;
    const top = link.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + link.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 3;
    }
  });
}

function toolLink(tool, tokens) {
  const tags = [
    tool.change === "breaking" && "breaking change",
    tool.change === "compatible" && "changed",
    tool.requires_approval && "approval",
    tool.is_deferred && "deferred",
    !tool.is_allowed && "not allowed",
  ].filter(Boolean);
  return element(
    "a",
    { href: address("tools", tool.name), class: "tool-link" },
    element("span", { class: "tool-line" }, name(tool.name, { class: "tool-name" }), tokens),
    tool.title && element("bdi", { class: "tool-title" }, visibleNodes(tool.title)),
    tool.description && element("bdi", { class: "tool-text" }, visibleString(tool.description, 90)),
    tags.length > 0 &&
      element(
        "span",
        { class: "tags" },
        tags.map((text) => element("span", { class: text === "breaking change" ? "tag bad" : "tag", text })),
      ),
  );
}
