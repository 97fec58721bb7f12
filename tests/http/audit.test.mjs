// The audit log: which operations leave an entry, what an entry says, who may read it, and its export.
// access.test.mjs checks the entries of the operations whose paths have parameters.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { AUDITED, EXEMPT, entryOf } from "./support/audited.mjs";
import { Browser } from "./support/browser.mjs";
import { uuid7 } from "./support/calls.mjs";
import { expectError, expectMembers, expectTimestamp, expectViolations } from "./support/expect.mjs";
import { makeUpstream } from "./support/inference.mjs";
import { freshName, makeKey, makeMember, makeServiceAccount, makeTeam, makeUser } from "./support/people.mjs";
import { startServer, withServer } from "./support/server.mjs";
import { TrainingClient, addBaseModel } from "./support/training.mjs";
import { V2Project } from "./support/v2_project.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const list = async (query = "", options = {}) => {
  const answer = await server.api("GET", `/api/v1/audit${query}`, options);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.items;
};

async function operations() {
  const { paths } = (await server.api("GET", "/openapi.json", { key: null })).json;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id }]) => ({ path, method, id })),
  );
}

/** Requests of audited operations that access.test.mjs does not send: by operation, [method, path, body]. */
const project = () => new V2Project(server);
const send = (method, path, body) => server.api(method, path, { body });
const inProject = (kind, body, id = ({ object_id }) => object_id) => async () => {
  const own = project();
  return send("DELETE", `/v2/${own.id}/${kind}/${id(await own.make(kind, body(own)))}`);
};
const name = () => freshName("thing");

/** Signs in as the administrator. Resolves with the response and the headers of the session. */
async function signIn() {
  const own = { "Sec-Fetch-Site": "same-origin" };
  const body = { api_key: server.adminKey };
  const answer = await server.api("POST", "/api/v1/session", { key: null, headers: own, body });
  const Cookie = [answer.headers["set-cookie"]].flat()[0].split(";")[0];
  return { answer, headers: { ...own, Cookie, "X-CSRF-Token": answer.json.csrf_token } };
}

