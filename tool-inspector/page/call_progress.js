// The progress of a call and of the calls that its tool makes.

import { element } from "./element.js";
import { longText, name, visibleNodes, visibleString } from "./visible_text.js";
import { count, duration, statusWords } from "./words.js";

const ANNOUNCE_EVERY_MS = 2000;
const MAX_DATA = 50;

export class CallProgress {
  constructor(announce) {
    this.announce = announce;
    this.announcedAt = 0;
    this.rows = new Map();
    this.element = element("ul", { class: "progress-list", hidden: true });
  }

  receive(event) {
    const row = this.rows.get(event.id) ?? this.addRow(event);
    switch (event.status) {
      case "started":
        row.state.textContent = "running";
        break;
      case "progress":
        this.showProgress(row, event);
        break;
      case "emitted":
        this.showData(row, event.data);
        break;
      case "events_skipped":
        row.state.textContent = `${count(event.events)} events of the tool were skipped`;
        break;
      case "finished":
        this.finish(row, event.result?.error ? "error" : "ok", event.outcome);
        break;
      default:
        row.state.textContent = statusWords(event.status);
    }
  }

  addRow(event) {
    const bar = element("progress", { hidden: true, "aria-label": `Progress of ${visibleString(event.tool)}` });
    const state = element("span", { class: "soft" });
    const text = element("div", { class: "progress-text", dir: "auto" });
    const data = element("div", {});
    const head = element(
      "div",
      { class: "progress-head" },
      name(event.tool),
      event.outer_call ? element("span", { class: "tag", text: "called by the tool" }) : null,
      state,
    );
    const row = {
      bar,
      state,
      text,
      data,
      element: element("li", { class: event.outer_call ? "inner" : null }, head, bar, text, data),
      dataCount: 0,
    };
    this.rows.set(event.id, row);
    // The state of the call alone is already in the status of the run.
    if (event.outer_call) this.element.hidden = false;
    this.element.append(row.element);
    return row;
  }

  showProgress(row, { done, total, text }) {
    row.bar.hidden = false;
    this.element.hidden = false;
    if (total == null || total <= 0) {
      row.bar.removeAttribute("value");
    } else {
      row.bar.max = total;
      row.bar.value = Math.min(done, total);
    }
    const amount = total == null ? count(done) : `${count(done)} of ${count(total)}`;
    row.text.replaceChildren(`${amount}${text ? ": " : ""}`, visibleNodes(text ?? ""));
    const now = performance.now();
    if (now - this.announcedAt > ANNOUNCE_EVERY_MS) {
      this.announcedAt = now;
      this.announce(`Progress: ${amount}${text ? `, ${visibleString(text, 100)}` : ""}`);
    }
  }

  /** Shows data of the tool. The last ones stay. */
  showData(row, data) {
    row.dataCount += 1;
    this.element.hidden = false;
    if (!row.data.children.length) row.data.append(element("p", { class: "soft" }));
    const shown = Math.min(row.dataCount, MAX_DATA);
    row.data.firstElementChild.textContent =
      row.dataCount > shown ? `Data of the tool: the last ${shown} of ${count(row.dataCount)}` : "Data of the tool";
    row.data.append(longText(JSON.stringify(data, null, 2), { label: "data of the tool" }));
    if (row.data.children.length > MAX_DATA + 1) row.data.children[1].remove();
  }

  finish(row, status, outcome) {
    const after = outcome?.has_begun ? ` after ${duration(outcome.duration_ms)}` : "";
    row.state.textContent = statusWords(status) + after;
    row.bar.hidden = true;
    row.isFinished = true;
  }

  end() {
    for (const row of this.rows.values()) {
      if (row.isFinished) continue;
      row.bar.hidden = true;
      if (row.state.textContent === "running") row.state.textContent = "ended";
    }
  }
}
