// Who may do what to objects, tables and files of a project: strangers learn nothing, viewers change
// nothing. Every operation of the document under these tags stands in the table below.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ProjectClient, form, good, refused } from "./support/objects.mjs";
import { addMember, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

const TAGS = ["objects", "tables", "files"];

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const upload = (path) => (lab) => lab.upload(path, "text");
const reads = true;

/** How each operation is asked of a project, and whether it only reads. `made` is what is in it. */
const TABLE = {
  "POST /obj/create": { ask: (lab) => lab.create("x", 2) },
  "POST /obj/read": { reads, ask: (lab) => lab.read("x") },
  "POST /obj/delete": { ask: (lab) => lab.post("/obj/delete", { object_id: "x" }) },
  "POST /objs/query": { reads, ask: (lab) => lab.post("/objs/query") },
  "PUT /objs/{object_id}/versions/{digest}/tags": {
    ask: (lab) => lab.put("/objs/x/versions/v0/tags", { tags: ["t"] }),
  },
  "POST /objs/{object_id}/versions/{digest}/tags/remove": {
    ask: (lab) => lab.post("/objs/x/versions/v0/tags/remove", { tags: ["t"] }),
  },
  "PUT /objs/{object_id}/aliases": {
    ask: (lab) => lab.put("/objs/x/aliases", { digest: "v0", aliases: ["a"] }),
  },
  "POST /objs/{object_id}/aliases/remove": {
    ask: (lab) => lab.post("/objs/x/aliases/remove", { aliases: ["a"] }),
  },
  "GET /tags": { reads, ask: (lab) => lab.get("/tags") },
  "GET /aliases": { reads, ask: (lab) => lab.get("/aliases") },
  "POST /table/create": {
    ask: (lab) =>
      lab.send("POST", "/table/create", { table: { project_id: lab.project, rows: [{ a: 2 }] } }),
  },
  "POST /table/update": {
    ask: (lab, made) => lab.post("/table/update", { base_digest: made.table, updates: [] }),
  },
  "POST /table/create_from_digests": {
    ask: (lab) => lab.post("/table/create_from_digests", { row_digests: [] }),
  },
  "POST /table/query": {
    reads,
    ask: (lab, made) => lab.post("/table/query", { digest: made.table }),
  },
  "POST /table/query_stats": {
    reads,
    ask: (lab, made) => lab.post("/table/query_stats", { digest: made.table }),
  },
  "POST /table/query_stats_batch": {
    reads,
    ask: (lab, made) => lab.post("/table/query_stats_batch", { digests: [made.table] }),
  },
  "POST /refs/read_batch": {
    reads,
    ask: (lab, made) =>
      lab.send("POST", "/refs/read_batch", { refs: [lab.ref("object", "x", made.object)] }),
  },
  "POST /file/create": { ask: upload("/file/create") },
  "POST /files/create": { ask: upload("/files/create") },
  "POST /file/content": {
    reads,
    ask: (lab, made) => lab.post("/file/content", { digest: made.file }),
  },
  "POST /files/content": {
    reads,
    ask: (lab, made) => lab.post("/files/content", { digest: made.file }),
  },
  "POST /files/query_stats": { reads, ask: (lab) => lab.post("/files/query_stats") },
  "POST /files/stats": { reads, ask: (lab) => lab.post("/files/stats") },
};

/** A project with something of everything in it. */
async function furnished() {
  const { name } = await makeTeam(server);
  const lab = new ProjectClient(server, `${name}/lab`);
  const made = {
    object: await lab.publish("x", 1),
    table: (await lab.table([{ a: 1 }])).digest,
    file: good(await lab.upload("/file/create", "secret")).digest,
  };
  return { team: name, lab, made };
}

/** Everything an answer tells, without what differs between any two answers. */
function told({ status, headers, text }) {
  const { date, "x-request-id": id, ...rest } = headers;
  return { status, headers: rest, text };
}

/** All that can be seen of a project. */
async function seen(lab) {
  const answers = await Promise.all([
    lab.post("/objs/query", { include_tags_and_aliases: true }),
    lab.get("/tags"),
    lab.post("/files/stats"),
  ]);
  return answers.map((answer) => answer.text);
}

describe("the table", () => {
  test("covers every operation on objects, tables and files", async () => {
    const { paths } = (await server.api("GET", "/openapi.json", { key: null })).json;
    const found = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => operation.tags.some((tag) => TAGS.includes(tag)))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(found.sort(), Object.keys(TABLE).sort());
  });
});

for (const [operation, { ask, reads: only }] of Object.entries(TABLE)) {
  describe(operation, () => {
    test("is 401 without a key", async () => {
      const { lab, made } = await furnished();
      const answer = await ask(lab.as(null), made);
      assert.equal(answer.status, 401, answer.text);
      assert.deepEqual(answer.json, { detail: "Not authenticated" });
    });

    test("does not tell strangers whether the project exists, and changes nothing", async () => {
      const { team, lab, made } = await furnished();
      const before = await seen(lab);
      const stranger = await makeUser(server, "stranger");
      await makeTeam(server, { admin: stranger.username });
      const hidden = await ask(lab.as(stranger.key), made);
      refused(hidden, 404, "Project not found");
      for (const missing of [`${team}/none`, "no-such-team/lab"]) {
        const answer = await ask(lab.beside(missing).as(stranger.key), made);
        assert.deepEqual(told(answer), told(hidden));
      }
      assert.deepEqual(await seen(lab), before);
    });

    test(`is ${only ? "open to" : "closed for"} viewers and open to members`, async () => {
      const { team, lab, made } = await furnished();
      const viewer = await makeMember(server, team, "VIEWER");
      const before = await seen(lab);
      const answer = await ask(lab.as(viewer.key), made);
      assert.equal(answer.status, only ? 200 : 403, answer.text);
      assert.deepEqual(await seen(lab), before);
      const member = await makeMember(server, team, "MEMBER");
      const allowed = await ask(lab.as(member.key), made);
      assert.equal(allowed.status, 200, allowed.text);
    });
  });
}

describe("one who was in the team", () => {
  test("is a stranger again at the next request", async () => {
    const { team, lab, made } = await furnished();
    const member = await makeUser(server);
    await addMember(server, team, member.username, "MEMBER");
    const theirs = lab.as(member.key);
    assert.equal((await theirs.post("/file/content", { digest: made.file })).text, "secret");
    const path = `/api/v1/teams/${team}/members/${member.username}`;
    assert.equal((await server.api("DELETE", path)).status, 204);
    refused(await theirs.post("/file/content", { digest: made.file }), 404, "Project not found");
  });
});

describe("forms", () => {
  test("with the name of another's project are refused like any other request", async () => {
    const { lab } = await furnished();
    const stranger = await makeUser(server);
    const { body, headers } = form({ project_id: lab.project, file: { name: "x", bytes: "x" } });
    refused(
      await server.api("POST", "/files/create", { body, headers, key: stranger.key }),
      404,
      "Project not found",
    );
  });
});