const ROWS = {
  signIn: async () => (await signIn()).answer,
  signOut: async () => server.api("DELETE", "/api/v1/session", { key: null, headers: (await signIn()).headers }),
  changePassword: async () => {
    const { key } = await makeUser(server);
    return server.api("PUT", "/api/v1/me/password", { key, body: { new_password: "correct horse battery" } });
  },
  acceptInvitation: async () => {
    const { name: team } = await makeTeam(server);
    const { json } = await send("POST", `/api/v1/teams/${team}/invitations`, { role: "MEMBER" });
    const { key } = await makeUser(server);
    const body = { token: new URL(json.link).hash.replace("#token=", "") };
    return server.api("POST", "/api/v1/invitations/accept", { key, body });
  },
  createUser: () => send("POST", "/api/v1/users", { username: name(), email: `${name()}@example.test` }),
  createTeam: () => send("POST", "/api/v1/teams", { name: name() }),
  createProject: async () =>
    send("POST", "/api/v1/projects", { team: (await makeTeam(server)).name, name: name() }),
  createRegistry: () => send("POST", "/api/v1/registries", { name: name(), visibility: "restricted" }),
  createAutomation: async () =>
    send("POST", "/api/v1/automations", {
      name: name(),
      scope: { type: "team", team: (await makeTeam(server)).name },
      event: { type: "LINK_ARTIFACT" },
      action: { type: "noop" },
    }),
  createUpstream: () => send("POST", "/api/v1/upstreams", { name: name(), url: "http://127.0.0.1:1024/v1" }),
  createCatalogueModel: async () =>
    send("POST", "/api/v1/models", { name: name(), targets: [{ upstream: (await makeUpstream(server)).name }] }),
  createLimit: async () => {
    const own = project();
    await own.start();
    return send("POST", "/api/v1/limits", { project: own.id, concurrency: 4 });
  },
  createCosts: () => {
    const price = { prompt_token_cost: 1e-6, completion_token_cost: 1e-6 };
    return project().post("/cost/create", { project_id: project().id, costs: { [name()]: price } });
  },
  purgeCosts: async () => {
    const project_id = project().id;
    const price = { prompt_token_cost: 1e-6, completion_token_cost: 1e-6 };
    const { json } = await send("POST", "/cost/create", { project_id, costs: { [name()]: price } });
    const $expr = { $eq: [{ $getField: "id" }, { $literal: json.ids[0][0] }] };
    return send("POST", "/cost/purge", { project_id, query: { $expr } });
  },
  updateRetention: () => send("POST", "/project/ttl_settings/update", { project_id: project().id, retention_days: 9 }),
  deleteCalls: async () => {
    const own = project();
    const { id } = await own.start();
    return own.post("/calls/delete", { project_id: own.id, call_ids: [id] });
  },
  deleteEvaluationRuns: async () => {
    const own = project();
    return own.v2("DELETE", `evaluation_runs?evaluation_run_ids=${await own.run()}`);
  },
  deletePredictions: async () => {
    const own = project();
    return own.v2("DELETE", `predictions?prediction_ids=${await own.row(await own.run(), {}, "x")}`);
  },
  deleteScores: async () => {
    const own = project();
    const prediction_id = await own.row(await own.run(), {}, "x");
    const { score_id } = await own.make("scores", { prediction_id, scorer: own.ref("s"), value: 1 });
    return own.v2("DELETE", `scores?score_ids=${score_id}`);
  },
  deleteObject: async () => {
    const own = project();
    await own.ok("/obj/create", { obj: { project_id: own.id, object_id: "o", val: {} } });
    return own.post("/obj/delete", { project_id: own.id, object_id: "o" });
  },
  deleteDataset: inProject("datasets", () => ({ rows: [{ a: 1 }] })),
  deleteScorer: inProject("scorers", () => ({ name: "s", op_source_code: "x" })),
  deleteOp: inProject("ops", () => ({ name: "o", source_code: "x" })),
  deleteModel: inProject("models", () => ({ name: "m", source_code: "x" })),
  deleteEvaluation: inProject("evaluations", (own) => ({ name: "e", dataset: own.ref("d") })),
  purgeFeedback: async () => {
    const own = project();
    const fields = { feedback_type: "custom", payload: {}, svc_ref: `svc:///${own.id}/call/c` };
    const { id } = await own.ok("/feedback/create", { project_id: own.id, ...fields });
    const $expr = { $eq: [{ $getField: "id" }, { $literal: id }] };
    return own.post("/feedback/purge", { project_id: own.id, query: { $expr } });
  },
  deleteAnnotationQueue: async () => {
    const own = project();
    const { id } = await own.ok("/annotation_queues", { project_id: own.id, name: "q", scorer_refs: [] });
    return send("DELETE", `/annotation_queues/${id}?project_id=${encodeURIComponent(own.id)}`);
  },
  deleteTrainedModel: async () => send("DELETE", `/v1/preview/models/${(await trainedModel()).id}`),
  deleteCheckpoints: async () =>
    send("DELETE", `/v1/preview/models/${(await trainedModel()).id}/checkpoints`, { steps: [0] }),
};

async function trainedModel() {
  const base_model = await addBaseModel(server);
  const client = new TrainingClient(server);
  return client.ok("POST", "/models", { body: { entity: freshName("team"), project: "lab", name: name(), base_model } });
}

describe("the lists of operations", () => {
  test("name every changing operation once", async () => {
    const changing = (await operations()).filter(({ method }) => !["get", "head"].includes(method));
    const exempt = Object.values(EXEMPT).flat();
    const listed = [...Object.keys(AUDITED), ...exempt];
    assert.deepEqual(listed.filter((id, i) => listed.indexOf(id) !== i), []);
    assert.deepEqual(changing.map(({ id }) => id).sort(), listed.sort());
  });

  test("have a request for every audited operation", async () => {
    const managed = ({ path }) => path.startsWith("/api/v1/") && (path.includes("{") || path === "/api/v1/api-keys");
    const elsewhere = (await operations()).filter(managed).map(({ id }) => id);
    const needed = Object.keys(AUDITED).filter((id) => !elsewhere.includes(id));
    assert.deepEqual(needed.filter((id) => !(id in ROWS)), []);
    assert.deepEqual(Object.keys(ROWS).filter((id) => !(id in AUDITED)), []);
  });

  test("agree with the documentation", () => {
    const page = readFileSync(new URL("../../docs/audit.md", import.meta.url), "utf8");
    const missing = Object.values(AUDITED).flat().filter((action) => !page.includes(`\`${action}\``));
    assert.deepEqual(missing, []);
  });
});

