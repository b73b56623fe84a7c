// The places of a timeline that need attention, and the next one of each kind.

const WAITING = new Set(["needs_approval", "needs_result", "needs_input", "needs_call"]);

/** The kinds of marks, with their names in words. */
export const KINDS = [
  ["error", "error", "errors"],
  ["violation", "violation", "violations"],
  ["waiting", "waiting call", "waiting calls"],
  ["retry", "retry", "retries"],
];

export class TimelineMarks {
  /** `waiting` are the ids of calls that wait, as the server reports them. */
  constructor(messages, violations = [], waiting = new Set()) {
    this.messages = messages;
    this.positions = new Map();
    this.violations = new Map();
    this.marks = { error: [], violation: [], waiting: [], retry: [] };
    messages.forEach((message, position) => this.locate(message, position));
    for (const violation of violations) {
      const position = this.positionOf(violation.index);
      if (!this.violations.has(position)) this.violations.set(position, []);
      this.violations.get(position).push(violation);
    }
    for (const position of [...this.violations.keys()].sort((first, second) => first - second))
      this.marks.violation.push([position, null]);
    messages.forEach((message, position) => this.mark(message, position, waiting));
  }

  locate(message, position) {
    if (message.index != null) this.positions.set(message.index, position);
    for (const call of message.calls ?? []) {
      // A result is part of the message of its call.
      if (call.result?.index != null) this.positions.set(call.result.index, position);
    }
  }

  mark(message, position, waiting) {
    (message.calls ?? []).forEach((call, index) => {
      if (call.status === "error" || call.status === "missing") this.marks.error.push([position, index]);
      if (WAITING.has(call.status) || (!call.result && waiting.has(call.id)))
        this.marks.waiting.push([position, index]);
      if (call.retry_of) this.marks.retry.push([position, index]);
    });
    if (message.interruption) this.marks.error.push([position, null]);
  }

  /** The position of a message by its index. An index without a message has the position of the last message before it. */
  positionOf(index) {
    for (let at = index; at >= 0; at -= 1) {
      if (this.positions.has(at)) return this.positions.get(at);
    }
    return 0;
  }

  /** The mark after a place, or the first one after the last: its number and its place. */
  next(kind, [position, call]) {
    const marks = this.marks[kind];
    const found = marks.findIndex(([at, index]) => at > position || (at === position && (index ?? -1) > (call ?? -1)));
    const number = found === -1 ? 0 : found;
    return { number: number + 1, all: marks.length, place: marks[number] };
  }

  /** The first message after a position whose texts contain the words, or `null`. */
  search(words, position) {
    const wanted = words.toLowerCase();
    const { length } = this.messages;
    for (let step = 1; step <= length; step += 1) {
      const at = (position + step) % length;
      if (textsOf(this.messages[at]).some((text) => text?.toLowerCase().includes(wanted))) return at;
    }
    return null;
  }
}

function textsOf(message) {
  const calls = message.calls ?? [];
  return [
    message.text,
    message.reasoning,
    message.refusal,
    ...calls.flatMap((call) => [call.name, call.id, call.arguments, call.result?.text]),
  ];
}
