// The part of a tool's page that calls the tool.

import { button, element, newId } from "./element.js";
import { CallRun } from "./call_run.js";
import { createForm } from "./form.js";
import { visibleNodes } from "./visible_text.js";

/** A section with a form and a raw text, and the run of the last call. */
export function tryCall(tool) {
  const preview = element("pre", {
    class: "text preview",
    dir: "auto",
    tabindex: "0",
    role: "region",
    "aria-label": "Arguments as text",
  });
  const form = createForm(tool.parameters, () => {
    preview.replaceChildren(visibleNodes(form.read()));
  });
  preview.replaceChildren(visibleNodes(form.read()));

  const nameInput = element("input", {
    type: "text",
    id: newId(),
    value: tool.name,
    autocomplete: "off",
    spellcheck: "false",
    class: "mono",
  });
  const argumentArea = element("textarea", { id: newId(), rows: "6", spellcheck: "false", class: "mono", dir: "auto" });
  const formBody = element(
    "div",
    {},
    form.element,
    element("p", { class: "label", text: "The arguments as the model would send them" }),
    preview,
  );
  const rawBody = element(
    "div",
    { hidden: true },
    element("label", { for: nameInput.id, text: "Name of the tool" }),
    nameInput,
    element("label", { for: argumentArea.id, text: "Text of the arguments" }),
    argumentArea,
    element("p", {
      class: "soft",
      text: "Both texts go to the registry as they are, for example with JSON that is not complete or with a wrong name.",
    }),
  );

  let isRaw = false;
  const group = newId();
  const modeInput = (text, raw) =>
    element(
      "label",
      { class: "segment" },
      element("input", {
        type: "radio",
        name: group,
        checked: raw === isRaw,
        onchange: () => {
          if (raw && !isRaw) argumentArea.value = form.read();
          isRaw = raw;
          formBody.hidden = raw;
          rawBody.hidden = !raw;
        },
      }),
      element("span", { text }),
    );

  let run = null;
  const output = element("div", { class: "run-box" });
  const stop = button("Stop", () => run?.stop(), { disabled: true });
  const send = button("Call the tool", () => start(), { class: "main" });
  const start = () => {
    run?.stop();
    const call = isRaw
      ? { tool: nameInput.value, arguments: argumentArea.value }
      : { tool: tool.name, arguments: form.read() };
    const current = new CallRun(call, () => {
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
    element(
      "fieldset",
      { class: "segments" },
      element("legend", { class: "unseen", text: "Way to write the arguments" }),
      modeInput("Form", false),
      modeInput("Raw text", true),
    ),
    formBody,
    rawBody,
    element(
      "div",
      { class: "actions" },
      send,
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
