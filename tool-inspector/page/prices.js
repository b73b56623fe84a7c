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
  }));
  const fill = () => {
    const prices = currentPrices();
    for (const { key, input } of inputs) input.value = prices[key] ?? "";
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
      onsubmit: (event) => {
        event.preventDefault();
        const prices = {};
        for (const { key, input } of inputs)
          if (input.value !== "" && input.valueAsNumber >= 0) prices[key] = input.valueAsNumber;
        store(prices, "The prices are used.");
      },
    },
    ...inputs.map(({ text, id, input }) => {
      input.id = id;
      return element("div", {}, element("label", { for: id, text }), input);
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
