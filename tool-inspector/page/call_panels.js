// The panels of a call that need the user.

import { button, element, newId } from "./element.js";
import { createForm } from "./form.js";
import { indent, jsonNodes, parse } from "./json_text.js";
import { longText, name, prose } from "./visible_text.js";

/** A panel with a heading, which gets the focus. */
function panel(title, body, buttons) {
  const id = newId();
  return element(
    "section",
    { class: "panel", "aria-labelledby": id },
    element("h3", { id, tabindex: "-1" }, title),
    body,
    element("div", { class: "actions" }, buttons),
  );
}

/** Moves the focus from a panel that ends to the status of its run. */
function leave(node) {
  const status = node.closest(".run")?.querySelector(".status-line");
  node.remove();
  if (!status) return;
  status.tabIndex = -1;
  status.focus();
}

/** Removes the panel once its answer has arrived, else enables its buttons again. */
function answering(node, send) {
  return async (body) => {
    const controls = node().querySelectorAll("button");
    controls.forEach((control) => (control.disabled = true));
    if (await send(body)) {
      leave(node());
    } else {
      controls.forEach((control) => (control.disabled = false));
    }
  };
}

/** Asks before a call that may have effects. */
export function confirmationPanel(reason, decide) {
  const choose = (isConfirmed) => {
    leave(node);
    decide(isConfirmed);
  };
  const node = panel(
    "Call the tool?",
    [element("p", {}, prose(reason))],
    [button("Call it", () => choose(true), { class: "main" }), button("Do not call it", () => choose(false))],
  );
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    choose(false);
  });
  return node;
}

function waitingFacts(call) {
  const text = indent(call.arguments) ?? call.arguments;
  return [
    element("p", {}, "Tool ", name(call.tool), call.outer_call ? " (called by another tool)" : ""),
    call.ticket != null && element("p", {}, "Ticket ", name(call.ticket)),
    longText(text, { label: "arguments", nodes: indent(call.arguments) ? jsonNodes : undefined }),
    call.error && element("p", { class: "notice bad" }, prose(call.error)),
    call.may_have_taken_effect &&
      element("p", { class: "notice wait", text: "An earlier attempt of this call may have taken effect." }),
  ].filter(Boolean);
}

export function approvalPanel(call, send) {
  const reason = element("input", { type: "text", id: newId(), autocomplete: "off" });
  const answer = answering(() => node, send);
  const node = panel(
    "Approve the call?",
    [...waitingFacts(call), element("label", { for: reason.id, text: "Reason for the model, if you deny it" }), reason],
    [
      button("Approve", () => answer(JSON.stringify({ id: call.id, decision: "approve" })), { class: "main" }),
      button("Deny", () => answer(JSON.stringify({ id: call.id, decision: "deny", reason: reason.value }))),
    ],
  );
  return node;
}

export function resultPanel(call, send) {
  const text = element("textarea", { id: newId(), rows: "4", dir: "auto" });
  const isError = element("input", { type: "checkbox" });
  const answer = answering(() => node, send);
  const node = panel(
    "The result of the call",
    [
      ...waitingFacts(call),
      element("label", { for: text.id, text: "Text of the result" }),
      text,
      element("label", { class: "check" }, isError, " The result is an error"),
    ],
    [
      button(
        "Send the result",
        () => answer(JSON.stringify({ id: call.id, text: text.value, is_error: isError.checked })),
        { class: "main" },
      ),
    ],
  );
  return node;
}

export function questionPanel(question, send) {
  // The form gets a schema without a prototype, as those of tools are.
  const form = createForm(parse(JSON.stringify(question.schema)), () => {});
  const answer = answering(() => node, send);
  const accept = () =>
    answer(`{"id":${JSON.stringify(question.id)},"answer":{"action":"accept","content":${form.read()}}}`);
  const give = (action) => () => answer(JSON.stringify({ id: question.id, answer: { action } }));
  const node = panel(
    "A question of the tool",
    [
      element("p", {}, "Tool ", name(question.tool)),
      longText(question.text, { label: "question", kind: "plain" }),
      form.element,
    ],
    [
      button("Send the answer", accept, { class: "main" }),
      button("Decline", give("decline")),
      button("Cancel", give("cancel")),
    ],
  );
  return node;
}
