"use strict";

const SUGGESTIONS = [
  ["Which orders are open?", "A wrong argument, which the model corrects"],
  ["Find headphones under 100 euros", "Filters and pages"],
  ["Show me the sales report", "A slow tool with progress: stop it, or restart the server"],
  ["Cancel the newest open order", "A change that waits for your approval"],
  ["Order two Pebble mice for Ada Meyer", "Nested arguments; placed once, even after a crash"],
  ["Write a note on the newest open order", "Two tools, one after the other"],
];
const STATES = {
  idle: "Ready",
  running: "Working",
  waiting: "Waiting for your decision",
  interrupted: "Interrupted",
  offline: "Connection lost, trying again",
};
const SIGNS = { new: "·", running: "●", waiting: "?", done: "✓", error: "✕" };

const $ = (id) => document.getElementById(id);
const chat = $("chat");
let calls = new Map(); // the rows of calls, by id
let reply = null; // the reply that arrives
let controller = null; // of the run in progress

// Elements and texts

/** All text is inserted as text, never as HTML. */
function add(parent, tag, className = "", text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  parent.append(element);
  return element;
}

function button(parent, text, onclick, className = "") {
  const element = add(parent, "button", className, text);
  element.addEventListener("click", onclick);
  return element;
}

/** The user decides by these texts, so invisible characters and marks of text direction are escaped. */
function visible(text) {
  const controls = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f";
  const marks = "\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff";
  const hidden = new RegExp(`[${controls}${marks}]`, "g");
  return text.replace(hidden, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** The value of a text; `undefined` while it is not complete. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pretty(text) {
  const value = parsed(text);
  return visible(typeof value === "object" ? JSON.stringify(value, null, 2) : text);
}

/** Arguments in one line, without those that are null. */
function brief(text) {
  const value = parsed(text);
  if (typeof value !== "object" || value === null) return visible(text);
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  const texts = fields.map(([name, field]) => {
    return `${name}: ${typeof field === "object" ? JSON.stringify(field) : field}`;
  });
  return visible(texts.join(", "));
}

function time(ms) {
  return ms < 1000 ? Math.round(ms) + " ms" : (ms / 1000).toFixed(1) + " s";
}

/** Scrolls to the end after a change, unless the user has scrolled up. */
function keepAtEnd(change) {
  const isAtEnd = innerHeight + scrollY > document.body.scrollHeight - 120;
  change();
  if (isAtEnd) scrollTo(0, document.body.scrollHeight);
}

// Calls and replies

/** The row of a call. */
class Call {
  constructor(parent, id, tool) {
    this.id = id;
    this.tool = tool;
    this.text = "";
    this.root = add(parent, "details", "call");
    const summary = add(this.root, "summary");
    const line = add(summary, "div", "line");
    this.sign = add(line, "span", "sign");
    add(line, "span", "name", tool);
    this.brief = add(line, "span", "brief");
    this.time = add(line, "span", "time");
    this.progress = add(summary, "div", "progress");
    this.progressBar = add(add(this.progress, "div", "track"), "div");
    this.progressText = add(this.progress, "span");
    this.progress.hidden = true;
    this.error = add(summary, "div", "error");
    const detail = add(this.root, "div", "detail");
    add(detail, "span", "", "Arguments");
    this.arguments = add(detail, "pre");
    this.resultTitle = add(detail, "span");
    this.result = add(detail, "pre", "result");
    this.set("new");
    calls.set(id, this);
  }
  set(state) {
    this.root.dataset.state = state;
    this.sign.textContent = SIGNS[state];
    this.decision?.remove();
  }
  setArguments(text) {
    this.text = text;
    this.arguments.textContent = pretty(text);
    this.brief.textContent = brief(text);
  }
  begin(state) {
    this.set(state);
    this.bar ??= new Row(this.tool, "tool");
    this.bar.begin(state);
  }
  start() {
    this.begun = performance.now();
    this.begin("running");
    this.error.textContent = "";
  }
  step({ done, total, text }) {
    this.progress.hidden = false;
    this.progressBar.style.width = total ? 100 * done / total + "%" : "100%";
    this.progressText.textContent = visible(text) + (total ? ` (${done} of ${total})` : "");
  }
  wait() {
    this.begin("waiting");
    this.bar.end();
    this.root.open = true;
    this.decision = add(this.root, "div", "decision");
    add(this.decision, "span", "", `Run ${this.tool} with these arguments?`);
    const decide = (decision) => {
      this.set("new");
      run("/approve", { id: this.id, ...decision });
    };
    const deny = () => decide({ decision: "deny", reason: reason.value });
    button(this.decision, "Approve", () => decide({ decision: "approve" }), "main");
    button(this.decision, "Deny", deny);
    const reason = add(this.decision, "input");
    reason.placeholder = "Reason for a denial";
    reason.setAttribute("aria-label", "Reason for a denial");
    reason.maxLength = 300;
    reason.addEventListener("keydown", (event) => {
      if (event.key === "Enter") deny();
    });
  }
  show(result, isError) {
    this.set(isError ? "error" : "done");
    this.progress.hidden = true;
    this.resultTitle.textContent = isError ? "Error" : "Result";
    this.result.textContent = pretty(result.replace(/^Error: /, ""));
    this.error.textContent = isError ? this.result.textContent : "";
  }
  finish(result, isError) {
    // A call that did not run is a mark in the timeline, unless it is of an earlier exchange.
    if (!this.begun && timeline.rows.length) this.begin("running");
    this.show(result, isError);
    this.root.open = false;
    this.bar?.end(isError ? "error" : "done");
    if (this.begun) this.time.textContent = time(performance.now() - this.begun);
  }
}

function beginReply() {
  if (reply) return reply;
  const root = add(chat, "div", "reply");
  const bar = new Row(`Reply ${timeline.count("reply") + 1}`, "reply");
  bar.begin("reply");
  reply = { root, text: add(root, "p"), bar };
  return reply;
}

function endReply() {
  reply?.bar.end();
  reply = null;
}

// Runs

const HANDLERS = {
  text: ({ text }) => beginReply().text.append(visible(text)),
  call_announced: ({ id, tool }) => new Call(beginReply().root, id, tool),
  call_arguments: ({ id, text, is_restart }) => {
    const call = calls.get(id);
    call?.setArguments((is_restart ? "" : call.text) + text);
  },
  call_complete: ({ id, arguments: text }) => calls.get(id)?.setArguments(text),
  reply_finished: endReply,
  reply_interrupted: ({ is_kept }) => {
    if (!is_kept) reply?.root.remove();
    endReply();
  },
  call: (event) => {
    const call = calls.get(event.id) ?? new Call(beginReply().root, event.id, event.tool);
    if (event.status === "started") call.start();
    if (event.status === "progress") call.step(event);
    if (event.status === "needs_approval") {
      call.setArguments(event.arguments);
      call.wait();
    }
    if (event.status === "finished") call.finish(event.result, event.is_error);
  },
};

async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (text + value).split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      if (block.startsWith("data:")) yield JSON.parse(block.slice(5));
    }
  }
}

