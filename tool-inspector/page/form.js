// A form from a JSON Schema. It writes the arguments as the user typed them, also where the schema does not allow them.

import { button, element, newId, replaceChildren } from "./element.js";
import { inputOf } from "./form_input.js";
import { write } from "./json_text.js";
import { extraSchema, isSchemaObject, limitWords, resolve, typeWords, withoutNull } from "./schema.js";
import { longText, prose, visibleNodes, visibleString } from "./visible_text.js";

/**
 * The form of a schema: its element, and `read`, which gives the JSON text.
 *
 * `changed` is called after each change.
 */
export function createForm(root, changed) {
  const context = { root, references: ["#"], path: "", changed, objectInput, propertyInput };
  const { schema, references } = resolve(root, root);
  const body = objectInput(schema, { ...context, references: [...context.references, ...references] });
  body.element.addEventListener("input", changed);
  body.element.addEventListener("change", changed);
  return body;
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
  const node = element("div", { class: "fields" }, ...fields.map((field) => field.element), entries?.element);
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
    } else {
      replaceChildren(body);
    }
  };
  show();
  const node = element(
    "div",
    { class: "property", role: "group", "aria-labelledby": labelId },
    element(
      "div",
      { class: "property-head" },
      element(
        "span",
        { class: "property-name", id: labelId, onclick: () => input?.focus?.() },
        element("bdi", {}, visibleNodes(key)),
      ),
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
  const notes = limitWords(schema);
  if (Object.hasOwn(schema, "default")) notes.unshift(`default: \`${write(schema.default)}\``);
  return element(
    "div",
    { class: "hint", id },
    description && longText(description, { label: "description", kind: "plain", characters: 400 }),
    notes.length > 0 && prose(notes.join(", ")),
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
