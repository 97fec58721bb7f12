// /obj/*, /objs/query, tags and aliases.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectMembers, expectTimestamp, expectViolations } from "./support/expect.mjs";
import { ProjectClient, expectOk, expectRefusal } from "./support/objects.mjs";
import { startServer } from "./support/server.mjs";

const A1 = "XdhgKMbg1k4iUYb5astpM4ssWXZN95FiEH9cS7NNExA"; // of {"a":1}
const A2 = "5anVsDAOD1DTcuWp3fokIIqsmpQM6aNvJHOHIhriBf4"; // of {"a":2}
const MODEL = { _class_name: "MyModel", _bases: ["Model", "Object", "BaseModel"], n: 1 };
const OP = { _type: "CustomSvcType", svc_type: { type: "Op" }, files: { "obj.py": "x" } };

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const fresh = () => new ProjectClient(server);
const names = (objs) => objs.map((obj) => `${obj.object_id}:v${obj.version_index}`);

describe("publishing", () => {
  const VECTORS = [
    ['{"a":1}', A1],
    ['{"a":2}', A2],
    ['"str"', "cklbDh88bJYfRtPySc6WisdYxDuI5Q0yqhOGgfijiAQ"],
    ["5", "7y0SfeN7lCuq0GFF5UsMYZofIjJ7LrvPvsePVWSv450"],
    ["1.5", "nymhMEOLgRcLkqQmUPmpQpHsrWC9R68qOIbnX39yhyU"],
    ["[1,2]", "OjFtbTImXEweRuREf6jVYYALY0obxkmBUlI81KYCtps"],
    ["null", "dCNOmKYnSYX12vHzasLXiswzlGT5UHA7jAGYkvmCuQs"],
    ["true", "tb6kG2xiP3wJ8b8k3K5Y66s8DN2QrZZrxDpFtEhn4Ss"],
    [
      '{"z":[1,2.0,1e-05,1e22,true,null,"é😀\\"\\\\/\\n"],"a":{"B":1,"a":-0.0}}',
      "u8OhNs6Qy8AS1NcJX7zLjHBoH7cAXLR6Jtg1b8fYEOI",
    ],
  ];
  for (const [val, digest] of VECTORS) {
    test(`returns the documented digest of ${val}`, async () => {
      const project = fresh();
      const body = `{"obj":{"project_id":"${project.project}","object_id":"x","val":${val}}}`;
      const answer = expectOk(await project.send("POST", "/obj/create", body));
      assert.deepEqual(answer, { digest, object_id: "x" });
      assert.deepEqual((await project.object("x", digest)).val, JSON.parse(val));
    });
  }

  test("keeps integers beyond the precision of a double", async () => {
    const project = fresh();
    const body = `{"obj":{"project_id":"${project.project}","object_id":"x","val":[12345678901234567890123]}}`;
    expectOk(await project.send("POST", "/obj/create", body));
    assert.ok((await project.read("x")).text.includes('"val":[12345678901234567890123]'));
  });

  test("stores nothing when the client expects another digest", async () => {
    const project = fresh();
    expectRefusal(
      await project.create("x", { a: 1 }, { expected_digest: A2 }),
      409,
      `Client obj 'x' digest ${A2} != server digest ${A1}`,
    );
    assert.deepEqual(await project.objects(), []);
    assert.equal(await project.publish("x", { a: 1 }, { expected_digest: A1 }), A1);
  });

  test("reports every missing member", async () => {
    expectViolations(
      await server.api("POST", "/obj/create", { body: {} }),
      ["missing", "body", "obj"],
    );
    expectViolations(
      await server.api("POST", "/obj/create", { body: { obj: { object_id: 5 } } }),
      ["missing", "body", "obj", "project_id"],
      ["string_type", "body", "obj", "object_id"],
      ["missing", "body", "obj", "val"],
    );
  });

  test("accepts the further members of SDKs, and records the publisher", async () => {
    const project = fresh();
    expectOk(await project.create("x", 1, { svc_user_id: "forged", wb_user_id: null, unknown: [1] }));
    const me = (await server.api("GET", "/api/v1/me")).json;
    assert.equal((await project.object("x")).svc_user_id, me.id);
  });

  test("rejects names with invalid characters as a domain error", async () => {
    const project = fresh();
    expectRefusal(await project.create("a b/c", 1), 422, /' ', '\/'/);
    expectRefusal(await project.create("", 1), 422, /empty/);
    expectRefusal(await project.create("x".repeat(129), 1), 400, /^String too long: /);
    for (const name of ["x".repeat(128), "A.b_c-9"]) await project.publish(name, 1);
  });

  test("derives kind, base class and leaf class from the value", async () => {
    const project = fresh();
    await project.publish("op", OP);
    await project.publish("model", MODEL);
    await project.publish("plain", { _class_name: "Plain" });
    const [op, model, plain] = await project.objects();
    const classes = ({ kind, base_object_class, leaf_object_class }) => [
      kind,
      base_object_class,
      leaf_object_class,
    ];
    assert.deepEqual(classes(op), ["op", null, null]);
    assert.deepEqual(classes(model), ["object", "Model", "MyModel"]);
    assert.deepEqual(classes(plain), ["object", null, "Plain"]);
  });

  test("recognizes ops with vendor names", async () => {
    const project = fresh();
    const op = { _type: "CustomWeaveType", weave_type: { type: "Op" }, files: {} };
    await project.publish("op", op);
    const obj = await project.object("op");
    assert.equal(obj.kind, "op");
    assert.deepEqual(obj.val, op);
  });

  test("validates objects of built-in classes and adds defaults", async () => {
    const project = fresh();
    const provider = { base_url: "http://x", api_key_name: "K" };
    await project.publish("p", provider, { builtin_object_class: "Provider" });
    const obj = await project.object("p");
    assert.deepEqual(obj.val, {
      ...provider,
      _type: "Provider",
      _class_name: "Provider",
      _bases: ["BaseObject", "BaseModel"],
    });
    assert.equal(obj.base_object_class, "Provider");
    await project.publish("q", { b: 1 }, { set_base_object_class: "TestOnlyNestedBaseObject" });
    const wrong = { builtin_object_class: "Provider" };
    expectRefusal(await project.create("r", { base_url: 1, api_key_name: "K" }, wrong), 400, /base_url/);
    expectRefusal(await project.create("r", { base_url: "u" }, wrong), 400, /api_key_name/);
    expectRefusal(await project.create("r", [], wrong), 400, /^Invalid Provider: /);
    expectRefusal(await project.create("r", {}, { builtin_object_class: "Nonsense" }), 400, /Nonsense/);
  });

  test("rejects a name in use by another base class", async () => {
    const project = fresh();
    await project.publish("x", MODEL);
    expectRefusal(await project.create("x", { a: 1 }), 400, /^Cannot publish 'x' as a .*: /);
    await project.publish("y", { a: 1 });
    expectRefusal(await project.create("y", MODEL), 400, /^Cannot publish 'y' as a Model: /);
    await project.publish("x", { ...MODEL, n: 2 });
  });
});

