// Who may do what to a project, over every operation of some tags of /openapi.json: strangers learn
// nothing, viewers change nothing. A new route fails until the table says how it is asked.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { makeMember, makeTeam, makeUser } from "./people.mjs";

/** Everything an answer tells, without what differs between any two answers. */
function told({ status, headers, text }) {
  const { date, "x-request-id": id, ...rest } = headers;
  return { status, headers: rest, text };
}

/**
 * Declares the tests.
 *
 * server     gives the running server
 * tags       whose operations the table has
 * table      by "METHOD /path": {ask(project name, made) -> [method, path, body], reads}
 * furnished  makes a project with something of everything in it: {team, project, made}
 * seen       resolves with all that can be seen of such a project
 */
export function checkStrangers({ server, tags, table, furnished, seen }) {
  let shared;
  const untouched = () => (shared ??= furnished()); // a project for requests that must change nothing

  const asked = (row, id, made, key) => {
    const [method, path, body] = row.ask(id, made);
    return server().api(method, path, { body, key });
  };

  test("the table covers every operation", async () => {
    const { paths } = (await server().api("GET", "/openapi.json", { key: null })).json;
    const found = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => operation.tags.some((tag) => tags.includes(tag)))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(found.sort(), Object.keys(table).sort());
  });

  for (const [operation, row] of Object.entries(table)) {
    describe(operation, () => {
      test("is 401 without a key", async () => {
        const { project, made } = await untouched();
        const answer = await asked(row, project.id, made, null);
        assert.equal(answer.status, 401, answer.text);
      });

      test("does not tell strangers whether the project exists, and changes nothing", async () => {
        const { team, project, made } = await untouched();
        const before = await seen(project);
        const stranger = await makeUser(server(), "stranger");
        await makeTeam(server(), { admin: stranger.username });
        const hidden = await asked(row, project.id, made, stranger.key);
        assert.equal(hidden.status, 404, hidden.text);
        assert.deepEqual(hidden.json, { reason: "Project not found" });
        for (const missing of [`${team}/none`, "no-such-team/lab"]) {
          assert.deepEqual(told(await asked(row, missing, made, stranger.key)), told(hidden));
        }
        assert.deepEqual(await seen(project), before);
      });

      test(`is ${row.reads ? "open to" : "closed for"} viewers and open to members`, async () => {
        const { team, project, made } = await furnished();
        const viewer = await makeMember(server(), team, "VIEWER");
        const before = await seen(project);
        const answer = await asked(row, project.id, made, viewer.key);
        assert.equal(answer.status, row.reads ? 200 : 403, answer.text);
        assert.deepEqual(await seen(project), before);
        const member = await makeMember(server(), team, "MEMBER");
        const allowed = await asked(row, project.id, made, member.key);
        assert.ok([200, 204].includes(allowed.status), allowed.text);
      });
    });
  }
}
