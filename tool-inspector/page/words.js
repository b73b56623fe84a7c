// Names and amounts in words.

const WIRES = {
  chat_completions: "Chat Completions",
  anthropic: "Anthropic",
  responses: "Responses",
  gemini: "Gemini",
  gemini_interactions: "Gemini Interactions",
  bedrock: "Bedrock",
  ollama: "Ollama",
};
const COUNT = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export function wireName(wire) {
  return Object.hasOwn(WIRES, wire) ? WIRES[wire] : String(wire);
}

export function count(amount) {
  return COUNT.format(amount);
}

/** An amount with its unit: `1 call`, `2 calls`. */
export function counted(amount, unit, units = `${unit}s`) {
  return `${count(amount)} ${amount === 1 ? unit : units}`;
}

export function duration(milliseconds) {
  if (milliseconds < 1000) return `${SHORT.format(milliseconds)} ms`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${SHORT.format(milliseconds / 1000)} s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 60) return amounts([minutes, "min"], [seconds % 60, "s"]);
  return amounts([Math.trunc(minutes / 60), "h"], [minutes % 60, "min"]);
}

/** An amount of a unit, and one of a smaller unit if there is any. */
function amounts([larger, unit], [smaller, smallerUnit]) {
  return smaller === 0 ? `${larger} ${unit}` : `${larger} ${unit} ${smaller} ${smallerUnit}`;
}

export function bytes(amount) {
  if (amount < 1024) return counted(amount, "byte");
  return amount < 1024 * 1024 ? `${SHORT.format(amount / 1024)} KiB` : `${SHORT.format(amount / 1024 / 1024)} MiB`;
}

export function money(amount) {
  if (amount === 0) return "$0";
  const digits = Math.abs(amount) >= 0.1 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(Math.abs(amount))));
  return `$${amount.toFixed(digits)}`;
}

export function percent(part, whole) {
  return whole > 0 ? Math.min(100, Math.round((part / whole) * 100)) : 0;
}

/** The annotations of a tool as sentences. An annotation that is not declared is left out. */
export function annotationWords({ read_only, destructive, idempotent, open_world }) {
  const choose = (value, yes, no) => (value === true ? [yes] : value === false ? [no] : []);
  return [
    ...choose(read_only, "only reads", "changes something"),
    ...choose(destructive, "can destroy data", "destroys no data"),
    ...choose(idempotent, "has no further effect if it is repeated", "has another effect each time"),
    ...choose(open_world, "reaches systems outside the program", "stays inside the program"),
  ];
}

/** The policy of a tool as sentences. */
export function policyWords(policy) {
  return [
    policy.requires_approval && "needs an approval before each call",
    policy.timeout_ms != null && `has a time limit of ${duration(Number(policy.timeout_ms))}`,
    policy.max_concurrency != null &&
      `runs at most ${counted(Number(policy.max_concurrency), "call")} at the same time`,
    policy.max_calls != null && `runs at most ${counted(Number(policy.max_calls), "call")} in a run`,
    policy.exclusive && "runs alone, while no other call runs",
    policy.resumable && "can resume an interrupted call",
  ].filter(Boolean);
}

const STATUSES = {
  ok: "done",
  error: "error",
  missing: "no result",
  needs_approval: "needs approval",
  needs_result: "needs a result from elsewhere",
  needs_input: "needs an answer of the user",
  needs_call: "needs another call",
  pending: "pending",
  running: "running",
  cancelled: "cancelled",
};

export function statusWords(status) {
  return Object.hasOwn(STATUSES, status) ? STATUSES[status] : String(status);
}

const COMPLETENESS = {
  truncated: "The reply is truncated: it reached the limit of its length.",
  paused: "The provider paused the reply.",
  unconfirmed: "The provider did not confirm that the reply is complete.",
};

/** A sentence for a reply that may be incomplete, else `null`. */
export function completenessWords(completeness) {
  return Object.hasOwn(COMPLETENESS, completeness) ? COMPLETENESS[completeness] : null;
}

/** The tokens of a reply in words. */
export function usageWords(usage) {
  const parts = [`${count(usage.input_tokens)} in`];
  const more = [
    usage.cached_input_tokens && `${count(usage.cached_input_tokens)} cached`,
    usage.cache_write_tokens && `${count(usage.cache_write_tokens)} written to the cache`,
  ].filter(Boolean);
  if (more.length) parts[0] += ` (${more.join(", ")})`;
  parts.push(`${count(usage.output_tokens)} out`);
  if (usage.reasoning_tokens) parts[1] += ` (${count(usage.reasoning_tokens)} reasoning)`;
  return `${parts.join(", ")} tokens`;
}
