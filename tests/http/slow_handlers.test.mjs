// Handlers that wait for other servers block no request worker, and one team's requests leave threads for other teams.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";

import { freshName, makeMember, makeTeam } from "./support/people.mjs";
import { RawConnection, rawRequest } from "./support/raw_connection.mjs";
import { startServer } from "./support/server.mjs";
import { TrainingClient, addBaseModel } from "./support/training.mjs";

const WAITING = 40;
const MOST_OF_ONE_TEAM = 12; // of 16 threads

/** A server that accepts connections and never responds. */
class SilentServer {
  static async start() {
    const silent = new SilentServer();
    silent.sockets = [];
    silent.listener = createServer((socket) => {
      socket.on("error", () => {});
      silent.sockets.push(socket);
      silent.wake?.();
    });
    await new Promise((done) => silent.listener.listen(0, "127.0.0.1", done));
    return silent;
  }

  get url() {
    return `http://127.0.0.1:${this.listener.address().port}`;
  }

  /** Resolves when `count` connections are open. */
  async connected(count) {
    while (this.sockets.length < count) await new Promise((done) => (this.wake = done));
  }

  /** Closes all connections, including future ones. */
  close() {
    this.listener.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

let server;
before(async () => {
  server = await startServer({ args: ["--worker-threads", "4", "--webhooks-allow-private", "always", "--webhooks-allow-http"] });
});
after(() => server.dispose());

/** Sends `count` requests without waiting for their responses. */
async function sendMany(count, line, key, body) {
  const text = JSON.stringify(body);
  const fields = [`Authorization: Bearer ${key}`, "Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`];
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const connection = await RawConnection.open(server.url);
      const unique = text.replaceAll("%i", String(i).padStart(2, "0"));
      connection.send(rawRequest(line, fields, unique));
      return connection;
    }),
  );
}

async function makeTeamWithAdmin() {
  const team = (await makeTeam(server)).name;
  return { team, admin: await makeMember(server, team, "ADMIN") };
}

async function expectServed(keys) {
  for (const key of [...keys, ...keys]) {
    const answer = await server.api("GET", "/api/v1/me", { key });
    assert.equal(answer.status, 200, answer.text);
  }
  assert.equal((await server.api("GET", "/health", { key: null })).status, 200);
}

describe("while handlers wait for a server that never answers", () => {
  test("training data at a URL does not delay other requests", async () => {
    const silent = await SilentServer.start();
    const base_model = await addBaseModel(server);
    const { admin, team } = await makeTeamWithAdmin();
    const other = await makeTeamWithAdmin();
    const model = await new TrainingClient(server, { key: admin.key }).register({ entity: team, project: "lab", name: freshName("solver"), base_model });
    const body = { model_id: model.id, training_data_url: `${silent.url}/%i` };
    const waiting = await sendMany(WAITING, "POST /v1/preview/sft-training-jobs HTTP/1.1", admin.key, body);
    try {
      await silent.connected(MOST_OF_ONE_TEAM);
      await expectServed([admin.key, other.admin.key, server.adminKey]);
      // Another team has its own share of the threads that may wait.
      const theirs = await new TrainingClient(server, { key: other.admin.key }).register({ entity: other.team, project: "lab", name: freshName("solver"), base_model });
      const second = await sendMany(1, "POST /v1/preview/sft-training-jobs HTTP/1.1", other.admin.key, { ...body, model_id: theirs.id });
      waiting.push(...second);
      await silent.connected(MOST_OF_ONE_TEAM + 1);
    } finally {
      silent.close();
      for (const connection of waiting) connection.destroy();
    }
  });

  test("tests of webhooks and upstreams do not delay other requests", async () => {
    const silent = await SilentServer.start();
    const teams = await Promise.all([makeTeamWithAdmin(), makeTeamWithAdmin()]);
    const waiting = [];
    try {
      for (const { team, admin } of teams) {
        const body = { name: freshName("hook"), url_endpoint: `${silent.url}/%i` };
        waiting.push(...(await sendMany(5, `POST /api/v1/teams/${team}/webhooks/test HTTP/1.1`, admin.key, body)));
      }
      const name = freshName("upstream");
      const made = await server.api("POST", "/api/v1/upstreams", { body: { name, url: `${silent.url}/v1` } });
      assert.equal(made.status, 201, made.text);
      waiting.push(...(await sendMany(2, `POST /api/v1/upstreams/${name}/test HTTP/1.1`, server.adminKey, {})));
      await silent.connected(12);
      await expectServed([teams[0].admin.key, teams[1].admin.key, server.adminKey]);
    } finally {
      silent.close();
      for (const connection of waiting) connection.destroy();
    }
  });
});
