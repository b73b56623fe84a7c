// The result of a call: the message that the model reads.

import { element, factList, notice } from "./element.js";
import { jsonNodes } from "./json_text.js";
import { partList } from "./parts.js";
import { code, longText, prose } from "./visible_text.js";
import { count, counted, duration } from "./words.js";

function missingEvents(amount) {
  return `${counted(amount, "event")} of the tool ${amount === 1 ? "is" : "are"} missing, because there were too many.`;
}

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
    line.skipped_events > 0 && notice("wait", missingEvents(line.skipped_events)),
    factList([
      ["Tokens", count(line.tokens)],
      ["Duration", line.duration_ms == null ? null : duration(line.duration_ms)],
      ["Kind of error", line.error_kind ? code(line.error_kind) : null],
      [
        "Changes of the arguments",
        line.coercions?.length
          ? element(
              "ul",
              {},
              line.coercions.map((text) => element("li", {}, prose(text))),
            )
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
