// Settings that stay in the browser. A browser without storage forgets them.

const PREFIX = "tool-inspector.";

export function readSetting(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

export function storeSetting(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // The setting lasts as long as the page.
  }
}
