// The definitions of one tool: the text that the model gets, for each wire.

import { button, element, newId, notice, replaceChildren } from "./element.js";
import { indent, jsonNodes, write } from "./json_text.js";
import { readSetting, storeSetting } from "./setting.js";
import { longText, prose } from "./visible_text.js";
import { counted, wireName } from "./words.js";

/** A section with a selector of the wire and of the form, plain or strict. */
export function definitions(tool) {
  const wires = [...new Set(tool.definitions.map((one) => one.wire))];
  const stored = readSetting("definition") ?? {};
  let wire = wires.includes(stored.wire) ? stored.wire : wires[0];
  let isStrict = stored.strict === true;
  const select = element(
    "select",
    { id: newId() },
    wires.map((value) => element("option", { value, text: wireName(value) })),
  );
  if (wire) select.value = wire;
  const switchId = newId();
  const group = newId();
  const body = element("div", { class: "definition" });
  const choice = (text, value) => {
    const input = element("input", {
      type: "radio",
      name: group,
      checked: value === isStrict,
      onchange: () => show((isStrict = value)),
    });
    return element("label", { class: "segment" }, input, element("span", { text }));
  };
  const show = () => {
    wire = select.value;
    storeSetting("definition", { wire, strict: isStrict });
    const found = tool.definitions.find((one) => one.wire === wire && Boolean(one.strict) === isStrict);
    replaceChildren(
      body,
      found
        ? definition(found)
        : element("p", {
            class: "soft",
            role: "status",
            text: `${wireName(wire)} has no ${isStrict ? "strict" : "plain"} form.`,
          }),
    );
  };
  select.addEventListener("change", show);
  show();
  return element(
    "section",
    { class: "card", "aria-labelledby": switchId },
    element("h2", { id: switchId, text: "Definition for the model" }),
    element(
      "div",
      { class: "selectors" },
      element("div", {}, element("label", { for: select.id, text: "Wire" }), select),
      element(
        "fieldset",
        { class: "segments" },
        element("legend", { class: "unseen", text: "Form of the definition" }),
        choice("Plain", false),
        choice("Strict", true),
      ),
    ),
    body,
    tokenTable(tool.definitions),
  );
}

function definition(one) {
  const text = one.definition == null ? null : indent(write(one.definition));
  const report = one.report ?? [];
  return element(
    "div",
    {},
    element(
      "p",
      { class: "badges", role: "status" },
      one.strict &&
        element("span", {
          class: one.is_strict ? "badge good" : "badge wait",
          text: one.is_strict ? "strict" : "not strict",
        }),
      one.tokens != null && element("span", { class: "badge", text: counted(Number(one.tokens), "token") }),
    ),
    one.error && notice("bad", element("strong", { text: "Error: " }), prose(one.error)),
    report.length > 0 &&
      notice(
        "wait",
        element("strong", { text: one.strict && !one.is_strict ? "Why it is not strict" : "Report" }),
        element(
          "ul",
          {},
          report.map((line) => element("li", {}, prose(line))),
        ),
      ),
    text && longText(text, { label: "definition", nodes: jsonNodes, characters: 6000, lines: 60 }),
    text && copyButton(text),
  );
}

function copyButton(text) {
  const status = element("span", { class: "soft", role: "status" });
  const copy = button("Copy the definition", async () => {
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = "Copied.";
    } catch {
      status.textContent = "The browser does not allow the page to copy.";
    }
  });
  return element("div", { class: "actions" }, copy, status);
}

/** The tokens of each definition. */
function tokenTable(all) {
  const wires = [...new Set(all.map((one) => one.wire))];
  const amount = (wire, strict) => {
    const one = all.find((one) => one.wire === wire && Boolean(one.strict) === strict);
    const text = !one ? "–" : one.error || one.tokens == null ? "error" : String(one.tokens);
    return element(
      "td",
      { class: "number" },
      text,
      one?.strict && !one.is_strict && !one.error ? element("span", { class: "soft", text: " (not strict)" }) : null,
    );
  };
  return element(
    "details",
    {},
    element("summary", { text: "Tokens for each wire" }),
    element(
      "table",
      { class: "small-table" },
      element("caption", { class: "unseen", text: "Tokens of the definition for each wire" }),
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          ["Wire", "Plain", "Strict"].map((text) => element("th", { scope: "col", text })),
        ),
      ),
      element(
        "tbody",
        {},
        wires.map((wire) =>
          element(
            "tr",
            {},
            element("th", { scope: "row", text: wireName(wire) }),
            amount(wire, false),
            amount(wire, true),
          ),
        ),
      ),
    ),
  );
}
