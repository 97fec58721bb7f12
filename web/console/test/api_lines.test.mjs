// JSON Lines in any chunks.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";
import { installFetch, installPage } from "./support/page.mjs";

const { linesOf, readLines, listCalls } = await importSources("api/lines.ts", "api/calls.ts");

function streamOf(bytes, size) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, (at += size)));
    },
  });
}

async function collect(iterable) {
  const values = [];
  for await (const value of iterable) values.push(value);
  return values;
}

describe("lines", () => {
  const text = '{"a":"Grüße 👋"}\n\n{"b":2}\r\n{"c":[1,2]}';

  test("are whole whatever the chunks are, also inside a character", async () => {
    const bytes = new TextEncoder().encode(text);
    for (let size = 1; size <= bytes.length + 1; size += 1) {
      assert.deepEqual(await collect(linesOf(streamOf(bytes, size))), ['{"a":"Grüße 👋"}', '{"b":2}', '{"c":[1,2]}']);
    }
  });

  test("of an empty answer are none", async () => {
    assert.deepEqual(await collect(linesOf(streamOf(new Uint8Array(), 1))), []);
  });
});

describe("reading lines", () => {
  let page;
  let network;
  beforeEach(() => (page = installPage()));
  afterEach(() => {
    network.remove();
    page.remove();
  });

  test("returns their values", async () => {
    network = installFetch([new Response('{"a":1}\n{"a":2}\n')]);
    assert.deepEqual(await readLines("p", { body: {} }), [{ a: 1 }, { a: 2 }]);
  });

  test("says that an answer was cut off", async () => {
    network = installFetch([new Response('{"a":1}\n{"a":', { headers: { "X-Request-Id": "r7" } })]);
    await assert.rejects(readLines("p"), (error) => error.requestId === "r7" && /cut off/.test(error.message));
  });

  test("of calls separates the cursor from the rows", async () => {
    network = installFetch([new Response('{"id":"1"}\n{"id":"2","next_cursor":"inside"}\n{"next_cursor":"c2"}\n')]);
    const found = await listCalls({ project_id: "acme/support", limit: 2 });
    assert.deepEqual(found, { items: [{ id: "1" }, { id: "2", next_cursor: "inside" }], next_cursor: "c2" });
    assert.equal(JSON.parse(network.requests[0].body).include_cursor, true);
  });
});
