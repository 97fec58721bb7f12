// Common behaviour of the endpoints of /api/v1: pages, idempotency keys, entity tags, content types, sizes.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";

import { expectError, expectViolations } from "./support/expect.mjs";
import { addMember, freshName, listAll, makeKey, makeTeam, makeUser } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

function get(path, key) {
  return server.api("GET", path, { key });
}

describe("pages", () => {
  // Each list, with a function that adds an item.
  const lists = {
    users: async () => {
      const stem = freshName("paged");
      let count = 0;
      const add = () => {
        const username = `${stem}-${(count += 1)}`;
        const body = { username, email: `${username}@example.test` };
        return server.api("POST", "/api/v1/users", { body });
      };
      return { path: `/api/v1/users?query=${stem}`, add };
    },
    teams: async () => {
      const user = await makeUser(server);
      const add = () => makeTeam(server, { admin: user.username });
      return { path: "/api/v1/teams", key: user.key, add };
    },
    members: async () => {
      const { name } = await makeTeam(server);
      const add = async () => {
        const user = await makeUser(server);
        await addMember(server, name, user.username, "VIEWER");
      };
      return { path: `/api/v1/teams/${name}/members`, add, idOf: (item) => item.user.id };
    },
    "api-keys": async () => {
      const user = await makeUser(server);
      const add = () => makeKey(server, user.username);
      return { path: "/api/v1/api-keys", key: user.key, add };
    },
  };

  const withQuery = (path, query) => path + (path.includes("?") ? "&" : "?") + query;
  const idOfItem = (item) => item.id;

  for (const [name, make] of Object.entries(lists)) {
    test(`${name}: small pages contain the items of one large page, in the same order`, async () => {
      const { path, key, add, idOf = idOfItem } = await make();
      for (let i = 0; i < 6; i += 1) await add();
      const whole = await get(withQuery(path, "limit=200"), key);
      assert.equal(whole.status, 200, whole.text);
      assert.equal(whole.json.next_cursor, null);
      assert.ok(whole.json.items.length >= 6);
      for (const limit of [1, 2, 5, whole.json.items.length]) {
        const pages = await listAll(server, path, { key, limit });
        assert.deepEqual(pages.map(idOf), whole.json.items.map(idOf), `limit ${limit}`);
      }
      const first = await get(withQuery(path, "limit=2"), key);
      assert.equal(first.json.items.length, 2);
      assert.equal(typeof first.json.next_cursor, "string");
    });

    test(`${name}: an item added during paging neither hides nor repeats another`, async () => {
      const { path, key, add, idOf = idOfItem } = await make();
      for (let i = 0; i < 5; i += 1) await add();
      const before = (await listAll(server, path, { key })).map(idOf);
      const seen = [];
      let cursor;
      do {
        const query = cursor ? `limit=2&cursor=${encodeURIComponent(cursor)}` : "limit=2";
        const page = await get(withQuery(path, query), key);
        assert.equal(page.status, 200, page.text);
        seen.push(...page.json.items.map(idOf));
        cursor = page.json.next_cursor;
        await add();
      } while (cursor && seen.length < 100);
      assert.equal(new Set(seen).size, seen.length, "an item was repeated");
      assert.deepEqual(seen.filter((id) => before.includes(id)), before, "items were omitted");
    });

    test(`${name}: an invalid cursor is rejected`, async () => {
      const { path, key, add } = await make();
      for (let i = 0; i < 3; i += 1) await add();
      const { next_cursor: good } = (await get(withQuery(path, "limit=1"), key)).json;
      const forged = good.slice(0, -1) + (good.endsWith("x") ? "y" : "x");
      for (const cursor of ["x", "AAAA", "'; DROP TABLE users; --", "%00", forged.repeat(3)]) {
        const query = `cursor=${cursor === "%00" ? cursor : encodeURIComponent(cursor)}`;
        const answer = await get(withQuery(path, query), key);
        assert.equal(answer.status, 422, `${cursor}: ${answer.text}`);
        assert.equal(answer.json.detail[0].loc[0], "query");
      }
    });

    test(`${name}: a limit outside 1 to 200 is rejected`, async () => {
      const { path, key } = await make();
      const limit = (value) => get(withQuery(path, `limit=${value}`), key);
      const loc = ["query", "limit"];
      expectViolations(await limit(0), ["greater_than_equal", ...loc]);
      expectViolations(await limit(-1), ["greater_than_equal", ...loc]);
      expectViolations(await limit(201), ["less_than_equal", ...loc]);
      expectViolations(await limit("ten"), ["int_parsing", ...loc]);
      assert.equal((await limit(200)).status, 200);
    });
  }

  test("have 50 items by default, newest first", async () => {
    const user = await makeUser(server);
    for (let i = 0; i < 55; i += 1) await makeKey(server, user.username);
    const { items } = (await get("/api/v1/api-keys", user.key)).json;
    assert.equal(items.length, 50);
    // Ids are ordered with a resolution of one millisecond.
    const all = await listAll(server, "/api/v1/api-keys", { key: user.key });
    const times = all.map((item) => Date.parse(item.created_at));
    assert.deepEqual(times, [...times].sort((a, b) => b - a));
    assert.deepEqual(items, all.slice(0, 50));
  });

  test("reject the cursor of another list", async () => {
    const users = [await makeUser(server), await makeUser(server)];
    for (const { username } of users) await makeKey(server, username);
    const { next_cursor: cursor } = (await get("/api/v1/api-keys?limit=1", users[0].key)).json;
    const answer = await get(`/api/v1/api-keys?cursor=${cursor}`, users[1].key);
    const foreign = await listAll(server, "/api/v1/api-keys", { key: users[0].key });
    const items = answer.status === 200 ? answer.json.items : [];
    assert.ok(items.every(({ id }) => foreign.every((item) => item.id !== id)));
  });
});