/** Starts a run and shows its events. If the connection is lost, continues it, unless the user has stopped it. */
async function run(path, body) {
  if (controller) return;
  chat.querySelectorAll(".notice, .welcome").forEach((element) => element.remove());
  controller = new AbortController();
  const { signal } = controller;
  setState("running");
  timeline.start();
  let last = null;
  let rejected = null;
  try {
    const headers = { accept: "text/event-stream", "content-type": "application/json" };
    const sent = body && JSON.stringify(body);
    const response = await fetch(path, { method: "POST", headers, body: sent, signal });
    if (response.ok) {
      for await (last of eventsOf(response.body)) keepAtEnd(() => HANDLERS[last.type]?.(last));
    } else {
      rejected = (await response.json()).error;
    }
  } catch (error) {
    if (!signal.aborted) console.info("the connection is lost:", error.message);
  }
  controller = null;
  endReply();
  timeline.pause();
  if (rejected) {
    $("text").value = body?.text ?? "";
    load(false, rejected);
  } else {
    showEnd(last, signal.aborted);
  }
}

/** Shows how a run has ended, by its last event. */
function showEnd(last, isStopped) {
  const failed = last?.type === "error";
  const ended = last?.type === "end" && last.end !== "cancelled";
  if (!failed && !ended) {
    load(!isStopped);
  } else if (ended && (last.end === "answered" || last.end === "needs_approval")) {
    setState(last.waiting.length ? "waiting" : "idle");
  } else {
    setState("interrupted");
    notice(last.error ?? `There is no answer: ${last.reason}.`, true);
  }
}

