// The messages of a live run, made from its events.

import { costOf } from "./prices.js";
import { Retries } from "./retries.js";

export class LiveRun {
  constructor(prices) {
    this.prices = prices;
    this.messages = [];
    this.changed = new Set();
    /** The reply in progress. */
    this.reply = null;
    this.lastReply = null;
    this.calls = new Map();
    this.retries = new Retries();
    this.usage = null;
    this.previousInput = null;
    this.warnings = [];
    this.hasEnded = false;
  }

  /** The positions that have changed since the last time. */
  takeChanged() {
    const { changed } = this;
    this.changed = new Set();
    return changed;
  }

  facts() {
    return {
      state: this.hasEnded ? "ended" : "live",
      usage: this.usage,
      cost: costOf(this.usage, this.prices),
      warnings: this.warnings,
    };
  }

  receive(line) {
    if (line.skipped) this.note(`${line.skipped} events were skipped, because there were too many.`);
    if (line.event) this.receiveEvent(line.event, line.at_ms);
  }

  receiveEvent(event, at) {
    switch (event.type) {
      case "user_message":
        this.reply = null;
        this.retries.clear();
        this.add({ role: "user", text: event.text });
        break;
      case "text":
        this.change(this.openReply()).text += event.text;
        break;
      case "reasoning": {
        const reply = this.change(this.openReply());
        reply.reasoning = (reply.reasoning ?? "") + event.text;
        break;
      }
      case "call_announced":
        this.addCall(this.openReply(), event.id, event.tool);
        break;
      case "call_arguments": {
        const call = this.callOf(event.id, "");
        call.arguments = event.is_restart ? event.text : call.arguments + event.text;
        break;
      }
      case "call_complete":
        Object.assign(this.callOf(event.id, event.tool), { name: event.tool, arguments: event.arguments });
        break;
      case "call":
        this.receiveCall(event, at);
        break;
      case "reply_finished":
        this.finishReply(event.usage);
        break;
      case "reply_interrupted": {
        const reply = this.change(this.openReply());
        reply.interruption = `${event.error}${event.is_kept ? " The reply is kept." : " The reply is not kept."}`;
        reply.isOpen = false;
        // The end of a reply that is kept follows.
        if (!event.is_kept) this.reply = null;
        break;
      }
      case "request_retried":
        this.note(`Request repeated (attempt ${event.attempt}) after ${Math.round(event.delay_ms)} ms: ${event.error}`);
        break;
      case "warning":
        this.warnings.push(event.text);
        this.note(`Warning: ${event.text}`);
        break;
      case "compacted":
        this.note(
          `Compacted: ${event.removed} messages removed, ${event.truncated} truncated; the target is ${event.has_reached_target ? "" : "not "}reached.`,
        );
        break;
      case "run_ended":
        this.end(event.end);
        break;
      default:
        this.note(`${event.type}: ${JSON.stringify(event)}`);
    }
  }

  add(message) {
    const position = this.messages.length;
    this.messages.push({ index: position, text: "", parts: [], calls: [], position, ...message });
    this.changed.add(position);
    return this.messages[position];
  }

  note(text) {
    this.add({ role: "note", text });
  }

  change(message) {
    this.changed.add(message.position);
    return message;
  }

  openReply() {
    this.reply ??= this.addReply(true);
    return this.reply;
  }

  addReply(isOpen) {
    this.lastReply = this.add({ role: "assistant", isOpen });
    this.retries.addReply(this.lastReply);
    return this.lastReply;
  }

  addCall(reply, id, tool) {
    const call = { id, name: tool, arguments: "", status: "pending", result: null, reply, number: reply.calls.length };
    reply.calls.push(call);
    this.calls.set(id, call);
    this.change(reply);
    return call;
  }

  /** The last call with this id. A call that is not known belongs to the last reply, or to one of an earlier run. */
  callOf(id, tool) {
    const known = this.calls.get(id);
    if (known) {
      this.change(known.reply);
      return known;
    }
    return this.addCall(this.reply ?? this.lastReply ?? this.addReply(false), id, tool);
  }

  receiveCall(event, at) {
    const call = this.callOf(event.id, event.tool);
    call.name ||= event.tool;
    if (event.outer_call) call.outer_call = event.outer_call;
    if (typeof event.arguments === "string" && call.arguments === "") call.arguments = event.arguments;
    switch (event.status) {
      case "started":
        call.status = "running";
        call.from_ms = at;
        call.reply.span ??= { from: at, to: at };
        break;
      case "progress":
        call.progress = event;
        break;
      case "emitted":
      case "events_skipped":
        break;
      case "finished":
        this.finishCall(call, event, at);
        break;
      default:
        if (typeof event.status === "string") call.status = event.status;
    }
    // The times of the events do not decrease.
    if (call.reply.span) call.reply.span.to = at;
  }

  finishCall(call, event, at) {
    const { error } = event.result ?? {};
    call.status = error ? "error" : "ok";
    call.result = {
      index: null,
      text: error ? `Error: ${error.message}` : contentText(event.result?.output),
      parts: [],
      error_kind: error?.kind ?? null,
    };
    call.duration_ms = event.outcome?.has_begun ? event.outcome.duration_ms : null;
    if (call.from_ms !== undefined) call.to_ms = at;
    if (event.cause === "denied") call.approval = "denied";
  }

  finishReply(usage) {
    const reply = this.change(this.openReply());
    this.reply = null;
    reply.isOpen = false;
    this.retries.finishReply(reply);
    if (!usage) return;
    reply.usage = usage;
    reply.cost = costOf(usage, this.prices);
    if (this.previousInput)
      reply.cache = { kept: Math.min(usage.cached_input_tokens ?? 0, this.previousInput), of: this.previousInput };
    this.previousInput = usage.input_tokens;
    this.usage ??= {
      input_tokens: 0,
      output_tokens: 0,
      cached_input_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
    };
    for (const key of Object.keys(this.usage)) this.usage[key] += usage[key] ?? 0;
  }

  end(end) {
    this.hasEnded = true;
    if (this.reply) this.change(this.reply).isOpen = false;
    this.note(`The run has ended: ${typeof end === "string" ? end : JSON.stringify(end, null, 2)}`);
  }
}

/** The text of a stored content: a text, or an object with a text or with parts. */
function contentText(content) {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content.parts)) return typeof content.text === "string" ? content.text : JSON.stringify(content);
  return content.parts
    .map((part) =>
      part.type === "text" ? part.text : part.type === "json" ? JSON.stringify(part.json) : `[${part.type}]`,
    )
    .join("\n");
}