describe("versions", () => {
  test("have every member, nulls included", async () => {
    const project = fresh();
    await project.publish("x", { a: 1 });
    const obj = await project.object("x");
    expectMembers(obj, [
      "project_id", "object_id", "created_at", "deleted_at", "digest", "version_index", "is_latest",
      "kind", "base_object_class", "leaf_object_class", "val", "svc_user_id", "size_bytes", "tags",
      "aliases",
    ]);
    expectTimestamp(obj.created_at);
    assert.equal(obj.project_id, project.project);
    assert.equal(obj.is_latest, 1);
    for (const name of ["deleted_at", "size_bytes", "tags", "aliases"]) assert.equal(obj[name], null);
  });

  test("are found by digest, `latest`, number and alias", async () => {
    const project = fresh();
    await project.publish("x", { a: 1 });
    await project.publish("x", { a: 2 });
    expectOk(await project.put("/objs/x/aliases", { digest: A1, aliases: ["first"] }));
    assert.deepEqual((await project.object("x", "latest")).val, { a: 2 });
    for (const name of [A1, "v0", "first"]) {
      const obj = await project.object("x", name);
      assert.deepEqual([obj.val, obj.version_index, obj.is_latest], [{ a: 1 }, 0, 0]);
    }
    expectRefusal(await project.read("x", "v2"), 404, "Obj x:v2 not found");
    expectRefusal(await project.read("y"), 404, "Obj y:latest not found");
  });

  test("have no value in metadata-only responses", async () => {
    const project = fresh();
    await project.publish("x", { a: 1 });
    assert.deepEqual((await project.object("x", "latest", { metadata_only: true })).val, {});
    assert.deepEqual((await project.objects({ metadata_only: true }))[0].val, {});
  });

  test("keep digest and number when the same content is published again, and become latest", async () => {
    const project = fresh();
    await project.publish("x", { a: 1 });
    await project.publish("x", { a: 2 });
    assert.equal(await project.publish("x", { a: 1 }), A1);
    const objs = await project.objects();
    assert.deepEqual(names(objs), ["x:v0", "x:v1"]);
    assert.deepEqual(objs.map((obj) => obj.is_latest), [1, 0]);
  });

  test("that are published concurrently get unique consecutive numbers", async () => {
    const project = fresh();
    await Promise.all(Array.from({ length: 20 }, (_, i) => project.publish("x", { i })));
    const objs = await project.objects();
    assert.deepEqual(objs.map((obj) => obj.version_index).sort((a, b) => a - b), [...Array(20).keys()]);
    assert.equal(objs.filter((obj) => obj.is_latest === 1).length, 1);
  });
});

