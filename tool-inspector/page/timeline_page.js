// The page of a session: a summary, jumps, and the timeline.

import { address, button, element, factList, jump, newId, notice, pageHeading, replaceChildren } from "./element.js";
import { ShownPages, listPages } from "./list_pages.js";
import { callListKey, failedMessageView, messageView } from "./message_view.js";
import { Timeline } from "./timeline.js";
import { KINDS, TimelineMarks } from "./timeline_marks.js";
import { name, prose, visibleNodes, visibleString } from "./visible_text.js";
import { count, counted, money, usageWords, wireName } from "./words.js";

const SESSION_KINDS = { session: "a stored session", messages: "a list of messages", request: "a request" };
/** The summary shows this many warnings and waiting calls at a time, so that the messages stay near. */
const SUMMARY_ITEMS = 10;
/** The height of the bars that stay at the upper edge of the screen. */
const STICKY_PX = 110;

export class TimelinePage {
  /** `controls` are elements under the heading, such as the form of the prices. */
  constructor(title, controls = []) {
    this.messages = [];
    this.marks = new TimelineMarks([]);
    this.place = null;
    this.shown = new ShownPages();
    this.opened = new Set();
    this.timeline = new Timeline((position) => this.messageView(position));
    this.summary = element("div", { class: "summary" });
    this.status = element("span", { class: "jump-status", role: "status" });
    this.jumps = element("div", { class: "jump-buttons" });
    this.element = element(
      "div",
      { class: "session" },
      element("a", { class: "back", href: address("sessions") }, "← Sessions"),
      pageHeading(visibleNodes(title)),
      this.summary,
      controls,
      element(
        "div",
        { class: "jumps", role: "group", "aria-label": "Jumps" },
        this.jumps,
        this.searchForm(),
        this.status,
      ),
      element("h2", { class: "unseen", text: "Messages" }),
      this.timeline.element,
    );
  }

  messageView(position) {
    const message = this.messages[position];
    try {
      return messageView(message, position, {
        opened: this.opened,
        shown: this.shown,
        violations: this.marks.violations,
        goTo: (index, call) => this.goTo(this.marks.positionOf(index), call),
      });
    } catch (error) {
      return failedMessageView(error);
    }
  }

  searchForm() {
    const id = newId();
    const input = element("input", { type: "search", id, placeholder: "Find in the messages", autocomplete: "off" });
    return element(
      "form",
      {
        class: "find",
        onsubmit: (event) => {
          event.preventDefault();
          if (!input.value) return;
          const found = this.marks.search(input.value, this.current()[0]);
          this.status.textContent = found === null ? "No message has this text." : "";
          if (found !== null) this.goTo(found);
        },
      },
      element("label", { for: id, class: "unseen", text: "Find in the messages" }),
      input,
      element("button", { text: "Find" }),
    );
  }

  /** Shows a timeline of the server. */
  show(timeline) {
    const waiting = timeline.waiting ?? {};
    const ids = [...(waiting.approvals ?? []), ...(waiting.results ?? [])].map((call) => call.id);
    for (const question of waiting.questions ?? []) ids.push(question.call);
    this.messages = timeline.messages;
    this.marks = new TimelineMarks(this.messages, timeline.violations, new Set(ids));
    this.showSummary(timeline);
    this.timeline.grow(this.messages.length);
  }

  /** Shows messages that are new or have changed, at these positions. */
  update(messages, changed, facts) {
    const isAtEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 120;
    this.messages = messages;
    this.marks = new TimelineMarks(messages);
    this.showSummary(facts);
    const known = this.timeline.length;
    this.timeline.grow(messages.length);
    for (const position of changed) if (position < known) this.timeline.replace(position);
    if (isAtEnd && messages.length)
      window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  }

  showSummary(timeline) {
    const replies = this.messages.filter((message) => message.role === "assistant").length;
    const calls = this.messages.reduce((sum, message) => sum + (message.calls?.length ?? 0), 0);
    const kind = timeline.kind && (SESSION_KINDS[timeline.kind] ?? timeline.kind);
    this.summary.replaceChildren(
      factList(
        [
          ["Content", kind ? `${kind}${timeline.wire ? ` of ${wireName(timeline.wire)}` : ""}` : null],
          ["State", timeline.state ?? null],
          [
            "Messages",
            `${count(this.messages.length)}: ${counted(replies, "reply", "replies")}, ${counted(calls, "call")}`,
          ],
          ["Usage", timeline.usage ? usageWords(timeline.usage) : null],
          ["Cost", timeline.cost == null ? null : money(timeline.cost)],
        ],
        { class: "facts card" },
      ),
    );
    if (timeline.claimed)
      this.summary.append(
        notice(
          "wait",
          "A run has claimed the session and has not stored its end. The waiting calls may have taken effect.",
        ),
      );
    if (timeline.warnings?.length) {
      this.summary.append(
        notice(
          "wait",
          element("strong", { text: counted(timeline.warnings.length, "warning") }),
          this.list(timeline.warnings, (text) => element("li", {}, prose(text)), "warnings"),
        ),
      );
    }
    const waiting = this.waitingList(timeline.waiting);
    if (waiting) this.summary.append(waiting);
    this.showJumps();
  }

