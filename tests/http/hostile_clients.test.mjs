// Clients that violate HTTP, are slow, or open many connections: each gets a proper response or a closed
// connection, and other clients are served meanwhile.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { expectGrowthBelow } from "./support/expect.mjs";
import { whileServing, expectMemoryReleased, expectServing } from "./support/liveness.mjs";
import { freshName } from "./support/people.mjs";
import { RawConnection, exchange, rawRequest } from "./support/raw_connection.mjs";
import { startServer, withServer } from "./support/server.mjs";
import { within } from "./support/time_limits.mjs";

let server;
let bearer;
before(async () => {
  server = await startServer({
    args: ["--limits-header-timeout", "500ms", "--limits-body-timeout", "500ms"],
  });
  bearer = `Authorization: Bearer ${server.adminKey}`;
});
after(() => server.dispose());

const JSON_TYPE = "Content-Type: application/json";

/** Returns a POST that would create a team, with these header lines for the body. */
function teamPost(fields, body) {
  return rawRequest("POST /api/v1/teams HTTP/1.1", [bearer, JSON_TYPE, ...fields], body);
}

async function withConnection(work) {
  const connection = await RawConnection.open(server.url);
  try {
    return await work(connection);
  } finally {
    connection.destroy();
  }
}

describe("malformed requests", () => {
  const cases = [
    ["no HTTP at all", "hello\r\n\r\n", [400]],
    ["a TLS handshake", Buffer.from("16030100a5010000a10303", "hex"), [400, 408, undefined]],
    ["an unknown method", rawRequest("BREW /health HTTP/1.1"), [401, 405, 501]],
    ["a method with invalid characters", rawRequest("GE\x01T /health HTTP/1.1"), [400]],
    ["an unsupported version", rawRequest("GET /health HTTP/3.0"), [400, 505]],
    ["no version", rawRequest("GET /health"), [400]],
    ["no target", rawRequest("GET  HTTP/1.1"), [400]],
    ["a space in the target", rawRequest("GET /a b HTTP/1.1"), [400]],
    ["a target that is no path", rawRequest("GET health HTTP/1.1"), [400]],
    ["a CONNECT request", rawRequest("CONNECT example.test:443 HTTP/1.1"), [400, 405, 501]],
    ["no host", "GET /health HTTP/1.1\r\n\r\n", [400]],
    ["two credentials", rawRequest("GET /health HTTP/1.1", ["Authorization: Bearer a", "Authorization: Bearer b"]), [400]],
    ["two hosts", rawRequest("GET /health HTTP/1.1", ["Host: other"]), [400]],
    ["a header without a colon", rawRequest("GET /health HTTP/1.1", ["nonsense"]), [400]],
    ["a space before the colon", rawRequest("GET /health HTTP/1.1", ["X-A : b"]), [400]],
    ["a NUL in a header", rawRequest("GET /health HTTP/1.1", ["X-A: a\0b"]), [400]],
    ["a lone CR in a header", rawRequest("GET /health HTTP/1.1", ["X-A: a\rX-B: b"]), [400]],
    ["a folded header line", rawRequest("GET /health HTTP/1.1", ["X-A: a\r\n b"]), [400]],
    ["a header line folded with a tab", rawRequest("GET /health HTTP/1.1", ["X-A: a\r\n\tb"]), [400]],
    ["an unknown expectation", rawRequest("GET /health HTTP/1.1", ["Expect: tea"]), [417]],
  ];
  for (const [name, bytes, statuses] of cases) {
    test(`${name}: ${statuses.map((status) => status ?? "closed").join(" or ")}`, async () => {
      const answer = await whileServing(server, () => exchange(server.url, bytes));
      assert.ok(statuses.includes(answer?.status), `${answer?.status}: ${answer?.text}`);
      if (answer?.json) assert.equal(typeof answer.json.detail, "string");
    });
  }

  test("an unknown method, with a key: 405 and the allowed methods", async () => {
    const answer = await exchange(server.url, rawRequest("BREW /api/v1/me HTTP/1.1", [bearer]));
    assert.equal(answer.status, 405);
    assert.match(answer.headers.allow, /\bGET\b/);
  });

  test("a head that is too large is 431, a target that is too long 414", async () => {
    const filler = "x".repeat(40_000);
    const wide = await exchange(server.url, rawRequest("GET /health HTTP/1.1", [`X-A: ${filler}`]));
    assert.equal(wide.status, 431);
    const many = Array.from({ length: 5000 }, (_, i) => `X-${i}: y`);
    assert.equal((await exchange(server.url, rawRequest("GET /health HTTP/1.1", many))).status, 431);
    const long = await exchange(server.url, rawRequest(`GET /${filler} HTTP/1.1`));
    assert.ok([414, 431].includes(long.status), String(long.status));
    await expectServing(server);
  });

  test("an endless head is aborted", async () => {
    await whileServing(server, () =>
      withConnection(async (connection) => {
        await connection.send("GET /health HTTP/1.1\r\nHost: test\r\n");
        const line = Buffer.from(`X-Filler: ${"x".repeat(1000)}\r\n`);
        let sent = 0;
        while (!connection.ended && sent < 10_000_000 && (await connection.send(line))) {
          sent += line.length;
          if (connection.received.length > 0) break;
        }
        assert.ok(sent < 10_000_000);
        assert.equal((await connection.response())?.status, 431);
      }),
    );
  });
});

