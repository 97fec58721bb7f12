// SIGTERM under load: the server completes accepted requests and starts no others.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { expectUnauthenticated } from "./support/expect.mjs";
import { freshName, listAll, makeUser } from "./support/people.mjs";
import { RawConnection, exchange, rawRequest } from "./support/raw_connection.mjs";
import { startServer, withServer } from "./support/server.mjs";

const JSON_TYPE = "Content-Type: application/json";

function userPost(server, username) {
  const body = `{"username":"${username}","email":"${username}@example.test"}`;
  const fields = [`Authorization: Bearer ${server.adminKey}`, JSON_TYPE, `Content-Length: ${body.length}`];
  return rawRequest("POST /api/v1/users HTTP/1.1", fields, body);
}

async function openOrNothing(url) {
  try {
    return await RawConnection.open(url);
  } catch (error) {
    assert.ok(["ECONNREFUSED", "ECONNRESET"].includes(error.code), error.code);
    return undefined;
  }
}

/** Creates users one after another on persistent connections until the server has stopped. */
async function createUsers(server, outcome) {
  let connection = await openOrNothing(server.url);
  while (connection) {
    const username = freshName("drained");
    await connection.send(userPost(server, username));
    const answer = await connection.response(); // throws when a response is incomplete
    if (answer) {
      assert.equal(answer.status, 201, answer.text);
      outcome.acknowledged.push(username);
    } else {
      outcome.unanswered.push(username);
    }
    if (!answer || answer.headers.connection?.toLowerCase() === "close") {
      connection.destroy();
      connection = await openOrNothing(server.url);
    }
  }
}

describe("SIGTERM", () => {
  test("under load truncates no response, loses no write, and starts no request without a response", async () => {
    await withServer({}, async (server) => {
      const outcome = { acknowledged: [], unanswered: [] };
      const load = Promise.all(Array.from({ length: 16 }, () => createUsers(server, outcome)));
      while (outcome.acknowledged.length < 200) {
        assert.equal((await server.api("GET", "/health")).status, 200);
      }
      const ended = await server.stop();
      await load;
      assert.equal(ended.code, 0, ended.stderr);

      const again = await startServer({ dataDir: server.dataDir });
      try {
        const kept = new Set((await listAll(again, "/api/v1/users")).map((user) => user.username));
        const lost = outcome.acknowledged.filter((username) => !kept.has(username));
        assert.deepEqual(lost, [], "acknowledged and lost");
        const begun = outcome.unanswered.filter((username) => kept.has(username));
        assert.deepEqual(begun, [], "done without a response");
      } finally {
        await again.dispose();
      }
    });
  });

  test("completes a request whose body is still arriving, and accepts no new connection", async () => {
    await withServer({}, async (server) => {
      const username = freshName("slow");
      const bytes = userPost(server, username);
      const connection = await RawConnection.open(server.url);
      await connection.send(bytes.subarray(0, bytes.length - 10));
      // A later request on another connection was answered, so the server has read the first part by now.
      assert.equal((await server.api("GET", "/health")).status, 200);
      server.client.close();
      server.program.signal("SIGTERM");
      let other;
      do {
        other = await openOrNothing(server.url);
        other?.destroy();
      } while (other);
      await connection.send(bytes.subarray(bytes.length - 10));
      const answer = await connection.response();
      assert.equal(answer?.status, 201, answer?.text);
      assert.equal(answer.headers.connection?.toLowerCase(), "close");
      await connection.closed();
      assert.equal((await server.program.ended).code, 0);
    });
  });

  test("does not wait for idle connections", async () => {
    await withServer({}, async (server) => {
      const idle = await Promise.all(Array.from({ length: 50 }, () => RawConnection.open(server.url)));
      for (const connection of idle) {
        await connection.send(rawRequest("GET /health HTTP/1.1"));
        assert.equal((await connection.response()).status, 200);
      }
      const ended = await server.stop();
      assert.equal(ended.code, 0, ended.stderr);
      for (const connection of idle) {
        await connection.closed();
        assert.equal(connection.error, undefined);
        assert.equal(connection.received.length, 0);
      }
    });
  });

  test("aborts an endless request after the configured time", async () => {
    await withServer({ args: ["--limits-drain-timeout", "300ms"] }, async (server) => {
      const bytes = userPost(server, freshName("endless"));
      const connection = await RawConnection.open(server.url);
      await connection.send(bytes.subarray(0, bytes.length - 10));
      assert.equal((await exchange(server.url, rawRequest("GET /health HTTP/1.1"))).status, 200);
      const ended = await server.stop();
      assert.equal(ended.signal, null);
      await connection.closed();
    });
  });

  test("keeps writes from just before it", async () => {
    await withServer({}, async (server) => {
      const user = await makeUser(server);
      const keys = await listAll(server, "/api/v1/api-keys", { key: user.key });
      const revoked = await server.api("DELETE", `/api/v1/api-keys/${keys[0].id}`);
      assert.equal(revoked.status, 204);
      await server.stop();
      const again = await startServer({ dataDir: server.dataDir });
      try {
        expectUnauthenticated(await again.api("GET", "/api/v1/me", { key: user.key }));
      } finally {
        await again.dispose();
      }
    });
  });
});
