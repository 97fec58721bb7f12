// The hooks on the cache: sharing, old data while new comes, abort, pages, changes.

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";

const { h, render, useQuery, usePages, useMutation, queries, invalidate, ApiError } = await importSources(
  "../node_modules/preact/dist/preact.mjs",
  "api/cache.ts",
  "api/errors.ts",
);

const mounted = [];
afterEach(() => {
  for (const root of mounted.splice(0)) render(null, root);
  queries.clear();
});

/** Renders a component that shows nothing; `states` collects what its hook returns. */
function mount(hook, props = {}) {
  const root = { nodeType: 1, namespaceURI: null, childNodes: [], firstChild: null };
  const states = [];
  const Probe = (given) => {
    states.push(hook(given));
    return null;
  };
  const update = (next) => render(h(Probe, next), root);
  update(props);
  mounted.push(root);
  return { states, update, unmount: () => render(null, root), last: () => states.at(-1) };
}

/** Waits until a condition holds; effects of Preact run after a frame. */
async function until(condition) {
  const end = Date.now() + 30_000;
  while (!condition()) {
    assert.ok(Date.now() < end, "the condition never held");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function deferred() {
  let resolve;
  let reject;
  const promise = new Promise((done, fail) => {
    resolve = done;
    reject = fail;
  });
  return { promise, resolve, reject };
}

describe("a read", () => {
  test("loads, then has data", async () => {
    const probe = mount(() => useQuery({ key: ["a"], read: async () => 7 }));
    assert.deepEqual([probe.last().loading, probe.last().data], [true, undefined]);
    await until(() => probe.last().data === 7);
    assert.equal(probe.last().loading, false);
  });

  test("is shared by equal keys", async () => {
    let reads = 0;
    const read = async () => (reads += 1);
    const one = mount(() => useQuery({ key: ["shared", { a: 1 }], read }));
    const two = mount(() => useQuery({ key: ["shared", { a: 1 }], read }));
    await until(() => one.last().data && two.last().data);
    assert.equal(reads, 1);
  });

  test("keeps old data while the data of another key comes", async () => {
    const second = deferred();
    const probe = mount(({ id }) => useQuery({ key: ["item", id], read: () => (id === 1 ? Promise.resolve("one") : second.promise) }), { id: 1 });
    await until(() => probe.last().data === "one");
    probe.update({ id: 2 });
    assert.deepEqual([probe.last().data, probe.last().outdated, probe.last().loading], ["one", true, false]);
    second.resolve("two");
    await until(() => probe.last().data === "two");
    assert.equal(probe.last().outdated, false);
  });

  test("can begin empty for another key", async () => {
    const probe = mount(({ id }) => useQuery({ key: ["item", id], read: async () => id, keep: false }), { id: 1 });
    await until(() => probe.last().data === 1);
    probe.update({ id: 2 });
    assert.equal(probe.last().data, undefined);
    await until(() => probe.last().data === 2);
  });

  test("shows errors of the API and can be repeated", async () => {
    let fails = true;
    const probe = mount(() =>
      useQuery({
        key: ["failing"],
        read: async () => {
          if (fails) throw new ApiError(500, "words", null, "r1");
          return "fine";
        },
      }),
    );
    await until(() => probe.last().error);
    assert.deepEqual([probe.last().error.message, probe.last().error.requestId], ["words", "r1"]);
    fails = false;
    probe.last().refetch();
    await until(() => probe.last().data === "fine");
    assert.equal(probe.last().error, null);
  });

  test("is aborted when nobody shows it any more", async () => {
    let given;
    const probe = mount(() =>
      useQuery({
        key: ["slow"],
        read: (signal) => {
          given = signal;
          return new Promise(() => undefined);
        },
      }),
    );
    await until(() => given);
    probe.unmount();
    await until(() => given.aborted);
  });

  test("that is not enabled reads nothing", async () => {
    const probe = mount(() => useQuery({ key: ["off"], read: () => assert.fail("read"), enabled: false }));
    assert.equal(probe.last().loading, false);
  });

  test("is repeated when it is out of date", async () => {
    let reads = 0;
    const probe = mount(() => useQuery({ key: ["list", "acme/support"], read: async () => (reads += 1), staleTime: 60_000 }));
    await until(() => probe.last().data === 1);
    await invalidate(["list"]);
    await until(() => probe.last().data === 2);
  });
});

describe("pages", () => {
  test("are read one after the other and shown as one list", async () => {
    const all = { "": [["a", "b"], "c1"], c1: [["c"], null] };
    const probe = mount(() =>
      usePages({ key: ["letters"], read: async (cursor) => ({ items: all[cursor][0], next_cursor: all[cursor][1] }) }),
    );
    await until(() => probe.last().items.length === 2);
    assert.equal(probe.last().hasMore, true);
    probe.last().more();
    await until(() => probe.last().items.length === 3);
    assert.deepEqual([probe.last().items, probe.last().hasMore], [["a", "b", "c"], false]);
  });
});

describe("a change", () => {
  test("reports its result and reads again what it changed", async () => {
    let value = 1;
    const list = mount(() => useQuery({ key: ["value"], read: async () => value, staleTime: 60_000 }));
    await until(() => list.last().data === 1);
    const done = [];
    const probe = mount(() =>
      useMutation({ change: async (next) => (value = next), invalidates: [["value"]], done: (result) => done.push(result) }),
    );
    assert.equal(await probe.last().run(5), 5);
    assert.deepEqual(done, [5]);
    await until(() => list.last().data === 5);
  });

  test("that fails rejects, and says why", async () => {
    const probe = mount(() =>
      useMutation({
        change: async () => {
          throw new ApiError(409, "taken");
        },
      }),
    );
    await assert.rejects(probe.last().run(), { message: "taken" });
    await until(() => probe.last().error);
    assert.deepEqual([probe.last().error.message, probe.last().pending], ["taken", false]);
  });
});
