// Live updates: one stream for all topics, back-off, hidden tabs, resync.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";
import { installPage, installTimers, settle } from "./support/page.mjs";

const { subscribe, live } = await importSources("api/live.ts");

class FakeEventSource {
  static CLOSED = 2;
  static opened = [];
  readyState = 0;
  listeners = {};

  constructor(url) {
    this.url = new URL(url);
    FakeEventSource.opened.push(this);
  }

  addEventListener(type, listener) {
    this.listeners[type] = listener;
  }

  close() {
    this.readyState = 2;
  }

  emit(type, data) {
    this.listeners[type]?.({ data: JSON.stringify(data) });
  }

  refuse() {
    this.readyState = 2;
    this.onerror();
  }
}

let page;
let timers;
let stops;

beforeEach(() => {
  page = installPage();
  timers = installTimers();
  stops = [];
  FakeEventSource.opened = [];
  globalThis.EventSource = FakeEventSource;
});
afterEach(async () => {
  for (const stop of stops) stop();
  await settle();
  timers.remove();
  page.remove();
  delete globalThis.EventSource;
});

function listen(topic) {
  const events = [];
  stops.push(subscribe(topic, (event) => events.push(event)));
  return events;
}

const current = () => FakeEventSource.opened.at(-1);

describe("live updates", () => {
  test("use one stream for all topics", async () => {
    const calls = listen("calls:acme/support");
    const jobs = listen("jobs:acme/support");
    const others = listen("calls:acme/other");
    await settle();
    assert.equal(FakeEventSource.opened.length, 1);
    assert.equal(current().url.pathname, "/prefix/api/v1/stream");
    assert.equal(current().url.searchParams.get("topics"), "calls:acme/other,calls:acme/support,jobs:acme/support");
    current().onopen();
    assert.equal(live.value, true);
    current().emit("calls", { project: "acme/support", count: 3 });
    assert.deepEqual(calls.map(({ data }) => data.count), [3]);
    assert.deepEqual([jobs, others], [[], []]);
  });

  test("close the stream with the last listener", async () => {
    listen("calls:acme/support");
    await settle();
    const stream = current();
    stops.pop()();
    await settle();
    assert.equal(stream.readyState, 2);
    assert.equal(FakeEventSource.opened.length, 1);
  });

  test("tell all listeners when events may have been missed", async () => {
    const calls = listen("calls:acme/support");
    await settle();
    current().emit("resync", {});
    assert.deepEqual(calls.map(({ type }) => type), ["resync"]);
  });

  test("come back after a refusal, ever later, and then resync", async () => {
    const calls = listen("calls:acme/support");
    await settle();
    timers.waits.length = 0;
    for (let time = 0; time < 3; time += 1) {
      current().refuse();
      await settle();
    }
    assert.equal(FakeEventSource.opened.length, 4);
    const [first, second, third] = timers.waits;
    assert.ok(first >= 750 && first <= 1250 && second > first && third > second, timers.waits.join());
    current().onopen();
    assert.deepEqual(calls.map(({ type }) => type), ["resync"]);
  });

  test("leave reconnecting to the browser while it tries", async () => {
    listen("calls:acme/support");
    await settle();
    current().onerror();
    await settle();
    assert.equal(FakeEventSource.opened.length, 1);
  });

  test("stop in hidden tabs and resync when they are shown", async () => {
    const calls = listen("calls:acme/support");
    await settle();
    const stream = current();
    document.hidden = true;
    page.emit("visibilitychange");
    await settle();
    assert.equal(stream.readyState, 2);
    document.hidden = false;
    page.emit("visibilitychange");
    assert.equal(FakeEventSource.opened.length, 2);
    current().onopen();
    assert.deepEqual(calls.map(({ type }) => type), ["resync"]);
  });
});
