// Calls that repeat a failed one. A live run shows the same ones as the stored session, for which the server finds them.

export class Retries {
  constructor() {
    /** The failed calls that no later call has repeated, by tool, the oldest first: a model repeats them in their order. */
    this.failed = new Map();
    /** The replies whose errors the model has not read. */
    this.unread = [];
  }

  addReply(reply) {
    this.unread.push(reply);
  }

  /** Marks the calls of a complete reply. Before it, the model has read the errors of the earlier replies. */
  finishReply(reply) {
    for (const earlier of this.unread) if (earlier !== reply) this.addFailed(earlier);
    this.unread = [reply];
    for (const call of callsOfModel(reply)) {
      const repeated = this.failed.get(call.name)?.shift();
      if (repeated) call.retry_of = repeated;
    }
  }

  addFailed(reply) {
    for (const call of callsOfModel(reply)) {
      if (call.status !== "error") continue;
      if (!this.failed.has(call.name)) this.failed.set(call.name, []);
      this.failed.get(call.name).push({ index: reply.index, position: call.number });
    }
  }

  /** A new message of the user: later calls repeat no earlier one. */
  clear() {
    this.failed.clear();
    this.unread = [];
  }
}

/** The calls of a reply without those that its tools make. */
function callsOfModel(reply) {
  return reply.calls.filter((call) => !call.outer_call);
}
