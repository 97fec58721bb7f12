// Access control of a project, for every operation of some tags of /openapi.json: outsiders (users without a
// role in the team) cannot see the project, viewers cannot change it. A new route fails until the table has it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { makeMember, makeTeam, makeUser } from "./people.mjs";

/** Returns a response without the headers that differ between any two responses. */
function visibleParts({ status, headers, text }) {
  const { date, "x-request-id": id, ...rest } = headers;
  return { status, headers: rest, text };
}

/**
 * Declares the tests.
 *
 * server            returns the running server
 * tags              the tags whose operations the table contains
 * table             "METHOD /path" to {ask(project name, made) -> [method, path, body], reads}
 * populatedProject  creates a project that contains data of every kind: {team, project, made}
 * snapshot          resolves with all readable data of such a project
 */
export function checkAccess({ server, tags, table, populatedProject, snapshot }) {
  let shared;
  const sharedProject = () => (shared ??= populatedProject()); // a project for requests that must change nothing

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
        const { project, made } = await sharedProject();
        const answer = await asked(row, project.id, made, null);
        assert.equal(answer.status, 401, answer.text);
      });

      test("returns the same 404 to outsiders whether the project exists or not, and changes nothing", async () => {
        const { team, project, made } = await sharedProject();
        const before = await snapshot(project);
        const outsider = await makeUser(server(), "outsider");
        await makeTeam(server(), { admin: outsider.username });
        const hidden = await asked(row, project.id, made, outsider.key);
        assert.equal(hidden.status, 404, hidden.text);
        assert.deepEqual(hidden.json, { reason: "Project not found" });
        for (const missing of [`${team}/none`, "no-such-team/lab"]) {
          assert.deepEqual(visibleParts(await asked(row, missing, made, outsider.key)), visibleParts(hidden));
        }
        assert.deepEqual(await snapshot(project), before);
      });

      test(`is ${row.reads ? "allowed" : "forbidden"} for viewers and allowed for members`, async () => {
        const { team, project, made } = await populatedProject();
        const viewer = await makeMember(server(), team, "VIEWER");
        const before = await snapshot(project);
        const answer = await asked(row, project.id, made, viewer.key);
        assert.equal(answer.status, row.reads ? 200 : 403, answer.text);
        assert.deepEqual(await snapshot(project), before);
        const member = await makeMember(server(), team, "MEMBER");
        const allowed = await asked(row, project.id, made, member.key);
        assert.ok([200, 204].includes(allowed.status), allowed.text);
      });
    });
  }
}
