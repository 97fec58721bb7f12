// What sources of the console expect from a browser, as far as unit tests need it.

/** A page at an address: document, location, history, storage. Returns the way to remove it. */
export function installPage(address = "http://console.test/prefix/console/") {
  const listeners = new Map();
  const location = new URL(address);
  location.assign = (next) => move(next);
  location.replace = (next) => move(next);
  const move = (next) => {
    const url = new URL(next, location.href);
    location.pathname = url.pathname;
    location.search = url.search;
    location.hash = url.hash;
  };
  const storage = new Map();
  const added = {
    location,
    history: { pushState: (_, __, url) => move(url), replaceState: (_, __, url) => move(url) },
    localStorage: {
      getItem: (key) => storage.get(key) ?? null,
      setItem: (key, value) => void storage.set(key, String(value)),
      removeItem: (key) => void storage.delete(key),
    },
    document: {
      baseURI: `${location.origin}${location.pathname.slice(0, location.pathname.indexOf("console/"))}console/`,
      hidden: false,
      documentElement: { dataset: {} },
      querySelector: () => null,
      addEventListener: (type, listener) => listeners.set(type, [...(listeners.get(type) ?? []), listener]),
      removeEventListener: (type, listener) =>
        listeners.set(type, (listeners.get(type) ?? []).filter((other) => other !== listener)),
    },
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  };
  const before = Object.fromEntries(Object.keys(added).map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)]));
  for (const [key, value] of Object.entries(added)) {
    Object.defineProperty(globalThis, key, { value, configurable: true, writable: true });
  }
  return {
    emit: (type) => (listeners.get(type) ?? []).forEach((listener) => listener()),
    remove() {
      for (const [key, descriptor] of Object.entries(before)) {
        if (descriptor) Object.defineProperty(globalThis, key, descriptor);
        else delete globalThis[key];
      }
    },
  };
}

/** Answers fetch() from a list of responses or functions, and records the requests. */
export function installFetch(answers) {
  const before = globalThis.fetch;
  const requests = [];
  globalThis.fetch = async (url, init = {}) => {
    requests.push({ url: String(url), ...init });
    const answer = answers.shift();
    // Not thrown: the client takes errors of fetch() for a lost connection and would ask for ever.
    if (answer === undefined) return json({ detail: `The test has no answer for ${url}` }, 418);
    return typeof answer === "function" ? answer({ url: String(url), ...init }) : answer;
  };
  return { requests, remove: () => void (globalThis.fetch = before) };
}

/** Runs timers at once, in a later task, and records how long they would have waited. */
export function installTimers() {
  const before = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  const waits = [];
  const cleared = new Set();
  globalThis.setTimeout = (run, milliseconds = 0, ...args) => {
    const id = { waited: milliseconds };
    waits.push(milliseconds);
    setImmediate(() => {
      if (!cleared.has(id)) run(...args);
    });
    return id;
  };
  globalThis.clearTimeout = (id) => void cleared.add(id);
  return { waits, remove: () => Object.assign(globalThis, before) };
}

export function json(value, status = 200, headers = {}) {
  const text = status === 204 ? null : JSON.stringify(value);
  return new Response(text, { status, headers: { "Content-Type": "application/json", ...headers } });
}

/** Lets the tasks that wait run, a few times over. */
export async function settle(rounds = 10) {
  for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