  waitingList(waiting) {
    const calls = [
      ...(waiting?.approvals ?? []).map((call) => ({ ...call, state: "needs approval" })),
      ...(waiting?.results ?? []).map((call) => ({ ...call, state: "needs a result from elsewhere" })),
      ...(waiting?.questions ?? []).map(({ tool, call, text }) => ({
        tool,
        id: call,
        error: text,
        state: "asks the user",
      })),
    ];
    if (!calls.length) return null;
    const list = this.list(calls, (call) => this.waitingItem(call), "waiting calls");
    return notice("wait", element("strong", { text: "The session waits" }), list);
  }

  list(items, view, units) {
    const wrap = (control) => element("li", {}, control);
    return element(
      "ul",
      {},
      listPages(items, view, { shown: this.shown, key: units, units, size: SUMMARY_ITEMS, wrap }),
    );
  }

  waitingItem({ state, tool, id, error, ticket, may_have_taken_effect: mayHaveEffect }) {
    return element(
      "li",
      {},
      name(tool),
      ` ${state}. `,
      ticket != null && ["Ticket ", name(ticket), ". "],
      error && prose(error),
      mayHaveEffect && " An earlier attempt may have taken effect. ",
      " ",
      jump("Show the call", () => this.goToCall(id), { "aria-label": `Show the call of ${visibleString(tool)}` }),
    );
  }

  showJumps() {
    const buttons = KINDS.filter(([kind]) => this.marks.marks[kind].length > 0).map(([kind, one, many]) => {
      const all = this.marks.marks[kind].length;
      return button(`Next ${one} (${count(all)})`, () => this.jumpTo(kind, one, many), {
        class: `jump-${kind}`,
        "data-kind": kind,
      });
    });
    const focused = this.jumps.contains(document.activeElement) ? document.activeElement.dataset.kind : null;
    const last = button("Last", () => this.goTo(this.messages.length - 1), {
      "data-kind": "last",
      "aria-label": "Last message",
    });
    const first = button("First", () => this.goTo(0), { "data-kind": "first", "aria-label": "First message" });
    replaceChildren(this.jumps, buttons, first, last);
    if (focused) this.jumps.querySelector(`[data-kind="${focused}"]`)?.focus({ preventScroll: true });
  }

  jumpTo(kind, one) {
    const { number, all, place } = this.marks.next(kind, this.current());
    this.status.textContent = `${one} ${count(number)} of ${count(all)}`;
    this.goTo(...place);
    // The button keeps the focus, so that it can be pressed again.
    this.jumps.querySelector(`[data-kind="${kind}"]`)?.focus({ preventScroll: true });
  }

  goTo(position, call = null) {
    this.unmark();
    if (call !== null && this.shown.reveal(callListKey(position), call)) this.timeline.replace(position);
    this.timeline.show(position, call);
    this.place = [position, call];
    const target = this.timeline.find(position);
    this.marked = (call === null ? null : target?.querySelector(`[data-call="${call}"]`)) ?? target;
    this.marked?.classList.add("marked");
  }

  unmark() {
    this.marked?.classList.remove("marked");
  }

  goToCall(id) {
    const position = this.messages.findLastIndex((message) => message.calls?.some((call) => call.id === id));
    if (position !== -1)
      this.goTo(
        position,
        this.messages[position].calls.findIndex((call) => call.id === id),
      );
  }

  /** The place of the last jump while it is on the screen, else the message before the upper edge. */
  current() {
    const box = this.place && this.timeline.find(this.place[0])?.getBoundingClientRect();
    if (box && box.bottom > 0 && box.top < window.innerHeight) return this.place;
    return window.scrollY < 10 ? [-1, null] : [this.timeline.topPosition(STICKY_PX) - 1, null];
  }

  close() {
    this.timeline.close();
  }
}
