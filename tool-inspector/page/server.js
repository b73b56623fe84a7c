// Requests to the server of the page. All addresses are relative to the base of the page.

import { parse } from "./json_text.js";

/** The header that each request of the page has. */
const OWN = { "x-tool-inspector": "1" };

/** An error that the server reports. */
class ServerError extends Error {
  constructor(text, status) {
    super(text);
    this.status = status;
  }
}

/** The response of a path, or an error with the text of the server. */
async function request(path, { headers, ...options } = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { ...OWN, ...headers } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is the program still running?");
  }
  if (!response.ok) throw new ServerError(await errorText(response), response.status);
  return response;
}

async function errorText(response) {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text);
    if (typeof error === "string") return error;
  } catch {
    // The text itself is the error.
  }
  return text.trim() || `The server answers with status ${response.status}.`;
}

export async function getJson(path, signal) {
  return (await request(path, { signal })).json();
}

/** As `getJson`; the numbers keep their text. */
export async function getExactJson(path, signal) {
  return parse(await (await request(path, { signal })).text());
}

/** The value, or `null` if the server has none (status 404). */
export async function getIfPresent(path, signal) {
  try {
    return await getJson(path, signal);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

export async function postHistory(path, text, signal) {
  const headers = { "content-type": "text/plain; charset=utf-8" };
  return (await request(path, { method: "POST", headers, body: text, signal })).json();
}

/** Sends a body that is already JSON text. */
export function postJson(path, body, signal) {
  const headers = { "content-type": "application/json" };
  return request(path, { method: "POST", headers, body, signal });
}

/** Passes each value of a stream of lines to `receive`, and ends with the stream. */
export async function readLines(response, receive) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let parts = [];
  const take = (line) => {
    if (line.trim()) receive(JSON.parse(line));
  };
  for (;;) {
    const { done, value } = await reader.read();
    const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
    const lines = text.split("\n");
    // A line of megabytes arrives in many pieces, which are joined once.
    parts.push(lines[0]);
    if (lines.length > 1) {
      take(parts.join(""));
      lines.slice(1, -1).forEach(take);
      parts = [lines.at(-1)];
    }
    if (done) {
      take(parts.join(""));
      return;
    }
  }
}

export async function getLines(path, receive, signal) {
  await readLines(await request(path, { signal }), receive);
}
