// One call of a reply, with its result.

import { element, jump, newId } from "./element.js";
import { indent, jsonNodes } from "./json_text.js";
import { partList } from "./parts.js";
import { code, longText, name } from "./visible_text.js";
import { duration, statusWords } from "./words.js";

const KINDS = { ok: "good", error: "bad", missing: "bad" };
/** Longer arguments are shown as they are. */
const MAX_INDENTED = 200_000;

/** `span` is the first and the last time of the calls of the reply in a live run. */
export function callView(call, index, position, context, span) {
  const headingId = newId();
  const key = `${position} ${index}`;
  const kind = Object.hasOwn(KINDS, call.status) ? KINDS[call.status] : "wait";
  return element(
    "div",
    { class: `call ${kind}`, role: "group", "aria-labelledby": headingId, tabindex: "-1", "data-call": index },
    element(
      "div",
      { class: "call-head" },
      element("h4", { id: headingId }, name(call.name)),
      element("span", { class: `badge ${kind}`, text: statusWords(call.status) }),
      call.approval &&
        element("span", { class: call.approval === "denied" ? "badge bad" : "badge", text: call.approval }),
      call.duration_ms != null && element("span", { class: "soft", text: duration(call.duration_ms) }),
    ),
    element(
      "div",
      { class: "soft call-id" },
      name(call.id),
      call.outer_call ? [", called by ", name(call.outer_call)] : "",
    ),
    call.retry_of &&
      element(
        "div",
        { class: "retry" },
        "Retry of ",
        jump(`call ${call.retry_of.position + 1} of message ${call.retry_of.index}`, () =>
          context.goTo(call.retry_of.index, call.retry_of.position),
        ),
      ),
    span && call.from_ms != null && timeBar(call, span),
    progress(call),
    element("h5", { text: call.is_truncated ? "Arguments (truncated)" : "Arguments" }),
    argumentText(call.arguments, context, key),
    resultView(call, context, key),
  );
}

function argumentText(text, context, key) {
  if (text === "") return element("p", { class: "soft", text: "empty" });
  const indented = text.length <= MAX_INDENTED ? indent(text) : null;
  const options = { label: "arguments", opened: context.opened, key: `${key} arguments`, characters: 500, lines: 12 };
  return indented ? longText(indented, { ...options, nodes: jsonNodes }) : longText(text, options);
}

function resultView(call, context, key) {
  const { result } = call;
  if (!result) return null;
  return element(
    "div",
    { class: "call-result" },
    element(
      "h5",
      {},
      call.status === "error" ? "Error" : "Result",
      result.error_kind ? [" ", code(result.error_kind)] : "",
      result.index == null ? null : element("span", { class: "soft", text: ` #${result.index}` }),
    ),
    result.text === ""
      ? element("p", { class: "soft", text: "An empty text." })
      : longText(result.text, {
          label: `result of ${call.name}`.slice(0, 80),
          opened: context.opened,
          key: `${key} result`,
          characters: 500,
          lines: 12,
        }),
    partList(result.parts),
  );
}

function progress(call) {
  if (!call.progress || call.status !== "running") return null;
  const { done, total, text } = call.progress;
  const bar = element("progress", { "aria-label": "Progress", max: total ?? null });
  if (total) bar.value = Math.min(done, total);
  return element(
    "div",
    {},
    bar,
    element("div", { class: "soft" }, total ? `${done} of ${total} ` : `${done} `, name(text ?? "")),
  );
}

/** The time of the call in the time of all calls of the reply. */
function timeBar(call, span) {
  const whole = Math.max(1, span.to - span.from);
  const bar = element("div", { class: "time-bar", "aria-hidden": "true" }, element("span", {}));
  const to = call.to_ms ?? span.to;
  bar.style.setProperty("--from", `${((call.from_ms - span.from) / whole) * 100}%`);
  bar.style.setProperty("--share", `${Math.max(1, ((to - call.from_ms) / whole) * 100)}%`);
  return bar;
}
