// The prices of tokens, which the user can change.

import { button, element, newId } from "./element.js";
import { readSetting, storeSetting } from "./setting.js";

const FIELDS = [
  ["input", "Input"],
  ["output", "Output"],
  ["cached_input", "Cached input"],
  ["cache_write", "Cache write"],
];

/** The prices of the user, per million tokens. A price that is not set is left out; the server may know those of the program. */
export function currentPrices() {
  const stored = readSetting("prices") ?? {};
  const prices = {};
  for (const [key] of FIELDS) {
    const price = stored[key];
    if (typeof price === "number" && Number.isFinite(price) && price >= 0) prices[key] = price;
  }
  return prices;
}

/** The prices as the query of an address, with its question mark. */
export function priceQuery(prices) {
  const query = new URLSearchParams(prices).toString();
  return query && `?${query}`;
}

/** The cost of a reply, or `null` without the prices of its input and output. */
export function costOf(usage, prices) {
  if (!usage || prices.input === undefined || prices.output === undefined) return null;
  const cached = usage.cached_input_tokens ?? 0;
  const written = usage.cache_write_tokens ?? 0;
  const plain = Math.max(0, usage.input_tokens - cached - written);
  const cost =
    plain * prices.input +
    cached * (prices.cached_input ?? prices.input) +
    written * (prices.cache_write ?? prices.input) +
    usage.output_tokens * prices.output;
  return cost / 1_000_000;
}

/** Whether the text of an input is a price, or empty. The value of an input whose text is no number is empty, too. */
function isPrice(input) {
  if (input.validity.badInput) return false;
  return input.value === "" || (Number.isFinite(input.valueAsNumber) && input.valueAsNumber >= 0);
}

function showError({ input, message }, isWrong) {
  message.textContent = isWrong ? "Enter a number that is at least 0." : "";
  if (isWrong) {
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", message.id);
  } else {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
  }
}

/** The form of the prices. `hasPrices` is whether the program has prices; `changed` is called when the user sets other ones. */
export function priceForm(hasPrices, changed) {
  const note = hasPrices
    ? "Without prices here, the server uses those of the program."
    : "Without an input and an output price, no costs are shown.";
  const status = element("span", { class: "soft", role: "status" });
  const inputs = FIELDS.map(([key, text]) => ({
    key,
    text,
    id: newId(),
    input: element("input", { type: "number", min: "0", step: "any", inputmode: "decimal" }),
    message: element("p", { class: "field-error", id: newId() }),
  }));
  const fill = () => {
    const prices = currentPrices();
    for (const field of inputs) {
      field.input.value = prices[field.key] ?? "";
      showError(field, false);
    }
  };
  fill();
  const store = (prices, text) => {
    storeSetting("prices", prices);
    fill();
    status.textContent = text;
    changed?.();
  };
  const form = element(
    "form",
    {
      class: "prices",
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        for (const field of inputs) showError(field, !isPrice(field.input));
        const wrong = inputs.find(({ input }) => !isPrice(input));
        if (wrong) {
          status.textContent = "";
          wrong.input.focus();
          return;
        }
        const set = inputs.filter(({ input }) => input.value !== "");
        store(Object.fromEntries(set.map(({ key, input }) => [key, input.valueAsNumber])), "The prices are used.");
      },
    },
    inputs.map(({ text, id, input, message }) => {
      input.id = id;
      return element("div", {}, element("label", { for: id, text }), input, message);
    }),
    element(
      "div",
      { class: "actions" },
      element("button", { class: "main", text: "Use the prices" }),
      button("Reset", () => store(null, hasPrices ? "The prices of the program are used." : "No prices are used.")),
      status,
    ),
  );
  return element(
    "details",
    { class: "card price-box" },
    element("summary", { text: "Prices, in dollars per million tokens" }),
    element("p", { class: "soft", text: note }),
    form,
  );
}