describe("the length of a body", () => {
  test("given twice, in two ways, or not as a number is 400", async () => {
    const body = `{"name":"${freshName("team")}"}`;
    const length = `Content-Length: ${body.length}`;
    const framings = [
      [length, "Content-Length: 5"],
      [length, length],
      [length, "Transfer-Encoding: chunked"],
      ["Transfer-Encoding: chunked", length],
      ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
      ["Content-Length: -1"],
      ["Content-Length: 1e3"],
      ["Content-Length: 0x10"],
      [`Content-Length: ${body.length}, ${body.length}`],
      ["Content-Length: 99999999999999999999"],
      ["Content-Length: "],
    ];
    for (const fields of framings) {
      const answer = await exchange(server.url, teamPost(fields, body));
      assert.equal(answer?.status, 400, `${fields}: ${answer?.status}`);
      assert.equal(answer.headers.connection?.toLowerCase(), "close");
    }
    for (const coding of ["gzip", "gzip, chunked", "chunked, gzip", "chunkedx", "identity"]) {
      const answer = await exchange(server.url, teamPost([`Transfer-Encoding: ${coding}`], body));
      assert.ok([400, 501].includes(answer?.status), `${coding}: ${answer?.status}`);
    }
    await expectServing(server);
  });

  test("that is ambiguous cannot smuggle a second request", async () => {
    const hidden = rawRequest("GET /health HTTP/1.1").toString();
    const bytes = teamPost(
      ["Content-Length: 4", "Transfer-Encoding: chunked"],
      `0\r\n\r\n${hidden}`,
    );
    await withConnection(async (connection) => {
      await connection.send(bytes);
      assert.equal((await connection.response()).status, 400);
      assert.equal(await connection.response(), undefined, "the second request was answered");
    });
  });

  test("too short: the remaining bytes are neither parsed as JSON nor as a request", async () => {
    const body = `{"name":"${freshName("team")}"}`;
    await withConnection(async (connection) => {
      await connection.send(teamPost(["Content-Length: 5"], body));
      assert.equal((await connection.response()).status, 422);
      assert.equal((await connection.response())?.status, 400);
      await connection.closed();
    });
  });

  test("too long: the server stops waiting after its time limit", async () => {
    const name = freshName("team");
    const body = `{"name":"${name}"}`;
    const answer = await whileServing(server, () =>
      exchange(server.url, teamPost([`Content-Length: ${body.length + 10}`], body)),
    );
    assert.equal(answer?.status, 408);
    assert.equal((await server.api("GET", `/api/v1/teams/${name}`)).status, 404);
  });

  test("too long, with the connection closed: the request has no effect", async () => {
    const name = freshName("team");
    const body = `{"name":"${name}"}`;
    await withConnection(async (connection) => {
      await connection.send(teamPost([`Content-Length: ${body.length + 10}`], body));
      connection.finish();
      const answer = await connection.response();
      assert.ok([undefined, 400, 408].includes(answer?.status), String(answer?.status));
    });
    assert.equal((await server.api("GET", `/api/v1/teams/${name}`)).status, 404);
  });

  test("in chunks: valid chunks are joined, invalid ones are 400", async () => {
    const name = freshName("team");
    const pieces = [`{"na`, `me":"${name}`, `"}`];
    const chunked = pieces.map((piece) => `${piece.length.toString(16)};x=y\r\n${piece}\r\n`).join("");
    const chunks = ["Transfer-Encoding: chunked"];
    const good = await exchange(server.url, teamPost(chunks, `${chunked}0\r\nX-Trailer: t\r\n\r\n`));
    assert.equal(good.status, 201, good.text);
    assert.equal(good.json.name, name);
    const bad = ["zz\r\n", "-1\r\n", "5\r\nabcdefgh\r\n", "ffffffffffffffffff\r\n", "\r\n\r\n"];
    for (const body of bad) {
      const answer = await exchange(server.url, teamPost(chunks, body));
      assert.ok([400, 413].includes(answer?.status), `${JSON.stringify(body)}: ${answer?.status}`);
    }
    await expectServing(server);
  });

  test("Expect: 100-continue is answered before the body", async () => {
    const body = `{"name":"${freshName("team")}"}`;
    await withConnection(async (connection) => {
      const fields = [`Content-Length: ${body.length}`, "Expect: 100-continue"];
      await connection.send(teamPost(fields, ""));
      assert.equal((await connection.response()).status, 100);
      await connection.send(body);
      assert.equal((await connection.response()).status, 201);
    });
    await withConnection(async (connection) => {
      const fields = ["Content-Length: 50000000", "Expect: 100-continue"];
      await connection.send(teamPost(fields, ""));
      assert.equal((await connection.response()).status, 413);
    });
  });
});

