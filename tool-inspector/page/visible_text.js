// Text with its invisible characters as escapes, so that nobody can hide text or change the order of the page with them.

import { button, element } from "./element.js";

// Control and format characters, separators of lines, halves of surrogate pairs, private characters, and characters that look
// like nothing. Line breaks and tabs stay.
const INVISIBLE =
  /(?:(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}])+/gu;
const EMOJI_BEFORE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}0-9#*]\ufe0f?$/u;
const MAX_STYLED_ESCAPES = 500;
const PREVIEW_CHARACTERS = 900;
const PREVIEW_LINES = 16;

/** The escapes of invisible characters, such as `U+202E`. */
function escapes(characters) {
  return Array.from(characters, (character) => {
    return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  }).join(" ");
}

/** Whether the characters join an emoji to the next one or choose its look. */
function isPartOfEmoji(text, characters, at) {
  if (!/^(?:\ufe0f\u200d?|\u200d)$/.test(characters)) return false;
  return EMOJI_BEFORE.test(text.slice(Math.max(0, at - 3), at));
}

function* passages(text) {
  let from = 0;
  for (const match of text.matchAll(INVISIBLE)) {
    if (isPartOfEmoji(text, match[0], match.index)) continue;
    if (match.index > from) yield [text.slice(from, match.index), false];
    yield [match[0], true];
    from = match.index + match[0].length;
  }
  if (from < text.length) yield [text.slice(from), false];
}

/** The text as nodes. */
export function visibleNodes(text) {
  const nodes = document.createDocumentFragment();
  let escaped = 0;
  let plain = [];
  for (const [passage, isInvisible] of passages(String(text))) {
    if (isInvisible) escaped += 1;
    if (!isInvisible) {
      plain.push(passage);
    } else if (escaped > MAX_STYLED_ESCAPES) {
      plain.push(`[${escapes(passage)}]`);
    } else {
      nodes.append(plain.join(""), element("span", { class: "escape", text: escapes(passage) }));
      plain = [];
    }
  }
  if (plain.length) nodes.append(plain.join(""));
  return nodes;
}

/** The text for a label, an option or the title of the document. */
export function visibleString(text, limit = 200) {
  let result = "";
  for (const [passage, isInvisible] of passages(String(text).slice(0, limit + 1))) {
    result += isInvisible ? `[${escapes(passage)}]` : passage;
  }
  return String(text).length > limit ? `${result} …` : result;
}

/** A name in a line. Its direction does not change the direction of the line. */
export function name(text, properties = {}) {
  const { class: kind = "", ...rest } = properties;
  return element("bdi", { class: `name ${kind}`, ...rest }, visibleNodes(text));
}

/** Code in a line. */
export function code(text) {
  return element("code", { dir: "auto" }, visibleNodes(text));
}

/** Sentences in which parts in backticks are code. */
export function prose(text) {
  const nodes = document.createDocumentFragment();
  String(text)
    .split(/`([^`\n]+)`/)
    .forEach((part, index) => nodes.append(index % 2 ? code(part) : visibleNodes(part)));
  return element("bdi", { class: "prose" }, nodes);
}

/** Where the preview of a text ends, or `null` if all of it is short. */
function previewEnd(text, characters = PREVIEW_CHARACTERS, lines = PREVIEW_LINES) {
  let end = Math.min(text.length, characters);
  let line = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) {
    line += 1;
    if (line === lines) {
      end = at;
      break;
    }
  }
  if (end >= text.length) return null;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

/**
 * A text of any length. A long one has a preview and a button that shows all of it.
 *
 * `opened` is a set of the keys of texts that are shown whole, so that they stay so if the element is made again.
 */
export function longText(
  text,
  { label, opened = new Set(), key = "", kind = "", nodes = visibleNodes, characters, lines } = {},
) {
  const end = previewEnd(text, characters, lines);
  const content = element("pre", { class: `text ${kind}`, dir: "auto" });
  if (end === null) {
    content.append(nodes(text));
    return content;
  }
  const count = text.length.toLocaleString("en");
  const toggle = button(
    "",
    () => {
      if (opened.has(key)) opened.delete(key);
      else opened.add(key);
      show();
    },
    { class: "more" },
  );
  const box = element("div", { class: "long" }, content, toggle);
  const show = () => {
    const isOpen = opened.has(key);
    content.replaceChildren(nodes(isOpen ? text : text.slice(0, end)), isOpen ? "" : " …");
    content.classList.toggle("tall", isOpen);
    for (const [attribute, value] of [
      ["tabindex", "0"],
      ["role", "region"],
      ["aria-label", label],
    ]) {
      if (isOpen) content.setAttribute(attribute, value);
      else content.removeAttribute(attribute);
    }
    toggle.textContent = isOpen ? "Show less" : `Show all ${count} characters`;
    toggle.setAttribute("aria-label", `${toggle.textContent} of: ${label}`);
    toggle.setAttribute("aria-expanded", String(isOpen));
  };
  show();
  return box;
}
