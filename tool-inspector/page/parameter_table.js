// The parameters of a tool as a table, with those of nested objects.

import { element, tableHead } from "./element.js";
import {
  alternatives,
  definitionName,
  extraSchema,
  isSchemaObject,
  kindOf,
  limitWords,
  resolve,
  typeWords,
} from "./schema.js";
import { write } from "./json_text.js";
import { code, prose, visibleNodes, visibleString } from "./visible_text.js";

const MAX_ROWS = 400;
/** The steps through unions that have no row of their own. */
const MAX_STEPS = 5000;

/** The rows of a schema: path, type, required, default, description, limits. */
export function parameterRows(root) {
  const rows = [];
  let left = 0;
  let steps = 0;
  const add = (path, source, isRequired, references, depth) => {
    if (rows.length >= MAX_ROWS) {
      left += 1;
      return;
    }
    const { schema, references: own } = resolve(source, root);
    const repeated = own.find((reference) => references.includes(reference));
    rows.push({
      path,
      schema,
      isRequired,
      depth,
      type: typeWords(source, root),
      repeated: repeated && definitionName(repeated),
    });
    if (!repeated && depth < 12) descend(path, schema, [...references, ...own], depth);
  };
  const descend = (path, schema, references, depth) => {
    steps += 1;
    if (steps > MAX_STEPS) {
      left += 1;
      return;
    }
    const all = alternatives(schema);
    if (all.length > 1) {
      const inside = all.map((part) => resolve(part, root)).filter((part) => hasInside(part.schema));
      inside.forEach(({ schema: resolved, references: own }, index) => {
        if (own.some((reference) => references.includes(reference))) return;
        const label = own.length ? definitionName(own.at(-1)) : (resolved.title ?? index + 1);
        // The only alternative with parameters needs no label, as that of a value that can be null.
        const inner = inside.length > 1 ? `${path} (${label})` : path;
        descend(inner, resolved, [...references, ...own], depth);
      });
      return;
    }
    const only = all[0];
    const required = Array.isArray(only.required) ? only.required : [];
    for (const [key, value] of Object.entries(isSchemaObject(only.properties) ? only.properties : {})) {
      add(path ? `${path}.${key}` : key, value, required.includes(key), references, depth + 1);
    }
    const extra = kindOf(only) === "object" ? extraSchema(only) : false;
    if (isSchemaObject(extra) && Object.keys(extra).length) add(`${path}.*`, extra, null, references, depth + 1);
    if (isSchemaObject(only.items) && hasInside(resolve(only.items, root).schema))
      add(`${path}[]`, only.items, null, references, depth + 1);
    if (Array.isArray(only.prefixItems)) {
      only.prefixItems.forEach((item, index) => add(`${path}[${index}]`, item, true, references, depth + 1));
    }
  };
  const { schema, references } = resolve(root, root);
  // A reference to the whole schema repeats it.
  descend("", schema, [...references, "#"], 0);
  return { rows, left };
}

function hasInside(schema) {
  return ["object", "array"].includes(kindOf(schema)) || alternatives(schema).length > 1;
}

/** The table. The roles keep it a table where the style of narrow screens shows each row as a block. */
export function parameterTable(root, caption) {
  const { rows, left } = parameterRows(root);
  if (!rows.length) return element("p", { class: "soft", text: `${caption}: none.` });
  const head = ["Name", "Type", "Required", "Default", "Description and limits"];
  const table = element(
    "table",
    { class: "stacking", role: "table" },
    element("caption", { class: "unseen", text: caption }),
    tableHead(head),
    element("tbody", { role: "rowgroup" }, rows.map(row)),
  );
  if (!left) return table;
  const text = `The table ends here: ${left} more parameters or branches are only in the definitions below.`;
  return element("div", {}, table, element("p", { class: "soft", text }));
}

function row({ path, schema, isRequired, depth, type, repeated }) {
  const label = element("th", { scope: "row", role: "rowheader", class: "path" }, code(path));
  label.style.setProperty("--depth", Math.min(depth - 1, 6));
  const description = typeof schema.description === "string" ? schema.description : "";
  const limits = limitWords(schema);
  return element(
    "tr",
    { role: "row" },
    label,
    cell("Type", element("span", {}, visibleNodes(type))),
    cell("Required", isRequired === null ? "" : isRequired ? "yes" : "no"),
    cell("Default", Object.hasOwn(schema, "default") ? code(write(schema.default)) : ""),
    cell(
      "Description",
      description && element("div", { class: "description", dir: "auto" }, visibleNodes(description)),
      limits.length > 0 && element("div", { class: "soft" }, prose(limits.join(", "))),
      repeated &&
        element("div", { class: "soft", text: `Its content is that of ${visibleString(repeated)}, as above.` }),
    ),
  );
}

function cell(label, ...children) {
  const isEmpty = children.every((child) => !child);
  return element("td", { role: "cell", "data-label": label, class: isEmpty ? "empty" : null }, children);
}