function send(text) {
  if (controller || !text.trim() || $("send").hidden) return;
  timeline.clear();
  keepAtEnd(() => add(chat, "div", "user", visible(text)));
  $("text").value = "";
  $("suggestions").hidden = false;
  run("/chat", { text });
}

// The session

/** Loads the session, even while the server starts again, and draws it. */
async function load(resumes, error = "") {
  for (let delay = 200; ; delay = Math.min(2 * delay, 2000)) {
    const response = await fetch("/session").catch(() => null);
    const session = await response?.json().catch(() => null);
    const isReady = response?.ok && session.state !== "running";
    if (isReady) draw(session);
    else setState(response?.ok ? "running" : "offline");
    const isInterrupted = isReady && session.state === "interrupted";
    if (isInterrupted && resumes) {
      run("/resume");
      return;
    }
    const failed = error || (response?.ok ? "" : session?.error);
    const text = failed || (isInterrupted ? "The run was interrupted." : "");
    if (text) keepAtEnd(() => notice(text, isInterrupted));
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
}

function draw({ state, messages, waiting }) {
  chat.replaceChildren();
  calls = new Map();
  for (const message of messages) drawMessage(message);
  for (const { id } of waiting) calls.get(id)?.wait();
  if (!messages.length) drawWelcome();
  $("suggestions").hidden = !messages.length;
  timeline.draw();
  setState(state);
  scrollTo(0, messages.length ? document.body.scrollHeight : 0);
}

function drawMessage(message) {
  if (message.role === "user") {
    add(chat, "div", "user", visible(message.text));
    return;
  }
  const root = add(chat, "div", "reply");
  add(root, "p", "", visible(message.text));
  for (const { id, tool, arguments: text, result, is_error } of message.calls) {
    const call = new Call(root, id, tool);
    call.setArguments(text);
    if (result !== null) call.show(result, is_error);
  }
}

function drawWelcome() {
  const welcome = add(chat, "div", "welcome");
  add(welcome, "b", "", "Hello! I help you to run this shop.");
  const text = "I find products and orders, compute reports, and change orders. Try one of these:";
  add(welcome, "span", "", text);
  const cards = add(welcome, "div", "cards");
  for (const [text, about] of SUGGESTIONS) add(button(cards, text, () => send(text)), "span", "", about);
}

function notice(text, continues) {
  chat.querySelectorAll(".notice").forEach((element) => element.remove());
  const root = add(chat, "div", "notice");
  root.setAttribute("role", "alert");
  add(root, "span", "", text);
  if (continues) button(root, "Continue", () => run("/resume"));
  root.scrollIntoView({ block: "nearest" });
}

function setState(state) {
  $("state").dataset.state = state;
  $("state").textContent = STATES[state];
  const isBusy = state === "running" || state === "offline";
  $("send").hidden = isBusy;
  $("stop").hidden = !controller;
  $("new").disabled = isBusy;
  for (const suggestion of $("suggestions").children) suggestion.disabled = isBusy;
}

for (const [text] of SUGGESTIONS) button($("suggestions"), text, () => send(text));
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  send($("text").value);
});
$("stop").addEventListener("click", () => controller?.abort());
$("new").addEventListener("click", async () => {
  timeline.clear();
  await fetch("/session", { method: "DELETE" }).catch(() => null);
  load(true);
});
load(true);
