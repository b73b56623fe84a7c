// One call of a tool, from the confirmation to the message that the model reads.

import { element, replaceChildren } from "./element.js";
import { callResult } from "./call_result.js";
import { CallProgress } from "./call_progress.js";
import { approvalPanel, confirmationPanel, questionPanel, resultPanel } from "./call_panels.js";
import { postJson, readLines } from "./server.js";
import { prose } from "./visible_text.js";
import { duration } from "./words.js";

function resultWords(line) {
  const words = line.is_error ? "The model reads an error" : "The call is done";
  return line.duration_ms == null ? `${words}.` : `${words} after ${duration(line.duration_ms)}.`;
}

export class CallRun {
  /** `call` has the name of the tool and the text of the arguments. `ended` is called once. */
  constructor(call, ended) {
    this.call = call;
    this.ended = ended;
    this.id = null;
    this.isOver = false;
    this.abort = new AbortController();
    this.status = element("p", { class: "live status-line", role: "status" });
    this.progress = new CallProgress((text) => this.announce(text));
    this.panels = element("div", { class: "panels" });
    this.result = element("div", { class: "result-box" });
    this.element = element("div", { class: "run" }, this.status, this.progress.element, this.panels, this.result);
  }

  announce(text) {
    this.status.textContent = text;
  }

  async start(isConfirmed = false) {
    this.announce("The call runs …");
    const body = JSON.stringify({ tool: this.call.tool, arguments: this.call.arguments, confirmed: isConfirmed });
    try {
      let last = null;
      const response = await postJson("api/calls", body, this.abort.signal);
      await readLines(response, (line) => {
        last = line.type;
        this.receive(line);
      });
      if (!["result", "failed", "needs_confirmation"].includes(last))
        this.fail("The connection ended before the result.");
    } catch (error) {
      if (this.abort.signal.aborted) this.end("Stopped. The server cancels the call.");
      else this.fail(error.message);
    }
  }

  stop() {
    if (this.isOver) return;
    this.abort.abort();
    this.end("Stopped. The server cancels the call.");
  }

  receive(line) {
    switch (line.type) {
      case "begun":
        this.id = line.run;
        break;
      case "needs_confirmation":
        this.confirm(line.reason);
        break;
      case "event":
        this.progress.receive(line.event);
        break;
      case "approval":
        this.ask(
          approvalPanel(line.call, (decision) => this.answer("decision", decision)),
          "The call needs your approval.",
        );
        break;
      case "question":
        this.ask(
          questionPanel(line.question, (answer) => this.answer("answer", answer)),
          "The tool asks a question.",
        );
        break;
      case "needs_result":
        this.ask(
          resultPanel(line.call, (result) => this.answer("result", result)),
          "The call needs a result from elsewhere.",
        );
        break;
      case "result":
        replaceChildren(this.result, callResult(line));
        this.end(resultWords(line));
        break;
      case "failed":
        this.fail(line.error);
        break;
    }
  }

  confirm(reason) {
    this.ask(
      confirmationPanel(reason, (isConfirmed) => {
        if (isConfirmed) this.start(true);
        else this.end("Not called.");
      }),
      "The call may have effects. Nothing ran yet.",
    );
  }

  /** Shows a panel that needs the user, and moves the focus to it. */
  ask(panel, text) {
    this.announce(text);
    this.panels.append(panel);
    panel.querySelector("h3").focus();
  }

  /** Sends an answer to the server. An answer that does not arrive can be sent again. */
  async answer(kind, body) {
    try {
      await postJson(`api/calls/${encodeURIComponent(this.id)}/${kind}`, body);
      this.announce("Sent. The call continues …");
      return true;
    } catch (error) {
      this.announce(`Not sent: ${error.message}`);
      return false;
    }
  }

  fail(text) {
    replaceChildren(
      this.result,
      element(
        "div",
        { class: "notice bad" },
        element("strong", { text: "The inspector could not run the call. " }),
        prose(text),
      ),
    );
    this.end("The call failed.");
  }

  end(text) {
    if (this.isOver) return;
    this.isOver = true;
    const hadFocus = this.panels.contains(document.activeElement);
    this.panels.replaceChildren();
    this.progress.end();
    this.announce(text);
    if (hadFocus) {
      this.status.tabIndex = -1;
      this.status.focus();
    }
    this.ended();
  }
}
