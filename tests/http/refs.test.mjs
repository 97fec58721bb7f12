// References: their internal and external forms, and /refs/read_batch.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectViolations } from "./support/expect.mjs";
import { ProjectClient, expectOk, expectRefusal } from "./support/objects.mjs";
import { addMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

const VENDOR_AGENT = { "user-agent": "weave-js/0.10.0 JS Client 0.10.0" };

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const fresh = () => new ProjectClient(server);
const read = (project, ...refs) => project.send("POST", "/refs/read_batch", { refs });
const values = async (project, ...refs) => expectOk(await read(project, ...refs)).vals;

describe("references inside values", () => {
  test("are returned unchanged, also inside JSON strings", async () => {
    const project = fresh();
    const ref = project.ref("object", "x", await project.publish("x", 1));
    const val = { ref, list: [ref], text: JSON.stringify({ inner: ref }), prose: `see ${ref}`, [ref]: 1 };
    await project.publish("holder", val);
    assert.deepEqual((await project.object("holder")).val, val);
    const { digest } = await project.table([{ ref }]);
    assert.deepEqual((await project.rows(digest))[0].val, { ref });
  });

  test("are hashed in their internal form", async () => {
    const project = fresh();
    const ref = project.ref("object", "x", await project.publish("x", 1));
    const here = await project.publish("holder", { ref });
    const there = project.withProject();
    await there.publish("x", 1);
    assert.notEqual(await there.publish("holder", { ref: there.ref("object", "x", "d") }), here);
    assert.equal(await there.publish("same", { ref }), here);
  });

  test("are shown as private to users who cannot read the project", async () => {
    const { name } = await makeTeam(server);
    const reader = await makeUser(server, "reader");
    await addMember(server, name, reader.username, "MEMBER");
    const secret = fresh();
    const digest = await secret.publish("x", { n: 1 });
    const ref = `${secret.ref("object", "x", digest)}/key/n`;
    const shared = new ProjectClient(server, `${name}/shared`);
    const holder = await shared.publish("holder", { ref });
    const table = (await shared.table([{ ref }])).digest;
    const theirs = shared.as(reader.key);
    const hidden = `svc-private://///object/x:${digest}/key/n`;
    assert.deepEqual((await theirs.object("holder")).val, { ref: hidden });
    assert.deepEqual((await theirs.objects())[0].val, { ref: hidden });
    assert.deepEqual((await theirs.rows(table))[0].val, { ref: hidden });
    assert.deepEqual(await values(theirs, shared.ref("object", "holder", holder)), [{ ref: hidden }]);
    assert.deepEqual((await shared.object("holder")).val, { ref });
  });

  test("to projects that the writer cannot read stay plain text", async () => {
    const writer = await makeUser(server, "writer");
    const { name } = await makeTeam(server, { admin: writer.username });
    const secret = fresh();
    const ref = secret.ref("object", "x", await secret.publish("x", 1));
    const theirs = new ProjectClient(server, `${name}/own`, writer.key);
    const holder = await theirs.publish("holder", { ref });
    assert.deepEqual((await theirs.object("holder")).val, { ref });
    const inner = `${theirs.ref("object", "holder", holder)}/attr/ref`;
    assert.deepEqual(await values(theirs, inner), [ref]);
    assert.deepEqual(await values(theirs, `${inner}/key/a`), [null]);
    expectRefusal(await read(theirs, ref), 404, "Project not found");
  });

  test("that are malformed, or internal and unreadable, are rejected", async () => {
    const project = fresh();
    for (const ref of ["svc:///", "svc:///team", "svc:///team/project", "weave:///x/y"]) {
      expectRefusal(await project.create("x", { ref }), 400, `Invalid ref: ${ref}`);
      expectRefusal(await project.send("POST", "/table/create", { table: { project_id: project.project, rows: [{ ref }] } }), 400, /^Invalid ref/);
    }
    const internal = "svc-trace-internal:///prj_0000/object/x:y";
    expectRefusal(await project.create("x", internal), 400, `Invalid ref: ${internal}`);
  });

  test("are returned in the wire profile of the client", async () => {
    const project = fresh();
    const digest = await project.publish("x", 1);
    const tail = `:///${project.project}/object/x:${digest}`;
    await project.publish("neutral", `svc${tail}`);
    await project.publish("other", `weave${tail}`);
    for (const name of ["neutral", "other"]) {
      assert.equal((await project.object(name)).val, `svc${tail}`);
      const seen = await project.object(name, "latest", {}, VENDOR_AGENT);
      assert.equal(seen.val, `weave${tail}`);
      assert.ok("wb_user_id" in seen && !("svc_user_id" in seen));
    }
  });
});

describe("reading references", () => {
  test("returns values in the requested order", async () => {
    const project = fresh();
    const x = project.ref("object", "x", await project.publish("x", { a: [1, { b: "c" }] }));
    const y = project.ref("object", "y", await project.publish("y", "text"));
    assert.deepEqual(await values(project), []);
    assert.deepEqual(await values(project, y, x, y), ["text", { a: [1, { b: "c" }] }, "text"]);
    assert.deepEqual(
      await values(project, `${x}/attr/a`, `${x}/key/a/index/1/key/b`, `${x}/key/a/index/9`, `${x}/attr/z/key/y`),
      [[1, { b: "c" }], "c", null, null],
    );
  });

  test("accepts both schemes and percent-encoded names", async () => {
    const project = fresh();
    const digest = await project.publish("x", { "a b/c:d": 1 });
    const ref = project.ref("object", "x", digest);
    assert.deepEqual(await values(project, ref.replace("svc:", "weave:")), [{ "a b/c:d": 1 }]);
    assert.deepEqual(await values(project, `${ref}/key/${encodeURIComponent("a b/c:d")}`), [1]);
  });

  test("returns ops as ops", async () => {
    const project = fresh();
    const digest = await project.publish("f", { _type: "CustomSvcType", svc_type: { type: "Op" } });
    assert.equal((await values(project, project.ref("op", "f", digest)))[0].svc_type.type, "Op");
    expectRefusal(await read(project, project.ref("object", "f", digest)), 404, /^Missing/, {
      missing_object_digests: [digest],
    });
  });

  test("follows references of the same project and stops at others", async () => {
    const project = fresh();
    const inner = project.ref("object", "inner", await project.publish("inner", { deep: { n: 7 } }));
    const away = project.withProject();
    const far = away.ref("object", "far", await away.publish("far", { n: 1 }));
    const digest = await project.publish("outer", { inner, far, list: [inner] });
    const outer = project.ref("object", "outer", digest);
    assert.deepEqual(
      await values(
        project,
        `${outer}/attr/inner`,
        `${outer}/attr/inner/key/deep/key/n`,
        `${outer}/attr/list/index/0/key/deep`,
        `${outer}/attr/list`,
        `${outer}/attr/far`,
        `${outer}/attr/far/key/n`,
      ),
      [{ deep: { n: 7 } }, 7, { n: 7 }, [inner], null, null],
    );
  });

  test("finds rows of datasets", async () => {
    const project = fresh();
    const { digest, row_digests } = await project.table([{ q: "one" }, { q: "two" }]);
    const rows = `svc:///${project.project}/table/${digest}`;
    const data = project.ref("object", "data", await project.publish("data", { rows }));
    assert.deepEqual(
      await values(
        project,
        `${data}/attr/rows/id/${row_digests[1]}`,
        `${data}/attr/rows/id/${row_digests[0]}/key/q`,
        `${data}/attr/rows/id/nope`,
        `${data}/attr/rows`,
      ),
      [{ q: "two" }, "one", null, rows],
    );
  });

  test("returns null for deleted objects and 404 for unknown ones", async () => {
    const project = fresh();
    const x = project.ref("object", "x", await project.publish("x", 1));
    expectOk(await project.post("/obj/delete", { object_id: "x" }));
    assert.deepEqual(await values(project, x), [null]);
    expectRefusal(await read(project, x, project.ref("object", "x", "d1"), project.ref("object", "y", "d2")), 404, /^Missing/, {
      missing_object_digests: ["d1", "d2"],
    });
  });

  test("accepts only object and op references with digests, at most a thousand", async () => {
    const project = fresh();
    const x = project.ref("object", "x", await project.publish("x", 1));
    expectRefusal(await read(project, ...Array(1001).fill(x)), 400, "Too many refs");
    assert.equal((await values(project, ...Array(1000).fill(x))).length, 1000);
    for (const tail of ["table/abc", "call/abc", "object/x:latest", "object/x:v0", "agent_turn/a"]) {
      expectRefusal(await read(project, x, `svc:///${project.project}/${tail}`), 400, /.+/);
    }
    for (const ref of ["", "text", "svc:///a/b", `${x}/what/x`, `${x}/index/x`, "svc-private://///object/x:y"]) {
      expectRefusal(await read(project, ref), 400, /.+/);
    }
    expectViolations(await project.send("POST", "/refs/read_batch", {}), ["missing", "body", "refs"]);
    expectViolations(await project.send("POST", "/refs/read_batch", { refs: [1] }), ["string_type", "body", "refs", 0]);
  });
});
