// The part of a tool's page that calls the tool.

import { button, element, newId } from "./element.js";
import { CallRun } from "./call_run.js";
import { createForm } from "./form.js";
import { visibleNodes } from "./visible_text.js";

/** A section with the arguments, and the run of the last call. */
export function tryCall(tool) {
  const editor = callEditor(tool);
  const output = element("div", { class: "run-box" });
  let run = null;
  const stop = button("Stop", () => run?.stop(), { disabled: true });
  const start = () => {
    run?.stop();
    const current = new CallRun(editor.read(), () => {
      if (run === current) stop.disabled = true;
    });
    run = current;
    stop.disabled = false;
    output.replaceChildren(current.element);
    current.start();
  };
  const section = element(
    "section",
    { class: "card", "aria-labelledby": "try-heading" },
    element("h2", { id: "try-heading", text: "Try" }),
    editor.elements,
    element(
      "div",
      { class: "actions" },
      button("Call the tool", start, { class: "main" }),
      stop,
      element("span", { class: "soft keys", text: "Ctrl + Enter calls the tool" }),
    ),
    output,
  );
  section.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || output.contains(event.target)) return;
    event.preventDefault();
    start();
  });
  return { element: section, close: () => run?.stop() };
}

/** The two ways to write a call, a form and a raw text. `read` gives the call of the one that is chosen. */
function callEditor(tool) {
  const form = formEditor(tool);
  const raw = rawEditor(tool);
  let isRaw = false;
  const mode = modeSwitch((chosen) => {
    if (chosen && !isRaw) raw.setArguments(form.read().arguments);
    isRaw = chosen;
    form.element.hidden = isRaw;
    raw.element.hidden = !isRaw;
  });
  return { elements: [mode, form.element, raw.element], read: () => (isRaw ? raw : form).read() };
}

function modeSwitch(choose) {
  const group = newId();
  const choice = (text, isRaw) =>
    element(
      "label",
      { class: "segment" },
      element("input", { type: "radio", name: group, checked: !isRaw, onchange: () => choose(isRaw) }),
      element("span", { text }),
    );
  return element(
    "fieldset",
    { class: "segments" },
    element("legend", { class: "unseen", text: "Way to write the arguments" }),
    choice("Form", false),
    choice("Raw text", true),
  );
}

function formEditor(tool) {
  const preview = element("pre", {
    class: "text preview",
    dir: "auto",
    tabindex: "0",
    role: "region",
    "aria-label": "Arguments as text",
  });
  const show = () => preview.replaceChildren(visibleNodes(form.read()));
  const form = createForm(tool.parameters, show);
  show();
  const label = element("p", { class: "label", text: "The arguments as the model would send them" });
  return {
    element: element("div", {}, form.element, label, preview),
    read: () => ({ tool: tool.name, arguments: form.read() }),
  };
}

function rawEditor(tool) {
  const toolName = element("input", {
    type: "text",
    id: newId(),
    value: tool.name,
    autocomplete: "off",
    spellcheck: "false",
    class: "mono",
  });
  const area = element("textarea", { id: newId(), rows: "6", spellcheck: "false", class: "mono", dir: "auto" });
  const node = element(
    "div",
    { hidden: true },
    element("label", { for: toolName.id, text: "Name of the tool" }),
    toolName,
    element("label", { for: area.id, text: "Text of the arguments" }),
    area,
    element("p", {
      class: "soft",
      text: "Both texts go to the registry as they are, for example with JSON that is not complete or with a wrong name.",
    }),
  );
  return {
    element: node,
    read: () => ({ tool: toolName.value, arguments: area.value }),
    setArguments: (text) => (area.value = text),
  };
}
