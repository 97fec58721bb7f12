// Access control of the objects, tables and files of a project: outsiders cannot see them, viewers cannot change
// them. The table contains every operation of the API document under these tags.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ProjectClient, form, expectOk, expectRefusal } from "./support/objects.mjs";
import { addMember, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

const TAGS = ["objects", "tables", "files"];

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const upload = (path) => (project) => project.upload(path, "text");
const reads = true;

/** For each operation: its request to a project with the content `made`, and whether it only reads. */
const TABLE = {
  "POST /obj/create": { ask: (project) => project.create("x", 2) },
  "POST /obj/read": { reads, ask: (project) => project.read("x") },
  "POST /obj/delete": { ask: (project) => project.post("/obj/delete", { object_id: "x" }) },
  "POST /objs/query": { reads, ask: (project) => project.post("/objs/query") },
  "PUT /objs/{object_id}/versions/{digest}/tags": {
    ask: (project) => project.put("/objs/x/versions/v0/tags", { tags: ["t"] }),
  },
  "POST /objs/{object_id}/versions/{digest}/tags/remove": {
    ask: (project) => project.post("/objs/x/versions/v0/tags/remove", { tags: ["t"] }),
  },
  "PUT /objs/{object_id}/aliases": {
    ask: (project) => project.put("/objs/x/aliases", { digest: "v0", aliases: ["a"] }),
  },
  "POST /objs/{object_id}/aliases/remove": {
    ask: (project) => project.post("/objs/x/aliases/remove", { aliases: ["a"] }),
  },
  "GET /tags": { reads, ask: (project) => project.get("/tags") },
  "GET /aliases": { reads, ask: (project) => project.get("/aliases") },
  "POST /table/create": {
    ask: (project) =>
      project.send("POST", "/table/create", { table: { project_id: project.project, rows: [{ a: 2 }] } }),
  },
  "POST /table/update": {
    ask: (project, made) => project.post("/table/update", { base_digest: made.table, updates: [] }),
  },
  "POST /table/create_from_digests": {
    ask: (project) => project.post("/table/create_from_digests", { row_digests: [] }),
  },
  "POST /table/query": {
    reads,
    ask: (project, made) => project.post("/table/query", { digest: made.table }),
  },
  "POST /table/query_stats": {
    reads,
    ask: (project, made) => project.post("/table/query_stats", { digest: made.table }),
  },
  "POST /table/query_stats_batch": {
    reads,
    ask: (project, made) => project.post("/table/query_stats_batch", { digests: [made.table] }),
  },
  "POST /refs/read_batch": {
    reads,
    ask: (project, made) =>
      project.send("POST", "/refs/read_batch", { refs: [project.ref("object", "x", made.object)] }),
  },
  "POST /file/create": { ask: upload("/file/create") },
  "POST /files/create": { ask: upload("/files/create") },
  "POST /file/content": {
    reads,
    ask: (project, made) => project.post("/file/content", { digest: made.file }),
  },
  "POST /files/content": {
    reads,
    ask: (project, made) => project.post("/files/content", { digest: made.file }),
  },
  "POST /files/query_stats": { reads, ask: (project) => project.post("/files/query_stats") },
  "POST /files/stats": { reads, ask: (project) => project.post("/files/stats") },
};

/** Creates a project that contains data of every kind. */
async function populatedProject() {
  const { name } = await makeTeam(server);
  const project = new ProjectClient(server, `${name}/lab`);
  const made = {
    object: await project.publish("x", 1),
    table: (await project.table([{ a: 1 }])).digest,
    file: expectOk(await project.upload("/file/create", "secret")).digest,
  };
  return { team: name, project, made };
}

/** Returns a response without the headers that differ between any two responses. */
function visibleParts({ status, headers, text }) {
  const { date, "x-request-id": id, ...rest } = headers;
  return { status, headers: rest, text };
}

/** Reads all data of a project. */
async function snapshot(project) {
  const answers = await Promise.all([
    project.post("/objs/query", { include_tags_and_aliases: true }),
    project.get("/tags"),
    project.post("/files/stats"),
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
      const { project, made } = await populatedProject();
      const answer = await ask(project.as(null), made);
      assert.equal(answer.status, 401, answer.text);
      assert.deepEqual(answer.json, { detail: "Not authenticated" });
    });

    test("returns the same 404 to outsiders whether the project exists or not, and changes nothing", async () => {
      const { team, project, made } = await populatedProject();
      const before = await snapshot(project);
      const outsider = await makeUser(server, "outsider");
      await makeTeam(server, { admin: outsider.username });
      const hidden = await ask(project.as(outsider.key), made);
      expectRefusal(hidden, 404, "Project not found");
      for (const missing of [`${team}/none`, "no-such-team/lab"]) {
        const answer = await ask(project.withProject(missing).as(outsider.key), made);
        assert.deepEqual(visibleParts(answer), visibleParts(hidden));
      }
      assert.deepEqual(await snapshot(project), before);
    });

    test(`is ${only ? "allowed" : "forbidden"} for viewers and allowed for members`, async () => {
      const { team, project, made } = await populatedProject();
      const viewer = await makeMember(server, team, "VIEWER");
      const before = await snapshot(project);
      const answer = await ask(project.as(viewer.key), made);
      assert.equal(answer.status, only ? 200 : 403, answer.text);
      assert.deepEqual(await snapshot(project), before);
      const member = await makeMember(server, team, "MEMBER");
      const allowed = await ask(project.as(member.key), made);
      assert.equal(allowed.status, 200, allowed.text);
    });
  });
}

describe("a user removed from the team", () => {
  test("is an outsider at the next request", async () => {
    const { team, project, made } = await populatedProject();
    const member = await makeUser(server);
    await addMember(server, team, member.username, "MEMBER");
    const theirs = project.as(member.key);
    assert.equal((await theirs.post("/file/content", { digest: made.file })).text, "secret");
    const path = `/api/v1/teams/${team}/members/${member.username}`;
    assert.equal((await server.api("DELETE", path)).status, 204);
    expectRefusal(await theirs.post("/file/content", { digest: made.file }), 404, "Project not found");
  });
});

describe("forms", () => {
  test("with the name of another team's project are rejected like other requests", async () => {
    const { project } = await populatedProject();
    const outsider = await makeUser(server);
    const { body, headers } = form({ project_id: project.project, file: { name: "x", bytes: "x" } });
    expectRefusal(
      await server.api("POST", "/files/create", { body, headers, key: outsider.key }),
      404,
      "Project not found",
    );
  });
});
