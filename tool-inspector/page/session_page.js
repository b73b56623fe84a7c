// The pages of sessions that come from the server: stored ones, the file of the command line, pasted text, and live runs.

import { element, notice } from "./element.js";
import { LiveRun } from "./live_run.js";
import { currentPrices, priceForm, priceQuery } from "./prices.js";
import { getIfPresent, getJson, getLines, postHistory } from "./server.js";
import { TimelinePage } from "./timeline_page.js";
import { prose } from "./visible_text.js";

const UPDATE_EVERY_MS = 150;

/** The text of the last history that the user pasted or chose, which stays in this page only. */
let pasted = null;

export function setPasted(title, text) {
  pasted = { title, text };
}

/** The page of a session of the server at a path of the contract. */
export function storedSession(path, title, hasPrices, signal) {
  return sessionPage(title, hasPrices, () => getJson(path + priceQuery(currentPrices()), signal));
}

/** The page of the file of the command line, or `null` if there is none. */
export async function fileSession(hasPrices, signal) {
  const path = () => `api/file${priceQuery(currentPrices())}`;
  const timeline = await getIfPresent(path(), signal);
  if (!timeline) return null;
  let first = timeline;
  return sessionPage("History", hasPrices, async () => {
    const known = first;
    first = null;
    return known ?? getJson(path(), signal);
  });
}

/** The page of the pasted text, or `null` if nothing is pasted. */
export async function pastedSession(hasPrices, signal) {
  if (!pasted) return null;
  const { title, text } = pasted;
  return sessionPage(title, hasPrices, () => postHistory(`api/history${priceQuery(currentPrices())}`, text, signal));
}

/** The page of a timeline. Other prices load it again. */
async function sessionPage(title, hasPrices, load) {
  const holder = element("div", {});
  let page = null;
  const show = (timeline) => {
    page?.close();
    page = new TimelinePage(title, [prices]);
    page.show(timeline);
    holder.replaceChildren(page.element);
  };
  const prices = priceForm(hasPrices, async () => {
    const { scrollY } = window;
    const focused = document.activeElement;
    try {
      show(await load());
    } catch (error) {
      if (error.name !== "AbortError") page.summary.append(notice("bad", prose(error.message)));
    }
    window.scrollTo({ top: scrollY, behavior: "instant" });
    if (holder.contains(focused)) focused.focus({ preventScroll: true });
  });
  show(await load());
  return { element: holder, title, close: () => page.close() };
}

/** The page of a live run. Its events arrive until the run ends or the page closes. */
export function liveSession(id, title, signal) {
  const run = new LiveRun(currentPrices());
  const state = element("p", { class: "live", role: "status", text: "The run is live." });
  const page = new TimelinePage(title, [state]);
  let timer = null;
  const update = () => {
    timer = null;
    page.update(run.messages, run.takeChanged(), run.facts());
  };
  const receive = (line) => {
    run.receive(line);
    timer ??= setTimeout(update, UPDATE_EVERY_MS);
  };
  page.update([], [], run.facts());
  getLines(`api/runs/${encodeURIComponent(id)}/events`, receive, signal).then(
    () => {
      run.hasEnded = true;
      clearTimeout(timer);
      update();
      state.textContent = "The run has ended.";
    },
    (error) => {
      if (error.name !== "AbortError") state.textContent = `The events have stopped: ${error.message}`;
    },
  );
  return {
    element: page.element,
    title,
    close() {
      clearTimeout(timer);
      page.close();
    },
  };
}