describe("deleting", () => {
  test("returns the deleted digests; later reads report the deletion", async () => {
    const project = fresh();
    await project.publish("m", MODEL);
    await project.publish("m", { ...MODEL, n: 2 });
    const digest = (await project.object("m", "v1")).digest;
    assert.deepEqual(expectOk(await project.post("/obj/delete", { object_id: "m", digests: ["latest"] })), {
      num_deleted: 1,
      deleted_versions: [
        { digest, base_object_class: "Model", leaf_object_class: "MyModel" },
      ],
    });
    const answer = await project.read("m", digest);
    const { deleted_at } = answer.json;
    expectTimestamp(deleted_at);
    expectRefusal(answer, 404, `m:v1 was deleted at ${deleted_at}`, { deleted_at });
    assert.equal((await project.object("m")).version_index, 0);
    assert.deepEqual(names(await project.objects()), ["m:v0"]);
  });

  test("is all or nothing", async () => {
    const project = fresh();
    await project.publish("x", { a: 1 });
    expectRefusal(await project.post("/obj/delete", { object_id: "x", digests: ["v0", "v9"] }), 404, /v9/);
    expectRefusal(await project.post("/obj/delete", { object_id: "y" }), 404, /y/);
    expectRefusal(
      await project.post("/obj/delete", { object_id: "x", digests: Array(101).fill("v0") }),
      400,
      /100/,
    );
    assert.equal((await project.objects()).length, 1);
    assert.equal(expectOk(await project.post("/obj/delete", { object_id: "x", digests: null })).num_deleted, 1);
    expectRefusal(await project.post("/obj/delete", { object_id: "x", digests: [A1] }), 404, /not found/);
  });

  test("keeps numbers reserved, and publishing restores content", async () => {
    const project = fresh();
    for (const a of [1, 2, 3]) await project.publish("x", { a });
    const before = (await project.object("x", "v0")).created_at;
    expectOk(await project.post("/obj/delete", { object_id: "x" }));
    assert.deepEqual(await project.objects(), []);
    await project.publish("x", { a: 1 });
    const [back] = await project.objects();
    assert.deepEqual([back.version_index, back.is_latest, back.deleted_at], [0, 1, null]);
    assert.ok(back.created_at > before);
    await project.publish("x", { a: 4 });
    assert.equal((await project.object("x")).version_index, 3);
  });
});

