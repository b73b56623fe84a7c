// A form from a JSON Schema. It writes the arguments as the user typed them, also where the schema does not allow them.

import { button, element, newId, replaceChildren } from "./element.js";
import { enumInput, jsonInput, numberInput, textInput } from "./form_input.js";
import { write } from "./json_text.js";
import {
  alternatives,
  definitionName,
  extraSchema,
  isSchemaObject,
  kindOf,
  limitWords,
  resolve,
  typeWords,
  withoutNull,
} from "./schema.js";
import { code, longText, prose, visibleNodes, visibleString } from "./visible_text.js";

/** Definitions in definitions up to this depth are shown at once. */
const MAX_NESTED = 8;

/**
 * The form of a schema: its element, and `read`, which gives the JSON text.
 *
 * `changed` is called after each change.
 */
export function createForm(root, changed) {
  const context = { root, references: ["#"], path: "", changed };
  const { schema, references } = resolve(root, root);
  const body = objectInput(schema, { ...context, references: [...context.references, ...references] });
  body.element.addEventListener("input", changed);
  body.element.addEventListener("change", changed);
  return body;
}

/** The input of a resolved schema. `context.nested` are the references that lead to it. */
function inputOf(schema, context) {
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
  return { element: box, read: () => input?.read() };
}

/** The fields of an object, and further keys if the schema allows them. */
function objectInput(schema, context) {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = Object.entries(isSchemaObject(schema.properties) ? schema.properties : {});
  const fields = properties.map(([key, value]) => propertyInput(key, value, required.includes(key), context));
  for (const key of required) {
    if (!properties.some(([name]) => name === key)) fields.push(propertyInput(key, true, true, context));
  }
  const extra = extraSchema(schema);
  const entries = extra === false ? null : mapEntries(extra, fields.length > 0, context);
  const node = element(
    "div",
    { class: "fields" },
    fields.map((field) => field.element),
    entries?.element,
  );
  if (!fields.length && !entries) node.append(element("p", { class: "soft", text: "The tool takes no arguments." }));
  return {
    element: node,
    read() {
      const parts = fields.flatMap((field) => {
        const text = field.read();
        return text === undefined ? [] : [`${JSON.stringify(field.key)}:${text}`];
      });
      return `{${[...parts, ...(entries?.read() ?? [])].join(",")}}`;
    },
  };
}

/** One property of an object: absent, null, or a value. */
function propertyInput(key, source, isRequired, context) {
  const { schema: whole, references } = resolve(source, context.root);
  const { schema, isNullable } = withoutNull(whole, context.root);
  const path = context.path ? `${context.path}.${key}` : key;
  const labelId = newId();
  const hintId = newId();
  const label = element("label", { class: "property-name", id: labelId }, element("bdi", {}, visibleNodes(key)));
  const body = element("div", { class: "value" });
  let input = null;
  const presence = element(
    "select",
    { "aria-label": `Presence of ${visibleString(path)}`, class: "presence", oninput: () => show() },
    element("option", { value: "absent", text: isRequired ? "absent (wrong)" : "absent" }),
    element("option", { value: "null", text: isNullable ? "null" : "null (wrong)" }),
    element("option", { value: "value", text: "value" }),
  );
  presence.value = isRequired ? "value" : "absent";
  const show = () => {
    if (presence.value === "value") {
      input ??= inputOf(schema, {
        ...context,
        path,
        labelId,
        hintId,
        nested: references,
      });
      replaceChildren(body, input.element);
      if (input.control) label.htmlFor = input.control.id;
    } else {
      replaceChildren(body);
      label.removeAttribute("for");
    }
  };
  show();
  const node = element(
    "div",
    { class: "property", role: "group", "aria-labelledby": labelId },
    element(
      "div",
      { class: "property-head" },
      label,
      isRequired && element("span", { class: "tag", text: "required" }),
      element("span", { class: "soft type" }, visibleNodes(typeWords(source, context.root))),
      presence,
    ),
    hint(whole, hintId),
    body,
  );
  return {
    key,
    element: node,
    read: () => (presence.value === "value" ? input.read() : presence.value === "null" ? "null" : undefined),
  };
}

function hint(schema, id) {
  const description = typeof schema.description === "string" ? schema.description : "";
  const limits = limitWords(schema);
  return element(
    "div",
    { class: "hint", id },
    description && longText(description, { label: "description", kind: "plain", characters: 400 }),
    Object.hasOwn(schema, "default") && element("div", {}, "default: ", code(write(schema.default))),
    limits.length > 0 && prose(limits.join(", ")),
  );
}

/** Keys that the user adds, each with its value. */
function mapEntries(extra, hasFields, context) {
  const list = element("ul", { class: "items" });
  const entries = [];
  const add = () => {
    const labelId = newId();
    const key = element("input", {
      type: "text",
      "aria-label": `Key in ${visibleString(context.path || "the arguments")}`,
      autocomplete: "off",
      spellcheck: "false",
    });
    const { schema, references } = resolve(extra, context.root);
    const input = inputOf(schema, {
      ...context,
      path: `${context.path || "arguments"}.*`,
      labelId,
      nested: references,
    });
    const item = element("li", { class: "item" });
    const entry = { key, input };
    const remove = button(
      "Remove",
      () => {
        entries.splice(entries.indexOf(entry), 1);
        item.remove();
        context.changed();
        more.focus();
      },
      { "aria-label": "Remove this key" },
    );
    item.append(
      element("div", { class: "item-head" }, element("label", { class: "key-label" }, "Key ", key), remove),
      element("span", { id: labelId, class: "soft", text: "Value" }),
      input.element,
    );
    entries.push(entry);
    list.append(item);
    context.changed();
    key.focus();
  };
  const more = button(hasFields ? "Add another key" : "Add a key", add, { class: "add" });
  return {
    element: element("div", { class: "entries" }, list, more),
    read: () =>
      entries.flatMap(({ key, input }) => {
        const text = input.read();
        return text === undefined ? [] : [`${JSON.stringify(key.value)}:${text}`];
      }),
  };
}

function unionInput(schema, context) {
  const parts = alternatives(schema);
  const select = element("select", {
    "aria-label": `Kind of ${visibleString(context.path)}`,
    class: "kind",
    id: newId(),
  });
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
    control: select,
  };
}

function nestedInput(schema, context) {
  const body = objectInput(schema, context);
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
  };
}
