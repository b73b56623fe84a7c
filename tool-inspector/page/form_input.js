// The inputs of one value, by the kind of its schema. Each has an element, `read` for the JSON text, and perhaps `focus`.

import { button, element, newId, replaceChildren } from "./element.js";
import { isJson, isNumber, write } from "./json_text.js";
import { alternatives, definitionName, isSchemaObject, kindOf, resolve, typeWords } from "./schema.js";
import { visibleString } from "./visible_text.js";

/** Definitions in definitions up to this depth are shown at once. */
const MAX_NESTED = 8;

/** The input of a resolved schema. `context.nested` are the references that lead to it. */
export function inputOf(schema, context) {
  const { nested = [], ...rest } = context;
  const repeated = nested.find((reference) => context.references.includes(reference));
  const closed = repeated ?? (context.references.length > MAX_NESTED ? nested.at(-1) : undefined);
  const inner = { ...rest, references: [...context.references, ...nested] };
  return closed ? lazyInput(schema, closed, inner) : directInput(schema, inner);
}

function directInput(schema, context) {
  if (alternatives(schema).length > 1) return unionInput(schema, context);
  const only = resolve(alternatives(schema)[0], context.root).schema;
  switch (kindOf(only)) {
    case "const":
      return enumInput([only.const], only, context);
    case "enum":
      return enumInput(only.enum, only, context);
    case "string":
      return textInput(only, context);
    case "integer":
    case "number":
      return numberInput(only, context);
    case "boolean":
      return enumInput([true, false], only, context);
    case "null":
      return { element: element("p", { class: "soft", text: "null" }), read: () => "null" };
    case "array":
      return listInput(only, context);
    case "object":
      return nestedInput(only, context);
    default:
      return jsonInput(only, context);
  }
}

/** The attributes that join a control to the name of its property and its description. */
function labels(context) {
  return { "aria-labelledby": context.labelId, "aria-describedby": context.hintId };
}

/** A schema that contains itself, or is deep in other ones: its form is made when the user asks for it. */
function lazyInput(schema, reference, context) {
  const box = element("div", { class: "value" });
  let input = null;
  const open = button(
    `Open ${visibleString(definitionName(reference))}`,
    () => {
      input = directInput(schema, { ...context, references: [reference] });
      box.replaceChildren(input.element);
      context.changed();
      (box.querySelector("input, textarea, select, button") ?? box).focus();
    },
    { class: "add" },
  );
  box.append(open);
  return { element: box, read: () => input?.read(), focus: () => open.focus() };
}

function textInput(schema, context) {
  const area = element("textarea", { rows: "1", spellcheck: "false", autocomplete: "off", ...labels(context) });
  if (typeof schema.default === "string") area.placeholder = visibleString(schema.default);
  return { element: area, read: () => JSON.stringify(area.value), focus: () => area.focus() };
}

/** A number stays the text that the user typed. Other text that is JSON stays JSON, and the rest becomes a JSON string. */
function numberInput(schema, context) {
  const note = element("p", { class: "soft note", role: "status" });
  const input = element("input", {
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    ...labels(context),
    oninput: () => {
      const text = input.value.trim();
      note.textContent =
        text === "" || isNumber(text)
          ? ""
          : isJson(text)
            ? "No number: sent as this JSON."
            : "No number: sent as a JSON string.";
    },
  });
  if (Object.hasOwn(schema, "default")) input.placeholder = visibleString(write(schema.default));
  return {
    element: element("div", {}, input, note),
    read() {
      const text = input.value.trim();
      if (text === "") return undefined;
      return isJson(text) ? text : JSON.stringify(input.value);
    },
    focus: () => input.focus(),
  };
}

/** Any value as JSON. Text that is not JSON is sent unchanged: models make this mistake. */
function jsonInput(schema, context) {
  const note = element("p", { class: "soft note", role: "status", text: "Any JSON value." });
  const area = element("textarea", {
    rows: "2",
    class: "mono",
    spellcheck: "false",
    ...labels(context),
    oninput: () => {
      note.textContent =
        area.value.trim() === "" || isJson(area.value) ? "Any JSON value." : "Not JSON: sent unchanged.";
    },
  });
  return {
    element: element("div", {}, area, note),
    read: () => (area.value.trim() === "" ? undefined : area.value),
    focus: () => area.focus(),
  };
}

/** One of some values, or another one. */
function enumInput(values, schema, context) {
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
    focus: () => select.focus(),
  };
}

function unionInput(schema, context) {
  const parts = alternatives(schema);
  const select = element("select", { "aria-label": `Kind of ${visibleString(context.path)}`, class: "kind" });
  parts.forEach((part, index) => {
    const { schema: resolved, references } = resolve(part, context.root);
    const label = references.length
      ? definitionName(references.at(-1))
      : (resolved.title ?? typeWords(part, context.root));
    select.append(element("option", { value: index, text: visibleString(`${label}`, 80) }));
  });
  const body = element("div", { class: "value" });
  let input = null;
  const show = () => {
    const { schema: resolved, references } = resolve(parts[Number(select.value)], context.root);
    input = inputOf(resolved, { ...context, nested: references });
    replaceChildren(body, input.element);
  };
  select.addEventListener("input", show);
  show();
  return {
    element: element("div", { class: "union" }, select, body),
    read: () => input.read(),
    focus: () => select.focus(),
  };
}

function nestedInput(schema, context) {
  const body = context.objectInput(schema, context);
  return { element: element("fieldset", { "aria-labelledby": context.labelId }, body.element), read: body.read };
}

function listInput(schema, context) {
  const list = element("ol", { class: "items", start: "0" });
  const items = [];
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  const add = () => {
    const index = items.length;
    const source = prefix[index] ?? (isSchemaObject(schema.items) ? schema.items : true);
    const { schema: resolved, references } = resolve(source, context.root);
    const labelId = newId();
    const input = inputOf(resolved, {
      ...context,
      path: `${context.path}[${index}]`,
      labelId,
      hintId: undefined,
      nested: references,
    });
    const label = element("span", { id: labelId, class: "soft" });
    const item = element("li", { class: "item" });
    const entry = { input, label };
    const remove = button("Remove", () => {
      items.splice(items.indexOf(entry), 1);
      item.remove();
      number();
      context.changed();
      more.focus();
    });
    entry.remove = remove;
    item.append(element("div", { class: "item-head" }, label, remove), input.element);
    items.push(entry);
    list.append(item);
    number();
    return item;
  };
  const number = () => {
    items.forEach(({ label, remove }, index) => {
      label.textContent = `Item ${index}`;
      remove.setAttribute("aria-label", `Remove item ${index} of ${visibleString(context.path)}`);
    });
  };
  const more = button(
    "Add an item",
    () => {
      const item = add();
      context.changed();
      (item.querySelector("input, textarea, select, .item > button, .add") ?? more).focus();
    },
    { class: "add" },
  );
  prefix.forEach(add);
  return {
    element: element("fieldset", { "aria-labelledby": context.labelId }, list, more),
    read: () =>
      `[${items
        .map(({ input }) => input.read())
        .filter((text) => text !== undefined)
        .join(",")}]`,
    focus: () => more.focus(),
  };
}