describe("listing", () => {
  let project;
  before(async () => {
    project = fresh();
    await project.publish("b", { a: 1 });
    await project.publish("b", { a: 2 });
    await project.publish("model", MODEL);
    await project.publish("op", OP);
    await project.publish("a", { a: 1 });
    expectOk(await project.put("/objs/b/versions/v0/tags", { tags: ["reviewed"] }));
    expectOk(await project.put("/objs/b/aliases", { digest: "v0", aliases: ["prod"] }));
  });

  const FILTERS = [
    [undefined, ["b:v0", "b:v1", "model:v0", "op:v0", "a:v0"]],
    [null, ["b:v0", "b:v1", "model:v0", "op:v0", "a:v0"]],
    [{}, ["b:v0", "b:v1", "model:v0", "op:v0", "a:v0"]],
    [{ base_object_classes: ["Model", "X"] }, ["model:v0"]],
    [{ exclude_base_object_classes: ["Model"] }, ["b:v0", "b:v1", "op:v0", "a:v0"]],
    [{ leaf_object_classes: ["MyModel"] }, ["model:v0"]],
    [{ object_ids: ["a", "b", "none"] }, ["b:v0", "b:v1", "a:v0"]],
    [{ is_op: true }, ["op:v0"]],
    [{ is_op: false, latest_only: true }, ["b:v1", "model:v0", "a:v0"]],
    [{ latest_only: true }, ["b:v1", "model:v0", "op:v0", "a:v0"]],
    [{ aliases: ["latest"] }, ["b:v1", "model:v0", "op:v0", "a:v0"]],
    [{ aliases: ["prod"] }, ["b:v0"]],
    [{ tags: ["reviewed", "none"] }, ["b:v0"]],
    [{ tags: ["reviewed"], latest_only: true }, []],
  ];
  for (const [filter, expected] of FILTERS) {
    test(`with ${JSON.stringify(filter)} gives ${expected.join(" ") || "nothing"}`, async () => {
      assert.deepEqual(names(await project.objects({ filter })), expected);
    });
  }

  const by = (field, direction) => ({ sort_by: [{ field, direction }] });
  const ORDERS = [
    [by("object_id", "asc"), ["a:v0", "b:v0", "b:v1", "model:v0", "op:v0"]],
    [by("object_id", "desc"), ["op:v0", "model:v0", "b:v0", "b:v1", "a:v0"]],
    [by("created_at", "desc"), ["a:v0", "op:v0", "model:v0", "b:v1", "b:v0"]],
    [by("digest", "desc"), ["b:v0", "b:v1", "model:v0", "op:v0", "a:v0"]],
    [{ limit: 2, offset: 1 }, ["b:v1", "model:v0"]],
    [{ limit: 0 }, []],
    [{ offset: 4 }, ["a:v0"]],
    [{ offset: 9 }, []],
  ];
  for (const [more, expected] of ORDERS) {
    test(`with ${JSON.stringify(more)} is ${expected.join(" ") || "empty"}`, async () => {
      assert.deepEqual(names(await project.objects(more)), expected);
    });
  }

  test("includes sizes, tags and aliases on request", async () => {
    const [first, second] = await project.objects({
      include_storage_size: true,
      include_tags_and_aliases: true,
    });
    assert.equal(first.size_bytes, '{"a": 1}'.length);
    assert.deepEqual([first.tags, first.aliases], [["reviewed"], ["prod"]]);
    assert.deepEqual([second.tags, second.aliases], [[], ["latest"]]);
    const [plain] = await project.objects();
    assert.deepEqual([plain.size_bytes, plain.tags, plain.aliases], [null, null, null]);
  });

  test("rejects unsupported options", async () => {
    expectRefusal(await project.post("/objs/query", { limit: -1 }), 400, "Limit must be a positive integer");
    expectRefusal(await project.post("/objs/query", { offset: -1 }), 400, "Offset must be a positive integer");
    expectRefusal(
      await project.post("/objs/query", { filter: { object_ids: Array(1001).fill("x") } }),
      400,
      /1000/,
    );
    expectViolations(
      await project.post("/objs/query", {
        filter: { tags: "x", is_op: "maybe" },
        sort_by: [{ field: "created_at", direction: "up" }],
        limit: 1.5,
      }),
      ["list_type", "body", "filter", "tags"],
      ["bool_parsing", "body", "filter", "is_op"],
      ["literal_error", "body", "sort_by", 0, "direction"],
      ["int_from_float", "body", "limit"],
    );
    expectViolations(await server.api("POST", "/objs/query", { body: {} }), [
      "missing",
      "body",
      "project_id",
    ]);
  });
});

