// Elements of the page. Text from a tool, a model or a file always becomes a text node, never markup.

let lastId = 0;

/** An id that no other element of the page has. */
export function newId() {
  lastId += 1;
  return `i${lastId}`;
}

/**
 * An element with properties and children.
 *
 * A property whose name starts with `on` is a listener, `text` is the content, `true` is an attribute without a value, and
 * `null`, `undefined` and `false` add nothing. Children are nodes, texts and lists of them; `null` and `false` add nothing.
 */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "text") node.textContent = value;
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

/** Adds children and lists of them, without those that are `null` or `false`. */
export function append(node, children) {
  for (const child of children.flat(3)) {
    if (child !== null && child !== undefined && child !== false && child !== "") node.append(child);
  }
}

export function replaceChildren(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

export function button(text, onclick, properties = {}) {
  return element("button", { type: "button", onclick, ...properties }, text);
}

/** A button that looks like a link, for a jump inside the page. */
export function jump(text, onclick, properties = {}) {
  return button(text, onclick, { class: "jump", ...properties });
}

/** The address of a part of the page. The base of the page does not matter, since the path is in the address. */
export function address(...segments) {
  return `${location.pathname}${location.search}#/${segments.map(encode).join("/")}`;
}

function encode(segment) {
  try {
    return encodeURIComponent(segment);
  } catch {
    // A text with half of a surrogate pair has no encoding.
    return encodeURIComponent([...segment].filter((character) => !/\p{Cs}/u.test(character)).join(""));
  }
}

/** A heading of a page, which gets the focus after a navigation. */
export function pageHeading(...children) {
  return element("h1", { tabindex: "-1", class: "page-heading" }, children);
}

/** A list of terms and values. A value that is `null` is left out with its term. */
export function factList(facts, properties = {}) {
  const list = element("dl", { class: "facts", ...properties });
  for (const [term, value] of facts) {
    if (value === null || value === undefined || value === false) continue;
    append(list, [element("div", {}, element("dt", { text: term }), element("dd", {}, value))]);
  }
  return list;
}

/** A notice with a kind in words, so that its colour is not the only sign. */
export function notice(kind, ...children) {
  return element("div", { class: `notice ${kind}` }, children);
}

export function focusOn(node) {
  node?.focus({ preventScroll: true });
}

/** The row of the names of the columns. The roles stay on narrow screens, where the style makes the cells blocks. */
export function tableHead(columns) {
  return element(
    "thead",
    { role: "rowgroup" },
    element(
      "tr",
      { role: "row" },
      columns.map((text) => element("th", { scope: "col", role: "columnheader", text })),
    ),
  );
}
