// The page of one tool.

import { address, element, factList, notice, pageHeading } from "./element.js";
import { changeList } from "./changes.js";
import { definitions } from "./definitions.js";
import { parameterTable } from "./parameter_table.js";
import { getExactJson } from "./server.js";
import { tryCall } from "./try_call.js";
import { longText, name, prose, visibleNodes } from "./visible_text.js";
import { annotationWords, policyWords } from "./words.js";

/** Loads the tool, and makes its page. `close` ends a call that runs. */
export async function toolPage(toolName, signal) {
  const tool = await getExactJson(`api/tools/${encodeURIComponent(toolName)}`, signal);
  let call = { close() {} };
  const page = element(
    "div",
    { class: "tool-content" },
    element("a", { class: "back", href: address("tools") }, "← All tools"),
    pageHeading(name(tool.name)),
    tool.title && element("p", { class: "subtitle", dir: "auto" }, visibleNodes(tool.title)),
    description(tool),
    facts(tool),
    tool.changes.length > 0 && changes(tool),
    part("The parameters", () => parameters(tool)),
    part("The form of a call", () => {
      call = tryCall(tool);
      return call.element;
    }),
    part("The definitions", () => definitions(tool)),
  );
  return { element: page, title: tool.name, close: call.close };
}

/** A part of the page. A notice takes its place if it fails, for example because of an unusual schema. */
function part(title, make) {
  try {
    return make();
  } catch (error) {
    return notice("bad", element("strong", { text: `${title} cannot be shown. ` }), prose(error.message));
  }
}

function description(tool) {
  if (!tool.description)
    return notice("wait", "The tool has no description. The model sees only its name and its parameters.");
  return longText(tool.description, { label: "description", kind: "plain lead", characters: 1600, lines: 24 });
}

function facts(tool) {
  const annotations = annotationWords(tool.annotations);
  const policy = policyWords(tool.policy);
  return factList(
    [
      ["The tool", annotations.length ? annotations.join(", ") : "declares no annotation"],
      ["Each call", policy.length ? policy.join(", ") : "runs without a limit or an approval"],
      ["Deferred", tool.is_deferred ? "yes: the model gets the definition when it searches for it" : null],
      ["Allowed", tool.is_allowed ? null : "no: the model does not get the definition"],
      ["Original name", tool.original_name == null ? null : [name(tool.original_name), " (the registry changed it)"]],
    ],
    { class: "facts card" },
  );
}

function changes(tool) {
  return element(
    "section",
    { class: "card", "aria-labelledby": "change-heading" },
    element("h2", { id: "change-heading", text: "Changes since the lock file" }),
    changeList(tool.changes),
  );
}

function parameters(tool) {
  return element(
    "section",
    { class: "card", "aria-labelledby": "parameter-heading" },
    element("h2", { id: "parameter-heading", text: "Parameters" }),
    parameterTable(tool.parameters, "Parameters"),
    tool.unsupported_keywords.length > 0 &&
      notice(
        "wait",
        element("strong", { text: "The tool does not check these keywords" }),
        element(
          "ul",
          {},
          tool.unsupported_keywords.map((text) => element("li", {}, prose(text))),
        ),
      ),
    tool.output_schema &&
      element(
        "details",
        {},
        element("summary", { text: "The result of the tool" }),
        parameterTable(tool.output_schema, "Fields of the result"),
      ),
  );
}
