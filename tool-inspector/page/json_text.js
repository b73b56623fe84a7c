// JSON whose numbers keep the text with which they are written: `1.0` and integers beyond 2^53 stay as they are.

import { visibleNodes } from "./visible_text.js";

const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\r\n]*/y;
const WORDS = [
  ["true", true],
  ["false", false],
  ["null", null],
];
/** Longer texts have no colours, which would make a node of each key. */
const MAX_COLOURED = 60_000;

/** A number whose text is not the one that JavaScript would write. */
export class NumberText {
  constructor(text) {
    this.text = text;
  }
}

/** The value of a JSON text. An object has no prototype. */
export function parse(text) {
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found) at += found.length;
    return found;
  };
  const fail = () => {
    throw new SyntaxError(`no JSON at character ${at}`);
  };
  const takeSign = (sign) => {
    take(SPACE);
    if (text[at] !== sign) return false;
    at += 1;
    return true;
  };
  const parseString = () => JSON.parse(take(STRING) ?? fail());
  const parseValue = () => {
    take(SPACE);
    if (takeSign("{")) return parseEntries();
    if (takeSign("[")) return parseItems();
    if (text[at] === '"') return parseString();
    for (const [word, value] of WORDS) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return value;
      }
    }
    const number = take(NUMBER) ?? fail();
    return String(Number(number)) === number ? Number(number) : new NumberText(number);
  };
  const parseEntries = () => {
    const entries = Object.create(null);
    if (takeSign("}")) return entries;
    do {
      take(SPACE);
      const key = parseString();
      if (!takeSign(":")) fail();
      entries[key] = parseValue();
    } while (takeSign(","));
    return takeSign("}") ? entries : fail();
  };
  const parseItems = () => {
    const items = [];
    if (takeSign("]")) return items;
    do items.push(parseValue());
    while (takeSign(","));
    return takeSign("]") ? items : fail();
  };
  const value = parseValue();
  take(SPACE);
  return at === text.length ? value : fail();
}

/** The JSON text of a value of `parse`, in one line. */
export function write(value) {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (value !== null && typeof value === "object") {
    return `{${Object.keys(value)
      .map((key) => `${JSON.stringify(key)}:${write(value[key])}`)
      .join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

export function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function isNumber(text) {
  NUMBER.lastIndex = 0;
  return NUMBER.exec(text)?.[0] === text;
}

/** The JSON text over several lines, with each value unchanged; `null` if the text is not a JSON object or list. */
export function indent(text) {
  if (!/^\s*[[{]/.test(text) || !isJson(text)) return null;
  let depth = 0;
  const line = () => `\n${"  ".repeat(Math.min(depth, 40))}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|\s+|[[{]\s*[\]}]|[[{\]},:]/g, (token) => {
    if (/^\s/.test(token)) return "";
    if (/^[[{]\s*[\]}]$/.test(token)) return token[0] + token.at(-1);
    if (token === "{" || token === "[") {
      depth += 1;
      return token + line();
    }
    if (token === "}" || token === "]") {
      depth -= 1;
      return line() + token;
    }
    if (token === ",") return token + line();
    return token === ":" ? ": " : token;
  });
}

/** The nodes of a JSON text, with its keys in another colour. */
export function jsonNodes(text) {
  if (text.length > MAX_COLOURED) return visibleNodes(text);
  const nodes = document.createDocumentFragment();
  let from = 0;
  for (const match of text.matchAll(/("(?:[^"\\]|\\.)*")\s*:/g)) {
    nodes.append(visibleNodes(text.slice(from, match.index)));
    const key = document.createElement("span");
    key.className = "key";
    key.append(visibleNodes(match[1]));
    nodes.append(key);
    from = match.index + match[1].length;
  }
  nodes.append(visibleNodes(text.slice(from)));
  return nodes;
}
