// Refs: how they are stored and shown, and /refs/read_batch, through the running server.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectViolations } from "./support/expect.mjs";
import { ProjectClient, good, refused } from "./support/objects.mjs";
import { addMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

const VENDOR_AGENT = { "user-agent": "weave-js/0.10.0 JS Client 0.10.0" };

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const fresh = () => new ProjectClient(server);
const read = (lab, ...refs) => lab.send("POST", "/refs/read_batch", { refs });
const values = async (lab, ...refs) => good(await read(lab, ...refs)).vals;

describe("refs inside values", () => {
  test("come back as they went in, also inside JSON text", async () => {
    const lab = fresh();
    const ref = lab.ref("object", "x", await lab.publish("x", 1));
    const val = { ref, list: [ref], text: JSON.stringify({ inner: ref }), prose: `see ${ref}`, [ref]: 1 };
    await lab.publish("holder", val);
    assert.deepEqual((await lab.object("holder")).val, val);
    const { digest } = await lab.table([{ ref }]);
    assert.deepEqual((await lab.rows(digest))[0].val, { ref });
  });

  test("are hashed in their internal form", async () => {
    const lab = fresh();
    const ref = lab.ref("object", "x", await lab.publish("x", 1));
    const here = await lab.publish("holder", { ref });
    const there = lab.beside();
    await there.publish("x", 1);
    assert.notEqual(await there.publish("holder", { ref: there.ref("object", "x", "d") }), here);
    assert.equal(await there.publish("same", { ref }), here);
  });

  test("are shown as private to those who cannot read the project", async () => {
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

  test("into projects that the writer cannot read stay plain text", async () => {
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
    refused(await read(theirs, ref), 404, "Project not found");
  });

  test("that are malformed, or internal and unreadable, are refused", async () => {
    const lab = fresh();
    for (const ref of ["svc:///", "svc:///team", "svc:///team/project", "weave:///x/y"]) {
      refused(await lab.create("x", { ref }), 400, `Invalid ref: ${ref}`);
      refused(await lab.send("POST", "/table/create", { table: { project_id: lab.project, rows: [{ ref }] } }), 400, /^Invalid ref/);
    }
    const internal = "svc-trace-internal:///prj_0000/object/x:y";
    refused(await lab.create("x", internal), 400, `Invalid ref: ${internal}`);
  });

  test("are written in the spelling of the client", async () => {
    const lab = fresh();
    const digest = await lab.publish("x", 1);
    const tail = `:///${lab.project}/object/x:${digest}`;
    await lab.publish("neutral", `svc${tail}`);
    await lab.publish("other", `weave${tail}`);
    for (const name of ["neutral", "other"]) {
      assert.equal((await lab.object(name)).val, `svc${tail}`);
      const seen = await lab.object(name, "latest", {}, VENDOR_AGENT);
      assert.equal(seen.val, `weave${tail}`);
      assert.ok("wb_user_id" in seen && !("svc_user_id" in seen));
    }
  });
});

describe("reading refs", () => {
  test("gives values in the order asked", async () => {
    const lab = fresh();
    const x = lab.ref("object", "x", await lab.publish("x", { a: [1, { b: "c" }] }));
    const y = lab.ref("object", "y", await lab.publish("y", "text"));
    assert.deepEqual(await values(lab), []);
    assert.deepEqual(await values(lab, y, x, y), ["text", { a: [1, { b: "c" }] }, "text"]);
    assert.deepEqual(
      await values(lab, `${x}/attr/a`, `${x}/key/a/index/1/key/b`, `${x}/key/a/index/9`, `${x}/attr/z/key/y`),
      [[1, { b: "c" }], "c", null, null],
    );
  });

  test("takes either spelling, and percent-encoded names", async () => {
    const lab = fresh();
    const digest = await lab.publish("x", { "a b/c:d": 1 });
    const ref = lab.ref("object", "x", digest);
    assert.deepEqual(await values(lab, ref.replace("svc:", "weave:")), [{ "a b/c:d": 1 }]);
    assert.deepEqual(await values(lab, `${ref}/key/${encodeURIComponent("a b/c:d")}`), [1]);
  });

  test("reads ops as ops", async () => {
    const lab = fresh();
    const digest = await lab.publish("f", { _type: "CustomSvcType", svc_type: { type: "Op" } });
    assert.equal((await values(lab, lab.ref("op", "f", digest)))[0].svc_type.type, "Op");
    refused(await read(lab, lab.ref("object", "f", digest)), 404, /^Missing/, {
      missing_object_digests: [digest],
    });
  });

  test("goes on through refs of the same project and ends at others", async () => {
    const lab = fresh();
    const inner = lab.ref("object", "inner", await lab.publish("inner", { deep: { n: 7 } }));
    const away = lab.beside();
    const far = away.ref("object", "far", await away.publish("far", { n: 1 }));
    const digest = await lab.publish("outer", { inner, far, list: [inner] });
    const outer = lab.ref("object", "outer", digest);
    assert.deepEqual(
      await values(
        lab,
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
    const lab = fresh();
    const { digest, row_digests } = await lab.table([{ q: "one" }, { q: "two" }]);
    const rows = `svc:///${lab.project}/table/${digest}`;
    const data = lab.ref("object", "data", await lab.publish("data", { rows }));
    assert.deepEqual(
      await values(
        lab,
        `${data}/attr/rows/id/${row_digests[1]}`,
        `${data}/attr/rows/id/${row_digests[0]}/key/q`,
        `${data}/attr/rows/id/nope`,
        `${data}/attr/rows`,
      ),
      [{ q: "two" }, "one", null, rows],
    );
  });

  test("is null for what was deleted, and 404 for what never was", async () => {
    const lab = fresh();
    const x = lab.ref("object", "x", await lab.publish("x", 1));
    good(await lab.post("/obj/delete", { object_id: "x" }));
    assert.deepEqual(await values(lab, x), [null]);
    refused(await read(lab, x, lab.ref("object", "x", "d1"), lab.ref("object", "y", "d2")), 404, /^Missing/, {
      missing_object_digests: ["d1", "d2"],
    });
  });

  test("takes object and op refs with digests only, a thousand at most", async () => {
    const lab = fresh();
    const x = lab.ref("object", "x", await lab.publish("x", 1));
    refused(await read(lab, ...Array(1001).fill(x)), 400, "Too many refs");
    assert.equal((await values(lab, ...Array(1000).fill(x))).length, 1000);
    for (const tail of ["table/abc", "call/abc", "object/x:latest", "object/x:v0", "agent_turn/a"]) {
      refused(await read(lab, x, `svc:///${lab.project}/${tail}`), 400, /.+/);
    }
    for (const ref of ["", "text", "svc:///a/b", `${x}/what/x`, `${x}/index/x`, "svc-private://///object/x:y"]) {
      refused(await read(lab, ref), 400, /.+/);
    }
    expectViolations(await lab.send("POST", "/refs/read_batch", {}), ["missing", "body", "refs"]);
    expectViolations(await lab.send("POST", "/refs/read_batch", { refs: [1] }), ["string_type", "body", "refs", 0]);
  });
});
