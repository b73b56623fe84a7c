"use strict";

/** The time of runs. It does not advance while the user decides. */
const timeline = {
  rows: [],
  elapsed: 0, // by the runs that have ended
  begun: null, // the start of the run in progress
  timer: null,

  now() {
    return this.elapsed + (this.begun === null ? 0 : performance.now() - this.begun);
  },
  clear() {
    this.rows = [];
    this.elapsed = 0;
    $("bars").replaceChildren();
  },
  start() {
    this.begun = performance.now();
    this.timer ??= setInterval(() => this.draw(), 100);
  },
  pause() {
    for (const row of this.rows) row.end();
    this.elapsed = this.now();
    this.begun = null;
    clearInterval(this.timer);
    this.timer = null;
    this.draw();
  },
  count(kind) {
    return this.rows.filter((row) => row.kind === kind).length;
  },
  draw() {
    const now = this.now();
    const whole = Math.max(now, 1000);
    for (const part of this.rows.flatMap((row) => row.parts)) {
      part.div.style.left = Math.min(96, 100 * part.from / whole) + "%";
      part.div.style.width = 100 * ((part.to ?? now) - part.from) / whole + "%";
    }
    const isEmpty = this.rows.length === 0;
    $("empty").hidden = !isEmpty;
    $("axis").hidden = isEmpty;
    $("whole").textContent = time(whole);
    $("total").textContent = isEmpty ? "" : `replies: ${this.count("reply")}, calls: ${this.count("tool")}`;
  },
};

/** A row of the timeline. A call has several parts if it waits for a decision or is continued. */
class Row {
  constructor(label, kind) {
    this.kind = kind;
    this.parts = [];
    const bar = add($("bars"), "div", "bar " + kind);
    add(bar, "span", "", label).title = label;
    this.lane = add(bar, "div", "lane");
    timeline.rows.push(this);
  }
  begin(state) {
    this.end();
    const div = add(this.lane, "div");
    div.dataset.state = state;
    this.parts.push({ from: timeline.now(), to: null, div });
  }
  end(state) {
    const last = this.parts.at(-1);
    if (!last) return;
    last.to ??= timeline.now();
    if (state) last.div.dataset.state = state;
  }
}