describe("idempotency keys", () => {
  const userBody = () => {
    const username = freshName("once");
    return { username, email: `${username}@example.test` };
  };
  const postUser = (body, idempotencyKey, key) =>
    server.api("POST", "/api/v1/users", {
      body,
      key,
      headers: { "Idempotency-Key": idempotencyKey },
    });

  test("return the first response again", async () => {
    const body = userBody();
    const name = freshName("idem");
    const first = await postUser(body, name);
    assert.equal(first.status, 201);
    assert.equal(first.headers["idempotency-replayed"], undefined);
    const second = await postUser(body, name);
    assert.equal(second.status, 201);
    assert.equal(second.headers["idempotency-replayed"], "true");
    assert.equal(second.text, first.text);
    assert.equal(second.headers["content-type"], first.headers["content-type"]);
  });

  test("return the text of a new API key again to its creator", async () => {
    const user = await makeUser(server);
    const options = {
      key: user.key,
      body: { name: "phone" },
      headers: { "Idempotency-Key": freshName("idem") },
    };
    const first = await server.api("POST", "/api/v1/api-keys", options);
    const second = await server.api("POST", "/api/v1/api-keys", options);
    assert.equal(second.text, first.text);
    assert.equal((await get("/api/v1/me", second.json.key)).status, 200);
  });

  test("return the entity tag again", async () => {
    const options = {
      body: { name: freshName("team") },
      headers: { "Idempotency-Key": freshName("idem") },
    };
    const first = await server.api("POST", "/api/v1/teams", options);
    const second = await server.api("POST", "/api/v1/teams", options);
    assert.ok(first.headers.etag);
    assert.equal(second.headers.etag, first.headers.etag);
  });

  test("with another body are rejected", async () => {
    const name = freshName("idem");
    assert.equal((await postUser(userBody(), name)).status, 201);
    const answer = await postUser(userBody(), name);
    assert.equal(answer.status, 422, answer.text);
    assert.ok(answer.text.includes("idempotency_key_reused"), answer.text);
  });

  test("with another query are rejected", async () => {
    const users = [await makeUser(server), await makeUser(server)];
    const headers = { "Idempotency-Key": freshName("idem") };
    const post = ({ username }) =>
      server.api("POST", `/api/v1/api-keys?owner=${username}`, { body: { name: "phone" }, headers });
    const first = await post(users[0]);
    assert.equal(first.status, 201, first.text);
    const other = await post(users[1]);
    assert.equal(other.status, 422, other.text);
    assert.ok(other.text.includes("idempotency_key_reused"), other.text);
    assert.equal((await post(users[0])).text, first.text);
  });

  test("belong to one caller and one path", async () => {
    const name = freshName("idem");
    const headers = { "Idempotency-Key": name };
    const body = { name: freshName("same-body") };
    const users = [await makeUser(server), await makeUser(server)];
    for (const { key } of users) {
      const answer = await server.api("POST", "/api/v1/api-keys", { key, body, headers });
      assert.equal(answer.status, 201);
      assert.equal(answer.headers["idempotency-replayed"], undefined);
    }
    const team = await server.api("POST", "/api/v1/teams", { body, headers });
    assert.equal(team.status, 201);
  });

  test("of a rejected request may be used again", async () => {
    const name = freshName("idem");
    const body = userBody();
    assert.equal((await postUser({ ...body, email: 1 }, name)).status, 422);
    assert.equal((await postUser(body, name)).status, 201);
  });

  test("used concurrently create one resource", async () => {
    for (let round = 0; round < 5; round += 1) {
      const body = userBody();
      const name = freshName("idem");
      const answers = await Promise.all(Array.from({ length: 12 }, () => postUser(body, name)));
      const fresh = answers.filter(
        ({ status, headers }) => status === 201 && headers["idempotency-replayed"] === undefined,
      );
      assert.equal(fresh.length, 1);
      for (const answer of answers) {
        if (answer.status === 201) assert.equal(answer.text, fresh[0].text);
        else expectError(answer, 409, "idempotency_in_progress");
      }
      const found = await get(`/api/v1/users?query=${body.username}`);
      assert.equal(found.json.items.length, 1);
    }
  });

  test("survive a restart", async () => {
    const first = await startServer();
    const body = userBody();
    const options = { body, headers: { "Idempotency-Key": "across" } };
    const created = await first.api("POST", "/api/v1/users", options);
    await first.kill();
    const second = await startServer({ dataDir: first.dataDir });
    try {
      const replayed = await second.api("POST", "/api/v1/users", options);
      assert.equal(replayed.status, 201);
      assert.equal(replayed.headers["idempotency-replayed"], "true");
      assert.equal(replayed.text, created.text);
    } finally {
      await second.dispose();
      await first.dispose();
    }
  });

  test("are 1 to 255 visible ASCII characters", async () => {
    for (const name of ["", "a b", "x".repeat(256), "caf\u00e9"]) {
      const answer = await postUser(userBody(), name);
      assert.equal(answer.status, 422, `${name}: ${answer.text}`);
      assert.equal(answer.json.detail[0].loc[0], "header");
    }
    assert.equal((await postUser(userBody(), "x".repeat(255))).status, 201);
  });
});