describe("tags and aliases", () => {
  test("of a version are added, repeated and removed", async () => {
    const project = fresh();
    await project.publish("x", { a: 1 });
    const path = `/objs/x/versions/${A1}/tags`;
    assert.deepEqual(expectOk(await project.put(path, { tags: ["two words", "prod"] })), {});
    assert.deepEqual(expectOk(await project.put(path, { tags: ["prod"] })), {});
    const labels = { include_tags_and_aliases: true };
    assert.deepEqual((await project.object("x", A1, labels)).tags, ["prod", "two words"]);
    assert.deepEqual(expectOk(await project.get("/tags")), { tags: ["prod", "two words"] });
    assert.deepEqual(expectOk(await project.post(`${path}/remove`, { tags: ["prod", "never"] })), {});
    assert.deepEqual((await project.object("x", A1, labels)).tags, ["two words"]);
  });

  test("move between versions; an alias names one version at a time", async () => {
    const project = fresh();
    await project.publish("x", { a: 1 });
    await project.publish("x", { a: 2 });
    expectOk(await project.put("/objs/x/aliases", { digest: A1, aliases: ["prod", "eu west"] }));
    expectOk(await project.put("/objs/x/aliases", { digest: A2, aliases: ["prod"] }));
    const labels = { include_tags_and_aliases: true };
    assert.deepEqual((await project.object("x", "v0", labels)).aliases, ["eu west"]);
    assert.deepEqual((await project.object("x", "prod", labels)).aliases, ["latest", "prod"]);
    assert.deepEqual(expectOk(await project.get("/aliases")), { aliases: ["eu west", "latest", "prod"] });
    assert.deepEqual(expectOk(await project.post("/objs/x/aliases/remove", { aliases: ["prod"] })), {});
    expectRefusal(await project.read("x", "prod"), 404, "Obj x:prod not found");
  });

  test("are deleted with their version", async () => {
    const project = fresh();
    await project.publish("x", { a: 1 });
    expectOk(await project.put("/objs/x/versions/v0/tags", { tags: ["t"] }));
    expectOk(await project.put("/objs/x/aliases", { digest: "v0", aliases: ["a"] }));
    expectOk(await project.post("/obj/delete", { object_id: "x", digests: ["a"] }));
    assert.deepEqual(expectOk(await project.get("/tags")), { tags: [] });
    assert.deepEqual(expectOk(await project.get("/aliases")), { aliases: [] });
    await project.publish("x", { a: 1 });
    const { tags, aliases } = await project.object("x", A1, { include_tags_and_aliases: true });
    assert.deepEqual([tags, aliases], [[], ["latest"]]);
  });

  test("that are invalid are rejected", async () => {
    const project = fresh();
    await project.publish("x", { a: 1 });
    for (const tag of ["", " a", "a  b", "a.b", "é", "a".repeat(257)]) {
      expectRefusal(await project.put("/objs/x/versions/v0/tags", { tags: [tag] }), 400, /^Invalid tag/);
    }
    for (const alias of ["", " ", "a/b", "a:b", "v3", "latest", "a".repeat(129)]) {
      const body = { digest: "v0", aliases: [alias] };
      expectRefusal(await project.put("/objs/x/aliases", body), 400, /^Invalid alias/);
    }
    for (const path of ["/objs/x/versions/v9/tags", "/objs/y/versions/v0/tags"]) {
      expectRefusal(await project.put(path, { tags: ["t"] }), 404, /not found/);
      expectRefusal(await project.post(`${path}/remove`, { tags: ["t"] }), 404, /not found/);
    }
    expectRefusal(await project.put("/objs/x/aliases", { digest: A2, aliases: ["a"] }), 404, /not found/);
    expectViolations(
      await server.api("PUT", "/objs/x/versions/v0/tags", { body: { tags: "t" } }),
      ["missing", "body", "project_id"],
      ["list_type", "body", "tags"],
    );
    expectViolations(
      await server.api("PUT", "/objs/x/aliases", { body: {} }),
      ["missing", "body", "project_id"],
      ["missing", "body", "digest"],
      ["missing", "body", "aliases"],
    );
    expectViolations(await server.api("GET", "/tags"), ["missing", "query", "project_id"]);
    expectViolations(await server.api("GET", "/aliases"), ["missing", "query", "project_id"]);
  });
});