/** Returns the value of a metric without labels. */
async function metric(host, name) {
  const { text } = await host.api("GET", "/metrics");
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)[1]);
}

describe("clients with a wrong key", () => {
  const CLIENTS = 60;
  const BODY_BYTES = 30_000_000;
  const PIECE = Buffer.alloc(256 * 1024, 0x20);

  function wrongPost(fields) {
    return rawRequest("POST /call/start HTTP/1.1", ["Authorization: Bearer not-a-key-0123456789", JSON_TYPE, ...fields], "");
  }

  test("receive 401 before they send their body, which uses no memory", async () => {
    const connections = await Promise.all(Array.from({ length: CLIENTS }, () => RawConnection.open(server.url)));
    try {
      const framings = [[`Content-Length: ${BODY_BYTES}`], ["Transfer-Encoding: chunked"], [`Content-Length: ${BODY_BYTES}`, "Expect: 100-continue"]];
      await whileServing(server, () =>
        Promise.all(
          connections.map(async (connection, i) => {
            await connection.send(wrongPost(framings[i % framings.length]));
            assert.equal((await connection.response()).status, 401);
          }),
        ),
      );
      assert.equal(await metric(server, "spindle_http_body_bytes"), 0);
    } finally {
      for (const connection of connections) connection.destroy();
    }
  });

  test("that send their bodies anyway use no memory", async () => {
    const memoryBefore = server.residentKilobytes();
    const connections = await Promise.all(Array.from({ length: CLIENTS }, () => RawConnection.open(server.url)));
    let most = 0;
    try {
      await whileServing(server, () =>
        Promise.all(
          connections.map(async (connection) => {
            connection.send(wrongPost([`Content-Length: ${BODY_BYTES}`]));
            for (let sent = 0; sent < BODY_BYTES && (await connection.send(PIECE)); sent += PIECE.length) {
              most = Math.max(most, server.residentKilobytes());
            }
          }),
        ),
      );
    } finally {
      for (const connection of connections) connection.destroy();
    }
    assert.equal(await metric(server, "spindle_http_body_bytes"), 0);
    expectGrowthBelow(most - memoryBefore, 100 * 1024);
  });
});