describe("entity tags", () => {
  test("change only when the team changes", async () => {
    const made = await server.api("POST", "/api/v1/teams", { body: { name: freshName("team") } });
    const path = `/api/v1/teams/${made.json.name}`;
    assert.match(made.headers.etag, /^"[^"]+"$/);
    assert.equal((await get(path)).headers.etag, made.headers.etag);
    const body = { default_artifact_ttl_days: 1 };
    const changed = await server.api("PATCH", path, { body });
    assert.notEqual(changed.headers.etag, made.headers.etag);
    assert.equal((await get(path)).headers.etag, changed.headers.etag);
  });

  test("protect changes", async () => {
    const { name } = await makeTeam(server);
    const path = `/api/v1/teams/${name}`;
    const { etag } = (await get(path)).headers;
    const patch = (days, match) =>
      server.api("PATCH", path, {
        body: { default_artifact_ttl_days: days },
        headers: { "If-Match": match },
      });
    assert.equal((await patch(1, etag)).status, 200);
    expectError(await patch(2, etag), 412, "precondition_failed");
    assert.equal((await get(path)).json.default_artifact_ttl_days, 1);
    assert.equal((await patch(3, "*")).status, 200);
    expectError(await patch(5, '"other"'), 412, "precondition_failed");
  });

  test("protect deletion", async () => {
    const { name } = await makeTeam(server);
    const path = `/api/v1/teams/${name}`;
    const remove = (match) => server.api("DELETE", path, { headers: { "If-Match": match } });
    const { etag } = (await get(path)).headers;
    await server.api("PATCH", path, { body: { default_artifact_ttl_days: 9 } });
    expectError(await remove(etag), 412, "precondition_failed");
    assert.equal((await remove((await get(path)).headers.etag)).status, 204);
  });

  test("let one of many concurrent changes succeed", async () => {
    const { name } = await makeTeam(server);
    const path = `/api/v1/teams/${name}`;
    const { etag } = (await get(path)).headers;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        server.api("PATCH", path, {
          body: { default_artifact_ttl_days: i + 1 },
          headers: { "If-Match": etag },
        }),
      ),
    );
    const done = answers.filter(({ status }) => status === 200);
    assert.equal(done.length, 1);
    assert.ok(answers.every(({ status }) => status === 200 || status === 412));
    assert.deepEqual((await get(path)).json, done[0].json);
  });
});