describe("an entry", () => {
  for (const [operation, request] of Object.entries(ROWS)) {
    test(`is left by ${operation}`, async () => {
      const answer = await request();
      assert.ok(answer.status < 300, answer.text);
      const entry = await entryOf(server, answer, operation);
      assert.ok(entry, `no entry of ${operation}`);
      assert.ok(entry.actor.username, "the actor is known");
    });
  }

  test("of an invitation that a new user accepts names the new user", async () => {
    const { name: team } = await makeTeam(server);
    const { json } = await send("POST", `/api/v1/teams/${team}/invitations`, { role: "MEMBER" });
    const body = { token: new URL(json.link).hash.replace("#token=", ""), username: name(), password: "a long password" };
    const headers = { "Sec-Fetch-Site": "same-origin" };
    const answer = await server.api("POST", "/api/v1/invitations/accept", { key: null, headers, body });
    assert.equal(answer.status, 201, answer.text);
    for (const action of ["invitation.accept", "team_member.add"]) {
      const entries = await list(`?team=${team}&action=${action}`);
      assert.deepEqual(entries.map(({ actor }) => actor.username), [body.username], action);
    }
  });

  test("is left for the session that a sign-in replaces", async () => {
    const user = await makeUser(server);
    const browser = new Browser(server);
    await browser.signIn({ api_key: user.key });
    await browser.signIn({ api_key: user.key });
    const entries = await list(`?action=session.revoke&actor=${user.username}`);
    assert.equal(entries.length, 1);
    assert.equal(entries[0].target.name, user.username);
  });

  test("says who, what, when and from where", async () => {
    const { name: team } = await makeTeam(server);
    const admin = await makeMember(server, team, "ADMIN");
    const headers = { "User-Agent": "audit-test/1", "X-Request-Id": freshName("request") };
    const body = { name: "CI_TOKEN", value: "very-secret-value" };
    const answer = await server.api("POST", `/api/v1/teams/${team}/secrets`, { key: admin.key, headers, body });
    assert.equal(answer.status, 201, answer.text);
    const [entry] = await list(`?team=${team}&action=secret`);
    expectMembers(entry, [
      "id", "created_at", "actor", "action", "target", "team", "project", "address", "user_agent", "request_id",
      "details",
    ]);
    expectTimestamp(entry.created_at);
    assert.equal(entry.actor.id, admin.id);
    assert.equal(entry.actor.username, admin.username);
    assert.match(entry.actor.credential, /./);
    assert.equal(entry.action, "secret.create");
    assert.equal(entry.target.kind, "secret");
    assert.equal(entry.target.name, "CI_TOKEN");
    assert.equal(entry.team, team);
    assert.equal(entry.project, null);
    assert.equal(entry.address, "127.0.0.1");
    assert.equal(entry.user_agent, "audit-test/1");
    assert.equal(entry.request_id, headers["X-Request-Id"]);
  });

  test("never contains a secret", async () => {
    const { name: team } = await makeTeam(server);
    const { username } = await makeUser(server);
    const { key } = await makeKey(server, username);
    const { api_key } = await makeServiceAccount(server, team);
    const upstream = { name: name(), url: "http://127.0.0.1:1024/v1", key: "upstream-key-value" };
    assert.equal((await send("POST", "/api/v1/upstreams", upstream)).status, 201);
    const hook = { name: name(), url_endpoint: "https://user:hook-password@hooks.example.com/?token=hook-token" };
    await send("POST", `/api/v1/teams/${team}/webhooks`, hook);
    const { text } = await server.api("GET", "/api/v1/audit/export");
    for (const secret of [key, api_key, "upstream-key-value", "hook-password", "hook-token", "very-secret-value"]) {
      assert.ok(!text.includes(secret), secret.slice(0, 12));
    }
  });

  test("is not left by a refused change", async () => {
    const before = await list("?limit=1");
    const user = await send("POST", "/api/v1/users", { username: "admin", email: "a@example.test" });
    assert.equal(user.status, 409);
    assert.equal((await send("POST", "/api/v1/users", {})).status, 422);
    const unknown = await project().post("/calls/delete", { project_id: `${name()}/x`, call_ids: [uuid7()] });
    assert.equal(unknown.status, 200, unknown.text);
    const left = (await list("?limit=10")).filter(({ id }) => id > before[0].id);
    assert.deepEqual(left.map(({ action }) => action).filter((action) => !/^(team|project)\./.test(action)), []);
  });

  test("of a repeated request with an Idempotency-Key is written once", async () => {
    const body = { username: name(), email: `${name()}@example.test` };
    const headers = { "Idempotency-Key": freshName("key") };
    for (const _ of [1, 2]) {
      const answer = await server.api("POST", "/api/v1/users", { body, headers });
      assert.equal(answer.status, 201, answer.text);
    }
    const entries = await list("?action=user.create");
    assert.equal(entries.filter(({ target }) => target.name === body.username).length, 1);
  });

  test("survives a crash with its change", async () => {
    const first = await startServer();
    const made = await first.api("POST", "/api/v1/teams", { body: { name: "kept" } });
    assert.equal(made.status, 201);
    await first.kill();
    const second = await startServer({ dataDir: first.dataDir });
    try {
      const { items } = (await second.api("GET", "/api/v1/audit?action=team.create")).json;
      assert.deepEqual(items.map(({ target }) => target.name), ["kept"]);
    } finally {
      await second.kill();
      await first.dispose();
    }
  });
});