describe("the memory of bodies", () => {
  test("is limited per key and per server; bodies beyond the limit are rejected unread", async () => {
    const args = ["--limits-body-memory", "2MiB", "--limits-body-memory-per-key", "1MiB"];
    await withServer({ args }, async (host) => {
      const post = (key, length) =>
        rawRequest("POST /call/start HTTP/1.1", [`Authorization: Bearer ${key}`, JSON_TYPE, `Content-Length: ${length}`], "");
      assert.equal((await exchange(host.url, post(host.adminKey, 3_000_000))).status, 413);
      const slow = await RawConnection.open(host.url);
      try {
        await slow.send(Buffer.concat([post(host.adminKey, 1_000_000), Buffer.alloc(900_000, 0x20)]));
        while ((await metric(host, "spindle_http_body_bytes")) < 900_000) await expectServing(host);
        const refused = await exchange(host.url, post(host.adminKey, 500_000));
        assert.equal(refused.status, 429);
        assert.equal(refused.headers["retry-after"], "1");
      } finally {
        slow.destroy();
      }
      while ((await metric(host, "spindle_http_body_bytes")) > 0) await expectServing(host);
    });
  });
});

describe("pipelined requests on one connection", () => {
  test("are answered in order", async () => {
    const paths = Array.from({ length: 50 }, (_, i) => `/api/v1/teams/unknown-${i}`);
    paths[10] = "/health";
    paths[30] = "/api/v1/me";
    await withConnection(async (connection) => {
      const requests = paths.map((path) => rawRequest(`GET ${path} HTTP/1.1`, [bearer]));
      await connection.send(Buffer.concat(requests));
      for (const [i] of paths.entries()) {
        const answer = await connection.response();
        assert.equal(answer.status, i === 10 || i === 30 ? 200 : 404);
        if (i === 10) assert.equal(answer.text, '{"status":"ok"}');
        if (i === 30) assert.equal(answer.json.organization_admin, true);
      }
    });
  });

  test("of a client that never reads use little memory", async () => {
    const memoryBefore = server.residentKilobytes();
    const requests = Buffer.concat(Array(200).fill(rawRequest("GET /openapi.json HTTP/1.1")));
    const readers = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(server.url)));
    try {
      for (const { socket } of readers) {
        socket.pause();
        for (let i = 0; i < 20; i += 1) socket.write(requests);
      }
      for (let i = 0; i < 50; i += 1) await expectServing(server);
      await expectMemoryReleased(server, memoryBefore);
    } finally {
      for (const reader of readers) reader.destroy();
    }
    await expectServing(server);
  });
});

