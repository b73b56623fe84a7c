// One message of a timeline, with the calls of a reply.

import { element, newId, notice } from "./element.js";
import { callView } from "./call_view.js";
import { listPages } from "./list_pages.js";
import { partList } from "./parts.js";
import { longText, name, prose, visibleNodes } from "./visible_text.js";
import { completenessWords, count, money, percent, usageWords } from "./words.js";

const ROLES = {
  system: "System",
  developer: "Developer",
  user: "User",
  assistant: "Reply",
  tool: "Tool message without a call",
  note: "Event",
};

/**
 * The element of a message.
 *
 * `context` has `opened`, the keys of opened texts; `shown`, the shown pages of lists; `violations`, by position; and `goTo`, which
 * shows a message by its index.
 */
export function messageView(message, position, context) {
  const headingId = newId();
  const role = Object.hasOwn(ROLES, message.role) ? ROLES[message.role] : message.role;
  const violations = context.violations?.get(position) ?? [];
  return element(
    "article",
    {
      class: `message ${Object.hasOwn(ROLES, message.role) ? message.role : "user"}`,
      "aria-labelledby": headingId,
      tabindex: "-1",
    },
    element(
      "header",
      { class: "message-head" },
      element(
        "h3",
        { id: headingId },
        visibleNodes(role),
        message.index == null ? null : element("span", { class: "soft", text: ` #${message.index}` }),
      ),
      message.model && name(message.model, { class: "soft" }),
      message.tool_call_id && element("span", { class: "soft" }, "for ", name(message.tool_call_id)),
    ),
    listPages(violations, (violation) => violationView(violation, message), {
      shown: context.shown,
      key: `${position} violations`,
      units: "violations",
    }),
    message.reasoning && reasoning(message, position, context),
    message.text &&
      longText(message.text, {
        label: `text of message ${message.index ?? ""}`,
        opened: context.opened,
        key: `${position} text`,
        kind: "plain",
      }),
    partList(message.parts),
    replyNotes(message),
    message.calls?.length > 0 &&
      element(
        "div",
        { class: "calls" },
        listPages(message.calls, (call, index) => callView(call, index, position, context, message.span), {
          shown: context.shown,
          key: callListKey(position),
          units: "calls",
        }),
      ),
    isEmpty(message) && element("p", { class: "soft", text: "An empty message." }),
    message.role === "assistant" && replyFooter(message),
  );
}

/** The key of the list of the calls of a message. */
export function callListKey(position) {
  return `${position} calls`;
}

/** The element in place of a message that cannot be shown. */
export function failedMessageView(error) {
  return element(
    "article",
    { class: "message", tabindex: "-1", "aria-label": "Message that cannot be shown" },
    notice("bad", element("strong", { text: "The message cannot be shown. " }), prose(error.message)),
  );
}

function isEmpty(message) {
  return (
    !message.text &&
    !message.reasoning &&
    !message.refusal &&
    !message.calls?.length &&
    !message.parts?.length &&
    !message.isOpen
  );
}

function reasoning(message, position, context) {
  const key = `${position} reasoning`;
  const details = element(
    "details",
    { class: "reasoning", open: context.opened.has(key) },
    element("summary", { text: `Reasoning (${count(message.reasoning.length)} characters)` }),
    longText(message.reasoning, { label: "reasoning", opened: context.opened, key: `${key} text`, kind: "plain" }),
  );
  details.addEventListener("toggle", () => {
    if (details.open) context.opened.add(key);
    else context.opened.delete(key);
  });
  return details;
}

function replyNotes(message) {
  const notes = [];
  if (message.refusal)
    notes.push(
      notice(
        "wait",
        element("strong", { text: "The model declined: " }),
        longText(message.refusal, { label: "the answer of the model", kind: "plain" }),
      ),
    );
  const incomplete = completenessWords(message.completeness);
  if (incomplete) notes.push(notice("wait", incomplete));
  if (message.interruption)
    notes.push(notice("bad", element("strong", { text: "Interrupted: " }), prose(message.interruption)));
  return notes;
}

function replyFooter(message) {
  const { usage, cost, cache, finish_reason: reason } = message;
  if (!usage && cost == null && !cache && !reason) return null;
  return element(
    "footer",
    { class: "message-foot" },
    usage && element("span", { text: usageWords(usage) }),
    cost != null && element("span", { text: money(cost) }),
    reason && element("span", {}, "end: ", name(reason)),
    cache && cacheMeter(cache),
  );
}

/** The share of the previous request that the cache kept. */
function cacheMeter({ kept, of }) {
  const share = percent(kept, of);
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", `${share}%`);
  const text = `cache kept ${count(kept)} of ${count(of)} tokens (${share} %)`;
  return element("span", { class: "meter" }, bar, element("span", { text }));
}

function violationView(violation, message) {
  const call = message.calls?.[violation.position];
  const providers = violation.rejected_by ?? [];
  return notice(
    violation.is_possible ? "wait" : "bad",
    element("strong", { text: violation.is_possible ? "Possible violation: " : "Violation: " }),
    prose(violation.text),
    element(
      "div",
      { class: "soft" },
      "Rule ",
      name(violation.rule),
      violation.id ? [", call ", name(violation.id)] : "",
      call ? [" of ", name(call.name)] : "",
    ),
    providers.length > 0 && element("div", {}, `Rejected by ${providers.join(", ")}.`),
    violation.quoted &&
      element(
        "figure",
        { class: "quote" },
        element("blockquote", { dir: "auto" }, visibleNodes(violation.quoted.text)),
        element("figcaption", {}, "Message of ", name(violation.quoted.by)),
      ),
  );
}
