// The inputs of one plain value. Each has an element, its control, and `read` for the JSON text.

import { element, newId } from "./element.js";
import { isJson, isNumber, write } from "./json_text.js";
import { visibleString } from "./visible_text.js";

/** The attributes that join a control to the name of its property, its description and its note. */
function labels(context, noteId) {
  const descriptions = [context.hintId, noteId].filter(Boolean).join(" ");
  return { id: newId(), "aria-labelledby": context.labelId, "aria-describedby": descriptions || null };
}

/** A note about the text of an input, which is part of the description of the input. */
function inputNote(text) {
  return element("p", { class: "soft note", id: newId(), text });
}

/** Changes a note. It is announced only now, since a form has many notes that nobody has changed. */
function announce(note, text) {
  note.setAttribute("role", "status");
  if (note.textContent !== text) note.textContent = text;
}

export function textInput(schema, context) {
  const area = element("textarea", { rows: "1", spellcheck: "false", autocomplete: "off", ...labels(context) });
  if (typeof schema.default === "string") area.placeholder = visibleString(schema.default);
  return { element: area, read: () => JSON.stringify(area.value), control: area };
}

/** A number stays the text that the user typed. Other text that is JSON stays JSON, and the rest becomes a JSON string. */
export function numberInput(schema, context) {
  const note = inputNote("");
  const input = element("input", {
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    ...labels(context, note.id),
    oninput: () => announce(note, numberWords(input.value.trim())),
  });
  if (Object.hasOwn(schema, "default")) input.placeholder = visibleString(write(schema.default));
  return {
    element: element("div", {}, input, note),
    read() {
      const text = input.value.trim();
      if (text === "") return undefined;
      return isJson(text) ? text : JSON.stringify(input.value);
    },
    control: input,
  };
}

function numberWords(text) {
  if (text === "" || isNumber(text)) return "";
  return isJson(text) ? "No number: sent as this JSON." : "No number: sent as a JSON string.";
}

/** Any value as JSON. Text that is not JSON is sent unchanged: models make this mistake. */
export function jsonInput(schema, context) {
  const note = inputNote("Any JSON value.");
  const area = element("textarea", {
    rows: "2",
    class: "mono",
    spellcheck: "false",
    ...labels(context, note.id),
    oninput: () => {
      const isAllowed = area.value.trim() === "" || isJson(area.value);
      announce(note, isAllowed ? "Any JSON value." : "Not JSON: sent unchanged.");
    },
  });
  return {
    element: element("div", {}, area, note),
    read: () => (area.value.trim() === "" ? undefined : area.value),
    control: area,
  };
}

/** One of some values, or another one. */
export function enumInput(values, schema, context) {
  const select = element("select", labels(context));
  values.forEach((value, index) =>
    select.append(element("option", { value: index, text: visibleString(write(value)) })),
  );
  select.append(element("option", { value: "other", text: "another value …" }));
  if (Object.hasOwn(schema, "default")) {
    const index = values.findIndex((value) => write(value) === write(schema.default));
    if (index >= 0) select.value = String(index);
  }
  const other = jsonInput({}, context);
  const box = element("div", { class: "value" }, select);
  select.addEventListener("change", () => {
    if (select.value === "other") box.append(other.element);
    else other.element.remove();
  });
  return {
    element: box,
    read: () => (select.value === "other" ? other.read() : write(values[Number(select.value)])),
    control: select,
  };
}