describe("reading", () => {
  test("shows team admins the entries of their team and nothing else", async () => {
    const { name: team } = await makeTeam(server);
    const admin = await makeMember(server, team, "ADMIN");
    const rival = await makeUser(server, "rival");
    const { name: other } = await makeTeam(server, { admin: rival.username });
    await makeServiceAccount(server, team);
    await makeServiceAccount(server, other);
    const own = await list("", { key: admin.key });
    assert.ok(own.length > 0);
    assert.ok(own.every((entry) => entry.team === team));
    const exported = await server.api("GET", "/api/v1/audit/export", { key: rival.key });
    assert.ok(!exported.text.includes(team));
    const lines = exported.text.trim().split("\n").map((line) => JSON.parse(line));
    assert.ok(lines.length > 0 && lines.every((entry) => entry.team === other));
    for (const path of ["/api/v1/audit", "/api/v1/audit/export"]) {
      expectError(await server.api("GET", `${path}?team=${team}`, { key: rival.key }), 404, "not_found");
      expectError(await server.api("GET", `${path}?team=no-such-team`, { key: rival.key }), 404, "not_found");
    }
  });

  test("is refused to members, viewers and strangers", async () => {
    const { name: team } = await makeTeam(server);
    for (const role of ["MEMBER", "VIEWER"]) {
      const { key } = await makeMember(server, team, role);
      expectError(await server.api("GET", "/api/v1/audit", { key }), 403, "forbidden");
      expectError(await server.api("GET", `/api/v1/audit?team=${team}`, { key }), 403, "forbidden");
      expectError(await server.api("GET", "/api/v1/audit/export", { key }), 403, "forbidden");
    }
    const { key } = await makeUser(server);
    expectError(await server.api("GET", "/api/v1/audit", { key }), 403, "forbidden");
    assert.equal((await server.api("GET", "/api/v1/audit", { key: null })).status, 401);
  });

  test("keeps the entries of a deleted team from a new team with its name", async () => {
    const { name: team } = await makeTeam(server);
    await makeServiceAccount(server, team);
    assert.equal((await send("DELETE", `/api/v1/teams/${team}`)).status, 204);
    const heir = await makeUser(server, "heir");
    await makeTeam(server, { name: team, admin: heir.username });
    const seen = await list("", { key: heir.key });
    assert.deepEqual(seen.map(({ action }) => action), ["team.create"]);
    assert.deepEqual(
      (await list(`?team=${team}`)).map(({ action }) => action),
      ["team.create", "team.delete", "service_account.create", "team.create"],
    );
  });

  test("filters and pages", async () => {
    const { name: team } = await makeTeam(server);
    const admin = await makeMember(server, team, "ADMIN");
    const secrets = `/api/v1/teams/${team}/secrets`;
    for (const secret of ["A", "B", "C"]) {
      await server.api("POST", secrets, { key: admin.key, body: { name: secret, value: "v" } });
    }
    await server.api("DELETE", `${secrets}/B`, { key: admin.key });
    const actions = async (query) => (await list(query)).map(({ action, target }) => `${action} ${target.name}`);
    assert.deepEqual(await actions(`?team=${team}&action=secret`), [
      "secret.delete B", "secret.create C", "secret.create B", "secret.create A",
    ]);
    assert.deepEqual(await actions(`?team=${team}&action=secret.delete`), ["secret.delete B"]);
    assert.equal((await list(`?actor=${admin.username}`)).length, 4);
    assert.equal((await list(`?actor=${admin.username}&team=other`)).length, 0);
    const [, third] = await list(`?team=${team}&action=secret`);
    assert.equal((await list(`?team=${team}&action=secret&since=${third.created_at}`)).length, 2);
    assert.equal((await list(`?team=${team}&action=secret&until=${third.created_at}`)).length, 2);

    const pages = [];
    let cursor = "";
    do {
      const { json } = await server.api("GET", `/api/v1/audit?team=${team}&action=secret&limit=3&cursor=${cursor}`);
      pages.push(json.items.length);
      cursor = json.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(pages, [3, 1]);
  });

  test("refuses invalid parameters", async () => {
    expectViolations(await server.api("GET", "/api/v1/audit?since=yesterday"), [
      "datetime_from_date_parsing", "query", "since",
    ]);
    for (const query of ["limit=0", "limit=201", "cursor=x", `actor=${"a".repeat(129)}`]) {
      assert.equal((await server.api("GET", `/api/v1/audit?${query}`)).status, 422, query);
    }
    assert.equal((await server.api("GET", "/api/v1/audit/export?format=xml")).status, 422);
  });
});

describe("the export", () => {
  test("is JSON Lines with the entries of the list", async () => {
    const { name: team } = await makeTeam(server);
    await makeServiceAccount(server, team);
    const answer = await server.api("GET", `/api/v1/audit/export?team=${team}`);
    assert.equal(answer.headers["content-type"], "application/jsonl");
    assert.match(answer.headers["content-disposition"], /^attachment; filename="audit\.jsonl"$/);
    assert.deepEqual(answer.text.trim().split("\n").map((line) => JSON.parse(line)), await list(`?team=${team}`));
  });

  test("as CSV escapes formulas and quotes", async () => {
    const { name: team } = await makeTeam(server);
    const description = '=HYPERLINK("http://evil.example","x"),\n+1';
    await server.api("POST", `/api/v1/teams/${team}/webhooks`, {
      body: { name: "=1+1", url_endpoint: "https://a.example/" },
    });
    const made = await server.api("POST", `/api/v1/teams/${team}/service-accounts`, { body: { description } });
    const answer = await server.api("GET", `/api/v1/audit/export?team=${team}&format=csv`);
    assert.equal(answer.headers["content-type"], "text/csv; charset=utf-8");
    assert.match(answer.text, /^id,created_at,actor,/);
    assert.ok(answer.text.endsWith("\r\n"));
    for (const field of answer.text.match(/"(?:[^"]|"")*"/g)) assert.doesNotMatch(field, /^"[=+\-@\t\r]/);
    assert.match(answer.text, made.status === 201 ? /HYPERLINK/ : /./);
  });

  test("contains more entries than a page", async () => {
    await withServer({}, async (own) => {
      for (let i = 0; i < 210; ++i) {
        const body = { username: `user-${i}`, email: `user-${i}@example.test` };
        assert.equal((await own.api("POST", "/api/v1/users", { body })).status, 201);
      }
      const { text } = await own.api("GET", "/api/v1/audit/export?action=user.create");
      const names = text.trim().split("\n").map((line) => JSON.parse(line).target.name);
      assert.equal(new Set(names).size, names.length);
      assert.ok(names.length >= 210);
    });
  });
});
