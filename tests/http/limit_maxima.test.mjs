// Every input limit at its documented maximum, and bodies at those limits: they are accepted or rejected, and the server keeps running.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { expectServing } from "./support/liveness.mjs";
import { ArtifactProject } from "./support/artifacts.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { runSpindle } from "./support/program.mjs";
import { RunProject } from "./support/runs.mjs";
import { startServer } from "./support/server.mjs";

const DEPTH = 1000;
const MAXIMA = {
  "--limits-json-depth": String(DEPTH),
  "--limits-body": "4GiB",
  "--limits-management-body": "64MiB",
  "--limits-header-bytes": "1MiB",
  "--limits-connections": "1000000",
  "--limits-queued-requests": "1000000",
};

/** Returns JSON with this nesting depth. */
const deep = (levels) => "[".repeat(levels) + "]".repeat(levels);
const deepObject = (levels) => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);

let server;
let team;
before(async () => {
  server = await startServer({ args: Object.entries(MAXIMA).flat() });
  team = (await makeTeam(server)).name;
});
after(() => server.dispose());

async function send(method, path, body) {
  const answer = await server.api(method, path, { body });
  assert.ok(answer.status < 500, `${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
  return answer;
}

test("a limit beyond its maximum prevents the start, with the valid range in the message", async () => {
  for (const [flag, value] of [["--limits-json-depth", "1001"], ["--limits-body", "5GiB"], ["--limits-header-bytes", "2MiB"]]) {
    const ended = await runSpindle(["config", "check", flag, value]);
    assert.notEqual(ended.code, 0);
    assert.match(ended.stderr, new RegExp(`${flag}: expected an? .* from \\S+ to \\S+`));
  }
});

describe("a body of the maximum depth", () => {
  test("as a run's config, summary and history", async () => {
    const project = new RunProject(server, team);
    const run_id = freshName("run");
    const made = await send("POST", project.path, `{"run_id":"${run_id}","config":{"a":${deep(DEPTH - 2)}}}`);
    assert.equal(made.status, 201, made.text);
    const one = `${project.path}/${run_id}`;
    assert.equal((await send("PATCH", one, `{"config":{"b":${deep(DEPTH - 2)}},"summary":{"s":${deep(DEPTH - 2)}}}`)).status, 200);
    assert.equal((await send("POST", `${one}/history`, `{"rows":[{"metrics":{"loss":1,"x":${deepObject(DEPTH - 4)}}}]}`)).status, 200);
    assert.equal((await send("POST", `${one}/history`, `{"rows":[{"metrics":{"loss":2,"x":${deep(DEPTH - 4)}}}]}`)).status, 200);
    assert.equal((await send("GET", `${one}/history`)).status, 200);
    assert.equal((await send("GET", one)).status, 200);
    assert.equal((await send("POST", `${one}/finish`, "{}")).status, 200);
  });

  test("as an object, a table row, feedback and a call", async () => {
    const project_id = `${team}/deep`;
    const object = (levels) => `{"obj":{"project_id":"${project_id}","object_id":"thing","val":{"a":${deep(levels)}}}}`;
    const created = await send("POST", "/obj/create", object(DEPTH - 3));
    assert.equal(created.status, 200, created.text);
    assert.equal((await send("POST", "/obj/create", object(DEPTH - 2))).status, 422);
    const read = await send("POST", "/obj/read", JSON.stringify({ project_id, object_id: "thing", digest: created.json.digest }));
    assert.equal(read.status, 200);
    assert.equal(JSON.stringify(read.json.obj.val.a), deep(DEPTH - 3));
    assert.equal((await send("POST", "/objs/query", JSON.stringify({ project_id }))).status, 200);
    const table = await send("POST", "/table/create", `{"table":{"project_id":"${project_id}","rows":[{"r":${deep(DEPTH - 4)}}]}}`);
    assert.equal(table.status, 200, table.text);
    const query = { project_id, digest: table.json.digest, sort_by: [{ field: "r", direction: "asc" }] };
    assert.equal((await send("POST", "/table/query", JSON.stringify(query))).status, 200);
    const feedback = `{"project_id":"${project_id}","feedback_type":"custom","weave_ref":"weave:///${project_id}/object/thing:${created.json.digest}","payload":{"p":${deep(DEPTH - 2)}}}`;
    await send("POST", "/feedback/create", feedback);
    await send("POST", "/feedback/query", JSON.stringify({ project_id }));
    await send("POST", "/call/start", `{"start":{"project_id":"${project_id}","op_name":"op","started_at":"2026-01-01T00:00:00Z","attributes":{},"inputs":{"i":${deep(DEPTH - 4)}}}}`);
  });

  test("as the metadata of an artifact", async () => {
    const project = new ArtifactProject(server, team);
    const answer = await send("POST", `${project.path}/collections/${freshName("data")}/versions`, `{"type":"dataset","manifest":{},"metadata":{"m":${deep(DEPTH - 2)}}}`);
    assert.ok(answer.status < 500);
    await send("POST", `${project.path}/collections/${freshName("data")}/versions`, `{"type":"dataset","manifest":{"a":{"digest":"x","size":1,"extra":${deepObject(DEPTH - 4)}}}}`);
  });

  test("as any member of any body", async () => {
    const { json: description } = await server.api("GET", "/openapi.json");
    const resolved = (schema) => (schema?.$ref ? description.components.schemas[schema.$ref.split("/").at(-1)] : schema);
    let tried = 0;
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const schema = resolved(operation.requestBody?.content?.["application/json"]?.schema);
        if (schema === undefined) continue;
        const at = path.replaceAll(/\{[^}]+\}/g, "x");
        const members = Object.keys(schema.properties ?? { a: 0 });
        const bodies = [deep(DEPTH), `{${members.map((name) => `${JSON.stringify(name)}:${deep(DEPTH - 1)}`).join(",")}}`, `{${members.map((name) => `${JSON.stringify(name)}:${deepObject(DEPTH - 1)}`).join(",")}}`];
        for (const body of bodies) await send(method.toUpperCase(), at, body);
        tried += 1;
      }
    }
    assert.ok(tried > 100, `${tried} routes`);
    await expectServing(server);
  });

  test("with U+0000 in a member is accepted or rejected", async () => {
    const project_id = `${team}/deep`;
    const nul = "a\u0000b";
    await send("POST", "/agents/spans/query", JSON.stringify({ project_id, sort_by: [{ field: nul, direction: "asc" }] }));
    await send("POST", "/agents/conversations/query", JSON.stringify({ project_id, signals: { ratings: [{ scorer_key: nul, op: "gt", value: 1 }] } }));
    await send("POST", "/calls/stream_query", JSON.stringify({ project_id, query: { $expr: { $eq: [{ $getField: `inputs.${nul}` }, { $literal: nul }] } } }));
    await expectServing(server);
  });
});

test("a head of the maximum size is accepted, a larger one rejected", async () => {
  const filler = "x".repeat(900_000);
  assert.equal((await server.api("GET", "/api/v1/me", { headers: { "x-filler": filler } })).status, 200);
});