describe("slow clients", () => {
  test("that stop in the middle of a head get 408 and are closed", async () => {
    await whileServing(server, () =>
      withConnection(async (connection) => {
        await connection.send("GET /health HTTP/1.1\r\nHost: te");
        assert.equal((await connection.response())?.status, 408);
        await connection.closed();
      }),
    );
  });

  test("that send their head byte by byte exceed the time limit", async () => {
    await whileServing(server, () =>
      withConnection(async (connection) => {
        await connection.send("GET /health HTTP/1.1\r\nX-Slow: ");
        let sent = 0;
        while (connection.received.length === 0 && !connection.ended && sent < 200) {
          await connection.send("x");
          sent += 1;
          await pause(25);
        }
        assert.ok(sent < 200, "the time limit did not apply");
        assert.equal((await connection.response())?.status, 408);
      }),
    );
  });

  test("that stop in the middle of a body get 408 and are closed", async () => {
    await whileServing(server, () =>
      withConnection(async (connection) => {
        await connection.send(teamPost(["Content-Length: 100"], '{"name":'));
        assert.equal((await connection.response())?.status, 408);
        await connection.closed();
      }),
    );
  });

  test("that send their body byte by byte exceed the time limit", async () => {
    const args = ["--limits-body-rate", "10KiB", "--limits-body-grace", "500ms"];
    await withServer({ args }, async (host) => {
      const connection = await RawConnection.open(host.url);
      try {
        const fields = [`Authorization: Bearer ${host.adminKey}`, JSON_TYPE, "Content-Length: 100000"];
        await connection.send(rawRequest("POST /api/v1/teams HTTP/1.1", fields, "{"));
        let sent = 0;
        while (connection.received.length === 0 && !connection.ended && sent < 1000) {
          await connection.send("x");
          sent += 1;
          await pause(25);
        }
        assert.ok(sent < 1000, "the time limit did not apply to the body");
        assert.equal((await connection.response())?.status, 408);
      } finally {
        connection.destroy();
      }
    });
  });

  test("that send nothing are closed", async () => {
    await withConnection((connection) => connection.closed());
  });

  test("in hundreds do not block others", async () => {
    const connections = await Promise.all(
      Array.from({ length: 300 }, () => RawConnection.open(server.url)),
    );
    try {
      for (const [i, connection] of connections.entries()) {
        if (i % 2) connection.send("GET /health HTTP/1.1\r\nX-Slow: ");
        else connection.send(teamPost(["Content-Length: 100"], "{"));
      }
      await whileServing(server, () => Promise.all(connections.map((connection) => connection.closed())));
    } finally {
      for (const connection of connections) connection.destroy();
    }
  });
});

describe("many connections", () => {
  const CROWD = 10_000;
  const FILES = 12_000;
  const LONG_TIMEOUT = within(120_000);

  /** Starts a process with idle connections: {ask, end}. */
  async function idleClients(url, count) {
    const { hostname, port } = new URL(url);
    const script = fileURLToPath(new URL("support/idle_clients.mjs", import.meta.url));
    const line = [process.execPath, script, hostname, port, String(count)];
    const child = spawn("/bin/sh", ["-c", `ulimit -n ${FILES} && exec "$@"`, "sh", ...line], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => {
      const { value, done } = await lines.next();
      assert.ok(!done, "the clients ended");
      return value;
    };
    assert.equal(await next(), "open");
    return {
      lost: async () => {
        child.stdin.write("lost\n");
        return Number((await next()).split(" ")[1]);
      },
      end: async () => {
        child.stdin.end();
        await once(child, "close");
      },
    };
  }

  test("10,000 idle ones are kept, and a valid request succeeds", LONG_TIMEOUT, async () => {
    const options = { args: ["--limits-header-timeout", "10m"], fileLimit: FILES };
    await withServer(options, async (host) => {
      for (let i = 0; i < 20; i += 1) await expectServing(host);
      const memoryBefore = host.residentKilobytes();
      const openFiles = () => readdirSync(`/proc/${host.program.pid}/fd`).length;
      const filesBefore = openFiles();
      const clients = await idleClients(host.url, CROWD);
      try {
        while (openFiles() < filesBefore + CROWD) await expectServing(host);
        await expectServing(host);
        assert.equal(await clients.lost(), 0);
      } finally {
        await clients.end();
      }
      while (openFiles() > filesBefore + 64) await expectServing(host);
      await expectMemoryReleased(host, memoryBefore);
    });
  });

  test("beyond the limit are rejected with 503 until others close", LONG_TIMEOUT, async () => {
    await withServer({ args: ["--limits-connections", "10"] }, async (host) => {
      const inside = await Promise.all(Array.from({ length: 10 }, () => RawConnection.open(host.url)));
      try {
        for (const connection of inside) {
          await connection.send(rawRequest("GET /health HTTP/1.1"));
          assert.equal((await connection.response()).status, 200);
        }
        const refused = await exchange(host.url, rawRequest("GET /health HTTP/1.1"));
        assert.equal(refused?.status, 503);
        assert.ok(refused.headers["retry-after"]);
      } finally {
        for (const connection of inside) connection.destroy();
      }
      let answer;
      do answer = await exchange(host.url, rawRequest("GET /health HTTP/1.1"));
      while (answer?.status === 503);
      assert.equal(answer?.status, 200);
    });
  });
});
