// The messages of a session in a page that scrolls. Only those near the screen are in the document.

import { element, focusOn } from "./element.js";

const CHUNK = 20;
const MARGIN_PX = 1500;
const FIRST_ESTIMATE_PX = 190;

/** Messages in chunks. A chunk far from the screen is an empty box with the height that it had. */
export class Timeline {
  /** `render` makes the element of the message at a position. */
  constructor(render) {
    this.render = render;
    this.length = 0;
    this.chunks = [];
    this.rendered = new Set();
    this.measured = { messages: 0, height: 0 };
    this.element = element("div", { class: "timeline" });
    this.observer = new IntersectionObserver((entries) => this.scrolled(entries), { rootMargin: `${MARGIN_PX}px 0px` });
  }

  /** Sets the number of messages. Those that are new are at the end. */
  grow(length) {
    const from = this.length;
    this.length = length;
    while (this.chunks.length * CHUNK < length) {
      const node = element("div", { class: "chunk" });
      const chunk = { node, index: this.chunks.length, isRendered: false, isNear: false, height: 0 };
      node.chunk = chunk;
      this.chunks.push(chunk);
      this.element.append(node);
      this.estimate(chunk);
      this.observer.observe(node);
    }
    const first = this.chunks[Math.floor(from / CHUNK)];
    if (from % CHUNK && first) {
      if (first.isRendered) {
        for (let at = from; at < Math.min(length, (first.index + 1) * CHUNK); at += 1)
          first.node.append(this.render(at));
      } else {
        this.estimate(first);
      }
    }
  }

  /** Makes the element of a message again, if it is in the document. */
  replace(position) {
    const old = this.find(position);
    if (!old) return;
    const hadFocus = old.contains(document.activeElement);
    const next = this.render(position);
    old.replaceWith(next);
    if (hadFocus) focusOn(next);
  }

  /** The element of a message, or `null` if it is not in the document. */
  find(position) {
    const chunk = this.chunks[Math.floor(position / CHUNK)];
    return chunk?.isRendered ? (chunk.node.children[position % CHUNK] ?? null) : null;
  }

  /** Puts a message on the screen, and gives it the focus. */
  show(position, part = null) {
    const at = Math.floor(position / CHUNK);
    for (const chunk of this.chunks.slice(Math.max(0, at - 1), at + 2)) this.open(chunk);
    const message = this.find(position);
    if (!message) return;
    const target = (part === null ? null : message.querySelector(`[data-call="${part}"]`)) ?? message;
    const scroll = () => target.scrollIntoView({ block: "start", behavior: "instant" });
    scroll();
    focusOn(target);
    // The chunks around it get their contents, and with them their heights, in the next frames.
    requestAnimationFrame(() => requestAnimationFrame(() => target.isConnected && scroll()));
  }

  /** The position of the message at the upper edge of the screen. */
  topPosition(edge) {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.chunks[middle].node.getBoundingClientRect().bottom <= edge) low = middle + 1;
      else high = middle;
    }
    const chunk = this.chunks[low];
    if (!chunk) return 0;
    const inside = chunk.isRendered
      ? [...chunk.node.children].findIndex((child) => child.getBoundingClientRect().bottom > edge)
      : 0;
    return chunk.index * CHUNK + Math.max(0, inside);
  }

  close() {
    this.observer.disconnect();
  }

  scrolled(entries) {
    // The last entry of each chunk is its state now.
    for (const entry of entries) entry.target.chunk.isNear = entry.isIntersecting;
    for (const { target } of entries) if (target.chunk.isNear) this.open(target.chunk);
    // Among them are chunks that an earlier call kept for their focus, and chunks next to the target of a jump.
    for (const chunk of this.rendered) if (!chunk.isNear) this.empty(chunk);
  }

  estimate(chunk) {
    const { messages, height } = this.measured;
    const count = Math.min(CHUNK, this.length - chunk.index * CHUNK);
    chunk.height = count * (messages ? height / messages : FIRST_ESTIMATE_PX);
    chunk.node.style.height = `${chunk.height}px`;
  }

  open(chunk) {
    if (chunk.isRendered) return;
    chunk.isRendered = true;
    this.rendered.add(chunk);
    const { top } = chunk.node.getBoundingClientRect();
    const from = chunk.index * CHUNK;
    const to = Math.min(this.length, from + CHUNK);
    const nodes = document.createDocumentFragment();
    for (let at = from; at < to; at += 1) nodes.append(this.render(at));
    chunk.node.append(nodes);
    chunk.node.style.height = "";
    const height = chunk.node.offsetHeight;
    this.measured.messages += to - from;
    this.measured.height += height;
    // The visible messages stay in place when a chunk above it changes its height.
    if (top + chunk.height <= 0 && height !== chunk.height)
      window.scrollBy({ top: height - chunk.height, behavior: "instant" });
    chunk.height = height;
  }

  /** Takes the messages of a chunk out of the document, unless one of them has the focus or the selection. */
  empty(chunk) {
    if (!chunk.isRendered || chunk.node.contains(document.activeElement)) return;
    const selection = document.getSelection();
    if (selection && !selection.isCollapsed && selection.containsNode(chunk.node, true)) return;
    chunk.height = chunk.node.offsetHeight;
    chunk.node.style.height = `${chunk.height}px`;
    chunk.node.replaceChildren();
    chunk.isRendered = false;
    this.rendered.delete(chunk);
  }
}
