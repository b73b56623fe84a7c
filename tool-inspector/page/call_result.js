// The result of a call: the message that the model reads.

import { element, factList } from "./element.js";
import { jsonNodes } from "./json_text.js";
import { partList } from "./parts.js";
import { code, longText, prose } from "./visible_text.js";
import { count, duration } from "./words.js";

export function callResult(line) {
  const message = JSON.stringify(line.message, null, 2);
  return element(
    "section",
    { class: "result", "aria-labelledby": "result-heading" },
    element(
      "h3",
      { id: "result-heading" },
      "The model reads ",
      element("span", {
        class: line.is_error ? "badge bad" : "badge good",
        text: line.is_error ? "an error" : "a result",
      }),
    ),
    line.text === ""
      ? element("p", { class: "soft", text: "An empty text." })
      : longText(line.text, { label: "text that the model reads", characters: 4000, lines: 60 }),
    partList(line.parts),
    factList([
      ["Tokens", count(line.tokens)],
      ["Duration", duration(line.duration_ms)],
      ["Kind of error", line.error_kind ? code(line.error_kind) : null],
      [
        "Changes of the arguments",
        line.coercions?.length
          ? element("ul", {}, ...line.coercions.map((text) => element("li", {}, prose(text))))
          : null,
      ],
    ]),
    element(
      "details",
      {},
      element("summary", { text: "The message as JSON" }),
      longText(message, { label: "message as JSON", nodes: jsonNodes, characters: 4000, lines: 60 }),
    ),
  );
}
