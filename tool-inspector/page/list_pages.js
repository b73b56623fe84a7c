// Long lists, of which some items are shown at a time.

import { button, focusOn } from "./element.js";
import { count } from "./words.js";

const PAGE_SIZE = 100;

/** The pages of lists that are shown, by the key of the list. The first page of each list always is. */
export class ShownPages {
  constructor() {
    this.pages = new Map();
  }

  has(key, page) {
    return page === 0 || Boolean(this.pages.get(key)?.has(page));
  }

  add(key, page) {
    if (!this.pages.has(key)) this.pages.set(key, new Set());
    this.pages.get(key).add(page);
  }

  /** Shows the page with an item of a list with pages of the usual size. Returns whether it was not shown before. */
  reveal(key, index) {
    const page = Math.floor(index / PAGE_SIZE);
    if (this.has(key, page)) return false;
    this.add(key, page);
    return true;
  }
}

/**
 * The nodes of the items on the pages that are shown. A button takes the place of the others.
 *
 * `view` makes the node of an item and its index, `shown` are the shown pages, `units` is the name of the items, `size` is the
 * number of those on a page, and `wrap` makes the node around a button.
 */
export function listPages(items, view, { shown, key, units, size = PAGE_SIZE, wrap = (control) => control }) {
  const pageNodes = (page) => {
    const from = page * size;
    return items.slice(from, from + size).map((item, index) => view(item, from + index));
  };
  const more = (page) => {
    const amount = Math.min(size, items.length - page * size);
    const next = button(
      `Show the next ${count(amount)} of ${count(items.length)} ${units}`,
      () => {
        shown.add(key, page);
        const nodes = nodesFrom(page, page + 1);
        node.replaceWith(...nodes);
        nodes[0].tabIndex = -1;
        focusOn(nodes[0]);
      },
      { class: "more next-page" },
    );
    const node = wrap(next);
    return node;
  };
  /** The nodes of the shown pages of a range, and the buttons of the next ones that are not shown. */
  const nodesFrom = (from, to) => {
    const nodes = [];
    for (let page = from; page < to; page += 1) {
      if (!shown.has(key, page)) continue;
      for (const node of pageNodes(page)) nodes.push(node);
      const hasNext = (page + 1) * size < items.length;
      if (hasNext && !shown.has(key, page + 1)) nodes.push(more(page + 1));
    }
    return nodes;
  };
  return nodesFrom(0, Math.ceil(items.length / size));
}
