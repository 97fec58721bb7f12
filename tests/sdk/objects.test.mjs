// Objects, prompts and datasets published and read with the real Node SDK.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { startServer } from "../http/support/server.mjs";
import { parseRef, trace, weave } from "./support/sdk.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

describe("an object", () => {
  test("is published, read back and visible to other clients", async () => {
    const traced = await trace(server);
    const value = { temperature: 0.5, nested: { list: [1, 2, "é"] }, none: null };
    const ref = await traced.client.publish({ ...value }, "settings");
    assert.equal(ref.uri(), `weave:///${traced.project}/object/settings:${ref.digest}`);
    assert.deepEqual(await traced.client.get(ref), value);

    const object = await traced.object("settings", ref.digest);
    assert.deepEqual(object.val, value);
    assert.equal(object.version_index, 0);
    assert.equal(object.is_latest, 1);
    assert.equal(object.kind, "object");
  });

  test("has versions by content", async () => {
    const traced = await trace(server);
    const publish = async (value) => (await traced.client.publish({ value }, "thing")).digest;
    const first = await publish(1);
    const second = await publish(2);
    assert.notEqual(first, second);
    assert.equal(await publish(1), first);
    assert.equal((await traced.object("thing", second)).version_index, 1);
    assert.equal((await traced.object("thing")).digest, first);
  });

  test("that does not exist is reported as missing", async () => {
    const traced = await trace(server);
    const ref = new weave.ObjectRef(traced.project, "nothing", "x".repeat(43));
    await assert.rejects(traced.client.get(ref));
  });

  test("of a custom class keeps its class and its ops", async () => {
    const traced = await trace(server);
    class Shouter extends weave.WeaveObject {
      constructor(parameters) {
        super(parameters);
        this.marks = parameters.marks;
        this.shout = weave.op(this, this.shout, { parameterNames: ["text"] });
      }
      async shout(text) {
        return text.toUpperCase() + "!".repeat(this.marks);
      }
    }
    const shouter = new Shouter({ name: "shouter", marks: 2 });
    assert.equal(await shouter.shout("hey"), "HEY!!");
    const call = await traced.callOf("Shouter.shout");
    assert.equal(call.inputs.text, "hey");
    const { kind, name, digest } = parseRef(call.inputs.self);
    assert.deepEqual([kind, name], ["object", "shouter"]);
    const object = await traced.object(name, digest);
    assert.equal(object.leaf_object_class, "Shouter");
    assert.equal(object.val.marks, 2);
    assert.equal(parseRef(object.val.shout).kind, "op");

    const [expanded] = await traced.calls({ expand_columns: ["inputs.self"] });
    assert.equal(expanded.inputs.self.marks, 2);
    const query = { $expr: { $eq: [{ $getField: "inputs.self.marks" }, { $literal: 2 }] } };
    assert.equal((await traced.calls({ query, expand_columns: ["inputs.self"] })).length, 1);
  });
});

describe("a prompt", () => {
  test("is read back as a prompt", async () => {
    const traced = await trace(server);
    const ref = await traced.client.publish(
      new weave.StringPrompt({ name: "greeting", content: "Hello {name}", description: "polite" }),
    );
    const prompt = await traced.client.get(ref);
    assert.ok(prompt instanceof weave.StringPrompt);
    assert.equal(prompt.format({ name: "Ada" }), "Hello Ada");
    const messages = [{ role: "user", content: "Hi {name}" }];
    const other = await traced.client.publish(new weave.MessagesPrompt({ name: "chat", messages }));
    assert.ok((await traced.client.get(other)) instanceof weave.MessagesPrompt);
    assert.equal((await traced.object("chat")).val._class_name, "MessagesPrompt");
  });
});

describe("a dataset", () => {
  const rows = [
    { id: 1, value: 2 },
    { id: 2, value: 3 },
    { id: 3, value: 4 },
  ];

  test("is saved as a table and read back", async () => {
    const traced = await trace(server);
    const ref = await new weave.Dataset({ name: "numbers", rows: structuredClone(rows) }).save();
    const object = await traced.object("numbers", ref.digest);
    assert.equal(object.base_object_class, "Dataset");
    const table = parseRef(object.val.rows);
    assert.equal(table.kind, "table");
    // The digest of these rows in the vendor's service.
    assert.equal(table.name, "03b86e8588d298a1814945664597d94281cb0dbca3b4ff8b0fcff30a6305d33e");
    const stored = await traced.rows(table.name);
    assert.deepEqual(stored.map(({ val }) => val), rows);
    assert.equal(stored[0].digest, "mriP98RC2VPGkzk0QeZZ2hq4pUA8fQnhNlsivPxyYYA");

    const read = await traced.client.get(ref);
    assert.ok(read instanceof weave.Dataset);
    assert.equal(read.length, 3);
    assert.equal(read.getRow(1).value, 3);
  });

  test("is an input by reference to its rows", async () => {
    const traced = await trace(server);
    const dataset = new weave.Dataset({ name: "numbers", rows: structuredClone(rows) });
    await dataset.save();
    const sum = weave.op((row) => row.id + row.value, { name: "sum", parameterNames: ["row"] });
    for await (const row of dataset) await sum(row);
    const calls = await traced.calls();
    assert.deepEqual(calls.map(({ output }) => output), [3, 5, 7]);
    for (const call of calls) {
      assert.match(call.inputs.row, /^svc:\/\/\/.+\/object\/numbers:\w+\/attr\/rows\/id\/\w+$/);
    }
    const { json } = await traced.post("/refs/read_batch", { refs: calls.map(({ inputs }) => inputs.row) });
    assert.deepEqual(json.vals, rows);
  });
});