describe("bodies", () => {
  const post = (body, headers) => server.api("POST", "/api/v1/teams", { body, headers });

  test("with a content type other than JSON are 415", async () => {
    const types = [
      "text/plain",
      "application/xml",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
    ];
    for (const type of types) {
      const answer = await post(`{"name":"${freshName("team")}"}`, { "Content-Type": type });
      expectError(answer, 415, "unsupported_media_type");
    }
  });

  test("with any JSON content type are accepted", async () => {
    for (const type of [
      "application/json; charset=utf-8",
      "Application/JSON",
      "application/json;charset=UTF-8",
      "application/vnd.api+json",
    ]) {
      const answer = await post(`{"name":"${freshName("team")}"}`, { "Content-Type": type });
      assert.equal(answer.status, 201, `${type}: ${answer.text}`);
    }
  });

  test("over 1 MiB are 413, up to 1 MiB are accepted", async () => {
    const text = (size) => `{"name":"${freshName("team")}"}`.padEnd(size);
    assert.equal((await post(text(1024 * 1024))).status, 201);
    expectError(await post(text(1024 * 1024 + 1)), 413, "too_large");
  });

  test("that are empty are reported as missing", async () => {
    expectViolations(await post(""), ["missing", "body"]);
    expectViolations(await server.api("POST", "/api/v1/teams"), ["missing", "body"]);
  });

  test("that are not objects are rejected", async () => {
    for (const body of ["[]", "1", '"x"', "true"]) {
      expectViolations(await post(body), ["model_attributes_type", "body"]);
    }
  });
});

describe("responses", () => {
  test("have the request id of the request, or a new one", async () => {
    const sent = freshName("request");
    const answer = await server.api("GET", "/api/v1/me", { headers: { "X-Request-Id": sent } });
    assert.equal(answer.headers["x-request-id"], sent);
    const ids = new Set();
    for (let i = 0; i < 3; i += 1) ids.add((await get("/api/v1/me")).headers["x-request-id"]);
    assert.equal(ids.size, 3);
    assert.ok(!ids.has(undefined));
  });

  test("are compressed on request", async () => {
    const plain = await get("/openapi.json");
    const headers = { "Accept-Encoding": "gzip" };
    const packed = await server.api("GET", "/openapi.json", { headers });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.match(packed.headers.vary ?? "", /accept-encoding/i);
    assert.ok(packed.bytes.length < plain.bytes.length / 2);
    assert.deepEqual(gunzipSync(packed.bytes), plain.bytes);
  });

  test("allow pages of a configured origin (CORS)", async () => {
    const origin = "https://console.example.test";
    const open = await startServer({ args: ["--cors-origins", origin] });
    try {
      const preflight = await open.api("OPTIONS", "/api/v1/me", {
        key: null,
        headers: {
          Origin: origin,
          "Access-Control-Request-Method": "GET",
          "Access-Control-Request-Headers": "authorization",
        },
      });
      assert.ok([200, 204].includes(preflight.status));
      assert.equal(preflight.headers["access-control-allow-origin"], origin);
      assert.match(preflight.headers["access-control-allow-headers"], /authorization/i);
      const answer = await open.api("GET", "/api/v1/me", { headers: { Origin: origin } });
      assert.equal(answer.headers["access-control-allow-origin"], origin);
      const headers = { Origin: "https://evil.example.test" };
      const other = await open.api("GET", "/api/v1/me", { headers });
      assert.notEqual(other.headers["access-control-allow-origin"], headers.Origin);
    } finally {
      await open.dispose();
    }
    const headers = { Origin: origin };
    const closed = await server.api("GET", "/api/v1/me", { headers });
    assert.equal(closed.headers["access-control-allow-origin"], undefined);
  });
});
