// JSON Schema: references, unions, and types in words.

import { write } from "./json_text.js";

/** The references and parts of `allOf` that one schema may lead to. The further ones are schemas of any value. */
const MAX_STEPS = 1_000;
const TYPES = {
  string: "text",
  integer: "integer",
  number: "number",
  boolean: "true or false",
  null: "null",
};

export function isSchemaObject(schema) {
  return schema !== null && typeof schema === "object" && !Array.isArray(schema);
}

function has(schema, key) {
  return Object.hasOwn(schema, key);
}

/** The schema at a reference such as `#/$defs/Node`, or `undefined`. */
function find(reference, root) {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let found = root;
  for (const segment of reference.split("/").slice(1)) {
    let key = segment;
    try {
      key = decodeURIComponent(segment);
    } catch {
      // The segment has a percent sign that is no escape.
    }
    key = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (found === null || typeof found !== "object" || !has(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** The keywords of both schemas. Those of `second` win, except those that add up. */
function combine(first, second) {
  const combined = Object.assign(Object.create(null), first, second);
  if (first.properties && second.properties) {
    combined.properties = Object.assign(Object.create(null), first.properties, second.properties);
  }
  if (Array.isArray(first.required) && Array.isArray(second.required)) {
    combined.required = [...new Set([...first.required, ...second.required])];
  }
  return combined;
}

/**
 * The schema without `$ref` and `allOf` at its top, and the references that lead to it.
 *
 * A schema that is `true`, or that cannot be resolved, is a schema of any value.
 */
export function resolve(schema, root) {
  const search = { root, references: new Set(), steps: MAX_STEPS };
  return { schema: flatten(schema, [], search), references: [...search.references] };
}

/** `path` are the references that lead here: one that is already among them would never end. */
function flatten(schema, path, search) {
  if (!isSchemaObject(schema) || search.steps === 0) return Object.create(null);
  search.steps -= 1;
  if (typeof schema.$ref === "string") {
    const { $ref, ...own } = schema;
    search.references.add($ref);
    const target = path.includes($ref) ? undefined : find($ref, search.root);
    return flatten(combine(isSchemaObject(target) ? target : Object.create(null), own), [...path, $ref], search);
  }
  if (Array.isArray(schema.allOf) && schema.allOf.length) {
    const { allOf, ...own } = schema;
    return allOf.reduceRight((sum, part) => combine(flatten(part, path, search), sum), own);
  }
  return schema;
}

/** The alternatives of a resolved schema: of `anyOf`, `oneOf`, or of a list of types. One alternative is no union. */
export function alternatives(schema) {
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union) && union.length) {
    const { anyOf, oneOf, description, title, default: ignored, ...shared } = schema;
    return union.map((part) => (isSchemaObject(part) ? combine(shared, part) : shared));
  }
  if (Array.isArray(schema.type) && !has(schema, "enum") && !has(schema, "const")) {
    return schema.type.map((type) => ({ ...schema, type }));
  }
  return [schema];
}

/** The kind of a resolved schema that is no union. */
export function kindOf(schema) {
  if (has(schema, "const")) return "const";
  if (Array.isArray(schema.enum)) return "enum";
  if (typeof schema.type === "string") return schema.type;
  if (schema.properties || schema.additionalProperties || schema.patternProperties) return "object";
  if (schema.items || schema.prefixItems) return "array";
  return "any";
}

/** Whether the value can be `null`, and the schema without that alternative. */
export function withoutNull(schema, root) {
  const all = alternatives(schema);
  if (all.length < 2) return { schema, isNullable: kindOf(schema) === "null" };
  const others = all.filter((part) => kindOf(resolve(part, root).schema) !== "null");
  if (others.length === all.length || others.length === 0) return { schema, isNullable: others.length === 0 };
  if (others.length > 1) {
    const { type, oneOf, ...rest } = schema;
    return { schema: { ...rest, anyOf: others }, isNullable: true };
  }
  const kept = {};
  for (const key of ["description", "default", "title"]) if (has(schema, key)) kept[key] = schema[key];
  const only = resolve(others[0], root).schema;
  return { schema: combine(only, kept), isNullable: true };
}

/** The schema of keys that have no schema of their own, or `false` if such keys are not allowed. */
export function extraSchema(schema) {
  const patterns = isSchemaObject(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  if (patterns.length) return patterns[0];
  return schema.additionalProperties ?? true;
}

/** The name of a definition, such as `Node` of `#/$defs/Node`. */
export function definitionName(reference) {
  return reference === "#" ? "the whole object" : reference.split("/").at(-1);
}

/** The title of an object, or the constants that distinguish it from the other alternatives of a union. */
function objectWords(schema) {
  if (schema.title) return `object ${schema.title}`;
  const constants = Object.entries(schema.properties).filter(
    ([, field]) => isSchemaObject(field) && has(field, "const"),
  );
  if (constants.length === 0 || constants.length > 2) return "object";
  return `object with ${constants.map(([name, field]) => `${name} ${write(field.const)}`).join(" and ")}`;
}

/** The type in words. `references` are those on the way to the schema; a repeated one ends the description. */
export function typeWords(source, root, references = []) {
  const { schema, references: own } = resolve(source, root);
  const repeated = own.find((reference) => references.includes(reference));
  if (repeated) return `${definitionName(repeated)} (again)`;
  const path = [...references, ...own];
  // Definitions that lead to each other have very many paths.
  if (own.length && path.length > 4) return definitionName(own.at(-1));
  const all = alternatives(schema);
  if (all.length > 1) {
    const words = [...new Set(all.map((part) => typeWords(part, root, path)))];
    return words.length > 6 ? `one of ${words.length} types` : words.join(" or ");
  }
  const only = all[0] === schema ? schema : resolve(all[0], root).schema;
  switch (kindOf(only)) {
    case "const":
      return `always ${write(only.const)}`;
    case "enum":
      return only.enum.length > 8 ? `one of ${only.enum.length} values` : only.enum.map(write).join(" or ");
    case "array": {
      if (Array.isArray(only.prefixItems))
        return `list: ${only.prefixItems.map((item) => typeWords(item, root, path)).join(", ")}`;
      return isSchemaObject(only.items) ? `list of ${typeWords(only.items, root, path)}` : "list of any values";
    }
    case "object": {
      if (only.properties && Object.keys(only.properties).length) return objectWords(only);
      const extra = extraSchema(only);
      if (extra === false) return "empty object";
      return isSchemaObject(extra) ? `map to ${typeWords(extra, root, path)}` : "map to any values";
    }
    case "any":
      return "any value";
    default:
      return has(TYPES, only.type) ? TYPES[only.type] : String(only.type);
  }
}

/** The limits of a resolved schema in words. */
export function limitWords(schema) {
  const words = [];
  const add = (key, text) => {
    if (has(schema, key) && schema[key] !== false)
      words.push(text(typeof schema[key] === "string" ? schema[key] : write(schema[key])));
  };
  add("minimum", (value) => `at least ${value}`);
  add("exclusiveMinimum", (value) => `more than ${value}`);
  add("maximum", (value) => `at most ${value}`);
  add("exclusiveMaximum", (value) => `less than ${value}`);
  add("multipleOf", (value) => `multiple of ${value}`);
  add("minLength", (value) => `at least ${value} characters`);
  add("maxLength", (value) => `at most ${value} characters`);
  add("pattern", (value) => `pattern \`${value}\``);
  add("format", (value) => `format ${value}`);
  add("minItems", (value) => `at least ${value} items`);
  add("maxItems", (value) => `at most ${value} items`);
  add("uniqueItems", () => "no item twice");
  add("minProperties", (value) => `at least ${value} keys`);
  add("maxProperties", (value) => `at most ${value} keys`);
  if (Array.isArray(schema.enum) && schema.enum.length > 8) words.push(`values: ${schema.enum.map(write).join(", ")}`);
  if (isSchemaObject(schema.properties) && schema.additionalProperties === false) words.push("no other keys");
  return words;
}
